"""The same cores in four real nodes: sessions, stores on disk, hubs, TCP over the loopback.  One of them is hostile.

The hostile node is an ordinary one whose table keeps some entries back (:class:`tests.hostile.room.HostileTable`); what
it sends instead goes out over its own authenticated links.  The nodes live in a thread of their own under trio; a test
talks to them from outside and waits for conditions, never for time.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Any

import trio

from node.identity import Identity, from_secrets
from node.net.address import parse_listen
from node.net.hub import Hub, open_hub
from node.plan import Plan, pack_plan
from node.session import Outcome, Session
from node.store import open_store
from protocol.table import effects, exchange
from protocol.table.effects import Command, Effect
from protocol.table.entries import Entry
from protocol.table.table import Table
from protocol.wire import messages
from protocol.wire.address import Address
from protocol.wire.connection import Incoming
from protocol.wire.hello import Me
from protocol.wire.sync import Status
from tests.e2e.processes import free_port
from tests.hostile.room import Room, Sent
from tests.hostile.scene import Scene
from tests.table.net import SEATS, people

#: Longer than this nothing takes (seconds; a loaded machine is slow).
PATIENCE = 60.0


#: Seconds that a scene's clock leaps at once.
LEAP = 5.0


class RoomClock(trio.abc.Clock):
    """Real time that goes on where a room's time stood, and leaps when it is told to."""

    def __init__(self, base: float) -> None:
        self._base = base
        self._begun = 0.0

    def leap(self, seconds: float) -> None:
        """So much time has passed at once."""
        self._base += seconds

    def start_clock(self) -> None:
        self._begun = time.perf_counter()

    def current_time(self) -> float:
        return self._base + time.perf_counter() - self._begun

    def deadline_to_sleep_time(self, deadline: float) -> float:
        return deadline - self.current_time()


class WatchedSession(Session):
    """A session around a table that is at rest somewhere in a match; it tells what the table asks for."""

    def __init__(self, *args: Any, table: Table, tell: Callable[[Effect], None], ring: Callable[[], None], **kw: Any):
        super().__init__(*args, **kw)
        table._links.clear()
        self._table = table
        self._tell_effect = tell
        self._ring_all = ring

    def _do(self, effect: Effect) -> None:
        self._tell_effect(effect)
        super()._do(effect)
        self._ring_all()

    def _ring(self) -> None:
        super()._ring()
        self._ring_all()


class Listener:
    """A subscriber that counts the answers to STATUS: what was sent before them has been dealt with."""

    numbers = range(70, 110)

    def __init__(self, ring: Callable[[], None], hear: Callable[[bytes, bytes], None]) -> None:
        self.answers: dict[bytes, int] = {}
        self._ring = ring
        self._hear = hear

    def link_up(self, link: Any) -> None:
        self._ring()

    def link_down(self, identity: bytes, why: Any) -> None:
        self._ring()

    async def message(self, link: Any, incoming: Incoming) -> None:
        self._hear(link.peer.identity, incoming.raw)
        if isinstance(incoming.message, Status):
            self.answers[link.peer.identity] = self.answers.get(link.peer.identity, 0) + 1
            self._ring()


def identity_of(seat: int) -> Identity:
    person = people()[seat]
    return from_secrets(person.signing, person.static)


def me_of(seat: int) -> Me:
    who = identity_of(seat)
    return Me(
        identity=who.key,
        static_private=who.static_key,
        static_signature=who.public.binding,
        nickname=people()[seat].name,
        sign=who.sign,
        agent="test",
    )


class TcpScene(Scene):
    """See the module."""

    def __init__(self, room: Room, hostile: int | tuple[int, ...], home: Path, outside: Sequence[int] = ()) -> None:
        """*outside*: seats whose nodes are not ours (see :mod:`tests.hostile.processes`)."""
        super().__init__(room, hostile)
        self._home = home
        self._clock = RoomClock(room.now)
        self.inside = tuple(seat for seat in SEATS if seat not in outside)
        self.addresses = {seat: Address("127.0.0.1", free_port()) for seat in SEATS}
        self._sent: list[Sent] = []
        self._effects: dict[int, list[Effect]] = {seat: [] for seat in SEATS}
        self.hubs: dict[int, Hub] = {}
        self.sessions: dict[int, WatchedSession] = {}
        self.outcomes: dict[int, Outcome | None] = {}
        self._listeners: dict[int, Listener] = {}
        self._token: trio.lowlevel.TrioToken | None = None
        self._ready = threading.Event()
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="nodes", daemon=True)
        self._thread.start()
        self._ready.wait(PATIENCE)
        self._look()
        self.begin()
        self.wait(self._all_linked)

    def begin(self) -> None:
        """Our nodes listen now."""

    # -- the thread of the nodes --

    def _run(self) -> None:
        try:
            trio.run(self._main, clock=self._clock)
        except BaseException as error:
            self._failure = error
        finally:
            self._ready.set()

    async def _main(self) -> None:
        self._changed = trio.Event()
        self._end = trio.Event()
        async with AsyncExitStack() as stack:
            for seat in self.inside:
                hub = await stack.enter_async_context(open_hub(me_of(seat)))
                await hub.listen(parse_listen(str(self.addresses[seat])))
                self.hubs[seat] = hub
            async with trio.open_nursery() as nursery:
                for seat in self.inside:
                    store = stack.enter_context(open_store(self._home / f"{seat}.db"))
                    plan = self.plan(seat)
                    store.add_match(plan.match, self.hubs[seat].me.identity, seat, pack_plan(plan))
                    kept = self.room.stores[seat].stored()
                    store.persist(plan.match, effects.Persist(kept.entries, tuple(kept.secrets.items())))
                    self._record(seat)
                    session = WatchedSession(
                        self.hubs[seat],
                        store,
                        plan,
                        identity_of(seat),
                        lambda n: bytes(n),
                        stored=None,
                        table=self.tables[seat],
                        tell=self._effects[seat].append,
                        ring=self._ring,
                    )
                    self.sessions[seat] = session
                    self._listeners[seat] = Listener(self._ring, partial(self.hear, seat))
                    self.hubs[seat].subscribe(self._listeners[seat])
                    nursery.start_soon(self._play, seat, session)
                self._token = trio.lowlevel.current_trio_token()
                self._ready.set()
                await self._end.wait()
                nursery.cancel_scope.cancel()

    def plan(self, seat: int) -> Plan:
        """What a node knows of the table."""
        addresses = tuple(() if other == seat else (self.addresses[other],) for other in SEATS)
        return Plan(self.room.setups[seat], addresses, str(self.addresses[seat]))

    async def _play(self, seat: int, session: WatchedSession) -> None:
        self.outcomes[seat] = await session.run()
        self._ring()

    def _record(self, seat: int) -> None:
        post = self.hubs[seat].post
        seats = {person.identity: other for other, person in enumerate(people())}

        def recorded(identity: bytes, raw: bytes) -> bool:
            self._sent.append(Sent(seat, seats[identity], raw))
            return post(identity, raw)

        self.hubs[seat].post = recorded  # type: ignore[method-assign]

    def _ring(self) -> None:
        self._changed.set()
        self._changed = trio.Event()

    def _all_linked(self) -> bool:
        return all(
            self.hubs[one].link(people()[other].identity) is not None
            for one, other in self._pairs()
            if one not in self.outcomes and other not in self.outcomes
        )

    def _pairs(self) -> list[tuple[int, int]]:
        """Our nodes, and whom each of them is linked with."""
        return [(one, other) for one, other in itertools.permutations(SEATS, 2) if one in self.inside]

    def hear(self, seat: int, sender: bytes, raw: bytes) -> None:
        """One of our nodes has got a message of the table's."""

    # -- from outside --

    def _look(self) -> None:
        if self._failure is not None:
            raise AssertionError("the nodes have failed") from self._failure
        if self._token is None:
            raise AssertionError("the nodes have not started")

    def _call(self, fn: Callable[..., Any], *args: Any) -> Any:
        self._look()
        return trio.from_thread.run_sync(fn, *args, trio_token=self._token)

    @property
    def sent(self) -> Sequence[Sent]:
        return self._sent

    def effects_of(self, seat: int) -> Sequence[Effect]:
        return self._effects[seat]

    def post(self, source: int, target: int, raw: bytes) -> None:
        self._call(self.hubs[source].post, people()[target].identity, raw)

    def act(self, seat: int, command: Command) -> None:
        self._call(self.sessions[seat].act, command)
        self.quiet()

    def wait(self, until: Callable[[], bool]) -> None:
        async def happen() -> bool:
            with trio.move_on_after(PATIENCE):
                while not until():
                    await self._changed.wait()
                return True
            return False

        self._look()
        if not trio.from_thread.run(happen, trio_token=self._token):
            raise AssertionError(f"it has not happened in {PATIENCE} s: {self.outcomes}")

    def _idle(self) -> bool:
        return not any(
            session._effects or session._table._jobs
            for seat, session in self.sessions.items()
            if seat not in self.outcomes
        )

    def quiet(self) -> None:
        for _ in range(2):  # what the first round set going is dealt with in the second
            self._round_trip()

    def _round_trip(self) -> None:
        self.wait(self._all_linked)
        before = {(one, other): self._answers(one, other) for one, other in self._pairs()}

        def ask() -> None:
            for one, other in before:
                at = exchange.progress(self.tables[one].match)
                status = messages.encode(Status(match=self.room.setups[one].match_id, at=at, reply=True))
                self.hubs[one].post(people()[other].identity, status)

        self._call(ask)

        def answered() -> bool:
            return self._idle() and all(
                self._answers(one, other) > count
                or one in self.outcomes
                or other in self.outcomes
                or self.hubs[one].link(people()[other].identity) is None
                for (one, other), count in before.items()
            )

        self.wait(answered)

    def _answers(self, one: int, other: int) -> int:
        return self._listeners[one].answers.get(people()[other].identity, 0)

    def later(self, seconds: float) -> None:
        """In leaps that no link takes for silence."""
        self.quiet()
        left = seconds
        while left > 0:
            self._call(self._clock.leap, min(left, LEAP))
            self.quiet()
            left -= LEAP
        self.room.now = self._call(trio.current_time)

    def tell(self, entry: Entry, seat: int | None = None) -> None:
        self._call(super().tell, entry, seat)

    def wake(self, seat: int) -> None:
        def look() -> None:
            self.sessions[seat]._take(self.tables[seat].tick(trio.current_time()))

        self._call(look)
        self.quiet()

    def close(self) -> None:
        super().close()
        if self._token is not None and self._thread.is_alive():
            trio.from_thread.run_sync(self._end.set, trio_token=self._token)
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()
        if self._failure is not None:
            raise AssertionError("the nodes have failed") from self._failure
