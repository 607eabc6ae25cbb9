"""Exchange of entries between two nodes of one match: who has what, what is missing, what a restarted node has signed.

::

    STATUS  how far I am on the main chain and on the latest deal chain; the receiver sends what I lack
    HEADS   all my heads of a chain: sent when a STATUS shows a head that is not mine, to find the first difference
    ASK     after a start: which are the last entries of *mine* that you hold? with my STATUS in it
    TOLD    the answer to ASK, sent after the entries themselves

None of these is signed or ever evidence: they only move entries, which speak for themselves.
"""

from typing import Annotated

import msgspec
from msgspec import Meta

from protocol.wire.fields import U32, Bytes16, Bytes32
from protocol.wire.messages import Message, register


class Progress(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Closed rounds and head of the main chain, number, closed rounds and head of the latest deal chain."""

    main: U32
    main_head: Bytes32
    deal: U32
    deal_length: U32
    deal_head: Bytes32


@register
class Status(Message, frozen=True, kw_only=True, tag=71):
    """Where I am; *reply*: tell me where you are, too."""

    match: Bytes32
    at: Progress
    reply: bool


@register
class Heads(Message, frozen=True, kw_only=True, tag=72):
    """All heads of a chain of mine, oldest first; *reply*: send me yours if they differ."""

    match: Bytes32
    chain: Annotated[int, Meta(ge=0, le=1)]
    deal: U32
    heads: Annotated[tuple[Bytes32, ...], Meta(max_length=1_024)]
    reply: bool


@register
class Ask(Message, frozen=True, kw_only=True, tag=73):
    """I have just started and sign nothing before you have told what you hold of mine."""

    match: Bytes32
    nonce: Bytes16
    at: Progress


@register
class Told(Message, frozen=True, kw_only=True, tag=74):
    """Answers ASK with its nonce: hashes of your last entry on the main chain, on the latest deal chain you signed on,
    and of your decisions that I hold."""

    match: Bytes32
    nonce: Bytes16
    last: Annotated[tuple[Bytes32, ...], Meta(max_length=32)]
