"""Small line plots made of characters: braille dots, or stars where only ASCII will do."""

from collections.abc import Sequence
from typing import Final

# Bits of the braille cell by (column, row from the top).
_BITS: Final = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))


def plot(values: Sequence[float], width: int, height: int, ascii_only: bool = False) -> list[str]:
    """*values* over their index as *height* rows of at most *width* columns, with the largest and least at the left.

    >>> print("\\n".join(plot([0, 1, 2, 3], 12, 2, ascii_only=True)))
      3 |   ***
      0 |***
    """
    if not values or height < 1 or width < 8:
        return []
    high, low = max(values), min(values)
    labels = [f"{high:.4g}", f"{low:.4g}"]
    margin = max(map(len, labels)) + 2
    across, down = (1, 1) if ascii_only else (2, 4)
    columns = max(width - margin - 3, 1)
    dots_x = min(columns, max(len(values) * 2, 2) if ascii_only else columns) * across
    if ascii_only:
        dots_x = min(columns, 2 * (len(values) - 1) or 1)
    dots_y = height * down
    grid = [[0] * (-(-dots_x // across)) for _ in range(height)]
    span = (high - low) or 1.0
    before: int | None = None
    for x in range(dots_x):
        place = x * (len(values) - 1) / max(dots_x - 1, 1)
        left = int(place)
        right = min(left + 1, len(values) - 1)
        value = values[left] + (values[right] - values[left]) * (place - left)
        y = round((high - value) / span * (dots_y - 1))
        for row in range(min(y, before if before is not None else y), max(y, before if before is not None else y) + 1):
            if before is not None and row == before and before != y:
                continue
            grid[row // down][x // across] |= 1 if ascii_only else _BITS[x % 2][row % 4]
        before = y
    rows = []
    for number, cells in enumerate(grid):
        label = labels[0] if number == 0 else labels[1] if number == height - 1 else ""
        bar = "|" if ascii_only else "│"
        body = "".join((("*" if cell else " ") if ascii_only else chr(0x2800 + cell)) for cell in cells)
        rows.append(f"{label:>{margin}} {bar}{body}".rstrip())
    return rows
