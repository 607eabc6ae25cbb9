"""What a person at a node may see, and everything a person may do: the seam between node and consoles.

The node shows one frozen :class:`View` after each change; a console answers with one of the frozen
:data:`Command` values.
Full screen, ``--plain``, ``--watch`` and the tests all use the same two, and nothing else passes between them.

Theory of operation::

    node (trio)  -- View -->  Desk.show(view)            a plain value, safe to keep and to compare
    node (trio) <-- Command -- await Desk.command()      validated by the node again: a console is never trusted

Seats are 0..3 clockwise and stay the same for a match; ``HandView`` counts *positions* from forehand, so
``seat == (forehand + position) % 4`` (:meth:`TableView.seat_of`).  Money is in cents of ``terms.currency``; times are
seconds, either left (``*_left``) at the moment :attr:`TableView.now` or, where named so, seconds since the epoch.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from protocol.rules.calls import CallKind
    from protocol.rules.contracts import Contract
    from protocol.rules.hand import HandState, Result
    from protocol.rules.view import HandView


# --- people and links ---------------------------------------------------------------------------------------------


class LinkState(StrEnum):
    """How somebody is reached just now."""

    SELF = "self"
    DIRECT = "direct"
    VIA = "via"  # relayed through a common friend, named in LinkView.via
    CONNECTING = "connecting"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class LinkView:
    """One link; ``lost_for`` seconds since it was lost, ``reasons`` why it is not connected, in words for people."""

    state: LinkState = LinkState.LOST
    via: str = ""
    lost_for: float = 0.0
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlayerView:
    """Who sits on a seat.  ``bot``: the level if a computer plays, ``host``: on whose node it runs."""

    name: str
    key: str = ""  # identity key, hexadecimal
    words: str = ""  # fingerprint words
    link: LinkView = LinkView(LinkState.SELF)
    bot: str | None = None
    host: str | None = None
    ready: bool = False
    dropped: bool = False  # a ghost plays the cards


@dataclass(frozen=True, slots=True)
class FriendView:
    """A contact.  ``rating``: from own verified matches, or None; ``balance`` in cents from my side (+: owes me)."""

    name: str
    key: str
    words: str
    link: LinkView = LinkView()
    blocked: bool = False
    rating: float | None = None
    matches: int = 0
    balance: int = 0
    addresses: tuple[str, ...] = ()


# --- the lobby ----------------------------------------------------------------------------------------------------


class Absence(StrEnum):
    """What the others may decide when one is gone beyond the grace."""

    WAIT = "wait"
    ADJOURN = "adjourn"
    GHOST = "ghost"


@dataclass(frozen=True, slots=True)
class TermsView:
    """The terms of a table as people see and confirm them; the defaults are a friendly table for small change."""

    mode: str = "four-fixed"  # "variable" | "four-fixed" | "duel"
    stake: int = 10
    limit: int | None = None
    fee: int = 0  # basis points
    kitty: str = "kitty"
    currency: str = "EUR"
    profile: str = "stargames"  # "stargames" | "ddv"
    special_points: bool = True
    seats: str = "friends"  # "anyone" | "friends" | "invited"
    strength: str = ""  # wanted strength, shown only
    clock: int = 60  # seconds per decision
    reserve: int = 180  # seconds of reserve per hand
    grace: int = 90
    one_gone: Absence = Absence.WAIT
    expires_days: int = 30
    hash: str = ""  # first hexadecimal digits of the terms' hash, once they are fixed

    @property
    def hands(self) -> int:
        """Counting hands in a match (R31 to R33)."""
        return 1 if self.mode == "variable" else 4


@dataclass(frozen=True, slots=True)
class OpenTable:
    """A table somebody announces.  ``free``: seats left, ``joinable``: whether we may sit, else ``why_not``."""

    id: str
    opener: PlayerView
    terms: TermsView
    players: tuple[PlayerView, ...] = ()
    free: int = 3
    joinable: bool = True
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class SeatingView:
    """The table I sit at before the match: who is there, who is ready.  ``confirm``: the terms wait for our *ready*."""

    id: str
    terms: TermsView
    players: tuple[PlayerView | None, ...]  # four; None: free
    me: int
    opener: bool = False
    confirm: bool = False
    coming: int = 0  # computers on their way to free seats
    invite: str = ""  # a doko: link to this table's opener, if one was made


@dataclass(frozen=True, slots=True)
class OpenMatch:
    """A match of ours that is not finished and can be taken up again."""

    id: str
    names: tuple[str, ...]
    mode: str
    hands_done: int
    since: float  # epoch seconds


@dataclass(frozen=True, slots=True)
class HouseView:
    """A friend's host of computers that is connected: what may be asked for.  ``free``: computers that could come."""

    name: str
    key: str  # identity key, hexadecimal
    levels: tuple[str, ...]
    free: int


@dataclass(frozen=True, slots=True)
class LobbyView:
    """Everything the lobby shows."""

    tables: tuple[OpenTable, ...] = ()
    friends: tuple[FriendView, ...] = ()
    seating: SeatingView | None = None
    open_matches: tuple[OpenMatch, ...] = ()
    addresses: tuple[str, ...] = ()  # where we listen, as others may type it
    invite: str = ""  # the last doko: link made for a friend
    invite_expires: float = 0.0  # epoch seconds
    reach: str = "world"  # from where our addresses can be reached: "machine" | "network" | "world"
    houses: tuple[HouseView, ...] = ()


# --- the table ----------------------------------------------------------------------------------------------------


class Stage(StrEnum):
    """What the table is doing."""

    RESUMING = "resuming"  # after a start: each seat first tells which of our entries it holds
    DEALING = "dealing"
    HAND = "hand"  # bidding or playing
    SETTLING = "settling"
    SETTLED = "settled"
    ADJOURNED = "adjourned"
    STOPPED = "stopped"  # evidence or disagreement; ``TableView.stop`` says it in words


class Step(StrEnum):
    """A seat's progress in one step of the deal."""

    WAITING = "waiting"
    WORKING = "working"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class DealView:
    """The deal as it happens; each tuple is by seat.  ``barrier``: everyone has checked every shuffle."""

    number: int = 1
    commits: tuple[Step, ...] = (Step.WAITING,) * 4
    keys: tuple[Step, ...] = (Step.WAITING,) * 4
    shuffles: tuple[Step, ...] = (Step.WAITING,) * 4
    checks: tuple[Step, ...] = (Step.WAITING,) * 4  # the barrier: each says that all shuffles are right
    shares: tuple[Step, ...] = (Step.WAITING,) * 4
    proving: bool = False  # a proof of ours is being computed now

    @property
    def barrier(self) -> bool:
        """Whether every seat has checked every shuffle."""
        return all(step is Step.DONE for step in self.checks)

    @property
    def done(self) -> bool:
        """Whether the cards are dealt."""
        return all(step is Step.DONE for step in self.shares)


class Ask(StrEnum):
    """Kinds of question to the person."""

    BID = "bid"
    NAME = "name"
    MARRY = "marry"  # the marriage's proof; the node answers this by itself unless a console wants to see it
    PLAY = "play"
    ABSENCE = "absence"
    GO_ON = "go-on"  # after three void hands (R29)


@dataclass(frozen=True, slots=True)
class Question:
    """What the table waits for *from us*.  ``serial`` grows with each new question (the input lock watches it)."""

    serial: int
    kind: Ask
    left: float | None = None  # seconds on our clock at TableView.now, None: no clock


@dataclass(frozen=True, slots=True)
class CallOffer:
    """A call that may be made now.  ``until``: cards in hand at which it is last in time, ``cards``: in hand now."""

    kind: CallKind
    until: int
    cards: int
    reply: bool = False  # in time only as a reply (R20)


@dataclass(frozen=True, slots=True)
class ClockView:
    """One seat's clock: seconds of the running decision and of the reserve; ``running``: it is this seat's turn."""

    left: float | None = None
    reserve: float = 0.0
    running: bool = False


@dataclass(frozen=True, slots=True)
class ChatLine:
    """A line of chat; ``serial`` grows by one a line."""

    serial: int
    name: str
    text: str
    seat: int | None = None


class Tone(StrEnum):
    """How a notice is meant."""

    INFO = "info"
    GOOD = "good"
    WARN = "warn"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the node says once, already in the user's language; ``serial`` grows by one a notice."""

    serial: int
    text: str
    tone: Tone = Tone.INFO


@dataclass(frozen=True, slots=True)
class FinishedHand:
    """A hand that is over, with everything: for the score page and the review.  Tuples of money are by *seat*."""

    number: int  # counting hand 1..4; a void hand has the number it was to have
    deal: int
    forehand: int  # seat
    result: Result
    state: HandState
    hands: tuple[tuple[int, ...], ...] = ()  # by position, as dealt; () if they were never shown (void)
    points: tuple[int, ...] = (0, 0, 0, 0)  # by seat
    money: tuple[int, ...] = (0, 0, 0, 0)
    kitty: int = 0
    breach: int | None = None  # seat that pays for a proven breach (R30)


@dataclass(frozen=True, slots=True)
class SettlementView:
    """The match's end: who has signed, what everybody gets, and where the file is."""

    signed: tuple[bool, ...]
    points: tuple[int, ...]
    money: tuple[int, ...]
    kitty: int = 0
    path: str = ""


@dataclass(frozen=True, slots=True)
class AbsenceView:
    """Who is gone, what the three may choose, and what has been chosen (by seat; None: not yet)."""

    seats: tuple[int, ...]
    grace_left: float = 0.0
    choices: tuple[Absence, ...] = ()
    votes: tuple[Absence | None, ...] = (None,) * 4


@dataclass(frozen=True, slots=True)
class TableView:
    """One match as one seat sees it."""

    me: int
    match: str  # hexadecimal match id
    terms: TermsView
    players: tuple[PlayerView, ...]  # by seat
    stage: Stage
    hand_number: int = 1  # counting hand, 1..terms.hands
    forehand: int = 0  # seat
    deal: DealView = DealView()
    hand: HandView | None = None
    question: Question | None = None
    offers: tuple[CallOffer, ...] = ()
    pending_calls: tuple[tuple[int, CallKind], ...] = ()  # (seat, call) shown at once, not yet carried by a PLAY
    clocks: tuple[ClockView, ...] = (ClockView(),) * 4
    points: tuple[int, ...] = (0, 0, 0, 0)  # running totals by seat
    money: tuple[int, ...] = (0, 0, 0, 0)
    kitty: int = 0
    finished: tuple[FinishedHand, ...] = ()
    settlement: SettlementView | None = None
    absence: AbsenceView | None = None
    told: tuple[bool, ...] = (True,) * 4  # resuming: who has told what it holds of ours
    void_votes: tuple[bool, ...] = (False,) * 4
    pause_votes: tuple[bool, ...] = (False,) * 4
    paused: bool = False
    dwell: float = 2.0  # seconds a finished trick stays: the longest wish at the table
    chat: tuple[ChatLine, ...] = ()
    chat_muted: bool = False  # off while a hand runs
    waiting: tuple[int, ...] = ()  # seats that owe something now, ours included
    busy: bool = False  # a command of ours is being worked on
    practice: bool = False  # all others are computers: hints are allowed
    rematch: tuple[bool, ...] = (False,) * 4
    stop: str = ""  # why the table stopped, in words
    evidence: str = ""  # path of the evidence file, if there is one
    now: float = 0.0

    def seat_of(self, position: int) -> int:
        """The seat of a position counted from forehand."""
        return (self.forehand + position) % 4

    def position_of(self, seat: int) -> int:
        """The position counted from forehand of a seat."""
        return (seat - self.forehand) % 4


# --- the books ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Balance:
    """What stands between me and one player (or the kitty) in one currency; + is to my good."""

    name: str
    amount: int
    currency: str
    matches: int = 0


@dataclass(frozen=True, slots=True)
class Payment:
    """One of the fewest payments that make all square."""

    payer: str
    payee: str
    amount: int
    currency: str


@dataclass(frozen=True, slots=True)
class LedgerView:
    """Balances from verified settlements, the payments that make all square, and the kitties."""

    balances: tuple[Balance, ...] = ()
    payments: tuple[Payment, ...] = ()
    kitties: tuple[Balance, ...] = ()


@dataclass(frozen=True, slots=True)
class MatchRow:
    """One finished match in the history; ``me`` indexes ``names``; ``hand_points`` are mine, hand by hand."""

    id: str
    when: float  # epoch seconds
    mode: str
    names: tuple[str, ...]
    me: int
    points: tuple[int, ...]
    money: tuple[int, ...]
    currency: str
    hand_points: tuple[int, ...] = ()
    path: str = ""


@dataclass(frozen=True, slots=True)
class HistoryView:
    """Finished matches, oldest first, and my rating after each (if it is kept)."""

    matches: tuple[MatchRow, ...] = ()
    ratings: tuple[float, ...] = ()


# --- the whole ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class View:
    """Everything a console shows."""

    me: PlayerView
    lobby: LobbyView = field(default_factory=LobbyView)
    table: TableView | None = None
    ledger: LedgerView | None = None
    history: HistoryView | None = None
    notices: tuple[Notice, ...] = ()  # the last few, oldest first
    version: str = ""


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
    """Play a card of this type from the hand."""

    card: int


@dataclass(frozen=True, slots=True)
class MakeCall:
    """Re, Contra or an Absage, R16 to R20."""

    kind: CallKind


@dataclass(frozen=True, slots=True)
class VoidHand:
    """Agree that this hand is void, R29: a signature, so it cannot be taken back; it lapses with the next card."""


@dataclass(frozen=True, slots=True)
class DealAnew:
    """Agree that the running deal is thrown away before a card is dealt."""


@dataclass(frozen=True, slots=True)
class Pause:
    """Ask for, agree to, or end a pause by consent."""

    on: bool = True


@dataclass(frozen=True, slots=True)
class WishDwell:
    """How long a finished trick shall stay, in seconds; the longest wish at the table wins."""

    seconds: float


@dataclass(frozen=True, slots=True)
class SeenTrick:
    """The person has looked enough at the last trick: computers need not wait for this wish."""


@dataclass(frozen=True, slots=True)
class ChooseAbsence:
    """One's choice while somebody is gone."""

    choice: Absence


@dataclass(frozen=True, slots=True)
class AskHint:
    """In practice: what would ``strong`` do now, and why; the answer comes as a notice."""


@dataclass(frozen=True, slots=True)
class GoOn:
    """Go on after three void hands in a row, R29."""


@dataclass(frozen=True, slots=True)
class Say:
    """A line of chat to the table."""

    text: str


@dataclass(frozen=True, slots=True)
class MuteChat:
    """Switch chat off or on for the running hand."""

    muted: bool


@dataclass(frozen=True, slots=True)
class OpenNewTable:
    """Open a table on these terms; ``bots``: levels that fill seats at once."""

    terms: TermsView
    bots: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class JoinTable:
    """Ask for a seat at an announced table (``id``) or at an address or ``doko:`` link (``where``)."""

    id: str = ""
    where: str = ""


@dataclass(frozen=True, slots=True)
class FillWithBots:
    """Fill the free seats of my table with computers of this level, mine or those of a friend's host."""

    level: str = "beginner"
    count: int | None = None  # None: all free seats
    host: str = ""  # identity key of a :class:`HouseView`, hexadecimal; empty: this node hosts them


@dataclass(frozen=True, slots=True)
class Ready:
    """Confirm the terms: a signature, so leaving the table is the only way back."""


@dataclass(frozen=True, slots=True)
class Leave:
    """Leave the table: a seat before the match, the table after it; during a match it adjourns for all."""


@dataclass(frozen=True, slots=True)
class Rematch:
    """Another match on the same terms with the same four."""


@dataclass(frozen=True, slots=True)
class ResumeMatch:
    """Take up an unfinished match."""

    id: str


@dataclass(frozen=True, slots=True)
class MakeInvite:
    """Make a ``doko:`` link; it appears in ``LobbyView.invite``."""


@dataclass(frozen=True, slots=True)
class AddFriend:
    """Redeem a ``doko:`` link somebody gave us."""

    link: str


@dataclass(frozen=True, slots=True)
class RenameFriend:
    """Call a friend by another name."""

    key: str
    name: str


@dataclass(frozen=True, slots=True)
class BlockFriend:
    """Block or unblock."""

    key: str
    blocked: bool = True


@dataclass(frozen=True, slots=True)
class RemoveFriend:
    """Forget a contact."""

    key: str


@dataclass(frozen=True, slots=True)
class InviteFriend:
    """Invite a connected friend to my open table."""

    key: str


@dataclass(frozen=True, slots=True)
class LookLedger:
    """Ask for a fresh :attr:`View.ledger`."""


@dataclass(frozen=True, slots=True)
class LookHistory:
    """Ask for a fresh :attr:`View.history`."""


@dataclass(frozen=True, slots=True)
class Export:
    """Write a match's records (``"record"``), the ledger or history as CSV (``"ledger"``, ``"history"``)."""

    what: str
    match: str = ""
    path: Path | None = None


@dataclass(frozen=True, slots=True)
class Quit:
    """Leave the program; a match stays open and can be taken up again."""


Command = (
    Bid
    | NameGame
    | PlayCard
    | MakeCall
    | VoidHand
    | DealAnew
    | Pause
    | WishDwell
    | SeenTrick
    | ChooseAbsence
    | AskHint
    | GoOn
    | Say
    | MuteChat
    | OpenNewTable
    | JoinTable
    | FillWithBots
    | Ready
    | Leave
    | Rematch
    | ResumeMatch
    | MakeInvite
    | AddFriend
    | RenameFriend
    | BlockFriend
    | RemoveFriend
    | InviteFriend
    | LookLedger
    | LookHistory
    | Export
    | Quit
)
#: Everything a person can ask of a node, in the order of this module.
COMMANDS: tuple[type, ...] = Command.__args__


class Desk(Protocol):
    """Where a node shows its view and takes its commands: a console, full screen or plain, or a test."""

    def show(self, view: View) -> None:
        """Show *view*; returns at once, from trio's thread; redraws are coalesced."""

    async def command(self) -> Command:
        """The next command, waiting for it; a closed console gives :class:`Quit`."""
