"""How long the event loop was held up: an instrument for tests, benchmarks and ``--heartbeat``.

A task sleeps for a beat and looks how late it wakes.  Lateness is what a peer's message, a key press or a clock would
have had to wait.
"""

from dataclasses import dataclass, field
from typing import Final

import trio

BEAT_S: Final = 0.002


@dataclass(slots=True)
class Heartbeat:
    """Milliseconds of lateness: the worst, how many beats there were, and the latest ones over *threshold* ms."""

    threshold: float = 20.0
    worst: float = 0.0
    beats: int = 0
    late: list[float] = field(default_factory=list)

    def restart(self) -> None:
        """Forget what has been measured."""
        self.worst, self.beats = 0.0, 0
        self.late.clear()

    async def run(self) -> None:
        """Beat until cancelled."""
        while True:
            due = trio.current_time() + BEAT_S
            await trio.sleep_until(due)
            behind = (trio.current_time() - due) * 1000
            self.beats += 1
            self.worst = max(self.worst, behind)
            if behind > self.threshold and len(self.late) < 1000:
                self.late.append(round(behind, 1))
