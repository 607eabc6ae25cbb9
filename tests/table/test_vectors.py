"""The frozen matches: replayed from their hex by an observer who knows nothing else, and made again byte for byte."""

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from protocol.rules.hand import digest
from protocol.table import settlement
from protocol.table.end_phase import result_fields
from protocol.table.entries import Entry, read_entry
from protocol.table.log import ALL
from protocol.table.logfile import run_work
from protocol.table.match import Match
from protocol.table.roster import make_setup, read_roster
from protocol.table.verify import verify
from protocol.wire import entries as wire
from protocol.wire.entries import Kind
from tests.table.make_vectors import describe, record

NAMES = ("hand", "duel")
raw = bytes.fromhex


@cache
def frozen(name: str) -> Any:
    return json.loads((Path(__file__).parent / "data" / f"{name}.json").read_text())


@cache
def replayed(name: str) -> tuple[Match, tuple[Entry, ...], tuple[bytes, ...]]:
    """The observer at the end, the entries, and the digest of its state when each trick was full."""
    file = frozen(name)
    match = Match(make_setup(raw(file["terms"]), read_roster(raw(file["roster"])), 0))
    entries, digests = [], []
    for each in file["entries"]:
        entry = read_entry(raw(each["p"]), raw(each["s"]))
        hand = match.hand
        if entry.kind is Kind.TRICK and hand is not None and hand.state is not None and entry.seat == 0:
            digests.append(digest(hand.state))
        assert match.offer(entry)
        run_work(match)
        assert not match.faults
        entries.append(entry)
    return match, tuple(entries), tuple(digests)


@pytest.mark.parametrize("name", NAMES)
def test_every_entry_is_judged_right_and_is_what_the_file_says(name: str) -> None:
    file = frozen(name)
    match, entries, _ = replayed(name)
    assert match.setup.match_id.hex() == file["match"]
    for entry, each in zip(entries, file["entries"], strict=True):
        assert (entry.kind.name, entry.seat, entry.hash.hex()) == (each["kind"], each["seat"], each["hash"])


@pytest.mark.parametrize("name", NAMES)
def test_the_heads_are_the_same(name: str) -> None:
    match, _, _ = replayed(name)
    assert [head.hex() for head in match.deals[0].log.heads] == frozen(name)["deal_heads"]
    assert [head.hex() for head in match.main.heads] == frozen(name)["main_heads"]


@pytest.mark.parametrize("name", NAMES)
def test_the_digests_are_the_same_in_state_file_and_receipts(name: str) -> None:
    _, entries, digests = replayed(name)
    assert [value.hex() for value in digests] == frozen(name)["digests"]
    assert len(digests) == 12
    for seat in ALL:
        receipts = [e.fields(wire.Trick).digest for e in entries if e.kind is Kind.TRICK and e.seat == seat]
        assert tuple(receipts) == digests


@pytest.mark.parametrize("name", NAMES)
def test_the_cards_and_the_result_are_the_same(name: str) -> None:
    file = frozen(name)
    match, _, _ = replayed(name)
    closed = match.closed[0]
    assert closed.forehand == file["forehand"]
    by_seat = [list(closed.hands[(seat - closed.forehand) % 4]) for seat in ALL]
    assert by_seat == file["hands"]
    assert json.loads(json.dumps(msgspec.to_builtins(result_fields(closed, None)))) == file["result"]


def test_the_document_and_the_settlement_are_the_same() -> None:
    file = frozen("hand")
    match, _, _ = replayed("hand")
    assert match.settled
    assert match.document is not None
    assert match.document.hex() == file["document"]
    settled = settlement.write(match)
    assert hashlib.sha256(settled).hexdigest() == file["settlement_sha256"]
    assert verify(settled).good


def test_the_files_have_every_kind_of_entry_of_an_undisturbed_hand() -> None:
    kinds = {name: [Kind[each["kind"]] for each in frozen(name)["entries"]] for name in NAMES}
    disturbed = {Kind.SHAREBAD, Kind.SHAREOPEN, Kind.SUB, *wire.DECISIONS}
    assert {kind for both in kinds.values() for kind in both} == set(Kind) - disturbed
    assert [kinds["hand"].count(kind) for kind in (Kind.SHUF, Kind.PLAY, Kind.CALL, Kind.TRICK)] == [4, 48, 3, 48]


def test_the_calls_show_both_proofs_and_an_answer() -> None:
    calls = [e.fields(wire.Call) for e in replayed("hand")[1] if e.kind is Kind.CALL]
    assert [(call.what, call.open is not None, call.neq is not None) for call in calls] == [
        ("re", True, False),
        ("kontra", False, True),
        ("no90", True, False),
    ]
    assert [len(call.after) for call in calls] == [0, 1, 0]


@pytest.mark.parametrize("name", NAMES)
def test_the_frozen_matches_are_made_again_byte_for_byte(name: str) -> None:
    assert json.loads(json.dumps(describe(record(name)))) == frozen(name)
