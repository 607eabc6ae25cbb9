"""Four people at four terminals play a whole match of four hands by keys alone: three full screens, one plain.

One of the screens is in Polish.  Everything from the first start on is done by keys: nickname, table, seats, terms.
"""

import gettext
import re
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from node.i18n import DOMAIN, LOCALE_DIR
from tests.console.terminal import Pane, doko, tmux, tmux_missing

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(tmux_missing(), reason="tmux is not installed"),
]

Translate = Callable[[str], str]


def language(code: str) -> Translate:
    """The texts of a language."""
    if code == "en":
        return lambda text: text
    return gettext.translation(DOMAIN, LOCALE_DIR, languages=[code], fallback=True).gettext


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Player:
    """One person: looks at the screen, and presses what the screen asks for."""

    def __init__(self, pane: Pane, code: str, plain: bool) -> None:
        self.pane = pane
        self.say = language(code)
        self.plain = plain
        self.answered = 0

    def begins(self, text: str) -> str:
        """A pattern for a text with names in it: what stands before the first name."""
        return re.escape(self.say(text).split("{")[0].strip())

    def first_start(self, name: str) -> None:
        self.pane.wait_for(re.escape(self.say("What shall your friends call you?")))
        self.pane.type(name)
        self.pane.keys("Enter")
        ready = self.say("leave doko") if self.plain else self.say("Open tables")
        self.pane.wait_for(re.escape(ready))

    def act(self) -> bool:
        """Do what is asked now; whether the match is over."""
        text = self.pane.screen()
        return self._plain(text) if self.plain else self._full(text)

    def _full(self, text: str) -> bool:
        say = self.say
        if say("Settlement") in text.split("\n")[0]:
            return True
        score = say("Score") + ":"
        if score in text.split("\n")[0]:
            # One key a page: a second one, pressed before the screen has changed, would close the settlement unread.
            self.pane.keys("Enter")
            end = time.monotonic() + 20
            while score in self.pane.screen().split("\n")[0] and time.monotonic() < end:
                time.sleep(0.05)
            return False
        if (
            say("Healthy, or a reservation?") in text
            or say("You lead: choose a card.") in text
            or re.search(self.begins("Your turn; led: {led}."), text)
        ):
            self.pane.keys("Enter")
        return False

    def _plain(self, text: str) -> bool:
        if "doko verify" in text:
            return True
        lines = [line for line in text.split("\n") if line.strip()]
        last = lines[-1] if lines else ""
        if re.match(rf"  0  {re.escape(self.say('more'))}", last) or re.match(
            self.begins("May not be played now: {cards}"), last
        ):
            self.pane.keys("1", "Enter")
        return False


def test_four_consoles_play_four_hands(tmp_path: Path) -> None:
    port = free_port()
    kinds = [("Anna", "en", False, 80, 24), ("Bruno", "pl", False, 100, 30), ("Carla", "en", True, 80, 24),
             ("Dora", "de", False, 120, 40)]  # fmt: skip
    environ = {"DOKO_CONSOLE_DWELL": "0", "DOKO_CONSOLE_LOCK": "0", "DOKO_NETWORK_LAN": "no"}
    with tmux() as server:
        players = []
        for number, (name, code, plain, width, height) in enumerate(kinds):
            where = f"127.0.0.1:{port if number == 0 else 0}"
            extra = ["--plain"] if plain else []
            pane = server.pane(
                name, doko("--data", str(tmp_path / name), "--lang", code, *extra), width, height,
                {**environ, "DOKO_NETWORK_LISTEN": where},
            )  # fmt: skip
            player = Player(pane, code, plain)
            player.first_start(name)
            players.append(player)
        anna = players[0]
        anna.pane.keys("n")
        anna.pane.wait_for("New table")
        anna.pane.keys(*["Down"] * 5, "Left", "Enter")  # seats for anyone
        anna.pane.wait_for("3 seats are free")
        for player in players[1:]:
            if player.plain:
                player.pane.keys("2", "Enter")
            else:
                player.pane.keys("j")
            player.pane.wait_for(re.escape(player.say("Address (host:port) or doko: link")[:20]))
            player.pane.type(f"127.0.0.1:{port}")
            player.pane.keys("Enter")
            player.pane.wait_for(re.escape(player.say("The terms, which all four confirm:"))[:20]
                                 if not player.plain else re.escape(player.say("leave this table")))  # fmt: skip
        for player in players:
            if player.plain:
                player.pane.wait_for(re.escape(player.say("I agree to these terms and am ready")))
                player.pane.keys("1", "Enter")
            else:
                player.pane.wait_for(re.escape(player.say("Read the terms. Enter agrees to them: you are ready.")[:18]))
                player.pane.keys("Enter")
        deadline = time.monotonic() + 600
        over = [False] * 4
        while not all(over):
            for number, player in enumerate(players):
                over[number] = over[number] or player.act()
            assert time.monotonic() < deadline, "\n\n".join(player.pane.screen() for player in players)
            time.sleep(0.05)
        for player in players:
            signed = re.escape(player.say("All four have signed the same bytes.")[:20])
            player.pane.wait_for(signed, history=player.plain)
        for player in players:
            player.pane.keys("C-c")
        files = [next((tmp_path / kind[0] / "settlements").glob("*.settlement")) for kind in kinds]
        assert len({file.read_bytes() for file in files}) == 1
        checked = subprocess.run(doko("verify", str(files[0])), capture_output=True, text=True, check=False)
        assert checked.returncode == 0, checked.stderr


def test_the_screen_is_given_back(tmp_path: Path) -> None:
    """After leaving by keys the terminal is as it was: normal screen, echo on, cursor seen."""
    with tmux() as server:
        pane = server.pane("one", doko("--data", str(tmp_path)), environ={"DOKO_NETWORK_LISTEN": "127.0.0.1:0"})
        pane.wait_for("What shall your friends call you")
        pane.type("Anna")
        pane.keys("Enter")
        pane.wait_for("Open tables")
        pane.keys("q")
        pane.wait_for("Leave")
        pane.keys("2")
        pane.wait_for(r"\[exit 0\]")
        pane.type("echo still $((20 + 3)) here")
        pane.wait_for(r"echo still")
        pane.keys("Enter")
        pane.wait_for("still 23 here")
        assert server.call("display-message", "-p", "-t", "one", "#{alternate_on} #{cursor_flag}").split() == ["0", "1"]
