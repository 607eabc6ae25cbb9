"""A match that is over: the file, the bookings, the records; then ledger, history and export over them."""

import csv
import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from node import identity as ids
from node.books import close_books, record_text
from node.errors import EXIT_ENVIRONMENT, EXIT_NO, EXIT_OK, EXIT_USAGE, DokoError
from node.history import find, history_view, played
from node.money import format_cents, parse_cents
from node.paths import Paths
from node.plan import pack_plan
from node.store import Store, open_store
from protocol.rules import record
from protocol.table.effects import Persist
from tests.node.played import NAMES, PEOPLE, closed, hand, plan

Doko = Callable[..., Any]
WON = (33, 33, -37, -37)
LOST = (-37, -37, 33, 33)


def settle(store: Store, paths: Paths, number: int, settlement: bytes = b"the settlement", **terms: Any) -> Path:
    """Book match *number* of two hands: seats 0 and 1 win the first and lose the second, twice the fee each time."""
    match = plan(number, **terms)
    store.add_match(match.match, PEOPLE[0].key, match.setup.my_seat, pack_plan(match))
    hands = [closed(number * 10 + 1, 1, WON, 8), closed(number * 10 + 3, 2, LOST, 8)]
    return close_books(store, match, settlement, hands, paths.settlements, 2_000_000_000.0 + number)


def test_everything_is_booked_once(store: Store, paths: Paths) -> None:
    store.add_match(plan(1).match, PEOPLE[0].key, 0, pack_plan(plan(1)))
    store.persist(plan(1).match, Persist((), (("x", b"1"),)))
    path = settle(store, paths, 1)
    assert path.read_bytes() == b"the settlement"
    assert path.parent == paths.settlements
    assert settle(store, paths, 1, b"with one more signature") == path
    assert path.read_bytes() == store.settlement(plan(1).match) == b"with one more signature"
    assert [(row.name, row.cents, row.currency) for row in store.ledger()] == [
        ("Anna", -4, "EUR"),
        ("Bert", -4, "EUR"),
        ("=Carl()", -4, "EUR"),
        ("Dora", -4, "EUR"),
        ("pot", 16, "EUR"),
    ]
    assert [(row.deal, row.hand, row.forehand, row.money) for row in store.hands()] == [
        (11, 1, 0, WON),
        (13, 2, 1, LOST),
    ]
    assert [row.state for row in store.matches()] == ["finished"]
    assert store.load(plan(1).match).secrets == {}


def test_full_disk_leaves_the_match_open(store: Store, paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_args: Any, **_named: Any) -> None:
        raise DokoError("full", "", EXIT_ENVIRONMENT)

    with monkeypatch.context() as patch:
        patch.setattr("node.books.write_atomic", full)
        with pytest.raises(DokoError):
            settle(store, paths, 1)
    assert [row.state for row in store.matches()] == ["open"]
    assert store.ledger() == []
    settle(store, paths, 1)
    assert [row.state for row in store.matches()] == ["finished"]


def test_money_that_does_not_sum_to_zero_is_never_booked(store: Store, paths: Paths) -> None:
    match = plan(1)
    store.add_match(match.match, PEOPLE[0].key, 0, pack_plan(match))
    with pytest.raises(ValueError, match="not to 0"):
        close_books(store, match, b"", [closed(1, 1, (1, 0, 0, 0), 0)], paths.settlements, 0.0)
    assert not paths.settlements.exists()
    assert [row.state for row in store.matches()] == ["open"]


def test_record_replays_to_the_same_result() -> None:
    one = closed(5, 1, WON, 8)
    replayed = record.replay(record.parse(json.loads(record_text(one))))
    assert replayed.refusal is None
    assert record.outcome(replayed)["points"] == list(one.result.points)
    assert record_text(replace(one, hands=())) == record_text(one)  # all cards were played
    early, _dealt = hand(5, stop=6)
    unknown = replace(one, state=early, hands=())
    assert record_text(unknown) == "" or json.loads(record_text(unknown))["events"]


def test_history_from_the_store(store: Store, paths: Paths) -> None:
    settle(store, paths, 1)
    store.add_match(plan(2, seat=1).match, PEOPLE[1].key, 1, pack_plan(plan(2, seat=1)))
    store.add_match(b"?" * 32, PEOPLE[0].key, 3, b"of a newer program")
    first, second, third = sorted(played(store, names={PEOPLE[0].key: "I"}), key=lambda one: (one.state, one.me))
    assert (first.state, first.mode, first.currency) == ("finished", "four-fixed", "EUR")
    assert first.names == ("I", *NAMES[1:])
    assert first.money == (-4, -4, -4, -4)
    assert first.kitty == 16
    assert first.hand_points == tuple(row.points[0] for row in store.hands())
    assert first.points[0] == sum(first.hand_points)
    assert (second.state, second.me, second.hands) == ("open", 1, ())
    assert (third.names, third.mode) == (("", "", "", ""), "")
    (shown,) = history_view(store).matches
    assert shown.id == plan(1).match.hex()
    assert shown.path == str(paths.settlements / f"{shown.id[:16]}.settlement")
    assert shown.hand_points == first.hand_points


def test_match_is_found_by_the_beginning_of_its_name(store: Store, paths: Paths) -> None:
    with pytest.raises(DokoError, match="no match 'last'"):
        find([], "last")
    settle(store, paths, 1)
    settle(store, paths, 2)
    matches = played(store)
    name = plan(1).match.hex()
    assert find(matches, name[:8].upper()).match.hex() == name
    assert find(matches, "last") == matches[-1]
    with pytest.raises(DokoError, match="no match"):
        find(matches, "zz")
    doubled = [matches[0], matches[0]]
    with pytest.raises(DokoError, match="beginning of 2"):
        find(doubled, matches[0].match.hex()[:4])
    with pytest.raises(DokoError):
        find(matches, "")


@pytest.mark.parametrize(
    ("text", "cents"), [("12.50", 1250), ("12,5", 1250), (" 3 ", 300), ("0.01", 1), ("999999999", 99999999900)]
)
def test_amounts_people_type(text: str, cents: int) -> None:
    assert parse_cents(text) == cents


@pytest.mark.parametrize("text", ["", "0", "0.00", "-1", "1.234", "1e3", "ten", "1.", "٣", "1 000", "9999999999"])
def test_amounts_that_are_none(text: str) -> None:
    with pytest.raises(DokoError, match="no amount"):
        parse_cents(text)


def test_amounts_as_shown() -> None:
    shown = [format_cents(cents, sign=True) for cents in (0, 5, -5, 123456, -100)]
    assert shown == ["0.00", "+0.05", "-0.05", "+1234.56", "-1.00"]
    assert format_cents(5) == "0.05"


# -- the commands


@pytest.fixture
def filled(paths: Paths) -> Paths:
    """A data directory of the first player with two matches in two currencies."""
    ids.save(PEOPLE[0], paths.identity)
    with open_store(paths.store) as store:
        settle(store, paths, 1)
        settle(store, paths, 2, currency="beans")
    return paths


def test_ledger(doko: Doko, filled: Paths) -> None:
    done = doko("ledger")
    assert done.code == EXIT_OK
    assert "Anna (you)" in done.out
    assert "kitty pot" in done.out
    assert "Anna (you) pays kitty pot 0.04 EUR" in done.out
    euros, beans = json.loads(doko("ledger", "--json").out)
    assert (euros["currency"], beans["currency"]) == ("EUR", "beans")
    accounts = {one["name"]: one for one in euros["accounts"]}
    assert accounts["Anna"]["me"]
    assert accounts["pot"]["kitty"]
    assert {name: one["net"] for name, one in accounts.items()} == {"pot": 16, **dict.fromkeys(NAMES, -4)}
    assert accounts["pot"]["owes_me"] == -4
    assert len(euros["payments"]) == 4
    assert [book["currency"] for book in json.loads(doko("ledger", "--json", "--currency", "beans").out)] == ["beans"]


def test_ledger_uses_our_names_for_friends(doko: Doko, filled: Paths) -> None:
    doko("friends", "add", PEOPLE[1].key.hex(), "Bertie")
    assert "Bertie pays kitty pot" in doko("ledger").out


def test_payment_is_noted(doko: Doko, filled: Paths) -> None:
    done = doko("ledger", "paid", "me", "pot", "0.04", "--currency", "EUR", "--note", "cash")
    assert done.out == "Noted: Anna has paid pot 0.04 EUR.\n"
    euros = json.loads(doko("ledger", "--json", "--currency", "EUR").out)[0]
    assert {one["name"]: one["net"] for one in euros["accounts"]}["Anna"] == 0
    assert len(euros["payments"]) == 3
    taken_back = doko("ledger", "paid", "pot", PEOPLE[0].key.hex()[:8], "0,04", "--currency", "EUR")
    assert taken_back.code == EXIT_OK
    assert len(json.loads(doko("ledger", "--json").out)[0]["payments"]) == 4


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (("me", "Bert", "1"), EXIT_USAGE, "Which currency"),
        (("me", "Nobody", "1", "--currency", "EUR"), EXIT_NO, "Nobody"),
        (("me", "Anna", "1", "--currency", "EUR"), EXIT_USAGE, "the same"),
        (("me", "Bert", "x", "--currency", "EUR"), EXIT_USAGE, "no amount"),
        (("me", "Bert"), EXIT_USAGE, "AMOUNT"),
    ],
)
def test_bad_payments(doko: Doko, filled: Paths, args: tuple[str, ...], code: int, words: str) -> None:
    done = doko("ledger", "paid", *args)
    assert done.code == code
    assert words in done.err
    assert len(json.loads(doko("ledger", "--json").out)[0]["payments"]) == 4


def test_history(doko: Doko, filled: Paths) -> None:
    done = doko("history")
    assert done.code == EXIT_OK
    assert done.out.count("four hands, fixed stake") == 2
    assert "2 finished matches" in done.out
    assert "Anna" not in done.out  # I know that I was there
    matches = json.loads(doko("history", "--json").out)
    assert [one["currency"] for one in matches] == ["EUR", "beans"] or [one["currency"] for one in matches] == [
        "beans",
        "EUR",
    ]
    assert all(len(one["hands"]) == 2 for one in matches)
    assert len(json.loads(doko("history", "--json", "--limit", 1).out)) == 1
    name = plan(1).match.hex()
    one = json.loads(doko("history", name[:10], "--json").out)
    assert one["match"] == name
    assert "kitty" in doko("history", name).out
    plot = doko("history", "--plot")
    assert plot.code == EXIT_OK
    assert len(plot.out.splitlines()) > 15


def test_export_records_replay(doko: Doko, filled: Paths, tmp_path: Path) -> None:
    out = tmp_path / "hands.jsonl"
    assert doko("export", "records", "-o", out).code == EXIT_OK
    lines = out.read_text().splitlines()
    assert len(lines) == 4
    assert doko("export", "records", "-o", out).code == EXIT_ENVIRONMENT  # exists
    assert doko("export", "records", "last", "-o", out, "--replace").code == EXIT_OK
    assert len(out.read_text().splitlines()) == 2
    done = doko("replay", out, "--json")
    assert done.code == EXIT_OK
    assert [json.loads(line)["status"] for line in done.out.splitlines()] == ["complete"] * 2


def test_export_settlement(doko: Doko, filled: Paths, tmp_path: Path) -> None:
    assert doko("export", "settlement", "last").out == "the settlement"
    assert doko("export", "evidence", "last").code == EXIT_NO
    with open_store(filled.store) as store:
        store.note_stop(plan(1).match, "equivocation", b"the evidence")
    assert doko("export", "evidence", plan(1).match.hex()).out == "the evidence"


def test_export_csv_is_read_back_and_harmless_in_a_spreadsheet(doko: Doko, filled: Paths) -> None:
    rows = list(csv.DictReader(io.StringIO(doko("export", "ledger").out)))
    assert len(rows) == 10
    assert {row["name"] for row in rows} == {"Anna", "Bert", "'=Carl()", "Dora", "pot"}
    assert {row["amount"] for row in rows} == {"-0.04", "0.16"}
    hands = list(csv.DictReader(io.StringIO(doko("export", "history").out)))
    assert len(hands) == 4
    assert {row["money_0"] for row in hands} == {"0.33", "-0.37"}
    assert {row["name_2"] for row in hands} == {"'=Carl()"}
    assert {row["kitty"] for row in hands} == {"0.08"}


def test_nothing_played_yet(doko: Doko) -> None:
    assert doko("ledger").out == "Nothing is booked yet.\n"
    assert doko("ledger", "--json").out == "[]\n"
    assert "doko play" in doko("history").out
    assert doko("history", "last").code == EXIT_NO
    assert doko("export", "records").code == EXIT_NO
    assert doko("export", "settlement", "last").code == EXIT_NO
    assert doko("ledger", "paid", "a", "b", "1").code == EXIT_NO
