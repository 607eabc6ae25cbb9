"""SPEC.md says what the table does: kinds and fields of entries, chains, digest, files, promises, frozen matches."""

import importlib
import json
import re
from pathlib import Path

import msgspec
import pytest

import protocol
from protocol.cards import CARD_NAMES
from protocol.deal.hashing import Kind as Proof
from protocol.refusal import Code
from protocol.rules import digest
from protocol.rules.calls import CallKind, Side
from protocol.rules.contracts import SOLOS, TRUMP, Contract
from protocol.rules.state import Phase
from protocol.table import calls, clocks, evidence, log, logfile, match, settlement
from protocol.table.entries import read_entry
from protocol.table.roster import make_setup, read_roster
from protocol.wire import codec
from protocol.wire import entries as wire
from protocol.wire.entries import DEAL_KINDS, DECISIONS, FIELDS, LIMITS, Kind
from protocol.wire.sync import Progress
from tests.table.make_vectors import describe as describe_match
from tests.table.make_vectors import record
from tests.wire.describe import describe_fields
from tests.wire.test_spec import MESSAGE_ROWS, rows, section, spelt

ROOT = Path(__file__).parent
CHAINS, FILES, PROMISES, FROZEN = section(11), section(13), section(16), section(17)
TEXT = " ".join(CHAINS.split())


def part(text: str, title: str) -> str:
    """What stands under a heading of the third order."""
    found = re.search(rf"^### {title}.*?(?=^### |\Z)", text, re.M | re.S)
    assert found is not None, title
    return found[0]


# --- entries ------------------------------------------------------------------------------------------------------

KIND_ROWS = {row[1]: row for row in rows(part(CHAINS, "Kinds")) if len(row) == 4 and row[0].isdigit()}


def test_every_kind_of_entry_is_there() -> None:
    assert list(KIND_ROWS) == [kind.name for kind in Kind]


@pytest.mark.parametrize("kind", Kind, ids=lambda kind: kind.name)
def test_each_kind_has_the_number_chain_and_fields_that_are_said(kind: Kind) -> None:
    number, _, chain, fields = KIND_ROWS[kind.name]
    assert int(number) == kind
    assert chain == ("either" if kind is Kind.KEEP else "deal" if kind in DEAL_KINDS else "main")
    assert fields == (spelt(FIELDS[kind]) or "none")


@pytest.mark.parametrize("cls", [wire.Signed, wire.Opening])
def test_each_array_has_the_items_that_are_said(cls: type[msgspec.Struct]) -> None:
    assert cls.__struct_config__.array_like
    assert [cls.__name__, spelt(cls)] in rows(part(CHAINS, "Kinds"))


def test_the_decisions_are_the_last_ones() -> None:
    words = {"three": 3, "four": 4, "five": 5, "six": 6}
    said = re.search(r"The last (\w+) are \*\*decisions\*\*", TEXT)
    assert said is not None
    assert list(Kind)[-words[said[1]] :] == sorted(DECISIONS)


def test_an_entry_has_the_nine_items_that_are_said() -> None:
    table = [row for row in rows(CHAINS.split("### Kinds")[0]) if len(row) == 3 and row[0] in ITEMS]
    assert [row[0] for row in table] == ITEMS
    said = re.search(r"payload += msgpack \[([^]]*)\]", CHAINS)
    assert said is not None
    assert said[1].split(", ") == ITEMS


ITEMS = ["1", "match", "chain", "deal", "seat", "seq", "parent", "kind", "fields"]


def limits(text: str) -> list[int]:
    found = re.search(r"size (\d+), depth (\d+), text (\d+), bin (\d+), array (\d+), map (\d+)", " ".join(text.split()))
    assert found is not None
    return [int(number) for number in found.groups()]


def of(limits: codec.Limits) -> list[int]:
    return [limits.size, limits.depth, limits.text, limits.binary, limits.array, limits.map]


def test_the_limits_of_payloads_and_files() -> None:
    assert limits(CHAINS) == of(LIMITS)
    assert limits(FILES) == of(logfile.LIMITS)
    assert logfile.LIMITS.size == logfile.MAX_FILE


def test_numbers_in_the_text() -> None:
    assert f"by at most {match.MAX_AHEAD};" in TEXT
    assert f"At most {calls.MAX_PENDING} calls of a seat are pending" in TEXT
    assert f"all decisions up to {DECISIONS_TOLD}" in TEXT


DECISIONS_TOLD = 24


def test_what_has_a_clock() -> None:
    said = re.search(r"A seat that owes ([A-Z]+), ([A-Z]+) or ([A-Z]+) has `clock.decision`", TEXT)
    assert said is not None
    assert {Kind[name] for name in said.groups()} == clocks.DECISION_KINDS
    assert f"for every other entry {clocks.MACHINE:.0f} seconds" in TEXT


def test_the_messages_of_the_exchange_are_described() -> None:
    importlib.import_module("protocol.wire.sync")
    assert {number for number in MESSAGE_ROWS if number >= 71 and number < 110} == {71, 72, 73, 74}
    assert [Progress.__name__, spelt(Progress)] in rows(CHAINS)


def test_the_rounds_come_in_the_order_that_is_said() -> None:
    said = [row[1] for row in rows(part(CHAINS, "Chains")) if len(row) == 3 and row[0] in ("deal", "main")]
    names = [name for cell in said for name in re.findall(r"[A-Z]{3,}", cell)]
    for frozen in ("hand", "duel"):
        seen = [each["kind"] for each in json.loads((ROOT / "data" / f"{frozen}.json").read_text())["entries"]]
        order = list(dict.fromkeys(kind for kind in seen if kind != "CALL"))
        assert order == [name for name in names if name in order]
    assert set(names) == {kind.name for kind in Kind} - {"CALL", "SUB", "SHAREBAD", "SHAREOPEN"} - {
        kind.name for kind in DECISIONS
    }


def test_first_heads() -> None:
    for domain in (log.DOMAIN_MAIN, log.DOMAIN_DEAL):
        assert f"SHA-256({domain.decode()} || match || terms hash || " in CHAINS
    assert "head' = SHA-256(head || entry hashes of the round in seat order)" in CHAINS


# --- calls and the digest -----------------------------------------------------------------------------------------


def test_the_words_of_calls() -> None:
    said = re.search(r"`what` is ([^.]*)\.", TEXT)
    assert said is not None
    assert re.findall(r"`(\w+)`", said[1]) == [kind.value for kind in CallKind]


def test_the_numbers_in_the_digest() -> None:
    table = {row[0]: row[1] for row in rows(part(CHAINS, "Receipts")) if len(row) == 2}
    assert table["game"].split(", ") == [contract.value for contract in Contract]
    assert table["what"].split(", ") == [kind.value for kind in CallKind]
    assert table["side"].split(", ") == [side.value for side in Side]
    assert table["class"].split(", ") == ["clubs", "spades", "hearts", "diamonds", "trump"]
    assert TRUMP == 4
    suits, ranks = re.findall(r"[CSHDATKQJ9](?: [CSHDATKQJ9])+", table["card"])
    assert tuple(s + r for s in suits.split() for r in ranks.split()) == CARD_NAMES
    phases = list(Phase)
    assert (phases.index(Phase.PLAY), phases.index(Phase.DONE)) == (3, 4)
    assert f"u16({len(digest.DOMAIN)}) || `{digest.DOMAIN.decode()}`" in TEXT


def test_the_digest_has_the_parts_that_the_module_lists() -> None:
    """The rows of the two tables, one in SPEC.md and one at the head of the module, say the same in the same order."""
    own = [row[0] for row in rows(part(CHAINS, "Receipts")) if len(row) == 2]
    own = own[: own.index("voids") + 1][1:]
    doc = digest.__doc__ or ""
    theirs = [re.split(r"  +", line)[0] for line in doc.split("=\n")[1].splitlines() if re.match(r"\w", line)]
    assert ", ".join(own) == ", ".join(theirs)


def test_names_of_games() -> None:
    assert [solo.value for solo in SOLOS] == [contract.value for contract in Contract if contract.value[:5] == "solo-"]
    assert "marriage" in [contract.value for contract in Contract]


# --- files --------------------------------------------------------------------------------------------------------


def names_of(cls: type[msgspec.Struct]) -> list[str]:
    assert cls.__struct_config__.array_like
    return [name.replace("_", " ") for name, _ in describe_fields(cls)]


def items(text: str, name: str) -> list[str]:
    found = re.search(rf"^ +{name} += (?:msgpack )?\[(.*)\]", text, re.M)
    assert found is not None, name
    depth, out = 0, [""]
    for character in found[1]:
        depth += (character == "[") - (character == "]")
        if character == "," and not depth:
            out.append("")
        else:
            out[-1] += character
    return [item.strip() for item in out]


def test_the_document_has_the_parts_that_are_said() -> None:
    assert items(FILES, "document") == names_of(settlement.Document)
    assert items(FILES, "hand") == names_of(settlement.DocumentHand)


def test_the_files_have_the_parts_that_are_said() -> None:
    assert len(items(part(FILES, "Settlement file"), "body")) == len(names_of(settlement.Body)) == 3
    assert len(items(part(FILES, "Settlement file"), "log")) == len(names_of(logfile.FileLog)) == 2
    assert len(items(part(FILES, "Settlement file"), "deal")) == len(names_of(logfile.FileDeal)) == 3
    assert items(part(FILES, "Settlement file"), "entry") == names_of(logfile.FileEntry)
    said = [re.findall(r"\w+", item)[0] for item in items(part(FILES, "Evidence file"), "body")]
    assert said == [name.split()[0] for name in EVIDENCE]


EVIDENCE = ["entry" if name in ("entries", "extra") else name for name in names_of(evidence.Body)]


def test_the_first_lines_of_files() -> None:
    for magic in (settlement.MAGIC, evidence.MAGIC):
        assert magic.endswith(b"\n")
        assert f'file   = "{magic.decode().strip()}" || newline || body || SHA-256(all before it)' in FILES


def test_a_result_in_the_document_has_the_keys_of_RESULT_in_their_order() -> None:
    frozen = json.loads((ROOT / "data" / "hand.json").read_text())
    document = settlement.read_document(bytes.fromhex(frozen["document"]))
    assert codec.encode(msgspec.to_builtins(document, builtin_types=(bytes,))).hex() == frozen["document"]
    raw = codec.unpack(bytes.fromhex(frozen["document"]), logfile.LIMITS)
    assert list(raw[4][0][4]) == [name for name, _ in describe_fields(wire.Result)]


# --- refusals -----------------------------------------------------------------------------------------------------


def test_codes_in_the_text_are_codes() -> None:
    for number in (11, 12, 13):
        text = section(number)
        named = set(re.findall(r"refuse\(([A-Z_]+)\)|\(([A-Z_]{3,}(?:, [A-Z_]{3,})*)\)", text))
        found = {code for pair in named for group in pair if group for code in group.split(", ")}
        others = {kind.name for kind in Kind} | {kind.value for kind in Proof} | {"STATUS"}
        assert found - others <= {code.value for code in Code}, number


# --- promises -----------------------------------------------------------------------------------------------------

PROMISE_ROWS = [row for row in rows(PROMISES) if row[0] not in ("promise", "limit")]
TESTS = sorted({name for row in PROMISE_ROWS for name in re.findall(r"`(tests/[^`]+)`", row[-1])})


def test_there_are_promises_and_limits() -> None:
    assert len([row for row in PROMISE_ROWS if len(row) == 3]) >= 15
    assert len([row for row in PROMISE_ROWS if len(row) == 2]) >= 8
    assert len(TESTS) >= 20


@pytest.mark.parametrize("name", TESTS)
def test_the_test_that_backs_a_promise_exists(name: str) -> None:
    path, function = name.split("::")
    source = (Path(protocol.__file__).parent.parent / path).read_text()
    assert re.search(rf"^(?:async )?def {function}\(", source, re.M), name


def test_every_promise_names_a_test() -> None:
    assert all(row[2].startswith("`tests/") for row in PROMISE_ROWS if len(row) == 3)


# --- frozen matches -----------------------------------------------------------------------------------------------


def test_the_files_are_named_and_have_the_keys_that_are_said() -> None:
    said = [key for row in rows(FROZEN) if row[0] != "key" for key in row[0].split(", ")]
    for name in re.findall(r"`tests/table/data/(\w+)\.json`", FROZEN):
        keys = list(json.loads((ROOT / "data" / f"{name}.json").read_text()))
        assert keys == [key for key in said if key in keys]
        assert keys == list(describe_match(record(name)))
    assert set(said) == set(json.loads((ROOT / "data" / "hand.json").read_text()))
    secrets = json.loads((ROOT / "data" / "hand.json").read_text())["seats"][0]
    assert all(f"`{key}`" in FROZEN for key in secrets)


def test_the_frozen_match_is_of_this_version() -> None:
    frozen = json.loads((ROOT / "data" / "hand.json").read_text())
    setup = make_setup(bytes.fromhex(frozen["terms"]), read_roster(bytes.fromhex(frozen["roster"])), 0)
    entry = read_entry(bytes.fromhex(frozen["entries"][0]["p"]), bytes.fromhex(frozen["entries"][0]["s"]))
    assert entry.says.match == setup.match_id
