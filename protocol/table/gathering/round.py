"""Terms on the table: checked against what was announced, and who has said what to them."""

from collections.abc import Container
from dataclasses import dataclass, field

from protocol.deal.keys import check_noise_key
from protocol.refusal import Code, Refusal
from protocol.table.gathering.limits import CONFIRM_SECONDS
from protocol.table.gathering.signed import members_hash
from protocol.table.roster import Setup, check_seating
from protocol.table.terms import Terms, read_terms, same_but_bots, terms_hash
from protocol.wire.hello import Me
from protocol.wire.keys import check_identity, check_static
from protocol.wire.messages import BotSeat, Member, Ready, Seated


@dataclass(slots=True)
class Round:
    """Terms on the table, and who has said what to them."""

    number: int
    terms_bytes: bytes
    terms: Terms
    terms_hash: bytes
    members: tuple[Member, ...]
    members_hash: bytes
    my_seat: int
    deadline: float
    ready: dict[int, Ready] = field(default_factory=dict)
    seated: dict[int, Seated] = field(default_factory=dict)
    setup: Setup | None = None

    def seat_of(self, identity: bytes) -> int | None:
        return next((seat for seat, member in enumerate(self.members) if member.identity == identity), None)

    @property
    def others(self) -> tuple[Member, ...]:
        return tuple(member for seat, member in enumerate(self.members) if seat != self.my_seat)


def silent(current: Round) -> str:
    names = [member.nickname for seat, member in enumerate(current.members) if seat not in current.seated]
    return f"no answer from {' and '.join(names)}"


def check_round(
    number: int,
    announced: Terms,
    terms_bytes: bytes,
    members: tuple[Member, ...],
    me: Me,
    bot: BotSeat | None,
    my_bots: Container[bytes],
    now: float,
) -> Round:
    """TERMS, checked against what was announced and what we said of ourselves.  Raises ``Refusal``."""
    terms = read_terms(terms_bytes)
    if not same_but_bots(announced, terms):
        raise Refusal(Code.CONTEXT, "the final terms differ from those announced")
    for member in members:
        check_identity(member.identity, f"TERMS: {member.nickname}")
        check_static(member.identity, member.static, member.static_signature, f"TERMS: key of {member.nickname}")
        check_noise_key(member.static)
    for what in ("identity", "static"):
        if len({getattr(member, what) for member in members}) != 4:
            raise Refusal(Code.FORMAT, f"two seats have one {what}")
    my_seat = next((seat for seat, member in enumerate(members) if member.identity == me.identity), None)
    if my_seat is None:
        raise Refusal(Code.CONTEXT, "we are not one of the four")
    mine = members[my_seat]
    if (mine.static, mine.static_signature, mine.nickname) != (me.static, me.static_signature, me.nickname):
        raise Refusal(Code.CONTEXT, "our own keys or name are not as we gave them")
    check_seating(terms, tuple(member.identity for member in members))
    entry = terms.bot_at(my_seat)
    if (entry is None) != (bot is None):
        raise Refusal(Code.CONTEXT, "we are a computer for them and no computer, or the other way round")
    if entry is not None and bot is not None:
        given = (entry.host, entry.policy, entry.version, entry.seeds)
        if given != (bot.host, bot.policy, bot.version, bot.seeds):
            raise Refusal(Code.CONTEXT, "our own policy or seeds are not as we gave them")
    for other in terms.bots:
        if other.host == me.identity and other.identity != me.identity and other.identity not in my_bots:
            raise Refusal(Code.CONTEXT, f"we are named as host of the computer at seat {other.seat + 1}, and are not")
    return Round(
        number,
        terms_bytes,
        terms,
        terms_hash(terms_bytes),
        members,
        members_hash(members),
        my_seat,
        now + CONFIRM_SECONDS,
    )
