"""Style rules in words for people: a label for each category, rule and option of the catalogue, and a search in them.

Labels are made of the names by the same turns of phrase everywhere; the few that come out badly are in labels.json,
with further words to find an option by. What the catalogue does not have keeps its name as its label, because nobody
knows what it means.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from importlib import resources

from svc_nb.style_rules.catalogue import Choice, choices, offers, style_language

LANGUAGE = "(?:chinese|english|french|german|italian|japanese|korean|spanish)"
PART = "(?:dd|mm|hh|yyyy|yy)"
SIGN = "(?:period|slash|hyphen|colon|comma|space)"
SIGNS = {"period": ".", "slash": "/", "hyphen": "-", "colon": ":", "comma": ",", "space": " "}
# Words of a language that stand together in a name; every other word of a language stands alone.
TOGETHER = {
    "por cien": "“por cien”",
    "por ciento": "“por ciento”",
    "per cento": "“per cento”",
    "da a": "“da … a”",
    "de a": "“de … a”",
    "부터 까지": "“부터 … 까지”",
    "만 억 조": "“만”, “억”, “조”",
}

Wording = str | Callable[[re.Match[str]], str]


@cache
def phrase(name: str) -> str:
    """*name*, one of the catalogue's, as a phrase that begins with a capital letter.

    >>> phrase("use_12_hour_clock_and_lowercase_am_or_pm_with_periods")
    'Use 12-hour clock and lowercase a.m. or p.m., with periods'
    """
    words = name.replace("_", " ")
    for pattern, wording in TURNS:
        words = re.sub(pattern, wording, words)
    return words[:1].upper() + words[1:]


def _format(found: re.Match[str]) -> str:
    """A date or time as it is written: dd period mm period yyyy is DD.MM.YYYY."""
    spoken = found[0].split(" ")
    return "".join(SIGNS.get(word) or word.upper() for word in spoken)


TURNS: tuple[tuple[str, Wording], ...] = (
    (rf"\b{PART}(?: {SIGN}){{1,2}}(?: {PART}(?: {SIGN}){{1,2}})* {PART}\b", _format),
    (rf"\b{PART}\b", lambda found: found[0].upper()),
    (r"\b(DD|YYYY) space (spelled out month) space (YYYY)\b", r"\1 \2 \3"),
    # words of a language stand in quotation marks
    (rf"\b{LANGUAGE} words? ({'|'.join(TOGETHER)})(?= |$)", lambda found: TOGETHER[found[1]]),
    (rf"\b{LANGUAGE} words? (\S+) (and|or) (?!use |do |except )(\S+)", r"“\1” \2 “\3”"),
    (rf"\b{LANGUAGE} words? (?!if )(\S+)", r"“\1”"),
    # what has a spelling of its own
    (rf"\b{LANGUAGE}\b", lambda found: found[0].capitalize()),
    (r"\b(?:latin|arabic|roman|north american)\b", lambda found: found[0].title()),
    (r"\b(?:iso|si|bc|ad|bce|ce)\b", lambda found: found[0].upper()),
    (r"\b(00|24) 00\b", r"\1:00"),
    (r"\b12 am and 12 pm\b", "12 a.m. and 12 p.m."),
    (r"\blowercase am or pm with periods\b", "lowercase a.m. or p.m., with periods"),
    (r"\buppercase am or pm with periods\b", "uppercase A.M. or P.M., with periods"),
    (r"\blowercase am or pm without\b", "lowercase am or pm, without"),
    (r"\buppercase am or pm without\b", "uppercase AM or PM, without"),
    (r"\bunits of three\b", "groups of three digits"),
    (r"\bellipsis character$", "ellipsis character (…)"),
    (r"\bdesu masu\b", "desu/masu"),
    (r"\bdearu\b", "de aru"),
    (r"\bsino Korean\b", "Sino-Korean"),
    (r"\buse x between\b", "use “x” between"),
    (r"\byou must\b", "“you must”"),
    (r"\bletter h\b", "letter “h”"),
    (r"\bat symbol\b", "@"),
    (r"\bspell out (per ?cent)\b", r"“\1”"),
    (r"\bcenter\b", "centre"),
    # hyphens
    (r"\b(12|24) hour\b", r"\1-hour"),
    (r"\b(full|half) width\b", r"\1-width"),
    (r"\bsingle digit\b", "single-digit"),
    (r"\b(first|second) person\b", r"\1-person"),
    (r"\bgender neutral\b", "gender-neutral"),
    (r"\bnon (binary|quoted|Japanese)\b", r"non-\1"),
    (r"\bculture specific\b", "culture-specific"),
    (r"\bhard to translate\b", "hard-to-translate"),
    (r"\bdaily use\b", "daily-use"),
    (r"\bspelled out (month|currency|numbers)\b", r"spelled-out \1"),
    (r"\bsubject verb\b", "subject–verb"),
    # pauses
    (r" except (use|for|in|to)\b", r", except \1"),
    (r" but (use|spell|YYYY|avoid|abbreviate)\b", r", but \1"),
    (r" then (spell|unit|currency|ISO|amount|alternate|abbreviation|half|percent|“)", r", then \1"),
    (r" space, then ", " a space, then "),
    (r"\b(with|without) space\b", r"\1 a space"),
    (r" (with|without) a space on either side", r", \1 a space on either side"),
    (r" (with|without) leading zero(s?) for", r", \1 leading zero\2 for"),
    (r" vs ", " or "),
)


@cache
def written() -> Mapping[str, Mapping[str, str]]:
    """What is written by hand: labels of `rules` and `options`, and for `search` other names of what a label has."""
    text = resources.files(__package__).joinpath("labels.json").read_text("utf-8")
    found: Mapping[str, Mapping[str, str]] = json.loads(text)
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
    """The option in words; no other of the same rule has the same.

    >>> option_label("dates_and_times", "date_format", "use_dd_period_mm_period_yyyy")
    'Use DD.MM.YYYY'
    >>> option_label("dates_and_times", "date_format", "use_whatever")
    'use_whatever'
    """
    if option not in offers().get(category, {}).get(rule, {}):
        return option
    return written()["options"].get(option) or phrase(option)


def search(text: str, *, language: str | None = None) -> list[Choice]:
    """The options in whose label, rule, category or names each word of *text* begins a word, in the catalogue's order.

    With *language* only those that it offers. Case and accents do not matter; an empty *text* finds all of them.
    """
    code = None if language is None else style_language(language)
    words = [re.compile(rf"(?<![a-z0-9]){re.escape(word)}") for word in plain(text).split()]
    return [
        choice
        for choice, languages in choices()
        if (code is None or code in languages) and all(word.search(known_as(choice)) for word in words)
    ]


@lru_cache(2000)
def known_as(choice: Choice) -> str:
    """All words by which *choice* is found, folded as `plain` folds what is looked for."""
    category, rule, option = choice
    labels = (category_label(category), rule_label(category, rule), option_label(category, rule, option))
    found = plain(" ".join([*labels, *choice]))
    also = [plain(words) for name, words in written()["search"].items() if name in found]
    return " ".join([found, *also])


def plain(text: str) -> str:
    """*text* without case, accents and underscores, as it is looked for.

    >>> plain("  Céder ")
    'ceder'
    """
    parts = unicodedata.normalize("NFKD", text.casefold().replace("_", " "))
    return unicodedata.normalize("NFC", "".join(each for each in parts if not unicodedata.combining(each))).strip()
