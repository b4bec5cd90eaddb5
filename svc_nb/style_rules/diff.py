"""The differences between two versions of a style rule list, and which instructions correspond to each other."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

import pandas as pd

from svc_nb.language_codes import normal
from svc_nb.style_rules.style import Style
from svc_nb.style_rules.table import rows_of
from svc_nb.tabular.report import Report, plural
from svc_nb.tabular.text_column import text_array

COLUMNS = ("change", "what", "category", "item", "field", "before", "after")
NEXT = "Next: svc_nb.style_rules.push()"


class StyleDiff(Report):
    """The rows that differ: `change` is added, changed or removed; `what` is list, rule or instruction.

    `item` names the rule, or the instruction by its label, and `field` says what `before` and `after` are. `total` is
    how many differ, with an instruction counted once for all its fields.
    """

    _metadata = [*Report._metadata, "total"]
    total: int

    def __init__(self, rows: Sequence[Difference], said: str, total: int) -> None:
        columns = {name: text_array([getattr(row, name) for row in rows]) for name in COLUMNS}
        super().__init__(pd.DataFrame(columns, columns=list(COLUMNS)), said, marks="change")
        object.__setattr__(self, "total", total)


class Difference(NamedTuple):
    """One row of a StyleDiff."""

    change: str
    what: str
    category: str | None
    item: str | None
    field: str
    before: str | None
    after: str | None


class ComparedInstruction(NamedTuple):
    """An instruction in the form used for comparison: a missing source language is the list's."""

    row: Hashable
    id: str | None
    label: str
    prompt: str
    source_language: str | None

    @property
    def content(self) -> tuple[str, str, str | None]:
        """Its whole content."""
        return self.label, self.prompt, self.source_language


def diff(old: Style, new: Style) -> StyleDiff:
    """The differences between *old* and *new*, ignoring order; instructions are matched by id, otherwise by text."""
    rows = []
    for field in ("name", "language"):
        then, now = getattr(old, field), getattr(new, field)
        if then != now and not (field == "language" and normal(then or "") == normal(now or "")):
            rows.append(Difference("changed", "list", None, None, field, then, now))
    before, after = ({cells[:2]: cells[2] for _, cells in rows_of(style.rules)} for style in (old, new))
    for key in dict.fromkeys([*before, *after]):
        then, now = before.get(key), after.get(key)
        if then != now:
            category, rule = key
            rows.append(Difference(_change(then, now), "rule", category, rule, "option", then, now))
    instructions = [fields for fields in _of_instructions(old, new) if fields]
    total = len(rows) + len(instructions)
    rows += chain.from_iterable(instructions)
    changes = Counter(row.change for row in rows)
    counts = ", ".join(f"{changes[name]:,} {name}" for name in ("added", "changed", "removed") if changes[name])
    touched = ", ".join(
        plural(count, {"list": "field of the list"}.get(name, name), {"list": "fields of the list"}.get(name))
        for name, count in Counter(row.what for row in {row[:4]: row for row in rows}.values()).items()
    )
    return StyleDiff(rows, f"{counts}: {touched}. {NEXT}" if rows else "No difference.", total)


def instructions_of(style: Style) -> list[ComparedInstruction]:
    """The instructions of *style*, ready to be compared."""
    return [
        ComparedInstruction(row, id_, label, prompt, normal(language or style.language or "") or None)
        for row, (id_, label, prompt, language) in rows_of(style.instructions)
    ]


def paired(old: Sequence[ComparedInstruction], new: Sequence[ComparedInstruction]) -> list[ComparedInstruction | None]:
    """For each of *new*, the matching one of *old*, each at most once; None for a new one."""
    ways: tuple[Callable[[ComparedInstruction], Any], ...] = (
        lambda each: each.id and (each.id, each.content),
        lambda each: each.id,
        lambda each: each.content,
        lambda each: each.label,
        lambda each: each.prompt,
    )
    found: list[ComparedInstruction | None] = [None] * len(new)
    left = dict(enumerate(old))
    for way in ways:
        waiting: defaultdict[Any, deque[int]] = defaultdict(deque)
        for place, each in left.items():
            waiting[way(each)].append(place)
        for place, each in enumerate(new):
            if found[place] is None and way(each) and waiting.get(way(each)):
                found[place] = left.pop(waiting[way(each)].popleft())
    return found


def _of_instructions(old: Style, new: Style) -> Iterator[list[Difference]]:
    """The differences of each instruction."""
    before, after = instructions_of(old), instructions_of(new)
    pairs = paired(before, after)
    kept = {id(each) for each in pairs}
    for was in before:
        if id(was) not in kept:
            yield list(_fields(was, None, old.language))
    for was_then, now in zip(pairs, after, strict=True):
        yield list(_fields(was_then, now, new.language))


def _fields(
    was: ComparedInstruction | None, now: ComparedInstruction | None, language: str | None
) -> Iterator[Difference]:
    """The fields that differ; if added or removed, the prompt, and the source language unless it is the list's."""
    item = getattr(now or was, "label", "")
    for field in ("label", "prompt", "source_language"):
        before, after = getattr(was, field, None), getattr(now, field, None)
        is_whole = was is None or now is None
        is_usual = field == "source_language" and (before or after) in (None, normal(language or ""))
        if before != after and not (is_whole and (field == "label" or is_usual)):
            yield Difference(_change(was, now), "instruction", None, item, field, before, after)


def _change(was: object, now: object) -> str:
    return "added" if was is None else "removed" if now is None else "changed"
