"""The conformance check finds what is wrong with a policy, and nothing else."""

import json
import random
from pathlib import Path
from typing import ClassVar

import pytest
from click.testing import CliRunner

from node.bots.beginner import Beginner
from node.bots.check import Property, check, fingerprint
from node.bots.levels import LEVELS, load_policy
from node.bots.policy import Policy, plays
from node.bots.random_bot import RandomBot
from node.cli.bot import bot
from node.errors import DokoError
from protocol.rules.acts import Act, Play
from protocol.rules.calls import CallKind
from protocol.rules.view import HandView


class Honest(Beginner):
    name: ClassVar[str] = "honest"


class Moody(Beginner):
    """Another answer every time."""

    def choose(self, view: HandView, seed: bytes) -> Act:
        self.asked = getattr(self, "asked", 0) + 1
        cards = plays(view)
        return cards[self.asked % len(cards)] if cards else super().choose(view, seed)


class Born(Beginner):
    """What it plays depends on which instance it is."""

    made = 0

    def __init__(self) -> None:
        Born.made += 1
        self.number = Born.made

    def choose(self, view: HandView, seed: bytes) -> Act:
        cards = plays(view)
        return cards[self.number % len(cards)] if cards else super().choose(view, seed)


class Gambler(Beginner):
    """Draws from the global generator."""

    def choose(self, view: HandView, seed: bytes) -> Act:
        random.random()
        return super().choose(view, seed)


class Salted(Beginner):
    """Takes whatever stands first in a set of texts: that is another one in every process."""

    def choose(self, view: HandView, seed: bytes) -> Act:
        words = {repr(act): act for act in plays(view)}
        return words[next(iter(set(words)))] if words else super().choose(view, seed)


class Cheat(Beginner):
    """Plays a card that it may not."""

    def choose(self, view: HandView, seed: bytes) -> Act:
        return Play(view.me, 23)


class Loud(Beginner):
    """Calls black all the time."""

    def call(self, view: HandView, seed: bytes) -> CallKind | None:
        return CallKind.RE


class Broken(Beginner):
    def choose(self, view: HandView, seed: bytes) -> Act:
        raise RuntimeError("no idea")


class Eraser(Beginner):
    """Plays in the view that it was shown."""

    def choose(self, view: HandView, seed: bytes) -> Act:
        act = super().choose(view, seed)
        if isinstance(act, Play):
            view.state._hands[view.me] = 0
            view.state.levels = (5, 5)
        return act


class Stillborn(Beginner):
    def __init__(self) -> None:
        raise ValueError("not today")


class Nameless(Beginner):
    name: ClassVar[str] = "ä" * 40


@pytest.mark.parametrize(
    ("policy", "broken"),
    [
        (Honest, None),
        (RandomBot, None),
        (Moody, Property.PURE),
        (Born, Property.SEED),
        (Gambler, Property.GLOBAL),
        (Salted, Property.PROCESS),
        (Cheat, Property.LEGAL),
        (Loud, Property.CALLS),
        (Broken, Property.UNRAISED),
        (Eraser, Property.UNTOUCHED),
        (Nameless, Property.NAMED),
    ],
)
def test_each_fault_is_found(policy: type[Policy], broken: Property | None) -> None:
    findings = check(policy(), 120)
    if broken is None:
        assert findings == []
    else:
        assert broken in [finding.property for finding in findings]
        assert all(finding.where for finding in findings)


@pytest.mark.parametrize("level", ["random", "beginner"])
def test_the_levels_conform(level: str) -> None:
    assert check(load_policy(level), 300) == []


#: Per level its version and a hash of what it answers in forty situations.
ANSWERS = {
    "random": ("1", "cd1ac49af5d97138"),
    "beginner": ("1", "78c780deb928609e"),
    "intermediate": ("1", "0dcf957f962a9ea3"),
    "strong": ("2", "bf96af854debe5e5"),
}


@pytest.mark.parametrize("level", list(LEVELS))
def test_a_level_that_answers_otherwise_needs_another_version(level: str) -> None:
    # An audit asks the policy of that version again: other answers under the same version would convict the honest.
    policy = load_policy(level)
    assert (policy.version, fingerprint(policy, 40, 8)[:16]) == ANSWERS[level]


def test_searching_levels_conform_in_some_situations() -> None:
    assert check(load_policy("intermediate"), 12) == []


def test_bot_check_from_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "their_bots.py").write_text(
        "from node.bots.beginner import Beginner\n"
        "class Good(Beginner):\n    name = 'good'\n"
        "class Bad(Beginner):\n    name = 'bad'\n    def call(self, view, seed):\n        return 're'\n"
    )
    runner = CliRunner()
    good = runner.invoke(bot, ["check", "their_bots:Good", "--situations", "40"], standalone_mode=False)
    assert good.return_value == 0
    assert "FAILED" not in good.output
    assert "Slowest decision" in good.output
    bad = runner.invoke(bot, ["check", "their_bots:Bad", "--situations", "40", "--json"], standalone_mode=False)
    assert bad.return_value == 1
    report = json.loads(bad.output)
    assert not report["conforms"]
    assert [finding["property"] for finding in report["findings"]] == ["calls"]


@pytest.mark.parametrize(
    "name",
    [
        "nobody",
        "no.such.module:Bot",
        "node.bots.policy:Nothing",
        "node.bots.policy:plays",
        "node.bots.policy:Policy",
        "node.bots.policy:",
        ":Policy",
        "./node/bots/beginner.py:Beginner",
        f"{__name__}:Stillborn",
    ],
)
def test_what_is_no_bot_is_told_in_words(name: str) -> None:
    result = CliRunner().invoke(bot, ["check", name], standalone_mode=False)
    assert isinstance(result.exception, DokoError)
    assert result.exception.exit_code == 2
    with pytest.raises(LookupError, match=r"(?i)no|cannot"):
        load_policy(name)


@pytest.mark.parametrize(
    ("text", "told"),
    [("class B(Nobody): pass\n", "NameError"), ("class B(\n", "SyntaxError"), ("import no_such_thing\n", "no_such")],
)
def test_a_module_that_cannot_be_imported_is_told_in_words(
    text: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"unfinished_{told.lower()}"
    (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(LookupError, match=told) as caught:
        load_policy(f"{name}:B")
    assert name in str(caught.value)


def test_levels_are_listed() -> None:
    result = CliRunner().invoke(bot, ["levels", "--json"], standalone_mode=False)
    told = json.loads(result.output)
    assert [level["name"] for level in told] == list(LEVELS)
    assert [level["rating"] for level in told] == sorted(level["rating"] for level in told), "weakest first"
    text = CliRunner().invoke(bot, ["levels"], standalone_mode=False).output
    assert f"strong (version {told[-1]['version']}): rating {told[-1]['rating']}" in text
