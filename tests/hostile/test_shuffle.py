"""Attacks 17 to 27 (group C): shuffles that are none.  The 197 fields and the mutations are tested at the functions."""

from __future__ import annotations

import random
from collections.abc import Callable

from protocol.cards import CLUB_QUEEN
from protocol.deal.deck import encode_deck
from protocol.deal.generators import generators
from protocol.deal.group import BASE, ristretto
from protocol.deal.hashing import Kind as Proof
from protocol.deal.hashing import random_scalar
from protocol.deal.shuffle import encode_proof
from protocol.refusal import Code
from protocol.table.entries import Entry
from protocol.wire import entries as wire
from protocol.wire.entries import Chain, Kind
from tests.deal.forge import forge_scaled, forge_with_known_logs, known_generators
from tests.deal.helpers import Stream, pieces, replace, scalar_at, with_scalar
from tests.hostile.conftest import Live
from tests.hostile.room import mute
from tests.hostile.scene import Scene
from tests.hostile.stages import due

N = 48
S1, S2 = 97, 98  # numbers of 32-byte pieces of a proof
S_HAT, S_PRIME = 101, 149


def attack(scene: Scene, made: wire.Shuf, code: Code = Code.SHUFFLE) -> None:
    """Send it as SHUF; the proof is judged while the chain goes on, so DECKOK must not follow."""
    scene.send(scene.forge.entry(Kind.SHUF, made))
    scene.refused(code, changed=True)
    for seat in scene.honest:
        assert not scene.sent_entries(seat, Kind.DECKOK, Kind.SHARES)


def test_attack_17_card_duplicated_and_another_dropped(live: Live) -> None:
    scene = live(due(Kind.SHUF), 3)
    attack(scene, scene.forge.false_shuffle([0, 0, *range(2, N)]))


def test_attack_17_by_another_shuffler_than_the_last(live: Live) -> None:
    """The two after him shuffle on before it is found out; nobody signs the barrier."""
    scene = live(due(Kind.SHUF, hostile=1), 1)
    attack(scene, scene.forge.false_shuffle([0, 0, *range(2, N)]))


def test_attack_18_output_replaced_by_a_chosen_card(live: Live) -> None:
    scene = live(due(Kind.SHUF), 3)
    forge, group = scene.forge, ristretto()
    rho = [random_scalar(forge.rand) for _ in range(N)]
    honest = forge.false_shuffle(range(N), rho)
    deck = list(pieces(honest.deck))
    r = random_scalar(forge.rand)
    deck[0] = group.mul(r, BASE)
    deck[1] = group.add(generators().cards[CLUB_QUEEN], group.mul(r, forge.deal.joint_key))
    after = tuple((deck[2 * i], deck[2 * i + 1]) for i in range(N))
    attack(scene, forge.false_shuffle(range(N), rho, after))


def test_attack_19_forge_1_scaled_cards(live: Live) -> None:
    scene = live(due(Kind.SHUF), 3)
    forge = scene.forge
    ctx = forge.place(forge.deal.log.head).ctx(Proof.SHUF)
    after, proof = forge_scaled(forge.deal.joint_key, forge.deal.deck, 3, 7, ctx, Stream("forge 1"))
    attack(scene, wire.Shuf(deck=encode_deck(tuple(after)), proof=encode_proof(proof)))


def test_attack_20_forge_2_generators_with_known_logarithms(live: Live) -> None:
    """By the first shuffler, who turns any card into any other."""
    scene = live(due(Kind.SHUF, hostile=0), 0)
    forge = scene.forge
    ctx = forge.place(forge.deal.log.head).ctx(Proof.SHUF)
    rand = Stream("forge 2")
    gens, log_h, logs = known_generators(rand)
    after, proof = forge_with_known_logs(
        forge.deal.joint_key, forge.deal.deck, CLUB_QUEEN, 23, gens, log_h, logs, ctx, rand
    )
    attack(scene, wire.Shuf(deck=encode_deck(tuple(after)), proof=encode_proof(proof)))


def test_attack_21_another_deck_than_the_current_one(live: Live) -> None:
    for older in live.some((0, 1, 2)):
        scene = live(due(Kind.SHUF), 3)
        attack(scene, scene.forge.shuffled(before=scene.forge.deal.decks[older]))


def test_attack_22_proof_of_another_hand_seat_place_or_key(live: Live) -> None:
    changes: list[dict[str, object]] = [{"hand": 1}, {"seat": 2}, {"extra": bytes(32)}, {"match_id": bytes(32)}]
    for change in live.some(changes):
        scene = live(due(Kind.SHUF), 3)
        place = scene.forge.place(**({"extra": scene.forge.deal.log.head} | change))  # type: ignore[arg-type]
        attack(scene, scene.forge.shuffled(place=place))
    scene = live(due(Kind.SHUF), 3)
    attack(scene, scene.forge.shuffled(key=scene.forge.own.keys.public))


def test_attack_22_the_shuffle_of_another_seat(live: Live) -> None:
    scene = live(due(Kind.SHUF), 3)
    copied = next(e for e in scene.forge.table.match.known.values() if e.kind is Kind.SHUF and e.seat == 1)
    attack(scene, copied.fields(wire.Shuf))


def test_attack_23_a_number_of_the_proof_changed(live: Live) -> None:
    """All 197 are tried at the function; here one of each sort."""
    group = ristretto()
    for index in live.some((S_PRIME + 5, 0, 50, 96, 99, 100, S_HAT)):
        scene = live(due(Kind.SHUF), 3)
        made = scene.forge.shuffled()
        piece = pieces(made.proof)[index]
        proof = (
            replace(made.proof, index, group.add(piece, BASE))
            if index < 2 * N
            else with_scalar(made.proof, index, scalar_at(made.proof, index) + 1)
        )
        attack(scene, wire.Shuf(deck=made.deck, proof=proof))


def test_attack_24_parts_of_the_proof_exchanged(live: Live) -> None:
    def exchanged(proof: list[bytes]) -> list[bytes]:
        return proof[N : 2 * N] + proof[:N] + proof[2 * N :]

    def shifted(proof: list[bytes]) -> list[bytes]:
        part = proof[S_HAT:S_PRIME]
        return proof[:S_HAT] + part[1:] + part[:1] + proof[S_PRIME:]

    def permuted(proof: list[bytes]) -> list[bytes]:
        part = proof[S_PRIME:]
        random.Random(1).shuffle(part)
        return proof[:S_PRIME] + part

    changes: tuple[Callable[[list[bytes]], list[bytes]], ...] = (exchanged, shifted, permuted)
    for change in live.some(changes):
        scene = live(due(Kind.SHUF), 3)
        made = scene.forge.shuffled()
        attack(scene, wire.Shuf(deck=made.deck, proof=b"".join(change(pieces(made.proof)))))


def test_attack_25_output_equals_input(live: Live) -> None:
    scene = live(due(Kind.SHUF), 3)
    attack(scene, scene.forge.false_shuffle(range(N), [0] * N), Code.LAZY)


def test_attack_25_one_ciphertext_unchanged(live: Live) -> None:
    scene = live(due(Kind.SHUF), 3)
    rho = [random_scalar(scene.forge.rand) for _ in range(N)]
    rho[17] = 0
    attack(scene, scene.forge.false_shuffle([*range(1, N), 0], rho), Code.LAZY)


# --- 26: at the wrong time ----------------------------------------------------------------------------------------


def shuf(scene: Scene) -> Entry:
    return scene.forge.entry(Kind.SHUF, scene.forge.shuffled())


def test_attack_26_shuffle_out_of_turn(live: Live) -> None:
    """It is seat 1's turn (whose program is slow); seat 3 shuffles."""
    room = due(Kind.SHUF, hostile=1)
    mute(room.tables[3], Kind.SHUF)
    scene = live(room, 3)
    scene.send(shuf(scene))
    scene.refused(Code.TURN)


def test_attack_26_second_shuffle_of_one_seat(live: Live) -> None:
    scene = live(due(Kind.SHUF, hostile=1), 1)
    mute(scene.tables[2], Kind.SHUF)  # so that the chain rests after the attacker's honest shuffle
    first = shuf(scene)
    scene.send(first)
    scene.tell(first)
    scene.rest()
    scene.send(shuf(scene))
    scene.refused(Code.TURN)


def test_attack_26_shuffle_before_keyok(live: Live) -> None:
    scene = live(due(Kind.KEYOK, hostile=0), 0)
    scene.send(shuf(scene))
    scene.refused(Code.TURN)


def test_attack_26_any_entry_of_the_deal_too_early(live: Live) -> None:
    """What belongs to a later round is refused as what comes twice is."""
    room = due(Kind.COMMIT)
    kinds: dict[Kind, wire.Fields] = {
        Kind.KEYS: wire.Keys(body=b"x"),
        Kind.KEYOK: wire.KeyOk(hash=bytes(32)),
        Kind.DECKOK: wire.DeckOk(hash=bytes(32)),
        Kind.TESTOPEN: wire.TestOpen(d=(bytes(32), bytes(32)), proof=bytes(64)),
    }
    for kind, fields in live.some(list(kinds.items())):
        scene = live(room.clone(), 3)
        scene.send(scene.forge.entry(kind, fields))
        scene.refused(Code.TURN)


def test_attack_26_second_entry_of_one_round(live: Live) -> None:
    scene = live(due(Kind.KEYOK, hostile=0), 3)  # seat 0 is slow; 3 has sent its KEYOK
    fields = wire.KeyOk(hash=scene.forge.deal.keyok_hash)
    assert 3 in scene.forge.deal.log.open
    scene.send(scene.forge.entry(Kind.KEYOK, fields, seq=scene.forge.next_seq(Chain.DEAL)))
    scene.refused(Code.TURN)


def test_attack_27_errors_that_cancel(live: Live) -> None:
    scene = live(due(Kind.SHUF), 3)
    made = scene.forge.shuffled()
    proof = with_scalar(made.proof, S1, scalar_at(made.proof, S1) + 1)
    proof = with_scalar(proof, S2, scalar_at(proof, S2) - 1)
    attack(scene, wire.Shuf(deck=made.deck, proof=proof))


def test_the_forger_can_also_shuffle_honestly(live: Live) -> None:
    """Otherwise none of the above would show anything."""
    scene = live(due(Kind.SHUF), 3)
    made = scene.forge.false_shuffle([*range(1, N), 0])
    entry = scene.forge.entry(Kind.SHUF, made)
    scene.send(entry)
    scene.tell(entry)
    scene.taken(entry)
    for seat in scene.honest:
        assert scene.sent_entries(seat, Kind.DECKOK)
