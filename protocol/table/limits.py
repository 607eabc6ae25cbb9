"""How much a peer may send: a bucket that refills, and a count of junk."""

from dataclasses import dataclass
from typing import Final

#: Messages a peer may send at once (a whole match twice over), and a second.
BURST: Final = 2_000.0
RATE: Final = 200.0
#: Bytes of answers to STATUS a peer may ask for at once, and a second.
ANSWER_BURST: Final = 8_000_000.0
ANSWER_RATE: Final = 200_000.0
#: Seconds in which one peer's STATUS is answered with entries once: what came up since has been sent to it anyway.
ANSWER_EVERY: Final = 0.25
#: Words about a pause that change something, at once and a second; our own are fewer, so that none of them is dropped.
PAUSE_BURST: Final = 6.0
PAUSE_RATE: Final = 0.5
OWN_PAUSE_BURST: Final = 5.0
OWN_PAUSE_RATE: Final = 0.4
#: Messages that no honest node sends, before the link is closed.
JUNK: Final = 8


@dataclass(slots=True)
class Bucket:
    """A budget that refills."""

    size: float
    rate: float
    level: float = -1.0
    at: float = 0.0

    def take(self, amount: float, now: float) -> bool:
        """Spend *amount* if it is there."""
        if self.level < 0:
            self.level = self.size
        self.level = min(self.size, self.level + max(0.0, now - self.at) * self.rate)
        self.at = now
        if self.level < amount:
            return False
        self.level -= amount
        return True


class Peer:
    """What one link has used up."""

    def __init__(self) -> None:
        self.messages = Bucket(BURST, RATE)
        self.answers = Bucket(ANSWER_BURST, ANSWER_RATE)
        self.pauses = Bucket(PAUSE_BURST, PAUSE_RATE)
        self.junk = 0
        self._answered: float | None = None

    def renew(self) -> None:
        """A new link: junk is forgotten, and what went out on the old one may be lost; the buckets stay."""
        self.junk = 0
        self._answered = None

    def answer_due(self, now: float) -> bool:
        """Whether a STATUS is to be answered with entries; two that cross each other are one question."""
        if self._answered is not None and now - self._answered < ANSWER_EVERY:
            return False
        self._answered = now
        return True
