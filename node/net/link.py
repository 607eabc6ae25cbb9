"""A link: whole messages to and from one known peer, whatever carries them.

Theory of operation::

    stream --bytes--> Connection --messages--+--> PING, PONG are answered here
                                             +--> inbox (bounded) --> receive()
    post()/send() --> outbox (bounded) --> Connection --> stream

A link lives while :meth:`StreamLink.run` runs.  It ends with a *reason*: never by raising into the node, whatever the
peer sends.  Reading stops while the inbox is full or the peer is over its rate, so TCP itself slows the sender down; a
peer that reads nothing fills its outbox and loses the link.  Nothing grows without bound.
"""

from abc import ABC, abstractmethod
from collections import deque
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import trio

from node import logs
from node.net.limits import KEEPALIVE_S, SILENCE_S, STRANGER, Bucket, Limits, Rates
from protocol.refusal import Refusal
from protocol.wire import messages
from protocol.wire.connection import Connection, Event, Incoming
from protocol.wire.errors import Reason
from protocol.wire.hello import Peer
from protocol.wire.messages import Message, Ping, Pong
from protocol.wire.noise import Closed

#: Bytes read at once: the smallest frames that fit take a few milliseconds to decrypt, not a noticeable pause.
CHUNK: Final = 8_192
WRITE: Final = 65_536
BYE_S: Final = 1.0  # how long a polite end may take

log = logs.get("link")


class How(StrEnum):
    """How a peer is reached now."""

    DIRECT = "direct"
    VIA = "via"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class State:
    """A link's state; ``via`` names the friend who relays."""

    how: How
    via: str = ""


class LinkLost(Exception):
    """The link has ended; ``reason`` is its name for programs and ``detail`` says it in words."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail


class Link(ABC):
    """One way to one peer.  Relays and tests have their own; the node above sees only this."""

    peer: Peer
    #: The id of the invite that this link redeems, if it does.
    invite: bytes | None
    #: ``host:port`` at the other end, for people; empty where there is none.
    remote: str
    #: Whether this node opened the link.
    outgoing: bool

    @property
    def short(self) -> str:
        """A few digits of the peer's key, for logs."""
        return self.peer.identity[:4].hex()

    @property
    @abstractmethod
    def state(self) -> State:
        """How the peer is reached."""

    @abstractmethod
    def post(self, raw: bytes) -> bool:
        """Queue one encoded message without waiting; ``False``: the link is lost, or lost by this (peer too slow)."""

    @abstractmethod
    async def send(self, raw: bytes) -> None:
        """Queue one encoded message, waiting while the outbox is full.  Raises :class:`LinkLost`."""

    @abstractmethod
    async def receive(self) -> Incoming:
        """The next message that is not the link's own.  Raises :class:`LinkLost`."""

    @abstractmethod
    def close(self, reason: str, detail: str = "") -> None:
        """End the link: what is queued is still sent, then BYE.  Returns at once; may be called twice."""

    @abstractmethod
    async def run(self) -> LinkLost:
        """Carry messages until the link ends; returns why."""


class StreamLink(Link):
    """A link over a byte stream (TCP, a Unix socket, a relayed channel, a test's memory stream)."""

    def __init__(
        self,
        stream: trio.abc.Stream,
        connection: Connection,
        *,
        outgoing: bool,
        invite: bytes | None = None,
        remote: str = "",
        limits: Limits | None = None,
        rates: Rates = STRANGER,
        via: str = "",
        early: list[Event] | None = None,
    ) -> None:
        assert connection.peer is not None  # the handshake is done
        self.peer = connection.peer
        self.invite = invite
        self.remote = remote
        self.outgoing = outgoing
        self.born = trio.current_time()
        self._stream = stream
        self._connection = connection
        self._limits = limits or Limits()
        self._via = via
        self._early = early or []  # messages that came in one segment with HELLO
        self._outbox: deque[bytes] = deque()
        self._outbox_bytes = 0
        self._wake = trio.Event()
        self._room = trio.Event()
        self._closing: LinkLost | None = None  # decided by this node: drain, BYE
        self._lost: LinkLost | None = None
        self._writing: bytes | None = None  # sealed, being sent
        self._scope = trio.CancelScope()
        self._pings = 0
        self._ping_sent: float | None = None
        self.latency: float | None = None  # seconds there and back, of the last PING
        self._heard = self._spoke = self.born
        self._waiting = False  # for room in our own inbox: silence is ours, not the peer's
        self._probe: tuple[float, float] | None = None  # (asked at, answer wanted by)
        self._poke = trio.Event()
        self.set_rates(rates)
        self._to_inbox, self._inbox = trio.open_memory_channel[Incoming](rates.queue_frames)

    def __repr__(self) -> str:
        return f"<StreamLink {self.short} {self.state.how}>"

    @property
    def state(self) -> State:
        if self._lost is not None:
            return State(How.LOST)
        return State(How.VIA, self._via) if self._via else State(How.DIRECT)

    @property
    def alive(self) -> bool:
        """Whether messages still go both ways."""
        return self._lost is None and self._closing is None

    def set_rates(self, rates: Rates) -> None:
        """What the peer may send and how much may wait for it (a stranger who sits down becomes a member)."""
        self._rates = rates
        self._frames = Bucket(rates.frames_per_s, rates.frame_burst)
        self._bytes = Bucket(rates.bytes_per_s, rates.byte_burst)

    # -- what the node calls

    def post(self, raw: bytes) -> bool:
        if not self.alive:
            return False
        if self._outbox_bytes + len(raw) > self._rates.outbox_bytes:
            self._end(LinkLost("slow", "the other end reads too slowly"))
            return False
        self._queue(raw)
        return True

    async def send(self, raw: bytes) -> None:
        while self.alive and self._outbox_bytes and self._outbox_bytes + len(raw) > self._rates.outbox_bytes:
            await self._room.wait()
        if not self.alive:
            raise self._lost or self._closing or LinkLost("closed", "the link is closed")
        self._queue(raw)
        await trio.lowlevel.checkpoint()

    async def receive(self) -> Incoming:
        try:
            return await self._inbox.receive()
        except trio.EndOfChannel:
            raise self._lost or LinkLost("closed", "the link is closed") from None

    def close(self, reason: str, detail: str = "") -> None:
        if self.alive:
            self._closing = LinkLost(reason, detail)
            self._wake.set()
            self._room.set()

    def probe(self, within: float) -> None:
        """Ask the peer for a sign of life: the link is lost if nothing comes for *within* seconds from now."""
        now = trio.current_time()
        self._probe = (now, now + within)
        self._ping()
        self._poke.set()

    # -- its life

    async def run(self) -> LinkLost:
        try:
            async with self._stream:
                with self._scope:
                    async with trio.open_nursery() as nursery:
                        nursery.start_soon(self._read)
                        nursery.start_soon(self._write)
                        nursery.start_soon(self._keep_alive)
        finally:
            if self._lost is None:
                self._lost = LinkLost("stopped", "this node stops")
            self._to_inbox.close()
            self._room.set()
        return self._lost

    def _end(self, why: LinkLost) -> None:
        if self._lost is None:
            self._lost = why
        self._scope.cancel()
        self._room.set()

    def _queue(self, raw: bytes) -> None:
        self._outbox.append(raw)
        self._outbox_bytes += len(raw)
        self._wake.set()

    def _post_own(self, message: Message) -> None:
        """PING and PONG: they may pass the bound by little, and are left out when much waits anyway."""
        if self.alive and self._outbox_bytes < self._rates.outbox_bytes:
            self._queue(messages.encode(message))

    async def _read(self) -> None:
        early, self._early = self._early, []
        try:
            for event in early:
                await self._handle(event)
            while True:
                data = await self._stream.receive_some(CHUNK)
                self._heard = trio.current_time()
                for event in self._connection.receive(bytes(data)) if data else self._connection.eof():
                    await self._handle(event)
                pause = self._bytes.take(len(data), trio.current_time())
                if pause:
                    await self._pause(pause)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            self._end(LinkLost("broken", "the connection broke"))

    async def _handle(self, event: Event) -> None:
        match event:
            case Incoming():
                pause = self._frames.take(1, trio.current_time())
                if pause:
                    await self._pause(pause)
                await self._take(event)
            case Closed(error):
                # Decided before the last words are sent, so that nothing more is queued meanwhile.
                self._lost = self._closing or LinkLost(error.reason.value, error.detail)
                await self._last_words(error.reason not in (Reason.BYE, Reason.CLOSED))
                self._end(self._lost)
            case _:
                raise AssertionError("a second handshake")  # Connection gives Ready once, before this link exists

    async def _take(self, incoming: Incoming) -> None:
        match incoming.message:
            case Ping(n=n):
                self._post_own(Pong(n=n))
            case Pong(n=n):
                if n == self._pings and self._ping_sent is not None:
                    self.latency = trio.current_time() - self._ping_sent
                    self._ping_sent = None
            case _:
                try:
                    self._to_inbox.send_nowait(incoming)
                except trio.WouldBlock:
                    self._waiting = True
                    await self._to_inbox.send(incoming)
                    self._waiting = False
                    self._heard = trio.current_time()

    async def _pause(self, seconds: float) -> None:
        self._waiting = True
        await trio.sleep(seconds)
        self._waiting = False
        self._heard = trio.current_time()

    async def _last_words(self, said: bool) -> None:
        """The connection has decided to end; *said*: it has queued a BYE that says why."""
        if said and self._writing is None:
            with trio.move_on_after(BYE_S):
                await self._stream.send_all(self._connection.data_to_send())

    async def _write(self) -> None:
        try:
            while self._outbox or self._closing is None:
                if not self._outbox:
                    self._wake = trio.Event()
                    await self._wake.wait()
                    continue
                self._writing = self._seal()
                with trio.move_on_after(self._limits.send_s if self.alive else BYE_S) as scope:
                    await self._stream.send_all(self._writing)
                if scope.cancelled_caught:
                    self._end(LinkLost("slow", "the other end reads nothing"))
                    return
                self._writing = None
                self._spoke = trio.current_time()
            with trio.move_on_after(BYE_S):
                self._connection.bye(self._closing.reason, self._closing.detail)
                await self._stream.send_all(self._connection.data_to_send())
            self._end(self._closing)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            self._end(self._closing or LinkLost("broken", "the connection broke"))
        except Refusal as error:  # the connection has ended meanwhile; the reader says why
            log.debug("not sent", peer=self.short, detail=error.detail)

    def _seal(self) -> bytes:
        """The next messages as one write."""
        size = 0
        while self._outbox and size < WRITE:
            raw = self._outbox.popleft()
            self._outbox_bytes -= len(raw)
            size += len(raw)
            self._connection.send_bytes(raw)
        self._room.set()
        self._room = trio.Event()
        return self._connection.data_to_send()

    def _ping(self) -> None:
        self._pings += 1
        self._ping_sent = trio.current_time()
        self._post_own(Ping(n=self._pings))

    async def _keep_alive(self) -> None:
        """One timer for both: speak after a while of saying nothing, give up after a longer one of hearing nothing."""
        while True:
            now = trio.current_time()
            heard = now if self._waiting else self._heard
            dead_at = heard + SILENCE_S
            if self._probe is not None and self._heard > self._probe[0]:
                self._probe = None
            if self._probe is not None:
                dead_at = min(dead_at, self._probe[1])
            if now >= dead_at:
                self._end(LinkLost("silent", "nothing came from the other end for too long"))
                return
            speak_at = max(self._spoke, self._ping_sent or 0.0) + KEEPALIVE_S
            if now >= speak_at:
                self._ping()
                speak_at = now + KEEPALIVE_S
            self._poke = trio.Event()
            with trio.move_on_at(min(speak_at, dead_at)):
                await self._poke.wait()
