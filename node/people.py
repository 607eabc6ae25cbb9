"""Friends over the network: who may do what, invitations that are redeemed, addresses that friends pass on.

Theory of operation::

    A makes a link (token stored) --any way A trusts--> B dials A with the token as a key (XXpsk3)
    A: the token is used up, B is a contact, CONTACT -> B          B: A is a contact, CONTACT -> A
    both: ADDRESSES (signed, own) whenever a link comes up; a later record replaces an earlier one

From then on the identity key is the account.  A link without an invitation never makes a contact.
"""

import time
from collections.abc import Callable
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
from node.net.link import Link, LinkLost
from node.store import Store
from protocol.refusal import Refusal
from protocol.wire import messages
from protocol.wire.address import Address, parse_address
from protocol.wire.connection import Incoming
from protocol.wire.link import Invitation, make_link, read_link
from protocol.wire.messages import AddressesOf, Contact
from protocol.wire.noise import invite_id
from protocol.wire.people import check_addresses_of, sign_addresses

log = logs.get("people")

#: How long a link is good (seconds).
INVITE_S: Final = 7 * 86_400
#: Addresses in a link: more would make it too long to read out.
LINK_ADDRESSES: Final = 3


class People:
    """The contacts of a running node.  Subscribes to the hub."""

    numbers = range(20, 40)

    def __init__(self, store: Store, identity: Identity) -> None:
        self._store = store
        self._identity = identity
        self._contacts = Contacts(store)
        self._standings: dict[bytes, Standing] = {}
        #: Every friend as last read, by nickname: for what is shown often, since the store may be waiting for the disk.
        self.friends: tuple[Friend, ...] = ()
        self._hub: Hub | None = None
        self._nursery: trio.Nursery | None = None
        self._addresses: Callable[[Link | None], tuple[Address, ...]] = lambda link: ()
        self._changed = trio.Event()
        self._kept: set[bytes] = set()
        self.reload()

    # -- who is who

    def standing(self, identity: bytes) -> Standing:
        """What *identity* is to us (for the hub)."""
        return self._standings.get(identity, Standing.STRANGER)

    def find_invite(self, ident: bytes) -> bytes | None:
        """The token of an open invitation by its id (for the handshake)."""
        return next((token for token in self._store.live_tokens() if invite_id(token) == ident), None)

    def reload(self) -> None:
        """Read the contacts anew after a change."""
        self.friends = tuple(self._contacts.all())
        self._standings = {
            friend.key: Standing.BLOCKED if friend.blocked else Standing.CONTACT for friend in self.friends
        }
        self._changed.set()
        self._changed = trio.Event()
        if self._hub is not None:
            self._keep()

    async def changed(self) -> None:
        """Wait for the next change of the contacts."""
        await self._changed.wait()

    @property
    def contacts(self) -> Contacts:
        """The friends in the store; call :meth:`reload` after changing them."""
        return self._contacts

    # -- the network

    def start(self, hub: Hub, nursery: trio.Nursery, addresses: Callable[[Link | None], tuple[Address, ...]]) -> None:
        """Work on *hub* from now on; *addresses* tells where we are reached (as a link goes out)."""
        self._hub, self._nursery, self._addresses = hub, nursery, addresses
        hub.subscribe(self)

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
        wanted = {friend.key for friend in self.friends if not friend.blocked and friend.addresses}
        for key in wanted - self._kept:
            self._hub.keep(key, lambda key=key: self._known(key))  # type: ignore[misc]
        for key in self._kept - wanted - {b""}:
            self._hub.release(key)
        self._kept = wanted | {b""}

    def _known(self, key: bytes) -> list[Address]:
        contact = self._contacts.get(key)
        return [parse_address(text) for text in contact.addresses] if contact is not None else []

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
                token = self.find_invite(link.invite)
                accepted = token is not None and await trio.to_thread.run_sync(self._store.use_invite, token, key)
            if accepted:
                await self._befriend(link)
                link.post(messages.encode(Contact(accept=True)))
        if self.standing(key) is not Standing.CONTACT:
            return
        await trio.to_thread.run_sync(self._contacts.seen, key, link.remote if link.outgoing and link.remote else None)
        record = sign_addresses(
            self._identity.sign, self._identity.key, int(time.time()), self._addresses(link)[:LINK_ADDRESSES]
        )
        link.post(messages.encode(AddressesOf(records=(record,))))

    async def _befriend(self, link: Link) -> None:
        key = link.peer.identity
        if self._contacts.get(key) is None:
            log.info("contact", peer=link.short)
            addresses = (link.remote,) if link.outgoing and link.remote else ()
            name = self._free_name(link.peer.nickname)
            await trio.to_thread.run_sync(self._contacts.add, key, name, "", addresses)
        self.reload()

    def _free_name(self, name: str) -> str:
        taken = {contact.nickname.casefold() for contact in self._contacts.all()}
        if name.casefold() not in taken:
            return name
        return next(f"{name[:29]} {n}" for n in range(2, 1000) if f"{name[:29]} {n}".casefold() not in taken)

    async def message(self, link: Link, incoming: Incoming) -> None:
        message, key = incoming.message, link.peer.identity
        if isinstance(message, AddressesOf) and self.standing(key) is Standing.CONTACT:
            for record in message.records:
                if record.identity != key:
                    continue  # what others say of third people is for a later day
                try:
                    check_addresses_of(record)
                except Refusal as refusal:
                    link.close("refused", refusal.detail)
                    return
                await trio.to_thread.run_sync(self._store.set_addresses, key, record.addresses)
            self.reload()
        elif isinstance(message, Contact) and not message.accept and self.standing(key) is Standing.CONTACT:
            log.info("no longer a contact there", peer=link.short)

    # -- invitations

    async def make_invite(self) -> tuple[str, float]:
        """A fresh link and when it expires (seconds since 1970)."""
        token = token_bytes(16)
        expires = int(time.time()) + INVITE_S
        await trio.to_thread.run_sync(self._store.add_invite, token, float(expires))
        link = make_link(Invitation(self._identity.key, token, expires, self._addresses(None)[:LINK_ADDRESSES]))
        return link, float(expires)

    async def redeem(self, text: str) -> str:
        """Redeem a link; the nickname of the new friend.  Raises :class:`DokoError` in words."""
        assert self._hub is not None
        try:
            invitation = read_link(text)
        except Refusal as refusal:
            raise DokoError(
                _("This link cannot be used: {why}.").format(why=refusal.detail),
                _("Copy it again as a whole, or ask for a new one."),
            ) from None
        if invitation.identity == self._identity.key:
            raise DokoError(_("This link is your own: give it to a friend."))
        known = self._contacts.get(invitation.identity)
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
                trouble.append(str(failed))
                continue
            await self._befriend(link)
            contact = self._contacts.get(invitation.identity)
            return contact.nickname if contact is not None else link.peer.nickname
        raise DokoError(
            _("Your friend's node cannot be reached: {why}.").format(why="; ".join(trouble)),
            _("It has to run while you redeem the link, and one of its addresses has to be open to you."),
            EXIT_PEER,
        )
