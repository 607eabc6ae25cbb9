"""``protocol/RULES.md`` has every rule once and its figures are those of the engine."""

import re
from importlib.resources import files

import pytest

from protocol.cards import format_cards
from protocol.rules.calls import CallKind, Side, needed, reply_needed
from protocol.rules.contracts import TRUMP, Contract, class_members
from protocol.rules.stakes import Mode, Payment, Stakes

PAGE = files("protocol").joinpath("RULES.md").read_text(encoding="utf-8")
KINDS = (CallKind.RE, CallKind.NO90, CallKind.NO60, CallKind.NO30, CallKind.BLACK)


def test_each_rule_stands_there_once_and_in_order() -> None:
    assert re.findall(r"^\*\*(R\d+)\*\*", PAGE, re.MULTILINE) == [f"R{n}" for n in range(1, 36)]


def test_the_trumps_of_R3() -> None:
    assert " ".join(PAGE.split("From the top:")[1].split("The rest")[0].split()) == format_cards(
        class_members(Contract.NORMAL, TRUMP)
    )


@pytest.mark.parametrize(("row", "cards"), [("you hold at least", needed), ("a reply to it needs (R20)", reply_needed)])
def test_the_deadlines_of_R16_and_R20(row: str, cards: object) -> None:
    (line,) = [line for line in PAGE.splitlines() if line.startswith(f"| {row}")]
    told = [int(cell) for cell in line.strip("|").split("|")[1:]]
    assert callable(cards)
    assert told == [cards(kind) for kind in KINDS]


@pytest.mark.parametrize(
    ("example", "paid"),
    [
        ("solo won", Stakes(Mode.VARIABLE, 100, fee=900).settle(4, Side.RE, (0,))),
        ("solo lost", Stakes(Mode.VARIABLE, 100, fee=900).settle(4, Side.KONTRA, (0,))),
        ("two against two", Stakes(Mode.VARIABLE, 37, 150, 900).settle(5, Side.RE, (0, 2))),
        ("duel", Stakes(Mode.DUEL, 250, fee=250).settle(1, Side.RE, (0, 1), (0, 2))),
    ],
)
def test_the_examples_of_R35(example: str, paid: Payment) -> None:
    (line,) = [line for line in PAGE.splitlines() if line.startswith("|") and example in line]
    assert {int(n) for n in re.findall(r"[-+]\d+", line)} == set(paid.money) - {0}
    assert line.split("|")[-2].strip() == str(paid.kitty)
