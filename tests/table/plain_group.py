"""ristretto255 by the letter of RFC 9496, slow and plain: what a second implementation could bring.

Imports nothing of the program; :mod:`tests.table.test_spec_document` rebuilds entries with it.
"""

import hashlib

P = 2**255 - 19
Q = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
I = pow(2, (P - 1) // 4, P)

Element = tuple[int, int, int, int]
ZERO: Element = (0, 1, 1, 0)


def sqrt_ratio(u: int, v: int) -> tuple[bool, int]:
    """Section 4.2."""
    r = u * pow(v, 3, P) * pow(u * pow(v, 7, P), (P - 5) // 8, P) % P
    check = v * r * r % P
    if check in (-u % P, -u * I % P):
        r = r * I % P
    return check in (u % P, -u % P), abs_(r)


def abs_(x: int) -> int:
    x %= P
    return P - x if x & 1 else x


INVSQRT_A_MINUS_D = sqrt_ratio(1, -1 - D)[1]
SQRT_AD_MINUS_ONE = P - sqrt_ratio(-D - 1, 1)[1]


def decode(data: bytes) -> Element:
    """Section 4.3.1; ``ValueError`` for what is no encoding."""
    s = int.from_bytes(data, "little")
    u1, u2 = (1 - s * s) % P, (1 + s * s) % P
    v = (-D * u1 * u1 - u2 * u2) % P
    square, invsqrt = sqrt_ratio(1, v * u2 * u2 % P)
    den_x = invsqrt * u2 % P
    den_y = invsqrt * den_x * v % P
    x, y = abs_(2 * s * den_x), u1 * den_y % P
    t = x * y % P
    if len(data) != 32 or s >= P or s & 1 or not square or t & 1 or y == 0:
        raise ValueError("no encoding")
    return x, y, 1, t


def encode(point: Element) -> bytes:
    """Section 4.3.2."""
    x0, y0, z0, t0 = point
    u1, u2 = (z0 + y0) * (z0 - y0) % P, x0 * y0 % P
    _, invsqrt = sqrt_ratio(1, u1 * u2 * u2 % P)
    den1, den2 = invsqrt * u1 % P, invsqrt * u2 % P
    z_inv = den1 * den2 * t0 % P
    x, y, den_inv = x0, y0, den2
    if t0 * z_inv % P & 1:
        x, y, den_inv = y0 * I % P, x0 * I % P, den1 * INVSQRT_A_MINUS_D % P
    if x * z_inv % P & 1:
        y = -y % P
    return abs_(den_inv * (z0 - y)).to_bytes(32, "little")


def one_way_map(data: bytes) -> Element:
    """Section 4.3.4."""

    def half(part: bytes) -> Element:
        t = int.from_bytes(part, "little") % 2**255 % P
        r = I * t * t % P
        u, v = (r + 1) * (1 - D * D) % P, (-1 - r * D) * (r + D) % P
        square, s = sqrt_ratio(u, v)
        c = -1
        if not square:
            s, c = -abs_(s * t) % P, r
        n = (c * (r - 1) * (D - 1) ** 2 - v) % P
        w0, w1, w2, w3 = 2 * s * v, n * SQRT_AD_MINUS_ONE, 1 - s * s, 1 + s * s
        return w0 * w3 % P, w2 * w1 % P, w1 * w3 % P, w0 * w2 % P

    return add(half(data[:32]), half(data[32:]))


def add(p: Element, q: Element) -> Element:
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def neg(p: Element) -> Element:
    return -p[0] % P, p[1], p[2], -p[3] % P


def combine(*products: tuple[int, Element]) -> Element:
    """The sum of scalar * point, four bits at a time."""
    rows = []
    for scalar, point in products:
        table = [ZERO]
        for _ in range(15):
            table.append(add(table[-1], point))
        digits = (scalar % Q).to_bytes(32, "big")
        rows.append((table, [nibble for byte in digits for nibble in (byte >> 4, byte & 15)]))
    result = ZERO
    for position in range(64):
        for _ in range(4):
            result = add(result, result)
        for table, nibbles in rows:
            result = add(result, table[nibbles[position]])
    return result


def mul(scalar: int, point: Element) -> Element:
    return combine((scalar, point))


BASE = decode(bytes.fromhex("e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d76"))


def expand_message_xmd(msg: bytes, dst: bytes, length: int) -> bytes:
    """RFC 9380, section 5.3.1, with SHA-512."""
    dst += bytes([len(dst)])
    first = hashlib.sha512(bytes(128) + msg + length.to_bytes(2, "big") + b"\0" + dst).digest()
    out = block = hashlib.sha512(first + b"\1" + dst).digest()
    for i in range(2, -(-length // 64) + 1):
        block = hashlib.sha512(bytes(x ^ y for x, y in zip(first, block, strict=True)) + bytes([i]) + dst).digest()
        out += block
    return out[:length]
