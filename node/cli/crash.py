"""An unexpected error: a short text for the person, a report in a file for whoever mends it, no secrets in either."""

import platform
import time
import traceback
from pathlib import Path

from node import __version__
from node.files import make_private_directory, write_atomic
from node.logs import redact_text

#: Reports kept; older ones make room.
KEPT = 20


def report_text(error: BaseException, when: float) -> str:
    """The report: versions and the traceback with everything blacked out that looks like a secret.

    No values of variables and no command line: those may hold anything.
    """
    head = (
        f"doko {__version__}, Python {platform.python_version()}, {platform.platform()}\n"
        f"{time.strftime('%Y-%m-%d %H:%M:%S', time.gmtime(when))} UTC\n\n"
    )
    lines = "".join(traceback.format_exception(error))
    return head + "\n".join(redact_text(line) for line in lines.splitlines()) + "\n"


def write_report(error: BaseException, directory: Path, when: float | None = None) -> Path | None:
    """Write a report into *directory* (made if missing); ``None`` if that does not work either."""
    when = time.time() if when is None else when
    try:
        make_private_directory(directory)
        old = sorted(directory.glob("crash-*.txt"))
        for path in old[: max(0, len(old) - KEPT + 1)]:
            path.unlink(missing_ok=True)
        stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(when))
        path = directory / f"crash-{stamp}-{time.monotonic_ns() % 10**6:06}.txt"
        write_atomic(path, report_text(error, when).encode("utf-8", "backslashreplace"))
    except Exception:
        return None
    return path


def what(error: BaseException) -> str:
    """One line: the kind of error and where in our own code it came up."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f", {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{place}"
