"""``doko host-bots``: a process that hosts computer players for friends' tables."""

import os
import sys
from typing import Any

import click
import trio

from node.bots.levels import LEVELS
from node.cli.app import App, command, emit_json, option, pass_app
from node.console.words import decimal
from node.errors import EXIT_OK
from node.i18n import N_, _, ngettext

HELP = N_(
    """Host computer players for your friends' tables.

One process hosts many computers, each with an identity of its own; searching levels think in worker processes. Friends
who are connected (doko invite makes one) see what is offered and ask for computers when they have opened a table. Who
hosts a computer can see its cards; that is why the terms name the host.

Enter shows the state of things; q and Enter stops once the matches that are on have been played. Ctrl-C stops at once:
the matches are taken up again at the next start.

\b
Examples:
  doko host-bots --max-tables 4
  doko host-bots --max-tables 20 --level intermediate --level strong --workers 2 --listen :4850
  doko host-bots --max-tables 1 --json
"""
)


@command(help=HELP)
@option(
    "--max-tables", type=click.IntRange(1, 300), required=True, help=N_("At how many tables its computers sit at once")
)
@option("--per-friend", type=click.IntRange(1, 300), default=2, show_default=True, help=N_("Tables of one friend"))
@option(
    "--level",
    "levels",
    type=click.Choice(list(LEVELS)),
    multiple=True,
    help=N_("A level that is offered; repeatable (default: all)"),
)
@option("--workers", type=click.IntRange(1, 256), help=N_("Processes that think (default: one less than processors)"))
@option("--delay", type=click.FloatRange(0, 60), default=0.7, show_default=True, help=N_("Seconds before each card"))
@option("--listen", metavar="HOST:PORT", help=N_("Where to listen; port 0: any free one"))
@option("--announce", metavar="HOST:PORT", multiple=True, help=N_("Where others can reach this node"))
@option("--nick", metavar="NAME", help=N_("The name your friends see"))
@option("--json", "as_json", is_flag=True, help=N_("Print the state as one line of JSON whenever it changes"))
@click.option("--leash", is_flag=True, hidden=True, help="Stop when standard input ends")
@pass_app
def host_bots(
    app: App,
    max_tables: int,
    per_friend: int,
    levels: tuple[str, ...],
    workers: int | None,
    delay: float,
    listen: str | None,
    announce: tuple[str, ...],
    nick: str | None,
    as_json: bool,
    leash: bool,
) -> int:
    """See help."""
    from node.bots.house import House, Rules
    from node.bots.worker import WorkerPool
    from node.leash import follow_parent
    from node.net.address import parse_dial, parse_listen
    from node.runtime import open_node
    from node.signals import Stop, run
    from node.tasks import background

    where = parse_listen(listen or app.config.text("network.listen"))
    rules = Rules(max_tables, per_friend, levels or tuple(LEVELS), delay)
    if leash:
        follow_parent()

    async def main(stop: Stop) -> int:
        with WorkerPool(workers or max(1, (os.cpu_count() or 2) - 1)) as pool:
            async with open_node(app, listen=where, nickname=nick, announce=tuple(map(parse_dial, announce))) as node:
                with stop.scope:
                    async with background() as nursery:
                        house = House(app, node, nursery, rules, pool)
                        try:
                            await house.open()
                            if as_json:
                                nursery.start_soon(_report, house)
                            else:
                                _greet(house, node)
                            if leash:
                                await trio.sleep_forever()
                            await _on_enter(house, as_json)
                        finally:
                            house.close()
                if as_json:
                    emit_json(house.status())
        return EXIT_OK

    return run(main)


async def _report(house: Any) -> None:
    """One line of JSON whenever something has changed."""
    while True:
        emit_json(house.status())
        sys.stdout.flush()
        await house.changed()


async def _on_enter(house: Any, as_json: bool) -> None:
    """Answer what is typed, until a q has come and the last match is over."""
    while (line := await trio.to_thread.run_sync(sys.stdin.readline, abandon_on_cancel=True)).strip().lower() != "q":
        if not line:
            await trio.sleep_forever()  # standard input is closed: nobody asks any more
        if as_json:
            emit_json(house.status())
            sys.stdout.flush()
        else:
            for text in lines(house.status()):
                click.echo(text)
    if not as_json:
        click.echo(_("Nobody is taken in any more; this host stops when the matches that are on have been played."))
    await house.drain()


def _greet(house: Any, node: Any) -> None:
    status = house.status()
    click.echo(_("{name} listens on {address}").format(name=node.hub.me.nickname, address=node.listening))
    text = ngettext("Computers for {n} table: {levels}", "Computers for {n} tables: {levels}", status["max_tables"])
    click.echo(text.format(n=status["max_tables"], levels=", ".join(status["levels"])))
    click.echo(_("Who hosts a computer can see its cards. Friends ask for computers from their tables."))
    click.echo(_("Enter: the state of things. q and Enter: stop when the matches that are on are over."))
    click.echo(_("Ctrl-C: stop at once; matches are taken up again at the next start."))
    sys.stdout.flush()


def lines(status: dict[str, Any]) -> list[str]:
    """The state in words."""
    found = [
        _("{n} of {m} tables, {k} computers; {done} matches played").format(
            n=status["tables"], m=status["max_tables"], k=len(status["computers"]), done=status["matches"]
        )
    ]
    states = {"coming": _("looks for its seat"), "seated": _("waits"), "playing": _("plays")}
    if status["stopping"]:
        found[0] += "; " + _("stops when they are over")
    for one in status["computers"]:
        where = _("hand {n}").format(n=one["hand"]) if one["hand"] else ""
        found.append(f"  {one['name']:10} {one['level']:14} {states[one['state']]} {where}".rstrip())
    found.append(
        _("{moves} moves, {late} late; {searched} thought over, {share} % by the rules for want of time").format(
            moves=status["moves"],
            late=status["late"],
            searched=status["decisions"],
            share=decimal(100 * status["fallbacks"] / max(1, status["decisions"]), 1),
        )
    )
    if status["decisions"]:
        found.append(
            _("time to think: half within {a} ms, 99 of 100 within {b} ms").format(
                a=status["ms_median"], b=status["ms_99"]
            )
        )
    if status["refused"]:
        found.append(_("requests refused: {n}").format(n=sum(status["refused"].values())))
    return found
