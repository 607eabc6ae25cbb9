"""Attacks 51 to 55 (group F): announcements and marriages."""

from __future__ import annotations

import pytest

from protocol.cards import CLUB_QUEEN
from protocol.deal import claims, inequality
from protocol.deal.group import BASE, IDENTITY
from protocol.refusal import Code, Refusal
from protocol.rules.calls import CallKind
from protocol.rules.contracts import Contract
from protocol.rules.hand import HandState
from protocol.table import effects
from protocol.table.entries import Entry
from protocol.wire import entries as wire
from protocol.wire.entries import Chain, Kind
from tests.deal.helpers import pieces
from tests.deal.test_attacks_play import items_of, lie
from tests.hostile.conftest import Live
from tests.hostile.fields import bid_and_name, kontra_bytes, re_call, re_opening, spread
from tests.hostile.forge import Forger
from tests.hostile.room import Room
from tests.hostile.scene import Scene
from tests.hostile.stages import dealt, lead_to, no_queen, playing, queens, turn, two_dealt, two_holders, wedding
from tests.table.net import SEATS


def opened_falsely(forge: Forger, slot: int) -> wire.Opening:
    return forge.opening(slot, forge.call_place())


def test_attack_51_re_with_a_slot_that_is_no_club_queen(live: Live) -> None:
    for holds in live.some((False, True)):
        room = playing()
        scene = live(room, queens(room)[0] if holds else no_queen(room))
        slot = next(slot for slot, card in scene.forge.cards.items() if card != CLUB_QUEEN)
        scene.send(scene.forge.call("re", opening=opened_falsely(scene.forge, slot)))
        scene.refused(Code.CLAIM)


def test_attack_51_re_with_the_slot_of_another(live: Live) -> None:
    room = playing()
    scene = live(room, queens(room)[0])
    made = re_opening(scene)
    for slot in live.some(((made.slot + 12) % 48, 48, -1)):
        scene = live(playing(), scene.hostile)
        made = re_opening(scene)
        scene.send(scene.forge.call("re", opening=wire.Opening(slot, made.d, made.proof)))
        scene.refused(Code.SLOT)


def test_attack_51_re_with_the_proof_of_another_place(live: Live) -> None:
    """Made for another sequence number, for a card instead of a call, for another slot."""
    room = playing()
    seat = queens(room)[0]

    def made(forge: Forger, n: int) -> wire.Opening:
        slot = next(slot for slot, card in forge.cards.items() if card == CLUB_QUEEN)
        if n == 0:
            return forge.opening(slot, forge.call_place(forge.next_seq(Chain.MAIN) + 1))
        if n == 1:
            return wire.Opening(slot, *forge.opened(slot, forge.call_place()))
        honest = forge.opening(slot, forge.call_place())
        other = next(s for s in forge.cards if s != slot)
        return wire.Opening(other, honest.d, honest.proof)

    for n in live.some(range(3)):
        scene = live(room.clone(), seat)
        scene.send(scene.forge.call("re", opening=made(scene.forge, n)))
        scene.refused(Code.DLEQ)


def test_attack_52_honest_code_refuses_kontra_with_a_club_queen() -> None:
    room = playing()
    seat = queens(room)[0]
    with pytest.raises(Refusal) as refused:
        room.act(seat, effects.MakeCall(CallKind.KONTRA))
    assert refused.value.code is Code.CLAIM
    forge = Forger(room.tables[seat])
    own = forge.own
    with pytest.raises(Refusal) as refused:
        claims.make_kontra(forge.call_place(), own.x, own.keys.public, forge.pairs, {}, {}, forge.rand)
    assert refused.value.code is Code.VOID


def test_attack_52_kontra_with_a_club_queen_forged(live: Live) -> None:
    room = playing()
    seat = queens(room)[0]
    for t in live.some((None, BASE)):
        scene = live(room.clone(), seat)
        p = scene.forge.holder(scene.forge.call_place())
        items = items_of(p, scene.forge.closed(), (CLUB_QUEEN,))
        proof = lie(p, items)
        if t is None:
            assert IDENTITY in pieces(proof)
        else:
            bad = [n for n, piece in enumerate(pieces(proof)) if n % 3 == 1 and piece == IDENTITY]
            proof = lie(p, items, {(n - 1) // 3: t for n in bad})
        scene.send(scene.forge.call("kontra", neq=proof))
        scene.refused(Code.POINT if t is None else Code.VOID)


def test_attack_52_kontra_with_the_proof_of_another_type(live: Live) -> None:
    """He proves to hold no card of a type that he really lacks."""
    room = playing()
    scene = live(room, queens(room)[0])
    forge = scene.forge
    p = forge.holder(forge.call_place())
    absent = next(k for k in range(24) if k not in forge.cards.values())
    proof = inequality.prove(p.place, p.x, p.public, items_of(p, forge.closed(), (absent,)), forge.rand)
    scene.send(forge.call("kontra", neq=proof))
    scene.refused(Code.VOID)


def test_attack_53_kontra_proof_leaves_out_the_slot(live: Live) -> None:
    room = playing()
    scene = live(room, queens(room)[0])
    forge = scene.forge
    p = forge.holder(forge.call_place())
    innocent = [slot for slot, card in forge.cards.items() if card != CLUB_QUEEN]
    proof = inequality.prove(p.place, p.x, p.public, items_of(p, innocent, (CLUB_QUEEN,)), forge.rand)
    scene.send(forge.call("kontra", neq=proof))
    scene.refused(Code.CLAIM)


def played_queen() -> tuple[Room, int]:
    """Somebody has led a club queen as the first card; the next one has played too."""
    room = two_holders()
    seat = queens(room)[0]

    def wanted(state: HandState, who: int) -> bool:
        position = (seat - (who - (state.turn or 0))) % 4
        return CLUB_QUEEN in state.played[position] and state.cards_left(position) == 11

    lead_to(room, wanted)
    return room, seat


def test_attack_53_kontra_after_having_played_a_club_queen(live: Live) -> None:
    room, seat = played_queen()
    scene = live(room, seat)
    forge = scene.forge
    p = forge.holder(forge.call_place())
    rest = [slot for slot, card in forge.cards.items() if card != CLUB_QUEEN]
    proof = inequality.prove(p.place, p.x, p.public, items_of(p, rest, (CLUB_QUEEN,)), forge.rand)
    scene.send(forge.call("kontra", neq=proof))
    scene.refused(Code.CLAIM)


def test_attack_53_call_with_two_proofs_none_or_the_other_sides(live: Live) -> None:
    room = playing()
    re, kontra = queens(room)[0], no_queen(room)

    def bad(n: int) -> tuple[Scene, Entry, Code]:
        scene = live(room.clone(), re if n < 3 else kontra)
        forge = scene.forge
        if n == 0:
            return scene, forge.call("re"), Code.FORMAT
        if n == 1:
            return scene, forge.call("re", opening=re_opening(scene), neq=bytes(128)), Code.FORMAT
        if n == 2:
            return scene, forge.call("kontra", opening=re_opening(scene)), Code.CLAIM
        if n == 3:
            return scene, forge.call("re", neq=kontra_bytes(scene)), Code.CLAIM
        if n == 4:
            return scene, forge.call("no90"), Code.FORMAT
        return scene, forge.call("redouble", neq=kontra_bytes(scene)), Code.FORMAT

    for n in live.some(range(6)):
        scene, entry, code = bad(n)
        scene.send(entry)
        scene.refused(code)


# --- 54: marriages ------------------------------------------------------------------------------------------------


def marrying(live: Live, seat: int | None = None) -> Scene:
    """The attacker, with one club queen, has named a marriage that takes effect."""
    room = two_dealt()
    seat = queens(room)[0] if seat is None else seat
    bid_and_name(room, Forger(room.tables[seat]), Contract.MARRIAGE)
    return live(room, seat)


def marry(scene: Scene, slots: tuple[int, int]) -> Entry:
    forge = scene.forge
    openings = tuple(forge.opening(slot, forge.place()) for slot in slots)
    return forge.entry(Kind.MARRY, wire.Marry(open=openings))  # type: ignore[arg-type]


def test_attack_54_marriage_with_one_slot_twice(live: Live) -> None:
    scene = marrying(live)
    queen = next(slot for slot, card in scene.forge.cards.items() if card == CLUB_QUEEN)
    scene.send(marry(scene, (queen, queen)))
    scene.refused(Code.CLAIM)


def test_attack_54_marriage_with_one_club_queen(live: Live) -> None:
    scene = marrying(live)
    queen = next(slot for slot, card in scene.forge.cards.items() if card == CLUB_QUEEN)
    other = next(slot for slot, card in scene.forge.cards.items() if card != CLUB_QUEEN)
    scene.send(marry(scene, (min(queen, other), max(queen, other))))
    scene.refused(Code.CLAIM)


def test_attack_54_marriage_with_a_slot_of_another(live: Live) -> None:
    scene = marrying(live)
    queen = next(slot for slot, card in scene.forge.cards.items() if card == CLUB_QUEEN)
    mine = scene.forge.opening(queen, scene.forge.place())
    theirs = wire.Opening((queen + 12) % 48, mine.d, mine.proof)
    scene.send(scene.forge.entry(Kind.MARRY, wire.Marry(open=(mine, theirs))))
    scene.refused(Code.SLOT)


def test_attack_54_a_card_instead_of_the_marriages_proof(live: Live) -> None:
    scene = marrying(live)
    scene.send(scene.forge.play(next(iter(scene.forge.cards)), trick=1))
    scene.refused(Code.TURN)


def test_attack_54_marriage_or_solo_that_is_none(live: Live) -> None:
    for name, code in live.some((("normal", Code.RULE), ("silent-solo", Code.RULE), ("grand", Code.FORMAT))):
        room = dealt()
        seat = turn(room)
        forge = Forger(room.tables[seat])
        for _ in SEATS:
            if turn(room) == seat:
                spread(room, forge, forge.entry(Kind.BID, wire.Bid(reserve=True, neq=None)))
            else:
                room.act(turn(room), effects.Bid(False))
        scene = live(room, seat)
        scene.send(scene.forge.entry(Kind.NAME, wire.Name(game=name)))
        scene.refused(code)


def test_an_honest_marriage_by_the_forger(live: Live) -> None:
    room, seat = wedding()
    bid_and_name(room, Forger(room.tables[seat]), Contract.MARRIAGE)
    scene = live(room, seat)
    first, second = (slot for slot, card in scene.forge.cards.items() if card == CLUB_QUEEN)
    entry = marry(scene, (first, second))
    scene.send(entry)
    scene.tell(entry)
    scene.taken(entry)
    scene.agreed()


# --- 55: too late, or not at all ----------------------------------------------------------------------------------


def test_attack_55_re_after_the_deadline(live: Live) -> None:
    room = two_holders()

    def wanted(state: HandState, seat: int) -> bool:
        held = state.hand(state.turn or 0)
        return held is not None and CLUB_QUEEN in held and len(held) == 10

    scene = live(room, lead_to(room, wanted))
    scene.send(re_call(scene))
    scene.refused(Code.TIME)


def test_attack_55_a_later_step_after_its_deadline(live: Live) -> None:
    """No 90 needs ten cards; a missed step cannot be rescued by naming the next."""
    for what in live.some(("no90", "no60")):
        room = two_holders()

        def wanted(state: HandState, seat: int) -> bool:
            held = state.hand(state.turn or 0)
            return held is not None and CLUB_QUEEN in held and len(held) == 9

        scene = live(room, lead_to(room, wanted))
        scene.send(scene.forge.call(what, opening=re_opening(scene)))
        scene.refused(Code.TIME)


def test_attack_55_call_before_the_game_is_settled(live: Live) -> None:
    for proof in live.some((False, True)):
        room = dealt()
        scene = live(room, queens(room)[0])
        scene.send(re_call(scene) if proof else scene.forge.call("re"))
        scene.refused(Code.FORMAT if proof else Code.TIME)  # no proof is due before there is a game


def test_attack_55_call_before_the_clearing_trick(live: Live) -> None:
    room, groom = wedding()
    bid_and_name(room, Forger(room.tables[groom]), Contract.MARRIAGE)
    spread_marriage(room, groom)
    scene = live(room, (groom + 1) % 4)
    scene.send(scene.forge.call("kontra"))
    scene.refused(Code.TIME)


def spread_marriage(room: Room, groom: int) -> None:
    """The groom shows his queens."""
    forge = Forger(room.tables[groom])
    first, second = (slot for slot, card in forge.cards.items() if card == CLUB_QUEEN)
    openings = (forge.opening(first, forge.place()), forge.opening(second, forge.place()))
    if Kind.MARRY in room.tables[groom].match.main.kinds:
        spread(room, forge, forge.entry(Kind.MARRY, wire.Marry(open=openings)))


def solo() -> tuple[Room, int]:
    """Forehand plays a solo."""
    room = dealt()
    seat = turn(room)
    for _ in SEATS:
        room.act(turn(room), effects.Bid(turn(room) == seat))
    room.act(seat, effects.NameGame(Contract.SOLO_ACES))
    return room, seat


def test_attack_55_call_of_the_other_side_in_a_solo(live: Live) -> None:
    room, soloist = solo()
    for seat, what in live.some(((soloist, "kontra"), ((soloist + 1) % 4, "re"))):
        scene = live(room.clone(), seat)
        scene.send(scene.forge.call(what))
        scene.refused(Code.CLAIM)


def test_attack_55_proof_of_a_side_in_a_solo(live: Live) -> None:
    room, soloist = solo()
    scene = live(room, queens(room)[0])
    what = "re" if scene.hostile == soloist else "kontra"
    opening = re_opening(scene)
    scene.send(scene.forge.call(what, opening=opening))
    scene.refused(Code.FORMAT)


def test_attack_55_a_call_that_his_side_has_made(live: Live) -> None:
    room = two_holders()
    seat = queens(room)[0]
    scene = live(room, seat)
    first = re_call(scene)
    scene.send(first)
    scene.tell(first)
    scene.rest()
    scene.send(scene.forge.call("re"))
    scene.refused(Code.RULE)


def test_attack_55_calls_without_end(live: Live) -> None:
    """More pending calls of one seat than there are steps in the game."""
    room = two_holders()
    scene = live(room, queens(room)[0])
    forge = scene.forge
    for n, what in enumerate(("re", "no90", "no60", "no30", "black")):
        entry = forge.call(what, opening=re_opening(scene) if not n else None)
        scene.send(entry)
        scene.tell(entry)
    scene.rest()
    scene.send(forge.call("black"))
    scene.refused(Code.RULE)


def test_calls_by_the_forger_that_are_right(live: Live) -> None:
    room = two_holders()
    scene = live(room, no_queen(room))
    entry = scene.forge.call("kontra", neq=kontra_bytes(scene))
    scene.send(entry)
    scene.tell(entry)
    scene.taken(entry)
