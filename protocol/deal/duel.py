"""The duel's deal test: is this deal allowed, and not a word more; and a computer's "not both club queens".

A deal is thrown away if both humans, or both computers, hold exactly one club queen.  Each slot carries a marker, an
encryption of W for a club queen and of the identity for any other card, shuffled along with it.  C_p is the sum over
seat p's slots, E = C_p - (0, W).  Everybody mixes E_P and E_Q with secret factors; the sum of the mixes, opened, is the
identity if both hold one club queen, and uniformly random otherwise.

    TEST        per pair (humans, computers): F (alpha, beta), and (c, z1, z2) showing that its factors are known
    TESTOPEN    shares of the alpha of both sums, one proof
"""

from collections.abc import Sequence
from typing import Final, TypeAlias

from protocol.cards import PLAYERS
from protocol.deal import inequality
from protocol.deal.deck import Deck, Pair
from protocol.deal.generators import generators
from protocol.deal.group import read_points, read_scalars, ristretto, split, write_scalar, write_scalars
from protocol.deal.hashing import Kind, Nonces, Place, Q, Rand, hash_to_scalar
from protocol.deal.shares import check_items, make_items, marker_sum
from protocol.refusal import Code, Refusal

#: What stands for the humans, then for the computers.
Both: TypeAlias = tuple[Pair, Pair]

KINDS: Final = (Kind.TEST1, Kind.TEST2)
F_SIZE: Final = 64
TEST_PROOF_SIZE: Final = 96


def mixed_ciphertexts(deck: Deck, seats: Sequence[int]) -> tuple[Pair, Pair]:
    """E1 and E2 for the two *seats*: their marker sums less W (so the identity encrypted means: exactly one)."""
    group, queen = ristretto(), generators().queen
    first, second = ((alpha, group.sub(beta, queen)) for alpha, beta in (marker_sum(deck, seat) for seat in seats))
    return first, second


def make_test(
    place: Place, x: int, deck: Deck, humans: Sequence[int], computers: Sequence[int], rand: Rand
) -> tuple[tuple[bytes, bytes], tuple[bytes, bytes]]:
    """((F humans, F computers), (proof, proof)) of TEST: 64 and 96 bytes each.

    *humans*, *computers*: their two seats each, ascending; *place*: ``extra`` = head after DECKOK; *x* hedges the
    nonces.  The mixing factors live only in here.
    """
    fs, proofs = [], []
    for kind, seats in zip(KINDS, (humans, computers), strict=True):
        ctx = place.ctx(kind)
        es = mixed_ciphertexts(deck, seats)
        known = _join(es)
        r1, r2 = Nonces(write_scalar(x), rand, ctx, b"mix" + known).take(2)
        f = _combine(r1, r2, es)
        v1, v2 = Nonces(write_scalar(x), rand, ctx, known + f[0] + f[1]).take(2)
        commit = _combine(v1, v2, es)
        c = hash_to_scalar(known + f[0] + f[1] + commit[0] + commit[1], ctx)
        fs.append(f[0] + f[1])
        proofs.append(write_scalars((c, (v1 + c * r1) % Q, (v2 + c * r2) % Q)))
    return (fs[0], fs[1]), (proofs[0], proofs[1])


def check_test(
    place: Place,
    deck: Deck,
    humans: Sequence[int],
    computers: Sequence[int],
    fs: Sequence[bytes],
    proofs: Sequence[bytes],
) -> Both:
    """The two F of a TEST; FORMAT, POINT (an identity in one of them), SCALAR, TEST."""
    if len(fs) != 2 or len(proofs) != 2:
        raise Refusal(Code.FORMAT, "TEST: not two values and two proofs")
    for f, proof in zip(fs, proofs, strict=True):
        split(f, 2, "TEST, F")
        split(proof, 3, "TEST, proof")
    read: list[Pair] = []
    for kind, seats, f, proof in zip(KINDS, (humans, computers), fs, proofs, strict=True):
        alpha, beta = read_points(f, 2, f"{kind.value}, F")
        c, z1, z2 = read_scalars(proof, 3, f"{kind.value}, proof")
        es = mixed_ciphertexts(deck, seats)
        group = ristretto()
        commit = [
            group.sum_products((z1, z2, -c % Q), (es[0][side], es[1][side], (alpha, beta)[side])) for side in (0, 1)
        ]
        ctx = place.ctx(kind)
        if hash_to_scalar(_join(es) + alpha + beta + commit[0] + commit[1], ctx) != c:
            raise Refusal(Code.TEST, f"seat {place.seat} does not show what its test value is made of")
        read.append((alpha, beta))
    return read[0], read[1]


def sums_of(tests: Sequence[Both]) -> Both:
    """F of the humans and of the computers: the sums over the four TEST."""
    if len(tests) != PLAYERS:
        raise ValueError("the tests of four seats are needed")
    group = ristretto()
    humans, computers = (
        (group.total([t[n][0] for t in tests]), group.total([t[n][1] for t in tests])) for n in (0, 1)
    )
    return humans, computers


def make_testopen(
    place: Place, x: int, public: bytes, sums: Both, rand: Rand
) -> tuple[tuple[bytes, bytes], bytes]:
    """((d humans, d computers), proof) of TESTOPEN; ``extra`` = head after TEST.  One per deal, whatever happens: a
    second one over the same honest values would show how many club queens a player holds."""
    items, proof = make_items(place, Kind.TESTOPEN, x, public, [sums[0][0], sums[1][0]], rand)
    return (items[:32], items[32:]), proof


def check_testopen(place: Place, public: bytes, sums: Both, ds: Sequence[bytes], proof: bytes) -> tuple[bytes, bytes]:
    """The two shares of a TESTOPEN; FORMAT, POINT, SCALAR, DLEQ."""
    if len(ds) != 2 or any(type(d) is not bytes for d in ds):
        raise Refusal(Code.FORMAT, "TESTOPEN: not two shares")
    first, second = check_items(place, Kind.TESTOPEN, public, [sums[0][0], sums[1][0]], b"".join(ds), proof)
    return first, second


def allowed(sums: Both, shares: Sequence[tuple[bytes, bytes]]) -> bool:
    """Whether the deal may be played: neither sum opens to the identity.  *shares*: the four TESTOPEN."""
    if len(shares) != PLAYERS:
        raise ValueError("the shares of four seats are needed")
    group = ristretto()
    return all(sums[n][1] != group.total([share[n] for share in shares]) for n in (0, 1))


def make_healthy(place: Place, x: int, public: bytes, marker: Pair, rand: Rand) -> bytes:
    """A computer's proof, with its BID "healthy", that it does not hold both club queens; VOID if it does.

    *marker*: its own of :func:`~protocol.deal.shares.marker_pairs`; ``extra`` = parent head of the BID.
    """
    return inequality.prove(place, x, public, [inequality.two_queens_item(marker)], rand)


def check_healthy(place: Place, public: bytes, marker: Pair, proof: object) -> None:
    """VOID_MISSING if a computer's "healthy" comes without its proof, else as :func:`inequality.check`."""
    if proof is None:
        raise Refusal(Code.VOID_MISSING, f"seat {place.seat}, a computer, says healthy without its proof", "R34")
    inequality.check(place, public, [inequality.two_queens_item(marker)], proof)


def _combine(f1: int, f2: int, es: Sequence[Pair]) -> Pair:
    group = ristretto()
    first, second = (group.sum_products((f1, f2), (es[0][side], es[1][side])) for side in (0, 1))
    return first, second


def _join(es: Sequence[Pair]) -> bytes:
    return b"".join([point for e in es for point in e])
