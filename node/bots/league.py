"""The league: how much better one bot is than another, measured on seeded deals with as little luck as possible.

**Team swap.**  A sits on the seats that hold the club queens and B on the others, then the same deal is played with A
and B exchanged; a deal in which one player holds both is played with A on seats 1 and 3, then on 2 and 4.  Half the
difference is A's score of the deal: points per hand and player.

**One against three.**  A sits alone among three B, once on every seat of the same deal.  The mean of its four results
is A's score of the deal.

Both are exactly 0 for two equal bots, whatever the cards: that is the self-test which every run begins with.  Scores of
deals are independent, so the 95 % interval is 1.96 standard errors over deals.
"""

import hashlib
import os
import random
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from multiprocessing import get_context

from node.bots.figures import Tally
from node.bots.levels import load_policy
from node.bots.policy import Policy
from node.bots.single import Clock, play_hand
from protocol.cards import CLUB_QUEEN, DECK
from protocol.rules.acts import HEALTHY, RESERVE, Name
from protocol.rules.hand import push, start
from protocol.rules.score import Result
from protocol.rules.state import HandRules, HandState
from protocol.rules.view import hand_view

Hands = tuple[tuple[int, ...], ...]


class Method(StrEnum):
    """How A and B are seated."""

    SWAP = "swap"
    ALONE = "alone"


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured.  Everything in it is fixed before the run and repeated in the report."""

    first: str
    second: str
    method: Method
    deals: int
    seed: int
    bidding: bool = True
    rules: HandRules = field(default_factory=HandRules)


def deal_hands(seed: int, number: int) -> Hands:
    """Deal *number* of the series *seed*: a function of both, the same on every machine."""
    digest = hashlib.sha256(b"DOKO1-league" + f"{seed}/{number}".encode()).digest()
    bits = random.Random(int.from_bytes(digest, "big")).getrandbits  # noqa: S311
    cards = list(DECK)
    for i in range(47, 0, -1):
        j = bits(6)
        while j > i:
            j = bits(6)
        cards[i], cards[j] = cards[j], cards[i]
    return tuple(tuple(sorted(cards[12 * p : 12 * p + 12])) for p in range(4))


def deal_seeds(seed: int, number: int) -> tuple[bytes, ...]:
    """The bots' seeds of a deal, by position, whoever sits there."""
    return tuple(hashlib.sha256(b"DOKO1-league-bot" + f"{seed}/{number}/{p}".encode()).digest() for p in range(4))


def seatings(plan: Plan, hands: Hands) -> tuple[tuple[bool, ...], ...]:
    """Who is A in each hand played on a deal (true: A)."""
    if plan.method is Method.ALONE:
        return tuple(tuple(p == seat for p in range(4)) for seat in range(4))
    queens = [hand.count(CLUB_QUEEN) for hand in hands]
    team = (True, False, True, False) if max(queens) == 2 else tuple(q == 1 for q in queens)
    return team, tuple(not one for one in team)


def play_deal(plan: Plan, number: int, bots: tuple[Policy, Policy], tally: Tally, *, forecasts: bool = False) -> float:
    """Play all hands of one deal; A's score."""
    hands, seeds = deal_hands(plan.seed, number), deal_seeds(plan.seed, number)
    total = 0
    seats = 0
    for ours in seatings(plan, hands):
        policies = [bots[0] if one else bots[1] for one in ours]
        clock = Clock()
        state, end = play_hand(policies, hands, seeds, plan.rules, bidding=plan.bidding, clock=clock)
        tally.first.note(state, end, ours)
        tally.second.note(state, end, [not one for one in ours])
        for p, one in enumerate(ours):
            (tally.first if one else tally.second).milliseconds += [1000 * s for s in clock.seconds[p]]
        total += sum(end.points[p] for p in range(4) if ours[p])
        seats += sum(ours)
        if forecasts:
            _forecast(plan, policies, ours, hands, seeds, state, end, tally)
    score = total / seats
    tally.scores[number] = score
    return score


def _forecast(
    plan: Plan,
    policies: Sequence[Policy],
    ours: Sequence[bool],
    hands: Hands,
    seeds: Sequence[bytes],
    state: HandState,
    end: Result,
    tally: Tally,
) -> None:
    """Put the chances that the bots saw when the game was settled beside what came of it."""
    if end.void or end.winner is None:
        return
    begin = start(plan.rules, hands)
    for player, reserved in enumerate(state.bids):
        push(begin, RESERVE[player] if reserved else HEALTHY[player])
    for player, contract in state.names:
        push(begin, Name(player, contract))
    told: set[bool] = set()
    for player, policy in enumerate(policies):
        percent = policy.forecast(hand_view(begin, player), seeds[player])
        if percent is None:
            continue
        figures = tally.first if ours[player] else tally.second
        figures.foretell(percent, end.side_of(player) is end.winner)
        told.add(ours[player])
    tally.first.foretold += True in told
    tally.second.foretold += False in told


def play_part(plan: Plan, numbers: Sequence[int], forecasts: bool = False) -> Tally:
    """Play some deals of a run; the job of one worker process."""
    tally = Tally()
    bots = load_policy(plan.first), load_policy(plan.second)
    began = time.process_time()
    for number in numbers:
        play_deal(plan, number, bots, tally, forecasts=forecasts)
    tally.seconds = time.process_time() - began
    return tally


class NotZero(Exception):
    """The self-test failed: a bot against itself did not score exactly 0, so it is not a function of view and seed."""


def self_test(names: Iterable[str], seed: int, deals: int = 2) -> None:
    """Play every bot against itself, both ways; :class:`NotZero` unless each deal scores exactly 0."""
    for name in names:
        for method in Method:
            plan = Plan(name, name, method, deals, seed)
            for number in range(deals):
                score = play_deal(plan, number, (load_policy(name), load_policy(name)), Tally())
                if score != 0:
                    raise NotZero(f"{name} against itself, deal {number} of seed {seed} by {method.value}: {score:+}")


def run(
    plan: Plan,
    *,
    jobs: int | None = None,
    forecasts: bool = False,
    done: Tally | None = None,
    keep: Callable[[Tally], None] | None = None,
    progress: Callable[[Tally, float], None] | None = None,
) -> Tally:
    """Play the whole plan, on *jobs* processes (default: all cores, 1: in this one).

    *done* is what an earlier run of this plan has played already: it is taken in and not played again.  *keep* gets
    every part as soon as it is finished; *progress* is called after each with the tally so far and the seconds since
    the beginning.
    """
    began = time.monotonic()
    tally = Tally()
    if done is not None:
        tally.add(done)
    jobs = jobs or os.cpu_count() or 1
    numbers = [number for number in range(plan.deals) if number not in tally.scores]
    size = max(1, min(16, len(numbers) // (4 * jobs)))
    parts = [numbers[at : at + size] for at in range(0, len(numbers), size)]
    for part in _parts(plan, parts, jobs, forecasts):
        if keep is not None:
            keep(part)
        tally.add(part)
        if progress is not None:
            progress(tally, time.monotonic() - began)
    return tally


def _parts(plan: Plan, parts: Sequence[Sequence[int]], jobs: int, forecasts: bool) -> Iterator[Tally]:
    if jobs == 1 or len(parts) < 2:
        for numbers in parts:
            yield play_part(plan, numbers, forecasts)
        return
    with get_context("spawn").Pool(min(jobs, len(parts)), _deaf) as pool:  # leaving it ends the processes at once
        yield from pool.imap_unordered(_play_part, ((plan, numbers, forecasts) for numbers in parts))


def _deaf() -> None:
    """Ctrl-C is for the process that shows the progress."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _play_part(job: tuple[Plan, Sequence[int], bool]) -> Tally:
    return play_part(*job)
