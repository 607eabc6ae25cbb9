"""What an opener tells the world about a table: terms, who already sits there, where to knock.

It is signed, so that others can hand it on.
"""

from typing import Annotated, Final

import msgspec
from msgspec import Meta

from protocol.refusal import Code, Refusal
from protocol.table.terms import MAX_TERMS, Terms, read_terms
from protocol.wire import codec
from protocol.wire.fields import U8, U53, Bytes32, Nickname, check_name
from protocol.wire.keys import Sign, verify
from protocol.wire.messages import Addresses, TableOpen, check_addresses

VERSION: Final = 1
DOMAIN_TABLE: Final = b"DOKO1-table"
MAX_HOPS: Final = 2

_LIMITS: Final = codec.Limits(size=8_192, depth=4, text=512, binary=MAX_TERMS, array=8, map=16)


class Announcement(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The payload of TABLE and INVITE."""

    v: U8
    opener: Bytes32  # identity
    terms: Annotated[bytes, Meta(max_length=MAX_TERMS)]  # the opener's bytes, without computers
    seats: Annotated[tuple[Nickname | None, ...], Meta(min_length=4, max_length=4)]  # who sits there; nil: free
    bots: Annotated[tuple[bool, ...], Meta(min_length=4, max_length=4)]  # which of them are computers
    revision: U53  # of this table: the higher replaces the lower
    open: bool  # false: seats are no longer given away
    addresses: Addresses

    def __post_init__(self) -> None:
        if self.v != VERSION:
            raise ValueError(f"an announcement of version {self.v}")
        check_addresses(self.addresses)
        for nickname in self.seats:
            if nickname is not None:
                check_name(nickname)

    @property
    def table(self) -> bytes:
        """The table's name, 16 bytes."""
        return read_terms(self.terms).table

    def read_terms(self) -> Terms:
        """The terms, decoded."""
        return read_terms(self.terms)


def sign_announcement(announcement: Announcement, sign: Sign) -> TableOpen:
    """TABLE as its opener sends it."""
    raw = codec.encode(announcement)
    return TableOpen(announcement=raw, signature=sign(DOMAIN_TABLE + raw), hops=0)


def read_announcement(raw: bytes, signature: bytes) -> Announcement:
    """The announcement, if its opener signed it and its terms can be read.  Raises ``Refusal``."""
    announcement = codec.decode(raw, Announcement, _LIMITS, "table announcement")
    verify(announcement.opener, signature, DOMAIN_TABLE + raw, "table announcement")
    if announcement.read_terms().bots:
        raise Refusal(Code.FORMAT, "table announcement: its terms already name computers")
    return announcement


def handed_on(message: TableOpen) -> TableOpen | None:
    """The message as a third node passes it to its peers; ``None`` if it has gone far enough."""
    if message.hops >= MAX_HOPS:
        return None
    return TableOpen(announcement=message.announcement, signature=message.signature, hops=message.hops + 1)
