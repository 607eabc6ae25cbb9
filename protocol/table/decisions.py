"""Decisions against a seat: evidence, deals thrown away (RESTART) and kept (KEEP), absence.

On the first head of a deal chain, which all have, whatever a liar has shown to each, stand the RESTARTs because of
evidence and those of all four.  Nobody is left behind there for being silent: no key is made yet that a new deal would
have to replace.  On every later head RESTART stands for absence.

KEEP says that its author does not sign: on the first head a RESTART of all four, on a later one a RESTART against
anybody.  Nobody signs both.  Who has signed a RESTART sends no SHARES before another one's KEEP on that head: so
wherever a deal is thrown away by some and its hand opened by others, one of them has signed KEEP and RESTART.

Nobody else takes the place of an absent player yet: in a hand an absence waits, or the table adjourns.
"""

from __future__ import annotations

from typing import Final

from protocol.table import effects, evidence
from protocol.table.deal_phase import DealPhase, DealState
from protocol.table.entries import Entry
from protocol.table.match import Fault
from protocol.table.pausing import Pausing
from protocol.wire import entries as wire
from protocol.wire.entries import Chain, Kind

#: RESTARTs of a match that may blame one seat, or be asked for by one seat, before the table stops and asks its people.
RESTARTS: Final = 3


class Decisions(Pausing):
    """Who is guilty or gone, and what follows."""

    def _convict(self, fault: Fault) -> None:
        """A signed entry is refused: keep the evidence, show it to the others, and go on without its author."""
        entry, seat = fault.entry, fault.seat
        self.match.refuse(entry if fault.other is None else fault.other)
        if (entry.deal, seat) in self._guilty:
            return
        self._guilty[entry.deal, seat] = fault
        file = evidence.write(self.match, fault)
        self._show(effects.Refused(seat, fault.refusal.code, fault.refusal.detail))
        for other in self.others:
            if other != seat:
                self._send_entry(other, entry)
                if fault.other is not None:
                    self._send_entry(other, fault.other)
        deal = self.match.deals.get(entry.deal)
        if seat == self.me:
            twice = "two entries of ours exclude each other: another node signs with our identity"
            self._stop(twice if fault.other else f"an entry of ours is wrong: {fault.refusal}", file, seat)
        elif entry.chain is Chain.DEAL and deal is not None and not self.match.sent_shares(deal.number, self.me):
            self._effects.append(effects.Evidence(seat, str(fault.refusal), file))
            self._next.append(self._blame_duty)
        else:
            self._stop(f"seat {seat} broke the rules: {fault.refusal}", file, seat)

    def _blame_duty(self) -> bool:
        """RESTART because of a seat that is guilty in the deal that is made, if that is still due from us.

        It stands on the one head that nodes whom the seat has shown different entries have in common.
        """
        deal = self.match.next_deal
        if deal is None or deal.state is DealState.DEAD or self._resuming:
            return False
        if self.match.sent_shares(deal.number, self.me):
            return False
        for number, seat in self._guilty:
            signed = self.match.restarts.get((number, deal.first_head, seat), {})
            if number == deal.number and seat != self.me and self.me not in signed:
                self._sign_restart(deal, deal.first_head, seat)
                return True
        return False

    def _keep_duty(self) -> bool:
        """KEEP, if that is still due from us: the RESTART may have come before the entry that it misses, or while we
        were resuming, or be from our store."""
        deal = self.match.next_deal
        if deal is None or deal.state is DealState.DEAD or self._resuming:
            return False
        for (number, head, target), signed in self.match.restarts.items():
            if number != deal.number or self.me in (*signed, target):
                continue
            if target is None:
                if self._sends_shares(deal) and not self._kept(head):
                    self._sign(Chain.DEAL, deal.number, None, head, Kind.KEEP, wire.Keep())
                    return True
                continue
            theirs = self._theirs(deal, head, target)
            if theirs is not None and self._stand_by(deal, head, target):
                for seat in self.others:
                    self._send_entry(seat, theirs)
                return True
        return False

    def _look_again(self) -> None:
        """What others want to throw away, once we have taken up the match: nothing was signed about it meanwhile."""
        deal = self.match.next_deal
        if deal is not None and deal.state is not DealState.DEAD:
            for (number, _, _), signed in self.match.restarts.items():
                if number == deal.number:
                    self._news.append(next(iter(signed.values())))

    def _proofs(self, deal: int) -> list[Entry]:
        """The entries that convict, from the deal before this one on (its hand may be played while this one is made):
        refused here, so no log has them for whoever comes later."""
        faults = [fault for (number, _), fault in self._guilty.items() if number >= deal - 1]
        return [entry for fault in faults for entry in (fault.entry, fault.other) if entry is not None]

    def _sends_shares(self, deal: DealPhase) -> bool:
        """We have sent SHARES: no RESTART of ours may follow, since somebody could have seen his hand by then."""
        return self.match.sent_shares(deal.number, self.me)

    def _decided(self, deal: DealPhase, head: bytes) -> bool:
        """We have signed a RESTART against somebody on this head: a KEEP would say that we never do."""
        return any(
            self.me in signed
            for (number, where, target), signed in self.match.restarts.items()
            if number == deal.number and where == head and target is not None
        )

    def _ignored(self, deal: int, seat: int) -> bool:
        """The seat is guilty by an entry that has a place: which of its entries in this deal lead on nobody knows.

        Two decisions that exclude each other say nothing about its other entries, and those may be needed to follow
        the others to the head on which they have thrown the deal away.
        """
        fault = self._guilty.get((deal, seat))
        return fault is not None and fault.entry.place is not None

    def _kept(self, head: bytes) -> bool:
        """We have signed a KEEP on this head."""
        found = self.match.decisions.values()
        return any(e.kind is Kind.KEEP and e.seat == self.me and e.parent == head for e in found)

    def _sign_restart(self, deal: DealPhase, head: bytes, seat: int | None) -> None:
        if self._resuming or self.match.sent_shares(deal.number, self.me) or deal.state is DealState.DEAD:
            return
        if self.me in self.match.restarts.get((deal.number, head, seat), {}):
            return
        if self._kept(head) and (seat is None) is (head == deal.first_head):
            return  # KEEP binds us
        self._sign(Chain.DEAL, deal.number, None, head, Kind.RESTART, wire.Restart(seat=seat))

    def _ask_all(self, deal: DealPhase) -> bool:
        """RESTART of all four; whether it was ours to sign."""
        if self.me in self.match.restarts.get((deal.number, deal.first_head, None), {}):
            return False
        self._sign_restart(deal, deal.first_head, None)
        return self.me in self.match.restarts.get((deal.number, deal.first_head, None), {})

    def _restarted(self, entry: Entry) -> None:
        """Somebody wants this deal thrown away: agree if we see it the same way."""
        deal = self.match.deals[entry.deal]
        target = entry.fields(wire.Restart).seat
        if deal.state is DealState.DEAD:
            self._forget(deal.number)
            because = self.match.restarted_by(deal.number)[0].fields(wire.Restart).seat
            if because is not None:
                deals = self._blamed.setdefault(because, set())
                deals.add(deal.number)
                if len(deals) >= RESTARTS:
                    self._stop(f"three deals were thrown away because of seat {because}")
            return
        if target == self.me:
            return
        if target is not None:
            theirs = self._theirs(deal, entry.parent, target)
            if theirs is not None:
                for seat in self.others:
                    self._send_entry(seat, theirs)
                self._stand_by(deal, entry.parent, target)
                return
        asked = sum(entry.seat in signed for (_, _, whom), signed in self.match.restarts.items() if whom is None)
        if target is None:
            if asked <= RESTARTS:
                self._ask_all(deal)  # KEEP if we have sent SHARES: _keep_duty
            elif not self._kept(entry.parent) and self.me not in self.match.restarts[deal.number, entry.parent, None]:
                self._sign(Chain.DEAL, deal.number, None, entry.parent, Kind.KEEP, wire.Keep())
        elif (deal.number, target) in self._guilty:
            self._sign_restart(deal, deal.first_head, target)
        elif target in self._clocks.gone(self._now) and entry.parent != deal.first_head:
            self._sign_restart(deal, entry.parent, target)

    def _promised(self, entry: Entry) -> bool:
        """We have signed a RESTART because of this author on this head: his entry has to wait until that has failed."""
        if entry.chain is not Chain.DEAL or entry.place is None or entry.seat == self.me:
            return False
        signed = self.match.restarts.get((entry.deal, entry.parent, entry.seat), {})
        return self.me in signed and not self._released(self.match.deals[entry.deal], entry.parent, entry.seat)

    def _released(self, deal: DealPhase, head: bytes, target: int | None) -> bool:
        """One of those who would have to sign shows that he will not: KEEP, or an entry on a later head."""
        guilty = target is not None and (deal.number, target) in self._guilty
        if guilty and (head == deal.first_head or (target is not None and self._ignored(deal.number, target))):
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
            if entry.chain is Chain.DEAL and (entry.place is not None or entry.kind is Kind.RESTART):
                at = deal.log.position(entry.parent)
                if at is None or at > position:
                    return True
        return False

    def _theirs(self, deal: DealPhase, head: bytes, target: int) -> Entry | None:
        """The entry for whose absence *target* is to be left behind on *head*, if we hold it: then we will not sign."""
        position = deal.log.position(head)
        assert position is not None
        done = deal.log.rounds[position].entries if position < deal.log.length else tuple(deal.log.open.values())
        theirs = next((entry for entry in done if entry.seat == target), None)
        signed = self.me in self.match.restarts.get((deal.number, head, target), {})
        if signed or self._resuming or (deal.number, target) in self._guilty or head == deal.first_head:
            return None
        if self._held[target]:
            return None  # evidence may be among what cannot be judged yet
        if head == deal.log.head and target in deal.owed:
            return None  # that entry is not all: a complaint about its box waits for its answer
        return theirs

    def _stand_by(self, deal: DealPhase, head: bytes, target: int) -> bool:
        """Release those who want *target* left behind on *head*; whether there was something to sign for that.

        KEEP, or what is left to one who has wanted somebody else left behind on this very head: all four throw the deal
        away, unless the KEEP of another one releases them.
        """
        if self._kept(head):
            return False
        if not self._decided(deal, head):
            self._sign(Chain.DEAL, deal.number, None, head, Kind.KEEP, wire.Keep())
            return True
        others = self.match.decisions.values()
        if any(e.kind is Kind.KEEP and e.parent == head and e.seat != target for e in others):
            return False
        return self._ask_all(deal)

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
        if deal.log.length == 0:
            return
        if gone[0] in deal.owed and not self._resuming:
            self._sign_restart(deal, deal.log.head, gone[0])
