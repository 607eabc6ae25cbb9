"""The Noise channel: published figures, every fragmentation, and everything a hostile end can send."""

from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.wire import noise
from protocol.wire.errors import LinkError, Reason
from protocol.wire.noise import Channel, Closed, Noise, Opened, Received
from protocol.wire.version import PROLOGUE
from tests.wire.support import pump, seeded

TOKEN = bytes(range(16))

# Figures of the cacophony vectors, file vectors/cacophony.txt of github.com/haskell-cryptography/cacophony (also in
# the tests of github.com/mcginty/snow), for Noise_XX_25519_ChaChaPoly_SHA256 and Noise_XXpsk3_25519_ChaChaPoly_SHA256.
PROLOGUE_FIGURE = "4a6f686e2047616c74"
INIT_STATIC = "e61ef9919cde45dd5f82166404bd08e38bceb5dfdfded0a34c8df7ed542214d1"
INIT_EPHEMERAL = "893e28b9dc6ca8d611ab664754b8ceb7bac5117349a4439a6b0569da977c464a"
RESP_STATIC = "4a3acbfdb163dec651dfa3194dece676d437029c62a408b4c5ea9114246e4893"
RESP_EPHEMERAL = "bbdb4cdbd309f1a1f2e1456967fe288cadd6f712d65dc7b7793d5e63da6b375b"
PSK = "54686973206973206d7920417573747269616e20706572737065637469766521"
PAYLOADS = (
    "4c756477696720766f6e204d69736573",
    "4d757272617920526f746862617264",
    "462e20412e20486179656b",
    "4361726c204d656e676572",
    "4a65616e2d426170746973746520536179",
    "457567656e2042f6686d20766f6e2042617765726b",
)
XX_MESSAGES = (
    "ca35def5ae56cec33dc2036731ab14896bc4c75dbb07a61f879f8e3afa4c79444c756477696720766f6e204d69736573",
    "95ebc60d2b1fa672c1f46a8aa265ef51bfe38e7ccb39ec5be34069f14480884381cbad1f276e038c48378ffce2b65285e08d6b68aaa3629a5a"
    "8639392490e5b9bd5269c2f1e4f488ed8831161f19b7815528f8982ffe09be9b5c412f8a0db50f8814c7194e83f23dbd8d162c9326ad",
    "c7195ffacac1307ff99046f219750fc47693e23c3cb08b89c2af808b444850a80ae475b9df0f169ae80a89be0865b57f58c9fea0d4ec82a286"
    "427402f113e4b6ae769a1d95941d49b25030",
    "96763ed773f8e47bb3712f0e29b3060ffc956ffc146cee53d5e1df",
    "3e40f15f6f3a46ae446b253bf8b1d9ffb6ed9b174d272328ff91a7e2e5c79c07f5",
    "eb3f3515110702e047a6c9da4478b6ead94873c11c0f2d710ddb3f09fce024b3a58502ae3f",
)
XXPSK3_MESSAGES = (
    "ca35def5ae56cec33dc2036731ab14896bc4c75dbb07a61f879f8e3afa4c7944c9f5ff0e8079630cb7e270c20bbf480821b77a384a645c71a2"
    "fd9b3db1c16a5f",
    "95ebc60d2b1fa672c1f46a8aa265ef51bfe38e7ccb39ec5be34069f144808843b123def17f71e6ae8e57e0e1dec5949c5f7415c6f335173987"
    "47d821a06dc23ad430aa1fd7381d46195c378a819fd574425462cbb2d4ca339e738a0b7001dc91423fbf55a99af0c6f1df21012ceb2f",
    "52187316111b118d4c060364f7b975dc0809b2590779aff2d63113c564f11744493384db7bf32d5ae6686df6ab06d508d2e07caaf1d6afc010"
    "b978735fc78900e71ae1d314130d042e729a",
    "eaedc672d4c21e0e2955758756fb98f194c4e90d5deb5b6cf30b27",
    "522d543c5fe799d09a3d9da7ff54d0dc03c8af1dc7751d2ff708339d2290943e98",
    "7d4e2c3873eef6a213b04e72f9df60a91666072d3544c5d96c34a09e2329b5030bee796741",
)
XXPSK3_HASH = "a477edf6a131bbdb54707f6ea30eab6cd935d9b560f0e5fd1f053a95a99669fb"


@pytest.mark.parametrize(
    ("name", "psk", "messages", "handshake_hash"),
    [(noise.XX, None, XX_MESSAGES, None), (noise.XXPSK3, PSK, XXPSK3_MESSAGES, XXPSK3_HASH)],
)
def test_published_vectors(name: str, psk: str | None, messages: tuple[str, ...], handshake_hash: str | None) -> None:
    key = bytes.fromhex(psk) if psk else None
    ends = [
        Noise(
            name,
            initiator=initiator,
            prologue=bytes.fromhex(PROLOGUE_FIGURE),
            static=bytes.fromhex(static),
            psk=key,
            ephemeral=bytes.fromhex(ephemeral),
        )
        for initiator, static, ephemeral in ((True, INIT_STATIC, INIT_EPHEMERAL), (False, RESP_STATIC, RESP_EPHEMERAL))
    ]
    for turn, (payload, message) in enumerate(zip(PAYLOADS, messages, strict=True)):
        writer, reader = ends[turn % 2], ends[1 - turn % 2]
        plain = bytes.fromhex(payload)
        written = writer.encrypt(plain) if writer.done else writer.write(plain)
        assert written.hex() == message
        assert (reader.decrypt(written) if reader.done else reader.read(written)) == plain
    assert ends[0].handshake_hash == ends[1].handshake_hash
    assert handshake_hash is None or ends[0].handshake_hash.hex() == handshake_hash


def private(label: str) -> bytes:
    return seeded(label)(32)


def make_pair(*, invite: bytes | None = None, known: bytes | None = TOKEN, **changed: Any) -> tuple[Channel, Channel]:
    def find(ident: bytes) -> bytes | None:
        return known if known is not None and ident == noise.invite_id(known) else None

    first = Channel(initiator=True, static_private=private("a"), invite=invite, ephemeral=private("ea"))
    second = Channel(
        initiator=False, static_private=private("b"), find_invite=find, ephemeral=private("eb"), **changed
    )
    return first, second


def opened_pair() -> tuple[Channel, Channel]:
    first, second = make_pair()
    pump(first, second)
    assert first.is_open
    assert second.is_open
    return first, second


def reason(events: list[Any]) -> Reason:
    assert isinstance(events[-1], Closed)
    assert events[-1].error.detail
    return events[-1].error.reason


@pytest.mark.parametrize("invite", [None, TOKEN])
@pytest.mark.parametrize("cut", [1, 2, 3, 7, 50, 1 << 20])
def test_a_channel_opens_and_carries_messages_however_bytes_are_cut(invite: bytes | None, cut: int) -> None:
    first, second = make_pair(invite=invite)
    (mine,), (theirs,) = pump(first, second, cut)
    assert isinstance(mine, Opened)
    assert isinstance(theirs, Opened)
    assert mine.handshake_hash == theirs.handshake_hash
    assert mine.invite == theirs.invite == (noise.invite_id(TOKEN) if invite else None)
    messages = [b"x", b"y" * 1000, b"z" * noise.MAX_PLAINTEXT]
    for message in messages:
        first.send(message)
        second.send(message[::-1])
    seen = pump(first, second, cut)
    assert [event.data for event in seen[1]] == messages
    assert [event.data for event in seen[0]] == [message[::-1] for message in messages]


def test_each_end_learns_the_others_static_key() -> None:
    first, second = make_pair()
    (mine,), (theirs,) = pump(first, second)
    public = {
        label: X25519PrivateKey.from_private_bytes(private(label)).public_key().public_bytes_raw() for label in "ab"
    }
    assert (mine.remote_static, theirs.remote_static) == (public["b"], public["a"])


def test_two_channels_never_have_one_handshake_hash() -> None:
    hashes = set()
    for _ in range(2):
        first = Channel(initiator=True, static_private=private("a"))
        second = Channel(initiator=False, static_private=private("b"))
        hashes.add(pump(first, second)[0][0].handshake_hash)
    assert len(hashes) == 2


def test_the_wire_begins_with_name_version_and_pattern() -> None:
    first, _ = make_pair()
    data = first.data_to_send()
    assert data[:8] == b"\x00\x06DOKO\x01\x00"
    assert data[8:10] == b"\x00\x20"
    first, _ = make_pair(invite=TOKEN)
    data = first.data_to_send()
    assert data[:8] == b"\x00\x16DOKO\x01\x01"
    assert data[8:24] == noise.invite_id(TOKEN)
    assert TOKEN not in data


# -- the opening


@pytest.mark.parametrize(
    "data",
    [
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(40),
        b"SSH-2.0-OpenSSH_9.6\r\n",
        bytes(64),
        b"\xff" * 64,
        b"\x00\x05DOKO\x01",
        b"\x00\x41DOKO\x01\x00" + bytes(60),
        b"\x00\x06OKOD\x01\x00" + bytes(40),
    ],
)
def test_something_else_than_this_protocol_is_called_foreign(data: bytes) -> None:
    for initiator in (False, True):
        channel = Channel(initiator=initiator, static_private=private("b"))
        assert reason(channel.receive(data)) is Reason.FOREIGN


@pytest.mark.parametrize("major", [0, 2, 255])
def test_another_major_version_is_named_on_both_sides(major: int) -> None:
    opening = b"DOKO" + bytes([major]) + bytes(20)
    responder = Channel(initiator=False, static_private=private("b"))
    events = responder.receive(len(opening).to_bytes(2, "big") + opening)
    assert reason(events) is Reason.VERSION
    assert "version 1" in events[-1].error.detail
    assert f"version {major}" in events[-1].error.detail
    assert responder.data_to_send() == b"\x00\x06DOKO\x01\xff"  # so the other end can name both versions too
    initiator = Channel(initiator=True, static_private=private("a"))
    assert reason(initiator.receive(len(opening).to_bytes(2, "big") + opening)) is Reason.VERSION


def test_an_invite_that_is_not_known_is_named_on_both_sides() -> None:
    first, second = make_pair(invite=bytes(16))
    mine, theirs = pump(first, second)
    assert reason(theirs) is Reason.INVITE_UNKNOWN
    assert reason(mine) is Reason.INVITE_UNKNOWN


def test_a_node_without_invites_knows_none() -> None:
    first = Channel(initiator=True, static_private=private("a"), invite=TOKEN)
    second = Channel(initiator=False, static_private=private("b"))
    assert reason(pump(first, second)[0]) is Reason.INVITE_UNKNOWN


def test_the_right_id_with_another_token_does_not_open() -> None:
    first = Channel(initiator=True, static_private=private("a"), invite=TOKEN)
    second = Channel(initiator=False, static_private=private("b"), find_invite=lambda ident: bytes(16))
    mine, theirs = pump(first, second)
    assert [type(event) for event in theirs] == [Closed]
    assert reason(theirs) is Reason.HANDSHAKE
    assert [type(event) for event in mine] == [Opened]  # it has sent the last message; nothing will ever answer it


@pytest.mark.parametrize("pattern", [1, 2, 254])
def test_an_unknown_pattern(pattern: int) -> None:
    responder = Channel(initiator=False, static_private=private("b"))
    assert reason(responder.receive(b"\x00\x06DOKO\x01" + bytes([pattern]))) is Reason.PATTERN
    initiator = Channel(initiator=True, static_private=private("a"))
    assert reason(initiator.receive(b"\x00\x06DOKO\x01" + bytes([pattern]))) is Reason.PATTERN


def test_stripping_the_invite_from_the_opening_does_not_open() -> None:
    first, second = make_pair(invite=TOKEN)
    data = first.data_to_send()
    stripped = b"\x00\x06DOKO\x01\x00" + data[24:]
    assert reason(second.receive(stripped)) is Reason.FRAME  # the first message of XXpsk3 is longer
    stripped = b"\x00\x06DOKO\x01\x00\x00\x20" + data[26:58]
    first, second = make_pair(invite=TOKEN)
    assert second.receive(stripped) == []
    assert reason(first.receive(second.data_to_send())) is Reason.PATTERN


# -- the handshake


@pytest.mark.parametrize("invite", [None, TOKEN])
def test_any_changed_bit_of_the_handshake_ends_it(invite: bytes | None) -> None:
    """Every byte of the three handshake messages, one bit at a time (each bit position in turn)."""
    first, second = make_pair(invite=invite)
    flights = [first.data_to_send()]
    second.receive(flights[0])
    flights.append(second.data_to_send())
    first.receive(flights[1])
    flights.append(first.data_to_send())
    for flight, data in enumerate(flights):
        for at in range(len(data)):
            changed = bytearray(data)
            changed[at] ^= 1 << (at % 8)
            first, second = make_pair(invite=invite)
            opened: list[Any] = []
            closed: list[Any] = []
            wire = [bytes(changed) if flight == i else None for i in range(3)]
            sent = first.data_to_send()
            for i, (source, target) in enumerate(((first, second), (second, first), (first, second))):
                data_i = wire[i] if wire[i] is not None else (sent if i == 0 else source.data_to_send())
                events = target.receive(data_i or b"")
                opened += [(target, event) for event in events if isinstance(event, Opened)]
                closed += [event for event in events if isinstance(event, Closed)]
            # the end that reads the changed message never opens, except the top bit of an X25519 key, which is unused
            reader = second if flight in (0, 2) else first
            assert not any(who is second for who, _ in opened), (flight, at)
            assert flight == 2 or not any(who is reader for who, _ in opened), (flight, at)
            assert all(event.error.reason is not Reason.CLOSED for event in closed)


def test_the_prologue_is_part_of_the_handshake() -> None:
    ends = [
        Noise(noise.XX, initiator=initiator, prologue=prologue, static=private("a"))
        for initiator, prologue in ((True, PROLOGUE), (False, b"DOKO/2"))
    ]
    ends[1].read(ends[0].write())
    with pytest.raises(LinkError) as caught:
        ends[0].read(ends[1].write())
    assert caught.value.reason is Reason.HANDSHAKE


# X25519 public keys of small order (RFC 7748 section 6.1 asks to refuse the all-zero result they give).
SMALL_ORDER_X25519 = [
    bytes(32),
    b"\x01" + bytes(31),
    bytes.fromhex("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"),
    bytes.fromhex("5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157"),
    bytes.fromhex("ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
    bytes.fromhex("edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
    bytes.fromhex("eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
]


@pytest.mark.parametrize("key", SMALL_ORDER_X25519)
def test_an_ephemeral_key_of_small_order_is_refused(key: bytes) -> None:
    responder = Channel(initiator=False, static_private=private("b"))
    events = responder.receive(b"\x00\x06DOKO\x01\x00\x00\x20" + key)
    assert reason(events) is Reason.HANDSHAKE


@pytest.mark.parametrize("length", [0, 1, 31, 33, 48, 1000, 65_535])
def test_a_handshake_message_of_another_length_is_refused_at_its_header(length: int) -> None:
    responder = Channel(initiator=False, static_private=private("b"))
    assert responder.receive(b"\x00\x06DOKO\x01\x00") == []
    assert reason(responder.receive(length.to_bytes(2, "big"))) is Reason.FRAME


# -- transport


@pytest.mark.parametrize("length", range(17))
def test_a_frame_too_short_for_a_message_is_refused_at_its_header(length: int) -> None:
    _, second = opened_pair()
    assert reason(second.receive(length.to_bytes(2, "big"))) is Reason.FRAME


def test_changed_repeated_lost_and_exchanged_frames_do_not_decrypt() -> None:
    def frames() -> tuple[Channel, list[bytes]]:
        first, second = opened_pair()
        out = []
        for text in (b"one", b"two"):
            first.send(text)
            out.append(first.data_to_send())
        return second, out

    second, (one, two) = frames()
    assert second.receive(one) == [Received(b"one")]
    assert reason(second.receive(one)) is Reason.DECRYPT
    second, (one, two) = frames()
    assert reason(second.receive(two)) is Reason.DECRYPT
    for at in range(2, len(one)):
        second, _ = frames()
        changed = bytearray(one)
        changed[at] ^= 0x10
        assert reason(second.receive(bytes(changed))) is Reason.DECRYPT
    first, second = opened_pair()
    first.send(b"own")
    assert reason(first.receive(first.data_to_send())) is Reason.DECRYPT  # sent back to its author


def test_good_frames_before_a_bad_one_are_still_given_and_nothing_after_it() -> None:
    first, second = opened_pair()
    first.send(b"good")
    good = first.data_to_send()
    first.send(b"late")
    events = second.receive(good + b"\x00\x14" + bytes(20) + first.data_to_send())
    assert events[0] == Received(b"good")
    assert [type(event) for event in events] == [Received, Closed]
    assert second.receive(good) == []
    assert second.eof() == []


@pytest.mark.parametrize("size", [0, noise.MAX_PLAINTEXT + 1])
def test_what_does_not_fit_into_a_frame_is_not_sent(size: int) -> None:
    first, _ = opened_pair()
    with pytest.raises(LinkError) as caught:
        first.send(bytes(size))
    assert caught.value.reason is Reason.FRAME
    assert first.data_to_send() == b""


def test_nothing_is_sent_before_the_channel_is_open_or_after_it_has_ended() -> None:
    first, second = make_pair()
    with pytest.raises(LinkError):
        first.send(b"x")
    second.receive(b"\xff\xff")
    with pytest.raises(LinkError):
        second.send(b"x")


def test_the_end_of_the_connection() -> None:
    first, second = make_pair()
    assert reason(second.eof()) is Reason.TRUNCATED
    first, second = opened_pair()
    assert reason(first.eof()) is Reason.CLOSED
    assert second.receive(b"\x00") == []
    assert reason(second.eof()) is Reason.TRUNCATED


def test_no_key_in_a_repr() -> None:
    first, second = make_pair(invite=TOKEN)
    pump(first, second)
    for secret in (private("a"), TOKEN, noise.invite_psk(TOKEN)):
        assert secret.hex() not in repr(first)
        assert repr(secret) not in repr(first)
    assert "secret" not in repr(Received(b"secret"))


@given(st.lists(st.binary(max_size=80), max_size=6), st.booleans(), st.booleans())
@settings(max_examples=60)
def test_any_bytes_at_any_time_end_the_channel_with_a_name_and_raise_nothing(
    pieces: list[bytes], initiator: bool, opened: bool
) -> None:
    channel = opened_pair()[0 if initiator else 1] if opened else make_pair()[0 if initiator else 1]
    for piece in pieces:
        for event in channel.receive(piece):
            assert isinstance(event, Closed)
    channel.eof()
    assert channel.receive(b"more") == []


def test_an_invites_key_and_id_differ_and_tell_nothing_of_the_token() -> None:
    assert len(noise.invite_psk(TOKEN)) == 32
    assert len(noise.invite_id(TOKEN)) == 16
    assert noise.invite_id(TOKEN) != noise.invite_psk(TOKEN)[:16]
    assert noise.invite_psk(TOKEN) != noise.invite_psk(bytes(16))
