"""A computer at a table: a mistake in its policy is its own, not the end of everybody's match."""

from contextlib import AsyncExitStack
from pathlib import Path
from typing import ClassVar

import pytest
import trio

from node.bots.policy import Policy
from node.bots.random_bot import RandomBot
from node.players import PolicyPlayer
from protocol.rules.acts import Act, Play
from protocol.rules.calls import CallKind
from protocol.rules.view import HandView
from protocol.table.verify import verify
from tests.net.match import FourSeats, here

pytestmark = [pytest.mark.trio, pytest.mark.slow]


class Raising(RandomBot):
    name: ClassVar[str] = "raising"

    def choose(self, view: HandView, seed: bytes) -> Act:
        raise RuntimeError("no idea")

    def call(self, view: HandView, seed: bytes) -> CallKind | None:
        raise RuntimeError("no idea")


class Cheating(RandomBot):
    name: ClassVar[str] = "cheating"

    def choose(self, view: HandView, seed: bytes) -> Act:
        return Play((view.me + 1) % 4, 23)


@pytest.mark.parametrize("policy", [Raising(), Cheating()])
async def test_the_rules_decide_for_a_policy_that_is_at_fault(
    policy: Policy, tmp_path: Path, autojump_clock: object
) -> None:
    four = FourSeats()
    async with trio.open_nursery() as nursery, AsyncExitStack() as stack:
        seats = await four.gather(stack, nursery, tmp_path, mode="variable", stake=10, fee=0)
        player = PolicyPlayer(policy, seats[0].chain.seed, in_thread=here)
        async with trio.open_nursery() as sessions:
            sessions.start_soon(seats[0].run, seats[0].make(None, player))
            for seat in seats[1:]:
                sessions.start_soon(seat.play)
        outcome = seats[0].outcome
        assert outcome is not None
        assert outcome.settlement is not None
        assert verify(outcome.settlement).problem == ""
        assert player.mistakes >= player.decided > 12
        assert player.refusals == 0
        nursery.cancel_scope.cancel()
