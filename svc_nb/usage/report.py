"""Requesting usage: a range that is too long for the service is split, and the parts are joined seamlessly."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from datetime import date
from itertools import chain
from typing import Any, TypeVar

from svc_nb.usage.days import MOST_DAYS, bounds, cut
from svc_nb.usage.table import BY_DAY, GROUPS, Usage, filled, from_report
from svc_nb.usage.totals import FIELDS, MILLISECONDS, is_minutes
from svc_nb.wire.client.admin import Admin
from svc_nb.wire.models import KeyUsage, TagUsage, TagUsageReport, UsageReport

T = TypeVar("T", KeyUsage, TagUsage)


def usage(
    admin: Admin,
    start: Any = None,
    end: Any = None,
    *,
    group_by: str | None,
    fill: bool = False,
    today: date,
    most: int = MOST_DAYS,
) -> Usage:
    """Usage from *start* to *end*; see `svc_nb.usage`. One request covers at most *most* days."""
    if group_by not in GROUPS:
        known = ", ".join(map(repr, GROUPS))
        raise ValueError(f"group_by: expected one of {known}, found {group_by!r}")
    if fill and group_by not in BY_DAY:
        raise ValueError(f"fill=True needs rows by day: group_by={' or '.join(map(repr, BY_DAY))}")
    first, last = bounds(start, end, today=today)
    parts = cut(first, last, most=most)
    whole: UsageReport | TagUsageReport
    if group_by in ("tag", "tag_and_day"):
        by = "day" if group_by == "tag_and_day" else "period"
        tags = [(start, end, tuple(admin.iterate_tags(start, end, aggregate_by=by))) for start, end in parts]
        whole = joined_tags([TagUsageReport(by, *part) for part in tags])
    else:
        whole = joined([admin.analytics(start, end, group_by=group_by) for start, end in parts])
        rows = f"{group_by}_usages"
        if group_by is not None and getattr(whole, rows) is None:  # some services leave out empty parts
            whole = replace(whole, **{rows: ()})  # type: ignore[arg-type]
    found = from_report(whole, start=first, end=last, today=today)
    return filled(found, today=today) if fill else found


def joined(parts: Sequence[UsageReport]) -> UsageReport:
    """Join reports over parts of a range, in order, into one for the whole; no day may be in two of them."""
    if len(parts) == 1:
        return parts[0]
    keys = [part.key_usages for part in parts if part.key_usages is not None]
    by_day = [part.key_and_day_usages for part in parts if part.key_and_day_usages is not None]
    return replace(
        parts[0],
        end_date=parts[-1].end_date,
        total_usage=_sum([part.total_usage for part in parts]),
        key_usages=_together(keys, ("api_key", "api_key_label"), "usage") if keys else None,
        key_and_day_usages=tuple(chain.from_iterable(by_day)) if by_day else None,
    )


def joined_tags(parts: Sequence[TagUsageReport]) -> TagUsageReport:
    """Join reports by tag over parts of a range, in order, into one for the whole; no day may be in two of them."""
    listed = [part.usage for part in parts]
    if len(parts) == 1 or parts[0].aggregate_by == "day":
        rows = tuple(chain.from_iterable(listed))
    else:
        rows = _together(listed, ("custom_tag",), "breakdown")
    return replace(parts[0], end_date=parts[-1].end_date, usage=rows)


def _together(parts: Iterable[Sequence[T]], who: Sequence[str], member: str) -> tuple[T, ...]:
    """The rows of all *parts*, with the amounts in *member* of the same key or tag added up."""
    rows: dict[Hashable, list[T]] = {}
    orders = []
    for part in parts:
        seen: Counter[Hashable] = Counter()
        order: list[Hashable] = []
        for row in part:
            identity = tuple(getattr(row, name) for name in who)
            order.append((identity, seen[identity]))
            seen[identity] += 1
            rows.setdefault(order[-1], []).append(row)
        orders.append(order)
    found = [rows[identity] for identity in merged(orders)]
    return tuple(replace(same[0], **{member: _sum([getattr(row, member) for row in same])}) for same in found)


def merged(orders: Iterable[Sequence[Hashable]]) -> list[Hashable]:
    """All items in *orders*, each once; a new item comes before the next one that was already known.

    >>> merged(["bd", "abc"])
    ['a', 'b', 'd', 'c']
    """
    found: list[Hashable] = []
    for order in orders:
        known, place = set(found), len(found)
        for identity in reversed(order):
            if identity in known:
                place = found.index(identity)
            else:
                found.insert(place, identity)
    return found


def _sum(rows: Sequence[Any]) -> Any:
    """The sum of amounts of one kind, minutes to the millisecond; a product that none of them reports stays None."""
    sums: dict[str, Any] = {}
    for name in FIELDS:
        told = [cell for row in rows if (cell := getattr(row, name, None)) is not None]
        if is_minutes(name) and told:
            sums[name] = sum(round(cell * MILLISECONDS) for cell in told) / MILLISECONDS
        elif told:
            sums[name] = sum(told)
    return replace(rows[0], **sums)
