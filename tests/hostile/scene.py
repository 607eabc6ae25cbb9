"""One attack as a test sees it, whatever carries the messages: who sends what, and what the honest nodes make of it.

:class:`RoomScene` is four table cores in one room (:mod:`tests.hostile.room`); :class:`tests.hostile.node.TcpScene`
gives the same cores to four real nodes, each with its session, store, hub and sockets.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from protocol.deal.deck import slots_of
from protocol.deal.group import ristretto, write_scalar
from protocol.refusal import Code
from protocol.rules.hand import digest
from protocol.table import effects
from protocol.table.deal_phase import DealState
from protocol.table.effects import Command, Effect
from protocol.table.entries import Entry, message_of
from protocol.table.table import Table
from protocol.table.verify import verify
from protocol.wire.entries import Kind
from tests.hostile.forge import Forger
from tests.hostile.room import HostileTable, Room, Sent, mute
from tests.table.net import SEATS, people

#: Kinds of entries that an attacker's program never makes by itself.
SILENT = (
    *(Kind.COMMIT, Kind.KEYS, Kind.KEYOK, Kind.SHAREOPEN, Kind.SHUF, Kind.DECKOK, Kind.SHARES),
    *(Kind.BID, Kind.NAME, Kind.MARRY, Kind.PLAY),
)


class Scene(ABC):
    """A table at rest, one or two seats of which are hostile."""

    def __init__(self, room: Room, hostile: int | tuple[int, ...]) -> None:
        self.room = room
        self.hostiles = (hostile,) if isinstance(hostile, int) else hostile
        self.hostile = self.hostiles[0]
        self.honest = tuple(seat for seat in SEATS if seat not in self.hostiles)
        for seat in self.hostiles:
            table = room.tables[seat]
            mute(table, *SILENT, *(table.muted if isinstance(table, HostileTable) else ()))
        self.tables: Sequence[Table] = room.tables
        self.forgers = {seat: Forger(room.tables[seat]) for seat in self.hostiles}
        self.forge = self.forgers[self.hostile]
        self.before = {seat: mark(room.tables[seat]) for seat in SEATS}
        self.secrets = {seat: secrets_of(room.tables[seat]) for seat in self.honest}
        self.shown: set[bytes] = set()  # secrets that the protocol itself shows in this scene

    # -- what carries it --

    @property
    @abstractmethod
    def sent(self) -> Sequence[Sent]:
        """What has left any node in this scene."""

    @abstractmethod
    def effects_of(self, seat: int) -> Sequence[Effect]:
        """What a node's table has asked for in this scene."""

    @abstractmethod
    def post(self, source: int, target: int, raw: bytes) -> None:
        """Send one encoded message."""

    @abstractmethod
    def act(self, seat: int, command: Command) -> None:
        """A player's wish at an honest node.  Raises ``Refusal``."""

    @abstractmethod
    def wait(self, until: Callable[[], bool]) -> None:
        """Let things happen until *until* holds; fails if it does not."""

    @abstractmethod
    def quiet(self) -> None:
        """Let things happen until every message that was sent has been dealt with."""

    @abstractmethod
    def later(self, seconds: float) -> None:
        """Let time pass."""

    def tell(self, entry: Entry, seat: int | None = None) -> None:
        """The attacker's own program knows what he has sent."""
        self.forgers[self.hostile if seat is None else seat].take(entry)

    def rest(self) -> None:
        """Let all come to rest; what has been done so far was right, the attack comes now."""
        self.quiet()
        self.before = {seat: mark(self.tables[seat]) for seat in SEATS}

    def wake(self, seat: int) -> None:
        """Let a hostile program go on by itself, after it was changed by hand."""
        self.later(0.0)

    def close(self) -> None:
        """End it."""
        self.forgers.clear()

    # -- what a test says --

    def send(self, what: Entry | bytes, to: int | Iterable[int] | None = None, source: int | None = None) -> None:
        """The attacker sends an entry, or any bytes, to all honest nodes or some."""
        raw = message_of(what) if isinstance(what, Entry) else what
        targets = self.honest if to is None else (to,) if isinstance(to, int) else to
        for target in targets:
            self.post(self.hostile if source is None else source, target, raw)

    def stopped(self, seat: int) -> effects.Stopped | None:
        """Why a node has stopped."""
        return next((e for e in self.effects_of(seat) if isinstance(e, effects.Stopped)), None)

    def evidence(self, seat: int, against: int) -> list[bytes]:
        """The evidence files a node has left."""
        made = [e for e in self.effects_of(seat) if isinstance(e, effects.Stopped | effects.Evidence)]
        return [e.evidence for e in made if e.evidence is not None and e.seat == against]

    def closes(self, seat: int) -> list[effects.Close]:
        """Links that a node's table wanted closed."""
        return [e for e in self.effects_of(seat) if isinstance(e, effects.Close)]

    def sent_entries(self, seat: int, *kinds: Kind) -> list[Entry]:
        """Entries of its own of these kinds that a node has sent in this scene."""
        from protocol.table.entries import read_entry
        from protocol.wire.messages import Entry as EntryMessage
        from protocol.wire.messages import decode

        found: dict[bytes, Entry] = {}
        for each in self.sent:
            message = decode(each.raw) if each.source == seat else None
            if isinstance(message, EntryMessage):
                entry = read_entry(message.p, message.s)
                if entry.seat == seat and (not kinds or entry.kind in kinds):
                    found[entry.hash] = entry
        return list(found.values())

    # -- what has to come of it --

    def refused(
        self,
        code: Code,
        *,
        seat: int | None = None,
        by: Sequence[int] | None = None,
        changed: bool = False,
        convict: bool = True,
    ) -> None:
        """Every honest node refuses with *code*, holds evidence, and stops or throws the deal away.

        *seat*: who is guilty (the attacker); *by*: only these nodes notice; *changed*: the honest nodes may have taken
        other entries meanwhile; *convict*: check the files.
        """
        guilty = self.hostile if seat is None else seat
        judges = self.honest if by is None else by
        self.wait(lambda: all(self.evidence(each, guilty) for each in judges))
        self.quiet()
        for each in judges:
            refusals = [e.event for e in self.effects_of(each) if isinstance(e, effects.Show)]
            codes = [e.code for e in refusals if isinstance(e, effects.Refused) and e.seat == guilty]
            assert codes == [code], f"seat {each} refused with {codes}, not {code}"
            stop = self.stopped(each)
            if stop is not None:
                assert stop.reason.startswith(f"seat {guilty} broke the rules: {code}"), stop.reason
            else:
                deals = self.tables[each].match.deals
                assert len(deals) >= 2, "neither stopped nor dealt anew"
                assert any(deal.state is DealState.DEAD for deal in deals.values())
            if not changed:
                assert mark(self.tables[each], self.before[each]) == self.before[each], f"seat {each} has moved"
        if convict:
            files = {self.evidence(each, guilty)[0] for each in judges}
            for file in files if self.thorough else list(files)[:1]:
                convicts(file, guilty, code)
        self.no_secret_left()

    #: Whether to check every file, or one.
    thorough = False

    def ignored(self) -> None:
        """Nothing has come of it, at any honest node."""
        self.quiet()
        for seat in self.honest:
            assert mark(self.tables[seat], self.before[seat]) == self.before[seat], f"seat {seat} has moved"
            assert self.stopped(seat) is None
            for other in SEATS:
                assert not self.evidence(seat, other), f"seat {seat} has evidence against {other}"
        self.no_secret_left()

    def junked(self, seats: Sequence[int] | None = None) -> None:
        """It counts for nothing and after a while costs the link; nobody is blamed."""
        self.wait(lambda: all(self.closes(seat) for seat in seats or self.honest))
        for seat in self.honest:
            assert {close.seat for close in self.closes(seat)} <= {self.hostile}
        self.ignored()

    def taken(self, entry: Entry) -> None:
        """Every honest node has taken the entry, and nobody is blamed."""
        self.wait(lambda: all(entry.hash in self.tables[seat].match.known for seat in self.honest))
        self.quiet()
        for seat in self.honest:
            assert self.stopped(seat) is None, self.stopped(seat)
            assert not any(self.evidence(seat, other) for other in SEATS)
        self.no_secret_left()

    def agreed(self) -> None:
        """All honest nodes have the same log and the same state."""
        marks = {repr(mark(self.tables[seat])[:2]) for seat in self.honest}
        assert len(marks) == 1

    def no_secret_left(self) -> None:
        """No honest node has sent a secret of its own."""
        for seat in self.honest:
            own = [each.raw for each in self.sent if each.source == seat]
            secrets = (self.secrets[seat] | secrets_of(self.tables[seat])) - self.shown - open_shares(self.tables)
            said = b"\0".join(own)
            for secret in secrets:
                assert secret not in said, f"seat {seat} has sent a secret"


class RoomScene(Scene):
    """In memory, at once."""

    def __init__(self, room: Room, hostile: int | tuple[int, ...]) -> None:
        super().__init__(room, hostile)
        self._first_sent = len(room.sent)
        self._first_effect = {seat: len(room.effects[seat]) for seat in SEATS}

    @property
    def sent(self) -> Sequence[Sent]:
        return self.room.sent[self._first_sent :]

    def effects_of(self, seat: int) -> Sequence[Effect]:
        return self.room.effects[seat][self._first_effect[seat] :]

    def post(self, source: int, target: int, raw: bytes) -> None:
        self.room.send(source, target, raw)

    def act(self, seat: int, command: Command) -> None:
        self.room.act(seat, command)

    def wait(self, until: Callable[[], bool]) -> None:
        self.room.pump()
        for _ in range(20):
            if until():
                return
            self.room.later(1.0)
        raise AssertionError("it has not happened")

    def quiet(self) -> None:
        self.room.pump()
        self.room.later(5.0)

    def later(self, seconds: float) -> None:
        self.room.pump()
        self.room.later(seconds)

    def wake(self, seat: int) -> None:
        self.room.wake(seat)


# --- looking into tables ------------------------------------------------------------------------------------------


def mark(table: Table, like: Any = None) -> Any:
    """What must not change at an honest node by something that it refuses.

    *like*: an earlier mark; what is compared is what that one has (a deal begun since then does not count).
    """
    match, hand = table.match, table.match.hand
    state: Any = None
    if hand is not None and hand.state is not None:
        slots = hand.slots
        state = (digest(hand.state), sorted(slots.played.items()), sorted(slots.opened.items()), sorted(hand.pending))
    deals = {number: (deal.log.length, deal.log.head, len(deal.log.open)) for number, deal in match.deals.items()}
    if like is not None:
        deals = {number: deals[number] for number in like[3]}
    return (match.main.head, state, len(match.main.open), deals)


def secrets_of(table: Table) -> frozenset[bytes]:
    """The secrets of a node: its keys, those of its deals, what opens its closed cards, the sub-shares it was given."""
    person = people()[table.me]
    found = {person.signing, person.static}
    group = ristretto()
    for number, own in table._deals.items():
        found |= {write_scalar(own.x)}
        found |= {write_scalar(sub) for sub in (*own.keys.subs.values(), *own.subs.values())}
        found |= set(own.keys.ephemerals.values())
        deal = table.match.deals[number]
        if deal.settled:
            found |= {group.mul(own.x, deal.deck[slot][0]) for slot in slots_of(table.me)}
    return frozenset(found | {secret[::-1] for secret in found})


def open_shares(tables: Sequence[Table]) -> set[bytes]:
    """Shares of slots that their owners have played or opened."""
    shown: set[bytes] = set()
    group = ristretto()
    slots = set()
    for table in tables:
        hand = table.match.hand
        if hand is not None:
            slots |= hand.slots.played.keys() | hand.slots.opened.keys()
            slots |= {call.slot for call in hand.pending.values() if call.slot is not None}
    for slot in slots:
        table = tables[slot // 12]
        if table.match.hand is not None and table.match.hand.deal.number in table._deals:
            deal = table.match.hand.deal
            shown.add(group.mul(table._deals[deal.number].x, deal.deck[slot][0]))
    return shown | {share[::-1] for share in shown}


def convicts(file: bytes, seat: int, code: Code) -> None:
    """The file convinces a stranger."""
    verdict = verify(file)
    assert verdict.good, verdict.problem
    assert verdict.kind == "evidence"
    assert verdict.seat == seat
    assert verdict.code == code
