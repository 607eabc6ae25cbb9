"""The ``doko:`` link: one line of text that brings two nodes together.

``doko:`` and, in base64url without padding::

    u8 version | identity 32 | token 16 | u32 expires | per address: u8 kind, host, u16 port | checksum 4

kind 4: IPv4 (4 bytes), 6: IPv6 (16 bytes), 128 + n: a host name of n ASCII characters.  The
checksum is SHA-256(domain, all before it)[:4]: it finds slips of copying, nothing more.  The token is the key of the
handshake (:func:`protocol.wire.noise.invite_psk`), good once; *expires* (seconds since 1970) is what its issuer will
check, and lets the receiver say that it is too late.
"""

import base64
import hashlib
import ipaddress
import re
from dataclasses import dataclass, field
from typing import Final

from protocol.refusal import Code, Refusal
from protocol.wire.address import Address, check_host
from protocol.wire.keys import check_identity

SCHEME: Final = "doko:"
VERSION: Final = 1
MAX_ADDRESSES: Final = 3
MAX_LINK: Final = 512
DOMAIN_LINK: Final = b"DOKO1-link"

_FIXED: Final = 1 + 32 + 16 + 4
_BASE64URL: Final = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class Invitation:
    """What a link says.  Who has the token can redeem it once: it is not shown in logs."""

    identity: bytes  # Ed25519, 32: the account to make friends with
    token: bytes = field(repr=False)  # 16
    expires: int  # seconds since 1970
    addresses: tuple[Address, ...]


def make_link(invitation: Invitation) -> str:
    """The link for *invitation*.  Raises ``Refusal`` if a field is out of range."""
    check_identity(invitation.identity, "invite")
    if len(invitation.token) != 16:
        raise Refusal(Code.FORMAT, "invite: the token has 16 bytes")
    if not 0 <= invitation.expires < 1 << 32:
        raise Refusal(Code.FORMAT, "invite: the time of expiry is out of range")
    if len(invitation.addresses) > MAX_ADDRESSES:
        raise Refusal(Code.LIMIT, f"invite: at most {MAX_ADDRESSES} addresses")
    if len(set(invitation.addresses)) != len(invitation.addresses):
        raise Refusal(Code.FORMAT, "invite: an address stands twice")
    body = bytes([VERSION]) + invitation.identity + invitation.token + invitation.expires.to_bytes(4, "big")
    body += b"".join(_pack(address) for address in invitation.addresses)
    return SCHEME + base64.urlsafe_b64encode(body + _checksum(body)).decode().rstrip("=")


def read_link(text: str) -> Invitation:
    """The invitation in a link as somebody pasted it (blanks and line breaks do no harm).

    Raises ``Refusal`` that says in words what is wrong with it.
    """
    text = re.sub(r"\s+", "", text[: 4 * MAX_LINK]).strip("<>\"'")
    if text[: len(SCHEME)].lower() != SCHEME:
        raise Refusal(Code.FORMAT, f"not an invite: it has to begin with {SCHEME!r}")
    coded = text[len(SCHEME) :].rstrip("=")
    if len(text) > MAX_LINK:
        raise Refusal(Code.LIMIT, "not an invite: it is far too long")
    if not _BASE64URL.fullmatch(coded):
        raise Refusal(Code.FORMAT, "the invite is damaged: it contains characters that do not belong there")
    if len(coded) % 4 == 1:
        raise Refusal(Code.FORMAT, "the invite is damaged: a part of it is missing")
    raw = base64.urlsafe_b64decode(coded + "=" * (-len(coded) % 4))
    if base64.urlsafe_b64encode(raw).decode().rstrip("=") != coded or _checksum(raw[:-4]) != raw[-4:]:
        raise Refusal(Code.FORMAT, "the invite is damaged: its checksum is wrong, a part is missing or changed")
    return _parse(raw[:-4])


def _parse(body: bytes) -> Invitation:
    if not body or body[0] != VERSION:
        found = body[0] if body else 0
        raise Refusal(Code.CONTEXT, f"the invite is of version {found}, this program reads version {VERSION}")
    if len(body) < _FIXED:
        raise Refusal(Code.FORMAT, "the invite is too short")
    identity, token, expires = body[1:33], body[33:49], int.from_bytes(body[49:53], "big")
    check_identity(identity, "invite")
    addresses = []
    at = _FIXED
    while at < len(body):
        address, at = _unpack(body, at)
        addresses.append(address)
    if len(addresses) > MAX_ADDRESSES:
        raise Refusal(Code.LIMIT, f"the invite has more than {MAX_ADDRESSES} addresses")
    if len(set(addresses)) != len(addresses):
        raise Refusal(Code.FORMAT, "the invite has one address twice")
    return Invitation(identity, token, expires, tuple(addresses))


def _checksum(body: bytes) -> bytes:
    return hashlib.sha256(DOMAIN_LINK + body).digest()[:4]


def _pack(address: Address) -> bytes:
    try:
        host = check_host(address.host)
    except ValueError as error:
        raise Refusal(Code.FORMAT, f"invite: {error}") from None
    if not 1 <= address.port <= 65_535:
        raise Refusal(Code.FORMAT, f"invite: {address.port} is no port")
    port = address.port.to_bytes(2, "big")
    try:
        ip = ipaddress.ip_address(host)
    except ValueError:
        return bytes([0x80 | len(host)]) + host.encode("ascii") + port
    return bytes([ip.version]) + ip.packed + port


def _unpack(body: bytes, at: int) -> tuple[Address, int]:
    kind = body[at]
    length = {4: 4, 6: 16}.get(kind, kind & 0x7F if kind & 0x80 else 0)
    end = at + 1 + length + 2
    if not length or end > len(body):
        raise Refusal(Code.FORMAT, "the invite has an address that cannot be read")
    packed, port = body[at + 1 : at + 1 + length], int.from_bytes(body[end - 2 : end], "big")
    try:
        host = packed.decode("ascii") if kind & 0x80 else str(ipaddress.ip_address(packed))
        if check_host(host) != host or not port or (kind & 0x80 and _is_ip(host)):
            raise ValueError(host)
    except ValueError:
        raise Refusal(Code.FORMAT, "the invite has an address that cannot be read") from None
    return Address(host, port), end


def _is_ip(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
