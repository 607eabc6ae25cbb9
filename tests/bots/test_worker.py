"""Worker processes: the same choices as in this process, deadlines, fallbacks."""

import multiprocessing
import random
import threading
import time
from typing import ClassVar

import pytest

from node.auto import Auto
from node.bots.beginner import Beginner
from node.bots.levels import level_policy
from node.bots.policy import plays
from node.bots.seeds import SeedChain
from node.bots.worker import SECONDS, Remote, WorkerPool
from protocol.rules.acts import Act
from protocol.rules.contracts import Contract
from protocol.rules.hand import HandRules
from protocol.rules.view import HandView, hand_view
from tests.bots.deals import random_plays, settled

SEED = bytes(range(32))


class Elsewhere(Beginner):
    """A bot of one's own that wants a process; what it chooses tells whether it got one."""

    name: ClassVar[str] = "elsewhere"
    searches: ClassVar[bool] = True

    def choose(self, view: HandView, seed: bytes) -> Act:
        acts = plays(view)
        return acts[0] if multiprocessing.parent_process() is None else acts[-1]


class Endless(Elsewhere):
    """Never comes to an end."""

    def choose(self, view: HandView, seed: bytes) -> Act:
        threading.Event().wait()
        raise AssertionError


class Lost(Elsewhere):
    def choose(self, view: HandView, seed: bytes) -> Act:
        raise RuntimeError("no idea")


def views(number: int) -> list[HandView]:
    rng = random.Random(number)
    found = []
    while len(found) < number:
        state = settled(rng, HandRules(), Contract.NORMAL)
        random_plays(state, rng, 4 + rng.randrange(30))
        found.append(hand_view(state, state.turn or 0))
    return found


def test_a_worker_chooses_what_the_policy_chooses_here() -> None:
    policy = level_policy("intermediate")
    with WorkerPool() as pool:
        remote = pool.policy("intermediate", 60.0)
        assert (remote.name, remote.version) == (policy.name, policy.version)
        for view in views(4):
            assert remote.choose(view, SEED) == policy.choose(view, SEED)
            assert remote.call(view, SEED) == policy.call(view, SEED)
        assert pool.statistics.decisions == 8
        assert pool.statistics.fallbacks == 0
        assert 0 < pool.statistics.quantile(0.5) <= pool.statistics.quantile(1.0)


def test_out_of_time_the_rules_decide_and_the_process_is_replaced() -> None:
    beginner = Beginner()
    with WorkerPool() as pool:
        late = pool.policy("intermediate", 0.0)
        assert isinstance(late, Remote)
        for number, view in enumerate(views(2), 1):
            assert late.choose(view, SEED) == beginner.choose(view, SEED)
            assert late.fell_back
            assert (pool.statistics.fallbacks, pool.statistics.restarts) == (number, number)
        in_time = pool.policy("intermediate", 60.0)
        assert isinstance(in_time, Remote)
        view = views(1)[0]
        assert in_time.choose(view, SEED) == level_policy("intermediate").choose(view, SEED)
        assert not in_time.fell_back


def test_a_bot_of_ones_own_gets_a_process_too_if_it_searches() -> None:
    with WorkerPool() as pool:
        remote = pool.policy(f"{__name__}:Elsewhere", 60.0)
        view = next(view for view in views(8) if len(plays(view)) > 1)
        assert remote.choose(view, SEED) == plays(view)[-1]
        assert pool.statistics.fallbacks == 0


def test_levels_without_search_need_no_process() -> None:
    with WorkerPool() as pool:
        assert pool.policy("beginner").name == "beginner"
        assert not isinstance(pool.policy("random"), Remote)


def test_many_bots_share_a_pool_and_a_closed_pool_leaves_the_rules() -> None:
    policy = level_policy("intermediate")
    asked = views(4)
    answers: dict[int, object] = {}
    with WorkerPool(2) as pool:
        remote = pool.policy("intermediate", 120.0)

        def think(i: int) -> None:
            answers[i] = remote.choose(asked[i], SEED)

        threads = [threading.Thread(target=think, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert answers == {i: policy.choose(view, SEED) for i, view in enumerate(asked)}
    assert remote.choose(asked[0], SEED) == Beginner().choose(asked[0], SEED)
    assert pool.statistics.fallbacks == 1


def test_an_error_in_a_policy_comes_back_as_itself() -> None:
    with WorkerPool() as pool:
        view = views(1)[0]
        with pytest.raises(RuntimeError, match="no idea"):
            pool.ask(f"{__name__}:Lost", "choose", view, SEED, 60.0)
        with pytest.raises(LookupError, match="no such level"):
            pool.ask("no such level", "choose", view, SEED, 60.0)


def test_the_time_to_think_follows_from_the_tables_clock() -> None:
    """A turn is a call, a card and a pause: with a third of the clock for each no turn ends late."""
    view = views(1)[0]
    with Auto("tests.bots.test_worker:Endless", delay=7.0) as auto:
        player = auto.player(SeedChain(SEED), clock=1)
        began = time.monotonic()
        assert player.policy.choose(view, SEED) == Beginner().choose(view, SEED)
        assert 1 / 3 <= time.monotonic() - began < SECONDS / 2
        assert player.delay == pytest.approx(1 / 3)
        assert auto.player(SeedChain(SEED), clock=60).delay == 7.0
