"""R7 to R10: the deal, healthy and reservation, naming, marriages."""

import pytest

from protocol.cards import DECK, format_cards
from protocol.rules.match import Match
from protocol.rules.stakes import Mode, Stakes
from tests.rules.games import BY_RE_POINTS
from tests.rules.tell import bids, cut, out, refused, tell

GAME = BY_RE_POINTS["151"]
#: Player 2 holds both club queens.
MARRIED = (
    "SA CK HJ DT CJ DQ HA ST HK CK SA HK",
    "SK DT HJ HT SJ DK CJ S9 DQ CQ SK CQ",
    "S9 C9 DA DK DA HQ HA SJ HT CA CT H9",
    "ST CT HQ D9 SQ D9 H9 CA DJ C9 DJ SQ",
)


def bid(*events: str, hands: tuple[str, ...] = MARRIED) -> dict[str, object]:
    return {"format": "doko-hand/1", "rules": "stargames", "hands": list(hands), "events": list(events)}


def may(*events: str) -> tuple[int, list[str]]:
    """Who is to act after these events, and what he may do."""
    (only,) = out(bid(*events))["next"]
    return only["player"], only["may"]


def test_R7_forehand_moves_one_seat_clockwise_each_hand() -> None:
    match = Match(Stakes(Mode.FOUR_FIXED, stake=1), first_forehand=3)
    assert [match.seat(p) for p in range(4)] == [3, 0, 1, 2]


def test_R8_forehand_bids_first() -> None:
    assert may() == (1, ["healthy", "reservation"])


def test_R8_bids_go_round_clockwise() -> None:
    assert may("1 healthy", "2 reservation") == (3, ["healthy", "reservation"])


def test_R8_a_bid_out_of_turn_is_refused() -> None:
    assert refused(bid("1 healthy", "3 healthy")) == "R8"


def test_R8_a_second_bid_is_refused() -> None:
    assert refused(bid("1 healthy", "1 healthy")) == "R8"


def test_R8_a_card_before_the_bids_is_refused() -> None:
    assert refused(bid("1 play SA")) == "R8"


def test_R8_all_healthy_is_a_normal_game() -> None:
    value = out(cut(tell(GAME), after="4 healthy"))
    assert value["contract"] == "normal"


def test_R8_nothing_is_settled_while_bids_are_missing() -> None:
    assert out(bid("1 healthy", "2 healthy", "3 healthy"))["contract"] is None


def test_R8_reservers_name_in_seat_order() -> None:
    said = ("1 healthy", "2 reservation", "3 healthy", "4 reservation")
    assert may(*said)[0] == 2
    assert may(*said, "2 marriage")[0] == 4


def test_R8_naming_before_the_fourth_bid_is_refused() -> None:
    assert refused(bid("1 healthy", "2 reservation", "2 marriage")) == "R8"


def test_R8_who_said_healthy_cannot_name() -> None:
    assert refused(bid(*bids("2 marriage")[:4], "1 solo solo-aces")) == "R8"


def test_R8_the_first_solo_ends_the_naming() -> None:
    value = out(bid("1 reservation", "2 reservation", "3 reservation", "4 healthy", "1 solo solo-jacks"))
    assert (value["contract"], value["re"]) == ("solo-jacks", [1])


def test_R8_a_later_reserver_cannot_name_after_a_solo() -> None:
    said = ("1 reservation", "2 reservation", "3 healthy", "4 healthy", "1 solo solo-jacks")
    assert refused(bid(*said, "2 marriage")) == "R8"


def test_R8_a_solo_ranks_before_an_earlier_marriage() -> None:
    value = out(bid("1 healthy", "2 reservation", "3 healthy", "4 reservation", "2 marriage", "4 solo solo-spades"))
    assert (value["contract"], value["re"]) == ("solo-spades", [4])


def test_R8_a_marriage_stands_if_nobody_names_a_solo() -> None:
    assert out(bid(*bids("2 marriage")))["contract"] == "marriage"


def test_R8_a_reservation_offers_marriage_then_the_solos() -> None:
    kinds = ["clubs", "spades", "hearts", "diamonds", "queens", "jacks", "aces"]
    assert may(*bids("2 marriage")[:4]) == (2, ["marriage", *(f"solo solo-{kind}" for kind in kinds)])


def test_R9_forehand_leads_a_solo_too() -> None:
    value = out(bid(*bids("3 solo solo-aces")))
    assert [who["player"] for who in value["next"] if any("play" in act for act in who["may"])] == [1]


def test_R9_the_soloist_does_not_lead() -> None:
    assert refused(bid(*bids("3 solo solo-aces"), "3 play S9")) == "R9"


def test_R10_a_marriage_needs_both_club_queens() -> None:
    assert refused(bid(*bids("3 marriage"))) == "R10"


def test_R10_only_the_holder_is_offered_the_marriage() -> None:
    assert "marriage" not in may("1 healthy", "2 healthy", "3 reservation", "4 healthy")[1]


def test_R10_the_holder_may_play_a_solo_instead() -> None:
    assert out(bid(*bids("2 solo solo-queens")))["contract"] == "solo-queens"


def test_R10_the_holder_who_says_healthy_plays_a_silent_solo() -> None:
    value = out(bid("1 healthy", "2 healthy", "3 healthy", "4 healthy"))
    assert (value["contract"], value["re"]) == ("silent-solo", [2])


@pytest.mark.parametrize("event", ["1 healthy", "2 reservation", "2 marriage", "1 solo solo-aces"])
def test_R8_bidding_is_over_once_the_game_is_settled(event: str) -> None:
    record = tell(GAME)
    assert refused(cut(record, event, after="4 healthy")) == "R8"


def test_R7_every_player_is_dealt_twelve_cards() -> None:
    from protocol.rules.hand import HandRules, start

    state = start(HandRules(), [DECK[p::4] for p in range(4)])
    assert [state.cards_left(p) for p in range(4)] == [12, 12, 12, 12]
    assert format_cards(state.hand(0) or ()) == format_cards(DECK[0::4])
