"""Pages of the books: who owes whom, and the matches played."""

from datetime import datetime

from node.console import words
from node.console.canvas import pad
from node.console.documents import Line, heading, paragraph
from node.console.faces import Faces
from node.console.plot import plot
from node.i18n import _, ngettext
from node.view import HistoryView, LedgerView


def ledger_document(ledger: LedgerView | None, faces: Faces, width: int) -> list[Line]:
    """Balances and the fewest payments."""
    lines = heading(_("Ledger"))
    if ledger is None:
        return [*lines, [("soft", _("reading ...")), ("soft", "")]]
    if not ledger.balances and not ledger.kitties:
        return [*lines, *paragraph(_("No settled match yet."), width)]
    lines += paragraph(_("What stands between you and each of the others; + is owed to you:"), width, "soft")
    for balance in ledger.balances:
        style = "good" if balance.amount > 0 else "warn" if balance.amount < 0 else "felt"
        played = ngettext("{n} match", "{n} matches", balance.matches).format(n=balance.matches)
        lines.append(
            [
                ("felt", "  " + pad(balance.name, 22)),
                (style, pad(words.money(balance.amount, balance.currency, True), 16, ">")),
                ("soft", pad(played, 16, ">")),
            ]
        )
    for kitty in ledger.kitties:
        name = words.kitty_name(kitty.name)
        lines.append([("soft", "  " + pad(name, 22) + pad(words.money(kitty.amount, kitty.currency, True), 16, ">"))])
    lines.append([])
    if not ledger.payments:
        lines.append([("good", _("No payments are due, all are square."))])
        return lines
    lines.append([("soft", _("The fewest payments that make all square:"))])
    for payment in ledger.payments:
        lines.append(
            [
                ("felt", f"  {payment.payer} {faces.sign('arrow')} {payment.payee}  "),
                ("strong", words.money(payment.amount, payment.currency)),
            ]
        )
    lines += [[], *paragraph(payments_explained(), width, "soft")]
    return lines


def payments_explained() -> str:
    """Why payments can go another way than what stands between two."""
    return _(
        "These payments settle everything between all of you at once. To have few of them, somebody may pay another "
        "player than the one who won the money."
    )


def history_document(history: HistoryView | None, faces: Faces, width: int) -> list[Line]:
    """Finished matches, newest first, and the plots of points and rating."""
    lines = heading(_("Your matches"))
    if history is None:
        return [*lines, [("soft", _("reading ..."))]]
    if not history.matches:
        return [*lines, *paragraph(_("No finished match yet."), width)]
    total, series = 0, [0.0]
    for match in history.matches:
        for gained in match.hand_points or (match.points[match.me],):
            total += gained
            series.append(float(total))
    lines.append([("soft", _("Your points, hand by hand:"))])
    lines += [[("plot", row)] for row in plot(series, min(width, 76), 8, faces.ascii)]
    if len(history.ratings) > 1:
        lines += [[], [("soft", _("Your rating, match by match:"))]]
        lines += [[("plot", row)] for row in plot(history.ratings, min(width, 76), 6, faces.ascii)]
    lines.append([])
    for match in reversed(history.matches):
        when = datetime.fromtimestamp(match.when).strftime("%Y-%m-%d %H:%M")
        others = words.names([name for seat, name in enumerate(match.names) if seat != match.me])
        amount = match.money[match.me]
        lines.append(
            [
                ("soft", when + "  "),
                ("felt", pad(words.signed(match.points[match.me]), 5, ">") + "  "),
                (
                    "good" if amount > 0 else "warn" if amount < 0 else "felt",
                    pad(words.money(amount, match.currency, True), 13, ">"),
                ),
                ("felt", "  " + words.mode_name(match.mode) + ", " + others),
            ]
        )
    return lines
