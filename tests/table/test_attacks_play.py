"""The attacks on play that show at the table, by their numbers: 39 to 50, 54, 73 to 75."""

import hashlib

import pytest

from protocol.deal import void
from protocol.refusal import Code, Refusal
from protocol.rules.contracts import card_class, class_members
from protocol.table import effects, own
from protocol.table.entries import DOMAIN_SIGN, Entry
from protocol.wire import entries as wire
from protocol.wire import keys
from protocol.wire.entries import Kind
from tests.table.hostile import Foe, changed, convicted, entries_of, refusals, until
from tests.table.net import SEATS, Wire, World, people
from tests.table.test_calls import playing, turn_of


def at_turn(seed: int, seat: int = 1, tricks: int = 0) -> tuple[World, Foe, effects.PlayCard]:
    """A world in which everybody waits for a card of the hostile *seat*; and a legal one."""
    world = playing(seed)
    until(world, lambda: all(len(node.table.match.hand.state.tricks) >= tricks for node in world.nodes))
    world.nodes[seat].player = None
    until(world, lambda: turn_of(world, seat))
    foe = Foe(world, seat)
    question = foe.table.view(world.now).question
    assert question is not None
    card = question.commands[0]
    assert isinstance(card, effects.PlayCard)
    return world, foe, card


def revoking(seed: int) -> tuple[World, Foe, int, int]:
    """The hostile seat has to follow a class and could also play another card: (world, foe, legal, illegal)."""
    for attempt in range(seed, seed + 30):
        world, foe, card = at_turn(attempt, attempt % 4)
        state = foe.mine.heard(foe.hand)
        if state.led is None or state.contract is None or card_class(state.contract, card.card) != state.led:
            continue
        held = state.hand(foe.hand.position(foe.seat)) or ()
        other = [k for k in held if card_class(state.contract, k) != state.led]
        if other:
            return world, foe, card.card, other[0]
    raise AssertionError("nobody could revoke")


def raw_play(foe: Foe, card: int, *, void_slots: tuple[int, ...] = (), led: tuple[int, ...] = ()) -> wire.Play:
    """A PLAY with the share of some slot that holds *card*, whatever the rules say."""
    hand, mine = foe.hand, foe.mine
    assert hand.state is not None
    slot = mine.slot_of(hand, card, foe.table._rand)
    place = hand.place(foe.seat, hand.log.head)
    trick = len(hand.state.tricks) + 1
    return own.make_play(
        place, mine.x, mine.keys.public, hand.slots.pairs, slot, trick, void_slots, led, foe.table._rand(64)
    )


def test_39_out_of_turn() -> None:
    world = playing(3000)
    world.nodes[1].player = None
    until(world, lambda: turn_of(world, 1))
    foe = Foe(world, 2)
    foe.show(foe.main(Kind.PLAY, raw_play(foe, foe.mine.hand[0])))
    convicted(world, 2, Code.TURN)


def test_39_second_card_in_one_trick() -> None:
    world, foe, card = at_turn(3001, 1)
    world.act(1, card)
    until(world, lambda: all(1 not in node.table.match.main.missing for node in world.nodes))
    left = [slot for slot in range(12, 24) if slot not in foe.hand.slots.played]
    again = raw_play(foe, foe.mine.hand[left[0] - 12])
    foe.show(foe.main(Kind.PLAY, again))
    convicted(world, 1, Code.TURN)


@pytest.mark.parametrize("slot", ["another's", "played", 48, -1])
def test_40_slot(slot: str | int) -> None:
    world, foe, card = at_turn(3010, 1, tricks=1)
    played = next(s for s in foe.hand.slots.played if s // 12 == 1)
    number = {"another's": 0, "played": played}.get(slot, slot) if isinstance(slot, str) else slot
    play = foe.card(card.card)
    foe.show(foe.main(Kind.PLAY, changed(play, slot=number)))
    convicted(world, 1, Code.SLOT)


def test_41_share_of_one_slot_under_the_name_of_another() -> None:
    world, foe, card = at_turn(3020, 1)
    play = foe.card(card.card)
    other = next(s for s in range(12, 24) if s not in foe.hand.slots.played and s != play.slot)
    foe.show(foe.main(Kind.PLAY, changed(play, slot=other)))
    convicted(world, 1, Code.DLEQ)


def test_42_revoke_without_a_proof() -> None:
    world, foe, _, illegal = revoking(3030)
    foe.show(foe.main(Kind.PLAY, raw_play(foe, illegal)))
    convicted(world, foe.seat, Code.VOID_MISSING)


def test_43_honest_code_refuses_to_prove_a_lie() -> None:
    world, foe, _, illegal = revoking(3040)
    state = foe.mine.heard(foe.hand)
    assert state.contract is not None
    assert state.led is not None
    slots = void.closed_slots(foe.seat, foe.hand.slots.played, foe.hand.slots.opened)
    with pytest.raises(Refusal):
        raw_play(foe, illegal, void_slots=tuple(slots), led=class_members(state.contract, state.led))
    assert isinstance(world.act(foe.seat, effects.PlayCard(illegal)), Refusal)


def lie(foe: Foe, illegal: int, keep: str) -> wire.Play:
    """A revoke whose proof is over the slots that do not hold the led class, or over another class."""
    state, hand = foe.mine.heard(foe.hand), foe.hand
    assert state.contract is not None
    assert state.led is not None
    slots = void.closed_slots(foe.seat, hand.slots.played, hand.slots.opened)
    led = state.led
    if keep == "innocent slots":
        slots = [s for s in slots if card_class(state.contract, foe.mine.hand[s % 12]) != led]
        return raw_play(foe, illegal, void_slots=tuple(slots), led=class_members(state.contract, led))
    held = {card_class(state.contract, foe.mine.hand[s % 12]) for s in slots}
    other = next(cls for cls in range(5) if cls not in held)
    return raw_play(foe, illegal, void_slots=tuple(slots[1:]), led=class_members(state.contract, other))


def test_44_void_proof_that_leaves_out_the_guilty_slots() -> None:
    world, foe, _, illegal = revoking(3050)
    foe.show(foe.main(Kind.PLAY, lie(foe, illegal, "innocent slots")))
    convicted(world, foe.seat, Code.VOID)


def test_45_void_proof_for_another_class() -> None:
    for seed in range(3060, 3090, 5):
        world, foe, _, illegal = revoking(seed)
        try:
            play = lie(foe, illegal, "another class")
        except (StopIteration, Refusal):
            continue  # this hand holds cards of all classes
        foe.show(foe.main(Kind.PLAY, play))
        convicted(world, foe.seat, Code.VOID)
        return
    raise AssertionError("no hand without a class")


def test_48_void_proof_with_a_card_that_follows() -> None:
    world, foe, legal, _ = revoking(3100)
    slots = [s for s in range(12 * foe.seat, 12 * foe.seat + 12) if s not in foe.hand.slots.played]
    closed = tuple(s for s in slots if foe.mine.hand[s % 12] != legal)[:2]
    absent = next(k for k in range(24) if k not in foe.mine.hand)
    play = raw_play(foe, legal, void_slots=closed, led=(absent,))
    foe.show(foe.main(Kind.PLAY, play))
    convicted(world, foe.seat, Code.FORMAT)


def test_50_void_is_remembered() -> None:
    """A second discard in a class that was proven carries no proof, and is accepted."""
    world = playing(3110)
    world.run(until=world.now + 600)
    assert world.settled
    plays = [entry for entry in world.nodes[0].table.match.entries() if entry.kind is Kind.PLAY]
    state = world.nodes[0].table.match.closed[0].state
    contract = state.contract
    assert contract is not None
    discards = 0
    for trick in state.tricks:
        led = card_class(contract, trick.cards[0])
        discards += sum(card_class(contract, card) != led for card in trick.cards)
    proven = sum(entry.fields(wire.Play).void is not None for entry in plays)
    assert 0 < proven < discards


def test_54_marriage_with_one_slot_twice() -> None:
    """Checked where it is judged: a MARRY that names one slot twice, or opens another card, is a false claim."""
    for seed in range(3120, 3160):
        world = World(seed, mode="variable", stake=10)
        for node in world.nodes:
            assert node.player is not None
            node.player.reserve = 0.0
        until(world, lambda world=world: all(n.table.match.hand and n.table.match.hand.state for n in world.nodes))
        table = next((n.table for n in world.nodes if n.table.view(0).hand.dealt.count(3) == 2), None)
        if table is None:
            continue
        foe = Foe(world, table.me)
        world.nodes[foe.seat].player = None
        until(world, lambda world=world, foe=foe: all(n.table.match.main.missing == (foe.seat,) for n in world.nodes))
        world.act(foe.seat, effects.Bid(True))
        until(world, lambda foe=foe: foe.match.main.kinds == {Kind.NAME})

        def swallow(message: Wire) -> list[Wire] | None:
            return [] if any(entry.kind is Kind.MARRY for _, entry in entries_of([message])) else None

        world.hooks.append(swallow)
        world.act(foe.seat, effects.NameGame(own.Contract.MARRIAGE))
        watcher = world.nodes[(foe.seat + 1) % 4].table.match
        until(world, lambda watcher=watcher: watcher.main.kinds == {Kind.MARRY})
        honest = next(e for e in foe.match.entries() if e.kind is Kind.MARRY)
        first = honest.fields(wire.Marry).open[0]
        world.run(until=world.now + 1.0)
        foe.show(foe.main(Kind.MARRY, wire.Marry(open=(first, first)), seq=honest.seq, parent=honest.parent))
        convicted(world, foe.seat, Code.CLAIM)
        return
    raise AssertionError("nobody held both club queens")


# --- 73 to 75: the log --------------------------------------------------------------------------------------------


def second_signature(entry: Entry, seed: bytes) -> Entry:
    """Another valid Ed25519 signature of the same payload, made with another nonce."""
    digest = hashlib.sha512(seed).digest()
    secret = int.from_bytes(digest[:32], "little") & ((1 << 254) - 8) | (1 << 254)
    base_y = 4 * pow(5, -1, keys.P) % keys.P
    base_x = 15112221349535400772501151409588531511454012693041857206046113283949847762202
    base = (base_x, base_y, 1, base_x * base_y % keys.P)

    def encoded(scalar: int) -> bytes:
        x, y, z, _ = keys._multiply(scalar % keys.L, base)
        inverse = pow(z, -1, keys.P)
        x, y = x * inverse % keys.P, y * inverse % keys.P
        return (y | (x & 1) << 255).to_bytes(32, "little")

    message = DOMAIN_SIGN + entry.payload
    nonce = 0x1234567890ABCDEF
    point, public = encoded(nonce), encoded(secret)
    challenge = int.from_bytes(hashlib.sha512(point + public + message).digest(), "little")
    s = (nonce + challenge * secret) % keys.L
    return Entry(entry.payload, point + s.to_bytes(32, "little"), entry.hash, entry.says)


def test_73_two_signatures_one_payload() -> None:
    """Each half of the table gets another valid signature of the same card: same heads everywhere."""
    world, foe, card = at_turn(3200, 1)
    entry = foe.main(Kind.PLAY, foe.card(card.card))
    twin = second_signature(entry, people()[1].signing)
    assert twin.signature != entry.signature
    foe.show(entry, 0)
    foe.show(twin, 2, 3)
    assert refusals(world, 1) == {}
    heads = {world.nodes[seat].table.match.main.head for seat in (0, 2, 3)}
    assert len(heads) == 1


def test_74_card_on_an_unknown_head_is_held_and_asked_about() -> None:
    """Nobody is blamed; the card waits until what is below it has come from its author."""
    world = playing(3210)
    target = 3
    world.run(until=world.now + 1.0)

    def late(message: Wire) -> list[Wire] | None:
        # what others sent of their own does not reach seat 3 for a while; only its last neighbour's entries do
        kinds = {entry.kind for _, entry in entries_of([message])}
        return [] if message.target == target and message.source != 2 and kinds & {Kind.PLAY, Kind.TRICK} else None

    world.hooks.append(late)
    world.run(until=world.now + 20.0)
    world.hooks.clear()
    world.run(until=world.now + 600)
    assert world.settled, world.describe()
    assert all(refusals(world, seat) == {} for seat in SEATS)


def test_74_equivocation_convicts_its_author_not_the_messenger() -> None:
    world, foe, card = at_turn(3220, 1)
    first = foe.main(Kind.PLAY, foe.card(card.card))
    second = foe.main(Kind.PLAY, foe.card(card.card))  # the same card: another proof, another payload
    assert first.hash != second.hash
    foe.show(first, 0)
    foe.show(second, 2, 3)
    convicted(world, 1, Code.EQUIVOCATION)
    assert all(refusals(world, seat) == {} for seat in (0, 2, 3))


def test_75_no_share_before_the_result_is_closed() -> None:
    world = World(3230, mode="four-fixed", stake=10)
    world.keep_sent = True
    hidden: set[int] = {2}

    def withhold(message: Wire) -> list[Wire] | None:
        return [] if any(e.kind is Kind.RESULT and e.seat in hidden for _, e in entries_of([message])) else None

    world.hooks.append(withhold)
    until(world, lambda: all(Kind.RESULT in n.table.match.main.kinds for n in world.nodes if n.seat != 2), 600.0)
    world.run(until=world.now + 30.0)
    shares = [(wire_, e) for wire_, e in entries_of(world.sent) if e.kind is Kind.SHARES and e.deal > 0]
    assert not [e for _, e in shares if e.seat != 2]
    assert any(e.kind is Kind.DECKOK and e.deal == 1 for _, e in entries_of(world.sent))
    hidden.clear()
    until(world, lambda: all(len(n.table.match.closed) >= 2 for n in world.nodes), 900.0)
