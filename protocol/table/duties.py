"""Entries of ours that are due without asking anybody: the deal, receipts, results, the settlement.

========================= ==========================================================================
COMMIT KEYS KEYOK DECKOK  at once
SHUF SHARES               proofs are computed first; a shuffle is prepared while others shuffle
MARRY TRICK RESULT SETTLE at once
VOID                      on each new head while our player wishes it; last, if the next entry is ours
========================= ==========================================================================
"""

from __future__ import annotations

from protocol.deal import keys as deal_keys
from protocol.deal.shuffle import Prepared
from protocol.rules.hand import digest
from protocol.table import own, settlement
from protocol.table.deal_phase import DealPhase, DealState
from protocol.table.end_phase import DOMAIN_SETTLE, result_fields
from protocol.table.hand_phase import HandPhase
from protocol.table.own import OwnDeal
from protocol.table.resume import Resume
from protocol.wire import entries as wire
from protocol.wire.entries import Chain, Kind


class Duties(Resume):
    """What the program does by itself."""

    def _duties(self) -> bool:
        """Make one entry that is due from us without a question; whether there was one."""
        return self._blame_duty() or self._keep_duty() or self._deal_duty() or self._main_duty() or self._void_duty()

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
            return self._ask_all(deal)
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
        if hand is None or (hand.judging and Kind.SHARES not in kinds):
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
        elif Kind.MARRY in kinds and deal in self._deals and not self._agreed_to_void:
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
            return self._ask_all(deal)
        if key in self._making or (self._waits_for_go_on and not self._go_on):
            return False
        if self._promised_no_share(deal):
            return False
        self._making.add(key)
        head = deal.log.head
        place = deal.place(self.me, head)
        args = (place, mine.x, mine.keys.public, deal.deck, deal.barrier, self._rand(64), deal.computers, head)

        def finished(fields: wire.Shares) -> None:
            self._making.discard(key)
            if self._resuming or self._promised_no_share(deal):
                return  # made again when that has come to nothing
            if self.match.hand is hand and self.me in self.match.main.missing:
                self._sign_main(deal.number, Kind.SHARES, fields)

        self._compute(own.make_share_fields, args, finished)
        return True

    def _promised_no_share(self, deal: DealPhase) -> bool:
        """Whether we have signed a RESTART of this deal, and nobody who would have to sign it, too, has said that he
        does not: by KEEP.  What he has gone on with is no promise, and he could sign it afterwards."""
        keeps = [e for e in self.match.decisions.values() if e.kind is Kind.KEEP and e.deal == deal.number]
        for (number, head, target), signed in self.match.restarts.items():
            if number != deal.number or self.me not in signed:
                continue
            if target is not None and head == deal.first_head:  # because of evidence
                kept = self._released(deal, head, target)
            else:
                kept = any(e.parent == head and e.seat not in (self.me, target) for e in keeps)
            if not kept:
                return True
        return False

    @property
    def _agreed_to_void(self) -> bool:
        """We have signed VOID on this head: a turn of ours on it as well would be a breach."""
        return self.me in self.match.voids.get(self.match.main.head, {})

    def _void_duty(self) -> bool:
        """Agree to a void hand on each new head on which that counts, as long as our player wishes it.

        Whoever owes the next entry signs last, when the three others have: VOID binds him to make no such entry.
        """
        hand, head = self.match.hand, self.match.main.head
        if not self._wants_void or hand is None or hand.blocked or not self.match.can_be_void:
            return False
        signed = self.match.voids.get(head, {})
        if self._agreed_to_void or (self.me in self.match.main.missing and len(signed) < 3):
            return False
        self._sign(Chain.MAIN, hand.deal.number, None, head, Kind.VOID, wire.Void())
        return True
