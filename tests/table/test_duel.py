"""The duel at the table: deals that are thrown away, computers' restrictions, marriages, void hands, the money."""

import dataclasses
from collections.abc import Callable, Sequence

import pytest

from protocol.cards import CLUB_QUEEN
from protocol.deal import duel
from protocol.deal.deck import Pair
from protocol.deal.group import ristretto
from protocol.deal.hashing import Place
from protocol.refusal import Code, Refusal
from protocol.rules import bidding
from protocol.rules.calls import CallKind
from protocol.rules.contracts import Contract
from protocol.rules.hand import Phase, result
from protocol.table import deal_phase, effects, hand_phase, own
from protocol.table.deal_phase import DealState
from protocol.table.effects import Command
from protocol.table.end_phase import ClosedHand
from protocol.table.entries import Entry, read_entry
from protocol.table.logfile import FileEntry
from protocol.table.settlement import read_body, read_document
from protocol.table.verify import Verdict, verify
from protocol.wire import entries as wire
from protocol.wire.entries import Chain, Kind
from tests.table.arranged import Hands, arrange, deal_out
from tests.table.hostile import Foe, convicted, entries_of, until
from tests.table.net import SEATS, Node, RandomPlayer, Wire, World

STAKE, FEE = 250, 250
WIN, LOSS = 238, -250  # R35's worked example
TERMS: dict[str, object] = {"mode": "duel", "stake": STAKE, "fee": FEE}
#: Rounds of a deal chain before TEST (COMMIT, KEYS, KEYOK, four SHUF, DECKOK), and TEST's number in its author's.
BARRIER, TEST_SEQ = 8, 5
#: One club queen with a person and one with a computer; nobody has both.
PLAIN = deal_out("CQ", "CQ", "", "")
#: Takes every trick: the highest trumps, no hearts, and both aces of the suits it has.
POWER = "HT HT SQ SQ HQ HQ DQ DQ CA CA SA SA"


class Player(RandomPlayer):
    """Bids as told, then plays the strongest card it may (or the weakest)."""

    def __init__(self, bid: Contract | None = None, *, strong: bool = False) -> None:
        super().__init__(0, reserve=0.0, call=0.0)
        self.bid = bid
        self.strong = strong

    def __call__(self, node: Node) -> Command | None:
        question = node.table.view(node.world.now).question
        if question is None:
            return None
        offers = question.commands
        if question.kind == "bid":
            wanted = effects.Bid(self.bid is not None)
            return wanted if wanted in offers else offers[0]
        if question.kind == "name":
            wished = effects.NameGame(self.bid or Contract.MARRIAGE)
            return wished if wished in offers else offers[0]
        plays = [offer.card for offer in offers if isinstance(offer, effects.PlayCard)]
        if not plays:
            return offers[0]
        seen = node.table.view(node.world.now).hand
        assert seen is not None
        powers = seen.state._powers[4]
        best = max(plays, key=lambda card: (powers[card], -card))
        return effects.PlayCard(best if self.strong else min(plays, key=lambda card: (powers[card], -card)))


def world_of(
    seed: int, players: Callable[[int], RandomPlayer | None] | None = None, **terms: object
) -> World:
    return World(seed, mode="duel", stake=STAKE, fee=FEE, bots=(1, 3), players=players, **terms)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """The shuffles' proofs are not what is tested: they are taken as they are."""
    monkeypatch.setattr(deal_phase, "judge_shuffle", lambda place, key, before, after, proof: after)


def settled(world: World) -> Verdict:
    """The match to its end: four equal files that hold."""
    world.run(until=world.now + 3_600)
    assert world.settled, world.describe()
    files = {node.settlement for node in world.nodes}
    assert len(files) == 1
    file = files.pop()
    assert file is not None
    verdict = verify(file)
    assert verdict.problem == ""
    assert verdict.unsigned == ()
    return verdict


def stored(node: Node, kind: Kind, seat: int) -> list[int]:
    """The deals in which *seat* has signed an entry of this kind, as *node* stores them."""
    return [row.deal for row in node.store.entries if row.kind == kind and row.seat == seat]


# --- the whole match ----------------------------------------------------------------------------------------------


def test_R33_R35_only_the_people_win_and_lose_money() -> None:
    world = world_of(4000)
    verdict = settled(world)
    assert [hand.number for hand in verdict.hands if not hand.result.void] == [1, 2, 3, 4]
    for hand in verdict.hands:
        assert hand.money[1] == hand.money[3] == 0
        if hand.result.void:
            assert hand.money == (0, 0, 0, 0)
        elif hand.result.winner is not None:
            assert sorted((hand.money[0], hand.money[2])) == [LOSS, WIN]
            assert hand.kitty == 12
        if not hand.result.void and len(hand.result.re) == 2:
            seats = {(hand.forehand + position) % 4 for position in hand.result.re}
            assert len(seats & {0, 2}) == 1  # R34: in a normal game the people are opponents
    assert verdict.money[1] == verdict.money[3] == 0
    assert sum(verdict.money) + verdict.kitty == 0
    assert sum(verdict.points) == 0


@pytest.mark.usefixtures("quick")
def test_R34_every_hand_that_is_opened_is_allowed() -> None:
    verdict = settled(world_of(4001))
    for hand in verdict.hands:
        if hand.hands:
            queens = [hand.hands[(seat - hand.forehand) % 4].count(CLUB_QUEEN) for seat in SEATS]
            assert max(queens) == 2 or queens[0] + queens[2] == 1


# --- deals that are thrown away -----------------------------------------------------------------------------------


def test_R34_forbidden_deals_are_thrown_away_and_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both people hold one queen, then both computers; the third deal has one with each kind."""
    arrange(monkeypatch, {0: deal_out("CQ", "", "CQ", ""), 1: deal_out("", "CQ", "", "CQ"), 2: PLAIN})
    world = world_of(4002)
    until(world, lambda: all(_dealt(node) for node in world.nodes))
    for node in world.nodes:
        match = node.table.match
        assert [match.deals[n].state for n in range(3)] == [DealState.AGAIN, DealState.AGAIN, DealState.READY]
        assert match.hand is not None
        assert match.hand.deal.number == 2
        again = [event for event in node.shown if isinstance(event, effects.DealAgain)]
        assert [event.deal for event in again] == [0, 1]
        assert {event.seat for event in again} == {None}  # nobody is to blame
        for seat in SEATS:
            assert stored(node, Kind.TEST, seat) == stored(node, Kind.TESTOPEN, seat) == [0, 1, 2]
        held = {name for name in node.store.secrets if name.startswith("deal/")}
        # of what was thrown away the keys are erased; deal 3 is made in the background
        assert {"2"} <= {name.split("/")[1] for name in held} <= {"2", "3"}
    verdict = settled(world)
    assert verdict.hands[0].deal == 2
    assert verdict.hands[0].number == 1


def _dealt(node: Node) -> bool:
    hand = node.table.match.hand
    return hand is not None and hand.state is not None


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("holder", SEATS)
def test_R34_both_queens_with_one_player_are_allowed(holder: int, monkeypatch: pytest.MonkeyPatch) -> None:
    hands = ["", "", "", ""]
    hands[holder] = "CQ CQ"
    arrange(monkeypatch, {0: deal_out(*hands)})
    world = world_of(4003)
    until(world, lambda: all(node.table.match.hand is not None for node in world.nodes))
    assert world.nodes[0].table.match.deals[0].state is DealState.READY


def test_76_three_tests_to_three_peers_throw_the_deal_away() -> None:
    """Three different F to three peers, then silence: nobody opens twice, no share is sent, its author is convicted."""
    world = world_of(4010)
    world.keep_sent = True
    world.hooks.append(_silence(2, {Kind.TEST, Kind.TESTOPEN}))  # what its honest core makes
    until(world, lambda: all(node.table.match.deals[0].log.length >= BARRIER for node in world.nodes))
    foe = Foe(world, 2)
    deal = foe.match.deals[0]
    mine = foe.table._deals[0]
    place = deal.place(2, deal.log.heads[BARRIER])
    made = []
    for _ in range(3):
        f, proofs = duel.make_test(place, mine.x, deal.deck, deal.humans, deal.computers, foe.table._rand)
        made.append(foe.deal(Kind.TEST, wire.Test(f=f, proofs=proofs), seq=TEST_SEQ, parent=deal.log.heads[BARRIER]))
    assert len({entry.hash for entry in made}) == 3
    for entry, target in zip(made, foe.others, strict=True):
        foe.show(entry, target)
    convicted(world, 2, Code.EQUIVOCATION)
    honest = [world.nodes[seat] for seat in foe.others]
    until(world, lambda: all(node.table.match.deals[0].state is DealState.DEAD for node in honest))
    for node in honest:
        for seat in SEATS:
            assert stored(node, Kind.TESTOPEN, seat).count(0) <= 1
        assert stored(node, Kind.SHARES, node.seat) == []
    opened = {}
    for message, entry in entries_of(world.sent):
        if entry.kind is Kind.TESTOPEN and entry.deal == 0 and message.source == entry.seat:
            opened.setdefault(entry.seat, set()).add(entry.hash)
    assert all(len(hashes) == 1 for hashes in opened.values())  # one opening a node, whatever happened


def _silence(seat: int, kinds: set[Kind]) -> Callable[[Wire], list[Wire] | None]:
    def hook(message: Wire) -> list[Wire] | None:
        for _, entry in entries_of([message]):
            if entry.seat == seat and entry.kind in kinds and entry.deal == 0 and message.source == seat:
                return []
        return None

    return hook


def _forged_test(what: str, foe: Foe) -> tuple[wire.Test, Code]:
    deal, mine = foe.match.deals[0], foe.table._deals[0]
    place = deal.place(foe.seat, deal.log.heads[BARRIER])
    rand = foe.table._rand
    f, proofs = duel.make_test(place, mine.x, deal.deck, deal.humans, deal.computers, rand)
    duel.check_test(place, deal.deck, deal.humans, deal.computers, f, proofs)  # this one would do
    match what:
        case "another deck":
            made = duel.make_test(place, mine.x, deal.decks[2], deal.humans, deal.computers, rand)
            return wire.Test(f=made[0], proofs=made[1]), Code.TEST
        case "other sums":
            made = duel.make_test(place, mine.x, deal.deck, (0, 1), (2, 3), rand)
            return wire.Test(f=made[0], proofs=made[1]), Code.TEST
        case "pairs exchanged":
            return wire.Test(f=(f[1], f[0]), proofs=(proofs[1], proofs[0])), Code.TEST
        case "another head":
            other = deal.place(foe.seat, deal.log.heads[BARRIER - 1])
            made = duel.make_test(other, mine.x, deal.deck, deal.humans, deal.computers, rand)
            return wire.Test(f=made[0], proofs=made[1]), Code.TEST
        case "another deal":
            other = dataclasses.replace(place, hand=1)
            made = duel.make_test(other, mine.x, deal.deck, deal.humans, deal.computers, rand)
            return wire.Test(f=made[0], proofs=made[1]), Code.TEST
        case "one component":
            return wire.Test(f=(f[0][:32] + f[1][32:], f[1]), proofs=proofs), Code.TEST
        case "identity":
            return wire.Test(f=(bytes(64), f[1]), proofs=proofs), Code.POINT
        case _:
            return wire.Test(f=(f[0][:32] + bytes(32), f[1]), proofs=proofs), Code.POINT


@pytest.mark.parametrize(
    "what",
    [
        "another deck",
        "other sums",
        "pairs exchanged",
        "another head",
        "another deal",
        "one component",
        "identity",
        "half",
    ],
)
def test_77_test_of_something_else(what: str) -> None:
    world = world_of(4011)
    world.hooks.append(_silence(1, {Kind.TEST, Kind.TESTOPEN}))
    until(world, lambda: all(node.table.match.deals[0].log.length >= BARRIER for node in world.nodes))
    foe = Foe(world, 1)
    fields, code = _forged_test(what, foe)
    foe.show(foe.deal(Kind.TEST, fields, seq=TEST_SEQ, parent=foe.match.deals[0].log.heads[BARRIER]))
    convicted(world, 1, code)
    until(world, lambda: all(1 in world.nodes[seat].table.match.deals for seat in foe.others))


# --- computers' restrictions --------------------------------------------------------------------------------------


def bidding_of(
    monkeypatch: pytest.MonkeyPatch, seed: int, hands: Hands, seat: int, **terms: object
) -> tuple[World, Foe]:
    """Everybody waits for the bid of the computer on *seat*, which is hostile."""
    arrange(monkeypatch, {0: hands})
    world = world_of(seed, lambda each: None if each == seat else Player(), **terms)
    until(world, lambda: _turn(world, seat, Phase.BID))
    return world, Foe(world, seat)


def _turn(world: World, seat: int, phase: Phase) -> bool:
    for node in world.nodes:
        hand = node.table.match.hand
        if hand is None or hand.state is None or hand.state.phase is not phase or hand.state.turn is None:
            return False
        if hand.seat(hand.state.turn) != seat:
            return False
    return True


BOTH = deal_out("", "CQ CQ", "", "")


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("what", "code"),
    [
        ("nothing", Code.VOID_MISSING),
        ("of an innocent marker", Code.VOID),
        ("of the other computer", Code.VOID),
        ("random", Code.VOID),
        ("identity", Code.POINT),
    ],
)
def test_78_computer_with_both_queens_says_healthy(what: str, code: Code, monkeypatch: pytest.MonkeyPatch) -> None:
    world, foe = bidding_of(monkeypatch, 4020, BOTH, 1)
    hand, mine = foe.hand, foe.mine
    assert mine.hand.count(CLUB_QUEEN) == 2
    place, public = hand.place(1, hand.log.head), mine.keys.public
    proof: bytes | None = None
    if what == "of an innocent marker":
        # an encryption of nothing under its own key: true, but of another pair than the others look at
        alpha = hand.markers[1][0]
        nothing = (alpha, ristretto().mul(mine.x, alpha))
        proof = duel.make_healthy(place, mine.x, public, nothing, foe.table._rand)
    elif what == "of the other computer":
        other = world.nodes[3].table._deals[0]
        there = hand.place(3, hand.log.head)
        proof = duel.make_healthy(there, other.x, other.keys.public, hand.markers[3], foe.table._rand)
    elif what in ("random", "identity"):
        alpha = hand.markers[1][0]
        proof = bytes(31) + b"\x01" + (alpha if what == "random" else bytes(32)) + bytes(64)
    foe.show(foe.main(Kind.BID, wire.Bid(reserve=False, neq=proof)))
    convicted(world, 1, code)


@pytest.mark.usefixtures("quick")
def test_78_the_honest_program_refuses_to_prove_it(monkeypatch: pytest.MonkeyPatch) -> None:
    world, foe = bidding_of(monkeypatch, 4021, BOTH, 1)
    question = foe.table.view(world.now).question
    assert question is not None
    assert question.commands == (effects.Bid(True),)
    refusal = world.act(1, effects.Bid(False))
    assert refusal is not None
    assert refusal.rule == "R34"
    with pytest.raises(Refusal, match="VOID"):
        own.make_bid(foe.mine, foe.hand, False, foe.table._rand)


@pytest.mark.usefixtures("quick")
def test_78_a_proof_where_none_is_due(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reservation shows nothing, and people show nothing at all."""
    world, foe = bidding_of(monkeypatch, 4022, PLAIN, 1)
    place = foe.hand.place(1, foe.hand.log.head)
    proof = duel.make_healthy(place, foe.mine.x, foe.mine.keys.public, foe.hand.markers[1], foe.table._rand)
    foe.show(foe.main(Kind.BID, wire.Bid(reserve=True, neq=proof)))
    convicted(world, 1, Code.FORMAT)


@pytest.mark.usefixtures("quick")
def test_R34_a_computers_solo_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    arrange(monkeypatch, {0: BOTH})
    world = world_of(4023, lambda each: Player(Contract.MARRIAGE if each == 1 else None))
    world.hooks.append(_silence_main(1, {Kind.NAME}))
    until(world, lambda: _turn(world, 1, Phase.NAME))
    world.nodes[1].player = None
    foe = Foe(world, 1)
    foe.show(foe.main(Kind.NAME, wire.Name(game=Contract.SOLO_ACES.value)))
    convicted(world, 1, Code.RULE)


def _silence_main(seat: int, kinds: set[Kind]) -> Callable[[Wire], list[Wire] | None]:
    def hook(message: Wire) -> list[Wire] | None:
        for _, entry in entries_of([message]):
            if entry.seat == seat and entry.kind in kinds:
                return []
        return None

    return hook


@pytest.mark.usefixtures("quick")
def test_R34_a_computers_call_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a good proof of its side."""
    arrange(monkeypatch, {0: PLAIN})
    world = world_of(4024, lambda each: Player())
    until(world, lambda: all(_playing(node) for node in world.nodes))
    foe = Foe(world, 1)
    assert foe.table.view(world.now).calls == ()
    refusal = world.act(1, effects.MakeCall(CallKind.RE))
    assert refusal is not None
    assert refusal.rule == "R34"
    seq = foe.table._next_seq(Chain.MAIN, 0)
    fields = own.make_call(foe.mine, foe.hand, CallKind.RE, seq, foe.table._rand)
    assert fields.open is not None
    foe.show(foe.main(Kind.CALL, fields, seq=seq))
    convicted(world, 1, Code.RULE)


def _playing(node: Node) -> bool:
    hand = node.table.match.hand
    return hand is not None and hand.state is not None and hand.state.phase is Phase.PLAY


#: The computer on seat 1 says reservation without both queens; a person's solo hides it until the hand is over.
LIE = deal_out("CQ", "CQ", POWER, "")


def lying(monkeypatch: pytest.MonkeyPatch, seed: int, **terms: object) -> World:
    """A match in whose first hand the computer on seat 1 reserves without a marriage."""
    arrange(monkeypatch, {0: LIE})
    monkeypatch.setattr(bidding, "both_queens", lambda state, player: None)  # its program does not mind

    class Liar(Player):
        def __call__(self, node: Node) -> Command | None:
            hand = node.table.match.hand
            question = node.table.view(node.world.now).question
            if question is None or hand is None or hand.deal.number > 0 or question.kind == "play":
                return super().__call__(node)
            table = node.table
            table._begin(node.world.now)
            if question.kind == "bid":
                table._sign_main(0, Kind.BID, wire.Bid(reserve=True, neq=None))
            else:
                table._sign_main(0, Kind.NAME, wire.Name(game=Contract.MARRIAGE.value))
            made = table._finish()
            node.world._do(node, lambda: made)
            return None

    def player(seat: int) -> RandomPlayer:
        if seat == 1:
            return Liar()
        return Soloist() if seat == 2 else Player()

    return world_of(seed, player, **terms)


def after(world: World, hands: int) -> list[ClosedHand]:
    """The hands that are closed, equal on all nodes, once there are so many."""
    until(world, lambda: all(len(node.table.match.closed) >= hands for node in world.nodes), 900.0)
    closed = [node.table.match.closed[:hands] for node in world.nodes]
    told = [[(c.deal, c.result, c.money, c.points, c.kitty, c.breaches) for c in each] for each in closed]
    assert told[0] == told[1] == told[2] == told[3]
    return list(closed[0])


class Soloist(Player):
    """Plays a solo in the first hand."""

    def __init__(self) -> None:
        super().__init__(Contract.SOLO_QUEENS, strong=True)

    def __call__(self, node: Node) -> Command | None:
        hand = node.table.match.hand
        if hand is not None and hand.deal.number > 0:
            self.bid = None
        return super().__call__(node)


@pytest.mark.usefixtures("quick")
def test_R30_a_computers_false_reservation_is_paid_by_the_host_who_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    world = lying(monkeypatch, 4030, hosts=((1, 0), (3, 2)))
    first = after(world, 1)[0]
    assert first.result.contract is Contract.SOLO_QUEENS
    assert first.breaches == (0,)
    # the solo moves one stake (R33: not tripled), the breach costs its host 3V, a third of it to the other person
    assert first.money[0] == LOSS - 3 * STAKE
    assert first.money[2] == WIN + STAKE
    assert first.money[1] == first.money[3] == 0
    assert first.kitty == 12 + 2 * STAKE


@pytest.mark.usefixtures("quick")
def test_R30_without_a_host_at_the_table_the_hand_is_void(monkeypatch: pytest.MonkeyPatch) -> None:
    verdict = settled(lying(monkeypatch, 4030))
    first, second = verdict.hands[:2]
    assert first.result.void
    assert first.breaches == ()
    assert first.money == (0, 0, 0, 0)
    assert (second.number, second.forehand) == (first.number, first.forehand)


# --- marriages and void hands -------------------------------------------------------------------------------------


def married(monkeypatch: pytest.MonkeyPatch, seed: int, hands: Hands, strong: int, groom: int) -> World:
    """A match whose first deal has these hands; the holder of both queens marries, *strong* takes what it can."""
    arrange(monkeypatch, {0: hands})

    def player(seat: int) -> RandomPlayer:
        return Player(Contract.MARRIAGE if seat == groom else None, strong=seat == strong)

    return world_of(seed, player)


def hands_with(groom: int, strong: int) -> Hands:
    """Both queens with one seat, and with another (or the same) what takes every trick."""
    texts = ["", "", "", ""]
    if groom == strong:
        texts[groom] = "CQ CQ HT HT SQ SQ HQ HQ CA CA SA SA"
    else:
        texts[groom], texts[strong] = "CQ CQ", POWER
    return deal_out(*texts)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(("groom", "strong"), [(0, 1), (2, 3), (1, 0), (3, 2)])
def test_R34_a_person_and_a_computer_find_each_other(groom: int, strong: int, monkeypatch: pytest.MonkeyPatch) -> None:
    first = after(married(monkeypatch, 4040, hands_with(groom, strong), strong, groom), 1)[0]
    assert first.result.contract is Contract.MARRIAGE
    assert not first.result.void
    assert {(first.forehand + position) % 4 for position in first.result.re} == {groom, strong}
    person = groom if groom in (0, 2) else strong
    assert first.money[person] == WIN
    assert first.money[2 - person] == LOSS


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(("groom", "strong"), [(0, 2), (1, 3), (1, 1)])
def test_R34_R29_nobody_found_and_the_hand_is_void(groom: int, strong: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other person (R34: not a computer) took a trick; no person took one; the computer took all itself."""
    world = married(monkeypatch, 4041, hands_with(groom, strong), strong, groom)
    first = after(world, 1)[0]
    assert first.result.void
    assert len(first.state.tricks) == 3
    assert first.money == (0, 0, 0, 0)
    assert first.points == (0, 0, 0, 0)
    assert first.hands == ()
    until(world, lambda: _dealt(world.nodes[0]))
    view = world.nodes[0].table.view(world.now)
    assert (view.hand_number, view.forehand) == (1, first.forehand)  # dealt again


@pytest.mark.usefixtures("quick")
def test_R34_R33_a_person_who_takes_all_three_plays_alone_and_is_not_paid_three_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = after(married(monkeypatch, 4042, hands_with(2, 2), 2, 2), 1)[0]
    assert first.result.contract is Contract.MARRIAGE
    assert [(first.forehand + position) % 4 for position in first.result.re] == [2]
    assert result(first.state).winner is not None
    assert (first.money[2], first.money[0]) == (WIN, LOSS)
    assert sum(first.points) == 0
    assert abs(first.points[2]) == 3 * abs(first.points[0])  # points are tripled, money is not


@pytest.mark.usefixtures("quick")
def test_R34_the_file_shows_void_hands_and_the_computers_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    arrange(monkeypatch, {0: hands_with(1, 3)})
    world = world_of(4043, lambda seat: Player(Contract.MARRIAGE if seat == 1 else None, strong=seat == 3))
    verdict = settled(world)
    assert [hand.number for hand in verdict.hands if not hand.result.void] == [1, 2, 3, 4]
    file = world.nodes[0].settlement
    assert file is not None
    body = read_body(file)
    document = read_document(body.document)
    assert document.hands[0].result.void
    assert not document.hands[0].agreed
    seeds: dict[int, list[bytes]] = {}
    for each in body.log.main:
        for entry in _entries(each):
            if entry.kind is Kind.RESULT:
                seed = entry.fields(wire.Result).seed
                assert (seed is not None) == (entry.seat in (1, 3))
                if seed is not None:
                    seeds.setdefault(entry.seat, []).append(seed)
    assert {seat: len(set(each)) for seat, each in seeds.items()} == {1: len(document.hands), 3: len(document.hands)}


def _entries(each: Sequence[FileEntry | bytes]) -> list[Entry]:
    return [read_entry(item.payload, item.signature) for item in each if not isinstance(item, bytes)]


@pytest.mark.usefixtures("quick")
def test_verify_looks_at_the_computers_proofs_again(monkeypatch: pytest.MonkeyPatch) -> None:
    world = world_of(4044, lambda seat: Player())
    verdict = settled(world)
    bids = 2 * len(verdict.hands)
    married = sum(hand.state.bids.count(True) for hand in verdict.hands)
    file = world.nodes[0].settlement
    assert file is not None
    checked: list[int] = []
    real = hand_phase.check_healthy

    def count(place: Place, public: bytes, marker: Pair, proof: object) -> None:
        checked.append(place.seat)
        real(place, public, marker, proof)

    monkeypatch.setattr(hand_phase, "check_healthy", count)
    assert verify(file).problem == ""
    assert len(checked) == bids - married
    assert set(checked) == {1, 3}
