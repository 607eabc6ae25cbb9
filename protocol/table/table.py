"""The table of one match as one of its four nodes runs it: the observer of :mod:`protocol.table.match` and our secrets.

Theory of operation (see :mod:`protocol.table.effects` for the effects)::

    shell                         Table                              Match (observer, no secrets)
    start, receive, act  ----->   waits, holds, asks for what is   -->  judges every entry of all seats, ours too
    tick, link, done              missing; makes our entries            says whose turn it is
                         <-----   effects, in order

Every public method ends in the same way: held entries are tried again until nothing moves, heavy checks go out as
``Compute``, our own entries that are due are made, and what was made is put into *one* ``Persist`` before the first
``Send``.

The shell calls one method at a time.  ``now`` is any clock that does not jump (seconds); it may start anew with each
process.  After each call ask :attr:`Table.next_tick`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import msgspec

from protocol.deal import keys as deal_keys
from protocol.deal.keys import OwnKeys
from protocol.deal.shares import DealFault
from protocol.deal.shuffle import Prepared
from protocol.refusal import Code, Refusal
from protocol.rules.acts import Act, Call, Healthy, Name, Play, Reserve
from protocol.rules.calls import CallKind
from protocol.rules.hand import HandState, Phase, apply, check_call, digest, legal
from protocol.rules.view import HandView, hand_view
from protocol.table import effects, evidence, exchange, own, settlement
from protocol.table.calls import Equivocation
from protocol.table.clocks import Clocks
from protocol.table.deal_phase import DealPhase, DealState, Later, Work
from protocol.table.effects import Command, Effect, Stored
from protocol.table.end_phase import DOMAIN_SETTLE, result_fields
from protocol.table.entries import Entry, Signer, message_of, read_entry, signed_form, store_form
from protocol.table.hand_phase import HandPhase
from protocol.table.limits import JUNK, Peer
from protocol.table.log import ALL
from protocol.table.match import Fault, Match
from protocol.table.own import OwnDeal
from protocol.table.roster import Setup
from protocol.table.view import Absence, CoreView, DealProgress, Question, Stage
from protocol.wire import entries as wire
from protocol.wire import messages
from protocol.wire.entries import Chain, Fields, Kind
from protocol.wire.messages import Entry as EntryMessage
from protocol.wire.sync import Ask, Heads, Progress, Status, Told

#: Seconds an entry is held before its author is asked for what is missing, and between two such questions.
ASK_AFTER: Final = 0.4
ASK_EVERY: Final = 1.0
#: Seconds without progress after which all are told where we are; doubled up to the second value.
STALL_FIRST: Final = 2.0
STALL_MOST: Final = 16.0
#: Entries of one seat that wait while a heavy check runs; otherwise one is held.
WAITING: Final = 12
HELD: Final = 1
#: RESTARTs of a match that may blame one seat, or be asked for by one seat, before the table stops and asks its people.
RESTARTS: Final = 3

#: Entries that the program makes without asking anybody.
_QUESTIONS: Final = {Kind.BID: "bid", Kind.NAME: "name", Kind.PLAY: "play"}


@dataclass(frozen=True, slots=True)
class Secrets:
    """The keys of our identity: Ed25519 signing key (32-byte seed) and X25519 static private key (32 bytes)."""

    signing: bytes = field(repr=False)
    static: bytes = field(repr=False)


class Table:
    """One match, one seat."""

    def __init__(
        self,
        setup: Setup,
        secrets: Secrets,
        rand: Callable[[int], bytes],
        *,
        stored: Stored | None = None,
        seed: Callable[[int], bytes] | None = None,
    ) -> None:
        """*setup* from the gathering, *rand(n)* gives n fresh random bytes (``secrets.token_bytes``).

        *stored*: None only for a match that has just been gathered in this process; after every start of a process what
        the store holds, even if that is nothing: then nothing is signed before each seat has told us the last entries
        of ours that it holds.  *seed*: of a computer, the seed of a deal number (``SeedChain.seed``).
        """
        self.setup = setup
        self.me = setup.my_seat
        self.others = tuple(seat for seat in ALL if seat != self.me)
        self._secrets = secrets
        self._rand = rand
        self._seed = seed
        self._signer = Signer(setup.match_id, self.me, secrets.signing)
        self._stored = stored
        self.match = Match(setup, _finished_deals(stored))
        terms = self.match.terms
        self._clocks = Clocks(float(terms.clock.decision), float(terms.clock.reserve), float(terms.absence.grace))
        self._deals: dict[int, OwnDeal] = {}
        self._links: set[int] = set()
        self._peers = {seat: Peer() for seat in self.others}
        # entries that wait, by author; since when the oldest does
        self._held: dict[int, deque[Entry]] = {seat: deque() for seat in ALL}
        self._held_since: dict[int, float] = {}
        self._asked: dict[int, float] = {}
        # effects of the call that is running
        self._effects: list[Effect] = []
        self._outbox: list[Entry] = []
        self._unsaved: list[Entry] = []
        self._next: deque[Callable[[], None]] = deque()  # what follows from what came in, done before the call ends
        self._changed: dict[str, bytes | None] = {}
        self._saved: set[bytes] = set()
        # jobs
        self._jobs: dict[int, Callable[[Any], None]] = {}
        self._next_job = 1
        self._making: set[tuple[Kind, int]] = set()
        self._command: Command | None = None  # a card whose proof is being made
        # resume
        self._nonce = b""
        self._told: dict[int, set[bytes]] = {}  # what a seat has told us it holds, and we still lack
        self._dismissed: set[bytes] = set()  # entries of ours that count for nothing any more (of a deal thrown away)
        self._resuming = stored is not None
        # the rest
        self._now = 0.0
        self._last_change = 0.0
        self._stall = STALL_FIRST
        self._stalled_at = 0.0
        self._mark: object = None
        self._serial = 0
        self._question: object = None
        self._gone: tuple[int, ...] = ()
        self._wants_void = False
        self._go_on = False
        self._guilty: set[tuple[int, int]] = set()  # (deal, seat): entries of that deal are not looked at
        self._blamed: dict[int, int] = {}
        self._stopped = ""
        self._settled_with = 0
        self._file: bytes | None = None
        self._started = False

    # -- the shell's side ------------------------------------------------------------------------------------------

    def start(self, now: float) -> list[Effect]:
        """Begin, once, before anything else."""
        self._begin(now)
        self._started = True
        self._last_change = now
        if self._stored is not None:
            self._load(self._stored)
            self._nonce = self._rand(16)
        return self._finish()

    def receive(self, seat: int, raw: bytes, now: float) -> list[Effect]:
        """An encoded link message with a number of 70..109 came from *seat*'s link.  Never raises."""
        self._begin(now)
        peer = self._peers[seat]
        if not peer.messages.take(1, now):
            self._effects.append(effects.Close(seat, "too many messages"))
            return self._finish()
        try:
            self._message(seat, messages.decode(raw))
        except Refusal as refusal:
            self._junk(seat, refusal)
        return self._finish()

    def act(self, command: Command, now: float) -> list[Effect]:
        """Our player's wish.  Raises ``Refusal`` (rule number in it) and changes nothing if it is not allowed now."""
        self._begin(now)
        self._do(command)
        return self._finish()

    def tick(self, now: float) -> list[Effect]:
        """Time has passed: clocks, graces, and asking again for what does not come."""
        self._begin(now)
        self._ask_held()
        self._ask_stalled()
        return self._finish()

    def link(self, seat: int, up: bool, now: float) -> list[Effect]:
        """The link to *seat* is up (a new one: what was sent on the old one may be lost) or down."""
        self._begin(now)
        if up:
            self._links.add(seat)
            self._peers[seat].renew()
            if seat in self._untold:
                self._ask(seat)
            else:
                self._status(seat, reply=True)
        else:
            self._links.discard(seat)
        return self._finish()

    def done(self, job: int, result: object, now: float) -> list[Effect]:
        """The result of a ``Compute``, or the exception it raised."""
        self._begin(now)
        then = self._jobs.pop(job, None)
        if then is not None:
            if isinstance(result, BaseException) and not isinstance(result, Refusal):
                self._stop(f"a computation failed: {type(result).__name__}: {result}")
            else:
                self._guard(lambda: then(result))
        return self._finish()

    @property
    def next_tick(self) -> float | None:
        """When ``tick`` has to be called next, or None."""
        if self._stopped or not self._started:
            return None
        times = [self._ask_at(seat) for seat in self._held_since]
        if not self._complete:
            times.append(self._stall_at)
            following = self._clocks.next(self._now)
            if following is not None:
                times.append(following)
        return min(times, default=None)

    def _ask_at(self, seat: int) -> float:
        """When the author of the oldest held entry is asked (again) for what is missing."""
        return max(self._held_since[seat] + ASK_AFTER, self._asked.get(seat, -ASK_EVERY) + ASK_EVERY)

    @property
    def _stall_at(self) -> float:
        """When all are told where we are, because nothing moves."""
        return max(self._last_change, self._stalled_at) + self._stall

    # -- beginning and end of each call ----------------------------------------------------------------------------

    def _begin(self, now: float) -> None:
        self._now = max(self._now, now)
        self._effects = []

    def _finish(self) -> list[Effect]:
        """Move on as far as possible, then put persisting before sending."""
        self._guard(self._progress)
        self._flush()
        made, self._effects = self._effects, []
        return made

    def _guard(self, step: Callable[[], None]) -> None:
        """A fault of this program stops the table; it never goes on with a state that it does not understand."""
        if self._stopped:
            return
        try:
            step()
        except DealFault as fault:
            self._stop(f"the proofs and the cards do not fit together: {fault}")
        except Refusal as refusal:
            self._stop(f"this node cannot make its own entry: {refusal}")

    def _flush(self) -> None:
        sends = self._outbox
        settled = self.match.settled and bool(self._unsaved)
        if sends or self._changed or settled:
            rows = tuple(store_form(entry) for entry in self._unsaved if entry.hash not in self._saved)
            self._saved |= {row.hash for row in rows}
            first = next((i for i, effect in enumerate(self._effects) if isinstance(effect, effects.Send)), None)
            persist = effects.Persist(rows, tuple(self._changed.items()))
            self._effects.insert(len(self._effects) if first is None else first, persist)
            self._unsaved, self._changed, self._outbox = [], {}, []
            for entry in sends:
                for seat in self.others:
                    self._send_entry(seat, entry)
        self._tell_settlement()

    def _tell_settlement(self) -> None:
        count = len(self.match.settlement_signatures) if self.match.document is not None else 0
        if count > self._settled_with and self.me in self.match.settlement_signatures:
            self._settled_with = count
            self._file = settlement.write(self.match)
            self._effects.append(effects.Finished(self._file, count))

    def _send_entry(self, seat: int, entry: Entry) -> None:
        if seat in self._links:
            self._effects.append(effects.Send(seat, message_of(entry)))

    def _show(self, event: effects.Event) -> None:
        self._effects.append(effects.Show(event))

    def _stop(self, reason: str, file: bytes | None = None, seat: int | None = None) -> None:
        if not self._stopped:
            self._stopped = reason
            self._effects.append(effects.Stopped(reason, file, seat))

    # -- messages --------------------------------------------------------------------------------------------------

    def _message(self, seat: int, message: messages.Message) -> None:
        match message:
            case EntryMessage():
                self._incoming(seat, read_entry(message.p, message.s))
            case Status() if message.match == self.setup.match_id:
                self._answer(seat, message.at)
                if message.reply:
                    self._status(seat, reply=False)
            case Heads() if message.match == self.setup.match_id:
                self._compare(seat, message)
            case Ask() if message.match == self.setup.match_id:
                self._tell(seat, message)
            case Told() if message.match == self.setup.match_id:
                self._was_told(seat, message)
            case _:
                raise Refusal(Code.CONTEXT, f"{type(message).__name__}: not for this match")

    def _junk(self, seat: int, refusal: Refusal) -> None:
        peer = self._peers[seat]
        peer.junk += 1
        if peer.junk >= JUNK:
            peer.junk = 0
            self._effects.append(effects.Close(seat, str(refusal)))

    def _incoming(self, peer: int, entry: Entry) -> None:
        if entry.hash in self.match.known or any(entry.hash == held.hash for held in self._held[entry.seat]):
            return
        if (entry.deal, entry.seat) in self._guilty and entry.place is not None:
            return
        try:
            if not self._try(entry):
                self._hold(entry)
        except Refusal as refusal:
            # SIG or FORMAT: whoever brought it made it up; the rest is signed and judged by _try
            self._junk(peer, refusal)

    def _try(self, entry: Entry) -> bool:
        """Offer an entry to the match.  False: it has to be held.  Raises ``Refusal`` if it proves nothing."""
        if self._promised(entry):
            return False
        try:
            taken = self.match.offer(entry)
        except Later:
            return False
        except Equivocation as two:
            self._convict(Fault(two.first.seat, two, two.first, two.second))
            return True
        except Refusal as refusal:
            if refusal.code is Code.SIG or entry.says.match != self.setup.match_id:
                raise
            self._convict(Fault(entry.seat, refusal, entry))
            return True
        if taken:
            self._accepted(entry)
        elif entry.seat == self.me and entry.hash not in self.match.known:
            self._dismissed.add(entry.hash)
            for told in self._told.values():
                told.discard(entry.hash)
        return True

    def _accepted(self, entry: Entry) -> None:
        self._unsaved.append(entry)
        self._last_change = self._now
        self._stall = STALL_FIRST
        for told in self._told.values():
            told.discard(entry.hash)
        if entry.kind is Kind.RESTART:
            self._next.append(partial(self._restarted, entry))

    def _hold(self, entry: Entry) -> None:
        waiting = self._held[entry.seat]
        working = self.match.busy or bool(self._jobs)
        if len(waiting) >= (WAITING if working else HELD):
            return  # it comes again when we ask
        waiting.append(entry)
        self._held_since.setdefault(entry.seat, self._now)

    def _retry(self) -> None:
        """Offer what is held until nothing moves."""
        moved = True
        while moved and not self._stopped:
            moved = False
            for seat in ALL:
                waiting = self._held[seat]
                for _ in range(len(waiting)):
                    entry = waiting.popleft()
                    try:
                        if self._try(entry):
                            moved = True
                        else:
                            waiting.append(entry)
                    except Refusal:
                        moved = True  # a signature that does not hold: gone
                if not waiting:
                    self._held_since.pop(seat, None)

    # -- guilt -----------------------------------------------------------------------------------------------------

    def _convict(self, fault: Fault) -> None:
        """A signed entry is refused: keep the evidence, show it to the others, and go on without its author."""
        entry, seat = fault.entry, fault.seat
        self.match.refuse(entry if fault.other is None else fault.other)
        if (entry.deal, seat) in self._guilty:
            return
        self._guilty.add((entry.deal, seat))
        file = evidence.write(self.match, fault)
        self._show(effects.Refused(seat, fault.refusal.code, fault.refusal.detail))
        for other in self.others:
            if other != seat:
                self._send_entry(other, entry)
                if fault.other is not None:
                    self._send_entry(other, fault.other)
        deal = self.match.deals.get(entry.deal)
        if seat == self.me:
            self._stop("two entries of ours for one place: another node signs with our identity", file, seat)
        elif entry.chain is Chain.DEAL and deal is not None and not self.match.sent_shares(deal.number, self.me):
            self._effects.append(effects.Evidence(seat, str(fault.refusal), file))
            # on the one head that nodes whom it has shown different entries have in common
            self._next.append(partial(self._sign_restart, deal, deal.first_head, seat))
        else:
            self._stop(f"seat {seat} broke the rules: {fault.refusal}", file, seat)

    def _sign_restart(self, deal: DealPhase, head: bytes, seat: int | None) -> None:
        if self._resuming or self.match.sent_shares(deal.number, self.me) or deal.state is DealState.DEAD:
            return
        if self.me in self.match.restarts.get((deal.number, head, seat), {}):
            return
        self._sign(Chain.DEAL, deal.number, None, head, Kind.RESTART, wire.Restart(seat=seat))

    def _restarted(self, entry: Entry) -> None:
        """Somebody wants this deal thrown away: agree if we see it the same way."""
        deal = self.match.deals[entry.deal]
        target = entry.fields(wire.Restart).seat
        if deal.state is DealState.DEAD:
            self._forget(deal.number)
            if target is not None:
                self._blamed[target] = self._blamed.get(target, 0) + 1
                if self._blamed[target] >= RESTARTS:
                    self._stop(f"three deals were thrown away because of seat {target}")
            return
        if target == self.me:
            return
        if target is not None and self._keep(deal, entry.parent, target):
            return
        asked = sum(entry.seat in signed for (_, _, whom), signed in self.match.restarts.items() if whom is None)
        if target is None:
            if asked <= RESTARTS:
                self._sign_restart(deal, entry.parent, None)
        elif (deal.number, target) in self._guilty or target in self._clocks.gone(self._now):
            self._sign_restart(deal, entry.parent, target)

    def _promised(self, entry: Entry) -> bool:
        """We have signed a RESTART because of this author on this head: his entry has to wait until that has failed."""
        if entry.chain is not Chain.DEAL or entry.place is None or entry.seat == self.me:
            return False
        signed = self.match.restarts.get((entry.deal, entry.parent, entry.seat), {})
        return self.me in signed and not self._released(self.match.deals[entry.deal], entry.parent, entry.seat)

    def _released(self, deal: DealPhase, head: bytes, target: int | None) -> bool:
        """One of those who would have to sign shows that he will not: KEEP, or an entry on a later head."""
        if target is not None and (deal.number, target) in self._guilty:
            return False
        position = deal.log.position(head)
        assert position is not None
        for entry in (*self.match.known.values(), *(held for queue in self._held.values() for held in queue)):
            if entry.seat in (self.me, target) or entry.deal != deal.number:
                continue
            if entry.kind is Kind.KEEP and entry.parent == head:
                return True
            if entry.kind is Kind.SHARES:
                return True
            if entry.chain is Chain.DEAL and entry.place is not None:
                at = deal.log.position(entry.parent)
                if at is None or at > position:
                    return True
        return False

    def _keep(self, deal: DealPhase, head: bytes, target: int) -> bool:
        """We hold the entry for whose absence *target* is to be left behind: show it, and that we will not sign."""
        position = deal.log.position(head)
        assert position is not None
        done = deal.log.rounds[position].entries if position < deal.log.length else tuple(deal.log.open.values())
        theirs = next((entry for entry in done if entry.seat == target), None)
        signed = self.me in self.match.restarts.get((deal.number, head, target), {})
        if theirs is None or signed or self._resuming or (deal.number, target) in self._guilty:
            return False
        if self._held[target]:
            return False  # evidence may be among what cannot be judged yet
        if head == deal.log.head and target in deal.owed:
            return False  # that entry is not all: a complaint about its box waits for its answer
        for seat in self.others:
            self._send_entry(seat, theirs)
        kept = any(e.kind is Kind.KEEP and e.parent == head and e.seat == self.me for e in self.match.known.values())
        if not kept:
            self._sign(Chain.DEAL, deal.number, None, head, Kind.KEEP, wire.Keep())
        return True

    # -- exchange --------------------------------------------------------------------------------------------------

    def _status(self, seat: int, *, reply: bool) -> None:
        if seat in self._links:
            at = exchange.progress(self.match)
            message = messages.encode(Status(match=self.setup.match_id, at=at, reply=reply))
            self._effects.append(effects.Send(seat, message))

    def _answer(self, seat: int, at: Progress) -> None:
        """Send what the other node lacks; where its heads are not ours, find out why."""
        fork = exchange.forked(self.match, at)
        if fork is not None:
            self._heads(seat, fork.chain, fork.deal, reply=True)
        entries = list(exchange.lacking(self.match, at))
        entries += [held for held in self._held[seat] if held.seat == seat]
        size = sum(len(entry.payload) + 128 for entry in entries)
        if self._peers[seat].answers.take(size, self._now):
            for entry in entries:
                self._send_entry(seat, entry)

    def _heads(self, seat: int, chain: int, deal: int, *, reply: bool) -> None:
        log = self.match.main if chain == Chain.MAIN else self.match.deals[deal].log
        message = Heads(match=self.setup.match_id, chain=chain, deal=deal, heads=tuple(log.heads), reply=reply)
        if seat in self._links and self._peers[seat].answers.take(32 * len(log.heads), self._now):
            self._effects.append(effects.Send(seat, messages.encode(message)))

    def _compare(self, seat: int, message: Heads) -> None:
        if message.chain == Chain.DEAL and message.deal not in self.match.deals:
            return
        log = self.match.main if message.chain == Chain.MAIN else self.match.deals[message.deal].log
        index = exchange.first_difference(log, message.heads)
        if index is None:
            return
        if index < log.length and self._peers[seat].answers.take(40_000, self._now):
            for entry in log.rounds[index].entries:
                self._send_entry(seat, entry)
        if message.reply:
            self._heads(seat, message.chain, message.deal, reply=False)

    def _ask_held(self) -> None:
        for seat in list(self._held_since):
            if self._now >= self._ask_at(seat):
                self._asked[seat] = self._now
                if seat in self._links:
                    self._status(seat, reply=True)
                else:
                    for other in self.others:
                        self._status(other, reply=True)

    def _ask_stalled(self) -> None:
        if self._complete or self._now < self._stall_at:
            return
        self._stalled_at = self._now
        self._stall = min(STALL_MOST, 2 * self._stall)
        for seat in self.others:
            if seat in self._untold:
                self._ask(seat)
            else:
                self._status(seat, reply=True)

    # -- resume ----------------------------------------------------------------------------------------------------

    @property
    def _untold(self) -> set[int]:
        """Seats that have not yet told us what they hold of ours, or told of what we still lack."""
        if not self._resuming:
            return set()
        return {seat for seat in self.others if seat not in self._told or self._told[seat]}

    def _ask(self, seat: int) -> None:
        if seat in self._links:
            at = exchange.progress(self.match)
            message = Ask(match=self.setup.match_id, nonce=self._nonce, at=at)
            self._effects.append(effects.Send(seat, messages.encode(message)))

    def _tell(self, seat: int, message: Ask) -> None:
        self._answer(seat, message.at)
        last = [*exchange.last_of(self.match, seat), *self._held[seat]]
        for entry in last:
            self._send_entry(seat, entry)
        hashes = tuple(entry.hash for entry in last)[-32:]
        answer = Told(match=self.setup.match_id, nonce=message.nonce, last=hashes)
        if seat in self._links:
            self._effects.append(effects.Send(seat, messages.encode(answer)))

    def _was_told(self, seat: int, message: Told) -> None:
        if not self._resuming or message.nonce != self._nonce:
            return
        self._told[seat] = {key for key in message.last if key not in self.match.known} - self._dismissed

    def _load(self, stored: Stored) -> None:
        """Replay what the store holds through the same judge; what does not fit is not ours to use."""
        entries: deque[Entry] = deque()
        for row in stored.entries:
            try:
                entries.append(read_entry(row.payload, row.signature))
            except Refusal:
                continue
            self._saved.add(row.hash)
        self._deals = _load_secrets(stored)
        idle = 0
        while entries and idle < len(entries):
            entry = entries.popleft()
            try:
                if self.match.offer(entry):
                    idle = 0
            except Later:
                entries.append(entry)
                idle += 1
            except Refusal as refusal:
                self._stop(f"the store is damaged: {refusal}")
                return
            for work in self.match.work:
                self._run_now(work)
            self.match.events.clear()
        for entry in entries:
            if entry.seat == self.me or len(self._held[entry.seat]) < HELD:
                self._held[entry.seat].append(entry)
                self._held_since.setdefault(entry.seat, self._now)

    def _run_now(self, work: Work) -> None:
        try:
            result = work.fn(*work.args)
        except Refusal as refusal:
            result = refusal
        self.match.worked(work, result)

    # -- moving on -------------------------------------------------------------------------------------------------

    @property
    def _complete(self) -> bool:
        return self.match.settled

    def _progress(self) -> None:
        self._retry()
        for _ in range(64):  # each turn makes at least one entry of ours, or is the last
            self._drain()
            if self._resuming and not self._untold and not self._held[self.me]:
                self._resuming = False
            if self._stopped:
                break
            if not self._resuming and self._duties():
                self._retry()
                continue
            self._watch()
            if not self._next:
                break
        self._drain()

    def _drain(self) -> None:
        """What the match has to tell: heavy checks, faults, events; and what follows from them."""
        for work in self.match.work:
            self._compute(work.fn, work.args, partial(self._worked, work))
        for fault in self.match.faults:
            self._convict(fault)
        self.match.faults.clear()
        for event in self.match.events:
            self._event(event)
        self.match.events.clear()
        while self._next and not self._stopped:
            self._next.popleft()()

    def _worked(self, work: Work, result: object) -> None:
        self.match.worked(work, result)
        self._last_change = self._now

    def _event(self, event: effects.Event) -> None:
        self._show(event)
        if isinstance(event, effects.DealAgain):
            self._forget(event.deal)  # nothing of it counts any more
        if isinstance(event, effects.HandClosed):
            self._forget(event.deal)
            self._wants_void = False
            self._go_on = False

    def _forget(self, number: int) -> None:
        """Erase the secrets of a deal that is over."""
        if self._deals.pop(number, None) is not None:
            self._changed[f"deal/{number}/keys"] = None
            self._changed[f"deal/{number}/subs"] = None

    def _watch(self) -> None:
        """Clocks and the serial number of our question."""
        hand = self.match.hand
        mark = (self.match.main.head, exchange.latest_deal(self.match).log.head)
        self._clocks.update(self.match.due, mark, -1 if hand is None else hand.deal.number, self._now)
        question = (self.match.main.head, frozenset(self.match.due.get(self.me, ()))) if self._asks else None
        if question != self._question:
            self._question = question
            if question is not None:
                self._serial += 1
        self._absences()

    def _compute(self, fn: Callable[..., Any], args: tuple[Any, ...], then: Callable[[Any], None]) -> None:
        job, self._next_job = self._next_job, self._next_job + 1
        self._jobs[job] = then
        self._effects.append(effects.Compute(job, fn, args))

    # -- our own entries -------------------------------------------------------------------------------------------

    def _sign(
        self, chain: Chain, deal: int, seq: int | None, parent: bytes, kind: Kind, fields: Fields
    ) -> Entry:
        entry = self._signer.make(chain, deal, seq, parent, kind, fields)
        self.match.offer(entry, own=True)
        self._outbox.append(entry)
        self._accepted(entry)
        return entry

    def _next_seq(self, chain: Chain, deal: int) -> int:
        """Our next number: one above every number that we have ever used on the chain."""
        number = deal if chain is Chain.DEAL else 0
        used = [key[3] for key in self.match.places if key[:3] == (self.me, chain, number)]
        return max(used, default=-1) + 1

    def _sign_deal(self, deal: DealPhase, kind: Kind, fields: Fields) -> None:
        self._sign(Chain.DEAL, deal.number, self._next_seq(Chain.DEAL, deal.number), deal.log.head, kind, fields)

    def _sign_main(self, hand: int, kind: Kind, fields: Fields) -> None:
        self._sign(Chain.MAIN, hand, self._next_seq(Chain.MAIN, 0), self.match.main.head, kind, fields)

    def _duties(self) -> bool:
        """Make one entry that is due from us without a question; whether there was one."""
        return self._deal_duty() or self._main_duty() or self._void_duty()

    def _deal_duty(self) -> bool:
        deal = self.match.next_deal
        if deal is None or deal.state is not DealState.RUNNING:
            return False
        mine = self._deals.get(deal.number)
        if mine is not None and self._answer_complaint(deal, mine):
            return True
        if self.me not in deal.log.missing or self.me in deal.complaints:
            if mine is not None:
                self._prepare(deal, mine)
            return False
        kinds = deal.log.kinds
        if Kind.COMMIT in kinds:
            if mine is None:
                mine = self._make_keys(deal)
            self._sign_deal(deal, Kind.COMMIT, wire.Commit(hash=mine.keys.commitment))
            return True
        if mine is None:  # the store has lost them: nothing is dealt yet, so nothing is lost
            if self.me in self.match.restarts.get((deal.number, deal.log.head, None), {}):
                return False
            self._sign_restart(deal, deal.log.head, None)
            return True
        if Kind.KEYS in kinds:
            self._sign_deal(deal, Kind.KEYS, wire.Keys(body=mine.keys.body))
        elif Kind.KEYOK in kinds:
            self._keyok(deal, mine)
        elif Kind.SHUF in kinds:
            return self._shuffle(deal, mine)
        elif Kind.DECKOK in kinds:
            if not deal.settled:
                return False
            self._sign_deal(deal, Kind.DECKOK, wire.DeckOk(hash=deal.barrier))
        elif Kind.TEST in kinds:
            self._sign_deal(deal, Kind.TEST, own.make_test(mine, deal, self._rand(64)))
        elif Kind.TESTOPEN in kinds:
            self._sign_deal(deal, Kind.TESTOPEN, own.make_testopen(mine, deal, self._rand(64)))
        return True

    def _make_keys(self, deal: DealPhase) -> OwnDeal:
        noise = {seat: player.static for seat, player in enumerate(self.setup.roster.players)}
        keys = deal_keys.make_keys(deal.place(self.me, deal.first_head), noise, self._rand)
        mine = self._deals[deal.number] = OwnDeal(keys)
        self._changed[f"deal/{deal.number}/keys"] = keys.pack()
        return mine

    def _keyok(self, deal: DealPhase, mine: OwnDeal) -> None:
        bad = mine.open_boxes(deal, self._secrets.static)
        if bad is not None:
            self._sign_deal(deal, Kind.SHAREBAD, wire.ShareBad(source=bad))
            return
        self._changed[f"deal/{deal.number}/subs"] = mine.pack_subs()
        self._sign_deal(deal, Kind.KEYOK, wire.KeyOk(hash=deal.keyok_hash))

    def _answer_complaint(self, deal: DealPhase, mine: OwnDeal) -> bool:
        for target, complaint in deal.complaints.items():
            if complaint.fields(wire.ShareBad).source == self.me and (self.me, target) not in deal.answers:
                secret = mine.keys.ephemerals[target]
                self._sign_deal(deal, Kind.SHAREOPEN, wire.ShareOpen(target=target, secret=secret))
                return True
        return False

    def _prepare(self, deal: DealPhase, mine: OwnDeal) -> None:
        """While others are at their turn: what our shuffle does not need the deck for.  Never kept, used once."""
        kinds = deal.log.kinds
        waits = Kind.KEYOK in kinds or (Kind.SHUF in kinds and deal.log.authors[0] < self.me)
        if not waits or mine.prepared is not None or mine.preparing or deal.complaints:
            return
        mine.preparing = True

        def finished(prepared: Prepared) -> None:
            mine.preparing = False
            mine.prepared = prepared

        self._compute(own.prepare_shuffle, (deal.place(self.me, b""), mine.x, self._rand(64)), finished)

    def _shuffle(self, deal: DealPhase, mine: OwnDeal) -> bool:
        key = (Kind.SHUF, deal.number)
        if key in self._making or mine.preparing:
            return False
        self._making.add(key)
        place = deal.place(self.me, deal.log.head)
        args = (place, mine.x, deal.joint_key, deal.deck, self._rand(64), mine.prepared)
        mine.prepared = None

        def finished(fields: wire.Shuf) -> None:
            self._making.discard(key)
            if deal.state is DealState.RUNNING and deal.guilty is None and not self._resuming:
                self._sign_deal(deal, Kind.SHUF, fields)

        self._compute(own.make_shuffle, args, finished)
        return True

    def _main_duty(self) -> bool:
        hand = self.match.hand
        kinds = self.match.main.kinds
        if self.me not in self.match.main.missing:
            return False
        if Kind.SETTLE in kinds:
            document = self.match.document
            assert document is not None
            signature = self._signer.sign(DOMAIN_SETTLE + document)
            deal = self.match.closed[-1].deal
            self._sign_main(deal, Kind.SETTLE, wire.Settle(document=settlement.hash_of(document), signature=signature))
            return True
        if hand is None or hand.judging and Kind.SHARES not in kinds:
            return False
        deal = hand.deal.number
        if Kind.RESULT in kinds:
            assert self.match.closing is not None
            bot = self.match.terms.bot_at(self.me) is not None
            seed = self._seed(deal) if bot and self._seed is not None else None
            self._sign_main(deal, Kind.RESULT, result_fields(self.match.closing, seed))
        elif Kind.TRICK in kinds:
            assert hand.state is not None
            fields = wire.Trick(trick=len(hand.state.tricks), digest=digest(hand.state), rejoins=())
            self._sign_main(deal, Kind.TRICK, fields)
        elif Kind.SHARES in kinds:
            return self._share(hand)
        elif Kind.MARRY in kinds and deal in self._deals:
            mine = self._deals[deal]
            mine.follow(hand)
            self._sign_main(deal, Kind.MARRY, own.make_marry(mine, hand, self._rand))
        else:
            return False
        return True

    def _share(self, hand: HandPhase) -> bool:
        deal = hand.deal
        key = (Kind.SHARES, deal.number)
        mine = self._deals.get(deal.number)
        if mine is None:
            self._sign_restart(deal, deal.log.head, None)
            return False
        if key in self._making or (self._waits_for_go_on and not self._go_on):
            return False
        for (number, head, target), signed in self.match.restarts.items():
            if number == deal.number and self.me in signed and not self._released(deal, head, target):
                return False  # we have promised to send no share of this deal
        self._making.add(key)
        head = deal.log.head
        place = deal.place(self.me, head)
        args = (place, mine.x, mine.keys.public, deal.deck, deal.barrier, self._rand(64), deal.computers, head)

        def finished(fields: wire.Shares) -> None:
            self._making.discard(key)
            if self.match.hand is hand and self.me in self.match.main.missing and not self._resuming:
                self._sign_main(deal.number, Kind.SHARES, fields)

        self._compute(own.make_share_fields, args, finished)
        return True

    def _void_duty(self) -> bool:
        """Agree to a void hand on each new head, as long as our player wishes it.

        Whoever owes the next entry signs last, when the three others have: so nobody can have signed both an entry and
        the last VOID on one head.
        """
        hand, head = self.match.hand, self.match.main.head
        if not self._wants_void or hand is None or hand.state is None or hand.over:
            return False
        signed = self.match.voids.get(head, {})
        if self.me in signed or hand.blocked:
            return False
        missing = self.match.main.missing
        if self.me in missing and (len(missing) > 1 or len(signed) < 3):
            return False
        self._sign(Chain.MAIN, hand.deal.number, None, head, Kind.VOID, wire.Void())
        return True

    @property
    def _waits_for_go_on(self) -> bool:
        score = self.match.score
        return score is not None and score.asks

    # -- our player ------------------------------------------------------------------------------------------------

    @property
    def _asks(self) -> str:
        """The question our player has to answer now, "" if there is none."""
        if self._stopped or self._resuming or self._command is not None:
            return ""
        hand = self.match.hand
        if hand is not None and hand.state is None and self._waits_for_go_on and not self._go_on:
            return "go-on"
        if hand is None or hand.judging or hand.deal.number not in self._deals:
            return ""
        if self.me in self.match.main.missing:
            return next((name for kind, name in _QUESTIONS.items() if kind in self.match.main.kinds), "")
        return ""

    def _mine(self) -> tuple[HandPhase, OwnDeal]:
        hand = self.match.hand
        if self._stopped:
            raise Refusal(Code.TURN, f"the table has stopped: {self._stopped}")
        if self._resuming:
            raise Refusal(Code.TURN, "the others have not yet told what they hold of ours")
        if hand is None or hand.state is None or hand.deal.number not in self._deals:
            raise Refusal(Code.TURN, "no hand is being played")
        if self._command is not None:
            raise Refusal(Code.TURN, "a card of ours is on its way")
        return hand, self._deals[hand.deal.number]

    def _do(self, command: Command) -> None:
        match command:
            case effects.Bid(reserve):
                hand, mine = self._mine()
                player = hand.position(self.me)
                self._allowed(hand, mine, Reserve(player) if reserve else Healthy(player))
                self._sign_main(hand.deal.number, Kind.BID, own.make_bid(mine, hand, reserve, self._rand))
            case effects.NameGame(contract):
                hand, mine = self._mine()
                self._allowed(hand, mine, Name(hand.position(self.me), contract))
                self._sign_main(hand.deal.number, Kind.NAME, wire.Name(game=contract.value))
            case effects.PlayCard(card):
                self._play(card)
            case effects.MakeCall(kind):
                self._call(kind)
            case effects.VoidHand(agree):
                self._mine()
                self._wants_void = agree
            case effects.DealAnew():
                self._deal_anew()
            case effects.GoOn():
                self._go_on = True
            case effects.Adjourn():
                self._stop("adjourned")

    def _allowed(self, hand: HandPhase, mine: OwnDeal, act: Act) -> HandState:
        """The state on which *act* is done, or the rule that forbids it."""
        state = mine.heard(hand)
        if hand.judging or self.me not in self.match.main.missing or Kind.TRICK in self.match.main.kinds:
            raise Refusal(Code.TURN, "it is not your turn", "R14")
        player = hand.position(self.me)
        if act not in legal(state, player):
            apply(state, act)
            raise Refusal(Code.RULE, "the cards do not allow it", "R10")
        return state

    def _play(self, card: int) -> None:
        hand, mine = self._mine()
        state = self._allowed(hand, mine, Play(hand.position(self.me), card))
        assert state.phase is Phase.PLAY
        # Only what was heard when the card was chosen: so the log shows on what a player decided (audit of computers).
        heard = tuple(signed_form(call.entry) for call in hand.pending.values())
        args = own.play_arguments(mine, hand, card, self._rand)
        if len(args[6]) * len(args[7]) <= 24:
            self._played(hand, own.make_play(*args), heard)
            return
        self._command = effects.PlayCard(card)
        head = self.match.main.head

        def finished(fields: wire.Play) -> None:
            self._command = None
            if self.match.main.head == head and self.match.hand is hand and not self._resuming:
                self._played(hand, fields, heard)

        self._compute(own.make_play, args, finished)

    def _played(self, hand: HandPhase, fields: wire.Play, carried: tuple[wire.Signed, ...]) -> None:
        self._sign_main(hand.deal.number, Kind.PLAY, msgspec.structs.replace(fields, calls=carried))

    def _call(self, kind: CallKind) -> None:
        hand, mine = self._mine()
        state = mine.heard(hand)
        player = hand.position(self.me)
        offered = [act for act in legal(state, player) if isinstance(act, Call) and act.kind is kind]
        if not offered:
            check_call(state, Call(player, kind))
            raise Refusal(Code.CLAIM, "the cards do not allow this call", "R11")
        if hand.blocked:
            raise Refusal(Code.TURN, "a card is being checked; try again in a moment")
        seq = self._next_seq(Chain.MAIN, 0)
        fields = own.make_call(mine, hand, kind, seq, self._rand)
        self._sign(Chain.MAIN, hand.deal.number, seq, self.match.main.head, Kind.CALL, fields)

    def _deal_anew(self) -> None:
        deal = self.match.next_deal
        if deal is None or self.match.sent_shares(deal.number, self.me):
            raise Refusal(Code.TURN, "no deal is under way")
        self._sign_restart(deal, deal.log.head, None)

    # -- absence ---------------------------------------------------------------------------------------------------

    def _absences(self) -> None:
        """People are told who is gone; in the deal, where nothing is lost by it, a silent seat is left behind."""
        if self._stopped:
            return
        gone = tuple(seat for seat in self._clocks.gone(self._now) if seat != self.me)
        if gone != self._gone:
            self._gone = gone
            self._show(effects.Gone(gone) if gone else effects.Back())
        deal = self.match.next_deal
        if len(gone) != 1 or deal is None or deal.state is not DealState.RUNNING or gone[0] not in self._links:
            return
        if gone[0] in deal.owed and not self._resuming:
            self._sign_restart(deal, deal.log.head, gone[0])

    # -- what may be seen ------------------------------------------------------------------------------------------

    def view(self, now: float) -> CoreView:
        """What our seat may see."""
        now = max(now, self._now)
        match, hand = self.match, self.match.hand
        score, mine = match.score, None if hand is None else self._deals.get(hand.deal.number)
        seen = None
        if hand is not None and hand.state is not None and mine is not None:
            seen = hand_view(mine.heard(hand), hand.position(self.me))
        closing = match.closing
        owed = tuple(sorted(match.due))
        return CoreView(
            me=self.me,
            match=self.setup.match_id,
            stage=self._stage,
            hand_number=closing.number if closing else match.number,
            hands=match.stakes.hands,
            forehand=hand.forehand if hand is not None else None if score is None else score.forehand,
            deal=self._deal_progress(),
            hand=seen,
            question=self._ask_player(seen),
            calls=() if seen is None or self._stopped else _calls(seen),
            pending=() if hand is None else tuple((c.entry.seat, c.act.kind) for c in hand.pending.values()),
            waiting=owed,
            points=(0, 0, 0, 0) if score is None else score.points,
            money=(0, 0, 0, 0) if score is None else score.paid.money,
            kitty=0 if score is None else score.paid.kitty,
            finished=tuple(match.closed),
            signed=_by_seat(match.settlement_signatures if match.document is not None else {}),
            settlement=self._file,
            void_votes=_by_seat(match.voids.get(match.main.head, {})),
            told=_by_seat([seat for seat in ALL if seat not in self._untold]),
            absence=self._absence(owed, now),
            reserve=tuple(self._clocks.reserve_left(seat, now) for seat in ALL),  # type: ignore[arg-type]
            stopped=self._stopped,
            busy=self._command is not None,
        )

    @property
    def _stage(self) -> Stage:
        if self._stopped:
            return Stage.STOPPED
        if self._resuming:
            return Stage.RESUMING
        if self.match.document is not None:
            return Stage.SETTLED if self.match.settled else Stage.SETTLING
        hand = self.match.hand
        return Stage.DEALING if hand is None or hand.state is None else Stage.HAND

    def _deal_progress(self) -> DealProgress:
        hand = self.match.hand
        deal = hand.deal if hand is not None else exchange.latest_deal(self.match)
        shares = hand.progress if hand is not None else _by_seat(())
        return DealProgress(
            deal.number,
            deal.progress(Kind.COMMIT),
            deal.progress(Kind.KEYS),
            deal.progress(Kind.KEYOK),
            deal.progress(Kind.SHUF),
            deal.progress(Kind.DECKOK),
            shares,
            bool(self._making),
        )

    def _ask_player(self, seen: HandView | None) -> Question | None:
        kind = self._asks
        if not kind:
            return None
        commands: tuple[Command, ...] = (effects.GoOn(),)
        if seen is not None:
            commands = tuple(_command(act) for act in seen.legal if not isinstance(act, Call))
        return Question(self._serial, kind, commands, self._clocks.deadline(self.me))

    def _absence(self, owed: tuple[int, ...], now: float) -> Absence | None:
        waiting = tuple(seat for seat in owed if seat != self.me)
        if not waiting or self._stopped:
            return None
        gone = tuple(seat for seat in self._clocks.gone(now) if seat != self.me)
        since = min(self._clocks.since.get(seat, now) for seat in waiting)
        ends = [at for seat in waiting if (at := self._clocks.gone_at(seat)) is not None]
        hosted = {bot.host for bot in self.match.terms.bots}
        host_gone = any(self.setup.roster.players[seat].identity in hosted for seat in gone)
        return Absence(waiting, gone, since, min(ends, default=None), len(gone) > 1 or host_gone)


def _calls(seen: HandView) -> tuple[CallKind, ...]:
    return tuple(dict.fromkeys(act.kind for act in seen.legal if isinstance(act, Call)))


def _command(act: Act) -> Command:
    match act:
        case Healthy():
            return effects.Bid(False)
        case Reserve():
            return effects.Bid(True)
        case Name(_, contract):
            return effects.NameGame(contract)
        case Play(_, card):
            return effects.PlayCard(card)
        case _:
            raise AssertionError(f"{act} is no answer to a question")


def _by_seat(seats: Any) -> tuple[bool, bool, bool, bool]:
    return (0 in seats, 1 in seats, 2 in seats, 3 in seats)


def _finished_deals(stored: Stored | None) -> frozenset[int]:
    """Deals with four RESULTs in our own store: their proofs were checked when they came in."""
    count: dict[int, set[int]] = {}
    for row in () if stored is None else stored.entries:
        if row.kind == Kind.RESULT:
            count.setdefault(row.deal, set()).add(row.seat)
    return frozenset(deal for deal, seats in count.items() if len(seats) == 4)


def _load_secrets(stored: Stored) -> dict[int, OwnDeal]:
    deals: dict[int, OwnDeal] = {}
    for name, value in stored.secrets.items():
        kind, deal, what = name.split("/")
        if kind == "deal" and what == "keys":
            deals[int(deal)] = OwnDeal(OwnKeys.unpack(value))
    for number, mine in deals.items():
        subs = stored.secrets.get(f"deal/{number}/subs")
        if subs is not None:
            mine.unpack_subs(subs)
    return deals
