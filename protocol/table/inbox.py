"""Entries that come in: known, junk, to be held, wrong, or taken.

::

    entry -> known already                     ignored
          -> signature or form does not hold   junk of whoever brought it; enough of it closes the link
          -> stands on something unknown       held (one a seat; some more while a heavy check runs), tried again
          -> refused by the match              its author is guilty
          -> taken                             stored with the next entry of ours
"""

from __future__ import annotations

from typing import Final

from protocol.refusal import Refusal
from protocol.table import effects
from protocol.table.deal_phase import Later
from protocol.table.decisions import Decisions
from protocol.table.entries import Entry, check_author
from protocol.table.equivocation import Equivocation
from protocol.table.limits import JUNK
from protocol.table.log import ALL
from protocol.table.match import Fault

#: Entries of one seat that wait while a heavy check runs; otherwise one is held.
WAITING: Final = 12
HELD: Final = 1


class Inbox(Decisions):
    """Judging what the others send."""

    def _junk(self, seat: int, refusal: Refusal) -> None:
        peer = self._peers[seat]
        peer.junk += 1
        if peer.junk >= JUNK:
            peer.junk = 0
            self._effects.append(effects.Close(seat, str(refusal)))

    def _incoming(self, peer: int, entry: Entry) -> None:
        if entry.hash in self.match.known or any(entry.hash == held.hash for held in self._held[entry.seat]):
            return
        if self._ignored(entry.deal, entry.seat) and entry.place is not None:
            return
        try:
            if not self._try(entry):
                self._hold(entry)
        except Refusal as refusal:
            # SIG or FORMAT: whoever brought it made it up; the rest is signed and judged by _try
            self._junk(peer, refusal)

    def _try(self, entry: Entry) -> bool:
        """Offer an entry to the match.  False: it has to be held.  Raises ``Refusal`` if it proves nothing."""
        if self._promised(entry):
            check_author(entry, self.match.identities)  # else anybody could keep his place among the held ones busy
            return False
        try:
            taken = self.match.offer(entry)
        except Later:
            return False
        except Equivocation as two:
            self._convict(Fault(two.first.seat, two, two.first, two.second))
            return True
        except Refusal as refusal:
            if entry.says.match != self.setup.match_id or not self._signed(entry):
                raise
            self._convict(Fault(entry.seat, refusal, entry))
            return True
        if taken:
            self._put_back = self._put_back or entry.seat == self.me
            self._accepted(entry)
        elif entry.seat == self.me and entry.hash not in self.match.known:
            self._dismissed.add(entry.hash)
            self.match.spend(entry)  # the others hold it: its number is not to be used again
            for told in self._told.values():
                told.discard(entry.hash)
        return True

    def _signed(self, entry: Entry) -> bool:
        """Whether the seat it names has signed it: else it proves nothing."""
        try:
            check_author(entry, self.match.identities)
        except Refusal:
            return False
        return True

    def _hold(self, entry: Entry) -> None:
        waiting = self._held[entry.seat]
        working = self.match.busy or bool(self._jobs)
        if len(waiting) >= (WAITING if working else HELD):
            return  # it comes again when we ask
        waiting.append(entry)
        self._held_since.setdefault(entry.seat, self._now)

    def _retry(self) -> None:
        """Offer what is held until nothing moves."""
        moved = True
        while moved and not self._stopped:
            moved = False
            for seat in ALL:
                waiting = self._held[seat]
                for _ in range(len(waiting)):
                    entry = waiting.popleft()
                    try:
                        if self._try(entry):
                            moved = True
                        else:
                            waiting.append(entry)
                    except Refusal:
                        moved = True  # a signature that does not hold: gone
                if not waiting:
                    self._held_since.pop(seat, None)
