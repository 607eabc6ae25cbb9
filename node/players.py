"""Who answers for our seat: a computer's policy, or a person at a desk."""

from collections.abc import Awaitable, Callable
from typing import Any, Protocol, TypeVar

import trio

from node import logs
from node.bots.beginner import Beginner
from node.bots.policy import Policy
from protocol.refusal import Refusal
from protocol.rules.acts import Act, Call, Healthy, Name, Play, Reserve
from protocol.rules.view import HandView
from protocol.table.effects import Bid, Command, GoOn, MakeCall, NameGame, PlayCard
from protocol.table.view import CoreView

T = TypeVar("T")
log = logs.get("players")


class Player(Protocol):
    """Answers for one seat.  The session asks after every change, one question at a time."""

    async def decide(self, view: CoreView) -> Command | None:
        """What to do now, or ``None``: nothing before the next change.

        The table may have moved on while this thought; a command that is then not allowed any more is dropped and
        the question asked again.
        """
        ...

    def refused(self, command: Command, refusal: Refusal) -> None:
        """The table did not take *command*."""
        ...


def command_of(act: Act) -> Command:
    """The command that does *act*.  Raises ``ValueError`` for one that the core makes by itself."""
    match act:
        case Healthy():
            return Bid(False)
        case Reserve():
            return Bid(True)
        case Name(contract=contract):
            return NameGame(contract)
        case Play(card=card):
            return PlayCard(card)
        case Call(kind=kind):
            return MakeCall(kind)
        case _:
            raise ValueError(act)


class PolicyPlayer:
    """A computer.  It thinks in a thread, so that a slow policy holds up nobody's messages.

    A policy that raises or answers with what is not legal is written to the log, and the ``beginner``'s rules decide in
    its place (a fallback, as when it runs out of time): its mistake is not the end of the others' match.

    *seed* gives a deal's seed; *delay* is the pause in seconds before each card and bid, so that people can follow
    (it does not depend on the decision).
    """

    def __init__(
        self,
        policy: Policy,
        seed: Callable[[int], bytes],
        *,
        delay: float = 0.0,
        in_thread: Callable[..., Awaitable[Any]] = trio.to_thread.run_sync,
    ) -> None:
        self.policy = policy
        self._seed = seed
        self.delay = delay
        self._asked: object = None  # the situation the policy was last asked about calls in
        self._again: object = None  # the situation in which a refused call was asked for once more
        self._in_thread = in_thread
        self._limiter = trio.CapacityLimiter(1)
        self.refusals = 0
        self.decided = 0
        self.late = 0  # decisions after our time was up
        self.mistakes = 0  # decisions the rules made because the policy raised or was not legal
        self._rules = Beginner()

    async def decide(self, view: CoreView) -> Command | None:
        if view.hand is None or view.busy:
            return GoOn() if view.question is not None and view.question.kind == "go-on" else None
        seed = self._seed(view.deal.deal)
        if view.calls:
            situation = (view.deal.deal, _progress(view.hand), view.pending)
            if situation != self._asked:
                self._asked = situation
                kind = await self._think(self.policy.call, self._rules.call, view.hand, seed)
                if kind is not None and kind in view.calls:
                    return MakeCall(kind)
        if view.question is None:
            return None
        if view.question.kind == "go-on":
            return GoOn()
        act = await self._think(self.policy.choose, self._rules.choose, view.hand, seed)
        if act not in view.hand.legal:
            self._mistake("chose what is not legal")
            act = self._rules.choose(view.hand, seed)
        if self.delay:
            await trio.sleep(self.delay)
        self.decided += 1
        if view.question.deadline is not None and trio.current_time() > view.question.deadline:
            self.late += 1
        return command_of(act)

    def refused(self, command: Command, refusal: Refusal) -> None:
        self.refusals += 1
        if isinstance(command, MakeCall) and self._again != self._asked:
            self._again, self._asked = self._asked, None  # once more in this situation, never for ever

    async def _think(
        self,
        ask: Callable[[HandView, bytes], T],
        rules: Callable[[HandView, bytes], T],
        hand: HandView,
        seed: bytes,
    ) -> T:
        try:
            answer: T = await self._in_thread(ask, hand, seed, limiter=self._limiter, abandon_on_cancel=True)
        except Exception as error:
            self._mistake(f"raised {type(error).__name__}")
            return rules(hand, seed)
        return answer

    def _mistake(self, what: str) -> None:
        """The error's own text and the card may tell of the hand, so the log says where to look and no more."""
        self.mistakes += 1
        log.warning("policy at fault", policy=self.policy.name, what=what, see="doko bot check")


def _progress(hand: HandView) -> tuple[int, int]:
    state = hand.state
    return (sum(map(len, state.played)), len(state.calls))
