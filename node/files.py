"""Files that are whole or not there at all, and operating system errors in words."""

import contextlib
import errno
import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol

from node.errors import EXIT_ENVIRONMENT, DokoError
from node.i18n import N_, _

PRIVATE_FILE: Final = 0o600
PRIVATE_DIR: Final = 0o700

#: errno -> (what happened, what to do), marked for translation; ``{path}`` is where.
_WORDS: Final[dict[int, tuple[str, str]]] = {
    errno.ENOSPC: (N_("No space left for {path}."), N_("Free some space on that disk and try again; nothing is lost.")),
    errno.EACCES: (N_("No permission for {path}."), N_("Check who owns it and its permissions.")),
    errno.EPERM: (N_("The system does not allow it: {path}."), N_("Check who owns it and its permissions.")),
    errno.EROFS: (N_("{path} is on a read-only disk."), N_("Choose another place with --data DIR.")),
    errno.ENOENT: (N_("{path} does not exist."), N_("Check the name.")),
    errno.EEXIST: (N_("{path} exists already."), N_("Choose another name or move the old file away.")),
    errno.EISDIR: (N_("{path} is a directory, not a file."), N_("Give the name of a file.")),
    errno.ENOTDIR: (N_("A part of {path} is a file, not a directory."), N_("Check the name.")),
    errno.ENAMETOOLONG: (N_("The name {path} is too long."), N_("Choose a shorter one.")),
    errno.EMFILE: (N_("Too many open files while opening {path}."), N_("Close other programs or raise the limit.")),
    errno.EFBIG: (
        N_("{path} may not grow further (file size limit)."),
        N_("Raise the limit (ulimit -f) and try again."),
    ),
    errno.EIO: (N_("The disk failed at {path}."), N_("Check the disk; copy the data directory to a safe place first.")),
}
if hasattr(errno, "EDQUOT"):
    _WORDS[errno.EDQUOT] = (
        N_("Your disk quota is used up at {path}."),
        N_("Free some space and try again; nothing is lost."),
    )


class Writer(Protocol):
    """What :func:`write_atomic` needs of an open file (tests put a failing one in its place)."""

    def write(self, data: bytes, /) -> int | None: ...
    def flush(self) -> object: ...
    def fileno(self) -> int: ...
    def close(self) -> object: ...


def explain(error: OSError, path: Path | str, doing: str = "") -> DokoError:
    """*error* at *path* in words (exit code 3); *doing* is a translated clause put in front."""
    words = _WORDS.get(error.errno or 0)
    if words is None:
        message = _("{path}: {reason}.").format(path=path, reason=error.strerror or type(error).__name__)
        hint = ""
    else:
        message, hint = _(words[0]).format(path=path), _(words[1])
    return DokoError(f"{doing} {message}".strip(), hint, EXIT_ENVIRONMENT)


def _open_descriptor(descriptor: int) -> Writer:
    return os.fdopen(descriptor, "wb", buffering=0)


def _sync_directory(directory: Path) -> None:
    """Make a new name durable; where a directory cannot be opened (Windows) the system sees to it itself."""
    with contextlib.suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def write_atomic(
    path: Path,
    data: bytes,
    *,
    replace: bool = False,
    mode: int = PRIVATE_FILE,
    opener: Callable[[int], Writer] = _open_descriptor,
) -> None:
    """Create *path* with *data*, durable, or leave everything as it was.

    The bytes are written and synced under a temporary name with *mode* from the start (never readable by others for a
    moment), then take the name in one step.  Without *replace* an existing file is kept and refused (``EEXIST``).
    Raises :class:`DokoError` (exit code 3).
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(6)}.tmp")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
        try:
            file = opener(descriptor)
            try:
                view = memoryview(data)
                while view:
                    view = view[file.write(bytes(view)) or 0 :]
                file.flush()
                os.fsync(file.fileno())
            finally:
                file.close()
            if replace:
                os.replace(temporary, path)
            else:
                _take_name(temporary, path)
            _sync_directory(path.parent)
        finally:
            with contextlib.suppress(FileNotFoundError):
                temporary.unlink()
    except OSError as error:
        raise explain(error, path, _("Could not save.")) from error


def _take_name(temporary: Path, path: Path) -> None:
    """Give *temporary* the name *path* unless that is taken (``FileExistsError``)."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise
    except (OSError, AttributeError, NotImplementedError):  # a file system without hard links
        if path.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from None
        os.rename(temporary, path)


def read_limited(path: Path, limit: int) -> bytes:
    """The bytes of *path*, at most *limit* (a larger file is refused unread).  Raises :class:`DokoError`."""
    try:
        with path.open("rb") as file:
            data = file.read(limit + 1)
    except OSError as error:
        raise explain(error, path, _("Could not read.")) from error
    if len(data) > limit:
        raise DokoError(
            _("{path} is too large ({limit} bytes at most).").format(path=path, limit=limit), _("Is it the right file?")
        )
    return data


def make_private_directory(path: Path) -> None:
    """Create *path* and its parents; every new directory is for its owner alone.  Raises :class:`DokoError`."""
    missing = [path, *path.parents]
    missing = missing[: next((i for i, one in enumerate(missing) if one.is_dir()), len(missing))]
    try:
        for one in reversed(missing):
            one.mkdir(mode=PRIVATE_DIR, exist_ok=True)
    except OSError as error:
        raise explain(error, path, _("Could not make the directory.")) from error
