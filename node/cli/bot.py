"""``doko bot ...``: computer players: list the levels, test one's own."""

import click

from node.bots.check import SITUATIONS, Property, check
from node.bots.levels import LEVELS, load_policy
from node.cli.app import emit_json, group, json_option, option
from node.errors import EXIT_NO, EXIT_OK, EXIT_USAGE, DokoError
from node.i18n import N_, _, ngettext

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
    Property.WHOLE: N_("it plays whole hands"),
}


@group(
    help=N_(
        """Computer players: list the levels, test a bot of your own.

\\b
Examples:
  doko bot levels
  doko bot check beginner
  doko bot check mybots:Greedy
"""
    )
)
def bot() -> None:
    pass


@bot.verb("levels", help=N_("List the levels, weakest first."))
@json_option
def levels(as_json: bool) -> int:
    policies = [load_policy(name) for name in LEVELS]
    if as_json:
        emit_json([{"name": p.name, "version": p.version, "searches": p.searches} for p in policies])
        return EXIT_OK
    for policy in policies:
        click.echo(_("{name} (version {version})").format(name=policy.name, version=policy.version))
    return EXIT_OK


@bot.verb(
    "check",
    help=N_(
        """Test whether a bot keeps the contract of a policy: legal, pure, silent about nothing.

BOT is MODULE:CLASS, a subclass of node.bots.policy.Policy that Python can import, or a level. The exit code is 0 if
nothing is found against it, else 1.
"""
    ),
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
    findings = {finding.property: finding.where for finding in check(policy, situations, seed)}
    if as_json:
        emit_json(
            {
                "bot": policy_name,
                "name": policy.name,
                "version": policy.version,
                "situations": situations,
                "seed": seed,
                "conforms": not findings,
                "findings": [{"property": what.name.lower(), "where": where} for what, where in findings.items()],
            }
        )
    else:
        for what in Property:
            if what in findings:
                click.echo(_("FAILED  {property}: {where}").format(property=_(_WORDS[what]), where=findings[what]))
            elif what is not Property.WHOLE or not findings:
                click.echo(_("ok      {property}").format(property=_(_WORDS[what])))
        click.echo(
            ngettext("{name}: {n} situation, seed {seed}.", "{name}: {n} situations, seed {seed}.", situations).format(
                name=policy_name, n=situations, seed=seed
            )
        )
    return EXIT_NO if findings else EXIT_OK
