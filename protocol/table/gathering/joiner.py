"""The joiner's side of a gathering: a seat asked for, terms read and agreed to."""

from collections.abc import Callable, Container
from typing import Any, ClassVar

from protocol.refusal import Code, Refusal
from protocol.table.announcement import Announcement
from protocol.table.gathering.common import Gathering
from protocol.table.gathering.effects import Dial, Effect, GatheringView, Send, State, Withdrawn
from protocol.table.gathering.limits import ASK_SECONDS, LINK_SECONDS, SEATING_SECONDS
from protocol.table.gathering.round import check_round, silent
from protocol.wire.hello import Me, Peer
from protocol.wire.messages import BotSeat, Leave, Message, SeatOffer, SeatRefuse, SeatRequest, TermsSet


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
                return self._abandon("silent", silent(current), None)
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
            fresh = check_round(
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
