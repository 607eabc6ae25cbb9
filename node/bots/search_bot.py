"""The levels that search: ``intermediate`` and ``strong``."""

from typing import TYPE_CHECKING, ClassVar

from node.bots.bidding import modest_bid
from node.bots.policy import Policy, plays
from node.bots.search import Settings, search_card

if TYPE_CHECKING:
    from protocol.rules.acts import Act
    from protocol.rules.view import HandView


class Searcher(Policy):
    """A policy that tries its cards in sampled worlds."""

    searches: ClassVar[bool] = True
    settings: ClassVar[Settings]

    def choose(self, view: "HandView", seed: bytes) -> "Act":
        acts = plays(view)
        if not acts:
            return modest_bid(view)
        card = search_card(view, tuple(act.card for act in acts), seed, self.settings)
        return next(act for act in acts if act.card == card)


class Intermediate(Searcher):
    """16 worlds."""

    name: ClassVar[str] = "intermediate"
    version: ClassVar[str] = "1"
    settings: ClassVar[Settings] = Settings(16)


class Strong(Searcher):
    """160 worlds and slightly odd playouts."""

    name: ClassVar[str] = "strong"
    version: ClassVar[str] = "1"
    settings: ClassVar[Settings] = Settings(160, odd=16)
