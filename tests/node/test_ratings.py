"""Ratings: sides of a hand, computers that hold the scale, what is clearly weaker or stronger."""

import random
from pathlib import Path

import pytest

from node import ratings
from node.bots.levels import LEVELS
from node.plan import pack_plan
from node.ratings import MIDDLE, POINTS, Game, Rated, Ratings, apart, course, games, level_place, nearest_level
from node.store import HandRow, open_store
from tests.node.played import PEOPLE, plan

ME, YOU, HER, HIM = (person.key for person in PEOPLE)


def hand(points: tuple[int, int, int, int], levels: tuple[str | None, ...] = (None,) * 4, match: bytes = b"m") -> Game:
    return Game(match, tuple(zip((ME, YOU, HER, HIM), levels, strict=True)), points)


def test_every_level_has_a_place_and_stronger_levels_stand_higher() -> None:
    assert set(LEVELS) <= set(POINTS)
    places = [level_place(level) for level in ("random", "beginner", "intermediate", "strong")]
    assert places == sorted(places)  # type: ignore[type-var]
    assert level_place("beginner") == MIDDLE
    assert level_place("grandmaster") is None


def test_two_win_against_two() -> None:
    found = Ratings([hand((3, -3, 3, -3))])
    won, lost = found.of(ME), found.of(YOU)
    assert won is not None
    assert lost is not None
    assert won.place == found.of(HER).place > MIDDLE > lost.place  # type: ignore[union-attr]
    assert won.sure < ratings.UNKNOWN
    assert (won.hands, won.matches) == (1, 1)


def test_a_solo_won_and_a_solo_lost_count_alike() -> None:
    """Although one stands against three: the solo is chosen for the cards that make up for it."""
    moves = []
    for sign in (1, -1):
        found = Ratings([hand((9 * sign, -3 * sign, -3 * sign, -3 * sign))])
        alone, other = found.of(ME), found.of(YOU)
        assert alone is not None
        assert other is not None
        assert (alone.place - MIDDLE) * sign > 0
        assert (other.place - MIDDLE) * sign < 0
        moves.append(abs(alone.place - MIDDLE))
    assert moves[0] == pytest.approx(moves[1], rel=0.05)


def test_a_hand_without_points_says_nothing() -> None:
    assert Ratings([hand((0, 0, 0, 0))]).of(ME) is None


def test_computers_stay_where_they_are() -> None:
    levels = (None, "strong", None, "strong")
    found = Ratings([hand((2, -2, 2, -2), levels)] * 50)
    strong = found.of(YOU)
    assert strong is not None
    assert strong.place == level_place("strong")
    mine = found.of(ME)
    assert mine is not None
    assert mine.place > strong.place


def test_who_plays_like_a_level_ends_near_it() -> None:
    """A person who wins against beginners as often as ``strong`` should, is placed beside it."""
    rng = random.Random("like strong")
    place = level_place("strong")
    assert place is not None
    chance = 0.5 + POINTS["strong"] / (2 * ratings.STAKE)
    played = []
    for n in range(400):
        won = 1 if rng.random() < chance else -1
        played.append(hand((won, -won, won, -won), (None, "beginner", None, "beginner"), bytes([n // 4 % 250])))
    mine = Ratings(played).of(ME)
    assert mine is not None
    assert abs(mine.place - place) < 2 * max(mine.sure, 0.5)
    assert nearest_level(place) in ("strong", "master")


def test_a_policy_that_is_no_level_is_rated_like_a_person() -> None:
    found = Ratings([hand((2, -2, 2, -2), ("greedy", None, None, None))])
    greedy = found.of(ME)
    assert greedy is not None
    assert greedy.place > MIDDLE


def test_course_after_each_match() -> None:
    played = [hand((1, -1, 1, -1), match=b"1"), hand((1, -1, 1, -1), match=b"1"), hand((-4, 4, -4, 4), match=b"2")]
    found = course(played, ME)
    assert list(found) == [b"1", b"2"]
    assert found[b"1"] > MIDDLE
    assert found[b"2"] < found[b"1"]
    assert Ratings(played).of(ME) is not None
    assert Ratings(played).of(ME).matches == 2  # type: ignore[union-attr]


def test_what_is_clearly_apart() -> None:
    assert apart(None, "strong") == 0
    assert apart(Rated(20.0, 8.0), "strong") == 0  # hardly known yet
    assert apart(Rated(10.0, 1.0, 100), "strong") == -1
    assert apart(Rated(40.0, 1.0, 100), "beginner") == 1
    assert apart(Rated(MIDDLE, 1.0, 100), "beginner") == 0
    assert apart(Rated(MIDDLE, 1.0, 100), "of-the-house") == 0


def test_hands_of_finished_matches_only(tmp_path: Path) -> None:
    with open_store(tmp_path / "doko.db", clock=lambda: 1000.0) as store:
        for number in (0, 1):
            one = plan(number)
            store.add_match(one.match, PEOPLE[0].key, 0, pack_plan(one))
            row = HandRow(one.match, 0, 1, 0, "normal", 2, 0, "", 1.0, (2, -2, 2, -2), (0, 0, 0, 0))
            if number == 0:
                store.finish_match(one.match, b"settlement", hands=[row])
            else:
                store.add_hand(row)
        found = games(store)
    assert [game.match for game in found] == [plan(0).match]
    assert found[0].seats == tuple((person.key, None) for person in PEOPLE)
    assert found[0].points == (2, -2, 2, -2)


@pytest.mark.parametrize("points", [-20.0, -1.0, 0.5, 20.0])
def test_places_are_finite_and_in_order(points: float) -> None:
    assert -100 < ratings.place_of(points) < 100
    assert (ratings.place_of(points) > MIDDLE) is (points > 0)
