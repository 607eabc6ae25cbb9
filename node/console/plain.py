"""The plain console: lines that are only ever added, every choice with a number.

For screen readers, dumb terminals, logs and tests.  It says in sentences what the full screen draws
(:mod:`~node.console.narrate`, :mod:`~node.console.documents`) and offers the same choices.

:class:`Plain` is without input and output: it is told views, typed lines and the time, and gives lines to print and
commands to send.  :func:`run` puts it on standard input and output under trio.
"""

from __future__ import annotations

import os
import random
import signal
import sys
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, Final, TextIO, TypeVar

import trio

from node.console import words
from node.console.bridge import STOP_SIGNALS, Stopped
from node.console.documents import (
    Line,
    absence_document,
    friend_document,
    history_document,
    ledger_document,
    plain,
    player_name,
    rules_document,
    score_document,
    scores_document,
    settlement_document,
    signatures,
    terms_document,
    why_document,
)
from node.console.faces import card_words, faces_for, read_card
from node.console.forms import Form, table_form
from node.console.lobbypage import LEVELS, lobby_choices
from node.console.narrate import narrate
from node.console.page import Choice
from node.console.review import bids_line, hands_before
from node.console.settings import Settings
from node.console.sorting import sorted_hand
from node.console.tablekeys import answers, offered_calls
from node.i18n import _
from node.view import (
    AddFriend,
    Ask,
    AskHint,
    BlockFriend,
    Command,
    Export,
    FillWithBots,
    FriendView,
    HistoryView,
    InviteFriend,
    JoinTable,
    Leave,
    LedgerView,
    LinkState,
    LookHistory,
    LookLedger,
    MakeInvite,
    MuteChat,
    Pause,
    PlayCard,
    Quit,
    Ready,
    Rematch,
    RemoveFriend,
    RenameFriend,
    Say,
    Stage,
    TableView,
    View,
    VoidHand,
)
from protocol.rules.acts import Play
from protocol.rules.contracts import Contract

T = TypeVar("T")
#: Columns that tables and paragraphs are made for.
WIDTH: Final = 78


class Plain:
    """One plain console."""

    def __init__(self, settings: Settings, *, rand: Callable[[], float] = random.random) -> None:
        self.settings = settings
        self.faces = faces_for(settings.faces, settings.letters)
        self.rand = rand
        self.view: View | None = None
        self.now = 0.0
        self.stopping = False
        self._lines: list[str] = []
        self._out: list[Command] = []
        self._menu: list[Choice] = []  # what the numbers mean that were printed last
        self._typed: Callable[[str], None] | None = None  # takes the next line as it is
        self._serial: object = None  # what the printed list belongs to
        self._locked_until = 0.0
        self._held: tuple[int, float] | None = None
        self._auto_at: float | None = None
        self._shown_ledger: LedgerView | None = None
        self._shown_history: HistoryView | None = None
        self._want = ""  # a book that was asked for
        self._invite = ""
        self._told_settlement = False
        self._sub = False  # a menu below the main one is open

    # --- in and out -------------------------------------------------------------------------------------------

    def take_lines(self) -> list[str]:
        """The lines to print since the last call."""
        lines, self._lines = self._lines, []
        return lines

    def take(self) -> list[Command]:
        """The commands since the last call."""
        out, self._out = self._out, []
        return out

    def next_tick(self) -> float | None:
        """When :meth:`tick` is due."""
        times = [self._held[1]] if self._held is not None else []
        if self._auto_at is not None:
            times.append(self._auto_at)
        return min(times, default=None)

    def tick(self, now: float) -> None:
        """Time has passed."""
        self.now = now
        if self._held is not None and now >= self._held[1]:
            card, self._held = self._held[0], None
            self._send(PlayCard(card))
        if self._auto_at is not None and now >= self._auto_at:
            self._auto_at = None
            hand = self._hand()
            if len(hand) == 1 and self._asked() is Ask.PLAY:
                self._send(PlayCard(hand[0]))

    def show(self, view: View, now: float) -> None:
        """A new view."""
        old, self.view, self.now = self.view, view, now
        if old is None:
            self._print(_("Plain console. A number and Enter chooses; Enter alone says where you are; ? helps."))
            self._print(_("You are {name}. Fingerprint: {words}").format(name=view.me.name, words=view.me.words))
        before = old.table if old is not None else None
        if before is not None and (view.table is None or view.table.match != before.match):
            before = None
        if before is None:
            self._told_settlement = False
        scored = {hand.deal for hand in before.finished} if before is not None else set()
        for said in narrate(old, view, self.faces):
            self._print(said.text)
        table = view.table
        if table is not None and before is not None:
            for hand in table.finished:
                if hand.deal not in scored:
                    self._document(score_document(table, hand, self.faces, WIDTH))
        self._settled(before, table)
        self._books(view)
        if view.lobby.invite and view.lobby.invite != self._invite:
            self._invite = view.lobby.invite
            self._print(_("Give this link to one friend, by any way you trust. It works once."))
            self._print(view.lobby.invite)
        self._offer()

    def _settled(self, old: TableView | None, table: TableView | None) -> None:
        """The settlement, once; then only who else has signed."""
        if table is None or table.settlement is None:
            return
        before = old.settlement if old is not None else None
        if not self._told_settlement and table.settlement.path:
            self._told_settlement = True
            self._document(settlement_document(table, table.settlement, self.faces, WIDTH))
        elif before is not None and before.signed != table.settlement.signed:
            self._print(signatures(table.settlement))

    def _books(self, view: View) -> None:
        if self._want == "ledger" and view.ledger is not None and view.ledger is not self._shown_ledger:
            self._shown_ledger, self._want = view.ledger, ""
            self._document(ledger_document(view.ledger, self.faces, WIDTH))
        if self._want == "history" and view.history is not None and view.history is not self._shown_history:
            self._shown_history, self._want = view.history, ""
            self._document(history_document(view.history, self.faces, WIDTH))

    def feed(self, line: str, now: float) -> None:
        """A line that was typed."""
        self.now = now
        text = "".join(c for c in line.strip() if c.isprintable())
        if self._typed is not None:
            typed, self._typed = self._typed, None
            typed(text)
        elif self._held is not None:
            self._held = None
            self._print(_("Taken back."))
            self._offer(again=True)
        elif not text:
            self._situation()
            self._offer(again=True)
        elif text == "?":
            self._help()
        elif text.isdigit():
            self._number(int(text))
        elif text.lower() in ("q", "quit"):
            self._leave()
        elif text[:2].lower() == "t " and self.view is not None:
            self._send(Say(text[2:].strip()))
        else:
            self._card(text)

    # --- helpers ----------------------------------------------------------------------------------------------

    def _print(self, text: str) -> None:
        self._lines.extend(text.split("\n"))

    def _document(self, lines: Sequence[Line]) -> None:
        self._lines.extend(plain(line) for line in lines)

    def _send(self, command: Command) -> None:
        self._out.append(command)

    @property
    def _german(self) -> bool:
        return self.settings.suits == "german"

    def _table(self) -> TableView | None:
        return self.view.table if self.view is not None else None

    def _asked(self) -> Ask | None:
        table = self._table()
        return table.question.kind if table is not None and table.question is not None else None

    def _contract(self) -> Contract:
        table = self._table()
        state = table.hand.state if table is not None and table.hand is not None else None
        return state.contract if state is not None and state.contract is not None else Contract.NORMAL

    def _hand(self) -> tuple[int, ...]:
        table = self._table()
        if table is None or table.hand is None:
            return ()
        return sorted_hand(table.hand.hand, self._contract(), self.settings.sort)

    def _legal(self) -> list[int]:
        table = self._table()
        if table is None or table.hand is None or self._asked() is not Ask.PLAY:
            return []
        legal = {act.card for act in table.hand.legal if isinstance(act, Play)}
        return list(dict.fromkeys(card for card in self._hand() if card in legal))

    def _spoken(self, card: int) -> str:
        return f"{self.faces.card(card)}, {card_words(card, self._german)}"

    # --- what is offered --------------------------------------------------------------------------------------

    def _key(self) -> object:
        """What the list of choices belongs to; it is printed anew when this changes."""
        view = self.view
        if view is None:
            return None
        if view.table is not None:
            question = view.table.question
            return ("table", view.table.match, question.serial if question is not None else None, view.table.stage)
        if view.lobby.seating is not None:
            seating = view.lobby.seating
            return ("seating", seating.id, seating.confirm, tuple(p.ready if p else None for p in seating.players))
        return ("lobby", tuple(t.id for t in view.lobby.tables), tuple(m.id for m in view.lobby.open_matches))

    def _offer(self, *, again: bool = False) -> None:
        """Print the numbered choices if they are new, or *again*."""
        key = self._key()
        if key == self._serial and not again:
            return
        if self._typed is not None and key != self._serial and not (isinstance(key, tuple) and key[0] == "table"):
            return  # somebody types an answer: the lobby's news can wait
        fresh = key != self._serial
        self._serial = key
        table = self._table()
        if fresh:
            self._auto_at = self._held = None
            self._sub = False
            if table is not None and table.question is not None:
                self._typed = None
                self._locked_until = self.now + self.settings.lock
        if table is not None:
            self._offer_table(table)
        elif self.view is not None and self.view.lobby.seating is not None:
            self._list(self._seating_choices(), more=False)
        else:
            self._list(self._lobby_choices(), more=False)

    def _offer_table(self, table: TableView) -> None:
        asked = self._asked()
        if asked is Ask.PLAY:
            hand = self._hand()
            if len(hand) == 1 and self.settings.auto_last:
                self._print(_("Your last card is played for you."))
                self._auto_at = self.now + 0.4 + 0.8 * self.rand()
                self._menu = []
                return
            self._situation(brief=True)
            legal = self._legal()
            choices = [Choice(self._spoken(card), self._play_later(card)) for card in legal]
            if table.offers:
                choices.append(Choice(_("announce"), self._announce))
            self._list(choices, more=True)
            barred = [card for card in hand if card not in legal]
            if barred:
                self._print(_("May not be played now: {cards}").format(cards=" ".join(map(self.faces.card, barred))))
        elif asked is not None:
            question = {
                Ask.BID: _("Healthy, or a reservation?"),
                Ask.NAME: _("Which game is your reservation?"),
                Ask.ABSENCE: _("What shall be done?"),
                Ask.GO_ON: _("Three hands in a row were void. Go on?"),
            }.get(asked, "")
            if asked is Ask.BID:
                self._print(_("Your cards: {cards}").format(cards=" ".join(map(self.faces.card, self._hand()))))
            if asked is Ask.ABSENCE and table.absence is not None:
                self._document(absence_document(table, table.absence, WIDTH))
            self._print(question)
            self._list(answers(table), more=True)
        elif table.stage in (Stage.SETTLED, Stage.STOPPED, Stage.ADJOURNED):
            choices = [Choice(_("back to the lobby"), Leave())]
            if table.stage is Stage.SETTLED:
                choices.insert(0, Choice(_("another match with the same four"), Rematch()))
            self._list(choices, more=True)
        else:
            self._menu = []

    def _list(self, choices: list[Choice], *, more: bool) -> None:
        self._menu = choices
        for number, choice in enumerate(choices, 1):
            note = f" ({choice.note})" if choice.note else ""
            self._print(f"  {number}  {choice.label}{note}")
        if more:
            self._print("  0  " + _("more"))

    def _submenu(self, title: str, choices: list[Choice]) -> None:
        self._print(title)
        self._sub = True
        self._list(choices, more=False)
        self._print("  0  " + _("back"))

    def _number(self, number: int) -> None:
        if number == 0:
            if self._sub:
                self._sub = False
                self._offer(again=True)
            else:
                self._more()
            return
        if self.now < self._locked_until:
            self._print(_("The question has just changed; press again if you mean it."))
            return
        if not 1 <= number <= len(self._menu):
            self._print(_("There is no choice {number}.").format(number=number))
            return
        choice = self._menu[number - 1]
        below, self._sub = self._sub, False
        if callable(choice.act):
            choice.act()
        else:
            self._send(choice.act)
            if self._table() is not None and not below:
                self._menu = []  # answered: the same number means nothing until the next list
        if below and not self._sub and self._typed is None and not self.stopping:
            self._offer(again=True)

    # --- cards ------------------------------------------------------------------------------------------------

    def _play_later(self, card: int) -> Callable[[], None]:
        return lambda: self._play(card)

    def _play(self, card: int) -> None:
        self._auto_at = None
        if self.settings.guard == "always":
            self._held = (card, self.now + self.settings.guard_time)
            text = _("{card} is about to be played; Enter takes it back.")
            self._print(text.format(card=card_words(card, self._german)))
        else:
            self._menu = []
            self._send(PlayCard(card))

    def _card(self, text: str) -> None:
        card = read_card(text)
        table = self._table()
        if card is None or table is None:
            self._print(_("That is not understood. A number chooses, ? helps."))
            return
        if self._asked() is not Ask.PLAY:
            self._print(_("It is not your turn."))
        elif card not in self._hand():
            self._print(_("You do not hold {card}.").format(card=card_words(card, self._german)))
        elif card not in self._legal():
            assert table.hand is not None
            led = table.hand.state.led
            reason = words.must_follow(led, self._german) + " (R13)" if led is not None else ""
            self._print(reason or _("This card may not be played now."))
        elif self.now < self._locked_until:
            self._print(_("The question has just changed; press again if you mean it."))
        else:
            self._play(card)

    def _announce(self) -> None:
        table = self._table()
        choices = offered_calls(table) if table is not None else []
        if choices:
            self._submenu(_("Announce"), choices)
        else:
            self._print(_("There is nothing you may call now (R16 to R20)."))

    # --- saying where we are ----------------------------------------------------------------------------------

    def _situation(self, *, brief: bool = False) -> None:
        table = self._table()
        if table is None:
            return
        if table.hand is None:
            self._print(_("Hand {number} of {total}").format(number=table.hand_number, total=table.terms.hands))
            return
        state = table.hand.state
        if state.contract is not None:
            number = len(state.tricks) + 1
            cards = [
                f"{player_name(table, table.seat_of((state.leader + n) % 4))}: {self.faces.card(card)}"
                for n, card in enumerate(state.trick)
            ]
            if cards:
                text = _("Trick {number}. {cards}").format(number=number, cards=", ".join(cards))
            elif state.turn is not None and table.seat_of(state.turn) == table.me:
                text = _("Trick {number}. You lead.").format(number=number)
            else:
                text = _("Trick {number}.").format(number=number)
            self._print(text)
        if brief:
            return
        self._print(_("Your cards: {cards}").format(cards=" ".join(map(self.faces.card, self._hand()))))
        for seat in range(4):
            position = table.position_of(seat)
            won = sum(trick.winner == position for trick in state.tricks)
            parts = [words.cards(state.cards_left(position)), words.tricks(won)]
            side = state.side_of(position) if seat == table.me else state.known_sides[position]
            if side is not None:
                parts.append(words.side_name(side))
            parts += [words.call_name(call.kind) + "!" for call in state.calls if call.player == position]
            if seat == table.forehand:
                parts.append(_("forehand"))
            self._print(f"{player_name(table, seat)}: {', '.join(parts)}")
        if state.turn is not None and table.seat_of(state.turn) != table.me:
            name = table.players[table.seat_of(state.turn)].name
            self._print(_("{name}'s turn").format(name=name))

    def _help(self) -> None:
        self._print(_("A number and Enter chooses; Enter alone says where you are; 0 offers more."))
        self._print(_("A card can be typed too, suit first: cq is the queen of clubs, ht the ten of hearts."))
        self._print(_("t and a text talks to the table; q leaves."))
        self._print(_("Your last card of a hand is played for you after a short random delay. Nothing else is."))
        self._offer(again=True)

    # --- menus ------------------------------------------------------------------------------------------------

    def _more(self) -> None:
        table = self._table()
        if table is None:
            self._offer(again=True)
            return
        choices = [
            Choice(_("the table, my cards"), self._situation),
            Choice(_("last trick"), self._last),
            Choice(_("announce"), self._announce),
            Choice(_("scores"), lambda: self._document(scores_document(table, self.faces, WIDTH))),
            Choice(_("review"), self._review),
            Choice(_("terms"), lambda: self._document(terms_document(table.terms, WIDTH))),
            Choice(_("rules"), self._rules),
            Choice(_("how the others are reached"),
                   lambda: self._document(why_document(table.players, self.faces, WIDTH))),
            Choice(_("talk"), lambda: self._ask(_("To the table"), lambda text: self._send(Say(text)))),
            Choice(_("chat on") if table.chat_muted else _("chat off"), MuteChat(not table.chat_muted)),
            Choice(_("end the pause") if table.paused else _("pause"), Pause(not table.paused)),
            Choice(_("void hand"), self._void),
            *([Choice(_("what would strong do?"), AskHint())] if table.practice else []),
            Choice(_("leave"), self._leave),
        ]  # fmt: skip
        self._submenu(_("More"), choices)

    def _last(self) -> None:
        table = self._table()
        if table is None or table.hand is None or not table.hand.state.tricks:
            self._print(_("There is no last trick yet."))
            return
        trick = table.hand.state.tricks[-1]
        cards = [
            f"{player_name(table, table.seat_of((trick.leader + n) % 4))}: {self.faces.card(card)}"
            for n, card in enumerate(trick.cards)
        ]
        self._print(_("Last trick") + ": " + ", ".join(cards))
        self._print(
            _("Trick {number}: {name}, {points}.").format(
                number=len(table.hand.state.tricks),
                name=player_name(table, table.seat_of(trick.winner)),
                points=words.card_points(trick.points),
            )
        )

    def _review(self) -> None:
        table = self._table()
        done = [hand for hand in table.finished if hand.hands] if table is not None else []
        if table is None or not done:
            self._print(_("No hand is over yet."))
            return
        hand = done[-1]
        contract = hand.result.contract or Contract.NORMAL
        self._print(bids_line(table, hand))
        for position, cards in enumerate(hands_before(hand, 1)):
            shown = " ".join(map(self.faces.card, sorted_hand(cards, contract, self.settings.sort)))
            side = words.side_name(hand.result.side_of(position))
            self._print(f"{player_name(table, (hand.forehand + position) % 4)}, {side}: {shown}")
        for number, trick in enumerate(hand.state.tricks, 1):
            shown = ", ".join(
                f"{player_name(table, (hand.forehand + trick.leader + n) % 4)}: {self.faces.card(card)}"
                for n, card in enumerate(trick.cards)
            )
            winner = player_name(table, (hand.forehand + trick.winner) % 4)
            self._print(
                _("Trick {number}: {name}, {points}.").format(
                    number=number, name=winner, points=words.card_points(trick.points)
                )
                + " "
                + shown
            )

    def _rules(self) -> None:
        def done(text: str) -> None:
            lines, index = rules_document(self.faces, WIDTH)
            number = "R" + text.lstrip("rR")
            if not text:
                self._document(lines)
            elif number in index:
                ends = [at for at in index.values() if at > index[number]]
                self._document(lines[index[number] : min(ends, default=len(lines))])
            else:
                self._print(_("There is no rule {number}.").format(number=number))

        self._ask(_("Rule number; Enter alone: all rules"), done, empty=True)

    def _void(self) -> None:
        text = _("If all four agree, nothing is paid and the hand is dealt again (R29). You cannot take it back.")
        self._submenu(text, [Choice(_("yes, I agree that this hand is void"), VoidHand())])

    def _leave(self) -> None:
        def stop() -> None:
            self.stopping = True

        table = self._table()
        text = _("Leave?")
        if table is not None and table.stage not in (Stage.SETTLED, Stage.STOPPED):
            text += " " + _("The match stays open, also for the others; doko takes it up again.")
        self._submenu(text, [Choice(_("leave doko"), stop)])

    def _ask(self, title: str, done: Callable[[str], None], *, empty: bool = False) -> None:
        self._print(title + ":")

        def typed(text: str) -> None:
            if text or empty:
                done(text)
            else:
                self._offer(again=True)

        self._typed = typed

    def _lobby_choices(self) -> list[Choice]:
        assert self.view is not None
        lobby = self.view.lobby
        choices = lobby_choices(lobby)

        def join(text: str) -> None:
            self._send(JoinTable(where=text))

        def ledger() -> None:
            self._want = "ledger"
            self._send(LookLedger())

        def history() -> None:
            self._want = "history"
            self._send(LookHistory())

        return [
            *choices,
            Choice(_("new table"), lambda: self._form(table_form(LEVELS, self._send))),
            Choice(_("join by address or link"), lambda: self._ask(_("Address (host:port) or doko: link"), join)),
            Choice(_("friends"), self._friends),
            Choice(_("invite a friend"), MakeInvite()),
            Choice(_("ledger"), ledger),
            Choice(_("your matches"), history),
            Choice(_("ledger as CSV"), Export("ledger")),
            Choice(_("your matches as CSV"), Export("history")),
            Choice(_("rules"), self._rules),
            Choice(_("leave doko"), self._leave),
        ]

    def _friends(self) -> None:
        assert self.view is not None

        def add(text: str) -> None:
            self._send(AddFriend(text))

        choices = [
            Choice(_("add by link"), lambda: self._ask(_("doko: link from your friend"), add)),
            *(Choice(friend.name, self._friend_later(friend)) for friend in self.view.lobby.friends),
        ]
        self._submenu(_("Friends"), choices)

    def _friend_later(self, friend: FriendView) -> Callable[[], None]:
        return lambda: self._friend(friend)

    def _friend(self, friend: FriendView) -> None:
        self._document(friend_document(friend, self.faces, WIDTH))

        def rename(text: str) -> None:
            self._send(RenameFriend(friend.key, text))

        choices = [Choice(_("rename"), lambda: self._ask(_("New name"), rename))]
        if self.view is not None and self.view.lobby.seating is not None:
            choices.append(Choice(_("invite to this table"), InviteFriend(friend.key)))
        choices.append(
            Choice(_("unblock"), BlockFriend(friend.key, False))
            if friend.blocked
            else Choice(_("block"), BlockFriend(friend.key))
        )
        choices.append(Choice(_("remove"), RemoveFriend(friend.key)))
        self._submenu(friend.name, choices)

    def _seating_choices(self) -> list[Choice]:
        assert self.view is not None
        seating = self.view.lobby.seating
        assert seating is not None
        for seat, player in enumerate(seating.players):
            if player is None:
                text = _("free")
            else:
                text = _("you") if seat == seating.me else player.name
                text += ", " + (_("ready") if player.ready else _("not ready"))
            self._print(_("Seat {number}: {who}").format(number=seat + 1, who=text))
        me = seating.players[seating.me]
        choices = []
        if hosts := words.hosts_line(seating.players, duel=seating.terms.mode == "duel"):
            self._print(hosts)
        if seating.confirm:
            self._document(terms_document(seating.terms, WIDTH))
            if me is None or not me.ready:
                choices.append(Choice(_("I agree to these terms and am ready"), Ready()))
        if seating.opener and None in seating.players:
            choices += [
                Choice(
                    _("fill the free seats with computers ({level})").format(level=_(words.LEVELS[level])),
                    FillWithBots(level),
                )
                for level in LEVELS
            ]
            choices += [
                Choice(
                    _("one computer from {name} ({level})").format(
                        name=house.name, level=_(words.LEVELS.get(level, level))
                    ),
                    FillWithBots(level, 1, house.key),
                )
                for house in self.view.lobby.houses
                for level in house.levels
                if house.free
            ]
            choices += [
                Choice(_("invite {name}").format(name=friend.name), InviteFriend(friend.key))
                for friend in self.view.lobby.friends
                if not friend.blocked and friend.link.state in (LinkState.DIRECT, LinkState.VIA)
            ]
            choices.append(Choice(_("somebody new, by a doko: link"), MakeInvite()))
        choices.append(Choice(_("leave this table"), Leave()))
        return choices

    # --- forms ------------------------------------------------------------------------------------------------

    def _form(self, form: Form, index: int = 0) -> None:
        """Ask field by field; Enter keeps the value shown, - gives up."""
        fields = form.visible()
        if index == 0:
            self._print(form.title + ". " + _("Enter keeps what is shown, - gives up."))
        if index >= len(fields):
            error = form.done(form.values)
            if error:
                self._print(error)
                self._form(form)
            return
        item = fields[index]
        value = form.values[item.name]
        self._print(f"{item.label}: {item.label_of(value) or '-'}" + (f" ({item.help})" if item.help else ""))
        if item.kind == "choice":
            for number, (_value, label) in enumerate(item.options, 1):
                self._print(f"  {number}  {label}")

        def typed(text: str) -> None:
            if text == "-":
                self._offer(again=True)
                return
            new = value
            if text:
                new = text
                if item.kind == "choice":
                    chosen = int(text) - 1 if text.isdigit() else -1
                    new = item.options[chosen][0] if 0 <= chosen < len(item.options) else "?"
            error = item.check(new)
            if error:
                self._print(error)
                self._form(form, index) if index else self._form(replace(form), 0)
                return
            form.values[item.name] = new
            self._form(form, index + 1)

        self._typed = typed


class PlainDesk:
    """A desk (:class:`node.view.Desk`) of lines: reads *stdin* in a thread, writes to *stdout*."""

    def __init__(self, machine: Plain, stdin: int = 0, stdout: TextIO | None = None) -> None:
        self.machine = machine
        self._stdin = stdin
        self._stdout = stdout or sys.stdout
        self._queue: deque[Command] = deque()
        self._event = trio.Event()
        self._timer = trio.Event()
        self._closed = False
        self._gone = False
        self._leave: Callable[[], None] = lambda: None

    def show(self, view: View) -> None:
        """Show *view*."""
        self.machine.show(view, trio.current_time())
        self._after()

    async def command(self) -> Command:
        """The next command; :class:`Quit` when the input is at its end."""
        while not self._queue:
            if self._closed:
                return Quit()
            self._event = trio.Event()
            await self._event.wait()
        return self._queue.popleft()

    def _after(self) -> None:
        lines = self.machine.take_lines()
        if lines and not self._gone:
            encoding = getattr(self._stdout, "encoding", None) or "ascii"
            text = "\n".join(lines) + "\n"
            try:
                self._stdout.write(text.encode(encoding, "replace").decode(encoding))
                self._stdout.flush()
            except (OSError, ValueError):
                self._gone = True  # nobody reads any more
                self.machine.stopping = True
        self._queue.extend(self.machine.take())
        if self.machine.stopping:
            self._closed = True
            self._leave()
        self._event.set()
        self._timer.set()

    async def _read(self) -> None:
        buffer = b""
        while not self._closed:
            data = await trio.to_thread.run_sync(_read_some, self._stdin, abandon_on_cancel=True)
            if not data:
                break
            buffer += data
            *lines, buffer = buffer.split(b"\n")
            buffer = buffer[-4096:]
            for line in lines:
                self.machine.feed(line.decode("utf-8", "replace")[:1000], trio.current_time())
                self._after()
        self._closed = True
        self._event.set()

    async def _tick(self) -> None:
        while True:
            self._timer = trio.Event()
            due = self.machine.next_tick()
            with trio.move_on_at(float("inf") if due is None else due):
                await self._timer.wait()
                continue
            self.machine.tick(trio.current_time())
            self._after()

    async def serve(self, node: Callable[[PlainDesk], Awaitable[T]]) -> T | None:
        """Run *node* with this desk until it ends or the person leaves (then None)."""
        result: list[T] = []
        async with trio.open_nursery() as nursery:

            async def watch() -> None:
                await self._read()
                nursery.cancel_scope.cancel()

            self._leave = nursery.cancel_scope.cancel

            nursery.start_soon(watch)
            nursery.start_soon(self._tick)
            result.append(await node(self))
            nursery.cancel_scope.cancel()
        return result[0] if result else None


def _read_some(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 4096)
    except OSError:
        return b""


def run(machine: Plain, node: Callable[[PlainDesk], Awaitable[T]], stdin: int = 0, stdout: TextIO | None = None) -> Any:
    """Run *node* under trio with the plain console; signals end it in order (:class:`~node.console.bridge.Stopped`)."""
    caught: list[str] = []

    async def main() -> T | None:
        desk = PlainDesk(machine, stdin, stdout)
        numbers = {number: name for name in STOP_SIGNALS if (number := getattr(signal, name, None)) is not None}
        result: list[T | None] = []
        async with trio.open_nursery() as nursery:

            async def signals() -> None:
                with trio.open_signal_receiver(*numbers) as receiver:
                    async for number in receiver:
                        caught.append(numbers[number])
                        nursery.cancel_scope.cancel()

            nursery.start_soon(signals)
            result.append(await desk.serve(node))
            nursery.cancel_scope.cancel()
        return result[0] if result else None

    outcome = trio.run(main)
    if caught and outcome is None:
        raise Stopped(caught[0])
    return outcome
