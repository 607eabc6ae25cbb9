"""The plain console on standard input and output, under trio."""

from __future__ import annotations

import os
import signal
import sys
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, TextIO, TypeVar

import trio

from node.console.bridge import STOP_SIGNALS, Stopped
from node.console.plain import Plain
from node.view import Command, Quit, View

T = TypeVar("T")


class InputEnded(Exception):
    """The input has ended before the person left; the argument: whether anything had been typed."""


class PlainDesk:
    """A desk (:class:`node.view.Desk`) of lines: reads *stdin* in a thread, writes to *stdout*."""

    def __init__(self, machine: Plain, stdin: int = 0, stdout: TextIO | None = None) -> None:
        self.machine = machine
        self._stdin = stdin
        self._stdout = stdout or sys.stdout
        self._queue: deque[Command] = deque()
        self._event = trio.Event()
        self._timer = trio.Event()
        self._closed = False
        self._gone = False
        #: Lines typed so far, and whether the input has come to its end by itself.
        self.typed = 0
        self.ended = False
        self._leave: Callable[[], None] = lambda: None

    def show(self, view: View) -> None:
        """Show *view*."""
        self.machine.show(view, trio.current_time())
        self._after()

    async def command(self) -> Command:
        """The next command; :class:`Quit` when the input is at its end."""
        while not self._queue:
            if self._closed:
                return Quit()
            self._event = trio.Event()
            await self._event.wait()
        return self._queue.popleft()

    def _after(self) -> None:
        lines = self.machine.take_lines()
        if lines and not self._gone:
            encoding = getattr(self._stdout, "encoding", None) or "ascii"
            text = "\n".join(lines) + "\n"
            try:
                self._stdout.write(text.encode(encoding, "replace").decode(encoding))
                self._stdout.flush()
            except (OSError, ValueError):
                self._gone = True  # nobody reads any more
                self.machine.stopping = True
        self._queue.extend(self.machine.take())
        if self.machine.stopping:
            self._closed = True
            self._leave()
        self._event.set()
        self._timer.set()

    async def _read(self) -> None:
        buffer = b""
        while not self._closed:
            data = await trio.to_thread.run_sync(_read_some, self._stdin, abandon_on_cancel=True)
            if not data:
                self.ended = not self.machine.stopping
                break
            buffer += data
            *lines, buffer = buffer.split(b"\n")
            buffer = buffer[-4096:]
            for line in lines:
                self.typed += 1
                self.machine.feed(line.decode("utf-8", "replace")[:1000], trio.current_time())
                self._after()
        self._closed = True
        self._event.set()

    async def _tick(self) -> None:
        while True:
            self._timer = trio.Event()
            due = self.machine.next_tick()
            with trio.move_on_at(float("inf") if due is None else due):
                await self._timer.wait()
                continue
            self.machine.tick(trio.current_time())
            self._after()

    async def serve(self, node: Callable[[PlainDesk], Awaitable[T]]) -> T | None:
        """Run *node* with this desk until it ends or the person leaves (then None)."""
        result: list[T] = []
        async with trio.open_nursery() as nursery:

            async def watch() -> None:
                await self._read()
                nursery.cancel_scope.cancel()

            self._leave = nursery.cancel_scope.cancel

            nursery.start_soon(watch)
            nursery.start_soon(self._tick)
            result.append(await node(self))
            nursery.cancel_scope.cancel()
        return result[0] if result else None


def _read_some(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 4096)
    except OSError:
        return b""


def run(machine: Plain, node: Callable[[PlainDesk], Awaitable[T]], stdin: int = 0, stdout: TextIO | None = None) -> Any:
    """Run *node* under trio with the plain console.

    Signals end it in order (:class:`~node.console.bridge.Stopped`); :class:`InputEnded` if the input does.
    """
    caught: list[str] = []
    desk = PlainDesk(machine, stdin, stdout)

    async def main() -> T | None:
        numbers = {number: name for name in STOP_SIGNALS if (number := getattr(signal, name, None)) is not None}
        result: list[T | None] = []
        async with trio.open_nursery() as nursery:

            async def signals() -> None:
                with trio.open_signal_receiver(*numbers) as receiver:
                    async for number in receiver:
                        caught.append(numbers[number])
                        nursery.cancel_scope.cancel()

            nursery.start_soon(signals)
            result.append(await desk.serve(node))
            nursery.cancel_scope.cancel()
        return result[0] if result else None

    outcome = trio.run(main)
    if caught and outcome is None:
        raise Stopped(caught[0])
    if desk.ended and outcome is None:
        raise InputEnded(desk.typed > 0)
    return outcome
