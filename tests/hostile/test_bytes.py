"""Attacks 1 to 8 (group A): bytes that are no points, scalars or entries; wrong signatures; repetition."""

import dataclasses
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from protocol.deal import group as group_module
from protocol.deal.group import IDENTITY, ristretto
from protocol.deal.hashing import Q
from protocol.deal.shuffle import judge_shuffle
from protocol.refusal import Code
from protocol.table import effects
from protocol.table.entries import Entry, message_of
from protocol.wire import entries as wire
from protocol.wire.entries import Chain, Kind
from tests.deal.helpers import replace, scalar_at
from tests.deal.test_group import INVALID
from tests.hostile.conftest import Live
from tests.hostile.fields import FIELDS, Field, at_card, at_void, card_entry
from tests.hostile.room import Sent
from tests.hostile.scene import RoomScene, Scene, convicts
from tests.hostile.stages import due
from tests.table.net import people

with_points = pytest.mark.parametrize("field", [f for f in FIELDS if f.points], ids=lambda f: f.name)
with_scalars = pytest.mark.parametrize("field", [f for f in FIELDS if f.scalars], ids=lambda f: f.name)


def attack(live: Live, field: Field, index: int, piece: bytes, code: Code) -> None:
    """Send the field with one piece of 32 bytes replaced; it has to be refused with *code*."""
    scene = live(*field.room())
    scene.send(field.build(scene, replace(field.data(scene), index, piece)))
    scene.refused(code)


@with_points
def test_attack_01_identity_in_each_point_field(live: Live, field: Field) -> None:
    for index in live.some(tuple(dict.fromkeys((field.points[0], field.points[-1])))):
        attack(live, field, index, IDENTITY, Code.POINT)


@with_points
def test_attack_02_invalid_encodings_in_each_point_field(live: Live, field: Field) -> None:
    """All encodings are tried at the functions; here some reach each field of each message."""
    for n, encoding in enumerate(live.some(INVALID[:: max(1, len(INVALID) // 3)])):
        attack(live, field, field.points[n % len(field.points)], encoding, Code.POINT)


@with_scalars
def test_attack_03_scalars_out_of_range_in_each_scalar_field(live: Live, field: Field) -> None:
    index = field.scalars[len(field.scalars) // 2]
    changes: tuple[Callable[[int], int], ...] = (lambda s: s + Q, lambda s: s | 1 << 255, lambda s: Q)
    for change in live.some(changes):
        scene = live(*field.room())
        data = field.data(scene)
        bad = change(scalar_at(data, index)).to_bytes(32, "little")
        scene.send(field.build(scene, replace(data, index, bad)))
        scene.refused(Code.SCALAR)


# --- 4 and 5: forms -----------------------------------------------------------------------------------------------


def card_fields(scene: Scene) -> dict[str, object]:
    """The fields of an honest PLAY as a map."""
    fields = scene.forge.play(next(iter(scene.forge.cards))).fields(wire.Play)
    return {"trick": fields.trick, "slot": fields.slot, "d": fields.d, "proof": fields.proof, "void": None, "calls": []}


class Forbidden:
    """In place of the group."""

    def __getattr__(self, used: str) -> object:
        raise AssertionError(f"the group was used: {used}")


@contextmanager
def without_curve(live: Live) -> Iterator[None]:
    """In the core: any use of the group is a failure."""
    ristretto()
    with pytest.MonkeyPatch.context() as patch:
        if live.core:
            patch.setattr(group_module, "_backend", Forbidden())
        yield


BAD_FIELDS: dict[str, Callable[[dict[str, object]], object]] = {
    "31 bytes": lambda f: f | {"d": bytes(31)},
    "33 bytes": lambda f: f | {"d": bytes(33)},
    "text for bytes": lambda f: f | {"d": "x" * 32},
    "number for bytes": lambda f: f | {"d": 7},
    "nothing for bytes": lambda f: f | {"d": None},
    "a list for bytes": lambda f: f | {"d": [f["d"]]},
    "text for a number": lambda f: f | {"slot": "7"},
    "true for a number": lambda f: f | {"trick": True},
    "unknown key": lambda f: f | {"more": 1},
    "missing key": lambda f: {key: value for key, value in f.items() if key != "void"},
    "a list for the map": lambda f: list(f.values()),
    "nothing for the map": lambda f: None,
    "a call that is none": lambda f: f | {"calls": [[b"", bytes(64)]]},
    "25 calls": lambda f: f | {"calls": [[b"x", bytes(64)]] * 25},
}


def test_attack_04_signed_entry_with_malformed_fields(live: Live) -> None:
    """Its header says where it stands, its signature whose it is: that convicts, before any curve operation."""
    for name, change in live.some(list(BAD_FIELDS.items())):
        scene = live(*at_card())
        message = scene.forge.map_entry(Kind.PLAY, change(card_fields(scene)))
        with without_curve(live):
            scene.send(message)
            scene.quiet()
        scene.refused(Code.FORMAT, convict=name in ("31 bytes", "missing key", "nothing for the map"))


def bad_payloads(scene: Scene) -> list[bytes]:
    """Bytes that are no payload at all; each is validly signed."""
    good = scene.forge.play(next(iter(scene.forge.cards))).payload
    return [
        b"",
        b"\xc0",
        good[:-1],
        good + b"\0",
        good + good,
        b"\x98" + good[1:],
        b"\x9a" + good[1:],
        b"\x99\x02" + good[2:],  # another version
        good[:2] + b"\xd9\x20" + good[4:],  # the match as text
        good.replace(b"\x86\xa5trick\x01", b"\x87\xa5trick\x01\xa5trick\x01", 1),  # a key twice
        good.replace(b"\xa4void\xc0", b"\xa4void\xd4\x01\x00", 1),  # an extension
        good.replace(b"\xa4void\xc0", b"\xa4void\xca\0\0\0\0", 1),  # a float
        good.replace(b"\xa4void\xc0", b"\xa4void\xc6\xff\xff\xff\xff", 1),  # 2**32 - 1 bytes to come
        good.replace(b"\xa4void\xc0", b"\xa4void\xdd\xff\xff\xff\xff", 1),
        good.replace(b"\xa4void\xc0", b"\xa4void" + b"\x91" * 200 + b"\xc0", 1),  # a depth bomb
        b"\x91" * 60_000,
        b"\xdf\xff\xff\xff\xff",
    ]


def test_attack_04_signed_bytes_that_are_no_entry(live: Live) -> None:
    """Nobody can say whose they are or where they stand: junk, which costs the link and blames nobody."""
    scene = live(*at_card())
    for bad in bad_payloads(scene)[1:]:
        scene.send(scene.forge.raw_entry(bad))
    scene.junked()
    scene.rest()
    entry = scene.forge.play(next(iter(scene.forge.cards)))
    scene.send(entry)
    scene.taken(entry)


def test_attack_04_messages_that_are_none(live: Live) -> None:
    scene = live(*at_card())
    good = message_of(scene.forge.play(next(iter(scene.forge.cards))))
    others = (b"", b"\xc1", good + b"\0", b"\x81\xa1k\x46", b"\x80", b"\x81\xa1k\xcd\xff\xff", b"\x91" * 60_000)
    for bad in live.some((good[:-1], *others)):
        scene.send(bad)
        scene.quiet()
    scene.ignored()
    entry = scene.forge.play(next(iter(scene.forge.cards)))
    scene.send(entry)
    scene.taken(entry)


def shuf(scene: Scene, **changes: Callable[[bytes], bytes]) -> Entry:
    made = scene.forge.shuffled()
    parts = {"deck": made.deck, "proof": made.proof}
    return scene.forge.entry(Kind.SHUF, wire.Shuf(**{k: changes.get(k, bytes)(v) for k, v in parts.items()}))


def test_attack_05_deck_of_47_or_49_ciphertexts(live: Live) -> None:
    changes: list[dict[str, Callable[[bytes], bytes]]] = [
        {"deck": lambda deck: deck[64:]},
        {"deck": lambda deck: deck + deck[:64]},
        {"deck": lambda deck: deck * 2},
        {"proof": lambda proof: proof[32:]},
        {"proof": lambda proof: proof + proof[:32]},
    ]
    for change in live.some(changes):
        scene = live(due(Kind.SHUF), 3)
        scene.send(shuf(scene, **change))
        scene.refused(Code.FORMAT)


def test_attack_05_one_share_less_or_more(live: Live) -> None:
    for count in live.some((36, 38, 39, 0, 1)):
        scene = live(due(Kind.SHARES), 3)
        made = scene.forge.shares()
        fields = wire.Shares(deal_head=made.deal_head, d=(made.d * 2)[: 32 * count], proof=made.proof)
        scene.send(scene.forge.entry(Kind.SHARES, fields))
        scene.refused(Code.FORMAT)


def test_attack_05_no_pairs_in_a_void_proof(live: Live) -> None:
    for size in live.some((32, 0, 33, 64)):
        scene = live(*at_void())
        scene.send(card_entry(scene, void=bytes(size)))
        scene.refused(Code.FORMAT)


# --- 6 and 7: whose, where, again ---------------------------------------------------------------------------------


def test_attack_06_wrong_signature(live: Live) -> None:
    scene = live(*at_card())
    entry = scene.forge.play(next(iter(scene.forge.cards)))
    for n in range(9):
        scene.send(dataclasses.replace(entry, signature=bytes([entry.signature[0] ^ (n + 1)]) + entry.signature[1:]))
    scene.junked()


def test_attack_06_signature_of_another_player(live: Live) -> None:
    """In the name of another, signed by himself; and in his own name, signed by another."""
    scene = live(*at_card())
    slot = next(iter(scene.forge.cards))
    victim = scene.honest[0]
    for n in range(9):
        scene.send(scene.forge.play(slot, seat=victim, seq=n), to=scene.honest[1:])
        scene.send(scene.forge.play(slot, trick=1, key=people()[victim].signing, seq=n), to=victim)
    scene.junked()


def test_attack_06_entry_of_another_match(live: Live) -> None:
    scene = live(*at_card())
    slot = next(iter(scene.forge.cards))
    for n in range(9):
        scene.send(scene.forge.play(slot, match=bytes([n]) * 32))
    scene.ignored()
    if live.core:
        scene.junked()  # a session does not even show them to its table


def test_attack_06_entry_of_another_hand(live: Live) -> None:
    scene = live(*at_card())
    scene.send(scene.forge.play(next(iter(scene.forge.cards)), deal=7))
    scene.refused(Code.CONTEXT)


def test_attack_06_another_sequence_number(live: Live) -> None:
    for ahead in live.some((1, 3, 2**31)):
        scene = live(*at_card())
        forge = scene.forge
        scene.send(forge.play(next(iter(forge.cards)), seq=forge.next_seq(Chain.MAIN) + ahead))
        scene.refused(Code.CONTEXT)
    for ahead in live.some((1, 2**31)):
        scene = live(due(Kind.DECKOK), 3)
        forge = scene.forge
        fields = wire.DeckOk(hash=forge.deal.barrier)
        scene.send(forge.entry(Kind.DECKOK, fields, seq=forge.next_seq(Chain.DEAL) + ahead))
        scene.refused(Code.CONTEXT)


def test_attack_07_exact_replay_is_ignored(live: Live) -> None:
    scene = live(*at_card())
    for entry in list(scene.tables[scene.hostile].match.known.values()):
        scene.send(entry)
    scene.ignored()
    assert not any(scene.closes(seat) for seat in scene.honest)


def test_attack_07_same_number_with_other_content(live: Live) -> None:
    """On either chain, and whether or not the log has gone on since."""
    scene = live(*at_card())
    forge = scene.forge
    bid = next(e for e in forge.table.match.known.values() if e.kind is Kind.BID and e.seat == forge.seat)
    scene.send(forge.entry(Kind.BID, wire.Bid(reserve=True, neq=None), seq=bid.seq, parent=bid.parent))
    scene.refused(Code.EQUIVOCATION)
    for kind in live.some((Kind.COMMIT, Kind.KEYS)):
        scene = live(due(Kind.SHUF), 3)
        forge = scene.forge
        first = next(e for e in forge.table.match.known.values() if e.kind is kind and e.seat == 3)
        other: wire.Fields = wire.Commit(hash=bytes(64)) if kind is Kind.COMMIT else wire.Keys(body=b"x")
        scene.send(forge.entry(kind, other, seq=first.seq, parent=first.parent))
        scene.refused(Code.EQUIVOCATION)


# --- 8: floods ----------------------------------------------------------------------------------------------------


def test_attack_08_bogus_shuffles_cost_one_check() -> None:
    """Ten thousand well-formed, signed, different shuffles: one is checked, then the link goes."""
    scene = RoomScene(due(Kind.SHUF), 3)
    honest = scene.forge.shuffled()
    checked = 0
    for n in range(10_000):
        proof = replace(honest.proof, 100 + n % 90, (n + 1).to_bytes(32, "little"))
        entry = scene.forge.entry(Kind.SHUF, wire.Shuf(deck=honest.deck, proof=proof))
        scene.room.deliver(Sent(3, 0, message_of(entry)))
    scene.room.pump()
    for effect in scene.effects_of(0):
        if isinstance(effect, effects.Compute) and effect.fn is judge_shuffle:
            checked += effect.args[0].seat == 3
    assert checked == 1
    assert scene.closes(0)
    shown = [e.event for e in scene.effects_of(0) if isinstance(e, effects.Show)]
    codes = [event.code for event in shown if isinstance(event, effects.Refused)]
    assert codes == [Code.EQUIVOCATION]
    convicts(scene.evidence(0, 3)[0], 3, Code.EQUIVOCATION)
    scene.no_secret_left()
