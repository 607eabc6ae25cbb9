"""What an attacker has: an honest program's view of the match, his own keys, and a pen.

Everything here is signed with his own identity and made with his own secrets of the deal; nothing of the others' is
used (:class:`Forger` sees one seat's table alone).  By default what he makes is what an honest program would make; each
argument replaces one part by a lie.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, Final

from protocol.deal import void
from protocol.deal.claims import make_opening
from protocol.deal.deck import Deck, Pair, encode_deck, slots_of
from protocol.deal.generators import generators
from protocol.deal.group import BASE, ristretto
from protocol.deal.hashing import Kind as Proof
from protocol.deal.hashing import Nonces, Place, random_scalar
from protocol.deal.keys import OwnKeys, make_keys
from protocol.deal.play import make_open
from protocol.deal.shares import make_shares, read_hand
from protocol.deal.shuffle import encode_proof, shuffle
from protocol.deal.shuffle_proof import Permutation, prove
from protocol.rules.contracts import class_members
from protocol.table.deal_phase import DealPhase, DealState
from protocol.table.entries import Entry, message_of, signed_form
from protocol.table.hand_phase import HandPhase
from protocol.table.own import OwnDeal
from protocol.table.table import Table
from protocol.wire import entries as wire
from protocol.wire.codec import encode
from protocol.wire.entries import DEAL_KINDS, DECISIONS, Chain, Fields, Kind, Opening, Payload, Signed, encode_payload
from tests.deal.forge import statement_of
from tests.deal.helpers import Holder, Stream
from tests.table.net import people

HERE: Final = object()  # stands for "what an honest program would put here"


class Forger:
    """The attacker at one seat."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.seat = table.me
        self.rand = random.Random(f"forger {table.me}").randbytes
        self.signer = table._signer

    # -- what he knows --

    @property
    def hand(self) -> HandPhase:
        hand = self.table.match.hand
        assert hand is not None
        return hand

    @property
    def deal(self) -> DealPhase:
        """The deal that is made, or whose hand is played."""
        deal = self.table.match.next_deal
        return deal if deal is not None and deal.state is DealState.RUNNING else self.hand.deal

    @property
    def own(self) -> OwnDeal:
        return self.table._deals[self.deal.number]

    @property
    def pairs(self) -> tuple[Pair, ...]:
        return self.hand.slots.pairs

    @property
    def dealt(self) -> tuple[int, ...]:
        """His twelve cards in slot order (whatever he has claimed about them)."""
        return read_hand(self.own.x, [self.pairs[slot] for slot in slots_of(self.seat)])

    @property
    def cards(self) -> dict[int, int]:
        """His unplayed slots and what is in them."""
        held = zip(slots_of(self.seat), self.dealt, strict=True)
        return {slot: card for slot, card in held if slot not in self.hand.slots.played}

    @property
    def led(self) -> tuple[int, ...]:
        """The types of the class that is led."""
        state = self.hand.state
        assert state is not None
        assert state.led is not None
        assert state.contract is not None
        return class_members(state.contract, state.led)

    def place(self, extra: bytes | None = None, **changes: Any) -> Place:
        """Where a proof of his stands: by default on the main chain's head."""
        honest = self.deal.place(self.seat, self.table.match.main.head if extra is None else extra)
        values = {name: getattr(honest, name) for name in ("match_id", "roster_hash", "hand", "seat", "extra")}
        return Place(**(values | changes))

    def next_seq(self, chain: Chain) -> int:
        return self.table._next_seq(chain, self.deal.number)

    # -- entries --

    def payload(self, kind: Kind, fields: Fields, **changes: Any) -> Payload:
        """The payload of an entry of his that is due now."""
        chain = Chain.DEAL if kind in DEAL_KINDS else Chain.MAIN
        log = self.deal.log if chain is Chain.DEAL else self.table.match.main
        values: dict[str, Any] = {
            "match": self.table.setup.match_id,
            "chain": chain,
            "deal": self.deal.number,
            "seat": self.seat,
            "seq": None if kind in DECISIONS else self.next_seq(chain),
            "parent": log.head,
            "kind": kind,
            "fields": fields,
        }
        return Payload(**(values | changes))

    def entry(self, kind: Kind, fields: Fields, *, key: bytes | None = None, **changes: Any) -> Entry:
        """The same, signed; *key*: another signing key than his."""
        says = self.payload(kind, fields, **changes)
        return sign(encode_payload(says), key or people()[self.seat].signing, says)

    def map_entry(self, kind: Kind, fields: object, **changes: Any) -> bytes:
        """A link message with a signed entry whose fields are any msgpack value."""
        says = self.payload(kind, wire.KeyOk(hash=bytes(32)), **changes)
        raw = encode([1, says.match, int(says.chain), says.deal, says.seat, says.seq, says.parent, int(kind), fields])
        return self.raw_entry(raw)

    def raw_entry(self, payload: bytes) -> bytes:
        """A link message with these bytes as a payload, validly signed."""
        return message_of(sign(payload, people()[self.seat].signing))

    # -- the deal --

    def keys(self) -> OwnKeys:
        """Fresh keys of this deal."""
        noise = {seat: player.static for seat, player in enumerate(self.table.setup.roster.players)}
        return make_keys(self.place(self.deal.first_head), noise, self.rand)

    def shuffled(
        self,
        *,
        before: Deck | None = None,
        key: bytes | None = None,
        place: Place | None = None,
        x: int | None = None,
    ) -> wire.Shuf:
        """A shuffle by honest code, of another deck, under another key, or for another place."""
        deal = self.deal
        made = shuffle(
            place or self.place(deal.log.head),
            self.own.x if x is None else x,
            key or deal.joint_key,
            before or deal.deck,
            self.rand,
        )
        return wire.Shuf(deck=made.deck_bytes, proof=made.proof)

    def false_shuffle(self, sources: Sequence[int], rho: Sequence[int] | None = None, after: Deck | None = None) -> Any:
        """The honest prover at work for a witness that is no permutation, or for another deck than it makes."""
        deal, group, gens = self.deal, ristretto(), generators()
        n = len(sources)
        rho = [random_scalar(self.rand) for _ in range(n)] if rho is None else list(rho)
        made: Deck = after or tuple(
            (
                group.add(deal.deck[i][0], group.mul(r, BASE)),
                group.add(deal.deck[i][1], group.mul(r, deal.joint_key)),
            )
            for i, r in zip(sources, rho, strict=True)
        )
        r = [random_scalar(self.rand) for _ in range(n)]
        c = [group.mul(x, BASE) for x in r]
        for j, i in enumerate(sources):
            c[i] = group.add(group.mul(r[i], BASE), gens.hs[j])
        ctx = self.place(deal.log.head).ctx(Proof.SHUF)
        statement = statement_of(deal.joint_key, deal.deck, made)
        nonces = Nonces(b"x", self.rand, ctx, b"")
        proof = prove(statement, Permutation(tuple(sources), tuple(r), tuple(c)), [rho], nonces.take, ctx)
        return wire.Shuf(deck=encode_deck(made), proof=encode_proof(proof))

    def shares(self, place: Place | None = None, x: int | None = None) -> wire.Shares:
        """SHARES by honest code."""
        deal = self.deal
        items, proof = make_shares(
            place or self.place(deal.log.head),
            self.own.x if x is None else x,
            self.own.keys.public,
            deal.deck,
            deal.barrier,
            self.rand,
        )
        return wire.Shares(deal_head=deal.log.head, d=items, proof=proof)

    # -- the hand --

    def opened(self, slot: int, place: Place | None = None) -> tuple[bytes, bytes]:
        """(share, proof) of one slot for PLAY."""
        return make_open(place or self.place(), self.own.x, self.own.keys.public, self.pairs[slot], self.rand)

    def opening(self, slot: int, place: Place) -> Opening:
        """A slot opened for a claim."""
        made = make_opening(place, self.own.x, self.own.keys.public, self.pairs, slot, self.rand)
        return Opening(made.slot, made.d, made.proof)

    def closed(self, but: int | None = None) -> list[int]:
        """What a void proof has to be over."""
        slots = self.hand.slots
        return void.closed_slots(self.seat, slots.played, slots.opened, but=but)

    def void(self, slots: Sequence[int], types: Sequence[int], place: Place | None = None) -> bytes:
        """A void proof by honest code (which refuses to lie)."""
        return void.make_void(
            place or self.place(), self.own.x, self.own.keys.public, self.pairs, slots, types, self.rand
        )

    def holder(self, place: Place | None = None) -> Holder:
        """Himself as the forgeries of the deal's tests know a player."""
        stream = Stream(f"holder {self.seat}")
        return Holder(
            self.seat, self.own.x, self.own.keys.public, self.dealt, self.pairs, place or self.place(), stream
        )

    def play(
        self,
        slot: int,
        *,
        d: bytes | None = None,
        proof: bytes | None = None,
        void: bytes | None = None,
        calls: Sequence[Entry | Signed] | None = None,
        trick: int | None = None,
        **changes: Any,
    ) -> Entry:
        """A card from *slot*, carrying every pending call; *void* only if given."""
        hand = self.hand
        state = hand.state
        assert state is not None
        share, proven = self.opened(slot) if slot in range(48) else self.opened(slots_of(self.seat)[0])
        carried = [call.entry for call in hand.pending.values()] if calls is None else calls
        fields = wire.Play(
            trick=len(state.tricks) + 1 if trick is None else trick,
            slot=slot,
            d=share if d is None else d,
            proof=proven if proof is None else proof,
            void=void,
            calls=tuple(call if isinstance(call, Signed) else signed_form(call) for call in carried),
        )
        return self.entry(Kind.PLAY, fields, **changes)

    def honest_play(self, slot: int, **changes: Any) -> Entry:
        """A card with the void proof that it needs."""
        state = self.hand.state
        assert state is not None
        card = self.cards[slot]
        proof = None
        known = state.led is not None and state.is_void(self.hand.position(self.seat), state.led)
        if state.led is not None and card not in self.led and not known:
            slots = self.closed(slot)
            proof = self.void(slots, self.led) if slots else None
        return self.play(slot, void=proof, **changes)

    def call_place(self, seq: int | None = None) -> Place:
        """Where the proof of a call of his stands."""
        return self.hand.call_place(self.seat, self.next_seq(Chain.MAIN) if seq is None else seq)

    def call(
        self,
        what: str,
        *,
        after: Sequence[Entry] = (),
        opening: Opening | None = None,
        neq: bytes | None = None,
        **changes: Any,
    ) -> Entry:
        """A call with any proof."""
        fields = wire.Call(what=what, after=tuple(e.hash for e in after), open=opening, neq=neq)
        return self.entry(Kind.CALL, fields, **changes)

    def take(self, entry: Entry) -> None:
        """Let his own table know an entry of his that he has really sent."""
        self.table.match.offer(entry, own=True)
        self.table._accepted(entry)


def sign(payload: bytes, key: bytes, says: Payload | None = None) -> Entry:
    """Any bytes, signed as an entry."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    from protocol.table.entries import DOMAIN_SIGN, entry_hash

    signature = Ed25519PrivateKey.from_private_bytes(key).sign(DOMAIN_SIGN + payload)
    return Entry(payload, signature, entry_hash(payload), says)  # type: ignore[arg-type]
