"""Every message: what is sent is read, and nothing that is only nearly a message is (attacks 4 and 5)."""

import contextlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.refusal import Code, Refusal
from protocol.wire import codec, messages
from protocol.wire.address import Address
from protocol.wire.messages import (
    AddressesOf,
    AddressRecord,
    BotSeat,
    BotsSent,
    BotsWanted,
    Bye,
    Chat,
    Contact,
    Dwell,
    Entry,
    Hello,
    House,
    Invite,
    Leave,
    Member,
    Message,
    Pause,
    Ping,
    Pong,
    Ready,
    Relay,
    Rematch,
    Seated,
    SeatOffer,
    SeatRefuse,
    SeatRequest,
    Seen,
    TableOpen,
    TermsSet,
)
from protocol.wire.people import check_addresses_of, sign_addresses
from tests.wire.support import make_me

ID, HASH, SIG, TABLE = b"i" * 32, b"h" * 32, b"s" * 64, b"t" * 16
ADDRESSES = ("192.0.2.7:4848", "[2001:db8::1]:4848")
BOT = BotSeat(host=ID, policy="beginner", version="1.0", seeds=HASH)


def member(label: bytes) -> Member:
    return Member(identity=label * 32, static=HASH, static_signature=SIG, nickname="anna", addresses=ADDRESSES)


EXAMPLES: tuple[Message, ...] = (
    Hello(
        identity=ID,
        signature=SIG,
        static_signature=SIG,
        versions=(1,),
        features=("relay",),
        nickname="Jürgen",
        agent="dokonode 0.1.0",
    ),
    Ping(n=0),
    Pong(n=(1 << 53) - 1),
    Relay(source=ID, target=HASH, data=b"noise"),
    Bye(reason="shutdown", text="the node stops"),
    Contact(accept=True),
    AddressesOf(records=(AddressRecord(identity=ID, time=1_900_000_000, addresses=ADDRESSES, signature=SIG),)),
    Invite(announcement=b"x", signature=SIG, text="come"),
    TableOpen(announcement=b"x", signature=SIG, hops=2),
    SeatRequest(table=TABLE, seat=None, bot=None, addresses=()),
    SeatRequest(table=TABLE, seat=3, bot=BOT, addresses=ADDRESSES),
    SeatOffer(table=TABLE, seat=0),
    SeatRefuse(table=TABLE, reason="full", text=""),
    TermsSet(table=TABLE, round=1, terms=b"x", members=tuple(member(label) for label in (b"a", b"b", b"c", b"d"))),
    Ready(table=TABLE, round=1, seat=2, terms_hash=HASH, members_hash=HASH, nonce=HASH, signature=SIG),
    Seated(table=TABLE, round=1, match=HASH, roster_hash=HASH),
    Leave(table=TABLE, reason="left", text=""),
    Rematch(match=HASH, table=TABLE),
    House(levels=("beginner", "strong"), free=3),
    BotsWanted(announcement=b"a", signature=SIG, level="strong", count=2),
    BotsSent(table=TABLE, bots=(ID, HASH), reason="sent", text=""),
    Entry(p=b"payload", s=SIG),
    Chat(match=HASH, text="well played"),
    Pause(match=HASH, n=3, on=True),
    Dwell(match=HASH, ms=2_000),
    Seen(match=HASH, deal=7, trick=12),
)
IDS = [f"{type(message).__name__}{index}" for index, message in enumerate(EXAMPLES)]
WRONG: tuple[Any, ...] = (None, True, -1, 1 << 63, 1.0, "x", b"x", [], {}, [[]], {"x": 1})


def fields(message: Message) -> dict[str, Any]:
    value = codec.unpack(messages.encode(message))
    assert isinstance(value, dict)
    return value


def refused(value: Any) -> Code:
    with pytest.raises(Refusal) as caught:
        messages.decode(value if isinstance(value, bytes) else codec.encode(value))
    assert caught.value.detail.isprintable()
    return caught.value.code


def test_there_is_an_example_of_every_message_of_this_module() -> None:
    own = {cls for cls in messages.kinds().values() if cls.__module__ == messages.__name__}
    assert own == {type(message) for message in EXAMPLES}


@pytest.mark.parametrize("message", EXAMPLES, ids=IDS)
def test_what_is_sent_is_read(message: Message) -> None:
    raw = messages.encode(message)
    assert messages.decode(raw) == message
    assert messages.encode(messages.decode(raw)) == raw
    assert fields(message)["k"] == messages.number(message)


def test_numbers_lie_in_their_ranges_and_only_once() -> None:
    for kind, cls in messages.kinds().items():
        assert messages.number(cls) == kind
        assert sum(kind in numbers for numbers in messages.RANGES.values()) == 1


def test_a_number_cannot_be_given_twice_or_out_of_range() -> None:
    class Again(Message, frozen=True, kw_only=True, tag=1):
        n: int

    class Outside(Message, frozen=True, kw_only=True, tag=500):
        n: int

    class Named(Message, frozen=True, kw_only=True, tag="ping"):
        n: int

    for cls in (Again, Outside, Named):
        with pytest.raises(ValueError, match=cls.__name__):
            messages.register(cls)
    assert messages.kinds()[1] is Ping


@pytest.mark.parametrize("message", EXAMPLES, ids=IDS)
def test_attack_4_every_field_is_needed_and_no_other_is_taken(message: Message) -> None:
    good = fields(message)
    for name in good:
        assert refused({key: value for key, value in good.items() if key != name}) is Code.FORMAT
    assert refused({**good, "extra": None}) is Code.FORMAT
    assert refused({**good, "K": good["k"]}) is Code.FORMAT


@pytest.mark.parametrize("message", EXAMPLES, ids=IDS)
def test_attack_4_a_field_of_another_type(message: Message) -> None:
    good = fields(message)
    for name, value in good.items():
        for wrong in WRONG:
            if type(wrong) is type(value) or (isinstance(message, SeatRequest) and name in ("seat", "bot")):
                continue
            assert refused({**good, name: wrong}) is Code.FORMAT, (name, wrong)


@pytest.mark.parametrize("message", EXAMPLES, ids=IDS)
def test_attack_4_byte_strings_one_longer_and_one_shorter(message: Message) -> None:
    """Each byte string of fixed length, as bytes of another length and as text."""
    good = fields(message)
    for name, value in good.items():
        if isinstance(value, bytes) and len(value) in (16, 32, 64):
            for wrong in (value[:-1], value + b"x", value.decode("latin-1"), [value], b""):
                assert refused({**good, name: wrong}) is Code.FORMAT, name


@pytest.mark.parametrize("message", EXAMPLES, ids=IDS)
def test_attack_4_trailing_bytes_duplicate_keys_and_cut_ends(message: Message) -> None:
    raw = messages.encode(message)
    assert refused(raw + b"\xc0") is Code.FORMAT
    for end in range(len(raw)):
        assert refused(raw[:end]) is Code.FORMAT
    count = raw[0] & 0x0F
    assert raw[0] == 0x80 | count  # a small map: one more pair, the kind again
    assert refused(bytes([raw[0] + 1]) + raw[1:] + codec.encode("k") + codec.encode(messages.number(message)))


@pytest.mark.parametrize("message", EXAMPLES, ids=IDS)
def test_changed_bytes_raise_nothing_but_refusals(message: Message) -> None:
    raw = messages.encode(message)
    for at in range(len(raw)):
        for value in (raw[at] ^ 1, raw[at] ^ 0x80, 0xC0, 0xC1, 0xDF, 0xFF):
            with contextlib.suppress(Refusal):
                messages.decode(raw[:at] + bytes([value]) + raw[at + 1 :])


@given(st.sampled_from(EXAMPLES), st.data())
@settings(max_examples=200)
def test_random_changes_raise_nothing_but_refusals(message: Message, data: st.DataObject) -> None:
    raw = bytearray(messages.encode(message))
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(raw) - 1))
        raw[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
        if not raw:
            break
    with contextlib.suppress(Refusal):
        assert isinstance(messages.decode(bytes(raw)), Message)


@given(st.binary(max_size=100))
def test_any_bytes_raise_nothing_but_refusals(raw: bytes) -> None:
    with contextlib.suppress(Refusal):
        assert isinstance(messages.decode(raw), Message)


@pytest.mark.parametrize(
    "value", [None, 5, [], [1, 2], "k", {}, {"k": "1"}, {"k": True}, {"k": 39}, {"k": -1}, {"k": 1e9}]
)
def test_what_has_no_known_kind(value: Any) -> None:
    assert refused(value) is Code.FORMAT


def with_field(message: Message, name: str, value: Any) -> Code:
    return refused({**fields(message), name: value})


def test_attack_5_counts_are_exact() -> None:
    terms = EXAMPLES[13]
    assert isinstance(terms, TermsSet)
    people = fields(terms)["members"]
    assert with_field(terms, "members", people[:3]) is Code.FORMAT
    assert with_field(terms, "members", [*people, people[0]]) is Code.FORMAT
    request = EXAMPLES[10]
    assert with_field(request, "addresses", [f"a{n}.example:1" for n in range(9)]) is Code.FORMAT
    assert with_field(request, "addresses", [ADDRESSES[0], ADDRESSES[0]]) is Code.FORMAT
    assert with_field(request, "addresses", ["not an address"]) is Code.FORMAT
    assert with_field(request, "seat", 4) is Code.FORMAT
    assert with_field(Ping(n=0), "n", 1 << 53) is Code.FORMAT
    assert with_field(Chat(match=HASH, text="x"), "text", "") is Code.FORMAT
    assert with_field(Chat(match=HASH, text="x"), "text", "x" * 501) is Code.FORMAT
    assert with_field(Chat(match=HASH, text="x"), "text", "\x1b[31m") is Code.FORMAT
    assert with_field(Bye(reason="x", text=""), "reason", "Not A Word") is Code.FORMAT
    assert with_field(TableOpen(announcement=b"x", signature=SIG, hops=0), "hops", 3) is Code.FORMAT


def test_a_message_too_large_for_a_frame_is_not_made() -> None:
    Entry(p=bytes(60_000), s=SIG)
    with pytest.raises(Refusal) as caught:
        messages.encode(Entry(p=bytes(codec.MAX_MESSAGE), s=SIG))
    assert caught.value.code is Code.LIMIT
    largest = Entry(p=bytes(codec.MAX_MESSAGE - 128), s=SIG)
    assert messages.decode(messages.encode(largest)) == largest
    assert len(messages.encode(Relay(source=ID, target=HASH, data=bytes(codec.MAX_MESSAGE - 128)))) <= codec.MAX_MESSAGE


def test_address_records_are_signed() -> None:
    anna, bert = make_me("anna"), make_me("bert")
    record = sign_addresses(anna.sign, anna.identity, 1_900_000_000, [Address("::1", 1), Address("a.example", 2)])
    assert messages.decode(messages.encode(AddressesOf(records=(record,)))) == AddressesOf(records=(record,))
    check_addresses_of(record)
    for changed in (
        {"time": 1_900_000_001},
        {"identity": bert.identity},
        {"addresses": ("[::1]:1",)},
        {"addresses": ("a.example:2", "[::1]:1")},
    ):
        value = AddressRecord(
            **{name: changed.get(name, getattr(record, name)) for name in record.__struct_fields__}  # type: ignore[arg-type]
        )
        with pytest.raises(Refusal) as caught:
            check_addresses_of(value)
        assert caught.value.code is Code.SIG
