"""The log: lines of JSON, limited in size, never a secret, never in the way."""

import json
import logging
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from node import logs
from node.logs import HIDDEN, LogFile, redact, redact_text, short


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "log" / "doko.jsonl"


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def test_lines_are_json_with_time_and_level(file: Path) -> None:
    logs.setup(file)
    logs.get("hub").info("connected", peer=short(b"\x12\x34\x56\x78\x9a"), via=None, seconds=0.5)
    logs.get("hub").debug("not at this level")
    (line,) = lines(file)
    assert line.pop("timestamp").endswith("Z")
    assert line == {
        "event": "connected",
        "level": "info",
        "peer": "12345678",
        "seconds": 0.5,
        "source": "hub",
        "via": None,
    }
    if os.name == "posix":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize(("level", "count"), [("debug", 4), ("info", 3), ("warning", 2), ("error", 1)])
def test_levels(file: Path, level: str, count: int) -> None:
    logs.setup(file, level)
    log = logs.get("x")
    for name in ("debug", "info", "warning", "error"):
        getattr(log, name)("said")
    assert len(lines(file)) == count


KEY = bytes(range(32))


@pytest.mark.parametrize(
    "value",
    [
        KEY,
        bytearray(KEY),
        memoryview(KEY),
        KEY.hex(),
        KEY.hex().upper(),
        f"key={KEY.hex()}.",
        repr(KEY),
        f"ValueError({KEY!r})",
        {"a": [{"b": (KEY, KEY.hex())}]},
        {KEY.hex(): 1},
        [KEY],
        int.from_bytes(KEY, "big"),
        "doko:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
        "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
        ValueError(KEY),
        Path(KEY.hex()),
    ],
)
def test_secrets_do_not_pass_whatever_their_form(file: Path, value: Any) -> None:
    logs.setup(file)
    logs.get("x").warning("something", thing=value)
    logs.get("x").warning(f"said {value}")
    text = file.read_text("utf-8")
    for secret in (KEY.hex(), KEY.hex().upper(), repr(KEY)[2:-1], str(int.from_bytes(KEY, "big")), "AAECAwQF"):
        assert secret not in text
        assert json.dumps(secret)[1:-1] not in text


@pytest.mark.parametrize(
    "name",
    [
        "secret",
        "my_secret",
        "private_key",
        "Passphrase",
        "password",
        "token",
        "seed",
        "keys",
        "key",
        "psk",
        "nonce",
        "invite",
    ],
)
def test_what_is_called_a_secret_is_one(name: str) -> None:
    assert redact("short", name) == HIDDEN
    assert redact({name: 12})[name] == HIDDEN
    assert redact(True, name) is True  # "has a passphrase" is none


@pytest.mark.parametrize(
    "text", ["monkey", "12345678", "192.0.2.7:4848", "Anna", "it's", "/home/anna/.local/share/doko/doko.db"]
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert redact(text, "thing") == text


@given(st.recursive(st.none() | st.booleans() | st.floats(allow_nan=False) | st.text() | st.binary(), st.lists))
def test_everything_can_be_logged(value: Any) -> None:
    assert json.dumps(redact(value)) is not None


def test_long_and_deep_values_are_cut() -> None:
    assert len(redact_text("x " * 10_000)) < 2_100
    deep: Any = "end"
    for _level in range(50):
        deep = [deep]
    assert "end" not in json.dumps(redact(deep))


def test_exception_is_logged_by_place_without_values(file: Path) -> None:
    logs.setup(file)
    try:
        raise ValueError(KEY)
    except ValueError:
        logs.get("x").exception("failed")
    (line,) = lines(file)
    assert line["exception"].startswith("ValueError: ")
    assert "test_logs.py" in line["exception"]
    assert "x01" not in file.read_text()


def test_without_setup_nothing_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    logs.shutdown()
    logs.get("x").error("nobody hears this")
    assert capsys.readouterr() == ("", "")


def test_file_is_changed_at_its_limit(file: Path) -> None:
    logs.setup(file, megabytes=0.001, files=3)
    for number in range(100):
        logs.get("x").info("line", number=number)
    names = sorted(path.name for path in file.parent.iterdir())
    assert names == ["doko.jsonl", "doko.jsonl.1", "doko.jsonl.2"]
    assert all(path.stat().st_size <= 1000 for path in file.parent.iterdir())
    kept = [line["number"] for name in reversed(names) for line in lines(file.with_name(name))]
    assert kept == list(range(100 - len(kept), 100))


def test_one_file_alone(file: Path) -> None:
    logs.setup(file, megabytes=0.0003, files=1)
    for number in range(20):
        logs.get("x").info("line", number=number)
    assert [path.name for path in file.parent.iterdir()] == ["doko.jsonl"]
    assert lines(file)[-1]["number"] == 19


def test_full_disk_drops_lines_and_nothing_else(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = logs.setup(file)
    logs.get("x").info("before")

    def full(_descriptor: int, _data: bytes) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        logs.get("x").info("lost")
    logs.get("x").info("after")
    assert target.dropped == 1
    assert [line["event"] for line in lines(file)] == ["before", "after"]


def test_directory_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    target = logs.setup(tmp_path / "file" / "log" / "doko.jsonl")
    logs.get("x").info("nowhere to go")
    assert target.dropped == 1


def test_warnings_of_libraries_come_here_too(file: Path) -> None:
    logs.setup(file)
    logging.getLogger("asyncio").warning("took %s seconds %s", 3, KEY.hex())
    logging.getLogger("asyncio").info("chatter")
    (line,) = lines(file)
    assert (line["event"], line["library"]) == (f"took 3 seconds {HIDDEN}", "asyncio")
    logs.shutdown()
    before = len(logging.getLogger().handlers)
    logs.setup(file)
    logs.setup(file)
    assert len(logging.getLogger().handlers) == before + 1


def test_half_characters_do_no_harm(tmp_path: Path) -> None:
    target = LogFile(tmp_path / "log", 1000, 2)
    target.write_line("\ud800")
    target.close()
    assert (tmp_path / "log").read_bytes() == b"\\ud800\n"
