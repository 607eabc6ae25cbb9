"""The command ``doko``: global options, lazy verbs, and the only place where an error becomes text and an exit code."""

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from node import __version__
from node.cli.app import App
from node.cli.registry import VERBS, available
from node.errors import EXIT_ENVIRONMENT, EXIT_INTERRUPTED, EXIT_OK, EXIT_USAGE, DokoError
from node.i18n import LANGUAGES, N_, _, use_language

CONSOLE = "node.console.main"


class VerbGroup(click.Group):
    """A group that imports a verb's module when the verb is used and lists verbs without importing any."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(available())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        verb = VERBS.get(cmd_name)
        if verb is None or not verb.exists():
            return None
        command = getattr(import_module(verb.module), verb.attribute)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = [(name, _(verb.summary)) for name, verb in available().items()]
        with formatter.section(_("Commands")):
            formatter.write_dl(rows)


@click.group(cls=VerbGroup, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--data", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help=N_("Data directory"))
@click.option("--lang", type=click.Choice(LANGUAGES), help=N_("Language"))
@click.option("--log-level", type=click.Choice(["debug", "info", "warning", "error"]), help=N_("Log level"))
@click.version_option(__version__, prog_name="doko", message="%(prog)s %(version)s")
@click.pass_context
def doko(ctx: click.Context, data: Path | None, lang: str | None, log_level: str | None) -> Any:
    """Doppelkopf with friends, without a server."""
    use_language(lang)
    ctx.obj = App(data, lang, log_level)
    if ctx.invoked_subcommand is None:
        if find_spec("node.console") is not None and find_spec(CONSOLE) is not None:
            return import_module(CONSOLE).run(ctx.obj)
        click.echo(ctx.get_help())
    return None


def run(args: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code; errors are printed, never raised."""
    use_language()
    try:
        outcome = doko.main(args=args, prog_name="doko", standalone_mode=False)
    except DokoError as error:
        click.echo(str(error), err=True)
        return error.exit_code
    except click.ClickException as error:
        error.show()
        return EXIT_USAGE
    except (KeyboardInterrupt, click.Abort):
        return EXIT_INTERRUPTED
    except OSError as error:
        click.echo(str(error), err=True)
        return EXIT_ENVIRONMENT
    return outcome if isinstance(outcome, int) else EXIT_OK


def main() -> None:
    """The entry point of the installed script."""
    sys.exit(run())
