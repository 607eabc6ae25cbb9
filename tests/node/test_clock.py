"""Clocks."""

import pytest

from node.clock import EARLIEST, ManualClock, SystemClock, iso, local


def test_manual_clock_stands_until_told() -> None:
    clock = ManualClock()
    assert (clock.wall(), clock.monotonic()) == (EARLIEST, 0.0)
    clock.advance(2.5)
    assert (clock.wall(), clock.monotonic()) == (EARLIEST + 2.5, 2.5)
    with pytest.raises(ValueError):
        clock.advance(-1)


def test_system_clock_goes_forward() -> None:
    clock = SystemClock()
    assert clock.wall() > EARLIEST
    assert clock.monotonic() <= clock.monotonic()


def test_dates() -> None:
    assert iso(EARLIEST) == "2025-01-01T00:00:00Z"
    assert len(local(EARLIEST)) == len("2025-01-01 00:00")
