"""The group: a small interface, and ristretto255 on libsodium behind it.

The proofs are written over :class:`Group`; the game passes :func:`ristretto`, a test passes a multiplicative group.
Only this module touches ``rbcl`` (which bundles libsodium); without it :mod:`protocol.deal.group_py` takes over,
correct but slow and not constant-time.

Elements of ristretto255 are their 32 canonical bytes, so equality of points is equality of bytes.  A point that comes
from outside passes :func:`read_point` before anything else looks at it; the identity (32 zero bytes) is never accepted
from outside, but may occur as a value inside.
"""

import contextlib
import ctypes
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, Generic, TypeVar

from protocol.deal.hashing import Q, uniform_for_group
from protocol.refusal import Code, Refusal

E = TypeVar("E")

POINT_SIZE: Final = 32
SCALAR_SIZE: Final = 32
IDENTITY: Final = bytes(32)
_Q: Final = Q.to_bytes(32, "little")
_EDWARDS_NEUTRAL: Final = b"\x01" + bytes(31)
#: The base point B (RFC 9496 section A.1, multiple 1).
BASE: Final = bytes.fromhex("e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d76")


class Group(ABC, Generic[E]):
    """A group of prime order, written additively.  Scalars are ``int`` in ``range(order)``."""

    order: int
    base: E
    identity: E

    @abstractmethod
    def add(self, a: E, b: E) -> E:
        """a + b."""

    @abstractmethod
    def sub(self, a: E, b: E) -> E:
        """a - b."""

    @abstractmethod
    def mul(self, scalar: int, point: E) -> E:
        """scalar * point; the identity for scalar 0 or of the identity."""

    @abstractmethod
    def sum_products(self, scalars: Sequence[int], points: Sequence[E]) -> E:
        """The sum of ``scalars[i] * points[i]``; the factor 1 costs nothing."""

    def sums(self, rows: Iterable[tuple[Sequence[int], Sequence[E]]]) -> list[E]:
        """:meth:`sum_products` of each row."""
        return [self.sum_products(scalars, points) for scalars, points in rows]

    @abstractmethod
    def encode(self, point: E) -> bytes:
        """The canonical bytes of a point, for hashing."""

    def total(self, points: Sequence[E]) -> E:
        """The sum of *points*."""
        result = self.identity
        for point in points:
            result = point if result == self.identity else self.add(result, point)
        return result


class Ristretto(Group[bytes]):
    """ristretto255 (RFC 9496) with elements as their 32 bytes; what both back ends offer."""

    order = Q
    base = BASE
    identity = IDENTITY
    name: str

    @abstractmethod
    def is_valid(self, encoding: bytes) -> bool:
        """Whether 32 bytes are a canonical encoding, the identity included."""

    @abstractmethod
    def from_uniform(self, data: bytes) -> bytes:
        """RFC 9496 section 4.3.4: 64 uniform bytes to a point."""

    def encode(self, point: bytes) -> bytes:
        return point

    def hash_to_group(self, msg: bytes, ctx: bytes) -> bytes:
        """RFC 9497 HashToGroup."""
        return self.from_uniform(uniform_for_group(msg, ctx))


class Sodium(Ristretto):
    """libsodium through the shared object that ``rbcl`` carries, called without its Python wrappers.

    Each call has a buffer of its own: several threads may use one instance (ctypes lets go of the interpreter lock).
    """

    name = "libsodium"

    def __init__(self) -> None:
        with _no_stray_file():
            import rbcl  # noqa: F401  (its import initialises libsodium and leaves its file in the temporary directory)

            module = sys.modules["rbcl._sodium"]
        library = module._sodium
        self._mul = _declare(library.crypto_scalarmult_ristretto255, 3)
        self._base_mul = _declare(library.crypto_scalarmult_ristretto255_base, 2)
        self._add = _declare(library.crypto_core_ristretto255_add, 3)
        self._sub = _declare(library.crypto_core_ristretto255_sub, 3)
        self._map = _declare(library.crypto_core_ristretto255_from_hash, 2)
        valid = library.crypto_core_ristretto255_is_valid_point
        self._valid = _declare(valid, 1)
        self._edwards_mul = _declare(library.crypto_scalarmult_ed25519_noclamp, 3)

    def is_valid(self, encoding: bytes) -> bool:
        # libsodium 1.0.18 does not look at the highest bit: without the second test each point has two encodings.
        return len(encoding) == POINT_SIZE and encoding[31] < 0x80 and self._valid(encoding) == 1

    def is_edwards(self, encoding: bytes) -> bool:
        """Whether 32 bytes are a canonical Ed25519 encoding of a point of prime order: q times it is the neutral one.

        The library's own ``is_valid_point`` is not enough: up to 1.0.20 it lets P + (0, -1) pass (CVE-2025-69277).
        """
        if len(encoding) != POINT_SIZE:
            raise ValueError("an encoding has 32 bytes")
        out = _Buffer()
        self._edwards_mul(out, _Q, encoding)  # fails for a neutral result, too, but has written it then
        return out.raw == _EDWARDS_NEUTRAL

    def from_uniform(self, data: bytes) -> bytes:
        if len(data) != 64:
            raise ValueError("the one-way map takes 64 bytes")
        out = _Buffer()
        self._map(out, data)
        return out.raw

    def add(self, a: bytes, b: bytes) -> bytes:
        out = _Buffer()
        if self._add(out, a, b):
            raise ArithmeticError("an operand is no point")  # libsodium alone would leave the identity, silently
        return out.raw

    def sub(self, a: bytes, b: bytes) -> bytes:
        out = _Buffer()
        if self._sub(out, a, b):
            raise ArithmeticError("an operand is no point")
        return out.raw

    def mul(self, scalar: int, point: bytes) -> bytes:
        if not scalar or point == IDENTITY:
            return IDENTITY
        out = _Buffer()
        if point == BASE:
            failed = self._base_mul(out, scalar.to_bytes(32, "little"))
        else:
            failed = self._mul(out, scalar.to_bytes(32, "little"), point)
        if failed:
            raise ArithmeticError("the operand is no point")
        return out.raw

    def sum_products(self, scalars: Sequence[int], points: Sequence[bytes]) -> bytes:
        return self.sums(((scalars, points),))[0]

    def sums(self, rows: Iterable[tuple[Sequence[int], Sequence[bytes]]]) -> list[bytes]:
        # One loop with everything local: this is where shuffle and verification spend their time.
        # Buffers go in as addresses, which ctypes converts faster than arrays.
        buffer, spare = _Buffer(), _Buffer()
        total, term = ctypes.addressof(buffer), ctypes.addressof(spare)
        mul, base_mul, add = self._mul, self._base_mul, self._add
        identity, base = IDENTITY, BASE
        out: list[bytes] = []
        failed = 0
        for scalars, points in rows:
            target = total
            for scalar, point in zip(scalars, points, strict=True):
                if scalar == 1:
                    if target == total:
                        buffer.raw = point
                        target = term
                    else:
                        failed |= add(total, total, point)
                    continue
                if not scalar or point == identity:
                    continue
                if point == base:
                    failed |= base_mul(target, scalar.to_bytes(32, "little"))
                else:
                    failed |= mul(target, scalar.to_bytes(32, "little"), point)
                if target == total:
                    target = term
                else:
                    failed |= add(total, total, term)
            out.append(identity if target == total else buffer.raw)
        if failed:
            raise ArithmeticError("an operand is no point")
        return out

    def total(self, points: Sequence[bytes]) -> bytes:
        return self.sum_products([1] * len(points), points)


_Buffer = ctypes.c_char * POINT_SIZE


def _declare(function: "ctypes._NamedFuncPointer", pointers: int) -> "ctypes._NamedFuncPointer":
    function.argtypes = [ctypes.c_void_p] * pointers  # takes bytes, arrays and addresses
    function.restype = ctypes.c_int
    return function


@contextlib.contextmanager
def _no_stray_file() -> Iterator[None]:
    """Remove the shared object that ``rbcl`` writes at import and leaves behind (POSIX keeps the mapping)."""
    yield
    module = sys.modules.get("rbcl._sodium")
    if os.name == "posix" and module is not None:
        with contextlib.suppress(OSError):
            os.unlink(module.lib_path)


_backend: Ristretto | None = None


def ristretto() -> Ristretto:
    """The ristretto255 of this process, loaded at the first call (50 ms): libsodium, else pure Python."""
    global _backend
    if _backend is None:
        try:
            _backend = Sodium()
        except (ImportError, OSError, AttributeError):
            from protocol.deal.group_py import PureRistretto

            _backend = PureRistretto()
    return _backend


def edwards_check() -> Callable[[bytes], bool] | None:
    """libsodium's test of Ed25519 keys (:meth:`Sodium.is_edwards`) once :func:`ristretto` has loaded it, else ``None``.

    It loads nothing itself: a command that looks at one key does not spend 50 ms to save one.
    """
    return _backend.is_edwards if isinstance(_backend, Sodium) else None


def read_point(data: object, what: str = "point") -> bytes:
    """A point from outside: exactly 32 bytes, canonical, not the identity; else FORMAT or POINT."""
    if type(data) is not bytes or len(data) != POINT_SIZE:
        raise Refusal(Code.FORMAT, f"{what}: not {POINT_SIZE} bytes")
    if data == IDENTITY or not ristretto().is_valid(data):
        raise Refusal(Code.POINT, f"{what}: no valid group element")
    return data


def read_scalar(data: object, what: str = "scalar") -> int:
    """A scalar from outside: exactly 32 bytes, little-endian, below the order; else FORMAT or SCALAR."""
    if type(data) is not bytes or len(data) != SCALAR_SIZE:
        raise Refusal(Code.FORMAT, f"{what}: not {SCALAR_SIZE} bytes")
    value = int.from_bytes(data, "little")
    if value >= Q:
        raise Refusal(Code.SCALAR, f"{what}: not below the group's order")
    return value


def split(data: object, count: int, what: str) -> list[bytes]:
    """*data* as *count* pieces of 32 bytes; FORMAT if it is not ``bytes`` of just that length."""
    if type(data) is not bytes or len(data) != 32 * count:
        raise Refusal(Code.FORMAT, f"{what}: not {count} x 32 bytes")
    return [data[i : i + 32] for i in range(0, 32 * count, 32)]


def read_points(data: object, count: int, what: str) -> list[bytes]:
    """*count* points from one byte string, each through :func:`read_point`; FORMAT on any other length."""
    pieces = split(data, count, what)
    valid = ristretto().is_valid
    for i, piece in enumerate(pieces):
        if piece == IDENTITY or not valid(piece):
            raise Refusal(Code.POINT, f"{what}[{i}]: no valid group element")
    return pieces


def read_scalars(data: object, count: int, what: str) -> list[int]:
    """*count* scalars from one byte string, each through :func:`read_scalar`; FORMAT on any other length."""
    values = [int.from_bytes(piece, "little") for piece in split(data, count, what)]
    for i, value in enumerate(values):
        if value >= Q:
            raise Refusal(Code.SCALAR, f"{what}[{i}]: not below the group's order")
    return values


def write_scalar(value: int) -> bytes:
    """32 bytes, little-endian."""
    return value.to_bytes(SCALAR_SIZE, "little")


def write_scalars(values: Sequence[int]) -> bytes:
    """Each 32 bytes, little-endian, one behind another."""
    return b"".join([value.to_bytes(SCALAR_SIZE, "little") for value in values])
