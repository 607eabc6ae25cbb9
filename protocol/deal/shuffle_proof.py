"""The proof of a shuffle (Terelius-Wikstroem, in the form of Haenni-Locher-Koenig-Dubuis), over any group.

Pure algebra: no bytes from outside, no cards.  A ciphertext column is re-encrypted and permuted; with width 2 both
columns of a slot follow one permutation, each with randomness of its own.  :mod:`protocol.deal.shuffle` puts it on the
wire.

Names are those of the papers and of SPEC.md: generators H and H_j, permutation commitment c, chain ĉ (``c_hat``),
commitments t1 t2 t3 t4 t̂, challenge k, responses s1 s2 s3 s4 ŝ s'.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from protocol.deal.group import Group
from protocol.deal.hashing import Rand, Scalars, hash_to_scalar, lp, random_below, u32

E = TypeVar("E")


@dataclass(frozen=True, slots=True)
class Statement(Generic[E]):
    """What is proven: ``after`` is ``before`` re-encrypted under ``key`` and permuted.

    ``before`` and ``after``: N slots of 2 * width elements each (alpha, beta per column).
    """

    group: Group[E]
    h: E
    hs: Sequence[E]
    hs_sum: E
    key: E
    before: Sequence[Sequence[E]]
    after: Sequence[Sequence[E]]

    @property
    def width(self) -> int:
        return len(self.before[0]) // 2


@dataclass(frozen=True, slots=True)
class Proof(Generic[E]):
    """The proof in challenge form: 2N elements and 2N + 4 + width scalars."""

    c: tuple[E, ...]
    c_hat: tuple[E, ...]
    k: int
    s1: int
    s2: int
    s3: int
    s4: tuple[int, ...]
    s_hat: tuple[int, ...]
    s_prime: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Commitments(Generic[E]):
    """t1, t2, t3, t4 (alpha and beta part of each column in turn), t̂ (N elements)."""

    t1: E
    t2: E
    t3: E
    t4: tuple[E, ...]
    t_hat: tuple[E, ...]

    def encode(self, group: Group[E]) -> bytes:
        """The bytes of all of them in the order above."""
        return b"".join(map(group.encode, (self.t1, self.t2, self.t3, *self.t4, *self.t_hat)))


@dataclass(frozen=True, slots=True, repr=False)
class Permutation(Generic[E]):
    """A permutation and its commitment, made before the deck to be shuffled is known.  Secret but for ``c``.

    ``pi[j]`` is the place (from 0) that output ``j`` comes from; ``c[pi[j]]`` commits to j and ``r[pi[j]]`` opens it.
    """

    pi: tuple[int, ...]
    r: tuple[int, ...] = field(repr=False)
    c: tuple[E, ...]


def random_permutation(n: int, rand: Rand) -> tuple[int, ...]:
    """A uniform permutation of ``range(n)`` (Fisher-Yates, draws rejected instead of reduced)."""
    pi = list(range(n))
    for i in range(n - 1, 0, -1):
        j = random_below(rand, i + 1)
        pi[i], pi[j] = pi[j], pi[i]
    return tuple(pi)


def commit_permutation(group: Group[E], hs: Sequence[E], pi: tuple[int, ...], r: Sequence[int]) -> Permutation[E]:
    """Step 1: c_pi(j) = r_pi(j) * B + H_j."""
    base = group.base
    made = group.sums([((r[i], 1), (base, h)) for i, h in zip(pi, hs, strict=True)])
    at = dict(zip(pi, made, strict=True))
    return Permutation(pi, tuple(r), tuple(at[i] for i in range(len(pi))))


def seed_of(statement: Statement[E], c: Sequence[E], ctx: bytes) -> bytes:
    """Step 2: SHA-512 over context, generators, key, both decks and the permutation commitment."""
    encode = statement.group.encode
    parts = [lp(ctx), encode(statement.group.base), encode(statement.h)]
    parts += map(encode, statement.hs)
    parts.append(encode(statement.key))
    for deck in (statement.before, statement.after):
        for slot in deck:
            parts += map(encode, slot)
    parts += map(encode, c)
    return hashlib.sha512(b"".join(parts)).digest()


def batching(seed: bytes, n: int, ctx: bytes, order: int) -> list[int]:
    """u_1 .. u_N."""
    return Scalars(seed, ctx + b"u", order).many([u32(i) for i in range(1, n + 1)])


def final_challenge(
    group: Group[E], seed: bytes, c_hat: Sequence[E], commitments: Commitments[E], ctx: bytes
) -> int:
    """Step 5: k."""
    message = seed + b"".join(map(group.encode, c_hat)) + commitments.encode(group)
    return hash_to_scalar(message, ctx + b"k", group.order)


def prove(
    statement: Statement[E],
    permutation: Permutation[E],
    rho: Sequence[Sequence[int]],
    nonces: Callable[[int], list[int]],
    ctx: bytes,
) -> Proof[E]:
    """Steps 2 to 6.

    ``rho[w][j]`` is the re-encryption randomness of output j's column w; ``nonces(n)`` gives n fresh secret scalars
    bound to this statement.  The caller vouches for the witness: nothing here checks that the statement is true.
    """
    group = statement.group
    order, base, combine = group.order, group.base, group.sum_products
    pi, r, after = permutation.pi, permutation.r, statement.after
    n, width = len(pi), statement.width
    seed = seed_of(statement, permutation.c, ctx)
    u = batching(seed, n, ctx, order)
    u_prime = [u[i] for i in pi]

    r_hat = nonces(n)
    omega1, omega2, omega3 = nonces(3)
    omega4 = nonces(width)
    omega_hat = nonces(n)
    omega_prime = nonces(n)

    pair = (base, statement.h)
    chain_r, chain_u = 0, 1  # R_{j-1}, U_{j-1}: the chain in closed form, so every factor falls on B or H
    for_t_hat, for_c_hat = [], []
    for j in range(n):
        factor = omega_prime[j]
        for_t_hat.append((((omega_hat[j] + chain_r * factor) % order, chain_u * factor % order), pair))
        chain_r = (r_hat[j] + u_prime[j] * chain_r) % order
        chain_u = u_prime[j] * chain_u % order
        for_c_hat.append(((chain_r, chain_u), pair))
    t_hat, c_hat = group.sums(for_t_hat), group.sums(for_c_hat)

    t4: list[E] = []
    for w in range(width):
        minus = -omega4[w] % order
        t4.append(combine([minus, *omega_prime], [base, *(slot[2 * w] for slot in after)]))
        t4.append(combine([minus, *omega_prime], [statement.key, *(slot[2 * w + 1] for slot in after)]))
    commitments = Commitments(
        t1=group.mul(omega1, base),
        t2=group.mul(omega2, base),
        t3=combine([omega3, *omega_prime], [base, *statement.hs]),
        t4=tuple(t4),
        t_hat=tuple(t_hat),
    )
    k = final_challenge(group, seed, c_hat, commitments, ctx)
    return Proof(
        c=permutation.c,
        c_hat=tuple(c_hat),
        k=k,
        s1=(omega1 + k * sum(r)) % order,
        s2=(omega2 + k * chain_r) % order,
        s3=(omega3 + k * sum(a * b for a, b in zip(r, u, strict=True))) % order,
        s4=tuple(
            (omega4[w] + k * sum(a * b for a, b in zip(rho[w], u_prime, strict=True))) % order for w in range(width)
        ),
        s_hat=tuple((a + k * b) % order for a, b in zip(omega_hat, r_hat, strict=True)),
        s_prime=tuple((a + k * b) % order for a, b in zip(omega_prime, u_prime, strict=True)),
    )


def _merged(scalars: Sequence[int], points: Sequence[E], order: int) -> tuple[list[int], list[E]]:
    """The same sum of products with each point once: in the first deck all alphas are B, the betas equal in pairs."""
    factors: dict[E, int] = {}
    for scalar, point in zip(scalars, points, strict=True):
        factors[point] = factors.get(point, 0) + scalar
    return [factor % order for factor in factors.values()], list(factors)


def recompute(statement: Statement[E], proof: Proof[E], u: Sequence[int]) -> Commitments[E]:
    """The commitments that V1 to V5 give for the challenge and responses of *proof*, with batching factors *u*."""
    group = statement.group
    order, base, combine = group.order, group.base, group.sum_products
    k, c, c_hat = proof.k, proof.c, proof.c_hat
    minus_k = -k % order
    minus_ku = [minus_k * factor % order for factor in u]
    product = 1
    for factor in u:
        product = product * factor % order

    t4: list[E] = []
    factors = [*proof.s_prime, *minus_ku]
    for w, s4 in enumerate(proof.s4):
        for side, anchor in ((2 * w, base), (2 * w + 1, statement.key)):
            points = [anchor, *(slot[side] for slot in statement.after), *(slot[side] for slot in statement.before)]
            t4.append(combine(*_merged([-s4 % order, *factors], points, order)))

    previous = [statement.h, *c_hat[:-1]]
    return Commitments(
        t1=combine((proof.s1, minus_k), (base, group.sub(group.total(c), statement.hs_sum))),
        t2=combine((proof.s2, minus_k, k * product % order), (base, c_hat[-1], statement.h)),
        t3=combine([proof.s3, *proof.s_prime, *minus_ku], [base, *statement.hs, *c]),
        t4=tuple(t4),
        t_hat=tuple(
            group.sums(
                [
                    ((s_hat, s_prime, minus_k), (base, before, this))
                    for s_hat, s_prime, before, this in zip(proof.s_hat, proof.s_prime, previous, c_hat, strict=True)
                ]
            )
        ),
    )


def verify(statement: Statement[E], proof: Proof[E], ctx: bytes) -> bool:
    """Whether *proof* shows *statement* here: the challenge in it is only ever compared with the one computed."""
    seed = seed_of(statement, proof.c, ctx)
    u = batching(seed, len(statement.before), ctx, statement.group.order)
    commitments = recompute(statement, proof, u)
    return final_challenge(statement.group, seed, proof.c_hat, commitments, ctx) == proof.k
