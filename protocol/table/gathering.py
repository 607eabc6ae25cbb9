"""From an open table to four signatures under the same terms: a state machine without sockets, clock or randomness.

::

      opener                                        joiner
                                                      |  SEAT_REQUEST ->
      WAITING <- SEAT_REQUEST / SEAT_OFFER ->        ASKING --SEAT_REFUSE, no answer--> FAILED
         |  ^                                         |  SEAT_OFFER
         |  |                                        WAITING <-------------+
    four |  | LEAVE, no READY in time:                |  TERMS             | SEAT_OFFER (terms withdrawn)
    sit  v  | SEAT_OFFER to the others                v                    |
      CONFIRMING                                     CONFIRMING -----------+  (TERMS of a later round: again)
         |  own person agrees: READY to all three     |  own person agrees: READY to all three
         |  four READY: SEATED to all three           |  four READY: SEATED to all three
      SEATING                                        SEATING
         |  four equal SEATED                         |  four equal SEATED
       DONE (Setup)                                  DONE (Setup)

In every state before DONE: LEAVE of the opener, a contradiction or a time that runs out lead to FAILED, with a name,
words and, where one is to blame, his identity.

READY signs the hash of the terms, the hash of the member list, the round and the signer's nonce.  So an opener who
tells two joiners different things gets READYs that do not fit together, and one who sends different nonces makes
different SEATEDs: no node reaches DONE then.  READY and SEATED are said again whenever a link comes up, in DONE too, so
that a lost message or a new link never leaves one of the four behind.

Messages come with the peer whose link they arrived on (its identity is proven).  What a peer may not say in a state
raises ``Refusal`` and changes nothing; which message is handled where is the table in each class.
"""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, Final

from protocol.deal.keys import check_noise_key
from protocol.refusal import Code, Refusal
from protocol.table.announcement import VERSION, Announcement, sign_announcement
from protocol.table.roster import Player, Setup, check_seating, make_roster, make_setup
from protocol.table.terms import Bot, Terms, read_terms, same_but_bots, terms_hash, with_bots
from protocol.wire.hello import Me, Peer
from protocol.wire.keys import check_identity, check_static, verify
from protocol.wire.messages import (
    BotSeat,
    Leave,
    Member,
    Message,
    Ready,
    Seated,
    SeatOffer,
    SeatRefuse,
    SeatRequest,
    TableOpen,
    TermsSet,
)

DOMAIN_MEMBERS: Final = b"DOKO1-members"
DOMAIN_READY: Final = b"DOKO1-ready"

ASK_SECONDS: Final = 30.0  # a joiner waits for an answer to its request
LINK_SECONDS: Final = 60.0  # a seat is kept for a lost link; a lost opener is waited for
CONFIRM_SECONDS: Final = 180.0  # people read the terms
SEATING_SECONDS: Final = 120.0  # programs answer each other
MAX_HELD: Final = 32  # messages that came before their TERMS


class State(StrEnum):
    """Where a gathering stands (the diagram above)."""

    ASKING = "asking"
    WAITING = "waiting"
    CONFIRMING = "confirming"
    SEATING = "seating"
    DONE = "done"
    FAILED = "failed"


# -- effects: what the node has to do, in this order --------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Send:
    """Send *message* to *to*; without a link it is dropped (it is said again when the link comes up)."""

    to: bytes
    message: Message


@dataclass(frozen=True, slots=True)
class Dial:
    """Have a link to *to*, one of the four."""

    to: bytes
    addresses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Announce:
    """Opener: the table has changed, tell connected peers (whom it is for)."""

    message: TableOpen


@dataclass(frozen=True, slots=True)
class Ask:
    """Show the terms and the four to our person; answer with ``confirm`` or ``leave`` before *deadline*."""

    terms: Terms
    members: tuple[Member, ...]
    deadline: float


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """The terms asked about are off the table: somebody left; new ones come when four sit again."""

    text: str


@dataclass(frozen=True, slots=True)
class Done:
    """All four agree."""

    setup: Setup


@dataclass(frozen=True, slots=True)
class Failed:
    """There will be no match here.  *reason* is for programs, *text* for people."""

    reason: str
    text: str
    blame: bytes | None = None


Effect = Send | Dial | Announce | Ask | Withdrawn | Done | Failed


@dataclass(frozen=True, slots=True)
class SeatView:
    """One seat as a person sees it."""

    identity: bytes
    nickname: str
    bot: bool
    ready: bool
    linked: bool


@dataclass(frozen=True, slots=True)
class GatheringView:
    """A frozen picture for the lobby."""

    state: State
    table: bytes
    terms: Terms  # the final ones from CONFIRMING on
    seats: tuple[SeatView | None, SeatView | None, SeatView | None, SeatView | None]
    my_seat: int | None
    confirmed: bool  # our person has agreed to the terms on the table
    deadline: float | None


# -- bytes ----------------------------------------------------------------------------------------------------------


def members_hash(members: Sequence[Member]) -> bytes:
    """SHA-256 over the domain and per seat identity, static key, its signature, u8 length and nickname."""
    parts = [DOMAIN_MEMBERS]
    for member in members:
        name = member.nickname.encode()
        parts += [member.identity, member.static, member.static_signature, bytes([len(name)]), name]
    return hashlib.sha256(b"".join(parts)).digest()


def ready_bytes(table: bytes, round_: int, terms: bytes, members: bytes, seat: int, nonce: bytes) -> bytes:
    """What READY signs: domain, table, u16 round, terms hash, members hash, u8 seat, nonce."""
    return DOMAIN_READY + table + round_.to_bytes(2, "big") + terms + members + bytes([seat]) + nonce


@dataclass(slots=True)
class _Round:
    """Terms on the table, and who has said what to them."""

    number: int
    terms_bytes: bytes
    terms: Terms
    terms_hash: bytes
    members: tuple[Member, ...]
    members_hash: bytes
    my_seat: int
    deadline: float
    ready: dict[int, Ready] = field(default_factory=dict)
    seated: dict[int, Seated] = field(default_factory=dict)
    setup: Setup | None = None

    def seat_of(self, identity: bytes) -> int | None:
        return next((seat for seat, member in enumerate(self.members) if member.identity == identity), None)

    @property
    def others(self) -> tuple[Member, ...]:
        return tuple(member for seat, member in enumerate(self.members) if seat != self.my_seat)


class Gathering(ABC):
    """What opener and joiner have in common: from TERMS on they do the same.

    ``receive``, ``link``, ``tick``, ``confirm`` and ``leave`` return effects; ``receive`` raises ``Refusal`` for what
    this peer may not say (nothing has changed then).  *now* is any clock in seconds that does not go back.
    """

    TABLE: ClassVar[dict[tuple[State, type[Message]], str]]
    _COMMON: ClassVar[dict[tuple[State, type[Message]], str]] = {
        (State.ASKING, Ready): "_hold",
        (State.ASKING, Seated): "_hold",
        (State.WAITING, Ready): "_hold",
        (State.CONFIRMING, Ready): "_on_ready",
        (State.SEATING, Ready): "_on_ready",
        (State.DONE, Ready): "_on_ready",
        (State.WAITING, Seated): "_hold",
        (State.CONFIRMING, Seated): "_on_seated",
        (State.SEATING, Seated): "_on_seated",
        (State.DONE, Seated): "_on_seated",
    }

    def __init__(
        self,
        me: Me,
        announced: bytes,
        rand: Callable[[int], bytes],
        *,
        addresses: tuple[str, ...],
        bot: BotSeat | None,
        my_bots: Container[bytes],
        auto_confirm: bool,
        state: State,
    ) -> None:
        self._me = me
        self._rand = rand
        self._announced_bytes = announced
        self._announced = read_terms(announced)
        self._addresses = addresses
        self._bot = bot
        self._my_bots = my_bots
        self._auto_confirm = auto_confirm
        self._round: _Round | None = None
        self._held: dict[tuple[bytes, type[Ready | Seated]], Ready | Seated] = {}
        self._linked: set[bytes] = set()
        self.state = state

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.table.hex()[:8]} {self.state.value}>"

    @property
    def table(self) -> bytes:
        """The table's name, 16 bytes."""
        return self._announced.table

    # -- what the node calls

    def receive(self, peer: Peer, message: Message, now: float) -> list[Effect]:
        """A lobby message of *peer* about this table."""
        if getattr(message, "table", None) != self.table:
            raise Refusal(Code.CONTEXT, f"{type(message).__name__}: for another table")
        if self.state is State.FAILED:
            return []
        handler = self.TABLE.get((self.state, type(message))) or self._COMMON.get((self.state, type(message)))
        if handler is None:
            raise Refusal(Code.TURN, f"{type(message).__name__}: not while {self.state.value}")
        effects: list[Effect] = getattr(self, handler)(peer, message, now)
        return effects

    def link(self, identity: bytes, up: bool, now: float) -> list[Effect]:
        """The link to *identity* came up (is ready) or went down."""
        if up:
            self._linked.add(identity)
        else:
            self._linked.discard(identity)
        if self.state is State.FAILED:
            return []
        effects = self._link_changed(identity, up, now)
        if up:
            effects += self._say_again(identity)
        return effects

    def confirm(self, now: float) -> list[Effect]:
        """Our person agrees to the terms on the table."""
        current = self._round
        if self.state is not State.CONFIRMING or current is None or current.my_seat in current.ready:
            raise Refusal(Code.TURN, "there are no terms to agree to now")
        nonce = self._rand(32)
        signed = ready_bytes(
            self.table, current.number, current.terms_hash, current.members_hash, current.my_seat, nonce
        )
        ready = Ready(
            table=self.table,
            round=current.number,
            seat=current.my_seat,
            terms_hash=current.terms_hash,
            members_hash=current.members_hash,
            nonce=nonce,
            signature=self._me.sign(signed),
        )
        current.ready[current.my_seat] = ready
        effects: list[Effect] = [Send(member.identity, ready) for member in current.others]
        return effects + self._all_ready(now)

    def leave(self, text: str = "") -> list[Effect]:
        """Our person does not sit down here (the opener: closes the table)."""
        if self.state in (State.DONE, State.FAILED):
            return []
        message = Leave(table=self.table, reason="left", text=text)
        effects: list[Effect] = [Send(identity, message) for identity in self._audience()]
        return [*effects, *self._fail("left", "you left the table")]

    @abstractmethod
    def tick(self, now: float) -> list[Effect]:
        """Time has passed; call at :attr:`next_tick` at the latest."""

    @property
    @abstractmethod
    def next_tick(self) -> float | None:
        """When something runs out, if nothing else happens."""

    @property
    @abstractmethod
    def view(self) -> GatheringView:
        """A picture for people."""

    # -- the second half, the same for all four

    @abstractmethod
    def _audience(self) -> list[bytes]: ...

    @abstractmethod
    def _link_changed(self, identity: bytes, up: bool, now: float) -> list[Effect]: ...

    def _put_terms(self, current: _Round, now: float) -> list[Effect]:
        """Terms are on the table: ask our person (or agree at once), take up what came early."""
        self._round = current
        self.state = State.CONFIRMING
        effects: list[Effect] = []
        if self._auto_confirm:
            effects += self.confirm(now)
        else:
            effects.append(Ask(current.terms, current.members, current.deadline))
        early, self._held = self._held, {}
        for (identity, kind), message in early.items():
            seat = current.seat_of(identity)
            if message.round > current.number:
                self._held[identity, kind] = message
            elif seat is not None and message.round == current.number and self.state is not State.FAILED:
                try:
                    if isinstance(message, Ready):
                        effects += self._ready_from(seat, message, now)
                    else:
                        effects += self._seated_from(seat, message, now)
                except Refusal as refusal:
                    effects += self._abandon("refused", refusal.detail, identity)
        return effects

    def _hold(self, peer: Peer, message: Ready | Seated, now: float) -> list[Effect]:
        """Something for a round whose TERMS we have not seen yet: one of a kind is kept for each of a few peers."""
        key = (peer.identity, type(message))
        if key in self._held or len(self._held) < MAX_HELD:
            self._held[key] = message
        return []

    def _member_of(self, peer: Peer, message: Ready | Seated) -> tuple[_Round, int] | None:
        """The current round and the peer's seat in it; ``None``: not of this round (older: stale, later: held)."""
        current = self._round
        assert current is not None
        if message.round > current.number:
            self._hold(peer, message, 0.0)
            return None
        if message.round < current.number:
            return None
        seat = current.seat_of(peer.identity)
        if seat is None or seat == current.my_seat:
            raise Refusal(Code.CONTEXT, f"{type(message).__name__}: its sender does not sit at this table")
        return current, seat

    def _on_ready(self, peer: Peer, message: Ready, now: float) -> list[Effect]:
        found = self._member_of(peer, message)
        return self._ready_from(found[1], message, now) if found else []

    def _ready_from(self, seat: int, message: Ready, now: float) -> list[Effect]:
        current = self._round
        assert current is not None
        member = current.members[seat]
        if message.seat != seat:
            raise Refusal(Code.CONTEXT, "READY: for another seat than the sender's")
        signed = ready_bytes(
            self.table, message.round, message.terms_hash, message.members_hash, seat, message.nonce
        )
        verify(member.identity, message.signature, signed, "READY")
        held = current.ready.get(seat)
        if held is not None:
            if (held.nonce, held.terms_hash, held.members_hash) != (
                message.nonce,
                message.terms_hash,
                message.members_hash,
            ):
                if self.state is State.DONE:
                    raise Refusal(Code.EQUIVOCATION, "READY: another one than before")
                text = f"{member.nickname} signed two different agreements"
                return self._abandon("equivocation", text, member.identity)
            return []
        for what, theirs, ours in (
            ("terms", message.terms_hash, current.terms_hash),
            ("members", message.members_hash, current.members_hash),
        ):
            if theirs != ours:  # who signs what he was not sent, or an opener who sends different things
                liar = self._opener_identity()
                blame = member.identity if liar == self._me.identity else liar
                return self._abandon(f"{what}-differ", f"{member.nickname} agrees to other {what} than we do", blame)
        if any(other.nonce == message.nonce for other in current.ready.values()):
            return self._abandon("nonce", f"{member.nickname} copied a nonce", member.identity)
        current.ready[seat] = message
        again: list[Effect] = []
        if current.my_seat in current.ready:  # ours may have come before its author had the terms
            again.append(Send(member.identity, current.ready[current.my_seat]))
        return again + self._all_ready(now)

    def _all_ready(self, now: float) -> list[Effect]:
        current = self._round
        assert current is not None
        if len(current.ready) < 4 or current.setup is not None:
            return []
        players = tuple(
            Player(m.identity, m.static, m.static_signature, current.ready[seat].nonce, m.nickname)
            for seat, m in enumerate(current.members)
        )
        current.setup = make_setup(current.terms_bytes, make_roster(players), current.my_seat)
        self.state = State.SEATING
        current.deadline = now + SEATING_SECONDS
        mine = Seated(
            table=self.table,
            round=current.number,
            match=current.setup.match_id,
            roster_hash=current.setup.roster.hash,
        )
        current.seated[current.my_seat] = mine
        effects: list[Effect] = [Send(member.identity, mine) for member in current.others]
        for seat, seated in list(current.seated.items()):
            if seat != current.my_seat and self.state is State.SEATING:
                del current.seated[seat]
                effects += self._seated_from(seat, seated, now)
        return effects

    def _on_seated(self, peer: Peer, message: Seated, now: float) -> list[Effect]:
        found = self._member_of(peer, message)
        return self._seated_from(found[1], message, now) if found else []

    def _seated_from(self, seat: int, message: Seated, now: float) -> list[Effect]:
        current = self._round
        assert current is not None
        member = current.members[seat]
        held = current.seated.get(seat)
        if held is not None and held != message:
            if self.state is State.DONE:
                raise Refusal(Code.EQUIVOCATION, "SEATED: another one than before")
            return self._abandon("equivocation", f"{member.nickname} contradicts itself", member.identity)
        current.seated[seat] = message
        mine = current.seated.get(current.my_seat)
        if mine is None:
            return []  # judged when our own four READY are in
        if message != mine:
            text = f"{member.nickname} arrives at another match than we do: somebody sent different nonces"
            return self._abandon("match-differs", text, None)
        if len(current.seated) < 4 or self.state is State.DONE:
            return []
        assert current.setup is not None
        self.state = State.DONE
        return [Done(current.setup)]

    def _say_again(self, identity: bytes) -> list[Effect]:
        """A link came up: what its other end may have missed."""
        current = self._round
        if current is None or self.state not in (State.CONFIRMING, State.SEATING, State.DONE):
            return []
        seat = current.seat_of(identity)
        if seat is None or seat == current.my_seat:
            return []
        said: list[Message | None] = [current.ready.get(current.my_seat), current.seated.get(current.my_seat)]
        return [Send(identity, message) for message in said if message is not None]

    def _fail(self, reason: str, text: str, blame: bytes | None = None) -> list[Effect]:
        self.state = State.FAILED
        self._held.clear()
        return [Failed(reason, text, blame)]

    def _abandon(self, reason: str, text: str, blame: bytes | None) -> list[Effect]:
        """Fail and tell the others why."""
        message = Leave(table=self.table, reason=reason, text=text)
        effects: list[Effect] = [Send(identity, message) for identity in self._audience()]
        return [*effects, *self._fail(reason, text, blame)]

    @abstractmethod
    def _opener_identity(self) -> bytes: ...

    def _seat_views(self, members: Sequence[Member | None], bots: Sequence[bool]) -> tuple[Any, ...]:
        ready = self._round.ready if self._round is not None else {}
        return tuple(
            None
            if member is None
            else SeatView(
                member.identity,
                member.nickname,
                bots[seat],
                seat in ready,
                member.identity == self._me.identity or member.identity in self._linked,
            )
            for seat, member in enumerate(members)
        )

    def _my_member(self) -> Member:
        me = self._me
        return Member(
            identity=me.identity,
            static=me.static,
            static_signature=me.static_signature,
            nickname=me.nickname,
            addresses=self._addresses,
        )


@dataclass(slots=True)
class _Candidate:
    member: Member
    bot: BotSeat | None
    lost: float | None = None  # since when its link is down


class Opener(Gathering):
    """The opener's side.

    :param terms: the announced terms' bytes, without computers.
    :param may_sit: who may have a seat (the node knows friends and invitations).
    :param seat: the opener's own seat.
    :param bot: set if the opener itself is a computer.
    :param my_bots: identities of computers this node's person hosts (may grow); terms that name others as ours are
        refused.
    :param auto_confirm: agree to the terms at once (computers).
    """

    TABLE: ClassVar[dict[tuple[State, type[Message]], str]] = {
        (State.WAITING, SeatRequest): "_on_request",
        (State.CONFIRMING, SeatRequest): "_on_late_request",
        (State.SEATING, SeatRequest): "_on_late_request",
        (State.DONE, SeatRequest): "_on_late_request",
        (State.WAITING, Leave): "_on_leave",
        (State.CONFIRMING, Leave): "_on_leave",
        (State.SEATING, Leave): "_on_leave_seating",
        (State.DONE, Leave): "_ignore",
    }

    def __init__(
        self,
        me: Me,
        terms: bytes,
        rand: Callable[[int], bytes],
        *,
        addresses: tuple[str, ...] = (),
        may_sit: Callable[[bytes], bool] = lambda identity: True,
        seat: int = 0,
        bot: BotSeat | None = None,
        my_bots: Container[bytes] = frozenset(),
        auto_confirm: bool = False,
    ) -> None:
        super().__init__(
            me,
            terms,
            rand,
            addresses=addresses,
            bot=bot,
            my_bots=my_bots,
            auto_confirm=auto_confirm,
            state=State.WAITING,
        )
        if self._announced.bots:
            raise Refusal(Code.FORMAT, "announced terms name no computers: they take their seats")
        if not 0 <= seat <= 3:
            raise Refusal(Code.FORMAT, f"there is no seat {seat}")
        self._may_sit = may_sit
        self._my_seat = seat
        self._seats: dict[int, _Candidate] = {seat: _Candidate(self._my_member(), bot)}
        self._revision = 0
        self._rounds = 0

    def announcement(self) -> TableOpen:
        """TABLE as it stands now."""
        seats = [self._seats.get(seat) for seat in range(4)]
        return sign_announcement(
            Announcement(
                v=VERSION,
                opener=self._me.identity,
                terms=self._announced_bytes,
                seats=tuple(candidate.member.nickname if candidate else None for candidate in seats),
                bots=tuple(candidate is not None and candidate.bot is not None for candidate in seats),
                revision=self._revision,
                open=self.state is State.WAITING,
                addresses=self._addresses,
            ),
            self._me.sign,
        )

    def remove(self, identity: bytes, text: str = "") -> list[Effect]:
        """Take *identity*'s seat away (while gathering or confirming)."""
        seat = self._seat_of(identity)
        if seat is None or seat == self._my_seat or self.state not in (State.WAITING, State.CONFIRMING):
            raise Refusal(Code.TURN, "there is nobody to remove now")
        refusal = SeatRefuse(table=self.table, reason="removed", text=text)
        return [Send(identity, refusal), *self._free([seat], "was asked to go")]

    def leave(self, text: str = "") -> list[Effect]:
        """Close the table."""
        effects = super().leave(text)
        return [*effects, self._announce()] if effects else []

    def tick(self, now: float) -> list[Effect]:
        """Free the seats of lost links and of those who did not agree in time."""
        if self.state is State.WAITING:
            gone = [
                seat
                for seat, candidate in self._seats.items()
                if candidate.lost is not None and now >= candidate.lost + LINK_SECONDS
            ]
            return self._refuse_seats(gone, "lost", "the connection was lost") if gone else []
        current = self._round
        if current is None or now < current.deadline:
            return []
        if self.state is State.CONFIRMING:
            late = [seat for seat in range(4) if seat not in current.ready]
            if self._my_seat in late:
                return self._abandon("late", "the table's opener did not agree in time", None)
            return self._refuse_seats(late, "late", "the terms were not agreed to in time")
        if self.state is State.SEATING:
            return self._abandon("silent", _silent(current), None)
        return []

    @property
    def next_tick(self) -> float | None:
        """See base."""
        if self.state is State.WAITING:
            lost = [candidate.lost for candidate in self._seats.values() if candidate.lost is not None]
            return min(lost) + LINK_SECONDS if lost else None
        if self._round is not None and self.state in (State.CONFIRMING, State.SEATING):
            return self._round.deadline
        return None

    @property
    def view(self) -> GatheringView:
        """See base."""
        candidates = [self._seats.get(seat) for seat in range(4)]
        members = [candidate.member if candidate else None for candidate in candidates]
        bots = [candidate is not None and candidate.bot is not None for candidate in candidates]
        current = self._round
        one, two, three, four = self._seat_views(members, bots)
        return GatheringView(
            self.state,
            self.table,
            current.terms if current is not None else self._announced,
            (one, two, three, four),
            self._my_seat,
            current is not None and self._my_seat in current.ready,
            self.next_tick,
        )

    # -- seats

    def _seat_of(self, identity: bytes) -> int | None:
        return next((seat for seat, c in self._seats.items() if c.member.identity == identity), None)

    def _on_request(self, peer: Peer, message: SeatRequest, now: float) -> list[Effect]:
        if peer.identity == self._me.identity:
            raise Refusal(Code.CONTEXT, "SEAT_REQUEST: from the opener itself")
        if not self._may_sit(peer.identity):
            return [self._refuse(peer.identity, "not-invited", "this table is for others")]
        bot = message.bot
        if bot is not None and bot.host == self._me.identity and peer.identity not in self._my_bots:
            return [self._refuse(peer.identity, "unfit", "the opener does not host this computer")]
        others = [c.member for c in self._seats.values() if c.member.identity != peer.identity]
        if any(member.static == peer.static for member in others):
            return [self._refuse(peer.identity, "unfit", "another player has the same X25519 key")]
        member = Member(
            identity=peer.identity,
            static=peer.static,
            static_signature=peer.static_signature,
            nickname=peer.nickname,
            addresses=message.addresses,
        )
        before = dict(self._seats)
        mine = self._seat_of(peer.identity)
        if mine is not None:
            del self._seats[mine]
        seat, why = self._choose(message, mine)
        if seat is None:
            self._seats = before
            return [self._refuse(peer.identity, *why)]
        self._seats[seat] = _Candidate(member, message.bot)
        self._linked.add(peer.identity)
        try:
            self._final_terms()
        except Refusal as refusal:  # a computer whose fields do not go with the others'
            self._seats = before
            return [self._refuse(peer.identity, "unfit", refusal.detail)]
        effects: list[Effect] = [Send(peer.identity, SeatOffer(table=self.table, seat=seat)), self._announce()]
        return effects + (self._full(now) if len(self._seats) == 4 else [])

    def _choose(self, message: SeatRequest, mine: int | None) -> tuple[int | None, tuple[str, str]]:
        """A seat for this request, or why there is none (a name and words)."""
        fitting = [seat for seat in range(4) if seat not in self._seats and self._fits(seat, message.bot is not None)]
        if not fitting:
            if len(self._seats) == 4:
                return None, ("full", "all seats are taken")
            kind = "computers" if message.bot is not None else "people"
            return None, ("full", f"the seats for {kind} are taken")
        if message.seat is None:
            return (mine if mine in fitting else fitting[0]), ("", "")
        if message.seat not in fitting:
            return None, ("taken", f"seat {message.seat + 1} is taken, or not for you")
        return message.seat, ("", "")

    def _fits(self, seat: int, bot: bool) -> bool:
        """R34: in a duel the people sit opposite each other, so the opener's seat settles all four."""
        if self._announced.mode != "duel":
            return True
        opposite = (seat - self._my_seat) % 2 == 0
        return opposite == (bot == (self._bot is not None))

    def _final_terms(self) -> bytes:
        bots = tuple(
            Bot(
                seat=seat,
                identity=candidate.member.identity,
                host=candidate.bot.host,
                policy=candidate.bot.policy,
                version=candidate.bot.version,
                seeds=candidate.bot.seeds,
            )
            for seat, candidate in sorted(self._seats.items())
            if candidate.bot is not None
        )
        return with_bots(self._announced_bytes, bots)

    def _full(self, now: float) -> list[Effect]:
        """Four sit: put the terms on the table."""
        self._rounds += 1
        terms_bytes = self._final_terms()
        members = tuple(self._seats[seat].member for seat in range(4))
        try:
            current = _check_round(
                self._rounds, self._announced, terms_bytes, members, self._me, self._bot, self._my_bots, now
            )
        except Refusal as refusal:
            return self._abandon("unfit", refusal.detail, None)
        message = TermsSet(table=self.table, round=self._rounds, terms=terms_bytes, members=members)
        effects: list[Effect] = [Send(member.identity, message) for member in current.others]
        return effects + self._put_terms(current, now) + [self._announce()]

    def _free(self, seats: list[int], text: str) -> list[Effect]:
        """These seats are free again; if terms were on the table they are withdrawn."""
        names = ", ".join(self._seats[seat].member.nickname for seat in seats)
        for seat in seats:
            del self._seats[seat]
        effects: list[Effect] = []
        if self.state is State.CONFIRMING:
            self.state = State.WAITING
            self._round = None
            effects += [
                Send(candidate.member.identity, SeatOffer(table=self.table, seat=seat))
                for seat, candidate in sorted(self._seats.items())
                if seat != self._my_seat
            ]
            effects.append(Withdrawn(f"{names} {text}"))
        return [*effects, self._announce()]

    def _refuse_seats(self, seats: list[int], reason: str, text: str) -> list[Effect]:
        told: list[Effect] = [self._refuse(self._seats[seat].member.identity, reason, text) for seat in seats]
        return told + self._free(seats, "is gone" if reason == "lost" else "did not agree in time")

    def _refuse(self, identity: bytes, reason: str, text: str) -> Send:
        return Send(identity, SeatRefuse(table=self.table, reason=reason, text=text[:500]))

    def _on_late_request(self, peer: Peer, message: SeatRequest, now: float) -> list[Effect]:
        current = self._round
        seat = current.seat_of(peer.identity) if current is not None else None
        if current is None or seat is None or self.state is not State.CONFIRMING:
            return [self._refuse(peer.identity, "full", "all seats are taken")]
        if seat not in current.ready:
            return self._say_again(peer.identity)  # it has missed TERMS
        return self._free([seat], "started anew") + self._on_request(peer, message, now)  # its nonce is lost: once more

    def _on_leave(self, peer: Peer, message: Leave, now: float) -> list[Effect]:
        seat = self._seat_of(peer.identity)
        if seat is None or seat == self._my_seat:
            return []  # it has lost its seat, and has not heard so yet
        return self._free([seat], "left the table")

    def _on_leave_seating(self, peer: Peer, message: Leave, now: float) -> list[Effect]:
        seat = self._seat_of(peer.identity)
        if seat is None or seat == self._my_seat:
            return []
        return self._abandon(message.reason, f"{self._seats[seat].member.nickname} left the table", peer.identity)

    def _ignore(self, peer: Peer, message: Message, now: float) -> list[Effect]:
        return []

    def _say_again(self, identity: bytes) -> list[Effect]:
        current = self._round
        if current is None:
            seat = self._seat_of(identity)
            offer = self.state is State.WAITING and seat is not None and seat != self._my_seat
            return [Send(identity, SeatOffer(table=self.table, seat=seat))] if offer and seat is not None else []
        if self.state is State.FAILED or current.seat_of(identity) in (None, current.my_seat):
            return []
        terms = TermsSet(
            table=self.table, round=current.number, terms=current.terms_bytes, members=current.members
        )
        return [Send(identity, terms), *super()._say_again(identity)]

    def _announce(self) -> Announce:
        self._revision += 1
        return Announce(self.announcement())

    def _audience(self) -> list[bytes]:
        return [c.member.identity for seat, c in sorted(self._seats.items()) if seat != self._my_seat]

    def _link_changed(self, identity: bytes, up: bool, now: float) -> list[Effect]:
        seat = self._seat_of(identity)
        if seat is not None:
            self._seats[seat].lost = None if up else now
        return []

    def _abandon(self, reason: str, text: str, blame: bytes | None) -> list[Effect]:
        return [*super()._abandon(reason, text, blame), self._announce()]

    def _opener_identity(self) -> bytes:
        return self._me.identity


class Joiner(Gathering):
    """A joiner's side; :meth:`start` asks for the seat.

    :param announcement: the table as its opener announced it (``announcement.read_announcement``).
    :param seat: the seat wanted, or ``None`` for any.
    :param bot, my_bots, auto_confirm: as for :class:`Opener`.
    """

    TABLE: ClassVar[dict[tuple[State, type[Message]], str]] = {
        (State.ASKING, SeatOffer): "_on_offer",
        (State.WAITING, SeatOffer): "_on_offer",
        (State.CONFIRMING, SeatOffer): "_on_withdrawn",
        (State.SEATING, SeatOffer): "_on_withdrawn",
        (State.ASKING, SeatRefuse): "_on_refuse",
        (State.WAITING, SeatRefuse): "_on_refuse",
        (State.CONFIRMING, SeatRefuse): "_on_refuse",
        (State.SEATING, SeatRefuse): "_on_refuse",
        (State.ASKING, TermsSet): "_on_terms",
        (State.WAITING, TermsSet): "_on_terms",
        (State.CONFIRMING, TermsSet): "_on_terms",
        (State.SEATING, TermsSet): "_on_terms",
        (State.DONE, TermsSet): "_on_terms_again",
        (State.ASKING, Leave): "_on_leave",
        (State.WAITING, Leave): "_on_leave",
        (State.CONFIRMING, Leave): "_on_leave",
        (State.SEATING, Leave): "_on_leave",
        (State.DONE, Leave): "_ignore",
    }

    def __init__(
        self,
        me: Me,
        announcement: Announcement,
        rand: Callable[[int], bytes],
        *,
        addresses: tuple[str, ...] = (),
        seat: int | None = None,
        bot: BotSeat | None = None,
        my_bots: Container[bytes] = frozenset(),
        auto_confirm: bool = False,
    ) -> None:
        super().__init__(
            me,
            announcement.terms,
            rand,
            addresses=addresses,
            bot=bot,
            my_bots=my_bots,
            auto_confirm=auto_confirm,
            state=State.ASKING,
        )
        if announcement.opener == me.identity:
            raise Refusal(Code.CONTEXT, "this is our own table")
        self._opener = announcement.opener
        self._announcement = announcement
        self._wanted = seat
        self._seat: int | None = None
        self._deadline: float | None = None
        self._lost: float | None = None
        self._last_round = 0

    def start(self, now: float) -> list[Effect]:
        """Ask for the seat (the link to the opener is up, or comes up)."""
        if self.state is not State.ASKING:
            raise Refusal(Code.TURN, "the seat has been asked for")
        self._deadline = now + ASK_SECONDS
        return [Dial(self._opener, self._announcement.addresses), Send(self._opener, self._request())]

    def tick(self, now: float) -> list[Effect]:
        """Give up where nobody answers."""
        due = self.next_tick
        if due is None or now < due:
            return []
        if self.state is State.ASKING:
            return self._leave_late("the table does not answer")
        current = self._round
        if self.state in (State.CONFIRMING, State.SEATING) and current is not None and now >= current.deadline:
            if self.state is State.SEATING:
                return self._abandon("silent", _silent(current), None)
            if current.my_seat not in current.ready:
                return self._leave_late("the terms were not agreed to in time")
            if now >= current.deadline + SEATING_SECONDS:
                return self._leave_late("the four did not come together")
        if self._lost is not None and now >= self._lost + LINK_SECONDS:
            return self._leave_late("the table's opener is gone")
        return []

    @property
    def next_tick(self) -> float | None:
        """See base."""
        times = []
        current = self._round
        if self.state is State.ASKING and self._deadline is not None:
            times.append(self._deadline)
        if self._lost is not None and self.state in (State.WAITING, State.CONFIRMING):
            times.append(self._lost + LINK_SECONDS)
        if current is not None and self.state is State.SEATING:
            times.append(current.deadline)
        if current is not None and self.state is State.CONFIRMING:
            times.append(current.deadline + (SEATING_SECONDS if current.my_seat in current.ready else 0))
        return min(times) if times else None

    @property
    def view(self) -> GatheringView:
        """See base."""
        current = self._round
        seats: tuple[Any, ...] = (None,) * 4
        if current is not None:
            bots = [current.terms.bot_at(seat) is not None for seat in range(4)]
            seats = self._seat_views(current.members, bots)
        one, two, three, four = seats
        return GatheringView(
            self.state,
            self.table,
            current.terms if current is not None else self._announced,
            (one, two, three, four),
            self._seat,
            current is not None and current.my_seat in current.ready,
            self.next_tick,
        )

    def _request(self) -> SeatRequest:
        return SeatRequest(table=self.table, seat=self._wanted, bot=self._bot, addresses=self._addresses)

    def _from_opener(self, peer: Peer, message: Message) -> None:
        if peer.identity != self._opener:
            raise Refusal(Code.CONTEXT, f"{type(message).__name__}: not from the table's opener")

    def _on_offer(self, peer: Peer, message: SeatOffer, now: float) -> list[Effect]:
        self._from_opener(peer, message)
        if self._wanted is not None and message.seat != self._wanted:
            raise Refusal(Code.CONTEXT, "SEAT_OFFER: another seat than the one asked for")
        self._seat = message.seat
        self._deadline = None
        self.state = State.WAITING
        return []

    def _on_withdrawn(self, peer: Peer, message: SeatOffer, now: float) -> list[Effect]:
        self._from_opener(peer, message)
        self._check_may_withdraw()
        if message.seat != self._seat:
            raise Refusal(Code.CONTEXT, "SEAT_OFFER: another seat than before")
        self.state = State.WAITING
        self._round = None
        return [Withdrawn("somebody left the table")]

    def _check_may_withdraw(self) -> None:
        """The opener has said SEATED: it cannot take the terms back any more."""
        current = self._round
        if current is not None and current.seat_of(self._opener) in current.seated:
            raise Refusal(Code.CONTEXT, "the opener takes terms back that it has settled")

    def _on_refuse(self, peer: Peer, message: SeatRefuse, now: float) -> list[Effect]:
        self._from_opener(peer, message)
        self._check_may_withdraw()
        text = f"no seat at this table: {message.text or message.reason}"
        return self._fail(message.reason, text)

    def _on_terms(self, peer: Peer, message: TermsSet, now: float) -> list[Effect]:
        self._from_opener(peer, message)
        current = self._round
        if current is not None and message.round == current.number:
            if (message.terms, message.members) != (current.terms_bytes, current.members):
                return self._abandon("terms-differ", "the opener sent two different sets of terms", self._opener)
            return []
        if message.round <= self._last_round:
            return []  # withdrawn since
        self._check_may_withdraw()
        try:
            fresh = _check_round(
                message.round, self._announced, message.terms, message.members, self._me, self._bot, self._my_bots, now
            )
            if fresh.seat_of(self._opener) is None:
                raise Refusal(Code.CONTEXT, "TERMS: the opener is not one of the four")
            agreed = self._seat if self._seat is not None else self._wanted
            if agreed is not None and fresh.my_seat != agreed:
                raise Refusal(Code.CONTEXT, "TERMS: we sit on another seat than offered")
        except Refusal as refusal:
            return self._abandon("terms", f"the table's final terms are not acceptable: {refusal.detail}", self._opener)
        self._last_round = message.round
        self._seat = fresh.my_seat  # in ASKING the offer was lost
        self._deadline = None
        dial: list[Effect] = [
            Dial(member.identity, member.addresses) for member in fresh.others if member.identity != self._opener
        ]
        return dial + self._put_terms(fresh, now)

    def _on_terms_again(self, peer: Peer, message: TermsSet, now: float) -> list[Effect]:
        self._from_opener(peer, message)
        current = self._round
        assert current is not None
        if (message.round, message.terms, message.members) != (current.number, current.terms_bytes, current.members):
            raise Refusal(Code.CONTEXT, "TERMS: the terms are settled")
        return []

    def _on_leave(self, peer: Peer, message: Leave, now: float) -> list[Effect]:
        if peer.identity == self._opener:
            return self._fail(message.reason, f"the table was closed: {message.text or message.reason}")
        current = self._round
        seat = current.seat_of(peer.identity) if current is not None else None
        if current is not None and seat is not None and self.state is State.SEATING:
            return self._abandon(message.reason, f"{current.members[seat].nickname} left the table", peer.identity)
        return []  # the opener withdraws the terms, if there are any

    def _ignore(self, peer: Peer, message: Message, now: float) -> list[Effect]:
        return []

    def _leave_late(self, text: str) -> list[Effect]:
        message = Leave(table=self.table, reason="late", text=text)
        return [*(Send(identity, message) for identity in self._audience()), *self._fail("late", text)]

    def _audience(self) -> list[bytes]:
        if self._round is not None:
            return [member.identity for member in self._round.others]
        return [self._opener]

    def _link_changed(self, identity: bytes, up: bool, now: float) -> list[Effect]:
        if identity != self._opener:
            return []
        self._lost = None if up else now
        if up and self.state in (State.ASKING, State.WAITING):
            return [Send(self._opener, self._request())]  # the opener may have lost the seat, or never got the request
        return []

    def _opener_identity(self) -> bytes:
        return self._opener


def _silent(current: _Round) -> str:
    names = [member.nickname for seat, member in enumerate(current.members) if seat not in current.seated]
    return f"no answer from {' and '.join(names)}"


def _check_round(
    number: int,
    announced: Terms,
    terms_bytes: bytes,
    members: tuple[Member, ...],
    me: Me,
    bot: BotSeat | None,
    my_bots: Container[bytes],
    now: float,
) -> _Round:
    """TERMS, checked against what was announced and what we said of ourselves.  Raises ``Refusal``."""
    terms = read_terms(terms_bytes)
    if not same_but_bots(announced, terms):
        raise Refusal(Code.CONTEXT, "the final terms differ from those announced")
    for member in members:
        check_identity(member.identity, f"TERMS: {member.nickname}")
        check_static(member.identity, member.static, member.static_signature, f"TERMS: key of {member.nickname}")
        check_noise_key(member.static)
    for what in ("identity", "static"):
        if len({getattr(member, what) for member in members}) != 4:
            raise Refusal(Code.FORMAT, f"two seats have one {what}")
    my_seat = next((seat for seat, member in enumerate(members) if member.identity == me.identity), None)
    if my_seat is None:
        raise Refusal(Code.CONTEXT, "we are not one of the four")
    mine = members[my_seat]
    if (mine.static, mine.static_signature, mine.nickname) != (me.static, me.static_signature, me.nickname):
        raise Refusal(Code.CONTEXT, "our own keys or name are not as we gave them")
    check_seating(terms, tuple(member.identity for member in members))
    entry = terms.bot_at(my_seat)
    if (entry is None) != (bot is None):
        raise Refusal(Code.CONTEXT, "we are a computer for them and no computer, or the other way round")
    if entry is not None and bot is not None:
        given = (entry.host, entry.policy, entry.version, entry.seeds)
        if given != (bot.host, bot.policy, bot.version, bot.seeds):
            raise Refusal(Code.CONTEXT, "our own policy or seeds are not as we gave them")
    for other in terms.bots:
        if other.host == me.identity and other.identity != me.identity and other.identity not in my_bots:
            raise Refusal(Code.CONTEXT, f"we are named as host of the computer at seat {other.seat + 1}, and are not")
    return _Round(
        number,
        terms_bytes,
        terms,
        terms_hash(terms_bytes),
        members,
        members_hash(members),
        my_seat,
        now + CONFIRM_SECONDS,
    )
