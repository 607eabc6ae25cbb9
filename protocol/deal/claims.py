"""Announcements that depend on cards: Re opens one club queen, Kontra proves to hold none, a marriage opens both.

A slot's place in a hand is uniform and never seen, so "slot 7 is a club queen" says just "at least one club queen".
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from protocol.cards import CLUB_QUEEN
from protocol.deal import inequality
from protocol.deal.deck import Pair, slots_of
from protocol.deal.hashing import Kind, Place, Rand, random_below
from protocol.deal.play import check_open, make_open
from protocol.deal.void import check_slot, closed_slots
from protocol.refusal import Code, Refusal


class Side(StrEnum):
    """Which side a proof shows (the same words as the engine's)."""

    RE = "re"
    KONTRA = "kontra"


class OpeningLike(Protocol):
    """What an opened slot has to have; the wire's struct has it."""

    @property
    def slot(self) -> int: ...
    @property
    def d(self) -> bytes: ...
    @property
    def proof(self) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Opening:
    """A slot opened: the owner's share *d* (32 bytes) and its proof (64 bytes)."""

    slot: int
    d: bytes
    proof: bytes


def make_opening(place: Place, x: int, public: bytes, pairs: Sequence[Pair], slot: int, rand: Rand) -> Opening:
    """Open *slot* of *place*'s seat (*pairs*: all 48)."""
    return Opening(slot, *make_open(place, x, public, pairs[slot], rand, Kind.OPEN))


def check_opening(
    place: Place, public: bytes, pairs: Sequence[Pair], opening: OpeningLike, played: Collection[int]
) -> int:
    """The type in an opened slot; SLOT, FORMAT, POINT, SCALAR, DLEQ."""
    slot = check_slot(place.seat, opening.slot, played)
    return check_open(place, public, pairs[slot], opening.d, opening.proof, Kind.OPEN)


def has_shown(seat: int, played: Mapping[int, int], opened: Mapping[int, int]) -> bool:
    """Whether *seat* has played or opened a club queen (both mappings: slot to type)."""
    return any(played.get(s) == CLUB_QUEEN or opened.get(s) == CLUB_QUEEN for s in slots_of(seat))


def proof_due(
    normal: bool, proven: Side | None, seat: int, played: Mapping[int, int], opened: Mapping[int, int]
) -> bool:
    """Whether a call of *seat* carries a proof: the game is a normal one (as bid), the seat has proven no side in this
    hand, has neither played nor opened a club queen, and still has a closed card."""
    return (
        normal
        and proven is None
        and not has_shown(seat, played, opened)
        and bool(closed_slots(seat, played, opened))
    )


def make_re(
    place: Place,
    x: int,
    public: bytes,
    pairs: Sequence[Pair],
    hand: Sequence[int],
    played: Collection[int],
    rand: Rand,
) -> Opening:
    """Open a club queen, of two a random one.  CLAIM if none is in hand.

    *hand*: own twelve types in slot order; *place*: ``extra`` = last head of the deal chain and sequence number.
    """
    held = [s for s, k in zip(slots_of(place.seat), hand, strict=True) if k == CLUB_QUEEN and s not in played]
    if not held:
        raise Refusal(Code.CLAIM, "no club queen in hand to show", "R11")
    return make_opening(place, x, public, pairs, held[random_below(rand, len(held))], rand)


def check_re(
    place: Place, public: bytes, pairs: Sequence[Pair], opening: OpeningLike, played: Collection[int]
) -> None:
    """CLAIM unless the opened slot is a club queen; SLOT, FORMAT, POINT, SCALAR, DLEQ."""
    if check_opening(place, public, pairs, opening, played) != CLUB_QUEEN:
        raise Refusal(Code.CLAIM, f"seat {place.seat} opens a card that is no club queen", "R11")


def make_kontra(
    place: Place,
    x: int,
    public: bytes,
    pairs: Sequence[Pair],
    played: Mapping[int, int],
    opened: Mapping[int, int],
    rand: Rand,
) -> bytes:
    """Prove that no closed unplayed slot is a club queen; VOID if one is, CLAIM if one was played or opened."""
    items = _kontra_items(place.seat, pairs, played, opened)
    return inequality.prove(place, x, public, items, rand)


def check_kontra(
    place: Place,
    public: bytes,
    pairs: Sequence[Pair],
    proof: object,
    played: Mapping[int, int],
    opened: Mapping[int, int],
) -> None:
    """CLAIM if a club queen was shown or the proof leaves out a slot; VOID, POINT, SCALAR, FORMAT."""
    items = _kontra_items(place.seat, pairs, played, opened)
    if type(proof) is bytes and len(proof) != inequality.size(len(items)) and (len(proof) - 32) % 96 == 0:
        raise Refusal(Code.CLAIM, "the proof is not over all closed cards")
    inequality.check(place, public, items, proof)


def _kontra_items(
    seat: int, pairs: Sequence[Pair], played: Mapping[int, int], opened: Mapping[int, int]
) -> list[inequality.Item]:
    if has_shown(seat, played, opened):
        raise Refusal(Code.CLAIM, f"seat {seat} has shown a club queen", "R11")
    slots = closed_slots(seat, played, opened)
    return inequality.items_for([pairs[s] for s in slots], (CLUB_QUEEN,))


def judge_call(
    place: Place,
    public: bytes,
    pairs: Sequence[Pair],
    normal: bool,
    proven: Side | None,
    side: Side | None,
    opening: OpeningLike | None,
    neq: bytes | None,
    played: Mapping[int, int],
    opened: Mapping[int, int],
) -> Side | None:
    """Judge what a CALL says and proves about its caller's side.

    *normal*: the contract is the normal game as bid (else sides follow from the contract, and None is returned);
    *proven*: the side this seat has proven before; *side*: the side the call names (Re, Kontra), None for no 90 and
    further; *played*, *opened*: slot to type.  Returns the caller's side.  FORMAT for a proof where none is due, for
    none where one is, for two; CLAIM for a side that is not the caller's; else as :func:`check_re` and
    :func:`check_kontra`.
    """
    seat = place.seat
    shown = normal and has_shown(seat, played, opened)
    known = Side.RE if shown else proven if normal else None
    if known is not None and side not in (None, known):
        raise Refusal(Code.CLAIM, f"seat {seat} calls {side} but has shown to be {known}", "R11")
    due = proof_due(normal, proven, seat, played, opened)
    if (opening is not None) + (neq is not None) != int(due):
        raise Refusal(Code.FORMAT, "a call carries one proof of its caller's side exactly where one is due")
    if opening is not None:
        if side is Side.KONTRA:
            raise Refusal(Code.CLAIM, "Kontra with the proof of Re", "R11")
        check_re(place, public, pairs, opening, played)
        return Side.RE
    if neq is not None:
        if side is Side.RE:
            raise Refusal(Code.CLAIM, "Re with the proof of Kontra", "R11")
        check_kontra(place, public, pairs, neq, played, opened)
        return Side.KONTRA
    if normal and known is None:  # every card is open and none is a club queen
        if side is Side.RE:
            raise Refusal(Code.CLAIM, "Re without a club queen", "R11")
        return Side.KONTRA
    return known


def make_marriage(
    place: Place, x: int, public: bytes, pairs: Sequence[Pair], hand: Sequence[int], rand: Rand
) -> tuple[Opening, Opening]:
    """Open both club queens, ascending (``extra`` = parent head of MARRY); CLAIM if the hand does not hold both."""
    held = [s for s, k in zip(slots_of(place.seat), hand, strict=True) if k == CLUB_QUEEN]
    if len(held) != 2:
        raise Refusal(Code.CLAIM, "not both club queens in hand", "R10")
    first, second = (make_opening(place, x, public, pairs, s, rand) for s in held)
    return first, second


def check_marriage(
    place: Place, public: bytes, pairs: Sequence[Pair], openings: Sequence[OpeningLike]
) -> tuple[int, int]:
    """The two slots; CLAIM unless two different ones hold the club queens; FORMAT unless ascending; else as
    :func:`check_opening`."""
    if len(openings) != 2:
        raise Refusal(Code.FORMAT, "a marriage opens two slots")
    if openings[0].slot == openings[1].slot:
        raise Refusal(Code.CLAIM, "a marriage names one slot twice", "R10")
    cards = [check_opening(place, public, pairs, opening, ()) for opening in openings]
    if cards != [CLUB_QUEEN, CLUB_QUEEN]:
        raise Refusal(Code.CLAIM, f"seat {place.seat} does not hold both club queens", "R10")
    if openings[0].slot > openings[1].slot:
        raise Refusal(Code.FORMAT, "a marriage opens its slots ascending")
    return openings[0].slot, openings[1].slot
