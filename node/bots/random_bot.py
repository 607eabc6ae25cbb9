"""The level ``random``: any legal card, no calls, no solos."""

from typing import TYPE_CHECKING, ClassVar

from node.bots.bidding import modest_bid
from node.bots.chance import decision_chance
from node.bots.policy import Policy, plays

if TYPE_CHECKING:
    from protocol.rules.acts import Act
    from protocol.rules.view import HandView


class RandomBot(Policy):
    """Plays a legal card at random; announces a marriage when it holds one, and nothing else."""

    name: ClassVar[str] = "random"
    version: ClassVar[str] = "1"

    def choose(self, view: "HandView", seed: bytes) -> "Act":
        cards = plays(view)
        if not cards:
            return modest_bid(view)
        if len(cards) == 1:
            return cards[0]
        return cards[decision_chance(view, seed).below(len(cards))]
