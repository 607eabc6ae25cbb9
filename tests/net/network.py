"""A network of nodes in one process: memory streams under trio's mock clock, no sockets and no real time."""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import trio
import trio.testing

from node import identity
from node.identity import Identity
from node.net.dialer import DialFailed
from node.net.hub import Hub, open_hub
from node.net.link import Link, LinkLost
from protocol.wire.address import Address
from protocol.wire.connection import Incoming
from protocol.wire.hello import Me


def stream_of(seed: str) -> Callable[[int], bytes]:
    """A reproducible source of bytes."""
    counter: Iterator[int] = iter(range(1 << 30))

    def block() -> bytes:
        return hashlib.sha256(f"{seed}/{next(counter)}".encode()).digest()

    return lambda n: b"".join(block() for _ in range(n // 32 + 1))[:n]


def make_identity(name: str) -> Identity:
    return identity.create(stream_of(name))


def me_of(who: Identity, nickname: str) -> Me:
    return Me(
        identity=who.key,
        static_private=who.static_key,
        static_signature=who.public.binding,
        nickname=nickname,
        sign=who.sign,
        agent="test",
    )


def make_me(name: str) -> Me:
    return me_of(make_identity(name), name)


class Network:
    """Addresses ``name:4848`` of hubs; ``down`` cuts a direction, ``streams`` keeps every connection made."""

    def __init__(self) -> None:
        self.hubs: dict[str, Hub] = {}
        self.down: set[tuple[str, str]] = set()
        self.dialled: list[tuple[str, str, float]] = []
        self.streams: list[tuple[str, str, trio.StapledStream, trio.StapledStream]] = []

    def dialer(self, source: str) -> Callable[[Address, float], Any]:
        async def dial(where: Address, within: float) -> trio.abc.Stream:
            await trio.lowlevel.checkpoint()
            self.dialled.append((source, where.host, trio.current_time()))
            hub = self.hubs.get(where.host)
            if hub is None or (source, where.host) in self.down:
                raise DialFailed(f"{where}: nobody listens there")
            ours, theirs = trio.testing.memory_stream_pair()
            self.streams.append((source, where.host, ours, theirs))
            hub._nursery.start_soon(hub.accept, theirs)
            return ours

        return dial

    def cut(self, a: str, b: str) -> None:
        """Break the connections between *a* and *b* as a lost network does: both ends see an error."""
        for source, target, ours, theirs in self.streams:
            if {source, target} == {a, b}:
                for stream in (ours, theirs):
                    stream.send_stream.close()
                    stream.receive_stream.close()

    @asynccontextmanager
    async def node(self, name: str, **options: Any) -> Any:
        async with open_hub(make_me(name), dialer=self.dialer(name), **options) as hub:
            self.hubs[name] = hub
            try:
                yield hub
            finally:
                self.hubs.pop(name, None)


def address(name: str) -> Address:
    return Address(name, 4848)


class Recorder:
    """A subscriber that writes down what it is told; ``gate`` closed makes it slow."""

    def __init__(self, numbers: range = range(120)) -> None:
        self.numbers = numbers
        self.up: list[bytes] = []
        self.down: list[tuple[bytes, str]] = []
        self.received: list[Incoming] = []
        self.gate: trio.Event | None = None

    def link_up(self, link: Link) -> None:
        self.up.append(link.peer.identity)

    def link_down(self, identity: bytes, why: LinkLost) -> None:
        self.down.append((identity, why.reason))

    async def message(self, link: Link, incoming: Incoming) -> None:
        if self.gate is not None:
            await self.gate.wait()
        self.received.append(incoming)
