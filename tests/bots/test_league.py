"""The league: exact zeros, the same numbers everywhere, and that it can tell a strong bot from a weak one."""

import json
from typing import ClassVar

import pytest
from click.testing import CliRunner

from node.bots.beginner import Beginner
from node.bots.league import Method, NotZero, Plan, Tally, deal_hands, deal_seeds, play_deal, run, seatings, self_test
from node.bots.levels import load_policy
from node.bots.policy import plays
from node.cli.league import league
from node.errors import DokoError
from protocol.cards import CLUB_QUEEN, DECK, format_cards
from protocol.rules.acts import Act
from protocol.rules.view import HandView


class Wavering(Beginner):
    """Not a function of view and seed."""

    name: ClassVar[str] = "wavering"
    asked: ClassVar[int] = 0

    def choose(self, view: HandView, seed: bytes) -> Act:
        cards = plays(view)
        Wavering.asked += 1
        return cards[Wavering.asked % len(cards)] if cards else super().choose(view, seed)


def test_deals_and_seeds_are_pinned() -> None:
    hands = deal_hands(1, 0)
    assert sorted(card for hand in hands for card in hand) == list(DECK)
    assert format_cards(hands[0]) == "CK SJ S9 HA HA HT HK HJ HJ DT DQ D9"
    assert deal_seeds(1, 0)[2].hex()[:16] == "19313f21b724a293"
    assert deal_hands(1, 1) != hands != deal_hands(2, 0)


def test_team_swap_puts_a_on_the_club_queens_and_then_on_the_other_seats() -> None:
    both = apart = 0
    for number in range(40):
        hands = deal_hands(3, number)
        first, second = seatings(Plan("a", "b", Method.SWAP, 1, 3), hands)
        assert [not one for one in first] == list(second)
        assert sum(first) == 2
        queens = [hand.count(CLUB_QUEEN) for hand in hands]
        if max(queens) == 1:
            assert [one for one, n in zip(first, queens, strict=True) if n] == [True, True]
            apart += 1
        else:
            both += 1
    assert both
    assert apart


@pytest.mark.parametrize("method", list(Method))
def test_a_bot_against_itself_scores_exactly_zero(method: Method) -> None:
    for name in ("beginner", "random"):
        plan = Plan(name, name, method, 6, 5)
        tally = Tally()
        bots = load_policy(name), load_policy(name)
        assert [play_deal(plan, number, bots, tally) for number in range(6)] == [0] * 6
        assert tally.half_width == 0


def test_the_self_test_catches_a_bot_that_is_no_function() -> None:
    self_test(["beginner", "random"], 1)
    with pytest.raises(NotZero, match="Wavering"):
        self_test([f"{__name__}:Wavering"], 1, deals=4)


class Broken(Beginner):
    name: ClassVar[str] = "broken"

    def choose(self, view: HandView, seed: bytes) -> Act:
        raise RuntimeError("no idea")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_bot_that_raises_is_told_in_words(jobs: str) -> None:
    arguments = [f"{__name__}:Broken", "random", "--deals", "4", "--jobs", jobs]
    result = CliRunner().invoke(league, arguments, standalone_mode=False)
    assert isinstance(result.exception, DokoError)
    assert "broken raised RuntimeError: no idea" in str(result.exception)


def test_processes_give_the_numbers_of_one_process() -> None:
    plan = Plan("beginner", "random", Method.SWAP, 24, 9)
    seen: list[int] = []
    alone = run(plan, jobs=1, progress=lambda tally, _seconds: seen.append(len(tally.scores)))
    shared = run(plan, jobs=2)
    assert alone.ordered() == shared.ordered()
    assert alone.first.calls == shared.first.calls
    assert seen == sorted(seen)
    assert seen[-1] == 24


def test_beginner_beats_random_clearly() -> None:
    tally = run(Plan("beginner", "random", Method.SWAP, 150, 2), jobs=1)
    assert tally.mean - tally.half_width > 0.8
    assert tally.first.hands == 300
    assert tally.first.seats == 600
    assert tally.first.calls_won / tally.first.calls > 0.65


def test_league_from_the_command_line() -> None:
    arguments = ["beginner", "random", "--deals", "10", "--jobs", "1", "--method", "both", "--json"]
    result = CliRunner().invoke(league, arguments, standalone_mode=False)
    assert result.exception is None
    report = json.loads(result.output)
    assert report["self_test"] == "passed"
    swap, alone = report["results"]
    assert (swap["method"], alone["method"]) == ("swap", "alone")
    assert swap["deals"] == 10
    assert swap["half_width"] > 0
    assert swap["points"] == round(run(Plan("beginner", "random", Method.SWAP, 10, 1), jobs=1).mean, 4)
    text = CliRunner().invoke(league, [*arguments[:-3], "--no-bidding"], standalone_mode=False).output
    assert "beginner - random" in text
    assert "(points)" in text, "the plot"


def test_what_is_no_bot_is_refused_before_anything_is_played() -> None:
    for arguments in (["beginner"], ["beginner", "nobody"]):
        result = CliRunner().invoke(league, arguments, standalone_mode=False)
        assert isinstance(result.exception, DokoError)
        assert result.exception.exit_code == 2
    result = CliRunner().invoke(league, [f"{__name__}:Wavering", "random"], standalone_mode=False)
    assert isinstance(result.exception, DokoError)
    assert result.exception.exit_code == 1


class Prophet(Beginner):
    """Foretells 70 % whatever it holds."""

    name: ClassVar[str] = "prophet"

    def forecast(self, view: HandView, seed: bytes) -> int | None:
        assert view.state.contract is not None
        assert not view.state.tricks
        return 70


def test_forecasts_are_set_beside_what_came_of_them() -> None:
    tally = run(Plan(f"{__name__}:Prophet", "beginner", Method.SWAP, 12, 4), jobs=1, forecasts=True)
    assert sum(tally.first.forecast) == tally.first.forecast[7] == tally.first.seats
    assert tally.first.forecast_sum[7] == 70 * tally.first.seats
    assert 0 < tally.first.forecast_won[7] < tally.first.seats
    assert sum(tally.second.forecast) == 0
    (line,) = tally.first.as_json()["reliability"]
    assert line["predicted"] == 0.7
    assert line["seats"] == 48
    assert tally.first.foretold == 24
    assert tally.second.foretold == 0
