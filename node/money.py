"""Cents as people write them; all sums are integers."""

import re

from node.errors import DokoError
from node.i18n import _


def format_cents(cents: int, *, sign: bool = False) -> str:
    """``-1234`` as ``-12.34``; with *sign* also ``+12.34``."""
    mark = "-" if cents < 0 else "+" if sign and cents > 0 else ""
    return f"{mark}{abs(cents) // 100}.{abs(cents) % 100:02}"


def parse_cents(text: str) -> int:
    """``12.34``, ``12,34``, ``12.3`` or ``12`` as cents (> 0).  Raises :class:`DokoError`."""
    match = re.fullmatch(r"\s*([0-9]{1,9})(?:[.,]([0-9]{1,2}))?\s*", text, re.ASCII)
    cents = int(match[1]) * 100 + int((match[2] or "").ljust(2, "0")) if match else 0
    if cents <= 0:
        raise DokoError(_("{text} is no amount.").format(text=repr(text[:40])), _("Write for example 12.50"))
    return cents
