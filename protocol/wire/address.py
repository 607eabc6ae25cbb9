"""Addresses of nodes in their one text form: ``192.0.2.7:4848``, ``[2001:db8::1]:4848``, ``name.example:4848``."""

import ipaddress
import re
from dataclasses import dataclass
from typing import Final

DEFAULT_PORT: Final = 4848
MAX_HOST: Final = 66  # an onion name has 62; with brackets, colon and port an address has at most 80 characters

_NAME: Final = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*")


@dataclass(frozen=True, slots=True, order=True)
class Address:
    """A host (IP literal in its shortest form, or a name in lower case) and a TCP port 1..65535."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse_address(text: str, default_port: int | None = DEFAULT_PORT) -> Address:
    """The address a person typed; without a port it has *default_port* (``None``: the port is needed).

    Raises ``ValueError`` in words.
    """
    text = text.strip()
    host, port_text = text, ""
    if text.startswith("["):
        host, closed, rest = text[1:].partition("]")
        if not closed or (rest and not rest.startswith(":")):
            raise ValueError(f"{text[:90]!r} is no address: expected [IPv6 address]:port")
        port_text = rest[1:]
        if rest == ":":
            raise ValueError(f"{text[:90]!r} is no address: the port is missing")
    elif text.count(":") == 1:
        host, _, port_text = text.partition(":")
        if not port_text:
            raise ValueError(f"{text[:90]!r} is no address: the port is missing")
    if not host:
        raise ValueError(f"{text[:90]!r} is no address: the host is missing")
    port = default_port
    if port_text:
        if not (port_text.isascii() and port_text.isdigit() and len(port_text) <= 5 and 1 <= int(port_text) <= 65_535):
            raise ValueError(f"{port_text[:20]!r} is no port: expected a number from 1 to 65535")
        port = int(port_text)
    if port is None:
        raise ValueError(f"{text[:90]!r} is no address: the port is missing")
    return Address(check_host(host), port)


def check_host(host: str) -> str:
    """*host* in its one form (shortest IP literal, lower-case name), or ``ValueError``."""
    if len(host) > MAX_HOST:
        raise ValueError(f"the host name is longer than {MAX_HOST} characters")
    try:
        ip = ipaddress.ip_address(host)
    except ValueError:
        pass
    else:
        if "%" in str(ip):
            raise ValueError(f"{host!r}: an address with a zone is good on one machine only")
        return str(ip)
    name = host.lower().removesuffix(".")
    if not _NAME.fullmatch(name) or name.replace(".", "").isdigit():
        raise ValueError(f"{host[:90]!r} is neither an IP address nor a host name")
    return name


def check_address(text: str) -> Address:
    """*text* if it is an address in its one text form (as in messages), else ``ValueError``."""
    address = parse_address(text, None)
    if str(address) != text:
        raise ValueError(f"{text[:90]!r} is not the usual form of {address}")
    return address
