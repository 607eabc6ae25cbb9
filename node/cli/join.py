"""``doko join``: open the console and sit down at somebody's table."""

import click

from node.cli.app import App, command, option, pass_app
from node.i18n import N_

HELP = N_(
    """Open the console and join the table at WHERE: a doko: link or HOST:PORT.

A doko: link also makes the two of you friends. Quote it, so that your shell leaves it alone.

\b
Examples:
  doko join anna.example:4848
  doko join 'doko:AbC...'
"""
)


@command(help=HELP)
@click.argument("where")
@option("--nick", metavar="NAME", help=N_("The name to play under"))
@option("--listen", metavar="HOST:PORT", help=N_("Where to listen; port 0: any free one"))
@option("--plain", is_flag=True, help=N_("Lines instead of a full screen"))
@pass_app
def join(app: App, where: str, nick: str | None, listen: str | None, plain: bool) -> int:
    from node.console.main import run
    from node.net.address import parse_dial
    from node.refusals import bad_link
    from node.view import JoinTable
    from protocol.refusal import Refusal
    from protocol.wire.link import SCHEME, read_link

    if where.strip().lower().startswith(SCHEME):
        try:
            read_link(where)
        except Refusal as refusal:
            raise bad_link(refusal) from None
    else:
        parse_dial(where)
    if plain:
        app.flags["console.plain"] = "yes"
    return run(app, (JoinTable(where=where),), nickname=nick, listen=listen)
