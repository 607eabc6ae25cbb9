"""64, 65, 80: a sample of the enumerated accidents (all of them: ``python -m tests.chaos.crash --all``)."""

import pytest

from protocol.table import effects
from tests.chaos import crash, twin
from tests.chaos.crash import GROUPS, VARIABLE, Case
from tests.chaos.watch import Watch, secrets_of
from tests.chaos.world import ChaosWorld
from tests.table.net import Wire

#: One case of so many, by group: the dear ones less often.
STRIDES = {"effect": 89, "rollback": 71, "duel": 160, "clock": 25}
SAMPLE = [case for group in GROUPS for case in list(crash.cases([group]))[7 :: STRIDES.get(group, 40)]]


@pytest.mark.parametrize("case", SAMPLE, ids=str)
def test_accident(case: Case) -> None:
    crash.run(case)


def test_keys_lost_in_a_hand_are_told_and_the_hand_can_be_void() -> None:
    assert "void by agreement, settled" in crash.run(Case("rollback", 2, 130, (10_000,)))


@pytest.mark.parametrize("seed", range(24))
def test_two_processes_of_one_identity(seed: int) -> None:
    """The newest link wins; whatever the two sign, nobody else is blamed and no log has two entries for one place."""
    twin.run(seed)


def test_the_watch_sees_a_second_payload_and_a_second_use_of_a_nonce() -> None:
    """What all these tests rest on can fail."""
    world = ChaosWorld(1, **VARIABLE)
    twice = ChaosWorld(2, pool=0, **VARIABLE)  # the same keys and random bytes
    world.run()
    twice.watch.places = dict(world.watch.places)
    for node in twice.nodes:
        node.player = None
    twice.run(stop=lambda: any(node.table.view(0).question for node in twice.nodes))
    seat = next(node.seat for node in twice.nodes if node.table.view(0).question)
    assert twice.act(seat, effects.Bid(reserve=True)) is None
    with pytest.raises(AssertionError, match="two payloads for one place"):
        twice.run(until=twice.now + 5.0)
    # the commitment of one proof under another challenge
    entries = world.watch.entries
    play = next(entry for entry in entries.values() if entry.kind == 20)
    seen: dict[bytes, tuple[bytes, str]] = {}
    Watch._seen(seen, [(b"R", b"c")], play)
    with pytest.raises(AssertionError, match="one nonce"):
        Watch._seen(seen, [(b"R", b"other")], play)


def test_the_watch_sees_a_secret() -> None:
    world = ChaosWorld(1, **VARIABLE)
    world.run(until=1.0)
    (secret, *_) = secrets_of(world, 1)
    with pytest.raises(AssertionError, match="a secret of its own"):
        world.watch(Wire(1, 2, b"..." + secret))
