"""The strict msgpack reader (attack 4 and 5: bytes that are not what a message has)."""

import contextlib
import time
import tracemalloc
from typing import Annotated, Any

import msgpack
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.refusal import Code, Refusal
from protocol.wire import codec

LEAVES = st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.text(max_size=40) | st.binary(max_size=300)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=8), inner, max_size=5),
    max_leaves=20,
)
DEEP = codec.Limits(depth=64)


def refused(raw: bytes, limits: codec.Limits = codec.LINK_LIMITS) -> Refusal:
    with pytest.raises(Refusal) as caught:
        codec.unpack(raw, limits, "thing")
    assert caught.value.detail.startswith("thing: ")
    return caught.value


@given(VALUES)
def test_what_is_encoded_is_read_back(value: Any) -> None:
    raw = codec.encode(value)
    assert codec.unpack(raw, DEEP) == value
    assert raw == msgpack.packb(value)  # the shortest forms, as another implementation writes them


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused_and_agree_with_another_reader(raw: bytes) -> None:
    with contextlib.suppress(Refusal):
        assert codec.unpack(raw) == msgpack.unpackb(raw, strict_map_key=True)


@given(VALUES, st.data())
def test_changed_bytes_raise_nothing_but_refusals(value: Any, data: st.DataObject) -> None:
    raw = bytearray(codec.encode(value))
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(Refusal):
        assert codec.unpack(bytes(raw), DEEP) == msgpack.unpackb(bytes(raw), strict_map_key=True)


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (b"\xcc\x05", 5),
        (b"\xcf" + bytes(7) + b"\x05", 5),
        (b"\xd3" + b"\xff" * 8, -1),
        (b"\xd9\x01a", "a"),
        (b"\xdb\x00\x00\x00\x01a", "a"),
        (b"\xc6\x00\x00\x00\x01a", b"a"),
        (b"\xdd\x00\x00\x00\x01\x07", [7]),
        (b"\xdf\x00\x00\x00\x01\xa1a\x07", {"a": 7}),
    ],
)
def test_every_length_form_is_read(raw: bytes, value: Any) -> None:
    assert codec.unpack(raw) == value


@pytest.mark.parametrize("head", [0xC1, 0xC7, 0xC8, 0xC9, 0xCA, 0xCB, 0xD4, 0xD5, 0xD6, 0xD7, 0xD8])
def test_attack_4_no_float_no_extension_no_unused_type(head: int) -> None:
    assert refused(bytes([head]) + bytes(20)).code is Code.FORMAT
    assert refused(b"\x81\xa1a" + bytes([head]) + bytes(20)).code is Code.FORMAT


def test_attack_4_timestamps_are_extensions() -> None:
    assert refused(msgpack.packb(msgpack.Timestamp(1))).code is Code.FORMAT


def test_attack_4_a_key_that_stands_twice() -> None:
    assert "stands twice" in refused(b"\x82\xa1a\x01\xa1a\x01").detail
    assert "stands twice" in refused(b"\x82\xa1a\x01\xd9\x01a\x01").detail  # in another length form


@pytest.mark.parametrize("key", [b"\x01", b"\xc0", b"\xc3", b"\xc4\x01a", b"\x90", b"\x80"])
def test_attack_4_a_key_that_is_not_text(key: bytes) -> None:
    assert "not text" in refused(b"\x81" + key + b"\x01").detail


def test_attack_4_bytes_after_the_value() -> None:
    assert "after the end" in refused(b"\x01\x01").detail
    assert "after the end" in refused(codec.encode({"a": 1}) + b"\xc0").detail


@given(VALUES)
def test_attack_4_every_shorter_piece_is_refused(value: Any) -> None:
    raw = codec.encode(value)
    for end in range(len(raw)):
        assert refused(raw[:end], DEEP).code is Code.FORMAT


@pytest.mark.parametrize("head", [0xC6, 0xDB, 0xDD, 0xDF])
@pytest.mark.parametrize("rest", [b"", bytes(100)])
def test_attack_4_a_header_of_four_thousand_million_costs_nothing(head: int, rest: bytes) -> None:
    raw = bytes([head]) + b"\xff\xff\xff\xff" + rest
    tracemalloc.start()
    try:
        assert refused(raw).code in (Code.LIMIT, Code.FORMAT)  # msgpack itself sees that bytes are missing first
        assert tracemalloc.get_traced_memory()[1] < 50_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("head", [b"\xc5\x00\x20", b"\xda\x00\x20", b"\xdc\x00\x20", b"\xde\x00\x20"])
def test_a_length_beyond_the_bytes_that_are_there(head: bytes) -> None:
    assert refused(head + bytes(4)).code is Code.FORMAT


@pytest.mark.parametrize("link", [b"\x91", b"\x81\xa1a", b"\xdc\x00\x01", b"\xdd\x00\x00\x00\x01"])
def test_attack_4_a_depth_bomb(link: bytes) -> None:
    begin = time.process_time()
    assert refused((link * 65_000)[: codec.MAX_MESSAGE]).code is Code.LIMIT
    assert time.process_time() - begin < 1  # the collector of a long test run may fall into it


def test_depth_is_counted_exactly() -> None:
    limits = codec.Limits(depth=3)
    assert codec.unpack(b"\x91\x91\x91\x01", limits) == [[[1]]]
    assert refused(b"\x91\x91\x91\x91\x01", limits).code is Code.LIMIT


@pytest.mark.parametrize(
    ("limits", "fits", "not_any_more"),
    [
        (codec.Limits(text=3), "abc", "abcd"),
        (codec.Limits(text=3), "ü1", "ü12"),
        (codec.Limits(binary=3), b"abc", b"abcd"),
        (codec.Limits(array=3), [1, 2, 3], [1, 2, 3, 4]),
        (codec.Limits(map=1), {"a": 1}, {"a": 1, "b": 2}),
        (codec.Limits(size=3), b"a", b"ab"),
    ],
)
def test_attack_5_each_limit_is_exact(limits: codec.Limits, fits: Any, not_any_more: Any) -> None:
    assert codec.unpack(codec.encode(fits), limits) == fits
    assert refused(codec.encode(not_any_more), limits).code is Code.LIMIT


@pytest.mark.parametrize("text", [b"\xa1\xff", b"\xa3\xed\xa0\x80", b"\xa2\xc0\x80"])
def test_attack_4_text_is_utf_8(text: bytes) -> None:
    assert "UTF-8" in refused(text).detail


@pytest.mark.parametrize("raw", [bytearray(b"\x01"), memoryview(b"\x01"), "1", None, 1])
def test_only_bytes_are_read(raw: Any) -> None:
    assert refused(raw).code is Code.FORMAT


class Sample(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    key: Annotated[bytes, msgspec.Meta(min_length=2, max_length=2)]
    number: Annotated[int, msgspec.Meta(ge=0, le=9)]
    name: str | None
    flags: tuple[bool, ...]


GOOD: dict[str, Any] = {"key": b"ab", "number": 3, "name": None, "flags": [True]}


def test_a_struct_is_read_back() -> None:
    assert codec.decode(codec.encode(GOOD), Sample) == Sample(key=b"ab", number=3, name=None, flags=(True,))


@pytest.mark.parametrize(
    "change",
    [
        {"key": "ab"},
        {"key": "YWI="},
        {"key": b"a"},
        {"key": b"abc"},
        {"key": [97, 98]},
        {"key": None},
        {"number": True},
        {"number": "3"},
        {"number": b"3"},
        {"number": 10},
        {"number": 2**64 - 1},
        {"number": None},
        {"name": b"x"},
        {"name": 1},
        {"flags": {}},
        {"flags": "a"},
        {"flags": [1]},
        {"flags": None},
        {"more": 1},
    ],
)
def test_attack_4_a_struct_with_a_wrong_field(change: dict[str, Any]) -> None:
    with pytest.raises(Refusal) as caught:
        codec.decode(codec.encode({**GOOD, **change}), Sample)
    assert caught.value.code is Code.FORMAT


@pytest.mark.parametrize("field", sorted(GOOD))
def test_attack_4_a_struct_with_a_missing_field(field: str) -> None:
    with pytest.raises(Refusal, match=field):
        codec.decode(codec.encode({name: value for name, value in GOOD.items() if name != field}), Sample)


@pytest.mark.parametrize("value", [None, 1, "a", b"a", [], True])
def test_attack_4_no_map_at_all(value: Any) -> None:
    with pytest.raises(Refusal):
        codec.decode(codec.encode(value), Sample)


def test_a_refusal_shows_nothing_that_acts_on_a_terminal() -> None:
    with pytest.raises(Refusal) as caught:
        codec.decode(codec.encode({**GOOD, "\x1b[2J\u202e" + "x" * 900: 1}), Sample)
    assert caught.value.detail.isprintable()
    assert len(caught.value.detail) < 260
