"""Which test runs which attack: ``python -m tests.hostile.attacks`` prints the table of ``README.md``.

Read from the tests themselves: an attack's tests have its number in their names; those with the fixture ``live`` run
once in the table core and once over TCP against three honest nodes, those with ``processes`` against three processes.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent
#: What each number of the list is.  28 is no attack but a test of the tests; 36, 56 to 65, 76 to 79 are not in it here:
#: they need somebody who takes an absent player's place, or are the duel's (tests/table/test_duel.py).
ATTACKS: Final = {
    1: "the identity in a point field",
    2: "an invalid encoding in a point field",
    3: "a scalar out of range",
    4: "malformed bytes",
    5: "lists too short or too long",
    6: "wrong signature, match, deal or number",
    7: "replay; two entries for one place",
    8: "a flood of bogus shuffles",
    9: "rogue key",
    10: "keys copied from another seat",
    11: "proof of possession of an earlier deal",
    12: "proof of possession with z = 0",
    13: "a box that does not hold its share",
    14: "false complaint about a box",
    15: "different keys to different peers",
    16: "no KEYOK",
    17: "a card duplicated",
    18: "an output replaced",
    19: "forge 1: scaled cards, commitments afterwards",
    20: "forge 2: generators with known logarithms",
    21: "an older deck shuffled",
    22: "a proof of another deal, seat or key",
    23: "each of the 197 fields changed",
    24: "parts of a proof exchanged",
    25: "a lazy shuffle",
    26: "SHUF out of turn",
    27: "errors that cancel",
    29: "DECKOK withheld",
    30: "three decks to three peers",
    31: "a share moved",
    32: "two shares exchanged",
    33: "forge 3: a share after the challenge",
    34: "shares proven for another deal or seat",
    35: "shares of own slots",
    37: "asking for a share",
    38: "two colluders pool what they have",
    39: "out of turn",
    40: "a slot that is not his, or played",
    41: "the share of another slot",
    42: "revoke without proof",
    43: "forged void proofs",
    44: "void proof over another list of slots",
    45: "void proof of another class or contract",
    46: "void proof of another moment or player",
    47: "void proof of which one equation holds",
    48: "void proof with a card that follows",
    49: "revoke against an opened slot",
    50: "second discard in a proven class (right)",
    51: "Re with a slot that is no club queen",
    52: "Kontra with a club queen",
    53: "Kontra that leaves a slot out",
    54: "false marriages",
    55: "calls too late or in the wrong contract",
    66: "position and type (right)",
    67: "sizes and numbers of messages (right)",
    68: "secrets in logs, dumps and stores (right)",
    69: "a call dated back",
    70: "a call shown to one and skipped",
    71: "a reply to a pending call (right)",
    72: "an overtaken Re (right)",
    73: "one payload, two signatures (right)",
    74: "a card on a head that nobody has",
    75: "shares before the result",
    80: "a store put back",
    81: "silence after the others' keys",
}
#: Attacks that no message can show in a system that runs over TCP: properties of many deals, or of one node alone.
NOT_OVER_TCP: Final = frozenset({66, 67, 68})
#: Attacks whose outcome convicts nobody: silence, floods, what is right, what is only looked at.
NOBODY_GUILTY: Final = frozenset({16, 37, 38, 50, 66, 67, 68, 71, 72, 73, 80, 81})


@dataclass
class Runs:
    """The tests of one attack."""

    core: set[str] = field(default_factory=set)
    tcp: set[str] = field(default_factory=set)
    processes: set[str] = field(default_factory=set)
    convicts: bool = False  # one of them has the evidence checked as ``doko verify`` does


def _functions() -> Iterator[tuple[str, ast.FunctionDef, bool]]:
    """Module, function, and whether it checks that the evidence convicts, by itself or by a helper of its module."""
    for path in sorted(HERE.glob("test_*.py")):
        made = [node for node in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(node, ast.FunctionDef)]
        called = {node.name: _calls(node) for node in made}
        convicting = {"refused", "refused_by_all", "convicts"}
        for _ in made:
            convicting |= {name for name, calls in called.items() if calls & convicting}
        for node in made:
            yield path.stem, node, node.name in convicting


def _calls(function: ast.FunctionDef) -> set[str]:
    """Names of what it calls."""
    calls = [node.func for node in ast.walk(function) if isinstance(node, ast.Call)]
    return {f.id if isinstance(f, ast.Name) else f.attr for f in calls if isinstance(f, ast.Name | ast.Attribute)}


def runs() -> dict[int, Runs]:
    """By number, from the tests' names, fixtures and what they call."""
    found = {number: Runs() for number in ATTACKS}
    for module, test, convicts in _functions():
        named = re.match(r"test_attack_(\d+)(?:_and_(\d+))?_", test.name)
        if named is None:
            continue
        fixtures = {argument.arg for argument in test.args.args}
        for number in (int(each) for each in named.groups() if each):
            each = found.setdefault(number, Runs())
            if "processes" in fixtures:
                each.processes.add(module)
            elif "live" in fixtures:
                each.core.add(module)
                each.tcp.add(module)
            else:
                each.core.add(module)
            each.convicts |= convicts
    return found


def table() -> str:
    """Markdown."""
    lines = [
        "| number | attack | core | TCP | processes | evidence convicts |",
        "|---|---|---|---|---|---|",
    ]
    for number, each in sorted(runs().items()):
        columns = (each.core, each.tcp, each.processes)
        where = " | ".join(", ".join(f"`{name}`" for name in sorted(names)) or "-" for names in columns)
        guilty = "nobody is guilty" if number in NOBODY_GUILTY else "yes" if each.convicts else "**no**"
        lines.append(f"| {number} | {ATTACKS.get(number, '?')} | {where} | {guilty} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(table(), end="")
