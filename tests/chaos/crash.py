"""``kill -9`` at every step of a match, enumerated: ``python -m tests.chaos.crash --all``.

A *case* is one match of four table cores on the simulated network with one accident in it.  It ends in four equal
settlements that verify, or, where a store has lost what only it had, in words that say so.  In every case all entries
that arrive anywhere are looked at: no seat signs two payloads for one place, no commitment of a proof is answered
twice, nobody honest is blamed, no secret is sent (:mod:`tests.chaos.watch`).

========= ============================================================================================================
group     accident
========= ============================================================================================================
effect    the process of one seat ends after its n-th effect (a transaction, a message, a computation, a word to its
          people); what it had sent is lost, or still arrives
twice     ... and once more a few effects after it has started again
snapshot  ... and it gets the same random bytes again, as a restored machine does
together  two, three or all four end at the moment one of them has stored its n-th transaction
rollback  the seat's store has lost its last k transactions
disk      the n-th transaction does not fit on the disk; there is room when the process starts again
duel      effect, in the first deal and the first cards of a duel
clock     the clock of one seat, or of all, jumps by hours
wish      effect or rollback, at each transaction of a match in which people want the deal made anew and a hand void
========= ============================================================================================================
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from protocol.table import effects
from tests.chaos.world import HOUR, ChaosWorld, FillingStore
from tests.table.net import SEATS

#: Virtual seconds for a match to end after all accidents.
PATIENCE: Final = 1_500.0
GROUPS: Final = ("effect", "twice", "snapshot", "together", "rollback", "disk", "duel", "clock", "wish")
VARIABLE: Final[dict[str, Any]] = {"mode": "variable", "stake": 10}
DUEL: Final[dict[str, Any]] = {"mode": "duel", "stake": 10, "bots": (1, 3)}


@dataclass(frozen=True)
class Case:
    """One accident; *step* counts the seat's effects (``rollback``, ``disk``: its transactions) from 1."""

    group: str
    seat: int
    step: int
    more: tuple[Any, ...] = ()

    def __str__(self) -> str:
        return " ".join(map(str, (self.group, self.seat, self.step, *self.more)))


@dataclass(frozen=True)
class Course:
    """A match without accidents: per seat its effects, which of them are transactions, and the virtual end."""

    steps: tuple[int, ...]
    persists: tuple[tuple[int, ...], ...]
    end: float


class Counting(FillingStore):
    """Notes at which effect of its node each transaction comes."""

    def __init__(self, world: list[ChaosWorld], seat: int) -> None:
        super().__init__()
        self.at: list[int] = []
        self._world = world
        self._seat = seat

    def persist(self, effect: effects.Persist) -> None:
        super().persist(effect)
        self.at.append(self._world[0].nodes[self._seat].steps + 1)


class _Known(ChaosWorld):
    """A world whose stores know it while it is being made."""

    def __init__(self, holder: list[ChaosWorld], **options: Any) -> None:
        holder.append(self)
        super().__init__(1, stores=lambda seat: Counting(holder, seat), **options)


@cache
def course(duel: bool = False) -> Course:
    """The match whose steps are enumerated."""
    world = _Known([], **(DUEL if duel else VARIABLE))
    if duel:  # as far as its cases go: the first hand's second trick
        world.run(stop=lambda: any(_tricks(node) >= 1 for node in world.nodes))
    else:
        world.run()
        world.judge()
    stores = [node.store for node in world.nodes]
    persists = [tuple(store.at) for store in stores if isinstance(store, Counting)]
    return Course(tuple(node.steps for node in world.nodes), tuple(persists), world.now)


@cache
def wished() -> Course:
    """The match of the group ``wish``."""
    world = _Known([], **VARIABLE)
    want(world)
    world.run()
    world.judge()
    match = world.nodes[0].table.match
    assert len(match.deals) == 3  # one thrown away, one void, one played
    assert [closed.agreed for closed in match.closed] == [True, False]
    stores = [node.store for node in world.nodes]
    persists = [tuple(store.at) for store in stores if isinstance(store, Counting)]
    return Course(tuple(node.steps for node in world.nodes), tuple(persists), world.now)


def want(world: ChaosWorld) -> None:
    """Seat 1 wants the first deal made anew, all want the first hand void: again and again, since a kill forgets it."""

    def look() -> None:
        for node in world.nodes:
            match = node.table.match
            hand = match.hand
            if not node.running:
                continue
            if node.seat == 1 and len(match.deals) == 1 and match.deals[0].log.length > 3:
                world.act(1, effects.DealAnew())
            if not match.closed and hand is not None and hand.state is not None and hand.state.cards_played > 1:
                world.act(node.seat, effects.VoidHand())
        if not world.settled:
            world.after(0.1, look)

    world.after(0.1, look)


def _tricks(node: Any) -> int:
    hand = node.table.match.hand
    return 0 if hand is None or hand.state is None else len(hand.state.tricks)


# --- the cases ----------------------------------------------------------------------------------------------------


def cases(groups: Iterable[str] = GROUPS) -> Iterator[Case]:
    """Every case of *groups*."""
    for group in groups:
        yield from _GENERATORS[group]()


def _effect() -> Iterator[Case]:
    for seat in SEATS:
        for step in range(1, course().steps[seat] + 1):
            yield Case("effect", seat, step, ("lost",))
            yield Case("effect", seat, step, ("arrives",))


def _twice() -> Iterator[Case]:
    for seat in SEATS:
        for step in range(2, course().steps[seat], 5):
            yield Case("twice", seat, step, (1 + (step * 7 + seat) % 23,))


def _snapshot() -> Iterator[Case]:
    for seat in SEATS:
        for step in course().persists[seat]:
            yield from (Case("snapshot", seat, step + more, ("arrives",)) for more in (0, 1))


def _together() -> Iterator[Case]:
    subsets = [others for size in (1, 2, 3) for others in itertools.combinations(SEATS, size)]
    for seat in SEATS:
        for number, step in enumerate(course().persists[seat]):
            mine = [others for others in subsets if seat not in others]
            # all four always, of the pairs and threes one each in turn
            chosen = [mine[number % 3], mine[3 + number % 3], mine[6]]
            yield from (Case("together", seat, step + number % 4, others) for others in chosen)


def _rollback() -> Iterator[Case]:
    for seat in SEATS:
        for number, step in enumerate(course().persists[seat], 1):
            for lost in (1, 2, 3, 5, 8, 13, 21, 10_000):
                if lost <= number or lost == 10_000:
                    yield Case("rollback", seat, step + 3, (lost,))


def _disk() -> Iterator[Case]:
    for seat in SEATS:
        for number in range(len(course().persists[seat])):
            yield Case("disk", seat, number)


def _duel() -> Iterator[Case]:
    for seat in SEATS:
        for step in range(1, course(True).steps[seat] + 1, 3):
            yield Case("duel", seat, step, ("arrives" if step % 2 else "lost",))


def _clock() -> Iterator[Case]:
    for seat in (*SEATS, 4):  # 4: all of them
        for tenth in range(12):
            for jump in (1, 13, -1, -13):
                yield Case("clock", seat, tenth, (jump,))


def _wish() -> Iterator[Case]:
    for seat in SEATS:
        for number, step in enumerate(wished().persists[seat], 1):
            yield Case("wish", seat, step + number % 3, ("arrives" if number % 2 else "lost",))
            if number % 2:
                yield Case("wish", seat, step + 2, ("arrives", min(number, (1, 2, 5)[number % 3])))


_GENERATORS: Final = {
    "effect": _effect,
    "twice": _twice,
    "snapshot": _snapshot,
    "together": _together,
    "rollback": _rollback,
    "disk": _disk,
    "duel": _duel,
    "clock": _clock,
    "wish": _wish,
}


# --- running one ----------------------------------------------------------------------------------------------------


def run(case: Case) -> str:
    """``settled``, or what a node says instead.  Raises ``AssertionError`` for anything else."""
    world = _make(case)
    if case.group == "twice":
        _then_again(world, case)
    elif case.group == "clock":
        _jump(world, case)
    elif case.group == "rollback":
        return _rolled_back(world, case, case.more[0])
    elif case.group == "wish":
        want(world)
        if len(case.more) > 1:
            return _rolled_back(world, case, case.more[1])
    elif case.group == "disk":
        _full(world, case)
    elif case.group == "duel" and case.step % 10:
        return _first_hand(world)
    world.run(until=PATIENCE)
    if case.group == "disk":
        assert isinstance(store := world.nodes[case.seat].store, FillingStore)
        assert store.full == 1
    world.judge()
    return "settled"


def _make(case: Case) -> ChaosWorld:
    seat, step, more = case.seat, case.step, case.more
    match case.group:
        case "effect" | "snapshot":
            return ChaosWorld(
                1, crashes={seat: step}, arrives=more[0] == "arrives", repeats=case.group == "snapshot", **VARIABLE
            )
        case "duel":
            return ChaosWorld(1, crashes={seat: step}, arrives=more[0] == "arrives", **DUEL)
        case "together":
            return ChaosWorld(1, crashes={seat: step}, others=more, arrives=step % 2 == 0, **VARIABLE)
        case "disk":
            return ChaosWorld(1, stores=lambda each: FillingStore(step if each == seat else None), **VARIABLE)
        case "twice":
            return ChaosWorld(1, crashes={seat: step}, **VARIABLE)
        case "rollback":
            return ChaosWorld(1, crashes={seat: step}, back=1e9, arrives=True, **VARIABLE)
        case "wish":
            back = 1e9 if len(more) > 1 else 2.0
            return ChaosWorld(1, crashes={seat: step}, back=back, arrives=more[0] == "arrives", **VARIABLE)
        case _:
            return ChaosWorld(1, **VARIABLE)


def _dead(world: ChaosWorld, seat: int) -> bool:
    return not world.nodes[seat].running


def _then_again(world: ChaosWorld, case: Case) -> None:
    world.run(until=PATIENCE, stop=lambda: _dead(world, case.seat))
    if _dead(world, case.seat):
        world.crash(case.seat, case.more[0])


def _full(world: ChaosWorld, case: Case) -> None:
    world.run(until=PATIENCE, stop=lambda: _dead(world, case.seat))
    store = world.nodes[case.seat].store
    assert isinstance(store, FillingStore)
    store.room = None
    world.after(5.0, lambda: world.start_again(case.seat))


def _first_hand(world: ChaosWorld) -> str:
    """Nine of ten duels are followed to the end of their first hand only: they cost most, and go on as all do."""
    world.run(until=PATIENCE, stop=lambda: all(node.table.match.closed for node in world.nodes))
    closed = [node.table.match.closed for node in world.nodes]
    assert all(closed), world.describe()
    assert len({(hands[0].deal_hash, hands[0].money) for hands in closed}) == 1
    assert not world.words
    world.nobody_blamed()
    world.watch.nonces()
    return "first hand closed"


def _jump(world: ChaosWorld, case: Case) -> None:
    world.run(until=case.step / 12 * course().end)
    for seat in SEATS if case.seat == 4 else (case.seat,):
        world.jump(seat, case.more[0] * HOUR)


def _rolled_back(world: ChaosWorld, case: Case, lost: int) -> str:
    seat = case.seat
    world.run(until=PATIENCE, stop=lambda: _dead(world, seat))
    if not _dead(world, seat):  # the crash was to come after the end
        world.kill(seat)
    world.nodes[seat].store.roll_back(lost)
    world.after(1.0, lambda: world.start_again(seat))
    return settle_or_say(world, seat)


def settle_or_say(world: ChaosWorld, seat: int, conflict: Callable[[], str] = lambda: "") -> str:
    """After *seat*'s store has lost something: how the match goes on, or what the node says.

    *conflict*: what the store says that holds another entry for a place than the one to be signed.
    """
    world.run(until=PATIENCE, stop=lambda: world.settled or bool(_keys_lost(world, seat) or world.words or conflict()))
    if conflict():
        world.nobody_blamed()
        world.watch.nonces()
        return "says that its store contradicts it"
    if world.words:
        assert [node.seat for node in world.nodes if node.stopped is not None] == [seat]
        assert world.words[0].startswith("the store is damaged")
        world.nobody_blamed()
        world.watch.nonces()
        return "says that its store is damaged"
    if not _keys_lost(world, seat):
        world.judge()
        return "settled"
    hand = world.nodes[seat].table.match.hand
    if hand is None or hand.state is None:
        world.nobody_blamed()  # not all have shown their shares: nothing is open, nothing goes on
        world.watch.nonces()
        return "says that its keys are lost"
    for each in SEATS:
        assert world.act(each, effects.VoidHand()) is None
    world.run(until=2 * PATIENCE)
    world.judge()
    return "says that its keys are lost; void by agreement, settled"


def _keys_lost(world: ChaosWorld, seat: int) -> list[effects.Event]:
    return [event for event in world.nodes[seat].shown if isinstance(event, effects.KeysLost)]


# --- the command ----------------------------------------------------------------------------------------------------


def main(argv: list[str] | None = None) -> int:
    """Run cases, tell counts and failures."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.crash", description=__doc__.splitlines()[0])
    parser.add_argument("--all", action="store_true", help="every case; otherwise every --stride-th")
    parser.add_argument("--stride", type=int, default=37)
    parser.add_argument("--group", choices=GROUPS, action="append", help="only this group (more than once)")
    parser.add_argument("--case", help="one case, in the words in which a failure is told")
    options = parser.parse_args(argv)
    listed = list(cases(options.group or GROUPS))
    if options.case:
        listed = [case for case in listed if str(case) == options.case]
        print(*(f"{case}: {run(case)}" for case in listed), sep="\n")
        return 0 if listed else 2
    chosen = listed if options.all else listed[:: options.stride]
    ends: dict[str, Counter[str]] = {}
    seconds: Counter[str] = Counter()
    failed: list[str] = []
    begun = time.monotonic()
    for number, case in enumerate(chosen, 1):
        clock = time.monotonic()
        try:
            end = run(case)
        except Exception as error:
            end = "FAILED"
            failed.append(str(case))
            where = traceback.extract_tb(error.__traceback__)[-1]
            what = f"{type(error).__name__}: {str(error)[:600]} ({where.name}:{where.lineno})"
            print(f"FAILED {case}: {what}", flush=True)
        ends.setdefault(case.group, Counter())[end] += 1
        seconds[case.group] += time.monotonic() - clock  # type: ignore[assignment]
        if number % 100 == 0:
            print(f"{number} of {len(chosen)}, {time.monotonic() - begun:.0f} s, {len(failed)} failed", flush=True)
    for group, counts in ends.items():
        print(f"| {group} | {sum(counts.values())} | {dict(counts)} | {seconds[group]:.0f} |")
    print(f"{len(chosen)} cases, {len(failed)} failed, {time.monotonic() - begun:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
