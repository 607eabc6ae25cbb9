"""Addresses people type, and listening on them."""

import socket

import pytest
import trio

from node.errors import EXIT_ENVIRONMENT, EXIT_USAGE, DokoError
from node.net.address import Listen, parse_dial, parse_listen, reach_of
from node.net.dialer import DialFailed, dial
from node.net.listener import bound_addresses, open_listeners
from protocol.wire.address import Address


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        (":4850", "", 4850),
        (":0", "", 0),
        ("*:0", "", 0),
        ("127.0.0.1", "127.0.0.1", 4848),
        ("127.0.0.1:0", "127.0.0.1", 0),
        ("[::1]:0", "::1", 0),
        ("[::1]", "::1", 4848),
        ("::1", "::1", 4848),
        ("Anna.example:1", "anna.example", 1),
    ],
)
def test_listen_addresses(text: str, host: str, port: int) -> None:
    assert parse_listen(text) == Listen(host, port)


@pytest.mark.parametrize("text", ["a b:1", ":x", ":65536", "[::1", "[zz]:1", "1.2.3.4:-1", "h" * 400, ":٣"])
def test_bad_listen_addresses_are_usage_errors(text: str) -> None:
    with pytest.raises(DokoError) as error:
        parse_listen(text)
    assert error.value.exit_code == EXIT_USAGE
    assert error.value.hint
    assert len(error.value.message) < 160


@pytest.mark.parametrize("text", ["", ":4848", "host:0", "host:", "ho st", "[::1"])
def test_bad_dial_addresses_are_usage_errors(text: str) -> None:
    with pytest.raises(DokoError) as error:
        parse_dial(text)
    assert error.value.exit_code == EXIT_USAGE


def test_dial_address_with_the_default_port() -> None:
    assert parse_dial("Anna.example") == Address("anna.example", 4848)


@pytest.mark.trio
async def test_port_0_gives_one_port_for_both_families() -> None:
    listeners = await open_listeners(Listen("", 0))
    try:
        bound = bound_addresses(listeners)
        assert len({where.port for where in bound}) == 1
        assert bound[0].port != 0
        assert len({where.host for where in bound}) == len(bound)
    finally:
        for listener in listeners:
            await listener.aclose()


@pytest.mark.trio
async def test_port_in_use_is_told_in_words() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(DokoError) as error:
            await open_listeners(Listen("127.0.0.1", port))
    assert error.value.exit_code == EXIT_ENVIRONMENT
    assert str(port) in error.value.message
    assert "--listen" in error.value.hint


@pytest.mark.trio
async def test_an_address_of_another_machine_is_told_in_words() -> None:
    with pytest.raises(DokoError) as error:
        await open_listeners(Listen("192.0.2.1", 0))  # RFC 5737: nobody has it
    assert "192.0.2.1" in error.value.message


@pytest.mark.trio
async def test_dialling_reaches_a_listener_and_says_why_it_does_not() -> None:
    listeners = await open_listeners(Listen("127.0.0.1", 0))
    where = bound_addresses(listeners)[0]
    async with await dial(where, 5):
        pass
    for listener in listeners:
        await listener.aclose()
    with pytest.raises(DialFailed, match="nobody listens there"):
        await dial(where, 5)


@pytest.mark.trio
async def test_dialling_a_name_that_does_not_exist_says_so() -> None:
    async def no_such_host(*_args: object, **_kwargs: object) -> list[object]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    class Nobody(trio.abc.HostnameResolver):
        getaddrinfo = no_such_host
        getnameinfo = no_such_host

    trio.socket.set_custom_hostname_resolver(Nobody())
    with pytest.raises(DialFailed, match="no such host"):
        await dial(Address("nobody.invalid", 1), 5)


@pytest.mark.parametrize(
    ("hosts", "reach"),
    [
        ([], "machine"),
        (["127.0.0.1", "::1", "localhost"], "machine"),
        (["192.168.1.7"], "network"),
        (["127.0.0.1", "10.0.0.3", "fe80::1"], "network"),
        (["100.64.0.9"], "network"),
        (["anna", "anna.local"], "network"),
        (["192.168.1.7", "2a01:4f8::1"], "world"),
        (["8.8.8.8"], "world"),
        (["anna.example"], "world"),
    ],
)
def test_from_where_a_node_can_be_reached(hosts: list[str], reach: str) -> None:
    assert reach_of(hosts) == reach
