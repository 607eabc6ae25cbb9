"""Every attack of the list has its test at the core and over TCP, and README.md says which."""

import ast
from pathlib import Path

import pytest

from tests.hostile.attacks import ATTACKS, HERE, NOBODY_GUILTY, NOT_OVER_TCP, runs, table

RUNS = runs()


def test_every_test_of_an_attack_names_one_of_the_list() -> None:
    assert set(RUNS) == set(ATTACKS)


@pytest.mark.parametrize("number", ATTACKS)
def test_the_attack_is_run(number: int) -> None:
    each = RUNS[number]
    assert each.core
    assert each.tcp or each.processes or number in NOT_OVER_TCP


@pytest.mark.parametrize("number", [n for n in ATTACKS if n not in NOBODY_GUILTY])
def test_its_evidence_convicts(number: int) -> None:
    assert RUNS[number].convicts


@pytest.mark.parametrize(
    "name",
    [
        "test_attack_23_each_of_the_197_fields",
        "test_attack_28_forge_1",
        "test_attack_28_forge_2",
        "test_attack_28_forge_3",
    ],
)
def test_what_is_tried_whole_at_the_functions(name: str) -> None:
    """All 197 numbers of a proof, and the forgeries that weakened verifiers take (so that the tests can fail)."""
    deal = HERE.parent / "deal"
    parts = [ast.parse(path.read_text(encoding="utf-8")).body for path in sorted(deal.glob("test_attacks_*.py"))]
    assert any(isinstance(node, ast.FunctionDef) and node.name.startswith(name) for part in parts for node in part)


def test_the_table_is_true() -> None:
    """After a change: python -m tests.hostile.attacks, and its lines into README.md."""
    assert table() in Path(HERE / "README.md").read_text(encoding="utf-8")
