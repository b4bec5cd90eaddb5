"""A style rule list as one value: its name and language, its rules and its instructions as tables."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from html import escape
from typing import Any, Self

import pandas as pd

from svc_nb.errors import InvalidRows
from svc_nb.language_codes import as_bcp47, as_normal, normal
from svc_nb.signatures import hides
from svc_nb.style_rules.lint import StyleFinding, findings, report
from svc_nb.style_rules.table import (
    INSTRUCTIONS,
    RULES,
    Instructions,
    Rules,
    instructions_table,
    is_instructions,
    is_rules,
    mapped,
    nouns,
    quoted,
    rows_of,
    rules_table,
)
from svc_nb.tabular.report import Report, plural
from svc_nb.wire.models import CustomInstruction, StyleRuleList

TEXTS = ("name", "language", "style_id")
TIMES = ("creation_time", "updated_time")
OWN = (*TEXTS, "version", *TIMES)


@hides("from_noun", "to_noun")
@dataclass(init=False, eq=False, repr=False)
class Style:
    """A style rule list, local or as it is on the service.

    The tables are copies of those given; they may be changed in place or replaced by assignment. Everything else is
    changed with `replace`. Two styles are equal if their content is; the order of the rules and the labels of the rows
    do not count.

    Parameters
    ----------
    rules
        A table `category, rule, option`, or a mapping from category to rule to option; svc_nb.style_rules.catalogue()
        lists all of them.
    instructions
        A table `id, label, prompt, source_language`; only `label` and `prompt` are required.
    name, language
        The name and language of the list; the language is that of the translations: DE, EN, ES, FR, IT, JA, KO or ZH.
    style_id, version, creation_time, updated_time
        As returned by the service; None for a local list.
    """

    rules: pd.DataFrame
    instructions: pd.DataFrame
    name: str | None = None
    language: str | None = None
    style_id: str | None = None
    version: int | None = None
    creation_time: datetime | None = None
    updated_time: datetime | None = None

    def __init__(
        self,
        rules: Rules | None = None,
        instructions: Instructions | None = None,
        *,
        name: str | None = None,
        language: str | None = None,
        style_id: str | None = None,
        version: int | None = None,
        creation_time: datetime | None = None,
        updated_time: datetime | None = None,
    ) -> None:
        if version is not None and (isinstance(version, bool) or not isinstance(version, int)):
            raise TypeError(f"version: expected a whole number or None, found {type(version).__name__}")
        values: dict[str, Any] = {
            "rules": rules_table(rules),
            "instructions": instructions_table(instructions),
            "name": _text("name", name),
            "language": as_normal(_text("language", language) or "") or None,
            "style_id": _text("style_id", style_id),
            "version": version,
            "creation_time": _moment(creation_time),
            "updated_time": _moment(updated_time),
        }
        for field, value in values.items():
            object.__setattr__(self, field, value)

    def __setattr__(self, name: str, value: Any) -> None:
        """Take a copy of a table of rules or instructions; nothing else can be assigned."""
        tables: Mapping[str, Any] = {"rules": rules_table, "instructions": instructions_table}
        if name not in tables:
            then = f"use style = style.replace({name}=...)" if name in OWN else "only rules and instructions can"
            raise AttributeError(f"a style's {name} cannot be assigned: {then}", name=name, obj=self)
        object.__setattr__(self, name, tables[name](value))

    @classmethod
    def from_noun(cls, noun: StyleRuleList) -> Style:
        """The style from the service's response, with every rule and option, known here or not."""
        if noun.configured_rules is None or noun.custom_instructions is None:
            raise ValueError(
                f"the list {noun.style_id} came without its rules. Get the complete list with svc_nb.style_rules.pull()"
            )
        own = {field: getattr(noun, field) for field in OWN}
        return cls(noun.configured_rules, noun.custom_instructions, **own)

    def to_noun(self) -> StyleRuleList:
        """The style as the service returned it; ValueError for a style that was never on the service."""
        given = {field: getattr(self, field) for field in OWN}
        lacking = [field for field, value in given.items() if value is None]
        if lacking:
            raise ValueError(f"a list on the service has {', '.join(lacking)}, but this one does not. Push it first")
        twice = self.rules.duplicated(["category", "rule"], keep=False)
        if twice.any():
            rows = self.rules.index[twice.to_numpy()].tolist()
            raise InvalidRows("A rule has one option, but some rules are in the table twice. See lint()", rows=rows)
        given["language"] = as_bcp47(given["language"])
        return StyleRuleList(**given, configured_rules=mapped(self.rules), custom_instructions=nouns(self.instructions))

    def replace(self, **changes: Any) -> Style:
        """The same style with *changes*: style.replace(name="House style", style_id=None)."""
        return dataclasses.replace(self, **changes)

    def lint(self) -> Report:
        """What is wrong with this style, or may be: a table of findings, empty if all is well."""
        return report(self.findings())

    def findings(self) -> list[StyleFinding]:
        """The same as values."""
        return findings(self.name, self.language, self.rules, self.instructions)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Style):
            return NotImplemented
        return self._content() == other._content()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        parts = [self._title()]
        parts += [repr(table) for table in (self.rules, self.instructions) if len(table)]
        return "\n\n".join(parts)

    def _repr_html_(self) -> str:
        tables = "".join(Report(table)._repr_html_() for table in (self.rules, self.instructions) if len(table))
        return f"<p><b>{escape(self._title())}</b></p>{tables}"

    def _title(self) -> str:
        name = quoted(self.name) if self.name else "without a name"
        language = f" for {quoted(self.language)[1:-1]}" if self.language else ""
        version = "" if self.version is None else f", version {self.version}"
        here = f", {quoted(self.style_id)[1:-1]}" if self.style_id else ""
        return (
            f"Style rule list {name}{language}: {plural(len(self.rules), 'rule')}, "
            f"{plural(len(self.instructions), 'instruction')}{version}{here}"
        )

    def _content(self) -> tuple[Any, ...]:
        rules = Counter(cells for _, cells in rows_of(self.rules))
        instructions = [cells for _, cells in rows_of(self.instructions)]
        return (rules, instructions, *(getattr(self, field) for field in OWN))


def _text(field: str, value: object) -> str | None:
    if value is not None and not isinstance(value, str):
        raise TypeError(f"{field}: expected text or None, found {type(value).__name__}")
    return value or None


def _moment(value: datetime | None) -> datetime | None:
    """A time without a time zone is in UTC, like the service's."""
    if value is None:
        return None
    return value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)


def styled(given: Style | pd.DataFrame, **members: Any) -> Style:
    """*given* as a style, or a style with only that table; *members* that are not None override its own."""
    members = {name: value for name, value in members.items() if value is not None}
    if isinstance(given, Style):
        return given.replace(**members)
    if not isinstance(given, pd.DataFrame):
        raise TypeError(f"expected a Style or a table of rules or instructions, found {type(given).__name__}")
    if is_rules(given):
        return Style(given, **members)
    if is_instructions(given):
        return Style(None, given, **members)
    raise ValueError(
        f"expected a table of rules ({', '.join(RULES)}) or of instructions ({', '.join(INSTRUCTIONS)}), found one "
        f"with the columns {', '.join(map(repr, given.columns)) or 'none'}"
    )


Rule = tuple[str, str]
FIELDS = ("label", "prompt", "source_language")


@dataclass(frozen=True)
class Instruction:
    """One instruction; its number stays while it is edited, its id is None until the service has it."""

    number: int
    label: str
    prompt: str
    source_language: str | None = None
    id: str | None = None

    def says(self, language: str) -> tuple[str, str, str]:
        """Its content in a list for *language*, which is also its source language if none is given."""
        return self.label, self.prompt, normal(self.source_language or language)


@dataclass(frozen=True)
class Content:
    """The name, the options by category and rule, and the instructions; never changed in place."""

    name: str
    rules: Mapping[Rule, str]
    instructions: tuple[Instruction, ...]

    @classmethod
    def of(cls, style: Style) -> Self:
        """The content of *style*, with its instructions numbered from 1."""
        rules = {cells[:2]: cells[2] for _, cells in rows_of(style.rules)}
        instructions = tuple(
            Instruction(number, label, prompt, source_language, id_)
            for number, (_, (id_, label, prompt, source_language)) in enumerate(rows_of(style.instructions), start=1)
        )
        return cls(style.name or "", rules, instructions)

    def to_style(self, like: Style) -> Style:
        """The style with this content, and with the language, id, version and times of *like*."""
        rules: dict[str, dict[str, str]] = {}
        for (category, rule), option in self.rules.items():
            rules.setdefault(category, {})[rule] = option
        nouns = [
            CustomInstruction(each.label, each.prompt, each.source_language, each.id) for each in self.instructions
        ]
        return like.replace(name=self.name or None, rules=rules, instructions=nouns)

    def with_rule(self, category: str, rule: str, option: str | None) -> Content:
        """With that option; None removes the rule."""
        rules = {**self.rules, (category, rule): option or ""}
        if option is None:
            del rules[category, rule]
        return replace(self, rules=rules)

    def with_instruction(self, written: Instruction) -> Content:
        """With *written* replacing the instruction of the same number, or at the end."""
        if written.number in self.numbers:
            return self.with_instructions(
                written if each.number == written.number else each for each in self.instructions
            )
        return self.with_instructions([*self.instructions, written])

    def without_instruction(self, number: int) -> Content:
        """Without the instruction with that number."""
        return self.with_instructions(each for each in self.instructions if each.number != number)

    def with_instructions(self, instructions: Iterable[Instruction]) -> Content:
        """With these instructions and no others."""
        return replace(self, instructions=tuple(instructions))

    def with_name(self, name: str) -> Content:
        """With another name."""
        return replace(self, name=name)

    def places(self, language: str) -> dict[tuple[Any, ...], Any]:
        """Its content in a list for *language*, by place: ("name",), ("rule", ...) or ("instruction", number)."""
        return {
            ("name",): self.name,
            **{("rule", *rule): option for rule, option in self.rules.items()},
            **{("instruction", each.number): each.says(language) for each in self.instructions},
        }

    @property
    def numbers(self) -> Mapping[int, Instruction]:
        """The instructions by number."""
        return {each.number: each for each in self.instructions}

    def to_wire(self) -> dict[str, Any]:
        """A value of JSON."""
        return {
            "name": self.name,
            "rules": [[*rule, option] for rule, option in self.rules.items()],
            "instructions": [
                [each.number, each.label, each.prompt, each.source_language, each.id] for each in self.instructions
            ],
        }

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """From the result of `to_wire`."""
        rules = {(category, rule): option for category, rule, option in wire["rules"]}
        return cls(wire["name"], rules, tuple(Instruction(*cells) for cells in wire["instructions"]))
