"""Style rules in words for people: a label for each category, rule and option of the catalogue, and a search in them.

Labels are made of the names by the same turns of phrase everywhere; the few that come out badly stand in a table. What
the catalogue does not have keeps its name as its label, because nobody knows what it means.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import cache, lru_cache

from svc_nb.style_rules.catalogue import Choice, offers
from svc_nb.style_rules.languages import style_language
from svc_nb.style_rules.phrases import OPTIONS, RULES, phrase

# What people look for under another name: where the first stands, the second finds it too.
ALSO: Mapping[str, str] = {
    "serial comma": "oxford comma",
    "quotation mark": "quotes speech marks",
    "quotation": "citations quotes",
    "curly": "smart typographic",
    "guillemets": "« » chevrons",
    "apostrophe": "' ’",
    "en dash": "– en-dash",
    "em dash": "— em-dash",
    "ellipsis": "… dots",
    "parentheses": "round brackets",
    "round brackets": "parentheses",
    "all caps": "uppercase capital letters capitals",
    "lowercase": "lower case",
    "uppercase": "upper case capital letters capitals",
    "am or pm": "a.m. p.m. am/pm",
    "12-hour": "12h",
    "24-hour": "24h military",
    "full-width": "fullwidth",
    "half-width": "halfwidth",
    "contractions": "don't it's short forms",
    "eszett": "sharp s",
    "gender": "inclusive",
    "informal address pronouns": "du formality",
    "addressing the reader": "you formality politeness",
    "declarative endings": "formality politeness honorifics",
    "desu/masu": "formality politeness keigo",
    "formality": "politeness",
    "currency": "money prices € $ euro dollar",
    "decimal separator": "decimal point",
    "percent": "%",
    "ampersand": "&",
    "@": "at sign",
    "email": "e-mail",
    "phone number": "telephone",
    "temperature": "° °c °f celsius fahrenheit degrees",
    "units of measure": "kg km measurements",
    "yyyy-mm-dd": "iso 8601",
    "ranges": "from to",
    "salutation": "dear greeting",
    "heading": "headings",
    "idioms": "jargon slang",
}


def category_label(category: str) -> str:
    """The category in words.

    >>> category_label("dates_and_times")
    'Dates and times'
    """
    return phrase(category) if category in offers() else category


def rule_label(category: str, rule: str) -> str:
    """The rule in words.

    >>> rule_label("punctuation", "comma_after_i_e_and_e_g")
    'Comma after i.e. and e.g.'
    """
    if rule not in offers().get(category, {}):
        return rule
    return RULES.get(rule) or phrase(rule)


def option_label(category: str, rule: str, option: str) -> str:
    """The option in words; no other of the same rule has the same.

    >>> option_label("dates_and_times", "date_format", "use_dd_period_mm_period_yyyy")
    'Use DD.MM.YYYY'
    >>> option_label("dates_and_times", "date_format", "use_whatever")
    'use_whatever'
    """
    if option not in offers().get(category, {}).get(rule, {}):
        return option
    return OPTIONS.get(option) or phrase(option)


def search(text: str, *, language: str | None = None) -> list[Choice]:
    """The options in whose label, rule, category or names each word of *text* begins a word, in the catalogue's order.

    With *language* only those that it offers. Case and accents do not matter; an empty *text* finds all of them.
    """
    code = None if language is None else style_language(language)
    words = [re.compile(rf"(?<![a-z0-9]){re.escape(word)}") for word in plain(text).split()]
    return [
        choice
        for choice, (languages, known) in _index().items()
        if (code is None or code in languages) and all(word.search(known) for word in words)
    ]


@lru_cache(2000)
def known_as(choice: Choice) -> str:
    """All words by which *choice* is found, folded as `plain` folds what is looked for."""
    category, rule, option = choice
    labels = (category_label(category), rule_label(category, rule), option_label(category, rule, option))
    found = plain(" ".join([*labels, *choice]))
    also = [plain(words) for name, words in ALSO.items() if name in found]
    return " ".join([found, *also])


def plain(text: str) -> str:
    """*text* without case, accents and underscores, as it is looked for.

    >>> plain("  Céder ")
    'ceder'
    """
    parts = unicodedata.normalize("NFKD", text.casefold().replace("_", " "))
    return unicodedata.normalize(
        "NFC", "".join(each for each in parts if not unicodedata.combining(each))
    ).strip()


@cache
def _index() -> Mapping[Choice, tuple[frozenset[str], str]]:
    return {
        (choice := Choice(category, rule, option)): (languages, known_as(choice))
        for category, rules in offers().items()
        for rule, options in rules.items()
        for option, languages in options.items()
    }
