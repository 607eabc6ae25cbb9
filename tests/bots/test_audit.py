"""The audit: honest computers pass, fallbacks are counted, one altered choice is found and named."""

import json
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from node.bots.audit import Audited, audit, audit_bot, decisions_of, seeds_of
from node.bots.beginner import Beginner
from node.bots.levels import level_policy
from node.bots.policy import Policy, plays
from node.cli.audit import audit as audit_command
from node.errors import DokoError
from node.players import command_of
from protocol.cards import CARD_NAMES
from protocol.rules.acts import Act, Play
from protocol.rules.calls import CallKind
from protocol.rules.view import HandView
from protocol.table import settlement
from protocol.table.effects import Command
from protocol.table.roster import Setup, make_roster, make_setup
from protocol.table.terms import Bot, make_terms
from protocol.table.verify import Verdict, verify
from tests.table import net


class Altered(Beginner):
    """Plays by the rules, but the last of its legal cards in its fourth trick."""

    changed: str | None = None

    def choose(self, view: HandView, seed: bytes) -> Act:
        act = super().choose(view, seed)
        cards = plays(view)
        if len(view.hand) <= 9 and len(cards) > 1 and Altered.changed is None:
            other = next(card for card in reversed(cards) if card != act)
            assert isinstance(act, Play)
            Altered.changed = f"{CARD_NAMES[other.card]} {CARD_NAMES[act.card]} {view.state.cards_played}"
            return other
        return act


class Raising(Beginner):
    """Has nothing to say, ever: at the table the rules decide in its place."""

    def choose(self, view: HandView, seed: bytes) -> Act:
        raise RuntimeError("no idea")

    def call(self, view: HandView, seed: bytes) -> CallKind | None:
        raise RuntimeError("no idea")


#: By seat: what the terms say, and what really plays.
LEVELS = ("beginner", "intermediate", "intermediate", "beginner")
PLAYING: tuple[Callable[[], Policy], ...] = (
    Beginner,
    lambda: level_policy("intermediate"),
    Beginner,  # every decision out of time
    Altered,
)


def setups(seed: int = 0, bots: tuple[int, ...] = (), **terms: object) -> tuple[Setup, ...]:
    """As in the tests of the table, with policies of ours."""
    four = net.people()
    rng = random.Random(f"audit {seed}")
    entries = tuple(
        Bot(
            seat=seat,
            identity=four[seat].identity,
            host=four[seat].identity,
            policy=LEVELS[seat],
            version=level_policy(LEVELS[seat]).version,
            seeds=net.chain_of(seat).commitment,
        )
        for seat in bots
    )
    raw = make_terms(table=rng.randbytes(16), bots=entries, **terms)  # type: ignore[arg-type]
    roster = make_roster(tuple(person.player(rng.randbytes(32)) for person in four))
    return tuple(make_setup(raw, roster, seat) for seat in net.SEATS)


@dataclass
class Player:
    """Answers by a policy, as a node's session does."""

    policy: Policy
    seat: int

    def seed(self, deal: int) -> bytes:
        return net.chain_of(self.seat).seed(deal)

    def __call__(self, node: net.Node) -> Command | None:
        view = node.table.view(node.world.now)
        if view.question is None or view.hand is None:
            return None
        return command_of(self.policy.choose(view.hand, self.seed(view.deal.deal)))

    def calls(self, node: net.Node) -> CallKind | None:
        view = node.table.view(node.world.now)
        if not view.calls or view.hand is None:
            return None
        return self.policy.call(view.hand, self.seed(view.deal.deal))


@pytest.fixture(scope="module")
def match() -> tuple[bytes, Verdict]:
    """The settlement of one hand that four computers played."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(net, "setups", setups)
        world = net.World(
            5,
            bots=(0, 1, 2, 3),
            players=lambda seat: Player(PLAYING[seat](), seat),  # type: ignore[arg-type,return-value]
            mode="variable",
            stake=10,
        )
        world.run()
    raw = world.nodes[0].settlement
    assert raw is not None
    verdict = verify(raw)
    assert verdict.good, verdict.problem
    return raw, verdict


@pytest.fixture(scope="module")
def reports(match: tuple[bytes, Verdict]) -> tuple[Audited, ...]:
    return audit(*match)


def test_honest_computers_pass(reports: tuple[Audited, ...]) -> None:
    for seat in (0, 1):
        report = reports[seat]
        assert report.good
        assert (report.differing, report.fallbacks, report.unshown) == (0, 0, 0)
        assert report.decisions >= 25


def test_fallbacks_are_counted_and_no_breach(reports: tuple[Audited, ...]) -> None:
    report = reports[2]
    assert report.good
    assert report.fallbacks > 2
    assert report.differing == 0


def test_one_altered_choice_is_found_and_named(reports: tuple[Audited, ...]) -> None:
    report = reports[3]
    assert not report.good
    assert report.differing == 1
    assert report.first is not None
    did, should, card = (Altered.changed or "").split()
    assert report.first.did == f"play {did}"
    assert report.first.should == f"play {should}"
    assert report.first.card == int(card)
    assert report.first.hand == 1


def test_a_policy_that_is_not_here_is_not_audited(match: tuple[bytes, Verdict]) -> None:
    raw, verdict = match
    assert verdict.terms is not None
    bot = verdict.terms.bots[0]
    for changed in ({"policy": "master"}, {"version": "0"}):
        fields = {name: getattr(bot, name) for name in bot.__struct_fields__} | changed
        report = audit_bot(Bot(**fields), verdict.hands, seeds_of(raw))
        assert report.unknown
        assert not report.good


class Mine(Beginner):
    name = "mine"
    version = "7"


def test_a_bot_of_ones_own_is_audited_where_its_class_is_given(match: tuple[bytes, Verdict]) -> None:
    raw, verdict = match
    assert verdict.terms is not None
    bots = [
        Bot(**{name: getattr(bot, name) for name in bot.__struct_fields__} | {"policy": "mine", "version": "7"})
        for bot in verdict.terms.bots
    ]
    changed = replace(verdict, terms=msgspec.structs.replace(verdict.terms, bots=tuple(bots)))
    assert [report.unknown for report in audit(raw, changed)] == [True] * 4
    reports = audit(raw, changed, policies=[Mine()])
    assert [report.unknown for report in reports] == [False] * 4
    assert [report.good for report in reports][0:3:2] == [True, True], "both that play by the rules"
    assert reports[3].differing == 1


def test_nobody_elses_class_stands_for_a_level(match: tuple[bytes, Verdict]) -> None:
    class Impostor(Altered):
        version = "1"

    assert audit(*match, policies=[Impostor()])[3].differing == 1


def test_without_its_seed_a_hand_is_not_shown(match: tuple[bytes, Verdict]) -> None:
    _, verdict = match
    assert verdict.terms is not None
    report = audit_bot(verdict.terms.bots[0], verdict.hands, {})
    assert (report.decisions, report.unshown) == (0, 1)


def test_decisions_end_in_the_state_of_the_log(match: tuple[bytes, Verdict]) -> None:
    (closed,) = match[1].hands
    decisions = list(decisions_of(closed))
    cards = [d for d in decisions if isinstance(d.did, Play)]
    assert [(d.player, d.did.card) for d in cards if isinstance(d.did, Play)] == list(closed.state.log)
    assert [d.state.cards_played for d in cards] == list(range(48))


def test_audit_from_the_command_line(match: tuple[bytes, Verdict], tmp_path: Path) -> None:
    file = tmp_path / "match.settlement"
    file.write_bytes(match[0])
    text = CliRunner().invoke(audit_command, [str(file)], standalone_mode=False)
    assert text.return_value == 1
    assert "DIFFERS" in text.output
    assert "every decision is the one its policy makes" in text.output
    result = CliRunner().invoke(audit_command, [str(file), "--json"], standalone_mode=False)
    computers = json.loads(result.output)["computers"]
    assert [c["differing"] for c in computers] == [0, 0, 0, 1]
    assert [c["policy"] for c in computers] == list(LEVELS)
    assert computers[3]["first_difference"]["did"].startswith("play ")


def test_what_does_not_verify_is_not_audited(match: tuple[bytes, Verdict], tmp_path: Path) -> None:
    file = tmp_path / "bad.settlement"
    for raw in (b"nonsense", settlement.MAGIC + b"x" * 40, match[0][:-1] + b"!"):
        file.write_bytes(raw)
        result = CliRunner().invoke(audit_command, [str(file)], standalone_mode=False)
        assert isinstance(result.exception, DokoError)
        assert result.exception.exit_code == 2
    with pytest.raises(ValueError, match="verifies"):
        audit(match[0], replace(match[1], problem="something"))


def test_where_a_policy_raises_the_rules_were_its_answer(match: tuple[bytes, Verdict]) -> None:
    raw, verdict = match
    by_rules, altered = (
        audit_bot(verdict.terms.bots[seat], verdict.hands, seeds_of(raw), policy=Raising())  # type: ignore[union-attr]
        for seat in (0, 3)
    )
    assert by_rules.fallbacks > 12, "all its bids and cards"
    assert by_rules.differing == 0
    assert altered.differing == 1
