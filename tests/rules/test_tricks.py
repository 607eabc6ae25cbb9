"""R11 to R15: sides, the clearing of a marriage, following and winning tricks."""

import pytest

from tests.rules.games import BY_RE_POINTS
from tests.rules.tell import HEALTHY, Value, bids, cut, out, refused, tell

GAME = BY_RE_POINTS["121"]  # Re are players 1 and 4
FIRST = "1 play HT"  # the first card of that game; player 2 holds D9, SJ, ...

MARRIED = (
    "SA CK HJ DT CJ DQ HA ST HK CK SA HK",
    "SK DT HJ HT SJ DK CJ S9 DQ CQ SK CQ",
    "S9 C9 DA DK DA HQ HA SJ HT CA CT H9",
    "ST CT HQ D9 SQ D9 H9 CA DJ C9 DJ SQ",
)


def marriage(tricks: str) -> Value:
    """Player 2's marriage, and then these tricks."""
    return tell(tricks, bidding=bids("2 marriage"), hands=MARRIED)


def test_R11_the_club_queens_are_re() -> None:
    assert out(tell(GAME))["re"] == [1, 4]


def test_R11_a_soloist_is_alone() -> None:
    assert out(tell("", bidding=bids("4 solo solo-hearts"), hands=MARRIED))["re"] == [4]


def test_R12_a_marriage_has_no_partner_at_first() -> None:
    value = out(marriage(""))
    assert (value["contract"], value["re"]) == ("marriage", None)


def test_R12_the_first_other_to_win_a_trick_is_the_partner() -> None:
    value = out(marriage("1 SA SK S9 ST"))
    assert value["re"] == [1, 2]


def test_R12_a_trick_of_the_groom_does_not_clear() -> None:
    value = out(marriage("1 DQ HT DK D9"))
    assert (value["trick_winners"], value["re"]) == ([2], None)


def test_R12_the_second_trick_can_clear() -> None:
    assert out(marriage("1 DQ HT DK D9\n2 S9 S9 ST SA"))["re"] == [1, 2]


def test_R12_the_third_trick_can_clear() -> None:
    assert out(marriage("1 DQ HT DK D9\n2 CQ DA DJ CJ\n2 SK S9 ST SA"))["re"] == [1, 2]


def test_R12_a_groom_who_wins_three_tricks_plays_alone() -> None:
    value = out(marriage("1 DQ HT DK D9\n2 CQ DA DJ CJ\n2 CQ DA D9 DT"))
    assert (value["contract"], value["re"]) == ("marriage", [2])


def test_R12_a_partner_stays_though_others_win_later() -> None:
    assert out(marriage("1 SA SK S9 ST\n1 CK DT C9 CT\n2 HJ DA HQ DQ"))["re"] == [1, 2]


def test_R13_trump_must_be_followed() -> None:
    assert refused(cut(tell(GAME), "2 play H9", after=FIRST)) == "R13"


def test_R13_a_plain_suit_must_be_followed() -> None:
    record = cut(tell(GAME), after="1 play S9")
    assert refused({**record, "events": [*record["events"], "2 play SQ"]}) == "R13"


def healthy(tricks: str) -> Value:
    """The same deal, everybody healthy."""
    return tell(tricks, hands=MARRIED)


def test_R13_the_ten_of_hearts_does_not_follow_hearts() -> None:
    assert refused(healthy("1 HK SK HT")) == "R13"


def test_R13_who_cannot_follow_may_play_any_card() -> None:
    value = out(healthy("1 HK"))  # player 2 holds no plain hearts
    (may,) = [who["may"] for who in value["next"] if who["player"] == 2]
    plays = [act for act in may if act.startswith("play")]
    assert plays == [f"play {card}" for card in ["SK", "DT", "HJ", "HT", "SJ", "DK", "CJ", "S9", "DQ", "CQ"]]


def test_R13_who_can_follow_is_offered_nothing_else() -> None:
    value = out(healthy("1 HK SK"))
    (may,) = [who["may"] for who in value["next"] if who["player"] == 3]
    assert [act for act in may if act.startswith("play")] == ["play HA", "play H9"]


def test_R13_there_is_no_duty_to_beat() -> None:
    value = out(cut(tell(GAME), "2 play D9", after=FIRST))
    assert value["status"] == "incomplete"


def test_R14_a_card_out_of_turn_is_refused() -> None:
    assert refused(cut(tell(GAME), "3 play D9", after=FIRST)) == "R14"


def test_R14_a_card_of_another_hand_is_refused() -> None:
    assert refused(cut(tell(GAME), "2 play CQ", after=FIRST)) == "R14"


def test_R14_a_card_played_twice_is_refused() -> None:
    record = tell(BY_RE_POINTS["240"])  # player 1 has one HJ and plays it in trick 9
    events = record["events"]
    at = events.index("1 play HJ")
    assert refused({**record, "events": [*events[: at + 4], "1 play HJ"]}) == "R14"


def test_R14_the_winner_leads() -> None:
    record = tell(GAME, stop=12)
    assert out(record)["trick_winners"] == [1, 1, 3]
    assert refused({**record, "events": [*record["events"], "1 play H9"]}) == "R14"


def test_R14_twelve_tricks_are_played() -> None:
    value = out(tell(GAME))
    assert (value["status"], len(value["trick_winners"])) == ("complete", 12)


def test_R14_nothing_is_played_after_the_twelfth_trick() -> None:
    record = tell(GAME)
    assert refused({**record, "events": [*record["events"], "1 play HT"]}) == "R14"


def test_R15_nothing_after_a_refused_event_is_read() -> None:
    record = cut(tell(GAME), "2 play H9", "nonsense", after=FIRST)
    value = out(record)
    assert (value["status"], value["event"]) == ("refused", len(HEALTHY) + 1)


@pytest.mark.parametrize("stop", range(0, 48, 5))
def test_R14_a_hand_that_stops_early_is_incomplete(stop: int) -> None:
    assert out(tell(GAME, stop=stop))["status"] == "incomplete"
