"""The game in words: contracts, calls, score items, reasons.  Texts for people, in the language in force.

Every text says what a person at a table would say; the rule number beside it leads to the rules page.
"""

from typing import TYPE_CHECKING, Final

from node.console.faces import suit_name
from node.i18n import N_, _, ngettext

if TYPE_CHECKING:
    from collections.abc import Iterable

    from node.view import PlayerView, TermsView

#: Contracts by their name in records.
CONTRACTS: Final = {
    "normal": N_("normal game"),
    "marriage": N_("marriage"),
    "silent-solo": N_("silent solo"),
    "solo-clubs": N_("clubs solo"),
    "solo-spades": N_("spades solo"),
    "solo-hearts": N_("hearts solo"),
    "solo-diamonds": N_("diamonds solo"),
    "solo-queens": N_("queens solo"),
    "solo-jacks": N_("jacks solo"),
    "solo-aces": N_("aces solo"),
}
#: What is trump in each contract, in one line.
TRUMPS: Final = {
    "normal": N_("trumps: ten of hearts, queens, jacks, diamonds"),
    "marriage": N_("trumps: ten of hearts, queens, jacks, diamonds"),
    "silent-solo": N_("trumps: ten of hearts, queens, jacks, diamonds"),
    "solo-clubs": N_("trumps: ten of hearts, queens, jacks, clubs"),
    "solo-spades": N_("trumps: ten of hearts, queens, jacks, spades"),
    "solo-hearts": N_("trumps: ten of hearts, queens, jacks, hearts"),
    "solo-diamonds": N_("trumps: ten of hearts, queens, jacks, diamonds"),
    "solo-queens": N_("trumps: the eight queens"),
    "solo-jacks": N_("trumps: the eight jacks"),
    "solo-aces": N_("no trumps"),
}
CALLS: Final = {
    "re": N_("Re"),
    "kontra": N_("Contra"),
    "no90": N_("no 90"),
    "no60": N_("no 60"),
    "no30": N_("no 30"),
    "black": N_("black"),
}
SIDES: Final = {"re": N_("Re"), "kontra": N_("Contra")}
MODES: Final = {
    "variable": N_("variable stake"),
    "four-fixed": N_("four hands, fixed stake"),
    "duel": N_("duel"),
}
PROFILES: Final = {"stargames": N_("StarGames"), "ddv": N_("DDV")}
SEATS: Final = {"anyone": N_("anyone"), "friends": N_("friends"), "invited": N_("invited")}
ABSENCE: Final = {
    "wait": N_("wait"),
    "adjourn": N_("adjourn"),
    "ghost": N_("let a ghost play"),
}
ABSENCE_MEANING: Final = {
    "wait": N_("The hand stays as it is until all are back."),
    "adjourn": N_("The match is taken up on another day; no money moves until then."),
    "ghost": N_("The cards of the absent are played by rule, by the three together; the hand counts."),
}
STRENGTHS: Final = {
    "": N_("any"),
    "beginner": N_("beginner"),
    "intermediate": N_("intermediate"),
    "strong": N_("strong"),
}
LEVELS: Final = {
    "random": N_("random"),
    "beginner": N_("beginner"),
    "intermediate": N_("intermediate"),
    "strong": N_("strong"),
    "master": N_("master"),
}
#: Score items by their name in records: what is said of the point, and the rule that gives it.
ITEMS: Final = {
    "won": (N_("won"), "R24"),
    "under-90": (N_("the others stayed under 90"), "R24"),
    "under-60": (N_("the others stayed under 60"), "R24"),
    "under-30": (N_("the others stayed under 30"), "R24"),
    "no-trick": (N_("the others made no trick"), "R24"),
    "re-called": (N_("Re was called"), "R24"),
    "kontra-called": (N_("Contra was called"), "R24"),
    "re-no90": (N_("Re called no 90"), "R24"),
    "re-no60": (N_("Re called no 60"), "R24"),
    "re-no30": (N_("Re called no 30"), "R24"),
    "re-black": (N_("Re called black"), "R24"),
    "kontra-no90": (N_("Contra called no 90"), "R24"),
    "kontra-no60": (N_("Contra called no 60"), "R24"),
    "kontra-no30": (N_("Contra called no 30"), "R24"),
    "kontra-black": (N_("Contra called black"), "R24"),
    "against-90": (N_("120 card points against no 90"), "R25"),
    "against-60": (N_("90 card points against no 60"), "R25"),
    "against-30": (N_("60 card points against no 30"), "R25"),
    "against-black": (N_("30 card points against black"), "R25"),
    "against-the-old": (N_("Contra won against the old"), "R26"),
    "doppelkopf": (N_("Doppelkopf, a trick of 40 card points or more"), "R26"),
    "fox": (N_("caught a fox"), "R26"),
    "charlie": (N_("Charlie made the last trick"), "R26"),
}


def contract_name(contract: str) -> str:
    """A contract in words."""
    return _(CONTRACTS[contract])


def trumps_line(contract: str) -> str:
    """What is trump, in one line."""
    return _(TRUMPS[contract])


def call_name(kind: str) -> str:
    """A call in words."""
    return _(CALLS[kind])


def side_name(side: str) -> str:
    """A side in words."""
    return _(SIDES[side])


def mode_name(mode: str) -> str:
    """A mode in words."""
    return _(MODES[mode]) if mode in MODES else mode


def item_text(item: str) -> tuple[str, str]:
    """What a score item says, and its rule number."""
    text, rule = ITEMS[item]
    return _(text), rule


def class_name(cls: int, german: bool = False) -> str:
    """A class of cards that must be followed: a plain suit (0..3) or trump (4)."""
    return _("trump") if cls == 4 else suit_name(cls, german)


def must_follow(cls: int, german: bool = False) -> str:
    """Why a card is refused under R13."""
    return _("You must follow {led}.").format(led=class_name(cls, german))


def position_name(position: int) -> str:
    """Forehand, middlehand, rearhand, dealer."""
    return (_("forehand"), _("middlehand"), _("rearhand"), _("dealer"))[position]


def money(cents: int, currency: str = "", signed: bool = False) -> str:
    """Cents as people write them: ``-1.22 EUR``."""
    sign = "-" if cents < 0 else "+" if signed and cents > 0 else ""
    whole = f"{sign}{abs(cents) // 100}.{abs(cents) % 100:02}".replace(".", _("."))
    return f"{whole} {currency}".rstrip()


def kitty_name(name: str) -> str:
    """A kitty as people call it: with its name, if it has one of its own."""
    return _("kitty {name}").format(name=name) if name and name.casefold() != "kitty" else _("kitty")


def decimal(number: float, places: int, *, signed: bool = False) -> str:
    """A number as people write it here: ``1.45`` or ``1,45``."""
    return f"{number:{'+' if signed else ''}.{places}f}".replace(".", _("."))


def signed(n: int) -> str:
    """A number with its sign, 0 without."""
    return f"{n:+}" if n else "0"


def points(n: int) -> str:
    """``3 points``."""
    return ngettext("{n} point", "{n} points", n).format(n=n)


def card_points(n: int) -> str:
    """``23 card points``."""
    return ngettext("{n} card point", "{n} card points", n).format(n=n)


def tricks(n: int) -> str:
    """``3 tricks``."""
    return ngettext("{n} trick", "{n} tricks", n).format(n=n)


def cards(n: int) -> str:
    """``3 cards``."""
    return ngettext("{n} card", "{n} cards", n).format(n=n)


def seconds(n: float) -> str:
    """A time left, like ``0:23``."""
    whole = max(int(n + 0.999), 0)
    return f"{whole // 60}:{whole % 60:02}"


def names(items: "list[str] | tuple[str, ...]") -> str:
    """``Anna, Bruno and Carla``."""
    if len(items) < 2:
        return "".join(items)
    return _("{some} and {last}").format(some=", ".join(items[:-1]), last=items[-1])


def kind_of(player: "PlayerView") -> str:
    """What kind of computer sits there; empty for a person."""
    if player.bot is None:
        return ""
    return _("computer ({level})").format(level=_(LEVELS.get(player.bot, player.bot))) if player.bot else _("computer")


def no_void() -> str:
    """Why a hand cannot be void at a table with computers: a person alone could undo each hand that goes badly."""
    return _("Computers do not agree to a void hand (R29): it is played.")


def coming_line(coming: int) -> list[str]:
    """That so many computers are on their way to free seats; nothing if none is."""
    text = ngettext("A computer is on its way.", "{n} computers are on their way.", coming)
    return [text.format(n=coming)] if coming else []


def reach_line(addresses: tuple[str, ...], reach: str) -> tuple[str, str]:
    """From where an invitation with these addresses works: style and words.  *reach* as in ``LobbyView.reach``."""
    where = names(addresses)
    if reach == "machine":
        return "warn", _(
            "It leads to this machine alone ({addresses}): friends elsewhere cannot use it. In doko without a command "
            "(not doko play) it leads to your network; where friends reach you is set by network.addresses."
        ).format(addresses=where)
    if reach == "network":
        return "soft", _(
            "It leads to {addresses}: your own network. For friends elsewhere let your router pass the port on, and "
            "set the address they reach you at (network.addresses)."
        ).format(addresses=where)
    return "soft", _("It leads to {addresses}.").format(addresses=where)


def hosts_line(players: "Iterable[PlayerView | None]", *, duel: bool = False) -> str:
    """Who hosts which computers, and so could see their cards; empty if nobody here does.

    *duel*: also what one host of both computers could find out.
    """
    players = list(players)
    hosted: dict[str, list[str]] = {}
    for player in players:
        if player is not None and player.host:
            hosted.setdefault(player.host, []).append(player.name)
    if not hosted:
        return ""
    lists = "; ".join(
        _("{host} hosts {computers}").format(host=host, computers=names(computers))
        for host, computers in hosted.items()
    )
    text = _("Who hosts a computer could see its cards: {lists}.").format(lists=lists)
    both = next((host for host, computers in hosted.items() if len(computers) == 2), None)
    if duel and both is not None:
        if any(player is not None and player.name == both for player in players):
            more = _("With both hands and their own, {host} knows the fourth as well.")
        else:
            more = _("Together with one of the two players, {host} knows the fourth hand as well.")
        text += " " + more.format(host=both) + " " + _("Fair: two hosts who do not play, one computer each.")
    return text


def terms_lines(terms: "TermsView") -> list[tuple[str, str]]:
    """The terms as label and value, for the confirmation page and the plain console."""
    lines = [(_("Mode"), mode_name(terms.mode))]
    if terms.mode == "variable":
        limit = _("none") if terms.limit is None else money(terms.limit, terms.currency)
        lines.append((_("Stake"), _("{stake} a point").format(stake=money(terms.stake, terms.currency))))
        lines.append((_("Limit"), limit))
        if terms.limit is None:
            risk = _("A soloist wins or loses three times the value; there is no limit.")
        else:
            most = money(3 * terms.limit, terms.currency)
            risk = _("A soloist can win or lose three limits: {most}.").format(most=most)
        lines.append((_("At most"), risk))
    else:
        lines.append((_("Stake"), _("{stake} a hand").format(stake=money(terms.stake, terms.currency))))
        if terms.mode == "four-fixed":
            most = money(12 * terms.stake, terms.currency)
            lines.append((_("At most"), _("{most} in four hands, if you lose four solos").format(most=most)))
        else:
            lines.append((_("At most"), _("{most} in four hands").format(most=money(4 * terms.stake, terms.currency))))
    if terms.fee:
        fee = f"{terms.fee // 100}.{terms.fee % 100:02}".replace(".", _(".")) + " %"
        lines.append((_("Fee"), _("{fee}, to: {kitty}").format(fee=fee, kitty=kitty_name(terms.kitty))))
    else:
        lines.append((_("Fee"), _("none")))
    score = _("{profile}, with special points") if terms.special_points else _("{profile}, without special points")
    lines.append((_("Score"), score.format(profile=_(PROFILES.get(terms.profile, terms.profile)))))
    clock = _("{seconds} s a decision, and {reserve} s of reserve a hand")
    lines.append((_("Clock"), clock.format(seconds=terms.clock, reserve=terms.reserve)))
    rule = _("after {grace} s: {choice}; an open hand ends unpaid after {days} days")
    lines.append(
        (_("Absence"), rule.format(grace=terms.grace, choice=_(ABSENCE[terms.one_gone]), days=terms.expires_days))
    )
    lines.append((_("Seats for"), _(SEATS.get(terms.seats, terms.seats))))
    if terms.strength:
        lines.append((_("Wanted strength"), _(STRENGTHS.get(terms.strength, terms.strength))))
    lines.append(
        (_("Breach"), _("a proven breach costs 12 points (three times the fixed stake), whatever the hand is worth"))
    )
    return lines
