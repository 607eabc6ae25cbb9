"""Listening: one port on IPv4 and IPv6, with a message in words when the port cannot be had."""

import errno
import socket
import sys
from contextlib import suppress

import trio

from node.errors import EXIT_ENVIRONMENT, EXIT_USAGE, DokoError
from node.i18n import _
from node.net.address import Listen
from protocol.wire.address import Address

BACKLOG = 64
_TRIES = 20  # port 0: how often to look for a port that is free in both families


async def open_listeners(where: Listen) -> list[trio.SocketListener]:
    """Listening sockets for *where*, IPv6 and IPv4 on the *same* port.

    An empty host means every interface; port 0 lets the system choose a port that is free in both families.  A family
    this machine does not have is left out.  Raises :class:`DokoError` (environment) when the port is taken or forbidden
    and (usage) when the host is not an address of this machine.
    """
    for attempt in range(_TRIES):
        try:
            return await _open(where)
        except OSError as error:
            if where.port == 0 and error.errno == errno.EADDRINUSE and attempt + 1 < _TRIES:
                continue
            raise _explain(where, error) from error
    raise AssertionError("unreachable")


async def _open(where: Listen) -> list[trio.SocketListener]:
    found = await trio.socket.getaddrinfo(
        where.host or None, where.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )
    # IPv6 first; every address once (a hosts file may name one twice).
    found.sort(key=lambda item: item[0] != socket.AF_INET6)
    targets = list(dict.fromkeys((item[0], item[4]) for item in found))
    listeners: list[trio.SocketListener] = []
    port = where.port
    unusable: OSError | None = None
    try:
        for family, address in targets:
            try:
                sock = trio.socket.socket(family, socket.SOCK_STREAM)
            except OSError as error:
                unusable = error  # no IPv6 in this kernel
                continue
            try:
                await _bind(sock, family, address, port)
            except OSError as error:
                sock.close()
                if error.errno in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT) and len(targets) > 1:
                    unusable = error  # IPv6 switched off: its sockets exist but have no addresses
                    continue
                raise
            port = sock.getsockname()[1]
            listeners.append(trio.SocketListener(sock))
        if not listeners:
            raise unusable or OSError(errno.EADDRNOTAVAIL, "no address to listen on")
    except BaseException:
        for listener in listeners:
            listener.socket.close()
        raise
    return listeners


async def _bind(sock: trio.socket.SocketType, family: int, address: tuple[object, ...], port: int) -> None:
    if sys.platform == "win32":
        # SO_REUSEADDR means something else there: it would share the port with a second process.
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
    else:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if family == socket.AF_INET6:
        with suppress(OSError, AttributeError):
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    await sock.bind((address[0], port, *address[2:]))
    sock.listen(BACKLOG)


def _explain(where: Listen, error: OSError) -> DokoError:
    if error.errno == errno.EADDRINUSE:
        return DokoError(
            _("Port {port} is in use: another program (perhaps another doko) listens on it.").format(port=where.port),
            hint=_("Stop that program, or choose another port with --listen :PORT (0: any free one)."),
            exit_code=EXIT_ENVIRONMENT,
        )
    if error.errno in (errno.EACCES, errno.EPERM):
        return DokoError(
            _("This user may not listen on port {port}.").format(port=where.port),
            hint=_("Choose a port above 1023, for example --listen :4848."),
            exit_code=EXIT_ENVIRONMENT,
        )
    if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
        return DokoError(
            _("“{host}” is not an address of this machine.").format(host=where.host),
            hint=_("Listen on every interface with --listen :{port}.").format(port=where.port),
            exit_code=EXIT_USAGE,
        )
    return DokoError(
        _("Listening on {where} failed: {why}.").format(where=where, why=error.strerror or error),
        exit_code=EXIT_ENVIRONMENT,
    )


def bound_addresses(listeners: list[trio.SocketListener]) -> list[Address]:
    """Where *listeners* really listen (the port chosen for port 0 included)."""
    return [Address(*listener.socket.getsockname()[:2]) for listener in listeners]
