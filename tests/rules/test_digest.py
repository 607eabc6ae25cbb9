"""The digest of the public state: its bytes are part of the protocol, so some are written out here."""

import hashlib

from protocol.cards import CLUB_QUEEN, parse_card
from protocol.rules.calls import CallKind, Side
from protocol.rules.contracts import Contract
from protocol.rules.digest import DOMAIN, digest, public_bytes
from protocol.rules.hand import Call, HandRules, Healthy, Name, Play, Reserve, apply, start


def body(text: str) -> bytes:
    return bytes(int(word) for word in text.split())


def test_the_domain() -> None:
    assert DOMAIN == b"DOKO1-state"


def test_the_digest_is_sha256_over_domain_and_body() -> None:
    state = start(HandRules())
    assert digest(state) == hashlib.sha256(b"\x00\x0bDOKO1-state" + public_bytes(state)).digest()


def test_the_bytes_of_a_hand_before_the_first_bid() -> None:
    nobody = "255 255 0"
    assert public_bytes(start(HandRules())) == body(
        "0 1 0 0  0 0 255 0  0  0  255 255 0  0  0  0 0 0 0 "
        f"{nobody} {nobody} {nobody} {nobody} 0 0 0 0"
    )


def test_the_bytes_of_the_rules() -> None:
    assert public_bytes(start(HandRules("ddv", False, (0, 2)), proofs=True))[:4] == body("1 0 1 1")
    assert public_bytes(start(HandRules(duel=(1, 3))))[:4] == body("0 1 2 0")


def test_the_bytes_of_bids_names_cards_and_calls() -> None:
    state = start(HandRules())
    for act in (Healthy(0), Reserve(1), Healthy(2), Healthy(3), Name(1, Contract.SOLO_ACES)):
        state = apply(state, act)
    state = apply(state, Play(0, parse_card("CA")))
    state = apply(state, Call(1, CallKind.NO60))
    state = apply(state, Play(1, parse_card("SA")))
    assert public_bytes(state) == body(
        "0 1 0 0  3 2 9 0  4 0 1 0 0  1 1 9  255 255 0  2 0 0 1 6  1 1 3 0 255 1 1  3 0 0 0 "
        "255 1 0  255 0 0  255 1 0  255 1 0  0 0 0 32"
    )


def test_the_bytes_of_a_proven_side() -> None:
    state = start(HandRules(), proofs=True)
    for player in range(4):
        state = apply(state, Healthy(player))
    state = apply(state, Call(2, CallKind.RE, Side.RE, CLUB_QUEEN))
    assert public_bytes(state)[-27:] == body(
        "1  2 0 0 3 1 0  1 0  0 0  255 255 0  255 255 0  0 0 1  255 255 0  0 0 0 0"
    )


def test_equal_states_by_different_ways_have_one_digest() -> None:
    one = apply(start(HandRules()), Healthy(0))
    hands = [[k for k in range(24) if k % 4 == p % 2 * 2] * 2 for p in range(4)]
    assert len(hands[0]) == 12
    two = apply(start(HandRules(), [hands[0], None, None, None]), Healthy(0))
    assert digest(one) == digest(two)


def test_a_bid_changes_the_digest() -> None:
    state = start(HandRules())
    assert len({digest(state), digest(apply(state, Healthy(0))), digest(apply(state, Reserve(0)))}) == 3


def test_the_moment_of_a_call_is_public() -> None:
    state = start(HandRules())
    for player in range(4):
        state = apply(state, Healthy(player))
    call, card = Call(1, CallKind.KONTRA, Side.KONTRA), Play(0, 0)
    assert digest(apply(apply(state, call), card)) != digest(apply(apply(state, card), call))
