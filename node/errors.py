"""The one error of the node that people see: what happened, what to do, and how the command ends.

A module under ``node/`` that cannot go on because of something outside the program (a file, a port, a value a person
typed, a peer) raises :class:`DokoError`; the command line prints it without a traceback and ends with its exit code.
"""

from typing import Final

#: Everything went well.
EXIT_OK: Final = 0
#: A negative result: refused, does not verify, not the same.
EXIT_NO: Final = 1
#: Wrong usage or bad input: an option, a file's content, a value.
EXIT_USAGE: Final = 2
#: The environment: a port in use, a full disk, missing permission, a damaged store.
EXIT_ENVIRONMENT: Final = 3
#: A peer or the table failed.
EXIT_PEER: Final = 4
#: A mistake in doko itself (a report was written), as sysexits' EX_SOFTWARE.
EXIT_BUG: Final = 70
#: Ended by Ctrl-C or a signal.
EXIT_INTERRUPTED: Final = 130


class DokoError(Exception):
    """A failure told in words (already in the user's language).

    ``message`` says what is wrong and where, ``hint`` what to do about it (may be empty), ``exit_code`` is one of the
    ``EXIT_*`` constants.  Neither text may hold a secret.
    """

    def __init__(self, message: str, hint: str = "", exit_code: int = EXIT_USAGE) -> None:
        super().__init__(message, hint, exit_code)
        self.message = message
        self.hint = hint
        self.exit_code = exit_code

    def __str__(self) -> str:
        return f"{self.message}\n{self.hint}" if self.hint else self.message
