"""All links of one node: who is connected, who may connect, and where messages go.

Theory of operation::

    listener --accept--> [half open: bounded, timed] --HELLO--> admit --> one live link per identity --> pump
    keep(identity) ----dial with back-off-------------HELLO--^                                            |
                                                                              subscribers by message number
                                                                              (lobby, session, people, ...)

*At most one live link per identity; the newer wins.*  Two nodes that dial each other at one moment would each see the
other's link as the newer and close both, so for links of about the same age the one dialled by the smaller identity key
stays, on both sides alike; the survivor is probed, should it be a dead one.  A failing link ends alone: its tasks catch
what a peer can cause, and only a bug of this program reaches the hub.
"""

import ipaddress
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, Protocol

import trio

from node import logs
from node.i18n import _
from node.net.address import Listen
from node.net.dialer import DialFailed, dial, pauses
from node.net.handshake import shake
from node.net.limits import CONTACT, MEMBER, STRANGER, Bucket, Limits, Rates
from node.net.link import Link, LinkLost, State, StreamLink
from node.net.listener import bound_addresses, open_listeners
from node.refusals import told
from node.tasks import background
from protocol.deal.group import ristretto
from protocol.wire.address import Address
from protocol.wire.connection import Incoming
from protocol.wire.errors import LinkError
from protocol.wire.hello import Me
from protocol.wire.messages import number

log = logs.get("hub")

#: Two links this close in age, dialled from both sides, are one crossing of dials (seconds).
CROSSING_S: Final = 10.0
PROBE_S: Final = 5.0
#: The side that is not to dial first waits this long for the other (seconds).
PATIENCE_S: Final = 2.0
#: A link that lived this long was a good one: the next loss is answered at once (seconds).
STABLE_S: Final = 5.0
#: Hosts whose rate of connections is remembered.
MAX_HOSTS: Final = 1024
#: Contacts and members whose last host is remembered.
MAX_FRIENDLY: Final = 256
#: How long the links' polite end may take when the node stops (seconds).
FAREWELL_S: Final = 2.0


#: Opens a byte stream to an address within so many seconds, or raises :class:`DialFailed`.
Dialer = Callable[[Address, float], Awaitable[trio.abc.Stream]]
#: For a handshake that begins: what finds the token of an open invitation by its id.
Invites = Callable[[], Awaitable[Callable[[bytes], bytes | None]]]


class Standing(Enum):
    """What somebody is to this node; decides what the peer may use up."""

    BLOCKED = "blocked"
    STRANGER = "stranger"
    CONTACT = "contact"
    MEMBER = "member"  # sits at a table of ours


RATES: Final[dict[Standing, Rates]] = {
    Standing.STRANGER: STRANGER,
    Standing.CONTACT: CONTACT,
    Standing.MEMBER: MEMBER,
}


class Subscriber(Protocol):
    """Somebody inside the node who wants to know about links and the messages of a range of numbers."""

    #: The numbers of messages that :meth:`message` is called for.
    numbers: range

    def link_up(self, link: Link) -> None:
        """*link* is now the one link to its peer (also when it takes an older one's place)."""

    def link_down(self, identity: bytes, why: LinkLost) -> None:
        """There is no link to *identity* any more."""

    async def message(self, link: Link, incoming: Incoming) -> None:
        """A message has come; while this waits, that peer is read no further."""


@dataclass(slots=True)
class _Kept:
    """An identity to stay connected to."""

    scope: trio.CancelScope = field(default_factory=trio.CancelScope)
    owners: dict[object, Callable[[], Iterable[Address]]] = field(default_factory=dict)
    trouble: tuple[str, ...] = ()  # why the last round of dialling failed, address by address

    def addresses(self) -> list[Address]:
        """What all owners know, each address once."""
        return list(dict.fromkeys(address for known in self.owners.values() for address in known()))


@dataclass(slots=True)
class _Entry:
    link: StreamLink
    ended: trio.Event = field(default_factory=trio.Event)


class Hub:
    """The links of one node.  Use as ``async with open_hub(...) as hub``."""

    def __init__(
        self,
        me: Me,
        nursery: trio.Nursery,
        *,
        limits: Limits | None = None,
        standing: Callable[[bytes], Standing] | None = None,
        invites: Invites | None = None,
        dialer: Dialer = dial,
    ) -> None:
        self.me = me
        self.limits = limits or Limits()
        self.listening: list[Address] = []
        self._nursery = nursery
        self._standing = standing or (lambda identity: Standing.STRANGER)
        self._invites = invites
        self._dialer = dialer
        self._members: Counter[bytes] = Counter()
        self._links: dict[bytes, _Entry] = {}
        self._arrivals = Bucket(self.limits.arrivals_per_s, self.limits.arrivals_burst)
        self._hosts: dict[str, Bucket] = {}
        self._friendly: dict[bytes, str] = {}  # the host that a contact or member has come from last, oldest first
        self._log_rate = Bucket(1, 20)
        self._half_open: Counter[str] = Counter()
        self._subscribers: list[Subscriber] = []
        self._kept: dict[bytes, _Kept] = {}
        self._changed = trio.Event()
        self.refused: Counter[str] = Counter()  # by reason, for `doko doctor` and the tests

    # -- who

    def standing(self, identity: bytes) -> Standing:
        """What *identity* is to this node now."""
        own = self._standing(identity)
        if own is not Standing.BLOCKED and self._members[identity]:
            return Standing.MEMBER
        return own

    def seat(self, identity: bytes) -> None:
        """*identity* sits at one more table of ours: it gets a member's rates."""
        self._members[identity] += 1
        self._rerate(identity)

    def unseat(self, identity: bytes) -> None:
        """Takes one :meth:`seat` back."""
        self._members[identity] -= 1
        self._rerate(identity)

    def restand(self, identity: bytes) -> None:
        """What *identity* is to this node has changed: its link gets other rates, or ends if it is not wanted."""
        entry = self._links.get(identity)
        if entry is not None and self.standing(identity) is Standing.BLOCKED:
            entry.link.close("refused", "this node does not want a link any more")
        else:
            self._rerate(identity)

    def _rerate(self, identity: bytes) -> None:
        entry = self._links.get(identity)
        if entry is not None:
            entry.link.set_rates(RATES.get(self.standing(identity), STRANGER))

    # -- links

    def link(self, identity: bytes) -> Link | None:
        """The live link to *identity*, if there is one."""
        entry = self._links.get(identity)
        return None if entry is None else entry.link

    def links(self) -> list[Link]:
        """All live links."""
        return [entry.link for entry in self._links.values()]

    def state(self, identity: bytes) -> State | None:
        """How *identity* is reached, ``None`` if it is not."""
        entry = self._links.get(identity)
        return None if entry is None else entry.link.state

    def trouble(self, identity: bytes) -> tuple[str, ...]:
        """Why *identity* could not be reached when last tried, in words, address by address."""
        kept = self._kept.get(identity)
        return () if kept is None else kept.trouble

    def post(self, identity: bytes, raw: bytes) -> bool:
        """Queue an encoded message for *identity*; ``False`` if there is no link (or it was too slow)."""
        entry = self._links.get(identity)
        return entry is not None and entry.link.post(raw)

    async def changed(self) -> None:
        """Wait until a link has come or gone."""
        await self._changed.wait()

    def subscribe(self, subscriber: Subscriber) -> None:
        """Tell *subscriber* from now on; it hears at once of the links there are."""
        self._subscribers.append(subscriber)
        for entry in list(self._links.values()):
            subscriber.link_up(entry.link)

    def unsubscribe(self, subscriber: Subscriber) -> None:
        """Tell *subscriber* nothing more."""
        if subscriber in self._subscribers:
            self._subscribers.remove(subscriber)

    # -- listening

    async def listen(self, where: Listen) -> list[Address]:
        """Accept links at *where*; returns the addresses bound.  Raises :class:`DokoError` (port in use, ...)."""
        ristretto()  # libsodium, once: it makes strangers' HELLOs cheap (protocol.wire.keys)
        listeners = await open_listeners(where)
        bound = bound_addresses(listeners)
        self.listening += bound
        self._nursery.start_soon(self._serve, listeners)
        return bound

    async def _serve(self, listeners: list[trio.SocketListener]) -> None:
        await trio.serve_listeners(self.accept, listeners, handler_nursery=self._nursery)

    async def accept(self, stream: trio.abc.Stream) -> None:
        """Somebody has connected: shake hands within the limits, then carry the link.  Never raises."""
        host, remote = _remote(stream)
        if not self._room_for(host):
            self._turn_away(remote, "busy", "too many connections")
            await trio.aclose_forcefully(stream)
            return
        self._half_open[host] += 1
        try:
            link = await self._shake(stream, remote=remote, outgoing=False)
        except LinkLost as lost:
            self._turn_away(remote, lost.reason, lost.detail)
            return
        except Exception:  # a bug of ours, found by a stranger's bytes
            self._bug("handshake failed", remote=remote)
            return
        finally:
            self._half_open[host] -= 1
            if not self._half_open[host]:
                del self._half_open[host]
        self._remember(host, link.peer.identity)
        await self._carry(link)

    def _room_for(self, host: str) -> bool:
        """Whether one more handshake may begin, with somebody at *host*: the host's own share is looked at first.

        Where contacts and members have come from before there is room whatever strangers elsewhere do.
        """
        now = trio.current_time()
        return (
            self._half_open[host] < self.limits.half_open_per_host
            and len(self._links) < self.limits.links
            and self._arrivals_of(host).allow(1, now)
            and (
                host in self._friendly.values()
                or (self._half_open.total() < self.limits.half_open and self._arrivals.allow(1, now))
            )
        )

    def _remember(self, host: str, identity: bytes) -> None:
        """*identity* has come from *host*: contacts and members do so again.  One host each, however many they have."""
        if host and self.standing(identity) in (Standing.CONTACT, Standing.MEMBER):
            self._friendly.pop(identity, None)
            self._friendly[identity] = host
            if len(self._friendly) > MAX_FRIENDLY:
                del self._friendly[next(iter(self._friendly))]

    def _arrivals_of(self, host: str) -> Bucket:
        if host not in self._hosts and len(self._hosts) >= MAX_HOSTS:
            self._hosts.pop(next(iter(self._hosts)))
        return self._hosts.setdefault(host, Bucket(self.limits.arrivals_per_host, self.limits.arrivals_burst_per_host))

    def _turn_away(self, remote: str, reason: str, detail: str) -> None:
        self.refused[reason] += 1
        if self._log_rate.allow(1, trio.current_time()):  # a flood of strangers does not wash the log away
            log.info("turned away", remote=remote, reason=reason, detail=detail)

    def _bug(self, what: str, **about: object) -> None:
        """An unexpected error while handling what a peer sent: it costs that peer's link, never the node."""
        self.refused["bug"] += 1
        log.exception(what, **about)

    # -- dialling

    async def connect(self, where: Address, *, expect: bytes | None = None, invite: bytes | None = None) -> Link:
        """One attempt to get a link at *where* (with the identity *expect* only, if given).

        Raises :class:`DialFailed` with the reason in words.  If there is a link to that identity already that wins the
        crossing rule, that one is returned.
        """
        stream = await self._dialer(where, self.limits.dial_s)
        try:
            link = await self._shake(stream, remote=str(where), outgoing=True, invite=invite, expect=expect)
        except LinkLost as lost:
            text = _("{where}: {why}").format(where=where, why=told(lost.detail))
            raise DialFailed(text, lost.reason) from None
        return await self.adopt(link)

    async def adopt(self, link: StreamLink) -> Link:
        """Carry *link* (from a dialler, a relay, a test) from now on; returns the link to that identity that lives."""
        await self._nursery.start(self._carry_started, link)
        entry = self._links.get(link.peer.identity)
        if entry is None:
            raise DialFailed(_("{where}: the other node closed the link").format(where=link.remote))
        return entry.link

    def keep(
        self,
        identity: bytes,
        addresses: Callable[[], Iterable[Address]],
        *,
        owner: object = None,
        first: bool | None = None,
    ) -> None:
        """Stay connected to *identity*: whenever there is no link, dial *addresses()* with growing pauses.

        Several parts of the node may want the same link; each is an *owner*, and as long as there is one the link is
        kept up.  *first*: this side dials at once, the other gives it :data:`PATIENCE_S` (default: the smaller key is
        first).
        """
        kept = self._kept.get(identity)
        if kept is not None:
            kept.owners[owner] = addresses
            return
        kept = self._kept[identity] = _Kept(owners={owner: addresses})
        self._nursery.start_soon(self._keep, identity, kept, self.me.identity < identity if first is None else first)

    def release(self, identity: bytes, owner: object = None) -> None:
        """*owner* no longer needs a link to *identity*; one that is there stays."""
        kept = self._kept.get(identity)
        if kept is not None:
            kept.owners.pop(owner, None)
            if not kept.owners:
                del self._kept[identity]
                kept.scope.cancel()

    async def _keep(self, identity: bytes, kept: _Kept, first: bool) -> None:
        """Dial, wait until the link is lost, dial again; a link that is lost at once counts as a failed attempt."""
        with kept.scope:
            waits = pauses()
            wait = 0.0 if first else PATIENCE_S
            while True:
                if not await self._comes(identity, wait):
                    await self._dial_round(identity, kept)
                up = trio.current_time()
                if identity in self._links:
                    await self._until_lost(identity)
                if trio.current_time() - up >= STABLE_S:
                    waits = pauses()
                    wait = 0.0 if first else PATIENCE_S
                else:
                    wait = next(waits)

    async def _dial_round(self, identity: bytes, kept: _Kept) -> bool:
        trouble = []
        for address in kept.addresses():
            if identity in self._links:
                return True
            try:
                await self.connect(address, expect=identity)
            except DialFailed as failed:
                trouble.append(str(failed))
                continue
            kept.trouble = ()
            return True
        kept.trouble = tuple(trouble) or (_("no address is known"),)
        return identity in self._links

    async def _until_lost(self, identity: bytes) -> None:
        while (entry := self._links.get(identity)) is not None:
            await entry.ended.wait()
        await trio.lowlevel.checkpoint()

    async def _comes(self, identity: bytes, within: float) -> bool:
        with trio.move_on_after(within):
            while identity not in self._links:
                await self._changed.wait()
        return identity in self._links

    # -- the life of a link

    async def _shake(
        self,
        stream: trio.abc.Stream,
        *,
        remote: str,
        outgoing: bool,
        invite: bytes | None = None,
        expect: bytes | None = None,
    ) -> StreamLink:
        """A link out of a fresh connection.  Raises :class:`LinkLost`; the stream is then closed."""
        try:
            with trio.fail_after(self.limits.handshake_s):
                find = None if outgoing or self._invites is None else await self._invites()
                connection, ready, early = await shake(
                    stream, self.me, initiator=outgoing, expect=expect, invite=invite, find_invite=find
                )
        except trio.TooSlowError:
            await trio.aclose_forcefully(stream)
            raise LinkLost("timeout", _("no handshake in time")) from None
        except LinkError as error:
            await trio.aclose_forcefully(stream)
            raise LinkLost(str(error.reason), error.detail) from None
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            await trio.aclose_forcefully(stream)
            raise LinkLost("broken", _("the connection broke during the handshake")) from None
        except BaseException:
            await trio.aclose_forcefully(stream)
            raise
        return StreamLink(
            stream,
            connection,
            outgoing=outgoing,
            invite=ready.invite,
            remote=remote,
            limits=self.limits,
            rates=RATES.get(self.standing(ready.peer.identity), STRANGER),
            early=early,
        )

    async def _carry(self, link: StreamLink) -> None:
        await self._carry_started(link, task_status=trio.TASK_STATUS_IGNORED)

    async def _carry_started(self, link: StreamLink, task_status: trio.TaskStatus[None]) -> None:
        refusal = self._admit(link)
        if refusal is not None:
            self.refused[refusal.reason] += 1
            link.close(refusal.reason, refusal.detail)
            await link.run()
            task_status.started()
            return
        identity = link.peer.identity
        entry = self._links[identity]
        log.info("link up", peer=link.short, remote=link.remote, outgoing=link.outgoing)
        task_status.started()
        why = LinkLost("stopped", "this node stops")
        try:
            for subscriber in list(self._subscribers):
                subscriber.link_up(link)
        except Exception:
            self._bug("link up not handled", peer=link.short)
            link.close("internal", "this node failed")
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._pump, link)
                why = await link.run()
        except Exception:
            self._bug("link failed", peer=link.short)
        finally:
            entry.ended.set()
            log.info("link down", peer=link.short, reason=why.reason, detail=why.detail)
            if self._links.get(identity) is entry:
                del self._links[identity]
                self._ring()
                for subscriber in list(self._subscribers):
                    try:
                        subscriber.link_down(identity, why)
                    except Exception:
                        self._bug("link down not handled", peer=link.short)

    def _admit(self, link: StreamLink) -> LinkLost | None:
        """Make *link* the one to its peer, or say why not."""
        peer = link.peer
        standing = self.standing(peer.identity)
        if standing is Standing.BLOCKED:
            return LinkLost("refused", "this node does not want a link")
        old = self._links.get(peer.identity)
        if old is not None:
            if self._crossed(old.link, link):
                old.link.probe(PROBE_S)
                return LinkLost("duplicate", "there is a link already")
            old.link.close("replaced", "a newer link took its place")
            old.ended.set()
        elif standing is Standing.STRANGER and not link.outgoing:
            strangers = sum(
                self.standing(entry.link.peer.identity) is Standing.STRANGER for entry in self._links.values()
            )
            if strangers >= self.limits.strangers:
                return LinkLost("busy", "too many guests just now")
        self._links[peer.identity] = _Entry(link)
        self._ring()
        return None

    def _crossed(self, old: StreamLink, new: StreamLink) -> bool:
        """Whether *old* stays: both sides dialled at about one moment, and *old* was dialled by the smaller key."""
        if not old.alive or old.outgoing == new.outgoing or new.born - old.born > CROSSING_S:
            return False
        mine_first = self.me.identity < old.peer.identity
        return old.outgoing is mine_first

    def _ring(self) -> None:
        self._changed.set()
        self._changed = trio.Event()

    async def _pump(self, link: StreamLink) -> None:
        """Hand the messages of *link* to whoever wants their numbers; others are ignored (a newer peer's features)."""
        while True:
            try:
                incoming = await link.receive()
            except LinkLost:
                return
            kind = number(incoming.message)
            for subscriber in list(self._subscribers):
                if kind in subscriber.numbers:
                    try:
                        await subscriber.message(link, incoming)
                    except Exception:
                        self._bug("message not handled", peer=link.short, kind=kind)
                        link.close("internal", "this node failed over a message")
                        return

    def close_all(self, reason: str, detail: str) -> None:
        """End every link politely."""
        for kept in self._kept.values():
            kept.scope.cancel()
        self._kept.clear()
        for entry in list(self._links.values()):
            entry.link.close(reason, detail)

    async def drained(self, within: float) -> None:
        """Wait (at most so long) until all links have ended."""
        with trio.move_on_after(within):
            for entry in list(self._links.values()):
                await entry.ended.wait()


def _remote(stream: object) -> tuple[str, str]:
    """(what is bounded as one host, host:port) of the other end, as far as there is one."""
    if isinstance(stream, trio.SocketStream):
        try:
            host, port = stream.socket.getpeername()[:2]
        except OSError:
            return "", ""
        host = str(host).removeprefix("::ffff:")
        return network_of(host), str(Address(host, port))
    return "", ""


def network_of(host: str) -> str:
    """What counts as one host: an IPv4 address, or the 64 bits of an IPv6 address that its owner cannot change."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    return str(address if address.version == 4 else ipaddress.ip_network((address, 64), strict=False))


def local_host(link: Link) -> str:
    """The address of this machine as *link* uses it: what others in the same network can dial; may be empty."""
    stream = getattr(link, "_stream", None)
    if isinstance(stream, trio.SocketStream):
        try:
            host = str(stream.socket.getsockname()[0]).removeprefix("::ffff:")
            return "" if "%" in host else host  # a link-local address is good on one machine only
        except OSError:
            return ""
    return ""


@asynccontextmanager
async def open_hub(
    me: Me,
    *,
    limits: Limits | None = None,
    standing: Callable[[bytes], Standing] | None = None,
    invites: Invites | None = None,
    dialer: Dialer = dial,
) -> AsyncIterator[Hub]:
    """A hub for the time of the ``async with`` block; when the block ends every link gets a polite end."""
    async with background() as nursery:
        hub = Hub(me, nursery, limits=limits, standing=standing, invites=invites, dialer=dialer)
        try:
            yield hub
        finally:  # after a cancellation this ends at its first wait, and the links with it
            hub.close_all("stopped", "this node stops")
            await hub.drained(FAREWELL_S)
