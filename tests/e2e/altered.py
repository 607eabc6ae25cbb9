"""A host that cheats once: its first computer with a choice in the fourth trick or later plays another card.

``python -m tests.e2e.altered ...`` is ``doko ...`` with a ``beginner`` that is not what it says.
"""

from node.bots.beginner import Beginner
from node.bots.levels import LEVELS
from node.bots.policy import plays
from protocol.rules.acts import Act
from protocol.rules.view import HandView


class Altered(Beginner):
    """By the rules but for one card in all."""

    done = False

    def choose(self, view: HandView, seed: bytes) -> Act:
        act = super().choose(view, seed)
        others = [other for other in plays(view) if other != act]
        if Altered.done or len(view.hand) > 9 or not others:
            return act
        Altered.done = True
        return others[-1]


if __name__ == "__main__":
    from node.cli.main import main

    LEVELS["beginner"] = "tests.e2e.altered:Altered"
    main()
