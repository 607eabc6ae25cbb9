"""Computers for the free seats of a table: each a node of its own, in its own process, on a leash.

A computer has a data directory under ``bots/`` of ours with an identity, so that a match it plays in can be taken up
again after any stop: :meth:`Company.recall` starts those that sit in a match.
"""

import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import trio

from node import identity as identities
from node.errors import EXIT_PEER, DokoError
from node.files import make_private_directory
from node.i18n import _
from node.paths import Paths
from node.plan import Plan

#: Names for computers: people who made computing machines, or made them think.
NAMES: Final = ("Ada", "Konrad", "Grace", "Alan", "Emmy", "Edsger", "Hedy", "Claude")
#: A person can follow this (seconds before each bid and card).
PACE_S: Final = 0.7
PATIENCE_S: Final = 5.0
LINE_LIMIT: Final = 1 << 20
_START: Final = "from node.cli.main import main; main()"


@dataclass(slots=True)
class Computer:
    """One of our computers: its identity key, name, and process while it runs."""

    key: bytes
    name: str
    level: str
    data: Path
    process: trio.Process | None = None
    errors: str = ""
    leaving: bool = field(default=False)
    settled: int = 0  # matches it has seen through

    def failed(self, code: int) -> bool:
        """Whether to tell that it ended with this exit code: not if it was let go, or no other match came."""
        over = self.settled > 0 and code == EXIT_PEER
        return bool(code) and not self.leaving and not over


class Company:
    """Our computers.  Every process ends with :meth:`dismiss_all`, or when this process does."""

    def __init__(
        self,
        paths: Paths,
        nursery: trio.Nursery,
        tell: Callable[[str], None],
        *,
        host: bytes | None,
        pace: float = PACE_S,
    ) -> None:
        """*tell* is given a text for people when a computer fails.

        *host*: the key of whom the terms name as host; ``None``: nobody (a computer cannot be one).
        """
        self._host = host
        self._root = paths.data / "bots"
        self._nursery = nursery
        self._tell = tell
        self._pace = pace
        self._computers: dict[bytes, Computer] = {}

    def __contains__(self, key: object) -> bool:
        return key in self._computers

    @property
    def keys(self) -> set[bytes]:
        """The identity keys of all of them."""
        return set(self._computers)

    def knows(self, key: bytes) -> bool:
        """Whether this is, or was once, a computer of ours (an identity in our data directory)."""
        return key in self or key.hex()[:16] in {path.name for path in self._homes()}

    def level_of(self, key: bytes) -> str | None:
        """The level of a computer of ours."""
        computer = self._computers.get(key)
        return computer.level if computer is not None else None

    def hire(self, level: str, taken: "set[str]", address: str, listen: str, *, person: bool = False) -> Computer:
        """Start a computer of *level* that sits down at the table of the node at *address*.

        *taken*: names that are at the table already; *listen*: where it listens (``HOST:PORT``); *person*: it takes a
        person's seat (a duel against oneself needs an opponent).
        """
        in_use = {computer.data for computer in self._computers.values()}
        home = next((path for path in self._homes() if path not in in_use), None)
        data = self._new_home() if home is None else home
        public, _locked = identities.load_public(Paths(data).identity)
        taken = taken | {computer.name for computer in self._computers.values()}
        name = next((name for name in NAMES if name not in taken), data.name[:6])
        computer = Computer(public.key, name, level, data)
        self._computers[public.key] = computer
        command = ["table", "join", "-", "--wait", "60", "--auto", level, "--nick", name, "--listen", listen]
        command += ["--delay", str(self._pace), "--matches", "1000"]
        if person:
            command.append("--as-person")
        elif self._host is not None:
            command += ["--host", self._host.hex()]
        self._nursery.start_soon(self._run, computer, command, address)
        return computer

    def _new_home(self) -> Path:
        fresh = identities.create()
        data = self._root / fresh.key.hex()[:16]
        make_private_directory(data)
        identities.save(fresh, Paths(data).identity)
        return data

    def recall(self, plan: Plan) -> None:
        """Start those of our computers again that sit in the match of *plan*."""
        by_key = {}
        for data in self._homes():
            with suppress(DokoError):
                by_key[identities.load_public(Paths(data).identity)[0].key] = data
        for seat, player in enumerate(plan.setup.roster.players):
            home = by_key.get(player.identity)
            if home is None or player.identity in self._computers:
                continue
            bot = plan.setup.terms.bot_at(seat)
            computer = Computer(player.identity, player.nickname, bot.policy if bot is not None else "", home)
            self._computers[player.identity] = computer
            command = ["table", "resume", plan.match.hex(), "--delay", str(self._pace)]
            self._nursery.start_soon(self._run, computer, command, "")

    def _homes(self) -> list[Path]:
        return sorted(path for path in self._root.glob("*") if Paths(path).identity.exists())

    def dismiss(self, key: bytes) -> None:
        """Let a computer go."""
        computer = self._computers.pop(key, None)
        if computer is not None:
            computer.leaving = True
            if computer.process is not None and computer.process.returncode is None:
                computer.process.terminate()

    async def dismiss_all(self) -> None:
        """End every process: asked first, killed when that takes too long."""
        with trio.CancelScope(shield=True):
            processes = [computer.process for computer in self._computers.values() if computer.process is not None]
            for key in list(self._computers):
                self.dismiss(key)
            with trio.move_on_after(PATIENCE_S):
                for process in processes:
                    await process.wait()
            for process in processes:
                if process.returncode is None:
                    process.kill()
                    await process.wait()

    async def _run(self, computer: Computer, command: list[str], first: str) -> None:
        from subprocess import PIPE

        line = [sys.executable, "-c", _START, "--data", str(computer.data), *command, "--events", "--leash"]
        # A session of its own: Ctrl-C at the terminal goes to us alone, and we stop our computers in order.
        process = await trio.lowlevel.open_process(line, stdin=PIPE, stdout=PIPE, stderr=PIPE, start_new_session=True)
        computer.process = process
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            if computer.leaving:
                process.terminate()
            if first:
                with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
                    await process.stdin.send_all(first.encode() + b"\n")
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._errors, computer)
                async for event in _events(process.stdout):  # the table itself shows what they do
                    computer.settled += event.get("event") == "settled"
                await process.wait()
                nursery.cancel_scope.cancel()
        finally:
            if process.returncode is None:
                process.kill()
                with trio.CancelScope(shield=True):
                    await process.wait()
            with trio.CancelScope(shield=True):
                await process.stdin.aclose()
        if computer.failed(process.returncode or 0):
            text = computer.errors.strip() or _("it ended with exit code {n}").format(n=process.returncode)
            self._tell(_("The computer {name} has stopped: {why}").format(name=computer.name, why=text))
        if self._computers.get(computer.key) is computer:
            del self._computers[computer.key]

    async def _errors(self, computer: Computer) -> None:
        assert computer.process is not None
        assert computer.process.stderr is not None
        async for data in computer.process.stderr:
            computer.errors = (computer.errors + data.decode("utf-8", "replace"))[-2000:]


async def _events(stream: trio.abc.ReceiveStream) -> AsyncIterator[dict[str, Any]]:
    """The JSON objects of *stream*, one a line."""
    buffer = b""
    async for data in stream:
        buffer += data
        *whole, buffer = buffer.split(b"\n")
        for line in whole:
            with suppress(ValueError):
                value = json.loads(line)
                if isinstance(value, dict):
                    yield value
        if len(buffer) > LINE_LIMIT:
            buffer = b""
