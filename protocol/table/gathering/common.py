"""What opener and joiner have in common: from TERMS on they do the same."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Sequence
from typing import Any, ClassVar

from protocol.refusal import Code, Refusal
from protocol.table.gathering.effects import Ask, Done, Effect, Failed, GatheringView, SeatView, Send, State
from protocol.table.gathering.limits import MAX_HELD, SEATING_SECONDS
from protocol.table.gathering.round import Round
from protocol.table.gathering.signed import ready_bytes
from protocol.table.roster import Player, make_roster, make_setup
from protocol.table.terms import read_terms
from protocol.wire.hello import Me, Peer
from protocol.wire.keys import verify
from protocol.wire.messages import BotSeat, Leave, Member, Message, Ready, Seated


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
        self._round: Round | None = None
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

    def _put_terms(self, current: Round, now: float) -> list[Effect]:
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

    def _member_of(self, peer: Peer, message: Ready | Seated) -> tuple[Round, int] | None:
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
        signed = ready_bytes(self.table, message.round, message.terms_hash, message.members_hash, seat, message.nonce)
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
