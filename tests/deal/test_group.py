"""ristretto255: the RFC's figures on both back ends, and both against each other."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.deal import group as group_module
from protocol.deal.group import (
    BASE,
    IDENTITY,
    Ristretto,
    Sodium,
    read_point,
    read_points,
    read_scalar,
    read_scalars,
    ristretto,
    write_scalar,
)
from protocol.deal.group_py import PureRistretto
from protocol.deal.hashing import Q
from protocol.refusal import Code

from .helpers import Stream, refused

FIGURES = json.loads((Path(__file__).parent / "data" / "rfc9496.json").read_text())
INVALID = [bytes.fromhex(h) for encodings in FIGURES["invalid"].values() for h in encodings]
MULTIPLES = [bytes.fromhex(h) for h in FIGURES["multiples"]]

SODIUM, PURE = Sodium(), PureRistretto()


@pytest.fixture(params=[SODIUM, PURE], ids=["sodium", "pure"])
def group(request: pytest.FixtureRequest) -> Ristretto:
    return request.param


def test_rfc9496_multiples_of_the_generator(group: Ristretto) -> None:
    point = IDENTITY
    for n, expected in enumerate(MULTIPLES):
        assert group.mul(n, BASE) == expected == point
        assert group.is_valid(expected)
        point = group.add(point, BASE)


def test_rfc9496_invalid_encodings(group: Ristretto) -> None:
    assert len(INVALID) == 29
    for encoding in INVALID:
        assert not group.is_valid(encoding), encoding.hex()
        for operation in (
            lambda e=encoding: group.add(e, BASE),
            lambda e=encoding: group.sub(BASE, e),
            lambda e=encoding: group.mul(3, e),
            lambda e=encoding: group.sum_products((2, 3), (BASE, e)),
        ):
            with pytest.raises(ArithmeticError):
                operation()


@pytest.mark.parametrize(("data", "expected"), FIGURES["one_way_map"])
def test_rfc9496_one_way_map(group: Ristretto, data: str, expected: str) -> None:
    assert group.from_uniform(bytes.fromhex(data)).hex() == expected


def test_one_way_map_takes_64_bytes_only(group: Ristretto) -> None:
    with pytest.raises(ValueError, match="64 bytes"):
        group.from_uniform(bytes(63))


def test_identity_as_a_value(group: Ristretto) -> None:
    assert group.mul(0, BASE) == group.mul(5, IDENTITY) == IDENTITY
    assert group.sum_products((), ()) == group.sum_products((0, 7), (BASE, IDENTITY)) == IDENTITY
    assert group.add(BASE, IDENTITY) == group.sub(BASE, IDENTITY) == BASE
    assert group.sub(BASE, BASE) == IDENTITY == group.add(BASE, group.mul(Q - 1, BASE))
    assert group.total([]) == IDENTITY
    assert group.total([BASE, group.mul(Q - 1, BASE), BASE]) == BASE


def test_base_and_order() -> None:
    assert MULTIPLES[1] == BASE == SODIUM.base
    assert SODIUM.mul(1, BASE) == BASE
    assert Q == 2**252 + 27742317777372353535851937790883648493


scalars = st.integers(0, Q - 1) | st.sampled_from([0, 1, 2, Q - 1])
points = st.binary(min_size=64, max_size=64).map(SODIUM.from_uniform) | st.sampled_from(MULTIPLES)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(scalars, points), max_size=20))
def test_both_back_ends_agree_on_sums(terms: list[tuple[int, bytes]]) -> None:
    factors, elements = [s for s, _ in terms], [p for _, p in terms]
    assert SODIUM.sum_products(factors, elements) == PURE.sum_products(factors, elements)
    assert SODIUM.total(elements) == PURE.total(elements)


@settings(max_examples=50, deadline=None)
@given(points, points, scalars)
def test_both_back_ends_agree_on_single_steps(a: bytes, b: bytes, scalar: int) -> None:
    assert SODIUM.add(a, b) == PURE.add(a, b)
    assert SODIUM.sub(a, b) == PURE.sub(a, b)
    assert SODIUM.mul(scalar, a) == PURE.mul(scalar, a)
    assert SODIUM.mul(scalar, BASE) == PURE.mul(scalar, BASE)


@settings(max_examples=200, deadline=None)
@given(st.binary(min_size=32, max_size=32))
def test_both_back_ends_agree_on_what_is_valid(data: bytes) -> None:
    assert SODIUM.is_valid(data) == PURE.is_valid(data)


@settings(max_examples=25, deadline=None)
@given(st.binary(min_size=64, max_size=64))
def test_both_back_ends_agree_on_the_map(data: bytes) -> None:
    assert SODIUM.from_uniform(data) == PURE.from_uniform(data)


def test_pure_long_sums_and_tables() -> None:
    rand = Stream("pippenger")
    elements = [SODIUM.from_uniform(rand(64)) for _ in range(140)]
    factors = [int.from_bytes(rand(32), "little") % Q for _ in elements]
    assert PURE.sum_products(factors, elements) == SODIUM.sum_products(factors, elements)
    fresh = PureRistretto()
    often = elements[0]
    for factor in factors[:60]:  # the table takes over on the way
        assert fresh.mul(factor, often) == SODIUM.mul(factor, often)
    assert often in fresh._tables


def test_pure_forgets_points_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("protocol.deal.group_py._REMEMBERED", 8)
    group = PureRistretto()
    for n in range(1, 40):
        assert group.mul(n, MULTIPLES[2]) == SODIUM.mul(2 * n, BASE)
    assert len(group._decoded) <= 9


def test_attack_1_the_identity_is_never_a_point_from_outside() -> None:
    assert SODIUM.is_valid(IDENTITY)  # libsodium alone would take it
    with refused(Code.POINT):
        read_point(IDENTITY)


@pytest.mark.parametrize("encoding", INVALID, ids=bytes.hex)
def test_attack_2_invalid_encodings_are_no_points(encoding: bytes) -> None:
    with refused(Code.POINT):
        read_point(encoding)
    for index in range(3):
        blob = b"".join(encoding if i == index else MULTIPLES[i + 1] for i in range(3))
        with refused(Code.POINT):
            read_points(blob, 3, "points")


def test_attack_2_the_highest_bit_gives_no_second_encoding(group: Ristretto) -> None:
    for point in MULTIPLES:
        double = point[:31] + bytes([point[31] | 0x80])
        assert not group.is_valid(double)
        with refused(Code.POINT):
            read_point(double)


@settings(max_examples=50)
@given(st.integers(0, Q - 1))
def test_attack_3_only_canonical_scalars(value: int) -> None:
    assert read_scalar(write_scalar(value)) == value
    for bad in (value + Q, value | 1 << 255, Q):
        with refused(Code.SCALAR):
            read_scalar(bad.to_bytes(32, "little"))


NOT_BYTES = [None, 7, "x" * 32, [1] * 32, bytearray(BASE), memoryview(BASE), BASE[:31], BASE + b"\0", b""]


@pytest.mark.parametrize("data", NOT_BYTES, ids=repr)
def test_attack_4_not_32_bytes(data: object) -> None:
    for read in (read_point, read_scalar):
        with refused(Code.FORMAT):
            read(data)
    for read_many in (read_points, read_scalars):
        with refused(Code.FORMAT):
            read_many(data, 2, "things")


@given(st.lists(st.integers(0, Q - 1), max_size=5))
def test_scalars_travel(values: list[int]) -> None:
    assert read_scalars(b"".join(map(write_scalar, values)), len(values), "scalars") == values


def test_the_temporary_file_of_rbcl_is_gone() -> None:
    if os.name != "posix":
        pytest.skip("only POSIX can unlink a mapped file")
    code = (
        "import os, sys\n"
        "from protocol.deal.group import BASE, ristretto\n"
        "assert not any(name.startswith('rbcl') for name in sys.modules)\n"
        "group = ristretto()\n"
        "assert group.name == 'libsodium' and group.mul(1, BASE) == BASE\n"
        "assert not os.path.exists(sys.modules['rbcl._sodium'].lib_path)\n"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, timeout=60)


def test_without_rbcl_pure_python_takes_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group_module, "_backend", None)
    monkeypatch.setitem(sys.modules, "rbcl", None)
    assert ristretto().name == "pure Python"
