"""The terms of a table: what is played, for how much, by which clock, and what happens when somebody is gone.

The opener encodes them once; everybody keeps, hashes and signs those very bytes.  All fields are always there; a field
that is not known is refused, because nobody signs what he cannot read.  Money is integer cents of the currency label.
"""

import hashlib
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from protocol.wire import codec
from protocol.wire.fields import U8, Bytes16, Bytes32, Word, check_name
from protocol.wire.keys import check_identity

VERSION: Final = 1
DOMAIN_TERMS: Final = b"DOKO1-terms"
MAX_TERMS: Final = 2_048

MODES: Final = ("variable", "four-fixed", "duel")
PROFILES: Final = ("stargames", "ddv")
ACCESS: Final = ("anyone", "friends", "invited")
MAX_STAKE: Final = 100_000_000  # a million in cents: sums of a match stay far below 2**53
MAX_LIMIT: Final = 1_000_000_000
MAX_FEE: Final = 2_500  # basis points
MAX_KITTY: Final = 24  # characters
MAX_CURRENCY: Final = 8
HANDS: Final = {"variable": 1, "four-fixed": 4, "duel": 4}

TERMS_LIMITS: Final = codec.Limits(size=MAX_TERMS, depth=4, text=64, binary=32, array=4, map=32)


def _in_range(what: str, value: int, low: int, high: int, unit: str) -> None:
    if not low <= value <= high:
        raise ValueError(f"the {what} is {value} {unit}; it has to be from {low} to {high}")


def _one_of(what: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ValueError(f"the {what} is {value[:32]!r}; it has to be {' or '.join(choices)}")


class Clock(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Time to think; when both are used up the grace of :class:`Absence` starts."""

    decision: int  # seconds for each decision
    reserve: int  # seconds on top, once per hand and seat

    def __post_init__(self) -> None:
        _in_range("time for a decision", self.decision, 5, 3_600, "seconds")
        _in_range("reserve of time", self.reserve, 0, 3_600, "seconds")


class Absence(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What happens when a player is gone; the three who are there decide, all three of them."""

    grace: int  # seconds
    one_gone: str  # wait, adjourn or ghost: what is proposed to the three
    two_gone: str  # adjourn
    expires: int  # days; then an open hand pays nothing and the finished hands are settled

    def __post_init__(self) -> None:
        _in_range("grace", self.grace, 10, 86_400, "seconds")
        _one_of("rule for one absent player", self.one_gone, ("wait", "adjourn", "ghost"))
        _one_of("rule for two absent players", self.two_gone, ("adjourn",))
        _in_range("time after which an open hand expires", self.expires, 1, 365, "days")


class Bot(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A computer at the table and what it is bound to."""

    seat: Annotated[int, Meta(ge=0, le=3)]
    identity: Bytes32
    host: Bytes32  # identity of the node of the person who runs it; its own if it stands alone
    policy: Word
    version: Word
    seeds: Bytes32  # head of its chain of seeds, one a deal


class Terms(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """All terms.  Build with :func:`make_terms`, read with :func:`read_terms`."""

    v: U8
    table: Bytes16  # random: names the table while it is gathered
    mode: str  # R31 variable, R32 four-fixed, R33 duel
    stake: int  # cents: a point (variable), a hand (the others)
    limit: int | None  # cents an opponent, variable only; nil: none
    fee: int  # basis points of what is won, to the kitty
    kitty: str  # its name in the ledger
    currency: str
    profile: str  # R24 stargames, ddv
    special_points: bool  # R26
    access: str  # who may sit down: anyone, friends, invited
    strength: Word | None  # wanted strength of players, as a level's name
    clock: Clock
    absence: Absence
    bots: Annotated[tuple[Bot, ...], Meta(max_length=4)]  # ascending seats; all there when the terms are signed

    def __post_init__(self) -> None:
        if self.v != VERSION:
            raise ValueError(f"terms of version {self.v}; this program reads version {VERSION}")
        _one_of("mode", self.mode, MODES)
        _in_range("stake", self.stake, 1, MAX_STAKE, "cents")
        _in_range("fee", self.fee, 0, MAX_FEE, "basis points")
        _one_of("score profile", self.profile, PROFILES)
        _one_of("access", self.access, ACCESS)
        check_name(self.kitty, "kitty's name", MAX_KITTY)
        check_name(self.currency, "currency label", MAX_CURRENCY)
        if self.limit is not None:
            _in_range("limit", self.limit, 1, MAX_LIMIT, "cents")
            if self.mode != "variable":
                raise ValueError(f"mode {self.mode} has no limit: each hand pays the stake")
            if self.limit < self.stake:
                raise ValueError(f"the limit ({self.limit}) is below the stake ({self.stake})")
        self._check_bots()

    def _check_bots(self) -> None:
        seats = [bot.seat for bot in self.bots]
        if seats != sorted(set(seats)):
            raise ValueError("the computers are not in ascending seats, one a seat")
        identities = {bot.identity for bot in self.bots}
        if len(identities) != len(self.bots):
            raise ValueError("two computers have one identity")
        for bot in self.bots:
            if bot.host != bot.identity and bot.host in identities:
                raise ValueError("a computer is named as the host of another one")
        if len({bot.seeds for bot in self.bots}) != len(self.bots):
            raise ValueError("two computers have one chain of seeds")
        if self.mode == "duel" and len(seats) > 2:
            raise ValueError("a duel has two computers and two people")
        if self.mode == "duel" and len(seats) == 2 and seats not in ([0, 2], [1, 3]):
            raise ValueError("in a duel the computers sit opposite each other, and so do the people")

    @property
    def hands(self) -> int:
        """Hands that count in a match of this mode."""
        return HANDS[self.mode]

    @property
    def bot_seats(self) -> tuple[int, ...]:
        """Seats of computers, ascending."""
        return tuple(bot.seat for bot in self.bots)

    @property
    def human_seats(self) -> tuple[int, ...]:
        """The other seats, ascending."""
        return tuple(seat for seat in range(4) if seat not in self.bot_seats)

    def bot_at(self, seat: int) -> Bot | None:
        """The computer at *seat*, if there is one."""
        return next((bot for bot in self.bots if bot.seat == seat), None)


def make_terms(
    *,
    table: bytes,
    mode: str = "variable",
    stake: int = 10,
    limit: int | None = None,
    fee: int = 0,
    kitty: str = "kitty",
    currency: str = "EUR",
    profile: str = "stargames",
    special_points: bool = True,
    access: str = "anyone",
    strength: str | None = None,
    decision: int = 60,
    reserve: int = 120,
    grace: int = 90,
    one_gone: str = "wait",
    expires: int = 30,
    bots: tuple[Bot, ...] = (),
) -> bytes:
    """The bytes of new terms.  Raises ``Refusal`` whose detail says in words what is out of range."""
    return encode_terms(
        {
            "v": VERSION,
            "table": table,
            "mode": mode,
            "stake": stake,
            "limit": limit,
            "fee": fee,
            "kitty": kitty,
            "currency": currency,
            "profile": profile,
            "special_points": special_points,
            "access": access,
            "strength": strength,
            "clock": {"decision": decision, "reserve": reserve},
            "absence": {"grace": grace, "one_gone": one_gone, "two_gone": "adjourn", "expires": expires},
            "bots": bots,
        }
    )


def encode_terms(terms: object) -> bytes:
    """*terms* (a :class:`Terms`, or its fields) as bytes that :func:`read_terms` accepts, else ``Refusal``."""
    raw = codec.encode(terms)
    read_terms(raw)
    return raw


def read_terms(raw: bytes) -> Terms:
    """The terms in the opener's bytes.  Raises ``Refusal`` for anything that is not complete and in range."""
    terms = codec.decode(raw, Terms, TERMS_LIMITS, "terms")
    for bot in terms.bots:
        check_identity(bot.identity, f"terms: computer at seat {bot.seat}")
        check_identity(bot.host, f"terms: host of the computer at seat {bot.seat}")
    return terms


def terms_hash(raw: bytes) -> bytes:
    """SHA-256 over the domain and the opener's bytes: what all four sign, and what heads start from."""
    return hashlib.sha256(DOMAIN_TERMS + raw).digest()


def with_bots(raw: bytes, bots: tuple[Bot, ...]) -> bytes:
    """The opener's final terms: those announced, with the computers that sat down (ascending seats)."""
    return _changed(raw, bots=bots)


def fresh(raw: bytes, table: bytes) -> bytes:
    """The same terms for another table: *table* is its name (16 bytes), computers take their seats anew."""
    return _changed(raw, table=table, bots=())


def _changed(raw: bytes, **changes: object) -> bytes:
    read_terms(raw)
    return encode_terms({**codec.unpack(raw, TERMS_LIMITS, "terms"), **changes})


def same_but_bots(announced: Terms, final: Terms) -> bool:
    """The final terms are the announced ones but for computers."""
    return msgspec.structs.replace(announced, bots=()) == msgspec.structs.replace(final, bots=())
