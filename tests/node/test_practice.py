"""What practice is, and that no money is booked for it."""

from node.books import close_books
from node.paths import Paths
from node.plan import pack_plan
from node.practice import is_practice
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


def test_practice_leaves_hands_and_a_settlement_but_no_money(store: Store, paths: Paths) -> None:
    match = plan(1)
    store.add_match(match.match, PEOPLE[0].key, 0, pack_plan(match))
    hands = [closed(11, 1, (33, 33, -37, -37), 8)]
    close_books(store, match, b"the settlement", hands, paths.settlements, 2_000_000_000.0, money=False)
    assert store.ledger() == []
    assert [row.money for row in store.hands()] == [hands[0].money]
    assert store.settlement(match.match) == b"the settlement"
