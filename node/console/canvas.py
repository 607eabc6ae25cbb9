"""A grid of styled character cells: what every page draws on, and what terminals, tests and pictures read.

A cell is one column.  A wide character (width 2 by wcwidth) takes two cells, the second of which is empty; combining
characters join the cell before them.  Everything outside the grid is silently cut, so no page can crash by being drawn
too small.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from wcwidth import wcwidth

#: A run of text in one style; styles are names of :mod:`node.console.style`, joined by blanks.
Fragment = tuple[str, str]
ELLIPSIS: Final = "…"


def char_width(char: str) -> int:
    """Columns that *char* takes: 0, 1 or 2; control characters count as 1 (they are drawn as ``?``)."""
    if " " <= char <= "~":
        return 1
    width = wcwidth(char)
    return 1 if width < 0 else width


def text_width(text: str) -> int:
    """Columns that *text* takes."""
    return sum(map(char_width, text))


def clip(text: str, width: int, ellipsis: str = ELLIPSIS) -> str:
    """*text* cut to at most *width* columns, ending in an ellipsis if something was cut."""
    if text_width(text) <= width:
        return text
    if width <= 0:
        return ""
    room = width - text_width(ellipsis)
    if room < 0:
        return ellipsis[:width]
    out, used = [], 0
    for char in text:
        used += char_width(char)
        if used > room:
            break
        out.append(char)
    return "".join(out) + ellipsis


def pad(text: str, width: int, align: str = "<") -> str:
    """*text* clipped or filled with blanks to exactly *width* columns; *align* is ``<``, ``>`` or ``^``."""
    text = clip(text, width)
    gap = width - text_width(text)
    if align == ">":
        return " " * gap + text
    if align == "^":
        return " " * (gap // 2) + text + " " * (gap - gap // 2)
    return text + " " * gap


def wrap(text: str, width: int) -> list[str]:
    """*text* as lines of at most *width* columns, broken at blanks where possible; newlines are kept."""
    width = max(width, 1)
    lines: list[str] = []
    for paragraph in text.split("\n"):
        indent = " " * min(len(paragraph) - len(paragraph.lstrip(" ")), width - 1)
        line, used = indent, len(indent)
        fresh = True
        for word in paragraph.split():
            size = text_width(word)
            if not fresh and used + 1 + size > width:
                lines.append(line)
                line, used, fresh = indent, len(indent), True
            while size > width - used and fresh and size > 1:  # a word longer than a line
                head = clip(word, max(width - used, 1), "")
                if not head:
                    break
                lines.append(line + head)
                word = word[len(head) :]
                size = text_width(word)
                line, used = indent, len(indent)
            line, used = (line + word, used + size) if fresh else (line + " " + word, used + 1 + size)
            fresh = False
        lines.append(line)
    return lines


@dataclass(frozen=True, slots=True)
class Spot:
    """A rectangle that can be clicked; ``action`` is what the click means to the page that drew it."""

    x: int
    y: int
    width: int
    height: int
    action: str


class Canvas:
    """A grid of *width* by *height* cells."""

    def __init__(self, width: int, height: int, style: str = "") -> None:
        self.width = max(width, 0)
        self.height = max(height, 0)
        self._chars = [[" "] * self.width for _ in range(self.height)]
        self._styles = [[style] * self.width for _ in range(self.height)]
        #: Where the terminal's cursor belongs (screen readers follow it).
        self.cursor: tuple[int, int] = (0, 0)
        #: Whether the cursor is to be seen.
        self.show_cursor = False
        #: What can be clicked, the last drawn on top.
        self.spots: list[Spot] = []

    def text(self, x: int, y: int, text: str, style: str = "", width: int | None = None, align: str = "<") -> int:
        """Write *text* at column *x*, row *y*; returns the column behind it.  *width*: clip and fill to that."""
        if width is not None:
            text = pad(text, width, align)
        if not 0 <= y < self.height:
            return x + text_width(text)
        chars, styles = self._chars[y], self._styles[y]
        for char in text:
            size = char_width(char)
            if size == 0:
                if 0 < x <= self.width and chars[x - 1]:
                    chars[x - 1] += char
                continue
            if char < " " or "\x7f" <= char < "\xa0":
                char = "?"
            if x >= 0 and x + size <= self.width:
                if chars[x] == "" and x > 0:
                    chars[x - 1] = " "  # the first half of a wide character is overwritten
                if x + size < self.width and chars[x + size] == "":
                    chars[x + size] = " "
                chars[x] = char
                styles[x] = style
                if size == 2:
                    chars[x + 1] = ""
                    styles[x + 1] = style
            x += size
        return x

    def fragments(self, x: int, y: int, fragments: Iterable[Fragment], limit: int | None = None) -> int:
        """Write runs of text one behind the other, at most *limit* columns; returns the column behind them."""
        end = None if limit is None else x + limit
        for style, text in fragments:
            if end is not None:
                if x >= end:
                    break
                text = clip(text, end - x)
            x = self.text(x, y, text, style)
        return x

    def fill(self, x: int, y: int, width: int, height: int, char: str = " ", style: str = "") -> None:
        """Fill a rectangle."""
        for row in range(max(y, 0), min(y + height, self.height)):
            self.text(x, row, char * width, style)

    def tint(self, x: int, y: int, width: int, height: int, style: str) -> None:
        """Change the style of a rectangle, keeping its characters."""
        for row in range(max(y, 0), min(y + height, self.height)):
            for column in range(max(x, 0), min(x + width, self.width)):
                self._styles[row][column] = style

    def box(
        self, x: int, y: int, width: int, height: int, style: str = "", lines: str = "╭─╮│╰╯", title: str = ""
    ) -> None:
        """A frame with blanks inside; *lines*: corner, horizontal, corner, vertical, corner, corner."""
        if width < 2 or height < 2:
            return
        self.fill(x, y, width, height, " ", style)
        self.text(x, y, lines[0] + lines[1] * (width - 2) + lines[2], style)
        for row in range(y + 1, y + height - 1):
            self.text(x, row, lines[3], style)
            self.text(x + width - 1, row, lines[3], style)
        self.text(x, y + height - 1, lines[4] + lines[1] * (width - 2) + lines[5], style)
        if title and width > 6:
            self.text(x + 2, y, clip(f" {title} ", width - 4), style)

    def replace(self, old: str, new: str) -> None:
        """Put *new* for *old* everywhere; both are single characters of one column."""
        for row in self._chars:
            for x, char in enumerate(row):
                if char == old:
                    row[x] = new

    def spot(self, x: int, y: int, width: int, height: int, action: str) -> None:
        """Make a rectangle clickable."""
        self.spots.append(Spot(x, y, width, height, action))

    def hit(self, x: int, y: int) -> str | None:
        """The action of the topmost spot at a cell."""
        for spot in reversed(self.spots):
            if spot.x <= x < spot.x + spot.width and spot.y <= y < spot.y + spot.height:
                return spot.action
        return None

    def line(self, y: int) -> list[Fragment]:
        """Row *y* as runs of equal style."""
        runs: list[Fragment] = []
        chars, styles = self._chars[y], self._styles[y]
        start = 0
        for x in range(1, self.width + 1):
            if x == self.width or styles[x] != styles[start]:
                runs.append((styles[start], "".join(chars[start:x])))
                start = x
        return runs

    def rows(self) -> Sequence[str]:
        """The characters alone, right-stripped: for tests and pictures."""
        return ["".join(row).rstrip() for row in self._chars]

    def cell(self, x: int, y: int) -> Fragment:
        """Style and character of one cell."""
        return self._styles[y][x], self._chars[y][x]
