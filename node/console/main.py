"""``doko`` alone: the first start, then the console over a node.

What is asked before the screen opens (a nickname, a passphrase) is asked as plain lines, so that it is the same for the
full screen, for screen readers and for scripts.
"""

from __future__ import annotations

import errno
import signal
import sys
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import fields
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any, Final

import click

from node.console.settings import Settings, detect, with_values
from node.errors import EXIT_ENVIRONMENT, EXIT_NO, EXIT_OK, EXIT_USAGE, DokoError
from node.i18n import _

if TYPE_CHECKING:
    from node.cli.app import App
    from node.view import Command, Desk

LOCAL: Final = "127.0.0.1:0"


def wants_plain(app: App) -> bool:
    """Whether the plain console is to be used: as wished, or because there is no terminal that can be drawn on."""
    if app.config.truth("console.plain"):
        return True
    if app.environ.get("TERM", "") == "dumb":
        return True
    return not (sys.stdin.isatty() and sys.stdout.isatty())


def settings_of(app: App) -> Settings:
    """What the terminal can show, and over it what the person has set."""
    return with_values(detect(sys.stdout, app.environ), app.config.section("console"))


def save_settings(app: App, old: Settings, new: Settings) -> str | None:
    """Write what has changed into the configuration; a text for people if that failed."""
    from node.config import set_value

    try:
        app.paths.create()
        for item in fields(Settings):
            value = getattr(new, item.name)
            if value != getattr(old, item.name):
                text = ("yes" if value else "no") if isinstance(value, bool) else f"{value}"
                set_value(app.paths.config, f"console.{item.name}", text)
    except DokoError as error:
        return error.message
    return None


def welcome(app: App, nickname: str | None = None) -> None:
    """The first start: explain in three lines, ask for a nickname, make the identity."""
    from node import identity
    from node.config import set_value
    from node.contacts import clean_nickname, words_of

    if app.has_identity():
        return
    _tell(_("Welcome to doko: Doppelkopf with friends, without a server."))
    _tell(_("You and your friends deal together: nobody sees the cards of others, nobody can stack the deck."))
    _tell(_("Your identity is a key on this machine; your friends know it by its fingerprint in words."))
    name = nickname or app.config.text("nickname")
    while not name:
        try:
            name = clean_nickname(click.prompt(_("What shall your friends call you?"), prompt_suffix=" "))
        except DokoError as error:
            click.echo(f"{error.message} {error.hint}")
    fresh = identity.create()
    app.paths.create()
    identity.save(fresh, app.paths.identity)
    set_value(app.paths.config, "nickname", name)
    app.forget_config()
    _tell(_("Your fingerprint: {words}").format(words=words_of(fresh.key)))


def _tell(text: str) -> None:
    """A paragraph; no word of it is broken at the edge of a terminal."""
    click.echo(textwrap.fill(text, get_terminal_size().columns) if sys.stdout.isatty() else text)


def run(
    app: App,
    first: Sequence[Command] = (),
    *,
    auto_ready: bool = False,
    local: bool = False,
    listen: str | None = None,
    nickname: str | None = None,
    pace: float | None = None,
) -> int:
    """Open the console; the exit code.

    *first*: commands done at once; *auto_ready*: the first terms are agreed to by themselves; *local*: only this
    machine; *listen*: where, as text; *pace*: seconds a computer waits before each card.
    """
    from node.console import bridge
    from node.home import Home
    from node.net.address import parse_listen
    from node.runtime import open_node

    welcome(app, nickname)
    settings = settings_of(app)
    where = parse_listen(listen or (LOCAL if local else app.config.text("network.listen")))
    left_open: list[bool] = []

    async def node_main(desk: Desk) -> None:
        async with open_node(app, listen=None, nickname=nickname) as node:
            note = await node.listen(where, free=listen is None and not local)
            home = Home(app, desk, node, local=local)
            if note:
                home.tell(note)
            try:
                await home.run(first, auto_ready=auto_ready, pace=pace)
            finally:
                left_open.append(home.in_match)

    code = EXIT_OK
    try:
        if wants_plain(app):
            from node.console.plain import Plain
            from node.console.plaindesk import InputEnded
            from node.console.plaindesk import run as run_plain

            try:
                run_plain(Plain(settings), node_main)
            except InputEnded as ended:
                code = _input_ended(typed=bool(ended.args[0]), in_match=any(left_open))
        else:
            from node.console.full import Console
            from node.console.model import Model

            before = [settings]

            def save(new: Settings) -> str | None:
                old, before[0] = before[0], new
                return save_settings(app, old, new)

            Console(Model(settings, save=save)).run(node_main)
    except bridge.Stopped as stopped:
        code = 128 + int(getattr(signal, str(stopped)))
    except OSError as error:
        if error.errno not in (errno.EIO, errno.EPIPE):
            raise
        code = EXIT_ENVIRONMENT  # the terminal itself has gone
    finally:
        if any(left_open):
            _say(_("Your match is kept. Take it up again with: {command}").format(command=command_again(app)))
    return code


def _input_ended(*, typed: bool, in_match: bool) -> int:
    """Say that the input has ended; the exit code."""
    click.echo(_("The input has ended."), err=True)
    if in_match:
        return EXIT_NO  # it is not played to its end
    if typed:
        return EXIT_OK
    hint = _("The console needs somebody who types. A computer plays without one: doko table --help")
    click.echo(hint, err=True)
    return EXIT_USAGE


def command_again(app: App) -> str:
    """The command that takes a match up again."""
    return "doko" if app.data is None else f"doko --data {app.data}"


def _say(text: str) -> None:
    try:
        click.echo(text)
    except OSError:
        return  # nobody is there to read it


def table_command(values: Mapping[str, Any], seats: str, bots: tuple[str, ...] = ()) -> Command:
    """The command that opens a table from command-line values (mode, stake, limit, fee, rules).

    Raises :class:`DokoError` for terms that do not go together.
    """
    from node.refusals import bad_terms
    from node.view import OpenNewTable, TermsView
    from protocol.refusal import Refusal
    from protocol.table.terms import make_terms

    try:
        make_terms(
            table=bytes(16),
            mode=values["mode"],
            stake=values["stake"],
            limit=values["limit"],
            fee=values["fee"],
            profile=values["rules"],
        )
    except Refusal as refusal:
        raise bad_terms(refusal) from None
    terms = TermsView(
        mode=values["mode"],
        stake=values["stake"],
        limit=values["limit"],
        fee=values["fee"],
        profile=values["rules"],
        seats=seats,
    )
    return OpenNewTable(terms, bots)
