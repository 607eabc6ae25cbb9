"""Two people at two full screens play a duel with two computers, each from a friend's host, by keys alone."""

import json
import re
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from node.bots.levels import LEVELS
from protocol.table.verify import verify
from tests.console.terminal import doko as command
from tests.console.terminal import tmux, tmux_missing
from tests.e2e.hosts import doko, key_of, nodes, start_house
from tests.e2e.processes import free_port
from tests.e2e.test_consoles import Player

__all__ = ["nodes"]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(tmux_missing(), reason="tmux is not installed"),
]

HOSTS = ("Carla", "Dora")


def test_two_consoles_and_two_hosted_computers_play_a_duel(tmp_path: Path, nodes: ExitStack) -> None:
    port = free_port()
    environ = {"DOKO_CONSOLE_DWELL": "0", "DOKO_CONSOLE_LOCK": "0", "DOKO_NETWORK_LAN": "no"}
    with tmux() as server:
        players = []
        for number, name in enumerate(("Anna", "Bruno")):
            where = f"127.0.0.1:{port if number == 0 else 0}"
            pane = server.pane(
                name, command("--data", str(tmp_path / name), "--lang", "en"), 100, 36,
                {**environ, "DOKO_NETWORK_LISTEN": where},
            )  # fmt: skip
            player = Player(pane, "en", False)
            player.first_start(name)
            players.append(player)
        anna, bruno = players
        key = json.loads(doko("identity", "show", "--json", data=tmp_path / "Anna"))["key"]
        hosts = []
        for name in HOSTS:  # friends are made beside the running console, which notices
            host = tmp_path / name
            host.mkdir()
            hosts.append(key_of(host))
            doko("friends", "add", key, "Anna", data=host)
            _house, address = start_house(nodes, host, "--max-tables", "1", "--level", "intermediate")
            doko("friends", "add", hosts[-1], name, "--address", address, data=tmp_path / "Anna")
            anna.pane.wait_for(rf"{name} +direct")
        anna.pane.keys("n")
        anna.pane.wait_for("New table")
        anna.pane.keys("Right")
        anna.pane.wait_for("duel")
        anna.pane.keys(*["Down"] * 5, "Left")
        anna.pane.wait_for("anyone")
        anna.pane.keys("Enter")
        anna.pane.wait_for("3 seats are free")
        for left, name in ((2, "Carla"), (1, "Dora")):
            anna.pane.keys("c")
            anna.pane.wait_for(f"one from {name}: intermediate")
            anna.pane.keys(str(len(LEVELS) + 1))  # behind our own levels; the first host has no more tables by then
            anna.pane.wait_for(rf"{left} seats? (is|are) free")
        bruno.pane.keys("j")
        bruno.pane.wait_for("Address")
        bruno.pane.type(f"127.0.0.1:{port}")
        bruno.pane.keys("Enter")
        for player in players:
            screen = player.pane.wait_for("Read the terms. Enter agrees")
            assert "Who hosts a computer could see its cards:" in screen
            assert len(re.findall(r"computer \(intermediate\)", screen)) == 2
            assert "knows the fourth" not in screen, "no host has both"
            if player is anna:
                assert re.search(r"Carla hosts \w+; Dora hosts \w+", screen)
            player.pane.keys("Enter")
        deadline = time.monotonic() + 600
        over = [False, False]
        while not all(over):
            for number, player in enumerate(players):
                over[number] = over[number] or player.act()
            assert time.monotonic() < deadline, "\n\n".join(player.pane.screen() for player in players)
            time.sleep(0.05)
        for player in players:
            player.pane.wait_for("All four have signed")
            player.pane.keys("C-c")
    files = [next((tmp_path / name / "settlements").glob("*.settlement")) for name in ("Anna", "Bruno")]
    raw = files[0].read_bytes()
    assert files[1].read_bytes() == raw
    verdict = verify(raw)
    assert verdict.problem == ""
    assert verdict.unsigned == ()
    assert verdict.terms is not None
    assert verdict.terms.mode == "duel"
    assert [verdict.money[bot.seat] for bot in verdict.terms.bots] == [0, 0]
    assert sum(verdict.money) + verdict.kitty == 0
    audited = subprocess.run(command("audit", "--json", str(files[0])), capture_output=True, text=True, check=False)
    assert audited.returncode == 0, audited.stdout
    computers = json.loads(audited.stdout)["computers"]
    assert sorted(one["host"] for one in computers) == sorted(hosts)
    assert all(one["decisions"] > 40 and not one["differing"] for one in computers)


def test_a_host_tells_its_state_on_a_key_and_stops_on_another(tmp_path: Path) -> None:
    with tmux() as server:
        arguments = ("--data", str(tmp_path), "--lang", "en", "host-bots", "--max-tables", "2", "--nick", "Carla")
        pane = server.pane("host", command(*arguments, "--listen", "127.0.0.1:0"), 100, 30)
        pane.wait_for("Carla listens on 127.0.0.1:")
        pane.wait_for("Enter: the state of things")
        pane.keys("Enter")
        pane.wait_for("0 of 2 tables, 0 computers; 0 matches played")
        pane.type("q")
        pane.keys("Enter")
        pane.wait_for("Nobody is taken in any more")
        pane.wait_for(r"\[exit 0\]")
