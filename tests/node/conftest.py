"""A data directory of its own, a clean environment and English for every test."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from node import identity, logs
from node.cli.main import run
from node.i18n import use_language
from node.paths import Paths
from node.store import Store, open_store


@pytest.fixture(autouse=True)
def _surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    for name in list(os.environ):
        if name.startswith("DOKO_") or name in ("LANG", "LANGUAGE", "LC_ALL", "LC_MESSAGES", "NO_COLOR"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("DOKO_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(identity, "SCRYPT_N", 2)  # the cost of guessing is not what is tested
    use_language("en")
    yield
    logs.shutdown()
    use_language("en")


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    """The data directory of this test, made."""
    return Paths(tmp_path / "data").create()


@pytest.fixture
def store(paths: Paths) -> Iterator[Store]:
    """A store opened as a node that plays opens it, with a clock that stands at 1000 s."""
    with open_store(paths.store, exclusive=True, clock=lambda: 1000.0) as opened:
        yield opened


@dataclass(frozen=True)
class Ran:
    """How a command ended."""

    code: int
    out: str
    err: str


@pytest.fixture
def doko(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Run one command line in this process."""

    def call(*args: object) -> Ran:
        capsys.readouterr()
        code = run([str(arg) for arg in args])
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        return Ran(code, captured.out, captured.err)

    return call
