"""Attacks 17 to 28 (26 is the table's): shuffles that are none, and verifiers weakened to show that the tests bite."""

import dataclasses
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.cards import DECK
from protocol.deal import shuffle
from protocol.deal.deck import Deck, decode_deck, encode_deck, initial_deck, slots_not_of, slots_of, width_of
from protocol.deal.generators import derive, generators
from protocol.deal.group import BASE, ristretto
from protocol.deal.group_py import PureRistretto
from protocol.deal.hashing import Kind, Nonces, Q, random_scalar
from protocol.deal.shuffle_proof import Permutation, Proof, Statement, prove, verify
from protocol.refusal import Code, Refusal

from . import helpers
from .forge import (
    forge_scaled,
    forge_with_known_logs,
    known_generators,
    statement_of,
    verify_with_weak_seed,
)
from .helpers import Dealt, Stream, dealt, pieces, plus_base, refused, replace, scalar_at, with_scalar

N = 48
WIDTHS = pytest.mark.parametrize("width", [1, 2])


@pytest.fixture
def d() -> Dealt:
    return dealt(1)


def opened(d: Dealt, deck: Sequence[Sequence[bytes]]) -> list[bytes]:
    """What a deck holds, with all four keys."""
    x = sum(own.x for own in d.own) % Q
    group = ristretto()
    return [group.sub(slot[1], group.mul(x, slot[0])) for slot in deck]


def honest_proof(
    d: Dealt, seat: int, sources: Sequence[int], after: Deck, rho: Sequence[Sequence[int]]
) -> bytes:
    """The honest prover's proof at *seat* for a witness that may be false: *sources* instead of a permutation."""
    group, gens = ristretto(), generators()
    rand = Stream("witness")
    r = [random_scalar(rand) for _ in range(N)]
    c = [group.mul(x, BASE) for x in r]
    for j, i in enumerate(sources):
        c[i] = group.add(group.mul(r[i], BASE), gens.hs[j])
    ctx = d.shuf_place(seat).ctx(Kind.SHUF)
    nonces = Nonces(b"x", rand, ctx, b"")
    statement = statement_of(d.key, d.decks[seat], after)
    proof = prove(statement, Permutation(tuple(sources), tuple(r), tuple(c)), rho, nonces.take, ctx)
    return shuffle.encode_proof(proof)


def reencrypted(d: Dealt, seat: int, sources: Sequence[int], rho: Sequence[Sequence[int]]) -> Deck:
    group, before = ristretto(), d.decks[seat]
    return tuple(
        tuple(
            group.add(before[i][n], group.mul(rho[n // 2][j], (BASE, d.key)[n % 2]))
            for n in range(2 * width_of(before))
        )
        for j, i in enumerate(sources)
    )


def randomness(width: int, seed: str = "rho") -> list[list[int]]:
    rand = Stream(seed)
    return [[random_scalar(rand) for _ in range(N)] for _ in range(width)]


# --- honest shuffles ----------------------------------------------------------------------------------------------


@WIDTHS
def test_honest_shuffles_keep_the_cards_and_verify(width: int) -> None:
    d = dealt(width)
    for seat in range(4):
        assert helpers.verify(d, seat) == d.decks[seat + 1] == d.shuffled[seat].deck
        assert len(d.shuffled[seat].proof) == shuffle.proof_size(width) == (6304, 6336)[width - 1]
    cards = generators().card_of
    for deck in d.decks:
        assert sorted(cards[point] for point in opened(d, deck)) == sorted(DECK)
    assert sorted(k for hand in d.hands for k in hand) == sorted(DECK)


def test_markers_stay_with_their_cards() -> None:
    d = dealt(2)
    queen = generators().queen
    points = opened(d, d.decks[-1])
    marks = opened(d, [slot[2:] for slot in d.decks[-1]])
    for point, mark in zip(points, marks, strict=True):
        assert mark == (queen if generators().card_of[point] == 3 else bytes(32))


def test_the_witness_helpers_make_good_proofs_of_true_statements(d: Dealt) -> None:
    sources, rho = [*range(1, N), 0], randomness(1)
    after = reencrypted(d, 2, sources, rho)
    assert helpers.verify(d, 2, encode_deck(after), honest_proof(d, 2, sources, after, rho)) == after


def test_prepared_permutations_give_the_same_kind_of_shuffle(d: Dealt) -> None:
    place = d.shuf_place(1)
    rand = Stream("prepared")
    prepared = shuffle.prepare(dataclasses.replace(place, extra=b""), d.own[1].x, rand)
    assert str(prepared.pi) not in repr(prepared)
    made = shuffle.shuffle(place, d.own[1].x, d.key, d.decks[1], rand, prepared)
    assert shuffle.verify_shuffle(place, d.key, d.decks[1], made.deck_bytes, made.proof) == made.deck
    assert made.proof[: 32 * N] == b"".join(prepared.c)


def test_no_randomness_repeats_over_another_deck_from_one_snapshot(d: Dealt) -> None:
    """Restored with the same random source and the same permutation, the shuffler still re-encrypts afresh."""
    prepared = shuffle.prepare(d.shuf_place(1), d.own[1].x, Stream("snapshot"))
    one, two = (
        shuffle.shuffle(d.shuf_place(1), d.own[1].x, d.key, deck, Stream("later"), prepared)
        for deck in (d.decks[1], d.decks[2])
    )
    group = ristretto()
    shifts = [
        {group.sub(slot[0], deck[i][0]) for slot, i in zip(made.deck, prepared.pi, strict=True)}
        for made, deck in ((one, d.decks[1]), (two, d.decks[2]))
    ]
    assert not shifts[0] & shifts[1]
    assert not set(pieces(one.proof)[96:]) & set(pieces(two.proof)[96:])


def test_generators_are_the_same_on_both_back_ends_and_distinct() -> None:
    gens, pure = generators(), derive(PureRistretto())
    assert gens == pure
    assert len({BASE, gens.h, *gens.hs, *gens.cards, gens.queen}) == 75
    assert gens.hs_sum == ristretto().total(gens.hs)


def test_generators_that_collide_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(PureRistretto):
        def from_uniform(self, data: bytes) -> bytes:
            return BASE

    with pytest.raises(RuntimeError, match="distinct"):
        derive(Broken())


# --- attacks ------------------------------------------------------------------------------------------------------


@WIDTHS
def test_attack_17_card_duplicated_with_the_honest_prover(width: int) -> None:
    d = dealt(width)
    sources, rho = [0, 0, *range(2, N)], randomness(width)
    after = reencrypted(d, 1, sources, rho)
    with refused(Code.SHUFFLE):
        helpers.verify(d, 1, encode_deck(after), honest_proof(d, 1, sources, after, rho))


def test_attack_18_output_replaced_by_a_chosen_card(d: Dealt) -> None:
    sources, rho = list(range(N)), randomness(1)
    after = list(reencrypted(d, 1, sources, rho))
    after[5] = helpers.encrypt(generators().cards[13], d.key, Stream("chosen"))
    deck = tuple(after)
    with refused(Code.SHUFFLE):
        helpers.verify(d, 1, encode_deck(deck), honest_proof(d, 1, sources, deck, rho))


def toy_deck(d: Dealt, rand: Stream) -> list[tuple[bytes, ...]]:
    """A deck with the cards 1*B, 2*B, ... instead of hashed points, as naive games have it."""
    return [helpers.encrypt(ristretto().mul(n + 1, BASE), d.key, rand) for n in range(N)]


def test_attack_19_forge_1_scaled_cards_commitments_after_the_challenge(d: Dealt) -> None:
    rand = Stream("forge 1")
    place = d.shuf_place(0)
    ctx = place.ctx(Kind.SHUF)
    before = toy_deck(d, rand)
    after, proof = forge_scaled(d.key, before, 1, 5, ctx, rand)  # a 2 and a 6
    statement = statement_of(d.key, before, after)
    multiples = [ristretto().mul(n, BASE) for n in (4, 3)]
    assert opened(d, after)[:2] == multiples  # have become a 4 and a 3
    assert not verify(statement, proof, ctx)
    with refused(Code.SHUFFLE):
        shuffle.verify_shuffle(
            place, d.key, tuple(before), encode_deck(tuple(after)), shuffle.encode_proof(proof)
        )


def test_attack_28_forge_1_is_accepted_by_the_weakened_verifier(d: Dealt) -> None:
    rand = Stream("forge 1")
    ctx = d.shuf_place(0).ctx(Kind.SHUF)
    before = toy_deck(d, rand)
    after, proof = forge_scaled(d.key, before, 1, 5, ctx, rand)
    assert verify_with_weak_seed(statement_of(d.key, before, after), proof, ctx)
    assert not verify_with_weak_seed(statement_of(d.key, before, [*after[1:], after[0]]), proof, ctx)


def test_attack_19_with_hashed_cards_the_forgery_leaves_no_card(d: Dealt) -> None:
    rand = Stream("forge 1 hashed")
    ctx = d.shuf_place(0).ctx(Kind.SHUF)
    before = [helpers.encrypt(generators().cards[k], d.key, rand) for k in DECK]
    after, proof = forge_scaled(d.key, before, 1, 5, ctx, rand)
    assert verify_with_weak_seed(statement_of(d.key, before, after), proof, ctx)
    assert not set(opened(d, after)[:2]) & set(generators().cards)


def forged_2(d: Dealt) -> tuple[Statement[bytes], list[tuple[bytes, ...]], Proof[bytes], bytes]:
    rand = Stream("forge 2")
    gens, log_h, logs = known_generators(rand)
    ctx = d.shuf_place(0).ctx(Kind.SHUF)
    after, proof = forge_with_known_logs(d.key, d.decks[0], 3, 23, gens, log_h, logs, ctx, rand)
    return statement_of(d.key, d.decks[0], after, gens), after, proof, ctx


def test_attack_20_forge_2_generators_with_known_logarithms(d: Dealt) -> None:
    _, after, proof, ctx = forged_2(d)
    cards = Counter(generators().card_of[point] for point in opened(d, after))
    assert (cards[3], cards[23]) == (3, 1)  # three club queens
    assert not verify(statement_of(d.key, d.decks[0], after), proof, ctx)
    with refused(Code.SHUFFLE):
        helpers.verify(d, 0, encode_deck(tuple(after)), shuffle.encode_proof(proof))


def test_attack_28_forge_2_is_accepted_under_known_generators(d: Dealt) -> None:
    statement, after, proof, ctx = forged_2(d)
    assert verify(statement, proof, ctx)
    assert not verify(dataclasses.replace(statement, after=[*after[1:], after[0]]), proof, ctx)


@WIDTHS
def test_attack_21_input_is_not_the_current_deck(width: int) -> None:
    d = dealt(width)
    made = d.shuffled[2]
    for before in (d.decks[0], d.decks[1], d.decks[2][::-1], initial_deck(d.key, width)):
        with refused(Code.SHUFFLE):
            shuffle.verify_shuffle(d.shuf_place(2), d.key, before, made.deck_bytes, made.proof)


def test_attack_21_a_shuffle_of_the_first_deck_by_the_third_seat(d: Dealt) -> None:
    made = shuffle.shuffle(d.shuf_place(2), d.own[2].x, d.key, d.decks[0], Stream("old"))
    with refused(Code.SHUFFLE):
        helpers.verify(d, 2, made.deck_bytes, made.proof)


@WIDTHS
def test_attack_22_proof_of_another_hand_seat_match_head_or_key(width: int) -> None:
    d = dealt(width)
    place, made = d.shuf_place(2), d.shuffled[2]
    changes: list[dict[str, object]] = [
        {"hand": 8},
        {"seat": 1},
        {"match_id": bytes(32)},
        {"roster_hash": bytes(32)},
        {"extra": b"x"},
    ]
    for change in changes:
        with refused(Code.SHUFFLE):
            shuffle.verify_shuffle(
                dataclasses.replace(place, **change), d.key, d.decks[2], made.deck_bytes, made.proof  # type: ignore[arg-type]
            )
    with refused(Code.SHUFFLE):
        shuffle.verify_shuffle(place, plus_base(d.key), d.decks[2], made.deck_bytes, made.proof)


@pytest.mark.slow
def test_attack_23_each_of_the_197_fields_changed_by_one(d: Dealt) -> None:
    proof = d.shuffled[2].proof
    assert len(pieces(proof)) == 197
    for index, piece in enumerate(pieces(proof)):
        if index < 96:
            changed = replace(proof, index, plus_base(piece))
        else:
            changed = with_scalar(proof, index, scalar_at(proof, index) + 1)
        with refused(Code.SHUFFLE):
            helpers.verify(d, 2, proof=changed)


@pytest.mark.slow
def test_attack_23_fields_of_the_wide_proof() -> None:
    d = dealt(2)
    proof = d.shuffled[2].proof
    assert len(pieces(proof)) == 198
    for index in (*range(0, 96, 5), *range(96, 103), *range(103, 198, 5), 197):
        if index < 96:
            changed = replace(proof, index, plus_base(pieces(proof)[index]))
        else:
            changed = with_scalar(proof, index, scalar_at(proof, index) + 1)
        with refused(Code.SHUFFLE):
            helpers.verify(d, 2, proof=changed)


def test_attack_24_exchanged_shifted_and_permuted_parts(d: Dealt) -> None:
    parts = pieces(d.shuffled[2].proof)
    c, c_hat, head, s_hat, s_prime = parts[:48], parts[48:96], parts[96:101], parts[101:149], parts[149:]
    for changed in (
        (c_hat, c, head, s_hat, s_prime),
        (c, c_hat, head, s_prime, s_hat),
        (c, c_hat, head, [*s_hat[1:], s_hat[0]], s_prime),
        (c, c_hat, head, s_hat, [s_prime[1], s_prime[0], *s_prime[2:]]),
        (c, c_hat, head, s_hat, s_prime[::-1]),
        ([*c[1:], c[0]], c_hat, head, s_hat, s_prime),
        (c, c_hat, [head[0], head[2], head[1], *head[3:]], s_hat, s_prime),
    ):
        with refused(Code.SHUFFLE):
            helpers.verify(d, 2, proof=b"".join(piece for part in changed for piece in part))


@WIDTHS
def test_attack_25_lazy_shuffles(width: int) -> None:
    d = dealt(width)
    before, sources = d.decks[1], list(range(N))
    nothing = [[0] * N for _ in range(width)]
    with refused(Code.LAZY):  # the whole deck as it was, with a proof that holds
        helpers.verify(d, 1, encode_deck(before), honest_proof(d, 1, sources, before, nothing))
    rho = randomness(width)
    rho[width - 1][7] = 0  # one ciphertext of the last column left as it was
    after = reencrypted(d, 1, sources, rho)
    assert after[7][2 * width - 2 :] == before[7][2 * width - 2 :]
    with refused(Code.LAZY):
        helpers.verify(d, 1, encode_deck(after), honest_proof(d, 1, sources, after, rho))
    moved = [*range(1, N), 0]
    after = reencrypted(d, 1, moved, [[0] * N] * width)
    with refused(Code.LAZY):  # permuted only
        helpers.verify(d, 1, encode_deck(after), honest_proof(d, 1, moved, after, [[0] * N] * width))


def test_attack_25_two_equal_outputs(d: Dealt) -> None:
    """From the first deck, whose copies are one ciphertext, two outputs can be made equal and proven."""
    sources, rho = list(range(N)), randomness(1)
    rho[0][1] = rho[0][0]
    after = reencrypted(d, 0, sources, rho)
    assert after[0] == after[1]
    with refused(Code.LAZY):
        helpers.verify(d, 0, encode_deck(after), honest_proof(d, 0, sources, after, rho))


def test_attack_27_cancelling_errors(d: Dealt) -> None:
    proof = d.shuffled[2].proof
    first = 97  # s1, s2, s3, s4 stand behind k
    for plus, minus in ((0, 1), (0, 2), (1, 2), (2, 3)):
        changed = with_scalar(proof, first + plus, scalar_at(proof, first + plus) + 1)
        changed = with_scalar(changed, first + minus, scalar_at(proof, first + minus) - 1)
        with refused(Code.SHUFFLE):
            helpers.verify(d, 2, proof=changed)


# --- mutations: each check taken out lets something through -------------------------------------------------------


def weakened(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Take one check out of :func:`shuffle.verify_shuffle`."""
    monkeypatch.setattr(shuffle, name, {"refuse_lazy": lambda before, after: None, "verify": lambda *a: True}[name])


def test_attack_28_without_the_lazy_check_a_lazy_shuffle_passes(d: Dealt, monkeypatch: pytest.MonkeyPatch) -> None:
    weakened(monkeypatch, "refuse_lazy")
    nothing = [[0] * N]
    proof = honest_proof(d, 1, list(range(N)), d.decks[1], nothing)
    assert helpers.verify(d, 1, encode_deck(d.decks[1]), proof) == d.decks[1]


def test_attack_28_without_the_proof_a_duplicated_card_passes(d: Dealt, monkeypatch: pytest.MonkeyPatch) -> None:
    weakened(monkeypatch, "verify")
    sources, rho = [0, 0, *range(2, N)], randomness(1)
    after = reencrypted(d, 1, sources, rho)
    assert helpers.verify(d, 1, encode_deck(after), honest_proof(d, 1, sources, after, rho)) == after


# --- codecs -------------------------------------------------------------------------------------------------------


@WIDTHS
def test_decks_and_proofs_travel(width: int) -> None:
    d = dealt(width)
    for deck in d.decks:
        assert decode_deck(encode_deck(deck), width) == deck
        assert width_of(deck) == width
    for made in d.shuffled:
        assert shuffle.encode_proof(shuffle.decode_proof(made.proof, width)) == made.proof


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 196), st.binary(min_size=32, max_size=32))
def test_decoding_a_proof_is_exact_or_refused(index: int, piece: bytes) -> None:
    data = replace(dealt(1).shuffled[0].proof, index, piece)
    try:
        decoded = shuffle.decode_proof(data, 1)
    except Refusal as refusal:
        code: Code | None = refusal.code
    else:
        code = None
        assert shuffle.encode_proof(decoded) == data
    assert code in (None, Code.POINT if index < 96 else Code.SCALAR)


@settings(max_examples=30)
@given(st.binary(max_size=7000))
def test_other_bytes_are_no_deck_or_proof(data: bytes) -> None:
    if len(data) not in (3072, 6144):
        with refused(Code.FORMAT):
            decode_deck(data, 1)
        with refused(Code.FORMAT):
            decode_deck(data, 2)
    if len(data) not in (6304, 6336):
        with refused(Code.FORMAT):
            shuffle.decode_proof(data, 1)


def test_slots_belong_to_seats() -> None:
    assert [slots_of(seat)[0] for seat in range(4)] == [0, 12, 24, 36]
    assert slots_not_of(1) == [*range(12), *range(24, 48)]
