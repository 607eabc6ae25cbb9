"""A node that plays by itself: a policy, its chain of seeds, and the way from a seat to a settlement."""

import hashlib
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from secrets import token_bytes
from typing import Final

import trio

from node.bots.levels import LEVELS, load_policy
from node.bots.policy import Policy
from node.bots.seeds import SeedChain
from node.bots.worker import SECONDS, WorkerPool
from node.errors import EXIT_PEER, EXIT_USAGE, DokoError
from node.events import Line, line_of, seated_line, settled_line
from node.heartbeat import Heartbeat
from node.i18n import _
from node.lobby import Seating
from node.net.link import How, Link, LinkLost
from node.plan import Plan, split_seeds
from node.players import PolicyPlayer
from node.practice import books_nothing
from node.refusals import told
from node.runtime import Node, Played
from node.session import Session
from protocol.table.effects import Stored
from protocol.wire.connection import Incoming
from protocol.wire.messages import BotSeat

DOMAIN_SEED: Final = b"DOKO-auto-seed"
Report = Callable[[Line], None]


def policy_of(level: str) -> Policy:
    """The policy of a level, or of ``MODULE:CLASS``.  Raises :class:`DokoError` (usage) that lists the levels."""
    try:
        return load_policy(level, here=True)
    except LookupError as error:
        raise DokoError(
            _("Nobody can play as {level}: {why}.").format(level=repr(level[:60]), why=error.args[0].rstrip(".")),
            _("Levels: {levels}").format(levels=", ".join(LEVELS)),
            EXIT_USAGE,
        ) from None


class Auto:
    """How this node plays by itself; close it (``with``) to end the processes that a searching policy thinks in.

    *seed* makes the computer's choices repeatable (never the cards: those nobody can choose); *delay* is the pause in
    seconds before each bid and card.
    """

    def __init__(
        self,
        level: str,
        seed: str | None = None,
        delay: float = 0.0,
        *,
        person: bool = False,
        host: bytes | None = None,
        pool: WorkerPool | None = None,
    ) -> None:
        """*person*: the terms name a person at our seat, for whom the computer plays.

        *host*: the identity key of whoever runs this computer; ``None``: it stands alone.  *pool*: where to think, if
        several share it; without one a searching policy gets its own.
        """
        self.level = level
        self._person = person
        self._host = host
        self._seed = seed
        self._delay = delay
        self._pool: WorkerPool | None = None
        self._shared: WorkerPool | None = None
        self.policy = policy_of(level)
        if self.policy.searches:
            if pool is None:
                pool = self._pool = WorkerPool()
            self._shared = pool

    def __enter__(self) -> "Auto":
        return self

    def __exit__(self, *exc: object) -> None:
        if self._pool is not None:
            self._pool.close()

    def chain(self, match_number: int) -> SeedChain:
        """A fresh chain of seeds for one match."""
        if self._seed is None:
            return SeedChain(token_bytes(32))
        return SeedChain(hashlib.sha256(DOMAIN_SEED + f"{self._seed}/{match_number}".encode()).digest())

    def seat(self, node: Node, chain: SeedChain) -> BotSeat | None:
        """What the terms will say of this computer; ``None`` if they name a person."""
        if self._person:
            return None
        return BotSeat(
            host=self._host or node.identity.key,
            policy=self.policy.name,
            version=self.policy.version,
            seeds=chain.commitment,
        )

    def player(self, chain: SeedChain, clock: int) -> PolicyPlayer:
        """The one who answers for our seat, in time at a table that gives *clock* seconds for a decision.

        A turn is at most a call, a card and the pause before it: each has a third of the clock.
        """
        third = clock / 3
        policy = self.policy
        if self._shared is not None:
            policy = self._shared.policy(self.level, min(SECONDS, third))
        return PolicyPlayer(policy, chain.seed, delay=min(self._delay, third))


@dataclass(slots=True)
class Reporter:
    """Passes lines on, with the time (``at``, milliseconds) and, if *measure*, the CPU seconds used so far."""

    out: Report
    measure: bool = False
    heartbeat: Heartbeat = field(default_factory=Heartbeat)

    def __call__(self, line: Line) -> None:
        if line["event"] == "seated":
            self.heartbeat.restart()  # what came before was the start of the process
        line["at"] = round(trio.current_time() * 1000, 1)
        if self.measure:
            line["cpu"] = round(time.process_time(), 4)
            line["held_ms"] = round(self.heartbeat.held, 1)
            line["late_ms"] = round(self.heartbeat.late, 1)
            line["peak_mb"] = peak_memory()
        self.out(line)


def peak_memory() -> float:
    """The most memory this process has had, in megabytes; 0 where the system does not tell."""
    try:
        import resource
    except ImportError:
        return 0.0
    unit = 1 if sys.platform == "darwin" else 1024
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6, 1)


async def play_seat(node: Node, seating: Seating, auto: Auto, chain: SeedChain, report: Report) -> Played:
    """Wait until the four agree, then play the match.  Raises :class:`DokoError`."""
    seated = await seating.settled()
    plan = Plan(seated.setup, seated.addresses, node.listening, auto.level)
    await trio.to_thread.run_sync(node.remember, plan, chain.root)
    try:
        return await play_plan(node, plan, None, auto.player(chain, plan.setup.terms.clock.decision), chain, report)
    finally:
        seating.close()


async def resume(node: Node, plan: Plan, delay: float, report: Report) -> Played:
    """Take up the match of *plan* from the store.  Raises :class:`DokoError`."""
    if plan.level is None:
        raise DokoError(_("In that match you play yourself."), _("Take it up in the lobby: doko"), EXIT_USAGE)
    root, stored = split_seeds(await trio.to_thread.run_sync(node.store.load, plan.match))
    if root is None:
        raise DokoError(
            _("The seeds of the computer player are missing in the store."), _("Run: doko doctor"), EXIT_USAGE
        )
    chain = SeedChain(root)
    with Auto(plan.level, None, delay) as auto:
        return await play_plan(node, plan, stored, auto.player(chain, plan.setup.terms.clock.decision), chain, report)


class _LinkTeller:
    """Reports who of the four is reached and how; subscribes to the hub for the time of a match."""

    numbers = range(0)

    def __init__(self, node: Node, plan: Plan, report: Report) -> None:
        self._node = node
        self._roster = plan.setup.roster
        self._report = report

    def link_up(self, link: Link) -> None:
        seat = self._roster.seat_of(link.peer.identity)
        if seat is not None:
            state = link.state
            self._report({"event": "link", "seat": seat, "how": str(state.how), "via": state.via, "why": ""})

    def link_down(self, identity: bytes, why: LinkLost) -> None:
        seat = self._roster.seat_of(identity)
        if seat is not None:
            self._report({"event": "link", "seat": seat, "how": str(How.LOST), "via": "", "why": told(why.detail)})

    async def message(self, link: Link, incoming: Incoming) -> None:
        """No messages are asked for."""


async def play_plan(
    node: Node, plan: Plan, stored: Stored | None, player: PolicyPlayer, chain: SeedChain, report: Report
) -> Played:
    """Play the match of *plan* and report it."""
    report(seated_line(plan, resumed=stored is not None))
    sessions: list[Session] = []
    teller = _LinkTeller(node, plan, report)
    node.hub.subscribe(teller)
    try:
        played = await node.play(
            plan,
            stored=stored,
            player=player,
            seed=chain.seed,
            watch=[lambda event: report(line_of(event))],
            practice=books_nothing(plan.setup),
            started=sessions.append,
        )
    finally:
        node.hub.unsubscribe(teller)
    if played is None or played.path is None:
        raise DokoError(
            _("The match was left before its end."), _("Take it up again with: doko table resume"), EXIT_PEER
        )
    view = sessions[0].view
    report(settled_line(str(played.path), played.outcome.signatures, view.points, view.money, view.kitty))
    return played
