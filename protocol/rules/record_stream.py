"""Many hand records from one stream of bytes of any length: an array, JSON Lines, or a single record.

A text that begins with ``[`` is an array; one that is a JSON value as a whole is a single record; one that has a line
which is a JSON object by itself is JSON Lines.  Memory stays within a few times the limit of one record (1 MiB)
however long the stream is, and an element that is no record does not hide those behind it.
"""

import codecs
import itertools
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from protocol.rules.record import DECODER, MAX_BYTES, BadRecord, Record, decode, loads, parse, too_long

_SPACE: Final = " \t\r\n"
_NOT_SPACE: Final = re.compile(r"[^ \t\r\n]")
_MARK: Final = re.compile(r'[][{},"]')
_END: Final = re.compile(r"[ \t\r\n]*[],]")
_STRING_MARK: Final = re.compile(r'["\\]')
_BOM: Final = codecs.BOM_UTF8
#: What is kept of one record before it is given up: the limit, and as much again for blanks around it.
_SLACK: Final = 2 * MAX_BYTES


class Records:
    """Iterate over the records of a stream of byte chunks.

    Each element is a :class:`Record` or, among many, the :class:`BadRecord` that says why it is none.  What makes the
    whole stream unreadable is raised as a :class:`BadRecord`: a single text that is no record, an array that does not
    end.  ``many`` tells an array or JSON Lines from a single record.
    """

    many: bool

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = iter(chunks)
        head = b""
        for chunk in self._chunks:
            head = (head + chunk).removeprefix(_BOM).lstrip(_SPACE.encode())
            if head and head != _BOM[: len(head)]:
                break
        if head.startswith(b"["):
            self.many = True
            self._elements = _Array(head, self._chunks).elements()
        else:
            self._elements = self._single_or_lines(head)

    def __iter__(self) -> Iterator[Record | BadRecord]:
        return self._elements

    def _single_or_lines(self, head: bytes) -> Iterator[Record | BadRecord]:
        parts = [head]
        size = len(head)
        ended = True
        for chunk in self._chunks:
            parts.append(chunk)
            size += len(chunk)
            if size > _SLACK:
                ended = False
                break
        text = b"".join(parts)
        if not ended and b"\n" not in text:
            return self._behind_long_line()
        whole = ended and len(text.rstrip()) <= MAX_BYTES
        if whole:
            try:
                value = decode(text)
            except BadRecord as bad:
                error = bad
            else:
                self.many = False
                return iter((parse(value),))
        else:
            error = too_long()
        if ended and b"\n" not in text.rstrip():
            raise error
        if not any(_is_object(line) for line in text.split(b"\n")[: None if ended else -1]):
            raise error
        self.many = True
        return _lines(text, self._chunks)

    def _behind_long_line(self) -> Iterator[Record | BadRecord]:
        """The first line is over the limit: a record that is too long, or the first of several."""
        rest = b""
        for chunk in self._chunks:
            _, mark, rest = chunk.partition(b"\n")
            if mark:
                break
        while not rest.strip():
            chunk = next(self._chunks, b"")
            if not chunk:
                raise too_long()
            rest = chunk
        self.many = True
        return itertools.chain((too_long(),), _lines(rest, self._chunks))


def _is_object(line: bytes) -> bool:
    if not line.lstrip().startswith(b"{"):
        return False
    try:
        return type(decode(line)) is dict
    except BadRecord:
        return False


def _lines(head: bytes, chunks: Iterator[bytes]) -> Iterator[Record | BadRecord]:
    """One element per line that is not blank."""
    parts: list[bytes] = []  # the pieces of the line at hand
    size = 0
    for chunk in itertools.chain((head,), chunks):
        *lines, rest = chunk.split(b"\n")
        for line in lines:
            parts.append(line)
            yield from _line(parts, size + len(line))
            parts.clear()
            size = 0
        size += len(rest)
        if size <= _SLACK:
            parts.append(rest)
    yield from _line(parts, size)


def _line(parts: list[bytes], size: int) -> Iterator[Record | BadRecord]:
    if size > _SLACK:
        yield too_long()
    elif (line := b"".join(parts)).strip():
        yield _element(line)


def _element(text: str | bytes) -> Record | BadRecord:
    try:
        return loads(text.strip())
    except BadRecord as bad:
        return bad


class _Array:
    """The elements of one JSON array, however long."""

    def __init__(self, head: bytes, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        # Bytes that are not UTF-8 become lone surrogates, which no record can contain, so they spoil one element only.
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._ascii = head.isascii()
        self._text = self._decoder.decode(head)
        self._at = 1

    def _more(self) -> bool:
        """Forget what was read and append the next chunk; false at the end."""
        chunk = next(self._chunks, None)
        self._text = self._text[self._at :]
        self._at = 0
        if chunk is None:
            rest = self._decoder.decode(b"", True)
            self._text += rest
            return bool(rest)
        self._ascii = self._ascii and chunk.isascii()
        self._text += self._decoder.decode(chunk)
        return True

    def _peek(self) -> str:
        """The next character that is no space, "" at the end of the stream."""
        while True:
            match = _NOT_SPACE.search(self._text, self._at)
            if match is not None:
                self._at = match.start()
                return match.group()
            self._at = len(self._text)
            if not self._more():
                return ""

    def elements(self) -> Iterator[Record | BadRecord]:
        """Parse from behind the opening bracket to the end of the stream."""
        count = 0
        if self._peek() == "]":
            self._at += 1
        else:
            while True:
                if self._peek() == "":
                    raise BadRecord(f"the array does not end (after {count} elements)")
                yield self._next()
                count += 1
                mark = self._peek()
                self._at += 1
                if mark == "]":
                    break
                if mark != ",":
                    raise BadRecord(f"after element {count} of the array neither a comma nor a bracket follows")
        if self._peek():
            raise BadRecord("more text follows behind the array")

    def _next(self) -> Record | BadRecord:
        """The element that begins here.  Usually it lies in the buffer as a whole and is decoded where it is."""
        if self._ascii:
            try:
                value, end = DECODER.raw_decode(self._text, self._at)
            except (BadRecord, ValueError, RecursionError):
                pass
            else:
                if end - self._at <= MAX_BYTES and _END.match(self._text, end):
                    self._at = end
                    return _parsed(value)
        text = self._cut()
        return too_long() if text is None else _element(text)

    def _cut(self) -> str | None:
        """Cut the text of one element out by its brackets and quotes alone; ``None`` if it is over the limit."""
        parts: list[str] = []
        size = 0
        depth = 0
        quoted = False
        while True:
            at = start = self._at
            text = self._text
            end: int | None = None
            while end is None:
                match = (_STRING_MARK if quoted else _MARK).search(text, at)
                if match is None:
                    at = len(text)
                    break
                mark = match.group()
                at = match.end()
                if mark == "\\":
                    if at == len(text):
                        at -= 1  # what is escaped comes with the next chunk
                        break
                    at += 1
                elif mark == '"':
                    quoted = not quoted
                elif mark in "[{":
                    depth += 1
                elif depth == 0:
                    end = match.start()
                elif mark in "]}":
                    depth -= 1
            self._at = at if end is None else end
            size += self._at - start
            if size <= _SLACK:
                parts.append(text[start : self._at])
            if end is not None:
                return None if size > _SLACK else "".join(parts).rstrip(_SPACE)
            if not self._more():
                raise BadRecord("the array does not end")


def _parsed(value: Any) -> Record | BadRecord:
    try:
        return parse(value)
    except BadRecord as bad:
        return bad
