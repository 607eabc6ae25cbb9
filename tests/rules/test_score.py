"""R24 to R28: the value of a hand, item by item."""

import pytest

from protocol.cards import CARD_POINTS, parse_card
from tests.rules.games import (
    BY_RE_POINTS,
    FORTY,
    FOX_IN_ONES_OWN,
    JACK_BEATEN,
    MARRIAGE_ALONE,
    MARRIAGE_ALONE_WON,
    MARRIAGE_SPECIALS,
    NEGATIVE,
    SILENT_LOST,
    SILENT_WON,
    SOLO_151,
    SPECIALS,
    TWO_FOXES,
    ZERO,
)
from tests.rules.tell import bids, items, lines, out, scored, tell
from tests.rules.test_winner import calls


def reckoning(points: str, *specs: str, rules: str = "stargames", special: bool = False) -> list[str]:
    return items(tell(BY_RE_POINTS[points], *calls(points, *specs), rules=rules, special=special))


def value(points: str, *specs: str, rules: str = "stargames", special: bool = False) -> int:
    return scored(tell(BY_RE_POINTS[points], *calls(points, *specs), rules=rules, special=special)).value


BOTH = pytest.mark.parametrize("rules", ["stargames", "ddv"])


@BOTH
def test_R24_won_alone_is_one_point(rules: str) -> None:
    assert reckoning("121", rules=rules) == ["re won 1"]


@BOTH
@pytest.mark.parametrize(
    ("points", "levels"),
    [
        ("150", []),
        ("151", ["under-90"]),
        ("180", ["under-90"]),
        ("181", ["under-90", "under-60"]),
        ("210", ["under-90", "under-60"]),
        ("211", ["under-90", "under-60", "under-30"]),
        ("240+1", ["under-90", "under-60", "under-30"]),
        ("240", ["under-90", "under-60", "under-30", "no-trick"]),
    ],
)
def test_R24_a_point_for_each_level_contra_stayed_under(rules: str, points: str, levels: list[str]) -> None:
    assert reckoning(points, rules=rules) == ["re won 1", *(f"re {level} 1" for level in levels)]


@BOTH
@pytest.mark.parametrize(
    ("points", "levels"),
    [
        ("90", []),
        ("89", ["under-90"]),
        ("60", ["under-90"]),
        ("59", ["under-90", "under-60"]),
        ("30", ["under-90", "under-60"]),
        ("29", ["under-90", "under-60", "under-30"]),
        ("0", ["under-90", "under-60", "under-30", "no-trick"]),
    ],
)
def test_R24_a_point_for_each_level_re_stayed_under(rules: str, points: str, levels: list[str]) -> None:
    assert reckoning(points, rules=rules) == ["kontra won 1", *(f"kontra {level} 1" for level in levels)]


@BOTH
def test_R24_re_called_is_two_points(rules: str) -> None:
    assert reckoning("121", "re re", rules=rules) == ["re won 1", "re re-called 2"]


@BOTH
def test_R24_contra_called_is_two_points_whoever_wins(rules: str) -> None:
    assert reckoning("121", "kontra kontra", rules=rules) == ["re won 1", "re kontra-called 2"]


@BOTH
def test_R24_a_call_of_the_loser_pays_the_winner(rules: str) -> None:
    assert reckoning("119", "re re", rules=rules) == ["kontra won 1", "kontra re-called 2"]


@BOTH
def test_R24_both_called(rules: str) -> None:
    assert value("121", "re re", "kontra kontra", rules=rules) == 5


def test_R24_a_late_reply_counts_too() -> None:
    # Re are players 1 and 4; Contra replies with ten cards.
    assert scored(tell(BY_RE_POINTS["121"], "1 re 11", "2 kontra 10", special=False)).value == 5


def test_R24_stargames_pays_a_level_that_the_winner_called_once() -> None:
    assert reckoning("151", "re no90") == ["re won 1", "re re-called 2", "re re-no90 1"]


def test_R24_ddv_pays_a_level_that_the_winner_called_twice() -> None:
    assert reckoning("151", "re no90", rules="ddv") == [
        "re won 1",
        "re under-90 1",
        "re re-called 2",
        "re re-no90 1",
    ]


def test_R24_stargames_counts_a_skipped_step_as_called() -> None:
    assert reckoning("181", "re no60") == ["re won 1", "re re-called 2", "re re-no90 1", "re re-no60 1"]


def test_R24_stargames_pays_a_level_beyond_the_call() -> None:
    assert reckoning("181", "re no90") == ["re won 1", "re under-60 1", "re re-called 2", "re re-no90 1"]


def test_R24_stargames_pays_levels_that_the_loser_called() -> None:
    # Re called no 90 and stayed under 90 itself: Contra called nothing, so the level is paid.
    assert reckoning("89", "re no90") == [
        "kontra won 1",
        "kontra under-90 1",
        "kontra re-called 2",
        "kontra re-no90 1",
        "kontra against-90 1",
    ]


@pytest.mark.parametrize(("rules", "worth"), [("stargames", 7), ("ddv", 11)])
def test_R24_everything_called_and_made(rules: str, worth: int) -> None:
    assert value("240", "re black", rules=rules) == worth


@BOTH
def test_R24_each_step_of_either_side_is_a_point(rules: str) -> None:
    found = reckoning("151", "re no90", "kontra no60", rules=rules)
    assert [i for i in found if "-no" in i] == ["re re-no90 1", "re kontra-no90 1", "re kontra-no60 1"]


def test_R24_the_manuals_fixed_point() -> None:
    """A soloist wins with Re and no 90: worth 4, and 5 in the other profile."""
    for rules, worth in (("stargames", 4), ("ddv", 5)):
        record = tell(SOLO_151, "1 re 12", "1 no90 12", bidding=bids("1 solo solo-diamonds"), rules=rules)
        assert out(record)["card_points"]["re"] == 151
        assert scored(record).value == worth


@BOTH
@pytest.mark.parametrize(
    ("contra", "step", "against"),
    [
        (119, "no90", []),
        (120, "no90", ["against-90"]),
        (89, "no60", []),
        (90, "no60", ["against-60"]),
        (120, "no60", ["against-90", "against-60"]),
        (59, "no30", []),
        (60, "no30", ["against-30"]),
        (90, "no30", ["against-60", "against-30"]),
        (29, "black", []),
        (30, "black", ["against-black"]),
        (60, "black", ["against-30", "against-black"]),
        (121, "black", ["against-90", "against-60", "against-30", "against-black"]),
    ],
)
def test_R25_each_called_step_is_tested_by_itself(rules: str, contra: int, step: str, against: list[str]) -> None:
    found = reckoning(str(240 - contra), f"re {step}", rules=rules)
    assert [i.split()[1] for i in found if "against" in i] == against


def test_R25_130_against_a_missed_no_60_is_two_points() -> None:
    from protocol.rules.score import _against

    assert [(i.side.value, i.item) for i in _against((3, 0), (110, 130))] == [
        ("kontra", "against-90"),
        ("kontra", "against-60"),
    ]


def test_R25_against_contra_pays_re() -> None:
    assert "re against-90 1" in reckoning("121", "kontra no90")


def test_R25_a_step_that_was_not_called_is_not_tested() -> None:
    assert not [i for i in reckoning("119", "re re") if "against" in i]


def test_R26_against_the_old() -> None:
    assert reckoning("119", special=True) == ["kontra won 1", "kontra against-the-old 1"]


def test_R26_re_gets_nothing_for_winning() -> None:
    assert reckoning("121", special=True) == ["re won 1"]


def test_R26_special_points_are_set_off() -> None:
    r = scored(tell(SPECIALS))
    mine = sum(i.points for i in r.items if i.side is r.winner)
    theirs = sum(i.points for i in r.items if i.side is not r.winner)
    assert theirs > 0
    assert r.value == mine - theirs


def test_R26_the_option_switches_all_of_them_off() -> None:
    found = " ".join(items(tell(SPECIALS, special=False)))
    assert not any(word in found for word in ("old", "doppelkopf", "fox", "charlie"))


def married(player: int, tricks: str, rules: str = "stargames") -> dict[str, object]:
    return tell(tricks, bidding=bids(f"{player} marriage"), rules=rules)


def test_R26_the_special_points_of_one_hand() -> None:
    assert items(tell(SPECIALS)) == [
        "kontra won 1",
        "kontra against-the-old 1",
        "kontra doppelkopf 1 @1",
        "re fox 1 @9",
        "kontra fox 1 @12",
        "kontra charlie 1 @12",
    ]


def test_R26_exactly_40_points_are_a_doppelkopf() -> None:
    assert "re doppelkopf 1 @10" in items(tell(FORTY))
    assert sum(CARD_POINTS[parse_card(c)] for c in lines(FORTY)[9][1:]) == 40


def test_R26_both_foxes_in_one_trick_are_two_points() -> None:
    assert [i for i in items(tell(TWO_FOXES)) if "fox" in i] == ["re fox 1 @10", "re fox 1 @10"]


def test_R26_a_fox_that_goes_home_is_no_point() -> None:
    assert items(tell(FOX_IN_ONES_OWN)) == ["re won 1", "re under-90 1"]


def test_R26_a_club_jack_that_does_not_win_the_last_trick_is_no_charlie() -> None:
    assert "CJ" in lines(JACK_BEATEN)[11]
    assert "charlie" not in " ".join(items(tell(JACK_BEATEN)))


def test_R26_a_resolved_marriage_has_special_points() -> None:
    assert items(married(3, MARRIAGE_SPECIALS)) == [
        "kontra won 1",
        "kontra against-the-old 1",
        "kontra fox 1 @10",
    ]


def test_R28_a_silent_solo_has_no_special_points_and_no_against_the_old() -> None:
    assert items(tell(SILENT_LOST)) == ["kontra won 1", "kontra under-90 1", "kontra under-60 1"]
    tricks = [line[1:] for line in lines(SILENT_LOST)]
    assert max(sum(CARD_POINTS[parse_card(c)] for c in trick) for trick in tricks) >= 40


def test_R28_an_unresolved_marriage_has_no_special_points() -> None:
    assert items(married(4, MARRIAGE_ALONE)) == ["kontra won 1"]


def test_R27_nobody_won_and_only_against_counts() -> None:
    value = out(tell(BY_RE_POINTS["150"], *calls("150", "re no90", "kontra no90")))
    assert value["winner"] is None
    assert [(i["side"], i["item"]) for i in value["items"]] == [("re", "against-90")]
    assert value["value"] == 1


def test_R27_the_value_is_from_the_view_of_re() -> None:
    value = out(tell(BY_RE_POINTS["90"], *calls("90", "re no90", "kontra no90")))
    assert (value["winner"], value["value"]) == (None, -1)
    assert [value["points"][p - 1] for p in value["re"]] == [-1, -1]


@BOTH
def test_R27_levels_count_called_or_not(rules: str) -> None:
    assert reckoning("151", "re no60", "kontra black", rules=rules) == [
        "re under-90 1",
        "re against-90 1",
        "re against-60 1",
        "re against-30 1",
        "re against-black 1",
    ]


@BOTH
def test_R27_a_level_that_was_called_and_made_counts_once_if_nobody_won(rules: str) -> None:
    # Re called no 60 and with it no 90; it made no 90 only.
    assert "re under-90 1" in reckoning("151", "re no60", "kontra no90", rules=rules)


def test_R27_special_points_count_without_against_the_old() -> None:
    record = tell(SPECIALS, "1 no90 12", "3 no90 12")
    assert out(record)["winner"] is None
    found = items(record)
    assert "kontra against-the-old 1" not in found
    assert "kontra charlie 1 @12" in found


def test_R28_two_against_two() -> None:
    r = scored(tell(BY_RE_POINTS["151"]))
    assert r.value == 2
    assert [r.points[p] for p in r.re] == [2, 2]
    assert sum(r.points) == 0


def test_R28_a_soloist_gets_three_times() -> None:
    assert scored(tell(SOLO_151, bidding=bids("1 solo solo-diamonds"))).points == (6, -2, -2, -2)


def test_R28_a_silent_solo_counts_three_times() -> None:
    assert scored(tell(SILENT_WON)).points == (3, -1, -1, -1)
    assert scored(tell(SILENT_LOST)).points == (3, 3, 3, -9)


def test_R28_a_groom_alone_counts_three_times_and_stays_a_marriage() -> None:
    value = out(married(1, MARRIAGE_ALONE_WON))
    assert (value["contract"], value["re"], value["points"]) == ("marriage", [1], [3, -1, -1, -1])


def test_R28_the_value_can_be_0_for_the_winner() -> None:
    value = out(tell(ZERO))
    assert (value["winner"], value["value"], value["points"]) == ("re", 0, [0, 0, 0, 0])


def test_R28_the_value_can_be_negative_for_the_winner() -> None:
    value = out(tell(NEGATIVE))
    assert (value["winner"], value["value"], value["points"]) == ("re", -1, [-1, 1, -1, 1])


def test_R24_the_items_come_in_the_order_of_the_record_format() -> None:
    absagen = ("no90", "no60", "no30", "black")
    order = ["won", "under-90", "under-60", "under-30", "no-trick", "re-called", "kontra-called"]
    order += [f"{side}-{absage}" for side in ("re", "kontra") for absage in absagen]
    order += ["against-90", "against-60", "against-30", "against-black", "against-the-old"]
    order += ["doppelkopf", "fox", "charlie"]
    for record in (tell(SPECIALS, "1 no60 12", "3 kontra 12"), tell(BY_RE_POINTS["240"], "1 black 12", rules="ddv")):
        found = [order.index(i["item"]) for i in out(record)["items"]]
        assert found == sorted(found)
