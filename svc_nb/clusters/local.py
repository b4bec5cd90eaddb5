"""The same verbs on pandas: what `.svc` makes, with the columns added to the frame."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import pandas as pd

from svc_nb.clusters.asked import LANG, check_columns, refuse_there
from svc_nb.clusters.engine import NO_WORKERS
from svc_nb.frames.sheet import named
from svc_nb.frames.summary import PlanSummary
from svc_nb.frames.text import target_codes


def is_pandas(table: Any) -> bool:
    """Whether *table* is of pandas."""
    return isinstance(table, pd.DataFrame | pd.Series | pd.Index)


def translate(
    table: Any, columns: Any, target_lang: str | Sequence[str] | None, *, fleet: int | None, **how: Any
) -> Any:
    """`svc_nb.translate` on pandas."""
    _check(table, columns, fleet)
    codes = target_codes(target_lang)
    if not isinstance(table, pd.DataFrame):
        return table.svc.translate(target_lang, **how)
    listed = _listed(table, columns)
    refuse_there(table.columns, [named(name, code) for name in listed for code in codes])
    return _beside(table, table.svc.translate(listed, target_lang, **how))


def detect(table: Any, columns: Any, *, fleet: int | None, **how: Any) -> Any:
    """`svc_nb.detect` on pandas."""
    _check(table, columns, fleet)
    if not isinstance(table, pd.DataFrame):
        return table.svc.detect(**how)
    listed = _listed(table, columns)
    names = [named(name, LANG) for name in listed]
    refuse_there(table.columns, names)
    found = table.svc.detect(listed, **how)
    return _beside(table, found.set_axis(names, axis=1))


def plan(table: Any, columns: Any, target_lang: str | Sequence[str] | None, **how: Any) -> PlanSummary:
    """`svc_nb.plan` on pandas."""
    _check(table, columns, None)
    asked = (columns, target_lang) if isinstance(table, pd.DataFrame) else (target_lang,)
    made: PlanSummary = table.svc.plan(*asked, **how)
    return made


def _check(table: Any, columns: Any, fleet: int | None) -> None:
    check_columns(columns, is_column=not isinstance(table, pd.DataFrame))
    if fleet is not None:
        raise TypeError(NO_WORKERS)


def _listed(table: pd.DataFrame, columns: Any) -> list[Any]:
    several = isinstance(columns, Iterable) and not isinstance(columns, str)
    known = isinstance(columns, Hashable) and columns in table.columns
    return list(columns) if several and not known else [columns]


def _beside(table: pd.DataFrame, made: pd.DataFrame) -> pd.DataFrame:
    """Row by row, whatever the labels: they may stand there twice."""
    whole = table.copy(deep=False)
    for name in made.columns:
        whole[name] = made[name].array
    return whole
