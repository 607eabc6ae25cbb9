"""The console on a terminal: what is drawn, where the cursor is, what keys and signals do, that it all ends well."""

import os
import signal
import time

import pytest
import trio
from prompt_toolkit.output import ColorDepth

from node.console.bridge import Stopped
from node.console.model import Model
from node.console.settings import Settings
from node.view import Bid, OpenNewTable, Say
from tests.console.bench import QUIET
from tests.console.fake import FakeNode
from tests.console.screen import Terminal, on_terminal
from tests.console.test_table import HANDS


def playing() -> FakeNode:
    """A node whose person is to play a card."""
    node = FakeNode(me=1, deals=(HANDS,))
    node.begin()
    node.play_on()
    node.do(Bid(False))
    node.play_on()
    return node


def test_what_the_model_draws_is_what_the_terminal_shows() -> None:
    node = playing()
    model = Model(QUIET)

    async def main(terminal: Terminal) -> None:
        terminal.console.show(node.view())
        rows = await terminal.until(lambda rows: "You lead" in "\n".join(rows))
        assert rows == [row.rstrip() for row in model.draw(80, 24).rows()]
        screen = terminal.screen()
        x, y = model.draw(80, 24).cursor
        assert (screen.cursor.x, screen.cursor.y) == (x, y)
        assert not screen.cursor.hidden
        card = screen.buffer[y][x]
        assert (card.data, card.fg, card.bg, card.bold) == ("♥", "b80f2a", "ffe08a", True)

    on_terminal(model, main)


@pytest.mark.parametrize("depth", list(ColorDepth))
def test_every_colour_depth_shows_the_same_text(depth: ColorDepth) -> None:
    node = playing()
    model = Model(QUIET)

    async def main(terminal: Terminal) -> None:
        terminal.console.show(node.view())
        await terminal.until(lambda rows: rows == [row.rstrip() for row in model.draw(100, 30).rows()])

    on_terminal(model, main, 100, 30, depth)


def test_keys_reach_the_node_and_its_answer_the_screen() -> None:
    node = FakeNode()
    model = Model(QUIET)
    got: list[object] = []

    async def main(terminal: Terminal) -> None:
        console = terminal.console
        console.show(node.view())
        await terminal.until(lambda rows: "Open tables" in "\n".join(rows))
        terminal.keyboard.send_text("n")
        await terminal.until(lambda rows: "New table" in rows[0])
        terminal.keyboard.send_text("\x1b[B\x1b[C\x1b[D\x7f5\r")  # down, right, left, backspace, 5, Enter
        got.append(await console.command())
        node.do(got[-1])  # type: ignore[arg-type]
        console.show(node.view())
        await terminal.until(lambda rows: "Your table" in rows[0])
        terminal.keyboard.send_text("\x1b")  # Escape alone
        await terminal.until(lambda rows: "Leave the table?" in "\n".join(rows))

    on_terminal(model, main)
    [command] = got
    assert isinstance(command, OpenNewTable)
    assert command.terms.stake == 50


def test_pasted_text_goes_into_the_line() -> None:
    node = playing()
    model = Model(QUIET)
    got: list[object] = []

    async def main(terminal: Terminal) -> None:
        terminal.console.show(node.view())
        terminal.keyboard.send_text("t")
        await terminal.until(lambda rows: "To the table" in "\n".join(rows))
        terminal.keyboard.send_text("\x1b[200~héllo\nwörld\x1b[201~\r")
        got.append(await terminal.console.command())

    on_terminal(model, main)
    assert got == [Say("héllo wörld")]


def test_mouse_clicks_play_when_the_mouse_is_on() -> None:
    node = playing()
    model = Model(Settings(mouse=True, guard="off", lock=0.0))

    async def main(terminal: Terminal) -> None:
        terminal.console.show(node.view())
        await terminal.until(lambda rows: "You lead" in "\n".join(rows))
        assert "\x1b[?1000h" in terminal.stream.text
        spot = next(s for s in model.draw(80, 24).spots if s.action == "card 2")
        for kind in ("M", "m"):
            terminal.keyboard.send_text(f"\x1b[<0;{spot.x + 2};{spot.y + 2}{kind}")
        await terminal.until(lambda _rows: model._base.focus == 2)  # type: ignore[attr-defined]

    on_terminal(model, main)


def test_the_mouse_is_left_to_the_terminal_by_default() -> None:
    async def main(terminal: Terminal) -> None:
        terminal.console.show(playing().view())
        await terminal.until(lambda rows: "You lead" in "\n".join(rows))

    assert "\x1b[?1000h" not in on_terminal(Model(QUIET), main).stream.text


def test_the_bell_and_the_title() -> None:
    node = playing()

    async def main(terminal: Terminal) -> None:
        terminal.console.show(FakeNode().view())
        await terminal.until(lambda rows: "Open tables" in "\n".join(rows))
        assert "\a" not in terminal.stream.text.replace("\x1b]2;", "")
        terminal.console.show(node.view())
        await terminal.until(lambda rows: "You lead" in "\n".join(rows))

    text = on_terminal(Model(QUIET), main).stream.text
    assert "\x1b]2;doko: your turn\x07" in text
    assert "\a" in text.replace("\x1b]2;doko: your turn\x07", "").replace("\x1b]2;\x07", "")
    assert text.endswith("\x1b]2;\x07"), "the title is given back"


def ends_well(text: str) -> None:
    """The terminal was given back: normal screen, cursor seen, no mouse, no bracketed paste."""
    assert text.rindex("\x1b[?1049l") > text.rindex("\x1b[?1049h")
    assert text.rindex("\x1b[?25h") > text.rfind("\x1b[?25l")
    assert text.rindex("\x1b[?2004l") > text.rindex("\x1b[?2004h")


def test_the_quit_key_ends_the_node_in_order() -> None:
    ended: list[str] = []

    async def main(terminal: Terminal) -> None:
        try:
            terminal.console.show(playing().view())
            await terminal.until(lambda rows: "You lead" in "\n".join(rows))
            terminal.keyboard.send_text("q2")
            await trio.sleep_forever()
        finally:
            with trio.CancelScope(shield=True):
                await trio.sleep(0.01)  # a store that is being closed
            ended.append("in order")

    terminal = on_terminal(Model(QUIET), main)
    assert ended == ["in order"]
    ends_well(terminal.stream.text)


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_signals_end_it_in_order_and_are_told(name: str) -> None:
    held: list[Terminal] = []
    ended: list[str] = []

    async def main(terminal: Terminal) -> None:
        held.append(terminal)
        try:
            terminal.console.show(playing().view())
            await terminal.until(lambda rows: "You lead" in "\n".join(rows))
            os.kill(os.getpid(), getattr(signal, name))
            await trio.sleep_forever()
        finally:
            ended.append("in order")

    with pytest.raises(Stopped, match=name):
        on_terminal(Model(QUIET), main)
    assert ended == ["in order"]
    ends_well(held[0].stream.text)


def test_an_error_of_the_node_is_raised_after_the_screen_is_back() -> None:
    held: list[Terminal] = []

    async def main(terminal: Terminal) -> None:
        held.append(terminal)
        terminal.console.show(playing().view())
        await terminal.until(lambda rows: "You lead" in "\n".join(rows))
        raise RuntimeError("inside the node")

    with pytest.raises(RuntimeError, match="inside the node"):
        on_terminal(Model(QUIET), main)
    ends_well(held[0].stream.text)


@pytest.mark.parametrize("where", ["press", "draw"])
def test_an_error_of_the_interface_ends_the_node_in_order_too(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[Terminal] = []
    ended: list[str] = []
    model = Model(QUIET)

    def broken(*_arguments: object) -> None:
        raise ZeroDivisionError("inside the interface")

    async def main(terminal: Terminal) -> None:
        held.append(terminal)
        try:
            terminal.console.show(playing().view())
            await terminal.until(lambda rows: "You lead" in "\n".join(rows))
            monkeypatch.setattr(model, where, broken)
            terminal.keyboard.send_text("x")
            await trio.sleep_forever()
        finally:
            ended.append("in order")

    with pytest.raises(ZeroDivisionError, match="inside the interface"):
        on_terminal(model, main)
    assert ended == ["in order"]
    ends_well(held[0].stream.text)


def test_a_closed_input_ends_it_in_order() -> None:
    ended: list[str] = []

    async def main(terminal: Terminal) -> None:
        try:
            terminal.console.show(playing().view())
            await terminal.until(lambda rows: "You lead" in "\n".join(rows))
            terminal.keyboard.close()
            await trio.sleep_forever()
        finally:
            ended.append("in order")

    on_terminal(Model(QUIET), main)
    assert ended == ["in order"]


def test_redraws_are_coalesced() -> None:
    """A hundred views in one go cost a few redraws."""
    node = playing()

    async def main(terminal: Terminal) -> None:
        await terminal.until(lambda rows: "starts" in "\n".join(rows))
        before = terminal.drawn
        for number in range(100):
            node.tell(f"notice {number}")
            terminal.console.show(node.view())
        await terminal.until(lambda rows: "notice 99" in "\n".join(rows))
        assert terminal.drawn - before <= 4

    on_terminal(Model(QUIET), main)


def test_nothing_is_drawn_while_nothing_happens() -> None:
    """An idle console neither ticks nor draws."""
    node = FakeNode()
    model = Model(QUIET)

    async def main(terminal: Terminal) -> None:
        terminal.console.show(node.view())
        await terminal.until(lambda rows: "Open tables" in "\n".join(rows))
        await trio.sleep(0.1)
        before, used = terminal.drawn, time.process_time()
        await trio.sleep(1.0)
        assert terminal.drawn == before
        assert model.next_tick() is None
        assert time.process_time() - used < 0.05

    on_terminal(model, main)


def test_a_key_is_on_the_screen_within_fifty_milliseconds() -> None:
    node = playing()
    model = Model(QUIET)
    times: list[float] = []

    async def main(terminal: Terminal) -> None:
        terminal.console.show(node.view())
        await terminal.until(lambda rows: "You lead" in "\n".join(rows))
        for number in range(20):
            focus = model._base.focus  # type: ignore[attr-defined]
            await trio.sleep(0.05)
            drawn = terminal.drawn
            begun = time.perf_counter()
            terminal.keyboard.send_text("\x1b[C" if number % 2 == 0 else "\x1b[D")
            await terminal.redrawn(drawn)
            assert model._base.focus != focus  # type: ignore[attr-defined]
            times.append(time.perf_counter() - begun)

    on_terminal(model, main, 120, 40)
    assert sorted(times)[len(times) // 2] < 0.05, times
