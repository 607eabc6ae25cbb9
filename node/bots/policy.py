"""What a computer player is: a pure function from what one seat may see to an act.

Write a bot by deriving from :class:`Policy`::

    from node.bots.policy import Policy, plays
    from protocol.cards import CARD_POINTS
    from protocol.rules.acts import Healthy


    class Miser(Policy):
        \"\"\"Says healthy and always plays the cheapest card it may.\"\"\"

        name = "miser"
        version = "1"

        def choose(self, view, seed):
            cards = plays(view)
            if cards:
                return min(cards, key=lambda play: (CARD_POINTS[play.card], play.card))
            return view.legal[0]  # bidding: healthy stands first

and let ``doko bot check yourmodule:Miser`` test it.

The contract, which the conformance check and ``doko audit`` enforce:

* **Pure.**  A choice depends on ``(view, seed)`` and on nothing else: no clock, no global random generator, no state
  kept between calls.  Equal arguments give equal answers on every machine and Python version.  Decide with
  integers; floating point may differ in the last bit elsewhere, and an audit would call that another choice.
* **Honest.**  All a policy sees is its :class:`~protocol.rules.view.HandView`: its own cards and the public log.
* **Legal.**  What :meth:`Policy.choose` returns is one of ``view.legal``.
* **Unshaken.**  It does not change the view and does not raise.

Chance comes from ``seed`` alone: see :func:`node.bots.chance.decision_chance`.
"""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

from protocol.rules.acts import Call, Play

if TYPE_CHECKING:
    from protocol.rules.acts import Act
    from protocol.rules.calls import CallKind
    from protocol.rules.view import HandView


class Policy(ABC):
    """A computer player.  Instances hold settings, never the course of a game."""

    #: How people and the signed terms name it: lower-case letters, digits and ``-``.
    name: ClassVar[str]
    #: Changes with every change that alters a single choice, since old matches are audited with it.
    version: ClassVar[str]
    #: Does it search, so that it should think in another process (:mod:`node.bots.worker`)?
    searches: ClassVar[bool] = False

    @abstractmethod
    def choose(self, view: "HandView", seed: bytes) -> "Act":
        """The act of ``view.me``, whose turn it is: a bid, a name or a card, one of ``view.legal``.

        *seed* is the deal's secret of this bot, 32 bytes; equal for all decisions of one deal.
        """

    def call(self, view: "HandView", seed: bytes) -> "CallKind | None":
        """What ``view.me`` announces now, or ``None``.

        Asked once after the game type is settled and then after every change of the table, whoever's turn it is, when
        ``view.legal`` holds a call.  The default never announces.
        """
        return None

    def forecast(self, view: "HandView", seed: bytes) -> int | None:
        """The chance in percent that the side of ``view.me`` wins, asked when the game is settled; ``None``: no idea.

        For the league's reliability table and for hints, never needed in a match.
        """
        return None


def plays(view: "HandView") -> tuple[Play, ...]:
    """The cards ``view.me`` may play now; empty while bidding or when it is not its turn."""
    return tuple(act for act in view.legal if isinstance(act, Play))


def call_kinds(view: "HandView") -> "tuple[CallKind, ...]":
    """What ``view.me`` may announce now."""
    return tuple(act.kind for act in view.legal if isinstance(act, Call))
