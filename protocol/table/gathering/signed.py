"""What the four sign before there is a match: the member list's hash and the bytes under READY."""

import hashlib
from collections.abc import Sequence
from typing import Final

from protocol.wire.messages import Member

DOMAIN_MEMBERS: Final = b"DOKO1-members"
DOMAIN_READY: Final = b"DOKO1-ready"


def members_hash(members: Sequence[Member]) -> bytes:
    """SHA-256 over the domain and per seat identity, static key, its signature, u8 length and nickname."""
    parts = [DOMAIN_MEMBERS]
    for member in members:
        name = member.nickname.encode()
        parts += [member.identity, member.static, member.static_signature, bytes([len(name)]), name]
    return hashlib.sha256(b"".join(parts)).digest()


def ready_bytes(table: bytes, round_: int, terms: bytes, members: bytes, seat: int, nonce: bytes) -> bytes:
    """What READY signs: domain, table, u16 round, terms hash, members hash, u8 seat, nonce."""
    return DOMAIN_READY + table + round_.to_bytes(2, "big") + terms + members + bytes([seat]) + nonce
