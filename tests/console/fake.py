"""A node without a network: the real engine, three seats played by rule, and the views a session would show.

:class:`FakeNode` takes the same commands as a node and gives the same views.  Time is what the test says; every
:meth:`FakeNode.step` does one thing (a step of the deal, a bid, a card), so a test sees each state.
"""

import random
from collections.abc import Callable
from dataclasses import replace

from node.view import (
    Absence,
    AddFriend,
    Ask,
    Balance,
    Bid,
    BlockFriend,
    CallOffer,
    ChatLine,
    ChooseAbsence,
    ClockView,
    Command,
    DealView,
    Export,
    FillWithBots,
    FinishedHand,
    FriendView,
    GoOn,
    HistoryView,
    JoinTable,
    Leave,
    LedgerView,
    LinkState,
    LinkView,
    LobbyView,
    LookHistory,
    LookLedger,
    MakeCall,
    MakeInvite,
    MatchRow,
    MuteChat,
    NameGame,
    Notice,
    OpenNewTable,
    OpenTable,
    Pause,
    Payment,
    PlayCard,
    PlayerView,
    Question,
    Ready,
    Rematch,
    RemoveFriend,
    RenameFriend,
    Say,
    SeatingView,
    SeenTrick,
    SettlementView,
    Stage,
    Step,
    TableView,
    TermsView,
    Tone,
    View,
    VoidHand,
    WishDwell,
)
from protocol.cards import DECK
from protocol.refusal import Refusal
from protocol.rules.acts import Call, Healthy, Name, Play, Reserve
from protocol.rules.calling import call_options
from protocol.rules.hand import HandRules, HandState, Phase, apply, legal, start, void
from protocol.rules.score import result
from protocol.rules.view import hand_view

NAMES = ("Dora", "Anna", "Bruno", "Clara")
WORDS = "velvet-anchor-maple-orbit-tango-river"
DONE4 = (Step.DONE,) * 4
Policy = Callable[[HandState, int], object]


def cautious(state: HandState, player: int) -> object:
    """Healthy, the first legal card, no calls."""
    return legal(state, player)[0]


class FakeNode:
    """One node's views.  ``me`` sits on seat *me*; *policy* plays for the others."""

    def __init__(
        self,
        *,
        me: int = 0,
        seed: int = 1,
        terms: TermsView | None = None,
        policy: Policy = cautious,
        names: tuple[str, ...] = NAMES,
        deals: tuple[tuple[tuple[int, ...], ...], ...] = (),
    ) -> None:
        self.random = random.Random(seed)
        self.me = me
        self.policy = policy
        self.names = names
        self.deals = list(deals)
        self.terms = terms or TermsView()
        self.now = 0.0
        self.serial = 0
        self.commands: list[Command] = []
        self.notices: tuple[Notice, ...] = ()
        self.chat: tuple[ChatLine, ...] = ()
        self.state: HandState | None = None
        self.deal = DealView()
        self.hand_number = 1
        self.forehand = 1
        self.finished: tuple[FinishedHand, ...] = ()
        self.stage = Stage.DEALING
        self.table_extra: dict[str, object] = {}
        self.links = [LinkView(LinkState.DIRECT)] * 4
        self.links[me] = LinkView(LinkState.SELF)
        self.bots: list[str | None] = [None] * 4
        self.lobby = LobbyView(
            friends=tuple(
                FriendView(name, f"{n:02x}" * 32, WORDS, LinkView(LinkState.DIRECT if n % 2 else LinkState.LOST))
                for n, name in enumerate(names[1:], 1)
            ),
            addresses=("192.168.1.20:4848",),
        )
        self.in_match = False
        self.ledger: LedgerView | None = None
        self.history: HistoryView | None = None
        self.muted = False
        self.quit = False

    # --- views ------------------------------------------------------------------------------------------------

    def view(self) -> View:
        """What a session would show now."""
        person = PlayerView(self.names[self.me], "aa" * 32, WORDS)
        return View(
            person,
            self.lobby,
            self.table() if self.in_match else None,
            self.ledger,
            self.history,
            self.notices,
            "0.1.0",
        )

    def position(self, seat: int) -> int:
        return (seat - self.forehand) % 4

    def table(self) -> TableView:
        """The match."""
        players = tuple(
            PlayerView(name, f"{n:02x}" * 32, WORDS, self.links[n], self.bots[n]) for n, name in enumerate(self.names)
        )
        hand = None
        question = None
        offers: tuple[CallOffer, ...] = ()
        me = self.position(self.me)
        if self.state is not None and self.stage is Stage.HAND:
            hand = hand_view(self.state, me)
            if self.state.turn == me:
                kind = {Phase.BID: Ask.BID, Phase.NAME: Ask.NAME, Phase.PLAY: Ask.PLAY}[self.state.phase]
                question = Question(self.serial, kind, None)
            offers = tuple(
                CallOffer(option.kind, option.needs, self.state.cards_left(me), option.reply)
                for option in call_options(hand.state, me)
            )
        clocks = tuple(
            ClockView(
                float(self.terms.clock) if self.terms.clock else None,
                float(self.terms.reserve),
                self.state is not None and self.state.turn == self.position(seat),
            )
            for seat in range(4)
        )
        settlement = None
        points = tuple(sum(done.points[seat] for done in self.finished) for seat in range(4))
        money = tuple(sum(done.money[seat] for done in self.finished) for seat in range(4))
        if self.stage is Stage.SETTLED:
            settlement = SettlementView((True,) * 4, points, money, 0, "settlements/0123456789abcdef.doko")
        view = TableView(
            me=self.me,
            match="ab" * 16,
            terms=self.terms,
            players=players,
            stage=self.stage,
            hand_number=self.hand_number,
            forehand=self.forehand,
            deal=self.deal,
            hand=hand,
            question=question,
            offers=offers,
            clocks=clocks,
            points=points,
            money=money,
            finished=self.finished,
            settlement=settlement,
            chat=self.chat,
            chat_muted=self.muted,
            now=self.now,
        )
        return replace(view, **self.table_extra)  # type: ignore[arg-type]

    # --- the course of things -----------------------------------------------------------------------------------

    def begin(self) -> None:
        """Start the match."""
        self.in_match = True
        self.stage = Stage.DEALING
        self.deal = DealView(1, keys=DONE4, commits=DONE4)

    def play_on(self) -> None:
        """Steps until we are asked or the match is over."""
        for _n in range(400):
            if self.stage is Stage.SETTLED or self.table().question is not None:
                return
            self.step()

    def step(self) -> None:
        """One thing happens, if it need not be done by us."""
        if self.stage is Stage.DEALING:
            self._deal_step()
        elif self.state is not None and self.state.turn is not None and self.state.turn != self.position(self.me):
            player = self.state.turn
            self._apply(self.policy(self.state.seen_by(player), player))
        elif self.stage is Stage.SETTLING:
            self.stage = Stage.SETTLED

    def _deal_step(self) -> None:
        deal = self.deal
        for seat in range(4):
            if deal.shuffles[seat] is Step.WAITING:
                self.deal = replace(deal, shuffles=_put(deal.shuffles, seat, Step.WORKING), proving=seat == self.me)
                return
            if deal.shuffles[seat] is Step.WORKING:
                self.deal = replace(deal, shuffles=_put(deal.shuffles, seat, Step.DONE), proving=False)
                return
        if not deal.barrier:
            self.deal = replace(deal, checks=DONE4)
        elif not deal.done:
            self.deal = replace(deal, shares=DONE4)
        else:
            if self.deals:
                hands = self.deals.pop(0)
            else:
                deck = list(DECK)
                self.random.shuffle(deck)
                hands = tuple(tuple(deck[n::4]) for n in range(4))
            special = self.terms.special_points
            profile = "ddv" if self.terms.profile == "ddv" else "stargames"
            self.state = start(HandRules(profile, special), hands)
            self.stage = Stage.HAND
            self.serial += 1

    def _apply(self, act: object) -> None:
        assert self.state is not None
        self.state = apply(self.state, act)  # type: ignore[arg-type]
        self.serial += 1
        if self.state.phase is Phase.DONE:
            self._finish()

    def _finish(self) -> None:
        assert self.state is not None
        outcome = result(self.state)
        stake = self.terms.stake
        points = tuple(outcome.points[self.position(seat)] for seat in range(4))
        if self.terms.mode == "variable":
            money = tuple(stake * n for n in points)
        else:
            alone = 3 if len(outcome.re) == 1 else 1
            money = tuple(
                (stake if n > 0 else -stake if n < 0 else 0) * (alone if self.position(seat) in outcome.re else 1)
                for seat, n in enumerate(points)
            )
        hands = tuple(self.state.dealt(position) or () for position in range(4))
        done = FinishedHand(
            self.hand_number, self.deal.number, self.forehand, outcome, self.state, hands, points, money
        )
        self.finished = (*self.finished, done)
        self.state = None
        self.deal = DealView(self.deal.number + 1, keys=DONE4, commits=DONE4)
        if not outcome.void:
            self.hand_number += 1
            self.forehand = (self.forehand + 1) % 4
        if self.hand_number > self.terms.hands:
            self.hand_number = self.terms.hands
            self.stage = Stage.SETTLING
        else:
            self.stage = Stage.DEALING

    def tell(self, text: str, tone: Tone = Tone.INFO) -> None:
        """A notice."""
        serial = self.notices[-1].serial + 1 if self.notices else 1
        self.notices = (*self.notices[-5:], Notice(serial, text, tone))

    def says(self, seat: int, text: str) -> None:
        """Somebody chats."""
        self.chat = (*self.chat, ChatLine(len(self.chat) + 1, self.names[seat], text, seat))

    # --- commands -----------------------------------------------------------------------------------------------

    def do(self, command: Command) -> None:
        """What a node does with a command."""
        self.commands.append(command)
        me = self.position(self.me)
        try:
            match command:
                case Bid(reserve=reserve):
                    self._apply(Reserve(me) if reserve else Healthy(me))
                case NameGame(contract=contract):
                    self._apply(Name(me, contract))
                case PlayCard(card=card):
                    self._apply(Play(me, card))
                case MakeCall(kind=kind):
                    self._apply(Call(me, kind))
                case VoidHand():
                    assert self.state is not None
                    self.state = void(self.state)
                    self._finish()
                case Say(text=text):
                    self.says(self.me, text)
                case MuteChat(muted=muted):
                    self.muted = muted
                case Pause(on=on):
                    self.table_extra["paused"] = on
                case WishDwell(seconds=seconds):
                    self.table_extra["dwell"] = seconds
                case SeenTrick():
                    pass
                case ChooseAbsence(choice=choice):
                    self.tell(f"chosen: {choice}")
                    self.table_extra.clear()
                case _:
                    self._lobby(command)
        except Refusal as refusal:
            self.tell(str(refusal), Tone.ERROR)

    def _lobby(self, command: Command) -> None:
        seating = self.lobby.seating
        match command:
            case OpenNewTable(terms=terms, bots=bots):
                self.terms = terms
                seats: list[PlayerView | None] = [None] * 4
                seats[self.me] = PlayerView(self.names[self.me])
                self.lobby = replace(self.lobby, seating=SeatingView("t1", terms, tuple(seats), self.me, opener=True))
                if bots:
                    self._lobby(FillWithBots(bots[0], len(bots)))
            case FillWithBots(level=level, count=count) if seating is not None:
                players = list(seating.players)
                left = 4 if count is None else count
                for seat in range(4):
                    if players[seat] is None and left:
                        self.bots[seat] = level
                        players[seat] = PlayerView(self.names[seat], bot=level, ready=True, link=self.links[seat])
                        left -= 1
                full = None not in players
                self.lobby = replace(self.lobby, seating=replace(seating, players=tuple(players), confirm=full))
            case JoinTable():
                players = [PlayerView(name, ready=seat != self.me) for seat, name in enumerate(self.names)]
                view = SeatingView("t1", self.terms, tuple(players), self.me, confirm=True)
                self.lobby = replace(self.lobby, seating=view)
            case Ready():
                self.lobby = replace(self.lobby, seating=None)
                self.begin()
            case Leave():
                self.lobby = replace(self.lobby, seating=None)
                self.in_match = False
            case Rematch():
                self.finished, self.hand_number, self.stage = (), 1, Stage.DEALING
            case MakeInvite():
                self.lobby = replace(self.lobby, invite="doko:" + "Ab3_" * 27, invite_expires=1_800_000_000.0)
            case AddFriend(link=link):
                self.tell(f"friend by {link[:12]}", Tone.GOOD)
            case RenameFriend(key=key, name=name):
                self._friend(key, name=name)
            case BlockFriend(key=key, blocked=blocked):
                self._friend(key, blocked=blocked)
            case RemoveFriend(key=key):
                self.lobby = replace(self.lobby, friends=tuple(f for f in self.lobby.friends if f.key != key))
            case LookLedger():
                self.ledger = LedgerView(
                    (Balance("Anna", 230, "EUR", 4), Balance("Bruno", -120, "EUR", 1)),
                    (Payment("Anna", "Dora", 110, "EUR"),),
                    (Balance("club", 12, "EUR"),),
                )
            case LookHistory():
                row = MatchRow(
                    "ab" * 16, 1_760_000_000.0, "four-fixed", NAMES, 0, (3, -1, -1, -1), (30, -10, -10, -10),
                    "EUR", (1, 4, -2, 0),
                )  # fmt: skip
                self.history = HistoryView((row, replace(row, hand_points=(2, 2, -5, 1))), (25.0, 26.2, 25.9))
            case Export(what=what):
                self.tell(f"exported {what}", Tone.GOOD)
            case GoOn():
                pass
            case _:
                raise AssertionError(command)

    def _friend(self, key: str, **changes: object) -> None:
        friends = tuple(
            replace(friend, **changes) if friend.key == key else friend  # type: ignore[arg-type]
            for friend in self.lobby.friends
        )
        self.lobby = replace(self.lobby, friends=friends)


def announced() -> OpenTable:
    """A friend's open table."""
    opener = PlayerView("Anna", "01" * 32, WORDS, LinkView(LinkState.DIRECT))
    return OpenTable("t9", opener, TermsView(mode="variable", stake=5, limit=100, strength="strong"), (opener,), 3)


def absent(seat: int) -> dict[str, object]:
    """Fields of a table where *seat* is gone beyond the grace."""
    from node.view import AbsenceView

    return {
        "absence": AbsenceView((seat,), 0.0, (Absence.WAIT, Absence.ADJOURN, Absence.GHOST), (None,) * 4),
        "question": Question(999, Ask.ABSENCE),
    }


def _put(steps: tuple[Step, ...], seat: int, step: Step) -> tuple[Step, ...]:
    return (*steps[:seat], step, *steps[seat + 1 :])
