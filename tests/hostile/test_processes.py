"""One attack of each group by a hostile node against three honest processes, over TCP."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from protocol.cards import CLUB_QUEEN
from protocol.deal.group import IDENTITY
from protocol.refusal import Code
from protocol.rules.hand import HandState
from protocol.table import exchange
from protocol.table.entries import Entry
from protocol.wire import entries as wire
from protocol.wire import messages
from protocol.wire.entries import Kind
from protocol.wire.sync import Status
from tests.deal.helpers import plus_base, replace
from tests.hostile.fields import at_card, re_call
from tests.hostile.processes import HELD_MS, ProcessScene
from tests.hostile.room import Room
from tests.hostile.stages import can_revoke, due, lead_to, playing, queens, turn, two_holders

pytestmark = pytest.mark.slow

Begin = Callable[[Room, int | tuple[int, ...]], ProcessScene]


@pytest.fixture
def processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Begin]:
    """Bring a room to life with processes for the honest; their locks on identities are their own."""
    locks = tmp_path / "locks"
    locks.mkdir()
    monkeypatch.setenv("TMPDIR", str(locks))
    scenes: list[ProcessScene] = []

    def begin(room: Room, hostile: int | tuple[int, ...]) -> ProcessScene:
        scenes.append(ProcessScene(room, hostile, tmp_path))
        return scenes[-1]

    yield begin
    for scene in scenes:
        scene.close()


def test_attack_01_identity_as_a_share_of_a_card(processes: Begin) -> None:
    room, seat = at_card()
    scene = processes(room, seat)
    scene.send(scene.forge.play(next(iter(scene.forge.cards)), d=IDENTITY))
    scene.refused_by_all(Code.POINT, anew=False)


def test_attack_15_different_keyoks(processes: Begin) -> None:
    scene = processes(due(Kind.KEYOK), 3)
    entries = [scene.forge.entry(Kind.KEYOK, wire.KeyOk(hash=bytes([n]) * 32)) for n in range(3)]
    for seat, entry in zip(scene.honest, entries, strict=True):
        scene.send(entry, to=seat)
    scene.refused_by_all(Code.CONTEXT, anew=True)


def test_attack_17_card_duplicated(processes: Begin) -> None:
    scene = processes(due(Kind.SHUF), 3)
    made = scene.forge.false_shuffle([0, 0, *range(2, 48)])
    scene.send(scene.forge.entry(Kind.SHUF, made))
    scene.refused_by_all(Code.SHUFFLE, anew=True)


def test_attack_31_share_moved(processes: Begin) -> None:
    scene = processes(due(Kind.SHARES), 3)
    made = scene.forge.shares()
    moved = wire.Shares(deal_head=made.deal_head, d=replace(made.d, 3, plus_base(made.d[96:128])), proof=made.proof)
    scene.send(scene.forge.entry(Kind.SHARES, moved))
    scene.refused_by_all(Code.DLEQ, anew=False)


def test_attack_42_revoke_without_proof(processes: Begin) -> None:
    room = playing()
    scene = processes(room, lead_to(room, can_revoke))
    slot = next(slot for slot, card in scene.forge.cards.items() if card not in scene.forge.led)
    scene.send(scene.forge.play(slot))
    scene.refused_by_all(Code.VOID_MISSING, anew=False)


def test_attack_51_re_with_a_slot_that_is_no_club_queen(processes: Begin) -> None:
    room = two_holders()
    seat = lead_to(room, lambda state, seat: seat in queens(room))
    scene = processes(room, seat)
    slot = next(slot for slot, card in scene.forge.cards.items() if card != CLUB_QUEEN)
    scene.send(scene.forge.call("re", opening=scene.forge.opening(slot, scene.forge.call_place())))
    scene.refused_by_all(Code.CLAIM, anew=False)


def test_attack_74_two_cards_to_two_peers(processes: Begin) -> None:
    room = playing()
    seat = lead_to(room, lambda state, seat: True)
    scene = processes(room, seat)
    one, other = [scene.forge.play(slot) for slot in list(scene.forge.cards)[:2]]
    scene.send(one, to=scene.honest[0])
    scene.send(other, to=scene.honest[1:])
    scene.refused_by_all(Code.EQUIVOCATION, anew=False)


def test_attack_73_and_37_right_and_idle_messages_do_no_harm(processes: Begin) -> None:
    """Junk, questions for what does not exist, then an honest call and card: the hand goes on."""
    room = two_holders()

    def wanted(state: HandState, seat: int) -> bool:
        held = state.hand(state.turn or 0)
        return state.led is None and held is not None and CLUB_QUEEN in held and len(held) >= 11

    seat = lead_to(room, wanted)
    scene = processes(room, seat)
    good = scene.forge.play(next(iter(scene.forge.cards)))
    for bad in (b"", good.payload[:-1], b"\x91" * 1_000):
        scene.send(scene.forge.raw_entry(bad))
    call = re_call(scene)
    scene.send(call)
    scene.tell(call)
    entry: Entry = scene.forge.play(next(s for s, card in scene.forge.cards.items() if card != CLUB_QUEEN))
    scene.send(entry)
    scene.tell(entry)  # a link that the junk has cost brings it again when it is back
    scene.all_say(lambda line: line["event"] == "act" and line["seat"] == seat)
    for node in scene.nodes.values():
        assert node.process.poll() is None
        assert not any(line["event"] == "refused" for line in node.lines)
    scene.no_secret_left()


def test_attack_80_store_put_back(processes: Begin) -> None:
    """The node asks for its own entries before it signs, takes back what its store lacks, and plays on."""
    room = playing(7)
    victim = turn(room)
    lost = [row.hash for row in room.stores[victim].entries]
    room.stores[victim].roll_back(1)
    kept = [row.hash for row in room.stores[victim].entries]
    assert len(kept) < len(lost)
    scene = processes(room, (victim + 2) % 4)
    scene.all_say(lambda line: line["event"] == "act" and line["seat"] == victim)
    for node in scene.nodes.values():
        assert node.process.poll() is None
        assert not any(line["event"] == "refused" for line in node.lines)
    scene.no_secret_left()


def test_attack_08_flood_of_bogus_shuffles(processes: Begin) -> None:
    """For seconds one seat sends well-formed, signed, different shuffles as fast as its link takes them.

    One costs a check; the links of the others stay responsive, and the loop of the node is never held up.
    """
    room = due(Kind.SHUF)
    scene = processes(room, (3, 1))
    honest = scene.forge.shuffled()
    flood: list[Entry] = []
    for n in range(600):
        proof = replace(honest.proof, 100 + n % 90, (n + 1).to_bytes(32, "little"))
        flood.append(scene.forge.entry(Kind.SHUF, wire.Shuf(deck=honest.deck, proof=proof)))
    trips: list[float] = []
    at = exchange.progress(scene.tables[1].match)
    status = messages.encode(Status(match=room.setups[1].match_id, at=at, reply=True))
    for n in range(0, len(flood), 50):
        for entry in flood[n : n + 50]:
            scene.send(entry, to=0)
        before, begun = scene._answers(1, 0), time.monotonic()
        scene.post(1, 0, status)
        scene.wait(lambda before=before: scene._answers(1, 0) > before)  # type: ignore[misc]
        trips.append(time.monotonic() - begun)
    assert max(trips) < 5.0, trips  # seconds, on a machine that does other things too
    node = scene.nodes[0]
    refused = node.event("refused")
    assert refused["seat"] == 3
    assert refused["code"] in ("EQUIVOCATION", "SHUFFLE")
    assert node.process.poll() is None
    assert refused["held_ms"] < HELD_MS
    scene.no_secret_left()
