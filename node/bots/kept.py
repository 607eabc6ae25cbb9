"""The file of a long league run (``--out``): what was finished is kept, and the same command goes on from there.

JSON lines.  The first tells what is measured: every setting, the bots' versions and the program's.  Each further line
is one finished part, as :meth:`node.bots.figures.Tally.kept` puts it, with the number of its run.  A line counts once
its end is written, so a process that is killed loses the parts it was playing and nothing else; results do not depend
on who played which part, and an interrupted run ends with the numbers of one that was not.
"""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Self

from node import __version__
from node.bots.figures import Tally
from node.errors import EXIT_ENVIRONMENT, EXIT_NO, EXIT_USAGE, DokoError
from node.files import explain
from node.i18n import _
from node.locks import try_lock

#: Number of the format.
FORMAT: Final = 1
#: A file of more bytes than this is none of ours.
MOST: Final = 1 << 30


class Kept:
    """The open file of a league of several *runs* (JSON values that say what is measured), and what is in it.

    ``tallies``, one for each run, hold the parts that were found.  Raises :class:`DokoError` if another process has the
    file, if it belongs to other runs, or if it is damaged elsewhere than at its end.
    """

    def __init__(self, path: Path, runs: Sequence[dict[str, Any]]) -> None:
        self.path = path
        self.tallies = [Tally() for _run in runs]
        self._deals = [int(run["deals"]) for run in runs]
        self._head = {"league": FORMAT, "program": __version__, "runs": list(runs)}
        try:
            self._file = open(path, "a+b")  # noqa: SIM115
        except OSError as error:
            raise explain(error, path, _("Could not open the file of the league.")) from error
        try:
            self._open()
        except OSError as error:
            self._file.close()
            raise explain(error, path, _("Could not read the file of the league.")) from error
        except BaseException:
            self._file.close()
            raise

    def _open(self) -> None:
        if not try_lock(self._file.fileno()):
            text = _("{file} is in use by another league.").format(file=self.path)
            raise DokoError(text, _("Wait for its end, or give another file."), EXIT_ENVIRONMENT)
        self._file.seek(0)
        data = self._file.read(MOST + 1)
        if len(data) > MOST:
            raise self._damaged(1)
        whole = data[: data.rfind(b"\n") + 1]
        if data and not whole and not b'{"league":'.startswith(data[:10]):
            raise self._damaged(1)
        lines = whole.splitlines()
        if lines:
            self._compare(self._read(lines[0], 1))
        for number, line in enumerate(lines[1:], 2):
            self._take(self._read(line, number), number)
        if len(whole) < len(data):
            self._file.truncate(len(whole))  # a line that was being written when the process ended
        if not lines:
            self._write(self._head)

    def _read(self, line: bytes, number: int) -> dict[str, Any]:
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict) or (number == 1 and value.get("league") != FORMAT):
            raise self._damaged(number)
        return value

    def _damaged(self, number: int) -> DokoError:
        text = _("{file} is no file of a league, or is damaged (line {number}).").format(file=self.path, number=number)
        return DokoError(text, _("Give another file."), EXIT_USAGE)

    def _compare(self, head: dict[str, Any]) -> None:
        if head == self._head:
            return
        was, wanted = _flat(head), _flat(self._head)
        names = [name for name in {**was, **wanted} if was.get(name) != wanted.get(name)]
        text = _("{file} belongs to another league: {name} is {was} there, {wanted} here.").format(
            file=self.path, name=names[0], was=_json(was.get(names[0])), wanted=_json(wanted.get(names[0]))
        )
        raise DokoError(text, _("Repeat the command as it was, or give another file."), EXIT_NO)

    def _take(self, line: dict[str, Any], number: int) -> None:
        run = line.get("run")
        if type(run) is not int or not 0 <= run < len(self.tallies):
            raise self._damaged(number)
        try:
            part = Tally.read(line)
        except ValueError:
            raise self._damaged(number) from None
        tally = self.tallies[run]
        if any(not 0 <= deal < self._deals[run] or deal in tally.scores for deal in part.scores):
            raise self._damaged(number)
        tally.add(part)

    def _write(self, line: dict[str, Any]) -> None:
        try:
            self._file.write(_json(line).encode() + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise explain(error, self.path, _("Could not write the file of the league.")) from error

    def keep(self, run: int, part: Tally) -> None:
        """Write a finished part of the run with this number; it is on the disk when this returns."""
        self._write({"run": run, **part.kept()})

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"))


def _flat(value: Any, name: str = "") -> dict[str, Any]:
    """The leaves of nested lists and maps by their paths, to name what differs."""
    inner = value.items() if isinstance(value, dict) else enumerate(value, 1) if isinstance(value, list) else None
    if inner is None:
        return {name: value}
    flat: dict[str, Any] = {}
    for key, one in inner:
        flat.update(_flat(one, f"{name}.{key}" if name else str(key)))
    return flat
