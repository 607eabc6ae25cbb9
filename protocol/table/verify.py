"""Offline check of settlement and evidence files: everything again, from the keys to the cents.

Needs nothing but the file: no network, no clock, no knowledge of the match.  :func:`verify` never raises; what is wrong
is named in the verdict, the first thing first.
"""

from dataclasses import dataclass

from protocol.deal.shares import DealFault
from protocol.refusal import Code, Refusal
from protocol.table import evidence, settlement
from protocol.table.deal_phase import Later
from protocol.table.end_phase import DOMAIN_SETTLE, ClosedHand
from protocol.table.entries import check_author, read_entry
from protocol.table.equivocation import Equivocation, contradict
from protocol.table.log import ALL
from protocol.table.logfile import Replay, run_work
from protocol.table.match import Match
from protocol.table.roster import Roster, Setup, make_setup, read_roster
from protocol.table.terms import Terms
from protocol.wire.keys import verify as check_signed


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a file shows.

    ``kind``: ``settlement``, ``evidence`` or ``""``; ``problem``: the first thing that is wrong, ``""`` if nothing is.
    Of a settlement: ``hands``, ``points``, ``money``, ``kitty``, ``unsigned`` (seats whose signature is missing).
    Of evidence: ``seat`` is guilty of ``code``, ``detail`` in words.
    """

    kind: str
    problem: str = ""
    match: bytes = b""
    roster: Roster | None = None
    terms: Terms | None = None
    hands: tuple[ClosedHand, ...] = ()
    points: tuple[int, ...] = ()
    money: tuple[int, ...] = ()
    kitty: int = 0
    unsigned: tuple[int, ...] = ()
    seat: int | None = None
    code: str = ""
    detail: str = ""

    @property
    def good(self) -> bool:
        """Nothing is wrong."""
        return not self.problem


def verify(raw: bytes) -> Verdict:
    """Check a file."""
    if raw.startswith(settlement.MAGIC):
        kind, check = "settlement", _settlement
    elif raw.startswith(evidence.MAGIC):
        kind, check = "evidence", _evidence
    else:
        return Verdict("", "this is neither a settlement nor an evidence file of this program's format 1")
    try:
        verdict = check(raw)
    except Refusal as refusal:
        return Verdict(kind, str(refusal))
    except DealFault as fault:
        return Verdict(kind, f"the cards do not come out: {fault}")
    except (ArithmeticError, AssertionError, LookupError, TypeError, ValueError, RecursionError) as error:
        return Verdict(kind, f"the log cannot be replayed ({type(error).__name__}: {error})")
    if verdict.good and not settlement.sealed(raw):
        return Verdict(kind, "the hash at the end is not that of the file's content: the file was changed")
    return verdict


def _settlement(raw: bytes) -> Verdict:
    body = settlement.read_body(raw)
    document = settlement.read_document(body.document)
    setup = make_setup(document.terms, read_roster(document.roster), 0)
    if setup.match_id != document.match:
        raise Refusal(Code.CONTEXT, "document: the match's name is not that of its roster")
    match = Match(setup)
    Replay(match, document.hands[0].forehand if document.hands else 0).run(body.log)
    if match.document is None or match.score is None:
        raise Refusal(Code.CONTEXT, "the log ends before the match does")
    _compare(match, document, body.document)
    for seat, signature in enumerate(body.signatures):
        if signature is not None:
            what = f"the settlement's signature of seat {seat}"
            check_signed(match.identities[seat], signature, DOMAIN_SETTLE + body.document, what)
    signed = match.settlement_signatures
    for seat in ALL:
        if body.signatures[seat] != signed.get(seat):
            raise Refusal(Code.CONTEXT, f"the settlement's signature of seat {seat} is not that of its SETTLE")
    paid = match.score.paid
    return Verdict(
        "settlement",
        match=setup.match_id,
        roster=setup.roster,
        terms=match.terms,
        hands=tuple(match.closed),
        points=match.score.points,
        money=paid.money,
        kitty=paid.kitty,
        unsigned=tuple(seat for seat in ALL if seat not in signed),
    )


def _compare(match: Match, document: settlement.Document, raw: bytes) -> None:
    """The document against the one that the log gives, part by part."""
    if match.document == raw:
        return
    assert match.document is not None
    ours = settlement.read_document(match.document)
    if len(document.hands) != len(ours.hands):
        raise Refusal(Code.CLAIM, f"document: {len(document.hands)} hands, the log has {len(ours.hands)}")
    for index, (theirs, true) in enumerate(zip(document.hands, ours.hands, strict=True)):
        if theirs != true:
            raise Refusal(Code.CLAIM, f"document: hand {index + 1} is not what the log gives")
    for name in ("points", "money", "kitty", "head"):
        if getattr(document, name) != getattr(ours, name):
            raise Refusal(Code.CLAIM, f"document: {name} is not what the log gives")
    raise Refusal(Code.FORMAT, "document: not in the one encoding that it has")


def _evidence(raw: bytes) -> Verdict:
    body = evidence.read_body(raw)
    setup = make_setup(body.terms, read_roster(body.roster), 0)
    identities = [player.identity for player in setup.roster.players]
    entries = [read_entry(item.payload, item.signature) for item in body.entries]
    for entry in entries:
        check_author(entry, identities)
        if entry.says.match != setup.match_id:
            raise Refusal(Code.CONTEXT, f"{entry.words()}: of another match")
        if entry.seat != body.seat:
            raise Refusal(Code.CONTEXT, f"{entry.words()}: not of the seat that is accused")
    if len(entries) == 2:
        first, second = entries
        if not contradict(first, second, setup.terms_hash):
            raise Refusal(Code.CONTEXT, "the two entries are not two for one place, and one seat may sign both")
        refusal: Refusal = Equivocation(first, second)
    else:
        refusal = _refused(setup, body)
    if body.code != refusal.code.value:
        raise Refusal(Code.CONTEXT, f"the file says {body.code}, the log shows {refusal.code.value}")
    return Verdict(
        "evidence",
        match=setup.match_id,
        roster=setup.roster,
        terms=setup.terms,
        seat=body.seat,
        code=refusal.code.value,
        detail=refusal.detail,
    )


def _refused(setup: Setup, body: evidence.Body) -> Refusal:
    """Why the accused entry is refused on the log that comes with it."""
    if body.log is None:
        raise Refusal(Code.FORMAT, "evidence of one entry comes with the log below it")
    match = Match(setup)
    replay = Replay(match, body.forehand)
    accused = read_entry(body.entries[0].payload, body.entries[0].signature)
    try:
        replay.run(body.log)
        for item in body.extra:
            replay.feed(read_entry(item.payload, item.signature))
    except Refusal:
        # an entry that the chain had taken before its proof was judged is part of the log
        fault = next((f for f in match.faults if f.entry.hash == accused.hash), None)
        if fault is None:
            raise
        return fault.refusal
    try:
        match.offer(accused)
        run_work(match)
    except Later:
        raise Refusal(Code.CONTEXT, f"{accused.words()}: does not stand on this log") from None
    except Refusal as refusal:
        return refusal
    fault = next((f for f in match.faults if f.seat == body.seat), None)
    if fault is None:
        raise Refusal(Code.CONTEXT, f"{accused.words()}: nothing is wrong with it; it convicts nobody")
    return fault.refusal
