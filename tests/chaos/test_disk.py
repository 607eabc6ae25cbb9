"""A store that is damaged where it hurts: the match goes on, or the node says why not."""

import sqlite3
from pathlib import Path

import pytest

from node.errors import EXIT_ENVIRONMENT, DokoError
from node.store import StoreConflict, open_store
from protocol.table.effects import Persist, Stored, StoredEntry
from tests.chaos import disk
from tests.chaos.crash import VARIABLE
from tests.chaos.world import ChaosWorld
from tests.table.net import Store

MATCH = b"m" * 32


@pytest.mark.parametrize("case", [*disk.cases(2), disk.Case("rot", 1, 5, 3)], ids=str)
def test_damaged_files(case: disk.Case, tmp_path: Path) -> None:
    disk.run(case, tmp_path)


def test_a_message_of_sqlite_that_is_no_text_is_damage_in_words(tmp_path: Path) -> None:
    """SQLite quotes a damaged schema in its message; Python then raises UnicodeDecodeError in its place."""

    def connect(path: Path) -> sqlite3.Connection:
        b"malformed database schema (\xfb)".decode()
        raise AssertionError("not reached")

    with pytest.raises(DokoError, match="damaged") as caught:
        open_store(tmp_path / "doko.db", connect=connect)
    assert caught.value.exit_code == EXIT_ENVIRONMENT
    assert "doko doctor --salvage" in caught.value.hint


def entry(payload: bytes, key: bytes) -> StoredEntry:
    return StoredEntry(key.ljust(32, b"."), 0, 0, 0, 0, 1, payload, bytes(64))


def test_a_row_whose_bytes_have_rotted_gets_its_own_back_and_no_other(tmp_path: Path) -> None:
    with open_store(tmp_path / "doko.db") as store:
        store.add_match(MATCH, b"i" * 32, 0, b"setup")
        store.persist(MATCH, Persist((entry(b"true", b"1"),)))
        with store.transaction() as db:
            db.execute("UPDATE entries SET payload = ?", (b"rotten",))
        with pytest.raises(StoreConflict):
            store.persist(MATCH, Persist((entry(b"another", b"2"),)))
        store.persist(MATCH, Persist((entry(b"true", b"1"),)))
        assert store.load(MATCH).entries == (entry(b"true", b"1"),)


class RottenStore(Store):
    """Gives back entry number *rotten* with a changed byte."""

    rotten = 0

    def stored(self) -> Stored:
        whole = super().stored()
        entries = list(whole.entries)
        if entries:
            row = entries[self.rotten % len(entries)]
            payload = row.payload[:-1] + bytes([row.payload[-1] ^ 1])
            entries[self.rotten % len(entries)] = StoredEntry(
                row.hash, row.chain, row.deal, row.seat, row.seq, row.kind, payload, row.signature
            )
        return Stored(tuple(entries), whole.secrets)


@pytest.mark.parametrize("rotten", [0, 3, 11, 20, -2, -1])
def test_a_rotten_entry_comes_back_from_the_others(rotten: int) -> None:
    stores = {seat: RottenStore() for seat in range(4)}
    stores[2].rotten = rotten
    world = ChaosWorld(1, crashes={2: 150}, stores=stores.__getitem__, **VARIABLE)
    world.run(until=900.0)
    world.judge()


def test_damaged_keys_are_as_good_as_lost(tmp_path: Path) -> None:
    """A proof made with a wrong key would convict its maker: the deal is made again instead."""
    world = ChaosWorld(1, **VARIABLE)
    world.run(stop=lambda: world.nodes[3].table.match.deals[0].log.length >= 3)
    world.kill(3)
    secrets = world.nodes[3].store.secrets
    (name,) = (each for each in secrets if each.endswith("/keys"))
    secrets[name] = secrets[name][:40] + bytes([secrets[name][40] ^ 1]) + secrets[name][41:]
    world.after(1.0, lambda: world.start_again(3))
    world.run(until=900.0)
    world.judge()
    assert len(world.nodes[0].table.match.deals) == 2
