"""Sessions: effects in order, persist before send, cut links, a full disk, a peer's junk; real cores, no real time."""

from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio
import trio.testing

from node.errors import DokoError
from node.net.link import How
from node.session import Left, Said, Session, match_of
from node.store import Store, StoreConflict
from protocol.refusal import Refusal
from protocol.rules.acts import Play
from protocol.table.effects import Acted, HandClosed, HandOpened, Pause, Persist, PlayCard, TrickClosed
from protocol.table.verify import verify
from protocol.wire import messages
from protocol.wire.connection import Incoming
from protocol.wire.entries import decode_payload
from protocol.wire.messages import Dwell, Seen
from tests.net.match import FourSeats, Seat

pytestmark = [pytest.mark.trio, pytest.mark.slow]


async def play_all(seats: list[Seat]) -> None:
    async with trio.open_nursery() as sessions:
        for seat in seats:
            sessions.start_soon(seat.play)


def check(seats: list[Seat]) -> None:
    files = []
    for seat in seats:
        assert seat.outcome is not None
        assert seat.outcome.signatures == 4
        assert seat.outcome.settlement is not None
        files.append(seat.outcome.settlement)
    assert len(set(files)) == 1
    verdict = verify(files[0])
    assert verdict.problem == ""


async def test_four_sessions_play_a_match_to_one_settlement(tmp_path: Path, autojump_clock: object) -> None:
    four = FourSeats()
    async with trio.open_nursery() as nursery, AsyncExitStack() as stack:
        seats = await four.gather(stack, nursery, tmp_path, mode="variable", stake=10, fee=250)
        await play_all(seats)
        check(seats)
        for seat in seats:
            kinds = [type(event) for event in seat.events]
            assert kinds.count(HandOpened) == 1
            assert kinds.count(TrickClosed) == 12
            assert kinds.count(HandClosed) == 1
            assert seat.session is not None
            assert seat.session.player.refusals == 0
            assert not [n for n in seat.store.load(seat.plan.match).secrets if n.startswith("deal/")]
        nursery.cancel_scope.cancel()


async def test_own_entries_and_all_below_are_stored_before_they_leave(
    tmp_path: Path, autojump_clock: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored: dict[Path, set[bytes]] = {}
    early: list[str] = []
    sent = 0
    persist = Store.persist

    def remember(self: Store, match: bytes, effect: Persist) -> None:
        persist(self, match, effect)
        stored.setdefault(self.path, set()).update(entry.payload for entry in effect.entries)

    monkeypatch.setattr(Store, "persist", remember)
    four = FourSeats()
    async with trio.open_nursery() as nursery, AsyncExitStack() as stack:
        seats = await four.gather(stack, nursery, tmp_path)
        for seat in seats:
            post = seat.hub.post

            def watch(to: bytes, raw: bytes, seat: Seat = seat, post: Any = post) -> bool:
                nonlocal sent
                message = messages.decode(raw)
                if isinstance(message, messages.Entry):
                    says = decode_payload(message.p)
                    if says.seat == seat.plan.setup.my_seat:
                        sent += 1
                        if message.p not in stored.get(seat.store.path, set()):
                            early.append(f"{seat.name}: {says.kind.name} {says.seq}")
                return bool(post(to, raw))

            monkeypatch.setattr(seat.hub, "post", watch)
        await play_all(seats)
        check(seats)
        nursery.cancel_scope.cancel()
    assert sent >= 4 * 3 * 30
    assert early == []


@pytest.mark.parametrize("seed", range(3))
async def test_links_cut_again_and_again_do_not_stop_a_match(seed: int, tmp_path: Path, autojump_clock: object) -> None:
    import random

    chance = random.Random(seed)
    four = FourSeats()
    async with trio.open_nursery() as nursery, AsyncExitStack() as stack:
        seats = await four.gather(stack, nursery, tmp_path)

        cuts = 0

        async def cut() -> None:
            nonlocal cuts
            while seats[0].outcome is None:
                await seats[0].more(chance.randrange(1, 12))
                one, two = chance.sample(seats, 2)
                four.net.cut(one.name, two.name)
                cuts += 1

        nursery.start_soon(cut)
        await play_all(seats)
        check(seats)
        assert cuts >= 10
        nursery.cancel_scope.cancel()


async def test_a_session_stopped_anywhere_goes_on_from_its_store(tmp_path: Path, autojump_clock: object) -> None:
    four = FourSeats()
    async with trio.open_nursery() as nursery, AsyncExitStack() as stack:
        seats = await four.gather(stack, nursery, tmp_path)
        bert = seats[1]

        async def stop_and_resume() -> None:
            stored = None
            for pause in (5, 17, 11, 23, 9, 1000):
                session = bert.make(stored)
                async with trio.open_nursery() as life:
                    life.start_soon(bert.run, session)
                    await bert.more(pause)
                    if bert.outcome is None:
                        life.cancel_scope.cancel()  # the process ends here: nothing more is said or saved
                stored = bert.store.load(bert.plan.match)

        async with trio.open_nursery() as sessions:
            for seat in seats:
                sessions.start_soon(stop_and_resume if seat is bert else seat.play)
        check(seats)
        assert bert.runs >= 4
        nursery.cancel_scope.cancel()


async def test_a_full_disk_ends_the_session_in_words_and_nothing_unsaved_leaves(
    tmp_path: Path, autojump_clock: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    four = FourSeats()
    async with trio.open_nursery() as nursery, AsyncExitStack() as stack:
        seats = await four.gather(stack, nursery, tmp_path)
        cora = seats[2]
        saved: set[bytes] = set()
        left: list[bytes] = []
        count = 0
        persist, post = cora.store.persist, cora.hub.post

        def full(match: bytes, effect: Persist) -> None:
            nonlocal count
            count += 1
            if count > 8:
                raise DokoError("The disk is full.", "Free some space.", 3)
            persist(match, effect)
            saved.update(entry.payload for entry in effect.entries)

        def watch(to: bytes, raw: bytes) -> bool:
            message = messages.decode(raw)
            if isinstance(message, messages.Entry) and decode_payload(message.p).seat == 2:
                left.append(message.p)
            return post(to, raw)

        monkeypatch.setattr(cora.store, "persist", full)
        monkeypatch.setattr(cora.hub, "post", watch)
        for seat in (seats[0], seats[1], seats[3]):
            nursery.start_soon(seat.play)
        with pytest.raises(DokoError, match="disk is full"):
            await cora.play()
        assert left
        assert set(left) <= saved
        # Space is made and the match goes on, with what was saved.
        monkeypatch.undo()
        await cora.resume()
        for seat in seats:
            await seat.over()
        check(seats)
        nursery.cancel_scope.cancel()


async def test_a_store_that_contradicts_itself_stops_the_node_before_it_signs_twice(
    tmp_path: Path, autojump_clock: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    four = FourSeats()
    async with trio.open_nursery() as nursery, AsyncExitStack() as stack:
        seats = await four.gather(stack, nursery, tmp_path)

        def conflict(match: bytes, effect: Persist) -> None:
            raise StoreConflict("seat 0 has another entry 1/0/0")

        monkeypatch.setattr(seats[0].store, "persist", conflict)
        with pytest.raises(DokoError, match="contradicts") as error:
            await seats[0].play()
        assert error.value.exit_code == 3
        nursery.cancel_scope.cancel()


async def test_junk_from_a_member_costs_its_link_and_the_match_goes_on(tmp_path: Path, autojump_clock: object) -> None:
    four = FourSeats()
    async with trio.open_nursery() as nursery, AsyncExitStack() as stack:
        seats = await four.gather(stack, nursery, tmp_path)
        anna, bert = seats[0], seats[1]

        async def throw_junk() -> None:
            junk = messages.encode(messages.Entry(p=b"\x99\x01" + bytes(40), s=bytes(64)))
            while anna.outcome is None:
                await anna.more(3)
                for _ in range(3):
                    bert.hub.post(anna.hub.me.identity, junk)

        nursery.start_soon(throw_junk)
        await play_all(seats)
        check(seats)
        assert anna.hub.refused["bug"] == 0
        nursery.cancel_scope.cancel()


async def test_a_command_that_the_rules_forbid_is_refused_with_its_rule(tmp_path: Path, autojump_clock: object) -> None:
    four = FourSeats()
    async with trio.open_nursery() as nursery, AsyncExitStack() as stack:
        seats = await four.gather(stack, nursery, tmp_path)
        for seat in seats:
            nursery.start_soon(seat.play)
        await seats[0].until(lambda events: any(isinstance(event, HandOpened) for event in events))
        session = seats[0].session
        assert isinstance(session, Session)
        assert session.view.hand is not None
        foreign = next(card for card in range(24) if card not in session.view.hand.dealt)
        with pytest.raises(Refusal):
            session.act(PlayCard(foreign))
        nursery.cancel_scope.cancel()


async def test_chat_reaches_the_others_and_a_flood_of_it_does_not(tmp_path: Path, autojump_clock: object) -> None:
    four = FourSeats()
    async with trio.open_nursery() as nursery, AsyncExitStack() as stack:
        seats = await four.gather(stack, nursery, tmp_path)
        for seat in seats:
            nursery.start_soon(seat.play)
        await seats[0].more(4)
        assert seats[1].session is not None
        for n in range(50):
            seats[1].session.say(f"line {n}")
        await trio.sleep(0.05)
        said = [event for event in seats[0].events if isinstance(event, Said)]
        assert said[0] == Said(1, "line 0")
        assert len(said) <= 7
        link = seats[0].hub.link(seats[1].hub.me.identity)
        assert link is not None
        assert link.state.how is How.DIRECT
        nursery.cancel_scope.cancel()


async def test_entries_of_another_match_are_not_ours(tmp_path: Path, autojump_clock: object) -> None:
    four = FourSeats()
    async with trio.open_nursery() as nursery, AsyncExitStack() as stack:
        seats = await four.gather(stack, nursery, tmp_path)
        await play_all(seats)
        [first, *_rest] = seats[0].store.load(seats[0].plan.match).entries
        entry = messages.Entry(p=first.payload, s=first.signature)
        assert match_of(entry) == seats[0].plan.match
        assert match_of(messages.Chat(match=bytes(32), text="x")) == bytes(32)
        assert match_of(messages.Entry(p=b"\x99", s=bytes(64))) is None
        nursery.cancel_scope.cancel()


# --- what people wish at a table with computers ----------------------------------------------------------------------


def leads(seat: Seat) -> list[float]:
    """Seconds from each trick's end to the lead to the next one, as *seat* heard them."""
    closed: float | None = None
    found = []
    for event, at in zip(seat.events, seat.times, strict=True):
        if isinstance(event, TrickClosed):
            closed = at
        elif isinstance(event, Acted) and isinstance(event.act, Play) and closed is not None:
            found.append(at - closed)
            closed = None
    return found


async def test_computers_do_not_lead_while_people_look_at_a_trick(tmp_path: Path, autojump_clock: object) -> None:
    four = FourSeats()
    async with trio.open_nursery() as nursery, AsyncExitStack() as stack:
        seats = await four.gather(stack, nursery, tmp_path, people=("anna", "bert"))
        for seat, wish in zip(seats, (3.0, 1.0), strict=False):
            seat.make(None).wish_dwell(wish)
        async with trio.open_nursery() as sessions:
            for seat in seats:
                sessions.start_soon(seat.run, seat.session or seat.make(None))
        waits = leads(seats[2])
        assert len(waits) == 11
        assert min(waits) >= 2.5  # from when the computer itself saw the trick
        assert seats[2].session is not None
        assert seats[2].session.dwell == 3.0
        nursery.cancel_scope.cancel()


async def test_computers_lead_at_once_when_people_have_seen_enough(tmp_path: Path, autojump_clock: object) -> None:
    four = FourSeats()
    async with trio.open_nursery() as nursery, AsyncExitStack() as stack:
        seats = await four.gather(stack, nursery, tmp_path, people=("anna",))
        session = seats[0].make(None)
        session.wish_dwell(3.0)

        async def press() -> None:
            for trick in range(1, 13):
                await seats[0].until(lambda events, n=trick: sum(isinstance(e, TrickClosed) for e in events) >= n)
                session.saw_trick()

        async with trio.open_nursery() as sessions:
            sessions.start_soon(press)
            for seat in seats:
                sessions.start_soon(seat.run, seat.session or seat.make(None))
            await seats[0].over()
            sessions.cancel_scope.cancel()
        assert max(leads(seats[2])) < 1.0
        nursery.cancel_scope.cancel()


async def test_computers_wait_in_a_pause(tmp_path: Path, autojump_clock: object) -> None:
    four = FourSeats()
    async with trio.open_nursery() as nursery, AsyncExitStack() as stack:
        seats = await four.gather(stack, nursery, tmp_path, people=("anna",))
        async with trio.open_nursery() as sessions:
            for seat in seats:
                sessions.start_soon(seat.run, seat.make(None))
            await seats[0].until(lambda events: any(isinstance(event, TrickClosed) for event in events))
            assert seats[0].session is not None
            seats[0].session.act(Pause())
            await trio.sleep(5)
            heard = [len(seat.events) for seat in seats]
            await trio.sleep(400)  # more than a decision, the reserve and the grace
            assert [len(seat.events) for seat in seats] == heard
            assert all(seat.session is not None and seat.session.view.paused for seat in seats)
            seats[0].session.act(Pause(False))
        check(seats)
        nursery.cancel_scope.cancel()


async def test_who_leaves_the_match_as_it_stands_says_so(tmp_path: Path, autojump_clock: object) -> None:
    four = FourSeats()
    async with trio.open_nursery() as nursery, AsyncExitStack() as stack:
        seats = await four.gather(stack, nursery, tmp_path, people=("anna", "bert", "cora", "dora"))
        async with trio.open_nursery() as sessions:
            for seat in seats:
                sessions.start_soon(seat.run, seat.make(None))
            await seats[0].until(lambda events: any(isinstance(event, TrickClosed) for event in events))
            assert seats[0].session is not None
            seats[0].session.stop()
            for seat in seats[1:]:
                await seat.until(lambda events: Left(0) in events)
            sessions.cancel_scope.cancel()
        assert [seat.outcome for seat in seats] == [None] * 4
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("said", [Dwell(match=bytes(32), ms=10_000), Seen(match=bytes(32), deal=0, trick=1)])
async def test_a_flood_of_wishes_changes_little(tmp_path: Path, autojump_clock: object, said: Dwell | Seen) -> None:
    four = FourSeats()
    async with trio.open_nursery() as nursery, AsyncExitStack() as stack:
        seats = await four.gather(stack, nursery, tmp_path, people=("anna", "bert"))
        session = seats[0].make(None)
        woken = 0

        async def count() -> None:
            nonlocal woken
            while True:
                await session.changed()
                woken += 1

        nursery.start_soon(count)
        await trio.testing.wait_all_tasks_blocked()
        link = seats[0].hub.link(seats[1].hub.me.identity)
        assert link is not None
        for _ in range(1_000):
            message = msgspec.structs.replace(said, match=session.plan.match)
            await session.message(link, Incoming(message, messages.encode(message)))
            await trio.testing.wait_all_tasks_blocked()
        assert woken <= 40
        nursery.cancel_scope.cancel()
