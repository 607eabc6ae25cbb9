"""The full screen at the table: what keys, clicks and time do there."""

from dataclasses import replace

import pytest

from node.console.settings import Settings
from node.console.tablepage import TablePage
from node.view import (
    Absence,
    Ask,
    Bid,
    ChooseAbsence,
    Export,
    GoOn,
    Leave,
    LinkState,
    LinkView,
    MakeCall,
    MuteChat,
    NameGame,
    Pause,
    PlayCard,
    Question,
    Rematch,
    Say,
    SeenTrick,
    Stage,
    TermsView,
    Tone,
    VoidHand,
    WishDwell,
)
from protocol.cards import parse_cards
from protocol.rules.acts import Call, Name, Reserve
from protocol.rules.calls import CallKind
from protocol.rules.contracts import Contract
from protocol.rules.hand import HandState, legal
from tests.console.bench import QUIET, Bench
from tests.console.fake import FakeNode, absent

HANDS = (
    parse_cards("HT CQ SQ HQ DJ DA DT CA CT SA HA HK"),
    parse_cards("HT SQ DQ CJ SJ DK D9 CA CK SA SK H9"),
    parse_cards("CQ HQ DQ CJ SJ HJ DA D9 CT ST SK HA"),
    parse_cards("HJ DJ DT DK CK C9 C9 ST S9 S9 HK H9"),
)
"""Position 0 is forehand; positions 0 and 2 are Re."""


def fixed(position: int = 0, **changes: object) -> Bench:
    """A bench whose first hand is :data:`HANDS` with us on *position*."""
    node = FakeNode(me=(1 + position) % 4, deals=(HANDS,), **changes)  # type: ignore[arg-type]
    return Bench(node)


def page(bench: Bench) -> TablePage:
    """The table's page."""
    found = bench.model._base
    assert isinstance(found, TablePage)
    return found


def bid_healthy(bench: Bench) -> None:
    """Healthy, then on to our first card."""
    bench.begin()
    bench.press("1")
    bench.to_question()


# --- the deal -----------------------------------------------------------------------------------------------------


def test_the_deal_is_shown_shuffle_by_shuffle_by_name() -> None:
    bench = Bench()
    bench.node.begin()
    bench.show()
    shown = []
    for _n in range(9):
        bench.step()
        shown.append(bench.text())
    assert "Dora shuffles" not in shown[0]
    assert "You shuffle" in shown[0] or "computes a proof" in shown[0]
    assert "Anna shuffles" in shown[2]
    assert "Clara shuffles" in shown[6]
    assert "barrier: 0 of 4" in shown[7]
    assert "barrier: 4 of 4" in shown[8]
    log = [said.text for said in bench.model.log]
    order = ["You have shuffled.", "Anna has shuffled.", "Bruno has shuffled.", "Clara has shuffled.",
             "All four have checked all four shuffles."]  # fmt: skip
    assert [text for text in log if text in order] == order


# --- bidding ------------------------------------------------------------------------------------------------------


def test_healthy_is_the_first_choice_and_a_key_away() -> None:
    bench = fixed()
    bench.begin()
    assert "Healthy, or a reservation?" in bench.text()
    bench.press("enter")
    assert bench.sent == [Bid(False)]


def test_a_reservation_names_its_game_and_sorts_the_fan_by_it() -> None:
    bench = fixed()
    bench.begin()
    bench.press("right", "enter")
    bench.to_question()
    assert bench.sent == [Bid(True)]
    assert bench.node.table().question is not None
    labels = [choice.label for choice in page(bench).choices()]
    assert labels == [
        "clubs solo",
        "spades solo",
        "hearts solo",
        "diamonds solo",
        "queens solo",
        "jacks solo",
        "aces solo",
    ]
    assert "aces solo" in bench.text()
    assert page(bench).contract() is Contract.SOLO_CLUBS
    bench.press(*["right"] * 4)
    assert page(bench).contract() is Contract.SOLO_QUEENS
    assert page(bench).hand()[:3] == parse_cards("CQ SQ HQ")
    bench.press("enter")
    assert bench.sent[-1] == NameGame(Contract.SOLO_QUEENS)
    assert "queens solo (you)" in bench.text()


def test_a_marriage_is_offered_to_whoever_holds_both_queens() -> None:
    hands = (
        parse_cards("CQ CQ SQ HQ DJ DA DT CA CT SA HA HK"),
        HANDS[1],
        (*parse_cards("HT"), *HANDS[2][1:]),
        HANDS[3],
    )
    bench = Bench(FakeNode(me=1, deals=(hands,)))
    bench.begin()
    bench.press("2")
    bench.to_question()
    assert page(bench).choices()[0].label == "marriage"
    bench.press("1")
    bench.to_question()
    assert "marriage (you)" in bench.text()
    bench.press("a")
    assert "nothing you may call now" in bench.text(), "R17: not before the clearing trick"


# --- cards --------------------------------------------------------------------------------------------------------


def test_arrows_and_enter_play_a_card() -> None:
    bench = fixed()
    bid_healthy(bench)
    assert page(bench).hand()[:2] == parse_cards("HT CQ")
    bench.press("right", "right", "left", "enter")
    assert bench.sent[-1] == PlayCard(parse_cards("CQ")[0])


@pytest.mark.parametrize(("keys", "card"), [(("c", "q"), "CQ"), (("h", "1"), "HT"), (("H"), ""), (("0",), "HA")])
def test_letters_and_digits_go_to_a_card(keys: tuple[str, ...], card: str) -> None:
    bench = fixed()
    bid_healthy(bench)
    before = page(bench).focus
    bench.press(*keys)
    if card:
        assert page(bench).hand()[page(bench).focus] == parse_cards(card)[0]
    else:
        assert page(bench).focus == before
    assert not any(isinstance(command, PlayCard) for command in bench.sent), "only Enter plays"


def test_a_card_that_is_not_held_is_named() -> None:
    bench = fixed()
    bid_healthy(bench)
    bench.press("d", "9")
    assert "You do not hold nine of diamonds." in bench.text()


def test_an_illegal_card_is_dimmed_and_refused_with_the_reason() -> None:
    bench = fixed(position=1)
    bid_healthy(bench)
    state = page(bench).state()
    assert state is not None
    assert state.led == 4
    spot = page(bench).hand().index(parse_cards("CA")[0])
    canvas = bench.canvas()
    column = next(s for s in canvas.spots if s.action == f"card {spot}")
    assert canvas.cell(column.x + 1, column.y + 1)[0] == "card.clubs.dim"
    page(bench).focus = spot
    bench.press("enter")
    assert "You must follow trump. (R13)" in bench.text()
    assert not any(isinstance(command, PlayCard) for command in bench.sent)


def test_tab_goes_through_the_legal_cards_alone() -> None:
    bench = fixed(position=1)
    bid_healthy(bench)
    seen = set()
    for _n in range(12):
        bench.press("tab")
        seen.add(page(bench).hand()[page(bench).focus])
    assert seen == page(bench).legal()
    bench.press("s-tab")
    assert page(bench).hand()[page(bench).focus] in page(bench).legal()


def test_the_cursor_of_the_terminal_sits_on_the_focused_card() -> None:
    bench = fixed()
    bid_healthy(bench)
    for width, height in ((80, 24), (100, 30), (120, 40), (40, 12), (60, 20)):
        for key in ("home", "right", "right", "end"):
            bench.press(key)
            canvas = bench.canvas(width, height)
            card = page(bench).hand()[page(bench).focus]
            x, y = canvas.cursor
            label = bench.model.faces.card(card)
            assert "".join(canvas.cell(x + n, y)[1] for n in range(len(label))) == label, (width, height)
            assert canvas.show_cursor


def test_not_my_turn() -> None:
    bench = fixed()
    bid_healthy(bench)
    bench.press("enter")
    assert bench.node.table().question is None
    bench.press("enter")
    assert "It is not your turn." in bench.text()


def test_orders_keep_the_cursor_on_its_card() -> None:
    bench = fixed()
    bid_healthy(bench)
    bench.press("end")
    card = page(bench).hand()[page(bench).focus]
    orders = []
    for _n in range(3):
        bench.press("o")
        assert page(bench).hand()[page(bench).focus] == card
        orders.append(page(bench).hand())
    assert len(set(orders)) == 3


def test_covered_cards_show_nothing() -> None:
    bench = fixed()
    bid_healthy(bench)
    bench.press("x")
    text = bench.text()
    assert "♣Q" not in text
    assert "Re" not in text.split("you")[1][:40]
    bench.press("x")
    assert "♣Q" in bench.text()


# --- clocks of the page: lock, dwell, guard, last card --------------------------------------------------------------


def test_answers_are_locked_for_a_moment_after_the_question_has_changed() -> None:
    bench = fixed()
    bench.node.begin()
    while bench.node.stage is not Stage.HAND:
        bench.step()
    bench.press("enter")
    assert bench.sent == []
    assert "has just changed" in bench.text()
    bench.wait(0.31)
    bench.press("enter")
    assert bench.sent == [Bid(False)]


def finish_trick(bench: Bench) -> None:
    """Play on until a trick is complete."""
    state = page(bench).state()
    assert state is not None
    tricks = len(state.tricks)
    while True:
        state = page(bench).state()
        assert state is not None
        if len(state.tricks) > tricks:
            return
        if bench.node.table().question is not None:
            bench.wait(1.0)
            bench.press("tab", "enter")
        else:
            bench.step()


def test_a_finished_trick_stays_for_the_dwell_time() -> None:
    bench = fixed()
    bid_healthy(bench)
    finish_trick(bench)
    assert "Trick 1: " in bench.text()
    assert page(bench).dwell_trick is not None
    bench.wait(1.9)
    assert page(bench).dwell_trick is not None
    bench.wait(0.2)
    assert page(bench).dwell_trick is None


def test_a_key_ends_the_dwell_and_enter_does_no_more_than_that() -> None:
    bench = fixed()
    bid_healthy(bench)
    finish_trick(bench)
    sent = len(bench.sent)
    bench.press("enter")
    assert page(bench).dwell_trick is None
    assert bench.sent[sent:] == [SeenTrick()]  # so that no computer waits for us


def test_the_longest_wish_at_the_table_counts() -> None:
    node = FakeNode(me=1, deals=(HANDS,))
    bench = Bench(node, dwell=5.0)
    bid_healthy(bench)
    finish_trick(bench)
    bench.wait(4.0)
    assert page(bench).dwell_trick is not None


def test_the_time_itself_says_nothing() -> None:
    bench = fixed()
    bid_healthy(bench)
    finish_trick(bench)
    sent = len(bench.sent)
    bench.wait(10.0)
    assert page(bench).dwell_trick is None
    assert len(bench.sent) == sent


def test_another_wish_in_the_settings_is_told_to_the_table() -> None:
    bench = fixed()
    bench.model.change(dwell=4.0)
    assert bench.model.take() == [WishDwell(4.0)]
    bench.model.change(sort="by-suit", dwell=4.0)
    assert bench.model.take() == []


def test_the_last_trick_is_shown_until_the_next_is_complete() -> None:
    bench = fixed()
    bid_healthy(bench)
    bench.press("l")
    assert "no last trick yet" in bench.text()
    finish_trick(bench)
    bench.wait(3)
    bench.press("l")
    assert "Last trick" in bench.text()
    bench.press("l")
    assert "Last trick" not in bench.text()
    bench.press("l")
    finish_trick(bench)
    bench.wait(3)
    assert "Last trick" not in bench.text()


def test_the_guard_holds_a_card_and_escape_takes_it_back() -> None:
    bench = Bench(FakeNode(me=1, deals=(HANDS,)), replace(QUIET, guard="always"))
    bid_healthy(bench)
    bench.press("enter")
    assert "about to be played" in bench.text()
    bench.wait(0.5)
    bench.press("escape")
    bench.wait(2)
    assert not any(isinstance(command, PlayCard) for command in bench.sent)
    bench.press("enter")
    bench.wait(1.1)
    assert bench.sent[-1] == PlayCard(parse_cards("HT")[0])


def test_the_guard_can_be_hurried_by_the_same_card() -> None:
    bench = Bench(FakeNode(me=1, deals=(HANDS,)), replace(QUIET, guard="always"))
    bid_healthy(bench)
    bench.press("enter", "enter")
    assert isinstance(bench.sent[-1], PlayCard)


def test_clicks_go_to_a_card_and_play_it_under_the_guard() -> None:
    bench = fixed()
    bid_healthy(bench)
    canvas = bench.canvas()
    place = page(bench).hand().index(parse_cards("SQ")[0])
    spot = next(s for s in canvas.spots if s.action == f"card {place}")
    bench.model.click(canvas, spot.x + 1, spot.y + 1, bench.now)
    assert page(bench).focus == place
    bench.model.click(canvas, spot.x + 1, spot.y + 1, bench.now)
    bench._carry()
    assert not any(isinstance(command, PlayCard) for command in bench.sent), "mouse clicks are guarded"
    bench.wait(1.1)
    assert bench.sent[-1] == PlayCard(parse_cards("SQ")[0])


def test_the_last_card_plays_itself_after_a_delay_and_nothing_else_does() -> None:
    bench = fixed()
    bid_healthy(bench)
    while True:
        state = page(bench).state()
        assert state is not None
        if len(page(bench).hand()) == 1 and bench.node.table().question is not None:
            break
        if bench.node.table().question is not None:
            before = len(bench.sent)
            bench.wait(60)
            assert len(bench.sent) == before, "a card is never played by itself while there are two"
            bench.press("tab", "enter")
        else:
            bench.step()
    before = len(bench.sent)
    bench.wait(0.7)
    assert len(bench.sent) == before
    bench.wait(0.2)  # 0.4 and half of 0.8
    assert isinstance(bench.sent[-1], PlayCard)


def test_the_bell_rings_when_i_am_asked() -> None:
    bench = fixed()
    bench.begin()
    rung = bench.model.bells
    assert rung == 1
    assert bench.model.title == "doko: your turn"
    bench.press("1")
    bench.show()
    bench.to_question()
    assert bench.model.bells == 2
    quiet = Bench(FakeNode(me=1, deals=(HANDS,)), replace(QUIET, bell=False))
    quiet.begin()
    assert quiet.model.bells == 0


def test_the_clock_runs_between_views() -> None:
    bench = fixed(terms=TermsView(clock=30, reserve=10))
    bench.begin()
    bench.show()
    assert "0:30 +0:10" in bench.text()
    bench.wait(25.5)
    assert "0:05 +0:10" in bench.text()
    bench.wait(9)
    assert "0:00 +0:06" in bench.text()


# --- calls --------------------------------------------------------------------------------------------------------


def test_only_what_may_be_called_is_offered_with_its_deadline() -> None:
    bench = fixed()
    bid_healthy(bench)
    bench.press("a")
    text = bench.text()
    for call in ("Re", "no 90", "no 60", "no 30", "black"):
        assert call in text
    assert "Contra" not in text
    assert "as long as you hold 11 cards" in text
    bench.press("escape")
    assert bench.sent[1:] == []
    bench.press("a", "1")
    assert bench.sent[-1] == MakeCall(CallKind.RE)
    assert "Re!" in bench.text()


def test_a_call_that_would_be_too_late_is_not_offered() -> None:
    bench = fixed()
    bid_healthy(bench)
    for _n in range(3):
        finish_trick(bench)
        bench.wait(3)
    assert bench.node.table().offers == ()
    assert "announce" not in bench.text().split("\n")[-1]
    bench.press("a")
    assert "nothing you may call now" in bench.text()


def test_a_reply_is_marked() -> None:
    called = []

    def policy(state: HandState, player: int) -> object:
        if player == 0 and state.contract is not None and not called:
            called.append(player)
            return Call(0, CallKind.NO90)
        return legal(state, player)[0]

    bench = fixed(position=1, policy=policy)
    bid_healthy(bench)
    while len(page(bench).hand()) > 10:
        finish_trick(bench)
        bench.wait(3)
    bench.to_question()
    while len(page(bench).hand()) > 9:
        bench.press("tab", "enter")
        bench.to_question()
    assert [(offer.kind, offer.reply) for offer in bench.node.table().offers] == [(CallKind.KONTRA, True)]
    bench.press("a")
    assert "as a reply" in bench.text()


# --- people ---------------------------------------------------------------------------------------------------------


def test_chat_is_typed_and_shown() -> None:
    bench = fixed()
    bid_healthy(bench)
    bench.press("t", *"hi q", "enter")
    assert bench.sent[-1] == Say("hi q")
    bench.node.says(2, "hello")
    bench.show()
    assert "Bruno: hello" in bench.text()


def test_a_dropped_line_sends_nothing() -> None:
    bench = fixed()
    bid_healthy(bench)
    before = list(bench.sent)
    bench.press("t", "x", "escape", "t", "enter")
    assert bench.sent == before


def test_the_chat_can_be_off_for_the_hand() -> None:
    bench = fixed()
    bid_healthy(bench)
    bench.press("u")
    assert bench.sent[-1] == MuteChat(True)
    bench.press("t")
    assert "The chat is off" in bench.text()
    bench.press("u")
    assert bench.sent[-1] == MuteChat(False)


def test_lost_links_and_relays_are_shown() -> None:
    bench = fixed()
    bid_healthy(bench)
    bench.node.links[2] = LinkView(LinkState.LOST, reasons=("192.0.2.1:4848: refused",))
    bench.node.links[3] = LinkView(LinkState.VIA, "Anna")
    bench.show()
    text = bench.text(120, 40)
    assert "lost" in text
    assert "via Anna" in text
    assert "The link to Bruno is lost." in text
    bench.press("w")
    assert "192.0.2.1:4848: refused" in bench.text()
    bench.press("escape")
    bench.node.links[2] = LinkView(LinkState.DIRECT)
    bench.show()
    assert "Bruno is back." in bench.text()


@pytest.mark.parametrize(("stage", "told"), [(Stage.HAND, True), (Stage.SETTLED, False)])
def test_after_the_settlement_nobody_is_missed(stage: Stage, told: bool) -> None:
    bench = fixed()
    bid_healthy(bench)
    bench.node.stage = stage
    bench.show()
    bench.node.links[2] = LinkView(LinkState.LOST)
    bench.show()
    assert ("The link to Bruno is lost." in [said.text for said in bench.model.log]) is told


def test_an_absence_shows_the_choices_and_what_they_mean() -> None:
    bench = fixed()
    bid_healthy(bench)
    bench.node.table_extra.update(absent(3))
    bench.show()
    bench.wait(1)
    text = bench.text()
    assert "Clara: no answer." in text
    for part in ("wait", "adjourn", "let a ghost play", "no money moves", "by rule"):
        assert part in text
    bench.press("2")
    assert bench.sent[-1] == ChooseAbsence(Absence.ADJOURN)


def test_a_void_hand_needs_a_second_yes() -> None:
    bench = fixed()
    bid_healthy(bench)
    bench.press("v")
    assert "You cannot take it back" in bench.text()
    bench.press("enter")
    assert not any(isinstance(command, VoidHand) for command in bench.sent)
    bench.press("v", "2")
    assert bench.sent[-1] == VoidHand()
    assert "void" in bench.text()


def test_computers_agree_to_no_void_hand() -> None:
    bench = fixed()
    bid_healthy(bench)
    players = bench.node.table().players
    bench.node.table_extra["players"] = (replace(players[0], bot="beginner"), *players[1:])
    bench.show()
    bench.press("v")
    assert "Computers do not agree to a void hand" in bench.text()
    bench.press("2")
    assert not any(isinstance(command, VoidHand) for command in bench.sent)


def test_pause_by_agreement() -> None:
    bench = fixed()
    bid_healthy(bench)
    bench.press("p")
    assert bench.sent[-1] == Pause(True)
    assert "Pause by agreement" in bench.text()
    bench.press("p")
    assert bench.sent[-1] == Pause(False)


def test_go_on_after_three_void_hands() -> None:
    bench = fixed()
    bid_healthy(bench)
    bench.node.table_extra["question"] = Question(77, Ask.GO_ON)
    bench.show()
    bench.wait(1)
    assert "Three hands in a row were void" in bench.text()
    bench.press("enter")
    assert bench.sent[-1] == GoOn()


# --- after the hand -------------------------------------------------------------------------------------------------


def play_hand(bench: Bench, *, look: bool = True) -> None:
    """Play on until the hand is over; *look*: and until its last trick has been looked at."""
    done = len(bench.node.finished)
    while len(bench.node.finished) == done:
        if bench.node.table().question is not None:
            bench.wait(2.5)
            if len(bench.node.finished) == done and bench.node.table().question is not None:
                bench.press("tab", "enter")
        else:
            bench.step()
    if look:
        bench.wait(2.5)


def test_the_last_trick_of_a_hand_stays_before_the_score() -> None:
    bench = fixed()
    bid_healthy(bench)
    play_hand(bench, look=False)
    assert "Trick 12: " in bench.text()
    bench.wait(1.0)
    bench.show()  # whatever else happens meanwhile
    assert "Trick 12: " in bench.text()
    bench.wait(1.1)
    assert bench.text().startswith(" Score: Hand 1 of 4")


def test_a_key_ends_the_last_trick_and_shows_the_score() -> None:
    bench = fixed()
    bid_healthy(bench)
    play_hand(bench, look=False)
    bench.press("enter")
    assert bench.text().startswith(" Score: Hand 1 of 4")
    bench.press("enter")
    assert not bench.text().startswith(" Score")
    bench.show()
    assert not bench.text().startswith(" Score"), "once is enough"


def test_without_a_wish_the_score_comes_at_once() -> None:
    node = FakeNode(me=1, deals=(HANDS,))
    bench = Bench(node, dwell=0.0)
    bid_healthy(bench)
    play_hand(bench, look=False)
    assert bench.text().startswith(" Score: Hand 1 of")


def test_the_score_says_the_reason_and_the_rule_of_each_point() -> None:
    bench = fixed()
    bid_healthy(bench)
    play_hand(bench)
    text = bench.text()
    assert text.startswith(" Score: Hand 1 of 4")
    result = bench.node.finished[0].result
    for item in result.items:
        assert item.points
    assert text.count("R24") + text.count("R25") + text.count("R26") >= len(result.items)
    assert f"{result.card_points[0]}" in text
    assert "so far" in text
    bench.press("enter")
    assert not bench.text().startswith(" Score")


def test_a_score_does_not_take_the_keys_of_somebody_who_types() -> None:
    bench = fixed()
    bid_healthy(bench)
    while bench.node.finished == ():
        if bench.node.table().question is not None:
            bench.wait(2.5)
            if bench.node.table().question is None or len(page(bench).hand()) == 1:
                continue
            bench.press("tab", "enter")
            if len(page(bench).hand()) == 1 and not bench.model.pages:
                bench.press("t", "h")
        else:
            bench.step()
    bench.press("i", "enter")
    assert bench.sent[-1] == Say("hi")
    assert bench.text().startswith(" Score")


def test_a_page_says_that_it_is_my_turn() -> None:
    bench = fixed()
    bid_healthy(bench)
    bench.press("f1")
    assert bench.text().split("\n")[0].endswith("your turn")


def test_the_review_shows_four_hands_trick_by_trick() -> None:
    bench = fixed()
    bid_healthy(bench)
    play_hand(bench)
    bench.press("r")
    text = bench.text()
    assert text.startswith(" Review: Hand 1 of 4")
    for name in ("you", "Bruno", "Clara", "Dora"):
        assert name in text
    for card in ("♥10", "♣Q", "♠9", "♥J"):
        assert card in text
    for number in range(2, 13):
        bench.press("right")
        assert f"Trick {number}: " in bench.text()
    bench.press("right", "home")
    assert "The deal." in bench.text()
    bench.press("end", "left", "x")
    assert bench.sent[-1] == Export("record", "ab" * 16)
    bench.press("escape", "escape")


def test_scores_terms_log_and_help_are_a_key_away() -> None:
    bench = fixed()
    bid_healthy(bench)
    pages = {
        "i": "No hand is over yet.",
        "e": "The terms of this table",
        "f4": "everybody shuffles",
        "f1": "announce: shows just what you may call now",
        "f3": "Settings",
        "f2": "The rules of the game",
    }
    for key, part in pages.items():
        bench.press(key)
        assert part in bench.text(), key
        bench.press("escape")
        assert "You lead" in bench.text(), key


def test_the_rules_open_at_a_number() -> None:
    bench = fixed()
    bid_healthy(bench)
    bench.press("f2", "2", "6", "enter")
    assert any(row.strip().startswith("R26") for row in bench.text().split("\n")[1:4])
    bench.press("9", "9", "enter")
    bench.text()
    assert "There is no rule R99." in bench.text()


def test_a_whole_match_by_keys_to_the_settlement_and_a_rematch() -> None:
    bench = Bench(FakeNode(me=0, seed=9, terms=TermsView(mode="four-fixed", stake=25)))
    bench.begin()
    for number in range(4):
        if bench.model.pages:
            bench.press("enter")
        bench.to_question()
        play_hand(bench)
        assert f"Hand {number + 1} of 4" in bench.text()
    bench.step(3)
    bench.press("enter")
    text = bench.text()
    assert "The match is over" in text
    assert "doko verify settlements/0123456789abcdef.doko" in text
    assert text.count("signed") >= 4
    bench.press("enter")
    assert "The match is settled" in bench.text()
    bench.press("i")
    assert bench.text().count("+") >= 1
    bench.press("escape", "n")
    assert bench.sent[-1] == Rematch()
    bench.node.stage = Stage.SETTLED
    bench.show()
    bench.press("q")
    assert bench.sent[-1] == Leave()
    assert not bench.model.stopping


def test_a_stopped_match_says_why_and_where_the_evidence_is() -> None:
    bench = fixed()
    bid_healthy(bench)
    bench.node.table_extra.update(stage=Stage.STOPPED, stop="Two cards were signed for one place.", hand=None,
                                  question=None, evidence="settlements/ab.evidence")  # fmt: skip
    bench.show()
    text = bench.text(100, 30)
    assert "Two cards were signed for one place." in text
    assert "settlements/ab.evidence" in text


def test_the_errors_of_the_node_are_seen() -> None:
    bench = fixed()
    bid_healthy(bench)
    bench.node.tell("The store failed.", Tone.ERROR)
    bench.show()
    assert "The store failed." in bench.text()


def test_leaving_asks_first_and_twice_ctrl_c_does_not() -> None:
    bench = fixed()
    bid_healthy(bench)
    bench.press("q")
    assert "The match stays open" in bench.text()
    bench.press("escape")
    assert not bench.model.stopping
    bench.press("q", "1")
    assert not bench.model.stopping
    bench.press("q", "2")
    assert bench.model.stopping
    again = fixed()
    bid_healthy(again)
    again.press("c-c", "c-c")
    assert again.model.stopping


def test_a_solo_of_another_is_named_in_the_header() -> None:
    def policy(state: HandState, player: int) -> object:
        if player == 1 and state.contract is None:
            acts = legal(state, player)
            return acts[-1] if isinstance(acts[0], Name) else Reserve(player)
        return legal(state, player)[0]

    bench = fixed(policy=policy)
    bench.begin()
    bench.press("1")
    bench.to_question()
    assert "aces solo (Bruno)" in bench.text()
    assert page(bench).contract() is Contract.SOLO_ACES


# --- every size -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("theme", ["dark", "mono"])
@pytest.mark.parametrize("faces", ["unicode", "ascii"])
def test_no_size_and_no_page_crashes(theme: str, faces: str) -> None:
    sizes = [(0, 0), (1, 1), (2, 5), (39, 12), (40, 11), (40, 12), (41, 13), (79, 23), (80, 24), (81, 60), (99, 29),
             (100, 30), (120, 40), (300, 100)]  # fmt: skip
    settings = Settings(theme=theme, faces=faces)
    bench = Bench(FakeNode(me=1, deals=(HANDS,)), settings)

    def draw(what: str) -> None:
        for width, height in sizes:
            rows = bench.text(width, height)
            if faces == "ascii":
                assert rows.isascii(), (what, width, height, [c for c in rows if not c.isascii()])
            if width in range(12, 40):
                assert "please" in rows

    draw("lobby")
    for key in ("n", "f", "i", "b", "y", "f1", "f2", "f3", "j"):
        bench.press(key)
        draw(f"lobby {key}")
        bench.press("escape")
    bench.node.begin()
    bench.show()
    draw("deal")
    bench.step(3)
    draw("shuffle")
    bench.to_question()
    draw("bid")
    bench.press("2")
    bench.to_question()
    draw("name")
    bench.press("5")
    bench.to_question()
    draw("play")
    bench.press("a")
    draw("calls")
    bench.press("escape", "x")
    draw("covered")
    bench.press("x", "t", "h")
    draw("chat")
    bench.press("escape")
    finish_trick(bench)
    draw("dwell")
    bench.wait(3)
    bench.press("l")
    draw("last")
    play_hand(bench)
    draw("score")
    bench.press("r", "right")
    draw("review")
    bench.press("escape", "escape")
    draw("between")
    bench.node.stage = Stage.SETTLED
    bench.show()
    draw("settlement")
    bench.press("escape")
    draw("settled")
    bench.node.table_extra.update(absent(2), stage=Stage.HAND)
    bench.show()
    draw("absence")
    bench.node.table_extra.clear()
    bench.node.table_extra.update(stage=Stage.RESUMING, told=(True, False, True, False))
    bench.show()
    draw("resuming")
    bench.node.table_extra.update(stage=Stage.ADJOURNED)
    bench.show()
    draw("adjourned")
