"""R21 to R23: who wins, by record and, for figures that no short record shows, by the function alone."""

import pytest

from protocol.rules.calls import Side
from protocol.rules.winner import winner
from tests.rules.games import BY_RE_POINTS
from tests.rules.tell import out, plays, tell

RE, KONTRA = Side.RE, Side.KONTRA
STEPS = ("no90", "no60", "no30", "black")


def calls(points: str, *specs: str) -> list[str]:
    """``"re no90"`` becomes the call of the first player of that side with twelve cards."""
    tricks = BY_RE_POINTS[points]
    queens = {player for player, card in plays(tricks) if card == "CQ"}
    first = {"re": min(queens), "kontra": min({1, 2, 3, 4} - queens)}
    return [f"{first[side]} {kind} 12" for side, kind in (spec.split() for spec in specs)]


def won(points: str, *specs: str) -> str | None:
    """Who wins the game with these card points of Re after these calls."""
    found = out(tell(BY_RE_POINTS[points], *calls(points, *specs)))["winner"]
    assert found is None or isinstance(found, str)
    return found


@pytest.mark.parametrize(("points", "side"), [("121", "re"), ("120", "kontra"), ("151", "re"), ("119", "kontra")])
def test_R21_without_calls_re_needs_121(points: str, side: str) -> None:
    assert won(points) == side


@pytest.mark.parametrize(("points", "side"), [("120", "re"), ("119", "kontra"), ("121", "re")])
def test_R21_if_only_contra_is_called_re_needs_120(points: str, side: str) -> None:
    assert won(points, "kontra kontra") == side


@pytest.mark.parametrize(("points", "side"), [("120", "kontra"), ("121", "re")])
def test_R21_if_both_are_called_re_needs_121(points: str, side: str) -> None:
    assert won(points, "re re", "kontra kontra") == side


@pytest.mark.parametrize(("points", "side"), [("120", "kontra"), ("121", "re")])
def test_R21_if_only_re_is_called_re_needs_121(points: str, side: str) -> None:
    assert won(points, "re re") == side


@pytest.mark.parametrize(
    ("step", "missed", "made"), [("no90", "150", "151"), ("no60", "180", "181"), ("no30", "210", "211")]
)
def test_R22_re_needs_the_target_of_its_absage(step: str, missed: str, made: str) -> None:
    assert won(made, f"re {step}") == "re"
    assert won(missed, f"re {step}") == "kontra"


@pytest.mark.parametrize(("step", "missed", "made"), [("no90", "90", "89"), ("no60", "60", "59"), ("no30", "30", "29")])
def test_R22_contra_needs_the_target_of_its_absage(step: str, missed: str, made: str) -> None:
    assert won(made, f"kontra {step}") == "kontra"
    assert won(missed, f"kontra {step}") == "re"


def test_R22_black_is_about_tricks() -> None:
    assert won("240", "re black") == "re"
    assert won("240+1", "re black") == "kontra"


def test_R22_black_of_contra() -> None:
    assert won("0", "kontra black") == "kontra"
    assert won("29", "kontra black") == "re"


def test_R22_the_highest_absage_counts() -> None:
    assert won("180", "re no90", "re no60") == "kontra"


@pytest.mark.parametrize("points", ["90", "120", "150"])
def test_R23_both_miss_and_nobody_wins(points: str) -> None:
    assert won(points, "re no90", "kontra no90") is None


def test_R23_one_makes_its_own_target() -> None:
    assert won("151", "re no90", "kontra no90") == "re"
    assert won("89", "re no90", "kontra no90") == "kontra"


def test_R23_the_lower_absage_can_be_the_one_that_is_made() -> None:
    assert won("181", "re no90", "kontra black") == "re"
    assert won("151", "re no60", "kontra no90") is None


def test_R23_black_missed_by_one_trick_of_nines_is_missed() -> None:
    assert won("240+1", "re black", "kontra no90") is None


@pytest.mark.parametrize("re", range(241))
def test_R21_without_absage_somebody_always_wins(re: int) -> None:
    for levels in ((0, 0), (1, 0), (0, 1), (1, 1)):
        assert winner(levels, (re, 240 - re), (6, 6)) is not None


@pytest.mark.parametrize("re", range(241))
def test_R22_target_and_counter_target_leave_no_gap(re: int) -> None:
    for level, target, counter in ((2, 151, 90), (3, 181, 60), (4, 211, 30)):
        for other in (0, 1):
            made = winner((level, other), (re, 240 - re), (6, 6)) is RE
            assert made == (re >= target) == (240 - re < counter)
            made = winner((other, level), (re, 240 - re), (6, 6)) is KONTRA
            assert made == (240 - re >= target) == (re < counter)
