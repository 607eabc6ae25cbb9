"""The store's schema, version by version.

``MIGRATIONS[i]`` holds the statements that lead from version ``i`` to ``i + 1``.  A released step is never edited: a
change of the schema is a new step at the end, and the tests upgrade a store of every older version.
"""

from typing import Final

MIGRATIONS: Final[tuple[tuple[str, ...], ...]] = (
    # 1: matches and their logs.  `sequence` keeps the order in which entries became durable.
    (
        """CREATE TABLE matches (
            match BLOB PRIMARY KEY CHECK (length(match) = 32),
            identity BLOB NOT NULL CHECK (length(identity) = 32),
            seat INTEGER NOT NULL CHECK (seat BETWEEN 0 AND 3),
            setup BLOB NOT NULL,
            state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'finished', 'given-up')),
            reason TEXT NOT NULL DEFAULT '',
            begun REAL NOT NULL,
            ended REAL
        ) STRICT""",
        """CREATE TABLE entries (
            sequence INTEGER PRIMARY KEY,
            match BLOB NOT NULL REFERENCES matches ON DELETE CASCADE,
            chain INTEGER NOT NULL,
            deal INTEGER NOT NULL,
            seat INTEGER NOT NULL,
            number INTEGER,
            kind INTEGER NOT NULL,
            hash BLOB NOT NULL CHECK (length(hash) = 32),
            payload BLOB NOT NULL,
            signature BLOB NOT NULL
        ) STRICT""",
        "CREATE UNIQUE INDEX entries_place ON entries (match, chain, deal, seat, number)",
        "CREATE UNIQUE INDEX entries_hash ON entries (match, hash)",
        """CREATE TABLE secrets (
            match BLOB NOT NULL REFERENCES matches ON DELETE CASCADE,
            name TEXT NOT NULL,
            value BLOB NOT NULL,
            PRIMARY KEY (match, name)
        ) STRICT""",
        """CREATE TABLE contacts (
            key BLOB PRIMARY KEY CHECK (length(key) = 32),
            nickname TEXT NOT NULL,
            note TEXT NOT NULL DEFAULT '',
            blocked INTEGER NOT NULL DEFAULT 0,
            added REAL NOT NULL,
            seen REAL
        ) STRICT""",
        """CREATE TABLE addresses (
            key BLOB NOT NULL REFERENCES contacts ON DELETE CASCADE,
            address TEXT NOT NULL,
            learnt REAL NOT NULL,
            worked REAL,
            PRIMARY KEY (key, address)
        ) STRICT""",
    ),
    # 2: what matches came to.
    (
        """CREATE TABLE settlements (
            match BLOB PRIMARY KEY REFERENCES matches ON DELETE CASCADE,
            document BLOB NOT NULL,
            file TEXT NOT NULL DEFAULT '',
            made REAL NOT NULL
        ) STRICT""",
        """CREATE TABLE evidence (
            id INTEGER PRIMARY KEY,
            match BLOB NOT NULL REFERENCES matches ON DELETE CASCADE,
            document BLOB NOT NULL,
            reason TEXT NOT NULL,
            made REAL NOT NULL
        ) STRICT""",
        """CREATE TABLE hands (
            match BLOB NOT NULL REFERENCES matches ON DELETE CASCADE,
            deal INTEGER NOT NULL,
            hand INTEGER NOT NULL,
            forehand INTEGER NOT NULL,
            contract TEXT NOT NULL,
            value INTEGER NOT NULL,
            points TEXT NOT NULL,
            money TEXT NOT NULL,
            kitty INTEGER NOT NULL,
            record TEXT NOT NULL,
            played REAL NOT NULL,
            PRIMARY KEY (match, deal)
        ) STRICT""",
        """CREATE TABLE ledger (
            id INTEGER PRIMARY KEY,
            kind TEXT NOT NULL CHECK (kind IN ('match', 'payment')),
            match BLOB REFERENCES matches ON DELETE CASCADE,
            booked REAL NOT NULL,
            account TEXT NOT NULL,
            name TEXT NOT NULL,
            currency TEXT NOT NULL,
            cents INTEGER NOT NULL,
            points INTEGER NOT NULL DEFAULT 0,
            note TEXT NOT NULL DEFAULT ''
        ) STRICT""",
        "CREATE UNIQUE INDEX ledger_match ON ledger (match, account, currency) WHERE kind = 'match'",
    ),
    # 3: invitations, one use each.
    (
        """CREATE TABLE invites (
            token BLOB PRIMARY KEY CHECK (length(token) = 16),
            note TEXT NOT NULL DEFAULT '',
            made REAL NOT NULL,
            expires REAL NOT NULL,
            used REAL,
            used_by BLOB
        ) STRICT""",
    ),
)

#: The version this program writes.
SCHEMA_VERSION: Final = len(MIGRATIONS)
