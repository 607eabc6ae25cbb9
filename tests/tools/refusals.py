"""Where the protocol and the links refuse, and with which words: read from the sources."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: Calls that take words for people, and which argument these are.
CALLS = {
    "Refusal": 1,
    "LinkError": 1,
    "LinkLost": 1,
    "Verdict": 1,
    "DealAgain": 1,
    "close": 1,
    "_stop": 0,
    "_fail": 1,
    "_abandon": 1,
    "_refuse": 2,
    "_refuse_seats": 2,
}


def words_of(node: ast.expr) -> str | None:
    """A text with ``{}`` where something is put in; None for what is no text here."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return None


def refused(source: str) -> Iterator[tuple[int, str]]:
    """Line and words of everything in *source* that refuses; a variable's words are those put into it nearby."""
    tree = ast.parse(source)
    for scope in ast.walk(tree):
        if not isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        texts = {
            target.id: words
            for step in ast.walk(scope)
            if isinstance(step, ast.Assign) and (words := words_of(step.value)) is not None
            for target in step.targets
            if isinstance(target, ast.Name)
        }
        for call in ast.walk(scope):
            if not isinstance(call, ast.Call):
                continue
            name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            index = CALLS.get(name)
            if index is None or len(call.args) <= index:
                continue
            argument = call.args[index]
            words = texts.get(argument.id) if isinstance(argument, ast.Name) else words_of(argument)
            if words:
                yield call.lineno, words


def everything() -> Iterator[tuple[str, int, str]]:
    """File, line and words of all refusals of ``protocol/`` and ``node/net/``."""
    for folder in ("protocol", "node/net"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for line, words in refused(path.read_text(encoding="utf-8")):
                yield path.relative_to(ROOT).as_posix(), line, words
