"""Messages to people: gettext over the catalogues in ``node/locale``.

English is the source language.  Every text a person may see goes through :func:`_` or :func:`ngettext`; texts kept in
tables at import time are marked with :func:`N_` and translated when shown.
"""

import gettext
import os
from pathlib import Path
from typing import Final

LANGUAGES: Final = ("en", "de", "it", "pl", "hu")
DOMAIN: Final = "doko"
LOCALE_DIR: Final = Path(__file__).parent / "locale"

_translations: gettext.NullTranslations = gettext.NullTranslations()
_language: str = "en"


def preferred_language() -> str:
    """The first of ``DOKO_LANG LANGUAGE LC_ALL LC_MESSAGES LANG`` that names a language we have, else ``"en"``."""
    for variable in ("DOKO_LANG", "LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        for value in os.environ.get(variable, "").split(":"):
            code = value.split(".")[0].split("_")[0].split("-")[0].lower()
            if code in LANGUAGES:
                return code
    return "en"


def use_language(code: str | None = None) -> str:
    """Switch to *code* (``None``: what the environment prefers); returns the language in force."""
    global _translations, _language
    wanted = code if code in LANGUAGES else preferred_language()
    if wanted == "en":
        _translations = gettext.NullTranslations()
    else:
        _translations = gettext.translation(DOMAIN, LOCALE_DIR, languages=[wanted], fallback=True)
    _language = wanted
    return wanted


def current_language() -> str:
    """The code of the language in force."""
    return _language


def _(message: str) -> str:
    """*message* in the language in force."""
    return _translations.gettext(message)


def ngettext(singular: str, plural: str, n: int) -> str:
    """The plural form for *n* in the language in force."""
    return _translations.ngettext(singular, plural, n)


def pgettext(context: str, message: str) -> str:
    """*message* as used in *context* (one English word, two translations)."""
    return _translations.pgettext(context, message)


def N_(message: str) -> str:
    """Mark *message* for the catalogues without translating it now."""
    return message
