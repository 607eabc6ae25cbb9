"""Two signed entries of one seat that cannot both stand: the pair convicts their author, whoever brings it.

- two payloads for one place (seat, chain, deal, sequence number);
- VOID and the turn (BID, NAME, MARRY, PLAY) on one head: those who see them in different order would go different ways,
  and no place is taken twice;
- KEEP and a decision against a seat (RESTART naming one, DROP) on one head: KEEP says that there is none.
"""

from __future__ import annotations

from typing import Final

from protocol.refusal import Code, Refusal
from protocol.table.entries import Entry
from protocol.wire import entries as wire
from protocol.wire.entries import Kind

#: Rounds of one: the kinds whose author can be alone in owing the next entry of a hand.
TURNS: Final = frozenset({Kind.BID, Kind.NAME, Kind.MARRY, Kind.PLAY})


class Equivocation(Refusal):
    """Two entries of one seat that contradict each other: evidence against it, whoever brought them."""

    def __init__(self, first: Entry, second: Entry) -> None:
        if first.place is not None and first.place == second.place:
            why = "this seat has signed another entry for the same place"
        else:
            why = f"on the head on which this seat has signed {first.kind.name}"
        super().__init__(Code.EQUIVOCATION, f"{second.words()}: {why}")
        self.first = first
        self.second = second


def contradict(first: Entry, second: Entry) -> bool:
    """Whether one seat may not have signed both, see the module.  Needs nothing but the two entries."""
    if first.seat != second.seat or first.says.match != second.says.match or first.hash == second.hash:
        return False
    if first.place is not None and first.place == second.place:
        return True
    if first.chain is not second.chain or first.parent != second.parent:
        return False
    return _excludes(first, second) or _excludes(second, first)


def _excludes(one: Entry, other: Entry) -> bool:
    if one.kind is Kind.VOID:
        return other.kind in TURNS
    return one.kind is Kind.KEEP and against_a_seat(other)


def against_a_seat(entry: Entry) -> bool:
    """A decision that takes a seat's place from it."""
    fields = entry.says.fields
    return entry.kind is Kind.DROP or (isinstance(fields, wire.Restart) and fields.seat is not None)
