"""The books: nets, what stands between two, never two currencies added up."""

import pytest

from node.ledger import between, books, is_kitty, kitty_account, ledger_view, match_rows
from node.store import LedgerRow, Store
from node.view import Balance, Payment

A, B, C, D = (bytes([n]) * 32 for n in range(1, 5))
PLAYERS = [(A, "Anna"), (B, "Bert"), (C, "Carl"), (D, "Dora")]
KITTY = kitty_account("pot")


def booked(store: Store, match: int, money: list[int], kitty: int = 0, currency: str = "EUR") -> None:
    name = bytes([match]) * 32
    store.add_match(name, A, 0, b"")
    store.finish_match(name, b"", ledger=match_rows(PLAYERS, money, [1, 1, -1, -1], kitty, "pot", currency))


def test_rows_of_a_match_sum_to_zero() -> None:
    rows = match_rows(PLAYERS, [122, 122, -150, -150], [5, 5, -5, -5], 56, "pot", "EUR")
    assert [(row.account, row.cents) for row in rows] == [
        (A.hex(), 122),
        (B.hex(), 122),
        (C.hex(), -150),
        (D.hex(), -150),
        (KITTY, 56),
    ]
    assert is_kitty(rows[4].account)
    assert not is_kitty(rows[0].account)
    with pytest.raises(ValueError, match="sums to 1"):
        match_rows(PLAYERS, [1, 0, 0, 0], [0] * 4, 0, "pot", "EUR")


def test_nets_payments_and_pairs(store: Store) -> None:
    booked(store, 1, [122, 122, -150, -150], 56)
    booked(store, 2, [-30, 10, 10, 10])
    store.book_payment((C.hex(), "Carl"), (A.hex(), "Anna"), "EUR", 61)
    (book,) = books(store.ledger(), {A.hex(): "I"})
    nets = {one.name: (one.net, one.won, one.points, one.matches) for one in book.accounts}
    assert nets == {
        "Bert": (132, 132, 2, 2),
        "pot": (56, 56, 0, 2),
        "I": (31, 92, 2, 2),
        "Carl": (-79, -140, -2, 2),
        "Dora": (-140, -140, -2, 2),
    }
    assert [one.name for one in book.accounts] == ["Bert", "pot", "I", "Carl", "Dora"]
    assert sum(one.net for one in book.accounts) == 0
    assert len(book.payments) == 4
    mine = between(store.ledger(), A.hex())
    assert mine == {
        ("EUR", B.hex()): -10,
        ("EUR", C.hex()): 61 - 10 - 61,
        ("EUR", D.hex()): 61 - 10,
        ("EUR", KITTY): 0,
    }
    assert sum(mine.values()) == 31


def test_currencies_stay_apart(store: Store) -> None:
    booked(store, 1, [1, 1, -1, -1], currency="EUR")
    booked(store, 2, [-5, 0, 0, 5], currency="beans")
    found = books(store.ledger())
    assert [book.currency for book in found] == ["EUR", "beans"]
    assert {one.name: one.net for one in found[1].accounts}["Anna"] == -5
    assert between(store.ledger(), A.hex())["beans", D.hex()] == -5


def test_latest_name_counts_unless_we_have_our_own() -> None:
    rows = [LedgerRow("aa", "Old", "EUR", 1), LedgerRow("aa", "New", "EUR", -1, match=b"2")]
    assert books(rows)[0].accounts[0].name == "New"
    assert books(rows, {"aa": "Mine"})[0].accounts[0].name == "Mine"
    assert books(rows)[0].name("unknown") == "unknown"


def test_view_for_the_console(store: Store) -> None:
    booked(store, 1, [-60, 20, 20, 20])
    view = ledger_view(store.ledger(), A.hex())
    assert view.balances == (
        Balance("Bert", -20, "EUR", 1),
        Balance("Carl", -20, "EUR", 1),
        Balance("Dora", -20, "EUR", 1),
    )
    assert set(view.payments) == {Payment("Anna", name, 20, "EUR") for name in ("Bert", "Carl", "Dora")}
    assert view.kitties == (Balance("pot", 0, "EUR", 1),)
    assert ledger_view([], "").balances == ()
