"""The match as text: what each line becomes, with and without colours, symbols and a beginning."""

import io
from typing import Any

import pytest

from node.console.faces import Faces
from node.i18n import use_language
from node.watch import Narrator, wants_colour

NAMES = ("Anna", "Bert", "Cora", "Dora")
SEATED: dict[str, Any] = {
    "event": "seated",
    "resumed": False,
    "match": "ab" * 32,
    "me": 0,
    "players": [{"name": name, "key": "", "words": "one two", "bot": "random"} for name in NAMES],
    "terms": {
        "mode": "variable",
        "stake": 10,
        "limit": 100,
        "fee": 250,
        "kitty": "kitty",
        "currency": "EUR",
        "rules": "stargames",
        "special_points": True,
        "hands": 1,
    },
}
RESULT = {
    "event": "hand-over",
    "deal": 0,
    "hand": 1,
    "forehand": 1,
    "result": {
        "void": False,
        "contract": "normal",
        "re": [0, 2],
        "winner": "re",
        "value": 2,
        "card_points": [151, 89],
        "items": [
            {"side": "re", "item": "won", "points": 1, "trick": None},
            {"side": "re", "item": "under-90", "points": 1, "trick": None},
            {"side": "re", "item": "charlie", "points": 1, "trick": 12},
            {"side": "kontra", "item": "fox", "points": 1, "trick": 3},
        ],
    },
    "points": [2, -2, 2, -2],
    "money": [20, -20, 20, -20],
    "kitty": 0,
}
HAND = {"event": "hand", "deal": 0, "hand": 1, "forehand": 1}
TRICK = [
    {"event": "act", "deal": 0, "seat": 1, "act": "play HT"},
    {"event": "act", "deal": 0, "seat": 2, "act": "play DA"},
    {"event": "call", "deal": 0, "seat": 0, "call": "re"},
    {"event": "act", "deal": 0, "seat": 3, "act": "play D9"},
    {"event": "act", "deal": 0, "seat": 0, "act": "play DT"},
    {"event": "trick", "deal": 0, "trick": 1, "winner": 1},
]


@pytest.fixture(autouse=True)
def english() -> None:
    use_language("en")


def tell(*lines: dict[str, Any], colour: bool = False, ascii_only: bool = False) -> list[str]:
    out = io.StringIO()
    narrator = Narrator(out, colour=colour, faces=Faces(ascii_only))
    for line in lines:
        narrator.feed(dict(line))
    return out.getvalue().splitlines()


def steps(deal: int, step: str) -> list[dict[str, Any]]:
    return [{"event": "deal-step", "deal": deal, "step": step, "seat": seat} for seat in range(4)]


def test_each_step_of_a_deal_is_one_line_with_who_has_done_it() -> None:
    text = tell(SEATED, *steps(0, "commit"), *steps(0, "shuffle"), *steps(0, "barrier"))
    assert text[-3].startswith("  commit            Anna ✓  Bert ✓  Cora ✓  Dora ✓  ")
    assert text[-2].startswith("  shuffle           Anna ✓  ")
    assert "Deal 1" in text


def test_a_trick_is_one_line_with_calls_in_their_place_and_its_points() -> None:
    text = tell(SEATED, HAND, *TRICK)
    assert text[-1] == "   1  Bert ♥10  Cora ♦A   [Anna: Re!]  Dora ♦9   Anna ♦10  → Bert 31"


def test_the_score_names_reasons_rules_and_whose_point_it_is() -> None:
    text = "\n".join(tell(SEATED, RESULT))
    assert "Re (Anna and Cora) 151 : 89 Contra (Bert and Dora), Re wins" in text
    assert "Charlie made the last trick (trick 12)" in text
    fox = next(line for line in text.splitlines() if "fox" in line)
    assert "(trick 3) (Contra)" in fox
    assert "-1" in fox
    assert fox.endswith("R26")
    assert "+0.20" in text


def test_a_deal_made_during_a_hand_is_told_behind_it() -> None:
    text = tell(SEATED, HAND, *steps(1, "commit"), *TRICK, RESULT, *steps(1, "barrier"))
    trick = next(i for i, line in enumerate(text) if "→ Bert" in line)
    commit = next(i for i, line in enumerate(text) if line.startswith("  commit"))
    assert trick < commit
    assert any(line.startswith("Deal 2") and "made while the hand was played" in line for line in text)
    assert text[-1].startswith("  barrier")


def test_ascii_has_letters_for_suits_and_no_other_character() -> None:
    text = "\n".join(tell(SEATED, HAND, *TRICK, RESULT, ascii_only=True))
    assert text.isascii()
    assert "Bert H10  Cora DA" in text


def test_colours_are_there_only_when_wanted() -> None:
    assert "\x1b[31m♥10" in "\n".join(tell(SEATED, *TRICK, colour=True))
    assert "\x1b" not in "\n".join(tell(SEATED, *TRICK))

    class Terminal:
        def isatty(self) -> bool:
            return True

    assert wants_colour(Terminal(), {"TERM": "xterm"})
    assert not wants_colour(Terminal(), {"TERM": "xterm", "NO_COLOR": "1"})
    assert not wants_colour(Terminal(), {"TERM": "dumb"})
    assert not wants_colour(io.StringIO(), {"TERM": "xterm"})


def test_a_match_taken_up_in_the_middle_of_a_trick_claims_no_number_and_no_points() -> None:
    text = tell({**SEATED, "resumed": True}, *TRICK[3:], *TRICK[:2])
    assert "Taken up again; waiting for the others." in text
    assert text[-2] == "      Dora ♦9   Anna ♦10  → Bert"
    assert text[-1].startswith("   2  Bert ♥10")


def test_lost_and_found_links_are_told_once_and_not_after_the_end() -> None:
    lost = {"event": "link", "seat": 2, "how": "lost", "via": "", "why": "the connection broke"}
    found = {"event": "link", "seat": 2, "how": "via", "via": "Bert", "why": ""}
    text = tell(SEATED, lost, lost, found, RESULT, lost)
    assert text.count("  Cora is not connected: the connection broke") == 1
    assert text.count("  Cora is connected (through Bert).") == 1


def test_an_unknown_event_is_passed_over() -> None:
    assert tell({"event": "something-new"}) == []
