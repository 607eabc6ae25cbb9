"""Attacks 51 to 54: Re, Kontra, the later calls, and the marriage.  Deadlines (55) are the engine's."""

import dataclasses

import pytest

from protocol.deal import claims, inequality
from protocol.deal.claims import Opening, Side
from protocol.deal.group import BASE, ristretto
from protocol.refusal import Code

from .helpers import Holder, holder, pieces, refused, replace
from .test_attacks_play import items_of, lie

RE_HAND = (6, 12, 14, 13, 3, 5, 9, 15, 4, 10, 23, 18)  # a club queen in slot 4
BOTH_HAND = (6, 3, 14, 13, 5, 5, 9, 15, 4, 10, 23, 3)
KONTRA_HAND = (6, 12, 14, 13, 2, 5, 9, 15, 4, 10, 23, 18)


def judge(
    p: Holder,
    side: Side | None,
    opening: Opening | None = None,
    neq: bytes | None = None,
    *,
    normal: bool = True,
    proven: Side | None = None,
    played: dict[int, int] | None = None,
    opened: dict[int, int] | None = None,
) -> Side | None:
    return claims.judge_call(
        p.place, p.public, p.pairs, normal, proven, side, opening, neq, played or {}, opened or {}
    )


def re(p: Holder, played: dict[int, int] | None = None) -> Opening:
    return claims.make_re(p.place, p.x, p.public, p.pairs, p.hand, played or {}, p.rand)


def kontra(p: Holder, played: dict[int, int] | None = None) -> bytes:
    return claims.make_kontra(p.place, p.x, p.public, p.pairs, played or {}, {}, p.rand)


def opening_of(p: Holder, n: int) -> Opening:
    return claims.make_opening(p.place, p.x, p.public, p.pairs, p.slot(n), p.rand)


def test_re_and_later_calls_open_a_club_queen() -> None:
    p = holder(RE_HAND)
    opening = re(p)
    assert opening.slot == p.slot(4)
    assert judge(p, Side.RE, opening) is Side.RE
    assert judge(p, None, opening) is Side.RE  # no 90 and further: the proof says which side


def test_with_two_club_queens_either_is_opened() -> None:
    p = holder(BOTH_HAND)
    seen = {re(p).slot for _ in range(20)}
    assert seen == {p.slot(1), p.slot(11)}
    assert {re(p, {p.slot(1): 3}).slot for _ in range(5)} == {p.slot(11)}


def test_kontra_and_later_calls_prove_to_hold_none() -> None:
    p = holder(KONTRA_HAND)
    proof = kontra(p)
    assert len(proof) == inequality.size(12)
    assert judge(p, Side.KONTRA, neq=proof) is Side.KONTRA
    assert judge(p, None, neq=proof) is Side.KONTRA
    played = {p.slot(0): 6, p.slot(1): 12}
    assert judge(p, Side.KONTRA, neq=kontra(p, played), played=played) is Side.KONTRA


def test_a_side_is_proven_once_and_a_shown_queen_needs_no_proof() -> None:
    p = holder(RE_HAND)
    shown = {p.slot(4): 3}
    assert judge(p, Side.RE, proven=Side.RE) is Side.RE
    assert judge(p, None, proven=Side.KONTRA) is Side.KONTRA
    assert judge(p, None, played=shown) is Side.RE
    assert judge(p, Side.RE, opened=shown) is Side.RE
    assert judge(p, Side.KONTRA, normal=False, played=shown) is None  # a solo: sides come from the contract
    assert judge(p, None, normal=False) is None


def test_a_proof_where_none_is_due_or_none_where_one_is() -> None:
    p, q = holder(RE_HAND), holder(KONTRA_HAND)
    with refused(Code.FORMAT):
        judge(p, Side.RE)
    with refused(Code.FORMAT):
        judge(q, None)
    with refused(Code.FORMAT):
        judge(p, Side.RE, re(p), kontra(q))
    with refused(Code.FORMAT):
        judge(p, Side.RE, re(p), normal=False)
    with refused(Code.FORMAT):
        judge(p, Side.RE, re(p), proven=Side.RE)
    with refused(Code.FORMAT):
        judge(q, Side.KONTRA, neq=kontra(q), normal=False)


def test_the_proof_of_the_other_side() -> None:
    p, q = holder(RE_HAND), holder(KONTRA_HAND)
    with refused(Code.CLAIM):
        judge(p, Side.KONTRA, re(p))
    with refused(Code.CLAIM):
        judge(q, Side.RE, neq=kontra(q))
    with refused(Code.CLAIM):
        judge(p, Side.KONTRA, proven=Side.RE)
    with refused(Code.CLAIM):
        judge(q, Side.RE, proven=Side.KONTRA)


def test_attack_51_re_with_a_slot_that_is_no_club_queen() -> None:
    for hand in (RE_HAND, KONTRA_HAND):
        p = holder(hand)
        with refused(Code.CLAIM):
            judge(p, Side.RE, opening_of(p, 0))
    with refused(Code.CLAIM):
        re(holder(KONTRA_HAND))


def test_attack_51_re_with_a_slot_of_another_or_a_played_one() -> None:
    p = holder(RE_HAND)
    opening = re(p)
    for slot in (0, 48, -1):
        with refused(Code.SLOT):
            judge(p, Side.RE, dataclasses.replace(opening, slot=slot))
    with refused(Code.SLOT):
        judge(p, Side.RE, opening, played={p.slot(4): 9})
    with refused(Code.DLEQ):
        judge(p, Side.RE, dataclasses.replace(opening, slot=p.slot(5)))


def test_attack_51_re_replayed_from_another_call() -> None:
    p = holder(RE_HAND)
    place = dataclasses.replace(p.place, extra=b"earlier sequence number")
    opening = claims.make_re(place, p.x, p.public, p.pairs, p.hand, {}, p.rand)
    with refused(Code.DLEQ):
        judge(p, Side.RE, opening)


def test_attack_52_kontra_with_a_club_queen_in_hand() -> None:
    p = holder(RE_HAND)
    with refused(Code.VOID):
        kontra(p)
    items = items_of(p, p.slots, (3,))
    forged = lie(p, items)
    with refused(Code.POINT):
        judge(p, Side.KONTRA, neq=forged)
    for t in (BASE, pieces(forged)[1]):
        with refused(Code.VOID):
            judge(p, Side.KONTRA, neq=lie(p, items, {4: t}))
        with refused(Code.VOID):
            judge(p, Side.KONTRA, neq=replace(forged, 13, t))


def test_attack_53_kontra_that_leaves_out_a_slot() -> None:
    p = holder(RE_HAND)
    without = [s for s in p.slots if s != p.slot(4)]
    items = items_of(p, without, (3,))
    proof = inequality.prove(p.place, p.x, p.public, items, p.rand)
    with refused(Code.CLAIM):
        judge(p, Side.KONTRA, neq=proof)
    doubled = inequality.prove(p.place, p.x, p.public, [items[0], *items], p.rand)
    with refused(Code.VOID):
        judge(p, Side.KONTRA, neq=doubled)


def test_attack_53_kontra_after_having_shown_a_club_queen() -> None:
    p = holder(BOTH_HAND)
    q = holder(KONTRA_HAND)
    shown = {p.slot(1): 3}
    for where in ({"played": shown}, {"opened": shown}):
        for neq in (None, kontra(q), b"rubbish"):
            with refused(Code.CLAIM):
                judge(p, Side.KONTRA, neq=neq, **where)  # type: ignore[arg-type]
    with refused(Code.CLAIM):
        claims.check_kontra(p.place, p.public, p.pairs, kontra(q), shown, {})
    with refused(Code.CLAIM):
        kontra(p, shown)


def test_kontra_when_every_card_is_open() -> None:
    """After a ghost has opened them all there is nothing left to prove."""
    p = holder(KONTRA_HAND)
    opened = dict(zip(p.slots, p.hand, strict=True))
    assert judge(p, Side.KONTRA, opened=opened) is Side.KONTRA
    with refused(Code.CLAIM):
        judge(p, Side.RE, opened=opened)
    with refused(Code.FORMAT):
        judge(p, Side.KONTRA, neq=kontra(p), opened=opened)


def marriage(p: Holder) -> tuple[Opening, Opening]:
    return claims.make_marriage(p.place, p.x, p.public, p.pairs, p.hand, p.rand)


def test_marriage_opens_both_club_queens() -> None:
    p = holder(BOTH_HAND)
    openings = marriage(p)
    assert claims.check_marriage(p.place, p.public, p.pairs, openings) == (p.slot(1), p.slot(11))
    with refused(Code.FORMAT):
        claims.check_marriage(p.place, p.public, p.pairs, openings[::-1])
    for number in (openings[:1], (*openings, openings[0]), ()):
        with refused(Code.FORMAT):
            claims.check_marriage(p.place, p.public, p.pairs, number)


def test_attack_54_marriage_with_one_slot_twice_or_one_club_queen() -> None:
    p = holder(BOTH_HAND)
    first, second = marriage(p)
    with refused(Code.CLAIM):
        claims.check_marriage(p.place, p.public, p.pairs, (first, first))
    with refused(Code.CLAIM):
        claims.check_marriage(p.place, p.public, p.pairs, (first, opening_of(p, 2)))
    with refused(Code.DLEQ):
        claims.check_marriage(p.place, p.public, p.pairs, (first, dataclasses.replace(first, slot=p.slot(3))))
    with refused(Code.SLOT):
        claims.check_marriage(p.place, p.public, p.pairs, (first, dataclasses.replace(second, slot=47)))
    one = holder(RE_HAND)
    with refused(Code.CLAIM):
        marriage(one)
    with refused(Code.CLAIM):
        claims.check_marriage(one.place, one.public, one.pairs, (opening_of(one, 4), opening_of(one, 5)))


@pytest.mark.parametrize("kind", ["share", "proof"])
def test_attack_54_marriage_with_a_forged_opening(kind: str) -> None:
    p = holder(BOTH_HAND)
    first, second = marriage(p)
    forged = (
        dataclasses.replace(second, d=ristretto().add(second.d, BASE))
        if kind == "share"
        else dataclasses.replace(second, proof=first.proof)
    )
    with refused(Code.DLEQ):
        claims.check_marriage(p.place, p.public, p.pairs, (first, forged))
