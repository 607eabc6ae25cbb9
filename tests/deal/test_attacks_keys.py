"""Attacks 9 to 14: keys, proofs of possession, boxes."""

import dataclasses
from hashlib import sha256

import msgpack
import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from protocol.deal import keys
from protocol.deal.group import BASE, ristretto, write_scalar
from protocol.deal.hashing import Kind, Place, Q, hash_to_scalar, random_scalar
from protocol.deal.keys import OwnKeys
from protocol.refusal import Code, Refusal

from .helpers import Dealt, Stream, dealt, plain_sum, plus_base, refused
from .test_attacks_bytes import keys_body


@pytest.fixture
def d() -> Dealt:
    return dealt(1)


def test_honest_keys(d: Dealt) -> None:
    for i, (own, public) in enumerate(zip(d.own, d.public, strict=True)):
        keys.check_commitment(own.commitment, own.body)
        assert public.public == own.public == ristretto().mul(own.x, BASE) == plain_sum(public.points.values())
        assert sum(own.subs.values()) % Q == own.x
        for j in keys.others(i):
            sub = keys.open_box(d.pop_place(i), public, j, d.noise_private[j])
            assert sub == own.subs[j]
            assert ristretto().mul(sub, BASE) == public.points[j]
    assert d.key == plain_sum(own.public for own in d.own)
    assert len({own.body[-32:] for own in d.own}) == 4  # the coins stand last


def test_keys_survive_the_store_and_show_nothing(d: Dealt) -> None:
    own = d.own[2]
    assert OwnKeys.unpack(own.pack()) == own
    secrets = {str(own.x), write_scalar(own.x).hex(), str(own.subs[0]), repr(own.ephemerals[0])}
    assert not any(secret in repr(own) + str(own) for secret in secrets)
    packed = own.pack()
    zero, fifth = b"\x02" + bytes(192) + own.body, b"\x04" + packed[33:]
    rotten = [packed[:at] + bytes([packed[at] ^ 1]) + packed[at + 1 :] for at in (0, 40, 70, 232, len(packed) - 1)]
    summed = [sha256(data).digest() + data for data in (zero, fifth, packed[32:190])]
    for damaged in (b"", packed[:222], *rotten, *summed):
        with pytest.raises(ValueError, match="damaged"):
            OwnKeys.unpack(damaged)


def test_a_key_of_zero_is_drawn_again() -> None:
    d = dealt(1)
    drawn = [
        (1).to_bytes(48, "little"),
        (2).to_bytes(48, "little"),
        (Q - 6).to_bytes(48, "little"),  # plus one each: 2 + 3 + (Q - 5) = 0
    ]
    stream = Stream("zero")

    def rand(n: int) -> bytes:
        return drawn.pop(0) if drawn else stream(n)

    own = keys.make_keys(d.pop_place(0), d.noise_public, rand)
    assert own.x != 0
    keys.read_keys(d.pop_place(0), own.body)


def test_commitment_binds_the_body(d: Dealt) -> None:
    own = d.own[0]
    for body in (own.body[:-1] + bytes([own.body[-1] ^ 1]), d.own[1].body):
        with refused(Code.CONTEXT):
            keys.check_commitment(own.commitment, body)
    for committed, body in ((own.commitment[:63], own.body), (own.commitment, bytes(601)), (None, own.body)):
        with refused(Code.FORMAT):
            keys.check_commitment(committed, body)  # type: ignore[arg-type]


def rogue_points(d: Dealt) -> tuple[int, list[bytes]]:
    """Seat 3's sub-share points such that the joint key is z * B with z known to him."""
    group = ristretto()
    z = random_scalar(Stream("rogue"))
    target = group.sub(group.mul(z, BASE), plain_sum(own.public for own in d.own[:3]))
    known = [group.mul(5, BASE), group.mul(6, BASE)]
    return z, [*known, group.sub(target, plain_sum(known))]


def test_attack_9_rogue_key(d: Dealt) -> None:
    z, points = rogue_points(d)
    public = plain_sum(points)
    group = ristretto()
    assert plain_sum([own.public for own in d.own[:3]] + [public]) == group.mul(z, BASE)  # the attack would work
    place = d.pop_place(3)
    for pop in (
        keys.prove_possession(place, z, public, points, d.rand),
        msgpack.unpackb(d.own[3].body)[3],
        write_scalar(1) + write_scalar(2),
    ):
        with refused(Code.POP):
            keys.read_keys(place, keys_body(d, 3, points=points, pop=pop))


def test_attack_10_keys_of_another_seat(d: Dealt) -> None:
    with refused(Code.CONTEXT):
        keys.read_keys(d.pop_place(3), d.own[1].body)
    with refused(Code.POP):  # the seat renamed: the pop names its seat
        keys.read_keys(d.pop_place(3), keys_body(d, 1, seat=3))


def test_attack_10_the_same_key_or_point_twice(d: Dealt) -> None:
    twin = dataclasses.replace(d.public[1], seat=3)
    with refused(Code.POP):
        keys.joint_key([*d.public[:3], twin])
    shared = dataclasses.replace(d.public[3], points=d.public[3].points | {0: d.public[1].points[0]})
    with refused(Code.POP):
        keys.joint_key([*d.public[:3], shared])
    equal_keys = dataclasses.replace(d.public[3], public=d.public[0].public)
    with refused(Code.POP):
        keys.joint_key([*d.public[:3], equal_keys])
    with pytest.raises(ValueError, match="four seats"):
        keys.joint_key(d.public[:3])


def test_attack_11_pop_of_an_earlier_hand_or_match(d: Dealt) -> None:
    place = d.pop_place(2)
    points = [d.public[2].points[j] for j in keys.others(2)]
    elsewhere = [
        dataclasses.replace(place, hand=place.hand - 1),
        dataclasses.replace(place, match_id=bytes(32)),
        dataclasses.replace(place, roster_hash=bytes(32)),
        dataclasses.replace(place, extra=b"another head"),
    ]
    for old in elsewhere:
        pop = keys.prove_possession(old, d.own[2].x, d.own[2].public, points, d.rand)
        keys.check_possession(old, d.own[2].public, points, pop)
        with refused(Code.POP):
            keys.read_keys(place, keys_body(d, 2, pop=pop))


def test_attack_11_pop_is_bound_to_the_sub_share_points(d: Dealt) -> None:
    group = ristretto()
    points = [d.public[2].points[j] for j in keys.others(2)]
    moved = [plus_base(points[0]), group.sub(points[1], BASE), points[2]]  # the same sum
    with refused(Code.POP):
        keys.read_keys(d.pop_place(2), keys_body(d, 2, points=moved))


def test_attack_12_random_challenge_and_zero_response(d: Dealt) -> None:
    for c in (1, 12345, random_scalar(d.rand)):
        for z in (0, 1):
            with refused(Code.POP):
                keys.read_keys(d.pop_place(2), keys_body(d, 2, pop=write_scalar(c) + write_scalar(z)))


def test_pop_is_the_hash_that_is_specified(d: Dealt) -> None:
    pop, points = msgpack.unpackb(d.own[0].body)[3], [d.public[0].points[j] for j in (1, 2, 3)]
    c, z = int.from_bytes(pop[:32], "little"), int.from_bytes(pop[32:], "little")
    group = ristretto()
    w = group.sub(group.mul(z, BASE), group.mul(c, d.own[0].public))
    assert c == hash_to_scalar(b"".join(points) + d.own[0].public + w, d.pop_place(0).ctx(Kind.POP))


def with_box(d: Dealt, sub: int, sealed_for: int = 1) -> tuple[keys.PublicKeys, bytes]:
    """Seat 0's keys with the box for seat 1 made anew over another sub-share; and the box's ephemeral secret."""
    ephemeral = d.rand(32)
    secret = X25519PrivateKey.from_private_bytes(ephemeral)
    key = keys._box_key(secret, d.noise_public[sealed_for])
    assert key is not None
    aad = keys._aad(d.pop_place(0), 1, d.public[0].points[1])
    box = keys.ChaCha20Poly1305(key).encrypt(bytes(12), write_scalar(sub), aad)
    old = d.public[0]
    changed = dataclasses.replace(
        old,
        boxes=old.boxes | {1: box},
        ephemerals=old.ephemerals | {1: secret.public_key().public_bytes_raw()},
    )
    return changed, ephemeral


def blamed(d: Dealt, public: keys.PublicKeys, ephemeral: object) -> str:
    """Whom everybody blames once SHAREOPEN shows *ephemeral* for the box of seat 0 for seat 1."""
    try:
        keys.open_disputed(d.pop_place(0), public, 1, ephemeral, d.noise_public[1])
    except Refusal:
        return "sender"
    return "complainant"


def test_attack_13_box_with_another_sub_share(d: Dealt) -> None:
    for sub in (d.own[0].subs[1] + 1, d.own[0].subs[2], 0):
        public, ephemeral = with_box(d, sub)
        with refused(Code.POP):
            keys.open_box(d.pop_place(0), public, 1, d.noise_private[1])
        assert blamed(d, public, ephemeral) == "sender"


def test_attack_13_box_for_another_place_or_key(d: Dealt) -> None:
    public, ephemeral = with_box(d, d.own[0].subs[1], sealed_for=2)
    with refused(Code.POP):
        keys.open_box(d.pop_place(0), public, 1, d.noise_private[1])
    assert blamed(d, public, ephemeral) == "sender"
    good, _ = with_box(d, d.own[0].subs[1])
    assert keys.open_box(d.pop_place(0), good, 1, d.noise_private[1]) == d.own[0].subs[1]
    elsewhere: list[Place] = [
        dataclasses.replace(d.pop_place(0), hand=8),
        dataclasses.replace(d.pop_place(0), match_id=bytes(32)),
    ]
    for place in elsewhere:
        with refused(Code.POP):
            keys.open_box(place, good, 1, d.noise_private[1])


def test_attack_13_ephemeral_key_of_small_order(d: Dealt) -> None:
    public = dataclasses.replace(d.public[0], ephemerals=d.public[0].ephemerals | {1: bytes(32)})
    with refused(Code.POP):
        keys.open_box(d.pop_place(0), public, 1, d.noise_private[1])
    assert blamed(d, public, bytes(32)) == "sender"


def test_attack_14_false_complaint_convicts_the_complainant(d: Dealt) -> None:
    assert blamed(d, d.public[0], d.own[0].ephemerals[1]) == "complainant"
    sub = keys.open_disputed(d.pop_place(0), d.public[0], 1, d.own[0].ephemerals[1], d.noise_public[1])
    assert sub == d.own[0].subs[1]


def test_attack_14_answers_that_open_nothing(d: Dealt) -> None:
    for answer in (d.own[0].ephemerals[2], d.rand(32), bytes(32), b"", None, "x" * 32):
        assert blamed(d, d.public[0], answer) == "sender"


def test_noise_keys_of_small_order_are_told() -> None:
    d = dealt(1)
    keys.check_noise_key(d.noise_public[0])
    for small in (bytes(32), b"\x01" + bytes(31)):
        with refused(Code.POINT):
            keys.check_noise_key(small)
        with refused(Code.POINT):
            keys.make_keys(d.pop_place(0), d.noise_public | {2: small}, Stream("x"))
    for bad in (b"", bytes(31), None):
        with refused(Code.FORMAT):
            keys.check_noise_key(bad)  # type: ignore[arg-type]
