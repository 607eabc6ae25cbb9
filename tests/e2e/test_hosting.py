"""Computers that join by a link; hosts of computers that are killed, stopped, and told of new friends."""

import json
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from node.bots.audit import audit
from protocol.table.verify import verify
from tests.e2e.hosts import Friends, doko, nodes, start, start_house
from tests.e2e.processes import COMMAND, NodeProcess

__all__ = ["nodes"]

pytestmark = pytest.mark.slow

NODE = ("--listen", "127.0.0.1:0", "--events", "--leash")
PERSON = ("--auto", "random", "--as-person", *NODE)


def link_of(data: Path, address: str) -> str:
    """A fresh invitation, made beside the running node."""
    link: str = json.loads(doko("invite", "--address", address, "--json", data=data))["link"]
    return link


def settled(node: NodeProcess) -> bytes:
    return Path(node.event("settled")["path"]).read_bytes()


def test_a_bot_of_each_level_joins_by_an_invitation(tmp_path: Path, nodes: ExitStack) -> None:
    opener = start(nodes, "table", "open", "--auto", "intermediate", *NODE, data=tmp_path / "opener")
    address = opener.event("listening")["reach"]
    levels = ("strong", "beginner", "random")
    for level in levels:
        link = link_of(tmp_path / "opener", address)
        start(nodes, "bot", "run", "--level", level, "--join", link, *NODE, data=tmp_path / level)
    verdict = verify(settled(opener))
    assert verdict.problem == ""
    assert verdict.terms is not None
    assert sorted(bot.policy for bot in verdict.terms.bots) == ["beginner", "intermediate", "random", "strong"]
    assert opener.end() == 0
    friends = json.loads(doko("friends", "list", "--json", data=tmp_path / "opener"))
    assert len(friends) == len(levels)


def test_a_bot_waits_for_the_node_that_its_link_names(tmp_path: Path, nodes: ExitStack) -> None:
    """The link was made before the table's node was started; used links are refused at once."""
    data = tmp_path / "opener"
    first = start(nodes, "table", "open", "--auto", "random", *NODE, data=data)
    address = first.event("listening")["reach"]
    link = link_of(data, address)
    first.signal()
    first.end()
    bot = start(nodes, "bot", "run", "--level", "random", "--join", link, *NODE, data=tmp_path / "bot")
    bot.event("listening")
    table = ("table", "open", "--auto", "random", "--fill", "random", "--computers", "2", "--matches", "2")
    start(nodes, *table, "--listen", address, "--events", "--leash", data=data)
    assert verify(settled(bot)).problem == ""
    other = start(nodes, "bot", "run", "--level", "random", "--join", link, *NODE, data=tmp_path / "other")
    assert other.end() == 4
    assert "it was used, or has expired" in other.errors


def duel_at(
    nodes: ExitStack, friends: Friends, house: str, address: str, level: str, *more: str
) -> tuple[NodeProcess, NodeProcess]:
    """Two people whose duel has both computers from one host."""
    doko("friends", "add", friends.keys[house], house, "--address", address, data=friends.at("anna"))
    table = ("--mode", "duel", "--stake", "250", "--ask", f"{house}:{level}", "--ask", f"{house}:{level}")
    anna = start(nodes, "table", "open", *table, *PERSON, *more, data=friends.at("anna"))
    bert = start(nodes, "table", "join", anna.event("listening")["reach"], *PERSON, *more, data=friends.at("bert"))
    return anna, bert


def test_a_host_killed_in_mid_hand_takes_its_matches_up(tmp_path: Path, nodes: ExitStack) -> None:
    friends = Friends(tmp_path)
    doko("friends", "add", friends.keys["anna"], "anna", data=friends.at("house1"))
    limits = ("--max-tables", "1", "--level", "intermediate")
    house, address = start_house(nodes, friends.at("house1"), *limits)
    anna, bert = duel_at(nodes, friends, "house1", address, "intermediate")
    for _trick in range(5):
        anna.event("trick")
    house.kill()
    house, _address = start_house(nodes, friends.at("house1"), *limits, listen=address)
    back = house.wait_for(lambda line: len(line["computers"]) == 2)
    assert {one["state"] for one in back["computers"]} <= {"coming", "playing"}
    assert {one["friend"] for one in back["computers"]} == {friends.keys["anna"]}
    assert back["tables"] == 1
    anna.event("hand")
    house.kill()  # once more, between or in later hands
    house, _address = start_house(nodes, friends.at("house1"), *limits, listen=address)
    raw = settled(anna)
    assert settled(bert) == raw
    verdict = verify(raw)
    assert verdict.problem == ""
    assert verdict.unsigned == ()
    assert all(report.good and not report.unshown for report in audit(raw, verdict))
    assert house.wait_for(lambda line: line["matches"] == 2)["late"] == 0


def test_a_running_host_notices_who_becomes_or_stops_being_a_friend(tmp_path: Path, nodes: ExitStack) -> None:
    friends = Friends(tmp_path)
    house, address = start_house(nodes, friends.at("house1"), "--max-tables", "1", "--level", "random")
    doko("friends", "add", friends.keys["house1"], "house1", "--address", address, data=friends.at("anna"))
    table = ("table", "open", "--auto", "random", *NODE, "--ask", "house1:random")
    before = start(nodes, *table, data=friends.at("anna"))
    assert before.end() == 4
    assert "friends only" in before.errors
    doko("friends", "add", friends.keys["anna"], "anna", data=friends.at("house1"))
    after = start(nodes, *table, data=friends.at("anna"))
    house.wait_for(lambda line: line["tables"] == 1)
    assert after.process.poll() is None
    after.signal()
    after.end()
    doko("friends", "block", "anna", data=friends.at("house1"))
    blocked = start(nodes, *table, data=friends.at("anna"))
    assert blocked.end() == 4
    assert "does not" in blocked.errors


def test_a_host_stops_politely_and_at_once(tmp_path: Path, nodes: ExitStack) -> None:
    """Told to finish it plays on and takes nobody in; a signal ends it now, and the match waits for its next start."""
    friends = Friends(tmp_path)
    doko("friends", "add", friends.keys["anna"], "anna", data=friends.at("house1"))
    args = ("host-bots", "--max-tables", "2", "--level", "random", "--delay", "0", "--json", "--nick", "house1")
    house = start(nodes, *args, "--listen", "127.0.0.1:0", data=friends.at("house1"))
    address = house.wait_for(lambda line: "address" in line)["address"]
    anna, bert = duel_at(nodes, friends, "house1", address, "random", "--delay", "0.2")
    anna.event("trick")
    house.signal(signal.SIGINT)
    assert house.end() == 130
    assert house.errors == ""
    house = start(nodes, *args, "--listen", address, data=friends.at("house1"))
    house.wait_for(lambda line: any(one["state"] == "playing" for one in line["computers"]))
    assert house.process.stdin is not None
    house.process.stdin.write(b"q\n")
    house.process.stdin.flush()
    stopping = house.wait_for(lambda line: line["stopping"])
    assert len(stopping["computers"]) == 2
    doko("friends", "add", friends.keys["house1"], "house1", "--address", address, data=friends.at("house2"))
    doko("friends", "add", friends.keys["house2"], "other", data=friends.at("house1"))
    late = ("table", "open", "--auto", "random", *NODE, "--ask", "house1:random")
    refused = start(nodes, *late, data=friends.at("house2"))
    assert refused.end() == 4
    assert "about to stop" in refused.errors
    raw = settled(anna)
    assert settled(bert) == raw
    assert verify(raw).problem == ""
    assert house.end() == 0
    assert house.lines[-1]["computers"] == []


def test_the_audit_of_a_hosted_duel_names_the_computer_that_cheated(tmp_path: Path, nodes: ExitStack) -> None:
    friends = Friends(tmp_path)
    programs = {"house1": COMMAND, "house2": [sys.executable, "-m", "tests.e2e.altered"]}
    asked: list[str] = []
    for name, program in programs.items():
        doko("friends", "add", friends.keys["anna"], "anna", data=friends.at(name))
        limits = ("--max-tables", "1", "--level", "beginner")
        _house, address = start_house(nodes, friends.at(name), *limits, command=program)
        doko("friends", "add", friends.keys[name], name, "--address", address, data=friends.at("anna"))
        asked += ["--ask", f"{name}:beginner"]
    anna = start(nodes, "table", "open", "--mode", "duel", *asked, *PERSON, data=friends.at("anna"))
    bert = start(nodes, "table", "join", anna.event("listening")["reach"], *PERSON, data=friends.at("bert"))
    path = anna.event("settled")["path"]
    assert settled(bert) == Path(path).read_bytes()
    verified = subprocess.run([*COMMAND, "verify", path], capture_output=True, timeout=90, check=False)
    assert verified.returncode == 0, "what a computer chooses is no breach of the rules"
    done = subprocess.run([*COMMAND, "audit", "--json", path], capture_output=True, timeout=90, check=False)
    assert done.returncode == 1, done.stderr
    by_host = {one["host"]: one for one in json.loads(done.stdout)["computers"]}
    honest, cheat = (by_host[friends.keys[name]] for name in programs)
    assert (honest["differing"], honest["fallbacks"], honest["first_difference"]) == (0, 0, None)
    assert cheat["differing"] == 1
    assert cheat["first_difference"]["did"] != cheat["first_difference"]["should"]
    assert cheat["decisions"] > 40
    told = subprocess.run([*COMMAND, "audit", path], capture_output=True, text=True, timeout=90, check=False).stdout
    assert f"hosted by {friends.keys['house2'][:16]}, who does not play" in told
    assert told.count("DIFFERS in hand") == 1
    assert told.count("0.0 % fallbacks") == 2
