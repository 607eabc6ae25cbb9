"""``doko demo``: four nodes in four processes play a match over TCP on this machine."""

from pathlib import Path
from typing import Any

import click

from node.cli.app import App, command, option, pass_app
from node.cli.table import terms_options
from node.i18n import N_

HELP = N_("""Watch four nodes play a match over TCP on this machine.

Four processes, each with its own identity, store and data directory: they gather, deal without a dealer that anybody
has to trust, play, and sign a settlement. The exit code is 0 only if the four settlements are the same and verify.

Examples:

  doko demo

  doko demo --mode four-fixed --stake 50 --fee 250 --out ./evening

  doko demo --mode duel --level intermediate --stake 250

  doko demo --json
""")


@command(help=HELP)
@terms_options
@option("--level", default="beginner", show_default=True, metavar="LEVEL", help=N_("Who plays: a computer's level"))
@option("--matches", type=click.IntRange(1, 10_000), default=1, show_default=True, help=N_("How many matches to play"))
@option("--out", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help=N_("Where the files go"))
@option("--replace", is_flag=True, help=N_("Overwrite the files of an earlier demo in DIR"))
@option("--seed", metavar="TEXT", help=N_("Make the computers' choices repeatable (never the cards)"))
@option("--delay", type=click.FloatRange(0, 60), metavar="SECONDS", help=N_("Pause before each bid and card"))
@option("--watch", is_flag=True, help=N_("Tell the match as text (the default, unless --json is given)"))
@option("--json", "as_json", is_flag=True, help=N_("End with one line of JSON for programs"))
@click.option("--measure", is_flag=True, hidden=True, help="Add CPU time and loop lateness to the JSON")
@pass_app
def demo(app: App, /, **given: Any) -> int:
    """See help."""
    from node.demo import Demo
    from node.signals import run

    return run(Demo(app, **given).main)
