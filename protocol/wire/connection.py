"""A link without its sockets: channel, HELLO and messages in one object that a listener or dialler drives.

::

    CHANNEL --Opened: send HELLO--> HELLO --their HELLO--> READY --BYE, error, end--> CLOSED
       |                              |                                                ^
       +------------------------------+---------------- error, end --------------------+

``receive`` and ``eof`` never raise: what goes wrong is the last event, :class:`Closed`, with a named reason.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from protocol.refusal import Refusal
from protocol.wire import noise
from protocol.wire.codec import printable
from protocol.wire.errors import LinkError, Reason
from protocol.wire.hello import Me, Peer, check_hello, make_hello
from protocol.wire.messages import Bye, Hello, Message, decode, encode
from protocol.wire.noise import Channel, Closed


@dataclass(frozen=True, slots=True)
class Ready:
    """The other end is known; from now messages can be sent.  ``invite``: the id of the invite that was redeemed."""

    peer: Peer
    invite: bytes | None


@dataclass(frozen=True, slots=True)
class Incoming:
    """One valid message of the peer (never HELLO or BYE), and its bytes as they came."""

    message: Message
    raw: bytes = field(default=b"", repr=False, compare=False)


Event = Ready | Incoming | Closed


class Connection:
    """One end of a link.  After every call send :meth:`data_to_send`, after ``Closed`` too, then close the connection.

    :param me: the node's identity.
    :param initiator: this end opened the connection.
    :param expect: the identity we dialled, if known; another one ends the link.
    :param invite: initiator only: the token of the invite to redeem.
    :param find_invite: responder only: the token of an open invite by its id (``noise.invite_id``), or ``None``.
    """

    def __init__(
        self,
        me: Me,
        *,
        initiator: bool,
        expect: bytes | None = None,
        invite: bytes | None = None,
        find_invite: Callable[[bytes], bytes | None] | None = None,
    ) -> None:
        self._me = me
        self._initiator = initiator
        self._expect = expect
        self._opened: noise.Opened | None = None
        self._closed = False
        self.peer: Peer | None = None
        self._channel = Channel(
            initiator=initiator, static_private=me.static_private, invite=invite, find_invite=find_invite
        )

    def data_to_send(self) -> bytes:
        """The bytes to write to the connection now, once."""
        return self._channel.data_to_send()

    def send(self, message: Message) -> None:
        """Queue *message*.  Raises ``LinkError`` unless the link is ready and it fits."""
        self.send_bytes(encode(message))

    def send_bytes(self, raw: bytes) -> None:
        """Queue an already encoded message (an entry is sent byte for byte)."""
        if self.peer is None or self._closed:
            raise LinkError(Reason.CLOSED, "the link is not ready")
        self._channel.send(raw)

    def bye(self, reason: str, text: str) -> None:
        """Say why this end closes the link, if it can still be said; afterwards nothing is received."""
        if not self._closed and self._channel.is_open:
            self._channel.send(encode(Bye(reason=reason, text=text[:500])))
        self._closed = True

    def receive(self, data: bytes) -> list[Event]:
        """Feed bytes as they came."""
        return self._digest(self._channel.receive(data))

    def eof(self) -> list[Event]:
        """The other end closed the connection."""
        return self._digest(self._channel.eof())

    def _digest(self, incoming: list[noise.Event]) -> list[Event]:
        events: list[Event] = []
        for event in incoming:
            if self._closed:
                break
            try:
                match event:
                    case noise.Opened():
                        self._opened = event
                        hello = make_hello(self._me, initiator=self._initiator, handshake_hash=event.handshake_hash)
                        self._channel.send(encode(hello))
                    case noise.Received(data):
                        events.append(self._message(data))
                    case Closed():
                        self._closed = True
                        events.append(event)
            except LinkError as error:
                if error.reason is not Reason.BYE:
                    self.bye(error.reason.value, printable(error.detail))
                self._closed = True
                events.append(Closed(error))
        return events

    def _message(self, data: bytes) -> Event:
        try:
            message = decode(data)
        except Refusal as refusal:
            reason = Reason.MESSAGE if self.peer else Reason.HELLO
            raise LinkError(reason, refusal.detail, refusal.code) from None
        if isinstance(message, Bye):
            raise LinkError(Reason.BYE, f"the other end closed the link: {message.text or message.reason}")
        if self.peer is None:
            return self._hello(message)
        if isinstance(message, Hello):
            raise LinkError(Reason.HELLO, "a second HELLO")
        return Incoming(message, data)

    def _hello(self, message: Message) -> Ready:
        opened = self._opened
        assert opened is not None  # a channel gives no data before it is open
        if not isinstance(message, Hello):
            raise LinkError(Reason.HELLO, f"expected HELLO, got {type(message).__name__}")
        self.peer = check_hello(
            message,
            self._me,
            initiator=self._initiator,
            handshake_hash=opened.handshake_hash,
            remote_static=opened.remote_static,
            expect=self._expect,
        )
        return Ready(self.peer, opened.invite)
