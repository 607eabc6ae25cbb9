"""Thinking in other processes, with a deadline: the event loop of a node never waits for a search.

A :class:`WorkerPool` keeps a few processes for any number of bots.  :meth:`WorkerPool.policy` wraps a level as a policy
whose ``choose`` blocks its thread, never longer than the deadline: out of time, the rules of ``beginner`` decide, the
decision is counted as a *fallback*, and the process that is late is replaced.  So a choice is always either the level's
own, with all its worlds, or the beginner's; ``doko audit`` knows both.

The pool's methods may be called from many threads.
"""

import contextlib
import multiprocessing
import signal
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import TYPE_CHECKING, Any, Final

from node.bots.beginner import Beginner
from node.bots.levels import load_policy
from node.bots.policy import Policy

if TYPE_CHECKING:
    from protocol.rules.acts import Act
    from protocol.rules.calls import CallKind
    from protocol.rules.view import HandView

#: Seconds a decision may take before the rules decide; a decision of ``strong`` takes a tenth of a second.
SECONDS: Final = 5.0
#: The last decision times that are kept for figures.
KEPT: Final = 4096


@dataclass(slots=True)
class Statistics:
    """What a pool has done: decisions, those the rules made for want of time, and milliseconds of the last ones."""

    decisions: int = 0
    fallbacks: int = 0
    restarts: int = 0
    times: deque[float] = field(default_factory=lambda: deque(maxlen=KEPT))

    def quantile(self, share: float) -> float:
        """Milliseconds within which this share of the last decisions was made; 0.0 if there are none."""
        ordered = sorted(self.times)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def serve(link: "Connection[Any, Any]") -> None:
    """A worker's life: answer questions until the other end closes."""
    with contextlib.suppress(ValueError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the node, which closes the link
    policies: dict[str, Policy] = {}
    with contextlib.suppress(EOFError, OSError):
        while True:
            level, method, view, seed = link.recv()
            try:
                if level not in policies:
                    policies[level] = load_policy(level)
                answer = getattr(policies[level], method)(view, seed)
            except Exception as error:  # an error in a policy is told, not fatal
                answer = error
            link.send(answer)


class _Worker:
    """One process and our end of its link."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.link, theirs = context.Pipe()
        self.process: BaseProcess = context.Process(target=serve, args=(theirs,), daemon=True, name="doko-bot")
        self.process.start()
        theirs.close()

    def stop(self) -> None:
        self.link.close()
        self.process.kill()
        self.process.join()
        self.process.close()


class WorkerPool:
    """Up to *size* processes, started when first needed."""

    def __init__(self, size: int = 1) -> None:
        if size < 1:
            raise ValueError(size)
        self.statistics = Statistics()
        self._size = size
        self._idle: list[_Worker] = []
        self._busy: set[_Worker] = set()
        self._change = threading.Condition()
        self._closed = False

    def __enter__(self) -> "WorkerPool":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End all processes, also those that think."""
        with self._change:
            self._closed = True
            workers = [*self._idle, *self._busy]
            self._idle.clear()
            self._busy.clear()
            self._change.notify_all()
        for worker in workers:
            worker.stop()

    def warm_up(self) -> None:
        """Start one process now, so that the first decision need not wait for it."""
        with self._change:
            if not self._closed and not self._idle and len(self._busy) < self._size:
                self._idle.append(_Worker())

    def policy(self, level: str, seconds: float = SECONDS) -> Policy:
        """*level* (or ``MODULE:CLASS``) as a policy that thinks in this pool for at most *seconds* a decision.

        Policies that do not search answer at once and need no process.  ``LookupError`` for what is no policy.
        """
        policy = load_policy(level)
        return Remote(self, level, policy, seconds) if policy.searches else policy

    def ask(self, level: str, method: str, view: "HandView", seed: bytes, seconds: float) -> Any:
        """What the policy of *level* answers; ``TimeoutError`` when the time is up or the pool is closed."""
        end = time.monotonic() + seconds
        worker = self._take(end)
        try:
            worker.link.send((level, method, view, seed))
            if not worker.link.poll(max(0.0, end - time.monotonic())):
                raise TimeoutError
            answer = worker.link.recv()
        except (TimeoutError, EOFError, OSError) as error:
            self._replace(worker)
            raise TimeoutError from error
        with self._change:
            self._busy.discard(worker)
            if not self._closed:
                self._idle.append(worker)
            self._change.notify()
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _take(self, end: float) -> _Worker:
        with self._change:
            while not self._closed:
                if self._idle:
                    worker = self._idle.pop()
                elif len(self._busy) < self._size:
                    worker = _Worker()
                elif self._change.wait(max(0.0, end - time.monotonic())):
                    continue
                else:
                    break
                self._busy.add(worker)
                return worker
        raise TimeoutError

    def _replace(self, worker: _Worker) -> None:
        with self._change:
            ours = worker in self._busy
            self._busy.discard(worker)
            self.statistics.restarts += ours
            self._change.notify()
        if ours:
            worker.stop()


class Remote(Policy):
    """A level that thinks in a pool, the beginner's rules behind it."""

    searches = True

    def __init__(self, pool: WorkerPool, level: str, policy: Policy, seconds: float) -> None:
        self.name = policy.name  # type: ignore[misc]
        self.version = policy.version  # type: ignore[misc]
        self._pool = pool
        self._level = level
        self._seconds = seconds
        self._rules = Beginner()
        #: Was the last decision a fallback?
        self.fell_back = False

    def choose(self, view: "HandView", seed: bytes) -> "Act":
        return self._think("choose", view, seed, self._rules.choose)  # type: ignore[no-any-return]

    def call(self, view: "HandView", seed: bytes) -> "CallKind | None":
        return self._think("call", view, seed, self._rules.call)  # type: ignore[no-any-return]

    def _think(self, method: str, view: "HandView", seed: bytes, rules: Callable[["HandView", bytes], Any]) -> Any:
        statistics = self._pool.statistics
        began = time.monotonic()
        self.fell_back = False
        try:
            answer = self._pool.ask(self._level, method, view, seed, self._seconds)
        except TimeoutError:
            answer = rules(view, seed)
            self.fell_back = True
            statistics.fallbacks += 1
        statistics.decisions += 1
        statistics.times.append(1000 * (time.monotonic() - began))
        return answer
