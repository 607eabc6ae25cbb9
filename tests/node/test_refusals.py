"""What the protocol refuses is told in the language of the player: every text has its translation."""

import re
from collections.abc import Iterator

import pytest

from node.i18n import LANGUAGES, use_language
from node.refusals import MEANINGS, TECHNICAL, TEXTS, bad_link, bad_terms, refusal_text, told
from protocol.refusal import Code, Refusal
from protocol.table.terms import make_terms
from protocol.wire.link import read_link
from tests.tools import refusals

HOLE = re.compile(r"\{\w*\}")
#: Texts of the rules' other outlets (terms and addresses are ValueErrors there).
ELSEWHERE = {
    "terms: {}",
    "terms of version {}; this program reads version {}",
    "the {} is {} {}; it has to be from {} to {}",
    "the {} is {}; it has to be {}",
    "mode {} has no limit: each hand pays the stake",
    "the limit ({}) is below the stake ({})",
    "a duel has two computers and two people",
    "in a duel the computers sit opposite each other, and so do the people",
}


#: Said where the words are made of several parts or handed on as values.
OTHER_WAYS = {
    "all four agreed",
    "the three others agreed",
    "two entries of ours exclude each other: another node signs with our identity",
    "an entry of ours is wrong: {}",
    "the seats for {} are taken",
    "seat {} is taken, or not for you",
    "all seats are taken",
    "a computation failed: {}",
    "the log cannot be replayed ({})",
}


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    use_language("en")
    yield
    use_language("en")


def bare(text: str) -> str:
    return HOLE.sub("{}", text)


def untold(found: Iterator[tuple[str, int, str]]) -> list[str]:
    """Refusals that a player would read in English in every language."""
    have = {bare(text) for text in TEXTS}
    return [
        f"{path}:{line}: {words}"
        for path, line, words in found
        if words not in have and not any(path.startswith(technical) for technical in TECHNICAL)
    ]


def test_every_refusal_has_a_translation_or_a_code() -> None:
    assert not untold(refusals.everything()), "add these to node/refusals.py, then bring the catalogues up to date"


def test_a_new_refusal_without_translation_is_found() -> None:
    source = 'def check():\n    raise Refusal(Code.RULE, f"player {player} cheats")\n'
    found = [("protocol/rules/tricks.py", line, words) for line, words in refusals.refused(source)]
    assert untold(iter(found)) == ["protocol/rules/tricks.py:2: player {} cheats"]


def test_no_translation_is_left_over() -> None:
    said = {words for _path, _line, words in refusals.everything()} | ELSEWHERE
    spoken = {bare(text) for text in TEXTS}
    assert not spoken - said - OTHER_WAYS


def test_every_code_has_a_meaning() -> None:
    assert set(MEANINGS) == set(Code)


@pytest.mark.parametrize("language", [code for code in LANGUAGES if code != "en"])
def test_each_text_comes_back_in_the_language(language: str) -> None:
    """Filled in as the protocol does, no template stays English (one that only names what it holds may)."""
    sample = {
        "seat": "2",
        "place": "3",
        "n": "9",
        "have": "7",
        "player": "2",
        "low": "1",
        "high": "5",
        "code": "SIG",
        "led": "trump",
        "side": "re",
        "call": "no90",
        "entry": "PLAY number 3 of seat 0 in deal 1",
        "rest": "it is not your turn",
        "act": "plays",
        "unit": "cents",
        "party": "this program",
        "what": "stake",
    }
    use_language(language)
    for template in TEXTS:
        english = HOLE.sub(lambda found: sample.get(found[0][1:-1], "X"), template)
        assert told(english) != english or bare(template) in {"terms: {}"}, template


def test_a_card_that_may_not_be_played() -> None:
    refusal = Refusal(Code.RULE, "player 2 must follow trump and cannot play HA", "R13")
    use_language("de")
    assert refusal_text(refusal) == "Spieler 2 muss Trumpf bedienen und darf HA nicht spielen. (R13)"


def test_a_call_that_comes_too_late() -> None:
    use_language("de")
    text = told("TIME: no90 needs 9 cards, player 2 holds 7 (R16)")
    assert text == "keine 90 braucht 9 Karten, Spieler 2 hat 7 (R16)"


def test_seats_and_deals_are_counted_from_one() -> None:
    assert (
        told("SHUF number 3 of seat 1 in deal 0: of another match")
        == "SHUF number 3 of seat 2 in deal 1: of another match"
    )
    assert told("seat 2: the proof does not show that this is a shuffle of the deck").startswith("seat 3: ")


def test_a_proof_is_told_by_its_code() -> None:
    use_language("de")
    text = told("SHUF number 3 of seat 1 in deal 0: seat 1: the proof does not show that this is a shuffle", "SHUFFLE")
    assert text == "SHUF Nummer 3 von Platz 2 im Geben 1: der Beweis des Mischens stimmt nicht"


def test_what_another_node_says_is_no_format_string() -> None:
    assert told("the other end closed the link: {0.__class__} %s") == "the other end closed the link: {0.__class__} %s"


def test_a_link_that_was_cut() -> None:
    with pytest.raises(Refusal) as caught:
        read_link("doko:abc")
    use_language("de")
    assert "beschädigt" in bad_link(caught.value).message


def test_terms_that_do_not_go_together() -> None:
    with pytest.raises(Refusal) as caught:
        make_terms(table=bytes(16), mode="variable", stake=10, limit=5)
    use_language("de")
    assert bad_terms(caught.value).message == (
        "Diese Bedingungen passen nicht zusammen: das Limit (5) liegt unter dem Einsatz (10)."
    )
