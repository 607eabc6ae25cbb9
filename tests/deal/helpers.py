"""A seeded deal of four honest players, and the small tools that the attacks share."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from protocol.deal import deck, keys, shares, shuffle
from protocol.deal.generators import generators
from protocol.deal.group import BASE, ristretto, write_scalar
from protocol.deal.hashing import Place, Q, random_scalar
from protocol.refusal import Code, Refusal

HUMANS, COMPUTERS = (0, 2), (1, 3)


class Stream:
    """A repeatable source of bytes; ``Stream("x")(n)`` is the rand that the package takes."""

    def __init__(self, seed: str) -> None:
        self._seed = seed.encode()
        self._count = 0

    def __call__(self, n: int) -> bytes:
        self._count += 1
        return hashlib.shake_256(self._seed + self._count.to_bytes(8, "big")).digest(n)


@dataclass(repr=False)
class Dealt:
    """All that four players know together after an honest deal."""

    rand: Stream
    width: int
    place_base: Place
    noise_private: list[bytes]
    noise_public: dict[int, bytes]
    own: list[keys.OwnKeys]
    public: list[keys.PublicKeys]
    key: bytes
    decks: list[deck.Deck]
    shuffled: list[shuffle.Shuffled]
    barrier: bytes
    share_messages: list[tuple[bytes, bytes]]
    shares: list[shares.Shares]
    pairs: tuple[deck.Pair, ...]
    hands: list[tuple[int, ...]]

    @property
    def computers(self) -> tuple[int, ...]:
        return COMPUTERS if self.width == 2 else ()

    def place(self, seat: int, extra: bytes = b"", hand: int | None = None) -> Place:
        base = self.place_base
        return Place(base.match_id, base.roster_hash, base.hand if hand is None else hand, seat, extra)

    def pop_place(self, seat: int) -> Place:
        return self.place(seat, b"first head")

    def shuf_place(self, seat: int) -> Place:
        return self.place(seat, b"head before %d" % seat)

    def shares_place(self, seat: int) -> Place:
        return self.place(seat, b"last head")


@lru_cache(maxsize=4)
def dealt(width: int = 1, seed: str = "a deal") -> Dealt:
    """An honest deal, cached: tests must not change it."""
    rand = Stream(f"{seed} {width}")
    base = Place(rand(32), rand(32), 7, 0)
    noise_private = [rand(32) for _ in range(4)]
    noise_public = {
        j: X25519PrivateKey.from_private_bytes(k).public_key().public_bytes_raw() for j, k in enumerate(noise_private)
    }
    out = Dealt(
        rand, width, base, noise_private, noise_public, [], [], b"", [], [], hashlib.sha256(b"barrier").digest(), [],
        [], (), [],
    )  # fmt: skip
    out.own = [keys.make_keys(out.pop_place(i), noise_public, rand) for i in range(4)]
    out.public = [keys.read_keys(out.pop_place(i), out.own[i].body) for i in range(4)]
    out.key = keys.joint_key(out.public)
    out.decks = [deck.initial_deck(out.key, width)]
    for i in range(4):
        made = shuffle.shuffle(out.shuf_place(i), out.own[i].x, out.key, out.decks[-1], rand)
        out.shuffled.append(made)
        out.decks.append(
            shuffle.verify_shuffle(out.shuf_place(i), out.key, out.decks[-1], made.deck_bytes, made.proof)
        )
    for i in range(4):
        args = (out.shares_place(i), out.own[i].x, out.own[i].public, out.decks[-1], out.barrier, rand, out.computers)
        out.share_messages.append(shares.make_shares(*args))
        out.shares.append(check_shares(out, i))
    out.pairs = shares.hand_pairs(out.decks[-1], out.shares)
    out.hands = [shares.read_hand(out.own[i].x, out.pairs[12 * i : 12 * i + 12]) for i in range(4)]
    return out


HONEST: Any = object()  # stands for the honest bytes (None is one of the things a peer may send)


def check_shares(d: Dealt, seat: int, items: Any = HONEST, proof: Any = HONEST) -> shares.Shares:
    """Check seat's SHARES, or the items and proof given in their place, as every node does."""
    own_items, own_proof = d.share_messages[seat]
    return shares.check_shares(
        d.shares_place(seat),
        d.own[seat].public,
        d.decks[-1],
        d.barrier,
        own_items if items is HONEST else items,
        own_proof if proof is HONEST else proof,
        d.computers,
    )


def verify(d: Dealt, seat: int, deck_bytes: Any = HONEST, proof: Any = HONEST) -> deck.Deck:
    """Verify seat's SHUF, or the deck and proof given in its place, as every node does."""
    made = d.shuffled[seat]
    return shuffle.verify_shuffle(
        d.shuf_place(seat),
        d.key,
        d.decks[seat],
        made.deck_bytes if deck_bytes is HONEST else deck_bytes,
        made.proof if proof is HONEST else proof,
    )


@dataclass
class Holder:
    """A player with chosen cards: twelve slots encrypted under one key, as after an honest SHARES round."""

    seat: int
    x: int
    public: bytes
    hand: tuple[int, ...]
    pairs: tuple[deck.Pair, ...]
    place: Place
    rand: Stream

    def slot(self, n: int) -> int:
        return 12 * self.seat + n

    @property
    def slots(self) -> list[int]:
        return list(deck.slots_of(self.seat))


def encrypt(point: bytes, public: bytes, rand: Stream) -> deck.Pair:
    """A fresh encryption of *point* under *public*."""
    r = random_scalar(rand)
    group = ristretto()
    return group.mul(r, BASE), group.add(point, group.mul(r, public))


def holder(hand: Sequence[int], seat: int = 2, seed: str = "holder") -> Holder:
    """A player at *seat* who holds *hand* (twelve types); all other slots are noise."""
    rand = Stream(seed)
    x = random_scalar(rand)
    public = ristretto().mul(x, BASE)
    cards = generators().cards
    pairs = [encrypt(cards[0], BASE, rand)] * 48
    for n, k in enumerate(hand):
        pairs[12 * seat + n] = encrypt(cards[k], public, rand)
    return Holder(seat, x, public, tuple(hand), tuple(pairs), Place(rand(32), rand(32), 3, seat, rand(32)), rand)


@contextmanager
def refused(*codes: Code) -> Iterator[None]:
    """The block is refused with one of *codes*."""
    with pytest.raises(Refusal) as caught:
        yield
    assert caught.value.code in codes, f"{caught.value} instead of {codes}"


def replace(data: bytes, index: int, piece: bytes) -> bytes:
    """*data* with the 32 bytes number *index* replaced."""
    assert len(piece) == 32
    return data[: 32 * index] + piece + data[32 * index + 32 :]


def pieces(data: bytes) -> list[bytes]:
    """*data* in pieces of 32 bytes."""
    return [data[i : i + 32] for i in range(0, len(data), 32)]


def scalar_at(data: bytes, index: int) -> int:
    return int.from_bytes(data[32 * index : 32 * index + 32], "little")


def with_scalar(data: bytes, index: int, value: int) -> bytes:
    """*data* with scalar number *index* (counted in 32 bytes) replaced by *value* mod Q."""
    return replace(data, index, write_scalar(value % Q))


def plus_base(point: bytes) -> bytes:
    """Another valid point: *point* + B."""
    return ristretto().add(point, BASE)


def plain_sum(points: Iterable[bytes]) -> bytes:
    return ristretto().total(list(points))
