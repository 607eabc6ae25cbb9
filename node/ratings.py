"""Ratings: how strong people and computers play, from the matches this node has played and settled itself.

Each hand that counts is a game of two sides (openskill, model Plackett-Luce; Weng and Lin, JMLR 12, 2011): those who
won points against those who lost them, alone or together.  Nothing comes from elsewhere: a stranger's word about his
own strength is worth nothing, a settlement that this node has checked is.

Computers have fixed places on the scale, by level, and hold it in place: a person who plays with them finds his own
place beside theirs.  The places follow from the league (:data:`POINTS`), so that a level's place is a measurement.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Final

from node.errors import DokoError
from node.plan import unpack_plan
from node.store import HandRow, Store

#: Measured by ``doko league LEVEL beginner`` (full rules, seats exchanged): points a hand above ``beginner``.  Each is
#: known to 0.08 (95 %).
POINTS: Final[dict[str, float]] = {
    "random": -2.19,
    "beginner": 0.0,
    "intermediate": 0.43,
    "strong": 1.37,
}
#: Where ``beginner`` stands, and everybody of whom nothing is known.
MIDDLE: Final = 25.0
UNKNOWN: Final = MIDDLE / 3  # standard deviation of one's place before the first hand
BETA: Final = MIDDLE / 6  # what chance adds to each player's strength in a hand (openskill's default)
#: A level's place is known far better than anybody's.
SURE: Final = 0.5
#: Points that change hands in a hand on average, by which points become chances of winning.
STAKE: Final = 3.0


def place_of(points: float) -> float:
    """The place on the scale of two who win *points* a hand more than two of the middle.

    The chance to win a hand is about 1/2 + points / (2 * STAKE); two of strength m beat two of strength n with the
    chance Phi((m - n) / BETA) (both strengths count twice, the chances of four players add up).
    """
    chance = min(max(0.5 + points / (2 * STAKE), 0.01), 0.99)
    return MIDDLE + BETA * NormalDist().inv_cdf(chance)


def level_place(level: str) -> float | None:
    """The fixed place of a level; ``None`` for a policy that is none of ours."""
    points = POINTS.get(level)
    return None if points is None else place_of(points)


def nearest_level(place: float) -> str:
    """The level that plays most like somebody at *place*."""
    return min(POINTS, key=lambda level: abs(place_of(POINTS[level]) - place))


@dataclass(frozen=True, slots=True)
class Rated:
    """A place on the scale, how sure it is (one standard deviation), and from how many hands and matches."""

    place: float = MIDDLE
    sure: float = UNKNOWN
    hands: int = 0
    matches: int = 0


@dataclass(frozen=True, slots=True)
class Game:
    """One hand: who sat there (identity, and the level of a computer), and who won how many points."""

    match: bytes
    seats: tuple[tuple[bytes, str | None], ...]
    points: tuple[int, ...]


def games(store: Store) -> list[Game]:
    """The hands of all finished matches in *store*, in the order played."""
    rows: dict[bytes, list[HandRow]] = {}
    for hand in store.hands():
        rows.setdefault(hand.match, []).append(hand)
    found: list[Game] = []
    for match in store.matches("finished"):
        try:
            setup = unpack_plan(match.setup).setup
        except DokoError:
            continue  # of another program's version
        seats = []
        for seat, player in enumerate(setup.roster.players):
            bot = setup.terms.bot_at(seat)
            seats.append((player.identity, None if bot is None else bot.policy))
        found += [Game(match.match, tuple(seats), hand.points) for hand in rows.get(match.match, ())]
    return found


class Ratings:
    """Places of everybody met so far, kept up hand by hand."""

    def __init__(self, played: Iterable[Game] = ()) -> None:
        from openskill.models import PlackettLuce

        self._model = PlackettLuce(mu=MIDDLE, sigma=UNKNOWN, beta=BETA)
        self._found: dict[bytes, Rated] = {}
        self._last: dict[bytes, bytes] = {}
        for game in played:
            self.add(game)

    def of(self, identity: bytes) -> Rated | None:
        """The place of a person, or of a computer whose level has none; ``None`` before the first hand."""
        return self._found.get(identity)

    def add(self, game: Game) -> None:
        """Take a hand in; one in which no points moved says nothing."""
        winners = [seat for seat in range(4) if game.points[seat] > 0]
        losers = [seat for seat in range(4) if game.points[seat] < 0]
        if not winners or not losers:
            return
        teams = [[self._rating(game.seats[seat]) for seat in side] for side in (winners, losers)]
        # Strengths of a side are added up.  Who plays alone does so with cards that make up for it, so average players
        # stand beside him: winning and losing a solo count alike.
        for side, other in (teams, teams[::-1]):
            average = sum(rating.mu for rating in other) / len(other)
            side += [self._model.rating(mu=average, sigma=SURE) for _missing in range(len(other) - len(side))]
        after = self._model.rate(teams)
        for side, rated in zip((winners, losers), after, strict=True):
            for seat, rating in zip(side, rated, strict=False):
                self._keep(game.match, game.seats[seat], rating)

    def _rating(self, who: tuple[bytes, str | None]) -> Any:
        identity, level = who
        fixed = None if level is None else level_place(level)
        if fixed is not None:
            return self._model.rating(mu=fixed, sigma=SURE)
        known = self._found.get(identity, Rated())
        return self._model.rating(mu=known.place, sigma=known.sure)

    def _keep(self, match: bytes, who: tuple[bytes, str | None], rating: Any) -> None:
        identity, level = who
        old = self._found.get(identity, Rated())
        fixed = None if level is None else level_place(level)
        place, sure = (rating.mu, rating.sigma) if fixed is None else (fixed, SURE)
        fresh = self._last.get(identity) != match
        self._last[identity] = match
        self._found[identity] = Rated(place, sure, old.hands + 1, old.matches + fresh)


def ratings_of(store: Store) -> Ratings:
    """Everybody's place, from the matches in *store*."""
    return Ratings(games(store))


def course(played: Sequence[Game], me: bytes) -> dict[bytes, float]:
    """The place of *me* after each match, by match."""
    ratings, found = Ratings(), {}
    for game in played:
        ratings.add(game)
        mine = ratings.of(me)
        if mine is not None:
            found[game.match] = mine.place
    return found


def apart(mine: Rated | None, wanted: str) -> int:
    """How far somebody is from a *wanted* level: -1 clearly weaker, 1 clearly stronger, 0 about right or not known.

    Clearly: by more than a standard deviation of what is known, and by more than half the way to the next level.
    """
    place = level_place(wanted)
    if mine is None or place is None:
        return 0
    places = sorted({place_of(points) for points in POINTS.values()})
    steps = [abs(other - place) for other in places if other != place]
    gap = mine.place - place
    if abs(gap) <= max(mine.sure, min(steps) / 2):
        return 0
    return int(math.copysign(1, gap))
