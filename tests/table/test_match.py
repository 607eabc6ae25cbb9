"""Whole matches by four tables over the scripted network."""

from tests.table.net import World


def test_variable_match_settles() -> None:
    world = World(seed=1, mode="variable", stake=10)
    world.run()
    assert world.settled, world.describe()
