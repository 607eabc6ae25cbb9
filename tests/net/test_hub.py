"""Links between hubs: one per identity, limits, keep-alive, back-off; on memory streams and a mock clock."""

from contextlib import suppress
from itertools import pairwise

import pytest
import trio
import trio.testing

from node.net import hub as hub_module
from node.net.dialer import DialFailed
from node.net.hub import Hub, Standing
from node.net.limits import KEEPALIVE_S, SILENCE_S, STRANGER, Limits
from node.net.link import How, LinkLost
from protocol.wire import messages
from protocol.wire.messages import Chat, Contact, Ping
from tests.net.network import Network, Recorder, address, make_me

pytestmark = pytest.mark.trio

HI = messages.encode(Chat(match=bytes(32), text="hi"))


async def settle() -> None:
    await trio.testing.wait_all_tasks_blocked()


async def test_two_nodes_get_an_authenticated_link_and_exchange_messages(autojump_clock: object) -> None:
    net = Network()
    async with net.node("anna") as anna, net.node("bert") as bert:
        seen = Recorder()
        bert.subscribe(seen)
        link = await anna.connect(address("bert"), expect=make_me("bert").identity)
        assert link.peer.identity == make_me("bert").identity
        assert link.peer.nickname == "bert"
        assert link.state.how is How.DIRECT
        assert link.outgoing
        await link.send(HI)
        await settle()
        assert [incoming.raw for incoming in seen.received] == [HI]
        assert seen.up == [make_me("anna").identity]
        assert not bert.link(make_me("anna").identity).outgoing


async def test_somebody_else_at_the_address_is_refused_in_words(autojump_clock: object) -> None:
    net = Network()
    async with net.node("anna") as anna, net.node("bert"):
        with pytest.raises(DialFailed, match="somebody else answers"):
            await anna.connect(address("bert"), expect=make_me("cora").identity)
        assert anna.links() == []


async def test_own_identity_at_the_other_end_is_refused(autojump_clock: object) -> None:
    net = Network()
    async with net.node("anna") as anna:
        with pytest.raises(DialFailed, match="own identity"):
            await anna.connect(address("anna"))
        await settle()
        assert anna.links() == []


async def test_a_newer_link_takes_the_place_of_an_older_one(autojump_clock: object) -> None:
    net = Network()
    async with net.node("anna") as anna, net.node("bert") as bert:
        seen = Recorder()
        bert.subscribe(seen)
        first = await anna.connect(address("bert"))
        second = await anna.connect(address("bert"))
        await settle()
        assert first.state.how is How.LOST
        assert anna.links() == [second]
        assert len(bert.links()) == 1
        assert seen.up == [make_me("anna").identity] * 2
        assert seen.down == []  # there was always one
        await second.send(HI)
        await settle()
        assert len(seen.received) == 1


@pytest.mark.parametrize("first", ["anna", "bert"])
async def test_crossing_dials_leave_one_link_on_both_sides(first: str, autojump_clock: object) -> None:
    net = Network()
    second = {"anna": "bert", "bert": "anna"}[first]
    async with net.node("anna"), net.node("bert"):
        one, two = net.hubs[first], net.hubs[second]

        async def dial(hub: Hub, name: str) -> None:
            await hub.connect(address(name))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(dial, one, second)
            nursery.start_soon(dial, two, first)
        await trio.sleep(1)
        assert len(one.links()) == len(two.links()) == 1
        assert one.links()[0].outgoing != two.links()[0].outgoing
        smaller = min(one, two, key=lambda hub: hub.me.identity)
        assert smaller.links()[0].outgoing
        seen = Recorder()
        two.subscribe(seen)
        one.post(two.me.identity, HI)
        await settle()
        assert len(seen.received) == 1


async def test_keep_redials_with_growing_pauses_until_the_other_is_back(autojump_clock: object) -> None:
    net = Network()
    async with net.node("anna") as anna:
        bert_key = make_me("bert").identity
        anna.keep(bert_key, lambda: [address("bert")], first=True)
        await trio.sleep(100)
        times = [when for _source, _target, when in net.dialled]
        gaps = [b - a for a, b in pairwise(times)]
        assert 5 <= len(times) <= 12
        assert gaps[-1] > 4 * gaps[0]
        assert anna.trouble(bert_key) == ("bert:4848: nobody listens there",)
        async with net.node("bert"):
            await trio.sleep(46)
            assert anna.link(bert_key) is not None
            assert anna.trouble(bert_key) == ()
        await trio.sleep(1)
        assert anna.link(bert_key) is None
        async with net.node("bert"):
            await trio.sleep(46)
            assert anna.link(bert_key) is not None


async def test_only_the_first_dials_at_once_and_the_other_after_its_patience(autojump_clock: object) -> None:
    net = Network()
    async with net.node("anna") as anna, net.node("bert") as bert:
        anna.keep(bert.me.identity, lambda: [address("bert")])
        bert.keep(anna.me.identity, lambda: [address("anna")])
        await trio.sleep(30)
        assert len(net.dialled) == 1
        smaller = min(("anna", "bert"), key=lambda name: make_me(name).identity)
        assert net.dialled[0][0] == smaller


async def test_two_owners_of_a_link_let_go_one_after_the_other(autojump_clock: object) -> None:
    net = Network()
    async with net.node("anna") as anna:
        key = make_me("bert").identity
        anna.keep(key, lambda: [address("nowhere")], owner="friends", first=True)
        anna.keep(key, lambda: [address("bert")], owner="match")
        async with net.node("bert"):
            await trio.sleep(40)
            assert anna.link(key) is not None
            anna.release(key, "match")
        dialled = len(net.dialled)
        await trio.sleep(60)
        assert {target for _source, target, _when in net.dialled[dialled:]} == {"nowhere"}
        anna.release(key, "friends")
        dialled = len(net.dialled)
        await trio.sleep(60)
        assert len(net.dialled) == dialled


async def test_a_peer_that_closes_at_once_is_not_dialled_in_a_loop(autojump_clock: object) -> None:
    net = Network()
    anna_key = make_me("anna").identity
    standing = lambda key: Standing.BLOCKED if key == anna_key else Standing.STRANGER  # noqa: E731
    async with net.node("anna") as anna, net.node("bert", standing=standing) as bert:
        anna.keep(bert.me.identity, lambda: [address("bert")], first=True)
        await trio.sleep(100)
        assert 4 <= len(net.dialled) <= 14


async def test_a_flood_of_connections_from_one_host_leaves_room_for_others(autojump_clock: object) -> None:
    net = Network()
    async with net.node("bert") as bert:
        # Memory streams have no host: all of them count as one.
        for _ in range(300):
            ours, theirs = trio.testing.memory_stream_pair()
            bert._nursery.start_soon(bert.accept, theirs)
            await settle()
            await ours.aclose()
        await settle()
        assert bert.refused["busy"] >= 250
        assert bert._arrivals.allow(1, trio.current_time())
        await trio.sleep(5)
        async with net.node("anna") as anna:
            assert (await anna.connect(address("bert"))).state.how is How.DIRECT


async def test_a_friend_comes_in_while_strangers_from_everywhere_take_all_there_is(
    autojump_clock: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hosts that contacts have come from before are not turned away because of strangers on other hosts."""
    hosts = iter([("192.0.2.1", "friend"), *((f"198.51.100.{n}", "stranger") for n in range(250))])
    here = ("192.0.2.1", "friend")
    monkeypatch.setattr(hub_module, "_remote", lambda stream: next(hosts, here))
    net = Network()
    anna_key = make_me("anna").identity

    def standing(identity: bytes) -> Standing:
        return Standing.CONTACT if identity == anna_key else Standing.STRANGER

    async with net.node("bert", standing=standing) as bert, net.node("anna") as anna:
        link = await anna.connect(address("bert"))
        link.close("test")
        await settle()
        for _ in range(250):
            ours, theirs = trio.testing.memory_stream_pair()
            bert._nursery.start_soon(bert.accept, theirs)
            await settle()
            await ours.aclose()
        await settle()
        assert not bert._arrivals.allow(1, trio.current_time())
        assert (await anna.connect(address("bert"))).state.how is How.DIRECT
        monkeypatch.setattr(hub_module, "_remote", lambda stream: ("203.0.113.9", "another"))
        with pytest.raises(DialFailed):
            await anna.connect(address("bert"))


async def test_a_friend_with_many_networks_takes_no_other_friends_place(
    autojump_clock: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each opens the door from one host, the one it came from last: whoever has a /48 has 65,536 of them."""
    hosts = iter([("192.0.2.1", ""), *((f"2001:db8:0:{n:x}::/64", "") for n in range(300))])
    monkeypatch.setattr(hub_module, "_remote", lambda stream: next(hosts))
    net = Network()
    standing = dict.fromkeys((make_me("anna").identity, make_me("carl").identity), Standing.CONTACT)
    async with net.node("bert", standing=lambda key: standing.get(key, Standing.STRANGER)) as bert:
        async with net.node("anna") as anna, net.node("carl") as carl:
            for caller, times in ((anna, 1), (carl, 300)):
                for _ in range(times):
                    link = await caller.connect(address("bert"))
                    link.close("test")
                    await trio.sleep(5)
        assert list(bert._friendly.values()) == ["192.0.2.1", "2001:db8:0:12b::/64"]


@pytest.mark.parametrize(
    ("host", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
        ("anna.example", "anna.example"),
    ],
)
async def test_what_counts_as_one_host(host: str, network: str) -> None:
    assert hub_module.network_of(host) == network


async def test_keep_alive_pings_both_ways_and_holds_a_quiet_link(autojump_clock: object) -> None:
    net = Network()
    async with net.node("anna") as anna, net.node("bert"):
        link = await anna.connect(address("bert"))
        await trio.sleep(10 * SILENCE_S)
        assert link.state.how is How.DIRECT
        assert link.latency is not None


async def test_a_half_open_link_is_lost_after_the_silence_and_not_before(autojump_clock: object) -> None:
    net = Network()
    async with net.node("anna") as anna, net.node("bert"):
        link = await anna.connect(address("bert"))
        seen = Recorder()
        anna.subscribe(seen)
        # The network swallows all that bert sends, without an error at either end.
        ours = net.streams[0][2]
        ours.receive_stream = _Silent()
        await trio.sleep(SILENCE_S - KEEPALIVE_S)
        assert link.state.how is How.DIRECT
        await trio.sleep(KEEPALIVE_S + SILENCE_S)
        assert link.state.how is How.LOST
        assert seen.down[0][1] == "silent"


class _Silent(trio.abc.ReceiveStream):
    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        await trio.sleep_forever()
        raise AssertionError

    async def aclose(self) -> None:
        await trio.lowlevel.checkpoint()


async def test_a_peer_that_reads_nothing_loses_the_link_and_memory_stays_bounded(autojump_clock: object) -> None:
    net = Network()
    async with net.node("anna") as anna, net.node("bert") as bert:
        seen = Recorder()
        seen.gate = trio.Event()
        bert.subscribe(seen)
        link = await anna.connect(address("bert"))
        big = messages.encode(Chat(match=bytes(32), text="x" * 500))
        sent = 0
        while link.post(big):
            sent += len(big)
            assert sent <= STRANGER.outbox_bytes
        await settle()
        assert link.state.how is How.LOST


async def test_too_many_frames_are_read_slowly_not_stored(autojump_clock: object) -> None:
    net = Network()
    async with net.node("anna") as anna, net.node("bert") as bert:
        seen = Recorder()
        bert.subscribe(seen)
        link = await anna.connect(address("bert"))
        for _ in range(200):
            await link.send(HI)
        await trio.sleep(1)
        assert len(seen.received) <= STRANGER.frame_burst + 2 * STRANGER.frames_per_s
        await trio.sleep(200 / STRANGER.frames_per_s)
        assert len(seen.received) == 200  # and none is lost


async def test_a_seated_peer_gets_a_members_rate(autojump_clock: object) -> None:
    net = Network()
    async with net.node("anna") as anna, net.node("bert") as bert:
        seen = Recorder()
        bert.subscribe(seen)
        bert.seat(anna.me.identity)
        link = await anna.connect(address("bert"))
        for _ in range(200):
            await link.send(HI)
        await trio.sleep(0.1)
        assert len(seen.received) == 200


async def test_a_slow_subscriber_holds_up_only_its_own_peer(autojump_clock: object) -> None:
    net = Network()
    async with net.node("anna") as anna, net.node("bert") as bert, net.node("cora") as cora:
        slow = Recorder(range(110, 111))
        slow.gate = trio.Event()
        bert.subscribe(slow)
        others = Recorder(range(20, 21))
        bert.subscribe(others)
        await anna.connect(address("bert"))
        await cora.connect(address("bert"))
        anna.post(bert.me.identity, HI)
        for _ in range(5):
            cora.post(bert.me.identity, messages.encode(Contact(accept=True)))
        await settle()
        assert len(others.received) == 5
        slow.gate.set()
        await settle()
        assert len(slow.received) == 1


async def test_a_bug_over_a_message_costs_the_link_not_the_node(autojump_clock: object, caplog: object) -> None:
    net = Network()

    class Broken(Recorder):
        async def message(self, link: object, incoming: object) -> None:
            raise ZeroDivisionError

    async with net.node("anna") as anna, net.node("bert") as bert:
        bert.subscribe(Broken())
        link = await anna.connect(address("bert"))
        await link.send(HI)
        await settle()
        assert link.state.how is How.LOST
        assert bert.refused["bug"] == 1
        assert (await anna.connect(address("bert"))).state.how is How.DIRECT


async def test_blocked_people_get_no_link(autojump_clock: object) -> None:
    net = Network()
    anna_key = make_me("anna").identity
    standing = lambda key: Standing.BLOCKED if key == anna_key else Standing.STRANGER  # noqa: E731
    async with net.node("anna") as anna, net.node("bert", standing=standing) as bert:
        await anna.connect(address("bert"))
        await settle()
        assert anna.links() == bert.links() == []
        assert bert.refused["refused"] == 1


async def test_half_open_handshakes_are_bounded_and_time_out(autojump_clock: object) -> None:
    net = Network()
    async with net.node("bert", limits=Limits(half_open=3, half_open_per_host=3)) as bert, net.node("anna") as anna:
        ends = []
        for _ in range(5):
            ours, theirs = trio.testing.memory_stream_pair()
            ends.append(ours)
            bert._nursery.start_soon(bert.accept, theirs)
        await settle()
        assert bert.refused["busy"] == 2
        assert bert._half_open.total() == 3
        with pytest.raises(DialFailed):
            await anna.connect(address("bert"))
        await trio.sleep(Limits().handshake_s + 0.1)
        assert bert._half_open.total() == 0
        assert bert.refused["timeout"] == 3
        assert (await anna.connect(address("bert"))).state.how is How.DIRECT


async def test_slow_loris_one_byte_at_a_time_is_cut_off(autojump_clock: object) -> None:
    net = Network()
    async with net.node("bert") as bert:
        ours, theirs = trio.testing.memory_stream_pair()
        bert._nursery.start_soon(bert.accept, theirs)
        sent = 0
        with suppress(trio.BrokenResourceError):
            for byte in b"\x00\x06DOKO\x01\x00" + bytes(100):
                await ours.send_all(bytes([byte]))
                sent += 1
                await trio.sleep(1)
        assert sent <= Limits().handshake_s + 1
        assert bert.links() == []


@pytest.mark.parametrize("junk", [b"GET / HTTP/1.1\r\n\r\n", bytes(64), b"\xff" * 70_000, b"\x00\x06DOKO\x09\x00"])
async def test_junk_ends_the_connection_and_nothing_else(junk: bytes, autojump_clock: object) -> None:
    net = Network()
    async with net.node("bert") as bert, net.node("anna") as anna:
        ours, theirs = trio.testing.memory_stream_pair()
        bert._nursery.start_soon(bert.accept, theirs)
        with trio.move_on_after(1):
            try:
                await ours.send_all(junk)
                while await ours.receive_some():
                    pass
            except trio.BrokenResourceError:
                pass
        await settle()
        assert sum(bert.refused.values()) == 1
        assert bert.refused["bug"] == 0
        assert (await anna.connect(address("bert"))).state.how is How.DIRECT


async def test_a_bad_message_ends_the_link_with_a_named_reason(autojump_clock: object) -> None:
    net = Network()
    async with net.node("anna") as anna, net.node("bert"):
        seen = Recorder()
        anna.subscribe(seen)
        link = await anna.connect(address("bert"))
        await link.send(b"\xc1 no msgpack")
        await settle()
        assert seen.down == [(make_me("bert").identity, "bye")]


async def test_strangers_are_bounded_and_contacts_are_not_kept_out(autojump_clock: object) -> None:
    net = Network()
    friend = make_me("friend").identity
    standing = lambda key: Standing.CONTACT if key == friend else Standing.STRANGER  # noqa: E731
    async with (
        net.node("bert", limits=Limits(strangers=2), standing=standing) as bert,
        net.node("a") as a,
        net.node("b") as b,
        net.node("c") as c,
        net.node("friend") as f,
    ):
        for hub in (a, b, c, f):
            await hub.connect(address("bert"))
        await settle()
        assert {link.peer.nickname for link in bert.links()} == {"a", "b", "friend"}
        assert bert.refused["busy"] == 1


async def test_a_node_that_stops_says_so(autojump_clock: object) -> None:
    net = Network()
    async with net.node("anna") as anna:
        seen = Recorder()
        anna.subscribe(seen)
        async with net.node("bert"):
            link = await anna.connect(address("bert"))
        await settle()
        with pytest.raises(LinkLost, match="this node stops"):
            await link.receive()
        assert seen.down == [(make_me("bert").identity, "bye")]


async def test_receive_and_send_after_the_end_say_why(autojump_clock: object) -> None:
    net = Network()
    async with net.node("anna") as anna, net.node("bert"):
        link = await anna.connect(address("bert"))
        link.close("leave", "we go")
        await settle()
        assert not link.post(messages.encode(Ping(n=1)))
        with pytest.raises(LinkLost, match="we go"):
            await link.send(HI)
