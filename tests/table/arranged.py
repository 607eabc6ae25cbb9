"""Deals whose cards a test chooses: the first three shufflers keep the order, the last one deals.

Everything else is as ever: re-encryption, proofs, checks.
"""

from collections.abc import Mapping, Sequence

import pytest

from protocol.cards import DECK, parse_card
from protocol.deal import shuffle as module
from protocol.deal.generators import SLOTS, generators
from protocol.deal.group import ristretto, write_scalar
from protocol.deal.hashing import Kind, Nonces, Place, Rand
from protocol.deal.shuffle import Prepared
from protocol.deal.shuffle_proof import commit_permutation
from protocol.table import own

Hands = Sequence[Sequence[int]]


def cards(text: str) -> tuple[int, ...]:
    """Cards as people write them, blank between."""
    return tuple(parse_card(name) for name in text.split())


def deal_out(*hands: str) -> Hands:
    """Four hands by seat; an empty one (or what is missing of one) is filled with the cards left, in order."""
    chosen = [list(cards(text)) for text in hands]
    left = list(DECK)
    for hand in chosen:
        for card in hand:
            left.remove(card)
    for hand in chosen:
        while len(hand) < 12:
            hand.append(left.pop(0))
    return [tuple(hand) for hand in chosen]


def arrange(monkeypatch: pytest.MonkeyPatch, deals: Mapping[int, Hands]) -> None:
    """From now on the deals of these numbers have these hands (by seat, in slot order)."""
    real = module.prepare

    def prepare(place: Place, x: int, rand: Rand) -> Prepared:
        wanted = deals.get(place.hand)
        if wanted is None:
            return real(place, x, rand)
        pi = list(range(SLOTS))
        if place.seat == 3:
            sources = {card: [i for i, held in enumerate(DECK) if held == card] for card in set(DECK)}
            pi = [sources[card].pop() for hand in wanted for card in hand]
        nonces = Nonces(write_scalar(x), rand, place.ctx(Kind.SHUF), b"prepare")
        return commit_permutation(ristretto(), generators().hs, tuple(pi), nonces.take(SLOTS))

    monkeypatch.setattr(module, "prepare", prepare)
    monkeypatch.setattr(own, "prepare", prepare)
