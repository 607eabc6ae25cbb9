"""The data directory: option, environment, platform."""

from pathlib import Path

import pytest

from node.errors import DokoError
from node.paths import Paths, default_data, resolve


def test_option_before_environment_before_platform(tmp_path: Path) -> None:
    environ = {"DOKO_DATA": str(tmp_path / "env")}
    assert resolve(tmp_path / "flag", environ).data == tmp_path / "flag"
    assert resolve(None, environ).data == tmp_path / "env"
    assert resolve(None, {}).data == resolve(None, {"DOKO_DATA": ""}).data == default_data()


def test_nothing_is_made_before_it_is_needed(tmp_path: Path) -> None:
    paths = resolve(tmp_path / "new")
    assert not paths.data.exists()
    assert paths.create().data.is_dir()


def test_relative_and_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert resolve("here").data == tmp_path / "here"
    assert resolve("~/there").data == tmp_path / "there"


def test_file_is_no_data_directory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DokoError, match="is a file"):
        resolve(tmp_path / "file")


def test_everything_is_inside(tmp_path: Path) -> None:
    paths = Paths(tmp_path)
    for name in ("identity", "config", "store", "lock", "log", "crashes", "settlements"):
        assert tmp_path in getattr(paths, name).parents
