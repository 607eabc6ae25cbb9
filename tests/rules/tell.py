"""Short ways to write hand records in tests.

A hand is told by its tricks, one a line: the leader, then the cards clockwise.  From the twelve lines follow the four
hands as dealt (a player was dealt what he plays) and the events; the engine then judges all of it.
"""

from collections.abc import Sequence
from typing import Any

from protocol.rules.record import outcome, parse, replay
from protocol.rules.score import Result, result
from protocol.rules.state import HandState

Value = dict[str, Any]
HEALTHY = ("1 healthy", "2 healthy", "3 healthy", "4 healthy")


def bids(*reservations: str) -> tuple[str, ...]:
    """The four bids, and the namings given as events: ``bids("2 solo solo-jacks", "3 marriage")``."""
    reserved = {event[0] for event in reservations}
    said = tuple(f"{p} reservation" if p in reserved else f"{p} healthy" for p in "1234")
    return said + tuple(event for event in reservations if not event.endswith("unnamed"))


def lines(tricks: str) -> list[list[str]]:
    return [line.split() for line in tricks.strip().splitlines()]


def plays(tricks: str) -> list[tuple[int, str]]:
    """``(player 1..4, card)`` in order."""
    return [((int(leader) - 1 + i) % 4 + 1, card) for leader, *cards in lines(tricks) for i, card in enumerate(cards)]


def tell(
    tricks: str,
    *calls: str,
    bidding: Sequence[str] = HEALTHY,
    rules: str = "stargames",
    special: bool = True,
    duel: list[int] | None = None,
    hands: Sequence[str] | None = None,
    stop: int | None = None,
) -> Value:
    """A record's JSON value.

    *calls*: ``"2 no90 10"`` is player 2 calling no 90 when he holds ten cards, right after his second card (with
    twelve: before the first card of all); calls of one moment keep their order.  *hands*: the deal, where the tricks
    do not tell all of it.  *stop*: leave out all plays from this one on.
    """
    cards = plays(tricks)
    dealt = hands or [" ".join(card for player, card in cards if player == p) for p in (1, 2, 3, 4)]
    events = list(bidding)
    waiting = [call.split() for call in calls]
    left = {1: 12, 2: 12, 3: 12, 4: 12}
    events += [f"{p} call {what}" for p, what, held in waiting if held == "12"]
    for player, card in cards[:stop]:
        left[player] -= 1
        events.append(f"{player} play {card}")
        events += [f"{p} call {what}" for p, what, held in waiting if int(p) == player and int(held) == left[player]]
    return {
        "format": "doko-hand/1",
        "rules": rules,
        "options": {"special-points": special},
        "duel": duel,
        "hands": list(dealt),
        "events": events,
    }


def out(record: Value) -> Value:
    """What ``doko replay --json`` says of a record."""
    return outcome(replay(parse(record)))


def played(record: Value) -> HandState:
    """The state at the end of a record in which nothing may be refused."""
    replayed = replay(parse(record))
    assert replayed.refusal is None, replayed.refusal
    return replayed.state


def scored(record: Value) -> Result:
    return result(played(record))


def refused(record: Value) -> str:
    """The rule by which the *last* event of a record is refused."""
    value = out(record)
    assert value["status"] == "refused", value
    assert value["event"] == len(record["events"]) - 1, value
    rule = value["rule"]
    assert isinstance(rule, str)
    return rule


def cut(record: Value, *more: str, after: str) -> Value:
    """The record up to and including the event *after*, and then the events *more*."""
    events = record["events"]
    return {**record, "events": [*events[: events.index(after) + 1], *more]}


def items(record: Value) -> list[str]:
    """The reckoning as ``"side item points"``, with ``@trick`` where there is one."""
    found = out(record)["items"]
    return [f"{i['side']} {i['item']} {i['points']}" + (f" @{i['trick']}" if "trick" in i else "") for i in found]
