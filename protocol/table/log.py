"""Chains of rounds and their heads: the order of everything that counts.

::

    head_0 --round--> head_1 --round--> head_2 ...          head' = SHA-256(head || entry hashes in seat order)

A round has a fixed set of authors and is closed when each has one entry in it.  A round of one is a turn.  So there is
always one set of authors of the next entries, and one order for all, without a server or a vote.

    main chain   head_0 = SHA-256("DOKO1-main" || match || terms hash || roster hash)
    deal chain   head_0 = SHA-256("DOKO1-deal" || match || terms hash || u32 deal number)
"""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from protocol.table.entries import Entry
from protocol.wire.entries import Chain, Kind

DOMAIN_MAIN: Final = b"DOKO1-main"
DOMAIN_DEAL: Final = b"DOKO1-deal"
ALL: Final = (0, 1, 2, 3)


def main_head(match: bytes, terms_hash: bytes, roster_hash: bytes) -> bytes:
    """First head of the main chain."""
    return hashlib.sha256(DOMAIN_MAIN + match + terms_hash + roster_hash).digest()


def deal_head(match: bytes, terms_hash: bytes, deal: int) -> bytes:
    """First head of a deal chain."""
    return hashlib.sha256(DOMAIN_DEAL + match + terms_hash + deal.to_bytes(4, "big")).digest()


def next_head(head: bytes, hashes: Iterable[bytes]) -> bytes:
    """The head after a round, from its entry hashes in seat order."""
    return hashlib.sha256(head + b"".join(hashes)).digest()


@dataclass(frozen=True, slots=True)
class Round:
    """A closed round: its entries in seat order; none where a file has left them out."""

    entries: tuple[Entry, ...]

    @property
    def kind(self) -> Kind | None:
        return self.entries[0].kind if self.entries else None


class ChainLog:
    """One chain: closed rounds, and the open one.

    ``heads[i]`` is the head below round *i*, so ``heads[-1]`` is the current one.
    """

    def __init__(self, chain: Chain, deal: int, head: bytes) -> None:
        self.chain = chain
        self.deal = deal
        self.heads: list[bytes] = [head]
        self.rounds: list[Round] = []
        self.kinds: frozenset[Kind] = frozenset()
        self.authors: tuple[int, ...] = ()
        self.open: dict[int, Entry] = {}
        self._index: dict[bytes, int] = {head: 0}

    @property
    def head(self) -> bytes:
        """The current head."""
        return self.heads[-1]

    @property
    def length(self) -> int:
        """Number of closed rounds."""
        return len(self.rounds)

    def position(self, head: bytes) -> int | None:
        """How many rounds are closed below *head*, None for a head that is not on this chain."""
        return self._index.get(head)

    def expect(self, kinds: Iterable[Kind], authors: Iterable[int]) -> None:
        """The next round: which kinds, by whom (ascending seats)."""
        assert not self.open
        self.kinds = frozenset(kinds)
        self.authors = tuple(authors)

    def withdraw(self) -> None:
        """Take back the open round: nothing is expected, what was signed in it is void."""
        self.kinds, self.authors, self.open = frozenset(), (), {}

    @property
    def missing(self) -> tuple[int, ...]:
        """Authors of the open round that have not signed yet."""
        return tuple(seat for seat in self.authors if seat not in self.open)

    def add(self, entry: Entry) -> None:
        """Put a judged entry into the open round."""
        assert entry.seat in self.missing
        assert entry.kind in self.kinds
        assert entry.parent == self.head
        self.open[entry.seat] = entry

    @property
    def full(self) -> bool:
        """Every author of the open round has signed."""
        return bool(self.authors) and len(self.open) == len(self.authors)

    @property
    def provisional(self) -> bytes:
        """The head that the full open round leads to."""
        return next_head(self.head, (self.open[seat].hash for seat in self.authors))

    def close(self) -> Round:
        """Close the full round; nothing is expected until :meth:`expect`."""
        head = self.provisional
        done = Round(tuple(self.open[seat] for seat in self.authors))
        self.rounds.append(done)
        self.heads.append(head)
        self._index[head] = self.length
        self.kinds, self.authors, self.open = frozenset(), (), {}
        return done

    def skip(self, hashes: Iterable[bytes]) -> None:
        """Pass over a round of which only the entry hashes are known (files leave some out)."""
        self.withdraw()
        head = next_head(self.head, hashes)
        self.rounds.append(Round(()))
        self.heads.append(head)
        self._index[head] = self.length

    def entries_from(self, position: int) -> Iterator[Entry]:
        """All entries of the rounds from *position* on, the open round's last."""
        for done in self.rounds[position:]:
            yield from done.entries
        yield from (self.open[seat] for seat in sorted(self.open))
