"""The whole deal in four nodes against its bare proof calls: ``python -m tests.bench.bench_nodes``.

Four whole nodes in one process (hubs over loopback TCP with Noise, table cores, stores on disk with their fsync, proofs
in threads, a computer that looks at every change) make one deal after another, from the first COMMIT to the open hand.

    CPU            of the process and all its threads from the start of the four sessions to four opened hands
    bare           the same calls of keys, shuffles, shares and their checks again, with the same arguments, one after
                   another with nothing around them: their CPU
    ratio          the first by the second (at most 1.3)
    bytes          payloads of ENTRY messages that the four nodes sent in one deal, all twelve directions together
                   ("entries"), and the same with everything else that went into the sockets: Noise, frames, STATUS,
                   PING ("wire"); at most 160 kB

and where the rest goes, each part without what is listed as another part.  With ``--strict`` the exit code is 1 if a
target is missed.
"""

import argparse
import gc
import itertools
import json
import os
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Any

import trio

from node.bots.levels import level_policy
from node.net.address import parse_listen
from node.net.hub import Hub, open_hub
from node.plan import Plan, pack_plan
from node.players import PolicyPlayer
from node.session import Session
from node.store import Store, open_store
from protocol.deal import keys as deal_keys
from protocol.table import deal_phase, entries, hand_phase, own, resume
from protocol.table.table import Table
from protocol.wire import connection, messages
from protocol.wire.connection import Connection
from tests.hostile.node import identity_of, me_of
from tests.table.net import SEATS, chain_of, people, setups

TARGETS = {"ratio": 1.3, "wire_kb": 160.0}

#: name -> owner and attribute of the functions whose calls are a deal's proofs.
PROOFS: dict[str, tuple[tuple[Any, str], ...]] = {
    "keys": (
        (deal_keys, "make_keys"),
        (deal_keys, "check_commitment"),
        (deal_keys, "read_keys"),
        (deal_keys, "open_box"),
        (deal_keys, "joint_key"),
    ),
    "shuffle and prove": ((own, "prepare"), (own, "shuffle")),
    "verify": ((deal_phase, "judge_shuffle"), (deal_phase, "decode_deck"), (deal_phase, "decode_proof")),
    "SHARES make": ((own, "make_shares"),),
    "SHARES check": ((hand_phase, "check_shares"),),
    "hand and coin": ((hand_phase, "hand_pairs"), (hand_phase, "joint_coin"), (own, "read_hand")),
}
#: The same for everything else.
REST: dict[str, tuple[tuple[Any, str], ...]] = {
    "signatures: check": ((entries, "verify"),),
    "signatures: make": ((entries.Signer, "make"),),
    "reading messages and entries": ((messages, "decode"), (connection, "decode"), (resume, "read_entry")),
    "Noise": ((Connection, "receive"), (Connection, "send_bytes")),
    "store": ((Store, "persist"),),
    "table core": tuple((Table, name) for name in ("start", "receive", "tick", "link", "done")),
    "what the player sees": ((Table, "view"),),
}


class Meter:
    """Exclusive CPU seconds by name, and the calls of proofs with their arguments."""

    def __init__(self) -> None:
        self.spent: Counter[str] = Counter()
        self.counts: Counter[str] = Counter()
        self.calls: list[tuple[str, Callable[..., Any], tuple[Any, ...], dict[str, Any]]] = []
        self.on = False
        self._local = threading.local()
        self._lock = threading.Lock()

    def around(self, name: str, fn: Callable[..., Any], keep: bool) -> Callable[..., Any]:
        def measured(*args: Any, **kw: Any) -> Any:
            if not self.on:
                return fn(*args, **kw)
            stack: list[float] = self._local.__dict__.setdefault("stack", [])
            if keep:
                self.calls.append((name, fn, args, kw))
            begun = time.thread_time()
            stack.append(0.0)
            try:
                return fn(*args, **kw)
            finally:
                lasted = time.thread_time() - begun
                inner = stack.pop()
                if stack:
                    stack[-1] += lasted
                with self._lock:
                    self.spent[name] += lasted - inner
                    self.counts[name] += 1

        return measured

    @contextmanager
    def installed(self) -> Iterator[None]:
        replaced = []
        for table, keep in ((PROOFS, True), (REST, False)):
            for name, places in table.items():
                for owner, attribute in places:
                    fn = getattr(owner, attribute)
                    replaced.append((owner, attribute, fn))
                    setattr(owner, attribute, self.around(name, fn, keep))
        try:
            yield
        finally:
            for owner, attribute, fn in replaced:
                setattr(owner, attribute, fn)


class Nodes:
    """Four hubs linked with each other; every deal is the first of a match of its own."""

    def __init__(self, home: Path, meter: Meter, counted: Counter[str]) -> None:
        self._home = home
        self._meter = meter
        self._counted = counted
        self.hubs: list[Hub] = []

    async def open(self, stack: AsyncExitStack) -> None:
        for seat in SEATS:
            hub = await stack.enter_async_context(open_hub(me_of(seat)))
            await hub.listen(parse_listen("127.0.0.1:0"))
            self.hubs.append(hub)
            post = hub.post

            def counting(identity: bytes, raw: bytes, post: Callable[[bytes, bytes], bool] = post) -> bool:
                message = messages.decode(raw) if self._meter.on else None
                if isinstance(message, messages.Entry):
                    self._counted["entries"] += len(message.p) + len(message.s)
                    self._counted["messages"] += 1
                return post(identity, raw)

            hub.post = counting  # type: ignore[method-assign]
        for one, other in itertools.combinations(SEATS, 2):
            await self.hubs[one].connect(self.hubs[other].listening[0])

    async def deal(self, number: int) -> float:
        """One deal; returns the CPU seconds of the process."""
        setup = setups(number)
        addresses = tuple((hub.listening[0],) for hub in self.hubs)
        stores, sessions = [], []
        async with AsyncExitStack() as stack, trio.open_nursery() as nursery:
            for seat in SEATS:
                store = stack.enter_context(open_store(self._home / f"{number}-{seat}.db"))
                plan = Plan(setup[seat], addresses)
                store.add_match(plan.match, people()[seat].identity, seat, pack_plan(plan))
                stores.append(store)
                player = PolicyPlayer(level_policy("random"), chain_of(seat).seed)
                sessions.append(
                    Session(self.hubs[seat], store, plan, identity_of(seat), os.urandom, stored=None, player=player)
                )
            gc.collect()
            self._meter.on = True
            begun = time.process_time()
            for session in sessions:
                nursery.start_soon(session.run)
            for session in sessions:
                while not self._opened(session):
                    await session.changed()
            lasted = time.process_time() - begun
            self._meter.on = False
            for session in sessions:
                session.stop()
        return lasted

    def _opened(self, session: Session) -> bool:
        hand = session._table.match.hand
        return hand is not None and hand.state is not None and session.view.hand is not None


async def run(deals: int, home: Path, meter: Meter, counted: Counter[str]) -> list[float]:
    async with AsyncExitStack() as stack:
        nodes = Nodes(home, meter, counted)
        await nodes.open(stack)
        return [await nodes.deal(number) for number in range(deals)]


@contextmanager
def counting_sockets(meter: Meter, counted: Counter[str]) -> Iterator[None]:
    """Count what goes into TCP."""
    send_all = trio.SocketStream.send_all

    async def counting(self: trio.SocketStream, data: Any) -> None:
        if meter.on:
            counted["wire"] += len(data)
        await send_all(self, data)

    trio.SocketStream.send_all = counting  # type: ignore[method-assign]
    try:
        yield
    finally:
        trio.SocketStream.send_all = send_all  # type: ignore[method-assign]


def bare(calls: list[tuple[str, Callable[..., Any], tuple[Any, ...], dict[str, Any]]]) -> Counter[str]:
    """CPU seconds of the same calls by name, with nothing around them."""
    spent: Counter[str] = Counter()
    for name, fn, args, kw in calls:
        begun = time.thread_time()
        fn(*args, **kw)
        spent[name] += time.thread_time() - begun
    return spent


def figures(deals: int, home: Path) -> dict[str, Any]:
    """All figures, of one deal each."""
    meter, counted = Meter(), Counter[str]()
    warm = max(1, deals // 5)
    with meter.installed(), counting_sockets(meter, counted):
        plain = Meter()  # first rounds: libraries loaded, caches warm
        trio.run(run, warm, home, plain, Counter())
        meter.spent.clear()
        meter.counts.clear()
        meter.calls.clear()
        counted.clear()
        (home / "warm").mkdir()
        for file in home.glob("*.db*"):
            file.rename(home / "warm" / file.name)
        seconds = trio.run(run, deals, home, meter, counted)
    again = bare(meter.calls)
    total, proofs = sum(seconds), sum(again.values())
    parts = {name: 1e3 * meter.spent[name] / deals for name in (*PROOFS, *REST)}
    parts["trio, sockets, threads, the rest"] = 1e3 * total / deals - sum(parts.values())
    return {
        "deals": deals,
        "cpu_ms": 1e3 * total / deals,
        "cpu_median_ms": 1e3 * statistics.median(seconds),
        "bare_ms": 1e3 * proofs / deals,
        "ratio": total / proofs,
        "ratio_in_place": total / sum(meter.spent[name] for name in PROOFS),
        "entries_kb": counted["entries"] / deals / 1e3,
        "wire_kb": counted["wire"] / deals / 1e3,
        "messages": counted["messages"] / deals,
        "parts_ms": parts,
        "bare_parts_ms": {name: 1e3 * again[name] / deals for name in PROOFS},
        "calls": {name: meter.counts[name] / deals for name in (*PROOFS, *REST)},
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deals", type=int, default=20)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--strict", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="doko-bench-") as name:
        found = figures(options.deals, Path(name))
    missed = [name for name, most in TARGETS.items() if found[name] > most]
    if options.json:
        print(json.dumps({**found, "missed": missed}))
        return 1 if missed and options.strict else 0
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}: a deal, four nodes")
    for name in ("cpu_ms", "cpu_median_ms", "bare_ms", "ratio", "ratio_in_place", "entries_kb", "wire_kb", "messages"):
        target = f"  (at most {TARGETS[name]:g})" if name in TARGETS else ""
        print(f"{name:<16}{found[name]:10.2f}{target}{'  MISSED' if name in missed else ''}")
    print(f"\n{'where the CPU goes':<36}{'ms':>8}{'share':>8}{'calls':>8}{'bare ms':>9}")
    for part, spent in found["parts_ms"].items():
        calls, again = found["calls"].get(part), found["bare_parts_ms"].get(part)
        print(
            f"{part:<36}{spent:8.2f}{100 * spent / found['cpu_ms']:7.1f}%"
            f"{'' if calls is None else f'{calls:8.0f}'}{'' if again is None else f'{again:9.2f}'}"
        )
    return 1 if missed and options.strict else 0


if __name__ == "__main__":
    sys.exit(main())
