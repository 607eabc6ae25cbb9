"""Floods over TCP against a node process, while somebody else watches how it does.

``python -m tests.hostile.flood`` starts, for each kind of flood, a node of its own, a process that floods it for some
seconds as fast as its sockets take it, and a quiet third peer that sends PINGs (at a table: and STATUS).  Measured
through ``/proc`` and by that peer:

    cpu        seconds of CPU of the node per second of the flood (all its threads)
    grown      megabytes of resident memory at its most, over what there was before
    ping       milliseconds until the quiet peer's PING was answered, worst and median
    status     the same for STATUS at the table: through the node's inbox and its table core
    held       milliseconds for which the node's own work held up its event loop, the worst
    sent       what the flood came to

=========== ===== ====================================================================================================
flood       from  what
=========== ===== ====================================================================================================
nothing     out   nothing: what the node and its instruments take by themselves
silent      out   connections from sixty addresses that say nothing
garbage     out   connections that send random bytes
handshakes  out   whole handshakes with a fresh identity each, from sixty addresses
strangers   out   as many strangers as are let in, each with PINGs, announcements and requests for seats
frames      seat  PINGs
garbled     seat  messages that cannot be read: a link each
junk        seat  entries in the name of others, not signed by them
unknown     seat  signed entries on heads that nobody has
calls       seat  signed calls that answer calls nobody made
questions   seat  STATUS, ASK and HEADS in turn
chat        seat  CHAT and PAUSE
tables      seat  announcements of tables, each of another opener and signed by it
shuffles    seat  signed SHUFs, each with another bogus proof
=========== ===== ====================================================================================================

*out*: by strangers, against a node that waits for players at its open table; *seat*: by a member of the match that the
node plays.  The results of a whole run are in ``README.md`` beside this file.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import pickle
import secrets
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import trio

from node.identity import Identity, from_secrets
from node.net.handshake import shake
from node.net.hub import Standing, open_hub
from node.net.link import StreamLink
from protocol.table import exchange
from protocol.table.announcement import Announcement, sign_announcement
from protocol.table.terms import make_terms
from protocol.wire import entries as wire
from protocol.wire import messages
from protocol.wire.address import Address
from protocol.wire.errors import LinkError
from protocol.wire.hello import Me
from protocol.wire.sync import Ask, Heads, Status
from tests.deal.helpers import replace as replace_piece
from tests.e2e.processes import NodeProcess
from tests.hostile.forge import sign
from tests.hostile.node import identity_of
from tests.hostile.processes import ProcessScene
from tests.hostile.room import Room
from tests.hostile.stages import due, playing
from tests.table.net import people

OUT = ("nothing", "silent", "garbage", "handshakes", "strangers")
SEAT = ("frames", "garbled", "junk", "unknown", "calls", "questions", "chat", "tables", "shuffles")
KINDS = (*OUT, *SEAT)
HOSTS = tuple(f"127.0.0.{n}" for n in range(2, 62))
#: Seconds between two PINGs of the quiet peer: within what a stranger and a member may send.
PING_EVERY = {"out": 0.2, "seat": 0.05}
#: What a flood may do at most, on a machine that does other things too.
CPU = 0.5
GROWN_MB = 40.0
PING_MS = 1_000.0


@dataclass(frozen=True)
class Found:
    """What one flood did; see the module."""

    kind: str
    seconds: float
    cpu: float
    grown_mb: float
    ping_ms: float
    ping_median_ms: float
    status_ms: float
    held_ms: float
    sent: int

    @property
    def bounded(self) -> bool:
        """Whether the node held."""
        return self.cpu <= CPU and self.grown_mb <= GROWN_MB and self.ping_ms <= PING_MS


# --- the flooding process -----------------------------------------------------------------------------------------


def stranger() -> Identity:
    return from_secrets(secrets.token_bytes(32), secrets.token_bytes(32))


def me_of(who: Identity) -> Me:
    return Me(
        identity=who.key,
        static_private=who.static_key,
        static_signature=who.public.binding,
        nickname="Flood",
        sign=who.sign,
    )


async def connected(where: Address, source: str = "") -> trio.SocketStream:
    return await trio.open_tcp_stream(where.host, where.port, local_address=source or None)


class Actor:
    """Floods *where* until *end*."""

    def __init__(self, where: Address, end: float, sent: Callable[[], None]) -> None:
        self.where = where
        self.end = end
        self.sent = sent
        self.hosts = itertools.cycle(HOSTS)

    @property
    def on(self) -> bool:
        return time.monotonic() < self.end

    async def nothing(self) -> None:
        await trio.sleep_forever()

    async def silent(self) -> None:
        kept: list[trio.SocketStream] = []
        while self.on:
            with suppress(OSError):
                kept.append(await connected(self.where, next(self.hosts)))
                self.sent()
            if len(kept) > 400:
                await kept.pop(0).aclose()

    async def garbage(self) -> None:
        while self.on:
            with suppress(OSError, trio.BrokenResourceError, trio.ClosedResourceError):
                stream = await connected(self.where, next(self.hosts))
                async with stream:
                    await stream.send_all(secrets.token_bytes(2_048))
                    self.sent()
                    await stream.receive_some(1)

    async def handshakes(self) -> None:
        me = me_of(stranger())
        while self.on:
            with suppress(OSError, LinkError, trio.BrokenResourceError, trio.ClosedResourceError, trio.TooSlowError):
                stream = await connected(self.where, next(self.hosts))
                async with stream:
                    with trio.fail_after(5):
                        await shake(stream, me, initiator=True)
                    self.sent()
                    me = me_of(stranger())

    async def strangers(self) -> None:
        await self.stream(stranger(), self._strange(), next(self.hosts))

    def _strange(self) -> Iterator[bytes]:
        """PINGs, new tables, ever new words about one table (which are handed on), and requests for seats."""
        opener, table = stranger(), secrets.token_bytes(16)
        for n in itertools.count():
            yield messages.encode(messages.Ping(n=n))
            yield table_of(opener, n, table)
            yield table_of(stranger(), n)
            yield messages.encode(
                messages.SeatRequest(table=secrets.token_bytes(16), seat=None, bot=None, addresses=())
            )

    async def stream(self, who: Identity, raw: Iterator[bytes], source: str = "") -> None:
        """Messages as fast as the link takes them; a link that is lost is opened again."""
        while self.on:
            with suppress(OSError, LinkError, trio.BrokenResourceError, trio.ClosedResourceError, trio.TooSlowError):
                stream = await connected(self.where, source)
                async with stream:
                    with trio.fail_after(5):
                        connection, _, _ = await shake(stream, me_of(who), initiator=True)

                    async def read(stream: trio.SocketStream = stream) -> None:
                        with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
                            while await stream.receive_some(65_536):
                                pass

                    async with trio.open_nursery() as nursery:
                        nursery.start_soon(read)
                        with suppress(LinkError, trio.BrokenResourceError):
                            for each in raw:
                                if not self.on:
                                    break
                                connection.send_bytes(each)
                                await stream.send_all(connection.data_to_send())
                                self.sent()
                        nursery.cancel_scope.cancel()
            await trio.sleep(0.01)


def table_of(who: Identity, n: int, table: bytes | None = None) -> bytes:
    """An announcement of somebody's table."""
    said = Announcement(
        v=1,
        opener=who.key,
        terms=make_terms(table=table or secrets.token_bytes(16)),
        seats=("Flood", None, None, None),
        bots=(False,) * 4,
        revision=n,
        open=True,
        addresses=(),
    )
    return messages.encode(sign_announcement(said, who.sign))


def flood(options: argparse.Namespace) -> None:
    """The other process: prints how much it has sent."""
    count = itertools.count(1)
    total = 0

    def sent() -> None:
        nonlocal total
        total = next(count)

    host, port = options.to.rsplit(":", 1)
    raw = pickle.loads(Path(options.messages).read_bytes()) if options.flood in SEAT else []
    actor = Actor(Address(host, int(port)), time.monotonic() + options.seconds, sent)

    async def main() -> None:
        with trio.move_on_after(options.seconds):
            async with trio.open_nursery() as nursery:
                if options.flood in SEAT:
                    nursery.start_soon(actor.stream, identity_of(options.seat), itertools.cycle(raw))
                else:
                    for _ in range(40 if options.flood == "strangers" else 8):
                        nursery.start_soon(getattr(actor, options.flood))

    trio.run(main)
    print(total)


# --- what a member floods with ------------------------------------------------------------------------------------


def room_of(kind: str) -> Room:
    return playing() if kind == "calls" else due(wire.Kind.SHUF)


def member_messages(kind: str, scene: ProcessScene) -> list[bytes]:
    """Messages of the hostile seat, to be sent over and over."""
    forge, match = scene.forge, scene.room.setups[0].match_id
    at = exchange.progress(forge.table.match)
    signed = [people()[scene.hostile].signing, secrets.token_bytes(32)]
    match kind:
        case "frames":
            return [messages.encode(messages.Ping(n=n)) for n in range(1_000)]
        case "garbled":
            return [secrets.token_bytes(200)]
        case "junk":
            says = forge.payload(wire.Kind.KEYOK, wire.KeyOk(hash=bytes(32)), seat=1)
            entries = [sign(wire.encode_payload(replace(says, seq=n)), signed[1]) for n in range(500)]
        case "unknown":
            fields = wire.KeyOk(hash=bytes(32))
            entries = [forge.entry(wire.Kind.KEYOK, fields, parent=secrets.token_bytes(32)) for _ in range(500)]
        case "calls":
            entries = [
                forge.entry(
                    wire.Kind.CALL, wire.Call(what="re", after=(secrets.token_bytes(32),) * 24, open=None, neq=None)
                )
                for _ in range(500)
            ]
        case "questions":
            heads = tuple(secrets.token_bytes(32) for _ in range(1_024))
            return [
                messages.encode(Status(match=match, at=at, reply=True)),
                messages.encode(Ask(match=match, nonce=bytes(16), at=at)),
                messages.encode(Heads(match=match, chain=1, deal=0, heads=heads, reply=True)),
            ]
        case "chat":
            said = [messages.encode(messages.Chat(match=match, text="flood " * 20))]
            pauses = [messages.encode(messages.Pause(match=match, n=n // 2, on=n % 2 == 0)) for n in range(200)]
            return [each for pause in pauses for each in (*said, pause)]
        case "tables":
            return [table_of(stranger(), n) for n in range(300)]
        case _:
            honest = forge.shuffled()
            pieces = [replace_piece(honest.proof, 100 + n % 90, (n + 1).to_bytes(32, "little")) for n in range(300)]
            entries = [forge.entry(wire.Kind.SHUF, wire.Shuf(deck=honest.deck, proof=proof)) for proof in pieces]
    return [messages.encode(messages.Entry(p=entry.payload, s=entry.signature)) for entry in entries]


# --- watching -----------------------------------------------------------------------------------------------------


def cpu_of(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mb(pid: int) -> float:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


async def pinged(link: StreamLink, found: list[float], every: float) -> None:
    """PING again and again; how long each answer took, in milliseconds."""
    while True:
        begun = time.monotonic()
        link.latency = None
        link._ping()
        while link.latency is None and link.alive and time.monotonic() - begun < 20.0:  # noqa: ASYNC110
            await trio.sleep(0.001)
        found.append((time.monotonic() - begun) * 1e3)
        await trio.sleep(every)


class Watch:
    """The node's figures while something floods it."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.before = resident_mb(pid)
        self.most = self.before
        self.cpu = cpu_of(pid)
        self.begun = time.monotonic()
        self.pings: list[float] = []
        self.statuses: list[float] = []

    async def memory(self) -> None:
        while True:
            self.most = max(self.most, resident_mb(self.pid))
            await trio.sleep(0.1)

    def found(self, kind: str, held: float, sent: int) -> Found:
        seconds = time.monotonic() - self.begun
        return Found(
            kind,
            round(seconds, 1),
            round((cpu_of(self.pid) - self.cpu) / seconds, 3),
            round(self.most - self.before, 1),
            round(max(self.pings), 1),
            round(statistics.median(self.pings), 1),
            round(max(self.statuses, default=0.0), 1),
            held,
            sent,
        )


@contextmanager
def flooding(kind: str, where: Address, seconds: float, seat: int = 0, raw: Path | None = None) -> Iterator[Any]:
    command = [sys.executable, "-m", "tests.hostile.flood", "--flood", kind, "--to", f"{where.host}:{where.port}"]
    command += ["--seconds", str(seconds), "--seat", str(seat), "--messages", str(raw or "")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2])
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def said(process: Any) -> int:
    """What the flooding process says it has sent; waits for its end."""
    text, _ = process.communicate(timeout=60)
    return int(text.split()[-1]) if text.split() else 0


def against_open_table(kind: str, seconds: float, home: Path) -> Found:
    """A flood of strangers against a node that waits for players."""
    args = ("table", "open", "--auto", "beginner", "--listen", "127.0.0.1:0", "--events", "--leash", "--measure")
    node = NodeProcess(*args, data=home / "node")
    try:
        reach = node.event("listening")["reach"]
        port = int(str(reach).rsplit(":", 1)[-1].split("/")[0].split("#")[0])
        where = Address("127.0.0.1", port)

        async def main() -> Found:
            # the node is a friend to the quiet peer, who is a stranger to the node
            async with open_hub(me_of(stranger()), standing=lambda identity: Standing.CONTACT) as hub:
                link = await hub.connect(where)
                assert isinstance(link, StreamLink)
                await trio.sleep(0.5)
                watch = Watch(node.process.pid)
                with flooding(kind, where, seconds) as process:
                    async with trio.open_nursery() as nursery:
                        nursery.start_soon(watch.memory)
                        nursery.start_soon(pinged, link, watch.pings, PING_EVERY["out"])
                        sent = await trio.to_thread.run_sync(said, process)
                        nursery.cancel_scope.cancel()
                assert link.alive, "the quiet peer has lost its link"
                return watch.found(kind, 0.0, sent)

        found = trio.run(main)
        assert node.process.poll() is None, node.errors
        return found
    finally:
        node.close()


def against_member(kind: str, seconds: float, home: Path, room: Room | None = None) -> Found:
    """A flood by a member of the match that the node plays; another member watches."""
    scene = ProcessScene(room or room_of(kind), (3, 1), home)
    try:
        raw = home / "messages"
        raw.write_bytes(pickle.dumps(member_messages(kind, scene)))
        hostile = scene.hubs[3]

        def silence() -> None:  # the flooding process is seat 3 from now on
            hostile.limits = replace(hostile.limits, links=0)
            hostile.close_all("gone", "")

        scene._call(silence)
        node = scene.nodes[0]
        watch = Watch(node.process.pid)
        quiet = scene.hubs[1].link(people()[0].identity)
        assert isinstance(quiet, StreamLink)

        async def main(process: Any) -> int:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(watch.memory)
                nursery.start_soon(pinged, quiet, watch.pings, PING_EVERY["seat"])
                nursery.start_soon(partial(asked, scene, watch.statuses))
                sent: int = await trio.to_thread.run_sync(said, process)
                nursery.cancel_scope.cancel()
            return sent

        with flooding(kind, scene.addresses[0], seconds, 3, raw) as process:
            sent = trio.from_thread.run(main, process, trio_token=scene._token)
        found = watch.found(kind, 0.0, sent)
        assert node.process.poll() is None, node.errors
        assert quiet.alive, "the quiet peer has lost its link"
        held = [float(line["held_ms"]) for line in list(node.lines) if "held_ms" in line]
        return replace(found, held_ms=max(held, default=0.0))
    finally:
        scene.close()


async def asked(scene: ProcessScene, found: list[float]) -> None:
    """STATUS again and again; how long each answer took, in milliseconds."""
    status = Status(match=scene.room.setups[1].match_id, at=exchange.progress(scene.tables[1].match), reply=True)
    while True:
        before, begun = scene._answers(1, 0), time.monotonic()
        scene.hubs[1].post(people()[0].identity, messages.encode(status))
        with trio.move_on_after(20.0):
            while scene._answers(1, 0) == before:
                await scene._changed.wait()
        found.append((time.monotonic() - begun) * 1e3)
        await trio.sleep(2 * PING_EVERY["seat"])


def measure(kind: str, seconds: float, home: Path) -> Found:
    """One flood of this kind for so long."""
    home.mkdir(exist_ok=True)
    os.environ["TMPDIR"] = str(home)  # where identities are locked
    return against_open_table(kind, seconds, home) if kind in OUT else against_member(kind, seconds, home)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help="which floods (default: all)")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--flood", choices=KINDS, help=argparse.SUPPRESS)
    parser.add_argument("--to", help=argparse.SUPPRESS)
    parser.add_argument("--seat", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--messages", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.flood:
        flood(options)
        return 0
    good = True
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}", file=sys.stderr)
    if not options.json:
        print("| flood | sent a second | cpu | grown MB | ping ms, worst | median | status ms, worst | held ms |")
        print("|---|---|---|---|---|---|---|---|")
    for kind in options.kinds or KINDS:
        with tempfile.TemporaryDirectory(prefix="doko-flood-") as name:
            found = measure(kind, options.seconds, Path(name))
        good &= found.bounded
        if options.json:
            print(json.dumps(asdict(found)), flush=True)
        else:
            print(
                f"| {kind} | {found.sent / found.seconds:.0f} | {found.cpu:.2f} | {found.grown_mb:.1f} "
                f"| {found.ping_ms:.0f} | {found.ping_median_ms:.0f} | {found.status_ms:.0f} | {found.held_ms:.0f} |",
                flush=True,
            )
    return 0 if good else 1


__all__: Sequence[str] = ("Found", "measure")

if __name__ == "__main__":
    sys.exit(main())
