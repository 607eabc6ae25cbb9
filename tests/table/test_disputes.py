"""Who is to blame when nobody answers, one payload for a VOID, and work that is done ahead."""

from collections.abc import Callable

import pytest

from protocol.refusal import Code
from protocol.table import effects, own
from protocol.table.deal_phase import DealState
from protocol.table.entries import DOMAIN_SIGN, Entry, read_entry
from protocol.wire import entries as wire
from protocol.wire.entries import Chain, Kind, encode_payload
from tests.table.hostile import Foe, convicted, refusals, until
from tests.table.net import World
from tests.table.test_attacks_deal import bad_box, finish, fresh_with, in_deal, only


def test_13_bad_box_and_no_answer_blames_its_maker_and_not_the_complainant() -> None:
    first = World(2040, mode="variable", stake=10)
    world = fresh_with(2040, bad_box(first.nodes[1].table._deals[0].keys, 3))
    world.hooks.append(only(1, {Kind.SHAREOPEN}))
    foe = Foe(world, 1)
    foe.table._answer_complaint = lambda deal, mine: False  # type: ignore[method-assign]
    deals = [node.table.match.deals[0] for node in world.nodes if node.seat != 1]
    until(world, lambda: all(deal.complaints and 1 not in deal.log.missing for deal in deals))
    for node in world.nodes:
        if node.seat != 1:
            due = node.table.match.due
            assert due[1] == {Kind.SHAREOPEN}
            assert 3 not in due
    until(world, lambda: in_deal(world, 1), 400.0)
    match = world.nodes[0].table.match
    assert match.deals[0].state is DealState.DEAD
    assert [entry.fields(wire.Restart).seat for entry in match.restarted_by(0)] == [1, 1, 1]
    assert refusals(world, 3) == {}
    finish(world)


def voted(world: World, seat: int) -> Foe:
    """All four are at cards, one of them hostile."""
    until(world, lambda: all(n.table.match.hand and n.table.match.main.kinds == {Kind.PLAY} for n in world.nodes))
    return Foe(world, seat)


def resigned(foe: Foe, payload: bytes) -> Entry:
    """These bytes under the seat's signature."""
    return read_entry(payload, foe.signer.sign(DOMAIN_SIGN + payload))


def another_deal(foe: Foe) -> Entry:
    return foe.signer.make(Chain.MAIN, 7, None, foe.match.main.head, Kind.VOID, wire.Void())


def another_encoding(foe: Foe) -> Entry:
    plain = foe.signer.make(Chain.MAIN, 0, None, foe.match.main.head, Kind.VOID, wire.Void())
    head, tail = plain.payload[: 1 + 1 + 34 + 1], plain.payload[1 + 1 + 34 + 2 :]
    long = head + b"\xcc\x00" + tail  # the deal number 0 in two bytes
    made = resigned(foe, long)
    assert made.says == plain.says
    assert encode_payload(made.says) == plain.payload != long
    return made


@pytest.mark.parametrize(("make", "code"), [(another_deal, Code.CONTEXT), (another_encoding, Code.FORMAT)])
def test_one_payload_for_a_void_and_a_seat(make: Callable[[Foe], Entry], code: Code) -> None:
    """Its hash enters the next head without a sequence number to tell two of them apart."""
    world = World(2041, mode="variable", stake=10)
    foe = voted(world, 2)
    foe.show(make(foe))
    convicted(world, 2, code)


def test_a_void_by_all_four_verifies() -> None:
    world = World(2042, mode="variable", stake=10)
    voted(world, 2)
    for seat in range(4):
        world.act(seat, effects.VoidHand())
    finish(world)
    assert world.nodes[0].table.match.closed[0].agreed


def test_a_settle_of_another_deal_is_refused() -> None:
    world = World(2043, mode="variable", stake=10)
    until(world, lambda: all(node.table.match.hand is not None for node in world.nodes))
    foe = Foe(world, 2)
    foe.table._main_duty = lambda: foe.match.document is None and type(foe.table)._main_duty(foe.table)  # type: ignore[method-assign]
    until(world, lambda: all(node.table.match.document is not None for node in world.nodes), 900.0)
    settle = wire.Settle(document=bytes(32), signature=bytes(64))
    seq = foe.table._next_seq(Chain.MAIN, 0)
    foe.show(foe.signer.make(Chain.MAIN, 5, seq, foe.match.main.head, Kind.SETTLE, settle))
    convicted(world, 2, Code.CONTEXT)


def test_the_permutation_is_made_before_the_deck_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    ahead = []
    shuffled = own.make_shuffle

    def spy(*args: object) -> wire.Shuf:
        ahead.append(args[-1])
        return shuffled(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(own, "make_shuffle", spy)
    world = World(2044, mode="variable", stake=10)
    until(world, lambda: all(node.table.match.hand is not None for node in world.nodes))
    assert len(ahead) == 4
    assert all(prepared is not None for prepared in ahead)
    assert len({prepared.pi for prepared in ahead}) == 4  # type: ignore[attr-defined]
    assert all(node.table._deals[0].prepared is None for node in world.nodes)
