"""Every command: help with an example in each language, one rule of exit codes, JSON that is JSON."""

import io
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from node.cli.app import TranslatedCommand, TranslatedGroup, TranslatedOption
from node.cli.main import doko as root
from node.errors import EXIT_ENVIRONMENT, EXIT_NO, EXIT_OK, EXIT_USAGE
from node.i18n import LANGUAGES
from tests.tools.catalogues import ROOT

HAND = ROOT / "examples" / "hand.json"


def walk(command: click.Command, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command with the words that call it."""
    yield words, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from walk(found, (*words, name))


COMMANDS = dict(walk(root))
LEAVES = [words for words, command in COMMANDS.items() if not isinstance(command, click.Group)]


def name_of(words: tuple[str, ...]) -> str:
    return " ".join(words) or "doko"


@pytest.mark.parametrize("words", COMMANDS, ids=name_of)
def test_help_has_an_example(doko: Callable[..., Any], words: tuple[str, ...]) -> None:
    done = doko(*words, "--help")
    assert done.code == EXIT_OK
    assert "Examples:" in done.out
    assert f"  {' '.join(('doko', *words))}" in done.out, "no example calls the command itself"
    assert "\b" not in done.out
    assert r"\b" not in done.out


@pytest.mark.parametrize("language", [code for code in LANGUAGES if code != "en"])
def test_no_help_page_is_in_english(doko: Callable[..., Any], language: str) -> None:
    """The sentence a page begins with and the help of each option are other ones than in English."""
    for words, command in COMMANDS.items():
        english = doko(*words, "--help").out
        told = doko("--lang", language, *words, "--help").out
        paragraphs = [text.strip() for text in english.split("\n\n")]
        assert paragraphs[1] not in told, words
        assert "Show this page and exit" not in told, words
        assert isinstance(command, TranslatedCommand | TranslatedGroup), words
        for parameter in command.params:
            if isinstance(parameter, click.Option) and not parameter.hidden and parameter.name != "help":
                assert isinstance(parameter, TranslatedOption), (words, parameter.name)
                assert parameter.help, (words, parameter.name)


@pytest.mark.parametrize("words", COMMANDS, ids=name_of)
def test_an_option_that_does_not_exist_is_wrong_usage(doko: Callable[..., Any], words: tuple[str, ...]) -> None:
    done = doko(*words, "--no-such-option")
    assert done.code == EXIT_USAGE
    assert "--no-such-option" in done.err
    assert "--help" in done.err
    assert not done.out


@pytest.mark.parametrize("words", LEAVES, ids=name_of)
def test_too_many_arguments_are_wrong_usage(doko: Callable[..., Any], words: tuple[str, ...]) -> None:
    if any(isinstance(one, click.Argument) and one.nargs < 0 for one in COMMANDS[words].params):
        pytest.skip("takes any number")
    done = doko(*words, *(["strong"] * 5))
    assert done.code == EXIT_USAGE
    assert done.err
    assert not done.out


@pytest.mark.parametrize(
    "words",
    [words for words in LEAVES if any(isinstance(p, click.Argument) and p.required for p in COMMANDS[words].params)],
    ids=name_of,
)
def test_a_missing_argument_is_wrong_usage(doko: Callable[..., Any], words: tuple[str, ...]) -> None:
    done = doko(*words)
    assert done.code == EXIT_USAGE
    assert done.err
    assert not done.out


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("friends list", EXIT_OK),
        ("ledger", EXIT_OK),
        ("history", EXIT_OK),
        ("bot levels", EXIT_OK),
        ("bot check random --situations 2", EXIT_OK),
        ("config list", EXIT_OK),
        ("config get language", EXIT_OK),
        ("identity show", EXIT_OK),
        ("invite --address anna.example:4848", EXIT_OK),
        ("doctor", EXIT_OK),
        (f"replay {HAND}", EXIT_OK),
    ],
)
def test_json_is_one_value_on_one_line(doko: Callable[..., Any], line: str, code: int) -> None:
    doko("identity", "create")
    done = doko(*line.split(), "--json")
    assert done.code == code
    assert done.out.count("\n") == 1
    json.loads(done.out)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("export records", EXIT_NO),
        ("export settlement last", EXIT_NO),
        ("export evidence last", EXIT_NO),
        ("friends show Anna", EXIT_NO),
        ("friends remove Anna", EXIT_NO),
        ("history 3f2a", EXIT_NO),
        ("table resume", EXIT_NO),
        ("config unset language", EXIT_NO),
        ("config get colour-of-the-sky", EXIT_USAGE),
        ("config set language klingon", EXIT_USAGE),
        ("friends add xyz Anna", EXIT_USAGE),
        ("join a:b:c", EXIT_USAGE),
        ("join doko:xyz", EXIT_USAGE),
        ("table join a:b:c --auto strong", EXIT_USAGE),
        ("table open --auto nobody", EXIT_USAGE),
        ("table open --auto strong --stake 10 --limit 5", EXIT_USAGE),
        ("play --level nobody", EXIT_USAGE),
        ("demo --level nobody", EXIT_USAGE),
        ("demo --mode duel --limit 5", EXIT_USAGE),
        ("bot check nobody", EXIT_USAGE),
        ("bot run --level strong --join doko:xyz", EXIT_USAGE),
        ("completion csh", EXIT_USAGE),
        ("ledger paid me Anna nothing", EXIT_USAGE),
        ("export ledger -o {dir}", EXIT_ENVIRONMENT),
        ("export ledger -o {file}", EXIT_ENVIRONMENT),
        ("nonsense", EXIT_USAGE),
    ],
)
def test_what_cannot_be_done_is_said_with_its_exit_code(
    doko: Callable[..., Any], tmp_path: Path, line: str, code: int
) -> None:
    kept = tmp_path / "kept"
    kept.write_text("kept")
    doko("identity", "create")
    done = doko(*line.format(dir=tmp_path, file=kept).split())
    assert done.code == code, done.err
    assert done.err.strip()
    assert not done.out
    assert kept.read_text() == "kept"


READERS = ("replay", "verify", "audit", "identity import")


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("what", ["missing", "directory", "below a file", "empty", "rubbish", "no input"])
def test_a_file_that_cannot_be_used_is_bad_input_everywhere(
    doko: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, reader: str, what: str
) -> None:
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "rubbish").write_bytes(b"\xff\x00rubbish" * 100)
    where = {
        "missing": tmp_path / "missing",
        "directory": tmp_path,
        "below a file": tmp_path / "empty" / "below",
        "empty": tmp_path / "empty",
        "rubbish": tmp_path / "rubbish",
        "no input": "-",
    }[what]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    done = doko(*reader.split(), where)
    assert done.code == EXIT_USAGE, done.err
    assert done.err.startswith("Error: ")
    assert not done.out


@pytest.mark.parametrize("text", ["", " \n\t\n"])
def test_replay_says_that_there_is_no_record(
    doko: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    done = doko("replay", "-")
    assert done.code == EXIT_USAGE
    assert done.err == "Error: There is no record in standard input.\n"


@pytest.mark.parametrize("text", ["[]", " [ ] "])
def test_an_array_without_records_is_read_well(
    doko: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    for options, words in (((), "There is no record in standard input.\n"), (("--json",), "")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        done = doko("replay", "-", *options)
        assert (done.code, done.out, done.err) == (EXIT_OK, "", words)


@pytest.mark.parametrize("line", ["play", "join anna.example:4848", "table open"])
def test_a_question_at_the_end_of_the_input_says_so(
    doko: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    """Without an identity the nickname is asked for."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    done = doko(*line.split())
    assert done.code == EXIT_USAGE
    assert "The input has ended." in done.err


def test_an_earlier_demo_is_not_overwritten(doko: Callable[..., Any], tmp_path: Path) -> None:
    kept = tmp_path / "2-carla.settlement"
    kept.write_text("kept")
    done = doko("demo", "--matches", "2", "--out", tmp_path)
    assert done.code == EXIT_ENVIRONMENT
    assert "--replace" in done.err
    assert kept.read_text() == "kept"
    assert [path.name for path in tmp_path.iterdir() if path.name != "data"] == [kept.name]
