"""The node of a person: lobby, tables, matches, friends and books behind a desk (:class:`node.view.Desk`).

Theory of operation::

    hub, lobby, people, seating, session --"something has changed"--> one event --> View --> desk.show
    desk.command --> one method a command; what takes longer (dialling, the store) runs as a task of its own

One thing at a time: in the lobby, at a table before the match, or in a match.  Whatever goes wrong in a task becomes a
notice in words and never ends the node; leaving the program leaves a match open in the store.
"""

import json
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from secrets import token_bytes
from typing import Any, Final

import trio

from node import __version__, logs
from node.auto import resume as resume_computer
from node.cli.app import App
from node.company import Company
from node.contacts import words_of
from node.errors import DokoError
from node.history import history_view, played
from node.i18n import _, ngettext
from node.ledger import ledger_view
from node.lobby import Seating
from node.net.address import parse_dial
from node.net.dialer import DialFailed
from node.net.hub import Standing
from node.net.link import How
from node.plan import Plan, unpack_plan
from node.practice import is_practice
from node.ratings import Ratings, apart, nearest_level, ratings_of
from node.refusals import refusal_text, told
from node.runtime import Node
from node.session import Left, Said, Session
from node.tableview import Around, table_view, terms_view
from node.tasks import background
from node.view import (
    Absence,
    AddFriend,
    AskHint,
    Bid,
    BlockFriend,
    ChatLine,
    ChooseAbsence,
    Command,
    DealAnew,
    Desk,
    Export,
    FillWithBots,
    FriendView,
    GoOn,
    HistoryView,
    HouseView,
    InviteFriend,
    JoinTable,
    Leave,
    LedgerView,
    LinkState,
    LinkView,
    LobbyView,
    LookHistory,
    LookLedger,
    MakeCall,
    MakeInvite,
    MuteChat,
    NameGame,
    Notice,
    OpenMatch,
    OpenNewTable,
    OpenTable,
    Pause,
    PlayCard,
    PlayerView,
    Quit,
    Ready,
    Rematch,
    RemoveFriend,
    RenameFriend,
    ResumeMatch,
    Say,
    SeatingView,
    SeenTrick,
    Stage,
    TableView,
    TermsView,
    Tone,
    View,
    VoidHand,
    WishDwell,
)
from protocol.refusal import Refusal
from protocol.rules.view import HandView
from protocol.table import effects
from protocol.table.announcement import Announcement
from protocol.table.end_phase import ClosedHand
from protocol.table.gathering import GatheringView, Opener, State
from protocol.table.terms import fresh, make_terms
from protocol.table.view import CoreView
from protocol.table.view import Stage as CoreStage
from protocol.wire import messages
from protocol.wire.connection import Incoming
from protocol.wire.link import SCHEME, read_link

log = logs.get("home")

#: Notices and chat lines that a view carries.
NOTICES: Final = 6
CHAT_LINES: Final = 60
#: How long a friend's computers are taken to be on their way (seconds).
PROMISED_S: Final = 30.0
#: Least time between two views (seconds): what changes together is shown together.
COALESCE_S: Final = 0.02
#: After a hand of practice: of how many moves something is said.
LOOKED_BACK: Final = 3


class Home:
    """One person's node.  :meth:`run` returns when the person leaves."""

    numbers = range(48, 52)  # REMATCH, HOUSE, BOTS_SENT; everything else has its own subscriber

    def __init__(self, app: App, desk: Desk, node: Node, *, local: bool = False) -> None:
        """*local*: nobody else is expected, computers listen on this machine alone."""
        self._app = app
        self._desk = desk
        self._node = node
        self._people = node.people
        self._local = local
        self._dirty = trio.Event()
        self._notices: list[Notice] = []
        self._serial = 0
        self._seating: Seating | None = None
        self._invited: set[bytes] = set()
        self._promised: set[bytes] = set()  # computers that friends' hosts send to our table
        self._houses: dict[bytes, messages.House] = {}  # by identity: friends' hosts of computers
        self._asked_houses: dict[bytes, bytes] = {}  # by identity: the table we asked them to
        self._session: Session | None = None
        self._around: Around | None = None
        self._left_core: CoreView | None = None
        self._muted_wish: bool | None = None  # what the person has switched, for this hand
        self._held_chat: list[ChatLine] = []
        self._dwell = float(app.config.number("console.dwell"))
        self._stage: CoreStage | None = None
        self._auto_ready = False
        self._ledger: LedgerView | None = None
        self._history: HistoryView | None = None
        self._open_matches: tuple[OpenMatch, ...] = ()
        self._invite: tuple[str, float] = ("", 0.0)
        self._asked_tables: dict[bytes, bytes] = {}  # by match: the table we were asked to afterwards
        self._rematch_of: bytes | None = None  # the match after which we want another one
        self._opened_terms: bytes | None = None  # the terms of the table we opened last
        self._words: dict[bytes, str] = {}
        self._ratings = Ratings()
        self._nursery: trio.Nursery
        self._company: Company

    # --- life -------------------------------------------------------------------------------------------------

    async def run(self, first: Sequence[Command] = (), *, auto_ready: bool = False, pace: float | None = None) -> None:
        """Serve the desk until :class:`Quit`; *first*: commands as if the person had given them at once.

        *auto_ready*: the first table's terms are agreed to without asking (they were given on the command line).
        """
        self._auto_ready = auto_ready
        async with trio.open_nursery() as nursery:
            self._nursery = nursery
            arguments: dict[str, Any] = {} if pace is None else {"pace": pace}
            self._company = Company(
                self._node.paths,
                nursery,
                lambda text: self.tell(text, Tone.WARN),
                host=self._node.identity.key,
                **arguments,
            )
            self._node.hub.subscribe(self)
            try:
                self._people.stay_connected()
                await self._read_open_matches()
                for source in (self._node.hub.changed, self._node.lobby.changed, self._people.changed):
                    nursery.start_soon(self._follow, source)
                nursery.start_soon(self._show_to_friends)
                nursery.start_soon(self._show)
                for command in first:
                    self._do(command)
                while True:
                    command = await self._desk.command()
                    if isinstance(command, Quit):
                        break
                    self._do(command)
            finally:
                self._node.hub.unsubscribe(self)
                await self._company.dismiss_all()
            nursery.cancel_scope.cancel()

    @property
    def in_match(self) -> bool:
        """Whether a match is on that has not come to its end."""
        return self._session is not None and self._session.view.stage not in (CoreStage.SETTLED, CoreStage.STOPPED)

    async def _follow(self, source: Callable[[], Awaitable[None]]) -> None:
        while True:
            await source()
            self.change()

    async def _show_to_friends(self) -> None:
        """Who becomes a friend while linked (by an invitation, say) learns of our open table."""
        known = set(self._names())
        while True:
            await self._people.changed()
            now = set(self._names())
            for key in now - known:
                self._node.lobby.show_to(key)
            known = now

    def change(self) -> None:
        """Something that the view shows has changed."""
        self._dirty.set()

    async def _show(self) -> None:
        while True:
            self._dirty = trio.Event()
            self._desk.show(self.view())
            await self._dirty.wait()
            await trio.sleep(COALESCE_S)

    def tell(self, text: str, tone: Tone = Tone.INFO) -> None:
        """Say something to the person once."""
        self._serial += 1
        self._notices = [*self._notices[1 - NOTICES :], Notice(self._serial, text, tone)]
        self.change()

    def _start(self, task: Callable[..., Awaitable[None]], *arguments: Any) -> None:
        self._nursery.start_soon(self._guard, task, arguments)

    async def _guard(self, task: Callable[..., Awaitable[None]], arguments: tuple[Any, ...]) -> None:
        """Run a task; what it raises in words becomes a notice."""
        try:
            await task(*arguments)
        except DokoError as error:
            self.tell(" ".join(part for part in (error.message, error.hint) if part), Tone.ERROR)
        except Refusal as refusal:
            self.tell(refusal_text(refusal), Tone.ERROR)

    # --- the view ---------------------------------------------------------------------------------------------

    def view(self) -> View:
        """Everything the person may see now."""
        me = self._node.hub.me
        person = PlayerView(me.nickname, me.identity.hex(), self._word(me.identity), LinkView(LinkState.SELF))
        return View(
            person,
            self._lobby_view(),
            self._table_view(),
            self._ledger,
            self._history,
            tuple(self._notices),
            __version__,
        )

    def _word(self, key: bytes) -> str:
        if key not in self._words:
            self._words[key] = words_of(key)
        return self._words[key]

    def _link(self, key: bytes) -> LinkView:
        state = self._node.hub.state(key)
        if state is None:
            return LinkView(LinkState.LOST, reasons=self._node.hub.trouble(key))
        if state.how is How.DIRECT:
            return LinkView(LinkState.DIRECT)
        if state.how is How.VIA:
            return LinkView(LinkState.VIA, state.via)
        return LinkView(LinkState.LOST, reasons=self._node.hub.trouble(key))

    def _names(self) -> dict[bytes, str]:
        return {contact.key: contact.nickname for contact in self._people.friends}

    def _lobby_view(self) -> LobbyView:
        friends = tuple(
            FriendView(
                contact.nickname,
                contact.key.hex(),
                self._word(contact.key),
                self._link(contact.key),
                contact.blocked,
                rating=None if (rated := self._ratings.of(contact.key)) is None else round(rated.place, 1),
                matches=0 if rated is None else rated.matches,
                addresses=contact.addresses,
            )
            for contact in self._people.friends
        )
        link, expires = self._invite
        return LobbyView(
            tables=tuple(map(self._open_table, self._node.lobby.tables())),
            friends=friends,
            seating=self._seating_view(),
            open_matches=self._open_matches,
            addresses=tuple(map(str, self._node.addresses()[:3])),
            invite=link,
            invite_expires=expires,
            reach=self._node.reach,
            houses=tuple(
                HouseView(self._names().get(key, key.hex()[:8]), key.hex(), house.levels, house.free)
                for key, house in self._houses.items()
                if self._people.standing(key) is Standing.CONTACT
            ),
        )

    def _open_table(self, table: Announcement) -> OpenTable:
        names = self._names()
        terms = table.read_terms()
        opener_name = names.get(table.opener) or next((name for name in table.seats if name), table.opener.hex()[:8])
        players = tuple(
            PlayerView(name, bot="" if bot else None)
            for name, bot in zip(table.seats, table.bots, strict=True)
            if name is not None
        )
        free = table.seats.count(None)
        return OpenTable(
            table.table.hex(),
            PlayerView(opener_name, table.opener.hex(), self._word(table.opener), self._link(table.opener)),
            terms_view(terms),
            players,
            free,
            free > 0,
            "" if free else _("All seats are taken."),
        )

    def _seating_view(self) -> SeatingView | None:
        seating = self._seating
        if seating is None:
            return None
        view = seating.view
        names = self._names()
        called = {seat.identity: seat.nickname for seat in view.seats if seat is not None} | names
        players: list[PlayerView | None] = []
        if not isinstance(seating.core, Opener) and not any(view.seats):
            return self._guest_view(view)
        for seat in view.seats:
            if seat is None:
                players.append(None)
                continue
            mine = seat.identity == self._node.hub.me.identity
            link = LinkView(LinkState.SELF) if mine else self._link(seat.identity)
            level = (self._company.level_of(seat.identity) or "") if seat.bot else None
            host = None
            bot = view.terms.bot_at(len(players))
            if bot is not None:
                level = bot.policy
                host = self._host_name(bot.host, seat.identity, called)
            name = names.get(seat.identity) or seat.nickname
            players.append(
                PlayerView(name, seat.identity.hex(), self._word(seat.identity), link, level, host, ready=seat.ready)
            )
        return SeatingView(
            view.table.hex(),
            terms_view(view.terms),
            tuple(players),
            view.my_seat if view.my_seat is not None else 0,
            isinstance(seating.core, Opener),
            view.state is State.CONFIRMING,
            self._coming(view) if isinstance(seating.core, Opener) else 0,
            self._invite[0],
        )

    def _guest_view(self, view: GatheringView) -> SeatingView:
        """Before the terms are on the table a guest knows by name who sits there, as the opener announces it."""
        me = self._node.hub.me
        table = self._node.lobby.announced(view.table)
        players: list[PlayerView | None] = [None] * 4
        if table is not None:
            link = self._node.hub.link(table.opener)
            opener = link.peer.nickname if link is not None else ""
            for seat, (name, bot) in enumerate(zip(table.seats, table.bots, strict=True)):
                if name is not None and name == opener:
                    shown = self._names().get(table.opener, name)
                    players[seat] = PlayerView(shown, table.opener.hex(), link=self._link(table.opener))
                elif name is not None:
                    players[seat] = PlayerView(name, bot="" if bot else None)
        seat = players.index(None) if None in players else 0  # asked for, not yet given
        if view.my_seat is not None:
            seat = view.my_seat
            players[seat] = PlayerView(me.nickname, me.identity.hex(), self._word(me.identity))
        return SeatingView(view.table.hex(), terms_view(view.terms), tuple(players), seat, invite=self._invite[0])

    def _coming(self, view: GatheringView) -> int:
        """Computers on their way to our table: of ours, and of friends' hosts who have said so."""
        here = {seat.identity for seat in view.seats if seat is not None}
        return min(len((self._company.keys | self._promised) - here), view.seats.count(None))

    def _host_name(self, host: bytes, own: bytes, names: dict[bytes, str]) -> str | None:
        """Who runs a computer, if it is not a node of its own."""
        if host == own:
            return None
        return self._node.hub.me.nickname if host == self._node.hub.me.identity else names.get(host, host.hex()[:8])

    def _table_view(self) -> TableView | None:
        around = self._around
        if around is None or self._session is None:
            return None
        core = self._left_core or self._session.view
        self._stage = core.stage
        around.muted = self._muted(core)
        around.dwell = self._session.dwell
        if not around.muted and self._held_chat:
            around.chat = [*around.chat, *self._held_chat][-CHAT_LINES:]
            self._held_chat = []
        written = self._session.path is not None and self._session.signatures == sum(core.signed)
        around.path = str(self._session.path) if written else ""
        if core.absence is None or not core.absence.gone:
            around.waited = ()
        return table_view(core, around, trio.current_time())

    def _muted(self, core: CoreView) -> bool:
        """Chat is off while a hand is open, unless the person wants it."""
        if core.stage is not CoreStage.HAND:
            self._muted_wish = None
            return False
        return True if self._muted_wish is None else self._muted_wish

    # --- commands ---------------------------------------------------------------------------------------------

    def _do(self, command: Command) -> None:
        """Do one command; what is not possible is said in words."""
        try:
            self._dispatch(command)
        except DokoError as error:
            self.tell(" ".join(part for part in (error.message, error.hint) if part), Tone.ERROR)
        except Refusal as refusal:
            self.tell(refusal_text(refusal), Tone.ERROR)
        self.change()

    def _dispatch(self, command: Command) -> None:
        match command:
            case Bid() | NameGame() | PlayCard() | MakeCall() | VoidHand() | GoOn() | DealAnew() | Pause():
                self._act(command)
            case AskHint():
                self._hint()
            case WishDwell(seconds=seconds):
                self._wish_dwell(seconds)
            case SeenTrick():
                if self._session is not None:
                    self._session.saw_trick()
            case ChooseAbsence(choice=choice):
                self._absence(choice)
            case Say(text=text):
                self._say(text)
            case MuteChat(muted=muted):
                self._muted_wish = muted
            case OpenNewTable(terms=terms, bots=bots):
                self._open(terms, bots)
            case JoinTable(id=table, where=where):
                self._join(table, where)
            case FillWithBots(level=level, count=count, host=""):
                self._fill(level, count)
            case FillWithBots(level=level, count=count, host=host):
                self._ask_house(bytes.fromhex(host), level, count)
            case Ready():
                if self._seating is not None:
                    self._seating.confirm()
            case Leave():
                self._leave()
            case Rematch():
                self._rematch()
            case ResumeMatch(id=match):
                self._start(self._resume, match)
            case MakeInvite():
                self._start(self._make_invite)
            case AddFriend(link=link):
                self._start(self._add_friend, link)
            case RenameFriend(key=key, name=name):
                self._start(self._people.rename, bytes.fromhex(key), name)
            case BlockFriend(key=key, blocked=blocked):
                self._start(self._people.block, bytes.fromhex(key), blocked)
            case RemoveFriend(key=key):
                self._start(self._people.remove, bytes.fromhex(key))
            case InviteFriend(key=key):
                self._invite_friend(bytes.fromhex(key))
            case LookLedger():
                self._start(self._look_ledger)
            case LookHistory():
                self._start(self._look_history)
            case Export():
                self._start(self._export, command)
            case Quit():
                pass

    # --- at the table -----------------------------------------------------------------------------------------

    def _act(self, command: Command) -> None:
        if self._session is None or self._left_core is not None:
            return
        match command:
            case Bid(reserve=reserve):
                self._session.act(effects.Bid(reserve))
            case NameGame(contract=contract):
                self._session.act(effects.NameGame(contract))
            case PlayCard(card=card):
                self._session.act(effects.PlayCard(card))
            case MakeCall(kind=kind):
                self._session.act(effects.MakeCall(kind))
            case VoidHand():
                self._session.act(effects.VoidHand())
                self.tell(_("You agree that this hand is void. It is as soon as all four do; until then play on."))
            case DealAnew():
                self._session.act(effects.DealAnew())
            case Pause(on=on):
                self._session.act(effects.Pause(on))
            case GoOn():
                self._session.act(effects.GoOn())

    def _hint(self) -> None:
        """What ``strong`` would do, against computers alone."""
        around, session = self._around, self._session
        if around is None or session is None or self._left_core is not None:
            return
        view = session.view
        if not around.practice:
            self.tell(_("Hints are for practice: at a table at which all others are computers."), Tone.WARN)
        elif view.hand is None or view.question is None or not view.hand.legal:
            self.tell(_("It is not your turn."), Tone.WARN)
        else:
            self._start(self._think_of_hint, view.hand)

    async def _think_of_hint(self, seen: HandView) -> None:
        from node.bots import hint

        found = await trio.to_thread.run_sync(hint.hint, seen, abandon_on_cancel=True)
        self.tell(hint.words(found))

    async def _look_back(self, closed: ClosedHand, position: int) -> None:
        """In practice, after a hand: where ``strong`` would have done otherwise, the dearest first."""
        from node.bots import hint

        missed = await trio.to_thread.run_sync(lambda: list(hint.review(closed, position)), abandon_on_cancel=True)
        for one in sorted(missed, key=lambda one: -one.cost)[:LOOKED_BACK]:
            self.tell(hint.missed_words(one))

    def _wish_dwell(self, seconds: float) -> None:
        self._dwell = seconds
        if self._session is not None:
            self._session.wish_dwell(seconds)

    def _absence(self, choice: Absence) -> None:
        if self._session is None or self._around is None:
            return
        absence = self._session.view.absence
        if choice is Absence.WAIT and absence is not None:
            self._around.waited = absence.gone
        elif choice is Absence.ADJOURN:
            self._leave()

    def _say(self, text: str) -> None:
        if self._session is None or self._around is None or not text.strip():
            return
        clean = "".join(c for c in text if c.isprintable())[:200]
        self._session.say(clean)
        self._hear(self._session.view.me, clean)

    def _hear(self, seat: int, text: str) -> None:
        around = self._around
        if around is None or self._session is None:
            return
        self._serial += 1
        player = around.setup.roster.players[seat]
        line = ChatLine(self._serial, around.names.get(player.identity) or player.nickname, text, seat)
        if around.muted and seat != self._session.view.me:
            self._held_chat = [*self._held_chat, line][-CHAT_LINES:]
        else:
            around.chat = [*around.chat, line][-CHAT_LINES:]
        self.change()

    def _heard(self, event: effects.Event | Said | Left) -> None:
        """The session tells."""
        if isinstance(event, Said):
            self._hear(event.seat, event.text)
        elif isinstance(event, Left) and self._around is not None:
            name = self._around.setup.roster.players[event.seat].nickname
            text = _("{name} has left this match. It is kept, and goes on when all four have taken it up again.")
            self.tell(text.format(name=name), Tone.WARN)
        elif isinstance(event, effects.Gone) and self._around is not None:
            self._around.absences += 1
        elif isinstance(event, effects.HandClosed) and self._around is not None and self._around.practice:
            session = self._session
            closed = next((c for c in session.view.finished if c.deal == event.deal), None) if session else None
            if session is not None and closed is not None:
                self._start(self._look_back, closed, (session.view.me - closed.forehand) % 4)
        elif isinstance(event, effects.DealAgain):
            if event.seat is None and self._session is not None and self._session.view.hand is not None:
                return  # the next deal, made in the background: nobody is to blame, nobody waits
            self.tell(
                _("The deal is made anew: {why}").format(why=told(event.reason)),
                Tone.INFO if event.seat is None else Tone.WARN,
            )
        elif isinstance(event, effects.KeysLost):
            self.tell(
                _("This node has lost its keys for this hand and cannot play on; all four can agree that it is void."),
                Tone.ERROR,
            )
        elif isinstance(event, effects.Refused) and self._around is not None:
            name = self._around.setup.roster.players[event.seat].nickname
            self.tell(
                _("An act of {name} was refused: {why}").format(name=name, why=told(event.detail, event.code)),
                Tone.ERROR,
            )

    # --- tables before the match ------------------------------------------------------------------------------

    def _busy(self) -> bool:
        if self._seating is not None or (self._session is not None and self._left_core is None):
            self.tell(_("You sit at a table already."), Tone.WARN)
            return True
        return False

    def _open(self, terms: TermsView, bots: Sequence[str]) -> None:
        if self._busy():
            return
        raw = make_terms(
            table=token_bytes(16),
            mode=terms.mode,
            stake=terms.stake,
            limit=terms.limit,
            fee=terms.fee,
            kitty=terms.kitty or "kitty",
            currency=terms.currency,
            profile=terms.profile,
            special_points=terms.special_points,
            access=terms.seats,
            strength=terms.strength or None,
            decision=terms.clock,
            reserve=terms.reserve,
            grace=terms.grace,
            one_gone=str(terms.one_gone),
            expires=terms.expires_days,
        )
        self._invited = set()
        self._sit_opener(raw, terms.seats)
        for level in bots[:2] if terms.mode == "duel" else bots:
            self._fill(level, 1)
        if terms.mode == "duel" and len(bots) == 3:  # a duel at once: the third plays as the other person
            listen = "127.0.0.1:0" if self._local else ":0"
            self._company.hire(bots[2], set(), self._own_address(), listen, person=True)

    def _sit_opener(self, raw: bytes, access: str) -> None:
        def may_sit(key: bytes) -> bool:
            if key in self._company or key in self._invited:
                return True
            if self._people.standing(key) is Standing.BLOCKED:
                return False
            return access == "anyone" or (access == "friends" and self._people.standing(key) is Standing.CONTACT)

        self._opened_terms = raw
        self._promised = set()
        seating = self._node.lobby.open(raw, addresses=self._node.addresses(), may_sit=may_sit, my_bots=self._company)
        self._sit(seating)

    def _sit(self, seating: Seating) -> None:
        self._clear_table()
        self._seating = seating
        self._start(self._at_table, seating)

    async def _at_table(self, seating: Seating) -> None:
        """From sitting down to the end of the match."""
        async with background() as nursery:
            nursery.start_soon(self._follow_seating, seating)
            try:
                seated = await seating.settled()
                plan = Plan(seated.setup, seated.addresses, self._node.listening, None)
                await trio.to_thread.run_sync(self._node.remember, plan)
            except DokoError:
                seating.close()
                if self._seating is not seating:
                    return  # we left ourselves
                raise
            finally:
                if self._seating is seating:
                    self._seating = None
                self.change()
        try:
            await self._match(plan, resumed=False)
        finally:
            seating.close()

    async def _follow_seating(self, seating: Seating) -> None:
        while True:
            if self._auto_ready and seating.view.state is State.CONFIRMING and not seating.view.confirmed:
                self._auto_ready = False
                seating.confirm()
            await seating.changed()
            self.change()

    def _fill(self, level: str, count: int | None) -> None:
        seating = self._seating
        if seating is None or not isinstance(seating.core, Opener):
            self.tell(_("Only who opened the table can ask computers."), Tone.WARN)
            return
        view = seating.view
        free = self._free_for_computers(view)
        wanted = free if count is None else min(count, free)
        taken = {seat.nickname for seat in view.seats if seat is not None}
        where = self._own_address()
        for _number in range(wanted):
            listen = "127.0.0.1:0" if self._local else ":0"
            computer = self._company.hire(level, taken, where, listen)
            taken.add(computer.name)

    def _free_for_computers(self, view: GatheringView) -> int:
        """Seats at our table that no computer of ours is on its way to."""
        here = {seat.identity for seat in view.seats if seat is not None}
        coming = len(self._company.keys - here)
        free = sum(seat is None for seat in view.seats) - coming
        if view.terms.mode == "duel":
            free = min(free, 2 - sum(seat is not None and seat.bot for seat in view.seats) - coming)
        return max(0, free)

    def _ask_house(self, host: bytes, level: str, count: int | None) -> None:
        """Ask a friend's host for computers; the answer says who will come."""
        seating = self._seating
        if seating is None or not isinstance(seating.core, Opener):
            self.tell(_("Only who opened the table can ask computers."), Tone.WARN)
            return
        view = seating.view
        free = self._free_for_computers(view)
        wanted = free if count is None else min(count, free)
        if wanted < 1:
            self.tell(_("There is no free seat for a computer."), Tone.WARN)
            return
        opening = seating.core.announcement()
        asking = messages.BotsWanted(
            announcement=opening.announcement, signature=opening.signature, level=level, count=wanted
        )
        name = self._names().get(host, host.hex()[:8])
        if self._node.hub.post(host, messages.encode(asking)):
            self._asked_houses[host] = view.table
            self.tell(_("{name} is asked for computers.").format(name=name))
        else:
            self.tell(_("{name} is not connected just now.").format(name=name), Tone.WARN)

    def _house_answers(self, host: bytes, answer: messages.BotsSent) -> None:
        from node.bots.house import REASONS

        if self._asked_houses.pop(host, None) != answer.table or self._seating is None:
            return
        self._invited |= set(answer.bots)
        self._promised |= set(answer.bots)
        self._start(self._expect, set(answer.bots))
        name = self._names().get(host, host.hex()[:8])
        if answer.bots:
            text = ngettext("{name} sends {n} computer.", "{name} sends {n} computers.", len(answer.bots))
            self.tell(text.format(name=name, n=len(answer.bots)), Tone.GOOD)
        else:
            why = _(REASONS[answer.reason]) if answer.reason in REASONS else answer.text
            self.tell(_("{name} sends no computers: {why}.").format(name=name, why=why), Tone.WARN)

    async def _expect(self, bots: set[bytes]) -> None:
        """What a host has promised and not kept is forgotten after a while."""
        await trio.sleep(PROMISED_S)
        self._promised -= bots
        self.change()

    def _own_address(self) -> str:
        """Where a process on this machine reaches us."""
        port = self._node.hub.listening[0].port
        hosts = {where.host for where in self._node.hub.listening}
        host = sorted(hosts)[0]
        for every, local in (("0.0.0.0", "127.0.0.1"), ("::", "::1"), ("127.0.0.1", "127.0.0.1")):  # noqa: S104
            if every in hosts:
                host = local
                break
        return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

    def _join(self, table: str, where: str) -> None:
        if self._busy():
            return
        if where:
            self._start(self._join_at, where)
            return
        found = next((one for one in self._node.lobby.tables() if one.table.hex() == table), None)
        if found is None:
            self.tell(_("This table is no longer open."), Tone.WARN)
            return
        self._sit_joiner(found)

    def _sit_joiner(self, found: Announcement) -> None:
        wanted = found.read_terms().strength
        mine = self._ratings.of(self._node.hub.me.identity)
        if wanted is not None and mine is not None and apart(mine, wanted):
            text = _("This table wants players like {wanted}; by your own matches you play like {level}.")
            self.tell(text.format(wanted=wanted, level=nearest_level(mine.place)), Tone.WARN)
        link = self._node.hub.link(found.opener)
        self._opened_terms = None
        self._sit(self._node.lobby.join(found, addresses=self._node.addresses(link)))

    async def _join_at(self, where: str) -> None:
        """Join the table of the node at an address, or of the friend a link names."""
        if where.strip().lower().startswith(SCHEME):
            name = await self._people.redeem(where)
            self.tell(_("{name} is your friend now.").format(name=name), Tone.GOOD)
            opener = read_link(where).identity
        else:
            address = parse_dial(where)
            try:
                link = await self._node.hub.connect(address)
            except DialFailed as failed:
                raise DokoError(
                    _("The table cannot be reached: {why}.").format(why=failed),
                    _("Check the address, that the other node runs, and that its port is open."),
                ) from None
            opener = link.peer.identity
            self._node.lobby.known_address[opener] = address
        found = await self._node.lobby.table_of(opener)
        if not self._busy():
            self._sit_joiner(found)

    def _leave(self) -> None:
        if self._seating is not None:
            seating, self._seating = self._seating, None
            seating.leave()
            seating.close()
        elif self._session is not None:
            self._session.stop()
            self._clear_table()
            self._start(self._read_open_matches)

    def _clear_table(self) -> None:
        self._session = None
        self._around = None
        self._left_core = None
        self._held_chat = []
        self._rematch_of = None

    def _invite_friend(self, key: bytes) -> None:
        seating = self._seating
        if seating is None or not isinstance(seating.core, Opener):
            self.tell(_("Only who opened the table can invite."), Tone.WARN)
            return
        self._invited.add(key)
        opening = seating.core.announcement()
        invitation = messages.Invite(announcement=opening.announcement, signature=opening.signature, text="")
        sent = self._node.hub.post(key, messages.encode(invitation)) and self._node.hub.post(
            key, messages.encode(opening)
        )
        name = self._names().get(key, key.hex()[:8])
        if sent:
            self.tell(_("{name} is invited.").format(name=name), Tone.GOOD)
        else:
            self.tell(_("{name} is not connected just now.").format(name=name), Tone.WARN)

    # --- matches ----------------------------------------------------------------------------------------------

    async def _match(self, plan: Plan, *, resumed: bool) -> None:
        """Play the match of *plan* to its end; it stays on the screen until the person leaves it."""
        stored = await trio.to_thread.run_sync(self._node.store.load, plan.match) if resumed else None
        around = Around(plan.setup, self._names(), self._word, self._link)
        if resumed:
            self._company.recall(plan)
        around.practice = is_practice(plan.setup, self._company)
        if around.practice:
            self.tell(_("Practice: all others are computers. No money is booked, and strong gives hints."))
        async with background() as nursery:

            def started(session: Session) -> None:
                self._clear_table()
                self._session, self._around = session, around
                session.wish_dwell(self._dwell)
                nursery.start_soon(self._follow, session.changed)
                self.change()

            try:
                await self._node.play(
                    plan,
                    stored=stored,
                    player=None,
                    watch=[self._heard],
                    practice=around.practice,
                    started=started,
                )
            except DokoError as error:
                around.stop, around.evidence = error.message, error.hint
                log.warning("match stopped", why=error.message)
            finally:
                if self._session is not None and self._around is around:
                    self._left_core = self._session.view
                self.change()
        await self._read_open_matches()

    async def _resume(self, match: str) -> None:
        if self._busy():
            return
        row = await trio.to_thread.run_sync(self._node.store.match, bytes.fromhex(match))
        if row is None or row.state != "open":
            self.tell(_("There is no open match of that name."), Tone.WARN)
            return
        plan = unpack_plan(row.setup)
        if plan.level is not None:
            await resume_computer(self._node, plan, 0.0, lambda line: None)
        else:
            await self._match(plan, resumed=True)

    async def _read_open_matches(self) -> None:
        self._ratings = await trio.to_thread.run_sync(ratings_of, self._node.store)
        rows = await trio.to_thread.run_sync(self._node.store.matches, "open")
        found = []
        names = self._names()
        for row in rows:
            try:
                plan = unpack_plan(row.setup)
            except DokoError:
                continue
            if plan.level is not None:
                continue
            others = tuple(
                names.get(player.identity) or player.nickname
                for seat, player in enumerate(plan.setup.roster.players)
                if seat != row.seat
            )
            hands = await trio.to_thread.run_sync(self._node.store.hands, row.match)
            found.append(OpenMatch(row.match.hex(), others, plan.setup.terms.mode, len(hands), row.begun))
        self._open_matches = tuple(found)
        self.change()

    def _rematch(self) -> None:
        """Another match: who opened the table opens the next one and asks the others to it."""
        session = self._session
        if session is None or self._around is None or session.view.stage is not CoreStage.SETTLED:
            self.tell(_("The match is not over."), Tone.WARN)
            return
        plan = session.plan
        me = session.view.me
        self._around.rematch = tuple(vote or seat == me for seat, vote in enumerate(self._around.rematch))
        self._rematch_of = plan.match
        if self._opened_terms is None:
            waiting = self._rematch_table(plan)
            if waiting is not None:
                self._sit_next(waiting)
            else:
                self.tell(_("You would like another match; who opened this table is waited for."))
            return
        raw = fresh(self._opened_terms, token_bytes(16))
        players = plan.setup.roster.players
        session.stop()
        self._clear_table()
        self._invited = {player.identity for player in players}
        self._sit_opener(raw, "invited")
        assert self._seating is not None
        asking = messages.encode(messages.Rematch(match=plan.match, table=self._seating.core.table))
        assert isinstance(self._seating.core, Opener)
        opening = messages.encode(self._seating.core.announcement())
        for player in players:
            self._node.hub.post(player.identity, opening)
            self._node.hub.post(player.identity, asking)
        self._hire_again(plan)

    def _hire_again(self, plan: Plan) -> None:
        """Computers of ours that have gone since their match: others come for them."""
        terms, players = plan.setup.terms, plan.setup.roster.players
        taken = {player.nickname for player in players if not self._company.knows(player.identity)}
        listen = "127.0.0.1:0" if self._local else ":0"
        gone = [
            seat
            for seat, player in enumerate(players)
            if self._company.knows(player.identity) and player.identity not in self._company
        ]
        for seat in gone:  # whose identities those who come may take, in any order
            bot = terms.bot_at(seat)
            level = bot.policy if bot is not None else terms.bots[0].policy if terms.bots else "beginner"
            taken.add(self._company.hire(level, taken, self._own_address(), listen, person=bot is None).name)

    def _rematch_table(self, plan: Plan) -> Announcement | None:
        """The table one of the same four has opened for the next match."""
        table = self._asked_tables.get(plan.match)
        return next((one for one in self._node.lobby.tables() if one.table == table), None) if table else None

    def _sit_next(self, found: Announcement) -> None:
        if self._session is not None:
            self._session.stop()
        self._clear_table()
        self._sit_joiner(found)

    # -- subscriber of the hub (REMATCH, HOUSE, BOTS_SENT)

    def link_up(self, link: Any) -> None:
        pass

    def link_down(self, identity: bytes, why: Any) -> None:
        self._houses.pop(identity, None)

    async def message(self, link: Any, incoming: Incoming) -> None:
        message = incoming.message
        session = self._session
        if isinstance(message, messages.House):  # shown once it is a friend's
            self._houses[link.peer.identity] = message
            self.change()
            return
        if isinstance(message, messages.BotsSent):
            self._house_answers(link.peer.identity, message)
            return
        if not isinstance(message, messages.Rematch) or session is None or message.match != session.plan.match:
            return
        seat = session.plan.setup.roster.seat_of(link.peer.identity)
        if seat is None or self._around is None:
            return
        self._asked_tables = {message.match: message.table}
        self._around.rematch = tuple(vote or other == seat for other, vote in enumerate(self._around.rematch))
        name = session.plan.setup.roster.players[seat].nickname
        found = self._rematch_table(session.plan)
        if self._rematch_of == message.match and found is not None:
            self._sit_next(found)
        else:
            self.tell(_("{name} asks you to another match: n joins.").format(name=name), Tone.GOOD)
        self.change()

    # --- friends and books ------------------------------------------------------------------------------------

    async def _make_invite(self) -> None:
        self._invite = await self._people.make_invite()
        self.change()

    async def _add_friend(self, link: str) -> None:
        name = await self._people.redeem(link)
        self.tell(_("{name} is your friend now.").format(name=name), Tone.GOOD)

    async def _look_ledger(self) -> None:
        me = self._node.hub.me.identity.hex()
        names = {key.hex(): name for key, name in self._names().items()}
        rows = await trio.to_thread.run_sync(self._node.store.ledger)
        self._ledger = ledger_view(rows, me, names)
        self.change()

    async def _look_history(self) -> None:
        names = self._names()
        self._history = await trio.to_thread.run_sync(lambda: history_view(self._node.store, names=names))
        self.change()

    async def _export(self, command: Export) -> None:
        folder = command.path or self._node.paths.data / "exports"
        stamp = time.strftime("%Y%m%d-%H%M%S")
        path = await trio.to_thread.run_sync(self._write_export, command, Path(folder), stamp)
        self.tell(_("Written: {path}").format(path=path), Tone.GOOD)

    def _write_export(self, command: Export, folder: Path, stamp: str) -> Path:
        from node.cli.export import history_csv, ledger_csv
        from node.files import make_private_directory, write_atomic

        make_private_directory(folder)
        store = self._node.store
        if command.what == "record":
            records = [json.loads(hand.record) for hand in store.hands(bytes.fromhex(command.match)) if hand.record]
            path = folder / f"records-{command.match[:16]}-{stamp}.json"
            data = (json.dumps(records, indent=1) + "\n").encode()
        elif command.what == "ledger":
            names = {key.hex(): name for key, name in self._names().items()}
            path, data = folder / f"ledger-{stamp}.csv", ledger_csv(store.ledger(), names)
        else:
            path, data = folder / f"history-{stamp}.csv", history_csv(played(store, names=self._names()))
        write_atomic(path, data)
        return path


__all__ = ["Home", "Stage", "refusal_text"]
