"""What charts draw: a table of usage summed by day, key and product, in whole arrays and without rounding.

Every function takes any table with the columns of usage, filtered or joined or read from a file. Keys stand in the
order of their size, the largest first; with *top*, those beyond it stand together at the end as "N others", and
`attrs["others"]` says how many they are.
"""

from __future__ import annotations

from collections.abc import Sequence
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


def by_day(table: pd.DataFrame, *, field: str = "total_characters", top: int | None = None) -> pd.DataFrame:
    """One row for each day from the first to the last in *table*, without gaps, and one column for each key."""
    rows, days = _days(table)
    codes, names = coded(table)
    sums = _crossed(amounts(table, field), rows, codes, shape=(len(days), len(names)))
    sums, names, others = _largest(sums, names, top)
    found = pd.DataFrame(in_unit(sums, field), index=days, columns=pd.Index(names, name="name"))
    found.attrs["others"] = others
    return found


def by_key(table: pd.DataFrame, *, field: str = "total_characters", top: int | None = None) -> pd.Series[Any]:
    """The sum of each key, or tag, over all days."""
    codes, names = coded(table)
    rows = np.zeros(len(table), dtype=np.intp)
    sums = _crossed(amounts(table, field), rows, codes, shape=(1, len(names)))
    sums, names, others = _largest(sums, names, top)
    found = pd.Series(in_unit(sums[0], field), index=pd.Index(names, name="name"), name=field)
    found.attrs["others"] = others
    return found


def by_product(table: pd.DataFrame) -> pd.DataFrame:
    """The characters of each product, a column each: by day where *table* has days, else by key, the largest first."""
    products = [name for name in CHARACTERS if name in table.columns]
    if "usage_date" not in table.columns:
        keys = {product: by_key(table, field=product) for product in products}
        return pd.DataFrame(keys, index=by_key(table).index, columns=pd.Index(products, name="product"))
    rows, days = _days(table)
    nobody = np.zeros(len(table), dtype=np.intp)
    sums = [_crossed(amounts(table, each), rows, nobody, shape=(len(days), 1)) for each in products]
    cells = np.hstack(sums) if sums else None
    return pd.DataFrame(cells, index=days, columns=pd.Index(products, name="product"))


def grid(table: pd.DataFrame, *, field: str = "total_characters", top: int | None = None) -> pd.DataFrame:
    """One row for each key, the largest first, and one column for each day, without gaps."""
    days = by_day(table, field=field, top=top)
    found = days.T
    found.attrs.update(days.attrs)
    return found


def share(table: pd.DataFrame, *, field: str = "total_characters", top: int | None = None) -> pd.Series[Any]:
    """The part of each key, or tag, in the whole, from 0 to 1; all 0 where nothing was used."""
    sums = by_key(table, field=field, top=top)
    whole = sums.sum()
    found = sums / whole if whole else sums.astype("float64")
    found.attrs.update(sums.attrs)
    return found


def amounts(table: pd.DataFrame, field: str) -> Array:
    """The cells of *field* in units that add up exactly: characters, or milliseconds; what is missing is 0."""
    if field not in table.columns:
        known = [name for name in FIELDS if name in table.columns]
        raise ValueError(f"the table has no column {field!r}; of the amounts it has {', '.join(known) or 'none'}")
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
    """What the keys beyond the largest are called together."""
    return plural(count, "other")


def dates_of(table: pd.DataFrame) -> Array:
    """The UTC day of each row; a ValueError where *table* has none."""
    if "usage_date" not in table.columns:
        raise ValueError('the table has no days: ask for it with group_by="key_and_day" or "tag_and_day"')
    cells = table["usage_date"]
    if not pd.api.types.is_datetime64_any_dtype(cells.dtype):
        cells = pd.to_datetime(cells, utc=True)
    if getattr(cells.dt, "tz", None) is not None:
        cells = cells.dt.tz_convert("UTC").dt.tz_localize(None)
    dates = cells.to_numpy().astype("datetime64[D]")
    if np.isnat(dates).any():
        raise ValueError("usage_date: a row has no day; leave such rows out first (dropna)")
    return dates


def _days(table: pd.DataFrame) -> tuple[Array, pd.DatetimeIndex]:
    """For each row the number of its day, and the days from the first to the last, without gaps."""
    dates = dates_of(table)
    first = dates.min() if len(dates) else np.datetime64("1970-01-01", "D")
    rows = (dates - first).astype(np.intp)
    count = int(rows.max()) + 1 if len(rows) else 0
    days = (first + np.arange(count)).astype("datetime64[s]")
    return rows, pd.DatetimeIndex(days, name="usage_date")


def _crossed(cells: Array, rows: Array, columns: Array, *, shape: tuple[int, int]) -> Array:
    """*cells* summed up into the *rows* and *columns* of an array of *shape*."""
    sums = np.zeros(shape[0] * shape[1], dtype=np.int64)
    np.add.at(sums, rows * shape[1] + columns, cells)
    return sums.reshape(shape)


def _largest(sums: Array, names: Sequence[str], top: int | None) -> tuple[Array, list[str], int]:
    """The columns of *sums* by size, those beyond *top* as one; with their names, and how many are in the last."""
    if top is not None and top < 1:
        raise ValueError(f"top: expected 1 or more, found {top}")
    order = np.argsort(-sums.sum(axis=0), kind="stable")
    kept = order if top is None else order[:top]
    ordered = [names[number] for number in kept]
    beyond = len(order) - len(kept)
    if not beyond:
        return sums[:, kept], ordered, 0
    rest = sums[:, order[len(kept) :]].sum(axis=1, keepdims=True)
    return np.hstack([sums[:, kept], rest]), apart([*ordered, others_name(beyond)]), beyond
