"""Asking a friend's host of computers for one, from a command: the other end of :mod:`node.bots.house`."""

from typing import Final

import trio

from node.bots.house import REASONS
from node.errors import EXIT_PEER, DokoError
from node.i18n import _
from node.lobby import Seating
from node.net.link import Link, LinkLost
from node.runtime import Node
from protocol.table.gathering import Opener
from protocol.wire import messages
from protocol.wire.connection import Incoming
from protocol.wire.messages import BotsSent, BotsWanted

#: How long to wait for the link, and for the answer (seconds).
WAIT_S: Final = 30.0


class _Answers:
    """Hears what one host answers.  Subscribes to the hub."""

    numbers = range(51, 52)

    def __init__(self, host: bytes) -> None:
        self._host = host
        self.linked = trio.Event()
        self.answered = trio.Event()
        self.answer: BotsSent | None = None

    def link_up(self, link: Link) -> None:
        if link.peer.identity == self._host:
            self.linked.set()

    def link_down(self, identity: bytes, why: LinkLost) -> None:
        """It may come back."""

    async def message(self, link: Link, incoming: Incoming) -> None:
        if link.peer.identity == self._host and isinstance(incoming.message, BotsSent):
            self.answer = incoming.message
            self.answered.set()


async def ask_house(node: Node, seating: Seating, host: bytes, name: str, level: str) -> tuple[bytes, ...]:
    """Ask the friend *host* (called *name*) for one computer of *level* at our table; its identity.

    Raises :class:`DokoError` in words if the host is not reached or sends nobody.
    """
    assert isinstance(seating.core, Opener)
    answers = _Answers(host)
    node.hub.subscribe(answers)
    try:
        node.people.stay_connected()
        with trio.move_on_after(WAIT_S):
            await answers.linked.wait()
            opening = seating.core.announcement()
            asking = BotsWanted(announcement=opening.announcement, signature=opening.signature, level=level, count=1)
            node.hub.post(host, messages.encode(asking))
            await answers.answered.wait()
    finally:
        node.hub.unsubscribe(answers)
    answer = answers.answer
    if answer is None:
        text = _("{name} does not answer.").format(name=name)
        raise DokoError(text, " ".join(node.hub.trouble(host)), EXIT_PEER)
    if not answer.bots:
        why = _(REASONS[answer.reason]) if answer.reason in REASONS else answer.text
        raise DokoError(_("{name} sends no computers: {why}.").format(name=name, why=why), "", EXIT_PEER)
    return answer.bots
