"""Style rules: which options each rule of each category has, and the languages that offer them."""

from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import Any

from . import read

Offers = Mapping[str, frozenset[str]]


@cache
def _rules() -> Mapping[str, Mapping[str, Offers]]:
    """Return category, rule, option and the languages that offer it."""
    return {
        category: {
            rule: {option: frozenset(languages.split()) for option, languages in offers.items()}
            for rule, offers in rules.items()
        }
        for category, rules in read("style_rules.json").items()
    }


def options(language: str | None = None) -> dict[str, dict[str, list[str]]]:
    """Return category, rule and its options, sorted: those that *language* offers, or all there are."""
    offered: dict[str, dict[str, list[str]]] = {}
    for category, rules in _rules().items():
        for rule, offers in rules.items():
            some = [each for each, languages in offers.items() if language is None or language in languages]
            if some:
                offered.setdefault(category, {})[rule] = some
    return offered


def check(configured_rules: object, language: str | None = None) -> None:
    """Raise ValueError that names the first category, rule or option there is not.

    With a *language* it must be offered in that language; without, one of any language passes, as the
    interface has one schema for all of them.
    """
    for category, rules in _members(configured_rules, "configured_rules"):
        known = _rules().get(category)
        if known is None:
            raise ValueError(f"There is no category {_quoted(category)}. {_there_are(_rules())}")
        for rule, option in _members(rules, category):
            if rule not in known:
                raise ValueError(f"There is no rule {_quoted(rule)} in {category}. {_there_are(known)}")
            offers = known[rule]
            if not isinstance(option, str) or option not in offers:
                name = f"{category}.{rule}"
                raise ValueError(f"There is no option {_quoted(option)} of {name}. {_there_are(offers)}")
            if language is not None and language not in offers[option]:
                offering = ", ".join(sorted(offers[option]))
                raise ValueError(f"The option {option} of {category}.{rule} is for {offering}.")


def _there_are(names: Collection[str]) -> str:
    return f"There are: {', '.join(sorted(names))}."


def _members(value: object, where: str) -> Iterator[tuple[str, Any]]:
    if not isinstance(value, Mapping):
        raise ValueError(f"{where} must be an object.")
    yield from value.items()


def _quoted(value: object) -> str:
    """Return what a caller sent, short enough for a message."""
    text = value if isinstance(value, str) else type(value).__name__
    return repr(text if len(text) <= 60 else text[:59] + "…")
