"""The levels that search: pure, honest, better where it counts; solos, calls, inference and hints."""

import random
from dataclasses import replace

import pytest

from node.bots.announce import TUNED, outlook, wanted_call, wanted_contract, win_percent
from node.bots.chance import Chance
from node.bots.core import layout
from node.bots.hint import hint, review, weigh, words
from node.bots.inference import Evidence
from node.bots.levels import level_policy
from node.bots.playout import Outcome, Scorer
from node.bots.rule_play import follow
from node.bots.sampler import Sampler, knowledge
from node.bots.scene import Worlds, put_hand, sides_for
from node.bots.search import Settings, search_card, weigh_cards, worth
from node.bots.search_bot import Intermediate, Strong
from node.bots.single import play_hand
from node.console.faces import card_words
from protocol.cards import CARD_NAMES, parse_cards
from protocol.rules.acts import Call, Healthy, Play, Reserve
from protocol.rules.calls import CallKind
from protocol.rules.contracts import Contract
from protocol.rules.hand import HandRules, HandState, Phase, apply, push, result, start
from protocol.rules.view import HandView, hand_view
from protocol.table.end_phase import ClosedHand
from tests.bots.deals import deal, duel_deal, queens_of, random_plays, settled
from tests.bots.test_beginner import played, table

SEED = bytes(range(32))
QUICK = Settings(12, odd=True, draws=2)


def some_views(number: int, *, cards: int = 20, duel: tuple[int, int] | None = None) -> list[HandView]:
    rng = random.Random(f"views {number} {cards} {duel}")
    found: list[HandView] = []
    while len(found) < number:
        state = settled(rng, HandRules(duel=duel), rng.choice((Contract.NORMAL, Contract.MARRIAGE, None)))
        random_plays(state, rng, cards + rng.randrange(12))
        if state.phase is Phase.PLAY:
            found.append(hand_view(state, state.turn or 0))
    return found


def cards_of(view: HandView) -> tuple[int, ...]:
    return tuple(act.card for act in view.legal if isinstance(act, Play))


def test_the_choice_follows_from_view_and_seed() -> None:
    differs = 0
    for view in some_views(8):
        cards = cards_of(view)
        one = search_card(view, cards, SEED, QUICK)
        assert one in cards
        assert one == search_card(view, cards, SEED, QUICK)
        differs += one != search_card(view, cards, SEED[::-1], replace(QUICK, worlds=2))
    assert differs, "the seed matters where it is close"


def test_shuffling_the_hidden_hands_changes_no_choice() -> None:
    rng = random.Random(12)
    policy = Intermediate()
    for _ in range(6):
        hands = deal(rng)
        hidden = [card for hand in hands[1:] for card in hand]
        rng.shuffle(hidden)
        views = []
        for rest in (hands[1:], [tuple(hidden[12 * i : 12 * i + 12]) for i in range(3)]):
            state = table(*(" ".join(CARD_NAMES[k] for k in hand) for hand in (hands[0], *rest)))
            assert policy.choose(hand_view(state, 0), SEED) == policy.choose(hand_view(state.seen_by(0), 0), SEED)
            views.append(hand_view(played(state), 0))
        assert policy.choose(views[0], SEED) == policy.choose(views[1], SEED)
        assert policy.call(views[0], SEED) == policy.call(views[1], SEED)


def test_what_is_weighed_is_points_first_and_card_points_below() -> None:
    scorer = Scorer((0, 0), "stargames", True)
    narrow = Outcome(121, 0b0011, 0b1111, 0)
    wide = Outcome(149, 0b0011, 0b1111, 0)
    assert scorer.points(narrow, 0) == scorer.points(wide, 0) == 1
    assert worth(scorer, narrow, 0) == 100 + 121
    assert worth(scorer, wide, 0) == 100 + 149
    assert worth(scorer, narrow, 2) == -100 + 119
    assert worth(scorer, Outcome(0, 0, 0, 0, True), 0) == 0
    assert scorer.wins(narrow, True)
    assert not scorer.wins(narrow, False)
    assert not Scorer((2, 0), "stargames", True).wins(narrow, True), "no 90 was called and missed"


def test_every_card_meets_the_same_worlds_and_some_are_better() -> None:
    differing = 0
    for view in some_views(6, cards=20):
        cards = cards_of(view)
        weighed = weigh_cards(view, cards, Chance(b"end"), Settings(20))
        assert [one.card for one in weighed] == list(cards)
        assert {one.worlds for one in weighed} == {20}
        assert all(0 <= one.won <= 20 for one in weighed)
        if len(cards) > 1:
            # Equal chance, equal worlds: a card alone is worth what it is among others.
            assert weigh_cards(view, cards[-1:], Chance(b"end"), Settings(20)) == weighed[-1:]
            differing += weighed[0].total != weighed[-1].total
    assert differing


def test_searching_beats_the_rules_in_card_play() -> None:
    from node.bots.league import Method, Plan, run

    tally = run(Plan("intermediate", "beginner", Method.SWAP, 12, 6, bidding=False), jobs=1)
    assert tally.mean > 0
    assert tally.first.hands == 24


def test_evidence_prefers_the_world_in_which_the_play_makes_sense() -> None:
    first = "CA CK C9 SK S9 HK H9 DJ HJ D9 DK SJ"
    second = "CT CT C9 SA SA ST ST HQ HQ DQ DQ SQ"
    state = played(table(first, second), "CA", "C9")
    view = hand_view(state, 2)
    lay = layout(Contract.NORMAL)
    evidence = Evidence(view, lay)
    assert len(evidence) == 2
    sides = sides_for(state, queens_of([state.dealt(p) or () for p in range(4)]))

    def misfits(cards: str, who: int) -> int:
        hands = [0] * 20
        for p in range(4):
            put_hand(lay, hands, p, state.hand(p) or ())
        put_hand(lay, hands, who, parse_cards(cards))
        return evidence.misfits(hands, sides)

    assert misfits("CK C9 SK S9 HK H9 DJ HJ D9 DK SJ", 0) == 0
    # A player who led CA from four clubs while he held another, shorter fresh ace would not have done so.
    assert misfits("CK C9 SA S9 HK H9 DJ HJ D9 DK SJ", 0) == 1


def test_evidence_knows_what_was_held_when_a_card_was_played() -> None:
    rng = random.Random(8)
    for _ in range(20):
        state = settled(rng, HandRules(), Contract.NORMAL)
        whole = [state.dealt(p) or () for p in range(4)]
        sides = sides_for(state, queens_of(whole))
        log = []
        while state.phase is Phase.PLAY and len(log) < 30:
            log.append(state.copy())
            random_plays(state, rng, 1)
        view = hand_view(state, state.turn or 0)
        lay = layout(Contract.NORMAL)
        hands = [0] * 20
        for p in range(4):
            put_hand(lay, hands, p, state.hand(p) or ())
        bad = 0
        for before, (player, card) in zip(log, state.log, strict=True):
            if player == view.me:
                continue
            bad += _fits_not(before, player, card, sides)
        assert Evidence(view, lay).misfits(hands, sides) == bad


def _fits_not(state: HandState, player: int, card: int, sides: list[int]) -> bool:
    """One card against the rules, from the engine's state at the time."""
    from node.bots.rule_play import lead
    from node.bots.scene import start_of

    lay, start = layout(Contract.NORMAL), start_of(state)
    hands = [0] * 20
    put_hand(lay, hands, 0, state.hand(player) or ())
    if not start.count:
        if sides.count(0) == 1 and not sides[player]:
            return False
        return lead(lay, hands, 0, not sides[player], start.fresh) & -2 != lay.code[card]
    shown = sum(1 << p for p in range(4) if state.queens[p])
    knows = shown.bit_count() == 2 or (not sides[player] and shown & ~(1 << player))
    behind = 3 - start.count
    ours = bool(knows) and sides[start.holder] == sides[player]
    foes = behind
    if knows:
        foes = sum(sides[(player + i) % 4] != sides[player] for i in range(1, behind + 1))
    code = follow(lay, hands, 0, start.led, start.power, ours, behind, foes, start.value, start.fresh)
    return code & -2 != lay.code[card]


def test_a_sure_solo_is_bid_and_named_and_a_poor_hand_is_not() -> None:
    state = table("CQ CQ SQ SQ HQ HQ DQ CA CA CT SA SA")
    view = hand_view(state, 0)
    assert wanted_contract(view, SEED) is Contract.SOLO_QUEENS
    for act in (Reserve(0), Healthy(1), Reserve(2), Healthy(3)):
        state = apply(state, act)
    assert wanted_contract(hand_view(state, 0), SEED) is Contract.SOLO_QUEENS, "named as it was meant"
    poor = hand_view(table("CQ DJ D9 CK C9 CT SK S9 ST HK H9 HA"), 0)
    assert wanted_contract(poor, SEED) is None
    married = hand_view(table("CQ CQ DJ D9 DK CK C9 SK S9 HK H9 H9"), 0)
    assert wanted_contract(married, SEED) is Contract.MARRIAGE


def test_solos_are_neither_rare_nor_common() -> None:
    from node.bots.league import deal_hands, deal_seeds

    solos = {}
    for number in range(120):
        hands, seeds = deal_hands(31, number), deal_seeds(31, number)
        state = start(HandRules(), hands)
        for player in range(4):
            wanted = wanted_contract(hand_view(state, player), seeds[player])
            if wanted not in (None, Contract.MARRIAGE):
                solos[number, player] = wanted
    assert 0.01 < len(solos) / 480 < 0.04
    assert len(set(solos.values())) > 1


def test_calls_come_as_late_as_they_may_and_only_where_they_pay() -> None:
    strong = "HT HT CQ SQ SQ HQ CJ CJ DA DT SA CA"
    state = played(table(strong))
    assert wanted_call(hand_view(state, 0), SEED) is None, "twelve cards: there is time"
    state = played(table(strong), "SA")
    while state.turn != 0:
        state = apply(state, next(a for a in hand_view(state, state.turn or 0).legal if isinstance(a, Play)))
    assert wanted_call(hand_view(state, 0), SEED) is CallKind.RE
    state = apply(state, Call(0, CallKind.RE))
    # By the stargames table an Absage that is made pays nothing (R24); nobody should make one.
    state = apply(state, Play(0, parse_cards("HT")[0]))
    while state.turn != 0:
        state = apply(state, next(a for a in hand_view(state, state.turn or 0).legal if isinstance(a, Play)))
    assert wanted_call(hand_view(state, 0), SEED) is None


def test_in_ddv_an_absage_pays_and_is_made() -> None:
    strong = "HT HT CQ CQ SQ SQ HQ CJ CJ DA SA CA"
    state = table(strong, rules=HandRules("ddv"))
    for player in range(4):
        state = apply(state, Healthy(player))
    kinds = []
    while state.phase is Phase.PLAY and len(state.hand(0) or ()) > 8:
        view = hand_view(state, state.turn or 0)
        if state.turn == 0:
            kind = wanted_call(view, SEED)
            if kind is not None:
                kinds.append(kind)
                state = apply(state, Call(0, kind))
        act = level_policy("beginner").choose(hand_view(state, state.turn or 0), SEED)
        state = apply(state, act)
    assert kinds[:2] == [CallKind.RE, CallKind.NO90]


def test_a_forecast_is_a_percentage_of_the_own_side() -> None:
    strong = played(table("HT HT CQ SQ SQ HQ CJ CJ DA DT SA CA"))
    weak = played(table("CQ DJ D9 CK C9 CT SK S9 ST HK H9 HA"))
    high, low = win_percent(hand_view(strong, 0), SEED), win_percent(hand_view(weak, 0), SEED)
    assert high is not None
    assert low is not None
    assert 0 <= low < high <= 100
    assert win_percent(hand_view(table("CQ DJ D9 CK C9 CT SK S9 ST HK H9 HA"), 0), SEED) is None
    levels = ((0, 0), (1, 0))
    now, then = outlook(hand_view(strong, 0), Chance(b"x"), 40, levels, TUNED.silent)
    assert now.worlds == then.worlds == 40
    assert then.points > now.points


@pytest.mark.parametrize("bot", [Intermediate(), Strong()])
def test_a_computer_in_a_duel_says_what_r34_obliges_it_to(bot: Intermediate | Strong) -> None:
    rng = random.Random(35)
    for number in range(24):
        humans = ((0, 2), (1, 3))[number % 2]
        hands = duel_deal(rng, humans)
        state = table(*(" ".join(CARD_NAMES[k] for k in hand) for hand in hands), rules=HandRules(duel=humans))
        for player in range(4):
            view = hand_view(state, player)
            act = bot.choose(view, SEED)
            if player not in humans:
                assert isinstance(act, Reserve if view.dealt.count(3) == 2 else Healthy)
            state = apply(state, Reserve(player) if view.dealt.count(3) == 2 else Healthy(player))


def test_whole_hands_by_every_level_are_legal() -> None:
    rng = random.Random(3)
    bots = [level_policy(name) for name in ("random", "beginner", "intermediate", "intermediate")]
    for number in range(3):
        humans = (None, (0, 2), (1, 3))[number]
        hands = duel_deal(rng, humans) if humans else deal(rng)
        state, end = play_hand(bots, hands, [bytes([p]) * 32 for p in range(4)], HandRules(duel=humans))
        assert state.phase is Phase.DONE
        assert sum(end.points) == 0


def test_strong_thinks_in_worlds_that_fit() -> None:
    view = some_views(1, cards=24)[0]
    state = view.state
    assert state.contract is not None
    lay = layout(state.contract)
    worlds = Worlds(view, lay, Sampler(knowledge(view), codes=lay.code))
    chance = Chance(b"worlds")
    for _ in range(20):
        hands, sides = worlds.draw(chance)
        assert [sum(m.bit_count() for m in hands[5 * p : 5 * p + 5]) for p in range(4)] == [
            state.cards_left(p) for p in range(4)
        ]
        assert all(not state.is_void(p, c) or not hands[5 * p + c] for p in range(4) for c in range(5))
        assert len(sides) == 4
    assert Strong().choose(view, SEED) in view.legal


def test_a_hint_names_the_best_card_and_why() -> None:
    view = some_views(1, cards=14)[0]
    found = hint(view)
    assert found.act in view.legal
    assert [choice.card for choice in found.choices] != []
    assert sorted(choice.card for choice in found.choices) == sorted(cards_of(view))
    text = words(found)
    assert card_words(found.choices[0].card) in text
    assert f"{found.choices[0].win_percent} %" in text
    bidding = hint(hand_view(table("CQ CQ SQ SQ HQ HQ DQ CA CA CT SA SA"), 0))
    assert bidding.act == Reserve(0)
    assert "reservation" in words(bidding)


def test_a_review_names_the_cards_that_cost_something() -> None:
    rng = random.Random(21)
    while True:
        state = settled(rng, HandRules(), Contract.NORMAL)
        if max(queens_of([state.dealt(p) or () for p in range(4)])) == 1:
            break
    hands = tuple(state.dealt(p) or () for p in range(4))
    while state.phase is not Phase.DONE:
        push(state, rng.choice([a for a in hand_view(state, state.turn or 0).legal if isinstance(a, Play)]))
    end = result(state)
    closed = ClosedHand(0, 1, 0, state, end, hands, end.points, (0, 0, 0, 0), 0, bytes(32))
    missed = list(review(closed, 2))
    assert missed, "a random player leaves points on the table"
    for one in missed:
        assert one.did != one.better
        assert one.cost >= 30 or not isinstance(one.did, Play)
    assert list(review(replace(closed, hands=()), 2)) == []
    view = hand_view(played(table("CA CK C9 SA S9 HK H9 DJ HJ D9 DK SJ")), 0)
    assert len(weigh(view)) == len(cards_of(view))
