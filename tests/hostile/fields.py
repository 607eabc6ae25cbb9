"""Every message that holds points or scalars: the bytes, where in them points and scalars stand, and how to send it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import msgpack

from protocol.cards import CLUB_QUEEN
from protocol.deal import claims
from protocol.deal.keys import commitment
from protocol.rules.contracts import Contract
from protocol.table import effects
from protocol.table.entries import Entry
from protocol.table.own import OwnDeal
from protocol.wire import entries as wire
from protocol.wire.entries import Kind
from tests.hostile.forge import Forger
from tests.hostile.room import Room
from tests.hostile.scene import Scene
from tests.hostile.stages import cards, dealt, due, is_void, lead_to, playing, queens, turn
from tests.table.net import SEATS

Send = Callable[[Scene, bytes], Entry]


@dataclass(frozen=True)
class Field:
    """One byte string of a message.

    *room*: at rest where the message is due, and from whom; *data*: honest bytes; *build*: the entry with other bytes
    in their place (it may have to send something before it).
    """

    name: str
    room: Callable[[], tuple[Room, int]]
    data: Callable[[Scene], bytes]
    points: tuple[int, ...]
    scalars: tuple[int, ...]
    build: Send


def keys_entry(scene: Scene, **changes: object) -> Entry:
    """KEYS with some fields changed, committed to beforehand: COMMIT is sent, KEYS is due."""
    forge = scene.forge
    keys = forge.keys()
    forge.table._deals[forge.deal.number] = OwnDeal(keys)
    names = ("hand", "seat", "points", "pop", "boxes", "coin")
    fields = dict(zip(names, msgpack.unpackb(keys.body), strict=True)) | changes
    return commit_to(scene, msgpack.packb([fields[name] for name in names]))


def commit_to(scene: Scene, body: bytes) -> Entry:
    """COMMIT to any body is sent and taken; the KEYS with that body."""
    forge = scene.forge
    commit = forge.entry(Kind.COMMIT, wire.Commit(hash=commitment(body)))
    scene.send(commit)
    scene.tell(commit)
    scene.wait(lambda: all(Kind.KEYS in scene.tables[seat].match.next_deal.log.kinds for seat in SEATS))  # type: ignore[union-attr]
    scene.rest()
    return forge.entry(Kind.KEYS, wire.Keys(body=body))


def at(kind: Kind) -> Callable[[], tuple[Room, int]]:
    return lambda: (due(kind), 3)


@cache
def _at_void() -> tuple[Room, int]:
    room = playing()
    return room, lead_to(room, is_void)


def at_void() -> tuple[Room, int]:
    room, seat = _at_void()
    return room.clone(), seat


def at_card() -> tuple[Room, int]:
    room = playing()
    return room, turn(room)


def at_re() -> tuple[Room, int]:
    room = playing()
    return room, queens(room)[0]


def at_kontra() -> tuple[Room, int]:
    room = playing()
    return room, next(seat for seat in SEATS if CLUB_QUEEN not in cards(room, seat))


def at_marry() -> tuple[Room, int]:
    """One names a marriage, whatever he holds."""
    room = dealt()
    seat = turn(room)
    forge = Forger(room.tables[seat])
    bid_and_name(room, forge, Contract.MARRIAGE)
    return room, seat


def bid_and_name(room: Room, forge: Forger, contract: Contract) -> None:
    """The attacker reserves and names any game; the others are healthy."""
    for _ in SEATS:
        if turn(room) == forge.seat:
            spread(room, forge, forge.entry(Kind.BID, wire.Bid(reserve=True, neq=None)))
        else:
            room.act(turn(room), effects.Bid(False))
    spread(room, forge, forge.entry(Kind.NAME, wire.Name(game=contract.value)))


def spread(room: Room, forge: Forger, entry: Entry) -> None:
    """In a room: an entry of the attacker's that is right goes to all."""
    from protocol.table.entries import message_of

    forge.take(entry)
    for seat in SEATS:
        if seat != forge.seat:
            room.send(forge.seat, seat, message_of(entry))
    room.pump()


def card_entry(scene: Scene, **changes: bytes) -> Entry:
    forge = scene.forge
    return forge.play(next(iter(forge.cards)), **changes)  # type: ignore[arg-type]


def void_bytes(scene: Scene) -> bytes:
    forge = scene.forge
    return forge.void(forge.closed(next(iter(forge.cards))), forge.led)


def void_pieces(count: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Where points and scalars stand in an inequality over *count* pairs."""
    points = tuple(range(1, 3 * count + 1, 3))
    return points, tuple(n for n in range(3 * count + 1) if n not in points)


def re_opening(scene: Scene) -> wire.Opening:
    forge = scene.forge
    slot = next(slot for slot, card in forge.cards.items() if card == CLUB_QUEEN)
    return forge.opening(slot, forge.call_place())


def re_call(scene: Scene, d: bytes | None = None, proof: bytes | None = None) -> Entry:
    made = re_opening(scene)
    return scene.forge.call("re", opening=wire.Opening(made.slot, d or made.d, proof or made.proof))


def kontra_bytes(scene: Scene) -> bytes:
    forge = scene.forge
    place, own = forge.call_place(), forge.own
    return claims.make_kontra(place, own.x, own.keys.public, forge.pairs, {}, {}, forge.rand)


def marry_openings(scene: Scene) -> list[wire.Opening]:
    forge = scene.forge
    first, second = list(forge.cards)[:2]
    return [forge.opening(slot, forge.place()) for slot in (first, second)]


def marry_entry(scene: Scene, d: bytes | None = None, proof: bytes | None = None) -> Entry:
    """MARRY with bytes in the first opening changed."""
    first, second = marry_openings(scene)
    return scene.forge.entry(
        Kind.MARRY, wire.Marry(open=(wire.Opening(first.slot, d or first.d, proof or first.proof), second))
    )


def _points_at(n: int) -> Send:
    def build(scene: Scene, data: bytes) -> Entry:
        forge = scene.forge
        points = msgpack.unpackb(forge.keys().body)[2]
        points[n] = data
        return keys_entry(scene, points=points)

    return build


def _shuf(scene: Scene, **changes: bytes) -> Entry:
    honest = scene.forge.shuffled()
    values = {"deck": honest.deck, "proof": honest.proof} | changes
    return scene.forge.entry(Kind.SHUF, wire.Shuf(**values))


def _shares(scene: Scene, **changes: bytes) -> Entry:
    honest = scene.forge.shares()
    values = {"deal_head": honest.deal_head, "d": honest.d, "proof": honest.proof} | changes
    return scene.forge.entry(Kind.SHARES, wire.Shares(**values))


def all_fields() -> Iterator[Field]:
    for n in range(3):
        yield Field(f"KEYS-S{n}", at(Kind.COMMIT), lambda scene: bytes(32), (0,), (), _points_at(n))
    yield Field(
        "KEYS-pop",
        at(Kind.COMMIT),
        lambda scene: msgpack.unpackb(scene.forge.keys().body)[3],
        (),
        (0, 1),
        lambda scene, data: keys_entry(scene, pop=data),
    )
    yield Field(
        "SHUF-deck",
        at(Kind.SHUF),
        lambda scene: scene.forge.shuffled().deck,
        tuple(range(96)),
        (),
        lambda scene, data: _shuf(scene, deck=data),
    )
    yield Field(
        "SHUF-proof",
        at(Kind.SHUF),
        lambda scene: scene.forge.shuffled().proof,
        tuple(range(96)),
        tuple(range(96, 197)),
        lambda scene, data: _shuf(scene, proof=data),
    )
    yield Field(
        "SHARES-d",
        at(Kind.SHARES),
        lambda scene: scene.forge.shares().d,
        tuple(range(37)),
        (),
        lambda scene, data: _shares(scene, d=data),
    )
    yield Field(
        "SHARES-proof",
        at(Kind.SHARES),
        lambda scene: scene.forge.shares().proof,
        (),
        (0, 1),
        lambda scene, data: _shares(scene, proof=data),
    )
    yield Field(
        "PLAY-d",
        at_card,
        lambda scene: scene.forge.opened(next(iter(scene.forge.cards)))[0],
        (0,),
        (),
        lambda scene, data: card_entry(scene, d=data),
    )
    yield Field(
        "PLAY-proof",
        at_card,
        lambda scene: scene.forge.opened(next(iter(scene.forge.cards)))[1],
        (),
        (0, 1),
        lambda scene, data: card_entry(scene, proof=data),
    )
    points, scalars = void_pieces(3)
    yield Field("PLAY-void", at_void, void_bytes, points, scalars, lambda scene, data: card_entry(scene, void=data))
    yield Field(
        "CALL-open-d",
        at_re,
        lambda scene: re_opening(scene).d,
        (0,),
        (),
        lambda scene, data: re_call(scene, d=data),
    )
    yield Field(
        "CALL-open-proof",
        at_re,
        lambda scene: re_opening(scene).proof,
        (),
        (0, 1),
        lambda scene, data: re_call(scene, proof=data),
    )
    points, scalars = void_pieces(12)
    yield Field(
        "CALL-neq",
        at_kontra,
        kontra_bytes,
        points,
        scalars,
        lambda scene, data: scene.forge.call("kontra", neq=data),
    )
    yield Field(
        "MARRY-d",
        at_marry,
        lambda scene: marry_openings(scene)[0].d,
        (0,),
        (),
        lambda scene, data: marry_entry(scene, d=data),
    )
    yield Field(
        "MARRY-proof",
        at_marry,
        lambda scene: marry_openings(scene)[0].proof,
        (),
        (0, 1),
        lambda scene, data: marry_entry(scene, proof=data),
    )


FIELDS = tuple(all_fields())
