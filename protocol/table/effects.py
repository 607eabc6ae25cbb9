"""What a table core asks of its shell, and what it is asked to do: plain values, no behaviour.

:class:`~protocol.table.table.Table` never touches a socket, a file, a clock or a thread.  Each of its methods returns a
list of *effects*, to be carried out **in order**::

    Persist   one transaction; must be durable before any later effect of the list is carried out
    Send      one link message for one seat; may be lost, the core re-sends what counts
    Compute   call ``fn(*args)`` anywhere, then ``done(job, result)``; an exception is the result
    Show      something people may want to hear; the whole truth is always in ``view()``
    Close     the peer on that seat sends junk: close its link (it may come back)
    Evidence  somebody is guilty, the match goes on: keep the file
    Finished  the match is over; the settlement file's bytes
    Stopped   the core does nothing more of its own until it is started again from its store

A crash between two effects is harmless: what was persisted is sent again on the next start, byte for byte; what was not
persisted was not sent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from protocol.refusal import Code
    from protocol.rules.acts import Act
    from protocol.rules.calls import CallKind
    from protocol.rules.contracts import Contract
    from protocol.rules.score import Result


# --- what is stored -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StoredEntry:
    """A signed entry as the store keeps it: payload and signature byte for byte, the rest to find it by.

    ``hash`` (32 bytes) is unique within a match and makes storing idempotent; ``seq`` is None for decisions.
    """

    hash: bytes
    chain: int
    deal: int
    seat: int
    seq: int | None
    kind: int
    payload: bytes
    signature: bytes


@dataclass(frozen=True, slots=True)
class Stored:
    """What the store holds of a match: entries in the order in which they were stored, secrets by name."""

    entries: tuple[StoredEntry, ...] = ()
    secrets: Mapping[str, bytes] = field(default_factory=dict, repr=False)


# --- effects ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Persist:
    """One transaction: insert *entries* (those already there stay as they are), set or erase (None) *secrets*."""

    entries: tuple[StoredEntry, ...]
    secrets: tuple[tuple[str, bytes | None], ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Send:
    """Send *message* (an encoded link message) to *seat*."""

    seat: int
    message: bytes


@dataclass(frozen=True, slots=True)
class Compute:
    """Run ``fn(*args)`` (pure, 5 to 100 ms) in a thread and give its result, or its exception, to ``done(job, .)``."""

    job: int
    fn: Callable[..., Any]
    args: tuple[Any, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Show:
    """Tell the people."""

    event: Event


@dataclass(frozen=True, slots=True)
class Close:
    """Close the link of *seat*: it sends what no honest node sends, or too much of it."""

    seat: int
    reason: str


@dataclass(frozen=True, slots=True)
class Finished:
    """The match is settled; *settlement* is the file (at best with four signatures; it is given again when one more
    signature has come)."""

    settlement: bytes
    signatures: int


@dataclass(frozen=True, slots=True)
class Stopped:
    """The core stops: *reason* in words, *evidence* (an evidence file's bytes) if somebody is to blame."""

    reason: str
    evidence: bytes | None = None
    seat: int | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """*seat* is proven guilty (*reason*), and the match goes on; *evidence* is the evidence file, to be kept."""

    seat: int
    reason: str
    evidence: bytes


Effect = Persist | Send | Compute | Show | Close | Evidence | Finished | Stopped


# --- events (all seats, never positions) --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DealStep:
    """*seat* has done *step* (``commit keys keyok shuffle barrier test testopen shares``) of deal *deal*."""

    deal: int
    step: str
    seat: int


@dataclass(frozen=True, slots=True)
class DealAgain:
    """Deal *deal* is thrown away; *seat* is blamed by it (None: nobody), *reason* in words."""

    deal: int
    reason: str
    seat: int | None = None


@dataclass(frozen=True, slots=True)
class HandOpened:
    """The cards of *deal* are dealt; *hand* counts the match's hands from 1."""

    deal: int
    hand: int
    forehand: int


@dataclass(frozen=True, slots=True)
class Acted:
    """A bid, naming, marriage or card of *seat* stands in the log (``act.player`` is the position)."""

    deal: int
    seat: int
    act: Act


@dataclass(frozen=True, slots=True)
class Called:
    """*seat* called; shown at once, in the log as soon as a card carries it."""

    deal: int
    seat: int
    kind: CallKind


@dataclass(frozen=True, slots=True)
class GameSettled:
    """The contract is settled."""

    deal: int
    contract: Contract


@dataclass(frozen=True, slots=True)
class TrickClosed:
    """Four equal receipts: trick *trick* (1..12) went to *winner*."""

    deal: int
    trick: int
    winner: int


@dataclass(frozen=True, slots=True)
class HandClosed:
    """The RESULT round is closed.  ``points`` and ``money`` (cents) by seat; a void hand pays nothing."""

    deal: int
    hand: int
    forehand: int
    result: Result
    points: tuple[int, ...]
    money: tuple[int, ...]
    kitty: int


@dataclass(frozen=True, slots=True)
class Refused:
    """A signed entry of *seat* is refused: evidence against it."""

    seat: int
    code: Code
    detail: str


@dataclass(frozen=True, slots=True)
class Gone:
    """*seat* owes an entry and the grace is over (``seats`` of all that are gone)."""

    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Back:
    """Nobody is gone any more."""


@dataclass(frozen=True, slots=True)
class VoidVote:
    """*seat* agrees that the running hand is void (R29)."""

    seat: int


@dataclass(frozen=True, slots=True)
class PauseAsked:
    """*seat* wants a pause, or does not (which ends one, or the wish of others)."""

    seat: int
    on: bool


@dataclass(frozen=True, slots=True)
class KeysLost:
    """Our store has lost our keys of *deal*, whose cards are dealt: we cannot play this hand, only agree that it is
    void (R29)."""

    deal: int


Event = (
    DealStep
    | DealAgain
    | HandOpened
    | Acted
    | Called
    | GameSettled
    | TrickClosed
    | HandClosed
    | Refused
    | Gone
    | Back
    | VoidVote
    | PauseAsked
    | KeysLost
)


# --- commands -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Bid:
    """Healthy (False) or a reservation (True), R8."""

    reserve: bool


@dataclass(frozen=True, slots=True)
class NameGame:
    """Name the game reserved for: the marriage or a solo, R8."""

    contract: Contract


@dataclass(frozen=True, slots=True)
class PlayCard:
    """Play a card of this type; the core chooses the slot."""

    card: int


@dataclass(frozen=True, slots=True)
class MakeCall:
    """Re, Contra or an Absage, R16 to R20."""

    kind: CallKind


@dataclass(frozen=True, slots=True)
class VoidHand:
    """Agree that the running hand is void, R29, until it is over or the wish is withdrawn.

    A signature that is given cannot be taken back, but it lapses with the next entry of the hand.
    """

    agree: bool = True


@dataclass(frozen=True, slots=True)
class DealAnew:
    """Agree that the running deal is thrown away before a card is dealt."""


@dataclass(frozen=True, slots=True)
class Pause:
    """Ask for a pause or agree to one (it begins when every person wants it), or end it for all."""

    on: bool = True


@dataclass(frozen=True, slots=True)
class GoOn:
    """Go on after three void hands in a row (R29)."""


@dataclass(frozen=True, slots=True)
class Adjourn:
    """Stop here; the match is taken up again from the store."""


Command = Bid | NameGame | PlayCard | MakeCall | VoidHand | DealAnew | Pause | GoOn | Adjourn
