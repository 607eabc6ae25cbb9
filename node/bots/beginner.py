"""The level ``beginner``: plays by rules of thumb alone."""

from typing import TYPE_CHECKING, ClassVar

from node.bots.bidding import modest_bid
from node.bots.core import layout
from node.bots.policy import Policy, plays
from node.bots.rule_play import follow, lead, lead_alone
from node.bots.scene import put_hand, start_of
from protocol.cards import CLUB_QUEEN, PLAYERS
from protocol.rules.calls import Side
from protocol.rules.contracts import Contract

if TYPE_CHECKING:
    from protocol.rules.acts import Act
    from protocol.rules.view import HandView


def sides_seen(view: "HandView") -> tuple[Side | None, ...]:
    """Per position the side as far as ``view.me`` knows it: the log, his own hand and what follows from both."""
    state, me = view.state, view.me
    sides = list(state.known_sides)
    if state.contract is not Contract.NORMAL:
        return tuple(sides)
    own = view.dealt.count(CLUB_QUEEN)
    sides[me] = Side.RE if own else Side.KONTRA
    located = own + sum(state.queens[p] + state.shown[p] for p in range(PLAYERS) if p != me)
    if located == 2 or sides.count(Side.RE) == 2:
        sides = [side or Side.KONTRA for side in sides]
    elif sides.count(Side.KONTRA) == 3:
        sides = [side or Side.RE for side in sides]
    return tuple(sides)


def rule_card(view: "HandView") -> int:
    """The card (type) that the rules play for ``view.me``, whose turn it is."""
    state, me = view.state, view.me
    assert state.contract is not None
    lay = layout(state.contract)
    hands = [0] * 20
    put_hand(lay, hands, me, view.hand)
    start = start_of(state)
    sides = sides_seen(view)
    mine = sides[me]
    if not start.count:
        if sides.count(Side.RE) == 1 and None not in sides and mine is Side.RE:
            out = [0] * 20
            counts = [2] * 24
            for card in view.hand:
                counts[card] -= 1
            for _, card in state.log:
                counts[card] -= 1
            put_hand(lay, out, 0, [card for card in range(24) for _ in range(counts[card])])
            code = lead_alone(lay, hands, 5 * me, out[:5], start.fresh)
        else:
            code = lead(lay, hands, 5 * me, mine is Side.RE, start.fresh)
    else:
        behind = 3 - start.count
        ours = mine is not None and sides[start.holder] is mine
        foes = sum(mine is None or sides[(me + i) % PLAYERS] is not mine for i in range(1, behind + 1))
        code = follow(
            lay, hands, 5 * me, start.led, start.power, ours, behind, foes, start.value, start.fresh
        )
    return lay.card[code]


class Beginner(Policy):
    """Rules of thumb; also what a searching level falls back to when it runs out of time."""

    name: ClassVar[str] = "beginner"
    version: ClassVar[str] = "1"

    def choose(self, view: "HandView", seed: bytes) -> "Act":
        acts = plays(view)
        if not acts:
            return modest_bid(view)
        card = rule_card(view)
        return next(act for act in acts if act.card == card)
