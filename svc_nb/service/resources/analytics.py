"""Administration: who used how much, by key, day and reporting tag."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from ..clock import stamp
from ..keys import ADMIN
from ..ledger import CHARACTER_PRODUCTS, SPEECH
from ..operations import Call, Nothing, Operations
from ..problems import bad_request

operations = Operations()

MAX_DAYS = 366
TAGS_PER_PAGE = 100

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2})?")


class ReportQuery(Struct):
    """A range, and how to group it."""

    start_date: str
    end_date: str
    group_by: str = ""


class TagQuery(Struct):
    """A range, how to aggregate it, and which page."""

    start_date: str
    end_date: str
    aggregate_by: str = ""
    page: Annotated[int, Meta(ge=0, le=2**31)] = 0


class Amounts(Struct):
    """The five usage fields."""

    total_characters: int
    text_translation_characters: int
    document_translation_characters: int
    text_improvement_characters: int
    speech_to_text_minutes: float


class KeyUsage(Struct):
    """One key over the whole range."""

    api_key: str
    api_key_label: str
    usage: Amounts


class KeyDayUsage(Struct):
    """One key on one UTC day."""

    api_key: str
    api_key_label: str
    usage_date: str
    usage: Amounts


class Report(Struct, omit_defaults=True):
    """The usage report; the arrays are there when their grouping was asked for."""

    total_usage: Amounts
    start_date: str
    end_date: str
    group_by: str | None = None
    key_usages: list[KeyUsage] | None = None
    key_and_day_usages: list[KeyDayUsage] | None = None


class ReportAnswer(Struct):
    """The report, wrapped."""

    usage_report: Report


class TagAmounts(Struct):
    """What a reporting tag can carry."""

    total_characters: int
    text_translation_characters: int
    text_improvement_characters: int
    speech_to_text_minutes: float
    speech_to_speech_minutes: float = 0.0


class TagUsage(Struct, kw_only=True):
    """One reporting tag, over the range or on one day."""

    custom_tag: str
    usage_date: str | UnsetType = UNSET
    breakdown: TagAmounts


class TagReport(Struct):
    """A page of tags."""

    aggregate_by: Literal["period", "day"]
    start_date: str
    end_date: str
    next_page: int | None
    usage: list[TagUsage]


class TagReportAnswer(Struct):
    """The page, wrapped."""

    custom_tag_usage_report: TagReport


@operations.add("GET", "/v2/admin/analytics", scope=ADMIN, query=ReportQuery, answer=ReportAnswer)
def report(call: Call[Nothing, ReportQuery]) -> ReportAnswer:
    """Report usage in total, by key, or by key and day."""
    query = call.query
    if query.group_by not in ("", "key", "key_and_day"):
        raise bad_request("Value for 'group_by' not supported. Allowed: '', 'key', 'key_and_day'.")
    bounds = _bounds(query.start_date, query.end_date)
    with call.state.database.read() as connection:
        total = _amounts(next(_sums(connection, bounds, ())))
        answer = Report(total, query.start_date, query.end_date)
        if query.group_by == "key":
            answer.key_usages = [
                KeyUsage(*_who(row), _amounts(row)) for row in _sums(connection, bounds, _KEY)
            ]
        elif query.group_by == "key_and_day":
            answer.key_and_day_usages = [
                KeyDayUsage(*_who(row), f"{row['day']}T00:00:00Z", _amounts(row))
                for row in _sums(connection, bounds, (*_KEY, "day"))
            ]
    answer.group_by = query.group_by or None
    return ReportAnswer(answer)


@operations.add("GET", "/v2/admin/analytics/custom-tags", scope=ADMIN, query=TagQuery, answer=TagReportAnswer)
def tag_report(call: Call[Nothing, TagQuery]) -> TagReportAnswer:
    """Report usage by reporting tag, over the range or by day."""
    query = call.query
    if query.aggregate_by not in ("", "period", "day"):
        raise bad_request("Value for 'aggregate_by' not supported. Allowed: '', 'period', 'day'.")
    by_day = query.aggregate_by == "day"
    bounds = _bounds(query.start_date, query.end_date)
    with call.state.database.read() as connection:
        groups = ("tag", "day") if by_day else ("tag",)
        rows = list(_sums(connection, bounds, groups, page=query.page, where="AND tag IS NOT NULL"))
    shown = [_tag_usage(row, by_day=by_day) for row in rows[:TAGS_PER_PAGE]]
    following = query.page + 1 if len(rows) > TAGS_PER_PAGE else None
    aggregated: Literal["period", "day"] = "day" if by_day else "period"
    return TagReportAnswer(TagReport(aggregated, query.start_date, query.end_date, following, shown))


_KEY = ("keys.rowid",)
_SUMS = ", ".join(
    f"SUM(CASE product WHEN '{product}' THEN units ELSE 0 END) AS {product}"
    for product in (*CHARACTER_PRODUCTS, SPEECH)
)


def _sums(
    connection: sqlite3.Connection,
    bounds: tuple[str, str],
    groups: Iterable[str],
    *,
    where: str = "",
    page: int = 0,
) -> sqlite3.Cursor:
    """The sums within *bounds* by *groups*, in their order; a page of tags is read with one row beyond."""
    named = ", ".join(groups)
    order = f"GROUP BY {named} ORDER BY {named}" if named else ""
    paging = f"LIMIT {TAGS_PER_PAGE + 1} OFFSET {page * TAGS_PER_PAGE}" if where else ""
    return connection.execute(
        f"SELECT masked, label, tag, substr(at, 1, 10) AS day, {_SUMS} "  # noqa: S608
        f"FROM usage JOIN keys USING (key_id) WHERE at >= ? AND at < ? {where} {order} {paging}",
        bounds,
    )


def _who(row: sqlite3.Row) -> tuple[str, str]:
    return row["masked"], row["label"]


def _amounts(row: sqlite3.Row) -> Amounts:
    texts, documents, improvements = (row[product] or 0 for product in CHARACTER_PRODUCTS)
    minutes = (row[SPEECH] or 0) / 60_000
    return Amounts(texts + documents + improvements, texts, documents, improvements, minutes)


def _tag_usage(row: sqlite3.Row, *, by_day: bool) -> TagUsage:
    amounts = _amounts(row)
    breakdown = TagAmounts(
        amounts.total_characters,
        amounts.text_translation_characters,
        amounts.text_improvement_characters,
        amounts.speech_to_text_minutes,
    )
    day = f"{row['day']}T00:00:00Z" if by_day else UNSET
    return TagUsage(custom_tag=row["tag"], usage_date=day, breakdown=breakdown)


def _bounds(start_date: str, end_date: str) -> tuple[str, str]:
    """The range as two stamps, the second one outside: a day counts to its end, a moment to its second."""
    start = _moment("start_date", start_date)
    end = _moment("end_date", end_date) + timedelta(**({"seconds": 1} if "T" in end_date else {"days": 1}))
    if end <= start:
        raise bad_request("Bad request. Reason: end_date is before start_date")
    if end - start > timedelta(days=MAX_DAYS):
        raise bad_request(f"Bad request. Reason: Date range cannot exceed {MAX_DAYS} days")
    return stamp(start), stamp(end)


def _moment(name: str, text: str) -> datetime:
    problem = bad_request(
        f"Value for '{name}' not supported.", detail="Dates are YYYY-MM-DD or YYYY-MM-DDTHH:MM:SS, UTC."
    )
    if not _DATE.fullmatch(text):
        raise problem
    try:
        moment = datetime.fromisoformat(text).replace(tzinfo=UTC)
        moment + timedelta(days=1)
    except (ValueError, OverflowError):
        raise problem from None
    return moment
