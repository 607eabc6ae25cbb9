"""One hand from the first bid to the last trick: the front door of :mod:`protocol.rules`.

>>> from protocol.cards import DECK
>>> hands = [DECK[p::4] for p in range(4)]         # a deal for the example: every fourth card
>>> state = start(HandRules(), hands)
>>> legal(state, 0)
(Healthy(player=0), Reserve(player=0))
>>> for player in range(4):
...     state = apply(state, Healthy(player))
>>> state.phase.value, state.contract.value, state.turn
('play', 'normal', 0)
>>> after = apply(state, Play(0, hands[0][0]))
>>> len(state.trick), len(after.trick)             # apply is pure
(0, 1)
>>> apply(after, Play(2, hands[2][0]))
Traceback (most recent call last):
...
protocol.refusal.Refusal: TURN: player 2 plays next, not player 3 (R14)
"""

from protocol.refusal import Code, Refusal
from protocol.rules.acts import HEALTHY, PLAYS, RESERVE, Act, Call, Healthy, Marry, Name, Play, Reserve
from protocol.rules.bidding import both_queens, do_bid, do_marry, do_name, do_withdraw
from protocol.rules.calling import CallOption, call_options, check_call, do_call, legal_calls, needs_proof
from protocol.rules.calls import CallKind, Side
from protocol.rules.contracts import SOLOS, Contract
from protocol.rules.digest import digest
from protocol.rules.score import Item, Result, final_contract, re_side, result
from protocol.rules.state import CallRecord, HandRules, Hands, HandState, Phase, Trick, check_deal
from protocol.rules.tricks import do_play, legal_cards, make_void


def start(rules: HandRules, hands: Hands = (None, None, None, None), *, proofs: bool = False) -> HandState:
    """A hand before the first bid.

    *hands*: per position the twelve types dealt, or ``None`` for a hand that is not known (all four for records and
    simulations, one's own on a node, none for a stranger who verifies).  *proofs*: a network match, where a marriage
    takes effect by :class:`Marry` and a call carries the side it proves.  ``Refusal(FORMAT)`` for an impossible deal
    and for one that a duel forbids (R34).
    """
    return HandState(rules, check_deal(rules, hands), proofs)


def push(state: HandState, act: Act) -> None:
    """Do *act* in place: for the owner of *state* only.  A ``Refusal`` leaves the state as it was."""
    if type(act) is Play:
        do_play(state, act.player, act.card)
    elif type(act) is Call:
        do_call(state, act, judged=False)
    elif type(act) is Healthy:
        do_bid(state, act.player, False)
    elif type(act) is Reserve:
        do_bid(state, act.player, True)
    elif type(act) is Name:
        do_name(state, act.player, act.contract)
    elif type(act) is Marry:
        if not state.proofs:
            raise Refusal(Code.RULE, "a marriage is shown on the network only", "R10")
        do_marry(state, act.player)
    else:
        raise TypeError(f"{act!r} is no act")


def apply(state: HandState, act: Act) -> HandState:
    """The state after *act*; *state* itself is not touched.

    ``Refusal`` with code TURN, RULE, TIME, CLAIM or FORMAT and the number of the rule that forbids the act.
    """
    new = state.copy()
    push(new, act)
    return new


def apply_call(state: HandState, call: Call, *, judged: bool) -> HandState:
    """The state after *call*.

    *judged*: :func:`check_call` has passed on an earlier state, on which the caller held as many cards as here.  Time
    and step are then not checked again; a call that the side has made meanwhile is no step, but its proof counts.
    """
    new = state.copy()
    do_call(new, call, judged=judged)
    return new


def void(state: HandState) -> HandState:
    """The state after all four have agreed that the hand is void (R29)."""
    new = state.copy()
    if new.phase is not Phase.DONE:
        make_void(new)
    return new


def withdraw(state: HandState, player: int) -> HandState:
    """The state after *player* has been dropped: an open bid or reservation of his counts as healthy.

    A settled contract, an earlier "healthy" and a hand that is being played stay as they are.
    """
    new = state.copy()
    do_withdraw(new, player)
    return new


def legal(state: HandState, player: int) -> tuple[Act, ...]:
    """Everything *player* may do now, in the order healthy, reservation, marriage, solos, plays, calls.

    Cards come once per type, in the order dealt.  For a hand that is not known this is all that the public log does
    not rule out.
    """
    if state.phase is Phase.PLAY:
        calls = legal_calls(state, player)
        if player != state.turn:
            return calls
        return (*(PLAYS[player][card] for card in legal_cards(state)), *calls)
    if player != state.turn:
        return ()
    both = both_queens(state, player)
    computer = state.rules.computer(player)
    if state.phase is Phase.BID:
        if computer and both is not None:
            return (RESERVE[player] if both else HEALTHY[player],)
        return (HEALTHY[player], RESERVE[player])
    if state.phase is Phase.MARRY:
        return (Marry(player),) if both is not False else ()
    marriage = () if both is False else (Name(player, Contract.MARRIAGE),)
    solos = () if computer else tuple(Name(player, solo) for solo in SOLOS)
    return (*marriage, *solos)


__all__ = [
    "Act",
    "Call",
    "CallKind",
    "CallOption",
    "CallRecord",
    "Contract",
    "HandRules",
    "HandState",
    "Hands",
    "Healthy",
    "Item",
    "Marry",
    "Name",
    "Phase",
    "Play",
    "Refusal",
    "Reserve",
    "Result",
    "Side",
    "Trick",
    "apply",
    "apply_call",
    "call_options",
    "check_call",
    "digest",
    "final_contract",
    "legal",
    "legal_cards",
    "needs_proof",
    "push",
    "re_side",
    "result",
    "start",
    "void",
    "withdraw",
]
