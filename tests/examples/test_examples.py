"""Every example runs as its docstring says and ends as it promises."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(name: str, *arguments: str, home: Path) -> str:
    """What an example prints; it must end with exit code 0 and say nothing on standard error."""
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name), *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=240,
        cwd=home,
        env={**os.environ, "DOKO_DATA": str(home), "DOKO_LANG": "en", "PYTHONIOENCODING": "utf-8"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("mode", ["variable", "four-fixed"])
def test_a_match_in_one_process_ends_with_a_settlement_that_verifies(mode: str, tmp_path: Path) -> None:
    told = run("match_in_one_process.py", mode, home=tmp_path)
    assert "it verifies" in told
    points = [int(found) for found in re.findall(r"([+-]\d+) points", told)]
    assert len(points) == 4
    assert sum(points) == 0
    assert told.count("(12)") == {"variable": 1, "four-fixed": 4}[mode]


def test_the_bot_of_the_example_plays_and_is_a_proper_policy(tmp_path: Path) -> None:
    assert re.search(r"miser: [+-]\d\.\d\d points a hand over 200 deals", run("write_a_bot.py", home=tmp_path))


def test_the_record_of_the_example_scores_as_the_real_game_did(tmp_path: Path) -> None:
    told = run("replay_record.py", home=tmp_path)
    assert "marriage, winner kontra, value 5, points [-5, -5, 5, 5]" in told
    assert told.count("trick ") == 12


def test_four_nodes_started_by_hand_end_with_a_settlement_that_the_example_verifies(tmp_path: Path) -> None:
    told = run("four_nodes.py", home=tmp_path)
    assert "Settlement with 4 signatures" in told


def test_the_verifying_example_names_a_changed_byte(tmp_path: Path) -> None:
    from tests.table.net import World

    world = World(seed=5)
    world.run()
    settlement = world.nodes[0].settlement
    assert settlement is not None
    path = tmp_path / "match.settlement"
    path.write_bytes(settlement)
    assert "keys, proofs, rules and money hold" in run("verify_settlement.py", str(path), home=tmp_path)
    path.write_bytes(settlement[:-40] + bytes([settlement[-40] ^ 1]) + settlement[-39:])
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / "verify_settlement.py"), str(path)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert str(path) in done.stdout
