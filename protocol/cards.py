"""Cards: 24 types, each twice in the deck of 48 (RULES.md R1, R2).

A card is its type ``k = 6 * suit + rank``, an ``int`` in ``range(24)``; the two copies of a type are
interchangeable in every rule, so nothing ever tells them apart.

>>> parse_card("CQ"), card_name(6 * HEARTS + TEN)
(3, 'HT')
>>> sum(CARD_POINTS[k] for k in DECK)
240
"""

from collections.abc import Iterable
from typing import Final

CLUBS: Final = 0
SPADES: Final = 1
HEARTS: Final = 2
DIAMONDS: Final = 3
SUIT_LETTERS: Final = "CSHD"

ACE: Final = 0
TEN: Final = 1
KING: Final = 2
QUEEN: Final = 3
JACK: Final = 4
NINE: Final = 5
RANK_LETTERS: Final = "ATKQJ9"

TYPES: Final = 24
HAND_SIZE: Final = 12
PLAYERS: Final = 4

SUIT_OF: Final = tuple(k // 6 for k in range(TYPES))
RANK_OF: Final = tuple(k % 6 for k in range(TYPES))
#: Card points ("Augen") of each type; 240 in the whole deck (R1).
CARD_POINTS: Final = tuple((11, 10, 4, 3, 2, 0)[k % 6] for k in range(TYPES))
CARD_NAMES: Final = tuple(s + r for s in SUIT_LETTERS for r in RANK_LETTERS)
#: The whole deck as types, each twice, ascending.
DECK: Final = tuple(k for k in range(TYPES) for _ in range(2))

CLUB_QUEEN: Final = 3
HEART_TEN: Final = 13
CLUB_JACK: Final = 4
DIAMOND_ACE: Final = 18

_BY_NAME: Final = {name: k for k, name in enumerate(CARD_NAMES)}


def card_name(card: int) -> str:
    """The two-letter name of a type (R2), ``IndexError`` outside ``range(24)``."""
    if card < 0:
        raise IndexError(card)
    return CARD_NAMES[card]


def parse_card(name: str) -> int:
    """The type that *name* denotes (R2); ``ValueError`` with a text for people if there is none."""
    try:
        return _BY_NAME[name]
    except (KeyError, TypeError):
        raise ValueError(f"{name!r} is not a card; a card is a suit letter of CSHD and a rank of ATKQJ9") from None


def format_cards(cards: Iterable[int]) -> str:
    """Names joined by blanks, as hand records write a hand."""
    return " ".join(CARD_NAMES[k] for k in cards)


def parse_cards(text: str) -> tuple[int, ...]:
    """The inverse of :func:`format_cards`; ``ValueError`` names the first word that is no card."""
    return tuple(parse_card(word) for word in text.split())
