"""Friends over the network: who may do what, invitations that are redeemed, addresses that friends pass on.

Theory of operation::

    A makes a link (token stored) --any way A trusts--> B dials A with the token as a key (XXpsk3)
    A: the token is used up, B is a contact, CONTACT -> B          B: A is a contact, CONTACT -> A
    both: ADDRESSES (signed, own) whenever a link comes up; a later record replaces an earlier one,
          and those of others who sat at a table with both (:mod:`node.whereabouts`)

From then on the identity key is the account.  A link without an invitation never makes a contact.

What other commands change in the store beside the running node (``doko friends add``, ``doko invite``) is noticed
within :data:`WATCH_S`, an invitation before the next handshake.  The event loop never waits for the store: it works
with what was last read, and reads and writes in threads.
"""

import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_bytes
from typing import Final

import trio

from node import logs
from node.contacts import Contact as Friend
from node.contacts import Contacts
from node.errors import EXIT_NO, EXIT_PEER, DokoError
from node.i18n import _
from node.identity import Identity
from node.net.dialer import DialFailed
from node.net.hub import Hub, Standing
from node.net.limits import Bucket
from node.net.link import Link, LinkLost
from node.plan import unpack_plan
from node.refusals import bad_link
from node.store import Store
from node.whereabouts import COMPANIES, Whereabouts
from protocol.refusal import Refusal
from protocol.wire import messages
from protocol.wire.address import Address, parse_address
from protocol.wire.connection import Incoming
from protocol.wire.errors import Reason
from protocol.wire.link import Invitation, make_link, read_link
from protocol.wire.messages import AddressesOf, Contact
from protocol.wire.noise import invite_id
from protocol.wire.people import check_addresses_of, sign_addresses

log = logs.get("people")

#: How long a link is good (seconds).
INVITE_S: Final = 7 * 86_400
#: Addresses in a link: more would make it too long to read out.
LINK_ADDRESSES: Final = 3
#: How often the store is asked whether another command has changed it (seconds).
WATCH_S: Final = 2.0
#: How often a friend's new addresses are written to the disk (a second, and at once).
WRITES_PER_S: Final = 0.1
WRITES_BURST: Final = 5.0
#: Finds the token of an open invitation by its id.
Finder = Callable[[bytes], bytes | None]


class NotReached(DokoError):
    """The node that a link names is not there just now."""


@dataclass(frozen=True, slots=True)
class Known:
    """What the store says at one moment: friends by nickname, tokens that nobody has used with their expiry by id."""

    version: int = -1
    friends: tuple[Friend, ...] = ()
    tokens: dict[bytes, tuple[bytes, float]] = field(default_factory=dict, repr=False)


def read_known(store: Store) -> Known:
    """Read it; to be called in a thread.  The version is read first: what changes later is noticed next time."""
    version = store.data_version()
    tokens = {invite_id(row.token): (row.token, row.expires) for row in store.invites() if row.used is None}
    return Known(version, tuple(store.contacts()), tokens)


def file_times(path: Path) -> tuple[tuple[int, int] | None, ...]:
    """When the store and its log of changes were last written to, and their sizes; ``None`` where there is none."""
    found: list[tuple[int, int] | None] = []
    for file in (path, path.with_name(path.name + "-wal")):
        try:
            status = file.stat()
        except OSError:
            found.append(None)
        else:
            found.append((status.st_mtime_ns, status.st_size))
    return tuple(found)


def read_companies(store: Store) -> list[frozenset[bytes]]:
    """Who sat at our latest tables; to be called in a thread.  What cannot be read is left out."""
    found = []
    for row in store.matches()[-COMPANIES:]:
        with suppress(DokoError):
            found.append(frozenset(player.identity for player in unpack_plan(row.setup).setup.roster.players))
    return found


class People:
    """The contacts of a running node.  Subscribes to the hub."""

    numbers = range(20, 40)

    def __init__(self, store: Store, identity: Identity, known: Known) -> None:
        """*known*: what has just been read from *store* with :func:`read_known`."""
        self._store = store
        self._identity = identity
        self._contacts = Contacts(store)
        self._standings: dict[bytes, Standing] = {}
        #: Every friend as last read, by nickname.
        self.friends: tuple[Friend, ...] = ()
        self._hub: Hub | None = None
        self._nursery: trio.Nursery | None = None
        self._addresses: Callable[[Link | None], tuple[Address, ...]] = lambda link: ()
        self._changed = trio.Event()
        self._kept: set[bytes] = set()
        self._whereabouts = Whereabouts(identity.key, time.time, trio.current_time)
        self._writes: dict[bytes, Bucket] = {}  # by friend
        self._reading = trio.Lock()
        self._known = known
        self._take(known)

    # -- who is who

    def standing(self, identity: bytes) -> Standing:
        """What *identity* is to us (for the hub)."""
        return self._standings.get(identity, Standing.STRANGER)

    def friend(self, key: bytes) -> Friend | None:
        """The friend with this identity key, as last read."""
        return next((friend for friend in self.friends if friend.key == key), None)

    async def invites(self) -> Finder:
        """What finds the token of an open invitation by its id, for a handshake that begins now."""
        with suppress(DokoError):  # a disk that fails is told where something is to be saved
            await self._look()
        return self._token

    def _token(self, ident: bytes) -> bytes | None:
        token, expires = self._known.tokens.get(ident, (None, 0.0))
        return token if expires > time.time() else None

    async def reload(self) -> None:
        """Read the contacts anew after a change.  Raises :class:`DokoError` if the store fails."""
        async with self._reading:
            self._take(await trio.to_thread.run_sync(read_known, self._store))

    async def _look(self) -> None:
        """Read anew if another command has changed the store."""
        if await trio.to_thread.run_sync(self._store.data_version) != self._known.version:
            await self.reload()

    def _take(self, known: Known) -> None:
        before, self._known, self.friends = self._standings, known, known.friends
        self._standings = {
            friend.key: Standing.BLOCKED if friend.blocked else Standing.CONTACT for friend in self.friends
        }
        self._changed.set()
        self._changed = trio.Event()
        if self._hub is None:
            return
        self._keep()
        for link in self._hub.links():
            key = link.peer.identity
            if self.standing(key) is before.get(key, Standing.STRANGER):
                continue
            self._hub.restand(key)
            if self.standing(key) is Standing.CONTACT and self._nursery is not None:
                self._nursery.start_soon(self._tell_addresses, link)

    async def changed(self) -> None:
        """Wait for the next change of the contacts."""
        await self._changed.wait()

    @property
    def contacts(self) -> Contacts:
        """The friends in the store, for commands that may wait for it; call :meth:`reload` after changing them."""
        return self._contacts

    async def rename(self, key: bytes, name: str) -> None:
        """Call a friend otherwise.  Raises :class:`DokoError`."""
        await self._change(self._contacts.rename, key, name)

    async def block(self, key: bytes, blocked: bool) -> None:
        """Refuse links with *key* from now on (one that is there ends), or no longer.  Raises :class:`DokoError`."""
        await self._change(self._contacts.block, key, blocked)

    async def remove(self, key: bytes) -> None:
        """Forget a friend.  Raises :class:`DokoError`."""
        await self._change(self._contacts.remove, key)

    async def _change(self, change: Callable[..., object], *arguments: object) -> None:
        await trio.to_thread.run_sync(change, *arguments)
        await self.reload()

    # -- the network

    def start(
        self,
        hub: Hub,
        nursery: trio.Nursery,
        addresses: Callable[[Link | None], tuple[Address, ...]],
        *,
        watch: bool = True,
    ) -> None:
        """Work on *hub* from now on; *addresses* tells where we are reached (as a link goes out).

        *watch*: notice what other commands change; for a computer of a host nobody changes anything.
        """
        self._hub, self._nursery, self._addresses = hub, nursery, addresses
        hub.subscribe(self)
        if watch:
            nursery.start_soon(self._watch)

        nursery.start_soon(self._read_companies)

    async def _read_companies(self) -> None:
        """With whom we sat at the latest tables."""
        for company in await trio.to_thread.run_sync(read_companies, self._store):
            self._whereabouts.together(company)

    def together(self, identities: Iterable[bytes]) -> None:
        """These, and we, sit at one table: each may be told where the others are."""
        self._whereabouts.together(identities)

    def places(self, identity: bytes) -> tuple[Address, ...]:
        """Where a friend, or somebody at a table of ours, has said lately that it can be reached."""
        return self._whereabouts.places(identity)

    async def _watch(self) -> None:
        """Notice what other commands change.

        The files' times are looked at first: a question to the store every second would be most of what an idle node
        costs.
        """
        seen: object = None
        while True:
            await trio.sleep(WATCH_S)
            before, seen = seen, file_times(self._store.path)
            if seen == before:
                continue
            try:
                await self._look()
            except DokoError as error:
                seen = None  # asked again
                log.warning("store not read", why=error.message)

    def stop(self) -> None:
        """Work no more."""
        if self._hub is not None:
            self._hub.unsubscribe(self)
            self._hub = None

    def stay_connected(self) -> None:
        """Keep links to all friends whose addresses are known."""
        self._kept.add(b"")
        self._keep()

    def _keep(self) -> None:
        if self._hub is None or not self._kept:
            return
        wanted = {
            friend.key
            for friend in self.friends
            if not friend.blocked and (friend.addresses or self._whereabouts.places(friend.key))
        }
        for key in wanted - self._kept:
            self._hub.keep(key, lambda key=key: self._addresses_of(key))  # type: ignore[misc]
        for key in self._kept - wanted - {b""}:
            self._hub.release(key)
        self._kept = wanted | {b""}

    def _addresses_of(self, key: bytes) -> list[Address]:
        contact = self.friend(key)
        known = [parse_address(text) for text in contact.addresses] if contact is not None else []
        return list(dict.fromkeys([*known, *self._whereabouts.places(key)]))

    def link_up(self, link: Link) -> None:
        assert self._nursery is not None
        self._nursery.start_soon(self._greet, link)

    def link_down(self, identity: bytes, why: LinkLost) -> None:
        pass

    async def _greet(self, link: Link) -> None:
        """A new link: redeem what it redeems, and tell friends where we are."""
        key = link.peer.identity
        if link.invite is not None:
            if link.outgoing:
                accepted = True
            else:
                token = self._token(link.invite)
                accepted = token is not None and await trio.to_thread.run_sync(self._store.use_invite, token, key)
            if accepted:
                await self._befriend(link)
                link.post(messages.encode(Contact(accept=True)))
        if self._trusted(key):
            await self._tell_addresses(link)

    def _trusted(self, key: bytes) -> bool:
        """Friends, and people at a table of ours, are told where we are and listened to."""
        standing = self.standing(key)
        if standing is Standing.STRANGER and self._whereabouts.companion(key):
            return self._hub is not None and self._hub.standing(key) is Standing.MEMBER
        return standing is Standing.CONTACT

    async def _tell_addresses(self, link: Link) -> None:
        key = link.peer.identity
        if self.friend(key) is not None:
            where = link.remote if link.outgoing and link.remote else None
            await trio.to_thread.run_sync(self._contacts.seen, key, where)
        record = sign_addresses(
            self._identity.sign, self._identity.key, int(time.time()), self._addresses(link)[:LINK_ADDRESSES]
        )
        link.post(messages.encode(AddressesOf(records=(record, *self._whereabouts.told_to(key)))))

    async def _befriend(self, link: Link) -> None:
        key = link.peer.identity
        if self.friend(key) is None:
            log.info("contact", peer=link.short)
            addresses = (link.remote,) if link.outgoing and link.remote else ()
            name = self._free_name(link.peer.nickname)
            await trio.to_thread.run_sync(self._contacts.add, key, name, "", addresses)
        await self.reload()

    def _free_name(self, name: str) -> str:
        taken = {contact.nickname.casefold() for contact in self.friends}
        if name.casefold() not in taken:
            return name
        return next(f"{name[:29]} {n}" for n in range(2, 1000) if f"{name[:29]} {n}".casefold() not in taken)

    def _may_write(self, key: bytes) -> bool:
        """Whether a friend may have its addresses written to the disk once more: each time costs an fsync."""
        bucket = self._writes.setdefault(key, Bucket(WRITES_PER_S, WRITES_BURST))
        return bucket.allow(1, trio.current_time())

    async def message(self, link: Link, incoming: Incoming) -> None:
        message, key = incoming.message, link.peer.identity
        if isinstance(message, AddressesOf) and self._trusted(key):
            if not self._hear_of_others(link, message):
                return
            own = [record for record in message.records if record.identity == key][-1:]
            friend = self.friend(key)
            for record in own:
                try:
                    check_addresses_of(record)
                except Refusal as refusal:
                    link.close("refused", refusal.detail)
                    return
                if friend is None or friend.addresses == record.addresses or not self._may_write(key):
                    continue
                await trio.to_thread.run_sync(self._store.set_addresses, key, record.addresses)
                await self.reload()
        elif isinstance(message, Contact) and not message.accept and self.standing(key) is Standing.CONTACT:
            log.info("no longer a contact there", peer=link.short)

    def _hear_of_others(self, link: Link, message: AddressesOf) -> bool:
        """Where third people are, and its own word to hand on; False if the link ends because of it."""
        teller = link.peer.identity

        def wanted(identity: bytes) -> bool:
            if self.standing(identity) is Standing.BLOCKED:
                return False
            return self.standing(identity) is Standing.CONTACT or self._whereabouts.companion(identity)

        try:
            news = self._whereabouts.take(teller, message.records, wanted)
        except Refusal as refusal:
            link.close("refused", refusal.detail)
            return False
        for record in news:
            told = messages.encode(AddressesOf(records=(record,)))
            for other in self._hub.links() if self._hub is not None else ():
                if other.peer.identity != teller and self._whereabouts.share_a_table(
                    other.peer.identity, record.identity
                ):
                    other.post(told)
        if news:
            self._keep()
        return True

    # -- invitations

    async def make_invite(self) -> tuple[str, float]:
        """A fresh link and when it expires (seconds since 1970)."""
        token = token_bytes(16)
        expires = int(time.time()) + INVITE_S
        await trio.to_thread.run_sync(self._store.add_invite, token, float(expires))
        await self.reload()
        link = make_link(Invitation(self._identity.key, token, expires, self._addresses(None)[:LINK_ADDRESSES]))
        return link, float(expires)

    async def redeem(self, text: str) -> str:
        """Redeem a link; the nickname of the new friend.

        Raises :class:`DokoError` in words, :class:`NotReached` if the friend's node is not there.
        """
        assert self._hub is not None
        try:
            invitation = read_link(text)
        except Refusal as refusal:
            raise bad_link(refusal) from None
        if invitation.identity == self._identity.key:
            raise DokoError(_("This link is your own: give it to a friend."))
        known = self.friend(invitation.identity)
        if known is not None and not known.blocked:
            raise DokoError(_("{name} is your friend already.").format(name=known.nickname), "", EXIT_NO)
        if invitation.expires < time.time():
            raise DokoError(_("This link has expired."), _("Ask your friend for a new one."), EXIT_NO)
        if not invitation.addresses:
            raise DokoError(_("This link names no address."), _("Ask your friend for a new one."), EXIT_NO)
        trouble = []
        for address in invitation.addresses:
            try:
                link = await self._hub.connect(address, expect=invitation.identity, invite=invitation.token)
            except DialFailed as failed:
                if failed.reason == Reason.INVITE_UNKNOWN:
                    raise DokoError(
                        _("Your friend's node does not know this link: it was used, or has expired."),
                        _("Ask your friend for a new one."),
                        EXIT_PEER,
                    ) from None
                trouble.append(str(failed))
                continue
            await self._befriend(link)
            contact = self.friend(invitation.identity)
            return contact.nickname if contact is not None else link.peer.nickname
        raise NotReached(
            _("Your friend's node cannot be reached: {why}.").format(why="; ".join(trouble)),
            _("It has to run while you redeem the link, and one of its addresses has to be open to you."),
            EXIT_PEER,
        )
