"""Attacks 39 to 50 (group E): cards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from protocol.cards import CLUB_QUEEN
from protocol.deal.generators import generators
from protocol.deal.group import BASE, IDENTITY, ristretto
from protocol.refusal import Code
from protocol.rules.calls import CallKind
from protocol.rules.contracts import Contract, class_members
from protocol.rules.hand import HandState
from protocol.table import effects
from protocol.wire import entries as wire
from protocol.wire.entries import Kind
from tests.deal.helpers import pieces, replace
from tests.deal.test_attacks_play import items_of, lie
from tests.hostile.conftest import Live
from tests.hostile.forge import Forger
from tests.hostile.room import Room, mute
from tests.hostile.scene import Scene
from tests.hostile.stages import (
    Wanted,
    can_revoke,
    cards,
    dealt,
    hand_of,
    held,
    is_void,
    lead_to,
    playing,
    queens,
    turn,
)
from tests.table.net import SEATS


@cache
def _brought(wanted: Wanted) -> tuple[Room, int]:
    room = playing()
    return room, lead_to(room, wanted)


def brought(live: Live, wanted: Wanted) -> tuple[Scene, Forger, int]:
    """A moment at which *wanted* holds: the scene, the one whose turn it is, and a slot that does not follow."""
    room, seat = _brought(wanted)
    scene = live(room.clone(), seat)
    forge = scene.forge
    return scene, forge, next(slot for slot, card in forge.cards.items() if card not in forge.led)


def revoking(live: Live) -> tuple[Scene, Forger, int]:
    """Somebody who has to follow wants to play another card."""
    return brought(live, can_revoke)


def discarding(live: Live) -> tuple[Scene, Forger, int]:
    """Somebody really cannot follow."""
    return brought(live, is_void)


def discarding_later(state: HandState, seat: int) -> bool:
    """The same, not in the first trick."""
    return is_void(state, seat) and len(state.tricks) > 0


# --- 39 to 41: turn, slot, share ----------------------------------------------------------------------------------


def test_attack_39_card_out_of_turn(live: Live) -> None:
    room = playing()
    scene = live(room, (turn(room) + 1) % 4)
    scene.send(scene.forge.play(next(iter(scene.forge.cards))))
    scene.refused(Code.TURN)


def test_attack_39_second_card_in_one_trick(live: Live) -> None:
    room = playing()
    scene = live(room, turn(room))
    first, second = list(scene.forge.cards)[:2]
    entry = scene.forge.play(first)
    scene.send(entry)
    scene.tell(entry)
    scene.rest()
    scene.send(scene.forge.play(second))
    scene.refused(Code.TURN)


def test_attack_39_card_before_the_receipts(live: Live) -> None:
    """The next lead needs four equal receipts: one peer is slow with his."""
    room = playing()
    slow = next(seat for seat in SEATS if seat != turn(room))
    mute(room.tables[slow], Kind.TRICK)
    for _ in SEATS:
        seat = turn(room)
        question = room.tables[seat].view(room.now).question
        assert question is not None
        room.act(seat, question.commands[0])
    state = hand_of(room).state
    assert state is not None
    scene = live(room, hand_of(room).seat(state.turn or 0))
    if scene.hostile == slow:
        mute(scene.tables[slow], *scene.tables[slow].muted, Kind.TRICK)  # type: ignore[attr-defined]
    scene.send(scene.forge.play(next(iter(scene.forge.cards)), trick=2))
    scene.refused(Code.TURN)


def test_attack_39_card_named_for_another_trick(live: Live) -> None:
    for trick in live.some((2, 0, 13, -1)):
        room = playing()
        scene = live(room, turn(room))
        scene.send(scene.forge.play(next(iter(scene.forge.cards)), trick=trick))
        scene.refused(Code.CONTEXT)


def test_attack_39_bid_out_of_turn_or_twice(live: Live) -> None:
    room = dealt()
    scene = live(room, (turn(room) + 2) % 4)
    scene.send(scene.forge.entry(Kind.BID, wire.Bid(reserve=False, neq=None)))
    scene.refused(Code.TURN)
    scene = live(playing(), 0)
    scene.send(scene.forge.entry(Kind.BID, wire.Bid(reserve=True, neq=None)))
    scene.refused(Code.TURN)


def test_attack_40_slot_of_another_or_none_at_all(live: Live) -> None:
    room = playing()
    seat = turn(room)
    for slot in live.some((12 * ((seat + 1) % 4), 12 * ((seat + 3) % 4) + 11, 48, -1, 2**31)):
        scene = live(room.clone(), seat)
        scene.send(scene.forge.play(slot))
        scene.refused(Code.SLOT)


def test_attack_40_played_slot(live: Live) -> None:
    room = playing()
    seat = lead_to(room, lambda state, seat: len(state.tricks) == 1)
    scene = live(room, seat)
    slot = next(slot for slot in scene.forge.hand.slots.played if slot // 12 == seat)
    scene.send(scene.forge.play(slot))
    scene.refused(Code.SLOT)


def test_attack_41_share_of_one_slot_named_as_another(live: Live) -> None:
    room = playing()
    scene = live(room, turn(room))
    first, second = list(scene.forge.cards)[:2]
    d, proof = scene.forge.opened(first)
    scene.send(scene.forge.play(second, d=d, proof=proof))
    scene.refused(Code.DLEQ)


def test_attack_41_share_proven_for_another_head_or_a_claim(live: Live) -> None:
    room = playing()
    seat = turn(room)
    changes: list[dict[str, object]] = [{"extra": bytes(32)}, {"hand": 3}, {"seat": (seat + 1) % 4}]
    for change in live.some(changes):
        scene = live(room.clone(), seat)
        slot = next(iter(scene.forge.cards))
        place = scene.forge.place(**change)  # type: ignore[arg-type]
        _, proof = scene.forge.opened(slot, place)
        scene.send(scene.forge.play(slot, proof=proof))
        scene.refused(Code.DLEQ)


def test_attack_41_a_card_he_does_not_have(live: Live) -> None:
    """A share that would turn his slot into any card he likes."""
    room = playing()
    scene = live(room, turn(room))
    slot = next(iter(scene.forge.cards))
    wanted = ristretto().sub(scene.forge.pairs[slot][1], generators().cards[13])
    scene.send(scene.forge.play(slot, d=wanted))
    scene.refused(Code.DLEQ)


# --- 42 to 47: revokes --------------------------------------------------------------------------------------------


def test_attack_42_revoke_without_proof(live: Live) -> None:
    scene, forge, slot = revoking(live)
    scene.send(forge.play(slot))
    scene.refused(Code.VOID_MISSING)


def false_void(forge: Forger, slot: int, **how: object) -> tuple[bytes, int]:
    """A void proof written like an honest one where the statement is false; and the first pair at which it is."""
    p = forge.holder()
    items = items_of(p, forge.closed(slot), forge.led)
    pairs = {forge.pairs[s]: card for s, card in forge.cards.items()}
    at = next(n for n, item in enumerate(items) if pairs[item.pair] == item.k)
    return lie(p, items, **how), at  # type: ignore[arg-type]


def test_attack_43_revoke_with_t_the_identity(live: Live) -> None:
    scene, forge, slot = revoking(live)
    proof, at = false_void(forge, slot)
    assert pieces(proof)[1 + 3 * at] == IDENTITY
    scene.send(forge.play(slot, void=proof))
    scene.refused(Code.POINT)


def test_attack_43_revoke_with_another_t(live: Live) -> None:
    """Of another pair, of another card, any point; every false place patched, before the challenge or after."""
    changes: Sequence[Callable[[bytes, int], bytes]] = (
        lambda proof, at: pieces(proof)[1 + 3 * (at - 1 if at else at + 1)],
        lambda proof, at: generators().cards[2],
        lambda proof, at: BASE,
    )
    for change in live.some(changes):
        for before in (True, False) if live.core else (True,):
            scene, forge, slot = revoking(live)
            proof, at = false_void(forge, slot)
            bad = [n for n, piece in enumerate(pieces(proof)) if n % 3 == 1 and piece == IDENTITY]
            t = change(proof, at)
            if t == IDENTITY:
                t = BASE
            if before:
                proof, _ = false_void(forge, slot, t_of=dict.fromkeys([(n - 1) // 3 for n in bad], t))
            else:
                for n in bad:
                    proof = replace(proof, n, t)
            scene.send(forge.play(slot, void=proof))
            scene.refused(Code.VOID)


def test_attack_43_commitments_exchanged(live: Live) -> None:
    scene, forge, slot = discarding(live)
    p = forge.holder()
    scene.send(forge.play(slot, void=lie(p, items_of(p, forge.closed(slot), forge.led), swap=True)))
    scene.refused(Code.VOID)


def test_attack_44_guilty_slot_left_out(live: Live) -> None:
    scene, forge, slot = revoking(live)
    innocent = [s for s in forge.closed(slot) if forge.cards[s] not in forge.led]
    guilty = len(forge.closed(slot)) - len(innocent)
    for slots in live.some((innocent + innocent[:1] * guilty, innocent)):
        scene, forge, slot = revoking(live)
        scene.send(forge.play(slot, void=forge.void(slots, forge.led)))
        scene.refused(Code.VOID)


def test_attack_44_played_slot_added_or_the_list_of_the_last_trick(live: Live) -> None:
    """True of each slot, but over another list than the verifier's."""

    def lists(forge: Forger, slot: int) -> list[list[int]]:
        closed = forge.closed(slot)
        played = forge.hand.slots.played
        mine = [s for s, card in played.items() if s // 12 == forge.seat and card not in forge.led]
        return [sorted(closed + mine), [*closed[:-1], mine[0]], closed[::-1], [*closed, slot], closed[1:]]

    for n in live.some(range(5)):
        scene, forge, slot = brought(live, discarding_after_another_class)
        scene.send(forge.play(slot, void=forge.void(lists(forge, slot)[n], forge.led)))
        scene.refused(Code.VOID)


def discarding_after_another_class(state: HandState, seat: int) -> bool:
    """He cannot follow, and has played a card of yet another class before."""
    if not is_void(state, seat) or not state.tricks or state.turn is None:
        return False
    assert state.contract is not None
    members = class_members(state.contract, state.led or 0)
    return any(card not in members for card in state.played[state.turn])


def test_attack_45_proof_for_another_class(live: Live) -> None:
    """He is void in one class and plays as if that were the one that is led."""
    room = playing()

    def wanted(state: HandState, seat: int) -> bool:
        return can_revoke(state, seat) and bool(other_void(state))

    scene = live(room, lead_to(room, wanted))
    forge = scene.forge
    state = forge.own.follow(forge.hand)
    slot = next(slot for slot, card in forge.cards.items() if card not in forge.led)
    for cls in other_void(state)[:1]:
        types = class_members(Contract.NORMAL, cls)
        scene.send(forge.play(slot, void=forge.void(forge.closed(slot), types)))
        scene.refused(Code.VOID)


def other_void(state: HandState) -> list[int]:
    assert state.turn is not None
    assert state.contract is not None
    classes = [cls for cls in range(5) if cls != state.led and class_members(state.contract, cls)]
    return [cls for cls in classes if not held(state, state.turn, cls)]


def test_attack_45_class_table_of_another_contract(live: Live) -> None:
    room = playing()

    def wanted(state: HandState, seat: int) -> bool:
        return is_void(state, seat) and not other_members(state).isdisjoint(range(24)) and free(state)

    def other_members(state: HandState) -> set[int]:
        return set(class_members(Contract.SOLO_JACKS, state.led or 0))

    def free(state: HandState) -> bool:
        """Void in the larger class of the other contract too, so that honest code proves it."""
        hand = state.hand(state.turn or 0) if state.turn is not None else None
        return hand is not None and state.led != 4 and not any(card in other_members(state) for card in hand)

    scene = live(room, lead_to(room, wanted))
    forge = scene.forge
    slot = next(iter(forge.cards))
    led = forge.hand.state.led if forge.hand.state is not None else None
    assert led is not None
    types = class_members(Contract.SOLO_JACKS, led)
    assert set(types) != set(forge.led)
    scene.send(forge.play(slot, void=forge.void(forge.closed(slot), types)))
    scene.refused(Code.VOID)


def test_attack_46_proof_of_an_earlier_trick_another_hand_or_player(live: Live) -> None:
    def place(forge: Forger, n: int) -> dict[str, object]:
        earlier = forge.table.match.main.heads[-2]
        changes: list[dict[str, object]] = [
            {"extra": earlier}, {"hand": 1}, {"seat": (forge.seat + 1) % 4}, {"match_id": bytes(32)},
        ]  # fmt: skip
        return changes[n]

    for n in live.some(range(4)):
        scene, forge, slot = brought(live, discarding_later)
        where = forge.place(**place(forge, n))  # type: ignore[arg-type]
        scene.send(forge.play(slot, void=forge.void(forge.closed(slot), forge.led, where)))
        scene.refused(Code.VOID)


def test_attack_46_proof_copied_from_another_player(live: Live) -> None:
    """Two hostile ones pool: the one who can proves, the other uses it."""
    room = playing()
    seat = lead_to(room, can_revoke)
    other = next(s for s in SEATS if s != seat)
    scene = live(room, (seat, other))
    forge, friend = scene.forge, scene.forgers[other]
    slot = next(slot for slot, card in forge.cards.items() if card not in forge.led)
    count = len(forge.led)
    absent = [k for k in range(24) if k not in friend.cards.values()]
    types = absent[:count]
    scene.send(forge.play(slot, void=friend.void(friend.closed()[: len(forge.closed(slot))], types)))
    scene.refused(Code.VOID)


def test_attack_47_only_the_first_equation_holds(live: Live) -> None:
    scene, forge, slot = revoking(live)
    proof, _ = false_void(forge, slot, a_offset=1)
    assert IDENTITY not in pieces(proof)
    scene.send(forge.play(slot, void=proof))
    scene.refused(Code.VOID)


# --- 48 to 50 -----------------------------------------------------------------------------------------------------


def test_attack_48_proof_with_a_card_that_follows_or_leads(live: Live) -> None:
    scene, forge, _ = revoking(live)
    slot = next(slot for slot, card in forge.cards.items() if card in forge.led)
    absent = next(k for k in range(24) if k not in forge.cards.values())
    scene.send(forge.play(slot, void=forge.void(forge.closed(slot), (absent,))))
    scene.refused(Code.FORMAT)
    room = playing()
    scene = live(room, turn(room))
    slot = next(iter(scene.forge.cards))
    absent = next(k for k in range(24) if k not in scene.forge.cards.values())
    scene.send(scene.forge.play(slot, void=scene.forge.void(scene.forge.closed(slot), (absent,))))
    scene.refused(Code.FORMAT)


def test_attack_49_revoke_with_an_open_card_of_the_led_class(live: Live) -> None:
    """He has opened a club queen for Re; trump is led, and he plays something else, with any proof."""
    room, seat = opened_queen()
    scene = live(room, seat)
    forge = scene.forge
    slot = next(slot for slot, card in forge.cards.items() if card not in forge.led)
    void = forge.void([s for s in forge.closed(slot) if forge.cards[s] not in forge.led][:1], forge.led)
    scene.send(forge.play(slot, void=void))
    scene.refused(Code.RULE)


def opened_queen() -> tuple[Room, int]:
    """A holder of a club queen has called Re, somebody has led trump, and it is his turn; he has another card too."""
    room = playing()
    seat = next(s for s in queens(room) if s != turn(room))
    room.act(seat, effects.MakeCall(CallKind.RE))
    trumps = class_members(Contract.NORMAL, 4)
    assert any(card not in trumps for card in cards(room, seat))

    def wanted(state: HandState, who: int) -> bool:
        return who == seat and state.led == 4 and CLUB_QUEEN in (state.hand(state.turn or 0) or ())

    lead_to(room, wanted)
    return room, seat


def test_attack_50_second_discard_in_a_proven_class(live: Live) -> None:
    """Positive: being void is remembered, the next discard needs no proof and may carry none."""
    room = playing()

    def wanted(state: HandState, seat: int) -> bool:
        if state.led is None or state.turn is None or not state.is_void(state.turn, state.led):
            return False
        hand = state.hand(state.turn)
        return hand is not None and len(hand) > 1

    seat = lead_to(room, wanted)
    scene = live(room, seat)
    forge = scene.forge
    entry = forge.play(next(iter(forge.cards)))
    scene.send(entry)
    scene.tell(entry)
    scene.taken(entry)
    scene.agreed()
    room2 = playing()
    lead_to(room2, wanted)
    scene = live(room2, seat)
    forge = scene.forge
    slot = next(iter(forge.cards))
    scene.send(forge.play(slot, void=forge.void(forge.closed(slot), forge.led)))
    scene.refused(Code.FORMAT)


def test_the_forger_can_also_discard_honestly(live: Live) -> None:
    scene, forge, slot = discarding(live)
    entry = forge.honest_play(slot)
    scene.send(entry)
    scene.tell(entry)
    scene.taken(entry)
    scene.agreed()
