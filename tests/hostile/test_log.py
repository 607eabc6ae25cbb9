"""Attacks 69 to 74 and 81 (group I): the log, calls that race with cards, heads that are not known, the coin."""

from __future__ import annotations

import hashlib
import itertools

from protocol.cards import CLUB_QUEEN
from protocol.deal.claims import make_kontra
from protocol.deal.generators import coin_point
from protocol.deal.group import ristretto
from protocol.deal.hashing import Q
from protocol.refusal import Code
from protocol.rules.acts import Play
from protocol.rules.calls import CallKind
from protocol.rules.hand import HandState, digest
from protocol.table import effects
from protocol.table.deal_phase import DealState
from protocol.table.entries import Entry
from protocol.wire import entries as wire
from protocol.wire.entries import Kind
from protocol.wire.messages import decode
from protocol.wire.sync import Status
from tests.hostile.conftest import Live
from tests.hostile.fields import re_call
from tests.hostile.forge import Forger
from tests.hostile.room import Room, mute
from tests.hostile.scene import RoomScene, Scene
from tests.hostile.stages import can_revoke, due, hand_of, is_void, lead_to, line, playing, queens, turn, two_holders
from tests.table.net import SEATS, people
from tests.table.test_attacks_play import second_signature


def sent(scene: Scene, entry: Entry) -> Entry:
    """An honest entry of the attacker's goes to all."""
    scene.send(entry)
    scene.tell(entry)
    scene.taken(entry)
    return entry


# --- 69 and 70: calls that lie about when they were made ----------------------------------------------------------


def after_own_card(state: HandState, seat: int) -> bool:
    """Whoever is in turn has led the trick before and holds a club queen; ten cards are left to him."""
    held = state.hand(state.turn or 0)
    return held is not None and CLUB_QUEEN in held and len(held) == 10 and not state.trick


def test_attack_69_call_backdated_before_his_last_card(live: Live) -> None:
    """Too late for Re by now; the head it claims to have been made on is that before his last card."""
    room = two_holders()
    seat = lead_to(room, after_own_card)
    scene = live(room, seat)
    match = scene.forge.table.match
    own = [n for n, done in enumerate(match.main.rounds) if done.kind is Kind.PLAY and done.entries[0].seat == seat]
    scene.send(re_call_on(scene, match.main.heads[own[-1]]))
    scene.refused(Code.TIME)


def re_call_on(scene: Scene, parent: bytes) -> Entry:
    forge = scene.forge
    slot = next(slot for slot, card in forge.cards.items() if card == CLUB_QUEEN)
    return forge.call("re", opening=forge.opening(slot, forge.call_place()), parent=parent)


def test_attack_69_call_with_a_number_before_his_last_card(live: Live) -> None:
    """The same with a sequence number that he used for that card: two entries for one place."""
    room = two_holders()
    seat = lead_to(room, after_own_card)
    scene = live(room, seat)
    forge = scene.forge
    card = [e for e in forge.table.match.known.values() if e.kind is Kind.PLAY and e.seat == seat][-1]
    slot = next(slot for slot, held in forge.cards.items() if held == CLUB_QUEEN)
    opening = forge.opening(slot, forge.call_place(card.seq))
    scene.send(forge.call("re", opening=opening, parent=card.parent, seq=card.seq))
    scene.refused(Code.EQUIVOCATION)


def test_attack_70_call_shown_to_one_peer_and_skipped_by_his_card(live: Live) -> None:
    room = two_holders()
    seat = lead_to(room, lambda state, seat: CLUB_QUEEN in (state.hand(state.turn or 0) or ()))
    scene = live(room, seat)
    forge = scene.forge
    call = re_call(scene)
    scene.send(call, to=scene.honest[0])
    scene.quiet()
    slot = next(slot for slot, card in forge.cards.items() if card != CLUB_QUEEN)
    follow = next((s for s, c in forge.cards.items() if forge.hand.state.led is None or c in forge.led), slot)  # type: ignore[union-attr]
    scene.send(forge.play(follow, calls=(), seq=call.seq + 1))
    scene.refused(Code.CONTEXT, changed=True)


def test_attack_70_card_that_carries_the_call_is_taken(live: Live) -> None:
    """The same call, carried: all have it, whoever was shown it before."""
    room = two_holders()

    def wanted(state: HandState, seat: int) -> bool:
        held = state.hand(state.turn or 0)
        return state.led is None and held is not None and CLUB_QUEEN in held and len(held) >= 11

    seat = lead_to(room, wanted)
    scene = live(room, seat)
    forge = scene.forge
    call = re_call(scene)
    scene.send(call, to=scene.honest[0])
    scene.tell(call)
    slot = next(slot for slot, card in forge.cards.items() if card != CLUB_QUEEN)
    sent(scene, forge.play(slot))
    scene.agreed()
    for honest in scene.honest:
        hand = scene.tables[honest].match.hand
        assert hand is not None
        assert call.hash in hand.carried


def test_attack_70_card_with_an_invalid_call(live: Live) -> None:
    """An invalid call makes the card invalid, whosever it claims to be."""
    room = two_holders()
    seat = turn(room)

    def bad(forge: Forger, n: int) -> Entry:
        slot = next(iter(forge.cards))
        opening = forge.opening(slot, forge.call_place())
        call = forge.call("re", opening=opening) if n == 0 else forge.call("kontra", neq=bytes(32 + 96 * 12))
        return forge.play(slot, calls=(call,), seq=call.seq + 1)

    for n in live.some((1, 0)):
        scene = live(room.clone(), seat)
        entry = bad(scene.forge, n)
        scene.send(entry)
        scene.wait(lambda scene=scene: all(scene.evidence(s, seat) for s in scene.honest))  # type: ignore[misc]
        code = next(
            e.event.code
            for e in scene.effects_of(scene.honest[0])
            if isinstance(e, effects.Show) and isinstance(e.event, effects.Refused)
        )
        assert code in (Code.CLAIM, Code.SCALAR, Code.POINT, Code.VOID)
        scene.refused(code)


# --- 71 and 72: calls that race ----------------------------------------------------------------------------------


def reply_due() -> tuple[Room, int, int]:
    """One of Re has still eleven cards and calls; one of Kontra has ten: too late but for a reply."""
    room = two_holders()
    holders = set(queens(room))
    hand = hand_of(room)

    def wanted(state: HandState, seat: int) -> bool:
        held = state.hand(state.turn or 0)
        if seat not in holders or held is None or CLUB_QUEEN not in held or len(held) != 11 or not state.trick:
            return False
        return any(state.cards_left(hand.position(s)) == 10 and s not in holders for s in SEATS)

    caller = lead_to(room, wanted)
    state = hand_of(room).state
    assert state is not None
    replier = next(s for s in SEATS if s not in holders and state.cards_left(hand.position(s)) == 10)
    return room, caller, replier


def kontra(scene: Scene, after: tuple[Entry, ...]) -> Entry:
    forge = scene.forge
    slots, own = forge.hand.slots, forge.own
    neq = make_kontra(forge.call_place(), own.x, own.keys.public, forge.pairs, slots.played, slots.opened, forge.rand)
    return forge.call("kontra", after=after, neq=neq)


def test_attack_71_reply_to_a_pending_call(live: Live) -> None:
    """Positive: named in ``after`` it is in time, though no card has carried the call yet."""
    room, caller, replier = reply_due()
    scene = live(room, replier)
    scene.act(caller, effects.MakeCall(CallKind.RE))
    (call,) = scene.sent_entries(caller, Kind.CALL)
    reply = sent(scene, kontra(scene, (call,)))
    question = scene.tables[caller].view(scene.room.now).question
    assert question is not None
    scene.act(caller, question.commands[0])
    for seat in scene.honest:
        hand = scene.tables[seat].match.hand
        assert hand is not None
        assert {call.hash, reply.hash} <= hand.carried.keys()
    scene.agreed()


def test_attack_71_the_same_without_naming_it(live: Live) -> None:
    room, caller, replier = reply_due()
    scene = live(room, replier)
    scene.act(caller, effects.MakeCall(CallKind.RE))
    scene.rest()
    scene.send(kontra(scene, ()))
    scene.refused(Code.TIME)


def test_attack_71_naming_a_call_that_nobody_made(live: Live) -> None:
    """It waits for a call that does not exist: held, nobody is blamed, nothing else is held up."""
    room, caller, replier = reply_due()
    scene = live(room, replier)
    ghost = scene.forge.call("re")  # never sent
    scene.send(kontra(scene, (ghost,)))
    scene.ignored()
    question = scene.tables[caller].view(scene.room.now).question
    assert question is not None
    scene.act(caller, question.commands[0])
    scene.agreed()


def test_attack_72_overtaken_re_keeps_what_it_opens(live: Live) -> None:
    """Positive: two partners call Re at once.  The second is no step, but its queen stays open at all nodes, and a void
    proof of its holder leaves that slot out."""
    room = two_holders()
    first, second = queens(room)
    hand = hand_of(room)
    scene = live(room, second)
    call = re_call(scene)  # on the same head, without knowing of the other's
    scene.act(first, effects.MakeCall(CallKind.RE))
    sent(scene, call)
    slots = {call.slot for call in scene.tables[first].match.hand.pending.values()}  # type: ignore[union-attr]
    assert len(slots) == 2
    own = next(slot for slot in slots if slot is not None and slot // 12 == second)

    def wanted(state: HandState, seat: int) -> bool:
        held = state.hand(state.turn or 0)
        return seat == second and is_void(state, seat) and state.led != 4 and CLUB_QUEEN in (held or ())

    for act in line(room, wanted, tries=4_000):
        assert isinstance(act, Play)
        scene.act(hand.seat(act.player), effects.PlayCard(act.card))
    for seat in SEATS:
        opened = scene.tables[seat].match.hand.slots.opened  # type: ignore[union-attr]
        assert own in opened
    forge = scene.forge
    slot = next(slot for slot in forge.cards if slot != own)
    assert own not in forge.closed(slot)
    sent(scene, forge.honest_play(slot))
    scene.agreed()


def test_attack_72_void_proof_over_the_open_slot_too(live: Live) -> None:
    """The list is the verifier's: the opened slot does not belong into it."""
    room = two_holders()
    first, second = queens(room)
    room.act(first, effects.MakeCall(CallKind.RE))

    def wanted(state: HandState, seat: int) -> bool:
        held = state.hand(state.turn or 0)
        return seat == first and is_void(state, seat) and state.led != 4 and CLUB_QUEEN in (held or ())

    assert second != first
    lead_to(room, wanted, tries=4_000)
    scene = live(room, first)
    forge = scene.forge
    own = next(iter(slot for slot in forge.hand.slots.opened if slot // 12 == first))
    slot = next(slot for slot in forge.cards if slot != own)
    scene.send(forge.play(slot, void=forge.void(sorted([*forge.closed(slot), own]), forge.led)))
    scene.refused(Code.VOID)


# --- 73 and 74: heads ---------------------------------------------------------------------------------------------


def test_attack_73_one_payload_with_two_signatures(live: Live) -> None:
    """Positive: signatures are not unique; each half of the table gets another valid one, and all have one head."""
    room = playing()
    scene = live(room, turn(room))
    entry = scene.forge.play(next(iter(scene.forge.cards)))
    twin = second_signature(entry, people()[scene.hostile].signing)
    assert twin.signature != entry.signature
    scene.send(entry, to=scene.honest[0])
    scene.send(twin, to=scene.honest[1:])
    scene.tell(entry)
    scene.taken(entry)
    scene.agreed()


def test_attack_74_card_on_a_head_that_nobody_has(live: Live) -> None:
    """Held; its author is asked for what is below it; nobody is blamed, and the game goes on."""
    room = playing()
    turn_of = turn(room)
    scene = live(room, (turn_of + 1) % 4)
    before = len(scene.sent)
    scene.send(scene.forge.play(next(iter(scene.forge.cards)), parent=bytes(32)))
    if live.core:
        scene.later(3.0)
    else:
        scene.wait(lambda: all(asked(scene, seat, before) for seat in scene.honest))
    for seat in scene.honest:
        assert asked(scene, seat, before)
    scene.ignored()
    question = scene.tables[turn_of].view(scene.room.now).question
    assert question is not None
    scene.act(turn_of, question.commands[0])
    scene.agreed()
    assert hand_of(scene.room).state.cards_played == 1  # type: ignore[union-attr]


def asked(scene: Scene, seat: int, since: int) -> bool:
    """Whether a node has asked the attacker where he is."""
    words = [decode(each.raw) for each in scene.sent[since:] if (each.source, each.target) == (seat, scene.hostile)]
    return any(isinstance(word, Status) and word.reply for word in words)


def test_attack_74_two_cards_to_two_peers_convict_their_author(live: Live) -> None:
    """The next player stands on one of them; the others are shown the other.  Not he is to blame but its author."""
    room = playing()
    seat = turn(room)
    scene = live(room, seat)
    following = (seat + 1) % 4
    rest = [other for other in scene.honest if other != following]
    one, other = [scene.forge.play(slot) for slot in list(scene.forge.cards)[:2]]
    scene.send(one, to=following)
    scene.send(other, to=rest)
    scene.quiet()
    question = scene.tables[following].view(scene.room.now).question
    if question is not None and scene.stopped(following) is None:
        scene.act(following, question.commands[0])
    scene.refused(Code.EQUIVOCATION, changed=True)
    for honest in scene.honest:
        assert not scene.evidence(honest, following)


def test_attack_74_two_receipts_to_two_peers(live: Live) -> None:
    """The same in a round of all: receipts that differ, one of them with a digest that nobody else has."""
    room = playing()
    seat = lead_to(room, can_revoke)
    mute(room.tables[seat], Kind.TRICK)
    while hand_of(room).log.kinds != {Kind.TRICK}:
        asked_seat = turn(room)
        question = room.tables[asked_seat].view(room.now).question
        assert question is not None
        room.act(asked_seat, question.commands[0])
    scene = live(room, seat)
    state = hand_of(room).state
    assert state is not None
    trick = len(state.tricks)
    said = [wire.Trick(trick=trick, digest=each, rejoins=()) for each in (digest(state), bytes(32))]
    one, other = [scene.forge.entry(Kind.TRICK, fields) for fields in said]
    scene.send(one, to=scene.honest[0])
    scene.send(other, to=scene.honest[1:])
    scene.wait(lambda: all(scene.evidence(honest, seat) for honest in scene.honest))
    scene.quiet()
    for honest in scene.honest:
        assert not any(scene.evidence(honest, other) for other in scene.honest)
    scene.no_secret_left()


# --- 81: the coin -------------------------------------------------------------------------------------------------


def test_attack_81_going_silent_in_the_deal_gives_no_influence_on_the_coin() -> None:
    """Until SHARES nothing that a seat has seen gives the coin; silence deals anew, under fresh keys."""
    room = due(Kind.DECKOK)
    scene = RoomScene(room, 3)
    forge = scene.forge
    barrier = forge.deal.barrier
    group = ristretto()
    point = coin_point(barrier)
    x = sum(table._deals[0].x for table in room.tables) % Q
    z = group.mul(x, point)
    known = [forge.own.x, *forge.own.subs.values(), *forge.own.keys.subs.values()]
    for count in range(1, len(known) + 1):
        for some in itertools.combinations(known, count):
            assert group.mul(sum(some) % Q, point) != z
    scene.later(130.0)
    for seat in scene.honest:
        match = scene.tables[seat].match
        assert match.deals[0].state is DealState.DEAD
        assert match.score is None  # no forehand has been drawn
        assert not scene.sent_entries(seat, Kind.SHARES)


def test_attack_81_forehand_is_the_same_whoever_speaks_last(live: Live) -> None:
    """The last SHARES adds a number that was fixed with the keys: he can only send it or not."""
    room = due(Kind.SHARES)
    scene = live(room, 3)
    entry = scene.forge.entry(Kind.SHARES, scene.forge.shares())
    again = scene.forge.entry(Kind.SHARES, scene.forge.shares())
    assert entry.hash != again.hash  # the proof is fresh, the shares are not
    sent(scene, entry)
    x = sum(table._deals[0].x for table in scene.tables) % Q
    z = ristretto().mul(x, coin_point(scene.forge.hand.deal.barrier))
    drawn = int.from_bytes(hashlib.sha512(z).digest(), "little") % 4
    for table in scene.tables:
        assert table.match.hand is not None
        assert table.match.hand.forehand == drawn
