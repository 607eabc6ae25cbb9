"""One hand on the main chain, from SHARES to the last receipt, as an observer sees it.

::

    SHARES 4x -> BID x4 -> NAME (each reserver, until a solo) -> [MARRY] -> PLAY x4 -> TRICK 4x -> ... -> over
                                                                               ^         |
                                                       next lead: 4 receipts   +---------+

============ ==================== ==================================================================================
state        next entry           judged
============ ==================== ==================================================================================
SHARES       all                  deal chain's head, shares (*work*); closed: pairs of all slots, coin, forehand
engine BID   engine's turn        a bid; of a duel's computer with its inequality
engine NAME  engine's turn        the naming
engine MARRY engine's turn        two slots opened, both CQ
engine PLAY  engine's turn        turn, slot, carried calls, share, card, void proof, rules, in this order
trick full   all (TRICK)          the digest of the state at this head
any of PLAY  anyone: CALL         :mod:`protocol.table.calls`
============ ==================== ==================================================================================

A judged entry changes the state at once; a refused one changes nothing.  Heavy checks become *work*; until it is done
the entry stands in ``judging`` and nothing else is judged on this chain, but for the other SHARES.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from protocol.cards import CLUB_QUEEN, HAND_SIZE
from protocol.deal.claims import check_marriage
from protocol.deal.deck import Pair, slots_of
from protocol.deal.duel import check_healthy
from protocol.deal.generators import SLOTS
from protocol.deal.group import read_point, read_points, ristretto
from protocol.deal.hashing import Place
from protocol.deal.play import check_open
from protocol.deal.shares import (
    Shares,
    arrange,
    card_at,
    check_shares,
    first_forehand,
    hand_pairs,
    joint_coin,
    marker_pairs,
)
from protocol.deal.void import check_slot, judge_follow
from protocol.refusal import Code, Refusal
from protocol.rules.acts import Act, Healthy, Marry, Name, Play, Reserve
from protocol.rules.contracts import Contract, class_members
from protocol.rules.hand import HandRules, HandState, Phase, apply, apply_call, digest, start
from protocol.rules.state import Profile
from protocol.table.calls import JudgedCall, carry
from protocol.table.deal_phase import DealPhase, Work
from protocol.table.entries import Entry, PlaceKey
from protocol.table.equivocation import Equivocation
from protocol.table.log import ALL, ChainLog, Round
from protocol.wire import entries as wire
from protocol.wire.entries import Kind

#: A void proof of more bytes than this (24 pairs, a quarter of a millisecond each) is checked as work.
INLINE_PROOF: Final = 32 + 24 * 96

_ENGINE_KINDS: Final = {
    Phase.BID: Kind.BID,
    Phase.NAME: Kind.NAME,
    Phase.MARRY: Kind.MARRY,
    Phase.PLAY: Kind.PLAY,
}


@dataclass(slots=True)
class Slots:
    """What is public about the 48 slots: their pairs; the card of each one played, and of each one opened only."""

    pairs: tuple[Pair, ...] = ()
    played: dict[int, int] = field(default_factory=dict)
    opened: dict[int, int] = field(default_factory=dict)

    def play(self, slot: int, card: int) -> None:
        self.opened.pop(slot, None)
        self.played[slot] = card

    def dealt(self, seat: int) -> tuple[int, ...] | None:
        """The seat's twelve cards in slot order once all are shown."""
        shown = self.played | self.opened
        cards = tuple(shown[slot] for slot in slots_of(seat) if slot in shown)
        return cards if len(cards) == HAND_SIZE else None


class HandPhase:
    """One hand.  *log* is the main chain, on which this hand's rounds follow the ones before."""

    def __init__(
        self,
        log: ChainLog,
        deal: DealPhase,
        number: int,
        forehand: int | None,
        profile: Profile,
        special_points: bool,
        humans: tuple[int, ...] | None,
        identities: Sequence[bytes],
        places: dict[PlaceKey, Entry],
    ) -> None:
        self.log = log
        self.deal = deal
        self.number = number  # of the match's counting hands, from 1
        self.forehand = forehand
        self.slots = Slots()
        self.coin = b""
        self.markers: dict[int, Pair] = {}
        self.state: HandState | None = None  # None until SHARES is closed
        self.states: dict[bytes, HandState] = {}  # by head, from the close of SHARES on
        self.acts: list[tuple[Act, bool]] = []  # everything applied; True: a call, judged where it stood
        self.pending: dict[bytes, JudgedCall] = {}  # calls no PLAY carries yet, each behind those it answers
        self.carried: dict[bytes, tuple[JudgedCall, int]] = {}  # with the position of the round that carries them
        self.judging: dict[bytes, Entry] = {}
        self.work: list[Work] = []
        self.trust = False
        self.over = False
        self.first_seq: dict[int, int] = {}  # seat -> number of its SHARES
        self.opened_at = log.length
        self._profile = profile
        self._special = special_points
        self._humans = humans
        self.identities = identities
        self.places = places  # of the whole match, kept by the match
        self._shares: dict[int, Shares] = {}
        self.seqs: dict[int, list[int]] = {seat: [] for seat in ALL}  # numbers in the log, of this hand
        self.plays: dict[int, list[tuple[int, int]]] = {seat: [] for seat in ALL}  # (number, position of the round)
        log.expect({Kind.SHARES}, ALL)

    # -- what others ask --

    def position(self, seat: int) -> int:
        """A seat as the engine counts it."""
        assert self.forehand is not None
        return (seat - self.forehand) % 4

    def seat(self, position: int) -> int:
        """The inverse."""
        assert self.forehand is not None
        return (self.forehand + position) % 4

    def public(self, seat: int) -> bytes:
        """Y of a seat."""
        return self.deal.keys[seat].public

    def place(self, seat: int, extra: bytes) -> Place:
        """Where a proof of *seat* in this hand stands."""
        return self.deal.place(seat, extra)

    def call_place(self, seat: int, seq: int) -> Place:
        """Where the proof of a call stands: it is bound to its author's number, not to a turn."""
        return self.place(seat, self.deal.log.head + seq.to_bytes(4, "big"))

    @property
    def blocked(self) -> bool:
        """An entry other than SHARES is being judged: nothing else can be."""
        return any(entry.kind is not Kind.SHARES for entry in self.judging.values())

    @property
    def progress(self) -> tuple[bool, bool, bool, bool]:
        """Who has sent SHARES."""
        seats = self.first_seq.keys() | {e.seat for e in self.judging.values() if e.kind is Kind.SHARES}
        return (0 in seats, 1 in seats, 2 in seats, 3 in seats)

    @property
    def shown_state(self) -> HandState | None:
        """The state with the pending calls in it: what everybody at the table has heard."""
        state = self.state
        if state is None or state.phase is not Phase.PLAY:
            return state
        for call in self.pending.values():
            state = apply_call(state, call.act, judged=True)
        return state

    def check_place(self, entry: Entry) -> None:
        """Raise :class:`Equivocation` if another entry holds the place of this one."""
        assert entry.place is not None
        other = self.places.get(entry.place)
        if other is not None and other.hash != entry.hash:
            raise Equivocation(other, entry)

    # -- judging --

    def accept(self, entry: Entry, *, own: bool = False) -> None:
        """Judge an entry of a round on the current head and take it."""
        if self.over or entry.kind not in self.log.kinds or entry.seat not in self.log.missing:
            raise Refusal(Code.TURN, f"{entry.words()}: not this seat's turn, or not this kind of entry now")
        match entry.kind:
            case Kind.SHARES:
                self._accept_shares(entry, own)
            case Kind.BID:
                self._accept_bid(entry, own)
            case Kind.NAME:
                self._act(entry, Name(self.position(entry.seat), _contract(entry)))
            case Kind.MARRY:
                self._accept_marry(entry, own)
            case Kind.PLAY:
                self._accept_play(entry, own)
            case Kind.TRICK:
                self._accept_trick(entry)
            case _:
                raise Refusal(Code.TURN, f"{entry.words()}: not in this hand")

    def _add(self, entry: Entry) -> None:
        self.log.add(entry)
        self.seqs[entry.seat].append(entry.seq)
        if self.log.full:
            self._closed(self.log.close())

    def _act(self, entry: Entry, act: Act, queens: Collection[int] = ()) -> None:
        assert self.state is not None
        self.state = apply(self.state, act)
        for slot in queens:
            self.slots.opened[slot] = CLUB_QUEEN
        self.acts.append((act, False))
        self._add(entry)

    def _closed(self, done: Round) -> None:
        """The next round, from the engine."""
        if done.kind is Kind.SHARES:
            self._open()
        state = self.state
        assert state is not None
        self.states[self.log.head] = state
        if done.kind is Kind.PLAY and not state.trick:
            self.log.expect({Kind.TRICK}, ALL)
        elif state.phase is Phase.DONE:
            self.over = True
        else:
            assert state.turn is not None
            self.log.expect({_ENGINE_KINDS[state.phase]}, (self.seat(state.turn),))

    # -- SHARES --

    def _accept_shares(self, entry: Entry, own: bool) -> None:
        fields, seat = entry.fields(wire.Shares), entry.seat
        if fields.deal_head != self.deal.log.head:
            raise Refusal(Code.CONTEXT, f"{entry.words()}: names another deal chain")
        others = [c for c in self.deal.computers if c != seat]
        count = SLOTS - HAND_SIZE + 1 + len(others)
        if len(fields.d) != 32 * count:
            raise Refusal(Code.FORMAT, f"{entry.words()}: not {count} shares")
        if own or self.trust:
            points = read_points(fields.d, count, "shares")
            self._shares_judged(entry, arrange(seat, points, self.deal.computers))
            return
        self.judging[entry.hash] = entry
        place = self.place(seat, self.deal.log.head)
        deal = self.deal
        args = (place, self.public(seat), deal.deck, deal.barrier, fields.d, fields.proof, deal.computers)
        self.work.append(Work(check_shares, args, partial(self._shares_judged, entry), entry, blocks=False))

    def _shares_judged(self, entry: Entry, result: Any) -> None:
        self.judging.pop(entry.hash, None)
        if isinstance(result, Refusal):
            raise result
        self._shares[entry.seat] = result
        self.first_seq[entry.seat] = entry.seq
        self._add(entry)

    def _open(self) -> None:
        shares = [self._shares[seat] for seat in ALL]
        self.slots.pairs = hand_pairs(self.deal.deck, shares)
        self.coin = joint_coin(shares)
        if self.forehand is None:
            self.forehand = first_forehand(self.coin)
        duel = None
        if self._humans is not None:
            self.markers = marker_pairs(self.deal.deck, shares, self.deal.computers)
            low, high = sorted(self.position(seat) for seat in self._humans)
            duel = (low, high)
        self.state = start(HandRules(self._profile, self._special, duel), proofs=True)

    # -- bidding --

    def _accept_bid(self, entry: Entry, own: bool) -> None:
        fields, seat = entry.fields(wire.Bid), entry.seat
        position = self.position(seat)
        due = seat in self.markers and not fields.reserve
        if due and fields.neq is None:
            raise Refusal(Code.VOID_MISSING, f"{entry.words()}: a computer has to show that it does not hold both CQ")
        if not due and fields.neq is not None:
            raise Refusal(Code.FORMAT, f"{entry.words()}: a proof where none is due")
        if due and not (own or self.trust):
            check_healthy(self.place(seat, entry.parent), self.public(seat), self.markers[seat], fields.neq)
        self._act(entry, Reserve(position) if fields.reserve else Healthy(position))

    def _accept_marry(self, entry: Entry, own: bool) -> None:
        openings = entry.fields(wire.Marry).open
        place = self.place(entry.seat, entry.parent)
        if not own and not self.trust:
            check_marriage(place, self.public(entry.seat), self.slots.pairs, openings)
        self._act(entry, Marry(self.position(entry.seat)), {opening.slot for opening in openings})

    # -- cards --

    def _accept_play(self, entry: Entry, own: bool) -> None:
        fields, seat = entry.fields(wire.Play), entry.seat
        state, slots = self.state, self.slots
        assert state is not None
        if fields.trick != len(state.tricks) + 1:
            raise Refusal(Code.CONTEXT, f"{entry.words()}: names trick {fields.trick}, not {len(state.tricks) + 1}")
        slot = check_slot(seat, fields.slot, slots.played)
        place, public = self.place(seat, entry.parent), self.public(seat)
        calls = carry(self, entry)
        for call in calls:
            state = apply_call(state, call.act, judged=True)
        trusted = own or self.trust
        if trusted:
            card = card_at(ristretto().sub(slots.pairs[slot][1], read_point(fields.d, "share")))
        else:
            card = check_open(place, public, slots.pairs[slot], fields.d, fields.proof)
        opened = slots.opened | {call.slot: CLUB_QUEEN for call in calls if call.slot is not None}
        position, contract, led = self.position(seat), state.contract, state.led
        assert contract is not None
        types = None if led is None else class_members(contract, led)
        void_known = led is not None and state.is_void(position, led)
        check = (place, public, slots.pairs, slot, card, types, set(slots.played), opened, void_known, fields.void)
        heavy = fields.void is not None and len(fields.void) > INLINE_PROOF
        if not trusted and not heavy:
            judge_follow(*check)
        state = apply(state, Play(position, card))
        finish = partial(self._played, entry, calls, card, state)
        if heavy and not trusted:
            self.judging[entry.hash] = entry
            self.work.append(Work(judge_follow, check, finish, entry, blocks=True))
        else:
            finish(None)

    def _played(self, entry: Entry, calls: list[JudgedCall], card: int, state: HandState, result: object) -> None:
        self.judging.pop(entry.hash, None)
        if isinstance(result, Refusal):
            raise result
        for call in calls:
            self.pending.pop(call.entry.hash, None)
            self.carried[call.entry.hash] = (call, self.log.length)
            self.seqs[call.entry.seat].append(call.entry.seq)
            self.acts.append((call.act, True))
            if call.slot is not None:
                self.slots.opened[call.slot] = CLUB_QUEEN
        self.slots.play(entry.fields(wire.Play).slot, card)
        self.acts.append((Play(self.position(entry.seat), card), False))
        self.state = state
        self.plays[entry.seat].append((entry.seq, self.log.length))
        self._add(entry)

    def _accept_trick(self, entry: Entry) -> None:
        fields = entry.fields(wire.Trick)
        assert self.state is not None
        if fields.trick != len(self.state.tricks):
            raise Refusal(Code.CONTEXT, f"{entry.words()}: a receipt of another trick")
        if fields.rejoins:
            raise Refusal(Code.TURN, f"{entry.words()}: nobody is dropped")
        if fields.digest != digest(self.state):
            raise Refusal(Code.CLAIM, f"{entry.words()}: not the digest of the state that this log leads to")
        self._add(entry)


def _contract(entry: Entry) -> Contract:
    name = entry.fields(wire.Name).game
    try:
        return Contract(name)
    except ValueError:
        raise Refusal(Code.FORMAT, f"{entry.words()}: no such game") from None
