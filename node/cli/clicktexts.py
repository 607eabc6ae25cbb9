"""The texts of click that people see, listed for our catalogues.

Click looks its texts up in the process's default gettext domain, which :mod:`node.cli.main` points at our catalogues;
so they are translated by standing there.  Nothing imports this module; the tests compare it with the installed click.
"""

from typing import Final

from node.i18n import N_, ngettext

TEXTS: Final = (
    N_("Usage:"),
    N_("Options"),
    N_("Commands"),
    N_("Choose from:\n\t{choices}"),
    N_("Choice({choices})"),
    N_("Could not open file {filename!r}: {message}"),
    N_("Error: The two entered values do not match."),
    N_("Error: invalid input"),
    N_("Error: {message}"),
    N_("Invalid value for {param_hint}: {message}"),
    N_("Invalid value: {message}"),
    N_("Missing argument"),
    N_("Missing command."),
    N_("Missing option"),
    N_("Missing parameter"),
    N_("Missing {param_type}"),
    N_("No such command {name!r}."),
    N_("No such option {name!r}."),
    N_("Option {name!r} does not take a value."),
    N_("Argument {name!r} takes {nargs} values."),
    N_("default: {default}"),
    N_("unknown error"),
    N_("{name} {filename!r} does not exist."),
    N_("{name} {filename!r} is a directory."),
    N_("{name} {filename!r} is a file."),
    N_("{name} {filename!r} is not readable."),
    N_("{value!r} is not a valid boolean. Recognized values: {states}"),
    N_("{value!r} is not a valid {number_type}."),
    N_("{value} is not in the range {range}."),
)


def plurals(n: int) -> tuple[str, ...]:
    """The texts with plural forms, for *n*."""
    return (
        ngettext("Got unexpected extra argument ({args})", "Got unexpected extra arguments ({args})", n),
        ngettext("Did you mean {possibility}?", "(Did you mean one of: {possibilities}?)", n),
        ngettext("Option {name!r} requires an argument.", "Option {name!r} requires {nargs} arguments.", n),
        ngettext("{value!r} is not {choice}.", "{value!r} is not one of {choices}.", n),
        ngettext(
            "Takes {nargs} values but 1 was given.",
            "Takes {nargs} values but {len} were given.",
            n,
        ),
    )
