"""The table without its picture: what is asked, what keys do, what happens by itself.

:class:`TableKeys` knows the state of the page (cursor, order, a held card, the trick that still lies there);
:class:`~node.console.tablepage.TablePage` draws it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from node.console import words
from node.console.documents import terms_document, why_document
from node.console.faces import card_words, read_rank
from node.console.page import Choice, ChoicePopup, DocumentPage, LinePopup, Page
from node.console.sorting import ORDERS, sorted_hand
from node.i18n import _
from node.view import (
    Ask,
    AskHint,
    Bid,
    ChooseAbsence,
    GoOn,
    MakeCall,
    MuteChat,
    NameGame,
    Pause,
    PlayCard,
    Rematch,
    Say,
    SeenTrick,
    Stage,
    TableView,
    VoidHand,
)
from protocol.cards import SUIT_LETTERS
from protocol.rules.acts import Healthy, Name, Play, Reserve
from protocol.rules.contracts import Contract
from protocol.rules.hand import HandState, Trick

if TYPE_CHECKING:
    from node.console.model import Model


def answers(table: TableView) -> list[Choice]:
    """The numbered answers to the table's question, where it is not a card."""
    question, view = table.question, table.hand
    if question is None:
        return []
    if question.kind is Ask.ABSENCE and table.absence is not None:
        return [
            Choice(_(words.ABSENCE[choice]), ChooseAbsence(choice), _(words.ABSENCE_MEANING[choice]))
            for choice in table.absence.choices
        ]
    if question.kind is Ask.GO_ON:
        return [Choice(_("go on"), GoOn(), _("three hands in a row were void (R29)"))]
    choices = []
    for act in view.legal if view is not None else ():
        if isinstance(act, Healthy):
            choices.append(Choice(_("healthy"), Bid(False)))
        elif isinstance(act, Reserve):
            choices.append(Choice(_("reservation"), Bid(True)))
        elif isinstance(act, Name):
            choices.append(Choice(words.contract_name(act.contract), NameGame(act.contract)))
    return choices


def offered_calls(table: TableView) -> list[Choice]:
    """The calls that may be made now, each with its deadline."""
    choices = []
    for offer in table.offers:
        label = words.call_name(offer.kind)
        if offer.reply:
            label = _("{call} (as a reply)").format(call=label)
        left = offer.cards - offer.until
        note = (
            _("now, before your next card")
            if left <= 0
            else _("as long as you hold {cards}").format(cards=words.cards(offer.until))
        )
        choices.append(Choice(label, MakeCall(offer.kind), note))
    return choices


class TableKeys(Page):
    """The base page while a match is on."""

    popup = False

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self.sort = model.settings.sort
        self.hidden = model.settings.hide
        self.focus = 0
        self.choice = 0
        self.suit: int | None = None  # a suit's letter was typed, the rank is to come
        self.show_last = False
        self.held: tuple[int, float] | None = None  # a chosen card and when it is sent
        self.auto_at: float | None = None  # when the forced last card is played
        self.dwell_until = 0.0
        self.dwell_trick: Trick | None = None
        self.locked_until = 0.0
        self._serial = -1

    # --- what is new ------------------------------------------------------------------------------------------

    @property
    def table(self) -> TableView:
        """The match that is shown."""
        view = self.model.view
        assert view is not None
        assert view.table is not None
        return view.table

    def update(self, old: TableView | None, new: TableView) -> None:
        """A new view has come."""
        model = self.model
        was = old.hand if old is not None and old.match == new.match and old.deal.number == new.deal.number else None
        if new.hand is not None:
            tricks = len(new.hand.state.tricks)
            before = len(was.state.tricks) if was is not None else tricks
            if tricks > before and new.dwell > 0:
                self.dwell_trick = new.hand.state.tricks[-1]
                self.dwell_until = model.now + new.dwell
            if tricks > before:
                self.show_last = False
            if was is None:
                self.focus, self.show_last, self.dwell_trick = 0, False, None
        else:
            self.held = self.auto_at = None
            self.dwell_trick, self.show_last = None, False
        question = new.question
        serial = question.serial if question is not None else -1
        if serial != self._serial:
            self._serial = serial
            self.choice = 0
            self.suit = None
            self.held = self.auto_at = None
            if question is not None:
                self.locked_until = model.now + model.settings.lock
                model.ring()
                if question.kind is Ask.PLAY:
                    self._prepare_play(new)
        hand = self.hand()
        self.focus = max(min(self.focus, len(hand) - 1), 0)

    def _prepare_play(self, table: TableView) -> None:
        legal = self.legal()
        hand = self.hand()
        if legal and self.focus < len(hand) and hand[self.focus] not in legal:
            places = [place for place, card in enumerate(hand) if card in legal]
            self.focus = min(places, key=lambda place: abs(place - self.focus))
        if len(hand) == 1 and table.hand is not None and self.model.settings.auto_last:
            self.auto_at = self.model.now + 0.4 + 0.8 * self.model.rand()

    def next_tick(self) -> float | None:
        """When something changes by itself."""
        times = [self.held[1]] if self.held is not None else []
        if self.auto_at is not None:
            times.append(self.auto_at)
        if self.dwell_trick is not None:
            times.append(self.dwell_until)
        table = self.table
        if any(clock.running and clock.left is not None for clock in table.clocks):
            times.append(self.model.now + 1.0)
        if table.absence is not None and table.absence.grace_left > 0:
            times.append(self.model.now + 1.0)
        if table.stage in (Stage.DEALING, Stage.RESUMING) and table.deal.proving:
            times.append(self.model.now + 0.25)
        return min(times, default=None)

    def tick(self) -> None:
        """Time has passed."""
        now = self.model.now
        if self.held is not None and now >= self.held[1]:
            card, self.held = self.held[0], None
            self.model.send(PlayCard(card))
        if self.auto_at is not None and now >= self.auto_at:
            self.auto_at = None
            hand = self.hand()
            if len(hand) == 1 and self.asked() is Ask.PLAY:
                self.model.send(PlayCard(hand[0]))
        if self.dwell_trick is not None and now >= self.dwell_until:
            self.dwell_trick = None

    # --- what is what -----------------------------------------------------------------------------------------

    def asked(self) -> Ask | None:
        """What kind of answer the table waits for from us."""
        question = self.table.question
        return question.kind if question is not None else None

    def state(self) -> HandState | None:
        """The public state of the hand that runs."""
        view = self.table.hand
        return view.state if view is not None else None

    def contract(self) -> Contract:
        """The contract by which the fan is sorted: while naming, the one under the cursor."""
        state = self.state()
        if state is not None and state.contract is not None:
            return state.contract
        if self.asked() is Ask.NAME:
            choices = answers(self.table)
            if choices:
                act = choices[self.choice % len(choices)].act
                if isinstance(act, NameGame):
                    return act.contract
        return Contract.NORMAL

    def hand(self) -> tuple[int, ...]:
        """Our own cards as they lie in the fan."""
        view = self.table.hand
        return sorted_hand(view.hand, self.contract(), self.sort) if view is not None else ()

    def legal(self) -> frozenset[int]:
        """The cards that may be played now; empty if it is not our turn."""
        view = self.table.hand
        if view is None or self.asked() is not Ask.PLAY:
            return frozenset()
        return frozenset(act.card for act in view.legal if isinstance(act, Play))

    def choices(self) -> list[Choice]:
        """The answers on the line of choices."""
        return answers(self.table)

    def where(self) -> tuple[str, ...]:
        if self.choices():
            return ("choice", "table")
        return ("hand", "table") if self.table.hand is not None else ("table",)

    # --- keys -------------------------------------------------------------------------------------------------

    def press(self, key: str) -> bool:
        if self.dwell_trick is not None:
            self.dwell_trick = None
            self.model.send(SeenTrick())
            if key in ("enter", "space", "escape"):
                return True
        if self.suit is not None:
            suit, self.suit = self.suit, None
            rank = read_rank(key)
            if rank is not None:
                self._go_to(6 * suit + rank)
                return True
        if self.show_last and key in ("escape", "enter"):
            self.show_last = False
            return True
        return super().press(key)

    def paste(self, text: str) -> None:
        self.model.say(_("Press t first, then paste what you want to say."), "warn")

    def click(self, action: str) -> None:
        word, _space, rest = action.partition(" ")
        if word == "card":
            place = int(rest)
            if place == self.focus and self.asked() is Ask.PLAY:
                self._play(by_mouse=True)
            self.focus = place
        elif word == "pick":
            self.choice = int(rest)
            self.do_choose()
        else:
            super().click(action)

    def offers(self, action: str) -> bool:
        table = self.table
        if action == "calls":
            return bool(table.offers)
        if action in ("sort", "hide"):
            return table.hand is not None
        if action == "play":
            return self.asked() is Ask.PLAY
        if action == "last":
            state = self.state()
            return state is not None and bool(state.tricks)
        if action == "rematch":
            return table.stage is Stage.SETTLED
        if action == "hint":
            return table.practice
        return True

    def _locked(self) -> bool:
        if self.model.now < self.locked_until:
            self.model.say(_("The question has just changed; press again if you mean it."), "warn")
            return True
        return False

    def _go_to(self, card: int) -> None:
        hand = self.hand()
        if card in hand:
            self.focus = hand.index(card)
        else:
            self.model.say(_("You do not hold {card}.").format(card=card_words(card, self.model.german)), "warn")

    def do_left(self, _key: str = "") -> None:
        """The card to the left."""
        self.focus = max(self.focus - 1, 0)

    def do_right(self, _key: str = "") -> None:
        """The card to the right."""
        self.focus = max(min(self.focus + 1, len(self.hand()) - 1), 0)

    def do_first(self, _key: str = "") -> None:
        """The leftmost card."""
        self.focus = 0

    def do_final(self, _key: str = "") -> None:
        """The rightmost card."""
        self.focus = max(len(self.hand()) - 1, 0)

    def _step_legal(self, by: int) -> None:
        hand, legal = self.hand(), self.legal()
        for step in range(1, len(hand) + 1):
            place = (self.focus + by * step) % len(hand)
            if not legal or hand[place] in legal:
                self.focus = place
                return

    def do_next_legal(self, _key: str = "") -> None:
        """The next card that may be played."""
        self._step_legal(1)

    def do_prev_legal(self, _key: str = "") -> None:
        """The card before that may be played."""
        self._step_legal(-1)

    def do_number(self, key: str) -> None:
        """The card, or the choice, with a number."""
        place = (int(key) - 1) % 10
        choices = self.choices()
        if choices:
            if place < len(choices):
                self.choice = place
                self.do_choose()
        elif place < len(self.hand()):
            self.focus = place

    def do_suit(self, key: str) -> None:
        """A suit's letter: the rank comes with the next key."""
        self.suit = SUIT_LETTERS.index(key.upper())

    def do_play(self, _key: str = "") -> None:
        """Play the card under the cursor."""
        self._play(by_mouse=False)

    def _play(self, *, by_mouse: bool) -> None:
        hand = self.hand()
        if not hand:
            return
        card = hand[min(self.focus, len(hand) - 1)]
        if self.asked() is not Ask.PLAY:
            self.model.say(_("It is not your turn."), "warn")
            return
        if self._locked():
            return
        if card not in self.legal():
            state = self.state()
            led = state.led if state is not None else None
            if led is not None:
                self.model.say(words.must_follow(led, self.model.german) + " (R13)", "error")
            else:
                self.model.say(_("This card may not be played now."), "error")
            return
        self.auto_at = None
        guard = self.model.settings.guard
        if guard == "always" or (guard == "mouse" and by_mouse):
            if self.held is not None and self.held[0] == card:
                self.held = None
                self.model.send(PlayCard(card))
                return
            self.held = (card, self.model.now + self.model.settings.guard_time)
            return
        self.held = None
        self.model.send(PlayCard(card))

    def do_back(self, _key: str = "") -> None:
        """Take a held card back."""
        if self.held is not None:
            self.held = None
            self.model.say(_("Taken back."), "good")

    def do_prev(self, _key: str = "") -> None:
        """The choice before."""
        self.choice = (self.choice - 1) % max(len(self.choices()), 1)

    def do_next(self, _key: str = "") -> None:
        """The next choice."""
        self.choice = (self.choice + 1) % max(len(self.choices()), 1)

    def do_choose(self, _key: str = "") -> None:
        """Take the choice."""
        choices = self.choices()
        if choices and not self._locked():
            self.model.choose(choices[self.choice % len(choices)])

    def do_calls(self, _key: str = "") -> None:
        """Open what may be called now."""
        choices = offered_calls(self.table)
        if choices:
            self.model.open(ChoicePopup(self.model, _("Announce"), choices))
        else:
            self.model.say(_("There is nothing you may call now (R16 to R20)."), "warn")

    def do_last(self, _key: str = "") -> None:
        """Show or hide the last trick."""
        state = self.state()
        if state is not None and state.tricks:
            self.show_last = not self.show_last
        else:
            self.model.say(_("There is no last trick yet."), "warn")

    def do_sort(self, _key: str = "") -> None:
        """The next order of the fan; the cursor stays on its card."""
        hand = self.hand()
        card = hand[self.focus] if self.focus < len(hand) else None
        self.sort = ORDERS[(ORDERS.index(self.sort) + 1) % len(ORDERS)]
        if card is not None:
            self.focus = self.hand().index(card)

    def do_hide(self, _key: str = "") -> None:
        """Cover or uncover our cards."""
        self.hidden = not self.hidden

    def do_chat(self, _key: str = "") -> None:
        """Type a line to the table."""
        if self.table.chat_muted:
            self.model.say(_("The chat is off for this hand; u switches it on."), "warn")
            return
        self.model.open(LinePopup(self.model, _("To the table"), lambda text: self.model.send(Say(text))))

    def do_mute(self, _key: str = "") -> None:
        """Switch the chat off or on."""
        self.model.send(MuteChat(not self.table.chat_muted))

    def do_scores(self, _key: str = "") -> None:
        """The scores so far; with left and right the hands one by one."""
        self.model.open_scores()

    def do_review(self, _key: str = "") -> None:
        """Review the last finished hand."""
        self.model.open_review()

    def do_terms(self, _key: str = "") -> None:
        """The terms."""
        terms = self.table.terms
        self.model.open(DocumentPage(self.model, _("The terms of this table"), lambda w: terms_document(terms, w)))

    def do_why(self, _key: str = "") -> None:
        """How the others are reached."""
        page = DocumentPage(self.model, _("Links"), lambda w: why_document(self.table.players, self.model.faces, w))
        self.model.open(page)

    def do_pause(self, _key: str = "") -> None:
        """Ask for a pause, agree to one, or end it."""
        table = self.table
        self.model.send(Pause(not (table.paused or table.pause_votes[table.me])))

    def do_hint(self, _key: str = "") -> None:
        """What would ``strong`` do?"""
        self.model.send(AskHint())

    def do_void(self, _key: str = "") -> None:
        """Agree that the hand is void, after a question."""
        if self.table.hand is None and self.table.stage is not Stage.HAND:  # without keys there is a hand unseen
            self.model.say(_("There is no hand to be void."), "warn")
            return
        if any(player.bot is not None for player in self.table.players):
            self.model.say(words.no_void(), "warn")
            return
        choices = [
            Choice(_("no, go on playing"), lambda: None),
            Choice(_("yes, I agree that this hand is void"), VoidHand()),
        ]
        text = _("If all four agree, nothing is paid and the hand is dealt again (R29). You cannot take it back.")
        self.model.open(ChoicePopup(self.model, _("Void hand"), choices, text))

    def do_rematch(self, _key: str = "") -> None:
        """Another match with the same four."""
        if self.table.stage is Stage.SETTLED:
            self.model.send(Rematch())
            self.model.say(_("You would like another match; the others are asked."), "good")
        else:
            self.model.say(_("The match is not over."), "warn")
