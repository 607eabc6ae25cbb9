"""Entries of the table's log: the payload, and the fields of each kind.

A payload is the msgpack array ::

    [1, match, chain, deal, seat, seq, parent, kind, fields]

| item | type | meaning |
|---|---|---|
| 1 | int | version of the format |
| match | bin 32 | match id |
| chain | int | 0 main chain, 1 deal chain |
| deal | u32 | deal number, from 0 |
| seat | 0..3 | author |
| seq | u32 or nil | the author's sequence number on this chain, from 0; nil in decisions |
| parent | bin 32 | head that the entry stands on |
| kind | int | below |
| fields | map | exactly the keys of the kind's struct |

It is hashed and signed as received; reading never leads to encoding anew.

| kinds | chain | what |
|---|---|---|
| 1-15 | deal | COMMIT KEYS KEYOK SHAREBAD SHAREOPEN SHUF DECKOK TEST TESTOPEN |
| 16-31 | main | SHARES BID NAME MARRY PLAY CALL TRICK SUB RESULT SETTLE |
| 32-47 | deal: RESTART; either: KEEP; else main | decisions without sequence number: RESTART DROP KEEP REJOIN VOID |
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from protocol.refusal import Code, Refusal
from protocol.wire import codec
from protocol.wire.fields import U32, Bytes32, Bytes64, Seat

VERSION: Final = 1
#: Largest payload: an ENTRY message has to fit into one frame.
MAX_PAYLOAD: Final = codec.MAX_MESSAGE - 128
LIMITS: Final = codec.Limits(size=MAX_PAYLOAD, depth=6, text=64, binary=32_768, array=64, map=16)


class Chain(IntEnum):
    """Which of the two kinds of chain an entry stands on."""

    MAIN = 0
    DEAL = 1


class Kind(IntEnum):
    """What an entry is."""

    COMMIT = 1
    KEYS = 2
    KEYOK = 3
    SHAREBAD = 4
    SHAREOPEN = 5
    SHUF = 6
    DECKOK = 7
    TEST = 8
    TESTOPEN = 9
    SHARES = 16
    BID = 17
    NAME = 18
    MARRY = 19
    PLAY = 20
    CALL = 21
    TRICK = 22
    SUB = 23
    RESULT = 24
    SETTLE = 25
    RESTART = 32
    DROP = 33
    KEEP = 34
    REJOIN = 35
    VOID = 36


#: Kinds without a sequence number.
DECISIONS: Final = frozenset({Kind.RESTART, Kind.DROP, Kind.KEEP, Kind.REJOIN, Kind.VOID})
#: Kinds that stand on a deal chain; all others stand on the main chain, KEEP on either.
DEAL_KINDS: Final = frozenset(kind for kind in Kind if kind <= 15) | {Kind.RESTART}


class Fields(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Base of the fields of all kinds."""


class Signed(msgspec.Struct, frozen=True, forbid_unknown_fields=True, array_like=True):
    """A whole entry inside another one: payload and signature."""

    payload: Annotated[bytes, Meta(min_length=1, max_length=4_096)]
    signature: Bytes64


class Malformed(Fields, frozen=True, kw_only=True):
    """Stands for fields that are not those of their kind, in a payload whose other eight items can be read: so that the
    signature of whoever wrote them can be looked at before they are refused."""

    why: str


class Opening(msgspec.Struct, frozen=True, forbid_unknown_fields=True, array_like=True):
    """One slot opened: the owner's share of it and its proof."""

    slot: int
    d: Bytes32
    proof: Bytes64


# --- the deal chain -----------------------------------------------------------------------------------------------


class Commit(Fields, frozen=True, kw_only=True):
    """SHA-512(lp(body)) of the coming KEYS."""

    hash: Bytes64


class Keys(Fields, frozen=True, kw_only=True):
    """Sub-share points, proof of possession, three boxes, coin: one byte string (:mod:`protocol.deal.keys`)."""

    body: Annotated[bytes, Meta(min_length=1, max_length=1_024)]


class KeyOk(Fields, frozen=True, kw_only=True):
    """SHA-256 of the four KEYS entry hashes in seat order."""

    hash: Bytes32


class ShareBad(Fields, frozen=True, kw_only=True):
    """In KEYOK's place: the box that seat *source* made for the author does not hold what it has to."""

    source: Seat


class ShareOpen(Fields, frozen=True, kw_only=True):
    """Answer to SHAREBAD: the ephemeral secret of the box made for seat *target*."""

    target: Seat
    secret: Bytes32


class Shuf(Fields, frozen=True, kw_only=True):
    """A deck and the proof that it is the one before, shuffled."""

    deck: Annotated[bytes, Meta(min_length=1, max_length=8_192)]
    proof: Annotated[bytes, Meta(min_length=1, max_length=16_384)]


class DeckOk(Fields, frozen=True, kw_only=True):
    """The barrier: SHA-256 of the entry hashes of KEYS, KEYOK and SHUF in round, then seat order."""

    hash: Bytes32


class Test(Fields, frozen=True, kw_only=True):
    """Duel: F of the humans and F of the computers (64 bytes each) with their proofs of knowledge (96 bytes each)."""

    __test__ = False

    f: tuple[Bytes64, Bytes64]
    proofs: tuple[Annotated[bytes, Meta(max_length=96)], Annotated[bytes, Meta(max_length=96)]]


class TestOpen(Fields, frozen=True, kw_only=True):
    """Duel: shares of both sums of F and their proof."""

    __test__ = False

    d: tuple[Bytes32, Bytes32]
    proof: Bytes64


# --- the main chain -----------------------------------------------------------------------------------------------


class Shares(Fields, frozen=True, kw_only=True):
    """Opens a hand: the deal chain's last head, 37 to 39 shares of 32 bytes, one proof for all."""

    deal_head: Bytes32
    d: Annotated[bytes, Meta(max_length=39 * 32)]
    proof: Bytes64


class Bid(Fields, frozen=True, kw_only=True):
    """Healthy or reservation; *neq*: of a computer in a duel, that it does not hold both CQ."""

    reserve: bool
    neq: Annotated[bytes, Meta(max_length=128)] | None


class Name(Fields, frozen=True, kw_only=True):
    """The game a reserver names (``marriage``, ``solo-clubs`` ...)."""

    game: Annotated[str, Meta(max_length=16)]


class Marry(Fields, frozen=True, kw_only=True):
    """The two CQ slots opened, ascending."""

    open: tuple[Opening, Opening]


class Play(Fields, frozen=True, kw_only=True):
    """A card: its slot opened, a proof of being void where one is due, and the calls it carries."""

    trick: int
    slot: int
    d: Bytes32
    proof: Bytes64
    void: Annotated[bytes, Meta(max_length=16_384)] | None
    calls: Annotated[tuple[Signed, ...], Meta(max_length=24)]


class Call(Fields, frozen=True, kw_only=True):
    """A call, the hashes of the pending calls it answers, and the proof of its author's side where one is due."""

    what: Annotated[str, Meta(max_length=8)]
    after: Annotated[tuple[Bytes32, ...], Meta(max_length=24)]
    open: Opening | None
    neq: Annotated[bytes, Meta(max_length=2_048)] | None


class Trick(Fields, frozen=True, kw_only=True):
    """Receipt of a trick: digest of the engine's state at the parent head; REJOINs to take effect."""

    trick: int
    digest: Bytes32
    rejoins: Annotated[tuple[Signed, ...], Meta(max_length=3)]


class Sub(Fields, frozen=True, kw_only=True):
    """Sub-shares of a dropped seat's slots, with one proof."""

    seat: Seat
    slots: Annotated[tuple[int, ...], Meta(max_length=39)]
    d: Annotated[bytes, Meta(max_length=39 * 32)]
    proof: Bytes64


class Result(Fields, frozen=True, kw_only=True):
    """The hand's result, all by seat; *seed*: of a computer, its seed of this deal."""

    void: bool
    game: Annotated[str, Meta(max_length=16)]
    re: Annotated[tuple[Seat, ...], Meta(max_length=4)]
    winner: Annotated[str, Meta(max_length=8)] | None
    value: int
    points: tuple[int, int, int, int]
    money: tuple[int, int, int, int]
    kitty: int
    seed: Bytes32 | None


class Settle(Fields, frozen=True, kw_only=True):
    """SHA-256 of the settlement document and the author's signature under the document itself."""

    document: Bytes32
    signature: Bytes64


# --- decisions ----------------------------------------------------------------------------------------------------


class Restart(Fields, frozen=True, kw_only=True):
    """This deal is thrown away: by the three others because of *seat*, or by all four (nil)."""

    seat: Seat | None


class Drop(Fields, frozen=True, kw_only=True):
    """By the three others: *seat* is out of this hand.  *next*: the signer's next sequence number."""

    seat: Seat
    next: U32
    calls: Annotated[tuple[Signed, ...], Meta(max_length=24)]
    evidence: Annotated[bytes, Meta(max_length=32_768)] | None


class Keep(Fields, frozen=True, kw_only=True):
    """The author will sign no decision against anybody on this head."""


class Rejoin(Fields, frozen=True, kw_only=True):
    """A dropped seat is back; its sequence numbers go on with *next*."""

    next: U32


class Void(Fields, frozen=True, kw_only=True):
    """The running hand is void by agreement, once all four have signed it on one head."""


FIELDS: Final[dict[Kind, type[Fields]]] = {
    Kind.COMMIT: Commit,
    Kind.KEYS: Keys,
    Kind.KEYOK: KeyOk,
    Kind.SHAREBAD: ShareBad,
    Kind.SHAREOPEN: ShareOpen,
    Kind.SHUF: Shuf,
    Kind.DECKOK: DeckOk,
    Kind.TEST: Test,
    Kind.TESTOPEN: TestOpen,
    Kind.SHARES: Shares,
    Kind.BID: Bid,
    Kind.NAME: Name,
    Kind.MARRY: Marry,
    Kind.PLAY: Play,
    Kind.CALL: Call,
    Kind.TRICK: Trick,
    Kind.SUB: Sub,
    Kind.RESULT: Result,
    Kind.SETTLE: Settle,
    Kind.RESTART: Restart,
    Kind.DROP: Drop,
    Kind.KEEP: Keep,
    Kind.REJOIN: Rejoin,
    Kind.VOID: Void,
}


@dataclass(frozen=True, slots=True)
class Payload:
    """A payload read: where it stands and its fields."""

    match: bytes
    chain: Chain
    deal: int
    seat: int
    seq: int | None
    parent: bytes
    kind: Kind
    fields: Fields


def encode_payload(payload: Payload) -> bytes:
    """The bytes to hash and sign."""
    return codec.encode(
        [
            VERSION,
            payload.match,
            int(payload.chain),
            payload.deal,
            payload.seat,
            payload.seq,
            payload.parent,
            int(payload.kind),
            payload.fields,
        ]
    )


def decode_payload(raw: bytes) -> Payload:
    """Read a payload.  Raises ``Refusal`` (FORMAT or LIMIT) for anything that is not exactly one; no curve operation.

    Only what is wrong with the fields alone is no refusal yet: they are then :class:`Malformed`.
    """
    value = codec.unpack(raw, LIMITS, "entry")
    if type(value) is not list or len(value) != 9:
        raise Refusal(Code.FORMAT, "entry: not an array of 9 items")
    version, match, chain, deal, seat, seq, parent, kind, fields = value
    if type(version) is not int or version != VERSION:
        raise Refusal(Code.FORMAT, "entry: not of version 1")
    if not (_bytes32(match) and _bytes32(parent)):
        raise Refusal(Code.FORMAT, "entry: match and parent are 32 bytes each")
    if not (_uint(chain, 1) and _uint(deal, 0xFFFF_FFFF) and _uint(seat, 3)):
        raise Refusal(Code.FORMAT, "entry: chain, deal or seat out of range")
    which = _KINDS.get(kind) if type(kind) is int else None
    if which is None:
        raise Refusal(Code.FORMAT, "entry: no such kind")
    if which is not Kind.KEEP and (chain == Chain.DEAL) != (which in DEAL_KINDS):
        raise Refusal(Code.FORMAT, f"entry: {which.name} does not stand on this chain")
    if which in DECISIONS:
        if seq is not None:
            raise Refusal(Code.FORMAT, f"entry: {which.name} has no sequence number")
    elif not _uint(seq, 0xFFFF_FFFF):
        raise Refusal(Code.FORMAT, f"entry: {which.name} needs a sequence number")
    try:
        says: Fields = codec.convert(fields, FIELDS[which], which.name)
    except Refusal as refusal:
        says = Malformed(why=refusal.detail)
    return Payload(match, Chain(chain), deal, seat, seq, parent, which, says)


_KINDS: Final = {int(kind): kind for kind in Kind}


def _bytes32(value: Any) -> bool:
    return type(value) is bytes and len(value) == 32


def _uint(value: Any, most: int) -> bool:
    return type(value) is int and 0 <= value <= most
