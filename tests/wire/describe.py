"""Types of message fields in the words of SPEC.md."""

from typing import Any

import msgspec
from msgspec import inspect

from protocol.wire.fields import WORD


def describe(kind: inspect.Type) -> str:
    """``bin 32``, ``int 0..3``, ``text 1..24``, ``word``, ``bool``, ``list 0..8 of ...``, ``... or nil``, a name."""
    match kind:
        case inspect.BytesType(min_length=None, max_length=None):
            return "bin"
        case inspect.BytesType(min_length=low, max_length=high):
            return f"bin {high}" if low == high else f"bin {low or 0}..{high}"
        case inspect.IntType(ge=low, le=high):
            return "int" if low is None and high is None else f"int {low}..{high}"
        case inspect.StrType(pattern=pattern) if pattern == WORD:
            return "word"
        case inspect.StrType(min_length=low, max_length=high):
            return "text" if high is None else f"text {low or 0}..{high}"
        case inspect.BoolType():
            return "bool"
        case inspect.VarTupleType(item_type=item, min_length=low, max_length=high):
            size = str(high) if low == high else f"{low or 0}..{high}"
            return f"list {size} of {describe(item)}"
        case inspect.TupleType(item_types=items):
            (item,) = {describe(each) for each in items}
            return f"list {len(items)} of {item}"
        case inspect.NoneType():
            return "nil"
        case inspect.UnionType(types=types):
            some = [describe(member) for member in types if not isinstance(member, inspect.NoneType)]
            return " or ".join([*some, "nil"])
        case inspect.StructType(cls=cls):
            return cls.__name__
        case inspect.Metadata(type=inner):
            return describe(inner)
        case _:
            raise AssertionError(f"no words for {kind}")


def describe_fields(struct: type[msgspec.Struct]) -> list[tuple[str, str]]:
    """Names on the wire and types of the fields of *struct*, in order."""
    info: Any = inspect.type_info(struct)
    return [(field.encode_name, describe(field.type)) for field in info.fields]
