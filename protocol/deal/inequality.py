"""Inequality: "none of these ciphertexts holds one of these points", without showing what they hold.

For each (slot, type) pair one randomised difference T = y * (M - M_k) and two responses, under one challenge for all:

    proof    κ | T σa σy per pair, in order of slot, then type : 32 + 96 * pairs bytes

With a = x * y proven by y * Y = a * B, T = y * (M - M_k) is not the identity, hence M is not M_k.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from protocol.deal.deck import Pair
from protocol.deal.generators import generators
from protocol.deal.group import BASE, read_point, read_scalar, ristretto, write_scalar
from protocol.deal.hashing import Kind, Nonces, Place, Q, Rand, hash_to_scalar, u8, u16
from protocol.deal.shares import decrypt
from protocol.refusal import Code, Refusal

#: Stands in the hash for the point 2W (a duel's "both club queens"), which is no card type.
TWO_QUEENS: Final = 255
_PER_PAIR: Final = 96


@dataclass(frozen=True, slots=True)
class Item:
    """One pair: a ciphertext under the prover's key alone, and the type (with its point) that it does not hold."""

    pair: Pair
    k: int
    point: bytes


def items_for(pairs: Iterable[Pair], types: Iterable[int]) -> list[Item]:
    """Every pair against every type, in order of pair, then type ascending."""
    cards = generators().cards
    ordered = sorted(types)
    return [Item(pair, k, cards[k]) for pair in pairs for k in ordered]


def two_queens_item(pair: Pair) -> Item:
    """A computer's marker sum against 2W."""
    return Item(pair, TWO_QUEENS, generators().two_queens)


def size(count: int) -> int:
    """Bytes of a proof over *count* pairs."""
    return 32 + _PER_PAIR * count


def prove(place: Place, x: int, public: bytes, items: Sequence[Item], rand: Rand) -> bytes:
    """The proof of *place*'s seat (*public* = x * B) for *items*.

    A false statement is not proven: VOID is raised before anything is made.  All pairs take the same steps.
    """
    group = ristretto()
    opened = {pair: decrypt(x, pair) for pair in dict.fromkeys(item.pair for item in items)}
    if not items or any([opened[item.pair] == item.point for item in items]):  # noqa: C419  (no early exit)
        raise Refusal(Code.VOID, "there is no such proof: the statement is false or empty")
    ctx = place.ctx(Kind.NEQ)
    statement = b"".join([item.pair[0] + item.pair[1] + u8(item.k) for item in items])
    nonces = Nonces(write_scalar(x), rand, ctx, public + u16(len(items)) + statement)
    hashed, made = [public, u16(len(items))], []
    for item in items:
        alpha, b = item.pair
        y, phi, theta = nonces.take(3)
        t = group.mul(y, group.sub(opened[item.pair], item.point))
        a1 = group.sum_products((theta, -phi % Q), (group.sub(b, item.point), alpha))
        a2 = group.mul((theta * x - phi) % Q, BASE)
        hashed.append(alpha + b + u8(item.k) + t + a1 + a2)
        made.append((t, phi, y * x % Q, theta, y))
    kappa = hash_to_scalar(b"".join(hashed), ctx)
    out = [write_scalar(kappa)]
    for t, phi, a, theta, y in made:
        out += (t, write_scalar((phi + kappa * a) % Q), write_scalar((theta + kappa * y) % Q))
    return b"".join(out)


def check(place: Place, public: bytes, items: Sequence[Item], proof: object, code: Code = Code.VOID) -> None:
    """Refuse unless *proof* shows for every item that the ciphertext does not hold the point.

    FORMAT for no bytes or no items, *code* for a proof of another number of pairs or one that does not hold, POINT (an
    identity T above all) and SCALAR for its parts.  *items* are the verifier's own.
    """
    if type(proof) is not bytes or not items or (len(proof) - 32) % _PER_PAIR or len(proof) <= 32:
        raise Refusal(Code.FORMAT, "inequality: not a challenge and 96 bytes for each pair")
    if len(proof) != size(len(items)):
        raise Refusal(code, f"inequality: not over the {len(items)} pairs it has to be over")
    kappa = read_scalar(proof[:32], "inequality challenge")
    parsed = []
    for at in range(32, len(proof), _PER_PAIR):
        t = read_point(proof[at : at + 32], "inequality, T")
        sigma_a = read_scalar(proof[at + 32 : at + 64], "inequality, response a")
        parsed.append((t, sigma_a, read_scalar(proof[at + 64 : at + 96], "inequality, response y")))
    group = ristretto()
    hashed = [public, u16(len(items))]
    minus_kappa = -kappa % Q
    for item, (t, sigma_a, sigma_y) in zip(items, parsed, strict=True):
        alpha, b = item.pair
        minus_a = -sigma_a % Q
        a1 = group.sum_products((sigma_y, minus_a, minus_kappa), (group.sub(b, item.point), alpha, t))
        a2 = group.sum_products((sigma_y, minus_a), (public, BASE))
        hashed.append(alpha + b + u8(item.k) + t + a1 + a2)
    if hash_to_scalar(b"".join(hashed), place.ctx(Kind.NEQ)) != kappa:
        raise Refusal(code, f"seat {place.seat}: the inequality does not hold")
