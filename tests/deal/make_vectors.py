"""Write the frozen deal: ``python -m tests.deal.make_vectors > tests/deal/data/deal.json``.

A seeded deal of four players with every message in hex, for second implementations and against changes by accident.
"""

import json

from protocol.deal import duel
from protocol.deal.group import write_scalar
from protocol.deal.play import make_open
from protocol.deal.void import make_void

from .helpers import COMPUTERS, HUMANS, Dealt, Stream, dealt


def describe(d: Dealt) -> dict:
    """All of a deal that a reader needs to check it, and the secrets to make it again."""
    rand = Stream("vectors")
    base = d.place_base
    out: dict = {
        "match_id": base.match_id.hex(),
        "roster_hash": base.roster_hash.hex(),
        "hand": base.hand,
        "width": d.width,
        "barrier": d.barrier.hex(),
        "noise_private": [key.hex() for key in d.noise_private],
        "x": [write_scalar(own.x).hex() for own in d.own],
        "extra": {
            "pop": [d.pop_place(i).extra.hex() for i in range(4)],
            "shuf": [d.shuf_place(i).extra.hex() for i in range(4)],
            "shares": [d.shares_place(i).extra.hex() for i in range(4)],
        },
        "commit": [own.commitment.hex() for own in d.own],
        "keys": [own.body.hex() for own in d.own],
        "joint_key": d.key.hex(),
        "shuf": [{"deck": made.deck_bytes.hex(), "proof": made.proof.hex()} for made in d.shuffled],
        "shares": [{"d": items.hex(), "proof": proof.hex()} for items, proof in d.share_messages],
        "hands": d.hands,
    }
    place = d.place(1, b"parent head")
    share, proof = make_open(place, d.own[1].x, d.own[1].public, d.pairs[12], rand)
    held = set(d.hands[1][1:4])
    types = [k for k in range(24) if k not in held][:3]
    void = make_void(place, d.own[1].x, d.own[1].public, d.pairs, [13, 14, 15], types, rand)
    out["play"] = {"seat": 1, "slot": 12, "extra": place.extra.hex(), "d": share.hex(), "proof": proof.hex()}
    out["void"] = {"seat": 1, "slots": [13, 14, 15], "types": types, "extra": place.extra.hex(), "proof": void.hex()}
    if d.width == 2:
        f, proofs = duel.make_test(d.place(1, b"test"), d.own[1].x, d.decks[-1], HUMANS, COMPUTERS, rand)
        out["test"] = {"seat": 1, "extra": b"test".hex(), "f": [x.hex() for x in f]}
        out["test"]["proofs"] = [x.hex() for x in proofs]
    return out


def main() -> None:
    print(json.dumps({"normal": describe(dealt(1, "frozen")), "duel": describe(dealt(2, "frozen"))}, indent=1))


if __name__ == "__main__":
    main()
