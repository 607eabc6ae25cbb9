"""The canonical digest of a hand's public state, which the receipts of a match compare after every trick.

SHA-256 over ``u16(len(DOMAIN)) || DOMAIN || body``, where the body is the following bytes in order; ``255`` stands for
"none", players are positions, contracts, calls, phases and profiles are their index in their enumeration:

====================  =====================================================================================
profile               0 stargames, 1 ddv
special points        0 or 1
duel                  0 no duel, 1 humans at (0, 2), 2 humans at (1, 3)
proofs                0 or 1
phase, turn           0..4; position or 255
contract              0..9 or 255
void                  0 or 1
bids                  count, then 1 per reservation and 0 per healthy
names                 count, then (player, contract) each
groom, partner        position or 255
clearing              1..3, or 0
cards                 count, then (player, type) each, as played
calls                 count, then (player, kind, side 0 Re / 1 Contra, type shown or 255, counted, cards played) each
levels, late          Re, Contra; Re, Contra
per position          proven side, known side (0 Re, 1 Contra, 255), club queens shown
voids                 u32 big-endian, bit 5 * player + class
====================  =====================================================================================
"""

import hashlib
from typing import Final

from protocol.rules.calls import CallKind, Side
from protocol.rules.contracts import Contract
from protocol.rules.state import HandState, Phase

DOMAIN: Final = b"DOKO1-state"

_CONTRACTS: Final = {contract: i for i, contract in enumerate(Contract)}
_KINDS: Final = {kind: i for i, kind in enumerate(CallKind)}
_PHASES: Final = {phase: i for i, phase in enumerate(Phase)}
_SIDES: Final = {Side.RE: 0, Side.KONTRA: 1, None: 255}


def public_bytes(state: HandState) -> bytes:
    """The digest's body: equal exactly if everything public is equal."""
    rules = state.rules
    out = bytearray(
        (
            rules.profile == "ddv",
            rules.special_points,
            0 if rules.duel is None else 1 + rules.duel[0],
            state.proofs,
            _PHASES[state.phase],
            _or_none(state.turn),
            255 if state.contract is None else _CONTRACTS[state.contract],
            state.void_hand,
            len(state.bids),
            *state.bids,
            len(state.names),
        )
    )
    for player, contract in state.names:
        out += bytes((player, _CONTRACTS[contract]))
    out += bytes((_or_none(state.groom), _or_none(state.partner), state.clearing or 0, state.cards_played))
    for pair in state.log:
        out += bytes(pair)
    out.append(len(state.calls))
    for call in state.calls:
        shown = _or_none(call.shown)
        out += bytes((call.player, _KINDS[call.kind], _SIDES[call.side], shown, call.counted, call.played))
    out += bytes((*state.levels, *state.late))
    for proven, known, shown in zip(state.proven, state.known_sides, state.shown, strict=True):
        out += bytes((_SIDES[proven], _SIDES[known], shown))
    out += state._voids.to_bytes(4, "big")
    return bytes(out)


def _or_none(value: int | None) -> int:
    return 255 if value is None else value


def digest(state: HandState) -> bytes:
    """32 bytes; equal exactly if the public states are equal, whatever hands are known to whom."""
    return hashlib.sha256(len(DOMAIN).to_bytes(2, "big") + DOMAIN + public_bytes(state)).digest()
