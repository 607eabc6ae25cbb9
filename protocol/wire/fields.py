"""Field types of messages: fixed lengths, ranges, and text that is safe to show."""

import unicodedata
from typing import Annotated, Final

from msgspec import Meta

Bytes16 = Annotated[bytes, Meta(min_length=16, max_length=16)]
Bytes32 = Annotated[bytes, Meta(min_length=32, max_length=32)]
Bytes64 = Annotated[bytes, Meta(min_length=64, max_length=64)]
U8 = Annotated[int, Meta(ge=0, le=0xFF)]
U16 = Annotated[int, Meta(ge=0, le=0xFFFF)]
U32 = Annotated[int, Meta(ge=0, le=0xFFFF_FFFF)]
U53 = Annotated[int, Meta(ge=0, le=(1 << 53) - 1)]  # counters and times every language can hold exactly
Seat = Annotated[int, Meta(ge=0, le=3)]

MAX_NICKNAME: Final = 24
MAX_TEXT: Final = 500

Nickname = Annotated[str, Meta(min_length=1, max_length=MAX_NICKNAME)]
ShortText = Annotated[str, Meta(max_length=MAX_TEXT)]
WORD: Final = r"\A[a-z0-9][a-z0-9.-]*\Z"
"""A name for programs: of a feature, a policy, a reason."""
Word = Annotated[str, Meta(min_length=1, max_length=32, pattern=WORD)]


def check_name(text: str, what: str = "nickname", limit: int = MAX_NICKNAME) -> str:
    """*text* if it can be shown on one line as it is, else ``ValueError`` in words.

    1 to *limit* characters in Unicode normal form C; no control, format (direction overrides, joiners), private or
    unassigned characters, no line breaks, no space other than U+0020 inside and none at an end, no more than two
    combining marks in a row, something visible.
    """
    if not text:
        raise ValueError(f"the {what} is empty")
    if len(text) > limit:
        raise ValueError(f"the {what} has {len(text)} characters, at most {limit} are allowed")
    _check_characters(text, what)
    if text != text.strip(" "):
        raise ValueError(f"the {what} begins or ends with a space")
    if unicodedata.category(text[0]).startswith("M"):
        raise ValueError(f"the {what} begins with a combining mark")
    return text


def check_text(text: str, what: str = "text", limit: int = MAX_TEXT) -> str:
    """*text* (may be empty) if it has at most *limit* characters and none that :func:`check_name` forbids."""
    if len(text) > limit:
        raise ValueError(f"the {what} has {len(text)} characters, at most {limit} are allowed")
    _check_characters(text, what)
    return text


def _check_characters(text: str, what: str) -> None:
    marks = 0
    for character in text:
        category = unicodedata.category(character)
        if category[0] == "C" or category in ("Zl", "Zp") or (category == "Zs" and character != " "):
            raise ValueError(f"the {what} contains a character that cannot be shown (U+{ord(character):04X})")
        marks = marks + 1 if category in ("Mn", "Me") else 0
        if marks > 2:
            raise ValueError(f"the {what} piles up combining marks")
    if not unicodedata.is_normalized("NFC", text):
        raise ValueError(f"the {what} is not in Unicode normal form C")
