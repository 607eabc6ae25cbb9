"""A whole node: identity, store, log, links and lobby, put together for the time of a command."""

import socket
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from secrets import token_bytes

import trio

from node import __version__
from node.books import close_books
from node.cli.app import App
from node.errors import EXIT_ENVIRONMENT, EXIT_PEER, DokoError
from node.i18n import _
from node.identity import Identity
from node.lobby import Lobby, open_lobby
from node.net.address import Listen, is_loopback, reach_of
from node.net.hub import Hub, local_host, open_hub
from node.net.link import Link
from node.paths import Paths
from node.people import Known, People, read_known
from node.plan import SEED_ROOT, Plan, pack_plan
from node.players import Player
from node.refusals import told
from node.session import Outcome, Session, Watcher
from node.store import Store
from node.tasks import background
from protocol.deal.generators import generators
from protocol.table.effects import Persist, Stored
from protocol.table.view import CoreView
from protocol.wire.address import Address, parse_address
from protocol.wire.fields import MAX_NICKNAME
from protocol.wire.hello import Me

#: Somewhere in the documentation range (RFC 5737, RFC 3849): never sent to, only asked which way it would go.
_ANYWHERE = ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1"))


@dataclass(frozen=True, slots=True)
class Played:
    """A match that ended here: how, and where its settlement is."""

    outcome: Outcome
    path: Path | None


class Node:
    """What a command works with; made by :func:`open_node`."""

    def __init__(
        self,
        identity: Identity,
        store: Store,
        hub: Hub,
        lobby: Lobby,
        people: People,
        paths: Paths,
        announce: tuple[Address, ...],
    ) -> None:
        self.identity = identity
        self.store = store
        self.hub = hub
        self.lobby = lobby
        self.people = people
        self.paths = paths
        self._announce = announce
        self._listen: Listen | None = None

    @property
    def listening(self) -> str:
        """Where this node listens, to listen there again after a restart; empty if it does not."""
        if self._listen is None or not self.hub.listening:
            return ""
        return str(Listen(self._listen.host, self.hub.listening[0].port))

    async def listen(self, where: Listen, *, free: bool = False) -> str:
        """Listen at *where*; if that is in use and *free* allows it, at any free port: what to tell about that.

        Raises :class:`DokoError`.
        """
        self._listen = where
        try:
            await self.hub.listen(where)
        except DokoError as error:
            if not free or error.exit_code != EXIT_ENVIRONMENT:
                raise
            await self.hub.listen(Listen(where.host, 0))
            return _("Port {port} is in use, perhaps by another doko; this one listens at {other}.").format(
                port=where.port, other=self.hub.listening[0].port
            )
        return ""

    @property
    def local_address(self) -> str:
        """Where a process on this machine reaches this node (``HOST:PORT``)."""
        places = {where.host: where for where in self.hub.listening}
        host = sorted(places)[0]
        for every, local in (("0.0.0.0", "127.0.0.1"), ("::", "::1"), ("127.0.0.1", "127.0.0.1")):  # noqa: S104
            if every in places:
                return str(Address(local, places[every].port))
        return str(places[host])

    @property
    def local_listen(self) -> str:
        """Where a computer of ours listens: on this machine alone if we do, else on every interface; any free port."""
        alone = all(where.host in ("127.0.0.1", "::1") for where in self.hub.listening)
        return "127.0.0.1:0" if alone else ":0"

    @property
    def reach(self) -> str:
        """From where this node can be reached at best: ``machine``, ``network`` or ``world``."""
        if all(is_loopback(where.host) for where in self.hub.listening):
            return "machine"
        return reach_of(where.host for where in self.addresses())

    def addresses(self, link: Link | None = None) -> tuple[Address, ...]:
        """Where others can reach this node, best first (at most 8): as configured, as *link* goes out, as we listen."""
        found = list(self._announce)
        for where in self.hub.listening:
            if where.host in ("0.0.0.0", "::"):  # noqa: S104
                hosts = [local_host(link)] if link is not None else []
                found += [Address(host, where.port) for host in [*hosts, *own_hosts()] if host]
            else:
                found.append(where)
        return tuple(dict.fromkeys(found))[:8]

    async def play(
        self,
        plan: Plan,
        *,
        stored: Stored | None,
        player: Player | None,
        seed: Callable[[int], bytes] | None = None,
        watch: Sequence[Watcher] = (),
        practice: bool = False,
        started: Callable[[Session], None] = lambda session: None,
    ) -> Played | None:
        """Play the match of *plan* to its end and close the books; ``None`` if it was left before.

        *practice*: no money is booked (:mod:`node.practice`).
        Raises :class:`DokoError` when the table stops or the store fails.
        """
        self.people.together(player.identity for player in plan.setup.roster.players)
        session = Session(
            self.hub,
            self.store,
            plan,
            self.identity,
            token_bytes,
            stored=stored,
            player=player,
            seed=seed,
            watch=watch,
            settled=lambda outcome, view: self._book(plan, outcome, view, money=not practice),
            places=self.people.places,
        )
        started(session)
        outcome = await session.run()
        if outcome is None:
            return None
        if outcome.settlement is None:
            await trio.to_thread.run_sync(self.store.note_stop, plan.match, outcome.reason, outcome.evidence)
            raise DokoError(
                _("The match stopped: {why}.").format(why=told(outcome.reason)),
                self._keep_evidence(plan, outcome),
                EXIT_PEER,
            )
        return Played(outcome, session.path)

    def remember(self, plan: Plan, seed_root: bytes | None = None) -> None:
        """Store *plan* (and the secret root of our computer's seeds) before anything is signed for it."""
        self.store.add_match(plan.match, self.identity.key, plan.setup.my_seat, pack_plan(plan))
        if seed_root is not None:
            self.store.persist(plan.match, Persist((), ((SEED_ROOT, seed_root),)))

    def _book(self, plan: Plan, outcome: Outcome, view: CoreView, *, money: bool) -> Path:
        assert outcome.settlement is not None
        directory = self.paths.settlements
        return close_books(self.store, plan, outcome.settlement, view.finished, directory, time.time(), money=money)

    def _keep_evidence(self, plan: Plan, outcome: Outcome) -> str:
        if outcome.evidence is None:
            return _("Take it up again with: doko table resume")
        from node.files import write_atomic

        path = self.paths.settlements / f"{plan.match.hex()[:16]}.evidence"
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_atomic(path, outcome.evidence, replace=True)
        return _("The evidence is in {path}; anyone can check it with: doko verify").format(path=path)


def own_hosts() -> list[str]:
    """This machine's addresses on its way out, IPv4 first; the loopback address if there is no way out."""
    found = []
    for family, target in _ANYWHERE:
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as probe:
                probe.connect((target, 9))
                found.append(str(probe.getsockname()[0]).partition("%")[0])
        except OSError:
            continue
    return found or ["127.0.0.1"]


def node_me(identity: Identity, nickname: str) -> Me:
    """How the node says HELLO."""
    return Me(
        identity=identity.key,
        static_private=identity.static_key,
        static_signature=identity.public.binding,
        nickname=nickname,
        sign=identity.sign,
        agent=f"dokonode {__version__}",
    )


def nickname_of(app: App, identity: Identity, wish: str | None) -> str:
    """The name to play under: as wished, as configured, else the first word of the fingerprint."""
    name = wish or app.config.text("nickname") or identity.words[0].capitalize()
    return name[:MAX_NICKNAME].strip()


def _open_files(app: App) -> tuple[Identity, Store, Known]:
    """The node's identity and store, claimed for this process, and whom it knows.  Raises :class:`DokoError`."""
    identity = app.load_identity(create=True)
    store = app.open_store(exclusive=True)
    try:
        app.claim_identity(identity)
        return identity, store, read_known(store)
    except BaseException:
        app.release_identity()
        store.close()
        raise


@asynccontextmanager
async def open_node(
    app: App,
    *,
    listen: Listen | None,
    nickname: str | None = None,
    announce: tuple[Address, ...] = (),
    log: bool = True,
    watch: bool = True,
) -> AsyncIterator[Node]:
    """The node of *app*'s data directory, listening (unless *listen* is ``None``), for the time of the block.

    *log*: write its log from now on; a process with several nodes has the log of one.  *watch*: notice friends that
    other commands add or block in its store meanwhile.
    Raises :class:`DokoError`: the data directory or the identity is in use, the port is taken, the store is damaged.
    """
    if log:
        app.start_log()
    await trio.to_thread.run_sync(generators)  # loads libsodium and makes the fixed points: 60 ms, once
    if log:  # a node alone, which may ask for a passphrase at the terminal
        identity, store, known = _open_files(app)
    else:  # one among others, whom the disk must not hold up
        identity, store, known = await trio.to_thread.run_sync(_open_files, app)
    try:
        people = People(store, identity, known)
        me = node_me(identity, nickname_of(app, identity, nickname))
        configured = tuple(parse_address(text) for text in app.config.names("network.addresses"))
        async with (
            open_hub(me, standing=people.standing, invites=people.invites) as hub,
            background() as nursery,
        ):
            with open_lobby(hub, nursery, token_bytes) as lobby:
                node = Node(identity, store, hub, lobby, people, app.paths, announce or configured)
                if listen is not None:
                    await node.listen(listen)
                people.start(hub, nursery, node.addresses, watch=watch)
                try:
                    yield node
                finally:
                    people.stop()
    finally:
        app.release_identity()
        with trio.CancelScope(shield=True):
            await trio.to_thread.run_sync(store.close)
