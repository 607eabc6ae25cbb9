"""What all layers of a table core stand on: its state, signing, storing, sending.

::

    Core        state; sign, persist before send, compute
    Pausing     pauses by consent
    Decisions   guilt, deals thrown away and kept, absence
    Inbox       entries that come in: judged, held, refused
    Resume      exchange with the others; start over a store
    Duties      entries of ours that are due without asking anybody
    Commands    what our player wants
    Seeing      the view
    Table       the shell's side: the methods that it calls, and how each of them ends

Each layer uses those above it in this list, never one below.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from protocol.deal.shares import DealFault
from protocol.refusal import Refusal
from protocol.table import effects, settlement
from protocol.table.clocks import Clocks
from protocol.table.deal_phase import DealPhase
from protocol.table.effects import Command, Effect, Stored
from protocol.table.entries import Entry, Signer, message_of, store_form
from protocol.table.limits import OWN_PAUSE_BURST, OWN_PAUSE_RATE, Bucket, Peer
from protocol.table.log import ALL
from protocol.table.match import Fault, Match
from protocol.table.own import OwnDeal
from protocol.table.pause import Votes
from protocol.table.roster import Setup
from protocol.wire.entries import Chain, Fields, Kind

#: Seconds without progress after which all are told where we are; doubled up to the second value.
STALL_FIRST: Final = 2.0
STALL_MOST: Final = 16.0


@dataclass(frozen=True, slots=True)
class Secrets:
    """The keys of our identity: Ed25519 signing key (32-byte seed) and X25519 static private key (32 bytes)."""

    signing: bytes = field(repr=False)
    static: bytes = field(repr=False)


class Core:
    """One match, one seat: the state that all layers share."""

    def __init__(
        self,
        setup: Setup,
        secrets: Secrets,
        rand: Callable[[int], bytes],
        *,
        stored: Stored | None = None,
        seed: Callable[[int], bytes] | None = None,
    ) -> None:
        """*setup* from the gathering, *rand(n)* gives n fresh random bytes (``secrets.token_bytes``).

        *stored*: None only for a match that has just been gathered in this process; after every start of a process what
        the store holds, even if that is nothing: then nothing is signed before each seat has told us the last entries
        of ours that it holds.  *seed*: of a computer, the seed of a deal number (``SeedChain.seed``).
        """
        self.setup = setup
        self.me = setup.my_seat
        self.others = tuple(seat for seat in ALL if seat != self.me)
        self._secrets = secrets
        self._rand = rand
        self._seed = seed
        self._signer = Signer(setup.match_id, self.me, secrets.signing)
        self._stored = stored
        self.match = Match(setup, _finished_deals(stored))
        terms = self.match.terms
        self._clocks = Clocks(float(terms.clock.decision), float(terms.clock.reserve), float(terms.absence.grace))
        self._votes = Votes(frozenset(terms.human_seats))
        self._pauses = Bucket(OWN_PAUSE_BURST, OWN_PAUSE_RATE)
        self._deals: dict[int, OwnDeal] = {}
        self._links: set[int] = set()
        self._peers = {seat: Peer() for seat in self.others}
        # entries that wait, by author; since when the oldest does
        self._held: dict[int, deque[Entry]] = {seat: deque() for seat in ALL}
        self._held_since: dict[int, float] = {}
        self._asked: dict[int, float] = {}
        # effects of the call that is running
        self._effects: list[Effect] = []
        self._outbox: list[Entry] = []
        self._unsaved: list[Entry] = []
        self._next: deque[Callable[[], object]] = deque()  # what follows from what came in, done before the call ends
        self._news: deque[Entry] = deque()  # RESTARTs that have come in
        self._changed: dict[str, bytes | None] = {}
        self._saved: set[bytes] = set()
        # jobs
        self._jobs: dict[int, Callable[[Any], None]] = {}
        self._next_job = 1
        self._making: set[tuple[Kind, int]] = set()
        self._command: Command | None = None  # a card whose proof is being made
        # resume
        self._nonce = b""
        self._told: dict[int, set[bytes]] = {}  # what a seat has told us it holds, and we still lack
        self._dismissed: set[bytes] = set()  # entries of ours that count for nothing any more (of a deal thrown away)
        self._resuming = stored is not None
        self._put_back = False  # others hold entries of ours that our store has not: it was put back to an older state
        self._alone: float | None = None  # since when all others have told us but one
        # the rest
        self._now = 0.0  # our own time: the clock passed in, and what it was set back by
        self._clock: float | None = None  # what the clock showed last
        self._lag = 0.0
        self._last_change = 0.0
        self._stall = STALL_FIRST
        self._stalled_at = 0.0
        self._serial = 0
        self._question: object = None
        self._gone: tuple[int, ...] = ()
        self._wants_void = False
        self._go_on = False
        self._lost = -1  # the deal whose keys we have said are lost
        self._guilty: dict[tuple[int, int], Fault] = {}  # (deal, seat): entries of that deal are not looked at
        self._blamed: dict[int, set[int]] = {}  # by seat, the deals that were thrown away because of it
        self._stopped = ""
        self._settled_with = 0
        self._file: bytes | None = None
        self._started = False

    def _begin(self, now: float) -> None:
        if self._clock is not None and now < self._clock:
            self._lag += self._clock - now  # set back: no time has passed, and everything that waits goes on waiting
        self._clock = now
        self._now = max(self._now, now + self._lag)
        self._effects = []

    def _guard(self, step: Callable[[], None]) -> None:
        """A fault of this program stops the table; it never goes on with a state that it does not understand."""
        if self._stopped:
            return
        try:
            step()
        except DealFault as fault:
            self._stop(f"the proofs and the cards do not fit together: {fault}")
        except Refusal as refusal:
            self._stop(f"this node cannot make its own entry: {refusal}")

    def _flush(self) -> None:
        sends = self._outbox
        settled = self.match.settled and bool(self._unsaved)
        if sends or self._changed or settled:
            rows = tuple(store_form(entry) for entry in self._unsaved if entry.hash not in self._saved)
            self._saved |= {row.hash for row in rows}
            first = next((i for i, effect in enumerate(self._effects) if isinstance(effect, effects.Send)), None)
            persist = effects.Persist(rows, tuple(self._changed.items()))
            self._effects.insert(len(self._effects) if first is None else first, persist)
            self._unsaved, self._changed, self._outbox = [], {}, []
            for entry in sends:
                for seat in self.others:
                    self._send_entry(seat, entry)
        self._tell_settlement()

    def _tell_settlement(self) -> None:
        count = len(self.match.settlement_signatures) if self.match.document is not None else 0
        if count > self._settled_with and self.me in self.match.settlement_signatures:
            self._settled_with = count
            self._file = settlement.write(self.match)
            self._effects.append(effects.Finished(self._file, count))

    def _send_entry(self, seat: int, entry: Entry) -> None:
        if seat in self._links:
            self._effects.append(effects.Send(seat, message_of(entry)))

    def _show(self, event: effects.Event) -> None:
        self._effects.append(effects.Show(event))

    def _stop(self, reason: str, file: bytes | None = None, seat: int | None = None) -> None:
        if not self._stopped:
            self._stopped = reason
            self._effects.append(effects.Stopped(reason, file, seat))

    def _compute(self, fn: Callable[..., Any], args: tuple[Any, ...], then: Callable[[Any], None]) -> None:
        job, self._next_job = self._next_job, self._next_job + 1
        self._jobs[job] = then
        self._effects.append(effects.Compute(job, fn, args))

    def _sign(self, chain: Chain, deal: int, seq: int | None, parent: bytes, kind: Kind, fields: Fields) -> Entry:
        entry = self._signer.make(chain, deal, seq, parent, kind, fields)
        self.match.offer(entry, own=True)
        self._outbox.append(entry)
        self._accepted(entry)
        return entry

    def _next_seq(self, chain: Chain, deal: int) -> int:
        """Our next number: one above every number that we have ever used on the chain."""
        number = deal if chain is Chain.DEAL else 0
        used = [key[3] for key in self.match.places if key[:3] == (self.me, chain, number)]
        return max(used, default=-1) + 1

    def _sign_deal(self, deal: DealPhase, kind: Kind, fields: Fields) -> None:
        self._sign(Chain.DEAL, deal.number, self._next_seq(Chain.DEAL, deal.number), deal.log.head, kind, fields)

    def _sign_main(self, hand: int, kind: Kind, fields: Fields) -> None:
        self._sign(Chain.MAIN, hand, self._next_seq(Chain.MAIN, 0), self.match.main.head, kind, fields)

    def _accepted(self, entry: Entry) -> None:
        self._unsaved.append(entry)
        self._last_change = self._now
        self._stall = STALL_FIRST
        for told in self._told.values():
            told.discard(entry.hash)
        if entry.kind is Kind.RESTART:
            self._news.append(entry)

    def _forget(self, number: int) -> None:
        """Erase the secrets of a deal that is over."""
        if self._deals.pop(number, None) is not None:
            self._changed[f"deal/{number}/keys"] = None
            self._changed[f"deal/{number}/subs"] = None

    @property
    def _complete(self) -> bool:
        return self.match.settled

    @property
    def _waits_for_go_on(self) -> bool:
        score = self.match.score
        return score is not None and score.asks


def _finished_deals(stored: Stored | None) -> frozenset[int]:
    """Deals with four RESULTs in our own store: their proofs were checked when they came in."""
    count: dict[int, set[int]] = {}
    for row in () if stored is None else stored.entries:
        if row.kind == Kind.RESULT:
            count.setdefault(row.deal, set()).add(row.seat)
    return frozenset(deal for deal, seats in count.items() if len(seats) == 4)
