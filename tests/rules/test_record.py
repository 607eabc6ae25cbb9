"""The hand record: reading, replaying, what comes out, writing."""

import json
from typing import Any

import pytest

from protocol.refusal import Code
from protocol.rules.record import (
    FORMAT,
    MAX_BYTES,
    BadRecord,
    act_of,
    event_of,
    loads,
    outcome,
    parse,
    record_of,
    replay,
)
from tests.rules.games import BY_RE_POINTS, SPECIALS
from tests.rules.tell import HEALTHY, bids, out, tell

GAME = tell(BY_RE_POINTS["121"])


def changed(**fields: Any) -> dict[str, Any]:
    return {**GAME, **{name.replace("_", "-"): value for name, value in fields.items()}}


def without(*keys: str) -> dict[str, Any]:
    return {key: value for key, value in GAME.items() if key not in keys}


def bad(value: Any) -> str:
    """Why a JSON value, replayed to the end, is no record."""
    with pytest.raises(BadRecord) as caught:
        replay(parse(value))
    assert "\n" not in caught.value.detail
    return caught.value.detail


def test_a_complete_hand() -> None:
    assert out(GAME) == {
        "status": "complete",
        "void": False,
        "contract": "normal",
        "re": [1, 4],
        "winner": "re",
        "value": 1,
        "points": [1, -1, -1, 1],
        "card_points": {"re": 121, "kontra": 119},
        "trick_winners": [1, 1, 3, 2, 1, 1, 3, 4, 3, 1, 3, 2],
        "items": [{"side": "re", "item": "won", "points": 1}],
    }


def test_the_keys_come_in_the_order_of_the_format() -> None:
    assert list(out(GAME)) == (
        ["status", "void", "contract", "re", "winner", "value", "points", "card_points", "trick_winners", "items"]
    )


def test_an_item_names_its_trick() -> None:
    assert {"side": "kontra", "item": "doppelkopf", "points": 1, "trick": 1} in out(tell(SPECIALS))["items"]


def test_an_incomplete_hand_before_the_first_bid() -> None:
    assert out(changed(events=[])) == {
        "status": "incomplete",
        "void": False,
        "contract": None,
        "re": None,
        "card_points": {"re": 0, "kontra": 0},
        "trick_winners": [],
        "next": [{"player": 1, "may": ["healthy", "reservation"]}],
    }


def test_an_incomplete_hand_in_play_lists_cards_then_calls_player_by_player() -> None:
    value = out(changed(events=[*HEALTHY, "1 play HT"]))
    trumps = [f"play {card}" for card in ("D9", "SJ", "SQ", "DK", "DT", "DA")]
    assert value["contract"] == "normal"
    assert value["re"] == [1, 4]
    absagen = ["call no90", "call no60", "call no30", "call black"]
    by_player = {who["player"]: who["may"] for who in value["next"]}
    assert list(by_player) == [1, 2, 3, 4]
    assert by_player[1] == ["call re", *absagen]
    assert by_player[2] == [*trumps, "call kontra", *absagen]
    assert by_player[3] == ["call kontra", *absagen]


def test_cards_are_listed_as_the_hand_lists_them_and_once_per_type() -> None:
    value = out(changed(events=list(HEALTHY)))
    cards = [act.split()[1] for act in value["next"][0]["may"] if act.startswith("play")]
    dealt = GAME["hands"][0].split()
    assert cards == list(dict.fromkeys(dealt))


def test_a_player_who_may_do_nothing_is_not_listed() -> None:
    value = out(tell(BY_RE_POINTS["121"], stop=40))
    assert len(value["next"]) == 1


def test_an_incomplete_silent_solo_says_so() -> None:
    hands = [
        "SA CK HJ DT CJ DQ HA ST HK CK SA HK",
        "SK DT HJ HT SJ DK CJ S9 DQ CQ SK CQ",
        "S9 C9 DA DK DA HQ HA SJ HT CA CT H9",
        "ST CT HQ D9 SQ D9 H9 CA DJ C9 DJ SQ",
    ]
    value = out(tell("", hands=hands))
    assert (value["contract"], value["re"]) == ("silent-solo", [2])


def test_a_refused_event() -> None:
    value = out(changed(events=["1 healthy", "3 healthy"]))
    assert list(value) == ["status", "event", "rule", "reason"]
    assert (value["status"], value["event"], value["rule"]) == ("refused", 1, "R8")
    assert "player 2" in value["reason"]


def test_nothing_behind_a_refused_event_is_read() -> None:
    assert out(changed(events=["1 healthy", "3 healthy", 17, "nonsense"]))["event"] == 1


def test_options_and_duel_may_be_absent() -> None:
    assert out(without("options", "duel")) == out(GAME)


def test_special_points_are_on_by_default() -> None:
    assert parse(without("options")).rules.special_points is True
    assert parse(changed(options={})).rules.special_points is True
    assert parse(changed(options={"special-points": False})).rules.special_points is False


@pytest.mark.parametrize("key", ["format", "rules", "hands", "events"])
def test_a_missing_key_is_named(key: str) -> None:
    assert key in bad(without(key))


@pytest.mark.parametrize("value", [None, 1, "x", [], 1.5, True])
def test_a_record_is_an_object(value: Any) -> None:
    assert "object" in bad(value)


def test_an_unknown_key_is_named() -> None:
    assert "'seed'" in bad({**GAME, "seed": 1})


def test_an_unknown_option_is_named() -> None:
    assert "'pigs'" in bad(changed(options={"special-points": True, "pigs": True}))


@pytest.mark.parametrize("value", [None, [], "yes", {"special-points": 1}, {"special-points": None}])
def test_options_of_a_wrong_type(value: Any) -> None:
    assert bad(changed(options=value)).startswith("options")


@pytest.mark.parametrize("value", ["doko-hand/2", 1, None, ["doko-hand/1"]])
def test_another_format(value: Any) -> None:
    assert FORMAT in bad(changed(format=value))


@pytest.mark.parametrize("value", ["DDV", "", None, 1, ["ddv"], {}])
def test_unknown_rules(value: Any) -> None:
    assert bad(changed(rules=value)).startswith("rules")


@pytest.mark.parametrize("value", [[1, 2], [3, 1], [1], [1, 3, 1], [True, 3], [1.0, 3.0], "13", {}, 0, False, [[1], 3]])
def test_a_duel_is_two_players_opposite_each_other(value: Any) -> None:
    assert bad(changed(duel=value)).startswith("duel")


def test_a_deal_that_a_duel_forbids_is_no_record() -> None:
    with pytest.raises(BadRecord) as caught:
        parse(tell(BY_RE_POINTS["59"], duel=[1, 3]))
    assert caught.value.rule == "R34"


def hands(*replaced: tuple[int, Any]) -> list[Any]:
    new = list(GAME["hands"])
    for index, hand in replaced:
        new[index] = hand
    return new


@pytest.mark.parametrize("value", [None, "HT", [], ["HT"] * 3, {}, ["HT"] * 5])
def test_hands_are_a_list_of_four(value: Any) -> None:
    assert bad(changed(hands=value)).startswith("hands")


@pytest.mark.parametrize(
    ("hand", "words"),
    [
        (None, "text"),
        (["HT"], "text"),
        ("", "''"),
        ("XX" + GAME["hands"][2][2:], "'XX'"),
        (GAME["hands"][2].lower(), "is not a card"),
        (GAME["hands"][2].replace(" ", "  ", 1), "''"),
        (GAME["hands"][2] + " ", "''"),
        (GAME["hands"][2][:-3], "11 cards"),
        (GAME["hands"][2] + " D9", "13 cards"),
        (" ".join(["HT"] * 12), "HT"),
    ],
)
def test_a_wrong_hand_is_named(hand: Any, words: str) -> None:
    detail = bad(changed(hands=hands((2, hand))))
    assert detail.startswith("hands")
    assert words in detail


def test_another_deck_is_refused() -> None:
    # A king of diamonds instead of a queen: no card is dealt three times by chance here.
    first = GAME["hands"][0].split()
    swapped = ["D9" if card == "DQ" else card for card in first]
    assert swapped != first
    assert "D9" in bad(changed(hands=hands((0, " ".join(swapped)))))


@pytest.mark.parametrize("value", [None, {}, "1 healthy", 3])
def test_events_are_a_list(value: Any) -> None:
    assert bad(changed(events=value)).startswith("events")


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (None, "null"),
        (1, "number"),
        (["1 healthy"], "list"),
        ("", "''"),
        ("healthy", "player 1 to 4"),
        ("0 healthy", "player 1 to 4"),
        ("5 healthy", "player 1 to 4"),
        ("1 Healthy", "not an event"),
        ("1  healthy", "not an event"),
        ("1 healthy ", "not an event"),
        ("1 play", "not an event"),
        ("1 play XX", "'XX' is not a card"),
        ("1 play D10", "'D10' is not a card"),
        ("1 call contra", "'contra' is not a call"),
        ("1 solo queens", "'queens' is not a solo"),
        ("1 solo normal", "'normal' is not a solo"),
        ("1 " + "x" * 5000, "not an event"),
        ("1 play " + "x" * 5000, "is not a card"),
        ("1 \ud800", "not an event"),
    ],
)
def test_an_event_that_is_none_is_named_with_its_place(event: Any, words: str) -> None:
    detail = bad(changed(events=["1 healthy", event]))
    assert detail.startswith("events[1]: ")
    assert words in detail
    assert len(detail) < 200
    detail.encode()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "line 1 column 1"),
        ("{", "line 1 column 2"),
        ('{\n  "format" "x"}', "line 2 column 12"),
        ('{"format": 1, "format": 2}', "twice"),
        ('{"rules": NaN}', "NaN"),
        ("[" * 100000, "nested"),
        ('{"a": ' + "9" * 5000 + "}", "number"),
        ("{} {}", "line 1 column 4"),
    ],
)
def test_text_that_is_not_json(text: str, words: str) -> None:
    for given in (text, text.encode()):
        with pytest.raises(BadRecord) as caught:
            loads(given)
        assert words in caught.value.detail


def test_bytes_that_are_not_utf_8() -> None:
    with pytest.raises(BadRecord) as caught:
        loads(b'{"rules": "\xff"}')
    assert "byte 12" in caught.value.detail


def test_a_record_of_one_mib_is_read_and_a_longer_one_is_not() -> None:
    text = json.dumps(GAME)
    assert loads(text + " " * (MAX_BYTES - len(text))).hands
    for given in (text + " " * (MAX_BYTES - len(text) + 1), (text + " " * MAX_BYTES).encode()):
        with pytest.raises(BadRecord) as caught:
            loads(given)
        assert caught.value.code is Code.LIMIT


def test_the_limit_is_in_bytes() -> None:
    with pytest.raises(BadRecord) as caught:
        loads('"' + "ä" * (MAX_BYTES // 2) + '"')
    assert caught.value.code is Code.LIMIT


@pytest.mark.parametrize(
    "event",
    [*HEALTHY, "2 reservation", "3 marriage", "4 solo solo-aces", "1 call kontra", "2 call black", "3 play HT"],
)
def test_events_and_acts_are_inverse(event: str) -> None:
    assert event_of(act_of(event)) == event


@pytest.mark.parametrize(
    "record",
    [
        GAME,
        tell(SPECIALS, "1 no60 11", "3 kontra 9", rules="ddv", special=False),
        tell(BY_RE_POINTS["151"], "1 re 12", duel=[1, 3]),
        tell("", bidding=bids("2 solo solo-aces"), hands=GAME["hands"]),
        {**GAME, "events": ["1 healthy", "2 reservation"]},
    ],
)
def test_a_hand_written_and_read_again_is_the_same(record: dict[str, Any]) -> None:
    state = replay(parse(record)).state
    again = record_of(state)
    assert again.value() == record
    assert outcome(replay(loads(again.text()))) == out(record)


def test_a_record_text_is_one_line() -> None:
    assert "\n" not in record_of(replay(parse(GAME)).state).text()
