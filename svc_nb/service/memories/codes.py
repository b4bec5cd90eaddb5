"""Which language of a memory is meant by what a file says."""

from __future__ import annotations

from ..catalogue import languages

SIMPLIFIED = frozenset({"zh-cn", "zh-sg", "zh-my"})
TRADITIONAL = frozenset({"zh-hant", "zh-tw", "zh-hk", "zh-mo"})


def source_of(code: str) -> str | None:
    """The source language of a memory that *code* is; None where there is no such.

    >>> source_of("en-US"), source_of("pt")
    ('en', None)
    """
    base = languages.base(code)
    return base if base in languages.MEMORY_SOURCES else None


def target_of(code: str) -> str | None:
    """The target language of a memory that *code* is: itself, a variant near to it, or its base.

    >>> target_of("en_us"), target_of("zh-CN"), target_of("es-MX"), target_of("de-AT"), target_of("zh-TW")
    ('en-us', 'zh-hans', 'es-419', 'de', None)
    """
    known = languages.normalise(code)
    if known in languages.MEMORY_TARGETS:
        return known
    if known in SIMPLIFIED or known.startswith("zh-hans"):
        return "zh-hans"
    if known in TRADITIONAL or known.startswith("zh-hant"):
        return None
    base = languages.base(known)
    if base == "es" and known != "es-es":
        return "es-419"
    return base if base in languages.MEMORY_TARGETS else None


def covering(asked: str, has: list[str]) -> str | None:
    """The target language among those that a memory *has* which serves a translation into *asked*.

    >>> covering("en-us", ["en-gb", "en"]), covering("en", ["en-gb"]), covering("en-us", ["en-gb"])
    ('en', 'en-gb', None)
    """
    known = languages.normalise(asked)
    base = languages.base(known)
    if known in has or base in has:
        return known if known in has else base
    variants = [code for code in has if languages.base(code) == base]
    if known == base or (known == "zh-hans" and variants):
        return variants[0] if variants else None
    return None
