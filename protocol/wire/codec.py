"""Strict msgpack: bytes to plain values and to typed structs, with a limit on everything.

A reader accepts nil, bool, int, str, bin, array and map with text keys; never float, ext or timestamp, a key that
stands twice, bytes after the value, text that is not UTF-8.  Any length form that msgpack allows is read; a writer uses
the shortest.  msgpack's own reader compares every length with the limits before it allocates; what it would let pass
(floats, timestamps, keys twice, depth) is refused here.  A whole message is at most 65,519 bytes, so a hostile one
costs little whatever it says.

Bytes that are hashed or signed are kept as received, never encoded anew.
"""

from dataclasses import dataclass
from typing import Any, Final, TypeVar

import msgpack
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
    try:
        value = msgpack.unpackb(
            raw,
            use_list=True,
            raw=False,
            strict_map_key=False,  # _pairs looks at the keys, with words of its own
            object_pairs_hook=_pairs,
            ext_hook=_no_extension,
            max_str_len=limits.text,
            max_bin_len=limits.binary,
            max_array_len=limits.array,
            max_map_len=limits.map,
            max_ext_len=0,
        )
        _walk(value, limits, 0)
    except _Unfit as unfit:
        raise Refusal(unfit.code, f"{what}: {unfit.detail}") from None
    except msgpack.ExtraData as error:
        raise Refusal(Code.FORMAT, f"{what}: {len(error.extra)} bytes after the end of the value") from None
    except msgpack.StackError:
        raise Refusal(Code.LIMIT, f"{what}: nested more than {limits.depth} levels deep") from None
    except UnicodeDecodeError:
        raise Refusal(Code.FORMAT, f"{what}: text is not UTF-8") from None
    except (ValueError, msgpack.UnpackException) as error:
        words = str(error)
        if "max_ext_len" in words:
            raise Refusal(Code.FORMAT, f"{what}: an extension type is not allowed") from None
        if " exceeds max_" in words:
            raise Refusal(Code.LIMIT, f"{what}: longer than allowed ({printable(words)})") from None
        raise Refusal(Code.FORMAT, f"{what}: no msgpack value ({printable(words)})") from None
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
    packed: bytes = msgpack.packb(msgspec.to_builtins(value, builtin_types=(bytes,)), use_bin_type=True)
    return packed


def printable(text: str, limit: int = 200) -> str:
    """*text* with everything that could act on a terminal escaped, cut to *limit* characters."""
    shown = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text[: limit + 1])
    return shown if len(shown) <= limit else shown[: limit - 3] + "..."


def _pairs(items: list[tuple[Any, Any]]) -> dict[str, Any]:
    """A map whose keys are text and stand once."""
    result: dict[str, Any] = {}
    for key, value in items:
        if type(key) is not str:
            raise _Unfit(Code.FORMAT, "a key that is not text")
        if key in result:
            raise _Unfit(Code.FORMAT, f"key {printable(repr(key), 40)} stands twice")
        result[key] = value
    return result


def _no_extension(code: int, data: bytes) -> Any:
    raise _Unfit(Code.FORMAT, f"extension type {code} is not allowed")


class _Unfit(Exception):
    """Raised inside the reader: a code and what is wrong, without the place."""

    def __init__(self, code: Code, detail: str) -> None:
        super().__init__(code, detail)
        self.code = code
        self.detail = detail


def _walk(value: Any, limits: Limits, depth: int) -> None:
    """Refuse what msgpack can say and we do not: floats, timestamps, too many levels."""
    kind = type(value)
    if kind in _SCALARS:
        return
    if kind is not dict and kind is not list:
        raise _Unfit(Code.FORMAT, f"a {kind.__name__} (float, timestamp) is not allowed")
    if depth >= limits.depth:
        raise _Unfit(Code.LIMIT, f"nested more than {limits.depth} levels deep")
    for item in value.values() if kind is dict else value:
        _walk(item, limits, depth + 1)


_SCALARS: Final = frozenset({type(None), bool, int, str, bytes})
