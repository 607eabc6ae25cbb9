"""``doko replay``: exit codes, standard output and standard error."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from node.cli.main import run
from node.cli.replay import replay
from node.errors import DokoError
from protocol.rules.record import MAX_BYTES
from tests.rules.games import BY_RE_POINTS, MARRIAGE_SPECIALS, SOLO_151, SPECIALS
from tests.rules.tell import HEALTHY, bids, out, tell

GAME = tell(BY_RE_POINTS["121"])
REFUSED = {**GAME, "events": [*HEALTHY, "1 play D9"]}
EARLY = {**GAME, "events": [*HEALTHY, "1 play HT"]}


def doko(text: str | bytes, *options: str) -> Result:
    """``doko replay -`` with this on standard input."""
    return CliRunner().invoke(replay, ["-", *options], input=text, standalone_mode=False)


def lines(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.mark.parametrize(("record", "code"), [(GAME, 0), (EARLY, 0), (REFUSED, 1)])
def test_a_single_record_as_json(record: dict[str, Any], code: int) -> None:
    result = doko(json.dumps(record), "--json")
    assert (result.return_value, lines(result)) == (code, [out(record)])


def test_an_array_gives_one_line_per_record_in_order() -> None:
    result = doko(json.dumps([GAME, EARLY, REFUSED]), "--json")
    assert (result.return_value, lines(result)) == (0, [out(GAME), out(EARLY), out(REFUSED)])


def test_json_lines_give_one_line_per_record_in_order() -> None:
    result = doko("".join(json.dumps(record) + "\n" for record in (REFUSED, GAME)), "--json")
    assert (result.return_value, lines(result)) == (0, [out(REFUSED), out(GAME)])


def test_an_element_that_is_no_record_is_told_and_makes_it_2() -> None:
    broken = {**GAME, "events": ["1 healthy", "1 plya HT"]}
    result = doko(json.dumps([GAME, {}, broken, GAME]), "--json")
    assert result.return_value == 2
    first, empty, event, last = lines(result)
    assert first == last == out(GAME)
    assert list(empty) == ["status", "reason"]
    assert empty["status"] == event["status"] == "invalid"
    assert event["reason"].startswith("events[1]")


def test_an_empty_array_is_fine() -> None:
    result = doko("[]", "--json")
    assert (result.return_value, result.stdout) == (0, "")


def test_thousands_of_hands_in_one_process() -> None:
    result = doko((json.dumps(GAME) + "\n") * 2000, "--json")
    assert result.return_value == 0
    assert set(result.stdout.splitlines()) == {json.dumps(out(GAME))}
    assert result.stdout.count("\n") == 2000


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no record"),
        ("{", "line 1 column 2"),
        ("{}", "'format'"),
        (json.dumps({**GAME, "hands": GAME["hands"][:3]}), "hands"),
        (json.dumps({**GAME, "events": ["1 play XX"]}), "events[0]"),
        (json.dumps(tell(BY_RE_POINTS["59"], duel=[1, 3])), "duel"),
        ("[" + json.dumps(GAME), "does not end"),
        ('{"x": "' + "y" * MAX_BYTES + '"}', "1 MiB"),
        (b"\xff", "UTF-8"),
    ],
)
def test_what_is_no_record_makes_it_2_with_one_line_on_standard_error(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], text: str | bytes, words: str
) -> None:
    file = tmp_path / "hand.json"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    for options in ([], ["--json"]):
        code = run(["replay", str(file), *options])
        told = capfd.readouterr()
        assert (code, told.out) == (2, "")
        assert told.err.count("\n") == 1
        assert str(file) in told.err
        assert words in told.err


@pytest.mark.parametrize("name", ["absent.json", "."])
def test_a_file_that_cannot_be_read(tmp_path: Path, name: str) -> None:
    result = CliRunner().invoke(replay, [str(tmp_path / name)], standalone_mode=False)
    assert isinstance(result.exception, DokoError)
    assert result.exception.exit_code == 2
    assert str(tmp_path / name) in str(result.exception)


def test_a_file_on_disk(tmp_path: Path) -> None:
    file = tmp_path / "hand.json"
    file.write_text(json.dumps(GAME))
    result = CliRunner().invoke(replay, [str(file), "--json"], standalone_mode=False)
    assert lines(result) == [out(GAME)]


def test_the_text_tells_cards_bids_tricks_and_the_reckoning() -> None:
    text = doko(json.dumps(tell(SPECIALS, "1 re 11"))).stdout
    for words in (
        "Player 1 (forehand): SA CQ CK",
        "Player 4: healthy",
        "Game: normal game",
        "Trick  1: 1 SA  [1: Re]  2 SA  3 DT  4 ST  -> player 3, 42 card points",
        "Re is player 1 and player 2, with 114 to 126 card points.",
        "Contra has won.",
        "Contra +1: Contra won against the old (R26)",
        "caught a fox, trick 9 (R26)",
        "Value 6.",
        "Points: 1: -6, 2: -6, 3: +6, 4: +6",
    ):
        assert words in text


def test_the_text_of_a_solo_tells_who_named_it_and_that_it_counts_three_times() -> None:
    text = doko(json.dumps(tell(SOLO_151, bidding=bids("1 solo solo-diamonds")))).stdout
    assert "Player 1 names: diamonds solo" in text
    assert "(R28)" in text
    assert "Points: 1: +6, 2: -2, 3: -2, 4: -2" in text


def test_the_text_of_a_marriage_tells_the_clearing_trick() -> None:
    text = doko(json.dumps(tell(MARRIAGE_SPECIALS, bidding=bids("3 marriage")))).stdout
    assert next(line for line in text.splitlines() if "clearing" in line).startswith("Trick  2")


def test_the_text_of_an_early_end_tells_who_may_do_what() -> None:
    result = doko(json.dumps(EARLY))
    assert result.return_value == 0
    assert "Player 2 may: play D9" in result.stdout


def test_the_text_of_a_refused_event_tells_event_and_rule() -> None:
    result = doko(json.dumps(REFUSED))
    assert result.return_value == 1
    assert 'Event 4, "1 play D9", is refused' in result.stdout
    assert "(R14)" in result.stdout


def test_the_text_of_a_void_hand() -> None:
    hands = (
        "SA CK HJ DT CJ DQ HA ST HK CK SA HK",
        "SK DT HJ HT SJ DK CJ S9 DQ CQ SK CQ",
        "S9 C9 DA DK DA HQ HA SJ HT CA CT H9",
        "ST CT HQ D9 SQ D9 H9 CA DJ C9 DJ SQ",
    )
    tricks = "1 DQ HT DK D9\n2 CQ DA DJ CJ\n2 CQ DA D9 DT"
    text = doko(json.dumps(tell(tricks, bidding=bids("2 marriage"), hands=hands, duel=[1, 3]))).stdout
    assert "void" in text.splitlines()[-1]


def test_the_text_of_many_numbers_them_and_tells_those_that_are_none() -> None:
    result = doko(json.dumps([GAME, {}]))
    assert result.return_value == 2
    assert "Record 1\n" in result.stdout
    assert "Record 2\nThis is no record: " in result.stdout
