"""The books over the store: net balances, what stands between two players, the payments that make all square.

Every account is an identity key in hexadecimal or ``kitty:NAME``.  A node books the matches it has played in; the nets
of others are their sums in *those* matches.  Different currency labels are never added up.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from node.payments import Payment, fewest_payments, flows
from node.store import LedgerRow
from node.view import Balance, LedgerView
from node.view import Payment as PaymentView

KITTY: Final = "kitty:"


def kitty_account(name: str) -> str:
    """The account of the kitty *name*."""
    return KITTY + name


def is_kitty(account: str) -> bool:
    """Whether *account* is a kitty's."""
    return account.startswith(KITTY)


def match_rows(
    players: Sequence[tuple[bytes, str]],
    money: Sequence[int],
    points: Sequence[int],
    kitty: int,
    kitty_name: str,
    currency: str,
) -> list[LedgerRow]:
    """The bookings of one settled match: *players* as (identity key, nickname), *money* and *kitty* in cents, by seat.

    ``ValueError`` unless the money sums to 0.
    """
    if sum(money) + kitty != 0:
        raise ValueError(f"the money of the match sums to {sum(money) + kitty}, not to 0")
    rows = [
        LedgerRow(key.hex(), name, currency, cents, score)
        for (key, name), cents, score in zip(players, money, points, strict=True)
    ]
    rows.append(LedgerRow(kitty_account(kitty_name), kitty_name, currency, kitty))
    return rows


@dataclass(slots=True)
class Account:
    """What an account has come to in one currency: ``net`` cents (> 0 is owed money), of it ``won`` at tables."""

    account: str
    name: str
    net: int = 0
    won: int = 0
    points: int = 0
    matches: int = 0


@dataclass(frozen=True, slots=True)
class Book:
    """One currency: accounts with the highest net first, and the fewest payments (by account)."""

    currency: str
    accounts: tuple[Account, ...]
    payments: tuple[Payment, ...]

    def name(self, account: str) -> str:
        """The name of *account*."""
        return next((one.name for one in self.accounts if one.account == account), account[:8])


def books(rows: Iterable[LedgerRow], names: dict[str, str] | None = None) -> list[Book]:
    """One :class:`Book` a currency, in the order of their first booking.

    *names*: what we call people (contacts); others are called as in their latest match.
    """
    found: dict[str, dict[str, Account]] = {}
    for row in rows:
        account = found.setdefault(row.currency, {}).setdefault(row.account, Account(row.account, row.name))
        account.name = (names or {}).get(row.account) or row.name or account.name
        account.net += row.cents
        if row.kind == "match":
            account.won += row.cents
            account.points += row.points
            account.matches += 1
    return [
        Book(
            currency,
            tuple(sorted(accounts.values(), key=lambda one: (-one.net, one.name.casefold(), one.account))),
            tuple(fewest_payments({one.account: one.net for one in accounts.values()})),
        )
        for currency, accounts in found.items()
    ]


def between(rows: Iterable[LedgerRow], me: str) -> dict[tuple[str, str], int]:
    """What stands between the account *me* and each other, ``{(currency, account): cents}``; > 0: owed to me.

    A match moves money from each loser to each winner in proportion to what was won.
    """
    found: dict[tuple[str, str], int] = {}
    groups: dict[tuple[object, str], dict[str, int]] = {}
    for row in rows:
        group = groups.setdefault((row.match if row.kind == "match" else (row.booked, row.note), row.currency), {})
        group[row.account] = group.get(row.account, 0) + row.cents
        if row.account != me:
            found.setdefault((row.currency, row.account), 0)
    for (_which, currency), money in groups.items():
        for (loser, winner), cents in flows(money).items():
            if winner == me:
                found[currency, loser] += cents
            elif loser == me:
                found[currency, winner] -= cents
    return found


def ledger_view(rows: Sequence[LedgerRow], me: str, names: dict[str, str] | None = None) -> LedgerView:
    """The books as a console shows them: what stands between *me* and each player, payments, the kitties' balances."""
    found = books(rows, names)
    mine = between(rows, me)
    people = [(book.currency, one) for book in found for one in book.accounts if not is_kitty(one.account)]
    return LedgerView(
        tuple(
            Balance(one.name, mine[currency, one.account], currency, one.matches)
            for currency, one in people
            if one.account != me
        ),
        tuple(
            PaymentView(book.name(one.payer), book.name(one.payee), one.cents, book.currency)
            for book in found
            for one in book.payments
        ),
        tuple(
            Balance(one.name, one.net, book.currency, one.matches)
            for book in found
            for one in book.accounts
            if is_kitty(one.account)
        ),
    )
