"""Open tables, seats, and the way to four signatures: the trio shell round :mod:`protocol.table.gathering`.

Theory of operation::

    hub --lobby messages, links up and down--> Lobby --by table--> Seating (one Opener or Joiner core)
    hub <--Send, Dial, Announce---------------------------------------'        |
                                                                     settled() -> Seated, or DokoError in words

The opener only gathers: members dial each other with the addresses it passes on, and once four equal SEATED are in
nobody is host.  A finished seating stays until it is closed, because another node may still miss our last word.
"""

from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import trio

from node.errors import EXIT_PEER, DokoError
from node.i18n import _
from node.net.hub import Hub, Standing
from node.net.limits import Bucket
from node.net.link import Link, LinkLost
from node.refusals import told
from protocol.refusal import Refusal
from protocol.table import gathering
from protocol.table.announcement import Announcement, handed_on, read_announcement
from protocol.table.gathering import Gathering, GatheringView, Joiner, Opener, State
from protocol.table.roster import Setup
from protocol.wire import messages
from protocol.wire.address import Address, parse_address
from protocol.wire.connection import Incoming
from protocol.wire.messages import BotsSent, Message, SeatRefuse, SeatRequest, TableOpen, TermsSet

#: How long a joiner waits for the table's announcement after the link is up.
ANNOUNCED_S: Final = 15.0
MAX_TABLES: Final = 128
#: Tables that one peer may tell us of: nobody fills the list for all others.
MAX_TABLES_OF_ONE: Final = 32
#: Tables that a new link is told of at once.
TABLES_AT_ONCE: Final = 16
#: Announcements a second from one peer; more are not looked at.  Computers that play match after match at once tell
#: of some five changes of a table in two seconds.
TABLES_PER_S: Final = 8.0
TABLES_BURST: Final = 80.0
#: Of all strangers together, how many are handed on (a second, and at once): what they say reaches every link, and a
#: few dozen of them would fill what a friend takes from us.
STRANGE_PER_S: Final = 4.0
STRANGE_BURST: Final = 64.0


@dataclass(frozen=True, slots=True)
class Seated:
    """Four have agreed: what the match starts from, and where each seat said it can be reached (ours empty)."""

    setup: Setup
    addresses: tuple[tuple[Address, ...], ...]


class Seating:
    """Our seat at one table that is being gathered."""

    def __init__(self, lobby: "Lobby", core: Gathering, *, visible: Callable[[bytes], bool]) -> None:
        self._lobby = lobby
        self.core = core
        self._visible = visible
        self._members: tuple[messages.Member, ...] = ()
        self._setup: Setup | None = None
        self._failure: DokoError | None = None
        self._dialled: set[bytes] = set()
        self._seated: set[bytes] = set()
        self._closed = False
        self._changed = trio.Event()
        self._timer = trio.Event()

    @property
    def view(self) -> GatheringView:
        """The table as it stands."""
        return self.core.view

    @property
    def failure(self) -> DokoError | None:
        """Why there will be no match, if that is so."""
        return self._failure

    async def changed(self) -> None:
        """Wait for the next change."""
        await self._changed.wait()

    def confirm(self) -> None:
        """Our person agrees to the terms on the table.  Raises ``Refusal`` if there are none."""
        self._apply(self.core.confirm(trio.current_time()))

    def leave(self, text: str = "") -> None:
        """Give up the seat (the opener: close the table)."""
        self._apply(self.core.leave(text))

    def remove(self, identity: bytes, text: str = "") -> None:
        """Opener: take a seat away.  Raises ``Refusal``."""
        assert isinstance(self.core, Opener)
        self._apply(self.core.remove(identity, text))

    async def settled(self) -> Seated:
        """Wait until the four agree.  Raises :class:`DokoError` (peer) in words if they do not."""
        while self._setup is None:
            if self._failure is not None:
                raise self._failure
            await self._changed.wait()
        return Seated(self._setup, self._addresses(self._setup))

    def close(self) -> None:
        """Forget this table.  Links to its members stay, but are no longer kept up by it."""
        self._closed = True
        self._timer.set()
        self._lobby._seatings.pop(self.core.table, None)
        for identity in self._dialled:
            self._lobby.hub.release(identity, self)
        for identity in self._seated:
            self._lobby.hub.unseat(identity)
        self._dialled.clear()
        self._seated.clear()

    # -- the core's shell

    def _receive(self, link: Link, message: Message) -> None:
        if isinstance(message, TermsSet):
            self._members = message.members
        self._apply(self.core.receive(link.peer, message, trio.current_time()))

    def _link(self, identity: bytes, up: bool) -> None:
        self._apply(self.core.link(identity, up, trio.current_time()))

    async def _run(self) -> None:
        while self.core.state is not State.FAILED and not self._closed:
            self._timer = trio.Event()
            due = self.core.next_tick
            with trio.move_on_at(float("inf") if due is None else due):
                await self._timer.wait()
            if due is not None and trio.current_time() >= due:
                self._apply(self.core.tick(trio.current_time()))

    def _apply(self, effects: list[gathering.Effect]) -> None:
        hub = self._lobby.hub
        for effect in effects:
            match effect:
                case gathering.Send(to=to, message=message):
                    if isinstance(message, TermsSet):
                        self._members = message.members
                        for member in message.members:
                            self._sit(member.identity)
                    hub.post(to, messages.encode(message))
                case gathering.Dial(to=to, addresses=addresses):
                    self._sit(to)
                    self._dial(to, addresses)
                case gathering.Announce(message=message):
                    self._lobby._announce(message, self._visible)
                case gathering.Done(setup=setup):
                    self._setup = setup
                case gathering.Failed(text=text):
                    self._failure = DokoError(_("No match at this table: {why}.").format(why=told(text)), "", EXIT_PEER)
                case gathering.Ask() | gathering.Withdrawn():
                    pass  # in the view
        self._changed.set()
        self._changed = trio.Event()
        self._timer.set()

    def _sit(self, identity: bytes) -> None:
        if identity != self._lobby.hub.me.identity and identity not in self._seated:
            self._seated.add(identity)
            self._lobby.hub.seat(identity)

    def _dial(self, identity: bytes, addresses: tuple[str, ...]) -> None:
        known = self._lobby.known_address.get(identity)
        places = list(dict.fromkeys([*([known] if known else []), *map(parse_address, addresses)]))
        self._dialled.add(identity)
        self._lobby.hub.keep(identity, lambda: places, owner=self)

    def _addresses(self, setup: Setup) -> tuple[tuple[Address, ...], ...]:
        places = []
        for seat, player in enumerate(setup.roster.players):
            said = next((m.addresses for m in self._members if m.identity == player.identity), ())
            known = self._lobby.known_address.get(player.identity)
            both = dict.fromkeys([*([known] if known else []), *map(parse_address, said)])
            places.append(() if seat == setup.my_seat else tuple(both))
        return tuple(places)


class Lobby:
    """All tables this node knows of, and those it sits at.  Use as ``async with open_lobby(hub, ...)``."""

    numbers = range(40, 70)

    def __init__(self, hub: Hub, nursery: trio.Nursery, rand: Callable[[int], bytes]) -> None:
        self.hub = hub
        self._nursery = nursery
        self._rand = rand
        self._seatings: dict[bytes, Seating] = {}
        self._tables: dict[bytes, tuple[Announcement, TableOpen, bytes]] = {}  # by table: ..., whom we have it from
        self._buckets: dict[bytes, Bucket] = {}
        self._strange = Bucket(STRANGE_PER_S, STRANGE_BURST)
        self._changed = trio.Event()
        #: Addresses that this node itself reached somebody at (better than what is said about him).
        self.known_address: dict[bytes, Address] = {}

    # -- what the node asks for

    def open(
        self,
        terms: bytes,
        *,
        addresses: tuple[Address, ...] = (),
        seat: int = 0,
        bot: messages.BotSeat | None = None,
        my_bots: Container[bytes] = frozenset(),
        auto_confirm: bool = False,
        may_sit: Callable[[bytes], bool] = lambda identity: True,
    ) -> Seating:
        """Open a table with these terms and announce it to whoever *may_sit*.  Raises ``Refusal`` for bad terms."""
        core = Opener(
            self.hub.me,
            terms,
            self._rand,
            addresses=tuple(map(str, addresses)),
            may_sit=may_sit,
            seat=seat,
            bot=bot,
            my_bots=my_bots,
            auto_confirm=auto_confirm,
        )
        seating = self._begin(core, may_sit)
        self._announce(core.announcement(), may_sit)
        return seating

    def join(
        self,
        table: Announcement,
        *,
        addresses: tuple[Address, ...] = (),
        seat: int | None = None,
        bot: messages.BotSeat | None = None,
        my_bots: Container[bytes] = frozenset(),
        auto_confirm: bool = False,
    ) -> Seating:
        """Ask for a seat at *table*.  Raises ``Refusal`` if it is our own."""
        core = Joiner(
            self.hub.me,
            table,
            self._rand,
            addresses=tuple(map(str, addresses)),
            seat=seat,
            bot=bot,
            my_bots=my_bots,
            auto_confirm=auto_confirm,
        )
        seating = self._begin(core, lambda identity: False)
        seating._apply(core.start(trio.current_time()))
        return seating

    async def changed(self) -> None:
        """Wait until a table is announced anew."""
        await self._changed.wait()

    def tables(self) -> list[Announcement]:
        """The tables that are open, as announced."""
        return [announcement for announcement, _raw, _source in self._tables.values() if announcement.open]

    def announced(self, table: bytes) -> Announcement | None:
        """The newest word about *table*, open or not."""
        known = self._tables.get(table)
        return known[0] if known is not None else None

    async def table_of(
        self, opener: bytes, *, not_table: bytes | None = None, within: float = ANNOUNCED_S
    ) -> Announcement:
        """The open table of *opener*, another one than *not_table*.  Raises :class:`DokoError` if none is announced."""
        with trio.move_on_after(within):
            while True:
                for announcement in reversed(self.tables()):  # the newest: an older one may be gone without a word
                    if announcement.opener == opener and announcement.table != not_table:
                        return announcement
                await self._changed.wait()
        raise DokoError(
            _("That node has no open table."),
            _("Ask its owner to open one (doko table open), or whether it is already full."),
            EXIT_PEER,
        )

    # -- subscriber of the hub

    def link_up(self, link: Link) -> None:
        identity = link.peer.identity
        for seating in list(self._seatings.values()):
            core = seating.core
            if isinstance(core, Opener) and core.state is State.WAITING and seating._visible(identity):
                link.post(messages.encode(core.announcement()))
            seating._link(identity, True)
        for announcement, message, source in list(self._tables.values())[-TABLES_AT_ONCE:]:
            passed = handed_on(message)
            if announcement.open and passed is not None and identity not in (source, announcement.opener):
                link.post(messages.encode(passed))

    def show_to(self, identity: bytes) -> None:
        """Announce our open tables to one who may sit at them only now: a new friend, linked before he was one."""
        for seating in list(self._seatings.values()):
            core = seating.core
            if isinstance(core, Opener) and core.state is State.WAITING and seating._visible(identity):
                self.hub.post(identity, messages.encode(core.announcement()))

    def link_down(self, identity: bytes, why: LinkLost) -> None:
        self._buckets.pop(identity, None)
        for seating in list(self._seatings.values()):
            seating._link(identity, False)
        for table, (_announcement, _message, source) in list(self._tables.items()):
            if source == identity:
                del self._tables[table]

    async def message(self, link: Link, incoming: Incoming) -> None:
        message = incoming.message
        if isinstance(message, TableOpen):
            self._heard_of_table(link, message)
            return
        if isinstance(message, BotsSent):
            return  # about a table, but not to it: whoever asked for computers hears it
        seating = self._seatings.get(getattr(message, "table", b""))
        if seating is None:  # a table we have left, or never sat at
            if isinstance(message, SeatRequest):
                gone = SeatRefuse(table=message.table, reason="closed", text="this table is closed")
                link.post(messages.encode(gone))
            return
        try:
            seating._receive(link, message)
        except Refusal as refusal:
            link.close("refused", refusal.detail)

    # -- announcements

    def _heard_of_table(self, link: Link, message: TableOpen) -> None:
        source = link.peer.identity
        bucket = self._buckets.setdefault(source, Bucket(TABLES_PER_S, TABLES_BURST))
        if not bucket.allow(1, trio.current_time()):
            return
        try:
            announcement = read_announcement(message.announcement, message.signature)
        except Refusal as refusal:
            link.close("refused", refusal.detail)
            return
        if announcement.opener == self.hub.me.identity:
            return
        known = self._tables.get(announcement.table)
        if known is not None and (known[0].opener != announcement.opener or known[0].revision >= announcement.revision):
            return
        if known is None and not self._room_for_table(source):
            return
        # Closed ones are kept too: an older word about them may come late.
        self._tables[announcement.table] = (announcement, message, source)
        passed = handed_on(message)
        if passed is not None and announcement.read_terms().access == "anyone" and self._may_hand_on(source):
            raw = messages.encode(passed)
            for other in self.hub.links():
                if other.peer.identity not in (source, announcement.opener):
                    other.post(raw)
        self._changed.set()
        self._changed = trio.Event()

    def _may_hand_on(self, source: bytes) -> bool:
        return self.hub.standing(source) is not Standing.STRANGER or self._strange.allow(1, trio.current_time())

    def _room_for_table(self, source: bytes) -> bool:
        """Whether one more table that *source* tells of can be kept; one that is closed gives way to it."""
        crowded = [table for table, (_old, _message, teller) in self._tables.items() if teller == source]
        if len(crowded) < MAX_TABLES_OF_ONE:
            if len(self._tables) < MAX_TABLES:
                return True
            crowded = list(self._tables)
        closed = next((table for table in crowded if not self._tables[table][0].open), None)
        if closed is None:
            return False
        del self._tables[closed]
        return True

    def _announce(self, message: TableOpen, visible: Callable[[bytes], bool]) -> None:
        raw = messages.encode(message)
        for link in self.hub.links():
            if visible(link.peer.identity):
                link.post(raw)

    def _begin(self, core: Gathering, visible: Callable[[bytes], bool]) -> Seating:
        seating = Seating(self, core, visible=visible)
        self._seatings[core.table] = seating
        for link in self.hub.links():
            core.link(link.peer.identity, True, trio.current_time())
        self._nursery.start_soon(seating._run)
        return seating


@contextmanager
def open_lobby(hub: Hub, nursery: trio.Nursery, rand: Callable[[int], bytes]) -> Iterator[Lobby]:
    """A lobby on *hub* for the time of the block; *rand(n)* gives n fresh random bytes."""
    lobby = Lobby(hub, nursery, rand)
    hub.subscribe(lobby)
    try:
        yield lobby
    finally:
        hub.unsubscribe(lobby)
        for seating in list(lobby._seatings.values()):
            seating.close()
