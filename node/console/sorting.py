"""In which order a hand lies in the fan.

An order depends on the contract (what is trump moves together) and is *stable*: playing a card never moves the others,
because equal contracts sort equal cards equally.
"""

from collections.abc import Iterable
from typing import Final

from protocol.cards import SUIT_OF
from protocol.rules.contracts import TRUMP, Contract, card_class, strength

#: Orders by the name of the setting; the labels are in :data:`node.console.keys.SETTING_LABELS`.
ORDERS: Final = ("trumps-first", "trumps-last", "by-suit")
# Plain suits lie black, red, black, red so that neighbours differ in two colours too: clubs, hearts, spades, diamonds.
_SUIT_PLACE: Final = (0, 2, 1, 3)


def sorted_hand(cards: Iterable[int], contract: Contract, order: str) -> tuple[int, ...]:
    """*cards* in the given order, high cards to the left.

    >>> from protocol.cards import format_cards, parse_cards
    >>> hand = parse_cards("D9 CA HT SK CQ")
    >>> format_cards(sorted_hand(hand, Contract.NORMAL, "trumps-first"))
    'HT CQ D9 CA SK'
    >>> format_cards(sorted_hand(hand, Contract.SOLO_ACES, "trumps-first"))
    'CA CQ HT SK D9'
    """

    def place(card: int) -> tuple[int, int]:
        cls = card_class(contract, card)
        if order == "by-suit":
            group = _SUIT_PLACE[SUIT_OF[card]]
        elif cls == TRUMP:
            group = -1 if order == "trumps-first" else 4
        else:
            group = _SUIT_PLACE[cls]
        return group, -strength(contract, card)

    return tuple(sorted(cards, key=place))
