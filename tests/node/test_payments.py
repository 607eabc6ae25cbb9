"""The fewest payments: against a search through all of them; and what a match moves."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from node.payments import EXACT_LIMIT, fewest_payments, flows

amounts = st.integers(-30, 30)


def balances_of(some: list[int]) -> dict[str, int]:
    """*some* and one more that makes the sum 0."""
    return {f"p{n}": cents for n, cents in enumerate([*some, -sum(some)])}


def squared(balances: dict[str, int], payments: list[tuple[str, str, int]]) -> bool:
    left = dict(balances)
    for payer, payee, cents in payments:
        left[payer] += cents
        left[payee] -= cents
    return not any(left.values())


def most_groups(values: list[int]) -> int:
    """The greatest number of parts with sum 0, by trying all partitions."""
    if not values:
        return 0
    first, rest = values[0], values[1:]
    best = 0
    for size in range(len(rest) + 1):
        for chosen in itertools.combinations(range(len(rest)), size):
            if first + sum(rest[n] for n in chosen) == 0:
                left = [value for n, value in enumerate(rest) if n not in chosen]
                best = max(best, 1 + most_groups(left))
    return best


@given(st.lists(amounts, max_size=6))
def test_least_number_of_payments(some: list[int]) -> None:
    balances = balances_of(some)
    payments = fewest_payments(balances)
    assert squared(balances, payments)
    open_ = [cents for cents in balances.values() if cents]
    assert len(payments) == len(open_) - most_groups(open_)


@given(st.lists(st.integers(-(10**12), 10**12), max_size=40))
@settings(max_examples=50)
def test_any_group_gets_square(some: list[int]) -> None:
    balances = balances_of(some)
    payments = fewest_payments(balances)
    assert squared(balances, payments)
    assert len(payments) <= max(0, sum(cents != 0 for cents in balances.values()) - 1)
    for payer, payee, cents in payments:
        assert cents > 0
        assert balances[payer] < 0 < balances[payee]


@given(st.dictionaries(st.text(max_size=3), amounts, max_size=8))
def test_order_of_the_names_does_not_matter(balances: dict[str, int]) -> None:
    balances["rest"] = balances.get("rest", 0) - sum(balances.values())
    turned = dict(reversed(balances.items()))
    assert fewest_payments(balances) == fewest_payments(turned)


def test_pairs_are_seen_in_a_large_group() -> None:
    people = EXACT_LIMIT + 10
    balances: dict[str, int] = {}
    for n in range(people):
        balances[f"owed {n}"] = 10 + n
        balances[f"owes {n}"] = -10 - n
    assert len(fewest_payments(balances)) == people


def test_nothing_to_pay() -> None:
    assert fewest_payments({}) == fewest_payments({"a": 0, "b": 0}) == []


def test_sum_has_to_be_zero() -> None:
    with pytest.raises(ValueError, match="sum to 1"):
        fewest_payments({"a": 1})
    with pytest.raises(ValueError, match="come to 1"):
        flows({"a": 1})


@given(st.lists(st.integers(-(10**6), 10**6), max_size=5))
def test_each_loser_pays_and_each_winner_gets_his_sum(some: list[int]) -> None:
    money = balances_of(some)
    found = flows(money)
    for who, cents in money.items():
        assert sum(c for (_loser, winner), c in found.items() if winner == who) == max(cents, 0)
        assert sum(c for (loser, _winner), c in found.items() if loser == who) == max(-cents, 0)
    owed = sum(cents for cents in money.values() if cents > 0)
    for (loser, winner), cents in found.items():
        assert abs(cents - -money[loser] * money[winner] / owed) < 2


def test_worked_example_of_R35() -> None:
    """Stake 37, limit 150, value 5, fee 900, two against two: V 150, fee 14, winners +122, kitty 56."""
    money = {"a": 122, "b": 122, "c": -150, "d": -150, "kitty": 56}
    assert flows(money) == {
        ("c", "a"): 61,
        ("c", "b"): 61,
        ("c", "kitty"): 28,
        ("d", "a"): 61,
        ("d", "b"): 61,
        ("d", "kitty"): 28,
    }
    assert len(fewest_payments(money)) == 4
