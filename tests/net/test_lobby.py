"""Four nodes gather at a table, mesh, and agree on one setup; what goes wrong is said in words."""

from contextlib import AsyncExitStack
from typing import Any

import pytest
import trio
import trio.testing

from node.errors import EXIT_PEER, DokoError
from node.lobby import MAX_TABLES_OF_ONE, STRANGE_BURST, STRANGE_PER_S, Lobby, Seated, Seating, open_lobby
from node.net.hub import Hub, Standing
from protocol.table.announcement import Announcement, sign_announcement
from protocol.table.gathering import LINK_SECONDS, State
from protocol.table.terms import make_terms
from protocol.wire import messages
from tests.net.network import Network, Recorder, address, make_me, stream_of

pytestmark = pytest.mark.trio

NAMES = ("anna", "bert", "cora", "dora")


class Node:
    """A hub with a lobby."""

    def __init__(self, name: str, hub: Hub, lobby: Lobby) -> None:
        self.name = name
        self.hub = hub
        self.lobby = lobby


async def nodes(stack: AsyncExitStack, net: Network, nursery: trio.Nursery, names: tuple[str, ...]) -> list[Node]:
    found = []
    for name in names:
        hub = await stack.enter_async_context(net.node(name))
        found.append(Node(name, hub, stack.enter_context(open_lobby(hub, nursery, stream_of(f"lobby {name}")))))
    return found


def open_table(node: Node, **options: Any) -> Seating:
    terms = make_terms(table=bytes(range(16)))
    return node.lobby.open(terms, addresses=(address(node.name),), auto_confirm=True, **options)


async def join(node: Node, opener: Node, **options: Any) -> Seating:
    link = await node.hub.connect(address(opener.name))
    node.lobby.known_address[link.peer.identity] = address(opener.name)
    table = await node.lobby.table_of(link.peer.identity)
    return node.lobby.join(table, addresses=(address(node.name),), auto_confirm=True, **options)


async def test_four_nodes_gather_mesh_and_agree_on_one_setup(autojump_clock: object) -> None:
    net = Network()
    async with trio.open_nursery() as nursery, AsyncExitStack() as stack:
        four = await nodes(stack, net, nursery, NAMES)
        seatings = [open_table(four[0])]
        for seat in (1, 2, 3):
            seatings.append(await join(four[seat], four[0], seat=seat))
        results: list[Seated] = [await seating.settled() for seating in seatings]
        assert len({r.setup.match_id for r in results}) == 1
        assert [r.setup.my_seat for r in results] == [0, 1, 2, 3]
        await trio.sleep(5)
        for node in four:
            assert len(node.hub.links()) == 3
        assert results[1].addresses == ((address("anna"),), (), (address("cora"),), (address("dora"),))
        nursery.cancel_scope.cancel()


async def test_a_node_joins_a_table_it_heard_of_from_a_third(autojump_clock: object) -> None:
    net = Network()
    async with trio.open_nursery() as nursery, AsyncExitStack() as stack:
        anna, bert, cora = await nodes(stack, net, nursery, NAMES[:3])
        await bert.hub.connect(address("anna"))
        await cora.hub.connect(address("bert"))
        open_table(anna)
        await trio.testing.wait_all_tasks_blocked()
        [table] = cora.lobby.tables()
        seating = cora.lobby.join(table, addresses=(address("cora"),), auto_confirm=True)
        await trio.sleep(5)
        assert seating.view.state is State.WAITING
        nursery.cancel_scope.cancel()


async def test_a_closed_table_is_no_longer_offered(autojump_clock: object) -> None:
    net = Network()
    async with trio.open_nursery() as nursery, AsyncExitStack() as stack:
        anna, bert = await nodes(stack, net, nursery, NAMES[:2])
        seating = open_table(anna)
        await bert.hub.connect(address("anna"))
        await trio.testing.wait_all_tasks_blocked()
        assert len(bert.lobby.tables()) == 1
        seating.leave("supper")
        await trio.testing.wait_all_tasks_blocked()
        assert bert.lobby.tables() == []
        with pytest.raises(DokoError, match="you left"):
            await seating.settled()
        nursery.cancel_scope.cancel()


async def test_who_asks_at_a_table_that_is_gone_hears_so_at_once(autojump_clock: object) -> None:
    """The word that it closed may have been lost (or one too many in a second)."""
    net = Network()
    async with trio.open_nursery() as nursery, AsyncExitStack() as stack:
        four = await nodes(stack, net, nursery, NAMES[:2])
        seating = open_table(four[0])
        link = await four[1].hub.connect(address("anna"))
        stale = await four[1].lobby.table_of(link.peer.identity)
        seating.leave()
        seating.close()
        began = trio.current_time()
        asked = four[1].lobby.join(stale, addresses=(address("bert"),), auto_confirm=True)
        with pytest.raises(DokoError, match="this table is closed"):
            await asked.settled()
        assert trio.current_time() - began < 1
        nursery.cancel_scope.cancel()


async def test_of_two_open_tables_of_one_node_the_newer_is_offered(autojump_clock: object) -> None:
    net = Network()
    async with trio.open_nursery() as nursery, AsyncExitStack() as stack:
        four = await nodes(stack, net, nursery, NAMES[:2])
        for name in (1, 2):
            four[0].lobby.open(make_terms(table=bytes([name]) * 16), auto_confirm=True)
        link = await four[1].hub.connect(address("anna"))
        with trio.move_on_after(1):
            while len(four[1].lobby.tables()) < 2:
                await four[1].lobby.changed()
        assert (await four[1].lobby.table_of(link.peer.identity)).table == bytes([2]) * 16
        nursery.cancel_scope.cancel()


async def test_no_table_at_an_address_is_said_in_words(autojump_clock: object) -> None:
    net = Network()
    async with trio.open_nursery() as nursery, AsyncExitStack() as stack:
        anna, bert = await nodes(stack, net, nursery, NAMES[:2])
        with pytest.raises(DokoError, match="no open table") as error:
            await join(bert, anna)
        assert error.value.exit_code == EXIT_PEER
        nursery.cancel_scope.cancel()


async def test_a_table_for_friends_is_not_shown_to_others(autojump_clock: object) -> None:
    net = Network()
    cora_key = make_me("cora").identity
    async with trio.open_nursery() as nursery, AsyncExitStack() as stack:
        anna, bert, cora = await nodes(stack, net, nursery, NAMES[:3])
        open_table(anna, may_sit=lambda key: key == cora_key)
        await bert.hub.connect(address("anna"))
        await cora.hub.connect(address("anna"))
        await trio.testing.wait_all_tasks_blocked()
        assert bert.lobby.tables() == []
        assert len(cora.lobby.tables()) == 1
        nursery.cancel_scope.cancel()


async def test_a_taken_seat_is_refused_in_words(autojump_clock: object) -> None:
    net = Network()
    async with trio.open_nursery() as nursery, AsyncExitStack() as stack:
        anna, bert, cora = await nodes(stack, net, nursery, NAMES[:3])
        open_table(anna)
        await join(bert, anna, seat=2)
        seating = await join(cora, anna, seat=2)
        with pytest.raises(DokoError, match="taken"):
            await seating.settled()
        nursery.cancel_scope.cancel()


async def test_an_opener_that_is_gone_ends_the_wait(autojump_clock: object) -> None:
    net = Network()
    async with trio.open_nursery() as nursery, AsyncExitStack() as stack:
        (bert,) = await nodes(stack, net, nursery, ("bert",))
        async with AsyncExitStack() as short:
            (anna,) = await nodes(short, net, nursery, ("anna",))
            open_table(anna)
            seating = await join(bert, anna)
        with trio.fail_after(LINK_SECONDS + 30), pytest.raises(DokoError):
            await seating.settled()
        nursery.cancel_scope.cancel()


async def test_junk_at_the_table_costs_the_sender_its_link(autojump_clock: object) -> None:
    net = Network()
    async with trio.open_nursery() as nursery, AsyncExitStack() as stack:
        anna, bert = await nodes(stack, net, nursery, NAMES[:2])
        seating = open_table(anna)
        link = await bert.hub.connect(address("anna"))
        await link.send(messages.encode(messages.SeatOffer(table=seating.core.table, seat=1)))
        await trio.testing.wait_all_tasks_blocked()
        assert anna.hub.links() == []
        assert seating.view.state is State.WAITING
        assert anna.hub.refused["bug"] == 0
        nursery.cancel_scope.cancel()


async def test_one_peer_does_not_fill_the_list_of_tables(autojump_clock: object) -> None:
    """Bert tells of as many tables as he may at once; cora's, told of later, is still heard of, and closed ones go."""
    net = Network()
    async with trio.open_nursery() as nursery, AsyncExitStack() as stack:
        anna, bert, cora = await nodes(stack, net, nursery, NAMES[:3])
        await bert.hub.connect(address("anna"))
        await cora.hub.connect(address("anna"))
        tables = [bert.lobby.open(make_terms(table=bytes([n]) * 16)) for n in range(MAX_TABLES_OF_ONE + 3)]
        await trio.sleep(60)
        assert len(anna.lobby.tables()) == MAX_TABLES_OF_ONE
        cora.lobby.open(make_terms(table=b"c" * 16))
        tables[0].leave()
        await trio.sleep(1)
        bert.lobby.open(make_terms(table=b"b" * 16))
        await trio.sleep(1)
        known = {table.table for table in anna.lobby.tables()}
        assert {b"c" * 16, b"b" * 16} <= known
        assert len(known) == MAX_TABLES_OF_ONE + 1
        nursery.cancel_scope.cancel()


async def test_strangers_words_about_tables_do_not_fill_the_links_of_others(autojump_clock: object) -> None:
    """Ever new revisions from many strangers: what is handed on is bounded for all of them together."""
    crowd = tuple(f"stranger{n}" for n in range(12))
    net = Network()
    async with trio.open_nursery() as nursery, AsyncExitStack() as stack:
        (bert,) = await nodes(stack, net, nursery, ("bert",))
        friend = await stack.enter_async_context(net.node("friend", standing=lambda identity: Standing.CONTACT))
        heard = Recorder(range(40, 41))
        friend.subscribe(heard)
        await friend.connect(address("bert"))
        links = []
        for name in crowd:
            hub = await stack.enter_async_context(net.node(name))
            links.append((hub, await hub.connect(address("bert"))))
            await trio.sleep(1)
        begun = trio.current_time()
        for revision in range(40):
            for number, (hub, link) in enumerate(links):
                said = Announcement(
                    v=1,
                    opener=hub.me.identity,
                    terms=make_terms(table=bytes([number]) * 16),
                    seats=("x", None, None, None),
                    bots=(False,) * 4,
                    revision=revision,
                    open=True,
                    addresses=(),
                )
                await link.send(messages.encode(sign_announcement(said, hub.me.sign)))
            await trio.sleep(0.5)
        lasted = trio.current_time() - begun
        assert len(bert.lobby.tables()) == len(crowd)
        assert 0 < len(heard.received) <= STRANGE_BURST + STRANGE_PER_S * lasted + 1
        assert len(heard.received) < 40 * len(crowd) / 2
        nursery.cancel_scope.cancel()
