"""Hashing: every hash, challenge, nonce and context string of the deal.

One pair of functions for everything, those of RFC 9497 (ciphersuite ristretto255-SHA512) on RFC 9380's
``expand_message_xmd``.  Nothing is hashed without a length prefix or a fixed length; all ``uN`` are big-endian, scalars
little-endian.
"""

import hashlib
import hmac
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

#: Source of random bytes: ``rand(n)`` returns ``n`` fresh bytes.  A node passes ``secrets.token_bytes``.
Rand = Callable[[int], bytes]

#: Order of the ristretto255 group (RFC 9496 section 4).
Q: Final = 2**252 + 27742317777372353535851937790883648493

PREFIX: Final = b"DOKO1-"
NONCE_DOMAIN: Final = b"DOKO1-nonce"
_BLOCK = bytes(128)  # one input block of SHA-512, RFC 9380's Z_pad
_TO_SCALAR = b"HashToScalar-"
_TO_GROUP = b"HashToGroup-"


class Kind(StrEnum):
    """What a proof is for; the word stands in its context string, so no proof serves another purpose."""

    POP = "POP"
    SHUF = "SHUF"
    TEST1 = "TEST1"
    TEST2 = "TEST2"
    TESTOPEN = "TESTOPEN"
    SHARES = "SHARES"
    PLAY = "PLAY"
    OPEN = "OPEN"
    NEQ = "NEQ"
    SUB = "SUB"


def u8(n: int) -> bytes:
    """One byte; ``OverflowError`` outside 0..255."""
    return n.to_bytes(1, "big")


def u16(n: int) -> bytes:
    """Two bytes, big-endian."""
    return n.to_bytes(2, "big")


def u32(n: int) -> bytes:
    """Four bytes, big-endian."""
    return n.to_bytes(4, "big")


def lp(data: bytes) -> bytes:
    """*data* behind its length as two bytes, big-endian; ``OverflowError`` above 65,535 bytes."""
    return len(data).to_bytes(2, "big") + data


@dataclass(frozen=True, slots=True)
class Place:
    """Where a proof stands: match, roster, deal number, the prover's seat, and what ties it to its entry.

    ``extra`` is a head of the log (for a CALL, head and sequence number); both sides compute it, it is never sent.
    """

    match_id: bytes
    roster_hash: bytes
    hand: int
    seat: int
    extra: bytes = b""

    def ctx(self, kind: Kind) -> bytes:
        """The context string of a proof of this kind here: ``DOKO1-kind-`` and 32 bytes of SHA-256."""
        inner = lp(self.match_id) + lp(self.roster_hash) + u32(self.hand) + u8(self.seat) + lp(self.extra)
        return PREFIX + kind.value.encode() + b"-" + hashlib.sha256(inner).digest()


def expand_message_xmd(msg: bytes, dst: bytes, length: int) -> bytes:
    """RFC 9380 section 5.3.1 with SHA-512; *dst* of at most 255 bytes, at most 255 blocks of output."""
    blocks = -(-length // 64)
    if len(dst) > 255 or blocks > 255:
        raise ValueError("expand_message_xmd: tag or output too long")
    dst_prime = dst + u8(len(dst))
    b0 = hashlib.sha512(_BLOCK + msg + u16(length) + b"\0" + dst_prime).digest()
    block = hashlib.sha512(b0 + b"\x01" + dst_prime).digest()
    out = block
    for i in range(2, blocks + 1):
        block = hashlib.sha512(bytes(a ^ b for a, b in zip(b0, block, strict=True)) + u8(i) + dst_prime).digest()
        out += block
    return out[:length]


def hash_to_scalar(msg: bytes, ctx: bytes, order: int = Q) -> int:
    """RFC 9497 HashToScalar (ristretto255): 64 bytes, little-endian, modulo the group's order."""
    return int.from_bytes(expand_message_xmd(msg, _TO_SCALAR + ctx, 64), "little") % order


def uniform_for_group(msg: bytes, ctx: bytes) -> bytes:
    """The 64 bytes that RFC 9497 HashToGroup feeds to the one-way map (:meth:`Ristretto.from_uniform`)."""
    return expand_message_xmd(msg, _TO_GROUP + ctx, 64)


class Scalars:
    """Many values of :func:`hash_to_scalar` whose messages share one beginning, hashed once.

    ``Scalars(head, ctx).of(tail) == hash_to_scalar(head + tail, ctx)``.
    """

    __slots__ = ("_dst", "_order", "_state", "_tail")

    def __init__(self, head: bytes, ctx: bytes, order: int = Q) -> None:
        dst = _TO_SCALAR + ctx
        if len(dst) > 255:
            raise ValueError("context too long")
        self._dst = b"\x01" + dst + u8(len(dst))
        self._tail = u16(64) + b"\0" + self._dst[1:]
        self._order = order
        self._state = hashlib.sha512(_BLOCK + head)

    def of(self, tail: bytes) -> int:
        """``hash_to_scalar(head + tail, ctx)``."""
        return self.many((tail,))[0]

    def many(self, tails: Iterable[bytes]) -> list[int]:
        """:meth:`of` each."""
        sha512, copy, order, dst, end = hashlib.sha512, self._state.copy, self._order, self._dst, self._tail
        out = []
        for tail in tails:
            state = copy()
            state.update(tail + end)
            out.append(int.from_bytes(sha512(state.digest() + dst).digest(), "little") % order)
        return out


class Nonces:
    """Hedged one-time scalars in [1, order).

    Each is a hash of a secret, 32 fresh random bytes, the context, the statement and a running index, so that neither a
    weak random source nor a restored snapshot of one repeats a nonce under another statement.
    """

    __slots__ = ("_index", "_scalars")

    def __init__(self, secret: bytes, rand: Rand, ctx: bytes, statement: bytes, order: int = Q) -> None:
        self._scalars = Scalars(secret + rand(32) + lp(ctx) + statement, NONCE_DOMAIN, order)
        self._index = 0

    def next(self) -> int:
        """The next one."""
        return self.take(1)[0]

    def take(self, count: int) -> list[int]:
        """The next *count* of them."""
        out: list[int] = []
        while missing := count - len(out):
            indices = range(self._index, self._index + missing)
            self._index += missing
            out += [scalar for scalar in self._scalars.many([i.to_bytes(2, "big") for i in indices]) if scalar]
        return out


def random_below(rand: Rand, n: int) -> int:
    """Uniform in ``range(n)`` without modulo bias: draws are rejected, never folded."""
    if n < 1:
        raise ValueError("empty range")
    bits = (n - 1).bit_length()
    size = -(-bits // 8)
    mask = (1 << bits) - 1
    while bits:
        value = int.from_bytes(rand(size), "big") & mask
        if value < n:
            return value
    return 0


def random_scalar(rand: Rand) -> int:
    """Uniform in [1, Q-1] up to 2^-128: 48 bytes reduced."""
    return int.from_bytes(rand(48), "little") % (Q - 1) + 1


def hash_entries(hashes: Iterable[bytes]) -> bytes:
    """SHA-256 of 32-byte entry hashes one behind another: the value of KEYOK (four KEYS, in seat order) and of DECKOK
    (KEYS, KEYOK and SHUF, in round, then seat order).  ``ValueError`` if one is not 32 bytes."""
    joined = list(hashes)
    if any(len(h) != 32 for h in joined):
        raise ValueError("an entry hash has 32 bytes")
    return hashlib.sha256(b"".join(joined)).digest()


def same(a: bytes, b: bytes) -> bool:
    """Whether two digests are equal, in time independent of where they differ."""
    return hmac.compare_digest(a, b)
