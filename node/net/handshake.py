"""From a fresh stream to a known peer: drives :class:`protocol.wire.connection.Connection` until HELLO is in."""

from collections.abc import Callable
from contextlib import suppress

import trio

from protocol.wire.connection import Connection, Event, Ready
from protocol.wire.errors import LinkError
from protocol.wire.hello import Me
from protocol.wire.noise import Closed

#: A whole handshake with HELLO has less than this; nothing of a stranger is kept beyond it.
CHUNK = 2_048


async def shake(
    stream: trio.abc.Stream,
    me: Me,
    *,
    initiator: bool,
    expect: bytes | None = None,
    invite: bytes | None = None,
    find_invite: Callable[[bytes], bytes | None] | None = None,
) -> tuple[Connection, Ready, list[Event]]:
    """The connection, who is at its other end, and events of messages that came close behind HELLO.

    Raises :class:`LinkError` (after having told the other end why, as far as it can be told) and what *stream* raises.
    The caller sets the time limit and closes the stream.
    """
    connection = Connection(me, initiator=initiator, expect=expect, invite=invite, find_invite=find_invite)
    while True:
        await _flush(stream, connection)
        data = await stream.receive_some(CHUNK)
        events = connection.receive(bytes(data)) if data else connection.eof()
        for index, event in enumerate(events):
            if isinstance(event, Ready):
                await _flush(stream, connection)
                return connection, event, events[index + 1 :]
            if isinstance(event, Closed):
                await _flush(stream, connection)
                raise LinkError(event.error.reason, event.error.detail, event.error.code)


async def _flush(stream: trio.abc.Stream, connection: Connection) -> None:
    """Send what waits.  Who has hung up may have said why first, so a broken stream is left for the reader to find."""
    out = connection.data_to_send()
    if out:
        with suppress(trio.BrokenResourceError):
            await stream.send_all(out)
