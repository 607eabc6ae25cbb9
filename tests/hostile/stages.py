"""Tables at rest at the moments that attacks begin at.  Each is made once and cloned."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache

from protocol.cards import CLUB_QUEEN
from protocol.rules.acts import Act, Play
from protocol.rules.contracts import class_members
from protocol.rules.hand import HandState, Phase, apply, apply_call, legal, start
from protocol.table import effects
from protocol.table.hand_phase import HandPhase
from protocol.wire.entries import Kind
from tests.hostile.room import Room, mute
from tests.table.net import SEATS

#: The rounds of a deal that each seat has a part in, in order.
ORDER = (Kind.COMMIT, Kind.KEYS, Kind.KEYOK, Kind.SHUF, Kind.DECKOK, Kind.SHARES)
Wanted = Callable[[HandState, int], bool]


@cache
def _due(kind: Kind, hostile: int, seed: int) -> Room:
    at = ORDER.index(kind)
    if not at:
        return Room(seed, muted={hostile: (kind,)})
    room = _due(ORDER[at - 1], hostile, seed).clone()
    mute(room.tables[hostile], kind)
    room.wake(hostile)
    return room


def due(kind: Kind, hostile: int = 3, seed: int = 0) -> Room:
    """All wait for the *hostile* seat's entry of this kind, which its program does not make."""
    return _due(kind, hostile, seed).clone()


@cache
def _dealt(seed: int) -> Room:
    return Room(seed)


def dealt(seed: int = 0) -> Room:
    """The cards are dealt; nobody has said a word."""
    return _dealt(seed).clone()


def playing(seed: int = 0) -> Room:
    """The same, and all are healthy: a normal game."""
    room = dealt(seed)
    for _ in SEATS:
        room.act(turn(room), effects.Bid(False))
    return room


# --- knowing everything -------------------------------------------------------------------------------------------


def hand_of(room: Room) -> HandPhase:
    hand = room.tables[0].match.hand
    assert hand is not None
    return hand


def turn(room: Room) -> int:
    """The seat whose turn it is."""
    (seat,) = room.tables[0].match.main.missing
    return seat


def cards(room: Room, seat: int) -> tuple[int, ...]:
    """What a seat was dealt, in slot order."""
    hand = hand_of(room)
    own = room.tables[seat]._deals[hand.deal.number]
    own.follow(hand)
    return own.hand


def queens(room: Room) -> list[int]:
    """The seats that were dealt club queens (one twice who holds both)."""
    return [seat for seat in SEATS for card in cards(room, seat) if card == CLUB_QUEEN]


def seeing_all(room: Room) -> HandState:
    """The hand's state with all four hands known."""
    hand = hand_of(room)
    assert hand.state is not None
    known = tuple(cards(room, hand.seat(position)) for position in SEATS)
    state = start(hand.state.rules, known, proofs=True)
    for act, call in hand.acts:
        state = apply_call(state, act, judged=True) if call else apply(state, act)  # type: ignore[arg-type]
    return state


def class_of(state: HandState, card: int) -> int:
    assert state.contract is not None
    return next(cls for cls in range(5) if card in class_members(state.contract, cls))


def held(state: HandState, position: int, cls: int) -> list[int]:
    """The unplayed cards of a class that a player holds."""
    assert state.contract is not None
    members = class_members(state.contract, cls)
    hand = state.hand(position)
    assert hand is not None
    return [card for card in hand if card in members]


def line(room: Room, wanted: Wanted, tries: int = 400) -> list[Act]:
    """Cards that lead to a moment at which *wanted(state, seat in turn)* holds; fails if there are none."""
    hand = hand_of(room)
    begin = seeing_all(room)
    for number in range(tries):
        rng = random.Random(number)
        state, acts = begin, list[Act]()
        while state.phase is Phase.PLAY:
            assert state.turn is not None
            if wanted(state, hand.seat(state.turn)):
                return acts
            act = rng.choice([act for act in legal(state, state.turn) if isinstance(act, Play)])
            acts.append(act)
            state = apply(state, act)
    raise AssertionError("these cards do not lead there; take another seed")


def follow(room: Room, acts: list[Act]) -> None:
    """Play these cards."""
    for act in acts:
        assert isinstance(act, Play)
        room.act(turn(room), effects.PlayCard(act.card))


def lead_to(room: Room, wanted: Wanted, tries: int = 400) -> int:
    """Play on until *wanted* holds; the seat in turn."""
    follow(room, line(room, wanted, tries))
    return turn(room)


# --- moments ------------------------------------------------------------------------------------------------------


def can_revoke(state: HandState, seat: int) -> bool:
    """The player in turn has to follow, and has another card too."""
    if state.led is None or state.turn is None:
        return False
    following = held(state, state.turn, state.led)
    hand = state.hand(state.turn)
    assert hand is not None
    return bool(following) and len(hand) > len(following) + 1


def is_void(state: HandState, seat: int) -> bool:
    """The player in turn cannot follow, it is not known yet, and he has more cards than one."""
    if state.led is None or state.turn is None:
        return False
    hand = state.hand(state.turn)
    assert hand is not None
    return not held(state, state.turn, state.led) and not state.is_void(state.turn, state.led) and len(hand) > 2


# --- deals with something in them ---------------------------------------------------------------------------------


@cache
def _seed_with(married: bool) -> int:
    return next(seed for seed in range(60) if (len(set(queens(_dealt(seed)))) == 1) is married)


def wedding() -> tuple[Room, int]:
    """A deal in which one seat holds both club queens; nobody has said a word."""
    room = dealt(_seed_with(True))
    return room, queens(room)[0]


def two_dealt() -> Room:
    """A deal in which two seats hold one club queen each; nobody has said a word."""
    return dealt(_seed_with(False))


def two_holders() -> Room:
    """A deal in which two seats hold one club queen each; a normal game has begun."""
    return playing(_seed_with(False))


def no_queen(room: Room) -> int:
    """A seat without a club queen."""
    return next(seat for seat in SEATS if seat not in queens(room))
