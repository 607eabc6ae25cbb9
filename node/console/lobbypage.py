"""The lobby and the table before the match."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from node.console import words
from node.console.bookpages import history_document, ledger_document
from node.console.canvas import Canvas, clip, pad, text_width, wrap
from node.console.documents import Line, friend_document, link_words, terms_document
from node.console.faces import Faces
from node.console.forms import FormPage, table_form
from node.console.invitepage import InvitePage
from node.console.page import Choice, ChoicePopup, DocumentPage, LinePopup, Page, draw_header
from node.i18n import _, ngettext
from node.view import (
    AddFriend,
    BlockFriend,
    Export,
    FillWithBots,
    FriendView,
    InviteFriend,
    JoinTable,
    Leave,
    LinkState,
    LobbyView,
    LookHistory,
    LookLedger,
    MakeInvite,
    OpenTable,
    Ready,
    RemoveFriend,
    RenameFriend,
    ResumeMatch,
    SeatingView,
)

if TYPE_CHECKING:
    from node.console.model import Model

#: Levels of the computers one can ask for, the friendliest first.
LEVELS = ("beginner", "intermediate", "strong", "random")


class StartingPage(Page):
    """Before the first view."""

    contexts = ()

    def draw(self, canvas: Canvas) -> None:
        draw_header(canvas, "doko")
        canvas.text(2, 2, _("The node starts ..."), "soft")


def table_row(table: OpenTable) -> str:
    """An open table in one line."""
    terms = table.terms
    parts = [table.opener.name, words.mode_name(terms.mode), words.money(terms.stake, terms.currency)]
    if terms.limit is not None:
        parts.append(_("limit {limit}").format(limit=words.money(terms.limit)))
    parts.append(ngettext("{n} seat free", "{n} seats free", table.free).format(n=table.free))
    if terms.strength:
        parts.append(_(words.STRENGTHS.get(terms.strength, terms.strength)))
    return ", ".join(parts)


def lobby_choices(lobby: LobbyView) -> list[Choice]:
    """What can be chosen in the lobby: matches to take up again, then open tables."""
    choices = []
    for match in lobby.open_matches:
        label = _("take up again: {mode} with {names}, {done} done")
        done = ngettext("{n} hand", "{n} hands", match.hands_done).format(n=match.hands_done)
        text = label.format(mode=words.mode_name(match.mode), names=words.names(match.names), done=done)
        choices.append(Choice(text, ResumeMatch(match.id)))
    for table in lobby.tables:
        note = "" if table.joinable else table.why_not
        choices.append(Choice(table_row(table), JoinTable(table.id), note))
    return choices


class LobbyPage(Page):
    """Open tables, friends, and what can be done."""

    contexts = ("lobby",)

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self.index = 0

    @property
    def lobby(self) -> LobbyView:
        """What is shown."""
        assert self.model.view is not None
        return self.model.view.lobby

    def draw(self, canvas: Canvas) -> None:
        model, lobby = self.model, self.lobby
        view = model.view
        assert view is not None
        draw_header(canvas, f"doko {model.faces.sign('sep')} {view.me.name}", view.me.words)
        margin = 2 if canvas.width >= 60 else 1
        wide = canvas.width >= 100
        side = min(canvas.width // 4, 34) if wide else 0
        width = canvas.width - 2 * margin - (side + 2 if side else 0)
        y = 2 if canvas.height >= 18 else 1
        choices = lobby_choices(lobby)
        canvas.text(margin, y, _("Open tables"), "title")
        y += 1
        friends_rows = 0 if wide else min(len(lobby.friends), 5) + 2
        room = max(canvas.height - y - 2 - friends_rows - 5, 2)
        if not choices:
            text = _("None just now. n opens one, j joins by an address or link, i makes a link for a friend.")
            for row in wrap(text, width)[:3]:
                canvas.text(margin + 2, y, row, "soft")
                y += 1
        self.index = max(min(self.index, len(choices) - 1), 0)
        start = max(min(self.index - room + 1, len(choices) - room), 0)
        for number in range(start, min(start + room, len(choices))):
            choice = choices[number]
            focused = number == self.index
            label = clip(choice.label, width - 2, model.faces.dots)
            canvas.text(margin, y, f" {label}", "focus" if focused else "felt" if not choice.note else "soft", width)
            canvas.spot(margin, y, width, 1, f"pick {number}")
            if focused:
                canvas.cursor, canvas.show_cursor = (margin + 1, y), True
                if choice.note:
                    y += 1
                    canvas.text(margin + 2, y, clip(choice.note, width - 2), "warn")
            y += 1
        y += 1
        y = self._menu(canvas, margin, y, width)
        if wide:
            self._friends(canvas, canvas.width - margin - side, 2, side, canvas.height - 3)
        else:
            self._friends(canvas, margin, y + 1, width, canvas.height - 2)
        if lobby.addresses and canvas.height >= 18:
            text = _("You are reached at {list}").format(list=", ".join(lobby.addresses))
            canvas.text(margin, canvas.height - 2, clip(text, width), "soft")

    def _menu(self, canvas: Canvas, x: int, y: int, width: int) -> int:
        entries = [
            ("n", _("new table"), "new"),
            ("j", _("join by address or link"), "join"),
            ("f", _("friends"), "friends"),
            ("i", _("invite a friend"), "invite"),
            ("b", _("ledger"), "ledger"),
            ("y", _("your matches"), "history"),
            ("F2", _("rules"), "rules"),
            ("F3", _("settings"), "settings"),
        ]
        at = x
        for key, what, action in entries:
            size = text_width(key) + text_width(what) + 4
            if at + size > x + width and at > x:
                at, y = x, y + 1
            if y >= canvas.height - 2:
                break
            canvas.text(at, y, f" {key} ", "badge")
            canvas.text(at + text_width(key) + 2, y, " " + what, "felt")
            canvas.spot(at, y, size, 1, action)
            at += size + 2
        return y + 1

    def _friends(self, canvas: Canvas, x: int, y: int, width: int, bottom: int) -> None:
        faces, friends = self.model.faces, self.lobby.friends
        if y >= bottom:
            return
        canvas.text(x, y, _("Friends"), "title")
        y += 1
        if not friends and y < bottom:
            for row in wrap(_("None yet. i makes a link to give to a friend."), width)[: bottom - y]:
                canvas.text(x, y, row, "soft")
                y += 1
        for friend in sorted(friends, key=lambda f: (f.link.state is LinkState.LOST, f.name.lower())):
            if y >= bottom:
                break
            sign, style = link_sign(friend, faces)
            at = canvas.text(x, y, sign + " ", style)
            at = canvas.text(at, y, clip(friend.name, max(width - 14, 6), faces.dots), "name")
            canvas.text(at + 1, y, clip(link_words(friend.link), max(x + width - at - 1, 0)), "soft")
            y += 1

    # --- keys -------------------------------------------------------------------------------------------------

    def click(self, action: str) -> None:
        if action.startswith("pick "):
            index = int(action.split()[1])
            if index == self.index:
                self.do_choose()
            self.index = index
        else:
            super().click(action)

    def do_prev(self, _key: str = "") -> None:
        """The line above."""
        self.index = max(self.index - 1, 0)

    def do_next(self, _key: str = "") -> None:
        """The line below."""
        self.index += 1

    def do_choose(self, _key: str = "") -> None:
        """Sit down, or take a match up again."""
        choices = lobby_choices(self.lobby)
        if not choices:
            self.do_new()
            return
        choice = choices[min(self.index, len(choices) - 1)]
        if choice.note:
            self.model.say(choice.note, "warn")
        else:
            self.model.choose(choice)

    def do_new(self, _key: str = "") -> None:
        """Open a new table."""
        self.model.open(FormPage(self.model, table_form(LEVELS, self.model.send)))

    def do_join(self, _key: str = "") -> None:
        """Join by address or link."""

        def done(text: str) -> None:
            self.model.send(JoinTable(where=text))
            self.model.say(_("Asking for a seat ..."))

        self.model.open(LinePopup(self.model, _("Address (host:port) or doko: link"), done, limit=400))

    def do_friends(self, _key: str = "") -> None:
        """The friends page."""
        self.model.open(FriendsPage(self.model))

    def do_invite(self, _key: str = "") -> None:
        """Make a link."""
        self.model.send(MakeInvite())
        self.model.open(InvitePage(self.model))

    def do_ledger(self, _key: str = "") -> None:
        """The ledger."""
        self.model.send(LookLedger())
        self.model.open(BookPage(self.model, _("Ledger"), self._ledger_lines, "ledger"))

    def do_history(self, _key: str = "") -> None:
        """Your matches."""
        self.model.send(LookHistory())
        self.model.open(BookPage(self.model, _("Your matches"), self._history_lines, "history"))

    def _ledger_lines(self, width: int) -> list[Line]:
        view = self.model.view
        return ledger_document(view.ledger if view is not None else None, self.model.faces, width)

    def _history_lines(self, width: int) -> list[Line]:
        view = self.model.view
        return history_document(view.history if view is not None else None, self.model.faces, width)


def link_sign(friend: FriendView, faces: Faces) -> tuple[str, str]:
    """Mark and style of how a friend is reached."""
    if friend.blocked:
        return faces.sign("minus"), "link.lost"
    if friend.link.state in (LinkState.DIRECT, LinkState.SELF):
        return faces.sign("direct"), "link.good"
    if friend.link.state is LinkState.VIA:
        return faces.sign("via"), "link.half"
    return faces.sign("lost"), "soft"


class BookPage(DocumentPage):
    """Ledger or history, with an export on ``x``."""

    def __init__(self, model: Model, title: str, make: Callable[[int], list[Line]], what: str) -> None:
        super().__init__(model, title, make)
        self.what = what

    def press(self, key: str) -> bool:
        if key == "x":
            self.do_export()
            return True
        return super().press(key)

    def footer(self) -> list[tuple[str, str, str]]:
        entries = super().footer()
        return [entries[0], ("x", _("export as CSV"), "export"), *entries[1:]]

    def do_export(self, _key: str = "") -> None:
        """Write it as CSV."""
        self.model.send(Export(self.what))


class FriendsPage(Page):
    """All friends; what can be done with one."""

    contexts = ("lobby",)

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self.index = 0

    def _friends(self) -> list[FriendView]:
        assert self.model.view is not None
        return sorted(self.model.view.lobby.friends, key=lambda friend: friend.name.lower())

    def offers(self, action: str) -> bool:
        return action in ("help", "quit")

    def footer(self) -> list[tuple[str, str, str]]:
        return [
            ("a", _("add by link"), "add"),
            (_("Enter"), _("what to do"), "choose"),
            (_("Esc"), _("close"), "close"),
            *super().footer(),
        ]

    def press(self, key: str) -> bool:
        if key == "a":
            self.do_add()
            return True
        if key in ("escape", "backspace", "f"):
            self.close()
            return True
        if len(key) == 1 and key in "njibyc":
            return True  # the lobby's own keys are not for this page
        return super().press(key)

    def do_prev(self, _key: str = "") -> None:
        """The line above."""
        self.index = max(self.index - 1, 0)

    def do_next(self, _key: str = "") -> None:
        """The line below."""
        self.index = min(self.index + 1, max(len(self._friends()) - 1, 0))

    def click(self, action: str) -> None:
        if action.startswith("pick "):
            self.index = int(action.split()[1])
            self.do_choose()
        else:
            super().click(action)

    def do_add(self, _key: str = "") -> None:
        """Add a friend by a link."""

        def done(text: str) -> None:
            self.model.send(AddFriend(text))
            self.model.say(_("The link is being redeemed ..."))

        self.model.open(LinePopup(self.model, _("doko: link from your friend"), done, limit=400))

    def do_choose(self, _key: str = "") -> None:
        """What can be done with the friend under the cursor."""
        friends = self._friends()
        if not friends:
            self.do_add()
            return
        friend = friends[min(self.index, len(friends) - 1)]
        model = self.model

        def details() -> None:
            def lines(width: int) -> list[Line]:
                assert model.view is not None
                now = [other for other in model.view.lobby.friends if other.key == friend.key]
                return friend_document(now[0] if now else friend, model.faces, width)

            model.open(DocumentPage(model, friend.name, lines))

        def rename() -> None:
            title = _("New name")
            model.open(
                LinePopup(model, title, lambda text: model.send(RenameFriend(friend.key, text)), friend.name, 32)
            )

        def remove() -> None:
            text = _("{name} is forgotten; a new link is needed to become friends again.").format(name=friend.name)
            sure = [Choice(_("no"), lambda: None), Choice(_("yes, remove"), RemoveFriend(friend.key))]
            model.open(ChoicePopup(model, _("Remove {name}?").format(name=friend.name), sure, text))

        choices = [Choice(_("fingerprint, link, why not connected"), details)]
        assert model.view is not None
        if model.view.lobby.seating is not None and not friend.blocked:
            choices.append(Choice(_("invite to this table"), InviteFriend(friend.key)))
        choices.append(Choice(_("rename"), rename))
        if friend.blocked:
            choices.append(Choice(_("unblock"), BlockFriend(friend.key, False)))
        else:
            choices.append(Choice(_("block"), BlockFriend(friend.key)))
        choices.append(Choice(_("remove"), remove))
        model.open(ChoicePopup(model, friend.name, choices))

    def draw(self, canvas: Canvas) -> None:
        faces = self.model.faces
        draw_header(canvas, _("Friends"))
        margin = 2 if canvas.width >= 60 else 1
        width = canvas.width - 2 * margin
        friends = self._friends()
        y = 2
        if not friends:
            text = _("None yet. a adds one by the doko: link you were given; i in the lobby makes a link to give away.")
            for row in wrap(text, width):
                canvas.text(margin, y, row, "soft")
                y += 1
            return
        self.index = max(min(self.index, len(friends) - 1), 0)
        room = max(canvas.height - 4, 1)
        start = max(min(self.index - room + 1, len(friends) - room), 0)
        for number in range(start, min(start + room, len(friends))):
            friend = friends[number]
            sign, style = link_sign(friend, faces)
            focused = number == self.index
            canvas.text(margin, y, sign, style)
            row = pad(friend.name, 18) + " " + pad(link_words(friend.link), 14)
            if friend.rating is not None:
                row += f" {friend.rating:5.1f}"
            if friend.blocked:
                row += " " + _("blocked")
            row = pad(row, min(46, width - 2)) + " " + friend.words
            canvas.text(margin + 2, y, clip(row, width - 2, faces.dots), "focus" if focused else "felt", width - 2)
            canvas.spot(margin, y, width, 1, f"pick {number}")
            if focused:
                canvas.cursor, canvas.show_cursor = (margin + 2, y), True
            y += 1


class SeatingPage(Page):
    """At a table before the match: who is there, the terms, who is ready."""

    contexts = ("seating",)

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self.top = 0  # the first line of the terms that is shown

    @property
    def seating(self) -> SeatingView:
        """What is shown."""
        assert self.model.view is not None
        seating = self.model.view.lobby.seating
        assert seating is not None
        return seating

    def draw(self, canvas: Canvas) -> None:
        seating, faces = self.seating, self.model.faces
        title = _("Your table") if seating.opener else _("At a table")
        draw_header(canvas, title)
        margin = 2 if canvas.width >= 60 else 1
        width = canvas.width - 2 * margin
        y = 2 if canvas.height >= 18 else 1
        for seat, player in enumerate(seating.players):
            label = f"{seat + 1}. "
            if player is None:
                canvas.text(margin, y, label + _("free"), "soft")
            else:
                name = _("you") if seat == seating.me else player.name
                at = canvas.text(margin, y, label, "soft")
                at = canvas.text(at, y, pad(name, 16), "name")
                kind = words.kind_of(player) or (link_words(player.link) if player.key or seat == seating.me else "")
                at = canvas.text(at + 1, y, pad(kind, 26 if width >= 70 else 14), "soft")
                mark = (
                    faces.sign("done") + " " + _("ready") if player.ready else faces.sign("wait") + " " + _("not ready")
                )
                canvas.text(at + 1, y, mark, "good" if player.ready else "soft")
            y += 1
        hosts = words.hosts_line(seating.players, duel=seating.terms.mode == "duel")
        for row in wrap(hosts, width)[:4] if hosts else ():
            canvas.text(margin, y, row, "soft")
            y += 1
        y += 1 if canvas.height >= 18 else 0
        bottom = canvas.height - 2
        prompt = self._sentence()
        rows = wrap(prompt, width)[:2]
        for number, row in enumerate(rows):
            canvas.text(margin, bottom - len(rows) + number, row, "strong")
        bottom -= len(rows) + (1 if canvas.height >= 18 else 0)
        canvas.text(margin, y, _("The terms, which all four confirm:"), "title")
        y += 1
        lines = terms_document(seating.terms, width - 2)
        room = max(bottom - y, 1)
        self.top = max(min(self.top, len(lines) - room), 0)
        if len(lines) > room:
            share = f" {min(self.top + room, len(lines))}/{len(lines)} "
            canvas.text(canvas.width - len(share) - 1, y - 1, share, "mark")
        for line in lines[self.top : self.top + room]:
            canvas.fragments(margin + 2, y, line, width - 2)
            y += 1
        canvas.cursor = (margin, canvas.height - 2)

    def _sentence(self) -> str:
        seating = self.seating
        me = seating.players[seating.me]
        free = sum(player is None for player in seating.players) - seating.coming
        if seating.confirm and not (me is not None and me.ready):
            return _("Read the terms. Enter agrees to them: you are ready.")
        if me is not None and me.ready:
            return _("You are ready; waiting for the others.")
        if free and seating.opener:
            text = ngettext(
                "{n} seat is free: i invites a friend, c asks a computer.",
                "{n} seats are free: i invites a friend, c asks computers.",
                free,
            )
            return " ".join([*words.coming_line(seating.coming), text.format(n=free)])
        if seating.coming:
            return words.coming_line(seating.coming)[0]
        return _("Waiting until all four are here.")

    def offers(self, action: str) -> bool:
        if action == "ready":
            return self.seating.confirm
        if action in ("bots", "invite"):
            return self.seating.opener and self.seating.players.count(None) > self.seating.coming
        return True

    def do_up(self, _key: str = "") -> None:
        """A line up in the terms."""
        self.top = max(self.top - 1, 0)

    def do_down(self, _key: str = "") -> None:
        """A line down in the terms."""
        self.top += 1

    def do_ready(self, _key: str = "") -> None:
        """Agree to the terms."""
        seating = self.seating
        me = seating.players[seating.me]
        if me is not None and me.ready:
            self.model.say(_("You are ready; waiting for the others."), "good")
        elif seating.confirm:
            self.model.send(Ready())
        else:
            self.model.say(_("The terms are fixed when all four seats are taken."), "warn")

    def do_bots(self, _key: str = "") -> None:
        """Fill the free seats with computers."""
        if not self.seating.opener:
            self.model.say(_("Only who opened the table can ask computers."), "warn")
            return
        assert self.model.view is not None
        choices = [Choice(_(words.LEVELS[level]), FillWithBots(level)) for level in LEVELS]
        choices += [
            Choice(
                _("one from {name}: {level}").format(name=house.name, level=_(words.LEVELS.get(level, level))),
                FillWithBots(level, 1, house.key),
            )
            for house in self.model.view.lobby.houses
            for level in house.levels
            if house.free
        ]
        self.model.open(ChoicePopup(self.model, _("Computers for the free seats"), choices))

    def do_invite(self, _key: str = "") -> None:
        """Invite a friend to this table."""
        assert self.model.view is not None
        there = [
            friend
            for friend in self.model.view.lobby.friends
            if not friend.blocked and friend.link.state in (LinkState.DIRECT, LinkState.VIA)
        ]
        choices = [Choice(friend.name, InviteFriend(friend.key)) for friend in there]

        def link() -> None:
            self.model.send(MakeInvite())
            self.model.open(InvitePage(self.model))

        choices.append(Choice(_("somebody new, by a doko: link"), link))
        self.model.open(ChoicePopup(self.model, _("Invite to this table"), choices))

    def do_friends(self, _key: str = "") -> None:
        """The friends page."""
        self.model.open(FriendsPage(self.model))

    def do_leave(self, _key: str = "") -> None:
        """Leave the table."""
        choices = [Choice(_("stay"), lambda: None), Choice(_("leave this table"), Leave())]
        self.model.open(ChoicePopup(self.model, _("Leave the table?"), choices))
