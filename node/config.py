"""Settings: option > environment > file > default, each checked, each able to say where it comes from.

The file is TOML (``config.toml`` in the data directory).  Reading it needs the standard library alone; changing it
keeps the user's comments and order.
"""

import difflib
import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from node.errors import EXIT_USAGE, DokoError
from node.files import read_limited, write_atomic
from node.i18n import LANGUAGES, N_, _
from protocol.wire.address import DEFAULT_PORT, parse_address

Value = str | int | float | bool | tuple[str, ...]
FILE_LIMIT: Final = 262_144

_YES: Final = ("yes", "true", "on", "1")
_NO: Final = ("no", "false", "off", "0")


class BadValue(ValueError):
    """A value does not fit; the text says what is expected (translated)."""


@dataclass(frozen=True, slots=True)
class Kind:
    """How a setting's value is read: ``from_text`` for options and the environment, ``check`` for TOML values.

    ``words`` describes what is expected, marked for translation.
    """

    words: str
    from_text: Callable[[str], Value]
    check: Callable[[Any], Value]


def _text(limit: int) -> Kind:
    def check(value: Any) -> Value:
        if not isinstance(value, str) or len(value) > limit or not all(c.isprintable() for c in value):
            raise BadValue(_("one line of text, at most {n} characters").format(n=limit))
        return value

    return Kind(N_("text"), check, check)


def _truth() -> Kind:
    def from_text(text: str) -> Value:
        word = text.strip().lower()
        if word not in _YES + _NO:
            raise BadValue(_("yes or no"))
        return word in _YES

    def check(value: Any) -> Value:
        if not isinstance(value, bool):
            raise BadValue(_("true or false"))
        return value

    return Kind(N_("yes or no"), from_text, check)


def _choice(*choices: str) -> Kind:
    def check(value: Any) -> Value:
        if value not in choices:
            raise BadValue(_("one of {choices}").format(choices=", ".join(choices)))
        assert isinstance(value, str)
        return value

    return Kind(", ".join(choices), check, check)


def _number(least: float, most: float, *, whole: bool) -> Kind:
    def check(value: Any) -> Value:
        kinds = int if whole else (int, float)
        if not isinstance(value, kinds) or isinstance(value, bool) or not least <= value <= most:
            raise BadValue(_("a number from {least} to {most}").format(least=f"{least:g}", most=f"{most:g}"))
        return int(value) if whole else float(value)

    def from_text(text: str) -> Value:
        try:
            return check(int(text) if whole else float(text))
        except ValueError:
            return check(None)

    return Kind(N_("a number"), from_text, check)


def _addresses(most: int) -> Kind:
    def check(value: Any) -> Value:
        if not isinstance(value, list | tuple) or len(value) > most or not all(isinstance(item, str) for item in value):
            raise BadValue(_("a list of at most {n} addresses HOST:PORT").format(n=most))
        try:
            return tuple(str(parse_address(item)) for item in value)
        except ValueError as error:
            raise BadValue(_("a list of addresses HOST:PORT ({reason})").format(reason=error)) from None

    return Kind(N_("addresses HOST:PORT"), lambda text: check([t for t in re.split(r"[\s,]+", text) if t]), check)


def _listen(value: Any) -> Value:
    from node.net.address import parse_listen

    try:
        if not isinstance(value, str):
            raise TypeError
        return str(parse_listen(value))
    except (DokoError, TypeError):
        raise BadValue(_("HOST:PORT or :PORT to listen on")) from None


def _address_or_none(value: Any) -> Value:
    if value == "":
        return ""
    try:
        return str(parse_address(value, None))
    except (ValueError, AttributeError, TypeError):
        raise BadValue(_("HOST:PORT or nothing")) from None


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: dotted ``name`` (table and key in the file), ``summary`` marked for translation."""

    name: str
    kind: Kind
    default: Value
    summary: str
    env: str = ""

    @property
    def environment(self) -> str:
        """The variable that sets it."""
        return self.env or "DOKO_" + self.name.replace(".", "_").upper()


def _settings() -> Iterator[Setting]:
    yield Setting("nickname", _text(32), "", N_("What others see you as"))
    yield Setting("language", _choice("auto", *LANGUAGES), "auto", N_("Language of all texts"), "DOKO_LANG")
    yield Setting("identity.passphrase_file", _text(1000), "", N_("A file with the passphrase"), "DOKO_PASSPHRASE_FILE")
    yield Setting("network.listen", Kind(N_("HOST:PORT"), _listen, _listen), f":{DEFAULT_PORT}", N_("Where to listen"))
    yield Setting("network.addresses", _addresses(3), (), N_("Where friends reach you, if you know it"))
    yield Setting("network.lan", _truth(), True, N_("Find friends in the local network"))
    yield Setting("network.port_mapping", _truth(), True, N_("Ask the router for an open port"))
    yield Setting("network.relay", _truth(), True, N_("Carry links between two friends who cannot reach each other"))
    yield Setting(
        "network.socks",
        Kind(N_("HOST:PORT or nothing"), _address_or_none, _address_or_none),
        "",
        N_("SOCKS proxy for .onion addresses"),
    )
    yield Setting(
        "log.level", _choice("debug", "info", "warning", "error"), "info", N_("How much goes to the log file")
    )
    yield Setting("log.megabytes", _number(0.1, 1000, whole=False), 4.0, N_("Size at which the log file is changed"))
    yield Setting("log.files", _number(1, 100, whole=True), 3, N_("Log files kept"))
    yield Setting("console.plain", _truth(), False, N_("Lines instead of a full screen"))
    yield Setting("console.theme", _choice("auto", "dark", "light", "mono"), "auto", N_("Colours for which background"))
    yield Setting("console.colours", _choice("four", "two"), "four", N_("Colours of the suits"))
    yield Setting("console.faces", _choice("auto", "unicode", "ascii"), "auto", N_("Signs that draw the cards"))
    yield Setting("console.letters", _choice("record", "language"), "record", N_("Letters of the cards"))
    yield Setting("console.suits", _choice("french", "german"), "french", N_("Names of the suits"))
    yield Setting(
        "console.sort", _choice("trumps-first", "trumps-last", "by-suit"), "trumps-first", N_("Order of the hand")
    )
    yield Setting("console.dwell", _number(0, 10, whole=False), 2.0, N_("Seconds a finished trick stays"))
    yield Setting(
        "console.guard", _choice("off", "mouse", "always"), "mouse", N_("Hold a chosen card back for a moment")
    )
    yield Setting("console.guard_time", _number(0, 60, whole=False), 1.0, N_("How long, in seconds"))
    yield Setting("console.lock", _number(0, 60, whole=False), 0.3, N_("Seconds without keys after a new question"))
    yield Setting("console.bell", _truth(), True, N_("Bell when it is your turn"))
    yield Setting("console.mouse", _truth(), False, N_("Play with the mouse"))
    yield Setting("console.hide", _truth(), False, N_("Start with covered cards"))
    yield Setting("console.felt", _truth(), True, N_("Draw the table's cloth"))
    yield Setting("console.auto_last", _truth(), True, N_("Play the last card by itself"))


SETTINGS: Final[dict[str, Setting]] = {setting.name: setting for setting in _settings()}


def setting(name: str) -> Setting:
    """The setting *name*.  Raises :class:`DokoError` with the nearest names."""
    found = SETTINGS.get(name)
    if found is None:
        raise DokoError(_("There is no setting {name}.").format(name=repr(name[:80])), _nearest(name))
    return found


def _nearest(name: str) -> str:
    near = difflib.get_close_matches(name, SETTINGS, n=3, cutoff=0.5)
    if near:
        return _("Did you mean {names}?").format(names=_(" or ").join(near))
    return _("All settings: doko config list")


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value comes from; ``where``: the variable, or file and line."""

    kind: Literal["option", "environment", "file", "default"]
    where: str = ""


class Config:
    """The settings in force; immutable."""

    def __init__(self, values: dict[str, tuple[Value, Origin]]) -> None:
        self._values = values

    def get(self, name: str) -> Value:
        """The value of the setting *name* (``KeyError``: no such setting)."""
        return self._values[name][0]

    def origin(self, name: str) -> Origin:
        """Where it comes from."""
        return self._values[name][1]

    def text(self, name: str) -> str:
        """A setting that is text or a choice."""
        value = self.get(name)
        assert isinstance(value, str)
        return value

    def truth(self, name: str) -> bool:
        """A setting that is yes or no."""
        value = self.get(name)
        assert isinstance(value, bool)
        return value

    def number(self, name: str) -> float:
        """A setting that is a number."""
        value = self.get(name)
        assert isinstance(value, int | float)
        return value

    def names(self, name: str) -> tuple[str, ...]:
        """A setting that is a list."""
        value = self.get(name)
        assert isinstance(value, tuple)
        return value

    def section(self, prefix: str) -> dict[str, Value]:
        """The settings under *prefix*, by the rest of their names; ``auto`` is left out (the user has no wish)."""
        found = {name.removeprefix(prefix + "."): self.get(name) for name in SETTINGS if name.startswith(prefix + ".")}
        return {name: value for name, value in found.items() if value != "auto"}


def load(
    path: Path | None, environ: Mapping[str, str] | None = None, flags: Mapping[str, str | None] | None = None
) -> Config:
    """The settings from *flags* (options, as text), *environ*, the file *path* (may be missing) and the defaults.

    Raises :class:`DokoError` that names every wrong or unknown setting with file and line, or its variable or option.
    """
    environ = os.environ if environ is None else environ
    values: dict[str, tuple[Value, Origin]] = {n: (s.default, Origin("default")) for n, s in SETTINGS.items()}
    problems: list[str] = []
    if path is not None and path.exists():
        _read_file(path, values, problems)
    for one in SETTINGS.values():
        text = environ.get(one.environment)
        if text:
            _take(values, problems, one, text, Origin("environment", one.environment))
    for name, flag in (flags or {}).items():
        if flag is not None:
            _take(values, problems, setting(name), flag, Origin("option"))
    if problems:
        raise DokoError("\n".join(problems), _("All settings: doko config list"), EXIT_USAGE)
    return Config(values)


def _take(
    values: dict[str, tuple[Value, Origin]], problems: list[str], one: Setting, text: str, origin: Origin
) -> None:
    if one.name == "language" and origin.kind == "environment" and text not in LANGUAGES:
        return  # as node.i18n reads it: what we do not have is passed over
    try:
        values[one.name] = one.kind.from_text(text), origin
    except BadValue as bad:
        where = origin.where or one.name
        problems.append(
            _("{where}: {value} does not fit; {expected} is expected.").format(
                where=where, value=repr(text[:80]), expected=bad
            )
        )


def _read_file(path: Path, values: dict[str, tuple[Value, Origin]], problems: list[str]) -> None:
    raw = read_limited(path, FILE_LIMIT)
    try:
        text = raw.decode("utf-8-sig")
        document = tomllib.loads(text)
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise DokoError(
            _("{path}, line {line}: not UTF-8 text.").format(path=path, line=line), _("Save the file as UTF-8.")
        ) from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        found = re.search(r"line (\d+)", str(error))
        line = int(found[1]) if found else text.count("\n") + 1
        reason = re.sub(r"\s*\(at .*\)$", "", str(error))
        raise DokoError(
            _("{path}, line {line}: not TOML: {reason}.").format(path=path, line=line, reason=reason),
            _("Mend that line or remove it."),
        ) from None
    lines = _line_numbers(text)
    for name, value in _flatten(document):
        where = _("{path}, line {line}").format(path=path, line=lines.get(name, 1))
        if name not in SETTINGS:
            problems.append(
                _("{where}: there is no setting {name}.").format(where=where, name=name) + " " + _nearest(name)
            )
            continue
        try:
            values[name] = SETTINGS[name].kind.check(value), Origin("file", where)
        except BadValue as bad:
            problems.append(
                _("{where}: {name} = {value} does not fit; {expected} is expected.").format(
                    where=where, name=name, value=repr(value)[:80], expected=bad
                )
            )


def _flatten(document: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in document.items():
        if isinstance(value, dict) and value:
            yield from _flatten(value, f"{prefix}{key}.")
        elif value != {} or not any(name.startswith(f"{prefix}{key}.") for name in SETTINGS):
            yield f"{prefix}{key}", value  # an empty table of ours is fine


def _line_numbers(text: str) -> dict[str, int]:
    """Where each dotted key stands; good for the plain TOML people write (inline tables count as their first line)."""
    lines: dict[str, int] = {}
    table = ""
    for number, line in enumerate(text.splitlines(), 1):
        header = re.match(r"\s*\[\[?\s*([^\]]+?)\s*\]", line)
        key = re.match(r"\s*([A-Za-z0-9_.\"' -]+?)\s*=", line)
        if header:
            table = _bare(header[1]) + "."
            lines.setdefault(table[:-1], number)
        elif key:
            name = table + _bare(key[1])
            lines.setdefault(name, number)
            for inner in re.finditer(r"[{,]\s*([A-Za-z0-9_-]+)\s*=", line):
                lines.setdefault(f"{name}.{inner[1]}", number)
    return lines


def _bare(dotted: str) -> str:
    return ".".join(part.strip().strip("\"'") for part in dotted.split("."))


def set_value(path: Path, name: str, text: str) -> Value:
    """Write *text* as the value of *name* into the file and return it as understood.  Raises :class:`DokoError`."""
    one = setting(name)
    try:
        value = one.kind.from_text(text)
    except BadValue as bad:
        raise DokoError(
            _("{where}: {value} does not fit; {expected} is expected.").format(
                where=name, value=repr(text[:80]), expected=bad
            )
        ) from None
    document = _editable(path)
    table: Any = document
    *tables, key = name.split(".")
    import tomlkit

    for part in tables:
        if part not in table:
            table[part] = tomlkit.table()
        table = table[part]
        if not isinstance(table, dict):
            raise DokoError(
                _("{path}: {name} is a value, not a table.").format(path=path, name=part), _("Mend the file by hand.")
            )
    table[key] = list(value) if isinstance(value, tuple) else value
    write_atomic(path, tomlkit.dumps(document).encode(), replace=True)
    return value


def unset_value(path: Path, name: str) -> bool:
    """Remove *name* from the file (unknown names too); whether it was there.  Raises :class:`DokoError`."""
    if not path.exists():
        return False
    document = _editable(path)
    table: Any = document
    *tables, key = name.split(".")
    for part in tables:
        if not isinstance(table, dict) or part not in table:
            return False
        table = table[part]
    if not isinstance(table, dict) or key not in table:
        return False
    del table[key]
    import tomlkit

    write_atomic(path, tomlkit.dumps(document).encode(), replace=True)
    return True


def _editable(path: Path) -> Any:
    import tomlkit
    from tomlkit.exceptions import ParseError

    if not path.exists():
        return tomlkit.document()
    try:
        return tomlkit.parse(read_limited(path, FILE_LIMIT).decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise DokoError(_("{path} is not UTF-8 text.").format(path=path), _("Save the file as UTF-8.")) from None
    except ParseError as error:
        raise DokoError(
            _("{path}, line {line}: not TOML: {reason}.").format(path=path, line=error.line, reason=error),
            _("Mend that line or remove it."),
        ) from None


def show(value: Value) -> str:
    """*value* as it is typed."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ", ".join(value)
    return f"{value:g}" if isinstance(value, float) else str(value)
