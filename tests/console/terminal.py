"""Real terminals for tests: programs in tmux, driven by keys alone, read by what is on the screen."""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from uuid import uuid4

START = "from node.cli.main import main; main()"


def tmux_missing() -> bool:
    """Whether these tests cannot run here."""
    return shutil.which("tmux") is None


def doko(*arguments: str) -> list[str]:
    """The command line of ``doko`` with this interpreter."""
    return [sys.executable, "-c", START, *arguments]


class Pane:
    """One terminal with one program in it; a shell stays behind when the program ends."""

    def __init__(self, server: "Tmux", name: str) -> None:
        self.server = server
        self.name = name

    def keys(self, *keys: str) -> None:
        """Press keys, named as tmux names them (``Enter``, ``Tab``, ``C-c``)."""
        self.server.call("send-keys", "-t", self.name, *keys)

    def type(self, text: str) -> None:
        """Type *text* as it is."""
        self.server.call("send-keys", "-t", self.name, "-l", text)

    def screen(self, history: bool = False) -> str:
        """What is on the screen now (*history*: with what has scrolled away)."""
        extra = ["-S", "-"] if history else []
        return self.server.call("capture-pane", "-p", "-t", self.name, *extra)

    def cursor(self) -> tuple[int, int]:
        """Column and row of the cursor."""
        x, y = self.server.call("display-message", "-p", "-t", self.name, "#{cursor_x} #{cursor_y}").split()
        return int(x), int(y)

    def resize(self, width: int, height: int) -> None:
        """Change the terminal's size."""
        self.server.call("resize-window", "-t", self.name, "-x", str(width), "-y", str(height))

    def wait_for(self, pattern: str, within: float = 30.0, history: bool = False) -> str:
        """The screen as soon as *pattern* is on it; ``AssertionError`` with the screen if it does not come."""
        return self.wait_until(lambda text: re.search(pattern, text) is not None, within, pattern, history)

    def wait_until(
        self, holds: Callable[[str], bool], within: float = 30.0, what: str = "", history: bool = False
    ) -> str:
        """The screen as soon as *holds* of it."""
        deadline = time.monotonic() + within
        while True:
            text = self.screen(history)
            if holds(text):
                return text
            assert time.monotonic() < deadline, f"{self.name}: {what!r} did not come; the screen is\n{text}"
            time.sleep(0.03)

    def process(self) -> int:
        """The process id of the program that runs in the pane's shell."""
        shell = int(self.server.call("display-message", "-p", "-t", self.name, "#{pane_pid}"))
        found = subprocess.run(["pgrep", "-P", str(shell)], capture_output=True, text=True, check=False).stdout.split()
        return int(found[0]) if found else shell


class Tmux:
    """A tmux server of our own; use :func:`tmux`."""

    def __init__(self) -> None:
        self.socket = f"doko-{uuid4().hex[:12]}"

    def call(self, *arguments: str) -> str:
        """Run a tmux command; its output."""
        command = ["tmux", "-L", self.socket, "-f", os.devnull, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=20).stdout

    def pane(
        self,
        name: str,
        command: list[str],
        width: int = 80,
        height: int = 24,
        environ: Mapping[str, str] | None = None,
    ) -> Pane:
        """A new terminal that runs *command* in a shell and stays.

        When it ends ``[exit N]`` is printed, and ``[terminal as before]`` if all the terminal's modes are.
        """
        variables = {"LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", **(environ or {})}
        quoted = " ".join("'" + word.replace("'", "'\\''") + "'" for word in command)
        script = f'was=$(stty -g); {quoted}; echo "[exit $?]"'
        script += '; test "$was" = "$(stty -g)" && echo "[terminal as before]"; exec sh'
        self.call(
            "new-session", "-d", "-s", name, "-x", str(width), "-y", str(height),
            *(f"-e{key}={value}" for key, value in variables.items()), "sh", "-c", script,
        )  # fmt: skip
        return Pane(self, name)

    def close(self) -> None:
        """End the server and everything in it."""
        subprocess.run(["tmux", "-L", self.socket, "kill-server"], capture_output=True, check=False, timeout=20)


@contextmanager
def tmux() -> Iterator[Tmux]:
    """A tmux server for the time of the block."""
    server = Tmux()
    try:
        yield server
    finally:
        server.close()
