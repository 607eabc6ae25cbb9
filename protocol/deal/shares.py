"""SHARES and SUB: decryption shares, the hand they open, the joint coin.

    SHARES   items (36 slots not one's own ascending, the coin's point P, in a duel the alpha of C_c for each computer c
             other than the sender in seat order), 32 bytes each; one proof of 64 bytes over all of them

Every node checks every SHARES over all items in its own view of the deck: that forces the four views to be equal.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from protocol.cards import HAND_SIZE, PLAYERS
from protocol.deal import dleq
from protocol.deal.deck import Deck, Pair, owner, slots_not_of, slots_of
from protocol.deal.generators import SLOTS, coin_point, generators
from protocol.deal.group import read_points, ristretto, split
from protocol.deal.hashing import Kind, Place, Rand
from protocol.refusal import Code, Refusal


class DealFault(Exception):
    """Proven values that do not fit together: a fault of this program, no peer's act.  Stop, never go on."""


@dataclass(frozen=True, slots=True)
class Shares:
    """One seat's checked shares: per slot not its own, for the coin, and per other computer of a duel."""

    seat: int
    slots: dict[int, bytes]
    coin: bytes
    markers: dict[int, bytes]


def marker_sum(deck: Deck, seat: int) -> Pair:
    """C_seat: the sum of the markers in a seat's twelve slots (decks of width 2)."""
    group = ristretto()
    slots = [deck[s] for s in slots_of(seat)]
    return group.total([slot[2] for slot in slots]), group.total([slot[3] for slot in slots])


def share_count(seat: int, computers: Sequence[int] = ()) -> int:
    """How many items the SHARES of *seat* has: 37, in a duel 38 for a computer, 39 for a human."""
    return SLOTS - HAND_SIZE + 1 + sum(c != seat for c in computers)


def share_points(seat: int, deck: Deck, barrier: bytes, computers: Sequence[int] = ()) -> list[bytes]:
    """The points that *seat* multiplies by its key, in the order of SHARES; *barrier* is what DECKOK signs."""
    points = [deck[s][0] for s in slots_not_of(seat)]
    points.append(coin_point(barrier))
    points += [marker_sum(deck, c)[0] for c in sorted(computers) if c != seat]
    return points


def arrange(seat: int, points: Sequence[bytes], computers: Sequence[int] = ()) -> Shares:
    """Shares from the points in the order of SHARES (also the sums of three SUBs for an absent seat)."""
    slots = slots_not_of(seat)
    others = [c for c in sorted(computers) if c != seat]
    if len(points) != len(slots) + 1 + len(others):
        raise Refusal(Code.FORMAT, f"seat {seat}: not the number of shares that is due")
    return Shares(
        seat=seat,
        slots=dict(zip(slots, points, strict=False)),
        coin=points[len(slots)],
        markers=dict(zip(others, points[len(slots) + 1 :], strict=True)),
    )


def make_shares(
    place: Place, x: int, public: bytes, deck: Deck, barrier: bytes, rand: Rand, computers: Sequence[int] = ()
) -> tuple[bytes, bytes]:
    """(items, proof) of the SHARES of *place*'s seat; *public* = x * B, ``extra`` = last head of the deal chain.

    *computers*: the computers' seats in a duel, else empty.
    """
    points = share_points(place.seat, deck, barrier, computers)
    return make_items(place, Kind.SHARES, x, public, points, rand)


def check_shares(
    place: Place,
    public: bytes,
    deck: Deck,
    barrier: bytes,
    items: bytes,
    proof: bytes,
    computers: Sequence[int] = (),
) -> Shares:
    """The shares of *place*'s seat, or FORMAT, POINT, SCALAR, DLEQ."""
    split(items, share_count(place.seat, computers), f"SHARES of seat {place.seat}")
    dleq.check_format(proof)
    points = share_points(place.seat, deck, barrier, computers)
    return arrange(place.seat, check_items(place, Kind.SHARES, public, points, items, proof), computers)


def make_items(
    place: Place, kind: Kind, secret: int, public: bytes, points: Sequence[bytes], rand: Rand
) -> tuple[bytes, bytes]:
    """(items, proof): each of *points* times *secret*, proven under *public* = secret * B (SHARES, SUB, TESTOPEN)."""
    group = ristretto()
    items = [group.mul(secret, point) for point in points]
    return b"".join(items), dleq.prove(secret, public, points, items, place.ctx(kind), rand)


def check_items(
    place: Place, kind: Kind, public: bytes, points: Sequence[bytes], items: bytes, proof: bytes
) -> list[bytes]:
    """The counterpart of :func:`make_items`: the multiples, or FORMAT, POINT, SCALAR, DLEQ."""
    dleq.check_format(proof)
    read = read_points(items, len(points), f"{kind.value} of seat {place.seat}")
    dleq.check(public, points, read, proof, place.ctx(kind))
    return read


def add_subs(parts: Sequence[Sequence[bytes]]) -> list[bytes]:
    """The absent seat's multiples from the three SUBs' points, item by item."""
    group = ristretto()
    return [group.total(column) for column in zip(*parts, strict=True)]


def _by_seat(shares: Sequence[Shares]) -> dict[int, Shares]:
    found = {s.seat: s for s in shares}
    if sorted(found) != list(range(PLAYERS)) or len(shares) != PLAYERS:
        raise ValueError("one set of shares of each seat is needed")
    return found


def hand_pairs(deck: Deck, shares: Sequence[Shares]) -> tuple[Pair, ...]:
    """The 48 slots with the others' shares taken off: (alpha, b) under the owner's key alone; public."""
    group, by_seat = ristretto(), _by_seat(shares)
    pairs = []
    for s in range(SLOTS):
        taken = [by_seat[i].slots[s] for i in range(PLAYERS) if i != owner(s)]
        pairs.append((deck[s][0], group.sub(deck[s][1], group.total(taken))))
    return tuple(pairs)


def marker_pairs(deck: Deck, shares: Sequence[Shares], computers: Sequence[int]) -> dict[int, Pair]:
    """For each computer c of a duel C_c with the others' shares taken off: a pair under c's key alone."""
    group, by_seat = ristretto(), _by_seat(shares)
    pairs = {}
    for c in computers:
        alpha, beta = marker_sum(deck, c)
        pairs[c] = (alpha, group.sub(beta, group.total([by_seat[i].markers[c] for i in range(PLAYERS) if i != c])))
    return pairs


def decrypt(x: int, pair: Pair) -> bytes:
    """M = b - x * alpha."""
    group = ristretto()
    return group.sub(pair[1], group.mul(x, pair[0]))


def card_at(point: bytes) -> int:
    """The type whose point this is; :class:`DealFault` if it is none."""
    try:
        return generators().card_of[point]
    except KeyError:
        raise DealFault("a proven slot holds no card") from None


def read_hand(x: int, pairs: Sequence[Pair]) -> tuple[int, ...]:
    """The types in one's own slots, in slot order (*pairs*: one's own twelve of :func:`hand_pairs`)."""
    return tuple(card_at(decrypt(x, pair)) for pair in pairs)


def joint_coin(shares: Sequence[Shares]) -> bytes:
    """The hand's joint coin, 64 bytes: SHA-512 of Z, the sum of the four coin shares."""
    return hashlib.sha512(ristretto().total([s.coin for s in _by_seat(shares).values()])).digest()


def first_forehand(coin: bytes) -> int:
    """The seat that leads the first hand of a match: the coin, little-endian, modulo 4."""
    return int.from_bytes(coin, "little") % PLAYERS
