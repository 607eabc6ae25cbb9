"""Practice: a table at which nobody but our person is a person.

Terms always name a stake (R31 to R33: a cent at least), and a settlement reckons with it as at any table.  But a
computer neither owes nor is owed anything, so at a table of one person there is nobody to win from: this node books no
money for it, and hints harm nobody.  Computers are those that the terms name, and our own that sit on a person's seat
(a duel against oneself needs an opponent).
"""

from collections.abc import Container

from protocol.table.roster import Setup


def is_practice(setup: Setup, ours: Container[bytes] = frozenset()) -> bool:
    """Whether our seat is a person's and every other one a computer's; *ours*: identities of this node's computers."""
    terms = setup.terms
    return terms.bot_at(setup.my_seat) is None and all(
        seat == setup.my_seat or terms.bot_at(seat) is not None or player.identity in ours
        for seat, player in enumerate(setup.roster.players)
    )
