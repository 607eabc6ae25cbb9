"""The page of keys, and the written list of automatic moves."""

from collections.abc import Sequence

from node.console.canvas import pad, wrap
from node.console.documents import Line, heading, paragraph
from node.console.faces import Faces
from node.console.keys import CONTEXTS, bindings_of, keys_name
from node.i18n import _


def help_document(faces: Faces, width: int, contexts: Sequence[str] = tuple(CONTEXTS)) -> list[Line]:
    """All keys, and the written list of automatic moves."""
    lines = heading(_("Keys"))
    key_width = 16
    for context in contexts:
        lines.append([("title", _(CONTEXTS[context]))])
        for binding in bindings_of(context):
            rows = wrap(_(binding.help), max(width - key_width - 2, 10))
            lines.append([("mark", pad("  " + keys_name(binding.keys, _, faces.ascii), key_width)), ("felt", rows[0])])
            lines += [[("felt", " " * key_width + row)] for row in rows[1:]]
        lines.append([])
    lines.append([("title", _("What is done by itself"))])
    lines += paragraph(
        _("Your last card of a hand is played for you after a short random delay. Nothing else is."),
        width,
        "felt",
        2,
    )
    lines.append([])
    lines.append([("title", _("What cannot be undone"))])
    lines += paragraph(
        _(
            "A played card cannot be taken back, its secret is out. The guard in the settings holds a chosen card for "
            "a moment, and Esc takes it back."
        ),
        width,
        "felt",
        2,
    )
    return lines
