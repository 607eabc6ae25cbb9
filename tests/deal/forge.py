"""Forged shuffle and share proofs, and the weakened verifiers that would take them.

Each forgery is one that a published system has had to repair.  The forger here answers like an honest prover but for a
witness that is no permutation; he is written anew on purpose, straight from the equations, and shares no step with
:func:`protocol.deal.shuffle_proof.prove`.
"""

from collections.abc import Sequence

from protocol.deal.generators import Generators, generators
from protocol.deal.group import BASE, Group, ristretto
from protocol.deal.hashing import Q, hash_to_scalar, lp, random_scalar
from protocol.deal.shuffle_proof import (
    Commitments,
    Proof,
    Statement,
    batching,
    final_challenge,
    recompute,
    seed_of,
)

from .helpers import Stream

N = 48
Slots = Sequence[tuple[bytes, ...]]


def statement_of(key: bytes, before: Slots, after: Slots, gens: Generators | None = None) -> Statement[bytes]:
    gens = gens or generators()
    return Statement(ristretto(), gens.h, gens.hs, gens.hs_sum, key, before, after)


def answer(
    statement: Statement[bytes],
    seed: bytes,
    ctx: bytes,
    c: Sequence[bytes],
    u_prime: Sequence[int],
    secrets: tuple[int, int, int, Sequence[int]],
    rand: Stream,
) -> Proof[bytes]:
    """Answer the challenges for any ``u_prime``.

    *secrets*: log of sum(c) - sum(H_j); what to add to the log of the chain's end; log of sum(u_i c_i) - sum(u'_j H_j);
    per column the randomness by which sum(u'_j e'_j) differs from sum(u_i e_i).
    """
    group: Group[bytes] = statement.group
    n, width = len(c), statement.width
    r1, slack2, r3, r4 = secrets
    r_hat = [random_scalar(rand) for _ in range(n)]
    omega = [random_scalar(rand) for _ in range(3)]
    omega4 = [random_scalar(rand) for _ in range(width)]
    omega_hat = [random_scalar(rand) for _ in range(n)]
    omega_prime = [random_scalar(rand) for _ in range(n)]
    chain, t_hat, previous, end = [], [], statement.h, 0
    for j in range(n):
        t_hat.append(group.add(group.mul(omega_hat[j], BASE), group.mul(omega_prime[j], previous)))
        previous = group.add(group.mul(r_hat[j], BASE), group.mul(u_prime[j], previous))
        end = (r_hat[j] + u_prime[j] * end) % Q
        chain.append(previous)
    t4 = []
    for w in range(width):
        for side, anchor in ((2 * w, BASE), (2 * w + 1, statement.key)):
            products = [group.mul(o, slot[side]) for o, slot in zip(omega_prime, statement.after, strict=True)]
            t4.append(group.sub(group.total(products), group.mul(omega4[w], anchor)))
    t3 = group.total([group.mul(o, h) for o, h in zip(omega_prime, statement.hs, strict=True)])
    commitments = Commitments(
        group.mul(omega[0], BASE),
        group.mul(omega[1], BASE),
        group.add(group.mul(omega[2], BASE), t3),
        tuple(t4),
        tuple(t_hat),
    )
    k = final_challenge(group, seed, chain, commitments, ctx)
    return Proof(
        c=tuple(c),
        c_hat=tuple(chain),
        k=k,
        s1=(omega[0] + k * r1) % Q,
        s2=(omega[1] + k * (end + slack2)) % Q,
        s3=(omega[2] + k * r3) % Q,
        s4=tuple((o + k * r) % Q for o, r in zip(omega4, r4, strict=True)),
        s_hat=tuple((o + k * r) % Q for o, r in zip(omega_hat, r_hat, strict=True)),
        s_prime=tuple((o + k * u) % Q for o, u in zip(omega_prime, u_prime, strict=True)),
    )


# --- forge 1: permutation commitments that the batching challenge does not know -----------------------------------


def weak_seed(statement: Statement[bytes], ctx: bytes) -> bytes:
    """A seed that leaves out the permutation commitments."""
    return seed_of(statement, (), ctx)


def verify_with_weak_seed(statement: Statement[bytes], proof: Proof[bytes], ctx: bytes) -> bool:
    """The verifier weakened: u does not depend on c."""
    seed = weak_seed(statement, ctx)
    u = batching(seed, len(statement.before), ctx, Q)
    return final_challenge(statement.group, seed, proof.c_hat, recompute(statement, proof, u), ctx) == proof.k


def forge_scaled(
    key: bytes, before: Slots, a: int, b: int, ctx: bytes, rand: Stream
) -> tuple[list[tuple[bytes, ...]], Proof[bytes]]:
    """Forge 1: outputs 0 and 1 are card *a* times 2 and card *b* times 1/2; the commitments are chosen after u."""
    group, gens = ristretto(), generators()
    half = pow(2, -1, Q)
    rest = [i for i in range(N) if i not in (a, b)]
    sources, scales = [a, b, *rest], [2, half] + [1] * (N - 2)
    rho = [random_scalar(rand) for _ in range(N)]
    after = []
    for source, scale, r in zip(sources, scales, rho, strict=True):
        alpha, beta = before[source]
        after.append(
            (
                group.add(group.mul(scale, alpha), group.mul(r, BASE)),
                group.add(group.mul(scale, beta), group.mul(r, key)),
            )
        )
    statement = statement_of(key, before, after)
    seed = weak_seed(statement, ctx)
    u = batching(seed, N, ctx, Q)
    u_prime = [u[a] * half % Q, u[b] * 2 % Q] + [u[i] for i in rest]
    # rows a and b of the committed matrix: sum (1, 1), and weighted by u the two wrong entries of u'
    inverse = pow(u[a] - u[b], -1, Q)
    first, second = (u_prime[0] - u[b]) * inverse % Q, (u_prime[1] - u[b]) * inverse % Q
    rows = {a: (first, second), b: ((1 - first) % Q, (1 - second) % Q)}
    r = [random_scalar(rand) for _ in range(N)]
    c = []
    for i in range(N):
        point = group.mul(r[i], BASE)
        for j, factor in enumerate(rows[i]) if i in rows else [(sources.index(i), 1)]:
            point = group.add(point, group.mul(factor, gens.hs[j]))
        c.append(point)
    r3 = sum(x * y for x, y in zip(r, u, strict=True)) % Q
    r4 = sum(x * y for x, y in zip(rho, u_prime, strict=True)) % Q
    return after, answer(statement, seed, ctx, c, u_prime, (sum(r) % Q, 0, r3, [r4]), rand)


# --- forge 2: commitment generators with known logarithms ---------------------------------------------------------


def known_generators(rand: Stream) -> tuple[Generators, int, list[int]]:
    """Generators like the game's, but with known logarithms: (generators, log H, logs of H_j)."""
    group, real = ristretto(), generators()
    log_h, logs = random_scalar(rand), [random_scalar(rand) for _ in range(N)]
    hs = tuple(group.mul(x, BASE) for x in logs)
    return (
        Generators(
            group.mul(log_h, BASE), hs, group.total(hs), real.cards, real.card_of, real.queen, real.two_queens
        ),
        log_h,
        logs,
    )


def forge_with_known_logs(
    key: bytes, before: Slots, more: int, fewer: int, gens: Generators, log_h: int, logs: list[int], ctx: bytes,
    rand: Stream,
) -> tuple[list[tuple[bytes, ...]], Proof[bytes]]:  # fmt: skip
    """Forge 2, by the first shuffler: one copy of type *fewer* becomes a third copy of type *more*.

    The Fiat-Shamir challenges are the strong ones; what fails is that the commitments bind nobody.
    """
    group = ristretto()
    sources = list(range(N))
    sources[2 * fewer + 1] = 2 * more
    rho = [random_scalar(rand) for _ in range(N)]
    after = [
        (group.add(before[i][0], group.mul(r, BASE)), group.add(before[i][1], group.mul(r, key)))
        for i, r in zip(sources, rho, strict=True)
    ]
    statement = statement_of(key, before, after, gens)
    gammas = [random_scalar(rand) for _ in range(N)]
    c = [group.mul(g, BASE) for g in gammas]
    seed = seed_of(statement, c, ctx)
    u = batching(seed, N, ctx, Q)
    # The first deck's copies of a type are one ciphertext: only the sums per type have to agree.
    u_prime = list(u)
    u_prime[2 * fewer] = (u[2 * fewer] + u[2 * fewer + 1]) % Q
    u_prime[2 * fewer + 1] = 5
    u_prime[2 * more] = (u[2 * more] - 5) % Q
    product, wanted = 1, 1
    for x, y in zip(u_prime, u, strict=True):
        product, wanted = product * x % Q, wanted * y % Q
    secrets = (
        (sum(gammas) - sum(logs)) % Q,
        log_h * (product - wanted) % Q,
        (sum(x * y for x, y in zip(u, gammas, strict=True)) - sum(x * y for x, y in zip(u_prime, logs, strict=True)))
        % Q,
        [sum(x * y for x, y in zip(u_prime, rho, strict=True)) % Q],
    )
    return after, answer(statement, seed, ctx, c, u_prime, secrets, rand)


# --- forge 3: a share that its challenge does not know ------------------------------------------------------------


def weak_dleq_challenge(public: bytes, c: bytes, t2: bytes, t3: bytes, ctx: bytes) -> int:
    """A challenge that leaves out the share."""
    return hash_to_scalar(lp(public) + lp(c) + lp(t2) + lp(t3) + b"Challenge", ctx)


def verify_with_weak_dleq(public: bytes, c: bytes, share: bytes, proof: bytes, ctx: bytes) -> bool:
    """The verifier weakened: the challenge does not hash the share."""
    group = ristretto()
    challenge, z = int.from_bytes(proof[:32], "little"), int.from_bytes(proof[32:], "little")
    t2 = group.sum_products((z, challenge), (BASE, public))
    t3 = group.sum_products((z, challenge), (c, share))
    return weak_dleq_challenge(public, c, t2, t3, ctx) == challenge


def forge_share(x: int, public: bytes, c: bytes, delta: bytes, ctx: bytes, rand: Stream) -> tuple[bytes, bytes]:
    """Forge 3: commitment t3 moved by *delta*, the share solved for after the challenge.  (share, proof)."""
    group = ristretto()
    w = random_scalar(rand)
    t2, t3 = group.mul(w, BASE), group.add(group.mul(w, c), delta)
    challenge = weak_dleq_challenge(public, c, t2, t3, ctx)
    z = (w - challenge * x) % Q
    share = group.mul(pow(challenge, -1, Q), group.sub(t3, group.mul(z, c)))
    return share, challenge.to_bytes(32, "little") + z.to_bytes(32, "little")


