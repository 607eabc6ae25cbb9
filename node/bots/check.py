"""The conformance check: does a policy keep the contract of :class:`~node.bots.policy.Policy`?

A policy is shown many situations (all contracts, duels, calls, late and early) and its answers are tested one property
at a time.  Passing is no proof, failing is one: each finding says in which situation, so that it can be repeated.
"""

import hashlib
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from node.bots.league import deal_hands, deal_seeds
from node.bots.policy import Policy, call_kinds
from node.bots.single import play_hand
from protocol.cards import CLUB_QUEEN, format_cards
from protocol.rules.acts import Act, Call, Name
from protocol.rules.calls import CallKind
from protocol.rules.contracts import Contract
from protocol.rules.digest import digest
from protocol.rules.hand import HandRules, HandState, Phase, legal, push, start
from protocol.rules.view import HandView, hand_view

#: Situations a policy is shown unless told otherwise.
SITUATIONS: Final = 300
#: So many of them are shown to it in another process, too.
ELSEWHERE: Final = 60


class Property(StrEnum):
    """What is tested; the values are what people read."""

    NAMED = "name and version are fit for the terms"
    LEGAL = "every choice is legal"
    CALLS = "every call may be made"
    UNRAISED = "nothing is raised"
    PURE = "equal arguments give equal answers"
    GLOBAL = "the global random generator is neither used nor seeded"
    UNTOUCHED = "the view is not changed"
    SEED = "another instance answers the same"
    PROCESS = "another process answers the same"
    WHOLE = "it plays whole hands"


@dataclass(frozen=True, slots=True)
class Finding:
    """A property that does not hold, and where."""

    property: Property
    where: str


Fail = Callable[[Property, str], None]
Answer = tuple[Act | None, CallKind | None]


def situations(number: int, seed: int = 0) -> Iterator[HandView]:
    """Views of players whose turn it is, and of others who may call: the same for the same numbers."""
    rng = random.Random(seed)  # noqa: S311
    made = 0
    deal = 0
    while made < number:
        deal += 1
        duel = (None, None, (0, 2), (1, 3))[deal % 4]
        hands = deal_hands(seed, deal)
        queens = [hand.count(CLUB_QUEEN) for hand in hands]
        if duel and max(queens) == 1 and queens[duel[0]] + queens[duel[1]] != 1:
            continue
        state = start(HandRules("ddv" if deal % 8 > 3 else "stargames", deal % 5 > 0, duel), hands)
        while state.phase is not Phase.DONE and made < number:
            player = state.turn or 0
            if rng.randrange(6) == 0:
                made += 1
                yield hand_view(state, player)
            elif rng.randrange(16) == 0 and state.phase is Phase.PLAY:
                made += 1
                yield hand_view(state, rng.randrange(4))
            if rng.randrange(10) == 0:
                calls = [a for p in range(4) for a in legal(state, p) if isinstance(a, Call)]
                if calls:
                    push(state, rng.choice(calls))
            push(state, _drift(state, player, rng))


def _drift(state: HandState, player: int, rng: random.Random) -> Act:
    """Some act, with reservations and marriages more often than chance would have them."""
    acts = [a for a in legal(state, player) if not isinstance(a, Call)]
    if state.phase is Phase.BID and len(acts) == 2:
        return acts[rng.randrange(4) == 0]
    marriage = [a for a in acts if isinstance(a, Name) and a.contract is Contract.MARRIAGE]
    return rng.choice(marriage or acts)


def _describe(view: HandView) -> str:
    state = view.state
    trick = format_cards(state.trick) or "-"
    contract = state.contract.value if state.contract else state.phase.value
    return f"{contract}, player {view.me + 1}, trick {len(state.tricks) + 1} ({trick}), hand {format_cards(view.hand)}"


def check(
    policy: Policy, number: int = SITUATIONS, seed: int = 0, *, times: list[float] | None = None
) -> list[Finding]:
    """All that is found against *policy*, at most one finding a property; empty: it conforms as far as tested.

    *times* gets the milliseconds of CPU of every decision.
    """
    found: dict[Property, str] = {}

    def fail(what: Property, where: str) -> None:
        found.setdefault(what, where)

    for attribute in (policy.name, policy.version):
        if not (0 < len(attribute) <= 32 and attribute.isascii() and attribute.isprintable()):
            fail(Property.NAMED, f"{attribute!r} (1 to 32 printable ASCII characters)")
    try:
        twin = type(policy)()
    except TypeError as error:
        twin = policy
        fail(Property.SEED, f"it cannot be made again without arguments: {error}")
    for count, view in enumerate(situations(number, seed)):
        key = bytes((seed % 256, count % 256)) * 16
        _check_view(policy, twin, view, key, fail, times)
    if not found:
        _check_process(policy, min(number, ELSEWHERE), seed, fail)
    if not found:
        _check_hands(policy, seed, fail)
    return [Finding(what, found[what]) for what in Property if what in found]


def _check_view(
    policy: Policy, twin: Policy, view: HandView, key: bytes, fail: Fail, times: list[float] | None
) -> None:
    where = _describe(view)
    before = (digest(view.state), view.dealt, view.hand, view.legal, view.state.hand(view.me))
    turns = view.state.turn == view.me
    chance = random.getstate()
    try:
        began = time.process_time()
        answers = [_answer(policy, view, key, turns)]
        if times is not None:
            times.append(1000 * (time.process_time() - began))
        answers += [_answer(one, view, key, turns) for one in (policy, twin)]
    except Exception as error:  # whatever it raises is a finding
        fail(Property.UNRAISED, f"{type(error).__name__}: {error} ({where})")
        return
    if random.getstate() != chance:
        random.setstate(chance)
        fail(Property.GLOBAL, where)
    if (digest(view.state), view.dealt, view.hand, view.legal, view.state.hand(view.me)) != before:
        fail(Property.UNTOUCHED, where)
    if answers[0] != answers[1]:
        fail(Property.PURE, f"{answers[0]!r} and {answers[1]!r} ({where})")
    elif answers[0] != answers[2]:
        fail(Property.SEED, f"{answers[0]!r} and {answers[2]!r} ({where})")
    act, kind = answers[0]
    if turns and (act not in view.legal or isinstance(act, Call)):
        fail(Property.LEGAL, f"{act!r} ({where})")
    if kind is not None and kind not in call_kinds(view):
        fail(Property.CALLS, f"{kind!r} ({where})")


def _answer(policy: Policy, view: HandView, key: bytes, turns: bool) -> Answer:
    act = policy.choose(view, key) if turns and any(not isinstance(a, Call) for a in view.legal) else None
    kind = policy.call(view, key) if call_kinds(view) else None
    return act, kind


def fingerprint(policy: Policy, number: int, seed: int) -> str:
    """A hash of the answers to the first *number* situations of series *seed*."""
    told = hashlib.sha256()
    for count, view in enumerate(situations(number, seed)):
        key = bytes((seed % 256, count % 256)) * 16
        told.update(repr(_answer(policy, view, key, view.state.turn == view.me)).encode())
    return told.hexdigest()


def _check_process(policy: Policy, number: int, seed: int, fail: Fail) -> None:
    """Ask again in a process that hashes text in another way, so that the order of sets differs there.

    A class that cannot be imported (it stands in the program that runs, or in a function) is not asked.
    """
    name = f"{type(policy).__module__}:{type(policy).__qualname__}"
    if not all(part.isidentifier() for part in name.replace(":", ".").split(".")) or name.startswith("__main__:"):
        return
    path = os.pathsep.join(entry or os.getcwd() for entry in sys.path)
    salt = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-m", "node.bots.check", name, str(number), str(seed)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        env={**os.environ, "PYTHONHASHSEED": salt, "PYTHONPATH": path},
        check=False,
    )
    if done.returncode != 0:
        fail(Property.PROCESS, (done.stderr.strip() or f"exit code {done.returncode}").splitlines()[-1])
    elif done.stdout.split()[-1:] != [fingerprint(policy, number, seed)]:
        fail(Property.PROCESS, f"among the first {number} situations of seed {seed}")


def _check_hands(policy: Policy, seed: int, fail: Fail) -> None:
    for number in range(4):
        hands, seeds = deal_hands(seed, number), deal_seeds(seed, number)
        try:
            first, end = play_hand([policy] * 4, hands, seeds)
            again, _ = play_hand([policy] * 4, hands, seeds)
        except Exception as error:  # whatever it raises is a finding
            fail(Property.WHOLE, f"{type(error).__name__}: {error} (deal {number} of seed {seed})")
            return
        if first.log != again.log or first.calls != again.calls:
            fail(Property.PURE, f"two runs of deal {number} of seed {seed} differ")
        if sum(end.points):
            fail(Property.WHOLE, f"points do not sum to 0 (deal {number} of seed {seed})")


if __name__ == "__main__":
    from node.bots.levels import load_policy

    print(fingerprint(load_policy(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))
