"""Where a gathering stands, what the node has to do for it, and the pictures the lobby gets of it."""

from dataclasses import dataclass
from enum import StrEnum

from protocol.table.roster import Setup
from protocol.table.terms import Terms
from protocol.wire.messages import Member, Message, TableOpen


class State(StrEnum):
    """Where a gathering stands (the diagram in the package)."""

    ASKING = "asking"
    WAITING = "waiting"
    CONFIRMING = "confirming"
    SEATING = "seating"
    DONE = "done"
    FAILED = "failed"


# -- effects: what the node has to do, in this order --------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Send:
    """Send *message* to *to*; without a link it is dropped (it is said again when the link comes up)."""

    to: bytes
    message: Message


@dataclass(frozen=True, slots=True)
class Dial:
    """Have a link to *to*, one of the four."""

    to: bytes
    addresses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Announce:
    """Opener: the table has changed, tell connected peers (whom it is for)."""

    message: TableOpen


@dataclass(frozen=True, slots=True)
class Ask:
    """Show the terms and the four to our person; answer with ``confirm`` or ``leave`` before *deadline*."""

    terms: Terms
    members: tuple[Member, ...]
    deadline: float


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """The terms asked about are off the table: somebody left; new ones come when four sit again."""

    text: str


@dataclass(frozen=True, slots=True)
class Done:
    """All four agree."""

    setup: Setup


@dataclass(frozen=True, slots=True)
class Failed:
    """There will be no match here.  *reason* is for programs, *text* for people."""

    reason: str
    text: str
    blame: bytes | None = None


Effect = Send | Dial | Announce | Ask | Withdrawn | Done | Failed


@dataclass(frozen=True, slots=True)
class SeatView:
    """One seat as a person sees it."""

    identity: bytes
    nickname: str
    bot: bool
    ready: bool
    linked: bool


@dataclass(frozen=True, slots=True)
class GatheringView:
    """A frozen picture for the lobby."""

    state: State
    table: bytes
    terms: Terms  # the final ones from CONFIRMING on
    seats: tuple[SeatView | None, SeatView | None, SeatView | None, SeatView | None]
    my_seat: int | None
    confirmed: bool  # our person has agreed to the terms on the table
    deadline: float | None
