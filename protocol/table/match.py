"""A match as an observer sees it: every entry of all four seats comes in here and is judged, nothing secret is known.

Live nodes run it (:mod:`protocol.table.table`), and so does ``doko verify`` years later.

Theory of operation::

    offer(entry) -> True     accepted (or being judged: see ``work``)
                 -> False    known already, or of a deal that is over: nothing happened
                 -> Later    it stands on something that is not known here: hold it, ask its author
                 -> Refusal  it is wrong; nothing changed; signed as it is, it is evidence
                 -> Equivocation   it contradicts another one of its author: the pair is evidence

::

    main chain   [ hand: SHARES .. last TRICK -> RESULT ] ... x counting hands (and void ones) -> SETTLE -> settled
    deal chains  deal 0, 1, 2, ... each COMMIT .. DECKOK; the next one may run while a hand is played

Who signs next follows from the state alone (``due``), so there is one order for all.  Heavy checks are put into
``work``; whoever drives the match runs them (in a thread, or at once) and gives the result back with ``worked``.
"""

import hashlib
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from protocol.refusal import Code, Refusal
from protocol.rules.hand import start
from protocol.rules.match import Match as Score
from protocol.rules.stakes import Mode, Stakes
from protocol.rules.state import Profile
from protocol.table import calls, effects
from protocol.table.calls import MAX_PENDING
from protocol.table.deal_phase import STEPS, DealPhase, DealState, Later, Work
from protocol.table.end_phase import (
    DOMAIN_SETTLE,
    ClosedHand,
    check_result,
    close_hand,
    close_void,
    document,
)
from protocol.table.entries import Entry, PlaceKey, check_signature, entry_hash
from protocol.table.equivocation import TURNS, Equivocation, contradict
from protocol.table.hand_phase import HandPhase
from protocol.table.log import ALL, ChainLog, main_head
from protocol.table.roster import Setup
from protocol.wire import entries as wire
from protocol.wire.entries import Chain, Kind
from protocol.wire.keys import verify

#: How far a seat's sequence number may be ahead of the log: its pending calls, and the entry itself.
MAX_AHEAD: Final = MAX_PENDING + 2
#: RESTARTs of one deal that one seat may sign: each other seat and nobody, on the heads where nodes may differ.
MAX_RESTARTS: Final = 16
#: Other decisions of one seat that are kept per deal chain, and on the main chain: more than a deal chain has heads,
#: since an honest seat signs one KEEP for each head on which somebody wants to throw the deal away.
MAX_DECISIONS: Final = 16
#: Entries whose signature need not be looked at again: more than can wait.
SIGNED: Final = 64
#: A match with more deals than this has gone wrong (a computer has no more seeds either).
MAX_DEALS: Final = 1_000


#: Kinds among which a SHAREOPEN of the same author may come at any time.
_DISPUTE: Final = frozenset({Kind.KEYOK, Kind.SHAREBAD, Kind.SHAREOPEN})


@dataclass(frozen=True, slots=True)
class Fault:
    """A seat is guilty: *refusal* of *entry*; *other*: the second payload of an equivocation."""

    seat: int
    refusal: Refusal
    entry: Entry
    other: Entry | None = None


def check_vote(entry: Entry, deal: int) -> None:
    """Refuse a VOID that is not the one payload which its author can sign on its head.

    Its hash enters the next head and no sequence number tells two of them apart, so there must not be two.
    """
    if entry.deal != deal:
        raise Refusal(Code.CONTEXT, f"{entry.words()}: of another deal than the hand that is played")
    if entry.payload != wire.encode_payload(entry.says):
        raise Refusal(Code.FORMAT, f"{entry.words()}: not in the one encoding that it has")


class Match:
    """See the module.  Read the attributes, change none."""

    def __init__(self, setup: Setup, trusted: frozenset[int] = frozenset()) -> None:
        """*trusted*: deal numbers whose proofs are not checked again (our own store, hands that are over)."""
        self.setup = setup
        self.terms = setup.terms
        self.identities = tuple(player.identity for player in setup.roster.players)
        duel = self.terms.mode == "duel"
        self.computers = self.terms.bot_seats if duel else ()
        self.humans = (self.terms.human_seats[0], self.terms.human_seats[1]) if duel else None
        self.profile: Profile = "ddv" if self.terms.profile == "ddv" else "stargames"
        self.stakes = Stakes(Mode(self.terms.mode), self.terms.stake, self.terms.limit, self.terms.fee)
        self.main = ChainLog(Chain.MAIN, 0, main_head(setup.match_id, setup.terms_hash, setup.roster.hash))
        self.deals: dict[int, DealPhase] = {}
        self.next_deal: DealPhase | None = None  # the deal that the next hand will use
        self.hand: HandPhase | None = None
        self.closing: ClosedHand | None = None  # the hand whose RESULT is being signed
        self.closed: list[ClosedHand] = []
        self.score: Score | None = None  # None until the coin has drawn the first forehand
        self.document: bytes | None = None  # once all hands are closed
        self.known: dict[bytes, Entry] = {}
        self.places: dict[PlaceKey, Entry] = {}
        self.last_seq: dict[int, int] = dict.fromkeys(ALL, -1)  # in the log of the main chain
        self.restarts: dict[tuple[int, bytes, int | None], dict[int, Entry]] = {}
        self.voids: dict[bytes, dict[int, Entry]] = {}
        self.decisions: dict[bytes, Entry] = {}
        self.faults: list[Fault] = []
        self.events: list[effects.Event] = []
        self._trusted = trusted
        self._loose: set[int] = set()  # seats whose numbers were left out of a file
        self._refused: set[bytes] = set()
        self._signed: dict[bytes, bytes] = {}  # signatures that hold, by entry hash: the last SIGNED of them
        self._after: Score | None = None
        self._begin_deal()

    # -- what others ask --

    @property
    def settled(self) -> bool:
        """All four have signed the settlement."""
        return self.document is not None and not self.main.authors

    @property
    def busy(self) -> bool:
        """Heavy checks are under way: entries may stand on heads that are about to be reached."""
        return bool(self.hand and self.hand.judging)

    @property
    def work(self) -> Iterator[Work]:
        """Take the heavy checks that have come up (each is given once)."""
        queues = [deal.work for deal in self.deals.values()]
        if self.hand is not None:
            queues.append(self.hand.work)
        for queue in queues:
            while queue:
                yield queue.pop(0)

    @property
    def due_main(self) -> dict[int, frozenset[Kind]]:
        """Who owes which kind of entry on the main chain."""
        return dict.fromkeys(self.main.missing, self.main.kinds)

    @property
    def due_deal(self) -> dict[int, frozenset[Kind]]:
        """Who owes which kind of entry on the deal chain that is under way."""
        deal = self.next_deal
        if deal is None or deal.state is not DealState.RUNNING:
            return {}
        return deal.owed

    @property
    def due(self) -> dict[int, frozenset[Kind]]:
        """Who owes which kind of entry now, on either chain."""
        main, deal = self.due_main, self.due_deal
        return {seat: main.get(seat, frozenset()) | deal.get(seat, frozenset()) for seat in main.keys() | deal.keys()}

    @property
    def number(self) -> int:
        """The counting hand that is played or comes next, from 1."""
        return 1 + (0 if self.score is None else len(self.score.hands))

    @property
    def settlement_signatures(self) -> dict[int, bytes]:
        """Signatures under the document so far, by seat."""
        return {
            entry.seat: entry.fields(wire.Settle).signature
            for entry in self.main.entries_from(max(0, self.main.length - 1))
            if entry.kind is Kind.SETTLE
        }

    def entries(self) -> Iterator[Entry]:
        """Everything accepted, in an order in which it can be offered again (pending calls and decisions last)."""
        deals = iter(sorted(self.deals.values(), key=lambda deal: deal.number))
        waiting: deque[DealPhase] = deque(deals)
        for position in range(self.main.length + 1):
            batch = list(self.main.rounds[position].entries) if position < self.main.length else self._open_main()
            while waiting and batch and batch[0].kind is Kind.SHARES and waiting[0].number <= batch[0].deal:
                yield from self.deal_entries(waiting.popleft())
            yield from batch
        for deal in waiting:
            yield from self.deal_entries(deal)
        if self.hand is not None:
            yield from (call.entry for call in self.hand.pending.values())
        yield from self.decisions.values()

    def _open_main(self) -> list[Entry]:
        return [self.main.open[seat] for seat in sorted(self.main.open)]

    def deal_entries(self, deal: DealPhase) -> Iterator[Entry]:
        """All entries of one deal chain, RESTARTs last."""
        yield from deal.log.entries_from(0)
        yield from deal.complaints.values()
        yield from deal.answers.values()
        for (number, _, _), signed in self.restarts.items():
            if number == deal.number:
                yield from signed.values()

    # -- taking entries --

    def offer(self, entry: Entry, *, own: bool = False) -> bool:
        """Judge *entry*; see the module.  *own*: made by this program just now, so its proofs and signature hold."""
        if entry.hash in self.known or entry.hash in self._refused:
            return False
        if entry.says.match != self.setup.match_id:
            raise Refusal(Code.CONTEXT, f"{entry.words()}: of another match")
        if not own:
            self._check_signature(entry)
        place = entry.place
        if place is not None and place in self.places:
            raise Equivocation(self.places[place], entry)
        if entry.kind is Kind.RESTART:
            return self._restart(entry)
        if entry.kind is Kind.VOID:
            return self._void(entry)
        if entry.kind in wire.DECISIONS or entry.kind is Kind.SUB:
            return self._offer_decision(entry)
        if entry.chain is Chain.DEAL:
            return self._offer_deal(entry, own)
        if entry.kind is Kind.CALL:
            return self._offer_call(entry)
        return self._offer_main(entry, own)

    def _check_signature(self, entry: Entry) -> None:
        """Once: what has to wait is offered again with every message that comes."""
        if self._signed.get(entry.hash) == entry.signature:
            return
        check_signature(entry, self.identities)
        if len(self._signed) >= SIGNED:
            del self._signed[next(iter(self._signed))]
        self._signed[entry.hash] = entry.signature

    def spend(self, entry: Entry) -> None:
        """Its place is taken, although it counts for nothing any more (of a deal thrown away, a hand that is over)."""
        if entry.place is not None and self.places.setdefault(entry.place, entry) is entry:
            self.refuse(entry)

    def refuse(self, entry: Entry) -> None:
        """Never look at this entry again."""
        self._refused.add(entry.hash)

    def worked(self, work: Work, result: Any) -> None:
        """The result of a heavy check.  A refusal becomes a fault of the entry's author."""
        if work.entry.chain is Chain.MAIN and (self.hand is None or work.entry.hash not in self.hand.judging):
            return  # of a hand or deal that was thrown away meanwhile
        try:
            work.then(result)
        except Refusal as refusal:
            self.known.pop(work.entry.hash, None)
            self.refuse(work.entry)
            self.faults.append(Fault(work.entry.seat, refusal, work.entry))
            return
        self._taken(work.entry)

    def _register(self, entry: Entry) -> None:
        self.known[entry.hash] = entry
        if entry.place is not None:
            self.places[entry.place] = entry

    # -- the deal chains --

    def _begin_deal(self) -> None:
        number = len(self.deals)
        if number >= MAX_DEALS:
            raise Refusal(Code.LIMIT, f"{number} deals in one match")
        deal = DealPhase(self.setup, number, self.computers)
        deal.trust = number in self._trusted
        self.deals[number] = self.next_deal = deal

    def _offer_deal(self, entry: Entry, own: bool) -> bool:
        deal = self.deals.get(entry.deal)
        if deal is None:
            raise Later
        if deal.state is DealState.DEAD:
            return False
        if deal.log.position(entry.parent) is None:
            raise Later
        if entry.parent != deal.log.head:
            raise Refusal(Code.TURN, f"{entry.words()}: on a head that is left behind")
        expected = sum(1 for known in self.places if known[:3] == (entry.seat, 1, entry.deal))
        if entry.kind in _DISPUTE and expected < entry.seq <= expected + len(ALL):
            raise Later  # its author's answers to complaints stand in no round: they may be on their way
        if entry.seq != expected:
            raise Refusal(Code.CONTEXT, f"{entry.words()}: its author's next number is {expected}")
        deal.accept(entry, own=own)
        self._register(entry)
        if entry.kind in STEPS:
            self.events.append(effects.DealStep(deal.number, STEPS[entry.kind], entry.seat))
        self._after_deal(deal)
        return True

    def _after_deal(self, deal: DealPhase) -> None:
        if deal.guilty is not None and not any(fault.entry is deal.guilty[2] for fault in self.faults):
            self.faults.append(Fault(*deal.guilty))
        if deal is not self.next_deal:
            return
        if deal.state is DealState.AGAIN:
            self.events.append(effects.DealAgain(deal.number, "the duel does not allow this deal"))
            self._begin_deal()
        elif deal.state is DealState.READY:
            self._open_hand()

    def _restart(self, entry: Entry) -> bool:
        deal = self.deals.get(entry.deal)
        if deal is None:
            raise Later
        if deal.state is DealState.DEAD:
            return False
        target = entry.fields(wire.Restart).seat
        if target == entry.seat:
            raise Refusal(Code.TURN, f"{entry.words()}: a seat does not decide about itself")
        if deal.log.position(entry.parent) is None:
            raise Later
        if self._opened(deal.number):
            return False  # signed before, and left behind: four have sent SHARES all the same
        if target is None and entry.parent != deal.first_head:
            return False  # all four throw it away on the head that all have
        mine = sum(entry.seat in by for (number, _, _), by in self.restarts.items() if number == deal.number)
        if mine >= MAX_RESTARTS:
            raise Refusal(Code.LIMIT, f"{entry.words()}: too many RESTARTs of one deal")
        signed = self.restarts.setdefault((deal.number, entry.parent, target), {})
        if entry.seat in signed:
            return False
        signed[entry.seat] = entry
        self._register(entry)
        self._blame_pair(entry)
        if len(signed) == (4 if target is None else 3):
            deal.state = DealState.DEAD
            reason = "all four agreed" if target is None else "the three others agreed"
            self.events.append(effects.DealAgain(deal.number, reason, target))
            if deal is self.next_deal:
                self._close_unopened(deal)
                self._begin_deal()
        return True

    def restarted_by(self, number: int) -> list[Entry]:
        """The RESTARTs that threw a deal away, in seat order."""
        complete = [
            (self.deals[number].log.position(head), -1 if target is None else target, signed)
            for (deal, head, target), signed in self.restarts.items()
            if deal == number and len(signed) == (4 if target is None else 3)
        ]
        if not complete:
            return []
        signed = min(complete, key=lambda item: (item[0], item[1]))[2]
        return [signed[seat] for seat in sorted(signed)]

    def _opened(self, number: int) -> bool:
        """Whether the hand of this deal has been opened."""
        hand = self.hand
        if hand is not None and hand.deal.number == number:
            return hand.state is not None
        return any(closed.deal == number for closed in self.closed)

    def sent_shares(self, deal: int, seat: int) -> bool:
        """Whether *seat* has sent SHARES of *deal* (taken, or being judged)."""
        hand = self.hand
        if hand is None or hand.deal.number != deal:
            return any(closed.deal == deal for closed in self.closed)
        judging = any(entry.seat == seat for entry in hand.judging.values() if entry.kind is Kind.SHARES)
        return judging or seat in hand.first_seq

    def _close_unopened(self, deal: DealPhase) -> None:
        """A restarted deal for whose SHARES the main chain already waited."""
        if self.hand is not None and self.hand.deal is deal:
            self.hand = None
            self.main.withdraw()

    # -- what files leave out --

    def skip_deal_round(self, number: int, hashes: list[bytes]) -> None:
        """A round of a deal that was thrown away, by its entry hashes."""
        deal = self.deals.get(number)
        if deal is None or deal is not self.next_deal:
            raise Refusal(Code.FORMAT, f"deal {number} is not the one that is due")
        deal.log.skip(hashes)

    def skip_hand(self, rounds: list[list[bytes]], votes: list[Entry], forehand: int) -> None:
        """A hand that all four agreed to be void, by its entry hashes, and their *votes*.

        *forehand*: of the match, should this be its first hand; nothing in such a log shows it.
        """
        deal = self.next_deal
        if deal is None or self.hand is not None or self.document is not None or not rounds:
            raise Refusal(Code.FORMAT, "a hand is left out where none is due")
        for hashes in rounds:
            self.main.skip(hashes)
        if [vote.seat for vote in votes] != list(ALL):
            raise Refusal(Code.FORMAT, f"deal {deal.number}: void without four agreements")
        self.main.expect({Kind.VOID}, ALL)
        for vote in votes:
            check_signature(vote, self.identities)
            if (vote.says.match, vote.kind, vote.parent) != (self.setup.match_id, Kind.VOID, self.main.head):
                raise Refusal(Code.CONTEXT, f"{vote.words()}: does not agree to the hand that is left out")
            check_vote(vote, deal.number)
            self.main.add(vote)
            self._register(vote)
        self.main.close()
        self._loose = set(ALL)
        self.next_deal = None
        score = self.score or self._new_score(forehand)
        closed, after = close_void(start(score.hand_rules(), proofs=True), deal, score)
        self._hand_closed(closed, after)

    def _new_score(self, forehand: int) -> Score:
        return Score(self.stakes, forehand, self.humans, self.profile, self.terms.special_points)

    # -- the main chain --

    def _open_hand(self) -> None:
        deal = self.next_deal
        if self.hand is not None or self.document is not None or deal is None or deal.state is not DealState.READY:
            return
        self.hand = HandPhase(
            self.main,
            deal,
            self.number,
            None if self.score is None else self.score.forehand,
            self.profile,
            self.terms.special_points,
            self.humans,
            self.identities,
            self.places,
        )
        self.hand.trust = deal.number in self._trusted

    def _offer_main(self, entry: Entry, own: bool) -> bool:
        if entry.deal in self.deals and self.deals[entry.deal].state is DealState.DEAD:
            return False  # SHARES of one who has not heard of the RESTART
        position = self.main.position(entry.parent)
        if position is None:
            raise Later
        if entry.parent != self.main.head:
            self._check_vote_kept(entry, {each.seat: each for each in self.main.rounds[position].entries})
            if self.main.rounds[position].kind is Kind.VOID:
                return False  # signed before all four had agreed that the hand is void
            raise Refusal(Code.TURN, f"{entry.words()}: on a head that is left behind")
        self._check_vote_kept(entry, self.voids.get(entry.parent, {}))
        hand = self.hand
        if hand is not None and hand.blocked:
            raise Later
        if hand is not None and any(judged.seat == entry.seat for judged in hand.judging.values()):
            raise Later
        if hand is None and self.document is None:
            raise Later  # SHARES of a deal that is not complete here
        if hand is not None and entry.deal != hand.deal.number:
            raise Refusal(Code.CONTEXT, f"{entry.words()}: of another deal")
        last = self.last_seq[entry.seat]
        if entry.seq <= last or (entry.seq > last + MAX_AHEAD and entry.seat not in self._loose):
            raise Refusal(Code.CONTEXT, f"{entry.words()}: its author's last number is {last}")
        if entry.kind in (Kind.RESULT, Kind.SETTLE):
            self._accept_end(entry)
        elif hand is None:
            raise Refusal(Code.TURN, f"{entry.words()}: all hands are over")
        else:
            hand.accept(entry, own=own)
        self._register(entry)
        if entry.hash not in (hand.judging if hand else ()):
            self._taken(entry)
        return True

    def _taken(self, entry: Entry) -> None:
        """An entry stands in the log: register what it carries, go on to what follows from it."""
        if entry.chain is Chain.DEAL:
            self._after_deal(self.deals[entry.deal])
            return
        self.last_seq[entry.seat] = max(self.last_seq[entry.seat], entry.seq)
        self._loose.discard(entry.seat)
        hand = self.hand
        if entry.kind is Kind.PLAY and hand is not None:
            for signed in entry.fields(wire.Play).calls:
                call = hand.carried[entry_hash(signed.payload)][0]
                if call.entry.hash not in self.known:
                    self._register(call.entry)
                    self._announce_call(hand, call)
                seat = call.entry.seat
                self.last_seq[seat] = max(self.last_seq[seat], call.entry.seq)
        self._tell(entry)
        self._lapse()
        self._advance()

    def _advance(self) -> None:
        hand = self.hand
        if hand is None:
            return
        if hand.state is not None and self.score is None:
            assert hand.forehand is not None
            self.score = self._new_score(hand.forehand)
        if hand.state is not None and hand.deal is self.next_deal:
            self.next_deal = None
            if self.score is not None and len(self.score.hands) + 1 < self.stakes.hands:
                self._begin_deal()
        if hand.over and self.closing is None:
            assert self.score is not None
            self.closing, self._after = close_hand(hand, self.score, self.setup, self.terms)
            self.main.expect({Kind.RESULT}, ALL)

    def _accept_end(self, entry: Entry) -> None:
        if entry.kind not in self.main.kinds or entry.seat not in self.main.missing:
            raise Refusal(Code.TURN, f"{entry.words()}: not now, or a second one")
        if entry.kind is Kind.RESULT:
            assert self.closing is not None
            check_result(entry, self.closing, self.terms)
            self.main.add(entry)
            if self.main.full:
                self.main.close()
                self._hand_closed(self.closing, self._after)
            return
        assert self.document is not None
        if entry.deal != self.closed[-1].deal:
            raise Refusal(Code.CONTEXT, f"{entry.words()}: of another deal than the last hand's")
        fields = entry.fields(wire.Settle)
        if fields.document != hashlib.sha256(self.document).digest():
            raise Refusal(Code.CLAIM, f"{entry.words()}: of another settlement than the log gives")
        verify(self.identities[entry.seat], fields.signature, DOMAIN_SETTLE + self.document, "settlement")
        self.main.add(entry)
        if self.main.full:
            self.main.close()

    def _hand_closed(self, closed: ClosedHand, after: Score | None) -> None:
        self.closed.append(closed)
        self.closing, self.hand, self._after = None, None, None
        self.score = after
        self.events.append(
            effects.HandClosed(
                closed.deal,
                closed.number,
                closed.forehand,
                closed.result,
                closed.points,
                closed.money,
                closed.kitty,
            )
        )
        if after is not None and after.finished:
            self.document = document(self.setup, self.closed, after, self.main.head)
            self.main.expect({Kind.SETTLE}, ALL)
        elif self.next_deal is None:
            self._begin_deal()
        else:
            self._open_hand()

    # -- calls and decisions --

    def _offer_call(self, entry: Entry) -> bool:
        hand = self.hand
        if hand is None or entry.deal != hand.deal.number:
            if any(closed.deal == entry.deal for closed in self.closed):
                return False  # a call of a hand that is over
            raise Later
        if hand.blocked:
            raise Later
        if entry.seq <= self.last_seq[entry.seat] and entry.seq <= hand.first_seq.get(entry.seat, -1):
            raise Refusal(Code.CONTEXT, f"{entry.words()}: a number of an earlier hand")
        if sum(call.entry.seat == entry.seat for call in hand.pending.values()) >= MAX_PENDING:
            raise Refusal(Code.LIMIT, f"{entry.words()}: too many calls that no card carries")
        judged = calls.judge(hand, entry, {})
        hand.pending[entry.hash] = judged
        self._register(entry)
        self._announce_call(hand, judged)
        return True

    def _announce_call(self, hand: HandPhase, call: calls.JudgedCall) -> None:
        self.events.append(effects.Called(hand.deal.number, call.entry.seat, call.act.kind))

    def _void(self, entry: Entry) -> bool:
        hand = self.hand
        position = self.main.position(entry.parent)
        if position is None:
            raise Later
        done = self.main.rounds[position].entries if position < self.main.length else ()
        judging = () if hand is None else tuple(hand.judging.values())
        for other in (*done, *judging):
            if contradict(other, entry, self.setup.terms_hash):
                raise Equivocation(other, entry)
        if hand is None or hand.state is None or entry.parent not in hand.states:
            return False  # lapsed, or of no hand
        if entry.parent != self.main.head or not self.can_be_void:
            return False  # lapsed, or where the next round is not of one seat
        check_vote(entry, hand.deal.number)
        signed = self.voids.setdefault(entry.parent, {})
        signed[entry.seat] = entry
        self._register(entry)
        self.decisions[entry.hash] = entry
        self.events.append(effects.VoidVote(entry.seat))
        if len(signed) == 4:
            self._void_agreed(hand, signed)
        return True

    @property
    def can_be_void(self) -> bool:
        """Whether VOIDs on the current head count: the next entry is one seat's turn, who signs one or the other.

        In a round of all an honest seat could have signed its entry and VOID: then two heads could follow from one, and
        nobody would be guilty.
        """
        return self.hand is not None and self.hand.state is not None and self.main.kinds <= TURNS

    def _check_vote_kept(self, entry: Entry, signed: dict[int, Entry]) -> None:
        """Whoever has signed VOID on a head has no turn there any more."""
        vote = signed.get(entry.seat)
        if vote is not None and contradict(vote, entry, self.setup.terms_hash):
            raise Equivocation(vote, entry)

    def _lapse(self) -> None:
        """VOIDs on a head that has moved are worth nothing any more."""
        for head in [head for head in self.voids if head != self.main.head]:
            for entry in self.voids.pop(head).values():
                self.decisions.pop(entry.hash, None)

    def _void_agreed(self, hand: HandPhase, signed: dict[int, Entry]) -> None:
        for entry in signed.values():
            self.decisions.pop(entry.hash, None)
        self.main.withdraw()
        self.main.expect({Kind.VOID}, ALL)
        for seat in ALL:
            self.main.add(signed[seat])
        self.main.close()
        assert hand.state is not None
        assert self.score is not None
        closed, after = close_void(hand.state, hand.deal, self.score)
        self._hand_closed(closed, after)

    def _offer_decision(self, entry: Entry) -> bool:
        """DROP, KEEP, REJOIN, SUB: of the right form and on a head of this log; kept, no ghost plays yet."""
        deal = self.deals.get(entry.deal)
        if entry.chain is Chain.DEAL and deal is None:
            raise Later
        log = deal.log if entry.chain is Chain.DEAL and deal is not None else self.main
        if log.position(entry.parent) is None:
            raise Later
        if entry.kind is Kind.SUB:
            raise Refusal(Code.TURN, f"{entry.words()}: nobody is dropped")
        if entry.kind is Kind.DROP and entry.fields(wire.Drop).seat == entry.seat:
            raise Refusal(Code.TURN, f"{entry.words()}: a seat does not decide about itself")
        theirs = [
            other
            for other in self.decisions.values()
            if (other.seat, other.chain) == (entry.seat, entry.chain)
            and (entry.chain is Chain.MAIN or other.deal == entry.deal)
        ]
        if entry.kind is Kind.KEEP and any((other.kind, other.parent) == (Kind.KEEP, entry.parent) for other in theirs):
            return False  # said already
        if len(theirs) >= MAX_DECISIONS:
            raise Refusal(Code.LIMIT, f"{entry.words()}: too many decisions")
        self.decisions[entry.hash] = entry
        self.known[entry.hash] = entry
        self._blame_pair(entry)
        return True

    def _blame_pair(self, entry: Entry) -> None:
        """KEEP and a decision against a seat on one head.  Both count all the same: others may have gone on by one."""
        others = [other for other in self.decisions.values() if other.parent == entry.parent]
        if entry.kind is Kind.KEEP:
            signed = [by for (_, head, _), by in self.restarts.items() if head == entry.parent]
            others += [by[entry.seat] for by in signed if entry.seat in by]
        elif entry.kind not in (Kind.RESTART, Kind.DROP):
            return
        for other in others:
            if contradict(other, entry, self.setup.terms_hash):
                self.faults.append(Fault(entry.seat, Equivocation(other, entry), other, entry))
                return

    # -- telling --

    def _tell(self, entry: Entry) -> None:
        """Events of an entry of the main chain that has just been taken."""
        hand = self.hand
        if hand is None or hand.deal.number != entry.deal:
            return
        number = hand.deal.number
        if entry.kind is Kind.SHARES:
            self.events.append(effects.DealStep(number, "shares", entry.seat))
            if hand.state is not None:
                assert hand.forehand is not None
                self.events.append(effects.HandOpened(number, hand.number, hand.forehand))
            return
        state = hand.state
        if state is None or not hand.acts:
            return
        if entry.kind in (Kind.BID, Kind.NAME, Kind.MARRY, Kind.PLAY):
            self.events.append(effects.Acted(number, entry.seat, hand.acts[-1][0]))
            if entry.kind is not Kind.PLAY and state.contract is not None:
                self.events.append(effects.GameSettled(number, state.contract))
        elif entry.kind is Kind.TRICK and Kind.TRICK not in self.main.kinds:
            trick = state.tricks[-1]
            self.events.append(effects.TrickClosed(number, len(state.tricks), hand.seat(trick.winner)))
