"""Equality of logarithms, many at once: GenerateProof and VerifyProof of RFC 9497 section 2.2, with our contexts.

Shows for a public key Y = x * B that every D_n = x * C_n.  A proof is (c, z), 64 bytes.
"""

import hashlib
from collections.abc import Sequence
from typing import Final

from protocol.deal.group import BASE, read_scalar, ristretto, write_scalar
from protocol.deal.hashing import Nonces, Q, Rand, Scalars, hash_to_scalar, lp, u16
from protocol.refusal import Code, Refusal

PROOF_SIZE: Final = 64


def prove(x: int, public: bytes, cs: Sequence[bytes], ds: Sequence[bytes], ctx: bytes, rand: Rand) -> bytes:
    """The proof for *ds* = x * *cs* under *public* = x * B; ``ValueError`` for an empty list."""
    nonces = Nonces(write_scalar(x), rand, ctx, public + b"".join(cs) + b"".join(ds))
    return prove_with(nonces.next(), x, public, cs, ds, ctx)


def prove_with(r: int, x: int, public: bytes, cs: Sequence[bytes], ds: Sequence[bytes], ctx: bytes) -> bytes:
    """:func:`prove` with the nonce *r* given (never use one twice)."""
    group = ristretto()
    weights = _weights(public, cs, ds, ctx)
    m = group.sum_products(weights, cs)
    z = group.mul(x, m)
    c = _challenge(public, m, z, group.mul(r, BASE), group.mul(r, m), ctx)
    return write_scalar(c) + write_scalar((r - c * x) % Q)


def check_format(proof: object) -> bytes:
    """*proof* if it is 64 bytes, else FORMAT."""
    if type(proof) is not bytes or len(proof) != PROOF_SIZE:
        raise Refusal(Code.FORMAT, f"DLEQ proof: not {PROOF_SIZE} bytes")
    return proof


def check(public: bytes, cs: Sequence[bytes], ds: Sequence[bytes], proof: object, ctx: bytes) -> None:
    """Refuse with FORMAT, SCALAR or DLEQ unless *proof* shows that *ds* are *cs* times the key of *public*.

    All points have been read before; *cs* is the verifier's own list.
    """
    proof = check_format(proof)
    if not cs or len(cs) != len(ds):
        raise Refusal(Code.FORMAT, "DLEQ proof: not one share for each item")
    c, z = read_scalar(proof[:32], "DLEQ challenge"), read_scalar(proof[32:], "DLEQ response")
    group = ristretto()
    weights = _weights(public, cs, ds, ctx)
    m = group.sum_products(weights, cs)
    image = group.sum_products(weights, ds)
    t2 = group.sum_products((z, c), (BASE, public))
    t3 = group.sum_products((z, c), (m, image))
    if _challenge(public, m, image, t2, t3, ctx) != c:
        raise Refusal(Code.DLEQ, "the share is not the key's multiple of its ciphertext")


def _weights(public: bytes, cs: Sequence[bytes], ds: Sequence[bytes], ctx: bytes) -> list[int]:
    if not cs:
        raise ValueError("nothing to prove")
    seed = hashlib.sha512(lp(public) + lp(b"Seed-" + ctx)).digest()
    pairs = enumerate(zip(cs, ds, strict=True))
    return Scalars(lp(seed), ctx).many([u16(n) + lp(c) + lp(d) + b"Composite" for n, (c, d) in pairs])


def _challenge(public: bytes, m: bytes, z: bytes, t2: bytes, t3: bytes, ctx: bytes) -> int:
    return hash_to_scalar(lp(public) + lp(m) + lp(z) + lp(t2) + lp(t3) + b"Challenge", ctx)
