"""Kill -9, rolled back stores, cuts: the match goes on, and nobody ever signs two payloads for one place."""

import itertools
import random

import pytest

from protocol.rules.calls import CallKind
from protocol.table import effects
from protocol.table.entries import read_entry
from protocol.table.verify import verify
from protocol.wire.messages import Entry as EntryMessage
from protocol.wire.messages import decode
from tests.table.hostile import until
from tests.table.net import SEATS, Node, Script, Wire, World


class Signatures:
    """Sees every entry that arrives and fails at the first place that is signed twice."""

    def __init__(self) -> None:
        self.places: dict[object, bytes] = {}

    def __call__(self, wire: Wire) -> None:
        message = decode(wire.raw)
        if isinstance(message, EntryMessage):
            entry = read_entry(message.p, message.s)
            if entry.place is not None:
                assert self.places.setdefault(entry.place, entry.hash) == entry.hash, entry.words()


def watched(seed: int, script: Script | None = None, **terms: object) -> World:
    world = World(seed, script, **terms)
    world.watchers.append(Signatures())
    return world


def finish(world: World, until: float = 900.0) -> None:
    """To the end: equal files that verify, and no word of a stop."""
    world.run(until)
    assert world.settled, world.describe()
    files = {node.settlement for node in world.nodes}
    assert len(files) == 1
    verdict = verify(files.pop() or b"")
    assert verdict.good, verdict.problem
    assert all(node.stopped is None for node in world.nodes)


def crash(world: World, seat: int, after: int) -> None:
    """End the seat's process after its so manieth effect, and start it again two seconds later."""
    world.nodes[seat].crash_after = after

    def look() -> None:
        if not world.nodes[seat].running:
            world.after(2.0, lambda: world.restart(seat))
        elif not world.settled:
            world.after(0.5, look)

    world.after(0.1, look)


@pytest.mark.parametrize("step", range(1, 120, 11))
def test_64_kill_at_any_effect(step: int) -> None:
    world = watched(100 + step, mode="variable", stake=10)
    crash(world, step % 4, step)
    finish(world)


@pytest.mark.parametrize("seed", range(4))
def test_all_four_killed_at_once(seed: int) -> None:
    world = watched(200 + seed, mode="variable", stake=10)
    world.run(until=0.4 + 2.0 * seed)
    for seat in SEATS:
        world.kill(seat)
    for seat in SEATS:
        world.after(1.0 + seat, lambda seat=seat: world.restart(seat))
    finish(world)


@pytest.mark.parametrize("seed", range(6))
def test_80_store_rolled_back(seed: int) -> None:
    world = watched(300 + seed, mode="variable", stake=10)
    rng = random.Random(seed)
    world.run(until=1.5 + 1.5 * seed)
    seat = rng.randrange(4)
    world.kill(seat)
    lost = set(world.nodes[seat].store.secrets)
    world.nodes[seat].store.roll_back(rng.randrange(1, 5))
    kept = set(world.nodes[seat].store.secrets)
    world.after(1.0, lambda: world.restart(seat))
    if lost == kept or all(name.endswith("subs") for name in lost - kept):
        finish(world)
    else:  # the keys of a running hand are gone: whatever happens, nothing is signed twice
        world.run(until=120.0)


def test_store_rolled_back_to_nothing_in_the_deal() -> None:
    """The keys are lost before a card is dealt: the deal is made again by all four."""
    world = watched(401, mode="variable", stake=10)
    world.run(until=2.0, stop=lambda: world.nodes[2].table.match.deals[0].log.length >= 2)
    world.kill(2)
    world.nodes[2].store.roll_back(1_000)
    world.after(1.0, lambda: world.restart(2))
    finish(world)
    assert len(world.nodes[0].table.match.deals) == 2


def test_nothing_is_signed_before_all_have_told() -> None:
    """A started node waits for each of the three, even if its own store is complete."""
    world = watched(402, mode="variable", stake=10)
    world.run(until=3.0)
    world.kill(1)
    world.keep_sent = True
    world.restart(1)
    world.cut(1, 3)
    world.run(until=60.0)
    world.cut(1, 3)
    own = [
        entry
        for wire in world.sent
        if wire.source == 1 and isinstance(message := decode(wire.raw), EntryMessage)
        if (entry := read_entry(message.p, message.s)).seat == 1
    ]
    stored = {entry.hash for entry in world.nodes[1].store.entries}
    assert not [entry for entry in own if entry.hash not in stored]
    assert world.nodes[1].table.view(world.now).stage == "resuming" or world.settled


@pytest.mark.parametrize("seed", range(8))
def test_bad_networks(seed: int) -> None:
    script = Script(delay=(0.01, 0.4), reorder=0.2 * (seed % 3), duplicate=0.1 * (seed % 2), drop=0.03 * (seed % 4))
    finish(watched(500 + seed, script, mode="variable", stake=10), until=3_000.0)


@pytest.mark.parametrize("seed", range(4))
def test_links_cut_and_mended(seed: int) -> None:
    world = watched(600 + seed, mode="variable", stake=10)
    rng = random.Random(seed)
    pairs = list(itertools.combinations(SEATS, 2))

    def trouble() -> None:
        world.cut(*rng.choice(pairs), heal_after=rng.uniform(0.1, 4.0))
        if not world.settled and world.now < 60:
            world.after(rng.uniform(0.2, 1.5), trouble)

    world.after(0.1, trouble)
    finish(world)


def test_one_link_down_for_ever() -> None:
    """Two who never reach each other play on through the others."""
    world = watched(700, mode="variable", stake=10)
    world.cut(0, 2)
    finish(world, until=3_000.0)


def test_65_partition() -> None:
    """Two and two: both halves wait, and go on when the network is whole again."""
    world = watched(701, mode="variable", stake=10)
    world.run(until=4.0)
    for pair in ((0, 2), (0, 3), (1, 2), (1, 3)):
        world.cut(*pair, heal_after=40.0)
    world.run(until=30.0)
    assert not world.settled
    lengths = [node.table.match.main.length for node in world.nodes]
    assert max(lengths) - min(lengths) <= 2
    finish(world)


def test_damaged_keys_are_as_good_as_lost() -> None:
    """The store gives back other bytes for the keys of the hand: it is said, and all four can agree that it is void."""
    world = watched(4090, mode="variable", stake=10)
    until(world, lambda: all((hand := node.table.match.hand) and hand.state for node in world.nodes))
    node = world.nodes[2]
    world.kill(2)
    node.store.secrets["deal/0/keys"] = node.store.secrets["deal/0/keys"][:100]
    node.store.secrets["deal/0/subs"] = b"?"
    world.restart(2)
    until(world, lambda: effects.KeysLost(0) in node.shown)
    for seat in SEATS:
        assert world.act(seat, effects.VoidHand()) is None
    finish(world)
    assert world.nodes[0].table.match.closed[0].agreed


def test_a_call_of_a_void_hand_keeps_its_number_though_its_author_has_lost_it() -> None:
    """It counts for nothing any more, but the others hold it: another entry with its number would convict him."""
    world = watched(5003, mode="variable", stake=10)

    def offers(node: Node) -> tuple[CallKind, ...]:
        return tuple(node.table.view(world.now).calls)

    until(world, lambda: any(offers(node) for node in world.nodes))
    node = next(node for node in world.nodes if offers(node))
    before = len(node.store.history)
    assert world.act(node.seat, effects.MakeCall(offers(node)[0])) is None
    for seat in SEATS:
        assert world.act(seat, effects.VoidHand()) is None
    until(world, lambda: all(len(each.table.match.closed) == 1 for each in world.nodes))
    world.kill(node.seat)
    node.store.roll_back(len(node.store.history) - before)
    world.restart(node.seat)
    finish(world)
    assert not any(each.evidence for each in world.nodes)
