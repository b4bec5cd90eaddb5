"""Glossaries as the service has them and the table of terms: each from the other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import pandas as pd

from svc_nb.errors import BadRequest, InvalidRows
from svc_nb.glossaries.entries import pair_texts, parsed
from svc_nb.glossaries.rules import refuse
from svc_nb.glossaries.sides import Sides
from svc_nb.glossaries.table import made
from svc_nb.language_codes import as_bcp47
from svc_nb.tabular.findings import ERROR, Findings, Rows
from svc_nb.wire.models import Dictionary, Glossary

# The service's own words about an entry: "Key with the index 1 (starting at position 13) duplicates key with ...".
ENTRY = re.compile(r"key with the index (\d{1,9}) \(starting at position (\d{1,9})\)", re.IGNORECASE)


def to_dictionaries(table: pd.DataFrame) -> list[Dictionary]:
    """A dictionary for each language pair of a table, as `session.client.glossaries.create(name, ...)` takes them.

    Raises InvalidRows, with the rows, for whatever the service would refuse.
    """
    sides = Sides(table)
    refuse(sides)
    return [
        Dictionary(as_bcp47(source_lang), as_bcp47(target_lang), text)
        for (source_lang, target_lang), text in zip(sides.pairs, pair_texts(sides), strict=True)
    ]


def from_dictionaries(dictionaries: Iterable[Dictionary]) -> pd.DataFrame:
    """The table of terms in dictionaries, as `session.client.glossaries.entries(glossary_id)` gives them."""
    tables = [
        parsed(each.entries, each.entries_format, source_lang=each.source_lang, target_lang=each.target_lang)
        for each in dictionaries
    ]
    filled = [table for table in tables if len(table)]
    return pd.concat(filled, ignore_index=True) if filled else made([], [], [], [])


def from_glossary(glossary: Glossary, entries: str) -> pd.DataFrame:
    """The terms of a glossary of the v2 form as a tidy table."""
    return from_dictionaries([Dictionary(glossary.source_lang, glossary.target_lang, entries)])


def located(problem: BadRequest, table: pd.DataFrame) -> InvalidRows | None:
    """The service's complaint about entries, with the rows of *table* that it means; None where it names none.

    The service names an entry of a dictionary by its number and the position where it begins, but not the dictionary:
    it is the one in which that entry begins there.
    """
    named = ENTRY.findall(problem.detail or problem.message)
    if not named:
        return None
    sides = Sides(table)
    for number, rows in _by_pair(sides):
        indices, positions = ([int(each[place]) for each in named] for place in (0, 1))
        if max(indices) < len(rows) and sides.positions[rows[indices]].tolist() == positions:
            return _complaint(problem, sides, number, rows[indices])
    return None


def _complaint(problem: BadRequest, sides: Sides, number: int, rows: Rows) -> InvalidRows:
    found = Findings()
    told = problem.detail or problem.message
    found.add(rows[:1], ERROR, "refused", f"the service refused it: {told}")
    labels = [sides.table.index[row] for row in rows.tolist()]
    pair = " to ".join(sides.pairs[number])
    return InvalidRows(
        f"The service refused row {sides.label(rows[0])} ({pair}): {told}",
        rows=labels,
        findings=found.table(sides.table.index),
        status=problem.status,
        trace_id=problem.trace_id,
    )


def _by_pair(sides: Sides) -> Iterator[tuple[int, Rows]]:
    for number in range(len(sides.pairs)):
        yield number, sides.groups[number]
