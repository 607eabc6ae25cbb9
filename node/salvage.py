"""A damaged store: keep it, and save what can still be read into a new one."""

import contextlib
import sqlite3
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from node.errors import EXIT_ENVIRONMENT, DokoError
from node.files import explain
from node.i18n import _
from node.locks import acquire
from node.store import SQLITE_ERRORS, open_store

#: Parents before children.
TABLES: Final = (
    "matches",
    "contacts",
    "addresses",
    "entries",
    "secrets",
    "settlements",
    "evidence",
    "hands",
    "ledger",
    "invites",
)
_FAMILY: Final = ("", "-wal", "-shm")


@dataclass(frozen=True, slots=True)
class Salvage:
    """Where the old store is kept, rows saved by table, and the tables that could not be read to their end."""

    kept: Path
    saved: dict[str, int]
    torn: tuple[str, ...]


def salvage(path: Path, lock_path: Path, clock: Callable[[], float] = time.time) -> Salvage:
    """Move the store *path* aside and make a new one from what can be read of it.

    Holds the data directory's lock meanwhile.  Raises :class:`DokoError`; then the old store is back in its place.
    """
    if not path.exists():
        raise DokoError(_("There is no store in {path}.").format(path=path.parent), _("Nothing to save."))
    with acquire(lock_path, _("The data directory {path}").format(path=path.parent)):
        kept = _free_name(path, clock)
        _rename(path, kept)
        try:
            return _copy(path, kept, clock)
        except BaseException:
            for suffix in _FAMILY:
                path.with_name(path.name + suffix).unlink(missing_ok=True)
            _rename(kept, path)
            raise


def _free_name(path: Path, clock: Callable[[], float]) -> Path:
    base = f"{path.stem}-damaged-{time.strftime('%Y%m%d-%H%M%S', time.gmtime(clock()))}"
    names = (path.with_name(f"{base}{'' if i == 0 else f'-{i}'}{path.suffix}") for i in range(1000))
    return next(name for name in names if not name.exists())


def _rename(old: Path, new: Path) -> None:
    """Rename a database with its write-ahead log, which belongs to it by name."""
    for suffix in reversed(_FAMILY):
        source, target = old.with_name(old.name + suffix), new.with_name(new.name + suffix)
        try:
            source.rename(target)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise explain(error, source, _("Could not move the damaged store.")) from error


def _copy(path: Path, kept: Path, clock: Callable[[], float]) -> Salvage:
    saved: dict[str, int] = {}
    torn: list[str] = []
    with open_store(path, clock=clock) as store, contextlib.closing(sqlite3.connect(kept, isolation_level=None)) as old:
        old.text_factory = lambda raw: raw.decode("utf-8", "replace")
        with store.transaction() as db:
            for table in TABLES:
                wanted = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
                try:
                    there = [row[1] for row in old.execute(f"PRAGMA table_info({table})")]
                except SQLITE_ERRORS:
                    there = []
                columns = [name for name in wanted if name in there]
                rows, whole = _rows(old, table, columns)
                if not whole:
                    torn.append(table)
                saved[table] = sum(_insert(db, table, columns, row) for row in rows)
    return Salvage(kept, saved, tuple(torn))


def _rows(old: sqlite3.Connection, table: str, columns: list[str]) -> tuple[Iterator[tuple[Any, ...]], bool]:
    """What can be read of *table*, from both ends, and whether that is all."""
    if not columns:
        return iter(()), False
    listed = ", ".join(columns)
    found: dict[tuple[Any, ...], None] = {}
    for order in ("rowid", "rowid DESC"):
        try:
            for row in old.execute(f"SELECT {listed} FROM {table} NOT INDEXED ORDER BY {order}"):  # noqa: S608
                found[row] = None
        except SQLITE_ERRORS:
            continue
        return iter(found), order == "rowid"
    return iter(found), False


def _insert(db: sqlite3.Connection, table: str, columns: list[str], row: tuple[Any, ...]) -> int:
    """1 if the row fits the new store, 0 if damage made it unfit."""
    marks = ", ".join("?" * len(columns))
    try:
        return db.execute(
            f"INSERT OR IGNORE INTO {table} ({', '.join(columns)}) VALUES ({marks})",  # noqa: S608
            row,
        ).rowcount
    except sqlite3.IntegrityError:
        return 0
    except sqlite3.Error as error:
        raise DokoError(str(error), "", EXIT_ENVIRONMENT) from error
