"""The full-screen console without a screen: told views, keys, clicks and the time, it says what to send and to draw.

Theory of operation::

    show(view, now)  press(key, now)  click(x, y, now)  tick(now)      in
    draw(width, height) -> Canvas     take() -> commands                out
    bells, title, stopping            next_tick() -> when tick is due   out

A base page follows from the view (starting, lobby, seating, table); other pages lie on a stack above it, small windows
are drawn over what is below them.  Every method returns at once; nothing here waits, reads a clock or draws by itself.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from node.console.canvas import ELLIPSIS, Canvas, pad, text_width, wrap
from node.console.documents import Line
from node.console.faces import Faces, faces_for
from node.console.helptext import help_document
from node.console.lobbypage import LobbyPage, SeatingPage, StartingPage
from node.console.narrate import Said, narrate
from node.console.page import TONES, Choice, ChoicePopup, DocumentPage, Page, draw_footer
from node.console.plan import SMALLEST, too_small
from node.console.review import ReviewPage
from node.console.rulespage import RulesPage
from node.console.scorepages import hand_title, score_document, scores_document, settlement_document
from node.console.settings import Settings
from node.console.settingspage import SettingsPage
from node.console.tablepage import TablePage
from node.i18n import _
from node.view import Command, FinishedHand, Stage, View, WishDwell
from protocol.rules.view import HandView

#: Sentences kept for the log page.
LOG_LENGTH: Final = 2000
#: Seconds a remark stays on the line of prompts.
FLASH_TIME: Final = 4.0


class Model:
    """One console."""

    def __init__(
        self,
        settings: Settings,
        *,
        rand: Callable[[], float] = random.random,
        save: Callable[[Settings], str | None] | None = None,
    ) -> None:
        """*rand* gives the delay of the forced last card; *save* keeps changed settings (a text if it failed)."""
        self.settings = settings
        self.faces: Faces = faces_for(settings.faces, settings.letters)
        self.rand = rand
        self.save = save
        self.view: View | None = None
        self.now = 0.0
        self.shown_at = 0.0
        self.log: deque[Said] = deque(maxlen=LOG_LENGTH)
        self.flash: tuple[str, str] | None = None  # text, style
        self.flash_until = 0.0
        self.bells = 0
        self.title = "doko"
        self.stopping = False
        self.mouse = settings.mouse
        self.cleared = 0  # grows when the screen is to be drawn from nothing
        self.pages: list[Page] = []
        self._out: list[Command] = []
        self._base: Page = StartingPage(self)
        self._scored: set[tuple[str, int]] = set()  # (match, deal) of hands whose score has been shown
        self._settled: str = ""
        self._late: View | None = None  # what is shown when the last trick of a hand has been looked at ...
        self._held_until = 0.0  # ... at this time, or with a key
        self._last_hand: HandView | None = None

    # --- what comes in ----------------------------------------------------------------------------------------

    @property
    def german(self) -> bool:
        """Whether suits have the names of the German pack."""
        return self.settings.suits == "german"

    def show(self, view: View, now: float) -> None:
        """A new view of the node; what follows the last trick of a hand is shown when that has been looked at."""
        held = self._held(view, now)
        self._late = view if held is not None else None
        if held is not None:
            view = held
        old, self.view, self.now, self.shown_at = self.view, view, now, now
        said = narrate(old, view, self.faces)
        self.log.extend(said)
        for item in said:
            if item.kind in ("chat", "notice"):
                self.say(item.text, "strong" if item.kind == "chat" else TONES[item.tone])
        self._choose_base(old, view)
        table = view.table
        if isinstance(self._base, TablePage) and table is not None:
            self._base.update(old.table if old is not None else None, table)
            self._after_hands(old, view)
            question = table.question is not None
            names = ", ".join(player.name for seat, player in enumerate(table.players) if seat != table.me)
            self.title = "doko: " + (_("your turn") if question else names)
        else:
            self.title = "doko"

    def _held(self, view: View, now: float) -> View | None:
        """*view* with the finished hand still on the table, as long as its last trick stays."""
        table = view.table
        old = self.view.table if self.view is not None else None
        if table is None or old is None or old.hand is None or old.match != table.match:
            self._held_until = 0.0
            return None
        if self._held_until <= now:
            news = table.finished[len(old.finished) :]
            if not news or news[-1].result.void or old.deal.number != news[-1].deal or self._held_until:
                self._held_until = 0.0
                return None
            self._held_until = now + table.dwell
            if table.dwell <= 0:
                return None
            self._last_hand = replace(old.hand, hand=(), legal=(), state=news[-1].state)
        shown = replace(
            table,
            stage=old.stage,
            hand_number=old.hand_number,
            forehand=old.forehand,
            deal=old.deal,
            hand=self._last_hand,
            question=None,
            offers=(),
            points=old.points,
            money=old.money,
            finished=old.finished,
            settlement=None,
        )
        return replace(view, table=shown)

    def _let_go(self, now: float) -> None:
        """The last trick has been looked at."""
        late, self._held_until = self._late, 0.0
        if late is not None:
            self._held_until = now  # and not again
            self.show(late, now)
            self._held_until = 0.0

    def _choose_base(self, old: View | None, view: View) -> None:
        kind = TablePage if view.table is not None else SeatingPage if view.lobby.seating is not None else LobbyPage
        match = view.table.match if view.table is not None else ""
        before = old.table.match if old is not None and old.table is not None else ""
        if type(self._base) is not kind or match != before:
            self._base = kind(self)
            self.pages = []

    def _after_hands(self, old: View | None, view: View) -> None:
        table = view.table
        assert table is not None
        fresh = old is None or old.table is None or old.table.match != table.match
        for hand in table.finished:
            key = (table.match, hand.deal)
            if key in self._scored:
                continue
            self._scored.add(key)
            if not fresh:
                self._open_score(hand)
        if table.stage is Stage.SETTLED and table.settlement is not None and self._settled != table.match:
            self._settled = table.match
            self.pages.insert(0, DocumentPage(self, _("Settlement"), self._settlement_lines))

    def _settlement_lines(self, width: int) -> list[Line]:
        table = self.view.table if self.view is not None else None
        if table is None or table.settlement is None:
            return []
        return settlement_document(table, table.settlement, self.faces, width)

    def press(self, key: str, now: float) -> None:
        """A key, named as in :mod:`node.console.keys`."""
        self.now = now
        if self._late is not None:
            self._let_go(now)
            if key in ("enter", "space", "escape"):
                return
        if self.flash is not None:
            self.flash = None
        self._top().press(key)

    def paste(self, text: str, now: float) -> None:
        """Text that was pasted."""
        self.now = now
        self._top().paste(text)

    def click(self, canvas: Canvas, x: int, y: int, now: float) -> None:
        """A click on a cell of what was drawn."""
        self.now = now
        action = canvas.hit(x, y)
        if action is not None:
            self._top().click(action)

    def tick(self, now: float) -> None:
        """Time has passed."""
        self.now = now
        if self._late is not None and now >= self._held_until:
            self._let_go(now)
        if self.flash is not None and now >= self.flash_until:
            self.flash = None
        if isinstance(self._base, TablePage) and self.view is not None and self.view.table is not None:
            self._base.tick()

    # --- what goes out ----------------------------------------------------------------------------------------

    def next_tick(self) -> float | None:
        """When :meth:`tick` is due, None: not before something happens."""
        times = [self.flash_until] if self.flash is not None else []
        if self._late is not None:
            times.append(self._held_until)
        if isinstance(self._base, TablePage) and self.view is not None and self.view.table is not None:
            due = self._base.next_tick()
            if due is not None:
                times.append(due)
        return min(times, default=None)

    def take(self) -> list[Command]:
        """The commands since the last call."""
        out, self._out = self._out, []
        return out

    def draw(self, width: int, height: int) -> Canvas:
        """The screen as it is now, for any size."""
        canvas = Canvas(width, height, "felt")
        if too_small(width, height):
            _draw_too_small(canvas)
            return canvas
        below = [page for page in self.pages if not page.popup]
        page = below[-1] if below else self._base
        page.draw(canvas)
        table = self.view.table if self.view is not None else None
        if below and table is not None and table.question is not None:
            text = f" {self.faces.sign('turn')} " + _("your turn") + " "
            canvas.text(width - text_width(text), 0, text, "turn")
        for popup in self.pages[self.pages.index(page) + 1 if below else 0 :]:
            canvas.spots.clear()
            popup.draw(canvas)
        top = self._top()
        draw_footer(canvas, top)
        if self.flash is not None and not isinstance(self._base if not below else page, TablePage):
            lines = wrap(self.flash[0], width - 4)[:2]
            for number, line in enumerate(lines):
                canvas.text(0, height - 1 - len(lines) + number, pad("  " + line, width), self.flash[1])
        if self.faces.ascii:
            canvas.replace(ELLIPSIS, self.faces.dots)
        return canvas

    # --- for pages --------------------------------------------------------------------------------------------

    def _top(self) -> Page:
        return self.pages[-1] if self.pages else self._base

    def open(self, page: Page) -> None:
        """Lay a page on the stack."""
        self.pages.append(page)

    def _slide_in(self, page: Page) -> None:
        """Lay a page on the stack by itself: below small windows, where somebody may be typing."""
        place = len(self.pages)
        while place and self.pages[place - 1].popup:
            place -= 1
        self.pages.insert(place, page)

    def close(self, page: Page) -> None:
        """Take a page from the stack."""
        if page in self.pages:
            self.pages.remove(page)

    def send(self, command: Command) -> None:
        """Send a command to the node."""
        self._out.append(command)

    def choose(self, choice: Choice) -> None:
        """Do what a choice means."""
        if callable(choice.act):
            choice.act()
        else:
            self.send(choice.act)

    def say(self, text: str, style: str = "strong") -> None:
        """A remark on the line of prompts."""
        self.flash = (text, style)
        self.flash_until = self.now + FLASH_TIME

    def ring(self) -> None:
        """The bell."""
        if self.settings.bell:
            self.bells += 1

    def change(self, **changes: object) -> bool:
        """Change settings and keep them; False if they could not be kept (said to the person)."""
        dwell = self.settings.dwell
        self.settings = replace(self.settings, **changes)  # type: ignore[arg-type]
        self.faces = faces_for(self.settings.faces, self.settings.letters)
        self.mouse = self.settings.mouse
        if self.settings.dwell != dwell:
            self.send(WishDwell(self.settings.dwell))
        if isinstance(self._base, TablePage):
            self._base.sort = self.settings.sort
        if self.save is not None:
            error = self.save(self.settings)
            if error:
                self.say(error, "error")
                return False
        return True

    def perform(self, action: str) -> bool:
        """What a key does everywhere."""
        match action:
            case "help":
                self.open(DocumentPage(self, _("Help"), lambda width: help_document(self.faces, width)))
            case "rules":
                self.open(RulesPage(self))
            case "settings":
                self.open(SettingsPage(self))
            case "log":
                page = DocumentPage(self, _("What was said and done"), self._log_lines)
                page.top = 10**6
                self.open(page)
            case "redraw":
                self.cleared += 1
            case "mouse":
                if self.change(mouse=not self.mouse):
                    self.say(_("The mouse is on.") if self.mouse else _("The mouse is off."))
            case "quit":
                self.quit()
            case _:
                return False
        return True

    def _log_lines(self, width: int) -> list[Line]:
        lines: list[Line] = []
        for said in self.log:
            style = TONES[said.tone] if said.tone.value != "info" else "strong" if said.kind == "chat" else "felt"
            lines += [[(style, row)] for row in wrap(said.text, width)]
        return lines

    def quit(self) -> None:
        """Leave the page on top, the settled match, or, after a question, the program."""
        if self.pages:
            self.pages.pop()
            return
        view = self.view
        if view is None:
            self.stopping = True
            return
        if view.table is not None and view.table.stage is Stage.SETTLED:
            from node.view import Leave

            self.send(Leave())
            return
        text = ""
        if view.table is not None:
            text = _("The match stays open, also for the others; doko takes it up again.")

        def stop() -> None:
            self.stopping = True

        choices = [Choice(_("stay"), lambda: None), Choice(_("leave doko"), stop)]
        self.open(LeavePopup(self, _("Leave?"), choices, text))

    # --- scores and reviews -----------------------------------------------------------------------------------

    def _open_score(self, hand: FinishedHand) -> None:
        deal = [hand.deal]

        def turn(by: int) -> tuple[str, Callable[[int], list[Line]]] | None:
            table = self.view.table if self.view is not None else None
            if table is None:
                return None
            deals = [other.deal for other in table.finished]
            place = deals.index(deal[0]) + by if deal[0] in deals else -1
            if not 0 <= place < len(deals):
                return None
            deal[0] = deals[place]
            return self._score_title(table.finished[place]), lines

        def lines(width: int) -> list[Line]:
            table = self.view.table if self.view is not None else None
            found = [other for other in table.finished if other.deal == deal[0]] if table is not None else []
            if table is None or not found:
                return []
            return score_document(table, found[0], self.faces, width)

        self._slide_in(ScorePage(self, self._score_title(hand), lines, turn))

    def _score_title(self, hand: FinishedHand) -> str:
        assert self.view is not None
        assert self.view.table is not None
        return _("Score") + ": " + hand_title(self.view.table, hand)

    def open_scores(self) -> None:
        """All hands so far."""

        def lines(width: int) -> list[Line]:
            table = self.view.table if self.view is not None else None
            return scores_document(table, self.faces, width) if table is not None else []

        self.open(DocumentPage(self, _("Scores"), lines))

    def open_review(self) -> None:
        """The review of the last finished hand."""
        table = self.view.table if self.view is not None else None
        hands = [hand for hand in table.finished if hand.hands] if table is not None else []
        if hands:
            self.open(ReviewPage(self, len(hands) - 1))
        else:
            self.say(_("No hand is over yet."), "warn")


class LeavePopup(ChoicePopup):
    """The question whether to leave; Ctrl-C once more means yes."""

    def do_quit(self, key: str = "") -> None:
        """Close, or leave at once."""
        self.close()
        if key == "c-c":
            self.model.stopping = True


class ScorePage(DocumentPage):
    """The score of a hand; ``r`` reviews it."""

    def press(self, key: str) -> bool:
        if key == "r":
            self.model.open_review()
            return True
        return super().press(key)

    def footer(self) -> list[tuple[str, str, str]]:
        entries = super().footer()
        return [entries[0], ("r", _("review"), "review"), *entries[1:]]

    def do_review(self, _key: str = "") -> None:
        """Review."""
        self.model.open_review()


def _draw_too_small(canvas: Canvas) -> None:
    text = _("please enlarge") + f" ({SMALLEST[0]} x {SMALLEST[1]})"
    lines = wrap(text, max(canvas.width, 1))
    top = max((canvas.height - len(lines)) // 2, 0)
    for number, line in enumerate(lines):
        canvas.text(max((canvas.width - len(line)) // 2, 0), top + number, line, "strong")
