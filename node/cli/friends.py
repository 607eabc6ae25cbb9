"""``doko friends``: who may find and reach this node."""

from typing import TYPE_CHECKING

import click

from node.cli.app import App, emit_json, group, json_option, option, pass_app
from node.clock import iso, local
from node.console.words import decimal
from node.contacts import Contact, clean_note, words_of
from node.errors import EXIT_USAGE, DokoError
from node.i18n import N_, _, ngettext
from node.identity import fingerprint, load_public, parse_key

if TYPE_CHECKING:
    from node.ratings import Rated


@group(
    help=N_(
        """Your friends: people known by their identity keys.

NAME is a nickname, a key or the beginning of a key. Compare the fingerprint words with your friend, best by voice;
equal words mean that nobody sits between you.

\b
Examples:
  doko friends list
  doko friends add KEY Anna --address anna.example:4848
  doko friends show Anna
  doko friends block Anna
"""
    )
)
def friends() -> None:
    pass


def _complete_name(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    app = ctx.find_object(App) or App(ctx.find_root().params.get("data"))
    try:
        if not app.paths.store.exists():
            return []
        with app.open_store() as store:
            names = [contact.nickname for contact in app.contacts(store).all()]
    except DokoError:
        return []
    return [name for name in names if name.lower().startswith(incomplete.lower())]


_name = click.argument("name", shell_complete=_complete_name)


def _as_json(contact: Contact, rated: "Rated | None") -> dict[str, object]:
    return {
        "key": contact.key,
        "nickname": contact.nickname,
        "words": list(fingerprint(contact.key)),
        "note": contact.note,
        "blocked": contact.blocked,
        "addresses": list(contact.addresses),
        "added": iso(contact.added),
        "seen": None if contact.seen is None else iso(contact.seen),
        "rating": None if rated is None else round(rated.place, 1),
        "rating_sure": None if rated is None else round(rated.sure, 1),
        "hands": 0 if rated is None else rated.hands,
    }


def _rating(rated: "Rated | None") -> str:
    """A place on the scale in words."""
    if rated is None:
        return _("no hands together yet")
    from node.ratings import nearest_level

    return ngettext(
        "{place} ± {sure} after {n} hand, near {level}",
        "{place} ± {sure} after {n} hands, near {level}",
        rated.hands,
    ).format(
        place=decimal(rated.place, 1), sure=decimal(rated.sure, 1), n=rated.hands, level=nearest_level(rated.place)
    )


@friends.verb("list", help=N_("List your friends with their fingerprint words."), examples=("doko friends list",))
@json_option
@pass_app
def list_(app: App, as_json: bool) -> None:
    from node.ratings import ratings_of

    with app.open_store() as store:
        everyone = app.contacts(store).all()
        ratings = ratings_of(store)
    if as_json:
        emit_json([_as_json(contact, ratings.of(contact.key)) for contact in everyone])
        return
    if not everyone:
        click.echo(_("No friends yet. Make an invitation with: doko invite"))
        return
    for contact in everyone:
        mark = "  " + _("(blocked)") if contact.blocked else ""
        click.echo(f"{contact.nickname}{mark}")
        click.echo("    " + words_of(contact.key))
        seen = _("never") if contact.seen is None else local(contact.seen)
        click.echo("    " + _("last seen: {when}").format(when=seen) + "  " + " ".join(contact.addresses))
        click.echo("    " + _("rating: {rating}").format(rating=_rating(ratings.of(contact.key))))


@friends.verb(help=N_("Show all that is known of one friend."), examples=("doko friends show Anna",))
@_name
@json_option
@pass_app
def show(app: App, name: str, as_json: bool) -> None:
    from node.ratings import ratings_of

    with app.open_store() as store:
        contact = app.contacts(store).find(name)
        rated = ratings_of(store).of(contact.key)
    if as_json:
        emit_json(_as_json(contact, rated))
        return
    click.echo(
        _("Nickname:    {name}").format(name=contact.nickname) + ("  " + _("(blocked)") if contact.blocked else "")
    )
    click.echo(_("Key:         {key}").format(key=contact.key.hex()))
    click.echo(_("Fingerprint: {words}").format(words=words_of(contact.key)))
    click.echo(_("Addresses:   {addresses}").format(addresses=" ".join(contact.addresses) or "-"))
    click.echo(_("Rating:      {rating}").format(rating=_rating(rated)))
    click.echo(_("Added:       {when}").format(when=local(contact.added)))
    click.echo(_("Last seen:   {when}").format(when=_("never") if contact.seen is None else local(contact.seen)))
    if contact.note:
        click.echo(_("Note:        {note}").format(note=contact.note))


@friends.verb(
    help=N_(
        """Add the friend with the identity key KEY (64 hexadecimal digits) under the name NICKNAME.

\b
Examples:
  doko friends add 3f0c...9a Anna --address anna.example:4848 --note "from the club"
"""
    )
)
@click.argument("key")
@click.argument("nickname")
@option(
    "--address", "addresses", multiple=True, metavar="HOST:PORT", help=N_("Where to reach this friend; repeatable.")
)
@option("--note", default="", help=N_("A note for yourself."))
@pass_app
def add(app: App, key: str, nickname: str, addresses: tuple[str, ...], note: str) -> None:
    from protocol.wire.address import parse_address

    raw = parse_key(key)
    if app.has_identity() and load_public(app.paths.identity)[0].key == raw:
        raise DokoError(_("This is your own key."), _("Ask your friend for theirs: doko identity show"), EXIT_USAGE)
    parsed = []
    for address in addresses:
        try:
            parsed.append(str(parse_address(address)))
        except ValueError as error:
            raise DokoError(
                _("{address} is no address ({reason}).").format(address=repr(address[:80]), reason=error),
                _("Write HOST:PORT, for example 192.0.2.7:4848 or [2001:db8::1]:4848."),
            ) from None
    with app.open_store() as store:
        contact = app.contacts(store).add(raw, nickname, note, parsed)
    click.echo(_("{name} is your friend now. Compare these words:").format(name=contact.nickname))
    click.echo("    " + words_of(raw))


@friends.verb(help=N_("Forget a friend. Matches and the ledger stay."), examples=("doko friends remove Anna",))
@_name
@pass_app
def remove(app: App, name: str) -> None:
    with app.open_store() as store:
        contact = app.contacts(store).find(name)
        app.contacts(store).remove(contact.key)
    click.echo(_("{name} is removed.").format(name=contact.nickname))


@friends.verb(help=N_("Refuse every link with a friend from now on."), examples=("doko friends block Anna",))
@_name
@pass_app
def block(app: App, name: str) -> None:
    _set_blocked(app, name, True)


@friends.verb(help=N_("Allow links with a blocked friend again."), examples=("doko friends unblock Anna",))
@_name
@pass_app
def unblock(app: App, name: str) -> None:
    _set_blocked(app, name, False)


def _set_blocked(app: App, name: str, blocked: bool) -> None:
    with app.open_store() as store:
        contacts = app.contacts(store)
        contact = contacts.find(name)
        contacts.block(contact.key, blocked)
    text = _("{name} is blocked.") if blocked else _("{name} is no longer blocked.")
    click.echo(text.format(name=contact.nickname))


@friends.verb(
    help=N_(
        "Call a friend otherwise, or note something down.\n\nThe name is yours alone; your friend does not see it."
    ),
    examples=("doko friends rename Anna Annette", 'doko friends rename Anna Anna --note "met in Rome"'),
)
@_name
@click.argument("nickname")
@option("--note", help=N_("A note for yourself, in place of the present one."))
@pass_app
def rename(app: App, name: str, nickname: str, note: str | None) -> None:
    with app.open_store() as store:
        contacts = app.contacts(store)
        contact = contacts.find(name)
        if note is not None:
            contacts.annotate(contact.key, clean_note(note))
        contacts.rename(contact.key, nickname)
        now = contacts.get(contact.key)
    assert now is not None
    click.echo(_("{old} is called {new} now.").format(old=contact.nickname, new=now.nickname))
