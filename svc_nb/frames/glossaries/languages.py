"""The languages a glossary can have, and the code that is meant by what people write."""

from __future__ import annotations

from functools import cache

# What people put at the head of a column: the names in English and in the language itself.
NAMES = {
    "ar": ("arabic", "العربية"), "bg": ("bulgarian", "български"), "cs": ("czech", "čeština"),
    "da": ("danish", "dansk"), "de": ("german", "deutsch"), "el": ("greek", "ελληνικά"),
    "en": ("english",), "es": ("spanish", "español", "castellano"), "et": ("estonian", "eesti"),
    "fi": ("finnish", "suomi"), "fr": ("french", "français"), "he": ("hebrew", "עברית"),
    "hu": ("hungarian", "magyar"), "id": ("indonesian", "bahasa indonesia"), "it": ("italian", "italiano"),
    "ja": ("japanese", "日本語"), "ko": ("korean", "한국어"), "lt": ("lithuanian", "lietuvių"),
    "lv": ("latvian", "latviešu"), "nb": ("norwegian", "norsk", "bokmål", "norwegian bokmål"),
    "nl": ("dutch", "nederlands"), "pl": ("polish", "polski"), "pt": ("portuguese", "português"),
    "ro": ("romanian", "română"), "ru": ("russian", "русский"), "sk": ("slovak", "slovenčina"),
    "sl": ("slovenian", "slovene", "slovenščina"), "sv": ("swedish", "svenska"), "th": ("thai", "ไทย"),
    "tr": ("turkish", "türkçe"), "uk": ("ukrainian", "українська"), "vi": ("vietnamese", "tiếng việt"),
    "zh": ("chinese", "中文", "简体中文", "繁體中文"),
}  # fmt: skip
LANGUAGES = frozenset(NAMES)
# Codes for the same languages that the service does not take.
ALIASES = {"no": "nb", "iw": "he", "in": "id", "jp": "ja", "cn": "zh", "cz": "cs", "dk": "da", "gr": "el"}


@cache
def code_of(written: str) -> str | None:
    """The code that is meant by one in any case, with or without a region; None where there is no such language.

    >>> code_of("EN-GB"), code_of(" de_AT "), code_of("tlh")
    ('en', 'de', None)
    """
    base = written.strip().lower().replace("_", "-").partition("-")[0]
    return base if base in LANGUAGES else None


@cache
def language_of(written: str) -> str | None:
    """As `code_of`, but also by name or by another code for it, as at the head of a spreadsheet's column.

    >>> language_of("Deutsch"), language_of("French (fr-FR)"), language_of("no"), language_of("notes")
    ('de', 'fr', 'nb', None)
    """
    said = written.strip().lower()
    plain = said.partition("(")[0].strip()
    by_name = {name: code for code, names in NAMES.items() for name in names}
    return code_of(said) or by_name.get(said) or by_name.get(plain) or ALIASES.get(said.partition("-")[0])
