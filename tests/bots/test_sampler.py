"""The sampler: exactly the worlds that fit, all with equal chances."""

import random
from collections import Counter
from itertools import combinations
from math import comb

import pytest

from node.bots.chance import Chance
from node.bots.sampler import Sampler, knowledge
from protocol.cards import CLUB_QUEEN
from protocol.rules.calls import Side
from protocol.rules.contracts import Contract, card_class
from protocol.rules.hand import HandRules, HandState, Phase
from protocol.rules.view import HandView, hand_view
from tests.bots.deals import random_plays, settled, some_call

World = tuple[tuple[int, ...], ...]


def fits(view: HandView, world: dict[int, tuple[int, ...]]) -> bool:
    """Could the others have been dealt this?  By replaying the log against whole hands, fact by fact."""
    state = view.state
    hands = {p: Counter(cards) + Counter(c for q, c in state.log if q == p) for p, cards in world.items()}
    hands[view.me] = Counter(view.dealt)
    left = {p: Counter(h) for p, h in hands.items()}
    tricks = [(t.leader, t.cards) for t in state.tricks] + [(state.leader, state.trick)]
    contract = state.contract or Contract.NORMAL
    for leader, cards in tricks:
        for i, card in enumerate(cards):
            player = (leader + i) % 4
            led = card_class(contract, cards[0])
            if card_class(contract, card) != led and led in {card_class(contract, c) for c in +left[player]}:
                return False
            left[player][card] -= 1
    queens = [hands[p][CLUB_QUEEN] for p in range(4)]
    for player in range(4):
        if left[player][CLUB_QUEEN] < state.shown[player]:
            return False
        if (player, Contract.MARRIAGE) in state.names and queens[player] != 2:
            return False
    for call in state.calls:
        if contract is Contract.NORMAL and (queens[call.player] > 0) != (call.side is Side.RE):
            return False
    duel = state.rules.duel
    if duel is not None:
        if max(queens) == 1 and queens[duel[0]] + queens[duel[1]] != 1:
            return False
        for player, reserved in enumerate(state.bids):
            if player not in duel and (queens[player] == 2) != reserved:
                return False
    return True


def all_worlds(view: HandView) -> Counter[World]:
    """Every way to deal the unseen cards, counted as distinct cards."""
    known = knowledge(view)
    cards = list(range(len(known.unseen)))
    one, two, three = known.sizes
    assert one + two + three == len(cards)
    worlds: Counter[World] = Counter()
    for first in combinations(cards, one):
        rest = [c for c in cards if c not in first]
        for second in combinations(rest, two):
            split = (first, second, tuple(c for c in rest if c not in second))
            hands = tuple(tuple(sorted(known.unseen[c] for c in part)) for part in split)
            if hands in worlds or fits(view, dict(zip(known.others, hands, strict=True))):
                worlds[hands] += 1
    return worlds


def ending(rng: random.Random, rules: HandRules, wanted: Contract | None, cards_left: int) -> HandState | None:
    state = settled(rng, rules, wanted)
    for _ in range(rng.randrange(3)):
        some_call(state, rng)
    random_plays(state, rng, 48 - cards_left)
    return state if state.phase is Phase.PLAY else None


CASES = [
    (Contract.NORMAL, None),
    (Contract.NORMAL, (0, 2)),
    (Contract.MARRIAGE, None),
    (Contract.MARRIAGE, (1, 3)),
    (Contract.SOLO_QUEENS, None),
    (Contract.SOLO_HEARTS, None),
    (Contract.SOLO_ACES, (0, 2)),
    (None, None),
]


@pytest.mark.parametrize(("wanted", "duel"), CASES)
def test_the_number_of_worlds_is_the_brute_force_count(wanted: Contract | None, duel: tuple[int, int] | None) -> None:
    rng = random.Random(f"count {wanted} {duel}")
    checked = constrained = 0
    while checked < 12:
        state = ending(rng, HandRules(duel=duel), wanted, rng.randrange(4, 12))
        if state is None:
            continue
        view = hand_view(state, rng.randrange(4))
        worlds = all_worlds(view)
        assert Sampler(knowledge(view)).total == worlds.total()
        checked += 1
        one, two, three = knowledge(view).sizes
        constrained += worlds.total() < comb(one + two + three, one) * comb(two + three, two)
    assert constrained


@pytest.mark.parametrize(("wanted", "duel"), CASES)
def test_draws_are_uniform_by_chi_square(wanted: Contract | None, duel: tuple[int, int] | None) -> None:
    rng = random.Random(f"uniform {wanted} {duel}")
    done = 0
    while done < 2:
        state = ending(rng, HandRules(duel=duel), wanted, 9)
        if state is None:
            continue
        view = hand_view(state, rng.randrange(4))
        worlds = all_worlds(view)
        if not 6 <= len(worlds) <= 300:
            continue
        done += 1
        sampler = Sampler(knowledge(view))
        chance = Chance(f"{wanted} {duel} {done}".encode())
        draws = 40 * len(worlds)
        drawn = Counter(tuple(tuple(sorted(hand)) for hand in sampler.draw(chance)) for _ in range(draws))
        assert not drawn.keys() - worlds.keys()
        total = worlds.total()
        chi = sum((drawn[w] - draws * n / total) ** 2 / (draws * n / total) for w, n in worlds.items())
        free = len(worlds) - 1
        # Beyond five standard deviations of chi-square; the seeds are fixed, so this never flickers.
        assert abs(chi - free) < 5 * (2 * free) ** 0.5


@pytest.mark.parametrize("hands", [1_000, pytest.param(10_000, marks=pytest.mark.soak)])
def test_the_true_deal_is_never_excluded(hands: int) -> None:
    rng = random.Random(hands)
    for number in range(hands):
        duel = (None, None, (0, 2), (1, 3))[number % 4]
        wanted = (None, Contract.NORMAL, None, Contract.NORMAL, Contract.MARRIAGE)[number % 5]
        state = settled(rng, HandRules(duel=duel), wanted)
        for _ in range(rng.randrange(3)):
            some_call(state, rng)
        random_plays(state, rng, rng.randrange(48))
        if state.phase is not Phase.PLAY:
            continue
        me = rng.randrange(4)
        known = knowledge(hand_view(state, me))
        assert Sampler(known).allows([state.hand(p) or () for p in known.others])


def test_codes_tell_the_copies_apart_and_silent_solos_can_weigh_less() -> None:
    rng = random.Random(3)
    while True:
        state = settled(rng, HandRules(), Contract.NORMAL)
        me = next((p for p in range(4) if CLUB_QUEEN not in (state.dealt(p) or ())), None)
        if me is not None:
            break
    known = knowledge(hand_view(state, me))
    codes = [2 * card for card in range(24)]
    both = {}
    for silent in ((1, 1), (1, 16), (0, 1)):
        sampler = Sampler(known, codes=codes, silent=silent)
        chance = Chance(b"silent")
        both[silent] = 0
        for _ in range(600):
            hands = sampler.draw(chance)
            assert len({code for hand in hands for code in hand}) == 36
            both[silent] += any({6, 7} <= set(hand) for hand in hands)
    # 36 unseen cards, 12 a hand: both queens lie together in 11/35 of all worlds.
    assert 150 < both[1, 1] < 230
    assert 5 < both[1, 16] < 40
    assert both[0, 1] == 0
