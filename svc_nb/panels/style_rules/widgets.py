"""The rules of a list, its instructions as cards, and tables of before and after; texts travel as messages only."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from svc_nb.language_codes import SOURCES, name_of, normal
from svc_nb.panels.parts.widgets import FRONT, Heard, MessageWidget
from svc_nb.panels.style_rules.lists import EditList
from svc_nb.panels.style_rules.messages import FIELD_NAMES, NOT_SET, differences
from svc_nb.style_rules.catalogue import Choice, languages_of, offers, options_of
from svc_nb.style_rules.clone import BETWEEN, Clone
from svc_nb.style_rules.diff import StyleDiff
from svc_nb.style_rules.labels import category_label, known_as, option_label, rule_label, search
from svc_nb.style_rules.lint import MAX_INSTRUCTIONS, MOST_CHARACTERS, StyleFinding
from svc_nb.style_rules.merge import Clash
from svc_nb.style_rules.style import Rule
from svc_nb.tabular.report import plural

UNKNOWN = "not in the catalogue"
MOST_FOUND = 60


def module(name: str) -> str:
    """The front end called *name*, after the parts that all of them share."""
    return "\n".join((FRONT / "style_rules" / f"{each}.js").read_text("utf-8") for each in ("parts", name))


class RuleTable(MessageWidget):
    """Categories to fold, a rule in each row, its options to choose from; `filter` is what is looked for."""

    _esm = module("rules")

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
        """Show only rules in which every word of *text* stands, and below what other languages have of it."""
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
            [rule_label(*choice[:2]), option_label(*choice), ", ".join(name_of(each) for each in sorted(known[choice]))]
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


Cell = list[str]  # the text, what a pointer that rests on it is told, and how it looks


class Compare(MessageWidget):
    """A table that says what it is about; where there is something to choose, mine or theirs in each row."""

    _esm = module("compare")

    def __init__(self, title: str, heard: Heard = lambda message: None) -> None:
        super().__init__(heard)
        self.show(title=title, columns=[], rows=[], said="", choosing=False, choices=[])

    def display(self, columns: Sequence[str], rows: list[dict[str, Any]], *, said: str) -> None:
        """Show *rows* of `cells`, each a text, a hint and a look."""
        self.show(columns=list(columns), rows=rows, said=said, choosing=False, choices=[])

    def display_diff(self, found: StyleDiff) -> None:
        """Show what differs, in words."""
        rows = []
        for each in differences(found):
            rule = (each.category or "", each.item or "")
            if each.what == "rule":
                cells = [_rule_cell(*rule), _option_cell(*rule, each.before), _option_cell(*rule, each.after)]
            else:
                name = FIELD_NAMES.get(each.field, each.field)
                what = name if each.what == "list" else f"Instruction “{each.item}”, {name}"
                cells = [[what, "", ""], [each.before or "", "", "text"], [each.after or "", "", "text"]]
            rows.append({"kind": each.change, "cells": [[each.change, "", "mark"], *cells]})
        said = plural(len(rows), "change") if rows else "Nothing is changed."
        self.display(("Change", "What", "Before", "After"), rows, said=said)

    def display_clashes(self, clashes: Sequence[Clash], *, said: str) -> None:
        """Show what collides, to choose from."""
        rows = []
        for clash in clashes:
            what, base, mine, theirs = _of_clash(clash)
            rows.append({"kind": "clash", "cells": [what, base], "mine": mine, "theirs": theirs})
        columns = ["What", "As loaded", "Here", "On the service"] if rows else []
        self.show(columns=columns, rows=rows, said=said, choosing=True)

    def display_clone(self, made: Clone) -> None:
        """Show what does not carry over to another language, with what is nearest there."""
        language, rows = made.style.language or "", []
        for _, row in pd.DataFrame(made.left).iterrows():
            choice, nearest = Choice(row["category"], row["rule"], row["option"]), row["nearest"] or ""
            cells = [
                [category_label(choice.category), choice.category, ""],
                [rule_label(*choice[:2]), choice.rule, ""],
                [option_label(*choice), choice.option, ""],
                [row["message"].replace(f"{language} ", f"{name_of(language)} ", 1), "", ""],
                [_nearest(*choice[:2], nearest) or "–", nearest, ""],
            ]
            rows.append({"kind": "removed" if row["severity"] == "warning" else "info", "cells": cells})
        columns = ("Category", "Rule", "Option", "What becomes of it", "Nearest")
        said = "All rules carry over." if not rows else f"{plural(len(rows), 'rule')} to look at:"
        self.display(columns, rows, said=said)


def tabled(clashes: Sequence[Clash]) -> pd.DataFrame:
    """What collides as a table in words: what, base, mine, theirs; None is that it is deleted or not set."""
    rows = []
    for clash in clashes:
        what, *cells = _of_clash(clash)
        texts = [None if value is None else cell[0] for value, cell in zip(clash[1:], cells, strict=True)]
        rows.append((what[0], *texts))
    return pd.DataFrame(rows, columns=["what", "base", "mine", "theirs"], dtype=object)


def _of_clash(clash: Clash) -> list[Cell]:
    """What collides, and how it is in the base, here, and on the service."""
    kind, *rest = clash.place
    if kind == "rule":
        return [_rule_cell(*rest), *(_option_cell(rest[0], rest[1], each) for each in clash[1:])]
    cells = [["Name" if kind == "name" else "Instruction", "", ""]]
    for value in clash[1:]:
        written = isinstance(value, tuple)  # label, prompt and source language of an instruction
        text = f"{value[0]}: {value[1]} ({value[2]})" if written else "Deleted" if value is None else value
        cells.append([text, "", "text"])
    return cells


def _rule_cell(category: str, rule: str) -> Cell:
    return [f"{category_label(category)} › {rule_label(category, rule)}", f"{category}.{rule}", ""]


def _option_cell(category: str, rule: str, option: str | None) -> Cell:
    return [NOT_SET if option is None else option_label(category, rule, option), option or "", ""]


def _nearest(category: str, rule: str, written: str) -> str:
    """The first of the nearest options in words: an option of the rule, or another rule with its option."""
    first = written.split(BETWEEN)[0]
    if ": " not in first:
        return option_label(category, rule, first) if first else ""
    other, option = first.split(": ", 1)
    return f"{rule_label(category, other)}: {option_label(category, other, option)}"
