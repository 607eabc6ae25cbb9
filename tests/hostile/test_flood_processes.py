"""A few floods over TCP against a node process, for seconds; all, for longer: ``python -m tests.hostile.flood``."""

from pathlib import Path

import pytest

from tests.hostile.flood import CPU, GROWN_MB, PING_MS, measure

pytestmark = pytest.mark.slow

SECONDS = 3.0


@pytest.mark.parametrize("kind", ["handshakes", "strangers", "unknown", "questions", "shuffles"])
def test_a_flood_leaves_memory_processor_and_the_others_in_peace(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # locks on identities are the test's own
    found = measure(kind, SECONDS, tmp_path / "flood")
    assert found.sent > 20
    assert found.cpu <= CPU  # of a core
    assert found.grown_mb <= GROWN_MB
    assert found.ping_ms <= PING_MS
    assert found.status_ms <= PING_MS
