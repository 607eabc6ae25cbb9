"""HELLO: who is at the other end of a channel.

Noise proves that the other end owns an X25519 key.  HELLO proves that an Ed25519 identity, which is what people know
each other by, owns that key (it has signed it) and is speaking in this channel now (it has signed the handshake hash,
with its role, so that a signature cannot be sent back to its author).
"""

from dataclasses import dataclass, field
from typing import Final

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from protocol.refusal import Refusal
from protocol.wire.errors import LinkError, Reason
from protocol.wire.keys import Sign, check_identity, check_static, verify
from protocol.wire.messages import Hello
from protocol.wire.version import FEATURES, VERSIONS, common_version

DOMAIN_HELLO: Final = b"DOKO1-hello"


@dataclass(frozen=True, slots=True)
class Me:
    """What a node needs to say HELLO."""

    identity: bytes  # Ed25519 public key, 32
    static_private: bytes = field(repr=False)  # X25519, 32
    static_signature: bytes = field(repr=False)  # keys.sign_static
    nickname: str
    sign: Sign = field(repr=False)
    agent: str = ""
    versions: tuple[int, ...] = VERSIONS
    features: tuple[str, ...] = FEATURES

    @property
    def static(self) -> bytes:
        """The X25519 public key."""
        return X25519PrivateKey.from_private_bytes(self.static_private).public_key().public_bytes_raw()


@dataclass(frozen=True, slots=True)
class Peer:
    """Who is at the other end, proven."""

    identity: bytes  # Ed25519, 32
    static: bytes  # X25519, 32
    static_signature: bytes = field(repr=False)
    nickname: str  # what it calls itself: nothing is proven by it
    version: int  # the highest both speak
    features: frozenset[str]  # those both have
    agent: str


def hello_bytes(initiator: bool, handshake_hash: bytes) -> bytes:
    """What a HELLO's signature is over: domain, role (0 initiator, 1 responder), handshake hash."""
    return DOMAIN_HELLO + bytes([0 if initiator else 1]) + handshake_hash


def make_hello(me: Me, *, initiator: bool, handshake_hash: bytes) -> Hello:
    """Our HELLO for the channel with this handshake hash; *initiator*: whether we opened it."""
    return Hello(
        identity=me.identity,
        signature=me.sign(hello_bytes(initiator, handshake_hash)),
        static_signature=me.static_signature,
        versions=me.versions,
        features=me.features,
        nickname=me.nickname,
        agent=me.agent,
    )


def check_hello(
    hello: Hello,
    me: Me,
    *,
    initiator: bool,
    handshake_hash: bytes,
    remote_static: bytes,
    expect: bytes | None = None,
) -> Peer:
    """The peer behind *hello*, or ``LinkError`` (VERSION, IDENTITY, SELF).

    :param initiator: whether *we* opened the channel.
    :param expect: the identity we meant to reach, if there is one.
    """
    version = common_version(me.versions, hello.versions)
    try:
        check_identity(hello.identity)
        verify(hello.identity, hello.signature, hello_bytes(not initiator, handshake_hash), "HELLO")
        check_static(hello.identity, remote_static, hello.static_signature, "HELLO: X25519 key")
    except Refusal as refusal:
        raise LinkError(Reason.IDENTITY, refusal.detail, refusal.code) from None
    if hello.identity == me.identity:
        raise LinkError(Reason.SELF, "the other end has this node's own identity: a node does not play with itself")
    if expect is not None and hello.identity != expect:
        raise LinkError(Reason.IDENTITY, "somebody else answers at this address: another identity key than expected")
    return Peer(
        hello.identity,
        remote_static,
        hello.static_signature,
        hello.nickname,
        version,
        frozenset(me.features) & frozenset(hello.features),
        hello.agent,
    )
