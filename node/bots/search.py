"""Determinised search: sample worlds, try every card in each of them, keep the one that does best on average.

All candidates meet the same worlds and the same odd cards, so that their differences are not luck.  What counts is the
mean of ``100 * points of the hand + card points of the own side``, as integers.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from node.bots.chance import Chance, decision_chance
from node.bots.core import Layout, layout
from node.bots.playout import POINT, Outcome, Scorer, play_out
from node.bots.sampler import Sampler, knowledge
from node.bots.scene import Worlds, scorer_of, start_of

if TYPE_CHECKING:
    from protocol.rules.view import HandView


@dataclass(frozen=True, slots=True)
class Settings:
    """*worlds* per decision; one in *odd_in* playouts has an odd card (0: none); *silent* as for the sampler."""

    worlds: int
    odd: int = 0
    silent: tuple[int, int] = (1, 16)
    blind: bool = False


def worth(scorer: Scorer, out: Outcome, player: int) -> int:
    """What *out* is worth to *player*: points of the hand and, far below, card points of the own side."""
    if out.void:
        return 0
    own = out.re_points if out.re >> player & 1 else 240 - out.re_points
    return POINT * scorer.points(out, player) + own


@dataclass(frozen=True, slots=True)
class Weighed:
    """A candidate card and the sum of what it was worth in the *worlds* tried, with how many of them were won."""

    card: int
    total: int
    points: int
    won: int
    worlds: int


def weigh_cards(view: "HandView", cards: tuple[int, ...], chance: Chance, settings: Settings) -> tuple[Weighed, ...]:
    """Try the *cards* (types) that ``view.me`` may play now, in the order given."""
    state, me = view.state, view.me
    assert state.contract is not None
    lay: Layout = layout(state.contract)
    worlds = Worlds(view, lay, Sampler(knowledge(view), codes=lay.code, silent=settings.silent))
    start = start_of(state)
    if settings.blind:
        from protocol.rules.calls import Side
        from protocol.rules.contracts import Contract
        ks = state.known_sides
        if state.contract is Contract.NORMAL and None in ks:
            start.known = sum(1 << p for p in range(4) if ks[p] is Side.RE)
    scorer = scorer_of(state)
    size = len(cards)
    total, points, won = [0] * size, [0] * size, [0] * size
    own = worlds.codes(cards)
    cards_left = 4 * start.left - start.count
    for _ in range(settings.worlds):
        hands, sides = worlds.draw(chance)
        odd, number = -1, 0
        if settings.odd:
            odd = 1 + chance.below(settings.odd * cards_left // 16 + 1)
            number = chance.bits(16)
        for i in range(size):
            out = play_out(lay, hands[:], sides, start, own[i], odd, number)
            gain = scorer.points(out, me)
            points[i] += gain
            won[i] += gain > 0
            total[i] += POINT * gain + (out.re_points if out.re >> me & 1 else 240 - out.re_points)
    return tuple(Weighed(cards[i], total[i], points[i], won[i], settings.worlds) for i in range(size))


def search_card(view: "HandView", cards: tuple[int, ...], seed: bytes, settings: Settings) -> int:
    """The best of *cards*; the first of equals."""
    if len(cards) == 1:
        return cards[0]
    weighed = weigh_cards(view, cards, decision_chance(view, seed), settings)
    return max(weighed, key=lambda w: w.total).card
