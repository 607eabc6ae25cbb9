"""The log: one JSON object a line in a file of limited size, without secrets, never in the way.

A full disk or a lost directory must not stop a match, so a line that cannot be written is dropped and counted.
Byte strings are secrets until proven otherwise: they are never written; identities and hashes are logged through
:func:`short`.
"""

import contextlib
import logging
import os
import re
import threading
from collections.abc import Mapping, MutableMapping
from pathlib import Path
from typing import Any, Final

import structlog

from node.files import PRIVATE_FILE, make_private_directory

LEVELS: Final = {"debug": 10, "info": 20, "warning": 30, "error": 40}
#: A longer text in a line is cut.
TEXT_LIMIT: Final = 2000
_SECRET_NAME: Final = re.compile(
    r"secret|private|passphrase|password|token|seed|psk|nonce|invite|signing|cookie|(^|_)keys?$", re.IGNORECASE
)
#: 24 and more hexadecimal digits, 40 and more of base64, byte literals: too long to be anything but a key or a token.
_SECRET_TEXT: Final = re.compile(
    r"doko:[A-Za-z0-9_=-]+|\b[0-9a-fA-F]{24,}\b|(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{40,}(?![A-Za-z0-9_-])"
    r"|(?<!['\"])\bb(['\"])(?:\\.|(?!\1).)*\1|(?:[^\s'\"]{0,6}?\\{1,4}x[0-9a-fA-F]{2}){3,}[^\s'\"]*"
)
HIDDEN: Final = "<hidden>"
_DEPTH: Final = 6


def short(key: bytes) -> str:
    """The first 8 hexadecimal digits of a public *key* or hash: enough to recognise it in a log."""
    return key[:4].hex()


def redact_text(text: str) -> str:
    """*text* without anything that looks like a key, a token or raw bytes, cut at :data:`TEXT_LIMIT`."""
    if len(text) > TEXT_LIMIT:
        text = text[:TEXT_LIMIT] + "..."
    return _SECRET_TEXT.sub(HIDDEN, text)


def redact(value: Any, name: str = "", depth: int = 0) -> Any:
    """*value* as it may be logged under *name*."""
    if name and _SECRET_NAME.search(name) and not isinstance(value, bool | None):
        return HIDDEN
    if value is None or isinstance(value, bool | int | float):
        return value if not isinstance(value, int) or abs(value) < 2**64 else HIDDEN  # a scalar of the deal
    if isinstance(value, bytes | bytearray | memoryview):
        return f"<{len(value)} bytes>"
    if isinstance(value, str):
        return redact_text(value)
    if depth >= _DEPTH:
        return "..."
    if isinstance(value, Mapping):
        return {redact_text(str(key)): redact(item, str(key), depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [redact(item, "", depth + 1) for item in value]
    return redact_text(str(value))


def redact_event(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """The structlog processor: no value leaves it unchecked."""
    return {key: redact(value, key) for key, value in event.items()}


class LogFile:
    """An append-only file that is renamed ``.1``, ``.2`` ... at *limit* bytes; at most *files* of them are kept."""

    def __init__(self, path: Path, limit: int, files: int) -> None:
        self.path = path
        self.limit = limit
        self.files = files
        #: Lines that could not be written.
        self.dropped = 0
        self._mutex = threading.Lock()
        self._descriptor: int | None = None
        self._size = 0

    def write_line(self, line: str) -> None:
        """Append *line*; an error of the system drops it."""
        data = line.encode("utf-8", "backslashreplace") + b"\n"
        with self._mutex:
            try:
                if self._descriptor is not None and self._size + len(data) > self.limit:
                    self._rotate()
                if self._descriptor is None:
                    self._open()
                assert self._descriptor is not None
                self._size += os.write(self._descriptor, data)
            except OSError:
                self.dropped += 1

    def _open(self) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
        self._descriptor = os.open(self.path, flags, PRIVATE_FILE)
        self._size = os.fstat(self._descriptor).st_size

    def _rotate(self) -> None:
        self._close()
        if self.files > 1:
            for number in range(self.files - 1, 0, -1):
                source = self.path if number == 1 else self.path.with_name(f"{self.path.name}.{number - 1}")
                with contextlib.suppress(FileNotFoundError):
                    os.replace(source, self.path.with_name(f"{self.path.name}.{number}"))
        else:
            with contextlib.suppress(FileNotFoundError):
                self.path.unlink()

    def _close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def close(self) -> None:
        """Close the file; a later line opens it again."""
        with self._mutex:
            self._close()


class _FileLogger:
    """What structlog calls in the end."""

    def __init__(self, file: LogFile) -> None:
        self._file = file

    def msg(self, message: str) -> None:
        self._file.write_line(message)

    debug = info = warning = warn = error = critical = exception = fatal = log = failure = msg


class _Bridge(logging.Handler):
    """Warnings of libraries that use :mod:`logging` (asyncio, zeroconf) go the same way."""

    def emit(self, record: logging.LogRecord) -> None:
        with contextlib.suppress(Exception):
            text = record.getMessage()
            structlog.get_logger("library").warning(text, library=record.name, grade=record.levelname)


_file: LogFile | None = None
_bridge: _Bridge | None = None


def setup(path: Path, level: str = "info", megabytes: float = 4.0, files: int = 3) -> LogFile:
    """Log to *path* from now on, from *level* up; if its directory cannot be made, nothing is logged."""
    global _file, _bridge
    shutdown()
    with contextlib.suppress(Exception):
        make_private_directory(path.parent)
    _file = LogFile(path, int(megabytes * 1_000_000), files)
    target = _FileLogger(_file)
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.ExceptionRenderer(_exception_text),
            redact_event,
            structlog.processors.JSONRenderer(ensure_ascii=False),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        logger_factory=lambda *_args: target,
        cache_logger_on_first_use=False,
    )
    _bridge = _Bridge(logging.WARNING)
    logging.getLogger().addHandler(_bridge)
    return _file


def _exception_text(exc_info: Any) -> str:
    """Where it happened, by file and line, and what; no local variables."""
    import traceback

    kind, error, trace = exc_info
    frames = traceback.extract_tb(trace)
    places = "; ".join(f"{Path(f.filename).name}:{f.lineno} {f.name}" for f in frames[-12:])
    return f"{kind.__name__}: {error} [{places}]"


def shutdown() -> None:
    """Close the log file; nothing is logged any more."""
    global _file, _bridge
    if _bridge is not None:
        logging.getLogger().removeHandler(_bridge)
        _bridge = None
    if _file is not None:
        _file.close()
        _file = None
    structlog.configure(
        processors=[_drop],
        wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL),
        logger_factory=lambda *_args: _Silent(),
        cache_logger_on_first_use=False,
    )


def _drop(_logger: Any, _method: str, _event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    raise structlog.DropEvent


class _Silent:
    def msg(self, message: str) -> None:
        """Nothing."""

    debug = info = warning = warn = error = critical = exception = fatal = log = failure = msg


def get(name: str) -> Any:
    """A logger whose lines say *name*: ``get("hub").info("connected", peer=short(key))``."""
    return structlog.get_logger(source=name)


shutdown()  # until setup() there is no log: structlog's own default would write to the terminal
