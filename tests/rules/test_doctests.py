"""The examples in the docstrings of the engine are true."""

import doctest
from importlib import import_module

import pytest

MODULES = (
    "protocol.cards",
    "protocol.rules.calling",
    "protocol.rules.calls",
    "protocol.rules.contracts",
    "protocol.rules.hand",
    "protocol.rules.match",
    "protocol.rules.record",
    "protocol.rules.stakes",
    "protocol.rules.winner",
)


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples(name: str) -> None:
    found = doctest.testmod(import_module(name))
    assert found.attempted > 0
    assert found.failed == 0
