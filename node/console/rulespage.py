"""The rules in the game, by number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from node.console.page import DocumentPage, LinePopup
from node.console.rulestext import rules_document
from node.i18n import _

if TYPE_CHECKING:
    from node.console.model import Model


class RulesPage(DocumentPage):
    """The text of the rules; a number typed goes to that rule."""

    def __init__(self, model: Model, rule: str = "") -> None:
        super().__init__(model, _("Rules"), lambda width: rules_document(model.faces, width)[0])
        self.wanted = rule
        self.width = 80

    def lines(self, width: int) -> list[list[tuple[str, str]]]:
        self.width = width
        lines, index = rules_document(self.model.faces, width)
        if self.wanted:
            if self.wanted in index:
                self.top = index[self.wanted]
            else:
                self.model.say(_("There is no rule {number}.").format(number=self.wanted), "warn")
            self.wanted = ""
        return lines

    def press(self, key: str) -> bool:
        if key in ("r", "R") or (len(key) == 1 and key.isdigit()):
            start = key if key.isdigit() else ""
            self.model.open(LinePopup(self.model, _("Rule number"), self._go, start, 3))
            return True
        return super().press(key)

    def _go(self, text: str) -> None:
        self.wanted = "R" + text.strip().lstrip("rR")

    def footer(self) -> list[tuple[str, str, str]]:
        return [("1-9", _("rule by number"), "number"), *super().footer()]

    def do_number(self, _key: str = "") -> None:
        """Type a number."""
        self.model.open(LinePopup(self.model, _("Rule number"), self._go, "", 3))
