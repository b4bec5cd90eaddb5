"""The languages a glossary can have, and the code that is meant by what people write."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

# What people put at the head of a column: codes of three letters, and the names in English, in the language itself,
# in German and in French.
NAMES = {
    "ar": ("ara", "arabic", "العربية", "arabisch", "arabe"),
    "bg": ("bul", "bulgarian", "български", "bulgarisch", "bulgare"),
    "cs": ("ces", "cze", "czech", "čeština", "tschechisch", "tchèque"),
    "da": ("dan", "danish", "dansk", "dänisch", "danois"),
    "de": ("deu", "ger", "german", "deutsch", "allemand"),
    "el": ("ell", "gre", "greek", "ελληνικά", "griechisch", "grec"),
    "en": ("eng", "english", "englisch", "anglais"),
    "es": ("spa", "spanish", "español", "castellano", "spanisch", "espagnol"),
    "et": ("est", "estonian", "eesti", "estnisch", "estonien"),
    "fi": ("fin", "finnish", "suomi", "finnisch", "finnois"),
    "fr": ("fra", "fre", "french", "français", "französisch"),
    "he": ("heb", "hebrew", "עברית", "hebräisch", "hébreu"),
    "hu": ("hun", "hungarian", "magyar", "ungarisch", "hongrois"),
    "id": ("ind", "indonesian", "bahasa indonesia", "indonesisch", "indonésien"),
    "it": ("ita", "italian", "italiano", "italienisch", "italien"),
    "ja": ("jpn", "japanese", "日本語", "japanisch", "japonais"),
    "ko": ("kor", "korean", "한국어", "koreanisch", "coréen"),
    "lt": ("lit", "lithuanian", "lietuvių", "litauisch", "lituanien"),
    "lv": ("lav", "latvian", "latviešu", "lettisch", "letton"),
    "nb": (
        "nob", "nor", "norwegian", "norsk", "bokmål", "norwegian bokmål", "norsk bokmål", "norwegisch", "norvégien",
    ),
    "nl": ("nld", "dut", "dutch", "nederlands", "niederländisch", "néerlandais"),
    "pl": ("pol", "polish", "polski", "polnisch", "polonais"),
    "pt": ("por", "portuguese", "português", "portugiesisch", "portugais"),
    "ro": ("ron", "rum", "romanian", "română", "rumänisch", "roumain"),
    "ru": ("rus", "russian", "русский", "russisch", "russe"),
    "sk": ("slk", "slo", "slovak", "slovenčina", "slowakisch", "slovaque"),
    "sl": ("slv", "slovenian", "slovene", "slovenščina", "slowenisch", "slovène"),
    "sv": ("swe", "swedish", "svenska", "schwedisch", "suédois"),
    "th": ("tha", "thai", "ไทย", "thailändisch", "thaï"),
    "tr": ("tur", "turkish", "türkçe", "türkisch", "turc"),
    "uk": ("ukr", "ukrainian", "українська", "ukrainisch", "ukrainien"),
    "vi": ("vie", "vietnamese", "tiếng việt", "vietnamesisch", "vietnamien"),
    "zh": ("zho", "chi", "chinese", "中文", "chinesisch", "chinois"),
}  # fmt: skip
LANGUAGES = frozenset(NAMES)
# Codes for the same languages that the service does not take.
ALIASES = {"no": "nb", "iw": "he", "in": "id", "jp": "ja", "cn": "zh", "cz": "cs", "dk": "da", "gr": "el"}
# What stands with a name to say which variant of the language it is.
VARIANTS = {
    "american": "US", "us": "US", "usa": "US", "united states": "US", "british": "GB", "uk": "GB", "gb": "GB",
    "united kingdom": "GB", "canadian": "CA", "canada": "CA", "australian": "AU", "australia": "AU",
    "brazilian": "BR", "brazil": "BR", "brasil": "BR", "portugal": "PT", "mexican": "MX", "mexico": "MX",
    "latin american": "419", "latin america": "419", "spain": "ES", "france": "FR", "germany": "DE", "austrian": "AT",
    "austria": "AT", "swiss": "CH", "switzerland": "CH", "belgian": "BE", "belgium": "BE", "simplified": "Hans",
    "traditional": "Hant", "china": "CN", "taiwan": "TW", "hong kong": "HK",
}  # fmt: skip
BY_NAME = {
    **ALIASES,
    **{name: code for code, names in NAMES.items() for name in (code, *names)},
    "简体中文": "zh-Hans",
    "繁體中文": "zh-Hant",
    "繁体中文": "zh-Hant",
}
# No head of a column that names a language is longer.
LONGEST = 60
# A language, its script, region and spelling: not everything behind a hyphen, so that "id_number" is none.
TAG = re.compile(
    "[a-z]{2}([-_](hans|hant|latn|cyrl|arab))?([-_]([a-z]{2}|[0-9]{3}))?(-[0-9][a-z0-9]{3})?", re.I
)
# "French (fr-FR)", "Portuguese, Brazil", "English [US]"
WITH_MORE = re.compile(r"([^(\[,]+?)\s*[(\[,]\s*(.+?)\s*[)\]]?")


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
    return code_of(written) or code_of(variant_of(written) or "")


@cache
def variant_of(written: str) -> str | None:
    """As `language_of`, with the region or script that is said with it.

    >>> variant_of("Brazilian Portuguese"), variant_of("French (fr-FR)"), variant_of("en_GB"), variant_of("id_number")
    ('pt-BR', 'fr-FR', 'en_GB', None)
    """
    said = unicodedata.normalize("NFC", written).strip()
    if len(said) > LONGEST:
        return None
    if TAG.fullmatch(said):
        code, _, region = said.partition("-")
        return said if code_of(said) else _joined(ALIASES.get(code.lower()), region)
    more = WITH_MORE.fullmatch(said)
    return _named(said) or (_detailed(more[1], more[2]) if more else _qualified(said.lower().split()))


def _joined(code: str | None, region: str) -> str | None:
    return f"{code}-{region}" if code and region else code


def _named(said: str) -> str | None:
    return BY_NAME.get(" ".join(said.lower().split()))


def _detailed(name: str, detail: str) -> str | None:
    """A *name* with more about it in brackets; where that says no variant, the name alone counts."""
    code = _named(name)
    if code is None or (len(name) == 2 and _named(detail) != code):
        return None
    if code_of(detail) == code and TAG.fullmatch(detail):
        return detail if len(detail) > 2 else code
    country = detail if re.fullmatch("[A-Z]{2}", detail) else ""
    return _joined(code, VARIANTS.get(detail.lower(), country))


def _qualified(words: list[str]) -> str | None:
    """A name of a language with its variant before it or behind it."""
    for place in range(1, len(words)):
        before, behind = " ".join(words[:place]), " ".join(words[place:])
        for name, variant in ((behind, before), (before, behind)):
            if len(name) > 3 and variant in VARIANTS and name in BY_NAME:
                return _joined(BY_NAME[name], VARIANTS[variant])
    return None
