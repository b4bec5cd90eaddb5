"""The service's time: UTC, written the way the contract writes it."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> datetime:
    """This moment, in UTC."""
    return datetime.now(UTC)


def stamp(moment: datetime) -> str:
    """ISO 8601 with milliseconds and a zone; such stamps sort as text.

    >>> stamp(datetime(2026, 11, 15, 0, 12, 20, 483000, UTC))
    '2026-11-15T00:12:20.483Z'
    """
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def month(moment: datetime) -> str:
    """The usage period a moment belongs to."""
    return moment.astimezone(UTC).strftime("%Y-%m")
