"""COMMIT, KEYS, KEYOK: the hand's keys, their sub-shares in sealed boxes, and what is done about a bad box.

Seat i draws three sub-shares s_ij, one for each other seat j; its secret key is their sum x_i, its public key the sum
of the points S_ij = s_ij * B and never sent.  Box j holds s_ij for seat j alone.  The body of KEYS, byte for byte, is
the msgpack array

    [hand, seat, [S, S, S], pop (64 bytes), [[eph, box], [eph, box], [eph, box]], coin (32 bytes)]

in the order of the other seats ascending, in msgpack's shortest forms: a body has one encoding, no other is taken.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import msgspec
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from protocol.cards import PLAYERS
from protocol.deal.group import BASE, IDENTITY, POINT_SIZE, read_point, read_scalar, ristretto, write_scalar
from protocol.deal.hashing import Kind, Nonces, Place, Q, Rand, hash_to_scalar, lp, random_scalar, same, u8, u32
from protocol.refusal import Code, Refusal

BOX_INFO: Final = b"DOKO1-box"
BOX_SIZE: Final = 48
POP_SIZE: Final = 64
COIN_SIZE: Final = 32
COMMITMENT_SIZE: Final = 64
MAX_BODY: Final = 600


class _Body(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    hand: int
    seat: int
    points: tuple[bytes, bytes, bytes]
    pop: bytes
    boxes: tuple[tuple[bytes, bytes], tuple[bytes, bytes], tuple[bytes, bytes]]
    coin: bytes


_decoder = msgspec.msgpack.Decoder(_Body)
_encode = msgspec.msgpack.Encoder().encode


def others(seat: int) -> tuple[int, int, int]:
    """The other seats, ascending."""
    a, b, c = (j for j in range(PLAYERS) if j != seat)
    return a, b, c


@dataclass(frozen=True, slots=True)
class PublicKeys:
    """What a checked KEYS of one seat says; ``points``, ``ephemerals``, ``boxes`` are keyed by the receiving seat.

    ``public`` is Y_i, ``body`` the bytes that were committed to.
    """

    seat: int
    public: bytes
    points: dict[int, bytes]
    ephemerals: dict[int, bytes]
    boxes: dict[int, bytes]
    coin: bytes
    body: bytes


@dataclass(frozen=True, slots=True, repr=False)
class OwnKeys:
    """One's own keys of one deal.  Secret until the deal's end but for ``body``.

    ``x``: secret key; ``public`` = x * B; ``subs[j]``: the sub-share for seat j; ``ephemerals[j]``: its box's secret.
    """

    seat: int
    x: int = field(repr=False)
    public: bytes
    subs: dict[int, int] = field(repr=False)
    ephemerals: dict[int, bytes] = field(repr=False)
    body: bytes

    @property
    def commitment(self) -> bytes:
        """What COMMIT carries."""
        return commitment(self.body)

    def pack(self) -> bytes:
        """Bytes for the store (secret), with a checksum: a proof made with a damaged key would convict its maker."""
        seats = others(self.seat)
        secrets = [write_scalar(self.subs[j]) + self.ephemerals[j] for j in seats]
        data = u8(self.seat) + b"".join(secrets) + self.body
        return hashlib.sha256(data).digest() + data

    @staticmethod
    def unpack(data: bytes) -> "OwnKeys":
        """The inverse of :meth:`pack`; ``ValueError`` if the bytes are damaged."""
        checksum, data = data[:32], data[32:]
        if len(data) < 193 or data[0] >= PLAYERS or hashlib.sha256(data).digest() != checksum:
            raise ValueError("stored keys are damaged")
        seat = data[0]
        subs, ephemerals = {}, {}
        for n, j in enumerate(others(seat)):
            piece = data[1 + 64 * n : 65 + 64 * n]
            subs[j], ephemerals[j] = int.from_bytes(piece[:32], "little"), piece[32:]
        x = sum(subs.values()) % Q
        if not all(0 < s < Q for s in subs.values()) or not x:
            raise ValueError("stored keys are damaged")
        return OwnKeys(seat, x, ristretto().mul(x, BASE), subs, ephemerals, data[193:])


def commitment(body: bytes) -> bytes:
    """SHA-512 of the length-prefixed body of KEYS."""
    return hashlib.sha512(lp(body)).digest()


def check_commitment(committed: bytes, body: bytes) -> None:
    """FORMAT if either is of an impossible size, CONTEXT if the body is not the one committed to."""
    if type(committed) is not bytes or len(committed) != COMMITMENT_SIZE or type(body) is not bytes:
        raise Refusal(Code.FORMAT, "KEYS or COMMIT: not of the right length")
    if len(body) > MAX_BODY:
        raise Refusal(Code.FORMAT, "KEYS: too long")
    if not same(commitment(body), committed):
        raise Refusal(Code.CONTEXT, "KEYS: not what COMMIT promised")


def check_noise_key(public: bytes) -> None:
    """POINT for an X25519 key of small order, for which nobody could seal a box; FORMAT for another length."""
    try:
        X25519PrivateKey.from_private_bytes(b"\x08" * 32).exchange(X25519PublicKey.from_public_bytes(public))
    except (ValueError, TypeError) as error:
        if type(public) is not bytes or len(public) != 32:
            raise Refusal(Code.FORMAT, "X25519 key: not 32 bytes") from error
        raise Refusal(Code.POINT, "X25519 key: of small order, no box could be sealed for it") from error


def make_keys(place: Place, noise_keys: Mapping[int, bytes], rand: Rand) -> OwnKeys:
    """Fresh keys for *place*'s seat; ``extra`` = first head of the deal chain.

    *noise_keys*: the X25519 static keys of (at least) the other seats.
    """
    group, seat = ristretto(), place.seat
    seats = others(seat)
    subs: dict[int, int] = {}
    x = 0
    while not x:
        subs = {j: random_scalar(rand) for j in seats}
        x = sum(subs.values()) % Q
    points = [group.mul(subs[j], BASE) for j in seats]
    public = group.mul(x, BASE)
    ephemerals = {j: rand(32) for j in seats}
    boxes = []
    for j, point in zip(seats, points, strict=True):
        secret = X25519PrivateKey.from_private_bytes(ephemerals[j])
        key = _box_key(secret, noise_keys[j])
        if key is None:
            raise Refusal(Code.POINT, f"seat {j}: its X25519 key is of small order")
        aad = _aad(place, j, point)
        box = ChaCha20Poly1305(key).encrypt(bytes(12), write_scalar(subs[j]), aad)
        boxes.append((secret.public_key().public_bytes_raw(), box))
    pop = prove_possession(place, x, public, points, rand)
    sealed = (boxes[0], boxes[1], boxes[2])
    body = _encode(_Body(place.hand, seat, (points[0], points[1], points[2]), pop, sealed, rand(COIN_SIZE)))
    return OwnKeys(seat, x, public, subs, ephemerals, body)


def read_keys(place: Place, body: bytes) -> PublicKeys:
    """The KEYS of *place*'s seat with its proof of possession checked.

    FORMAT, CONTEXT (another deal's or seat's), POINT, SCALAR, POP.  The commitment and the boxes are checked elsewhere
    (:func:`check_commitment`, :func:`open_box`, :func:`check_distinct`).
    """
    if type(body) is not bytes or len(body) > MAX_BODY:
        raise Refusal(Code.FORMAT, "KEYS: no bytes, or too long")
    try:
        fields = _decoder.decode(body)
        canonical = _encode(fields)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise Refusal(Code.FORMAT, f"KEYS: {error}") from error
    if canonical != body:
        raise Refusal(Code.FORMAT, "KEYS: not in the one encoding a body has")
    sizes_ok = len(fields.pop) == POP_SIZE and len(fields.coin) == COIN_SIZE
    sizes_ok = sizes_ok and all(len(point) == POINT_SIZE for point in fields.points)
    if not sizes_ok or any(len(e) != 32 or len(b) != BOX_SIZE for e, b in fields.boxes):
        raise Refusal(Code.FORMAT, "KEYS: a field is not of its length")
    if fields.hand != place.hand or fields.seat != place.seat:
        raise Refusal(Code.CONTEXT, "KEYS: of another deal or another seat")
    seats = others(place.seat)
    points = [read_point(point, f"S[{n}]") for n, point in enumerate(fields.points)]
    public = ristretto().total(points)
    if public == IDENTITY:
        raise Refusal(Code.POINT, "KEYS: the public key is the identity")
    check_possession(place, public, points, fields.pop)
    return PublicKeys(
        seat=place.seat,
        public=public,
        points=dict(zip(seats, points, strict=True)),
        ephemerals={j: e for j, (e, _) in zip(seats, fields.boxes, strict=True)},
        boxes={j: b for j, (_, b) in zip(seats, fields.boxes, strict=True)},
        coin=fields.coin,
        body=body,
    )


def check_distinct(keys: Sequence[PublicKeys]) -> None:
    """POP unless the twelve sub-share points are pairwise distinct and so are the four public keys."""
    points = [point for k in keys for point in k.points.values()]
    if len(set(points)) != len(points) or len({k.public for k in keys}) != len(keys):
        raise Refusal(Code.POP, "KEYS: a key or sub-share point stands twice")


def joint_key(keys: Sequence[PublicKeys]) -> bytes:
    """Y, the sum of the four public keys, after :func:`check_distinct`; POINT should it be the identity."""
    if sorted(k.seat for k in keys) != list(range(PLAYERS)):
        raise ValueError("the keys of four seats are needed")
    check_distinct(keys)
    key = ristretto().total([k.public for k in keys])
    if key == IDENTITY:
        raise Refusal(Code.POINT, "KEYS: the joint key is the identity")
    return key


def prove_possession(place: Place, x: int, public: bytes, points: Sequence[bytes], rand: Rand) -> bytes:
    """Schnorr proof of x, bound to the three sub-share points: (c, z)."""
    ctx = place.ctx(Kind.POP)
    statement = b"".join(points) + public
    w = Nonces(write_scalar(x), rand, ctx, statement).next()
    c = hash_to_scalar(statement + ristretto().mul(w, BASE), ctx)
    return write_scalar(c) + write_scalar((w + c * x) % Q)


def check_possession(place: Place, public: bytes, points: Sequence[bytes], pop: bytes) -> None:
    """SCALAR or POP unless the proof of possession holds for *public* here."""
    c, z = read_scalar(pop[:32], "pop challenge"), read_scalar(pop[32:], "pop response")
    commit = ristretto().sum_products((z, -c % Q), (BASE, public))
    if hash_to_scalar(b"".join(points) + public + commit, place.ctx(Kind.POP)) != c:
        raise Refusal(Code.POP, f"seat {place.seat} does not show that it knows its key")


def open_box(place: Place, keys: PublicKeys, receiver: int, noise_private: bytes) -> int:
    """The sub-share that *keys*' seat has sealed for *receiver*, opened with the receiver's X25519 secret.

    POP if the box does not open to s with s * B = S (the receiver then sends SHAREBAD).  *place*: the sealing seat's.
    """
    secret = X25519PrivateKey.from_private_bytes(noise_private)
    return _unseal(place, keys, receiver, _box_key(secret, keys.ephemerals[receiver]))


def open_disputed(
    place: Place, keys: PublicKeys, receiver: int, ephemeral: object, noise_public: bytes
) -> int:
    """The same box opened by anyone with the ephemeral secret that SHAREOPEN shows.

    Returns the sub-share if the box is good: then the complainant is convicted.  FORMAT or POP if it is not: then the
    sender is.  *noise_public*: the receiver's X25519 static key.
    """
    if type(ephemeral) is not bytes or len(ephemeral) != 32:
        raise Refusal(Code.FORMAT, "SHAREOPEN: not 32 bytes")
    secret = X25519PrivateKey.from_private_bytes(ephemeral)
    if secret.public_key().public_bytes_raw() != keys.ephemerals[receiver]:
        raise Refusal(Code.POP, "SHAREOPEN: not the secret of that box")
    return _unseal(place, keys, receiver, _box_key(secret, noise_public))


def _unseal(place: Place, keys: PublicKeys, receiver: int, key: bytes | None) -> int:
    bad = Refusal(Code.POP, f"the box of seat {keys.seat} for seat {receiver} does not hold its sub-share")
    if key is None:
        raise bad
    point = keys.points[receiver]
    try:
        plain = ChaCha20Poly1305(key).decrypt(bytes(12), keys.boxes[receiver], _aad(place, receiver, point))
        sub = read_scalar(plain, "sub-share")
    except (InvalidTag, Refusal) as error:
        raise bad from error
    if ristretto().mul(sub, BASE) != point:
        raise bad
    return sub


def _aad(place: Place, receiver: int, point: bytes) -> bytes:
    return place.match_id + u32(place.hand) + u8(place.seat) + u8(receiver) + point


def _box_key(secret: X25519PrivateKey, public: bytes) -> bytes | None:
    """The box's key, or None where X25519 gives zero (a public key of small order)."""
    try:
        shared = secret.exchange(X25519PublicKey.from_public_bytes(public))
    except ValueError:
        return None
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=BOX_INFO).derive(shared)
