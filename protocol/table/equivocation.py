"""Two signed entries of one seat that cannot both stand: the pair convicts their author, whoever brings it.

- two payloads for one place (seat, chain, deal, sequence number);
- VOID and the turn (BID, NAME, MARRY, PLAY) on one head: those who see them in different order would go different ways,
  and no place is taken twice;
- KEEP and what it says that its author does not sign on that head: RESTART, DROP.  On the first head of a deal chain,
  where RESTARTs of all four stand, it is about these; elsewhere about decisions against a seat.
"""

from __future__ import annotations

from typing import Final

from protocol.refusal import Code, Refusal
from protocol.table.entries import Entry
from protocol.table.log import deal_head
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


def contradict(first: Entry, second: Entry, terms_hash: bytes) -> bool:
    """Whether one seat may not have signed both, see the module.  Needs nothing else but the hash of the terms."""
    if first.seat != second.seat or first.says.match != second.says.match or first.hash == second.hash:
        return False
    if first.place is not None and first.place == second.place:
        return True
    if first.chain is not second.chain or first.parent != second.parent:
        return False
    return _excludes(first, second, terms_hash) or _excludes(second, first, terms_hash)


def _excludes(one: Entry, other: Entry, terms_hash: bytes) -> bool:
    if one.kind is Kind.VOID:
        return other.kind in TURNS
    fields = other.says.fields
    if one.kind is not Kind.KEEP or not isinstance(fields, wire.Restart | wire.Drop):
        return False
    if isinstance(fields, wire.Drop):
        return True
    by_all = one.parent == deal_head(one.says.match, terms_hash, one.deal)
    return by_all is (fields.seat is None)
