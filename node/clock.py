"""Time, as a thing that is passed in: wall time for dates, monotonic time for waiting."""

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Protocol

#: No node can have run before this moment (2025-01-01 UTC): an earlier wall clock is wrong.
EARLIEST: Final = 1_735_689_600.0


class Clock(Protocol):
    """Seconds of the two clocks."""

    def wall(self) -> float:
        """Seconds since 1970 UTC; may jump when the user sets the clock."""
        ...

    def monotonic(self) -> float:
        """Seconds since some moment; never goes back."""
        ...


class SystemClock:
    """The machine's clocks."""

    def wall(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()


@dataclass(slots=True)
class ManualClock:
    """A clock that stands still until told (tests, replays)."""

    now: float = EARLIEST

    def wall(self) -> float:
        return self.now

    def monotonic(self) -> float:
        return self.now - EARLIEST

    def advance(self, seconds: float) -> None:
        """Let *seconds* (not negative) pass."""
        if seconds < 0:
            raise ValueError(seconds)
        self.now += seconds


def iso(moment: float) -> str:
    """*moment* (seconds since 1970 UTC) as ``2025-01-31T20:15:00Z``."""
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def local(moment: float) -> str:
    """*moment* in the user's time zone, to the minute."""
    return datetime.fromtimestamp(moment).astimezone().strftime("%Y-%m-%d %H:%M")
