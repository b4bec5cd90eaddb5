"""Documents as tables: what became of each, what would, and what is still under way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pandas as pd

from svc_nb.documents import items
from svc_nb.documents.items import Item
from svc_nb.documents.kinds import readable
from svc_nb.documents.shelf import FETCHED, UNDER_WAY, Record, Shelf
from svc_nb.tabular.column import text_array
from svc_nb.tabular.report import Report, plural

COLUMNS = (
    *("path", "document_id", "status", "translator", "seconds_remaining", "billed_characters"),
    *("error", "output"),
)
PLAN_COLUMNS = ("path", "target_lang", "kind", "size", "status", "error", "output")
PENDING_COLUMNS = (
    *("path", "target_lang", "document_id", "status", "translator", "seconds_remaining", "billed_characters"),
    *("error", "output", "sent", "at_work", "address"),
)
WHOLE_NUMBERS = ("seconds_remaining", "billed_characters", "size")
# How a plan calls what a job calls otherwise: nothing is sent yet.
PLANNED = {items.WAITING: "to send"}
TO_FETCH = "to fetch"


def results(found: Sequence[Item]) -> Report:
    """A row for each file, in their order: what became of it."""
    rows = [
        (
            str(each.path),
            each.document_id,
            each.status,
            each.translator,
            each.seconds_remaining,
            each.billed_characters,
            each.error,
            str(each.output) if each.status in items.WRITTEN else None,
        )
        for each in found
    ]
    return Report(_table(rows, COLUMNS, [each.label for each in found]), _said(found))


def plan(found: Sequence[Item], shelf: Shelf) -> Report:
    """A row for each file: what would be done with it."""
    rows = []
    for each in found:
        status = TO_FETCH if _was_sent(each, shelf) else PLANNED.get(each.status, each.status)
        place = None if status in items.BAD | {items.SKIPPED} else str(each.output)
        kind = each.path.suffix[1:].lower() or None
        rows.append((str(each.path), each.target_lang, kind, each.size, status, each.error, place))
    table = _table(rows, PLAN_COLUMNS, [each.label for each in found])
    counts = Counter(table["status"])
    size = sum(row[3] for row in rows if row[4] == PLANNED[items.WAITING])
    said = ", ".join(f"{count:,} {status}" for status, count in counts.items())
    return Report(table, f"{said or 'Nothing'}; {readable(size)} would be sent.")


def pending(records: Sequence[Record], shelf: Shelf) -> Report:
    """A row for each document that is running or not fetched yet."""
    rows = [
        (
            each.path,
            each.target_lang,
            each.document_id,
            each.status,
            each.translator,
            each.seconds_remaining,
            each.billed_characters,
            each.error,
            each.output,
            datetime.fromtimestamp(each.created, UTC),
            shelf.is_held(each.identity),
            each.address,
        )
        for each in records
    ]
    table = _table(rows, PENDING_COLUMNS, list(range(len(rows))))
    said = f"{plural(len(rows), 'document')} not fetched yet; svc_nb.documents.resume() goes on with them."
    return Report(table, said if rows else "No document is under way.")


def _was_sent(each: Item, shelf: Shelf) -> bool:
    """Whether a document that waits is under way, or is translated and only copied."""
    record = shelf.find(each.identity) if each.status == items.WAITING and each.document_id else None
    return record is not None and record.stage in (*UNDER_WAY, FETCHED)


def _table(rows: Sequence[tuple[Any, ...]], columns: Sequence[str], labels: Sequence[Any]) -> pd.DataFrame:
    cells = {name: [row[place] for row in rows] for place, name in enumerate(columns)}
    table = pd.DataFrame({name: _column(name, values) for name, values in cells.items()})
    return table.set_axis(pd.Index(labels) if labels else pd.RangeIndex(0), axis=0)


def _column(name: str, values: list[Any]) -> Any:
    if name in WHOLE_NUMBERS:
        return pd.array(values, dtype="Int64")
    if name == "sent":
        return pd.to_datetime(pd.Series(values, dtype=object), utc=True).array
    return np.array(values, dtype=bool) if name == "at_work" else text_array(values)


def _said(found: Sequence[Item]) -> str:
    counts = Counter(each.status for each in found)
    billed = sum(each.billed_characters or 0 for each in found if each.paid)
    said = ", ".join(f"{count:,} {status}" for status, count in counts.items())
    left = items.untranslated(found)
    return f"{said}; {billed:,} characters billed.{left and f' {left}.'}" if said else "There are no files."


def without_translation(found: Sequence[Item]) -> list[Item]:
    """The documents that something kept from being translated or fetched, other than a missing translator."""
    return [each for each in found if each.error and each.status not in (items.SKIPPED, items.MARKED)]
