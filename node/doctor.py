"""Is this machine ready to play?  Checks as a table: each looks at one thing and says what to do if it is not right.

No check changes anything, except that two (``store`` and ``disk``) write a little and take it away again.
"""

import errno
import importlib.metadata
import importlib.util
import os
import secrets
import shutil
import socket
import sqlite3
import stat
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TextIO

from node.clock import EARLIEST, iso
from node.config import SETTINGS, Config, load
from node.errors import DokoError
from node.i18n import N_, _
from node.paths import Paths

#: Packages without which a node cannot run: distribution name -> module.
PACKAGES: Final[dict[str, str]] = {
    "trio": "trio",
    "msgpack": "msgpack",
    "msgspec": "msgspec",
    "cryptography": "cryptography",
    "noiseprotocol": "noise",
    "prompt_toolkit": "prompt_toolkit",
    "click": "click",
    "structlog": "structlog",
    "tomlkit": "tomlkit",
    "platformdirs": "platformdirs",
    "segno": "segno",
    "wcwidth": "wcwidth",
}
#: What makes more possible: distribution name -> (module, what is missing without it).
EXTRAS: Final[dict[str, tuple[str, str]]] = {
    "zeroconf": ("zeroconf", N_("friends in the local network are not found by themselves")),
    "miniupnpc": ("miniupnpc", N_("the router is not asked for an open port")),
}
PYTHONS: Final = ((3, 11), (3, 14))
#: Less free space than this is worth a warning, bytes.
SPACE: Final = 50_000_000
SUITS: Final = "♣♠♥♦"
_OTHER_VARIABLES: Final = ("DOKO_DATA", "DOKO_PASSPHRASE", "DOKO_NEW_PASSPHRASE")


class Grade(StrEnum):
    """How a check ended."""

    OK = "ok"
    WARN = "warning"
    FAIL = "failed"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report."""

    grade: Grade
    text: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Machine:
    """What the checks look at; tests put other values in."""

    paths: Paths
    environ: Mapping[str, str]
    output: TextIO
    wall: Callable[[], float] = time.time
    monotonic: Callable[[], float] = time.monotonic


def check_python(_machine: Machine) -> Finding:
    version = sys.version_info[:2]
    text = _("Python {version}").format(version=sys.version.split()[0])
    if PYTHONS[0] <= version < PYTHONS[1]:
        return Finding(Grade.OK, text)
    return Finding(Grade.WARN, text, _("doko is tested with Python 3.11 to 3.13."))


def check_packages(_machine: Machine) -> Finding:
    missing = [name for name, module in PACKAGES.items() if importlib.util.find_spec(module) is None]
    if missing:
        return Finding(
            Grade.FAIL,
            _("missing: {names}").format(names=", ".join(missing)),
            _("Install doko again: pip install --force-reinstall dokonode"),
        )
    lost = [_(what) for module, what in EXTRAS.values() if importlib.util.find_spec(module) is None]
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in ("trio", "cryptography", "msgspec"))
    if lost:
        return Finding(Grade.OK, versions, _("Optional parts are not installed: {lost}.").format(lost="; ".join(lost)))
    return Finding(Grade.OK, versions)


def check_group(_machine: Machine) -> Finding:
    """rbcl and the libsodium in it, by computing something with a known result (RFC 9496, appendix A.1)."""
    if importlib.util.find_spec("rbcl") is None:
        return Finding(
            Grade.WARN,
            _("rbcl is not installed; the slow fallback in Python is used"),
            _("A deal takes much longer and is not protected against timing: pip install rbcl"),
        )
    try:
        import rbcl

        doubled = rbcl.crypto_scalarmult_ristretto255_base((2).to_bytes(32, "little"))
        right = bytes(doubled).hex() == "6a493210f7499cd17fecb510ae0cea23a110e8d5b901f8acadd3095c73a3b919"
    except Exception as error:
        return Finding(
            Grade.FAIL, _("rbcl does not load: {reason}").format(reason=error), _("Reinstall it: pip install rbcl")
        )
    if not right:
        return Finding(Grade.FAIL, _("rbcl computes wrong results"), _("Reinstall it: pip install rbcl"))
    return Finding(Grade.OK, _("rbcl {version}").format(version=importlib.metadata.version("rbcl")))


def check_data(machine: Machine) -> Finding:
    path = machine.paths.data
    if not path.exists():
        parent = next((p for p in path.parents if p.exists()), path)
        if os.access(parent, os.W_OK):
            return Finding(Grade.OK, _("{path} (made at the first start)").format(path=path))
        return Finding(Grade.FAIL, _("{path} cannot be made").format(path=path), _("Choose another with --data DIR."))
    if not os.access(path, os.W_OK | os.X_OK):
        return Finding(Grade.FAIL, _("{path} cannot be written").format(path=path), _("Check who owns it."))
    if os.name == "posix":
        loose = [
            item.name or str(item)
            for item in (path, machine.paths.identity, machine.paths.store)
            if item.exists() and stat.S_IMODE(item.stat().st_mode) & 0o077
        ]
        if loose:
            return Finding(
                Grade.WARN,
                _("others on this machine can read {names} in {path}").format(names=", ".join(loose), path=path),
                f"chmod -R go= {path}",
            )
    return Finding(Grade.OK, str(path))


def check_disk(machine: Machine) -> Finding:
    path = machine.paths.data
    while not path.exists():
        path = path.parent
    try:
        free = shutil.disk_usage(path).free
        if machine.paths.data.exists():
            probe = machine.paths.data / f".probe-{secrets.token_hex(4)}"
            try:
                probe.write_bytes(bytes(4096))
            finally:
                probe.unlink(missing_ok=True)
    except OSError as error:
        return Finding(
            Grade.FAIL,
            _("nothing can be written to {path}: {reason}").format(path=path, reason=error.strerror),
            _("Free some space or check the disk."),
        )
    text = _("{n} MB free").format(n=free // 1_000_000)
    if free < SPACE:
        return Finding(Grade.WARN, text, _("Free some space: a full disk stops a match (nothing is lost)."))
    return Finding(Grade.OK, text)


def check_config(machine: Machine) -> Finding:
    try:
        load(machine.paths.config, machine.environ)
    except DokoError as error:
        return Finding(Grade.FAIL, error.message, error.hint)
    known = {one.environment for one in SETTINGS.values()} | set(_OTHER_VARIABLES)
    unknown = sorted(name for name in machine.environ if name.startswith("DOKO_") and name not in known)
    unknown = [name for name in unknown if not name.startswith("DOKO_COMPLETE")]
    if unknown:
        return Finding(
            Grade.WARN,
            _("unknown environment variables: {names}").format(names=", ".join(unknown)),
            _("All settings: doko config list"),
        )
    return Finding(Grade.OK, str(machine.paths.config) if machine.paths.config.exists() else _("defaults"))


def check_identity(machine: Machine) -> Finding:
    from node.identity import load_public

    if not machine.paths.identity.exists():
        return Finding(Grade.OK, _("none yet (made at the first start)"))
    try:
        public, sealed = load_public(machine.paths.identity)
    except DokoError as error:
        return Finding(Grade.FAIL, error.message, error.hint)
    state = _("with passphrase") if sealed else _("without passphrase")
    return Finding(Grade.OK, f"{' '.join(public.words[:5])} ... ({state})")


def check_store(machine: Machine) -> Finding:
    from node.store import open_store

    if not machine.paths.store.exists():
        return Finding(Grade.OK, _("none yet (made at the first start)"))
    try:
        with open_store(machine.paths.store) as store:
            wrong = store.check()
            open_ = len(store.matches("open"))
            version = store.schema_version
    except DokoError as error:
        return Finding(Grade.FAIL, error.message, error.hint)
    if wrong:
        return Finding(
            Grade.FAIL,
            _("the store is damaged: {reason}").format(reason="; ".join(wrong[:3])),
            _("Copy the data directory to a safe place, then run: doko doctor --salvage"),
        )
    text = _("whole, schema {version}, SQLite {sqlite}, {n} open matches").format(
        version=version, sqlite=sqlite3.sqlite_version, n=open_
    )
    return Finding(Grade.OK, text)


def check_port(machine: Machine) -> Finding:
    from node.net.address import parse_listen

    try:
        where = parse_listen(_config(machine).text("network.listen"))
    except DokoError:
        where = parse_listen(":4848")
    try:
        found = socket.getaddrinfo(where.host or None, where.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        text = _("{where}: {reason}").format(where=where, reason=error)
        return Finding(Grade.FAIL, text, "doko config set network.listen :4848")
    for family, kind, protocol, _name, address in found:
        try:
            probe = socket.socket(family, kind, protocol)
        except OSError:
            continue  # no IPv6 in this kernel
        with probe:
            if os.name == "posix":
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                probe.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            try:
                probe.bind(address)
                probe.listen(1)
            except OSError as error:
                if family == socket.AF_INET6 and len(found) > 1 and not _in_use(error):
                    continue  # IPv6 switched off
                return Finding(
                    Grade.WARN if _in_use(error) else Grade.FAIL,
                    _("port {port}: {reason}").format(port=where.port, reason=error.strerror),
                    _("Is another doko running? Else choose another port: doko config set network.listen :PORT"),
                )
    return Finding(Grade.OK, _("{where} is free").format(where=where))


def _in_use(error: OSError) -> bool:
    return error.errno in (errno.EADDRINUSE, getattr(errno, "WSAEADDRINUSE", -1))


def check_clock(machine: Machine) -> Finding:
    first, now, second = machine.monotonic(), machine.wall(), machine.monotonic()
    text = iso(now) if 0 <= now < 2**33 else str(now)
    if second < first:
        return Finding(Grade.FAIL, _("the system's steady clock goes backwards"), _("Restart the machine."))
    if now < EARLIEST or now > EARLIEST + 50 * 365 * 86400:
        return Finding(
            Grade.FAIL,
            _("the clock says {when}").format(when=text),
            _("Set date and time; invitations depend on them."),
        )
    return Finding(Grade.OK, text)


def check_terminal(machine: Machine) -> Finding:
    encoding = getattr(machine.output, "encoding", None) or "ascii"
    try:
        SUITS.encode(encoding)
        suits = True
    except (UnicodeError, LookupError):
        suits = False
    tty = machine.output.isatty()
    size = shutil.get_terminal_size()
    colour = tty and not machine.environ.get("NO_COLOR") and machine.environ.get("TERM", "") not in ("", "dumb")
    text = ", ".join(
        (
            _("{columns} x {lines}").format(columns=size.columns, lines=size.lines) if tty else _("no terminal"),
            encoding,
            _("colours") if colour else _("no colours"),
        )
    )
    if not suits:
        return Finding(Grade.WARN, text, _("Suit signs cannot be shown; letters are used. A UTF-8 locale would help."))
    if tty and (size.columns < 40 or size.lines < 12):
        return Finding(Grade.WARN, text, _("Enlarge the window to 40 x 12 or more, 80 x 24 is best."))
    return Finding(Grade.OK, text)


def _config(machine: Machine) -> Config:
    return load(machine.paths.config, machine.environ)


#: name -> (title, marked for translation; check).
CHECKS: Final[dict[str, tuple[str, Callable[[Machine], Finding]]]] = {
    "python": (N_("Python"), check_python),
    "packages": (N_("Packages"), check_packages),
    "group": (N_("Group arithmetic"), check_group),
    "data": (N_("Data directory"), check_data),
    "disk": (N_("Disk"), check_disk),
    "config": (N_("Settings"), check_config),
    "identity": (N_("Identity"), check_identity),
    "store": (N_("Store"), check_store),
    "port": (N_("Port"), check_port),
    "clock": (N_("Clock"), check_clock),
    "terminal": (N_("Terminal"), check_terminal),
}


def examine(machine: Machine) -> dict[str, Finding]:
    """All checks; one that fails itself is a finding, too."""
    found: dict[str, Finding] = {}
    for name, (_title, check) in CHECKS.items():
        try:
            found[name] = check(machine)
        except Exception as error:
            found[name] = Finding(Grade.FAIL, _("could not be checked: {reason}").format(reason=type(error).__name__))
    return found


def worst(found: Mapping[str, Finding]) -> Grade:
    """The worst grade of all."""
    grades = {finding.grade for finding in found.values()}
    return next(grade for grade in (Grade.FAIL, Grade.WARN, Grade.OK) if grade in grades or grade is Grade.OK)
