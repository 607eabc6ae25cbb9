"""The console bridge: prompt_toolkit (asyncio) is the host, the node's trio run is a guest in the same thread.

Theory of operation::

    asyncio.run(host)
      |- Application.run_async          keys, redraws
      |- trio guest run                 the node, inside one CancelScope
           the scope is cancelled by:   the quit key, SIGINT, SIGTERM, SIGHUP, a closed input, any error of the loop
           the host always waits for trio's end, then lets the application leave the screen, then raises errors

So the terminal is restored before anything is printed, and the node always ends in order (its store is closed, its
last entries are written).  The interface reaches the node through a memory channel and that scope only; the node
reaches the interface through a plain view and :meth:`Application.invalidate` only.  Here alone asyncio and trio meet.
"""

import asyncio
import signal
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import trio
from outcome import Outcome
from prompt_toolkit.application import Application

T = TypeVar("T")

#: Signals that end the program in order.
STOP_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")


class Stopped(Exception):
    """The run was ended by a signal, whose name is the argument, before the node ended by itself."""


def run(make_app: Callable[[Callable[[], None]], Application[None]], node: Callable[[], Awaitable[T]]) -> T:
    """Run *node* under trio with the application that ``make_app(quit)`` makes; return what *node* returns.

    ``quit`` cancels the node's scope and may be called from key bindings.  Raises what *node* raises, then what the
    interface raised; :class:`Stopped` after a signal if the node did not finish.  The screen is restored in each case.
    """

    async def host() -> T:
        loop = asyncio.get_running_loop()
        scope = trio.CancelScope()
        trio_done: asyncio.Future[Outcome[T | None]] = loop.create_future()
        failures: list[BaseException] = []
        signals: list[str] = []

        async def main() -> T | None:
            with scope:
                return await node()
            return None

        def on_loop_error(_loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
            # key bindings and redraws fail into here
            error = context.get("exception")
            failures.append(error if isinstance(error, BaseException) else RuntimeError(str(context.get("message"))))
            scope.cancel()

        def on_signal(name: str) -> None:
            signals.append(name)
            scope.cancel()

        loop.set_exception_handler(on_loop_error)
        app = make_app(scope.cancel)
        trio.lowlevel.start_guest_run(
            main,
            run_sync_soon_threadsafe=loop.call_soon_threadsafe,
            run_sync_soon_not_threadsafe=loop.call_soon,
            done_callback=trio_done.set_result,
            host_uses_signal_set_wakeup_fd=True,
        )
        for name in STOP_SIGNALS:
            number = getattr(signal, name, None)
            if number is None:
                continue
            try:
                loop.add_signal_handler(number, on_signal, name)
            except NotImplementedError:  # Windows: asyncio has no signal handlers there
                signal.signal(number, lambda *_, name=name: loop.call_soon_threadsafe(on_signal, name))
        ui = loop.create_task(app.run_async(handle_sigint=False, set_exception_handler=False))
        try:
            waited: set[asyncio.Future[Any]] = {ui, trio_done}
            await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
        finally:
            scope.cancel()
            outcome = await trio_done  # trio always runs to its end ...
            if not ui.done() and app.is_running:
                app.exit()  # ... then the screen closes
            [ui_error] = await asyncio.gather(ui, return_exceptions=True)
        result = outcome.unwrap()  # the node's own error is the first to be told
        for error in (*failures, ui_error):
            if isinstance(error, BaseException) and not isinstance(error, EOFError):
                raise error
        if signals and result is None:
            raise Stopped(signals[0])
        return result  # type: ignore[return-value]  # None only for a node that returns None, or after the quit key

    return asyncio.run(host())
