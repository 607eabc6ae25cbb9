"""What happens at a table as plain JSON values, one a line: for ``--watch``, for scripts, and for the demo's parent.

Every line has ``event``.  Seats are 0..3, cards and calls are written as in hand records.

====================  ==========================================================================================
``listening``         ``address`` (``HOST:PORT``), ``name``, ``key``
``link``              ``seat``, ``how`` (direct via lost), ``via``, ``why``
``seated``            ``match``, ``resumed``, ``me``, ``players`` [{``name``, ``key``, ``words``, ``bot``}], ``terms``
``deal-step``         ``deal``, ``step`` (commit keys keyok shuffle barrier test testopen shares), ``seat``
``deal-again``        ``deal``, ``reason``, ``seat`` or null
``hand``              ``deal``, ``hand``, ``forehand``; the cards are dealt
``act``               ``deal``, ``seat``, ``act`` (healthy, reservation, marriage, solo KIND, play CARD, marry)
``call``              ``deal``, ``seat``, ``call``
``game``              ``deal``, ``contract``
``trick``             ``deal``, ``trick``, ``winner``
``hand-over``         ``deal``, ``hand``, ``forehand``, ``result``, ``points``, ``money``, ``kitty``
``refused``           ``seat``, ``code``, ``detail``
``gone``              ``seats``
``back``
``void-vote``         ``seat``
``keys-lost``         ``deal``: our store has lost our keys of it, we cannot play this hand
``said``              ``seat``, ``text``
``left``              ``seat``; it leaves the match as it stands, to take it up on another day
``pause``             ``seat``, ``on``; people ask for a break or end it
``settled``           ``path``, ``signatures``, ``points``, ``money``, ``kitty``
====================  ==========================================================================================
"""

from collections.abc import Sequence
from typing import Any

from node.identity import fingerprint
from node.plan import Plan
from node.session import Left, Said
from protocol.rules.acts import Act, Marry
from protocol.rules.hand import Result
from protocol.rules.record import event_of
from protocol.table.effects import (
    Acted,
    Back,
    Called,
    DealAgain,
    DealStep,
    Event,
    GameSettled,
    Gone,
    HandClosed,
    HandOpened,
    KeysLost,
    PauseAsked,
    Refused,
    TrickClosed,
    VoidVote,
)

Line = dict[str, Any]


def line_of(event: Event | Said | Left) -> Line:
    """*event* as a value for JSON."""
    match event:
        case DealStep(deal, step, seat):
            return {"event": "deal-step", "deal": deal, "step": step, "seat": seat}
        case DealAgain(deal, reason, blamed):
            return {"event": "deal-again", "deal": deal, "reason": reason, "seat": blamed}
        case HandOpened(deal, hand, forehand):
            return {"event": "hand", "deal": deal, "hand": hand, "forehand": forehand}
        case Acted(deal, seat, act):
            return {"event": "act", "deal": deal, "seat": seat, "act": _act(act)}
        case Called(deal, seat, kind):
            return {"event": "call", "deal": deal, "seat": seat, "call": str(kind)}
        case GameSettled(deal, contract):
            return {"event": "game", "deal": deal, "contract": str(contract)}
        case TrickClosed(deal, trick, winner):
            return {"event": "trick", "deal": deal, "trick": trick, "winner": winner}
        case HandClosed():
            return {
                "event": "hand-over",
                "deal": event.deal,
                "hand": event.hand,
                "forehand": event.forehand,
                "result": _result(event.result, event.forehand),
                "points": list(event.points),
                "money": list(event.money),
                "kitty": event.kitty,
            }
        case Refused(seat, code, detail):
            return {"event": "refused", "seat": seat, "code": str(code), "detail": detail}
        case Gone(seats):
            return {"event": "gone", "seats": list(seats)}
        case Back():
            return {"event": "back"}
        case VoidVote(seat):
            return {"event": "void-vote", "seat": seat}
        case KeysLost(deal):
            return {"event": "keys-lost", "deal": deal}
        case PauseAsked(seat, on):
            return {"event": "pause", "seat": seat, "on": on}
        case Left(seat):
            return {"event": "left", "seat": seat}
        case Said(seat, text):
            return {"event": "said", "seat": seat, "text": text}


def _act(act: Act) -> str:
    if isinstance(act, Marry):
        return "marry"
    return event_of(act).partition(" ")[2]  # without the player: the seat is named


def _result(result: Result, forehand: int) -> Line:
    def seat(position: int) -> int:
        return (forehand + position) % 4

    return {
        "void": result.void,
        "contract": None if result.contract is None else str(result.contract),
        "re": [seat(position) for position in result.re],
        "winner": None if result.winner is None else str(result.winner),
        "value": result.value,
        "card_points": list(result.card_points),
        "items": [
            {"side": str(item.side), "item": item.item, "points": item.points, "trick": item.trick}
            for item in result.items
        ],
    }


def seated_line(plan: Plan, *, resumed: bool = False) -> Line:
    """The four and the terms; *resumed*: the match was begun before and is taken up again."""
    terms = plan.setup.terms
    return {
        "event": "seated",
        "resumed": resumed,
        "match": plan.match.hex(),
        "me": plan.setup.my_seat,
        "players": [
            {
                "name": player.nickname,
                "key": player.identity.hex(),
                "words": " ".join(fingerprint(player.identity)),
                "bot": None if (bot := terms.bot_at(seat)) is None else bot.policy,
            }
            for seat, player in enumerate(plan.setup.roster.players)
        ],
        "terms": {
            "mode": terms.mode,
            "stake": terms.stake,
            "limit": terms.limit,
            "fee": terms.fee,
            "kitty": terms.kitty,
            "currency": terms.currency,
            "rules": terms.profile,
            "special_points": terms.special_points,
            "hands": terms.hands,
        },
    }


def settled_line(path: str, signatures: int, points: Sequence[int], money: Sequence[int], kitty: int) -> Line:
    """The end of a match."""
    return {
        "event": "settled",
        "path": path,
        "signatures": signatures,
        "points": list(points),
        "money": list(money),
        "kitty": kitty,
    }
