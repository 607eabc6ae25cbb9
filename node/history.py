"""The matches this node has played, read back from the store."""

from collections.abc import Iterable
from dataclasses import dataclass

from node.errors import EXIT_NO, DokoError
from node.i18n import _
from node.plan import unpack_plan
from node.ratings import course, games
from node.store import HandRow, MatchRow, Store
from node.view import HistoryView
from node.view import MatchRow as MatchView


@dataclass(frozen=True, slots=True)
class Played:
    """One match: ``names``, ``keys``, ``points`` and ``money`` (cents) by seat; ``me`` is our seat."""

    match: bytes
    state: str
    reason: str
    begun: float
    ended: float | None
    mode: str
    currency: str
    names: tuple[str, ...]
    keys: tuple[bytes, ...]
    me: int
    points: tuple[int, ...]
    money: tuple[int, ...]
    kitty: int
    hands: tuple[HandRow, ...]

    @property
    def hand_points(self) -> tuple[int, ...]:
        """Our points, hand by hand."""
        return tuple(hand.points[self.me] for hand in self.hands)


def played(store: Store, *, names: dict[bytes, str] | None = None) -> list[Played]:
    """All matches, oldest first; *names*: what we call people, by identity key."""
    by_match: dict[bytes, list[HandRow]] = {}
    for hand in store.hands():
        by_match.setdefault(hand.match, []).append(hand)
    return [_played(row, by_match.get(row.match, ()), names or {}) for row in store.matches()]


def _played(row: MatchRow, hands: Iterable[HandRow], names: dict[bytes, str]) -> Played:
    own = tuple(hands)
    mode, currency = "", ""
    called: tuple[str, ...] = ("",) * 4
    keys: tuple[bytes, ...] = (b"",) * 4
    try:
        setup = unpack_plan(row.setup).setup
    except DokoError:  # of an older or newer program: the numbers are still good
        pass
    else:
        players = setup.roster.players
        mode, currency = setup.terms.mode, setup.terms.currency
        keys = tuple(player.identity for player in players)
        called = tuple(names.get(player.identity) or player.nickname for player in players)
    return Played(
        row.match,
        row.state,
        row.reason,
        row.begun,
        row.ended,
        mode,
        currency,
        called,
        keys,
        row.seat,
        tuple(sum(hand.points[seat] for hand in own) for seat in range(4)),
        tuple(sum(hand.money[seat] for hand in own) for seat in range(4)),
        sum(hand.kitty for hand in own),
        own,
    )


def find(matches: Iterable[Played], text: str) -> Played:
    """The one match whose name begins with *text* (hexadecimal); ``last`` is the latest.  Raises :class:`DokoError`."""
    everything = list(matches)
    wanted = text.strip().lower()
    if wanted == "last" and everything:
        return everything[-1]
    found = [one for one in everything if wanted and one.match.hex().startswith(wanted)]
    if len(found) == 1:
        return found[0]
    if found:
        raise DokoError(
            _("{name} is the beginning of {n} matches.").format(name=repr(text[:70]), n=len(found)),
            _("Give more digits."),
        )
    raise DokoError(_("There is no match {name}.").format(name=repr(text[:70])), _("See: doko history"), EXIT_NO)


def history_view(store: Store, *, names: dict[bytes, str] | None = None) -> HistoryView:
    """The finished matches as a console shows them, and our own rating after each."""
    rows = store.matches("finished")
    places = course(games(store), rows[-1].identity) if rows else {}
    return HistoryView(
        tuple(
            MatchView(
                one.match.hex(),
                one.begun,
                one.mode,
                one.names,
                one.me,
                one.points,
                one.money,
                one.currency,
                one.hand_points,
                store.settlement_file(one.match),
            )
            for one in played(store, names=names)
            if one.state == "finished"
        ),
        tuple(round(place, 1) for place in places.values()),
    )
