"""The message catalogues: extract, bring up to date, check, compile.

Run from the checkout::

    python -m tests.tools.catalogues update     new messages into node/locale/*/LC_MESSAGES/doko.po, old ones out
    python -m tests.tools.catalogues compile    .po -> .mo (both are kept in the repository)
    python -m tests.tools.catalogues check      what the test checks: nothing missing, unused, untranslated or stale
    python -m tests.tools.catalogues todo LANG  the untranslated messages of a language

Messages are found in ``node/`` by Babel: ``_``, ``N_``, ``ngettext`` and ``pgettext``.
"""

import io
import re
import string
import struct
import sys
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

from node.cli.registry import VERBS

ROOT = Path(__file__).resolve().parents[2]
LOCALE = ROOT / "node" / "locale"
LANGUAGES = ("de", "it", "pl", "hu")
KEYWORDS = {"_": None, "N_": None, "ngettext": (1, 2), "pgettext": ((1, "c"), 2)}
#: Whole-word plural rules of gettext for our languages.
PLURALS = {
    "de": "nplurals=2; plural=(n != 1);",
    "it": "nplurals=2; plural=(n != 1);",
    "pl": "nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);",
    "hu": "nplurals=2; plural=(n != 1);",
}


def extracted() -> Catalog:
    """All messages of ``node/`` as they are in the sources now."""
    catalogue = Catalog(project="dokonode", charset="utf-8")
    found = extract_from_dir(
        str(ROOT / "node"), [("**.py", "python")], {}, KEYWORDS, ("Translators:",), strip_comment_tags=True
    )
    for filename, line, message, comments, context in sorted(found, key=lambda item: (item[0], item[1])):
        catalogue.add(message, None, [(f"node/{filename}", line)], auto_comments=comments, context=context)
    return catalogue


def po_path(language: str) -> Path:
    """Where a language's catalogue is."""
    return LOCALE / language / "LC_MESSAGES" / "doko.po"


def empty(language: str) -> Catalog:
    """A catalogue without messages, with our plural forms (Babel's own differ in Italian)."""
    catalogue = Catalog(project="dokonode", charset="utf-8")
    catalogue._num_plurals = plural_count(language)
    catalogue._plural_expr = PLURALS[language].split("plural=")[1].rstrip(";")
    return catalogue


def read(language: str) -> Catalog:
    """A language's catalogue; empty if there is none yet."""
    path = po_path(language)
    if not path.exists():
        return empty(language)
    with path.open("rb") as file:
        return read_po(file)


def write(language: str, catalogue: Catalog) -> None:
    """Write a catalogue without line numbers and dates, so that only texts change it."""
    path = po_path(language)
    path.parent.mkdir(parents=True, exist_ok=True)
    buffer = io.BytesIO()
    write_po(buffer, catalogue, width=110, no_location=True, omit_header=True, sort_output=True, ignore_obsolete=True)
    header = (
        f'# Messages of doko in the language "{language}".\n'
        'msgid ""\n'
        'msgstr ""\n'
        '"Project-Id-Version: dokonode\\n"\n'
        f'"Language: {language}\\n"\n'
        '"MIME-Version: 1.0\\n"\n'
        '"Content-Type: text/plain; charset=utf-8\\n"\n'
        '"Content-Transfer-Encoding: 8bit\\n"\n'
        f'"Plural-Forms: {PLURALS[language]}\\n"\n\n'
    )
    path.write_bytes(header.encode() + buffer.getvalue())


def update() -> None:
    """Bring every catalogue to the messages of the sources; translations of unchanged messages stay."""
    template = extracted()
    for language in LANGUAGES:
        old = read(language)
        new = empty(language)
        for message in template:
            if not message.id:
                continue
            known = old.get(message.id, message.context)
            text = known.string if known is not None and "fuzzy" not in known.flags else None
            if text is None and isinstance(message.id, tuple):
                text = ("",) * plural_count(language)
            new.add(message.id, text or "", flags=message.flags, context=message.context)
        write(language, new)


def compiled(language: str) -> bytes:
    """The bytes of the .mo file that belongs to the .po file; the same on every machine, at every time.

    (Babel would write the time and its own version into the header.)
    """
    catalogue = read(language)
    found = {"": f"Content-Type: text/plain; charset=utf-8\nPlural-Forms: {PLURALS[language]}\n"}
    for message in catalogue:
        if not message.id or not all(translated for _source, translated in texts(message)):
            continue
        key = "\0".join(message.id) if isinstance(message.id, tuple) else message.id
        value = "\0".join(message.string) if isinstance(message.string, tuple) else message.string
        found[f"{message.context}\4{key}" if message.context else key] = value
    pairs = sorted((key.encode(), value.encode()) for key, value in found.items())
    count = len(pairs)
    keys_at = 28 + 16 * count
    values_at = keys_at + sum(len(key) + 1 for key, _value in pairs)
    tables: tuple[list[int], list[int]] = ([], [])
    for key, value in pairs:
        tables[0].extend((len(key), keys_at))
        tables[1].extend((len(value), values_at))
        keys_at += len(key) + 1
        values_at += len(value) + 1
    head = struct.pack("<7I", 0x950412DE, 0, count, 28, 28 + 8 * count, 0, 0)
    body = b"".join(key + b"\0" for key, _value in pairs) + b"".join(value + b"\0" for _key, value in pairs)
    return head + struct.pack(f"<{4 * count}I", *tables[0], *tables[1]) + body


def compile_all() -> None:
    """Write the .mo files."""
    for language in LANGUAGES:
        po_path(language).with_suffix(".mo").write_bytes(compiled(language))


def plural_count(language: str) -> int:
    """How many plural forms a language has."""
    return int(PLURALS[language].split(";")[0].split("=")[1])


def messages(catalogue: Catalog) -> dict[tuple[str | None, object], Message]:
    """Messages by context and id, without the header."""
    return {(message.context, message.id): message for message in catalogue if message.id}


def placeholders(text: str) -> list[str]:
    """The names in braces, sorted; click's own percent signs too."""
    names = []
    try:
        for _literal, name, _format, _conversion in string.Formatter().parse(text):
            if name is not None:
                names.append(name)
    except ValueError:
        names.append("?")
    return sorted(names)


def commands(text: str) -> set[str]:
    """The commands of doko that a text names."""
    return {name for name in re.findall(r"\bdoko ([a-z-]+)", text) if name in VERBS}


def texts(message: Message) -> Iterator[tuple[str, str]]:
    """Pairs of source and translation; of a plural the source is the plural form."""
    if isinstance(message.id, tuple):
        strings = message.string if isinstance(message.string, tuple) else (message.string,)
        for index, translated in enumerate(strings):
            yield message.id[0 if index == 0 else 1], translated
    else:
        assert isinstance(message.string, str)
        yield message.id, message.string


def problems(language: str, template: Catalog | None = None) -> list[str]:
    """Everything that is wrong with a language's catalogue, in words."""
    wanted = messages(template or extracted())
    have = messages(read(language))
    found = [f"{language}: missing: {key[1]!r}" for key in wanted if key not in have]
    found += [f"{language}: unused: {key[1]!r}" for key in have if key not in wanted]
    for key, message in have.items():
        if "fuzzy" in message.flags:
            found.append(f"{language}: fuzzy: {key[1]!r}")
        if isinstance(message.id, tuple) and len(message.string) != plural_count(language):
            found.append(f"{language}: wrong number of plural forms: {key[1]!r}")
        for source, translated in texts(message):
            if not translated:
                found.append(f"{language}: untranslated: {source!r}")
                continue
            if set(placeholders(source)) != set(placeholders(translated)):
                found.append(f"{language}: placeholders differ: {source!r} and {translated!r}")
            if source[:1].isspace() != translated[:1].isspace() or source[-1:].isspace() != translated[-1:].isspace():
                found.append(f"{language}: blanks at the ends differ: {source!r} and {translated!r}")
            if ("\b" in source) != ("\b" in translated):
                found.append(f"{language}: the mark of a fixed paragraph is lost: {source!r}")
            if not commands(source) <= commands(translated):
                found.append(f"{language}: a command is changed: {source!r} and {translated!r}")
    mo = po_path(language).with_suffix(".mo")
    if not mo.exists() or mo.read_bytes() != compiled(language):
        found.append(f"{language}: the .mo file is stale; run: python -m tests.tools.catalogues compile")
    return found


def main(arguments: list[str]) -> int:
    """The command line."""
    match arguments:
        case ["update"]:
            update()
        case ["compile"]:
            compile_all()
        case ["check"]:
            template = extracted()
            found = [text for language in LANGUAGES for text in problems(language, template)]
            print("\n".join(found) or "the catalogues are complete")
            return 1 if found else 0
        case ["todo", language]:
            for message in messages(read(language)).values():
                if any(not translated for _source, translated in texts(message)):
                    print(repr(message.id), f"[{message.context}]" if message.context else "")
        case _:
            print(__doc__)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
