"""The languages of the service, and which one a person means by a code, a locale or a name. Nothing is requested here.

The normal form of a code is in capitals with hyphens: `DE`, `EN-US`, `ZH-HANS`. As a target a locale becomes the
variant that the service has (`zh_CN` is ZH-HANS, `es_MX` is ES-419) or, if there is none, the language (`de_AT` is DE).
As a source it becomes the language, because the service has no variants there.
"""

import json
import re
import unicodedata
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

_DATA: Any = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
# For each language its English name, its three-letter codes (ISO 639-3, 639-2/B), its own name and others. The
# languages of glossaries, which often appear as column headings, also have their German and French names here, and
# their names in more languages in OTHER_NAMES.
NAMES: Mapping[str, tuple[str, ...]] = {code: tuple(names) for code, names in _DATA["names"].items()}
VARIANT_NAMES: Mapping[str, str] = _DATA["variant_names"]
# All source languages, including those in beta; variants such as en-us are targets only.
SOURCES = frozenset(map(str.upper, NAMES))
# The languages that every service of this kind has. The others are in beta, and an account may not have them.
STABLE = frozenset[str](_DATA["stable"])
STABLE_VARIANTS = frozenset(VARIANT_NAMES) - {"de-ch", "fr-ca"}
# Codes that were retired, or stand for a group of languages, and the service's own code.
SAME: Mapping[str, str] = _DATA["same"]
# Regions that share a variant's spelling, as CLDR (Unicode's common locale data) derives locales from each other.
REGIONS: Mapping[str, Mapping[str, str]] = _DATA["regions"]
# Languages written in several scripts, and the one in which the service writes them.
SCRIPTS: Mapping[str, str] = _DATA["scripts"]
# Words beside a name that say which variant of the language it is: in English and, folded, in the languages of
# glossaries, as in CLDR.
VARIANTS: Mapping[str, str] = {
    **_DATA["variants"],
    **{word: variant for variant, words in _DATA["variant_words"].items() for word in words},
}
# The countries and regions that have a code of two letters.
TERRITORIES = frozenset[str](_DATA["territories"].split())
# Country codes that people mistake for language codes, and what they may mean. They are suggested, not accepted.
COUNTRIES: Mapping[str, str] = _DATA["countries"]
# No language has a longer name.
LONGEST = 60
# The form of a code, known or not.
CODE = re.compile("[a-z]{2,3}([-_][a-z0-9]{1,8})*", re.ASCII | re.IGNORECASE)
MOST_SUGGESTED = 3
# The form of a language tag, as in XML.
WELL_FORMED = re.compile("[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*")
# A language, its script, region and spelling. Not every word after a hyphen counts, so "id_number" does not match.
TAG = re.compile(
    "(?P<base>[a-z]{2,3})(-(?P<script>hans|hant|latn|cyrl|arab|deva|guru))?(-(?P<region>[a-z]{2}|[0-9]{3}))?(-[0-9][a-z0-9]{3})?"
)
# The possible endings of a locale: "de_DE.UTF-8@euro"; two of them are scripts.
LOCALE_ENDS = re.compile(r"(\.[\w-]+)?(@\w+)?$")
SCRIPT_ENDS = {"@latin": "_Latn", "@cyrillic": "_Cyrl"}
# "French (fr-FR)", "Portuguese, Brazil", "English [US]"
WITH_MORE = re.compile(r"([^(\[,]+?)\s*[(\[,]\s*([^)\]]+?)\s*[)\]]?")


def folded(name: str) -> str:
    """A name as it is compared: without case and accents.

    >>> folded(" Français "), folded("tiếng  Việt")
    ('francais', 'tieng viet')
    """
    plain = unicodedata.normalize("NFKD", name.replace("’", "'").replace("ʻ", "'")).casefold()
    return " ".join(re.sub("[\u0300-\u036f]", "", plain).split())


# The names of the languages of glossaries and their variants in all of these languages, from CLDR, folded. They are
# kept apart, so that a typo in a name does not lead to a suggestion in Hungarian.
OTHER_NAMES: Mapping[str, str] = {name: tag for tag, names in _DATA["other_names"].items() for name in names}
BY_NAME: Mapping[str, str] = {
    **SAME,
    **{folded(name): code for code, names in NAMES.items() for name in (code, *names)},
    **{folded(name): code for code, name in VARIANT_NAMES.items()},
    **{folded(name): "zh-hans" for name in ("简体中文",)},
    **{folded(name): "zh-hant" for name in ("繁體中文", "繁体中文")},
}


def listed(written: str) -> list[str]:
    """The languages in a comma-separated text; a comma may also come before a variant.

    >>> listed("DE,fr"), listed("Portuguese, Brazil"), listed("German, x")
    (['DE', 'fr'], ['Portuguese, Brazil'], ['German', ' x'])
    """
    parts = [part for part in written.split(",") if part.strip()]
    return [written] if tag_of(written) and not all(map(tag_of, parts)) else parts


@cache
def tag_of(written: str) -> str | None:
    """The language that is meant, with its script and region if given, in lower case; or None.

    >>> tag_of("Brazilian Portuguese"), tag_of("French (fr-FR)"), tag_of("jpn"), tag_of("de_DE.UTF-8"), tag_of("tlh")
    ('pt-br', 'fr-fr', 'ja', 'de-de', None)
    """
    said = unicodedata.normalize("NFKC", written.strip()[: LONGEST + 1])
    if not said or len(said) > LONGEST:
        return None
    for end, script in SCRIPT_ENDS.items():
        said = said.replace(end, script)
    tag = LOCALE_ENDS.sub("", said).replace("_", "-").lower()
    if found := TAG.fullmatch(tag):
        base = BY_NAME.get(found["base"])
        return base and base + tag[len(found["base"]) :]
    named = _named(folded(said))
    if named or not (more := WITH_MORE.fullmatch(said)):
        return named or _qualified(folded(said).split())
    return _detailed(*more.groups())


def _named(name: str) -> str | None:
    """The language with this folded name, in any known language."""
    return BY_NAME.get(name) or OTHER_NAMES.get(name)


def _detailed(name: str, detail: str) -> str | None:
    """A *name* with a code or a variant in brackets."""
    code, said = _named(folded(name)), tag_of(detail)
    if code is None:
        return None
    code = code.partition("-")[0] if said else code
    if said and said.partition("-")[0] == code:
        return said
    country = detail if detail in TERRITORIES and len(name) > 2 else ""
    variant = VARIANTS.get(folded(detail), country).lower()
    return f"{code}-{variant}" if variant else None


def _qualified(words: list[str]) -> str | None:
    """The name of a language with its variant before or after it."""
    for place in range(1, len(words)):
        before, behind = " ".join(words[:place]), " ".join(words[place:])
        for name, variant in ((behind, before), (before, behind)):
            if len(name) > 3 and variant in VARIANTS and (code := _named(name)):
                return f"{code}-{VARIANTS[variant].lower()}"
    return None


def base_code(written: str) -> str | None:
    """The code of the language alone, in its normal form, as for a source; None if there is no such language.

    >>> base_code("pt-br"), base_code("deu"), base_code("English"), base_code("Klingon")
    ('PT', 'DE', 'EN', None)
    """
    tag = tag_of(written)
    return tag.partition("-")[0].upper() if tag else None


def target_code(written: str) -> str | None:
    """The code of the language or variant that is meant, in its normal form; None if there is no such language.

    >>> target_code("zh_CN"), target_code("es_ES"), target_code("de_AT"), target_code("ger"), target_code("en-au")
    ('ZH-HANS', 'ES', 'DE', 'DE', 'EN-GB')
    >>> target_code("English"), target_code("EN-ZZ"), target_code("sr_Latn")
    ('EN', None, None)
    """
    tag = tag_of(written)
    found = TAG.fullmatch(tag) if tag else None
    if found is None:
        return None
    base, script, region = found["base"], found["script"], found["region"]
    if script and base == "zh":
        return f"ZH-{script.upper()}" if script in ("hans", "hant") else None
    if script and SCRIPTS.get(base, "latn") != script:
        return None
    variants = REGIONS.get(base, {})
    fitting = (variant for variant, regions in variants.items() if region in regions.split())
    code = next(fitting, base if region is None or base in ("de", "fr") or not variants else None)
    return code and code.upper()


@lru_cache(1024)
def normal(written: str) -> str:
    """A code as it is compared, in capitals, whether the service knows it or not.

    >>> normal(" en_US ")
    'EN-US'
    """
    return written.strip().replace("_", "-").upper()


def base_of(code: str) -> str:
    """The language of a code without its variant, as it is compared, whether the service knows it or not."""
    return normal(code).partition("-")[0]


def meant_by(written: str) -> str:
    """The language code that is meant by a code with a region or by a name; "" if that is unclear."""
    base = base_of(written)
    return base if base in SOURCES else base_code(written) or ""


def as_normal(written: str) -> str:
    """A code in the normal form used in tables, known or not; anything that cannot be a code is returned unchanged.

    >>> as_normal("en_gb"), as_normal(" zh-Hans "), as_normal("tlh"), as_normal("Deutsch")
    ('EN-GB', 'ZH-HANS', 'TLH', 'Deutsch')
    """
    code = written.strip()
    return code.replace("_", "-").upper() if CODE.fullmatch(code) else written


@lru_cache(1024)
def as_bcp47(written: str) -> str:
    """A code in the case used in files, HTML and the service; anything that cannot be a code is returned unchanged.

    >>> as_bcp47("PT-BR"), as_bcp47("zh_hans"), as_bcp47("ES-419"), as_bcp47("ca-valencia"), as_bcp47("Deutsch")
    ('pt-BR', 'zh-Hans', 'es-419', 'ca-valencia', 'Deutsch')
    """
    code = written.strip()
    if not CODE.fullmatch(code):
        return written
    language, *rest = code.replace("_", "-").lower().split("-")
    letters = {2: str.upper, 4: str.title}  # regions and scripts
    return "-".join([language, *(letters.get(len(part), str)(part) for part in rest)])


def name_of(code: str) -> str:
    """The English name of a language or a variant; its code if unknown.

    >>> name_of("DE"), name_of("pt_br"), name_of("fr-BE"), name_of("tlh")
    ('German', 'Portuguese (Brazilian)', 'French (BE)', 'tlh')
    """
    tag = code.strip().replace("_", "-").lower()
    base, _, region = tag.partition("-")
    if tag in VARIANT_NAMES or base not in NAMES:
        return VARIANT_NAMES.get(tag, code)
    return f"{NAMES[base][0]} ({region.upper()})" if region else NAMES[base][0]


def is_common(code: str) -> bool:
    """Whether every service has the language *code* (in its normal form), so that no request is needed to know."""
    return code.lower() in STABLE | STABLE_VARIANTS


def nearest(written: str, listed: Mapping[str, str] | None = None, *, variants: bool = True) -> list[str]:
    """The codes that may be meant by *written*, best first: those of *listed*, a service's codes with names, if given.

    >>> nearest("jp"), nearest("Germna"), nearest("EN-ZZ"), nearest("???")
    (['JA'], ['DE'], ['EN', 'EN-GB', 'EN-US'], [])
    """
    said = folded(written[:LONGEST]).replace("_", "-")
    base = BY_NAME.get(said.partition("-")[0])
    names = dict(BY_NAME)
    for code, name in (listed or {}).items():
        names |= {folded(code): code.lower(), folded(name): code.lower()}
    if said in COUNTRIES:
        found = [COUNTRIES[said]]
    elif base and TAG.fullmatch(said):
        found = [base, *(code for code in sorted(STABLE_VARIANTS) if code.startswith(f"{base}-"))]
    else:
        long = [name for name in names if len(name) > 3]  # two codes that differ in one letter are unrelated
        found = [names[name] for name in get_close_matches(said, long, n=2 * MOST_SUGGESTED, cutoff=0.75)]
    known = {code.lower() for code in listed or (*NAMES, *VARIANT_NAMES)}
    bases = [code if variants and code in known else code.partition("-")[0] for code in found]
    return [code.upper() for code in dict.fromkeys(bases) if code in known][:MOST_SUGGESTED]
