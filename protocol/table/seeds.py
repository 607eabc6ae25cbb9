"""The seeds of computer players: a hash chain whose head stands in the terms (checking side).

A bot's host draws a secret, hashes it ``LENGTH`` times and puts the last value, the *commitment*, into the table's
terms.  The seed of deal number ``n`` lies ``n + 1`` steps below the commitment, so each revealed seed proves itself and
tells nothing about the later ones; a deal number that never gets a result simply leaves its link unused.

    step(x) = SHA-256("DOKO1-botseed" || x)           step^(n+1)(seed of deal n) = commitment
"""

import hashlib
from typing import Final

from protocol.refusal import Code, Refusal

DOMAIN: Final = b"DOKO1-botseed"
SIZE: Final = 32
#: Deal numbers below this have a seed; a match of four hands with voids and thrown-away deals needs far fewer.
LENGTH: Final = 1024


def step(link: bytes) -> bytes:
    """The next link towards the commitment."""
    return hashlib.sha256(DOMAIN + link).digest()


def climb(link: bytes, steps: int) -> bytes:
    """*link* after that many steps."""
    for _ in range(steps):
        link = step(link)
    return link


def check_seed(commitment: bytes, deal: int, seed: bytes) -> None:
    """Refuse unless *seed* (32 bytes) is the one that *commitment* (32 bytes) fixed for deal number *deal* (from 0).

    Raises :class:`~protocol.refusal.Refusal`: FORMAT for a wrong size, LIMIT for a deal number out of range, CLAIM for
    a seed that is another one.
    """
    if len(commitment) != SIZE or len(seed) != SIZE:
        raise Refusal(Code.FORMAT, f"a bot's seed and its commitment are {SIZE} bytes each")
    if not 0 <= deal < LENGTH:
        raise Refusal(Code.LIMIT, f"deal number {deal} has no bot seed; there are {LENGTH}")
    if climb(seed, deal + 1) != commitment:
        raise Refusal(Code.CLAIM, f"the seed shown for deal {deal} is not the one committed to in the terms")
