"""``doko identity`` and ``doko config`` as people use them."""

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from node import identity as ids
from node.errors import EXIT_ENVIRONMENT, EXIT_NO, EXIT_OK, EXIT_USAGE
from node.paths import Paths
from node.store import open_store

Doko = Callable[..., Any]


def test_create_and_show(doko: Doko, tmp_path: Path) -> None:
    assert doko("identity", "show").code == EXIT_USAGE
    made = doko("identity", "create")
    assert made.code == EXIT_OK
    path = tmp_path / "data" / "identity.json"
    own = ids.load(path)
    assert " ".join(own.words[:5]) in made.out
    if os.name == "posix":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    shown = doko("identity", "show")
    assert own.key.hex() in shown.out
    as_json = json.loads(doko("identity", "show", "--json").out)
    assert as_json == {
        "key": own.key.hex(),
        "static": own.public.static.hex(),
        "words": list(own.words),
        "nickname": "",
        "passphrase": False,
        "file": str(path),
    }
    for out in (made.out, shown.out, str(as_json)):
        assert own.signing_key.hex() not in out
        assert own.static_key.hex() not in out
    again = doko("identity", "create")
    assert again.code == EXIT_USAGE
    assert ids.load(path) == own


def test_export_and_import_on_another_machine(doko: Doko, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    doko("identity", "create")
    own = ids.load(tmp_path / "data" / "identity.json")
    file = tmp_path / "saved.json"
    needed = doko("identity", "export", file)
    assert needed.code == EXIT_ENVIRONMENT  # no terminal to ask at
    assert not file.exists()
    monkeypatch.setenv("DOKO_NEW_PASSPHRASE", "for the file")
    assert doko("identity", "export", file).code == EXIT_OK
    assert doko("identity", "export", file).code == EXIT_ENVIRONMENT  # exists
    assert doko("identity", "export", "--replace", file).code == EXIT_OK
    assert own.signing_key.hex() not in file.read_text()
    other = tmp_path / "other"
    assert "protected by a passphrase" in doko("--data", other, "identity", "import", file).err
    assert not (other / "identity.json").exists()
    monkeypatch.setenv("DOKO_PASSPHRASE", "wrong")
    assert "Wrong passphrase" in doko("--data", other, "identity", "import", file).err
    monkeypatch.setenv("DOKO_PASSPHRASE", "for the file")
    done = doko("--data", other, "identity", "import", file)
    assert done.code == EXIT_OK
    assert " ".join(own.words[:5]) in done.out
    assert ids.load(other / "identity.json", lambda: "for the file") == own


def test_plain_export_to_standard_output(doko: Doko, tmp_path: Path) -> None:
    doko("identity", "create")
    done = doko("identity", "export", "--plain", "-")
    assert ids.decode(done.out.encode(), "out") == ids.load(tmp_path / "data" / "identity.json")


def test_import_keeps_the_former_identity_beside(doko: Doko, tmp_path: Path) -> None:
    doko("identity", "create")
    data = tmp_path / "data"
    former = ids.load(data / "identity.json")
    other = ids.create()
    file = tmp_path / "other.json"
    ids.save(other, file)
    refused = doko("identity", "import", file)
    assert refused.code == EXIT_USAGE
    assert "--replace" in refused.err
    assert ids.load(data / "identity.json") == former
    with open_store(Paths(data).store, exclusive=True):
        assert doko("identity", "import", "--replace", file).code == EXIT_ENVIRONMENT  # a node is running
    assert ids.load(data / "identity.json") == former
    assert doko("identity", "import", "--replace", file).code == EXIT_OK
    assert ids.load(data / "identity.json") == other
    (kept,) = data.glob("identity-*.json")
    assert ids.load(kept) == former


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff" * 10, bytes(20_000)])
def test_import_of_something_else(doko: Doko, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "file").write_bytes(content)
    done = doko("identity", "import", tmp_path / "file")
    assert done.code == EXIT_USAGE
    assert str(tmp_path / "file") in done.err
    assert doko("identity", "import", tmp_path / "missing").code == EXIT_USAGE


def test_import_from_standard_input(tmp_path: Path) -> None:
    data = ids.encode(ids.create())
    command = [sys.executable, "-m", "node.cli.main", "identity", "import", "-"]
    done = subprocess.run(command, input=data, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (EXIT_OK, b"")
    assert (tmp_path / "data" / "identity.json").read_bytes() == data


def test_passphrase_set_and_removed(doko: Doko, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    doko("identity", "create")
    path = tmp_path / "data" / "identity.json"
    own = ids.load(path)
    monkeypatch.setenv("DOKO_NEW_PASSPHRASE", "secret words")
    assert doko("identity", "passphrase").code == EXIT_OK
    assert json.loads(doko("identity", "show", "--json").out)["passphrase"]
    assert own.signing_key.hex() not in path.read_text()
    monkeypatch.delenv("DOKO_NEW_PASSPHRASE")
    assert doko("identity", "passphrase", "--remove").code == EXIT_USAGE
    (tmp_path / "passphrase").write_text("secret words\n")
    monkeypatch.setenv("DOKO_PASSPHRASE_FILE", str(tmp_path / "passphrase"))
    assert doko("identity", "passphrase", "--remove").code == EXIT_OK
    assert ids.load(path) == own
    assert doko("identity", "passphrase").code == EXIT_ENVIRONMENT
    assert ids.load(path) == own


def test_created_with_a_passphrase(doko: Doko, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOKO_NEW_PASSPHRASE", "secret words")
    assert doko("identity", "create", "--passphrase").code == EXIT_OK
    assert ids.load_public(tmp_path / "data" / "identity.json")[1]


def test_full_disk_while_saving(doko: Doko, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    doko("identity", "create")
    path = tmp_path / "data" / "identity.json"
    before = path.read_bytes()

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    monkeypatch.setenv("DOKO_NEW_PASSPHRASE", "secret words")
    done = doko("identity", "passphrase")
    assert done.code == EXIT_ENVIRONMENT
    assert "No space left" in done.err
    assert path.read_bytes() == before
    assert [item.name for item in path.parent.iterdir()] == ["identity.json"]


def test_config_from_set_to_unset(doko: Doko, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "data" / "config.toml"
    assert doko("config", "path").out == f"{path}\n"
    assert doko("config", "get", "console.theme").out == "auto\n"
    assert doko("config", "set", "console.theme", "dark").out == "console.theme = dark\n"
    assert doko("config", "get", "console.theme").out == "dark\n"
    assert f"[file: {path}, line 2]" in doko("config", "list").out
    monkeypatch.setenv("DOKO_CONSOLE_THEME", "mono")
    assert json.loads(doko("config", "get", "console.theme", "--json").out) == "mono"
    assert "DOKO_CONSOLE_THEME" in doko("config", "set", "console.theme", "light").err
    monkeypatch.delenv("DOKO_CONSOLE_THEME")
    assert doko("config", "unset", "console.theme").code == EXIT_OK
    assert doko("config", "unset", "console.theme").code == EXIT_NO
    assert doko("config", "unset", "no.such").code == EXIT_USAGE
    assert doko("config", "get", "no.such").code == EXIT_USAGE
    assert doko("config", "set", "console.theme", "pink").code == EXIT_USAGE
    listed = {one["name"]: one for one in json.loads(doko("config", "list", "--json").out)}
    assert listed["console.theme"]["origin"] == "default"
    assert listed["language"]["environment"] == "DOKO_LANG"


def test_mistake_in_the_file_is_told_by_every_verb_that_reads_it(doko: Doko, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "config.toml").write_text("nickname = 1\n")
    for args in (("config", "list"), ("config", "get", "nickname")):
        done = doko(*args)
        assert done.code == EXIT_USAGE
        assert "config.toml, line 1: nickname = 1" in done.err
    assert doko("config", "set", "nickname", "Anna").code == EXIT_OK  # and can be mended
    assert doko("config", "get", "nickname").out == "Anna\n"


def test_option_counts_more_than_the_environment(doko: Doko, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOKO_LOG_LEVEL", "debug")
    assert doko("config", "get", "log.level").out == "debug\n"
    assert doko("--log-level", "error", "config", "get", "log.level").out == "error\n"


def test_language_of_the_file_speaks_in_help(doko: Doko) -> None:
    doko("config", "set", "language", "de")
    done = doko("--lang", "en", "config", "list", "--json")
    assert {one["name"]: one["value"] for one in json.loads(done.out)}["language"] == "en"
    from node.i18n import current_language

    assert doko("--help").code == EXIT_OK
    assert current_language() == "de"


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
def test_passphrase_typed_at_a_terminal_is_not_shown(doko: Doko, tmp_path: Path) -> None:
    doko("identity", "create")
    path = tmp_path / "data" / "identity.json"
    own = ids.load(path)
    code = (
        "import pty, sys; sys.exit(pty.spawn([sys.executable, '-m', 'node.cli.main', 'identity', 'passphrase']) >> 8)"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    shown = b""
    answers = [b"short", b"short", b"typed words", b"other words", b"typed words", b"typed words"]
    for question, answer in zip([b"New passphrase", b"The same again"] * 3, answers, strict=True):
        asked = b""
        while not asked.rstrip().endswith(question + b":"):
            byte = process.stdout.read(1)
            assert byte, shown + asked
            asked += byte
        shown += asked
        process.stdin.write(answer + b"\n")
        process.stdin.flush()
    shown += process.stdout.read()
    assert process.wait() == EXIT_OK
    process.stdin.close()
    process.stdout.close()
    assert b"At least 8 characters" in shown
    assert b"The passphrase is set." in shown
    for answer in answers:
        assert answer not in shown
    assert ids.load(path, lambda: "typed words") == own
