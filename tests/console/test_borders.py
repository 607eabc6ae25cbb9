"""Where the borders are: only the consoles know prompt_toolkit and asyncio, and the protocol knows no node."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def imports(path: Path) -> Iterator[str]:
    """The modules that a file imports, inside functions too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module


def users(*packages: str) -> set[str]:
    """Files of node and protocol that import one of *packages*."""
    found = set()
    for path in [*ROOT.glob("node/**/*.py"), *ROOT.glob("protocol/**/*.py")]:
        if any(name.split(".")[0] in packages for name in imports(path)):
            found.add(path.relative_to(ROOT).as_posix())
    return found


def test_only_the_console_knows_its_toolkit() -> None:
    assert users("prompt_toolkit", "asyncio") == {"node/console/bridge.py", "node/console/full.py"}


def test_only_the_screens_of_the_console_know_trio() -> None:
    console = {name for name in users("trio") if name.startswith("node/console/")}
    assert console == {"node/console/bridge.py", "node/console/full.py", "node/console/plaindesk.py"}


def test_the_protocol_does_not_know_the_node() -> None:
    assert not {name for name in users("node") if name.startswith("protocol/")}


def test_the_console_reaches_the_node_by_the_view_alone() -> None:
    """Of the node it knows the view, words and settings; main.py puts the two together."""
    allowed = {"node.view", "node.i18n", "node.errors"}
    for path in ROOT.glob("node/console/*.py"):
        if path.name == "main.py":
            continue
        found = {name for name in imports(path) if name.split(".")[0] == "node" and not name.startswith("node.console")}
        assert found <= allowed, (path.name, found - allowed)
