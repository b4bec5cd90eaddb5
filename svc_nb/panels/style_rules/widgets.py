"""The rules of a list by category, and its instructions as cards to write on.

What people wrote travels as messages only, and never stands in the state of a widget, which notebooks keep.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import anywidget
import pandas as pd

from svc_nb.language_codes import SOURCES, name_of, normal
from svc_nb.panels.parts.line import FRONT
from svc_nb.panels.style_rules.edit_list import EditList
from svc_nb.style_rules.catalogue import Choice, languages_of, offers, options_of
from svc_nb.style_rules.labels import category_label, known_as, option_label, rule_label, search
from svc_nb.style_rules.lint import MAX_INSTRUCTIONS, MOST_CHARACTERS, StyleFinding
from svc_nb.style_rules.style import Rule

UNKNOWN = "not in the catalogue"
MOST_FOUND = 60
Heard = Callable[[dict[str, Any]], None]


def module(name: str) -> str:
    """The front end called *name*, after the parts that all of them share."""
    return "\n".join((FRONT / "style_rules" / f"{each}.js").read_text("utf-8") for each in ("parts", name))


class MessageWidget(anywidget.AnyWidget):
    """Shows what `show` is given; a browser that has nothing yet gets all of it, and says the rest to *heard*."""

    def __init__(self, heard: Heard = lambda message: None) -> None:
        super().__init__()
        self.content: dict[str, Any] = {}
        self._heard = heard
        self.on_msg(lambda widget, message, buffers: self.hear(message))

    def show(self, **content: Any) -> None:
        """Show *content*, values of JSON, in the place of what had these names; the rest stays."""
        changed = {name: value for name, value in content.items() if self.content.get(name, self) != value}
        self.content |= changed
        if changed:
            self.send({"kind": "shown", **changed})

    def hear(self, message: dict[str, Any]) -> None:
        """Answer the browser, or pass on what a person did there."""
        if message.get("kind") == "ready":
            self.send({"kind": "shown", **self.content})
        else:
            self._heard(message)


class RuleList(MessageWidget):
    """Categories to fold, a rule in each row, its options to choose from; `filter` is what is looked for."""

    _esm = module("board")

    def __init__(self, heard: Heard) -> None:
        super().__init__(heard)
        self.clear()

    def clear(self) -> None:
        """Show no list."""
        self.show(categories=[], rules=[], base=[], findings=[], busy=False)

    def display(self, edits: EditList, findings: Iterable[StyleFinding]) -> None:
        """Show the rules of a list, what changed of them, and what is to be said of them."""
        rules, began = edits.content.rules, edits.began.rules
        by_rule: dict[Rule, list[list[str]]] = {}
        for found in findings:
            if found.table == "rules":
                by_rule.setdefault(list(rules)[found.place], []).append([found.severity, found.message])
        self.show(
            categories=categories(edits.language, began, rules),
            rules=[[*rule, option] for rule, option in rules.items()],
            base=[[*rule, option] for rule, option in began.items()],
            findings=[[*rule, told] for rule, told in by_rule.items()],
        )

    def look_for(self, text: str, *, language: str | None) -> pd.DataFrame:
        """Show only rules in which every word of *text* stands, and below what other languages have of it.

        Returns the options found for *language*, or for all, with their labels.
        """
        self.show(filter=text)
        self.show_elsewhere(text, language=language)
        rows = [
            (*choice, category_label(choice[0]), rule_label(*choice[:2]), option_label(*choice))
            for choice in search(text, language=language)
        ]
        names = ["category", "rule", "option", "category_label", "rule_label", "option_label"]
        return pd.DataFrame(rows, columns=names)

    def show_elsewhere(self, text: str, *, language: str | None) -> None:
        """Show which options of other languages *text* finds: to know of them, not to choose them."""
        known = {choice: languages_of(choice) or () for choice in (search(text) if text and language else ())}
        found = [choice for choice, languages in known.items() if language not in languages]
        rows = [
            [
                rule_label(*choice[:2]),
                option_label(*choice),
                ", ".join(name_of(each) for each in sorted(known[choice])),
            ]
            for choice in found[:MOST_FOUND]
        ]
        self.show(elsewhere={"text": text, "found": rows, "count": len(found)})


def categories(language: str, *chosen: Mapping[Rule, str]) -> list[dict[str, Any]]:
    """All rules that *language* offers, in the catalogue's order, then what only the list itself has."""
    rules = {
        (category, rule): options_of(category, rule, language=language)
        for category, known in offers().items()
        for rule in known
    }
    for (category, rule), option in ((rule, option) for each in chosen for rule, option in each.items()):
        options = rules.setdefault((category, rule), [])
        if option not in options:
            options.append(option)
    found: dict[str, list[dict[str, Any]]] = {}
    for (category, rule), options in rules.items():
        if options:
            found.setdefault(category, []).append(_rule(category, rule, options, language))
    return [{"id": name, "label": category_label(name), "rules": each} for name, each in found.items()]


def _rule(category: str, rule: str, options: list[str], language: str) -> dict[str, Any]:
    """A rule with its options; `odd` says what is unusual about it, or about an option that the list has."""
    known, rows = rule in offers().get(category, {}), []
    for option in options:
        choice, odd = Choice(category, rule, option), ""
        languages = languages_of(choice)
        if known and languages is None:
            odd = UNKNOWN
        elif known and language not in (languages or ()):
            odd = f"not offered for {name_of(language)}"
        rows.append({"id": option, "label": option_label(*choice), "find": known_as(choice), "odd": odd})
    return {"id": rule, "label": rule_label(category, rule), "odd": "" if known else UNKNOWN, "options": rows}


class Instructions(MessageWidget):
    """A card for each instruction: label, source language and prompt, what is wrong with it, and how much fits."""

    _esm = module("instructions")

    def __init__(self, heard: Heard) -> None:
        super().__init__(heard)
        self.show(languages=sources(), most={**MOST_CHARACTERS, "all": MAX_INSTRUCTIONS})
        self.clear()

    def clear(self) -> None:
        """Show no list."""
        self.show(open=False, items=[], findings=[], language="", busy=False)

    def display(self, edits: EditList, findings: Iterable[StyleFinding]) -> None:
        """Show the instructions of a list, which of them changed, and what is to be said of them."""
        instructions, language, items = edits.content.instructions, edits.language, []
        for each in instructions:
            was, says = edits.began.numbers.get(each.number), each.says(language)
            source = normal(each.source_language or language)
            item = {
                "number": each.number,
                "label": each.label,
                "prompt": each.prompt,
                "source_language": "" if source == language else source,
                "state": "new" if was is None else "changed" if was.says(language) != says else "",
            }
            items.append(item)
        by_number: dict[int, list[list[str]]] = {}
        for found in findings:
            if found.table == "instructions":
                told = by_number.setdefault(instructions[found.place].number, [])
                told.append([found.severity, found.code, found.message])
        self.show(
            open=True,
            language=name_of(language),
            items=items,
            findings=[[number, told] for number, told in by_number.items()],
        )


def sources() -> list[tuple[str, str]]:
    """The languages that can be translated from: those with a name first, then codes."""
    names = [(name_of(code), code) for code in sorted(SOURCES)]
    known = sorted((f"{name} ({code})", code) for name, code in names if name != code)
    return known + [(name, code) for name, code in names if name == code]
