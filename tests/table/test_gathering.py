"""Gathering four players: honest runs over links that come and go, leaving, time-outs, hostile openers and joiners."""

import contextlib
import hashlib
import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec
import pytest

from protocol.refusal import Code, Refusal
from protocol.table import gathering
from protocol.table.announcement import Announcement, handed_on, read_announcement, sign_announcement
from protocol.table.gathering import (
    Announce,
    Ask,
    Dial,
    Done,
    Effect,
    Failed,
    Gathering,
    Joiner,
    Opener,
    Send,
    State,
    Withdrawn,
    members_hash,
    ready_bytes,
)
from protocol.table.roster import Setup
from protocol.table.terms import make_terms, read_terms, with_bots
from protocol.wire import codec, messages
from protocol.wire.hello import Me
from protocol.wire.messages import (
    BotSeat,
    Leave,
    Member,
    Message,
    Ready,
    Seated,
    SeatOffer,
    SeatRefuse,
    SeatRequest,
    TableOpen,
    TermsSet,
)
from tests.table.test_terms import make_bot as terms_bot
from tests.wire.support import as_peer, make_me, seeded

TABLE = b"t" * 16
NAMES = ("anna", "bert", "carl", "dora")


def make_bot(label: str, **changed: Any) -> BotSeat:
    given = {
        "host": make_me(label).identity,
        "policy": "beginner",
        "version": "1",
        "seeds": seeded(f"seeds {label}")(32),
    }
    return BotSeat(**{**given, **changed})  # type: ignore[arg-type]


@dataclass
class Node:
    me: Me
    core: Gathering
    effects: list[Effect] = field(default_factory=list)
    now: float = 0.0

    def find(self, kind: type[Any]) -> list[Any]:
        return [effect for effect in self.effects if isinstance(effect, kind)]

    @property
    def setup(self) -> Setup | None:
        done = self.find(Done)
        assert len(done) <= 1
        return done[0].setup if done else None

    @property
    def failed(self) -> Failed:
        (failed,) = self.find(Failed)
        return failed  # type: ignore[no-any-return]


class World:
    """Nodes and one queue per pair and direction.  A pair without a link loses what is sent."""

    def __init__(self, *, everybody_linked: bool = True) -> None:
        self.nodes: dict[bytes, Node] = {}
        self.queues: dict[tuple[bytes, bytes], deque[Message]] = {}
        self.cut: set[frozenset[bytes]] = set()
        self.refusals: list[tuple[str, Refusal]] = []
        self.change: Callable[[str, str, Message], Message | None] = lambda source, target, message: message
        self.now = 0.0
        self.everybody_linked = everybody_linked

    def add(self, core: Gathering) -> Node:
        node = Node(core._me, core)
        self.nodes[node.me.identity] = node
        return node

    def do(self, node: Node, effects: list[Effect]) -> None:
        for effect in effects:
            node.effects.append(effect)
            if isinstance(effect, Send) and effect.to in self.nodes:
                if frozenset((node.me.identity, effect.to)) in self.cut:
                    continue
                target = self.nodes[effect.to]
                message = self.change(node.me.nickname, target.me.nickname, effect.message)
                if message is not None:
                    message = messages.decode(messages.encode(message))  # as it looks after the wire
                    self.queues.setdefault((node.me.identity, effect.to), deque()).append(message)

    def step(self, choose: Callable[[list[Any]], Any] = lambda waiting: waiting[0]) -> bool:
        waiting = [pair for pair, queue in self.queues.items() if queue]
        if not waiting:
            return False
        source, target = choose(waiting)
        message = self.queues[source, target].popleft()
        node = self.nodes[target]
        try:
            effects = node.core.receive(as_peer(self.nodes[source].me), message, self.now)
        except Refusal as refusal:
            self.refusals.append((node.me.nickname, refusal))
        else:
            self.do(node, effects)
        return True

    def run(self) -> None:
        for _ in range(2_000):
            if not self.step():
                return
        raise AssertionError("the nodes never stop talking")

    def link(self, first: Node, second: Node, up: bool) -> None:
        pair = frozenset((first.me.identity, second.me.identity))
        if up:
            self.cut.discard(pair)
        else:
            self.cut.add(pair)
            for key in ((first.me.identity, second.me.identity), (second.me.identity, first.me.identity)):
                self.queues.pop(key, None)
        for node, other in ((first, second), (second, first)):
            self.do(node, node.core.link(other.me.identity, up, self.now))

    def tick(self, seconds: float) -> None:
        self.now += seconds
        for node in self.nodes.values():
            self.do(node, node.core.tick(self.now))


def open_table(world: World, terms: bytes | None = None, **options: Any) -> Node:
    options = {"auto_confirm": True, **options}
    me = options.pop("me", make_me("anna"))
    opener = Opener(me, terms or make_terms(table=TABLE), seeded("anna"), addresses=("192.0.2.1:4848",), **options)
    return world.add(opener)


def announced(opener: Node) -> Announcement:
    assert isinstance(opener.core, Opener)
    message = opener.core.announcement()
    return read_announcement(message.announcement, message.signature)


def join(world: World, opener: Node, label: str, **options: Any) -> Node:
    options = {"auto_confirm": True, **options}
    me = options.pop("me", make_me(label))
    core = Joiner(me, announced(opener), seeded(label), addresses=(f"{label}.example:4848",), **options)
    node = world.add(core)
    world.do(node, core.start(world.now))
    return node


def four(world: World, **options: Any) -> list[Node]:
    opener = open_table(world, **options)
    return [opener, *(join(world, opener, label) for label in NAMES[1:])]


def check_same(nodes: list[Node]) -> None:
    setups = [node.setup for node in nodes]
    assert all(setup is not None for setup in setups)
    for node, setup in zip(nodes, setups, strict=True):
        assert setup is not None
        assert replace(setup, my_seat=0) == replace(setups[0], my_seat=0)  # type: ignore[type-var]
        assert setup.roster.raw == setups[0].roster.raw  # type: ignore[union-attr]
        assert setup.roster.players[setup.my_seat].identity == node.me.identity


def states(nodes: list[Node]) -> list[State]:
    return [node.core.state for node in nodes]


# -- honest runs


def test_four_nodes_arrive_at_one_setup() -> None:
    world = World()
    nodes = four(world)
    world.run()
    check_same(nodes)
    assert world.refusals == []
    setup = nodes[2].setup
    assert setup is not None
    assert setup.my_seat == 2
    assert setup.match_id == setup.roster.match_id
    assert [player.nickname for player in setup.roster.players] == list(NAMES)
    assert len({player.nonce for player in setup.roster.players}) == 4
    assert nodes[1].find(Dial)[0] == Dial(nodes[0].me.identity, ("192.0.2.1:4848",))
    assert [dial.addresses for dial in nodes[1].find(Dial)[1:]] == [("carl.example:4848",), ("dora.example:4848",)]


@pytest.mark.parametrize("seed", range(30))
def test_any_order_of_delivery_gives_one_setup(seed: int) -> None:
    world = World()
    nodes = four(world)
    chance = random.Random(seed)
    while world.step(chance.choice):
        pass
    check_same(nodes)
    assert world.refusals == []


@pytest.mark.parametrize("seed", range(60))
def test_links_that_come_and_go_never_leave_one_behind(seed: int) -> None:
    """Cuts lose what is under way; when every link is up again in the end, all four have one Setup."""
    world = World()
    nodes = four(world)
    chance = random.Random(seed)
    for _ in range(40):
        if chance.random() < 0.25:
            first, second = chance.sample(nodes, 2)
            pair = frozenset((first.me.identity, second.me.identity))
            world.link(first, second, pair in world.cut)
        elif not world.step(chance.choice):
            world.tick(0.1)
    for pair in list(world.cut):
        first, second = (world.nodes[identity] for identity in sorted(pair))
        world.link(first, second, True)
    for round_ in range(6):
        while world.step(chance.choice):
            pass
        for index, first in enumerate(nodes):  # a link that is made anew asks and says everything again
            for second in nodes[index + 1 :]:
                world.link(first, second, True)
        assert round_ < 6
    world.run()
    check_same(nodes)


def test_people_are_asked_before_anything_is_signed() -> None:
    world = World()
    nodes = four(world, auto_confirm=False)
    opener = nodes[0]
    world.run()
    (ask,) = opener.find(Ask)
    assert [member.nickname for member in ask.members] == list(NAMES)
    assert ask.terms == read_terms(make_terms(table=TABLE))
    assert ask.deadline == gathering.CONFIRM_SECONDS
    assert not any(isinstance(send.message, Ready) for send in opener.find(Send))
    assert states(nodes) == [State.CONFIRMING] * 4
    assert opener.core.view.confirmed is False
    world.do(opener, opener.core.confirm(world.now))
    assert opener.core.view.confirmed is True
    with pytest.raises(Refusal):
        opener.core.confirm(world.now)
    world.run()
    check_same(nodes)


def test_the_view_for_people() -> None:
    world = World()
    opener = open_table(world, auto_confirm=False)
    join(world, opener, "bert", bot=make_bot("bert"))
    world.run()
    view = opener.core.view
    assert view.state is State.WAITING
    assert [seat.nickname if seat else None for seat in view.seats] == ["anna", "bert", None, None]
    assert [seat.bot for seat in view.seats if seat] == [False, True]
    assert view.my_seat == 0
    for label in ("carl", "dora"):
        join(world, opener, label, auto_confirm=False)
    world.run()
    view = opener.core.view
    assert view.terms.bot_seats == (1,)
    assert [seat.ready for seat in view.seats if seat] == [False, True, False, False]
    assert view.deadline == gathering.CONFIRM_SECONDS


# -- announcements


def test_an_announcement_is_signed_and_says_who_sits_there() -> None:
    world = World()
    opener = open_table(world)
    join(world, opener, "bert", bot=make_bot("bert"))
    world.run()
    found = announced(opener)
    assert found.opener == opener.me.identity
    assert found.table == TABLE
    assert found.seats == ("anna", "bert", None, None)
    assert found.bots == (False, True, False, False)
    assert found.open
    assert found.revision == len(opener.find(Announce))
    message = opener.find(Announce)[-1].message
    once = handed_on(message)
    assert once is not None
    twice = handed_on(once)
    assert twice is not None
    assert (once.hops, twice.hops) == (1, 2)
    assert handed_on(twice) is None


def test_attack_6_an_announcement_of_somebody_else() -> None:
    world = World()
    opener = open_table(world)
    bert = make_me("bert")
    good = announced(opener)
    message = opener.core.announcement()  # type: ignore[attr-defined]
    forged = sign_announcement(good, bert.sign)
    with pytest.raises(Refusal) as caught:
        read_announcement(forged.announcement, forged.signature)
    assert caught.value.code is Code.SIG
    with pytest.raises(Refusal):
        read_announcement(message.announcement.replace(b"anna", b"anne"), message.signature)
    for changed in (
        {"v": 2},
        {"terms": b"x"},
        {"terms": with_bots(good.terms, ())[:-1]},
        {"seats": ("anna", "\x1b", None, None)},
        {"seats": ("anna",)},
        {"addresses": ("nowhere",)},
    ):
        raw = codec.encode({**codec.unpack(message.announcement), **changed})
        with pytest.raises(Refusal) as caught:
            read_announcement(raw, opener.me.sign(b"DOKO1-table" + raw))
        assert caught.value.code is Code.FORMAT


# -- seats


def offers(node: Node, opener: Node) -> list[int]:
    return [
        send.message.seat
        for send in opener.find(Send)
        if send.to == node.me.identity and isinstance(send.message, SeatOffer)
    ]


def refusals(node: Node, opener: Node) -> list[str]:
    return [
        send.message.reason
        for send in opener.find(Send)
        if send.to == node.me.identity and isinstance(send.message, SeatRefuse)
    ]


def test_a_wanted_seat_is_given_or_refused() -> None:
    world = World()
    opener = open_table(world, seat=2)
    bert = join(world, opener, "bert", seat=3)
    world.run()
    carl = join(world, opener, "carl", seat=3)
    world.run()
    dora = join(world, opener, "dora")
    world.run()
    assert offers(bert, opener) == [3]
    assert refusals(carl, opener) == ["taken"]
    assert carl.failed.reason == "taken"
    assert offers(dora, opener) == [0]


def test_a_full_table_and_one_that_is_for_others() -> None:
    world = World()
    nodes = four(world)
    emil = join(world, nodes[0], "emil")
    world.run()
    assert emil.failed.reason == "full"
    check_same(nodes)
    world = World()
    friends = {make_me("bert").identity}
    opener = open_table(world, may_sit=lambda identity: identity in friends)
    bert, carl = join(world, opener, "bert"), join(world, opener, "carl")
    world.run()
    assert bert.core.state is State.WAITING
    assert carl.failed.reason == "not-invited"


def test_asking_twice_gives_one_seat() -> None:
    world = World()
    opener = open_table(world)
    bert = join(world, opener, "bert")
    world.run()
    world.do(bert, [Send(opener.me.identity, SeatRequest(table=TABLE, seat=None, bot=None, addresses=()))])
    world.run()
    assert offers(bert, opener) == [1, 1]
    assert announced(opener).seats == ("anna", "bert", None, None)


def test_r34_in_a_duel_people_sit_opposite_each_other() -> None:
    world = World()
    opener = open_table(world, make_terms(table=TABLE, mode="duel"))
    bert = join(world, opener, "bert", bot=make_bot("bert"), seat=2)
    world.run()
    assert bert.failed.reason == "taken"  # a computer does not sit opposite a person
    bert = join(world, opener, "bert", bot=make_bot("bert"))
    carl = join(world, opener, "carl")
    dora = join(world, opener, "dora")
    emil = join(world, opener, "emil", bot=make_bot("emil"))
    world.run()
    assert offers(bert, opener)[-1] == 1
    assert offers(carl, opener) == [2]
    assert dora.failed.reason == "full"
    assert "people" in dora.failed.text
    check_same([opener, bert, carl, emil])
    setup = opener.setup
    assert setup is not None
    assert setup.terms.bot_seats == (1, 3)
    assert setup.terms.human_seats == (0, 2)


def test_r34_a_duel_opened_by_a_computer() -> None:
    world = World()
    opener = open_table(world, make_terms(table=TABLE, mode="duel"), bot=make_bot("anna"))
    nodes = [opener, join(world, opener, "bert"), join(world, opener, "carl", bot=make_bot("carl"))]
    world.run()
    nodes.append(join(world, opener, "dora"))
    world.run()
    check_same(nodes)
    setup = opener.setup
    assert setup is not None
    assert setup.terms.bot_seats == (0, 2)


def test_computers_are_named_in_the_final_terms() -> None:
    world = World()
    opener = open_table(world, my_bots=frozenset({make_me("bert").identity}))
    hosted = make_bot("bert", host=opener.me.identity, policy="strong")
    nodes = [opener, join(world, opener, "bert", bot=hosted)]
    nodes += [join(world, opener, "carl"), join(world, opener, "dora", bot=make_bot("dora"))]
    world.run()
    check_same(nodes)
    setup = opener.setup
    assert setup is not None
    assert [(bot.seat, bot.policy, bot.host) for bot in setup.terms.bots] == [
        (1, "strong", opener.me.identity),
        (3, "beginner", nodes[3].me.identity),
    ]
    assert setup.terms.bots[0].seeds == hosted.seeds


@pytest.mark.parametrize(
    "bot",
    [
        make_bot("carl", seeds=make_bot("bert").seeds),  # another computer's chain
        make_bot("carl", host=bytes(32)),
        make_bot("carl", host=make_me("bert").identity),  # a computer hosts nobody
    ],
)
def test_a_computer_whose_fields_cannot_be_is_refused_a_seat(bot: BotSeat) -> None:
    world = World()
    opener = open_table(world)
    join(world, opener, "bert", bot=make_bot("bert"))
    world.run()
    carl = join(world, opener, "carl", bot=bot)
    world.run()
    assert carl.failed.reason == "unfit"
    assert announced(opener).seats == ("anna", "bert", None, None)


def test_nobody_is_made_the_host_of_a_computer_that_is_not_his() -> None:
    world = World()
    opener = open_table(world)
    bert = join(world, opener, "bert")
    join(world, opener, "carl", bot=make_bot("carl", host=bert.me.identity))
    join(world, opener, "dora")
    world.run()
    assert bert.failed.reason == "terms"
    assert "named as host" in bert.failed.text


# -- leaving and time


@pytest.mark.parametrize("who", [1, 2, 3])
def test_a_joiner_who_leaves_makes_room_for_another(who: int) -> None:
    world = World()
    nodes = four(world, auto_confirm=False)
    world.run()
    assert states(nodes) == [State.CONFIRMING] * 4
    leaver = nodes[who]
    world.do(leaver, leaver.core.leave("dinner"))
    world.run()
    others = [node for node in nodes if node is not leaver]
    assert states(others) == [State.WAITING] * 3
    assert leaver.failed.reason == "left"
    assert all(node.find(Withdrawn) for node in others)
    emil = join(world, nodes[0], "emil")
    world.run()
    world.do(nodes[0], nodes[0].core.confirm(world.now))
    world.run()
    nodes[who] = emil
    check_same(nodes)
    assert world.refusals == []


def test_the_opener_closes_the_table() -> None:
    for auto_confirm in (True, False):
        world = World()
        opener = open_table(world, auto_confirm=False)
        others = [join(world, opener, label, auto_confirm=auto_confirm) for label in NAMES[1:]]
        world.run()
        world.do(opener, opener.core.leave("good night"))
        world.run()
        assert states([opener, *others]) == [State.FAILED] * 4
        assert all("good night" in node.failed.text for node in others)
        assert not announced(opener).open


def test_who_does_not_agree_in_time_loses_the_seat() -> None:
    world = World()
    opener = open_table(world)
    nodes = [opener, *(join(world, opener, label, auto_confirm=label != "carl") for label in NAMES[1:])]
    world.run()
    assert states(nodes) == [State.CONFIRMING] * 4
    assert opener.core.next_tick == gathering.CONFIRM_SECONDS
    world.tick(gathering.CONFIRM_SECONDS - 1)
    assert states(nodes) == [State.CONFIRMING] * 4
    world.now += 1
    world.do(opener, opener.core.tick(world.now))
    world.run()
    assert states(nodes) == [State.WAITING, State.WAITING, State.FAILED, State.WAITING]
    assert nodes[2].failed.reason == "late"
    nodes[2] = join(world, opener, "emil")
    world.run()
    check_same(nodes)


def test_an_opener_who_does_not_agree_in_time_closes_the_table() -> None:
    world = World()
    nodes = four(world, auto_confirm=False)
    world.run()
    world.now = gathering.CONFIRM_SECONDS
    world.do(nodes[0], nodes[0].core.tick(world.now))
    world.run()
    assert states(nodes) == [State.FAILED] * 4


def test_a_joiner_does_not_wait_for_ever() -> None:
    world = World()
    opener = open_table(world)
    world.cut.add(frozenset((opener.me.identity, make_me("bert").identity)))
    bert = join(world, opener, "bert")
    assert bert.core.next_tick == gathering.ASK_SECONDS
    world.tick(gathering.ASK_SECONDS)
    assert "does not answer" in bert.failed.text
    assert bert.core.next_tick is None
    world = World()
    opener = open_table(world)
    bert = join(world, opener, "bert")
    world.run()
    assert bert.core.next_tick is None
    world.link(opener, bert, False)
    world.tick(gathering.LINK_SECONDS)
    assert "opener is gone" in bert.failed.text
    assert announced(opener).seats == ("anna", None, None, None)


def test_a_joiner_leaves_a_table_that_never_comes_together() -> None:
    world = World()
    world.change = lambda source, target, message: (
        None if isinstance(message, Ready) and source == "dora" else message
    )
    nodes = four(world)
    bert = nodes[1]
    world.run()
    assert bert.core.state is State.CONFIRMING
    assert bert.core.next_tick == gathering.CONFIRM_SECONDS + gathering.SEATING_SECONDS
    assert bert.core.tick(gathering.CONFIRM_SECONDS) == []  # the opener's affair, if it is honest
    world.do(bert, bert.core.tick(gathering.CONFIRM_SECONDS + gathering.SEATING_SECONDS))
    assert "did not come together" in bert.failed.text


def test_silence_after_ready_fails_with_the_name_of_the_silent() -> None:
    world = World()
    world.change = lambda source, target, message: (
        None if isinstance(message, Seated) and source == "dora" else message
    )
    nodes = four(world)
    world.run()
    assert states(nodes) == [State.SEATING] * 3 + [State.DONE]
    assert nodes[1].core.next_tick == gathering.SEATING_SECONDS
    world.tick(gathering.SEATING_SECONDS)
    for node in nodes[:3]:
        assert "dora" in node.failed.text


def test_a_lost_link_is_waited_for() -> None:
    world = World()
    opener = open_table(world)
    bert = join(world, opener, "bert")
    world.run()
    world.link(opener, bert, False)
    world.tick(gathering.LINK_SECONDS - 1)
    world.link(opener, bert, True)
    world.run()
    world.tick(gathering.LINK_SECONDS)
    assert states([opener, bert]) == [State.WAITING] * 2
    assert announced(opener).seats[1] == "bert"


def test_the_opener_removes_somebody() -> None:
    world = World()
    nodes = four(world, auto_confirm=False)
    opener = nodes[0]
    world.run()
    assert isinstance(opener.core, Opener)
    world.do(opener, opener.core.remove(nodes[2].me.identity, "sorry"))
    world.run()
    assert nodes[2].failed.reason == "removed"
    assert states([nodes[0], nodes[1], nodes[3]]) == [State.WAITING] * 3
    for identity in (opener.me.identity, make_me("emil").identity):
        with pytest.raises(Refusal):
            opener.core.remove(identity)


def test_a_joiner_that_started_anew_after_its_ready_gets_new_terms() -> None:
    world = World()
    opener = open_table(world)
    nodes = [opener, *(join(world, opener, label, auto_confirm=label != "dora") for label in NAMES[1:])]
    world.run()
    bert = nodes[1]
    again = Joiner(bert.me, announced(opener), seeded("bert again"), auto_confirm=True)
    nodes[1] = world.add(again)
    world.do(nodes[1], again.start(world.now))
    world.run()
    assert states(nodes) == [State.CONFIRMING] * 4
    world.do(nodes[3], nodes[3].core.confirm(world.now))
    world.run()
    check_same(nodes)
    third = Joiner(bert.me, announced(opener), seeded("third"), auto_confirm=True)
    late = world.add(third)
    world.do(late, third.start(world.now))
    world.run()
    assert late.failed.reason == "full"  # the match has begun without this one's nonce


def test_a_computer_that_names_the_opener_as_its_host_and_a_shared_key_get_no_seat() -> None:
    world = World()
    opener = open_table(world)
    bert = join(world, opener, "bert", bot=make_bot("bert", host=opener.me.identity))
    world.run()
    assert bert.failed.reason == "unfit"
    static = make_me("carl")
    twin = make_me("dora", static_private=static.static_private)
    twin = replace(twin, static_signature=twin.sign(b"DOKO1-static" + static.static))
    carl, dora = join(world, opener, "carl"), join(world, opener, "dora", me=twin)
    world.run()
    assert carl.core.state is State.WAITING
    assert dora.failed.reason == "unfit"
    assert opener.core.state is State.WAITING


def test_when_it_is_over_nothing_more_is_said() -> None:
    world = World()
    nodes = four(world)
    world.run()
    for node in nodes:
        assert node.core.leave() == []
        assert node.core.tick(1e9) == []
        assert node.core.next_tick is None
        assert node.core.state is State.DONE


def test_a_node_that_is_done_still_answers_one_that_is_not() -> None:
    world = World()
    nodes = four(world)
    bert, dora = nodes[1], nodes[3]
    world.change = lambda source, target, message: (
        None if isinstance(message, Seated) and {source, target} == {"bert", "dora"} and target == "dora" else message
    )
    world.run()
    assert states(nodes) == [State.DONE] * 3 + [State.SEATING]
    world.change = lambda source, target, message: message
    world.link(bert, dora, False)
    world.link(bert, dora, True)
    world.run()
    check_same(nodes)


@pytest.mark.parametrize("seed", range(30))
def test_people_who_come_and_leave_over_bad_links_never_break_the_protocol(seed: int) -> None:
    """Six nodes that keep to the protocol, leaving and losing links at random: nobody refuses anything of the others,
    and nobody ends at another match."""
    world = World()
    chance = random.Random(seed)
    opener = open_table(world)
    nodes = [opener, *(join(world, opener, label) for label in (*NAMES[1:], "emil", "fritz"))]
    for _ in range(150):
        dice = chance.random()
        alive = [node for node in nodes[1:] if node.core.state not in (State.FAILED, State.DONE)]
        if dice < 0.10:
            first, second = chance.sample(nodes, 2)
            world.link(first, second, frozenset((first.me.identity, second.me.identity)) in world.cut)
        elif dice < 0.12 and alive:
            leaver = chance.choice(alive)
            world.do(leaver, leaver.core.leave())
        elif dice < 0.15:
            world.tick(chance.choice([0.1, 10.0, 40.0]))
        elif not world.step(chance.choice):
            world.tick(1.0)
    assert world.refusals == []
    assert len({node.setup.match_id for node in nodes if node.setup is not None}) <= 1


# -- hostile


def test_an_opener_that_shows_different_terms_is_found_out() -> None:
    other = make_terms(table=TABLE, bots=())
    world = World()
    opener = open_table(world, auto_confirm=True)
    bot = make_bot("dora")

    def lie(source: str, target: str, message: Message) -> Message:
        if isinstance(message, TermsSet) and target == "carl":  # the same terms but for the computer's policy
            terms = read_terms(message.terms)
            changed = msgspec.structs.replace(terms.bots[0], policy="master")
            return msgspec.structs.replace(message, terms=with_bots(other, (changed,)))
        return message

    world.change = lie
    nodes = [opener, join(world, opener, "bert"), join(world, opener, "carl"), join(world, opener, "dora", bot=bot)]
    world.run()
    assert all(node.setup is None for node in nodes)
    assert "terms-differ" in {node.failed.reason for node in nodes}


@pytest.mark.parametrize(("field_name", "reason"), [("terms_hash", "terms-differ"), ("members_hash", "members-differ")])
def test_who_is_to_blame_for_an_agreement_to_something_else(field_name: str, reason: str) -> None:
    _, nodes, ready = confirming()
    other = msgspec.structs.replace(ready, **{field_name: bytes(32)})
    signed = ready_bytes(TABLE, 1, other.terms_hash, other.members_hash, 3, other.nonce)
    other = msgspec.structs.replace(other, signature=nodes[3].me.sign(signed))
    for node, blamed in ((nodes[1], nodes[0]), (nodes[0], nodes[3])):
        del node.core._round.ready[3]  # type: ignore[union-attr]
        failed = [e for e in node.core.receive(as_peer(nodes[3].me), other, 0.0) if isinstance(e, Failed)]
        assert (failed[0].reason, failed[0].blame) == (reason, blamed.me.identity)


def test_an_opener_that_shows_different_players_is_found_out() -> None:
    world = World()
    emil = make_me("emil")
    stranger = Member(
        identity=emil.identity,
        static=emil.static,
        static_signature=emil.static_signature,
        nickname="emil",
        addresses=(),
    )

    def lie(source: str, target: str, message: Message) -> Message:
        if isinstance(message, TermsSet) and target == "bert":
            return msgspec.structs.replace(message, members=(*message.members[:3], stranger))
        return message

    world.change = lie
    nodes = four(world)
    world.run()
    assert all(node.setup is None for node in nodes)
    assert any(node.find(Failed) and node.failed.reason == "members-differ" for node in nodes)


def test_different_nonces_for_different_players_lead_to_no_match() -> None:
    world = World()
    dora = make_me("dora")

    def lie(source: str, target: str, message: Message) -> Message:
        if isinstance(message, Ready) and source == "dora" and target == "bert":
            nonce = bytes(32)
            signed = ready_bytes(TABLE, message.round, message.terms_hash, message.members_hash, message.seat, nonce)
            return msgspec.structs.replace(message, nonce=nonce, signature=dora.sign(signed))
        return message

    world.change = lie
    nodes = four(world)
    world.run()
    assert all(node.setup is None for node in nodes[:3])
    assert "match-differs" in {node.failed.reason for node in nodes[:3]}


def test_two_different_readies_are_an_equivocation() -> None:
    world = World()
    nodes = four(world, auto_confirm=False)
    world.run()
    dora, bert = nodes[3], nodes[1]
    first = next(send.message for send in dora.find(Send) if isinstance(send.message, Ready))
    signed = ready_bytes(TABLE, 1, first.terms_hash, first.members_hash, 3, bytes(32))
    second = msgspec.structs.replace(first, nonce=bytes(32), signature=dora.me.sign(signed))
    world.do(bert, bert.core.receive(as_peer(dora.me), second, world.now))
    assert bert.failed.reason == "equivocation"
    assert bert.failed.blame == dora.me.identity


def test_a_copied_nonce_is_refused() -> None:
    world = World()
    nodes = four(world, auto_confirm=False)
    world.run()
    bert, carl = nodes[1], nodes[2]
    theirs = bert.core._round.ready[3]  # type: ignore[union-attr]
    del bert.core._round.ready[2]  # type: ignore[union-attr]
    signed = ready_bytes(TABLE, 1, theirs.terms_hash, theirs.members_hash, 2, theirs.nonce)
    copied = msgspec.structs.replace(theirs, seat=2, signature=carl.me.sign(signed))
    world.do(bert, bert.core.receive(as_peer(carl.me), copied, world.now))
    assert bert.failed.blame == carl.me.identity


def confirming() -> tuple[World, list[Node], Ready]:
    world = World()
    nodes = four(world, auto_confirm=False)
    world.run()
    ready = next(send.message for send in nodes[3].find(Send) if isinstance(send.message, Ready))
    return world, nodes, ready


def refused(node: Node, source: Me, message: Message) -> Code:
    before = node.core.view
    with pytest.raises(Refusal) as caught:
        node.core.receive(as_peer(source), message, 0.0)
    assert node.core.view == before
    return caught.value.code


@pytest.mark.parametrize(
    ("change", "source", "code"),
    [
        ({"signature": bytes(64)}, "dora", Code.SIG),
        ({"nonce": bytes(32)}, "dora", Code.SIG),
        ({"terms_hash": bytes(32)}, "dora", Code.SIG),
        ({"members_hash": bytes(32)}, "dora", Code.SIG),
        ({"seat": 2}, "dora", Code.CONTEXT),
        ({"table": b"u" * 16}, "dora", Code.CONTEXT),
        ({}, "carl", Code.CONTEXT),  # another's READY, sent as one's own
        ({}, "emil", Code.CONTEXT),
        ({}, "bert", Code.CONTEXT),  # from oneself
    ],
)
def test_attack_6_a_ready_that_is_not_its_senders(change: dict[str, Any], source: str, code: Code) -> None:
    _, nodes, ready = confirming()
    del nodes[1].core._round.ready[3]  # type: ignore[union-attr]
    assert refused(nodes[1], make_me(source), msgspec.structs.replace(ready, **change)) is code


def test_a_ready_of_an_earlier_round_is_ignored_and_of_a_later_one_held() -> None:
    _, nodes, ready = confirming()
    old = msgspec.structs.replace(ready, round=0)
    assert nodes[1].core.receive(as_peer(nodes[3].me), old, 0.0) == []
    late = msgspec.structs.replace(ready, round=9)
    assert nodes[1].core.receive(as_peer(nodes[3].me), late, 0.0) == []
    assert nodes[1].core.state is State.CONFIRMING


def test_held_messages_are_bounded() -> None:
    world = World()
    opener = open_table(world)
    bert = join(world, opener, "bert")
    world.run()
    _, _, ready = confirming()
    for number in range(gathering.MAX_HELD + 20):
        peer = replace(as_peer(make_me("emil")), identity=bytes([number]) * 32)
        assert bert.core.receive(peer, ready, 0.0) == []
    assert len(bert.core._held) == gathering.MAX_HELD
    for label in ("carl", "dora"):
        join(world, opener, label)
    world.run()
    assert bert.setup is not None  # who had the terms first says READY again


OPENERS_MESSAGES: tuple[Message, ...] = (
    SeatOffer(table=TABLE, seat=1),
    SeatRefuse(table=TABLE, reason="full", text=""),
)


def test_only_the_opener_gives_and_refuses_seats_and_sets_terms() -> None:
    world, nodes, _ = confirming()
    terms = next(send.message for send in nodes[0].find(Send) if isinstance(send.message, TermsSet))
    for message in (*OPENERS_MESSAGES, terms):
        for source in ("carl", "emil"):
            assert refused(nodes[1], make_me(source), message) is Code.CONTEXT
    for message in (*OPENERS_MESSAGES, terms):
        assert refused(nodes[0], nodes[1].me, message) is Code.TURN
    assert refused(nodes[1], make_me("carl"), SeatRequest(table=TABLE, seat=None, bot=None, addresses=())) is Code.TURN
    for node in nodes[:2]:  # perhaps somebody who has just lost the seat: nothing happens
        before = node.core.view
        assert node.core.receive(as_peer(make_me("emil")), Leave(table=TABLE, reason="left", text=""), 0.0) == []
        assert node.core.view == before
    seated = Seated(table=TABLE, round=1, match=bytes(32), roster_hash=bytes(32))
    assert refused(nodes[1], make_me("emil"), seated) is Code.CONTEXT
    assert refused(nodes[1], make_me("carl"), opener_message(nodes)) is Code.CONTEXT
    world.run()


def opener_message(nodes: list[Node]) -> TableOpen:
    core = nodes[0].core
    assert isinstance(core, Opener)
    return core.announcement()


def changed_terms(change: Callable[[TermsSet, list[Node]], TermsSet]) -> Node:
    """Bert as joiner, who is sent TERMS that an opener has changed for all."""
    world = World()
    nodes: list[Node] = []

    def lie(source: str, target: str, message: Message) -> Message | None:
        if isinstance(message, TermsSet):
            return change(message, nodes) if target == "bert" else None
        return message

    world.change = lie
    opener = open_table(world)
    nodes += [opener, join(world, opener, "bert")]
    world.run()
    nodes += [join(world, opener, "carl", bot=make_bot("carl")), join(world, opener, "dora")]
    world.run()
    return nodes[1]


def with_member(message: TermsSet, seat: int, **changed: Any) -> TermsSet:
    people = list(message.members)
    people[seat] = msgspec.structs.replace(people[seat], **changed)
    return msgspec.structs.replace(message, members=tuple(people))


def with_terms(message: TermsSet, **changed: Any) -> TermsSet:
    terms = msgspec.structs.replace(read_terms(message.terms), **changed)
    return msgspec.structs.replace(message, terms=codec.encode(terms))


def swapped(message: TermsSet, first: int, second: int) -> TermsSet:
    people = list(message.members)
    people[first], people[second] = people[second], people[first]
    return msgspec.structs.replace(message, members=tuple(people))


EMIL = make_me("emil")
BAD_TERMS: list[tuple[Callable[[TermsSet, list[Node]], TermsSet], str]] = [
    (lambda m, n: msgspec.structs.replace(m, terms=m.terms + b"\xc0"), "after the end"),
    (lambda m, n: msgspec.structs.replace(m, terms=b"\x80"), "missing"),
    (lambda m, n: with_terms(m, stake=1_000), "differ from those announced"),
    (lambda m, n: with_terms(m, fee=2_500), "differ from those announced"),
    (lambda m, n: with_member(m, 1, static=EMIL.static, static_signature=EMIL.static_signature), "signature"),
    (lambda m, n: with_member(m, 1, nickname="bart"), "our own keys or name"),
    (lambda m, n: with_member(m, 3, identity=EMIL.identity), "signature"),
    (lambda m, n: with_member(m, 3, static_signature=bytes(64)), "signature"),
    (lambda m, n: with_member(m, 3, identity=bytes(32)), "small order"),
    (lambda m, n: msgspec.structs.replace(m, members=(*m.members[:3], m.members[0])), "one identity"),
    (lambda m, n: swapped(m, 0, 1), "another seat than offered"),
    (lambda m, n: swapped(m, 2, 3), "somebody else in the roster"),
    (
        lambda m, n: with_member(
            m, 0, identity=EMIL.identity, static=EMIL.static, static_signature=EMIL.static_signature
        ),
        "opener is not one of the four",
    ),
    (
        lambda m, n: with_member(
            m, 1, identity=EMIL.identity, static=EMIL.static, static_signature=EMIL.static_signature
        ),
        "we are not one of the four",
    ),
    (
        lambda m, n: with_terms(
            m, bots=(msgspec.structs.replace(read_terms(m.terms).bots[0], identity=n[1].me.identity, seat=1),)
        ),
        "computer",
    ),
]


@pytest.mark.parametrize(("change", "words"), BAD_TERMS)
def test_final_terms_that_are_not_acceptable(change: Callable[[TermsSet, list[Node]], TermsSet], words: str) -> None:
    bert = changed_terms(change)
    assert bert.failed.reason == "terms"
    assert words in bert.failed.text
    assert bert.failed.blame == make_me("anna").identity
    assert not any(isinstance(send.message, Ready) for send in bert.find(Send))


def test_a_computer_that_is_not_named_or_named_otherwise_does_not_agree() -> None:
    for changed in (None, {"policy": "master"}, {"seeds": bytes(32)}, {"host": make_me("anna").identity}):
        world = World()

        def lie(
            source: str, target: str, message: Message, changed: dict[str, Any] | None = changed
        ) -> Message | None:
            if isinstance(message, TermsSet):
                bots = read_terms(message.terms).bots
                new = () if changed is None else (msgspec.structs.replace(bots[0], **changed),)
                return with_terms(message, bots=new)
            return message

        world.change = lie
        opener = open_table(world)
        bert = join(world, opener, "bert", bot=make_bot("bert"))
        for label in ("carl", "dora"):
            join(world, opener, label)
        world.run()
        assert bert.setup is None
        assert bert.failed.reason == "terms"


def test_an_opener_that_takes_terms_back_after_settling_them_is_refused() -> None:
    world = World()
    world.change = lambda source, target, message: (
        None if isinstance(message, Seated) and source in ("carl", "dora") and target == "bert" else message
    )
    nodes = four(world)
    world.run()
    bert = nodes[1]
    assert bert.core.state is State.SEATING
    terms = next(send.message for send in nodes[0].find(Send) if isinstance(send.message, TermsSet))
    later = msgspec.structs.replace(terms, round=2)
    for message in (SeatOffer(table=TABLE, seat=1), SeatRefuse(table=TABLE, reason="full", text=""), later):
        assert refused(bert, nodes[0].me, message) is Code.CONTEXT
    again = msgspec.structs.replace(terms, terms=make_terms(table=TABLE, stake=99))
    effects = bert.core.receive(as_peer(nodes[0].me), again, 0.0)
    assert any(isinstance(effect, Failed) and effect.blame == nodes[0].me.identity for effect in effects)


def test_in_the_end_contradictions_change_nothing() -> None:
    world = World()
    nodes = four(world)
    world.run()
    check_same(nodes)
    dora, bert = nodes[3], nodes[1]
    ready = next(send.message for send in dora.find(Send) if isinstance(send.message, Ready))
    signed = ready_bytes(TABLE, 1, ready.terms_hash, ready.members_hash, 3, bytes(32))
    other = msgspec.structs.replace(ready, nonce=bytes(32), signature=dora.me.sign(signed))
    assert refused(bert, dora.me, other) is Code.EQUIVOCATION
    seated = next(send.message for send in dora.find(Send) if isinstance(send.message, Seated))
    assert refused(bert, dora.me, msgspec.structs.replace(seated, match=bytes(32))) is Code.EQUIVOCATION
    terms = next(send.message for send in nodes[0].find(Send) if isinstance(send.message, TermsSet))
    assert refused(bert, nodes[0].me, msgspec.structs.replace(terms, round=2)) is Code.CONTEXT
    assert bert.core.receive(as_peer(nodes[0].me), Leave(table=TABLE, reason="left", text=""), 0.0) == []
    assert bert.core.state is State.DONE


@pytest.mark.parametrize("seed", range(30))
def test_hostile_messages_at_any_time_raise_nothing_but_refusals(seed: int) -> None:
    """Dora sends everyone changed copies of what she has seen: no two nodes end with different matches."""
    world = World()
    chance = random.Random(seed)
    nodes = four(world)
    seen: list[Message] = [
        SeatRequest(table=TABLE, seat=2, bot=make_bot("dora"), addresses=()),
        SeatOffer(table=TABLE, seat=3),
        Leave(table=TABLE, reason="x", text=""),
        Seated(table=TABLE, round=1, match=bytes(32), roster_hash=bytes(32)),
    ]

    def watch(source: str, target: str, message: Message) -> Message:
        seen.append(message)
        return message

    world.change = watch
    dora = nodes[3]
    for _ in range(200):
        if not world.step(chance.choice):
            break
        if chance.random() < 0.2:
            message = chance.choice(seen)
            names = [name for name in message.__struct_fields__ if name in ("seat", "round", "nonce", "match")]
            if names and chance.random() < 0.7:
                name = chance.choice(names)
                value = bytes(32) if name in ("nonce", "match") else chance.randrange(4)
                message = msgspec.structs.replace(message, **{name: value})
            target = chance.choice(nodes[:3])
            with contextlib.suppress(Refusal):
                world.do(target, target.core.receive(as_peer(dora.me), message, world.now))
    world.run()
    ended = {node.setup.match_id for node in nodes[:3] if node.setup is not None}
    assert len(ended) <= 1


def test_members_and_ready_bytes_are_as_specified() -> None:
    people = [
        Member(
            identity=me.identity,
            static=me.static,
            static_signature=me.static_signature,
            nickname=me.nickname,
            addresses=("a.example:1",),
        )
        for me in map(make_me, NAMES)
    ]
    expected = b"DOKO1-members" + b"".join(
        m.identity + m.static + m.static_signature + bytes([len(m.nickname)]) + m.nickname.encode() for m in people
    )
    assert members_hash(people) == hashlib.sha256(expected).digest()
    assert ready_bytes(b"t" * 16, 258, b"a" * 32, b"b" * 32, 3, b"c" * 32) == (
        b"DOKO1-ready" + b"t" * 16 + b"\x01\x02" + b"a" * 32 + b"b" * 32 + b"\x03" + b"c" * 32
    )


def test_a_table_of_ones_own_cannot_be_joined() -> None:
    world = World()
    opener = open_table(world)
    with pytest.raises(Refusal):
        Joiner(opener.me, announced(opener), seeded("x"))
    with pytest.raises(Refusal):
        opener.core.receive(
            as_peer(opener.me), SeatRequest(table=TABLE, seat=None, bot=None, addresses=()), world.now
        )
    with pytest.raises(Refusal):
        Opener(opener.me, make_terms(table=TABLE), seeded("x"), seat=4)
    named = with_bots(make_terms(table=TABLE), (terms_bot(1),))
    with pytest.raises(Refusal):
        Opener(opener.me, named, seeded("x"))


