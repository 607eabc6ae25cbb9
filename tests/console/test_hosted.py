"""A person's node with computers: a duel of two people with two friends' hosts, hints in practice."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
import trio

from node.bots.house import House, Rules
from node.bots.worker import WorkerPool
from node.cli.app import App
from node.net.address import Listen
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


async def test_hints_against_computers_alone(tmp_path: Path) -> None:
    async with person(tmp_path, "Anna") as anna:
        anna.desk.send(AskHint())  # not at a table: nothing happens
        anna.desk.send(OpenNewTable(TermsView(mode="variable", seats="invited"), ("random",) * 3))
        await anna.desk.until(lambda v: v.lobby.seating and v.lobby.seating.confirm, within=120)
        anna.desk.send(Ready())
        view = await anna.desk.until(lambda v: v.table and v.table.question, within=120)
        assert view.table is not None
        assert view.table.practice
        anna.desk.send(AskHint())
        assert (await anna.desk.notice("strong would say")).startswith("strong would say: ")
        anna.desk.auto = first_legal
        anna.desk.show(anna.desk.view)
        await anna.desk.until(lambda v: v.table and v.table.stage is Stage.SETTLED, within=240)


async def test_a_duel_at_once_against_three_computers(tmp_path: Path) -> None:
    """``doko play --mode duel``: one of the three plays as the other person."""
    async with person(tmp_path, "Anna") as anna:
        anna.desk.send(OpenNewTable(TermsView(mode="duel", stake=250, seats="invited"), ("random",) * 3))
        view = await anna.desk.until(lambda v: v.lobby.seating and v.lobby.seating.confirm, within=120)
        assert view.lobby.seating is not None
        players = [player for player in view.lobby.seating.players if player is not None]
        assert [player.bot for player in players] == [None, "random", None, "random"]
        assert [player.host for player in players] == [None, "Anna", None, "Anna"]
