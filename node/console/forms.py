"""Forms: fields with choices, numbers, money and text; one description for the full screen and the plain console."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from node.console import words
from node.console.canvas import Canvas, clip, pad, text_width, wrap
from node.console.edit import LineEdit
from node.console.page import Page, draw_header
from node.i18n import _
from node.view import Absence, OpenNewTable, TermsView

if TYPE_CHECKING:
    from node.console.model import Model

Values = dict[str, str]


@dataclass(frozen=True, slots=True)
class Field:
    """One field.  ``kind``: ``choice`` (of ``options``, value and label), ``text``, ``int`` or ``money``.

    Values are kept as strings, as typed; ``check`` gives a text for people if one is wrong.  ``shown`` tells from the
    other values whether the field is there at all.
    """

    name: str
    label: str
    kind: str
    options: tuple[tuple[str, str], ...] = ()
    help: str = ""
    low: int = 0
    high: int = 10**9
    empty: bool = False  # may be left empty
    shown: Callable[[Values], bool] = lambda _values: True

    def check(self, value: str) -> str:
        """What is wrong with *value*, or ``""``."""
        value = value.strip()
        if self.kind == "choice":
            return "" if value in dict(self.options) else _("Choose one of the choices.")
        if not value:
            return "" if self.empty else _("Something has to stand here.")
        if self.kind == "text":
            return "" if len(value) <= self.high else _("That is too long.")
        number = read_money(value) if self.kind == "money" else int(value) if re.fullmatch(r"\d{1,9}", value) else None
        if number is None:
            return _("That is no amount, like 0.10.") if self.kind == "money" else _("That is no whole number.")
        if not self.low <= number <= self.high:
            low, high = (
                (words.money(self.low), words.money(self.high))
                if self.kind == "money"
                else (str(self.low), str(self.high))
            )
            return _("That has to be from {low} to {high}.").format(low=low, high=high)
        return ""

    def label_of(self, value: str) -> str:
        """How a value is shown."""
        return dict(self.options).get(value, value) if self.kind == "choice" else value


def read_money(text: str) -> int | None:
    """An amount as typed, with a point or a comma, in cents; None if it is none.

    >>> read_money("0,10"), read_money("2"), read_money(".5"), read_money("1.234")
    (10, 200, 50, None)
    """
    match = re.fullmatch(r"(\d{0,8})(?:[.,](\d{1,2}))?", text.strip())
    if match is None or not text.strip() or text.strip() in ".,":
        return None
    return int(match[1] or 0) * 100 + int((match[2] or "").ljust(2, "0") or 0)


@dataclass(slots=True)
class Form:
    """Fields, their values, and what is done with them.  ``done`` may return a text that says what is wrong."""

    title: str
    fields: tuple[Field, ...]
    values: Values
    done: Callable[[Values], str | None]
    hint: str = ""
    accept: str = ""
    summary: Callable[[Values], str] | None = None
    edits: dict[str, LineEdit] = field(default_factory=dict)

    def visible(self) -> list[Field]:
        """The fields that are there with these values."""
        return [item for item in self.fields if item.shown(self.values)]

    def wrong(self) -> tuple[Field, str] | None:
        """The first field that is wrong, and why."""
        for item in self.visible():
            text = item.check(self.values[item.name])
            if text:
                return item, text
        return None


def table_form(bots: tuple[str, ...], done: Callable[[OpenNewTable], None], start: TermsView | None = None) -> Form:
    """The form for a new table; *bots*: the levels that are offered."""
    terms = start or TermsView()

    def money_text(cents: int | None) -> str:
        return "" if cents is None else words.money(cents)

    def named(table: dict[str, str]) -> tuple[tuple[str, str], ...]:
        return tuple((key, _(text)) for key, text in table.items())

    def variable(values: Values) -> bool:
        return values["mode"] == "variable"

    def fee(values: Values) -> bool:
        return values["fee"].strip() not in ("", "0")

    fields = (
        Field(
            "mode", _("Mode"), "choice", named(words.MODES),
            _("One hand, four hands, or a duel with two computers."),
        ),
        Field("stake", _("Stake"), "money", low=1, high=100_000_000, help=_("A point (variable) or a hand (fixed).")),
        Field(
            "limit", _("Limit"), "money", low=1, high=1_000_000_000, empty=True, shown=variable,
            help=_("The most a hand can cost against one opponent; empty: no limit."),
        ),
        Field("currency", _("Currency"), "text", high=8, help=_("A label only; you settle among yourselves.")),
        Field("profile", _("Score"), "choice", named(words.PROFILES), _("How points are counted (R24).")),
        Field(
            "special", _("Special points"), "choice", (("yes", _("yes")), ("no", _("no"))),
            _("Foxes, Charlie, Doppelkopf, against the old (R26)."),
        ),
        Field("seats", _("Seats for"), "choice", named(words.SEATS), _("Who sees the table and may sit down.")),
        Field(
            "strength", _("Wanted strength"), "choice", named(words.STRENGTHS),
            _("Is shown to the others, nothing more."),
        ),
        Field("clock", _("Clock, seconds"), "int", low=5, high=3600, help=_("For each decision.")),
        Field(
            "reserve", _("Reserve, seconds"), "int", high=3600,
            help=_("In each hand beside it; when both are used up, the grace starts."),
        ),
        Field("grace", _("Grace, seconds"), "int", low=10, high=3600, help=_("Before the others may decide.")),
        Field("one_gone", _("Absence"), "choice", named(words.ABSENCE), _("What is proposed when one is gone.")),
        Field("fee", _("Fee, basis points"), "int", high=2500, help=_("Of the stake, to a kitty; 100 are 1 %.")),
        Field("kitty", _("Kitty"), "text", high=24, shown=fee, help=_("Whose kitty it is.")),
        Field(
            "bots", _("Computers"), "choice", tuple((str(n), str(n)) for n in range(4)),
            _("How many seats computers take at once."),
        ),
        Field(
            "level", _("Their strength"), "choice", tuple((level, _(words.LEVELS.get(level, level))) for level in bots),
            shown=lambda values: values["bots"] != "0",
        ),
    )  # fmt: skip
    values = {
        "mode": terms.mode, "stake": money_text(terms.stake), "limit": money_text(terms.limit),
        "currency": terms.currency, "profile": terms.profile, "special": "yes" if terms.special_points else "no",
        "seats": terms.seats, "strength": terms.strength, "clock": str(terms.clock), "reserve": str(terms.reserve),
        "grace": str(terms.grace), "one_gone": str(terms.one_gone), "fee": str(terms.fee), "kitty": terms.kitty,
        "bots": "0", "level": bots[0] if bots else "",
    }  # fmt: skip

    def read(values: Values) -> TermsView:
        variable_mode = values["mode"] == "variable"
        return TermsView(
            mode=values["mode"],
            stake=read_money(values["stake"]) or 1,
            limit=read_money(values["limit"]) if variable_mode else None,
            fee=int(values["fee"].strip() or 0),
            kitty=values["kitty"].strip() or "kitty",
            currency=values["currency"].strip(),
            profile=values["profile"],
            special_points=values["special"] == "yes",
            seats=values["seats"],
            strength=values["strength"],
            clock=int(values["clock"].strip()),
            reserve=int(values["reserve"].strip() or 0),
            grace=int(values["grace"].strip()),
            one_gone=Absence(values["one_gone"]),
        )

    def accept(values: Values) -> str | None:
        made = read(values)
        if made.limit is not None and made.limit < made.stake:
            return _("The limit cannot be below the stake (R31).")
        count = int(values["bots"])
        if made.mode == "duel" and count > 2:
            return _("In a duel two people play, with two computers.")
        done(OpenNewTable(made, (values["level"],) * count))
        return None

    def summary(values: Values) -> str:
        rows = words.terms_lines(read(values))
        return next((value for label, value in rows if label == _("At most")), "")

    return Form(_("New table"), fields, values, accept, accept=_("open the table"), summary=summary)


class FormPage(Page):
    """A form on the full screen."""

    contexts = ("form",)

    def __init__(self, model: Model, form: Form) -> None:
        super().__init__(model)
        self.form = form
        self.index = 0
        self.error = ""

    def _field(self) -> Field:
        fields = self.form.visible()
        self.index = max(min(self.index, len(fields) - 1), 0)
        return fields[self.index]

    def _edit(self, item: Field) -> LineEdit:
        return self.form.edits.setdefault(item.name, LineEdit(self.form.values[item.name], 120))

    def press(self, key: str) -> bool:
        item = self._field()
        if item.kind != "choice" and key not in ("up", "down", "tab", "s-tab", "enter", "escape", "f1", "c-c"):
            edit = self._edit(item)
            if edit.press(key):
                self.form.values[item.name] = edit.text
                self.error = ""
                return True
        if key == "c-c":
            self.close()
            return True
        if item.kind != "choice" and len(key) == 1:
            return True
        return super().press(key)

    def paste(self, text: str) -> None:
        item = self._field()
        if item.kind != "choice":
            edit = self._edit(item)
            edit.insert(text)
            self.form.values[item.name] = edit.text

    def click(self, action: str) -> None:
        if action.startswith("field "):
            index = int(action.split()[1])
            if index == self.index:
                self.do_more()
            self.index = index
        else:
            super().click(action)

    def do_prev(self, _key: str = "") -> None:
        """The field above."""
        self.index = (self.index - 1) % len(self.form.visible())

    def do_next(self, _key: str = "") -> None:
        """The field below."""
        self.index = (self.index + 1) % len(self.form.visible())

    def _cycle(self, by: int) -> None:
        item = self._field()
        if item.kind != "choice" or not item.options:
            return
        values = [value for value, _label in item.options]
        current = self.form.values[item.name]
        at = values.index(current) if current in values else 0
        self.form.values[item.name] = values[(at + by) % len(values)]
        self.error = ""

    def do_less(self, _key: str = "") -> None:
        """The choice before."""
        self._cycle(-1)

    def do_more(self, _key: str = "") -> None:
        """The next choice."""
        self._cycle(1)

    def do_accept(self, _key: str = "") -> None:
        """Accept the form."""
        found = self.form.wrong()
        if found is not None:
            item, self.error = found
            self.index = self.form.visible().index(item)
            return
        error = self.form.done(self.form.values)
        if error:
            self.error = error
        else:
            self.close()

    def do_quit(self, _key: str = "") -> None:
        """Close."""
        self.close()

    def draw(self, canvas: Canvas) -> None:
        faces = self.model.faces
        draw_header(canvas, self.form.title)
        margin = 2 if canvas.width >= 60 else 1
        fields = self.form.visible()
        current = self._field()
        label_width = min(max(text_width(item.label) for item in fields) + 2, canvas.width // 2)
        value_width = min(max(canvas.width - margin * 2 - label_width, 8), 34)
        below = 4 if canvas.height >= 18 else 2
        room = max(canvas.height - 3 - below, 1)
        start = max(min(self.index - room // 2, len(fields) - room), 0)
        y = 2 if canvas.height >= 18 else 1
        for number in range(start, min(start + room, len(fields))):
            item = fields[number]
            focused = number == self.index
            canvas.text(margin, y, pad(item.label, label_width), "strong" if focused else "input.label")
            x = margin + label_width
            if item.kind == "choice":
                label = item.label_of(self.form.values[item.name])
                mark = f"{faces.sign('left')} {label} {faces.sign('right')}" if focused else f"  {label}"
                canvas.text(x, y, clip(mark, value_width), "select" if focused else "felt")
                if focused:
                    canvas.cursor, canvas.show_cursor = (x + 2, y), True
            else:
                edit = self._edit(item)
                shown, at = edit.window(value_width - 2)
                canvas.text(x, y, "  " + shown, "input" if not focused else "select", value_width)
                if focused:
                    canvas.cursor, canvas.show_cursor = (x + 2 + min(at, value_width - 3), y), True
            canvas.spot(margin, y, label_width + value_width, 1, f"field {number}")
            y += 1
        y = canvas.height - 1 - below
        if self.error:
            for row in wrap(self.error, canvas.width - 2 * margin)[:below]:
                canvas.text(margin, y, row, "error")
                y += 1
            return
        for row in wrap(current.help or self.form.hint, canvas.width - 2 * margin)[: below - 1]:
            canvas.text(margin, y, row, "soft")
            y += 1
        if self.form.summary is not None and self.form.wrong() is None:
            text = _("At most") + ": " + self.form.summary(self.form.values)
            for row in wrap(text, canvas.width - 2 * margin)[: max(canvas.height - 1 - y, 0)]:
                canvas.text(margin, y, row, "warn")
                y += 1
