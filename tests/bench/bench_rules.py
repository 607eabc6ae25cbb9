"""Replaying hand records against reading the same text: ``python -m tests.bench.bench_rules``.

The records are the five real games of the rules' tests.  Each round reads them with ``json.loads`` alone and then
replays them from text to the outcome, in turn and in the same process; times are of this thread's CPU, the least of all
rounds, which other processes disturb least.

    hands/s      records a second from text to outcome
    ratio        time of that / time of json.loads of the same text
"""

import argparse
import json
import random
import time
from collections.abc import Callable
from pathlib import Path

from protocol.cards import DECK
from protocol.rules.hand import HandRules, HandState, Healthy, Phase, Play, apply, digest, legal_cards, push, start
from protocol.rules.record import Replay, loads, outcome, replay

GAMES = Path(__file__).parent.parent / "rules" / "real_games.json"


def least(work: Callable[[], object], rounds: int) -> float:
    """Seconds of CPU of the fastest round."""
    times = []
    for _ in range(rounds):
        begun = time.thread_time()
        work()
        times.append(time.thread_time() - begun)
    return min(times)


def playout(rnd: random.Random, deck: list[int]) -> HandState:
    """A random hand in place, as a search plays it."""
    rnd.shuffle(deck)
    state = start(HandRules(), [deck[12 * p : 12 * p + 12] for p in range(4)])
    for player in range(4):
        push(state, Healthy(player))
    while state.phase is Phase.PLAY:
        assert state.turn is not None
        push(state, Play(state.turn, rnd.choice(legal_cards(state))))
    return state


def measure(repeat: int, rounds: int) -> dict[str, float]:
    texts = [json.dumps(game["record"]) for game in json.loads(GAMES.read_text())] * repeat
    records = [loads(text) for text in texts]
    count = len(texts)
    only_json = least(lambda: [json.loads(text) for text in texts], rounds)
    whole = least(lambda: [outcome(replay(loads(text))) for text in texts], rounds)
    engine = least(lambda: [replay(record) for record in records], rounds)
    deck = list(DECK)
    rnd = random.Random(1)
    hands = least(lambda: [playout(rnd, deck) for _ in range(count)], rounds)
    state = start(HandRules(), records[0].hands)
    for player in range(4):
        state = apply(state, Healthy(player))
    card = Play(0, legal_cards(state)[0])
    copies = least(lambda: [apply(state, card) for _ in range(1000)], rounds)
    end: Replay = replay(records[0])
    digests = least(lambda: [digest(end.state) for _ in range(1000)], rounds)
    return {
        "hands/s": round(count / whole),
        "ratio": round(whole / only_json, 1),
        "engine hands/s": round(count / engine),
        "random hands/s": round(count / hands),
        "apply us": round(copies * 1e3, 2),
        "digest us": round(digests * 1e3, 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--repeat", type=int, default=40, help="how often each of the five records is read a round")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    figures = measure(args.repeat, args.rounds)
    if args.json:
        print(json.dumps(figures))
        return
    for name, figure in figures.items():
        print(f"{name:16} {figure:>10}")


if __name__ == "__main__":
    main()
