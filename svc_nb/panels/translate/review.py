"""What looks wrong in the translations of a run, column by column and target by target."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd

from svc_nb import glossaries
from svc_nb.checks.check import check
from svc_nb.engine.outcome import DONE
from svc_nb.errors import SvcError
from svc_nb.language_codes import base_code
from svc_nb.panels.translate.order import Order
from svc_nb.panels.translate.results import NO_FINDINGS, Results


def reviewed(results: Results, order: Order, *, stopped: Callable[[], bool] = lambda: False) -> pd.DataFrame:
    """The findings about what is done, by place in the table: what failed or was skipped is not looked at.

    It ends early when it is *stopped*. Nothing is paid for.
    """
    found = []
    terms = _terms(order)
    for part in _parts(results, order):
        if stopped():
            break
        found.append(_looked_at(part, order, terms))
    some = [table for table in found if len(table)]
    if not some:
        return NO_FINDINGS
    return pd.concat(some, ignore_index=True).rename(columns={"row": "place"})


def _parts(results: Results, order: Order) -> Iterator[pd.DataFrame]:
    """The rows of each column and target."""
    table = results.table
    blocks = len(order.columns) * len(order.targets)
    rows = len(table) // blocks if blocks else 0
    for number in range(blocks if rows else 0):
        yield table.iloc[number * rows : (number + 1) * rows]


def _looked_at(part: pd.DataFrame, order: Order, terms: pd.DataFrame | None) -> pd.DataFrame:
    done = part["status"] == DONE
    source_lang, target_lang = _source_lang(part, order), str(part["target_lang"].iat[0])
    glossary = terms if terms is not None and source_lang else None
    report = check(
        part["source"].where(done),
        part["text"].where(done),
        source_lang=source_lang,
        target_lang=target_lang,
        glossary=glossary,
    )
    return pd.DataFrame(report)


def _source_lang(part: pd.DataFrame, order: Order) -> str | None:
    """The language of the sources, where it is one: the one that was named, or that was found for all."""
    named = order.options.get("source_lang")
    if isinstance(named, str) and base_code(named):
        return named
    seen = part["detected_source_lang"].dropna().unique()
    return str(seen[0]) if len(seen) == 1 else None


def _terms(order: Order) -> pd.DataFrame | None:
    """The terms of the glossary that was asked for, where they can be read."""
    glossary_id: Any = order.options.get("glossary_id")
    try:
        return glossaries.pull(glossary_id) if glossary_id else None
    except SvcError:
        return None
