"""What the rules play, bid and call, in situations that a player would recognise."""

import random

import pytest

from node.bots.beginner import Beginner, rule_card, sides_seen
from node.bots.judgement import best_solos, solo_chance, win_chance
from node.bots.random_bot import RandomBot
from protocol.cards import DECK, card_name, parse_cards
from protocol.rules.acts import Act, Call, Healthy, Name, Play, Reserve
from protocol.rules.calls import CallKind, Side
from protocol.rules.contracts import Contract
from protocol.rules.hand import HandRules, HandState, apply, start
from protocol.rules.view import HandView, hand_view
from tests.bots.deals import deal, duel_deal, settled

BOT = Beginner()
SEED = bytes(32)


def table(*hands: str, rules: HandRules | None = None) -> HandState:
    """A deal with these hands; players not given get what is left, in order."""
    given = [parse_cards(hand) for hand in hands]
    left = list(DECK)
    for hand in given:
        for card in hand:
            left.remove(card)
    while len(given) < 4:
        given.append(tuple(left[:12]))
        del left[:12]
    return start(rules or HandRules(), given)


def played(state: HandState, *cards: str) -> HandState:
    """All healthy, then these cards."""
    for player in range(4):
        state = apply(state, Healthy(player))
    for name in cards:
        state = apply(state, Play(state.turn or 0, parse_cards(name)[0]))
    return state


def chosen(state: HandState) -> str:
    return card_name(rule_card(hand_view(state, state.turn or 0)))


def test_it_leads_a_fresh_ace_from_the_shorter_suit() -> None:
    state = table("CA CK C9 SA S9 HK H9 DJ HJ D9 DK SJ")
    assert chosen(played(state)) == "SA"


def test_it_keeps_an_ace_whose_suit_has_been_led_and_re_leads_trumps() -> None:
    first = "CA CA CQ DJ HJ SJ D9 DK SK S9 HK H9"
    second = "CT CT C9 SA SA ST ST HQ HQ DQ DQ SQ"
    third = "CK C9 SK S9 SQ HT HT HA HA DA DA HJ"
    state = played(table(first, second, third), "CA", "C9", "C9", "CK")
    assert state.turn == 0
    assert chosen(state) == "D9"


def test_last_it_wins_with_the_richest_card_that_wins() -> None:
    first = "CK C9 SK S9 HK H9 DJ HJ D9 DK SJ CJ"
    second = "C9 DQ DQ HQ HQ SQ SQ DA DA DT DT D9"
    third = "CK CT HT HT CQ CQ CJ SJ HJ DK S9 SK"
    state = table(first, second, third)
    assert chosen(played(state, "CK", "C9", "CK")) == "CA"
    state = table(third, first, "CA DQ DQ HQ HQ SQ SQ DA DA DT DT D9")
    assert chosen(played(state, "DK", "D9")) == "SQ", "a fox could still be taken by the player behind"


def test_it_feeds_a_partner_and_starves_an_opponent() -> None:
    # Player 1 (Re) has shown a club queen; player 4 (Re) sits last and his partner wins with the first heart ten.
    first = "CQ HT DJ HJ SJ D9 DK CK C9 SK S9 HK"
    second = "SQ SQ HQ HQ DQ DQ CJ CJ SJ HJ DJ D9"
    third = "HT DK CA CA CT CT CK C9 SA SA ST ST"
    fourth = "CQ DA DA DT DT SK S9 HA HA HK H9 H9"
    deal_ = table(first, second, third, fourth)
    state = played(deal_, "CQ", "D9", "DK", "DA", "HT", "DJ", "HT")
    assert sides_seen(hand_view(state, 3))[0] is Side.RE
    assert chosen(state) == "DA", "the fox is safe"
    state = played(deal_, "HT", "D9")
    assert chosen(state) == "DK", "the other HT comes second and loses, so the cheaper of the two trumps"


def test_void_in_a_fresh_suit_it_trumps_with_a_fox() -> None:
    first = "CA CK C9 SK S9 HK H9 DJ HJ D9 DK SJ"
    second = "DA DT DK HT CQ SQ HQ DQ CJ SJ SA HA"
    state = played(table(first, second), "CA")
    assert chosen(state) == "DA"


def test_strong_hands_are_called_and_weak_ones_not() -> None:
    strong = "HT HT CQ SQ SQ HQ CJ CJ DA DT SA CA"
    weak = "CQ DJ D9 CK C9 CT SK S9 ST HK H9 HA"
    assert win_chance(parse_cards(strong)) > 85 > 50 > win_chance(parse_cards(weak))
    state = played(table(strong))
    assert BOT.call(hand_view(state, 0), SEED) in (CallKind.RE, CallKind.NO90)
    assert BOT.call(hand_view(played(table(weak)), 0), SEED) is None


def test_after_its_partner_has_spoken_it_is_silent() -> None:
    strong = "HT HT CQ SQ SQ HQ CJ CJ DA DT SA CA"
    other = "CQ HQ DQ DQ SJ SJ HJ DA DT CA SA S9"
    state = played(table(strong, other))
    assert BOT.call(hand_view(state, 1), SEED) is CallKind.RE
    state = apply(state, Call(0, CallKind.RE))
    assert BOT.call(hand_view(state, 1), SEED) is None


def test_it_bids_a_sure_solo_and_names_it() -> None:
    state = table("CQ CQ SQ SQ HQ HQ DQ CA CA CT SA SA")
    view = hand_view(state, 0)
    assert best_solos(view)[0][1] is Contract.SOLO_QUEENS
    assert BOT.choose(view, SEED) == Reserve(0)
    for act in (Reserve(0), Healthy(1), Healthy(2), Healthy(3)):
        state = apply(state, act)
    assert BOT.choose(hand_view(state, 0), SEED) == Name(0, Contract.SOLO_QUEENS)
    assert solo_chance(parse_cards("C9 CK S9 SK H9 HK D9 DK DJ HJ SJ C9"), Contract.SOLO_QUEENS, True) < 20


def test_with_both_club_queens_it_marries() -> None:
    state = table("CQ CQ DJ HJ D9 CK C9 SK S9 HK H9 H9")
    assert BOT.choose(hand_view(state, 0), SEED) == Reserve(0)
    for act in (Reserve(0), Healthy(1), Healthy(2), Healthy(3)):
        state = apply(state, act)
    assert BOT.choose(hand_view(state, 0), SEED) == Name(0, Contract.MARRIAGE)


@pytest.mark.parametrize("bot", [Beginner(), RandomBot()])
def test_a_computer_in_a_duel_says_what_r34_obliges_it_to(bot: Beginner | RandomBot) -> None:
    rng = random.Random(34)
    married = 0
    for number in range(120):
        humans = ((0, 2), (1, 3))[number % 2]
        state = start(HandRules(duel=humans), duel_deal(rng, humans))
        while state.phase.value in ("bid", "name"):
            player = state.turn or 0
            act: Act = bot.choose(hand_view(state, player), SEED)
            if player not in humans:
                both = (state.dealt(player) or ()).count(3) == 2
                assert isinstance(act, Name if state.phase.value == "name" else Reserve if both else Healthy)
                if isinstance(act, Name):
                    assert act.contract is Contract.MARRIAGE
                    married += 1
            state = apply(state, act)
        for player in range(4):
            if player not in humans:
                assert bot.call(hand_view(state, player), SEED) is None
    assert married


def test_shuffling_the_hidden_hands_changes_no_choice() -> None:
    rng = random.Random(11)
    for _ in range(60):
        hands = deal(rng)
        hidden = [card for hand in hands[1:] for card in hand]
        rng.shuffle(hidden)
        others = [tuple(hidden[12 * i : 12 * i + 12]) for i in range(3)]
        views: list[HandView] = []
        for rest in (hands[1:], others):
            state = start(HandRules(), [hands[0], *rest])
            for player in range(4):
                state = apply(state, Healthy(player))
            views.append(hand_view(state, 0))
        assert BOT.choose(views[0], SEED) == BOT.choose(views[1], SEED)
        assert BOT.call(views[0], SEED) == BOT.call(views[1], SEED)


def test_sides_seen_counts_the_queens_one_holds() -> None:
    first = "CQ HT DJ HJ SJ D9 DK CK C9 SK S9 HK"
    fourth = "CQ DA DA DT DT SK S9 HA HA HK H9 H9"
    second = "SQ SQ HQ HQ DQ DQ CJ CJ SJ HJ DJ D9"
    third = "HT DK CA CA CT CT CK C9 SA SA ST ST"
    state = played(table(first, second, third, fourth), "CQ")
    assert sides_seen(hand_view(state, 3)) == (Side.RE, Side.KONTRA, Side.KONTRA, Side.RE)
    assert sides_seen(hand_view(state, 1)) == (Side.RE, Side.KONTRA, None, None)
    solo = settled(random.Random(4), HandRules(), Contract.SOLO_ACES)
    assert sides_seen(hand_view(solo, 0)) == solo.known_sides
