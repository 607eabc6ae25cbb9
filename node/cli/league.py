"""``doko league A B ...``: measure bots against each other on seeded deals."""

import contextlib
import math
import sys
import time
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import click

from node.bots.figures import BINS, Figures, Tally
from node.bots.kept import Kept
from node.bots.league import Method, NotZero, Plan, run, self_test
from node.bots.levels import LEVELS, load_policy
from node.bots.single import BadPolicy
from node.cli.app import command, emit_json, json_option, option
from node.errors import EXIT_NO, EXIT_USAGE, DokoError
from node.i18n import N_, _, ngettext
from protocol.rules.state import HandRules

_METHODS: Final = {"swap": (Method.SWAP,), "alone": (Method.ALONE,), "both": (Method.SWAP, Method.ALONE)}


@command(
    help=N_(
        """Measure bots against each other: points a hand with a 95 % interval.

A bot is a level (random, beginner, intermediate, strong) or MODULE:CLASS. Every two of them play the same seeded deals
with seats exchanged ("swap") and, with --method alone or both, one of them alone among three of the other. Before that
each bot plays itself, which has to score exactly 0. Only the rules engine runs, no network and no time limits.

With --out a long run can be interrupted: what is finished is in FILE, and the same command goes on from there.

\b
Examples:
  doko league beginner random --deals 1000
  doko league strong beginner --deals 300 --no-bidding
  doko league strong beginner mybots:Greedy --json
  doko league strong intermediate --deals 2400 --seed 7 --out strong.jsonl
"""
    )
)
@click.argument("bots", nargs=-1, required=True, metavar="A B ...")
@option("--deals", type=click.IntRange(2, 1_000_000), default=200, show_default=True, help=N_("Deals for each pair."))
@option("--seed", type=click.IntRange(0), default=1, show_default=True, help=N_("Which series of deals."))
@option(
    "--method",
    type=click.Choice(list(_METHODS)),
    default="swap",
    show_default=True,
    help=N_("Seats exchanged, one against three, or both."),
)
@option("--no-bidding", is_flag=True, help=N_("Card play alone: no solos and no calls."))
@option(
    "--rules",
    type=click.Choice(("stargames", "ddv")),
    default="stargames",
    show_default=True,
    help=N_("The score table."),
)
@option("--jobs", type=click.IntRange(1, 256), help=N_("Processes. [default: all cores]"))
@option("--reliability", is_flag=True, help=N_("Compare predicted with real chances of winning (slower)."))
@option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help=N_("Keep what is finished here, and go on with it."),
)
@option("--plot/--no-plot", default=True, help=N_("Show how the mean settles, as a plot."))
@json_option
def league(
    bots: tuple[str, ...],
    deals: int,
    seed: int,
    method: str,
    no_bidding: bool,
    rules: str,
    jobs: int | None,
    reliability: bool,
    out: Path | None,
    plot: bool,
    as_json: bool,
) -> int | None:
    if len(bots) < 2:
        raise DokoError(
            _("A league needs two bots."), _("The levels are {names}.").format(names=", ".join(LEVELS)), EXIT_USAGE
        )
    names = list(dict.fromkeys(bots))
    for name in names:
        try:
            load_policy(name, here=True)
        except LookupError as error:
            raise DokoError(str(error.args[0]), "", EXIT_USAGE) from None
    pairs = list(combinations(names, 2)) or [(names[0], names[0])]
    hand_rules = HandRules(profile="ddv" if rules == "ddv" else "stargames")
    plans = [
        Plan(first, second, one, deals, seed, not no_bidding, hand_rules)
        for first, second in pairs
        for one in _METHODS[method]
    ]
    reports: list[dict[str, Any]] = []
    try:
        with contextlib.ExitStack() as stack:
            kept = None
            if out is not None:
                kept = stack.enter_context(Kept(out, [{**_settings(p), "reliability": reliability} for p in plans]))
            _say(as_json, _("Self-test: each bot against itself ..."))
            self_test(names, seed)
            _say(as_json, _("Self-test passed: exactly 0."))
            for number, plan in enumerate(plans):
                tally, seconds = _measure(plan, jobs, reliability, kept, number)
                reports.append(_report(plan, tally, seconds))
                if not as_json:
                    _print(plan, tally, reliability)
                    if plot:
                        _plot(tally)
    except KeyboardInterrupt:
        if out is not None:
            text = _("What is finished is in {file}; the same command goes on from there.")
            click.echo(text.format(file=out), err=True)
        raise
    except NotZero as error:
        raise DokoError(
            _("Self-test failed: {problem}").format(problem=error),
            _("A policy has to be a function of the view and the seed alone."),
            EXIT_NO,
        ) from None
    except BadPolicy as error:
        raise DokoError(str(error), _("See: doko bot check"), EXIT_NO) from None
    if as_json:
        emit_json({"self_test": "passed", "results": reports})
    return None


def _measure(plan: Plan, jobs: int | None, reliability: bool, kept: Kept | None, number: int) -> tuple[Tally, float]:
    """Play what is not yet *kept* of the run with this *number*; with the seconds that it took this time."""
    done = Tally() if kept is None else kept.tallies[number]
    began = time.monotonic()
    with _progress(plan, len(done.scores)) as progress:
        tally = run(
            plan,
            jobs=jobs,
            forecasts=reliability,
            done=done,
            keep=None if kept is None else lambda part: kept.keep(number, part),
            progress=progress,
        )
    return tally, time.monotonic() - began


def _say(as_json: bool, text: str) -> None:
    if not as_json:
        click.echo(text)


class _Bar:
    """One line on standard error that is written over: deals done, the mean so far, time left."""

    def __init__(self, plan: Plan, before: int) -> None:
        self.plan = plan
        self.before = before
        self.shown = -math.inf

    def __call__(self, tally: Tally, seconds: float) -> None:
        done = len(tally.scores)
        now = time.monotonic()
        if now - self.shown < 0.5 and done < self.plan.deals:
            return
        self.shown = now
        left = seconds / (done - self.before) * (self.plan.deals - done)
        text = _("{done} of {deals} deals, {mean:+.3f} +- {half:.3f}, {left} left").format(
            done=done, deals=self.plan.deals, mean=tally.mean, half=tally.half_width, left=_duration(left)
        )
        click.echo(f"\r{text}\x1b[K", nl=False, err=True)


@contextlib.contextmanager
def _progress(plan: Plan, before: int) -> Iterator[Callable[[Tally, float], None] | None]:
    """The bar, where standard error is a terminal; *before*: so many deals were played in an earlier run."""
    if not sys.stderr.isatty():
        yield None
        return
    try:
        yield _Bar(plan, before)
    finally:
        click.echo("\r\x1b[K", nl=False, err=True)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _settings(plan: Plan) -> dict[str, Any]:
    """All that the numbers of a run depend on."""
    return {
        "first": plan.first,
        "second": plan.second,
        "versions": [load_policy(plan.first).version, load_policy(plan.second).version],
        "method": plan.method.value,
        "deals": plan.deals,
        "seed": plan.seed,
        "bidding": plan.bidding,
        "rules": plan.rules.profile,
    }


def _report(plan: Plan, tally: Tally, seconds: float) -> dict[str, Any]:
    return {
        **_settings(plan),
        "points": round(tally.mean, 4),
        "half_width": round(tally.half_width, 4),
        "seconds": round(seconds, 1),
        "cpu_seconds": round(tally.seconds, 1),
        "figures": [tally.first.as_json(), tally.second.as_json()],
    }


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f} %"


def _print(plan: Plan, tally: Tally, reliability: bool) -> None:
    kind = _("seats exchanged") if plan.method is Method.SWAP else _("one against three")
    play = _("full rules") if plan.bidding else _("card play alone")
    click.echo(
        ngettext(
            "{first} - {second}: {mean:+.3f} +- {half:.3f} points a hand ({kind}, {play}, {deals} deal, seed {seed})",
            "{first} - {second}: {mean:+.3f} +- {half:.3f} points a hand ({kind}, {play}, {deals} deals, seed {seed})",
            plan.deals,
        ).format(
            first=plan.first,
            second=plan.second,
            mean=tally.mean,
            half=tally.half_width,
            kind=kind,
            play=play,
            deals=plan.deals,
            seed=plan.seed,
        )
    )
    for name, figures in ((plan.first, tally.first), (plan.second, tally.second)):
        values = figures.as_json()
        click.echo(
            _("  {name}: {median} ms a decision (most {most} ms)").format(
                name=name, median=values["ms_median"], most=values["ms_max"]
            )
        )
        if plan.bidding and not figures.calls and not figures.solos:
            click.echo(_("    no calls, no solos"))
        elif plan.bidding:
            click.echo(
                _(
                    "    called in {called} of its hands, {calls_won} of the calls won; solos in {solos} of its hands "
                    "({solos_seat} of its seats), {solos_won} of them won"
                ).format(
                    called=_percent(values["hands_with_calls"]),
                    calls_won=_percent(values["calls_won"]),
                    solos=_percent(values["solos_per_hand"]),
                    solos_seat=_percent(values["solos_per_seat"]),
                    solos_won=_percent(values["solos_won"]),
                )
            )
        if reliability:
            _print_reliability(figures)


def _print_reliability(figures: Figures) -> None:
    if not any(figures.forecast):
        return
    click.echo(
        ngettext(
            "    chances of winning told at the start of {hands} hand, by seat:",
            "    chances of winning told at the start of {hands} hands, by seat:",
            figures.foretold,
        ).format(hands=figures.foretold)
    )
    click.echo(_("    predicted  won     seats"))
    for place in range(BINS):
        number = figures.forecast[place]
        if number:
            predicted = figures.forecast_sum[place] / number
            won = 100 * figures.forecast_won[place] / number
            click.echo(f"    {predicted:7.1f} %  {won:5.1f} %  {number}")


def _plot(tally: Tally) -> None:
    """The mean and its interval as the deals come in."""
    scores = tally.ordered()
    total = squares = 0.0
    xs: list[int] = []
    means: list[float] = []
    lows: list[float] = []
    highs: list[float] = []
    for number, score in enumerate(scores, 1):
        total += score
        squares += score * score
        if number < max(5, len(scores) // 10):
            continue
        mean = total / number
        half = 1.96 * math.sqrt(max(0.0, squares / number - mean * mean) / max(1, number - 1))
        xs.append(number)
        means.append(mean)
        lows.append(mean - half)
        highs.append(mean + half)
    if len(xs) < 2:
        return
    import plotille

    figure = plotille.Figure()
    figure.width, figure.height = 60, 12
    figure.x_label, figure.y_label = _("deals"), _("points")
    low, high = min([*lows, 0.0]), max([*highs, 0.0])
    edge = (high - low) / 10 or 1.0  # so that the line of 0 is never outside
    figure.set_x_limits(0, len(scores))
    figure.set_y_limits(low - edge, high + edge)
    figure.x_ticks_fkt = lambda value, _next: f"{value:.0f}"
    figure.y_ticks_fkt = lambda value, _next: f"{value:+.2f}"
    figure.plot([0, len(scores)], [0, 0])
    for line in (lows, highs, means):
        figure.plot(xs, line)
    click.echo(figure.show())
