"""How long the event loop was held up: an instrument for tests, benchmarks and ``--measure``.

A task sleeps for a beat and looks how late it wakes.  Lateness is what a peer's message, a key press or a clock would
have had to wait.  Part of it may be other processes' doing: on a busy machine a thread that is ready waits for a core.
Linux tells how long (``schedstat``), so the two are told apart.
"""

import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

import trio

BEAT_S: Final = 0.002


@dataclass(slots=True)
class Heartbeat:
    """Milliseconds of lateness: ``held``, the worst that this process is to blame for, and ``late``, the worst of all.

    ``over`` are the times held up longer than *threshold*; *beat* is the pause between two looks in seconds.
    """

    threshold: float = 20.0
    beat: float = BEAT_S
    held: float = 0.0
    late: float = 0.0
    beats: int = 0
    over: list[float] = field(default_factory=list)

    def restart(self) -> None:
        """Forget what has been measured."""
        self.held, self.late, self.beats = 0.0, 0.0, 0
        self.over.clear()

    async def run(self) -> None:
        """Beat until cancelled."""
        queue = _RunQueue()
        while True:
            due = trio.current_time() + self.beat
            waited = queue.milliseconds()
            await trio.sleep_until(due)
            late = (trio.current_time() - due) * 1000
            held = max(0.0, late - (queue.milliseconds() - waited))
            self.beats += 1
            self.late = max(self.late, late)
            self.held = max(self.held, held)
            if held > self.threshold and len(self.over) < 1000:
                self.over.append(round(held, 1))


class _RunQueue:
    """How long this thread has been ready to run and waited for a core, in all (0 where the system does not tell)."""

    def __init__(self) -> None:
        self._file: IO[bytes] | None = None
        path = Path(f"/proc/self/task/{threading.get_native_id()}/schedstat")
        if path.exists():
            self._file = path.open("rb", buffering=0)

    def milliseconds(self) -> float:
        if self._file is None:
            return 0.0
        self._file.seek(0)
        return int(self._file.read(64).split()[1]) / 1e6

    def __del__(self) -> None:
        if self._file is not None:
            self._file.close()
