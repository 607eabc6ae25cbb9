"""The table's picture: seats around the trick, the fan of our own cards, what may be done now, and what was said."""

from __future__ import annotations

from node.console import words
from node.console.canvas import Canvas, Fragment, clip, pad, text_width, wrap
from node.console.documents import absence_document, contract_cards, link_words, player_name
from node.console.drawing import draw_back, draw_card
from node.console.faces import card_words
from node.console.page import TONES
from node.console.plan import Plan, plan_for
from node.console.scorepages import scores_document
from node.console.style import inline_style, suit_style
from node.console.tablekeys import TableKeys
from node.i18n import _
from node.view import Ask, LinkState, Stage, Step
from protocol.cards import CARD_POINTS, SUIT_OF
from protocol.rules.hand import HandState, Phase


class TablePage(TableKeys):
    """The base page while a match is on."""

    def draw(self, canvas: Canvas) -> None:
        plan = plan_for(canvas.width, canvas.height)
        self._header(canvas)
        if plan.compact:
            self._compact(canvas)
            return
        if plan.panel:
            self._panel(canvas, plan)
        center = plan.area // 2
        table = self.table
        if table.hand is None and table.stage not in (Stage.DEALING, Stage.RESUMING):
            self._between(canvas, plan)
            self._prompt(canvas, 2, plan.prompt, plan.area - 4, plan.prompt_rows)
            return
        for rel in (1, 2, 3):
            self._player(canvas, plan, (self.table.me + rel) % 4, rel)
        if self.table.stage in (Stage.DEALING, Stage.RESUMING) and self.table.hand is None:
            self._deal(canvas, plan, center)
        elif self.asked() is Ask.ABSENCE and self.table.absence is not None:
            self._absence(canvas, plan)
        elif self.table.hand is not None:
            self._trick(canvas, plan, center)
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
        if player.bot is not None and player.link.state is not LinkState.LOST:
            first.append(("soft", " " + _("computer")))
        if player.dropped:
            first.append(("warn", " " + _("ghost")))
        clock = self._clock_text(seat) if seat != table.me and player.bot is None else ""  # no room for both
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
        return first, second, third

    def _forehand(self, seat: int) -> list[Fragment]:
        """The forehand's mark."""
        table = self.table
        # Who is forehand in the first hand the coin says, which falls when the deal is done.
        known = table.hand is not None or (table.stage is Stage.DEALING and table.hand_number > 1)
        if known and seat == table.forehand:
            return [("mark", _("forehand"))]
        return []

    def _player(self, canvas: Canvas, plan: Plan, seat: int, rel: int) -> None:
        first, second, third = self._status(seat)
        badges, forehand = self._badges(seat), self._forehand(seat)
        if rel == 2:
            line = [*first, ("felt", "  "), *third, ("felt", "  " if forehand else ""), *forehand]
            width = sum(text_width(text) for _style, text in line)
            canvas.fragments(max((plan.area - width) // 2, 0), plan.north, line, plan.area)
            line = [*second, ("felt", "  " if badges else ""), *badges]
            width = sum(text_width(text) for _style, text in line)
            canvas.fragments(max((plan.area - width) // 2, 0), plan.north + 1, line, plan.area)
            return
        rows = [row for row in (first, second, third, forehand, badges) if row]
        places = self._places(plan, plan.area // 2)
        room = places[1][0] - 3  # the cards of the trick stay free on both sides
        top = plan.trick_top + max((2 * plan.trick[1] + 1 - 5) // 2, 0)
        for number, line in enumerate(rows):
            width = min(sum(text_width(text) for _style, text in line), room)
            x = 2 if rel == 1 else plan.area - 2 - width
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
        line = [*first, ("felt", "  "), *third, ("felt", "  "), *self._forehand(table.me)]
        line += [("felt", "  "), *self._badges(table.me)]
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
                last = place == len(hand) - 1
                draw_card(canvas, x, y, plan.card, card, faces, state, None if last else step)
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
        if used > 1 and _rows_of(labels, width) > max(rows - 1, 1):
            self._choice_box(canvas, labels, width)
            return 1
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

    def _choice_box(self, canvas: Canvas, labels: list[str], width: int) -> None:
        """Choices that do not fit on the lines below: a list over the middle of the table."""
        size = min(max(map(text_width, labels)) + 4, width)
        height = min(len(labels) + 2, canvas.height - 2)
        x, y = max((width + 4 - size) // 2, 0), 1
        canvas.box(x, y, size, height, "frame", self.model.faces.box)
        chosen = self.choice % len(labels)
        for number, label in enumerate(labels[: height - 2]):
            canvas.text(x + 2, y + 1 + number, label, "focus" if number == chosen else "felt", size - 4)
            canvas.spot(x + 2, y + 1 + number, size - 4, 1, f"pick {number}")
            if number == chosen:
                canvas.cursor, canvas.show_cursor = (x + 3, y + 1 + number), True

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
        title = _("Deal {number}").format(number=deal.number + 1)  # people count from one
        if table.stage is Stage.RESUMING:
            title = _("Taking up the match")
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
        width = plan.area - 2
        lines = absence_document(self.table, absence, width - 4)
        rows = min(len(lines) + 2, plan.own - 1)
        canvas.box(1, 1, width, rows, "frame", self.model.faces.box, _("Absence"))
        for number, line in enumerate(lines[: rows - 2]):
            canvas.fragments(3, 2 + number, line, width - 4)

    def _between(self, canvas: Canvas, plan: Plan) -> None:
        """No hand and no deal: the scores in the middle."""
        width = min(plan.area - 8, 62)
        lines = scores_document(self.table, self.model.faces, width)
        x, y = max((plan.area - width) // 2, 2), max((plan.prompt - len(lines)) // 3, 2)
        for number, line in enumerate(lines[: max(plan.prompt - y - 1, 1)]):
            canvas.fragments(x, y + number, line, plan.area - x)

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


def _rows_of(labels: list[str], width: int) -> int:
    """Rows that labels take, one behind the other."""
    rows, used = 1, 0
    for label in labels:
        if used and used + text_width(label) > width:
            rows, used = rows + 1, 0
        used += text_width(label) + 1
    return rows
