"""The same verbs on pandas: the results of `.svc`, added to the frame; and on texts without a table."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import pandas as pd

from svc_nb.clusters.table_request import LANG, NO_WORKERS, check_columns, refuse_there
from svc_nb.columns.operations import target_codes
from svc_nb.columns.selection import labels_of, named
from svc_nb.columns.summary import PlanSummary
from svc_nb.session import current


def is_local(table: Any) -> bool:
    """Whether *table* is from pandas, or texts without a table."""
    return isinstance(table, pd.DataFrame | pd.Series | pd.Index) or is_texts(table)


def is_column(table: Any) -> bool:
    """Whether *table* has no columns to choose from."""
    return not isinstance(table, pd.DataFrame)


def is_texts(table: Any) -> bool:
    """Whether *table* is a text or a list of texts."""
    return isinstance(table, str | list | tuple)


def column_of(texts: Any) -> pd.Series[Any]:
    """A text or a list of texts as a column."""
    return pd.Series([texts] if isinstance(texts, str) else list(texts), dtype=object)


def back(made: pd.Series[Any] | pd.DataFrame, texts: Any) -> Any:
    """The results of *texts*: a text for a text, a list for a list, None if missing; by code for several targets."""
    if isinstance(made, pd.DataFrame):
        return {code: back(made[code], texts) for code in made.columns}
    cells = [None if pd.isna(cell) else cell for cell in made.tolist()]
    return cells[0] if isinstance(texts, str) else cells


def translate(
    table: Any, columns: Any, target_lang: str | Sequence[str] | None, *, fleet: int | None, **how: Any
) -> Any:
    """`svc_nb.translate` on pandas, or on texts."""
    if is_texts(table):
        how["progress"] = how["progress"] and not isinstance(table, str)
        return back(translate(column_of(table), columns, target_lang, fleet=fleet, **how), table)
    if fleet is not None:
        raise TypeError(NO_WORKERS)
    codes = target_codes(target_lang, current().client)
    if not isinstance(table, pd.DataFrame):
        return table.svc.translate(target_lang, **how)
    listed = _listed(table, columns)
    refuse_there(table.columns, [named(name, code) for name in labels_of(table, listed) for code in codes])
    return _beside(table, table.svc.translate(listed, target_lang, **how))


def detect(table: Any, columns: Any, *, fleet: int | None, **how: Any) -> Any:
    """`svc_nb.detect` on pandas, or on texts."""
    if is_texts(table):
        how["progress"] = how["progress"] and not isinstance(table, str)
        return back(detect(column_of(table), columns, fleet=fleet, **how), table)
    check_columns(columns, is_column=is_column(table))
    if fleet is not None:
        raise TypeError(NO_WORKERS)
    if not isinstance(table, pd.DataFrame):
        return table.svc.detect(**how)
    listed = _listed(table, columns)
    names = [named(name, LANG) for name in labels_of(table, listed)]
    refuse_there(table.columns, names)
    return _beside(table, table.svc.detect(listed, **how).set_axis(names, axis=1))


def plan(table: Any, columns: Any, target_lang: str | Sequence[str] | None, **how: Any) -> PlanSummary:
    """`svc_nb.plan` on pandas, or on texts."""
    if is_texts(table):
        return plan(column_of(table), columns, target_lang, **how)
    asked = (columns, target_lang) if isinstance(table, pd.DataFrame) else (target_lang,)
    made: PlanSummary = table.svc.plan(*asked, **how)
    return made


def _listed(table: pd.DataFrame, columns: Any) -> list[Any]:
    several = isinstance(columns, Iterable) and not isinstance(columns, str)
    known = isinstance(columns, Hashable) and columns in table.columns
    return list(columns) if several and not known else [columns]


def _beside(table: pd.DataFrame, made: pd.DataFrame) -> pd.DataFrame:
    """Add the columns row by row, whatever the labels, which may be duplicates."""
    whole = table.copy(deep=False)
    for name in made.columns:
        whole[name] = pd.Series(made[name].array, index=whole.index, dtype=made[name].dtype)
    return whole
