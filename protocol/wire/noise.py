"""The encrypted channel: Noise XX (XXpsk3 while an invite is redeemed) in 2-byte length frames, without sockets.

::

    initiator                                   responder
        opening, e                ---->                            OPENING -> SHAKING
                                  <----            opening, e, ee, s, es
        s, se [, psk]             ---->                            OPEN
        any number of transport messages both ways

The opening is the first frame of both sides, in the clear: protocol name, major version and pattern.  It lets a
version or an invite that does not fit be named in words; nothing in it is believed beyond that (name and major version
are the prologue, the pattern is part of Noise's protocol name, the invite's token is a key, so changing it ends the
handshake).  Handshake payloads are empty; HELLO comes after it, encrypted.

Noise specification, revision 34: noiseprotocol.org.
"""

import hashlib
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final

from noise.connection import Keypair, NoiseConnection

from protocol.wire.errors import LinkError, Reason
from protocol.wire.version import MAJOR, PROLOGUE, PROTOCOL_NAME, version_error

XX: Final = "Noise_XX_25519_ChaChaPoly_SHA256"
XXPSK3: Final = "Noise_XXpsk3_25519_ChaChaPoly_SHA256"

PATTERN_XX: Final = 0
PATTERN_XXPSK3: Final = 1
PATTERN_REFUSED: Final = 255  # the responder does not know the invite

MAX_FRAME: Final = 65_535
MAX_OPENING: Final = 64  # room for later versions to say more in it
TAG: Final = 16
MAX_PLAINTEXT: Final = MAX_FRAME - TAG

DOMAIN_PSK: Final = b"DOKO1-invite-psk"
DOMAIN_INVITE_ID: Final = b"DOKO1-invite-id"


def invite_psk(token: bytes) -> bytes:
    """The 32-byte pre-shared key of an invite's 16-byte token."""
    return hashlib.sha256(DOMAIN_PSK + token).digest()


def invite_id(token: bytes) -> bytes:
    """16 bytes that tell the issuer which invite is being redeemed, and others nothing."""
    return hashlib.sha256(DOMAIN_INVITE_ID + token).digest()[:16]


@dataclass(frozen=True, slots=True)
class Opened:
    """The handshake is done: from now both ends can send.  The other end is still unknown (HELLO follows)."""

    handshake_hash: bytes  # 32, equal at both ends and of this channel alone
    remote_static: bytes  # X25519, 32
    invite: bytes | None  # the id of the invite that was redeemed


@dataclass(frozen=True, slots=True)
class Received:
    """One transport message, decrypted: 1 to 65,519 bytes."""

    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Closed:
    """The channel has ended; always the last event."""

    error: LinkError


Event = Opened | Received | Closed


class _State(Enum):
    OPENING = "opening"
    SHAKING = "shaking"
    OPEN = "open"
    CLOSED = "closed"


class Channel:
    """One end of a channel: bytes in, events and bytes out, nothing else.

    ``receive`` and ``eof`` never raise; a failure is the event :class:`Closed`, after which they return nothing.  The
    events do not depend on how the bytes were cut.  After every call send what :meth:`data_to_send` returns (after
    ``Closed`` too: it may hold the answer that tells the other end why), in that order.

    :param initiator: this end opened the connection.
    :param static_private: the node's X25519 private key, 32 bytes.
    :param invite: initiator only: the 16-byte token of the invite to redeem.
    :param find_invite: responder only: the token for an invite's id, or ``None`` if there is none (any more).
    """

    def __init__(
        self,
        *,
        initiator: bool,
        static_private: bytes,
        invite: bytes | None = None,
        find_invite: Callable[[bytes], bytes | None] | None = None,
        ephemeral: bytes | None = None,
    ) -> None:
        self._initiator = initiator
        self._static = static_private
        self._ephemeral = ephemeral  # tests only
        self._find_invite = find_invite
        self._invite_id: bytes | None = None
        self._noise: Noise | None = None
        self._state = _State.OPENING
        self._in = bytearray()
        self._out = bytearray()
        if initiator:
            self._begin(invite)
            self._frame(_opening(PATTERN_XX) if invite is None else _opening(PATTERN_XXPSK3) + invite_id(invite))
            self._frame(self._shake().write())

    def __repr__(self) -> str:
        return f"<Channel {'initiator' if self._initiator else 'responder'} {self._state.value}>"

    @property
    def is_open(self) -> bool:
        """The handshake is done and nothing has gone wrong."""
        return self._state is _State.OPEN

    def data_to_send(self) -> bytes:
        """The bytes to write to the connection now; they are given once."""
        data = bytes(self._out)
        self._out.clear()
        return data

    def send(self, data: bytes) -> None:
        """Queue one message of 1 to 65,519 bytes.  Raises ``LinkError`` if that cannot be."""
        if self._state is not _State.OPEN:
            raise LinkError(Reason.CLOSED, f"the channel is {self._state.value}")
        if not 1 <= len(data) <= MAX_PLAINTEXT:
            raise LinkError(Reason.FRAME, f"a message of {len(data)} bytes does not fit into a frame")
        self._frame(self._shake().encrypt(bytes(data)))

    def receive(self, data: bytes) -> list[Event]:
        """Feed bytes as they came from the connection (any number of them)."""
        events: list[Event] = []
        if self._state is _State.CLOSED:
            return events
        self._in += data
        at = 0
        try:
            while len(self._in) - at >= 2:
                length = int.from_bytes(self._in[at : at + 2], "big")
                self._check_length(length)
                if len(self._in) - at - 2 < length:
                    break
                frame = bytes(self._in[at + 2 : at + 2 + length])
                at += 2 + length
                event = self._handle(frame)
                if event is not None:
                    events.append(event)
        except LinkError as error:
            events.append(self._close(error))
        else:
            del self._in[:at]
        return events

    def eof(self) -> list[Event]:
        """The other end closed the connection."""
        if self._state is _State.CLOSED:
            return []
        if self._in:
            error = LinkError(Reason.TRUNCATED, "the connection ended inside a message")
        elif self._state is not _State.OPEN:
            error = LinkError(Reason.TRUNCATED, "the connection ended during the handshake")
        else:
            error = LinkError(Reason.CLOSED, "the other end closed the connection")
        return [self._close(error)]

    # -- frames

    def _frame(self, payload: bytes) -> None:
        self._out += len(payload).to_bytes(2, "big") + payload

    def _check_length(self, length: int) -> None:
        """Refuse a length before its bytes are waited for: a stranger fills no buffer."""
        match self._state:
            case _State.OPENING:
                if not _OPENING_LENGTH <= length <= MAX_OPENING:
                    raise LinkError(Reason.FOREIGN, "the other end does not speak this protocol (no opening)")
            case _State.SHAKING:
                if length != self._shake().expected:
                    raise LinkError(Reason.FRAME, f"a handshake message of {length} bytes")
            case _:
                if length <= TAG:
                    raise LinkError(Reason.FRAME, f"a frame of {length} bytes cannot hold a message")

    def _handle(self, frame: bytes) -> Event | None:
        match self._state:
            case _State.OPENING:
                self._read_opening(frame)
                return None
            case _State.SHAKING:
                return self._read_handshake(frame)
            case _:
                return Received(self._shake().decrypt(frame))

    # -- opening and handshake

    def _begin(self, token: bytes | None) -> None:
        if token is not None:
            self._invite_id = invite_id(token)
        self._noise = Noise(
            XX if token is None else XXPSK3,
            initiator=self._initiator,
            prologue=PROLOGUE,
            static=self._static,
            psk=None if token is None else invite_psk(token),
            ephemeral=self._ephemeral,
        )

    def _shake(self) -> "Noise":
        assert self._noise is not None
        return self._noise

    def _read_opening(self, frame: bytes) -> None:
        name, major, pattern, ident = frame[:4], frame[4], frame[5], frame[6:]
        if name != PROTOCOL_NAME:
            raise LinkError(Reason.FOREIGN, "the other end does not speak this protocol (other name)")
        if major != MAJOR:
            if not self._initiator:
                self._frame(_opening(PATTERN_REFUSED))  # so that the other end can name both versions too
            raise version_error([MAJOR], [major])
        if self._initiator and not ident:
            if pattern == PATTERN_REFUSED:
                raise LinkError(
                    Reason.INVITE_UNKNOWN, "the other end does not know this invite: it was used or has expired"
                )
            if pattern != (PATTERN_XX if self._invite_id is None else PATTERN_XXPSK3):
                raise LinkError(Reason.PATTERN, "the other end answered with another handshake")
        elif not self._initiator and pattern == PATTERN_XX and not ident:
            self._begin(None)
        elif not self._initiator and pattern == PATTERN_XXPSK3 and len(ident) == 16:
            self._invite_id = ident
            token = self._find_invite(ident) if self._find_invite else None
            if token is None:
                self._frame(_opening(PATTERN_REFUSED))
                raise LinkError(Reason.INVITE_UNKNOWN, "an invite that is not known here: it was used or has expired")
            self._begin(token)
        else:
            raise LinkError(Reason.PATTERN, f"a handshake of an unknown kind ({pattern})")
        self._state = _State.SHAKING

    def _read_handshake(self, frame: bytes) -> Opened | None:
        noise = self._shake()
        if noise.read(frame):
            raise LinkError(Reason.HANDSHAKE, "a handshake message with a payload")
        if not noise.done:
            if not self._initiator:
                self._frame(_opening(PATTERN_XX if self._invite_id is None else PATTERN_XXPSK3))
            self._frame(noise.write())
        if not noise.done:
            return None
        self._state = _State.OPEN
        return Opened(noise.handshake_hash, noise.remote_static, self._invite_id)

    def _close(self, error: LinkError) -> Closed:
        self._state = _State.CLOSED
        self._in.clear()
        self._noise = None
        return Closed(error)


_OPENING_LENGTH: Final = len(PROTOCOL_NAME) + 2


def _opening(pattern: int) -> bytes:
    return PROTOCOL_NAME + bytes([MAJOR, pattern])


class Noise:
    """The package ``noiseprotocol`` as this module needs it: one handshake, then two ciphers, only ``LinkError`` out.

    Public so that it can be checked against published vectors (which use payloads and fixed ephemeral keys).
    """

    def __init__(
        self,
        name: str,
        *,
        initiator: bool,
        prologue: bytes,
        static: bytes,
        psk: bytes | None = None,
        ephemeral: bytes | None = None,
    ) -> None:
        noise = NoiseConnection.from_name(name.encode())
        if psk is not None:
            noise.set_psks(psk)
        noise.set_prologue(prologue)
        noise.set_keypair_from_private_bytes(Keypair.STATIC, static)
        if initiator:
            noise.set_as_initiator()
        else:
            noise.set_as_responder()
        with warnings.catch_warnings():
            if ephemeral is not None:  # the package warns, rightly: only vectors fix it
                warnings.simplefilter("ignore")
                noise.set_keypair_from_private_bytes(Keypair.EPHEMERAL, ephemeral)
            noise.start_handshake()
        self._noise: Any = noise
        self._handshake: Any = noise.noise_protocol.handshake_state
        self._lengths = [32 + (TAG if psk else 0), 32 + 32 + TAG + TAG, 32 + TAG + TAG]
        self.remote_static = b""

    @property
    def done(self) -> bool:
        """The handshake is complete."""
        return bool(self._noise.handshake_finished)

    @property
    def expected(self) -> int:
        """The length of the next handshake message, its payload being empty."""
        return self._lengths[0]

    @property
    def handshake_hash(self) -> bytes:
        """32 bytes, when done."""
        return bytes(self._noise.get_handshake_hash())

    def write(self, payload: bytes = b"") -> bytes:
        """The next handshake message."""
        message = bytes(self._guard(self._noise.write_message, payload))
        self._next()
        return message

    def read(self, message: bytes) -> bytes:
        """The payload of the other end's handshake message."""
        payload = bytes(self._guard(self._noise.read_message, message))
        self._next()
        return payload

    def encrypt(self, data: bytes) -> bytes:
        """The transport message for *data*."""
        return bytes(self._noise.encrypt(data))

    def decrypt(self, message: bytes) -> bytes:
        """The data of the other end's transport message."""
        try:
            return bytes(self._noise.decrypt(message))
        except Exception:
            raise LinkError(Reason.DECRYPT, "a message does not decrypt: changed, lost or repeated bytes") from None

    def _next(self) -> None:
        self._lengths.pop(0)
        if self.done:
            self.remote_static = bytes(self._handshake.rs.public_bytes)
            self._handshake = None

    def _guard(self, step: Any, data: bytes) -> Any:
        try:
            return step(data)
        except Exception:  # the package and the library below it raise half a dozen unrelated types
            raise LinkError(Reason.HANDSHAKE, "the handshake failed: other keys, another invite, or no peer") from None
