"""Seeded chaos: ``python -m tests.chaos.run --seeds A-B``.

A run plays a whole match of four table cores (variable: one hand, four-fixed and duel: four) while the network and the
processes misbehave as the seed says; after some time the network is as it should be again, and the match has to end in
four equal settlements that verify.  All that arrives is watched (:mod:`tests.chaos.watch`).

======== ===============================================================================================================
trouble  what happens
======== ===============================================================================================================
cut      a link goes down, what is under way is lost, it comes up again
blind    a link is half open: nothing of one end reaches the other, until the keep-alive ends it
split    two and two: all four links between the halves are down
lonely   one seat loses all its links
kill     a process ends at once (``kill -9``), what it had sent may still arrive; it starts again
crash    a process ends after its next effects, in the middle of what it was doing
all      all four processes end at once
clock    the clock of a seat jumps
wish     from seed 20,000 on: people agree that the hand is void, change their minds, want the deal made anew
always   delay; by the seed: messages dropped, duplicated, out of order, or links that are Noise channels whose bytes
         come in pieces, down to one byte at a time
======== ===============================================================================================================

A seed also draws the mode, the pool (who holds which cards; runs of one pool share the work of their proofs,
:mod:`tests.chaos.memo`), the clock and the grace of the terms, and how often people call.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys
import time
import traceback
from collections import Counter
from dataclasses import dataclass
from typing import Any, Final

from protocol.table import effects
from protocol.table.verify import Verdict
from tests.chaos.world import HOUR, ChaosWorld
from tests.table.net import SEATS, Script

#: Different matches; each is played under many networks.
POOLS: Final = 40
PAIRS: Final = tuple(itertools.combinations(SEATS, 2))
#: Virtual seconds for a match to end once the network is as it should be.
PATIENCE: Final = 2_000.0
#: From this seed on people wish for things as well (the seeds below are as they were when they were recorded).
WISHES: Final = 20_000
#: How a node begins that stops because the same seat was absent in three deals: its people say whether to go on.
ASKS: Final = "three deals were thrown away"


@dataclass(frozen=True)
class Plan:
    """What a seed stands for."""

    seed: int
    mode: str
    pool: int
    noise: bool
    script: Script
    terms: dict[str, Any]
    rest: float  # mean virtual seconds between two troubles
    until: float  # when the trouble ends
    troubles: tuple[str, ...]


def plan(seed: int) -> Plan:
    """Everything about a run but the network's dice."""
    rng = random.Random(f"chaos {seed}")
    mode = rng.choices(("variable", "four-fixed", "duel"), (16, 3, 1))[0]
    noise = rng.random() < 0.25
    script = Script(
        delay=rng.choice(((0.01, 0.05), (0.01, 0.4), (0.2, 1.5))),
        reorder=0.0 if noise else rng.choice((0.0, 0.0, 0.1, 0.4)),
        duplicate=0.0 if noise else rng.choice((0.0, 0.0, 0.1, 0.3)),
        drop=0.0 if noise else rng.choice((0.0, 0.0, 0.02, 0.08)),
    )
    kinds = ("cut", "blind", "split", "lonely", "kill", "crash", "all", "clock")
    chosen = tuple(kind for kind in kinds if rng.random() < (0.25 if kind in ("all", "clock") else 0.6))
    terms: dict[str, Any] = {
        "mode": mode,
        "stake": 10,
        "decision": rng.choice((5, 60)),
        "reserve": rng.choice((0, 120)),
        "grace": rng.choice((10, 90)),
    }
    if mode == "duel":
        terms["bots"] = rng.choice(((0, 2), (1, 3)))
    length = {"variable": 25.0, "four-fixed": 90.0, "duel": 90.0}[mode]
    pool = rng.randrange(POOLS if mode == "variable" else POOLS // 4)
    return Plan(
        seed,
        mode,
        pool,
        noise,
        script,
        terms,
        rest=rng.choice((0.7, 2.0, 5.0)),
        until=rng.uniform(0.4, 1.6) * length,
        troubles=chosen or ("cut",),
    )


class Trouble:
    """Makes it, until the plan's time is over."""

    def __init__(self, world: ChaosWorld, of: Plan) -> None:
        self.world = world
        self.plan = of
        self.rng = random.Random(f"trouble {of.seed}")
        self.made: Counter[str] = Counter()
        self._next()

    def _next(self) -> None:
        self.world.after(self.rng.expovariate(1 / self.plan.rest), self._make)

    def _make(self) -> None:
        world, rng = self.world, self.rng
        if world.now >= self.plan.until:
            return
        kind = rng.choice(self.plan.troubles)
        self.made[kind] += 1
        seat = rng.randrange(4)
        match kind:
            case "cut":
                world.cut(*rng.choice(PAIRS), heal_after=rng.uniform(0.05, 4.0))
            case "blind":
                a, b = rng.sample(SEATS, 2)
                world.half_open(a, b, rng.choice((2.0, 15.0, 30.0)))
            case "split":
                world.partition(set(rng.choice(((0, 1), (0, 2), (0, 3)))), rng.choice((3.0, 20.0, 60.0)))
            case "lonely":
                world.partition({seat}, rng.choice((3.0, 20.0, 60.0)))
            case "kill":
                world.arrives = rng.random() < 0.5
                count = rng.choice((1, 1, 1, 2, 3))
                world.kill_and_restart(tuple(rng.sample(SEATS, count)), rng.choice((0.1, 1.0, 10.0)))
            case "crash":
                if world.nodes[seat].running:
                    world.crash(seat, rng.randrange(1, 12), rng.choice((0.1, 1.0, 10.0)))
            case "all":
                world.kill_and_restart(tuple(rng.sample(SEATS, 4)), rng.choice((0.1, 1.0)))
            case _:
                world.jump(seat, rng.choice((1, 13, -1, -13)) * HOUR)
        self._next()


class Wishes:
    """What people decide meanwhile; nothing of it may hurt anybody honest."""

    def __init__(self, world: ChaosWorld, of: Plan) -> None:
        self.world = world
        self.until = of.until
        self.rng = random.Random(f"wishes {of.seed}")
        self.made = 0
        self._next()

    def _next(self) -> None:
        self.world.after(self.rng.expovariate(1 / 4.0), self._make)

    def _make(self) -> None:
        world, rng = self.world, self.rng
        if world.now >= self.until:
            return
        kind = rng.choice(("agree", "agree", "change", "anew"))
        for seat in rng.sample(SEATS, 1 if kind == "anew" else rng.choice((1, 3, 4, 4))):
            if world.nodes[seat].running:
                wish = effects.DealAnew() if kind == "anew" else effects.VoidHand(kind == "agree")
                self.made += world.act(seat, wish) is None  # refused where no hand is open, or no deal under way
        self._next()


@dataclass(frozen=True)
class Outcome:
    """How a run ended."""

    verdict: Verdict
    deals: int
    virtual: float
    messages: int
    made: Counter[str]
    asked: int  # times that a node stopped to ask its people


def run(of: Plan) -> Outcome:
    """One run; raises ``AssertionError`` where something is wrong."""
    world = ChaosWorld(of.seed, of.script, pool=of.pool, noise=of.noise, call=0.15, **of.terms)
    trouble = Trouble(world, of)
    wishes = Wishes(world, of) if of.seed >= WISHES else None
    world.run(until=of.until)
    world.heal()
    end = world.now + PATIENCE
    asked = 0
    while not world.settled and world.now < end:
        world.run(until=end, stop=lambda: world.settled or bool(world.words))
        for node in world.nodes:
            if node.stopped is not None and node.stopped.reason.startswith(ASKS):
                asked += 1
                world.kill_and_restart((node.seat,))  # "go on"
                node.stopped = None
        if world.words:
            break
    verdict = world.judge()
    deals = len(world.nodes[0].table.match.deals)
    if wishes is not None:
        trouble.made["wish"] = wishes.made
        trouble.made["hand void"] = sum(closed.agreed for closed in world.nodes[0].table.match.closed)
    return Outcome(verdict, deals, world.now, world.watch.messages, trouble.made, asked)


def main(argv: list[str] | None = None) -> int:
    """Run seeds, tell counts and failures."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.run", description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", default="0-99", help="A-B, both included")
    options = parser.parse_args(argv)
    first, _, last = options.seeds.partition("-")
    seeds = range(int(first), int(last or first) + 1)
    failed: list[int] = []
    modes: Counter[str] = Counter()
    made: Counter[str] = Counter()
    messages = again = asked = 0
    begun = time.monotonic()
    for number, seed in enumerate(seeds, 1):
        of = plan(seed)
        try:
            outcome = run(of)
        except Exception as error:
            failed.append(seed)
            where = traceback.extract_tb(error.__traceback__)[-1]
            what = f"{type(error).__name__}: {str(error)[:900]} ({where.name}:{where.lineno})"
            print(f"FAILED {seed} {of.mode}: {what}", flush=True)
        else:
            modes[of.mode + (" over Noise" if of.noise else "")] += 1
            made.update(outcome.made)
            messages += outcome.messages
            asked += outcome.asked
            again += outcome.deals - {"variable": 1}.get(of.mode, 4)
        if number % 100 == 0:
            print(f"{number} of {len(seeds)}, {time.monotonic() - begun:.0f} s, {len(failed)} failed", flush=True)
    print(f"settled: {dict(modes)}")
    print(
        f"troubles: {dict(made)}; messages that arrived: {messages}; deals made again: {again}; "
        f"nodes that asked their people after three of them: {asked}"
    )
    print(f"{len(seeds)} runs, {len(failed)} failed {failed}, {time.monotonic() - begun:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
