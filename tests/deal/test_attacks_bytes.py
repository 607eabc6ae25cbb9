"""Attacks 1 to 5: bytes that are no points, scalars or messages, in every field of every message of the deal."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import msgpack
import pytest

from protocol.deal import claims, duel, generators, inequality, keys, play, shares, void
from protocol.deal import group as group_module
from protocol.deal.group import BASE, IDENTITY, ristretto, write_scalar
from protocol.deal.hashing import Kind, Q
from protocol.refusal import Code

from . import helpers
from .helpers import COMPUTERS, HUMANS, Dealt, dealt, holder, refused, replace, scalar_at
from .test_group import INVALID, NOT_BYTES


@dataclass
class Field:
    """One byte string of a message: honest bytes, which 32-byte pieces are points or scalars, and its check."""

    name: str
    data: bytes
    points: list[int]
    scalars: list[int]
    check: Callable[[object], object]


def keys_body(d: Dealt, of: int, **changes: object) -> bytes:
    """The body of KEYS of seat *of* with some fields changed."""
    names = ("hand", "seat", "points", "pop", "boxes", "coin")
    fields = dict(zip(names, msgpack.unpackb(d.own[of].body), strict=True)) | changes
    return msgpack.packb([fields[name] for name in names])


def keys_fields(d: Dealt) -> Iterator[Field]:
    body = msgpack.unpackb(d.own[1].body)
    for n in range(3):

        def check_point(data: object, n: int = n) -> object:
            points = list(body[2])
            points[n] = data
            return keys.read_keys(d.pop_place(1), keys_body(d, 1, points=points))

        yield Field(f"KEYS S{n}", body[2][n], [0], [], check_point)
    yield Field(
        "KEYS pop", body[3], [], [0, 1], lambda data: keys.read_keys(d.pop_place(1), keys_body(d, 1, pop=data))
    )


def shuf_fields(d: Dealt) -> Iterator[Field]:
    made, w = d.shuffled[2], d.width
    yield Field("SHUF deck", made.deck_bytes, list(range(96 * w)), [], lambda x: helpers.verify(d, 2, deck_bytes=x))
    scalars = list(range(96, 96 + 100 + w))
    yield Field("SHUF proof", made.proof, list(range(96)), scalars, lambda x: helpers.verify(d, 2, proof=x))


def shares_fields(d: Dealt) -> Iterator[Field]:
    items, proof = d.share_messages[1]
    yield Field("SHARES d", items, list(range(len(items) // 32)), [], lambda x: helpers.check_shares(d, 1, items=x))
    yield Field("SHARES proof", proof, [], [0, 1], lambda x: helpers.check_shares(d, 1, proof=x))


def play_fields() -> Iterator[Field]:
    p = holder((3, 3, 6, 6, 7, 7, 8, 8, 9, 10, 11, 23))
    slot, args = p.slot(0), (p.place, p.public)
    for kind in (Kind.PLAY, Kind.OPEN):
        d, proof = play.make_open(p.place, p.x, p.public, p.pairs[slot], p.rand, kind)

        def check_d(data: object, proof: bytes = proof, kind: Kind = kind) -> object:
            return play.check_open(*args, p.pairs[slot], data, proof, kind)  # type: ignore[arg-type]

        def check_proof(data: object, d: bytes = d, kind: Kind = kind) -> object:
            return play.check_open(*args, p.pairs[slot], d, data, kind)  # type: ignore[arg-type]

        yield Field(f"{kind.value} d", d, [0], [], check_d)
        yield Field(f"{kind.value} proof", proof, [], [0, 1], check_proof)
    led, slots = (12, 14, 15), [p.slot(n) for n in range(2, 5)]
    made = void.make_void(p.place, p.x, p.public, p.pairs, slots, led, p.rand)
    count = len(made) // 32
    ts = list(range(1, count, 3))
    yield Field(
        "void proof",
        made,
        ts,
        [n for n in range(count) if n not in ts],
        lambda x: void.check_void(*args, p.pairs, slots, led, x),
    )
    q = holder((6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 23))
    kontra = claims.make_kontra(q.place, q.x, q.public, q.pairs, {}, {}, q.rand)
    ts = list(range(1, len(kontra) // 32, 3))
    yield Field(
        "Kontra proof",
        kontra,
        ts,
        [n for n in range(len(kontra) // 32) if n not in ts],
        lambda x: claims.check_kontra(q.place, q.public, q.pairs, x, {}, {}),
    )
    sub, sub_proof = shares.make_items(p.place, Kind.SUB, p.x, p.public, [p.pairs[slot][0], BASE], p.rand)
    points = [p.pairs[slot][0], BASE]
    yield Field(
        "SUB d", sub, [0, 1], [], lambda x: shares.check_items(*_sub(p.place), p.public, points, x, sub_proof)  # type: ignore[arg-type]
    )
    yield Field(
        "SUB proof", sub_proof, [], [0, 1], lambda x: shares.check_items(*_sub(p.place), p.public, points, sub, x)  # type: ignore[arg-type]
    )


def _sub(place: helpers.Place) -> tuple[helpers.Place, Kind]:
    return place, Kind.SUB


def duel_fields(d: Dealt) -> Iterator[Field]:
    place, deck = d.place(1, b"after deckok"), d.decks[-1]
    fs, proofs = duel.make_test(place, d.own[1].x, deck, HUMANS, COMPUTERS, d.rand)
    for n in (0, 1):

        def check_f(data: object, n: int = n) -> object:
            changed = [data if i == n else fs[i] for i in (0, 1)]
            return duel.check_test(place, deck, HUMANS, COMPUTERS, changed, proofs)  # type: ignore[arg-type]

        def check_proof(data: object, n: int = n) -> object:
            changed = [data if i == n else proofs[i] for i in (0, 1)]
            return duel.check_test(place, deck, HUMANS, COMPUTERS, fs, changed)  # type: ignore[arg-type]

        yield Field(f"TEST F{n}", fs[n], [0, 1], [], check_f)
        yield Field(f"TEST proof{n}", proofs[n], [], [0, 1, 2], check_proof)
    sums = duel.sums_of([duel.check_test(place, deck, HUMANS, COMPUTERS, fs, proofs)] * 4)
    ds, proof = duel.make_testopen(place, d.own[1].x, d.own[1].public, sums, d.rand)
    for n in (0, 1):

        def check_d(data: object, n: int = n) -> object:
            changed = [data if i == n else ds[i] for i in (0, 1)]
            return duel.check_testopen(place, d.own[1].public, sums, changed, proof)  # type: ignore[arg-type]

        yield Field(f"TESTOPEN d{n}", ds[n], [0], [], check_d)
    yield Field(
        "TESTOPEN proof", proof, [], [0, 1], lambda x: duel.check_testopen(place, d.own[1].public, sums, ds, x)  # type: ignore[arg-type]
    )
    pair = helpers.encrypt(IDENTITY, d.own[1].public, d.rand)
    healthy = duel.make_healthy(place, d.own[1].x, d.own[1].public, pair, d.rand)
    yield Field(
        "BID neq", healthy, [1], [0, 2, 3], lambda x: duel.check_healthy(place, d.own[1].public, pair, x)
    )


def all_fields() -> list[Field]:
    one, two = dealt(1), dealt(2)
    fields = [*keys_fields(one), *shuf_fields(one), *shares_fields(one), *play_fields()]
    for field in (*shuf_fields(two), *shares_fields(two), *duel_fields(two)):
        field.name += " (duel)"
        fields.append(field)
    return fields


FIELDS = all_fields()


@pytest.fixture(params=FIELDS, ids=[f.name for f in FIELDS])
def field(request: pytest.FixtureRequest) -> Field:
    return request.param


@pytest.fixture
def no_curve(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any use of the group is a failure."""
    ristretto(), generators.generators()

    class Forbidden:
        def __getattr__(self, name: str) -> object:
            raise AssertionError(f"the group was used: {name}")

    monkeypatch.setattr(group_module, "_backend", Forbidden())


def test_the_honest_bytes_pass(field: Field) -> None:
    field.check(field.data)


def test_attack_1_identity_in_each_point_field(field: Field) -> None:
    for index in field.points:
        with refused(Code.POINT):
            field.check(replace(field.data, index, IDENTITY))


def test_attack_2_invalid_encodings_in_each_point_field(field: Field) -> None:
    few = len(field.points) <= 3
    for n, index in enumerate(field.points):
        for encoding in INVALID if few else (INVALID[n % len(INVALID)], INVALID[(n + 7) % len(INVALID)]):
            with refused(Code.POINT):
                field.check(replace(field.data, index, encoding))


def test_attack_3_scalars_out_of_range_in_each_scalar_field(field: Field) -> None:
    for index in field.scalars:
        value = scalar_at(field.data, index)
        for bad in (value + Q, value | 1 << 255, Q):
            with refused(Code.SCALAR):
                field.check(replace(field.data, index, bad.to_bytes(32, "little")))


def test_attack_4_and_5_other_lengths_and_types_before_any_curve_operation(field: Field, no_curve: None) -> None:
    data = field.data
    for bad in (data[:-1], data + b"\0", data[:-32], data + data[:32], data[32:], b"", b"\0" * 33, *NOT_BYTES[:6]):
        if isinstance(bad, bytes) and len(bad) == len(data):
            continue
        if field.name.startswith("KEYS") and isinstance(bad, bytearray | memoryview):
            continue  # msgpack writes them as bytes
        with refused(Code.FORMAT, *other_code(field, bad)):
            field.check(bad)


def other_code(field: Field, bad: object) -> tuple[Code, ...]:
    """A proof over another whole number of pairs is told from bytes that are no such proof at all."""
    if bad is None and field.name.startswith("BID"):
        return (Code.VOID_MISSING,)
    if not isinstance(bad, bytes) or (len(bad) - 32) % 96 or len(bad) <= 32:
        return ()
    return {"void proof": (Code.VOID,), "Kontra proof": (Code.CLAIM,), "BID neq (duel)": (Code.VOID,)}.get(
        field.name, ()
    )


def test_attack_4_bodies_of_keys_that_are_not_the_one_encoding(no_curve: None) -> None:
    d = dealt(1)
    body = d.own[1].body
    fields = msgpack.unpackb(body)
    hand_at = 1
    assert body[hand_at] == fields[0] == 7
    no_bodies: list[object] = [
        b"",
        b"\xc0",
        body[:-1],
        body + b"\0",
        body + body,
        msgpack.packb(fields[:-1]),
        msgpack.packb([*fields, 0]),
        msgpack.packb(dict(enumerate(fields))),
        msgpack.packb({"hand": 7}),
        b"\x82\xa4hand\x01\xa4hand\x02",
        msgpack.packb([str(7), *fields[1:]]),
        msgpack.packb([7.0, *fields[1:]]),
        msgpack.packb([None, *fields[1:]]),
        msgpack.packb([True, *fields[1:]]),
        msgpack.packb([7, 1, fields[2][:2], *fields[3:]]),
        msgpack.packb([7, 1, [*fields[2], fields[2][0]], *fields[3:]]),
        msgpack.packb([7, 1, ["x" * 32] * 3, *fields[3:]]),
        msgpack.packb([7, 1, [msgpack.ExtType(1, bytes(32))] * 3, *fields[3:]]),
        msgpack.packb([7, 1, fields[2], fields[3], [[fields[4][0][0], bytes(47)], *fields[4][1:]], fields[5]]),
        msgpack.packb([7, 1, fields[2], fields[3], [[bytes(33), fields[4][0][1]], *fields[4][1:]], fields[5]]),
        msgpack.packb([*fields[:5], bytes(31)]),
        body[:hand_at] + b"\xcc\x07" + body[hand_at + 1 :],  # 7 in two bytes
        body[:hand_at] + b"\xcd\0\x07" + body[hand_at + 1 :],
        b"\xdc\0\x06" + body[1:],  # the array's length in two bytes
        b"\xdd\xff\xff\xff\xff" + body[1:],
        b"\xc6\xff\xff\xff\xff",
        b"\x91" * 500,
        b"\x81" * 500,
        msgpack.packb([fields[0], fields[1], [[[fields[2]]]], *fields[3:]]),
        bytes(keys.MAX_BODY + 1),
        bytearray(body),
        None,
    ]
    for bad in no_bodies:
        with refused(Code.FORMAT):
            keys.read_keys(d.pop_place(1), bad)  # type: ignore[arg-type]
    with refused(Code.CONTEXT):
        keys.read_keys(d.pop_place(1), keys_body(d, 1, hand=8))
    with refused(Code.CONTEXT):
        keys.read_keys(d.pop_place(1), keys_body(d, 1, seat=2))


def test_attack_5_share_items_one_more_or_one_less(no_curve: None) -> None:
    for width in (1, 2):
        d = dealt(width)
        for seat in range(4):
            items, _ = d.share_messages[seat]
            due = 37 if width == 1 else 38 if seat in COMPUTERS else 39
            assert len(items) == 32 * due == 32 * shares.share_count(seat, d.computers)
            for count in {36, 37, 38, 39, 40} - {due}:
                with refused(Code.FORMAT):
                    helpers.check_shares(d, seat, items=(items * 2)[: 32 * count])


def test_attack_5_no_pairs_in_an_inequality() -> None:
    p = holder((6,) * 12)
    with refused(Code.FORMAT):
        inequality.check(p.place, p.public, [], write_scalar(1))
    with refused(Code.VOID):
        inequality.prove(p.place, p.x, p.public, [], p.rand)
    with refused(Code.FORMAT):
        inequality.check(p.place, p.public, inequality.items_for([p.pairs[24]], (7,)), write_scalar(1))
