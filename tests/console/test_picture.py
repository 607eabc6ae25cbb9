"""The picture of the table in the README is what the program draws now."""

import re
from xml.etree import ElementTree

from tests.tools.picture import ROOT, SVG, picture, text


def test_the_drawing_is_the_one_the_program_makes() -> None:
    assert SVG.read_text(encoding="utf-8") == picture(), "run: python -m tests.tools.picture write"
    ElementTree.fromstring(picture())


def test_a_table_of_characters_in_the_readme_is_the_one_the_program_makes() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.findall(r"```[a-z]*\n( Hand \d of \d.*?)\n?```", readme, re.DOTALL)
    assert all([line.rstrip() for line in block.splitlines()] == text().splitlines() for block in shown)
    assert len(text().splitlines()) == 24
