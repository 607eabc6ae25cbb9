"""Dialling: one attempt over all addresses of a host, and the pauses between attempts."""

import random
import socket
from collections.abc import Callable, Iterator
from typing import Final

import trio

from node.i18n import _
from protocol.wire.address import Address

FIRST_PAUSE: Final = 0.5
LONGEST_PAUSE: Final = 30.0


class DialFailed(Exception):
    """Nobody answered at an address; the text says why, for people.

    ``reason`` is that of the link that failed (:class:`protocol.wire.errors.Reason`), if it came so far.
    """

    def __init__(self, text: str, reason: str = "") -> None:
        super().__init__(text)
        self.reason = reason


async def dial(where: Address, within: float) -> trio.SocketStream:
    """A TCP connection to *where* within so many seconds (host names: every address, IPv6 and IPv4 raced, RFC 8305).

    Raises :class:`DialFailed`.
    """
    try:
        with trio.fail_after(within):
            stream = await trio.open_tcp_stream(where.host, where.port)
    except trio.TooSlowError:
        raise DialFailed(_("{where}: no answer within {n:.0f} seconds").format(where=where, n=within)) from None
    except socket.gaierror:
        raise DialFailed(_("{where}: no such host").format(where=where)) from None
    except (OSError, ExceptionGroup, ValueError, UnicodeError) as error:
        raise DialFailed(_("{where}: {why}").format(where=where, why=_reason(error))) from None
    stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return stream


def _reason(error: Exception) -> str:
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, ConnectionRefusedError):
        if isinstance(cause, ExceptionGroup):
            refused = [e for e in cause.exceptions if isinstance(e, ConnectionRefusedError)]
            cause = refused[0] if refused else cause.exceptions[0]
        elif cause.__cause__ is not None:
            cause = cause.__cause__
        else:
            break
    if isinstance(cause, ConnectionRefusedError):
        return _("nobody listens there")
    if isinstance(cause, OSError) and cause.strerror:
        return cause.strerror
    return str(error)


def pauses(
    first: float = FIRST_PAUSE,
    longest: float = LONGEST_PAUSE,
    uniform: Callable[[float, float], float] = random.uniform,
) -> Iterator[float]:
    """Seconds to wait before each further attempt, without end: doubling up to *longest*, each with jitter.

    Jitter (half to one and a half times) keeps four nodes that lost each other at one moment from dialling in step.
    """
    step = first
    while True:
        yield uniform(step / 2, step * 1.5)
        step = min(step * 2, longest)
