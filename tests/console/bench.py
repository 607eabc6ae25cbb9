"""A console on a fake node, with a clock that the test turns by hand."""

from dataclasses import replace

from node.console.canvas import Canvas
from node.console.model import Model
from node.console.plain import Plain
from node.console.settings import Settings
from node.view import Command, Stage
from tests.console.fake import FakeNode

QUIET = Settings(bell=True, lock=0.3, dwell=2.0)


class Bench:
    """A full-screen model and its node.  ``now`` only moves by :meth:`wait`."""

    def __init__(self, node: FakeNode | None = None, settings: Settings = QUIET, dwell: float | None = None) -> None:
        self.node = node or FakeNode()
        self.model = Model(settings, rand=lambda: 0.5)
        self.now = 100.0
        self.sent: list[Command] = []
        if dwell is not None:
            self.node.table_extra["dwell"] = dwell
        self.show()

    def show(self) -> None:
        """Show the node's view as it is now."""
        self.node.now = self.now
        self.model.show(self.node.view(), self.now)
        self._carry()

    def _carry(self) -> None:
        for command in self.model.take():
            self.sent.append(command)
            self.node.do(command)
            self.model.show(self.node.view(), self.now)

    def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        for key in keys:
            self.model.press(key, self.now)
            self._carry()

    def wait(self, seconds: float) -> None:
        """Let time pass; ticks come when they are due."""
        end = self.now + seconds
        while True:
            due = self.model.next_tick()
            if due is None or due > end:
                break
            self.now = max(due, self.now)
            self.model.tick(self.now)
            self._carry()
            if due <= self.now and self.model.next_tick() == due:
                break
        self.now = end

    def step(self, number: int = 1) -> None:
        """The others do something."""
        for _n in range(number):
            self.node.step()
            self.show()

    def to_question(self) -> None:
        """Until we are asked, showing every step, with the input lock run out."""
        for _n in range(200):
            if self.node.stage is Stage.SETTLED or self.node.table().question is not None:
                break
            self.step()
        self.wait(3.0)

    def begin(self) -> None:
        """Start a match and go on to the first question."""
        self.node.begin()
        self.show()
        self.to_question()

    def canvas(self, width: int = 80, height: int = 24) -> Canvas:
        """The screen."""
        return self.model.draw(width, height)

    def text(self, width: int = 80, height: int = 24) -> str:
        """The screen as text."""
        return "\n".join(self.canvas(width, height).rows())


class PlainBench:
    """A plain console and its node."""

    def __init__(self, node: FakeNode | None = None, settings: Settings = QUIET) -> None:
        self.node = node or FakeNode()
        self.machine = Plain(replace(settings, lock=0.0), rand=lambda: 0.5)
        self.now = 100.0
        self.sent: list[Command] = []
        self.lines: list[str] = []
        self.show()

    def show(self) -> None:
        """Show the node's view as it is now."""
        self.machine.show(self.node.view(), self.now)
        self._carry()

    def _carry(self) -> None:
        self.lines += self.machine.take_lines()
        for command in self.machine.take():
            self.sent.append(command)
            self.node.do(command)
            self.machine.show(self.node.view(), self.now)
            self.lines += self.machine.take_lines()

    def type(self, *lines: str) -> list[str]:
        """Type lines; what was printed since."""
        before = len(self.lines)
        for line in lines:
            self.machine.feed(line, self.now)
            self._carry()
        return self.lines[before:]

    def choose(self, label: str) -> list[str]:
        """Choose by its label the choice that was printed last."""
        offered = [line.strip().partition("  ") for line in reversed(self.lines)]
        for number, _space, text in offered:
            if number.isdigit() and text == label:
                return self.type(number)
        for number, _space, text in offered:
            if number.isdigit() and text.startswith(label):
                return self.type(number)
        raise AssertionError(f"{label!r} is not offered:\n" + "\n".join(self.lines[-20:]))

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds
        self.machine.tick(self.now)
        self._carry()

    def to_question(self) -> None:
        """Until we are asked."""
        for _n in range(200):
            if self.node.stage is Stage.SETTLED or self.node.table().question is not None:
                return
            self.node.step()
            self.show()
