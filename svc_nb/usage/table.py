"""The report of the service as one tidy table, and back; reports over parts of a range as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import numpy as np
import pandas as pd

from svc_nb.signatures import hides
from svc_nb.tabular.column import text_array
from svc_nb.tabular.report import Report, plural
from svc_nb.usage import days
from svc_nb.usage.days import Day, day_of
from svc_nb.usage.display_names import distinct
from svc_nb.usage.totals import FIELDS, amounts, dates_of, in_unit, is_minutes
from svc_nb.wire.models import TagUsageReport, UsageAmounts, UsageReport

GROUPS = (None, "key", "key_and_day", "tag", "tag_and_day")
BY_DAY = ("key_and_day", "tag_and_day")
AMOUNTS = FIELDS[:5]
ROUNDED = 0.01  # minutes, by which a row may be off where a service rounds them
TAG_AMOUNTS = tuple(name for name in FIELDS if name != "document_translation_characters")


@hides("counted", "order")
class Usage(Report):
    """What was used from `start` to `end`, as the service reported it.

    `group_by` says what the rows are, and `total` is the service's own sum of them, None by tag; it stays what the
    service said when cells are changed. Days are UTC days.
    """

    _metadata = [*Report._metadata, "start", "end", "group_by", "total", "order", "counted"]
    start: Day
    end: Day
    group_by: str | None
    total: UsageAmounts | None
    order: Any
    counted: UsageAmounts

    def __init__(
        self,
        frame: Any,
        said: str = "",
        *,
        start: Day,
        end: Day,
        group_by: str | None,
        total: UsageAmounts | None = None,
        order: Any = None,
    ) -> None:
        super().__init__(frame, said)
        # Where each row stood in the service's report, which need not be sorted by day; and what all rows add up to,
        # from which it is seen later whether they still are those that *total* is about.
        facts = {"start": start, "end": end, "group_by": group_by, "total": total, "order": order}
        facts["counted"] = summed(self)
        for name, value in facts.items():
            object.__setattr__(self, name, value)


def from_report(
    report: Mapping[str, Any] | UsageReport | TagUsageReport,
    *,
    start: Day | None = None,
    end: Day | None = None,
    today: date | None = None,
) -> Usage:
    """The table of a report: the service's JSON, with or without the member that wraps it, or what was read from it.

    Rows stand in the order of their days; those of one day as the service has them. *start* and *end* replace what
    the report says. A day is incomplete that is not over on *today*; None is the UTC day it is. A WireError, which is a
    ValueError, where a row by day has no day, or one that no use can be on.
    """
    if isinstance(report, UsageReport | TagUsageReport):
        found = report
    else:
        inner = report.get("usage_report") or report.get("custom_tag_usage_report") or report
        found = (UsageReport if "total_usage" in inner else TagUsageReport).from_wire(inner)
    columns, order = _sorted_by_day(_columns(found.checked()), days.today() if today is None else today)
    usage = Usage(
        pd.DataFrame(columns),
        start=start or found.start_date,
        end=end or found.end_date,
        group_by=group_of(found),
        total=found.total_usage if isinstance(found, UsageReport) else None,
        order=order,
    )
    object.__setattr__(usage, "said", told(usage))
    return usage


def to_report(
    table: pd.DataFrame, *, start: Any = None, end: Any = None, group_by: str | None = None
) -> dict[str, Any]:
    """The JSON of the service that *table* is made of, tags over all pages as one.

    What a `Usage` knows itself need not be given; a plain table needs *start* and *end*, and its grouping is seen from
    its columns. The total is the service's own as long as the rows add up to what they did when they came; of a table
    that was changed, as of a plain one, it is the sum of the rows. Minutes that the service left out are 0.
    """
    own = table if isinstance(table, Usage) else None
    first, last = (own.start, own.end) if own is not None else (None, None)
    first = first if start is None else days.read_start(start)
    last = last if end is None else days.read_end(end)
    if first is None or last is None:
        raise ValueError(
            "a table that was filtered or made by hand does not say its range: give start= and end="
        )
    group = group_by or (own.group_by if own is not None else grouping(table))
    span = {"start_date": days.written(first), "end_date": days.written(last)}
    rows = _in_order(_records(table, group), own)
    if group in ("tag", "tag_and_day"):
        by = "day" if group == "tag_and_day" else "period"
        return {"custom_tag_usage_report": {"aggregate_by": by, **span, "next_page": None, "usage": rows}}
    total = summed(table)
    if own is not None and own.total is not None and own.counted == total:
        total = own.total
    report: dict[str, Any] = {"total_usage": total.to_wire(), **span}
    if group is not None:
        report |= {"group_by": group, f"{group}_usages": rows}
    return {"usage_report": report}


def grouping(table: pd.DataFrame) -> str | None:
    """What the rows of *table* are, from its columns."""
    who = "tag" if "custom_tag" in table.columns else "key" if "api_key" in table.columns else None
    return f"{who}_and_day" if who and "usage_date" in table.columns else who


def group_of(report: UsageReport | TagUsageReport) -> str | None:
    """What the rows of the table of *report* are."""
    if isinstance(report, TagUsageReport):
        return "tag_and_day" if report.aggregate_by == "day" else "tag"
    if report.key_and_day_usages is not None:
        return "key_and_day"
    return None if report.key_usages is None else "key"


def summed(table: pd.DataFrame) -> UsageAmounts:
    """The sum of all rows; minutes to the millisecond."""
    known = [name for name in AMOUNTS if name in table.columns]
    sums = {name: in_unit(amounts(table, name).sum(), name).item() for name in known}
    return UsageAmounts(**{name: sums.get(name, 0.0 if is_minutes(name) else 0) for name in AMOUNTS})


# ---- from the service


def _columns(report: UsageReport | TagUsageReport) -> dict[str, Any]:
    if isinstance(report, TagUsageReport):
        return _tag_columns(report)
    rows: Sequence[Any] = report.key_and_day_usages or report.key_usages or ()
    columns: dict[str, Any] = {}
    if report.key_and_day_usages is not None:
        columns["usage_date"] = _dates([row.usage_date for row in rows])
    if group_of(report):
        columns |= {
            name: text_array([getattr(row, name) for row in rows]) for name in ("api_key", "api_key_label")
        }
    used = [row.usage for row in rows] if group_of(report) else [report.total_usage]
    return columns | {name: _numbers(name, [getattr(each, name) for each in used]) for name in AMOUNTS}


def _tag_columns(report: TagUsageReport) -> dict[str, Any]:
    rows = report.usage
    columns: dict[str, Any] = {}
    if report.aggregate_by == "day":
        columns["usage_date"] = _dates([row.usage_date for row in rows])
    columns["custom_tag"] = text_array([row.custom_tag for row in rows])
    for name in TAG_AMOUNTS:
        cells = [getattr(row.breakdown, name) for row in rows]
        if name != "speech_to_speech_minutes" or any(cell is not None for cell in cells):
            columns[name] = _numbers(name, cells)
    return columns


def _sorted_by_day(columns: dict[str, Any], today: date) -> tuple[dict[str, Any], Any]:
    """*columns* by day, with one that says which are incomplete, and where each row stood before."""
    if "usage_date" not in columns:
        return columns, None
    order = np.argsort(columns["usage_date"], kind="stable")
    found = {name: cells.take(order) for name, cells in columns.items()}
    return found | {"incomplete": found["usage_date"] >= np.datetime64(today)}, order


def _dates(cells: Sequence[Any]) -> Any:
    """Days as an array, each different one read once: numpy is slow at dates."""
    numbers: dict[Any, int] = {}
    codes = [numbers.setdefault(day, len(numbers)) for day in cells]
    return np.array([*numbers], dtype="datetime64[D]").astype("datetime64[s]")[codes]


def _numbers(name: str, cells: Sequence[Any]) -> Any:
    return np.array(cells, dtype=np.float64 if is_minutes(name) else np.int64)


# ---- to the service


def _records(table: pd.DataFrame, group: str | None) -> list[dict[str, Any]]:
    """The rows as the service writes them."""
    if group is None:
        return []
    by_tag = group in ("tag", "tag_and_day")
    who = ("custom_tag",) if by_tag else ("api_key", "api_key_label")
    facts = {name: table[name].astype(object).where(table[name].notna(), "").tolist() for name in who}
    if group in BY_DAY:
        facts["usage_date"] = [f"{day}T00:00:00Z" for day in dates_of(table).astype(str).tolist()]
    used = _written_amounts(table, TAG_AMOUNTS if by_tag else AMOUNTS)
    inside = "breakdown" if by_tag else "usage"
    whole = zip(*facts.values(), used, strict=True)
    return [dict(zip((*facts, inside), cells, strict=True)) for cells in whole]


def _written_amounts(table: pd.DataFrame, names: Sequence[str]) -> list[dict[str, Any]]:
    """The amounts of each row; a product that was not told of is not there."""
    known = [name for name in names if name in table.columns]
    cells = [
        pd.to_numeric(table[name]).to_numpy(dtype="float64", na_value=np.nan).tolist()
        if is_minutes(name)
        else amounts(table, name).tolist()
        for name in known
    ]
    rows = (dict(zip(known, row, strict=True)) for row in zip(*cells, strict=True))
    return [{name: cell for name, cell in row.items() if cell == cell} for row in rows]


def _in_order(rows: list[dict[str, Any]], usage: Usage | None) -> list[dict[str, Any]]:
    """*rows* as they stood in the service's report, where that is known and nobody has moved them."""
    if usage is None or usage.order is None or len(usage.order) != len(rows):
        return rows
    if not usage.index.equals(pd.RangeIndex(len(rows))):
        return rows
    found = dict(zip(usage.order.tolist(), rows, strict=True))
    return [found[place] for place in range(len(rows))]


# ---- words


def told(usage: Usage) -> str:
    """What the table says in a line, and what to do next."""
    span = f"from {days.written(usage.start)} to {days.written(usage.end)} (UTC)"
    amiss = _contradiction(usage)
    if usage.group_by and not len(usage) and not amiss:
        tags = " under a reporting tag" if usage.group_by.startswith("tag") else ""
        return f'Nothing was used{tags} {span}. Next: ask for another range, such as svc_nb.usage("90 days").'
    if usage.group_by is None:
        who, then = (
            "All keys together",
            'svc_nb.usage(..., group_by="key_and_day") says who used it and when.',
        )
    elif usage.group_by.startswith("tag"):
        who, then = plural(len(usage["custom_tag"].unique()), "tag"), '.svc.plot("tags") draws it.'
    else:
        kind = "by_day" if usage.group_by in BY_DAY else "by_key"
        who, then = plural(len(distinct(usage)[1]), "key"), f'.svc.plot("{kind}") draws it.'
    is_late = "incomplete" in usage.columns and bool(usage["incomplete"].any())
    late = " The last day is not over: its numbers still grow." if is_late else ""
    used = _amounts_told(usage.total or summed(usage))
    return f"{who} used {used} {span}.{amiss}{late} Next: {then}"


def _contradiction(usage: Usage) -> str:
    """That the rows do not add up to the service's total, where they do not."""
    if usage.total is None or usage.group_by is None:
        return ""
    rows, total = summed(usage), usage.total
    apart = abs(rows.speech_to_text_minutes - total.speech_to_text_minutes)
    if rows.total_characters == total.total_characters and apart <= ROUNDED * len(usage):
        return ""
    return f" The rows add up to {_amounts_told(rows)}, which is not the service's total."


def _amounts_told(used: UsageAmounts) -> str:
    speech = used.speech_to_text_minutes
    minutes = f" and {speech:,.1f} minutes of speech" if speech else ""
    return f"{plural(used.total_characters, 'character')}{minutes}"


WHO = ("api_key", "api_key_label", "custom_tag")


def filled(usage: Usage, *, today: date) -> Usage:
    """*usage* with a row for every key seen on every day of its range up to *today*; what was there stays."""
    if not len(usage):
        return usage
    first, last = np.datetime64(day_of(usage.start)), np.datetime64(min(day_of(usage.end), today))
    dates = dates_of(usage)
    days = np.union1d(np.arange(first, last + 1), dates)  # a service may tell of days outside of the range
    keys, firsts = _identities(usage)
    places = np.full(len(days) * len(firsts), -1, dtype=np.intp)
    places[np.searchsorted(days, dates) * len(firsts) + keys] = np.arange(len(usage))
    return _spread(usage, places, np.repeat(days, len(firsts)), np.tile(firsts, len(days)), today)


def _identities(usage: Usage) -> tuple[Any, Any]:
    """For each row the number of its key, and for each key its first row; two that look the same are two."""
    who = [name for name in WHO if name in usage.columns]
    nth = usage.groupby(["usage_date", *who], sort=False, dropna=False).cumcount()
    keys = usage.assign(nth=nth).groupby([*who, "nth"], sort=False, dropna=False).ngroup().to_numpy()
    _, firsts = np.unique(keys, return_index=True)
    return keys, firsts


def _spread(usage: Usage, places: Any, dates: Any, whose: Any, today: date) -> Usage:
    """The rows at *places*, and for -1 one with 0 for the key of the row *whose*."""
    columns: dict[str, Any] = {"usage_date": dates.astype("datetime64[s]")}
    for name in usage.columns:
        cells = usage[name].array
        if name in WHO:
            columns[name] = cells.take(whose)
        elif name in FIELDS:
            zero: Any = 0.0 if is_minutes(name) else 0
            columns[name] = np.where(places < 0, zero, cells.take(np.maximum(places, 0)))
    columns["incomplete"] = dates >= np.datetime64(today)
    found = Usage(
        pd.DataFrame(columns),
        start=usage.start,
        end=usage.end,
        group_by=usage.group_by,
        total=usage.total,
    )
    object.__setattr__(found, "said", told(found))
    return found
