"""The demo's parent: starts four nodes as processes, listens to what they tell, checks what they leave.

It takes no part in the match.  Each child is the ordinary command ``doko table open`` or ``doko table join`` with
``--events``; the parent reads their lines and shows those of one of them.
"""

import json
import shutil
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import click
import trio

from node.auto import policy_of
from node.cli.app import App, emit_json
from node.console.words import decimal
from node.errors import EXIT_ENVIRONMENT, EXIT_NO, EXIT_OK, EXIT_PEER, DokoError
from node.events import Line
from node.files import make_private_directory
from node.i18n import _
from node.refusals import bad_terms, told
from node.signals import Stop
from node.tasks import background
from node.watch import Narrator, faces_of, wants_colour
from protocol.refusal import Refusal

NAMES: Final = ("Anna", "Bruno", "Carla", "Dora")
#: Seconds a child may take to stop when asked, before it is killed.
PATIENCE_S: Final = 5.0
#: A person can follow this (seconds before each bid and card).
PACE_S: Final = 0.06
LINE_LIMIT: Final = 1 << 20
_START: Final = "from node.cli.main import main; main()"


@dataclass(slots=True)
class Child:
    """One node: its process, and what it has told."""

    name: str
    seat: int
    data: Path
    process: trio.Process | None = None
    address: trio.Event = field(default_factory=trio.Event)
    listening: str = ""
    settled: list[Line] = field(default_factory=list)
    errors: str = ""


@dataclass(slots=True)
class Times:
    """Durations of deals and hands in milliseconds, from the times in one child's lines."""

    deal_ms: list[int] = field(default_factory=list)
    hand_ms: list[int] = field(default_factory=list)
    begun: dict[int, Line] = field(default_factory=dict)  # by deal number: its first COMMIT
    barrier: dict[int, Line] = field(default_factory=dict)  # its last DECKOK
    shares: dict[int, Line] = field(default_factory=dict)  # its first SHARES
    opened: dict[int, Line] = field(default_factory=dict)
    deal_cpu: list[float] = field(default_factory=list)
    held_ms: float = 0.0
    late_ms: float = 0.0
    peak_mb: float = 0.0

    def feed(self, line: Line) -> None:
        """Take the times out of *line*."""
        self.held_ms = max(self.held_ms, line.get("held_ms", 0.0))
        self.late_ms = max(self.late_ms, line.get("late_ms", 0.0))
        self.peak_mb = max(self.peak_mb, line.get("peak_mb", 0.0))
        deal = int(line.get("deal", -1))
        match line["event"]:
            case "seated":
                for known in (self.begun, self.barrier, self.shares, self.opened):
                    known.clear()
            case "deal-step":
                if line["step"] == "barrier":
                    self.barrier[deal] = line
                elif line["step"] == "shares":
                    self.shares.setdefault(deal, line)
                self.begun.setdefault(deal, line)
            case "hand" if deal in self.shares and deal in self.barrier:
                self.opened[deal] = line
                self.deal_ms.append(round(self._deal(deal, "at")))
                if "cpu" in line:
                    self.deal_cpu.append(round(self._deal(deal, "cpu"), 3))
            case "hand-over" if deal in self.opened:
                self.hand_ms.append(round(line["at"] - self.opened[deal]["at"]))

    def _deal(self, deal: int, what: str) -> float:
        """A deal's time without the wait between barrier and shares, when it was made during the hand before."""
        before: float = self.barrier[deal][what] - self.begun[deal][what]
        after: float = self.opened[deal][what] - self.shares[deal][what]
        if deal == min(self.begun):  # nothing in between: our own SHARES are made and checked there
            return before + after + float(self.shares[deal][what] - self.barrier[deal][what])
        return before + after


class Demo:
    """One call of ``doko demo``."""

    def __init__(
        self,
        app: App,
        *,
        mode: str,
        stake: int,
        limit: int | None,
        fee: int,
        rules: str,
        level: str,
        matches: int,
        out: Path | None,
        replace: bool,
        seed: str | None,
        delay: float | None,
        watch: bool,
        as_json: bool,
        measure: bool,
    ) -> None:
        policy_of(level)  # refused here in words rather than four times by the children
        _check_terms(mode, stake, limit, fee, rules)
        self._app = app
        self._duel = mode == "duel"
        self._terms = ["--mode", mode, "--stake", str(stake), "--fee", str(fee), "--rules", rules]
        if limit is not None:
            self._terms += ["--limit", str(limit)]
        self._level = level
        self._matches = matches
        self._seed = seed
        self._as_json = as_json
        self._measure = measure
        self._tell = watch or not as_json
        self._delay = (PACE_S if self._tell and sys.stdout.isatty() else 0.0) if delay is None else delay
        self._narrator = Narrator(sys.stdout, colour=wants_colour(sys.stdout), faces=faces_of(sys.stdout))
        self._times = [Times() for _name in NAMES]
        stamp = time.strftime("%Y%m%d-%H%M%S")
        self._out = out if out is not None else app.paths.data / "demo" / stamp
        self._keep = out is not None
        self._names = [[f"{number + 1}-{name.lower()}.settlement" for name in NAMES] for number in range(self._matches)]
        if not replace:
            self._refuse_to_overwrite()
        self._trouble: DokoError | None = None

    def _refuse_to_overwrite(self) -> None:
        for name in (name for names in self._names for name in names):
            if (self._out / name).exists():
                raise DokoError(
                    _("{path} exists already.").format(path=self._out / name),
                    _("Choose another directory, or overwrite it with --replace."),
                    EXIT_ENVIRONMENT,
                )

    async def main(self, stop: Stop) -> int:
        """Run it all; the exit code."""
        make_private_directory(self._out)
        nodes = self._out / "nodes" if self._keep else Path(tempfile.mkdtemp(prefix="doko-demo-"))
        children = [Child(name, seat, nodes / name.lower()) for seat, name in enumerate(NAMES)]
        code = EXIT_PEER
        try:
            with stop.scope:
                self._head()
                await self._play(children)
                code = await self._check(children)
        finally:
            await _end_all(children)
            if not self._keep and code == EXIT_OK:
                shutil.rmtree(nodes, ignore_errors=True)
        return code

    def _head(self) -> None:
        if self._tell:
            click.echo(_("Four nodes on this machine, each a process with its own identity and store."))
            if self._duel:
                text = _("A duel: {one} and {other} sit in the people's seats, {third} and {fourth} are the computers.")
                click.echo(text.format(one=NAMES[0], other=NAMES[2], third=NAMES[1], fourth=NAMES[3]))

    # -- the four processes

    async def _play(self, children: list[Child]) -> None:
        async with background() as nursery:
            done = trio.Event()
            running = len(children)

            async def follow(child: Child) -> None:
                nonlocal running
                try:
                    await self._follow(child, children[0])
                except DokoError as error:
                    if self._trouble is None:
                        self._trouble = error
                    done.set()
                running -= 1
                if not running:
                    done.set()

            for child in children:
                nursery.start_soon(follow, child)
            await done.wait()
        if self._trouble is not None:
            raise self._trouble

    def _command(self, child: Child) -> list[str]:
        command = [sys.executable, "-c", _START, "--data", str(child.data), "table"]
        if child.seat == 0:
            command += ["open", *self._terms]
        else:
            command += ["join", "-", "--wait", "30"]
        command += ["--auto", self._level, "--nick", child.name, "--seat", str(child.seat + 1)]
        if self._duel and child.seat % 2 == 0:
            command.append("--as-person")  # the people's seats
        command += ["--listen", "127.0.0.1:0", "--matches", str(self._matches), "--delay", str(self._delay)]
        if self._seed is not None:
            command += ["--seed", f"{self._seed}/{child.seat}"]
        if self._measure:
            command.append("--measure")
        return [*command, "--events", "--leash"]

    async def _follow(self, child: Child, opener: Child) -> None:
        """Start *child* and take in what it tells until it ends.  Raises :class:`DokoError` if it fails."""
        from subprocess import PIPE

        child.data.mkdir(mode=0o700, parents=True, exist_ok=True)
        # A session of its own: Ctrl-C at the terminal goes to the parent alone, which stops the four in order.
        child.process = await trio.lowlevel.open_process(
            self._command(child), stdin=PIPE, stdout=PIPE, stderr=PIPE, start_new_session=True
        )
        process = child.process
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._errors, child)
            if child is not opener:
                nursery.start_soon(self._pass_address, child, opener)
            assert process.stdout is not None
            async for line in _lines(process.stdout):
                self._take(child, line)
            await process.wait()
            nursery.cancel_scope.cancel()
        if process.returncode != 0 or len(child.settled) < self._matches:
            words = child.errors.strip() or _("it ended with exit code {n}").format(n=process.returncode)
            raise DokoError(_("{name}'s node failed: {why}").format(name=child.name, why=words), "", EXIT_PEER)

    async def _pass_address(self, child: Child, opener: Child) -> None:
        await opener.address.wait()
        assert child.process is not None
        assert child.process.stdin is not None
        with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            await child.process.stdin.send_all(opener.listening.encode() + b"\n")

    async def _errors(self, child: Child) -> None:
        assert child.process is not None
        assert child.process.stderr is not None
        async for data in child.process.stderr:
            child.errors = (child.errors + data.decode("utf-8", "replace"))[-4000:]

    def _take(self, child: Child, line: Line) -> None:
        self._times[child.seat].feed(line)
        if line["event"] == "listening":
            child.listening = line["reach"]
            child.address.set()
        if line["event"] == "settled":
            child.settled.append(line)
        if child.seat == 0 and self._tell:
            self._narrator.feed(line)

    # -- the end

    async def _check(self, children: list[Child]) -> int:
        paths: list[str] = []
        good = True
        for number in range(self._matches):
            files = []
            for child, name in zip(children, self._names[number], strict=True):
                await trio.to_thread.run_sync(shutil.copyfile, child.settled[number]["path"], self._out / name)
                files.append(self._out / name)
            paths += [str(file) for file in files]
            good &= await trio.to_thread.run_sync(self._verify, files)
        ends = children[0].settled
        if self._tell:
            self._tail(paths, good)
        if self._as_json:
            emit_json(
                {
                    "settlements": paths,
                    "points": [sum(end["points"][seat] for end in ends) for seat in range(4)],
                    "money": [sum(end["money"][seat] for end in ends) for seat in range(4)],
                    "kitty": sum(end["kitty"] for end in ends),
                    "deal_ms": self._times[0].deal_ms,
                    "hand_ms": self._times[0].hand_ms,
                    **self._measured(),
                }
            )
        return EXIT_OK if good else EXIT_NO

    def _measured(self) -> dict[str, Any]:
        if not self._measure:
            return {}
        return {
            "deal_cpu_s": [times.deal_cpu for times in self._times],
            "held_ms": [times.held_ms for times in self._times],
            "late_ms": [times.late_ms for times in self._times],
            "peak_mb": [times.peak_mb for times in self._times],
        }

    def _verify(self, files: list[Path]) -> bool:
        """The four settlements are the same, byte for byte, and verify."""
        from protocol.table.verify import verify

        contents = [file.read_bytes() for file in files]
        if len(set(contents)) != 1:
            click.echo(_("The four settlements are not the same."), err=True)
            return False
        verdict = verify(contents[0])
        if verdict.kind != "settlement" or not verdict.good:
            click.echo(_("The settlement does not verify: {why}").format(why=told(verdict.problem)), err=True)
            return False
        if verdict.unsigned:
            names = ", ".join(NAMES[seat] for seat in verdict.unsigned)
            click.echo(_("Not signed by: {names}").format(names=names), err=True)
            return False
        return True

    def _tail(self, paths: list[str], good: bool) -> None:
        deal, hand = self._times[0].deal_ms, self._times[0].hand_ms
        click.echo()
        if deal:
            average = sum(deal) / len(deal) / 1000
            click.echo(_("A deal took {n} seconds.").format(n=decimal(average, 2)), nl=not hand)
        if hand:
            click.echo(" " + _("A hand took {n} seconds.").format(n=decimal(sum(hand) / len(hand) / 1000, 1)))
        if good:
            click.echo(_("Four nodes, four equal settlements, each verified from the keys to the cents:"))
        for path in paths:
            click.echo(f"  {path}")
        click.echo(_("Check one yourself, on any machine: doko verify {path}").format(path=paths[0]))


def _check_terms(mode: str, stake: int, limit: int | None, fee: int, rules: str) -> None:
    from protocol.table.terms import make_terms

    try:
        make_terms(table=bytes(16), mode=mode, stake=stake, limit=limit, fee=fee, profile=rules)
    except Refusal as refusal:
        raise bad_terms(refusal) from None


async def _lines(stream: trio.abc.ReceiveStream) -> AsyncIterator[Line]:
    """The JSON values of *stream*, one a line; a line that is none is passed over."""
    buffer = b""
    async for data in stream:
        buffer += data
        *whole, buffer = buffer.split(b"\n")
        for line in whole:
            with suppress(ValueError):
                value = json.loads(line)
                if isinstance(value, dict) and "event" in value:
                    yield value
        if len(buffer) > LINE_LIMIT:
            buffer = b""


async def _end_all(children: list[Child]) -> None:
    """Stop what still runs: asked first, killed when that takes too long.  Whatever happens, nobody stays behind."""
    with trio.CancelScope(shield=True):
        running = [c.process for c in children if c.process is not None and c.process.returncode is None]
        for process in running:
            process.terminate()
        with trio.move_on_after(PATIENCE_S):
            for process in running:
                await process.wait()
        for process in running:
            if process.returncode is None:
                process.kill()
                await process.wait()
        for child in children:
            if child.process is not None:
                for stream in (child.process.stdin, child.process.stdout, child.process.stderr):
                    if stream is not None:
                        await stream.aclose()
