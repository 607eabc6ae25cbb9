"""Following the led class (R13): which slots a proof of being void is over, when it is due, and judging a card by it.

Classes come in as tuples of types; what the led class is in which contract is the engine's affair.
"""

from collections.abc import Collection, Mapping, Sequence

from protocol.deal import inequality
from protocol.deal.deck import Pair, slots_of
from protocol.deal.hashing import Place, Rand
from protocol.refusal import Code, Refusal


def check_slot(seat: int, slot: object, played: Collection[int]) -> int:
    """*slot* if it is an unplayed one of *seat*, else SLOT."""
    if type(slot) is not int or slot not in slots_of(seat):
        raise Refusal(Code.SLOT, f"slot {slot} is not one of seat {seat}")
    if slot in played:
        raise Refusal(Code.SLOT, f"slot {slot} is already played")
    return slot


def closed_slots(seat: int, played: Collection[int], opened: Collection[int], but: int | None = None) -> list[int]:
    """The closed unplayed slots of *seat* except *but*, ascending: what a void proof has to be over."""
    return [s for s in slots_of(seat) if s != but and s not in played and s not in opened]


def void_due(card: int, led: Collection[int] | None, void_known: bool, closed: Collection[int]) -> bool:
    """Whether a PLAY of *card* needs a void proof: it does not follow, the class is not proven, something is closed."""
    return led is not None and card not in led and not void_known and bool(closed)


def make_void(
    place: Place, x: int, public: bytes, pairs: Sequence[Pair], slots: Sequence[int], led: Collection[int], rand: Rand
) -> bytes:
    """Proof that none of *slots* (of :func:`closed_slots`) holds a type of *led*.

    *pairs*: all 48 of :func:`~protocol.deal.shares.hand_pairs`; *place* as in PLAY.  VOID if it would be a lie.
    """
    return inequality.prove(place, x, public, inequality.items_for([pairs[s] for s in slots], led), rand)


def check_void(
    place: Place, public: bytes, pairs: Sequence[Pair], slots: Sequence[int], led: Collection[int], proof: object
) -> None:
    """The counterpart of :func:`make_void`; FORMAT, POINT, SCALAR, VOID.  *slots* is the verifier's own list."""
    inequality.check(place, public, inequality.items_for([pairs[s] for s in slots], led), proof)


def judge_follow(
    place: Place,
    public: bytes,
    pairs: Sequence[Pair],
    slot: int,
    card: int,
    led: Collection[int] | None,
    played: Collection[int],
    opened: Mapping[int, int],
    void_known: bool,
    proof: object,
) -> bool:
    """Judge a card that *place*'s seat plays from *slot* against the led class.

    *led*: types of the led class, None for the lead itself; *played*: slots played before this card; *opened*: opened
    slots with their types; *void_known*: whether (seat, class) is in VOID; *proof*: the void proof or None.
    Returns whether (seat, class) is newly proven.  RULE, FORMAT (a proof where none belongs), VOID_MISSING, VOID,
    POINT, SCALAR.
    """
    seat = place.seat
    if led is not None and card not in led:
        if any(s != slot and s not in played and opened[s] in led for s in slots_of(seat) if s in opened):
            raise Refusal(Code.RULE, f"seat {seat} has an open card of the led class", "R13")
        closed = closed_slots(seat, played, opened, but=slot)
        if void_due(card, led, void_known, closed):
            if proof is None:
                raise Refusal(Code.VOID_MISSING, f"seat {seat} does not follow and does not prove why", "R13")
            check_void(place, public, pairs, closed, led, proof)
            return True
    if proof is not None:
        raise Refusal(Code.FORMAT, "a void proof where none belongs")
    return False
