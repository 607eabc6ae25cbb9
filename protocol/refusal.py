"""The one error of the protocol: a message, proof or act that is refused, with a code.

Every check in :mod:`protocol.deal`, :mod:`protocol.wire` and :mod:`protocol.table` raises :class:`Refusal`; the code is
part of the protocol (SPEC.md), the text is for people.  A refusal changes no state.
"""

from enum import StrEnum


class Code(StrEnum):
    """Why something was refused."""

    FORMAT = "FORMAT"  # not the bytes, types, keys or counts that the message has
    POINT = "POINT"  # a group element that is the identity or no valid encoding
    SCALAR = "SCALAR"  # a scalar that is not canonical
    SIG = "SIG"  # not signed by the player it names
    CONTEXT = "CONTEXT"  # for another match, deal, chain or sequence number
    EQUIVOCATION = "EQUIVOCATION"  # a second, different payload for one place
    POP = "POP"  # proof of possession of a key
    SHUFFLE = "SHUFFLE"  # proof of a shuffle
    LAZY = "LAZY"  # a ciphertext that was not re-encrypted, or stands twice
    DLEQ = "DLEQ"  # proof of a decryption share
    TEST = "TEST"  # duel: proof of the deal test
    TURN = "TURN"  # not this player's turn, or not this kind of entry now
    SLOT = "SLOT"  # a slot that is not the player's, or is played
    VOID = "VOID"  # proof of holding no card of a class (or type)
    VOID_MISSING = "VOID_MISSING"  # such a proof is needed and absent
    CLAIM = "CLAIM"  # what an announcement claims is not shown
    TIME = "TIME"  # a call after its deadline
    RULE = "RULE"  # the game's rules forbid it
    LIMIT = "LIMIT"  # more or larger than the protocol allows


class Refusal(Exception):
    """Something a peer (or a person) sent is refused.

    ``code`` is protocol; ``detail`` says in words where and what; ``rule`` is the rule of the game (``"R13"``) where
    one decides.
    """

    def __init__(self, code: Code, detail: str, rule: str | None = None) -> None:
        super().__init__(code, detail, rule)
        self.code = code
        self.detail = detail
        self.rule = rule

    def __str__(self) -> str:
        return f"{self.code}: {self.detail}" + (f" ({self.rule})" if self.rule else "")
