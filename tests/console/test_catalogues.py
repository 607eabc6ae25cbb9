"""The message catalogues are complete: nothing missing, unused, untranslated or stale; placeholders agree."""

import ast
import gettext
import hashlib
import re

import pytest

from node.console.rulestext import rule_blocks, rules_text
from node.i18n import DOMAIN, LANGUAGES, LOCALE_DIR, use_language
from tests.tools import catalogues


def test_every_language_but_english_has_a_catalogue() -> None:
    assert set(catalogues.LANGUAGES) == set(LANGUAGES) - {"en"}


@pytest.mark.parametrize("language", catalogues.LANGUAGES)
def test_the_catalogue_is_complete(language: str) -> None:
    found = catalogues.problems(language)
    assert not found, "\n".join([*found, "run: python -m tests.tools.catalogues update, translate, then compile"])


@pytest.mark.parametrize(
    ("language", "forms"),
    [
        ("de", {1: "1 Stich", 2: "2 Stiche", 0: "0 Stiche"}),
        ("it", {1: "1 presa", 2: "2 prese", 0: "0 prese"}),
        ("pl", {1: "1 lewa", 2: "2 lewy", 4: "4 lewy", 5: "5 lew", 12: "12 lew", 22: "22 lewy", 0: "0 lew"}),
        ("hu", {1: "1 ütés", 2: "2 ütés", 0: "0 ütés"}),
    ],
)
def test_plural_forms(language: str, forms: dict[int, str]) -> None:
    catalogue = gettext.translation(DOMAIN, LOCALE_DIR, languages=[language])
    for number, text in forms.items():
        assert catalogue.ngettext("{n} trick", "{n} tricks", number).format(n=number) == text


#: The manual's vocabulary.
TERMS = {
    "healthy": ("gesund", "buono", "zdrowy", "egészséges"),
    "reservation": ("Vorbehalt", "riserva", "zastrzeżenie", "fenntartás"),
    "marriage": ("Hochzeit", "matrimonio", "wesele", "házasság"),
    "Re": ("Re", "Re", "re", "rekontra"),
    "Contra": ("Kontra", "Contra", "kontra", "kontra"),
    "no 90": ("keine 90", "no 90", "bez 90", "nincs 90"),
    "black": ("schwarz", "nero", "czarna", "fekete"),
    "trump": ("Trumpf", "atout", "atut", "adu"),
    "clubs": ("Kreuz", "fiori", "trefl", "treff"),
    "spades": ("Pik", "picche", "pik", "pikk"),
    "hearts": ("Herz", "cuori", "kier", "kőr"),
    "diamonds": ("Karo", "denari", "karo", "káró"),
    "ace": ("Ass", "asso", "as", "ász"),
    "ten": ("Zehn", "dieci", "dziesiątka", "tíz"),
    "king": ("König", "re", "król", "király"),
    "queen": ("Dame", "donna", "dama", "dáma"),
    "jack": ("Bube", "fante", "walet", "bubi"),
    "nine": ("Neun", "nove", "dziewiątka", "kilenc"),
    "forehand": ("Vorhand", "primo di mano", "przodek", "hívó"),
    "Stake": ("Einsatz", "Puntata", "Stawka", "Tét"),
    "Limit": ("Limit", "Limite", "Limit", "Limit"),
    "Fee": ("Provision", "Provvigione", "Prowizja", "Provízió"),
    "variable stake": ("variabler Einsatz", "puntata variabile", "zmienna stawka", "változó tét"),
    "duel": ("Duell", "duello", "pojedynek", "párbaj"),
    "anyone": ("alle", "chiunque", "każdy", "mindenki"),
    "friends": ("Freunde", "amici", "przyjaciele", "barátok"),
    "invited": ("Eingeladene", "invitati", "zaproszeni", "meghívottak"),
}


@pytest.mark.parametrize("term", TERMS)
def test_the_terms_of_the_game_are_those_of_the_manual(term: str) -> None:
    found = tuple(
        gettext.translation(DOMAIN, LOCALE_DIR, languages=[code]).gettext(term) for code in catalogues.LANGUAGES
    )
    assert found == TERMS[term]


def test_the_checks_find_what_is_wrong() -> None:
    """The checks can fail."""
    template = catalogues.extracted()
    template.add("A new message with a {name}.")
    found = catalogues.problems("de", template)
    assert any("missing: 'A new message" in text for text in found)
    assert catalogues.placeholders("{a} {b!r} {c:.1f} {{x}}") == ["a", "b", "c"]
    assert catalogues.commands("doko play and doko is") == {"play"}


@pytest.mark.parametrize("language", catalogues.LANGUAGES)
def test_the_rules_are_told_in_the_language(language: str) -> None:
    """The same rules in the same order, with the same blocks, cards and figures as in English."""
    use_language("en")
    english = rule_blocks(rules_text())
    use_language(language)
    told = rule_blocks(rules_text())
    assert [kind for kind, _text in told] == [kind for kind, _text in english]
    for (kind, one), (_kind, other) in zip(told, english, strict=True):
        numbers = re.compile(r"\bR\d+\b")
        assert numbers.findall(one)[:1] == numbers.findall(other)[:1]
        assert set(numbers.findall(one)) == set(numbers.findall(other)), one
        if kind == "code":
            assert one == other
        if kind == "row":
            figures = re.compile(r"[-+]?\d+")
            assert figures.findall(one.replace(",", "")) == figures.findall(other.replace(".", "")), one


def test_the_translated_rules_are_those_of_this_text() -> None:
    """A change of the English rules makes the translations stale until somebody has looked at them."""
    use_language("en")
    digest = hashlib.sha256(rules_text().encode()).hexdigest()[:16]
    assert digest == "3df1c097355ea9b4", "look at node/locale/*/RULES.md, then put the new digest here"


def test_no_message_hides_in_a_formatted_string() -> None:
    """Python before 3.12 has such strings as one token, in which the extraction finds nothing."""
    hidden = []
    names = ("_", "ngettext", "pgettext", "N_")
    for path in catalogues.ROOT.glob("node/**/*.py"):
        for text in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(text, ast.JoinedStr):
                continue
            hidden += [
                f"{path.relative_to(catalogues.ROOT)}:{call.lineno}"
                for call in ast.walk(text)
                if isinstance(call, ast.Call)
                and isinstance(call.func, ast.Name)
                and call.func.id in names
                and isinstance(call.args[0], ast.Constant)
            ]
    assert not hidden
