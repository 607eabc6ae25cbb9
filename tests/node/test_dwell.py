"""How long a finished trick stays: the longest wish, bounded, until those who wish it have seen enough."""

import pytest

from node.dwell import LONGEST_S, Dwells
from protocol.refusal import Refusal
from protocol.wire import messages
from protocol.wire.messages import LONGEST_DWELL_MS, Dwell

PEOPLE = (0, 2)


def wishes(*pairs: tuple[int, float], decision: float = 60.0) -> Dwells:
    dwells = Dwells(PEOPLE, decision)
    for seat, seconds in pairs:
        dwells.wish(seat, seconds)
    return dwells


def test_the_longest_wish_wins() -> None:
    assert wishes((0, 2.0), (2, 3.5)).longest == 3.5


def test_without_a_wish_nobody_waits() -> None:
    assert wishes().longest == 0.0
    assert Dwells((), 60.0).waits(0, 1) == 0.0


def test_a_computer_has_no_wish() -> None:
    assert not wishes().wish(1, 9.0)
    assert wishes((1, 9.0)).longest == 0.0


@pytest.mark.parametrize(
    ("said", "holds"), [(1e9, LONGEST_S), (float("inf"), LONGEST_S), (-5.0, 0.0), (LONGEST_S, LONGEST_S)]
)
def test_a_hostile_wish_is_bounded(said: float, holds: float) -> None:
    assert wishes((2, said)).longest == holds


def test_never_more_than_half_the_time_for_a_decision() -> None:
    assert wishes((2, 10.0), decision=5.0).longest == 2.5


def test_a_message_can_wish_no_more_than_the_longest() -> None:
    raw = messages.encode(Dwell(match=bytes(32), ms=LONGEST_DWELL_MS + 1))
    with pytest.raises(Refusal):
        messages.decode(raw)


def test_who_has_seen_a_trick_is_not_waited_for() -> None:
    dwells = wishes((0, 2.0), (2, 3.0))
    dwells.saw(2, 4, 7)
    assert dwells.waits(4, 7) == 2.0
    dwells.saw(0, 4, 7)
    assert dwells.waits(4, 7) == 0.0


def test_seeing_counts_for_that_trick_alone() -> None:
    dwells = wishes((0, 2.0))
    for deal, trick in ((4, 6), (4, 8), (5, 7)):
        dwells.saw(0, deal, trick)
        assert dwells.waits(4, 7) == 2.0


def test_the_wish_still_shows_to_others_after_one_has_seen_enough() -> None:
    dwells = wishes((0, 2.0))
    dwells.saw(0, 4, 7)
    assert dwells.longest == 2.0
