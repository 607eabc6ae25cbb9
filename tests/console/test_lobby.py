"""The full screen before the match: lobby, forms, friends, invitations, seats, settings."""

from dataclasses import replace
from typing import Any

import pytest

from node.console.model import Model
from node.console.settings import Settings
from node.view import (
    AddFriend,
    BlockFriend,
    Export,
    FillWithBots,
    FriendView,
    InviteFriend,
    JoinTable,
    Leave,
    LinkState,
    LinkView,
    LookHistory,
    LookLedger,
    MakeInvite,
    OpenMatch,
    OpenNewTable,
    PlayerView,
    Ready,
    RemoveFriend,
    RenameFriend,
    ResumeMatch,
    Tone,
)
from tests.console.bench import Bench
from tests.console.fake import FakeNode, announced


def test_before_the_first_view_there_is_something_to_see() -> None:
    model = Model(Settings())
    assert "The node starts" in "\n".join(model.draw(80, 24).rows())
    model.press("x", 0.0)
    model.press("q", 0.0)
    assert model.stopping


def test_open_tables_are_listed_and_joined() -> None:
    bench = Bench()
    bench.node.lobby = replace(bench.node.lobby, tables=(announced(),))
    bench.show()
    text = bench.text()
    assert "Anna, variable stake, 0.05 EUR, limit 1.00, 3 seats free, strong" in text
    bench.press("enter")
    assert bench.sent == [JoinTable("t9")]
    assert "At a table" in bench.text()


def test_a_table_one_may_not_join_says_why() -> None:
    bench = Bench()
    table = replace(announced(), joinable=False, why_not="All seats are taken.")
    bench.node.lobby = replace(bench.node.lobby, tables=(table,))
    bench.show()
    bench.press("enter")
    assert bench.sent == []
    assert "All seats are taken." in bench.text()


def test_an_open_match_is_taken_up_again() -> None:
    bench = Bench()
    match = OpenMatch("ab" * 16, ("Anna", "Bruno", "Clara"), "four-fixed", 2, 1_700_000_000.0)
    bench.node.lobby = replace(bench.node.lobby, open_matches=(match,), tables=(announced(),))
    bench.show()
    assert "take up again: four hands, fixed stake with Anna, Bruno and Clara, 2 hands" in bench.text(120, 40)
    bench.press("down", "up")
    bench.model.press("enter", bench.now)
    assert bench.model.take() == [ResumeMatch("ab" * 16)]


def test_joining_by_address_and_by_a_pasted_link() -> None:
    bench = Bench()
    bench.press("j", *"host:1", "enter")
    assert bench.sent[-1] == JoinTable(where="host:1")
    other = Bench()
    other.press("j")
    other.model.paste("doko:AbC\n", other.now)
    other.press("enter")
    assert other.sent == [JoinTable(where="doko:AbC")]


def test_a_new_table_is_opened_by_the_form() -> None:
    bench = Bench()
    bench.press("n", "left")
    assert "variable stake" in bench.text()
    assert "Limit" in bench.text()
    bench.press("down", *["backspace"] * 4, *"0.02", "down", *"1", "enter")
    [command] = bench.sent
    assert isinstance(command, OpenNewTable)
    assert (command.terms.mode, command.terms.stake, command.terms.limit) == ("variable", 2, 100)
    assert "Your table" in bench.text()


def test_a_wrong_field_is_named_and_focused() -> None:
    bench = Bench()
    bench.press("n", "down", *["backspace"] * 4, "x", "enter")
    assert "That is no amount" in bench.text()
    assert bench.sent == []
    bench.press("escape")
    assert "Open tables" in bench.text()


def test_forms_show_the_risk_while_one_types() -> None:
    bench = Bench()
    bench.press("n", "down", *["backspace"] * 4, *"1.50")
    assert "18.00 EUR in four hands, if you lose four solos" in bench.text()


def test_empty_seats_are_filled_and_the_terms_are_confirmed() -> None:
    bench = Bench()
    bench.press("n", "enter")
    text = bench.text()
    assert "3 seats are free" in text
    assert text.count("free") >= 3
    bench.press("enter")
    assert "The terms are fixed when all four seats are taken." in bench.text()
    bench.press("c", "2")
    assert bench.sent[-1] == FillWithBots("intermediate")
    text = bench.text()
    assert text.count("computer (intermediate)") == 3
    for part in ("0.10 EUR a hand", "1.20 EUR in four hands", "60 s a decision", "breach costs 12 points", "StarGames"):
        assert part in text, part
    assert "Read the terms. Enter agrees to them" in text
    bench.press("enter")
    assert bench.sent[-1] == Ready()


def seated(bench: Bench, **changes: Any) -> None:
    seating = bench.node.lobby.seating
    assert seating is not None
    bench.node.lobby = replace(bench.node.lobby, seating=replace(seating, **changes))
    bench.show()


def test_computers_on_their_way_are_said_to_come() -> None:
    bench = Bench()
    bench.press("n", "enter")
    seated(bench, coming=3)
    text = bench.text()
    assert "3 computers are on their way." in text
    assert "seats are free" not in text
    bench.press("c")
    assert not any(isinstance(command, FillWithBots) for command in bench.sent)
    seated(bench, coming=1)
    assert "A computer is on its way. 2 seats are free" in " ".join(bench.text().split())


def test_a_guest_sees_by_name_who_sits_there_and_himself() -> None:
    bench = Bench()
    bench.press("n", "enter")
    players = (PlayerView("Emil", "ab" * 32, link=LinkView(LinkState.DIRECT)), PlayerView("Ada", bot=""), None)
    seated(bench, opener=False, me=2, players=(*players[:2], PlayerView("Dora", "cd" * 32), None))
    rows = [" ".join(row.split()) for row in bench.text().split("\n")]
    for begin in ("1. Emil direct", "2. Ada computer", "3. you here", "4. free"):
        assert any(row.startswith(begin) for row in rows), begin


def test_friends_who_are_there_can_be_invited_to_the_table() -> None:
    bench = Bench()
    bench.press("n", "enter", "i")
    text = bench.text()
    assert "Anna" in text
    assert "by a doko: link" in text
    bench.model.press("1", bench.now)
    assert bench.model.take() == [InviteFriend("01" * 32)]


def test_leaving_a_table_is_asked() -> None:
    bench = Bench()
    bench.press("n", "enter", "escape", "1")
    assert not any(isinstance(command, Leave) for command in bench.sent)
    bench.press("escape", "2")
    assert bench.sent[-1] == Leave()
    assert "Open tables" in bench.text()


def test_the_friends_page() -> None:
    bench = Bench()
    bench.press("f")
    text = bench.text(120, 40)
    assert "velvet-anchor" in text
    assert "lost" in text
    bench.press("a", *"doko:x", "enter")
    assert bench.sent[-1] == AddFriend("doko:x")
    bench.press("enter", "2", *["backspace"] * 8, *"Annie", "enter")
    assert bench.sent[-1] == RenameFriend("01" * 32, "Annie")
    bench.press("down", "enter", "3")
    assert bench.sent[-1] == BlockFriend("02" * 32)
    bench.press("enter", "3")
    assert bench.sent[-1] == BlockFriend("02" * 32, False)
    bench.press("enter", "4", "enter")
    assert not any(isinstance(command, RemoveFriend) for command in bench.sent)
    bench.press("enter", "4", "2")
    assert bench.sent[-1] == RemoveFriend("02" * 32)
    bench.press("escape")
    assert "Open tables" in bench.text()


def test_why_a_friend_is_not_connected() -> None:
    bench = Bench()
    friend = FriendView("Emil", "ee" * 32, "one two", LinkView(LinkState.LOST, reasons=("emil.example:4848: refused",)),
                        rating=27.3, matches=3, balance=-120, addresses=("emil.example:4848",))  # fmt: skip
    bench.node.lobby = replace(bench.node.lobby, friends=(friend,))
    bench.show()
    bench.press("f", "enter", "1")
    text = bench.text()
    for part in ("emil.example:4848: refused", "one two", "27.3", "3 verified matches", "-1.20", "Compare these words"):
        assert part in text


def test_an_invitation_with_its_code() -> None:
    bench = Bench()
    bench.press("i")
    assert bench.sent == [MakeInvite()]
    text = bench.text(120, 40)
    assert "doko:Ab3_" in text
    assert "It works once." in text
    assert "█" in text
    assert "█" not in bench.text(80, 24), "there is no room for the code"


@pytest.mark.parametrize(
    ("reach", "said"), [("machine", "friends elsewhere cannot use it"), ("network", "your own network"), ("world", "")]
)
def test_an_invitation_says_where_it_leads(reach: str, said: str) -> None:
    bench = Bench()
    bench.node.lobby = replace(bench.node.lobby, reach=reach, addresses=("192.0.2.7:4848", "[2001:db8::1]:4848"))
    bench.press("i")
    text = " ".join(bench.text(120, 40).split())
    assert "192.0.2.7:4848 and [2001:db8::1]:4848" in text
    assert said in text


def test_ledger_and_history_are_asked_for_and_exported() -> None:
    bench = Bench()
    bench.press("b")
    assert bench.sent == [LookLedger()]
    text = bench.text()
    for part in ("+2.30 EUR", "-1.20 EUR", "kitty club", "Anna → Dora"):
        assert part in text
    bench.press("x")
    assert bench.sent[-1] == Export("ledger")
    bench.press("escape", "y")
    assert bench.sent[-1] == LookHistory()
    text = bench.text()
    assert "Your points, hand by hand:" in text
    assert "Your rating" in text
    assert any(0x2800 < ord(char) < 0x2900 for char in text)
    bench.press("x")
    assert bench.sent[-1] == Export("history")


def test_settings_change_at_once_and_are_kept() -> None:
    kept: list[Settings] = []
    node = FakeNode()
    bench = Bench(node)
    bench.model.save = lambda settings: kept.append(settings)
    bench.press("f3", "right", "enter")
    assert bench.model.settings.theme == "light"
    assert kept[-1].theme == "light"
    bench.press("f3", *["down"] * 3, "right", "enter")
    assert bench.model.faces.ascii
    bench.press("m")
    assert bench.model.mouse
    bench.model.save = lambda settings: "The disk is full."
    bench.press("m")
    assert "The disk is full." in bench.text()


def test_clicks_in_lists_and_on_the_line_of_keys() -> None:
    bench = Bench()
    bench.node.lobby = replace(bench.node.lobby, tables=(announced(), replace(announced(), id="t10")))
    bench.show()
    canvas = bench.canvas()
    spot = next(s for s in canvas.spots if s.action == "pick 1")
    bench.model.click(canvas, spot.x, spot.y, bench.now)
    assert bench.model.take() == []
    bench.model.click(canvas, spot.x, spot.y, bench.now)
    assert bench.model.take() == [JoinTable("t10")]
    canvas = bench.canvas()
    spot = next(s for s in canvas.spots if s.action == "help")
    bench.model.click(canvas, spot.x, spot.y, bench.now)
    assert "Everywhere" in bench.text()
    bench.press("escape")
    canvas = bench.canvas()
    bench.model.click(canvas, 79, 0, bench.now)


def test_documents_scroll() -> None:
    bench = Bench()
    bench.press("f1")
    first = bench.text()
    bench.press("down", "pagedown", "up", "pageup", "end")
    assert bench.text() != first
    assert "What cannot be undone" in bench.text()
    bench.press("home")
    assert bench.text() == first


@pytest.mark.parametrize("tone", list(Tone))
def test_notices_are_seen_on_every_page(tone: Tone) -> None:
    bench = Bench()
    bench.press("f")
    bench.node.tell("Listen to this.", tone)
    bench.show()
    assert "Listen to this." in bench.text()
    bench.wait(5)
    assert "Listen to this." not in bench.text()
