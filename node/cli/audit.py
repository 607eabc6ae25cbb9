"""``doko audit SETTLEMENT``: make every decision of a match's computers again and compare."""

import sys
from typing import TYPE_CHECKING, Any

import click

from node.cli.app import command, emit_json, json_option, option, read_bytes
from node.console.words import decimal
from node.errors import EXIT_NO, EXIT_OK, EXIT_USAGE, DokoError
from node.i18n import N_, _, ngettext

if TYPE_CHECKING:
    from node.bots.audit import Audited
    from protocol.table.roster import Roster

MAX_FILE = 64_000_000


@command(
    help=N_(
        """Check that the computer players of a match played what they had bound themselves to.

The settlement is verified first. Then each decision of each computer is made again, from its policy and version, the
seed it had committed to and revealed, its cards and what it saw. The first decision that differs is named, and how many
were fallbacks (the plain rules, for want of time). Who hosted a computer, and so could see its cards, is shown.

\b
Examples:
  doko audit settlement.doko
  doko audit --json settlement.doko
  doko audit --policy mybots:Greedy settlement.doko

Exit code 0: no difference; 1: a difference, or a policy this program does not have; 2: not a settlement that verifies.
"""
    )
)
@click.argument("file", metavar="SETTLEMENT", type=click.Path(allow_dash=True))
@option(
    "--policy",
    "own",
    metavar="MODULE:CLASS",
    multiple=True,
    help=N_("A bot that is no level of this program, to check by its name; repeatable"),
)
@json_option
def audit(file: str, own: tuple[str, ...], as_json: bool) -> int:
    from node.auto import policy_of
    from node.bots.audit import audit as check
    from node.cli.verify import problem_text
    from protocol.table.verify import verify

    policies = [policy_of(name) for name in own]
    raw = read_bytes(file, MAX_FILE)
    verdict = verify(raw)
    if verdict.kind != "settlement":
        raise DokoError(
            _("{file} is no settlement file.").format(file=file),
            _("Settlements are written at the end of a match; see doko history."),
            EXIT_USAGE,
        )
    if not verdict.good or verdict.roster is None:
        raise DokoError(
            _("{file} does not verify: {problem}").format(file=file, problem=problem_text(verdict)),
            _("Only a settlement that verifies says what a computer did."),
            EXIT_USAGE,
        )
    show = sys.stderr.isatty() and not as_json
    reports = check(raw, verdict, _progress if show else None, policies)
    if show:
        click.echo("\r\x1b[K", nl=False, err=True)
    if as_json:
        emit_json({"match": verdict.match, "computers": [_as_data(report, verdict.roster) for report in reports]})
    elif not reports:
        click.echo(_("No computers in this match."))
    else:
        for report in reports:
            _print(report, verdict.roster)
    return EXIT_OK if all(report.good for report in reports) else EXIT_NO


def _progress(seat: int, done: int, hands: int) -> None:
    text = _("seat {seat}: hand {done} of {hands}").format(seat=seat + 1, done=done + 1, hands=hands)
    click.echo(f"\r{text}\x1b[K", nl=False, err=True)


def _host(report: "Audited", roster: "Roster") -> tuple[int | None, bool]:
    """The seat of the host, if he plays, and whether the computer stands alone."""
    return roster.seat_of(report.bot.host), report.bot.host == report.bot.identity


def _as_data(report: "Audited", roster: "Roster") -> dict[str, Any]:
    seat, alone = _host(report, roster)
    first = report.first
    return {
        "seat": report.seat,
        "name": roster.players[report.seat].nickname,
        "policy": report.bot.policy,
        "version": report.bot.version,
        "host": report.bot.host,
        "host_seat": None if alone else seat,
        "decisions": report.decisions,
        "fallbacks": report.fallbacks,
        "differing": report.differing,
        "hands_not_shown": report.unshown,
        "unknown_policy": report.unknown,
        "first_difference": None
        if first is None
        else {"hand": first.hand, "card": first.card, "did": first.did, "should": first.should},
    }


def _print(report: "Audited", roster: "Roster") -> None:
    name = roster.players[report.seat].nickname
    click.echo(
        _("Seat {seat}, {name}: {policy}, version {version}").format(
            seat=report.seat + 1, name=name, policy=report.bot.policy, version=report.bot.version
        )
    )
    seat, alone = _host(report, roster)
    if alone:
        click.echo("  " + _("a node of its own: nobody at the table hosts it"))
    elif seat is None:
        click.echo("  " + _("hosted by {key}, who does not play").format(key=report.bot.host.hex()[:16]))
    else:
        click.echo("  " + _("hosted by {name}, who could see its cards").format(name=roster.players[seat].nickname))
    if report.unknown:
        click.echo("  " + _("NOT CHECKED: this program does not have that policy in that version"))
        return
    line = ngettext("{n} decision checked", "{n} decisions checked", report.decisions).format(n=report.decisions)
    share = 100 * report.fallbacks / report.decisions if report.decisions else 0.0
    click.echo("  " + line + ", " + _("{share} % fallbacks").format(share=decimal(share, 1)))
    if report.unshown:
        click.echo(
            "  " + ngettext("{n} hand is not shown", "{n} hands are not shown", report.unshown).format(n=report.unshown)
        )
    if report.first is not None:
        click.echo(
            "  "
            + _("DIFFERS in hand {hand}, card {card}: it did {did}, its policy does {should}").format(
                hand=report.first.hand, card=report.first.card + 1, did=report.first.did, should=report.first.should
            )
        )
        if report.differing > 1:
            click.echo("  " + _("and {n} more").format(n=report.differing - 1))
    else:
        click.echo("  " + _("every decision is the one its policy makes"))
