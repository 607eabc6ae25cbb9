"""Four tables in one process over a scripted network: virtual time, seeded, nothing sleeps.

A :class:`World` holds four :class:`Node` values and a heap of future happenings.  Links are what TCP gives: in order
and complete while they are up; what is under way when one goes down is lost.  On top of that a :class:`Script` may
delay, reorder, duplicate and drop single messages, and a test may cut links, stop nodes at any effect, roll stores
back, and look at (or change) every message.

    world = World(seed=1)
    world.run()
    assert world.settled
"""

from __future__ import annotations

import heapq
import itertools
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from node.bots.seeds import SeedChain
from protocol.refusal import Refusal
from protocol.rules.calls import CallKind
from protocol.table import effects
from protocol.table.effects import Command, Effect, Stored, StoredEntry
from protocol.table.roster import Player, Setup, make_roster, make_setup
from protocol.table.table import Secrets, Table
from protocol.table.terms import Bot, make_terms
from protocol.wire.keys import sign_static

SEATS = (0, 1, 2, 3)


# --- who plays ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Person:
    """An identity: its keys and its name."""

    signing: bytes
    static: bytes
    name: str

    @property
    def identity(self) -> bytes:
        return Ed25519PrivateKey.from_private_bytes(self.signing).public_key().public_bytes_raw()

    def player(self, nonce: bytes) -> Player:
        static = X25519PrivateKey.from_private_bytes(self.static).public_key().public_bytes_raw()
        signature = sign_static(Ed25519PrivateKey.from_private_bytes(self.signing).sign, static)
        return Player(self.identity, static, signature, nonce, self.name)

    @property
    def secrets(self) -> Secrets:
        return Secrets(self.signing, self.static)


@cache
def people(seed: int = 0) -> tuple[Person, ...]:
    """Four identities."""
    rng = random.Random(f"people {seed}")
    return tuple(Person(rng.randbytes(32), rng.randbytes(32), name) for name in ("Anna", "Bela", "Carl", "Dora"))


def chain_of(seat: int) -> SeedChain:
    """The seed chain of the computer on a seat."""
    return SeedChain(random.Random(f"seeds {seat}").randbytes(32))


@cache
def setups(
    seed: int = 0, bots: tuple[int, ...] = (), hosts: tuple[tuple[int, int], ...] = (), **terms: object
) -> tuple[Setup, ...]:
    """One setup per seat; *terms* as for ``make_terms``; *bots* are the seats of computers.

    *hosts*: pairs of a computer's seat and that of its host; the others stand alone.
    """
    four = people()
    rng = random.Random(f"setup {seed}")
    entries = tuple(
        Bot(
            seat=seat,
            identity=four[seat].identity,
            host=four[dict(hosts).get(seat, seat)].identity,
            policy="random",
            version="1",
            seeds=chain_of(seat).commitment,
        )
        for seat in bots
    )
    raw = make_terms(table=rng.randbytes(16), bots=entries, **terms)  # type: ignore[arg-type]
    roster = make_roster(tuple(person.player(rng.randbytes(32)) for person in four))
    return tuple(make_setup(raw, roster, seat) for seat in SEATS)


# --- a store that knows transactions ------------------------------------------------------------------------------


class Store:
    """What a node's disk holds of one match; keeps every earlier state, so that it can be rolled back."""

    def __init__(self) -> None:
        self._entries: dict[bytes, StoredEntry] = {}
        self._secrets: dict[str, bytes] = {}
        self.history: list[tuple[dict[bytes, StoredEntry], dict[str, bytes]]] = [({}, {})]

    def persist(self, effect: effects.Persist) -> None:
        """One transaction."""
        for entry in effect.entries:
            self._entries.setdefault(entry.hash, entry)
        for name, value in effect.secrets:
            if value is None:
                self._secrets.pop(name, None)
            else:
                self._secrets[name] = value
        self.history.append((dict(self._entries), dict(self._secrets)))

    def roll_back(self, transactions: int) -> None:
        """Undo the last so many transactions."""
        keep = max(1, len(self.history) - transactions)
        del self.history[keep:]
        entries, secrets = self.history[-1]
        self._entries, self._secrets = dict(entries), dict(secrets)

    def stored(self) -> Stored:
        return Stored(tuple(self._entries.values()), dict(self._secrets))

    @property
    def secrets(self) -> dict[str, bytes]:
        return self._secrets

    @property
    def entries(self) -> tuple[StoredEntry, ...]:
        return tuple(self._entries.values())


# --- players ------------------------------------------------------------------------------------------------------

#: Chooses an answer for a node that is asked, or None to say nothing.
Chooser = Callable[["Node"], Command | None]


class RandomPlayer:
    """Random legal; reserves and calls now and then."""

    def __init__(self, seed: int, reserve: float = 0.1, call: float = 0.05) -> None:
        self.rng = random.Random(f"player {seed}")
        self.reserve = reserve
        self.call = call

    def __call__(self, node: Node) -> Command | None:
        question = node.table.view(node.world.now).question
        if question is None:
            return None
        if question.kind == "bid":
            wanted = effects.Bid(self.rng.random() < self.reserve)
            return wanted if wanted in question.commands else question.commands[0]
        return self.rng.choice(question.commands)

    def calls(self, node: Node) -> CallKind | None:
        """A call to make just now."""
        offers = node.table.view(node.world.now).calls
        return self.rng.choice(offers) if offers and self.rng.random() < self.call else None


# --- the network --------------------------------------------------------------------------------------------------


@dataclass
class Script:
    """How the network behaves.  *delay*: seconds, uniform; the rest are probabilities per message."""

    delay: tuple[float, float] = (0.01, 0.05)
    reorder: float = 0.0
    duplicate: float = 0.0
    drop: float = 0.0
    compute: tuple[float, float] = (0.005, 0.03)
    think: tuple[float, float] = (0.05, 0.3)


@dataclass
class Wire:
    """One message on its way; a hook may change or swallow it."""

    source: int
    target: int
    raw: bytes


Hook = Callable[[Wire], Iterable[Wire] | None]


class Crash(Exception):
    """The process of a node ends here."""


@dataclass
class Node:
    """One seat: table, store, player, and what its shell has been told."""

    world: World
    seat: int
    table: Table
    store: Store
    player: RandomPlayer | None
    running: bool = True
    epoch: int = 0  # of the process
    shown: list[effects.Event] = field(default_factory=list)
    settlement: bytes | None = None
    evidence: list[bytes] = field(default_factory=list)
    stopped: effects.Stopped | None = None
    closed: list[effects.Close] = field(default_factory=list)
    steps: int = 0  # effects carried out
    crash_after: int | None = None  # the process ends after so many effects
    asked: int = 0
    cpu: float = 0.0

    def carry_out(self, made: list[Effect]) -> None:
        """What a shell does."""
        for effect in made:
            self._one(effect)
            self.steps += 1
            if self.crash_after is not None and self.steps >= self.crash_after:
                self.crash_after = None
                raise Crash

    def _one(self, effect: Effect) -> None:
        match effect:
            case effects.Persist():
                self.store.persist(effect)
            case effects.Send(seat, message):
                self.world.send(Wire(self.seat, seat, message))
            case effects.Compute(job, fn, args):
                self.world.compute(self, job, fn, args)
            case effects.Show(event):
                self.shown.append(event)
            case effects.Close():
                self.closed.append(effect)
                self.world.cut(self.seat, effect.seat, heal_after=1.0)
            case effects.Evidence(_, _, file):
                self.evidence.append(file)
            case effects.Finished(settlement, _):
                self.settlement = settlement
            case effects.Stopped():
                self.stopped = effect
                if effect.evidence is not None:
                    self.evidence.append(effect.evidence)


class World:
    """Four nodes, their links, and time."""

    def __init__(
        self,
        seed: int = 0,
        script: Script | None = None,
        *,
        bots: tuple[int, ...] = (),
        players: Callable[[int], RandomPlayer | None] | None = None,
        **terms: object,
    ) -> None:
        self.seed = seed
        self.script = script or Script()
        self.rng = random.Random(f"world {seed}")
        self.now = 0.0
        self.setups = setups(seed, bots, **terms)
        self.bots = bots
        self.hooks: list[Hook] = []  # on sending
        self.watchers: list[Callable[[Wire], None]] = []  # on arrival
        self.sent: list[Wire] = []
        self.keep_sent = False
        self._heap: list[tuple[float, int, Callable[[], None]]] = []
        self._count = itertools.count()
        self._last: dict[tuple[int, int], float] = {}
        self.up = {frozenset(pair): True for pair in itertools.combinations(SEATS, 2)}
        self._link_epoch = dict.fromkeys(self.up, 0)
        make = players or (lambda seat: RandomPlayer(seed * 4 + seat))
        self.nodes: list[Node] = []
        for seat in SEATS:
            self.nodes.append(Node(self, seat, self._table(seat, None), Store(), make(seat)))
        for node in self.nodes:
            self._do(node, lambda node=node: node.table.start(self.now))
        for pair in self.up:
            a, b = sorted(pair)
            self._link_up(a, b)

    def _table(self, seat: int, stored: Stored | None) -> Table:
        seed = chain_of(seat).seed if seat in self.bots else None
        rng = random.Random(self.rng.getrandbits(64))
        return Table(self.setups[seat], people()[seat].secrets, rng.randbytes, stored=stored, seed=seed)

    # -- happenings --

    def at(self, time: float, what: Callable[[], None]) -> None:
        """Let something happen at a time."""
        heapq.heappush(self._heap, (max(time, self.now), next(self._count), what))

    def after(self, delay: float, what: Callable[[], None]) -> None:
        self.at(self.now + delay, what)

    def run(self, until: float = 3_600.0, stop: Callable[[], bool] | None = None, steps: int = 200_000) -> None:
        """Let time pass until all is settled (or *stop* says so, or *until*); AssertionError if nothing can happen."""
        done = stop or (lambda: self.settled)
        for _ in range(steps):
            if done():
                return
            if not self._heap:
                return
            if self._heap[0][0] > until:
                self.now = until
                return
            time, _, what = heapq.heappop(self._heap)
            self.now = max(self.now, time)
            what()
        raise AssertionError(f"no end after {steps} steps at {self.now:.1f} s: {self.describe()}")

    @property
    def settled(self) -> bool:
        """All four hold a settlement with four signatures."""
        return all(node.running and node.table.match.settled and node.settlement is not None for node in self.nodes)

    def describe(self) -> str:
        """Where everybody is, for a failing test."""
        lines = []
        for node in self.nodes:
            view = node.table.view(self.now)
            lines.append(
                f"seat {node.seat}: {view.stage} main {node.table.match.main.length} deal {view.deal.deal} "
                f"waiting for {view.waiting} question {view.question and view.question.kind} "
                f"running {node.running} stopped {view.stopped!r}"
            )
        return "\n".join(lines)

    # -- nodes --

    def _do(self, node: Node, call: Callable[[], list[Effect]]) -> None:
        """One call into a node's core, and all that follows from it."""
        if not node.running:
            return
        try:
            node.carry_out(call())
        except Crash:
            self.kill(node.seat)
            return
        self._wake(node)
        self._play(node)

    def _wake(self, node: Node) -> None:
        at = node.table.next_tick
        if at is not None:
            epoch = node.epoch
            serial = node.asked = node.asked + 1

            def tick() -> None:
                if node.epoch == epoch and node.running and node.asked == serial:
                    self._do(node, lambda: node.table.tick(self.now))

            self.at(at, tick)

    def _play(self, node: Node) -> None:
        """Let the player answer a question that is new."""
        view = node.table.view(self.now)
        question = view.question
        if question is None or node.player is None or view.paused:
            return
        epoch, serial = node.epoch, question.serial
        if getattr(node, "_answering", None) == (epoch, serial):
            return
        node._answering = (epoch, serial)  # type: ignore[attr-defined]

        def answer() -> None:
            if node.epoch != epoch or not node.running or node.player is None:
                return
            view = node.table.view(self.now)
            asked = view.question
            if asked is None or asked.serial != serial:
                return
            if view.paused:
                node._answering = None  # type: ignore[attr-defined]  # asked again when the pause is over
                return
            kind = node.player.calls(node)
            if kind is not None:
                self._do(node, lambda: node.table.act(effects.MakeCall(kind), self.now))
            command = node.player(node)
            if command is not None:
                self._do(node, lambda: node.table.act(command, self.now))

        self.after(self.rng.uniform(*self.script.think), answer)

    def act(self, seat: int, command: Command) -> Refusal | None:
        """A command of a person; the refusal, if there is one."""
        node = self.nodes[seat]
        try:
            made = node.table.act(command, self.now)
        except Refusal as refusal:
            return refusal
        self._do(node, lambda: made)
        return None

    def compute(self, node: Node, job: int, fn: Callable[..., object], args: tuple[object, ...]) -> None:
        """A thread that takes its time."""
        epoch = node.epoch

        def finish() -> None:
            if node.epoch != epoch:
                return
            result: object
            try:
                result = fn(*args)
            except Exception as error:
                result = error
            self._do(node, lambda: node.table.done(job, result, self.now))

        self.after(self.rng.uniform(*self.script.compute), finish)

    def kill(self, seat: int) -> None:
        """kill -9."""
        node = self.nodes[seat]
        node.running = False
        node.epoch += 1
        for other in SEATS:
            if other != seat and self.up[frozenset((seat, other))]:
                self.cut(seat, other)

    def restart(self, seat: int) -> None:
        """Start the program again over whatever its store holds; links come up by and by."""
        node = self.nodes[seat]
        assert not node.running
        node.table = self._table(seat, node.store.stored())
        node.running = True
        node.stopped = None
        node.epoch += 1
        self._do(node, lambda: node.table.start(self.now))
        for other in SEATS:
            if other != seat and self.nodes[other].running:
                self.after(self.rng.uniform(0.0, 1.0), lambda other=other: self.mend(seat, other))

    # -- links --

    def _link_up(self, a: int, b: int) -> None:
        for one, other in ((a, b), (b, a)):
            node = self.nodes[one]
            self._do(node, lambda node=node, other=other: node.table.link(other, True, self.now))

    def cut(self, a: int, b: int, heal_after: float | None = None) -> None:
        """Cut a link; what is on its way is lost."""
        pair = frozenset((a, b))
        if not self.up[pair]:
            return
        self.up[pair] = False
        self._link_epoch[pair] += 1
        for one, other in ((a, b), (b, a)):
            node = self.nodes[one]
            self.after(0.0, lambda node=node, other=other: self._down(node, other))
        if heal_after is not None:
            self.after(heal_after, lambda: self.mend(a, b))

    def _down(self, node: Node, other: int) -> None:
        if not self.up[frozenset((node.seat, other))]:
            self._do(node, lambda: node.table.link(other, False, self.now))

    def mend(self, a: int, b: int) -> None:
        """Bring a link up again."""
        pair = frozenset((a, b))
        if self.up[pair] or not (self.nodes[a].running and self.nodes[b].running):
            return
        self.up[pair] = True
        self._link_epoch[pair] += 1
        self._link_up(a, b)

    def send(self, wire: Wire) -> None:
        """Put a message on its way."""
        passing = [wire]
        for hook in self.hooks:
            passing = [out for each in passing for out in (_hooked(hook, each))]
        for each in passing:
            if self.keep_sent:
                self.sent.append(each)
            self._transmit(each)

    def _transmit(self, wire: Wire) -> None:
        pair = frozenset((wire.source, wire.target))
        if not self.up[pair]:
            return
        script, rng = self.script, self.rng
        if script.drop and rng.random() < script.drop:
            return
        copies = 2 if script.duplicate and rng.random() < script.duplicate else 1
        for _ in range(copies):
            time = self.now + rng.uniform(*script.delay)
            if not script.reorder or rng.random() >= script.reorder:
                time = max(time, self._last.get((wire.source, wire.target), 0.0))
                self._last[wire.source, wire.target] = time
            epoch = self._link_epoch[pair]
            self.at(time, lambda epoch=epoch: self._deliver(wire, epoch))

    def _deliver(self, wire: Wire, epoch: int) -> None:
        pair = frozenset((wire.source, wire.target))
        if self.up[pair] and self._link_epoch[pair] == epoch:
            self.inject(wire)

    def inject(self, wire: Wire) -> None:
        """Deliver at once, whatever the network is like."""
        for watcher in self.watchers:
            watcher(wire)
        node = self.nodes[wire.target]
        self._do(node, lambda: node.table.receive(wire.source, wire.raw, self.now))


def _hooked(hook: Hook, wire: Wire) -> Iterable[Wire]:
    out = hook(wire)
    return [wire] if out is None else out
