"""What a player can do in a hand.  Players are *positions* 0..3 counted clockwise from forehand (0).

Acts are values: equal acts are interchangeable, and :data:`PLAYS` and friends keep one of each so that replaying
thousands of hands makes no garbage.
"""

from dataclasses import dataclass
from typing import Final, TypeAlias

from protocol.cards import PLAYERS, TYPES
from protocol.rules.calls import CallKind, Side
from protocol.rules.contracts import Contract


@dataclass(frozen=True, slots=True)
class Healthy:
    """"Healthy" (R8)."""

    player: int


@dataclass(frozen=True, slots=True)
class Reserve:
    """A reservation, not yet named (R8)."""

    player: int


@dataclass(frozen=True, slots=True)
class Name:
    """What the reservation was: ``Contract.MARRIAGE`` or one of the solos (R8, R10)."""

    player: int
    contract: Contract


@dataclass(frozen=True, slots=True)
class Marry:
    """Network only: the two club queens were shown, so the named marriage takes effect (R10)."""

    player: int


@dataclass(frozen=True, slots=True)
class Call:
    """A call (R16).

    ``side`` is the side that the caller's proof showed and ``shown`` the card he opened for it (a club queen or
    ``None``).  Both stay ``None`` where the side needs no proof: hands that are known, a contract that settles the
    sides, a player who has proven his side before or has played a club queen.
    """

    player: int
    kind: CallKind
    side: Side | None = None
    shown: int | None = None


@dataclass(frozen=True, slots=True)
class Play:
    """A card played (R13, R14)."""

    player: int
    card: int


Act: TypeAlias = Healthy | Reserve | Name | Marry | Call | Play

HEALTHY: Final = tuple(Healthy(p) for p in range(PLAYERS))
RESERVE: Final = tuple(Reserve(p) for p in range(PLAYERS))
#: player -> card -> the act of playing it.
PLAYS: Final = tuple(tuple(Play(p, k) for k in range(TYPES)) for p in range(PLAYERS))
