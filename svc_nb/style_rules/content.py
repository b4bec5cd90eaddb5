"""What a person edits of a style rule list, as one value: its name, its rules, and its instructions by number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from svc_nb.language_codes import normal
from svc_nb.style_rules.style import Style
from svc_nb.style_rules.tables import rows_of
from svc_nb.wire.models import CustomInstruction

Rule = tuple[str, str]
FIELDS = ("label", "prompt", "source_language")


@dataclass(frozen=True)
class Instruction:
    """One instruction; its number stays as long as it is edited, its id is None until the service has it."""

    number: int
    label: str
    prompt: str
    source_language: str | None = None
    id: str | None = None

    def says(self, language: str) -> tuple[str, str, str]:
        """All that it says in a list for *language*, which is also its source language where none is given."""
        return self.label, self.prompt, normal(self.source_language or language)


@dataclass(frozen=True)
class Content:
    """The name, the options by category and rule, and the instructions; nothing of it is ever changed in place."""

    name: str
    rules: Mapping[Rule, str]
    instructions: tuple[Instruction, ...]

    @classmethod
    def of(cls, style: Style) -> Self:
        """What *style* says, with its instructions numbered from 1."""
        rules = {cells[:2]: cells[2] for _, cells in rows_of(style.rules)}
        instructions = tuple(
            Instruction(number, label, prompt, source_language, id_)
            for number, (_, (id_, label, prompt, source_language)) in enumerate(
                rows_of(style.instructions), start=1
            )
        )
        return cls(style.name or "", rules, instructions)

    def to_style(self, like: Style) -> Style:
        """The style that says this, with language, id, version and times as *like* has them."""
        rules: dict[str, dict[str, str]] = {}
        for (category, rule), option in self.rules.items():
            rules.setdefault(category, {})[rule] = option
        nouns = [
            CustomInstruction(each.label, each.prompt, each.source_language, each.id)
            for each in self.instructions
        ]
        return like.replace(name=self.name or None, rules=rules, instructions=nouns)

    def with_rule(self, category: str, rule: str, option: str | None) -> Content:
        """With that option; None is without the rule."""
        rules = {**self.rules, (category, rule): option or ""}
        if option is None:
            del rules[category, rule]
        return replace(self, rules=rules)

    def with_instruction(self, written: Instruction) -> Content:
        """With *written* in the place of the one of its number, or at the end."""
        if written.number in self.numbers:
            return self.with_instructions(
                written if each.number == written.number else each for each in self.instructions
            )
        return self.with_instructions([*self.instructions, written])

    def without_instruction(self, number: int) -> Content:
        """Without the instruction of that number."""
        return self.with_instructions(each for each in self.instructions if each.number != number)

    def with_instructions(self, instructions: Iterable[Instruction]) -> Content:
        """With these instructions and no others."""
        return replace(self, instructions=tuple(instructions))

    def with_name(self, name: str) -> Content:
        """With another name."""
        return replace(self, name=name)

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
                [each.number, each.label, each.prompt, each.source_language, each.id]
                for each in self.instructions
            ],
        }

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """What `to_wire` gave."""
        rules = {(category, rule): option for category, rule, option in wire["rules"]}
        return cls(wire["name"], rules, tuple(Instruction(*cells) for cells in wire["instructions"]))
