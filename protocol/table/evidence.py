"""Evidence that a seat broke the rules: one file that anybody can check."""

from protocol.table.match import Fault, Match


def write(match: Match, fault: Fault) -> bytes:
    """The file."""
    return fault.entry.payload
