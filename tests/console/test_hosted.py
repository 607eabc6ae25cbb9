"""A person's node with computers: a duel of two people with two friends' hosts, hints in practice."""

import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
import trio

from node.bots.house import House, Rules
from node.bots.worker import WorkerPool
from node.cli.app import App
from node.net.address import Listen
from node.ratings import POINTS, Rated, Ratings, place_of
from node.runtime import Node, open_node
from node.view import AddFriend, AskHint, FillWithBots, JoinTable, OpenNewTable, Ready, Stage, TermsView
from protocol.table.verify import verify
from tests.console.homes import Person, first_legal, person

pytestmark = [pytest.mark.trio, pytest.mark.slow]


@asynccontextmanager
async def house(home: Path, name: str, rules: Rules) -> AsyncIterator[tuple[Node, House]]:
    """A host of computers on loopback."""
    app = App(home / name, environ={})
    with WorkerPool() as pool:
        async with (
            open_node(app, listen=Listen("127.0.0.1", 0), nickname=name, log=False) as node,
            trio.open_nursery() as nursery,
        ):
            hosted = House(app, node, nursery, rules, pool)
            await hosted.open()
            yield node, hosted
            hosted.close()
            nursery.cancel_scope.cancel()


async def befriend(guest: Person, host: Node) -> None:
    link, _expires = await host.people.make_invite()
    name = host.hub.me.nickname
    guest.desk.send(AddFriend(link))
    await guest.desk.until(lambda v: any(friend.name == name for friend in v.lobby.friends))


async def test_a_duel_of_two_people_and_two_friends_hosts(tmp_path: Path) -> None:
    rules = Rules(tables=1, levels=("random",))
    async with AsyncExitStack() as stack:
        anna = await stack.enter_async_context(person(tmp_path, "Anna"))
        bruno = await stack.enter_async_context(person(tmp_path, "Bruno"))
        houses = [await stack.enter_async_context(house(tmp_path, name, rules)) for name in ("Carla", "Dora")]
        for node, _hosted in houses:
            await befriend(anna, node)
        anna.desk.send(OpenNewTable(TermsView(mode="duel", stake=250, fee=250, seats="anyone")))
        view = await anna.desk.until(lambda v: len(v.lobby.houses) == 2 and v.lobby.seating)
        assert {(one.name, one.levels, one.free) for one in view.lobby.houses} == {
            ("Carla", ("random",), 3),
            ("Dora", ("random",), 3),
        }
        anna.desk.send(FillWithBots("strong", 1, view.lobby.houses[0].key))
        assert "level" in await anna.desk.notice("sends no computers")
        for one in view.lobby.houses:
            anna.desk.send(FillWithBots("random", 1, one.key))
        await anna.desk.until(lambda v: v.lobby.seating and v.lobby.seating.players.count(None) == 1)
        await anna.desk.until(lambda v: {one.free for one in v.lobby.houses} == {0})
        bruno.desk.send(JoinTable(where=anna.address))
        for player in (anna, bruno):
            view = await player.desk.until(lambda v: v.lobby.seating and v.lobby.seating.confirm)
            assert view.lobby.seating is not None
            hosts = {each.host for each in view.lobby.seating.players if each is not None and each.bot}
            strangers = {node.identity.key.hex()[:8] for node, _ in houses}
            assert hosts == ({"Carla", "Dora"} if player is anna else strangers)
            player.desk.auto = first_legal
            player.desk.send(Ready())
        paths = []
        for player in (anna, bruno):
            view = await player.desk.until(
                lambda v: v.table and v.table.stage is Stage.SETTLED and v.table.settlement.path, within=240
            )
            assert view.table is not None
            assert view.table.settlement is not None
            paths.append(Path(view.table.settlement.path))
        verdict = verify(paths[0].read_bytes())
        assert verdict.problem == ""
        assert verdict.unsigned == ()
        assert [seat for seat in range(4) if verdict.money[seat]] in ([0, 2], [])
        assert verdict.terms is not None
        assert {bot.host for bot in verdict.terms.bots} == {node.identity.key for node, _ in houses}
        assert all(hosted.status()["late"] == 0 for _, hosted in houses)


async def practise(person: Person, mode: str) -> None:
    """A match against three computers of one's own: hints are given, and no money is booked."""
    desk = person.desk
    desk.send(AskHint())  # not at a table: nothing happens
    desk.send(OpenNewTable(TermsView(mode=mode, seats="invited"), ("random",) * 3))
    await desk.until(lambda v: v.lobby.seating and v.lobby.seating.confirm, within=120)
    desk.send(Ready())
    view = await desk.until(lambda v: v.table and v.table.question, within=120)
    assert view.table is not None
    assert view.table.practice
    await desk.notice("No money is booked")
    desk.send(AskHint())
    text = await desk.notice("strong would say")
    assert re.fullmatch(r"strong would say: \S.*; .*wins \d+ %, [+-]\d+\.\d points.*", text)
    desk.auto = first_legal
    desk.show(desk.view)


async def test_hints_against_computers_alone(tmp_path: Path) -> None:
    async with person(tmp_path, "Anna") as anna:
        await practise(anna, "variable")
        await anna.desk.until(lambda v: v.table and v.table.settlement and v.table.settlement.path, within=240)
        assert anna.node.store.ledger() == []
        assert len(anna.node.store.hands()) == 1
        # who plays the first card that is allowed plays otherwise than strong somewhere in twelve tricks
        await anna.desk.until(lambda v: any("strong would have" in notice.text for notice in v.notices), within=60)


async def test_a_duel_against_ones_own_computers_is_practice(tmp_path: Path) -> None:
    """The terms name the other person's seat as a person's, but it is a computer of ours that sits there."""
    async with person(tmp_path, "Anna") as anna:
        await practise(anna, "duel")


async def test_a_table_says_if_it_wants_others(tmp_path: Path) -> None:
    """The wanted strength of a table against one's own matches."""
    async with person(tmp_path, "Anna") as anna, person(tmp_path, "Bruno") as bruno:
        anna.desk.send(OpenNewTable(TermsView(seats="anyone", strength="strong")))
        await anna.desk.until(lambda v: v.lobby.seating)
        bruno.home._ratings = Ratings()
        bruno.home._ratings._found[bruno.node.identity.key] = Rated(place_of(POINTS["random"]), 0.5, 400, 100)
        bruno.desk.send(JoinTable(where=anna.address))
        assert "like strong; by your own matches you play like random" in await bruno.desk.notice("wants players")


async def test_a_duel_at_once_against_three_computers(tmp_path: Path) -> None:
    """``doko play --mode duel``: one of the three plays as the other person."""
    async with person(tmp_path, "Anna") as anna:
        anna.desk.send(OpenNewTable(TermsView(mode="duel", stake=250, seats="invited"), ("random",) * 3))
        view = await anna.desk.until(lambda v: v.lobby.seating and v.lobby.seating.confirm, within=120)
        assert view.lobby.seating is not None
        players = [player for player in view.lobby.seating.players if player is not None]
        assert [player.bot for player in players] == [None, "random", None, "random"]
        assert [player.host for player in players] == [None, "Anna", None, "Anna"]
