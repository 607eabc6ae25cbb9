"""``doko history``: the matches played, one match hand by hand, points over time."""

import click

from node.cli.app import App, command, emit_json, json_option, option, pass_app
from node.cli.ledger import print_table
from node.clock import iso, local
from node.console import words
from node.history import Played, find, played
from node.i18n import N_, _, ngettext
from node.refusals import told

_MODES = {"variable": N_("variable stake"), "four-fixed": N_("four hands, fixed stake"), "duel": N_("duel")}
_STATES = {"open": N_("open"), "finished": N_("finished"), "given-up": N_("given up")}


@command(
    help=N_(
        """The matches you have played.

MATCH is the beginning of a match's name, or last; without it all are listed, the latest at the end.

\b
Examples:
  doko history
  doko history --limit 5
  doko history last
  doko history --plot
"""
    )
)
@click.argument("match", required=False)
@option("--limit", type=click.IntRange(min=1), help=N_("Only the latest matches."))
@option("--plot", is_flag=True, help=N_("Draw your points over time."))
@json_option
@pass_app
def history(app: App, match: str | None, limit: int | None, plot: bool, as_json: bool) -> None:
    with app.open_store() as store:
        names = {contact.key: contact.nickname for contact in app.contacts(store).all()}
        everything = played(store, names=names)
    if match is not None:
        one = find(everything, match)
        if as_json:
            emit_json(as_dictionary(one))
        else:
            _print_match(one)
        return
    chosen = everything[-limit:] if limit else everything
    if as_json:
        emit_json([as_dictionary(one) for one in chosen])
        return
    if not chosen:
        click.echo(_("No matches yet. Play one with: doko play"))
        return
    if plot:
        _plot(chosen)
        return
    lines: list[tuple[str, ...]] = [(_("When"), _("Match"), _("Mode"), _("With"), _("Points"), _("Money"), _("State"))]
    for one in chosen:
        others = ", ".join(name for seat, name in enumerate(one.names) if seat != one.me)
        lines.append(
            (
                local(one.begun),
                one.match.hex()[:8],
                _(_MODES[one.mode]) if one.mode in _MODES else one.mode,
                others,
                f"{one.points[one.me]:+}",
                words.money(one.money[one.me], one.currency, signed=True),
                _(_STATES.get(one.state, one.state)),
            )
        )
    print_table(lines, right=(4, 5))
    finished = [one for one in chosen if one.state == "finished"]
    total = sum(one.points[one.me] for one in finished)
    text = ngettext("{n} finished match, {points} points", "{n} finished matches, {points} points", len(finished))
    click.echo(text.format(n=len(finished), points=f"{total:+}"))


def as_dictionary(one: Played) -> dict[str, object]:
    """A match for programs; money in cents, by seat."""
    return {
        "match": one.match,
        "state": one.state,
        "reason": one.reason,
        "begun": iso(one.begun),
        "ended": None if one.ended is None else iso(one.ended),
        "mode": one.mode,
        "currency": one.currency,
        "names": list(one.names),
        "keys": [key.hex() for key in one.keys],
        "me": one.me,
        "points": list(one.points),
        "money": list(one.money),
        "kitty": one.kitty,
        "hands": [
            {
                "deal": hand.deal,
                "hand": hand.hand,
                "forehand": hand.forehand,
                "contract": hand.contract,
                "value": hand.value,
                "points": list(hand.points),
                "money": list(hand.money),
                "kitty": hand.kitty,
            }
            for hand in one.hands
        ],
    }


def _print_match(one: Played) -> None:
    click.echo(_("Match {name}").format(name=one.match.hex()))
    mode = _(_MODES[one.mode]) if one.mode in _MODES else one.mode
    click.echo(f"{local(one.begun)}  {mode}  {_(_STATES.get(one.state, one.state))}")
    if one.reason:
        click.echo(told(one.reason))
    head = (_("Hand"), _("Contract"), *(name or "-" for name in one.names), _("kitty"))
    lines: list[tuple[str, ...]] = [head]
    for hand in one.hands:
        cells = (f"{p:+} / {words.money(m, signed=True)}" for p, m in zip(hand.points, hand.money, strict=True))
        lines.append(
            (
                str(hand.hand),
                words.contract_name(hand.contract) if hand.contract else _("void"),
                *cells,
                words.money(hand.kitty),
            )
        )
    sums = (f"{p:+} / {words.money(m, signed=True)}" for p, m in zip(one.points, one.money, strict=True))
    lines.append((_("Sum"), "", *sums, words.money(one.kitty)))
    print_table(lines, right=(2, 3, 4, 5, 6))
    click.echo(_("Points / money in {currency}").format(currency=one.currency))


def _plot(chosen: list[Played]) -> None:
    """The running sum of our points, hand by hand."""
    running, line = 0, [0]
    for one in chosen:
        for points in one.hand_points:
            running += points
            line.append(running)
    if len(line) < 2:
        click.echo(_("No finished hands yet."))
        return
    import plotille

    figure = plotille.Figure()
    figure.width, figure.height = 60, 15
    figure.x_label, figure.y_label = _("hands"), _("points")
    figure.set_x_limits(0, max(len(line) - 1, 1))
    low, high = min(line), max(line)
    figure.set_y_limits(low, high if high > low else low + 1)
    figure.x_ticks_fkt = lambda value, _next: f"{value:.0f}"
    figure.y_ticks_fkt = lambda value, _next: f"{value:.0f}"
    figure.plot(list(range(len(line))), line)
    click.echo(figure.show())
