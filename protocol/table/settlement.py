"""The settlement of a match: one file that proves itself.

    file   "doko-settlement/1\\n" || body || SHA-256 of all before it
    body   msgpack [document, [signature or nil by seat], log]                 the log: :mod:`protocol.table.logfile`

The *document* (:func:`protocol.table.end_phase.document`) is what the four sign, "DOKO1-settle" before it.  Everything
in it follows from the log; a signature that is missing is convenience lost, no more, and the file shows whose.
"""

import hashlib
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from protocol.refusal import Code, Refusal
from protocol.table.log import ALL
from protocol.table.logfile import LIMITS, MAX_FILE, FileLog, pack
from protocol.table.match import Match
from protocol.wire import codec
from protocol.wire.fields import Bytes32, Bytes64, Seat

MAGIC: Final = b"doko-settlement/1\n"
FORMAT: Final = "doko-settlement/1"

Four = tuple[int, int, int, int]


class HandResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """RESULT's fields without the seed."""

    void: bool
    game: Annotated[str, Meta(max_length=16)]
    re: Annotated[tuple[Seat, ...], Meta(max_length=4)]
    winner: Annotated[str, Meta(max_length=8)] | None
    value: int
    points: Four
    money: Four
    kitty: int
    seed: None


class DocumentHand(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """One hand of the document, in order; *agreed*: void by agreement, then without a deal hash."""

    deal: int
    number: int
    forehand: Seat
    agreed: bool
    result: HandResult
    breaches: tuple[Seat, ...]
    deal_hash: Annotated[bytes, Meta(max_length=32)]


class Document(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """What all four sign."""

    format: str
    match: Bytes32
    roster: bytes
    terms: bytes
    hands: tuple[DocumentHand, ...]
    points: Four
    money: Four
    kitty: int
    head: Bytes32


class Body(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """The file between its first line and its hash."""

    document: bytes
    signatures: tuple[Bytes64 | None, Bytes64 | None, Bytes64 | None, Bytes64 | None]
    log: FileLog


def hash_of(document: bytes) -> bytes:
    """What SETTLE names the document by."""
    return hashlib.sha256(document).digest()


def write(match: Match) -> bytes:
    """The file of a match whose hands are all closed, with the signatures that are there."""
    assert match.document is not None
    signed = match.settlement_signatures
    body = codec.encode([match.document, [signed.get(seat) for seat in ALL], pack(match)])
    return seal(MAGIC + body)


def seal(content: bytes) -> bytes:
    """Append the hash of all before it."""
    return content + hashlib.sha256(content).digest()


def sealed(raw: bytes) -> bool:
    """Whether the hash at the end is right."""
    return hashlib.sha256(raw[:-32]).digest() == raw[-32:]


def read_body(raw: bytes) -> Body:
    """The body of a settlement file, its form checked.  ``Refusal(FORMAT | LIMIT)``."""
    if len(raw) > MAX_FILE:
        raise Refusal(Code.LIMIT, f"the file has {len(raw)} bytes, a settlement at most {MAX_FILE}")
    if not raw.startswith(MAGIC) or len(raw) < len(MAGIC) + 32:
        raise Refusal(Code.FORMAT, "this is no settlement file")
    return codec.decode(raw[len(MAGIC) : -32], Body, LIMITS, "settlement")


def read_document(raw: bytes) -> Document:
    """The document.  ``Refusal(FORMAT | LIMIT)``."""
    document = codec.decode(raw, Document, LIMITS, "document")
    if document.format != FORMAT:
        raise Refusal(Code.FORMAT, f"document: not of the format {FORMAT}")
    return document
