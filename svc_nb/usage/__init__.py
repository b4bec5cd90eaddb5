"""Who used how much, and when: the service's report as a table, and what was billed from here beside it.

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
    """What was used from *start* to *end*, as a tidy table; it needs an administrator's key.

    Days are UTC days, and the last day counts to its end. A range may be longer than the service takes at once. The
    sums of the rows are the service's own total, exactly; should they ever differ, the table says so. Keys with the
    same label are kept apart by `api_key`, which the service masks.

    Parameters
    ----------
    start, end
        Days as texts (2026-10-31), dates, datetimes or Timestamps; with a time zone they are converted to UTC, and one
        at midnight means its whole day. *start* alone may be a number of days up to today ("14 days"), "this month" or
        "last month". Without *end* it is up to today; without *start* it is 30 days.
    group_by
        "key_and_day", "key", "tag" or "tag_and_day" for one row each; None for one row in all.
    fill
        Whether days without use are there too, with 0 for every key seen, up to today.

    Returns
    -------
    Usage
        `usage_date, api_key, api_key_label`, or `custom_tag`; the amounts; and `incomplete`, which is True for a day
        that is not over. Columns that a grouping lacks are absent.

    Raises
    ------
    ValueError
        The range or the grouping means nothing; nothing was sent.
    SettingsError, Forbidden
        There is no administrator's key, or the key is none.
    """
    from svc_nb.session import current
    from svc_nb.usage import report
    from svc_nb.usage.days import today

    return report.usage(current().admin, start, end, group_by=group_by, fill=fill, today=today())


def ledger(start: Any = None, end: Any = None) -> Report:
    """What the runs from here were billed: one row for each run and UTC day, in the order of time.

    Of the last 31 days, that is; days before them have the sums of all runs that are alike in what the columns say,
    without `started`. A day, or a month, is shown run by run when it is asked for.
    Every run is logged in the store's file, in the moment its answers are kept, by all kernels that share the file; so
    is every job on documents, as the operation "document", when their translations have come.
    `svc_nb.store.clear()` leaves the ledger alone. Nothing is sent.

    Parameters
    ----------
    start, end
        The first and the last day, as for `usage`; all days without them.

    Returns
    -------
    Report
        `usage_date, started, notebook, operation, column, target_lang, custom_tag, api_key, service, requests,
        billed_characters, unclear_characters`. A run with several target languages has a row for each. The key is
        masked, the notebook is a file name or missing. `unclear_characters` may have been billed besides: for requests
        whose answer never came, or is still to come.
    """
    from svc_nb.session import current_store
    from svc_nb.usage import billing

    return billing.ledger(current_store(), start, end)


def reconcile(usage: pd.DataFrame, *, service: str | None = None) -> Report:
    """Compare what the service reports with what the runs from here were billed, day by day.

    Parameters
    ----------
    usage
        What `usage(..., group_by="key_and_day")` or "tag_and_day" gave, all of it or some rows.
    service
        The address whose runs count; by default that of the current session.

    Returns
    -------
    Report
        `usage_date`, `api_key` or `custom_tag` where *usage* has it, then `reported`, `logged`, `difference` and
        `note`, which says in words what the difference may come from. Days without any use have no row.
    """
    from svc_nb.session import current, current_store
    from svc_nb.usage import billing

    whose = current().origin if service is None else service.rstrip("/")
    return billing.reconcile(usage, billing.ledger(current_store()), service=whose)


module_verbs(globals())
