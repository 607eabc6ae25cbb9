"""The level ``beginner``: plays, bids and calls by rules of thumb alone."""

from typing import TYPE_CHECKING, ClassVar, Final

from node.bots.bidding import bid_for, modest_bid
from node.bots.core import layout
from node.bots.judgement import best_solos, solo_chance, win_chance
from node.bots.policy import Policy, call_kinds, plays
from node.bots.rule_play import follow, lead, lead_alone
from node.bots.scene import put_hand, start_of
from protocol.cards import CLUB_QUEEN, PLAYERS, TYPES
from protocol.rules.calls import CallKind, Side
from protocol.rules.contracts import Contract

if TYPE_CHECKING:
    from protocol.rules.acts import Act
    from protocol.rules.view import HandView

#: Chances in percent from which it plays a solo, and calls.
SOLO_FROM: Final = 66
RE_FROM: Final = 72
KONTRA_FROM: Final = 62
SOLO_RE_FROM: Final = 82
NO90_FROM: Final = 105


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
    if start.count:
        behind = 3 - start.count
        ours = mine is not None and sides[start.holder] is mine
        foes = sum(mine is None or sides[(me + i) % PLAYERS] is not mine for i in range(1, behind + 1))
        code = follow(lay, hands, 5 * me, start.led, start.power, ours, behind, foes, start.value, start.fresh)
    elif mine is Side.RE and sides.count(Side.KONTRA) == 3:
        code = lead_alone(lay, hands, 5 * me, _others(view), start.fresh)
    else:
        code = lead(lay, hands, 5 * me, mine is Side.RE, start.fresh)
    return lay.card[code]


def _others(view: "HandView") -> list[int]:
    """Masks per class of all cards that the three others hold together."""
    assert view.state.contract is not None
    counts = [2] * TYPES
    for card in view.hand:
        counts[card] -= 1
    for _, card in view.state.log:
        counts[card] -= 1
    out = [0] * 20
    put_hand(layout(view.state.contract), out, 0, [card for card in range(TYPES) for _ in range(counts[card])])
    return out[:5]


def rule_bid(view: "HandView") -> "Act":
    """The bid that the rules make: a good solo, else the marriage, else healthy."""
    solos = best_solos(view)
    if solos and solos[0][0] >= SOLO_FROM:
        return bid_for(view, solos[0][1])
    return modest_bid(view)


def rule_call(view: "HandView") -> CallKind | None:
    """The call that the rules make: Re or Contra on a good hand, no 90 on an excellent one, nothing later."""
    kinds = call_kinds(view)
    state = view.state
    if not kinds or state.contract is None or len(view.hand) < 11 - state.shift:
        return None
    mine = sides_seen(view)[view.me]
    if mine is None:
        return None
    index = 0 if mine is Side.RE else 1
    if state.levels[index] and any(call.player != view.me and call.side is mine for call in state.calls):
        return None  # the partner has spoken
    if state.soloist == view.me:
        chance, needed = solo_chance(view.dealt, state.contract, view.me == 0), SOLO_RE_FROM
    elif state.soloist is not None:
        return None
    else:
        chance, needed = win_chance(view.dealt), RE_FROM if mine is Side.RE else KONTRA_FROM
    if CallKind.NO90 in kinds and chance >= NO90_FROM:
        return CallKind.NO90
    ansage = CallKind.RE if mine is Side.RE else CallKind.KONTRA
    if ansage in kinds and chance >= needed:
        return ansage
    return None


class Beginner(Policy):
    """Rules of thumb; also what a searching level falls back to when it runs out of time."""

    name: ClassVar[str] = "beginner"
    version: ClassVar[str] = "1"

    def choose(self, view: "HandView", seed: bytes) -> "Act":
        acts = plays(view)
        if not acts:
            return rule_bid(view)
        card = rule_card(view)
        return next(act for act in acts if act.card == card)

    def call(self, view: "HandView", seed: bytes) -> CallKind | None:
        return rule_call(view)
