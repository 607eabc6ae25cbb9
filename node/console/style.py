"""Colours: one table of style names per theme.

Names are words joined by dots; a page asks for ``"card.hearts focus"`` and the table of the theme says what that looks
like.  Values are prompt_toolkit style strings (``bg:#rrggbb #rrggbb bold``), so the same table dresses the terminal, a
test and the picture in the README.  Every style of a coloured theme sets foreground *and* background, so that a page is
legible on any terminal; ``mono`` uses bold, underline and reverse alone.

Suits in four colours are those of German tournament packs: clubs black, spades green, hearts red, diamonds orange.
"""

from typing import Final

_DARK: Final = {
    "": "#d7dbd3",
    "felt": "bg:#0e2a1f #d5dfd6",
    "header": "bg:#173d2d #f1ecd9 bold",
    "header.soft": "bg:#173d2d #a9c4b2",
    "footer": "bg:#08170f #9fb3a6",
    "footer.key": "bg:#08170f #f0c75e bold",
    "soft": "bg:#0e2a1f #86a08f",
    "frame": "bg:#0e2a1f #4f7560",
    "title": "bg:#0e2a1f #f1ecd9 bold",
    "strong": "bg:#0e2a1f #ffffff bold",
    "good": "bg:#0e2a1f #7fd69a bold",
    "warn": "bg:#0e2a1f #f0c75e bold",
    "error": "bg:#0e2a1f #ff8f7a bold",
    "turn": "bg:#f0c75e #10201a bold",
    "name": "bg:#0e2a1f #f1ecd9 bold",
    "re": "bg:#8f2434 #ffeceb bold",
    "kontra": "bg:#20507f #e6f1ff bold",
    "badge": "bg:#2a5a45 #f1ecd9",
    "link.good": "bg:#0e2a1f #7fd69a",
    "link.half": "bg:#0e2a1f #f0c75e",
    "link.lost": "bg:#0e2a1f #ff8f7a bold",
    "back": "bg:#0e2a1f #5b8fc9",
    "back.edge": "bg:#0e2a1f #33587f",
    "pile": "bg:#0e2a1f #c9b98a",
    "focus": "bg:#f0c75e #10201a bold",
    "input": "bg:#071a12 #ffffff",
    "input.label": "bg:#0e2a1f #a9c4b2",
    "select": "bg:#2a5a45 #ffffff bold",
    "plot": "bg:#0e2a1f #f0c75e",
    "mark": "bg:#0e2a1f #f0c75e bold",
    "legal": "bg:#0e2a1f #7fd69a",
    "qr": "bg:#ffffff #000000",
}
_LIGHT: Final = {
    "": "#1c2420",
    "felt": "bg:#e4efe6 #1c2a22",
    "header": "bg:#2f6b4c #ffffff bold",
    "header.soft": "bg:#2f6b4c #d4e6da",
    "footer": "bg:#cfe0d3 #33463b",
    "footer.key": "bg:#cfe0d3 #7a2b00 bold",
    "soft": "bg:#e4efe6 #4d6456",
    "frame": "bg:#e4efe6 #86a391",
    "title": "bg:#e4efe6 #103322 bold",
    "strong": "bg:#e4efe6 #000000 bold",
    "good": "bg:#e4efe6 #0a6b33 bold",
    "warn": "bg:#e4efe6 #8a4b00 bold",
    "error": "bg:#e4efe6 #b3261e bold",
    "turn": "bg:#ffd76a #1c2420 bold",
    "name": "bg:#e4efe6 #103322 bold",
    "re": "bg:#a5293c #ffffff bold",
    "kontra": "bg:#245c94 #ffffff bold",
    "badge": "bg:#b9d4c2 #103322",
    "link.good": "bg:#e4efe6 #0a6b33",
    "link.half": "bg:#e4efe6 #8a4b00",
    "link.lost": "bg:#e4efe6 #b3261e bold",
    "back": "bg:#e4efe6 #245c94",
    "back.edge": "bg:#e4efe6 #86a9cc",
    "pile": "bg:#e4efe6 #6d5d2c",
    "focus": "bg:#ffd76a #1c2420 bold",
    "input": "bg:#ffffff #000000",
    "input.label": "bg:#e4efe6 #3f5a4b",
    "select": "bg:#b9d4c2 #000000 bold",
    "plot": "bg:#e4efe6 #a5293c",
    "mark": "bg:#e4efe6 #8a4b00 bold",
    "legal": "bg:#e4efe6 #0a6b33",
    "qr": "bg:#ffffff #000000",
}
_MONO: Final = {
    "header": "reverse",
    "header.soft": "reverse",
    "footer.key": "bold",
    "title": "bold",
    "strong": "bold",
    "good": "bold",
    "warn": "bold",
    "error": "bold underline",
    "turn": "reverse bold",
    "name": "bold",
    "re": "reverse",
    "kontra": "underline",
    "badge": "bold",
    "link.lost": "bold underline",
    "focus": "reverse bold",
    "input": "underline",
    "select": "reverse",
    "mark": "bold",
    "card": "",
    "card.focus": "reverse bold",
    "card.legal": "bold",
}
_FOUR: Final = ("#16191d", "#07602d", "#b80f2a", "#9a4700")
_TWO: Final = ("#16191d", "#16191d", "#b80f2a", "#b80f2a")
_SUIT_NAMES: Final = ("clubs", "spades", "hearts", "diamonds")
#: Card grounds: plain, of the card under the cursor, of a card that may not be played, and its frame's colour.
_GROUNDS: Final = {"": "#f7f2e4", "focus": "#ffe08a", "dim": "#a3aca3"}


def theme_rules(theme: str, colours: str = "four", felt: bool = True) -> dict[str, str]:
    """Style name to prompt_toolkit style string; ``felt=False`` leaves the terminal's own ground under the table."""
    if theme == "mono":
        rules = dict(_MONO)
        for name in _SUIT_NAMES:
            rules[f"card.{name}"] = "bold"
            rules[f"card.{name}.dim"] = "nobold"
            rules[f"card.{name}.focus"] = "reverse bold"
            rules[f"suit.{name}"] = "bold"
        return rules
    base = _LIGHT if theme == "light" else _DARK
    ground = base["felt"].split()[0]
    rules = dict(base)
    suits = _TWO if colours == "two" else _FOUR
    dims = ("#3c4340", "#2f5a41", "#7c3a43", "#6b4318")
    if colours == "two":
        dims = ("#3c4340", "#3c4340", "#7c3a43", "#7c3a43")
    inline = ("#e9eee9", "#6fdc9a", "#ff8d92", "#ffb169") if theme == "dark" else suits
    inline_two = ("#e9eee9", "#e9eee9", "#ff8d92", "#ff8d92") if theme == "dark" else suits
    for suit, name in enumerate(_SUIT_NAMES):
        for state, card in _GROUNDS.items():
            colour = dims[suit] if state == "dim" else suits[suit]
            key = f"card.{name}" + (f".{state}" if state else "")
            rules[key] = f"bg:{card} {colour} bold" if state != "dim" else f"bg:{card} {colour}"
        rules[f"suit.{name}"] = f"{ground} {(inline_two if colours == 'two' else inline)[suit]} bold"
    for state, card in _GROUNDS.items():
        frame = "#8c7a3a" if state == "focus" else "#7f877f" if state == "dim" else "#a59d86"
        rules["card" + (f".{state}" if state else "")] = f"bg:{card} {frame}"
    if not felt:
        rules = {name: rule.replace(ground, "").strip() if ground else rule for name, rule in rules.items()}
    return rules


def suit_style(suit: int, state: str = "") -> str:
    """The style name of a card of *suit*; *state*: ``""``, ``focus`` or ``dim``."""
    return f"card.{_SUIT_NAMES[suit]}" + (f".{state}" if state else "")


def inline_style(suit: int) -> str:
    """The style name of a card of *suit* written in running text."""
    return f"suit.{_SUIT_NAMES[suit]}"
