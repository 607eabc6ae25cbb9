"""``doko doctor``: check the machine; save what can be saved of a damaged store."""

import sys

import click

from node import doctor as checks
from node.cli.app import App, command, emit_json, json_option, option, pass_app
from node.doctor import Finding, Grade
from node.errors import EXIT_NO, EXIT_OK
from node.i18n import N_, _


@command(
    help=N_(
        """Check that this machine is ready to play, and say what to do if it is not.

Ends with 0 if nothing failed (warnings are allowed), else with 1.

--salvage is for a damaged store: it keeps the damaged file under another name and saves what can be read into a new
one.

\b
Examples:
  doko doctor
  doko doctor --json
  doko doctor --salvage
"""
    )
)
@option("--salvage", is_flag=True, help=N_("Make a new store from what can be read of a damaged one."))
@json_option
@pass_app
def doctor(app: App, salvage: bool, as_json: bool) -> int:
    if salvage:
        return _salvage(app, as_json)
    found = checks.examine(checks.Machine(app.paths, app.environ, sys.stdout))
    worst = checks.worst(found)
    if as_json:
        emit_json(
            {
                "grade": worst,
                "checks": [
                    {"check": name, "grade": finding.grade, "text": finding.text, "hint": finding.hint}
                    for name, finding in found.items()
                ],
            }
        )
    else:
        for name, finding in found.items():
            _print(_(checks.CHECKS[name][0]), finding)
    return EXIT_NO if worst is Grade.FAIL else EXIT_OK


def _print(title: str, finding: Finding) -> None:
    words = {Grade.OK: _("ok"), Grade.WARN: _("warning"), Grade.FAIL: _("FAILED")}
    colours = {Grade.OK: "green", Grade.WARN: "yellow", Grade.FAIL: "red"}
    mark = click.style(words[finding.grade], fg=colours[finding.grade])
    click.echo(f"{title}: {mark}: {finding.text}")
    if finding.hint:
        click.echo(f"    {finding.hint}")


def _salvage(app: App, as_json: bool) -> int:
    from node.salvage import salvage

    done = salvage(app.paths.store, app.paths.lock)
    if as_json:
        emit_json({"kept": done.kept, "saved": done.saved, "torn": list(done.torn)})
    else:
        click.echo(_("The damaged store is kept in {path}.").format(path=done.kept))
        rows = ", ".join(f"{table} {n}" for table, n in done.saved.items())
        click.echo(_("Saved into a new store: {rows}.").format(rows=rows))
        if done.torn:
            click.echo(_("Not read to the end: {tables}.").format(tables=", ".join(done.torn)))
    return EXIT_NO if done.torn else EXIT_OK
