"""What was billed from here, run by run, as a table; and compared with the service's report."""

from collections.abc import Iterable
from datetime import date, datetime
from typing import Any

import numpy as np
import pandas as pd

from svc_nb.engine.store import Store
from svc_nb.tabular.report import Report, plural
from svc_nb.tabular.text_column import text_array
from svc_nb.usage import days
from svc_nb.usage.table import Usage
from svc_nb.usage.totals import amounts, dates_of

# The columns of the ledger, and the fields of a charge that they come from.
COLUMNS = {
    "usage_date": "day",
    "started": "started",
    "notebook": "notebook",
    "operation": "operation",
    "column": "columns",
    "target_lang": "target_lang",
    "custom_tag": "tag",
    "api_key": "api_key",
    "service": "service",
    "requests": "requests",
    "billed_characters": "billed",
    "unclear_characters": "unclear",
    "marked_characters": "marked",
}
# This many days are shown run by run; earlier days, for which no one needs single runs, as sums.
RUNS_FOR = 31
COUNTS = ("requests", "billed", "unclear", "marked")
DAY: Any = "datetime64[s]"
WHO = ("api_key", "custom_tag")
ENDS = 4
LATE = "the report is late, or counts them on another day"
ELSEWHERE = "used elsewhere too"
NOTHING = "nothing was logged here"
WHERE = " Elsewhere means another machine, another store, or a request that svc_nb did not make."


def ledger(store: Store, start: Any = None, end: Any = None, *, today: date | None = None) -> Report:
    """What every run was billed, one row for each UTC day, target language and operation; see `svc_nb.ledger`."""
    if days.is_range(start):
        start, end = days.bounds(start, end, today=today or days.today())
    first = None if start is None else days.day_of(days.read_day("start", start))
    last = None if end is None else days.day_of(days.read_day("end", end))
    if first and last and last < first:
        raise ValueError(f"end ({last}) is before start ({first}). Swap them")
    asked = (day.isoformat() if day else None for day in (first, last))
    charges = store.charges(*asked, runs_for=RUNS_FOR)
    if not charges:
        said = "No runs were logged in that time."
    else:
        in_all = plural(len({charge.run for charge in charges if charge.run}), "run")
        runs = f"{in_all} in the last {RUNS_FOR} days (sums by day before)" if not charges[0].run else in_all
        billed = plural(sum(charge.billed for charge in charges), "character")
        unclear = sum(charge.unclear for charge in charges)
        besides = f" Up to {unclear:,} more may have been billed for requests without a response." if unclear else ""
        marked = sum(charge.marked for charge in charges)
        besides += f" {plural(marked, 'character')} of these NOT TRANSLATED, only marked." if marked else ""
        begun, ended = charges[0].day, charges[-1].day
        span = f"on {begun}" if begun == ended else f"from {begun} to {ended}"
        said = f"{runs}, {billed} billed {span} (UTC).{besides} Next: svc_nb.reconcile(svc_nb.usage(...))."
    columns: dict[str, Any] = {}
    for name, fact in COLUMNS.items():
        cells = [getattr(charge, fact) for charge in charges]
        if fact in COUNTS:
            columns[name] = np.array(cells, dtype="int64")
        elif name == "usage_date":
            columns[name] = np.array(cells, dtype=DAY)
        elif name == "started":
            seconds = ["NaT" if moment is None else int(moment) for moment in cells]
            columns[name] = pd.Series(np.array(seconds, dtype=DAY)).dt.tz_localize("UTC")
        else:
            columns[name] = text_array([cell or None for cell in cells] if name == "service" else cells)
    return Report(pd.DataFrame(columns), said)


def reconcile(
    usage: pd.DataFrame, logged: pd.DataFrame, *, service: str | None = None, today: date | None = None
) -> Report:
    """The service's report *usage* next to the ledger *logged*: for each day, and key or tag.

    Only runs of *logged* that went to *service* count, unless it is None. An unchanged report is compared with all of
    them in its range; a filtered report only with the days and keys that it still has. Keys are matched by their first
    and last characters, the only ones that are shown. Days without use have no row.
    """
    if not isinstance(usage, pd.DataFrame):
        raise TypeError(f"expected a table of usage, found {type(usage).__name__}")
    who = next((name for name in WHO if name in usage.columns), None)
    if service is not None:
        logged = logged[logged["service"] == service]
    both = _beside(usage, logged, who)
    unfinished = _unfinished(usage, today or days.today())
    notes = []
    rows: Iterable[Any] = both.itertuples()
    for row in rows:
        why = unfinished.get(row.usage_date.date())
        notes.append(f"{_compared(row)}; {why}" if why else _compared(row))
    both["note"] = text_array(notes)
    named = [who] if who else []
    shown = both[["usage_date", *named, "reported", "logged", "difference", "note"]]
    if not len(both):
        return Report(shown, "Nothing was reported and nothing was logged in that time.")
    different = int((both["difference"] != 0).sum())
    kind = "different" if different else "equal"
    count = f"{different:,} of {plural(len(both), 'row')}" if different else plural(len(both), "row")
    sums = f"{plural(int(both['reported'].sum()), 'character')} reported, {both['logged'].sum():,} logged"
    where = WHERE if (both["difference"] > both["unclear"]).any() else ""
    return Report(shown, f"{count} {kind}: {sums}.{where}")


def _summed(table: pd.DataFrame, who: str | None, **fields: str) -> pd.DataFrame:
    """Renamed columns of *table*, summed for each day and key or tag."""
    cells = table[who].astype(object).where(table[who].notna(), "") if who else [""] * len(table)
    texts = [str(cell) for cell in cells]
    if who == "api_key":  # the visible part of a key, without the mask
        identities = [text[:ENDS] + text[-ENDS:] for text in texts]
    else:  # a tag as the service stores it
        identities = [text.strip().lower() for text in texts]
    rows = pd.DataFrame(
        {
            "usage_date": dates_of(table).astype(DAY),
            "identity": text_array(identities),
            "who": text_array(texts),
            **{name: amounts(table, field) for name, field in fields.items()},
        }
    )
    by = rows.groupby(["usage_date", "identity"], sort=False)
    return by.agg({"who": "first", **dict.fromkeys(fields, "sum")}).reset_index()


def _beside(usage: pd.DataFrame, logged: pd.DataFrame, who: str | None) -> pd.DataFrame:
    """The reported amounts and what the report can contain of *logged*, by day, with keys in the report's order."""
    told = _summed(usage, who, reported="total_characters")
    if who == "custom_tag":  # a report by tag leaves out use without a tag
        logged = logged[logged["custom_tag"].notna()]
    seen = _summed(logged, who, logged="billed_characters", unclear="unclear_characters")
    if isinstance(usage, Usage):
        first, last = (np.datetime64(days.day_of(day)) for day in (usage.start, usage.end))
        seen = seen[seen["usage_date"].between(first, last)]
    else:
        seen = seen[seen["usage_date"].isin(told["usage_date"]) & seen["identity"].isin(told["identity"])]
    keys = ["usage_date", "identity"]
    both = told.merge(seen, how="outer", on=keys, suffixes=("", "_logged"), sort=False)
    for name in ("reported", "logged", "unclear"):
        both[name] = both[name].fillna(0).astype("int64")
    both = both[(both["reported"] > 0) | (both["logged"] > 0) | (both["unclear"] > 0)]
    order = {identity: number for number, identity in enumerate(told["identity"].unique())}
    both = both.assign(order=both["identity"].map(order).fillna(len(order)))
    both = both.sort_values(["usage_date", "order", "identity"], kind="stable").reset_index(drop=True)
    both["difference"] = both["reported"] - both["logged"]
    both["usage_date"] = both["usage_date"].astype(DAY)
    if who:
        both[who] = text_array(both["who"].fillna(both["who_logged"]).tolist())
    return both


def _unfinished(usage: pd.DataFrame, today: date) -> dict[date, str]:
    """Why the report does not cover a whole day."""
    unfinished: list[date] = [today]
    if "incomplete" in usage.columns:  # when the report was made
        unfinished += np.unique(dates_of(usage[usage["incomplete"].astype(bool)])).tolist()
    told = dict.fromkeys(unfinished, "the day was not over")
    if isinstance(usage, Usage):
        for name, day, whole in (("start", usage.start, "00:00:00"), ("end", usage.end, "23:59:59")):
            if isinstance(day, datetime) and days.written(day)[-8:] != whole:
                told[days.day_of(day)] = f"the report covers only part of this day ({name} {days.written(day)})"
    return told


def _compared(row: Any) -> str:
    more = row.difference
    if more == 0:
        return "equal"
    if more < 0:
        return f"{-more:,} fewer reported: {LATE}"
    if more <= row.unclear:
        return f"{more:,} more reported: for requests without a response (at most {row.unclear:,})"
    reasons = [ELSEWHERE if row.logged or row.unclear else NOTHING]
    if row.unclear:
        reasons.append(f"up to {row.unclear:,} for requests without a response")
    return f"{more:,} more reported: {'; '.join(reasons)}"
