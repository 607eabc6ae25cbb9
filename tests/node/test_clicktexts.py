"""Click's own texts come out of our catalogues."""

import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from node import i18n
from node.cli import clicktexts
from node.cli import main as main_module


def sources() -> Iterator[str]:
    for path in sorted(Path(click.__file__).parent.glob("*.py")):
        yield path.read_text("utf-8")


def test_every_listed_text_is_one_of_click() -> None:
    whole = "".join(sources()).replace("\\n", "\n").replace("\\t", "\t").replace('"\n            "', "")
    texts = [*clicktexts.TEXTS, *clicktexts.plurals(1), *clicktexts.plurals(2)]
    assert [text for text in texts if f'"{text}"' not in whole] == []


def compiled(catalogue: dict[str, str]) -> bytes:
    """A catalogue in gettext's binary form (.mo, revision 0, little-endian)."""
    messages = {"": "Content-Type: text/plain; charset=UTF-8\n", **catalogue}
    pairs = sorted((key.encode(), value.encode()) for key, value in messages.items())
    at = 28 + 16 * len(pairs)
    tables: list[bytes] = []
    data = b""
    for column in (0, 1):
        for pair in pairs:
            tables.append(struct.pack("<II", len(pair[column]), at + len(data)))
            data += pair[column] + b"\0"
    head = struct.pack("<7I", 0x950412DE, 0, len(pairs), 28, 28 + 8 * len(pairs), 0, 0)
    return head + b"".join(tables) + data


def test_usage_errors_and_headings_speak_the_language(
    doko: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalogue = {
        "Usage:": "Aufruf:",
        "Options": "Optionen",
        "Missing argument": "Es fehlt das Argument",
        "Error: {message}": "Fehler: {message}",
        "Read and change settings": "Einstellungen lesen und ändern",
        "Show this page and exit.": "Diese Seite zeigen.",
    }
    place = tmp_path / "locale" / "de" / "LC_MESSAGES"
    place.mkdir(parents=True)
    (place / "doko.mo").write_bytes(compiled(catalogue))
    monkeypatch.setattr(main_module, "LOCALE_DIR", tmp_path / "locale")
    monkeypatch.setattr(i18n, "LOCALE_DIR", tmp_path / "locale")
    shown = doko("--lang", "de", "--help").out
    assert shown.startswith("Aufruf: doko")
    assert "Optionen:" in shown
    assert "Einstellungen lesen und ändern" in shown
    assert "Diese Seite zeigen." in shown
    assert doko("--lang", "de", "config", "get").err.startswith("Fehler: Es fehlt das Argument 'NAME'.")
    assert doko("config", "get").err.startswith("Error: Missing argument 'NAME'.")
