"""The review of a finished hand: trick by trick, with all four hands open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from node.console import words
from node.console.canvas import Canvas, Fragment, clip, pad, text_width
from node.console.documents import player_name
from node.console.drawing import draw_card
from node.console.page import Page, draw_header
from node.console.plan import plan_for
from node.console.scorepages import hand_title, outcome_line
from node.console.sorting import sorted_hand
from node.console.style import inline_style
from node.i18n import _
from node.view import Export, FinishedHand, TableView
from protocol.cards import SUIT_OF
from protocol.rules.contracts import Contract

if TYPE_CHECKING:
    from node.console.model import Model


def hands_before(hand: FinishedHand, trick: int) -> list[tuple[int, ...]]:
    """The four hands, by position, before trick number *trick* (1..12); 13: empty."""
    left = [list(cards) for cards in hand.hands]
    for done in hand.state.tricks[: max(trick - 1, 0)]:
        for number, card in enumerate(done.cards):
            left[(done.leader + number) % 4].remove(card)
    return [tuple(cards) for cards in left]


def calls_in(hand: FinishedHand, trick: int) -> list[tuple[int, str]]:
    """``(position, call)`` of the calls made while trick number *trick* was played."""
    return [
        (call.player, words.call_name(call.kind))
        for call in hand.state.calls
        if 4 * (trick - 1) <= call.played < 4 * trick or (trick == 1 and call.played == 0)
    ]


def bids_line(table: TableView, hand: FinishedHand) -> str:
    """The bidding in one line."""
    named = dict(hand.state.names)
    parts = []
    for position, reserve in enumerate(hand.state.bids):
        what = _("reservation") if reserve else _("healthy")
        if position in named:
            what = words.contract_name(named[position])
        parts.append(f"{player_name(table, (hand.forehand + position) % 4)}: {what}")
    return ", ".join(parts)


class ReviewPage(Page):
    """One hand; left and right go through the tricks, up and down through the hands."""

    contexts = ("review",)

    def __init__(self, model: Model, index: int) -> None:
        super().__init__(model)
        self.index = index
        self.trick = 1

    @property
    def table(self) -> TableView:
        """The match."""
        assert self.model.view is not None
        assert self.model.view.table is not None
        return self.model.view.table

    def hands(self) -> list[FinishedHand]:
        """The hands that can be reviewed."""
        view = self.model.view
        if view is None or view.table is None:
            return []
        return [hand for hand in view.table.finished if hand.hands]

    def offers(self, action: str) -> bool:
        return action != "prev"

    def do_prev(self, _key: str = "") -> None:
        """One trick back."""
        self.trick = max(self.trick - 1, 0)

    def do_next(self, _key: str = "") -> None:
        """One trick on."""
        hands = self.hands()
        if hands:
            self.trick = min(self.trick + 1, len(hands[self.index].state.tricks))

    def do_top(self, _key: str = "") -> None:
        """To the deal."""
        self.trick = 0

    def do_bottom(self, _key: str = "") -> None:
        """To the last trick."""
        hands = self.hands()
        if hands:
            self.trick = len(hands[self.index].state.tricks)

    def do_prev_hand(self, _key: str = "") -> None:
        """The hand before."""
        self.index, self.trick = max(self.index - 1, 0), 0

    def do_next_hand(self, _key: str = "") -> None:
        """The next hand."""
        self.index, self.trick = min(self.index + 1, max(len(self.hands()) - 1, 0)), 0

    def do_export(self, _key: str = "") -> None:
        """Write the records."""
        self.model.send(Export("record", self.table.match))

    def draw(self, canvas: Canvas) -> None:
        hands = self.hands()
        if not hands:
            draw_header(canvas, _("Review"))
            return
        self.index = min(self.index, len(hands) - 1)
        hand, table, faces = hands[self.index], self.table, self.model.faces
        contract = hand.result.contract or Contract.NORMAL
        title = _("Review") + f": {hand_title(table, hand)} {faces.sign('sep')} {words.contract_name(contract)}"
        draw_header(canvas, title, outcome_line(table, hand))
        margin = 2 if canvas.width >= 60 else 1
        width = canvas.width - 2 * margin
        tricks = hand.state.tricks
        self.trick = min(self.trick, len(tricks))
        roomy = canvas.height >= 22
        y = 2 if roomy else 1
        canvas.text(margin, y, clip(bids_line(table, hand), width), "soft")
        y += 2 if roomy else 1
        left = hands_before(hand, self.trick)
        trick = tricks[self.trick - 1] if self.trick else None
        for position in range(4):
            seat = (hand.forehand + position) % 4
            style = "strong" if trick is not None and trick.winner == position else "name"
            name = pad(player_name(table, seat), 12)
            at = canvas.text(margin, y, name, style)
            side = hand.result.side_of(position)
            at = canvas.text(at, y, f" {words.side_name(side)} ", str(side)) + 1
            played = trick.card_of(position) if trick is not None else None
            marked = False
            for card in sorted_hand(left[position], contract, self.model.settings.sort):
                text = faces.card(card)
                chosen = card == played and not marked
                marked = marked or chosen
                if at + text_width(text) + 2 > canvas.width - margin:
                    at, y = margin + 4, y + 1
                cell = f"[{text}]" if chosen else f" {text}"
                at = canvas.text(at, y, cell, "focus" if chosen else inline_style(SUIT_OF[card]))
            y += 2 if roomy else 1
        if trick is None:
            canvas.text(margin, y, _("The deal. Right shows the first trick."), "soft")
            return
        text = _("Trick {number}: {name}, {points}").format(
            number=self.trick,
            name=player_name(table, (hand.forehand + trick.winner) % 4),
            points=words.card_points(trick.points),
        )
        run: list[Fragment] = [("strong", text)]
        for position, call in calls_in(hand, self.trick):
            run.append(("mark", f"   {player_name(table, (hand.forehand + position) % 4)}: {call}!"))
        canvas.fragments(margin, y, run, width)
        y += 1
        re_points = sum(done.points for done in tricks[: self.trick] if done.winner in hand.result.re)
        all_points = sum(done.points for done in tricks[: self.trick])
        sums = f"{words.side_name('re')} {re_points}, {words.side_name('kontra')} {all_points - re_points}"
        canvas.text(margin, y, sums, "soft")
        y += 1
        items = [item for item in hand.result.items if item.trick == self.trick]
        for item in items:
            what, rule = words.item_text(item.item)
            canvas.text(margin, y, f"{words.side_name(item.side)}: {what} ({rule})", "good")
            y += 1
        size = plan_for(80, 24).trick if canvas.height < 30 else plan_for(100, 30).trick
        if y + size[1] < canvas.height - 1:
            x = margin + 2
            y += 1 if y + size[1] + 1 < canvas.height - 1 else 0
            for number, card in enumerate(trick.cards):
                position = (trick.leader + number) % 4
                draw_card(canvas, x, y, size, card, faces, "focus" if position == trick.winner else "")
                if y + size[1] < canvas.height - 1:
                    name = clip(player_name(table, (hand.forehand + position) % 4), size[0] + 3)
                    canvas.text(x, y + size[1], name, "soft")
                x += size[0] + 4
