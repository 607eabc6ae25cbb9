"""Exchange of entries with the other nodes, and the start over a store.

After a start nothing is signed before each of the others has told (TOLD) the last entries of ours that it holds, and we
hold them, too: so a store that was rolled back never leads to a second payload for one place.

One seat that is there but tells nothing, or names what it does not show, is waited for a while (:data:`PATIENCE`) if
the two others hold nothing that our store lacks: else any single seat could keep another one away.  What remains: a
store that was rolled back, and what it lacks has reached that one seat alone.
"""

from __future__ import annotations

import contextlib
from collections import deque
from typing import Final

from protocol.deal.keys import OwnKeys
from protocol.refusal import Code, Refusal
from protocol.table import effects, exchange
from protocol.table.core import STALL_MOST
from protocol.table.deal_phase import Later, Work
from protocol.table.effects import Stored
from protocol.table.entries import Entry, read_entry
from protocol.table.inbox import HELD, Inbox
from protocol.table.own import OwnDeal
from protocol.table.pausing import ROW
from protocol.wire import messages
from protocol.wire.entries import Chain
from protocol.wire.messages import Entry as EntryMessage
from protocol.wire.messages import Pause
from protocol.wire.sync import Ask, Heads, Progress, Status, Told

#: Seconds an entry is held before its author is asked for what is missing, and between two such questions.
ASK_AFTER: Final = 0.4
ASK_EVERY: Final = 1.0
#: What a question costs of the answers a peer may ask for, in bytes, beside the answer itself.
LOOK: Final = 10_000
#: Seconds for which one linked seat that does not tell is waited for once the two others have.
PATIENCE: Final = 60.0
#: Most heads in HEADS and hashes in TOLD (:mod:`protocol.wire.sync`).
HEADS: Final = 1_024
TOLD: Final = 32


class Resume(Inbox):
    """Telling, asking, catching up."""

    def _message(self, seat: int, message: messages.Message) -> None:
        match message:
            case EntryMessage():
                self._incoming(seat, read_entry(message.p, message.s))
            case Status() if message.match == self.setup.match_id:
                if self._peers[seat].answer_due(self._now):
                    self._answer(seat, message.at)
                if message.reply:
                    self._status(seat, reply=False)
            case Heads() if message.match == self.setup.match_id:
                self._compare(seat, message)
            case Ask() if message.match == self.setup.match_id:
                self._tell(seat, message)
            case Told() if message.match == self.setup.match_id:
                self._was_told(seat, message)
            case Pause() if message.match == self.setup.match_id:
                self._heard_pause(seat, message)
            case _:
                raise Refusal(Code.CONTEXT, f"{type(message).__name__}: not for this match")

    def _status(self, seat: int, *, reply: bool) -> None:
        if seat in self._links:
            at = exchange.progress(self.match)
            message = messages.encode(Status(match=self.setup.match_id, at=at, reply=reply))
            self._effects.append(effects.Send(seat, message))

    def _answer(self, seat: int, at: Progress) -> None:
        """Send what the other node lacks; where its heads are not ours, find out why."""
        if not self._peers[seat].answers.take(LOOK, self._now):
            return  # to look through a match costs time, whatever comes of it
        fork = exchange.forked(self.match, at)
        if fork is not None:
            self._heads(seat, fork.chain, fork.deal, reply=True)
        entries = list(exchange.lacking(self.match, at))
        entries += [held for held in self._held[seat] if held.seat == seat]
        entries += [proof for proof in self._proofs(exchange.latest_deal(self.match).number) if proof.seat != seat]
        size = sum(len(entry.payload) + 128 for entry in entries)
        if self._peers[seat].answers.take(size, self._now):
            for entry in entries:
                self._send_entry(seat, entry)

    def _heads(self, seat: int, chain: int, deal: int, *, reply: bool) -> None:
        log = self.match.main if chain == Chain.MAIN else self.match.deals[deal].log
        heads = tuple(log.heads[:HEADS])
        message = Heads(match=self.setup.match_id, chain=chain, deal=deal, heads=heads, reply=reply)
        if seat in self._links and self._peers[seat].answers.take(32 * len(heads), self._now):
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

    def _ask_at(self, seat: int) -> float:
        """When the author of the oldest held entry is asked (again) for what is missing."""
        return max(self._held_since[seat] + ASK_AFTER, self._asked.get(seat, -ASK_EVERY) + ASK_EVERY)

    @property
    def _stall_at(self) -> float:
        """When all are told where we are, because nothing moves."""
        return max(self._last_change, self._stalled_at) + self._stall

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
        if not self._peers[seat].answers.take(LOOK, self._now):
            return
        last = [*exchange.last_of(self.match, seat), *self._held[seat]]
        for entry in last:
            self._send_entry(seat, entry)
        last.sort(key=lambda entry: entry.place is None)  # decisions last: few of them exclude another entry
        hashes = tuple(entry.hash for entry in last)[:TOLD]
        answer = Told(match=self.setup.match_id, nonce=message.nonce, last=hashes)
        if seat in self._links:
            self._effects.append(effects.Send(seat, messages.encode(answer)))

    def _was_told(self, seat: int, message: Told) -> None:
        if not self._resuming or message.nonce != self._nonce:
            return
        self._told[seat] = {key for key in message.last if key not in self.match.known} - self._dismissed

    def _may_sign(self) -> bool:
        """Whether we have been told enough to sign again."""
        untold = self._untold
        if len(untold) != 1 or self._put_back:
            self._alone = None
            return not untold and not self._held[self.me]
        if self._alone is None:
            if not untold <= self._links:
                return False  # it is away: it may hold what nobody else does, and nothing says that it hides it
            self._alone = self._now
        return self._now >= self._alone + PATIENCE and not self._held[self.me]

    def _load(self, stored: Stored) -> None:
        """Replay what the store holds through the same judge; what does not fit is not ours to use."""
        entries: deque[Entry] = deque()
        for row in stored.entries:
            try:
                entries.append(read_entry(row.payload, row.signature))
            except Refusal:
                continue
            self._saved.add(entries[-1].hash)
        self._deals = _load_secrets(stored)
        self._load_votes(stored.secrets.get(ROW))
        idle = 0
        while entries and idle < len(entries):
            entry = entries.popleft()
            try:
                if self.match.offer(entry):
                    idle = 0
                elif entry.seat == self.me:
                    self.match.spend(entry)
            except Later:
                entries.append(entry)
                idle += 1
            except Refusal as refusal:
                if refusal.code is Code.SIG or entry.says.match != self.setup.match_id:
                    # its bytes have changed on the disk: what is true comes from the others
                    self._saved.discard(entry.hash)
                    continue
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


def _load_secrets(stored: Stored) -> dict[int, OwnDeal]:
    """Our deals by number.  What is damaged is as good as lost (:class:`~protocol.table.effects.KeysLost`)."""
    deals: dict[int, OwnDeal] = {}
    for name, value in stored.secrets.items():
        kind, deal, what = name.split("/")
        if kind == "deal" and what == "keys":
            with contextlib.suppress(ValueError):
                deals[int(deal)] = OwnDeal(OwnKeys.unpack(value))
    for number, mine in deals.items():
        subs = stored.secrets.get(f"deal/{number}/subs")
        if subs is not None:
            with contextlib.suppress(Refusal):
                mine.unpack_subs(subs)
    return deals
