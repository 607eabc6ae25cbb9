"""Clocks: decision, reserve, grace, gone; by what has arrived here."""

from protocol.table.clocks import MACHINE, Clocks
from protocol.wire.entries import Kind

PLAY = frozenset({Kind.PLAY})
TRICK = frozenset({Kind.TRICK})
H1, H2 = b"1" * 32, b"2" * 32


def made() -> Clocks:
    return Clocks(decision=30.0, reserve=60.0, grace=90.0)


def test_decision_then_reserve_then_grace() -> None:
    clocks = made()
    clocks.update({1: (PLAY, H1)}, 0, 100.0)
    assert clocks.deadline(1) == 190.0
    assert clocks.reserve_left(1, 120.0) == 60.0
    assert clocks.reserve_left(1, 140.0) == 50.0
    assert clocks.reserve_left(1, 500.0) == 0.0
    assert clocks.gone(279.0) == ()
    assert clocks.gone(280.0) == (1,)
    assert clocks.next(100.0) == 190.0
    assert clocks.next(190.0) == 280.0


def test_what_a_decision_takes_from_the_reserve_stays_taken() -> None:
    clocks = made()
    clocks.update({1: (PLAY, H1)}, 0, 0.0)
    clocks.update({1: (PLAY, H2)}, 0, 40.0)
    assert clocks.deadline(1) == 40.0 + 30.0 + 50.0
    clocks.update({}, 0, 50.0)
    assert clocks.reserve_left(1, 99.0) == 50.0
    clocks.update({1: (PLAY, H1)}, 1, 200.0)  # the next hand has its own reserve
    assert clocks.reserve_left(1, 200.0) == 60.0


def test_the_same_debt_does_not_start_the_clock_again() -> None:
    clocks = made()
    clocks.update({1: (PLAY, H1), 2: (TRICK, H1)}, 0, 0.0)
    clocks.update({1: (PLAY, H1)}, 0, 25.0)
    assert clocks.deadline(1) == 90.0
    assert clocks.deadline(2) is None


def test_entries_that_programs_make_have_a_short_time_of_their_own() -> None:
    clocks = made()
    clocks.update({2: (TRICK, H1)}, 0, 0.0)
    assert clocks.deadline(2) == MACHINE
    assert clocks.gone(MACHINE + 90.0) == (2,)
    assert clocks.reserve_left(2, 1_000.0) == 60.0
