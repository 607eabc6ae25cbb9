"""Who a node is: an Ed25519 key that signs, and an X25519 key for the channels, bound to it by a signature.

The identity key *is* the account: friends know it, the settlement names it.  The file is JSON with a checksum over all
it says, so that damage and a wrong passphrase are told apart; secrets in it may be sealed with a passphrase (scrypt,
RFC 7914, and ChaCha20-Poly1305, RFC 8439).  An export is the same file.
"""

import binascii
import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from node.errors import EXIT_USAGE, DokoError
from node.files import read_limited, write_atomic
from node.i18n import _
from node.refusals import told
from node.words import to_words
from protocol.refusal import Refusal
from protocol.wire.keys import check_identity, check_static, sign_static

FORMAT: Final = "doko identity"
VERSION: Final = 1
FINGERPRINT_DOMAIN: Final = b"DOKO1-fingerprint"
#: Words of a fingerprint: 80 bits, out of reach for whoever wants a key with a given one.
FINGERPRINT_WORDS: Final = 10
FILE_LIMIT: Final = 16_384
#: scrypt costs of new files: 32 MiB, about a tenth of a second.
SCRYPT_N: Final = 2**15
SCRYPT_R: Final = 8
SCRYPT_P: Final = 1
#: What a file may ask for at most (128 * n * r bytes of memory: 128 MiB).
SCRYPT_N_MAX: Final = 2**17

#: Asked for a passphrase when one is needed; ``None``: there is none to be had.
AskPassphrase = Callable[[], str | None]


@dataclass(frozen=True, slots=True)
class PublicIdentity:
    """What others may know: Ed25519 ``key`` (32 bytes), X25519 ``static`` (32) and ``binding``, the signature (64) of
    ``key`` over the domain string ``DOKO1-static`` and ``static``."""

    key: bytes
    static: bytes
    binding: bytes

    @property
    def words(self) -> tuple[str, ...]:
        return fingerprint(self.key)

    def check(self) -> bool:
        """Whether the binding holds."""
        try:
            check_static(self.key, self.static, self.binding)
        except Refusal:
            return False
        return True


@dataclass(frozen=True, slots=True)
class Identity:
    """An unlocked identity; both private keys are 32 raw bytes and never shown."""

    public: PublicIdentity
    signing_key: bytes = field(repr=False)
    static_key: bytes = field(repr=False)

    @property
    def key(self) -> bytes:
        """The Ed25519 public key, 32 bytes: the name of this player everywhere."""
        return self.public.key

    @property
    def words(self) -> tuple[str, ...]:
        return self.public.words

    def sign(self, data: bytes) -> bytes:
        """An Ed25519 signature (64 bytes) over *data*, which starts with a domain string."""
        return Ed25519PrivateKey.from_private_bytes(self.signing_key).sign(data)


def fingerprint(key: bytes) -> tuple[str, ...]:
    """The words for the identity key *key* (32 bytes): the first ten bytes of SHA-256 over a domain string and it."""
    return to_words(hashlib.sha256(FINGERPRINT_DOMAIN + key).digest()[:FINGERPRINT_WORDS])


def from_secrets(signing_key: bytes, static_key: bytes) -> Identity:
    """The identity with these two private keys (32 bytes each)."""
    signer = Ed25519PrivateKey.from_private_bytes(signing_key)
    static = X25519PrivateKey.from_private_bytes(static_key).public_key().public_bytes_raw()
    public = PublicIdentity(signer.public_key().public_bytes_raw(), static, sign_static(signer.sign, static))
    return Identity(public, signing_key, static_key)


def create(rand: Callable[[int], bytes] = os.urandom) -> Identity:
    """A new identity from *rand*."""
    return from_secrets(rand(32), rand(32))


# The file


def _derive(passphrase: str, salt: bytes, n: int, r: int, p: int) -> bytes:
    return Scrypt(salt=salt, length=32, n=n, r=r, p=p).derive(passphrase.encode())


def _canonical(document: dict[str, Any]) -> bytes:
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()


def _checksum(document: dict[str, Any]) -> str:
    return hashlib.sha256(_canonical({k: v for k, v in document.items() if k != "checksum"})).hexdigest()


def encode(identity: Identity, passphrase: str | None = None, rand: Callable[[int], bytes] = os.urandom) -> bytes:
    """The file of *identity*, sealed if *passphrase* is given (an empty one counts as none)."""
    document: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "key": identity.key.hex(),
        "static": identity.public.static.hex(),
        "binding": identity.public.binding.hex(),
        "fingerprint": " ".join(identity.words),
    }
    secret = identity.signing_key + identity.static_key
    if passphrase:
        salt, nonce = rand(16), rand(12)
        sealed = {
            "kdf": "scrypt",
            "n": SCRYPT_N,
            "r": SCRYPT_R,
            "p": SCRYPT_P,
            "salt": salt.hex(),
            "nonce": nonce.hex(),
        }
        key = _derive(passphrase, salt, SCRYPT_N, SCRYPT_R, SCRYPT_P)
        box = ChaCha20Poly1305(key).encrypt(nonce, secret, _canonical({**document, "secret": sealed}))
        document["secret"] = {**sealed, "box": box.hex()}
    else:
        document["secret"] = {"kdf": "none", "keys": secret.hex()}
    document["checksum"] = _checksum(document)
    return json.dumps(document, indent=1).encode() + b"\n"


def _damaged(where: str, reason: str) -> DokoError:
    return DokoError(
        _("The identity in {path} is damaged: {reason}.").format(path=where, reason=reason),
        _("Restore it from your export with: doko identity import FILE --replace"),
        EXIT_USAGE,
    )


def _parse(data: bytes, where: str) -> dict[str, Any]:
    """The checked document (types of all fields, checksum, binding)."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        raise _damaged(where, _("it is not JSON")) from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise DokoError(
            _("{path} is not an identity file.").format(path=where), _("Give a file made by: doko identity export")
        )
    version = document.get("version")
    if version != VERSION:
        raise DokoError(
            _("The identity in {path} has version {theirs}; this program knows version {ours}.").format(
                path=where, theirs=version, ours=VERSION
            ),
            _("Use a newer doko."),
        )
    if document.get("checksum") != _checksum(document):
        raise _damaged(where, _("its checksum does not match"))
    secret = document.get("secret")
    if not isinstance(secret, dict):
        raise _damaged(where, _("the keys are missing"))
    public = _public(document, where)
    if not public.check():
        raise _damaged(where, _("its two keys do not belong together"))
    return document


def _hex(document: dict[str, Any], name: str, length: int, where: str) -> bytes:
    try:
        value = bytes.fromhex(document[name])
    except (KeyError, TypeError, ValueError, binascii.Error):
        value = b""
    if len(value) != length:
        raise _damaged(where, _("the field {name} is wrong").format(name=name))
    return value


def _public(document: dict[str, Any], where: str) -> PublicIdentity:
    return PublicIdentity(
        _hex(document, "key", 32, where), _hex(document, "static", 32, where), _hex(document, "binding", 64, where)
    )


def decode_public(data: bytes, where: str) -> tuple[PublicIdentity, bool]:
    """The public part of a file and whether its secrets are sealed.  Raises :class:`DokoError`, naming *where*."""
    document = _parse(data, where)
    return _public(document, where), document["secret"].get("kdf") != "none"


def decode(data: bytes, where: str, ask: AskPassphrase | None = None) -> Identity:
    """The identity in *data*; *ask* is called once if it is sealed.

    Raises :class:`DokoError` in words: not an identity, damaged, passphrase needed, wrong passphrase.
    """
    document = _parse(data, where)
    sealed = document["secret"]
    if sealed.get("kdf") == "none":
        secret = _hex(sealed, "keys", 64, where)
    elif sealed.get("kdf") == "scrypt":
        n, r, p = sealed.get("n"), sealed.get("r"), sealed.get("p")
        if not (type(n) is int and 2 <= n <= SCRYPT_N_MAX and n & (n - 1) == 0 and r == SCRYPT_R and p == SCRYPT_P):
            raise _damaged(where, _("the passphrase parameters are out of range"))
        salt, nonce, box = (
            _hex(sealed, "salt", 16, where),
            _hex(sealed, "nonce", 12, where),
            _hex(sealed, "box", 80, where),
        )
        passphrase = ask() if ask is not None else None
        if not passphrase:
            raise DokoError(
                _("The identity in {path} is protected by a passphrase.").format(path=where),
                _("Type it when asked, or set DOKO_PASSPHRASE_FILE to a file that holds it."),
            )
        header = {k: v for k, v in document.items() if k not in ("checksum", "secret")}
        header["secret"] = {k: v for k, v in sealed.items() if k != "box"}
        try:
            secret = ChaCha20Poly1305(_derive(passphrase, salt, n, r, p)).decrypt(nonce, box, _canonical(header))
        except InvalidTag:
            raise DokoError(
                _("Wrong passphrase for the identity in {path}.").format(path=where),
                _("Try again; the file itself is whole. Nobody can restore a forgotten passphrase."),
            ) from None
    else:
        raise _damaged(where, _("the keys are stored in an unknown way"))
    identity = from_secrets(secret[:32], secret[32:])
    if identity.public.key != _hex(document, "key", 32, where) or identity.public.static != _hex(
        document, "static", 32, where
    ):
        raise _damaged(where, _("the private keys are not those of the public ones"))
    return identity


def save(identity: Identity, path: Path, passphrase: str | None = None, *, replace: bool = False) -> None:
    """Write *identity* to *path* at once and durably, mode 600; without *replace* an existing file is kept.

    Raises :class:`DokoError`.
    """
    write_atomic(path, encode(identity, passphrase), replace=replace)


def load(path: Path, ask: AskPassphrase | None = None) -> Identity:
    """The identity in *path*.  Raises :class:`DokoError` (also where there is none)."""
    return decode(_read(path), str(path), ask)


def load_public(path: Path) -> tuple[PublicIdentity, bool]:
    """As :func:`decode_public`, of a file: no passphrase needed."""
    return decode_public(_read(path), str(path))


def _read(path: Path) -> bytes:
    if not path.exists():
        raise DokoError(
            _("There is no identity in {path} yet.").format(path=path.parent), _("Make one with: doko identity create")
        )
    return read_limited(path, FILE_LIMIT)


def parse_key(text: str) -> bytes:
    """The identity key (32 bytes) written as 64 hexadecimal digits; blanks are ignored.  Raises :class:`DokoError`."""
    compact = "".join(text.split())
    try:
        key = bytes.fromhex(compact)
    except ValueError:
        key = b""
    if len(key) != 32:
        raise DokoError(
            _("{text} is not an identity key.").format(text=repr(text[:80])),
            _("A key has 64 hexadecimal digits, as doko identity show prints it."),
        )
    try:
        check_identity(key)
    except Refusal as refusal:
        raise DokoError(
            _("{text} is no usable identity key ({reason}).").format(
                text=repr(text[:80]), reason=told(refusal.detail, refusal.code)
            ),
            _("Ask for it again."),
        ) from None
    return key
