"""Evidence that a seat broke the rules: one file that anybody can check.

    file   "doko-evidence/1\\n" || body || SHA-256 of all before it
    body   msgpack [roster, terms, seat, code, detail, [entry] or [entry, entry], log or nil, [call, ...],
           first forehand]

Two entries of one seat that contradict each other (:mod:`protocol.table.equivocation`) convict by themselves.  A single
entry convicts if replaying the log below it ends in its refusal; with it come the calls that no card carries yet.  The
first forehand is there for a log whose first hand is left out.
"""

from typing import Annotated, Final

import msgspec
from msgspec import Meta

from protocol.refusal import Code, Refusal
from protocol.table.logfile import LIMITS, MAX_FILE, FileEntry, FileLog, file_entry, pack
from protocol.table.match import Fault, Match
from protocol.table.settlement import seal
from protocol.wire import codec
from protocol.wire.fields import Seat

MAGIC: Final = b"doko-evidence/1\n"


class Body(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """The file between its first line and its hash."""

    roster: bytes
    terms: bytes
    seat: Seat
    code: Annotated[str, Meta(max_length=16)]
    detail: Annotated[str, Meta(max_length=4_096)]
    entries: Annotated[tuple[FileEntry, ...], Meta(min_length=1, max_length=2)]
    log: FileLog | None
    extra: tuple[FileEntry, ...]
    forehand: Seat


def write(match: Match, fault: Fault) -> bytes:
    """The file about *fault*, with as much of the log as it takes."""
    entries = [file_entry(fault.entry)]
    log, extra = None, []
    if fault.other is not None:
        entries.append(file_entry(fault.other))
    else:
        log = pack(match, running=True)
        if match.hand is not None:
            extra = [file_entry(call.entry) for call in match.hand.pending.values()]
        for deal in match.deals.values():
            extra += [file_entry(entry) for entry in (*deal.complaints.values(), *deal.answers.values())]
    body = [
        match.setup.roster.raw,
        match.setup.terms_bytes,
        fault.seat,
        fault.refusal.code.value,
        fault.refusal.detail[:1_000],
        entries,
        log,
        extra,
        0 if match.score is None else match.score.first_forehand,
    ]
    return seal(MAGIC + codec.encode(body))


def read_body(raw: bytes) -> Body:
    """The body of an evidence file, its form checked.  ``Refusal(FORMAT | LIMIT)``."""
    if len(raw) > MAX_FILE:
        raise Refusal(Code.LIMIT, f"the file has {len(raw)} bytes, evidence at most {MAX_FILE}")
    if not raw.startswith(MAGIC) or len(raw) < len(MAGIC) + 32:
        raise Refusal(Code.FORMAT, "this is no evidence file")
    return codec.decode(raw[len(MAGIC) : -32], Body, LIMITS, "evidence")
