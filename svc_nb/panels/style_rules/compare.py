"""Tables of before and after, in words: what a push changes, what collides, and what a copy leaves behind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd

from svc_nb.language_codes import name_of
from svc_nb.panels.style_rules.messages import Messaged, module
from svc_nb.style_rules.catalogue import Choice
from svc_nb.style_rules.clone import BETWEEN, Clone
from svc_nb.style_rules.diff import Diff, Difference
from svc_nb.style_rules.labels import category_label, option_label, rule_label
from svc_nb.style_rules.merge import Clash, Merge
from svc_nb.style_rules.tables import rows_of
from svc_nb.tabular.report import plural

NOT_SET = "Not set"
FIELD_NAMES = {"label": "label", "prompt": "prompt", "source_language": "source language", "name": "Name"}
Cell = list[str]  # the text, what a pointer that rests on it is told, and how it looks


class Compare(Messaged):
    """A table that says what it is about; where there is something to choose, mine or theirs in each row."""

    _esm = module("compare")

    def __init__(self, title: str, heard: Callable[[dict[str, Any]], None] = lambda message: None) -> None:
        super().__init__(heard)
        self.show(title=title, columns=[], rows=[], said="", choosing=False, choices=[])

    def display(self, columns: Sequence[str], rows: list[dict[str, Any]], *, said: str) -> None:
        """Show *rows* of `cells`, each a text, a hint and a look."""
        self.show(columns=list(columns), rows=rows, said=said, choosing=False, choices=[])

    def display_diff(self, found: Diff) -> None:
        """Show what differs, in words."""
        rows = [_of_difference(Difference(*cells)) for _, cells in rows_of(pd.DataFrame(found))]
        said = plural(len(rows), "change") if rows else "Nothing is changed."
        self.display(("Change", "What", "Before", "After"), rows, said=said)

    def display_clashes(self, merge: Merge, *, said: str) -> None:
        """Show what collides, to choose from."""
        rows = [_of_clash(clash) for clash in merge.clashes]
        choices = [merge.choices.get(clash.place) for clash in merge.clashes]
        columns = ["What", "As loaded", "Here", "On the service"] if rows else []
        self.show(columns=columns, rows=rows, said=said, choosing=True, choices=choices)

    def display_clone(self, made: Clone) -> None:
        """Show what does not carry over to another language, with what is nearest there."""
        to = made.style.language or ""
        rows = [_of_left(row, to) for _, row in pd.DataFrame(made.left).iterrows()]
        columns = ("Category", "Rule", "Option", "What becomes of it", "Nearest")
        said = "All rules carry over." if not rows else f"{plural(len(rows), 'rule')} to look at:"
        self.display(columns, rows, said=said)


def what_collides(count: int, loaded: int | None, now: int | None) -> str:
    """What is asked where so many things were changed here and elsewhere."""
    things = plural(count, "thing was", "things were")
    return (
        f"{things} changed here and on the service, differently (version {loaded} when it was loaded, {now} now). "
        "Nothing was sent, nothing is overwritten. Choose what to take:"
    )


def tabled(clashes: Sequence[Clash]) -> pd.DataFrame:
    """What collides as a table in words: what, base, mine, theirs; None is that it is deleted or not set."""
    rows = [
        (_of_clash(clash)["cells"][0][0], *(_worded(clash, each) for each in clash[1:])) for clash in clashes
    ]
    return pd.DataFrame(rows, columns=["what", "base", "mine", "theirs"], dtype=object)


def _worded(clash: Clash, value: Any) -> str | None:
    kind, *rest = clash.place
    if value is None:
        return None
    return option_label(rest[0], rest[1], value) if kind == "rule" else _said(value)


def spoken(difference: Difference) -> str:
    """A rule that differs as one line, in the words of the catalogue; of what people wrote only that it differs."""
    if difference.what == "rule":
        label = f"{category_label(difference.category or '')} › {rule_label(*_rule(difference))}"
        return f"{label}: {_option(difference, difference.after)[0]} (now {_option(difference, difference.before)[0]})"
    if difference.what == "list":
        return f"Name: {difference.after} (now {difference.before})"
    return f"An instruction is {difference.change}: its {FIELD_NAMES[difference.field]}"


def _of_difference(difference: Difference) -> dict[str, Any]:
    cells = [[difference.change, "", "mark"], _what(difference)]
    if difference.what == "rule":
        cells += [_option(difference, difference.before), _option(difference, difference.after)]
    else:
        cells += [[difference.before or "", "", "text"], [difference.after or "", "", "text"]]
    return {"kind": difference.change, "cells": cells}


def _what(difference: Difference) -> Cell:
    if difference.what == "rule":
        category, rule = _rule(difference)
        return [f"{category_label(category)} › {rule_label(category, rule)}", f"{category}.{rule}", ""]
    if difference.what == "list":
        return [FIELD_NAMES.get(difference.field, difference.field), "", ""]
    return [f"Instruction “{difference.item}”, {FIELD_NAMES[difference.field]}", "", ""]


def _rule(difference: Difference) -> tuple[str, str]:
    return difference.category or "", difference.item or ""


def _option(difference: Difference, option: str | None) -> Cell:
    return _chosen(*_rule(difference), option)


def _chosen(category: str, rule: str, option: str | None) -> Cell:
    return [NOT_SET if option is None else option_label(category, rule, option), option or "", ""]


def _of_clash(clash: Clash) -> dict[str, Any]:
    kind, *rest = clash.place
    if kind == "rule":
        what: Cell = [f"{category_label(rest[0])} › {rule_label(*rest)}", ".".join(rest), ""]
        base, mine, theirs = (_chosen(rest[0], rest[1], each) for each in clash[1:])
    else:
        what = ["Name" if kind == "name" else "Instruction", "", ""]
        base, mine, theirs = ([_said(each), "", "text"] for each in clash[1:])
    return {"kind": "clash", "cells": [what, base], "mine": mine, "theirs": theirs}


def _said(value: Any) -> str:
    if value is None:
        return "Deleted"
    return value if isinstance(value, str) else f"{value[0]}: {value[1]} ({value[2]})"


def _of_left(row: Any, language: str) -> dict[str, Any]:
    choice = Choice(row["category"], row["rule"], row["option"])
    category, rule = choice.category, choice.rule
    cells = [
        [category_label(category), category, ""],
        [rule_label(category, rule), rule, ""],
        [option_label(*choice), choice.option, ""],
        [row["message"].replace(f"{language} ", f"{name_of(language)} ", 1), "", ""],
        [_nearest(category, rule, row["nearest"] or "") or "–", row["nearest"] or "", ""],
    ]
    return {"kind": "removed" if row["severity"] == "warning" else "info", "cells": cells}


def _nearest(category: str, rule: str, written: str) -> str:
    """The first of the nearest options in words: an option of the rule, or another rule with its option."""
    first = written.split(BETWEEN)[0]
    if ": " not in first:
        return option_label(category, rule, first) if first else ""
    other, option = first.split(": ", 1)
    return f"{rule_label(category, other)}: {option_label(category, other, option)}"


def titled(name: str, language: str, version: int | None) -> str:
    """A list as it is named in a choice and in a line."""
    known = f"version {version}" if version is not None else "not on the service yet"
    return f"{name} · {name_of(language)} · {known}"
