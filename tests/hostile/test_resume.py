"""A seat that will not tell a node what it holds of it: the node comes back all the same, unless its store is old."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from protocol.table import resume
from protocol.wire import messages
from protocol.wire.sync import Ask, Told
from tests.hostile.room import Room
from tests.hostile.stages import playing, turn
from tests.table.net import SEATS

Lie = Callable[[Room, int], None]


def silent(room: Room, hostile: int) -> None:
    """It does not answer ASK."""
    room.tables[hostile]._tell = lambda seat, message: None  # type: ignore[method-assign]


def inventing(room: Room, hostile: int) -> None:
    """It names an entry that nobody has made."""

    def tell(seat: int, message: Ask) -> None:
        answer = Told(match=message.match, nonce=message.nonce, last=(bytes(32),))
        room.send(hostile, seat, messages.encode(answer))

    room.tables[hostile]._tell = tell  # type: ignore[method-assign]


def flapping(room: Room, hostile: int) -> None:
    """It does not answer, and is away most of the time."""
    silent(room, hostile)
    passed = room.later

    def later(seconds: float) -> None:
        for _ in range(max(1, int(seconds / 20.0))):
            for victim in SEATS:
                if victim != hostile and frozenset((victim, hostile)) not in room.down:
                    room.cut(victim, hostile)
            passed(15.0)
            for victim in SEATS:
                if victim != hostile:
                    room.mend(victim, hostile)
            passed(5.0)

    room.later = later  # type: ignore[method-assign]


def begun(lie: Lie) -> tuple[Room, int, int]:
    """Cards are played; the node whose turn it is starts again, and another one will not help it."""
    room = playing(7)
    victim = turn(room)
    hostile = (victim + 2) % 4
    lie(room, hostile)
    return room, victim, hostile


def played(room: Room, victim: int) -> bool:
    """Whether the node can play the card that is due from it, and all take it."""
    question = room.tables[victim].view(room.now).question
    if question is None:
        return False
    room.act(victim, question.commands[0])
    return all(table.match.hand.state.cards_played == 1 for table in room.tables)  # type: ignore[union-attr]


@pytest.mark.parametrize("lie", [silent, inventing, flapping], ids=lambda lie: lie.__name__)
def test_one_seat_cannot_keep_a_node_from_coming_back(lie: Lie) -> None:
    room, victim, _ = begun(lie)
    room.start_over(victim)
    room.pump()
    assert not played(room, victim), "not before it has been waited for"
    room.later(resume.PATIENCE + 20.0)
    assert played(room, victim)


@pytest.mark.parametrize("lie", [silent, inventing], ids=lambda lie: lie.__name__)
def test_attack_80_store_put_back_waits_for_all(lie: Lie) -> None:
    """The others hold an entry of its own that it has not: more may be with the one who does not tell."""
    room, victim, hostile = begun(lie)
    room.stores[victim].roll_back(1)
    room.start_over(victim)
    room.pump()
    room.later(10 * resume.PATIENCE)
    assert room.tables[victim]._put_back
    assert not played(room, victim)
    del room.tables[hostile]._tell  # type: ignore[method-assign]
    room.later(20.0)
    assert played(room, victim)


def test_a_seat_that_is_away_is_waited_for() -> None:
    """Nothing says that it hides anything, and it may hold what nobody else does."""
    room, victim, hostile = begun(lambda room, hostile: None)
    room.cut(victim, hostile)
    room.start_over(victim)
    room.pump()
    room.later(10 * resume.PATIENCE)
    assert not played(room, victim)
    room.mend(victim, hostile)
    assert played(room, victim)


def test_two_seats_that_tell_nothing_are_waited_for() -> None:
    room, victim, hostile = begun(silent)
    silent(room, (hostile + 1) % 4 if (hostile + 1) % 4 != victim else (hostile + 3) % 4)
    room.start_over(victim)
    room.pump()
    room.later(10 * resume.PATIENCE)
    assert not played(room, victim)
