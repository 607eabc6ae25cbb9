"""The opener's side of a gathering: who asks for a seat, who gets it, and when four sit."""

from collections.abc import Callable, Container
from dataclasses import dataclass
from typing import ClassVar

from protocol.refusal import Code, Refusal
from protocol.table.announcement import VERSION, Announcement, sign_announcement
from protocol.table.gathering.common import Gathering
from protocol.table.gathering.effects import Announce, Effect, GatheringView, Send, State, Withdrawn
from protocol.table.gathering.limits import LINK_SECONDS
from protocol.table.gathering.round import check_round, silent
from protocol.table.terms import Bot, with_bots
from protocol.wire.hello import Me, Peer
from protocol.wire.messages import (
    BotSeat,
    Leave,
    Member,
    Message,
    SeatOffer,
    SeatRefuse,
    SeatRequest,
    TableOpen,
    TermsSet,
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
            return self._abandon("silent", silent(current), None)
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
            current = check_round(
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
        terms = TermsSet(table=self.table, round=current.number, terms=current.terms_bytes, members=current.members)
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
