"""Cards and other things that are drawn on a canvas in more than one place."""

from node.console.canvas import Canvas, text_width
from node.console.faces import Faces
from node.console.style import suit_style
from protocol.cards import SUIT_OF


def draw_card(
    canvas: Canvas,
    x: int,
    y: int,
    size: tuple[int, int],
    card: int,
    faces: Faces,
    state: str = "",
    visible: int | None = None,
) -> None:
    """A card of *size* columns and rows; *state* as in :func:`~node.console.style.suit_style`.

    *visible*: the columns that the next card of a fan will leave to be seen.
    """
    width, height = size
    frame = "card" + (f".{state}" if state else "")
    ink = suit_style(SUIT_OF[card], state)
    label = faces.card(card)
    canvas.box(x, y, width, height, frame, faces.box)
    if height <= 3:
        canvas.text(x + (width - text_width(label)) // 2, y + 1, label, ink)
        return
    canvas.text(x + 1, y + 1, label, ink)
    symbol = faces.suits[SUIT_OF[card]]
    if height >= 5 and width >= 7:
        end = width - 1 if visible is None or visible >= width else visible
        canvas.text(x + end - text_width(label), y + height - 2, label, ink)
        if height >= 6:
            canvas.text(x + (end + 1) // 2, y + height // 2 - (height + 1) % 2, symbol, ink)
    else:
        end = width - 1 if visible is None or visible >= width else visible
        canvas.text(x + end - 1, y + height - 2, symbol, ink)


def draw_back(canvas: Canvas, x: int, y: int, size: tuple[int, int], faces: Faces) -> None:
    """A card face down."""
    width, height = size
    canvas.box(x, y, width, height, "back.edge", faces.box)
    canvas.fill(x + 1, y + 1, width - 2, height - 2, ":" if faces.ascii else "▒", "back")
