"""From what the table core and the gathering say to what a console shows: pure functions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from node.view import (
    Absence,
    AbsenceView,
    Ask,
    CallOffer,
    ChatLine,
    ClockView,
    DealView,
    FinishedHand,
    LinkState,
    LinkView,
    PlayerView,
    Question,
    SettlementView,
    Stage,
    Step,
    TableView,
    TermsView,
)
from protocol.rules.calling import call_options
from protocol.rules.state import Phase
from protocol.table.end_phase import ClosedHand
from protocol.table.roster import Setup
from protocol.table.terms import Terms
from protocol.table.view import CoreView, DealProgress
from protocol.table.view import Stage as CoreStage

#: Serial numbers of questions that the core does not ask begin here.
OWN_QUESTIONS = 1_000_000
_STAGES = {
    CoreStage.RESUMING: Stage.RESUMING,
    CoreStage.DEALING: Stage.DEALING,
    CoreStage.HAND: Stage.HAND,
    CoreStage.SETTLING: Stage.SETTLING,
    CoreStage.SETTLED: Stage.SETTLED,
    CoreStage.STOPPED: Stage.STOPPED,
}


def terms_view(terms: Terms, digest: bytes = b"") -> TermsView:
    """Terms as people see them; *digest*: their hash once they are fixed."""
    return TermsView(
        mode=terms.mode,
        stake=terms.stake,
        limit=terms.limit,
        fee=terms.fee,
        kitty=terms.kitty,
        currency=terms.currency,
        profile=terms.profile,
        special_points=terms.special_points,
        seats=terms.access,
        strength=terms.strength or "",
        clock=terms.clock.decision,
        reserve=terms.clock.reserve,
        grace=terms.absence.grace,
        one_gone=Absence(terms.absence.one_gone),
        expires_days=terms.absence.expires,
        hash=digest.hex()[:16],
    )


def deal_view(deal: DealProgress) -> DealView:
    """The deal's steps; the seat whose shuffle is awaited is working."""

    def steps(done: Sequence[bool], working: Sequence[bool] = (False,) * 4) -> tuple[Step, ...]:
        return tuple(
            Step.DONE if is_done else Step.WORKING if at_it else Step.WAITING
            for is_done, at_it in zip(done, working, strict=True)
        )

    keyed = all(deal.keyok)
    next_shuffle = deal.shuffle.index(False) if keyed and not all(deal.shuffle) else -1
    return DealView(
        deal.deal,
        steps(deal.commit),
        steps(deal.keyok),
        steps(deal.shuffle, [seat == next_shuffle for seat in range(4)]),
        steps(deal.barrier, [all(deal.shuffle)] * 4),
        steps(deal.shares, [all(deal.barrier)] * 4),
        deal.proving,
    )


def finished_hand(hand: ClosedHand) -> FinishedHand:
    """A closed hand."""
    return FinishedHand(
        hand.number,
        hand.deal,
        hand.forehand,
        hand.result,
        hand.state,
        hand.hands,
        hand.points,
        hand.money,
        hand.kitty,
        hand.breach,
    )


@dataclass(slots=True)
class Around:
    """What the shell knows beside the core: links, chat, votes that are no entries, the person's own wishes."""

    setup: Setup
    names: Mapping[bytes, str]
    words: Callable[[bytes], str]
    link: Callable[[bytes], LinkView]
    chat: list[ChatLine] = field(default_factory=list)
    muted: bool = False
    rematch: tuple[bool, ...] = (False,) * 4
    dwell: float = 2.0
    path: str = ""
    stop: str = ""
    evidence: str = ""
    waited: tuple[int, ...] = ()  # the absence for which the person has chosen to wait
    practice: bool = False
    absences: int = 0  # how many absences there have been, for the serial of the question
    finished: dict[int, FinishedHand] = field(default_factory=dict)


def table_view(core: CoreView, around: Around, now: float) -> TableView:
    """One match for the console; *now* is the clock the core is told."""
    setup = around.setup
    terms = setup.terms
    players = []
    for seat, player in enumerate(setup.roster.players):
        bot = terms.bot_at(seat)
        host = None
        if bot is not None and bot.host != player.identity:
            hosts = [player.nickname for player in setup.roster.players if player.identity == bot.host]
            host = around.names.get(bot.host) or (hosts[0] if hosts else bot.host.hex()[:8])
        players.append(
            PlayerView(
                name=around.names.get(player.identity) or player.nickname,
                key=player.identity.hex(),
                words=around.words(player.identity),
                link=LinkView(LinkState.SELF) if seat == core.me else around.link(player.identity),
                bot=bot.policy if bot is not None else None,
                host=host,
                ready=True,
            )
        )
    forehand = core.forehand if core.forehand is not None else 0
    me = (core.me - forehand) % 4
    offers: tuple[CallOffer, ...] = ()
    if core.hand is not None and core.calls:
        cards = core.hand.state.cards_left(me)
        offers = tuple(
            CallOffer(option.kind, option.needs, cards, option.reply)
            for option in call_options(core.hand.state, me)
            if option.kind in core.calls
        )
    absence = _absence(core, around, now)
    question = None
    if core.question is not None:
        left = None if core.question.deadline is None else core.question.deadline - now
        question = Question(core.question.serial, Ask(core.question.kind), left)
    elif absence is not None and absence.choices:
        question = Question(OWN_QUESTIONS + around.absences, Ask.ABSENCE)
    settlement = None
    if core.settlement is not None or core.stage is CoreStage.SETTLED:
        settlement = SettlementView(core.signed, core.points, core.money, core.kitty, around.path)
    for hand in core.finished:
        if hand.deal not in around.finished:
            around.finished[hand.deal] = finished_hand(hand)
    stage = _STAGES[core.stage]
    if absence is not None and not absence.choices and core.absence is not None and core.absence.adjourned:
        stage = Stage.ADJOURNED
    if around.stop:
        stage = Stage.STOPPED
    chat = tuple(around.chat)
    return TableView(
        me=core.me,
        match=core.match.hex(),
        terms=terms_view(terms, setup.terms_hash),
        players=tuple(players),
        stage=stage,
        hand_number=core.hand_number,
        forehand=forehand,
        deal=deal_view(core.deal),
        hand=core.hand,
        question=question,
        offers=offers,
        pending_calls=core.pending,
        clocks=_clocks(core, around),
        points=core.points,
        money=core.money,
        kitty=core.kitty,
        finished=tuple(around.finished[hand.deal] for hand in core.finished),
        settlement=settlement,
        absence=absence,
        told=core.told,
        void_votes=core.void_votes,
        pause_votes=core.pause_votes,
        paused=core.paused,
        dwell=around.dwell,
        chat=chat,
        chat_muted=around.muted,
        waiting=core.waiting,
        busy=core.busy,
        practice=around.practice,
        rematch=around.rematch,
        stop=around.stop or core.stopped,
        evidence=around.evidence,
        now=now,
    )


def _absence(core: CoreView, around: Around, now: float) -> AbsenceView | None:
    absence = core.absence
    if absence is None or not absence.gone or core.paused:
        return None
    choices = () if absence.gone == around.waited or core.me in absence.gone else (Absence.WAIT, Absence.ADJOURN)
    votes = tuple(Absence.WAIT if seat == core.me and absence.gone == around.waited else None for seat in range(4))
    left = 0.0 if absence.grace_ends is None else max(absence.grace_ends - now, 0.0)
    return AbsenceView(absence.gone, left, choices, votes)


def _clocks(core: CoreView, around: Around) -> tuple[ClockView, ...]:
    """Our own and the others', each since when *we* wait for it."""
    terms = around.setup.terms
    state = core.hand.state if core.hand is not None else None
    if state is None or state.phase is Phase.DONE or state.turn is None or core.forehand is None:
        return (ClockView(),) * 4
    turn = (core.forehand + state.turn) % 4
    clocks = []
    for seat in range(4):
        left, reserve = core.decision[seat], core.reserve[seat]
        clocks.append(
            ClockView(
                float(terms.clock.decision) if left is None else left,
                float(terms.clock.reserve) if reserve is None else reserve,
                seat == turn,
            )
        )
    return tuple(clocks)


def without_hand(view: TableView) -> TableView:
    """The view of a match that was left: nothing is asked any more."""
    return replace(view, question=None, offers=(), hand=None)
