"""``doko invite``: a link that makes somebody a friend; good once."""

import sys
from secrets import token_bytes
from time import time

import click

from node.cli.app import App, command, emit_json, option, pass_app
from node.clock import local
from node.i18n import N_, _

HELP = N_(
    """Make a doko: link for one friend.

Give it to your friend by any way you trust; it works once, for seven days, while your node runs. Your friend uses it
with doko join LINK, or in the lobby.

\b
Examples:
  doko invite
  doko invite --json
"""
)


@command(help=HELP)
@option("--address", "addresses", metavar="HOST:PORT", multiple=True, help=N_("Where your friend reaches you"))
@option("--qr/--no-qr", default=None, help=N_("With a QR code (the default at a terminal)"))
@option("--json", "as_json", is_flag=True, help=N_("Print JSON for programs."))
@pass_app
def invite(app: App, addresses: tuple[str, ...], qr: bool | None, as_json: bool) -> None:
    from node.net.address import parse_dial, parse_listen
    from node.people import INVITE_S, LINK_ADDRESSES
    from node.runtime import own_hosts
    from protocol.wire.address import Address, parse_address
    from protocol.wire.link import Invitation, make_link

    identity = app.load_identity(create=True)
    given = tuple(map(parse_dial, addresses)) or tuple(map(parse_address, app.config.names("network.addresses")))
    if not given:
        port = parse_listen(app.config.text("network.listen")).port
        given = tuple(Address(host, port) for host in own_hosts())
    token, expires = token_bytes(16), int(time()) + INVITE_S
    link = make_link(Invitation(identity.key, token, expires, given[:LINK_ADDRESSES]))
    with app.open_store() as store:
        store.add_invite(token, float(expires))
    if as_json:
        emit_json({"link": link, "expires": expires, "addresses": [str(address) for address in given]})
        return
    click.echo(link)
    click.echo(_("It works once, until {when}, while your node runs (doko).").format(when=local(float(expires))))
    if qr if qr is not None else sys.stdout.isatty():
        from node.console.invitepage import qr_rows
        from node.console.settings import can_encode

        if can_encode(sys.stdout.encoding, "▀▄█"):
            for row in qr_rows(link):  # black on white, whatever the terminal's colours are
                click.echo(click.style(row, fg=(0, 0, 0), bg=(255, 255, 255)) if sys.stdout.isatty() else row)
