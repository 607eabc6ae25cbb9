"""What the play so far says about hidden hands: worlds in which the others' cards make sense count more.

For every card that another player has played, a world tells what the rules of :mod:`node.bots.rule_play` would have
played from the hand that he then holds in it.  Each card that differs is a *misfit*, and divides the weight of the
world.  Nobody is supposed to play by these rules exactly; a world is never excluded, only less likely.
"""

from typing import TYPE_CHECKING

from node.bots.core import TRUMP, Layout
from node.bots.playout import NEXT
from node.bots.rule_play import follow, lead
from protocol.cards import CARD_POINTS, CLUB_QUEEN
from protocol.rules.calls import Side
from protocol.rules.contracts import Contract

if TYPE_CHECKING:
    from protocol.rules.view import HandView

#: (player, own masks still to come, cards in the trick, led, power, holder, points, fresh, who is openly Re, code)
Situation = tuple[int, tuple[int, ...], int, int, int, int, int, int, int, int]


class Evidence:
    """The cards others have played in *view*, each with what they knew when they played it."""

    __slots__ = ("_lay", "_situations")

    def __init__(self, view: "HandView", lay: Layout) -> None:
        self._lay = lay
        state = view.state
        copies = [1] * 24
        later = [[0] * 5 for _ in range(4)]
        log = state.log
        bits = []
        for player, card in reversed(log):
            code = lay.code[card] + copies[card]
            copies[card] = 0
            later[player][code >> 5] |= 1 << (code & 31)
            bits.append((player, card, tuple(later[player])))
        bits.reverse()
        situations: list[Situation] = []
        fresh, count, led, power, holder, value = 31, 0, 0, 0, 0, 0
        queens = 0
        normal = state.contract is Contract.NORMAL
        calls = [(call.played, call.player) for call in state.calls if call.side is Side.RE]
        for number, (player, card, rest) in enumerate(bits):
            for played, caller in calls:
                if played == number:
                    queens |= 1 << caller
            code = lay.code[card]
            opened = queens if normal else 15
            if player != view.me:
                situations.append((player, rest, count, led, power, holder, value, fresh, opened, code))
            if card == CLUB_QUEEN:
                queens |= 1 << player
            cls = code >> 5
            if not count:
                led, power, holder = cls, lay.power[code], player
            elif cls in (TRUMP, led) and lay.power[code] > power:
                power, holder = lay.power[code], player
            value += CARD_POINTS[card]
            count += 1
            if count == 4:
                fresh &= ~(1 << led)
                count = value = 0
        self._situations = situations

    def __len__(self) -> int:
        return len(self._situations)

    def misfits(self, hands: list[int], sides: list[int]) -> int:
        """How many of the cards the rules would not have played in this world."""
        lay = self._lay
        bad = 0
        lone = sides.count(0) == 1
        own = [0] * 5
        for player, rest, count, led, power, holder, value, fresh, opened, code in self._situations:
            base = 5 * player
            own[0] = hands[base] | rest[0]
            own[1] = hands[base + 1] | rest[1]
            own[2] = hands[base + 2] | rest[2]
            own[3] = hands[base + 3] | rest[3]
            own[4] = hands[base + 4] | rest[4]
            side = sides[player]
            if count:
                mask = own[led]
                if mask and not mask & (mask - 1):
                    continue  # forced
                foes = 3 - count
                ours = False
                if opened == 15 or opened.bit_count() == 2 or (not side and opened & ~(1 << player)):
                    ours = sides[holder] == side
                    after = player
                    for _ in range(3 - count):
                        after = NEXT[after]
                        if sides[after] == side:
                            foes -= 1
                ruled = follow(lay, own, 0, led, power, ours, 3 - count, foes, value, fresh)
            elif lone and not side:
                continue
            else:
                ruled = lead(lay, own, 0, not side, fresh)
            if ruled & -2 != code:
                bad += 1
        return bad
