"""Whole nodes of people in one process, on loopback TCP, with desks that tests hold in their hands."""

from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import trio

from node.cli.app import App
from node.home import Home
from node.net.address import Listen
from node.runtime import Node, open_node
from node.view import Bid, Command, MakeCall, NameGame, PlayCard, View
from protocol.rules.acts import Call, Healthy, Name, Play, Reserve

PATIENCE = 60.0


class HandDesk:
    """A desk without a person: keeps every view, sends what it is told to."""

    def __init__(self) -> None:
        self.views: list[View] = []
        self._queue: deque[Command] = deque()
        self._shown = trio.Event()
        self._sent = trio.Event()
        self.auto: Callable[[View], Command | None] | None = None
        self._answered = -1

    def show(self, view: View) -> None:
        self.views.append(view)
        self._shown.set()
        self._shown = trio.Event()
        question = view.table.question if view.table is not None else None
        if self.auto is not None and question is not None and question.serial != self._answered:
            command = self.auto(view)
            if command is not None:
                self._answered = question.serial
                self.send(command)

    async def command(self) -> Command:
        while not self._queue:
            self._sent = trio.Event()
            await self._sent.wait()
        return self._queue.popleft()

    def send(self, command: Command) -> None:
        """As if the person had done it."""
        self._queue.append(command)
        self._sent.set()

    @property
    def view(self) -> View:
        """The last view."""
        return self.views[-1]

    async def until(self, holds: Callable[[View], object], within: float = PATIENCE) -> View:
        """The first view from now on of which *holds* is true."""
        with trio.move_on_after(within):
            while True:
                shown = self._shown
                if self.views and holds(self.views[-1]):
                    return self.views[-1]
                await shown.wait()
        notices = [notice.text for notice in self.views[-1].notices] if self.views else []
        raise AssertionError(f"it did not come; the last notices: {notices}")

    async def notice(self, part: str) -> str:
        """The first notice that contains *part*."""
        view = await self.until(lambda v: any(part in notice.text for notice in v.notices))
        return next(notice.text for notice in view.notices if part in notice.text)


def first_legal(view: View) -> Command | None:
    """Healthy, then the first card that is allowed."""
    assert view.table is not None
    if view.table.hand is None:
        return None
    for act in view.table.hand.legal:
        match act:
            case Healthy():
                return Bid(False)
            case Reserve():
                return Bid(True)
            case Name(contract=contract):
                return NameGame(contract)
            case Play(card=card):
                return PlayCard(card)
            case Call(kind=kind):
                return MakeCall(kind)
            case _:
                continue
    return None


@dataclass
class Person:
    """One person's node."""

    name: str
    desk: HandDesk
    node: Node
    home: Home
    app: App
    done: trio.Event = field(default_factory=trio.Event)

    @property
    def address(self) -> str:
        """Where others join."""
        return str(self.node.hub.listening[0])

    @property
    def key(self) -> str:
        """The identity key, hexadecimal."""
        return self.node.identity.key.hex()


@asynccontextmanager
async def person(folder: Path, name: str) -> AsyncIterator[Person]:
    """A node of a person named *name*, listening on loopback."""
    app = App(folder / name, "en", "error", {"DOKO_NETWORK_LAN": "no", "DOKO_NICKNAME": name})
    app.paths.create()
    desk = HandDesk()
    async with open_node(app, listen=None, nickname=name) as node:
        await node.hub.listen(Listen("127.0.0.1", 0))
        home = Home(app, desk, node, local=True)
        one = Person(name, desk, node, home, app)
        async with trio.open_nursery() as nursery:

            async def live() -> None:
                await home.run(pace=0.0)
                one.done.set()

            nursery.start_soon(live)
            await desk.until(lambda view: True)
            try:
                yield one
            finally:
                nursery.cancel_scope.cancel()
