"""``doko bot ...``: computer players: list the levels, test one's own."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click
import trio

from node.bots.check import SITUATIONS, Property, check
from node.bots.levels import LEVELS, load_policy
from node.cli.app import App, emit_json, group, json_option, option, pass_app
from node.cli.table import NodeOptions, node_options, play_at, reach, run_node
from node.errors import EXIT_NO, EXIT_OK, EXIT_USAGE, DokoError
from node.i18n import N_, _, ngettext

if TYPE_CHECKING:
    from node.events import Line
    from node.runtime import Node

#: A decision of more milliseconds than this should not be made inside a node.
LONG_MS = 50
#: What the check tests, for the catalogues.
_WORDS = {
    Property.NAMED: N_("name and version are fit for the terms"),
    Property.LEGAL: N_("every choice is legal"),
    Property.CALLS: N_("every call may be made"),
    Property.UNRAISED: N_("nothing is raised"),
    Property.PURE: N_("equal arguments give equal answers"),
    Property.GLOBAL: N_("the global random generator is neither used nor seeded"),
    Property.UNTOUCHED: N_("the view is not changed"),
    Property.SEED: N_("another instance answers the same"),
    Property.PROCESS: N_("another process answers the same"),
    Property.WHOLE: N_("it plays whole hands"),
}


@group(
    help=N_(
        """Computer players: list the levels, test a bot of your own, let one play.

\b
Examples:
  doko bot run --level strong --join anna.example:4848
  doko bot levels
  doko bot check beginner
  doko bot check mybots:Greedy
"""
    )
)
def bot() -> None:
    pass


@bot.verb(
    "levels",
    help=N_("List the levels, weakest first, with their places on the rating scale."),
    examples=("doko bot levels",),
)
@json_option
def levels(as_json: bool) -> int:
    from node.console.words import decimal
    from node.ratings import POINTS, level_place

    found = [(policy, level_place(policy.name) or 0.0) for policy in map(load_policy, LEVELS)]
    if as_json:
        emit_json(
            [
                {
                    "name": policy.name,
                    "version": policy.version,
                    "searches": policy.searches,
                    "rating": round(place, 1),
                    "points": POINTS[policy.name],
                }
                for policy, place in found
            ]
        )
        return EXIT_OK
    for policy, place in found:
        click.echo(
            _("{name} (version {version}): rating {place}, {points} points a hand against beginner").format(
                name=policy.name,
                version=policy.version,
                place=decimal(place, 1),
                points=decimal(POINTS[policy.name], 2, signed=True),
            )
        )
    return EXIT_OK


@bot.verb(
    "check",
    help=N_(
        """Test whether a bot keeps the contract of a policy: legal, pure, silent about nothing.

BOT is MODULE:CLASS, a subclass of node.bots.policy.Policy that Python can import, or a level. The exit code is 0 if
nothing is found against it, else 1.
"""
    ),
    examples=("doko bot check examples.write_a_bot:Miser", "doko bot check strong --situations 500"),
)
@click.argument("policy_name", metavar="BOT")
@option(
    "--situations",
    type=click.IntRange(1, 100_000),
    default=SITUATIONS,
    show_default=True,
    help=N_("How many situations it is shown."),
)
@option("--seed", type=click.IntRange(0), default=0, show_default=True, help=N_("Which series of situations."))
@json_option
def check_bot(policy_name: str, situations: int, seed: int, as_json: bool) -> int:
    try:
        policy = load_policy(policy_name, here=True)
    except LookupError as error:
        raise DokoError(str(error.args[0]), "", EXIT_USAGE) from None
    times: list[float] = []
    findings = {finding.property: finding.where for finding in check(policy, situations, seed, times=times)}
    slowest = round(max(times, default=0.0), 1)
    if as_json:
        emit_json(
            {
                "bot": policy_name,
                "name": policy.name,
                "version": policy.version,
                "situations": situations,
                "seed": seed,
                "conforms": not findings,
                "slowest_ms": slowest,
                "findings": [{"property": what.name.lower(), "where": where} for what, where in findings.items()],
            }
        )
    else:
        for what in Property:
            if what in findings:
                click.echo(_("FAILED  {property}: {where}").format(property=_(_WORDS[what]), where=findings[what]))
            elif what not in (Property.PROCESS, Property.WHOLE) or not findings:
                click.echo(_("ok      {property}").format(property=_(_WORDS[what])))
        click.echo(
            ngettext("{name}: {n} situation, seed {seed}.", "{name}: {n} situations, seed {seed}.", situations).format(
                name=policy_name, n=situations, seed=seed
            )
        )
        click.echo(_("Slowest decision: {ms} ms.").format(ms=slowest))
        if slowest > LONG_MS and not policy.searches:
            click.echo(_("That is long: with searches = True it thinks in a process of its own, with a time limit."))
    return EXIT_NO if findings else EXIT_OK


@bot.verb(
    "run",
    help=N_(
        """Let a computer play at somebody's table, as a node of its own.

WHERE is the HOST:PORT of the table's node, or the doko: link of its owner (who then is its friend). The node waits for
the table to be opened. LEVEL may be a bot of your own, MODULE:CLASS.

\b
Examples:
  doko bot run --level strong --join anna.example:4848
  doko --data ~/ada bot run --level intermediate --join 'doko:AbC...' --nick Ada --matches 10
"""
    ),
)
@option("--level", required=True, metavar="LEVEL", help=N_("Who plays: a computer's level"))
@option("--join", "where", required=True, metavar="WHERE", help=N_("Whose table"))
@option("--seat", type=click.IntRange(1, 4), help=N_("The seat to take, 1 to 4"))
@option("--seed", metavar="TEXT", help=N_("Make the computer's choices repeatable (never the cards)"))
@option("--wait", type=click.FloatRange(0, 86_400), default=60.0, show_default=True, help=N_("Seconds to wait"))
@node_options
@pass_app
def run_bot(app: App, /, level: str, where: str, seat: int | None, seed: str | None, wait: float, **given: Any) -> int:
    from node.auto import Auto
    from node.net.address import parse_dial
    from node.refusals import bad_link
    from protocol.refusal import Refusal
    from protocol.wire.link import SCHEME, read_link

    options = NodeOptions.taken(given)
    by_link = where.strip().lower().startswith(SCHEME)
    if by_link:
        try:
            inviter = read_link(where).identity
        except Refusal as refusal:
            raise bad_link(refusal) from None
    else:
        address = parse_dial(where)
    auto = Auto(level, seed, options.delay)

    async def play(node: "Node", report: "Callable[[Line], None]") -> "list[Line]":
        if by_link:
            if node.people.friend(inviter) is None:
                await redeem(node, where, wait)
            node.people.stay_connected()
            opener = inviter
        else:
            opener = (await reach(node, address, wait)).peer.identity
            node.lobby.known_address[opener] = address
        return await play_at(node, opener, auto, options.matches, report, seat=seat, within=wait)

    with auto:
        return run_node(app, options, play, any_port=True)


async def redeem(node: "Node", link: str, wait: float) -> None:
    """Become a friend by *link*, tried again for *wait* seconds while its node is not there.

    Raises :class:`DokoError`, at once if the node is there and does not take the link.
    """
    from node.net.dialer import pauses
    from node.people import NotReached

    give_up = trio.current_time() + wait
    for pause in pauses():
        try:
            await node.people.redeem(link)
            return
        except NotReached:
            if trio.current_time() + pause >= give_up:
                raise
        await trio.sleep(pause)
