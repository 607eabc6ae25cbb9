"""A multiplicative group modulo a safe prime, for the published sample of a shuffle proof."""

from collections.abc import Sequence

from protocol.deal.group import Group


class ModP(Group[int]):
    """The quadratic residues modulo p = 2q + 1, written additively like every :class:`Group`."""

    identity = 1

    def __init__(self, p: int, q: int, base: int) -> None:
        self.p, self.order, self.base = p, q, base

    def add(self, a: int, b: int) -> int:
        return a * b % self.p

    def sub(self, a: int, b: int) -> int:
        return a * pow(b, -1, self.p) % self.p

    def mul(self, scalar: int, point: int) -> int:
        return pow(point, scalar, self.p)

    def sum_products(self, scalars: Sequence[int], points: Sequence[int]) -> int:
        result = 1
        for scalar, point in zip(scalars, points, strict=True):
            result = result * pow(point, scalar, self.p) % self.p
        return result

    def encode(self, point: int) -> bytes:
        return point.to_bytes((self.p.bit_length() + 7) // 8, "big")
