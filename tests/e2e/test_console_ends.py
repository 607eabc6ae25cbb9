"""However a console ends, the terminal is given back and the match can be taken up again with one command.

Real processes in a real terminal (tmux): signals, Ctrl-Z and fg, the smallest terminal, a terminal that is closed, a
crash inside the node and one inside the interface.
"""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.console.terminal import Pane, Tmux, doko, tmux, tmux_missing

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(240),
    pytest.mark.skipif(tmux_missing(), reason="tmux is not installed"),
]

ASKED = r"Healthy, or a reservation\?|You lead|Your turn; led"
#: A command that breaks when a certain thing is done in it.
BREAKS = {
    "interface": "from node.console import tablepage as t; t.TablePage.do_sort = lambda self, key='': 1 / 0",
    "drawing": "from node.console import tablepage as t; t.TablePage.do_sort = lambda self, key='': "
    "setattr(t.TablePage, 'draw', lambda *a: 1 / 0)",
    "node": "from node import home; home.Home._act = lambda self, command: 1 / 0",
}


@pytest.fixture
def server() -> Iterator[Tmux]:
    with tmux() as server:
        yield server


def play(folder: Path) -> list[str]:
    return doko("--data", str(folder), "play", "--nick", "Dora", "--pace", "0")


def broken(what: str, folder: Path) -> list[str]:
    start = f"{BREAKS[what]}; from node.cli.main import main; main()"
    return [sys.executable, "-c", start, "--data", str(folder), "play", "--nick", "Dora", "--pace", "0"]


def given_back(pane: Pane, *, ended: bool = True) -> None:
    """The shell behind works, on the normal screen, with a cursor, and all modes are as they were."""
    if ended:
        pane.wait_for(r"\[terminal as before\]")
    pane.keys("C-u")
    pane.type("echo still $((20 + 3)) here")
    pane.keys("Enter")
    pane.wait_for("still 23 here")
    flags = pane.server.call(
        "display-message", "-p", "-t", pane.name, "#{alternate_on} #{cursor_flag} #{mouse_any_flag}"
    )
    assert flags.split() == ["0", "1", "0"]


def modes(pane: Pane, path: Path) -> str:
    """The modes of the terminal as its shell's commands see them, asked once for each *path*."""
    if not path.exists():
        pane.type(f"stty -a > {path}.part; mv {path}.part {path}")
        pane.keys("Enter")
        eventually(path.exists)
    return path.read_text()


def taken_up(server: Tmux, folder: Path) -> None:
    """One command, one key, and the hand goes on."""
    pane = server.pane("again", doko("--data", str(folder)), environ={"DOKO_NETWORK_LISTEN": "127.0.0.1:0"})
    pane.wait_for("take up again")
    pane.keys("Enter")
    pane.wait_for(ASKED, 60)
    pane.keys("C-c", "C-c")
    pane.wait_for(r"\[exit 0\]")


def no_computers(folder: Path) -> bool:
    """None of the computers' processes is left."""
    found = subprocess.run(["pgrep", "-f", str(folder / "bots")], capture_output=True, text=True, check=False)
    return found.stdout.strip() == ""


def eventually(holds: Callable[[], bool], within: float = 15.0) -> None:
    deadline = time.monotonic() + within
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@contextmanager
def in_a_match(server: Tmux, command: list[str]) -> Iterator[Pane]:
    pane = server.pane("play", command)
    pane.wait_for(ASKED, 60)
    yield pane


@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_signals(server: Tmux, tmp_path: Path, name: str, code: int) -> None:
    with in_a_match(server, play(tmp_path)) as pane:
        os.kill(pane.process(), getattr(signal, name))
        text = pane.wait_for(rf"\[exit {code}\]")
        assert "Your match is kept. Take it up again with: doko" in " ".join(text.split())
        given_back(pane)
    eventually(lambda: no_computers(tmp_path))
    taken_up(server, tmp_path)


def test_keys_leave_it_in_order(server: Tmux, tmp_path: Path) -> None:
    with in_a_match(server, play(tmp_path)) as pane:
        pane.keys("q")
        pane.wait_for("The match stays open")
        pane.keys("2")
        pane.wait_for(r"\[exit 0\]")
        given_back(pane)
    taken_up(server, tmp_path)


def test_kill_9_of_everything(server: Tmux, tmp_path: Path) -> None:
    with in_a_match(server, play(tmp_path)) as pane:
        os.kill(pane.process(), signal.SIGKILL)
        pane.wait_for(r"\[exit 137\]")
    eventually(lambda: no_computers(tmp_path))  # the leash
    taken_up(server, tmp_path)


def test_a_closed_terminal(server: Tmux, tmp_path: Path) -> None:
    with in_a_match(server, play(tmp_path)) as pane:
        process = pane.process()
        server.call("kill-session", "-t", pane.name)
        eventually(lambda: not Path(f"/proc/{process}").exists())
    eventually(lambda: no_computers(tmp_path))
    with tmux() as other:
        taken_up(other, tmp_path)


def test_the_smallest_terminal_and_back(server: Tmux, tmp_path: Path) -> None:
    with in_a_match(server, play(tmp_path)) as pane:
        before = pane.screen()
        for width, height in ((1, 1), (39, 11), (40, 12), (120, 40), (2, 30), (300, 3), (80, 24)):
            pane.resize(width, height)
            if (width, height) == (39, 11):
                pane.wait_for("enlarge")
            elif width >= 40 and height >= 12:
                pane.wait_for(ASKED)
        pane.wait_until(lambda text: text.split("\n")[3:18] == before.split("\n")[3:18])
        pane.keys("C-c", "C-c")
        pane.wait_for(r"\[exit 0\]")


def test_ctrl_z_and_fg(server: Tmux, tmp_path: Path) -> None:
    pane = server.pane("shell", ["bash", "--norc", "--noprofile", "-i"])
    modes(pane, tmp_path / "before")
    pane.type(" ".join(f"'{word}'" for word in play(tmp_path)))
    pane.keys("Enter")
    pane.wait_for(ASKED, 60)
    pane.keys("C-z")
    pane.wait_for(r"[Ss]topped")
    given_back(pane, ended=False)
    assert modes(pane, tmp_path / "stopped") == modes(pane, tmp_path / "before")
    pane.type("fg")
    pane.keys("Enter")
    pane.wait_for(ASKED)
    pane.keys("o")
    pane.keys("C-c", "C-c")
    pane.wait_for("Your match is kept")
    given_back(pane, ended=False)
    assert modes(pane, tmp_path / "after") == modes(pane, tmp_path / "before")


@pytest.mark.parametrize("what", ["interface", "drawing", "node"])
def test_a_crash_is_told_on_a_working_terminal(server: Tmux, tmp_path: Path, what: str) -> None:
    with in_a_match(server, broken(what, tmp_path)) as pane:
        pane.wait_until(lambda text: re.search(ASKED, text) is not None)
        time.sleep(0.5)  # the input lock: a key that answers at once is not taken
        pane.keys("o" if what != "node" else "Enter")
        text = " ".join(pane.wait_for(r"\[exit \d+\]").split())
        assert "Something went wrong inside doko (ZeroDivisionError" in text
        assert "Your match is kept." in text
        assert "Traceback" not in text
        assert "[exit 0]" not in text
        given_back(pane)
    eventually(lambda: no_computers(tmp_path))
    taken_up(server, tmp_path)


def test_a_plain_console_whose_input_ends(tmp_path: Path) -> None:
    """In a pipe: the input is at its end while a match is on."""
    command = [*play(tmp_path), "--plain"]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    for line in process.stdout:
        if "Healthy, or a reservation?" in line:
            break
    process.stdin.close()
    rest, errors = process.stdout.read(), process.stderr.read() if process.stderr is not None else ""
    process.stdout.close()
    if process.stderr is not None:
        process.stderr.close()
    assert process.wait(30) == 1  # a match is not played to its end
    assert "Your match is kept." in rest
    assert "The input has ended." in errors
    eventually(lambda: no_computers(tmp_path))
