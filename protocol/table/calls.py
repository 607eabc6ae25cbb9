"""Calls race with cards and with each other; this is how they are judged and how cards carry them.

::

                      judged on the state at its parent head, plus the calls it answers
    CALL ------------------------------------------------------------> pending (shown to people at once)
                                                                           |
    PLAY with a list of whole calls  --- applied in list order --->    carried (in the log, counts)

- A call's parent head contains its author's last PLAY; it names in ``after`` the pending calls it answers.  Its
  author's own earlier calls count as named.
- A call is judged when every lower sequence number of its author is known; until then it is held (:class:`Later`).
- A PLAY carries every call of its author that is not in the log yet, and may carry those of others.
- A call that its side has made meanwhile is no step and no breach, but what it opens and proves counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from protocol.cards import CLUB_QUEEN
from protocol.deal import claims
from protocol.refusal import Code, Refusal
from protocol.rules.acts import Call
from protocol.rules.calls import CallKind, Side
from protocol.rules.contracts import Contract
from protocol.rules.hand import HandState, apply_call, check_call
from protocol.table.deal_phase import Later
from protocol.table.entries import Entry, check_signature, entry_hash, read_entry
from protocol.wire import entries as wire
from protocol.wire.entries import Chain, Kind

if TYPE_CHECKING:
    from protocol.table.hand_phase import HandPhase

#: Calls of one seat that may be pending at once (a hand has five steps); a PLAY can carry those of all four.
MAX_PENDING: Final = 6
_SIDES: Final = {CallKind.RE: claims.Side.RE, CallKind.KONTRA: claims.Side.KONTRA}


@dataclass(frozen=True, slots=True)
class JudgedCall:
    """A call that is right where it stands: the engine's act, the slot it opens, the calls it stands behind."""

    entry: Entry
    act: Call
    slot: int | None
    behind: tuple[bytes, ...]


def judge(hand: HandPhase, entry: Entry, listed: Mapping[bytes, JudgedCall]) -> JudgedCall:
    """Judge a call.  *listed*: calls before it in the PLAY that carries it.  Raises ``Refusal`` or :class:`Later`."""
    fields, seat = entry.fields(wire.Call), entry.seat
    try:
        kind = CallKind(fields.what)
    except ValueError:
        raise Refusal(Code.FORMAT, f"{entry.words()}: no such call") from None
    if hand.state is None or entry.seq <= hand.first_seq[seat]:
        raise Refusal(Code.TIME, f"{entry.words()}: nothing can be called before the game is settled", "R16")
    position = hand.log.position(entry.parent)
    if position is None:
        raise Later
    base = hand.states.get(entry.parent)
    if base is None:
        raise Refusal(Code.TIME, f"{entry.words()}: nothing can be called before the game is settled", "R16")
    behind = _behind(hand, entry, listed, position)
    last = max((at for number, at in hand.plays[seat] if number < entry.seq), default=-1)
    if position <= last:
        raise Refusal(Code.TIME, f"{entry.words()}: its head does not contain its author's last card", "R16")
    state, slots = _with(hand, base, behind, listed, position)
    player = hand.position(seat)
    proven = state.proven[player]
    normal = state.contract is Contract.NORMAL
    side = claims.judge_call(
        hand.call_place(seat, entry.seq),
        hand.public(seat),
        hand.slots.pairs,
        normal,
        None if proven is None else claims.Side(proven.value),
        _SIDES.get(kind),
        fields.open,
        fields.neq,
        hand.slots.played,
        hand.slots.opened | dict.fromkeys(slots, CLUB_QUEEN),
    )
    proof = fields.open is not None or fields.neq is not None
    act = Call(
        player,
        kind,
        Side(side.value) if proof and side is not None else None,
        CLUB_QUEEN if fields.open is not None else None,
    )
    check_call(state, act)
    return JudgedCall(entry, act, None if fields.open is None else fields.open.slot, behind)


def _find(hand: HandPhase, key: bytes, listed: Mapping[bytes, JudgedCall]) -> JudgedCall | None:
    found = listed.get(key) or hand.pending.get(key)
    if found is None and key in hand.carried:
        found = hand.carried[key][0]
    return found


def _behind(hand: HandPhase, entry: Entry, listed: Mapping[bytes, JudgedCall], position: int) -> tuple[bytes, ...]:
    """The calls it stands behind: those of ``after`` and its author's own earlier ones that its head does not have."""
    seat = entry.seat
    own = {call.entry.seq: key for key, call in listed.items() if call.entry.seat == seat}
    behind: list[bytes] = []
    for number in range(hand.first_seq[seat] + 1, entry.seq):
        lower = hand.places.get((seat, Chain.MAIN, 0, number))
        key = own.get(number) if lower is None else lower.hash
        if key is None:
            raise Later
        if _find(hand, key, listed) is not None and not _below(hand, key, position):
            behind.append(key)
        elif lower is not None and lower.kind is Kind.CALL and key not in hand.carried:
            raise Later  # known, but not judged yet
    for key in entry.fields(wire.Call).after:
        if _find(hand, key, listed) is None:
            raise Later
        if _below(hand, key, position):
            raise Refusal(Code.FORMAT, f"{entry.words()}: answers a call that stands in the log")
        if key not in behind:
            behind.append(key)
    return tuple(behind)


def _below(hand: HandPhase, key: bytes, position: int) -> bool:
    """Whether the log at *position* has the call."""
    return key in hand.carried and hand.carried[key][1] < position


def _with(
    hand: HandPhase, state: HandState, behind: Iterable[bytes], listed: Mapping[bytes, JudgedCall], position: int
) -> tuple[HandState, set[int]]:
    """*state* after the calls *behind* and all that those stand behind; and the slots they open."""
    order: dict[bytes, JudgedCall] = {}

    def visit(keys: Iterable[bytes]) -> None:
        for key in keys:
            call = _find(hand, key, listed)
            if call is None or key in order or _below(hand, key, position):
                continue
            visit(call.behind)
            order[key] = call

    visit(behind)
    for call in order.values():
        state = apply_call(state, call.act, judged=True)
    return state, {call.slot for call in order.values() if call.slot is not None}


def carry(hand: HandPhase, play: Entry) -> list[JudgedCall]:
    """The calls that a PLAY carries, judged, in its order.  An invalid call makes the PLAY invalid: ``Refusal``."""
    listed: dict[bytes, JudgedCall] = {}
    for signed in play.fields(wire.Play).calls:
        key = entry_hash(signed.payload)
        if key in listed or key in hand.carried:
            raise Refusal(Code.FORMAT, f"{play.words()}: carries a call that is in the log")
        call = hand.pending.get(key)
        if call is None or call.entry.signature != signed.signature:
            entry = read_entry(signed.payload, signed.signature)
            check_signature(entry, hand.identities)
            if entry.kind is not Kind.CALL or entry.deal != hand.deal.number or entry.says.match != play.says.match:
                raise Refusal(Code.CONTEXT, f"{play.words()}: carries what is no call of this hand")
            hand.check_place(entry)
            try:
                call = judge(hand, entry, listed)
            except Later:
                raise Refusal(Code.CONTEXT, f"{play.words()}: carries a call without what it stands behind") from None
        for needed in call.behind:
            if needed not in listed and needed not in hand.carried:
                raise Refusal(Code.CONTEXT, f"{play.words()}: carries a call without what it stands behind")
        listed[key] = call
    own = {call.entry.seq for call in listed.values() if call.entry.seat == play.seat}
    covered = own | set(hand.seqs[play.seat])
    for number in range(hand.first_seq[play.seat], play.seq):
        if number not in covered:
            raise Refusal(Code.CONTEXT, f"{play.words()}: its author's number {number} is not in the log nor carried")
    return list(listed.values())
