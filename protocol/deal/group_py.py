"""ristretto255 in pure Python (RFC 9496): the fallback where ``rbcl`` is missing, and what the tests compare it with.

Good enough to play, but not constant-time: with secrets it is used only if there is nothing else.  Points are decoded
once and remembered; points that are multiplied often (B, H, the joint key) get tables.
"""

from collections.abc import Sequence
from typing import Final, TypeAlias

from protocol.deal.group import BASE, IDENTITY, POINT_SIZE, Ristretto
from protocol.deal.hashing import Q

#: Extended coordinates X, Y, Z, T on edwards25519, x = X/Z, y = Y/Z, T = XY/Z.
_Extended: TypeAlias = tuple[int, int, int, int]
_Table: TypeAlias = list[list[_Extended]]

P: Final = 2**255 - 19
D: Final = -121665 * pow(121666, P - 2, P) % P
SQRT_M1: Final = pow(2, (P - 1) // 4, P)
_D2: Final = 2 * D % P
_ZERO: Final[_Extended] = (0, 1, 1, 0)

_REMEMBERED: Final = 4096  # decoded points kept
_TABLE_AFTER: Final = 40  # multiplications of one point after which a table (36 ms) pays
_TABLES: Final = 6


def _sqrt_ratio(u: int, v: int) -> tuple[bool, int]:
    """RFC 9496 section 4.2 SQRT_RATIO_M1."""
    v3 = v * v % P * v % P
    v7 = v3 * v3 % P * v % P
    r = u * v3 % P * pow(u * v7 % P, (P - 5) // 8, P) % P
    check = v * r % P * r % P
    correct = check == u % P
    flipped = check == -u % P
    if flipped or check == -u * SQRT_M1 % P:
        r = r * SQRT_M1 % P
    return correct or flipped, P - r if r & 1 else r


def _root(value: int, even: bool = True) -> int:
    square, root = _sqrt_ratio(value % P, 1)
    if not square:
        raise ArithmeticError("no square")
    return root if even else P - root


_INVSQRT_A_MINUS_D: Final = _sqrt_ratio(1, (-1 - D) % P)[1]
_SQRT_AD_MINUS_ONE: Final = _root(-D - 1, even=False)
_ONE_MINUS_D_SQ: Final = (1 - D * D) % P
_D_MINUS_ONE_SQ: Final = (D - 1) * (D - 1) % P


def _add(a: _Extended, b: _Extended) -> _Extended:
    x1, y1, z1, t1 = a
    x2, y2, z2, t2 = b
    m = (y1 - x1) * (y2 - x2) % P
    n = (y1 + x1) * (y2 + x2) % P
    c = t1 * t2 % P * _D2 % P
    d = 2 * z1 * z2 % P
    e, f, g, h = n - m, d - c, d + c, n + m
    return e * f % P, g * h % P, f * g % P, e * h % P


def _double(a: _Extended) -> _Extended:
    x, y, z, _ = a
    xx, yy = x * x % P, y * y % P
    h = xx + yy
    e = h - (x + y) * (x + y) % P
    g = xx - yy
    f = 2 * z * z % P + g
    return e * f % P, g * h % P, f * g % P, e * h % P


def _negate(a: _Extended) -> _Extended:
    return -a[0] % P, a[1], a[2], -a[3] % P


def decode(data: bytes) -> _Extended | None:
    """RFC 9496 section 4.3.1; None for an invalid encoding."""
    s = int.from_bytes(data, "little")
    if len(data) != POINT_SIZE or s >= P or s & 1:
        return None
    ss = s * s % P
    u1, u2 = (1 - ss) % P, (1 + ss) % P
    u2_sqr = u2 * u2 % P
    v = (-(D * u1 % P * u1) - u2_sqr) % P
    square, invsqrt = _sqrt_ratio(1, v * u2_sqr % P)
    den_x = invsqrt * u2 % P
    den_y = invsqrt * den_x % P * v % P
    x = 2 * s * den_x % P
    if x & 1:
        x = P - x
    y = u1 * den_y % P
    t = x * y % P
    if not square or t & 1 or not y:
        return None
    return x, y, 1, t


def encode(point: _Extended) -> bytes:
    """RFC 9496 section 4.3.2."""
    x0, y0, z0, t0 = point
    u1 = (z0 + y0) * (z0 - y0) % P
    u2 = x0 * y0 % P
    _, invsqrt = _sqrt_ratio(1, u1 * u2 % P * u2 % P)
    den1, den2 = invsqrt * u1 % P, invsqrt * u2 % P
    z_inv = den1 * den2 % P * t0 % P
    if t0 * z_inv % P & 1:
        x, y = y0 * SQRT_M1 % P, x0 * SQRT_M1 % P
        den_inv = den1 * _INVSQRT_A_MINUS_D % P
    else:
        x, y, den_inv = x0, y0, den2
    if x * z_inv % P & 1:
        y = -y % P
    s = den_inv * (z0 - y) % P
    return (P - s if s & 1 else s).to_bytes(32, "little")


def _map(data: bytes) -> _Extended:
    """RFC 9496 section 4.3.4 MAP, of 32 bytes."""
    t = (int.from_bytes(data, "little") & (2**255 - 1)) % P
    r = SQRT_M1 * t % P * t % P
    u = (r + 1) * _ONE_MINUS_D_SQ % P
    v = (-1 - r * D) * (r + D) % P
    square, s = _sqrt_ratio(u, v)
    c = P - 1
    if not square:
        s_prime = s * t % P
        s = s_prime if s_prime & 1 else -s_prime % P
        c = r
    n = (c * (r - 1) % P * _D_MINUS_ONE_SQ - v) % P
    w0, w1 = 2 * s * v % P, n * _SQRT_AD_MINUS_ONE % P
    w2, w3 = (1 - s * s) % P, (1 + s * s) % P
    return w0 * w3 % P, w2 * w1 % P, w1 * w3 % P, w0 * w2 % P


def _windows(scalar: int, bits: int) -> list[int]:
    """The scalar's digits of *bits* bits, lowest first."""
    mask = (1 << bits) - 1
    return [scalar >> shift & mask for shift in range(0, 253, bits)]


def _build_table(point: _Extended) -> _Table:
    """The multiples 1..255 of 256^i * point: a multiplication then takes 32 additions."""
    table = []
    for _ in range(32):
        row = [_ZERO, point]
        for _ in range(254):
            row.append(_add(row[-1], point))
        table.append(row)
        point = _add(row[-1], point)
    return table


def _few(scalars: Sequence[int], points: Sequence[_Extended]) -> _Extended:
    """Straus: common doublings, digits of 4 bits."""
    tables = []
    for point in points:
        row = [_ZERO, point]
        for _ in range(14):
            row.append(_add(row[-1], point))
        tables.append(row)
    columns = zip(*(_windows(scalar, 4) for scalar in scalars), strict=True)
    result = _ZERO
    for digits in reversed(list(columns)):
        if result is not _ZERO:
            result = _double(_double(_double(_double(result))))
        for digit, row in zip(digits, tables, strict=True):
            if digit:
                result = _add(result, row[digit])
    return result


def _many(scalars: Sequence[int], points: Sequence[_Extended]) -> _Extended:
    """Pippenger: buckets per digit."""
    bits = 5 if len(points) < 120 else 6
    result = _ZERO
    for digits in reversed(list(zip(*(_windows(scalar, bits) for scalar in scalars), strict=True))):
        for _ in range(bits):
            result = _double(result)
        buckets: list[_Extended | None] = [None] * (1 << bits)
        for digit, point in zip(digits, points, strict=True):
            held = buckets[digit]
            buckets[digit] = point if held is None else _add(held, point)
        running = total = _ZERO
        for bucket in reversed(buckets[1:]):
            if bucket is not None:
                running = _add(running, bucket)
            total = _add(total, running)
        result = _add(result, total)
    return result


class PureRistretto(Ristretto):
    """The group in Python's integers."""

    name = "pure Python"

    def __init__(self) -> None:
        self._decoded: dict[bytes, _Extended] = {IDENTITY: _ZERO}
        self._uses: dict[bytes, int] = {BASE: _TABLE_AFTER}
        self._tables: dict[bytes, _Table] = {}

    def _point(self, data: bytes) -> _Extended:
        found = self._decoded.get(data)
        if found is None:
            found = decode(data)
            if found is None:
                raise ArithmeticError("an operand is no point")
            self._remember(data, found)
        return found

    def _remember(self, data: bytes, point: _Extended) -> None:
        if len(self._decoded) >= _REMEMBERED:
            self._decoded.clear()
            self._decoded[IDENTITY] = _ZERO
        self._decoded[data] = point

    def _encode(self, point: _Extended) -> bytes:
        data = encode(point)
        self._remember(data, point)
        return data

    def _table(self, data: bytes) -> _Table | None:
        table = self._tables.get(data)
        if table is None:
            uses = self._uses.get(data, 0) + 1
            if len(self._uses) > _REMEMBERED:
                self._uses = {BASE: _TABLE_AFTER}
            self._uses[data] = uses
            if uses > _TABLE_AFTER:
                if len(self._tables) >= _TABLES:
                    del self._tables[next(key for key in self._tables if key != BASE)]
                table = self._tables[data] = _build_table(self._point(data))
        return table

    def is_valid(self, encoding: bytes) -> bool:
        if encoding in self._decoded:
            return True
        point = decode(encoding)
        if point is None:
            return False
        self._remember(encoding, point)
        return True

    def from_uniform(self, data: bytes) -> bytes:
        if len(data) != 64:
            raise ValueError("the one-way map takes 64 bytes")
        return self._encode(_add(_map(data[:32]), _map(data[32:])))

    def add(self, a: bytes, b: bytes) -> bytes:
        return self._encode(_add(self._point(a), self._point(b)))

    def sub(self, a: bytes, b: bytes) -> bytes:
        return self._encode(_add(self._point(a), _negate(self._point(b))))

    def mul(self, scalar: int, point: bytes) -> bytes:
        return self.sum_products((scalar,), (point,))

    def sum_products(self, scalars: Sequence[int], points: Sequence[bytes]) -> bytes:
        total = _ZERO
        loose_scalars: list[int] = []
        loose_points: list[_Extended] = []
        for scalar, data in zip(scalars, points, strict=True):
            if not 0 <= scalar < Q:
                raise OverflowError("scalar out of range")
            if scalar == 1:
                total = _add(total, self._point(data))
            elif scalar and data != IDENTITY:
                table = self._table(data)
                if table is None:
                    loose_scalars.append(scalar)
                    loose_points.append(self._point(data))
                else:
                    for row, digit in zip(table, scalar.to_bytes(32, "little"), strict=True):
                        if digit:
                            total = _add(total, row[digit])
        if loose_points:
            total = _add(total, (_few if len(loose_points) < 16 else _many)(loose_scalars, loose_points))
        return self._encode(total)

    def total(self, points: Sequence[bytes]) -> bytes:
        result = _ZERO
        for data in points:
            result = _add(result, self._point(data))
        return self._encode(result)
