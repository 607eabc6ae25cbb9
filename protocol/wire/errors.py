"""What ends a link, by name: every failure of the wire is a :class:`LinkError` (a :class:`Refusal` with a reason)."""

from enum import StrEnum
from typing import Final

from protocol.refusal import Code, Refusal


class Reason(StrEnum):
    """Why a link ended; the value is what a log shows."""

    FOREIGN = "foreign"  # the other end does not speak this protocol at all
    VERSION = "version"  # no protocol version in common
    INVITE_UNKNOWN = "invite-unknown"  # the invite was used, has expired, or is somebody else's
    PATTERN = "pattern"  # the two sides do not agree whether an invite is being redeemed
    FRAME = "frame"  # a frame of a length that cannot occur
    TRUNCATED = "truncated"  # the connection ended inside a frame or inside the handshake
    HANDSHAKE = "handshake"  # a Noise handshake message that does not decrypt, or a bad X25519 key
    DECRYPT = "decrypt"  # a transport frame that does not decrypt: changed, lost or repeated bytes
    MESSAGE = "message"  # a frame that is no valid message
    HELLO = "hello"  # no HELLO where one has to be, or a second one
    IDENTITY = "identity"  # an identity key or a signature in HELLO that is not valid
    SELF = "self"  # the other end has our own identity
    BYE = "bye"  # the other end said BYE
    CLOSED = "closed"  # the other end closed the connection between two frames


_CODES: Final[dict[Reason, Code]] = {
    Reason.FRAME: Code.LIMIT,
    Reason.VERSION: Code.CONTEXT,
    Reason.INVITE_UNKNOWN: Code.CONTEXT,
    Reason.PATTERN: Code.CONTEXT,
    Reason.HANDSHAKE: Code.SIG,
    Reason.DECRYPT: Code.SIG,
    Reason.IDENTITY: Code.SIG,
    Reason.SELF: Code.SIG,
}


class LinkError(Refusal):
    """A link that cannot go on.  ``reason`` names why, ``detail`` says it in words."""

    def __init__(self, reason: Reason, detail: str, code: Code | None = None) -> None:
        super().__init__(code or _CODES.get(reason, Code.FORMAT), detail)
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.reason}: {self.detail}"
