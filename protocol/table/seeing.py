"""The view of a table core: what our seat may see, as a frozen value."""

from __future__ import annotations

from typing import Any

from protocol.rules.acts import Act, Call, Healthy, Name, Play, Reserve
from protocol.rules.calls import CallKind
from protocol.rules.view import HandView, hand_view
from protocol.table import effects, exchange
from protocol.table.commands import Commands
from protocol.table.effects import Command
from protocol.table.log import ALL
from protocol.table.view import Absence, CoreView, DealProgress, Question, Stage
from protocol.wire.entries import Kind


class Seeing(Commands):
    """The view."""

    def view(self, now: float) -> CoreView:
        """What our seat may see."""
        now = max(now + self._lag, self._now)
        match, hand = self.match, self.match.hand
        score, mine = match.score, None if hand is None else self._deals.get(hand.deal.number)
        seen = None
        if hand is not None and hand.state is not None and mine is not None:
            seen = hand_view(mine.heard(hand), hand.position(self.me))
        closing = match.closing
        owed = tuple(sorted(match.due))
        return CoreView(
            me=self.me,
            match=self.setup.match_id,
            stage=self._stage,
            hand_number=closing.number if closing else match.number,
            hands=match.stakes.hands,
            forehand=hand.forehand if hand is not None else None if score is None else score.forehand,
            deal=self._deal_progress(),
            hand=seen,
            question=self._ask_player(seen, now),
            calls=() if seen is None or self._stopped else _calls(seen),
            pending=() if hand is None else tuple((c.entry.seat, c.act.kind) for c in hand.pending.values()),
            waiting=owed,
            points=(0, 0, 0, 0) if score is None else score.points,
            money=(0, 0, 0, 0) if score is None else score.paid.money,
            kitty=0 if score is None else score.paid.kitty,
            finished=tuple(match.closed),
            signed=_by_seat(match.settlement_signatures if match.document is not None else {}),
            settlement=self._file,
            void_votes=_by_seat(match.voids.get(match.main.head, {})),
            told=_by_seat([seat for seat in ALL if seat not in self._untold]),
            absence=self._absence(owed, now),
            reserve=tuple(self._clocks.reserve_left(seat, now) for seat in ALL),  # type: ignore[arg-type]
            decision=tuple(self._clocks.decision_left(seat, now) for seat in ALL),  # type: ignore[arg-type]
            pause_votes=self._votes.by_seat,
            paused=self._votes.paused,
            stopped=self._stopped,
            busy=self._command is not None,
        )

    @property
    def _stage(self) -> Stage:
        if self._stopped:
            return Stage.STOPPED
        if self._resuming:
            return Stage.RESUMING
        if self.match.document is not None:
            return Stage.SETTLED if self.match.settled else Stage.SETTLING
        hand = self.match.hand
        return Stage.DEALING if hand is None or hand.state is None else Stage.HAND

    def _deal_progress(self) -> DealProgress:
        hand = self.match.hand
        deal = hand.deal if hand is not None else exchange.latest_deal(self.match)
        shares = hand.progress if hand is not None else _by_seat(())
        return DealProgress(
            deal.number,
            deal.progress(Kind.COMMIT),
            deal.progress(Kind.KEYS),
            deal.progress(Kind.KEYOK),
            deal.progress(Kind.SHUF),
            deal.progress(Kind.DECKOK),
            shares,
            bool(self._making),
        )

    def _ask_player(self, seen: HandView | None, now: float) -> Question | None:
        kind = self._asks
        if not kind:
            return None
        commands: tuple[Command, ...] = (effects.GoOn(),)
        if seen is not None:
            commands = tuple(_command(act) for act in seen.legal if not isinstance(act, Call))
        return Question(self._serial, kind, commands, self._outside(self._clocks.deadline(self.me), now))

    def _absence(self, owed: tuple[int, ...], now: float) -> Absence | None:
        waiting = tuple(seat for seat in owed if seat != self.me)
        if not waiting or self._stopped:
            return None
        gone = tuple(seat for seat in self._clocks.gone(now) if seat != self.me)
        since = min(self._clocks.since.get(seat, now) for seat in waiting)
        ends = [at for seat in waiting if (at := self._clocks.gone_at(seat)) is not None]
        hosted = {bot.host for bot in self.match.terms.bots}
        host_gone = any(self.setup.roster.players[seat].identity in hosted for seat in gone)
        ended = self._outside(min(ends, default=None), now)
        return Absence(waiting, gone, since - self._lag, ended, len(gone) > 1 or host_gone)

    def _outside(self, at: float | None, now: float) -> float | None:
        """A moment told by the clocks on the clock passed in; in a pause it comes no nearer."""
        return None if at is None else at + self._clocks.stood(now) - self._lag


def _calls(seen: HandView) -> tuple[CallKind, ...]:
    return tuple(dict.fromkeys(act.kind for act in seen.legal if isinstance(act, Call)))


def _command(act: Act) -> Command:
    match act:
        case Healthy():
            return effects.Bid(False)
        case Reserve():
            return effects.Bid(True)
        case Name(_, contract):
            return effects.NameGame(contract)
        case Play(_, card):
            return effects.PlayCard(card)
        case _:
            raise AssertionError(f"{act} is no answer to a question")


def _by_seat(seats: Any) -> tuple[bool, bool, bool, bool]:
    return (0 in seats, 1 in seats, 2 in seats, 3 in seats)
