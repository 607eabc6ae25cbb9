"""One hostile seat on a bad network: whatever reaches whom first, those who were led apart find the pair."""

import random

import pytest

from protocol.refusal import Code
from protocol.table import effects
from protocol.table.verify import verify
from protocol.wire import entries as wire
from protocol.wire.entries import Chain, Kind
from tests.chaos.world import ChaosWorld
from tests.table.hostile import Foe, refusals, until
from tests.table.net import SEATS, Script
from tests.table.test_equivocation import FOE, all_but_foe_agree, at_turn, first_card, vote

HONEST = tuple(seat for seat in SEATS if seat != FOE)
BAD = Script(delay=(0.01, 1.0), reorder=0.3, duplicate=0.2, drop=0.1)


@pytest.mark.parametrize("seed", range(8))
def test_void_to_some_and_a_card_to_others_on_a_bad_network(seed: int) -> None:
    rng = random.Random(f"fork {seed}")
    world = ChaosWorld(seed, pool=3, mode="variable", stake=10)
    world.watch.tolerate.add(FOE)
    foe = at_turn(world, Kind.PLAY)
    all_but_foe_agree(world)
    world.script = BAD
    card, agreed = first_card(foe), vote(foe)
    world.cut(*rng.sample(HONEST, 2), heal_after=rng.uniform(1.0, 20.0))
    closes = rng.choice(HONEST)
    foe.show(agreed, closes)
    others = [seat for seat in HONEST if seat != closes]
    foe.show(card, *rng.sample(others, rng.choice((1, 2))))
    if rng.random() < 0.5:
        world.kill_and_restart((rng.choice(HONEST),), 1.0)
    until(world, lambda: set(refusals(world, FOE)) >= set(HONEST), 120.0)
    assert {refusals(world, FOE)[seat] for seat in HONEST} == {Code.EQUIVOCATION}
    for seat in HONEST:
        verdict = verify(world.nodes[seat].evidence[-1])
        assert (verdict.problem, verdict.seat, verdict.code) == ("", FOE, "EQUIVOCATION")


@pytest.mark.parametrize("seed", range(4))
def test_keep_and_restart_shown_apart_leave_all_four_in_one_deal(seed: int) -> None:
    """Seat 3's KEYOK is late; the hostile seat keeps the deal before one and throws it away before the others."""
    rng = random.Random(f"keep {seed}")
    world = ChaosWorld(seed, BAD, pool=3, mode="variable", stake=10, grace=10)
    world.watch.tolerate.add(FOE)
    foe = Foe(world, FOE)
    foe.table._table._convict = lambda fault: None  # type: ignore[attr-defined]
    deal = world.nodes[0].table.match.deals[0]
    until(world, lambda: deal.log.length >= 2)
    head = deal.log.heads[2]
    shown = [
        foe.signer.make(Chain.DEAL, 0, None, head, Kind.KEEP, wire.Keep()),
        foe.signer.make(Chain.DEAL, 0, None, head, Kind.RESTART, wire.Restart(seat=3)),
    ]
    for seat in HONEST:
        foe.world.at(world.now + rng.uniform(0.0, 40.0), lambda seat=seat: foe.show(rng.choice(shown), seat))
    world.partition({3}, 45.0)
    for seat in HONEST:
        world.after(60.0, lambda seat=seat: [foe.show(entry, seat) for entry in shown])
    world.after(70.0, lambda: setattr(world, "script", Script()))
    until(world, lambda: all(node.table.match.hand is not None for node in world.nodes), 900.0)
    assert len({node.table.match.hand.deal.number for node in world.nodes if node.table.match.hand}) == 1
    assert set(refusals(world, FOE).values()) <= {Code.EQUIVOCATION}
    assert not any(event for node in world.nodes for event in node.shown if isinstance(event, effects.KeysLost))
