"""Attacks 66 to 68 (group H): what positions, sizes and files say about hidden cards."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest

from protocol.cards import DECK, HAND_SIZE
from protocol.deal.shuffle_proof import random_permutation
from protocol.rules.acts import Play
from protocol.rules.contracts import Contract, card_class, class_members
from protocol.table import effects
from protocol.table.entries import Entry
from protocol.wire import entries as wire
from protocol.wire.entries import Kind
from tests.deal.helpers import Stream
from tests.hostile.node import TcpScene
from tests.hostile.room import Room
from tests.hostile.scene import secrets_of
from tests.hostile.stages import hand_of, playing, turn
from tests.table.net import SEATS

DEALS = 2_000
#: Degrees of freedom of types against positions, and a value that chance passes once in 10,000 times.
FREEDOM = 23 * 11
TOO_MUCH = 343.0


def chi_square(deals: Callable[[int], list[int]]) -> float:
    """Of type against position in hand, over all four hands of many deals."""
    seen: Counter[tuple[int, int]] = Counter()
    for number in range(DEALS):
        for slot, card in enumerate(deals(number)):
            seen[card, slot % HAND_SIZE] += 1
    expected = DEALS * 48 / (24 * HAND_SIZE)
    return sum((seen[card, at] - expected) ** 2 / expected for card in range(24) for at in range(HAND_SIZE))


def deal_by(honest: int, rand: Stream) -> list[int]:
    """The types in the 48 slots when one seat shuffles honestly and the three others change nothing."""
    deck = list(DECK)
    for seat in SEATS:
        order = random_permutation(48, rand) if seat == honest else tuple(range(48))
        deck = [deck[i] for i in order]
    return deck


@pytest.mark.parametrize("honest", SEATS)
def test_attack_66_one_honest_shuffler_makes_positions_say_nothing(honest: int) -> None:
    rand = Stream(f"privacy {honest}")
    assert chi_square(lambda n: deal_by(honest, rand)) < TOO_MUCH


def test_attack_66_the_test_sees_hands_that_are_sorted() -> None:
    rand = Stream("sorted")

    def slightly(n: int) -> list[int]:
        deck = deal_by(0, rand)
        if n % 5:
            return deck
        return [card for seat in SEATS for card in sorted(deck[12 * seat : 12 * seat + 12])]

    assert chi_square(slightly) > TOO_MUCH


# --- 67: sizes ----------------------------------------------------------------------------------------------------


def played_out(seed: int) -> Room:
    """A hand without announcements, any legal card."""
    room = playing(seed)
    while not room.tables[0].match.settled:
        seat = turn(room)
        question = room.tables[seat].view(room.now).question
        assert question is not None
        room.act(seat, question.commands[seed % len(question.commands)])
    return room


def test_attack_67_sizes_and_numbers_of_messages_do_not_depend_on_cards() -> None:
    sizes: dict[Kind, set[int]] = defaultdict(set)
    counts: set[tuple[tuple[Kind, int], ...]] = set()
    messages = set()
    for seed in range(3):
        room = played_out(seed)
        entries: list[Entry] = list(room.tables[0].match.known.values())
        for entry in entries:
            size = len(entry.payload)
            if entry.kind is Kind.PLAY:
                proof = entry.fields(wire.Play).void
                size -= 0 if proof is None else len(proof) + (1 if len(proof) < 256 else 2)
            sizes[entry.kind].add(size)
        counts.add(tuple(sorted(Counter(entry.kind for entry in entries).items())))
        messages.add(len(room.sent))
        voids_are_as_long_as_all_can_reckon(room)
    for kind, found in sizes.items():
        if kind not in (Kind.RESULT, Kind.SETTLE):  # of a hand that is over
            assert len(found) == 1, f"{kind.name}: {sorted(found)}"
    assert len(counts) == 1
    assert len(messages) == 1


def voids_are_as_long_as_all_can_reckon(room: Room) -> None:
    """A void proof is there, and as long, as the cards on the table make it: nothing about the closed ones."""
    match = room.tables[0].match
    played: Counter[int] = Counter()
    trick: list[int] = []
    known: set[tuple[int, int]] = set()
    for done in match.main.rounds:
        if done.kind is not Kind.PLAY:
            continue
        (entry,) = done.entries
        card = _card_of(room, entry)
        if len(trick) == 4:
            trick = []
        trick.append(card)
        led = _led(trick[0])
        members = class_members(Contract.NORMAL, led)
        proof = entry.fields(wire.Play).void
        closed = HAND_SIZE - 1 - played[entry.seat]
        due = card not in members and (entry.seat, led) not in known and closed > 0
        assert (proof is not None) is due
        if proof is not None:
            assert len(proof) == 32 + 96 * closed * len(members)
            known.add((entry.seat, led))
        played[entry.seat] += 1


def _led(card: int) -> int:
    return card_class(Contract.NORMAL, card)


def _card_of(room: Room, entry: Entry) -> int:
    """From what everybody was told."""
    told = [e.event for e in room.effects[0] if isinstance(e, effects.Show)]
    cards = [
        event.act.card
        for event in told
        if isinstance(event, effects.Acted) and event.seat == entry.seat and isinstance(event.act, Play)
    ]
    return cards[entry.fields(wire.Play).trick - 1]


# --- 68: files and dumps ------------------------------------------------------------------------------------------


def forms(secret: bytes) -> tuple[bytes, ...]:
    number = int.from_bytes(secret, "little")
    return secret, secret.hex().encode(), str(number).encode(), b"%x" % number


def test_attack_68_nothing_secret_is_left_in_the_store_after_the_hand(tmp_path: Path) -> None:
    """Searched byte by byte, with its journal; during the hand the keys are there, or the search would show nothing."""
    room = playing()
    while hand_of(room).state is not None and len(hand_of(room).state.tricks) < 11:  # type: ignore[union-attr]
        seat = turn(room)
        question = room.tables[seat].view(room.now).question
        assert question is not None
        room.act(seat, question.commands[0])
    secrets = {seat: _deal_secrets(room, seat) for seat in SEATS}
    scene = TcpScene(room, 3, tmp_path)
    try:
        during = {seat: _on_disk(tmp_path, seat) for seat in SEATS}
        for seat in SEATS:
            assert any(secret in during[seat] for secret in secrets[seat])
        for _ in SEATS:
            seat = turn(room)
            question = scene.tables[seat].view(room.now).question
            assert question is not None
            scene.act(seat, question.commands[0])
        scene.wait(lambda: all(table.match.settled for table in scene.tables))
        scene.quiet()
    finally:
        scene.close()
    for seat in SEATS:
        left = _on_disk(tmp_path, seat)
        for secret in secrets[seat]:
            for form in forms(secret):
                assert form not in left, f"seat {seat} has kept a secret of the hand"


def _deal_secrets(room: Room, seat: int) -> set[bytes]:
    """Secrets of the deal alone: not the identity's keys, not the shares that playing has shown."""
    own = room.tables[seat]._deals[0]
    scalars = [own.x, *own.keys.subs.values(), *own.subs.values()]
    return {x.to_bytes(32, "little") for x in scalars} | set(own.keys.ephemerals.values())


def _on_disk(home: Path, seat: int) -> bytes:
    return b"\0".join(path.read_bytes() for path in sorted(home.glob(f"{seat}.db*")))


def test_attack_68_what_a_dump_or_a_log_would_print_shows_no_secret() -> None:
    """Crash reports and logs print objects: those that carry secrets do not print them."""
    room = playing()
    for seat in SEATS:
        table = room.tables[seat]
        secrets = secrets_of(table)
        own = table._deals[0]
        things: list[object] = [table, table._secrets, own, own.keys, own.state, table.match, table._signer]
        things += [*room.effects[seat], table.view(room.now).deal, list(table._deals.items())]
        text = "\n".join(repr(thing) + str(thing) for thing in things if not isinstance(thing, effects.Send))
        text += json.dumps([repr(effect) for effect in room.effects[seat] if isinstance(effect, effects.Compute)])
        for secret in secrets:
            number = int.from_bytes(secret, "little")
            assert secret.hex() not in text
            assert repr(secret)[2:-1] not in text
            assert str(number) not in text
