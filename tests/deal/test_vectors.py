"""The frozen deal: read from its hex alone and checked as a stranger would, and made again byte for byte."""

import json
from pathlib import Path

import pytest

from protocol.deal import duel, keys, shares, shuffle
from protocol.deal.deck import initial_deck
from protocol.deal.hashing import Place
from protocol.deal.play import check_open
from protocol.deal.void import check_void

from .helpers import COMPUTERS, HUMANS, dealt
from .make_vectors import describe

FROZEN = json.loads((Path(__file__).parent / "data" / "deal.json").read_text())


@pytest.mark.parametrize("name", ["normal", "duel"])
def test_the_frozen_deal_checks_from_its_bytes(name: str) -> None:
    v = FROZEN[name]
    raw = bytes.fromhex

    def place(seat: int, extra: str) -> Place:
        return Place(raw(v["match_id"]), raw(v["roster_hash"]), v["hand"], seat, raw(extra))

    public = []
    for seat in range(4):
        keys.check_commitment(raw(v["commit"][seat]), raw(v["keys"][seat]))
        public.append(keys.read_keys(place(seat, v["extra"]["pop"][seat]), raw(v["keys"][seat])))
    for seat in range(4):
        for other in keys.others(seat):
            at = place(seat, v["extra"]["pop"][seat])
            keys.open_box(at, public[seat], other, raw(v["noise_private"][other]))
    key = keys.joint_key(public)
    assert key.hex() == v["joint_key"]
    deck = initial_deck(key, v["width"])
    for seat, shuf in enumerate(v["shuf"]):
        at = place(seat, v["extra"]["shuf"][seat])
        deck = shuffle.verify_shuffle(at, key, deck, raw(shuf["deck"]), raw(shuf["proof"]))
    computers = COMPUTERS if v["width"] == 2 else ()
    got = []
    for seat, sent in enumerate(v["shares"]):
        at = place(seat, v["extra"]["shares"][seat])
        args = (public[seat].public, deck, raw(v["barrier"]), raw(sent["d"]), raw(sent["proof"]), computers)
        got.append(shares.check_shares(at, *args))
    pairs = shares.hand_pairs(deck, got)
    for seat in range(4):
        x = int.from_bytes(raw(v["x"][seat]), "little")
        assert list(shares.read_hand(x, pairs[12 * seat : 12 * seat + 12])) == v["hands"][seat]
    play, void = v["play"], v["void"]
    card = check_open(place(1, play["extra"]), public[1].public, pairs[12], raw(play["d"]), raw(play["proof"]))
    assert card == v["hands"][1][0]
    check_void(place(1, void["extra"]), public[1].public, pairs, void["slots"], void["types"], raw(void["proof"]))
    if v["width"] == 2:
        t = v["test"]
        duel.check_test(place(1, t["extra"]), deck, HUMANS, COMPUTERS, *(list(map(raw, t[n])) for n in ("f", "proofs")))


@pytest.mark.parametrize(("name", "width"), [("normal", 1), ("duel", 2)])
def test_the_frozen_deal_is_made_again_byte_for_byte(name: str, width: int) -> None:
    assert json.loads(json.dumps(describe(dealt(width, "frozen")))) == FROZEN[name]
