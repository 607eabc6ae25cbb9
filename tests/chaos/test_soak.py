"""Real processes: a handful of kills with all four at once among them, and one identity started twice.

More kills: ``python -m tests.chaos.soak``; single ones at random points: ``tests/e2e/test_kill.py``.
"""

import os
import shutil
from pathlib import Path

import pytest

from protocol.table.verify import verify
from tests.chaos import soak
from tests.e2e.processes import NodeProcess, four_nodes


@pytest.mark.slow
def test_one_and_four_killed_and_the_stores_agree(tmp_path: Path) -> None:
    made = soak.match(0, 2, tmp_path)
    assert made == {1: 1, 4: 1}


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="the common place for locks is changed by TMPDIR")
def test_a_copied_data_directory_plays_beside_the_original(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on another machine, where no lock helps: the three others go on, or hold evidence against that seat alone."""
    with four_nodes(tmp_path / "nodes") as four:
        four.nodes[0].wait_for(lambda line: line["event"] == "act")
        copy = tmp_path / "copy"
        shutil.copytree(four.nodes[2].data, copy)
        refused = NodeProcess("table", "resume", "--events", data=copy)
        try:
            assert refused.end() == 3
            assert "in use by another doko" in refused.errors
        finally:
            refused.close()
        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir()
        monkeypatch.setenv("TMPDIR", str(elsewhere))
        second = NodeProcess("table", "resume", "--events", "--leash", data=copy)
        try:
            for seat in (0, 1, 3):
                node = four.nodes[seat]
                node.process.wait(90)
                node.end()
                assert "Traceback" not in node.errors
                settled = [line for line in node.lines if line["event"] == "settled"]
                refusals = {line["seat"] for line in node.lines if line["event"] == "refused"}
                assert refusals <= {2}
                if settled:
                    assert verify(Path(settled[-1]["path"]).read_bytes()).problem == ""
                else:
                    assert refusals == {2}
        finally:
            second.close()
        assert "Traceback" not in second.errors
        assert "Traceback" not in four.nodes[2].errors
