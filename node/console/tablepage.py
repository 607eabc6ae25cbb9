"""The table: seats around the trick, the fan of our own cards, what may be done now, and what was said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from node.console import words
from node.console.canvas import Canvas, Fragment, clip, pad, text_width, wrap
from node.console.documents import (
    absence_document,
    contract_cards,
    link_words,
    player_name,
    scores_document,
    terms_document,
    why_document,
)
from node.console.drawing import draw_back, draw_card
from node.console.faces import card_words, read_rank
from node.console.page import TONES, Choice, ChoicePopup, DocumentPage, LinePopup, Page
from node.console.plan import Plan, plan_for
from node.console.sorting import ORDERS, sorted_hand
from node.console.style import inline_style, suit_style
from node.i18n import _
from node.view import (
    Ask,
    Bid,
    ChooseAbsence,
    GoOn,
    LinkState,
    MakeCall,
    MuteChat,
    NameGame,
    Pause,
    PlayCard,
    Rematch,
    Say,
    Stage,
    Step,
    TableView,
    VoidHand,
)
from protocol.cards import CARD_POINTS, SUIT_LETTERS, SUIT_OF
from protocol.rules.acts import Healthy, Name, Play, Reserve
from protocol.rules.contracts import Contract
from protocol.rules.hand import HandState, Phase, Trick

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


class TablePage(Page):
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

    def do_void(self, _key: str = "") -> None:
        """Agree that the hand is void, after a question."""
        if self.table.hand is None:
            self.model.say(_("There is no hand to be void."), "warn")
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

    # --- drawing ----------------------------------------------------------------------------------------------

    def draw(self, canvas: Canvas) -> None:
        plan = plan_for(canvas.width, canvas.height)
        self._header(canvas)
        if plan.compact:
            self._compact(canvas)
            return
        if plan.panel:
            self._panel(canvas, plan)
        center = plan.area // 2
        for rel in (1, 2, 3):
            self._player(canvas, plan, (self.table.me + rel) % 4, rel)
        if self.table.stage in (Stage.DEALING, Stage.RESUMING) and self.table.hand is None:
            self._deal(canvas, plan, center)
        elif self.asked() is Ask.ABSENCE and self.table.absence is not None:
            self._absence(canvas, plan)
        elif self.table.hand is not None:
            self._trick(canvas, plan, center)
        else:
            self._between(canvas, plan)
        self._own(canvas, plan)
        self._fan(canvas, plan)
        rows = self._prompt(canvas, 2, plan.prompt, plan.area - 4, plan.prompt_rows)
        if plan.log:
            self._log(canvas, 2, plan.prompt + max(rows, 1), plan.area - 4, canvas.height - 1)

    def _header(self, canvas: Canvas) -> None:
        table, faces = self.table, self.model.faces
        canvas.fill(0, 0, canvas.width, 1, " ", "header")
        parts = [_("Hand {number} of {total}").format(number=table.hand_number, total=table.terms.hands)]
        state = self.state()
        if state is not None:
            parts.append(self._game(state))
        elif table.stage is Stage.SETTLED:
            parts = [_("The match is settled")]
        elif table.stage is Stage.SETTLING:
            parts = [_("The four sign the settlement")]
        left = f" {faces.sign('sep')} ".join(parts)
        right = self._clock_text(table.me)
        if table.paused:
            right = _("pause")
        stake = words.money(table.terms.stake, table.terms.currency)
        room = canvas.width - text_width(left) - text_width(right) - 6
        mode = f"{words.mode_name(table.terms.mode)}, {stake}"
        canvas.text(1, 0, clip(left, canvas.width - text_width(right) - 3, faces.dots), "header")
        if text_width(mode) <= room:
            canvas.text(text_width(left) + 4, 0, mode, "header.soft")
        canvas.text(canvas.width - text_width(right) - 1, 0, right, "header")

    def _game(self, state: HandState) -> str:
        if state.contract is None:
            return _("bidding")
        game = words.contract_name(state.contract)
        player = state.soloist if state.soloist is not None else state.groom
        if player is None:
            return game
        return f"{game} ({player_name(self.table, self.table.seat_of(player))})"

    def _clock_text(self, seat: int) -> str:
        clock = self.table.clocks[seat]
        if clock.left is None:
            return ""
        passed = self.model.now - self.model.shown_at if clock.running and not self.table.paused else 0.0
        left, reserve = clock.left - passed, clock.reserve
        if left < 0:
            left, reserve = 0.0, max(reserve + left, 0.0)
        sign = self.model.faces.sign("clock")
        if not clock.running:
            return f"{sign} +{words.seconds(reserve)}" if seat == self.table.me else ""
        return f"{sign} {words.seconds(left)} +{words.seconds(reserve)}"

    def _link(self, seat: int) -> Fragment:
        link, faces = self.table.players[seat].link, self.model.faces
        if link.state in (LinkState.DIRECT, LinkState.SELF):
            return "link.good", faces.sign("direct")
        if link.state is LinkState.VIA:
            return "link.half", f"{faces.sign('via')} " + link_words(link)
        return "link.lost", f"{faces.sign('lost')} " + link_words(link)

    def _turn(self) -> int | None:
        """Whose turn it is, as a seat."""
        state = self.state()
        if state is None or state.turn is None or self.dwell_trick is not None:
            return None
        return self.table.seat_of(state.turn)

    def _badges(self, seat: int) -> list[Fragment]:
        """Side and calls of a seat."""
        state = self.state()
        if state is None:
            return []
        position = self.table.position_of(seat)
        badges: list[Fragment] = []
        side = state.side_of(position) if seat == self.table.me else state.known_sides[position]
        if side is not None and not (seat == self.table.me and self.hidden):
            badges.append((str(side), f" {words.side_name(side)} "))
        calls = [words.call_name(call.kind) for call in state.calls if call.player == position]
        if calls:
            badges.append(("mark", f" {calls[-1]}!"))
        return badges

    def _status(self, seat: int) -> tuple[list[Fragment], list[Fragment], list[Fragment]]:
        """Name line, cards line and marks line of a seat."""
        table, faces, state = self.table, self.model.faces, self.state()
        player = table.players[seat]
        name = clip(player_name(table, seat), 14, faces.dots)
        style = "name"
        mark = ""
        if seat == self._turn():
            style, mark = "turn", faces.sign("turn") + " "
        first: list[Fragment] = [(style, f" {mark}{name} " if style == "turn" else name)]
        if seat != table.me:
            first += [("felt", " "), self._link(seat)]
        if player.bot is not None:
            first.append(("soft", " " + _("computer")))
        if player.dropped:
            first.append(("warn", " " + _("ghost")))
        clock = self._clock_text(seat) if seat != table.me else ""
        if clock:
            first.append(("soft", " " + clock))
        second: list[Fragment] = []
        third: list[Fragment] = []
        if state is not None:
            position = table.position_of(seat)
            left = state.cards_left(position)
            second = [("back", faces.sign("back") * left)]
            won = sum(trick.winner == position for trick in state.tricks)
            third = [("pile", f"{faces.sign('pile')} {words.tricks(won)}")]
        if seat == table.forehand and (state is not None or table.stage is Stage.DEALING):
            third += [("soft", f" {faces.sign('sep')} " if third else ""), ("mark", _("forehand"))]
        return first, second, third

    def _player(self, canvas: Canvas, plan: Plan, seat: int, rel: int) -> None:
        first, second, third = self._status(seat)
        badges = self._badges(seat)
        if rel == 2:
            line = [*first, ("felt", "  "), *third]
            width = sum(text_width(text) for _style, text in line)
            canvas.fragments(max((plan.area - width) // 2, 0), plan.north, line, plan.area)
            line = [*second, ("felt", "  " if badges else ""), *badges]
            width = sum(text_width(text) for _style, text in line)
            canvas.fragments(max((plan.area - width) // 2, 0), plan.north + 1, line, plan.area)
            return
        rows = [first, second, third, badges]
        room = plan.area // 2 - plan.trick[0] - 6
        top = plan.trick_top + max((2 * plan.trick[1] + 1 - 4) // 2, 0)
        for number, line in enumerate(rows):
            width = sum(text_width(text) for _style, text in line)
            x = 2 if rel == 1 else max(plan.area - 2 - width, plan.area - 2 - room)
            canvas.fragments(x, top + number, line, room)

    def _places(self, plan: Plan, center: int) -> dict[int, tuple[int, int]]:
        """Top left corners of the four cards of a trick, by seat relative to ours."""
        width, height = plan.trick
        top = plan.trick_top
        return {
            2: (center - width // 2, top),
            1: (center - width // 2 - width - 2, top + (height + 1) // 2),
            3: (center + width // 2 + 2 + width % 2, top + (height + 1) // 2),
            0: (center - width // 2, top + height + 1),
        }

    def _shown_trick(self) -> tuple[int, tuple[int, ...], int | None, bool]:
        """Leader, cards and winner (positions) of the trick to draw, and whether it is a finished one."""
        state = self.state()
        assert state is not None
        finished = self.dwell_trick
        if self.show_last and state.tricks:
            finished = state.tricks[-1]
        if finished is None and state.phase is Phase.DONE and state.tricks:
            finished = state.tricks[-1]
        if finished is not None:
            return finished.leader, finished.cards, finished.winner, True
        return state.leader, state.trick, state.winning, False

    def _trick(self, canvas: Canvas, plan: Plan, center: int) -> None:
        state, table, faces = self.state(), self.table, self.model.faces
        assert state is not None
        places = self._places(plan, center)
        width, height = plan.trick
        if state.contract is None:
            for position in range(len(state.bids)):
                x, y = places[(table.seat_of(position) - table.me) % 4]
                text = f" {self._bid_words(state, position)} "
                canvas.text(x + (width - text_width(text)) // 2, y + height // 2, text, "badge")
            return
        leader, cards, winner, finished = self._shown_trick()
        for number, card in enumerate(cards):
            position = (leader + number) % 4
            x, y = places[(table.seat_of(position) - table.me) % 4]
            draw_card(canvas, x, y, plan.trick, card, faces, "focus" if position == winner and finished else "")
        if cards:
            total = str(sum(CARD_POINTS[card] for card in cards))
            y = plan.trick_top + height
            canvas.text(center - len(total) // 2, y, total, "strong" if finished else "soft")
        if finished and winner is not None:
            number = len(state.tricks)
            if self.dwell_trick is not None and not self.show_last and self.dwell_trick in state.tricks:
                number = state.tricks.index(self.dwell_trick) + 1
            text = _("Trick {number}: {name}").format(number=number, name=player_name(table, table.seat_of(winner)))
            if self.show_last:
                text = _("Last trick") + f" {faces.sign('sep')} " + text
            canvas.text(max((plan.area - text_width(text)) // 2, 0), plan.own - 1, text, "soft")

    def _bid_words(self, state: HandState, position: int) -> str:
        for named, contract in state.names:
            if named == position:
                return words.contract_name(contract)
        return _("reservation") if state.bids[position] else _("healthy")

    def _own(self, canvas: Canvas, plan: Plan) -> None:
        table = self.table
        first, _second, third = self._status(table.me)
        line = [*first, ("felt", "  "), *third, ("felt", "  "), *self._badges(table.me)]
        canvas.fragments(2, plan.own, line, plan.area - 4)
        totals = _("{points}, {money}").format(
            points=words.points(table.points[table.me]),
            money=words.money(table.money[table.me], table.terms.currency, True),
        )
        used = sum(text_width(text) for _style, text in line)
        if used + text_width(totals) + 6 <= plan.area:
            canvas.text(plan.area - 2 - text_width(totals), plan.own, totals, "soft")

    def _fan(self, canvas: Canvas, plan: Plan) -> None:
        hand, faces, legal = self.hand(), self.model.faces, self.legal()
        if not hand:
            return
        width, height = plan.card
        room = plan.area - 4
        step = min(width, (room - width) // max(len(hand) - 1, 1)) if len(hand) > 1 else width
        left = (plan.area - (step * (len(hand) - 1) + width)) // 2
        mine = self.asked() is Ask.PLAY
        for place, card in enumerate(hand):
            x = left + place * step
            focused = place == self.focus
            y = plan.hand_top + (0 if focused and not self.hidden else 1)
            if self.hidden:
                draw_back(canvas, x, y, plan.card, faces)
            else:
                state = "focus" if focused else "dim" if mine and card not in legal else ""
                if focused and mine and card not in legal:
                    state = "dim"
                draw_card(canvas, x, y, plan.card, card, faces, state)
            canvas.spot(x, y, width, height, f"card {place}")
        x = left + self.focus * step
        canvas.text(x + 1, plan.marks, faces.sign("cursor"), "mark")
        for place, card in enumerate(hand):
            if mine and card in legal and place != self.focus and not self.hidden:
                canvas.text(left + place * step + 1, plan.marks, faces.sign("legal"), "legal")
        canvas.cursor = (x + 1, plan.hand_top + 1 + (1 if self.hidden else 0))
        canvas.show_cursor = not self.choices()

    def prompt(self) -> Fragment:
        """What the table waits for, in one sentence."""
        table, model = self.table, self.model
        if self.held is not None:
            card = card_words(self.held[0], model.german)
            return "warn", _("{card} is about to be played; Esc takes it back, Enter plays it now.").format(card=card)
        if model.flash is not None:
            return model.flash[1], model.flash[0]
        if self.suit is not None:
            return "warn", _("{suit}: now the rank").format(suit=model.faces.suits[self.suit])
        if table.paused:
            return "warn", _("Pause by agreement; p ends it.")
        asked = self.asked()
        if asked is Ask.BID:
            return "strong", _("Healthy, or a reservation?")
        if asked is Ask.NAME:
            return "strong", _("Which game is your reservation?")
        if asked is Ask.ABSENCE:
            return "strong", _("What shall be done?")
        if asked is Ask.GO_ON:
            return "strong", _("Three hands in a row were void. Go on?")
        if asked is Ask.PLAY:
            if self.auto_at is not None:
                return "soft", _("Your last card is played for you.")
            state = self.state()
            led = state.led if state is not None else None
            if led is None:
                return "strong", _("You lead: choose a card.")
            return "strong", _("Your turn; led: {led}.").format(led=words.class_name(led, model.german))
        if table.stage is Stage.STOPPED:
            text = table.stop or _("The match has stopped.")
            if table.evidence:
                text += " " + _("The evidence: {path}").format(path=table.evidence)
            return "error", text
        if table.stage is Stage.ADJOURNED:
            return "warn", _("The match is adjourned. It can be taken up again from the lobby.")
        if table.stage is Stage.SETTLED:
            return "good", _("The match is settled: i scores, r review, n another match, q to the lobby.")
        if table.stage is Stage.SETTLING:
            return "soft", _("The four sign the settlement ...")
        if table.stage is Stage.RESUMING:
            return "soft", _("Taking the match up again: waiting for what the others hold.")
        if table.stage is Stage.DEALING:
            return "soft", self._deal_sentence()
        turn = self._turn()
        if turn is not None and turn != table.me:
            return "soft", _("{name}'s turn").format(name=table.players[turn].name)
        if table.busy:
            return "soft", _("One moment ...")
        return "soft", ""

    def _deal_sentence(self) -> str:
        deal, table = self.table.deal, self.table
        if deal.proving:
            return _("Your node computes a proof ...")
        for seat, step in enumerate(deal.shuffles):
            if step is not Step.DONE and deal.keys.count(Step.DONE) == 4:
                if seat == table.me:
                    return _("You shuffle ...")
                return _("{name} shuffles ...").format(name=table.players[seat].name)
        if not deal.barrier and deal.keys.count(Step.DONE) == 4:
            return _("Everybody checks all four shuffles ...")
        if deal.barrier:
            return _("The cards are dealt ...")
        return _("The four make their keys for this deal ...")

    def _prompt(self, canvas: Canvas, x: int, y: int, width: int, rows: int) -> int:
        """The sentence and the choices; gives the rows used."""
        style, text = self.prompt()
        choices = self.choices()
        lines = wrap(text, width)[: 1 if choices else rows]
        for number, line in enumerate(lines):
            canvas.text(x, y + number, line, style)
        if not choices:
            return len(lines)
        at = x + (text_width(lines[0]) + 2 if lines else 0)
        row, used = y, 1
        labels = [f" {number} {choice.label} " for number, choice in enumerate(choices, 1)]
        if at + sum(text_width(label) + 1 for label in labels) > x + width:
            at, row, used = x, y + 1, 2
        chosen = self.choice % len(choices)
        for number, label in enumerate(labels):
            if at + text_width(label) > x + width:
                at, row, used = x, row + 1, used + 1
            canvas.text(at, row, label, "focus" if number == chosen else "badge")
            canvas.spot(at, row, text_width(label), 1, f"pick {number}")
            if number == chosen:
                canvas.cursor, canvas.show_cursor = (at + 1, row), True
            at += text_width(label) + 1
        return used

    def _log(self, canvas: Canvas, x: int, top: int, width: int, bottom: int) -> None:
        """The last sentences, newest at the bottom."""
        rows: list[Fragment] = []
        for said in reversed(self.model.log):
            if said.kind == "card":
                continue
            style = TONES[said.tone] if said.tone.value != "info" else "strong" if said.kind == "chat" else "soft"
            rows.extend((style, line) for line in reversed(wrap(said.text, width)))
            if len(rows) >= bottom - top:
                break
        for number, (style, line) in enumerate(reversed(rows[: max(bottom - top, 0)])):
            canvas.text(x, top + number, line, style)

    def _panel(self, canvas: Canvas, plan: Plan) -> None:
        """Scores and sentences at the right."""
        table, faces = self.table, self.model.faces
        x, width = plan.area, plan.panel - 2
        for y in range(1, canvas.height - 1):
            canvas.text(x - 1, y, "|" if faces.ascii else "│", "frame")
        y = 2
        column = max((width - 3) // 4, 5)
        canvas.text(x + 1, 1, _("Scores"), "title")
        names = [("  ", "soft")] + [(pad(player_name(table, seat), column - 1, ">"), "name") for seat in range(4)]
        at = x + 1
        for text, style in names:
            at = canvas.text(at, y, clip(text, column - 1, faces.dots if style == "name" else ""), style) + (
                1 if style == "name" else 0
            )
        y += 1
        for hand in table.finished[-5:]:
            at = canvas.text(x + 1, y, pad("-" if hand.result.void else str(hand.number), 2), "soft")
            for seat in range(4):
                at = canvas.text(at, y, pad(words.signed(hand.points[seat]), column - 1, ">") + " ", "felt")
            y += 1
        at = canvas.text(x + 1, y, "= ", "soft")
        for seat in range(4):
            at = canvas.text(at, y, pad(words.signed(table.points[seat]), column - 1, ">") + " ", "strong")
        y += 2
        state = self.state()
        if state is not None and state.contract is not None:
            for line in wrap(words.trumps_line(state.contract), width)[:2]:
                canvas.text(x + 1, y, line, "soft")
                y += 1
            for run in contract_cards(state.contract, faces, width):
                canvas.fragments(x + 1, y, run, width)
                y += 1
            y += 1
        self._log(canvas, x + 1, y, width, canvas.height - 1)

    def _deal(self, canvas: Canvas, plan: Plan, center: int) -> None:
        """The deal step by step, each shuffle by name."""
        table, faces = self.table, self.model.faces
        deal = table.deal
        columns = [
            (_("keys"), deal.keys),
            (_("shuffle"), deal.shuffles),
            (_("check"), deal.checks),
            (_("cards"), deal.shares),
        ]
        widths = [max(text_width(title), 3) + 1 for title, _steps in columns]
        name_width = 12
        width = min(name_width + sum(widths) + 4, plan.area - 4)
        height = 8
        x = center - width // 2
        y = plan.trick_top + max((2 * plan.trick[1] + 1 - height) // 2, -1)
        title = (
            _("Taking up the match") if table.stage is Stage.RESUMING else _("Deal {number}").format(number=deal.number)
        )
        canvas.box(x, y, width, height, "frame", faces.box, title)
        at = x + 2 + name_width
        if table.stage is Stage.RESUMING:
            for seat in range(4):
                told = table.told[seat]
                canvas.text(x + 2, y + 2 + seat, pad(player_name(table, seat), name_width), "name")
                text = _("has told what it holds") if told else _("has not answered yet")
                canvas.text(at, y + 2 + seat, clip(text, width - name_width - 4), "good" if told else "soft")
            return
        for (label, steps), column in zip(columns, widths, strict=True):
            canvas.text(at, y + 1, pad(label, column, ">"), "soft")
            for seat in range(4):
                sign, style = {
                    Step.DONE: ("done", "good"),
                    Step.WORKING: ("work", "warn"),
                    Step.WAITING: ("wait", "soft"),
                }[steps[seat]]
                canvas.text(at, y + 2 + seat, pad(faces.sign(sign), column, ">"), style)
            at += column
        for seat in range(4):
            working = Step.WORKING in (deal.shuffles[seat], deal.checks[seat])
            canvas.text(x + 2, y + 2 + seat, pad(player_name(table, seat), name_width), "strong" if working else "name")
        barrier = sum(step is Step.DONE for step in deal.checks)
        text = _("barrier: {n} of 4").format(n=barrier)
        if deal.proving:
            text += "  " + "|/-\\"[int(self.model.now * 4) % 4] + " " + _("proof")
        canvas.text(x + 2, y + 6, clip(text, width - 4), "good" if deal.barrier else "soft")

    def _absence(self, canvas: Canvas, plan: Plan) -> None:
        absence = self.table.absence
        assert absence is not None
        width = min(plan.area - 4, 70)
        lines = absence_document(self.table, absence, width - 4)
        rows = 2 * plan.trick[1] + 3
        x = (plan.area - width) // 2
        canvas.box(x, plan.trick_top - 1, width, min(len(lines) + 2, rows), "frame", self.model.faces.box, _("Absence"))
        for number, line in enumerate(lines[: rows - 2]):
            canvas.fragments(x + 2, plan.trick_top + number, line, width - 4)

    def _between(self, canvas: Canvas, plan: Plan) -> None:
        """No hand and no deal: the scores in the middle."""
        lines = scores_document(
            self.table, self.model.faces, min(plan.area - 44, 60) if plan.area > 90 else plan.area - 8
        )
        for number, line in enumerate(lines[: 2 * plan.trick[1] + 2]):
            width = sum(text_width(text) for _style, text in line)
            canvas.fragments(max((plan.area - width) // 2, 0), plan.trick_top + number, line, plan.area)

    def _compact(self, canvas: Canvas) -> None:
        """A line for each player, the hand as words."""
        table, faces, state = self.table, self.model.faces, self.state()
        width = canvas.width - 2
        shown: dict[int, int] = {}
        winner = None
        finished = False
        if state is not None and state.contract is not None:
            leader, cards, won, finished = self._shown_trick()
            shown = {table.seat_of((leader + number) % 4): card for number, card in enumerate(cards)}
            winner = table.seat_of(won) if won is not None else None
        y = 1
        for rel in (1, 2, 3, 0):
            seat = (table.me + rel) % 4
            turn = seat == self._turn()
            name = pad(player_name(table, seat), 10)
            at = canvas.text(1, y, (faces.sign("turn") if turn else " ") + name, "turn" if turn else "name")
            if seat != table.me:
                link = self._link(seat)
                at = canvas.text(at + 1, y, link[1][:1], link[0])
            else:
                at += 2
            if state is not None:
                position = table.position_of(seat)
                won_tricks = sum(trick.winner == position for trick in state.tricks)
                at = canvas.text(at + 1, y, f"{state.cards_left(position):2}", "back")
                at = canvas.text(at + 1, y, f"{faces.sign('pile')}{won_tricks:2}", "pile")
                if seat == table.forehand:
                    canvas.text(at + 1, y, "F", "mark")
                at = canvas.fragments(at + 3, y, self._badges(seat), max(canvas.width - 6 - at - 3, 0))
                if state.contract is None and position < len(state.bids):
                    text = self._bid_words(state, position)
                    canvas.text(canvas.width - text_width(text) - 1, y, text, "badge")
            elif table.stage is Stage.DEALING:
                deal = table.deal
                steps = (deal.keys[seat], deal.shuffles[seat], deal.checks[seat], deal.shares[seat])
                signs = {Step.DONE: "done", Step.WORKING: "work", Step.WAITING: "wait"}
                text = " ".join(faces.sign(signs[step]) for step in steps)
                canvas.text(canvas.width - len(text) - 2, y, text, "good" if deal.barrier else "soft")
            if seat in shown:
                card = shown[seat]
                text = faces.card(card)
                mark = "<" if seat == winner and finished else " "
                canvas.text(canvas.width - 6, y, f" {text:<3}{mark}", suit_style(SUIT_OF[card]))
            y += 1
        hand, legal = self.hand(), self.legal()
        mine = self.asked() is Ask.PLAY
        at = 1
        for place, card in enumerate(hand):
            focused = place == self.focus
            text = "??" if self.hidden else faces.card(card)
            if at + text_width(text) + 2 > canvas.width:
                at, y = 1, y + 1
            style = "focus" if focused else "soft" if mine and card not in legal else inline_style(SUIT_OF[card])
            cell = f"[{text}]" if focused else f" {text} "
            canvas.text(at, y, cell, style)
            canvas.spot(at, y, 5, 1, f"card {place}")
            if focused:
                canvas.cursor, canvas.show_cursor = (at + 1, y), True
            at += text_width(cell)
        y += 1
        room = canvas.height - 1 - y
        used = self._prompt(canvas, 1, y, width, max(room - 1, 1))
        self._log(canvas, 1, y + used, width, canvas.height - 1)
