"""The state of one hand: what everybody at the table knows, and beside it the hands that happen to be known.

The public part alone decides what is announced, compared and digested.  Known hands (none, one's own, or all four for
records and simulations) only sharpen which acts are legal and what is refused; they never enter a digest or a ``repr``.

A hand is an ``int`` with two bits per type (bits ``2k`` and ``2k+1`` count the copies of type ``k``), so taking a
card away, looking for a class and copying are single operations.

Everything public on a :class:`HandState` is immutable.  :mod:`protocol.rules.hand` advances states: ``apply`` on a
copy, ``push`` in place for those who own the state and are in a hurry.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal, NamedTuple

from protocol.cards import CARD_NAMES, CARD_POINTS, CLUB_QUEEN, HAND_SIZE, PLAYERS, TYPES
from protocol.refusal import Code, Refusal
from protocol.rules.calls import CallKind, Side
from protocol.rules.contracts import CLASS_TABLE, CLASSES, MASK_TABLE, POWER_TABLE, SOLOS, TRUMP, Contract

Profile = Literal["stargames", "ddv"]
#: Four hands as a caller gives them: a tuple of types, or ``None`` for a hand that is not known.
Hands = Sequence[Sequence[int] | None]

RE: Final = Side.RE
KONTRA: Final = Side.KONTRA


class Phase(StrEnum):
    """Where a hand stands."""

    BID = "bid"  # healthy or reservation, from forehand on (R8)
    NAME = "name"  # the reservers name, in seat order (R8)
    MARRY = "marry"  # network: the groom shows the club queens (R10)
    PLAY = "play"  # tricks and calls (R13..R20)
    DONE = "done"  # twelve tricks, or void


@dataclass(frozen=True, slots=True)
class HandRules:
    """What the terms decide about a hand.

    ``duel`` holds the *positions* of the two human players, ``(0, 2)`` or ``(1, 3)``, and is ``None`` elsewhere (R34).
    """

    profile: Profile = "stargames"
    special_points: bool = True
    duel: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        if self.profile not in ("stargames", "ddv"):
            raise ValueError(f"no score profile {self.profile!r}")
        if self.duel not in (None, (0, 2), (1, 3)):
            raise ValueError(f"the humans of a duel sit at (0, 2) or (1, 3), not {self.duel!r}")

    def computer(self, player: int) -> bool:
        """Is *player* a computer player of a duel?"""
        return self.duel is not None and player not in self.duel


class Trick(NamedTuple):
    """A complete trick: ``cards`` in the order played, ``leader`` and ``winner`` as positions."""

    leader: int
    cards: tuple[int, int, int, int]
    winner: int

    @property
    def points(self) -> int:
        """Card points in the trick."""
        a, b, c, d = self.cards
        return CARD_POINTS[a] + CARD_POINTS[b] + CARD_POINTS[c] + CARD_POINTS[d]

    def card_of(self, player: int) -> int:
        """The card that *player* gave."""
        return self.cards[(player - self.leader) % PLAYERS]


class CallRecord(NamedTuple):
    """A call in the log.

    ``side`` is the caller's; ``counted`` is false for a call that his side had made meanwhile (it is no step, R19);
    ``played`` is how many cards had been played in the hand when it took effect.
    """

    player: int
    kind: CallKind
    side: Side
    shown: int | None
    counted: bool
    played: int


_ALL_CLASSES: Final = MASK_TABLE[Contract.NORMAL]


class HandState:
    """One hand.  Read the attributes freely, change none; made by :func:`protocol.rules.hand.start`.

    ``rules``        the :class:`HandRules`; ``proofs`` whether sides and marriages need proof (a network match)
    ``phase``        the :class:`Phase`; ``turn`` whose turn it is (position, ``None`` when done)
    ``contract``     ``None`` until settled; a silent solo stays ``NORMAL`` here, as it was bid
    ``bids``         per position so far: true for a reservation; ``names`` ``(player, contract)`` as named
    ``groom``        who plays the marriage; ``partner`` who cleared it; ``clearing`` the clearing trick 1..3 (R12)
    ``calls``        the log of :class:`CallRecord`; ``levels`` (Re, Contra) as in :mod:`protocol.rules.calls`
    ``late``         (Re, Contra): the Ansage was a reply that allows no Absage (R20)
    ``tricks``       complete tricks; ``leader`` and ``trick`` the cards of the one on the table
    ``proven``       per position the side that the player himself has proven in a normal game, else ``None``
    ``shown``        per position how many club queens he has opened and not yet played
    ``queens``       per position how many club queens he has played
    ``void_hand``    the hand pays nothing and is dealt again (R29, R34)
    """

    __slots__ = (
        "_best",
        "_classes",
        "_dealt",
        "_hands",
        "_led",
        "_masks",
        "_power",
        "_powers",
        "_voids",
        "_winner",
        "bids",
        "calls",
        "clearing",
        "contract",
        "groom",
        "late",
        "leader",
        "levels",
        "names",
        "partner",
        "phase",
        "proofs",
        "proven",
        "queens",
        "rules",
        "shown",
        "trick",
        "tricks",
        "turn",
        "void_hand",
    )

    def __init__(self, rules: HandRules, dealt: tuple[tuple[int, ...] | None, ...], proofs: bool) -> None:
        self.rules = rules
        self.proofs = proofs
        self.phase = Phase.BID
        self.turn: int | None = 0
        self.contract: Contract | None = None
        self.bids: tuple[bool, ...] = ()
        self.names: tuple[tuple[int, Contract], ...] = ()
        self.groom: int | None = None
        self.partner: int | None = None
        self.clearing: int | None = None
        self.calls: tuple[CallRecord, ...] = ()
        self.levels: tuple[int, int] = (0, 0)
        self.late: tuple[bool, bool] = (False, False)
        self.tricks: tuple[Trick, ...] = ()
        self.leader = 0
        self.trick: tuple[int, ...] = ()
        self.proven: tuple[Side | None, ...] = (None, None, None, None)
        self.shown: tuple[int, ...] = (0, 0, 0, 0)
        self.queens: tuple[int, ...] = (0, 0, 0, 0)
        self.void_hand = False
        self._dealt = dealt
        self._hands = [None if hand is None else hand_mask(hand) for hand in dealt]
        self._voids = 0  # bit 5 * player + class
        self._classes = CLASS_TABLE[Contract.NORMAL]
        self._masks = _ALL_CLASSES
        self._powers = POWER_TABLE[Contract.NORMAL]
        self._power: tuple[int, ...] = ()  # what each type is worth in the trick on the table
        self._led = 0  # class, power so far and player so far of the trick on the table
        self._best = 0
        self._winner = 0

    def copy(self) -> "HandState":
        """An equal state that shares nothing mutable with this one."""
        new = HandState.__new__(HandState)
        new.rules = self.rules
        new.proofs = self.proofs
        new.phase = self.phase
        new.turn = self.turn
        new.contract = self.contract
        new.bids = self.bids
        new.names = self.names
        new.groom = self.groom
        new.partner = self.partner
        new.clearing = self.clearing
        new.calls = self.calls
        new.levels = self.levels
        new.late = self.late
        new.tricks = self.tricks
        new.leader = self.leader
        new.trick = self.trick
        new.proven = self.proven
        new.shown = self.shown
        new.queens = self.queens
        new.void_hand = self.void_hand
        new._dealt = self._dealt
        new._hands = self._hands[:]
        new._voids = self._voids
        new._classes = self._classes
        new._masks = self._masks
        new._power = self._power
        new._powers = self._powers
        new._led = self._led
        new._best = self._best
        new._winner = self._winner
        return new

    # -- knowledge of hands: never public ------------------------------------------------------------------

    def dealt(self, player: int) -> tuple[int, ...] | None:
        """The twelve cards that *player* was dealt, in the order given to ``start``; ``None`` if not known."""
        return self._dealt[player]

    def hand(self, player: int) -> tuple[int, ...] | None:
        """What *player* still holds, in the order dealt; ``None`` if not known."""
        mask = self._hands[player]
        dealt = self._dealt[player]
        if mask is None or dealt is None:
            return None
        left: list[int] = []
        for card in reversed(dealt):  # the copy dealt first is the one that went first
            if mask >> 2 * card & 3:
                mask -= 1 << 2 * card
                left.append(card)
        return tuple(reversed(left))

    def seen_by(self, player: int | None) -> "HandState":
        """The same state as *player* knows it: his own hand and no other (``None``: no hand at all)."""
        new = self.copy()
        new._dealt = tuple(hand if p == player else None for p, hand in enumerate(self._dealt))
        new._hands = [hand if p == player else None for p, hand in enumerate(self._hands)]
        return new

    def imagine(self, hands: Sequence[Iterable[int]]) -> "HandState":
        """A copy in which the four players hold these *remaining* cards: a sampled world to play out.

        The caller answers for their fitting the public log (sizes, voids, club queens).
        """
        new = self.copy()
        played = self.played
        new._dealt = tuple((*played[p], *hand) for p, hand in enumerate(hands))
        new._hands = [hand_mask(hand) for hand in hands]
        return new

    # -- public facts derived from the log -----------------------------------------------------------------

    @property
    def reservers(self) -> tuple[int, ...]:
        """Who said reservation, in seat order."""
        return tuple(p for p, reserved in enumerate(self.bids) if reserved)

    @property
    def soloist(self) -> int | None:
        """Who plays a named solo; ``None`` in every other contract."""
        if self.contract in SOLOS:
            return self.names[-1][0]
        return None

    def cards_left(self, player: int) -> int:
        """Cards that *player* still holds (R16 counts a card until it is played)."""
        return HAND_SIZE - len(self.tricks) - ((player - self.leader) % PLAYERS < len(self.trick))

    def card_points(self, player: int) -> int:
        """Card points in the complete tricks that *player* took."""
        return sum(t.points for t in self.tricks if t.winner == player)

    @property
    def cards_played(self) -> int:
        """Cards played in the hand so far, 0..48."""
        return 4 * len(self.tricks) + len(self.trick)

    @property
    def log(self) -> tuple[tuple[int, int], ...]:
        """All cards played as ``(player, card)``, in order."""
        complete = [((t.leader + i) % PLAYERS, card) for t in self.tricks for i, card in enumerate(t.cards)]
        return (*complete, *(((self.leader + i) % PLAYERS, card) for i, card in enumerate(self.trick)))

    @property
    def played(self) -> tuple[tuple[int, ...], ...]:
        """Per position the cards played, in order."""
        cards: tuple[list[int], ...] = ([], [], [], [])
        for player, card in self.log:
            cards[player].append(card)
        return tuple(tuple(c) for c in cards)

    def copies_played(self, card: int) -> int:
        """How many of the two copies of a type have been played."""
        return sum(t.cards.count(card) for t in self.tricks) + self.trick.count(card)

    @property
    def led(self) -> int | None:
        """The class that the trick on the table demands; ``None`` before a lead."""
        return self._led if self.trick else None

    @property
    def winning(self) -> int | None:
        """Who holds the trick on the table so far; ``None`` before a lead."""
        return self._winner if self.trick else None

    def is_void(self, player: int, cls: int) -> bool:
        """Has *player* shown by not following that he holds nothing of class *cls*?"""
        return bool(self._voids >> (CLASSES * player + cls) & 1)

    @property
    def voids(self) -> frozenset[tuple[int, int]]:
        """All ``(player, class)`` for which :meth:`is_void` holds."""
        return frozenset((p, c) for p in range(PLAYERS) for c in range(CLASSES) if self._voids >> (CLASSES * p + c) & 1)

    @property
    def shift(self) -> int:
        """By how many cards every deadline is lower: 1 or 2 after a late clearing trick, else 0 (R17)."""
        return 0 if self.clearing is None else self.clearing - 1

    @property
    def known_sides(self) -> tuple[Side | None, ...]:
        """Per position the side that the public log shows, with what follows from counting the club queens."""
        contract = self.contract
        if contract is None:
            return (None, None, None, None)
        if contract is Contract.MARRIAGE:
            if self.clearing is None:
                return tuple(RE if p == self.groom else None for p in range(PLAYERS))
            return tuple(RE if p in (self.groom, self.partner) else KONTRA for p in range(PLAYERS))
        if contract is not Contract.NORMAL:
            return tuple(RE if p == self.soloist else KONTRA for p in range(PLAYERS))
        sides = list(self.proven)
        for player in range(PLAYERS):
            if sides[player] is None and self.is_void(player, TRUMP):
                sides[player] = KONTRA
        if sum(self.queens) + sum(self.shown) == 2:
            sides = [side or KONTRA for side in sides]
        if self.rules.duel is not None:
            _deduce_duel(sides, self.rules.duel)
        if sides.count(RE) == 2:
            sides = [side or KONTRA for side in sides]
        if sides.count(KONTRA) == 3:
            sides = [side or RE for side in sides]
        return tuple(sides)

    def side_of(self, player: int) -> Side | None:
        """The side of *player* as far as the log or a hand that is known here shows it."""
        side = self.known_sides[player]
        if side is None and self.contract is Contract.NORMAL:
            dealt = self._dealt[player]
            if dealt is not None:
                return RE if CLUB_QUEEN in dealt else KONTRA
        return side

    def __repr__(self) -> str:
        contract = self.contract.value if self.contract else "open"
        return f"<HandState {self.phase.value} {contract} turn={self.turn} played={self.cards_played}>"


def _deduce_duel(sides: list[Side | None], humans: tuple[int, int]) -> None:
    """R34: in a normal game the humans are opponents, and at most one computer is Re."""
    for one, other in (humans, humans[::-1]):
        side = sides[one]
        if side is not None and sides[other] is None:
            sides[other] = side.other
    computers = [p for p in range(PLAYERS) if p not in humans]
    for one, other in (computers, computers[::-1]):
        if sides[one] is RE and sides[other] is None:
            sides[other] = KONTRA


def hand_mask(cards: Iterable[int]) -> int:
    """Cards as a hand mask."""
    mask = 0
    for card in cards:
        mask += 1 << 2 * card
    return mask


def mask_cards(mask: int) -> tuple[int, ...]:
    """The types in a hand mask, ascending, each as often as it is held."""
    return tuple(k for k in range(TYPES) for _ in range(mask >> 2 * k & 3))


def check_deal(rules: HandRules, hands: Hands) -> tuple[tuple[int, ...] | None, ...]:
    """The hands as tuples, after checking R1, R7 and, in a duel, R34; ``Refusal(FORMAT)`` otherwise."""
    if len(hands) != PLAYERS:
        raise Refusal(Code.FORMAT, f"{len(hands)} hands instead of four", "R7")
    dealt = tuple(None if hand is None else tuple(hand) for hand in hands)
    counts = [0] * TYPES
    for player, hand in enumerate(dealt):
        if hand is None:
            continue
        if len(hand) != HAND_SIZE:
            raise Refusal(Code.FORMAT, f"player {player + 1} has {len(hand)} cards instead of twelve", "R7")
        for card in hand:
            if type(card) is not int or not 0 <= card < TYPES:
                raise Refusal(Code.FORMAT, f"player {player + 1} holds {card!r}, which is no card", "R2")
            counts[card] += 1
    if max(counts) > 2:
        raise Refusal(Code.FORMAT, f"{CARD_NAMES[counts.index(max(counts))]} is dealt more than twice", "R1")
    if rules.duel is not None and None not in dealt:
        queens = [hand.count(CLUB_QUEEN) for hand in dealt if hand is not None]
        one, other = rules.duel
        if max(queens) == 1 and queens[one] + queens[other] != 1:
            raise Refusal(Code.FORMAT, "a duel needs a club queen with a human and one with a computer, or both", "R34")
    return dealt

