"""Pages of text as styled lines: scores, terms, settlement, ledger, friends, help and the rules.

Each function gives a list of lines, a line being runs of ``(style, text)``.  The full screen scrolls them, the plain
console prints their text, so both say the same.
"""

import re
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from importlib import resources

from node.console import words
from node.console.canvas import Fragment, pad, text_width, wrap
from node.console.faces import Faces
from node.console.keys import CONTEXTS, bindings_of, keys_name
from node.console.plot import plot
from node.console.style import inline_style
from node.i18n import LOCALE_DIR, _, current_language, ngettext
from node.view import (
    AbsenceView,
    FinishedHand,
    FriendView,
    HistoryView,
    LedgerView,
    LinkState,
    LinkView,
    PlayerView,
    SettlementView,
    TableView,
    TermsView,
)
from protocol.cards import SUIT_OF
from protocol.rules.contracts import TRUMP, Contract, class_members

Line = list[Fragment]


def plain(line: Line) -> str:
    """The characters of a line."""
    return "".join(text for _style, text in line).rstrip()


def paragraph(text: str, width: int, style: str = "felt", indent: int = 0) -> list[Line]:
    """*text* wrapped to *width* columns."""
    return [[(style, " " * indent + line)] for line in wrap(text, width - indent)]


def heading(text: str) -> list[Line]:
    """A heading and an empty line."""
    return [[("title", text)], []]


def cards_line(cards: Sequence[int], faces: Faces) -> Line:
    """Cards in running text, in the colours of their suits."""
    line: Line = []
    for card in cards:
        if line:
            line.append(("felt", " "))
        line.append((inline_style(SUIT_OF[card]), faces.card(card)))
    return line


def contract_cards(contract: Contract, faces: Faces, width: int) -> list[Line]:
    """The trumps of a contract from high to low, as lines of at most *width* columns."""
    lines: list[Line] = [[]]
    used = 0
    for card in class_members(contract, TRUMP):
        text = faces.card(card)
        if used + text_width(text) + 1 > width:
            lines.append([])
            used = 0
        lines[-1] += [(inline_style(SUIT_OF[card]), text), ("felt", " ")]
        used += text_width(text) + 1
    return [line for line in lines if line]


def player_name(table: TableView, seat: int) -> str:
    """The nickname on a seat; ourselves as "you"."""
    return _("you") if seat == table.me else table.players[seat].name


def link_words(link: LinkView) -> str:
    """How somebody is reached, in words."""
    if link.state is LinkState.SELF:
        return _("here")
    if link.state is LinkState.DIRECT:
        return _("direct")
    if link.state is LinkState.VIA:
        return _("via {name}").format(name=link.via)
    if link.state is LinkState.CONNECTING:
        return _("connecting")
    return _("lost")


# --- score, settlement --------------------------------------------------------------------------------------------


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


# --- terms, people ------------------------------------------------------------------------------------------------


def terms_document(terms: TermsView, width: int) -> list[Line]:
    """The terms as two columns."""
    pairs = words.terms_lines(terms)
    label_width = min(max(text_width(label) for label, _value in pairs) + 2, max(width // 3, 10))
    lines: list[Line] = []
    for label, value in pairs:
        rows = wrap(value, max(width - label_width, 10))
        lines.append([("soft", pad(label, label_width)), ("strong", rows[0])])
        lines += [[("soft", " " * label_width), ("strong", row)] for row in rows[1:]]
    if terms.hash:
        lines.append([("soft", pad(_("Fingerprint"), label_width) + terms.hash)])
    return lines


def friend_document(friend: FriendView, faces: Faces, width: int) -> list[Line]:
    """One friend: words, link, why not connected, rating, balance."""
    lines = heading(friend.name)
    lines += paragraph(_("Fingerprint: {words}").format(words=friend.words), width, "strong")
    lines += paragraph(_("Compare these words with your friend, by telephone for instance."), width, "soft")
    lines.append([])
    lines += why_lines(friend.name, friend.link, faces, width)
    lines.append([])
    if friend.addresses:
        lines += paragraph(_("Known addresses: {list}").format(list=", ".join(friend.addresses)), width)
    played = ngettext("{n} verified match together", "{n} verified matches together", friend.matches)
    lines += paragraph(played.format(n=friend.matches), width)
    if friend.rating is not None:
        lines += paragraph(
            _("Rating from your own verified matches: {rating}").format(rating=f"{friend.rating:.1f}"), width
        )
    if friend.balance:
        lines += paragraph(_("Balance: {amount}").format(amount=words.money(friend.balance, signed=True)), width)
    if friend.blocked:
        lines += paragraph(_("Blocked: no links, no tables, no messages."), width, "warn")
    return lines


def why_lines(name: str, link: LinkView, faces: Faces, width: int) -> list[Line]:
    """How somebody is reached, and why not."""
    style = {LinkState.DIRECT: "good", LinkState.SELF: "good", LinkState.VIA: "warn"}.get(link.state, "error")
    lines = paragraph(_("{name}: {link}").format(name=name, link=link_words(link)), width, style)
    for reason in link.reasons:
        rows = wrap(reason, width - 4)
        lines.append([("felt", f"  {faces.sign('bullet')} {rows[0]}")])
        lines += [[("felt", "    " + row)] for row in rows[1:]]
    return lines


def why_document(people: Sequence[PlayerView], faces: Faces, width: int) -> list[Line]:
    """The links of everybody at the table."""
    lines = heading(_("How the others are reached"))
    for person in people:
        if person.link.state is not LinkState.SELF:
            lines += [*why_lines(person.name, person.link, faces, width), []]
    lines += paragraph(
        _("Links are tried again by themselves, with growing pauses. The match goes on where it stopped."),
        width,
        "soft",
    )
    return lines


def absence_document(table: TableView, absence: AbsenceView, width: int) -> list[Line]:
    """Who is gone and what the three may choose, with what each choice means."""
    gone = words.names([table.players[seat].name for seat in absence.seats])
    lines = paragraph(_("{names}: no answer.").format(names=gone), width, "error")
    if absence.grace_left > 0:
        text = _("The grace of the terms runs for {time} more.").format(time=words.seconds(absence.grace_left))
        lines += paragraph(text, width)
    for choice in absence.choices:
        voters = [player_name(table, seat) for seat in range(4) if absence.votes[seat] is choice]
        label = _(words.ABSENCE[str(choice)])
        lines += paragraph(label + (": " + words.names(voters) if voters else ""), width, "strong")
        lines += paragraph(_(words.ABSENCE_MEANING[str(choice)]), width, "felt", 2)
    return lines


# --- books --------------------------------------------------------------------------------------------------------


def ledger_document(ledger: LedgerView | None, faces: Faces, width: int) -> list[Line]:
    """Balances and the fewest payments."""
    lines = heading(_("Ledger"))
    if ledger is None:
        return [*lines, [("soft", _("reading ...")), ("soft", "")]]
    if not ledger.balances and not ledger.kitties:
        return [*lines, *paragraph(_("No settled match yet."), width)]
    lines.append([("soft", _("Balances from your settled matches; + is to your good:"))])
    for balance in ledger.balances:
        style = "good" if balance.amount > 0 else "warn" if balance.amount < 0 else "felt"
        played = ngettext("{n} match", "{n} matches", balance.matches).format(n=balance.matches)
        lines.append(
            [
                ("felt", "  " + pad(balance.name, 22)),
                (style, pad(words.money(balance.amount, balance.currency, True), 16, ">")),
                ("soft", pad(played, 16, ">")),
            ]
        )
    for kitty in ledger.kitties:
        name = _("kitty {name}").format(name=kitty.name) if kitty.name else _("kitty")
        lines.append([("soft", "  " + pad(name, 22) + pad(words.money(kitty.amount, kitty.currency, True), 16, ">"))])
    lines.append([])
    lines.append([("soft", _("The fewest payments that make all square:"))])
    if not ledger.payments:
        lines.append([("good", "  " + _("none, all are square"))])
    for payment in ledger.payments:
        lines.append(
            [
                ("felt", f"  {payment.payer} {faces.sign('arrow')} {payment.payee}  "),
                ("strong", words.money(payment.amount, payment.currency)),
            ]
        )
    return lines


def history_document(history: HistoryView | None, faces: Faces, width: int) -> list[Line]:
    """Finished matches, newest first, and the plots of points and rating."""
    lines = heading(_("Your matches"))
    if history is None:
        return [*lines, [("soft", _("reading ..."))]]
    if not history.matches:
        return [*lines, *paragraph(_("No finished match yet."), width)]
    total, series = 0, [0.0]
    for match in history.matches:
        for gained in match.hand_points or (match.points[match.me],):
            total += gained
            series.append(float(total))
    lines.append([("soft", _("Your points, hand by hand:"))])
    lines += [[("plot", row)] for row in plot(series, min(width, 76), 8, faces.ascii)]
    if len(history.ratings) > 1:
        lines += [[], [("soft", _("Your rating, match by match:"))]]
        lines += [[("plot", row)] for row in plot(history.ratings, min(width, 76), 6, faces.ascii)]
    lines.append([])
    for match in reversed(history.matches):
        when = datetime.fromtimestamp(match.when).strftime("%Y-%m-%d %H:%M")
        others = words.names([name for seat, name in enumerate(match.names) if seat != match.me])
        amount = match.money[match.me]
        lines.append(
            [
                ("soft", when + "  "),
                ("felt", pad(words.signed(match.points[match.me]), 5, ">") + "  "),
                (
                    "good" if amount > 0 else "warn" if amount < 0 else "felt",
                    pad(words.money(amount, match.currency, True), 13, ">"),
                ),
                ("felt", "  " + words.mode_name(match.mode) + ", " + others),
            ]
        )
    return lines


# --- help, rules --------------------------------------------------------------------------------------------------


def help_document(faces: Faces, width: int, contexts: Sequence[str] = tuple(CONTEXTS)) -> list[Line]:
    """All keys, and the written list of automatic moves."""
    lines = heading(_("Keys"))
    key_width = 16
    for context in contexts:
        lines.append([("title", _(CONTEXTS[context]))])
        for binding in bindings_of(context):
            rows = wrap(_(binding.help), max(width - key_width - 2, 10))
            lines.append([("mark", pad("  " + keys_name(binding.keys, _, faces.ascii), key_width)), ("felt", rows[0])])
            lines += [[("felt", " " * key_width + row)] for row in rows[1:]]
        lines.append([])
    lines.append([("title", _("What is done by itself"))])
    lines += paragraph(
        _("Your last card of a hand is played for you after a short random delay. Nothing else is."),
        width,
        "felt",
        2,
    )
    lines.append([])
    lines.append([("title", _("What cannot be undone"))])
    lines += paragraph(
        _(
            "A played card cannot be taken back, its secret is out. The guard in the settings holds a chosen card for "
            "a moment, and Esc takes it back."
        ),
        width,
        "felt",
        2,
    )
    return lines


@lru_cache(maxsize=8)
def _rules_in(language: str) -> str:
    try:
        translated = LOCALE_DIR / language / "RULES.md"
        if translated.exists():
            return translated.read_text(encoding="utf-8")
        return resources.files("protocol").joinpath("RULES.md").read_text(encoding="utf-8")
    except (OSError, ModuleNotFoundError):
        return ""


def rules_text() -> str:
    """The rules in the language in force, as :mod:`protocol` has them in English; empty if they are not installed."""
    return _rules_in(current_language())


def rule_numbers() -> tuple[str, ...]:
    """The numbers that the rules text has, in its order."""
    return tuple(dict.fromkeys(match[1] for match in re.finditer(r"^\*\*(R\d+)\*\*", rules_text(), re.MULTILINE)))


def rule_blocks(text: str) -> list[tuple[str, str]]:
    """The Markdown of the rules as blocks ``(kind, text)``; kinds: ``head``, ``item``, ``code``, ``row``, ``text``.

    Only what that file uses is known; the lines of a paragraph are joined.
    """
    blocks: list[tuple[str, str]] = []
    fresh = True
    for raw in text.splitlines():
        line = raw.rstrip()
        if not line:
            fresh = True
            continue
        clean = re.sub(r"\*([^*]+)\*", r"\1", line.replace("**", "").replace("`", "")).replace("  ", " ")
        if line.startswith("#"):
            blocks.append(("head", clean.lstrip("# ")))
        elif line.startswith("    ") and (fresh or blocks[-1][0] == "code"):
            blocks.append(("code", line[4:].replace("**", "")))
            fresh = False
            continue
        elif line.startswith("|"):
            if not set(line) <= set("|-: "):
                blocks.append(("row", "   ".join(cell.strip() for cell in clean.strip("|").split("|"))))
        elif re.match(r"\s*[-*] ", line):
            blocks.append(("item", re.sub(r"^\s*[-*] ", "", clean)))
            fresh = False
            continue
        elif fresh or not blocks or blocks[-1][0] not in ("text", "item"):
            blocks.append(("text", clean))
        else:
            blocks[-1] = (blocks[-1][0], blocks[-1][1] + " " + clean.strip())
        fresh = line.startswith(("#", "|"))
    return blocks


def rules_document(faces: Faces, width: int) -> tuple[list[Line], dict[str, int]]:
    """The rules, and the line at which each number starts."""
    lines: list[Line] = []
    index: dict[str, int] = {}
    before = ""
    for kind, text in rule_blocks(rules_text()):
        if lines and not (kind == before and kind in ("item", "code", "row")):
            lines.append([])
        before = kind
        if kind == "head":
            lines.append([("title", text)])
        elif kind in ("code", "row"):
            lines.append([("strong" if kind == "code" else "felt", "    " + text)])
        elif kind == "item":
            rows = wrap(text, width - 4)
            lines.append([("felt", f"  {faces.sign('bullet')} {rows[0]}")])
            lines += [[("felt", "    " + row)] for row in rows[1:]]
        else:
            number = re.match(r"R\d+\b", text)
            rows = wrap(text, width)
            if number is not None:
                index.setdefault(number[0], len(lines))
                lines.append([("mark", number[0]), ("felt", rows[0][len(number[0]) :])])
                rows = rows[1:]
            lines += [[("felt", row)] for row in rows]
    return lines, index
