"""How much a peer may ask of this node: rates, queues, half-open handshakes.

Everything a stranger can make grow has a bound here.  Too fast is answered by reading more slowly, so that TCP itself
holds the sender back; only what cannot be slowed down (a new connection) is turned away.
"""

from dataclasses import dataclass, field
from typing import Final

KEEPALIVE_S: Final = 15.0  # a PING after so long without having sent anything
SILENCE_S: Final = 40.0  # nothing at all received for so long: the link is lost


@dataclass(frozen=True, slots=True)
class Rates:
    """What one link may carry; bursts are what may come at once after a quiet time."""

    frames_per_s: float
    frame_burst: float
    bytes_per_s: float
    byte_burst: float
    queue_frames: int  # messages waiting for this node's own attention
    outbox_bytes: int  # bytes waiting for the peer to read them


# A hand costs about 70 kB each way and 150 frames: a member is never held back in ordinary play, nor in a resume.
MEMBER: Final = Rates(400, 1200, 2_000_000, 6_000_000, 64, 4_000_000)
CONTACT: Final = Rates(100, 300, 500_000, 2_000_000, 32, 2_000_000)
STRANGER: Final = Rates(10, 40, 32_768, 131_072, 8, 262_144)


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of the whole node."""

    handshake_s: float = 10.0  # from connection to both HELLOs
    half_open: int = 64  # handshakes under way, all sources together
    half_open_per_host: int = 8
    arrivals_per_s: float = 20.0  # handshakes begun a second, all sources together (one costs about 10 ms)
    arrivals_per_host: float = 2.0
    arrivals_burst: float = 60.0
    arrivals_burst_per_host: float = 20.0
    strangers: int = 32  # live links to identities that are neither contacts nor members
    links: int = 256
    dial_s: float = 10.0  # one attempt to connect
    send_s: float = 30.0  # a peer that reads nothing for so long is lost
    frame_bytes: int = 65_535


@dataclass(slots=True)
class Bucket:
    """A token bucket: *rate* tokens a second, at most *burst* saved up."""

    rate: float
    burst: float
    tokens: float = field(init=False)
    updated: float | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.tokens = self.burst

    def allow(self, amount: float, now: float) -> bool:
        """Take *amount* if it is there now; else nothing is taken (for what is turned away, not slowed down)."""
        self._refill(now)
        if self.tokens < amount:
            return False
        self.tokens -= amount
        return True

    def take(self, amount: float, now: float) -> float:
        """Take *amount* at time *now* (seconds, monotonic); returns how long to wait before going on (0: not at all).

        The amount is always taken: a debt is paid by waiting, so that one large item passes and slows what follows.
        """
        self._refill(now)
        self.tokens -= amount
        return 0.0 if self.tokens >= 0 else -self.tokens / self.rate

    def _refill(self, now: float) -> None:
        if self.updated is not None:
            self.tokens = min(self.burst, self.tokens + (now - self.updated) * self.rate)
        self.updated = now
