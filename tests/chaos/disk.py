"""Damaged disks: ``python -m tests.chaos.disk`` kills a node that plays with a real SQLite store and spoils its files.

The files are taken as they are at the moment of the kill (the process still has them open), spoiled, and opened by the
code that a starting node uses; where that refuses, in words, ``doko doctor --salvage`` is called as it says.  Then the
match goes on as after any other loss (:func:`tests.chaos.crash.settle_or_say`).

======== ===============================================================================================================
damage   what is done to the files
======== ===============================================================================================================
log-cut  the write-ahead log ends anywhere: at a frame, in a frame, in a header, before its beginning
log-torn the second half of its last page is not what was written
log-gone it is not there
page     the second half of the last page of the database itself is not what was written (after a checkpoint)
short    the database ends in the middle of a page
rot      some bytes in the middle have changed: SQLite does not notice if they are in a value
======== ===============================================================================================================
"""

from __future__ import annotations

import argparse
import random
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from node.errors import DokoError
from node.salvage import salvage
from node.store import Store as RealStore
from node.store import StoreConflict, open_store
from protocol.table import effects
from protocol.table.effects import Stored, StoredEntry
from tests.chaos.crash import PATIENCE, VARIABLE, course, settle_or_say
from tests.chaos.world import ChaosWorld, FillingStore, FullDisk
from tests.table.net import SEATS

DAMAGES: Final = ("log-cut", "log-torn", "log-gone", "page", "short", "rot")
_WAL_HEADER: Final = 32
_FRAME: Final = 24 + 4_096


class SqliteStore(FillingStore):
    """What the world asks of a store, on a real one."""

    def __init__(self, path: Path, match: bytes, identity: bytes, seat: int) -> None:
        super().__init__()
        self.path = path
        self._match = match
        self._who = (match, identity, seat, b"setup")
        self.conflict = ""
        self.real: RealStore = open_store(path)
        self.real.add_match(*self._who)

    def persist(self, effect: effects.Persist) -> None:
        try:
            self.real.persist(self._match, effect)
        except StoreConflict as conflict:  # the session ends in words
            self.conflict = str(conflict)
            raise FullDisk from conflict
        super().persist(effect)

    def stored(self) -> Stored:
        return self.real.load(self._match)

    @property
    def entries(self) -> tuple[StoredEntry, ...]:
        return self.real.load(self._match).entries

    def spoil(self, damage: str, rng: random.Random, home: Path) -> str:
        """Move to a spoiled copy of the files in *home*; what the node says when it opens them ("": nothing)."""
        copy = home / "doko.db"
        names = ("doko.db", "doko.db-wal")
        raw = {name: (self.path.parent / name).read_bytes() for name in names}
        self.real.close()
        for name in names:
            (home / name).write_bytes(raw[name])
        if damage in ("page", "short", "rot"):
            with sqlite3.connect(copy) as whole:
                whole.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            whole.close()
        _spoil(damage, rng, copy, home / "doko.db-wal")
        words = ""
        try:
            self.real = open_store(copy, exclusive=True)
        except DokoError as error:
            words = str(error)
            if "--salvage" not in error.hint:
                raise
            salvage(copy, copy.with_name("lock"))
            self.real = open_store(copy, exclusive=True)
        self.path = copy
        if self.real.match(self._match) is None:
            words += " The match is not in what could be saved."
            self.real.add_match(*self._who)
        self._secrets = dict(self.real.load(self._match).secrets)
        return words


def _spoil(damage: str, rng: random.Random, database: Path, log: Path) -> None:
    raw = bytearray((log if damage.startswith("log") else database).read_bytes())
    match damage:
        case "log-cut":
            frames = (len(raw) - _WAL_HEADER) // _FRAME
            frame = _WAL_HEADER + rng.randrange(max(1, frames - 12), frames + 1) * _FRAME if frames > 0 else 0
            del raw[max(0, frame - rng.choice((0, 0, 1, 2_000, 4_096, _FRAME - 1))) :]
            if rng.random() < 0.1:
                del raw[rng.randrange(_WAL_HEADER) :]
        case "log-torn":
            raw[-2_048:] = rng.randbytes(2_048)
        case "log-gone":
            log.unlink()
            return
        case "page":
            raw[-2_048:] = rng.choice((bytes(2_048), rng.randbytes(2_048)))
        case "short":
            del raw[-rng.choice((2_048, 4_096, 6_000)) :]
        case _:
            at = rng.randrange(len(raw) // 4, len(raw) - 8)
            raw[at : at + 8] = rng.randbytes(8)
    (log if damage.startswith("log") else database).write_bytes(raw)


@dataclass(frozen=True)
class Case:
    """*seat* ends after its effect *step*; its files are damaged, by the dice of *seed*."""

    damage: str
    seat: int
    step: int
    seed: int

    def __str__(self) -> str:
        return f"{self.damage} {self.seat} {self.step} {self.seed}"


def cases(each: int) -> Iterator[Case]:
    """So many cases of each damage."""
    for damage in DAMAGES:
        for seed in range(each):
            rng = random.Random(f"{damage} {seed}")
            seat = rng.choice(SEATS)
            yield Case(damage, seat, rng.choice(course().persists[seat]) + rng.randrange(4), seed)


def run(case: Case, home: Path) -> str:
    """How it ended, in words; ``AssertionError`` if something is wrong."""
    seat = case.seat
    (home / "old").mkdir()
    (home / "new").mkdir()
    setup = ChaosWorld(1, **VARIABLE).setups[seat]
    real = SqliteStore(home / "old" / "doko.db", setup.match_id, setup.roster.players[seat].identity, seat)
    world = ChaosWorld(
        1,
        crashes={seat: case.step},
        back=1e9,
        arrives=True,
        stores=lambda each: real if each == seat else FillingStore(),
        **VARIABLE,
    )
    world.run(until=PATIENCE, stop=lambda: not world.nodes[seat].running)
    if world.nodes[seat].running:
        world.kill(seat)
    words = real.spoil(case.damage, random.Random(str(case)), home / "new")
    world.after(1.0, lambda: world.start_again(seat))
    try:
        end = settle_or_say(world, seat, lambda: real.conflict)
    finally:
        real.real.close()
    return f"{'salvaged, ' if words else ''}{end}"


def main(argv: list[str] | None = None) -> int:
    """Run cases, tell counts and failures."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.disk", description=__doc__.splitlines()[0])
    parser.add_argument("--each", type=int, default=60, help="cases of each damage")
    parser.add_argument("--case", help="one case, in the words in which a failure is told")
    options = parser.parse_args(argv)
    ends: dict[str, Counter[str]] = {}
    failed = 0
    begun = time.monotonic()
    for case in cases(options.each):
        if options.case and str(case) != options.case:
            continue
        with tempfile.TemporaryDirectory() as home:
            try:
                end = run(case, Path(home))
            except Exception as error:
                end = "FAILED"
                failed += 1
                print(f"FAILED {case}: {type(error).__name__}: {str(error)[:600]}", flush=True)
        ends.setdefault(case.damage, Counter())[end] += 1
    for damage, counts in ends.items():
        print(f"| {damage} | {sum(counts.values())} | {dict(counts)} |")
    print(f"{failed} failed, {time.monotonic() - begun:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
