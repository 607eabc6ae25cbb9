"""``doko verify FILE``: check a settlement or an evidence file offline, everything again from the keys to the cents."""

from typing import TYPE_CHECKING

import click

from node.cli.app import command, emit_json, json_option, read_bytes
from node.console import words
from node.errors import EXIT_NO, EXIT_USAGE, DokoError
from node.i18n import N_, _
from node.refusals import MEANINGS, told

if TYPE_CHECKING:
    from protocol.table.verify import Verdict

#: A match of four hands has about half a megabyte.
MAX_FILE = 64_000_000


@command(
    help=N_(
        """Check a settlement or an evidence file.

Nothing but the file is needed: no network, no identity, no knowledge of the match. Signatures, the shuffles and every
other proof, the legality of each card, the score and the money are all computed again. The first thing that is wrong
is named.

\b
Examples:
  doko verify settlement.doko
  doko verify --json evidence.doko

Exit code 0: everything holds (of evidence: it convicts); 1: something is wrong; 2: not such a file, or unreadable.
"""
    )
)
@click.argument("file", type=click.Path(allow_dash=True))
@json_option
def verify(file: str, as_json: bool) -> int:
    from protocol.table.verify import verify as check

    raw = read_bytes(file, MAX_FILE)
    verdict = check(raw)
    if not verdict.kind:
        raise DokoError(
            _("{file} is neither a settlement nor an evidence file.").format(file=file),
            _("Settlements are written at the end of a match; see doko history."),
            EXIT_USAGE,
        )
    if as_json:
        emit_json(as_data(verdict))
    else:
        for line in lines(verdict):
            click.echo(line)
    return 0 if verdict.good else EXIT_NO


def as_data(verdict: "Verdict") -> dict[str, object]:
    """The verdict as plain values: the same keys for every file, null or empty where they say nothing."""
    players = [] if verdict.roster is None else verdict.roster.players
    return {
        "kind": verdict.kind,
        "ok": verdict.good,
        "problem": verdict.problem or None,
        "match": verdict.match.hex() or None,
        "mode": None if verdict.terms is None else verdict.terms.mode,
        "currency": None if verdict.terms is None else verdict.terms.currency,
        "players": [{"name": player.nickname, "key": player.identity.hex()} for player in players],
        "hands": len(verdict.hands),
        "points": list(verdict.points),
        "money": list(verdict.money),
        "kitty": verdict.kitty,
        "unsigned": list(verdict.unsigned),
        "guilty": verdict.seat,
        "code": verdict.code or None,
        "detail": verdict.detail or None,
    }


def lines(verdict: "Verdict") -> list[str]:
    """The verdict in words."""
    if not verdict.good:
        settlement = verdict.kind == "settlement"
        what = _("This settlement does not hold.") if settlement else _("This evidence does not hold.")
        return [what, _("First thing wrong: {problem}").format(problem=problem_text(verdict))]
    assert verdict.roster is not None
    assert verdict.terms is not None
    names = [player.nickname for player in verdict.roster.players]
    if verdict.kind == "evidence":
        assert verdict.seat is not None
        name = names[verdict.seat]
        return [
            _("The evidence holds: it convicts {name} (seat {seat}).").format(name=name, seat=verdict.seat + 1),
            _("Refused with {code}: {detail}").format(code=verdict.code, detail=told(verdict.detail, verdict.code)),
        ]
    currency = verdict.terms.currency
    out = [_("The settlement holds: signatures, proofs, rules, score and money.")]
    for seat, name in enumerate(names):
        points, money = verdict.points[seat], words.money(verdict.money[seat], signed=True)
        out.append(
            _("  {name}: {points} points, {money} {currency}").format(
                name=name, points=f"{points:+d}", money=money, currency=currency
            )
        )
    if verdict.kitty:
        kitty = words.money(verdict.kitty, signed=True)
        name = words.kitty_name(verdict.terms.kitty)
        out.append(_("  {name}: {money} {currency}").format(name=name, money=kitty, currency=currency))
    text = _("Not signed by {name}; the log proves the result all the same.")
    return out + [text.format(name=names[seat]) for seat in verdict.unsigned]


def problem_text(verdict: "Verdict") -> str:
    """The first thing that is wrong with a file, in words, with its code if there is one."""
    code, colon, detail = verdict.problem.partition(": ")
    if not colon or code not in MEANINGS:
        return told(verdict.problem)
    return f"{told(detail, code)} ({code})"
