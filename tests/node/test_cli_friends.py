"""``doko friends`` as people use it."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from node import identity as ids
from node.contacts import words_of
from node.errors import EXIT_NO, EXIT_OK, EXIT_USAGE

Doko = Callable[..., Any]
ANNA, BERT = (ids.from_secrets(bytes([n]) * 32, bytes(32)).key for n in (1, 2))


def test_from_add_to_remove(doko: Doko) -> None:
    assert "doko invite" in doko("friends", "list").out
    added = doko("friends", "add", ANNA.hex(), "Anna", "--address", "Anna.Example", "--note", "from the club")
    assert added.code == EXIT_OK
    assert words_of(ANNA) in added.out
    doko("friends", "add", BERT.hex(), "Bert")
    listed = doko("friends", "list").out
    assert words_of(ANNA) in listed
    assert "anna.example:4848" in listed
    (anna, bert) = json.loads(doko("friends", "list", "--json").out)
    assert anna["key"] == ANNA.hex()
    assert anna["words"] == list(ids.fingerprint(ANNA))
    assert (anna["note"], anna["blocked"], anna["seen"]) == ("from the club", False, None)
    assert anna["addresses"] == ["anna.example:4848"]
    assert bert["nickname"] == "Bert"
    assert json.loads(doko("friends", "show", "anna", "--json").out) == anna
    assert "from the club" in doko("friends", "show", ANNA.hex()[:10]).out
    assert doko("friends", "block", "Anna").code == EXIT_OK
    assert "(blocked)" in doko("friends", "list").out
    assert "(blocked)" in doko("friends", "show", "Anna").out
    assert doko("friends", "unblock", "Anna").code == EXIT_OK
    assert doko("friends", "rename", "Anna", "Annika", "--note", "").code == EXIT_OK
    assert json.loads(doko("friends", "show", "annika", "--json").out)["note"] == ""
    assert doko("friends", "remove", "Annika").code == EXIT_OK
    assert len(json.loads(doko("friends", "list", "--json").out)) == 1


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("add", "1234", "Anna"), EXIT_USAGE),
        (("add", "00" * 32, "Anna"), EXIT_USAGE),
        (("add", ANNA.hex(), " "), EXIT_USAGE),
        (("add", ANNA.hex(), "a\x1b[31m"), EXIT_USAGE),
        (("add", ANNA.hex(), "Anna", "--address", "no address!"), EXIT_USAGE),
        (("add", ANNA.hex(), "Anna", "--note", "x" * 500), EXIT_USAGE),
        (("show", "Nobody"), EXIT_NO),
        (("block", "Nobody"), EXIT_NO),
        (("remove", "Nobody"), EXIT_NO),
        (("rename", "Nobody", "Anna"), EXIT_NO),
    ],
)
def test_bad_input(doko: Doko, args: tuple[str, ...], code: int) -> None:
    done = doko("friends", *args)
    assert done.code == code
    assert done.err.startswith("Error: ")
    assert json.loads(doko("friends", "list", "--json").out) == []


def test_own_key_is_no_friend(doko: Doko) -> None:
    doko("identity", "create")
    own = json.loads(doko("identity", "show", "--json").out)["key"]
    done = doko("friends", "add", own, "Me")
    assert done.code == EXIT_USAGE
    assert "your own key" in done.err
