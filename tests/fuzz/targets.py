"""What is fuzzed.  A target takes bytes and raises :class:`Finding` (or anything else) if a property does not hold.

The property is the same everywhere: what strangers send ends in a value or in the one error of the package
(``Refusal``, of which ``LinkError`` and ``BadRecord`` are kinds; ``Later`` for an entry whose place is not reached; a
verdict in words), never in another exception.
"""

import copy
import hashlib
import json
import pickle
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final

import msgpack
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from protocol.refusal import Refusal
from protocol.rules import record
from protocol.rules.record_stream import Records
from protocol.table import evidence, logfile, settlement
from protocol.table import verify as _verify
from protocol.table.announcement import read_announcement
from protocol.table.deal_phase import Later
from protocol.table.entries import DOMAIN_SIGN, Entry, read_entry
from protocol.table.match import Match
from protocol.table.roster import Setup, make_setup, read_roster
from protocol.table.terms import read_terms
from protocol.wire import entries as wire
from protocol.wire import messages, noise
from protocol.wire.connection import Connection
from protocol.wire.link import read_link
from protocol.wire.noise import Channel, Closed
from tests.fuzz.tree import Reader, pack, patch_bytes, patch_tree
from tests.wire.support import make_me, pump

verify_module: Any = _verify

FROZEN: Final = Path(__file__).parents[1] / "table" / "data" / "hand.json"


class Finding(AssertionError):
    """A property that does not hold."""


def holds(condition: bool, what: str) -> None:
    """Raise :class:`Finding` unless *condition*."""
    if not condition:
        raise Finding(what)


# -- frames and the channel ----------------------------------------------------------------------------------------

_TOKEN: Final = bytes(range(16))


@cache
def _me(label: str) -> Any:
    return make_me(label)


def _end(initiator: bool, label: str = "anna") -> Connection:
    find = {noise.invite_id(_TOKEN): _TOKEN}.get
    return Connection(_me(label), initiator=initiator, find_invite=None if initiator else find)


def _feed(end: Any, data: bytes, cut: int) -> list[Any]:
    events: list[Any] = []
    for at in range(0, len(data), cut):
        events += end.receive(data[at : at + cut])
        end.data_to_send()
    return events


def frames(data: bytes) -> None:
    """Raw bytes from either end; bytes inside a handshake under way; anything behind a good handshake, encrypted."""
    reader = Reader(data)
    mode = reader.byte() % 4
    cut = 1 + reader.byte()
    initiator = bool(mode & 1)
    end = _end(initiator)
    if mode < 2:
        rest = reader.rest()
        events = _feed(end, rest, cut)
        if not initiator:  # an initiator's ephemeral is new each time, but a responder says the same for each cut
            whole = _feed(_end(False), rest, len(rest) or 1)
            holds([type(event) for event in whole] == [type(event) for event in events], "the cut changes the events")
        holds(bool(events) or end.eof() != [], "the end of the connection says nothing")
    else:
        other: Any = _end(not initiator, "bert")
        if reader.byte() % 4 == 0:  # break into the handshake: one piece of the other end's bytes changed
            sent = patch_bytes(other.data_to_send(), reader) if initiator else other.data_to_send()
            if not initiator:
                end.data_to_send()
                end.receive(sent)
                other.receive(end.data_to_send())
                sent = patch_bytes(other.data_to_send(), reader)
            events = _feed(end, sent, cut)
        else:
            if reader.byte() % 2:
                pump(end, other)
            else:  # before HELLO: the bare channel
                other = Channel(initiator=not initiator, static_private=_me("bert").static_private)
                pump(end, other)
            channel: Any = other._channel if isinstance(other, Connection) else other
            while reader.left and channel.is_open:
                message = reader.take(1 + reader.below(512))
                if message:
                    channel.send(message)
            events = _feed(end, channel.data_to_send(), cut)
    closed = [isinstance(event, Closed) for event in events]
    holds(not any(closed[:-1]), "something comes behind the end")
    if closed and closed[-1]:
        holds(end.receive(b"\x00\x01x") == [], "a closed end still speaks")


# -- messages and payloads -----------------------------------------------------------------------------------------


def message(data: bytes) -> None:
    """A message, an entry's payload, an announcement, terms, a roster or an invite's link."""
    reader = Reader(data)
    mode = reader.byte() % 8
    raw = reader.rest()
    try:
        match mode:
            case 0 | 1:
                read = messages.decode(raw)
                holds(messages.decode(messages.encode(read)) == read, "a message that is read anew is another")
            case 2 | 3:
                payload = wire.decode_payload(raw)
                if not isinstance(payload.fields, wire.Malformed):
                    again = wire.decode_payload(wire.encode_payload(payload))
                    holds(again == payload, "a payload that is read anew is another")
            case 4:
                read_announcement(raw, bytes(64))
            case 5:
                read_terms(raw)
            case 6:
                read_roster(raw)
            case _:
                read_link(raw.decode("utf-8", "surrogateescape"))
    except Refusal:
        pass


# -- the log -------------------------------------------------------------------------------------------------------


@cache
def frozen() -> tuple[Setup, tuple[Entry, ...], tuple[Ed25519PrivateKey, ...]]:
    """The frozen hand: its setup, its entries in order, the four signing keys."""
    file = json.loads(FROZEN.read_text())
    raw = bytes.fromhex
    setup = make_setup(raw(file["terms"]), read_roster(raw(file["roster"])), 0)
    entries = tuple(read_entry(raw(each["p"]), raw(each["s"])) for each in file["entries"])
    return setup, entries, tuple(Ed25519PrivateKey.from_private_bytes(raw(seat["signing"])) for seat in file["seats"])


#: Where the log is cut: in every round of the deal, at bids, calls, cards of all kinds, receipts and the end.
STOPS: Final = (0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 23, 24, 26, 28, 29, 30, 31, 33, 34, 36, 60, 90, 126, 130, 132)


def _clone(match: Match) -> Match:
    memo: dict[int, Any] = {}
    setup, entries, _ = frozen()
    for thing in (setup, setup.roster, setup.terms, *entries, *match.known.values(), *match.closed):
        memo[id(thing)] = thing
    if match.hand is not None:
        for shared in (match.hand.slots.pairs, *match.hand.states.values()):
            memo[id(shared)] = shared
    return copy.deepcopy(match, memo)


@cache
def stopped() -> tuple[Match, ...]:
    """An observer at each of :data:`STOPS`."""
    setup, entries, _ = frozen()
    match = Match(setup)
    stops = []
    for at, entry in enumerate(entries):
        if at in STOPS:
            stops.append(_clone(match))
        match.offer(entry)
        memo_work(match)
    return tuple(stops)


_RESULTS: dict[bytes, Any] = {}


def memo_work(match: Match) -> None:
    """``logfile.run_work`` that remembers the results of the same heavy checks of this process."""
    work = list(match.work)
    while work:
        for each in work:
            key = hashlib.sha256(pickle.dumps((each.fn, each.args))).digest()
            if key not in _RESULTS:
                if len(_RESULTS) >= 500:
                    _RESULTS.clear()
                try:
                    _RESULTS[key] = each.fn(*each.args)
                except Refusal as refusal:
                    _RESULTS[key] = refusal
            match.worked(each, _RESULTS[key])
        work = list(match.work)


def _forged(entry: Entry, reader: Reader, match: Match) -> tuple[bytes, bytes]:
    """A changed payload, signed by whom it names, mostly."""
    payload = entry.payload
    how = reader.below(4)
    if how == 0:
        payload = patch_bytes(payload, reader)
    else:
        value = msgpack.unpackb(payload, strict_map_key=False)
        for _ in range(how):
            field = reader.below(12)
            if field < 8:
                value[8] = patch_tree(value[8], reader)
            elif field == 8:
                value[6] = match.main.head
            elif field == 9:
                value[4] = reader.below(4)
            elif field == 10:
                value[7] = int(list(wire.Kind)[reader.below(len(wire.Kind))])
            else:
                at = 2 + reader.below(5)
                value[at] = patch_tree(value[at], reader)
        payload = pack(value)
    return payload, _sign(payload, entry.signature)


def _sign(payload: bytes, otherwise: bytes) -> bytes:
    try:
        seat = wire.decode_payload(payload).seat
    except Refusal:
        return otherwise
    return frozen()[2][seat].sign(DOMAIN_SIGN + payload)


def log(data: bytes) -> None:
    """An observer of the frozen hand, stopped anywhere, is shown changed, repeated, early and honest entries."""
    reader = Reader(data)
    where = reader.below(len(STOPS))
    match = _clone(stopped()[where])
    _, entries, _ = frozen()
    at = STOPS[where]
    for _ in range(12):
        if not reader.left:
            break
        what = reader.byte()
        try:
            if what < 64:
                entry = entries[min(at, len(entries) - 1)]
                at += 1
            elif what < 96:
                entry = entries[reader.below(len(entries))]
            else:
                like = entries[min(len(entries) - 1, at + what % 5)]
                entry = read_entry(*_forged(like, reader, match))
            match.offer(entry)
        except (Refusal, Later):
            continue
        memo_work(match)
        list(match.entries())
        holds(all(fault.seat in range(4) for fault in match.faults), "a fault of nobody")


# -- records -------------------------------------------------------------------------------------------------------


def records(data: bytes) -> None:
    """One record, or many in a stream, cut anyhow; what is read is replayed, told and read again."""
    reader = Reader(data)
    cut = 1 + reader.byte()
    raw = reader.rest()
    try:
        read = record.loads(raw)
    except record.BadRecord:
        read = None
    if read is not None:
        _replayed(read)
    try:
        for element in Records(raw[at : at + cut] for at in range(0, len(raw), cut)):
            if isinstance(element, record.Record):
                _replayed(element)
    except record.BadRecord:
        holds(read is None, "a record that is none in a stream")


def _replayed(read: record.Record) -> None:
    holds(record.loads(read.text()) == read, "a record that is read anew is another")
    try:
        done = record.replay(read)
    except record.BadRecord:
        return
    json.dumps(record.outcome(done))


# -- files ---------------------------------------------------------------------------------------------------------


@cache
def _settled() -> Any:
    """The frozen hand's settlement as a tree of msgpack."""
    setup, entries, _ = frozen()
    match = Match(setup)
    for entry in entries:
        match.offer(entry)
        memo_work(match)
    raw = settlement.write(match)
    return msgpack.unpackb(raw[len(settlement.MAGIC) : -32], strict_map_key=False)


def _accusation(reader: Reader) -> bytes:
    """Evidence about a changed entry on the frozen log up to anywhere, with parts of it changed."""
    setup, entries, _ = frozen()
    where = reader.below(len(STOPS))
    match = stopped()[where]
    like = entries[min(len(entries) - 1, STOPS[where] + reader.below(4))]
    payload, signature = _forged(like, reader, match)
    packed = msgpack.unpackb(pack(logfile.pack(match, running=True)), strict_map_key=False)
    alone = reader.byte() % 4
    accused = [[payload, signature]] + ([[like.payload, like.signature]] if not alone else [])
    code = ("format", "rule", "proof", "equivocation", "context")[reader.below(5)]
    body: Any = [setup.roster.raw, setup.terms_bytes, like.seat, code, "", accused, packed if alone else None, [], 0]
    return _changed(evidence.MAGIC, body, reader)


def _changed(magic: bytes, body: Any, reader: Reader) -> bytes:
    """A file of *body* with changes: entries that change are mostly signed anew, the hash is right."""
    while reader.left:
        again = reader.byte()
        body = patch_tree(body, reader)
        if again % 4:
            body = _signed_anew(body)
    return settlement.seal(magic + pack(body))


def _signed_anew(value: Any) -> Any:
    if isinstance(value, list):
        if len(value) == 2 and all(isinstance(item, bytes) for item in value) and len(value[1]) == 64:
            return [value[0], _sign(value[0], value[1])]
        return [_signed_anew(item) for item in value]
    return value


def files(data: bytes) -> None:
    """Settlements and evidence: bytes behind either first line, or changed files whose hash is right."""
    reader = Reader(data)
    match reader.byte() % 4:
        case 0:
            raw = reader.rest()
        case 1:
            magic = settlement.MAGIC if reader.byte() % 2 else evidence.MAGIC
            raw = settlement.seal(magic + reader.rest())
        case 2:
            raw = _changed(settlement.MAGIC, _settled(), reader)
        case _:
            raw = _accusation(reader)
    kept = logfile.run_work, verify_module.run_work
    logfile.run_work = verify_module.run_work = memo_work
    try:
        verdict = verify_module.verify(raw)
    finally:
        logfile.run_work, verify_module.run_work = kept
    # verify() turns exceptions that no Refusal foresaw into words; none is known, so each is a finding
    holds("the log cannot be replayed (" not in verdict.problem, verdict.problem)
    holds("the cards do not come out" not in verdict.problem, verdict.problem)


TARGETS: Final[dict[str, Callable[[bytes], None]]] = {
    "frames": frames,
    "message": message,
    "log": log,
    "records": records,
    "files": files,
}
