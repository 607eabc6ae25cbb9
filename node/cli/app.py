"""What every verb gets: the global options, and what follows from them, made when first asked for.

A verb is a :func:`command` whose function takes the :class:`App` first::

    @command(help=N_("Do it.\\n\\nExamples:\\n\\n  doko it"))
    @option("--json", "as_json", is_flag=True, help=N_("Print JSON"))
    @pass_app
    def it(app: App, as_json: bool) -> int | None: ...

Its return value is the exit code (``None``: 0).  Help texts are marked with ``N_`` and translated when shown.
"""

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from node.errors import EXIT_USAGE, DokoError
from node.i18n import N_, _
from node.paths import Paths, resolve

if TYPE_CHECKING:
    from node.config import Config
    from node.contacts import Contacts
    from node.identity import Identity
    from node.locks import Lock
    from node.store import Store

F = TypeVar("F", bound=Callable[..., Any])


class App:
    """One call of ``doko``: the global options, and lazily paths, settings, identity and store.

    ``data`` is the value of ``--data`` (``None``: environment or default); ``flags`` are settings given as options, by
    their dotted names, above environment and file.
    """

    def __init__(
        self,
        data: Path | None = None,
        lang: str | None = None,
        log_level: str | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self.data = data
        self.environ = os.environ if environ is None else environ
        self.flags: dict[str, str | None] = {"language": lang, "log.level": log_level}
        self._paths: Paths | None = None
        self._config: Config | None = None
        self._identity_lock: Lock | None = None

    @property
    def paths(self) -> Paths:
        """The files of the data directory (nothing is created)."""
        if self._paths is None:
            self._paths = resolve(self.data, self.environ)
        return self._paths

    @property
    def config(self) -> "Config":
        """The settings in force.  Raises :class:`DokoError` that names what is wrong in the file or environment."""
        if self._config is None:
            from node import config

            self._config = config.load(self.paths.config, self.environ, self.flags)
        return self._config

    def forget_config(self) -> None:
        """The file has changed: read it anew when next asked."""
        self._config = None

    def start_log(self) -> None:
        """Log to the data directory from now on (for verbs that run a node)."""
        from node import logs

        config = self.config
        logs.setup(
            self.paths.create().log,
            config.text("log.level"),
            config.number("log.megabytes"),
            int(config.number("log.files")),
        )

    def has_identity(self) -> bool:
        """Whether there is an identity file."""
        return self.paths.identity.exists()

    def ask_passphrase(self) -> str | None:
        """The identity's passphrase: ``DOKO_PASSPHRASE``, a file named by the settings, or asked for at a terminal."""
        direct = self.environ.get("DOKO_PASSPHRASE")
        if direct:
            return direct
        file = self.config.text("identity.passphrase_file")
        if file:
            from node.files import read_limited

            return read_limited(Path(file).expanduser(), 4096).decode("utf-8", "replace").strip("\r\n")
        if sys.stdin.isatty():
            answer = click.prompt(_("Passphrase"), hide_input=True, err=True)
            return str(answer)
        return None

    def load_identity(self, *, create: bool = False) -> "Identity":
        """The node's own identity, unlocked; with *create* a new one is made (without passphrase) if there is none.

        Raises :class:`DokoError`.
        """
        from node import identity

        path = self.paths.identity
        if create and not path.exists():
            fresh = identity.create()
            self.paths.create()
            identity.save(fresh, path)
            return fresh
        return identity.load(path, self.ask_passphrase)

    def open_store(self, *, exclusive: bool = False) -> "Store":
        """The store, made if it is missing; *exclusive* for a node that plays.  Raises :class:`DokoError`."""
        from node.store import open_store

        paths = self.paths.create()
        return open_store(paths.store, exclusive=exclusive, lock_path=paths.lock)

    def claim_identity(self, identity: "Identity") -> None:
        """Make sure that no other process on this machine plays as *identity*, until this one ends.

        Raises :class:`DokoError` that names the other process.
        """
        from node.locks import acquire_identity

        if self._identity_lock is None:
            self._identity_lock = acquire_identity(identity.key)

    def release_identity(self) -> None:
        """Undo :meth:`claim_identity`."""
        if self._identity_lock is not None:
            self._identity_lock.release()
            self._identity_lock = None

    def contacts(self, store: "Store") -> "Contacts":
        """The friends in *store*."""
        from node.contacts import Contacts

        return Contacts(store)


pass_app = click.make_pass_decorator(App)


class TranslatedOption(click.Option):
    """An option whose help is translated when it is shown."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        marked = self.help
        self.help = _(marked) if marked else marked
        try:
            return super().get_help_record(ctx)
        finally:
            self.help = marked


class _Translated(click.Command):
    """The parts of a help page that are ours, translated when shown; *examples*: command lines at its end."""

    def __init__(self, *args: Any, examples: Sequence[str] = (), **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.examples = tuple(examples)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_epilog(ctx, formatter)
        if self.examples:
            with formatter.section(_("Examples")):
                for example in self.examples:
                    formatter.write(f"{'':{formatter.current_indent}}{example}\n")

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        marked = self.help
        self.help = _(marked) if marked else marked
        try:
            super().format_help_text(ctx, formatter)
        finally:
            self.help = marked

    def get_short_help_str(self, limit: int = 45) -> str:
        return _(self.help).partition("\n")[0] if self.help else ""

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        found = super().get_help_option(ctx)
        if found is not None:
            found.help = _(N_("Show this page and exit."))
        return found


class TranslatedCommand(_Translated):
    """A verb."""


class TranslatedGroup(_Translated, click.Group):
    """A verb with verbs of its own."""

    def verb(self, name: str | None = None, **settings: Any) -> Callable[[Callable[..., Any]], click.Command]:
        """:meth:`click.Group.command` with translated help."""
        return super().command(name, cls=TranslatedCommand, **settings)


def command(name: str | None = None, **settings: Any) -> Callable[[Callable[..., Any]], click.Command]:
    """:func:`click.command` with translated help."""
    return click.command(name, cls=TranslatedCommand, **settings)


def group(name: str | None = None, **settings: Any) -> Callable[[Callable[..., Any]], TranslatedGroup]:
    """:func:`click.group` with translated help; so have its verbs, made with ``.verb()``."""
    return click.group(name, cls=TranslatedGroup, **settings)


def option(*declaration: str, **settings: Any) -> Callable[[F], F]:
    """:func:`click.option` with translated help."""
    return click.option(*declaration, cls=TranslatedOption, **settings)


def json_option(function: F) -> F:
    """``--json``, as ``as_json``."""
    return option("--json", "as_json", is_flag=True, help=N_("Print JSON for programs."))(function)


def emit_json(value: Any) -> None:
    """Print *value* as one line of JSON; byte strings in hexadecimal."""
    click.echo(json.dumps(value, default=_json_default, ensure_ascii=False))


def _json_default(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Path):
        return str(value)
    raise TypeError(type(value).__name__)


def read_text(path: str, limit: int = 1 << 20) -> str:
    """The text of the file *path*, ``-`` for standard input.  Raises :class:`DokoError`."""
    return read_bytes(path, limit).decode("utf-8-sig", "replace")


def read_bytes(path: str, limit: int = 1 << 20) -> bytes:
    """The bytes of the file *path*, ``-`` for standard input, at most *limit*.

    Raises :class:`DokoError` with exit code 2, as for any other bad input, whatever the reason.
    """
    from node.files import read_limited

    if path != "-":
        try:
            return read_limited(Path(path), limit)
        except DokoError as error:
            raise DokoError(error.message, error.hint, EXIT_USAGE) from None
    try:
        data = sys.stdin.buffer.read(limit + 1)
    except OSError as error:
        raise unreadable(error, _("standard input")) from None
    if len(data) > limit:
        raise DokoError(_("Standard input is too long."), "", EXIT_USAGE)
    return data


def unreadable(error: Exception, name: str) -> DokoError:
    """What to tell about a file named on the command line that cannot be read: bad input, exit code 2."""
    from node.files import explain

    if isinstance(error, OSError):
        told = explain(error, name, _("Could not read."))
        return DokoError(told.message, told.hint, EXIT_USAGE)
    return DokoError(_("{path}: {reason}.").format(path=name, reason=error), "", EXIT_USAGE)
