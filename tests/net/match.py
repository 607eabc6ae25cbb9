"""Four whole nodes in one process: hubs on memory streams, real table cores, real stores, no threads, a mock clock."""

from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import trio

from node.bots.levels import level_policy
from node.bots.seeds import SeedChain
from node.lobby import open_lobby
from node.net.hub import Hub
from node.plan import Plan, pack_plan
from node.players import Player, PolicyPlayer
from node.session import Outcome, Session
from node.store import Store, open_store
from protocol.table.effects import Stored
from protocol.table.terms import make_terms
from protocol.wire.messages import BotSeat
from tests.net.network import Network, address, make_identity, stream_of

NAMES = ("anna", "bert", "cora", "dora")


async def here(fn: Callable[..., Any], *args: Any, limiter: Any = None, abandon_on_cancel: bool = False) -> Any:
    """In place of a thread: at once."""
    await trio.lowlevel.checkpoint()
    return fn(*args)


class Seat:
    """One node with its store; :meth:`play` runs its session (again, after a "crash")."""

    def __init__(self, name: str, hub: Hub, store: Store, plan: Plan, chain: SeedChain) -> None:
        self.name = name
        self.hub = hub
        self.store = store
        self.plan = plan
        self.chain = chain
        self.events: list[Any] = []
        self.times: list[float] = []  # when each was heard
        self._news = trio.Event()
        self.outcome: Outcome | None = None
        self.session: Session | None = None
        self.runs = 0

    def _hear(self, event: Any) -> None:
        self.events.append(event)
        self.times.append(trio.current_time())
        self._news.set()
        self._news = trio.Event()

    async def until(self, wanted: Callable[[list[Any]], bool]) -> None:
        """Wait until the events heard are as *wanted*, or the match is over here (no time needs to pass for it)."""
        while not wanted(self.events) and self.outcome is None:
            await self._news.wait()

    async def more(self, count: int) -> None:
        """Wait for so many more events, or the match's end here."""
        wanted = len(self.events) + count
        await self.until(lambda events: len(events) >= wanted)

    async def over(self) -> None:
        """Wait for the match's end here."""
        await self.until(lambda events: False)

    def make(self, stored: Stored | None, player: Player | None = None) -> Session:
        self.runs += 1
        bot = player or PolicyPlayer(level_policy("random"), self.chain.seed, in_thread=here)
        self.session = Session(
            self.hub,
            self.store,
            self.plan,
            make_identity(self.name),
            stream_of(f"session {self.name} {self.runs}"),
            stored=stored,
            player=bot,
            seed=self.chain.seed,
            watch=[self._hear],
            in_thread=here,
        )
        return self.session

    async def play(self, stored: Stored | None = None) -> None:
        await self.run(self.make(stored))

    async def run(self, session: Session) -> None:
        self.outcome = await session.run()
        self._news.set()
        self._news = trio.Event()

    async def resume(self) -> None:
        await self.play(self.store.load(self.plan.match))


class FourSeats:
    """Gathered by the real lobby; ``async with`` a stack and a nursery of the test's own."""

    def __init__(self) -> None:
        self.net = Network()
        self.seats: list[Seat] = []

    async def gather(
        self, stack: AsyncExitStack, nursery: trio.Nursery, home: Path, *, people: tuple[str, ...] = (), **terms: Any
    ) -> list[Seat]:
        """Four who have agreed; *people*: the names of those who sit there as persons, all others as computers."""
        hubs: list[Hub] = []
        seatings = []
        chains = [SeedChain(stream_of(f"chain {name}")(32)) for name in NAMES]
        for name, chain in zip(NAMES, chains, strict=True):
            hub = await stack.enter_async_context(self.net.node(name))
            lobby = stack.enter_context(open_lobby(hub, nursery, stream_of(f"lobby {name}")))
            policy = level_policy("random")
            bot = BotSeat(host=hub.me.identity, policy=policy.name, version=policy.version, seeds=chain.commitment)
            options: dict[str, Any] = {"addresses": (address(name),), "auto_confirm": True}
            options["bot"] = None if name in people else bot
            if not hubs:
                seatings.append(lobby.open(make_terms(table=bytes(range(16)), **terms), **options))
            else:
                link = await hub.connect(address(NAMES[0]))
                lobby.known_address[link.peer.identity] = address(NAMES[0])
                seatings.append(lobby.join(await lobby.table_of(link.peer.identity), seat=len(hubs), **options))
            hubs.append(hub)
        for name, hub, chain, seating in zip(NAMES, hubs, chains, seatings, strict=True):
            seated = await seating.settled()
            plan = Plan(seated.setup, seated.addresses)
            store = stack.enter_context(open_store(home / f"{name}.db"))
            store.add_match(plan.match, hub.me.identity, plan.setup.my_seat, pack_plan(plan))
            self.seats.append(Seat(name, hub, store, plan, chain))
        return self.seats
