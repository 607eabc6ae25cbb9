"""Deals and hands for the tests of computer players: all from fixed seeds."""

import random
from collections.abc import Sequence

from protocol.cards import CLUB_QUEEN, DECK
from protocol.rules.acts import Act, Call, Healthy, Marry, Name, Play, Reserve
from protocol.rules.contracts import Contract
from protocol.rules.hand import HandRules, HandState, Phase, legal, push, start

Hands = list[tuple[int, ...]]


def deal(rng: random.Random) -> Hands:
    cards = list(DECK)
    rng.shuffle(cards)
    return [tuple(cards[12 * p : 12 * p + 12]) for p in range(4)]


def duel_deal(rng: random.Random, humans: tuple[int, int]) -> Hands:
    """A deal that R34 allows."""
    while True:
        hands = deal(rng)
        queens = [hand.count(CLUB_QUEEN) for hand in hands]
        if max(queens) == 2 or queens[humans[0]] + queens[humans[1]] == 1:
            return hands


def bid(state: HandState, rng: random.Random, wanted: Contract | None = None) -> None:
    """Random bids until the game is settled; *wanted*: the soloist is a random player, or all say healthy."""
    soloist = rng.randrange(4)
    while state.phase is not Phase.PLAY:
        acts = legal(state, state.turn or 0)
        if wanted in (Contract.NORMAL, Contract.MARRIAGE):
            acts = tuple(a for a in acts if not (isinstance(a, Name) and a.contract is not Contract.MARRIAGE)) or acts
            if isinstance(acts[0], Healthy) and len(acts) == 2:
                hand = state.dealt(state.turn or 0)
                marry = wanted is Contract.MARRIAGE and hand is not None and hand.count(CLUB_QUEEN) == 2
                acts = (acts[1 if marry else 0],)
        elif wanted is not None:
            if isinstance(acts[0], Healthy) and len(acts) == 2:
                acts = (acts[state.turn == soloist],)
            else:
                acts = tuple(a for a in acts if isinstance(a, Name) and a.contract is wanted) or acts
        push(state, rng.choice(acts))


def settled(rng: random.Random, rules: HandRules, wanted: Contract | None, hands: Hands | None = None) -> HandState:
    """A hand after the bidding, in the *wanted* contract if the deal has it."""
    if hands is None:
        hands = duel_deal(rng, rules.duel) if rules.duel else deal(rng)
    state = start(rules, hands)
    bid(state, rng, wanted)
    return state


def some_call(state: HandState, rng: random.Random) -> None:
    """A random legal call by somebody, if there is one."""
    calls = [a for p in range(4) for a in legal(state, p) if isinstance(a, Call)]
    if calls:
        push(state, rng.choice(calls))


def random_plays(state: HandState, rng: random.Random, cards: int) -> None:
    """Up to *cards* random legal cards."""
    for _ in range(cards):
        if state.phase is not Phase.PLAY:
            return
        push(state, rng.choice([a for a in legal(state, state.turn or 0) if isinstance(a, Play)]))


def queens_of(hands: Sequence[Sequence[int]]) -> list[int]:
    return [list(hand).count(CLUB_QUEEN) for hand in hands]


__all__ = [
    "Act",
    "Hands",
    "Marry",
    "Reserve",
    "bid",
    "deal",
    "duel_deal",
    "queens_of",
    "random_plays",
    "settled",
    "some_call",
]
