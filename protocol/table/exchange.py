"""What two nodes tell each other so that both have all entries: pure functions over a :class:`Match`."""

from collections.abc import Iterator, Sequence

from protocol.table.deal_phase import DealPhase
from protocol.table.entries import Entry
from protocol.table.log import ChainLog
from protocol.table.match import Match
from protocol.wire.entries import Chain, Kind
from protocol.wire.sync import Progress


def latest_deal(match: Match) -> DealPhase:
    """The deal chain with the highest number."""
    return match.deals[len(match.deals) - 1]


def progress(match: Match) -> Progress:
    """Where a node is."""
    deal = latest_deal(match)
    return Progress(
        main=match.main.length,
        main_head=match.main.head,
        deal=deal.number,
        deal_length=deal.log.length,
        deal_head=deal.log.head,
    )


def forked(match: Match, at: Progress) -> ChainLog | None:
    """The chain on which the other node has a head that is not ours, None if there is none that we could know of."""
    if at.main <= match.main.length and match.main.heads[at.main] != at.main_head:
        return match.main
    deal = match.deals.get(at.deal)
    if deal is not None and at.deal_length <= deal.log.length and deal.log.heads[at.deal_length] != at.deal_head:
        return deal.log
    return None


def behind(match: Match, at: Progress) -> bool:
    """Whether the other node has rounds that we lack."""
    deal = latest_deal(match)
    if at.main > match.main.length or at.deal > deal.number:
        return True
    return at.deal == deal.number and at.deal_length > deal.log.length


def lacking(match: Match, at: Progress) -> Iterator[Entry]:
    """Our entries that the other node may lack, in an order in which it can take them: those behind where it is, open
    rounds, decisions and pending calls always."""
    main = min(at.main, match.main.length)
    below = {entry.hash for done in match.main.rounds[:main] for entry in done.entries}
    deal = match.deals.get(at.deal)
    if deal is not None:
        rounds = deal.log.rounds[: at.deal_length]
        below |= {entry.hash for done in rounds for entry in done.entries}
    for entry in match.entries():
        if entry.chain is Chain.DEAL and entry.deal < at.deal and entry.kind is not Kind.RESTART:
            continue
        if entry.hash not in below:
            yield entry


def first_difference(log: ChainLog, heads: Sequence[bytes]) -> int | None:
    """The round (its index) that the two nodes closed differently, None if one is the other's beginning."""
    for index, (ours, theirs) in enumerate(zip(log.heads, heads, strict=False)):
        if ours != theirs:
            return max(0, index - 1)
    return None


def last_of(match: Match, seat: int) -> list[Entry]:
    """The last entries of *seat* that we hold: on the main chain, on its two latest deal chains, and its decisions.

    A VOID on a head that has moved excludes nothing that could still be signed there.
    """
    best: dict[tuple[int, int], Entry] = {}
    for entry in match.known.values():
        if entry.seat != seat or entry.place is None:
            continue
        key = (entry.place[1], entry.place[2])
        if key not in best or entry.seq > best[key].seq:
            best[key] = entry
    last = [entry for (chain, _), entry in best.items() if chain == Chain.MAIN]
    deals = sorted((entry for (chain, _), entry in best.items() if chain == Chain.DEAL), key=lambda e: e.deal)
    known = (e for e in match.known.values() if e.seat == seat and e.place is None)
    decisions = [e for e in known if e.kind is not Kind.VOID or e.parent == match.main.head]
    return last + deals[-2:] + decisions[-24:]
