"""Files: whole or not there, private from the first moment, errors in words."""

import errno
import os
import stat
from pathlib import Path

import pytest

from node.errors import EXIT_ENVIRONMENT, EXIT_USAGE, DokoError
from node.files import explain, make_private_directory, read_limited, write_atomic

posix = pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")


class FailingFile:
    """An open file that fails at one of its operations, after it has taken some bytes."""

    def __init__(self, descriptor: int, fails: str, code: int) -> None:
        self._descriptor = descriptor
        self._fails = fails
        self._code = code

    def _maybe(self, what: str) -> None:
        if what == self._fails:
            raise OSError(self._code, os.strerror(self._code))

    def write(self, data: bytes) -> int:
        taken = os.write(self._descriptor, data[:10])
        if len(data) <= 10 or self._fails == "write":
            self._maybe("write")
        return taken

    def flush(self) -> None:
        self._maybe("flush")

    def fileno(self) -> int:
        self._maybe("fsync")
        return self._descriptor

    def close(self) -> None:
        os.close(self._descriptor)


@posix
def test_new_file_is_private_whatever_the_umask(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        write_atomic(tmp_path / "secret", b"x")
        make_private_directory(tmp_path / "a" / "b")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "secret").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "a" / "b").stat().st_mode) == 0o700


def test_existing_file_is_kept_unless_replaced(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_atomic(path, b"old")
    with pytest.raises(DokoError) as caught:
        write_atomic(path, b"new")
    assert caught.value.exit_code == EXIT_ENVIRONMENT
    assert str(path) in caught.value.message
    assert path.read_bytes() == b"old"
    write_atomic(path, b"new", replace=True)
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["file"]


def test_file_system_without_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: object) -> None:
        raise OSError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", refuse)
    write_atomic(tmp_path / "file", b"one")
    with pytest.raises(DokoError):
        write_atomic(tmp_path / "file", b"two")
    assert (tmp_path / "file").read_bytes() == b"one"
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("fails", ["write", "flush", "fsync"])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EFBIG])
@pytest.mark.parametrize("replace", [False, True])
def test_full_disk_leaves_everything_as_it_was(tmp_path: Path, fails: str, code: int, replace: bool) -> None:
    path = tmp_path / "file"
    if replace:
        write_atomic(path, b"old")
    with pytest.raises(DokoError) as caught:
        write_atomic(path, bytes(100), replace=replace, opener=lambda fd: FailingFile(fd, fails, code))
    assert caught.value.exit_code == EXIT_ENVIRONMENT
    assert str(path) in caught.value.message
    assert caught.value.hint
    assert os.listdir(tmp_path) == (["file"] if replace else [])
    assert not replace or path.read_bytes() == b"old"


def test_short_writes_are_continued(tmp_path: Path) -> None:
    data = bytes(range(256)) * 3
    write_atomic(tmp_path / "file", data, opener=lambda fd: FailingFile(fd, "never", 0))
    assert (tmp_path / "file").read_bytes() == data


def test_missing_directory_is_named(tmp_path: Path) -> None:
    with pytest.raises(DokoError, match="does not exist"):
        write_atomic(tmp_path / "no" / "file", b"")


def test_read_limited(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(bytes(11))
    assert len(read_limited(tmp_path / "file", 11)) == 11
    with pytest.raises(DokoError) as caught:
        read_limited(tmp_path / "file", 10)
    assert caught.value.exit_code == EXIT_USAGE
    with pytest.raises(DokoError) as caught:
        read_limited(tmp_path, 10)
    assert caught.value.exit_code == EXIT_ENVIRONMENT


def test_directory_under_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(DokoError):
        make_private_directory(tmp_path / "file" / "below")


def test_unknown_errno_still_has_words() -> None:
    assert "frob" in explain(OSError(errno.ELOOP, "frob"), "here").message
    assert explain(OSError("no number"), "here").message
