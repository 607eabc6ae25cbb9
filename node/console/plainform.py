"""A form, asked field by field as lines."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from node.console.forms import Form
from node.i18n import _

if TYPE_CHECKING:
    from node.console.plain import Plain


def ask_form(console: Plain, form: Form, index: int = 0) -> None:
    """Ask field by field; Enter keeps the value shown, - gives up."""
    fields = form.visible()
    if index == 0:
        console.say(form.title + ". " + _("Enter keeps what is shown, - gives up."))
    if index >= len(fields):
        error = form.done(form.values)
        if error:
            console.say(error)
            ask_form(console, form)
        return
    item = fields[index]
    value = form.values[item.name]
    console.say(f"{item.label}: {item.label_of(value) or '-'}" + (f" ({item.help})" if item.help else ""))
    if item.kind == "choice":
        for number, (_value, label) in enumerate(item.options, 1):
            console.say(f"  {number}  {label}")

    def typed(text: str) -> None:
        if text == "-":
            console.offer(again=True)
            return
        new = value
        if text:
            new = text
            if item.kind == "choice":
                chosen = int(text) - 1 if text.isdigit() else -1
                new = item.options[chosen][0] if 0 <= chosen < len(item.options) else "?"
        error = item.check(new)
        if error:
            console.say(error)
            ask_form(console, form, index) if index else ask_form(console, replace(form), 0)
            return
        form.values[item.name] = new
        ask_form(console, form, index + 1)

    console.take_line(typed)
