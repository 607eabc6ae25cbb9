"""Attacks 76 to 78 on the level of proofs: the duel's deal test and a computer's "not both club queens"."""

import dataclasses
from collections.abc import Sequence

import pytest

from protocol.deal import duel, shares
from protocol.deal.deck import Deck, Pair
from protocol.deal.generators import generators
from protocol.deal.group import BASE, IDENTITY, ristretto, write_scalars
from protocol.deal.hashing import Kind, Q, hash_to_scalar, random_scalar
from protocol.refusal import Code

from .helpers import COMPUTERS, HUMANS, Dealt, Stream, dealt, encrypt, pieces, plus_base, refused, with_scalar


@pytest.fixture
def d() -> Dealt:
    return dealt(2)


def deck_with_queens(d: Dealt, counts: Sequence[int]) -> Deck:
    """A deck of width 2 whose markers give each seat that many club queens."""
    rand, queen = Stream("markers"), generators().queen
    cards = [encrypt(generators().cards[0], d.key, rand), encrypt(IDENTITY, d.key, rand), encrypt(queen, d.key, rand)]
    return tuple(cards[0] + cards[2 if n < count else 1] for count in counts for n in range(12))


def before_test(d: Dealt, seat: int) -> duel.Place:
    return d.place(seat, b"head after DECKOK")




def run(d: Dealt, deck: Deck) -> tuple[bool, duel.Both, list[tuple[bytes, bytes]]]:
    """The whole test by four honest nodes: allowed, sums, shares."""
    tests = []
    for seat in range(4):
        place = before_test(d, seat)
        fs, proofs = duel.make_test(place, d.own[seat].x, deck, HUMANS, COMPUTERS, d.rand)
        tests.append(duel.check_test(place, deck, HUMANS, COMPUTERS, fs, proofs))
    sums = duel.sums_of(tests)
    opened = []
    for seat in range(4):
        place = d.place(seat, b"head after TEST")
        ds, proof = duel.make_testopen(place, d.own[seat].x, d.own[seat].public, sums, d.rand)
        opened.append(duel.check_testopen(place, d.own[seat].public, sums, ds, proof))
    return duel.allowed(sums, opened), sums, opened


DEALS = [(a, b, c, e) for a in range(3) for b in range(3) for c in range(3) for e in range(3) if a + b + c + e == 2]


@pytest.mark.parametrize("counts", DEALS, ids=str)
def test_a_deal_is_allowed_unless_one_pair_holds_one_queen_each(d: Dealt, counts: tuple[int, ...]) -> None:
    both_humans = counts[0] == counts[2] == 1
    both_computers = counts[1] == counts[3] == 1
    assert run(d, deck_with_queens(d, counts))[0] == (not both_humans and not both_computers)


def test_on_a_real_deal_the_test_says_what_the_hands_say(d: Dealt) -> None:
    counts = [hand.count(3) for hand in d.hands]
    forbidden = counts[0] == counts[2] == 1 or counts[1] == counts[3] == 1
    assert run(d, d.decks[-1])[0] == (not forbidden)


def test_what_an_allowed_deal_opens_is_new_each_time(d: Dealt) -> None:
    deck = deck_with_queens(d, (2, 0, 0, 0))
    group = ristretto()
    plain = []
    for _ in range(2):
        _, sums, opened = run(d, deck)
        plain += [group.sub(sums[n][1], group.total([share[n] for share in opened])) for n in (0, 1)]
    assert len(set(plain)) == 4
    assert IDENTITY not in plain


def make(d: Dealt, deck: Deck | None = None, place: duel.Place | None = None) -> tuple:
    return duel.make_test(
        place or before_test(d, 1), d.own[1].x, deck or d.decks[-1], HUMANS, COMPUTERS, d.rand
    )


def check(d: Dealt, fs: Sequence[bytes], proofs: Sequence[bytes]) -> duel.Both:
    return duel.check_test(before_test(d, 1), d.decks[-1], HUMANS, COMPUTERS, fs, proofs)


def test_attack_77_markers_of_another_deck(d: Dealt) -> None:
    for deck in (d.decks[-2], deck_with_queens(d, (1, 1, 0, 0))):
        with refused(Code.TEST):
            check(d, *make(d, deck))


def test_attack_77_over_other_sums(d: Dealt) -> None:
    fs, proofs = duel.make_test(before_test(d, 1), d.own[1].x, d.decks[-1], (0, 1), (2, 3), d.rand)
    with refused(Code.TEST):
        check(d, fs, proofs)
    fs, proofs = make(d)
    with refused(Code.TEST):  # humans and computers exchanged
        check(d, fs[::-1], proofs[::-1])
    with refused(Code.FORMAT):
        check(d, fs[:1], proofs[:1])


def test_attack_77_replayed_from_an_earlier_deal_seat_or_head(d: Dealt) -> None:
    here = before_test(d, 1)
    for place in (
        dataclasses.replace(here, hand=6),
        dataclasses.replace(here, seat=3),
        dataclasses.replace(here, extra=b"another head"),
        dataclasses.replace(here, match_id=bytes(32)),
    ):
        with refused(Code.TEST):
            check(d, *make(d, place=place))


def test_attack_77_each_number_counts(d: Dealt) -> None:
    fs, proofs = make(d)
    for n in (0, 1):
        for side in (0, 1):
            moved = list(fs)
            parts = pieces(fs[n])
            parts[side] = plus_base(parts[side])
            moved[n] = b"".join(parts)
            with refused(Code.TEST):
                check(d, moved, proofs)
        for index in range(3):
            changed = list(proofs)
            value = int.from_bytes(pieces(proofs[n])[index], "little")
            changed[n] = with_scalar(proofs[n], index, value + 1)
            with refused(Code.TEST):
                check(d, fs, changed)


def test_attack_77_proof_for_one_component_only(d: Dealt) -> None:
    """Alpha is mixed as claimed, beta is moved by a chosen point."""
    place = before_test(d, 1)
    group, rand = ristretto(), Stream("component")
    es = duel.mixed_ciphertexts(d.decks[-1], HUMANS)
    r1, r2, v1, v2 = (random_scalar(rand) for _ in range(4))

    def mix(a: int, b: int, side: int) -> bytes:
        return group.sum_products((a, b), (es[0][side], es[1][side]))

    alpha, beta = mix(r1, r2, 0), group.add(mix(r1, r2, 1), generators().queen)
    head = b"".join(point for e in es for point in e) + alpha + beta
    c = hash_to_scalar(head + mix(v1, v2, 0) + mix(v1, v2, 1), place.ctx(Kind.TEST1))
    proof = write_scalars((c, (v1 + c * r1) % Q, (v2 + c * r2) % Q))
    fs, proofs = make(d)
    with refused(Code.TEST):
        check(d, (alpha + beta, fs[1]), (proof, proofs[1]))


def test_attack_77_factors_of_zero(d: Dealt) -> None:
    fs, proofs = make(d)
    for f in (IDENTITY + IDENTITY, IDENTITY + fs[0][32:], fs[0][:32] + IDENTITY):
        with refused(Code.POINT):
            check(d, (f, fs[1]), proofs)


def test_attack_76_three_mixes_to_three_peers_open_nothing(d: Dealt) -> None:
    """Seat 3 shows three different mixes: each honest node holds another sum, so no two shares fit together, and with
    one TESTOPEN per node nothing decrypts the honest players' part."""
    deck = d.decks[-1]
    honest = []
    for seat in range(3):
        place = before_test(d, seat)
        honest.append(
            duel.check_test(
                place, deck, HUMANS, COMPUTERS, *duel.make_test(place, d.own[seat].x, deck, HUMANS, COMPUTERS, d.rand)
            )
        )
    place = before_test(d, 3)
    three = [duel.make_test(place, d.own[3].x, deck, HUMANS, COMPUTERS, d.rand) for _ in range(3)]
    views = [duel.sums_of([*honest, duel.check_test(place, deck, HUMANS, COMPUTERS, *sent)]) for sent in three]
    assert len({view[0] for view in views}) == 3
    sent = []
    for seat, view in enumerate(views):
        at = d.place(seat, b"head after TEST")
        ds, proof = duel.make_testopen(at, d.own[seat].x, d.own[seat].public, view, d.rand)
        sent.append(ds[0])
        with refused(Code.DLEQ):  # it is refused by a node with another view
            duel.check_testopen(at, d.own[seat].public, views[(seat + 1) % 3], ds, proof)
    group = ristretto()
    es = duel.mixed_ciphertexts(deck, HUMANS)
    for view in views:
        own = group.mul(d.own[3].x, view[0][0])
        plain = group.sub(view[0][1], group.total([*sent, own]))
        assert plain != IDENTITY
        assert plain not in {generators().queen, *(point for e in es for point in e)}


def test_attack_76_shares_of_the_test_are_proven(d: Dealt) -> None:
    deck = d.decks[-1]
    _, sums, _ = run(d, deck)
    at = d.place(1, b"head after TEST")
    ds, proof = duel.make_testopen(at, d.own[1].x, d.own[1].public, sums, d.rand)
    for changed in ((plus_base(ds[0]), ds[1]), (ds[1], ds[0])):
        with refused(Code.DLEQ):
            duel.check_testopen(at, d.own[1].public, sums, changed, proof)
    with refused(Code.DLEQ):
        duel.check_testopen(dataclasses.replace(at, extra=b"x"), d.own[1].public, sums, ds, proof)
    with refused(Code.FORMAT):
        duel.check_testopen(at, d.own[1].public, sums, ds[:1], proof)
    with pytest.raises(ValueError, match="four seats"):
        duel.sums_of([sums] * 3)
    with pytest.raises(ValueError, match="four seats"):
        duel.allowed(sums, [ds] * 3)


def marker(d: Dealt, queens: int) -> Pair:
    return encrypt(ristretto().mul(queens, generators().queen), d.own[1].public, Stream(f"marker {queens}"))


@pytest.mark.parametrize("queens", [0, 1])
def test_a_computer_shows_that_it_does_not_hold_both(d: Dealt, queens: int) -> None:
    place, pair = d.place(1, b"parent of BID"), marker(d, queens)
    proof = duel.make_healthy(place, d.own[1].x, d.own[1].public, pair, d.rand)
    duel.check_healthy(place, d.own[1].public, pair, proof)
    assert len(proof) == 128


def test_on_a_real_deal_computers_show_it(d: Dealt) -> None:
    pairs = shares.marker_pairs(d.decks[-1], d.shares, COMPUTERS)
    for c in COMPUTERS:
        assert d.hands[c].count(3) < 2
        place = d.place(c, b"parent of BID")
        proof = duel.make_healthy(place, d.own[c].x, d.own[c].public, pairs[c], d.rand)
        duel.check_healthy(place, d.own[c].public, pairs[c], proof)


def test_attack_78_computer_with_both_queens_says_healthy(d: Dealt) -> None:
    place, pair = d.place(1, b"parent of BID"), marker(d, 2)
    with refused(Code.VOID):
        duel.make_healthy(place, d.own[1].x, d.own[1].public, pair, d.rand)
    with refused(Code.VOID_MISSING):
        duel.check_healthy(place, d.own[1].public, pair, None)
    innocent = marker(d, 1)
    proof = duel.make_healthy(place, d.own[1].x, d.own[1].public, innocent, d.rand)
    with refused(Code.VOID):
        duel.check_healthy(place, d.own[1].public, pair, proof)
    for t in (BASE, generators().queen):
        with refused(Code.VOID):
            duel.check_healthy(place, d.own[1].public, pair, proof[:32] + t + proof[64:])
    other = dataclasses.replace(place, extra=b"another head")
    with refused(Code.VOID):
        duel.check_healthy(other, d.own[1].public, innocent, proof)
