"""The command itself: lazy verbs, errors in words, exit codes, help, completion."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

from node import __version__
from node.cli import main as main_module
from node.cli.app import App, TranslatedCommand, pass_app
from node.cli.registry import VERBS, Verb, available
from node.errors import (
    EXIT_BUG,
    EXIT_ENVIRONMENT,
    EXIT_INTERRUPTED,
    EXIT_NO,
    EXIT_OK,
    EXIT_PEER,
    EXIT_USAGE,
    DokoError,
)
from protocol.refusal import Code, Refusal

SECRET = bytes(range(32))


def shell(*args: str, env: dict[str, str] | None = None, **named: Any) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "node.cli.main", *args],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **(env or {})},
        **named,
    )


HELP_IMPORTS = """
import sys
from node.cli.main import run
assert run(["--help"]) == 0
heavy = {"trio", "cryptography", "prompt_toolkit", "msgspec", "msgpack", "asyncio", "sqlite3", "structlog", "tomlkit",
         "noise", "rbcl", "platformdirs", "segno", "plotille", "openskill", "socket", "ssl"}
print("loaded:", *sorted(heavy & set(sys.modules)), file=sys.stderr)
print("ours:", *sorted(name for name in sys.modules if name.split(".")[0] in ("node", "protocol")), file=sys.stderr)
"""


def test_help_imports_nothing_heavy() -> None:
    done = subprocess.run([sys.executable, "-c", HELP_IMPORTS], capture_output=True, text=True, check=True)
    loaded, ours = done.stderr.splitlines()
    assert loaded == "loaded:"
    allowed = "node node.cli node.cli.app node.cli.main node.cli.registry node.errors node.files node.i18n node.paths"
    assert set(ours.split()[1:]) <= set(allowed.split())
    for name in available():
        assert f"  {name} " in done.stdout


@pytest.mark.skipif(not hasattr(os, "wait4"), reason="measures a child's CPU time")
def test_help_takes_less_than_a_quarter_second_of_cpu() -> None:
    best = 9.0
    for _try in range(3):
        process = subprocess.Popen([sys.executable, "-m", "node.cli.main", "--help"], stdout=subprocess.DEVNULL)
        _pid, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
        assert status == 0
        best = min(best, usage.ru_utime + usage.ru_stime)
    assert best < 0.25


@pytest.mark.parametrize("name", sorted(VERBS))
def test_every_verb_there_is_has_help(doko: Callable[..., Any], name: str) -> None:
    done = doko(name, "--help")
    if name in available():
        assert done.code == EXIT_OK
        assert "Usage: doko " + name in done.out
        assert done.err == ""
    else:
        assert done.code == EXIT_USAGE


@pytest.mark.parametrize(
    "name", ["friends", "ledger", "history", "export", "identity", "config", "doctor", "completion"]
)
def test_help_has_examples(doko: Callable[..., Any], name: str) -> None:
    usage, _newline, rest = doko(name, "--help").out.partition("\n")
    assert f"doko {name}" in usage
    assert f"doko {name}" in rest


def test_verbs_of_a_group_have_help(doko: Callable[..., Any]) -> None:
    for name in ("identity", "config", "friends", "ledger", "export"):
        command = main_module.doko.get_command(click.Context(main_module.doko), name)
        assert isinstance(command, click.Group)
        for verb in command.list_commands(click.Context(command)):
            assert doko(name, verb, "--help").code == EXIT_OK


def test_version(doko: Callable[..., Any]) -> None:
    assert doko("--version").out == f"doko {__version__}\n"


def test_help_in_every_language(doko: Callable[..., Any]) -> None:
    for language in ("en", "de", "it", "pl", "hu"):
        done = doko("--lang", language, "--help")
        assert done.code == EXIT_OK
        assert "doko" in done.out


def test_language_environment_of_the_process_is_left_as_it_was(
    doko: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    doko("--lang", "de", "--help")
    assert "LANGUAGE" not in os.environ
    monkeypatch.setenv("LANGUAGE", "pl:en")
    doko("--lang", "de", "--help")
    assert os.environ["LANGUAGE"] == "pl:en"


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["idntity"], "Did you mean identity"),
        (["zzzzzz"], "There is no command 'zzzzzz'"),
        (["--frob"], "--frob"),
        (["--lang", "xx", "--help"], "xx"),
        (["config", "get"], "NAME"),
        (["config", "frob"], "frob"),
        (["config", "list", "extra"], "extra"),
        (["config"], "Usage: doko config"),
        (["--data"], "--data"),
    ],
)
def test_wrong_usage(doko: Callable[..., Any], args: list[str], words: str) -> None:
    done = doko(*args)
    assert done.code == EXIT_USAGE
    assert words in done.err
    assert done.out == ""


def test_data_directory_that_is_a_file(doko: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = doko("--data", tmp_path / "file", "config", "list")
    assert done.code == EXIT_USAGE
    assert "is a file" in done.err


def test_missing_module_hides_its_verb(doko: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(VERBS, "ghost", Verb("node.cli.no_such_module:ghost", "nothing"))
    monkeypatch.setitem(VERBS, "ghoul", Verb("no_such_package.cli:ghoul", "nothing"))
    assert "ghost" not in available()
    assert "ghoul" not in available()
    assert "gho" not in doko("--help").out
    assert doko("ghost").code == EXIT_USAGE


# -- a verb that fails in every way there is


failure: BaseException | None = None
outcome: Any = None


@click.command(cls=TranslatedCommand)
@pass_app
def failing(_app: App) -> Any:
    """Raise what the test has put there."""
    if failure is not None:
        raise failure
    return outcome


@pytest.fixture
def fails(monkeypatch: pytest.MonkeyPatch, doko: Callable[..., Any]) -> Callable[[BaseException], Any]:
    monkeypatch.setitem(VERBS, "fails", Verb(f"{__name__}:failing", "fails"))

    def call(error: BaseException) -> Any:
        monkeypatch.setattr(sys.modules[__name__], "failure", error)
        return doko("fails")

    return call


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (DokoError("what", "do this", EXIT_PEER), EXIT_PEER, "Error: what\ndo this\n"),
        (DokoError("what"), EXIT_USAGE, "Error: what\n"),
        (ExceptionGroup("g", [ExceptionGroup("g", [DokoError("inner", "", 3)])]), EXIT_ENVIRONMENT, "Error: inner\n"),
        (ExceptionGroup("g", [ValueError("x"), DokoError("inner", "", 4)]), EXIT_PEER, "Error: inner\n"),
        (KeyboardInterrupt(), EXIT_INTERRUPTED, "Interrupted.\n"),
        (BaseExceptionGroup("g", [ValueError("x"), KeyboardInterrupt()]), EXIT_INTERRUPTED, "Interrupted.\n"),
        (click.Abort(), EXIT_INTERRUPTED, "Interrupted.\n"),
        (click.UsageError("odd"), EXIT_USAGE, "Error: odd\nSee: doko fails --help\n"),
        (click.ClickException("odd"), EXIT_USAGE, "Error: odd\n"),
        (click.FileError("f", "gone"), EXIT_USAGE, "gone"),
        (OSError(28, "No space left on device", "/some/file"), EXIT_ENVIRONMENT, "No space left for /some/file"),
        (PermissionError(13, "Permission denied", "/f"), EXIT_ENVIRONMENT, "No permission for /f"),
        (Refusal(Code.RULE, "must follow", "R13"), EXIT_NO, "Must follow. (R13)"),
        (SystemExit(7), 7, ""),
        (SystemExit(), 0, ""),
        (SystemExit("text"), EXIT_NO, ""),
        (BrokenPipeError(), EXIT_OK, ""),
    ],
)
def test_errors_become_words_and_exit_codes(
    fails: Callable[[BaseException], Any], monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, words: str
) -> None:
    monkeypatch.setattr(main_module, "_quiet_stdout", lambda: None)
    done = fails(error)
    assert done.code == code
    assert words in done.err if words else done.err == ""
    assert not done.out


@pytest.mark.parametrize(("value", "code"), [(None, 0), (3, 3), (True, 0), ("text", 0)])
def test_return_value_is_the_exit_code(
    fails: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, doko: Callable[..., Any], value: Any, code: int
) -> None:
    monkeypatch.setattr(sys.modules[__name__], "outcome", value)
    assert doko("fails").code == code


def test_mistake_in_the_program_leaves_a_report_without_secrets(
    fails: Callable[[BaseException], Any], tmp_path: Path
) -> None:
    try:
        raise KeyError(SECRET) from ValueError(f"key {SECRET.hex()}")
    except KeyError as error:
        done = fails(error)
    assert done.code == EXIT_BUG
    assert "mistake in the program" in done.err
    assert "KeyError, test_main.py:" in done.err
    (report,) = (tmp_path / "data" / "crashes").iterdir()
    assert str(report) in done.err
    text = report.read_text()
    assert f"doko {__version__}" in text
    assert "test_main.py" in text
    assert "KeyError" in text
    for told in (text, done.err):
        assert SECRET.hex() not in told
        assert "x01" not in told
    if os.name == "posix":
        assert report.stat().st_mode & 0o077 == 0


def test_reports_do_not_pile_up(fails: Callable[[BaseException], Any], tmp_path: Path) -> None:
    for _time in range(25):
        fails(RuntimeError("again"))
    assert len(list((tmp_path / "data" / "crashes").iterdir())) == 20


def test_report_that_cannot_be_written(
    fails: Callable[[BaseException], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data").write_text("in the way")
    done = fails(RuntimeError("x"))
    assert done.code == EXIT_BUG
    assert "could not be written" in done.err


@pytest.mark.parametrize("args", [["config", "list"], ["--help"], ["config", "--help"], ["--version"]])
def test_reader_of_the_output_that_goes_away(args: list[str]) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "node.cli.main", *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == EXIT_OK


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_output_on_a_full_disk() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "node.cli.main", "config", "list"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == EXIT_ENVIRONMENT
    assert "No space left" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_completion_of_each_shell(doko: Callable[..., Any], name: str) -> None:
    done = doko("completion", name)
    assert done.code == EXIT_OK
    assert "_DOKO_COMPLETE" in done.out


def test_completion_knows_verbs_options_settings_and_friends(doko: Callable[..., Any]) -> None:
    def complete(*words: str) -> list[str]:
        env = {
            "_DOKO_COMPLETE": "bash_complete",
            "COMP_WORDS": " ".join(["doko", *words]),
            "COMP_CWORD": str(len(words)),
        }
        return [line.partition(",")[2] for line in shell(env=env).stdout.split()]

    assert complete("ide") == ["identity"]
    assert complete("config", "se") == ["set"]
    assert complete("config", "set", "console.th") == ["console.theme"]
    assert "--json" in complete("doctor", "--")
    assert complete("friends", "show", "A") == []
    doko("friends", "add", "8139770ea87d175f56a35466c34c7ecccb8d8a91b4ee37a25df60f5b8fc9b394", "Anna")
    assert complete("friends", "show", "a") == ["Anna"]


def test_without_a_verb_the_console_opens(doko: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(main_module, "CONSOLE", "node.console.no_such_module")
    done = doko()
    assert done.code == EXIT_OK
    assert "Usage: doko" in done.out
    monkeypatch.setattr(main_module, "CONSOLE", __name__)
    assert doko("--data", "somewhere").code == 5


def run(app: App) -> int:
    """Stands for ``node.console.main.run``."""
    assert app.data == Path("somewhere")
    return 5


THREAD = """
import sys, threading
from node.cli import main
def failing():
    raise RuntimeError(bytes(range(32)))
class Failing:
    def __del__(self):
        raise RuntimeError("in a finaliser")
def run(args=None):
    thread = threading.Thread(target=failing)
    thread.start()
    thread.join()
    Failing()
    return 0
main.run = run
main.main()
"""


def test_thread_that_fails_leaves_a_report_and_no_traceback(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", THREAD], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (EXIT_OK, "", "")
    (report,) = (tmp_path / "data" / "crashes").iterdir()
    text = report.read_text()
    assert "RuntimeError" in text
    assert "in failing" in text
    assert "x01" not in text


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.skipif(os.name != "posix", reason="closes streams as a POSIX shell does")
def test_closed_standard_streams_are_as_empty_ones(closed: str, tmp_path: Path) -> None:
    doko = '"$0" -c "from node.cli.main import main; main()" --data "$1" '
    run = subprocess.run(
        ["sh", "-c", doko + "play --nick Anna " + closed, sys.executable, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert run.returncode == 2  # nobody types
    assert not (tmp_path / "crashes").exists()
    assert "went wrong" not in run.stdout + run.stderr
