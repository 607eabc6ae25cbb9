"""What a node must remember of a match to sit down at it again: the setup, where the others are, who plays for us.

Kept in the store (``matches.setup``) before anything is signed.  The root of a computer's seeds is a secret and stands
among the match's secrets instead.
"""

from dataclasses import dataclass
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from node.errors import EXIT_ENVIRONMENT, DokoError
from node.i18n import _
from protocol.refusal import Refusal
from protocol.table.effects import Stored
from protocol.table.roster import Setup, make_setup, read_roster
from protocol.wire.address import Address, parse_address

VERSION: Final = 1
#: Name of the secret that holds the root of our computer's seeds.
SEED_ROOT: Final = "bot.seeds"


@dataclass(frozen=True, slots=True)
class Plan:
    """``addresses``: of each seat, ours empty; ``listen``: where we listened (``HOST:PORT``, to listen there again);
    ``level``: the policy that plays for us, or ``None`` for a person."""

    setup: Setup
    addresses: tuple[tuple[Address, ...], ...]
    listen: str = ""
    level: str | None = None

    @property
    def match(self) -> bytes:
        """The match's name, 32 bytes."""
        return self.setup.match_id


class _Blob(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    version: int
    terms: bytes
    roster: bytes
    seat: Annotated[int, Meta(ge=0, le=3)]
    addresses: tuple[tuple[str, ...], ...]
    listen: str
    level: str | None


def pack_plan(plan: Plan) -> bytes:
    """The plan as the store keeps it."""
    return msgspec.msgpack.encode(
        _Blob(
            version=VERSION,
            terms=plan.setup.terms_bytes,
            roster=plan.setup.roster.raw,
            seat=plan.setup.my_seat,
            addresses=tuple(tuple(map(str, some)) for some in plan.addresses),
            listen=plan.listen,
            level=plan.level,
        )
    )


def split_seeds(everything: Stored) -> tuple[bytes | None, Stored]:
    """The root of our computer's seeds (``None``: not in the store), and the rest, which is the table's own."""
    root = everything.secrets.get(SEED_ROOT)
    return root, Stored(everything.entries, {n: v for n, v in everything.secrets.items() if n != SEED_ROOT})


def unpack_plan(raw: bytes) -> Plan:
    """The plan that the store kept.  Raises :class:`DokoError` (environment) for one that is damaged or newer."""
    try:
        blob = msgspec.msgpack.decode(raw, type=_Blob)
        if blob.version != VERSION or len(blob.addresses) != 4:
            raise ValueError(f"version {blob.version}")
        return Plan(
            make_setup(blob.terms, read_roster(blob.roster), blob.seat),
            tuple(tuple(map(parse_address, some)) for some in blob.addresses),
            blob.listen,
            blob.level,
        )
    except (msgspec.DecodeError, msgspec.ValidationError, ValueError, Refusal) as error:
        raise DokoError(
            _("An open match in the store cannot be read: {why}.").format(why=error),
            _("Run: doko doctor"),
            EXIT_ENVIRONMENT,
        ) from error
