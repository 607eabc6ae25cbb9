"""Calls on a state: whose side, which step, in time or not (R16..R20, R34).

A call is judged on one state and may take effect on a later one (a network's calls race with the cards), so judging
(:func:`check_call`) and taking effect (:func:`do_call`) are apart.  In between the caller has played no card, so his
own count of cards, and with it every deadline, is the same at both.
"""

from typing import Final, NamedTuple

from protocol.cards import CLUB_QUEEN, PLAYERS
from protocol.refusal import Code, Refusal
from protocol.rules.acts import Call
from protocol.rules.calls import ABSAGEN, ANSAGE, SIDE_INDEX, STEP, CallKind, Side
from protocol.rules.contracts import Contract
from protocol.rules.state import CallRecord, HandState, Phase

_STEP_CALL: Final = (None, None, *ABSAGEN)


class CallOption(NamedTuple):
    """A call that may be made now.

    ``needs`` is how many cards must still be in the caller's hand, so he may play ``cards left - needs`` more before
    it is too late; ``reply`` says that only R20 still allows it, and that it allows no Absage afterwards.
    """

    kind: CallKind
    side: Side
    needs: int
    reply: bool


def needs_proof(state: HandState, player: int) -> bool:
    """Must a call of *player* carry a proof of his side?

    Only on the network, in a normal game (as bid), while he has neither proven a side nor played or opened a club
    queen.  What others have shown does not matter.
    """
    return state.proofs and state.contract is Contract.NORMAL and state.proven[player] is None


def caller_side(state: HandState, call: Call) -> Side:
    """The side for which *call* is made; ``Refusal(FORMAT | CLAIM)`` if its proof is absent, idle or contradicted."""
    player = call.player
    if state.contract is not Contract.NORMAL:
        side = state.known_sides[player]
        assert side is not None
    elif state.proven[player] is not None:
        side = state.proven[player]
        assert side is not None
    else:
        dealt = state.dealt(player)
        if dealt is not None and (call.side is not None or not state.proofs):
            side = Side.RE if CLUB_QUEEN in dealt else Side.KONTRA
        elif call.side is not None:
            side = call.side
        else:
            raise Refusal(Code.CLAIM, f"player {player + 1} calls without showing his side", "R19")
    if call.side is not None and call.side is not side:
        raise Refusal(Code.CLAIM, f"player {player + 1} is {side.value}, not {call.side.value}", "R11")
    if call.kind in (CallKind.RE, CallKind.KONTRA) and ANSAGE[side] is not call.kind:
        raise Refusal(Code.CLAIM, f"player {player + 1} is {side.value} and cannot call {call.kind.value}", "R11")
    return side


def _check_proof(state: HandState, call: Call) -> None:
    """Proof exactly when one is needed; a club queen opened exactly to prove Re."""
    if needs_proof(state, call.player):
        if call.side is None:
            raise Refusal(Code.CLAIM, f"player {call.player + 1} calls without proving his side", "R19")
        if (call.side is Side.RE) is not (call.shown == CLUB_QUEEN):
            raise Refusal(Code.CLAIM, "Re is proven by opening a club queen, Contra by opening nothing", "R11")
    elif call.shown is not None or (state.proofs and call.side is not None):
        raise Refusal(Code.FORMAT, f"the side of player {call.player + 1} needs no proof", "R19")


def check_call(state: HandState, call: Call) -> None:
    """Raise ``Refusal`` unless *call* may be made on *state* (R16..R20, R34)."""
    player = call.player
    contract = state.contract
    if contract is None:
        raise Refusal(Code.TIME, "nothing can be called before the game is settled", "R16")
    if state.rules.computer(player):
        raise Refusal(Code.RULE, "computer players never call in a duel", "R34")
    if contract is Contract.MARRIAGE and state.clearing is None:
        raise Refusal(Code.TIME, "nothing can be called before the clearing trick is complete", "R17")
    if state.phase is Phase.DONE:
        raise Refusal(Code.TIME, "the hand is over", "R16")
    _check_proof(state, call)
    side = caller_side(state, call)
    step = STEP[call.kind]
    index = SIDE_INDEX[side]
    level = state.levels[index]
    if step <= level:
        raise Refusal(Code.RULE, f"{side.value} has already called {call.kind.value}", "R19")
    if step > 1 and state.late[index]:
        raise Refusal(Code.TIME, "after a reply that was too late by itself nothing more can be called", "R20")
    have = state.cards_left(player)
    need = 11 - level - state.shift
    if have >= need:
        return
    against = state.levels[1 - index]
    if step == 1 and against:
        reply = 11 - against - state.shift
        if have >= reply:
            return
        raise Refusal(Code.TIME, f"this reply needs {reply} cards, player {player + 1} holds {have}", "R20")
    if step > level + 1 and have >= 12 - step - state.shift:
        text = f"a step that is skipped needs {need} cards, player {player + 1} holds {have}"
        raise Refusal(Code.TIME, text, "R18")
    need = 12 - step - state.shift
    raise Refusal(Code.TIME, f"{call.kind.value} needs {need} cards, player {player + 1} holds {have}", "R16")


def do_call(state: HandState, call: Call, *, judged: bool) -> None:
    """Let *call* take effect.  *judged*: time and step were checked on an earlier state already.

    A call that the caller's side has made meanwhile is then no step, but what it proves and opens counts.
    """
    if not judged:
        check_call(state, call)
    elif state.contract is None:
        raise Refusal(Code.TIME, "nothing can be called before the game is settled", "R16")
    player = call.player
    side = caller_side(state, call)
    if call.shown is not None:
        if call.shown != CLUB_QUEEN or side is Side.KONTRA:
            raise Refusal(Code.CLAIM, "only a club queen is opened for a call, and only by Re", "R11")
        if sum(state.queens) + sum(state.shown) >= 2:
            raise Refusal(Code.CLAIM, "a third club queen", "R1")
        state.shown = tuple(s + (p == player) for p, s in enumerate(state.shown))
    if state.contract is Contract.NORMAL and state.proven[player] is None:
        state.proven = tuple(side if p == player else known for p, known in enumerate(state.proven))
    step = STEP[call.kind]
    index = SIDE_INDEX[side]
    level = state.levels[index]
    counted = step > level
    if counted:
        late = step == 1 and state.cards_left(player) < 11 - state.shift
        if index:
            state.levels = (state.levels[0], step)
            state.late = (state.late[0], late)
        else:
            state.levels = (step, state.levels[1])
            state.late = (late, state.late[1])
    record = CallRecord(player, call.kind, side, call.shown, counted, state.cards_played)
    state.calls = (*state.calls, record)


def call_options(state: HandState, player: int) -> tuple[CallOption, ...]:
    """What *player* may call now, for his side or, where neither log nor hand shows it, for both.

    >>> from protocol.rules.hand import start, apply, HandRules, Healthy
    >>> state = start(HandRules())
    >>> for p in range(4):
    ...     state = apply(state, Healthy(p))
    >>> [(o.kind.value, o.needs) for o in call_options(state, 2) if o.side is Side.RE]
    [('re', 11), ('no90', 11), ('no60', 11), ('no30', 11), ('black', 11)]
    """
    contract = state.contract
    if (
        contract is None
        or state.phase is Phase.DONE
        or (contract is Contract.MARRIAGE and state.clearing is None)
        or state.rules.computer(player)
    ):
        return ()
    have = state.cards_left(player)
    shift = state.shift
    if have < 11 - max(state.levels) - shift:
        return ()  # too late for every step and every reply, whatever his side
    side = _own_side(state, player)
    options: list[CallOption] = []
    for mine in (side,) if side is not None else (Side.RE, Side.KONTRA):
        index = SIDE_INDEX[mine]
        level = state.levels[index]
        need = 11 - level - shift
        if level == 0:
            against = state.levels[1 - index]
            least = min(need, 11 - against - shift)
            if have >= least:
                options.append(CallOption(ANSAGE[mine], mine, least, have < need))
        if have >= need and not state.late[index]:
            options.extend(CallOption(kind, mine, need, False) for kind in _STEP_CALL[max(2, level + 1) :] if kind)
    return tuple(options)


def _own_side(state: HandState, player: int) -> Side | None:
    """The side a call of *player* would be for: from the contract, his own proof or his own hand."""
    if state.contract is not Contract.NORMAL:
        return state.known_sides[player]
    if state.proven[player] is not None:
        return state.proven[player]
    dealt = state.dealt(player)
    if dealt is not None:
        return Side.RE if CLUB_QUEEN in dealt else Side.KONTRA
    if sum(state.queens) + sum(state.shown) == 2:
        return Side.KONTRA
    return None


def legal_calls(state: HandState, player: int) -> tuple[Call, ...]:
    """The calls of :func:`call_options` as acts, with the proof's result filled in where one is needed."""
    options = call_options(state, player)
    if not options:
        return ()
    if needs_proof(state, player):
        shown = {Side.RE: CLUB_QUEEN, Side.KONTRA: None}
        return tuple(Call(player, option.kind, option.side, shown[option.side]) for option in options)
    if state.contract is Contract.NORMAL and state.proven[player] is None and state.dealt(player) is None:
        return tuple(Call(player, option.kind, option.side) for option in options)
    return tuple(CALLS[player][option.kind] for option in options)


CALLS: Final = tuple({kind: Call(p, kind) for kind in CallKind} for p in range(PLAYERS))
