"""Healthy or reservation, naming, and the contract that comes of it (R8..R10, R34).

All functions named ``do_`` check first and then change the state they are given; nothing is changed by a refusal.
"""

from typing import Final

from protocol.cards import CLUB_QUEEN, PLAYERS
from protocol.refusal import Code, Refusal
from protocol.rules.contracts import CLASS_TABLE, MASK_TABLE, POWER_TABLE, SOLOS, Contract
from protocol.rules.state import HandState, Phase

_WHAT: Final = {Phase.BID: "bids", Phase.NAME: "names", Phase.MARRY: "shows the club queens", Phase.PLAY: "plays"}


def wrong_time(state: HandState, player: int, rule: str) -> Refusal:
    """The refusal of an act that is not what the hand waits for."""
    if state.phase is Phase.DONE:
        return Refusal(Code.TURN, "the hand is over", "R29" if state.void_hand else "R14")
    turn = state.turn if state.turn is not None else 0
    return Refusal(Code.TURN, f"player {turn + 1} {_WHAT[state.phase]} next, not player {player + 1}", rule)


def both_queens(state: HandState, player: int) -> bool | None:
    """Was *player* dealt both club queens?  ``None`` if his hand is not known here."""
    dealt = state.dealt(player)
    return None if dealt is None else dealt.count(CLUB_QUEEN) == 2


def settle(state: HandState, contract: Contract) -> None:
    """Fix the contract; forehand leads (R9)."""
    state.contract = contract
    state._classes = CLASS_TABLE[contract]
    state._masks = MASK_TABLE[contract]
    state._powers = POWER_TABLE[contract]
    state.phase = Phase.PLAY
    state.turn = state.leader = 0


def do_bid(state: HandState, player: int, reserve: bool) -> None:
    """Healthy or reservation.  A duel's computer reserves exactly when it holds both club queens (R34)."""
    if state.phase is not Phase.BID or player != state.turn:
        raise wrong_time(state, player, "R8")
    if state.rules.computer(player):
        both = both_queens(state, player)
        if both is not None and both is not reserve:
            text = "holds both club queens and says reservation" if both else "says healthy without both club queens"
            raise Refusal(Code.RULE, f"a computer player {text} in a duel", "R34")
    state.bids = (*state.bids, reserve)
    if len(state.bids) < PLAYERS:
        state.turn = player + 1
    else:
        next_name(state)


def next_name(state: HandState) -> None:
    """Hand the naming to the next reserver, or settle the contract when all have named (R8)."""
    named = {player for player, _ in state.names}
    for player in state.reservers:
        if player not in named:
            state.phase = Phase.NAME
            state.turn = player
            return
    for player, contract in state.names:  # no solo was named, so these are claims of a marriage
        if contract is Contract.MARRIAGE:
            state.groom = player
            state.phase = Phase.MARRY
            state.turn = player
            if not state.proofs:
                do_marry(state, player)
            return
    settle(state, Contract.NORMAL)


def do_name(state: HandState, player: int, contract: Contract) -> None:
    """Name the reservation.  The first solo ends the naming (R8)."""
    if state.phase is not Phase.NAME or player != state.turn:
        raise wrong_time(state, player, "R8")
    if contract is Contract.MARRIAGE:
        if both_queens(state, player) is False:
            raise Refusal(Code.CLAIM, "a marriage needs both club queens", "R10")
    elif contract not in SOLOS:
        raise Refusal(Code.RULE, "a reservation is a marriage or one of the solos", "R8")
    elif state.rules.computer(player):
        raise Refusal(Code.RULE, "a computer player names no solo in a duel", "R34")
    state.names = (*state.names, (player, contract))
    if contract is Contract.MARRIAGE:
        next_name(state)
    else:
        settle(state, contract)


def do_marry(state: HandState, player: int) -> None:
    """The marriage takes effect: everybody has seen the two club queens of the groom."""
    if state.phase is not Phase.MARRY or player != state.turn:
        raise wrong_time(state, player, "R10")
    if both_queens(state, player) is False:
        raise Refusal(Code.CLAIM, "a marriage needs both club queens", "R10")
    state.groom = player
    state.shown = tuple(2 if p == player else 0 for p in range(PLAYERS))
    settle(state, Contract.MARRIAGE)


def do_withdraw(state: HandState, player: int) -> None:
    """A player who is gone counts as healthy while his reservation is no settled contract (the rule for a ghost).

    In his turn to bid he says healthy; a reservation or an unproven marriage of his is taken back.  A settled contract
    stands, and so does everything in a later phase.
    """
    if state.phase is Phase.BID and player == state.turn:
        state.bids = (*state.bids, False)
        if len(state.bids) < PLAYERS:
            state.turn = player + 1
        else:
            next_name(state)
    elif state.phase in (Phase.BID, Phase.NAME, Phase.MARRY) and player < len(state.bids):
        state.bids = tuple(bid and p != player for p, bid in enumerate(state.bids))
        state.names = tuple(name for name in state.names if name[0] != player)
        state.groom = None
        if state.phase is not Phase.BID:
            next_name(state)
