"""Real node processes, driven from a test: started by the ordinary command, heard through ``--events``, killed at will.

Nothing here sleeps to wait for something: every wait is for a line, an end of a process, or a deadline that fails the
test.
"""

import json
import os
import queue
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

COMMAND = [sys.executable, "-c", "from node.cli.main import main; main()"]
#: A test that waits longer than this for one thing has failed (seconds; a loaded machine is slow).
PATIENCE = 90.0

Line = dict[str, Any]


class NodeProcess:
    """One ``doko ... --events`` process."""

    def __init__(self, *args: str, data: Path, file_blocks: int | None = None, command: list[str] = COMMAND) -> None:
        """*file_blocks*: no file grows beyond so many blocks of 512 bytes, as on a full disk; *command*: ours."""
        limit = [] if file_blocks is None else ["sh", "-c", f'ulimit -f {file_blocks}; exec "$@"', "sh"]
        self.data = data
        self.lines: list[Line] = []
        self.errors = ""
        self._news: queue.Queue[Line | None] = queue.Queue()
        data.mkdir(parents=True, exist_ok=True)
        self.process = subprocess.Popen(
            [*limit, *command, "--data", str(data), *args],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "DOKO_LANG": "en", "PYTHONUNBUFFERED": "1"},
        )
        self._threads = [
            threading.Thread(target=self._read_lines, daemon=True),
            threading.Thread(target=self._read_errors, daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def _read_lines(self) -> None:
        assert self.process.stdout is not None
        for raw in self.process.stdout:
            try:
                line = json.loads(raw)
            except ValueError:
                line = {"event": "text", "text": raw.decode("utf-8", "replace")}
            self.lines.append(line)
            self._news.put(line)
        self._news.put(None)

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        for raw in self.process.stderr:
            self.errors += raw.decode("utf-8", "replace")

    def wait_for(self, wanted: Callable[[Line], bool], patience: float = PATIENCE) -> Line:
        """The next line that is *wanted*; fails if the process ends or nothing comes in time."""
        end = time.monotonic() + patience
        while True:
            try:
                line = self._news.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"nothing came in time; last: {self.lines[-3:]}; {self.errors}") from None
            if line is None:
                code = self.process.wait()
                raise AssertionError(f"the node ended with {code}: {self.errors}; last: {self.lines[-3:]}")
            if wanted(line):
                return line

    def event(self, name: str, patience: float = PATIENCE) -> Line:
        """The next line of this name."""
        return self.wait_for(lambda line: line["event"] == name, patience)

    def end(self, patience: float = PATIENCE) -> int:
        """The exit code, once the process has ended by itself."""
        try:
            code = self.process.wait(patience)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"it goes on; last: {self.lines[-3:]}; {self.errors}") from None
        for thread in self._threads:
            thread.join(5)
        return code

    def kill(self) -> None:
        """``kill -9``."""
        self.process.kill()
        self.process.wait()

    def signal(self, number: int = signal.SIGTERM) -> None:
        self.process.send_signal(number)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for thread in self._threads:
            thread.join(5)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe is not None
            pipe.close()


class Four:
    """Four nodes at one table, by seat; a node that was killed can be started again where it was."""

    def __init__(
        self,
        home: Path,
        *,
        level: str = "random",
        terms: tuple[str, ...] = (),
        full_disk: tuple[int, int] | None = None,
    ) -> None:
        """*full_disk*: (seat, blocks of 512 bytes that a file of its may have)."""
        self.home = home
        self._full = full_disk or (-1, 0)
        self._level = level
        self._terms = terms
        self.nodes: list[NodeProcess] = []
        self._started: list[NodeProcess] = []

    def start(self) -> None:
        """Open the table, join it, and wait until all four sit."""
        self._add("table", "open", *self._terms, *self._common(0), seat=0)
        address = self.nodes[0].event("listening")["reach"]
        for seat in (1, 2, 3):
            blocks = self._full[1] if seat == self._full[0] else None
            self._add("table", "join", address, *self._common(seat), seat=seat, file_blocks=blocks)
        for node in self.nodes:
            node.event("seated")

    def _common(self, seat: int) -> list[str]:
        return [
            "--auto",
            self._level,
            "--seat",
            str(seat + 1),
            "--nick",
            f"player{seat + 1}",
            "--listen",
            "127.0.0.1:0",
            "--seed",
            f"test/{seat}",
            "--events",
            "--leash",
        ]

    def _add(self, *args: str, seat: int, file_blocks: int | None = None) -> None:
        node = NodeProcess(*args, data=self.home / f"node{seat + 1}", file_blocks=file_blocks)
        self._started.append(node)
        if seat < len(self.nodes):
            self.nodes[seat] = node
        else:
            self.nodes.append(node)

    def restart(self, seat: int) -> None:
        """Take the match up again at *seat*."""
        self._add("table", "resume", "--events", "--leash", seat=seat)

    def settlements(self) -> list[bytes]:
        """Wait for the four ends; the four files."""
        files = []
        for node in self.nodes:
            settled = next((line for line in node.lines if line["event"] == "settled"), None) or node.event("settled")
            files.append(Path(settled["path"]).read_bytes())
        return files

    def close(self) -> None:
        for node in self._started:
            node.close()


@contextmanager
def four_nodes(home: Path, **options: Any) -> Iterator[Four]:
    """Four nodes that sit at a table; whatever happens, none of them stays behind."""
    four = Four(home, **options)
    try:
        four.start()
        yield four
    finally:
        four.close()


def free_port() -> int:
    """A port nobody listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
