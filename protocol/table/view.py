"""What one seat may see of a table: a frozen value, made anew by ``Table.view(now)``.

Seats are 0..3; :class:`~protocol.rules.view.HandView` counts positions from forehand.  Nothing in here is a secret of
another seat, and of one's own hand only the cards.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from protocol.rules.calls import CallKind
    from protocol.rules.view import HandView
    from protocol.table.effects import Command
    from protocol.table.end_phase import ClosedHand


class Stage(StrEnum):
    """What the table is doing.

    ::

        RESUMING -> DEALING -> HAND -> DEALING ... -> SETTLING -> SETTLED        any -> STOPPED
    """

    RESUMING = "resuming"  # after a start: each seat has first to tell which of our entries it holds
    DEALING = "dealing"
    HAND = "hand"
    SETTLING = "settling"
    SETTLED = "settled"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class DealProgress:
    """Who has done what in the running deal (tuples by seat); ``proving``: a proof of ours is being computed."""

    deal: int
    commit: tuple[bool, bool, bool, bool]
    keys: tuple[bool, bool, bool, bool]
    keyok: tuple[bool, bool, bool, bool]
    shuffle: tuple[bool, bool, bool, bool]
    barrier: tuple[bool, bool, bool, bool]
    shares: tuple[bool, bool, bool, bool]
    proving: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """What the table waits for from us.

    ``kind``: ``bid name play go-on``; ``commands``: every legal answer; ``serial`` grows with each new question;
    ``deadline``: the moment (on the clock passed in) at which our clock is used up, None without a clock.
    """

    serial: int
    kind: str
    commands: tuple[Command, ...]
    deadline: float | None


@dataclass(frozen=True, slots=True)
class Absence:
    """Who owes an entry.  ``gone``: seats beyond their grace; ``since`` and ``grace_ends`` on the clock passed in."""

    waiting: tuple[int, ...]
    gone: tuple[int, ...]
    since: float
    grace_ends: float | None
    adjourned: bool  # two gone, or a host of two: no money moves, the hand stays open


@dataclass(frozen=True, slots=True)
class CoreView:
    """One match as one seat sees it."""

    me: int
    match: bytes
    stage: Stage
    hand_number: int  # counting hand, from 1
    hands: int  # counting hands of the match
    forehand: int | None  # seat; None: the coin has not fallen
    deal: DealProgress
    hand: HandView | None  # from SHARES to RESULT; calls shown but not yet carried count in its state
    question: Question | None
    calls: tuple[CallKind, ...]  # what we may call now
    pending: tuple[tuple[int, CallKind], ...]  # (seat, call) shown at once, carried by no card yet
    waiting: tuple[int, ...]  # seats that owe an entry now, ours included
    points: tuple[int, int, int, int]
    money: tuple[int, int, int, int]
    kitty: int
    finished: tuple[ClosedHand, ...]
    signed: tuple[bool, bool, bool, bool]  # SETTLE
    settlement: bytes | None  # the file, once we hold at least our own signature under equal bytes
    void_votes: tuple[bool, bool, bool, bool]
    told: tuple[bool, bool, bool, bool]  # resuming: who has told what it holds of ours
    absence: Absence | None
    reserve: tuple[float | None, float | None, float | None, float | None]  # seconds of reserve left in this hand
    decision: tuple[float | None, float | None, float | None, float | None]  # seconds before the reserve runs, if due
    pause_votes: tuple[bool, bool, bool, bool] = (False, False, False, False)
    paused: bool = False  # by consent: the clocks stand still
    stopped: str = ""
    busy: bool = False  # a command of ours is being worked on
