"""Who used how much, and when: the service's report as a table, compared with what was billed from here.

used = svc_nb.usage("2026-10-01", "2026-10-31")     # one row for each key and UTC day
used.svc.plot("by_day")
svc_nb.reconcile(used)                              # what the service reports, and what was logged here
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from svc_nb.tracebacks import module_verbs

if TYPE_CHECKING:
    import pandas as pd

    from svc_nb.tabular.report import Report
    from svc_nb.usage.table import Usage

__all__ = ["ledger", "reconcile", "usage"]


def usage(start: Any = None, end: Any = None, *, group_by: str | None = "key_and_day", fill: bool = False) -> Usage:
    """Usage from *start* to *end* as a tidy table; it needs an administrator key.

    Days are UTC days, and the last day is included. A range may be longer than the service allows in one request. The
    rows add up exactly to the service's own total; if they ever differ, the table says so. Keys with the same label are
    distinguished by `api_key`, which the service masks.

    Parameters
    ----------
    start, end
        Days as texts (2026-10-31), dates, datetimes or Timestamps; with a time zone they are converted to UTC, and
        midnight means the whole day. *start* alone may be a number of days up to today ("14 days"), "this month" or
        "last month". Without *end* the range ends today; without *start* it has 30 days.
    group_by
        "key_and_day", "key", "tag" or "tag_and_day" for one row each; None for one row in all.
    fill
        Whether to include days without use, with 0 for every key seen, up to today.

    Returns
    -------
    Usage
        `usage_date, api_key, api_key_label`, or `custom_tag`; the amounts; and `incomplete`, which is True for a day
        that is not over. Columns that do not apply to a grouping are left out.

    Raises
    ------
    ValueError
        The range or the grouping is invalid; nothing was sent.
    SettingsError, Forbidden
        There is no administrator key, or the key is not one.
    """
    from svc_nb.session import current
    from svc_nb.usage import report
    from svc_nb.usage.days import today

    return report.usage(current().admin, start, end, group_by=group_by, fill=fill, today=today())


def ledger(start: Any = None, end: Any = None) -> Report:
    """What the runs from here were billed: one row for each run and UTC day, in order of time.

    This applies to the last 31 days. Earlier days have the sums of all runs that share the other columns, without
    `started`, but a day or a month that you ask for is shown run by run. Every run is logged in the store's file at the
    moment its answers are saved, by all kernels that share the file; so is every job with documents, as the operation
    "document", when their translations arrive. `svc_nb.store.clear()` leaves the ledger alone. Nothing is sent.

    Parameters
    ----------
    start, end
        The first and the last day, as for `usage`; by default all days.

    Returns
    -------
    Report
        `usage_date, started, notebook, operation, column, target_lang, custom_tag, api_key, service, requests,
        billed_characters, unclear_characters`. A run with several target languages has a row for each. The key is
        masked, the notebook is a file name or missing. `unclear_characters` may have been billed in addition, for
        requests whose response was lost or is still pending.
    """
    from svc_nb.session import current_store
    from svc_nb.usage import billing

    return billing.ledger(current_store(), start, end)


def reconcile(usage: pd.DataFrame, *, service: str | None = None) -> Report:
    """Compare what the service reports with what the runs from here were billed, day by day.

    Parameters
    ----------
    usage
        The result of `usage(..., group_by="key_and_day")` or "tag_and_day", or some of its rows.
    service
        The address of the service whose runs count; by default that of the current session.

    Returns
    -------
    Report
        `usage_date`, `api_key` or `custom_tag` if *usage* has it, then `reported`, `logged`, `difference` and `note`,
        which explains in words where a difference may come from. Days without any use have no row.
    """
    from svc_nb.session import current, current_store
    from svc_nb.usage import billing

    whose = current().origin if service is None else service.rstrip("/")
    return billing.reconcile(usage, billing.ledger(current_store()), service=whose)


module_verbs(globals())
