"""Attacks 39 to 50 as far as proofs decide them: opened slots, being void, the memo.

Whose turn it is (39) and which slots are played is the table's; :func:`void.check_slot` refuses the slots.
"""

import dataclasses
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.deal import inequality, play, void
from protocol.deal.deck import Pair
from protocol.deal.generators import generators
from protocol.deal.group import BASE, IDENTITY, ristretto, write_scalar
from protocol.deal.hashing import Kind, Q, hash_to_scalar, random_scalar, u8, u16
from protocol.deal.inequality import Item
from protocol.deal.shares import DealFault, decrypt
from protocol.refusal import Code, Refusal

from .helpers import Dealt, Holder, Stream, dealt, holder, pieces, refused, replace, with_scalar

TRUMP = (13, 3, 9, 15, 21, 4, 10, 16, 22, 18, 19, 20, 23)
CLUBS = (0, 1, 2, 5)
SPADES = (6, 7, 8, 11)
HEARTS = (12, 14, 17)
#: No clubs; slot 0 a spade, 1 and 2 hearts, the rest trumps.
HAND = (6, 12, 14, 13, 3, 3, 9, 15, 4, 10, 23, 18)


@pytest.fixture
def p() -> Holder:
    return holder(HAND)


def follow(
    p: Holder,
    n: int,
    led: Sequence[int] | None,
    proof: object,
    played: Sequence[int] = (),
    opened: dict[int, int] | None = None,
    known: bool = False,
) -> bool:
    """Judge the card in the player's n-th slot."""
    return void.judge_follow(
        p.place, p.public, p.pairs, p.slot(n), p.hand[n], led, played, opened or {}, known, proof
    )


def prove(p: Holder, slots: Sequence[int], types: Sequence[int]) -> bytes:
    return void.make_void(p.place, p.x, p.public, p.pairs, slots, types, p.rand)


def closed_but(p: Holder, n: int) -> list[int]:
    return [s for s in p.slots if s != p.slot(n)]


# --- opening a slot -----------------------------------------------------------------------------------------------


def test_a_played_slot_shows_its_card(p: Holder) -> None:
    for n, card in enumerate(p.hand):
        d, proof = play.make_open(p.place, p.x, p.public, p.pairs[p.slot(n)], p.rand)
        assert play.check_open(p.place, p.public, p.pairs[p.slot(n)], d, proof) == card


def test_attack_40_slots_of_others_played_or_out_of_range() -> None:
    for slot in (-1, 0, 23, 36, 47, 48, 2**40, None, "24", 24.0, True):
        with refused(Code.SLOT):
            void.check_slot(2, slot, ())
    with refused(Code.SLOT):
        void.check_slot(0, True, ())  # as an int it would be slot 1
    with refused(Code.SLOT):
        void.check_slot(2, 30, (29, 30))
    assert void.check_slot(2, 35, (29, 30)) == 35


def test_attack_41_share_of_another_slot(p: Holder) -> None:
    d, proof = play.make_open(p.place, p.x, p.public, p.pairs[p.slot(0)], p.rand)
    with refused(Code.DLEQ):
        play.check_open(p.place, p.public, p.pairs[p.slot(1)], d, proof)


def test_attack_41_share_from_elsewhere(p: Holder) -> None:
    pair = p.pairs[p.slot(0)]
    elsewhere: list[dict[str, object]] = [
        {"extra": b"x"}, {"hand": 9}, {"seat": 1}, {"match_id": bytes(32)}, {"roster_hash": bytes(32)},
    ]  # fmt: skip
    for change in elsewhere:
        other = dataclasses.replace(p.place, **change)  # type: ignore[arg-type]
        d, proof = play.make_open(other, p.x, p.public, pair, p.rand)
        with refused(Code.DLEQ):
            play.check_open(p.place, p.public, pair, d, proof)
    d, proof = play.make_open(p.place, p.x, p.public, pair, p.rand, Kind.OPEN)
    with refused(Code.DLEQ):  # what an announcement opens does not play a card
        play.check_open(p.place, p.public, pair, d, proof, Kind.PLAY)


def test_attack_41_another_card_than_the_slot_holds(p: Holder) -> None:
    """A share that would turn the slot into any card one likes."""
    pair = p.pairs[p.slot(0)]
    group = ristretto()
    wanted = group.sub(pair[1], generators().cards[13])
    _, proof = play.make_open(p.place, p.x, p.public, pair, p.rand)
    with refused(Code.DLEQ):
        play.check_open(p.place, p.public, pair, wanted, proof)


def test_a_proven_slot_without_a_card_is_a_fault_and_no_refusal(p: Holder) -> None:
    pair: Pair = (p.pairs[24][0], ristretto().add(p.pairs[24][1], BASE))
    d, proof = play.make_open(p.place, p.x, p.public, pair, p.rand)
    with pytest.raises(DealFault):
        play.check_open(p.place, p.public, pair, d, proof)


# --- being void ---------------------------------------------------------------------------------------------------


def test_following_and_leading_need_no_proof(p: Holder) -> None:
    assert follow(p, 0, None, None) is False
    assert follow(p, 0, SPADES, None) is False
    assert follow(p, 3, TRUMP, None) is False


def test_a_true_void_proof_is_taken_and_remembered(p: Holder) -> None:
    proof = prove(p, closed_but(p, 4), CLUBS)
    assert len(proof) == inequality.size(11 * 4) == 32 + 96 * 44
    assert follow(p, 4, CLUBS, proof) is True


def test_void_proof_for_all_of_trump(p: Holder) -> None:
    q = holder((0, 0, 1, 1, 2, 2, 5, 5, 6, 6, 7, 8))
    proof = prove(q, closed_but(q, 0), TRUMP)
    assert len(proof) == inequality.size(143)
    assert follow(q, 0, TRUMP, proof) is True


def test_attack_42_revoke_without_proof(p: Holder) -> None:
    with refused(Code.VOID_MISSING):
        follow(p, 4, CLUBS, None)


def guilty(p: Holder) -> Holder:
    """The same player with a club in his last slot."""
    return holder((*HAND[:11], 2), seed="guilty")


def lie(
    p: Holder, items: Sequence[Item], t_of: dict[int, bytes] | None = None, swap: bool = False, a_offset: int = 0
) -> bytes:
    """An inequality written out anew, honest or not: *t_of* puts another T at a pair, *swap* exchanges the
    commitments, *a_offset* makes a = x * y + offset."""
    group = ristretto()
    rand = Stream("lie")
    hashed, made = [p.public, u16(len(items))], []
    for n, item in enumerate(items):
        alpha, b = item.pair
        y, phi, theta = (random_scalar(rand) for _ in range(3))
        a = (y * p.x + a_offset) % Q
        # T such that the first equation holds for the a and y used
        t = group.sum_products((y, -a % Q), (group.sub(b, item.point), alpha))
        t = (t_of or {}).get(n, t)
        a1 = group.sum_products((theta, -phi % Q), (group.sub(b, item.point), alpha))
        a2 = group.mul((theta * p.x - phi) % Q, BASE)
        hashed.append(alpha + b + u8(item.k) + t + (a2 + a1 if swap else a1 + a2))
        made.append((t, phi, a, theta, y))
    kappa = hash_to_scalar(b"".join(hashed), p.place.ctx(Kind.NEQ))
    out = write_scalar(kappa)
    for t, phi, a, theta, y in made:
        out += t + write_scalar((phi + kappa * a) % Q) + write_scalar((theta + kappa * y) % Q)
    return out


def items_of(p: Holder, slots: Sequence[int], types: Sequence[int]) -> list[Item]:
    return inequality.items_for([p.pairs[s] for s in slots], types)


def test_the_liar_tells_the_truth_where_he_does_not_lie(p: Holder) -> None:
    slots = closed_but(p, 4)
    assert follow(p, 4, CLUBS, lie(p, items_of(p, slots, CLUBS))) is True


def test_attack_43_honest_code_builds_no_false_proof(p: Holder) -> None:
    g = guilty(p)
    with refused(Code.VOID):
        prove(g, closed_but(g, 4), CLUBS)


def test_attack_43_revoke_with_identity_another_t_or_swapped_commitments(p: Holder) -> None:
    g = guilty(p)
    slots = closed_but(g, 4)
    items = items_of(g, slots, CLUBS)
    at = next(n for n, item in enumerate(items) if item.pair == g.pairs[g.slot(11)] and item.k == 2)
    honest = lie(g, items)  # T is the identity where the slot is of the type
    assert pieces(honest)[1 + 3 * at] == IDENTITY
    with refused(Code.POINT):
        follow(g, 4, CLUBS, honest)
    other = pieces(honest)[1 + 3 * (at - 1)]
    for t in (other, BASE, generators().cards[2]):
        with refused(Code.VOID):
            follow(g, 4, CLUBS, lie(g, items, {at: t}))
        with refused(Code.VOID):  # put in afterwards
            follow(g, 4, CLUBS, replace(honest, 1 + 3 * at, t))
    with refused(Code.VOID):
        follow(p, 4, CLUBS, lie(p, items_of(p, closed_but(p, 4), CLUBS), swap=True))


def test_attack_44_list_without_the_guilty_slot_with_a_played_one_or_of_the_last_trick(p: Holder) -> None:
    g = guilty(p)
    innocent = [s for s in closed_but(g, 4) if s != g.slot(11)]
    with refused(Code.VOID):
        follow(g, 4, CLUBS, prove(g, innocent, CLUBS))
    with refused(Code.VOID):  # filled up to the right length
        follow(g, 4, CLUBS, prove(g, [innocent[0], *innocent], CLUBS))
    played = [p.slot(0)]
    rest = [s for s in closed_but(p, 4) if s not in played]
    assert follow(p, 4, CLUBS, prove(p, rest, CLUBS), played=played) is True
    for slots in (closed_but(p, 4), [*rest[:-1], p.slot(0)], rest[::-1], [*rest, p.slot(4)]):
        with refused(Code.VOID):
            follow(p, 4, CLUBS, prove(p, slots, CLUBS), played=played)


def test_attack_45_another_class_or_another_contracts_table(p: Holder) -> None:
    jacks_solo_clubs = (0, 1, 2, 3, 5)
    q = holder((6, 7, 8, 12, 14, 13, 9, 15, 4, 10, 23, 18))  # neither clubs nor a club queen
    slots = closed_but(q, 0)
    assert follow(q, 0, CLUBS, prove(q, slots, CLUBS)) is True
    for types in ((17,), (17, 5, 0, 1), jacks_solo_clubs, CLUBS[:3]):
        with refused(Code.VOID):
            follow(q, 0, CLUBS, prove(q, slots, types))
    with refused(Code.VOID):
        follow(q, 0, jacks_solo_clubs, prove(q, slots, CLUBS))


def test_the_order_of_a_class_table_does_not_matter(p: Holder) -> None:
    slots = closed_but(p, 4)
    assert follow(p, 4, CLUBS[::-1], prove(p, slots, CLUBS)) is True


def test_attack_46_proof_of_an_earlier_trick_hand_or_another_player(p: Holder) -> None:
    slots = closed_but(p, 4)
    elsewhere: list[dict[str, object]] = [
        {"extra": b"parent of the last trick"}, {"hand": 2}, {"match_id": bytes(32)}, {"seat": 1},
    ]  # fmt: skip
    for change in elsewhere:
        place = dataclasses.replace(p.place, **change)  # type: ignore[arg-type]
        proof = void.make_void(place, p.x, p.public, p.pairs, slots, CLUBS, p.rand)
        with refused(Code.VOID):
            follow(p, 4, CLUBS, proof)
    other = holder(HAND, seed="another player")
    with refused(Code.VOID):
        follow(p, 4, CLUBS, prove(other, slots, CLUBS))


def test_attack_47_a_that_is_not_x_times_y(p: Holder) -> None:
    """Only the first equation holds: then any T could be had for any card."""
    g = guilty(p)
    slots = closed_but(g, 4)
    items = items_of(g, slots, CLUBS)
    proof = lie(g, items, a_offset=1)
    assert IDENTITY not in pieces(proof)
    assert verifies_without_second_equation(g, items, proof)
    with refused(Code.VOID):
        follow(g, 4, CLUBS, proof)


def verifies_without_second_equation(p: Holder, items: Sequence[Item], proof: bytes) -> bool:
    """The verifier weakened: A2 is taken from the liar instead of being computed from Y."""
    group = ristretto()
    rand = Stream("lie")
    kappa = int.from_bytes(proof[:32], "little")
    hashed = [p.public, u16(len(items))]
    for n, item in enumerate(items):
        _, phi, theta = (random_scalar(rand) for _ in range(3))
        a2 = group.mul((theta * p.x - phi) % Q, BASE)
        t, a, y = pieces(proof)[1 + 3 * n : 4 + 3 * n]
        responses = (int.from_bytes(y, "little"), -int.from_bytes(a, "little") % Q, -kappa % Q)
        a1 = group.sum_products(responses, (group.sub(item.pair[1], item.point), item.pair[0], t))
        hashed.append(item.pair[0] + item.pair[1] + u8(item.k) + t + a1 + a2)
    return hash_to_scalar(b"".join(hashed), p.place.ctx(Kind.NEQ)) == kappa


def test_attack_48_void_proof_with_a_card_that_follows_or_leads(p: Holder) -> None:
    proof = prove(p, closed_but(p, 0), CLUBS)
    for led in (SPADES, None):
        with refused(Code.FORMAT):
            follow(p, 0, led, proof)
    with refused(Code.FORMAT):
        follow(p, 4, CLUBS, proof, known=True)
    with refused(Code.FORMAT):  # the last card: there is no slot left to prove anything about
        follow(p, 4, CLUBS, proof, played=closed_but(p, 4))


def test_attack_49_an_open_card_of_the_led_class(p: Holder) -> None:
    opened = {p.slot(11): p.hand[11]}  # a trump
    with refused(Code.RULE):
        follow(p, 0, TRUMP, b"not even looked at", opened=opened)
    with refused(Code.RULE):
        follow(p, 0, TRUMP, None, opened=opened, known=True)
    played = [p.slot(11)]  # once it is played it does not matter
    q = holder((0, 0, 1, 1, 2, 2, 5, 5, 6, 6, 7, 18))
    closed = [s for s in q.slots if s not in (q.slot(0), q.slot(11))]
    assert follow(q, 0, TRUMP, prove(q, closed, TRUMP), played=played, opened={q.slot(11): 18}) is True


def test_attack_49_another_players_open_card_does_not_matter(p: Holder) -> None:
    assert follow(p, 4, CLUBS, prove(p, closed_but(p, 4), CLUBS), opened={0: 0, 47: 1}) is True


def test_attack_50_second_discard_in_a_proven_class_needs_no_proof(p: Holder) -> None:
    assert follow(p, 5, CLUBS, None, played=[p.slot(4)], known=True) is False


def test_last_card_and_open_cards_need_no_proof(p: Holder) -> None:
    assert follow(p, 4, CLUBS, None, played=closed_but(p, 4)) is False
    opened = {s: p.hand[s - p.slot(0)] for s in closed_but(p, 4)}
    assert follow(p, 4, CLUBS, None, opened=opened) is False


def test_opened_slots_stay_out_of_the_proof(p: Holder) -> None:
    opened = {p.slot(5): 3}
    closed = [s for s in closed_but(p, 4) if s != p.slot(5)]
    assert void.closed_slots(2, [], opened, but=p.slot(4)) == closed
    assert follow(p, 4, CLUBS, prove(p, closed, CLUBS), opened=opened) is True
    assert void.void_due(3, CLUBS, False, closed)
    assert not void.void_due(3, None, False, closed)
    assert not void.void_due(3, TRUMP, False, closed)
    assert not void.void_due(3, CLUBS, True, closed)
    assert not void.void_due(3, CLUBS, False, [])


def test_each_number_of_an_inequality_counts(p: Holder) -> None:
    proof = prove(p, [p.slot(0), p.slot(1)], CLUBS[:2])
    items = items_of(p, [p.slot(0), p.slot(1)], CLUBS[:2])
    inequality.check(p.place, p.public, items, proof)
    for index, piece in enumerate(pieces(proof)):
        is_point = index % 3 == 1
        changed = (
            replace(proof, index, ristretto().add(piece, BASE))
            if is_point
            else with_scalar(proof, index, int.from_bytes(piece, "little") + 1)
        )
        with refused(Code.VOID):
            inequality.check(p.place, p.public, items, changed)


def test_inequalities_do_not_repeat_a_factor(p: Holder) -> None:
    """Two slots with equal cards: their T differ, and so do two proofs of one statement."""
    q = holder((3, 3, *HAND[:10]))
    first = prove(q, [q.slot(0), q.slot(1)], (0,))
    second = prove(q, [q.slot(0), q.slot(1)], (0,))
    ts = [pieces(blob)[index] for blob in (first, second) for index in (1, 4)]
    assert len(set(ts)) == 4


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(0, 23), min_size=1, max_size=3), st.sets(st.integers(0, 23), min_size=1, max_size=3))
def test_a_proof_exists_exactly_for_true_statements(cards: list[int], types: set[int]) -> None:
    q = holder((*cards, *[0] * (12 - len(cards))), seed="property")
    slots = [q.slot(n) for n in range(len(cards))]
    assert [decrypt(q.x, q.pairs[s]) for s in slots] == [generators().cards[k] for k in cards]
    try:
        proof = prove(q, slots, sorted(types))
    except Refusal as refusal:
        false = refusal.code is Code.VOID
    else:
        false = False
        void.check_void(q.place, q.public, q.pairs, slots, sorted(types), proof)
    assert false == bool(types & set(cards))


def test_play_on_a_real_deal() -> None:
    d: Dealt = dealt(1)
    for seat in range(4):
        place = d.place(seat, b"parent head")
        slot = 12 * seat + 3
        share, proof = play.make_open(place, d.own[seat].x, d.own[seat].public, d.pairs[slot], d.rand)
        assert play.check_open(place, d.own[seat].public, d.pairs[slot], share, proof) == d.hands[seat][3]
