"""The levels that search: ``intermediate`` and ``strong``."""

from typing import TYPE_CHECKING, ClassVar

from node.bots.announce import TUNED, Thresholds, wanted_call, wanted_contract, win_percent
from node.bots.bidding import bid_for
from node.bots.policy import Policy, plays
from node.bots.search import Settings, search_card

if TYPE_CHECKING:
    from protocol.rules.acts import Act
    from protocol.rules.calls import CallKind
    from protocol.rules.view import HandView


class Searcher(Policy):
    """A policy that tries its cards in sampled worlds."""

    searches: ClassVar[bool] = True
    settings: ClassVar[Settings]
    limits: ClassVar[Thresholds]

    def choose(self, view: "HandView", seed: bytes) -> "Act":
        acts = plays(view)
        if not acts:
            return bid_for(view, wanted_contract(view, seed, self.limits))
        card = search_card(view, tuple(act.card for act in acts), seed, self.settings)
        return next(act for act in acts if act.card == card)

    def call(self, view: "HandView", seed: bytes) -> "CallKind | None":
        return wanted_call(view, seed, self.limits)

    def forecast(self, view: "HandView", seed: bytes) -> int | None:
        return win_percent(view, seed, self.limits)


class Intermediate(Searcher):
    """16 worlds."""

    name: ClassVar[str] = "intermediate"
    version: ClassVar[str] = "1"
    settings: ClassVar[Settings] = Settings(16)
    #: Few worlds are noise, and the luckiest solo of several looks better than it is: it asks for more.
    limits: ClassVar[Thresholds] = Thresholds(worlds=24, glance=35, solo_gain=150, solo_won=65)


class Strong(Searcher):
    """160 of the more plausible worlds, slightly odd playouts, solos and calls from sampled worlds."""

    name: ClassVar[str] = "strong"
    version: ClassVar[str] = "2"
    settings: ClassVar[Settings] = Settings(160, odd=True, draws=4)
    limits: ClassVar[Thresholds] = TUNED
