"""R7, R29, R30 and R32: the run of hands."""

import pytest

from protocol.rules.match import Match
from protocol.rules.score import Result
from protocol.rules.stakes import Mode, Payment, Stakes
from tests.rules.games import BY_RE_POINTS, SOLO_151
from tests.rules.tell import bids, scored, tell

VOID = Result(True, None, (), None, 0, (0, 0, 0, 0), (0, 0), (), ())
WON = scored(tell(BY_RE_POINTS["121"]))  # positions 0 and 3 win 1
SOLO = scored(tell(SOLO_151, bidding=bids("1 solo solo-diamonds")))  # position 0 wins 6


def four(first: int = 0, fee: int = 0) -> Match:
    return Match(Stakes(Mode.FOUR_FIXED, 100, fee=fee), first)


def test_R7_forehand_moves_on_with_each_hand() -> None:
    match = four(first=3)
    seats = []
    for _ in range(4):
        seats.append(match.forehand)
        match = match.played(WON)
    assert seats == [3, 0, 1, 2]


def test_R32_a_match_of_four_hands_ends_after_four() -> None:
    match = four()
    for count in range(4):
        assert not match.finished, count
        match = match.played(WON)
    assert match.finished
    with pytest.raises(ValueError):
        match.played(WON)


def test_R31_a_match_with_variable_stake_is_one_hand() -> None:
    assert Match(Stakes(Mode.VARIABLE, 100), 0).played(WON).finished


def test_R29_a_void_hand_is_dealt_again_with_the_same_forehand() -> None:
    match = four(first=1).played(VOID)
    assert (match.forehand, len(match.hands), match.paid) == (1, 0, Payment((0, 0, 0, 0), 0))


def test_R29_after_three_void_hands_in_a_row_the_table_asks() -> None:
    match = four().played(VOID).played(VOID)
    assert not match.asks
    match = match.played(VOID)
    assert match.asks
    assert not match.played(VOID).asks


def test_R29_a_hand_that_counts_ends_the_row() -> None:
    match = four().played(VOID).played(VOID).played(WON).played(VOID)
    assert not match.asks


def test_R7_points_and_money_go_to_seats() -> None:
    match = four(first=2).played(SOLO)  # the soloist is forehand, seat 2
    assert match.points == (-2, -2, 6, -2)
    assert match.paid.money == (-100, -100, 300, -100)


def test_R32_totals_run() -> None:
    match = four(fee=900).played(SOLO).played(SOLO)
    assert match.points == (4, 4, -4, -4)
    assert match.paid == match.hands[0].paid + match.hands[1].paid
    assert sum(match.paid.money) + match.paid.kitty == 0


def test_R30_a_breach_is_paid_on_top() -> None:
    match = four(first=1).played(WON, breaches=(1,))
    honest = four(first=1).played(WON)
    assert match.points == honest.points
    # Position 1 is seat 2; Re, positions 0 and 3, are seats 1 and 0.
    assert match.paid == honest.paid + Payment((100, 100, -300, 0), 100)


def test_R30_a_hand_that_a_breach_broke_off_counts() -> None:
    match = four(first=1).broken_off(0)
    assert (match.forehand, match.points, match.paid.money) == (2, (0, 0, 0, 0), (300, -900, 300, 300))


def test_R30_a_breach_in_a_hand_that_became_void_is_paid_all_the_same() -> None:
    match = four(first=1).played(VOID, breaches=(0,))
    assert (match.forehand, len(match.hands), match.paid.money) == (1, 0, (100, -300, 100, 100))


def test_R33_a_duel_and_only_a_duel_has_humans() -> None:
    with pytest.raises(ValueError):
        Match(Stakes(Mode.DUEL, 1), 0)
    with pytest.raises(ValueError):
        Match(Stakes(Mode.VARIABLE, 1), 0, humans=(0, 2))
    with pytest.raises(ValueError):
        Match(Stakes(Mode.DUEL, 1), 0, humans=(0, 1))


@pytest.mark.parametrize(("forehand", "positions"), [(0, (0, 2)), (1, (1, 3)), (2, (0, 2)), (3, (1, 3))])
def test_R34_the_humans_positions_follow_forehand(forehand: int, positions: tuple[int, int]) -> None:
    match = Match(Stakes(Mode.DUEL, 1), forehand, humans=(0, 2))
    assert match.human_positions == positions
    assert match.hand_rules().duel == positions


def test_R7_seat_and_position_are_inverse() -> None:
    match = four(first=3)
    assert [match.position(match.seat(p)) for p in range(4)] == [0, 1, 2, 3]


def test_R7_there_are_four_seats() -> None:
    with pytest.raises(ValueError):
        four(first=4)
