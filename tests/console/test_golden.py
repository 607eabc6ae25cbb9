"""Golden screens: what a terminal shows, for each layout and language, kept in tests/console/golden.

Drawn through prompt_toolkit's VT100 output into a pyte terminal.  After a wanted change::

    GOLDEN=write python -m pytest tests/console/test_golden.py

and look at the difference.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from node.console.model import Model
from node.console.settings import Settings
from node.i18n import LANGUAGES, use_language
from node.view import Bid, FillWithBots, OpenNewTable, Ready, TermsView, View
from tests.console.fake import FakeNode, announced
from tests.console.screen import Terminal, on_terminal
from tests.console.test_table import HANDS

GOLDEN = Path(__file__).parent / "golden"
#: Read here: the tests run without the caller's environment.
WRITE = os.environ.get("GOLDEN") == "write"
LAYOUTS = ((80, 24), (100, 30), (120, 40), (60, 18), (40, 12), (39, 11))
STYLES = {
    "ascii": Settings(theme="mono", faces="ascii"),
    "letters": Settings(letters="language", suits="german", sort="by-suit"),
    "light": Settings(theme="light", colours="two"),
}


def scenes(size: tuple[int, int]) -> Iterator[tuple[str, View, tuple[str, ...]]]:
    """Name, view and keys of what is shown, one after the other."""
    from dataclasses import replace

    node = FakeNode(me=1, deals=(HANDS,), terms=TermsView(mode="variable", stake=10, limit=100))
    node.lobby = replace(node.lobby, tables=(announced(),))
    large = size == (80, 24)
    if large:
        yield "lobby", node.view(), ()
        yield "form", node.view(), ("n",)
        node.do(OpenNewTable(node.terms))
        node.do(FillWithBots("strong"))
        yield "terms", node.view(), ()
    else:
        node.do(OpenNewTable(node.terms))
        node.do(FillWithBots("strong"))
    node.do(Ready())
    for _n in range(5):
        node.step()
    yield "deal", node.view(), ()
    node.play_on()
    yield "bid", node.view(), ()
    node.do(Bid(False))
    node.play_on()
    yield "play", node.view(), ()
    if large:
        yield "calls", node.view(), ("a",)
        yield "help", node.view(), ("escape", "f1")
        yield "back", node.view(), ("escape",)
    from node.view import PlayCard
    from protocol.rules.acts import Play

    while node.state is not None:
        table = node.table()
        if table.question is not None and table.hand is not None:
            act = next(act for act in table.hand.legal if isinstance(act, Play))
            node.do(PlayCard(act.card))
        else:
            node.step()
    yield "score", node.view(), ("enter",)  # the last trick has been looked at
    yield "review", node.view(), ("r", "right", "right")
    node.step()
    yield "settlement", node.view(), ("escape", "escape")


def shown(size: tuple[int, int], settings: Settings) -> str:
    """The screens of all scenes as one text."""
    parts: list[str] = []
    model = Model(settings, rand=lambda: 0.5)

    async def main(terminal: Terminal) -> None:
        console = terminal.console
        console._now = lambda: 100.0  # type: ignore[method-assign]  # the clocks stand still
        for name, view, keys in scenes(size):
            console.show(view)
            for key in keys:
                model.press(key, 100.0)
            console._after()
            wanted = [row.rstrip() for row in model.draw(*size).rows()]
            rows = await terminal.until(lambda rows, wanted=wanted: rows == wanted)  # type: ignore[misc]
            parts.append(f"=== {name} {size[0]}x{size[1]}\n" + "\n".join(rows).rstrip() + "\n")

    on_terminal(model, main, *size)
    return "\n".join(parts)


def compare(name: str, text: str) -> None:
    """With the golden file, or write it."""
    path = GOLDEN / f"{name}.txt"
    if WRITE:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8"), "if this is wanted: GOLDEN=write"


@pytest.mark.parametrize("size", LAYOUTS, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("language", LANGUAGES)
def test_screens(language: str, size: tuple[int, int]) -> None:
    use_language(language)
    compare(f"{language}-{size[0]}x{size[1]}", shown(size, Settings(lock=0.0)))


@pytest.mark.parametrize("style", STYLES)
def test_styles(style: str) -> None:
    use_language("de")
    compare(f"de-{style}", shown((80, 24), STYLES[style]))
