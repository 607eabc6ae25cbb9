"""Chance and seeds: pinned figures, since old matches are audited with them."""

import hashlib
import random
from collections import Counter

import pytest

from node.bots.chance import Chance, decision_chance
from node.bots.seeds import SeedChain
from protocol.refusal import Code, Refusal
from protocol.rules.hand import HandRules, apply
from protocol.rules.view import hand_view
from protocol.table.seeds import DOMAIN, LENGTH, check_seed, climb, step
from tests.bots.deals import settled


def test_the_stream_is_mt19937_seeded_by_a_hash() -> None:
    chance = Chance(b"pinned")
    number = int.from_bytes(hashlib.sha256(b"DOKO1-botchancepinned").digest(), "big")
    other = random.Random(number)
    assert [chance.bits(16) for _ in range(6)] == [other.getrandbits(16) for _ in range(6)]
    assert [Chance(b"pinned").bits(k) for k in (1, 8, 32)] == [1, 157, 2643195522]
    assert [Chance(b"pinned").below(n) for n in (1, 7, 48, 10**30)] == [0, 4, 39, 158757449374045111690616244094]


def test_below_is_uniform_and_refuses_an_empty_range() -> None:
    chance = Chance(b"u")
    counts = Counter(chance.below(5) for _ in range(5000))
    assert sorted(counts) == [0, 1, 2, 3, 4]
    assert all(abs(n - 1000) < 150 for n in counts.values())
    for bad in (0, -1):
        with pytest.raises(ValueError):
            chance.below(bad)


def test_shuffle_and_pick() -> None:
    items = list(range(10))
    Chance(b"s").shuffle(items)
    assert sorted(items) == list(range(10))
    assert items != list(range(10))
    orders: Counter[tuple[int, ...]] = Counter()
    chance = Chance(b"orders")
    for _ in range(1200):
        three = [0, 1, 2]
        chance.shuffle(three)
        orders[tuple(three)] += 1
    assert len(orders) == 6
    assert all(abs(n - 200) < 60 for n in orders.values())
    assert {chance.pick("ab") for _ in range(40)} == {"a", "b"}


def test_decisions_of_one_deal_never_share_their_numbers() -> None:
    state = settled(random.Random(1), HandRules(), None)
    view = hand_view(state, state.turn or 0)
    seen = {
        decision_chance(view, bytes(32)).bits(64),
        decision_chance(view, bytes(31) + b"1").bits(64),
        decision_chance(view, bytes(32), b"call").bits(64),
        decision_chance(hand_view(state, (view.me + 1) % 4), bytes(32)).bits(64),
        decision_chance(hand_view(apply(state, view.legal[0]), view.me), bytes(32)).bits(64),
    }
    assert len(seen) == 5
    assert decision_chance(view, bytes(32)).bits(64) in seen


def test_a_chain_proves_each_seed_and_hides_the_later_ones() -> None:
    chain = SeedChain(bytes(range(32)))
    assert chain.commitment.hex()[:16] == "fbe09225d1a9e92b"
    for deal in (0, 1, 5, LENGTH - 1):
        check_seed(chain.commitment, deal, chain.seed(deal))
    assert chain.seed(LENGTH - 1) == chain.root
    assert climb(chain.seed(4), 2) == chain.seed(2), "earlier seeds follow from later ones, not the other way round"
    assert step(b"x" * 32) == hashlib.sha256(DOMAIN + b"x" * 32).digest()
    assert "01020304" not in repr(chain)
    with pytest.raises(IndexError):
        chain.seed(LENGTH)
    with pytest.raises(IndexError):
        chain.seed(-1)
    with pytest.raises(ValueError):
        SeedChain(b"short")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda c, d, s: (c, d, bytes(32)), Code.CLAIM),
        (lambda c, d, s: (c, d + 1, s), Code.CLAIM),
        (lambda c, d, s: (bytes(32), d, s), Code.CLAIM),
        (lambda c, d, s: (c, d, s[:-1]), Code.FORMAT),
        (lambda c, d, s: (c[:-1], d, s), Code.FORMAT),
        (lambda c, d, s: (c, -1, s), Code.LIMIT),
        (lambda c, d, s: (c, LENGTH, s), Code.LIMIT),
    ],
)
def test_a_false_seed_is_refused(change, code) -> None:  # type: ignore[no-untyped-def]
    chain = SeedChain(b"a" * 32)
    with pytest.raises(Refusal) as caught:
        check_seed(*change(chain.commitment, 3, chain.seed(3)))
    assert caught.value.code is code
