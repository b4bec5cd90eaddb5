"""Tables of before and after, in words: what a push changes, what collides, and what a copy leaves behind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from svc_nb.language_codes import name_of
from svc_nb.panels.style_rules.messages import FIELD_NAMES, NOT_SET, differences
from svc_nb.panels.style_rules.widgets import Heard, MessageWidget, module
from svc_nb.style_rules.catalogue import Choice
from svc_nb.style_rules.clone import BETWEEN, Clone
from svc_nb.style_rules.diff import StyleDiff
from svc_nb.style_rules.labels import category_label, option_label, rule_label
from svc_nb.style_rules.merge import Clash
from svc_nb.tabular.report import plural

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
                cells = [_rule(*rule), _option(*rule, each.before), _option(*rule, each.after)]
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
        return [_rule(*rest), *(_option(rest[0], rest[1], each) for each in clash[1:])]
    cells = [["Name" if kind == "name" else "Instruction", "", ""]]
    for value in clash[1:]:
        written = isinstance(value, tuple)  # label, prompt and source language of an instruction
        text = f"{value[0]}: {value[1]} ({value[2]})" if written else "Deleted" if value is None else value
        cells.append([text, "", "text"])
    return cells


def _rule(category: str, rule: str) -> Cell:
    return [f"{category_label(category)} › {rule_label(category, rule)}", f"{category}.{rule}", ""]


def _option(category: str, rule: str, option: str | None) -> Cell:
    return [NOT_SET if option is None else option_label(category, rule, option), option or "", ""]


def _nearest(category: str, rule: str, written: str) -> str:
    """The first of the nearest options in words: an option of the rule, or another rule with its option."""
    first = written.split(BETWEEN)[0]
    if ": " not in first:
        return option_label(category, rule, first) if first else ""
    other, option = first.split(": ", 1)
    return f"{rule_label(category, other)}: {option_label(category, other, option)}"
