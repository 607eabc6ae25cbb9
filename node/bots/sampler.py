"""Worlds: full deals drawn exactly uniformly from all that one seat's knowledge allows.

The 48 cards count as distinct (the two copies of a type too), as in a real shuffle; a *world* gives each unseen card to
one of the three other players.  It is consistent if it fits

* how many cards each of them still holds,
* every class that one of them has proven to be void in (by the classes of the contract),
* what is known about the club queens: a marriage named or shown, queens played or opened, calls, and the deals that a
  duel forbids or makes a computer speak about (R34).

Drawing one at random until it fits would take ever longer as voids show.  Instead the unseen cards fall into *groups*:
the club queens, and the other cards by the set of players who may hold their class.  How many cards of each group every
player gets (the *counts*) is enumerated completely; counts that fit weigh as many worlds as they stand for, a product
of multinomials; one of them is drawn by an integer below the sum, then the cards of each group are dealt by a shuffle.
All worlds have equal chances, and no true deal is ever left out.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import comb
from typing import TYPE_CHECKING

from node.bots.chance import Chance
from protocol.cards import CLUB_QUEEN, DECK, PLAYERS, TYPES
from protocol.rules.calls import Side
from protocol.rules.contracts import CLASS_TABLE, Contract

if TYPE_CHECKING:
    from protocol.rules.state import HandState
    from protocol.rules.view import HandView

#: How many of the unseen club queens each of the three others holds.
Queens = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What a seat knows about the cards it does not see.

    ``others`` are the three positions clockwise from the seat, ``sizes`` their numbers of cards; ``unseen`` the types
    of the hidden cards, ascending; ``holders`` per type a mask over ``others`` (bit i: may hold it); ``queens`` the
    ways in which the unseen club queens may lie.
    """

    others: tuple[int, int, int]
    sizes: tuple[int, int, int]
    unseen: tuple[int, ...]
    holders: tuple[int, ...]
    queens: tuple[Queens, ...]


def _queen_rule(state: "HandState", me: int) -> Callable[[Sequence[int]], bool]:
    """A test of how many club queens each position was *dealt*, true if the public log allows it."""
    least, most = [0] * PLAYERS, [2] * PLAYERS
    duel = state.rules.duel
    for player in range(PLAYERS):
        if state.proven[player] is Side.RE:
            least[player] = 1
        elif state.proven[player] is Side.KONTRA:
            most[player] = 0
        if duel is not None and player not in duel and player < len(state.bids):
            if state.bids[player]:
                least[player] = 2
            else:
                most[player] = min(most[player], 1)
    for player, contract in state.names:
        if contract is Contract.MARRIAGE:
            least[player] = 2
    if state.groom is not None:
        least[state.groom] = 2

    def fits(dealt: Sequence[int]) -> bool:
        if any(not least[p] <= dealt[p] <= most[p] for p in range(PLAYERS)):
            return False
        return duel is None or max(dealt) == 2 or dealt[duel[0]] + dealt[duel[1]] == 1

    return fits


def knowledge(view: "HandView") -> Knowledge:
    """What ``view.me`` knows.  If the log contradicts itself (a peer cheats), the club-queen facts are left out."""
    state, me = view.state, view.me
    others = ((me + 1) % 4, (me + 2) % 4, (me + 3) % 4)
    counts = [2] * TYPES
    for card in view.dealt:
        counts[card] -= 1
    for player, card in state.log:
        if player != me:
            counts[card] -= 1
    classes = CLASS_TABLE[state.contract or Contract.NORMAL]
    holders = [7] * TYPES
    for i, player in enumerate(others):
        for cls in range(5):
            if state.is_void(player, cls):
                for card in range(TYPES):
                    if classes[card] == cls:
                        holders[card] &= ~(1 << i)
    sizes = (state.cards_left(others[0]), state.cards_left(others[1]), state.cards_left(others[2]))
    unseen = tuple(card for card in DECK[::2] for _ in range(counts[card]))
    free = counts[CLUB_QUEEN]
    splits = [(a, b, free - a - b) for a in range(free + 1) for b in range(free + 1 - a)]
    shown = [state.shown[p] for p in others]
    possible = [
        split
        for split in splits
        if all(shown[i] <= split[i] <= sizes[i] and (not split[i] or holders[CLUB_QUEEN] >> i & 1) for i in range(3))
    ]
    fits = _queen_rule(state, me)
    own = view.dealt.count(CLUB_QUEEN)
    allowed = []
    for split in possible:
        dealt = [0] * PLAYERS
        dealt[me] = own
        for i, player in enumerate(others):
            dealt[player] = state.queens[player] + split[i]
        if fits(dealt):
            allowed.append(split)
    return Knowledge(others, sizes, unseen, tuple(holders), tuple(allowed or possible))


class Sampler:
    """Draws worlds for one :class:`Knowledge`.

    ``total`` is the number of worlds.  *silent* = ``(n, d)`` lets a world of a normal game in which one of the others
    holds both club queens count n/d of any other; the default is uniform.  *codes* translates: ``codes[type]`` is what
    stands in a world for the first copy of a type, that + 1 for the second; by default types themselves.
    """

    __slots__ = ("_bounds", "_counts", "_groups", "_queens", "others", "queen", "total")

    def __init__(
        self, known: Knowledge, *, codes: Sequence[int] | None = None, silent: tuple[int, int] = (1, 1)
    ) -> None:
        self.others = known.others
        #: What stands for a club queen (its first copy).
        self.queen = CLUB_QUEEN if codes is None else codes[CLUB_QUEEN]
        groups: dict[int, list[int]] = {}
        queens: list[int] = []
        last = -1
        for card in known.unseen:
            item = card if codes is None else codes[card] + (card == last)
            last = card
            if card == CLUB_QUEEN:
                queens.append(item)
            else:
                groups.setdefault(known.holders[card], []).append(item)
        # The players with the fewest choices first; the group that anybody may hold is what is left over.
        order = sorted(groups, key=lambda mask: (mask.bit_count(), mask))
        self._groups = [groups[mask] for mask in order]
        self._queens = queens
        self._counts: list[tuple[Queens, ...]] = []
        weights: list[int] = []
        for split in known.queens:
            room = tuple(known.sizes[i] - split[i] for i in range(3))
            if min(room) < 0:
                continue
            factor = _ways(split) * (silent[0] if 2 in split else silent[1])
            for rest, ways in _fill(order, [len(g) for g in self._groups], (room[0], room[1], room[2])):
                self._counts.append((split, *rest))
                weights.append(factor * ways)
        self._bounds = list(accumulate(weights))
        self.total = self._bounds[-1] if self._bounds else 0

    def allows(self, hands: Sequence[Sequence[int]]) -> bool:
        """Is this world (cards of the three ``others``) among those that are drawn?"""
        groups = (self._queens, *self._groups)
        if sorted(card for hand in hands for card in hand) != sorted(card for group in groups for card in group):
            return False
        counts = []
        for group in groups:
            members = set(group)
            a, b, c = (sum(card in members for card in hand) for hand in hands)
            counts.append((a, b, c))
        return tuple(counts) in self._counts

    def draw(self, chance: Chance) -> tuple[list[int], list[int], list[int]]:
        """One world: the cards of the three ``others``, in no particular order.

        ``ValueError`` if there is none (only a log that contradicts itself).
        """
        if not self.total:
            raise ValueError("no deal fits what is known")
        counts = self._counts[bisect_right(self._bounds, chance.below(self.total))]
        bits = chance.bits
        hands: tuple[list[int], list[int], list[int]] = ([], [], [])
        for split, group in zip(counts, (self._queens, *self._groups), strict=True):
            # The largest part is what two random selections (the end of a shuffle each) leave over.
            largest = split.index(max(split))
            cards = group[:]
            left = len(cards)
            for player in (0, 1, 2):
                number = split[player]
                if player == largest or not number:
                    continue
                for i in range(left - 1, left - number - 1, -1):
                    size = i.bit_length()
                    at = bits(size) if size else 0
                    while at > i:
                        at = bits(size)
                    cards[i], cards[at] = cards[at], cards[i]
                hands[player].extend(cards[left - number : left])
                left -= number
            hands[largest].extend(cards[:left])
        return hands


def _ways(split: Queens) -> int:
    """In how many ways distinct cards can be dealt in these numbers."""
    return comb(sum(split), split[0]) * comb(split[1] + split[2], split[1])


def _fill(order: Sequence[int], sizes: Sequence[int], room: Queens) -> Iterator[tuple[tuple[Queens, ...], int]]:
    """All ways to fill *room* with groups of these sizes and holders, with the number of worlds each stands for."""
    if not order:
        if room == (0, 0, 0):
            yield (), 1
        return
    mask, size = order[0], sizes[0]
    if len(order) == 1:
        if sum(room) == size and all(not room[i] or mask >> i & 1 for i in range(3)):
            yield (room,), _ways(room)
        return
    most = [min(room[i], size) if mask >> i & 1 else 0 for i in range(3)]
    for a in range(most[0] + 1):
        for b in range(max(0, size - a - most[2]), min(most[1], size - a) + 1):
            split = (a, b, size - a - b)
            ways = _ways(split)
            for rest, more in _fill(order[1:], sizes[1:], (room[0] - a, room[1] - b, room[2] - split[2])):
                yield (split, *rest), ways * more
