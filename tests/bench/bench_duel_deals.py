"""How many deals a duel's deal takes, and whether throwing deals away favours anybody.

``python -m tests.bench.bench_duel_deals`` simulates 10,000 deals that are played: each attempt orders the deck by four
secret permutations, one after another, each drawn as a node draws its own (48 cards, 12 to a seat), and is thrown away
if both people or both computers hold one club queen (R34).  Then the nodes' own test, with its proofs, is held against
the plain rule on *proofs* further decks.

    attempts       mean; 47/35 = 1.343 is expected, within 3 %
    chi-square     where the club queens lie (48 places, 4 seats), where each of the 24 cards lies in a hand (12 places,
                   worst of 24), who holds the queens in a normal game (4 pairs), who has both (4 players);
                   in brackets the bound that chance exceeds once in a thousand times

The exit code is 1 if anything is outside.
"""

import argparse
import json
import random
import sys
from statistics import mean
from typing import Any

from protocol.cards import CLUB_QUEEN, DECK, TYPES
from protocol.deal.shuffle_proof import random_permutation
from tests.deal.helpers import Stream, dealt
from tests.deal.test_duel import run
from tests.deal.test_duel_chance import CHI_SQUARE, COMPUTERS, HUMANS, allowed, chi_square, deal, markers

EXPECTED = 47 / 35
WITHIN = 0.03


def shuffled(rand: Stream) -> list[list[int]]:
    """An attempt: the deck after the permutations of four nodes, cut into hands."""
    cards = list(DECK)
    for _node in range(4):
        order = random_permutation(len(cards), rand)
        cards = [cards[place] for place in order]
    return [cards[12 * seat : 12 * seat + 12] for seat in range(4)]


def simulate(deals: int, seed: str) -> dict[str, Any]:
    """So many deals that are played."""
    rand = Stream(f"duel deals {seed}")
    attempts: list[int] = []
    slots, seats = [0] * 48, [0] * 4
    places = [[0] * 12 for _card in range(TYPES)]
    pairs = {(human, computer): 0 for human in HUMANS for computer in COMPUTERS}
    both = [0] * 4
    for _deal in range(deals):
        count = 1
        while not allowed(hands := shuffled(rand)):
            count += 1
        attempts.append(count)
        for seat, hand in enumerate(hands):
            for place, card in enumerate(hand):
                places[card][place] += 1
                if card == CLUB_QUEEN:
                    slots[12 * seat + place] += 1
                    seats[seat] += 1
        queens = [hand.count(CLUB_QUEEN) for hand in hands]
        if max(queens) == 2:
            both[queens.index(2)] += 1
        else:
            human, computer = (next(seat for seat in pair if queens[seat]) for pair in (HUMANS, COMPUTERS))
            pairs[human, computer] += 1
    return {
        "deals": deals,
        "attempts": sum(attempts),
        "mean_attempts": round(mean(attempts), 4),
        "off_percent": round(100 * (mean(attempts) / EXPECTED - 1), 2),
        "chi_square": {
            "queens by place": [round(chi_square(slots), 1), CHI_SQUARE[47]],
            "queens by seat": [round(chi_square(seats), 1), CHI_SQUARE[3]],
            # 11 degrees of freedom at 1 in 24,000: the worst of 24 is beyond it once in a thousand times
            "cards in a hand, worst": [round(max(map(chi_square, places)), 1), 40.0],
            "pairs": [round(chi_square(list(pairs.values())), 1), CHI_SQUARE[3]],
            "both queens": [round(chi_square(both), 1), CHI_SQUARE[3]],
        },
    }


def with_proofs(decks: int) -> int:
    """On how many of so many decks the nodes' test and the plain rule agree."""
    d, rand, rng = dealt(2), Stream("sample with proofs"), random.Random("sample with proofs")
    agreed = 0
    for _deck in range(decks):
        hands = deal(rng)
        agreed += run(d, markers(hands, d.key, rand))[0] == allowed(hands)
    return agreed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deals", type=int, default=10_000)
    parser.add_argument("--proofs", type=int, default=100)
    parser.add_argument("--seed", default="1")
    options = parser.parse_args()
    found = simulate(options.deals, options.seed)
    found["decks_with_proofs"] = options.proofs
    found["of_them_agree"] = with_proofs(options.proofs)
    print(json.dumps(found))
    good = abs(found["off_percent"]) <= 100 * WITHIN and found["of_them_agree"] == options.proofs
    sys.exit(0 if good and all(value < bound for value, bound in found["chi_square"].values()) else 1)


if __name__ == "__main__":
    main()
