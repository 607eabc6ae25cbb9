"""R34 by numbers: how often a duel's deal is allowed, and that throwing deals away favours nobody.

Two club queens on 48 places: both people, or both computers, hold one each in 2 * 2 * 12 * 12 / (48 * 47) of the
deals, so 35/47 are allowed and it takes 47/35 = 1.343 deals on average.  Ten thousand deals are too many to shuffle
with proofs; they are dealt plainly, and the cryptographic test is held against the plain one on a sample of them.
"""

import random
from collections.abc import Sequence
from statistics import mean

import pytest

from protocol.cards import CLUB_QUEEN, DECK, TYPES
from protocol.deal.deck import Deck
from protocol.deal.generators import generators
from protocol.deal.group import IDENTITY

from .helpers import Stream, dealt, encrypt
from .test_duel import run

HUMANS, COMPUTERS = (0, 2), (1, 3)
DEALS = 10_000
#: Upper 0.1 % points of chi-square by degrees of freedom (tables).
CHI_SQUARE = {3: 16.27, 11: 31.26, 47: 82.72}


def allowed(hands: Sequence[Sequence[int]]) -> bool:
    """R34 in plain words."""
    queens = [hand.count(CLUB_QUEEN) for hand in hands]
    return not any(queens[one] == queens[other] == 1 for one, other in (HUMANS, COMPUTERS))


def deal(rng: random.Random) -> list[list[int]]:
    cards = list(DECK)
    rng.shuffle(cards)
    return [cards[12 * seat : 12 * seat + 12] for seat in range(4)]


def attempts(rng: random.Random) -> tuple[int, list[list[int]]]:
    """How many deals it took, and the one that is played."""
    count = 1
    while not allowed(hands := deal(rng)):
        count += 1
    return count, hands


@pytest.fixture(scope="module")
def simulated() -> list[tuple[int, list[list[int]]]]:
    rng = random.Random("duel deals")
    return [attempts(rng) for _ in range(DEALS)]


def chi_square(counts: Sequence[int]) -> float:
    expected = sum(counts) / len(counts)
    return sum((count - expected) ** 2 / expected for count in counts)


def test_R34_attempts_are_as_many_as_expected(simulated: list[tuple[int, list[list[int]]]]) -> None:
    assert mean(count for count, _ in simulated) == pytest.approx(47 / 35, rel=0.03)


def test_R34_positions_and_seats_are_even(simulated: list[tuple[int, list[list[int]]]]) -> None:
    places = {k: [0] * 12 for k in range(TYPES)}
    slots = [0] * 48
    seats = [0] * 4
    for _, hands in simulated:
        for seat, hand in enumerate(hands):
            for place, card in enumerate(hand):
                places[card][place] += 1
                if card == CLUB_QUEEN:
                    slots[12 * seat + place] += 1
                    seats[seat] += 1
    assert chi_square(slots) < CHI_SQUARE[47]
    assert chi_square(seats) < CHI_SQUARE[3]
    for k in range(TYPES):
        assert chi_square(places[k]) < CHI_SQUARE[11], k


def test_R34_who_holds_the_queens_is_even(simulated: list[tuple[int, list[list[int]]]]) -> None:
    """Each of the four pairs of a person and a computer equally often, and each player equally often alone."""
    pairs = {(human, computer): 0 for human in HUMANS for computer in COMPUTERS}
    alone = [0] * 4
    for _, hands in simulated:
        queens = [hand.count(CLUB_QUEEN) for hand in hands]
        if max(queens) == 2:
            alone[queens.index(2)] += 1
        else:
            human, computer = (next(seat for seat in pair if queens[seat]) for pair in (HUMANS, COMPUTERS))
            pairs[human, computer] += 1
    assert chi_square(list(pairs.values())) < CHI_SQUARE[3]
    assert chi_square(alone) < CHI_SQUARE[3]
    # 4 * 144 * 2 pairs of places for one each, 4 * 132 for both with one
    assert sum(alone) / DEALS == pytest.approx(4 * 132 / (4 * 132 + 4 * 144 * 2), rel=0.05)


def markers(hands: Sequence[Sequence[int]], key: bytes, rand: Stream) -> Deck:
    """A deck of width 2 of which only the markers count."""
    queen = generators().queen
    cards = encrypt(generators().cards[0], key, rand)
    held = [queen if card == CLUB_QUEEN else IDENTITY for hand in hands for card in hand]
    return tuple(cards + encrypt(mark, key, rand) for mark in held)


def test_R34_the_cryptographic_test_agrees_with_the_plain_one() -> None:
    d, rand, rng = dealt(2), Stream("sample"), random.Random("sample of duel deals")
    told = []
    for _ in range(40):
        hands = deal(rng)
        fine, _, _ = run(d, markers(hands, d.key, rand))
        assert fine == allowed(hands)
        told.append(fine)
    assert set(told) == {True, False}
