"""What all pages have in common: keys by the table, a line of keys at the bottom, scrolling text, small windows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from node.console.canvas import Canvas, clip, text_width, wrap
from node.console.documents import Line
from node.console.edit import LineEdit
from node.console.keys import action_for, bindings_of, key_name
from node.i18n import _
from node.view import Command, Tone

if TYPE_CHECKING:
    from node.console.model import Model

#: Style of a tone.
TONES = {Tone.INFO: "felt", Tone.GOOD: "good", Tone.WARN: "warn", Tone.ERROR: "error"}


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several things to choose: what it says, and what it does (a command, or a call without arguments)."""

    label: str
    act: Command | Callable[[], None]
    note: str = ""


class Page:
    """A page or a small window over one.  Methods named ``do_<action>`` do what :mod:`node.console.keys` names."""

    #: Contexts of the key table, first match wins; ``everywhere`` is always the last.
    contexts: ClassVar[tuple[str, ...]] = ("page",)
    #: Drawn over the page below instead of alone.
    popup: ClassVar[bool] = False

    def __init__(self, model: Model) -> None:
        self.model = model

    def where(self) -> tuple[str, ...]:
        """The contexts in force just now."""
        return self.contexts

    def draw(self, canvas: Canvas) -> None:
        """Draw on the whole canvas; its last row is left to the line of keys."""

    def press(self, key: str) -> bool:
        """Act on a key; False if it means nothing here."""
        found = action_for(key, (*self.where(), "everywhere"))
        if found is None:
            return False
        _context, action = found
        return self.perform(action, key)

    def perform(self, action: str, key: str = "") -> bool:
        """Do *action* here, or let the model do what is the same everywhere."""
        method = getattr(self, "do_" + action.replace("-", "_"), None)
        if method is None:
            return self.model.perform(action)
        method(key)
        return True

    def click(self, action: str) -> None:
        """A spot was clicked."""
        self.perform(action)

    def paste(self, text: str) -> None:
        """Text was pasted."""

    def close(self) -> None:
        """Take this page from the stack."""
        self.model.close(self)

    def do_close(self, _key: str = "") -> None:
        """Close."""
        self.close()

    def footer(self) -> list[tuple[str, str, str]]:
        """``(key, what, action)`` for the line of keys."""
        entries = []
        seen = set()
        for context in (*self.where(), "everywhere"):
            for binding in bindings_of(context):
                if binding.short and binding.action not in seen and self.offers(binding.action):
                    seen.add(binding.action)
                    name = key_name(binding.keys[0], _, self.model.faces.ascii)
                    entries.append((name, _(binding.short), binding.action))
        return entries

    def offers(self, _action: str) -> bool:
        """Whether an action makes sense just now, and so belongs into the line of keys."""
        return True


def draw_footer(canvas: Canvas, page: Page) -> None:
    """The line of keys: as many as fit, each clickable; help and leave come last and always stay."""
    y = canvas.height - 1
    canvas.fill(0, y, canvas.width, 1, " ", "footer")
    entries = page.footer()
    general = [entry for entry in entries if entry[2] in ("help", "quit")]
    special = [entry for entry in entries if entry[2] not in ("help", "quit")]
    reserved = sum(text_width(key) + text_width(what) + 3 for key, what, _action in general)
    x = 1
    for key, what, action in special:
        width = text_width(key) + text_width(what) + 3
        if x + width > canvas.width - reserved:
            break
        x = _footer_entry(canvas, x, y, key, what, action)
    x = max(canvas.width - reserved, x)
    for key, what, action in general:
        x = _footer_entry(canvas, x, y, key, what, action)


def _footer_entry(canvas: Canvas, x: int, y: int, key: str, what: str, action: str) -> int:
    start = x
    x = canvas.text(x, y, key, "footer.key")
    x = canvas.text(x, y, " " + what, "footer")
    canvas.spot(start, y, x - start, 1, action)
    return x + 2


class DocumentPage(Page):
    """Text to scroll.  *make(width)* gives its lines; *others* pages to the left and right, if there are several."""

    def __init__(
        self,
        model: Model,
        title: str,
        make: Callable[[int], list[Line]],
        step: Callable[[int], tuple[str, Callable[[int], list[Line]]] | None] | None = None,
    ) -> None:
        super().__init__(model)
        self.title = title
        self.make = make
        self.step = step
        self.top = 0
        self.height = 1
        self.length = 0

    def lines(self, width: int) -> list[Line]:
        """The lines at a width."""
        lines = self.make(width)
        if lines and "".join(text for _style, text in lines[0]) == self.title:
            return lines[2:]  # the header says it already
        return lines

    def draw(self, canvas: Canvas) -> None:
        draw_header(canvas, self.title)
        margin = 2 if canvas.width >= 60 else 1
        width = min(canvas.width - 2 * margin, 100)
        lines = self.lines(width)
        self.height = max(canvas.height - 3, 1)
        self.length = len(lines)
        self.top = max(min(self.top, self.length - self.height), 0)
        for row, line in enumerate(lines[self.top : self.top + self.height]):
            canvas.fragments(margin, 2 + row, line, width)
        if self.length > self.height:
            share = f" {min(self.top + self.height, self.length)}/{self.length} "
            canvas.text(canvas.width - len(share) - 1, 0, share, "header.soft")
        canvas.cursor = (margin, 2)

    def offers(self, action: str) -> bool:
        return action not in ("prev", "next") or self.step is not None

    def do_up(self, _key: str = "") -> None:
        """A line up."""
        self.top = max(self.top - 1, 0)

    def do_down(self, _key: str = "") -> None:
        """A line down."""
        self.top += 1

    def do_page_up(self, _key: str = "") -> None:
        """A page up."""
        self.top = max(self.top - self.height, 0)

    def do_page_down(self, _key: str = "") -> None:
        """A page down."""
        self.top += self.height

    def do_top(self, _key: str = "") -> None:
        """To the top."""
        self.top = 0

    def do_bottom(self, _key: str = "") -> None:
        """To the bottom."""
        self.top = max(self.length - self.height, 0)

    def _turn(self, by: int) -> None:
        found = self.step(by) if self.step is not None else None
        if found is not None:
            self.title, self.make = found
            self.top = 0

    def do_prev(self, _key: str = "") -> None:
        """The page before."""
        self._turn(-1)

    def do_next(self, _key: str = "") -> None:
        """The next page."""
        self._turn(1)


def draw_header(canvas: Canvas, title: str, right: str = "") -> None:
    """The top line."""
    canvas.fill(0, 0, canvas.width, 1, " ", "header")
    canvas.text(1, 0, clip(title, canvas.width - 2), "header")
    if right and text_width(title) + text_width(right) + 4 <= canvas.width:
        canvas.text(canvas.width - text_width(right) - 1, 0, right, "header.soft")


class ChoicePopup(Page):
    """A small window with numbered choices."""

    contexts = ("choice",)
    popup = True

    def __init__(self, model: Model, title: str, choices: Sequence[Choice], text: str = "") -> None:
        super().__init__(model)
        self.title = title
        self.choices = list(choices)
        self.text = text
        self.index = 0

    def draw(self, canvas: Canvas) -> None:
        labels = [f"{number}  {choice.label}" for number, choice in enumerate(self.choices, 1)]
        notes = [choice.note for choice in self.choices]
        inner = max(
            [
                text_width(self.title) + 2,
                *(text_width(a) + text_width(b) + (2 if b else 0) for a, b in zip(labels, notes, strict=True)),
                min(text_width(self.text), 60),
            ]
        )
        width = min(inner + 4, canvas.width - 2)
        body = wrap(self.text, width - 4) if self.text else []
        height = min(len(body) + len(labels) + 2 + (1 if body else 0), canvas.height - 2)
        x = (canvas.width - width) // 2
        y = max((canvas.height - height) // 2, 0)
        canvas.box(x, y, width, height, "frame", self.model.faces.box, self.title)
        row = y + 1
        for line in body:
            canvas.text(x + 2, row, line, "felt")
            row += 1
        row += 1 if body else 0
        room = y + height - 1 - row
        start = max(min(self.index - room + 1, len(labels) - room), 0) if room < len(labels) else 0
        for number in range(start, min(start + room, len(labels))):
            style = "focus" if number == self.index else "felt"
            canvas.text(x + 2, row, labels[number], style, width - 4)
            if notes[number]:
                at = x + width - 2 - text_width(notes[number])
                canvas.text(at, row, notes[number], style if number == self.index else "soft")
            canvas.spot(x + 2, row, width - 4, 1, f"pick {number}")
            if number == self.index:
                canvas.cursor = (x + 2, row)
                canvas.show_cursor = True
            row += 1

    def click(self, action: str) -> None:
        if action.startswith("pick "):
            self._take(int(action.split()[1]))
        else:
            super().click(action)

    def _take(self, index: int) -> None:
        if 0 <= index < len(self.choices):
            choice = self.choices[index]
            self.close()
            self.model.choose(choice)

    def do_prev(self, _key: str = "") -> None:
        """The choice before."""
        self.index = (self.index - 1) % max(len(self.choices), 1)

    def do_next(self, _key: str = "") -> None:
        """The next choice."""
        self.index = (self.index + 1) % max(len(self.choices), 1)

    def do_choose(self, _key: str = "") -> None:
        """Take it."""
        self._take(self.index)

    def do_number(self, key: str) -> None:
        """Take the choice with that number."""
        self._take((int(key) - 1) % 10)

    def do_back(self, _key: str = "") -> None:
        """Close."""
        self.close()

    def do_quit(self, _key: str = "") -> None:
        """Close."""
        self.close()


class LinePopup(Page):
    """One line to type."""

    contexts = ("line",)
    popup = True

    def __init__(self, model: Model, title: str, done: Callable[[str], None], text: str = "", limit: int = 200) -> None:
        super().__init__(model)
        self.title = title
        self.done = done
        self.edit = LineEdit(text, limit)

    def press(self, key: str) -> bool:
        if key == "c-c":
            self.close()
            return True
        if key not in ("enter", "escape") and self.edit.press(key):
            return True
        return super().press(key) if key in ("enter", "escape") else True

    def paste(self, text: str) -> None:
        self.edit.insert(text)

    def draw(self, canvas: Canvas) -> None:
        width = min(max(60, text_width(self.title) + 6), canvas.width - 2)
        x = (canvas.width - width) // 2
        y = max(canvas.height - 5, 0)
        canvas.box(x, y, width, 3, "frame", self.model.faces.box, self.title)
        shown, at = self.edit.window(width - 4)
        canvas.text(x + 2, y + 1, shown, "input", width - 4)
        canvas.cursor = (x + 2 + min(at, width - 5), y + 1)
        canvas.show_cursor = True

    def do_accept(self, _key: str = "") -> None:
        """Send it."""
        text = self.edit.take()
        self.close()
        if text:
            self.done(text)
