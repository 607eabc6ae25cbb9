"""Does ``strong`` always answer in time?  ``python -m tests.bench.bench_deadline --hands 1000``.

Whole hands (bids, calls, cards) in which one position, another one every hand, thinks as at a table: in a worker
process with a deadline, the ``beginner``'s rules behind it.  The three others are ``beginner``.  Every second hand is a
duel with the thinker as a computer.  Measured by the clock on the wall, for every bid, call and card:

    late         answers after the deadline (with the time it takes to fall back: the deadline and *grace* seconds)
    fallbacks    decisions that the rules made because the time was up
    ms           median, 99 %, worst
"""

import argparse
import json
import random
import time
from collections.abc import Callable
from typing import TypeVar

from node.bots.beginner import Beginner
from node.bots.policy import Policy
from node.bots.single import play_hand
from node.bots.worker import SECONDS, WorkerPool
from protocol.rules.acts import Act
from protocol.rules.calls import CallKind
from protocol.rules.hand import HandRules
from protocol.rules.view import HandView
from tests.bots.deals import deal, duel_deal

T = TypeVar("T")


class Timed(Policy):
    """Another policy and how long each of its answers took (seconds)."""

    def __init__(self, inner: Policy) -> None:
        self.name, self.version, self._inner = inner.name, inner.version, inner  # type: ignore[misc]
        self.times: list[float] = []

    def _measured(self, ask: Callable[[HandView, bytes], T], view: HandView, seed: bytes) -> T:
        began = time.monotonic()
        answer = ask(view, seed)
        self.times.append(time.monotonic() - began)
        return answer

    def choose(self, view: HandView, seed: bytes) -> Act:
        return self._measured(self._inner.choose, view, seed)

    def call(self, view: HandView, seed: bytes) -> CallKind | None:
        return self._measured(self._inner.call, view, seed)


def measure(hands: int, level: str, deadline: float, grace: float, seed: int) -> dict[str, object]:
    """The figures of *hands* hands."""
    rng = random.Random(f"deadline {seed}")
    rules = Beginner()
    began = time.monotonic()
    with WorkerPool(1) as pool:
        pool.warm_up()
        thinker = Timed(pool.policy(level, deadline))
        for number in range(hands):
            position = number // 2 % 4
            people = ((position + 1) % 4, (position + 3) % 4)
            duel = (min(people), max(people)) if number % 2 else None
            cards = duel_deal(rng, duel) if duel else deal(rng)
            policies: list[Policy] = [rules] * 4
            policies[position] = thinker
            play_hand(policies, cards, [rng.randbytes(32) for _position in range(4)], HandRules(duel=duel))
        fallbacks, restarts = pool.statistics.fallbacks, pool.statistics.restarts
    ordered = sorted(thinker.times)
    return {
        "hands": hands,
        "level": level,
        "deadline_s": deadline,
        "answers": len(ordered),
        "late": sum(took > deadline + grace for took in ordered),
        "fallbacks": fallbacks,
        "workers_replaced": restarts,
        "ms_median": round(1000 * ordered[len(ordered) // 2], 1),
        "ms_99": round(1000 * ordered[len(ordered) * 99 // 100], 1),
        "ms_worst": round(1000 * ordered[-1], 1),
        "seconds": round(time.monotonic() - began, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hands", type=int, default=1000)
    parser.add_argument("--level", default="strong")
    parser.add_argument("--deadline", type=float, default=SECONDS, help="seconds a decision may take")
    parser.add_argument("--grace", type=float, default=0.1, help="seconds to fall back in")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(json.dumps(measure(options.hands, options.level, options.deadline, options.grace, options.seed)))


if __name__ == "__main__":
    main()
