"""How the thresholds of solos were tuned; not part of the suite.

    python -m tests.bots.tune_solos look SEED DEALS [PART PARTS]      solos, played with and without
    python -m tests.bots.tune_solos compare SEED DEALS [PART PARTS]   strong against its version 1

PART of PARTS takes every PARTS-th deal, so that several processes share the work.
"""

import json
import math
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar

from node.bots.announce import TUNED, Thresholds, played_out, unseen, wanted_contract
from node.bots.bidding import bid_for
from node.bots.chance import Chance
from node.bots.figures import Tally
from node.bots.judgement import best_solos
from node.bots.league import Method, Plan, deal_hands, deal_seeds, play_deal
from node.bots.playout import Scorer
from node.bots.policy import plays
from node.bots.sampler import Sampler
from node.bots.search import Settings
from node.bots.search_bot import Strong
from node.bots.single import play_hand
from protocol.cards import CLUB_QUEEN, PLAYERS
from protocol.rules.acts import Act
from protocol.rules.calls import Side
from protocol.rules.contracts import Contract
from protocol.rules.hand import start
from protocol.rules.state import HandRules
from protocol.rules.view import HandView, hand_view

WORLDS = 100


class Before(Strong):
    """``strong`` with the thresholds of its version 1."""

    name: ClassVar[str] = "before"
    version: ClassVar[str] = "1"
    limits: ClassVar[Thresholds] = replace(TUNED, glance=35, solo_gain=150, solo_won=65)


class Fixed(Strong):
    """Bids what it is told, and searches a little less."""

    name: ClassVar[str] = "fixed"
    settings: ClassVar[Settings] = Settings(60, odd=True, draws=4)

    def __init__(self, wanted: Contract | None = None) -> None:
        self.wanted = wanted

    def choose(self, view: HandView, seed: bytes) -> Act:
        if plays(view):
            return super().choose(view, seed)
        both = view.dealt.count(CLUB_QUEEN) == 2
        return bid_for(view, self.wanted or (Contract.MARRIAGE if both else None))


def glances(seed: int, number: int) -> Iterator[dict[str, Any]]:
    """The best solo of every seat that is not hopeless."""
    rules = HandRules()
    hands, seeds = deal_hands(seed, number), deal_seeds(seed, number)
    state = start(rules, hands)
    for me in range(PLAYERS):
        view = hand_view(state, me)
        tried = [(chance, solo) for chance, solo in best_solos(view)[:4] if chance >= 10]
        if not tried:
            continue
        plain = Contract.MARRIAGE if view.dealt.count(CLUB_QUEEN) == 2 else None
        scorer = Scorer((0, 0), rules.profile, rules.special_points)
        sampler, chance = Sampler(unseen(me, view.dealt)), Chance(b"tune" + seeds[me])
        base, gains, wins = 0, [0] * len(tried), [0] * len(tried)
        for _ in range(WORLDS):
            world: list[tuple[int, ...] | list[int]] = [view.dealt] * PLAYERS
            for player, cards in zip(sampler.others, sampler.draw(chance), strict=True):
                world[player] = cards
            base += played_out(world, plain, me, scorer)
            for i, (_glance, solo) in enumerate(tried):
                points = played_out(world, solo, me, scorer)
                gains[i] += points
                wins[i] += points > 0
        best = max(range(len(tried)), key=gains.__getitem__)
        gain = gains[best] - base
        if gain >= -WORLDS and wins[best] >= 35:
            glance, solo = tried[best]
            yield {"deal": number, "me": me, "solo": solo, "glance": glance, "gain": gain, "won": wins[best]}


def look(seed: int, number: int) -> None:
    """Play what :func:`glances` finds, once as a solo and once without."""
    hands, seeds = deal_hands(seed, number), deal_seeds(seed, number)
    for found in glances(seed, number):
        me = found["me"]
        policies = [Fixed() for _ in range(PLAYERS)]
        _, without = play_hand(policies, hands, seeds)
        policies[me] = Fixed(Contract(found["solo"]))
        _, played = play_hand(policies, hands, seeds)
        told = {"solo_won": played.winner is Side.RE, "solo_points": played.points[me], "points": without.points[me]}
        print(json.dumps({**found, **told}), flush=True)


def compare(seed: int, numbers: range) -> None:
    """Team swap; deals in which all bids are the same need not be played, they score 0."""
    plan = Plan("strong", "before", Method.SWAP, len(numbers), seed)
    now, before = Strong(), Before()
    tally = Tally()
    for number in numbers:
        hands, seeds = deal_hands(seed, number), deal_seeds(seed, number)
        state = start(plan.rules, hands)
        views = [hand_view(state, player) for player in range(PLAYERS)]
        if all(
            wanted_contract(view, key, now.limits) == wanted_contract(view, key, before.limits)
            for view, key in zip(views, seeds, strict=True)
        ):
            tally.scores[number] = 0.0
            continue
        play_deal(plan, number, (now, before), tally)
        print(json.dumps({"deal": number, "score": tally.scores[number]}), flush=True)
    squares = sum(score * score for score in tally.scores.values())
    print(json.dumps({"deals": len(numbers), "sum": sum(tally.scores.values()), "squares": squares}))
    if len(numbers) > 1 and math.isfinite(tally.half_width):
        print(f"{tally.mean:+.4f} +- {tally.half_width:.4f}", file=sys.stderr)


def main(arguments: list[str]) -> None:
    """The command line."""
    what, seed, deals, *rest = arguments
    part, parts = (int(one) for one in rest or ("0", "1"))
    numbers = range(part, int(deals), parts)
    if what == "compare":
        compare(int(seed), numbers)
        return
    for number in numbers:
        look(int(seed), number)


if __name__ == "__main__":
    main(sys.argv[1:])
