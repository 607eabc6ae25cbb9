"""Four table cores in one room: messages arrive at once and in order, jobs run at once, time passes when it is told to.

Nothing happens by itself: nobody plays unless a test says so, so a room comes to rest wherever somebody has to act.
Such a room can be cloned, and the clone played on by attackers, over and over, in memory or over sockets.
"""

from __future__ import annotations

import copy
import random
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from protocol.refusal import Refusal
from protocol.table import effects
from protocol.table.effects import Command, Effect
from protocol.table.roster import Setup
from protocol.table.table import Table
from protocol.wire.entries import Kind
from tests.table.net import SEATS, Store, chain_of, people, setups


class HostileTable(Table):
    """A table whose program keeps back its own entries of some kinds, so that a test can send others in their place.

    What it takes from others it judges as an honest one does: it is the attacker's view of the match.
    """

    muted: frozenset[Kind] = frozenset()

    def _deal_duty(self) -> bool:
        deal = self.match.next_deal
        if Kind.SHAREOPEN in self.muted and deal is not None and deal.complaints:
            return False
        if deal is not None and self.me in deal.log.missing and self.muted & deal.log.kinds:
            return False
        return super()._deal_duty()

    def _main_duty(self) -> bool:
        if self.me in self.match.main.missing and self.muted & self.match.main.kinds:
            return False
        return super()._main_duty()


def mute(table: Table, *kinds: Kind) -> HostileTable:
    """Make *table* hostile (or more, or less so): it makes no entries of these kinds."""
    table.__class__ = HostileTable
    assert isinstance(table, HostileTable)
    table.muted = frozenset(kinds)
    return table


@dataclass(frozen=True)
class Sent:
    """A message that has left a node."""

    source: int
    target: int
    raw: bytes


#: One hand for its points.
ONE_HAND: Final = MappingProxyType({"mode": "variable", "stake": 10})


class Room:
    """See the module."""

    def __init__(
        self,
        seed: int = 0,
        terms: Mapping[str, object] = ONE_HAND,
        muted: Mapping[int, tuple[Kind, ...]] | None = None,
        bots: tuple[int, ...] = (),
    ) -> None:
        self.setups: tuple[Setup, ...] = setups(seed, bots, **terms)
        self.now = 0.0
        self.queue: deque[Sent] = deque()
        self.jobs: deque[tuple[int, int, Callable[..., Any], tuple[Any, ...]]] = deque()
        self.sent: list[Sent] = []
        self.effects: dict[int, list[Effect]] = {seat: [] for seat in SEATS}
        self.stores = [Store() for _ in SEATS]
        self.down: set[frozenset[int]] = set()
        self.tables: list[Table] = []
        for seat in SEATS:
            rng = random.Random(f"room {seed} {seat}")
            chain = chain_of(seat).seed if seat in bots else None
            table = Table(self.setups[seat], people()[seat].secrets, rng.randbytes, seed=chain)
            if muted and seat in muted:
                mute(table, *muted[seat])
            self.tables.append(table)
        for seat in SEATS:
            self._do(seat, self.tables[seat].start(self.now))
        for seat in SEATS:
            for other in SEATS:
                if other != seat:
                    self._do(seat, self.tables[seat].link(other, True, self.now))
        self.pump()

    def clone(self) -> Room:
        """An independent copy of a room at rest."""
        assert not self.queue
        assert not self.jobs
        memo: dict[int, Any] = {}
        for thing in self._immutable():
            memo[id(thing)] = thing
        return copy.deepcopy(self, memo)

    def _immutable(self) -> list[Any]:
        """What need not be copied, because it never changes: keys, setups, entries, effects, states by head."""
        things: list[Any] = [self.setups, *self.setups, *self.sent]
        for table in self.tables:
            things += [table.setup, table._secrets, table._signer, *table.match.known.values()]
            for deal in table.match.deals.values():
                things += [*deal.decks, *deal.keys.values()]
            if table.match.hand is not None:
                things += [table.match.hand.slots.pairs, *table.match.hand.states.values()]
        for made in self.effects.values():
            things += made
        for store in self.stores:
            things += store.entries
        return things

    # -- what happens --

    def pump(self) -> None:
        """Until all is at rest."""
        while self.queue or self.jobs:
            if self.queue:
                self.deliver(self.queue.popleft())
                continue
            seat, job, fn, args = self.jobs.popleft()
            result: Any
            try:
                result = fn(*args)
            except Exception as error:  # what a shell does: an exception is a result
                result = error
            self._do(seat, self.tables[seat].done(job, result, self.now))

    def deliver(self, sent: Sent) -> None:
        """One message arrives."""
        if frozenset((sent.source, sent.target)) not in self.down:
            self._do(sent.target, self.tables[sent.target].receive(sent.source, sent.raw, self.now))

    def send(self, source: int, target: int, raw: bytes) -> None:
        """A message leaves a node."""
        sent = Sent(source, target, raw)
        self.sent.append(sent)
        self.queue.append(sent)

    def later(self, seconds: float) -> None:
        """Let time pass, tick by tick."""
        end = self.now + seconds
        for _ in range(10_000):
            due = [at for table in self.tables if (at := table.next_tick) is not None]
            at = min([*due, end])
            self.now = max(self.now, at)
            if at >= end:
                break
            for seat in SEATS:
                tick = self.tables[seat].next_tick
                if tick is not None and tick <= self.now:
                    self._do(seat, self.tables[seat].tick(self.now))
            self.pump()
        else:
            raise AssertionError("ticks without end")

    def wake(self, seat: int) -> None:
        """Let a node look again at what it has to do (after something was changed in it by hand)."""
        self._do(seat, self.tables[seat].tick(self.now))
        self.pump()

    def act(self, seat: int, command: Command) -> None:
        """A player's wish, carried out to the end.  Raises ``Refusal``."""
        self._do(seat, self.tables[seat].act(command, self.now))
        self.pump()

    def start_over(self, seat: int) -> None:
        """The program of a node ends and is started again over its store; what it is told is still on its way."""
        rng = random.Random(f"again {seat} {len(self.sent)}")
        stored = self.stores[seat].stored()
        self.tables[seat] = Table(self.setups[seat], people()[seat].secrets, rng.randbytes, stored=stored)
        self.jobs = deque(job for job in self.jobs if job[0] != seat)
        self._do(seat, self.tables[seat].start(self.now))
        for other in SEATS:
            if other != seat and frozenset((seat, other)) not in self.down:
                for one, peer in ((seat, other), (other, seat)):
                    self._do(one, self.tables[one].link(peer, False, self.now))
                    self._do(one, self.tables[one].link(peer, True, self.now))

    def cut(self, one: int, other: int) -> None:
        """No message passes between these two any more."""
        self.down.add(frozenset((one, other)))
        for seat, peer in ((one, other), (other, one)):
            self._do(seat, self.tables[seat].link(peer, False, self.now))

    def mend(self, one: int, other: int) -> None:
        """The link is up again."""
        self.down.discard(frozenset((one, other)))
        for seat, peer in ((one, other), (other, one)):
            self._do(seat, self.tables[seat].link(peer, True, self.now))
        self.pump()

    def _do(self, seat: int, made: list[Effect]) -> None:
        for effect in made:
            self.effects[seat].append(effect)
            match effect:
                case effects.Persist():
                    self.stores[seat].persist(effect)
                case effects.Send(target, message):
                    self.send(seat, target, message)
                case effects.Compute(job, fn, args):
                    self.jobs.append((seat, job, fn, args))
                case _:
                    pass


__all__ = ["HostileTable", "Refusal", "Room", "Sent", "mute"]
