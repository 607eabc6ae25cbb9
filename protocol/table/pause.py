"""A pause by consent: who wants it, when it begins and ends.

::

    nobody wants it --PAUSE on--> some do --PAUSE on of every person--> pause --PAUSE off of anyone--> nobody wants it
                                     '------- PAUSE off of anyone ----------------------------------------'

Pauses are counted.  A word for a pause that is over says nothing, an ``off`` ends its pause and all before it; so
whatever order words come in, and however often, all who have heard the same words agree.  Computers want what the
people want.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from protocol.table.log import ALL
from protocol.wire.messages import MAX_PAUSES


@dataclass(frozen=True, slots=True)
class Votes:
    """Who wants pause number ``number`` (from 0); ``people`` are the seats that are asked."""

    people: frozenset[int]
    number: int = 0
    seats: frozenset[int] = field(default_factory=frozenset)

    @property
    def paused(self) -> bool:
        """Whether every person wants it."""
        return bool(self.people) and self.people <= self.seats

    @property
    def by_seat(self) -> tuple[bool, bool, bool, bool]:
        """Who wants it; computers do as soon as a person does."""
        a, b, c, d = (seat in self.seats or (bool(self.seats) and seat not in self.people) for seat in ALL)
        return a, b, c, d

    def hear(self, seat: int, number: int, on: bool) -> Votes:
        """The votes after a word of *seat*."""
        if number < self.number or seat not in self.people:
            return self
        if not on:
            return Votes(self.people, number + 1)
        before = self.seats if number == self.number else frozenset()
        return Votes(self.people, number, before | {seat})

    def pack(self) -> bytes:
        """For the store: number (4 bytes, big-endian) and a bit for each seat."""
        return self.number.to_bytes(4, "big") + bytes([sum(1 << seat for seat in self.seats)])

    def unpack(self, raw: bytes) -> Votes:
        """What :meth:`pack` made; these votes as they are for anything else."""
        number = int.from_bytes(raw[:4], "big")
        if len(raw) != 5 or raw[4] > 15 or number > MAX_PAUSES + 1:
            return self
        return Votes(self.people, number, self.people & {seat for seat in ALL if raw[4] >> seat & 1})
