"""What is counted in a league run: scores by deal, and how each of the two bots bid, called, foretold and thought.

All of it adds up: a run is the sum of its parts, in whatever order and process they were played.  :meth:`Tally.kept`
and :meth:`Tally.read` turn a part into JSON values and back without loss.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Final

from protocol.rules.calls import Side
from protocol.rules.score import Result
from protocol.rules.state import HandState

#: Bins of the reliability table.
BINS: Final = 10


def _bins() -> list[int]:
    return [0] * BINS


@dataclass(slots=True)
class Figures:
    """How one bot bid and called, over the hands it played; all are counts except ``milliseconds`` per decision."""

    seats: int = 0
    hands: int = 0
    called: int = 0  # hands in which it called
    calls: int = 0
    calls_won: int = 0
    solos: int = 0
    solos_won: int = 0
    silent: int = 0
    marriages: int = 0
    foretold: int = 0  # hands in which it told its chances
    milliseconds: list[float] = field(default_factory=list)
    forecast: list[int] = field(default_factory=_bins)
    forecast_won: list[int] = field(default_factory=_bins)
    forecast_sum: list[int] = field(default_factory=_bins)

    def add(self, other: "Figures") -> None:
        """Take in the figures of more hands."""
        for name in _COUNTS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.milliseconds += other.milliseconds
        for name in _LISTS:
            setattr(self, name, [a + b for a, b in zip(getattr(self, name), getattr(other, name), strict=True)])

    def note(self, state: HandState, end: Result, ours: Sequence[bool]) -> None:
        """Count a finished hand in which the bot sat where *ours* is true."""
        self.hands += 1
        self.seats += sum(ours)
        if end.void:
            return
        mine = [call for call in state.calls if ours[call.player]]
        self.called += bool(mine)
        self.calls += len(mine)
        self.calls_won += sum(call.side is end.winner for call in mine)
        soloist = state.soloist
        if soloist is not None and ours[soloist]:
            self.solos += 1
            self.solos_won += end.winner is Side.RE
        if soloist is None and end.alone and state.groom is None and ours[end.re[0]]:
            self.silent += 1
        if state.groom is not None and ours[state.groom]:
            self.marriages += 1

    def foretell(self, percent: int, won: bool) -> None:
        """Put a chance told beforehand beside what came of it."""
        place = min(BINS - 1, max(0, percent * BINS // 100))
        self.forecast[place] += 1
        self.forecast_sum[place] += percent
        self.forecast_won[place] += won

    def as_json(self) -> dict[str, Any]:
        """The figures with the shares people compare, for ``--json``."""
        times = sorted(self.milliseconds)
        return {
            "hands": self.hands,
            "seats": self.seats,
            "hands_with_calls": share(self.called, self.hands),
            "calls": self.calls,
            "calls_won": share(self.calls_won, self.calls),
            "solos": self.solos,
            "solos_per_hand": share(self.solos, self.hands),
            "solos_per_seat": share(self.solos, self.seats),
            "solos_won": share(self.solos_won, self.solos),
            "silent_solos": self.silent,
            "marriages": self.marriages,
            "decisions": len(times),
            "ms_median": round(times[len(times) // 2], 2) if times else None,
            "ms_99_percent": round(times[len(times) * 99 // 100], 2) if times else None,
            "ms_max": round(times[-1], 2) if times else None,
            "hands_foretold": self.foretold,
            "reliability": [
                {"predicted": round(total / n / 100, 3), "won": round(won / n, 3), "seats": n}
                for n, won, total in zip(self.forecast, self.forecast_won, self.forecast_sum, strict=True)
                if n
            ],
        }


_LISTS: Final = ("forecast", "forecast_won", "forecast_sum")
_COUNTS: Final = tuple(one.name for one in fields(Figures) if one.name not in (*_LISTS, "milliseconds"))


def share(part: int, whole: int) -> float | None:
    """*part* of *whole*, rounded; ``None`` of nothing."""
    return round(part / whole, 4) if whole else None


@dataclass(slots=True)
class Tally:
    """A's scores by deal number, both bots' figures, and the seconds of CPU that it took."""

    scores: dict[int, float] = field(default_factory=dict)
    first: Figures = field(default_factory=Figures)
    second: Figures = field(default_factory=Figures)
    seconds: float = 0.0

    def add(self, other: "Tally") -> None:
        """Take in another part of the run."""
        self.scores.update(other.scores)
        self.first.add(other.first)
        self.second.add(other.second)
        self.seconds += other.seconds

    def ordered(self) -> list[float]:
        """The scores by deal number."""
        return [self.scores[number] for number in sorted(self.scores)]

    @property
    def mean(self) -> float:
        """A's points a hand."""
        return sum(self.ordered()) / len(self.scores) if self.scores else 0.0

    @property
    def half_width(self) -> float:
        """Half of the 95 % interval; infinite below two deals."""
        n = len(self.scores)
        if n < 2:
            return math.inf
        mean = self.mean
        variance = sum((score - mean) ** 2 for score in self.ordered()) / (n - 1)
        return 1.96 * math.sqrt(variance / n)

    def kept(self) -> dict[str, Any]:
        """This part as JSON values."""
        figures = []
        for one in (self.first, self.second):
            values = asdict(one)
            values["milliseconds"] = [round(ms, 2) for ms in one.milliseconds]
            figures.append(values)
        scores = {str(number): self.scores[number] for number in sorted(self.scores)}
        return {"scores": scores, "figures": figures, "seconds": round(self.seconds, 3)}

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> "Tally":
        """What :meth:`kept` gave; ``ValueError`` for anything else."""
        try:
            first, second = (_read_figures(one) for one in values["figures"])
            scores = {int(number): float(score) for number, score in values["scores"].items()}
            return cls(scores, first, second, float(values["seconds"]))
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"no part of a league run: {error}") from error


def _read_figures(values: Mapping[str, Any]) -> Figures:
    figures = Figures(**values)
    counts = [getattr(figures, name) for name in _COUNTS]
    for name in _LISTS:
        bins = getattr(figures, name)
        if len(bins) != BINS:
            raise ValueError(f"{name} has {len(bins)} bins")
        counts += bins
    if not all(type(count) is int and count >= 0 for count in counts):
        raise ValueError("a count that is none")
    figures.milliseconds = [float(ms) for ms in figures.milliseconds]
    return figures
