"""What one seat may see of a hand: the value that policies and consoles decide and draw from."""

from dataclasses import dataclass, field

from protocol.rules.acts import Act
from protocol.rules.hand import legal
from protocol.rules.state import HandState


@dataclass(frozen=True, slots=True)
class HandView:
    """A hand as position ``me`` sees it.

    ``dealt`` are the own twelve cards, ``hand`` those not yet played (both in the order dealt), ``state`` the public
    state with the knowledge of this one hand, ``legal`` everything ``me`` may do now (calls too).
    """

    me: int
    dealt: tuple[int, ...] = field(repr=False)
    hand: tuple[int, ...] = field(repr=False)
    state: HandState
    legal: tuple[Act, ...] = field(repr=False)


def hand_view(state: HandState, me: int) -> HandView:
    """*state* as *me* may see it: other hands that happen to be known here are left out.

    ``ValueError`` if the hand of *me* is not known.
    """
    dealt = state.dealt(me)
    hand = state.hand(me)
    if dealt is None or hand is None:
        raise ValueError(f"the hand of player {me + 1} is not known here")
    own = state.seen_by(me)
    return HandView(me, dealt, hand, own, legal(own, me))
