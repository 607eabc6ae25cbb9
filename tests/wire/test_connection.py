"""HELLO and the link without sockets: who may be at the other end, and how a link ends."""

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.wire import codec, messages, noise
from protocol.wire.connection import Connection, Incoming, Ready
from protocol.wire.errors import LinkError, Reason
from protocol.wire.hello import Me, check_hello, hello_bytes, make_hello
from protocol.wire.keys import sign_static
from protocol.wire.messages import Bye, Chat, Hello, Ping, Pong
from protocol.wire.noise import Channel, Closed, Opened
from protocol.wire.version import common_version
from tests.wire.support import make_me, pump, seeded, signing_key

ANNA, BERT, CARL = make_me("anna"), make_me("bert"), make_me("carl")
TOKEN = bytes(range(16))


def make_link(first: Me = ANNA, second: Me = BERT, **changed: Any) -> tuple[Connection, Connection]:
    return Connection(first, initiator=True, **changed), Connection(second, initiator=False)


def ready_link() -> tuple[Connection, Connection]:
    first, second = make_link()
    pump(first, second)
    assert first.peer is not None
    assert second.peer is not None
    return first, second


def closed(events: list[Any]) -> LinkError:
    assert isinstance(events[-1], Closed)
    assert not any(isinstance(event, Closed) for event in events[:-1])
    return events[-1].error


@pytest.mark.parametrize("cut", [1, 5, 1 << 20])
def test_both_ends_learn_who_the_other_is(cut: int) -> None:
    first, second = make_link()
    (mine,), (theirs,) = pump(first, second, cut)
    for event, other in ((mine, BERT), (theirs, ANNA)):
        assert isinstance(event, Ready)
        assert event.peer.identity == other.identity
        assert event.peer.static == other.static
        assert event.peer.static_signature == other.static_signature
        assert event.peer.nickname == other.nickname
        assert event.peer.version == 1
        assert event.invite is None


def test_messages_both_ways_with_their_bytes() -> None:
    first, second = ready_link()
    first.send(Ping(n=1))
    raw = messages.encode(Chat(match=bytes(32), text="hello"))
    first.send_bytes(raw)
    second.send(Pong(n=1))
    back, there = pump(first, second)
    assert there == [Incoming(Ping(n=1)), Incoming(Chat(match=bytes(32), text="hello"))]
    assert there[1].raw == raw
    assert back == [Incoming(Pong(n=1))]


def test_an_invite_is_named_at_both_ends() -> None:
    first = Connection(ANNA, initiator=True, invite=TOKEN, expect=BERT.identity)
    second = Connection(BERT, initiator=False, find_invite=lambda ident: TOKEN)
    for (event,) in pump(first, second):
        assert isinstance(event, Ready)
        assert event.invite == noise.invite_id(TOKEN)


def test_no_common_version_names_both_sides_in_words() -> None:
    first, second = make_link(second=make_me("bert", versions=(2, 3)))
    mine, theirs = pump(first, second)
    for events, ours, others, who in (
        (mine, "version 1", "versions 2 and 3", "this program has to be updated"),
        (theirs, "versions 2 and 3", "version 1", "the other program has to be updated"),
    ):
        error = closed(events)
        assert error.reason is Reason.VERSION
        assert f"this program speaks {ours}, the other one speaks {others}" in error.detail
        assert who in error.detail


def test_the_highest_common_version_and_common_features() -> None:
    first, second = make_link(
        make_me("anna", versions=(1, 2, 5), features=("relay", "chat")),
        make_me("bert", versions=(2, 4, 5, 6), features=("chat", "ghost")),
    )
    for (event,) in pump(first, second):
        assert event.peer.version == 5
        assert event.peer.features == {"chat"}
    with pytest.raises(LinkError, match="none"):
        common_version([1], [])


def test_a_node_does_not_talk_to_itself() -> None:
    for events in pump(*make_link(ANNA, ANNA)):
        assert closed(events).reason is Reason.SELF


def test_somebody_else_at_the_address() -> None:
    first, second = make_link(expect=CARL.identity)
    mine, theirs = pump(first, second)
    assert closed(mine).reason is Reason.IDENTITY
    assert "somebody else" in closed(mine).detail
    assert [type(event) for event in theirs] == [Ready, Closed]
    assert closed(theirs).reason is Reason.BYE


@pytest.mark.parametrize(
    "liar",
    [
        make_me("bert", identity=CARL.identity),  # another's identity, own signatures
        make_me("bert", sign=signing_key("carl").sign),
        make_me("bert", static_signature=CARL.static_signature),  # somebody else's key signed
        make_me("bert", static_signature=sign_static(signing_key("carl").sign, BERT.static)),
        make_me("bert", static_private=CARL.static_private),
        make_me("bert", static_signature=bytes(64)),
        make_me("bert", identity=b"\x01" + bytes(31)),  # small order: any signature with it may verify
        make_me("bert", identity=bytes(32)),
        make_me("bert", identity=b"\xee" + b"\xff" * 30 + b"\x7f"),  # not canonical
    ],
)
def test_attack_6_a_hello_that_is_not_its_identitys(liar: Me) -> None:
    first, second = make_link(second=liar)
    mine, _ = pump(first, second)
    assert closed(mine).reason is Reason.IDENTITY
    assert first.peer is None


def test_a_hello_cannot_be_carried_from_one_channel_to_another() -> None:
    """Mallory opens a channel to each of two and hands their HELLOs on: the handshake hash differs."""
    mallory = make_me("mallory")
    to_bert = Channel(initiator=True, static_private=mallory.static_private)
    bert = Connection(BERT, initiator=False)
    opened, *received = _raw(to_bert, bert)
    assert isinstance(opened, Opened)
    hello = received[0].data
    from_anna = Channel(initiator=False, static_private=mallory.static_private)
    anna = Connection(ANNA, initiator=True)
    _raw(from_anna, anna)
    from_anna.send(hello)
    assert closed(anna.receive(from_anna.data_to_send())).reason is Reason.IDENTITY


def test_a_hello_cannot_be_sent_back_to_its_author() -> None:
    handshake_hash = seeded("hash")(32)
    hello = make_hello(ANNA, initiator=True, handshake_hash=handshake_hash)
    stranger = make_me("carl", identity=ANNA.identity)  # says it is Anna
    with pytest.raises(LinkError) as caught:
        check_hello(hello, BERT, initiator=True, handshake_hash=handshake_hash, remote_static=ANNA.static)
    assert caught.value.reason is Reason.IDENTITY
    assert hello_bytes(True, handshake_hash) != hello_bytes(False, handshake_hash)
    check_hello(hello, BERT, initiator=False, handshake_hash=handshake_hash, remote_static=ANNA.static)
    with pytest.raises(LinkError):
        check_hello(hello, BERT, initiator=False, handshake_hash=bytes(32), remote_static=ANNA.static)
    with pytest.raises(LinkError):
        check_hello(hello, BERT, initiator=False, handshake_hash=handshake_hash, remote_static=stranger.static[::-1])


def _raw(channel: Channel, other: Connection) -> list[Any]:
    """What *channel* receives from a node until both are quiet."""
    return pump(channel, other)[0]


def hostile(data: bytes) -> tuple[list[Any], list[Any]]:
    """A proper channel that sends *data* as its first message: what the node and what the other end sees."""
    node = Connection(ANNA, initiator=False)
    channel = Channel(initiator=True, static_private=BERT.static_private)
    _raw(channel, node)
    channel.send(data)
    seen = node.receive(channel.data_to_send())
    return seen, channel.receive(node.data_to_send())


def bert_hello(**changed: Any) -> dict[str, Any]:
    hello = make_hello(BERT, initiator=True, handshake_hash=bytes(32))
    return {**codec.unpack(codec.encode(hello)), **changed}


@pytest.mark.parametrize(
    "nickname",
    [
        *("", "x" * 25, "a\nb", "a\x1b[2Jb", "a\x00", " a", "a ", "a\u00a0b", "a\u2028b", "a\ue000b", "a\U000e0041b"),
        *("a\u202eb", "a\u200bb", "e\u0301", "\u0301a", "aq\u0307\u0307\u0307"),
    ],
)
def test_a_nickname_that_cannot_be_shown_is_refused(nickname: str) -> None:
    seen, answer = hostile(codec.encode(bert_hello(nickname=nickname)))
    assert closed(seen).reason is Reason.HELLO
    assert closed(seen).detail.isprintable()
    assert isinstance(messages.decode(answer[-1].data), Bye)


@pytest.mark.parametrize("nickname", ["a", "Jürgen", "Zażółć gęślą jaźń", "O'Neill 2", "Őrült", "花子", "x" * 24])
def test_a_nickname_of_people_is_fine(nickname: str) -> None:
    first, second = make_link(second=make_me("bert", nickname=nickname))
    ((event,), _) = pump(first, second)
    assert event.peer.nickname == nickname


@pytest.mark.parametrize(
    "change",
    [
        {"versions": []},
        {"versions": [2, 1]},
        {"versions": [1, 1]},
        {"versions": list(range(17))},
        {"versions": [256]},
        {"versions": [True]},
        {"features": ["A B"]},
        {"features": ["x\n"]},
        {"features": ["x"] * 33},
        {"identity": bytes(31)},
        {"identity": "a" * 32},
        {"signature": bytes(65)},
        {"agent": "x" * 65},
        {"agent": "a\x07b"},
        {"more": 1},
        {"k": 1},
        {"k": None},
    ],
)
def test_attack_4_a_hello_with_a_wrong_field(change: dict[str, Any]) -> None:
    seen, _ = hostile(codec.encode(bert_hello(**change)))
    assert closed(seen).reason is Reason.HELLO


def test_something_else_before_hello() -> None:
    seen, answer = hostile(messages.encode(Ping(n=1)))
    assert closed(seen).reason is Reason.HELLO
    bye = messages.decode(answer[-1].data)
    assert isinstance(bye, Bye)
    assert bye.reason == "hello"


def test_a_second_hello() -> None:
    first, second = ready_link()
    second._channel.send(messages.encode(make_hello(BERT, initiator=False, handshake_hash=bytes(32))))
    assert closed(first.receive(second.data_to_send())).reason is Reason.HELLO


def test_a_bad_message_ends_the_link_with_a_reason_that_the_other_end_is_told() -> None:
    first, second = ready_link()
    second.send(Ping(n=5))
    second._channel.send(b"\x81\xa1k\x63")
    events = first.receive(second.data_to_send())
    assert events[0] == Incoming(Ping(n=5))
    assert closed(events).reason is Reason.MESSAGE
    assert "kind 99" in closed(events).detail
    told = closed(second.receive(first.data_to_send()))
    assert told.reason is Reason.BYE
    assert "kind 99" in told.detail


def test_bye_says_why() -> None:
    first, second = ready_link()
    first.bye("shutdown", "the node stops")
    assert first.receive(b"anything") == []
    error = closed(second.receive(first.data_to_send()))
    assert error.reason is Reason.BYE
    assert "the node stops" in error.detail
    with pytest.raises(LinkError):
        second.send(Ping(n=1))


def test_nothing_is_sent_before_the_other_end_is_known() -> None:
    first, second = make_link()
    with pytest.raises(LinkError):
        first.send(Ping(n=1))
    first.bye("x", "too early")
    assert second.eof()[-1].error.reason is Reason.TRUNCATED


def test_the_end_of_the_connection() -> None:
    first, _ = ready_link()
    assert closed(first.eof()).reason is Reason.CLOSED
    assert first.eof() == []
    first, second = make_link()
    second.receive(first.data_to_send())
    assert closed(second.eof()).reason is Reason.TRUNCATED


@given(st.binary(max_size=200))
@settings(max_examples=60)
def test_any_message_instead_of_hello_closes_the_link_and_raises_nothing(data: bytes) -> None:
    if data:
        assert closed(hostile(data)[0]).reason is Reason.HELLO


@given(st.lists(st.binary(min_size=1, max_size=60), max_size=4))
@settings(max_examples=40)
def test_any_messages_on_a_ready_link_raise_nothing(pieces: list[bytes]) -> None:
    first, second = ready_link()
    for piece in pieces:
        second._channel.send(piece)
    for event in first.receive(second.data_to_send()):
        assert isinstance(event, Incoming | Closed)


def test_no_secret_in_a_repr() -> None:
    first, _ = ready_link()
    assert repr(ANNA.static_private) not in repr(ANNA)
    assert "sign" not in repr(ANNA)
    assert ANNA.static_private.hex() not in repr(first)


def test_received_events_are_in_order() -> None:
    first, second = ready_link()
    for n in range(50):
        first.send(Ping(n=n))
    assert [event.message.n for event in second.receive(first.data_to_send())] == list(range(50))


def test_hello_never_changes_within_a_major_version() -> None:
    """Two versions have to be able to tell each other that they do not fit, so the fields of HELLO are frozen."""
    assert msgspec.structs.fields(Hello) is not None
    assert [field.name for field in msgspec.structs.fields(Hello)] == [
        "identity",
        "signature",
        "static_signature",
        "versions",
        "features",
        "nickname",
        "agent",
    ]
