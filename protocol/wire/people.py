"""Signed address records: where an identity can be reached, passed on by others and still its own word."""

from collections.abc import Iterable
from typing import Final

from protocol.wire.address import Address
from protocol.wire.codec import encode
from protocol.wire.keys import Sign, verify
from protocol.wire.messages import AddressRecord

DOMAIN_ADDRESSES: Final = b"DOKO1-addresses"


def address_bytes(identity: bytes, time: int, addresses: tuple[str, ...]) -> bytes:
    """What is signed: domain, identity, u64 time, then per address u8 length and text."""
    parts = [DOMAIN_ADDRESSES, identity, time.to_bytes(8, "big")]
    for address in addresses:
        parts += [bytes([len(address)]), address.encode("ascii")]
    return b"".join(parts)


def sign_addresses(sign: Sign, identity: bytes, time: int, addresses: Iterable[Address]) -> AddressRecord:
    """The node's own record; *time* in seconds since 1970, later records replace earlier ones."""
    texts = tuple(str(address) for address in addresses)
    signature = sign(address_bytes(identity, time, texts))
    return AddressRecord(identity=identity, time=time, addresses=texts, signature=signature)


def check_addresses_of(record: AddressRecord) -> None:
    """Refuse (SIG) a record that its identity has not signed."""
    signed = address_bytes(record.identity, record.time, record.addresses)
    verify(record.identity, record.signature, signed, "address record")


def record_bytes(record: AddressRecord) -> bytes:
    """The record as msgpack, for a store."""
    return encode(record)
