"""What is really seen: the console through prompt_toolkit's VT100 output into a pyte terminal."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field

import pyte
import trio
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output

from node.console.full import Console
from node.console.model import Model


class Stream:
    """Where the output's bytes end up."""

    encoding = "utf-8"

    def __init__(self) -> None:
        self.text = ""

    def write(self, data: str) -> int:
        self.text += data
        return len(data)

    def flush(self) -> None:
        pass

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        raise OSError


@dataclass
class Terminal:
    """One run of a console: its keyboard, and its screen so far."""

    console: Console
    keyboard: PipeInput
    stream: Stream
    size: Size
    drawn: int = 0
    _seen: trio.Event = field(default_factory=trio.Event)

    def screen(self) -> pyte.Screen:
        """The screen as a terminal shows it now."""
        screen = pyte.Screen(self.size.columns, self.size.rows)
        pyte.Stream(screen).feed(self.stream.text)
        return screen

    def rows(self) -> list[str]:
        """The screen's rows, right-stripped."""
        return [row.rstrip() for row in self.screen().display]

    def rendered(self) -> None:
        """The application has drawn (called on asyncio's side of the same thread)."""
        self.drawn += 1
        if self.console._token is not None:
            with suppress(trio.RunFinishedError):
                self.console._token.run_sync_soon(self._tell)

    def _tell(self) -> None:
        self._seen.set()
        self._seen = trio.Event()

    async def redrawn(self, since: int) -> None:
        """Until more than *since* redraws have been."""
        while self.drawn <= since:
            await self._seen.wait()

    async def until(self, holds: Callable[[list[str]], object], within: float = 10.0) -> list[str]:
        """The rows as soon as *holds* of them."""
        with trio.move_on_after(within):
            while True:
                seen = self._seen
                rows = self.rows()
                if holds(rows):
                    return rows
                await seen.wait()
        raise AssertionError("it did not come; the screen is\n" + "\n".join(self.rows()))


def on_terminal(
    model: Model,
    node: Callable[[Terminal], Awaitable[None]],
    width: int = 80,
    height: int = 24,
    depth: ColorDepth = ColorDepth.DEPTH_24_BIT,
) -> Terminal:
    """Run *model*'s console on a terminal of its own with *node* behind it; the terminal afterwards."""
    stream = Stream()
    size = Size(rows=height, columns=width)
    with create_pipe_input() as keyboard:
        output = Vt100_Output(stream, lambda: size, term="xterm-256color", enable_cpr=False)  # type: ignore[arg-type]
        console = Console(model, input=keyboard, output=output, color=depth)
        terminal = Terminal(console, keyboard, stream, size)
        make = console._application

        def application(stop: Callable[[], None]) -> object:
            app = make(stop)
            app.after_render += lambda _app: terminal.rendered()
            return app

        console._application = application  # type: ignore[method-assign, assignment]

        async def main(_desk: Console) -> None:
            await node(terminal)

        console.run(main)
    return terminal
