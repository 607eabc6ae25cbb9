"""``doko ledger``: balances, the fewest payments, payments made."""

from collections.abc import Sequence

import click

from node.cli.app import App, emit_json, group, json_option, option, pass_app
from node.console import words
from node.console.bookpages import payments_explained
from node.errors import EXIT_NO, EXIT_USAGE, DokoError
from node.i18n import N_, _
from node.identity import load_public
from node.ledger import Book, between, books, is_kitty
from node.money import parse_cents
from node.store import LedgerRow, Store


@group(
    invoke_without_command=True,
    help=N_(
        """Who owes whom from the matches played here, and the fewest payments that make all square.

A plus means: is owed money. Amounts come from settled matches and from payments that you have noted with paid.
Others' balances count the matches that you sat at, too.

\b
Examples:
  doko ledger
  doko ledger --currency EUR
  doko ledger paid me Anna 12.50 --note "cash, Friday"
  doko export ledger -o ledger.csv
"""
    ),
)
@option("--currency", help=N_("Only this currency label."))
@json_option
@pass_app
@click.pass_context
def ledger(ctx: click.Context, app: App, currency: str | None, as_json: bool) -> None:
    if ctx.invoked_subcommand is not None:
        return
    me = own_account(app)
    with app.open_store() as store:
        names = names_of(app, store)
        rows = store.ledger()
    found = [book for book in books(rows, names) if currency in (None, book.currency)]
    mine = between(rows, me) if me else {}
    if as_json:
        emit_json([_as_json(book, me, mine) for book in found])
        return
    if not found:
        click.echo(_("Nothing is booked yet."))
        return
    for book in found:
        _print_book(book, me, mine)


def own_account(app: App) -> str:
    """The account of this node's identity, empty if there is none yet."""
    return load_public(app.paths.identity)[0].key.hex() if app.has_identity() else ""


def names_of(app: App, store: Store) -> dict[str, str]:
    """What we call people, by account."""
    return {contact.key.hex(): contact.nickname for contact in app.contacts(store).all() if contact.nickname}


def _as_json(book: Book, me: str, mine: dict[tuple[str, str], int]) -> dict[str, object]:
    return {
        "currency": book.currency,
        "accounts": [
            {
                "account": one.account,
                "name": one.name,
                "me": one.account == me,
                "kitty": is_kitty(one.account),
                "net": one.net,
                "won": one.won,
                "points": one.points,
                "matches": one.matches,
                "owes_me": mine.get((book.currency, one.account)),
            }
            for one in book.accounts
        ],
        "payments": [
            {
                "payer": payment.payer,
                "payer_name": book.name(payment.payer),
                "payee": payment.payee,
                "payee_name": book.name(payment.payee),
                "cents": payment.cents,
            }
            for payment in book.payments
        ],
    }


def _shown_name(book: Book, account: str, me: str) -> str:
    name = book.name(account)
    if account == me:
        return _("{name} (you)").format(name=name)
    return words.kitty_name(name) if is_kitty(account) else name


def _print_book(book: Book, me: str, mine: dict[tuple[str, str], int]) -> None:
    click.echo(click.style(book.currency, bold=True))
    head = (_("Name"), _("Balance"), _("Owes you"), _("Points"), _("Matches"))
    lines: list[Sequence[str]] = [head]
    for one in book.accounts:
        stands = mine.get((book.currency, one.account))
        lines.append(
            (
                _shown_name(book, one.account, me),
                words.money(one.net, signed=True),
                "" if stands is None else words.money(stands, signed=True),
                "" if is_kitty(one.account) else str(one.points),
                str(one.matches),
            )
        )
    print_table(lines, right=(1, 2, 3, 4))
    if book.payments:
        click.echo(_("The fewest payments that make all square:"))
        for payment in book.payments:
            click.echo(
                "  "
                + _("{payer} pays {payee} {amount}").format(
                    payer=_shown_name(book, payment.payer, me),
                    payee=_shown_name(book, payment.payee, me),
                    amount=words.money(payment.cents, book.currency),
                )
            )
        click.echo(payments_explained())
    else:
        click.echo(_("All are square."))
    click.echo()


def print_table(lines: Sequence[Sequence[str]], right: Sequence[int] = ()) -> None:
    """Print rows of cells in columns (by width on the screen); the first row is the head."""
    from wcwidth import wcswidth

    def width(cell: str) -> int:
        return max(int(wcswidth(cell)), 0)

    widths = [max(width(line[column]) for line in lines) for column in range(len(lines[0]))]
    for line in lines:
        cells = []
        for column, cell in enumerate(line):
            gap = " " * (widths[column] - width(cell))
            cells.append(gap + cell if column in right else cell + gap)
        click.echo(("  " + "  ".join(cells)).rstrip())


@ledger.verb(
    help=N_(
        """Note that PAYER has paid PAYEE the AMOUNT.

Names are nicknames, the beginning of a key, the kitty's name, or me. A payment noted by mistake is taken back by
noting it the other way round.

\b
Examples:
  doko ledger paid me Anna 12.50
  doko ledger paid Bert me 3 --currency EUR --note "cash"
"""
    )
)
@click.argument("payer")
@click.argument("payee")
@click.argument("amount")
@option("--currency", help=N_("The currency label; needed if there are several."))
@option("--note", default="", help=N_("A note for yourself."))
@pass_app
def paid(app: App, payer: str, payee: str, amount: str, currency: str | None, note: str) -> None:
    cents = parse_cents(amount)
    me = own_account(app)
    with app.open_store() as store:
        rows = store.ledger()
        names = names_of(app, store)
        chosen = _currency(rows, currency)
        giver, taker = _account(rows, names, me, payer), _account(rows, names, me, payee)
        if giver[0] == taker[0]:
            raise DokoError(_("Payer and payee are the same."), "", EXIT_USAGE)
        store.book_payment(giver, taker, chosen, cents, " ".join(note.split())[:400])
    text = _("Noted: {payer} has paid {payee} {amount}.")
    click.echo(text.format(payer=giver[1], payee=taker[1], amount=words.money(cents, chosen)))


def _currency(rows: Sequence[LedgerRow], wanted: str | None) -> str:
    there = list(dict.fromkeys(row.currency for row in rows))
    if wanted is not None:
        return wanted
    if len(there) == 1:
        return there[0]
    if not there:
        raise DokoError(_("Nothing is booked yet."), _("Name the currency with --currency."), EXIT_NO)
    raise DokoError(_("Which currency?"), _("Say --currency with one of: {names}").format(names=", ".join(there)))


def _account(rows: Sequence[LedgerRow], names: dict[str, str], me: str, text: str) -> tuple[str, str]:
    """(account, name) that *text* means among everybody in the books and all friends."""
    everyone = {row.account: row.name for row in rows} | names
    wanted = " ".join(text.split()).casefold()
    if wanted in ("me", _("me").casefold()) and me:
        return me, everyone.get(me) or _("you")
    found = [account for account, name in everyone.items() if name.casefold() == wanted]
    if not found and len(wanted) >= 6:
        found = [account for account in everyone if account.startswith(wanted)]
    if len(found) == 1:
        return found[0], everyone[found[0]]
    if found:
        raise DokoError(
            _("{name} can be {who}.").format(name=repr(text[:60]), who=", ".join(account[:12] for account in found)),
            _("Give the beginning of the key instead."),
        )
    raise DokoError(
        _("Nobody in the books is called {name}.").format(name=repr(text[:60])), _("See: doko ledger"), EXIT_NO
    )
