"""The instructions of a list as cards to write on, with counters for all that the service limits."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from svc_nb.language_codes import SOURCES, name_of, normal
from svc_nb.panels.style_rules.messages import Messaged, module
from svc_nb.panels.style_rules.sheet import Sheet
from svc_nb.style_rules.content import Content, Instruction
from svc_nb.style_rules.lint import MAX_INSTRUCTIONS, MOST_CHARACTERS, Finding


class Instructions(Messaged):
    """A card for each instruction: label, source language and prompt, and what is wrong with it."""

    _esm = module("instructions")

    def __init__(self, heard: Callable[[dict[str, Any]], None]) -> None:
        super().__init__(heard)
        most = {**MOST_CHARACTERS, "all": MAX_INSTRUCTIONS}
        self.show(languages=sources(), most=most)
        self.clear()

    def clear(self) -> None:
        """Show no list."""
        self.show(open=False, items=[], findings=[], language="", busy=False)

    def display(self, sheet: Sheet, findings: Iterable[Finding]) -> None:
        """Show the instructions of *sheet*, which of them changed, and what is to be said of them."""
        self.show(
            open=True,
            language=name_of(sheet.language),
            items=[_item(each, sheet.began, sheet.language) for each in sheet.content.instructions],
            findings=_told(sheet.content.instructions, findings),
        )


def sources() -> list[tuple[str, str]]:
    """The languages that can be translated from: those with a name first, then codes."""
    names = [(name_of(code), code) for code in sorted(SOURCES)]
    known = sorted((f"{name} ({code})", code) for name, code in names if name != code)
    return known + [(name, code) for name, code in names if name == code]


def _item(given: Instruction, began: Content, language: str) -> dict[str, Any]:
    was = began.numbers.get(given.number)
    source = normal(given.source_language or language)
    state = "new" if was is None else "changed" if was.says(language) != given.says(language) else ""
    return {
        "number": given.number,
        "label": given.label,
        "prompt": given.prompt,
        "source_language": "" if source == language else source,
        "state": state,
    }


def _told(instructions: tuple[Instruction, ...], findings: Iterable[Finding]) -> list[list[Any]]:
    by_number: dict[int, list[list[str]]] = {}
    for found in findings:
        if found.table == "instructions":
            number = instructions[found.place].number
            by_number.setdefault(number, []).append([found.severity, found.code, found.message])
    return [[number, told] for number, told in by_number.items()]
