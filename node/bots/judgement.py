"""Judging twelve cards by counting: chances in percent, as integers.

The weights are least-squares fits over hands that four rule players played out (20,000 deals for the normal game, 2,500
good hands for each solo), rounded.  They serve the level ``beginner`` and tell the searching levels which bids are
worth a closer look.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from node.bots.core import TRUMP, layout
from node.bots.scene import put_hand
from protocol.cards import CLUB_QUEEN, HEART_TEN
from protocol.rules.contracts import SOLOS, Contract

if TYPE_CHECKING:
    from protocol.rules.view import HandView

#: Percent for HT, SQ, HQ, DQ, each jack, DA or DT, DK or D9, an ace in a short suit, a void suit.
_RE: Final = (20, 11, 8, 7, 6, 4, 4, 5, 13)
_KONTRA: Final = (19, 10, 8, 7, 5, 4, 4, 5, 14)
_RE_BASE: Final = 8
_KONTRA_BASE: Final = -17

_SUIT_SOLOS: Final = (Contract.SOLO_CLUBS, Contract.SOLO_SPADES, Contract.SOLO_HEARTS, Contract.SOLO_DIAMONDS)
#: Tenths of a percent: base, each trump, each of the two highest types, strength, aces, guarded tens, losers, forehand.
_SUIT_SOLO: Final = (-50, -40, 170, 12, -100, -180, -270, 70)
_PICTURE_SOLO: Final = (-9, -26, -48, 73, 78, -47, -109, -27)
_ACES_SOLO: Final = (13, 0, 0, 0, 157, 82, -79, -65)


def win_chance(cards: Sequence[int]) -> int:
    """Chance in percent (not clipped) that the side of one who was dealt *cards* wins a normal game."""
    count = [0] * 24
    for card in cards:
        count[card] += 1
    re = count[CLUB_QUEEN] > 0
    short_aces = voids = 0
    for suit in range(3):
        length = count[6 * suit] + count[6 * suit + 1] * (6 * suit + 1 != HEART_TEN)
        length += count[6 * suit + 2] + count[6 * suit + 5]
        short_aces += count[6 * suit] > 0 and length <= (3 if suit == 2 else 4)
        voids += not length
    amounts = (
        count[HEART_TEN],
        count[9],
        count[15],
        count[21],
        sum(count[4::6]),
        count[18] + count[19],
        count[20] + count[23],
        short_aces,
        voids,
    )
    weights = _RE if re else _KONTRA
    base = _RE_BASE if re else _KONTRA_BASE
    return base + sum(w * n for w, n in zip(weights, amounts, strict=True))


def solo_chance(cards: Sequence[int], solo: Contract, forehand: bool) -> int:
    """Chance in percent (not clipped) that *cards* win *solo*; trustworthy only where it is good."""
    lay = layout(solo)
    hands = [0] * 20
    put_hand(lay, hands, 0, cards)
    trumps = hands[TRUMP]
    top = lay.count[TRUMP] // 2 - 2
    number = trumps.bit_count()
    highest = (trumps >> 2 * top).bit_count() if top >= 0 else 0
    strength = sum((bit >> 1) + 1 for bit in range(26) if trumps >> bit & 1)
    aces = tens = losers = 0
    for cls in lay.plain:
        mask = hands[cls]
        own_aces = (mask & lay.ace[cls]).bit_count()
        guarded = (mask & lay.ten[cls]).bit_count() if own_aces else 0
        aces += own_aces
        tens += guarded
        losers += mask.bit_count() - own_aces - guarded
    weights = _SUIT_SOLO if solo in _SUIT_SOLOS else _ACES_SOLO if solo is Contract.SOLO_ACES else _PICTURE_SOLO
    amounts = (1, number, highest, strength, aces, tens, losers, int(forehand))
    return sum(w * n for w, n in zip(weights, amounts, strict=True)) // 10


def best_solos(view: "HandView") -> list[tuple[int, Contract]]:
    """Every solo with its chance, best first; none for a computer in a duel (R34)."""
    if view.state.rules.computer(view.me):
        return []
    rated = [(solo_chance(view.dealt, solo, view.me == 0), solo) for solo in SOLOS]
    return sorted(rated, key=lambda pair: (-pair[0], SOLOS.index(pair[1])))
