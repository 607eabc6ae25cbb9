"""Two processes of one identity: somebody copies a data directory and starts it elsewhere while the first one plays.

The locks of :mod:`node.locks` catch it on one machine; here it is on two.  Each of the others keeps one link per
identity, and the newer wins; so the two take the links from each other, again and again.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from typing import Any

from protocol.table import effects
from protocol.table.effects import Effect
from protocol.table.verify import verify
from tests.chaos.world import ChaosWorld, FillingStore, SteadyPlayer
from tests.table.net import SEATS, Node, Wire


class TwinWorld(ChaosWorld):
    """A world in which :meth:`copy` starts a second process of a seat."""

    def __init__(self, seed: int, seat: int, **options: Any) -> None:
        self.double = seat
        self.holder: dict[int, Node] = {}  # who has the link of the double seat with another one
        self.twin: Node | None = None
        self._acting: Node | None = None
        super().__init__(seed, **options)
        self.others = [other for other in SEATS if other != seat]
        self.holder = dict.fromkeys(self.others, self.nodes[seat])

    def copy(self, lost: int, *, other_mind: bool) -> None:
        """Copy the store without its last *lost* transactions and start it; *other_mind*: its player decides anew."""
        seat = self.double
        store = FillingStore()
        store.history = list(self.nodes[seat].store.history)
        store.roll_back(lost)
        player = SteadyPlayer(self.pool + (1_000 if other_mind else 0), seat)
        self.twin = Node(self, seat, self._table(seat, store.stored()), store, player)
        twin = self.twin
        self._do(twin, lambda: twin.table.start(self.now))
        for other in self.others:
            self.after(self.rng.uniform(0.0, 1.0), lambda other=other: self.take_over(other, twin))

    def take_over(self, other: int, node: Node) -> None:
        """*node* dials *other*: its link is the newer one; the process that had it dials again some seconds later."""
        before = self.holder[other]
        if before is node or node.stopped is not None or not node.running:
            return
        self.holder[other] = node
        self._link_epoch[frozenset((self.double, other))] += 1  # what is under way on the old link is lost
        peer = self.nodes[other]
        seat = self.double
        self._do(before, lambda: before.table.link(other, False, self.now))
        self._do(peer, lambda: peer.table.link(seat, False, self.now))
        self._do(peer, lambda: peer.table.link(seat, True, self.now))
        self._do(node, lambda: node.table.link(other, True, self.now))
        self.after(self.rng.uniform(1.0, 5.0), lambda: self.take_over(other, before))

    def end_of(self, node: Node) -> None:
        """One of the two is closed: the other one keeps the links."""
        node.running = False
        rest = self.twin if node is self.nodes[self.double] else self.nodes[self.double]
        assert rest is not None
        for other in self.others:
            self.take_over(other, rest)

    def _do(self, node: Node, call: Callable[[], list[Effect]]) -> None:
        before, self._acting = self._acting, node
        try:
            super()._do(node, call)
        finally:
            self._acting = before

    def send(self, wire: Wire) -> None:
        if wire.source == self.double and self.holder.get(wire.target, self._acting) is not self._acting:
            return  # no link: the other process has it
        super().send(wire)

    def inject(self, wire: Wire) -> None:
        if wire.target != self.double:
            super().inject(wire)
            return
        for watcher in self.watchers:
            watcher(wire)
        node = self.holder[wire.source]
        self._do(node, lambda: node.table.receive(wire.source, wire.raw, self.now))

    @property
    def both(self) -> list[Node]:
        """The two processes."""
        assert self.twin is not None
        return [self.nodes[self.double], self.twin]

    def judge_double(self) -> str:
        """Whatever the two have done: only their seat is blamed, and no place of the log has two entries."""
        honest = [self.nodes[other] for other in self.others]
        for node in [*honest, *self.both]:
            for file in node.evidence:
                verdict = verify(file)
                assert verdict.seat == self.double, f"seat {verdict.seat} is blamed"
                assert verdict.code == "EQUIVOCATION"
            refused = {event.seat for event in node.shown if isinstance(event, effects.Refused)}
            assert refused <= {self.double}, refused
        logs = [node.table.match.main.heads for node in honest]
        if any(a != b for one, two in itertools.combinations(logs, 2) for a, b in zip(one, two, strict=False)):
            # one card was shown here and another one there: whoever has two logs before him stops, with the proof
            assert all(node.stopped is not None and node.evidence for node in honest), self.describe()
        self.watch.nonces()
        if all(node.table.match.settled for node in honest):
            files = {node.settlement for node in honest}
            assert len(files) == 1
            assert verify(files.pop() or b"").good
            return "settled"
        if any(isinstance(event, effects.KeysLost) for node in self.both for event in node.shown):
            return "says that its keys are lost"
        words = [node.stopped.reason for node in [*honest, *self.both] if node.stopped is not None]
        assert words, f"{self.describe()}\n{[node.table.view(self.now) for node in self.both]}"
        assert any(f"seat {self.double}" in text or "another node signs with our identity" in text for text in words)
        return "contradiction shown, in words"


def run(seed: int) -> str:
    """A copy is started in the middle of a hand; both play on for a while; then the first or the second is closed."""
    rng = random.Random(f"twin {seed}")
    world = TwinWorld(seed, rng.randrange(4), mode="variable", stake=10, pool=seed % 8)
    world.watch.tolerate.add(world.double)
    world.run(until=rng.uniform(0.1, 10.0))
    world.copy(rng.choice((0, 0, 1, 3, 8)), other_mind=rng.random() < 0.5)
    world.run(until=world.now + rng.uniform(1.0, 12.0))
    gone = world.both[rng.randrange(2)]
    if gone.running and all(node.stopped is None for node in world.both):
        world.end_of(gone)
    honest = [world.nodes[other] for other in world.others]
    world.run(until=1_500.0, stop=lambda: all(n.table.match.settled or n.stopped is not None for n in honest))
    return world.judge_double()
