"""Chance for computer players that an audit can repeat: integers from a seed, the same on every machine.

The generator under it is Python's Mersenne twister through :meth:`random.Random.getrandbits` alone, seeded with an
integer: that pair is MT19937 as published and has not changed since Python 2; the tests pin its figures.  Nothing
here is secret or needs to be unpredictable to one who knows the seed.
"""

import hashlib
import random
from collections.abc import Iterable, MutableSequence
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from protocol.rules.view import HandView

DOMAIN: Final = b"DOKO1-botchance"


class Chance:
    """A stream of integers that follows from *key* (any bytes)."""

    __slots__ = ("bits",)

    def __init__(self, key: bytes) -> None:
        number = int.from_bytes(hashlib.sha256(DOMAIN + key).digest(), "big")
        #: ``bits(k)``: the next integer of k bits.
        self.bits = random.Random(number).getrandbits  # noqa: S311

    def below(self, n: int) -> int:
        """An integer in ``range(n)``, exactly uniform; *n* of any size above 0."""
        if n <= 0:
            raise ValueError(n)
        size = (n - 1).bit_length()
        if size == 0:
            return 0
        value = self.bits(size)
        while value >= n:
            value = self.bits(size)
        return value

    def shuffle(self, items: MutableSequence[Any]) -> None:
        """Put *items* into a uniformly random order, in place."""
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]

    def pick(self, items: Iterable[Any]) -> Any:
        """One of *items* with equal chances."""
        pool = tuple(items)
        return pool[self.below(len(pool))]


def decision_chance(view: "HandView", seed: bytes, purpose: bytes = b"") -> Chance:
    """The chance of one decision: follows from the deal's *seed*, what the seat sees and *purpose*.

    The public log is in it by its digest, so two decisions of a deal never share their numbers.
    """
    from protocol.rules.hand import digest

    return Chance(seed + digest(view.state) + bytes((view.me,)) + bytes(sorted(view.dealt)) + purpose)
