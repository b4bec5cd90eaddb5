"""Style rules in words for people: a label for each category, rule and option, an example, and a search.

Labels are generated from the names with the same phrases everywhere; labels.json has these phrases, the few labels that
would come out badly, and additional search words. Rules that are not in the catalogue keep their name as their label,
because their meaning is unknown. examples.json shows what each option does, in the language of the list.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from importlib import resources
from typing import Any

from svc_nb.style_rules.catalogue import Choice, choices, offers, style_language

SIGNS = {"period": ".", "slash": "/", "hyphen": "-", "colon": ":", "comma": ",", "space": " "}
# The wildcard for several words in a pattern of labels.json, and the actions on a match that replace a wording.
KINDS = {
    "<LANGUAGE>": "(?:chinese|english|french|german|italian|japanese|korean|spanish)",
    "<PART>": "(?:dd|mm|hh|yyyy|yy)",
    "<SIGN>": f"(?:{'|'.join(SIGNS)})",
}
DONE: Mapping[str, Callable[[re.Match[str]], str]] = {
    "=upper": lambda found: found[0].upper(),
    "=title": lambda found: found[0].title(),
    "=capitalize": lambda found: found[0].capitalize(),
    # A date or time as written: dd period mm period yyyy is DD.MM.YYYY.
    "=format": lambda found: "".join(SIGNS.get(word) or word.upper() for word in found[0].split(" ")),
}


@cache
def phrase(name: str) -> str:
    """*name*, from the catalogue, as a phrase that begins with a capital letter.

    >>> phrase("use_12_hour_clock_and_lowercase_am_or_pm_with_periods")
    'Use 12-hour clock and lowercase a.m. or p.m., with periods'
    """
    words = name.replace("_", " ")
    for pattern, wording in written()["turns"]:
        words = re.sub(pattern, DONE.get(wording, wording), words)
    return words[:1].upper() + words[1:]


@cache
def written() -> Mapping[str, Any]:
    """The handwritten parts: labels of `rules` and `options`, other names for `search`, and `turns` of phrase."""
    text = resources.files(__package__).joinpath("labels.json").read_text("utf-8")
    for kind, words in KINDS.items():
        text = text.replace(kind, words)
    found: Mapping[str, Any] = json.loads(text)
    return found


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
    return written()["rules"].get(rule) or phrase(rule)


def option_label(category: str, rule: str, option: str) -> str:
    """The option in words, unique within its rule.

    >>> option_label("dates_and_times", "date_format", "use_dd_period_mm_period_yyyy")
    'Use DD.MM.YYYY'
    >>> option_label("dates_and_times", "date_format", "use_whatever")
    'use_whatever'
    """
    if option not in offers().get(category, {}).get(rule, {}):
        return option
    return written()["options"].get(option) or phrase(option)


@cache
def examples() -> Mapping[str, Mapping[str, Mapping[str, str | Mapping[str, str] | None]]]:
    """Category, rule, option, and a text that follows it, or one for each language; None if none is short enough."""
    text = resources.files(__package__).joinpath("examples.json").read_text("utf-8")
    found: Mapping[str, Any] = json.loads(text)
    return found


def option_example(category: str, rule: str, option: str, language: str) -> str:
    """A short text in *language* that follows the option; "" if there is none.

    >>> option_example("punctuation", "serial_comma", "use", "EN")
    'red, green, and blue'
    >>> option_example("numbers", "currency_format", "use_iso_code_followed_by_space_then_amount", "DE")
    'EUR 25'
    """
    found = examples().get(category, {}).get(rule, {}).get(option)
    if not isinstance(found, str | None):
        found = found.get(language)
    return found or ""


def search(text: str, *, language: str | None = None) -> list[Choice]:
    """The options in which each word of *text* begins a word, in the catalogue's order.

    The words come from their labels, rules, categories, names and examples. With *language*, only the options that it
    offers are searched, with their examples in it. Case, accents, plurals and small words do not matter; an empty
    *text* finds all options.
    """
    code = None if language is None else style_language(language)
    words = [re.compile(rf"(?<![a-z0-9]){re.escape(word)}") for word in stems(text)]
    return [
        choice
        for choice, languages in choices()
        if (code is None or code in languages) and all(word.search(known_as(choice, code)) for word in words)
    ]


@lru_cache(4000)
def known_as(choice: Choice, language: str | None = None) -> str:
    """All search words for *choice*, including those of its example in *language*, folded by `plain`."""
    category, rule, option = choice
    labels = (category_label(category), rule_label(category, rule), option_label(category, rule, option))
    found = plain(" ".join([*labels, *choice]))
    also = [plain(words) for name, words in written()["search"].items() if name in found]
    example = option_example(*choice, language) if language else ""
    return " ".join([found, *also, plain(example)])


SMALL = frozenset({"a", "an", "and", "for", "in", "of", "or", "the", "to", "with"})


def stems(text: str) -> list[str]:
    """The words of a search, without small words and plural endings.

    >>> stems("Times of day"), stems("or"), stems("less")
    (['time', 'day'], ['or'], ['less'])
    """
    found = plain(text).split()
    words = [word for word in found if word not in SMALL] or found
    return [re.sub(r"(?<!s)s$", "", word) if len(word) > 3 else word for word in words]


def plain(text: str) -> str:
    """*text* without case, accents and underscores, as used for searching.

    >>> plain("  Céder ")
    'ceder'
    """
    parts = unicodedata.normalize("NFKD", text.casefold().replace("_", " "))
    return unicodedata.normalize("NFC", "".join(each for each in parts if not unicodedata.combining(each))).strip()
