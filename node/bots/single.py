"""One hand of four policies in one process: no network, no proofs, the engine alone."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from node.bots.bidding import modest_bid
from node.bots.policy import Policy
from node.i18n import _
from protocol.refusal import Refusal
from protocol.rules.acts import Act, Call
from protocol.rules.calls import CallKind
from protocol.rules.hand import HandState, Phase, call_options, push, start
from protocol.rules.score import Result, result
from protocol.rules.state import HandRules
from protocol.rules.view import HandView, hand_view

T = TypeVar("T")


class BadPolicy(Exception):
    """A policy broke the contract of :class:`~node.bots.policy.Policy`; the text says which and how."""


@dataclass(slots=True)
class Clock:
    """Seconds of this process's CPU that each position took for its decisions."""

    seconds: tuple[list[float], list[float], list[float], list[float]] = field(default_factory=lambda: ([], [], [], []))


def _asked(policy: Policy, question: Callable[[HandView, bytes], T], view: HandView, seed: bytes) -> T:
    try:
        return question(view, seed)
    except Exception as error:
        text = _("{name} raised {kind}: {problem}")
        raise BadPolicy(text.format(name=policy.name, kind=type(error).__name__, problem=error)) from error


def _timed_choice(policy: Policy, view: HandView, seed: bytes, clock: Clock | None) -> Act:
    began = time.process_time()
    act = _asked(policy, policy.choose, view, seed)
    if clock is not None and len(view.legal) > 1:
        clock.seconds[view.me].append(time.process_time() - began)
    if act not in view.legal:
        raise BadPolicy(_("{name} chose {act}, which is not legal here").format(name=policy.name, act=act))
    return act


def ask_calls(state: HandState, policies: Sequence[Policy], seeds: Sequence[bytes]) -> None:
    """Let everybody call until nobody has anything more to say; from the player in turn on."""
    asked = True
    while asked and state.phase is Phase.PLAY:
        asked = False
        for step in range(4):
            player = ((state.turn or 0) + step) % 4
            if not call_options(state, player):
                continue
            policy = policies[player]
            kind: CallKind | None = _asked(policy, policy.call, hand_view(state, player), seeds[player])
            if kind is not None:
                try:
                    push(state, Call(player, kind))
                except Refusal as refusal:
                    text = _("{name} called {call}: {problem}")
                    raise BadPolicy(text.format(name=policy.name, call=kind, problem=refusal)) from refusal
                asked = True


def play_hand(
    policies: Sequence[Policy],
    hands: Sequence[Sequence[int]],
    seeds: Sequence[bytes],
    rules: HandRules | None = None,
    *,
    bidding: bool = True,
    clock: Clock | None = None,
) -> tuple[HandState, Result]:
    """Play a deal to its end: the final state (with the whole log) and the result.

    *policies* and *seeds* are those of the positions 0..3.  Without *bidding* marriages are announced,
    everybody else says healthy and nobody calls.
    :class:`BadPolicy` if a policy does what it may not.
    """
    state = start(rules or HandRules(), hands)
    while state.phase is not Phase.DONE:
        if state.phase is Phase.PLAY and bidding:
            ask_calls(state, policies, seeds)
        player = state.turn
        assert player is not None
        if not bidding and state.phase is not Phase.PLAY:
            push(state, modest_bid(hand_view(state, player)))
            continue
        push(state, _timed_choice(policies[player], hand_view(state, player), seeds[player], clock))
    return state, result(state)
