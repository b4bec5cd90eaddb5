"""What is wrong with a style rule list, according to the service's limits and the catalogue, before anything is sent.

An "error" is something that the service refuses. A rule that the catalogue does not know, or offers only for other
languages, is a warning: the service may be newer than the catalogue, and it accepts rules of any language.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import NamedTuple

import pandas as pd

from svc_nb.advice import Option
from svc_nb.language_codes import SOURCES, meant_by, normal
from svc_nb.style_rules.catalogue import STYLE_LANGUAGES, Choice, close, languages_of, nearest, offers, options_of
from svc_nb.style_rules.table import is_broken, quoted, rows_of
from svc_nb.tabular.report import Report, plural
from svc_nb.tabular.text_column import text_array

COLUMNS = ("table", "row", "severity", "code", "message", "suggestion")
PUSH = "svc_nb.style_rules.push()"
BROKEN = "it contains half of a surrogate pair, which cannot be sent"
MAX_NAME = 1024
MAX_INSTRUCTIONS = 200
MOST_CHARACTERS = {"label": 100, "prompt": 300}
At = tuple[int, Hashable]  # the position and the label of a row
UNKNOWN = frozenset({"unknown_category", "unknown_rule", "unknown_option"})


class StyleFinding(NamedTuple):
    """One row of the table that lint returns; `place` is the position of the row, whose label may not be unique."""

    table: str
    row: Hashable
    severity: str
    code: str
    message: str
    suggestion: str = ""
    place: int = -1


def findings(
    name: str | None, language: str | None, rules: pd.DataFrame, instructions: pd.DataFrame
) -> list[StyleFinding]:
    """All findings, the list's first, then rule by rule and instruction by instruction."""
    return [*_of_list(name, language), *_of_rules(rules, language), *_of_instructions(instructions)]


def report(found: list[StyleFinding]) -> Report:
    """*found* as a table that says what to do next."""
    columns = {name: text_array([getattr(each, name) for each in found]) for name in COLUMNS if name != "row"}
    columns["row"] = pd.Series([each.row for each in found], dtype=object)
    table = pd.DataFrame(columns, columns=list(COLUMNS))
    errors = sum(each.severity == "error" for each in found)
    then = "fix the errors, which the service refuses, then" if errors else "check them, then"
    if any(each.code in UNKNOWN for each in found):
        then = f"fix the unknown rules, which push refuses without {Option('allow_unknown', True)}, then"
    said = f"{plural(errors, 'error')}, {plural(len(found) - errors, 'warning')}. Next: {then} {PUSH}"
    return Report(table, said if found else f"No problems found. Next: {PUSH}", marks="severity")


def _of_list(name: str | None, language: str | None) -> Iterator[StyleFinding]:
    if name is not None and not name.strip():
        yield _listed("name", "empty", "the name is blank; the service refuses it")
    elif name is not None and len(name) > MAX_NAME:
        message = f"the name has {len(name):,} characters; the limit is {MAX_NAME:,}"
        yield _listed("name", "too_long", message, name[:MAX_NAME])
    if name is not None and is_broken(name):
        yield _listed("name", "unsendable", BROKEN)
    if language is not None and normal(language) not in STYLE_LANGUAGES:
        meant = meant_by(language)
        message = f"there are lists for {', '.join(STYLE_LANGUAGES)}, but not for {quoted(language)}"
        yield _listed("language", "language", message, meant if meant in STYLE_LANGUAGES else "")


def _listed(row: str, code: str, message: str, suggestion: str = "") -> StyleFinding:
    return StyleFinding("list", row, "error", code, message, suggestion)


# ---- rules


def _of_rules(rules: pd.DataFrame, language: str | None) -> Iterator[StyleFinding]:
    language = None if language is None else meant_by(language)
    first: dict[tuple[str, str], Hashable] = {}
    for place, (label, cells) in enumerate(rows_of(rules)):
        at, choice = (place, label), Choice(*cells)
        if lacking := [name for name, cell in choice._asdict().items() if not cell]:
            yield _rule(at, "error", "empty", f"{' and '.join(lacking)} must not be empty")
        elif is_broken(*choice):
            yield _rule(at, "error", "unsendable", BROKEN)
        else:
            yield from _of_choice(at, choice, language)
        if choice[:2] in first:
            message = f"{_name(choice)} is already in row {first[choice[:2]]!r}; a rule has one option"
            yield _rule(at, "error", "repeated_rule", message, "remove one of the two rows")
        first.setdefault(choice[:2], label)


def _of_choice(at: At, choice: Choice, language: str | None) -> Iterator[StyleFinding]:
    """Findings of the catalogue about *choice*: that it does not have it, or not for *language*."""
    category, rule, option = choice
    languages, rules = languages_of(choice), offers().get(category)
    if rules is None:
        message = f"the catalogue has no category {quoted(category)}"
        yield _rule(at, "warning", "unknown_category", message, *close(category, offers()))
    elif rule not in rules:
        message = f"the catalogue has no rule {quoted(rule)} in {category}"
        yield _rule(at, "warning", "unknown_rule", message, *close(rule, rules))
    elif languages is None:
        message = f"the catalogue has no option {quoted(option)} of {category}.{rule}"
        yield _rule(at, "warning", "unknown_option", message, *close(option, rules[rule]))
    elif language in STYLE_LANGUAGES and language not in languages:
        if options_of(category, rule, language=language):
            there = ", ".join(sorted(languages))
            message = f"{_name(choice)}: {option} is offered for {there}, not for {language}"
            yield _rule(at, "warning", "option_not_offered", message, nearest(choice, language or "")[0])
        else:
            there = ", ".join(sorted(frozenset().union(*rules[rule].values())))
            message = f"{_name(choice)} is offered for {there}, not for {language}"
            yield _rule(at, "warning", "rule_not_offered", message, "remove the row")


def _name(choice: Choice) -> str:
    return quoted(f"{choice.category}.{choice.rule}", limit=100)[1:-1]


# ---- instructions


def _of_instructions(instructions: pd.DataFrame) -> Iterator[StyleFinding]:
    labels: dict[str, Hashable] = {}
    ids: dict[str, Hashable] = {}
    for place, (row, (id_, label, prompt, source_language)) in enumerate(rows_of(instructions)):
        at = (place, row)
        if place == MAX_INSTRUCTIONS:
            message = f"{len(instructions):,} instructions; the limit is {MAX_INSTRUCTIONS}, and this one exceeds it"
            yield _told(at, "error", "too_many", message, "remove some, or create a second list")
        yield from _of_texts(at, label, prompt)
        if source_language is not None and normal(source_language) not in SOURCES:
            message = f"source_language: the service does not translate from {quoted(source_language)}"
            yield _told(at, "error", "source_language", message, meant_by(source_language))
        if id_ and id_ in ids:
            message = f"the id is already in row {ids[id_]!r}"
            yield _told(at, "error", "repeated_id", message, "leave the id of a new instruction empty")
        if label in labels and label:
            message = f"the label {quoted(label)} is already in row {labels[label]!r}"
            yield _told(at, "warning", "repeated_label", message, "give it a unique label")
        ids.setdefault(id_ or "", row)
        labels.setdefault(label, row)


def _of_texts(at: At, label: str, prompt: str) -> Iterator[StyleFinding]:
    for name, text in (("label", label), ("prompt", prompt)):
        most = MOST_CHARACTERS[name]
        if not text:
            yield _told(at, "error", "empty", f"the {name} must not be empty")
        elif not text.strip():
            yield _told(at, "warning", "blank", f"the {name} is nothing but white space")
        if len(text) > most:
            message = f"the {name} has {len(text):,} characters; the limit is {most}"
            yield _told(at, "error", "too_long", message, f"shorten it by {plural(len(text) - most, 'character')}")
    if is_broken(label, prompt):
        yield _told(at, "error", "unsendable", BROKEN)


def _rule(at: At, severity: str, code: str, message: str, suggestion: str = "") -> StyleFinding:
    return StyleFinding("rules", at[1], severity, code, message, suggestion, at[0])


def _told(at: At, severity: str, code: str, message: str, suggestion: str = "") -> StyleFinding:
    return _rule(at, severity, code, message, suggestion)._replace(table="instructions")
