"""Write a frozen match: ``python -m tests.table.make_vectors hand > tests/table/data/hand.json`` (or ``duel``).

``hand``: a match of one hand to its settlement, a normal game with calls that cross.  ``duel``: the first hand of a
duel, with its test and a marriage.  Every entry in hex, seeded, for second implementations and against changes by
accident; SPEC.md says what the files hold.

The entries are made here one by one and judged by the observer alone, so nothing depends on how a node goes about it.
"""

import hashlib
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from node.bots.seeds import SeedChain
from protocol.cards import CLUB_QUEEN
from protocol.deal import keys as deal_keys
from protocol.deal.group import write_scalar
from protocol.deal.hashing import Q
from protocol.rules.acts import Call, Play
from protocol.rules.calls import CallKind
from protocol.rules.contracts import Contract, strength
from protocol.rules.hand import digest, legal
from protocol.table import own, settlement
from protocol.table.deal_phase import DealPhase
from protocol.table.end_phase import DOMAIN_SETTLE, result_fields
from protocol.table.entries import Entry, Signer, signed_form
from protocol.table.hand_phase import HandPhase
from protocol.table.log import ALL
from protocol.table.match import Match
from protocol.table.own import OwnDeal
from protocol.table.roster import Player, Setup, make_roster, make_setup
from protocol.table.terms import Bot, make_terms
from protocol.wire import entries as wire
from protocol.wire.entries import Chain, Fields, Kind
from protocol.wire.keys import sign_static
from tests.deal.helpers import Stream

NAMES = ("anna", "bert", "carl", "dora")
#: Seeds whose cards make the hand that is wanted.
SEEDS = {"hand": 2, "duel": 18}


@dataclass
class Seat:
    """One player: keys, and what has been made so far."""

    number: int
    signing: bytes
    static: bytes
    rand: Stream
    signer: Signer
    mine: OwnDeal | None = None
    next: dict[Chain, int] = field(default_factory=lambda: {Chain.MAIN: 0, Chain.DEAL: 0})


class Recorder:
    """A match of four whose every entry is made here."""

    def __init__(self, name: str, seed: int) -> None:
        self.name = name
        rand = Stream(f"{name} {seed}")
        signing, static = [rand(32) for _ in ALL], [rand(32) for _ in ALL]
        self.chains = {seat: SeedChain(rand(32)) for seat in (1, 3)} if name == "duel" else {}
        players = []
        for seat in ALL:
            key = Ed25519PrivateKey.from_private_bytes(signing[seat])
            public = X25519PrivateKey.from_private_bytes(static[seat]).public_key().public_bytes_raw()
            identity = key.public_key().public_bytes_raw()
            players.append(Player(identity, public, sign_static(key.sign, public), rand(32), NAMES[seat]))
        bots = tuple(
            Bot(
                seat=seat,
                identity=players[seat].identity,
                host=players[seat].identity,
                policy="beginner",
                version="1",
                seeds=chain.commitment,
            )
            for seat, chain in self.chains.items()
        )
        mode = "duel" if bots else "variable"
        terms = make_terms(table=rand(16), mode=mode, stake=25, fee=250, bots=bots)
        self.setup: Setup = make_setup(terms, make_roster(tuple(players)), 0)
        self.match = Match(self.setup)
        self.seats = [
            Seat(seat, signing[seat], static[seat], rand, Signer(self.setup.match_id, seat, signing[seat]))
            for seat in ALL
        ]
        self.entries: list[Entry] = []
        self.digests: list[bytes] = []

    # -- making entries --

    def sign(self, seat: int, chain: Chain, kind: Kind, parent: bytes, fields: Fields) -> Entry:
        author = self.seats[seat]
        entry = author.signer.make(chain, 0, author.next[chain], parent, kind, fields)
        author.next[chain] += 1
        assert self.match.offer(entry, own=True)
        self.entries.append(entry)
        return entry

    def on_deal(self, deal: DealPhase, seat: int) -> None:
        """The entry that *seat* owes on the deal chain."""
        author, kinds = self.seats[seat], deal.log.kinds
        if Kind.COMMIT in kinds:
            noise = {s: player.static for s, player in enumerate(self.setup.roster.players)}
            place = deal.place(seat, deal.first_head)
            author.mine = OwnDeal(deal_keys.make_keys(place, noise, author.rand))
        mine = author.mine
        assert mine is not None
        fields: Fields
        if Kind.COMMIT in kinds:
            kind, fields = Kind.COMMIT, wire.Commit(hash=mine.keys.commitment)
        elif Kind.KEYS in kinds:
            kind, fields = Kind.KEYS, wire.Keys(body=mine.keys.body)
        elif Kind.KEYOK in kinds:
            assert mine.open_boxes(deal, author.static) is None
            kind, fields = Kind.KEYOK, wire.KeyOk(hash=deal.keyok_hash)
        elif Kind.SHUF in kinds:
            place = deal.place(seat, deal.log.head)
            kind = Kind.SHUF
            fields = own.make_shuffle(place, mine.x, deal.joint_key, deal.deck, author.rand(64), None)
        elif Kind.DECKOK in kinds:
            kind, fields = Kind.DECKOK, wire.DeckOk(hash=deal.barrier)
        elif Kind.TEST in kinds:
            kind, fields = Kind.TEST, own.make_test(mine, deal, author.rand(64))
        else:
            kind, fields = Kind.TESTOPEN, own.make_testopen(mine, deal, author.rand(64))
        self.sign(seat, Chain.DEAL, kind, deal.log.head, fields)

    def on_main(self, seat: int) -> None:
        """The entry that *seat* owes on the main chain."""
        match, kinds, head = self.match, self.match.main.kinds, self.match.main.head
        author, hand = self.seats[seat], match.hand
        mine = author.mine
        assert mine is not None
        fields: Fields
        if Kind.SETTLE in kinds:
            assert match.document is not None
            signature = author.signer.sign(DOMAIN_SETTLE + match.document)
            fields = wire.Settle(document=settlement.hash_of(match.document), signature=signature)
            self.sign(seat, Chain.MAIN, Kind.SETTLE, head, fields)
            return
        assert hand is not None
        if Kind.SHARES in kinds:
            deal = hand.deal
            place = deal.place(seat, deal.log.head)
            args = (place, mine.x, mine.keys.public, deal.deck, deal.barrier, author.rand(64), deal.computers)
            self.sign(seat, Chain.MAIN, Kind.SHARES, head, own.make_share_fields(*args, deal.log.head))
        elif Kind.BID in kinds:
            reserve = mine.follow(hand).dealt(hand.position(seat)).count(CLUB_QUEEN) == 2  # type: ignore[union-attr]
            self.sign(seat, Chain.MAIN, Kind.BID, head, own.make_bid(mine, hand, reserve, author.rand))
        elif Kind.NAME in kinds:
            self.sign(seat, Chain.MAIN, Kind.NAME, head, wire.Name(game=Contract.MARRIAGE.value))
        elif Kind.MARRY in kinds:
            mine.follow(hand)
            self.sign(seat, Chain.MAIN, Kind.MARRY, head, own.make_marry(mine, hand, author.rand))
        elif Kind.PLAY in kinds:
            self.play(hand, seat, mine)
        elif Kind.TRICK in kinds:
            assert hand.state is not None
            value = digest(hand.state)
            if seat == 0:
                self.digests.append(value)
            fields = wire.Trick(trick=len(hand.state.tricks), digest=value, rejoins=())
            self.sign(seat, Chain.MAIN, Kind.TRICK, head, fields)
        else:
            assert match.closing is not None
            seed = self.chains[seat].seed(0) if seat in self.chains else None
            self.sign(seat, Chain.MAIN, Kind.RESULT, head, result_fields(match.closing, seed))

    def play(self, hand: HandPhase, seat: int, mine: OwnDeal) -> None:
        """The weakest card of the fullest class that is allowed; before it, whoever has something to call calls."""
        self.call(hand)
        state = mine.heard(hand)
        contract = state.contract
        assert contract is not None
        cards = [act.card for act in legal(state, hand.position(seat)) if isinstance(act, Play)]
        held = state.hand(hand.position(seat)) or ()

        def order(card: int) -> tuple[int, int, int]:
            same = sum(1 for other in held if strength(contract, other) // 7 == strength(contract, card) // 7)
            return (-same if state.led is None else 0, strength(contract, card), card)

        args = own.play_arguments(mine, hand, min(cards, key=order), self.seats[seat].rand)
        carried = tuple(signed_form(call.entry) for call in hand.pending.values())
        fields = msgspec.structs.replace(own.make_play(*args), calls=carried)
        self.sign(seat, Chain.MAIN, Kind.PLAY, self.match.main.head, fields)

    def call(self, hand: HandPhase) -> None:
        """Before the second card Re, and Kontra in answer to it; before the sixth no 90 by the other Re player."""
        assert hand.state is not None
        count, normal = hand.state.cards_played, hand.state.contract is Contract.NORMAL
        if not normal or count not in (1, 5):
            return
        wanted = (CallKind.RE, CallKind.KONTRA) if count == 1 else (CallKind.NO90,)
        for kind in wanted:
            for position in (2, 3, 0, 1):
                seat = hand.seat(position)
                mine = self.seats[seat].mine
                assert mine is not None
                state = mine.heard(hand)
                offered = [act for act in legal(state, position) if isinstance(act, Call) and act.kind is kind]
                if not offered or (kind is CallKind.NO90 and (CLUB_QUEEN not in mine.hand or state.proven[position])):
                    continue
                seq = self.seats[seat].next[Chain.MAIN]
                fields = own.make_call(mine, hand, kind, seq, self.seats[seat].rand)
                self.sign(seat, Chain.MAIN, Kind.CALL, self.match.main.head, fields)
                break

    # -- running --

    def run(self) -> None:
        """To the settlement; of a duel to the end of its first hand."""
        while not self.match.settled and not (self.name == "duel" and self.match.closed):
            deal = self.match.next_deal
            if self.match.hand is None and deal is not None and deal.number == 0 and deal.log.missing:
                self.on_deal(deal, deal.log.missing[0])
            else:
                self.on_main(self.match.main.missing[0])

    def fits(self) -> bool:
        """Whether the hand shows what it is there to show."""
        hand = self.match.hand
        assert hand is not None
        queens = [seat.mine.follow(hand).dealt(hand.position(seat.number)).count(CLUB_QUEEN) for seat in self.seats]  # type: ignore[union-attr]
        return queens[0] == 2 or queens[2] == 2 if self.name == "duel" else 2 not in queens


def cards_of(recorder: Recorder) -> list[list[int]]:
    """The four hands by seat, in slot order."""
    return [list(seat.mine.hand) for seat in recorder.seats if seat.mine is not None]


def pop_nonce(mine: OwnDeal, pop: bytes) -> bytes:
    """The w of a proof of possession, as its maker knows it."""
    c, z = int.from_bytes(pop[:32], "little"), int.from_bytes(pop[32:], "little")
    return write_scalar((z - c * mine.x) % Q)


def dleq_nonce(mine: OwnDeal, proof: bytes) -> bytes:
    """The r of a DLEQ proof, as its maker knows it."""
    c, z = int.from_bytes(proof[:32], "little"), int.from_bytes(proof[32:], "little")
    return write_scalar((z + c * mine.x) % Q)


def secrets_of(recorder: Recorder) -> Iterator[dict[str, Any]]:
    """What each player knows, with the nonces of the proofs that the files let one make again."""
    for seat in recorder.seats:
        mine = seat.mine
        assert mine is not None
        keys = msgspec.msgpack.decode(mine.keys.body)
        shares = next(e for e in recorder.entries if e.seat == seat.number and e.kind is Kind.SHARES)
        plays = [e.fields(wire.Play) for e in recorder.entries if e.seat == seat.number and e.kind is Kind.PLAY]
        yield {
            "signing": seat.signing.hex(),
            "static": seat.static.hex(),
            "subs": {str(j): write_scalar(sub).hex() for j, sub in mine.keys.subs.items()},
            "ephemerals": {str(j): secret.hex() for j, secret in mine.keys.ephemerals.items()},
            "coin": keys[5].hex(),
            "pop_nonce": pop_nonce(mine, keys[3]).hex(),
            "shares_nonce": dleq_nonce(mine, shares.fields(wire.Shares).proof).hex(),
            "play_nonces": [dleq_nonce(mine, play.proof).hex() for play in plays],
        }


def describe(recorder: Recorder) -> dict[str, Any]:
    """The file."""
    match = recorder.match
    closed = match.closed[0]
    deal = match.deals[0]
    forehand = closed.forehand
    out: dict[str, Any] = {
        "terms": recorder.setup.terms_bytes.hex(),
        "roster": recorder.setup.roster.raw.hex(),
        "match": recorder.setup.match_id.hex(),
        "seats": list(secrets_of(recorder)),
        "hands": cards_of(recorder),
        "forehand": forehand,
        "entries": [
            {
                "kind": entry.kind.name,
                "seat": entry.seat,
                "p": entry.payload.hex(),
                "s": entry.signature.hex(),
                "hash": entry.hash.hex(),
            }
            for entry in recorder.entries
        ],
        "deal_heads": [head.hex() for head in deal.log.heads],
        "main_heads": [head.hex() for head in match.main.heads],
        "digests": [value.hex() for value in recorder.digests],
        "result": msgspec.to_builtins(result_fields(closed, None)),
    }
    if match.document is not None:
        out["document"] = match.document.hex()
        out["settlement_sha256"] = hashlib.sha256(settlement.write(match)).hexdigest()
    return out


def record(name: str, seed: int | None = None) -> Recorder:
    """The match of that name."""
    recorder = Recorder(name, SEEDS[name] if seed is None else seed)
    recorder.run()
    return recorder


def main() -> None:
    print(json.dumps(describe(record(sys.argv[1])), indent=1))


if __name__ == "__main__":
    main()
