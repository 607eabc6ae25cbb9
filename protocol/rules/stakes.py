"""Money: modes, limit, fee, kitty, rounding, and what a breach costs (R29..R35).

All amounts are integer cents; a :class:`Payment` always sums to 0 with the kitty.

The manual's example, stake 100, value 4, fee 9 %: a soloist wins 1056, the opponents pay 400 each; or he loses:

>>> stakes = Stakes(Mode.VARIABLE, stake=100, fee=900)
>>> stakes.settle(value=4, side=Side.RE, re=(0,))
Payment(money=(1056, -400, -400, -400), kitty=144)
>>> stakes.settle(value=4, side=Side.KONTRA, re=(0,))
Payment(money=(-1200, 352, 352, 352), kitty=144)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from protocol.cards import PLAYERS
from protocol.rules.calls import Side
from protocol.rules.score import Result

#: The highest fee, in basis points (a quarter).
MAX_FEE: Final = 2500
#: What a breach costs, in points of a variable stake and in stakes of a fixed one (R30).
BREACH_POINTS: Final = 12
BREACH_STAKES: Final = 3


class Mode(StrEnum):
    """How a match is played and paid; the values are those of terms and command lines."""

    VARIABLE = "variable"  # one hand, paid by the point (R31)
    FOUR_FIXED = "four-fixed"  # four hands, a fixed stake each (R32)
    DUEL = "duel"  # two humans, two computers, four hands, a fixed stake each (R33)


#: Hands in a match, void ones not counted.
HANDS: Final = {Mode.VARIABLE: 1, Mode.FOUR_FIXED: 4, Mode.DUEL: 4}


@dataclass(frozen=True, slots=True)
class Payment:
    """Cents won (+) or paid (-) per player, and what goes to the kitty; they sum to 0 together."""

    money: tuple[int, int, int, int]
    kitty: int

    def __add__(self, other: "Payment") -> "Payment":
        a, b = self.money, other.money
        return Payment((a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]), self.kitty + other.kitty)

    def turned(self, places: int) -> "Payment":
        """The same payment with every player *places* seats further: positions to seats, by forehand's seat.

        >>> Payment((3, -1, -1, -1), 0).turned(1).money
        (-1, 3, -1, -1)
        """
        m = [self.money[(i - places) % PLAYERS] for i in range(PLAYERS)]
        return Payment((m[0], m[1], m[2], m[3]), self.kitty)


NOTHING: Final = Payment((0, 0, 0, 0), 0)


def _payment(money: Sequence[int]) -> Payment:
    """The kitty takes what the players' amounts leave over."""
    return Payment((money[0], money[1], money[2], money[3]), -sum(money))


@dataclass(frozen=True, slots=True)
class Stakes:
    """What the terms say about money: *stake* and *limit* in cents, *fee* in basis points.

    ``ValueError`` with a text for people for values that R31..R33 do not allow.
    """

    mode: Mode
    stake: int
    limit: int | None = None
    fee: int = 0

    def __post_init__(self) -> None:
        if self.mode not in HANDS:
            raise ValueError(f"no mode {self.mode!r}")
        if self.stake < 1:
            raise ValueError("the stake is at least 1 cent")
        if self.limit is not None and self.mode is not Mode.VARIABLE:
            raise ValueError("only the variable stake has a limit")
        if self.limit is not None and self.limit < self.stake:
            raise ValueError("the limit is at least the stake")
        if not 0 <= self.fee <= MAX_FEE:
            raise ValueError(f"the fee is 0 to {MAX_FEE} basis points")

    @property
    def hands(self) -> int:
        """How many hands count in a match."""
        return HANDS[self.mode]

    def amount(self, value: int) -> int:
        """V: what one loser pays for a hand of this value (R31..R33)."""
        if self.mode is not Mode.VARIABLE:
            return self.stake
        amount = self.stake * abs(value)
        return amount if self.limit is None else min(amount, self.limit)

    def fee_of(self, amount: int) -> int:
        """The fee per player on V, rounded half up."""
        return (amount * self.fee + 5000) // 10000

    def pay(self, result: Result, humans: tuple[int, int] | None = None) -> Payment:
        """What a hand moves, by position (R29, R35).  *humans*: the positions of the two humans of a duel."""
        if result.void:
            return NOTHING
        return self.settle(result.value, result.winner, result.re, humans)

    def settle(
        self, value: int, side: Side | None, re: Sequence[int], humans: tuple[int, int] | None = None
    ) -> Payment:
        """R35 for a hand of *value* (from the view of *side*, the winner; of Re if nobody won) and these Re players."""
        if self.mode is Mode.VARIABLE or side is None:
            if value == 0:
                return NOTHING
            paid = side or Side.RE
            if value < 0:
                paid = paid.other
        else:
            paid = side
        wins = [(p in re) is (paid is Side.RE) for p in range(PLAYERS)]
        amount = self.amount(value)
        fee = self.fee_of(amount)
        if self.mode is Mode.DUEL:
            if humans is None or wins[humans[0]] is wins[humans[1]]:
                raise ValueError("a duel is paid between two humans on opposite sides")
            return _payment(
                [0 if p not in humans else amount - 2 * fee if wins[p] else -amount for p in range(PLAYERS)]
            )
        if len(re) == 1:
            pot = 3 * amount - 4 * fee
            if paid is Side.RE:
                return _payment([pot if p in re else -amount for p in range(PLAYERS)])
            return _payment([-3 * amount if p in re else pot // 3 for p in range(PLAYERS)])
        return _payment([amount - 2 * fee if won else -amount for won in wins])

    def breach(self, culprit: int, re: Sequence[int] | None, humans: tuple[int, int] | None = None) -> Payment:
        """What a proven breach costs on top of the hand, by position (R30); no limit, no fee.

        *re*: the Re players of the hand that a ghost played out, whose partners of the culprit get nothing (empty:
        the hand became void, nobody is his partner).  ``None``: it could not be played out; then the whole price goes
        to each of the others, and the hand counts as played.  In a duel *culprit* is a human (see :func:`liable`).

        >>> Stakes(Mode.VARIABLE, stake=10).breach(0, re=(0, 2))
        Payment(money=(-120, 40, 0, 40), kitty=40)
        >>> Stakes(Mode.FOUR_FIXED, stake=10).breach(0, re=None)
        Payment(money=(-90, 30, 30, 30), kitty=0)
        """
        if self.mode is Mode.DUEL and (humans is None or culprit not in humans):
            raise ValueError("in a duel a human answers for a breach")
        price = self.stake * (BREACH_POINTS if self.mode is Mode.VARIABLE else BREACH_STAKES)
        money = [0] * PLAYERS
        money[culprit] = -3 * price if re is None else -price
        for player in range(PLAYERS):
            if player == culprit or (humans is not None and player not in humans):
                continue
            if re is None:
                money[player] = price
            elif not re or (player in re) is not (culprit in re):
                money[player] = price // 3
        return _payment(money)


def liable(culprit: int, hosts: Sequence[int | None]) -> int | None:
    """Who answers for a breach (R30): in a duel a computer's host, if he plays; ``None`` makes the hand void.

    *hosts*: per position who hosts the computer that sits there, as a position, or ``None``; a human hosts himself.
    """
    return hosts[culprit]
