"""``doko export``: hand records, settlements, ledger and history as files for other programs."""

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import click

from node.cli.app import App, F, group, option, pass_app
from node.cli.ledger import names_of
from node.clock import iso
from node.errors import EXIT_NO, DokoError
from node.files import write_atomic
from node.history import Played, find, played
from node.i18n import N_, _
from node.money import format_cents
from node.store import LedgerRow, Store


@group(
    help=N_(
        """Write hand records, settlements, the ledger or the history to files.

Without -o the output goes to standard output. An existing file is only overwritten with --replace.

\b
Examples:
  doko export records -o hands.jsonl            all hands, one record a line
  doko export records last | doko replay -
  doko export settlement last -o match.doko
  doko export ledger -o ledger.csv
  doko export history -o history.csv
"""
    )
)
def export() -> None:
    pass


def _outputs(function: F) -> F:
    out = option("-o", "--out", metavar="FILE", default="-", help=N_("Write to FILE (- for standard output)."))
    replace = option("--replace", is_flag=True, help=N_("Overwrite FILE."))
    return out(replace(function))


def _write(out: str, replace: bool, data: bytes) -> None:
    if out == "-":
        click.echo(data, nl=False)
        return
    write_atomic(Path(out), data, replace=replace, mode=0o644)
    click.echo(_("Written: {path}").format(path=out), err=True)


def _matches(app: App, store: Store) -> list[Played]:
    return played(store, names={contact.key: contact.nickname for contact in app.contacts(store).all()})


def _csv(head: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    """RFC 4180, UTF-8; a text that a spreadsheet would take for a formula gets an apostrophe in front."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer)
    writer.writerow(head)
    for row in rows:
        writer.writerow([_harmless(cell) if isinstance(cell, str) else cell for cell in row])
    return buffer.getvalue().encode()


def _harmless(text: str) -> str:
    """Nicknames come from others: none may start a formula in a spreadsheet."""
    if text[:1] in ("=", "@", "\t", "\r") or (text[:1] in ("+", "-") and not _is_number(text)):
        return "'" + text
    return text


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


@export.verb(
    help=N_(
        """Hand records, one a line (JSON Lines), for doko replay and other programs.

MATCH is the beginning of a match's name, or last; without it all matches.
"""
    ),
    examples=("doko export records -o hands.jsonl", "doko export records last | doko replay -"),
)
@click.argument("match", required=False)
@_outputs
@pass_app
def records(app: App, match: str | None, out: str, replace: bool) -> None:
    with app.open_store() as store:
        everything = _matches(app, store)
    chosen = everything if match is None else [find(everything, match)]
    lines = [hand.record for one in chosen for hand in one.hands if hand.record]
    if not lines:
        raise DokoError(_("There is no finished hand to write."), _("See: doko history"), EXIT_NO)
    _write(out, replace, "".join(line + "\n" for line in lines).encode())


def _document(kind: str) -> Callable[[App, str], bytes]:
    def get(app: App, match: str) -> bytes:
        with app.open_store() as store:
            one = find(_matches(app, store), match)
            if kind == "settlement":
                found = store.settlement(one.match)
            else:
                kept = store.evidence(one.match)
                found = kept[-1][1] if kept else None
        if found is None:
            text = (
                _("There is no settlement of this match.") if kind == "settlement" else _("There is no evidence in it.")
            )
            raise DokoError(text, _("See: doko history {match}").format(match=one.match.hex()[:8]), EXIT_NO)
        return found

    return get


@export.verb(
    help=N_("The settlement file of a match, to be checked with doko verify."),
    examples=("doko export settlement last -o match.settlement",),
)
@click.argument("match")
@_outputs
@pass_app
def settlement(app: App, match: str, out: str, replace: bool) -> None:
    _write(out, replace, _document("settlement")(app, match))


@export.verb(
    help=N_("The evidence file of a proven breach, to be checked with doko verify."),
    examples=("doko export evidence last -o breach.evidence",),
)
@click.argument("match")
@_outputs
@pass_app
def evidence(app: App, match: str, out: str, replace: bool) -> None:
    _write(out, replace, _document("evidence")(app, match))


def ledger_csv(rows: Iterable[LedgerRow], names: dict[str, str]) -> bytes:
    """Every booking; *names*: what we call accounts."""
    head = ("booked", "kind", "match", "account", "name", "amount", "currency", "points", "note")
    return _csv(
        head,
        (
            (
                iso(row.booked),
                row.kind,
                row.match.hex() if row.match else "",
                row.account,
                names.get(row.account) or row.name,
                format_cents(row.cents),
                row.currency,
                row.points,
                row.note,
            )
            for row in rows
        ),
    )


def history_csv(everything: Iterable[Played]) -> bytes:
    """Every hand of every match."""
    head = ["played", "match", "mode", "state", "hand", "contract", "value", "my_seat", "forehand"]
    for seat in range(4):
        head += [f"name_{seat}", f"points_{seat}", f"money_{seat}"]
    head += ["kitty", "currency"]
    rows: list[list[object]] = []
    for one in everything:
        for hand in one.hands:
            row: list[object] = [
                iso(hand.played),
                one.match.hex(),
                one.mode,
                one.state,
                hand.hand,
                hand.contract,
                hand.value,
                one.me,
                hand.forehand,
            ]
            for seat in range(4):
                row += [one.names[seat], hand.points[seat], format_cents(hand.money[seat])]
            rows.append([*row, format_cents(hand.kitty), one.currency])
    return _csv(head, rows)


@export.verb(
    help=N_("Every booking as CSV; a plus means: is owed money."), examples=("doko export ledger -o ledger.csv",)
)
@_outputs
@pass_app
def ledger(app: App, out: str, replace: bool) -> None:
    with app.open_store() as store:
        names = names_of(app, store)
        rows = store.ledger()
    _write(out, replace, ledger_csv(rows, names))


@export.verb(help=N_("Every hand of every match as CSV."), examples=("doko export history -o history.csv",))
@_outputs
@pass_app
def history(app: App, out: str, replace: bool) -> None:
    with app.open_store() as store:
        everything = _matches(app, store)
    _write(out, replace, history_csv(everything))
