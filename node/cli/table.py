"""``doko table``: open a table, join one by address, take up a match that was interrupted."""

import json
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from secrets import token_bytes
from typing import TYPE_CHECKING, Any, TypeVar

import click
import trio

from node.cli.app import App, emit_json, group, option, pass_app
from node.errors import EXIT_NO, EXIT_OK, EXIT_PEER, EXIT_USAGE, DokoError
from node.events import Line
from node.i18n import N_, _

if TYPE_CHECKING:
    from node.auto import Auto
    from node.runtime import Node

F = TypeVar("F", bound=Callable[..., Any])


@group(
    help=N_("Open a table, join one, or take up an interrupted match."),
    examples=("doko table open", "doko table join anna.example:4848", "doko table resume"),
)
def table() -> None:
    """See help."""


def terms_options(function: F) -> F:
    """What is played for how much, as options."""
    for decorate in reversed(
        (
            option(
                "--mode",
                type=click.Choice(["variable", "four-fixed", "duel"]),
                default="variable",
                show_default=True,
                help=N_("One hand, paid by its points; four hands for a fixed stake; a duel with two computers"),
            ),
            option("--stake", type=click.IntRange(1, 100_000_000), default=10, show_default=True, help=N_("Cents")),
            option("--limit", type=click.IntRange(1, 1_000_000_000), help=N_("Cents an opponent at most (variable)")),
            option("--fee", type=click.IntRange(0, 2500), default=0, help=N_("Basis points that go to the kitty")),
            option(
                "--rules",
                type=click.Choice(["stargames", "ddv"]),
                default="stargames",
                show_default=True,
                help=N_("How hands are scored"),
            ),
        )
    ):
        function = decorate(function)
    return function


def node_options(function: F) -> F:
    """What every command that runs a node takes."""
    for decorate in reversed(
        (
            option("--listen", metavar="HOST:PORT", help=N_("Where to listen; port 0: any free one")),
            option("--announce", metavar="HOST:PORT", multiple=True, help=N_("Where others can reach this node")),
            option("--nick", metavar="NAME", help=N_("The name to play under")),
            option("--delay", type=click.FloatRange(0, 60), default=0.0, help=N_("Seconds before each bid and card")),
            option("--matches", type=click.IntRange(1, 10_000), default=1, help=N_("How many matches to play")),
            option("--watch/--quiet", default=True, help=N_("Tell the match as text, or only its end")),
            option("--json", "as_json", is_flag=True, help=N_("Print JSON for programs.")),
            click.option("--events", is_flag=True, hidden=True, help="One line of JSON for each event"),
            click.option("--measure", is_flag=True, hidden=True, help="Add CPU time and loop lateness to the events"),
            click.option("--leash", is_flag=True, hidden=True, help="Stop when standard input ends"),
        )
    ):
        function = decorate(function)
    return function


auto_option = option(
    "--auto", "level", metavar="LEVEL", help=N_("A computer of this level plays for this node (see: doko bot levels)")
)
seed_option = option("--seed", metavar="TEXT", help=N_("Make the computer's choices repeatable (never the cards)"))
seat_option = option("--seat", type=click.IntRange(1, 4), help=N_("The seat to take, 1 to 4"))
person_option = option(
    "--as-person", "person", is_flag=True, help=N_("The computer plays for a person: the terms name none at this seat")
)


@dataclass(frozen=True, slots=True)
class NodeOptions:
    """The values of :func:`node_options`."""

    listen: str | None
    announce: tuple[str, ...]
    nick: str | None
    delay: float
    matches: int
    watch: bool
    as_json: bool
    events: bool
    measure: bool
    leash: bool

    @classmethod
    def taken(cls, given: dict[str, Any]) -> "NodeOptions":
        """Take our values out of a command's."""
        return cls(**{name: given.pop(name) for name in cls.__slots__})


def reporter_of(options: NodeOptions) -> Callable[[Line], None]:
    """Where the match is told."""
    if options.events:

        def write(line: Line) -> None:
            sys.stdout.write(json.dumps(line, ensure_ascii=True) + "\n")
            sys.stdout.flush()

        return write
    if options.as_json:
        return lambda line: None
    from node.watch import Narrator, faces_of, wants_colour

    narrator = Narrator(sys.stdout, colour=wants_colour(sys.stdout), faces=faces_of(sys.stdout))

    def tell(line: Line) -> None:
        if line["event"] == "listening":
            click.echo(_("{name} listens on {address}").format(name=line["name"], address=line["address"]))
            if line["table"]:
                click.echo(_("Others join with: doko table join {address}").format(address=line["reach"]))
        elif options.watch or line["event"] == "seated":
            narrator.feed(line)
        if line["event"] == "settled":
            click.echo(_("Settlement with {n} signatures: {path}").format(n=line["signatures"], path=line["path"]))
            click.echo(_("Anyone can check it with: doko verify {path}").format(path=line["path"]))

    return tell


def need_level(level: str | None) -> str:
    """The level, which has to be given where nobody sits at a console."""
    if level is None:
        raise DokoError(
            _("Say who plays: --auto LEVEL lets a computer play for this node."),
            _("To play yourself, start doko alone and use the lobby."),
            EXIT_USAGE,
        )
    return level


@table.verb(
    name="open",
    help=N_(
        """Open a table and play with whoever takes the three other seats.

Without --auto you play yourself: the console opens.

\b
Examples:
  doko table open --mode four-fixed --stake 50
  doko table open --auto beginner
  doko table open --auto strong --as-person --mode duel --stake 250 --fill intermediate
  doko table open --auto beginner --fill random --computers 2 --listen :4848
  doko table open --auto beginner --as-person --mode duel --ask Carl:strong --ask Dora:strong
"""
    ),
)
@auto_option
@person_option
@terms_options
@option("--fill", metavar="LEVEL", help=N_("Fill free seats with computers of this level that this node hosts"))
@option("--computers", type=click.IntRange(0, 3), help=N_("How many computers --fill brings (default: all it can)"))
@option("--ask", metavar="FRIEND[:LEVEL]", multiple=True, help=N_("Ask a friend's host for a computer; repeatable"))
@seed_option
@seat_option
@node_options
@pass_app
def open_(
    app: App,
    /,
    level: str | None,
    person: bool,
    fill: str | None,
    computers: int | None,
    ask: tuple[str, ...],
    seed: str | None,
    seat: int | None,
    **given: Any,
) -> int:
    """See help."""
    from node.auto import Auto, play_seat, policy_of
    from node.bots.asking import ask_house
    from node.company import Company
    from node.refusals import bad_terms
    from node.runtime import Node
    from node.tasks import background
    from protocol.refusal import Refusal
    from protocol.table.terms import make_terms

    options = NodeOptions.taken(given)
    if fill is not None:
        policy_of(fill)  # refused here in words rather than by the computers
    if level is None and not (options.events or options.as_json):
        from node.console.main import run, table_command

        count = 0 if fill is None else (2 if given["mode"] == "duel" else 3) if computers is None else computers
        first = table_command(given, "anyone", (fill or "",) * count)
        return run(app, (first,), listen=options.listen, nickname=options.nick)
    auto = Auto(need_level(level), seed, options.delay, person=person)

    def terms() -> bytes:
        try:
            return make_terms(
                table=token_bytes(16),
                mode=given["mode"],
                stake=given["stake"],
                limit=given["limit"],
                fee=given["fee"],
                profile=given["rules"],
            )
        except Refusal as refusal:
            raise bad_terms(refusal) from None

    terms()  # before anything is opened

    async def play(node: Node, report: Callable[[Line], None]) -> list[Line]:
        ends: list[Line] = []
        async with background() as nursery:
            company = Company(
                node.paths,
                nursery,
                lambda text: click.echo(text, err=True),
                pace=options.delay,
                host=node.identity.key if person else None,
            )
            try:
                for number in range(options.matches):
                    chain = auto.chain(number)
                    seating = node.lobby.open(
                        terms(),
                        addresses=node.addresses(),
                        seat=(seat or 1) - 1,
                        bot=auto.seat(node, chain),
                        my_bots=company,
                        auto_confirm=True,
                    )
                    if fill is not None and number == 0:
                        free = 3 if given["mode"] != "duel" else 2 if person else 1
                        for _n in range(free if computers is None else min(free, computers)):
                            company.hire(fill, {node.hub.me.nickname}, node.local_address, node.local_listen)
                    for wish in ask if number == 0 else ():
                        friend, _colon, wanted = wish.partition(":")
                        key = node.people.contacts.find(friend).key
                        await ask_house(node, seating, key, friend, wanted or "strong")
                    await play_seat(node, seating, auto, chain, _keeping(report, ends))
            finally:
                await company.dismiss_all()
        return ends

    with auto:
        return run_node(app, options, play, table=True)


@table.verb(
    help=N_(
        """Join the table of the node at HOST:PORT.

Without --auto you play yourself: the console opens.

\b
Examples:
  doko table join anna.example:4848
  doko table join anna.example:4848 --auto strong
  doko table join anna.example:4848 --auto strong --as-person
"""
    )
)
@click.argument("address", metavar="HOST:PORT")
@auto_option
@person_option
@click.option("--host", metavar="KEY", hidden=True, help="The identity key of whoever hosts this computer")
@seed_option
@seat_option
@option("--wait", type=click.FloatRange(0, 86_400), default=10.0, help=N_("Seconds to go on trying to reach it"))
@node_options
@pass_app
def join(
    app: App,
    /,
    address: str,
    level: str | None,
    person: bool,
    host: str | None,
    seed: str | None,
    seat: int | None,
    wait: float,
    **given: Any,
) -> int:
    """See help."""
    from node.auto import Auto
    from node.identity import parse_key
    from node.leash import read_line
    from node.net.address import parse_dial
    from node.runtime import Node

    options = NodeOptions.taken(given)
    if level is None and not (options.events or options.as_json):
        from node.console.main import run
        from node.view import JoinTable

        parse_dial(address)
        return run(app, (JoinTable(where=address),), listen=options.listen, nickname=options.nick)
    runs = None if host is None else parse_key(host)
    auto = Auto(need_level(level), seed, options.delay, person=person, host=runs)
    where = parse_dial(read_line() if address == "-" else address)

    async def play(node: Node, report: Callable[[Line], None]) -> list[Line]:
        link = await reach(node, where, wait)
        node.lobby.known_address[link.peer.identity] = where
        return await play_at(node, link.peer.identity, auto, options.matches, report, seat=seat)

    with auto:
        return run_node(app, options, play, any_port=True)


@table.verb(
    help=N_("Take up the matches that were interrupted, or the one whose name begins with MATCH."),
    examples=(
        "doko table resume",
        "doko table resume 3f2a",
    ),
)
@click.argument("match", metavar="[MATCH]", default="")
@node_options
@pass_app
def resume(app: App, /, match: str, **given: Any) -> int:
    """See help."""
    from node.auto import resume as take_up
    from node.company import Company
    from node.plan import unpack_plan
    from node.runtime import Node
    from node.tasks import background

    options = NodeOptions.taken(given)
    with app.open_store() as store:
        plans = [unpack_plan(row.setup) for row in store.matches("open") if row.match.hex().startswith(match.lower())]
    if not match:
        plans = [plan for plan in plans if plan.level is not None] or plans
    if not plans:
        click.echo(_("There is no open match."), err=True)
        return EXIT_NO
    listen = options.listen or plans[0].listen  # where the others look for us

    async def play(node: Node, report: Callable[[Line], None]) -> list[Line]:
        ends: list[Line] = []
        async with background() as nursery:
            company = Company(
                node.paths, nursery, lambda text: click.echo(text, err=True), pace=options.delay, host=node.identity.key
            )
            try:
                for plan in plans:
                    company.recall(plan)
                    await take_up(node, plan, options.delay, _keeping(report, ends))
            finally:
                await company.dismiss_all()
        return ends

    name = plans[0].setup.roster.players[plans[0].setup.my_seat].nickname
    return run_node(app, replace(options, nick=options.nick or name), play, listen=listen)


async def play_at(
    node: "Node",
    opener: bytes,
    auto: "Auto",
    matches: int,
    report: Callable[[Line], None],
    *,
    seat: int | None = None,
    within: float | None = None,
) -> list[Line]:
    """Sit down at the tables of *opener*, one after another, and let *auto* play; the lines that the matches end with.

    *within*: how long to wait for the first table to be announced (seconds).  Raises :class:`DokoError`.
    """
    from node.auto import play_seat
    from node.lobby import ANNOUNCED_S

    ends: list[Line] = []
    last: bytes | None = None
    for number in range(matches):
        chain = auto.chain(number)
        patience = within if within is not None and not number else ANNOUNCED_S
        found = await node.lobby.table_of(opener, not_table=last, within=patience)
        last = found.table
        seating = node.lobby.join(
            found,
            addresses=node.addresses(node.hub.link(opener)),
            seat=None if seat is None else seat - 1,
            bot=auto.seat(node, chain),
            auto_confirm=True,
        )
        await play_seat(node, seating, auto, chain, _keeping(report, ends))
    return ends


def _keeping(report: Callable[[Line], None], ends: list[Line]) -> Callable[[Line], None]:
    """*report*, which also keeps the lines a match ends with."""

    def pass_on(line: Line) -> None:
        report(line)
        if line["event"] == "settled":
            ends.append(line)

    return pass_on


def run_node(
    app: App,
    options: NodeOptions,
    play: "Callable[..., Awaitable[list[Line]]]",
    *,
    listen: str | None = None,
    table: bool = False,
    any_port: bool = False,
) -> int:
    """Run a node until *play* is through; the exit code.

    *any_port*: nobody looks for it at its usual port: if that is in use and none was asked for, any other will do.
    """
    from node.auto import Reporter
    from node.leash import follow_parent
    from node.net.address import parse_dial, parse_listen
    from node.runtime import open_node
    from node.signals import Stop, run
    from node.tasks import background

    where = parse_listen(listen or options.listen or app.config.text("network.listen"))
    announce = tuple(map(parse_dial, options.announce))
    reporter = Reporter(reporter_of(options), options.measure)
    if options.leash:
        follow_parent()

    async def main(stop: Stop) -> int:
        ends: list[Line] = []
        async with open_node(app, listen=None, nickname=options.nick, announce=announce) as node:
            with stop.scope:
                note = await node.listen(where, free=any_port and not (listen or options.listen))
                if note and not options.as_json:
                    click.echo(note, err=True)
                async with background() as nursery:
                    if options.measure:
                        nursery.start_soon(reporter.heartbeat.run)
                    reporter(
                        {
                            "event": "listening",
                            "address": node.listening,
                            "reach": str(node.addresses()[0]),
                            "name": node.hub.me.nickname,
                            "key": node.identity.key.hex(),
                            "table": table,
                        }
                    )
                    ends = await play(node, reporter)
        if options.as_json:
            for end in ends:
                emit_json({name: end[name] for name in ("path", "signatures", "points", "money", "kitty")})
        return EXIT_OK if ends or stop.signal else EXIT_PEER

    return run(main)


async def reach(node: Any, where: Any, wait: float) -> Any:
    """A link to *where*, tried again for *wait* seconds.  Raises :class:`DokoError`."""
    from node.net.dialer import DialFailed, pauses

    give_up = trio.current_time() + wait
    for pause in pauses():
        try:
            return await node.hub.connect(where)
        except DialFailed as failed:
            if trio.current_time() + pause >= give_up:
                raise DokoError(
                    _("The table cannot be reached: {why}.").format(why=failed),
                    _("Check the address, that the other node runs, and that its port is open."),
                    EXIT_PEER,
                ) from None
        await trio.sleep(pause)
    raise AssertionError("unreachable")
