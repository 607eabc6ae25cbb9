"""Calls that race with cards and with each other (attacks 51 to 53, 55, 69 to 72)."""

from protocol.cards import CLUB_QUEEN
from protocol.refusal import Code, Refusal
from protocol.rules.calls import CallKind
from protocol.table import effects, own
from protocol.table.entries import message_of, signed_form
from protocol.table.match import Match
from protocol.wire import entries as wire
from protocol.wire.entries import Kind
from tests.table.hostile import Foe, changed, convicted, entries_of, refusals, until
from tests.table.net import SEATS, RandomPlayer, Script, Wire, World


def playing(seed: int, **script: object) -> World:
    """A world in which a hand of the normal game has come to its first card; nobody reserves or calls by himself."""
    for attempt in range(seed, seed + 40):
        world = World(attempt, Script(**script), mode="variable", stake=10, players=silent)  # type: ignore[arg-type]
        until(world, lambda world=world: all(turn_kind(node.table.match) == {Kind.PLAY} for node in world.nodes))
        held = [node.table.view(world.now).hand.dealt.count(CLUB_QUEEN) for node in world.nodes]
        if 2 not in held:
            return world
    raise AssertionError("no deal with two club queens apart")


def turn_kind(match: Match) -> frozenset[Kind]:
    """The kinds of entry that a match waits for on its main chain."""
    return match.main.kinds


def turn_of(world: World, seat: int) -> bool:
    """Everybody waits for a card of this seat."""
    mains = [node.table.match.main for node in world.nodes]
    return all(main.missing == (seat,) and main.kinds == {Kind.PLAY} for main in mains)


def silent(seat: int) -> RandomPlayer:
    return RandomPlayer(seat, reserve=0.0, call=0.0)


def holders(world: World) -> tuple[list[int], list[int]]:
    """Seats of Re and of Contra."""
    dealt = {seat: world.nodes[seat].table._deals[0].hand for seat in SEATS}
    re = [seat for seat in SEATS if CLUB_QUEEN in dealt[seat]]
    return re, [seat for seat in SEATS if seat not in re]


def calls_in(world: World, seat: int) -> list[tuple[int, str]]:
    hand = world.nodes[seat].table.match.closed[0].state
    return [(call.player, call.kind.value) for call in hand.calls]


def end(world: World) -> None:
    world.run(until=world.now + 600)
    assert world.settled, world.describe()
    assert len({node.settlement for node in world.nodes}) == 1


def test_calls_of_both_sides_at_once_reach_every_log() -> None:
    world = playing(1000)
    re, kontra = holders(world)
    assert world.act(re[0], effects.MakeCall(CallKind.RE)) is None
    assert world.act(kontra[0], effects.MakeCall(CallKind.KONTRA)) is None
    assert world.act(re[0], effects.MakeCall(CallKind.NO90)) is None
    end(world)
    assert sorted(kind for _, kind in calls_in(world, 0)) == ["kontra", "no90", "re"]


def test_52_honest_code_refuses_the_wrong_side() -> None:
    world = playing(1040)
    re, kontra = holders(world)
    for seat, kind in ((re[0], CallKind.KONTRA), (kontra[0], CallKind.RE)):
        refusal = world.act(seat, effects.MakeCall(kind))
        assert isinstance(refusal, Refusal)
    assert not world.nodes[0].table.match.hand.pending


def queens_shown(match: Match) -> int:
    """Club queens opened or played in the log."""
    slots = match.hand.slots
    return len(slots.opened) + sum(card == CLUB_QUEEN for card in slots.played.values())


def test_72_overtaken_re_counts_for_what_it_opens() -> None:
    """Both Re players call Re before hearing each other: the second is no step, but its slot stays open."""
    world = playing(1080, delay=(0.2, 0.3))
    re, _ = holders(world)
    for seat in re:
        assert world.act(seat, effects.MakeCall(CallKind.RE)) is None
    until(world, lambda: all(queens_shown(node.table.match) == 2 for node in world.nodes))
    end(world)
    state = world.nodes[0].table.match.closed[0].state
    assert [call.counted for call in state.calls if call.kind is CallKind.RE] == [True, False]


def test_71_reply_to_a_pending_call() -> None:
    """A call may answer one that no card carries yet, by naming it; without that it is too late by itself."""
    world = playing(1120)
    re, kontra = holders(world)
    foe, caller = Foe(world, kontra[0]), re[0]
    # both callers have played two cards, so that only a reply is left to Contra
    until(world, lambda: all(len(n.table.match.hand.state.tricks) >= 1 for n in world.nodes))
    assert world.act(caller, effects.MakeCall(CallKind.RE)) is None
    until(world, lambda: all(n.table.match.hand.pending or n.table.match.hand.carried for n in world.nodes))
    own_cards = world.nodes[foe.seat].table.match.hand
    until(world, lambda: own_cards.state.cards_left(own_cards.position(foe.seat)) == 10)
    if not own_cards.carried:
        assert own_cards.pending
    refusal = world.act(foe.seat, effects.MakeCall(CallKind.KONTRA))
    assert refusal is None, refusal
    end(world)


def test_71_late_call_that_names_no_call_is_refused() -> None:
    world = playing(1160)
    _, kontra = holders(world)
    foe = Foe(world, kontra[0])
    until(world, lambda: all(n.table.match.hand.state.cards_left(0) <= 9 for n in world.nodes))
    seq = foe.table._next_seq(wire.Chain.MAIN, 0)
    call = own.make_call(foe.mine, foe.hand, CallKind.KONTRA, seq, foe.table._rand)
    foe.show(foe.main(Kind.CALL, changed(call, after=()), seq=seq))
    convicted(world, foe.seat, Code.TIME)


def test_69_backdated_call_is_refused() -> None:
    """A parent head before the caller's own last card."""
    world = playing(1200)
    _, kontra = holders(world)
    foe = Foe(world, kontra[0])
    early = foe.match.main.head
    until(world, lambda: all(len(n.table.match.hand.plays[foe.seat]) >= 2 for n in world.nodes))
    seq = foe.table._next_seq(wire.Chain.MAIN, 0)
    call = own.make_call(foe.mine, foe.hand, CallKind.KONTRA, seq, foe.table._rand)
    foe.show(foe.main(Kind.CALL, call, seq=seq, parent=early))
    convicted(world, foe.seat, Code.TIME)


def test_70_call_shown_to_one_and_then_skipped() -> None:
    """The PLAY that skips the call's number is refused, though only one peer has seen the call."""
    world = playing(1240)
    _, kontra = holders(world)
    foe = Foe(world, kontra[0])
    world.nodes[foe.seat].player = None
    until(world, lambda: turn_of(world, foe.seat))
    seq = foe.table._next_seq(wire.Chain.MAIN, 0)
    call = foe.main(Kind.CALL, own.make_call(foe.mine, foe.hand, CallKind.KONTRA, seq, foe.table._rand), seq=seq)
    foe.show(call, foe.others[0])
    question = foe.table.view(world.now).question
    assert question is not None
    card = question.commands[0]
    assert isinstance(card, effects.PlayCard)
    foe.show(foe.main(Kind.PLAY, foe.card(card.card), seq=seq + 1))
    convicted(world, foe.seat, Code.CONTEXT)


def test_carried_call_that_nobody_had_seen_is_accepted() -> None:
    """A card may carry its author's call to those who have not had it (positive)."""
    world = playing(1280)
    _, kontra = holders(world)
    caller = kontra[0]

    def swallow(message: Wire) -> list[Wire] | None:
        found = entries_of([message])
        return [] if found and found[0][1].kind is Kind.CALL else None

    world.hooks.append(swallow)
    assert world.act(caller, effects.MakeCall(CallKind.KONTRA)) is None
    end(world)
    assert "kontra" in [kind for _, kind in calls_in(world, (caller + 1) % 4)]


def test_play_that_carries_an_invalid_call_is_invalid() -> None:
    world = playing(1320)
    re, _ = holders(world)
    foe = Foe(world, re[0])
    world.nodes[foe.seat].player = None
    until(world, lambda: turn_of(world, foe.seat))
    seq = foe.table._next_seq(wire.Chain.MAIN, 0)
    honest = own.make_call(foe.mine, foe.hand, CallKind.RE, seq, foe.table._rand)
    call = foe.main(Kind.CALL, changed(honest, what="black"), seq=seq, parent=foe.match.main.heads[0])
    question = foe.table.view(world.now).question
    assert question is not None
    play = changed(foe.card(question.commands[0].card), calls=(signed_form(call),))
    foe.show(foe.main(Kind.PLAY, play, seq=seq + 1))
    convicted(world, foe.seat, Code.TIME)


def test_51_re_with_a_slot_that_is_no_club_queen() -> None:
    world = playing(1360)
    re, _ = holders(world)
    foe = Foe(world, re[0])
    hand, mine = foe.hand, foe.mine
    seq = foe.table._next_seq(wire.Chain.MAIN, 0)
    slots = enumerate(mine.hand, 12 * foe.seat)
    other = next(slot for slot, card in slots if card != CLUB_QUEEN and slot not in hand.slots.played)
    place = hand.call_place(foe.seat, seq)
    made = own.claims.make_opening(place, mine.x, mine.keys.public, hand.slots.pairs, other, foe.table._rand)
    call = wire.Call(what="re", after=(), open=wire.Opening(made.slot, made.d, made.proof), neq=None)
    foe.show(foe.main(Kind.CALL, call, seq=seq))
    convicted(world, foe.seat, Code.CLAIM)


def test_53_contra_with_the_proof_over_too_few_slots() -> None:
    world = playing(1400)
    _, kontra = holders(world)
    foe = Foe(world, kontra[0])
    seq = foe.table._next_seq(wire.Chain.MAIN, 0)
    call = own.make_call(foe.mine, foe.hand, CallKind.KONTRA, seq, foe.table._rand)
    assert call.neq is not None
    foe.show(foe.main(Kind.CALL, changed(call, neq=call.neq[:-96]), seq=seq))
    convicted(world, foe.seat, Code.CLAIM)


def test_55_call_with_a_proof_where_none_is_due() -> None:
    """Twice the proof: the second call of one who has proven his side carries none."""
    world = playing(1440)
    _, kontra = holders(world)
    foe = Foe(world, kontra[0])
    assert world.act(foe.seat, effects.MakeCall(CallKind.KONTRA)) is None
    until(world, lambda: all(n.table.match.hand.pending or n.table.match.hand.carried for n in world.nodes))
    seq = foe.table._next_seq(wire.Chain.MAIN, 0)
    place = foe.hand.call_place(foe.seat, seq)
    slots, mine = foe.hand.slots, foe.mine
    neq = own.claims.make_kontra(
        place, mine.x, mine.keys.public, slots.pairs, slots.played, slots.opened, foe.table._rand
    )
    call = wire.Call(what="no90", after=tuple(foe.hand.pending), open=None, neq=neq)
    foe.show(foe.main(Kind.CALL, call, seq=seq))
    convicted(world, foe.seat, Code.FORMAT)


def test_call_with_two_signatures_is_one_call() -> None:
    """73 for calls: the hash leaves the signature out, so one payload signed twice is no equivocation."""
    world = playing(1480)
    _, kontra = holders(world)
    foe = Foe(world, kontra[0])
    seq = foe.table._next_seq(wire.Chain.MAIN, 0)
    call = foe.main(Kind.CALL, own.make_call(foe.mine, foe.hand, CallKind.KONTRA, seq, foe.table._rand), seq=seq)
    foe.show(call)
    foe.show(call)
    assert refusals(world, foe.seat) == {}
    assert all(call.hash in n.table.match.hand.pending for n in world.nodes if n.seat != foe.seat)
    assert message_of(call)


def test_play_that_carries_a_call_with_a_wrong_signature() -> None:
    """The card is signed, the call in it is not: evidence against the card's author, nobody else."""
    world = playing(1520)
    re, kontra = holders(world)
    foe = Foe(world, re[0])
    world.nodes[foe.seat].player = None
    until(world, lambda: turn_of(world, foe.seat))
    victim = Foe(world, kontra[0])
    seq = victim.table._next_seq(wire.Chain.MAIN, 0)
    call = victim.main(Kind.CALL, own.make_call(victim.mine, victim.hand, CallKind.KONTRA, seq, victim.table._rand))
    forged = wire.Signed(call.payload, bytes(64))
    question = foe.table.view(world.now).question
    assert question is not None
    card = question.commands[0]
    assert isinstance(card, effects.PlayCard)
    foe.show(foe.main(Kind.PLAY, changed(foe.card(card.card), calls=(forged,))))
    world.run(until=world.now + 5.0)
    judges = {seat: code for seat, code in refusals(world, foe.seat).items() if seat != victim.seat}
    assert set(judges.values()) == {Code.SIG}
    assert len(judges) == 2
    assert refusals(world, victim.seat) == {}
