"""What our player wants: bids, cards, calls, wishes.

A command is judged on the state that our player has seen, the calls that no card carries yet included.
"""

from __future__ import annotations

from typing import Final

import msgspec

from protocol.refusal import Code, Refusal
from protocol.rules.acts import Act, Call, Healthy, Name, Play, Reserve
from protocol.rules.calls import CallKind
from protocol.rules.hand import HandState, Phase, apply, check_call, legal
from protocol.table import effects, own
from protocol.table.duties import Duties
from protocol.table.effects import Command
from protocol.table.entries import signed_form
from protocol.table.hand_phase import HandPhase
from protocol.table.own import OwnDeal
from protocol.wire import entries as wire
from protocol.wire.entries import Chain, Kind

#: Entries that the program makes without asking anybody.
_QUESTIONS: Final = {Kind.BID: "bid", Kind.NAME: "name", Kind.PLAY: "play"}


class Commands(Duties):
    """From a command to a signed entry."""

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

    def _hand(self) -> HandPhase:
        """The hand that is being played."""
        hand = self.match.hand
        if self._stopped:
            raise Refusal(Code.TURN, f"the table has stopped: {self._stopped}")
        if self._resuming:
            raise Refusal(Code.TURN, "the others have not yet told what they hold of ours")
        if hand is None or hand.state is None:
            raise Refusal(Code.TURN, "no hand is being played")
        return hand

    def _mine(self) -> tuple[HandPhase, OwnDeal]:
        """That hand and our keys of it."""
        hand = self._hand()
        self._no_pause()
        if hand.deal.number not in self._deals:
            raise Refusal(Code.TURN, "our keys of this hand are lost: all four can agree that it is void", "R29")
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
                self._hand()
                self._wants_void = agree
            case effects.DealAnew():
                self._deal_anew()
            case effects.Pause(on):
                self._wish_pause(on)
            case effects.GoOn():
                self._go_on = True
            case effects.Adjourn():
                self._stop("adjourned")

    def _allowed(self, hand: HandPhase, mine: OwnDeal, act: Act) -> HandState:
        """The state on which *act* is done, or the rule that forbids it."""
        state = mine.heard(hand)
        if hand.judging or self.me not in self.match.main.missing or Kind.TRICK in self.match.main.kinds:
            raise Refusal(Code.TURN, "it is not your turn", "R14")
        if self._agreed_to_void:
            raise Refusal(Code.TURN, "you have agreed that this hand is void", "R29")
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
            if (
                self.match.main.head == head
                and self.match.hand is hand
                and not (self._resuming or self._agreed_to_void)
            ):
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
        if self._stopped:
            raise Refusal(Code.TURN, f"the table has stopped: {self._stopped}")
        deal = self.match.next_deal
        if deal is None or self.match.sent_shares(deal.number, self.me):
            raise Refusal(Code.TURN, "no deal is under way")
        self._ask_all(deal)
