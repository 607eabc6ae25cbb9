"""Whole matches in four processes, and an idle node: ``python -m tests.bench.bench_match``.

Starts ``doko demo`` (four nodes over loopback TCP) and reads what the nodes measured of themselves:

    deal           milliseconds from the first COMMIT to the opened hand, median and worst
    deal CPU       seconds of CPU of one node in that time, all its threads, median over nodes and deals
    hand           milliseconds from the opened hand to the closed RESULT
    held           the longest time that a node's own work held up its event loop, milliseconds
    late           the same with the time that a busy machine gave its cores to others

and then watches one node that waits at its table, through ``/proc``: resident memory and share of CPU.
With ``--strict`` the exit code is 1 if a target is missed.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.e2e.processes import COMMAND, NodeProcess

#: name -> the most it may be.
TARGETS = {
    "deal_ms": 1000.0,
    "deal_cpu_s": 0.25,
    "held_ms": 20.0,
    "idle_mb": 80.0,
    "idle_cpu_percent": 0.1,
}


def play(matches: int, level: str, home: Path) -> dict[str, float]:
    """Figures of *matches* matches of one hand."""
    command = [*COMMAND, "--data", str(home / "demo"), "demo", "--json", "--measure", "--out", str(home / "out")]
    done = subprocess.run(
        [*command, "--level", level, "--matches", str(matches)], stdout=subprocess.PIPE, check=True, text=True
    )
    told = json.loads(done.stdout.splitlines()[-1])
    cpu = [seconds for node in told["deal_cpu_s"] for seconds in node]
    return {
        "deals": len(told["deal_ms"]),
        "deal_ms": statistics.median(told["deal_ms"]),
        "deal_worst_ms": max(told["deal_ms"]),
        "deal_cpu_s": statistics.median(cpu),
        "hand_ms": statistics.median(told["hand_ms"]),
        "held_ms": max(told["held_ms"]),
        "late_ms": max(told["late_ms"]),
        "node_peak_mb": max(told["peak_mb"]),
    }


def idle(seconds: float, home: Path) -> dict[str, float]:
    """Memory and CPU of a node that waits for players."""
    args = ("table", "open", "--auto", "beginner", "--listen", "127.0.0.1:0", "--events", "--leash")
    node = NodeProcess(*args, data=home / "idle")
    try:
        node.event("listening")
        time.sleep(2)  # the last of the start
        before, begun = _cpu(node.process.pid), time.monotonic()
        time.sleep(seconds)
        used, lasted = _cpu(node.process.pid) - before, time.monotonic() - begun
        return {"idle_mb": _resident(node.process.pid), "idle_cpu_percent": 100 * used / lasted}
    finally:
        node.close()


def _cpu(pid: int) -> float:
    """Seconds of CPU of a process and all its threads so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _resident(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=20)
    parser.add_argument("--level", default="random")
    parser.add_argument("--idle", type=float, default=60.0, help="seconds to watch the idle node (0: not at all)")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--strict", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="doko-bench-") as name:
        home = Path(name)
        figures = play(options.matches, options.level, home)
        if options.idle:
            figures |= idle(options.idle, home)
    missed = [name for name, most in TARGETS.items() if figures.get(name, 0.0) > most]
    if options.json:
        print(json.dumps({**figures, "missed": missed}))
    else:
        load = os.getloadavg()[0]
        print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores, load {load:.1f}")
        for name, value in figures.items():
            target = f"  (at most {TARGETS[name]:g})" if name in TARGETS else ""
            print(f"{name:<18} {value:10.3f}{target}{'  MISSED' if name in missed else ''}")
    return 1 if missed and options.strict else 0


if __name__ == "__main__":
    sys.exit(main())
