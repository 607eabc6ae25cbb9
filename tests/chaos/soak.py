"""``kill -9`` on real processes: ``python -m tests.chaos.soak --kills 40``.

Matches of four ordinary node processes on loopback TCP with real stores.  At random events one, two, three or all four
are killed at once and started again as a person would (``doko table resume``).  Each match has to end in four
settlements that verify; then all that the four stores hold is compared: no seat has signed two payloads for one place,
no commitment of a proof was answered twice.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

from node.paths import Paths
from node.plan import unpack_plan
from node.store import open_store
from protocol.table.entries import read_entry
from tests.chaos.watch import Watch
from tests.e2e.processes import Four, four_nodes
from tests.e2e.test_kill import finish, kill_and_restart

#: How many are killed at once, in turn.
SIZES: Final = (1, 4, 1, 2, 1, 3, 1, 4)


def compare_stores(home: Path) -> int:
    """Look through the four stores of one match; the number of commitments seen."""
    world: Any = SimpleNamespace(setups=[])
    watch = Watch(world)
    for number in range(1, 5):
        with open_store(Paths(home / f"node{number}").store) as store:
            (row,) = store.matches()
            world.setups = world.setups or [unpack_plan(row.setup).setup]
            stored = store.load(row.match)
            assert not stored.secrets, "secrets outlive the match"
            for entry in stored.entries:
                watch.see(read_entry(entry.payload, entry.signature))
    return watch.nonces()


def match(seed: int, rounds: int, home: Path) -> Counter[int]:
    """One match with so many occasions of killing; how often how many were killed at once."""
    chance = random.Random(f"soak {seed}")
    made: Counter[int] = Counter()
    with four_nodes(home) as four:
        for number in range(rounds):
            if not _wait(four, chance):
                break
            size = SIZES[(seed * rounds + number) % len(SIZES)]
            kill_and_restart(four, tuple(chance.sample(range(4), size)))
            made[size] += 1
        finish(four)
        for node in four.nodes:
            node.end()
            assert "Traceback" not in node.errors, node.errors
    compare_stores(home)
    return made


def _wait(four: Four, chance: random.Random) -> bool:
    """Let some events pass at one node; False if the match is over."""
    watched = four.nodes[chance.randrange(4)]
    for _ in range(chance.randrange(1, 30)):
        if any(line["event"] in ("settled", "hand-over") for line in watched.lines):
            return False
        watched.wait_for(lambda line: True)
    return not any(line["event"] in ("settled", "hand-over") for node in four.nodes for line in node.lines)


def main(argv: list[str] | None = None) -> int:
    """Matches until so many processes were killed."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.soak", description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=40, help="processes to kill")
    parser.add_argument("--first", type=int, default=0, help="first seed")
    options = parser.parse_args(argv)
    made: Counter[int] = Counter()
    failed: list[int] = []
    begun = time.monotonic()
    matches = 0
    while sum(size * count for size, count in made.items()) < options.kills and len(failed) < 3:
        seed = options.first + matches
        matches += 1
        with tempfile.TemporaryDirectory() as home:
            try:
                made += match(seed, 3, Path(home))
            except Exception as error:
                failed.append(seed)
                print(f"FAILED {seed}: {type(error).__name__}: {str(error)[:1500]}", flush=True)
        print(f"{matches} matches, killed at once: {dict(made)}, {time.monotonic() - begun:.0f} s", flush=True)
    kills = sum(size * count for size, count in made.items())
    print(f"{matches} matches, {kills} kills ({dict(made)}), failed {failed}, {time.monotonic() - begun:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
