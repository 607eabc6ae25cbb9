"""Who a running node knows: what other commands change beside it, and that its event loop never waits for the store."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest
import trio

from node.bots.house import House, Rules
from node.bots.worker import WorkerPool
from node.cli.app import App
from node.errors import DokoError
from node.net.address import Listen
from node.net.hub import Standing
from node.people import WATCH_S, NotReached
from node.runtime import Node, open_node
from node.store import Store
from protocol.wire.address import parse_address
from protocol.wire.link import Invitation, make_link
from tests.net.network import make_identity

pytestmark = pytest.mark.trio

PATIENCE_S = 20 * WATCH_S


@asynccontextmanager
async def node_of(home: Path, name: str):  # type: ignore[no-untyped-def]
    async with open_node(App(home / name, environ={}), listen=Listen("127.0.0.1", 0), nickname=name, log=False) as node:
        yield node


@contextmanager
def command(home: Path, name: str) -> Iterator[Store]:
    """The store of *name* as another command opens it."""
    with App(home / name, environ={}).open_store() as store:
        yield store


async def standing(node: Node, other: Node, wanted: Standing) -> None:
    with trio.fail_after(PATIENCE_S):
        while node.people.standing(other.identity.key) is not wanted:
            await node.people.changed()


async def test_friends_that_another_command_adds_and_blocks_are_noticed(tmp_path: Path) -> None:
    async with node_of(tmp_path, "anna") as anna, node_of(tmp_path, "bert") as bert:
        link = await bert.hub.connect(anna.hub.listening[0])
        assert anna.people.standing(bert.identity.key) is Standing.STRANGER
        with command(tmp_path, "anna") as store:
            store.put_contact(bert.identity.key, "Bert")
        await standing(anna, bert, Standing.CONTACT)
        assert [friend.nickname for friend in anna.people.friends] == ["Bert"]
        assert anna.hub.link(bert.identity.key) is not None, "the link that was there goes on"
        with command(tmp_path, "anna") as store:
            store.put_contact(bert.identity.key, blocked=True)
        await standing(anna, bert, Standing.BLOCKED)
        with trio.fail_after(PATIENCE_S):
            while bert.hub.link(anna.identity.key) is not None:
                await bert.hub.changed()
        assert not link.alive


async def test_an_invitation_that_another_command_has_just_made_is_known(tmp_path: Path) -> None:
    async with node_of(tmp_path, "anna") as anna, node_of(tmp_path, "bert") as bert, node_of(tmp_path, "carl") as carl:
        with command(tmp_path, "anna") as store:
            store.add_invite(b"T" * 16, 4e9)
        link = make_link(Invitation(anna.identity.key, b"T" * 16, 4_000_000_000, tuple(anna.hub.listening)))
        assert await bert.people.redeem(link) == "anna"
        await standing(anna, bert, Standing.CONTACT)
        with pytest.raises(DokoError, match="used, or has expired") as used:
            await carl.people.redeem(link)
        assert not isinstance(used.value, NotReached)


async def test_a_link_to_a_node_that_is_not_there_may_be_tried_again(tmp_path: Path) -> None:
    async with node_of(tmp_path, "anna") as anna:
        nowhere = (parse_address("127.0.0.1:1"),)
        link = make_link(Invitation(make_identity("bert").key, b"T" * 16, 4_000_000_000, nowhere))
        with pytest.raises(NotReached):
            await anna.people.redeem(link)


async def test_the_event_loop_does_not_wait_for_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While two become friends, and a host takes a new computer in, no statement runs in the loop's own thread."""
    loop = threading.get_ident()
    ours: list[str] = []
    read = Store._read

    @contextmanager
    def watched(self: Store) -> Iterator[sqlite3.Connection]:
        if threading.get_ident() == loop:
            ours.append(str(self.path))
        with read(self) as connection:
            yield connection

    async with (
        node_of(tmp_path, "anna") as anna,
        node_of(tmp_path, "bert") as bert,
        trio.open_nursery() as nursery,
    ):
        with WorkerPool() as pool:
            house = House(App(tmp_path / "anna", environ={}), anna, nursery, Rules(levels=("random",)), pool)
            with monkeypatch.context() as patched:
                patched.setattr(Store, "_read", watched)
                await house.open()
                link, _expires = await anna.people.make_invite()
                assert await bert.people.redeem(link) == "anna"
                await standing(anna, bert, Standing.CONTACT)
                await bert.people.rename(anna.identity.key, "Nanna")
                data, _key = await trio.to_thread.run_sync(house._free_home, set())
                async with open_node(App(data, environ={}), listen=None, nickname="Ada", log=False):
                    pass
            assert ours == []
            assert [friend.nickname for friend in bert.people.friends] == ["Nanna"]
            house.close()
        nursery.cancel_scope.cancel()
