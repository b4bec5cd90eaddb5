"""The numbers that charts draw: usage summed by day, key and product, in whole arrays and without rounding.

Every function accepts any table with the columns of usage, even filtered, joined or read from a file. Keys are in order
of size, the largest first; with *top*, the rest comes together at the end as "N others", and `attrs["others"]` says how
many they are. A single remaining key keeps its name, and so do those *named*.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from svc_nb.tabular.report import plural
from svc_nb.usage.display_names import apart, coded

Array = npt.NDArray[Any]

CHARACTERS = ("text_translation_characters", "document_translation_characters", "text_improvement_characters")
MINUTES = ("speech_to_text_minutes", "speech_to_speech_minutes")
FIELDS = ("total_characters", *CHARACTERS, *MINUTES)
MILLISECONDS = 60_000
PERIODS = ("day", "week", "month")


def by_day(
    table: pd.DataFrame,
    *,
    field: str = "total_characters",
    top: int | None = None,
    named: Collection[str] = (),
    every: str = "day",
) -> pd.DataFrame:
    """One row for each day, week or month from the first to the last in *table*, without gaps; a column for each key.

    A week or month is named by its first day, even if the table begins later.
    """
    rows, days = _days(table, every)
    codes, names = coded(table)
    sums = _crossed(amounts(table, field), rows, codes, shape=(len(days), len(names)))
    sums, names, others = _largest(sums, names, top, named)
    found = pd.DataFrame(in_unit(sums, field), index=days, columns=pd.Index(names, name="name"))
    found.attrs["others"] = others
    return found


def by_key(
    table: pd.DataFrame, *, field: str = "total_characters", top: int | None = None, named: Collection[str] = ()
) -> pd.Series[Any]:
    """The sum of each key, or tag, over all days."""
    codes, names = coded(table)
    rows = np.zeros(len(table), dtype=np.intp)
    sums = _crossed(amounts(table, field), rows, codes, shape=(1, len(names)))
    sums, names, others = _largest(sums, names, top, named)
    found = pd.Series(in_unit(sums[0], field), index=pd.Index(names, name="name"), name=field)
    found.attrs["others"] = others
    return found


def by_product(table: pd.DataFrame, *, every: str = "day") -> pd.DataFrame:
    """The characters of each product, one column each: by day if *table* has days, otherwise by key, largest first."""
    products = [name for name in CHARACTERS if name in table.columns]
    if "usage_date" not in table.columns:
        keys = {product: by_key(table, field=product) for product in products}
        return pd.DataFrame(keys, index=by_key(table).index, columns=pd.Index(products, name="product"))
    rows, days = _days(table, every)
    nobody = np.zeros(len(table), dtype=np.intp)
    sums = [_crossed(amounts(table, each), rows, nobody, shape=(len(days), 1)) for each in products]
    cells = np.hstack(sums) if sums else None
    return pd.DataFrame(cells, index=days, columns=pd.Index(products, name="product"))


def grid(
    table: pd.DataFrame, *, field: str = "total_characters", top: int | None = None, every: str = "day"
) -> pd.DataFrame:
    """One row for each key, the largest first, and one column for each day, week or month, without gaps."""
    days = by_day(table, field=field, top=top, every=every)
    found = days.T
    found.attrs.update(days.attrs)
    return found


def share(table: pd.DataFrame, *, field: str = "total_characters", top: int | None = None) -> pd.Series[Any]:
    """The share of each key, or tag, in the whole, from 0 to 1; all 0 if nothing was used."""
    sums = by_key(table, field=field, top=top)
    whole = sums.sum()
    found = sums / whole if whole else sums.astype("float64")
    found.attrs.update(sums.attrs)
    return found


def amounts(table: pd.DataFrame, field: str) -> Array:
    """The cells of *field* in units that add up exactly: characters, or milliseconds; gaps are 0."""
    if field not in table.columns:
        known = [name for name in FIELDS if name in table.columns]
        raise ValueError(f"the table has no column {field!r}; its amounts are {', '.join(known) or 'none'}")
    cells: Any = pd.to_numeric(table[field])
    if not is_minutes(field) and cells.dtype == np.int64:
        whole: Array = cells.to_numpy()
        return whole
    plain: Array = cells.to_numpy(dtype="float64", na_value=0.0)
    exact: Array = np.rint(plain * MILLISECONDS if is_minutes(field) else plain)
    return exact.astype(np.int64)


def in_unit(sums: Array, field: str) -> Array:
    """*sums* of `amounts` as they are reported: characters, or minutes."""
    return sums / MILLISECONDS if is_minutes(field) else sums


def is_minutes(field: str) -> bool:
    """Whether *field* is counted in minutes, which never share an axis with characters."""
    return field.endswith("_minutes")


def others_name(count: int) -> str:
    """The common name of the keys beyond the largest."""
    return plural(count, "other")


def dates_of(table: pd.DataFrame) -> Array:
    """The UTC day of each row; ValueError if *table* has no days."""
    if "usage_date" not in table.columns:
        raise ValueError('the table has no days. Request it with group_by="key_and_day" or "tag_and_day"')
    cells = table["usage_date"]
    if not pd.api.types.is_datetime64_any_dtype(cells.dtype):
        cells = pd.to_datetime(cells, utc=True)
    if getattr(cells.dt, "tz", None) is not None:
        cells = cells.dt.tz_convert("UTC").dt.tz_localize(None)
    dates = cells.to_numpy().astype("datetime64[D]")
    if np.isnat(dates).any():
        raise ValueError("usage_date: a row has no day. Drop such rows first (dropna)")
    return dates


def period_starts(dates: Array, every: str) -> Array:
    """The first day of the week (Monday) or month of each of *dates*; for "day" the day itself.

    >>> [str(period_starts(np.array(["2026-10-15"], "datetime64[D]"), every)[0]) for every in PERIODS]
    ['2026-10-15', '2026-10-12', '2026-10-01']
    """
    if every not in PERIODS:
        raise ValueError(f"every: expected one of {', '.join(map(repr, PERIODS))}, found {every!r}")
    if every == "week":  # 1970 began with a Thursday
        return dates - (dates.astype(np.int64) + 3) % 7
    return dates.astype("datetime64[M]").astype("datetime64[D]") if every == "month" else dates


def _days(table: pd.DataFrame, every: str) -> tuple[Array, pd.DatetimeIndex]:
    """For each row the number of its day, week or month, and the first days of all of them, without gaps."""
    dates = period_starts(dates_of(table), every)
    unit, step = ("M", 1) if every == "month" else ("D", 7 if every == "week" else 1)
    places = dates.astype(f"datetime64[{unit}]")
    first = places.min() if len(places) else np.datetime64("1970-01-01").astype(places.dtype)
    rows = (places - first).astype(np.intp) // step
    count = int(rows.max()) + 1 if len(rows) else 0
    days = (first + np.arange(count) * step).astype("datetime64[s]")
    return rows, pd.DatetimeIndex(days, name="usage_date")


def _crossed(cells: Array, rows: Array, columns: Array, *, shape: tuple[int, int]) -> Array:
    """*cells* summed into the *rows* and *columns* of an array of *shape*."""
    sums = np.zeros(shape[0] * shape[1], dtype=np.int64)
    np.add.at(sums, rows * shape[1] + columns, cells)
    return sums.reshape(shape)


def _largest(
    sums: Array, names: Sequence[str], top: int | None, named: Collection[str] = ()
) -> tuple[Array, list[str], int]:
    """The columns of *sums* by size, those beyond *top* and not *named* as one; their names; how many the last has."""
    if top is not None and top < 1:
        raise ValueError(f"top: expected 1 or more, found {top}")
    order = np.argsort(-sums.sum(axis=0), kind="stable")
    apart_too = np.array([names[number] in named for number in order], dtype=bool)
    stays = apart_too | (np.arange(len(order)) < (len(order) if top is None else top))
    beyond = int((~stays).sum())
    if beyond < 2:
        return sums[:, order], [names[number] for number in order], 0
    rest = sums[:, order[~stays]].sum(axis=1, keepdims=True)
    kept = order[stays]
    return np.hstack([sums[:, kept], rest]), apart([*(names[number] for number in kept), others_name(beyond)]), beyond
