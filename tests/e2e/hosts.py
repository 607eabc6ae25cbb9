"""Hosts of computers and their friends as real processes."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.e2e.processes import COMMAND, NodeProcess


def doko(*args: str, data: Path) -> str:
    """A command that ends by itself; what it prints."""
    done = subprocess.run([*COMMAND, "--data", str(data), *args], capture_output=True, timeout=90, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def key_of(data: Path) -> str:
    doko("identity", "create", data=data)
    key: str = json.loads(doko("identity", "show", "--json", data=data))["key"]
    return key


@pytest.fixture
def nodes() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def start(nodes: ExitStack, *args: str, data: Path, command: list[str] = COMMAND) -> NodeProcess:
    process = NodeProcess(*args, data=data, command=command)
    nodes.callback(process.close)
    return process


def start_house(
    nodes: ExitStack, data: Path, *limits: str, listen: str = "127.0.0.1:0", command: list[str] = COMMAND
) -> tuple[NodeProcess, str]:
    """A host of computers and where it listens; *limits* are options of ``host-bots``."""
    args = ("host-bots", "--delay", "0", *limits, "--listen", listen, "--nick", data.name, "--json", "--leash")
    house = start(nodes, *args, data=data, command=command)
    return house, house.wait_for(lambda line: "address" in line)["address"]


class Friends:
    """Two hosts of computers and two people who are friends of theirs, each with a data directory."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.names = ("anna", "bert", "house1", "house2")
        for name in self.names:
            (home / name).mkdir(parents=True)
        self.keys = {name: key_of(self.at(name)) for name in self.names}

    def at(self, name: str) -> Path:
        return self.home / name

    def befriend(self, one: str, other: str, address: str) -> None:
        """*one* knows where *other* is; both know each other."""
        doko("friends", "add", self.keys[other], other, "--address", address, data=self.at(one))
        doko("friends", "add", self.keys[one], one, data=self.at(other))
