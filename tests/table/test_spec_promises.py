"""The limits that SPEC.md names, shown: what three know, what two can do by leaving, what sizes tell."""

from collections import Counter, defaultdict

from protocol.cards import DECK
from protocol.deal.shares import read_hand
from protocol.deal.void import closed_slots, void_due
from protocol.rules.contracts import CLASS_TABLE, class_members
from protocol.table.logfile import run_work
from protocol.table.match import Match
from protocol.wire import entries as wire
from protocol.wire.entries import Kind
from tests.deal.helpers import dealt
from tests.table.make_vectors import Recorder
from tests.table.net import Node, World


def test_three_colluders_know_the_fourth_hand() -> None:
    d = dealt()
    known: Counter[int] = Counter()
    for seat in (0, 1, 3):
        known.update(read_hand(d.own[seat].x, d.pairs[12 * seat : 12 * seat + 12]))
    assert sorted((Counter(DECK) - known).elements()) == sorted(d.hands[2])


def test_two_who_stop_together_adjourn_and_no_money_moves() -> None:
    world = World(4000, mode="variable", stake=10)
    world.run(stop=lambda: all(tricks(node) >= 3 for node in world.nodes))
    for seat in (1, 2):
        world.kill(seat)
    world.run(until=world.now + 3_000)
    for seat in (0, 3):
        view = world.nodes[seat].table.view(world.now)
        assert tricks(world.nodes[seat]) == 3
        assert world.nodes[seat].settlement is None
        assert view.money == (0, 0, 0, 0)
        assert view.finished == ()
        assert view.stopped == ""
        assert set(view.absence.gone if view.absence else ()) <= {1, 2}
        opened = world.nodes[seat].table.match.hand
        assert opened is not None
        assert len(opened.slots.played) < 48
    for seat in (1, 2):
        world.restart(seat)
    world.run(until=world.now + 900)
    assert world.settled, world.describe()


def tricks(node: Node) -> int:
    """How many are complete."""
    hand = node.table.match.hand
    return 0 if hand is None or hand.state is None else len(hand.state.tricks)


def test_sizes_depend_on_nothing_that_is_closed() -> None:
    """67: every kind has one size; a void proof's follows from the card played and what lay open before it."""
    sizes: defaultdict[Kind, set[int]] = defaultdict(set)
    proofs = 0
    for seed in (2, 3, 4):
        made = Recorder("hand", seed)
        made.run()
        match = Match(made.setup)
        for entry in made.entries:
            if entry.kind is Kind.PLAY:
                size, proof = size_of_play(match, entry.fields(wire.Play), entry.seat, made)
                proofs += proof > 0
                assert len(entry.fields(wire.Play).void or b"") == proof
                if not entry.fields(wire.Play).calls:
                    sizes[Kind.PLAY].add(len(entry.payload) - size)
            elif entry.kind not in (Kind.CALL, Kind.RESULT):
                sizes[entry.kind].add(len(entry.payload))
            assert match.offer(entry, own=True)
            run_work(match)
    assert proofs >= 10
    assert {kind for kind, each in sizes.items() if len(each) != 1} == set()
    assert set(sizes) >= {Kind.COMMIT, Kind.KEYS, Kind.SHUF, Kind.SHARES, Kind.BID, Kind.PLAY, Kind.TRICK}


def size_of_play(match: Match, play: wire.Play, seat: int, made: Recorder) -> tuple[int, int]:
    """From public facts alone: how many bytes a void proof adds to PLAY, and its own size."""
    hand = match.hand
    assert hand is not None
    state = hand.state
    assert state is not None
    assert state.contract is not None
    mine = made.seats[seat].mine
    assert mine is not None
    card = mine.hand[play.slot - 12 * seat]  # public as soon as it is played
    opened = set(hand.slots.opened) | {call.slot for call in hand.pending.values() if call.slot is not None}
    led = None if state.led is None else class_members(state.contract, state.led)
    closed = closed_slots(seat, hand.slots.played, opened, but=play.slot)
    known = state.led is not None and state.is_void(hand.position(seat), state.led)
    if not void_due(card, led, known, closed):
        return 0, 0
    assert led is not None
    assert CLASS_TABLE[state.contract][card] != state.led
    size = 32 + 96 * len(closed) * len(led)
    return size + (1 if size < 256 else 2), size
