"""The plain console: lines that are only ever added, every choice with a number.

For screen readers, dumb terminals, logs and tests.  It says in sentences what the full screen draws
(:mod:`~node.console.narrate`, :mod:`~node.console.documents`) and offers the same choices.

:class:`Plain` is without input and output: it is told views, typed lines and the time, and gives lines to print and
commands to send.  :mod:`~node.console.plaindesk` puts it on standard input and output under trio, and
:mod:`~node.console.plainmenus` is what it offers beside the question of the moment.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from node.console import words
from node.console.bookpages import history_document, ledger_document
from node.console.documents import Line, absence_document, plain
from node.console.faces import card_words, faces_for, read_card
from node.console.narrate import narrate
from node.console.page import Choice
from node.console.plainmenus import Menus
from node.console.plainsaid import WIDTH, situation_lines
from node.console.scorepages import score_document, settlement_document, signatures
from node.console.settings import Settings
from node.console.sorting import sorted_hand
from node.console.tablekeys import answers, offered_calls
from node.i18n import _
from node.view import (
    Ask,
    Command,
    HistoryView,
    Leave,
    LedgerView,
    PlayCard,
    Rematch,
    Say,
    Stage,
    TableView,
    View,
)
from protocol.rules.acts import Play
from protocol.rules.contracts import Contract


class Plain:
    """One plain console."""

    def __init__(self, settings: Settings, *, rand: Callable[[], float] = random.random) -> None:
        self.settings = settings
        self.faces = faces_for(settings.faces, settings.letters)
        self.rand = rand
        self.menus = Menus(self)
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
        self.want = ""  # a book that was asked for
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
            self.send(PlayCard(card))
        if self._auto_at is not None and now >= self._auto_at:
            self._auto_at = None
            hand = self._hand()
            if len(hand) == 1 and self._asked() is Ask.PLAY:
                self.send(PlayCard(hand[0]))

    def show(self, view: View, now: float) -> None:
        """A new view."""
        old, self.view, self.now = self.view, view, now
        if old is None:
            self.say(_("Plain console. A number and Enter chooses; Enter alone says where you are; ? helps."))
            self.say(_("You are {name}. Fingerprint: {words}").format(name=view.me.name, words=view.me.words))
        before = old.table if old is not None else None
        if before is not None and (view.table is None or view.table.match != before.match):
            before = None
        if before is None:
            self._told_settlement = False
        scored = {hand.deal for hand in before.finished} if before is not None else set()
        for said in narrate(old, view, self.faces):
            self.say(said.text)
        table = view.table
        if table is not None and before is not None:
            for hand in table.finished:
                if hand.deal not in scored:
                    self.document(score_document(table, hand, self.faces, WIDTH))
        self._settled(before, table)
        self._books(view)
        if view.lobby.invite and view.lobby.invite != self._invite:
            self._invite = view.lobby.invite
            self.say(_("Give this link to one friend, by any way you trust. It works once."))
            self.say(view.lobby.invite)
            self.say(words.reach_line(view.lobby.addresses, view.lobby.reach)[1])
        self.offer()

    def _settled(self, old: TableView | None, table: TableView | None) -> None:
        """The settlement, once; then only who else has signed."""
        if table is None or table.settlement is None:
            return
        before = old.settlement if old is not None else None
        if not self._told_settlement and table.settlement.path:
            self._told_settlement = True
            self.document(settlement_document(table, table.settlement, self.faces, WIDTH))
        elif before is not None and before.signed != table.settlement.signed:
            self.say(signatures(table.settlement))

    def _books(self, view: View) -> None:
        if self.want == "ledger" and view.ledger is not None and view.ledger is not self._shown_ledger:
            self._shown_ledger, self.want = view.ledger, ""
            self.document(ledger_document(view.ledger, self.faces, WIDTH))
        if self.want == "history" and view.history is not None and view.history is not self._shown_history:
            self._shown_history, self.want = view.history, ""
            self.document(history_document(view.history, self.faces, WIDTH))

    def feed(self, line: str, now: float) -> None:
        """A line that was typed."""
        self.now = now
        text = "".join(c for c in line.strip() if c.isprintable())
        if self._typed is not None:
            typed, self._typed = self._typed, None
            typed(text)
        elif self._held is not None:
            self._held = None
            self.say(_("Taken back."))
            self.offer(again=True)
        elif not text:
            self.situation()
            self.offer(again=True)
        elif text == "?":
            self._help()
        elif text.isdigit():
            self._number(int(text))
        elif text.lower() in ("q", "quit"):
            self.menus.leave()
        elif text[:2].lower() == "t " and self.view is not None:
            self.send(Say(text[2:].strip()))
        else:
            self._card(text)

    # --- helpers ----------------------------------------------------------------------------------------------

    def say(self, text: str) -> None:
        """Print *text*, which may have several lines."""
        self._lines.extend(text.split("\n"))

    def say_all(self, texts: Sequence[str]) -> None:
        """Several lines."""
        for text in texts:
            self.say(text)

    def document(self, lines: Sequence[Line]) -> None:
        """Print the text of a page."""
        self._lines.extend(plain(line) for line in lines)

    def send(self, command: Command) -> None:
        """Send *command* to the node."""
        self._out.append(command)

    @property
    def _german(self) -> bool:
        return self.settings.suits == "german"

    def table(self) -> TableView | None:
        """The table we sit at."""
        return self.view.table if self.view is not None else None

    def _asked(self) -> Ask | None:
        table = self.table()
        return table.question.kind if table is not None and table.question is not None else None

    def _contract(self) -> Contract:
        table = self.table()
        state = table.hand.state if table is not None and table.hand is not None else None
        return state.contract if state is not None and state.contract is not None else Contract.NORMAL

    def _hand(self) -> tuple[int, ...]:
        table = self.table()
        if table is None or table.hand is None:
            return ()
        return sorted_hand(table.hand.hand, self._contract(), self.settings.sort)

    def _legal(self) -> list[int]:
        table = self.table()
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

    def offer(self, *, again: bool = False) -> None:
        """Print the numbered choices if they are new, or *again*."""
        key = self._key()
        if key == self._serial and not again:
            return
        if self._typed is not None and key != self._serial and not (isinstance(key, tuple) and key[0] == "table"):
            return  # somebody types an answer: the lobby's news can wait
        fresh = key != self._serial
        self._serial = key
        table = self.table()
        if fresh:
            self._auto_at = self._held = None
            self._sub = False
            if table is not None and table.question is not None:
                self._typed = None
                self._locked_until = self.now + self.settings.lock
        if table is not None:
            self._offer_table(table)
        elif self.view is not None and self.view.lobby.seating is not None:
            self._list(self.menus.seating(), more=False)
        else:
            self._list(self.menus.lobby(), more=False)

    def _offer_table(self, table: TableView) -> None:
        asked = self._asked()
        if asked is Ask.PLAY:
            hand = self._hand()
            if len(hand) == 1 and self.settings.auto_last:
                self.say(_("Your last card is played for you."))
                self._auto_at = self.now + 0.4 + 0.8 * self.rand()
                self._menu = []
                return
            self.situation(brief=True)
            legal = self._legal()
            choices = [Choice(self._spoken(card), self._play_later(card)) for card in legal]
            if table.offers:
                choices.append(Choice(_("announce"), self.announce))
            self._list(choices, more=True)
            barred = [card for card in hand if card not in legal]
            if barred:
                self.say(_("May not be played now: {cards}").format(cards=" ".join(map(self.faces.card, barred))))
        elif asked is not None:
            question = {
                Ask.BID: _("Healthy, or a reservation?"),
                Ask.NAME: _("Which game is your reservation?"),
                Ask.ABSENCE: _("What shall be done?"),
                Ask.GO_ON: _("Three hands in a row were void. Go on?"),
            }.get(asked, "")
            if asked is Ask.BID:
                self.say(_("Your cards: {cards}").format(cards=" ".join(map(self.faces.card, self._hand()))))
            if asked is Ask.ABSENCE and table.absence is not None:
                self.document(absence_document(table, table.absence, WIDTH))
            self.say(question)
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
            self.say(f"  {number}  {choice.label}{note}")
        if more:
            self.say("  0  " + _("more"))

    def submenu(self, title: str, choices: list[Choice]) -> None:
        """A menu below the main one; 0 leads back."""
        self.say(title)
        self._sub = True
        self._list(choices, more=False)
        self.say("  0  " + _("back"))

    def _number(self, number: int) -> None:
        if number == 0:
            if self._sub:
                self._sub = False
                self.offer(again=True)
            else:
                self.menus.more()
            return
        if self.now < self._locked_until:
            self.say(_("The question has just changed; press again if you mean it."))
            return
        if not 1 <= number <= len(self._menu):
            self.say(_("There is no choice {number}.").format(number=number))
            return
        choice = self._menu[number - 1]
        below, self._sub = self._sub, False
        if callable(choice.act):
            choice.act()
        else:
            self.send(choice.act)
            if self.table() is not None and not below:
                self._menu = []  # answered: the same number means nothing until the next list
        if below and not self._sub and self._typed is None and not self.stopping:
            self.offer(again=True)

    # --- cards ------------------------------------------------------------------------------------------------

    def _play_later(self, card: int) -> Callable[[], None]:
        return lambda: self._play(card)

    def _play(self, card: int) -> None:
        self._auto_at = None
        if self.settings.guard == "always":
            self._held = (card, self.now + self.settings.guard_time)
            text = _("{card} is about to be played; Enter takes it back.")
            self.say(text.format(card=card_words(card, self._german)))
        else:
            self._menu = []
            self.send(PlayCard(card))

    def _card(self, text: str) -> None:
        card = read_card(text)
        table = self.table()
        if card is None or table is None:
            self.say(_("That is not understood. A number chooses, ? helps."))
            return
        if self._asked() is not Ask.PLAY:
            self.say(_("It is not your turn."))
        elif card not in self._hand():
            self.say(_("You do not hold {card}.").format(card=card_words(card, self._german)))
        elif card not in self._legal():
            assert table.hand is not None
            led = table.hand.state.led
            reason = words.must_follow(led, self._german) + " (R13)" if led is not None else ""
            self.say(reason or _("This card may not be played now."))
        elif self.now < self._locked_until:
            self.say(_("The question has just changed; press again if you mean it."))
        else:
            self._play(card)

    def announce(self) -> None:
        """Offer the calls that are allowed now."""
        table = self.table()
        choices = offered_calls(table) if table is not None else []
        if choices:
            self.submenu(_("Announce"), choices)
        else:
            self.say(_("There is nothing you may call now (R16 to R20)."))

    def situation(self, *, brief: bool = False) -> None:
        """Say where we are."""
        table = self.table()
        if table is not None:
            self.say_all(situation_lines(table, self._hand(), self.faces, brief=brief))

    def _help(self) -> None:
        self.say(_("A number and Enter chooses; Enter alone says where you are; 0 offers more."))
        self.say(_("A card can be typed too, suit first: cq is the queen of clubs, ht the ten of hearts."))
        self.say(_("t and a text talks to the table; q leaves."))
        self.say(_("Your last card of a hand is played for you after a short random delay. Nothing else is."))
        self.offer(again=True)

    def ask(self, title: str, done: Callable[[str], None], *, empty: bool = False) -> None:
        """Ask for a line of text; an empty one gives up unless *empty*."""
        self.say(title + ":")

        def typed(text: str) -> None:
            if text or empty:
                done(text)
            else:
                self.offer(again=True)

        self.take_line(typed)

    def take_line(self, typed: Callable[[str], None]) -> None:
        """Give the next line to *typed* as it is."""
        self._typed = typed
