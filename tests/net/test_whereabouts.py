"""Addresses told by third people: signed, newer ones win, bounded, handed on to those who share a table alone."""

from pathlib import Path

import pytest
import trio

from node.runtime import Node
from node.whereabouts import AHEAD_S, AT_ONCE, COMPANIES, MOST, RECORDS_BURST, Whereabouts
from protocol.refusal import Code, Refusal
from protocol.wire import messages
from protocol.wire.address import Address, parse_address
from protocol.wire.messages import AddressesOf, AddressRecord
from protocol.wire.people import sign_addresses
from tests.net.network import make_identity
from tests.net.test_people import PATIENCE_S, node_of

NOW = 1_900_000_000


def key(name: str) -> bytes:
    return make_identity(name).key


def record(name: str, time: int = NOW, *places: str) -> AddressRecord:
    who = make_identity(name)
    return sign_addresses(who.sign, who.key, time, [parse_address(place) for place in places or ("192.0.2.7:4848",)])


def book(*companies: tuple[str, ...]) -> Whereabouts:
    whereabouts = Whereabouts(key("me"), lambda: float(NOW), lambda: 0.0)
    for company in companies:
        whereabouts.together(map(key, company))
    return whereabouts


def anybody(identity: bytes) -> bool:
    return True


def test_what_a_third_one_tells_is_a_place_to_dial() -> None:
    whereabouts = book()
    assert whereabouts.take(key("anna"), [record("bert", NOW, "192.0.2.9:1")], anybody)
    assert whereabouts.places(key("bert")) == (Address("192.0.2.9", 1),)
    assert whereabouts.places(key("carl")) == ()


def test_the_later_record_wins_whoever_tells_it() -> None:
    whereabouts = book()
    new, old = record("bert", NOW, "192.0.2.9:1"), record("bert", NOW - 1, "192.0.2.8:1")
    assert whereabouts.take(key("anna"), [new], anybody) == [new]
    assert whereabouts.take(key("bert"), [old, new], anybody) == []
    assert whereabouts.places(key("bert")) == (Address("192.0.2.9", 1),)


def test_a_record_that_its_identity_has_not_signed_is_refused() -> None:
    made, other = record("bert"), record("carl")
    forged = AddressRecord(identity=other.identity, time=made.time, addresses=made.addresses, signature=made.signature)
    with pytest.raises(Refusal) as refused:
        book().take(key("anna"), [forged], anybody)
    assert refused.value.code is Code.SIG


def test_records_from_the_future_of_ourselves_and_of_strangers_are_passed_over() -> None:
    whereabouts = book()
    future = record("bert", NOW + int(AHEAD_S) + 1)
    assert whereabouts.take(key("anna"), [future, record("me")], anybody) == []
    assert whereabouts.take(key("anna"), [record("bert")], lambda identity: False) == []


def test_one_peer_tells_only_so_much() -> None:
    whereabouts = book()
    taken = 0
    for n in range(300):
        taken += len(whereabouts.take(key("anna"), [record("bert", NOW - 300 + n)], anybody))
    assert taken == RECORDS_BURST
    assert whereabouts.take(key("carl"), [record("bert")], anybody), "others are heard as before"


def test_what_is_kept_is_bounded() -> None:
    whereabouts = book()
    for n in range(MOST + 5):
        whereabouts.take(key(f"teller {n}"), [record(f"player {n}")], anybody)
    assert len(whereabouts._records) == MOST
    assert not whereabouts.places(key("player 0"))
    for n in range(COMPANIES + 5):
        whereabouts.together([key(f"one {n}"), key(f"two {n}")])
    assert not whereabouts.companion(key("one 0"))
    assert whereabouts.companion(key("one 10"))


def test_records_go_to_those_who_share_a_table_alone() -> None:
    whereabouts = book(("me", "anna", "bert", "carl"), ("me", "dora", "emil", "fred"))
    for name in ("anna", "bert", "dora"):
        whereabouts.take(key(name), [record(name)], anybody)
    assert {told.identity for told in whereabouts.told_to(key("carl"))} == {key("anna"), key("bert")}
    assert {told.identity for told in whereabouts.told_to(key("anna"))} == {key("bert")}
    assert whereabouts.told_to(key("zoe")) == []


def test_what_is_told_at_once_fits_into_a_message() -> None:
    names = tuple(f"player {n}" for n in range(AT_ONCE + 10))
    whereabouts = book(*[("me", "anna", name) for name in names])
    for name in names:
        whereabouts.take(key(name), [record(name)], anybody)
    told = (record("me"), *whereabouts.told_to(key("anna")))
    assert len(told) == AT_ONCE
    assert messages.decode(messages.encode(AddressesOf(records=told))) == AddressesOf(records=told)


# --- nodes ----------------------------------------------------------------------------------------------------------


def befriend(*nodes: Node) -> None:
    for node in nodes:
        for other in nodes:
            if node is not other:
                where = tuple(map(str, other.hub.listening))
                node.people.contacts.add(other.identity.key, other.hub.me.nickname, "", where)


@pytest.mark.trio
async def test_a_friend_who_has_moved_is_found_through_another_one(tmp_path: Path) -> None:
    async with node_of(tmp_path, "anna") as anna, node_of(tmp_path, "carl") as carl:
        async with node_of(tmp_path, "bert") as bert:
            bert_key, four = bert.identity.key, [n.identity.key for n in (anna, bert, carl)]
            befriend(anna, bert, carl)
        for node in (anna, carl):
            await node.people.reload()
            node.people.together(four)
        carl.people.stay_connected()
        with trio.fail_after(PATIENCE_S):
            while carl.hub.link(anna.identity.key) is None:
                await carl.hub.changed()
        async with node_of(tmp_path, "bert") as bert:  # at another port, which nobody knows but him
            assert carl.hub.link(bert_key) is None
            await bert.hub.connect(anna.hub.listening[0])
            with trio.fail_after(PATIENCE_S + 30):
                while carl.hub.link(bert_key) is None:
                    await carl.hub.changed()
            assert carl.people.places(bert_key) == tuple(bert.hub.listening)


@pytest.mark.trio
async def test_a_forged_record_ends_the_link(tmp_path: Path) -> None:
    async with node_of(tmp_path, "anna") as anna, node_of(tmp_path, "bert") as bert, node_of(tmp_path, "carl") as carl:
        befriend(anna, bert, carl)
        await anna.people.reload()
        link = await bert.hub.connect(anna.hub.listening[0])
        true = record("bert")
        forged = AddressRecord(identity=carl.identity.key, time=1_000, addresses=(), signature=true.signature)
        link.post(messages.encode(AddressesOf(records=(forged,))))
        with trio.fail_after(PATIENCE_S):
            while bert.hub.link(anna.identity.key) is not None:
                await bert.hub.changed()
        assert anna.people.places(carl.identity.key) == ()
