"""The command ``doko``: global options, lazy verbs, and the only place where an error becomes text and an exit code."""

import contextlib
import difflib
import gettext
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import click

from node import __version__
from node.cli.app import App, TranslatedGroup, option
from node.cli.registry import VERBS, available
from node.errors import (
    EXIT_BUG,
    EXIT_ENVIRONMENT,
    EXIT_INTERRUPTED,
    EXIT_NO,
    EXIT_OK,
    EXIT_USAGE,
    DokoError,
)
from node.i18n import DOMAIN, LANGUAGES, LOCALE_DIR, N_, _, use_language

CONSOLE: Final = "node.console.main"
LOG_LEVELS: Final = ("debug", "info", "warning", "error")

HELP: Final = N_(
    """Doppelkopf with friends, without a server.

Without a verb the console opens.

\b
Examples:
  doko                          open the console
  doko play                     play against three bots at once
  doko demo --watch             watch four nodes play a match
  doko table open               open a table for your friends
  doko COMMAND --help           all about one command

\b
Exit codes of all commands:
  0    done, or yes
  1    no: refused, not the same, does not hold, nothing there
  2    wrong usage or bad input, a FILE that cannot be read included
  3    this machine: disk, permission, a port or data directory in use
  4    the others: not reached, gone, or the table failed
  70   a mistake in doko itself (a report is written)
  130  interrupted
"""
)


class ReaderGone(Exception):
    """Whoever read our output has closed the pipe.  (Of the system's own error click would make exit code 1.)"""


class VerbGroup(TranslatedGroup):
    """A group that imports a verb's module when the verb is used and lists verbs without importing any."""

    def make_context(self, *args: Any, **settings: Any) -> click.Context:
        try:
            return super().make_context(*args, **settings)
        except BrokenPipeError as error:
            raise ReaderGone from error

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise ReaderGone from error

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(available())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        verb = VERBS.get(cmd_name)
        if verb is None or not verb.exists():
            return None
        command = getattr(import_module(verb.module), verb.attribute)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if not name.startswith("-") and not ctx.resilient_parsing and name not in available():
            near = difflib.get_close_matches(name, available(), n=2, cutoff=0.6)
            hint = _("Did you mean {names}?").format(names=_(" or ").join(near)) if near else _("See: doko --help")
            raise DokoError(_("There is no command {name}.").format(name=repr(name[:60])), hint, EXIT_USAGE)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section(_("Commands")):
            formatter.write_dl([(name, _(verb.summary)) for name, verb in available().items()])


def _language_first(_ctx: click.Context, _param: click.Parameter, value: str | None) -> str | None:
    """``--lang`` counts for the help page, too."""
    if value is not None:
        _speak(value)
    return value


def _version(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        click.echo(f"doko {__version__}")
        ctx.exit()


@click.group(
    cls=VerbGroup,
    help=HELP,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@option(
    "--data", metavar="DIR", type=click.Path(path_type=Path), help=N_("Data directory of this node. [env: DOKO_DATA]")
)
@option(
    "--lang",
    type=click.Choice(LANGUAGES),
    is_eager=True,
    callback=_language_first,
    help=N_("Language of all texts. [env: DOKO_LANG]"),
)
@option("--plain", is_flag=True, help=N_("Lines instead of a full screen (screen readers, scripts)."))
@option("--log-level", type=click.Choice(LOG_LEVELS), help=N_("How much goes to the log file."))
@option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help=N_("Show the version and exit."),
)
@click.pass_context
def doko(ctx: click.Context, data: Path | None, lang: str | None, plain: bool, log_level: str | None) -> Any:
    app = ctx.obj = App(data, lang, log_level)
    if plain:
        app.flags["console.plain"] = "yes"
    if ctx.invoked_subcommand is not None:
        return None
    if find_spec("node.console") is not None and find_spec(CONSOLE) is not None:
        return import_module(CONSOLE).run(app)
    click.echo(ctx.get_help())
    return None


def _language_of_file(data: Path | None) -> str | None:
    """The language set in the file, if the environment names none; trouble with the file is for the verb to tell."""
    if os.environ.get("DOKO_LANG"):
        return None
    from node.paths import resolve

    with contextlib.suppress(DokoError, OSError, ValueError):
        path = resolve(data).config
        if path.exists():
            import tomllib

            language = tomllib.loads(path.read_text("utf-8-sig")).get("language")
            return language if language in LANGUAGES else None
    return None


def _speak(language: str | None) -> None:
    """Our texts and click's own (usage errors, headings) in *language* (``None``: as the environment says)."""
    os.environ["LANGUAGE"] = use_language(language)
    gettext.bindtextdomain(DOMAIN, str(LOCALE_DIR))
    gettext.textdomain(DOMAIN)


def _tell(message: str, hint: str = "") -> None:
    """Print an error; a closed stderr is no further error."""
    with contextlib.suppress(OSError, ValueError):
        click.echo(click.style(_("Error: {message}").format(message=message), fg="red", bold=True), err=True)
        if hint:
            click.echo(hint, err=True)


def _leaves(error: BaseException) -> Iterator[BaseException]:
    """What is inside exception groups (a trio nursery wraps whatever comes out of it)."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error


def _exit_code(error: BaseException, data: Path | None) -> int:
    """Tell *error* in words and say how the command ends."""
    leaves = list(_leaves(error))
    if any(isinstance(leaf, click.Abort) and isinstance(leaf.__context__, EOFError) for leaf in leaves):
        _tell(_("The input has ended."))  # where something was asked
        return EXIT_USAGE
    if any(isinstance(leaf, KeyboardInterrupt | click.Abort) for leaf in leaves):
        with contextlib.suppress(OSError, ValueError):
            click.echo(_("Interrupted."), err=True)
        return EXIT_INTERRUPTED
    for leaf in leaves:
        if isinstance(leaf, DokoError):
            _tell(leaf.message, leaf.hint)
            return leaf.exit_code
    first = leaves[0]
    if isinstance(first, SystemExit):
        return first.code if isinstance(first.code, int) else EXIT_OK if first.code is None else EXIT_NO
    if isinstance(first, click.exceptions.NoArgsIsHelpError):
        with contextlib.suppress(OSError, ValueError):
            click.echo(first.message, err=True)
        return EXIT_USAGE
    if isinstance(first, click.UsageError):
        where = first.ctx.command_path if first.ctx is not None else "doko"
        _tell(first.format_message(), _("See: {command} --help").format(command=where))
        return EXIT_USAGE
    if isinstance(first, click.ClickException):
        _tell(first.format_message())
        return EXIT_USAGE
    if isinstance(first, ReaderGone | BrokenPipeError):
        _quiet_stdout()
        return EXIT_OK
    if isinstance(first, OSError):
        from node.files import explain

        told = explain(first, first.filename or _("The system"))
        _tell(told.message, told.hint)
        return told.exit_code
    if type(first).__name__ == "Refusal":
        from node.refusals import refusal_text
        from protocol.refusal import Refusal

        assert isinstance(first, Refusal)
        _tell(refusal_text(first))
        return EXIT_NO
    return _crash(first, data)


def _crash(error: BaseException, data: Path | None, *, tell: bool = True) -> int:
    from node.cli.crash import what, write_report
    from node.paths import resolve

    try:
        path = write_report(error, resolve(data).crashes)
    except DokoError:
        path = None
    if not tell:
        return EXIT_BUG
    message = _("Something went wrong inside doko ({what}). This is a mistake in the program, not yours.")
    if path is None:
        hint = _("A report could not be written either; is the disk full?")
    else:
        hint = _("A report without secrets is in {path}; please send it to whoever you have doko from.").format(
            path=path
        )
    _tell(message.format(what=what(error)), hint)
    return EXIT_BUG


def _quiet_stdout() -> None:
    """Whoever read our output has gone: nothing more can or need be flushed."""
    with contextlib.suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)


def run(args: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code; errors are printed, never raised."""
    before = os.environ.get("LANGUAGE")
    try:
        _speak(_language_of_file(_data_option(args)))
        try:
            outcome = doko.main(args=args, prog_name="doko", standalone_mode=False)
        except BaseException as error:
            if isinstance(error, GeneratorExit):
                raise
            return _exit_code(error, _data_option(args))
        try:
            sys.stdout.flush()
        except BrokenPipeError:
            _quiet_stdout()
        except (OSError, ValueError) as error:
            return _exit_code(error, None) if isinstance(error, OSError) else EXIT_ENVIRONMENT
        return outcome if isinstance(outcome, int) and not isinstance(outcome, bool) else EXIT_OK
    finally:
        if before is None:
            os.environ.pop("LANGUAGE", None)
        else:
            os.environ["LANGUAGE"] = before


def _data_option(args: Sequence[str] | None) -> Path | None:
    """``--data`` of a command line that failed before or after it was read."""
    words = list(sys.argv[1:] if args is None else args)
    for index, word in enumerate(words):
        if word == "--data" and index + 1 < len(words):
            return Path(words[index + 1])
        if word.startswith("--data="):
            return Path(word.partition("=")[2])
    return None


def _thread_failed(args: threading.ExceptHookArgs) -> None:
    """A thread that nobody waits for failed: a report, no traceback over somebody's screen."""
    from node import logs

    logs.get("thread").error("thread failed", kind=args.exc_type.__name__, text=str(args.exc_value))
    if args.exc_value is not None and not isinstance(args.exc_value, SystemExit):
        _crash(args.exc_value, _data_option(None), tell=False)


def _finaliser_failed(args: "sys.UnraisableHookArgs") -> None:
    """An error in a finaliser: nothing waits for it and nothing can be done about it."""
    with contextlib.suppress(Exception):
        from node import logs

        logs.get("finaliser").error("finaliser failed", kind=args.exc_type.__name__, text=str(args.exc_value))


def main() -> None:
    """The entry point of the installed script."""
    threading.excepthook = _thread_failed
    sys.unraisablehook = _finaliser_failed
    _fill_streams()
    sys.exit(run())


def _fill_streams() -> None:
    """Let closed standard streams (``doko <&-``) lead to the null device, as if they had nothing to say.

    Otherwise Python has None for them, and the next file or socket that is opened gets their number.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is not None:
            continue
        with contextlib.suppress(OSError):
            null = os.open(os.devnull, os.O_RDWR)
            if null != number:
                os.dup2(null, number)
                os.close(null)
            setattr(sys, name, os.fdopen(number, "w" if number else "r", encoding="utf-8", errors="replace"))


if __name__ == "__main__":
    main()
