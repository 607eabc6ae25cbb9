"""One process a data directory, one process an identity.

Two nodes that sign with one key would contradict each other, and that is a breach with evidence.  The system drops the
lock when the process ends in whatever way, so a stale file never stands in the way.
"""

import contextlib
import errno
import os
import tempfile
from pathlib import Path
from typing import Final

from node.errors import EXIT_ENVIRONMENT, DokoError
from node.files import PRIVATE_FILE, explain
from node.i18n import _

#: The lock is on one byte far behind the text, so that on Windows, too, others can read who holds it.
_LOCK_OFFSET: Final = 1 << 20


def try_lock(descriptor: int) -> bool:
    """Take the lock of the open file or say that another has it."""
    try:
        import fcntl
    except ImportError:
        return _try_lock_windows(descriptor)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EAGAIN, errno.EWOULDBLOCK, errno.EACCES):
            return False
        raise
    return True


def _try_lock_windows(descriptor: int) -> bool:
    import msvcrt

    os.lseek(descriptor, _LOCK_OFFSET, os.SEEK_SET)
    try:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
    except OSError:
        return False
    return True


def _holder(descriptor: int) -> str:
    """The process id written in a lock file, ``"?"`` if there is none (yet)."""
    with contextlib.suppress(OSError):
        os.lseek(descriptor, 0, os.SEEK_SET)
        text = os.read(descriptor, 32).decode("ascii", "replace").strip()
        if text.isdigit():
            return text
    return "?"


class Lock:
    """A held lock; :meth:`release` (or the end of the process) frees it."""

    __slots__ = ("_descriptor", "path")

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._descriptor: int | None = descriptor

    def release(self) -> None:
        """Free the lock; the file stays (removing it would let two processes hold two files of one name)."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> "Lock":
        return self

    def __exit__(self, *exc: object) -> None:
        self.release()


def acquire(path: Path, what: str) -> Lock:
    """Lock *path* (created with mode 600 if missing) for this process; *what* is locked, in translated words.

    Raises :class:`DokoError` (exit code 3) that names the process id of the holder.
    """
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        descriptor = os.open(path, flags, PRIVATE_FILE)
    except OSError as error:
        raise explain(error, path, _("Could not open the lock file.")) from error
    try:
        if not try_lock(descriptor):
            raise DokoError(
                _("{what} is in use by another doko (process {pid}).").format(what=what, pid=_holder(descriptor)),
                _("Close it there first, or use another data directory with --data DIR."),
                EXIT_ENVIRONMENT,
            )
        os.ftruncate(descriptor, 0)
        os.lseek(descriptor, 0, os.SEEK_SET)
        os.write(descriptor, f"{os.getpid()}\n".encode())
    except OSError as error:
        os.close(descriptor)
        raise explain(error, path, _("Could not lock.")) from error
    except BaseException:
        os.close(descriptor)
        raise
    return Lock(path, descriptor)


def acquire_identity(key: bytes, directory: Path | None = None) -> Lock | None:
    """Lock the identity with this public *key* on this machine, whatever data directory it is used from.

    ``None`` if the common place (the temporary directory) cannot be written: the lock of the data directory is the
    one that counts, this one catches a copied directory.  Raises :class:`DokoError` if another process has it.
    """
    where = Path(tempfile.gettempdir()) if directory is None else directory
    path = where / f"doko-{key.hex()[:24]}.lock"
    try:
        return acquire(path, _("This identity"))
    except DokoError as error:
        if isinstance(error.__cause__, OSError):
            return None
        raise
