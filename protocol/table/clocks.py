"""Whose clock runs, how much of it is left, and who is gone.

::

    owes an entry --decision s--> reserve of this hand runs --reserve s--> grace runs --grace s--> gone
         ^                                                                                          |
         +---------------------------------- an entry of that seat -------------------------------- +

Everything is by the clock passed in and by what has arrived *here*; clocks are never compared between nodes and decide
nothing but what people are asked.  In a pause by consent they stand still.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final

from protocol.table.log import ALL
from protocol.wire.entries import Kind

#: Entries that a person decides on; every other is made by the program, for which :data:`MACHINE` seconds are plenty.
DECISION_KINDS: Final = frozenset({Kind.BID, Kind.NAME, Kind.PLAY})
MACHINE: Final = 20.0


@dataclass(slots=True)
class Clocks:
    """One table's clocks; :meth:`update` whenever something may have changed."""

    decision: float
    reserve: float
    grace: float
    since: dict[int, float] = field(default_factory=dict)  # seat -> since when it owes what it owes
    human: dict[int, bool] = field(default_factory=dict)
    left: dict[int, float] = field(default_factory=dict)  # reserve left in this hand, before the running decision
    _what: dict[int, object] = field(default_factory=dict)
    _hand: int = -1
    _stopped: float | None = None  # since when they stand still

    def stop(self, now: float) -> None:
        """A pause begins: no time passes until :meth:`go`."""
        if self._stopped is None:
            self._stopped = now

    def go(self, now: float) -> None:
        """The pause is over."""
        if self._stopped is not None:
            passed, self._stopped = now - self._stopped, None
            self.since = {seat: since + passed for seat, since in self.since.items()}

    def stood(self, now: float) -> float:
        """How long they have stood still in the pause that is on; every moment told from here comes later by that."""
        return 0.0 if self._stopped is None else now - self._stopped

    def _at(self, now: float) -> float:
        return now if self._stopped is None else self._stopped

    def update(self, due: Mapping[int, tuple[Collection[Kind], bytes]], deal: int, now: float) -> None:
        """*due*: per seat what it owes and on which head (two decisions in a row are two); *deal*: the hand's."""
        if deal != self._hand:
            self._hand = deal
            self.left = dict.fromkeys(ALL, self.reserve)
        for seat in ALL:
            what = due.get(seat)
            if what == self._what.get(seat):
                continue
            self._charge(seat, self._at(now))
            self._what[seat] = what
            if what is None:
                self.since.pop(seat, None)
            else:
                self.since[seat] = self._at(now)
                self.human[seat] = not DECISION_KINDS.isdisjoint(what[0])

    def _charge(self, seat: int, now: float) -> None:
        """What a finished decision took from the reserve."""
        if seat in self.since and self.human[seat]:
            over = now - self.since[seat] - self.decision
            self.left[seat] = max(0.0, self.left[seat] - max(0.0, over))

    def deadline(self, seat: int) -> float | None:
        """When the seat's time (without grace) is used up, None if it owes nothing."""
        if seat not in self.since:
            return None
        allowed = self.decision + self.left[seat] if self.human[seat] else MACHINE
        return self.since[seat] + allowed

    def reserve_left(self, seat: int, now: float) -> float:
        """Seconds of reserve the seat has left now."""
        now = self._at(now)
        if seat not in self.since or not self.human[seat]:
            return self.left.get(seat, self.reserve)
        return max(0.0, self.left[seat] - max(0.0, now - self.since[seat] - self.decision))

    def decision_left(self, seat: int, now: float) -> float | None:
        """Seconds left before the reserve runs, None if the seat owes no decision."""
        if seat not in self.since or not self.human[seat]:
            return None
        return max(0.0, self.decision - (self._at(now) - self.since[seat]))

    def gone_at(self, seat: int) -> float | None:
        """When the seat counts as gone."""
        deadline = self.deadline(seat)
        return None if deadline is None else deadline + self.grace

    def gone(self, now: float) -> tuple[int, ...]:
        """Seats beyond their grace."""
        now = self._at(now)
        return tuple(seat for seat in ALL if (at := self.gone_at(seat)) is not None and now >= at)

    def next(self, now: float) -> float | None:
        """The next moment at which something changes by itself."""
        if self._stopped is not None:
            return None
        times = [at for seat in ALL for at in (self.deadline(seat), self.gone_at(seat)) if at is not None and at > now]
        return min(times, default=None)
