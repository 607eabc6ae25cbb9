"""Whole matches by four tables over the scripted network."""

from tests.table.net import World


def test_variable_match_settles() -> None:
    world = World(seed=1, mode="variable", stake=10)
    world.run()
    assert world.settled, world.describe()


def test_four_fixed_match_settles() -> None:
    world = World(seed=2, mode="four-fixed", stake=10)
    world.run()
    assert world.settled, world.describe()


def test_duel_settles() -> None:
    world = World(seed=3, mode="duel", stake=10, bots=(1, 3))
    world.run()
    assert world.settled, world.describe()
