"""Attacks 31 to 35: decryption shares; what they open, and what they do not."""

import dataclasses
import hashlib

import pytest

from protocol.deal import dleq, shares
from protocol.deal.generators import coin_point, generators
from protocol.deal.group import BASE, ristretto
from protocol.deal.hashing import Kind, Q
from protocol.refusal import Code

from .forge import forge_share, verify_with_weak_dleq, weak_dleq_challenge
from .helpers import COMPUTERS, Dealt, Stream, check_shares, dealt, pieces, plus_base, refused, replace

WIDTHS = pytest.mark.parametrize("width", [1, 2])


@pytest.fixture
def d() -> Dealt:
    return dealt(1)


@WIDTHS
def test_shares_are_multiples_of_the_slots_the_coin_and_the_markers(width: int) -> None:
    d = dealt(width)
    group, deck = ristretto(), d.decks[-1]
    for seat in range(4):
        x, got = d.own[seat].x, d.shares[seat]
        assert sorted(got.slots) == [s for s in range(48) if s // 12 != seat]
        assert all(share == group.mul(x, deck[s][0]) for s, share in got.slots.items())
        assert got.coin == group.mul(x, coin_point(d.barrier))
        assert sorted(got.markers) == [c for c in d.computers if c != seat]
        for c, share in got.markers.items():
            assert share == group.mul(x, group.total([deck[s][2] for s in range(12 * c, 12 * c + 12)]))


def test_the_coin_is_the_hash_of_the_joint_multiple(d: Dealt) -> None:
    x = sum(own.x for own in d.own) % Q
    z = ristretto().mul(x, coin_point(d.barrier))
    assert shares.joint_coin(d.shares) == hashlib.sha512(z).digest()
    assert shares.joint_coin(d.shares[::-1]) == shares.joint_coin(d.shares)
    assert shares.first_forehand(b"\x07" + bytes(63)) == 3
    assert coin_point(d.barrier) != coin_point(bytes(32))
    with pytest.raises(ValueError, match="each seat"):
        shares.joint_coin(d.shares[:3])
    with pytest.raises(ValueError, match="each seat"):
        shares.joint_coin([*d.shares[:3], d.shares[0]])


def test_first_forehand_is_fair_over_coins() -> None:
    counts = [0] * 4
    for n in range(400):
        counts[shares.first_forehand(hashlib.sha512(b"%d" % n).digest())] += 1
    assert all(70 < count < 130 for count in counts)


def test_a_hand_opens_for_its_owner_alone(d: Dealt) -> None:
    for owner in range(4):
        own_pairs = d.pairs[12 * owner : 12 * owner + 12]
        for other in range(4):
            if other == owner:
                assert shares.read_hand(d.own[other].x, own_pairs) == d.hands[owner]
            else:
                with pytest.raises(shares.DealFault):
                    shares.read_hand(d.own[other].x, own_pairs)


def test_marker_pairs_count_club_queens() -> None:
    d = dealt(2)
    pairs = shares.marker_pairs(d.decks[-1], d.shares, COMPUTERS)
    group, queen = ristretto(), generators().queen
    for c in COMPUTERS:
        count = d.hands[c].count(3)
        assert shares.decrypt(d.own[c].x, pairs[c]) == group.mul(count, queen)


def test_attack_31_one_share_moved(d: Dealt) -> None:
    items, _ = d.share_messages[1]
    for index in (0, 17, 35, 36):
        with refused(Code.DLEQ):
            check_shares(d, 1, items=replace(items, index, plus_base(pieces(items)[index])))


def test_attack_31_two_shares_moved_so_that_their_sum_stays(d: Dealt) -> None:
    items, _ = d.share_messages[1]
    first, second = pieces(items)[:2]
    moved = replace(replace(items, 0, plus_base(first)), 1, ristretto().sub(second, BASE))
    with refused(Code.DLEQ):
        check_shares(d, 1, items=moved)


def test_attack_32_two_shares_exchanged(d: Dealt) -> None:
    items, _ = d.share_messages[2]
    first, second = pieces(items)[3:5]
    with refused(Code.DLEQ):
        check_shares(d, 2, items=replace(replace(items, 3, second), 4, first))


def test_attack_33_forge_3_share_computed_after_the_challenge(d: Dealt) -> None:
    own, place = d.own[1], d.shares_place(1)
    ctx, c = place.ctx(Kind.PLAY), d.pairs[12][0]
    share, proof = forge_share(own.x, own.public, c, generators().cards[5], ctx, Stream("forge 3"))
    assert share != ristretto().mul(own.x, c)
    with refused(Code.DLEQ):
        dleq.check(own.public, [c], [share], proof, ctx)


def test_attack_28_forge_3_is_accepted_by_the_weakened_verifier(d: Dealt) -> None:
    own, ctx, c = d.own[1], b"ctx", d.pairs[12][0]
    share, proof = forge_share(own.x, own.public, c, generators().cards[5], ctx, Stream("forge 3"))
    assert share != ristretto().mul(own.x, c)
    assert verify_with_weak_dleq(own.public, c, share, proof, ctx)
    assert not verify_with_weak_dleq(own.public, c, plus_base(share), proof, ctx)
    assert weak_dleq_challenge(own.public, c, BASE, BASE, ctx) != weak_dleq_challenge(own.public, c, c, BASE, ctx)


def test_attack_34_proof_of_an_earlier_hand_seat_or_head(d: Dealt) -> None:
    own = d.own[2]
    place = d.shares_place(2)
    changes: list[dict[str, object]] = [{"hand": 6}, {"match_id": bytes(32)}, {"extra": b"old head"}]
    for change in changes:
        old = dataclasses.replace(place, **change)  # type: ignore[arg-type]
        items, proof = shares.make_shares(old, own.x, own.public, d.decks[-1], d.barrier, d.rand)
        assert items == d.share_messages[2][0]
        with refused(Code.DLEQ):
            check_shares(d, 2, items, proof)
    items, proof = d.share_messages[1]
    with refused(Code.DLEQ):
        check_shares(d, 2, items, proof)


def test_attack_34_proof_of_another_kind(d: Dealt) -> None:
    own, place = d.own[2], d.shares_place(2)
    points = shares.share_points(2, d.decks[-1], d.barrier)
    for kind in (Kind.PLAY, Kind.SUB, Kind.OPEN, Kind.TESTOPEN):
        items, proof = shares.make_items(place, kind, own.x, own.public, points, d.rand)
        with refused(Code.DLEQ):
            check_shares(d, 2, items, proof)


@pytest.mark.parametrize("what", ["deck", "barrier"])
def test_attack_34_shares_over_another_view_of_the_deal(d: Dealt, what: str) -> None:
    own, place = d.own[2], d.shares_place(2)
    other = dealt(1, "another deal").decks[-1]
    deck, barrier = (other, d.barrier) if what == "deck" else (d.decks[-1], bytes(32))
    items, proof = shares.make_shares(place, own.x, own.public, deck, barrier, d.rand)
    shares.check_shares(place, own.public, deck, barrier, items, proof)
    with refused(Code.DLEQ):
        check_shares(d, 2, items, proof)


def test_attack_35_shares_for_own_slots_included(d: Dealt) -> None:
    own, place = d.own[1], d.shares_place(1)
    points = [slot[0] for slot in d.decks[-1]] + [coin_point(d.barrier)]
    items, proof = shares.make_items(place, Kind.SHARES, own.x, own.public, points, d.rand)
    with refused(Code.FORMAT):
        check_shares(d, 1, items, proof)


def test_attack_35_own_slots_instead_of_others(d: Dealt) -> None:
    own, place = d.own[1], d.shares_place(1)
    points = shares.share_points(1, d.decks[-1], d.barrier)
    points[:12] = [d.decks[-1][s][0] for s in range(12, 24)]
    items, proof = shares.make_items(place, Kind.SHARES, own.x, own.public, points, d.rand)
    with refused(Code.DLEQ):
        check_shares(d, 1, items, proof)


@WIDTHS
def test_three_sub_shares_stand_for_an_absent_seat(width: int) -> None:
    d = dealt(width)
    absent = 1
    points = shares.share_points(absent, d.decks[-1], d.barrier, d.computers)
    parts = []
    for j in (0, 2, 3):
        place, s, public = d.place(j, b"after drop"), d.own[absent].subs[j], d.public[absent].points[j]
        items, proof = shares.make_items(place, Kind.SUB, s, public, points, d.rand)
        parts.append(shares.check_items(place, Kind.SUB, public, points, items, proof))
        with refused(Code.DLEQ):  # under his own key instead of the sub-share's point
            shares.check_items(place, Kind.SUB, d.own[j].public, points, items, proof)
    assert shares.arrange(absent, shares.add_subs(parts), d.computers) == d.shares[absent]
    assert shares.arrange(absent, shares.add_subs([*parts[:2], parts[0]]), d.computers) != d.shares[absent]
    with refused(Code.FORMAT):
        shares.arrange(absent, points[:-1], d.computers)


def test_attack_38_two_colluders_open_no_closed_slot(d: Dealt) -> None:
    """Seats 0 and 1 pool their keys: with all that was sent, no slot of seats 2 and 3 opens."""
    pooled = [d.own[0].x, d.own[1].x, (d.own[0].x + d.own[1].x) % Q]
    cards = generators().card_of
    for s in range(24, 48):
        deck_pair = d.decks[-1][s][:2]
        for pair in (d.pairs[s], deck_pair):
            assert not any(shares.decrypt(x, (pair[0], pair[1])) in cards for x in pooled)


