"""R33 and R34: two humans and two computers."""

import pytest

from protocol.refusal import Refusal
from protocol.rules.calls import Side
from protocol.rules.hand import (
    Call,
    CallKind,
    HandRules,
    Healthy,
    Phase,
    Play,
    Reserve,
    apply,
    call_options,
    legal,
    result,
    start,
)
from protocol.rules.record import BadRecord, parse
from tests.rules.games import BY_RE_POINTS
from tests.rules.tell import Value, bids, cut, out, played, refused, tell

GAME = BY_RE_POINTS["151"]  # the club queens are with players 1 and 2
HUMANS_13 = [1, 3]
HUMANS_24 = [2, 4]

#: Player 2 holds both club queens: a computer if the humans are 1 and 3, a human if they are 2 and 4.
MARRIED = (
    "SA CK HJ DT CJ DQ HA ST HK CK SA HK",
    "SK DT HJ HT SJ DK CJ S9 DQ CQ SK CQ",
    "S9 C9 DA DK DA HQ HA SJ HT CA CT H9",
    "ST CT HQ D9 SQ D9 H9 CA DJ C9 DJ SQ",
)
CLEARED_BY_1 = "1 SA SK S9 ST"
GROOM_ALONE = "1 DQ HT DK D9\n2 CQ DA DJ CJ\n2 CQ DA D9 DT"
ONE_FOR_PLAYER_4 = "1 DT DK DA HQ\n4 D9 DQ CQ DA\n2 CQ DK D9 HJ"


def marriage(tricks: str, humans: list[int]) -> Value:
    return tell(tricks, bidding=bids("2 marriage"), hands=MARRIED, duel=humans)


@pytest.mark.parametrize("humans", [HUMANS_13, HUMANS_24])
def test_R34_a_club_queen_on_each_side_is_allowed(humans: list[int]) -> None:
    assert out(tell(GAME, duel=humans))["status"] == "complete"


@pytest.mark.parametrize("humans", [HUMANS_13, HUMANS_24])
def test_R34_both_club_queens_with_one_player_are_allowed(humans: list[int]) -> None:
    assert out(marriage("", humans))["status"] == "incomplete"


@pytest.mark.parametrize("humans", [HUMANS_13, HUMANS_24])
def test_R34_a_club_queen_with_each_human_or_each_computer_is_no_deal(humans: list[int]) -> None:
    record = tell(BY_RE_POINTS["59"], duel=humans)  # the club queens are with players 1 and 3
    with pytest.raises(BadRecord) as caught:
        parse(record)
    assert caught.value.rule == "R34"


def test_R34_computers_never_call() -> None:
    record = cut(tell(GAME, duel=HUMANS_13), "2 call re", after="4 healthy")
    assert refused(record) == "R34"


def test_R34_computers_are_offered_no_call() -> None:
    state = played(tell(GAME, duel=HUMANS_13, stop=0))
    assert call_options(state, 1) == ()
    assert call_options(state, 2) != ()


def test_R34_humans_call_as_ever() -> None:
    assert played(tell(GAME, "1 re 11", "3 kontra 10", duel=HUMANS_13)).levels == (1, 1)


def test_R34_a_computer_with_both_club_queens_says_reservation() -> None:
    record = marriage("", HUMANS_13)
    assert refused({**record, "events": ["1 healthy", "2 healthy"]}) == "R34"
    assert out({**record, "events": ["1 healthy"]})["next"] == [{"player": 2, "may": ["reservation"]}]


def test_R34_a_computer_without_them_says_healthy() -> None:
    record = marriage("", HUMANS_24)
    assert refused({**record, "events": ["1 reservation"]}) == "R34"
    assert out({**record, "events": []})["next"] == [{"player": 1, "may": ["healthy"]}]


def test_R34_a_computer_names_the_marriage_and_no_solo() -> None:
    record = marriage("", HUMANS_13)
    events = bids("2 marriage")[:4]
    assert out({**record, "events": [*events]})["next"] == [{"player": 2, "may": ["marriage"]}]
    assert refused({**record, "events": [*events, "2 solo solo-queens"]}) == "R34"


def test_R34_a_human_may_play_a_solo() -> None:
    value = out(tell("", bidding=bids("2 solo solo-aces"), hands=MARRIED, duel=HUMANS_24))
    assert value["contract"] == "solo-aces"


def test_R34_a_human_with_both_club_queens_may_say_healthy() -> None:
    value = out(tell("", hands=MARRIED, duel=HUMANS_24))
    assert (value["contract"], value["re"]) == ("silent-solo", [2])


def test_R34_a_humans_marriage_is_cleared_by_a_computer() -> None:
    assert out(marriage(CLEARED_BY_1, HUMANS_24))["re"] == [1, 2]


def test_R34_a_humans_marriage_is_not_cleared_by_the_other_human() -> None:
    value = out(marriage("1 DT DK DA HQ", HUMANS_24))
    assert (value["re"], value["trick_winners"], value["card_points"]) == (None, [4], {"re": 0, "kontra": 28})


def test_R34_the_other_human_took_one_of_three_and_the_hand_is_void() -> None:
    assert out(marriage(ONE_FOR_PLAYER_4, HUMANS_24)) == {
        "status": "complete",
        "void": True,
        "contract": "marriage",
        "winner": None,
        "value": 0,
        "points": [0, 0, 0, 0],
        "trick_winners": [4, 2, 2],
    }


def test_R34_a_human_groom_who_took_all_three_plays_alone() -> None:
    value = out(marriage(GROOM_ALONE, HUMANS_24))
    assert (value["status"], value["re"]) == ("incomplete", [2])


def test_R34_a_computers_marriage_is_cleared_by_a_human() -> None:
    assert out(marriage(CLEARED_BY_1, HUMANS_13))["re"] == [1, 2]


def test_R34_the_other_computers_trick_does_not_clear_and_keeps_its_points() -> None:
    value = out(marriage("1 DT DK DA HQ\n4 D9 DQ DT HT", HUMANS_13))
    assert value["re"] == [2, 3]
    # Trick 1 (28 points) went to player 4, who ends up on the other side; trick 2 (23 points) cleared.
    assert value["card_points"] == {"re": 23, "kontra": 28}


@pytest.mark.parametrize("tricks", [ONE_FOR_PLAYER_4, GROOM_ALONE])
def test_R34_no_human_trick_among_three_makes_a_computers_marriage_void(tricks: str) -> None:
    value = out(marriage(tricks, HUMANS_13))
    assert (value["status"], value["void"]) == ("complete", True)


def test_R34_nothing_follows_a_void_hand() -> None:
    record = marriage(GROOM_ALONE, HUMANS_13)
    assert refused({**record, "events": [*record["events"], "2 play SK"]}) == "R29"


def test_R34_without_a_duel_the_third_trick_of_the_groom_is_no_reason_to_void() -> None:
    assert out(tell(GROOM_ALONE, bidding=bids("2 marriage"), hands=MARRIED))["void"] is False


def test_R34_in_a_normal_game_the_humans_are_seen_to_be_opponents() -> None:
    state = played(tell(GAME, "1 re 12", duel=HUMANS_13, stop=0))
    assert state.known_sides[:3:2] == (Side.RE, Side.KONTRA)


def test_R34_a_computers_bid_is_open_while_its_hand_is_not_known() -> None:
    state = start(HandRules(duel=(0, 2)), proofs=True)
    state = apply(state, Healthy(0))
    assert legal(state, 1) == (Healthy(1), Reserve(1))


def test_R34_a_computer_that_turns_out_to_hold_both_makes_the_hand_void() -> None:
    """Only a ghost can come there: its "healthy" is by rule, not by its cards."""
    state = start(HandRules(duel=(0, 2)), proofs=True)
    for player in range(4):
        state = apply(state, Healthy(player))
    for act in (Play(0, 23), Play(1, 3), Play(2, 22), Play(3, 21), Play(1, 3)):
        assert state.phase is Phase.PLAY
        state = apply(state, act)
    assert state.void_hand
    assert result(state).void


def test_R34_a_call_of_a_computer_is_refused_before_its_proof_is_looked_at() -> None:
    state = start(HandRules(duel=(0, 2)), proofs=True)
    for player in range(4):
        state = apply(state, Healthy(player))
    with pytest.raises(Refusal) as caught:
        apply(state, Call(1, CallKind.RE))
    assert caught.value.rule == "R34"


def test_R34_the_humans_of_a_duel_sit_opposite_each_other() -> None:
    with pytest.raises(ValueError):
        HandRules(duel=(0, 1))
