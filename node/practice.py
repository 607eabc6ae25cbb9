"""Practice: a table at which nobody but our person is a person.

Terms always name a stake (R31 to R33: a cent at least), and a settlement reckons with it as at any table.  But a
computer neither owes nor is owed anything, so at a table of one person there is nobody to win from: no node there books
money for it, the computers' own neither, and hints harm nobody.  Computers are those that the terms name, and our own
that sit on a person's seat (a duel against oneself needs an opponent).
"""

from collections.abc import Container

from protocol.table.roster import Setup


def is_practice(setup: Setup, ours: Container[bytes] = frozenset()) -> bool:
    """Whether our seat is a person's and every other one a computer's; *ours*: identities of this node's computers."""
    return setup.terms.bot_at(setup.my_seat) is None and books_nothing(setup, ours)


def books_nothing(setup: Setup, ours: Container[bytes] = frozenset()) -> bool:
    """Whether nobody but us, or but one person, is a person: what is then booked nowhere, with the computers neither.

    *ours* as in :func:`is_practice`.  Without it all nodes at a table come to the same answer.
    """
    terms, mine = setup.terms, setup.my_seat
    people = [
        seat
        for seat, player in enumerate(setup.roster.players)
        if terms.bot_at(seat) is None and (seat == mine or player.identity not in ours)
    ]
    return len(people) <= 1
