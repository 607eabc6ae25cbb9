"""Nodes with fixed keys, and two ends of a channel that talk to each other without sockets."""

import hashlib
from collections.abc import Callable
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from protocol.wire.hello import Me, Peer
from protocol.wire.keys import sign_static


def seeded(label: str) -> Callable[[int], bytes]:
    """A random source that is not random: SHA-256 in counter mode over *label*."""
    count = 0

    def rand(size: int) -> bytes:
        nonlocal count
        out = b""
        while len(out) < size:
            out += hashlib.sha256(f"{label}/{count}".encode()).digest()
            count += 1
        return out[:size]

    return rand


def signing_key(label: str) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(hashlib.sha256(b"ed25519" + label.encode()).digest())


def make_me(label: str, **changed: Any) -> Me:
    """The node *label*, the same each time."""
    key = signing_key(label)
    static = X25519PrivateKey.from_private_bytes(hashlib.sha256(b"x25519" + label.encode()).digest())
    public = static.public_key().public_bytes_raw()
    fields: dict[str, Any] = {
        "identity": key.public_key().public_bytes_raw(),
        "static_private": static.private_bytes_raw(),
        "static_signature": sign_static(key.sign, public),
        "nickname": label,
        "sign": key.sign,
        "agent": "test 1",
    }
    return Me(**{**fields, **changed})


def as_peer(me: Me) -> Peer:
    """*me* as the other end of a link knows it."""
    return Peer(me.identity, me.static, me.static_signature, me.nickname, 1, frozenset(), me.agent)


def pump(first: Any, second: Any, cut: int = 1 << 20) -> tuple[list[Any], list[Any]]:
    """Carry bytes both ways, *cut* at a time, until nobody has any left; the events of both ends."""
    events: tuple[list[Any], list[Any]] = ([], [])
    while True:
        moved = False
        for source, target, seen in ((first, second, events[1]), (second, first, events[0])):
            data = source.data_to_send()
            moved = moved or bool(data)
            for at in range(0, len(data), cut):
                seen += target.receive(data[at : at + cut])
        if not moved:
            return events
