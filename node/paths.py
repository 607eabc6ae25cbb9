"""Where a node keeps its things: one data directory, so that several nodes live on one machine side by side."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from node.errors import DokoError
from node.files import make_private_directory
from node.i18n import _

ENVIRONMENT: Final = "DOKO_DATA"


@dataclass(frozen=True, slots=True)
class Paths:
    """The files of one data directory."""

    data: Path

    @property
    def identity(self) -> Path:
        return self.data / "identity.json"

    @property
    def config(self) -> Path:
        return self.data / "config.toml"

    @property
    def store(self) -> Path:
        return self.data / "doko.db"

    @property
    def lock(self) -> Path:
        return self.data / "lock"

    @property
    def log(self) -> Path:
        return self.data / "log" / "doko.jsonl"

    @property
    def crashes(self) -> Path:
        return self.data / "crashes"

    @property
    def settlements(self) -> Path:
        return self.data / "settlements"

    def create(self) -> "Paths":
        """Make the data directory (mode 700) if it is missing.  Raises :class:`DokoError`."""
        make_private_directory(self.data)
        return self


def default_data() -> Path:
    """The platform's place for a program's data (asked for only when needed: the look-up costs time)."""
    from platformdirs import user_data_path

    return user_data_path("doko", appauthor=False)


def resolve(flag: Path | str | None = None, environ: Mapping[str, str] | None = None) -> Paths:
    """The data directory: *flag*, else ``DOKO_DATA``, else the platform's; absolute.  Nothing is created."""
    environ = os.environ if environ is None else environ
    chosen = flag if flag is not None else environ.get(ENVIRONMENT) or None
    if chosen is None:
        return Paths(default_data())
    try:
        path = Path(chosen).expanduser().absolute()
    except RuntimeError as error:
        raise DokoError(_("No home directory for {path}.").format(path=chosen), _("Give a full path.")) from error
    if path.exists() and not path.is_dir():
        raise DokoError(
            _("{path} is a file, not a data directory.").format(path=path), _("Choose another one with --data DIR.")
        )
    return Paths(path)
