"""The fast core against the engine: the same cards, tricks, sides and scores."""

import random

import pytest

from node.bots.core import TRUMP, layout
from node.bots.playout import NEXT, play_out
from node.bots.rule_play import follow, lead, lead_alone
from node.bots.scene import put_hand, scorer_of, sides_for, start_of
from protocol.cards import CARD_POINTS, TYPES
from protocol.rules.acts import Play
from protocol.rules.contracts import Contract, card_class, class_members, trick_winner
from protocol.rules.hand import HandRules, HandState, Phase, push, result
from tests.bots.deals import queens_of, random_plays, settled, some_call

CONTRACTS = [None, *Contract]


@pytest.mark.parametrize("contract", list(Contract))
def test_layout_has_the_classes_strengths_and_points_of_the_rules_r3_r4_r5(contract: Contract) -> None:
    lay = layout(contract)
    for card in range(TYPES):
        code = lay.code[card]
        assert code >> 5 == card_class(contract, card)
        assert lay.card[code] == lay.card[code + 1] == card
        assert lay.points[code] == lay.points[code + 1] == CARD_POINTS[card]
    for cls in range(5):
        members = class_members(contract, cls)
        assert lay.count[cls] == 2 * len(members)
        assert [lay.code[card] for card in members] == sorted((lay.code[card] for card in members), reverse=True)
    for one in range(TYPES):
        for two in range(TYPES):
            code = lay.code[two]
            follows = code >> 5 in (TRUMP, lay.code[one] >> 5)
            beats = follows and lay.power[code] > lay.power[lay.code[one]]
            assert beats == (trick_winner(contract, (one, two)) == 1)


def ruled_card(state: HandState, hands: list[int], sides: list[int]) -> int:
    """The code that a playout plays in this state, worked out from scratch."""
    assert state.contract is not None
    lay, start = layout(state.contract), start_of(state)
    me = start.turn
    base = 5 * me
    if start.count:
        behind, player, foes = 3 - start.count, me, 0
        for _ in range(behind):
            player = NEXT[player]
            foes += sides[player] != sides[me]
        ours = sides[start.holder] == sides[me]
        return follow(lay, hands, base, start.led, start.power, ours, behind, foes, start.value, start.fresh)
    if sides.count(0) == 1 and sides[me] == 0 and start.groom < 0:
        out = [0] * 5
        for p in range(4):
            if p != me:
                out = [a | b for a, b in zip(out, hands[5 * p : 5 * p + 5], strict=True)]
        return lead_alone(lay, hands, base, out, start.fresh)
    return lead(lay, hands, base, sides[me] == 0, start.fresh)


def masks(state: HandState) -> list[int]:
    assert state.contract is not None
    lay = layout(state.contract)
    hands = [0] * 20
    for p in range(4):
        put_hand(lay, hands, p, state.hand(p) or ())
    return hands


@pytest.mark.parametrize("wanted", CONTRACTS)
@pytest.mark.parametrize("duel", [None, (0, 2), (1, 3)])
def test_a_playout_is_a_hand_of_the_engine(wanted: Contract | None, duel: tuple[int, int] | None) -> None:
    rng = random.Random(f"{wanted} {duel}")
    for number in range(25):
        rules = HandRules("ddv" if number % 2 else "stargames", number % 3 > 0, duel)
        state = settled(rng, rules, wanted)
        random_plays(state, rng, rng.choice((0, 0, 1, 3, 9, 20, 30, 45)))
        for _ in range(number % 4):
            some_call(state, rng)
        if state.phase is not Phase.PLAY:
            continue
        assert state.contract is not None
        lay = layout(state.contract)
        dealt = [state.dealt(p) or () for p in range(4)]
        hands, sides = masks(state), sides_for(state, queens_of(dealt))
        out = play_out(lay, hands, sides, start_of(state), -1)
        assert out.void or not any(hands), "every card was played"
        scorer = scorer_of(state)
        while state.phase is not Phase.DONE:
            code = ruled_card(state, masks(state), sides_for(state, queens_of(dealt)))
            push(state, Play(state.turn or 0, lay.card[code]))
        end = result(state)
        assert out.void == end.void
        assert tuple(scorer.points(out, p) for p in range(4)) == end.points
        if not end.void:
            assert out.re_points == end.card_points[0]
            assert [p for p in range(4) if out.re >> p & 1] == list(end.re)


def test_an_odd_card_is_legal_and_changes_the_outcome_somewhere() -> None:
    rng = random.Random(5)
    changed = 0
    for number in range(60):
        state = settled(rng, HandRules(), Contract.NORMAL)
        lay = layout(Contract.NORMAL)
        sides = sides_for(state, queens_of([state.dealt(p) or () for p in range(4)]))
        plain = play_out(lay, masks(state), sides, start_of(state), -1)
        hands = masks(state)
        odd = play_out(lay, hands, sides, start_of(state), -1, number % 48, rng.getrandbits(16))
        assert not any(hands), "a card that is not held would leave a bit"
        changed += odd != plain
    assert changed > 10
