"""``doko config``: read and change settings."""

import os

import click

from node import config as settings
from node.cli.app import App, emit_json, group, json_option, pass_app
from node.errors import EXIT_NO, DokoError
from node.i18n import N_, _


@group(
    help=N_(
        """Read and change settings.

An option counts more than an environment variable, that more than the file, and that more than the default.

\b
Examples:
  doko config list
  doko config set nickname Anna
  doko config set network.listen :4850
  doko config unset network.listen
  doko config path
"""
    )
)
def config() -> None:
    pass


def _complete_name(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in settings.SETTINGS if name.startswith(incomplete)]


@config.verb(
    "list", help=N_("Show all settings, their values and where each comes from."), examples=("doko config list",)
)
@json_option
@pass_app
def list_(app: App, as_json: bool) -> None:
    found = app.config
    if as_json:
        emit_json(
            [
                {
                    "name": name,
                    "value": found.get(name),
                    "origin": found.origin(name).kind,
                    "where": found.origin(name).where,
                    "default": one.default,
                    "environment": one.environment,
                    "summary": _(one.summary),
                }
                for name, one in settings.SETTINGS.items()
            ]
        )
        return
    kinds = {"option": _("option"), "environment": _("environment"), "file": _("file"), "default": _("default")}
    width = max(map(len, settings.SETTINGS))
    for name, one in settings.SETTINGS.items():
        origin = found.origin(name)
        place = kinds[origin.kind] + (f": {origin.where}" if origin.where else "")
        click.echo(f"{name:{width}}  {settings.show(found.get(name)) or '-':14}  {_(one.summary)} [{place}]")


@config.verb(help=N_("Print the value of one setting."), examples=("doko config get language",))
@click.argument("name", shell_complete=_complete_name)
@json_option
@pass_app
def get(app: App, name: str, as_json: bool) -> None:
    settings.setting(name)
    value = app.config.get(name)
    if as_json:
        emit_json(value)
    else:
        click.echo(settings.show(value))


@config.verb(
    "set",
    help=N_(
        """Write a setting into the file; comments in it are kept.

\b
Examples:
  doko config set language de
  doko config set network.addresses "anna.example:4848 [2001:db8::1]:4848"
"""
    ),
)
@click.argument("name", shell_complete=_complete_name)
@click.argument("value")
@pass_app
def set_(app: App, name: str, value: str) -> None:
    understood = settings.set_value(app.paths.create().config, name, value)
    click.echo(f"{name} = {settings.show(understood)}")
    variable = settings.setting(name).environment
    if os.environ.get(variable):
        click.echo(_("Note: the environment variable {name} counts more.").format(name=variable), err=True)


@config.verb(
    help=N_("Take a setting out of the file, so that its default is in force."),
    examples=("doko config unset language",),
)
@click.argument("name", shell_complete=_complete_name)
@pass_app
def unset(app: App, name: str) -> None:
    if not settings.unset_value(app.paths.config, name):
        settings.setting(name)
        raise DokoError(_("{name} is not set in the file.").format(name=name), "", EXIT_NO)


@config.verb(help=N_("Print the name of the file."), examples=("doko config path",))
@pass_app
def path(app: App) -> None:
    click.echo(app.paths.config)
