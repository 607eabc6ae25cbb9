"""Matches that were played: four players, hands from the engine, as the table's core reports them."""

import random

from node import identity as ids
from node.plan import Plan
from protocol.cards import DECK
from protocol.rules.acts import Call, Play
from protocol.rules.hand import apply, legal, result, start
from protocol.rules.state import HandRules, HandState, Phase
from protocol.table.end_phase import ClosedHand
from protocol.table.roster import Player, make_roster, make_setup
from protocol.table.terms import make_terms

NAMES = ("Anna", "Bert", "=Carl()", "Dora")
PEOPLE = tuple(ids.from_secrets(bytes([n + 1]) * 32, bytes([n + 11]) * 32) for n in range(4))


def plan(number: int = 0, *, seat: int = 0, currency: str = "EUR", fee: int = 900) -> Plan:
    """The plan of match *number* of the four, seen from *seat*."""
    players = tuple(
        Player(who.key, who.public.static, who.public.binding, bytes([number, n]) * 16, name)
        for n, (who, name) in enumerate(zip(PEOPLE, NAMES, strict=True))
    )
    terms = make_terms(table=bytes([number]) * 16, mode="four-fixed", stake=37, fee=fee, kitty="pot", currency=currency)
    return Plan(make_setup(terms, make_roster(players), seat), ((), (), (), ()))


def hand(seed: int, *, stop: int | None = None) -> tuple[HandState, tuple[tuple[int, ...], ...]]:
    """A hand played by chance (up to *stop* cards), and the hands as dealt."""
    chance = random.Random(seed)
    cards = list(DECK)
    chance.shuffle(cards)
    dealt = tuple(tuple(sorted(cards[n * 12 : n * 12 + 12])) for n in range(4))
    state = start(HandRules(), dealt)
    played = 0
    while state.phase is not Phase.DONE and played != stop:
        assert state.turn is not None
        acts = [act for act in legal(state, state.turn) if not isinstance(act, Call)]
        act = acts[0] if state.phase is Phase.BID else chance.choice(acts)
        played += isinstance(act, Play)
        state = apply(state, act)
    return state, dealt


def closed(deal: int, number: int, money: tuple[int, int, int, int], kitty: int) -> ClosedHand:
    """Hand *number* as deal *deal*; the money is what the test says."""
    state, dealt = hand(deal)
    outcome = result(state)
    forehand = (number - 1) % 4
    first, second, third, fourth = (outcome.points[(seat - forehand) % 4] for seat in range(4))
    points = (first, second, third, fourth)
    return ClosedHand(deal, number, forehand, state, outcome, dealt, points, money, kitty, bytes(32))
