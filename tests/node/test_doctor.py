"""``doko doctor``: each check sees what it is for."""

import importlib.util
import io
import json
import os
import socket
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from node import doctor
from node.clock import EARLIEST
from node.doctor import CHECKS, Finding, Grade, Machine, examine, worst
from node.errors import EXIT_NO, EXIT_OK
from node.paths import Paths

Doko = Callable[..., Any]


class Terminal(io.StringIO):
    """Standard output of some encoding, perhaps a terminal."""

    def __init__(self, encoding: str, tty: bool) -> None:
        super().__init__()
        self._encoding = encoding
        self._tty = tty

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._encoding

    def isatty(self) -> bool:
        return self._tty


@pytest.fixture
def machine(paths: Paths) -> Callable[..., Machine]:
    def make(environ: Mapping[str, str] = {}, output: Any = None, **clocks: Any) -> Machine:
        return Machine(paths, environ, output or Terminal("utf-8", False), **clocks)

    return make


def without(monkeypatch: pytest.MonkeyPatch, *modules: str) -> None:
    """As if these modules were not installed."""
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name in modules else find(name))


def test_this_machine_is_ready(machine: Callable[..., Machine]) -> None:
    found = examine(machine())
    assert list(found) == list(CHECKS)
    assert {name for name, one in found.items() if one.grade is Grade.FAIL} == set()


def test_missing_package(machine: Callable[..., Machine], monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "noise", "zeroconf", "rbcl")
    found = doctor.check_packages(machine())
    assert found.grade is Grade.FAIL
    assert "noiseprotocol" in found.text
    group = doctor.check_group(machine())
    assert group.grade is Grade.WARN
    assert "slow fallback" in group.text


def test_missing_extra_is_no_fault(machine: Callable[..., Machine], monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "zeroconf")
    found = doctor.check_packages(machine())
    assert found.grade is Grade.OK
    assert "local network" in found.hint


def test_group_that_computes_wrong(machine: Callable[..., Machine], monkeypatch: pytest.MonkeyPatch) -> None:
    import rbcl

    assert doctor.check_group(machine()).grade is Grade.OK
    monkeypatch.setattr(rbcl, "crypto_scalarmult_ristretto255_base", lambda _n: bytes(32))
    assert doctor.check_group(machine()).grade is Grade.FAIL


def test_old_python(machine: Callable[..., Machine], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "PYTHONS", ((3, 90), (3, 99)))
    assert doctor.check_python(machine()).grade is Grade.WARN


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
def test_data_that_others_can_read(machine: Callable[..., Machine], paths: Paths) -> None:
    assert doctor.check_data(machine()).grade is Grade.OK
    paths.identity.write_text("")
    paths.identity.chmod(0o644)
    found = doctor.check_data(machine())
    assert found.grade is Grade.WARN
    assert "identity.json" in found.text
    assert "chmod" in found.hint


def test_data_directory_not_made_yet_or_impossible(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, machine: Callable[..., Machine]
) -> None:
    new = Machine(Paths(tmp_path / "a" / "b"), {}, Terminal("utf-8", False))
    assert doctor.check_data(new).grade is Grade.OK
    assert doctor.check_disk(new).grade is Grade.OK
    monkeypatch.setattr(os, "access", lambda *_args: False)
    assert doctor.check_data(new).grade is Grade.FAIL
    assert doctor.check_data(machine()).grade is Grade.FAIL


def test_disk_full(machine: Callable[..., Machine], paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    assert doctor.check_disk(machine()).grade is Grade.OK
    monkeypatch.setattr(doctor, "SPACE", 10**20)
    assert doctor.check_disk(machine()).grade is Grade.WARN

    def full(_path: Path, _data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    assert doctor.check_disk(machine()).grade is Grade.FAIL
    assert list(paths.data.iterdir()) == []


def test_settings(machine: Callable[..., Machine], paths: Paths) -> None:
    assert doctor.check_config(machine({"DOKO_DATA": "x", "DOKO_LANG": "de"})).grade is Grade.OK
    odd = doctor.check_config(machine({"DOKO_LOGLEVEL": "debug"}))
    assert odd.grade is Grade.WARN
    assert "DOKO_LOGLEVEL" in odd.text
    paths.config.write_text("frob = 1")
    bad = doctor.check_config(machine())
    assert bad.grade is Grade.FAIL
    assert "line 1" in bad.text


def test_identity(machine: Callable[..., Machine], paths: Paths) -> None:
    from node import identity as ids

    assert doctor.check_identity(machine()).grade is Grade.OK
    ids.save(ids.create(), paths.identity, "with passphrase")
    found = doctor.check_identity(machine())
    assert found.grade is Grade.OK
    assert "with passphrase" in found.text
    paths.identity.write_text("{")
    assert doctor.check_identity(machine()).grade is Grade.FAIL


def test_store(machine: Callable[..., Machine], paths: Paths) -> None:
    from node.store import open_store

    assert doctor.check_store(machine()).grade is Grade.OK
    with open_store(paths.store, exclusive=True):
        assert doctor.check_store(machine()).grade is Grade.OK  # beside a running node
    data = bytearray(paths.store.read_bytes())
    data[4096 * 3 : 4096 * 3 + 200] = b"\xaa" * 200
    paths.store.write_bytes(data)
    found = doctor.check_store(machine())
    assert found.grade is Grade.FAIL
    assert "salvage" in found.hint


def test_port(machine: Callable[..., Machine]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        found = doctor.check_port(machine({"DOKO_NETWORK_LISTEN": f"127.0.0.1:{port}"}))
        assert found.grade is Grade.WARN
        assert str(port) in found.text
    assert doctor.check_port(machine({"DOKO_NETWORK_LISTEN": f"127.0.0.1:{port}"})).grade is Grade.OK
    assert doctor.check_port(machine({"DOKO_NETWORK_LISTEN": "192.0.2.1:4848"})).grade is Grade.FAIL


@pytest.mark.parametrize(
    ("wall", "grade"),
    [
        (EARLIEST + 86400, Grade.OK),
        (0.0, Grade.FAIL),
        (EARLIEST - 1, Grade.FAIL),
        (1e10, Grade.FAIL),
        (-1e18, Grade.FAIL),
    ],
)
def test_clock(machine: Callable[..., Machine], wall: float, grade: Grade) -> None:
    assert doctor.check_clock(machine(wall=lambda: wall)).grade is grade


def test_clock_that_goes_backwards(machine: Callable[..., Machine]) -> None:
    ticks = iter([2.0, 1.0])
    assert doctor.check_clock(machine(monotonic=lambda: next(ticks))).grade is Grade.FAIL


def test_terminal(machine: Callable[..., Machine], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")
    good = doctor.check_terminal(machine({"TERM": "xterm"}, Terminal("utf-8", True)))
    assert good == Finding(Grade.OK, "80 x 24, utf-8, colours")
    assert (
        "no colours" in doctor.check_terminal(machine({"TERM": "xterm", "NO_COLOR": "1"}, Terminal("utf-8", True))).text
    )
    assert "no terminal" in doctor.check_terminal(machine({}, Terminal("utf-8", False))).text
    for encoding in ("ascii", "iso8859-1", "no-such-encoding"):
        assert doctor.check_terminal(machine({}, Terminal(encoding, True))).grade is Grade.WARN
    monkeypatch.setenv("COLUMNS", "39")
    assert doctor.check_terminal(machine({}, Terminal("utf-8", True))).grade is Grade.WARN


def test_check_that_fails_itself_is_a_finding(machine: Callable[..., Machine], monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_machine: Machine) -> Finding:
        raise RuntimeError

    monkeypatch.setitem(CHECKS, "python", ("Python", broken))
    found = examine(machine())
    assert found["python"].grade is Grade.FAIL
    assert worst(found) is Grade.FAIL
    assert worst({}) is Grade.OK
    assert worst({"a": Finding(Grade.OK, ""), "b": Finding(Grade.WARN, "")}) is Grade.WARN


def test_command(doko: Doko, tmp_path: Path) -> None:
    done = doko("doctor")
    assert done.code == EXIT_OK
    assert "Python: ok" in done.out
    report = json.loads(doko("doctor", "--json").out)
    assert [one["check"] for one in report["checks"]] == list(CHECKS)
    assert not (tmp_path / "data").exists()  # looking changes nothing
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "identity.json").write_text("junk")
    assert doko("doctor").code == EXIT_NO
    assert json.loads(doko("doctor", "--json").out)["grade"] == "failed"


def test_salvage(doko: Doko, paths: Paths) -> None:
    key = "8139770ea87d175f56a35466c34c7ecccb8d8a91b4ee37a25df60f5b8fc9b394"
    doko("friends", "add", key, "Anna")
    done = json.loads(doko("doctor", "--salvage", "--json").out)
    assert done["saved"]["contacts"] == 1
    assert done["torn"] == []
    assert "Anna" in doko("friends", "list").out
    paths.store.write_bytes(b"junk" * 5000)
    assert "--salvage" in doko("friends", "list").err
    lost = doko("doctor", "--salvage")
    assert lost.code == EXIT_NO
    assert "doko-damaged-" in lost.out
    assert doko("friends", "list").code == EXIT_OK
    assert len(list(paths.data.glob("doko-damaged-*.db"))) == 2
