"""Sees every message that arrives, and fails at the first thing that no honest node may do.

- two payloads of one seat for one (match, chain, deal, sequence number);
- two entries of one seat on one head that exclude each other: KEEP and RESTART against a seat, VOID and a turn;
- one commitment in two proofs: then the two give the secret key away.  The commitments are worked out from the entries
  alone, as anyone who listens could;
- one ephemeral key in two boxes, one public key in two deals;
- a message that contains a secret of an open deal.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

import msgpack

from protocol.deal import keys as deal_keys
from protocol.deal.deck import decode_deck
from protocol.deal.duel import mixed_ciphertexts
from protocol.deal.generators import generators
from protocol.deal.group import BASE, ristretto
from protocol.deal.hashing import Place, Q
from protocol.deal.keys import OwnKeys
from protocol.deal.shuffle import decode_proof
from protocol.table.entries import Entry, read_entry
from protocol.table.equivocation import contradict
from protocol.table.log import deal_head
from protocol.table.roster import Setup
from protocol.wire import entries as wire
from protocol.wire.entries import Kind
from protocol.wire.messages import Entry as EntryMessage
from protocol.wire.messages import decode

if TYPE_CHECKING:
    from tests.table.net import Wire, World

#: A commitment, and the challenge it was answered for.
Commitment = tuple[bytes, bytes]


def _little(data: bytes) -> int:
    return int.from_bytes(data, "little")


def _dleq(public: bytes, proof: bytes) -> Commitment:
    """R = z * B + c * Y of a proof (c, z)."""
    c, z = proof[:32], proof[32:]
    return ristretto().sum_products((_little(z), _little(c)), (BASE, public)), c


def _inequality(public: bytes, proof: bytes) -> Iterator[Commitment]:
    """A2 = σy * Y - σa * B of each pair."""
    for at in range(32, len(proof), 96):
        sigma_a, sigma_y = _little(proof[at + 32 : at + 64]), _little(proof[at + 64 : at + 96])
        # the pair's T stands for what is answered: equal pairs under one challenge are one proof
        yield ristretto().sum_products((sigma_y, -sigma_a % Q), (public, BASE)), proof[:32] + proof[at : at + 32]


def _shuffle(fields: wire.Shuf, width: int) -> Iterator[Commitment]:
    """t1 and each t̂: the nonces of s1 and of ŝ, s' (the others are answered in the same breath)."""
    proof = decode_proof(fields.proof, width)
    group, gens = ristretto(), generators()
    k = proof.k.to_bytes(32, "little")
    minus = -proof.k % Q
    yield group.sum_products((proof.s1, minus), (BASE, group.sub(group.total(proof.c), gens.hs_sum))), k + b"1"
    rows = [
        ((s_hat, s_prime, minus), (BASE, before, this))
        for s_hat, s_prime, before, this in zip(
            proof.s_hat, proof.s_prime, [gens.h, *proof.c_hat[:-1]], proof.c_hat, strict=True
        )
    ]
    for number, point in enumerate(group.sums(rows)):
        yield point, k + bytes([number])


@lru_cache(maxsize=20_000)
def _opened(public: bytes, payload: bytes, width: int) -> tuple[Commitment, ...]:
    """All commitments in an entry of a seat with this public key."""
    fields = read_entry(payload, bytes(64)).says.fields
    found: list[Commitment] = []
    match fields:
        case wire.Shuf():
            found += _shuffle(fields, width)
        case wire.Shares(proof=proof) | wire.TestOpen(proof=proof):
            found.append(_dleq(public, proof))
        case wire.Play():
            found.append(_dleq(public, fields.proof))
            if fields.void is not None:
                found += _inequality(public, fields.void)
        case wire.Bid(neq=neq) if neq is not None:
            found += _inequality(public, neq)
        case wire.Call():
            if fields.open is not None:
                found.append(_dleq(public, fields.open.proof))
            if fields.neq is not None:
                found += _inequality(public, fields.neq)
        case wire.Marry():
            found += [_dleq(public, opening.proof) for opening in fields.open]
    return tuple(found)


def _test(entry: Entry, deck_bytes: bytes, humans: tuple[int, ...], computers: tuple[int, ...]) -> list[Commitment]:
    """v1 * E1 + v2 * E2 of both halves of a duel's TEST."""
    fields, group = entry.fields(wire.Test), ristretto()
    deck = decode_deck(deck_bytes, 2)
    found = []
    for seats, f, proof in zip((humans, computers), fields.f, fields.proofs, strict=True):
        e1, e2 = mixed_ciphertexts(deck, seats)
        c, z1, z2 = (_little(proof[at : at + 32]) for at in (0, 32, 64))
        found.append((group.sum_products((z1, z2, -c % Q), (e1[0], e2[0], f[:32])), proof[:32]))
    return found


class Watch:
    """Append it to ``World.watchers``; *world* for the secrets in its nodes' stores."""

    def __init__(self, world: "World") -> None:
        self.world = world
        self.places: dict[object, Entry] = {}
        self.heads: dict[tuple[int, bytes], list[Entry]] = {}  # by author and the head it stands on
        self.entries: dict[bytes, Entry] = {}
        self.faults: list[str] = []
        self.tolerate: set[int] = set()  # seats that may contradict themselves: two processes have their keys
        self.messages = 0

    def __call__(self, wire_message: "Wire") -> None:
        self.messages += 1
        self._search(wire_message.source, wire_message.raw)
        message = decode(wire_message.raw)
        if isinstance(message, EntryMessage):
            self.see(read_entry(message.p, message.s))

    def see(self, entry: Entry) -> None:
        """An entry, wherever it was found."""
        if entry.hash in self.entries:
            return
        self.entries[entry.hash] = entry
        if entry.place is not None:
            other = self.places.setdefault(entry.place, entry)
            if other.hash != entry.hash and entry.seat not in self.tolerate:
                raise AssertionError(f"two payloads for one place: {other.words()} and {entry.words()}")
        on_head = self.heads.setdefault((entry.seat, entry.parent), [])
        for other in on_head:
            if entry.seat not in self.tolerate and contradict(other, entry, self.world.setups[0].terms_hash):
                raise AssertionError(f"one head, one seat: {other.words()} and {entry.words()}")
        on_head.append(entry)
        if isinstance(entry.says.fields, wire.Play):
            for signed in entry.says.fields.calls:
                self.see(read_entry(signed.payload, signed.signature))

    def _search(self, source: int, raw: bytes) -> None:
        """No secret of an open deal is in a message of those who know it."""
        for secret in secrets_of(self.world, source):
            assert secret not in raw, f"seat {source} sends a secret of its own"

    def nonces(self) -> int:
        """Look for a commitment that was answered twice; how many there were."""
        match_id = self.world.setups[0].match_id
        duel = self.world.setups[0].terms.mode == "duel"
        computers = self.world.setups[0].terms.bot_seats if duel else ()
        humans = tuple(seat for seat in range(4) if seat not in computers)
        public: dict[tuple[int, int], bytes] = {}
        seen: dict[bytes, tuple[bytes, str]] = {}
        once: dict[bytes, str] = {}
        for entry in self.entries.values():
            if entry.kind is Kind.KEYS and entry.seat not in self.tolerate:
                keys = deal_keys.read_keys(_place(self.world.setups[0], entry), entry.fields(wire.Keys).body)
                public[entry.deal, entry.seat] = keys.public
                for value in (keys.public, *keys.points.values(), *keys.ephemerals.values()):
                    before = once.setdefault(value, entry.words())
                    assert before == entry.words(), f"one key in {before} and in {entry.words()}"
                c, z = keys_pop(entry.fields(wire.Keys).body)
                self._seen(seen, [(_schnorr(keys.public, c, z), c)], entry)
        decks = {
            entry.deal: entry.fields(wire.Shuf).deck
            for entry in self.entries.values()
            if entry.kind is Kind.SHUF and entry.seat == 3
        }
        for entry in self.entries.values():
            key = public.get((entry.deal, entry.seat))
            if key is None or entry.says.match != match_id:
                continue
            self._seen(seen, _opened(key, entry.payload, 2 if duel else 1), entry)
            if entry.kind is Kind.TEST:
                self._seen(seen, _test(entry, decks[entry.deal], humans, computers), entry)
        return len(seen)

    @staticmethod
    def _seen(seen: dict[bytes, tuple[bytes, str]], found: Iterable[Commitment], entry: Entry) -> None:
        for point, challenge in found:
            before = seen.setdefault(point, (challenge, entry.words()))
            assert before[0] == challenge, f"one nonce in {before[1]} and in {entry.words()}"


def keys_pop(body: bytes) -> tuple[bytes, bytes]:
    """(c, z) of the proof of possession in a body of KEYS."""
    pop: bytes = msgpack.unpackb(body)[3]
    return pop[:32], pop[32:]


def _schnorr(public: bytes, c: bytes, z: bytes) -> bytes:
    """W = z * B - c * Y."""
    return ristretto().sum_products((_little(z), -_little(c) % Q), (BASE, public))


def _place(setup: Setup, entry: Entry) -> Place:
    first = deal_head(setup.match_id, setup.terms_hash, entry.deal)
    return Place(setup.match_id, setup.roster.hash, entry.deal, entry.seat, first)


def secrets_of(world: "World", seat: int) -> list[bytes]:
    """x and the six sub-shares of each open deal that the seat's store holds, 32 bytes each."""
    found: list[bytes] = []
    for name, value in world.nodes[seat].store.secrets.items():
        if name.endswith("/keys"):
            found += _unpacked(value)
        elif name.endswith("/subs"):
            found += [value[at + 1 : at + 33] for at in range(0, len(value), 33)]
    return found


@lru_cache(maxsize=4_096)
def _unpacked(value: bytes) -> tuple[bytes, ...]:
    try:
        keys = OwnKeys.unpack(value)
    except ValueError:  # damaged on the disk
        return ()
    return tuple(secret.to_bytes(32, "little") for secret in (keys.x, *keys.subs.values()))
