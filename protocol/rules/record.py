"""Hand records: one JSON text that tells a whole hand, read, written and replayed.

A record names the score profile, the four hands and the events; players are 1..4 from forehand.  :func:`parse` checks
its form, :func:`replay` plays it through the engine, :func:`outcome` says what came of it as a JSON value.

>>> from protocol.cards import DECK, format_cards
>>> record = parse({"format": FORMAT, "rules": "ddv", "events": ["1 healthy", "3 healthy"],
...                 "hands": [format_cards(DECK[p::4]) for p in range(4)]})
>>> outcome(replay(record))["rule"]
'R8'
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from protocol.cards import CARD_NAMES, PLAYERS, TYPES, format_cards, parse_card
from protocol.refusal import Code, Refusal
from protocol.rules.acts import HEALTHY, PLAYS, RESERVE, Act, Call, Healthy, Name, Play, Reserve
from protocol.rules.calling import CALLS
from protocol.rules.calls import CallKind
from protocol.rules.contracts import SOLOS, Contract
from protocol.rules.hand import legal, push
from protocol.rules.score import final_contract, re_side, result
from protocol.rules.state import HandRules, HandState, Phase, check_deal
from protocol.rules.tricks import do_play

FORMAT: Final = "doko-hand/1"
#: The longest text of one record, in bytes.
MAX_BYTES: Final = 1 << 20

_KEYS: Final = frozenset(("format", "rules", "options", "duel", "hands", "events"))
_REQUIRED: Final = ("format", "rules", "hands", "events")
_DUELS: Final = {(1, 3): (0, 2), (2, 4): (1, 3)}


class BadRecord(Refusal):
    """A text that is no record; ``detail`` names the place and what is wrong there."""

    def __init__(self, detail: str, rule: str | None = None, *, code: Code = Code.FORMAT) -> None:
        super().__init__(code, detail, rule)


@dataclass(frozen=True, slots=True)
class Record:
    """A record whose form is right, as :func:`parse` and :func:`record_of` make it.

    Events are checked when they are replayed: behind a refused one nothing is read.
    """

    rules: HandRules
    hands: tuple[tuple[int, ...], ...]
    events: tuple[Any, ...]

    def value(self) -> dict[str, Any]:
        """The record as a JSON value."""
        duel = self.rules.duel
        return {
            "format": FORMAT,
            "rules": self.rules.profile,
            "options": {"special-points": self.rules.special_points},
            "duel": None if duel is None else [duel[0] + 1, duel[1] + 1],
            "hands": [format_cards(hand) for hand in self.hands],
            "events": list(self.events),
        }

    def text(self) -> str:
        """The record as one line of JSON."""
        return json.dumps(self.value())


@dataclass(frozen=True, slots=True)
class Replay:
    """Where a replay ended: the *state*, and if an event was refused its 0-based index and the *refusal*."""

    state: HandState
    event: int | None = None
    refusal: Refusal | None = None


# -- events ------------------------------------------------------------------------------------------------


def event_of(act: Act) -> str:
    """How a record writes *act*; ``ValueError`` for ``Marry``, which records leave implied."""
    player = act.player + 1
    if isinstance(act, Play):
        return f"{player} play {CARD_NAMES[act.card]}"
    if isinstance(act, Call):
        return f"{player} call {act.kind.value}"
    if isinstance(act, Healthy):
        return f"{player} healthy"
    if isinstance(act, Reserve):
        return f"{player} reservation"
    if isinstance(act, Name):
        return f"{player} marriage" if act.contract is Contract.MARRIAGE else f"{player} solo {act.contract.value}"
    raise ValueError("a record does not tell the showing of a marriage")


def _all_events() -> dict[str, Act]:
    acts: list[Act] = []
    for player in range(PLAYERS):
        acts += (HEALTHY[player], RESERVE[player], Name(player, Contract.MARRIAGE))
        acts += (Name(player, solo) for solo in SOLOS)
        acts += (CALLS[player][kind] for kind in CallKind)
        acts += (PLAYS[player][card] for card in range(TYPES))
    return {event_of(act): act for act in acts}


_ACTS: Final = _all_events()


def act_of(event: object) -> Act:
    """The act that an event of a record tells; :class:`BadRecord` says what is wrong with any other value."""
    if type(event) is not str:
        raise BadRecord(f"an event is a text, not {_kind(event)}")
    act = _ACTS.get(event)
    if act is None:
        raise BadRecord(_what_is_wrong(event))
    return act


def _what_is_wrong(event: str) -> str:
    words = event.split(" ")
    shown = _short(event)
    if words[0] not in ("1", "2", "3", "4"):
        return f"{shown} does not begin with a player 1 to 4"
    what = words[1] if len(words) > 1 else ""
    if what == "play" and len(words) == 3:
        try:
            parse_card(words[2])
        except ValueError as error:
            return str(error) if len(words[2]) < 20 else f"{_short(words[2])} is not a card"
    elif what == "call" and len(words) == 3:
        return f"{_short(words[2])} is not a call; calls are {' '.join(CallKind)}"
    elif what == "solo" and len(words) == 3:
        return f"{_short(words[2])} is not a solo; solos are {' '.join(SOLOS)}"
    return f"{shown} is not an event"


# -- reading -----------------------------------------------------------------------------------------------


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise BadRecord(f"the key {_short(key)} stands twice")
            seen.add(key)
    return value


def _no_constant(name: str) -> Any:
    raise BadRecord(f"{name} is not JSON")


#: Strict JSON: no key twice, no NaN.
DECODER: Final = json.JSONDecoder(object_pairs_hook=_no_twins, parse_constant=_no_constant)


def loads(text: str | bytes) -> Record:
    """Read one record from its whole text (at most 1 MiB); :class:`BadRecord` if it is none."""
    if len(text) > MAX_BYTES or (isinstance(text, str) and len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES):
        raise too_long()
    return parse(decode(text))


def decode(text: str | bytes) -> Any:
    """JSON to a value; :class:`BadRecord` with line and column if it is not JSON or nested absurdly deep."""
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise BadRecord(f"byte {error.start + 1} is not UTF-8") from None
    try:
        return DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise BadRecord(f"line {error.lineno} column {error.colno}: not JSON ({error.msg})") from None
    except RecursionError:
        raise BadRecord("nested too deep") from None
    except ValueError:  # an integer of thousands of digits
        raise BadRecord("a number that is too long") from None


def too_long() -> BadRecord:
    """The error for a record over the limit."""
    return BadRecord("a record is at most 1 MiB long", code=Code.LIMIT)


def parse(value: Any) -> Record:
    """Check a JSON value and make a :class:`Record` of it; :class:`BadRecord` names the first place that is wrong."""
    if type(value) is not dict:
        raise BadRecord(f"a record is an object, not {_kind(value)}")
    if not _KEYS.issuperset(value):
        raise BadRecord(f"unknown key {_short(next(key for key in value if key not in _KEYS))}")
    for key in _REQUIRED:
        if key not in value:
            raise BadRecord(f"the key {key!r} is missing")
    if value["format"] != FORMAT:
        raise BadRecord(f"format: {_short(value['format'])} is not {FORMAT!r}")
    profile = value["rules"]
    if profile not in ("stargames", "ddv"):
        raise BadRecord(f"rules: {_short(profile)} is neither 'stargames' nor 'ddv'")
    rules = HandRules(profile, _options(value.get("options", {})), _duel(value.get("duel")))
    hands = _hands(value["hands"])
    events = value["events"]
    if type(events) is not list:
        raise BadRecord(f"events: a list is needed, not {_kind(events)}")
    try:
        check_deal(rules, hands)
    except Refusal as refusal:
        raise BadRecord(f"hands: {refusal.detail}", refusal.rule) from None
    return Record(rules, hands, tuple(events))


def _options(value: Any) -> bool:
    if type(value) is not dict:
        raise BadRecord(f"options: an object is needed, not {_kind(value)}")
    for key in value:
        if key != "special-points":
            raise BadRecord(f"options: unknown key {_short(key)}")
    special = value.get("special-points", True)
    if type(special) is not bool:
        raise BadRecord(f"options.special-points: true or false is needed, not {_kind(special)}")
    return special


def _duel(value: Any) -> tuple[int, int] | None:
    if value is None:
        return None
    if type(value) is list and all(type(p) is int for p in value) and tuple(value) in _DUELS:
        return _DUELS[tuple(value)]
    raise BadRecord("duel: null, [1, 3] or [2, 4] is needed")


def _hands(value: Any) -> tuple[tuple[int, ...], ...]:
    if type(value) is not list or len(value) != PLAYERS:
        raise BadRecord("hands: a list of four hands is needed")
    hands: list[tuple[int, ...]] = []
    for index, text in enumerate(value):
        if type(text) is not str:
            raise BadRecord(f"hands[{index}]: a text is needed, not {_kind(text)}")
        try:
            hands.append(tuple(map(_CARD.__getitem__, text.split(" "))))
        except KeyError as error:
            raise BadRecord(f"hands[{index}]: {_short(error.args[0])} is not a card") from None
    return tuple(hands)


_CARD: Final = {name: k for k, name in enumerate(CARD_NAMES)}


def _kind(value: Any) -> str:
    """A JSON value's type in JSON's words."""
    if value is None:
        return "null"
    return _KINDS.get(type(value), "something else")


_KINDS: Final[dict[type, str]] = {
    bool: "a truth value",
    int: "a number",
    float: "a number",
    str: "a text",
    list: "a list",
    dict: "an object",
}


def _short(value: Any) -> str:
    """A value for an error of one line."""
    if type(value) is not str:
        return _kind(value)
    return ascii(value if len(value) <= 40 else value[:40] + "...")


# -- replaying ---------------------------------------------------------------------------------------------


def replay(record: Record) -> Replay:
    """Play a record through the engine up to its end or the first event that the rules do not allow.

    :class:`BadRecord` names the first event that is none (``events[3]: ...``).
    """
    state = HandState(record.rules, record.hands, False)
    for index, event in enumerate(record.events):
        try:
            act = _ACTS[event]
        except (KeyError, TypeError):
            try:
                act_of(event)
            except BadRecord as bad:
                raise BadRecord(f"events[{index}]: {bad.detail}") from None
            raise
        try:
            if type(act) is Play:
                do_play(state, act.player, act.card)
            else:
                push(state, act)
        except Refusal as refusal:
            return Replay(state, index, refusal)
    return Replay(state)


def outcome(replayed: Replay) -> dict[str, Any]:
    """What came of a replay, as a JSON value: complete, incomplete or refused."""
    state = replayed.state
    refusal = replayed.refusal
    if refusal is not None:
        return {"status": "refused", "event": replayed.event, "rule": refusal.rule, "reason": refusal.detail}
    if state.phase is not Phase.DONE:
        return _incomplete(state)
    r = result(state)
    winners = [w + 1 for w in r.trick_winners]
    contract = r.contract.value if r.contract is not None else None
    if r.void:
        return {
            "status": "complete",
            "void": True,
            "contract": contract,
            "winner": None,
            "value": 0,
            "points": [0, 0, 0, 0],
            "trick_winners": winners,
        }
    items: list[dict[str, Any]] = []
    for item in r.items:
        line: dict[str, Any] = {"side": item.side.value, "item": item.item, "points": item.points}
        if item.trick is not None:
            line["trick"] = item.trick
        items.append(line)
    return {
        "status": "complete",
        "void": False,
        "contract": contract,
        "re": [p + 1 for p in r.re],
        "winner": None if r.winner is None else r.winner.value,
        "value": r.value,
        "points": list(r.points),
        "card_points": {"re": r.card_points[0], "kontra": r.card_points[1]},
        "trick_winners": winners,
        "items": items,
    }


def _incomplete(state: HandState) -> dict[str, Any]:
    contract = final_contract(state)
    re = re_side(state)
    # While a marriage is open, a trick that does not clear it counts against the groom.
    side = re if re is not None else () if state.groom is None else (state.groom,)
    taken = sum(t.points for t in state.tricks)
    of_re = sum(t.points for t in state.tricks if t.winner in side)
    may = [[event_of(act)[2:] for act in legal(state, p)] for p in range(PLAYERS)]
    waiting = [{"player": p + 1, "may": words} for p, words in enumerate(may) if words]
    return {
        "status": "incomplete",
        "void": False,
        "contract": None if contract is None else contract.value,
        "re": None if re is None else [p + 1 for p in re],
        "card_points": {"re": of_re, "kontra": taken - of_re},
        "trick_winners": [t.winner + 1 for t in state.tricks],
        "next": waiting,
    }


# -- writing -----------------------------------------------------------------------------------------------


def record_of(state: HandState) -> Record:
    """The record of a hand that was played, on the network or here.

    The hands are those dealt, or the cards played if all twelve of a player were; ``ValueError`` if neither is known
    (a hand of one's own that is still running has no record for others).  A call that was no step is left out.
    """
    played = state.played
    hands: list[tuple[int, ...]] = []
    for player in range(PLAYERS):
        dealt = state.dealt(player)
        if dealt is None:
            if state.cards_left(player):
                raise ValueError(f"the hand of player {player + 1} is not known")
            dealt = played[player]
        hands.append(dealt)
    return Record(state.rules, tuple(hands), tuple(events_of(state)))


def events_of(state: HandState) -> list[str]:
    """The events of a hand so far, in the order in which they took effect."""
    events = [event_of((RESERVE if reserved else HEALTHY)[p]) for p, reserved in enumerate(state.bids)]
    events += [event_of(Name(player, contract)) for player, contract in state.names]
    calls = [
        call
        for i, call in enumerate(state.calls)
        # A reply too late for any Absage, followed by one made earlier elsewhere, is contained in that one.
        if call.counted and not (_bare_reply(state, i) and any(_same_side_later(state, i)))
    ]
    waiting = iter(calls)
    call = next(waiting, None)
    for number, (player, card) in enumerate(state.log):
        while call is not None and call.played <= number:
            events.append(event_of(CALLS[call.player][call.kind]))
            call = next(waiting, None)
        events.append(event_of(PLAYS[player][card]))
    while call is not None:
        events.append(event_of(CALLS[call.player][call.kind]))
        call = next(waiting, None)
    return events


def _bare_reply(state: HandState, index: int) -> bool:
    call = state.calls[index]
    if call.kind not in (CallKind.RE, CallKind.KONTRA):
        return False
    before = sum(1 for player, _ in state.log[: call.played] if player == call.player)
    return 12 - before < 11 - state.shift


def _same_side_later(state: HandState, index: int) -> Iterable[bool]:
    side = state.calls[index].side
    return (call.counted and call.side is side for call in state.calls[index + 1 :])
