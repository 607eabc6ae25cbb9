"""Contracts, and what each makes of the 24 card types: classes to follow, and which card wins (R3..R6, R11).

Every contract splits the types into *classes*: the trumps and up to four plain suits.  A class is what a lead obliges
the others to follow (R13).

>>> from protocol.cards import parse_card, format_cards
>>> card_class(Contract.NORMAL, parse_card("HT")) == TRUMP, card_class(Contract.SOLO_QUEENS, parse_card("HT"))
(True, 2)
>>> format_cards(class_members(Contract.SOLO_JACKS, TRUMP))
'CJ SJ HJ DJ'
>>> trick_winner(Contract.NORMAL, [parse_card(c) for c in ("CA", "CT", "D9", "CA")])
2
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from protocol.cards import (
    CLUBS,
    DIAMONDS,
    HEART_TEN,
    HEARTS,
    JACK,
    QUEEN,
    RANK_OF,
    SPADES,
    SUIT_OF,
    TYPES,
)


class Contract(StrEnum):
    """The game that is played; the values are those of hand records."""

    NORMAL = "normal"
    MARRIAGE = "marriage"
    SILENT_SOLO = "silent-solo"
    SOLO_CLUBS = "solo-clubs"
    SOLO_SPADES = "solo-spades"
    SOLO_HEARTS = "solo-hearts"
    SOLO_DIAMONDS = "solo-diamonds"
    SOLO_QUEENS = "solo-queens"
    SOLO_JACKS = "solo-jacks"
    SOLO_ACES = "solo-aces"


#: The seven solos one can name, in the order in which menus and records list them.
SOLOS: Final = (
    Contract.SOLO_CLUBS,
    Contract.SOLO_SPADES,
    Contract.SOLO_HEARTS,
    Contract.SOLO_DIAMONDS,
    Contract.SOLO_QUEENS,
    Contract.SOLO_JACKS,
    Contract.SOLO_ACES,
)

#: The class of the trumps; classes 0..3 are the plain suits in the order of :mod:`protocol.cards`.
TRUMP: Final = 4
CLASSES: Final = 5

_TRUMP_SUIT: Final = {
    Contract.SOLO_CLUBS: CLUBS,
    Contract.SOLO_SPADES: SPADES,
    Contract.SOLO_HEARTS: HEARTS,
}


def _trumps(contract: Contract) -> tuple[int, ...]:
    """The trump types of *contract* from high to low (R3..R5)."""
    queens = tuple(6 * suit + QUEEN for suit in range(4))
    jacks = tuple(6 * suit + JACK for suit in range(4))
    if contract is Contract.SOLO_ACES:
        return ()
    if contract is Contract.SOLO_QUEENS:
        return queens
    if contract is Contract.SOLO_JACKS:
        return jacks
    suit = _TRUMP_SUIT.get(contract, DIAMONDS)
    pictures = (HEART_TEN, *queens, *jacks)
    return pictures + tuple(k for k in range(6 * suit, 6 * suit + 6) if k not in pictures)


def _tables(contract: Contract) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Class and strength of the 24 types.  Plain strengths are 1..6, trumps start at 7; ties are equal types (R6)."""
    trumps = _trumps(contract)
    classes = tuple(TRUMP if k in trumps else SUIT_OF[k] for k in range(TYPES))
    strengths = tuple(6 + len(trumps) - trumps.index(k) if k in trumps else 6 - RANK_OF[k] for k in range(TYPES))
    return classes, strengths


_BOTH: Final = {contract: _tables(contract) for contract in Contract}
#: contract -> class of each type.
CLASS_TABLE: Final = {contract: both[0] for contract, both in _BOTH.items()}
_STRENGTH: Final = {contract: both[1] for contract, both in _BOTH.items()}
_MEMBERS: Final = {
    contract: tuple(
        tuple(sorted((k for k in range(TYPES) if table[k] == cls), key=lambda k: (-_STRENGTH[contract][k], k)))
        for cls in range(CLASSES)
    )
    for contract, table in CLASS_TABLE.items()
}
#: contract -> led class -> what each type is worth in such a trick: 0 cannot win, else the higher the better.
POWER_TABLE: Final = {
    contract: tuple(
        tuple(_STRENGTH[contract][k] if table[k] in (led, TRUMP) else 0 for k in range(TYPES))
        for led in range(CLASSES)
    )
    for contract, table in CLASS_TABLE.items()
}
#: contract -> class -> the types of the class as a hand mask (two bits a type, see ``protocol.rules.state``).
MASK_TABLE: Final = {
    contract: tuple(sum(3 << 2 * k for k in members) for members in _MEMBERS[contract]) for contract in Contract
}


def card_class(contract: Contract, card: int) -> int:
    """The class of a type under *contract*: its suit 0..3, or :data:`TRUMP`."""
    return CLASS_TABLE[contract][card]


def class_members(contract: Contract, cls: int) -> tuple[int, ...]:
    """The types of a class from high to low; empty for trump in an aces solo and for a suit that is all trump."""
    return _MEMBERS[contract][cls]


def strength(contract: Contract, card: int) -> int:
    """A number that orders the types within one class, and puts every trump above every plain card."""
    return _STRENGTH[contract][card]


def trick_winner(contract: Contract, cards: Sequence[int]) -> int:
    """Index in *cards* (in the order played, one to four) of the card that wins so far (R6, R14)."""
    power = POWER_TABLE[contract][CLASS_TABLE[contract][cards[0]]]
    best = 0
    for index in range(1, len(cards)):
        if power[cards[index]] > power[cards[best]]:
            best = index
    return best


def soloist_contract(contract: Contract) -> bool:
    """Is *contract* one of the seven solos that are named (not the silent one)?"""
    return contract in _SOLO_SET


_SOLO_SET: Final = frozenset(SOLOS)
