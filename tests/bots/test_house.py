"""What a host of computers allows: who, which tables, how many in all and a friend, how often; and how it stops."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_bytes
from types import SimpleNamespace
from typing import Any

import pytest
import trio

from node.bots.house import IDLE_S, IDLE_TABLES, Guest, House, Rules, surplus
from node.bots.worker import WorkerPool
from node.cli.app import App
from node.cli.host_bots import lines
from node.errors import DokoError
from node.lobby import Seating
from node.plan import Plan, pack_plan
from node.runtime import Node, open_node
from protocol.table.terms import make_terms
from protocol.wire import messages
from protocol.wire.messages import BotsSent, BotsWanted
from tests.table.net import setups

pytestmark = pytest.mark.trio


@dataclass
class Friend:
    """A node that asks for computers, and the end of its link at the host."""

    node: Node
    answers: list[BotsSent] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)

    @property
    def peer(self) -> Any:
        return SimpleNamespace(identity=self.node.identity.key)

    def post(self, raw: bytes) -> bool:
        message = messages.decode(raw)
        if isinstance(message, BotsSent):
            self.answers.append(message)
        return True

    def close(self, reason: str, detail: str) -> None:
        self.closed.append(reason)

    def table(self) -> Seating:
        return self.node.lobby.open(make_terms(table=token_bytes(16)))

    async def ask(self, house: House, seating: Seating, count: int = 1, level: str = "random") -> BotsSent:
        opening = seating.core.announcement()  # type: ignore[union-attr]
        wanted = BotsWanted(announcement=opening.announcement, signature=opening.signature, level=level, count=count)
        await house.message(self, SimpleNamespace(message=wanted))  # type: ignore[arg-type]
        return self.answers[-1]


@dataclass
class Scene:
    house: House
    host: Node
    friends: list[Friend]


@asynccontextmanager
async def scene(home: Path, rules: Rules) -> AsyncIterator[Scene]:
    """A host, three friends of it and (last) a stranger; computers come and wait, nobody plays."""

    async def wait(guest: Guest, *_arguments: object) -> None:
        await trio.sleep_forever()

    def node(name: str) -> Any:
        return open_node(App(home / name, environ={}), listen=None, nickname=name, log=False)

    async with node("host") as host, node("a") as a, node("b") as b, node("c") as c, node("x") as x:
        for one in (a, b, c):
            host.people.contacts.add(one.identity.key, one.hub.me.nickname)
        await host.people.reload()
        async with trio.open_nursery() as nursery:
            with WorkerPool() as pool:
                house = House(App(home / "host", environ={}), host, nursery, rules, pool)
                house._visit = wait  # type: ignore[method-assign]
                await house.open()
                yield Scene(house, host, [Friend(one) for one in (a, b, c, x)])
                house.close()
            nursery.cancel_scope.cancel()


async def test_a_friend_gets_what_the_limits_allow(tmp_path: Path) -> None:
    async with scene(tmp_path, Rules(tables=3, per_friend=2, levels=("random",))) as now:
        a, b, c, stranger = now.friends
        first = a.table()
        sent = await a.ask(now.house, first, 2)
        assert len(set(sent.bots)) == 2
        assert sent.reason == "sent"
        assert (await a.ask(now.house, first, 2)).reason == "seats", "three others sit at a table"
        assert (await a.ask(now.house, a.table(), level="strong")).reason == "level"
        assert (await stranger.ask(now.house, stranger.table())).reason == "stranger"
        assert (await b.ask(now.house, b.table())).reason == "sent"
        assert (await b.ask(now.house, b.table())).reason == "sent"
        assert (await b.ask(now.house, b.table())).reason == "full"
        assert (await c.ask(now.house, c.table())).reason == "full"
        assert (await a.ask(now.house, first)).reason == "sent", "a table that is served already is no new one"
        status = now.house.status()
        assert (status["tables"], status["max_tables"], status["per_friend"]) == (3, 3, 2)
        assert status["refused"] == {"seats": 1, "level": 1, "stranger": 1, "full": 2}
        assert len({one["key"] for one in status["computers"]}) == 5


async def test_one_friend_does_not_take_every_table(tmp_path: Path) -> None:
    async with scene(tmp_path, Rules(tables=3, per_friend=1, levels=("random",))) as now:
        a, b = now.friends[:2]
        assert (await a.ask(now.house, a.table())).reason == "sent"
        assert (await a.ask(now.house, a.table())).reason == "friend"
        assert (await b.ask(now.house, b.table())).reason == "sent"


async def test_nobody_asks_too_often_or_for_others_tables(tmp_path: Path) -> None:
    async with scene(tmp_path, Rules(tables=9, per_friend=9, levels=("random",))) as now:
        a, b = now.friends[:2]
        assert (await a.ask(now.house, b.table())).reason == "table"
        reasons = [(await a.ask(now.house, a.table())).reason for _n in range(5)]
        assert reasons == ["sent"] * 3 + ["often"] * 2
        assert (await b.ask(now.house, b.table())).reason == "sent", "that is the friend's own account"


async def test_two_friends_at_one_moment_do_not_both_get_the_last_table(tmp_path: Path) -> None:
    async with scene(tmp_path, Rules(tables=1, levels=("random",))) as now:
        async with trio.open_nursery() as nursery:
            for friend in now.friends[:3]:
                nursery.start_soon(friend.ask, now.house, friend.table())
        reasons = sorted(friend.answers[0].reason for friend in now.friends[:3])
        assert reasons == ["full", "full", "sent"]


async def test_told_to_finish_it_lets_those_go_that_do_not_play(tmp_path: Path) -> None:
    async with scene(tmp_path, Rules(tables=4, levels=("random",))) as now:
        a, b = now.friends[:2]
        await a.ask(now.house, a.table(), 2)
        playing = next(iter(now.house.guests.values()))
        playing.state = "playing"
        async with trio.open_nursery() as nursery:
            nursery.start_soon(now.house.drain)
            with trio.fail_after(10):
                while len(now.house.guests) > 1:
                    await now.house.changed()
            assert list(now.house.guests.values()) == [playing]
            assert (await b.ask(now.house, b.table())).reason == "closing"
            assert now.house.free_tables == 0
            assert "stops when they are over" in lines(now.house.status())[0]
            playing.scope.cancel()  # its match ends
        assert now.house.guests == {}


async def test_forged_announcements_end_the_link(tmp_path: Path) -> None:
    async with scene(tmp_path, Rules(levels=("random",))) as now:
        a = now.friends[0]
        opening = a.table().core.announcement()  # type: ignore[union-attr]
        wanted = BotsWanted(announcement=opening.announcement, signature=bytes(64), level="random", count=1)
        await now.house.message(a, SimpleNamespace(message=wanted))  # type: ignore[arg-type]
        assert a.closed == ["refused"]
        assert a.answers == []
        assert now.house.guests == {}


async def test_a_host_with_a_full_disk_says_so_and_keeps_no_seat(tmp_path: Path) -> None:
    async with scene(tmp_path, Rules(levels=("random",))) as now:
        free_home = now.house._free_home

        def once(in_use: set[Path]) -> tuple[Path, bytes]:
            if in_use:
                raise DokoError("The disk is full.")
            return free_home(in_use)

        now.house._free_home = once  # type: ignore[method-assign]
        a = now.friends[0]
        assert (await a.ask(now.house, a.table(), 2)).reason == "trouble"
        assert now.house.guests == {}
        assert now.house.status()["refused"] == {"trouble": 1}
        assert (await a.ask(now.house, a.table())).reason == "sent"


async def test_tables_left_standing_do_not_pile_up(tmp_path: Path) -> None:
    async with scene(tmp_path, Rules(tables=1, per_friend=1, levels=("random",))) as now:
        house, friend = now.house, now.friends[0]
        left: list[Guest] = []
        for _n in range(IDLE_TABLES + 2):
            house._asked.clear()  # it has all the time it needs
            assert (await friend.ask(house, friend.table())).reason == "sent"
            guest = next(one for one in house.guests.values() if one not in left)
            guest.state, guest.moved = "playing", trio.current_time() - IDLE_S
            left.append(guest)
        with trio.fail_after(10):
            while left[0].key in house.guests:
                await house.changed()
        assert list(house.guests.values()) == left[1:], "the one that has stood still longest goes"
        house._asked.clear()
        await friend.ask(house, friend.table())
        newest = next(one for one in house.guests.values() if one not in left)
        assert newest.data != left[0].data, "its match can still be taken up"


async def test_who_has_left_most_tables_standing_loses_them() -> None:
    tables = [(b"good", b"0"), *((b"bad", bytes([n])) for n in range(1, 6))]
    assert surplus(tables, 6) == set()
    assert surplus(tables, 3) == {b"\1", b"\2", b"\3"}


async def test_a_match_that_stopped_does_not_hide_the_one_that_was_on(tmp_path: Path) -> None:
    async with scene(tmp_path, Rules(levels=("random",))) as now:
        data, _key = now.house._free_home(set())
        plans = [Plan(setups(n, bots=(1,))[1], ((),) * 4, "", "random") for n in range(2)]
        with App(data, environ={}).open_store() as store:
            for plan in plans:
                store.add_match(plan.match, bytes(32), 1, pack_plan(plan))  # the second begins later
            store.note_stop(plans[0].match, "seat 0 broke the rules")
        assert [plan.match for _data, plan in now.house._interrupted()] == [plans[1].match]
