"""Attacks 9 to 16 (group B): keys, possession, boxes, and their absence."""

from __future__ import annotations

import dataclasses

import msgpack
import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from protocol.deal import keys as deal_keys
from protocol.deal.group import BASE, ristretto, write_scalar
from protocol.deal.hashing import random_scalar
from protocol.deal.keys import OwnKeys, commitment
from protocol.refusal import Code
from protocol.table import effects
from protocol.table.deal_phase import DealState
from protocol.table.entries import Entry, message_of
from protocol.table.own import OwnDeal
from protocol.wire import entries as wire
from protocol.wire.entries import Kind
from tests.deal.helpers import plain_sum
from tests.hostile.conftest import Live
from tests.hostile.fields import commit_to, keys_entry
from tests.hostile.room import Sent, mute
from tests.hostile.scene import RoomScene, Scene
from tests.hostile.stages import due

POINTS, POP = 2, 3


def body_of(scene: Scene, seat: int) -> list[object]:
    """The body of the KEYS that a seat has sent."""
    entry = next(e for e in scene.sent_entries(seat, Kind.KEYS))
    body: list[object] = msgpack.unpackb(entry.fields(wire.Keys).body)
    return body


def committed_blindly(scene: Scene) -> None:
    """COMMIT to nothing yet known: keys that depend on the others' cannot be committed to any more."""
    commit_to(scene, b"nothing")


def test_attack_09_rogue_key_after_the_others(live: Live) -> None:
    """The key that cancels the others' needs their KEYS, which come only when all have committed."""
    scene = live(due(Kind.COMMIT), 3)
    committed_blindly(scene)
    group = ristretto()
    z = random_scalar(scene.forge.rand)
    others = plain_sum(deal.public for deal in scene.tables[0].match.deals[0].keys.values())
    target = group.sub(group.mul(z, BASE), others)
    known = [group.mul(5, BASE), group.mul(6, BASE)]
    points = [*known, group.sub(target, plain_sum(known))]
    assert plain_sum([others, plain_sum(points)]) == group.mul(z, BASE)  # he alone would know the joint key
    place = scene.forge.place(scene.forge.deal.first_head)
    pop = deal_keys.prove_possession(place, z, target, points, scene.forge.rand)
    own = msgpack.unpackb(scene.forge.keys().body)
    own[POINTS], own[POP] = points, pop
    scene.send(scene.forge.entry(Kind.KEYS, wire.Keys(body=msgpack.packb(own))))
    scene.refused(Code.CONTEXT)  # not what COMMIT promised


def test_attack_09_rogue_key_committed_to(live: Live) -> None:
    """As if the others' keys had been known in time: nobody can show that he knows the key that cancels them."""
    room = due(Kind.COMMIT)
    scene = live(room, 3)
    group, forge = ristretto(), scene.forge
    z = random_scalar(forge.rand)
    others = plain_sum(room.tables[seat]._deals[0].keys.public for seat in (0, 1, 2))
    target = group.sub(group.mul(z, BASE), others)
    known = [group.mul(5, BASE), group.mul(6, BASE)]
    points = [*known, group.sub(target, plain_sum(known))]
    pop = deal_keys.prove_possession(forge.place(forge.deal.first_head), z, target, points, forge.rand)
    scene.send(keys_entry(scene, points=points, pop=pop))
    scene.refused(Code.POP)


def test_attack_10_keys_copied_from_another_seat(live: Live) -> None:
    room = due(Kind.COMMIT)
    scene = live(room, 3)
    copied = msgpack.unpackb(room.tables[1]._deals[0].keys.body)
    scene.send(keys_entry(scene, points=copied[POINTS], pop=copied[POP], boxes=copied[4], coin=copied[5]))
    scene.refused(Code.POP)


def test_attack_10_sub_share_point_of_another_seat(live: Live) -> None:
    """One point of another's among one's own: distinctness would tell, possession does."""
    room = due(Kind.COMMIT)
    scene = live(room, 3)
    points = msgpack.unpackb(scene.forge.keys().body)[POINTS]
    points[0] = room.tables[1]._deals[0].keys.body and msgpack.unpackb(room.tables[1]._deals[0].keys.body)[POINTS][0]
    scene.send(keys_entry(scene, points=points))
    scene.refused(Code.POP)


def test_attack_11_pop_of_an_earlier_hand_or_match(live: Live) -> None:
    changes: list[dict[str, object]] = [{"hand": 1}, {"match_id": bytes(32)}, {"extra": bytes(32)}, {"seat": 2}]
    for change in live.some(changes):
        scene = live(due(Kind.COMMIT), 3)
        forge = scene.forge
        keys = forge.keys()
        body = msgpack.unpackb(keys.body)
        place = forge.place(**({"extra": forge.deal.first_head} | change))  # type: ignore[arg-type]
        pop = deal_keys.prove_possession(place, keys.x, keys.public, body[POINTS], forge.rand)
        scene.send(keys_entry(scene, points=body[POINTS], pop=pop))
        scene.refused(Code.POP)


def test_attack_12_random_challenge_and_zero_response(live: Live) -> None:
    scene = live(due(Kind.COMMIT), 3)
    scene.send(keys_entry(scene, pop=write_scalar(random_scalar(scene.forge.rand)) + write_scalar(0)))
    scene.refused(Code.POP)


# --- boxes --------------------------------------------------------------------------------------------------------


def with_bad_box(scene: Scene, receiver: int) -> OwnKeys:
    """Keys with everything right but the box for one peer, which holds another sub-share."""
    forge = scene.forge
    keys = forge.keys()
    body = msgpack.unpackb(keys.body)
    at = deal_keys.others(forge.seat).index(receiver)
    secret = X25519PrivateKey.from_private_bytes(keys.ephemerals[receiver])
    key = deal_keys._box_key(secret, scene.room.setups[0].roster.players[receiver].static)
    assert key is not None
    aad = deal_keys._aad(forge.place(forge.deal.first_head), receiver, body[POINTS][at])
    wrong = write_scalar(keys.subs[receiver] + 1)
    body[4][at][1] = ChaCha20Poly1305(key).encrypt(bytes(12), wrong, aad)
    return dataclasses.replace(keys, body=msgpack.packb(body))


def keys_sent(scene: Scene, keys: OwnKeys) -> None:
    """COMMIT and KEYS with these keys are sent and taken; KEYOK is due."""
    entry = commit_to(scene, keys.body)
    scene.forge.table._deals[0] = OwnDeal(keys)
    scene.send(entry)
    scene.tell(entry)
    scene.wait(lambda: all(Kind.KEYOK in scene.tables[seat].match.deals[0].log.kinds for seat in scene.honest))
    scene.quiet()


def nothing_dealt(scene: Scene) -> None:
    for seat in scene.honest:
        assert not scene.sent_entries(seat, Kind.SHUF, Kind.DECKOK, Kind.SHARES)


def dealt_anew(scene: Scene, culprit: int | None) -> None:
    """Deal 0 is thrown away because of *culprit*, and the next one is under way."""
    honest = [seat for seat in scene.honest if seat != culprit]
    scene.wait(lambda: all(scene.tables[seat].match.deals[0].state is DealState.DEAD for seat in honest))
    for seat in honest:
        events = [e.event for e in scene.effects_of(seat) if isinstance(e, effects.Show)]
        again = [event for event in events if isinstance(event, effects.DealAgain)]
        assert [(event.deal, event.seat) for event in again] == [(0, culprit)]
        assert scene.stopped(seat) is None


def test_attack_13_box_with_another_sub_share(live: Live) -> None:
    """The receiver complains, the sender has to open the box, and that convicts him."""
    scene = live(due(Kind.COMMIT), 3)
    keys_sent(scene, with_bad_box(scene, 1))
    assert scene.sent_entries(1, Kind.SHAREBAD)
    opened = scene.forge.entry(Kind.SHAREOPEN, wire.ShareOpen(target=1, secret=scene.forge.own.keys.ephemerals[1]))
    scene.send(opened)
    scene.refused(Code.POP, changed=True)
    dealt_anew(scene, 3)
    nothing_dealt(scene)


def test_attack_13_box_opened_with_another_secret(live: Live) -> None:
    scene = live(due(Kind.COMMIT), 3)
    keys_sent(scene, with_bad_box(scene, 1))
    scene.send(scene.forge.entry(Kind.SHAREOPEN, wire.ShareOpen(target=1, secret=bytes(31) + b"\x01")))
    scene.refused(Code.POP, changed=True)
    dealt_anew(scene, 3)
    nothing_dealt(scene)


def test_attack_13_box_never_opened() -> None:
    """He stays silent: after the grace it is he who is left behind, not the one who complained."""
    scene = RoomScene(due(Kind.COMMIT), 3)
    keys_sent(scene, with_bad_box(scene, 1))
    scene.later(150.0)
    dealt_anew(scene, 3)
    nothing_dealt(scene)
    scene.no_secret_left()


def test_attack_14_false_complaint(live: Live) -> None:
    """The honest sender opens the box; everybody sees that it is right."""
    scene = live(due(Kind.KEYOK), 3)
    scene.shown |= set(scene.tables[0]._deals[0].keys.ephemerals.values())  # what SHAREOPEN shows
    scene.send(scene.forge.entry(Kind.SHAREBAD, wire.ShareBad(source=0)))
    scene.refused(Code.CLAIM, changed=True)
    assert scene.sent_entries(0, Kind.SHAREOPEN)
    dealt_anew(scene, 3)
    nothing_dealt(scene)


def test_attack_14_complaint_about_oneself_or_nobody(live: Live) -> None:
    for source in live.some((3, 4)):
        scene = live(due(Kind.KEYOK), 3)
        scene.send(scene.forge.map_entry(Kind.SHAREBAD, {"source": source}))
        scene.refused(Code.FORMAT)
        nothing_dealt(scene)


def test_attack_14_opening_a_box_that_nobody_asked_for(live: Live) -> None:
    """It shows a secret of the attacker's own; nobody is waiting for it, and it convicts nobody of anything else."""
    scene = live(due(Kind.KEYOK), 3)
    secret = scene.forge.own.keys.ephemerals[0]
    scene.send(scene.forge.entry(Kind.SHAREOPEN, wire.ShareOpen(target=0, secret=secret)))
    scene.ignored()


# --- different keys to different peers ----------------------------------------------------------------------------


def two_commits(scene: Scene) -> dict[int, tuple[OwnKeys, Entry]]:
    """Different COMMITs to seat 0 and to seats 1 and 2, each with keys of its own."""
    made = {}
    pairs = []
    for _ in range(2):
        keys = scene.forge.keys()
        pairs.append((keys, scene.forge.entry(Kind.COMMIT, wire.Commit(hash=commitment(keys.body)))))
    for targets, (keys, entry) in zip(((0,), (1, 2)), pairs, strict=True):
        scene.send(entry, to=targets)
        for seat in targets:
            made[seat] = (keys, entry)
    return made


def test_attack_15_different_keys_to_different_peers(live: Live) -> None:
    """Each peer gets keys that fit the COMMIT it has got: the heads differ, the entries are exchanged."""
    scene = live(due(Kind.COMMIT), 3)
    made = two_commits(scene)
    for seat, (keys, _) in made.items():
        log = scene.tables[seat].match.deals[0].log
        scene.wait(lambda log=log: Kind.KEYS in log.kinds)  # type: ignore[misc]
        scene.send(scene.forge.entry(Kind.KEYS, wire.Keys(body=keys.body), parent=log.head, seq=1), to=seat)
    scene.refused(Code.EQUIVOCATION, changed=True)
    nothing_dealt(scene)


def test_attack_15_different_keyoks(live: Live) -> None:
    """A KEYOK over other keys than the four that everybody has."""
    scene = live(due(Kind.KEYOK), 3)
    scene.send(scene.forge.entry(Kind.KEYOK, wire.KeyOk(hash=bytes(32))))
    scene.refused(Code.CONTEXT)
    nothing_dealt(scene)


def test_attack_15_while_a_node_starts_over() -> None:
    """A node convicts before the others have told what they hold of its own: it signs the RESTART afterwards."""
    room = due(Kind.KEYOK)
    scene = RoomScene(room, 3)
    bad = scene.forge.entry(Kind.KEYOK, wire.KeyOk(hash=bytes(32)))
    room.start_over(0)
    for seat in scene.honest:
        room.deliver(Sent(3, seat, message_of(bad)))
    scene.refused(Code.CONTEXT, changed=True)
    dealt_anew(scene, 3)


def test_attack_15_evidence_reaches_whoever_was_away() -> None:
    """Two have thrown the deal away; the third has got another entry, and hears of it when its links are back."""
    room = due(Kind.KEYOK)
    scene = RoomScene(room, 3)
    good = scene.forge.entry(Kind.KEYOK, wire.KeyOk(hash=scene.forge.deal.keyok_hash))
    bad = scene.forge.entry(Kind.KEYOK, wire.KeyOk(hash=bytes(32)))
    for seat in (1, 2):
        room.cut(0, seat)
    scene.send(bad, to=(1, 2))
    scene.send(good, to=0)
    scene.later(5.0)
    assert not scene.evidence(0, 3)
    room.start_over(1)  # and one of the two has lost what it had in memory
    for seat in (1, 2):
        room.mend(0, seat)
    scene.later(60.0)
    assert scene.evidence(0, 3)
    dealt_anew(scene, 3)
    assert not any(scene.sent_entries(seat, Kind.SHARES) for seat in scene.honest)
    scene.no_secret_left()


def test_attack_16_no_keyok(live: Live) -> None:
    """Time runs out, the three others throw the deal away, no card is dealt; and the next one goes well."""
    scene = live(due(Kind.KEYOK), 3)
    scene.later(100.0)
    assert all(len(scene.tables[seat].match.deals) == 1 for seat in scene.honest)  # 20 s and 90 s of grace
    scene.later(30.0)
    dealt_anew(scene, 3)
    nothing_dealt(scene)
    for seat in scene.honest:
        assert not scene.evidence(seat, 3)
    mute(scene.tables[3])
    scene.wake(3)
    scene.wait(lambda: all(t.match.hand is not None and t.match.hand.state is not None for t in scene.tables))
    scene.no_secret_left()


@pytest.mark.parametrize("kind", [Kind.KEYS, Kind.SHUF, Kind.DECKOK])
def test_attack_16_silence_at_any_other_step(kind: Kind) -> None:
    scene = RoomScene(due(kind), 3)
    scene.later(130.0)
    dealt_anew(scene, 3)
    for seat in scene.honest:
        assert not scene.sent_entries(seat, Kind.SHARES)


def test_silence_at_the_first_step_costs_no_deal() -> None:
    """Nothing is made yet that a new deal would have to replace: the same one goes on when the seat is back."""
    scene = RoomScene(due(Kind.COMMIT), 3)
    scene.later(130.0)
    for seat in scene.honest:
        assert not scene.sent_entries(seat, Kind.RESTART, Kind.KEYS)
        assert scene.tables[seat].view(scene.room.now).absence is not None
    mute(scene.tables[3])
    scene.wake(3)
    scene.wait(lambda: all(t.match.hand is not None and t.match.hand.state is not None for t in scene.tables))
    assert all(t.match.hand is not None and t.match.hand.deal.number == 0 for t in scene.tables)


def test_three_deals_thrown_away_because_of_one_seat_stop_the_table() -> None:
    scene = RoomScene(due(Kind.KEYOK), 3)
    for deal in range(3):
        scene.send(scene.forge.map_entry(Kind.KEYOK, {"hash": b"%d" % deal}))
        scene.later(10.0)
        if deal < 2:
            mute(scene.tables[3], Kind.KEYOK)
            scene.wake(3)
            scene.later(10.0)
    for seat in scene.honest:
        stopped = scene.stopped(seat)
        assert stopped is not None
        assert "three deals" in stopped.reason
    scene.no_secret_left()
