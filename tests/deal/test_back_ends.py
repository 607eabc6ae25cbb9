"""A whole deal on the pure Python back end: the same bytes as on libsodium, each verifying the other's."""

import pytest

from protocol.deal import claims, duel, inequality, play, void
from protocol.deal import group as group_module
from protocol.deal.group import ristretto
from protocol.deal.group_py import PureRistretto

from .helpers import COMPUTERS, HUMANS, Dealt, Stream, check_shares, dealt, holder, verify
from .test_attacks_play import CLUBS, HAND

PURE = PureRistretto()


@pytest.fixture
def pure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group_module, "_backend", PURE)
    assert ristretto().name == "pure Python"


@pytest.fixture(scope="module")
def pure_deal() -> Dealt:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(group_module, "_backend", PURE)
        return dealt.__wrapped__(1)


def test_the_whole_deal_is_the_same_byte_for_byte(pure_deal: Dealt) -> None:
    native = dealt(1)
    assert [own.body for own in pure_deal.own] == [own.body for own in native.own]
    assert pure_deal.shuffled == native.shuffled
    assert pure_deal.share_messages == native.share_messages
    assert pure_deal.pairs == native.pairs
    assert pure_deal.hands == native.hands


def test_each_verifies_the_other(pure: None) -> None:
    native = dealt(1)
    assert verify(native, 3) == native.decks[4]
    assert check_shares(native, 2) == native.shares[2]


def statements() -> list[bytes]:
    """One of each other proof, seeded."""
    p = holder(HAND)
    slots = p.slots[:3]
    made = [*play.make_open(p.place, p.x, p.public, p.pairs[24], Stream("o"))]
    made.append(void.make_void(p.place, p.x, p.public, p.pairs, slots, CLUBS, Stream("v")))
    void.check_void(p.place, p.public, p.pairs, slots, CLUBS, made[-1])
    opening = claims.make_re(p.place, p.x, p.public, p.pairs, p.hand, {}, Stream("r"))
    made += [opening.d, opening.proof]
    d = dealt(2)
    place = d.place(1, b"test")
    fs, proofs = duel.make_test(place, d.own[1].x, d.decks[-1], HUMANS, COMPUTERS, Stream("t"))
    duel.check_test(place, d.decks[-1], HUMANS, COMPUTERS, fs, proofs)
    made += [*fs, *proofs]
    made.append(inequality.prove(p.place, p.x, p.public, [inequality.two_queens_item(p.pairs[24])], Stream("q")))
    return made


def test_the_other_proofs_are_the_same_too(monkeypatch: pytest.MonkeyPatch) -> None:
    native = statements()
    monkeypatch.setattr(group_module, "_backend", PURE)
    assert statements() == native
