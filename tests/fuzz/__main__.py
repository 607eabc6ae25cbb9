"""``python -m tests.fuzz TARGET``: fuzz one target with atheris (the package's extra ``fuzz``)."""

import argparse
import importlib
import itertools
import os
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NoReturn

CORPUS = Path(__file__).parent / "corpus"
NAMES = ("frames", "message", "log", "records", "files")


def main() -> NoReturn:
    """Parse the command line and hand over to libFuzzer, which ends the process."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Coverage-guided fuzzing of one target.")
    parser.add_argument("target", choices=NAMES)
    parser.add_argument("--seconds", type=int, default=60, help="how long, in seconds of processor time (default: 60)")
    parser.add_argument("--corpus", type=Path, help="a directory new inputs are written to (default: none is kept)")
    parser.add_argument("--seed", type=int, default=1, help="libFuzzer's seed (default: 1)")
    parser.add_argument("--replay", type=Path, help="run this one input instead, as from a finding")
    args = parser.parse_args()
    if args.replay:
        importlib.import_module("tests.fuzz.targets").TARGETS[args.target](args.replay.read_bytes())
        raise SystemExit(0)
    try:
        atheris: Any = importlib.import_module("atheris")
    except ModuleNotFoundError:
        parser.error("atheris is missing: pip install -e '.[fuzz]'")
    with atheris.instrument_imports(include=["protocol"]):
        targets = importlib.import_module("tests.fuzz.targets")
    target, tried, started = targets.TARGETS[args.target], itertools.count(), time.monotonic()

    def one(data: bytes) -> None:
        next(tried)
        target(data)

    def end(*_: object) -> None:
        # libFuzzer's own limit is the clock on the wall, which says little on a machine that does other work too.
        used, wall = time.process_time(), time.monotonic() - started
        print(f"no finding: {next(tried):,} executions, {used:.0f} s of processor time, {wall:.0f} s", flush=True)
        if args.corpus is None:
            shutil.rmtree(new, ignore_errors=True)
        os._exit(0)

    signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, args.seconds)
    options = [f"-seed={args.seed}", "-timeout=120", "-rss_limit_mb=2048"]
    # Inputs are choices of what to change: from the start as long as allowed, not growing slowly.
    options += ["-max_len=4096", "-len_control=0"]
    # libFuzzer writes what is new into the first directory that it is given: never into the corpus of this folder.
    new = args.corpus or Path(tempfile.mkdtemp(prefix="doko-fuzz-"))
    new.mkdir(parents=True, exist_ok=True)
    atheris.Setup([sys.argv[0], *options, str(new), str(CORPUS / args.target)], one)
    atheris.Fuzz()
    raise SystemExit(0)


if __name__ == "__main__":
    main()
