"""The full-screen console: :class:`~node.console.model.Model` on a terminal, by prompt_toolkit.

Everything is drawn by one control that asks the model for a canvas of its size; everything pressed is one catch-all key
binding.  Redraws are coalesced by prompt_toolkit (:data:`REDRAW`), and a canvas is drawn anew only after something has
happened.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable, Hashable
from contextlib import suppress
from typing import Final, TypeVar

import trio
from prompt_toolkit.application import Application
from prompt_toolkit.data_structures import Point
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import Layout, UIContent, UIControl, Window
from prompt_toolkit.mouse_events import MouseEvent, MouseEventType
from prompt_toolkit.output import ColorDepth, Output
from prompt_toolkit.styles import Style

from node.console import bridge
from node.console.canvas import Canvas
from node.console.model import Model
from node.console.style import theme_rules
from node.view import Command, Quit, View

T = TypeVar("T")

#: Seconds between two redraws at least.
REDRAW: Final = 0.03
#: prompt_toolkit's names of keys that have simpler ones in our table.
_KEYS: Final = {"c-m": "enter", "c-j": "enter", "c-i": "tab", "c-h": "backspace", " ": "space", "s-escape": "escape"}


class Surface(UIControl):
    """The whole screen as one control."""

    def __init__(self, model: Model, pressed: Callable[[], None], now: Callable[[], float]) -> None:
        self.model = model
        self.pressed = pressed
        self.now = now
        self.canvas = Canvas(0, 0)

    def create_content(self, width: int, height: int) -> UIContent:
        self.canvas = canvas = self.model.draw(width, height)

        def line(y: int) -> StyleAndTextTuples:
            return [(classes(style), text) for style, text in canvas.line(y)]

        x, y = canvas.cursor
        return UIContent(
            get_line=line,
            line_count=max(height, 1),
            cursor_position=Point(max(min(x, width - 1), 0), max(min(y, height - 1), 0)),
            show_cursor=canvas.show_cursor,
        )

    def is_focusable(self) -> bool:
        return True

    def mouse_handler(self, mouse_event: MouseEvent) -> None:
        if mouse_event.event_type is MouseEventType.MOUSE_UP:
            at = mouse_event.position
            self.model.click(self.canvas, at.x, at.y, self.now())
            self.pressed()


def classes(style: str) -> str:
    """Style names of a canvas as prompt_toolkit classes."""
    return " ".join("class:" + name for name in style.split())


class Console:
    """A desk (:class:`node.view.Desk`) with a screen: shows views, gives commands.

    Made on asyncio's side, used from trio's; the two share one thread, and only :meth:`show`, :meth:`command` and the
    trio token pass between them.
    """

    def __init__(
        self, model: Model, *, input: Input | None = None, output: Output | None = None, color: ColorDepth | None = None
    ) -> None:
        self.model = model
        self._input = input
        self._output = output
        self._color = color
        self._send, self._receive = trio.open_memory_channel[Command](256)
        self._token: trio.lowlevel.TrioToken | None = None
        self._early: list[Command] = []
        self._app: Application[None] | None = None
        self._stop: Callable[[], None] = lambda: None
        self._timer: asyncio.TimerHandle | None = None
        self._bells = 0
        self._title = ""
        self._cleared = 0

    # --- trio's side ------------------------------------------------------------------------------------------

    def show(self, view: View) -> None:
        """Show *view*."""
        self.model.show(view, self._now())
        self._after()

    async def command(self) -> Command:
        """The next command."""
        try:
            return await self._receive.receive()
        except trio.EndOfChannel:
            return Quit()

    async def _run(self, node: Callable[[Console], Awaitable[T]]) -> T:
        self._token = trio.lowlevel.current_trio_token()
        for command in self._early:
            self._send.send_nowait(command)
        self._early.clear()
        return await node(self)

    # --- asyncio's side ---------------------------------------------------------------------------------------

    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    def _application(self, stop: Callable[[], None]) -> Application[None]:
        self._stop = stop
        model = self.model
        surface = Surface(model, self._after, self._now)
        bindings = KeyBindings()

        @bindings.add(Keys.Any)
        def any_key(event: KeyPressEvent) -> None:
            self._press(event)

        @bindings.add(Keys.BracketedPaste)
        def paste(event: KeyPressEvent) -> None:
            model.paste(event.data, self._now())
            self._after()

        @bindings.add("c-z")
        def suspend(event: KeyPressEvent) -> None:
            event.app.suspend_to_background()

        app: Application[None] = Application(
            layout=Layout(Window(surface, always_hide_cursor=Condition(lambda: not surface.canvas.show_cursor))),
            key_bindings=bindings,
            style=_LiveStyle(model),
            full_screen=True,
            mouse_support=Condition(lambda: model.mouse),
            min_redraw_interval=REDRAW,
            # Where the system tells of a new size nobody needs to look for one twice a second.
            terminal_size_polling_interval=None if hasattr(signal, "SIGWINCH") else 0.5,
            input=self._input,
            output=self._output,
            color_depth=self._color,
            enable_page_navigation_bindings=False,
            include_default_pygments_style=False,
        )
        app.ttimeoutlen = 0.05
        app.timeoutlen = 0.05
        self._app = app
        return app

    def _press(self, event: KeyPressEvent) -> None:
        press = event.key_sequence[0]
        key = press.key.value if isinstance(press.key, Keys) else press.key
        if key.startswith("<"):  # reports of the terminal, not keys
            return
        if len(key) == 1 and len(press.data) > 1 and not press.data.startswith("\x1b"):
            key = press.data
        self.model.press(_KEYS.get(key, key), self._now())
        self._after()

    def _after(self) -> None:
        """Pass on what the model has to say after anything happened."""
        model, app = self.model, self._app
        for command in model.take():
            if self._token is None:
                self._early.append(command)
            else:
                with suppress(trio.RunFinishedError):  # keys pressed while the screen closes
                    self._token.run_sync_soon(self._put, command)
        if app is not None:
            if model.bells != self._bells and app.is_running:
                app.output.bell()
            if model.title != self._title and app.is_running:
                app.output.set_title(model.title)
                self._title = model.title
            if model.cleared != self._cleared and app.is_running:
                app.renderer.clear()
            app.invalidate()
        self._bells, self._cleared = model.bells, model.cleared
        if model.stopping:
            self._stop()
        self._schedule()

    def _put(self, command: Command) -> None:
        try:
            self._send.send_nowait(command)
        except (trio.WouldBlock, trio.BrokenResourceError):
            return  # the node does not listen any more; whatever was meant is no longer wanted

    def _schedule(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        due = self.model.next_tick()
        if due is not None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_at(max(due, loop.time() + 0.01), self._tick)

    def _tick(self) -> None:
        self._timer = None
        self.model.tick(self._now())
        self._after()

    def run(self, node: Callable[[Console], Awaitable[T]]) -> T:
        """Run *node* (an async function of this desk) under trio with this screen; see :func:`bridge.run`."""
        try:
            return bridge.run(self._application, lambda: self._run(node))
        finally:
            if self._app is not None and self._title:
                self._app.output.clear_title()
                self._app.output.flush()


class _LiveStyle(Style):
    """The theme's rules, which change with the settings."""

    def __init__(self, model: Model) -> None:
        super().__init__([])
        self._model = model
        self._key: tuple[str, str, bool] | None = None
        self._style = Style([])

    def _current(self) -> Style:
        settings = self._model.settings
        key = (settings.theme, settings.colours, settings.felt)
        if key != self._key:
            rules = theme_rules(*key)
            self._style = Style([(name, rule) for name, rule in rules.items() if name])
            self._key = key
        return self._style

    @property
    def style_rules(self) -> list[tuple[str, str]]:
        """What prompt_toolkit merges with its own rules."""
        return self._current().style_rules

    def invalidation_hash(self) -> Hashable:
        """Changes with the theme, so that the merged rules are made anew."""
        self._current()
        return self._key
