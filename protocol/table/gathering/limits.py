"""How long a gathering waits for whom (seconds), and how much it holds."""

from typing import Final

ASK_SECONDS: Final = 30.0  # a joiner waits for an answer to its request
LINK_SECONDS: Final = 60.0  # a seat is kept for a lost link; a lost opener is waited for
CONFIRM_SECONDS: Final = 180.0  # people read the terms
SEATING_SECONDS: Final = 120.0  # programs answer each other
MAX_HELD: Final = 32  # messages that came before their TERMS
