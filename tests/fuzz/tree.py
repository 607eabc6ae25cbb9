"""Changes to a nested value that are told by a few bytes: what turns a fuzzer's noise into well-formed nonsense."""

from typing import Any, Final

from protocol.wire import codec

#: What a value is replaced with: borders of the formats, other types, and junk of the lengths that points have.
VALUES: Final[tuple[Any, ...]] = (
    None,
    False,
    True,
    0,
    1,
    2,
    3,
    4,
    11,
    12,
    47,
    48,
    255,
    1 << 32,
    (1 << 64) - 1,
    -1,
    "",
    "re",
    "normal",
    b"",
    bytes(32),
    bytes(64),
    b"\xff" * 32,
    b"\x01" + bytes(31),
    [],
    {},
    [0, 1, 2, 3],
    [[]],
)


class Reader:
    """Numbers out of the fuzzer's bytes; zeros behind their end."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @property
    def left(self) -> int:
        """Bytes not read yet."""
        return max(0, len(self._data) - self._at)

    def byte(self) -> int:
        """0 to 255."""
        value = self._data[self._at] if self._at < len(self._data) else 0
        self._at += 1
        return value

    def below(self, most: int) -> int:
        """0 to *most* - 1."""
        return (self.byte() << 8 | self.byte()) % most if most > 256 else self.byte() % max(1, most)

    def take(self, size: int) -> bytes:
        """Up to *size* bytes."""
        piece = self._data[self._at : self._at + size]
        self._at += size
        return piece

    def rest(self) -> bytes:
        """All that is left."""
        return self.take(self.left)


def patch_bytes(raw: bytes, reader: Reader) -> bytes:
    """Flip, cut, double or overwrite a part of *raw*."""
    at = reader.below(max(1, len(raw)))
    match reader.below(5):
        case 0:
            return raw[:at] + bytes([raw[at] ^ 1 << reader.below(8)]) + raw[at + 1 :] if raw else b"\x00"
        case 1:
            return raw[:at]
        case 2:
            return raw[:at] + reader.take(1 + reader.below(8)) + raw[at:]
        case 3:
            piece = reader.take(1 + reader.below(32))
            return raw[:at] + piece + raw[at + len(piece) :]
        case _:
            return raw[:at] + raw[at + 1 + reader.below(32) :]


def patch_tree(value: Any, reader: Reader, depth: int = 0) -> Any:
    """*value* (of msgpack) with one place in it changed; containers on the way are copied."""
    if isinstance(value, (list, tuple)) and value and depth < 12 and reader.byte() >= 40:
        items = list(value)
        at = reader.below(len(items))
        match reader.below(12):
            case 0:
                del items[at]
            case 1:
                items.insert(at, items[reader.below(len(items))])
            case 2:
                other = reader.below(len(items))
                items[at], items[other] = items[other], items[at]
            case _:
                items[at] = patch_tree(items[at], reader, depth + 1)
        return items
    if isinstance(value, dict) and value and depth < 12 and reader.byte() >= 40:
        keys = list(value)
        key = keys[reader.below(len(keys))]
        match reader.below(12):
            case 0:
                return {k: v for k, v in value.items() if k != key}
            case 1:
                return {**value, "x": 0}
            case _:
                return {**value, key: patch_tree(value[key], reader, depth + 1)}
    if isinstance(value, bytes) and reader.byte() >= 80:
        return patch_bytes(value, reader)
    if type(value) is int and reader.byte() >= 128:
        return max(-(1 << 63), min((1 << 64) - 1, value + reader.below(5) - 2))
    return VALUES[reader.below(len(VALUES))]


def pack(value: Any) -> bytes:
    """*value* as msgpack."""
    return codec.encode(value)
