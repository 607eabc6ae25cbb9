"""Friends: by key, found by name."""

import pytest

from node import identity as ids
from node.contacts import ADDRESSES_MAX, Contacts, clean_nickname, words_of
from node.errors import EXIT_NO, DokoError
from node.store import Store

KEYS = [ids.from_secrets(bytes([n]) * 32, bytes(32)).key for n in range(4)]


@pytest.fixture
def contacts(store: Store) -> Contacts:
    return Contacts(store)


def test_friend_is_a_key_with_a_name(contacts: Contacts) -> None:
    anna = contacts.add(KEYS[0], "  Anna   B. ", "from the club", ["anna.example:4848"])
    assert (anna.nickname, anna.note, anna.addresses) == ("Anna B.", "from the club", ("anna.example:4848",))
    assert (anna.added, anna.seen, anna.blocked) == (1000.0, None, False)
    assert contacts.get(KEYS[0]) == anna
    assert contacts.get(KEYS[1]) is None
    again = contacts.add(KEYS[0], "Anna", "", ["[2001:db8::1]:4848"])
    assert (again.nickname, again.note) == ("Anna", "from the club")
    assert set(again.addresses) == {"anna.example:4848", "[2001:db8::1]:4848"}
    assert len(contacts.all()) == 1


def test_found_by_name_key_or_beginning_of_a_key(contacts: Contacts) -> None:
    anna = contacts.add(KEYS[0], "Anna")
    contacts.add(KEYS[1], "Bert")
    for text in ("Anna", " anna ", "ANNA", KEYS[0].hex(), KEYS[0].hex()[:6].upper()):
        assert contacts.find(text) == anna
    for text in ("Ann", KEYS[0].hex()[:5], "", KEYS[2].hex()):
        with pytest.raises(DokoError, match="no friend") as caught:
            contacts.find(text)
        assert caught.value.exit_code == EXIT_NO


def test_two_of_one_name(contacts: Contacts) -> None:
    contacts.add(KEYS[0], "Anna")
    second = contacts.add(KEYS[1], "anna")
    with pytest.raises(DokoError, match="can be") as caught:
        contacts.find("Anna")
    assert KEYS[0].hex()[:12] in caught.value.message
    assert KEYS[1].hex()[:12] in caught.value.message
    assert contacts.find(KEYS[1].hex()[:8]) == second


def test_block_rename_annotate_remove(contacts: Contacts) -> None:
    contacts.add(KEYS[0], "Anna")
    assert contacts.is_friend(KEYS[0])
    contacts.block(KEYS[0])
    assert contacts.is_blocked(KEYS[0])
    assert not contacts.is_friend(KEYS[0])
    contacts.block(KEYS[0], False)
    contacts.rename(KEYS[0], "Änne")
    contacts.annotate(KEYS[0], "new note")
    anna = contacts.find("änne")
    assert (anna.note, anna.blocked) == ("new note", False)
    contacts.annotate(KEYS[0], "")
    assert contacts.find("änne").note == ""
    assert contacts.remove(KEYS[0])
    assert not contacts.remove(KEYS[0])
    assert contacts.all() == []
    assert not contacts.is_friend(KEYS[0])
    assert not contacts.is_blocked(KEYS[0])


def test_addresses_that_worked_come_first(contacts: Contacts, store: Store) -> None:
    contacts.add(KEYS[0], "Anna")
    contacts.learn(KEYS[0], ["told.example:1", "told.example:1"])
    store._clock = lambda: 2000.0
    contacts.seen(KEYS[0], "worked.example:1")
    anna = contacts.find("Anna")
    assert anna.addresses == ("worked.example:1", "told.example:1")
    assert anna.seen == 2000.0
    store.set_addresses(KEYS[0], ["b:1", "a:1", "b:1"])
    assert contacts.find("Anna").addresses == ("b:1", "a:1")
    contacts.seen(KEYS[1], "stranger.example:1")
    assert contacts.get(KEYS[1]) is None
    contacts.learn(KEYS[0], [f"many{n}.example:1" for n in range(100)])
    assert len(contacts.find("Anna").addresses) == 2 + ADDRESSES_MAX


@pytest.mark.parametrize("name", ["", "   ", "x" * 33, "a\x1b[2Jb", "a\u202eb"])
def test_names_that_are_none(contacts: Contacts, name: str) -> None:
    """Control characters would act on the terminal, direction marks would disguise a name."""
    with pytest.raises(DokoError, match="no nickname"):
        clean_nickname(name)
    with pytest.raises(DokoError):
        contacts.add(KEYS[0], name)
    assert contacts.all() == []


def test_note_too_long_and_key_unusable(contacts: Contacts) -> None:
    with pytest.raises(DokoError, match="too long"):
        contacts.add(KEYS[0], "Anna", "x" * 401)
    with pytest.raises(DokoError, match="no usable"):
        contacts.add(bytes(32), "Nobody")
    assert contacts.all() == []


def test_sorted_by_name(contacts: Contacts) -> None:
    for key, name in zip(KEYS, ["bert", "Anna", "Carl", "anna"], strict=True):
        contacts.add(key, name)
    assert [one.nickname.lower() for one in contacts.all()] == ["anna", "anna", "bert", "carl"]


def test_words_of_a_key_are_its_fingerprint() -> None:
    assert words_of(KEYS[0]).replace(" - ", " ").split() == list(ids.fingerprint(KEYS[0]))
