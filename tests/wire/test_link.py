"""The ``doko:`` link."""

import base64

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.refusal import Code, Refusal
from protocol.wire import link
from protocol.wire.address import Address, check_address, check_host, parse_address
from protocol.wire.link import Invitation, make_link, read_link
from tests.wire.support import make_me

IDENTITY = make_me("anna").identity
TOKEN = bytes(range(16))
V4, V6 = Address("192.0.2.7", 4848), Address("2001:db8::1", 4848)
ONION = Address("expyuzz4wqqyqhjn" * 3 + "expyuzz4.onion", 4848)
USUAL = Invitation(IDENTITY, TOKEN, 1_900_000_000, (V4, V6))

HOSTS = st.one_of(
    st.ip_addresses().filter(lambda ip: "%" not in str(ip)).map(lambda ip: check_host(str(ip))),
    st.from_regex(r"[a-z][a-z0-9]{0,9}(\.[a-z][a-z0-9-]{0,8}[a-z]){0,3}", fullmatch=True).map(check_host),
)
ADDRESSES = st.builds(Address, HOSTS, st.integers(1, 65_535))


def refused(text: str) -> Refusal:
    with pytest.raises(Refusal) as caught:
        read_link(text)
    return caught.value


@given(
    st.binary(min_size=16, max_size=16),
    st.integers(0, 2**32 - 1),
    st.lists(ADDRESSES, max_size=3, unique=True),
)
def test_what_is_made_is_read(token: bytes, expires: int, addresses: list[Address]) -> None:
    invitation = Invitation(IDENTITY, token, expires, tuple(addresses))
    text = make_link(invitation)
    assert text.startswith("doko:")
    assert read_link(text) == invitation


def test_its_usual_length_is_about_115_characters() -> None:
    assert 110 <= len(make_link(USUAL)) <= 120
    longest = make_link(Invitation(IDENTITY, TOKEN, 1, (ONION, V6, Address("x" * 60 + ".net", 1))))
    assert len(longest) < link.MAX_LINK


@pytest.mark.parametrize("change", [str.upper, lambda s: s])
def test_a_pasted_link_may_be_broken_into_lines(change: object) -> None:
    text = make_link(USUAL)
    assert read_link(f"  <{text[:40]}\n {text[40:80]}\r\n{text[80:]}>\n") == USUAL
    assert read_link("DOKO:" + text[5:]) == USUAL


def test_every_changed_character_is_found() -> None:
    text = make_link(USUAL)
    for at in range(5, len(text)):
        for other in "Aa9_":
            if other != text[at]:
                assert "damaged" in refused(text[:at] + other + text[at + 1 :]).detail


def test_every_missing_piece_is_found() -> None:
    text = make_link(USUAL)
    for end in range(5, len(text)):
        assert refused(text[:end]).code is Code.FORMAT
    assert refused(text + "AAAA").code is Code.FORMAT
    assert refused(text[:60] + text[64:]).code is Code.FORMAT


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "begin with"),
        ("https://example.org", "begin with"),
        ("doko:", "damaged"),
        ("doko:ä", "do not belong"),
        ("doko:ab/d", "do not belong"),
        ("doko:" + "A" * 5, "missing"),
        ("doko:" + "A" * 3000, "too long"),
    ],
)
def test_what_is_no_link_is_said_in_words(text: str, words: str) -> None:
    assert words in refused(text).detail


def sealed(body: bytes) -> str:
    return "doko:" + base64.urlsafe_b64encode(body + link._checksum(body)).decode().rstrip("=")


FIXED = bytes([1]) + IDENTITY + TOKEN + bytes(4)


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        (b"\x02" + FIXED[1:], Code.CONTEXT, "version 2, this program reads version 1"),
        (b"", Code.CONTEXT, "version 0"),
        (FIXED[:-1], Code.FORMAT, "too short"),
        (FIXED[:1] + bytes(32) + FIXED[33:], Code.SIG, "small order"),
        (FIXED + b"\x04\xc0\x00\x02\x07\x12", Code.FORMAT, "address"),
        (FIXED + b"\x05\xc0\x00\x02\x07\x12\xf0", Code.FORMAT, "address"),
        (FIXED + b"\x04\xc0\x00\x02\x07\x00\x00", Code.FORMAT, "address"),  # port 0
        (FIXED + b"\x80\x12\xf0", Code.FORMAT, "address"),
        (FIXED + b"\x83A.b\x12\xf0", Code.FORMAT, "address"),  # not in its one form
        (FIXED + b"\x87\xff234567\x12\xf0", Code.FORMAT, "address"),
        (FIXED + b"\x871.2.3.4\x12\xf0", Code.FORMAT, "address"),  # an IP address as a name
        (FIXED + b"\x04\xc0\x00\x02\x07\x12\xf0" * 2, Code.FORMAT, "twice"),
        (FIXED + b"".join(b"\x04\xc0\x00\x02" + bytes([i]) + b"\x12\xf0" for i in range(4)), Code.LIMIT, "more than"),
    ],
)
def test_a_link_with_a_good_checksum_and_bad_contents(body: bytes, code: Code, words: str) -> None:
    caught = refused(sealed(body))
    assert caught.code is code
    assert words in caught.detail


@given(st.binary(max_size=120))
def test_any_contents_are_read_or_refused(body: bytes) -> None:
    for text in (sealed(body), sealed(FIXED + body)):
        try:
            found = read_link(text)
        except Refusal:
            continue
        assert make_link(found) == text  # one link for one invitation


@given(st.text(max_size=80))
@settings(max_examples=50)
def test_any_text_is_refused(text: str) -> None:
    refused("doko:" + text)


@pytest.mark.parametrize(
    "changed",
    [
        Invitation(bytes(32), TOKEN, 1, ()),
        Invitation(IDENTITY, b"short", 1, ()),
        Invitation(IDENTITY, TOKEN, 1 << 32, ()),
        Invitation(IDENTITY, TOKEN, -1, ()),
        Invitation(IDENTITY, TOKEN, 1, tuple(Address("a.example", port) for port in range(1, 5))),
        Invitation(IDENTITY, TOKEN, 1, (V4, V4)),
        Invitation(IDENTITY, TOKEN, 1, (Address("no host", 1),)),
        Invitation(IDENTITY, TOKEN, 1, (Address("a.example", 0),)),
    ],
)
def test_what_cannot_be_a_link_is_not_made(changed: Invitation) -> None:
    with pytest.raises(Refusal):
        make_link(changed)


def test_the_token_is_not_shown() -> None:
    assert repr(TOKEN) not in repr(USUAL)


# -- addresses


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("192.0.2.7", "192.0.2.7", 4848),
        ("192.0.2.7:9", "192.0.2.7", 9),
        ("2001:DB8:0:0::1", "2001:db8::1", 4848),
        ("[2001:db8::1]:65535", "2001:db8::1", 65_535),
        ("[::1]", "::1", 4848),
        ("Anna.Example.:80", "anna.example", 80),
        ("anna", "anna", 4848),
        (str(ONION), ONION.host, 4848),
    ],
)
def test_addresses_that_people_type(text: str, host: str, port: int) -> None:
    address = parse_address(f" {text} ")
    assert address == Address(host, port)
    assert check_address(str(address)) == address


@pytest.mark.parametrize(
    "text",
    [
        *("", ":80", "a:", "a:0", "a:65536", "a:x", "a:-1", "a:١", "[::1", "[::1]x", "[::1]:", "a b", "-a", "a-.b"),
        *("a..b", "1.2.3", "999.1.1.1", "fe80::1%eth0", "http://a", "a/b", "x" * 64, "a." * 40 + "b", "a\n:1"),
        *("[a]:1:2", "[a"),
    ],
)
def test_what_is_no_address_is_said_in_words(text: str) -> None:
    with pytest.raises(ValueError, match=r"address|host|port"):
        parse_address(text)


@pytest.mark.parametrize("text", ["A.example:1", "192.0.2.7", "[2001:DB8::1]:1", "192.0.2.7:01", " a:1", "2001:db8::1"])
def test_in_messages_an_address_has_one_form(text: str) -> None:
    with pytest.raises(ValueError, match=r"usual form|missing|address"):
        check_address(text)
