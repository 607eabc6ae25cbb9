"""What the plain console says of a table, as lines: where the hand is, the last trick, a hand looked back on."""

from collections.abc import Sequence
from typing import Final

from node.console import words
from node.console.documents import player_name
from node.console.faces import Faces
from node.console.review import bids_line, hands_before
from node.console.sorting import sorted_hand
from node.i18n import _
from node.view import TableView
from protocol.rules.contracts import Contract

#: Columns that tables and paragraphs are made for.
WIDTH: Final = 78


def situation_lines(table: TableView, hand: Sequence[int], faces: Faces, *, brief: bool = False) -> list[str]:
    """Where the hand is; *hand*: our cards, sorted; *brief*: the trick alone."""
    if table.hand is None:
        return [_("Hand {number} of {total}").format(number=table.hand_number, total=table.terms.hands)]
    state = table.hand.state
    lines: list[str] = []
    if state.contract is not None:
        number = len(state.tricks) + 1
        cards = [
            f"{player_name(table, table.seat_of((state.leader + n) % 4))}: {faces.card(card)}"
            for n, card in enumerate(state.trick)
        ]
        if cards:
            text = _("Trick {number}. {cards}").format(number=number, cards=", ".join(cards))
        elif state.turn is not None and table.seat_of(state.turn) == table.me:
            text = _("Trick {number}. You lead.").format(number=number)
        else:
            text = _("Trick {number}.").format(number=number)
        lines.append(text)
    if brief:
        return lines
    lines.append(_("Your cards: {cards}").format(cards=" ".join(map(faces.card, hand))))
    for seat in range(4):
        position = table.position_of(seat)
        won = sum(trick.winner == position for trick in state.tricks)
        parts = [words.cards(state.cards_left(position)), words.tricks(won)]
        side = state.side_of(position) if seat == table.me else state.known_sides[position]
        if side is not None:
            parts.append(words.side_name(side))
        parts += [words.call_name(call.kind) + "!" for call in state.calls if call.player == position]
        if seat == table.forehand:
            parts.append(_("forehand"))
        lines.append(f"{player_name(table, seat)}: {', '.join(parts)}")
    if state.turn is not None and table.seat_of(state.turn) != table.me:
        lines.append(_("{name}'s turn").format(name=table.players[table.seat_of(state.turn)].name))
    return lines


def last_trick_lines(table: TableView, faces: Faces) -> list[str]:
    """The last complete trick and whose it is."""
    if table.hand is None or not table.hand.state.tricks:
        return [_("There is no last trick yet.")]
    trick = table.hand.state.tricks[-1]
    cards = [
        f"{player_name(table, table.seat_of((trick.leader + n) % 4))}: {faces.card(card)}"
        for n, card in enumerate(trick.cards)
    ]
    return [
        _("Last trick") + ": " + ", ".join(cards),
        _trick_line(table, len(table.hand.state.tricks), table.seat_of(trick.winner), trick.points),
    ]


def review_lines(table: TableView, faces: Faces, sort: str) -> list[str]:
    """The last hand that is over, with its four hands, trick by trick."""
    done = [hand for hand in table.finished if hand.hands]
    if not done:
        return [_("No hand is over yet.")]
    hand = done[-1]
    contract = hand.result.contract or Contract.NORMAL
    lines = [bids_line(table, hand)]
    for position, cards in enumerate(hands_before(hand, 1)):
        shown = " ".join(map(faces.card, sorted_hand(cards, contract, sort)))
        side = words.side_name(hand.result.side_of(position))
        lines.append(f"{player_name(table, (hand.forehand + position) % 4)}, {side}: {shown}")
    for number, trick in enumerate(hand.state.tricks, 1):
        shown = ", ".join(
            f"{player_name(table, (hand.forehand + trick.leader + n) % 4)}: {faces.card(card)}"
            for n, card in enumerate(trick.cards)
        )
        lines.append(_trick_line(table, number, (hand.forehand + trick.winner) % 4, trick.points) + " " + shown)
    return lines


def _trick_line(table: TableView, number: int, winner: int, points: int) -> str:
    name = player_name(table, winner)
    return _("Trick {number}: {name}, {points}.").format(number=number, name=name, points=words.card_points(points))
