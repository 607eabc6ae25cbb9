"""The settings of the console as a form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from node.console.forms import Field, Form, FormPage
from node.console.settings import CHOICES
from node.i18n import N_, _

if TYPE_CHECKING:
    from node.console.model import Model

#: Labels of the values that settings can have.
VALUE_LABELS: Final = {
    "dark": N_("dark"),
    "light": N_("light"),
    "mono": N_("without colours"),
    "four": N_("four colours"),
    "two": N_("two colours"),
    "unicode": N_("Unicode"),
    "ascii": N_("ASCII"),
    "record": N_("A K Q J, as in records"),
    "language": N_("those of the language"),
    "french": N_("French"),
    "german": N_("German"),
    "trumps-first": N_("trumps to the left"),
    "trumps-last": N_("trumps to the right"),
    "by-suit": N_("by suits"),
    "off": N_("off"),
    "mouse": N_("for clicks"),
    "always": N_("always"),
}


def settings_form(model: Model) -> Form:
    """The form with the values in force."""
    settings = model.settings

    def options(name: str) -> tuple[tuple[str, str], ...]:
        return tuple((value, _(VALUE_LABELS[value])) for value in CHOICES[name])

    yes_no = (("yes", _("yes")), ("no", _("no")))
    dwells = tuple((text, text) for text in ("0", "0.5", "1", "2", "3", "5"))
    guards = tuple((text, text) for text in ("0.5", "1", "2"))
    fields = (
        Field("theme", _("Background"), "choice", options("theme"), _("Colours for a dark or a light terminal.")),
        Field("colours", _("Suits in"), "choice", options("colours"), _("Four: clubs black, spades green.")),
        Field("felt", _("Green cloth"), "choice", yes_no, _("No: the terminal's own background.")),
        Field("faces", _("Cards drawn with"), "choice", options("faces"), _("ASCII, if signs look broken.")),
        Field(
            "letters", _("Letters of the cards"), "choice", options("letters"), _("For typing, both are understood.")
        ),
        Field("suits", _("Names of the suits"), "choice", options("suits")),
        Field("sort", _("Order of the hand"), "choice", options("sort"), _("o changes it for the moment.")),
        Field("dwell", _("A trick stays, seconds"), "choice", dwells, _("The longest wish at the table wins.")),
        Field("guard", _("Misclick guard"), "choice", options("guard"), _("Holds a chosen card; Esc takes it back.")),
        Field("guard_time", _("The guard holds, seconds"), "choice", guards, shown=lambda v: v["guard"] != "off"),
        Field("auto_last", _("Play the last card"), "choice", yes_no, _("By itself, after a short random delay.")),
        Field("bell", _("Bell when it is my turn"), "choice", yes_no),
        Field("mouse", _("Mouse"), "choice", yes_no, _("It takes over the selection of text.")),
        Field("hide", _("Start with covered cards"), "choice", yes_no),
    )
    values = {}
    for item in fields:
        value = getattr(settings, item.name)
        text = (
            ("yes" if value else "no")
            if isinstance(value, bool)
            else f"{value:g}"
            if isinstance(value, float)
            else value
        )
        values[item.name] = text if text in dict(item.options) else item.options[0][0]

    def done(values: dict[str, str]) -> None:
        changes: dict[str, object] = {}
        for name, value in values.items():
            old = getattr(settings, name)
            changes[name] = (
                value == "yes" if isinstance(old, bool) else float(value) if isinstance(old, float) else value
            )
        model.change(**changes)

    return Form(_("Settings"), fields, values, done)


class SettingsPage(FormPage):
    """Settings; changes are seen at once when the form is accepted."""

    def __init__(self, model: Model) -> None:
        super().__init__(model, settings_form(model))
