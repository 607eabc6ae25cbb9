"""``doko identity``: show, make, save, take over, protect."""

import contextlib
import sys
import time
from pathlib import Path

import click

from node import identity as ids
from node.cli.app import App, emit_json, group, json_option, option, pass_app, read_bytes
from node.contacts import words_of
from node.errors import EXIT_ENVIRONMENT, DokoError
from node.files import explain, write_atomic
from node.i18n import N_, _


@group(
    help=N_(
        """Your identity: the key by which friends know you.

It is made at the first start and lives in one file of the data directory, readable by you alone. Save it with
export: who has lost it cannot be known again under the same name.

\b
Examples:
  doko identity show
  doko identity export doko-identity.json
  doko identity import doko-identity.json
  doko identity passphrase
"""
    )
)
def identity() -> None:
    pass


@identity.verb(
    help=N_(
        """Show your key and its fingerprint words.

Friends compare the words with you, best by voice. No secret is shown.
"""
    ),
    examples=("doko identity show",),
)
@json_option
@pass_app
def show(app: App, as_json: bool) -> None:
    public, sealed = ids.load_public(app.paths.identity)
    if as_json:
        emit_json(
            {
                "key": public.key,
                "static": public.static,
                "words": list(public.words),
                "nickname": app.config.text("nickname"),
                "passphrase": sealed,
                "file": app.paths.identity,
            }
        )
        return
    nickname = app.config.text("nickname")
    if nickname:
        click.echo(_("Nickname:    {name}").format(name=nickname))
    click.echo(_("Key:         {key}").format(key=public.key.hex()))
    click.echo(_("Fingerprint: {words}").format(words=words_of(public.key)))
    click.echo(_("Passphrase:  {state}").format(state=_("yes") if sealed else _("no")))
    click.echo(_("File:        {path}").format(path=app.paths.identity))


@identity.verb(
    help=N_("Make a new identity, if there is none yet.\n\nWith --passphrase it is protected from the start."),
    examples=("doko identity create", "doko identity create --passphrase"),
)
@option("--passphrase", "protect", is_flag=True, help=N_("Ask for a passphrase to protect it."))
@pass_app
def create(app: App, protect: bool) -> None:
    if app.has_identity():
        raise DokoError(
            _("There is an identity already: {path}").format(path=app.paths.identity), _("See: doko identity show")
        )
    passphrase = _new_passphrase(app) if protect else None
    fresh = ids.create()
    app.paths.create()
    ids.save(fresh, app.paths.identity, passphrase)
    click.echo(_("Your identity: {words}").format(words=words_of(fresh.key)))


@identity.verb(
    help=N_(
        """Save your identity to FILE (- for standard output).

The file holds your secret keys; a passphrase for it is asked for, unless you say --plain. It can have another
passphrase than the identity in use.

\b
Examples:
  doko identity export doko-identity.json
  doko identity export --plain - | gpg -c > doko-identity.gpg
"""
    )
)
@click.argument("file")
@option("--plain", is_flag=True, help=N_("Without a passphrase."))
@option("--replace", is_flag=True, help=N_("Overwrite FILE."))
@pass_app
def export(app: App, file: str, plain: bool, replace: bool) -> None:
    own = app.load_identity()
    data = ids.encode(own, None if plain else _new_passphrase(app))
    if file == "-":
        click.echo(data, nl=False)
        return
    write_atomic(Path(file), data, replace=replace)
    click.echo(_("Saved to {path}. Keep it where nobody else can read it.").format(path=file), err=True)


@identity.verb(
    "import",
    help=N_(
        """Take over the identity in FILE (- for standard input).

An identity that is there already is kept under another name beside it, and only given up with --replace. Never play
as one identity on two machines at once.

\b
Examples:
  doko identity import doko-identity.json
  doko identity import --replace doko-identity.json
"""
    ),
)
@click.argument("file")
@option("--replace", is_flag=True, help=N_("Give up the identity in use (it is kept beside)."))
@pass_app
def import_(app: App, file: str, replace: bool) -> None:
    data = read_bytes(file, ids.FILE_LIMIT)
    where = _("standard input") if file == "-" else file
    public, _sealed = ids.decode_public(data, where)
    path = app.paths.identity
    if app.has_identity() and not replace:
        raise DokoError(
            _("There is an identity already: {path}").format(path=path),
            _("Say --replace to change to the other one; the present one is kept beside it."),
        )
    ids.decode(data, where, app.ask_passphrase)  # what cannot be unlocked is not taken over
    paths = app.paths.create()
    from node.locks import acquire

    with acquire(paths.lock, _("The data directory {path}").format(path=paths.data)):
        if app.has_identity():
            kept = path.with_name(f"identity-{time.strftime('%Y%m%d-%H%M%S')}.json")
            try:
                write_atomic(kept, path.read_bytes())
            except OSError as error:
                raise explain(error, kept) from error
            click.echo(_("The former identity is kept in {path}.").format(path=kept), err=True)
        write_atomic(path, data, replace=replace)
    click.echo(_("Your identity: {words}").format(words=words_of(public.key)))


@identity.verb(
    help=N_(
        """Set, change or remove the passphrase of your identity.

\b
Examples:
  doko identity passphrase
  doko identity passphrase --remove
"""
    )
)
@option("--remove", is_flag=True, help=N_("Store the identity without a passphrase."))
@pass_app
def passphrase(app: App, remove: bool) -> None:
    own = app.load_identity()
    ids.save(own, app.paths.identity, None if remove else _new_passphrase(app), replace=True)
    click.echo(_("The passphrase is removed.") if remove else _("The passphrase is set."))


def _new_passphrase(app: App) -> str:
    """A new passphrase, typed twice at a terminal, or from ``DOKO_NEW_PASSPHRASE``."""
    given = app.environ.get("DOKO_NEW_PASSPHRASE")
    if given:
        return given
    if not sys.stdin.isatty():
        raise DokoError(
            _("A new passphrase is needed and there is no terminal to ask at."),
            _("Set DOKO_NEW_PASSPHRASE, or export with --plain."),
            EXIT_ENVIRONMENT,
        )
    with contextlib.suppress(EOFError):
        while True:
            answer = click.prompt(
                _("New passphrase"), hide_input=True, confirmation_prompt=_("The same again"), err=True
            )
            if len(str(answer)) >= 8:
                return str(answer)
            click.echo(_("At least 8 characters, please."), err=True)
    raise click.Abort
