"""The end of a hand and of a match: results, money, and the document that all four sign.

::

    hand over -> RESULT 4x -> next hand | SETTLE 4x -> settled
    VOID 4x on one head -> the hand is void by agreement -> next hand

Everything here follows from the log; a RESULT or SETTLE that says something else is refused.
"""

from dataclasses import dataclass
from typing import Final

from protocol.cards import CLUB_QUEEN, DECK, PLAYERS
from protocol.deal.shares import DealFault
from protocol.refusal import Code, Refusal
from protocol.rules.contracts import Contract
from protocol.rules.hand import HandState
from protocol.rules.match import Match as Score
from protocol.rules.score import Result, result
from protocol.rules.stakes import liable
from protocol.table.deal_phase import DealPhase
from protocol.table.entries import Entry
from protocol.table.hand_phase import HandPhase
from protocol.table.log import ALL
from protocol.table.roster import Setup
from protocol.table.seeds import check_seed
from protocol.table.terms import Terms
from protocol.wire import codec
from protocol.wire import entries as wire

DOMAIN_SETTLE: Final = b"DOKO1-settle"
DOCUMENT_FORMAT: Final = "doko-settlement/1"


@dataclass(frozen=True, slots=True)
class ClosedHand:
    """A hand that is over.  ``hands``: the cards as dealt, by position, where all were shown; points, money by seat.

    ``deal_hash`` is the last head of its deal chain; ``breaches`` are seats that pay for a breach (R30);
    ``agreed``: void by agreement of all four.
    """

    deal: int
    number: int
    forehand: int
    state: HandState
    result: Result
    hands: tuple[tuple[int, ...], ...]
    points: tuple[int, int, int, int]
    money: tuple[int, int, int, int]
    kitty: int
    deal_hash: bytes
    breaches: tuple[int, ...] = ()
    agreed: bool = False

    @property
    def breach(self) -> int | None:
        """The seat that pays for a breach, if one does."""
        return self.breaches[0] if self.breaches else None


def close_hand(hand: HandPhase, score: Score, setup: Setup, terms: Terms) -> tuple[ClosedHand, Score]:
    """What a hand that is over comes to, and the score after it."""
    state = hand.state
    assert state is not None and hand.forehand is not None  # noqa: PT018
    hands = _hands(hand)
    _check_deck(hands, state)
    outcome = result(state)
    culprits = _false_claims(hand, state, hands)
    hosts = _hosts(hand, setup, terms)
    answer = [liable(culprit, hosts) for culprit in culprits]
    if None in answer:
        outcome = void_result(state, outcome.contract)
    guilty = tuple(sorted({culprit for culprit in answer if culprit is not None}))
    after = score.played(outcome, guilty)
    return _closed(hand, state, outcome, hands, score, after, tuple(hand.seat(p) for p in guilty)), after


def close_void(state: HandState, deal: DealPhase, score: Score) -> tuple[ClosedHand, Score]:
    """A hand that all four have agreed to be void (R29): it pays nothing and is dealt again."""
    outcome = void_result(state, None)
    closed = ClosedHand(
        deal.number,
        len(score.hands) + 1,
        score.forehand,
        state,
        outcome,
        (),
        (0, 0, 0, 0),
        (0, 0, 0, 0),
        0,
        deal.log.head,
        agreed=True,
    )
    return closed, score.played(outcome)


def void_result(state: HandState, contract: Contract | None) -> Result:
    """The result of a void hand."""
    winners = tuple(trick.winner for trick in state.tricks)
    return Result(True, contract, (), None, 0, (0, 0, 0, 0), (0, 0), winners, ())


def _closed(
    hand: HandPhase,
    state: HandState,
    outcome: Result,
    hands: tuple[tuple[int, ...], ...],
    before: Score,
    after: Score,
    breaches: tuple[int, ...],
) -> ClosedHand:
    old, new = before.paid, after.paid
    points = [outcome.points[hand.position(seat)] for seat in ALL]
    money = [new.money[seat] - old.money[seat] for seat in ALL]
    assert hand.forehand is not None
    return ClosedHand(
        hand.deal.number,
        hand.number,
        hand.forehand,
        state,
        outcome,
        hands,
        (points[0], points[1], points[2], points[3]),
        (money[0], money[1], money[2], money[3]),
        new.kitty - old.kitty,
        hand.deal.log.head,
        breaches,
    )


def _hands(hand: HandPhase) -> tuple[tuple[int, ...], ...]:
    """The four hands as dealt, by position; () unless all 48 cards are shown."""
    dealt = [hand.slots.dealt(hand.seat(position)) for position in range(PLAYERS)]
    shown = tuple(cards for cards in dealt if cards is not None)
    return shown if len(shown) == PLAYERS else ()


def _check_deck(hands: tuple[tuple[int, ...], ...], state: HandState) -> None:
    """A deck that does not come out is nobody's act: the proofs or this program are at fault."""
    if hands and sorted(card for cards in hands for card in cards) != list(DECK):
        raise DealFault("the cards shown are not the deck")
    if hands and any(tuple(sorted(state.played[p])) != tuple(sorted(hands[p])) for p in range(PLAYERS)):
        raise DealFault("the cards played are not the hands dealt")


def _false_claims(hand: HandPhase, state: HandState, hands: tuple[tuple[int, ...], ...]) -> list[int]:
    """Positions whose claim in the bidding the cards refute: a marriage named, or a duel's computer's reservation."""
    if not hands:
        return []
    named = dict(state.names)
    claims = [p for p, contract in state.names if contract is Contract.MARRIAGE]
    claims += [p for p in state.reservers if state.rules.computer(p) and p not in named]
    return sorted(p for p in claims if hands[p].count(CLUB_QUEEN) != 2)


def _hosts(hand: HandPhase, setup: Setup, terms: Terms) -> list[int | None]:
    """Per position who answers for it (R30): in a duel a computer's host, if he plays; else everybody himself."""
    hosts: list[int | None] = []
    for position in range(PLAYERS):
        bot = terms.bot_at(hand.seat(position))
        if bot is None or terms.mode != "duel":
            hosts.append(position)
        else:
            seat = setup.roster.seat_of(bot.host)
            hosts.append(None if seat is None or seat in terms.bot_seats else hand.position(seat))
    return hosts


def result_fields(closed: ClosedHand, seed: bytes | None) -> wire.Result:
    """What RESULT says of a hand."""
    outcome = closed.result
    return wire.Result(
        void=outcome.void,
        game="" if outcome.contract is None else outcome.contract.value,
        re=tuple(sorted((closed.forehand + position) % PLAYERS for position in outcome.re)),
        winner=None if outcome.winner is None else outcome.winner.value,
        value=outcome.value,
        points=closed.points,
        money=closed.money,
        kitty=closed.kitty,
        seed=seed,
    )


def check_result(entry: Entry, closed: ClosedHand, terms: Terms) -> None:
    """Refuse (CLAIM, FORMAT) a RESULT that is not this hand's; a computer's shows its seed for the deal."""
    fields = entry.fields(wire.Result)
    bot = terms.bot_at(entry.seat)
    if (fields.seed is None) is not (bot is None):
        raise Refusal(Code.FORMAT, f"{entry.words()}: computers, and nobody else, show their seed")
    if bot is not None and fields.seed is not None:
        check_seed(bot.seeds, closed.deal, fields.seed)
    if fields != result_fields(closed, fields.seed):
        raise Refusal(Code.CLAIM, f"{entry.words()}: not the result that the log gives")


def document(setup: Setup, closed: list[ClosedHand], score: Score, head: bytes) -> bytes:
    """The settlement document: roster, terms, every hand's result and deal hash, money, kitty, final head."""
    paid = score.paid
    hands = [
        [
            hand.deal,
            hand.number,
            hand.forehand,
            hand.agreed,
            result_fields(hand, None),
            list(hand.breaches),
            b"" if hand.agreed else hand.deal_hash,
        ]
        for hand in closed
    ]
    return codec.encode(
        [
            DOCUMENT_FORMAT,
            setup.match_id,
            setup.roster.raw,
            setup.terms_bytes,
            hands,
            list(score.points),
            list(paid.money),
            paid.kitty,
            head,
        ]
    )
