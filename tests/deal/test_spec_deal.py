"""SPEC.md, "The deal": its constants, contexts, sizes and formulas are the program's."""

import hashlib
import re

import msgspec
import pytest

from protocol.cards import CLUB_QUEEN
from protocol.deal import deck, dleq, inequality, keys, shares, shuffle
from protocol.deal.generators import coin_point, generators
from protocol.deal.group import BASE, Ristretto, ristretto
from protocol.deal.hashing import Kind, Nonces, Place, Q, hash_to_scalar, lp, u8, u16, u32
from protocol.refusal import Code
from tests.deal.helpers import COMPUTERS, Stream, dealt, pieces
from tests.wire.test_spec import rows, section

TEXT = section(12)
FLAT = " ".join(TEXT.split())


def test_the_order_of_the_group() -> None:
    found = re.search(r"order q = 2\^(\d+) \+ (\d+)", FLAT)
    assert found is not None
    assert 2 ** int(found[1]) + int(found[2]) == Q == Ristretto.order


def test_the_kinds_of_proofs() -> None:
    found = re.search(r"Kinds are ([^.]*)\.", FLAT)
    assert found is not None
    assert re.findall(r"`([A-Z0-9]+)`", found[1]) == [kind.value for kind in Kind]


def test_every_kind_has_its_place() -> None:
    table = [row for row in rows(TEXT) if len(row) == 3 and row[1].split(", ")[0] in list(Kind)]
    assert {kind for row in table for kind in row[1].split(", ")} == {kind.value for kind in Kind} - {"SUB"}
    assert all(row[2].split(" ")[0] in ("first", "last", "parent") for row in table)


def test_the_context() -> None:
    place = Place(b"m" * 32, b"r" * 32, 3, 2, b"extra")
    said = '"DOKO1-" || kind || "-" || SHA-256(lp(match) || lp(roster hash) || u32(deal) || u8(seat) || lp(extra))'
    assert said in FLAT
    inner = lp(b"m" * 32) + lp(b"r" * 32) + u32(3) + u8(2) + lp(b"extra")
    for kind in Kind:
        assert place.ctx(kind) == b"DOKO1-" + kind.value.encode() + b"-" + hashlib.sha256(inner).digest()


def test_the_fixed_points() -> None:
    assert 'H = H2G("h", DOKO1-gen) H_j = H2G("h" || u16(j), DOKO1-gen), j = 1..48' in FLAT
    assert 'M_k = H2G("card" || u8(k), DOKO1-card) W = H2G("queen", DOKO1-card)' in FLAT
    assert 'P = H2G("coin" || barrier, DOKO1-coin)' in FLAT
    group, gens = ristretto(), generators()
    assert gens.h == group.hash_to_group(b"h", b"DOKO1-gen")
    assert gens.hs == tuple(group.hash_to_group(b"h" + u16(j), b"DOKO1-gen") for j in range(1, 49))
    assert gens.cards == tuple(group.hash_to_group(b"card" + u8(k), b"DOKO1-card") for k in range(24))
    assert gens.queen == group.hash_to_group(b"queen", b"DOKO1-card")
    assert coin_point(b"b" * 32) == group.hash_to_group(b"coin" + b"b" * 32, b"DOKO1-coin")


def test_nonces() -> None:
    assert (
        "H2S(secret || 32 random bytes || lp(ctx) || statement || u16(index), DOKO1-nonce)" in FLAT
    )
    made = Nonces(b"s" * 32, lambda n: b"r" * n, b"ctx", b"statement").take(2)
    text = b"s" * 32 + b"r" * 32 + lp(b"ctx") + b"statement"
    assert made == [hash_to_scalar(text + u16(index), b"DOKO1-nonce") for index in range(2)]


def test_the_body_of_keys() -> None:
    found = re.search(r"body += msgpack \[deal, i, \[S, S, S\], pop, (\[\[eph, box\].*?\]\]), coin\]", TEXT)
    assert found is not None
    d = dealt()
    body = msgspec.msgpack.decode(d.own[1].body)
    assert len(body) == 6
    assert body[:2] == [d.place_base.hand, 1]
    assert [len(point) for point in body[2]] == [32] * 3
    assert [[len(part) for part in box] for box in body[4]] == [[32, keys.BOX_SIZE]] * found[1].count("eph")
    assert (len(body[3]), len(body[5])) == (keys.POP_SIZE, keys.COIN_SIZE)
    assert "COMMIT = SHA-512(lp(body))" in FLAT
    assert d.own[1].commitment == hashlib.sha512(lp(d.own[1].body)).digest()


@pytest.mark.parametrize("width", [1, 2])
def test_the_first_deck(width: int) -> None:
    assert "(B, M_k + Y) in a duel also (B, Y), for the club queen (k = 3) (B, W + Y)" in FLAT
    assert CLUB_QUEEN == 3
    d, gens, group = dealt(width), generators(), ristretto()
    for s, slot in enumerate(deck.initial_deck(d.key, width)):
        assert slot[:2] == (BASE, group.add(gens.cards[s // 2], d.key))
        if width == 2:
            assert slot[2:] == (BASE, group.add(gens.queen, d.key) if s // 2 == 3 else d.key)


def test_sizes() -> None:
    assert f"{deck.deck_size(1)} or {deck.deck_size(2)} bytes" in FLAT
    assert f"s'_1..s'_N {shuffle.proof_size(1)} bytes." in FLAT
    assert f"(card column, then marker column): {shuffle.proof_size(2)} bytes" in FLAT
    counts = (shares.share_count(0), shares.share_count(1, COMPUTERS), shares.share_count(0, COMPUTERS))
    assert "{}, in a duel {} items of a computer and {} of a person, each 32 bytes".format(*counts) in FLAT
    said = re.search(r"(\d+) \+ (\d+) \* pairs bytes", FLAT)
    assert said is not None
    assert all(inequality.size(n) == int(said[1]) + int(said[2]) * n for n in (1, 2, 143))


def test_the_proof_of_a_shuffle_has_its_parts_in_the_order_that_is_said() -> None:
    found = re.search(r"proof = (c_1\.\.c_N .*?s'_1\.\.s'_N)", FLAT)
    assert found is not None
    names = found[1].split(" || ")
    assert names == ["c_1..c_N", "ch_1..ch_N", "k", "s1", "s2", "s3", "s4", "sh_1..sh_N", "s'_1..s'_N"]
    proof = dealt().shuffled[2].proof
    read = shuffle.decode_proof(proof, 1)
    order = [*read.c, *read.c_hat, *([s] for s in (read.k, read.s1, read.s2, read.s3)), [read.s4[0]]]
    order += [[s] for s in (*read.s_hat, *read.s_prime)]
    made = [part if isinstance(part, bytes) else part[0].to_bytes(32, "little") for part in order]
    assert made == pieces(proof)


def test_the_order_of_shares() -> None:
    d = dealt(2)
    points = shares.share_points(0, d.decks[-1], d.barrier, COMPUTERS)
    slots = [d.decks[-1][s][0] for s in range(48) if s // 12 != 0]
    assert points[:36] == slots
    assert points[36] == coin_point(d.barrier)
    assert points[37:] == [shares.marker_sum(d.decks[-1], c)[0] for c in COMPUTERS]
    assert len(shares.share_points(1, d.decks[-1], d.barrier, COMPUTERS)) == 38


def test_a_dleq_is_the_formula() -> None:
    d, group = dealt(), ristretto()
    x, public = d.own[0].x, d.own[0].public
    cs = [d.decks[-1][20][0], d.decks[-1][30][0]]
    ds = [group.mul(x, c) for c in cs]
    ctx = d.place(0, b"e").ctx(Kind.SHARES)
    seed = hashlib.sha512(lp(public) + lp(b"Seed-" + ctx)).digest()
    w = [hash_to_scalar(lp(seed) + u16(n) + lp(cs[n]) + lp(ds[n]) + b"Composite", ctx) for n in (0, 1)]
    m, z = group.sum_products(w, cs), group.sum_products(w, ds)
    r = 12345
    said = lp(public) + lp(m) + lp(z) + lp(group.mul(r, BASE)) + lp(group.mul(r, m)) + b"Challenge"
    c = hash_to_scalar(said, ctx)
    assert dleq.prove_with(r, x, public, cs, ds, ctx) == c.to_bytes(32, "little") + ((r - c * x) % Q).to_bytes(
        32, "little"
    )


def test_the_coin_draws_the_forehand() -> None:
    assert "SHA-512(sum of the four multiples of P)" in FLAT
    d, group = dealt(), ristretto()
    total = group.total([share.coin for share in d.shares])
    assert shares.joint_coin(d.shares) == hashlib.sha512(total).digest()
    assert shares.first_forehand(b"\x07" + bytes(63)) == 3


def test_the_inequality_hashes_what_is_said() -> None:
    d, group, gens = dealt(), ristretto(), generators()
    held = d.hands[1][0]
    k = (held + 1) % 24
    place = d.place(1, b"e")
    alpha, b = d.pairs[12]
    proof = inequality.prove(place, d.own[1].x, d.own[1].public, inequality.items_for([(alpha, b)], (k,)), Stream("n"))
    kappa, t, sa, sy = pieces(proof)
    scalar = [int.from_bytes(part, "little") for part in (kappa, sa, sy)]
    a1 = group.sum_products(
        (scalar[2], -scalar[1] % Q, -scalar[0] % Q), (group.sub(b, gens.cards[k]), alpha, t)
    )
    a2 = group.sum_products((scalar[2], -scalar[1] % Q), (d.own[1].public, BASE))
    text = d.own[1].public + u16(1) + alpha + b + u8(k) + t + a1 + a2
    assert hash_to_scalar(text, place.ctx(Kind.NEQ)) == scalar[0]


def test_codes_in_the_text_are_codes() -> None:
    groups = re.findall(r"\(((?:[A-Z_]{3,}(?:, )?)+)\)", TEXT)
    named = {code for group in groups for code in group.split(", ")} - {kind.value for kind in Kind if kind != "POP"}
    assert named <= {code.value for code in Code}
    assert {"POP", "LAZY", "DLEQ", "CLAIM", "SLOT", "POINT"} <= named
