"""PLAY and OPEN: a slot of one's own is opened by one's own share and its proof."""

from protocol.deal.deck import Pair
from protocol.deal.group import ristretto
from protocol.deal.hashing import Kind, Place, Rand
from protocol.deal.shares import card_at, check_items, make_items


def make_open(
    place: Place, x: int, public: bytes, pair: Pair, rand: Rand, kind: Kind = Kind.PLAY
) -> tuple[bytes, bytes]:
    """(d, proof) that open *pair*, a slot of *place*'s seat.

    ``extra`` = parent head of the entry (PLAY, MARRY), or last head of the deal chain and sequence number (CALL).
    *kind* is PLAY for a card played, OPEN for an announcement.
    """
    return make_items(place, kind, x, public, [pair[0]], rand)


def check_open(
    place: Place, public: bytes, pair: Pair, d: bytes, proof: bytes, kind: Kind = Kind.PLAY
) -> int:
    """The type that is opened, or FORMAT, POINT, SCALAR, DLEQ.

    :class:`~protocol.deal.shares.DealFault` if a proven share leaves no card: then this program is at fault.
    """
    (share,) = check_items(place, kind, public, [pair[0]], d, proof)
    return card_at(ristretto().sub(pair[1], share))
