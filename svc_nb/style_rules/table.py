"""The two tables of a style rule list: rules (`category, rule, option`) and instructions (`id, label, prompt, ...`).

A given table is copied, gets exactly these columns and keeps its index. A missing cell is "" if a text is required, and
a gap in `id` and `source_language`, which may be unknown.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from svc_nb.errors import one_line
from svc_nb.language_codes import as_bcp47, as_normal
from svc_nb.tabular.cells import HALF_A_PAIR
from svc_nb.tabular.text_column import cell_texts, checked_table, rewritten, text_array
from svc_nb.wire.models import CustomInstruction

RULES = ("category", "rule", "option")
INSTRUCTIONS = ("id", "label", "prompt", "source_language")
OPTIONAL = frozenset({"id", "source_language"})

Rules = pd.DataFrame | Mapping[str, Mapping[str, str]]
Instructions = pd.DataFrame | Iterable[CustomInstruction]


def rules_table(given: Rules | None) -> pd.DataFrame:
    """The table of rules, from a table with its columns or from a mapping of category to rule to option."""
    if given is None or isinstance(given, Mapping):
        rows = []
        for category, rules in (given or {}).items():
            if not isinstance(rules, Mapping):
                raise TypeError(f"rules[{category!r}]: expected a dict of rule to option, found {type(rules).__name__}")
            rows += [(category, rule, option) for rule, option in rules.items()]
        return _table(pd.DataFrame(rows, columns=list(RULES), dtype=object), RULES, "rules")
    return _table(given, RULES, "rules")


def instructions_table(given: Instructions | None) -> pd.DataFrame:
    """The table of instructions, from a table with `label` and `prompt` or from the service's own objects."""
    if not isinstance(given, pd.DataFrame):
        rows = [(each.id, each.label, each.prompt, each.source_language) for each in given or ()]
        given = pd.DataFrame(rows, columns=list(INSTRUCTIONS), dtype=object)
    table = _table(given, INSTRUCTIONS, "instructions")
    return table.assign(source_language=rewritten(table["source_language"], as_normal))


def is_rules(table: pd.DataFrame) -> bool:
    """Whether *table* has the columns of a table of rules."""
    return set(RULES) <= set(table.columns)


def is_instructions(table: pd.DataFrame) -> bool:
    """Whether *table* has the required columns of a table of instructions."""
    return set(INSTRUCTIONS) - OPTIONAL <= set(table.columns)


def is_part(table: pd.DataFrame) -> bool:
    """Whether *table* is one of the two parts of a style rule list."""
    return is_rules(table) or is_instructions(table)


def rows_of(table: pd.DataFrame) -> Iterator[tuple[Hashable, tuple[Any, ...]]]:
    """The label of each row and its cells, with None for a gap."""
    columns = [[None if pd.isna(cell) else cell for cell in table[name].tolist()] for name in table.columns]
    return zip(table.index.tolist(), zip(*columns, strict=True), strict=True)


def mapped(rules: pd.DataFrame) -> dict[str, dict[str, str]]:
    """Category to rule to option, as the service accepts them; the last of duplicate rules wins."""
    chosen: dict[str, dict[str, str]] = {}
    for _, (category, rule, option) in rows_of(rules):
        chosen.setdefault(category, {})[rule] = option
    return chosen


def nouns(instructions: pd.DataFrame) -> tuple[CustomInstruction, ...]:
    """The instructions as the service's objects."""
    return tuple(
        CustomInstruction(label, prompt, source_language and as_bcp47(source_language), id_)
        for _, (id_, label, prompt, source_language) in rows_of(instructions)
    )


def is_broken(*texts: str | None) -> bool:
    """Whether one of *texts* cannot be sent or written because it contains half of a surrogate pair."""
    return any(text and HALF_A_PAIR.search(text) for text in texts)


def quoted(text: str, *, limit: int = 60) -> str:
    """A text of a table for a message: one line, in quotes, never long."""
    return repr(one_line(text, limit=limit))


def _table(given: pd.DataFrame, columns: Sequence[str], what: str) -> pd.DataFrame:
    checked_table(given, columns, what, optional=OPTIONAL)
    cells: dict[str, Any] = {}
    for name in columns:
        gap = None if name in OPTIONAL else ""
        texts = cell_texts(given, name, gap) if name in given.columns else [None] * len(given)
        cells[name] = text_array(texts)
    return pd.DataFrame(cells, columns=list(columns)).set_axis(given.index)
