"""Fixed points: generators of the commitments, one point per card type, and the duel's marker.

All are hashes, so nobody knows a logarithm of one to another; with known logarithms a shuffle proof could be forged.
They are computed once, at first use, and asserted to be distinct.
"""

from dataclasses import dataclass
from functools import cache
from typing import Final

from protocol.cards import CLUB_QUEEN, TYPES
from protocol.deal.group import BASE, IDENTITY, Ristretto, ristretto
from protocol.deal.hashing import u8, u16

SLOTS: Final = 48
GENERATOR_DOMAIN: Final = b"DOKO1-gen"
CARD_DOMAIN: Final = b"DOKO1-card"
COIN_DOMAIN: Final = b"DOKO1-coin"


@dataclass(frozen=True, slots=True)
class Generators:
    """``h``: H; ``hs``: H_1..H_48; ``hs_sum``: their sum; ``cards``: M_0..M_23; ``card_of``: the type of such a point;
    ``queen``: W, the mark of a club queen in a duel; ``two_queens``: 2W."""

    h: bytes
    hs: tuple[bytes, ...]
    hs_sum: bytes
    cards: tuple[bytes, ...]
    card_of: dict[bytes, int]
    queen: bytes
    two_queens: bytes


@cache
def generators() -> Generators:
    """The generators (about 2 ms at the first call); ``RuntimeError`` should two ever be equal."""
    return derive(ristretto())


def derive(group: Ristretto) -> Generators:
    """The generators as *group* computes them, with the assertion that they are distinct."""
    h = group.hash_to_group(b"h", GENERATOR_DOMAIN)
    hs = tuple(group.hash_to_group(b"h" + u16(j), GENERATOR_DOMAIN) for j in range(1, SLOTS + 1))
    cards = tuple(group.hash_to_group(b"card" + u8(k), CARD_DOMAIN) for k in range(TYPES))
    queen = group.hash_to_group(b"queen", CARD_DOMAIN)
    fixed = {BASE, h, *hs, *cards}
    if len(fixed) != 2 + SLOTS + TYPES or IDENTITY in fixed:
        raise RuntimeError("the fixed generators are not distinct: this build must not deal")
    return Generators(
        h=h,
        hs=hs,
        hs_sum=group.total(hs),
        cards=cards,
        card_of={point: k for k, point in enumerate(cards)},
        queen=queen,
        two_queens=group.add(queen, queen),
    )


def marker(k: int, queen: bytes) -> bytes:
    """What the marker of a card of type *k* encrypts: W for a club queen, else the identity."""
    return queen if k == CLUB_QUEEN else IDENTITY


def coin_point(barrier: bytes) -> bytes:
    """P, the point of the hand's joint coin: fixed by the hash that the four DECKOK sign."""
    return ristretto().hash_to_group(b"coin" + barrier, COIN_DOMAIN)
