"""R16 to R20: calls and their deadlines, skipping, one call a side, replies, the shift of a marriage."""

import pytest

from protocol.rules.calls import CallKind, Side
from protocol.rules.hand import call_options
from tests.rules.games import BY_RE_POINTS
from tests.rules.tell import bids, cut, out, played, refused, tell

GAME = BY_RE_POINTS["121"]  # Re are players 1 and 4, Contra 2 and 3
KINDS = ("re", "no90", "no60", "no30", "black")
DEADLINES = {"re": 11, "kontra": 11, "no90": 10, "no60": 9, "no30": 8, "black": 7}
REPLIES = {"re": 10, "no90": 9, "no60": 8, "no30": 7, "black": 6}

#: Player 2 is the groom.
MARRIED = (
    "SA CK HJ DT CJ DQ HA ST HK CK SA HK",
    "SK DT HJ HT SJ DK CJ S9 DQ CQ SK CQ",
    "S9 C9 DA DK DA HQ HA SJ HT CA CT H9",
    "ST CT HQ D9 SQ D9 H9 CA DJ C9 DJ SQ",
)
CLEARED_BY_1 = "1 SA SK S9 ST"
CLEARED_BY_2 = "1 DQ HT DK D9\n2 S9 S9 ST SA"
CLEARED_BY_3 = "1 DQ HT DK D9\n2 CQ DA DJ CJ\n2 SK S9 ST SA"
GROOM_ALONE = "1 DQ HT DK D9\n2 CQ DA DJ CJ\n2 CQ DA D9 DT"


def up_to(kind: str, held: int) -> list[str]:
    """Player 1's steps below *kind*, each at its own last moment, and *kind* with *held* cards."""
    before = [f"1 {k} {DEADLINES[k]}" for k in KINDS[: KINDS.index(kind)]]
    return [*before, f"1 {kind} {held}"]


def stopped(record: dict[str, object], *, after_call: str) -> dict[str, object]:
    return cut(record, after=after_call)


@pytest.mark.parametrize("kind", KINDS)
def test_R16_a_call_at_its_deadline_is_in_time(kind: str) -> None:
    state = played(tell(GAME, *up_to(kind, DEADLINES[kind])))
    assert state.levels[0] == KINDS.index(kind) + 1


@pytest.mark.parametrize("kind", KINDS)
def test_R16_a_call_one_card_later_is_refused(kind: str) -> None:
    record = tell(GAME, *up_to(kind, DEADLINES[kind] - 1))
    assert refused(stopped(record, after_call=f"1 call {kind}")) == "R16"


def test_R16_contra_has_the_deadline_of_re() -> None:
    assert played(tell(GAME, "2 kontra 11")).levels == (0, 1)
    assert refused(stopped(tell(GAME, "2 kontra 10"), after_call="2 call kontra")) == "R16"


def test_R16_the_cards_of_the_caller_count_not_those_of_others() -> None:
    # Player 1 has played his second card, player 4 has not.
    record = cut(tell(GAME), "4 call re", after="1 play CQ")
    assert out(record)["status"] == "incomplete"


def test_R16_a_call_is_not_bound_to_ones_turn() -> None:
    record = cut(tell(GAME), "3 call kontra", after="1 play HT")
    assert out(record)["status"] == "incomplete"


def test_R16_one_may_call_before_the_first_card() -> None:
    assert played(tell(GAME, "4 re 12")).levels == (1, 0)


@pytest.mark.parametrize("events", [[], ["1 healthy"], ["1 healthy", "2 healthy", "3 healthy"]])
def test_R16_nothing_is_called_before_the_game_is_settled(events: list[str]) -> None:
    assert refused({**tell(GAME), "events": [*events, "1 call re"]}) == "R16"


def test_R16_nothing_is_called_during_the_naming() -> None:
    events = [*bids("2 solo solo-aces")[:4], "2 call re"]
    assert refused({**tell(GAME), "events": events}) == "R16"


def test_R16_nothing_is_called_after_the_last_card() -> None:
    record = tell(GAME)
    assert refused({**record, "events": [*record["events"], "1 call re"]}) == "R16"


def test_R16_the_ordinary_deadlines_hold_in_a_silent_solo() -> None:
    first = "1 SA SK S9 ST"
    assert out(tell(first, "2 re 11", hands=MARRIED))["status"] == "incomplete"
    late = tell("1 SA SK S9 ST\n1 CK DT C9 CT", "2 re 10", hands=MARRIED)
    assert refused(stopped(late, after_call="2 call re")) == "R16"


def test_R17_nothing_is_called_before_the_clearing_trick_is_complete() -> None:
    assert refused(tell("", "2 re 12", bidding=bids("2 marriage"), hands=MARRIED)) == "R17"
    three = tell("1 SA SK S9", "1 kontra 11", bidding=bids("2 marriage"), hands=MARRIED)
    assert refused(stopped(three, after_call="1 call kontra")) == "R17"


def marriage(tricks: str, *events: str) -> dict[str, object]:
    record = tell(tricks, bidding=bids("2 marriage"), hands=MARRIED)
    return {**record, "events": [*record["events"], *events]}


def test_R17_the_first_trick_shifts_nothing() -> None:
    assert out(marriage(CLEARED_BY_1, "2 call re"))["status"] == "incomplete"
    assert refused(marriage(CLEARED_BY_1 + "\n1 CK DT", "2 call re")) == "R16"


def test_R17_the_second_trick_shifts_by_one() -> None:
    # After trick 2 all hold ten cards: Re is still in time (11 - 1), and for one card more it is not.
    assert out(marriage(CLEARED_BY_2, "2 call re"))["status"] == "incomplete"
    assert refused(marriage(CLEARED_BY_2 + "\n1 CK DT", "2 call re")) == "R16"


def test_R17_the_third_trick_shifts_by_two() -> None:
    assert out(marriage(CLEARED_BY_3, "2 call re", "1 call no90"))["status"] == "incomplete"
    assert refused(marriage(CLEARED_BY_3 + "\n1 CK DT", "2 call re")) == "R16"


def test_R17_the_shift_holds_for_a_groom_who_stays_alone() -> None:
    assert out(marriage(GROOM_ALONE, "2 call re"))["status"] == "incomplete"
    assert refused(marriage(GROOM_ALONE + "\n2 SK", "2 call re")) == "R16"


def test_R17_the_shift_holds_for_each_step() -> None:
    # No 90 after clearing in trick 2 needs nine cards.
    more = CLEARED_BY_2 + "\n1 CK DT"
    assert out(marriage(more, "1 call re", "2 call no90"))["status"] == "refused"  # player 1 holds nine: Re is late
    record = marriage(CLEARED_BY_2, "1 call re")
    nine = {**record, "events": [*record["events"], "1 play CK", "2 play DT", "2 call no90"]}
    assert out(nine)["status"] == "incomplete"


def test_R17_the_shift_holds_for_replies() -> None:
    # Re with ten cards after clearing in trick 2; the reply to it needs 10 - 1 = 9.
    record = marriage(CLEARED_BY_2, "2 call re", "1 play CK", "2 play DT", "3 play C9", "3 call kontra")
    assert out(record)["status"] == "incomplete"
    late = {**record, "events": [*record["events"][:-1], "4 play CT", "2 play CQ", "3 play DA", "3 call kontra"]}
    assert refused(late) == "R20"


@pytest.mark.parametrize("kind", KINDS[1:])
def test_R18_steps_may_be_skipped_while_the_first_is_in_time(kind: str) -> None:
    assert played(tell(GAME, f"1 {kind} 11")).levels == (KINDS.index(kind) + 1, 0)


@pytest.mark.parametrize("kind", KINDS[1:])
def test_R18_an_absage_cannot_rescue_a_missed_ansage(kind: str) -> None:
    record = tell(GAME, f"1 {kind} 10")
    assert refused(stopped(record, after_call=f"1 call {kind}")) == "R18"


def test_R18_a_missed_step_is_not_rescued_by_the_next() -> None:
    record = tell(GAME, "1 re 11", "1 no60 9")
    assert refused(stopped(record, after_call="1 call no60")) == "R18"


def test_R18_a_skipped_step_counts_as_called() -> None:
    record = tell(GAME, "1 no60 11", "1 no90 10")
    assert refused(stopped(record, after_call="1 call no90")) == "R19"


def test_R18_an_absage_includes_the_ansage() -> None:
    found = [item["item"] for item in out(tell(GAME, "1 no90 11"))["items"]]
    assert "re-called" in found


def test_R18_after_a_skipped_step_the_next_keeps_its_own_deadline() -> None:
    assert played(tell(GAME, "1 no60 11", "1 no30 8")).levels == (4, 0)


def test_R19_a_side_calls_once() -> None:
    record = tell(GAME, "1 re 11", "4 re 11")
    assert refused(stopped(record, after_call="4 call re")) == "R19"


def test_R19_either_member_may_go_on() -> None:
    assert played(tell(GAME, "1 re 11", "4 no90 10", "1 no60 9")).levels == (3, 0)


def test_R19_a_call_shows_the_callers_side() -> None:
    state = played({**tell(GAME, "3 kontra 12"), "events": [*tell(GAME, "3 kontra 12")["events"][:5]]})
    assert state.known_sides == (None, None, Side.KONTRA, None)


@pytest.mark.parametrize(("player", "kind"), [(1, "kontra"), (2, "re"), (3, "re"), (4, "kontra")])
def test_R11_nobody_calls_for_the_other_side(player: int, kind: str) -> None:
    record = tell(GAME, f"{player} {kind} 12")
    assert refused(stopped(record, after_call=f"{player} call {kind}")) == "R11"


@pytest.mark.parametrize("kind", KINDS)
def test_R20_a_reply_may_be_one_card_later_than_the_call_required(kind: str) -> None:
    state = played(tell(GAME, *up_to(kind, DEADLINES[kind]), f"2 kontra {REPLIES[kind]}"))
    assert state.levels[1] == 1


@pytest.mark.parametrize("kind", KINDS)
def test_R20_a_reply_two_cards_later_is_refused(kind: str) -> None:
    record = tell(GAME, *up_to(kind, DEADLINES[kind]), f"2 kontra {REPLIES[kind] - 1}")
    assert refused(stopped(record, after_call="2 call kontra")) == "R20"


def test_R20_the_reply_to_a_step_that_skipped_others_goes_by_the_step() -> None:
    assert played(tell(GAME, "1 no30 11", "2 kontra 7")).levels == (4, 1)


def test_R20_re_may_reply_to_contra() -> None:
    assert played(tell(GAME, "2 kontra 11", "1 re 10")).levels == (1, 1)


def test_R20_a_reply_is_re_or_contra_and_nothing_else() -> None:
    record = tell(GAME, "1 re 11", "2 no90 10")
    assert refused(stopped(record, after_call="2 call no90")) == "R18"


def test_R20_after_a_late_reply_the_side_makes_no_absage() -> None:
    record = tell(GAME, "1 re 11", "2 kontra 10", "3 no90 10")
    assert refused(stopped(record, after_call="3 call no90")) == "R20"


def test_R20_after_a_reply_in_time_the_side_may_make_an_absage() -> None:
    assert played(tell(GAME, "1 re 12", "2 kontra 11", "3 no90 10")).levels == (1, 2)


def test_R20_a_reply_needs_no_turn_and_either_member_may_give_it() -> None:
    assert played(tell(GAME, "1 no90 11", "3 kontra 9")).levels == (2, 1)


def options(record: dict[str, object], player: int) -> list[tuple[str, int, bool]]:
    return [(o.kind.value, o.needs, o.reply) for o in call_options(played(record), player - 1)]


def test_R16_call_options_before_the_first_card() -> None:
    assert options(tell(GAME, stop=0), 2) == [
        ("kontra", 11, False),
        ("no90", 11, False),
        ("no60", 11, False),
        ("no30", 11, False),
        ("black", 11, False),
    ]


def test_R18_call_options_name_the_first_missing_step() -> None:
    assert options(tell(GAME, "1 re 11", stop=5), 4) == [(k, 10, False) for k in ("no90", "no60", "no30", "black")]


def test_R20_call_options_tell_a_late_reply() -> None:
    assert options(tell(GAME, "1 re 11", stop=8), 2) == [("kontra", 10, True)]


def test_R20_call_options_extend_the_deadline_of_a_reply() -> None:
    # With eleven cards Contra is still ordinary, and because of Re one card more may be played.
    found = options(tell(GAME, "1 re 12", stop=4), 2)
    assert found[0] == ("kontra", 10, False)
    assert found[1] == ("no90", 11, False)


def test_R16_call_options_are_empty_when_it_is_too_late() -> None:
    assert options(tell(GAME, stop=12), 1) == []


def test_R17_call_options_are_empty_before_the_clearing_trick() -> None:
    assert options(tell("1 DQ HT DK D9", bidding=bids("2 marriage"), hands=MARRIED), 2) == []


def test_R16_the_calls_are_named_as_in_records() -> None:
    assert [kind.value for kind in CallKind] == ["re", "kontra", "no90", "no60", "no30", "black"]
