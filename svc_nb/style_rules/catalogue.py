"""All style rules: their options, the languages that offer them, and the nearest alternatives."""

import json
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from importlib import resources
from typing import NamedTuple

import pandas as pd

from svc_nb.language_codes import meant_by
from svc_nb.tabular.report import Report, plural
from svc_nb.tabular.text_column import TEXT

STYLE_LANGUAGES = ("DE", "EN", "ES", "FR", "IT", "JA", "KO", "ZH")


def style_language(written: str) -> str:
    """The language of a list for *written*, a code or a name; ValueError if there is none.

    >>> style_language("EN-GB"), style_language("German")
    ('EN', 'DE')
    """
    meant = meant_by(written)
    if meant not in STYLE_LANGUAGES:
        raise ValueError(
            f"language: expected one of {', '.join(STYLE_LANGUAGES)}, found {written!r}. Only these languages have "
            "style rules"
        )
    return meant


COLUMNS = ("category", "rule", "option", "languages")
CLOSE = 0.6
NO_TOPIC = {"and", "format", "in", "of", "usage"}

Options = Mapping[str, frozenset[str]]


class Choice(NamedTuple):
    """One option of one rule."""

    category: str
    rule: str
    option: str


@cache
def offers() -> Mapping[str, Mapping[str, Options]]:
    """Category, rule, option, and the languages that offer it."""
    text = resources.files(__package__).joinpath("catalogue.json").read_text("utf-8")
    return {
        category: {
            rule: {option: frozenset(languages.upper().split()) for option, languages in options.items()}
            for rule, options in rules.items()
        }
        for category, rules in json.loads(text).items()
    }


def catalogue(language: str | None = None) -> Report:
    """All rules and options, or those of one language: `category, rule, option, languages`.

    The languages that offer an option are a good default, not a promise of the service, which accepts all of them.
    """
    code = None if language is None else style_language(language)
    rows = [
        (*choice, " ".join(sorted(languages))) for choice, languages in choices() if code is None or code in languages
    ]
    table = pd.DataFrame(rows, columns=list(COLUMNS), dtype=TEXT)
    rules = len({row[:2] for row in rows})
    which = f"for {code}" if code else f"in {plural(len(offers()), 'category', 'categories')}"
    said = (
        f"{plural(len(rows), 'option')} of {plural(rules, 'rule')} {which}. Next: select the rows you want, one for "
        f"each rule, then svc_nb.style_rules.push(rows, name=..., language={repr(code) if code else '...'})"
    )
    return Report(table, said)


def languages_of(choice: Choice) -> frozenset[str] | None:
    """The languages that offer *choice*; None if the catalogue does not have it."""
    return offers().get(choice.category, {}).get(choice.rule, {}).get(choice.option)


def options_of(category: str, rule: str, *, language: str | None = None) -> list[str]:
    """The options of a rule, limited to *language* if given; none if there is no such rule."""
    options = offers().get(category, {}).get(rule, {})
    return [option for option, languages in options.items() if language is None or language in languages]


def nearest(choice: Choice, language: str) -> list[str]:
    """What *language* offers instead of *choice*, best first, three at most: options of the rule, or `rule: option`."""
    own = options_of(choice.category, choice.rule, language=language)
    if own:
        own = [option for option in own if _clock(option) == _clock(choice.option)] or own
        return close(choice.option, own, most=3, cutoff=0.0)
    others = [
        f"{each.rule}: {each.option}"
        for each, languages in choices()
        if each.category == choice.category and language in languages and _is_about_the_same(choice, each)
    ]
    return close(f"{choice.rule}: {choice.option}", others, most=3)


def _is_about_the_same(choice: Choice, other: Choice) -> bool:
    """Whether *choice* names everything that the rule of *other* is about, or the other way round for the rules."""
    own, about = _topics(choice.rule), _topics(other.rule)
    return about <= own | _topics(choice.option) or own <= about


def _topics(name: str) -> set[str]:
    """The words of a name that describe its topic, in the singular."""
    return {word.removesuffix("s") for word in name.split("_")} - NO_TOPIC


def _clock(option: str) -> str:
    """The clock that an option uses for times: "12", "24" as with the German word Uhr, or "" for neither."""
    if "12_hour_clock" in option:
        return "12"
    return "24" if "24_hour_clock" in option or "german_word_uhr" in option else ""


def close(written: str, names: Iterable[str], *, most: int = 1, cutoff: float = CLOSE) -> list[str]:
    """The *names* that are most similar to *written*, best first; case and spaces do not matter."""
    plain = "_".join(written.casefold().replace("-", " ").split())
    # Comparing takes time proportional to the square of the length, and no name is longer than this.
    return get_close_matches(plain[:400], list(names), n=most, cutoff=cutoff)


def choices() -> Iterator[tuple[Choice, frozenset[str]]]:
    """Every option of the catalogue, in its order, with the languages that offer it."""
    for category, rules in offers().items():
        for rule, options in rules.items():
            for option, languages in options.items():
                yield Choice(category, rule, option), languages
