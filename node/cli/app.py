"""What every verb gets: the global options, and lazily what follows from them."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click


@dataclass(slots=True)
class App:
    """The global options of one call of ``doko``.

    ``data`` is the value of ``--data`` (``None``: environment or default); ``flags`` are settings given as options,
    above environment and file.
    """

    data: Path | None = None
    lang: str | None = None
    log_level: str | None = None
    flags: dict[str, Any] = field(default_factory=dict)


pass_app = click.make_pass_decorator(App, ensure=True)
