"""The fast core: hands as bit masks and a whole hand played out by rules in well under a tenth of a millisecond.

The engine in :mod:`protocol.rules` is what counts; this is the same game in the form that search needs, and the tests
hold the two together.  Only the play of cards and the score are here; bids and calls are given.

**Cards.**  Within one contract every card type has a class (0..3 plain suits, 4 trump) and a strength in that class,
0 the lowest.  Its *code* is ``32 * class + 2 * strength``; the odd code after it is the second copy.  A hand is five
masks, one per class, with bit ``2 * strength`` (and the next one) set for the cards held; all hands of a deal lie in
one list of 20 integers, ``hands[5 * player + class]``.  Trumps are at most 26 bits, so every mask is a small integer,
the highest card is ``bit_length`` away and the lowest ``mask & -mask``.

**Power.**  What beats what: ``code >> 1 & 15`` within the led suit, 64 more for trumps; a later card wins only with a
greater power, so the first of two equal cards stands (R6).
"""

from dataclasses import dataclass
from functools import cache
from typing import Final

from protocol.cards import ACE, CARD_POINTS, HEART_TEN, JACK, KING, NINE, QUEEN, TEN, TYPES

TRUMP: Final = 4
#: Power of a trump above that of a plain card.
LIFT: Final = 64


@dataclass(frozen=True, slots=True)
class Layout:
    """One contract's cards as codes and masks; equal for contracts with the same trumps."""

    code: tuple[int, ...]  # by card type: the code of its first copy
    card: tuple[int, ...]  # by code: the card type, -1 where there is none
    points: tuple[int, ...]  # by code: card points
    power: tuple[int, ...]  # by code: what beats what
    plain: tuple[int, ...]  # the plain suits that exist
    ace: tuple[int, ...]  # by class: mask of the aces of a plain suit, 0 for trump
    ten: tuple[int, ...]  # by class: mask of the tens of a plain suit, 0 for trump
    count: tuple[int, ...]  # by class: cards in the deck
    heart_ten: int  # masks in the trump class, 0 where they are no trumps
    queens: int
    jacks: int
    rich: int  # ace and ten of the trump suit
    king: int
    nine: int
    club_queen: int  # codes
    fox: int  # code of DA where it is a trump (special points), else -1
    charlie: int  # code of CJ where it is a trump, else -1


def _trumps(contract: str) -> list[int]:
    """Trump types, low to high (R3 to R5)."""
    queens = [6 * suit + QUEEN for suit in (3, 2, 1, 0)]
    jacks = [6 * suit + JACK for suit in (3, 2, 1, 0)]
    if contract == "solo-queens":
        return queens
    if contract == "solo-jacks":
        return jacks
    if contract == "solo-aces":
        return []
    suit = {"solo-clubs": 0, "solo-spades": 1, "solo-hearts": 2}.get(contract, 3)
    low = [6 * suit + rank for rank in (NINE, KING, TEN, ACE) if 6 * suit + rank != HEART_TEN]
    return [*low, *jacks, *queens, HEART_TEN]


@cache
def layout(contract: str) -> Layout:
    """The layout of a contract by its name (``"normal"``, ``"solo-queens"`` ...)."""
    trumps = _trumps(contract)
    code = [0] * TYPES
    card, points, power = [-1] * 160, [0] * 160, [0] * 160
    ace, ten, count = [0] * 5, [0] * 5, [0] * 5
    ranks: list[list[int]] = [[], [], [], [], trumps]
    for rank in (NINE, JACK, QUEEN, KING, TEN, ACE):
        for suit in range(4):
            if 6 * suit + rank not in trumps:
                ranks[suit].append(6 * suit + rank)
    for cls, members in enumerate(ranks):
        count[cls] = 2 * len(members)
        for strength, kind in enumerate(members):
            code[kind] = 32 * cls + 2 * strength
            for copy in (0, 1):
                at = code[kind] + copy
                card[at], points[at] = kind, CARD_POINTS[kind]
                power[at] = strength + (LIFT if cls == TRUMP else 0)
            if cls != TRUMP and kind % 6 == ACE:
                ace[cls] = 3 << 2 * strength
            if cls != TRUMP and kind % 6 == TEN:
                ten[cls] = 3 << 2 * strength

    def mask(*kinds: int) -> int:
        return sum(3 << (code[kind] & 31) for kind in kinds if kind in trumps)

    suit = {"solo-clubs": 0, "solo-spades": 1, "solo-hearts": 2}.get(contract, 3)
    return Layout(
        code=tuple(code),
        card=tuple(card),
        points=tuple(points),
        power=tuple(power),
        plain=tuple(suit for suit in range(4) if count[suit]),
        ace=tuple(ace),
        ten=tuple(ten),
        count=tuple(count),
        heart_ten=mask(HEART_TEN),
        queens=mask(*(6 * s + QUEEN for s in range(4))),
        jacks=mask(*(6 * s + JACK for s in range(4))),
        rich=mask(*(6 * suit + rank for rank in (ACE, TEN) if 6 * suit + rank != HEART_TEN)),
        king=mask(6 * suit + KING),
        nine=mask(6 * suit + NINE),
        club_queen=code[QUEEN],
        fox=code[18] if 18 in trumps and suit == 3 else -1,
        charlie=code[JACK] if JACK in trumps else -1,
    )
