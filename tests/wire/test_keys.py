"""Identity keys and signatures (attack 6 at the level of bytes)."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.deal import group
from protocol.refusal import Code, Refusal
from protocol.wire import keys
from protocol.wire.keys import check_identity, check_static, sign_static, verify
from tests.wire.support import make_me, signing_key

# RFC 8032 section 7.1, tests 1 to 3: public key, message, signature.
RFC_8032 = [
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe246"
        "55141438e7a100b",
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb"
        "00d291612bb0c00",
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc"
        "027beceea1ec40a",
    ),
]

# The points of small order on edwards25519: (0, 1), (0, -1), the two of order 4 and the four of order 8, and their
# encodings that are not canonical (y + p, or the sign bit of x = 0 set); "Taming the many EdDSAs", table 1 and 2.
SMALL_ORDER = [
    "0100000000000000000000000000000000000000000000000000000000000000",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0000000000000000000000000000000000000000000000000000000000000080",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
]
NOT_CANONICAL = [
    "0100000000000000000000000000000000000000000000000000000000000080",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
]


def refusal(key: bytes) -> Refusal:
    with pytest.raises(Refusal) as caught:
        check_identity(key)
    return caught.value


@pytest.mark.parametrize(("key", "message", "signature"), RFC_8032)
def test_published_signatures(key: str, message: str, signature: str) -> None:
    verify(bytes.fromhex(key), bytes.fromhex(signature), bytes.fromhex(message))


@pytest.mark.parametrize("key", SMALL_ORDER)
def test_keys_of_small_order_are_refused(key: str) -> None:
    assert "small order" in refusal(bytes.fromhex(key)).detail


@pytest.mark.parametrize("key", NOT_CANONICAL)
def test_encodings_that_are_not_canonical_are_refused(key: str) -> None:
    assert "not canonical" in refusal(bytes.fromhex(key)).detail


def encode(point: tuple[int, int, int, int]) -> bytes:
    inverse = pow(point[2], -1, keys.P)
    x, y = point[0] * inverse % keys.P, point[1] * inverse % keys.P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def decode(key: bytes) -> tuple[int, int, int, int]:
    y = int.from_bytes(key, "little") & (2**255 - 1)
    square = (y * y - 1) * pow(keys.D * y * y + 1, -1, keys.P) % keys.P
    x = pow(square, (keys.P + 3) // 8, keys.P)
    if x * x % keys.P != square:
        x = x * pow(2, (keys.P - 1) // 4, keys.P) % keys.P
    if x & 1 != key[31] >> 7:
        x = keys.P - x
    return (x, y, 1, x * y % keys.P)


def test_keys_of_mixed_order_are_refused() -> None:
    """An honest key plus a point of order 8: verifiers with and without cofactor disagree about its signatures."""
    honest = decode(make_me("anna").identity)
    assert encode(honest) == make_me("anna").identity
    for torsion in SMALL_ORDER[1:]:
        mixed = encode(keys._add(honest, decode(bytes.fromhex(torsion))))
        assert "prime order" in refusal(mixed).detail


def test_libsodium_and_the_plain_check_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    """What strangers' HELLOs get says what the plain check says: of right, mixed, small and no points.

    Among the mixed ones are those that libsodium's ``is_valid_point`` takes for right (CVE-2025-69277).
    """
    if not isinstance(group.ristretto(), group.Sodium):
        pytest.skip("no libsodium here")
    quick = group.edwards_check()
    assert quick is not None
    right = [make_me(name).identity for name in ("anna", "bert", "cleo", "dora")]
    mixed = [encode(keys._add(decode(key), decode(bytes.fromhex(other)))) for key in right for other in SMALL_ORDER[1:]]
    some = [random.Random(n).randbytes(32) for n in range(32)]
    rest = [bytes.fromhex(key) for key in (*SMALL_ORDER, *NOT_CANONICAL)]
    plain = keys._flaw.__wrapped__
    for key in (*right, *mixed, *some, *rest):
        said = plain(key)
        with monkeypatch.context() as patch:
            patch.setattr(keys, "edwards_check", lambda: None)
            assert plain(key) == said
        assert quick(key) is (not said)
    assert not any(map(plain, right))
    assert all(map(plain, mixed))


def test_half_of_all_numbers_are_no_point() -> None:
    flaws = [keys._flaw((2 + number).to_bytes(32, "little")) for number in range(64)]
    assert 20 < sum("no point" in flaw for flaw in flaws) < 44


@given(st.binary(min_size=32, max_size=32))
@settings(max_examples=40)
def test_any_32_bytes_verify_nothing(key: bytes) -> None:
    with pytest.raises(Refusal) as caught:
        verify(key, bytes(64), b"")
    assert caught.value.code is Code.SIG


@pytest.mark.parametrize("key", [b"", bytes(31), bytes(33), "a" * 32, None, 5])
def test_attack_4_a_key_is_32_bytes(key: object) -> None:
    with pytest.raises(Refusal) as caught:
        check_identity(key)  # type: ignore[arg-type]
    assert caught.value.code is Code.FORMAT


def test_attack_6_wrong_signatures() -> None:
    anna, bert = make_me("anna"), make_me("bert")
    good = anna.sign(b"message")
    verify(anna.identity, good, b"message")
    for key, signature, message in (
        (anna.identity, good, b"massage"),
        (anna.identity, bert.sign(b"message"), b"message"),
        (bert.identity, good, b"message"),
        (anna.identity, good[:32] + bytes(32), b"message"),
        (anna.identity, bytes(64), b"message"),
    ):
        with pytest.raises(Refusal) as caught:
            verify(key, signature, message)
        assert caught.value.code is Code.SIG
    for at in range(64):
        changed = bytearray(good)
        changed[at] ^= 1
        with pytest.raises(Refusal):
            verify(anna.identity, bytes(changed), b"message")


@pytest.mark.parametrize("signature", [b"", bytes(63), bytes(65), "a" * 64, None])
def test_attack_4_a_signature_is_64_bytes(signature: object) -> None:
    with pytest.raises(Refusal) as caught:
        verify(make_me("anna").identity, signature, b"")  # type: ignore[arg-type]
    assert caught.value.code is Code.FORMAT


def test_a_signature_has_one_form_of_its_scalar() -> None:
    """S + L is the same number for the equation and has to be refused (RFC 8032 5.1.7)."""
    anna = make_me("anna")
    good = anna.sign(b"message")
    scalar = int.from_bytes(good[32:], "little") + keys.L
    assert scalar < 1 << 256
    with pytest.raises(Refusal):
        verify(anna.identity, good[:32] + scalar.to_bytes(32, "little"), b"message")


def test_a_static_key_is_signed_by_its_identity() -> None:
    anna = make_me("anna")
    check_static(anna.identity, anna.static, anna.static_signature)
    for static, signature in (
        (make_me("bert").static, anna.static_signature),
        (anna.static, sign_static(signing_key("bert").sign, anna.static)),
        (anna.static, anna.sign(anna.static)),  # without the domain
    ):
        with pytest.raises(Refusal) as caught:
            check_static(anna.identity, static, signature)
        assert caught.value.code is Code.SIG
    with pytest.raises(Refusal):
        check_static(anna.identity, anna.static[:31], anna.static_signature)
