"""One line of text being typed: the little editor of chat, forms and the plain console's tests."""

from dataclasses import dataclass

from node.console.canvas import char_width, text_width


@dataclass(slots=True)
class LineEdit:
    """Text and cursor; :meth:`press` takes prompt_toolkit key names and says whether the key was meant for it."""

    text: str = ""
    limit: int = 200
    cursor: int = -1

    def __post_init__(self) -> None:
        if self.cursor < 0:
            self.cursor = len(self.text)

    def insert(self, text: str) -> None:
        """Insert typed or pasted text; newlines become blanks, other control characters are dropped."""
        clean = "".join(" " if c in "\r\n\t" else c for c in text if c in "\r\n\t" or c.isprintable())
        clean = clean[: max(self.limit - len(self.text), 0)]
        self.text = self.text[: self.cursor] + clean + self.text[self.cursor :]
        self.cursor += len(clean)

    def press(self, key: str) -> bool:
        """Act on an editing key or a printable character."""
        if len(key) == 1 and key.isprintable():
            self.insert(key)
        elif key == "space":
            self.insert(" ")
        elif key == "left":
            self.cursor = max(self.cursor - 1, 0)
        elif key == "right":
            self.cursor = min(self.cursor + 1, len(self.text))
        elif key in ("home", "c-a"):
            self.cursor = 0
        elif key in ("end", "c-e"):
            self.cursor = len(self.text)
        elif key == "backspace":
            if self.cursor:
                self.text = self.text[: self.cursor - 1] + self.text[self.cursor :]
                self.cursor -= 1
        elif key == "delete":
            self.text = self.text[: self.cursor] + self.text[self.cursor + 1 :]
        elif key == "c-u":
            self.text, self.cursor = self.text[self.cursor :], 0
        elif key == "c-k":
            self.text = self.text[: self.cursor]
        elif key == "c-w":
            head = self.text[: self.cursor].rstrip(" ")
            head = head[: head.rfind(" ") + 1]
            self.text, self.cursor = head + self.text[self.cursor :], len(head)
        else:
            return False
        return True

    def window(self, width: int) -> tuple[str, int]:
        """What to show in *width* columns, and the cursor's column in it."""
        start = 0
        while text_width(self.text[start : self.cursor]) >= max(width, 1):
            start += 1
        shown, used = [], 0
        for char in self.text[start:]:
            used += char_width(char)
            if used > width:
                break
            shown.append(char)
        return "".join(shown), text_width(self.text[start : self.cursor])

    def take(self) -> str:
        """The text, stripped; the editor is empty afterwards."""
        text, self.text, self.cursor = self.text.strip(), "", 0
        return text
