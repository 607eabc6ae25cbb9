"""Pairs that one seat may not sign: VOID and a turn, KEEP and a decision against a seat, on one head."""

import pytest

from protocol.refusal import Code, Refusal
from protocol.table import effects
from protocol.table.deal_phase import DealState
from protocol.table.entries import Entry
from protocol.table.equivocation import Equivocation, contradict
from protocol.table.evidence import write
from protocol.table.exchange import last_of
from protocol.table.match import Fault
from protocol.table.verify import verify
from protocol.table.view import Stage
from protocol.wire import entries as wire
from protocol.wire.entries import Chain, Kind
from tests.table.hostile import Foe, convicted, entries_of, until
from tests.table.net import SEATS, Wire, World
from tests.table.test_decisions import finish

FOE = 2


def at_turn(world: World, kind: Kind, seat: int = FOE) -> Foe:
    """All nodes wait for this kind of entry of the seat, which does not come: its player is gone."""
    logs = [node.table.match.main for node in world.nodes]
    until(world, lambda: all((log.kinds, log.authors) == ({kind}, (seat,)) for log in logs))
    world.nodes[seat].player = None
    return Foe(world, seat)


def first_card(foe: Foe) -> Entry:
    question = foe.table.view(foe.world.now).question
    assert question is not None
    card = next(command.card for command in question.commands if isinstance(command, effects.PlayCard))
    return foe.main(Kind.PLAY, foe.card(card))


def vote(foe: Foe) -> Entry:
    return foe.signer.make(Chain.MAIN, foe.hand.deal.number, None, foe.match.main.head, Kind.VOID, wire.Void())


def all_but_foe_agree(world: World) -> None:
    for seat in SEATS:
        if seat != FOE:
            assert world.act(seat, effects.VoidHand()) is None
    matches = [node.table.match for node in world.nodes if node.seat != FOE]
    until(world, lambda: all(len(match.voids.get(match.main.head, {})) == 3 for match in matches))


@pytest.mark.parametrize(("sees_card", "sees_void"), [((0,), (1, 3)), ((0, 1), (3,)), ((0, 1, 3), (0,))])
def test_void_to_some_and_the_card_to_others_convicts(sees_card: tuple[int, ...], sees_void: tuple[int, ...]) -> None:
    """One node goes on with the card, another one closes the hand: the pair is found, and its author is guilty."""
    world = World(5100, mode="variable", stake=10)
    foe = at_turn(world, Kind.PLAY)
    all_but_foe_agree(world)
    card, agreed = first_card(foe), vote(foe)
    foe.show(card, *sees_card)
    foe.show(agreed, *sees_void)
    convicted(world, FOE, Code.EQUIVOCATION)


@pytest.mark.parametrize("first", ["card", "void"])
def test_a_bid_and_a_void_on_one_head_convict_in_either_order(first: str) -> None:
    world = World(5101, mode="variable", stake=10)
    foe = at_turn(world, Kind.BID)
    pair = [foe.main(Kind.BID, wire.Bid(reserve=False, neq=None)), vote(foe)]
    for entry in pair if first == "card" else reversed(pair):
        foe.show(entry)
    convicted(world, FOE, Code.EQUIVOCATION)


def test_a_void_among_receipts_counts_for_nothing() -> None:
    """There an honest seat may have signed its receipt and VOID: two heads could follow, and nobody would be guilty."""
    world = World(5102, mode="variable", stake=10)
    hold = True

    def swallow(message: Wire) -> list[Wire] | None:
        held = any(entry.kind is Kind.TRICK and entry.seat == FOE for _, entry in entries_of([message]))
        return [] if held and hold else None

    world.hooks.append(swallow)
    honest = [node.table.match for node in world.nodes if node.seat != FOE]
    until(world, lambda: all(match.main.missing == (FOE,) and match.main.kinds == {Kind.TRICK} for match in honest))
    for seat in SEATS:
        assert world.act(seat, effects.VoidHand()) is None
    foe = Foe(world, FOE)
    agreed = foe.signer.make(Chain.MAIN, 0, None, honest[0].main.head, Kind.VOID, wire.Void())
    foe.show(agreed)
    assert not any(match.voids for match in honest)
    assert not any(agreed.hash in match.known for match in honest)
    hold = False
    finish(world)
    assert world.nodes[0].table.match.closed[0].agreed, "on the next head it counts"


def test_who_has_agreed_plays_no_card_on_that_head() -> None:
    """A store that was rolled back and given our VOID again, before the others' come: no card may follow it."""
    world = World(5103, mode="variable", stake=10)
    foe = at_turn(world, Kind.PLAY)
    question = foe.table.view(world.now).question
    assert question is not None
    assert foe.table.match.offer(vote(foe))
    with pytest.raises(Refusal, match="agreed"):
        foe.table.act(question.commands[0], world.now)


# --- KEEP and RESTART ------------------------------------------------------------------------------------------------


def in_shuffles(world: World) -> bytes:
    """All are past KEYOK of the first deal; the head on which it was made."""
    until(world, lambda: all(node.table.match.deals[0].log.length >= 3 for node in world.nodes))
    return world.nodes[0].table.match.deals[0].log.heads[2]


@pytest.mark.parametrize("first", ["keep", "restart"])
def test_79_keep_and_restart_on_one_head_are_a_breach(first: str) -> None:
    world = World(5110, mode="variable", stake=10)
    head = in_shuffles(world)
    foe = Foe(world, FOE)
    pair = [
        foe.signer.make(Chain.DEAL, 0, None, head, Kind.KEEP, wire.Keep()),
        foe.signer.make(Chain.DEAL, 0, None, head, Kind.RESTART, wire.Restart(seat=1)),
    ]
    for entry in pair if first == "keep" else reversed(pair):
        foe.show(entry)
    convicted(world, FOE, Code.EQUIVOCATION)
    until(world, lambda: all(node.table.match.deals[0].state is DealState.DEAD for node in world.nodes))
    finish(world)
    assert {e.fields(wire.Restart).seat for e in world.nodes[0].table.match.restarted_by(0)} == {FOE}


def test_keep_to_one_and_restart_to_another_are_found_when_these_two_compare() -> None:
    world = World(5111, mode="variable", stake=10)
    head = in_shuffles(world)
    foe = Foe(world, FOE)
    foe.show(foe.signer.make(Chain.DEAL, 0, None, head, Kind.KEEP, wire.Keep()), 0)
    foe.show(foe.signer.make(Chain.DEAL, 0, None, head, Kind.RESTART, wire.Restart(seat=1)), 3)
    world.cut(0, 3, heal_after=0.5)
    convicted(world, FOE, Code.EQUIVOCATION)


def test_a_restart_counts_although_it_convicts_its_author() -> None:
    """Else those who saw it before the KEEP would be in the next deal, and those who saw the KEEP first in this one."""
    world = World(5112, mode="variable", stake=10)
    head = in_shuffles(world)
    foe = Foe(world, FOE)
    match = world.nodes[0].table.match
    match.offer(foe.signer.make(Chain.DEAL, 0, None, head, Kind.KEEP, wire.Keep()))
    for seat in (0, 3, FOE):
        match.offer(Foe(world, seat).signer.make(Chain.DEAL, 0, None, head, Kind.RESTART, wire.Restart(seat=1)))
    assert match.deals[0].state is DealState.DEAD
    assert [fault.seat for fault in match.faults] == [FOE]


def silent_at(world: World, kind: Kind, silent: set[int], deaf: set[int]) -> None:
    """Entries of this kind of the *silent* do not reach the *deaf*, as long as they are in these sets."""

    def swallow(message: Wire) -> list[Wire] | None:
        if message.target in deaf and any(e.kind is kind and e.seat in silent for _, e in entries_of([message])):
            return []
        return None

    world.hooks.append(swallow)


def test_nobody_is_left_behind_for_a_missing_commit() -> None:
    """On the first head RESTART stands for evidence alone: no key is made yet, so a new deal would gain nothing."""
    world = World(5113, mode="variable", stake=10)
    silent = {3}
    silent_at(world, Kind.COMMIT, silent, {0, 1, 2})
    world.run(until=300.0)
    assert effects.Gone((3,)) in world.nodes[0].shown
    assert not world.nodes[0].table.match.restarts
    silent.clear()
    finish(world)
    assert len(world.nodes[0].table.match.deals) == 1


def test_a_restart_without_evidence_on_the_first_head_is_not_answered() -> None:
    world = World(5114, mode="variable", stake=10)
    in_shuffles(world)
    foe = Foe(world, FOE)
    first = world.nodes[0].table.match.deals[0].first_head
    foe.show(foe.signer.make(Chain.DEAL, 0, None, first, Kind.RESTART, wire.Restart(seat=1)))
    finish(world)
    match = world.nodes[0].table.match
    assert len(match.deals) == 1
    assert not any(entry.kind is Kind.KEEP for entry in match.known.values())


def test_who_has_wanted_another_one_left_behind_asks_all_four() -> None:
    """Seat 0 has signed RESTART against 3 on the head; then 2 is to be left behind there, whose entry seat 0 holds.

    It may not sign KEEP any more and will not sign RESTART against 2: all four throw the deal away.
    """
    world = World(5115, mode="variable", stake=10)
    silent = {3}
    silent_at(world, Kind.KEYOK, silent, {0})
    world.hooks.append(lambda message: [] if message.target == 0 and says(message, Kind.KEEP, 1) else None)
    match = world.nodes[0].table.match
    until(world, lambda: any(0 in by for by in match.restarts.values()), 400.0)
    ((_, head, target),) = match.restarts
    assert target == 3
    silent.clear()
    until(world, lambda: match.deals[0].log.head != head)
    kept = {entry.seat for entry in match.decisions.values() if entry.kind is Kind.KEEP}
    assert kept == {2}, "this KEEP released seat 0, but it releases nobody who waits for seat 2"
    Foe(world, 1).show(Foe(world, 1).signer.make(Chain.DEAL, 0, None, head, Kind.RESTART, wire.Restart(seat=2)), 0)
    assert 0 in match.restarts[0, match.deals[0].first_head, None]
    assert not any(e.kind is Kind.KEEP and e.seat == 0 for e in match.decisions.values())


def test_three_restarts_of_one_deal_that_come_at_once_are_one_deal() -> None:
    """A seat that was away gets them together; only three *deals* are a reason to ask its people."""
    world = World(5118, mode="variable", stake=10)
    in_shuffles(world)
    head = world.nodes[3].table.match.deals[0].log.heads[1]
    table = world.nodes[3].table
    for seat in (0, 1, 2):
        entry = Foe(world, seat).signer.make(Chain.DEAL, 0, None, head, Kind.RESTART, wire.Restart(seat=3))
        table._hold(entry)
    table.tick(world.now)
    assert table.match.deals[0].state is DealState.DEAD
    assert not table.view(world.now).stopped


def says(message: Wire, kind: Kind, seat: int) -> bool:
    """Whether the message is an entry of this kind and seat."""
    return any((entry.kind, entry.seat) == (kind, seat) for _, entry in entries_of([message]))


# --- RESTART and SHARES ----------------------------------------------------------------------------------------------


class LastStep:
    """All but the last DECKOK is in; the three others have agreed to throw the deal away, the hostile seat has not."""

    def __init__(self, seed: int) -> None:
        self.world = world = World(seed, mode="variable", stake=10)
        self.matches = [world.nodes[seat].table.match for seat in (0, 1, 3)]
        self.closed = True
        world.hooks.append(self.swallow)
        until(world, lambda: all(match.deals[0].log.missing == (FOE,) for match in self.matches) and self.at_the_end())
        assert world.act(0, effects.DealAnew()) is None
        self.first = self.matches[0].deals[0].first_head
        until(world, lambda: all(len(match.restarts.get((0, self.first, None), {})) == 3 for match in self.matches))
        self.foe = Foe(world, FOE)

    def at_the_end(self) -> bool:
        return all(match.deals[0].log.kinds == {Kind.DECKOK} for match in self.matches)

    def swallow(self, message: Wire) -> list[Wire] | None:
        """Nothing but what a test shows leaves the hostile seat, and it hears of no RESTART."""
        if not self.closed:
            return None
        found = [entry for _, entry in entries_of([message])]
        if message.target == FOE and any(entry.kind is Kind.RESTART for entry in found):
            return []
        return [] if any(entry.seat == FOE and entry.kind in (Kind.DECKOK, Kind.SHARES) for entry in found) else None

    def entry(self, kind: Kind) -> Entry:
        """The hostile seat's own DECKOK or SHARES, which its program has made."""
        known = self.foe.match.known.values()
        return next(entry for entry in known if (entry.seat, entry.kind) == (FOE, kind))

    def decision(self, kind: Kind, fields: wire.Fields) -> Entry:
        return self.foe.signer.make(Chain.DEAL, 0, None, self.first, kind, fields)

    def sent(self) -> set[int]:
        """Who of the others has sent SHARES, as far as he knows."""
        return {seat for seat, match in zip((0, 1, 3), self.matches, strict=True) if match.sent_shares(0, seat)}


def test_who_has_agreed_to_a_new_deal_sends_no_share_because_another_one_does() -> None:
    """It could sign the RESTART afterwards: only its KEEP shows that it will not."""
    step = LastStep(5120)
    step.foe.show(step.entry(Kind.DECKOK))
    until(step.world, lambda: any(entry.kind is Kind.SHARES for entry in step.foe.match.known.values()))
    step.foe.show(step.entry(Kind.SHARES))
    step.world.run(until=step.world.now + 30.0)
    assert not step.sent()


def test_a_deal_thrown_away_for_some_and_opened_by_others_convicts() -> None:
    """It keeps the deal, so that all send SHARES, and then throws it away before some of them."""
    step = LastStep(5121)
    step.foe.show(step.entry(Kind.DECKOK))
    step.foe.show(step.decision(Kind.KEEP, wire.Keep()))
    until(step.world, lambda: step.sent() == {0, 1, 3})
    step.foe.show(step.decision(Kind.RESTART, wire.Restart(seat=None)), 0)
    step.foe.show(step.entry(Kind.SHARES), 1, 3)
    convicted(step.world, FOE, Code.EQUIVOCATION)


def test_who_has_sent_shares_keeps_the_deal_and_who_asked_for_another_goes_on() -> None:
    world = World(5122, mode="variable", stake=10)
    hold = True
    world.hooks.append(lambda message: [] if hold and message.target == 3 and says(message, Kind.DECKOK, 1) else None)
    others = [world.nodes[seat].table.match for seat in (0, 1, 2)]
    until(world, lambda: all(match.sent_shares(0, seat) for seat, match in enumerate(others)))
    assert world.act(3, effects.DealAnew()) is None
    match = world.nodes[3].table.match
    until(world, lambda: any(entry.kind is Kind.KEEP for entry in match.decisions.values()))
    hold = False
    finish(world)
    assert len(match.closed) == len(match.deals) == 1


# --- the pairs themselves -------------------------------------------------------------------------------------------


def entry_of(foe: Foe, kind: Kind, fields: wire.Fields, seq: int | None, head: bytes = bytes(32)) -> Entry:
    chain = Chain.DEAL if kind in (Kind.RESTART, Kind.COMMIT) else Chain.MAIN
    return foe.signer.make(chain, 0, seq, head, kind, fields)


def test_what_one_seat_may_sign_on_one_head() -> None:
    world = World(5116, mode="variable", stake=10)
    foe, other = Foe(world, FOE), Foe(world, 1)
    terms, first = world.setups[0].terms_hash, world.nodes[0].table.match.deals[0].first_head
    void = entry_of(foe, Kind.VOID, wire.Void(), None)
    call = entry_of(foe, Kind.CALL, wire.Call(what="re", after=(), open=None, neq=None), 3)
    receipt = entry_of(foe, Kind.TRICK, wire.Trick(trick=1, digest=bytes(32), rejoins=()), 4)
    bid = entry_of(foe, Kind.BID, wire.Bid(reserve=False, neq=None), 4)
    assert contradict(void, bid, terms)
    assert contradict(bid, void, terms)
    assert contradict(receipt, bid, terms), "one place"
    for fine in (call, receipt, void):
        assert not contradict(void, fine, terms)
    assert not contradict(void, entry_of(other, Kind.BID, wire.Bid(reserve=False, neq=None), 4), terms)
    assert not contradict(void, entry_of(foe, Kind.BID, wire.Bid(reserve=False, neq=None), 4, b"h" * 32), terms)
    drop = wire.Drop(seat=0, next=1, calls=(), evidence=None)
    kept = foe.signer.make(Chain.MAIN, 0, None, bytes(32), Kind.KEEP, wire.Keep())
    assert contradict(entry_of(foe, Kind.DROP, drop, None), kept, terms)
    for head, excluded, fine in ((first, None, 0), (bytes(32), 0, None)):
        keep = foe.signer.make(Chain.DEAL, 0, None, head, Kind.KEEP, wire.Keep())
        assert contradict(keep, entry_of(foe, Kind.RESTART, wire.Restart(seat=excluded), None, head), terms)
        assert not contradict(keep, entry_of(foe, Kind.RESTART, wire.Restart(seat=fine), None, head), terms)
        assert not contradict(entry_of(foe, Kind.DROP, drop, None, head), keep, terms), "of another chain"


def pairs_that_prove_nothing(foe: Foe) -> list[tuple[Entry, Entry]]:
    void = vote(foe)
    call = foe.main(Kind.CALL, wire.Call(what="re", after=(), open=None, neq=None))
    elsewhere = foe.main(Kind.BID, wire.Bid(reserve=False, neq=None), parent=bytes(32))
    return [(void, call), (void, elsewhere), (void, void)]


@pytest.mark.parametrize("which", range(3))
def test_evidence_of_a_pair_that_may_be_signed_convicts_nobody(which: int) -> None:
    world = World(5117, mode="variable", stake=10)
    foe = at_turn(world, Kind.PLAY)
    pair = pairs_that_prove_nothing(foe)[which]
    fault = Fault(FOE, Equivocation(*pair), *pair)
    verdict = verify(write(foe.match, fault))
    assert not verdict.good
    assert verdict.problem.startswith("CONTEXT")


def test_wishes_that_came_to_nothing_crowd_no_decision_out_of_what_is_told() -> None:
    """A node whose store was put back has to hear of its KEEP, however many heads it has wished void since."""
    world = World(5117, mode="variable", stake=10)
    until(world, lambda: world.nodes[0].table.view(world.now).stage is Stage.HAND)
    assert world.act(0, effects.VoidHand()) is None
    teller = world.nodes[1].table.match
    until(world, lambda: sum(e.seat == 0 and e.kind is Kind.VOID for e in teller.known.values()) > 24)
    told = last_of(teller, 0)
    assert [entry.parent for entry in told if entry.kind is Kind.VOID] in ([], [teller.main.head])
