"""Remembers sums of multiples of points, which are pure: the same argument is worked out once in a process.

Runs that differ only in where a node is killed, or in what the network does, share most of their proofs, and the three
who check a proof do the same sums.  Nothing is left out: every proof is made and checked by the program's own code, on
the points and scalars that it has in hand; only the multiplications behind an argument seen before are looked up.
"""

import hashlib
import marshal
from collections.abc import Iterable, Sequence
from typing import Any, Final

from protocol.deal.group import ristretto

#: Results kept; beyond it all are forgotten (about 60 MB).
MOST: Final = 200_000


def install() -> None:
    """Remember from now on; again is no change."""
    backend: Any = type(ristretto())
    if getattr(backend, "_remembers", False):
        return
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
