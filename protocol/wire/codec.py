"""Strict msgpack: bytes to plain values and to typed structs, with a limit on everything.

A reader accepts nil, bool, int, str, bin, array and map with text keys; never float, ext or timestamp, a key that
stands twice, bytes after the value, text that is not UTF-8.  Any length form that msgpack allows is read; a writer uses
the shortest.  Lengths are compared with the limits *and* with the bytes that are really there before anything is
allocated, and depth is counted before descending, so that a few hostile bytes cost a few microseconds.

Bytes that are hashed or signed are kept as received, never encoded anew.
"""

from dataclasses import dataclass
from typing import Any, Final, TypeVar

import msgspec

from protocol.refusal import Code, Refusal

T = TypeVar("T")

MAX_MESSAGE: Final = 65_519  # a Noise message of 65,535 bytes less its tag of 16


@dataclass(frozen=True, slots=True)
class Limits:
    """What a reader accepts: sizes in bytes (text and bin), numbers of items (array and map), levels (depth)."""

    size: int = MAX_MESSAGE
    depth: int = 8
    text: int = 4_096
    binary: int = MAX_MESSAGE
    array: int = 1_024
    map: int = 64


LINK_LIMITS: Final = Limits()
"""For whole messages on a link."""

BODY_LIMITS: Final = Limits(depth=6, text=1_024)
"""For byte strings inside messages that are msgpack themselves (terms, entries, announcements)."""


def unpack(raw: bytes, limits: Limits = LINK_LIMITS, what: str = "message") -> Any:
    """The one value that *raw* holds.  Raises ``Refusal`` (FORMAT, or LIMIT where a limit is passed) naming *what*."""
    if type(raw) is not bytes:
        raise Refusal(Code.FORMAT, f"{what}: expected bytes")
    if len(raw) > limits.size:
        raise Refusal(Code.LIMIT, f"{what}: {len(raw)} bytes, at most {limits.size} are allowed")
    reader = _Reader(raw, limits, what)
    value = reader.value(0)
    if reader.at != len(raw):
        raise Refusal(Code.FORMAT, f"{what}: {len(raw) - reader.at} bytes after the end of the value")
    return value


def convert(value: Any, kind: type[T], what: str = "message") -> T:
    """*value* (from :func:`unpack`) as *kind*: a struct or any type msgspec knows.  Raises ``Refusal(FORMAT)``."""
    try:
        return msgspec.convert(value, kind, strict=True, builtin_types=(bytes,))
    except (msgspec.ValidationError, ValueError, TypeError, OverflowError, RecursionError) as error:
        raise Refusal(Code.FORMAT, f"{what}: {printable(str(error))}") from None


def decode(raw: bytes, kind: type[T], limits: Limits = BODY_LIMITS, what: str = "message") -> T:
    """:func:`unpack` and :func:`convert`: *raw* as a *kind*, or ``Refusal``."""
    return convert(unpack(raw, limits, what), kind, what)


def encode(value: Any) -> bytes:
    """*value* (plain values or structs) as msgpack, integers and lengths in their shortest form."""
    return msgspec.msgpack.encode(value)


def printable(text: str, limit: int = 200) -> str:
    """*text* with everything that could act on a terminal escaped, cut to *limit* characters."""
    shown = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text[: limit + 1])
    return shown if len(shown) <= limit else shown[: limit - 3] + "..."


class _Reader:
    """One pass over the bytes; ``at`` is the next unread one."""

    __slots__ = ("at", "limits", "raw", "what")

    def __init__(self, raw: bytes, limits: Limits, what: str) -> None:
        self.raw = raw
        self.limits = limits
        self.what = what
        self.at = 0

    def value(self, depth: int) -> Any:
        head = self._uint(1)
        if head <= 0x7F:
            return head
        if head >= 0xE0:
            return head - 0x100
        if head <= 0x8F:
            return self._map(head & 0x0F, depth)
        if head <= 0x9F:
            return self._array(head & 0x0F, depth)
        if head <= 0xBF:
            return self._text(head & 0x1F)
        if head in _INTS:
            size, signed = _INTS[head]
            return int.from_bytes(self._take(size), "big", signed=signed)
        if head in _LENGTHS:
            size, family = _LENGTHS[head]
            length = self._uint(size)
            match family:
                case "bin":
                    return self._take(self._fits(length, self.limits.binary, "byte string"))
                case "str":
                    return self._text(length)
                case "array":
                    return self._array(length, depth)
                case _:
                    return self._map(length, depth)
        if head in _CONSTANTS:
            return _CONSTANTS[head]
        raise Refusal(Code.FORMAT, f"{self.what}: type byte 0x{head:02x} (float, extension or unused) is not allowed")

    def _take(self, count: int) -> bytes:
        end = self.at + count
        if end > len(self.raw):
            raise Refusal(Code.FORMAT, f"{self.what}: ends in the middle of a value")
        taken = self.raw[self.at : end]
        self.at = end
        return taken

    def _uint(self, size: int) -> int:
        return int.from_bytes(self._take(size), "big")

    def _fits(self, count: int, limit: int, kind: str) -> int:
        if count > limit:
            raise Refusal(Code.LIMIT, f"{self.what}: {kind} of length {count}, at most {limit} is allowed")
        if count > len(self.raw) - self.at:  # every item takes at least one byte
            raise Refusal(Code.FORMAT, f"{self.what}: {kind} is longer than the bytes that follow")
        return count

    def _text(self, length: int) -> str:
        taken = self._take(self._fits(length, self.limits.text, "text"))
        try:
            return taken.decode("utf-8")
        except UnicodeDecodeError:
            raise Refusal(Code.FORMAT, f"{self.what}: text is not UTF-8") from None

    def _deeper(self, depth: int) -> int:
        if depth >= self.limits.depth:
            raise Refusal(Code.LIMIT, f"{self.what}: nested more than {self.limits.depth} levels deep")
        return depth + 1

    def _array(self, count: int, depth: int) -> list[Any]:
        below = self._deeper(depth)
        return [self.value(below) for _ in range(self._fits(count, self.limits.array, "array"))]

    def _map(self, count: int, depth: int) -> dict[str, Any]:
        below = self._deeper(depth)
        result: dict[str, Any] = {}
        for _ in range(self._fits(count, self.limits.map, "map")):
            key = self.value(below)
            if type(key) is not str:
                raise Refusal(Code.FORMAT, f"{self.what}: a key that is not text")
            if key in result:
                raise Refusal(Code.FORMAT, f"{self.what}: key {printable(repr(key), 40)} stands twice")
            result[key] = self.value(below)
        return result


_CONSTANTS: Final[dict[int, bool | None]] = {0xC0: None, 0xC2: False, 0xC3: True}
_INTS: Final[dict[int, tuple[int, bool]]] = {
    **{0xCC + i: (1 << i, False) for i in range(4)},
    **{0xD0 + i: (1 << i, True) for i in range(4)},
}
_LENGTHS: Final[dict[int, tuple[int, str]]] = {
    **{0xC4 + i: (1 << i, "bin") for i in range(3)},
    **{0xD9 + i: (1 << i, "str") for i in range(3)},
    0xDC: (2, "array"),
    0xDD: (4, "array"),
    0xDE: (2, "map"),
    0xDF: (4, "map"),
}
