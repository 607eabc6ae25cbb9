"""The scripted network of :mod:`tests.table.net`, made worse: what a kill leaves under way, links that are half open or
real Noise channels cut into single bytes, clocks that jump, two processes of one identity, disks that fill up.

Two seeds: *pool* decides who plays which cards (keys, shuffles, players), *seed* what the network does to them.  The
same *pool* under two networks makes the same entries as long as nothing forces another order.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from protocol.rules.calls import CallKind
from protocol.table import effects
from protocol.table.effects import Command, Effect, Stored
from protocol.table.table import Table
from protocol.table.verify import Verdict, verify
from protocol.wire.connection import Connection, Incoming, Ready
from protocol.wire.hello import Me
from protocol.wire.keys import sign_static
from tests.chaos import memo
from tests.chaos.watch import Watch
from tests.table import net
from tests.table.net import SEATS, Crash, Node, RandomPlayer, Script, Store, Wire, World, chain_of, people

HOUR = 3_600.0


class SteadyPlayer(RandomPlayer):
    """Chooses by what it is asked alone: a restart, or another order of messages, changes nothing."""

    def __init__(self, pool: int, seat: int, reserve: float = 0.1, call: float = 0.1) -> None:
        super().__init__(0, reserve, call)
        self._name = f"{pool} {seat}"

    def _asked(self, node: Node, what: str) -> random.Random:
        view = node.table.view(node.world.now)
        cards = 0 if view.hand is None else view.hand.state.cards_played
        bids = 0 if view.hand is None else len(view.hand.state.bids) + len(view.hand.state.names)
        return random.Random(f"{self._name} {what} {view.deal.deal} {bids} {cards}")

    def __call__(self, node: Node) -> Command | None:
        self.rng = self._asked(node, "answer")
        return super().__call__(node)

    def calls(self, node: Node) -> CallKind | None:
        self.rng = self._asked(node, "call")
        return super().calls(node)


class JumpingClock:
    """A table whose clock jumps: *offset* seconds are added to each ``now`` it is told, and taken off what it tells."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self.offset = 0.0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)

    def start(self, now: float) -> list[Effect]:
        return self._table.start(now + self.offset)

    def receive(self, seat: int, raw: bytes, now: float) -> list[Effect]:
        return self._table.receive(seat, raw, now + self.offset)

    def act(self, command: Command, now: float) -> list[Effect]:
        return self._table.act(command, now + self.offset)

    def tick(self, now: float) -> list[Effect]:
        return self._table.tick(now + self.offset)

    def link(self, seat: int, up: bool, now: float) -> list[Effect]:
        return self._table.link(seat, up, now + self.offset)

    def done(self, job: int, result: object, now: float) -> list[Effect]:
        return self._table.done(job, result, now + self.offset)

    def view(self, now: float) -> Any:
        return self._table.view(now + self.offset)

    @property
    def next_tick(self) -> float | None:
        at = self._table.next_tick
        return None if at is None else at - self.offset + 1e-6  # sums of hours and parts of a second are rounded


class FullDisk(Crash):
    """A transaction failed; the shell ends the process in words."""


class FillingStore(Store):
    """A store whose disk is full after *room* more transactions, until :attr:`room` is None again."""

    def __init__(self, room: int | None = None) -> None:
        super().__init__()
        self.room = room
        self.full = 0  # transactions that failed

    def persist(self, effect: effects.Persist) -> None:
        if self.room is not None:
            if self.room <= 0:
                self.full += 1
                raise FullDisk
            self.room -= 1
        super().persist(effect)


@dataclass(eq=False)
class Flight:
    """A message, or some bytes of a Noise channel, under way."""

    wire: Wire
    at: float
    epoch: int
    landed: bool = False
    channel: Channels | None = None


@dataclass(eq=False)
class Channels:
    """The two ends of one connection between two nodes."""

    ends: dict[int, Connection]
    single: bool  # bytes arrive one by one
    ready: set[int] = field(default_factory=set)
    deaf: set[int] = field(default_factory=set)  # ends that have missed bytes: nothing more can be read there


@cache
def _me(seat: int) -> Me:
    person = people()[seat]
    sign = Ed25519PrivateKey.from_private_bytes(person.signing).sign
    player = person.player(bytes(32))
    return Me(person.identity, person.static, sign_static(sign, player.static), person.name, sign)


class ChaosWorld(World):
    """See the module."""

    def __init__(
        self,
        seed: int,
        script: Script | None = None,
        *,
        pool: int = 0,
        noise: bool = False,
        arrives: bool = False,
        repeats: bool = False,
        bots: tuple[int, ...] = (),
        call: float = 0.1,
        crashes: dict[int, int] | None = None,
        back: float = 2.0,
        others: tuple[int, ...] = (),
        stores: Callable[[int], Store] | None = None,
        **terms: object,
    ) -> None:
        """*noise*: links are Noise channels, cut into pieces.  *arrives*: what a killed node has sent still arrives.
        *crashes*: seat -> the effect after which its process ends, counted from its start; it starts again *back*
        seconds later, and with it *others*, who end at that moment too.  *repeats*: a node that starts again gets the
        random bytes of its first start once more (a restored snapshot)."""
        memo.install()
        self.noise = noise
        self.arrives = arrives
        self.repeats = repeats
        self.pool = pool
        self.blind: set[tuple[int, int]] = set()  # (from, to): nothing arrives, nobody notices
        self.flights: dict[tuple[int, int], list[Flight]] = {(a, b): [] for a in SEATS for b in SEATS if a != b}
        self.channels: dict[frozenset[int], Channels] = {}
        self.comebacks: dict[int, tuple[float | None, tuple[int, ...]]] = {}
        self._crashes = dict(crashes or {})
        self._stores = stores or (lambda seat: FillingStore())
        self._begun = False
        if crashes:
            self.comebacks = dict.fromkeys(crashes, (back, others))
        self._boots = dict.fromkeys(SEATS, 0)
        self.watch = Watch(self)
        super().__init__(pool, script, bots=bots, players=lambda seat: SteadyPlayer(pool, seat, call=call), **terms)
        self.rng = random.Random(f"network {seed}")
        self.watchers.append(self.watch)

    def _table(self, seat: int, stored: Stored | None) -> Table:
        boot = 0 if self.repeats else self._boots[seat]
        self._boots[seat] += 1
        rng = random.Random(f"table {self.pool} {seat} {boot}")
        seeds = chain_of(seat).seed if seat in self.bots else None
        table = Table(self.setups[seat], people()[seat].secrets, rng.randbytes, stored=stored, seed=seeds)
        return JumpingClock(table)  # type: ignore[return-value]

    def jump(self, seat: int, seconds: float) -> None:
        """The clock of a seat jumps."""
        node = self.nodes[seat]
        assert isinstance(node.table, JumpingClock)
        node.table.offset += seconds
        self._wake(node)

    # -- what is under way --

    def _transmit(self, wire: Wire) -> None:
        pair = frozenset((wire.source, wire.target))
        if not self.up[pair]:
            return
        if not self.noise:
            script, rng = self.script, self.rng
            if script.drop and rng.random() < script.drop:
                return
            copies = 2 if script.duplicate and rng.random() < script.duplicate else 1
            for _ in range(copies):
                self._fly(wire, in_order=not script.reorder or rng.random() >= script.reorder)
            return
        channels = self.channels.get(pair)
        if channels is None or wire.source not in channels.ready:
            return
        channels.ends[wire.source].send_bytes(wire.raw)
        self._push(channels, wire.source, wire.target)

    def _push(self, channels: Channels, source: int, target: int) -> None:
        """Send what an end of a channel has to send, in pieces."""
        data = channels.ends[source].data_to_send()
        at = 0
        while at < len(data):
            size = len(data) if self.rng.random() < 0.5 else self.rng.randrange(1, len(data) + 1)
            self._fly(Wire(source, target, data[at : at + size]), in_order=True, channels=channels)
            at += size

    def _fly(self, wire: Wire, *, in_order: bool, channels: Channels | None = None) -> None:
        key = (wire.source, wire.target)
        time = self.now + self.rng.uniform(*self.script.delay)
        if in_order:
            time = max(time, self._last.get(key, 0.0))
            self._last[key] = time
        flight = Flight(wire, time, self._link_epoch[frozenset(key)], channel=channels)
        self.flights[key].append(flight)
        self.at(time, lambda: self._land(flight))

    def _land(self, flight: Flight) -> None:
        wire = flight.wire
        key = (wire.source, wire.target)
        pair = frozenset(key)
        if flight.landed:
            return
        flight.landed = True
        self.flights[key].remove(flight)
        if not self.up[pair] or self._link_epoch[pair] != flight.epoch:
            return
        channel = flight.channel
        if key in self.blind:
            if channel is not None:
                channel.deaf.add(wire.target)
        elif channel is None:
            self.inject(wire)
        elif self.channels.get(pair) is channel and wire.target not in channel.deaf:
            self._bytes(channel, wire)

    def _bytes(self, channels: Channels, wire: Wire) -> None:
        """Bytes arrive at an end of a Noise channel."""
        end = channels.ends[wire.target]
        pair = frozenset((wire.source, wire.target))
        step = 1 if channels.single else len(wire.raw)
        for at in range(0, len(wire.raw), step):
            for event in end.receive(wire.raw[at : at + step]):
                match event:
                    case Ready(peer=peer):
                        assert peer.identity == people()[wire.source].identity
                        channels.ready.add(wire.target)
                        self._push(channels, wire.target, wire.source)
                        node = self.nodes[wire.target]
                        self._do(node, lambda node=node: node.table.link(wire.source, True, self.now))
                    case Incoming(raw=raw):
                        self.inject(Wire(wire.source, wire.target, raw))
                    case _:
                        raise AssertionError(f"a channel between honest nodes closed: {event}")
                if self.channels.get(pair) is not channels:
                    return
        self._push(channels, wire.target, wire.source)

    # -- links --

    def _link_up(self, a: int, b: int) -> None:
        if not self.noise:
            super()._link_up(a, b)
            return
        first, second = (a, b) if self.rng.random() < 0.5 else (b, a)
        ends = {
            first: Connection(_me(first), initiator=True, expect=people()[second].identity),
            second: Connection(_me(second), initiator=False),
        }
        channels = Channels(ends, single=self.rng.random() < 0.3)
        self.channels[frozenset((a, b))] = channels
        self._push(channels, first, second)

    def cut(self, a: int, b: int, heal_after: float | None = None) -> None:
        if self.up[frozenset((a, b))]:
            self.channels.pop(frozenset((a, b)), None)
        super().cut(a, b, heal_after)

    def half_open(self, a: int, b: int, seconds: float) -> None:
        """For some time nothing of *a* reaches *b*; then the keep-alive ends the link, and it comes up again."""
        self.blind.add((a, b))

        def notice() -> None:
            self.blind.discard((a, b))
            self.cut(a, b, heal_after=self.rng.uniform(0.1, 2.0))

        self.after(seconds, notice)

    def partition(self, half: set[int], seconds: float) -> None:
        """Cut every link between *half* and the others."""
        for a in half:
            for b in set(SEATS) - half:
                self.cut(a, b, heal_after=seconds)

    # -- processes --

    def kill(self, seat: int) -> None:
        """kill -9; with *arrives* the other ends read what had been sent before they see the end of the connection."""
        node = self.nodes[seat]
        if not node.running:
            return
        node.running = False
        flights = [flight for (source, _), under_way in self.flights.items() if source == seat for flight in under_way]
        if self.arrives and not self.noise:
            for flight in sorted(flights, key=lambda flight: flight.at):
                self._land(flight)
        node.running = True
        node.crash_after = None
        super().kill(seat)
        back, others = self.comebacks.pop(seat, (None, ()))
        for other in others:
            self.kill(other)
        if back is not None:
            for number, each in enumerate((seat, *others)):
                self.after(back + 0.7 * number, lambda each=each: self.start_again(each))

    def _play(self, node: Node) -> None:
        if node.seat in node.table.match.due:  # else there is no question: a view would be made for nothing
            super()._play(node)

    def _do(self, node: Node, call: Callable[[], list[Effect]]) -> None:
        if not self._begun:  # all four are made and nothing has happened yet
            self._begun = True
            for seat, step in self._crashes.items():
                self.nodes[seat].crash_after = step
            for each in self.nodes:
                each.store = self._stores(each.seat)
        super()._do(node, call)

    def crash(self, seat: int, after: int, back: float = 2.0, others: tuple[int, ...] = ()) -> None:
        """End the seat's process after so many more effects, and *others* at that moment; *back* seconds later they
        start again."""
        node = self.nodes[seat]
        node.crash_after = node.steps + after
        self.comebacks[seat] = (back, others)

    def start_again(self, seat: int) -> None:
        """Start the node if it is not running."""
        if not self.nodes[seat].running:
            self.restart(seat)

    def kill_and_restart(self, seats: tuple[int, ...], back: float = 1.0) -> None:
        """Kill all of *seats* at once; they start again one after the other."""
        for seat in seats:
            self.kill(seat)
        for number, seat in enumerate(seats):
            self.after(back + number * 0.7, lambda seat=seat: self.start_again(seat))

    def heal(self) -> None:
        """A network as it should be, everybody at the table."""
        self.script = Script()
        self.blind.clear()
        for seat in SEATS:
            self.start_again(seat)
        for pair in self.up:
            self.mend(*sorted(pair))

    # -- the end --

    @property
    def words(self) -> list[str]:
        """What stopped nodes say."""
        return [node.stopped.reason for node in self.nodes if node.stopped is not None]

    def judge(self) -> Verdict:
        """The match is settled: four equal files that verify, nobody blamed, no nonce twice."""
        assert self.settled, self.describe()
        files = {node.settlement for node in self.nodes}
        assert len(files) == 1, "the settlements differ"
        verdict = verify(files.pop() or b"")
        assert verdict.good, verdict.problem
        assert not self.words, self.words
        self.nobody_blamed()
        self.watch.nonces()
        return verdict

    def nobody_blamed(self) -> None:
        """No evidence, no refusal of an honest node's entry, no link closed for junk."""
        for node in self.nodes:
            assert not node.evidence, f"seat {node.seat} holds evidence"
            refused = [event for event in node.shown if isinstance(event, effects.Refused)]
            assert not refused, f"seat {node.seat}: {refused}"
            assert not node.closed, f"seat {node.seat} closed a link: {node.closed}"


__all__ = ["HOUR", "ChaosWorld", "FillingStore", "FullDisk", "JumpingClock", "SteadyPlayer", "net"]
