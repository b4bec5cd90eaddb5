"""The account: its usage and limits; developer keys with their caps; usage by key, day and tag."""

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from enum import Enum
from typing import Any, Final, TypeVar

from svc_nb.advice import Setting
from svc_nb.errors import BadReply, Forbidden
from svc_nb.wire.client.resource import ResourceClient, listing, member
from svc_nb.wire.models import DeveloperKey, TagUsage, TagUsageReport, Usage, UsageReport


class Unset(Enum):
    """The type of `UNSET`, which leaves a cap unchanged; None removes it."""

    UNSET = "unset"


UNSET: Final = Unset.UNSET

KEYS = "/v2/admin/developer-keys"
Day = date | str
T = TypeVar("T")


class Admin(ResourceClient):
    """The operations that need an administrator key."""

    def analytics(self, start_date: Day, end_date: Day, *, group_by: str | None = None) -> UsageReport:
        """Report the usage from *start_date* to *end_date*, in UTC.

        *group_by* adds totals by "key", or by "key_and_day". The range may span 366 days.
        """
        params = {"start_date": _written(start_date), "end_date": _written(end_date), "group_by": group_by}
        parse = member("usage_report", lambda wire: UsageReport.from_wire(wire).checked())
        return self._ask(parse, "GET", "/v2/admin/analytics", params=params)

    def tag_analytics(
        self, start_date: Day, end_date: Day, *, aggregate_by: str = "period", page: int | None = None
    ) -> TagUsageReport:
        """Report one page of the usage by reporting tag, over the whole "period" or by "day"."""
        days = {"start_date": _written(start_date), "end_date": _written(end_date)}
        params = {**days, "aggregate_by": aggregate_by, "page": page}
        parse = member("custom_tag_usage_report", lambda wire: TagUsageReport.from_wire(wire).checked(aggregate_by))
        return self._ask(parse, "GET", "/v2/admin/analytics/custom-tags", params=params)

    def iterate_tags(self, start_date: Day, end_date: Day, *, aggregate_by: str = "period") -> Iterator[TagUsage]:
        """Yield the usage of every tag once (of every tag and day if aggregated by "day"), page after page.

        Tags that exist from the first page to the last are all yielded, each once, even if others are added in the
        meantime.
        """
        seen: set[tuple[str, date | None]] = set()
        visited: set[int | None] = set()
        page: int | None = None
        while True:
            report = self.tag_analytics(start_date, end_date, aggregate_by=aggregate_by, page=page)
            fresh = [usage for usage in report.usage if (usage.custom_tag, usage.usage_date) not in seen]
            seen.update((usage.custom_tag, usage.usage_date) for usage in fresh)
            yield from fresh
            visited.add(page)
            page = report.next_page
            if page is None:
                return
            if page in visited:
                raise BadReply(f"The listing does not end: page {page} is named as its own successor")

    def keys(self) -> list[DeveloperKey]:
        """Return all developer keys, including deactivated ones."""
        return self._ask(listing(DeveloperKey.from_wire), "GET", KEYS)

    def create_key(self, label: str | None = None, *, tries: int | None = None) -> DeveloperKey:
        """Create a developer key; the key itself, if the service returns it (it does so only once), is in `api_key`."""
        body = {} if label is None else {"label": label}
        return self._key("POST", "", body, tries=tries)

    def set_limits(
        self,
        key_id: str,
        *,
        characters: int | Unset | None = UNSET,
        speech_to_text_milliseconds: int | Unset | None = UNSET,
    ) -> DeveloperKey:
        """Set the monthly caps of a key: 0 blocks it, None removes the cap; caps that are not given are not sent."""
        limits = {"characters": characters, "speech_to_text_milliseconds": speech_to_text_milliseconds}
        given = {name: limit for name, limit in limits.items() if limit is not UNSET}
        return self._key("PUT", "/limits", {"key_id": key_id, **given})

    def rename_key(self, key_id: str, label: str) -> DeveloperKey:
        """Give a key another label."""
        return self._key("PUT", "/label", {"key_id": key_id, "label": label})

    def deactivate_key(self, key_id: str) -> DeveloperKey:
        """Deactivate a key at once and for good."""
        return self._key("PUT", "/deactivate", {"key_id": key_id})

    def _key(self, method: str, path: str, body: dict[str, Any], *, tries: int | None = None) -> DeveloperKey:
        return self._ask(DeveloperKey.from_wire, method, f"{KEYS}{path}", json=body, tries=tries)

    def _ask(self, parse: Callable[[Any], T], method: str, path: str, **request: Any) -> T:
        """Send with the administrator key; if the key is not one, the error says what to set."""
        try:
            return super()._ask(parse, method, path, admin=True, **request)
        except Forbidden as error:
            refused = error.with_traceback(None)
        refused.message = (
            f"This needs an administrator key, and the service does not accept the given one "
            f"({refused.message}): set {Setting('admin_key')}"
        )
        refused.args = (refused.message,)
        raise refused


def _written(day: Day) -> str:
    """The day or time in the form of the service, in UTC."""
    if isinstance(day, datetime):
        moment = day.astimezone(UTC) if day.tzinfo else day
        return moment.replace(tzinfo=None).isoformat(timespec="seconds")
    return day.isoformat() if isinstance(day, date) else day


class Account(ResourceClient):
    """The account that the key belongs to."""

    def usage(self) -> Usage:
        """Return the usage in the current period, by product if the plan reports it."""
        return self._ask(Usage.from_wire, "GET", "/v2/usage")
