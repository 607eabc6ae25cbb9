"""Solos, marriages and calls from sampled worlds: what the rules make of each of them, on average.

**Bidding.**  Solos that :mod:`node.bots.judgement` finds conceivable are played out in the same sampled deals as the
game that comes otherwise (a marriage where somebody holds both club queens, else the normal game).  A solo is played if
it brings enough more points a hand and is won often enough.

**Calls** are made as late as they may be (R16: the hand has shrunk to the number of cards the call needs), in one's own
turn, when the worlds say so: the game is won often enough under the call, and the call brings points on average under
the table's own score.  (By the ``stargames`` table an Absage that is made is not paid twice, R24, so there it never
brings any; by the ``ddv`` table it does.)
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from node.bots.chance import Chance, decision_chance
from node.bots.core import layout
from node.bots.judgement import best_solos
from node.bots.playout import Scorer, Start, play_out
from node.bots.sampler import Knowledge, Sampler, knowledge
from node.bots.scene import Worlds, put_hand, start_of
from protocol.cards import CLUB_QUEEN, DECK, PLAYERS
from protocol.rules.calling import CallOption, call_options
from protocol.rules.calls import SIDE_INDEX, STEP, CallKind
from protocol.rules.contracts import Contract

if TYPE_CHECKING:
    from protocol.rules.view import HandView


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Percent and hundredths of a point; tuned by self-play on other deals than those reported."""

    worlds: int = 100
    #: Solos below this estimate (it is rough, for solos without trumps most of all) are not tried, and at most so many
    #: are.
    glance: int = 15
    tries: int = 3
    #: Rules play a solo worse than a search does: one that gains 0.75 in playouts gains about 1.5 in play.
    solo_gain: int = 75
    solo_won: int = 60
    ansage: int = 80
    reply: int = 85
    absage: int = 75
    silent: tuple[int, int] = (1, 16)


TUNED: Final = Thresholds()


def unseen(me: int, dealt: tuple[int, ...]) -> Knowledge:
    """What twelve cards alone tell: nothing about the others."""
    left = list(DECK)
    for card in dealt:
        left.remove(card)
    free = 2 - dealt.count(CLUB_QUEEN)
    queens = tuple((a, b, free - a - b) for a in range(free + 1) for b in range(free + 1 - a))
    return Knowledge(((me + 1) % 4, (me + 2) % 4, (me + 3) % 4), (12, 12, 12), tuple(left), (7,) * 24, queens)


def wanted_contract(view: "HandView", seed: bytes, limits: Thresholds = TUNED) -> Contract | None:
    """What ``view.me`` wants to play: a solo, the marriage, or ``None`` for "healthy" (with both club queens: silent).

    Depends on the twelve cards, the seat and *seed* alone, so that naming says what the bid meant.
    """
    me, dealt = view.me, view.dealt
    both = dealt.count(CLUB_QUEEN) == 2
    plain = Contract.MARRIAGE if both else None
    if view.state.rules.computer(me):
        return plain
    tried: list[Contract | None] = [
        solo for chance, solo in best_solos(view)[: limits.tries] if chance >= limits.glance
    ]
    if both and view.state.rules.duel is None:
        tried.append(None)
    if not tried:
        return plain
    scorer = Scorer((0, 0), view.state.rules.profile, view.state.rules.special_points)
    sampler = Sampler(unseen(me, dealt))
    chance = Chance(b"bid" + seed + bytes((me, *sorted(dealt))))
    base = 0
    gains, wins = [0] * len(tried), [0] * len(tried)
    for _ in range(limits.worlds):
        hands: list[tuple[int, ...] | list[int]] = [dealt] * PLAYERS
        for player, cards in zip(sampler.others, sampler.draw(chance), strict=True):
            hands[player] = cards
        base += played_out(hands, plain, me, scorer)
        for i, contract in enumerate(tried):
            points = played_out(hands, contract or Contract.SILENT_SOLO, me, scorer)
            gains[i] += points
            wins[i] += points > 0
    best = max(range(len(tried)), key=lambda i: gains[i])
    enough = 100 * (gains[best] - base) >= limits.solo_gain * limits.worlds
    if enough and 100 * wins[best] >= limits.solo_won * limits.worlds:
        return tried[best]
    return plain


def played_out(hands: "list[tuple[int, ...] | list[int]]", contract: Contract | None, me: int, scorer: Scorer) -> int:
    """What *me* gets when rules play this deal; ``None`` is the normal game or another's marriage."""
    lay = layout(contract or Contract.NORMAL)
    masks = [0] * 20
    for player, cards in enumerate(hands):
        put_hand(lay, masks, player, cards)
    start = Start(turn=0)
    if contract in (None, Contract.MARRIAGE):
        queens = [cards.count(CLUB_QUEEN) for cards in hands]
        if 2 in queens:
            start.groom = queens.index(2)
            sides = [0 if p == start.groom else p + 1 for p in range(PLAYERS)]
        else:
            sides = [0 if n else 1 for n in queens]
    else:
        sides = [0 if p == me else 1 for p in range(PLAYERS)]
    return scorer.points(play_out(lay, masks, sides, start, -1), me)


@dataclass(frozen=True, slots=True)
class Outlook:
    """How the hand would end in sampled worlds: of *worlds*, how many the own side wins, and the sum of own points."""

    worlds: int
    won: int
    points: int


def outlook(
    view: "HandView", chance: Chance, worlds: int, levels: tuple[tuple[int, int], ...], silent: tuple[int, int]
) -> tuple[Outlook, ...]:
    """One :class:`Outlook` for each of *levels* (calls of Re and Contra), over the same worlds, from the play on."""
    state, me = view.state, view.me
    assert state.contract is not None
    lay = layout(state.contract)
    drawn = Worlds(view, lay, Sampler(knowledge(view), codes=lay.code, silent=silent))
    start = start_of(state)
    rules = state.rules
    scorers = [Scorer(level, rules.profile, rules.special_points) for level in levels]
    won, points = [0] * len(levels), [0] * len(levels)
    for _ in range(worlds):
        hands, sides = drawn.draw(chance)
        out = play_out(lay, hands, sides, start, -1)
        if out.void:
            continue
        re = out.re >> me & 1
        for i, scorer in enumerate(scorers):
            won[i] += scorer.wins(out, bool(re))
            points[i] += scorer.points(out, me)
    return tuple(Outlook(worlds, won[i], points[i]) for i in range(len(levels)))


def _raised(levels: tuple[int, int], option: CallOption) -> tuple[int, int]:
    step = STEP[option.kind]
    return (step, levels[1]) if SIDE_INDEX[option.side] == 0 else (levels[0], step)


def wanted_call(view: "HandView", seed: bytes, limits: Thresholds = TUNED) -> CallKind | None:
    """What ``view.me`` should call now, or ``None``."""
    state, me = view.state, view.me
    if state.turn != me or (state.soloist is not None and state.soloist != me):
        # Against a named solo the worlds, which know nothing of why it was named, are far too hopeful.
        return None
    have = len(view.hand)
    due = [option for option in call_options(state, me) if option.needs == have]
    if not due:
        return None
    # Of calls with one deadline the next step is enough; the one after it has its own turn.
    option = min(due, key=lambda one: STEP[one.kind])
    now, then = outlook(
        view,
        decision_chance(view, seed, b"call"),
        limits.worlds,
        (state.levels, _raised(state.levels, option)),
        limits.silent,
    )
    least = limits.reply if state.levels[1 - SIDE_INDEX[option.side]] else limits.ansage
    if STEP[option.kind] > 1:
        least = limits.absage
    if 100 * then.won >= least * then.worlds and then.points > now.points:
        return option.kind
    return None


def win_percent(view: "HandView", seed: bytes, limits: Thresholds = TUNED) -> int | None:
    """The chance in percent that the own side wins, as the worlds see it.

    ``None`` before the card play, and against a named solo.
    """
    state = view.state
    if state.turn is None or state.contract is None or state.soloist not in (None, view.me):
        return None
    chance = decision_chance(view, seed, b"forecast")
    (seen,) = outlook(view, chance, limits.worlds, (view.state.levels,), limits.silent)
    return 100 * seen.won // seen.worlds
