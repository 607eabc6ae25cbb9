"""Calls: the two sides, the six calls and their deadlines (R16..R20).

A side's calls are one number, its *level*: 0 nothing, 1 Re or Contra, 2 no 90, 3 no 60, 4 no 30, 5 black.  A call
sets the level to its step and thereby calls every step below it too (R18), so a step is called exactly if it is at
most the level.

>>> needed(CallKind.RE), needed(CallKind.BLACK), needed(CallKind.NO90, shift=1)
(11, 7, 9)
>>> reply_needed(CallKind.KONTRA), reply_needed(CallKind.BLACK)
(10, 6)
"""

from enum import StrEnum
from typing import Final


class Side(StrEnum):
    """The two sides of a hand (R11)."""

    RE = "re"
    KONTRA = "kontra"

    @property
    def other(self) -> "Side":
        """The opponents."""
        return Side.KONTRA if self is Side.RE else Side.RE


class CallKind(StrEnum):
    """What can be called; the values are those of hand records."""

    RE = "re"
    KONTRA = "kontra"
    NO90 = "no90"
    NO60 = "no60"
    NO30 = "no30"
    BLACK = "black"


#: The level to which a call lifts its side.
STEP: Final = {
    CallKind.RE: 1,
    CallKind.KONTRA: 1,
    CallKind.NO90: 2,
    CallKind.NO60: 3,
    CallKind.NO30: 4,
    CallKind.BLACK: 5,
}
#: The Absagen by step, from 2.
ABSAGEN: Final = (CallKind.NO90, CallKind.NO60, CallKind.NO30, CallKind.BLACK)
#: Re or Contra, by side.
ANSAGE: Final = {Side.RE: CallKind.RE, Side.KONTRA: CallKind.KONTRA}
#: Index of a side in pairs such as ``HandState.levels``.
SIDE_INDEX: Final = {Side.RE: 0, Side.KONTRA: 1}


def needed(kind: CallKind, shift: int = 0) -> int:
    """Cards the caller must still hold for *kind* by itself (R16); *shift* 0..2 is that of a marriage (R17)."""
    return 12 - STEP[kind] - shift


def reply_needed(against: CallKind, shift: int = 0) -> int:
    """Cards that Re or Contra needs as a reply to the other side's call *against* (R20)."""
    return 11 - STEP[against] - shift
