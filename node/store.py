"""What a node remembers: matches and their logs, secrets of open deals, results, the ledger, friends, invitations.

SQLite in one file: WAL, ``synchronous=FULL`` and ``secure_delete=ON``.  A transaction that :meth:`Store.persist` has
returned from survives a power cut; one that failed has changed nothing.  Erased secrets are overwritten in the file
and the write-ahead log is cut off behind them.

A node that plays opens the store with the lock of the data directory (``exclusive=True``); the commands for looking
things up and for keeping friends open it beside a running node.  Methods may be called from any thread, one at a time.
"""

import contextlib
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from node import __version__
from node.errors import EXIT_ENVIRONMENT, DokoError
from node.files import PRIVATE_FILE, explain
from node.i18n import N_, _
from node.locks import Lock, acquire
from node.migrations import MIGRATIONS, SCHEMA_VERSION
from protocol.table.effects import Persist, Stored, StoredEntry

#: "DOKO" in the file's header: told from other programs' databases.
APPLICATION_ID: Final = 0x444F4B4F
#: STRICT tables.
SQLITE_NEEDED: Final = (3, 37, 0)
PAGE_SIZE: Final = 4096
#: Zeros in front of every stored secret.  SQLite keeps up to ``PAGE_SIZE - 35`` bytes of a row in a B-tree page and may
#: leave copies of it there when it moves rows between pages, ``secure_delete`` or not.  What lies behind is in overflow
#: pages, which never move and are overwritten when they are freed.
_PADDING: Final = bytes(PAGE_SIZE)
_PRAGMAS: Final = (
    f"page_size={PAGE_SIZE}",
    "journal_mode=WAL",
    "synchronous=FULL",
    "secure_delete=ON",
    "foreign_keys=ON",
    "trusted_schema=OFF",
    "temp_store=MEMORY",
)
#: How long a command waits for another one's transaction, seconds.
BUSY_SECONDS: Final = 5.0
#: Stores up to this size are checked whole before a node plays with them.
QUICK_CHECK_BYTES: Final = 64 << 20

_RECOVERY: Final = N_(
    "Nothing was changed. Copy the data directory to a safe place, then run: doko doctor --salvage. It keeps the old "
    "file and saves what can be read into a new one; what an open match lacks then comes back from the other players."
)
#: What SQLite's errors are in Python: a message that quotes a damaged schema may be no text.
SQLITE_ERRORS: Final = (sqlite3.Error, UnicodeDecodeError)
#: SQLite's primary result code -> (what, what to do).
_WORDS: Final[dict[int, tuple[str, str]]] = {
    sqlite3.SQLITE_FULL: (
        N_("The disk with {path} is full."),
        N_("Free some space and start again; everything that was said to be saved is there."),
    ),
    sqlite3.SQLITE_IOERR: (
        N_("The disk failed at {path}."),
        N_("Check the disk and its free space, then start again; everything that was said to be saved is there."),
    ),
    sqlite3.SQLITE_CORRUPT: (N_("The store {path} is damaged."), _RECOVERY),
    sqlite3.SQLITE_NOTADB: (N_("{path} is not a store of doko, or its beginning is damaged."), _RECOVERY),
    sqlite3.SQLITE_CANTOPEN: (N_("The store {path} cannot be opened."), N_("Check the permissions of its directory.")),
    sqlite3.SQLITE_PERM: (N_("No permission for the store {path}."), N_("Check who owns it and its permissions.")),
    sqlite3.SQLITE_READONLY: (
        N_("The store {path} cannot be written."),
        N_("Check its permissions and those of its directory."),
    ),
    sqlite3.SQLITE_BUSY: (
        N_("The store {path} is held by another program."),
        N_("Wait a moment, close the other program and try again."),
    ),
    sqlite3.SQLITE_LOCKED: (N_("The store {path} is locked."), N_("Try again.")),
    sqlite3.SQLITE_NOMEM: (N_("Not enough memory for the store {path}."), N_("Close other programs and try again.")),
}


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A match: ``setup`` is whatever the session needs to build the table again; times are seconds since 1970."""

    match: bytes
    identity: bytes
    seat: int
    setup: bytes
    state: str
    reason: str
    begun: float
    ended: float | None


@dataclass(frozen=True, slots=True)
class HandRow:
    """A finished hand: ``hand`` counts from 1; ``record`` is its text (record format); ``points`` and ``money`` (cents)
    by seat, ``kitty`` cents."""

    match: bytes
    deal: int
    hand: int
    forehand: int
    contract: str
    value: int
    kitty: int
    record: str
    played: float
    points: tuple[int, ...]
    money: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """One booking: ``account`` is an identity key in hexadecimal, or ``kitty:NAME``; ``cents`` > 0: is owed money."""

    account: str
    name: str
    currency: str
    cents: int
    points: int = 0
    note: str = ""
    kind: str = "match"
    match: bytes | None = None
    booked: float = 0.0


@dataclass(frozen=True, slots=True)
class ContactRow:
    """A friend: ``addresses`` newest first, ``seen`` the last contact or ``None``."""

    key: bytes
    nickname: str
    note: str
    blocked: bool
    added: float
    seen: float | None
    addresses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class InviteRow:
    """An invitation made here; its token is a key until it is used."""

    token: bytes = field(repr=False)
    note: str
    made: float
    expires: float
    used: float | None
    used_by: bytes | None


class StoreConflict(Exception):
    """Two different payloads for one place of a log: a bug, or a store that was rolled back.  Nothing was changed.

    Whoever signs here must stop: sending the second would be equivocation.
    """


class StoreClosed(Exception):
    """The store was closed."""


class Store:
    """One open store; make it with :func:`open_store`."""

    def __init__(
        self, path: Path, connection: sqlite3.Connection, lock: Lock | None, clock: Callable[[], float]
    ) -> None:
        self.path = path
        self._connection: sqlite3.Connection | None = connection
        self._lock = lock
        self._clock = clock
        self._mutex = threading.RLock()
        self._erasure_due = False

    # -- machinery

    @property
    def exclusive(self) -> bool:
        """Whether this process has the data directory for itself."""
        return self._lock is not None

    def close(self) -> None:
        """Finish a due erasure, close the file and free the lock; again is no error."""
        with self._mutex:
            connection, self._connection = self._connection, None
            try:
                if connection is not None:
                    with contextlib.suppress(sqlite3.Error):
                        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                    connection.close()
            except sqlite3.Error as error:
                raise explain_sqlite(error, self.path) from error
            finally:
                if self._lock is not None:
                    self._lock.release()
                    self._lock = None

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    @contextlib.contextmanager
    def _read(self) -> Iterator[sqlite3.Connection]:
        with self._mutex:
            if self._connection is None:
                raise StoreClosed(str(self.path))
            try:
                yield self._connection
            except SQLITE_ERRORS as error:
                raise explain_sqlite(error, self.path) from error

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing; an error of the disk becomes a :class:`DokoError` after the roll-back."""
        with self._read() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
                raise

    def _truncate_log(self, connection: sqlite3.Connection) -> None:
        """Cut the write-ahead log off: no erased secret stays in it.  Tried again later if a reader is in the way."""
        busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        self._erasure_due = bool(busy)

    # -- matches

    def add_match(self, match: bytes, identity: bytes, seat: int, setup: bytes) -> None:
        """Remember a match before anything is signed for it; the same again is no change."""
        with self.transaction() as db:
            row = db.execute("SELECT identity, seat, setup FROM matches WHERE match = ?", (match,)).fetchone()
            if row is None:
                db.execute(
                    "INSERT INTO matches (match, identity, seat, setup, begun) VALUES (?, ?, ?, ?, ?)",
                    (match, identity, seat, setup, self._clock()),
                )
            elif row != (identity, seat, setup):
                raise StoreConflict(f"match {match.hex()[:16]} is known with another setup")

    def matches(self, state: str | None = None) -> list[MatchRow]:
        """All matches (or those ``open``, ``finished``, ``given-up``), oldest first."""
        with self._read() as db:
            rows = db.execute(
                "SELECT match, identity, seat, setup, state, reason, begun, ended FROM matches "
                "WHERE ?1 IS NULL OR state = ?1 ORDER BY begun, match",
                (state,),
            ).fetchall()
        return [MatchRow(*row) for row in rows]

    def match(self, match: bytes) -> MatchRow | None:
        """One match."""
        with self._read() as db:
            row = db.execute(
                "SELECT match, identity, seat, setup, state, reason, begun, ended FROM matches WHERE match = ?",
                (match,),
            ).fetchone()
        return None if row is None else MatchRow(*row)

    def persist(self, match: bytes, effect: Persist) -> None:
        """Make the entries and secrets of *effect* durable in one transaction; a secret of ``None`` is erased.

        An entry that is there already is left alone (its first signature stays); another payload for its place raises
        :class:`StoreConflict`.  After an erasure the write-ahead log is truncated.
        """
        with self.transaction() as db:
            for entry in effect.entries:
                self._insert_entry(db, match, entry)
            for name, value in effect.secrets:
                if value is None:
                    db.execute("DELETE FROM secrets WHERE match = ? AND name = ?", (match, name))
                else:
                    db.execute(
                        "INSERT INTO secrets (match, name, value) VALUES (?, ?, ?) "
                        "ON CONFLICT (match, name) DO UPDATE SET value = excluded.value",
                        (match, name, _PADDING + value),
                    )
        if self._erasure_due or any(value is None for _name, value in effect.secrets):
            with self._read() as db:
                self._truncate_log(db)

    @staticmethod
    def _insert_entry(db: sqlite3.Connection, match: bytes, entry: StoredEntry) -> None:
        place = (match, entry.chain, entry.deal, entry.seat, entry.seq)
        inserted = db.execute(
            "INSERT INTO entries (match, chain, deal, seat, number, kind, hash, payload, signature) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (*place, entry.kind, entry.hash, entry.payload, entry.signature),
        ).rowcount
        if not inserted:
            same = db.execute(
                "SELECT 1 FROM entries WHERE match = ? AND chain = ? AND deal = ? AND seat = ? AND number IS ? "
                "AND payload = ?",
                (*place, entry.payload),
            ).fetchone()
            # a row with this very hash and another payload is one whose bytes have changed on the disk
            mended = (
                same is None
                and db.execute(
                    "UPDATE entries SET payload = ?, signature = ? WHERE match = ? AND hash = ?",
                    (entry.payload, entry.signature, match, entry.hash),
                ).rowcount
            )
            if same is None and not mended:
                raise StoreConflict(f"seat {entry.seat} has another entry {entry.chain}/{entry.deal}/{entry.seq}")

    def load(self, match: bytes) -> Stored:
        """The log of *match* in the order in which it was stored, and the secrets that are not erased."""
        with self._read() as db:
            rows = db.execute(
                "SELECT hash, chain, deal, seat, number, kind, payload, signature FROM entries "
                "WHERE match = ? ORDER BY sequence",
                (match,),
            ).fetchall()
            secrets = db.execute("SELECT name, value FROM secrets WHERE match = ? ORDER BY name", (match,)).fetchall()
        return Stored(
            tuple(StoredEntry(*row) for row in rows), {name: value[len(_PADDING) :] for name, value in secrets}
        )

    def finish_match(
        self,
        match: bytes,
        settlement: bytes,
        *,
        file: str = "",
        ledger: Sequence[LedgerRow] = (),
        hands: Sequence[HandRow] = (),
    ) -> None:
        """Close *match* with its settlement and bookings and erase its secrets, all or nothing.

        May be repeated (a settlement that has got one more signature takes the place of the old one; nothing is
        booked twice).
        """
        now = self._clock()
        with self.transaction() as db:
            db.execute(
                "UPDATE matches SET state = 'finished', ended = coalesce(ended, ?) WHERE match = ?",
                (now, match),
            )
            db.execute(
                "INSERT INTO settlements (match, document, file, made) VALUES (?, ?, ?, ?) "
                "ON CONFLICT (match) DO UPDATE SET document = excluded.document, file = excluded.file",
                (match, settlement, file, now),
            )
            for hand in hands:
                self._insert_hand(db, hand)
            for row in ledger:
                db.execute(
                    "INSERT INTO ledger (kind, match, booked, account, name, currency, cents, points, note) "
                    "VALUES ('match', ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                    (match, row.booked or now, row.account, row.name, row.currency, row.cents, row.points, row.note),
                )
            db.execute("DELETE FROM secrets WHERE match = ?", (match,))
        with self._read() as db:
            self._truncate_log(db)

    def note_stop(self, match: bytes, reason: str, evidence: bytes | None = None) -> None:
        """Note why the table of *match* stopped, with the evidence file if there is one; the match stays open."""
        with self.transaction() as db:
            db.execute("UPDATE matches SET reason = ? WHERE match = ?", (reason, match))
            if evidence is not None:
                db.execute(
                    "INSERT INTO evidence (match, document, reason, made) SELECT ?1, ?2, ?3, ?4 WHERE NOT EXISTS "
                    "(SELECT 1 FROM evidence WHERE match = ?1 AND document = ?2)",
                    (match, evidence, reason, self._clock()),
                )

    def give_up(self, match: bytes, reason: str) -> None:
        """Close an open *match* without a settlement, for good, and erase its secrets."""
        with self.transaction() as db:
            db.execute(
                "UPDATE matches SET state = 'given-up', reason = ?, ended = ? WHERE match = ? AND state = 'open'",
                (reason, self._clock(), match),
            )
            db.execute("DELETE FROM secrets WHERE match = ?", (match,))
        with self._read() as db:
            self._truncate_log(db)

    @staticmethod
    def _insert_hand(db: sqlite3.Connection, hand: HandRow) -> None:
        db.execute(
            "INSERT INTO hands (match, deal, hand, forehand, contract, value, points, money, kitty, record, played) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (
                hand.match,
                hand.deal,
                hand.hand,
                hand.forehand,
                hand.contract,
                hand.value,
                " ".join(map(str, hand.points)),
                " ".join(map(str, hand.money)),
                hand.kitty,
                hand.record,
                hand.played,
            ),
        )

    def add_hand(self, hand: HandRow) -> None:
        """Remember a finished hand; the same deal again is no change."""
        with self.transaction() as db:
            self._insert_hand(db, hand)

    def hands(self, match: bytes | None = None) -> list[HandRow]:
        """Finished hands (of one match), oldest first."""
        with self._read() as db:
            rows = db.execute(
                "SELECT match, deal, hand, forehand, contract, value, kitty, record, played, points, money FROM hands "
                "WHERE ?1 IS NULL OR match = ?1 ORDER BY played, match, deal",
                (match,),
            ).fetchall()
        return [HandRow(*(*row[:9], _integers(row[9]), _integers(row[10]))) for row in rows]

    def settlement(self, match: bytes) -> bytes | None:
        """The settlement file of *match*, byte for byte."""
        with self._read() as db:
            row = db.execute("SELECT document FROM settlements WHERE match = ?", (match,)).fetchone()
        return None if row is None else row[0]

    def settlement_file(self, match: bytes) -> str:
        """Where the settlement of *match* was written, empty if nowhere."""
        with self._read() as db:
            row = db.execute("SELECT file FROM settlements WHERE match = ?", (match,)).fetchone()
        return "" if row is None else str(row[0])

    def evidence(self, match: bytes) -> list[tuple[str, bytes]]:
        """(reason, file) of every breach proven in *match*."""
        with self._read() as db:
            return db.execute("SELECT reason, document FROM evidence WHERE match = ? ORDER BY id", (match,)).fetchall()

    # -- ledger

    def ledger(self) -> list[LedgerRow]:
        """Every booking, oldest first."""
        with self._read() as db:
            rows = db.execute(
                "SELECT account, name, currency, cents, points, note, kind, match, booked FROM ledger ORDER BY id"
            ).fetchall()
        return [LedgerRow(*row) for row in rows]

    def book_payment(
        self, payer: tuple[str, str], payee: tuple[str, str], currency: str, cents: int, note: str = ""
    ) -> None:
        """Note that *payer* has paid *payee* (each ``(account, name)``) *cents* (> 0)."""
        if cents <= 0 or payer[0] == payee[0]:
            raise ValueError(cents)
        now = self._clock()
        with self.transaction() as db:
            for (account, name), change in ((payer, cents), (payee, -cents)):
                db.execute(
                    "INSERT INTO ledger (kind, booked, account, name, currency, cents, note) "
                    "VALUES ('payment', ?, ?, ?, ?, ?, ?)",
                    (now, account, name, currency, change, note),
                )

    # -- contacts

    def contacts(self) -> list[ContactRow]:
        """All friends by nickname."""
        with self._read() as db:
            rows = db.execute("SELECT key, nickname, note, blocked, added, seen FROM contacts").fetchall()
            addresses: dict[bytes, list[str]] = {}
            for key, address in db.execute(
                "SELECT key, address FROM addresses ORDER BY max(coalesce(worked, 0), learnt) DESC, address"
            ):
                addresses.setdefault(key, []).append(address)
        found = [
            ContactRow(key, nickname, note, bool(blocked), added, seen, tuple(addresses.get(key, ())))
            for key, nickname, note, blocked, added, seen in rows
        ]
        return sorted(found, key=lambda row: (row.nickname.casefold(), row.key))

    def put_contact(
        self, key: bytes, nickname: str | None = None, note: str | None = None, blocked: bool | None = None
    ) -> None:
        """Add the friend *key* or change what is given (not ``None``)."""
        with self.transaction() as db:
            db.execute(
                "INSERT INTO contacts (key, nickname, note, blocked, added) VALUES (?, ?, ?, ?, ?) "
                "ON CONFLICT (key) DO NOTHING",
                (key, nickname or "", note or "", int(blocked or False), self._clock()),
            )
            for column, value in (
                ("nickname", nickname),
                ("note", note),
                ("blocked", None if blocked is None else int(blocked)),
            ):
                if value is not None:
                    db.execute(f"UPDATE contacts SET {column} = ? WHERE key = ?", (value, key))  # noqa: S608

    def remove_contact(self, key: bytes) -> bool:
        """Forget the friend *key*; whether there was one."""
        with self.transaction() as db:
            return db.execute("DELETE FROM contacts WHERE key = ?", (key,)).rowcount > 0

    def saw_contact(self, key: bytes, address: str | None = None, *, worked: bool = True) -> None:
        """Note a contact with the friend *key* now, and the address it *worked* at (or was told).

        Strangers are not noted.
        """
        now = self._clock()
        with self.transaction() as db:
            if worked:
                db.execute("UPDATE contacts SET seen = ? WHERE key = ?", (now, key))
            if address is not None:
                db.execute(
                    "INSERT INTO addresses (key, address, learnt, worked) "
                    "SELECT key, ?, ?, ? FROM contacts WHERE key = ? "
                    "ON CONFLICT (key, address) DO UPDATE SET worked = coalesce(excluded.worked, worked)",
                    (address, now, now if worked else None, key),
                )

    def set_addresses(self, key: bytes, addresses: Iterable[str]) -> None:
        """Replace what is known of the addresses of *key*."""
        now = self._clock()
        with self.transaction() as db:
            db.execute("DELETE FROM addresses WHERE key = ?", (key,))
            for rank, address in enumerate(dict.fromkeys(addresses)):
                db.execute(
                    "INSERT INTO addresses (key, address, learnt) SELECT key, ?, ? FROM contacts WHERE key = ?",
                    (address, now - rank * 1e-3, key),
                )

    # -- invitations

    def add_invite(self, token: bytes, expires: float, note: str = "") -> None:
        """Remember an invitation with its *token* (16 bytes) until *expires*."""
        with self.transaction() as db:
            db.execute(
                "INSERT INTO invites (token, note, made, expires) VALUES (?, ?, ?, ?)",
                (token, note, self._clock(), expires),
            )

    def invites(self) -> list[InviteRow]:
        """All invitations, oldest first."""
        with self._read() as db:
            rows = db.execute(
                "SELECT token, note, made, expires, used, used_by FROM invites ORDER BY made, token"
            ).fetchall()
        return [InviteRow(*row) for row in rows]

    def live_tokens(self) -> list[bytes]:
        """The tokens that are neither used nor expired."""
        with self._read() as db:
            rows = db.execute(
                "SELECT token FROM invites WHERE used IS NULL AND expires > ?", (self._clock(),)
            ).fetchall()
        return [row[0] for row in rows]

    def use_invite(self, token: bytes, by: bytes) -> bool:
        """Use *token* up for the identity *by*; false if it is unknown, used (by another) or expired."""
        now = self._clock()
        with self.transaction() as db:
            return (
                db.execute(
                    "UPDATE invites SET used = coalesce(used, ?), used_by = ? "
                    "WHERE token = ? AND (used_by = ? OR (used IS NULL AND expires > ?))",
                    (now, by, token, by, now),
                ).rowcount
                > 0
            )

    def drop_invite(self, token: bytes) -> bool:
        """Withdraw an invitation; whether there was one."""
        with self.transaction() as db:
            return db.execute("DELETE FROM invites WHERE token = ?", (token,)).rowcount > 0

    # -- health

    def data_version(self) -> int:
        """A number that is another one as soon as another command has changed the store; our own changes do not count.

        Cheap: no page of the file is read.
        """
        with self._read() as db:
            return int(db.execute("PRAGMA data_version").fetchone()[0])

    def check(self) -> list[str]:
        """What SQLite's full check finds wrong; empty: the store is whole."""
        with self._read() as db:
            found = [str(row[0]) for row in db.execute("PRAGMA integrity_check(20)")]
            found += [f"foreign key: {row[0]} {row[1]}" for row in db.execute("PRAGMA foreign_key_check")]
        return [] if found == ["ok"] else [line for line in found if line != "ok"]

    @property
    def schema_version(self) -> int:
        """The version of the schema in the file."""
        with self._read() as db:
            return _version(db)


def _integers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split()))


def explain_sqlite(error: Exception, path: Path) -> DokoError:
    """*error* (one of :data:`SQLITE_ERRORS`) of the store *path* in words (exit code 3)."""
    code = getattr(error, "sqlite_errorcode", None) or 0
    if isinstance(error, UnicodeDecodeError):
        code = sqlite3.SQLITE_CORRUPT
    words = _WORDS.get(code & 0xFF)
    if words is None:
        return DokoError(
            _("The store {path} failed: {reason}.").format(path=path, reason=error),
            _("Run: doko doctor"),
            EXIT_ENVIRONMENT,
        )
    return DokoError(_(words[0]).format(path=path), _(words[1]), EXIT_ENVIRONMENT)


def _version(db: sqlite3.Connection) -> int:
    """The schema version in the file, 0 for a new one."""
    known = db.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'schema_version'").fetchone()
    if known is None:
        return 0
    row = db.execute("SELECT max(version) FROM schema_version").fetchone()
    return int(row[0] or 0)


def migrate(
    db: sqlite3.Connection, path: Path, clock: Callable[[], float] = time.time, to: int = SCHEMA_VERSION
) -> None:
    """Bring the schema up to version *to*, all steps in one transaction.

    Raises :class:`DokoError` for a store of a newer program or of another one.
    """
    application = db.execute("PRAGMA application_id").fetchone()[0]
    if application not in (0, APPLICATION_ID) or (
        application == 0 and db.execute("SELECT 1 FROM sqlite_master").fetchone()
    ):
        raise DokoError(
            _("{path} is a database of another program.").format(path=path),
            _("Move it away or choose another data directory with --data DIR."),
            EXIT_ENVIRONMENT,
        )
    if _version(db) == to:
        return
    db.execute("BEGIN EXCLUSIVE")
    try:
        version = _version(db)  # again: another process may have been faster
        if version > to:
            raise DokoError(
                _("The store {path} was made by a newer doko (schema {theirs}; this program knows {ours}).").format(
                    path=path, theirs=version, ours=to
                ),
                _("Use the newer program; nothing was changed."),
                EXIT_ENVIRONMENT,
            )
        if version == 0:
            db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            db.execute(
                "CREATE TABLE schema_version "
                "(version INTEGER PRIMARY KEY, applied REAL NOT NULL, program TEXT NOT NULL) STRICT"
            )
        for number in range(version, to):
            for statement in MIGRATIONS[number]:
                db.execute(statement)
            db.execute("INSERT INTO schema_version VALUES (?, ?, ?)", (number + 1, clock(), __version__))
        db.execute("COMMIT")
    except BaseException:
        with contextlib.suppress(sqlite3.Error):
            if db.in_transaction:
                db.execute("ROLLBACK")
        raise


def _connect(path: Path) -> sqlite3.Connection:
    """An open connection with the pragmas set; the file is created with mode 600."""
    if sqlite3.sqlite_version_info < SQLITE_NEEDED:
        raise DokoError(
            _("SQLite {version} is too old; doko needs {needed}.").format(
                version=sqlite3.sqlite_version, needed=".".join(map(str, SQLITE_NEEDED))
            ),
            _("Use a newer Python."),
            EXIT_ENVIRONMENT,
        )
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, PRIVATE_FILE))
    except OSError as error:
        raise explain(error, path, _("Could not open the store.")) from error
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        for pragma in _PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")
    except BaseException:
        connection.close()
        raise
    return connection


def open_store(
    path: Path,
    *,
    exclusive: bool = False,
    lock_path: Path | None = None,
    clock: Callable[[], float] = time.time,
    connect: Callable[[Path], sqlite3.Connection] = _connect,
) -> Store:
    """Open (or make) the store *path* and bring its schema up to date.

    ``exclusive``: take the data directory's lock (*lock_path*, default ``lock`` beside the store) first, as a node
    that plays must.  Raises :class:`DokoError` in words: in use (with the process id), full disk, damaged, newer
    schema, no permission.
    """
    lock: Lock | None = None
    connection: sqlite3.Connection | None = None
    try:
        if exclusive:
            lock = acquire(lock_path or path.with_name("lock"), _("The data directory {path}").format(path=path.parent))
        connection = connect(path)
        migrate(connection, path, clock)
        if exclusive and path.stat().st_size <= QUICK_CHECK_BYTES:
            found: Any = connection.execute("PRAGMA quick_check(1)").fetchone()
            if found[0] != "ok":
                raise DokoError(_(_WORDS[sqlite3.SQLITE_CORRUPT][0]).format(path=path), _(_RECOVERY), EXIT_ENVIRONMENT)
    except BaseException as error:
        if connection is not None:
            connection.close()
        if lock is not None:
            lock.release()
        if isinstance(error, SQLITE_ERRORS):
            raise explain_sqlite(error, path) from error
        raise
    return Store(path, connection, lock, clock)
