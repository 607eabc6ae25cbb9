"""A bot of one's own: derive from Policy, let it play, see how it does.

    python examples/write_a_bot.py
    doko bot check examples.write_a_bot:Miser        (from the top of a checkout)
    doko league examples.write_a_bot:Miser random    (its strength, measured)
"""

import random
from statistics import mean
from typing import ClassVar

from node.bots.levels import level_policy
from node.bots.policy import Policy, plays
from node.bots.single import play_hand
from protocol.cards import CARD_POINTS, DECK
from protocol.rules.acts import Act
from protocol.rules.view import HandView


class Miser(Policy):
    """Says healthy (or names its marriage) and always plays the cheapest card it may."""

    name: ClassVar[str] = "miser"
    version: ClassVar[str] = "1"

    def choose(self, view: HandView, seed: bytes) -> Act:
        cards = plays(view)
        if cards:
            return min(cards, key=lambda play: (CARD_POINTS[play.card], play.card))
        return view.legal[0]  # while bidding: healthy stands first


def main(deals: int = 200) -> None:
    """Two Misers against two random players, forehand changing sides from deal to deal."""
    rng = random.Random(1)
    miser, other = Miser(), level_policy("random")
    points = []
    for deal in range(deals):
        deck = list(DECK)
        rng.shuffle(deck)
        hands = [tuple(deck[12 * p : 12 * p + 12]) for p in range(4)]
        seats = [miser, other, miser, other] if deal % 2 else [other, miser, other, miser]
        _, result = play_hand(seats, hands, [rng.randbytes(32) for _ in range(4)])
        points += [result.points[p] for p in range(4) if seats[p] is miser]
    print(f"{Miser.name}: {mean(points):+.2f} points a hand over {deals} deals against {other.name}")


if __name__ == "__main__":
    main()
