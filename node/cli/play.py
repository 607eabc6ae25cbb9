"""``doko play``: a first match, at once, against three computers, each a node of its own."""

from typing import Any

import click

from node.cli.app import App, command, option, pass_app
from node.cli.table import terms_options
from node.i18n import N_

HELP = N_(
    """Play a match against three bots at once.

Each computer is a node of its own, with its own identity and store; the four of you deal together, play over TCP on
this machine, and sign a settlement. In a duel one of the three plays as the other person.

\b
Examples:
  doko play
  doko play --mode four-fixed --level strong
  doko play --mode duel --stake 250
  doko play --plain
"""
)


@command(help=HELP)
@terms_options
@option("--level", default="beginner", show_default=True, metavar="LEVEL", help=N_("Who plays: a computer's level"))
@option("--nick", metavar="NAME", help=N_("The name to play under"))
@option("--pace", type=click.FloatRange(0, 60), metavar="SECONDS", help=N_("Pause of a computer before each card"))
@option("--plain", is_flag=True, help=N_("Lines instead of a full screen"))
@pass_app
def play(app: App, /, level: str, nick: str | None, pace: float | None, plain: bool, **given: Any) -> int:
    from node.auto import policy_of
    from node.console.main import run, table_command

    policy_of(level)  # refused here in words rather than three times by the computers
    if plain:
        app.flags["console.plain"] = "yes"
    first = table_command(given, "invited", (level,) * 3)
    return run(app, (first,), auto_ready=True, local=True, nickname=nick, pace=pace)
