"""A ``doko:`` link for a friend, as text to copy and as a QR code."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache

from node.console import words
from node.console.canvas import Canvas, wrap
from node.console.page import Page, draw_header
from node.i18n import _


@lru_cache(maxsize=4)
def qr_rows(text: str) -> tuple[str, ...]:
    """*text* as a QR code of half blocks, dark modules drawn; two modules a row."""
    import segno

    matrix: Sequence[Sequence[int]] = [
        [int(module) for module in row] for row in segno.make(text, error="l", micro=False).matrix
    ]
    size = len(matrix)
    quiet = 2
    width = size + 2 * quiet

    def module(x: int, y: int) -> int:
        return matrix[y][x] if 0 <= x < size and 0 <= y < size else 0

    rows = []
    for y in range(-quiet, size + quiet, 2):
        cells = ((module(x, y), module(x, y + 1)) for x in range(-quiet, width - quiet))
        rows.append("".join({(0, 0): " ", (1, 0): "▀", (0, 1): "▄", (1, 1): "█"}[cell] for cell in cells))
    return tuple(rows)


class InvitePage(Page):
    """The link, how long it is good, and its QR code if there is room."""

    def draw(self, canvas: Canvas) -> None:
        draw_header(canvas, _("Invite a friend"))
        view = self.model.view
        margin = 2 if canvas.width >= 60 else 1
        width = canvas.width - 2 * margin
        link = view.lobby.invite if view is not None else ""
        if not link:
            canvas.text(margin, 2, _("One moment ..."), "soft")
            return
        y = 1
        text = _("Give this link to one friend, by any way you trust. It works once.")
        expires = view.lobby.invite_expires if view is not None else 0.0
        if expires:
            when = datetime.fromtimestamp(expires).strftime("%Y-%m-%d %H:%M")
            text += " " + _("It is good until {when}.").format(when=when)
        for row in wrap(text, width):
            canvas.text(margin, y, row, "felt")
            y += 1
        for row in wrap(link, width):
            canvas.text(margin, y, row, "strong")
            y += 1
        if view is not None:
            style, text = words.reach_line(view.lobby.addresses, view.lobby.reach)
            for row in wrap(text, width):
                canvas.text(margin, y, row, style)
                y += 1
        rows = qr_rows(link)
        if not self.model.faces.ascii and y + len(rows) < canvas.height and len(rows[0]) <= width:
            for row in rows:
                canvas.text(margin, y, row, "qr")
                y += 1
        canvas.cursor = (margin, 1)

    def offers(self, action: str) -> bool:
        return action not in ("prev", "next")
