"""How many duel tables one core serves: ``python -m tests.bench.bench_host --tables 20``.

A real ``doko host-bots`` process and its worker processes are bound to one core.  Against them play people of another
process on the other cores: two nodes a table with identities of their own, on loopback TCP, each card after *pace*
seconds.  Both computers of every table are the host's, the dearest arrangement for it.  All tables begin within
*stagger* seconds, then the work is measured for *seconds*:

    cores            CPU seconds of the host and its workers by seconds of the clock
    CPU a hand       both computers' deals, proofs, store, network and thinking at one table, by tricks that were played
    late             moves after the deadline of the terms; fallbacks: decisions of the rules for want of time
    think 99 %       time from a question to the policy's answer, waiting for a worker included
    loop             the longest that a message had to wait for the host's event loop

With several numbers of tables (``--tables 5 10 20``) the cost of a table at each is printed: it should not grow.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import trio

from node.auto import Auto, play_seat
from node.bots.asking import ask_house
from node.cli.app import App
from node.net.address import Listen
from node.runtime import Node, open_node
from node.tasks import background
from protocol.table.terms import make_terms
from protocol.wire.address import parse_address

COMMAND = [sys.executable, "-c", "from node.cli.main import main; main()"]
TICK = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


class Host:
    """The process that is measured."""

    def __init__(self, home: Path, core: int, tables: int, options: argparse.Namespace) -> None:
        self.status: dict[str, Any] = {}
        self._news = threading.Condition()
        self.process = subprocess.Popen(
            [*COMMAND, "--data", str(home), "host-bots", "--max-tables", str(tables), "--level", options.level,
             "--workers", str(options.workers), "--delay", str(options.delay), "--listen", "127.0.0.1:0",
             "--nick", "host", "--json", "--leash"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "DOKO_NETWORK_LAN": "no"},
            preexec_fn=lambda: os.sched_setaffinity(0, {core}),  # the workers inherit it
        )  # fmt: skip
        threading.Thread(target=self._read, daemon=True).start()
        with self._news:
            assert self._news.wait_for(lambda: bool(self.status), 30)

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with self._news:
                self.status = json.loads(line)
                self._news.notify_all()

    def cpu(self) -> float:
        """CPU seconds so far of the process and of those it has started."""
        ticks = 0
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if self.process.pid in (int(stat.parent.name), int(fields[1])):
                ticks += int(fields[11]) + int(fields[12])
        return ticks / TICK

    def megabytes(self) -> float:
        """Memory of the host process alone."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    def stop(self) -> dict[str, Any]:
        """End it in good order; what it says last."""
        self.process.terminate()
        self.process.wait(60)
        return self.status


class People:
    """Two people at each table."""

    def __init__(self, home: Path, options: argparse.Namespace) -> None:
        self._home = home
        self._options = options
        self.apps = [App(home / f"opener{n}", environ={}) for n in range(max(options.tables))]
        self.playing = 0
        self.tricks = 0
        self._changed = trio.Event()

    def befriend(self, host: Path, tables: int) -> None:
        """The openers are friends of the host."""
        with App(host, environ={}).open_store() as store:
            for number, app in enumerate(self.apps[:tables]):
                store.put_contact(app.load_identity(create=True).key, f"opener{number}")

    async def table(self, number: int, host: str, host_key: bytes) -> None:
        """One table, one match after another."""
        app = self.apps[number]
        with app.open_store() as store:
            app.contacts(store).add(host_key, "host", addresses=[host])
        listen = Listen("127.0.0.1", 0)
        async with open_node(app, listen=listen, nickname="opener", log=False) as opener:
            guest_app = App(self._home / f"guest{number}", environ={})
            async with open_node(guest_app, listen=listen, nickname="guest", log=False) as guest:
                await self._match(opener, guest, host_key)

    async def _match(self, opener: Node, guest: Node, host_key: bytes) -> None:
        terms = make_terms(table=os.urandom(16), mode="duel", stake=10)
        with Auto("random", person=True, delay=self._options.pace) as auto:
            seating = opener.lobby.open(terms, addresses=opener.addresses(), auto_confirm=True)
            for _computer in range(2):
                await ask_house(opener, seating, host_key, "host", self._options.level)
            link = await guest.hub.connect(parse_address(opener.local_address))
            found = await guest.lobby.table_of(link.peer.identity)
            async with background() as nursery:
                joined = guest.lobby.join(found, addresses=guest.addresses(link), auto_confirm=True)
                nursery.start_soon(play_seat, guest, joined, auto, auto.chain(0), lambda line: None)
                await play_seat(opener, seating, auto, auto.chain(0), self._heard)

    async def all_play(self, tables: int) -> None:
        """Wait until a match is on at so many tables."""
        while self.playing < tables:
            await self._changed.wait()

    def _heard(self, line: dict[str, Any]) -> None:
        if line["event"] == "seated":
            self.playing += 1
            self._changed.set()
            self._changed = trio.Event()
        elif line["event"] == "settled":
            self.playing -= 1
        elif line["event"] == "trick":
            self.tricks += 1


async def measure(home: Path, tables: int, core: int, options: argparse.Namespace) -> dict[str, Any]:
    """Figures with so many tables."""
    people = People(home / "people", options)
    data = home / "host"
    app = App(data, environ={})
    key = app.load_identity(create=True).key
    people.befriend(data, tables)
    host = Host(data, core, tables, options)
    try:
        async with background() as nursery:
            for number in range(tables):
                nursery.start_soon(people.table, number, host.status["address"], key)
                await trio.sleep(options.stagger / tables)
            with trio.fail_after(120):
                await people.all_play(tables)
            cpu, began, tricks = host.cpu(), time.monotonic(), people.tricks
            await trio.sleep(options.seconds)
            spent, took = host.cpu() - cpu, time.monotonic() - began
            hands = (people.tricks - tricks) / 12
            still, memory = people.playing, host.megabytes()
            nursery.cancel_scope.cancel()
    finally:
        last = host.stop()
    return {
        "tables": tables,
        "level": options.level,
        "seconds": round(took, 1),
        "hands": round(hands, 1),
        "playing_at_the_end": still,
        "cores": round(spent / took, 3),
        "cpu_ms_a_hand": round(1000 * spent / hands) if hands else None,
        "cores_a_table": round(spent / took / tables, 4),
        "moves": last["moves"],
        "late": last["late"],
        "decisions": last["decisions"],
        "fallbacks": last["fallbacks"],
        "think_ms_median": last["ms_median"],
        "think_ms_99": last["ms_99"],
        "think_ms_worst": last["ms_worst"],
        "loop_ms_worst": last["loop_ms"],
        "megabytes": round(memory),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, nargs="+", default=[20])
    parser.add_argument("--level", default="intermediate")
    parser.add_argument("--seconds", type=float, default=90.0, help="how long is measured")
    parser.add_argument("--stagger", type=float, default=20.0, help="within how long all tables begin")
    parser.add_argument("--pace", type=float, default=2.0, help="seconds a person takes for a card")
    parser.add_argument("--delay", type=float, default=0.7, help="host-bots --delay")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--core", type=int, help="the core of the host (default: the last)")
    options = parser.parse_args()
    cores = sorted(os.sched_getaffinity(0))
    core = cores[-1] if options.core is None else options.core
    os.sched_setaffinity(0, set(cores) - {core} or {core})
    for tables in options.tables:
        with tempfile.TemporaryDirectory() as home:
            print(json.dumps(trio.run(measure, Path(home), tables, core, options)), flush=True)


if __name__ == "__main__":
    main()
