"""The table of one match as one of its four nodes runs it: the observer of :mod:`protocol.table.match` and our secrets.

Theory of operation (see :mod:`protocol.table.effects` for the effects)::

    shell                         Table                              Match (observer, no secrets)
    start, receive, act  ----->   waits, holds, asks for what is   -->  judges every entry of all seats, ours too
    tick, link, done              missing; makes our entries            says whose turn it is
                         <-----   effects, in order

The shell calls one method at a time.  ``now`` is any clock that does not jump (seconds); it may start anew with each
process.  Every method returns effects; after each call ask :attr:`next_tick`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from protocol.table.effects import Command, Effect, Stored
from protocol.table.view import CoreView

if TYPE_CHECKING:
    from protocol.table.gathering import Setup


@dataclass(frozen=True, slots=True)
class Secrets:
    """The keys of our identity: Ed25519 signing key (32-byte seed) and X25519 static private key (32 bytes)."""

    signing: bytes = field(repr=False)
    static: bytes = field(repr=False)


class Table:
    """One match, one seat."""

    def __init__(
        self,
        setup: Setup,
        secrets: Secrets,
        rand: Callable[[int], bytes],
        *,
        stored: Stored | None = None,
        seed: Callable[[int], bytes] | None = None,
    ) -> None:
        """*setup* from the gathering, *rand(n)* gives n fresh random bytes (``secrets.token_bytes``).

        *stored*: None only for a match that has just been gathered in this process; after every start of a process what
        the store holds, even if that is nothing: then nothing is signed before each seat has told us the last entries of
        ours that it holds.  *seed*: of a computer, the seed of a deal number (``SeedChain.seed``).
        """
        raise NotImplementedError

    def start(self, now: float) -> list[Effect]:
        """Begin, once, before anything else."""
        raise NotImplementedError

    def receive(self, seat: int, raw: bytes, now: float) -> list[Effect]:
        """An encoded link message with a number of 70..109 came from *seat*'s link.  Never raises."""
        raise NotImplementedError

    def act(self, command: Command, now: float) -> list[Effect]:
        """Our player's wish.  Raises ``Refusal`` (rule number in it) and changes nothing if it is not allowed now."""
        raise NotImplementedError

    def tick(self, now: float) -> list[Effect]:
        """Time has passed: clocks, graces, and asking again for what does not come."""
        raise NotImplementedError

    def link(self, seat: int, up: bool, now: float) -> list[Effect]:
        """The link to *seat* is up (a new one: what was sent on the old one may be lost) or down."""
        raise NotImplementedError

    def done(self, job: int, result: object, now: float) -> list[Effect]:
        """The result of a ``Compute``, or the exception it raised."""
        raise NotImplementedError

    def view(self, now: float) -> CoreView:
        """What our seat may see."""
        raise NotImplementedError

    @property
    def next_tick(self) -> float | None:
        """When ``tick`` has to be called next, or None."""
        raise NotImplementedError
