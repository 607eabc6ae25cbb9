"""Remembers sums of multiples of points, which are pure: the same argument is worked out once in a process.

Runs that differ only in where a node is killed, or in what the network does, share most of their proofs, and the three
who check a proof do the same sums.  Nothing is left out: every proof is made and checked by the program's own code, on
the points and scalars that it has in hand; only the multiplications behind an argument seen before are looked up, and
so are signatures that have held for the same key and bytes.
"""

import functools
import hashlib
import marshal
from collections.abc import Iterable, Sequence
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from protocol.deal.group import ristretto
from protocol.wire import keys

#: Results kept; beyond it all are forgotten (about 60 MB).
MOST: Final = 200_000


class Key:
    """A public key that remembers what it has verified."""

    def __init__(self, key: Ed25519PublicKey) -> None:
        self._key = key
        self._held: set[tuple[bytes, bytes]] = set()

    def verify(self, signature: bytes, message: bytes) -> None:
        pair = (signature, hashlib.blake2b(message, digest_size=20).digest())
        if pair not in self._held:
            self._key.verify(signature, message)
            if len(self._held) >= MOST:
                self._held.clear()
            self._held.add(pair)


def install() -> None:
    """Remember from now on; again is no change."""
    backend: Any = type(ristretto())
    if getattr(backend, "_remembers", False):
        return
    plain_key = keys._public
    keys._public = functools.cache(lambda key: Key(plain_key(key)))  # type: ignore[assignment]
    plain_sums, plain_mul, plain_valid = backend.sums, backend.mul, backend.is_valid
    sums_of: dict[bytes, list[bytes]] = {}
    product_of: dict[tuple[int, bytes], bytes] = {}
    valid: set[bytes] = set()

    def sums(self: Any, rows: Iterable[tuple[Sequence[int], Sequence[bytes]]]) -> list[bytes]:
        listed = [(tuple(scalars), tuple(points)) for scalars, points in rows]
        key = hashlib.blake2b(marshal.dumps(listed, 2), digest_size=20).digest()
        found = sums_of.get(key)
        if found is None:
            if len(sums_of) >= MOST:
                sums_of.clear()
            found = sums_of[key] = plain_sums(self, listed)
        return list(found)

    def mul(self: Any, scalar: int, point: bytes) -> bytes:
        found = product_of.get((scalar, point))
        if found is None:
            if len(product_of) >= MOST:
                product_of.clear()
            found = product_of[scalar, point] = plain_mul(self, scalar, point)
        return found

    def is_valid(self: Any, encoding: bytes) -> bool:
        if encoding in valid:
            return True
        if not plain_valid(self, encoding):
            return False
        if len(valid) >= MOST:
            valid.clear()
        valid.add(encoding)
        return True

    backend.sums, backend.mul, backend.is_valid, backend._remembers = sums, mul, is_valid, True
