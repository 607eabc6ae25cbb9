"""The rules as a page: the Markdown of RULES.md in the language in force, as styled lines with an index."""

import re
from functools import lru_cache
from importlib import resources

from node.console.canvas import wrap
from node.console.documents import Line
from node.console.faces import Faces
from node.i18n import LOCALE_DIR, current_language


@lru_cache(maxsize=8)
def _rules_in(language: str) -> str:
    try:
        translated = LOCALE_DIR / language / "RULES.md"
        if translated.exists():
            return translated.read_text(encoding="utf-8")
        return resources.files("protocol").joinpath("RULES.md").read_text(encoding="utf-8")
    except (OSError, ModuleNotFoundError):
        return ""


def rules_text() -> str:
    """The rules in the language in force, as :mod:`protocol` has them in English; empty if they are not installed."""
    return _rules_in(current_language())


def rule_numbers() -> tuple[str, ...]:
    """The numbers that the rules text has, in its order."""
    return tuple(dict.fromkeys(match[1] for match in re.finditer(r"^\*\*(R\d+)\*\*", rules_text(), re.MULTILINE)))


def rule_blocks(text: str) -> list[tuple[str, str]]:
    """The Markdown of the rules as blocks ``(kind, text)``; kinds: ``head``, ``item``, ``code``, ``row``, ``text``.

    Only what that file uses is known; the lines of a paragraph are joined.
    """
    blocks: list[tuple[str, str]] = []
    fresh = True
    for raw in text.splitlines():
        line = raw.rstrip()
        if not line:
            fresh = True
            continue
        clean = re.sub(r"\*([^*]+)\*", r"\1", line.replace("**", "").replace("`", "")).replace("  ", " ")
        if line.startswith("#"):
            blocks.append(("head", clean.lstrip("# ")))
        elif line.startswith("    ") and (fresh or blocks[-1][0] == "code"):
            blocks.append(("code", line[4:].replace("**", "")))
            fresh = False
            continue
        elif line.startswith("|"):
            if not set(line) <= set("|-: "):
                blocks.append(("row", "   ".join(cell.strip() for cell in clean.strip("|").split("|"))))
        elif re.match(r"\s*[-*] ", line):
            blocks.append(("item", re.sub(r"^\s*[-*] ", "", clean)))
            fresh = False
            continue
        elif fresh or not blocks or blocks[-1][0] not in ("text", "item"):
            blocks.append(("text", clean))
        else:
            blocks[-1] = (blocks[-1][0], blocks[-1][1] + " " + clean.strip())
        fresh = line.startswith(("#", "|"))
    return blocks


def rules_document(faces: Faces, width: int) -> tuple[list[Line], dict[str, int]]:
    """The rules, and the line at which each number starts."""
    lines: list[Line] = []
    index: dict[str, int] = {}
    before = ""
    for kind, text in rule_blocks(rules_text()):
        if lines and not (kind == before and kind in ("item", "code", "row")):
            lines.append([])
        before = kind
        if kind == "head":
            lines.append([("title", text)])
        elif kind in ("code", "row"):
            lines.append([("strong" if kind == "code" else "felt", "    " + text)])
        elif kind == "item":
            rows = wrap(text, width - 4)
            lines.append([("felt", f"  {faces.sign('bullet')} {rows[0]}")])
            lines += [[("felt", "    " + row)] for row in rows[1:]]
        else:
            number = re.match(r"R\d+\b", text)
            rows = wrap(text, width)
            if number is not None:
                index.setdefault(number[0], len(lines))
                lines.append([("mark", number[0]), ("felt", rows[0][len(number[0]) :])])
                rows = rows[1:]
            lines += [[("felt", row)] for row in rows]
    return lines, index
