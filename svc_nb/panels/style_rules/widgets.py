"""The rules of a list, its instructions as cards, and tables of before and after; texts are sent as messages only."""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import pandas as pd

from svc_nb.language_codes import SOURCES, name_of, normal
from svc_nb.panels.parts.compare import Cell, Compare, conflict
from svc_nb.panels.parts.widgets import Heard, MessageWidget
from svc_nb.panels.parts.word_diff import word_diff
from svc_nb.panels.style_rules.lists import EditList
from svc_nb.panels.style_rules.messages import FIELD_NAMES, NOT_SET, differences, of_card, worded
from svc_nb.style_rules.catalogue import Choice, languages_of, offers, options_of
from svc_nb.style_rules.clone import Clone, first_of
from svc_nb.style_rules.diff import StyleDiff
from svc_nb.style_rules.labels import category_label, known_as, option_example, option_label, rule_label, search
from svc_nb.style_rules.lint import MAX_INSTRUCTIONS, MOST_CHARACTERS, StyleFinding
from svc_nb.style_rules.merge import Clash
from svc_nb.style_rules.style import Rule
from svc_nb.tabular.report import plural

UNKNOWN = "not in the catalogue"
NO_EFFECT = "this service cannot apply this rule"
MOST_FOUND = 60


class RuleTable(MessageWidget):
    """Collapsible categories with a rule in each row and its options to choose from; `filter` is the search text."""

    front = "rules"

    def __init__(self, heard: Heard) -> None:
        super().__init__(heard)
        self.clear()

    def clear(self) -> None:
        """Show no list."""
        self.show(categories=[], rules=[], base=[], findings=[], busy=False, there=False)

    def display(self, edits: EditList, findings: Iterable[StyleFinding], idle: AbstractSet[Rule]) -> None:
        """Show the rules of a list, their changes and findings; *idle* rules have no effect."""
        rules, began = edits.content.rules, edits.began.rules
        by_rule: dict[Rule, list[list[str]]] = {}
        for found in findings:
            if found.table == "rules":
                rule = list(rules)[found.place]
                told = worded(found.message, *rule, rules[rule])
                by_rule.setdefault(rule, []).append([found.severity, told])
        for rule in [each for each in rules if {each, (each[0], "")} & idle]:
            by_rule.setdefault(rule, []).append(["warning", NO_EFFECT])
        self.show(
            categories=categories(edits.language, began, rules),
            rules=[[*rule, option] for rule, option in rules.items()],
            base=[[*rule, option] for rule, option in began.items()],
            findings=[[*rule, told] for rule, told in by_rule.items()],
            there=edits.base.style_id is not None,
        )

    def look_for(self, text: str, *, language: str | None) -> pd.DataFrame:
        """Show only rules that contain every word of *text*, and matches in other languages below."""
        self.show(filter=text)
        self.show_elsewhere(text, language=language)
        rows = [
            (*choice, category_label(choice[0]), rule_label(*choice[:2]), option_label(*choice))
            for choice in search(text, language=language)
        ]
        names = ["category", "rule", "option", "category_label", "rule_label", "option_label"]
        return pd.DataFrame(rows, columns=names)

    def bring_into_view(self, rule: Rule) -> None:
        """Scroll to a rule, and open its category."""
        self.send({"kind": "shown", "see": list(rule)})

    def clear_search(self) -> None:
        """Clear the search."""
        self.show(filter="", elsewhere={"text": "", "found": [], "count": 0})

    def show_elsewhere(self, text: str, *, language: str | None) -> None:
        """Show which options of other languages *text* finds, for information only."""
        self.content["filter"] = text
        known = {choice: languages_of(choice) or () for choice in (search(text) if text and language else ())}
        found = [choice for choice, languages in known.items() if language not in languages]
        rows = [
            [rule_label(*choice[:2]), option_label(*choice), ", ".join(name_of(each) for each in sorted(known[choice]))]
            for choice in found[:MOST_FOUND]
        ]
        self.show(elsewhere={"text": text, "found": rows, "count": len(found)})


def categories(language: str, *chosen: Mapping[Rule, str]) -> list[dict[str, Any]]:
    """All rules that *language* offers, in catalogue order, then rules that only the list itself has."""
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
    spoken = language.lower()
    return [
        {"id": name, "label": category_label(name), "language": spoken, "rules": each} for name, each in found.items()
    ]


def _rule(category: str, rule: str, options: list[str], language: str) -> dict[str, Any]:
    """A rule with its options; `odd` says what is unusual about it, or about the list's option."""
    known, rows = rule in offers().get(category, {}), []
    for option in options:
        choice, odd = Choice(category, rule, option), ""
        languages = languages_of(choice)
        if known and languages is None:
            odd = UNKNOWN
        elif known and language not in (languages or ()):
            odd = f"not offered for {name_of(language)}"
        shown = {"label": option_label(*choice), "example": option_example(*choice, language)}
        rows.append({"id": option, **shown, "find": known_as(choice, language), "odd": odd})
    return {"id": rule, "label": rule_label(category, rule), "odd": "" if known else UNKNOWN, "options": rows}


class Instructions(MessageWidget):
    """A card for each instruction: label, source language and prompt, its findings, and how much text fits."""

    front = "instructions"

    def __init__(self, heard: Heard) -> None:
        super().__init__(heard)
        self.show(languages=sources(), most={**MOST_CHARACTERS, "all": MAX_INSTRUCTIONS})
        self.clear()

    def clear(self) -> None:
        """Show no list."""
        self.show(open=False, items=[], findings=[], language="", busy=False)

    def go_to(self, number: int, field: str) -> None:
        """Move the focus to a field of an instruction: "label", "prompt" or "language"."""
        self.send({"kind": "shown", "go": [number, field]})

    def bring_into_view(self, number: int) -> None:
        """Scroll to an instruction."""
        self.send({"kind": "shown", "see": number})

    def clear_search(self) -> None:
        """Clear the search."""
        self.send({"kind": "shown", "filter": ""})

    def display(self, edits: EditList, findings: Iterable[StyleFinding]) -> None:
        """Show the instructions of a list, which of them changed, and their findings."""
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
                told.append([found.severity, found.code, of_card(found.code, found.message)])
        self.show(
            open=True,
            language=name_of(language),
            items=items,
            findings=[[number, told] for number, told in by_number.items()],
        )


def sources() -> list[tuple[str, str]]:
    """The possible source languages: those with a name first, then codes."""
    names = [(name_of(code), code) for code in sorted(SOURCES)]
    known = sorted((f"{name} ({code})", code) for name, code in names if name != code)
    return known + [(name, code) for name, code in names if name == code]


class StyleCompare(Compare):
    """The differences between two lists, or what does not carry over."""

    def display_diff(self, found: StyleDiff) -> None:
        """Show the differences, in words."""
        rows = []
        for each in differences(found):
            rule = (each.category or "", each.item or "")
            if each.what == "rule":
                cells = [_rule_cell(*rule), _option_cell(*rule, each.before), _option_cell(*rule, each.after)]
            else:
                name = FIELD_NAMES.get(each.field, each.field)
                what = name if each.what == "list" else f"Instruction “{each.item}”, {name}"
                values = [each.before or "", each.after or ""]
                if each.field == "source_language":
                    values = [value and name_of(value) for value in values]
                sides = zip(word_diff(*values), ("removed", "added"), strict=True)
                before, after = (
                    [[text, kind if differs else "same"] for text, differs in side] for side, kind in sides
                )
                cells = [[what, "", ""], [before, "", "text"], [after, "", "text"]]
            rows.append({"kind": each.change, "cells": [[each.change, "", "mark"], *cells]})
        said = "No changes. In sync with the service."
        if rows:
            several = ". An instruction counts once, even with several fields." if found.total < len(rows) else ""
            said = f"{plural(found.total, 'change')} not pushed{several}"
        self.display(("Change", "What", "As loaded", "Here"), rows, said=said)

    def display_clone(self, made: Clone) -> None:
        """Show what does not carry over to another language, with the nearest option there."""
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
        columns = ("Category", "Rule", "Option", "Result", "Nearest")
        said = f"{plural(len(rows), 'rule')} to review:" if rows else "No problems found: all rules carry over."
        self.display(columns, rows, said=said)


CLASH_COLUMNS = ["What", "As loaded", "Here", "On the service"]


def conflict_rows(clashes: Sequence[Clash]) -> list[dict[str, Any]]:
    """The conflicts, as `ConflictList` shows them below `CLASH_COLUMNS`."""
    cells = (_of_clash(clash) for clash in clashes)
    return [conflict([what, base], mine, theirs) for what, base, mine, theirs in cells]


def tabled(clashes: Sequence[Clash]) -> pd.DataFrame:
    """The conflicts as a table in words: what, base, mine, theirs; None means deleted or not set."""
    rows = []
    for clash in clashes:
        what, *cells = _of_clash(clash)
        texts = [None if value is None else cell[0] for value, cell in zip(clash[1:], cells, strict=True)]
        rows.append((what[0], *texts))
    return pd.DataFrame(rows, columns=["what", "base", "mine", "theirs"], dtype=object)


def _of_clash(clash: Clash) -> list[Cell]:
    """A conflict: what it is about, and its value in the base, here, and on the service."""
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
    if not written:
        return ""
    first = first_of(category, rule, written)
    return option_label(*first) if first.rule == rule else f"{rule_label(*first[:2])}: {option_label(*first)}"
