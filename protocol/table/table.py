"""The table of one match as one of its four nodes runs it: the observer of :mod:`protocol.table.match` and our secrets.

Theory of operation (see :mod:`protocol.table.effects` for the effects)::

    shell                         Table                              Match (observer, no secrets)
    start, receive, act  ----->   waits, holds, asks for what is   -->  judges every entry of all seats, ours too
    tick, link, done              missing; makes our entries            says whose turn it is
                         <-----   effects, in order

Every public method ends in the same way: held entries are tried again until nothing moves, heavy checks go out as
``Compute``, our own entries that are due are made, and what was made is put into *one* ``Persist`` before the first
``Send``.

The shell calls one method at a time.  ``now`` is any clock (seconds) that goes on evenly; it may start anew with each
process.  Where it is set back no time passes; where it leaps, all clocks and graces have run on.  After each call ask
:attr:`Table.next_tick`.  The layers below this one are listed in :mod:`protocol.table.core`.
"""

from __future__ import annotations

from functools import partial

from protocol.deal.shares import DealFault
from protocol.refusal import Refusal
from protocol.table import effects, exchange
from protocol.table.core import Secrets
from protocol.table.deal_phase import Work
from protocol.table.effects import Command, Effect
from protocol.table.resume import PATIENCE
from protocol.table.seeing import Seeing
from protocol.wire import messages
from protocol.wire.entries import Kind

__all__ = ["Secrets", "Table"]


class Table(Seeing):
    """One match, one seat."""

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
        """An encoded link message with a number of 70..109, or PAUSE, came from *seat*'s link.  Never raises."""
        self._begin(now)
        peer = self._peers[seat]
        if not peer.messages.take(1, self._now):
            self._effects.append(effects.Close(seat, "too many messages"))
            return self._finish()
        try:
            self._message(seat, messages.decode(raw))
        except Refusal as refusal:
            self._junk(seat, refusal)
        except DealFault as fault:
            self._stop(f"the proofs and the cards do not fit together: {fault}")
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
            self._tell_pause(seat)
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
        if self._resuming and self._alone is not None:
            times.append(self._alone + PATIENCE)
        if not self._complete:
            times.append(self._stall_at)
            following = self._clocks.next(self._now)
            if following is not None:
                times.append(following)
        at = min(times, default=None)
        return None if at is None else at - self._lag

    def _finish(self) -> list[Effect]:
        """Move on as far as possible, then put persisting before sending."""
        self._guard(self._progress)
        self._flush()
        made, self._effects = self._effects, []
        return made

    def _progress(self) -> None:
        self._retry()
        for _ in range(64):  # each turn makes at least one entry of ours, or is the last
            self._drain()
            if self._resuming and self._may_sign():
                self._resuming = False
                self._look_again()
            if self._stopped:
                break
            if not self._resuming and self._duties():
                self._retry()
                continue
            self._watch()
            if not self._next and not self._news:
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
        while (self._news or self._next) and not self._stopped:
            if self._news:
                self._restarted(self._news.popleft())
            else:
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

    def _watch(self) -> None:
        """Clocks and the serial number of our question."""
        hand = self.match.hand
        main, deal = self.match.main.head, exchange.latest_deal(self.match).log.head
        due: dict[int, tuple[frozenset[Kind], bytes]] = {}
        due.update((seat, (kinds, deal)) for seat, kinds in self.match.due_deal.items())
        due.update((seat, (kinds, main)) for seat, kinds in self.match.due_main.items())  # what people wait for
        self._clocks.update(due, -1 if hand is None else hand.deal.number, self._now)
        # only what people decide: the next deal goes on in the background and changes no question
        question = (self.match.main.head, frozenset(self.match.due_main.get(self.me, ()))) if self._asks else None
        if question != self._question:
            self._question = question
            if question is not None:
                self._serial += 1
        self._absences()
        self._miss_keys()

    def _miss_keys(self) -> None:
        """Say it once if our store has lost our keys of a hand whose cards are dealt: nobody else can help us."""
        hand = self.match.hand
        if hand is None or hand.over or self._resuming or self._stopped or hand.deal.number in self._deals:
            return
        number = hand.deal.number
        if self._lost != number and any(self.match.sent_shares(number, seat) for seat in self.others):
            self._lost = number
            self._show(effects.KeysLost(number))
