"""Identity: keys, file, passphrase, damage in words."""

import contextlib
import json
import os
import stat
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from node import identity as ids
from node.errors import EXIT_ENVIRONMENT, DokoError
from node.words import WORDS

SEED = bytes(range(32)), bytes(range(32, 64))


def test_keys_belong_together() -> None:
    own = ids.create()
    assert own.public.check()
    static = X25519PrivateKey.from_private_bytes(own.static_key).public_key().public_bytes_raw()
    assert own.public.static == static
    Ed25519PublicKey.from_public_bytes(own.key).verify(own.sign(b"domain, data"), b"domain, data")
    other = ids.create()
    assert not ids.PublicIdentity(own.key, other.public.static, own.public.binding).check()


def test_same_randomness_same_identity() -> None:
    parts = [*SEED]
    assert ids.create(lambda n: parts.pop(0)[:n]) == ids.from_secrets(*SEED)


def test_secrets_are_not_in_the_repr() -> None:
    own = ids.from_secrets(*SEED)
    shown = repr(own)
    for secret in SEED:
        assert secret.hex() not in shown
        assert repr(secret)[2:-1] not in shown


def test_word_list_is_fit_for_the_telephone() -> None:
    assert len(WORDS) == 256
    assert len({word[:4] for word in WORDS}) == 256
    assert all(word.isascii() and word.islower() and 3 <= len(word) <= 8 for word in WORDS)


def test_fingerprint_is_fixed() -> None:
    """The order of the words is part of what friends have compared: it never changes."""
    assert " ".join(ids.fingerprint(bytes(32))) == "nickel arena puzzle snow granite onion inkwell cherry mint cradle"
    assert len(ids.fingerprint(bytes(32))) == ids.FINGERPRINT_WORDS >= 8
    assert ids.fingerprint(bytes(32)) != ids.fingerprint(bytes(31) + b"\1")


@pytest.mark.parametrize("passphrase", [None, "correct horse", "Käse 🐎"])
def test_file_round_trip(tmp_path: Path, passphrase: str | None) -> None:
    own = ids.create()
    path = tmp_path / "identity.json"
    ids.save(own, path, passphrase)
    assert ids.load(path, lambda: passphrase) == own
    assert ids.load_public(path) == (own.public, passphrase is not None)
    if os.name == "posix":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_existing_identity_is_never_overwritten_by_accident(tmp_path: Path) -> None:
    path = tmp_path / "identity.json"
    ids.save(ids.from_secrets(*SEED), path)
    with pytest.raises(DokoError) as caught:
        ids.save(ids.create(), path)
    assert caught.value.exit_code == EXIT_ENVIRONMENT
    assert ids.load(path) == ids.from_secrets(*SEED)


def test_sealed_file_holds_no_secret() -> None:
    data = ids.encode(ids.from_secrets(*SEED), "passphrase")
    for secret in SEED:
        assert secret not in data
        assert secret.hex().encode() not in data


def test_wrong_passphrase_and_damage_are_told_apart() -> None:
    data = ids.encode(ids.from_secrets(*SEED), "right")
    with pytest.raises(DokoError, match="Wrong passphrase"):
        ids.decode(data, "here", lambda: "wrong")
    for ask in (None, lambda: None, lambda: ""):
        with pytest.raises(DokoError, match="protected by a passphrase"):
            ids.decode(data, "here", ask)
    box = json.loads(data)["secret"]["box"]
    flipped = ("0" if box[0] != "0" else "1") + box[1:]
    with pytest.raises(DokoError, match="damaged"):
        ids.decode(data.replace(box.encode(), flipped.encode()), "here", lambda: "right")


def _with(data: bytes, **changes: object) -> bytes:
    """The file with changed fields and a right checksum: what a forger writes, not what a disk does."""
    document = json.loads(data)
    for name, value in changes.items():
        if isinstance(value, dict):
            document[name].update(value)
        else:
            document[name] = value
    document["checksum"] = ids._checksum(document)
    return json.dumps(document).encode()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"format": "other"}, "not an identity file"),
        ({"version": 2}, "version 2"),
        ({"key": "00"}, "field key"),
        ({"key": 5}, "field key"),
        ({"static": "00" * 32}, "do not belong together"),
        ({"binding": "00" * 64}, "do not belong together"),
        ({"secret": None}, "keys are missing"),
        ({"secret": {"kdf": "md5"}}, "unknown way"),
        ({"secret": {"kdf": "none", "keys": "00" * 64}}, "not those of the public ones"),
        ({"secret": {"n": 2**30}}, "out of range"),
        ({"secret": {"n": 3}}, "out of range"),
        ({"secret": {"n": True}}, "out of range"),
        ({"secret": {"r": 10**6}}, "out of range"),
        ({"secret": {"salt": "zz"}}, "field salt"),
        ({"secret": {"box": ""}}, "field box"),
    ],
)
def test_forged_files_are_refused_in_words(changes: dict[str, object], words: str) -> None:
    data = ids.encode(ids.from_secrets(*SEED), "right")
    with pytest.raises(DokoError, match=words):
        ids.decode(_with(data, **changes), "here", lambda: "right")


def test_header_is_sealed_with_the_secrets() -> None:
    """Changing what stands beside the box breaks it, even with a right checksum."""
    data = ids.encode(ids.from_secrets(*SEED), "right")
    with pytest.raises(DokoError, match="Wrong passphrase"):
        ids.decode(_with(data, fingerprint="other words"), "here", lambda: "right")


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 100_000, b'{"format": "doko identity"}']
)
def test_what_is_no_identity(data: bytes) -> None:
    with pytest.raises(DokoError):
        ids.decode(data, "here")


@pytest.mark.parametrize("passphrase", [None, "right"])
def test_every_damaged_byte_is_found_in_words(passphrase: str | None) -> None:
    own = ids.from_secrets(*SEED)
    data = ids.encode(own, passphrase)
    for at in range(len(data)):
        for bit in (1, 0x20, 0x80):
            broken = data[:at] + bytes([data[at] ^ bit]) + data[at + 1 :]
            found: ids.Identity | None = None
            with contextlib.suppress(DokoError):
                found = ids.decode(broken, "here", lambda: passphrase)
            assert found in (None, own)  # own: upper-case hexadecimal or another blank


def test_no_identity_yet(tmp_path: Path) -> None:
    with pytest.raises(DokoError, match="no identity") as caught:
        ids.load(tmp_path / "identity.json")
    assert "doko identity create" in caught.value.hint


def test_too_large_a_file(tmp_path: Path) -> None:
    (tmp_path / "identity.json").write_bytes(bytes(ids.FILE_LIMIT + 1))
    with pytest.raises(DokoError, match="too large"):
        ids.load(tmp_path / "identity.json")


def test_keys_people_type() -> None:
    key = ids.from_secrets(*SEED).key
    text = key.hex()
    assert ids.parse_key(text) == key
    assert ids.parse_key(f"  {text[:32].upper()} {text[32:]}\n") == key
    for bad in ("", "12", text[:-1], text + "00", "zz" * 32, "é" * 64):
        with pytest.raises(DokoError, match="not an identity key"):
            ids.parse_key(bad)
    for small in (bytes(32), b"\1" + bytes(31), b"\xec" + b"\xff" * 30 + b"\x7f"):
        with pytest.raises(DokoError, match="no usable identity key"):
            ids.parse_key(small.hex())
