"""Friends: known by identity key, called by nicknames, found again by addresses.

A nickname is what *this* player calls a friend; the key is who it is.  Two friends may have the same nickname, then
commands ask for the beginning of the key.
"""

from collections.abc import Iterable
from typing import Final

from node.errors import EXIT_NO, DokoError
from node.i18n import _
from node.identity import fingerprint, parse_key
from node.store import ContactRow, Store

NICKNAME_MAX: Final = 32
NOTE_MAX: Final = 400
ADDRESSES_MAX: Final = 8
#: Digits of a key that are enough to name a friend, if nobody else's begins with them.
PREFIX_MIN: Final = 6

Contact = ContactRow


def clean_nickname(text: str) -> str:
    """*text* as a nickname: blanks trimmed and joined, 1 to 32 printable characters.  Raises :class:`DokoError`."""
    name = " ".join(text.split())
    if not name or len(name) > NICKNAME_MAX or not name.isprintable():
        raise DokoError(
            _("{name} is no nickname.").format(name=repr(text[:60])),
            _("A nickname has 1 to {n} printable characters.").format(n=NICKNAME_MAX),
        )
    return name


class Contacts:
    """The friends in a store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def all(self) -> list[Contact]:
        """Every friend, by nickname; blocked ones too."""
        return self._store.contacts()

    def get(self, key: bytes) -> Contact | None:
        """The friend with this identity key."""
        return next((contact for contact in self.all() if contact.key == key), None)

    def find(self, text: str) -> Contact:
        """The one friend *text* names: nickname (upper or lower case), key, or the beginning of a key.

        Raises :class:`DokoError` where nobody or several are meant.
        """
        everyone = self.all()
        wanted = " ".join(text.split()).casefold()
        found = [contact for contact in everyone if contact.nickname.casefold() == wanted]
        if not found and len(wanted) >= PREFIX_MIN:
            found = [contact for contact in everyone if contact.key.hex().startswith(wanted)]
        if len(found) == 1:
            return found[0]
        if found:
            raise DokoError(
                _("{name} can be {who}.").format(
                    name=repr(text), who=", ".join(f"{contact.nickname} {contact.key.hex()[:12]}" for contact in found)
                ),
                _("Give the beginning of the key instead."),
            )
        raise DokoError(
            _("There is no friend {name}.").format(name=repr(text[:80])), _("See: doko friends list"), EXIT_NO
        )

    def add(self, key: bytes, nickname: str, note: str = "", addresses: Iterable[str] = ()) -> Contact:
        """Make *key* a friend, or change what is known of one; *addresses* are added.  Raises :class:`DokoError`."""
        parse_key(key.hex())
        self._store.put_contact(key, clean_nickname(nickname), clean_note(note) if note else None)
        for address in list(addresses)[:ADDRESSES_MAX]:
            self._store.saw_contact(key, address, worked=False)
        contact = self.get(key)
        assert contact is not None
        return contact

    def rename(self, key: bytes, nickname: str) -> None:
        """Call the friend *key* otherwise.  Raises :class:`DokoError`."""
        self._store.put_contact(key, nickname=clean_nickname(nickname))

    def annotate(self, key: bytes, note: str) -> None:
        """Replace the note."""
        self._store.put_contact(key, note=clean_note(note))

    def block(self, key: bytes, blocked: bool = True) -> None:
        """Refuse all links with *key* from now on (or no longer)."""
        self._store.put_contact(key, blocked=blocked)

    def remove(self, key: bytes) -> bool:
        """Forget *key*; whether it was a friend."""
        return self._store.remove_contact(key)

    def is_friend(self, key: bytes) -> bool:
        """Whether *key* is a friend that is not blocked."""
        contact = self.get(key)
        return contact is not None and not contact.blocked

    def is_blocked(self, key: bytes) -> bool:
        """Whether *key* is blocked."""
        contact = self.get(key)
        return contact is not None and contact.blocked

    def seen(self, key: bytes, address: str | None = None) -> None:
        """A link with *key* works now (at *address*, if it was dialled)."""
        self._store.saw_contact(key, address)

    def learn(self, key: bytes, addresses: Iterable[str]) -> None:
        """*key* has told its addresses."""
        for address in list(dict.fromkeys(addresses))[:ADDRESSES_MAX]:
            self._store.saw_contact(key, address, worked=False)


def clean_note(text: str) -> str:
    """*text* as a note.  Raises :class:`DokoError` if it is too long."""
    note = " ".join(text.split())
    if len(note) > NOTE_MAX:
        raise DokoError(_("The note is too long."), _("At most {n} characters.").format(n=NOTE_MAX))
    return note


def words_of(key: bytes) -> str:
    """The fingerprint of *key* in one line, two groups of five words."""
    words = fingerprint(key)
    half = len(words) // 2
    return f"{' '.join(words[:half])} - {' '.join(words[half:])}"
