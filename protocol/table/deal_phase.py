"""The deal chain of one deal number, from COMMIT to the barrier (in a duel to the test), as an observer sees it.

::

    COMMIT 4x -> KEYS 4x -> KEYOK 4x -> SHUF 0 .. SHUF 3 -> DECKOK 4x -> [TEST 4x -> TESTOPEN 4x] -> ready
                              |
                              +- SHAREBAD in KEYOK's place: dead; SHAREOPEN says who is to blame

    any state before a card is dealt:  RESTART by the three others, or by all four -> dead

======== ============================== ==========================================================================
round    authors                        judged at once
======== ============================== ==========================================================================
COMMIT   all                            form
KEYS     all                            commitment, proof of possession, no point twice
KEYOK    all (or SHAREBAD)              the hash of the four KEYS
SHUF k   seat k                         form of deck and proof; the proof itself as *work*, the chain goes on meanwhile
DECKOK   all                            the barrier hash; honest nodes sign it once all four proofs hold
TEST     all (duel)                     the proofs of knowledge
TESTOPEN all (duel)                     the shares; the deal is allowed or thrown away
======== ============================== ==========================================================================
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from typing import Any, Final

from protocol.deal import duel
from protocol.deal import keys as deal_keys
from protocol.deal.deck import Deck, decode_deck, initial_deck
from protocol.deal.hashing import Place, hash_entries
from protocol.deal.keys import PublicKeys
from protocol.deal.shuffle import decode_proof, judge_shuffle
from protocol.refusal import Code, Refusal
from protocol.table.entries import Entry
from protocol.table.log import ALL, ChainLog, Round, deal_head
from protocol.table.roster import Setup
from protocol.wire import entries as wire
from protocol.wire.entries import Chain, Kind


class Later(Exception):
    """The entry can be neither accepted nor refused yet: something below it is not known here."""


@dataclass(slots=True)
class Work:
    """A heavy pure check.  ``then`` takes the result, or the :class:`Refusal` that *fn* raised.

    ``entry`` is what is being judged; ``blocks``: its chain waits for the result.
    """

    fn: Callable[..., Any]
    args: tuple[Any, ...] = field(repr=False)
    then: Callable[[Any], None]
    entry: Entry
    blocks: bool


class DealState(Enum):
    """Where a deal stands."""

    RUNNING = "running"
    READY = "ready"  # all that has to happen before SHARES has
    AGAIN = "again"  # duel: not allowed, dealt again
    DEAD = "dead"  # by RESTART


#: Step names of progress and events by kind.
STEPS: Final = {
    Kind.COMMIT: "commit",
    Kind.KEYS: "keys",
    Kind.KEYOK: "keyok",
    Kind.SHUF: "shuffle",
    Kind.DECKOK: "barrier",
    Kind.TEST: "test",
    Kind.TESTOPEN: "testopen",
}


class DealPhase:
    """One deal.  ``accept`` raises ``Refusal`` and then has changed nothing."""

    def __init__(self, setup: Setup, number: int, computers: tuple[int, ...] = ()) -> None:
        self.number = number
        self.width = 2 if computers else 1
        self.computers = computers  # in a duel, ascending seats
        self.humans = tuple(seat for seat in ALL if seat not in computers) if computers else ()
        self.log = ChainLog(Chain.DEAL, number, deal_head(setup.match_id, setup.terms_hash, number))
        self.log.expect({Kind.COMMIT}, ALL)
        self.state = DealState.RUNNING
        self.keys: dict[int, PublicKeys] = {}
        self.joint_key = b""
        self.decks: list[Deck] = []  # the first one, then one a shuffle
        self.verified: set[int] = set()  # seats whose shuffle is known to be one
        self.barrier = b""
        self.complaints: dict[int, Entry] = {}  # SHAREBAD by its author
        self.answers: dict[tuple[int, int], Entry] = {}  # SHAREOPEN by (author, target)
        self.guilty: tuple[int, Refusal, Entry] | None = None  # a judgement that does not wait for a refused entry
        self.work: list[Work] = []
        self.trust = False  # our own store, of a finished hand: proofs are not checked again
        self.sums: duel.Both
        self._tests: dict[int, duel.Both] = {}
        self._opened: dict[int, tuple[bytes, bytes]] = {}
        self._setup = setup
        self._static = [player.static for player in setup.roster.players]

    # -- what others ask --

    def place(self, seat: int, extra: bytes) -> Place:
        """Where a proof of *seat* in this deal stands."""
        return Place(self._setup.match_id, self._setup.roster.hash, self.number, seat, extra)

    @property
    def first_head(self) -> bytes:
        return self.log.heads[0]

    @property
    def deck(self) -> Deck:
        """The deck so far; the last one once the barrier is reached."""
        return self.decks[-1]

    @property
    def owed(self) -> dict[int, frozenset[Kind]]:
        """Who has to sign next, and what: the authors of the open round but for those who complain about a box, and
        the makers of those boxes, who owe the answer."""
        owed = {seat: self.log.kinds for seat in self.log.missing if seat not in self.complaints}
        for target, complaint in self.complaints.items():
            source = complaint.fields(wire.ShareBad).source
            if (source, target) not in self.answers:
                owed[source] = owed.get(source, frozenset()) | {Kind.SHAREOPEN}
        return owed

    @property
    def settled(self) -> bool:
        """All four shuffles are in and verified: an honest node signs DECKOK."""
        return len(self.verified) == 4

    @property
    def keyok_hash(self) -> bytes:
        """What KEYOK has to say."""
        return hash_entries(entry.hash for entry in self._round(Kind.KEYS).entries)

    def progress(self, kind: Kind) -> tuple[bool, bool, bool, bool]:
        """Who has signed an entry of this kind."""
        seats = {e.seat for done in self.log.rounds if done.kind == kind for e in done.entries}
        seats |= {seat for seat, entry in self.log.open.items() if entry.kind == kind}
        return (0 in seats, 1 in seats, 2 in seats, 3 in seats)

    # -- judging --

    def accept(self, entry: Entry, *, own: bool = False) -> None:
        """Judge an entry on the current head and take it.  *own*: made by this program, proofs not checked again."""
        kind, seat = entry.kind, entry.seat
        if self.state is not DealState.RUNNING:
            raise Refusal(Code.TURN, f"{entry.words()}: this deal is over")
        if kind is Kind.SHAREOPEN:
            self._share_open(entry)
            return
        if kind not in self.log.kinds or seat not in self.log.missing:
            raise Refusal(Code.TURN, f"{entry.words()}: not this seat's turn, or not this kind of entry now")
        match kind:
            case Kind.COMMIT:
                pass
            case Kind.KEYS:
                self._keys(entry)
            case Kind.KEYOK:
                if entry.fields(wire.KeyOk).hash != self.keyok_hash:
                    raise Refusal(Code.CONTEXT, f"{entry.words()}: not the hash of the four KEYS")
            case Kind.SHAREBAD:
                if entry.fields(wire.ShareBad).source == seat:
                    raise Refusal(Code.FORMAT, f"{entry.words()}: a complaint about its author's own box")
                self.complaints[seat] = entry
                return  # the round stays open for ever
            case Kind.SHUF:
                self._shuffle(entry, own)
            case Kind.DECKOK:
                if entry.fields(wire.DeckOk).hash != self.barrier:
                    raise Refusal(Code.CONTEXT, f"{entry.words()}: not the hash of KEYS, KEYOK and SHUF")
            case Kind.TEST:
                self._test(entry)
            case Kind.TESTOPEN:
                self._testopen(entry)
            case _:
                raise Refusal(Code.TURN, f"{entry.words()}: not in this deal")
        self.log.add(entry)
        if self.log.full:
            self._closed(self.log.close())

    def _closed(self, done: Round) -> None:
        match done.kind:
            case Kind.COMMIT:
                self.log.expect({Kind.KEYS}, ALL)
            case Kind.KEYS:
                self.joint_key = deal_keys.joint_key([self.keys[seat] for seat in ALL])
                self.decks = [initial_deck(self.joint_key, self.width)]
                self.log.expect({Kind.KEYOK, Kind.SHAREBAD}, ALL)
            case Kind.KEYOK:
                self.log.expect({Kind.SHUF}, (0,))
            case Kind.SHUF:
                seat = done.entries[0].seat
                if seat < 3:
                    self.log.expect({Kind.SHUF}, (seat + 1,))
                else:
                    rounds = self.log.rounds[1:]  # all but COMMIT
                    self.barrier = hash_entries(entry.hash for each in rounds for entry in each.entries)
                    self.log.expect({Kind.DECKOK}, ALL)
            case Kind.DECKOK if self.computers:
                self.log.expect({Kind.TEST}, ALL)
            case Kind.TEST:
                self.sums = duel.sums_of([self._tests[seat] for seat in ALL])
                self.log.expect({Kind.TESTOPEN}, ALL)
            case Kind.TESTOPEN:
                fine = duel.allowed(self.sums, [self._opened[seat] for seat in ALL])
                self.state = DealState.READY if fine else DealState.AGAIN
            case _:
                self.state = DealState.READY

    def _round(self, kind: Kind) -> Round:
        return next(done for done in self.log.rounds if done.kind == kind)

    def _keys(self, entry: Entry) -> None:
        body = entry.fields(wire.Keys).body
        committed = self._round(Kind.COMMIT).entries[entry.seat].fields(wire.Commit).hash
        deal_keys.check_commitment(committed, body)
        keys = deal_keys.read_keys(self.place(entry.seat, self.first_head), body)
        deal_keys.check_distinct([*self.keys.values(), keys])
        self.keys[entry.seat] = keys

    def _shuffle(self, entry: Entry, own: bool) -> None:
        fields, seat = entry.fields(wire.Shuf), entry.seat
        after = decode_deck(fields.deck, self.width)
        proof = None if own else decode_proof(fields.proof, self.width)
        before = self.decks[seat]
        self.decks.append(after)
        if proof is None or self.trust:
            self.verified.add(seat)
            return
        place = self.place(seat, entry.parent)
        self.work.append(
            Work(
                judge_shuffle,
                (place, self.joint_key, before, after, proof),
                partial(self._shuffle_judged, entry),
                entry,
                blocks=False,
            )
        )

    def _shuffle_judged(self, entry: Entry, result: object) -> None:
        if isinstance(result, Refusal):
            if self.guilty is None or entry.seat < self.guilty[0]:  # the first wrong one in the chain's order
                self.guilty = (entry.seat, result, entry)
        else:
            self.verified.add(entry.seat)

    # -- the duel's test --

    def _test(self, entry: Entry) -> None:
        fields, seat = entry.fields(wire.Test), entry.seat
        place = self.place(seat, entry.parent)
        self._tests[seat] = duel.check_test(place, self.deck, self.humans, self.computers, fields.f, fields.proofs)

    def _testopen(self, entry: Entry) -> None:
        fields, seat = entry.fields(wire.TestOpen), entry.seat
        place, public = self.place(seat, entry.parent), self.keys[seat].public
        self._opened[seat] = duel.check_testopen(place, public, self.sums, fields.d, fields.proof)

    # -- a bad box --

    def _share_open(self, entry: Entry) -> None:
        fields = entry.fields(wire.ShareOpen)
        complaint = self.complaints.get(fields.target)
        if complaint is None:
            raise Later  # it may be on its way
        if complaint.fields(wire.ShareBad).source != entry.seat:
            raise Refusal(Code.TURN, f"{entry.words()}: nobody complained about that box")
        if (entry.seat, fields.target) in self.answers:
            raise Refusal(Code.TURN, f"{entry.words()}: that complaint is answered")
        self.answers[entry.seat, fields.target] = entry
        place = self.place(entry.seat, self.first_head)
        try:
            deal_keys.open_disputed(
                place, self.keys[entry.seat], fields.target, fields.secret, self._static[fields.target]
            )
        except Refusal as bad:
            self._blame(entry.seat, bad, entry)
        else:
            false = Refusal(Code.CLAIM, f"seat {fields.target} complained about a box that is right")
            self._blame(fields.target, false, complaint)

    def _blame(self, seat: int, refusal: Refusal, entry: Entry) -> None:
        if self.guilty is None:
            self.guilty = (seat, refusal, entry)
