"""What is told about our own computers when they end."""

from pathlib import Path

import pytest

from node.company import Computer
from node.errors import EXIT_ENVIRONMENT, EXIT_OK, EXIT_PEER


@pytest.mark.parametrize(
    ("settled", "leaving", "code", "told"),
    [
        (0, False, EXIT_PEER, True),  # it never got a seat
        (1, False, EXIT_PEER, False),  # it waited for another match, and none came
        (1, False, EXIT_ENVIRONMENT, True),
        (0, False, EXIT_OK, False),
        (0, True, EXIT_PEER, False),
    ],
)
def test_only_a_failure_is_told(settled: int, leaving: bool, code: int, told: bool) -> None:
    computer = Computer(bytes(32), "Ada", "beginner", Path("ada"), leaving=leaving, settled=settled)
    assert computer.failed(code) is told
