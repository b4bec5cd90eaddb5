"""The report of the service as one tidy table, and back; reports over parts of a range as one."""

from collections.abc import Mapping
from datetime import date
from typing import Any

import numpy as np
import pandas as pd

from svc_nb.signatures import hides
from svc_nb.tabular.report import Report, plural
from svc_nb.tabular.text_column import text_array
from svc_nb.usage import days
from svc_nb.usage.days import Day, day_of
from svc_nb.usage.display_names import distinct
from svc_nb.usage.totals import FIELDS, amounts, dates_of, in_unit, is_minutes
from svc_nb.wire.models import TagUsageReport, UsageAmounts, UsageReport

GROUPS = (None, "key", "key_and_day", "tag", "tag_and_day")
BY_DAY = ("key_and_day", "tag_and_day")
AMOUNTS = FIELDS[:5]
ROUNDED = 0.01  # minutes, by which a row may be off if a service rounds them
TAG_AMOUNTS = tuple(name for name in FIELDS if name != "document_translation_characters")


@hides("counted", "order")
class Usage(Report):
    """Usage from `start` to `end`, as reported by the service.

    `group_by` says what the rows are, and `total` is the service's own sum of them, None by tag; it does not change
    when cells are edited. Days are UTC days.
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
        *,
        start: Day,
        end: Day,
        group_by: str | None,
        total: UsageAmounts | None = None,
        order: Any = None,
    ) -> None:
        super().__init__(frame)
        # The position of each row in the service's report, which need not be sorted by day; and the sum of all rows,
        # which shows later whether they are still the rows that *total* is about.
        facts = {"start": start, "end": end, "group_by": group_by, "total": total, "order": order}
        facts["counted"] = summed(self)
        for name, value in facts.items():
            object.__setattr__(self, name, value)
        object.__setattr__(self, "said", told(self))


def from_report(
    report: Mapping[str, Any] | UsageReport | TagUsageReport,
    *,
    start: Day | None = None,
    end: Day | None = None,
    today: date | None = None,
) -> Usage:
    """The table of a report: the service's JSON, with or without the member that wraps it, or the parsed report.

    Rows are in the order of their days, and within a day in the service's order. *start* and *end* override those of
    the report. A day that is not over on *today* is incomplete; None means the current UTC day. Raises WireError, which
    is a ValueError, if a row by day has no day, or an impossible one.
    """
    if isinstance(report, UsageReport | TagUsageReport):
        found = report
    else:
        inner = report.get("usage_report") or report.get("custom_tag_usage_report") or report
        found = (UsageReport if "total_usage" in inner else TagUsageReport).from_wire(inner)
    columns, order = _columns(found.checked()), None
    if "usage_date" in columns:
        order = np.argsort(columns["usage_date"], kind="stable")
        columns = {name: cells.take(order) for name, cells in columns.items()}
        columns["incomplete"] = columns["usage_date"] >= np.datetime64(today or days.today())
    frame = pd.DataFrame(columns)
    return Usage(
        frame,
        start=start or found.start_date,
        end=end or found.end_date,
        group_by=grouping(frame),
        total=found.total_usage if isinstance(found, UsageReport) else None,
        order=order,
    )


def to_report(
    table: pd.DataFrame, *, start: Any = None, end: Any = None, group_by: str | None = None
) -> dict[str, Any]:
    """The service's JSON for *table*, with the tags of all pages together.

    A `Usage` knows its range; a plain table needs *start* and *end*, and its grouping is inferred from its columns. The
    total is the service's own if the rows still add up to the same; for a changed or plain table, it is the sum of the
    rows. Minutes that the service left out are 0.
    """
    own = table if isinstance(table, Usage) else None
    first, last = (own.start, own.end) if own is not None else (None, None)
    first = first if start is None else days.read_day("start", start)
    last = last if end is None else days.read_day("end", end)
    if first is None or last is None:
        raise ValueError("a table that was filtered or made by hand does not know its range. Give start= and end=")
    group = group_by or (own.group_by if own is not None else grouping(table))
    span = {"start_date": days.written(first), "end_date": days.written(last)}
    rows = [] if group is None else _records(table, group)
    if own is not None and own.order is not None and own.index.equals(pd.RangeIndex(len(own.order))):
        # The rows have not been moved, so they go back to their positions in the service's report.
        rows = [rows[place] for place in np.argsort(own.order)]
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
    """The grouping of *table*, inferred from its columns."""
    who = "tag" if "custom_tag" in table.columns else "key" if "api_key" in table.columns else None
    return f"{who}_and_day" if who and "usage_date" in table.columns else who


def summed(table: pd.DataFrame) -> UsageAmounts:
    """The sum of all rows; minutes to the millisecond."""
    known = [name for name in AMOUNTS if name in table.columns]
    sums = {name: in_unit(amounts(table, name).sum(), name).item() for name in known}
    return UsageAmounts(**{name: sums.get(name, 0.0 if is_minutes(name) else 0) for name in AMOUNTS})


def _columns(report: UsageReport | TagUsageReport) -> dict[str, Any]:
    """The columns of the table for *report*, with rows in the service's order."""
    rows: Any
    used: Any
    if isinstance(report, TagUsageReport):
        rows, by_day = report.usage, report.aggregate_by == "day"
        who, used, names = ["custom_tag"], [row.breakdown for row in rows], list(TAG_AMOUNTS)
        if all(each.speech_to_speech_minutes is None for each in used):
            names.remove("speech_to_speech_minutes")
    elif report.key_and_day_usages is None and report.key_usages is None:
        rows, by_day, who, used, names = (), False, [], [report.total_usage], list(AMOUNTS)
    else:
        by_day = report.key_and_day_usages is not None
        rows = report.key_and_day_usages or report.key_usages or ()
        who, used, names = ["api_key", "api_key_label"], [row.usage for row in rows], list(AMOUNTS)
    columns: dict[str, Any] = {}
    if by_day:
        numbers: dict[date, int] = {}  # each distinct day is parsed once, because numpy is slow at dates
        codes = [numbers.setdefault(row.usage_date, len(numbers)) for row in rows]
        columns["usage_date"] = np.array([*numbers], dtype="datetime64[D]").astype("datetime64[s]")[codes]
    for name in who:
        columns[name] = text_array([getattr(row, name) for row in rows])
    for name in names:
        kind = np.float64 if is_minutes(name) else np.int64
        columns[name] = np.array([getattr(each, name) for each in used], dtype=kind)
    return columns


def _records(table: pd.DataFrame, group: str) -> list[dict[str, Any]]:
    """The rows as the service writes them; a product that was not reported is left out."""
    by_tag = group in ("tag", "tag_and_day")
    who = ("custom_tag",) if by_tag else ("api_key", "api_key_label")
    facts = {name: table[name].astype(object).where(table[name].notna(), "").tolist() for name in who}
    if group in BY_DAY:
        facts["usage_date"] = [f"{day}T00:00:00Z" for day in dates_of(table).astype(str).tolist()]
    known = [name for name in (TAG_AMOUNTS if by_tag else AMOUNTS) if name in table.columns]
    cells = [
        pd.to_numeric(table[name]).to_numpy(dtype="float64", na_value=np.nan).tolist()
        if is_minutes(name)
        else amounts(table, name).tolist()
        for name in known
    ]
    inside = "breakdown" if by_tag else "usage"
    records = []
    for row, used in zip(zip(*facts.values(), strict=True), zip(*cells, strict=True), strict=True):
        told = {name: cell for name, cell in zip(known, used, strict=True) if cell == cell}
        records.append({**dict(zip(facts, row, strict=True)), inside: told})
    return records


# ---- words


def told(usage: Usage) -> str:
    """A summary of the table in one line, and what to do next."""
    span = f"from {days.written(usage.start)} to {days.written(usage.end)} (UTC)"
    amiss, rows, total = "", summed(usage), usage.total
    if total is not None and usage.group_by is not None:
        off = abs(rows.speech_to_text_minutes - total.speech_to_text_minutes)
        if rows.total_characters != total.total_characters or off > ROUNDED * len(usage):
            amiss = f" The rows add up to {_amounts_told(rows)}, which differs from the service's total."
    if usage.group_by and not len(usage) and not amiss:
        tags = " under a reporting tag" if usage.group_by.startswith("tag") else ""
        return f'Nothing was used{tags} {span}. Next: try another range, such as svc_nb.usage("90 days").'
    if usage.group_by is None:
        who, then = ("All keys together", 'svc_nb.usage(..., group_by="key_and_day") shows who used it and when.')
    elif usage.group_by.startswith("tag"):
        who, then = plural(len(usage["custom_tag"].unique()), "tag"), '.svc.plot("tags") draws it.'
    else:
        kind = "by_day" if usage.group_by in BY_DAY else "by_key"
        who, then = plural(len(distinct(usage)[1]), "key"), f'.svc.plot("{kind}") draws it.'
    is_late = "incomplete" in usage.columns and bool(usage["incomplete"].any())
    late = " The last day is not over, so its numbers may still grow." if is_late else ""
    used = _amounts_told(total or rows)
    return f"{who} used {used} {span}.{amiss}{late} Next: {then}"


def _amounts_told(used: UsageAmounts) -> str:
    speech = used.speech_to_text_minutes
    minutes = f" and {speech:,.1f} minutes of speech" if speech else ""
    return f"{plural(used.total_characters, 'character')}{minutes}"


WHO = ("api_key", "api_key_label", "custom_tag")


def filled(usage: Usage, *, today: date) -> Usage:
    """*usage* with a row for every key seen on every day of its range up to *today*; existing rows stay."""
    if not len(usage):
        return usage
    first, last = np.datetime64(day_of(usage.start)), np.datetime64(min(day_of(usage.end), today))
    dates = dates_of(usage)
    days = np.union1d(np.arange(first, last + 1), dates)  # a service may report days outside the range
    # For each row the number of its key, and for each key its first row; keys that look the same stay separate.
    who = [name for name in WHO if name in usage.columns]
    nth = usage.groupby(["usage_date", *who], sort=False, dropna=False).cumcount()
    keys = usage.assign(nth=nth).groupby([*who, "nth"], sort=False, dropna=False).ngroup().to_numpy()
    _, firsts = np.unique(keys, return_index=True)
    places = np.full(len(days) * len(firsts), -1, dtype=np.intp)
    places[np.searchsorted(days, dates) * len(firsts) + keys] = np.arange(len(usage))
    columns: dict[str, Any] = {"usage_date": np.repeat(days, len(firsts)).astype("datetime64[s]")}
    for name in usage.columns:
        cells = usage[name].array
        if name in WHO:
            columns[name] = cells.take(np.tile(firsts, len(days)))
        elif name in FIELDS:
            zero: Any = 0.0 if is_minutes(name) else 0
            columns[name] = np.where(places < 0, zero, cells.take(np.maximum(places, 0)))
    columns["incomplete"] = columns["usage_date"] >= np.datetime64(today)
    frame = pd.DataFrame(columns)
    return Usage(frame, start=usage.start, end=usage.end, group_by=usage.group_by, total=usage.total)
