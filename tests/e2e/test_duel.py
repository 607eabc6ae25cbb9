"""Duels by real processes: the demo, computers from friends' hosts and from the opener's own; bots run by hand."""

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from node.bots.audit import audit
from protocol.table.verify import Verdict, verify
from tests.e2e.hosts import Friends, doko, nodes, start
from tests.e2e.test_demo import demo

__all__ = ["nodes"]


def people_alone_pay(verdict: Verdict, people: tuple[int, int]) -> None:
    assert verdict.problem == ""
    assert verdict.unsigned == ()
    assert [hand.number for hand in verdict.hands if not hand.result.void] == [1, 2, 3, 4]
    for seat in range(4):
        if seat not in people:
            assert verdict.money[seat] == 0
    assert sum(verdict.money) + verdict.kitty == 0


@pytest.mark.slow
def test_demo_plays_a_duel_whose_computers_can_be_audited(tmp_path: Path) -> None:
    out = tmp_path / "out"
    args = ("--mode", "duel", "--stake", "250", "--fee", "250", "--level", "beginner", "--json", "--out", str(out))
    done = demo(*args, data=tmp_path / "data")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    files = [Path(path).read_bytes() for path in told["settlements"]]
    assert len(set(files)) == 1
    verdict = verify(files[0])
    people_alone_pay(verdict, (0, 2))
    reports = audit(files[0], verdict)
    assert [report.seat for report in reports] == [1, 3]
    assert all(report.good and report.decisions for report in reports)
    report = json.loads(doko("audit", "--json", told["settlements"][0], data=tmp_path / "data"))
    assert [each["first_difference"] for each in report["computers"]] == [None, None]


@pytest.mark.slow
def test_two_people_and_two_neutral_hosts(tmp_path: Path, nodes: ExitStack) -> None:
    friends = Friends(tmp_path)
    houses = {}
    for name in ("house1", "house2"):
        doko("friends", "add", friends.keys["anna"], "anna", data=friends.at(name))
        limits = ("--max-tables", "1", "--level", "random", "--delay", "0", "--workers", "1")
        args = ("host-bots", *limits, "--listen", "127.0.0.1:0", "--nick", name, "--json", "--leash")
        houses[name] = start(nodes, *args, data=friends.at(name))
        status = houses[name].wait_for(lambda line: "address" in line)
        assert status["levels"] == ["random"]
        assert status["computers"] == []
        args = (friends.keys[name], name, "--address", status["address"])
        doko("friends", "add", *args, data=friends.at("anna"))
    player = ("--auto", "random", "--as-person", "--listen", "127.0.0.1:0", "--events", "--leash")
    table = ("--mode", "duel", "--stake", "250", "--ask", "house1:random", "--ask", "house2:random")
    anna = start(nodes, "table", "open", *table, *player, "--nick", "anna", data=friends.at("anna"))
    address = anna.event("listening")["reach"]
    bert = start(nodes, "table", "join", address, *player, "--nick", "bert", data=friends.at("bert"))
    seated = anna.event("seated")
    assert [one["bot"] for one in seated["players"]] == [None, "random", None, "random"]
    playing = houses["house1"].wait_for(lambda line: line["computers"] and line["computers"][0]["state"] == "playing")
    assert playing["tables"] == 1
    assert playing["computers"][0]["friend"] == friends.keys["anna"]
    file = Path(anna.event("settled")["path"]).read_bytes()
    assert Path(bert.event("settled")["path"]).read_bytes() == file
    verdict = verify(file)
    people_alone_pay(verdict, (0, 2))
    assert verdict.terms is not None
    hosts = sorted(bot.host.hex() for bot in verdict.terms.bots)
    assert hosts == sorted(friends.keys[name] for name in houses)
    assert all(report.good for report in audit(file, verdict))
    assert anna.end() == bert.end() == 0
    over = houses["house1"].wait_for(lambda line: line["matches"] == 1)
    assert over["late"] == 0
    assert over["moves"] > 40
    houses["house1"].signal()
    assert houses["house1"].end() == 143


@pytest.mark.slow
def test_a_host_keeps_its_limits_and_asks_for_nothing_from_strangers(tmp_path: Path, nodes: ExitStack) -> None:
    friends = Friends(tmp_path)
    limits = ("--max-tables", "1", "--level", "random", "--delay", "0")
    args = ("host-bots", *limits, "--listen", "127.0.0.1:0", "--nick", "house1", "--json", "--leash")
    house = start(nodes, *args, data=friends.at("house1"))
    address = house.wait_for(lambda line: "address" in line)["address"]
    for name in ("anna", "bert"):
        doko("friends", "add", friends.keys["house1"], "house1", "--address", address, data=friends.at(name))
    table = ("table", "open", "--auto", "random", "--listen", "127.0.0.1:0", "--events", "--leash")
    stranger = start(nodes, *table, "--ask", "house1:random", data=friends.at("bert"))
    assert stranger.end() == 4
    assert "friends only" in stranger.errors
    doko("friends", "add", friends.keys["anna"], "anna", data=friends.at("house1"))  # noticed by the running host
    anna = start(nodes, *table, "--ask", "house1:strong", data=friends.at("anna"))
    assert anna.end() == 4
    assert "no computers of that level" in anna.errors
    first = start(nodes, *table, "--ask", "house1:random", data=friends.at("anna"))
    house.wait_for(lambda line: line["tables"] == 1)
    assert first.process.poll() is None
    status: dict[str, Any] = house.lines[-1]
    assert status["refused"] == {"stranger": 1, "level": 1}


@pytest.mark.slow
def test_the_opener_hosts_both_computers_and_a_bot_joins_by_hand(tmp_path: Path, nodes: ExitStack) -> None:
    """The other person's seat is taken by a computer that plays as a person; then a table of four computers."""
    player = ("--auto", "random", "--as-person", "--listen", "127.0.0.1:0", "--events", "--leash")
    table = ("table", "open", "--mode", "duel", "--fill", "random", *player)
    anna = start(nodes, *table, "--nick", "anna", data=tmp_path / "anna")
    listening = anna.event("listening")
    bert = start(nodes, "table", "join", listening["reach"], *player, "--nick", "bert", data=tmp_path / "bert")
    file = Path(anna.event("settled")["path"]).read_bytes()
    verdict = verify(file)
    people_alone_pay(verdict, (0, 2))
    assert verdict.terms is not None
    assert {bot.host.hex() for bot in verdict.terms.bots} == {listening["key"]}
    assert anna.end() == bert.end() == 0

    opened = ("table", "open", "--auto", "random", "--fill", "random", "--computers", "2")
    carl = start(nodes, *opened, "--listen", "127.0.0.1:0", "--events", "--leash", data=tmp_path / "carl")
    address = carl.event("listening")["reach"]
    args = ("bot", "run", "--level", "beginner", "--join", address, "--listen", "127.0.0.1:0", "--events", "--leash")
    bot = start(nodes, *args, data=tmp_path / "bot")
    settled = bot.event("settled")
    verdict = verify(Path(settled["path"]).read_bytes())
    assert verdict.problem == ""
    assert verdict.terms is not None
    assert sorted(each.policy for each in verdict.terms.bots) == ["beginner", "random", "random", "random"]
    assert bot.end() == carl.end() == 0
