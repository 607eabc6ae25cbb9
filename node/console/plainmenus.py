"""The menus of the plain console: what there is to do at a table, at a seating and in the lobby."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from node.console import words
from node.console.documents import friend_document, terms_document, why_document
from node.console.forms import table_form
from node.console.lobbypage import LEVELS, lobby_choices
from node.console.page import Choice
from node.console.plainform import ask_form
from node.console.plainsaid import WIDTH, last_trick_lines, review_lines
from node.console.rulestext import rules_document
from node.console.scorepages import scores_document
from node.i18n import _
from node.view import (
    AddFriend,
    AskHint,
    BlockFriend,
    Export,
    FillWithBots,
    FriendView,
    InviteFriend,
    JoinTable,
    Leave,
    LinkState,
    LookHistory,
    LookLedger,
    MakeInvite,
    MuteChat,
    Pause,
    Ready,
    RemoveFriend,
    RenameFriend,
    Say,
    Stage,
    VoidHand,
)

if TYPE_CHECKING:
    from node.console.plain import Plain


class Menus:
    """The menus of one plain console."""

    def __init__(self, console: Plain) -> None:
        self._console = console

    def more(self) -> None:
        """What there is to do at the table beside the question."""
        table = self._console.table()
        if table is None:
            self._console.offer(again=True)
            return
        choices = [
            Choice(_("the table, my cards"), self._console.situation),
            Choice(_("last trick"), lambda: self._console.say_all(last_trick_lines(table, self._console.faces))),
            Choice(_("announce"), self._console.announce),
            Choice(_("scores"), lambda: self._console.document(scores_document(table, self._console.faces, WIDTH))),
            Choice(_("review"), self._review),
            Choice(_("terms"), lambda: self._console.document(terms_document(table.terms, WIDTH))),
            Choice(_("rules"), self.rules),
            Choice(_("how the others are reached"),
                   lambda: self._console.document(why_document(table.players, self._console.faces, WIDTH))),
            Choice(_("talk"), lambda: self._console.ask(_("To the table"), lambda text: self._console.send(Say(text)))),
            Choice(_("chat on") if table.chat_muted else _("chat off"), MuteChat(not table.chat_muted)),
            Choice(_("end the pause") if table.paused else _("pause"), Pause(not table.paused)),
            Choice(_("void hand"), self._void),
            *([Choice(_("what would strong do?"), AskHint())] if table.practice else []),
            Choice(_("leave"), self.leave),
        ]  # fmt: skip
        self._console.submenu(_("More"), choices)

    def _review(self) -> None:
        table = self._console.table()
        if table is not None:
            self._console.say_all(review_lines(table, self._console.faces, self._console.settings.sort))

    def rules(self) -> None:
        """Ask for a rule and print it."""

        def done(text: str) -> None:
            lines, index = rules_document(self._console.faces, WIDTH)
            number = "R" + text.lstrip("rR")
            if not text:
                self._console.document(lines)
            elif number in index:
                ends = [at for at in index.values() if at > index[number]]
                self._console.document(lines[index[number] : min(ends, default=len(lines))])
            else:
                self._console.say(_("There is no rule {number}.").format(number=number))

        self._console.ask(_("Rule number; Enter alone: all rules"), done, empty=True)

    def _void(self) -> None:
        assert self._console.view is not None
        table = self._console.view.table
        if table is not None and any(player.bot is not None for player in table.players):
            self._console.say(words.no_void())
            return
        text = _("If all four agree, nothing is paid and the hand is dealt again (R29). You cannot take it back.")
        self._console.submenu(text, [Choice(_("yes, I agree that this hand is void"), VoidHand())])

    def leave(self) -> None:
        """Ask whether to leave, saying what that means."""

        def stop() -> None:
            self._console.stopping = True

        table = self._console.table()
        text = _("Leave?")
        if table is not None and table.stage not in (Stage.SETTLED, Stage.STOPPED):
            text += " " + _("The match stays open, also for the others; doko takes it up again.")
        self._console.submenu(text, [Choice(_("leave doko"), stop)])

    def lobby(self) -> list[Choice]:
        """What there is to do in the lobby."""
        assert self._console.view is not None
        lobby = self._console.view.lobby
        choices = lobby_choices(lobby)

        def join(text: str) -> None:
            self._console.send(JoinTable(where=text))

        def ledger() -> None:
            self._console.want = "ledger"
            self._console.send(LookLedger())

        def history() -> None:
            self._console.want = "history"
            self._console.send(LookHistory())

        return [
            *choices,
            Choice(_("new table"), lambda: ask_form(self._console, table_form(LEVELS, self._console.send))),
            Choice(
                _("join by address or link"), lambda: self._console.ask(_("Address (host:port) or doko: link"), join)
            ),
            Choice(_("friends"), self._friends),
            Choice(_("invite a friend"), MakeInvite()),
            Choice(_("ledger"), ledger),
            Choice(_("your matches"), history),
            Choice(_("ledger as CSV"), Export("ledger")),
            Choice(_("your matches as CSV"), Export("history")),
            Choice(_("rules"), self.rules),
            Choice(_("leave doko"), self.leave),
        ]

    def _friends(self) -> None:
        assert self._console.view is not None

        def add(text: str) -> None:
            self._console.send(AddFriend(text))

        choices = [
            Choice(_("add by link"), lambda: self._console.ask(_("doko: link from your friend"), add)),
            *(Choice(friend.name, self._friend_later(friend)) for friend in self._console.view.lobby.friends),
        ]
        self._console.submenu(_("Friends"), choices)

    def _friend_later(self, friend: FriendView) -> Callable[[], None]:
        return lambda: self._friend(friend)

    def _friend(self, friend: FriendView) -> None:
        self._console.document(friend_document(friend, self._console.faces, WIDTH))

        def rename(text: str) -> None:
            self._console.send(RenameFriend(friend.key, text))

        choices = [Choice(_("rename"), lambda: self._console.ask(_("New name"), rename))]
        if self._console.view is not None and self._console.view.lobby.seating is not None:
            choices.append(Choice(_("invite to this table"), InviteFriend(friend.key)))
        choices.append(
            Choice(_("unblock"), BlockFriend(friend.key, False))
            if friend.blocked
            else Choice(_("block"), BlockFriend(friend.key))
        )
        choices.append(Choice(_("remove"), RemoveFriend(friend.key)))
        self._console.submenu(friend.name, choices)

    def seating(self) -> list[Choice]:
        """Say who sits where; what there is to do before the match."""
        assert self._console.view is not None
        seating = self._console.view.lobby.seating
        assert seating is not None
        for seat, player in enumerate(seating.players):
            if player is None:
                text = _("free")
            else:
                text = _("you") if seat == seating.me else player.name
                if kind := words.kind_of(player):
                    text += f", {kind}"
                text += ", " + (_("ready") if player.ready else _("not ready"))
            self._console.say(_("Seat {number}: {who}").format(number=seat + 1, who=text))
        for line in words.coming_line(seating.coming):
            self._console.say(line)
        me = seating.players[seating.me]
        choices = []
        if hosts := words.hosts_line(seating.players, duel=seating.terms.mode == "duel"):
            self._console.say(hosts)
        if seating.confirm:
            self._console.document(terms_document(seating.terms, WIDTH))
            if me is None or not me.ready:
                choices.append(Choice(_("I agree to these terms and am ready"), Ready()))
        if seating.opener and seating.players.count(None) > seating.coming:
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
                for house in self._console.view.lobby.houses
                for level in house.levels
                if house.free
            ]
            choices += [
                Choice(_("invite {name}").format(name=friend.name), InviteFriend(friend.key))
                for friend in self._console.view.lobby.friends
                if not friend.blocked and friend.link.state in (LinkState.DIRECT, LinkState.VIA)
            ]
            choices.append(Choice(_("somebody new, by a doko: link"), MakeInvite()))
        choices.append(Choice(_("leave this table"), Leave()))
        return choices
