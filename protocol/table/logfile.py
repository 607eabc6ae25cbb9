"""A match's log inside a file: written by a node, replayed by a stranger.

    log    [[deal, ...], [round, ...]]
    deal   [number, [round, ...], [RESTART, ...]]
    round  [entry, ...] in seat order, or [hash, ...] where the entries are left out
    entry  [payload, signature]

The deal chains of deals that were thrown away by RESTART are given by hashes alone (their KEYS hold boxes, and nothing
of them counts), and so is a hand that all four agreed to be void, up to the VOIDs.  The order is that of replaying: the
deals up to a hand's are due before its SHARES.
"""

from collections.abc import Iterable, Iterator
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from protocol.refusal import Code, Refusal
from protocol.table.deal_phase import DealState, Later
from protocol.table.entries import Entry, read_entry
from protocol.table.log import Round
from protocol.table.match import Match
from protocol.wire import codec
from protocol.wire.entries import Kind, Signed
from protocol.wire.fields import U32, Bytes32

#: No file of a match comes near this.
MAX_FILE: Final = 64_000_000
LIMITS: Final = codec.Limits(size=MAX_FILE, depth=8, text=4_096, binary=65_536, array=8_192, map=16)


class FileEntry(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A signed entry."""

    payload: Annotated[bytes, Meta(min_length=1, max_length=65_536)]
    signature: Annotated[bytes, Meta(min_length=64, max_length=64)]


FileRound = tuple[FileEntry | Bytes32, ...]


class FileDeal(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """One deal chain."""

    number: U32
    rounds: tuple[FileRound, ...]
    restarts: tuple[FileEntry, ...]


class FileLog(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """All deal chains and the main chain."""

    deals: tuple[FileDeal, ...]
    main: tuple[FileRound, ...]


def file_entry(entry: Entry | Signed) -> FileEntry:
    """An entry as a file holds it."""
    return FileEntry(entry.payload, entry.signature)


def pack(match: Match, *, running: bool = False) -> FileLog:
    """The log of *match*.  *running*: with the deals and rounds that are still open (for evidence)."""
    deals = []
    for number, deal in sorted(match.deals.items()):
        dead = deal.state is DealState.DEAD
        if deal.state is DealState.RUNNING and not running:
            continue  # a deal in the background that was never needed
        restarts = match.restarted_by(number) if dead else []
        end = deal.log.position(restarts[0].parent) if restarts else None
        rounds: list[FileRound] = [_hashes(done) if dead else _entries(done.entries) for done in deal.log.rounds[:end]]
        if not dead and running and deal.log.open:
            rounds.append(_entries(deal.log.open[seat] for seat in sorted(deal.log.open)))
        deals.append(FileDeal(number, tuple(rounds), _entries(restarts)))
    agreed = {closed.deal for closed in match.closed if closed.agreed}
    main = []
    for done in match.main.rounds:
        left_out = done.entries[0].deal in agreed and done.kind is not Kind.VOID
        main.append(_hashes(done) if left_out else _entries(done.entries))
    deals = [_left_out(deal) if deal.number in agreed else deal for deal in deals]
    if match.main.open:
        main.append(_entries(match.main.open[seat] for seat in sorted(match.main.open)))
    return FileLog(tuple(deals), tuple(main))


def _entries(entries: Iterable[Entry]) -> tuple[FileEntry, ...]:
    return tuple(file_entry(entry) for entry in entries)


def _hashes(done: Round) -> FileRound:
    return tuple(entry.hash for entry in done.entries)


def _left_out(deal: FileDeal) -> FileDeal:
    return FileDeal(deal.number, (), ())


class Replay:
    """Feeds a log to a fresh match.  Every ``Refusal`` names the entry it is about."""

    def __init__(self, match: Match, forehand: int = 0) -> None:
        """*forehand*: the match's first one, for a log whose first hand is left out."""
        self.match = match
        self.forehand = forehand

    def run(self, log: FileLog) -> None:
        """The whole log; ``Refusal`` at the first thing that is wrong."""
        deals = list(log.deals)
        main = list(log.main)
        at = done = 0
        while at < len(main):
            left_out = 0
            while at + left_out < len(main) and self._hashes(main[at + left_out]):
                left_out += 1
            first = self._first(main[at + left_out]) if at + left_out < len(main) else None
            if first is not None and (left_out or first.kind is Kind.SHARES):
                while done < len(deals) and deals[done].number <= first.deal:
                    self.deal(deals[done], done)
                    done += 1
            if left_out:
                self._skip(main[at : at + left_out], main[at + left_out] if first is not None else ())
                at += left_out + 1
            else:
                self.round(main[at], f"main chain, round {at}")
                at += 1
        for number in range(done, len(deals)):
            self.deal(deals[number], number)

    @staticmethod
    def _hashes(each: FileRound) -> bool:
        return bool(each) and all(isinstance(item, bytes) for item in each)

    def _skip(self, rounds: list[FileRound], votes: FileRound) -> None:
        """A hand that is left out because all four agreed that it is void."""
        hashes = [[item for item in each if isinstance(item, bytes)] for each in rounds]
        entries = [read_entry(item.payload, item.signature) for item in votes if not isinstance(item, bytes)]
        self.match.skip_hand(hashes, entries, self.forehand)

    @staticmethod
    def _first(each: FileRound) -> Entry | None:
        if not each or isinstance(each[0], bytes):
            return None
        return read_entry(each[0].payload, each[0].signature)

    def deal(self, deal: FileDeal, number: int) -> None:
        """One deal chain."""
        if deal.number != number:
            raise Refusal(Code.FORMAT, f"deal {deal.number} where deal {number} is due")
        for index, each in enumerate(deal.rounds):
            if deal.restarts:
                if not each or not all(isinstance(item, bytes) for item in each):
                    raise Refusal(Code.FORMAT, f"deal {number}, round {index}: entries of a deal that was thrown away")
                self.match.skip_deal_round(number, [item for item in each if isinstance(item, bytes)])
            else:
                self.round(each, f"deal {number}, round {index}")
        for restart in deal.restarts:
            self.feed(read_entry(restart.payload, restart.signature))
        if deal.restarts and self.match.deals[number].state is not DealState.DEAD:
            raise Refusal(Code.FORMAT, f"deal {number}: thrown away without the signatures that it takes")

    def round(self, each: FileRound, where: str) -> None:
        """One round of entries, or of hashes."""
        if not each:
            raise Refusal(Code.FORMAT, f"{where}: empty")
        if isinstance(each[0], bytes):
            raise Refusal(Code.FORMAT, f"{where}: left out")
        seats = []
        for item in each:
            if isinstance(item, bytes):
                raise Refusal(Code.FORMAT, f"{where}: entries and hashes in one round")
            entry = read_entry(item.payload, item.signature)
            seats.append(entry.seat)
            self.feed(entry)
        if seats != sorted(set(seats)):
            raise Refusal(Code.FORMAT, f"{where}: not in seat order")

    def feed(self, entry: Entry) -> None:
        """One entry, checked to the end."""
        try:
            taken = self.match.offer(entry)
        except Later:
            raise Refusal(Code.CONTEXT, f"{entry.words()}: does not stand on the log before it") from None
        if not taken:
            raise Refusal(Code.CONTEXT, f"{entry.words()}: stands twice, or in a deal that is over")
        run_work(self.match)
        if self.match.faults:
            fault = self.match.faults[0]
            raise Refusal(fault.refusal.code, f"{fault.entry.words()}: {fault.refusal.detail}", fault.refusal.rule)


def run_work(match: Match) -> None:
    """Run the heavy checks here and now."""
    work = list(match.work)
    while work:
        for each in work:
            result: object
            try:
                result = each.fn(*each.args)
            except Refusal as refusal:
                result = refusal
            match.worked(each, result)
        work = list(match.work)


def read_log(value: object) -> FileLog:
    """The log in a file's msgpack value, or ``Refusal(FORMAT)``."""
    return codec.convert(value, FileLog, "log")


def all_entries(log: FileLog) -> Iterator[FileEntry]:
    """Every entry that is given in full."""
    for deal in log.deals:
        for each in deal.rounds:
            yield from (item for item in each if not isinstance(item, bytes))
        yield from deal.restarts
    for each in log.main:
        yield from (item for item in each if not isinstance(item, bytes))
