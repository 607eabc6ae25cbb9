"""Debts as sums: the fewest payments that make all square, and what one match moves between two players."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Final, NamedTuple, TypeVar

A = TypeVar("A", bound=Hashable)
#: Up to so many accounts that are not square the number of payments is the least possible.
EXACT_LIMIT: Final = 14


class Payment(NamedTuple):
    """*payer* gives *payee* so many cents (> 0)."""

    payer: str
    payee: str
    cents: int


def fewest_payments(balances: Mapping[str, int]) -> list[Payment]:
    """Payments after which every balance (cents; > 0 is owed money) is 0.  ``ValueError`` unless they sum to 0.

    A group of k accounts that sums to 0 is squared by k - 1 payments, and no fewer unless it falls into smaller such
    groups; so the least number is the number of accounts less the greatest number of groups, found by dynamic
    programming over subsets.  Beyond :data:`EXACT_LIMIT` accounts equal opposites are paired and the rest is one group.
    """
    if sum(balances.values()) != 0:
        raise ValueError(f"the balances sum to {sum(balances.values())}, not to 0")
    open_ = sorted((name, cents) for name, cents in balances.items() if cents)
    paid: list[Payment] = []
    if len(open_) > EXACT_LIMIT:
        open_ = _pair_off(open_, paid)
    groups = _most_groups(open_) if len(open_) <= EXACT_LIMIT else [open_]
    for group in groups:
        paid.extend(_settle(group))
    return sorted(paid, key=lambda payment: (-payment.cents, payment))


def _pair_off(open_: list[tuple[str, int]], paid: list[Payment]) -> list[tuple[str, int]]:
    """Pay every debt that meets a claim of the same sum; what is left."""
    waiting: dict[int, list[str]] = {}
    for name, cents in open_:
        match = waiting.get(-cents)
        if match:
            other = match.pop()
            payer, payee = (name, other) if cents < 0 else (other, name)
            paid.append(Payment(payer, payee, abs(cents)))
        else:
            waiting.setdefault(cents, []).append(name)
    return sorted((name, cents) for cents, names in waiting.items() for name in names)


def _most_groups(open_: Sequence[tuple[str, int]]) -> list[list[tuple[str, int]]]:
    """*open_* divided into as many groups with sum 0 as there can be."""
    size = 1 << len(open_)
    total = [0] * size
    best = [0] * size
    last = [0] * size  # the account that a best order of the subset ends with
    for subset in range(1, size):
        low = subset & -subset
        total[subset] = total[subset ^ low] + open_[low.bit_length() - 1][1]
        rest, most = subset, -1
        while rest:
            bit = rest & -rest
            rest ^= bit
            if best[subset ^ bit] > most:
                most, last[subset] = best[subset ^ bit], bit
        best[subset] = most + (total[subset] == 0)
    groups: list[list[tuple[str, int]]] = []
    subset = size - 1
    while subset:
        if total[subset] == 0:
            groups.append([])
        groups[-1].append(open_[last[subset].bit_length() - 1])
        subset ^= last[subset]
    return groups


def _settle(group: Sequence[tuple[str, int]]) -> list[Payment]:
    """Square *group* with at most ``len(group) - 1`` payments: each one squares its payer or its payee."""
    owing = [(name, -cents) for name, cents in sorted(group, key=lambda item: (item[1], item[0])) if cents < 0]
    owed = [(name, cents) for name, cents in sorted(group, key=lambda item: (-item[1], item[0])) if cents > 0]
    paid: list[Payment] = []
    while owing and owed:
        (payer, debt), (payee, claim) = owing.pop(0), owed.pop(0)
        cents = min(debt, claim)
        paid.append(Payment(payer, payee, cents))
        if debt > cents:
            owing.insert(0, (payer, debt - cents))
        if claim > cents:
            owed.insert(0, (payee, claim - cents))
    return paid


def flows(money: Mapping[A, int]) -> dict[tuple[A, A], int]:
    """What each loser of a match owes each winner, ``{(loser, winner): cents}``, in proportion to what was won.

    *money* is in cents and sums to 0 (the kitty is one of the accounts).  Rounded so that every loser pays and every
    winner gets exactly his sum (differences of a rounded table of sums).
    """
    if sum(money.values()) != 0:
        raise ValueError(f"the sums of a match come to {sum(money.values())}, not to 0")
    losers = [(who, -cents) for who, cents in money.items() if cents < 0]
    winners = [(who, cents) for who, cents in money.items() if cents > 0]
    whole = sum(cents for _who, cents in losers)
    found: dict[tuple[A, A], int] = {}
    above = [0] * (len(winners) + 1)
    lost = 0
    for loser, loss in losers:
        lost += loss
        won, row = 0, [0]
        for column, (winner, gain) in enumerate(winners, 1):
            won += gain
            row.append(lost * won // whole)
            found[loser, winner] = row[column] - above[column] - row[column - 1] + above[column - 1]
        above = row
    return found
