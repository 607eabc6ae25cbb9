"""The messages of a link: one msgpack map each, its kind an integer under the key ``"k"``.

| numbers | what |
|---|---|
| 0-19 | link: HELLO, PING, PONG, RELAY, BYE |
| 20-39 | people: CONTACT, ADDRESSES, INVITE |
| 40-69 | lobby: TABLE .. BOTS_SENT |
| 70-109 | table: ENTRY, and the exchange of entries |
| 110-119 | people at a table: CHAT, PAUSE, DWELL, SEEN |

Every field has to be there (absence is nil, where the type allows it) and no other.  A new message is a subclass of
:class:`Message` with its number as ``tag``, in any module, under :func:`register`; nothing else has to change.
"""

from typing import Annotated, Any, Final, TypeVar

import msgspec
from msgspec import Meta

from protocol.refusal import Code, Refusal
from protocol.wire import codec
from protocol.wire.address import check_address
from protocol.wire.fields import (
    MAX_TEXT,
    U8,
    U16,
    U32,
    U53,
    Bytes16,
    Bytes32,
    Bytes64,
    Nickname,
    Seat,
    ShortText,
    Word,
    check_name,
    check_text,
)

RANGES: Final[dict[str, range]] = {
    "link": range(20),
    "people": range(20, 40),
    "lobby": range(40, 70),
    "table": range(70, 110),
    "chat": range(110, 120),
}

#: Pauses of one match.
MAX_PAUSES: Final = 1_000_000
#: The longest wish for a finished trick to stay (milliseconds).
LONGEST_DWELL_MS: Final = 10_000


class Message(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="k"):
    """Base of all messages; ``type(m).__struct_config__.tag`` is its number."""


M = TypeVar("M", bound=type[Message])

_KINDS: dict[int, type[Message]] = {}


def register(cls: M) -> M:
    """Class decorator: make the message known to :func:`decode` under its tag."""
    number = cls.__struct_config__.tag
    if type(number) is not int or not any(number in numbers for numbers in RANGES.values()):
        raise ValueError(f"{cls.__name__}: {number!r} is no message number")
    if number in _KINDS and _KINDS[number].__qualname__ != cls.__qualname__:
        raise ValueError(f"{cls.__name__}: number {number} belongs to {_KINDS[number].__name__}")
    _KINDS[number] = cls
    return cls


def kinds() -> dict[int, type[Message]]:
    """All registered messages by number."""
    return dict(sorted(_KINDS.items()))


def number(message: Message | type[Message]) -> int:
    """The message's kind."""
    tag = message.__struct_config__.tag
    assert isinstance(tag, int)
    return tag


def encode(message: Message) -> bytes:
    """The bytes of *message*.  Raises ``Refusal(LIMIT)`` if they do not fit into one frame."""
    raw = codec.encode(message)
    if len(raw) > codec.MAX_MESSAGE:
        raise Refusal(Code.LIMIT, f"{type(message).__name__}: {len(raw)} bytes do not fit into a frame")
    return raw


def decode(raw: bytes) -> Message:
    """The message that *raw* is.  Raises ``Refusal`` (FORMAT or LIMIT) for anything else, and nothing else."""
    value = codec.unpack(raw)
    if type(value) is not dict:
        raise Refusal(Code.FORMAT, "message: not a map")
    kind: Any = value.get("k")
    if type(kind) is not int:
        raise Refusal(Code.FORMAT, "message: no kind")
    cls = _KINDS.get(kind)
    if cls is None:
        raise Refusal(Code.FORMAT, f"message: kind {kind} is not known here")
    return codec.convert(value, cls, cls.__name__.upper())


# -- link ----------------------------------------------------------------------------------------------------------


@register
class Hello(Message, frozen=True, kw_only=True, tag=0):
    """Who the other end of a channel is; the first message of both sides.  Checked by :mod:`protocol.wire.hello`."""

    identity: Bytes32
    signature: Bytes64  # of the identity, over domain, role and handshake hash
    static_signature: Bytes64  # of the identity, over domain and the X25519 static key of this channel
    versions: Annotated[tuple[U8, ...], Meta(min_length=1, max_length=16)]
    features: Annotated[tuple[Word, ...], Meta(max_length=32)]
    nickname: Nickname
    agent: Annotated[str, Meta(max_length=64)]  # program and version, for the log and `doko doctor`

    def __post_init__(self) -> None:
        check_name(self.nickname)
        check_text(self.agent, "agent")
        if list(self.versions) != sorted(set(self.versions)):
            raise ValueError("versions are not in ascending order")


@register
class Ping(Message, frozen=True, kw_only=True, tag=1):
    """Asks for a PONG with the same number; sent when nothing else was for 15 seconds."""

    n: U53


@register
class Pong(Message, frozen=True, kw_only=True, tag=2):
    """Answers PING."""

    n: U53


@register
class Relay(Message, frozen=True, kw_only=True, tag=3):
    """Opaque bytes of a channel between two identities, handed on by a third."""

    source: Bytes32
    target: Bytes32
    data: Annotated[bytes, Meta(max_length=codec.MAX_MESSAGE - 128)]  # empty: the relayed connection ends


@register
class Bye(Message, frozen=True, kw_only=True, tag=4):
    """The last message of a link: why it is closed, a name for programs and words for people."""

    reason: Word
    text: ShortText

    def __post_init__(self) -> None:
        check_text(self.text)


# -- people --------------------------------------------------------------------------------------------------------

Addresses = Annotated[tuple[Annotated[str, Meta(max_length=80)], ...], Meta(max_length=8)]


def check_addresses(addresses: tuple[str, ...]) -> None:
    """``ValueError`` unless each is an address in its one text form and none stands twice."""
    for address in addresses:
        check_address(address)
    if len(set(addresses)) != len(addresses):
        raise ValueError("an address stands twice")


@register
class Contact(Message, frozen=True, kw_only=True, tag=20):
    """Makes the two ends of this link contacts (the channel redeemed an invite), or says that they no longer are."""

    accept: bool


class AddressRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where an identity says it can be reached; handed on by others, so signed (:func:`hello.sign_addresses`)."""

    identity: Bytes32
    time: U53  # seconds since 1970 by its author's clock: the later record replaces the earlier
    addresses: Addresses
    signature: Bytes64

    def __post_init__(self) -> None:
        check_addresses(self.addresses)


@register
class AddressesOf(Message, frozen=True, kw_only=True, tag=21):
    """ADDRESSES: address records of the sender and of members of tables it shares with the receiver."""

    records: Annotated[tuple[AddressRecord, ...], Meta(max_length=32)]


@register
class Invite(Message, frozen=True, kw_only=True, tag=22):
    """Invites the receiver to a table: the announcement as in TABLE, shown to nobody else."""

    announcement: Annotated[bytes, Meta(max_length=8_192)]
    signature: Bytes64
    text: ShortText

    def __post_init__(self) -> None:
        check_text(self.text)


# -- lobby (the formats inside are protocol.table.terms, roster and gathering) -----------------------------------------


@register
class TableOpen(Message, frozen=True, kw_only=True, tag=40):
    """TABLE: a signed announcement of an open table (``announcement.Announcement``), handed on at most twice."""

    announcement: Annotated[bytes, Meta(max_length=8_192)]
    signature: Bytes64
    hops: Annotated[int, Meta(ge=0, le=2)]  # how often it was handed on


class BotSeat(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a computer says of itself when it takes a seat; it ends up in the terms."""

    host: Bytes32  # identity of the node whose owner runs it (its own, if it stands alone)
    policy: Word
    version: Word
    seeds: Bytes32  # head of its chain of seeds


@register
class SeatRequest(Message, frozen=True, kw_only=True, tag=41):
    """A joiner to the opener: wants this seat (nil: any) at this table."""

    table: Bytes16
    seat: Seat | None
    bot: BotSeat | None
    addresses: Addresses  # where the other two can reach the joiner

    def __post_init__(self) -> None:
        check_addresses(self.addresses)


@register
class SeatOffer(Message, frozen=True, kw_only=True, tag=42):
    """The opener to a joiner: this seat is yours.  Said again after TERMS: those are withdrawn, new ones will come."""

    table: Bytes16
    seat: Seat


@register
class SeatRefuse(Message, frozen=True, kw_only=True, tag=43):
    """The opener to a joiner: no seat, why."""

    table: Bytes16
    reason: Word
    text: ShortText

    def __post_init__(self) -> None:
        check_text(self.text)


class Member(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One of the four, as the opener names them; the order in the list is the seat."""

    identity: Bytes32
    static: Bytes32  # X25519
    static_signature: Bytes64  # of identity, over domain and static
    nickname: Nickname
    addresses: Addresses

    def __post_init__(self) -> None:
        check_name(self.nickname)
        check_addresses(self.addresses)


@register
class TermsSet(Message, frozen=True, kw_only=True, tag=44):
    """TERMS: the opener to each joiner: the final terms and who sits where."""

    table: Bytes16
    round: U16  # counts how often the opener has put terms on the table; a later one replaces an earlier one
    terms: Annotated[bytes, Meta(min_length=1, max_length=2_048)]
    members: Annotated[tuple[Member, ...], Meta(min_length=4, max_length=4)]


@register
class Ready(Message, frozen=True, kw_only=True, tag=45):
    """Each to each: I agree to these terms with these four; my nonce (``gathering.ready_bytes`` is signed)."""

    table: Bytes16
    round: U16
    seat: Seat
    terms_hash: Bytes32
    members_hash: Bytes32
    nonce: Bytes32
    signature: Bytes64


@register
class Seated(Message, frozen=True, kw_only=True, tag=46):
    """Each to each, when four READY are in: what they add up to; equal on all four, or there is no match."""

    table: Bytes16
    round: U16
    match: Bytes32
    roster_hash: Bytes32


@register
class Leave(Message, frozen=True, kw_only=True, tag=47):
    """Anyone: I do not sit down at this table, or the opener: this table is closed."""

    table: Bytes16
    reason: Word
    text: ShortText

    def __post_init__(self) -> None:
        check_text(self.text)


@register
class Rematch(Message, frozen=True, kw_only=True, tag=48):
    """After a match: the opener of a new table with the same terms asks the receiver to it."""

    match: Bytes32
    table: Bytes16


@register
class House(Message, frozen=True, kw_only=True, tag=49):
    """A host of computers to its contacts, when a link comes up and when it changes: what they may ask for."""

    levels: Annotated[tuple[Word, ...], Meta(max_length=16)]
    free: Annotated[int, Meta(ge=0, le=999)]  # computers that could sit down now


@register
class BotsWanted(Message, frozen=True, kw_only=True, tag=50):
    """The opener of a table to a host of computers: send some to my table (its announcement as in TABLE)."""

    announcement: Annotated[bytes, Meta(max_length=8_192)]
    signature: Bytes64
    level: Word
    count: Annotated[int, Meta(ge=1, le=3)]


@register
class BotsSent(Message, frozen=True, kw_only=True, tag=51):
    """Answers BOTS_WANTED: who will ask for a seat, or why nobody does (``reason`` for programs; ``sent`` if so)."""

    table: Bytes16
    bots: Annotated[tuple[Bytes32, ...], Meta(max_length=3)]
    reason: Word
    text: ShortText

    def __post_init__(self) -> None:
        check_text(self.text)


# -- table ---------------------------------------------------------------------------------------------------------


@register
class Entry(Message, frozen=True, kw_only=True, tag=70):
    """ENTRY: a signed entry of a match, as its author made it."""

    p: Annotated[bytes, Meta(min_length=1, max_length=codec.MAX_MESSAGE - 128)]
    s: Bytes64


# -- chat ----------------------------------------------------------------------------------------------------------


@register
class Chat(Message, frozen=True, kw_only=True, tag=110):
    """Words at a table: unsigned, no entry, never evidence."""

    match: Bytes32
    text: Annotated[str, Meta(min_length=1, max_length=MAX_TEXT)]

    def __post_init__(self) -> None:
        check_text(self.text)


@register
class Pause(Message, frozen=True, kw_only=True, tag=111):
    """Wants pause number ``n`` of the match (on), or ends it and all before it (see :mod:`protocol.table.pause`)."""

    match: Bytes32
    n: Annotated[int, Meta(ge=0, le=MAX_PAUSES)]
    on: bool


@register
class Dwell(Message, frozen=True, kw_only=True, tag=112):
    """How long the sender wishes a finished trick to stay, when a link comes up and when it changes."""

    match: Bytes32
    ms: Annotated[int, Meta(ge=0, le=LONGEST_DWELL_MS)]


@register
class Seen(Message, frozen=True, kw_only=True, tag=113):
    """The sender has looked long enough at a trick of a deal: nobody has to wait for his wish."""

    match: Bytes32
    deal: U32
    trick: Annotated[int, Meta(ge=1, le=12)]
