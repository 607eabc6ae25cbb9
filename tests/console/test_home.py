"""A person's node over real TCP: friends, tables, chat, a match of four, the next match with the same four."""

import json
from contextlib import AsyncExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import trio

from node.company import Computer
from node.net.address import Listen
from node.plan import Plan
from node.runtime import own_hosts
from node.store import Store
from node.view import (
    AddFriend,
    BlockFriend,
    Export,
    FillWithBots,
    InviteFriend,
    JoinTable,
    Leave,
    LinkState,
    LookHistory,
    LookLedger,
    MakeInvite,
    MuteChat,
    OpenNewTable,
    Pause,
    PlayCard,
    Ready,
    Rematch,
    RemoveFriend,
    RenameFriend,
    Say,
    Stage,
    TermsView,
    Tone,
)
from protocol.table.effects import DealAgain
from tests.console.homes import Person, first_legal, person
from tests.table.net import setups

pytestmark = pytest.mark.trio

NAMES = ("Anna", "Bruno", "Carla", "Dora")


def contents(paths: list[str]) -> list[bytes]:
    """What stands in files."""
    return [Path(path).read_bytes() for path in paths]


async def befriend(one: Person, other: Person) -> None:
    """*one* makes a link, *other* redeems it."""
    one.desk.send(MakeInvite())
    view = await one.desk.until(lambda v: v.lobby.invite)
    other.desk.send(AddFriend(view.lobby.invite))
    await other.desk.until(lambda v: any(f.name == one.name for f in v.lobby.friends))
    await one.desk.until(lambda v: any(f.name == other.name for f in v.lobby.friends))


async def test_showing_the_lobby_does_not_wait_for_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The store's lock is held while it waits for the disk, so a view, made after every change, never takes it."""
    async with person(tmp_path, "Anna") as anna, person(tmp_path, "Bruno") as bruno:
        await befriend(anna, bruno)
        with monkeypatch.context() as patched:
            patched.setattr(Store, "contacts", None)
            view = anna.home.view()
        assert [friend.name for friend in view.lobby.friends] == ["Bruno"]


async def test_a_link_makes_two_friends_once(tmp_path: Path) -> None:
    async with person(tmp_path, "Anna") as anna, person(tmp_path, "Bruno") as bruno:
        await befriend(anna, bruno)
        friend = bruno.desk.view.lobby.friends[0]
        assert friend.key == anna.key
        assert len(friend.words.split()) >= 10
        assert friend.link.state is LinkState.DIRECT
        link = anna.desk.view.lobby.invite
        bruno.desk.send(AddFriend(link))
        assert "friend already" in await bruno.desk.notice("already")
        async with person(tmp_path, "Carla") as carla:
            carla.desk.send(AddFriend(link))
            await carla.desk.notice("does not know this link")
            assert carla.desk.view.lobby.friends == ()
            carla.desk.send(AddFriend("doko:nonsense"))
            assert "cannot be used" in await carla.desk.notice("cannot be used")


async def test_friends_are_renamed_blocked_and_removed(tmp_path: Path) -> None:
    async with person(tmp_path, "Anna") as anna, person(tmp_path, "Bruno") as bruno:
        await befriend(anna, bruno)
        anna.desk.send(RenameFriend(bruno.key, "Bru"))
        await anna.desk.until(lambda v: v.lobby.friends[0].name == "Bru")
        anna.desk.send(RenameFriend(bruno.key, "\n"))
        await anna.desk.notice("nickname")
        anna.desk.send(BlockFriend(bruno.key))
        view = await anna.desk.until(lambda v: v.lobby.friends[0].link.state is LinkState.LOST)
        assert view.lobby.friends[0].blocked
        await bruno.desk.until(lambda v: v.lobby.friends[0].link.state is LinkState.LOST)
        anna.desk.send(RemoveFriend(bruno.key))
        await anna.desk.until(lambda v: not v.lobby.friends)


async def test_a_table_for_friends_is_seen_by_friends_alone(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        anna, bruno, carla = [await stack.enter_async_context(person(tmp_path, name)) for name in NAMES[:3]]
        await befriend(anna, bruno)
        anna.desk.send(OpenNewTable(TermsView(seats="friends", stake=25, strength="strong")))
        view = await bruno.desk.until(lambda v: v.lobby.tables)
        [table] = view.lobby.tables
        assert (table.opener.name, table.terms.stake, table.terms.strength, table.free) == ("Anna", 25, "strong", 3)
        carla.desk.send(JoinTable(where=anna.address))  # she gets a link, but no table to sit at
        bruno.desk.send(JoinTable(table.id))
        await anna.desk.until(lambda v: v.lobby.seating and v.lobby.seating.players.count(None) == 2)
        bruno.desk.send(Leave())
        await bruno.desk.until(lambda v: v.lobby.seating is None)
        await anna.desk.until(lambda v: v.lobby.seating and v.lobby.seating.players.count(None) == 3)
        anna.desk.send(Leave())
        await bruno.desk.until(lambda v: not v.lobby.tables)
        assert not any(v.lobby.tables or v.lobby.seating for v in carla.desk.views)


async def test_who_becomes_a_friend_by_a_link_sees_the_open_table(tmp_path: Path) -> None:
    async with person(tmp_path, "Anna") as anna, person(tmp_path, "Bruno") as bruno:
        anna.desk.send(OpenNewTable(TermsView(seats="friends")))
        await anna.desk.until(lambda v: v.lobby.seating)
        await befriend(anna, bruno)
        view = await bruno.desk.until(lambda v: v.lobby.tables)
        bruno.desk.send(JoinTable(view.lobby.tables[0].id))
        await bruno.desk.until(lambda v: v.lobby.seating)


async def test_a_table_for_the_invited_is_shown_to_who_is_invited(tmp_path: Path) -> None:
    async with person(tmp_path, "Anna") as anna, person(tmp_path, "Bruno") as bruno:
        await befriend(anna, bruno)
        anna.desk.send(OpenNewTable(TermsView(seats="invited")))
        await anna.desk.until(lambda v: v.lobby.seating)
        assert not bruno.desk.view.lobby.tables
        anna.desk.send(InviteFriend(bruno.key))
        view = await bruno.desk.until(lambda v: v.lobby.tables)
        bruno.desk.send(JoinTable(view.lobby.tables[0].id))
        await bruno.desk.until(lambda v: v.lobby.seating)


async def test_a_guest_sees_who_sits_there_before_all_four_are(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        anna, bruno, carla = [await stack.enter_async_context(person(tmp_path, name)) for name in NAMES[:3]]
        anna.desk.send(OpenNewTable(TermsView(seats="anyone")))
        await anna.desk.until(lambda v: v.lobby.seating)
        bruno.desk.send(JoinTable(where=anna.address))
        await bruno.desk.until(lambda v: v.lobby.seating and v.lobby.seating.players.count(None) == 2)
        carla.desk.send(JoinTable(where=anna.address))
        for one in (bruno, carla):
            view = await one.desk.until(lambda v: v.lobby.seating and v.lobby.seating.players.count(None) == 1)
            seating = view.lobby.seating
            assert seating is not None
            assert [player and player.name for player in seating.players] == ["Anna", "Bruno", "Carla", None]
            me = seating.players[seating.me]
            assert me is not None
            assert me.key == one.key
            opener = seating.players[0]
            assert opener is not None
            assert opener.link.state is LinkState.DIRECT


async def test_a_deal_thrown_away_in_the_background_is_no_news(tmp_path: Path) -> None:
    again = DealAgain(3, "the duel does not allow this deal")
    async with person(tmp_path, "Anna") as anna:
        anna.home._heard(again)
        view = await anna.desk.until(lambda v: v.notices)
        assert view.notices[-1].tone is Tone.INFO
        said = view.notices
        playing: Any = SimpleNamespace(view=SimpleNamespace(hand=object(), stage=None))
        anna.home._session = playing
        anna.home._heard(again)
        anna.home._heard(DealAgain(3, "the three others agreed", 2))
        view = await anna.desk.until(lambda v: len(v.notices) > len(said))
        assert len(view.notices) == len(said) + 1  # the one that blames somebody
        assert view.notices[-1].tone is Tone.WARN
        anna.home._session = None


async def test_computers_that_have_gone_come_again_for_the_next_match(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hired: list[tuple[str, bool]] = []
    async with person(tmp_path, "Anna") as anna:
        four = [player.identity for player in setups(0, (1, 3))[0].roster.players]
        company = anna.home._company
        company._computers[four[3]] = Computer(four[3], "Dora", "random", tmp_path)  # has stayed

        def hire(level: str, taken: set[str], address: str, listen: str, *, person: bool = False) -> Computer:
            assert address == anna.address
            hired.append((level, person))
            key = four[3 - len(hired)]  # an identity that is free, not that of the one it comes for
            company._computers[key] = Computer(key, "", level, tmp_path)
            return Computer(bytes(32), f"new {len(hired)}", level, tmp_path)

        monkeypatch.setattr(company, "hire", hire)
        monkeypatch.setattr(company, "knows", lambda key: key in (four[1], four[2], four[3]))
        anna.home._hire_again(Plan(setups(0, (1, 3))[0], ((),) * 4))
        assert hired == [("random", False), ("random", True)]
        company._computers.clear()


async def test_an_invitation_from_loopback_alone_says_so(tmp_path: Path) -> None:
    async with person(tmp_path, "Anna") as anna:
        assert anna.desk.view.lobby.reach == "machine"
        await anna.node.hub.listen(Listen("", 0))
        anna.home.change()
        await anna.desk.until(lambda v: v.lobby.reach != "machine" or own_hosts() == ["127.0.0.1"])


async def test_impossible_wishes_are_answered_in_words(tmp_path: Path) -> None:
    async with person(tmp_path, "Anna") as anna:
        anna.desk.send(FillWithBots())
        await anna.desk.notice("Only who opened")
        anna.desk.send(JoinTable("00" * 16))
        await anna.desk.notice("no longer open")
        anna.desk.send(JoinTable(where="not an address"))
        await anna.desk.notice("no address")
        anna.desk.send(JoinTable(where="127.0.0.1:1"))
        await anna.desk.notice("cannot be reached")
        anna.desk.send(OpenNewTable(TermsView(mode="variable", stake=50, limit=10)))
        await anna.desk.notice("limit")
        anna.desk.send(OpenNewTable(TermsView()))
        await anna.desk.until(lambda v: v.lobby.seating)
        anna.desk.send(OpenNewTable(TermsView()))
        await anna.desk.notice("sit at a table already")
        anna.desk.send(PlayCard(3))
        anna.desk.send(Ready())
        await anna.desk.notice("no terms")


async def gather(people: list[Person], terms: TermsView) -> None:
    """Everybody sits down at the first one's table and agrees."""
    people[0].desk.send(OpenNewTable(terms))
    await people[0].desk.until(lambda v: v.lobby.seating)
    for one in people[1:]:
        one.desk.send(JoinTable(where=people[0].address))
    await agree(people)


async def agree(people: list[Person]) -> None:
    for one in people:
        await one.desk.until(lambda v: v.lobby.seating and v.lobby.seating.confirm)
        one.desk.send(Ready())
    for one in people:
        await one.desk.until(lambda v: v.table is not None)


async def test_four_people_play_settle_and_play_again(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        people = [await stack.enter_async_context(person(tmp_path, name)) for name in NAMES]
        anna, bruno = people[:2]
        for one in people[1:]:
            one.desk.auto = first_legal
        await gather(people, TermsView(mode="variable", stake=5, limit=20, seats="anyone"))
        view = await anna.desk.until(lambda v: v.table is not None and v.table.question is not None)
        table = view.table
        assert table is not None
        assert sorted(player.name for player in table.players) == list(NAMES)
        assert table.deal.done
        assert table.deal.barrier
        assert table.chat_muted  # off for the running hand
        bruno.desk.send(Say("good luck"))
        await bruno.desk.until(lambda v: v.table and v.table.chat)
        anna.desk.send(MuteChat(False))
        view = await anna.desk.until(lambda v: v.table and v.table.chat)
        assert view.table is not None
        assert [(line.name, line.text) for line in view.table.chat] == [("Bruno", "good luck")]
        for one in people:
            one.desk.send(Pause())
        await anna.desk.until(lambda v: v.table and v.table.paused)
        bruno.desk.send(Pause(False))
        await anna.desk.until(lambda v: v.table and not v.table.paused)
        bad = next(card for card in range(24) if table.hand is not None and card not in table.hand.hand)
        anna.desk.send(PlayCard(bad))
        await anna.desk.until(lambda v: any(notice.tone.value == "error" for notice in v.notices))
        anna.desk.auto = first_legal
        first = first_legal(anna.desk.view)
        assert first is not None
        anna.desk.send(first)
        ends = [
            await one.desk.until(
                lambda v: (
                    v.table is not None
                    and v.table.stage is Stage.SETTLED
                    and v.table.settlement is not None
                    and all(v.table.settlement.signed)
                    and v.table.settlement.path
                )
            )
            for one in people
        ]
        tables = [end.table for end in ends if end.table is not None]
        assert len({table.money for table in tables}) == 1
        assert sum(tables[0].money) + tables[0].kitty == 0
        files = contents([table.settlement.path for table in tables if table.settlement is not None])
        assert len(set(files)) == 1
        [hand] = tables[0].finished
        assert len(hand.hands) == 4
        assert len(hand.state.tricks) == 12
        anna.desk.send(LookLedger())
        anna.desk.send(LookHistory())
        view = await anna.desk.until(lambda v: v.ledger is not None and v.history is not None)
        assert view.ledger is not None
        assert view.history is not None
        assert sum(balance.amount for balance in view.ledger.balances) == tables[0].money[tables[0].me]
        assert [row.points for row in view.history.matches] == [tables[0].points]
        for what in ("record", "ledger", "history"):
            anna.desk.send(Export(what, tables[0].match))
            notice = await anna.desk.notice(f"{what}s-" if what == "record" else f"{what}-")
            [data] = contents([notice.split(": ", 1)[1]])
            assert len(data) > 50
            if what == "record":
                assert json.loads(data)[0]["format"] == "doko-hand/1"
        # the next match with the same four
        bruno.desk.send(Rematch())
        await bruno.desk.notice("is waited for")
        anna.desk.send(Rematch())
        await bruno.desk.until(lambda v: v.lobby.seating)
        for one in people[2:]:
            await one.desk.notice("asks you to another match")
            one.desk.send(Rematch())
        with trio.fail_after(60):
            await agree(people)
        assert {one.desk.view.table.match for one in people if one.desk.view.table is not None} != {tables[0].match}
