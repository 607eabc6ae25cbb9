"""SPEC.md says what the program does: every constant, domain string, field, range and figure of its wire sections."""

import importlib
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest

import protocol
from protocol.refusal import Code, Refusal
from protocol.table.announcement import Announcement
from protocol.table.terms import TERMS_LIMITS, Absence, Bot, Clock, Terms, make_terms
from protocol.wire import codec, fields, messages, noise
from protocol.wire.errors import Reason
from protocol.wire.messages import AddressRecord, BotSeat, Member
from tests.table.test_terms import fields as terms_fields
from tests.table.test_terms import refused as terms_refused
from tests.wire.describe import describe_fields
from tests.wire.figures import figures

ROOT = Path(protocol.__file__).parent
SPEC = (ROOT / "SPEC.md").read_text()
SOURCE = "\n".join(path.read_text() for path in sorted(ROOT.rglob("*.py")))


def section(number: int) -> str:
    found = re.search(rf"^## {number} .*?(?=^## |\Z)", SPEC, re.M | re.S)
    assert found is not None
    return found[0]


def rows(text: str) -> list[list[str]]:
    """The cells of all table rows but headings and rules."""
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


CONSTANTS = [row for row in rows(SPEC) if len(row) == 3 and row[2].startswith("`protocol.")]
DOMAINS = [row for row in rows(SPEC) if len(row) == 3 and row[1].startswith("`protocol.")]


def value_of(path: str) -> Any:
    module, name = path.strip("`").rsplit(".", 1)
    return getattr(importlib.import_module(module), name)


def test_the_sections_are_there() -> None:
    heads = re.findall(r"^## (\d+) (.*)$", SPEC, re.M)
    assert [int(number) for number, _ in heads] == list(range(1, len(heads) + 1))
    contents = ", ".join(f"{number} {name}" for number, name in heads)
    assert contents in " ".join(SPEC.split("Contents: ")[1].split("\n\n")[0].split())
    assert {"Entries and chains", "The deal", "Settlement"} <= {name for _, name in heads}


@pytest.mark.parametrize("row", CONSTANTS, ids=lambda row: row[0])
def test_each_constant(row: list[str]) -> None:
    value = value_of(row[2])
    number = f"{value:.10g}" if isinstance(value, float) else str(value)
    shown = value.decode() if isinstance(value, bytes) else number
    assert row[1].strip("`") == shown


def test_there_are_constants_to_compare() -> None:
    assert len(CONSTANTS) > 25
    assert len(DOMAINS) >= 12


@pytest.mark.parametrize("row", DOMAINS, ids=lambda row: row[0])
def test_each_domain_string(row: list[str]) -> None:
    assert row[0].strip("`").encode() == value_of(row[1])


def test_every_domain_string_in_the_text_is_one_of_the_programs() -> None:
    known = set(re.findall(r"DOKO1-[a-z0-9-]*[a-z0-9]", SOURCE))
    assert set(re.findall(r"DOKO1-[a-z0-9-]*[a-z0-9]", SPEC)) <= known


def test_every_domain_string_of_the_wire_is_in_the_text() -> None:
    wire = [*ROOT.glob("wire/*.py"), *(ROOT / "table" / f"{name}.py" for name in OWN_TABLE_MODULES)]
    used = {name for path in wire for name in re.findall(r'b"(DOKO1-[a-z0-9-]+)"', path.read_text())}
    assert len(used) >= 12
    assert used <= {row[0].strip("`") for row in DOMAINS}


OWN_TABLE_MODULES = ("terms", "announcement", "roster", "gathering/signed")


def test_no_domain_string_is_the_beginning_of_another() -> None:
    domains = sorted(set(re.findall(r'b"(DOKO1-[A-Za-z0-9-]*[A-Za-z0-9])"', SOURCE)))
    assert len(domains) > 12
    for first, second in pairwise(domains):
        assert not second.startswith(first)


def test_the_limits_of_the_reader() -> None:
    names = ["size", "depth", "text", "binary", "array", "map"]
    table = [row for row in rows(section(2)) if len(row) == 3 and row[1].isdigit()]
    for name, row in zip(names, table, strict=True):
        assert (int(row[1]), int(row[2])) == (getattr(codec.LINK_LIMITS, name), getattr(TERMS_LIMITS, name)), name


def test_words_are_spelt_as_said() -> None:
    pattern = re.search(r"`word` text matching `([^`]*)` of 1 to 32 characters", " ".join(SPEC.split()))
    assert pattern is not None
    assert rf"\A{pattern[1]}\Z" == fields.WORD


def wire_name(cls: type[msgspec.Struct]) -> str:
    special = {"AddressesOf": "ADDRESSES", "TableOpen": "TABLE", "TermsSet": "TERMS"}
    return special.get(cls.__name__) or re.sub(r"(?<=[a-z])(?=[A-Z])", "_", cls.__name__).upper()


def spelt(cls: type[msgspec.Struct]) -> str:
    return ", ".join(f"`{name}` {words}" for name, words in describe_fields(cls))


MESSAGE_ROWS = {int(row[0]): row for row in rows(SPEC) if len(row) == 3 and row[0].isdigit() and row[1].isupper()}


def test_every_message_of_the_wire_is_described() -> None:
    own = [kind for kind, cls in messages.kinds().items() if cls.__module__ == messages.__name__]
    assert set(own) <= set(MESSAGE_ROWS)


@pytest.mark.parametrize("kind", sorted(MESSAGE_ROWS))
def test_each_message_has_the_fields_that_are_said(kind: int) -> None:
    importlib.import_module("protocol.wire.sync")
    cls = messages.kinds()[kind]
    assert MESSAGE_ROWS[kind][1:] == [wire_name(cls), spelt(cls)]


@pytest.mark.parametrize("cls", [AddressRecord, BotSeat, Member, Announcement, Terms, Clock, Absence, Bot])
def test_each_part_has_the_fields_that_are_said(cls: type[msgspec.Struct]) -> None:
    assert [cls.__name__, spelt(cls)] in rows(SPEC)


def test_the_ranges_of_kinds() -> None:
    found = {row[1]: row[0] for row in rows(section(5)) if len(row) == 2 and ".." in row[0]}
    assert found == {name: f"{numbers.start}..{numbers.stop - 1}" for name, numbers in messages.RANGES.items()}


def changed_terms(path: str, value: Any) -> dict[str, Any]:
    extra = {"stake": 1} if path == "limit" else {}
    return terms_fields(**{path.replace(".", "__"): value, **extra})


RANGES = [row for row in rows(section(7)) if len(row) == 4 and row[1].isdigit()]
CHOICES = [row for row in rows(section(7)) if len(row) == 2 and row[0] not in ("field", "part") and "`" not in row[1]]


@pytest.mark.parametrize("row", RANGES, ids=lambda row: row[0])
def test_each_range_of_the_terms(row: list[str]) -> None:
    low, high = int(row[1]), int(row[2])
    for value in (low, high):
        assert make_terms_of(changed_terms(row[0], value))
    for value in (low - 1, high + 1):
        assert row[3] in terms_refused(changed_terms(row[0], value)).detail


def make_terms_of(value: dict[str, Any]) -> Terms:
    return codec.decode(codec.encode(value), Terms, TERMS_LIMITS, "terms")


@pytest.mark.parametrize("row", CHOICES, ids=lambda row: row[0])
def test_each_choice_of_the_terms(row: list[str]) -> None:
    for value in row[1].split(", "):
        assert make_terms_of(changed_terms(row[0], value))
    words = " or ".join(row[1].split(", "))
    assert f"it has to be {words}" in terms_refused(changed_terms(row[0], "other")).detail


def test_there_are_ranges_and_choices_to_compare() -> None:
    assert len(RANGES) == 7
    assert {row[0] for row in CHOICES} >= {"mode", "profile", "access", "absence.one_gone", "absence.two_gone"}


def test_lengths_in_the_text_about_the_channel() -> None:
    text = " ".join(section(3).split())
    lengths = re.search(r"Handshake messages have (\d+), (\d+) and (\d+) bytes \(XXpsk3: (\d+), (\d+), (\d+)\)", text)
    assert lengths is not None
    for pattern, name, psk in ((0, noise.XX, None), (3, noise.XXPSK3, bytes(32))):
        ends = [make_end(name, initiator, psk) for initiator in (True, False)]
        for turn in range(3):
            message = ends[turn % 2].write()
            assert len(message) == int(lengths[pattern + turn + 1])
            assert ends[1 - turn % 2].expected == len(message)
            assert ends[1 - turn % 2].read(message) == b""


def make_end(name: str, initiator: bool, psk: bytes | None) -> noise.Noise:
    return noise.Noise(name, initiator=initiator, prologue=b"DOKO/1", static=bytes([1 + initiator]) * 32, psk=psk)


def test_codes_and_reasons() -> None:
    text = section(14)
    codes, reasons = text.split("A link ends")
    assert re.findall(r"`([A-Z_]+)`", codes) == [code.value for code in Code]
    assert re.findall(r"`([a-z-]+)`", reasons) == [reason.value for reason in Reason]


def test_the_figures() -> None:
    block = section(15).split("```")[1].strip("\n").split("\n")
    found = {name: value.strip() for name, value in zip(block[::2], block[1::2], strict=True)}
    assert found == figures()


def test_terms_of_the_figures_are_the_usual_ones() -> None:
    assert bytes.fromhex(figures()["terms"]) == make_terms(table=bytes(range(16)))
    with pytest.raises(Refusal):
        make_terms(table=bytes(15))
