"""Addresses as people type them, for dialling and for listening; the text form itself is protocol.wire.address."""

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass

from node.errors import EXIT_USAGE, DokoError
from node.i18n import _
from protocol.wire.address import DEFAULT_PORT, Address
from protocol.wire.address import parse_address as parse_strict


@dataclass(frozen=True, slots=True)
class Listen:
    """Where to listen: ``host`` empty for every interface, ``port`` 0 for one that the system chooses."""

    host: str = ""
    port: int = DEFAULT_PORT

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse_dial(text: str) -> Address:
    """Where *text* (``HOST``, ``HOST:PORT``, ``[IPv6]:PORT``) says to dial.  Raises :class:`DokoError` (usage)."""
    try:
        return parse_strict(text)
    except ValueError:
        raise _bad(text, _("Write HOST:PORT, for example 192.0.2.7:4848 or [2001:db8::1]:4848.")) from None


def parse_listen(text: str) -> Listen:
    """Where *text* (``HOST:PORT``, ``:PORT``, ``HOST``) says to listen.  Raises :class:`DokoError` (usage)."""
    text = text.strip()
    hint = _("Write HOST:PORT, for example :4848 (every interface), 127.0.0.1:4848 or :0 (any free port).")
    host, colon, port = text.rpartition(":")
    if not colon or text.endswith("]") or (":" in host and not host.startswith("[")):
        host, port = text, str(DEFAULT_PORT)
    bracketed = host.startswith("[")
    host = host.removeprefix("[").removesuffix("]")
    if bracketed and ":" not in host:
        raise _bad(text, hint)
    if not (port.isascii() and port.isdecimal() and len(port) <= 5 and int(port) <= 65_535):
        raise _bad(text, hint)
    if host in ("", "*"):
        return Listen("", int(port))
    try:
        return Listen(parse_strict(f"[{host}]" if ":" in host else host).host, int(port))
    except ValueError:
        raise _bad(text, hint) from None


def _bad(text: str, hint: str) -> DokoError:
    shown = text if len(text) <= 80 else text[:77] + "..."
    return DokoError(_("“{text}” is no address.").format(text=shown), hint, EXIT_USAGE)


def reach_of(hosts: Iterable[str]) -> str:
    """From where one of *hosts* can be reached at best: ``machine`` (this one alone), ``network`` or ``world``.

    Whether a router or firewall lets anybody through nobody knows from here.
    """
    best = "machine"
    for host in hosts:
        if is_loopback(host):
            continue
        try:
            known = ipaddress.ip_address(host.partition("%")[0]).is_global
        except ValueError:
            known = "." in host and not host.endswith(".local")
        if known:
            return "world"
        best = "network"
    return best


def is_loopback(host: str) -> bool:
    """Does *host* name this machine itself?"""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
