"""What a person has set about the console, and what the terminal can show.

:class:`Settings` is a frozen value made once from the configuration (section ``[console]``) and the environment; the
settings page changes it only by replacing it.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final, TextIO

#: The choices of each setting that has a list of them, in the order the settings page goes through them.
CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "theme": ("dark", "light", "mono"),
    "colours": ("four", "two"),
    "faces": ("unicode", "ascii"),
    "letters": ("record", "language"),
    "suits": ("french", "german"),
    "sort": ("trumps-first", "trumps-last", "by-suit"),
    "guard": ("off", "mouse", "always"),
}
#: Wishes for the dwell time, in seconds, that the settings page offers.
DWELLS: Final = (0.0, 1.0, 2.0, 3.0, 5.0)


@dataclass(frozen=True, slots=True)
class Settings:
    """One person's console.  Times in seconds."""

    theme: str = "dark"
    colours: str = "four"
    faces: str = "unicode"
    letters: str = "record"
    suits: str = "french"
    sort: str = "trumps-first"
    dwell: float = 2.0  # how long I wish a finished trick to stay
    guard: str = "mouse"  # a chosen card is held back for ``guard_time`` after these, and Escape takes it back
    guard_time: float = 1.0
    lock: float = 0.3  # keys that answer are ignored for this long after the question changed
    bell: bool = True
    mouse: bool = False
    hide: bool = False  # start with covered cards
    felt: bool = True
    auto_last: bool = True  # the forced last card is played by itself after a short random delay


def can_encode(encoding: str | None, text: str) -> bool:
    """Whether *encoding* has all of *text*."""
    try:
        text.encode(encoding or "ascii")
    except (UnicodeError, LookupError):
        return False
    return True


def detect(stream: TextIO, environ: Mapping[str, str] = os.environ) -> Settings:
    """The defaults for this terminal: ``NO_COLOR``, ``COLORFGBG`` and the output's encoding."""
    theme = "dark"
    background = environ.get("COLORFGBG", "").rpartition(";")[2]
    if background in ("7", "15"):
        theme = "light"
    if environ.get("NO_COLOR") or environ.get("TERM") in ("vt100", "vt220", "dumb"):
        theme = "mono"
    faces = "unicode" if can_encode(getattr(stream, "encoding", None), "♠♥♦♣╭─╮│▌●…·") else "ascii"
    return Settings(theme=theme, faces=faces)


def with_values(settings: Settings, values: Mapping[str, Any]) -> Settings:
    """*settings* with *values* laid over them; unknown keys, ``"auto"`` and values of a wrong kind are left out."""
    changes: dict[str, Any] = {}
    for item in fields(Settings):
        if item.name not in values:
            continue
        value, old = values[item.name], getattr(settings, item.name)
        if isinstance(old, bool):
            if isinstance(value, bool):
                changes[item.name] = value
        elif isinstance(old, float):
            if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 60:
                changes[item.name] = float(value)
        elif value in CHOICES[item.name]:
            changes[item.name] = value
    return Settings(**{item.name: changes.get(item.name, getattr(settings, item.name)) for item in fields(Settings)})
