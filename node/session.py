"""One match as this node plays it: the trio shell round :class:`protocol.table.table.Table`.

Theory of operation::

    hub --entries, links up and down--> +-------+ --effects, in order--> carrier: Persist in a thread, durable before
    player --commands-----------------> | Table |                          what follows; Send to the hub; Compute in a
    timer --tick----------------------> +-------+                          thread, its result comes back by done()
                                            '--view--> watchers (console, --watch, log)

The table is only ever called from trio's thread, and no call takes long: proofs are ``Compute`` effects, files and
fsync belong to the store's own thread.  Effects wait in one queue and are carried out in the order they were made; what
is to be persisted is taken together with whatever else waits to be persisted, since earlier is always allowed.
"""

from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import trio

from node import logs
from node.dwell import LONGEST_S, Dwells
from node.errors import EXIT_ENVIRONMENT, DokoError
from node.i18n import _
from node.identity import Identity
from node.net.hub import Hub
from node.net.limits import Bucket
from node.net.link import Link, LinkLost
from node.plan import Plan
from node.players import Player
from node.store import Store, StoreConflict
from protocol.refusal import Refusal
from protocol.table.effects import (
    Close,
    Command,
    Compute,
    Effect,
    Event,
    Evidence,
    Finished,
    Persist,
    Send,
    Show,
    Stopped,
    Stored,
)
from protocol.table.table import Secrets, Table
from protocol.table.view import CoreView
from protocol.wire import messages
from protocol.wire.address import Address
from protocol.wire.connection import Incoming
from protocol.wire.messages import Chat, Dwell, Entry, Leave, Message, Pause, Seen

log = logs.get("session")

#: Effects waiting to be carried out before the network is read more slowly.
QUEUE: Final = 256
#: After the last signature: how long to stay for others who may have missed something.
LINGER_S: Final = 20.0
#: Without all four signatures: how long to wait for the rest once the settlement stands.
SIGNATURES_S: Final = 60.0
FINISHED: Final = "finished"
#: Reason of the LEAVE of one who leaves the match as it stands.
ADJOURNED: Final = "adjourned"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a match ended here: settled (``settlement`` with that many signatures) or stopped, for ``reason``."""

    settlement: bytes | None
    signatures: int = 0
    reason: str = ""
    evidence: bytes | None = None
    seat: int | None = None  # who is to blame, if somebody is


@dataclass(frozen=True, slots=True)
class Said:
    """A line of chat from a seat."""

    seat: int
    text: str


@dataclass(frozen=True, slots=True)
class Left:
    """A seat has left the match as it stands, to take it up on another day."""

    seat: int


Watcher = Callable[[Event | Said | Left], None]
#: ``await in_thread(fn, *args, limiter=..., abandon_on_cancel=...)``
InThread = Callable[..., Awaitable[Any]]


class Session:
    """One match, from its first entry in this process to its end."""

    numbers = range(47, 120)  # the table's and the chat's messages, and LEAVE

    def __init__(
        self,
        hub: Hub,
        store: Store,
        plan: Plan,
        identity: Identity,
        rand: Callable[[int], bytes],
        *,
        stored: Stored | None,
        player: Player | None = None,
        seed: Callable[[int], bytes] | None = None,
        watch: Sequence[Watcher] = (),
        settled: Callable[[Outcome, CoreView], Path] | None = None,
        places: Callable[[bytes], Sequence[Address]] = lambda identity: (),
        in_thread: InThread = trio.to_thread.run_sync,
    ) -> None:
        """*stored*: ``None`` for a match gathered in this process just now, else what the store holds of it.

        *settled* closes the books, in the store's thread: with the first settlement and with each better one.
        *places*: where somebody has said lately that he is reached, beside what the plan says.
        *in_thread* runs what takes long, as :func:`trio.to_thread.run_sync` does (tests have no threads).
        """
        self.plan = plan
        self.hub = hub
        self.player = player
        self._store = store
        self._roster = plan.setup.roster
        self._me = plan.setup.my_seat
        self._table_name = plan.setup.terms.table
        self._watchers = list(watch)
        self._table = Table(
            plan.setup, Secrets(identity.signing_key, identity.static_key), rand, stored=stored, seed=seed
        )
        self._effects: deque[Effect] = deque()
        self._work = trio.Event()
        self._room = trio.Event()
        self._timer = trio.Event()
        self._changed = trio.Event()
        self._over = trio.Event()
        self._settled = trio.Event()
        self._failure: Exception | None = None
        self._outcome: Outcome | None = None
        self._settled_by = settled
        self._in_thread = in_thread
        self._places = places
        self.path: Path | None = None  # of the settlement file
        self._finished: set[int] = set()  # seats that said they are done
        self._chat = {seat: Bucket(0.5, 6) for seat in range(4)}
        self._looks = {seat: Bucket(1.0, 30) for seat in range(4)}  # DWELL and SEEN
        self._dwells = Dwells(plan.setup.terms.human_seats, float(plan.setup.terms.clock.decision))
        self._wish: float | None = None  # our person's, if there is one
        self._trick = (0, 0)  # the deal and number of the trick that was finished last, and when we saw that
        self._trick_at = 0.0
        self._disk = trio.CapacityLimiter(1)
        self._cpu = trio.CapacityLimiter(1)
        self._nursery: trio.Nursery | None = None
        self.computing = 0.0  # seconds spent in Compute so far

    # -- what others may ask

    @property
    def view(self) -> CoreView:
        """What our seat sees now."""
        return self._table.view(trio.current_time())

    @property
    def signatures(self) -> int:
        """Signatures in the settlement file as it is written now; 0 without one."""
        return 0 if self._outcome is None else self._outcome.signatures

    def act(self, command: Command) -> None:
        """Do what our player wants.  Raises ``Refusal`` (rule number in it) if it is not allowed now."""
        self._take(self._table.act(command, trio.current_time()))

    def say(self, text: str) -> None:
        """Chat.  Raises ``Refusal`` for text that cannot be shown."""
        self._post_all(messages.encode(Chat(match=self.plan.match, text=text)))

    @property
    def dwell(self) -> float:
        """How long a finished trick stays (seconds): the longest wish at the table."""
        return self._dwells.longest

    def wish_dwell(self, seconds: float) -> None:
        """Our person wishes a finished trick to stay so long."""
        self._dwells.wish(self._me, seconds)
        self._wish = seconds
        self._post_all(self._dwell())
        self._ring()

    def saw_trick(self) -> None:
        """Our person has looked enough at the last trick."""
        view = self.view
        tricks = len(view.hand.state.tricks) if view.hand is not None else 0
        if tricks:
            self._dwells.saw(self._me, view.deal.deal, tricks)
            self._post_all(messages.encode(Seen(match=self.plan.match, deal=view.deal.deal, trick=tricks)))
            self._ring()

    async def changed(self) -> None:
        """Wait for the next change of :attr:`view`."""
        await self._changed.wait()

    def stop(self) -> None:
        """Leave the match as it stands; it can be taken up again from the store."""
        if self._outcome is None:
            self._post_all(messages.encode(Leave(table=self._table_name, reason=ADJOURNED, text="")))
        self._over.set()

    # -- subscriber of the hub

    def link_up(self, link: Link) -> None:
        seat = self._roster.seat_of(link.peer.identity)
        if seat is None or seat == self._me:
            return
        self._take(self._table.link(seat, True, trio.current_time()))
        if self._wish is not None:
            link.post(self._dwell())
        if self._settled.is_set():
            link.post(self._farewell())

    def link_down(self, identity: bytes, why: LinkLost) -> None:
        seat = self._roster.seat_of(identity)
        if seat is not None and seat != self._me:
            self._take(self._table.link(seat, False, trio.current_time()))

    async def message(self, link: Link, incoming: Incoming) -> None:
        seat = self._roster.seat_of(link.peer.identity)
        if seat is None or seat == self._me:
            return
        message = incoming.message
        number = messages.number(message)
        if number < 70:
            if isinstance(message, Leave) and (message.table, message.reason) == (self._table_name, FINISHED):
                self._finished.add(seat)
                self._ring()
            elif (
                isinstance(message, Leave)
                and (message.table, message.reason) == (self._table_name, ADJOURNED)
                and self._looks[seat].allow(1, trio.current_time())
            ):
                self._tell(Left(seat))
            return
        if match_of(message) not in (None, self.plan.match):
            return  # of another match with the same friend
        if number < 110 or isinstance(message, Pause):
            self._take(self._table.receive(seat, incoming.raw, trio.current_time()))
        elif isinstance(message, Chat) and self._chat[seat].allow(1, trio.current_time()):
            self._tell(Said(seat, message.text))
        elif isinstance(message, Dwell | Seen) and self._looks[seat].allow(1, trio.current_time()):
            if isinstance(message, Dwell):
                self._dwells.wish(seat, message.ms / 1000)
            else:
                self._dwells.saw(seat, message.deal, message.trick)
            self._ring()
        while len(self._effects) > QUEUE:
            await self._room.wait()

    # -- the life of a match

    async def run(self) -> Outcome | None:
        """Play until the match is settled or stopped; ``None`` if :meth:`stop` ended it before.

        Raises :class:`DokoError` when the store fails: nothing is signed then that is not stored.
        """
        others = [player.identity for seat, player in enumerate(self._roster.players) if seat != self._me]
        try:
            async with trio.open_nursery() as nursery:
                self._nursery = nursery
                nursery.start_soon(self._guard, self._carry_out)
                self._take(self._table.start(trio.current_time()))
                for identity in others:
                    self.hub.seat(identity)
                    self._keep(identity)
                self.hub.subscribe(self)
                nursery.start_soon(self._guard, self._tick)
                nursery.start_soon(self._guard, self._end)
                if self.player is not None:
                    nursery.start_soon(self._guard, self._play, self.player)
                await self._over.wait()
                nursery.cancel_scope.cancel()
        finally:
            self._nursery = None
            self.hub.unsubscribe(self)
            self._effects.clear()  # nobody carries them out any more:
            self._room.set()  # a link that waits for room is read on
            for identity in others:
                self.hub.release(identity, self)
                self.hub.unseat(identity)
        if self._failure is not None:
            raise self._failure
        return self._outcome

    def _keep(self, identity: bytes) -> None:
        seat = self._roster.seat_of(identity)
        assert seat is not None
        self.hub.keep(identity, lambda: self._where(seat, identity), owner=self)

    def _where(self, seat: int, identity: bytes) -> list[Address]:
        return list(dict.fromkeys([*self.plan.addresses[seat], *self._places(identity)]))

    async def _guard(self, task: Callable[..., Any], *args: Any) -> None:
        """Run a task of ours; what it raises ends the session and comes out of :meth:`run` as it is."""
        try:
            await task(*args)
        except Exception as error:
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        if self._failure is None:
            self._failure = error
        self._over.set()

    # -- effects

    def _take(self, effects: list[Effect]) -> None:
        self._effects.extend(effects)
        self._work.set()
        self._ring()

    def _ring(self) -> None:
        self._timer.set()
        self._changed.set()
        self._changed = trio.Event()

    async def _carry_out(self) -> None:
        while True:
            while self._effects:
                effect = self._effects.popleft()
                if isinstance(effect, Persist):
                    await self._persist(effect)
                elif isinstance(effect, Evidence):
                    await self._in_thread(
                        self._store.note_stop, self.plan.match, effect.reason, effect.evidence, limiter=self._disk
                    )
                    self._do(effect)
                else:
                    self._do(effect)
                if len(self._effects) <= QUEUE:
                    self._room.set()
                    self._room = trio.Event()
            self._work = trio.Event()
            await self._work.wait()

    async def _persist(self, first: Persist) -> None:
        """One transaction for *first* and everything else that waits to be persisted now."""
        together = [first]
        rest: deque[Effect] = deque()
        for effect in self._effects:
            if isinstance(effect, Persist):
                together.append(effect)
            else:
                rest.append(effect)
        self._effects = rest
        merged = Persist(
            tuple(entry for persist in together for entry in persist.entries),
            tuple({name: value for persist in together for name, value in persist.secrets}.items()),
        )
        try:
            await self._in_thread(self._store.persist, self.plan.match, merged, limiter=self._disk)
        except StoreConflict as conflict:
            raise DokoError(
                _("The store contradicts what was to be signed: {why}.").format(why=conflict),
                _("It was probably put back to an older copy: stop every other doko with this identity, start again."),
                EXIT_ENVIRONMENT,
            ) from conflict

    def _do(self, effect: Effect) -> None:
        match effect:
            case Send(seat=seat, message=raw):
                self.hub.post(self._roster.players[seat].identity, raw)
            case Compute(job=job, fn=fn, args=args):
                assert self._nursery is not None
                self._nursery.start_soon(self._compute, job, fn, args)
            case Show(event=event):
                self._tell(event)
            case Close(seat=seat, reason=reason):
                link = self.hub.link(self._roster.players[seat].identity)
                if link is not None:
                    link.close("refused", reason)
            case Evidence():
                log.warning("breach", seat=effect.seat, reason=effect.reason)
            case Stopped(reason=reason, evidence=evidence, seat=seat):
                if self._outcome is None:
                    self._outcome = Outcome(None, 0, reason, evidence, seat)
                self._over.set()
            case Finished(settlement=settlement, signatures=signatures):
                if self._outcome is None or signatures > self._outcome.signatures:
                    self._outcome = Outcome(settlement, signatures)
                    self._ring()
            case Persist():
                raise AssertionError("persisted elsewhere")

    async def _compute(self, job: int, fn: Callable[..., Any], args: tuple[Any, ...]) -> None:
        result: object
        begun = trio.current_time()
        try:
            result = await self._in_thread(fn, *args, limiter=self._cpu, abandon_on_cancel=True)
        except Exception as error:  # the core judges it: a refused proof is a result like another
            result = error
        self.computing += trio.current_time() - begun
        try:
            self._take(self._table.done(job, result, trio.current_time()))
        except Exception as error:
            self._fail(error)

    def _tell(self, event: Event | Said | Left) -> None:
        for watcher in self._watchers:
            watcher(event)

    def _post_all(self, raw: bytes) -> None:
        for seat, player in enumerate(self._roster.players):
            if seat != self._me:
                self.hub.post(player.identity, raw)

    # -- tasks

    async def _tick(self) -> None:
        while True:
            self._timer = trio.Event()
            due = self._table.next_tick
            with trio.move_on_at(float("inf") if due is None else due):
                await self._timer.wait()
            now = trio.current_time()
            if due is not None and now >= due:
                self._take(self._table.tick(now))

    async def _play(self, player: Player) -> None:
        while True:
            changed = self._changed
            seen = self.view
            self._note_trick(seen)
            command = None if seen.paused else await player.decide(seen)
            if command is None:
                await changed.wait()
                continue
            await self._let_look(seen)
            if _heard(seen) != _heard(self.view):
                continue  # there is more to decide on now; so every decision is made on what the log shows
            try:
                self.act(command)
            except Refusal as refusal:
                player.refused(command, refusal)
                log.warning("refused", command=type(command).__name__, refusal=str(refusal))
                await changed.wait()

    def _note_trick(self, view: CoreView) -> None:
        tricks = (view.deal.deal, len(view.hand.state.tricks)) if view.hand is not None else (0, 0)
        if tricks != self._trick:
            self._trick, self._trick_at = tricks, trio.current_time()

    async def _let_look(self, view: CoreView) -> None:
        """Before the lead to the next trick: wait as long as people look at the last one."""
        if view.hand is None or view.hand.state.trick or not view.hand.state.tricks:
            return
        while _heard(view) == _heard(self.view):
            changed = self._changed
            until = self._trick_at + self._dwells.waits(*self._trick)
            if trio.current_time() >= until:
                return
            with trio.move_on_at(until):
                await changed.wait()

    async def _end(self) -> None:
        """Once the settlement stands: wait for the missing signatures, then for the others to be done too.

        The books are closed late, since a match that is closed is not taken up again after a crash.
        """
        while self._outcome is None:
            await self._changed.wait()
        with trio.move_on_after(SIGNATURES_S):
            while self._outcome.signatures < 4:
                await self._changed.wait()
        booked = await self._close_books(0)
        self._settled.set()
        self._post_all(self._farewell())
        with trio.move_on_after(LINGER_S):
            while len(self._finished) < 3:
                await self._changed.wait()
        await self._close_books(booked)
        self._over.set()

    async def _close_books(self, booked: int) -> int:
        """Close them if there are more than *booked* signatures; how many there are now."""
        outcome = self._outcome
        assert outcome is not None
        if outcome.signatures > booked and self._settled_by is not None:
            self.path = await self._in_thread(self._settled_by, outcome, self.view, limiter=self._disk)
        return outcome.signatures

    def _dwell(self) -> bytes:
        ms = round(1000 * min(max(self._wish or 0.0, 0.0), LONGEST_S))
        return messages.encode(Dwell(match=self.plan.match, ms=ms))

    def _farewell(self) -> bytes:
        return messages.encode(Leave(table=self._table_name, reason=FINISHED, text=""))


def _heard(view: CoreView) -> object:
    """All that a player decides on: what has been done in the hand, and the calls that no card carries yet."""
    if view.hand is None:
        return (view.deal.deal, view.question, view.paused)
    state = view.hand.state
    return (view.paused, view.deal.deal, state.bids, state.names, state.cards_played, state.calls, view.pending)


def match_of(message: Message) -> bytes | None:
    """The match that a message of a table is about; ``None`` if it does not say so in a way seen from outside."""
    if isinstance(message, Entry):
        return message.p[4:36] if message.p[:4] == b"\x99\x01\xc4\x20" else None
    match = getattr(message, "match", None)
    return match if isinstance(match, bytes) else None
