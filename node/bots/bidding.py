"""Bids that need no judgement: the marriage, and what a duel obliges a computer to say (R8, R10, R34)."""

from typing import TYPE_CHECKING

from protocol.cards import CLUB_QUEEN
from protocol.rules.acts import Act, Healthy, Marry, Name, Reserve
from protocol.rules.contracts import Contract

if TYPE_CHECKING:
    from protocol.rules.view import HandView


def modest_bid(view: "HandView") -> Act:
    """The bid of one who never plays a solo: a marriage with both club queens, else healthy.

    In a duel that is exactly what a computer must say (R34).
    """
    both = view.dealt.count(CLUB_QUEEN) == 2
    for act in view.legal:
        if isinstance(act, Reserve) and both:
            return act
        if isinstance(act, Healthy) and not both:
            return act
        if isinstance(act, Marry) or (isinstance(act, Name) and act.contract is Contract.MARRIAGE):
            return act
    return view.legal[0]


def bid_for(view: "HandView", wanted: Contract | None) -> Act:
    """The act now that leads to *wanted*: a solo, the marriage, or (``None``) the normal game.

    Falls back to the first legal act where the rules leave no such choice, so the answer is always legal.
    """
    for act in view.legal:
        if isinstance(act, Reserve) and wanted is not None:
            return act
        if isinstance(act, Healthy) and wanted is None:
            return act
        if isinstance(act, Marry) or (isinstance(act, Name) and act.contract is wanted):
            return act
    return modest_bid(view)
