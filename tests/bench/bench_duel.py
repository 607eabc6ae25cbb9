"""What a duel costs: ``python -m tests.bench.bench_duel``.

Two figures, both in CPU seconds of this thread, so other processes disturb them little:

* a deal, from the first COMMIT to the cards in hand, one node's share of it: ordinary, and of a duel per attempt (with
  markers, TEST and TESTOPEN; thrown-away attempts cost a deal without SHARES);
* a duel table of the level *LEVEL* as a host of both computers pays for it: deals, proofs and choices of four hands.
  From that and the time people take to play a hand follows how many such tables one core serves.

The four nodes of a table run in one process over the tests' scripted network (:mod:`tests.table.net`); a node's share
of a deal is a quarter.
"""

import argparse
import json
import statistics
import time
from typing import Any

from node.bots.levels import level_policy
from node.players import command_of
from protocol.table.deal_phase import DealState
from protocol.table.effects import Command
from tests.table.net import Node, RandomPlayer, World, chain_of

#: People take about this long for a hand at a table (seconds); a hand played in a hurry takes half of it.
HAND_S = 150.0


def deal_seconds(seed: int, mode: str) -> tuple[float, int]:
    """CPU of one first deal up to SHARES and forehand, all four nodes together, and how many attempts it took."""
    bots = (1, 3) if mode == "duel" else ()
    begun = time.thread_time()
    world = World(seed, mode=mode, stake=10, bots=bots, players=lambda seat: None)
    world.run(stop=lambda: all(_dealt(node) for node in world.nodes))
    spent = time.thread_time() - begun
    deals = world.nodes[0].table.match.deals
    tried = 1 + sum(deal.state is DealState.AGAIN for deal in deals.values())
    return spent, tried


def _dealt(node: Node) -> bool:
    hand = node.table.match.hand
    return hand is not None and hand.state is not None


class Timed(RandomPlayer):
    """A level that plays a seat; *thought*: CPU seconds of its decisions so far."""

    def __init__(self, seat: int, level: str) -> None:
        super().__init__(seat)
        self.policy = level_policy(level)
        self.chain = chain_of(seat)
        self.thought = 0.0

    def __call__(self, node: Node) -> Command | None:
        view = node.table.view(node.world.now)
        if view.question is None or view.hand is None:
            return view.question.commands[0] if view.question is not None else None
        begun = time.thread_time()
        act = self.policy.choose(view.hand, self.chain.seed(view.deal.deal))
        self.thought += time.thread_time() - begun
        return command_of(act)

    def calls(self, node: Node) -> None:
        return None


def table_seconds(seed: int, level: str) -> tuple[float, float, int]:
    """CPU of a duel match: (one node's share without thinking, one computer's thinking, hands dealt)."""
    players: dict[int, Timed] = {}

    def make(seat: int) -> RandomPlayer:
        players[seat] = Timed(seat, level if seat in (1, 3) else "random")
        return players[seat]

    begun = time.thread_time()
    world = World(seed, mode="duel", stake=10, bots=(1, 3), players=make)
    world.run()
    assert world.settled, world.describe()
    spent = time.thread_time() - begun
    thought = sum(player.thought for player in players.values())
    return (spent - thought) / 4, (players[1].thought + players[3].thought) / 2, len(world.nodes[0].table.match.closed)


def measure(rounds: int, tables: int, level: str) -> dict[str, Any]:
    """All figures."""
    deal_seconds(1, "variable")  # loads libraries, makes the fixed points
    ordinary, duel = [], []
    for n in range(rounds):
        ordinary.append(deal_seconds(100 + n, "variable")[0] / 4)
        spent, tried = deal_seconds(200 + n, "duel")
        duel.append(spent / tried / 4)
    shares, thinking, hands = [], [], 0
    for n in range(tables):
        share, thought, played = table_seconds(300 + n, level)
        shares.append(share)
        thinking.append(thought)
        hands += played
    both = 2 * (sum(shares) + sum(thinking)) / hands if hands else 0.0
    return {
        "rounds": rounds,
        "ordinary_deal_ms": round(1000 * statistics.median(ordinary), 1),
        "duel_attempt_ms": round(1000 * statistics.median(duel), 1),
        "ratio": round(statistics.median(duel) / statistics.median(ordinary), 3),
        "level": level,
        "tables": tables,
        "hand_ms_two_computers": round(1000 * both, 1),
        "of_it_thinking_ms": round(1000 * 2 * sum(thinking) / hands, 1) if hands else 0.0,
        "tables_a_core": int(HAND_S / both) if both else 0,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=12, help="deals of each kind")
    parser.add_argument("--tables", type=int, default=2, help="duel matches")
    parser.add_argument("--level", default="intermediate")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = measure(options.rounds, options.tables, options.level)
    if options.json:
        print(json.dumps(found))
        return
    print(f"an ordinary deal, one node        {found['ordinary_deal_ms']:8.1f} ms of CPU")
    print(f"an attempt at a duel's deal       {found['duel_attempt_ms']:8.1f} ms of CPU")
    print(f"ratio                             {found['ratio']:8.3f}")
    print(f"a duel hand, two {found['level']} computers {found['hand_ms_two_computers']:8.1f} ms of CPU")
    print(f"of it thinking                    {found['of_it_thinking_ms']:8.1f} ms")
    print(f"tables that one core keeps up with at {HAND_S:.0f} s a hand: {found['tables_a_core']}")


if __name__ == "__main__":
    main()
