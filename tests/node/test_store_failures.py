"""The store when things go wrong: full disk, damage, newer or foreign files.  Always words, never a loss."""

import errno
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from node import store as store_module
from node.errors import EXIT_ENVIRONMENT, DokoError
from node.migrations import MIGRATIONS, SCHEMA_VERSION
from node.paths import Paths
from node.salvage import TABLES, salvage
from node.store import APPLICATION_ID, HandRow, LedgerRow, Store, explain_sqlite, migrate, open_store
from protocol.table.effects import Persist, StoredEntry

MATCH = b"m" * 32


def entry(number: int, size: int = 3000) -> StoredEntry:
    payload = (b"%08d" % number) * (size // 8)
    return StoredEntry(payload[:8].ljust(32, b"."), 0, 0, 0, number, 1, payload, bytes(64))


def fill(store: Store, count: int = 40) -> None:
    """A match with a bit of everything."""
    store.add_match(MATCH, b"i" * 32, 0, b"setup")
    for number in range(count):
        store.persist(MATCH, Persist((entry(number),), ((f"s{number}", b"x" * 100),)))
    store.put_contact(b"k" * 32, "Anna")
    store.set_addresses(b"k" * 32, ["anna.example:4848"])
    store.add_hand(HandRow(MATCH, 1, 1, 0, "normal", 1, 0, "{}", 5.0, (1, 1, -1, -1), (1, 1, -1, -1)))
    store.book_payment(("aa", "Anna"), ("bb", "Bert"), "EUR", 5)
    store.add_invite(b"t" * 16, 2e9)


def limited_pages(pages: int) -> Callable[[Path], sqlite3.Connection]:
    """A connection to a database that may have so many pages: SQLite itself says that the disk is full."""

    def connect(path: Path) -> sqlite3.Connection:
        connection = store_module._connect(path)
        connection.execute(f"PRAGMA max_page_count = {pages}")
        return connection

    return connect


def until_it_fails(step: Callable[[int], None]) -> tuple[int, DokoError]:
    """How often *step* went well, and the error that it ended with."""
    for number in range(1000):
        try:
            step(number)
        except DokoError as error:
            assert error.exit_code == EXIT_ENVIRONMENT  # noqa: PT017 (which call fails is not known)
            return number, error
    raise AssertionError("there was no end")


def test_full_disk_in_the_middle_of_a_match(paths: Paths) -> None:
    with open_store(paths.store, exclusive=True, connect=limited_pages(60)) as store:
        store.add_match(MATCH, b"i" * 32, 0, b"setup")
        kept, error = until_it_fails(
            lambda number: store.persist(
                MATCH, Persist((entry(number),), ((f"s{number}", b"x"), (f"s{number - 1}", None)))
            )
        )
        assert "full" in error.message
        assert str(paths.store) in error.message
        assert 3 < kept < 60
        found = store.load(MATCH)  # the failed transaction has left nothing, the others are whole
        assert [one.seq for one in found.entries] == list(range(kept))
        assert set(found.secrets) == {f"s{kept - 1}"}
    with open_store(paths.store, exclusive=True) as store:  # there is room again
        store.persist(MATCH, Persist((entry(kept),)))
        assert len(store.load(MATCH).entries) == kept + 1


SMALL_FILES = """
import resource, signal, sys
from pathlib import Path
from node.errors import DokoError
from node.store import open_store
from protocol.table.effects import Persist, StoredEntry
resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
store = open_store(Path(sys.argv[1]), exclusive=True)
store.add_match(b"m" * 32, b"i" * 32, 0, b"setup")
try:
    for number in range(1000):
        payload = b"%08d" % number * 2000
        one = StoredEntry(payload[:8].ljust(32, b"."), 0, 0, 0, number, 1, payload, bytes(64))
        store.persist(b"m" * 32, Persist((one,)))
        print(number, flush=True)
except DokoError as error:
    print(error.exit_code, error.message, flush=True)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGXFSZ"), reason="needs RLIMIT_FSIZE")
def test_file_system_that_refuses_to_grow(paths: Paths) -> None:
    """The write system calls themselves fail, beneath SQLite."""
    done = subprocess.run(
        [sys.executable, "-c", SMALL_FILES, str(paths.store)], capture_output=True, text=True, check=False
    )
    *numbers, last = done.stdout.splitlines()
    assert done.stderr == ""
    assert last.startswith(f"{EXIT_ENVIRONMENT} ")
    assert len(numbers) > 5
    with open_store(paths.store, exclusive=True) as store:
        assert [one.seq for one in store.load(MATCH).entries] == list(range(len(numbers)))
        assert store.check() == []


def test_real_full_file_system(tmp_path: Path) -> None:
    """On a file system of half a megabyte, where this machine allows to mount one."""
    mount = tmp_path / "small"
    mount.mkdir()
    tool = shutil.which("mount")
    if (
        tool is None
        or subprocess.run(
            [tool, "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(mount)], capture_output=True, check=False
        ).returncode
    ):
        pytest.skip("no tmpfs can be mounted here")
    try:
        paths = Paths(mount / "data").create()
        store = open_store(paths.store, exclusive=True)
        store.add_match(MATCH, b"i" * 32, 0, b"setup")
        kept, _error = until_it_fails(lambda number: store.persist(MATCH, Persist((entry(number, 16_000),))))
        assert kept > 3
        assert len(store.load(MATCH).entries) == kept
        store.close()
    finally:
        subprocess.run(["umount", "-l", str(mount)], check=True)


def test_open_where_nothing_can_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DokoError) as caught:
        open_store(tmp_path / "missing" / "doko.db")
    assert caught.value.exit_code == EXIT_ENVIRONMENT

    def full(*_args: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "open", full)
    with pytest.raises(DokoError, match="No space left"):
        open_store(tmp_path / "doko.db")


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (sqlite3.SQLITE_FULL, "full"),
        (sqlite3.SQLITE_IOERR | 3 << 8, "failed"),
        (sqlite3.SQLITE_CORRUPT, "damaged"),
        (sqlite3.SQLITE_NOTADB, "not a store"),
        (sqlite3.SQLITE_READONLY, "cannot be written"),
        (sqlite3.SQLITE_BUSY, "another program"),
        (sqlite3.SQLITE_CANTOPEN, "cannot be opened"),
        (sqlite3.SQLITE_MISUSE, "failed: text"),
    ],
)
def test_every_error_of_sqlite_has_words(code: int, words: str) -> None:
    error = sqlite3.OperationalError("text")
    error.sqlite_errorcode = code
    told = explain_sqlite(error, Path("where"))
    assert words in told.message
    assert "where" in told.message
    assert told.hint
    assert told.exit_code == EXIT_ENVIRONMENT


# -- damage


def damaged(paths: Paths, where: str) -> bytes:
    """A store with its *where* overwritten; what the file is now."""
    with open_store(paths.store) as store:
        fill(store)
    data = bytearray(paths.store.read_bytes())
    junk = random.Random(1).randbytes(4096)
    spans = {
        "header": slice(0, 100),
        "schema": slice(100, 4096),
        "middle": slice(len(data) // 2 // 4096 * 4096, len(data) // 2 // 4096 * 4096 + 4096),
    }
    if where == "cut":
        del data[len(data) // 2 :]
    elif where == "empty":
        del data[:]
    else:
        span = spans[where]
        data[span] = junk[: span.stop - span.start]
    paths.store.write_bytes(data)
    return bytes(data)


@pytest.mark.parametrize("where", ["header", "schema", "cut"])
def test_damaged_store_is_refused_and_left_alone(paths: Paths, where: str) -> None:
    before = damaged(paths, where)
    with pytest.raises(DokoError) as caught:
        open_store(paths.store, exclusive=True)
    assert caught.value.exit_code == EXIT_ENVIRONMENT
    assert "doko doctor --salvage" in caught.value.hint
    assert paths.store.read_bytes() == before
    open_store(paths.store.with_name("other.db"), exclusive=True).close()  # the lock is free again


@pytest.mark.parametrize("where", ["header", "schema", "middle", "cut"])
def test_salvage_keeps_the_old_and_makes_a_working_new_store(paths: Paths, where: str) -> None:
    before = damaged(paths, where)
    done = salvage(paths.store, paths.lock, lambda: 0.0)
    assert done.kept.name == "doko-damaged-19700101-000000.db"
    assert done.kept.read_bytes() == before
    assert set(done.saved) == set(TABLES)
    with open_store(paths.store, exclusive=True) as store:
        assert store.check() == []
        assert store.schema_version == SCHEMA_VERSION
        entries = store.load(MATCH).entries
        assert all(one == entry(one.seq or 0) for one in entries)
        if where == "middle":
            assert len(entries) > 10
            assert [friend.nickname for friend in store.contacts()] == ["Anna"]
    assert done.torn or where == "middle"


def test_salvage_of_a_whole_store_loses_nothing(paths: Paths) -> None:
    with open_store(paths.store, clock=lambda: 1.0) as store:
        fill(store)
        before = (
            store.load(MATCH),
            store.matches(),
            store.contacts(),
            store.ledger(),
            store.hands(),
            store.invites(),
        )
    done = salvage(paths.store, paths.lock)
    assert done.torn == ()
    with open_store(paths.store) as store:
        after = (store.load(MATCH), store.matches(), store.contacts(), store.ledger(), store.hands(), store.invites())
    assert after == before


def test_salvage_puts_the_old_store_back_if_it_fails(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    before = damaged(paths, "schema")

    def full(*_args: object, **_named: object) -> Store:
        paths.store.write_bytes(b"half a new store")
        raise DokoError("full")

    monkeypatch.setattr("node.salvage.open_store", full)
    with pytest.raises(DokoError, match="full"):
        salvage(paths.store, paths.lock)
    assert paths.store.read_bytes() == before
    assert not list(paths.data.glob("doko-damaged*"))


def test_salvage_without_a_store_or_beside_a_running_node(paths: Paths) -> None:
    with pytest.raises(DokoError, match="no store"):
        salvage(paths.store, paths.lock)
    with open_store(paths.store, exclusive=True), pytest.raises(DokoError, match="in use"):
        salvage(paths.store, paths.lock)


# -- versions


def old_store(path: Path, version: int) -> sqlite3.Connection:
    """A store as the program of schema *version* made it."""
    connection = sqlite3.connect(path, isolation_level=None)
    migrate(connection, path, lambda: 7.0, to=version)
    return connection


@pytest.mark.parametrize("version", range(1, SCHEMA_VERSION + 1))
def test_every_older_version_is_upgraded_with_its_data(paths: Paths, version: int) -> None:
    old = old_store(paths.store, version)
    old.execute(
        "INSERT INTO matches (match, identity, seat, setup, begun) VALUES (?, ?, 1, ?, 5)", (MATCH, b"i" * 32, b"setup")
    )
    one = entry(3)
    old.execute(
        "INSERT INTO entries (match, chain, deal, seat, number, kind, hash, payload, signature) "
        "VALUES (?, 0, 0, 0, 3, 1, ?, ?, ?)",
        (MATCH, one.hash, one.payload, one.signature),
    )
    old.execute("INSERT INTO contacts (key, nickname, added) VALUES (?, 'Anna', 1)", (b"k" * 32,))
    old.close()
    with open_store(paths.store, exclusive=True) as store:
        assert store.schema_version == SCHEMA_VERSION
        assert store.check() == []
        assert store.load(MATCH).entries == (one,)
        assert [friend.nickname for friend in store.contacts()] == ["Anna"]
        store.finish_match(MATCH, b"settlement", ledger=[LedgerRow("aa", "Anna", "EUR", 1)])
        store.add_invite(b"t" * 16, 2e9)
        assert schema(store) == fresh_schema(paths.data / "fresh.db")


def schema(store: Store) -> list[tuple[str, str]]:
    with store._read() as db:
        return db.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name").fetchall()


def fresh_schema(path: Path) -> list[tuple[str, str]]:
    with open_store(path) as store:
        return schema(store)


def test_steps_are_recorded(store: Store) -> None:
    with store._read() as db:
        rows = db.execute("SELECT version, applied FROM schema_version ORDER BY version").fetchall()
    assert rows == [(number + 1, 1000.0) for number in range(len(MIGRATIONS))]


def test_failed_upgrade_changes_nothing(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    old_store(paths.store, 1).close()
    broken = (*MIGRATIONS[:1], ("CREATE TABLE half (x)", "this is no SQL"))
    monkeypatch.setattr(store_module, "MIGRATIONS", broken)
    with pytest.raises(DokoError):
        open_store(paths.store)
    monkeypatch.undo()
    with open_store(paths.store) as store:
        assert "half" not in {name for name, _sql in schema(store)}
        assert store.schema_version == SCHEMA_VERSION


def test_newer_store_is_refused_and_left_alone(paths: Paths) -> None:
    open_store(paths.store).close()
    connection = sqlite3.connect(paths.store, isolation_level=None)
    connection.execute("INSERT INTO schema_version VALUES (99, 1, 'doko 9')")
    connection.close()
    with pytest.raises(DokoError, match=r"newer doko .schema 99") as caught:
        open_store(paths.store, exclusive=True)
    assert caught.value.exit_code == EXIT_ENVIRONMENT
    assert "newer" in caught.value.hint


@pytest.mark.parametrize("application", [0, 0x12345678])
def test_database_of_another_program(paths: Paths, application: int) -> None:
    connection = sqlite3.connect(paths.store, isolation_level=None)
    connection.execute(f"PRAGMA application_id = {application}")
    connection.execute("CREATE TABLE precious (x)")
    connection.close()
    with pytest.raises(DokoError, match="another program"):
        open_store(paths.store)
    with sqlite3.connect(paths.store) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("precious",)]
    connection.close()


def test_application_id_is_in_the_header(store: Store, paths: Paths) -> None:
    store.close()
    assert paths.store.read_bytes()[68:72] == APPLICATION_ID.to_bytes(4, "big") == b"DOKO"


def test_old_sqlite(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 31, 1))
    with pytest.raises(DokoError, match="too old"):
        open_store(paths.store)


def test_two_processes_make_one_new_store(paths: Paths) -> None:
    code = (
        "import sys; from pathlib import Path; from node.store import open_store; open_store(Path(sys.argv[1])).close()"
    )
    processes = [subprocess.Popen([sys.executable, "-c", code, str(paths.store)]) for _process in range(4)]
    assert [process.wait() for process in processes] == [0] * 4
    with open_store(paths.store) as store:
        assert store.check() == []
