"""Floods at one table core: however much a seat sends, it costs a check a turn; what is not its own costs none.

The same over TCP against a process, with its memory, CPU and the other links watched: :mod:`tests.hostile.flood`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from protocol.deal import keys as deal_keys
from protocol.deal import shuffle
from protocol.table import calls, deal_phase, effects, hand_phase
from protocol.table import entries as entries_module
from protocol.table.entries import Entry, message_of
from protocol.table.limits import BURST, JUNK
from protocol.wire import entries as wire
from protocol.wire import messages
from protocol.wire.entries import Kind
from protocol.wire.sync import Ask, Heads, Progress, Status
from tests.deal.helpers import replace
from tests.hostile.fields import FIELDS, Field, at_card
from tests.hostile.forge import sign
from tests.hostile.room import Room, Sent
from tests.hostile.scene import RoomScene
from tests.hostile.stages import due
from tests.table.net import people

#: What checks a proof, where the table calls it.
CHECKS: tuple[tuple[Any, str], ...] = (
    (deal_keys, "read_keys"),
    (deal_phase, "judge_shuffle"),
    (hand_phase, "check_shares"),
    (hand_phase, "check_open"),
    (hand_phase, "judge_follow"),
    (hand_phase, "check_marriage"),
    (calls.claims, "judge_call"),
)
FLOOD = 40


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each check has run, at all nodes together."""
    count: Counter[str] = Counter()

    def counting(name: str, fn: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **kw: Any) -> Any:
            count[name] += 1
            return fn(*args, **kw)

        return run

    for owner, name in CHECKS:
        monkeypatch.setattr(owner, name, counting(name, getattr(owner, name)))
    return count


def bogus(scene: RoomScene, field: Field) -> list[Entry]:
    """Different entries for one turn, each right but for one field; all but those of KEYS, whose hash is promised."""
    data = field.data(scene)
    last = (field.scalars or field.points)[-1]
    first = field.build(scene, replace(data, last, (1).to_bytes(32, "little")))
    if first.kind is Kind.KEYS:
        body = first.fields(wire.Keys).body
        return [first, *(scene.forge.entry(Kind.KEYS, wire.Keys(body=body + bytes([n]))) for n in range(1, FLOOD))]
    return [first, *(field.build(scene, replace(data, last, n.to_bytes(32, "little"))) for n in range(2, FLOOD + 1))]


@pytest.mark.parametrize("field", [f for f in FIELDS if f.scalars or f.name == "KEYS-S0"], ids=lambda f: f.name)
def test_one_check_a_turn_and_peer(field: Field, checked: Counter[str]) -> None:
    """Of forty bogus proofs for one turn each honest node checks one, whatever kind of proof it is."""
    scene = RoomScene(*field.room())
    flood = bogus(scene, field)
    assert len({entry.hash for entry in flood}) == FLOOD
    checked.clear()
    for entry in flood:
        scene.send(entry)
    scene.room.pump()
    for seat in scene.honest:
        assert scene.evidence(seat, scene.hostile)
    assert checked
    assert max(checked.values()) <= len(scene.honest), checked
    scene.no_secret_left()


@pytest.mark.parametrize("kind", [Kind.SHUF, Kind.SHARES])
def test_entries_signed_by_nobody_cost_no_check(kind: Kind, checked: Counter[str]) -> None:
    """Shuffles and shares in the name of others: the signature is looked at first, and soon the link is closed."""
    room = due(kind, hostile=1)
    scene = RoomScene(room, 2)
    fields = scene.forge.shuffled() if kind is Kind.SHUF else scene.forge.shares()
    honest = scene.forge.payload(kind, fields, seat=1)
    payload = wire.encode_payload(honest)
    checked.clear()
    for _ in range(FLOOD):
        scene.send(sign(payload, people()[2].signing, honest))
    scene.junked()
    assert not checked
    assert len(scene.closes(0)) == FLOOD // JUNK


@pytest.mark.parametrize("kind", [Kind.SHUF, Kind.SHARES])
def test_entries_on_heads_that_nobody_has_cost_no_check(kind: Kind, checked: Counter[str]) -> None:
    """They wait; how many do is bounded, so what they take up is too."""
    scene = RoomScene(due(kind), 3)
    fields = scene.forge.shuffled() if kind is Kind.SHUF else scene.forge.shares()
    checked.clear()
    for n in range(FLOOD):
        scene.send(scene.forge.entry(kind, fields, parent=n.to_bytes(32, "big")))
    scene.room.pump()
    assert not checked
    for seat in scene.honest:
        assert len(scene.tables[seat]._held[3]) <= 1
    scene.ignored()


#: Where nothing has happened yet.
NOWHERE = Progress(main=0, main_head=bytes(32), deal=0, deal_length=0, deal_head=bytes(32))


def _status(scene: RoomScene, n: int) -> messages.Message:
    return Status(match=scene.room.setups[0].match_id, at=NOWHERE, reply=True)


def _ask(scene: RoomScene, n: int) -> messages.Message:
    return Ask(match=scene.room.setups[0].match_id, nonce=n.to_bytes(16, "big"), at=NOWHERE)


def _heads(scene: RoomScene, n: int) -> messages.Message:
    heads = tuple(bytes([n % 256]) * 32 for _ in range(1_024))
    return Heads(match=scene.room.setups[0].match_id, chain=1, deal=0, heads=heads, reply=True)


@pytest.mark.parametrize("make", [_status, _ask, _heads])
def test_questions_bring_a_bounded_answer(make: Callable[[RoomScene, int], messages.Message]) -> None:
    """A thousand questions at once bring no more than the budget of one peer."""
    scene = RoomScene(*at_card())
    before = len(scene.sent)
    for n in range(1_000):
        scene.room.deliver(Sent(scene.hostile, scene.honest[0], messages.encode(make(scene, n))))
    answers = sum(len(each.raw) for each in scene.sent[before:] if each.target == scene.hostile)
    assert answers < 10_000_000  # bytes: ANSWER_BURST and the answers' own heads
    scene.room.queue.clear()
    scene.ignored()


def test_too_many_messages_cost_the_link_and_no_more_work() -> None:
    """Behind the budget nothing is even decoded."""
    scene = RoomScene(*at_card())
    status = messages.encode(_status(scene, 0))
    target = scene.tables[scene.honest[0]]
    for _ in range(int(BURST) + 10):
        target.receive(scene.hostile, status, scene.room.now)
    decoded = []

    def decode(raw: bytes) -> messages.Message:
        decoded.append(raw)
        return messages.decode(raw)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("protocol.table.table.messages.decode", decode)
        made = target.receive(scene.hostile, status, scene.room.now)
    assert [e.reason for e in made if isinstance(e, effects.Close)] == ["too many messages"]
    assert not decoded


def test_what_waits_is_not_judged_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each message makes the table try what is held again; that must not cost a signature's check each time."""
    scene = RoomScene(due(Kind.SHUF), 3)
    target, seat = scene.tables[0], scene.hostile
    fields = scene.forge.shuffled()
    for n in range(12):
        target.receive(seat, message_of(scene.forge.entry(Kind.SHUF, fields, parent=bytes([n]) * 32)), 0.0)
    checks = []
    verify = entries_module.verify

    def counting(*args: Any) -> None:
        checks.append(args)
        verify(*args)

    monkeypatch.setattr(entries_module, "verify", counting)
    status = messages.encode(_status(scene, 0))
    for _ in range(50):
        target.receive(1, status, 0.0)
    assert len(checks) <= 1


def test_a_proof_is_read_once_by_each_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """When it comes in, and not again when it is verified; its author does not read it at all."""
    read = []
    decode = shuffle.decode_proof

    def counting(data: object, width: int) -> Any:
        read.append(data)
        return decode(data, width)

    for module in (shuffle, deal_phase):
        monkeypatch.setattr(module, "decode_proof", counting)
    Room(1)
    assert len(read) == 4 * 3
    assert len(set(read)) == 4
