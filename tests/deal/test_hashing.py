"""Hash functions, contexts, nonces, random numbers."""

import hashlib
import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.deal.hashing import (
    Kind,
    Nonces,
    Place,
    Q,
    Scalars,
    expand_message_xmd,
    hash_entries,
    hash_to_scalar,
    lp,
    random_below,
    random_scalar,
    u8,
    u16,
    u32,
)
from protocol.deal.shuffle_proof import random_permutation

from .helpers import Stream

XMD = json.loads((Path(__file__).parent / "data" / "rfc9380-xmd.json").read_text())


@pytest.mark.parametrize(("msg", "length", "expected"), XMD["vectors"])
def test_rfc9380_expand_message_xmd(msg: str, length: int, expected: str) -> None:
    assert expand_message_xmd(msg.encode(), XMD["dst"].encode(), length).hex() == expected


def test_expand_message_xmd_refuses_what_the_rfc_does() -> None:
    for dst, length in ((bytes(256), 64), (b"x", 64 * 256)):
        with pytest.raises(ValueError, match="too long"):
            expand_message_xmd(b"", dst, length)
    with pytest.raises(ValueError, match="too long"):
        Scalars(b"", bytes(255))


@given(st.binary(max_size=300), st.binary(max_size=300), st.binary(max_size=200))
def test_scalars_are_hash_to_scalar_with_a_common_head(head: bytes, tail: bytes, ctx: bytes) -> None:
    assert Scalars(head, ctx).of(tail) == hash_to_scalar(head + tail, ctx) < Q


def test_integers_are_big_endian_and_lengths_stand_in_front() -> None:
    assert (u8(1), u16(2), u32(3), lp(b"ab")) == (b"\x01", b"\0\x02", b"\0\0\0\x03", b"\0\x02ab")
    for number, value in ((u8, 256), (u16, 65536), (u32, 2**32), (u8, -1)):
        with pytest.raises(OverflowError):
            number(value)
    with pytest.raises(OverflowError):
        lp(bytes(65536))


def test_context_is_kind_and_hash_of_the_place() -> None:
    place = Place(b"m" * 32, b"r" * 32, 5, 2, b"e")
    inner = b"\0\x20" + b"m" * 32 + b"\0\x20" + b"r" * 32 + b"\0\0\0\x05" + b"\x02" + b"\0\x01e"
    assert place.ctx(Kind.PLAY) == b"DOKO1-PLAY-" + hashlib.sha256(inner).digest()


def test_contexts_differ_in_every_part() -> None:
    places = [
        Place(b"m", b"r", 1, 0, b"e"),
        Place(b"n", b"r", 1, 0, b"e"),
        Place(b"m", b"s", 1, 0, b"e"),
        Place(b"m", b"r", 2, 0, b"e"),
        Place(b"m", b"r", 1, 1, b"e"),
        Place(b"m", b"r", 1, 0, b"f"),
        Place(b"mr", b"", 1, 0, b"e"),  # same bytes if it were not for the lengths
    ]
    contexts = {place.ctx(kind) for place in places for kind in Kind}
    assert len(contexts) == len(places) * len(Kind)
    assert all(len(b"HashToScalar-" + c + b"u") <= 255 for c in contexts)


def test_nonces_depend_on_secret_randomness_context_statement_and_index() -> None:
    def nonces(secret: bytes = b"s", seed: str = "a", ctx: bytes = b"c", statement: bytes = b"t") -> list[int]:
        return Nonces(secret, Stream(seed), ctx, statement).take(2)

    variants = [nonces(), nonces(secret=b"z"), nonces(seed="b"), nonces(ctx=b"d"), nonces(statement=b"u")]
    values = [value for pair in variants for value in pair]
    assert len(set(values)) == len(values)
    assert all(0 < value < Q for value in values)
    assert nonces() == variants[0]


def test_a_nonce_is_the_hash_that_is_specified() -> None:
    nonces = Nonces(b"secret", Stream("n"), b"ctx", b"statement")
    head = b"secret" + Stream("n")(32) + b"\0\x03ctx" + b"statement"
    expected = [hash_to_scalar(head + u16(n), b"DOKO1-nonce") for n in range(3)]
    assert nonces.take(3) == expected


def test_random_below_is_exact() -> None:
    for n in range(1, 60):
        drawn = Counter[int]()
        for first in range(256):
            source = iter([bytes([first]), b"\0"])  # a rejected draw goes on to the second one

            def rand(size: int, source: object = source) -> bytes:
                assert size == 1
                return next(source)  # type: ignore[call-overload, no-any-return]

            taken = random_below(rand, n)
            assert 0 <= taken < n
            drawn[taken] += 1
        bits = (n - 1).bit_length()
        share = 256 >> bits
        rejected = 256 - share * n
        assert all(drawn[value] == share for value in range(1, n))
        assert drawn[0] == share + rejected
    assert random_below(Stream("big"), 70000) < 70000
    with pytest.raises(ValueError, match="empty"):
        random_below(Stream("x"), 0)


def test_random_scalars_lie_in_range() -> None:
    assert random_scalar(lambda n: bytes(n)) == 1
    assert random_scalar(lambda n: (Q - 2).to_bytes(n, "little")) == Q - 1
    assert len({random_scalar(Stream(str(n))) for n in range(50)}) == 50


def test_hash_entries_joins_digests() -> None:
    a, b = hashlib.sha256(b"a").digest(), hashlib.sha256(b"b").digest()
    assert hash_entries([a, b]) == hashlib.sha256(a + b).digest()
    with pytest.raises(ValueError, match="32 bytes"):
        hash_entries([a, b[:31]])


def chi_square(table: list[list[int]], expected: float) -> float:
    return sum((count - expected) ** 2 / expected for row in table for count in row)


def permutation_table(n: int, rounds: int, draw: object) -> list[list[int]]:
    rand = Stream("chi")
    table = [[0] * n for _ in range(n)]
    for _ in range(rounds):
        for place, value in enumerate(draw(n, rand)):  # type: ignore[operator]
            table[place][value] += 1
    return table


def shuffled_by_swapping_anywhere(n: int, rand: Stream) -> list[int]:
    """The classic wrong shuffle: each place is swapped with any other."""
    pi = list(range(n))
    for i in range(n):
        j = random_below(rand, n)
        pi[i], pi[j] = pi[j], pi[i]
    return pi


def test_permutation_is_uniform_by_chi_square() -> None:
    n, rounds = 12, 5000
    limit = 190  # 121 degrees of freedom: mean 121, deviation 15.6
    assert chi_square(permutation_table(n, rounds, random_permutation), rounds / n) < limit
    assert chi_square(permutation_table(n, rounds, shuffled_by_swapping_anywhere), rounds / n) > limit


def test_a_permutation_has_every_place_once() -> None:
    assert sorted(random_permutation(48, Stream("p"))) == list(range(48))
    assert len({random_permutation(48, Stream(str(n))) for n in range(20)}) == 20
