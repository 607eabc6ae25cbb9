"""Names and versions that the two ends of a link have to agree on."""

from collections.abc import Iterable
from typing import Final

from protocol.wire.errors import LinkError, Reason

PROTOCOL_NAME: Final = b"DOKO"
MAJOR: Final = 1
PROLOGUE: Final = PROTOCOL_NAME + b"/" + str(MAJOR).encode()  # b"DOKO/1"
VERSIONS: Final[tuple[int, ...]] = (1,)
"""Protocol versions this program speaks, ascending; HELLO carries them and the highest common one is used."""
FEATURES: Final[tuple[str, ...]] = ()


def common_version(ours: Iterable[int], theirs: Iterable[int]) -> int:
    """The highest version both speak.  Raises ``LinkError(VERSION)`` that names both sides' versions in words."""
    ours, theirs = set(ours), set(theirs)
    both = ours & theirs
    if not both:
        raise version_error(ours, theirs)
    return max(both)


def version_error(ours: Iterable[int], theirs: Iterable[int]) -> LinkError:
    """No common version: the refusal that says so."""
    ours, theirs = sorted(set(ours)), sorted(set(theirs))
    older = "the other program" if max(theirs, default=0) < max(ours, default=0) else "this program"
    return LinkError(
        Reason.VERSION,
        f"no common protocol version: this program speaks {_words(ours)}, the other one speaks {_words(theirs)}; "
        f"{older} has to be updated",
    )


def _words(versions: list[int]) -> str:
    if not versions:
        return "none"
    if len(versions) == 1:
        return f"version {versions[0]}"
    return "versions " + ", ".join(map(str, versions[:-1])) + f" and {versions[-1]}"
