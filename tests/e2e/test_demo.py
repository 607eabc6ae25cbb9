"""``doko demo``: four processes, one match, four equal settlements; nobody stays behind."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from node.errors import EXIT_OK, EXIT_USAGE
from protocol.table.verify import verify
from tests.e2e.processes import COMMAND, PATIENCE


def demo(*args: str, data: Path, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*COMMAND, "--data", str(data), "demo", *args],
        capture_output=True,
        timeout=PATIENCE * 2,
        env={**os.environ, "DOKO_LANG": "en", **(env or {})},
        check=False,
    )


def nodes_of(out: Path) -> list[int]:
    """Process ids of nodes that work in *out*."""
    found = []
    for directory in Path("/proc").iterdir():
        if directory.name.isdigit():
            try:
                command = (directory / "cmdline").read_bytes()
            except OSError:
                continue
            if str(out).encode() in command and b"\0table\0" in command:
                found.append(int(directory.name))
    return found


@pytest.mark.slow
def test_json_ends_with_one_line_that_tells_all(tmp_path: Path) -> None:
    out = tmp_path / "out"
    args = ("--level", "random", "--mode", "four-fixed", "--stake", "50", "--fee", "250", "--json", "--out", str(out))
    done = demo(*args, data=tmp_path / "data")
    assert done.returncode == EXIT_OK, done.stderr
    [line] = done.stdout.decode().splitlines()
    told = json.loads(line)
    assert set(told) == {"settlements", "points", "money", "kitty", "deal_ms", "hand_ms"}
    files = [Path(path).read_bytes() for path in told["settlements"]]
    assert len(files) == 4
    assert len(set(files)) == 1
    verdict = verify(files[0])
    assert verdict.problem == ""
    assert list(verdict.points) == told["points"]
    assert list(verdict.money) == told["money"]
    assert verdict.kitty == told["kitty"]
    assert sum(told["points"]) == 0
    assert sum(told["money"]) + told["kitty"] == 0
    assert len(told["deal_ms"]) == len(told["hand_ms"]) == 4
    assert nodes_of(out) == []


@pytest.mark.slow
def test_watch_tells_the_whole_match_as_text(tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = demo("--level", "random", "--watch", "--out", str(out), data=tmp_path / "data")
    assert done.returncode == EXIT_OK, done.stderr
    text = done.stdout.decode()
    for name in ("Anna", "Bruno", "Carla", "Dora"):
        assert text.count(name) > 12
    for word in ("shuffle", "barrier", "Hand 1 of 1", "forehand", "R24", "R28", "doko verify"):
        assert word in text
    assert sum(line.lstrip().split(" ")[0].isdigit() and "→" in line for line in text.splitlines()) == 12
    assert "\x1b" not in text  # no colours in a pipe
    shuffle = text.index("shuffle  ")
    assert shuffle < text.index("barrier  ") < text.index("Hand 1 of 1")


@pytest.mark.slow
def test_ascii_output_for_an_encoding_without_suit_symbols(tmp_path: Path) -> None:
    out = tmp_path / "out"
    env = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = demo("--level", "random", "--out", str(out), data=tmp_path / "data", env=env)
    assert done.returncode == EXIT_OK, done.stderr
    assert done.stdout.isascii()
    assert b"->" in done.stdout


@pytest.mark.slow
def test_several_matches_one_after_another(tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = demo("--level", "random", "--matches", "2", "--json", "--out", str(out), data=tmp_path / "data")
    assert done.returncode == EXIT_OK, done.stderr
    told = json.loads(done.stdout)
    assert len(told["settlements"]) == 8
    assert len(told["deal_ms"]) >= 2
    matches = {verify(Path(path).read_bytes()).match for path in told["settlements"]}
    assert len(matches) == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--level", "grandmaster"), "beginner"),
        (("--mode", "four-fixed", "--limit", "100"), "no limit"),
        (("--fee", "2501"), "2500"),
        (("--stake", "0"), "stake"),
    ],
)
def test_bad_options_are_refused_before_anything_starts(args: tuple[str, ...], words: str, tmp_path: Path) -> None:
    done = demo(*args, "--out", str(tmp_path / "out"), data=tmp_path / "data")
    assert done.returncode == EXIT_USAGE
    assert words in done.stderr.decode()
    assert b"Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()


def start(out: Path, data: Path) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [*COMMAND, "--data", str(data), "demo", "--delay", "1", "--out", str(out)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "DOKO_LANG": "en"},
    )
    assert process.stdout is not None
    for line in process.stdout:  # the match has begun
        if b"Deal 1" in line:
            return process
    raise AssertionError("the demo ended")


def wait_until_gone(out: Path) -> None:
    end = time.monotonic() + PATIENCE
    while nodes_of(out):
        assert time.monotonic() < end, "nodes were left behind"
        time.sleep(0.05)  # the kernel tells nobody about processes that are not our children


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_stops_all_five_processes(number: int, code: int, tmp_path: Path) -> None:
    out = tmp_path / "out"
    process = start(out, tmp_path / "data")
    try:
        assert len(nodes_of(out)) == 4
        process.send_signal(number)
        _text, errors = process.communicate(timeout=PATIENCE)
        assert process.returncode == code
        assert b"Traceback" not in errors
        assert nodes_of(out) == []
    finally:
        process.kill()
        process.wait()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_killed_parent_leaves_no_orphans(tmp_path: Path) -> None:
    out = tmp_path / "out"
    process = start(out, tmp_path / "data")
    assert len(nodes_of(out)) == 4
    process.kill()
    process.communicate()
    wait_until_gone(out)
