"""Style rule lists as they are stored, and the catalogue that their rules are checked against."""

import json
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import Any

from msgspec import Struct, convert

from .catalogue import read
from .database import Connection, Database
from .problems import not_found

ConfiguredRules = dict[str, dict[str, str]]


class Instruction(Struct, frozen=True, omit_defaults=True):
    """An instruction; its id is given when it is stored."""

    id: str
    label: str
    prompt: str
    source_language: str | None = None


class StyleRuleList(Struct, frozen=True):
    """One list, whole; every change raises its version."""

    style_id: str
    name: str
    language: str
    creation_time: str
    updated_time: str
    version: int
    configured_rules: ConfiguredRules
    custom_instructions: tuple[Instruction, ...]


def find(database: Database, style_id: str) -> StyleRuleList:
    """One list, or 404."""
    with database.read() as connection:
        return stored(connection, style_id)


def stored(connection: Connection, style_id: str) -> StyleRuleList:
    """One list in the midst of other work, or 404."""
    row = connection.find("style_rules", style_id=style_id)
    if row is None:
        raise not_found("Style rule list not found.")
    instructions = connection.rows("instructions", "id, label, prompt, source_language", style_id=style_id)
    rules = json.loads(row["configured_rules"])
    columns = {**dict(row), "configured_rules": rules, "custom_instructions": list(map(dict, instructions))}
    return convert(columns, StyleRuleList)


# ---- which options each rule of each category has, and the languages that offer them

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


def check(configured_rules: object, language: str | None = None) -> None:
    """Raise ValueError for the first category, rule or option there is not, in *language* or in any."""
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
