"""Decisions: throwing a deal away, keeping it, voiding a hand; and absence."""

import pytest

from protocol.refusal import Refusal
from protocol.table import effects
from protocol.table.deal_phase import DealState
from protocol.table.verify import verify
from protocol.wire import entries as wire
from protocol.wire.entries import Chain, Kind
from tests.table.hostile import Foe, entries_of, until
from tests.table.net import SEATS, RandomPlayer, Wire, World


def played(world: World, cards: int) -> bool:
    """On all nodes the hand is open and so many cards are on the table."""
    states = [hand.state for node in world.nodes if (hand := node.table.match.hand) is not None]
    return len(states) == 4 and all(state is not None and state.cards_played >= cards for state in states)


def finish(world: World, until_time: float = 900.0) -> None:
    world.run(until=world.now + until_time)
    assert world.settled, world.describe()
    files = {node.settlement for node in world.nodes}
    assert len(files) == 1
    verdict = verify(files.pop() or b"")
    assert verdict.good, verdict.problem


def test_deal_thrown_away_by_all_four() -> None:
    world = World(5000, mode="variable", stake=10)
    until(world, lambda: all(node.table.match.deals[0].log.length >= 3 for node in world.nodes))
    assert world.act(0, effects.DealAnew()) is None
    until(world, lambda: all(1 in node.table.match.deals for node in world.nodes))
    assert all(node.table.match.deals[0].state is DealState.DEAD for node in world.nodes)
    assert any(isinstance(event, effects.DealAgain) for event in world.nodes[3].shown)
    finish(world)


def test_dealing_anew_is_refused_once_shares_are_sent() -> None:
    world = World(5001, mode="variable", stake=10)
    until(world, lambda: played(world, 0))
    assert isinstance(world.act(0, effects.DealAnew()), Refusal)


def test_who_holds_the_entry_shows_it_and_keeps_the_deal() -> None:
    """Seat 3's KEYOK reaches only seat 2 until the others want the deal thrown away: it goes on all the same."""
    world = World(5002, mode="variable", stake=10)
    open_again = False

    def swallow(message: Wire) -> list[Wire] | None:
        for _, entry in entries_of([message]):
            if entry.seat == 3 and entry.kind is Kind.KEYOK and message.target != 2 and not open_again:
                return []
        return None

    world.hooks.append(swallow)
    signed = world.nodes[2].table.match.restarts
    until(world, lambda: any(len(by) >= 1 for by in signed.values()), 400.0)
    open_again = True
    finish(world)
    match = world.nodes[0].table.match
    assert len(match.deals) == 1
    assert match.deals[0].state is DealState.READY
    kept = [e.seat for e in match.known.values() if e.kind is Kind.KEEP]
    assert kept[0] == 2
    assert set(kept) <= {0, 1, 2}, "whoever was shown the entry may keep the deal, too"
    assert len(set(kept)) == len(kept)


def test_restarts_on_every_head_wear_nobody_out() -> None:
    """Seat 3 asks to throw each deal away on each of its heads: the others keep it, and nobody is to blame."""
    world = World(5020, mode="four-fixed", stake=10)
    foe = Foe(world, 3)
    for number in range(2):
        for index in range(6):
            until(world, lambda n=number, i=index: _all_have_closed(world, n, i), 900.0)
            log = world.nodes[0].table.match.deals[number].log
            asked = wire.Restart(seat=log.rounds[index].entries[0].seat)
            foe.show(foe.signer.make(Chain.DEAL, number, None, log.heads[index], Kind.RESTART, asked))
    until(world, lambda: all(node.table.match.closed for node in world.nodes), 900.0)
    kept = [e for e in world.nodes[0].table.match.decisions.values() if e.kind is Kind.KEEP]
    assert len([e for e in kept if e.seat == 2]) > 6
    assert len({(e.seat, e.parent) for e in kept}) == len(kept)
    assert not any(node.stopped for node in world.nodes)


def _all_have_closed(world: World, number: int, index: int) -> bool:
    """Whether round *index* of deal *number* is closed on all nodes."""
    deals = [node.table.match.deals.get(number) for node in world.nodes]
    return all(deal is not None and deal.log.length > index for deal in deals)


def test_void_by_agreement() -> None:
    world = World(5003, mode="four-fixed", stake=10)
    until(world, lambda: all(len(node.table.match.closed) == 1 for node in world.nodes), 600.0)
    until(world, lambda: played(world, 6))
    forehand = world.nodes[0].table.match.hand.forehand
    for seat in SEATS:
        assert world.act(seat, effects.VoidHand()) is None
    until(world, lambda: all(len(node.table.match.closed) == 2 for node in world.nodes), 60.0)
    closed = world.nodes[0].table.match.closed[1]
    assert closed.agreed
    assert closed.money == (0, 0, 0, 0)
    finish(world, 3_000.0)
    match = world.nodes[0].table.match
    assert [hand.number for hand in match.closed] == [1, 2, 2, 3, 4]
    assert match.closed[2].forehand == forehand


def test_void_by_agreement_in_the_first_hand() -> None:
    world = World(5004, mode="variable", stake=10)
    until(world, lambda: played(world, 2))
    for seat in SEATS:
        assert world.act(seat, effects.VoidHand()) is None
    until(world, lambda: all(len(node.table.match.closed) == 1 for node in world.nodes), 60.0)
    finish(world)


def test_three_votes_make_no_void_hand() -> None:
    world = World(5005, mode="variable", stake=10)
    until(world, lambda: played(world, 0))
    for seat in (0, 1, 2):
        assert world.act(seat, effects.VoidHand()) is None
    finish(world)
    assert not world.nodes[0].table.match.closed[0].agreed


def test_wish_for_a_void_hand_can_be_withdrawn() -> None:
    world = World(5006, mode="variable", stake=10)
    until(world, lambda: played(world, 0))
    for seat in (0, 1, 2):
        world.act(seat, effects.VoidHand())
    world.run(until=world.now + 2.0)
    world.act(0, effects.VoidHand(False))
    world.run(until=world.now + 2.0)
    world.act(3, effects.VoidHand())
    finish(world)
    assert not world.nodes[0].table.match.closed[0].agreed


def test_absence_is_shown_and_ends() -> None:
    world = World(5007, mode="variable", stake=10, decision=5, reserve=10, grace=20)
    until(world, lambda: played(world, 0))
    world.kill(2)
    world.run(until=world.now + 120.0)
    view = world.nodes[0].table.view(world.now)
    assert view.absence is not None
    assert view.absence.gone == (2,)
    assert not view.absence.adjourned
    assert effects.Gone((2,)) in world.nodes[0].shown
    world.kill(3)
    world.run(until=world.now + 1.0)
    world.restart(2)
    world.restart(3)
    finish(world)
    assert effects.Back() in world.nodes[0].shown


def test_go_on_after_three_void_hands() -> None:
    world = World(5008, mode="variable", stake=10, players=lambda seat: RandomPlayer(seat, 0.0, 0.0))
    for count in range(1, 4):
        until(world, lambda: played(world, 1))
        for seat in SEATS:
            world.act(seat, effects.VoidHand())
        until(world, lambda count=count: all(len(n.table.match.closed) == count for n in world.nodes), 60.0)
    asked = set()
    for node in world.nodes:
        question = node.table.view(world.now).question
        if question is not None:
            asked.add(question.kind)
    finish(world)
    assert len(world.nodes[0].table.match.closed) == 4


@pytest.mark.parametrize("seat", SEATS)
def test_adjourned_and_taken_up_again(seat: int) -> None:
    world = World(5010 + seat, mode="variable", stake=10)
    until(world, lambda: played(world, 0))
    world.act(seat, effects.Adjourn())
    assert world.nodes[seat].stopped is not None
    world.run(until=world.now + 5.0)
    world.kill(seat)
    world.restart(seat)
    finish(world)


def test_a_question_stays_the_same_while_the_next_deal_is_made_in_the_background() -> None:
    world = World(41, players=lambda seat: None, mode="four-fixed", limit=None)
    table = world.nodes[0].table

    def asked() -> list[tuple[int, int]]:
        questions = [(node.seat, node.table.view(world.now).question) for node in world.nodes]
        return [(seat, question.serial) for seat, question in questions if question is not None]

    until(world, lambda: bool(asked()))
    before = asked()
    until(world, lambda: 1 in table.match.deals and table.match.deals[1].state is DealState.READY)
    assert asked() == before
