"""The store: what was persisted is there, once; secrets that were erased are nowhere."""

import os
import random
import re
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from node.paths import Paths
from node.store import HandRow, LedgerRow, Store, StoreClosed, StoreConflict, open_store
from protocol.table.effects import Persist, StoredEntry

MATCH = b"m" * 32
ME = b"i" * 32


def entry(seq: int | None, payload: bytes = b"payload", *, seat: int = 0, signature: bytes = b"s" * 64) -> StoredEntry:
    """An entry of chain 1, deal 2 whose hash follows from its payload and place."""
    return StoredEntry(
        (payload + b"%d %d" % (seat, -1 if seq is None else seq)).ljust(32, b"."),
        1,
        2,
        seat,
        seq,
        7,
        payload,
        signature,
    )


@pytest.fixture
def match(store: Store) -> Store:
    """The store with one match in it."""
    store.add_match(MATCH, ME, 2, b"setup")
    return store


def test_settings_of_the_database(store: Store, paths: Paths) -> None:
    with store._read() as db:
        found = {
            name: db.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "synchronous", "secure_delete", "foreign_keys", "page_size")
        }
    assert found == {"journal_mode": "wal", "synchronous": 2, "secure_delete": 1, "foreign_keys": 1, "page_size": 4096}
    if os.name == "posix":
        for suffix in ("", "-wal", "-shm"):
            assert stat.S_IMODE(paths.store.with_name(paths.store.name + suffix).stat().st_mode) == 0o600


def test_match_is_remembered_and_repeated_without_change(match: Store) -> None:
    match.add_match(MATCH, ME, 2, b"setup")
    (row,) = match.matches("open")
    assert (row.match, row.identity, row.seat, row.setup, row.begun) == (MATCH, ME, 2, b"setup", 1000.0)
    assert match.match(MATCH) == row
    assert match.match(bytes(32)) is None
    with pytest.raises(StoreConflict):
        match.add_match(MATCH, ME, 2, b"another setup")


def test_entries_come_back_byte_for_byte_in_order(match: Store) -> None:
    entries = (entry(1, b"b"), entry(0, b"a"), entry(None, b"decision"), entry(None, b"other"), entry(0, b"a", seat=3))
    match.persist(MATCH, Persist(entries))
    assert match.load(MATCH).entries == entries


def test_entry_is_stored_once_with_its_first_signature(match: Store) -> None:
    match.persist(MATCH, Persist((entry(0, signature=b"1" * 64),)))
    match.persist(MATCH, Persist((entry(0, signature=b"2" * 64), entry(1, b"next"))))
    assert [one.signature[:1] for one in match.load(MATCH).entries] == [b"1", b"s"]


def test_second_payload_for_one_place_is_refused_and_nothing_changes(match: Store) -> None:
    match.persist(MATCH, Persist((entry(0),)))
    with pytest.raises(StoreConflict):
        match.persist(MATCH, Persist((entry(1, b"new"), entry(0, b"contradiction")), (("x", b"1"),)))
    assert match.load(MATCH).entries == (entry(0),)
    assert match.load(MATCH).secrets == {}


def test_secrets_are_set_changed_and_erased(match: Store) -> None:
    match.persist(MATCH, Persist((), (("a", b"1"), ("b", b""), ("c", bytes(9000)))))
    match.persist(MATCH, Persist((), (("a", b"2"), ("c", None), ("never there", None))))
    assert match.load(MATCH).secrets == {"a": b"2", "b": b""}


def test_secrets_are_not_in_any_repr(match: Store) -> None:
    match.persist(MATCH, Persist((), (("a", b"very secret"),)))
    assert "very secret" not in repr(match.load(MATCH))
    match.add_invite(b"sixteen secrets!", 2000.0)
    assert "sixteen" not in repr(match.invites())


MARK = re.compile(rb"<sec(.{12})", re.DOTALL)


def secret_value(chance: random.Random, size: int) -> bytes:
    """A value made of blocks of 16 bytes that carry a mark, so that every piece of it can be found again."""
    return b"".join(b"<sec" + chance.randbytes(12) for _block in range(size // 16))


def blocks(value: bytes) -> set[bytes]:
    """What is told apart in a secret value."""
    return set(MARK.findall(value))


def blocks_in_files(directory: Path) -> set[bytes]:
    """All blocks of secret values in any file of *directory*."""
    return set().union(*(blocks(path.read_bytes()) for path in directory.iterdir()))


def churn(store: Store, chance: random.Random, steps: int) -> tuple[dict[str, bytes], set[bytes]]:
    """Set, change and erase secrets of all sizes; what is still there and the blocks of all that is not."""
    live: dict[str, bytes] = {}
    gone: set[bytes] = set()
    for step in range(steps):
        changes: dict[str, bytes | None] = {}
        for number in range(chance.randrange(1, 6)):
            old = chance.choice(sorted(live)) if live and chance.random() < 0.6 else None
            name = old or f"deal/{chance.randrange(100)}/{step}/{number}"
            if name in changes:
                continue
            if old:
                gone |= blocks(live.pop(name))
            size = chance.choice([32, 32, 64, 208, 1536, 9008])
            value = None if old and chance.random() < 0.7 else secret_value(chance, size)
            changes[name] = value
            if value is not None:
                live[name] = value
        store.persist(MATCH, Persist((), tuple(changes.items())))
    store.persist(MATCH, Persist((), (("last", b"x" * 32),)))
    store.persist(MATCH, Persist((), (("last", None),)))
    return live, gone


# Without a page of zeros in front of each secret, 9, 13 and 44 leave traces in B-tree pages.
@pytest.mark.parametrize("seed", [0, 9, 13, 44])
def test_3_13_erased_secrets_are_in_no_file(match: Store, paths: Paths, seed: int) -> None:
    live, gone = churn(match, random.Random(seed), 120)
    assert len(gone) > 1000
    assert match.load(MATCH).secrets == live
    found = blocks_in_files(paths.data)
    assert found & gone == set()
    there = blocks(b"".join(live.values()))
    assert len(found & there) > len(there) * 0.9  # the search does find what is there (but for blocks across two pages)


def test_3_13_reader_in_the_way_delays_the_erasure_only(match: Store, paths: Paths) -> None:
    secret = secret_value(random.Random(5), 64)
    match.persist(MATCH, Persist((), (("a", secret),)))
    with open_store(paths.store) as reader, reader._read() as db:
        db.execute("BEGIN")
        db.execute("SELECT count(*) FROM secrets").fetchone()
        match._connection.execute("PRAGMA busy_timeout = 0")  # type: ignore[union-attr]
        match.persist(MATCH, Persist((), (("a", None),)))
        assert match.load(MATCH).secrets == {}
        assert blocks_in_files(paths.data) == blocks(secret)
        db.execute("COMMIT")
    match.persist(MATCH, Persist((entry(0),)))
    assert blocks_in_files(paths.data) == set()


@pytest.mark.parametrize("way", ["finish", "give up"])
def test_end_of_a_match_erases_its_secrets(match: Store, paths: Paths, way: str) -> None:
    secret = secret_value(random.Random(6), 64)
    match.persist(MATCH, Persist((entry(0),), (("a", secret),)))
    if way == "finish":
        match.finish_match(MATCH, b"settlement")
    else:
        match.give_up(MATCH, "nobody came back")
    assert blocks_in_files(paths.data) == set()
    assert match.load(MATCH).entries == (entry(0),)
    assert match.matches("open") == []


def test_settlement_books_once_and_takes_one_more_signature(match: Store) -> None:
    hand = HandRow(MATCH, 4, 1, 0, "normal", 2, 0, "{}", 999.0, (2, 2, -2, -2), (200, 200, -200, -200))
    rows = [LedgerRow("aa", "Anna", "EUR", 200, 2), LedgerRow("bb", "Bert", "EUR", -200, -2)]
    match.finish_match(MATCH, b"three signatures", file="here", ledger=rows, hands=[hand])
    match.finish_match(MATCH, b"four signatures", file="there", ledger=rows, hands=[hand])
    assert match.settlement(MATCH) == b"four signatures"
    assert match.settlement_file(MATCH) == "there"
    assert [(row.account, row.cents, row.match) for row in match.ledger()] == [("aa", 200, MATCH), ("bb", -200, MATCH)]
    assert match.hands() == match.hands(MATCH) == [hand]
    assert match.hands(bytes(32)) == []
    (row,) = match.matches("finished")
    assert row.ended == 1000.0


def test_stop_with_evidence_keeps_the_match_open(match: Store) -> None:
    match.persist(MATCH, Persist((), (("a", b"1"),)))
    match.note_stop(MATCH, "equivocation", b"evidence")
    match.note_stop(MATCH, "equivocation", b"evidence")
    match.note_stop(MATCH, "adjourned")
    assert match.evidence(MATCH) == [("equivocation", b"evidence")]
    assert [row.reason for row in match.matches("open")] == ["adjourned"]
    assert match.load(MATCH).secrets == {"a": b"1"}
    assert match.settlement(MATCH) is None
    assert match.settlement_file(MATCH) == ""


def test_invitation_is_used_once_by_one_friend(store: Store) -> None:
    store.add_invite(b"a" * 16, 2000.0, "for Anna")
    store.add_invite(b"b" * 16, 999.0)
    assert store.live_tokens() == [b"a" * 16]
    assert not store.use_invite(b"b" * 16, ME)  # expired
    assert not store.use_invite(b"c" * 16, ME)  # unknown
    assert store.use_invite(b"a" * 16, ME)
    assert store.use_invite(b"a" * 16, ME)  # the same friend, after a lost link
    assert not store.use_invite(b"a" * 16, b"x" * 32)
    assert store.live_tokens() == []
    used = {row.token: (row.used, row.used_by, row.note) for row in store.invites()}
    assert used == {b"a" * 16: (1000.0, ME, "for Anna"), b"b" * 16: (None, None, "")}
    assert store.drop_invite(b"b" * 16)
    assert not store.drop_invite(b"b" * 16)


def test_payment_needs_a_sum_and_two_people(store: Store) -> None:
    store.book_payment(("aa", "Anna"), ("bb", "Bert"), "EUR", 150, "cash")
    assert [(row.account, row.cents, row.kind) for row in store.ledger()] == [
        ("aa", 150, "payment"),
        ("bb", -150, "payment"),
    ]
    for payer, payee, cents in (("aa", "bb", 0), ("aa", "bb", -1), ("aa", "aa", 1)):
        with pytest.raises(ValueError):
            store.book_payment((payer, ""), (payee, ""), "EUR", cents)


def test_closed_store_says_so(paths: Paths) -> None:
    store = open_store(paths.store)
    store.close()
    store.close()
    with pytest.raises(StoreClosed):
        store.matches()


def test_threads_take_turns(match: Store) -> None:
    def work(seat: int) -> None:
        for seq in range(25):
            match.persist(MATCH, Persist((entry(seq, b"%d" % seq, seat=seat),), ((f"{seat}/{seq}", b"x"),)))

    threads = [threading.Thread(target=work, args=(seat,)) for seat in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = match.load(MATCH)
    assert len(found.entries) == len(found.secrets) == 100
    for seat in range(4):
        assert [one.seq for one in found.entries if one.seat == seat] == list(range(25))


FRIENDS = """
import sys
from pathlib import Path
from node.store import open_store
for number in range(15):
    with open_store(Path(sys.argv[1])) as store:
        store.put_contact(bytes([int(sys.argv[2]), number] * 16), f"friend {number}")
"""


def test_two_processes_keep_friends_beside_a_running_node(match: Store, paths: Paths) -> None:
    processes = [subprocess.Popen([sys.executable, "-c", FRIENDS, str(paths.store), str(n)]) for n in (1, 2)]
    for seq in range(20):
        match.persist(MATCH, Persist((entry(seq, b"%d" % seq),), (("a", None),)))
    assert [process.wait() for process in processes] == [0, 0]
    assert len(match.contacts()) == 30
    assert len(match.load(MATCH).entries) == 20


WRITER = """
import sys
from pathlib import Path
from node.store import open_store
from protocol.table.effects import Persist, StoredEntry
store = open_store(Path(sys.argv[1]), exclusive=True)
store.add_match(b"m" * 32, b"i" * 32, 0, b"setup")
for number in range(100_000):
    payload = b"%08d" % number * 12
    one = StoredEntry(payload[:32].ljust(32, b"."), 0, 0, 0, number, 1, payload, bytes(64))
    store.persist(b"m" * 32, Persist((one,), ((f"s{number}", payload), (f"s{number - 2}", None))))
    print(number, flush=True)
"""


@pytest.mark.parametrize("after", [1, 7, 40])
def test_what_was_persisted_survives_kill_9(paths: Paths, after: int) -> None:
    process = subprocess.Popen([sys.executable, "-c", WRITER, str(paths.store)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for _line in range(after):
        process.stdout.readline()
    process.kill()
    rest = process.communicate()[0].split()
    last = int(rest[-1]) if rest else after - 1
    with open_store(paths.store, exclusive=True) as store:
        found = store.load(MATCH)
        assert store.check() == []
    numbers = [one.seq for one in found.entries]
    assert numbers == list(range(len(numbers)))
    assert len(numbers) in (last + 1, last + 2)  # one more may have been durable before it could be said
    end = len(numbers) - 1
    assert set(found.secrets) == {f"s{n}" for n in (end - 1, end) if n >= 0}
