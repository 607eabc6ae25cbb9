"""R29 to R35: who pays whom."""

import pytest

from protocol.rules.calls import Side
from protocol.rules.score import Result
from protocol.rules.stakes import NOTHING, Mode, Payment, Stakes, liable
from tests.rules.games import BY_RE_POINTS, NEGATIVE, SOLO_151, ZERO
from tests.rules.tell import bids, scored, tell

RE, KONTRA = Side.RE, Side.KONTRA
VARIABLE, FIXED, DUEL = Mode.VARIABLE, Mode.FOUR_FIXED, Mode.DUEL


def test_R31_the_stake_is_paid_by_the_point() -> None:
    assert [Stakes(VARIABLE, 7).amount(value) for value in (0, 1, 4, -3)] == [0, 7, 28, 21]


def test_R31_the_limit_caps_what_one_pays() -> None:
    stakes = Stakes(VARIABLE, 10, limit=35)
    assert [stakes.amount(value) for value in (3, 4, 9)] == [30, 35, 35]


def test_R31_a_soloist_can_lose_three_limits() -> None:
    paid = Stakes(VARIABLE, 10, limit=35).settle(9, KONTRA, (2,))
    assert paid == Payment((35, 35, -105, 35), 0)


def test_R32_the_fixed_stake_is_paid_whatever_the_value() -> None:
    assert [Stakes(FIXED, 50).amount(value) for value in (0, 1, 9, -2)] == [50, 50, 50, 50]


@pytest.mark.parametrize(("mode", "hands"), [(VARIABLE, 1), (FIXED, 4), (DUEL, 4)])
def test_R31_hands_in_a_match(mode: Mode, hands: int) -> None:
    assert Stakes(mode, 1).hands == hands


@pytest.mark.parametrize(
    ("mode", "stake", "limit", "fee"),
    [
        (VARIABLE, 0, None, 0),
        (VARIABLE, 10, 9, 0),
        (VARIABLE, 10, None, -1),
        (VARIABLE, 10, None, 2501),
        (FIXED, 10, 10, 0),
        (DUEL, 10, 100, 0),
        (DUEL, 0, None, 0),
    ],
)
def test_R31_stakes_that_the_rules_do_not_know(mode: Mode, stake: int, limit: int | None, fee: int) -> None:
    with pytest.raises(ValueError):
        Stakes(mode, stake, limit, fee)


def test_R31_the_limit_may_equal_the_stake() -> None:
    assert Stakes(VARIABLE, 10, limit=10).amount(5) == 10


@pytest.mark.parametrize(("amount", "fee", "cents"), [(400, 900, 36), (150, 900, 14), (250, 250, 6), (1, 2500, 0)])
def test_R35_the_fee_is_rounded_half_up(amount: int, fee: int, cents: int) -> None:
    assert Stakes(VARIABLE, 1, None, fee).fee_of(amount) == cents


def test_R35_the_fee_at_exactly_half_a_cent() -> None:
    assert Stakes(VARIABLE, 1, None, 100).fee_of(50) == 1


def test_R35_the_manuals_example_won() -> None:
    paid = Stakes(VARIABLE, 100, fee=900).settle(4, RE, (1,))
    assert paid == Payment((-400, 1056, -400, -400), 144)


def test_R35_the_manuals_example_lost() -> None:
    paid = Stakes(VARIABLE, 100, fee=900).settle(4, KONTRA, (1,))
    assert paid == Payment((352, -1200, 352, 352), 144)


def test_R35_two_against_two_with_a_limit() -> None:
    paid = Stakes(VARIABLE, 37, limit=150, fee=900).settle(5, RE, (0, 3))
    assert paid == Payment((122, -150, -150, 122), 56)


def test_R35_the_duel() -> None:
    paid = Stakes(DUEL, 250, fee=250).settle(3, KONTRA, (0, 1), humans=(0, 2))
    assert paid == Payment((-250, 0, 238, 0), 12)


def test_R33_a_solo_is_not_tripled_in_a_duel() -> None:
    paid = Stakes(DUEL, 250).settle(3, KONTRA, (0,), humans=(0, 2))
    assert paid == Payment((-250, 0, 250, 0), 0)


def test_R33_a_computers_marriage_is_paid_between_the_humans() -> None:
    paid = Stakes(DUEL, 10).settle(1, RE, (1, 2), humans=(0, 2))
    assert paid == Payment((-10, 0, 10, 0), 0)


def test_R33_a_duel_is_never_paid_within_one_side() -> None:
    with pytest.raises(ValueError):
        Stakes(DUEL, 10).settle(1, RE, (0, 2), humans=(0, 2))


def test_R35_what_three_cannot_share_goes_to_the_kitty() -> None:
    # V = 100, fee 25: 300 - 100 = 200 for three.
    paid = Stakes(FIXED, 100, fee=2500).settle(1, KONTRA, (0,))
    assert paid == Payment((-300, 66, 66, 66), 102)


def test_R35_variable_pays_by_the_sign_of_the_value() -> None:
    # Re has won the hand and pays, for its value is -1.
    assert Stakes(VARIABLE, 10).pay(scored(tell(NEGATIVE))) == Payment((-10, 10, -10, 10), 0)


def test_R35_variable_moves_nothing_for_a_value_of_0() -> None:
    assert Stakes(VARIABLE, 10, fee=2500).pay(scored(tell(ZERO))) == NOTHING


@pytest.mark.parametrize("tricks", [NEGATIVE, ZERO])
def test_R35_a_fixed_stake_goes_to_the_side_that_won(tricks: str) -> None:
    r = scored(tell(tricks))
    paid = Stakes(FIXED, 10).pay(r)
    assert [paid.money[p] for p in r.re] == [10, 10]


def nobody(points: str) -> Result:
    """A hand in which both sides missed no 90."""
    from tests.rules.test_winner import calls

    return scored(tell(BY_RE_POINTS[points], *calls(points, "re no90", "kontra no90")))


@pytest.mark.parametrize("mode", [VARIABLE, FIXED])
def test_R35_if_nobody_won_the_sign_of_the_value_decides(mode: Mode) -> None:
    for points, sign in (("150", 1), ("90", -1)):
        r = nobody(points)
        assert r.winner is None
        paid = Stakes(mode, 10).pay(r)
        assert [paid.money[p] for p in r.re] == [10 * sign, 10 * sign]


@pytest.mark.parametrize("mode", [VARIABLE, FIXED])
def test_R35_if_nobody_won_and_the_value_is_0_nothing_moves(mode: Mode) -> None:
    r = nobody("120")
    assert (r.winner, r.value) == (None, 0)
    assert Stakes(mode, 10, fee=900).pay(r) == NOTHING


def test_R35_a_solo_played_out() -> None:
    r = scored(tell(SOLO_151, bidding=bids("1 solo solo-diamonds")))
    assert Stakes(VARIABLE, 10).pay(r) == Payment((60, -20, -20, -20), 0)


def test_R29_a_void_hand_pays_nothing() -> None:
    void = Result(True, None, (), None, 0, (0, 0, 0, 0), (0, 0), (), ())
    assert Stakes(FIXED, 10, fee=2500).pay(void) == NOTHING


def test_R30_a_breach_costs_twelve_points() -> None:
    # Player 1 with partner 3: a third to each opponent, the rest to the kitty.
    assert Stakes(VARIABLE, 10).breach(0, (0, 2)) == Payment((-120, 40, 0, 40), 40)


def test_R30_the_breach_of_a_soloist_goes_to_all_three() -> None:
    assert Stakes(VARIABLE, 10).breach(1, (1,)) == Payment((40, -120, 40, 40), 0)


def test_R30_the_breach_of_one_of_three_goes_to_the_soloist() -> None:
    assert Stakes(VARIABLE, 10).breach(0, (1,)) == Payment((-120, 40, 0, 0), 80)


def test_R30_limit_and_fee_do_not_touch_a_breach() -> None:
    assert Stakes(VARIABLE, 10, limit=10, fee=2500).breach(1, (1,)) == Payment((40, -120, 40, 40), 0)


def test_R30_with_a_fixed_stake_a_breach_costs_three_stakes() -> None:
    assert Stakes(FIXED, 50).breach(3, (0, 3)) == Payment((0, 50, 50, -150), 50)


def test_R30_in_a_duel_a_computers_part_goes_to_the_kitty() -> None:
    assert Stakes(DUEL, 50).breach(0, (0, 1), humans=(0, 2)) == Payment((-150, 0, 50, 0), 100)


def test_R30_a_hand_that_cannot_be_played_out_costs_the_price_three_times() -> None:
    assert Stakes(VARIABLE, 10).breach(2, None) == Payment((120, 120, -360, 120), 0)
    assert Stakes(FIXED, 50).breach(2, None) == Payment((150, 150, -450, 150), 0)


def test_R30_a_duel_that_cannot_be_played_out() -> None:
    assert Stakes(DUEL, 50).breach(0, None, humans=(0, 2)) == Payment((-450, 0, 150, 0), 300)


def test_R30_in_a_hand_that_became_void_nobody_is_a_partner() -> None:
    assert Stakes(FIXED, 50).breach(0, ()) == Payment((-150, 50, 50, 50), 0)


def test_R30_a_computer_does_not_pay_for_itself() -> None:
    with pytest.raises(ValueError):
        Stakes(DUEL, 50).breach(1, (0, 1), humans=(0, 2))


def test_R30_a_computers_breach_is_its_hosts_if_he_plays() -> None:
    assert liable(1, (0, 2, 2, None)) == 2
    assert liable(3, (0, 2, 2, None)) is None


def test_R30_a_breach_is_never_cheaper_than_losing() -> None:
    stakes = Stakes(FIXED, 50, fee=2500)
    lost = stakes.settle(1, KONTRA, (0, 1))
    assert (lost + stakes.breach(0, (0, 1))).money[0] < lost.money[0]


def test_R35_payments_turn_from_positions_to_seats() -> None:
    assert Payment((1, 2, 3, -6), 0).turned(2) == Payment((3, -6, 1, 2), 0)
