"""Running a node under trio: signals stop it in good order, errors come out as they are, exit codes are kept."""

import os
import signal
from collections.abc import Awaitable, Callable
from typing import Final

import trio

from node.tasks import background

#: What asks a node to stop; exit code 128 + number, as shells count.
SIGNALS: Final = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name)
)


class Stop:
    """The stop button of a run: what is inside ``with stop.scope`` is cancelled when a signal comes."""

    def __init__(self) -> None:
        self.scope = trio.CancelScope()
        self.signal: int | None = None

    def press(self, number: int = signal.SIGTERM) -> None:
        """Stop now, as if signal *number* had come."""
        if self.signal is None:
            self.signal = number
            self.scope.cancel()


def run(main: Callable[[Stop], Awaitable[int]]) -> int:
    """``trio.run`` *main*; returns its exit code, or 130 (SIGINT), 143 (SIGTERM) ... if a signal stopped it.

    *main* puts what may be cut short inside ``with stop.scope`` and cleans up behind it.  A second signal ends the
    process at once.
    """
    return trio.run(_root, main)


async def _root(main: Callable[[Stop], Awaitable[int]]) -> int:
    stop = Stop()
    with trio.open_signal_receiver(*SIGNALS) as signals:
        async with background() as nursery:

            async def listen() -> None:
                async for number in signals:
                    if stop.signal is not None:
                        os._exit(128 + number)  # asked twice: cleaning up takes too long for somebody
                    stop.press(number)

            nursery.start_soon(listen)
            code = await main(stop)
    return code if stop.signal is None else 128 + stop.signal
