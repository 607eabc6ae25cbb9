"""Locks between real processes."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from node.errors import EXIT_ENVIRONMENT, DokoError
from node.locks import acquire, acquire_identity
from node.paths import Paths
from node.store import open_store


@contextmanager
def other_process(code: str, *args: object) -> Iterator[subprocess.Popen[str]]:
    """A Python process that runs *code*, prints a line when it is ready, and is killed at the end."""
    process = subprocess.Popen(
        [sys.executable, "-c", code, *map(str, args)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield process
    finally:
        process.kill()
        process.communicate()


HOLD_STORE = """
import sys
from pathlib import Path
from node.store import open_store
store = open_store(Path(sys.argv[1]), exclusive=True)
print("ready", flush=True)
sys.stdin.read()
"""

HOLD_IDENTITY = """
import sys
from pathlib import Path
from node.locks import acquire_identity
lock = acquire_identity(bytes.fromhex(sys.argv[1]), Path(sys.argv[2]))
print("ready", flush=True)
sys.stdin.read()
"""


def test_second_process_is_told_the_pid_of_the_first(paths: Paths) -> None:
    with other_process(HOLD_STORE, paths.store) as process:
        with pytest.raises(DokoError) as caught:
            open_store(paths.store, exclusive=True)
        assert caught.value.exit_code == EXIT_ENVIRONMENT
        assert str(process.pid) in caught.value.message
        assert str(paths.data) in caught.value.message
        with open_store(paths.store) as beside:  # looking things up goes on
            assert beside.contacts() == []


def test_kill_frees_the_lock(paths: Paths) -> None:
    with other_process(HOLD_STORE, paths.store):
        pass
    with open_store(paths.store, exclusive=True) as store:
        assert store.exclusive
    assert paths.lock.read_text() == f"{os.getpid()}\n"


def test_lock_is_exclusive_within_one_process_too(tmp_path: Path) -> None:
    words = f"It is in use by another doko .process {os.getpid()}"
    with acquire(tmp_path / "lock", "It"), pytest.raises(DokoError, match=words):
        acquire(tmp_path / "lock", "It")
    acquire(tmp_path / "lock", "It").release()


def test_release_twice(tmp_path: Path) -> None:
    lock = acquire(tmp_path / "lock", "It")
    lock.release()
    lock.release()
    acquire(tmp_path / "lock", "It").release()


def test_copied_data_directory_does_not_play_beside_the_original(tmp_path: Path) -> None:
    key = bytes(range(32))
    with other_process(HOLD_IDENTITY, key.hex(), tmp_path) as process:
        with pytest.raises(DokoError, match=str(process.pid)):
            acquire_identity(key, tmp_path)
        other = acquire_identity(bytes(32), tmp_path)
        assert other is not None
        other.release()


def test_common_place_that_cannot_be_written_is_no_obstacle(tmp_path: Path) -> None:
    assert acquire_identity(bytes(32), tmp_path / "missing") is None


def test_lock_file_in_a_missing_directory(tmp_path: Path) -> None:
    with pytest.raises(DokoError) as caught:
        acquire(tmp_path / "missing" / "lock", "It")
    assert caught.value.exit_code == EXIT_ENVIRONMENT


@pytest.mark.skipif(not hasattr(os, "symlink") or not hasattr(os, "O_NOFOLLOW"), reason="needs O_NOFOLLOW")
def test_planted_symlink_is_not_followed(tmp_path: Path) -> None:
    """The temporary directory is everybody's: a link planted there must not get a file of ours overwritten."""
    victim = tmp_path / "victim"
    victim.write_text("precious")
    key = bytes(32)
    (tmp_path / f"doko-{key.hex()[:24]}.lock").symlink_to(victim)
    assert acquire_identity(key, tmp_path) is None
    assert victim.read_text() == "precious"


def test_locks_where_there_is_no_fcntl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows locks bytes: one far behind the text, so that others can still read who holds it."""
    held: set[int] = set()

    class Msvcrt:
        LK_NBLCK = 2

        @staticmethod
        def locking(descriptor: int, _mode: int, _count: int) -> None:
            at = os.lseek(descriptor, 0, os.SEEK_CUR)
            assert at > 1000
            if held:
                raise OSError(13, "Permission denied")
            held.add(at)

    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setitem(sys.modules, "msvcrt", Msvcrt)
    with acquire(tmp_path / "lock", "It"), pytest.raises(DokoError, match=str(os.getpid())):
        acquire(tmp_path / "lock", "It")
