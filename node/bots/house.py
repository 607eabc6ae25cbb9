"""A house of computers: one process that hosts many of them, each a node with an identity of its own, for friends.

Theory of operation::

    friend (opener) --BOTS_WANTED--> House (on the host's own node) --BOTS_SENT--> friend
                                       |  within the limits: tables in all, tables a friend, requests a minute
                                       v
                                     Guest: its own data directory under ``bots/``, identity, store, hub and lobby;
                                     asks for the seat, plays, thinks in the worker processes that all share

The host's identity stands in the terms beside each of its computers.  A match that was interrupted is taken up again
when the house opens; a table at which nothing has moved for long no longer counts against the limits, but only so many
of them are kept up: the others rest in their homes.  The event loop, which all computers share, never waits for a disk:
homes are looked through and made in a thread.
"""

import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import trio

from node import identity as identities
from node import logs
from node.auto import Auto, Report, play_plan, policy_of
from node.bots.levels import LEVELS
from node.bots.seeds import SeedChain
from node.bots.worker import WorkerPool
from node.cli.app import App
from node.company import NAMES
from node.errors import DokoError
from node.events import Line
from node.files import make_private_directory
from node.heartbeat import Heartbeat
from node.i18n import N_, _
from node.lobby import Seating
from node.net.address import Listen, parse_listen
from node.net.hub import Standing
from node.net.limits import Bucket
from node.net.link import Link, LinkLost
from node.paths import Paths
from node.plan import Plan, split_seeds, unpack_plan
from node.players import PolicyPlayer
from node.runtime import Node, open_node
from protocol.refusal import Refusal
from protocol.table.announcement import Announcement, read_announcement
from protocol.table.effects import Stored
from protocol.wire import messages
from protocol.wire.connection import Incoming
from protocol.wire.messages import BotsSent, BotsWanted

log = logs.get("house")

#: A computer waits so long at a table until four have agreed (seconds).
SEAT_S: Final = 900.0
#: A table without a move for so long no longer counts against the limits (seconds).
IDLE_S: Final = 1_800.0
#: At so many such tables, in all, computers go on waiting; each is a node with a store and a port.
IDLE_TABLES: Final = 12
#: The opener may not have heard yet whom we send: how often a seat is asked for, and the pause between (seconds).
TRIES: Final = 5
AGAIN_S: Final = 1.0
#: After a match a computer stays for another one so long (seconds).
REMATCH_S: Final = 60.0
#: How often the event loop is looked at (seconds).
BEAT_S: Final = 0.1
#: Requests a minute of one friend, and at once.
ASKED_PER_MIN: Final = 6.0
ASKED_BURST: Final = 4.0


#: Why nobody is sent; the words travel as they are, whoever asked translates them.
REASONS: Final = {
    "stranger": N_("this host sends computers to its friends only"),
    "often": N_("asked too often: try again in a minute"),
    "table": N_("that is no open table of yours"),
    "level": N_("this host has no computers of that level"),
    "full": N_("all tables that this host serves are taken"),
    "friend": N_("this host serves no more tables of one friend at once"),
    "seats": N_("there are not that many seats at a table"),
    "closing": N_("this host is about to stop"),
    "trouble": N_("this host has trouble with its disk"),
}


@dataclass(frozen=True, slots=True)
class Rules:
    """What a house allows.  *tables*: at which its computers sit at once; *per_friend*: of those, opened by one."""

    tables: int = 4
    per_friend: int = 2
    levels: tuple[str, ...] = tuple(LEVELS)
    delay: float = 0.0


@dataclass(slots=True)
class Guest:
    """One computer of the house and where it is: ``coming``, ``seated``, ``playing``."""

    key: bytes
    name: str
    level: str
    data: Path
    friend: bytes
    table: bytes
    state: str = "coming"
    match: str = ""
    hand: int = 0
    moved: float = field(default_factory=trio.current_time)
    player: PolicyPlayer | None = None
    scope: trio.CancelScope = field(default_factory=trio.CancelScope)


def surplus(tables: Sequence[tuple[bytes, bytes]], most: int) -> set[bytes]:
    """The tables to let go so that *most* are left; *tables* as (friend, table), the one that stands longest first.

    They are those of whoever has most, so that nobody makes others lose theirs.
    """
    left = list(tables)
    gone = set()
    while len(left) > most:
        count = Counter(friend for friend, _table in left)
        one = next(one for one in left if count[one[0]] == max(count.values()))
        left.remove(one)
        gone.add(one[1])
    return gone


class House:
    """See the module.  Subscribes to the host's hub."""

    numbers = range(50, 51)

    def __init__(self, app: App, node: Node, nursery: trio.Nursery, rules: Rules, pool: WorkerPool) -> None:
        for level in rules.levels:
            policy_of(level)
        self._app = app
        self._node = node
        self._nursery = nursery
        self._rules = rules
        self._pool = pool
        self._root = node.paths.data / "bots"
        self.guests: dict[bytes, Guest] = {}
        self._asked: dict[bytes, Bucket] = {}
        self._resting: set[Path] = set()  # homes whose match is not over, although nobody plays it now
        self._changed = trio.Event()
        self._taking_in = trio.Lock()
        self.closing = False
        self.matches = 0
        self.refused: Counter[str] = Counter()
        self.late = 0
        self.decided = 0
        self._heartbeat = Heartbeat(beat=BEAT_S)

    # -- life

    async def open(self) -> None:
        """Take up the matches that were interrupted, and answer friends from now on."""
        self._node.hub.subscribe(self)
        self._node.people.stay_connected()
        self._nursery.start_soon(self._follow_people)
        self._nursery.start_soon(self._heartbeat.run)
        found = await trio.to_thread.run_sync(self._interrupted)
        tables = dict.fromkeys((self._friend_at(plan), plan.setup.terms.table) for _data, plan in found)
        gone = surplus(tuple(tables), self._rules.tables + IDLE_TABLES)
        for data, plan in found:
            if plan.setup.terms.table in gone:
                self._resting.add(data)
            else:
                self._recall(data, plan)

    async def _follow_people(self) -> None:
        """Who has become a friend hears what there is."""
        while True:
            await self._node.people.changed()
            self._tell_friends()

    def close(self) -> None:
        """Answer nobody any more; the computers end with the nursery."""
        self._node.hub.unsubscribe(self)

    async def drain(self) -> None:
        """Take nobody in any more, let those go whose match has not begun, and wait until the others are through."""
        self.closing = True
        for guest in self.guests.values():
            if guest.state != "playing":
                guest.scope.cancel()
        self._tell_friends()
        while self.guests:
            await self._changed.wait()

    async def changed(self) -> None:
        """Wait for the next change of :meth:`status`."""
        await self._changed.wait()

    def _ring(self) -> None:
        self._changed.set()
        self._changed = trio.Event()

    # -- limits

    def _tables(self, friend: bytes | None = None) -> set[bytes]:
        """Tables that count: at which something moved not too long ago."""
        now = trio.current_time()
        return {
            guest.table
            for guest in self.guests.values()
            if friend in (None, guest.friend) and now - guest.moved < IDLE_S
        }

    def _let_rest(self) -> None:
        """Let computers go from tables that have been left standing, if there are too many."""
        counted = self._tables()
        idle = [one for one in self.guests.values() if one.table not in counted and not one.scope.cancel_called]
        idle.sort(key=lambda one: one.moved)
        gone = surplus(tuple(dict.fromkeys((one.friend, one.table) for one in idle)), IDLE_TABLES)
        for guest in idle:
            if guest.table in gone:
                log.info("computer rests", name=guest.name)
                self._resting.add(guest.data)
                guest.scope.cancel()

    @property
    def free_tables(self) -> int:
        """Tables at which computers could sit down now."""
        return 0 if self.closing else max(0, self._rules.tables - len(self._tables()))

    def _house(self) -> bytes:
        return messages.encode(messages.House(levels=self._rules.levels, free=min(999, 3 * self.free_tables)))

    def _tell_friends(self) -> None:
        raw = self._house()
        for link in self._node.hub.links():
            if self._node.people.standing(link.peer.identity) is Standing.CONTACT:
                link.post(raw)
        self._ring()

    # -- subscriber of the hub

    def link_up(self, link: Link) -> None:
        if self._node.people.standing(link.peer.identity) is Standing.CONTACT:
            link.post(self._house())

    def link_down(self, identity: bytes, why: LinkLost) -> None:
        """Its computers play on: the friend may come back."""

    async def message(self, link: Link, incoming: Incoming) -> None:
        message = incoming.message
        if not isinstance(message, BotsWanted):
            return
        friend = link.peer.identity
        try:
            announcement = read_announcement(message.announcement, message.signature)
        except Refusal as refusal:
            link.close("refused", refusal.detail)
            return
        guests: list[Guest] = []
        async with self._taking_in:  # what is allowed is counted and taken by one friend at a time
            why = self._why_not(friend, message, announcement)
            try:
                while not why and len(guests) < message.count:
                    guests.append(await self._take_in(message.level, friend, announcement))
            except DokoError as error:  # a full disk is no reason to lose the link, or seats for nothing
                log.warning("nobody taken in", why=error.message)
                why = "trouble"
                while guests:
                    del self.guests[guests.pop().key]
        if why:
            self.refused[why] += 1
        keys = tuple(guest.key for guest in guests)
        answer = BotsSent(table=announcement.table, bots=keys, reason=why or "sent", text=REASONS.get(why, ""))
        link.post(messages.encode(answer))
        for guest in guests:
            self._nursery.start_soon(self._guard, guest, self._visit, announcement)
        if guests:
            self._let_rest()
            self._tell_friends()

    def _why_not(self, friend: bytes, message: BotsWanted, announcement: Announcement) -> str:
        """The name of the reason to send nobody; empty if there is none."""
        if self._node.people.standing(friend) is not Standing.CONTACT:
            return "stranger"
        if self.closing:
            return "closing"
        bucket = self._asked.setdefault(friend, Bucket(ASKED_PER_MIN / 60, ASKED_BURST))
        if not bucket.allow(1, trio.current_time()):
            return "often"
        if announcement.opener != friend or not announcement.open:
            return "table"
        if message.level not in self._rules.levels:
            return "level"
        known = announcement.table in self._tables()
        if not known and not self.free_tables:
            return "full"
        if not known and len(self._tables(friend)) >= self._rules.per_friend:
            return "friend"
        if sum(guest.table == announcement.table for guest in self.guests.values()) + message.count > 3:
            return "seats"
        return ""

    # -- computers

    def _homes(self) -> list[Path]:
        return sorted(path for path in self._root.glob("*") if Paths(path).identity.exists())

    async def _take_in(self, level: str, friend: bytes, announcement: Announcement) -> Guest:
        """A computer that is free, or a new one."""
        in_use = {guest.data for guest in self.guests.values()} | self._resting
        data, key = await trio.to_thread.run_sync(self._free_home, in_use)
        taken = {name for name in announcement.seats if name}
        taken |= {guest.name for guest in self.guests.values() if guest.table == announcement.table}
        name = next((name for name in NAMES if name not in taken), data.name[:6])
        guest = Guest(key, name, level, data, friend, announcement.table)
        self.guests[guest.key] = guest
        return guest

    def _free_home(self, in_use: set[Path]) -> tuple[Path, bytes]:
        """The data directory of a computer that is free, or of a new one, and its identity key."""
        for data in self._homes():
            if data not in in_use:
                with suppress(DokoError):  # one whose identity cannot be read is left alone
                    return data, identities.load_public(Paths(data).identity)[0].key
        fresh = identities.create()
        data = self._root / fresh.key.hex()[:16]
        make_private_directory(data)
        identities.save(fresh, Paths(data).identity)
        return data, fresh.key

    def _interrupted(self) -> list[tuple[Path, Plan]]:
        """The homes of computers that were playing when the house was last closed, each with what it is to take up.

        That is what was begun last: a match before it that is still open has stopped.  The oldest comes first.
        """
        found: list[tuple[float, Path, Plan]] = []
        for data in self._homes():
            with suppress(DokoError):
                with App(data, environ={}).open_store() as store:
                    plans = [(row.begun, data, unpack_plan(row.setup)) for row in store.matches("open")]
                found += [one for one in plans if one[2].level is not None][-1:]
        return [(data, plan) for _begun, data, plan in sorted(found, key=lambda one: one[0])]

    def _recall(self, data: Path, plan: Plan) -> None:
        """Let the computer at *data* take its match up."""
        me = plan.setup.roster.players[plan.setup.my_seat]
        assert plan.level is not None
        guest = Guest(me.identity, me.nickname, plan.level, data, self._friend_at(plan), plan.setup.terms.table)
        guest.state = "playing"  # its match is on, even before its node is
        self.guests[guest.key] = guest
        self._nursery.start_soon(self._guard, guest, self._resume, plan)

    def _friend_at(self, plan: Plan) -> bytes:
        """On whose account a table goes: a friend who plays there, else the first person, else the first computer."""
        players = plan.setup.roster.players
        people = [players[seat].identity for seat in plan.setup.terms.human_seats]
        friends = [key for key in people if self._node.people.standing(key) is Standing.CONTACT]
        return [*friends, *people, players[0].identity][0]

    async def _guard(self, guest: Guest, life: Callable[..., Any], *arguments: Any) -> None:
        """One computer's life; what goes wrong in it is its own affair."""
        try:
            with guest.scope:
                await life(guest, *arguments)
        except DokoError as error:
            log.info("computer left", name=guest.name, why=error.message)
        except Refusal as refusal:
            log.info("computer left", name=guest.name, why=refusal.detail)
        except Exception:  # a bug in one of many must not end the others
            log.exception("computer failed", name=guest.name)
        finally:
            self.guests.pop(guest.key, None)
            if guest.player is not None:
                self.decided += guest.player.decided
                self.late += guest.player.late
            self._tell_friends()

    @asynccontextmanager
    async def _open(self, guest: Guest, listen: Listen | None = None) -> AsyncIterator[Node]:
        """The node of *guest*, listening at *listen* if that is free (others may still look for it there)."""
        app = App(guest.data, environ={})
        async with open_node(app, listen=None, nickname=guest.name, log=False, watch=False) as node:
            await node.listen(listen or parse_listen(self._node.local_listen), free=True)
            yield node

    def _auto(self, level: str) -> Auto:
        return Auto(level, None, self._rules.delay, host=self._node.identity.key, pool=self._pool)

    async def _visit(self, guest: Guest, announcement: Announcement) -> None:
        """Sit down at a friend's table, play, and stay for another match if the friend opens one soon."""
        async with self._open(guest) as node:
            with self._auto(guest.level) as auto:
                if await self._match(guest, node, announcement, auto):
                    await self._stay(guest, node, announcement.opener, auto)

    async def _stay(self, guest: Guest, node: Node, opener: bytes, auto: Auto) -> None:
        """Play at the tables that *opener* opens soon after one another."""
        while not self.closing:
            guest.state, guest.match, guest.hand = "coming", "", 0
            self._ring()
            announcement = await node.lobby.table_of(opener, not_table=guest.table, within=REMATCH_S)
            guest.table = announcement.table
            if not await self._match(guest, node, announcement, auto):
                break

    async def _match(self, guest: Guest, node: Node, announcement: Announcement, auto: Auto) -> bool:
        """One match at this table; whether there was one."""
        chain = auto.chain(0)
        seating = await self._sit(node, announcement, auto, chain)
        guest.state = "seated"
        self._ring()
        try:
            seated = None
            with trio.move_on_after(SEAT_S):
                seated = await seating.settled()
            if seated is None:
                seating.leave("the table did not come together")
                return False
            plan = Plan(seated.setup, seated.addresses, node.listening, auto.level)
            await trio.to_thread.run_sync(node.remember, plan, chain.root)
            await self._play(guest, node, plan, None, auto, chain)
        finally:
            seating.close()
        return True

    async def _sit(self, node: Node, announcement: Announcement, auto: Auto, chain: SeedChain) -> Seating:
        """A seat at the table: asked for again while the opener has not yet heard of us."""
        for attempt in range(TRIES):
            link = node.hub.link(announcement.opener)
            seating = node.lobby.join(
                announcement, addresses=node.addresses(link), bot=auto.seat(node, chain), auto_confirm=True
            )
            while seating.failure is None and seating.view.my_seat is None:
                await seating.changed()
            if seating.failure is None or attempt + 1 == TRIES:
                return seating
            seating.close()
            await trio.sleep(AGAIN_S)
        raise AssertionError("unreachable")

    async def _resume(self, guest: Guest, plan: Plan) -> None:
        async with self._open(guest, parse_listen(plan.listen) if plan.listen else None) as node:
            root, stored = split_seeds(await trio.to_thread.run_sync(node.store.load, plan.match))
            if root is None:
                raise DokoError(_("The seeds of the computer player are missing in the store."))
            chain = SeedChain(root)
            with self._auto(guest.level) as auto:
                await self._play(guest, node, plan, stored, auto, chain)
                await self._stay(guest, node, guest.friend, auto)

    async def _play(
        self, guest: Guest, node: Node, plan: Plan, stored: Stored | None, auto: Auto, chain: SeedChain
    ) -> None:
        guest.state, guest.match, guest.moved = "playing", plan.match.hex(), trio.current_time()
        guest.player = auto.player(chain, plan.setup.terms.clock.decision)
        self._ring()
        await play_plan(node, plan, stored, guest.player, chain, self._reporter(guest))
        self.matches += 1
        self._ring()

    def _reporter(self, guest: Guest) -> Report:
        def report(line: Line) -> None:
            if line["event"] in ("deal-step", "act", "trick", "hand-over", "hand"):
                guest.moved = trio.current_time()
            if line["event"] == "hand":
                guest.hand = line["hand"]
                self._ring()

        return report

    # -- what is going on

    def status(self) -> dict[str, Any]:
        """Everything as plain values: for ``--json``, and for the page that a key shows."""
        statistics = self._pool.statistics
        guests = list(self.guests.values())
        players = [guest.player for guest in guests if guest.player is not None]
        return {
            "host": self._node.identity.key.hex(),
            "address": self._node.listening,
            "levels": list(self._rules.levels),
            "tables": len({guest.table for guest in guests}),
            "max_tables": self._rules.tables,
            "per_friend": self._rules.per_friend,
            "stopping": self.closing,
            "computers": [
                {
                    "name": guest.name,
                    "key": guest.key.hex(),
                    "level": guest.level,
                    "friend": guest.friend.hex(),
                    "table": guest.table.hex(),
                    "state": guest.state,
                    "match": guest.match,
                    "hand": guest.hand,
                }
                for guest in guests
            ],
            "matches": self.matches,
            "moves": self.decided + sum(player.decided for player in players),
            "late": self.late + sum(player.late for player in players),
            "decisions": statistics.decisions,
            "fallbacks": statistics.fallbacks,
            "ms_median": round(statistics.quantile(0.5), 1),
            "ms_99": round(statistics.quantile(0.99), 1),
            "ms_worst": round(statistics.quantile(1.0), 1),
            "loop_ms": round(self._heartbeat.late, 1),
            "refused": dict(self.refused),
            "cpu": round(time.process_time(), 1),
        }
