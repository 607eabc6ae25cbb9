"""Who sits where: the roster of a match, its hash, and the match's name.

roster bytes = for seats 0..3: identity key (32), X25519 static key (32), the identity's signature on it (64), nonce
(32), u8 length of the nickname, the nickname in UTF-8.
"""

import hashlib
from dataclasses import dataclass, field
from typing import Final

from protocol.deal.keys import check_noise_key
from protocol.refusal import Code, Refusal
from protocol.table.terms import Terms, read_terms, terms_hash
from protocol.wire.fields import check_name
from protocol.wire.keys import check_identity, check_static

DOMAIN_ROSTER: Final = b"DOKO1-roster"
DOMAIN_MATCH: Final = b"DOKO1-match"

_FIXED: Final = 32 + 32 + 64 + 32
MAX_ROSTER: Final = 4 * (_FIXED + 1 + 96)


@dataclass(frozen=True, slots=True)
class Player:
    """One seat of a match."""

    identity: bytes  # Ed25519, 32
    static: bytes  # X25519, 32
    static_signature: bytes  # 64: of identity over DOMAIN_STATIC and static
    nonce: bytes  # 32, fresh for this match
    nickname: str


@dataclass(frozen=True, slots=True)
class Roster:
    """Four players in seat order.  Build with :func:`make_roster` or :func:`read_roster`: both check everything."""

    players: tuple[Player, Player, Player, Player]
    raw: bytes = field(repr=False)

    @property
    def hash(self) -> bytes:
        """SHA-256(domain, roster bytes): roster_hash of the deal."""
        return hashlib.sha256(DOMAIN_ROSTER + self.raw).digest()

    @property
    def match_id(self) -> bytes:
        """SHA-256(domain, identity and nonce of the four in seat order)."""
        parts = b"".join(player.identity + player.nonce for player in self.players)
        return hashlib.sha256(DOMAIN_MATCH + parts).digest()

    def seat_of(self, identity: bytes) -> int | None:
        """The seat of *identity*, or ``None``."""
        return next((seat for seat, player in enumerate(self.players) if player.identity == identity), None)


def make_roster(players: tuple[Player, ...]) -> Roster:
    """The roster of four players in seat order.  Raises ``Refusal`` for invalid or repeated keys and nonces."""
    if len(players) != 4:
        raise Refusal(Code.FORMAT, "roster: a match has four players")
    raw = b""
    for seat, player in enumerate(players):
        _check(seat, player)
        name = player.nickname.encode()
        raw += player.identity + player.static + player.static_signature + player.nonce + bytes([len(name)]) + name
    for what in ("identity", "static", "nonce"):
        if len({getattr(player, what) for player in players}) != 4:
            raise Refusal(Code.FORMAT, f"roster: two seats have one {what}")
    first, second, third, fourth = players
    return Roster((first, second, third, fourth), raw)


def read_roster(raw: bytes) -> Roster:
    """The roster in *raw*, or ``Refusal``."""
    if type(raw) is not bytes or len(raw) > MAX_ROSTER:
        raise Refusal(Code.FORMAT, "roster: too long, or no bytes")
    players = []
    at = 0
    for seat in range(4):
        fixed, at = raw[at : at + _FIXED], at + _FIXED
        length = raw[at] if at < len(raw) else 0
        name, at = raw[at + 1 : at + 1 + length], at + 1 + length
        if at > len(raw):
            raise Refusal(Code.FORMAT, "roster: ends too early")
        try:
            nickname = name.decode()
        except UnicodeDecodeError:
            raise Refusal(Code.FORMAT, f"roster: the nickname of seat {seat} is not UTF-8") from None
        players.append(Player(fixed[:32], fixed[32:64], fixed[64:128], fixed[128:], nickname))
    if at != len(raw):
        raise Refusal(Code.FORMAT, "roster: bytes after its end")
    return make_roster(tuple(players))


def _check(seat: int, player: Player) -> None:
    what = f"roster: seat {seat}"
    for name, length in (("identity", 32), ("static", 32), ("static_signature", 64), ("nonce", 32)):
        value = getattr(player, name)
        if type(value) is not bytes or len(value) != length:
            raise Refusal(Code.FORMAT, f"{what}: {name} is not {length} bytes")
    try:
        check_name(player.nickname)
    except ValueError as error:
        raise Refusal(Code.FORMAT, f"{what}: {error}") from None
    check_identity(player.identity, f"{what}: identity key")
    check_static(player.identity, player.static, player.static_signature, f"{what}: static key")
    check_noise_key(player.static)


@dataclass(frozen=True, slots=True)
class Setup:
    """What four nodes have agreed on when a match begins; equal on all four but for ``my_seat``."""

    terms_bytes: bytes = field(repr=False)
    roster: Roster
    match_id: bytes
    my_seat: int

    @property
    def terms(self) -> Terms:
        """The terms, decoded."""
        return read_terms(self.terms_bytes)

    @property
    def terms_hash(self) -> bytes:
        """The hash that all four have signed."""
        return terms_hash(self.terms_bytes)


def make_setup(terms_bytes: bytes, roster: Roster, my_seat: int) -> Setup:
    """A checked :class:`Setup`: terms that are complete and fit the roster.  Raises ``Refusal``."""
    terms = read_terms(terms_bytes)
    check_seating(terms, tuple(player.identity for player in roster.players))
    if not 0 <= my_seat <= 3:
        raise Refusal(Code.FORMAT, "setup: no such seat")
    return Setup(terms_bytes, roster, roster.match_id, my_seat)


def check_seating(terms: Terms, identities: tuple[bytes, ...]) -> None:
    """Refuse (FORMAT) unless the terms' computers sit where the roster has them and a duel has its two."""
    for bot in terms.bots:
        if identities[bot.seat] != bot.identity:
            raise Refusal(Code.FORMAT, f"terms: the computer of seat {bot.seat} is somebody else in the roster")
    if terms.mode == "duel" and len(terms.bots) != 2:
        raise Refusal(Code.FORMAT, "terms: a duel has two computers")
