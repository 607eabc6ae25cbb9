"""The picture of the table in the README, made by the program itself.

Run from the checkout::

    python -m tests.tools.picture text    the table as 80 x 24 characters
    python -m tests.tools.picture svg     the table in colours; kept as .github/table.svg
    python -m tests.tools.picture write   write .github/table.svg anew

The scene is a hand of the real engine, drawn by the console's own model.
"""

import random
import re
import sys
from html import escape
from pathlib import Path

from node.console.canvas import Canvas, text_width
from node.console.model import Model
from node.console.settings import Settings
from node.console.style import theme_rules
from node.i18n import use_language
from node.view import Bid, LinkState, LinkView, MakeCall, PlayCard, TermsView
from protocol.rules.acts import Call, Healthy, Play
from protocol.rules.calls import CallKind
from protocol.rules.hand import HandState, legal
from tests.console.fake import FakeNode

ROOT = Path(__file__).resolve().parents[2]
SVG = ROOT / ".github" / "table.svg"
#: Size of one cell of the drawing in its own units.
CELL = (9, 18)
#: A deal and play that show much: two calls, a lead that can be followed in several ways.
SEED = 43


def scene() -> Model:
    """In the fifth trick two cards lie on the table, and it is our turn; both sides have called."""
    chance = random.Random(SEED)

    def policy(state: HandState, player: int) -> object:
        acts = legal(state, player)
        if state.contract is None:
            return Healthy(player)
        calls = [act for act in acts if isinstance(act, Call) and act.kind in (CallKind.RE, CallKind.KONTRA)]
        if state.cards_played in (1, 2, 3) and calls and len(state.calls) < 2:
            return calls[0]
        return chance.choice([act for act in acts if isinstance(act, Play)])

    node = FakeNode(me=2, seed=SEED, names=("Carla", "Anna", "Dora", "Bruno"), policy=policy,
                    terms=TermsView(mode="variable", stake=10, limit=100))  # fmt: skip
    node.links[0] = LinkView(LinkState.VIA, "Anna")
    model = Model(Settings(), rand=lambda: 0.5)
    node.begin()
    now = 0.0
    for _step in range(400):
        node.now = now
        model.show(node.view(), now)
        now += 3.0
        model.tick(now)
        state = node.state
        if node.table().question is None or state is None:
            node.step()
        elif state.contract is None:
            node.do(Bid(False))
        elif len(state.tricks) == 4 and len(state.trick) == 2:
            break
        else:
            act = policy(state, node.position(node.me))
            node.do(MakeCall(act.kind) if isinstance(act, Call) else PlayCard(act.card))  # type: ignore[attr-defined]
    node.now = now
    model.show(node.view(), now)
    model.tick(now + 17.0)
    return model


def text() -> str:
    """The table as characters."""
    use_language("en")
    return "\n".join(scene().draw(80, 24).rows())


def svg(canvas: Canvas, theme: str = "dark") -> str:
    """A canvas as SVG: a rectangle for each ground, a text for each run of one style."""
    rules = theme_rules(theme)
    width, height = CELL
    body: list[str] = []
    for y in range(canvas.height):
        x = 0
        for style, run in canvas.line(y):
            columns = text_width(run)
            ink, ground, bold = look(rules, style)
            if ground:
                body.append(f'<rect x="{x * width}" y="{y * height}" width="{columns * width}" height="{height}" '
                            f'fill="{ground}"/>')  # fmt: skip
            shown = run.rstrip()
            if shown.strip():
                lead = len(shown) - len(shown.lstrip())
                shown = shown.lstrip()
                weight = ' font-weight="bold"' if bold else ""
                body.append(f'<text x="{(x + lead) * width}" y="{y * height + 14}" fill="{ink}"{weight} '
                            f'textLength="{text_width(shown) * width}">{escape(shown)}</text>')  # fmt: skip
            x += columns
    size = canvas.width * width, canvas.height * height
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size[0]} {size[1]}" width="{size[0]}" '
        f'height="{size[1]}" role="img" aria-label="A hand of Doppelkopf in the terminal">\n'
        f'<g font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="15" xml:space="preserve" '
        f'lengthAdjust="spacingAndGlyphs">\n' + "\n".join(body) + "\n</g>\n</svg>\n"
    )


def look(rules: dict[str, str], style: str) -> tuple[str, str, bool]:
    """Ink, ground and weight of a style; the part of a dotted name before the dot counts too."""
    ink, ground, bold = "#d7dbd3", "", False
    for name in style.split():
        parts = name.split(".")
        for length in range(1, len(parts) + 1):
            rule = rules.get(".".join(parts[:length]), "")
            found = re.search(r"bg:(#\w{6})", rule)
            ground = found[1] if found else ground
            found = re.search(r"(?<!bg:)(#\w{6})", rule)
            ink = found[1] if found else ink
            bold = bold or "bold" in rule.split()
    return ink, ground, bold


def picture() -> str:
    """The SVG of the README."""
    use_language("en")
    return svg(scene().draw(100, 30))


def main(arguments: list[str]) -> int:
    """The command line."""
    match arguments:
        case ["text"]:
            print(text())
        case ["svg"]:
            print(picture(), end="")
        case ["write"]:
            SVG.parent.mkdir(exist_ok=True)
            SVG.write_text(picture(), encoding="utf-8")
        case _:
            print(__doc__)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
