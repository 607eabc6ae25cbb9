"""Ed25519 identities: which keys are acceptable, and how signatures are checked (RFC 8032, without cofactor).

Implementations of Ed25519 disagree about keys of small or mixed order and about encodings that are not canonical (a
signature is then valid for one node and not for another); all of them are refused here, so that there is nothing left
to disagree about.  Keys are public: nothing below needs constant time.
"""

import functools
from collections.abc import Callable
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from protocol.deal.group import edwards_check
from protocol.refusal import Code, Refusal

Sign = Callable[[bytes], bytes]
"""Signs bytes with the node's identity key: the private key itself never comes here."""

P: Final = 2**255 - 19
L: Final = 2**252 + 27742317777372353535851937790883648493
D: Final = -121665 * pow(121666, -1, P) % P
_SQRT_M1: Final = pow(2, (P - 1) // 4, P)

_Point = tuple[int, int, int, int]  # extended coordinates X, Y, Z, T (RFC 8032 5.1.4)
_NEUTRAL: Final[_Point] = (0, 1, 1, 0)


DOMAIN_STATIC: Final = b"DOKO1-static"


def sign_static(sign: Sign, static: bytes) -> bytes:
    """The identity's signature on the node's X25519 static key (32 bytes): made once, shown in every HELLO."""
    return sign(DOMAIN_STATIC + static)


def check_static(identity: bytes, static: bytes, signature: bytes, what: str = "static key") -> None:
    """Refuse (SIG) unless *identity* signed the X25519 key *static*."""
    if type(static) is not bytes or len(static) != 32:
        raise Refusal(Code.FORMAT, f"{what}: expected 32 bytes")
    verify(identity, signature, DOMAIN_STATIC + static, what)


def check_identity(key: bytes, what: str = "identity key") -> bytes:
    """*key* if it is a canonical encoding of a point of prime order, else ``Refusal(SIG)``."""
    if type(key) is not bytes or len(key) != 32:
        raise Refusal(Code.FORMAT, f"{what}: expected 32 bytes")
    reason = _flaw(key)
    if reason:
        raise Refusal(Code.SIG, f"{what}: {reason}")
    return key


def verify(key: bytes, signature: bytes, message: bytes, what: str = "message") -> None:
    """Refuse (SIG) unless *signature* (64 bytes) is *key*'s for *message*; *key* has to pass :func:`check_identity`."""
    check_identity(key)
    if type(signature) is not bytes or len(signature) != 64:
        raise Refusal(Code.FORMAT, f"{what}: expected a signature of 64 bytes")
    try:
        _public(key).verify(signature, message)
    except InvalidSignature:
        raise Refusal(Code.SIG, f"{what}: the signature is not its author's for these bytes") from None


@functools.lru_cache(maxsize=64)
def _public(key: bytes) -> Ed25519PublicKey:
    return Ed25519PublicKey.from_public_bytes(key)


@functools.lru_cache(maxsize=256)
def _flaw(key: bytes) -> str:
    """Why *key* is not acceptable, or ``""``."""
    encoded = int.from_bytes(key, "little")
    sign, y = encoded >> 255, encoded & (2**255 - 1)
    if y >= P:
        return "the encoding is not canonical"
    u, v = (y * y - 1) % P, (D * y * y + 1) % P
    x = u * pow(v, 3, P) * pow(u * pow(v, 7, P), (P - 5) // 8, P) % P
    if v * x * x % P == -u % P:
        x = x * _SQRT_M1 % P
    if v * x * x % P != u:
        return "it is no point of the curve"
    if x == 0 and sign:
        return "the encoding is not canonical"
    if x & 1 != sign:
        x = P - x
    point = (x, y, 1, x * y % P)
    if _is_neutral(_multiply(8, point)):
        return "it is a point of small order"
    if not _has_prime_order(key, point):
        return "it is not a point of prime order"
    return ""


def _has_prime_order(key: bytes, point: _Point) -> bool:
    """The one costly test, 1.3 ms here and 0.03 ms in libsodium: strangers make nodes do it in every HELLO."""
    quick = edwards_check()
    return _is_neutral(_multiply(L, point)) if quick is None else quick(key)


def _is_neutral(point: _Point) -> bool:
    return point[0] == 0 and point[1] == point[2]


def _multiply(scalar: int, point: _Point) -> _Point:
    result = _NEUTRAL
    while scalar:
        if scalar & 1:
            result = _add(result, point)
        point = _add(point, point)
        scalar >>= 1
    return result


def _add(p: _Point, q: _Point) -> _Point:
    a = (p[1] - p[0]) * (q[1] - q[0]) % P
    b = (p[1] + p[0]) * (q[1] + q[0]) % P
    c = 2 * p[3] * q[3] * D % P
    d = 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)
