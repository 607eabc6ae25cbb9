"""Four nodes started by hand, as four friends on four machines would: one opens a table, three join by address.

    python examples/four_nodes.py

What it runs is, in four terminals:

    doko --data anna  table open --auto beginner --listen 127.0.0.1:PORT
    doko --data bela  table join 127.0.0.1:PORT --auto beginner --listen 127.0.0.1:0
    (and the same for two more)
"""

import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def free_port() -> int:
    """A TCP port that nothing listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_until_open(port: int, seconds: float) -> None:
    """Return as soon as something listens on *port*."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise TimeoutError(f"nothing listens on port {port}")


def main() -> int:
    """0 if all four processes ended well; prints what Anna saw."""
    doko = [sys.executable, "-m", "node.cli.main"]
    address = f"127.0.0.1:{free_port()}"
    with tempfile.TemporaryDirectory() as home:
        common = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "encoding": "utf-8"}

        def node(name: str, *verb: str) -> "subprocess.Popen[str]":
            command = [*doko, "--data", str(Path(home, name)), "table", *verb, "--auto", "beginner", "--nick", name]
            return subprocess.Popen(command, **common)  # type: ignore[call-overload,no-any-return]

        nodes = [node("anna", "open", "--listen", address)]
        wait_until_open(int(address.rpartition(":")[2]), 30)
        nodes += [node(name, "join", address, "--listen", "127.0.0.1:0") for name in ("bela", "carl", "dora")]
        texts = [process.communicate(timeout=300)[0] for process in nodes]
    print(texts[0])
    return max(process.returncode for process in nodes)


if __name__ == "__main__":
    sys.exit(main())
