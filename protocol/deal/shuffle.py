"""SHUF: shuffle the deck, prove it, verify another's; the bytes of the proof.

    deck     48 slots x 64 * width bytes
    proof    c 48 x 32 | ĉ 48 x 32 | k | s1 | s2 | s3 | s4 (width x 32) | ŝ 48 x 32 | s' 48 x 32
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from protocol.deal.deck import Deck, decode_deck, encode_deck, width_of
from protocol.deal.generators import SLOTS, generators
from protocol.deal.group import BASE, read_points, read_scalars, ristretto, write_scalar, write_scalars
from protocol.deal.hashing import Kind, Nonces, Place, Rand
from protocol.deal.shuffle_proof import (
    Permutation,
    Proof,
    Statement,
    commit_permutation,
    prove,
    random_permutation,
    verify,
)
from protocol.refusal import Code, Refusal

#: A permutation with its commitment, made ahead of the deck; good for one shuffle.
Prepared: TypeAlias = Permutation[bytes]

_POINTS: Final = 2 * SLOTS


@dataclass(frozen=True, slots=True)
class Shuffled:
    """A shuffle ready to be sent: the new deck, its bytes and the proof's."""

    deck: Deck
    deck_bytes: bytes
    proof: bytes


def proof_size(width: int) -> int:
    """Bytes of an encoded proof: 6,304 or 6,336."""
    return 32 * (_POINTS + 2 * SLOTS + 4 + width)


def prepare(place: Place, x: int, rand: Rand) -> Prepared:
    """Draw the permutation and commit to it: all of a shuffle that does not need the incoming deck.

    Secret, for one shuffle only (a second one with it would show the permutation).  *place* needs no ``extra`` yet; *x*
    (the shuffler's secret key of this hand) hedges the randomness.
    """
    group, gens = ristretto(), generators()
    pi = random_permutation(SLOTS, rand)
    nonces = Nonces(write_scalar(x), rand, place.ctx(Kind.SHUF), b"prepare")
    return commit_permutation(group, gens.hs, pi, nonces.take(SLOTS))


def shuffle(place: Place, x: int, key: bytes, deck: Deck, rand: Rand, prepared: Prepared | None = None) -> Shuffled:
    """Re-encrypt and permute *deck* under the joint key *key* and prove it.

    *place*: the shuffler's seat, ``extra`` = head of the deal chain before SHUF.  *prepared* from :func:`prepare`.
    """
    group = ristretto()
    prepared = prepared or prepare(place, x, rand)
    ctx = place.ctx(Kind.SHUF)
    secret = write_scalar(x)
    width = width_of(deck)
    known = key + encode_deck(deck) + b"".join(prepared.c)
    randomness = Nonces(secret, rand, ctx, known)
    rho = [randomness.take(SLOTS) for _ in range(width)]
    anchors = (BASE, key) * width
    points = group.sums(
        [
            ((rho[n // 2][j], 1), (anchors[n], deck[i][n]))
            for j, i in enumerate(prepared.pi)
            for n in range(2 * width)
        ]
    )
    new = tuple(tuple(points[i : i + 2 * width]) for i in range(0, len(points), 2 * width))
    deck_bytes = encode_deck(new)
    nonces = Nonces(secret, rand, ctx, known + deck_bytes)
    proof = prove(_statement(key, deck, new), prepared, rho, nonces.take, ctx)
    return Shuffled(new, deck_bytes, encode_proof(proof))


def verify_shuffle(place: Place, key: bytes, before: Deck, deck_bytes: bytes, proof: bytes) -> Deck:
    """The deck that a SHUF of *place*'s seat leaves, or a refusal: FORMAT, POINT, SCALAR, LAZY, SHUFFLE.

    *before* and *key* are the verifier's own.
    """
    width = width_of(before)
    if type(deck_bytes) is not bytes or type(proof) is not bytes or len(proof) != proof_size(width):
        raise Refusal(Code.FORMAT, "SHUF: deck or proof is not of the right length")
    return judge_shuffle(place, key, before, decode_deck(deck_bytes, width), decode_proof(proof, width))


def judge_shuffle(place: Place, key: bytes, before: Deck, after: Deck, proof: Proof[bytes]) -> Deck:
    """The same for a deck and a proof that have been read: *after*, or LAZY or SHUFFLE."""
    refuse_lazy(before, after)
    if not verify(_statement(key, before, after), proof, place.ctx(Kind.SHUF)):
        raise Refusal(Code.SHUFFLE, f"seat {place.seat}: the proof does not show that this is a shuffle of the deck")
    return after


def refuse_lazy(before: Deck, after: Deck) -> None:
    """LAZY if in one column an output ciphertext is an input ciphertext, or two outputs are equal."""
    for w in range(width_of(before)):
        old = {slot[2 * w : 2 * w + 2] for slot in before}
        new = {slot[2 * w : 2 * w + 2] for slot in after}
        if len(new) != len(after):
            raise Refusal(Code.LAZY, "two outputs are one ciphertext")
        if old & new:
            raise Refusal(Code.LAZY, "a ciphertext was left as it was")


def encode_proof(proof: Proof[bytes]) -> bytes:
    """The proof's bytes in the order of the module's head."""
    head = (proof.k, proof.s1, proof.s2, proof.s3, *proof.s4)
    return b"".join(proof.c) + b"".join(proof.c_hat) + write_scalars((*head, *proof.s_hat, *proof.s_prime))


def decode_proof(data: object, width: int) -> Proof[bytes]:
    """A proof from outside; FORMAT, POINT or SCALAR."""
    if type(data) is not bytes or len(data) != proof_size(width):
        raise Refusal(Code.FORMAT, "shuffle proof: not of the right length")
    points = read_points(data[: 32 * _POINTS], _POINTS, "shuffle proof, point")
    scalars = read_scalars(data[32 * _POINTS :], 2 * SLOTS + 4 + width, "shuffle proof, scalar")
    tail = scalars[4 + width :]
    return Proof(
        c=tuple(points[:SLOTS]),
        c_hat=tuple(points[SLOTS:]),
        k=scalars[0],
        s1=scalars[1],
        s2=scalars[2],
        s3=scalars[3],
        s4=tuple(scalars[4 : 4 + width]),
        s_hat=tuple(tail[:SLOTS]),
        s_prime=tuple(tail[SLOTS:]),
    )


def _statement(key: bytes, before: Sequence[Sequence[bytes]], after: Sequence[Sequence[bytes]]) -> Statement[bytes]:
    gens = generators()
    return Statement(ristretto(), gens.h, gens.hs, gens.hs_sum, key, before, after)
