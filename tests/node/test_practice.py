"""What practice is, and that no money is booked for it."""

from types import SimpleNamespace
from typing import Any

import pytest

from node.auto import play_plan
from node.books import close_books
from node.bots.seeds import SeedChain
from node.errors import DokoError
from node.paths import Paths
from node.plan import Plan, pack_plan
from node.practice import books_nothing, is_practice
from node.store import Store
from tests.node.played import PEOPLE, closed, plan
from tests.table.net import people, setups


def test_practice_is_where_all_others_are_computers() -> None:
    assert is_practice(setups(bots=(1, 2, 3))[0])
    assert not is_practice(setups(bots=(1, 2, 3))[1]), "a computer does not practise"
    assert not is_practice(setups(bots=(1, 2))[0])
    assert not is_practice(setups(bots=(0, 1, 2, 3))[0])


def test_a_computer_of_ours_on_a_persons_seat_is_one() -> None:
    duel = setups(bots=(1, 3), mode="duel")[0]
    assert not is_practice(duel)
    assert is_practice(duel, {people()[2].identity})
    assert not is_practice(duel, {people()[1].identity})


@pytest.mark.parametrize(("bots", "nothing"), [((1, 2, 3), True), ((0, 1, 2, 3), True), ((1, 2), False), ((), False)])
def test_all_four_nodes_book_alike(bots: tuple[int, ...], nothing: bool) -> None:
    """Else a computer's books, or those of a node that a policy plays for, would say that the person owes."""
    assert [books_nothing(setup) for setup in setups(bots=bots)] == [nothing] * 4


@pytest.mark.trio
@pytest.mark.parametrize(("bots", "practice"), [((1, 2, 3), True), ((2, 3), False)])
async def test_a_node_that_a_policy_plays_for_books_as_the_others_do(bots: tuple[int, ...], practice: bool) -> None:
    booked: list[bool] = []

    async def play(*_arguments: object, practice: bool = False, **_more: object) -> None:
        booked.append(practice)

    hub = SimpleNamespace(subscribe=lambda one: None, unsubscribe=lambda one: None)
    node: Any = SimpleNamespace(hub=hub, play=play)
    for setup in setups(bots=bots):
        with pytest.raises(DokoError):  # it was left before its end
            await play_plan(node, Plan(setup, ((),) * 4), None, None, SeedChain(bytes(32)), lambda line: None)  # type: ignore[arg-type]
    assert booked == [practice] * 4


def test_practice_leaves_hands_and_a_settlement_but_no_money(store: Store, paths: Paths) -> None:
    match = plan(1)
    store.add_match(match.match, PEOPLE[0].key, 0, pack_plan(match))
    hands = [closed(11, 1, (33, 33, -37, -37), 8)]
    close_books(store, match, b"the settlement", hands, paths.settlements, 2_000_000_000.0, money=False)
    assert store.ledger() == []
    assert [row.money for row in store.hands()] == [hands[0].money]
    assert store.settlement(match.match) == b"the settlement"
