"""From a match that is over to what stays of it: the settlement file, hands with their records, the bookings."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from node.files import make_private_directory, write_atomic
from node.ledger import match_rows
from node.plan import Plan
from node.store import HandRow, Store
from protocol.rules.record import Record, events_of, record_of
from protocol.table.end_phase import ClosedHand

SUFFIX: Final = ".settlement"


def close_books(
    store: Store,
    plan: Plan,
    settlement: bytes,
    finished: Sequence[ClosedHand],
    directory: Path,
    now: float,
    *,
    money: bool = True,
) -> Path:
    """Write the *settlement* into *directory*, close the match in *store* with all that is booked; where the file is.

    May be repeated with a settlement that has one more signature: nothing is booked twice.  The transaction comes
    last, so after a crash the match is still open and is settled again.  Without *money* (practice) nothing goes to the
    ledger.  Raises :class:`DokoError`; ``ValueError`` unless the money of the hands sums to 0.
    """
    setup = plan.setup
    terms = setup.terms
    rows = match_rows(
        [(player.identity, player.nickname) for player in setup.roster.players],
        [sum(hand.money[seat] for hand in finished) for seat in range(4)],
        [sum(hand.points[seat] for hand in finished) for seat in range(4)],
        sum(hand.kitty for hand in finished),
        terms.kitty,
        terms.currency,
    )
    make_private_directory(directory)
    path = directory / f"{plan.match.hex()[:16]}{SUFFIX}"
    write_atomic(path, settlement, replace=True)
    hands = [hand_row(plan.match, hand, now) for hand in finished]
    store.finish_match(plan.match, settlement, file=str(path), ledger=rows if money else [], hands=hands)
    return path


def hand_row(match: bytes, closed: ClosedHand, played: float) -> HandRow:
    """What the store keeps of a hand; *played* in seconds since 1970."""
    contract = closed.result.contract
    return HandRow(
        match,
        closed.deal,
        closed.number,
        closed.forehand,
        "" if contract is None else contract.value,
        closed.result.value,
        closed.kitty,
        record_text(closed),
        played,
        closed.points,
        closed.money,
    )


def record_text(closed: ClosedHand) -> str:
    """The hand's record as one line of JSON; empty if not all cards were shown (a hand thrown away early)."""
    if closed.hands:
        return Record(closed.state.rules, closed.hands, tuple(events_of(closed.state))).text()
    try:
        return record_of(closed.state).text()
    except ValueError:
        return ""
