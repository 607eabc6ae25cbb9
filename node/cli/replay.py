"""``doko replay FILE``: play hand records through the engine and tell what came of them."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import IO, Any, Final

import click

from node.cli.app import command, option, unreadable
from node.console import words
from node.errors import EXIT_NO, EXIT_OK, EXIT_USAGE, DokoError
from node.i18n import N_, _
from node.refusals import told
from protocol.cards import CARD_NAMES, PLAYERS, format_cards
from protocol.rules.record import BadRecord, Record, Replay, outcome
from protocol.rules.record import replay as replay_record
from protocol.rules.record_stream import Records
from protocol.rules.score import Result, final_contract, result
from protocol.rules.state import HandState, Phase

_CHUNK: Final = 1 << 18
_NO_CARD: Final = 49  # later than any card of a hand


@command(
    help=N_(
        """Replay hand records through the rules: what was played, who won, what it was worth and by which rule.

FILE is one record, an array of records or one record a line; - reads standard input.

\b
Examples:
  doko replay hand.json
  doko export records last | doko replay -

Exit code 0: every record was read; 1: the one record holds an act that the rules refuse; 2: bad input.
"""
    )
)
@click.argument("file", metavar="FILE")
@option("--json", "as_json", is_flag=True, help=N_("One line of JSON per record"))
def replay(file: str, as_json: bool) -> int:
    name = _("standard input") if file == "-" else file
    try:
        with _open(file, name) as stream:
            chunks = _after_blank(_chunks(stream, name))
            first = next(chunks, None)
            if first is None:
                raise DokoError(_("There is no record in {file}.").format(file=name))
            code, count = _replay_all(chain([first], chunks), as_json)
        if not count and not as_json:  # an array of none is read well
            click.echo(_("There is no record in {file}.").format(file=name), err=True)
        return code
    except BadRecord as bad:
        raise DokoError(_("{file}: {problem}").format(file=name, problem=bad.detail)) from None
    except BrokenPipeError:  # whoever reads the results has had enough, as `head` has
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_OK


@contextmanager
def _open(file: str, name: str) -> Iterator[IO[bytes]]:
    if file == "-":
        yield sys.stdin.buffer
        return
    try:
        stream = Path(file).open("rb")  # noqa: SIM115 (closed below; only opening it may fail here)
    except (OSError, ValueError) as error:
        raise unreadable(error, name) from None
    with stream:
        yield stream


def _chunks(stream: IO[bytes], name: str) -> Iterator[bytes]:
    while True:
        try:
            chunk = stream.read(_CHUNK)
        except OSError as error:
            raise unreadable(error, name) from None
        if not chunk:
            return
        yield chunk


def _after_blank(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The chunks from the first one on that holds anything but white space."""
    for chunk in chunks:
        if chunk.strip():
            yield chunk
            yield from chunks


def _replay_all(chunks: Iterator[bytes], as_json: bool) -> tuple[int, int]:
    """Replay every record of the stream: the exit code, which says how it went, and how many there were."""
    records = Records(chunks)
    code, number = EXIT_OK, 0
    for number, element in enumerate(records, 1):
        try:
            if isinstance(element, BadRecord):
                raise element
            replayed = replay_record(element)
        except BadRecord as bad:
            if not records.many:
                raise
            code = EXIT_USAGE
            if as_json:
                _say(json.dumps({"status": "invalid", "reason": bad.detail}))
            else:
                _heading(number)
                _say(_("This is no record: {problem}").format(problem=bad.detail))
            continue
        if replayed.refusal is not None and not records.many:
            code = EXIT_NO
        if as_json:
            _say(json.dumps(outcome(replayed)))
        else:
            if records.many:
                _heading(number)
            for line in tell(element, replayed):
                _say(line)
    sys.stdout.flush()
    return code, number


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")


def _heading(number: int) -> None:
    if number > 1:
        _say("")
    _say(_("Record {number}").format(number=number))


# -- the hand in words -------------------------------------------------------------------------------------


def tell(record: Record, replayed: Replay) -> Iterator[str]:
    """The lines that tell a replayed hand to a person."""
    state = replayed.state
    for player, hand in enumerate(record.hands):
        yield _("Player {player} ({place}): {cards}").format(
            player=player + 1, place=words.position_name(player), cards=format_cards(hand)
        )
    yield from _bidding(state)
    yield from _tricks(state)
    if replayed.refusal is not None:
        event = record.events[replayed.event or 0]
        yield _('Event {index}, "{event}", is refused: {reason} ({rule})').format(
            index=replayed.event, event=event, reason=told(replayed.refusal.detail), rule=replayed.refusal.rule
        )
    elif state.phase is Phase.DONE:
        yield from _result(state, result(state))
    else:
        yield from _waiting(state)


def _bidding(state: HandState) -> Iterator[str]:
    for player, reserved in enumerate(state.bids):
        text = _("Player {player}: reservation") if reserved else _("Player {player}: healthy")
        yield text.format(player=player + 1)
    for player, contract in state.names:
        yield _("Player {player} names: {contract}").format(
            player=player + 1, contract=words.contract_name(contract.value)
        )
    game = final_contract(state)
    if game is not None:
        yield _("Game: {contract}; {trumps}").format(
            contract=words.contract_name(game.value), trumps=words.trumps_line(game.value)
        )


def _tricks(state: HandState) -> Iterator[str]:
    """A line per trick; a call is told behind the card after which it was made."""
    calls = [(call.played, f"[{call.player + 1}: {words.call_name(call.kind.value)}]") for call in state.calls]
    played = 0
    for number in range(1, len(state.tricks) + 2):
        complete = state.tricks[number - 1] if number <= len(state.tricks) else None
        cards = complete.cards if complete is not None else state.trick
        leader = complete.leader if complete is not None else state.leader
        parts: list[str] = []
        for i, card in enumerate(cards):
            parts += _calls_until(calls, played)
            parts.append(f"{(leader + i) % PLAYERS + 1} {CARD_NAMES[card]}")
            played += 1
        if complete is None:
            parts += _calls_until(calls, _NO_CARD)
        if not parts:
            return
        line = _("Trick {number}: {cards}").format(number=f"{number:>2}", cards="  ".join(parts))
        if complete is not None:
            line += "  -> " + _("player {player}, {points}").format(
                player=complete.winner + 1, points=words.card_points(complete.points)
            )
            if number == state.clearing:
                line += " " + _("(clearing trick)")
        yield line


def _calls_until(calls: list[tuple[int, str]], played: int) -> Iterator[str]:
    while calls and calls[0][0] <= played:
        yield calls.pop(0)[1]


def _result(state: HandState, r: Result) -> Iterator[str]:
    if r.void:
        yield _("The hand is void: it pays nothing and is dealt again (R29, R34).")
        return
    re = _players(list(r.re))
    yield _("Re is {re}, with {re_points} to {contra_points} card points.").format(
        re=re, re_points=r.card_points[0], contra_points=r.card_points[1]
    )
    yield (
        _("Nobody has won (R23).")
        if r.winner is None
        else _("{side} has won.").format(side=words.side_name(r.winner.value))
    )
    for item in r.items:
        text, rule = words.item_text(item.item)
        if item.trick is not None:
            text = _("{what}, trick {number}").format(what=text, number=item.trick)
        yield _("  {side} {points}: {what} ({rule})").format(
            side=words.side_name(item.side.value), points=words.signed(item.points), what=text, rule=rule
        )
    yield _("Value {value}.").format(value=r.value)
    if r.alone:
        yield _("One against three: the single player's points count three times (R28).")
    points = ", ".join(f"{p + 1}: {words.signed(r.points[p])}" for p in range(PLAYERS))
    yield _("Points: {points}").format(points=points)


def _waiting(state: HandState) -> Iterator[str]:
    yield _("The record ends here; the hand is not over.")
    told: dict[str, Any]
    for told in outcome(Replay(state))["next"]:
        yield _("Player {player} may: {acts}").format(player=told["player"], acts=", ".join(told["may"]))


def _players(positions: list[int]) -> str:
    return words.names([_("player {player}").format(player=p + 1) for p in positions])
