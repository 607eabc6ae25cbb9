"""The honest nodes as processes: ``doko table resume`` over data directories that were prepared at a moment of a match.

The hostile node lives in the test (:mod:`tests.hostile.node`); of the others nothing is seen but what they send to it,
the lines they print, how they end, and what they leave on disk.
"""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from node import identity
from node.paths import Paths
from node.plan import SEED_ROOT, Plan, pack_plan
from node.store import open_store
from protocol.refusal import Code, Refusal
from protocol.table.effects import Persist
from protocol.wire import messages
from protocol.wire.entries import Call, Play, decode_payload
from tests.e2e.processes import COMMAND, NodeProcess
from tests.hostile.node import TcpScene, identity_of
from tests.hostile.room import Room, Sent
from tests.hostile.scene import convicts, open_shares
from tests.table.net import people

#: Milliseconds that a node's loop may be held up by anything a peer sends (proofs are checked in threads, but under
#: one interpreter lock).
HELD_MS = 400.0


class ProcessScene(TcpScene):
    """Three honest processes and a hostile node, or two and two."""

    def __init__(self, room: Room, hostile: int | tuple[int, ...], home: Path) -> None:
        self.nodes: dict[int, NodeProcess] = {}
        hostiles = (hostile,) if isinstance(hostile, int) else hostile
        super().__init__(room, hostile, home, tuple(seat for seat in range(4) if seat not in hostiles))

    def begin(self) -> None:
        for seat in self.honest:
            self.nodes[seat] = self._start(seat)
        for node in self.nodes.values():
            node.event("seated")

    def _start(self, seat: int) -> NodeProcess:
        paths = Paths(self._home / f"data{seat}").create()
        identity.save(identity_of(seat), paths.identity)
        known = self.plan(seat)
        plan = Plan(known.setup, known.addresses, known.listen, "random")
        kept = self.room.stores[seat].stored()
        with open_store(paths.store) as store:
            store.add_match(plan.match, people()[seat].identity, seat, pack_plan(plan))
            store.persist(plan.match, Persist(kept.entries, ((SEED_ROOT, bytes(32)), *kept.secrets.items())))
        return NodeProcess("table", "resume", "--events", "--measure", "--leash", data=paths.data)

    def hear(self, seat: int, sender: bytes, raw: bytes) -> None:
        source = next(other for other, person in enumerate(people()) if person.identity == sender)
        self._sent.append(Sent(source, seat, raw))

    # -- what comes of it --

    def refused_by_all(self, code: Code, *, anew: bool) -> None:
        """Each process refuses with *code*, leaves evidence that convicts, and goes on with a new deal or stops."""
        for node in self.nodes.values():
            line = node.event("refused")
            assert (line["seat"], line["code"]) == (self.hostile, code.value)
            assert line["held_ms"] < HELD_MS
            if anew:
                again = node.event("deal-again")
                assert (again["deal"], again["seat"]) == (0, self.hostile)
                assert node.process.poll() is None
        files = [self._evidence(seat, anew) for seat in self.honest]
        for file in files:
            convicts(file.read_bytes(), self.hostile, code)
        verdict = doko("verify", "--json", str(files[0]))
        assert verdict.returncode == 0
        said = json.loads(verdict.stdout)
        assert (said["guilty"], said["code"], said["ok"]) == (self.hostile, code.value, True)
        self.no_secret_left()
        self.no_secret_on_disk()

    def _evidence(self, seat: int, anew: bool) -> Path:
        node = self.nodes[seat]
        match = self.room.setups[seat].match_id.hex()
        if not anew:
            assert node.end() == 4, node.errors
            assert "broke the rules" in node.errors
            assert "Traceback" not in node.errors
            return Paths(node.data).settlements / f"{match[:16]}.evidence"
        node.signal()
        assert node.end() == 128 + signal.SIGTERM, node.errors
        assert "Traceback" not in node.errors
        file = self._home / f"{seat}.evidence"
        made = doko("--data", str(node.data), "export", "evidence", match[:16], "--out", str(file))
        assert made.returncode == 0, made.stderr
        return file

    def no_secret_on_disk(self) -> None:
        """Neither the log, nor what was printed, nor the evidence shows a secret of its node."""
        for seat, node in self.nodes.items():
            paths = Paths(node.data)
            said = {path: path.read_bytes() for path in node.data.rglob("*") if path.is_file()}
            said = {path: text for path, text in said.items() if path != paths.identity and "doko.db" not in path.name}
            said[Path("output")] = json.dumps(node.lines).encode() + node.errors.encode()
            for secret in self.secrets[seat] - open_shares(self.tables):
                for form in (secret, secret.hex().encode(), str(int.from_bytes(secret, "little")).encode()):
                    for path, text in said.items():
                        assert form not in text, f"seat {seat} has written a secret into {path}"

    def no_secret_left(self) -> None:
        """As everywhere; but these nodes have players, who may have played on: the share of a played card is shown."""
        for each in self.sent:
            try:
                message = messages.decode(each.raw)
                payload = decode_payload(message.p) if isinstance(message, messages.Entry) else None
            except Refusal:
                continue
            if payload is not None and payload.seat == each.source and isinstance(payload.fields, Play | Call):
                opened = payload.fields if isinstance(payload.fields, Play) else payload.fields.open
                if opened is not None:
                    self.shown |= {opened.d, opened.d[::-1]}
        super().no_secret_left()

    def lines(self, name: str) -> list[dict[str, object]]:
        """All lines of a name, of all processes, so far."""
        return [line for node in self.nodes.values() for line in list(node.lines) if line["event"] == name]

    def all_say(self, wanted: Callable[[dict[str, object]], bool]) -> None:
        """Wait until each process has said it."""
        for node in self.nodes.values():
            if not any(wanted(line) for line in list(node.lines)):
                node.wait_for(wanted)

    def close(self) -> None:
        try:
            super().close()
        finally:
            for node in self.nodes.values():
                node.close()


def doko(*args: str) -> subprocess.CompletedProcess[bytes]:
    """Run the command to its end."""
    return subprocess.run([*COMMAND, *args], capture_output=True, check=False, timeout=120)


__all__: Sequence[str] = ("HELD_MS", "ProcessScene", "doko")
