"""Where people say they can be reached, told by others: so that somebody who has moved is found again.

A record is signed by whom it is about, and a later one replaces an earlier one.  What is kept and handed on is bounded:

- kept are the records of friends and of people who sit, or sat lately, at a table with us, one each, in memory;
- handed on are records of people to those who sat at a table with them *and* us, and to nobody else;
- one peer may tell only so much, and nothing from the future.

Records of third people add places to dial; they never replace what our own links have taught us, nor reach the disk.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from node.net.limits import Bucket
from protocol.wire.address import Address, parse_address
from protocol.wire.messages import AddressRecord
from protocol.wire.people import check_addresses_of

#: Records kept.
MOST: Final = 256
#: Records in one message (:class:`protocol.wire.messages.AddressesOf`).
AT_ONCE: Final = 32
#: Tables remembered: those with whom somebody sat there are told where he is.
COMPANIES: Final = 64
#: How far the clock of a record's author may be ahead of ours (seconds).
AHEAD_S: Final = 86_400
#: Records of one peer that are looked at, a second and at once: each costs a signature check.
RECORDS_PER_S: Final = 0.2
RECORDS_BURST: Final = 64.0


class Whereabouts:
    """What is known of where people are.  *clock*: seconds since 1970; *ticks*: a clock for the budgets."""

    def __init__(self, me: bytes, clock: Callable[[], float], ticks: Callable[[], float]) -> None:
        self._me = me
        self._clock = clock
        self._ticks = ticks
        self._records: dict[bytes, AddressRecord] = {}
        self._companies: dict[frozenset[bytes], None] = {}
        self._budgets: dict[bytes, Bucket] = {}

    def together(self, identities: Iterable[bytes]) -> None:
        """These, and we, sit at one table."""
        company = frozenset(identities)
        self._companies.pop(company, None)
        self._companies[company] = None
        while len(self._companies) > COMPANIES:
            del self._companies[next(iter(self._companies))]

    def companion(self, identity: bytes) -> bool:
        """Whether *identity* sits, or sat lately, at a table with us."""
        return any(identity in company for company in self._companies)

    def share_a_table(self, one: bytes, other: bytes) -> bool:
        """Whether both sat at one table with us."""
        return one != other and any({one, other} <= company for company in self._companies)

    def take(
        self, teller: bytes, records: Sequence[AddressRecord], wanted: Callable[[bytes], bool]
    ) -> list[AddressRecord]:
        """What is new in *records* told by *teller*; *wanted*: whose records are of use.

        Raises ``Refusal`` (SIG) for a record that its identity has not signed: no honest node hands it on.
        """
        budget = self._budgets.setdefault(teller, Bucket(RECORDS_PER_S, RECORDS_BURST))
        news = []
        for record in records:
            known = self._records.get(record.identity)
            if record.identity == self._me or not wanted(record.identity):
                continue
            if record.time > self._clock() + AHEAD_S or (known is not None and known.time >= record.time):
                continue
            if not budget.allow(1, self._ticks()):
                break
            check_addresses_of(record)
            self._records.pop(record.identity, None)
            self._records[record.identity] = record
            news.append(record)
        while len(self._records) > MOST:
            del self._records[next(iter(self._records))]
        return news

    def told_to(self, peer: bytes) -> list[AddressRecord]:
        """The records of those who share a table with *peer* and us, the newest last."""
        found = [record for identity, record in self._records.items() if self.share_a_table(identity, peer)]
        return found[-(AT_ONCE - 1) :]

    def places(self, identity: bytes) -> tuple[Address, ...]:
        """Where *identity* has said that it can be reached."""
        record = self._records.get(identity)
        return () if record is None else tuple(map(parse_address, record.addresses))
