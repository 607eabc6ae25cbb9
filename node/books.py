"""From a match that is over to what the store keeps of it: hands with their records, bookings, the settlement."""

from collections.abc import Sequence

from node.ledger import match_rows
from node.store import HandRow, Store
from protocol.rules.record import Record, events_of, record_of
from protocol.table.end_phase import ClosedHand
from protocol.table.roster import Setup


def record_text(closed: ClosedHand) -> str:
    """The hand's record as one line of JSON; empty if not all cards were shown (a hand thrown away early)."""
    if closed.hands:
        return Record(closed.state.rules, closed.hands, tuple(events_of(closed.state))).text()
    try:
        return record_of(closed.state).text()
    except ValueError:
        return ""


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


def book(
    store: Store, setup: Setup, closed: Sequence[ClosedHand], settlement: bytes, *, now: float, file: str = ""
) -> None:
    """Close the match in *store* with its hands, bookings and settlement file, all or nothing; may be repeated.

    ``ValueError`` unless the money of the hands sums to 0.
    """
    terms = setup.terms
    rows = match_rows(
        [(player.identity, player.nickname) for player in setup.roster.players],
        [sum(hand.money[seat] for hand in closed) for seat in range(4)],
        [sum(hand.points[seat] for hand in closed) for seat in range(4)],
        sum(hand.kitty for hand in closed),
        terms.kitty,
        terms.currency,
    )
    known = {hand.deal for hand in store.hands(setup.match_id)}
    hands = [hand_row(setup.match_id, hand, now) for hand in closed if hand.deal not in known]
    store.finish_match(setup.match_id, settlement, file=file, ledger=rows, hands=hands)
