"""English and a clean environment for every test of the consoles."""

import os
from collections.abc import Iterator

import pytest

from node import logs
from node.i18n import use_language


@pytest.fixture(autouse=True)
def _surroundings(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in list(os.environ):
        if name.startswith("DOKO_") or name in ("LANG", "LANGUAGE", "LC_ALL", "LC_MESSAGES", "NO_COLOR", "COLORFGBG"):
            monkeypatch.delenv(name)
    use_language("en")
    yield
    logs.shutdown()
    use_language("en")
