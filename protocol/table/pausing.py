"""What a pause by consent does to a table: its clocks stop, and nobody plays on the sly.

PAUSE is no entry: it is unsigned, stands in no chain, and all that hangs on it is whether the clocks run *here* (see
:mod:`protocol.table.pause`).  The votes are kept with the secrets of the match, so a pause outlives every process; each
new link tells them again.
"""

from __future__ import annotations

from typing import Final

from protocol.refusal import Code, Refusal
from protocol.table import effects
from protocol.table.core import Core
from protocol.table.pause import Votes
from protocol.wire import messages
from protocol.wire.messages import MAX_PAUSES, Pause

#: Where the votes are kept in the store.
ROW: Final = "pause/table/votes"


class Pausing(Core):
    """Hearing and telling of pauses, and stopping the clocks."""

    def _wish_pause(self, on: bool) -> None:
        """Our person wants a pause, or none.  Raises ``Refusal`` if that is said too often."""
        if self._stopped:
            raise Refusal(Code.TURN, f"the table has stopped: {self._stopped}")
        votes = self._votes
        if (not on and not votes.seats) or (on and self.me in votes.seats):
            return
        if votes.number > MAX_PAUSES or not self._pauses.take(1, self._now):
            raise Refusal(Code.LIMIT, "there have been many pauses just now; try again in a moment")
        self._set_votes(votes.hear(self.me, votes.number, on))
        for seat in self.others:
            self._send_pause(seat, votes.number, on)
        self._show(effects.PauseAsked(self.me, on))

    def _heard_pause(self, seat: int, message: Pause) -> None:
        """A word of *seat*; one that changes something costs it a little, ending a pause of ours costs nothing."""
        votes = self._votes
        after = votes.hear(seat, message.n, message.on)
        if after == votes:
            if message.on and message.n < votes.number and self._peers[seat].pauses.take(1, self._now):
                self._send_pause(seat, votes.number - 1, False)  # it has missed that this pause is over
            return
        if not (votes.paused and not message.on) and not self._peers[seat].pauses.take(1, self._now):
            return
        self._set_votes(after)
        if votes.seats or message.on:
            self._show(effects.PauseAsked(seat, message.on))

    def _tell_pause(self, seat: int) -> None:
        """On a new link: what we want, as far as it is not what everybody wants at first."""
        if self.me in self._votes.seats:
            self._send_pause(seat, self._votes.number, True)
        elif self._votes.number:
            self._send_pause(seat, self._votes.number - 1, False)

    def _load_votes(self, raw: bytes | None) -> None:
        if raw is not None:
            self._votes = self._votes.unpack(raw)
            self._stop_clocks()

    def _set_votes(self, votes: Votes) -> None:
        self._votes = votes
        self._changed[ROW] = votes.pack()
        self._stop_clocks()

    def _stop_clocks(self) -> None:
        if self._votes.paused:
            self._clocks.stop(self._now)
        else:
            self._clocks.go(self._now)

    def _send_pause(self, seat: int, number: int, on: bool) -> None:
        if seat in self._links:
            message = Pause(match=self.setup.match_id, n=number, on=on)
            self._effects.append(effects.Send(seat, messages.encode(message)))

    def _no_pause(self) -> None:
        """Raises ``Refusal`` while the table pauses: nobody plays on the sly."""
        if self._votes.paused:
            raise Refusal(Code.TURN, "the table has a pause")
