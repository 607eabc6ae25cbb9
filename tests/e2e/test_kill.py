"""``kill -9`` of any or all nodes at random points of a real match: it goes on to a settlement that verifies."""

import random
from pathlib import Path

import pytest

from protocol.table.verify import verify
from tests.e2e.processes import Four, four_nodes

#: Events of one hand as one node tells them: 24 of the deal, 4 bids, 48 cards, 12 tricks, the rest.
EVENTS = 90


def kill_and_restart(four: Four, seats: tuple[int, ...]) -> None:
    for seat in seats:
        four.nodes[seat].kill()
    for seat in seats:
        four.restart(seat)
    for seat in seats:
        four.nodes[seat].event("seated")


def finish(four: Four) -> None:
    files = four.settlements()
    verdicts = [verify(raw) for raw in files]
    assert [verdict.problem for verdict in verdicts] == [""] * 4
    assert [verdict.unsigned for verdict in verdicts] == [()] * 4
    assert {verdict.money for verdict in verdicts} == {verdicts[0].money}
    documents = {verdict.hands[-1].deal_hash for verdict in verdicts}
    assert len(documents) == 1


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_one_node_killed_three_times_at_random_points(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    with four_nodes(tmp_path) as four:
        for _ in range(3):
            seat = chance.randrange(4)
            watched = four.nodes[chance.choice([s for s in range(4) if s != seat])]
            for _ in range(chance.randrange(1, EVENTS // 3)):
                if watched.wait_for(lambda line: True)["event"] == "settled":
                    break
            if any(line["event"] == "settled" for line in watched.lines):
                break
            kill_and_restart(four, (seat,))
        finish(four)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_all_four_killed_at_once_at_a_random_point(seed: int, tmp_path: Path) -> None:
    chance = random.Random(100 + seed)
    with four_nodes(tmp_path) as four:
        for _ in range(chance.randrange(1, EVENTS)):
            if four.nodes[0].wait_for(lambda line: True)["event"] == "hand-over":
                break
        kill_and_restart(four, (0, 1, 2, 3))
        finish(four)
