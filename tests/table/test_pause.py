"""A pause by consent: all people agree, one ends it, clocks stand still; no order of words, flood or kill matters."""

import itertools
import random

import pytest

from protocol.refusal import Code, Refusal
from protocol.table import effects
from protocol.table.clocks import Clocks
from protocol.table.pause import Votes
from protocol.table.view import CoreView, Stage
from protocol.wire import messages
from protocol.wire.entries import Kind
from protocol.wire.messages import MAX_PAUSES, Pause
from tests.table.net import SEATS, Wire, World

PLAY = frozenset({Kind.PLAY})
HEAD = b"1" * 32
NOBODY = (False,) * 4


def views(world: World) -> list[CoreView]:
    return [node.table.view(world.now) for node in world.nodes]


def playing(world: World) -> bool:
    return all(view.stage is Stage.HAND for view in views(world))


def asked(world: World) -> int:
    return next(view.me for view in views(world) if view.question is not None)


def in_hand(seed: int = 1, *, bots: tuple[int, ...] = ()) -> World:
    """Four whom nobody answers for, in the bidding of the first hand."""
    world = World(seed=seed, bots=bots, players=lambda seat: None, decision=30, reserve=60, grace=90)
    world.run(stop=lambda: playing(world))
    return world


def spend(world: World, seconds: float) -> None:
    world.run(until=world.now + seconds, stop=lambda: False)


def pause(world: World, seats: tuple[int, ...] = SEATS) -> None:
    for seat in seats:
        assert world.act(seat, effects.Pause()) is None
    spend(world, 1.0)


def word(world: World, source: int, target: int, n: int, on: bool) -> None:
    raw = messages.encode(Pause(match=world.setups[0].match_id, n=n, on=on))
    world.inject(Wire(source, target, raw))


# --- the votes ----------------------------------------------------------------------------------------------------


def test_all_people_have_to_want_it() -> None:
    votes = Votes(frozenset({0, 1, 2}))
    for seat in (0, 1):
        votes = votes.hear(seat, 0, True)
        assert not votes.paused
    assert votes.by_seat == (True, True, False, True)  # the computer wants what they want
    assert votes.hear(2, 0, True).paused


def test_a_computer_is_not_asked_and_cannot_end_a_pause() -> None:
    votes = Votes(frozenset({0, 1})).hear(0, 0, True).hear(1, 0, True)
    assert votes.hear(3, 0, False) == votes
    assert not Votes(frozenset()).hear(0, 0, True).paused


def test_words_come_to_the_same_in_every_order_and_number() -> None:
    words = [(0, 0, True), (1, 0, True), (2, 0, False), (0, 1, True), (3, 1, True)]
    ends = set()
    for order in itertools.permutations(words):
        votes = Votes(frozenset(SEATS))
        for seat, number, on in (*order, order[0]):
            votes = votes.hear(seat, number, on)
        ends.add(votes)
    assert ends == {Votes(frozenset(SEATS), 1, frozenset({0, 3}))}


def test_votes_are_kept_and_damaged_ones_are_none() -> None:
    votes = Votes(frozenset(SEATS), 7, frozenset({0, 3}))
    assert Votes(frozenset(SEATS)).unpack(votes.pack()) == votes
    for raw in (b"", votes.pack()[:-1], votes.pack()[:-1] + b"\xff", b"\xff" * 4 + b"\x01"):
        assert Votes(frozenset(SEATS)).unpack(raw) == Votes(frozenset(SEATS))


# --- the clocks ---------------------------------------------------------------------------------------------------


def test_stopped_clocks_take_nothing() -> None:
    clocks = Clocks(decision=30.0, reserve=60.0, grace=90.0)
    clocks.update({1: (PLAY, HEAD)}, 0, 0.0)
    clocks.stop(40.0)
    assert clocks.next(40.0) is None
    assert clocks.reserve_left(1, 9_000.0) == 50.0
    assert clocks.gone(9_000.0) == ()
    clocks.go(9_000.0)
    assert clocks.reserve_left(1, 9_010.0) == 40.0
    assert clocks.gone_at(1) == 9_000.0 - 40.0 + 180.0


def test_what_begins_in_a_pause_has_all_its_time_after_it() -> None:
    clocks = Clocks(decision=30.0, reserve=60.0, grace=90.0)
    clocks.stop(10.0)
    clocks.update({1: (PLAY, HEAD)}, 0, 50.0)
    clocks.go(100.0)
    assert clocks.decision_left(1, 100.0) == 30.0


# --- the table ----------------------------------------------------------------------------------------------------


def test_four_agree_and_one_ends_it() -> None:
    world = in_hand()
    pause(world, (0, 1, 2))
    assert {view.pause_votes for view in views(world)} == {(True, True, True, False)}
    assert not any(view.paused for view in views(world))
    pause(world, (3,))
    assert all(view.paused for view in views(world))
    assert world.act(2, effects.Pause(False)) is None
    spend(world, 1.0)
    assert not any(view.paused for view in views(world))
    assert {view.pause_votes for view in views(world)} == {NOBODY}
    pause(world)
    assert all(view.paused for view in views(world))


def test_one_who_does_not_want_it_ends_the_wish() -> None:
    world = in_hand()
    pause(world, (0, 1))
    assert world.act(3, effects.Pause(False)) is None
    spend(world, 1.0)
    assert {view.pause_votes for view in views(world)} == {NOBODY}
    assert effects.PauseAsked(3, False) in world.nodes[0].shown


def test_the_clocks_of_all_four_stand_still() -> None:
    world = in_hand()
    spend(world, 10.0)
    seat = asked(world)
    pause(world)
    before = [view.decision[seat] for view in views(world)]
    spend(world, 3_000.0)
    after = views(world)
    assert [view.decision[seat] for view in after] == before
    assert all(view.reserve == (60.0,) * 4 for view in after)
    assert not any(view.absence and view.absence.gone for view in after)
    question = after[seat].question
    assert question is not None
    assert question.deadline is not None
    assert question.deadline - world.now == pytest.approx(before[seat] + 60.0)
    assert world.act(0, effects.Pause(False)) is None
    spend(world, 5.0)
    for view, left in zip(views(world), before, strict=True):
        assert left is not None
        assert view.decision[seat] == pytest.approx(left - 5.0, abs=0.2)


def test_after_a_pause_the_grace_runs_out_as_it_would_have() -> None:
    world = in_hand()
    seat = asked(world)
    pause(world)
    spend(world, 1_000.0)
    assert world.act(0, effects.Pause(False)) is None
    spend(world, 30 + 60 + 80)
    others = [view for view in views(world) if view.me != seat]
    assert not any(view.absence and view.absence.gone for view in others)
    spend(world, 15)
    assert all(view.absence and view.absence.gone == (seat,) for view in views(world) if view.me != seat)


def test_nobody_plays_in_a_pause_and_the_question_waits() -> None:
    world = in_hand()
    seat = asked(world)
    serial = views(world)[seat].question
    pause(world)
    refusal = world.act(seat, effects.Bid(False))
    assert refusal is not None
    assert refusal.detail == "the table has a pause"
    assert world.act(0, effects.Pause(False)) is None
    spend(world, 1.0)
    assert serial is not None
    now = views(world)[seat].question
    assert now is not None
    assert now.serial == serial.serial
    assert world.act(seat, effects.Bid(False)) is None


def test_computers_want_what_the_people_want() -> None:
    world = in_hand(bots=(1, 2, 3))
    pause(world, (0,))
    assert all(view.paused for view in views(world))
    assert {view.pause_votes for view in views(world)} == {(True,) * 4}


def test_a_word_that_is_lost_is_told_again_on_the_next_link() -> None:
    world = in_hand()
    world.cut(0, 1)
    pause(world)
    assert not views(world)[0].paused
    assert not views(world)[1].paused
    world.mend(0, 1)
    spend(world, 1.0)
    assert all(view.paused for view in views(world))
    world.cut(0, 1)
    assert world.act(0, effects.Pause(False)) is None
    spend(world, 1.0)
    assert views(world)[1].paused
    world.mend(0, 1)
    spend(world, 1.0)
    assert not any(view.paused for view in views(world))


@pytest.mark.parametrize("killed", [(2,), SEATS])
def test_a_pause_outlives_kill_9(killed: tuple[int, ...]) -> None:
    world = in_hand()
    pause(world)
    for seat in killed:
        world.kill(seat)
    for seat in killed:
        world.restart(seat)
    spend(world, 600.0)
    assert all(view.paused for view in views(world))
    assert not any(view.absence and view.absence.gone for view in views(world))
    assert world.act(1, effects.Pause(False)) is None
    spend(world, 1.0)
    assert not any(view.paused for view in views(world))


def test_who_was_away_when_a_pause_ended_learns_it() -> None:
    world = in_hand()
    pause(world)
    world.kill(2)
    assert world.act(1, effects.Pause(False)) is None
    spend(world, 1.0)
    world.restart(2)
    spend(world, 5.0)
    assert not any(view.paused for view in views(world))


def test_a_match_with_pauses_comes_to_its_end() -> None:
    world = World(seed=5)
    rng = random.Random(5)

    def ask(seat: int) -> None:
        world.act(seat, effects.Pause(rng.random() < 0.7))
        world.after(rng.uniform(0.2, 4.0), lambda: ask(seat))

    for seat in SEATS:
        world.after(rng.uniform(0.2, 4.0), lambda seat=seat: ask(seat))
    world.run(until=100_000.0)
    assert world.settled
    assert any(isinstance(event, effects.PauseAsked) for event in world.nodes[0].shown)


# --- a hostile peer -----------------------------------------------------------------------------------------------


def test_a_flood_of_words_writes_little_and_shows_little() -> None:
    world = in_hand()
    node = world.nodes[0]
    writes, shown = len(node.store.history), len(node.shown)
    for n in range(1_000):
        word(world, 3, 0, 2 * n, True)
        word(world, 3, 0, 2 * n, False)
    assert len(node.store.history) - writes <= 8
    assert len(node.shown) - shown <= 8


def test_a_flood_never_makes_a_pause_of_people_who_do_not_want_it() -> None:
    world = in_hand()
    pause(world, (1, 2))
    for n in (0, 0, 1, 5, MAX_PAUSES):
        word(world, 3, 0, n, True)
        assert not views(world)[0].paused


def test_ending_our_pause_is_heard_after_any_flood() -> None:
    world = in_hand()
    pause(world)
    for n in range(100):
        word(world, 3, 0, n + 1, True)  # the first ends our pause for one of its own
    spend(world, 60.0)
    assert not views(world)[0].paused


def test_our_own_words_are_never_more_than_the_others_take() -> None:
    world = in_hand()
    refusals = []
    for _ in range(40):
        for on in (True, False):
            refusal = world.act(0, effects.Pause(on))
            if refusal is not None:
                refusals.append(refusal)
        spend(world, 0.1)
    assert refusals
    assert {refusal.code for refusal in refusals} == {Code.LIMIT}
    spend(world, 1.0)
    assert len({view.pause_votes for view in views(world)}) == 1


def test_the_last_number_leaves_no_more_pauses_but_a_table() -> None:
    world = in_hand()
    word(world, 3, 0, MAX_PAUSES, False)
    refusal = world.act(0, effects.Pause())
    assert isinstance(refusal, Refusal)
    assert refusal.code is Code.LIMIT
    assert not views(world)[0].paused
