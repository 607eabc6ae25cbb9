"""Signed entries: reading, making, hashing.

    hash       SHA-256("DOKO1-entry" || payload)            payload as received, never encoded anew
    signature  Ed25519 over "DOKO1-sign" || payload         not part of the hash: any valid one serves

An :class:`Entry` is only ever built by :func:`read_entry` (whose signature is then checked with
:func:`check_signature`) or by :func:`make_entry`.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from protocol.refusal import Code, Refusal
from protocol.table.effects import StoredEntry
from protocol.wire.entries import Chain, Fields, Kind, Malformed, Payload, Signed, decode_payload, encode_payload
from protocol.wire.keys import verify
from protocol.wire.messages import Entry as EntryMessage
from protocol.wire.messages import encode

DOMAIN_HASH: Final = b"DOKO1-entry"
DOMAIN_SIGN: Final = b"DOKO1-sign"

F = TypeVar("F", bound=Fields)
#: A place that one seat can fill once: seat, chain, deal number (0 on the main chain), sequence number.
PlaceKey = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Entry:
    """One signed entry: its bytes, and what they say."""

    payload: bytes
    signature: bytes
    hash: bytes
    says: Payload

    @property
    def seat(self) -> int:
        return self.says.seat

    @property
    def kind(self) -> Kind:
        return self.says.kind

    @property
    def chain(self) -> Chain:
        return self.says.chain

    @property
    def deal(self) -> int:
        return self.says.deal

    @property
    def seq(self) -> int:
        """The sequence number, -1 for decisions."""
        return -1 if self.says.seq is None else self.says.seq

    @property
    def parent(self) -> bytes:
        return self.says.parent

    @property
    def place(self) -> PlaceKey | None:
        """What the author may sign only once, None for decisions."""
        says = self.says
        if says.seq is None:
            return None
        return (says.seat, says.chain, says.deal if says.chain else 0, says.seq)

    def fields(self, kind: type[F]) -> F:
        """The fields, which are a *kind*."""
        assert isinstance(self.says.fields, kind)
        return self.says.fields

    def words(self) -> str:
        """Where it stands, for people."""
        number = "" if self.says.seq is None else f" number {self.says.seq}"
        return f"{self.kind.name}{number} of seat {self.seat} in deal {self.deal}"


def entry_hash(payload: bytes) -> bytes:
    """The hash of an entry, 32 bytes."""
    return hashlib.sha256(DOMAIN_HASH + payload).digest()


def read_entry(payload: bytes, signature: bytes) -> Entry:
    """The entry in these bytes; its signature is *not* checked.  Raises ``Refusal`` (FORMAT, LIMIT)."""
    if type(signature) is not bytes or len(signature) != 64:
        raise Refusal(Code.FORMAT, "entry: the signature is not 64 bytes")
    return Entry(payload, signature, entry_hash(payload), decode_payload(payload))


def check_signature(entry: Entry, identities: Sequence[bytes]) -> None:
    """Refuse (SIG) unless the seat it names has signed it; *identities* are the four keys by seat.

    FORMAT if it has, but the fields are not those of the entry's kind: that is then its author's doing.
    """
    check_author(entry, identities)
    if isinstance(entry.says.fields, Malformed):
        raise Refusal(Code.FORMAT, f"{entry.words()}: {entry.says.fields.why}")


def check_author(entry: Entry, identities: Sequence[bytes]) -> None:
    """Refuse (SIG) unless the seat it names has signed it, whatever it says."""
    verify(identities[entry.seat], entry.signature, DOMAIN_SIGN + entry.payload, entry.words())


class Signer:
    """Makes entries of one seat of one match."""

    def __init__(self, match: bytes, seat: int, signing_key: bytes) -> None:
        self._match = match
        self._seat = seat
        self._key = Ed25519PrivateKey.from_private_bytes(signing_key)

    def make(self, chain: Chain, deal: int, seq: int | None, parent: bytes, kind: Kind, fields: Fields) -> Entry:
        """A new entry, signed."""
        says = Payload(self._match, chain, deal, self._seat, seq, parent, kind, fields)
        payload = encode_payload(says)
        return Entry(payload, self._key.sign(DOMAIN_SIGN + payload), entry_hash(payload), says)

    def sign(self, message: bytes) -> bytes:
        """A bare signature (the settlement document); *message* begins with a domain string."""
        return self._key.sign(message)


def store_form(entry: Entry) -> StoredEntry:
    """How the store keeps it."""
    says = entry.says
    return StoredEntry(
        entry.hash,
        int(says.chain),
        says.deal,
        says.seat,
        says.seq,
        int(says.kind),
        entry.payload,
        entry.signature,
    )


def message_of(entry: Entry) -> bytes:
    """The link message that carries it."""
    return encode(EntryMessage(p=entry.payload, s=entry.signature))


def signed_form(entry: Entry) -> Signed:
    """How another entry carries it."""
    return Signed(entry.payload, entry.signature)
