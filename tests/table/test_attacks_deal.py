"""The attacks on the deal that show at the table, by their numbers: 6, 7, 8, 13 to 16, 26, 29, 30."""

import dataclasses

import pytest

from protocol.deal import keys as deal_keys
from protocol.deal.keys import OwnKeys
from protocol.refusal import Code
from protocol.table import effects, own
from protocol.table.deal_phase import DealState
from protocol.table.entries import Entry, Signer, message_of
from protocol.wire import codec
from protocol.wire import entries as wire
from protocol.wire.entries import Chain, Kind
from tests.table.hostile import Foe, changed, convicted, entries_of, refusals, until
from tests.table.net import Wire, World, people


def dealing(seed: int, rounds: int) -> World:
    """A world whose first deal has come so far on all nodes."""
    world = World(seed, mode="variable", stake=10)
    until(world, lambda: all(node.table.match.deals[0].log.length >= rounds for node in world.nodes))
    return world


def in_deal(world: World, number: int) -> bool:
    """All honest nodes have thrown the deals before *number* away and made it."""
    matches = [node.table.match for node in world.nodes]
    return all(number in match.deals and match.hand is not None for match in matches)


def finish(world: World) -> None:
    world.run(until=world.now + 900)
    assert world.settled, world.describe()


def only(source: int, kinds: set[Kind], deal: int = 0) -> object:
    """A hook that swallows these entries of a seat, whoever brings them."""

    def hook(message: Wire) -> list[Wire] | None:
        for _, entry in entries_of([message]):
            if entry.seat == source and entry.kind in kinds and entry.deal == deal:
                return []
        return None

    return hook


def without_restart(signer: Signer, world: World, fields: wire.Fields, kind: Kind, seq: int) -> Entry:
    return signer.make(Chain.DEAL, 0, seq, world.nodes[0].table.match.deals[0].log.head, kind, fields)


# --- 6, 7, 8: entries ---------------------------------------------------------------------------------------------


def test_06_wrong_signature_is_junk_and_convicts_nobody() -> None:
    world = dealing(2000, 2)
    foe = Foe(world, 1)
    entry = foe.deal(Kind.KEYOK, wire.KeyOk(hash=bytes(32)))
    forged = dataclasses.replace(entry, signature=bytes(64))
    for _ in range(20):
        foe.show(forged)
    assert refusals(world, 1) == {}
    assert all(world.nodes[seat].closed for seat in foe.others)
    finish(world)


def test_06_right_signature_of_another_player() -> None:
    world = dealing(2001, 2)
    foe = Foe(world, 1)
    stolen = Signer(world.setups[0].match_id, 2, people()[1].signing)
    foe.show(without_restart(stolen, world, wire.KeyOk(hash=bytes(32)), Kind.KEYOK, 2), 0, 3)
    assert refusals(world, 1) == refusals(world, 2) == {}
    finish(world)


def test_06_another_match() -> None:
    world = dealing(2002, 2)
    foe = Foe(world, 1)
    elsewhere = Signer(bytes(32), 1, people()[1].signing)
    foe.show(without_restart(elsewhere, world, wire.KeyOk(hash=bytes(32)), Kind.KEYOK, 2))
    assert refusals(world, 1) == {}
    finish(world)


def test_06_another_sequence_number() -> None:
    world = dealing(2003, 2)
    world.hooks.append(only(1, {Kind.KEYOK}))
    foe = Foe(world, 1)
    honest = world.nodes[0].table.match.deals[0].keyok_hash
    foe.show(foe.deal(Kind.KEYOK, wire.KeyOk(hash=honest), seq=7))
    convicted(world, 1, Code.CONTEXT)


def test_07_replay_is_ignored_and_a_second_payload_convicts() -> None:
    world = dealing(2004, 2)
    foe = Foe(world, 1)
    old = world.nodes[0].table.match.deals[0].log.rounds[0].entries[1]
    foe.show(old)
    assert refusals(world, 1) == {}
    foe.show(foe.deal(Kind.COMMIT, wire.Commit(hash=bytes(64)), seq=0, parent=old.parent))
    convicted(world, 1, Code.EQUIVOCATION)
    until(world, lambda: in_deal(world, 1))
    finish(world)


def test_08_many_bogus_shuffles_cost_one_check() -> None:
    world = dealing(2005, 3)
    world.hooks.append(only(0, {Kind.SHUF}))
    foe = Foe(world, 0)
    checks = []

    def count(node: object, job: int, fn: object, args: object) -> None:
        checks.append(fn)

    until(world, lambda: world.nodes[0].table.match.deals[0].log.length >= 4)
    honest = world.nodes[0].table.match.deals[0].log.rounds[3].entries[0]
    good = honest.fields(wire.Shuf)
    head = honest.parent
    world.compute = count  # type: ignore[method-assign]
    for n in range(200):
        bogus = changed(good, proof=good.proof[:-32] + (n + 1).to_bytes(32, "little"))
        foe.show(foe.deal(Kind.SHUF, bogus, seq=3, parent=head), 1)
    names = [getattr(fn, "__name__", "") for fn in checks]
    assert names.count("judge_shuffle") == 1
    assert world.nodes[1].evidence


# --- 13 to 16: keys -----------------------------------------------------------------------------------------------


def bad_box(keys: OwnKeys, target: int) -> OwnKeys:
    """The same keys with a box for *target* that does not open."""
    value = codec.unpack(keys.body)
    index = deal_keys.others(keys.seat).index(target)
    box = bytearray(value[4][index][1])
    box[0] ^= 1
    value[4][index][1] = bytes(box)
    return dataclasses.replace(keys, body=codec.encode(value))


def test_13_bad_box_names_its_maker() -> None:
    world = World(2010, mode="variable", stake=10)
    table = world.nodes[1].table
    mine = table._deals[0]
    spoilt = bad_box(mine.keys, 3)
    world = fresh_with(2010, spoilt)
    Foe(world, 1)
    until(world, lambda: in_deal(world, 1))
    match = world.nodes[0].table.match
    assert match.deals[0].state is DealState.DEAD
    assert not any(entry.kind is Kind.SHUF for entry in match.deal_entries(match.deals[0]))
    convicted(world, 1, Code.POP)
    finish(world)


def fresh_with(seed: int, keys: OwnKeys) -> World:
    """A world in which seat 1 uses *keys* in deal 0."""
    made = own.OwnDeal(keys)
    original = deal_keys.make_keys

    def make(place: object, noise: object, rand: object) -> OwnKeys:
        if place.hand == 0 and place.seat == 1:  # type: ignore[attr-defined]
            return made.keys
        return original(place, noise, rand)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(deal_keys, "make_keys", make)
        return World(seed, mode="variable", stake=10)


def test_14_false_complaint_convicts_the_complainant() -> None:
    world = World(2011, mode="variable", stake=10)
    world.hooks.append(only(2, {Kind.KEYOK}))
    until(world, lambda: all(node.table.match.deals[0].log.length >= 2 for node in world.nodes))
    foe = Foe(world, 2)
    foe.show(foe.deal(Kind.SHAREBAD, wire.ShareBad(source=0), seq=2))
    until(world, lambda: len(refusals(world, 2)) == 3)
    convicted(world, 2, Code.CLAIM)
    until(world, lambda: in_deal(world, 1))
    finish(world)


def test_15_different_keys_to_different_peers() -> None:
    world = World(2012, mode="variable", stake=10)
    foe = Foe(world, 1)
    noise = {seat: player.static for seat, player in enumerate(world.setups[0].roster.players)}
    deal = world.nodes[1].table.match.deals[0]
    second = deal_keys.make_keys(deal.place(1, deal.first_head), noise, foe.table._rand)
    commit = foe.signer.make(Chain.DEAL, 0, 0, deal.first_head, Kind.COMMIT, wire.Commit(hash=second.commitment))

    def split(message: Wire) -> list[Wire] | None:
        found = entries_of([message])
        if not found or message.source != 1 or message.target != 3:
            return None
        entry = found[0][1]
        if entry.seat == 1 and entry.deal == 0 and entry.kind is Kind.COMMIT:
            return [Wire(1, 3, message_of(commit))]
        return None

    # what was sent at the start is already on its way to 3: cut, and let it be told anew
    world.cut(1, 3, heal_after=0.2)
    world.hooks.append(split)
    until(world, lambda: len(refusals(world, 1)) == 3)
    convicted(world, 1, Code.EQUIVOCATION)
    until(world, lambda: in_deal(world, 1))
    for node in world.nodes:
        match = node.table.match
        assert not any(entry.kind is Kind.SHUF for entry in match.deal_entries(match.deals[0]))


def test_16_no_keyok_is_left_behind() -> None:
    world = World(2013, mode="variable", stake=10)
    world.hooks.append(only(3, {Kind.KEYOK}))
    world.run(until=100.0)
    assert all(len(node.table.match.deals) == 1 for node in world.nodes)
    until(world, lambda: in_deal(world, 1), 400.0)
    restarts = [e for e in world.nodes[0].shown if isinstance(e, effects.DealAgain)]
    assert [event.seat for event in restarts] == [3]
    assert refusals(world, 3) == {}
    finish(world)


# --- 26, 29, 30: shuffles and the barrier -------------------------------------------------------------------------


@pytest.mark.parametrize("when", ["before KEYOK", "out of turn", "a second one"])
def test_26_shuffle_at_the_wrong_time(when: str) -> None:
    rounds = {"before KEYOK": 2, "out of turn": 3, "a second one": 5}[when]
    world = World(2020, mode="variable", stake=10)
    seat = {"before KEYOK": 0, "out of turn": 2, "a second one": 0}[when]
    if when == "before KEYOK":
        world.hooks.append(only(3, {Kind.KEYOK}))
    elif when == "out of turn":
        world.hooks.append(only(0, {Kind.SHUF}))
    else:
        world.hooks.append(only(2, {Kind.SHUF}))
    honest = [node.table.match for node in world.nodes if node.seat != seat]
    until(world, lambda: all(match.deals[0].log.length >= rounds for match in honest))
    world.run(until=world.now + 1.0)
    foe = Foe(world, seat)
    entry = foe.deal(Kind.SHUF, wire.Shuf(deck=bytes(64), proof=bytes(64)))
    foe.show(entry)
    convicted(world, seat, Code.TURN)


def test_29_no_share_before_four_deckoks() -> None:
    world = World(2021, mode="variable", stake=10)
    world.hooks.append(only(2, {Kind.DECKOK}))
    world.keep_sent = True
    world.run(until=80.0)
    kinds = {entry.kind for _, entry in entries_of(world.sent) if entry.seat != 2}
    assert Kind.DECKOK in kinds
    assert Kind.SHARES not in kinds


def test_30_three_decks_by_the_last_shuffler() -> None:
    world = World(2022, mode="variable", stake=10)
    world.keep_sent = True
    foe = Foe(world, 3)
    made: dict[int, Entry] = {}

    def split(message: Wire) -> list[Wire] | None:
        found = entries_of([message])
        if not found or message.source != 3:
            return None
        entry = found[0][1]
        if entry.seat != 3 or entry.kind is not Kind.SHUF or entry.deal != 0 or message.target == 0:
            return None
        if message.target not in made:
            deal = foe.match.deals[0]
            fields = own.make_shuffle(
                deal.place(3, entry.parent),
                foe.table._deals[0].x,
                deal.joint_key,
                deal.decks[3],
                bytes([message.target]) * 64,
                None,
            )
            made[message.target] = foe.deal(Kind.SHUF, fields, seq=3, parent=entry.parent)
        return [Wire(3, message.target, message_of(made[message.target]))]

    world.hooks.append(split)
    until(world, lambda: len(refusals(world, 3)) == 3)
    convicted(world, 3, Code.EQUIVOCATION)
    until(world, lambda: 1 in world.nodes[0].table.match.deals)
    shares = [entry for _, entry in entries_of(world.sent) if entry.kind is Kind.SHARES and entry.deal == 0]
    assert not shares
