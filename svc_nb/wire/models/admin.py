"""The usage of an account, developer keys with their caps, and usage reports. Days are UTC days."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any, Self

import msgspec

from svc_nb.secret import Secret
from svc_nb.wire.models.base import Noun, Timed, WireError, keep_times, settle_days

ROWS = ("key_usages", "key_and_day_usages")
# Usage cannot be on a day before or after these; some services write the year 1 for an unknown day.
EARLIEST, LATEST = date(2000, 1, 1), date(2199, 12, 31)
MILLISECONDS = 60_000
# The limit reported by a plan without one.
UNLIMITED = 10**12


@dataclass(frozen=True, slots=True)
class UsageLimits(Noun):
    """The monthly caps of a key: 0 blocks it, None means no cap."""

    characters: int | None = None
    speech_to_text_milliseconds: int | None = None


@dataclass(frozen=True, slots=True)
class DeveloperKey(Timed):
    """A developer key in the administration; a key that was never named may have no label.

    `api_key` is the usable key itself. It is present at most once, when the service returns it on creation, and is
    neither compared nor written.
    """

    key_id: str
    creation_time: datetime
    label: str | None = None
    deactivated_time: datetime | None = None
    is_deactivated: bool = False
    usage_limits: UsageLimits = field(default_factory=UsageLimits)
    api_key: Secret | None = field(default=None, repr=False, compare=False)

    def to_wire(self) -> dict[str, Any]:
        """Write the key's properties, never the key itself."""
        return super(DeveloperKey, replace(self, api_key=None)).to_wire()


@dataclass(frozen=True, slots=True)
class UsageAmounts(Noun):
    """The usage by product; a service without speech may leave out the minutes."""

    total_characters: int
    text_translation_characters: int
    document_translation_characters: int
    text_improvement_characters: int
    speech_to_text_minutes: float = 0.0

    @classmethod
    def from_wire(cls, wire: object) -> Self:
        """Read the noun; without minutes, the milliseconds of older versions are used, else 0."""
        return super(UsageAmounts, cls).from_wire(_with_minutes(wire))


@dataclass(frozen=True, slots=True)
class KeyUsage(Noun):
    """The usage of one key over the whole range; the service masks `api_key`."""

    api_key: str
    api_key_label: str
    usage: UsageAmounts


@dataclass(frozen=True, slots=True)
class KeyDayUsage(Noun):
    """The usage of one key on one day; the service masks `api_key`."""

    api_key: str
    api_key_label: str
    usage_date: date
    usage: UsageAmounts

    @classmethod
    def from_wire(cls, wire: object) -> Self:
        """Read the noun; a timestamp counts for its UTC day."""
        return super(KeyDayUsage, cls).from_wire(settle_days(wire, "usage_date"))


@dataclass(frozen=True, slots=True)
class UsageReport(Noun):
    """Usage from `start_date` to `end_date`; only the requested one of the two lists is present.

    Both dates are UTC days, or datetimes in UTC if the service reports a time.
    """

    total_usage: UsageAmounts
    start_date: date
    end_date: date
    group_by: str | None = None
    key_usages: tuple[KeyUsage, ...] | None = None
    key_and_day_usages: tuple[KeyDayUsage, ...] | None = None

    @classmethod
    def from_wire(cls, wire: object) -> Self:
        """Read the noun; in rows a timestamp counts for its UTC day, and a key without a label has an empty one."""
        if not isinstance(wire, dict):
            return super(UsageReport, cls).from_wire(wire)
        told = {name: value for name, value in wire.items() if value is not None and name not in ROWS}
        if "total_usage" in told:
            told["total_usage"] = _with_minutes(told["total_usage"])
        settled = settle_days(told, "start_date", "end_date")
        # A year with many keys has tens of thousands of rows, so they are processed only once.
        rows = {name: _settled(wire[name]) for name in ROWS if wire.get(name) is not None}
        try:
            report = msgspec.convert({**settled, **rows}, cls)
        except msgspec.ValidationError as problem:
            raise WireError(f"{cls.__name__}: {problem}") from None
        keep_times(report, wire, "start_date", "end_date")
        return report

    def checked(self) -> Self:
        """The report itself, or WireError if a row has an impossible day."""
        _check_days("key_and_day_usages", [row.usage_date for row in self.key_and_day_usages or ()])
        return self


def _settled(rows: object) -> object:
    """*rows* with labels, minutes, and the UTC days of their timestamps; each different timestamp is parsed once."""
    known: dict[str, Any] = {}

    def settled(row: object) -> object:
        if not isinstance(row, dict):
            return row
        said, label = row.get("usage_date"), row.get("api_key_label")
        if isinstance(said, str) and said not in known:
            known[said] = settle_days({"usage_date": said}, "usage_date")["usage_date"]
        day = {"usage_date": known[said]} if isinstance(said, str) else {}
        used = {"usage": _with_minutes(row["usage"])} if "usage" in row else {}
        return {**row, "api_key_label": "" if label is None else label, **day, **used}

    return [settled(row) for row in rows] if isinstance(rows, list | tuple) else rows


def _with_minutes(used: object) -> object:
    """*used* with the minutes of speech; anything that is not a number is left to be refused."""
    if not isinstance(used, dict) or used.get("speech_to_text_minutes") is not None:
        return used
    exact = used.get("speech_to_text_milliseconds")
    is_number = isinstance(exact, int | float) and not isinstance(exact, bool)
    minutes = 0.0 if exact is None else exact / MILLISECONDS if is_number else exact
    return {**used, "speech_to_text_minutes": minutes}


def _check_days(name: str, days: Sequence[date | None]) -> None:
    """Raise WireError unless all *days*, of the rows in the member *name*, are present and possible."""
    wrong = {day for day in {*days} if day is None or not EARLIEST <= day <= LATEST}
    if not wrong:
        return
    place = next(place for place, day in enumerate(days) if day in wrong)
    expected = "a day" if days[place] is None else f"a day from {EARLIEST} to {LATEST}"
    raise WireError(f"Expected {expected} - at `$.{name}[{place}].usage_date`")


@dataclass(frozen=True, slots=True)
class TagAmounts(Noun):
    """The usage under a reporting tag, by product."""

    total_characters: int
    text_translation_characters: int
    text_improvement_characters: int
    speech_to_text_minutes: float | None = None
    speech_to_speech_minutes: float | None = None


@dataclass(frozen=True, slots=True)
class TagUsage(Noun):
    """The usage under one reporting tag, over the range or on `usage_date`."""

    custom_tag: str
    breakdown: TagAmounts
    usage_date: date | None = None

    @classmethod
    def from_wire(cls, wire: object) -> Self:
        """Read the noun; a timestamp counts for its UTC day."""
        return super(TagUsage, cls).from_wire(settle_days(wire, "usage_date"))


@dataclass(frozen=True, slots=True)
class TagUsageReport(Noun):
    """One page of usage by reporting tag; `next_page` is None on the last.

    `start_date` and `end_date` are UTC days, or datetimes in UTC if the service reports a time.
    """

    aggregate_by: str
    start_date: date
    end_date: date
    usage: tuple[TagUsage, ...]
    next_page: int | None = None

    @classmethod
    def from_wire(cls, wire: object) -> Self:
        """Read the noun; in rows a timestamp counts for its UTC day."""
        settled = settle_days(wire, "start_date", "end_date", "usage_date")
        report = super(TagUsageReport, cls).from_wire(settled)
        keep_times(report, wire, "start_date", "end_date")
        return report

    def checked(self, aggregate_by: str | None = None) -> Self:
        """The report itself, or WireError if it is by day and the day of a row is missing or impossible.

        *aggregate_by* is the requested aggregation, in case the report has another one.
        """
        if "day" in (self.aggregate_by, aggregate_by):
            _check_days("usage", [row.usage_date for row in self.usage])
        return self


@dataclass(frozen=True, slots=True)
class ProductUsage(Noun):
    """The usage of one product in the current period."""

    product_type: str
    billing_unit: str | None = None
    api_key_unit_count: int | None = None
    account_unit_count: int | None = None
    api_key_character_count: int | None = None
    character_count: int | None = None


@dataclass(frozen=True, slots=True)
class Usage(Timed):
    """The usage in the current period; values that the plan does not report are None."""

    character_count: int
    character_limit: int
    document_count: int | None = None
    document_limit: int | None = None
    team_document_count: int | None = None
    team_document_limit: int | None = None
    products: tuple[ProductUsage, ...] | None = None
    api_key_character_count: int | None = None
    api_key_character_limit: int | None = None
    speech_to_text_minutes_count: int | None = None
    speech_to_text_minutes_limit: int | None = None
    speech_to_speech_minutes_count: int | None = None
    speech_to_speech_minutes_limit: int | None = None
    speech_to_text_milliseconds_count: int | None = None
    speech_to_text_milliseconds_limit: int | None = None
    start_time: datetime | None = None
    end_time: datetime | None = None

    def nearest_limit(self) -> tuple[str, int, int | None]:
        """The limit that is nearest, that of the "plan" or of the "key": its name, the usage, and the limit.

        The limit is None if the plan has none.
        """
        of, used, limit = "plan", self.character_count, self.character_limit
        own, own_limit = self.api_key_character_count or 0, self.api_key_character_limit
        if own_limit is not None and own_limit - own < limit - used:
            of, used, limit = "key", own, own_limit
        return of, used, limit if limit < UNLIMITED else None
