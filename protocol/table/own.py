"""Our own secrets of one deal, and the entries' fields that are made with them.

Everything here is about our seat.  Functions that take long (:func:`make_shuffle`, :func:`make_share_fields`,
:func:`make_play`) are pure and run anywhere; their randomness is a :class:`Stream` drawn beforehand.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from protocol.cards import CLUB_QUEEN
from protocol.deal import claims, duel, void
from protocol.deal import keys as deal_keys
from protocol.deal.deck import Deck, Pair, slots_of
from protocol.deal.group import read_scalar, write_scalar
from protocol.deal.hashing import Place, Rand, random_below
from protocol.deal.keys import OwnKeys
from protocol.deal.play import make_open
from protocol.deal.shares import make_shares, read_hand
from protocol.deal.shuffle import Prepared, prepare, shuffle
from protocol.refusal import Code, Refusal
from protocol.rules.calls import CallKind
from protocol.rules.contracts import Contract, class_members
from protocol.rules.hand import HandState, apply, apply_call, start
from protocol.table.deal_phase import DealPhase
from protocol.table.hand_phase import HandPhase
from protocol.wire import entries as wire


class Stream:
    """Random bytes for one computation, expanded (SHAKE-256) from 64 that were drawn for it alone."""

    __slots__ = ("_at", "_seed")

    def __init__(self, seed: bytes) -> None:
        self._seed = seed
        self._at = 0

    def __call__(self, count: int) -> bytes:
        self._at += 1
        return hashlib.shake_256(self._seed + self._at.to_bytes(8, "big")).digest(count)


@dataclass(slots=True, repr=False)
class OwnDeal:
    """Our keys of one deal, the sub-shares the others gave us, and, once dealt, our twelve cards in slot order."""

    keys: OwnKeys = field(repr=False)
    subs: dict[int, int] = field(default_factory=dict, repr=False)
    prepared: Prepared | None = field(default=None, repr=False)
    preparing: bool = False
    hand: tuple[int, ...] = field(default=(), repr=False)
    state: HandState | None = field(default=None, repr=False)  # the hand with our cards in it
    applied: int = 0  # how many of the hand's acts are in it

    @property
    def x(self) -> int:
        return self.keys.x

    @property
    def seat(self) -> int:
        return self.keys.seat

    def pack_subs(self) -> bytes:
        """The sub-shares for the store: seat and scalar each."""
        return b"".join(bytes([seat]) + write_scalar(sub) for seat, sub in sorted(self.subs.items()))

    def unpack_subs(self, data: bytes) -> None:
        """The inverse; ``Refusal`` if the store's bytes are damaged."""
        if len(data) % 33:
            raise Refusal(Code.FORMAT, "stored sub-shares are damaged")
        for at in range(0, len(data), 33):
            self.subs[data[at]] = read_scalar(data[at + 1 : at + 33], "stored sub-share")

    def open_boxes(self, deal: DealPhase, static: bytes) -> int | None:
        """Open the three boxes for us; the seat whose box is bad, or None."""
        for seat, keys in sorted(deal.keys.items()):
            if seat == self.seat or seat in self.subs:
                continue
            try:
                self.subs[seat] = deal_keys.open_box(deal.place(seat, deal.first_head), keys, self.seat, static)
            except Refusal:
                return seat
        return None

    def follow(self, hand: HandPhase) -> HandState:
        """The hand's state with our own cards in it, up to date."""
        assert hand.state is not None
        if not self.hand:
            self.hand = read_hand(self.x, [hand.slots.pairs[slot] for slot in slots_of(self.seat)])
        if self.state is None:
            known: list[tuple[int, ...] | None] = [None] * 4
            known[hand.position(self.seat)] = self.hand
            self.state = start(hand.state.rules, known, proofs=True)
            self.applied = 0
        for act, call in hand.acts[self.applied :]:
            self.state = apply_call(self.state, act, judged=True) if call else apply(self.state, act)  # type: ignore[arg-type]
            self.applied += 1
        return self.state

    def heard(self, hand: HandPhase) -> HandState:
        """The same with the pending calls in it: on this state our player decides."""
        state = self.follow(hand)
        for call in hand.pending.values():
            state = apply_call(state, call.act, judged=True)
        return state

    def slot_of(self, hand: HandPhase, card: int, rand: Rand) -> int:
        """The slot to play *card* from: one that is open already, else any."""
        slots = [
            slot
            for slot, held in zip(slots_of(self.seat), self.hand, strict=True)
            if held == card and slot not in hand.slots.played
        ]
        opened = [slot for slot in slots if slot in hand.slots.opened or slot in pending_slots(hand)]
        if not slots:
            raise Refusal(Code.RULE, "that card is not in hand", "R14")
        return opened[0] if opened else slots[random_below(rand, len(slots))]


def pending_slots(hand: HandPhase) -> set[int]:
    """Slots opened by calls that no card carries yet."""
    return {call.slot for call in hand.pending.values() if call.slot is not None}


# --- heavy, pure ----------------------------------------------------------------------------------------------------


def prepare_shuffle(place: Place, x: int, seed: bytes) -> Prepared:
    """All of our shuffle that does not need the deck: done while the others are at theirs."""
    return prepare(place, x, Stream(seed))


def make_shuffle(place: Place, x: int, key: bytes, deck: Deck, seed: bytes, prepared: Prepared | None) -> wire.Shuf:
    """Shuffle and prove (SHUF)."""
    made = shuffle(place, x, key, deck, Stream(seed), prepared)
    return wire.Shuf(deck=made.deck_bytes, proof=made.proof)


def make_share_fields(
    place: Place,
    x: int,
    public: bytes,
    deck: Deck,
    barrier: bytes,
    seed: bytes,
    computers: tuple[int, ...],
    deal_head: bytes,
) -> wire.Shares:
    """Our shares of all others' slots and of the coin (SHARES)."""
    items, proof = make_shares(place, x, public, deck, barrier, Stream(seed), computers)
    return wire.Shares(deal_head=deal_head, d=items, proof=proof)


def make_play(
    place: Place,
    x: int,
    public: bytes,
    pairs: Sequence[Pair],
    slot: int,
    trick: int,
    void_slots: Sequence[int],
    led: Sequence[int],
    seed: bytes,
) -> wire.Play:
    """A card without the calls it carries; *void_slots* and *led* empty where no void proof is due."""
    rand = Stream(seed)
    d, proof = make_open(place, x, public, pairs[slot], rand)
    void_proof = void.make_void(place, x, public, pairs, void_slots, led, rand) if void_slots else None
    return wire.Play(trick=trick, slot=slot, d=d, proof=proof, void=void_proof, calls=())


# --- light ----------------------------------------------------------------------------------------------------------


def play_arguments(
    own: OwnDeal, hand: HandPhase, card: int, rand: Callable[[int], bytes]
) -> tuple[Place, int, bytes, tuple[Pair, ...], int, int, list[int], tuple[int, ...], bytes]:
    """The arguments of :func:`make_play` for playing *card* now."""
    state = own.heard(hand)
    assert hand.state is not None
    assert state.contract is not None
    slot = own.slot_of(hand, card, rand)
    led = () if state.led is None else class_members(state.contract, state.led)
    void_slots: list[int] = []
    if state.led is not None and card not in led and not state.is_void(hand.position(own.seat), state.led):
        opened = hand.slots.opened.keys() | pending_slots(hand)
        void_slots = void.closed_slots(own.seat, hand.slots.played, opened, but=slot)
    place = hand.place(own.seat, hand.log.head)
    trick = len(hand.state.tricks) + 1
    return place, own.x, own.keys.public, hand.slots.pairs, slot, trick, void_slots, led, rand(64)


def make_call(own: OwnDeal, hand: HandPhase, kind: CallKind, seq: int, rand: Rand) -> wire.Call:
    """A call with its proof where one is due; it answers every pending call we know."""
    state = own.heard(hand)
    opened = hand.slots.opened | dict.fromkeys(pending_slots(hand), CLUB_QUEEN)
    proven = state.proven[hand.position(own.seat)]
    side = None if proven is None else claims.Side(proven.value)
    normal = state.contract is Contract.NORMAL
    place = hand.call_place(own.seat, seq)
    pairs, played = hand.slots.pairs, hand.slots.played
    opening, neq = None, None
    if claims.proof_due(normal, side, own.seat, played, opened):
        if CLUB_QUEEN in own.hand:
            made = claims.make_re(place, own.x, own.keys.public, pairs, own.hand, played, rand)
            opening = wire.Opening(made.slot, made.d, made.proof)
        else:
            neq = claims.make_kontra(place, own.x, own.keys.public, pairs, played, opened, rand)
    return wire.Call(what=kind.value, after=tuple(hand.pending), open=opening, neq=neq)


def make_marry(own: OwnDeal, hand: HandPhase, rand: Rand) -> wire.Marry:
    """The marriage's proof."""
    place = hand.place(own.seat, hand.log.head)
    first, second = claims.make_marriage(place, own.x, own.keys.public, hand.slots.pairs, own.hand, rand)
    return wire.Marry(
        open=(wire.Opening(first.slot, first.d, first.proof), wire.Opening(second.slot, second.d, second.proof))
    )


def make_bid(own: OwnDeal, hand: HandPhase, reserve: bool, rand: Rand) -> wire.Bid:
    """A bid; of a duel's computer with the proof that it does not hold both CQ."""
    neq = None
    if own.seat in hand.markers and not reserve:
        place = hand.place(own.seat, hand.log.head)
        neq = duel.make_healthy(place, own.x, own.keys.public, hand.markers[own.seat], rand)
    return wire.Bid(reserve=reserve, neq=neq)


def make_test(own: OwnDeal, deal: DealPhase, seed: bytes) -> wire.Test:
    """TEST of a duel; its mixing factors exist only in here."""
    place = deal.place(own.seat, deal.log.head)
    f, proofs = duel.make_test(place, own.x, deal.deck, deal.humans, deal.computers, Stream(seed))
    return wire.Test(f=f, proofs=proofs)


def make_testopen(own: OwnDeal, deal: DealPhase, seed: bytes) -> wire.TestOpen:
    """TESTOPEN of a duel: one per deal, whatever happens."""
    place = deal.place(own.seat, deal.log.head)
    d, proof = duel.make_testopen(place, own.x, own.keys.public, deal.sums, Stream(seed))
    return wire.TestOpen(d=d, proof=proof)
