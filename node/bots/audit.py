"""The audit: did the computers of a match play what their policies, seeds and cards oblige them to?

A settlement holds everything: the terms name each computer's policy, version and the head of its chain of seeds; its
RESULTs reveal the seed of every hand; the cards are all shown.  So each decision can be made again and compared.  What
a computer did is one of three things:

* what its policy chooses, with its full number of worlds;
* a *fallback*: what the rules of ``beginner`` choose, as when time was short (:mod:`node.bots.worker`);
* something else: the first such act of a computer is named.

Calls are checked on the state in which they were made; a call that was not made counts against a computer only if both
its policy and the rules would have called in every state it may have decided on (calls race with cards).
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from node.bots.beginner import Beginner
from node.bots.levels import LEVELS, level_policy
from node.bots.policy import Policy, call_kinds
from protocol.cards import CARD_NAMES
from protocol.rules.acts import HEALTHY, RESERVE, Act, Call, Healthy, Marry, Name, Play, Reserve
from protocol.rules.calling import needs_proof
from protocol.rules.calls import CallKind
from protocol.rules.contracts import Contract
from protocol.rules.hand import HandState, apply, apply_call, start
from protocol.rules.state import CallRecord
from protocol.rules.view import hand_view
from protocol.table import settlement
from protocol.table.end_phase import ClosedHand
from protocol.table.entries import read_entry
from protocol.table.terms import Bot, Terms
from protocol.table.verify import Verdict
from protocol.wire import entries as wire
from protocol.wire.entries import Kind

_RULES: Final = Beginner()


@dataclass(frozen=True, slots=True)
class Difference:
    """An act that is neither the policy's nor the rules': in counting hand *hand*, before card *card* (0..47)."""

    hand: int
    card: int
    did: str
    should: str


@dataclass(frozen=True, slots=True)
class Audited:
    """One computer.  ``decisions`` were checked; of them ``fallbacks`` were the rules', ``differing`` neither's.

    ``unshown`` hands could not be checked (not all cards, or no seed, are in the file); ``unknown``: this program does
    not have that policy in that version, so nothing was checked.
    """

    seat: int
    bot: Bot
    decisions: int = 0
    fallbacks: int = 0
    differing: int = 0
    unshown: int = 0
    unknown: bool = False
    first: Difference | None = None

    @property
    def good(self) -> bool:
        """Nothing speaks against it, and something was there to check."""
        return not self.unknown and not self.differing


@dataclass(frozen=True, slots=True)
class Decision:
    """A moment of decision: the state as the player saw it, and what he did (``None``: no call)."""

    state: HandState
    player: int
    did: Act | None
    asked: str  # "choose" or "call"
    others: tuple[HandState, ...] = ()  # for calls: other states he may have decided on


def seeds_of(raw: bytes) -> dict[tuple[int, int], bytes]:
    """The seeds that computers revealed, by (deal number, seat), from a settlement that verifies."""
    found: dict[tuple[int, int], bytes] = {}
    for each in settlement.read_body(raw).log.main:
        for item in each:
            if isinstance(item, bytes):
                continue
            entry = read_entry(item.payload, item.signature)
            if entry.kind is Kind.RESULT:
                seed = entry.fields(wire.Result).seed
                if seed is not None:
                    found[entry.deal, entry.seat] = seed
    return found


def decisions_of(closed: ClosedHand) -> Iterator[Decision]:
    """All decisions of a hand, in order, on the states that the players saw."""
    end = closed.state
    state = start(end.rules, closed.hands, proofs=True)
    for player, reserved in enumerate(end.bids):
        act: Act = RESERVE[player] if reserved else HEALTHY[player]
        yield Decision(state, player, act, "choose")
        state = apply(state, act)
    for player, contract in end.names:
        act = Name(player, contract)
        yield Decision(state, player, act, "choose")
        state = apply(state, act)
    if end.groom is not None:
        state = apply(state, Marry(end.groom))
    calls = list(end.calls)
    before: dict[int, list[HandState]] = {p: [] for p in range(4)}  # states since the player's last card
    for number, (player, card) in enumerate(end.log):
        carried = [call for call in calls if call.played == number]
        for p in range(4):
            before[p].append(state)
        heard = state
        for call in carried:
            act = _call_act(heard, call)
            yield Decision(heard, call.player, act, "call", tuple(before[call.player]))
            heard = apply_call(heard, act, judged=True)
            for p in range(4):
                before[p].append(heard)
        if not any(call.player == player for call in carried):
            yield Decision(heard, player, None, "call", (state,))
        act = Play(player, card)
        yield Decision(heard, player, act, "choose", (state,))
        state = apply(heard, act)
        before[player].clear()


def _call_act(state: HandState, call: CallRecord) -> Call:
    if not needs_proof(state, call.player):
        return Call(call.player, call.kind)
    return Call(call.player, call.kind, call.side, call.shown)


def words_of(act: Act | None) -> str:
    """An act as hand records write it."""
    match act:
        case None:
            return "no call"
        case Play(card=card):
            return f"play {CARD_NAMES[card]}"
        case Call(kind=kind):
            return f"call {kind.value}"
        case Name(contract=contract):
            return "marriage" if contract is Contract.MARRIAGE else f"solo {contract.value}"
        case Reserve():
            return "reservation"
        case Healthy():
            return "healthy"
        case _:
            return "marriage"


def _answers(policy: Policy, state: HandState, player: int, seed: bytes, asked: str) -> Act | None:
    view = hand_view(state, player)
    if asked == "choose":
        return policy.choose(view, seed)
    kind: CallKind | None = policy.call(view, seed) if call_kinds(view) else None
    return None if kind is None else Call(player, kind)


def _same(did: Act | None, answer: Act | None) -> bool:
    if isinstance(did, Call) and isinstance(answer, Call):
        return did.kind is answer.kind
    return did == answer


def judge(decision: Decision, policy: Policy, seed: bytes) -> tuple[str, Act | None]:
    """``"same"``, ``"fallback"`` or ``"other"``; and what the policy would have done."""
    states = (decision.state, *(state for state in decision.others if state is not decision.state))
    should: Act | None = None
    for index, state in enumerate(states):
        try:
            answer = _answers(policy, state, decision.player, seed, decision.asked)
        except Exception:  # so it did at the table, where the rules decided
            answer = _answers(_RULES, state, decision.player, seed, decision.asked)
        else:
            if _same(decision.did, answer):
                return "same", answer
        if not index:
            should = answer
    for state in states:
        if _same(decision.did, _answers(_RULES, state, decision.player, seed, decision.asked)):
            return "fallback", should
    return "other", should


def audit_bot(
    bot: Bot,
    hands: tuple[ClosedHand, ...],
    seeds: dict[tuple[int, int], bytes],
    *,
    policy: Policy | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Audited:
    """Check one computer.  *policy*: what its name stands for, if not a level of this program."""
    report = Audited(bot.seat, bot)
    if policy is None:
        if bot.policy not in LEVELS:
            return replace(report, unknown=True)
        policy = level_policy(bot.policy)
    if policy.version != bot.version:
        return replace(report, unknown=True)
    for index, closed in enumerate(hands):
        if progress is not None:
            progress(index, len(hands))
        seed = seeds.get((closed.deal, bot.seat))
        if closed.agreed or not closed.hands or seed is None:
            report = replace(report, unshown=report.unshown + 1)
            continue
        position = (bot.seat - closed.forehand) % 4
        for decision in decisions_of(closed):
            if decision.player == position:
                report = _count(report, decision, policy, seed, closed)
    return report


def _count(report: Audited, decision: Decision, policy: Policy, seed: bytes, closed: ClosedHand) -> Audited:
    verdict, should = judge(decision, policy, seed)
    report = replace(report, decisions=report.decisions + 1)
    if verdict == "fallback":
        return replace(report, fallbacks=report.fallbacks + 1)
    if verdict == "other":
        first = report.first or Difference(
            closed.number, decision.state.cards_played, words_of(decision.did), words_of(should)
        )
        return replace(report, differing=report.differing + 1, first=first)
    return report


def audit(
    raw: bytes,
    verdict: Verdict,
    progress: Callable[[int, int, int], None] | None = None,
    policies: Iterable[Policy] = (),
) -> tuple[Audited, ...]:
    """Check every computer of a settlement that verifies (*verdict* is that of *raw*).

    *progress* is called with the seat, the hands done and the hands there are.  *policies*: what computers that are no
    levels of this program go by, found by name (a level is always our own).
    """
    terms = verdict.terms
    if not verdict.good or not isinstance(terms, Terms):
        raise ValueError("only a settlement that verifies can be audited")
    seeds = seeds_of(raw)

    def step(seat: int) -> Callable[[int, int], None] | None:
        return None if progress is None else lambda done, all_: progress(seat, done, all_)

    known = {policy.name: policy for policy in policies if policy.name not in LEVELS}
    return tuple(
        audit_bot(bot, verdict.hands, seeds, policy=known.get(bot.policy), progress=step(bot.seat))
        for bot in terms.bots
    )
