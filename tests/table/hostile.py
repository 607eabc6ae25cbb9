"""A hostile seat for the scripted network: it signs what it likes, with all the keys of its own seat.

:class:`Foe` sits beside a node whose honest core keeps it in the game; tests take its player away and sign instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from protocol.refusal import Code
from protocol.table import effects, own
from protocol.table.entries import Entry, Signer, message_of, read_entry
from protocol.table.hand_phase import HandPhase
from protocol.table.match import Match
from protocol.table.own import OwnDeal
from protocol.table.table import Table
from protocol.table.verify import Verdict, verify
from protocol.wire.entries import Chain, Fields, Kind
from protocol.wire.messages import Entry as EntryMessage
from protocol.wire.messages import decode
from tests.table.net import SEATS, Node, Wire, World, people


class Foe:
    """The hostile seat *seat* of *world*."""

    def __init__(self, world: World, seat: int) -> None:
        self.world = world
        self.seat = seat
        self.node: Node = world.nodes[seat]
        self.signer = Signer(world.setups[seat].match_id, seat, people()[seat].signing)
        self.others = tuple(other for other in SEATS if other != seat)
        self.node.table._convict = lambda fault: None  # type: ignore[method-assign]  # it accuses nobody, least itself

    @property
    def table(self) -> Table:
        return self.node.table

    @property
    def match(self) -> Match:
        return self.table.match

    @property
    def hand(self) -> HandPhase:
        hand = self.match.hand
        assert hand is not None
        return hand

    @property
    def mine(self) -> OwnDeal:
        return self.table._deals[self.hand.deal.number]

    def main(self, kind: Kind, fields: Fields, *, seq: int | None = None, parent: bytes | None = None) -> Entry:
        """An entry for the main chain; by default the next number on the current head."""
        number = self.table._next_seq(Chain.MAIN, 0) if seq is None else seq
        head = self.match.main.head if parent is None else parent
        return self.signer.make(Chain.MAIN, self.hand.deal.number, number, head, kind, fields)

    def deal(self, kind: Kind, fields: Fields, *, seq: int | None = None, parent: bytes | None = None) -> Entry:
        """An entry for the running deal chain."""
        deal = self.match.next_deal
        assert deal is not None
        number = self.table._next_seq(Chain.DEAL, deal.number) if seq is None else seq
        head = deal.log.head if parent is None else parent
        return self.signer.make(Chain.DEAL, deal.number, number, head, kind, fields)

    def show(self, entry: Entry, *targets: int) -> None:
        """Deliver an entry at once, to all others by default."""
        for target in targets or self.others:
            self.world.inject(Wire(self.seat, target, message_of(entry)))

    def card(self, card: int) -> own.wire.Play:
        """An honest PLAY of this card (raises ``Refusal`` where honest code refuses to make it)."""
        return own.make_play(*own.play_arguments(self.mine, self.hand, card, self.table._rand))


def refusals(world: World, accused: int) -> dict[int, Code]:
    """What each of the others has refused of the accused seat."""
    found: dict[int, Code] = {}
    for node in world.nodes:
        for event in node.shown:
            if isinstance(event, effects.Refused) and event.seat == accused:
                found.setdefault(node.seat, event.code)
    return found


def convicted(world: World, accused: int, code: Code) -> list[Verdict]:
    """Every other seat has refused with *code* and holds evidence that convicts a stranger's eyes, too."""
    others = [seat for seat in SEATS if seat != accused]
    world.run(until=world.now + 10, stop=lambda: len(refusals(world, accused)) == 3)
    assert refusals(world, accused) == dict.fromkeys(others, code), refusals(world, accused)
    verdicts = []
    for seat in others:
        file = world.nodes[seat].evidence[-1]
        verdict = verify(file)
        assert verdict.good, verdict.problem
        assert (verdict.kind, verdict.seat, verdict.code) == ("evidence", accused, code.value)
        verdicts.append(verdict)
    return verdicts


def until(world: World, what: Callable[[], bool], time: float = 300.0) -> None:
    """Run until something holds."""
    world.run(until=world.now + time, stop=what)
    assert what(), world.describe()


def entries_of(wires: Iterable[Wire]) -> list[tuple[Wire, Entry]]:
    """The entries among messages."""
    found = []
    for wire in wires:
        message = decode(wire.raw)
        if isinstance(message, EntryMessage):
            found.append((wire, read_entry(message.p, message.s)))
    return found


def changed(fields: Fields, **values: object) -> Fields:
    """The same fields with some of them changed."""
    return msgspec.structs.replace(fields, **values)
