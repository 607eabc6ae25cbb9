"""Children that never outlive their parent, on every platform: a child on the leash watches its standard input.

The parent keeps the other end of that pipe open and never has to do anything: when it ends, in whatever way, the pipe
does too, the child stops in good order, and if that takes too long, at once.
"""

import os
import signal
import sys
import threading
from typing import Final

#: How long the child may take to stop (seconds).
GRACE_S: Final = 5.0


def follow_parent() -> None:
    """Stop this process as by SIGTERM when its standard input ends."""
    threading.Thread(target=_watch, name="leash", daemon=True).start()


def read_line() -> str:
    """One line of standard input, read byte by byte so that nothing is taken that :func:`follow_parent` waits for."""
    line = b""
    while len(line) < 1024:
        byte = os.read(sys.stdin.fileno(), 1)
        if byte in (b"", b"\n"):
            break
        line += byte
    return line.decode("utf-8", "replace")


def _watch() -> None:
    descriptor = sys.stdin.fileno()
    try:
        while os.read(descriptor, 256):
            pass
    except OSError:
        pass  # gone as well
    threading.Timer(GRACE_S, os._exit, (128 + signal.SIGTERM,)).start()
    signal.raise_signal(signal.SIGTERM)
