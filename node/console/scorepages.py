"""Pages of points and money: the score of a hand, all hands so far, the settlement."""

import re

from node.console import words
from node.console.canvas import pad, text_width, wrap
from node.console.documents import Line, heading, paragraph, player_name
from node.console.faces import Faces
from node.i18n import _, ngettext
from node.view import FinishedHand, SettlementView, TableView


def hand_title(table: TableView, hand: FinishedHand) -> str:
    """``Hand 2 of 4``."""
    return _("Hand {number} of {total}").format(number=hand.number, total=table.terms.hands)


def outcome_line(table: TableView, hand: FinishedHand) -> str:
    """Who won with how many card points, in a sentence."""
    result = hand.result
    if result.void:
        return _("The hand is void: nothing is paid, it is dealt again.")
    re_points, kontra_points = result.card_points
    score = {"re": f"{re_points}:{kontra_points}", "kontra": f"{kontra_points}:{re_points}"}
    if result.winner is None:
        return _("Nobody wins, {score}.").format(score=score["re"])
    side = str(result.winner)
    return _("{side} wins with {score} card points.").format(side=words.side_name(side), score=score[side])


def score_document(table: TableView, hand: FinishedHand, faces: Faces, width: int) -> list[Line]:
    """The score of a hand, line by line, each point with its reason and rule."""
    width = max(min(width, 78), 30)
    result = hand.result
    lines: list[Line] = []
    lines.append([("title", hand_title(table, hand))])
    if result.contract is not None and not result.void:
        lines[-1].append(("soft", f" {faces.sign('sep')} " + words.contract_name(str(result.contract))))
    lines += [[], [("strong", outcome_line(table, hand))]]
    if not result.void:
        re_seats = [(hand.forehand + position) % 4 for position in sorted(result.re)]
        re_names = [player_name(table, seat) for seat in re_seats]
        lines.append([("re", f" {words.side_name('re')} "), ("felt", " " + words.names(re_names))])
        lines.append([])
        lead = "re" if result.winner is None else str(result.winner)
        amount_width, rule_width = 5, 6
        text_columns = width - amount_width - rule_width - 2
        for item in result.items:
            text, rule = words.item_text(item.item)
            if item.trick is not None:
                text = _("{what} (trick {number})").format(what=text, number=item.trick)
            if str(item.side) != lead:
                text = _("{side}: {what}").format(side=words.side_name(str(item.side)), what=text)
            amount = item.points if str(item.side) == lead else -item.points
            rows = wrap(text, text_columns)
            for row in rows[:-1]:
                lines.append([("felt", "  " + row)])
            lines.append(
                [
                    ("felt", "  " + pad(rows[-1], text_columns)),
                    ("good" if amount > 0 else "warn", pad(words.signed(amount), amount_width, ">")),
                    ("soft", pad(rule, rule_width, ">")),
                ]
            )
        lines.append([("frame", "  " + faces.sign("rule") * (text_columns + amount_width))])
        tripled = len(result.re) == 1 and table.terms.mode != "duel"
        value_text = _("value; alone, the Re player counts three times") if tripled else _("value")
        lines.append(
            [
                ("strong", "  " + pad(value_text, text_columns)),
                ("strong", pad(words.signed(result.value), amount_width, ">")),
                ("soft", pad("R28" if tripled else "R24", rule_width, ">")),
            ]
        )
    if hand.breach is not None:
        lines.append([])
        text = _("{name} pays for a proven breach (R30).").format(name=player_name(table, hand.breach))
        lines += paragraph(text, width, "error")
    lines.append([])
    lines += _totals(table, hand, width)
    return lines


def _totals(table: TableView, hand: FinishedHand, width: int) -> list[Line]:
    """The table of points and money under a score."""
    upto = [other for other in table.finished if table.finished.index(other) <= table.finished.index(hand)]
    name_width = max(min(width - 36, 20), 8)
    currency = table.terms.currency
    lines: list[Line] = [
        [
            ("soft", "  " + " " * name_width),
            ("soft", pad(_("points"), 9, ">")),
            ("soft", pad(currency or _("money"), 10, ">")),
            ("soft", pad(_("so far"), 12, ">")),
        ]
    ]
    for seat in range(4):
        total = sum(other.money[seat] for other in upto)
        mine = seat == table.me
        style = "strong" if mine else "felt"
        amount = hand.money[seat]
        lines.append(
            [
                (style, "  " + pad(player_name(table, seat), name_width)),
                (style, pad(words.signed(hand.points[seat]), 9, ">")),
                (
                    "good" if amount > 0 else "warn" if amount < 0 else "felt",
                    pad(words.money(amount, signed=True), 10, ">"),
                ),
                (style, pad(words.money(total, signed=True), 12, ">")),
            ]
        )
    if any(other.kitty for other in upto):
        lines.append(
            [
                ("soft", "  " + pad(_("kitty"), name_width + 9)),
                ("soft", pad(words.money(hand.kitty, signed=True), 10, ">")),
                ("soft", pad(words.money(sum(other.kitty for other in upto), signed=True), 12, ">")),
            ]
        )
    return lines


def scores_document(table: TableView, faces: Faces, width: int) -> list[Line]:
    """All hands so far on one page."""
    lines = heading(_("Scores so far"))
    if not table.finished:
        lines += paragraph(_("No hand is over yet."), width)
        return lines
    columns = max(min((width - 8) // 4, 14), 7)
    lines.append(
        [("soft", pad("", 6)), *[("name", pad(player_name(table, s), columns - 1, ">") + " ") for s in range(4)]]
    )
    for hand in table.finished:
        label = faces.sign("minus") if hand.result.void else str(hand.number)
        lines.append(
            [
                ("soft", pad(label, 6)),
                *[("felt", pad(words.signed(hand.points[s]), columns - 1, ">") + " ") for s in range(4)],
            ]
        )
    lines.append([("frame", faces.sign("rule") * (6 + 4 * columns))])
    lines.append(
        [
            ("soft", pad("", 6)),
            *[("strong", pad(words.signed(table.points[s]), columns - 1, ">") + " ") for s in range(4)],
        ]
    )
    lines.append(
        [
            ("soft", pad(table.terms.currency, 6)),
            *[("strong", pad(words.money(table.money[s], signed=True), columns - 1, ">") + " ") for s in range(4)],
        ]
    )
    if table.kitty:
        lines.append([("soft", _("kitty") + " " + words.money(table.kitty, table.terms.currency))])
    return lines


def settlement_document(table: TableView, settlement: SettlementView, faces: Faces, width: int) -> list[Line]:
    """The match's end: money, who has signed, the file and how to check it."""
    lines = heading(_("The match is over"))
    order = sorted(range(4), key=lambda seat: (-settlement.points[seat], seat))
    for place, seat in enumerate(order, 1):
        mark = faces.sign("done") if settlement.signed[seat] else faces.sign("wait")
        name = pad(player_name(table, seat), 16)
        amount = settlement.money[seat]
        lines.append(
            [
                ("soft", f"  {place}. "),
                ("strong" if seat == table.me else "felt", name),
                ("felt", pad(words.points(settlement.points[seat]), 14, ">")),
                (
                    "good" if amount > 0 else "warn" if amount < 0 else "felt",
                    pad(words.money(amount, table.terms.currency, True), 14, ">"),
                ),
                ("felt", "   "),
                (
                    "good" if settlement.signed[seat] else "warn",
                    mark + " " + (_("signed") if settlement.signed[seat] else _("not signed yet")),
                ),
            ]
        )
    if settlement.kitty:
        lines.append(
            [
                (
                    "soft",
                    "     "
                    + pad(_("kitty"), 30)
                    + pad(words.money(settlement.kitty, table.terms.currency, True), 14, ">"),
                )
            ]
        )
    lines.append([])
    style = "good" if all(settlement.signed) else "warn"
    lines += paragraph(signatures(settlement), width, style)
    if settlement.path:
        lines += [[], *paragraph(_("The settlement is one file, with the whole log of the match:"), width)]
        lines.append([("strong", "  " + settlement.path)])
        lines.append([])
        lines += paragraph(_("Anyone can check it offline, from the keys to the cents:"), width)
        path = shell_quote(settlement.path)
        if text_width(path) + 14 <= width:
            lines.append([("strong", "  doko verify " + path)])
        else:  # cut, it could not be copied
            lines += [[("strong", "  doko verify \\")], [("strong", "    " + path)]]
    return lines


def signatures(settlement: SettlementView) -> str:
    """How many have signed, in a sentence."""
    signed = sum(settlement.signed)
    if signed == 4:
        return _("All four have signed the same bytes.")
    return ngettext("{n} of four has signed so far.", "{n} of four have signed so far.", signed).format(n=signed)


def shell_quote(text: str) -> str:
    """*text* as one word of a shell command."""
    return text if re.fullmatch(r"[\w@%+=:,./~-]+", text) else "'" + text.replace("'", "'\\''") + "'"
