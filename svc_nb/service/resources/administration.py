"""Administration: who used how much, by key, day and reporting tag, and the developer keys with their caps."""

import re
import sqlite3
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, convert

from ..database import stamp
from ..keys import ADMIN, Key, new_secret
from ..ledger import CHARACTER_PRODUCTS, SPEECH
from ..operations import Call, Nothing, Operations
from ..problems import bad_request, unsupported

operations = Operations()

MAX_DAYS = 366
TAGS_PER_PAGE = 100
KEYS = "/v2/admin/developer-keys"
MOST = 2**63 - 1  # what the database can count

Cap = Annotated[int, Meta(ge=0, le=MOST)] | None
Label = Annotated[str, Meta(min_length=1, max_length=1024)]

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


@operations.add("GET", "/v2/admin/analytics", scope=ADMIN)
def report(call: Call[Nothing, ReportQuery]) -> ReportAnswer:
    """Report usage in total, by key, or by key and day."""
    query = call.query
    if query.group_by not in ("", "key", "key_and_day"):
        raise bad_request("Value for 'group_by' not supported. Allowed: '', 'key', 'key_and_day'.")
    bounds = _bounds(query.start_date, query.end_date)
    with call.state.database.read() as connection:
        total = _amounts(next(_sums(connection, bounds, ())))
        answer = Report(total, query.start_date, query.end_date, query.group_by or None)
        if query.group_by == "key":
            answer.key_usages = [
                KeyUsage(row["masked"], row["label"], _amounts(row))
                for row in _sums(connection, bounds, ("keys.rowid",))
            ]
        elif query.group_by == "key_and_day":
            answer.key_and_day_usages = [
                KeyDayUsage(row["masked"], row["label"], f"{row['day']}T00:00:00Z", _amounts(row))
                for row in _sums(connection, bounds, ("keys.rowid", "day"))
            ]
    return ReportAnswer(answer)


@operations.add("GET", "/v2/admin/analytics/custom-tags", scope=ADMIN)
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
    shown = []
    for row in rows[:TAGS_PER_PAGE]:
        breakdown = convert(_amounts(row), TagAmounts, from_attributes=True)
        day = f"{row['day']}T00:00:00Z" if by_day else UNSET
        shown.append(TagUsage(custom_tag=row["tag"], usage_date=day, breakdown=breakdown))
    following = query.page + 1 if len(rows) > TAGS_PER_PAGE else None
    aggregated: Literal["period", "day"] = "day" if by_day else "period"
    return TagReportAnswer(TagReport(aggregated, query.start_date, query.end_date, following, shown))


_SUMS = ", ".join(
    f"SUM(CASE product WHEN '{product}' THEN units ELSE 0 END) AS {product}"
    for product in (*CHARACTER_PRODUCTS, SPEECH)
)


def _sums(
    connection: sqlite3.Connection, bounds: tuple[str, str], groups: Iterable[str], *, where: str = "", page: int = 0
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


def _amounts(row: sqlite3.Row) -> Amounts:
    texts, documents, improvements = (row[product] or 0 for product in CHARACTER_PRODUCTS)
    minutes = (row[SPEECH] or 0) / 60_000
    return Amounts(texts + documents + improvements, texts, documents, improvements, minutes)


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
    problem = unsupported(name, "Dates are YYYY-MM-DD or YYYY-MM-DDTHH:MM:SS, UTC.")
    if not _DATE.fullmatch(text):
        raise problem
    try:
        moment = datetime.fromisoformat(text).replace(tzinfo=UTC)
        moment + timedelta(days=1)
    except (ValueError, OverflowError):
        raise problem from None
    return moment


# ---- developer keys


class LabelBody(Struct):
    """A new key's name."""

    label: Label | None = None


class KeyBody(Struct):
    """A key."""

    key_id: str


class RenameBody(KeyBody):
    """A key and its new name."""

    label: Label


class LimitsBody(KeyBody):
    """A key and its monthly caps: 0 blocks, null removes, and a cap left out stays as it is."""

    characters: Cap | UnsetType = UNSET
    speech_to_text_milliseconds: Cap | UnsetType = UNSET


class UsageLimits(Struct):
    """A key's monthly caps; null is unlimited."""

    characters: int | None
    speech_to_text_milliseconds: int | None


class DeveloperKey(Struct, omit_defaults=False):
    """A developer key; `api_key` is its secret, told once, when the key is made."""

    key_id: str
    label: str
    creation_time: str
    deactivated_time: str | None
    is_deactivated: bool
    usage_limits: UsageLimits
    api_key: str | UnsetType = UNSET


@operations.add("GET", KEYS, scope=ADMIN)
def keys(call: Call[Nothing, Nothing]) -> list[DeveloperKey]:
    """List all developer keys, deactivated ones too."""
    return [_developer_key(key) for key in call.state.keys.all() if not key.is_admin]


@operations.add("POST", KEYS, scope=ADMIN)
def create_key(call: Call[LabelBody, Nothing]) -> DeveloperKey:
    """Create a developer key."""
    secret = new_secret()
    answer = _developer_key(call.state.keys.add(secret, moment=call.state.clock(), label=call.body.label))
    answer.api_key = secret
    return answer


@operations.add("PUT", KEYS + "/deactivate", scope=ADMIN)
def deactivate_key(call: Call[KeyBody, Nothing]) -> DeveloperKey:
    """Deactivate a key, at once and for good."""
    return _developer_key(call.state.keys.deactivate(call.body.key_id, call.state.clock()))


@operations.add("PUT", KEYS + "/label", scope=ADMIN)
def rename_key(call: Call[RenameBody, Nothing]) -> DeveloperKey:
    """Rename a key."""
    return _developer_key(call.state.keys.change(call.body.key_id, {"label": call.body.label}))


@operations.add("PUT", KEYS + "/limits", scope=ADMIN)
def set_limits(call: Call[LimitsBody, Nothing]) -> DeveloperKey:
    """Set or remove the monthly caps of a key."""
    caps = {name: getattr(call.body, name) for name in ("characters", "speech_to_text_milliseconds")}
    changes = {name: cap for name, cap in caps.items() if cap is not UNSET}
    return _developer_key(call.state.keys.change(call.body.key_id, changes))


def _developer_key(key: Key) -> DeveloperKey:
    ended = key.deactivated_time
    limits = UsageLimits(key.characters, key.speech_to_text_milliseconds)
    return DeveloperKey(key.key_id, key.label, key.creation_time, ended, ended is not None, limits)
