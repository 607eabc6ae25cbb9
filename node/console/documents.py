"""Pages of text as styled lines: what they are made of, terms, friends, links, absence.

Each function gives a list of lines, a line being runs of ``(style, text)``.  The full screen scrolls them, the plain
console prints their text, so both say the same.
"""

from collections.abc import Sequence

from node.console import words
from node.console.canvas import Fragment, pad, text_width, wrap
from node.console.faces import Faces
from node.console.style import inline_style
from node.i18n import _, ngettext
from node.view import (
    AbsenceView,
    FriendView,
    LinkState,
    LinkView,
    PlayerView,
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
        label = _("Fingerprint")
        lines.append([("soft", pad(label, max(label_width, text_width(label) + 1)) + terms.hash)])
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
            _("Rating from your own verified matches: {rating}").format(rating=words.decimal(friend.rating, 1)), width
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
