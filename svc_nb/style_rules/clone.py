"""A style rule list for another language: what carries over, and the nearest alternatives for what does not."""

from collections.abc import Hashable
from typing import NamedTuple

import pandas as pd

from svc_nb.language_codes import normal
from svc_nb.style_rules.catalogue import Choice, languages_of, nearest, options_of, style_language
from svc_nb.style_rules.style import Style
from svc_nb.style_rules.table import rows_of
from svc_nb.tabular.report import Report, plural
from svc_nb.tabular.text_column import text_array

BETWEEN = " | "


class Clone(NamedTuple):
    """`style` is the new list, not on the service yet; `left` lists what did not carry over, and what to check."""

    style: Style
    left: Report

    def __repr__(self) -> str:
        return f"{self.style!r}\n\n{self.left!r}"

    def _repr_html_(self) -> str:
        return f"{self.style._repr_html_()}{self.left._repr_html_()}"


class _Left(NamedTuple):
    row: Hashable
    severity: str
    category: str
    rule: str
    option: str
    message: str
    nearest: str


def clone(style: Style, language: str, *, name: str | None = None) -> Clone:
    """*style* for another language: the rules that it offers, all instructions, and a table of what was left behind.

    Rules that the catalogue does not know are carried over and reported. Instructions keep their source language. The
    name stays, unless the language stays too, because lists are found by name and language.
    """
    code = style_language(language)
    rows = [(row, Choice(*cells)) for row, cells in rows_of(style.rules)]
    left, kept = [], []
    for place, (row, choice) in enumerate(rows):
        languages = languages_of(choice)
        if languages is None:
            message = "carried over: the catalogue does not know it, so check whether the language offers it"
            left.append(_Left(row, "info", *choice, message, ""))
        elif code not in languages:
            has_rule = options_of(choice.category, choice.rule, language=code)
            lacks = "offers the rule, but not this option" if has_rule else "does not offer the rule"
            near = BETWEEN.join(nearest(choice, code))
            left.append(_Left(row, "warning", *choice, f"{code} {lacks}", near))
            continue
        kept.append(place)
    # Instructions without ids, because these belong to the old list, and with an explicit source language.
    meant = style.instructions["source_language"]
    meant = meant if style.language is None else meant.fillna(normal(style.language))
    instructions = style.instructions.assign(id=None, source_language=meant)
    if name is None and style.name and style.language is not None and normal(style.language) == code:
        name = f"{style.name} (copy)"
    made = Style(style.rules.iloc[kept], instructions, name=name or style.name, language=code)
    return Clone(made, _report(left, len(kept), made))


def first_of(category: str, rule: str, written: str) -> Choice:
    """The first alternative in *written* for an option of a rule: another option of it, or one of another rule."""
    other, _, option = written.split(BETWEEN)[0].rpartition(": ")
    return Choice(category, other or rule, option)


def with_nearest(made: Clone) -> Style:
    """The copy with the nearest alternative for each rule that was left behind, unless it has that rule already."""
    found = {cells[:2]: Choice(*cells) for _, cells in rows_of(made.style.rules)}
    kept = len(found)
    for category, rule, written in zip(*(made.left[name] for name in ("category", "rule", "nearest")), strict=True):
        if written:
            near = first_of(category, rule, written)
            found.setdefault(near[:2], near)
    return made.style if len(found) == kept else made.style.replace(rules=pd.DataFrame(list(found.values())))


def _report(left: list[_Left], carried: int, made: Style) -> Report:
    columns = {name: text_array([getattr(each, name) for each in left]) for name in _Left._fields[1:]}
    columns["row"] = pd.Series([each.row for each in left], dtype=object)
    lost = sum(each.severity == "warning" for each in left)
    carried_over = f"{plural(carried, 'rule')} and {plural(len(made.instructions), 'instruction')} carried over to "
    behind = f"{plural(lost, 'rule')} left behind" if lost else "nothing left behind"
    look = "add replacements to .style.rules if you want, then " if lost else ""
    said = f"{carried_over}{made.language}, {behind}. Next: {look}svc_nb.style_rules.push(clone.style)"
    return Report(pd.DataFrame(columns, columns=list(_Left._fields)), said, marks="severity")
