"""The plain console: lines only ever added, every choice numbered."""

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import trio

from node.console.plain import Plain
from node.console.plaindesk import PlainDesk
from node.console.settings import Settings
from node.view import (
    Bid,
    BlockFriend,
    Command,
    FillWithBots,
    JoinTable,
    LookLedger,
    MakeCall,
    MakeInvite,
    MuteChat,
    NameGame,
    OpenNewTable,
    Pause,
    PlayCard,
    Quit,
    Ready,
    Rematch,
    ResumeMatch,
    Say,
    Stage,
    TermsView,
    VoidHand,
)
from protocol.cards import parse_cards
from protocol.rules.calls import CallKind
from protocol.rules.contracts import Contract
from tests.console.bench import PlainBench
from tests.console.fake import FakeNode, absent, announced
from tests.console.test_table import HANDS


def started(**changes: object) -> PlainBench:
    """In a match, at the first question."""
    node = FakeNode(me=1, deals=(HANDS,), **changes)  # type: ignore[arg-type]
    bench = PlainBench(node)
    node.begin()
    bench.show()
    bench.to_question()
    return bench


def test_the_lobby_is_a_numbered_list() -> None:
    bench = PlainBench()
    bench.node.lobby = replace(bench.node.lobby, tables=(announced(),))
    bench.show()
    assert any("Anna, variable stake" in line for line in bench.lines)
    assert bench.choose("Anna, variable stake")
    assert bench.sent == [JoinTable("t9")]


def test_a_table_is_opened_question_by_question() -> None:
    bench = PlainBench()
    bench.choose("new table")
    lines = bench.type("1", "0.02", "abc", "1", "", "2")
    assert any("That is no amount" in line for line in lines)
    bench.type(*[""] * 8, "3", "2")
    [command] = bench.sent
    assert isinstance(command, OpenNewTable)
    assert (command.terms.mode, command.terms.stake, command.terms.limit) == ("variable", 2, 100)
    assert command.terms.profile == "ddv"
    assert command.bots == ("intermediate", "intermediate")


def test_a_form_can_be_given_up() -> None:
    bench = PlainBench()
    bench.choose("new table")
    bench.type("-")
    assert bench.sent == []
    assert bench.lines[-1].strip().startswith("10")


def test_seats_terms_and_ready() -> None:
    bench = PlainBench()
    bench.node.do(OpenNewTable(TermsView()))
    bench.show()
    bench.choose("fill the free seats with computers (strong)")
    assert bench.sent == [FillWithBots("strong")]
    assert any("0.10 EUR a hand" in line for line in bench.lines)
    bench.choose("I agree to these terms")
    assert bench.sent[-1] == Ready()


def test_bids_and_names_by_number() -> None:
    bench = started()
    bench.choose("reservation")
    bench.to_question()
    assert bench.lines[-1].strip() == "0  more"
    bench.choose("queens solo")
    assert bench.sent == [Bid(True), NameGame(Contract.SOLO_QUEENS)]


def test_cards_are_numbered_in_words_and_the_others_are_named_too() -> None:
    bench = started()
    bench.choose("healthy")
    bench.to_question()
    assert "  1  ♥10, ten of hearts" in bench.lines
    bench.choose("♥10")
    assert bench.sent[-1] == PlayCard(parse_cards("HT")[0])


def test_a_card_can_be_typed_and_is_refused_with_the_reason() -> None:
    node = FakeNode(me=2, deals=(HANDS,))
    bench = PlainBench(node)
    node.begin()
    bench.show()
    bench.to_question()
    bench.choose("healthy")
    bench.to_question()
    assert any("May not be played now" in line for line in bench.lines[-3:])
    assert bench.type("ca") == ["You must follow trump. (R13)"]
    assert bench.type("d10") == ["You do not hold ten of diamonds."]
    assert bench.type("what") == ["That is not understood. A number chooses, ? helps."]
    assert bench.type("99") == ["There is no choice 99."]
    bench.type("sq")
    assert bench.sent[-1] == PlayCard(parse_cards("SQ")[0])
    assert bench.type("sj") == ["It is not your turn."]


def test_the_same_number_means_nothing_until_the_next_list() -> None:
    bench = started()
    bench.choose("healthy")
    assert bench.type("1") == ["There is no choice 1."]
    assert len(bench.sent) == 1


def test_answers_are_locked_for_a_moment() -> None:
    bench = started()
    bench.machine.settings = replace(bench.machine.settings, lock=0.3)
    bench.choose("healthy")
    bench.to_question()
    assert "has just changed" in bench.type("1")[0]
    assert "has just changed" in bench.type("ht")[0]
    bench.now += 0.5
    bench.type("1")
    assert isinstance(bench.sent[-1], PlayCard)


def test_the_guard_holds_and_enter_takes_back() -> None:
    bench = started()
    bench.machine.settings = replace(bench.machine.settings, guard="always")
    bench.choose("healthy")
    bench.to_question()
    assert "Enter takes it back" in bench.type("1")[0]
    assert bench.type("")[0] == "Taken back."
    bench.wait(2)
    assert not any(isinstance(command, PlayCard) for command in bench.sent)
    bench.type("1")
    bench.wait(1.1)
    assert isinstance(bench.sent[-1], PlayCard)


def test_announcing_by_number() -> None:
    bench = started()
    bench.choose("healthy")
    bench.to_question()
    bench.choose("announce")
    bench.choose("no 90")
    assert bench.sent[-1] == MakeCall(CallKind.NO90)
    assert any("you: no 90!" in line for line in bench.lines)


def test_the_menu_behind_zero() -> None:
    bench = started()
    bench.choose("healthy")
    bench.to_question()
    for label in ("the table, my cards", "last trick", "scores", "review", "terms", "how the others are reached"):
        bench.type("0")
        assert bench.choose(label), label
    bench.type("0")
    bench.choose("rules")
    assert any(line.startswith("R13") for line in bench.type("13"))
    bench.type("0")
    bench.choose("talk")
    bench.type("hello")
    assert bench.sent[-1] == Say("hello")
    bench.type("t again")
    assert bench.sent[-1] == Say("again")
    bench.type("0")
    bench.choose("chat off")
    assert bench.sent[-1] == MuteChat(True)
    bench.type("0")
    bench.choose("pause")
    assert bench.sent[-1] == Pause(True)
    bench.type("0")
    bench.choose("void hand")
    bench.choose("yes, I agree")
    assert bench.sent[-1] == VoidHand()


def test_after_a_look_the_numbers_mean_cards_again() -> None:
    bench = started()
    bench.choose("healthy")
    bench.to_question()
    bench.type("0")
    bench.choose("scores")
    bench.type("1")
    assert bench.sent[-1] == PlayCard(parse_cards("HT")[0])


def test_an_absence_by_number() -> None:
    bench = started()
    bench.node.table_extra.update(absent(3))
    bench.show()
    assert any("no money moves" in line for line in bench.lines)
    bench.choose("adjourn")
    assert type(bench.sent[-1]).__name__ == "ChooseAbsence"


def test_a_whole_match_is_told_and_settled() -> None:
    bench = PlainBench(FakeNode(me=0, seed=4, terms=TermsView(mode="four-fixed")))
    bench.node.begin()
    bench.show()
    for _n in range(400):
        bench.to_question()
        if bench.node.stage is Stage.SETTLED:
            break
        if bench.machine.next_tick() is not None:
            bench.wait(2)
        else:
            bench.type("1")
    text = "\n".join(bench.lines)
    parts = (
        "Hand 4 of 4: everybody shuffles.",
        "Clara has shuffled.",
        "All four have checked all four shuffles.",
        "Trick 12: ",
        "R24",
        "The match is over",
        "doko verify",
        "Your last card is played for you.",
    )
    for part in parts:
        assert part in text, part
    assert text.count("The match is over\n") == 1
    bench.type("0")
    bench.choose("review")
    assert any(line.startswith("Trick 12: ") for line in bench.lines[-20:])
    bench.type("")
    bench.choose("another match")
    assert bench.sent[-1] == Rematch()


def test_friends_books_and_invitations() -> None:
    bench = PlainBench()
    bench.choose("friends")
    bench.choose("Anna")
    bench.choose("block")
    assert bench.sent[-1] == BlockFriend("01" * 32)
    bench.type("")
    bench.choose("ledger")
    assert bench.sent[-1] == LookLedger()
    assert any("+2.30 EUR" in line for line in bench.lines)
    bench.type("")
    bench.choose("invite a friend")
    assert bench.sent[-1] == MakeInvite()
    assert any(line.startswith("doko:") for line in bench.lines)
    assert any(line.startswith("It leads to") for line in bench.lines)
    bench.type("")
    bench.choose("your matches")
    assert any("Your points, hand by hand:" in line for line in bench.lines)


def test_open_matches_come_first() -> None:
    from node.view import OpenMatch

    bench = PlainBench()
    match = OpenMatch("cd" * 16, ("Anna",), "duel", 1, 0.0)
    bench.node.lobby = replace(bench.node.lobby, open_matches=(match,))
    bench.show()
    bench.machine.feed("1", bench.now)
    assert bench.machine.take() == [ResumeMatch("cd" * 16)]


def test_leaving_asks() -> None:
    bench = started()
    bench.type("q")
    assert "The match stays open" in "\n".join(bench.lines[-4:])
    assert not bench.machine.stopping
    bench.choose("leave doko")
    assert bench.machine.stopping


def test_only_ascii_where_only_ascii_goes() -> None:
    node = FakeNode(me=1, deals=(HANDS,))
    bench = PlainBench(node, Settings(faces="ascii", theme="mono"))
    node.begin()
    bench.show()
    bench.to_question()
    bench.type("1")
    bench.to_question()
    assert "\n".join(bench.lines).isascii()


# --- on real descriptors ------------------------------------------------------------------------------------------


class Out:
    """Something to write to."""

    encoding = "ascii"

    def __init__(self) -> None:
        self.text = ""

    def write(self, text: str) -> int:
        self.text += text
        return len(text)

    def flush(self) -> None:
        pass


@pytest.mark.trio
async def test_a_closed_input_ends_the_node_in_order() -> None:
    read, write = os.pipe()
    out = Out()
    ended: list[str] = []
    got: list[Command] = []

    first = trio.Event()

    async def node(desk: PlainDesk) -> str:
        fake = FakeNode()
        try:
            while True:
                desk.show(fake.view())
                got.append(await desk.command())
                if isinstance(got[-1], Quit):
                    return "quit"
                fake.do(got[-1])
                first.set()
        finally:
            ended.append("in order")

    desk = PlainDesk(Plain(Settings()), read, out)  # type: ignore[arg-type]
    os.write(write, b"4\nnonsense\n")
    with trio.fail_after(10):
        async with trio.open_nursery() as nursery:

            async def close() -> None:
                await first.wait()
                os.close(write)

            nursery.start_soon(close)
            await desk.serve(node)
    os.close(read)
    assert got[0] == MakeInvite()
    assert ended == ["in order"]
    assert "not understood" in out.text
    assert out.text.isascii(), "what the output cannot show is replaced"


@pytest.mark.trio
async def test_leaving_by_choice_ends_the_node_too() -> None:
    read, write = os.pipe()
    os.write(write, b"q\n1\n")

    async def node(desk: PlainDesk) -> None:
        desk.show(FakeNode().view())
        assert isinstance(await desk.command(), Quit)
        await trio.sleep_forever()

    with trio.fail_after(10):
        await PlainDesk(Plain(Settings()), read, Out()).serve(node)  # type: ignore[arg-type]
    os.close(write)
    os.close(read)


@pytest.mark.trio
async def test_an_output_that_nobody_reads_ends_it(tmp_path: Path) -> None:
    class Broken(Out):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    read, write = os.pipe()

    async def node(desk: PlainDesk) -> None:
        desk.show(FakeNode().view())
        await trio.sleep_forever()

    with trio.fail_after(10):
        await PlainDesk(Plain(Settings()), read, Broken()).serve(node)  # type: ignore[arg-type]
    os.close(write)
    os.close(read)
    assert sys.stdout is not None
