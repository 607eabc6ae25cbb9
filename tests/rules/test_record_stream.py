"""Arrays, JSON Lines and single records, however the bytes arrive."""

import json
from collections.abc import Iterator

import pytest

from protocol.rules.record import MAX_BYTES, BadRecord, Record
from protocol.rules.record_stream import Records
from tests.rules.games import BY_RE_POINTS
from tests.rules.tell import tell

RECORDS = [tell(BY_RE_POINTS[points]) for points in ("121", "120", "151")]
ONE = json.dumps(RECORDS[0]).encode()
LINES = b"".join(json.dumps(record).encode() + b"\n" for record in RECORDS)
ARRAY = json.dumps(RECORDS).encode()
HUGE = b'"' + b"x" * (3 * MAX_BYTES) + b'"'

PIECES = pytest.mark.parametrize("size", [1, 7, 1000, 1 << 30])


def chunks(text: bytes, size: int) -> Iterator[bytes]:
    return (text[i : i + size] for i in range(0, len(text), size))


def read(text: bytes, size: int = 1 << 16) -> list[str]:
    """Each element as "ok" or the reason why it is no record."""
    return ["ok" if isinstance(found, Record) else found.detail for found in Records(chunks(text, size))]


def fatal(text: bytes, size: int = 1 << 16) -> str:
    with pytest.raises(BadRecord) as caught:
        read(text, size)
    return caught.value.detail


@PIECES
def test_a_single_record(size: int) -> None:
    records = Records(chunks(ONE, size))
    assert records.many is False
    assert len(list(records)) == 1


@PIECES
def test_a_single_record_over_many_lines(size: int) -> None:
    records = Records(chunks(json.dumps(RECORDS[0], indent=1).encode() + b"\n\n", size))
    assert records.many is False
    assert len(list(records)) == 1


@PIECES
def test_an_array(size: int) -> None:
    records = Records(chunks(ARRAY, size))
    assert records.many is True
    assert len(list(records)) == 3


@PIECES
def test_an_array_over_many_lines(size: int) -> None:
    assert read(json.dumps(RECORDS, indent=2).encode(), size) == ["ok"] * 3


@PIECES
def test_json_lines(size: int) -> None:
    records = Records(chunks(LINES, size))
    assert records.many is True
    assert len(list(records)) == 3


@PIECES
def test_json_lines_with_blank_lines_and_carriage_returns(size: int) -> None:
    assert read(b"\n" + LINES.replace(b"\n", b"\r\n\r\n"), size) == ["ok"] * 3


def test_an_array_of_one_is_an_array_and_may_be_empty() -> None:
    assert Records([b"[" + ONE + b"]"]).many is True
    assert read(b" [ ] \n") == []


@PIECES
def test_a_byte_order_mark_is_passed_over(size: int) -> None:
    for text, count in ((ONE, 1), (ARRAY, 3), (LINES, 3)):
        assert read(b"\xef\xbb\xbf" + text, size) == ["ok"] * count


@PIECES
def test_bad_elements_of_an_array_hide_nothing(size: int) -> None:
    text = b'[17, "a\\"]b", {"a": 1, "a": 2}, {bad [json]}, null, {"x": "\xff"},' + ONE + b"]"
    found = read(text, size)
    assert len(found) == 7
    assert found[-1] == "ok"
    assert "ok" not in found[:-1]


@PIECES
def test_bad_lines_hide_nothing(size: int) -> None:
    found = read(b"garbage\n" + ONE + b'\n{"rules": \n[]\n\xff\n' + ONE, size)
    assert [reason == "ok" for reason in found] == [False, True, False, False, False, True]


@PIECES
def test_a_backslash_before_a_quote_ends_no_string(size: int) -> None:
    assert len(read(b'["\\\\", "\\"", "\\\\\\"]", {"k": "\\\\"}]', size)) == 4


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"", "not JSON"),
        (b" \n ", "not JSON"),
        (b"nonsense", "not JSON"),
        (b"{", "not JSON"),
        (b"{}", "missing"),
        (b"1", "object"),
        (b"\xff\xfe", "UTF-8"),
        (b"[", "does not end"),
        (b"[1", "does not end"),
        (b'["abc', "does not end"),
        (b'["abc\\', "does not end"),
        (b"[1,", "does not end"),
        (b"[}]", "neither"),
        (b"[] []", "more text"),
        (b"[]\xc3", "more text"),
        (b"{\n" + ONE[1:-1], "not JSON"),
    ],
)
@PIECES
def test_what_is_unreadable_as_a_whole(text: bytes, words: str, size: int) -> None:
    assert words in fatal(text, size)


def test_elements_before_the_break_are_told() -> None:
    records = iter(Records([ARRAY[:-1] + b","]))
    assert [type(next(records)) for _ in range(3)] == [Record] * 3
    with pytest.raises(BadRecord):
        next(records)


def test_a_trailing_comma_is_an_element_that_is_none() -> None:
    assert read(b"[" + ONE + b",]")[0] == "ok"
    assert "not JSON" in read(b"[" + ONE + b",]")[1]


def test_a_missing_comma_spoils_one_element() -> None:
    assert "not JSON" in read(b"[" + ONE + b" " + ONE + b"," + ONE + b"]")[0]
    assert read(b"[" + ONE + b" " + ONE + b"," + ONE + b"]")[1] == "ok"


@pytest.mark.parametrize("size", [1000, 1 << 16, 1 << 30])
def test_a_record_over_the_limit_does_not_hide_the_next(size: int) -> None:
    long = "a record is at most 1 MiB long"
    assert read(b"[" + HUGE + b"," + ONE + b"]", size) == [long, "ok"]
    assert read(ONE + b"\n" + HUGE + b"\n" + ONE, size) == ["ok", long, "ok"]
    assert read(HUGE + b"\n" + ONE + b"\n" + HUGE, size) == [long, "ok", long]


@pytest.mark.parametrize("size", [1000, 1 << 16, 1 << 30])
def test_a_single_record_over_the_limit(size: int) -> None:
    for text in (HUGE, HUGE + b"\n\n \n", b'{"a":\n' + HUGE + b"}"):
        assert fatal(text, size) == "a record is at most 1 MiB long"


def test_deep_nesting_is_an_error_like_any_other() -> None:
    assert "nested" in fatal(b'{"a":' * 100000)
    assert "does not end" in fatal(b"[" * 100000)
    deep = b"[" * 100000 + b"]" * 100000
    assert read(b"[" + deep + b"," + ONE + b"]") == ["nested too deep", "ok"]


def test_a_long_stream_is_read_in_pieces() -> None:
    """Ten thousand lines come through a generator that knows how far it was read."""
    asked = 0

    def source() -> Iterator[bytes]:
        nonlocal asked
        for _ in range(10_000):
            asked += 1
            yield b"{}\n" * 300

    records = iter(Records(source()))
    next(records)
    assert asked < 10_000
