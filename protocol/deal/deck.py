"""The deck: 48 slots of ciphertexts, the first one, and how a deck travels.

A slot is a tuple of points: (alpha, beta), in a duel (alpha, beta, marker alpha, marker beta).  ``width`` is the
number of ciphertexts per slot, 1 or 2.  Slots 12p .. 12p+11 of the last deck belong to seat p.
"""

from collections.abc import Sequence
from typing import Final, TypeAlias

from protocol.cards import DECK, HAND_SIZE
from protocol.deal.generators import SLOTS, generators, marker
from protocol.deal.group import BASE, read_points, ristretto
from protocol.refusal import Code, Refusal

#: One slot: 2 * width points.
Slot: TypeAlias = tuple[bytes, ...]
#: 48 slots, all of one width.
Deck: TypeAlias = tuple[Slot, ...]
#: A hand slot once the others' shares are off: an ElGamal ciphertext (alpha, b) under its owner's key alone.
Pair: TypeAlias = tuple[bytes, bytes]

WIDTH_NORMAL: Final = 1
WIDTH_DUEL: Final = 2


def initial_deck(key: bytes, width: int = WIDTH_NORMAL) -> Deck:
    """E0 under the joint *key* Y: each type twice, encrypted with the public randomness 1."""
    group, gens = ristretto(), generators()
    slots: list[Slot] = []
    for k in DECK:
        slot: Slot = (BASE, group.add(gens.cards[k], key))
        if width == WIDTH_DUEL:
            slot += (BASE, group.add(marker(k, gens.queen), key))
        slots.append(slot)
    return tuple(slots)


def deck_size(width: int) -> int:
    """Bytes of an encoded deck: 3,072 or 6,144."""
    return SLOTS * 64 * width


def encode_deck(deck: Deck) -> bytes:
    """The slots' points one behind another."""
    return b"".join([point for slot in deck for point in slot])


def decode_deck(data: object, width: int = WIDTH_NORMAL) -> Deck:
    """A deck from outside; FORMAT unless it is bytes of just :func:`deck_size`, POINT if any is no valid point."""
    if type(data) is not bytes or len(data) != deck_size(width):
        raise Refusal(Code.FORMAT, f"deck: not {SLOTS} slots of {width} ciphertexts")
    points = read_points(data, 2 * width * SLOTS, "deck")
    step = 2 * width
    return tuple(tuple(points[i : i + step]) for i in range(0, len(points), step))


def owner(slot: int) -> int:
    """The seat that slot 0..47 belongs to."""
    return slot // HAND_SIZE


def slots_of(seat: int) -> range:
    """The twelve slots of a seat."""
    return range(HAND_SIZE * seat, HAND_SIZE * (seat + 1))


def slots_not_of(seat: int) -> list[int]:
    """The 36 slots that *seat* gives shares for, ascending."""
    return [slot for slot in range(SLOTS) if owner(slot) != seat]


def width_of(deck: Sequence[Slot]) -> int:
    """1, or 2 in a duel."""
    return len(deck[0]) // 2
