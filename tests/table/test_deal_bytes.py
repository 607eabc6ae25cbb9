"""What a deal costs on the wire, and that questions which cross each other are answered once."""

from collections import Counter

from protocol.table.limits import ANSWER_EVERY, Peer
from protocol.wire import messages
from protocol.wire.entries import decode_payload
from tests.table.hostile import until
from tests.table.net import World

#: Bytes round each message: the frame's length and Noise's tag.
AROUND = 2 + 16
#: Of one deal, all twelve directions together (deal.md 6: four shuffles of 9.4 kB, each to three others, are 113 kB).
MOST = 160_000


def test_a_deal_takes_at_most_160_kilobytes_at_one_table() -> None:
    """The first deal of a match, with all that the nodes tell each other when their links come up."""
    world = World(2050, mode="variable", stake=10)
    world.keep_sent = True
    until(world, lambda: all(node.table.match.hand and node.table.match.hand.state for node in world.nodes))
    assert sum(len(wire.raw) + AROUND for wire in world.sent) <= MOST
    seen: Counter[tuple[int, str]] = Counter()
    for wire in world.sent:
        message = messages.decode(wire.raw)
        if isinstance(message, messages.Entry):
            seen[wire.source, decode_payload(message.p).kind.name] += 1
    for seat in range(4):  # what is large goes to each of the three once
        assert (seen[seat, "SHUF"], seen[seat, "SHARES"]) == (3, 3)


def test_two_questions_at_once_are_one() -> None:
    peer = Peer()
    assert peer.answer_due(10.0)
    assert not peer.answer_due(10.0 + ANSWER_EVERY / 2)
    assert peer.answer_due(10.0 + ANSWER_EVERY)
    peer.renew()  # a new link: what went out on the old one may be lost
    assert peer.answer_due(10.0 + ANSWER_EVERY)
