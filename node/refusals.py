"""What the protocol refuses, said to people in their language.

:mod:`protocol` knows no languages: its refusals have a code and English words, which also stand in files and come from
other nodes.  Here the words are read back by a table of templates and said again in the language in force.  What only
somebody who writes a node could follow (proofs, bytes) is told by the meaning of its code.

The protocol counts seats and deals from 0; people count from 1, and so does every text that comes from here.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from node.console import words
from node.errors import DokoError
from node.i18n import N_, _, current_language
from protocol.refusal import Code, Refusal

#: What the codes mean, for refusals that have no template.
MEANINGS: Final = {
    Code.FORMAT: N_("it does not have the form it must have"),
    Code.POINT: N_("a value in it is no element of the group"),
    Code.SCALAR: N_("a number in it is out of range"),
    Code.SIG: N_("the signature is not right"),
    Code.CONTEXT: N_("it belongs to another place of the match"),
    Code.EQUIVOCATION: N_("two entries are signed that exclude each other"),
    Code.POP: N_("it is not proven that its author knows the key"),
    Code.SHUFFLE: N_("the proof of the shuffle does not hold"),
    Code.LAZY: N_("the shuffle left a card as it was"),
    Code.DLEQ: N_("the proof of a decryption share does not hold"),
    Code.TEST: N_("the proof for the duel's test of the deal does not hold"),
    Code.TURN: N_("it was not due now"),
    Code.SLOT: N_("the card belongs to somebody else or is played already"),
    Code.VOID: N_("the proof of holding no such card does not hold"),
    Code.VOID_MISSING: N_("the proof of holding no such card is missing"),
    Code.CLAIM: N_("what it claims is not shown"),
    Code.TIME: N_("the call came at the wrong time"),
    Code.RULE: N_("the rules of the game forbid it"),
    Code.LIMIT: N_("it is more, or larger, than allowed"),
}

#: The words of the protocol with named holes.  The name of a hole says what stands in it: see ``_HOLES``.
TEXTS: Final = (
    # the rules of the game
    N_("{card} is no card"),
    N_("player {player} does not hold {card}"),
    N_("player {player} must follow {led} and cannot play {card}"),
    N_("both copies of {card} are elsewhere"),
    N_("player {player} has shown that he holds nothing like {card}"),
    N_("a player who has proven Contra holds no club queen"),
    N_("player {player} holds nothing but the club queens he has shown"),
    N_("a marriage is shown on the network only"),
    N_("the hand is over"),
    N_("player {player} {act} next, not player {other}"),
    N_("a computer player {act} in a duel"),
    N_("a marriage needs both club queens"),
    N_("a reservation is a marriage or one of the solos"),
    N_("a computer player names no solo in a duel"),
    N_("player {player} calls without showing his side"),
    N_("player {player} is {side}, not {other}"),
    N_("player {player} is {side} and cannot call {call}"),
    N_("player {player} calls without proving his side"),
    N_("Re is proven by opening a club queen, Contra by opening nothing"),
    N_("the side of player {player} needs no proof"),
    N_("nothing can be called before the game is settled"),
    N_("computer players never call in a duel"),
    N_("nothing can be called before the clearing trick is complete"),
    N_("{side} has already called {call}"),
    N_("after a reply that was too late by itself nothing more can be called"),
    N_("this reply needs {n} cards, player {player} holds {have}"),
    N_("a step that is skipped needs {n} cards, player {player} holds {have}"),
    N_("{call} needs {n} cards, player {player} holds {have}"),
    N_("only a club queen is opened for a call, and only by Re"),
    N_("a third club queen"),
    N_("{n} hands instead of four"),
    N_("player {player} has {n} cards instead of twelve"),
    N_("player {player} holds {card}, which is no card"),
    N_("{card} is dealt more than twice"),
    N_("a duel needs a club queen with a human and one with a computer, or both"),
    # what our own player wants
    N_("the table has stopped: {rest}"),
    N_("the others have not yet told what they hold of ours"),
    N_("no hand is being played"),
    N_("our keys of this hand are lost: all four can agree that it is void"),
    N_("a card of ours is on its way"),
    N_("it is not your turn"),
    N_("you have agreed that this hand is void"),
    N_("the cards do not allow it"),
    N_("the cards do not allow this call"),
    N_("a card is being checked; try again in a moment"),
    N_("no deal is under way"),
    N_("the table has a pause"),
    N_("there have been many pauses just now; try again in a moment"),
    N_("that card is not in hand"),
    N_("no club queen in hand to show"),
    N_("not both club queens in hand"),
    # why a deal is thrown away, and why a match stops
    N_("the duel does not allow this deal"),
    N_("all four agreed"),
    N_("the three others agreed"),
    N_("adjourned"),
    N_("the proofs and the cards do not fit together: {text}"),
    N_("this node cannot make its own entry: {rest}"),
    N_("two entries of ours exclude each other: another node signs with our identity"),
    N_("an entry of ours is wrong: {rest}"),
    N_("seat {seat} broke the rules: {rest}"),
    N_("three deals were thrown away because of seat {seat}"),
    N_("the store is damaged: {rest}"),
    N_("a computation failed: {text}"),
    # gathering
    N_("there are no terms to agree to now"),
    N_("you left the table"),
    N_("this is our own table"),
    N_("the seat has been asked for"),
    N_("no seat at this table: {rest}"),
    N_("the opener takes terms back that it has settled"),
    N_("the table was closed: {rest}"),
    N_("{name} left the table"),
    N_("{name} signed two different agreements"),
    N_("{name} agrees to other {what} than we do"),
    N_("{name} copied a nonce"),
    N_("{name} contradicts itself"),
    N_("{name} arrives at another match than we do: somebody sent different nonces"),
    N_("announced terms name no computers: they take their seats"),
    N_("there is no seat {seat}"),
    N_("there is nobody to remove now"),
    N_("the connection was lost"),
    N_("the terms were not agreed to in time"),
    N_("this table is for others"),
    N_("the opener does not host this computer"),
    N_("another player has the same X25519 key"),
    N_("all seats are taken"),
    N_("the seats for {what} are taken"),
    N_("seat {place} is taken, or not for you"),
    N_("the final terms differ from those announced"),
    N_("two seats have one {what}"),
    N_("we are not one of the four"),
    N_("our own keys or name are not as we gave them"),
    N_("we are a computer for them and no computer, or the other way round"),
    N_("our own policy or seeds are not as we gave them"),
    N_("we are named as host of the computer at seat {place}, and are not"),
    # terms
    N_("terms: {rest}"),
    N_("terms of version {n}; this program reads version {other}"),
    N_("the {what} is {n} {unit}; it has to be from {low} to {high}"),
    N_("the {what} is {text}; it has to be {choices}"),
    N_("mode {text} has no limit: each hand pays the stake"),
    N_("the limit ({n}) is below the stake ({other})"),
    N_("a duel has two computers and two people"),
    N_("in a duel the computers sit opposite each other, and so do the people"),
    # invitations
    N_("not an invite: it has to begin with {text}"),
    N_("not an invite: it is far too long"),
    N_("the invite is damaged: it contains characters that do not belong there"),
    N_("the invite is damaged: a part of it is missing"),
    N_("the invite is damaged: its checksum is wrong, a part is missing or changed"),
    N_("the invite is of version {n}, this program reads version {other}"),
    N_("the invite is too short"),
    N_("the invite has more than {n} addresses"),
    N_("the invite has one address twice"),
    N_("the invite has an address that cannot be read"),
    # links
    N_("the link is not ready"),
    N_("the other end closed the link: {rest}"),
    N_("a second HELLO"),
    N_("expected HELLO, got {text}"),
    N_("the other end has this node's own identity: a node does not play with itself"),
    N_("somebody else answers at this address: another identity key than expected"),
    N_("the connection ended inside a message"),
    N_("the connection ended during the handshake"),
    N_("the channel is {text}"),
    N_("a message of {n} bytes does not fit into a frame"),
    N_("the other end does not speak this protocol (no opening)"),
    N_("the other end does not speak this protocol (other name)"),
    N_("a frame of {n} bytes cannot hold a message"),
    N_("a handshake message of {n} bytes"),
    N_("a handshake message with a payload"),
    N_("a handshake of an unknown kind ({text})"),
    N_("the other end closed the connection"),
    N_("the other end does not know this invite: it was used or has expired"),
    N_("the other end answered with another handshake"),
    N_("a message does not decrypt: changed, lost or repeated bytes"),
    N_("the handshake failed: other keys, another invite, or no peer"),
    N_("an invite that is not known here: it was used or has expired"),
    N_("no common protocol version: this program speaks {n}, the other one speaks {other}; {party} has to be updated"),
    N_("this node stops"),
    N_("this node failed"),
    N_("this node failed over a message"),
    N_("this node does not want a link"),
    N_("this node does not want a link any more"),
    N_("a newer link took its place"),
    N_("there is a link already"),
    N_("too many guests just now"),
    N_("the other end reads too slowly"),
    N_("the other end reads nothing"),
    N_("the link is closed"),
    N_("the connection broke"),
    N_("nothing came from the other end for too long"),
    # checking a file
    N_("this is no settlement file"),
    N_("this is no evidence file"),
    N_("the file has {n} bytes, a settlement at most {other}"),
    N_("the file has {n} bytes, evidence at most {other}"),
    N_("document: the match's name is not that of its roster"),
    N_("document: {n} hands, the log has {other}"),
    N_("document: hand {place} is not what the log gives"),
    N_("document: {what} is not what the log gives"),
    N_("document: not in the one encoding that it has"),
    N_("the log ends before the match does"),
    N_("the settlement's signature of seat {seat} is not that of its SETTLE"),
    N_("{entry}: of another match"),
    N_("{entry}: not of the seat that is accused"),
    N_("{entry}: does not stand on this log"),
    N_("{entry}: does not stand on the log before it"),
    N_("{entry}: nothing is wrong with it; it convicts nobody"),
    N_("the two entries are not two for one place, and one seat may sign both"),
    N_("the file says {code}, the log shows {other}"),
    N_("evidence of one entry comes with the log below it"),
    N_("the cards do not come out: {text}"),
    N_("the log cannot be replayed ({text})"),
    N_("the hash at the end is not that of the file's content: the file was changed"),
)

#: What is said of a file that was cut or changed: nobody but its author could do more with the details.
DAMAGED: Final = N_("the file is cut short or damaged")
_DAMAGED: Final = re.compile(r"(settlement|evidence): (no msgpack value|\d+ bytes after) .*", re.DOTALL)

#: Modules whose other refusals are about bytes and proofs: told by their code.
TECHNICAL: Final = (
    "protocol/deal/",
    "protocol/table/",
    "protocol/wire/codec.py",
    "protocol/wire/entries.py",
    "protocol/wire/keys.py",
    "protocol/wire/link.py",
    "protocol/wire/messages.py",
)

_ACTS: Final = {
    "bids": N_("bids"),
    "names": N_("names a game"),
    "shows the club queens": N_("shows the club queens"),
    "plays": N_("plays"),
    "holds both club queens and says reservation": N_("holds both club queens and says reservation"),
    "says healthy without both club queens": N_("says healthy without both club queens"),
}
_CLASSES: Final = {"clubs": 0, "spades": 1, "hearts": 2, "diamonds": 3, "trump": 4}
_WHATS: Final = {
    "points": N_("the points"),
    "money": N_("the money"),
    "kitty": N_("the kitty"),
    "head": N_("the end of the log"),
    "terms": N_("terms"),
    "members": N_("players"),
    "people": N_("people"),
    "computers": N_("computers"),
    "stake": N_("stake"),
    "limit": N_("limit"),
    "fee": N_("fee"),
    "time for a decision": N_("time for a decision"),
    "reserve of time": N_("reserve of time"),
    "identity": N_("identity"),
    "nickname": N_("nickname"),
}
_UNITS: Final = {"cents": N_("cents"), "basis points": N_("basis points"), "seconds": N_("seconds")}
_PARTIES: Final = {"this program": N_("this program"), "the other one": N_("the other one")}


def _from(table: dict[str, str]) -> Callable[[str], str]:
    return lambda text: _(table[text]) if text in table else text


def _side(text: str) -> str:
    return words.side_name(text.lower()) if text.lower() in words.SIDES else text


def _call(text: str) -> str:
    return words.call_name(text) if text in words.CALLS else text


def _led(text: str) -> str:
    return words.class_name(_CLASSES[text]) if text in _CLASSES else text


def _next(text: str) -> str:
    return str(int(text) + 1)


def _other(text: str) -> str:
    return _side(text)


_ENTRY: Final = re.compile(r"([A-Z]+)(?: number (\d+))? of seat (\d) in deal (\d+)")


def _entry(text: str) -> str:
    found = _ENTRY.fullmatch(text)
    if found is None:
        return text
    kind, number, seat, deal = found.groups()
    if number is None:
        return _("{kind} of seat {seat} in deal {deal}").format(kind=kind, seat=_next(seat), deal=_next(deal))
    return _("{kind} number {number} of seat {seat} in deal {deal}").format(
        kind=kind, number=number, seat=_next(seat), deal=_next(deal)
    )


#: What may stand in a hole, as a pattern, and how it is said.
_HOLES: Final[dict[str, tuple[str, Callable[[str], str]]]] = {
    "player": (r"\d", str),
    "seat": (r"\d+", _next),
    "deal": (r"\d+", _next),
    "place": (r"\d+", str),
    "n": (r"-?[\d, to-]+", str),
    "have": (r"\d+", str),
    "low": (r"\d+", str),
    "high": (r"\d+", str),
    "code": (r"[A-Z_]+", str),
    "act": (".+", _from(_ACTS)),
    "led": (r"\w+", _led),
    "side": (r"\w+", _side),
    "call": (r"\w+", _call),
    "other": (".+", _other),
    "what": (".+", _from(_WHATS)),
    "unit": (".+", _from(_UNITS)),
    "party": (".+", _from(_PARTIES)),
    "entry": (_ENTRY.pattern, _entry),
    "choices": (".+", str),
    "card": (".+", str),
    "name": (".+", str),
    "text": (".*", str),
    "rest": (".+", lambda text: told(text)),
}
_HOLE: Final = re.compile(r"\{(\w+)\}")
_CODED: Final = re.compile(rf"({'|'.join(Code)}): (.+?)( \(R\d+\))?", re.DOTALL)


@lru_cache(maxsize=1)
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """The templates as patterns, those with the most words of their own first."""
    order = sorted(TEXTS, key=lambda text: -len(_HOLE.sub("", text)))
    return tuple((text, re.compile(_pattern(text), re.DOTALL)) for text in order)


def _pattern(template: str) -> str:
    parts = _HOLE.split(template)
    out = re.escape(parts[0])
    for name, literal in zip(parts[1::2], parts[2::2], strict=True):
        inside = re.sub(r"(?<!\\)\((?!\?)", "(?:", _HOLES[name][0])
        out += f"(?P<{name}>{inside})" + re.escape(literal)
    return out


def known(text: str) -> str | None:
    """The template that *text* was made from."""
    return next((template for template, pattern in _patterns() if pattern.fullmatch(text)), None)


def told(text: str, code: str = "") -> str:
    """*text* of the protocol (of a refusal with *code*, if known) in the language in force.

    A text that is not known here stays English, or is told by the meaning of its code.
    """
    coded = _CODED.fullmatch(text)
    if coded is not None:
        return told(coded[2], coded[1]) + (coded[3] or "")
    if _DAMAGED.fullmatch(text):
        return _(DAMAGED)
    for template, pattern in _patterns():
        found = pattern.fullmatch(text)
        if found is not None:
            values = found.groupdict()
            return _(template).format(**{name: _HOLES[name][1](value) for name, value in values.items()})
    head, colon, rest = text.partition(": ")
    if colon and _ENTRY.fullmatch(head):
        return f"{_entry(head)}: {told(rest, code)}"
    if code in MEANINGS and current_language() != "en":
        return _(MEANINGS[Code(code)])
    return re.sub(r"\b(seat|deal) (\d+)", lambda found: f"{found[1]} {_next(found[2])}", text)


def refusal_text(refusal: Refusal) -> str:
    """A refusal as a sentence, with its rule."""
    text = told(refusal.detail, refusal.code)
    return text[:1].upper() + text[1:] + "." + (f" ({refusal.rule})" if refusal.rule else "")


def bad_link(refusal: Refusal) -> DokoError:
    """What to tell about a doko: link that *refusal* found unusable."""
    return DokoError(
        _("This link cannot be used: {why}.").format(why=told(refusal.detail, refusal.code)),
        _("Copy it again as a whole, or ask for a new one."),
    )


def bad_terms(refusal: Refusal) -> DokoError:
    """What to tell about terms that *refusal* found unusable."""
    why = told(refusal.detail.removeprefix("terms: "), refusal.code)
    return DokoError(_("These terms do not go together: {why}.").format(why=why))
