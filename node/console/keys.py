"""All keys in one table: what a key does where, and what the help page says about it.

A *context* is a page or a state of a page.  :func:`action_for` looks a key up in the contexts given, the first that has
it wins; the help page and the line of keys at the bottom are made from the same table, so they cannot disagree.
Keys are named as prompt_toolkit names them (``left``, ``enter``, ``c-c``, ``f1``), printable characters by themselves.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from node.i18n import N_


@dataclass(frozen=True, slots=True)
class Binding:
    """Keys that do one thing in one context; ``short``: its name in the line of keys, empty: not shown there."""

    context: str
    keys: tuple[str, ...]
    action: str
    help: str
    short: str = ""


#: Headings of the help page, in its order.
CONTEXTS: Final = {
    "everywhere": N_("Everywhere"),
    "table": N_("At the table"),
    "hand": N_("When you may play a card"),
    "choice": N_("When something is to be chosen"),
    "lobby": N_("In the lobby"),
    "seating": N_("At a table before the match"),
    "page": N_("On pages of text"),
    "review": N_("In the hand review"),
    "form": N_("In forms"),
    "line": N_("Where a line is typed"),
}

BINDINGS: Final[tuple[Binding, ...]] = (
    Binding("everywhere", ("f1", "?"), "help", N_("this help"), N_("help")),
    Binding("everywhere", ("f2",), "rules", N_("the rules by number")),
    Binding("everywhere", ("f3",), "settings", N_("settings: colours, cards, order, bell, guard")),
    Binding("everywhere", ("f4",), "log", N_("everything that was said and done")),
    Binding("everywhere", ("c-l",), "redraw", N_("draw the screen anew")),
    Binding("everywhere", ("q", "c-c"), "quit", N_("leave the page, or the program after a question"), N_("leave")),
    Binding("everywhere", ("m",), "mouse", N_("mouse on or off (on, it takes over the selection of text)")),
    Binding("table", ("a",), "calls", N_("announce: shows just what you may call now"), N_("announce")),
    Binding("table", ("l",), "last", N_("the last trick, until the next is complete"), N_("last trick")),
    Binding("table", ("o",), "sort", N_("another order of your cards"), N_("order")),
    Binding("table", ("x",), "hide", N_("cover your cards, and uncover them"), N_("cover")),
    Binding("table", ("t",), "chat", N_("talk to the table"), N_("talk")),
    Binding("table", ("u",), "mute", N_("switch the chat off or on")),
    Binding("table", ("i",), "scores", N_("the scores so far, hand by hand"), N_("scores")),
    Binding("table", ("r",), "review", N_("review a finished hand with all four hands")),
    Binding("table", ("e",), "terms", N_("the terms of this table")),
    Binding("table", ("p",), "pause", N_("ask for a pause, or agree to one; the same ends it")),
    Binding("table", ("v",), "void", N_("agree that this hand is void (all four must)")),
    Binding(
        "table",
        ("g",),
        "hint",
        N_("against computers alone: what the level strong would do now, and why"),
        N_("advice"),
    ),
    Binding("table", ("w",), "why", N_("how the others are reached, and why not")),
    Binding("table", ("n",), "rematch", N_("after the match: another one with the same four"), N_("another match")),
    Binding("hand", ("left",), "left", N_("the card to the left")),
    Binding("hand", ("right",), "right", N_("the card to the right")),
    Binding("hand", ("home",), "first", N_("the leftmost card")),
    Binding("hand", ("end",), "final", N_("the rightmost card")),
    Binding("hand", ("tab",), "next-legal", N_("the next card that may be played")),
    Binding("hand", ("s-tab",), "prev-legal", N_("the card before that may be played")),
    Binding("hand", ("enter", "space"), "play", N_("play the card under the cursor"), N_("play")),
    Binding("hand", tuple("1234567890"), "number", N_("the card with that number from the left (0 is the tenth)")),
    Binding("hand", tuple("cshd"), "suit", N_("a suit's letter, then a rank's letter: that card (c q, h t, d 9)")),
    Binding("hand", ("escape",), "back", N_("take a card back while it is held (the guard in the settings)")),
    Binding("choice", ("left", "up"), "prev", N_("the choice before")),
    Binding("choice", ("right", "down", "tab"), "next", N_("the next choice")),
    Binding("choice", ("enter", "space"), "choose", N_("take it"), N_("choose")),
    Binding("choice", tuple("1234567890"), "number", N_("the choice with that number")),
    Binding("choice", ("escape",), "back", N_("close it, where that is possible")),
    Binding("lobby", ("up",), "prev", N_("the line above")),
    Binding("lobby", ("down", "tab"), "next", N_("the line below")),
    Binding("lobby", ("enter", "space"), "choose", N_("sit down at the table, or take it up again"), N_("choose")),
    Binding("lobby", ("n",), "new", N_("open a new table"), N_("new table")),
    Binding("lobby", ("j",), "join", N_("join by an address or a doko: link"), N_("join")),
    Binding("lobby", ("f",), "friends", N_("friends: add, fingerprint words, block, remove"), N_("friends")),
    Binding("lobby", ("i",), "invite", N_("make a doko: link for a friend"), N_("invite")),
    Binding("lobby", ("b",), "ledger", N_("the ledger: who owes whom"), N_("ledger")),
    Binding("lobby", ("y",), "history", N_("your matches, with plots"), N_("history")),
    Binding("seating", ("enter", "space"), "ready", N_("agree to the terms: you are ready"), N_("ready")),
    Binding("seating", ("c",), "bots", N_("fill the free seats with computers"), N_("computers")),
    Binding("seating", ("i",), "invite", N_("invite a friend to this table"), N_("invite")),
    Binding("seating", ("f",), "friends", N_("friends: add, fingerprint words, block, remove")),
    Binding("seating", ("up",), "up", N_("a line up")),
    Binding("seating", ("down",), "down", N_("a line down")),
    Binding("seating", ("escape", "backspace"), "leave", N_("leave this table"), N_("leave table")),
    Binding("page", ("up",), "up", N_("a line up")),
    Binding("page", ("down",), "down", N_("a line down")),
    Binding("page", ("pageup",), "page-up", N_("a page up")),
    Binding("page", ("pagedown", "space"), "page-down", N_("a page down")),
    Binding("page", ("home",), "top", N_("to the top")),
    Binding("page", ("end",), "bottom", N_("to the bottom")),
    Binding("page", ("enter", "escape", "backspace"), "close", N_("close the page"), N_("close")),
    Binding("page", ("left",), "prev", N_("the page before, where there are several")),
    Binding("page", ("right",), "next", N_("the next page, where there are several")),
    Binding("review", ("left",), "prev", N_("one trick back")),
    Binding("review", ("right", "space"), "next", N_("one trick on"), N_("next trick")),
    Binding("review", ("home",), "top", N_("to the deal")),
    Binding("review", ("end",), "bottom", N_("to the last trick")),
    Binding("review", ("up",), "prev-hand", N_("the hand before")),
    Binding("review", ("down",), "next-hand", N_("the next hand")),
    Binding("review", ("x",), "export", N_("write this match's hand records to a file"), N_("export")),
    Binding("review", ("escape", "enter", "backspace"), "close", N_("close the review"), N_("close")),
    Binding("form", ("up", "s-tab"), "prev", N_("the field above")),
    Binding("form", ("down", "tab"), "next", N_("the field below"), N_("next field")),
    Binding("form", ("left",), "less", N_("the choice before, in a field with choices")),
    Binding("form", ("right", "space"), "more", N_("the next choice, in a field with choices"), N_("change")),
    Binding("form", ("enter",), "accept", N_("accept the form"), N_("accept")),
    Binding("form", ("escape",), "close", N_("close it and change nothing"), N_("cancel")),
    Binding("line", ("enter",), "accept", N_("send it"), N_("send")),
    Binding("line", ("escape",), "close", N_("drop it"), N_("drop")),
)

_TABLE: Final = {(binding.context, key): binding for binding in BINDINGS for key in binding.keys}

#: How keys are written for people, where their name is not it.
KEY_NAMES: Final = {
    "left": "←",
    "right": "→",
    "up": "↑",
    "down": "↓",
    "enter": N_("Enter"),
    "space": N_("Space"),
    "escape": N_("Esc"),
    "tab": N_("Tab"),
    "s-tab": N_("Shift-Tab"),
    "home": N_("Home"),
    "end": N_("End"),
    "pageup": N_("PgUp"),
    "pagedown": N_("PgDn"),
    "backspace": N_("Backspace"),
    "c-c": "Ctrl-C",
    "c-l": "Ctrl-L",
    "f1": "F1",
    "f2": "F2",
    "f3": "F3",
    "f4": "F4",
}
_ASCII_KEYS: Final = {"left": "<-", "right": "->", "up": "Up", "down": "Dn"}


def key_name(key: str, translate: "object", ascii_only: bool = False) -> str:
    """How a key is written for people; *translate* is the gettext function in force."""
    if ascii_only and key in _ASCII_KEYS:
        return _ASCII_KEYS[key]
    name = KEY_NAMES.get(key)
    if name is None:
        return key
    return str(translate(name)) if callable(translate) else name


def keys_name(keys: Sequence[str], translate: object, ascii_only: bool = False) -> str:
    """Several keys for people; a run of digits is written as a range."""
    if len(keys) == 10 and keys[0] == "1":
        return "1-9, 0"
    return ", ".join(key_name(key, translate, ascii_only) for key in keys)


def action_for(key: str, contexts: Iterable[str]) -> tuple[str, str] | None:
    """``(context, action)`` of *key* in the first context that has it."""
    for context in contexts:
        binding = _TABLE.get((context, key))
        if binding is not None:
            return context, binding.action
    return None


def bindings_of(context: str) -> tuple[Binding, ...]:
    """The bindings of one context, in the table's order."""
    return tuple(binding for binding in BINDINGS if binding.context == context)
