"""Hints say why: games while bidding, and after a hand the calls that were not made."""

import random

from node.bots.hint import act_words, hint, missed_words, review, weigh_games, words
from node.console.words import call_name
from node.i18n import use_language
from protocol.cards import parse_card
from protocol.rules.acts import Call, Healthy, Name, Play, Reserve
from protocol.rules.calls import CallKind
from protocol.rules.contracts import SOLOS, Contract
from protocol.rules.hand import HandRules, HandState, Phase, push, result, start
from protocol.rules.view import hand_view
from protocol.table.end_phase import ClosedHand
from tests.bots.deals import deal, settled

#: Ten trumps from the top, two black aces.
GREAT = "HT HT CQ SQ SQ HQ HQ DQ DQ CJ CA SA"


def dealt_to_forehand(mine: str, duel: tuple[int, int] | None = None) -> HandState:
    from protocol.cards import CARD_NAMES, DECK

    hand = sorted(CARD_NAMES.index(name) for name in mine.split())
    left = list(DECK)
    for card in hand:
        left.remove(card)
    random.Random(3).shuffle(left)
    hands = [tuple(hand), *(tuple(sorted(left[12 * n : 12 * n + 12])) for n in range(3))]
    return start(HandRules(duel=duel), tuple(hands))


def test_a_bid_is_explained_by_what_each_game_brings() -> None:
    view = hand_view(dealt_to_forehand(GREAT), 0)
    found = hint(view)
    games = {game.contract: game for game in found.games}
    assert None in games
    assert set(games) & set(SOLOS)
    assert [game.points for game in found.games] == sorted((game.points for game in found.games), reverse=True)
    assert all(0 <= game.win_percent <= 100 for game in found.games)
    text = words(found)
    for game in found.games:
        assert f"wins {game.win_percent} %" in text
    assert found.act == Reserve(0)
    assert found.games[0].contract is not None, "who plays a solo does so because it brings more"


def test_a_weak_hand_is_weighed_for_the_normal_game_alone() -> None:
    view = hand_view(dealt_to_forehand("CT CK C9 SK S9 ST HK H9 HA DK D9 DJ"), 0)
    assert [game.contract for game in weigh_games(view)] == [None]


def test_with_both_queens_the_silent_solo_is_weighed_but_not_in_a_duel() -> None:
    mine = "CQ CQ SQ SJ HJ DA DT CA CT SA HA HK"
    games = {game.contract for game in weigh_games(hand_view(dealt_to_forehand(mine), 0))}
    assert {Contract.MARRIAGE, Contract.SILENT_SOLO} <= games
    duel = {game.contract for game in weigh_games(hand_view(dealt_to_forehand(mine, (0, 2)), 0))}
    assert Contract.MARRIAGE in duel
    assert Contract.SILENT_SOLO not in duel


def test_a_call_that_was_not_made_is_named() -> None:
    rng = random.Random(5)
    named: list[tuple[int, Call]] = []
    for _hand in range(12):
        state = settled(rng, HandRules(), Contract.NORMAL, deal(rng))
        if state.contract is not Contract.NORMAL:
            continue
        hands = tuple(state.dealt(p) or () for p in range(4))
        while state.phase is not Phase.DONE:
            plays = [act for act in hand_view(state, state.turn or 0).legal if isinstance(act, Play)]
            push(state, rng.choice(plays))
        end = result(state)
        closed = ClosedHand(0, 1, 0, state, end, hands, end.points, (0, 0, 0, 0), 0, bytes(32))
        for position in range(4):
            for one in review(closed, position):
                if one.did is None:
                    assert isinstance(one.better, Call)
                    assert one.better.player == position
                    assert f"strong would have announced: {call_name(one.better.kind.value)}" in missed_words(one)
                    named.append((one.card, one.better))
        if named:
            break
    assert named, "in twelve hands somebody should have called"
    assert named[0][1].kind in CallKind


def test_acts_are_told_as_people_say_them() -> None:
    use_language("de")
    try:
        told = [act_words(act) for act in (Play(0, parse_card("HT")), Call(1, CallKind.NO90), Reserve(2), Healthy(3))]
        assert told == ["Herz Zehn", "keine 90", "Vorbehalt", "gesund"]
        assert act_words(Name(0, Contract.SOLO_QUEENS)) == "Damen-Solo"
    finally:
        use_language("en")
