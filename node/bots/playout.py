"""Playing a hand out by rules from any point of the card play, and what it scores: the inner loop of every search."""

from dataclasses import dataclass, field
from functools import cache
from typing import Final, NamedTuple

from node.bots.core import Layout
from node.bots.rule_play import follow, lead, lead_alone
from protocol.rules.calls import Side
from protocol.rules.winner import winner

#: The player after each.
NEXT: Final = (1, 2, 3, 0)
#: What an outcome of a playout is worth is an integer: points of the hand times this, plus card points.
POINT: Final = 100


@dataclass(slots=True)
class Start:
    """Where a playout begins: all that is on the table, the same in every world.

    ``turn`` plays next with ``count`` cards in the trick, of class ``led``, won so far by ``holder`` with the code
    ``best`` of ``power``; ``value`` are its card points and ``foxes`` a mask of who gave DA.  ``fresh`` has bit c while
    class c was not led.
    ``left`` tricks are not complete.  ``points`` per player in complete tricks, ``took`` a mask of who has won one,
    ``specials`` the pairs (who lost a fox, or -1 for a Doppelkopf; who won the trick).  ``groom`` is the player of a
    marriage that is not cleared yet, else -1; ``duel`` a mask of the humans in a duel, else 0.
    """

    turn: int
    count: int = 0
    led: int = 0
    best: int = -1
    power: int = 0
    holder: int = 0
    value: int = 0
    foxes: int = 0
    fresh: int = 31
    left: int = 12
    points: list[int] = field(default_factory=lambda: [0, 0, 0, 0])
    took: int = 0
    specials: list[tuple[int, int]] = field(default_factory=list)
    groom: int = -1
    duel: int = 0


class Outcome(NamedTuple):
    """How a playout ended: card points of Re, masks of who is Re and who won tricks, special points from Re's view."""

    re_points: int
    re: int
    took: int
    specials: int
    void: bool = False


def any_card(hands: list[int], base: int, count: int, led: int, number: int) -> int:
    """The code of a legal card chosen by *number* (any integer)."""
    classes = (led,) if count and hands[base + led] else (0, 1, 2, 3, 4)
    codes = []
    for cls in classes:
        mask = hands[base + cls]
        while mask:
            low = mask & -mask
            codes.append(32 * cls + low.bit_length() - 1)
            mask ^= low
    return codes[number % len(codes)]


def play_out(
    lay: Layout, hands: list[int], sides: list[int], start: Start, force: int, odd: int = -1, number: int = 0
) -> Outcome:
    """Play *hands* (changed: all cards go) to the end.

    *sides*: 0 for Re, any other number for its opponents, equal for partners; while a marriage is open the groom is 0
    and the others differ.  *force* is the code of the first card, or -1.  The *odd*-th card from here (0 the first) is
    not chosen by rule but by *number* among the legal ones; -1 for none.
    """
    points_of, power_of, fox = lay.points, lay.power, lay.fox
    turn, count, led, power, holder = start.turn, start.count, start.led, start.power, start.holder
    value, foxes, fresh, took, groom = start.value, start.foxes, start.fresh, start.took, start.groom
    points = start.points[:]
    specials, best = start.specials, start.best
    lone = sides.index(0) if sides.count(0) == 1 and groom < 0 else -1
    for left in range(start.left, 0, -1):
        while count < 4:
            base = 5 * turn
            if force >= 0:
                code = force
                force = -1
            elif not odd:
                code = any_card(hands, base, count, led, number)
            elif count:
                side = sides[turn]
                foes = 0
                if count < 3:
                    after = NEXT[turn]
                    if sides[after] != side:
                        foes = 1
                    if count < 2 and sides[NEXT[after]] != side:
                        foes += 1
                ours = sides[holder] == side
                code = follow(lay, hands, base, led, power, ours, 3 - count, foes, value, fresh)
            elif turn == lone:
                rest = [0, 0, 0, 0, 0]
                for at in range(20):
                    if not base <= at < base + 5:
                        rest[at % 5] |= hands[at]
                code = lead_alone(lay, hands, base, rest, fresh)
            else:
                code = lead(lay, hands, base, not sides[turn], fresh)
            odd -= 1
            cls = code >> 5
            hands[base + cls] ^= 1 << (code & 31)
            value += points_of[code]
            if code & -2 == fox:
                foxes |= 1 << turn
            if not count:
                led = cls
                power = power_of[code]
                holder = turn
                best = code
            elif (cls == 4 or cls == led) and power_of[code] > power:
                power = power_of[code]
                holder = turn
                best = code
            count += 1
            turn = NEXT[turn]
        points[holder] += value
        took |= 1 << holder
        if value >= 40 or foxes:
            specials = specials[:]
            if value >= 40:
                specials.append((-1, holder))
            if foxes:
                specials += [(p, holder) for p in range(4) if foxes >> p & 1]
            foxes = 0
        fresh &= ~(1 << led)
        if groom >= 0:
            crosses = not start.duel or (start.duel >> holder & 1) != (start.duel >> groom & 1)
            if holder != groom and crosses:
                sides = [0 if p in (groom, holder) else 1 for p in range(4)]
                groom = -1
            elif left == 10:  # three tricks are complete
                if start.duel and (took != 1 << groom or not start.duel >> groom & 1):
                    return Outcome(0, 0, 0, 0, True)
                sides = [0 if p == groom else 1 for p in range(4)]
                lone = groom
                groom = -1
        turn = holder
        count = value = 0
    s0, s1, s2, s3 = sides
    re_points = (
        (0 if s0 else points[0]) + (0 if s1 else points[1]) + (0 if s2 else points[2]) + (0 if s3 else points[3])
    )
    special = 0
    for loser, taker in specials:
        if loser < 0 or sides[loser] != sides[taker]:
            special += -1 if sides[taker] else 1
    if best & -2 == lay.charlie:
        special += -1 if sides[holder] else 1
    re = (not s0) | (not s1) << 1 | (not s2) << 2 | (not s3) << 3
    return Outcome(re_points, re, took, special)


@cache
def _base_values(levels: tuple[int, int], profile: str, old: bool) -> tuple[tuple[int, ...], ...]:
    """Values from Re's view: [0 both sides / 1 only Contra / 2 only Re took tricks][card points of Re].

    *old*: Contra gets a point for winning "against the old"; the other special points are not in it.
    """
    return tuple(
        tuple(_base_value(levels, profile, old, (re, 240 - re), tricks) for re in range(241))
        for tricks in ((6, 6), (0, 12), (12, 0))
    )


def _base_value(
    levels: tuple[int, int], profile: str, old: bool, points: tuple[int, int], tricks: tuple[int, int]
) -> int:
    won = winner(levels, points, tricks)
    value = 0
    for loser, side in enumerate((Side.RE, Side.KONTRA)):
        keeper = 1 - loser
        gain = 0
        if won is not side:
            paid = levels[keeper] if won is not None and profile == "stargames" else 0
            gain += sum(points[loser] < limit and level > paid for level, limit in ((2, 90), (3, 60), (4, 30)))
            gain += not tricks[loser] and paid < 5
        gain += sum(
            levels[loser] >= level and points[keeper] >= enough
            for level, enough in ((2, 120), (3, 90), (4, 60), (5, 30))
        )
        value += gain if keeper == 0 else -gain
    if won is not None:
        gain = 1 + sum(1 + level for level in levels if level)
        value += gain if won is Side.RE else -gain - old
    return value


class Scorer:
    """What outcomes are worth under the calls made so far (*levels* of Re and Contra) and the table's rules."""

    __slots__ = ("_alone", "_levels", "_pair", "_special")

    def __init__(self, levels: tuple[int, int], profile: str, special_points: bool) -> None:
        self._levels = levels
        self._special = special_points
        self._pair = _base_values(levels, profile, special_points)
        self._alone = _base_values(levels, profile, False)

    def re_value(self, out: Outcome) -> int:
        """Points of a Re player against one opponent, as ``Result.value`` seen from Re."""
        if out.void:
            return 0
        tricks = 1 if not out.took & out.re else 2 if not out.took & ~out.re else 0
        if out.re & (out.re - 1):
            return self._pair[tricks][out.re_points] + (out.specials if self._special else 0)
        return self._alone[tricks][out.re_points]

    def points(self, out: Outcome, player: int) -> int:
        """The hand's points of *player*."""
        value = self.re_value(out)
        if not out.re >> player & 1:
            return -value
        return value if out.re & (out.re - 1) else 3 * value

    def wins(self, out: Outcome, re: bool) -> bool:
        """Does Re (else Contra) win?  Not the same as getting points: the winner's value can be 0 or less (R28)."""
        tricks = (0, 12) if not out.took & out.re else (12, 0) if not out.took & ~out.re else (6, 6)
        won = winner(self._levels, (out.re_points, 240 - out.re_points), tricks)
        return won is (Side.RE if re else Side.KONTRA)
