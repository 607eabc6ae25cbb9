"""Lies about receipts, results and settlements: refused by everybody, and the evidence convicts."""

from protocol.refusal import Code
from protocol.table import evidence
from protocol.table.end_phase import DOMAIN_SETTLE, result_fields
from protocol.table.entries import Entry
from protocol.table.settlement import hash_of, seal
from protocol.table.verify import verify
from protocol.wire import codec
from protocol.wire import entries as wire
from protocol.wire.entries import Chain, Kind
from tests.table.hostile import Foe, changed, convicted, entries_of, until
from tests.table.net import RandomPlayer, Wire, World


def silenced(seed: int, kind: Kind, mode: str = "variable", bots: tuple[int, ...] = ()) -> tuple[World, Foe]:
    """A world that waits for seat 2's entry of this kind, which its own core has made and nobody has seen."""
    world = World(seed, mode=mode, stake=10, bots=bots, players=lambda seat: RandomPlayer(seat, 0.0, 0.0))

    def swallow(message: Wire) -> list[Wire] | None:
        return [] if any(e.kind is kind and e.seat == 2 for _, e in entries_of([message])) else None

    world.hooks.append(swallow)
    others = [node.table.match for node in world.nodes if node.seat != 2]
    until(world, lambda: all(m.main.kinds == {kind} and m.main.missing == (2,) for m in others), 600.0)
    foe = Foe(world, 2)
    until(world, lambda: foe.match.main.missing != (2,) or foe.match.settled)
    return world, foe


def own_entry(foe: Foe, kind: Kind) -> Entry:
    return next(entry for entry in foe.match.known.values() if entry.kind is kind and entry.seat == 2)


def lie(foe: Foe, fields: wire.Fields, kind: Kind) -> None:
    """Show other fields in the place of the entry that nobody has seen."""
    honest = own_entry(foe, kind)
    foe.show(foe.signer.make(Chain.MAIN, honest.deal, honest.seq, honest.parent, kind, fields))


def test_receipt_with_another_digest() -> None:
    world, foe = silenced(6000, Kind.TRICK)
    fields = changed(own_entry(foe, Kind.TRICK).says.fields, digest=bytes(32))
    lie(foe, fields, Kind.TRICK)
    convicted(world, 2, Code.CLAIM)


def test_result_with_other_money() -> None:
    world, foe = silenced(6001, Kind.RESULT)
    fields = own_entry(foe, Kind.RESULT).says.fields
    assert isinstance(fields, wire.Result)
    other = changed(fields, money=(fields.money[0], fields.money[1], fields.money[2] + 10, fields.money[3] - 10))
    lie(foe, other, Kind.RESULT)
    convicted(world, 2, Code.CLAIM)


def test_result_of_a_person_with_a_seed() -> None:
    world, foe = silenced(6002, Kind.RESULT)
    closing = world.nodes[0].table.match.closing
    assert closing is not None
    fields = result_fields(closing, bytes(32))
    lie(foe, fields, Kind.RESULT)
    convicted(world, 2, Code.FORMAT)


def test_result_of_a_computer_with_another_seed() -> None:
    world, foe = silenced(6003, Kind.RESULT, bots=(2,))
    fields = changed(own_entry(foe, Kind.RESULT).says.fields, seed=bytes(32))
    lie(foe, fields, Kind.RESULT)
    convicted(world, 2, Code.CLAIM)


def settle(foe: Foe, document: bytes) -> wire.Settle:
    return wire.Settle(document=hash_of(document), signature=foe.signer.sign(DOMAIN_SETTLE + document))


def test_settlement_of_another_document() -> None:
    world, foe = silenced(6004, Kind.SETTLE)
    lie(foe, settle(foe, b"another document"), Kind.SETTLE)
    convicted(world, 2, Code.CLAIM)
    # the three hold a settlement that holds, and that says who has not signed
    for seat in (0, 1, 3):
        verdict = verify(world.nodes[seat].settlement or b"")
        assert verdict.good, verdict.problem
        assert verdict.unsigned == (2,)


def test_settlement_signed_with_another_key() -> None:
    world, foe = silenced(6005, Kind.SETTLE)
    document = world.nodes[0].table.match.document
    assert document is not None
    wrong = wire.Settle(document=hash_of(document), signature=bytes(64))
    lie(foe, wrong, Kind.SETTLE)
    convicted(world, 2, Code.SIG)


def test_evidence_that_was_changed_convicts_nobody() -> None:
    world, foe = silenced(6006, Kind.TRICK)
    fields = changed(own_entry(foe, Kind.TRICK).says.fields, digest=bytes(32))
    lie(foe, fields, Kind.TRICK)
    convicted(world, 2, Code.CLAIM)
    file = world.nodes[0].evidence[-1]
    assert not verify(file[:-1]).good
    value = codec.unpack(file[len(evidence.MAGIC) : -32], evidence.LIMITS)
    everything = [item for each in value[6][1] for item in each]
    innocent = next(item for item in everything if codec.unpack(item[0], evidence.LIMITS)[4] == 1)
    for change in ({2: 1}, {3: "VOID"}, {5: [innocent]}, {6: None}, {2: 1, 5: [innocent]}):
        altered = [change.get(index, item) for index, item in enumerate(value)]
        verdict = verify(seal(evidence.MAGIC + codec.encode(altered)))
        assert not verdict.good, change
