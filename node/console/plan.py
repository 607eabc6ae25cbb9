"""Where things lie on the table, for each size of the terminal.

====================  ==========================================================================
under 40 x 12         nothing but "please enlarge"
under 80 x 24         compact: a line for each player, cards as words
80 x 24               the table with fans, cards of 6 x 4, the last sentences below
from 100 x 30         larger cards, scores and sentences in a panel at the right
from 120 x 40         the largest cards
====================  ==========================================================================
"""

from dataclasses import dataclass
from typing import Final

SMALLEST: Final = (40, 12)


@dataclass(frozen=True, slots=True)
class Plan:
    """Sizes and rows.  ``area``: columns of the table, the rest is the panel; ``log``: rows of sentences below."""

    compact: bool
    area: int
    panel: int
    card: tuple[int, int]
    trick: tuple[int, int]
    north: int = 0
    trick_top: int = 0
    own: int = 0
    hand_top: int = 0
    marks: int = 0
    prompt: int = 0
    prompt_rows: int = 2
    log_top: int = 0
    log: int = 0


def too_small(width: int, height: int) -> bool:
    """Whether nothing sensible can be drawn."""
    return width < SMALLEST[0] or height < SMALLEST[1]


def plan_for(width: int, height: int) -> Plan:
    """The plan for a terminal of *width* columns and *height* rows."""
    if width < 80 or height < 24:
        return Plan(True, width, 0, (4, 1), (4, 1))
    panel = 0 if width < 100 else 30 if width < 120 else 38
    if height >= 40 and width >= 120:
        card, trick = (9, 6), (9, 6)
    elif height >= 30:
        card, trick = (7, 5), (7, 4)
    else:
        card, trick = (6, 4), (6, 3)
    fixed = 1 + 2 + (2 * trick[1] + 1) + 1 + (card[1] + 1) + 1 + 2 + 1
    spare = height - fixed
    log = 0 if panel else min(max(spare - 1, 0), 5)
    spare -= log
    gaps = [0, 0, 0]  # below the header, above the trick, below the trick
    for number in range(spare):
        gaps[(2, 1, 0)[number % 3]] += 1
    north = 1 + gaps[0]
    trick_top = north + 2 + gaps[1]
    own = trick_top + 2 * trick[1] + 1 + gaps[2]
    hand_top = own + 1
    marks = hand_top + card[1] + 1
    prompt = marks + 1
    return Plan(
        False, width - panel, panel, card, trick, north, trick_top, own, hand_top, marks, prompt, 2, prompt + 2, log
    )
