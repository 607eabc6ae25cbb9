"""Determinised search: sample worlds, try every card in each of them, keep the one that does best on average.

All candidates meet the same worlds and the same odd cards, so that their differences are not luck.  What counts is the
mean of ``100 * points of the hand + card points of the own side``, as integers.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from node.bots.chance import Chance, decision_chance
from node.bots.core import Layout, layout
from node.bots.inference import Evidence
from node.bots.playout import POINT, Outcome, Scorer, play_out
from node.bots.sampler import Sampler, knowledge
from node.bots.scene import Worlds, scorer_of, start_of

if TYPE_CHECKING:
    from protocol.rules.view import HandView


@dataclass(frozen=True, slots=True)
class Settings:
    """How much a level thinks.

    ``worlds`` per decision.  With ``odd`` each playout has at most one card, anywhere, that is not the rules'.
    ``silent`` as for the sampler.  With ``draws`` above 1 so many times more worlds are drawn, and the searched ones
    chosen among them by plausibility: each card that the rules would not have played divides the weight of a world by
    ``doubt``.
    """

    worlds: int
    odd: bool = False
    silent: tuple[int, int] = (1, 16)
    draws: int = 1
    doubt: int = 3


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


def likely(
    view: "HandView", worlds: Worlds, lay: Layout, chance: Chance, settings: Settings
) -> Iterator[tuple[list[int], list[int]]]:
    """The worlds to search: as drawn, or the likelier ones among more."""
    evidence = Evidence(view, lay) if settings.draws > 1 else ()
    if not evidence:
        for _ in range(settings.worlds):
            yield worlds.draw(chance)
        return
    drawn = [worlds.draw(chance) for _ in range(settings.draws * settings.worlds)]
    bad = [evidence.misfits(hands, sides) for hands, sides in drawn]
    worst = max(bad)
    weights = list(accumulate(settings.doubt ** (worst - misfits) for misfits in bad))
    total = weights[-1]
    offset = chance.below(total)
    at = 0
    for i in range(settings.worlds):
        goal = (offset + i * total) // settings.worlds
        while weights[at] <= goal:
            at += 1
        yield drawn[at]


def weigh_cards(view: "HandView", cards: tuple[int, ...], chance: Chance, settings: Settings) -> tuple[Weighed, ...]:
    """Try the *cards* (types) that ``view.me`` may play now, in the order given."""
    state, me = view.state, view.me
    assert state.contract is not None
    lay: Layout = layout(state.contract)
    worlds = Worlds(view, lay, Sampler(knowledge(view), codes=lay.code, silent=settings.silent))
    start = start_of(state)
    scorer = scorer_of(state)
    size = len(cards)
    total, points, won = [0] * size, [0] * size, [0] * size
    own = worlds.codes(cards)
    cards_left = 4 * start.left - start.count
    for hands, sides in likely(view, worlds, lay, chance, settings):
        odd, number = -1, 0
        if settings.odd:
            odd = 1 + chance.below(cards_left)
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
