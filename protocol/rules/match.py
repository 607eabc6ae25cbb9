"""The run of hands: forehand's rotation, how many hands count, void hands, running totals (R7, R9, R29, R31..R33).

A :class:`Match` speaks of *seats*; hands speak of positions from forehand.  ``seat = (forehand + position) % 4``.

>>> from protocol.rules.stakes import Mode, Stakes
>>> match = Match(Stakes(Mode.FOUR_FIXED, stake=10), first_forehand=2)
>>> match.forehand, match.seat(3), match.position(2), match.finished
(2, 1, 0, False)
"""

from dataclasses import dataclass, replace

from protocol.cards import PLAYERS
from protocol.rules.score import Result
from protocol.rules.stakes import NOTHING, Mode, Payment, Stakes
from protocol.rules.state import HandRules, Profile

#: After this many void hands in a row the table asks whether to go on (R29).
VOIDS_BEFORE_ASKING = 3


@dataclass(frozen=True, slots=True)
class PlayedHand:
    """A hand that counts, by seat: who was forehand, the game *points* and what was *paid*, breaches included.

    ``result`` is ``None`` for a hand that a breach ended before it could be played out (R30).
    """

    forehand: int
    result: Result | None
    points: tuple[int, int, int, int]
    paid: Payment


@dataclass(frozen=True, slots=True)
class Match:
    """A match so far.

    *humans* are the two human seats of a duel, ``(0, 2)`` or ``(1, 3)``, else ``None``; *aside* is what breaches cost
    in hands that became void, by seat.
    """

    stakes: Stakes
    first_forehand: int
    humans: tuple[int, int] | None = None
    profile: Profile = "stargames"
    special_points: bool = True
    hands: tuple[PlayedHand, ...] = ()
    voids_in_a_row: int = 0
    aside: Payment = NOTHING

    def __post_init__(self) -> None:
        if not 0 <= self.first_forehand < PLAYERS:
            raise ValueError(f"no seat {self.first_forehand}")
        if (self.humans is not None) is not (self.stakes.mode is Mode.DUEL):
            raise ValueError("a duel, and only a duel, has two human seats")
        if self.humans not in (None, (0, 2), (1, 3)):
            raise ValueError("the humans of a duel sit opposite each other")

    @property
    def forehand(self) -> int:
        """The seat that leads the next hand: one further for each hand that counted (R7, R29)."""
        return (self.first_forehand + len(self.hands)) % PLAYERS

    @property
    def finished(self) -> bool:
        """Have all hands that count been played?"""
        return len(self.hands) >= self.stakes.hands

    @property
    def asks(self) -> bool:
        """Is it time to ask the players whether to go on, after three void hands in a row (R29)?"""
        return self.voids_in_a_row > 0 and self.voids_in_a_row % VOIDS_BEFORE_ASKING == 0

    @property
    def points(self) -> tuple[int, int, int, int]:
        """Running game points by seat.  They sum to 0 and are all even or all odd."""
        p = [sum(hand.points[seat] for hand in self.hands) for seat in range(PLAYERS)]
        return p[0], p[1], p[2], p[3]

    @property
    def paid(self) -> Payment:
        """Money by seat and the kitty so far."""
        return sum((hand.paid for hand in self.hands), self.aside)

    def seat(self, position: int) -> int:
        """The seat at a position of the next hand."""
        return (self.forehand + position) % PLAYERS

    def position(self, seat: int) -> int:
        """The position of a seat in the next hand."""
        return (seat - self.forehand) % PLAYERS

    @property
    def human_positions(self) -> tuple[int, int] | None:
        """The humans of a duel by position in the next hand, ascending."""
        if self.humans is None:
            return None
        one, other = sorted(self.position(seat) for seat in self.humans)
        return one, other

    def hand_rules(self) -> HandRules:
        """The rules of the next hand."""
        return HandRules(self.profile, self.special_points, self.human_positions)

    def played(self, result: Result, breaches: tuple[int, ...] = ()) -> "Match":
        """The match after a hand with this result, for which the *breaches* are paid on top (positions, R30).

        A void hand counts for nothing and is dealt again with the same forehand; a breach in it is paid all the same.
        """
        self._open()
        paid = self.stakes.pay(result, self.human_positions)
        for culprit in breaches:
            paid += self.stakes.breach(culprit, result.re, self.human_positions)
        if result.void:
            aside = self.aside + paid.turned(self.forehand)
            return replace(self, voids_in_a_row=self.voids_in_a_row + 1, aside=aside)
        p = [result.points[(seat - self.forehand) % PLAYERS] for seat in range(PLAYERS)]
        hand = PlayedHand(self.forehand, result, (p[0], p[1], p[2], p[3]), paid.turned(self.forehand))
        return replace(self, hands=(*self.hands, hand), voids_in_a_row=0)

    def broken_off(self, culprit: int) -> "Match":
        """The match after a hand that a breach by position *culprit* ended before it could be played out (R30)."""
        self._open()
        paid = self.stakes.breach(culprit, None, self.human_positions).turned(self.forehand)
        hand = PlayedHand(self.forehand, None, (0, 0, 0, 0), paid)
        return replace(self, hands=(*self.hands, hand), voids_in_a_row=0)

    def _open(self) -> None:
        if self.finished:
            raise ValueError("the match is finished")
