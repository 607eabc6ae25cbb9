"""How long a finished trick stays: the longest wish of the people at the table, until a key.

Each person's node says its wish on every new link and when it changes (DWELL), and once the person has looked enough at
a trick (SEEN).  Consoles show the trick for the longest wish; a computer that has won it leads when nobody whose wish
still holds looks at it.  Both messages prove nothing and hold nobody up for longer than half the time for a decision.
"""

from collections.abc import Iterable
from typing import Final

from protocol.wire.messages import LONGEST_DWELL_MS

#: The longest wish (seconds).
LONGEST_S: Final = LONGEST_DWELL_MS / 1000


class Dwells:
    """The wishes at one table.  Seats are 0..3, times in seconds."""

    def __init__(self, people: Iterable[int], decision: float) -> None:
        """*people*: the seats whose wishes count; *decision*: seconds that the terms give for a decision."""
        self._most = min(LONGEST_S, decision / 2)
        self._wishes = dict.fromkeys(people, 0.0)
        self._seen: dict[int, tuple[int, int]] = {}

    def wish(self, seat: int, seconds: float) -> bool:
        """*seat* wishes a trick to stay so long; whether that changes anything."""
        wish = min(max(seconds, 0.0), self._most)
        if self._wishes.get(seat, wish) == wish:
            return False
        self._wishes[seat] = wish
        return True

    def saw(self, seat: int, deal: int, trick: int) -> None:
        """*seat* has looked enough at trick *trick* (1..12) of *deal*."""
        if seat in self._wishes:
            self._seen[seat] = (deal, trick)

    @property
    def longest(self) -> float:
        """The longest wish."""
        return max(self._wishes.values(), default=0.0)

    def waits(self, deal: int, trick: int) -> float:
        """How long after a trick nobody leads who need not look at it himself."""
        looking = (wish for seat, wish in self._wishes.items() if self._seen.get(seat) != (deal, trick))
        return max(looking, default=0.0)
