"""Attacks 29 to 38 and 75 (group D): the barrier, shares, and what nobody is ever asked to decrypt."""

from __future__ import annotations

import itertools

import pytest

from protocol.deal.deck import slots_of
from protocol.deal.generators import coin_point, generators
from protocol.deal.group import BASE, ristretto
from protocol.deal.hashing import Kind as Proof
from protocol.deal.hashing import Q
from protocol.deal.shares import decrypt, make_items, share_points
from protocol.refusal import Code
from protocol.table import effects, exchange
from protocol.table.deal_phase import DealState
from protocol.table.entries import message_of
from protocol.wire import entries as wire
from protocol.wire import messages
from protocol.wire.codec import encode
from protocol.wire.entries import Chain, Kind
from protocol.wire.sync import Ask, Heads, Status, Told
from tests.deal.forge import forge_share
from tests.deal.helpers import Stream, pieces, plus_base, replace
from tests.hostile.conftest import Live
from tests.hostile.room import Room, Sent, mute
from tests.hostile.scene import RoomScene, Scene, mark
from tests.hostile.stages import dealt, due, playing
from tests.table.net import SEATS


def no_shares(scene: Scene) -> None:
    for seat in scene.honest:
        assert not scene.sent_entries(seat, Kind.SHARES)


# --- the barrier --------------------------------------------------------------------------------------------------


def test_attack_29_one_deckok_withheld(live: Live) -> None:
    """No share leaves an honest node, whatever else it is sent and however long it waits."""
    scene = live(due(Kind.DECKOK), 3)
    scene.send(scene.forge.entry(Kind.SHARES, scene.forge.shares(), deal=0))
    scene.quiet()
    no_shares(scene)
    scene.later(60.0)
    no_shares(scene)
    scene.no_secret_left()


def test_attack_29_deckok_to_one_peer_only(live: Live) -> None:
    """The peer has all four and may send its shares; it passes the fourth on, so nobody is ahead of the others."""
    scene = live(due(Kind.DECKOK), 3)
    entry = scene.forge.entry(Kind.DECKOK, wire.DeckOk(hash=scene.forge.deal.barrier))
    scene.send(entry, to=0)
    scene.tell(entry)
    scene.taken(entry)
    for seat in scene.honest:
        assert scene.sent_entries(seat, Kind.SHARES)


def test_attack_29_wrong_barrier(live: Live) -> None:
    scene = live(due(Kind.DECKOK), 3)
    scene.send(scene.forge.entry(Kind.DECKOK, wire.DeckOk(hash=bytes(32))))
    scene.refused(Code.CONTEXT)
    no_shares(scene)


def test_attack_30_three_decks_by_the_last_shuffler(live: Live) -> None:
    """Each is a valid shuffle; the barrier shows that they differ, the entries are exchanged, no share is sent."""
    scene = live(due(Kind.SHUF), 3)
    entries = [scene.forge.entry(Kind.SHUF, scene.forge.shuffled()) for _ in scene.honest]
    for seat, entry in zip(scene.honest, entries, strict=True):
        scene.send(entry, to=seat)
    scene.refused(Code.EQUIVOCATION, changed=True)
    no_shares(scene)


def test_attack_30_two_decks_and_deckoks_that_fit_each(live: Live) -> None:
    """He also signs the barrier that each peer sees."""
    scene = live(due(Kind.SHUF), 3)
    seq = scene.forge.next_seq(Chain.DEAL) + 1
    entries = [scene.forge.entry(Kind.SHUF, scene.forge.shuffled()) for _ in range(2)]
    for targets, entry in zip(((0,), (1, 2)), entries, strict=True):
        scene.send(entry, to=targets)
        logs = [scene.tables[seat].match.deals[0].log for seat in targets]
        scene.wait(lambda logs=logs: all(Kind.DECKOK in log.kinds for log in logs))  # type: ignore[misc]
        deal = scene.tables[targets[0]].match.deals[0]
        ok = wire.DeckOk(hash=deal.barrier)
        scene.send(scene.forge.entry(Kind.DECKOK, ok, parent=deal.log.head, seq=seq), to=targets)
    scene.refused(Code.EQUIVOCATION, changed=True)
    no_shares(scene)


# --- shares -------------------------------------------------------------------------------------------------------


def attack(scene: Scene, fields: wire.Shares, code: Code) -> None:
    scene.send(scene.forge.entry(Kind.SHARES, fields))
    scene.refused(code)
    for seat in scene.honest:
        assert scene.tables[seat].match.hand.state is None  # type: ignore[union-attr]


def with_shares(scene: Scene, d: bytes | None = None, proof: bytes | None = None) -> wire.Shares:
    made = scene.forge.shares()
    return wire.Shares(deal_head=made.deal_head, d=d or made.d, proof=proof or made.proof)


def test_attack_31_one_share_moved(live: Live) -> None:
    for index in live.some((0, 17, 35, 36)):
        scene = live(due(Kind.SHARES), 3)
        items = scene.forge.shares().d
        attack(scene, with_shares(scene, replace(items, index, plus_base(pieces(items)[index]))), Code.DLEQ)


def test_attack_31_two_shares_moved_so_that_their_sum_stays(live: Live) -> None:
    scene = live(due(Kind.SHARES), 3)
    items = scene.forge.shares().d
    first, second = pieces(items)[:2]
    moved = replace(replace(items, 0, plus_base(first)), 1, ristretto().sub(second, BASE))
    attack(scene, with_shares(scene, moved), Code.DLEQ)


def test_attack_32_two_shares_exchanged(live: Live) -> None:
    scene = live(due(Kind.SHARES), 3)
    items = scene.forge.shares().d
    first, second = pieces(items)[3:5]
    attack(scene, with_shares(scene, replace(replace(items, 3, second), 4, first)), Code.DLEQ)


def test_attack_33_forge_3_share_computed_after_the_challenge(live: Live) -> None:
    """One share solved for under a challenge that does not know it: as a card, the lead of a hand."""
    room = playing()
    scene = live(room, room.tables[0].match.main.missing[0])
    forge = scene.forge
    slot = next(iter(forge.cards))
    ctx = forge.place().ctx(Proof.PLAY)
    wanted = ristretto().sub(generators().cards[13], generators().cards[forge.cards[slot]])
    share, proof = forge_share(forge.own.x, forge.own.keys.public, forge.pairs[slot][0], wanted, ctx, Stream("3"))
    scene.send(forge.play(slot, d=share, proof=proof))
    scene.refused(Code.DLEQ)


def test_attack_33_forge_3_in_the_deal(live: Live) -> None:
    scene = live(due(Kind.SHARES), 3)
    forge = scene.forge
    ctx = forge.place(forge.deal.log.head).ctx(Proof.SHARES)
    c = forge.deal.deck[0][0]
    share, proof = forge_share(forge.own.x, forge.own.keys.public, c, BASE, ctx, Stream("3"))
    attack(scene, with_shares(scene, replace(forge.shares().d, 0, share), proof), Code.DLEQ)


def test_attack_34_shares_of_another_hand_seat_or_deal_chain(live: Live) -> None:
    changes: list[dict[str, object]] = [{"hand": 1}, {"seat": 2}, {"extra": bytes(32)}, {"match_id": bytes(32)}]
    for change in live.some(changes):
        scene = live(due(Kind.SHARES), 3)
        forge = scene.forge
        place = forge.place(**({"extra": forge.deal.log.head} | change))  # type: ignore[arg-type]
        if place.seat == 3:
            attack(scene, forge.shares(place), Code.DLEQ)
        else:  # made over his own slots' complement, proven for another's place
            points = share_points(3, forge.deal.deck, forge.deal.barrier)
            items, proof = make_items(place, Proof.SHARES, forge.own.x, forge.own.keys.public, points, forge.rand)
            attack(scene, with_shares(scene, items, proof), Code.DLEQ)


def test_attack_34_shares_of_another_seat_copied(live: Live) -> None:
    scene = live(due(Kind.SHARES), 3)
    copied = next(e for e in scene.forge.table.match.known.values() if e.kind is Kind.SHARES and e.seat == 2)
    attack(scene, copied.fields(wire.Shares), Code.DLEQ)


def test_attack_34_shares_that_name_another_deal_chain(live: Live) -> None:
    scene = live(due(Kind.SHARES), 3)
    made = scene.forge.shares()
    attack(scene, wire.Shares(deal_head=bytes(32), d=made.d, proof=made.proof), Code.CONTEXT)


def test_attack_35_own_slots_included(live: Live) -> None:
    """48 slots and the coin instead of 36 do not even fit into the field; 38 do, and are too many."""
    scene = live(due(Kind.SHARES), 3)
    forge = scene.forge
    own = [forge.deal.deck[slot][0] for slot in slots_of(3)]
    points = [slot[0] for slot in forge.deal.deck] + [coin_point(forge.deal.barrier)]
    place = forge.place(forge.deal.log.head)
    items, proof = make_items(place, Proof.SHARES, forge.own.x, forge.own.keys.public, points, forge.rand)
    scene.send(forge.map_entry(Kind.SHARES, {"deal_head": forge.deal.log.head, "d": items, "proof": proof}))
    scene.refused(Code.FORMAT)
    for some in live.some((1,)) if live.core else ():
        scene = live(due(Kind.SHARES), 3)
        points = share_points(3, forge.deal.deck, forge.deal.barrier) + own[:some]
        items, proof = make_items(place, Proof.SHARES, forge.own.x, forge.own.keys.public, points, forge.rand)
        attack(scene, with_shares(scene, items, proof), Code.FORMAT)


def test_attack_35_own_slots_instead_of_others(live: Live) -> None:
    scene = live(due(Kind.SHARES), 3)
    forge = scene.forge
    points = share_points(3, forge.deal.deck, forge.deal.barrier)
    points[:12] = [forge.deal.deck[slot][0] for slot in slots_of(3)]
    place = forge.place(forge.deal.log.head)
    items, proof = make_items(place, Proof.SHARES, forge.own.x, forge.own.keys.public, points, forge.rand)
    attack(scene, with_shares(scene, items, proof), Code.DLEQ)


def test_shares_after_a_promise_to_send_none(live: Live) -> None:
    """He asks to throw the deal away just when shares are being made: who agrees sends none, unless another shows that
    it does not agree; nobody honest is blamed for it, in whatever order the entries arrive, and the match goes on."""
    scene = live(due(Kind.DECKOK), 3)
    forge = scene.forge
    deckok = forge.entry(Kind.DECKOK, wire.DeckOk(hash=forge.deal.barrier))
    scene.tell(deckok)
    restart = forge.entry(Kind.RESTART, wire.Restart(seat=None), parent=forge.deal.first_head)
    for seat in scene.honest:
        scene.send(deckok, to=seat)
        scene.send(restart, to=seat)
    scene.later(30.0)
    both = []
    for seat in scene.honest:
        assert scene.stopped(seat) is None, scene.stopped(seat)
        assert not any(scene.evidence(seat, other) for other in SEATS)
        kinds = {entry.kind for entry in scene.sent_entries(seat, Kind.SHARES, Kind.RESTART) if entry.deal == 0}
        assert kinds
        both.append(len(kinds) == 2)
    assert not all(both), "all have promised to send no share, and have sent one"
    scene.wait(lambda: len({mark(scene.tables[seat])[0] for seat in scene.honest}) == 1)
    scene.no_secret_left()


def test_restart_while_the_shares_are_made() -> None:
    """The same at one node, at the worst moment: it agrees to the RESTART while its shares are being computed."""
    room = due(Kind.DECKOK)
    scene = RoomScene(room, 3)
    forge = scene.forge
    scene.tell(forge.entry(Kind.DECKOK, wire.DeckOk(hash=forge.deal.barrier)))
    deckok = next(e for e in forge.table.match.known.values() if e.kind is Kind.DECKOK and e.seat == 3)
    room.deliver(Sent(3, 0, message_of(deckok)))
    assert room.jobs  # SHARES is being made
    room.deliver(
        Sent(3, 0, message_of(forge.entry(Kind.RESTART, wire.Restart(seat=None), parent=forge.deal.first_head)))
    )
    seat, job, fn, args = room.jobs.popleft()
    room._do(seat, room.tables[seat].done(job, fn(*args), room.now))
    assert scene.sent_entries(0, Kind.RESTART)
    assert not scene.sent_entries(0, Kind.SHARES)


# --- no oracle ----------------------------------------------------------------------------------------------------


def test_attack_37_no_message_asks_for_a_share(live: Live) -> None:
    """Every number of the table's range, with what a SUB would say in it: nothing comes back but entries there are."""
    scene = live(dealt(), 3)
    forge = scene.forge
    wish = {"seat": 0, "slots": list(range(12)), "d": bytes(12 * 32), "proof": bytes(64)}
    known = {*messages.kinds()}
    for number in [n for n in range(70, 110) if n not in known] if live.core else [80]:
        scene.send(encode({"k": number, "match": forge.table.setup.match_id, **wish}))
    scene.quiet()
    honest_answers(scene)
    for seat in scene.honest:
        assert scene.stopped(seat) is None
    scene.no_secret_left()


def honest_answers(scene: Scene) -> None:
    """All that the attacker has got from honest nodes are entries that everybody has, and words of where they are."""
    for sent in scene.sent:
        if sent.target != 3 or sent.source == 3:
            continue
        message = messages.decode(sent.raw)
        assert isinstance(message, messages.Entry | Status | Heads | Ask | Told | messages.Leave), message


@pytest.mark.parametrize("chain", ["deal", "hand"])
def test_attack_37_a_signed_sub_where_nobody_is_dropped(live: Live, chain: str) -> None:
    scene = live(due(Kind.SHARES) if chain == "deal" else dealt(), 3)
    forge = scene.forge
    fields = wire.Sub(seat=0, slots=tuple(range(12)), d=bytes(12 * 32), proof=bytes(64))
    scene.send(forge.entry(Kind.SUB, fields))
    scene.refused(Code.TURN)


def test_attack_37_asking_and_telling_gives_entries_only(live: Live) -> None:
    scene = live(due(Kind.SHARES), 3)
    match = scene.forge.table.match
    nowhere = exchange.progress(match)
    at = type(nowhere)(main=0, main_head=bytes(32), deal=0, deal_length=0, deal_head=bytes(32))
    name = scene.forge.table.setup.match_id
    for message in (
        Status(match=name, at=at, reply=True),
        Ask(match=name, nonce=bytes(16), at=at),
        Told(match=name, nonce=bytes(16), last=(bytes(32),)),
        Heads(match=name, chain=1, deal=0, heads=(bytes(32),), reply=True),
        Heads(match=name, chain=0, deal=9, heads=(bytes(32),) * 9, reply=True),
    ):
        scene.send(messages.encode(message))
    scene.ignored()
    honest_answers(scene)


def test_attack_38_two_colluders_open_nothing(live: Live) -> None:
    """With both keys and all that was ever sent, none of the 24 closed cards of the others opens."""
    room = playing()
    scene = live(room, (1, 3))
    own = [forge.own.x for forge in scene.forgers.values()]
    received = [scene.tables[seat]._deals[0].subs for seat in scene.hostiles]
    given = [sub for subs in received for seat, sub in subs.items() if seat in scene.honest]
    sums = [sum(pair) for pair in itertools.combinations([*own, *given], 2)]
    pool = [*own, *given, *sums, sum(own + given)]
    hand = scene.forge.hand
    cards = generators().card_of
    points = {piece for sent in room.sent for piece in _points(sent.raw)} if live.core else set()
    group = ristretto()
    for seat in scene.honest:
        for slot in slots_of(seat):
            alpha, b = hand.slots.pairs[slot]
            for pair in ((alpha, b), hand.deal.deck[slot][:2]):
                assert not any(decrypt(x % Q, (pair[0], pair[1])) in cards for x in pool)
            assert not any(group.sub(b, point) in cards for point in points)


def _points(raw: bytes) -> set[bytes]:
    """Every valid point in the shares and cards of a message."""
    from protocol.table.entries import read_entry

    message = messages.decode(raw)
    if not isinstance(message, messages.Entry):
        return set()
    entry = read_entry(message.p, message.s)
    if entry.kind is Kind.SHARES:
        return set(pieces(entry.fields(wire.Shares).d))
    return {entry.fields(wire.Play).d} if entry.kind is Kind.PLAY else set()


# --- 75: the next deal --------------------------------------------------------------------------------------------


def test_attack_75_no_share_before_the_result_is_closed(live: Live) -> None:
    """The next deal is ready during the hand; asked for, shown, or with RESULT withheld: no share of it leaves."""
    room = Room(0, {"mode": "four-fixed", "stake": 10})
    for _ in range(60):
        asked = next((s for s in SEATS if room.tables[s].view(room.now).question is not None), None)
        if asked is None:
            break
        room.act(asked, room.tables[asked].view(room.now).question.commands[0])  # type: ignore[union-attr]
        if len(room.tables[0].match.main.rounds) >= 12:
            mute(room.tables[3], Kind.RESULT)
    assert room.tables[0].match.closing is not None
    assert room.tables[0].match.deals[1].state is DealState.READY
    mute(room.tables[3], Kind.RESULT, Kind.SHARES)
    scene = live(room, 3)
    scene.later(60.0)
    next_deal = scene.forge.table.match.deals[1]
    own = scene.forge.table._deals[1]
    place = next_deal.place(3, next_deal.log.head)
    points = share_points(3, next_deal.deck, next_deal.barrier)
    items, proof = make_items(place, Proof.SHARES, own.x, own.keys.public, points, scene.forge.rand)
    shares = wire.Shares(deal_head=next_deal.log.head, d=items, proof=proof)
    scene.send(scene.forge.entry(Kind.SHARES, shares, deal=1))
    scene.refused(Code.CONTEXT)
    no_shares(scene)
    every = [e.event for e in scene.effects_of(0) if isinstance(e, effects.Show)]
    assert not any(isinstance(e, effects.HandClosed) for e in every)
