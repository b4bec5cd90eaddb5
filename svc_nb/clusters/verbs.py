"""Translate, detect and plan on any table: the different texts come here, the rows stay with their engine."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any, Unpack

from svc_nb.clusters import local
from svc_nb.clusters.asked import LANG, Asked, as_text, check_alone, check_columns
from svc_nb.clusters.engine import NO_WORKERS, Cluster, Engine, engine_of
from svc_nb.clusters.fleet import Order
from svc_nb.clusters.run import Errand
from svc_nb.columns.options import ELSEWHERE, DetectFields, Fields, check_names, spelled_out
from svc_nb.columns.terms import given_glossaries
from svc_nb.columns.text import target_codes
from svc_nb.session import current
from svc_nb.tracebacks import verb

if TYPE_CHECKING:
    from svc_nb.columns.summary import PlanSummary

# What the only column of a frame is called that was made of a column, which may have no name at all.
ONLY = "text"


@verb
@spelled_out(Fields, ELSEWHERE)
def translate(
    table: Any,
    columns: Any = None,
    target_lang: str | Sequence[str] | None = None,
    *,
    progress: bool = True,
    fleet: int | None = None,
    staging: str | PathLike[str] | None = None,
    **fields: Unpack[Fields],
) -> Any:
    """Translate *columns* of any table: the whole table, with a column such as "text_EN-US" added for each.

    Rows stay as they were. `table.svc.translate` does the same on every engine but pandas, where it gives the new
    columns alone. Of a column, one language gives a column, and a list of languages a frame with a column for each.

    Or translate texts: `svc_nb.translate("Guten Tag", "EN-US")` gives a text, and a list of texts gives a list with
    None for every gap; for several targets they come in a dict, by code.

    The table is a pandas, Polars or Dask frame or column, a Spark frame, a DuckDB relation or an Arrow table. Its
    engine finds the different texts, they are sent from here and kept in the store, each paid for once, and its engine
    joins them to the rows. Of a Polars LazyFrame nothing is sent before it is collected; of Dask, Spark and DuckDB
    tables the texts are sent now, and rows are made when they are asked for, as often as that may be, without sending
    anything again. Ctrl-C raises KeyboardInterrupt; with `budget=0` the same call then gives what is stored.

    Parameters
    ----------
    table
        The table; a column gives a column. Or a text, or a list of texts.
    columns, target_lang
        One or several of each. A column and texts have no columns: there the second argument is the language.
    fleet
        Let the workers of a Dask or Spark cluster send, with at most so many requests at once in all, where there is
        no way from here to the service. They take the key from their own machine's settings.
    staging
        A folder that all machines of the cluster see, for a join table that is too large to be passed on in memory.
    ...
    """
    table, columns, target_lang = _sorted_out(table, columns, target_lang)
    if local.is_local(table):
        return local.translate(table, columns, target_lang, progress=progress, fleet=fleet, **fields)
    engine = engine_of(table)
    check_columns(columns, is_column=engine.is_column(table))
    targets = target_codes(target_lang, current().client if fleet is None else None)
    order = _order(targets, dict(fields), Fields)
    how: dict[str, Any] = {"progress": progress, "fleet": fleet, "staging": staging}
    return _added(engine, table, columns, order, targets, alone=isinstance(target_lang, str), **how)


@verb
@spelled_out(DetectFields, ELSEWHERE)
def detect(
    table: Any,
    columns: Any = None,
    *,
    progress: bool = True,
    fleet: int | None = None,
    staging: str | PathLike[str] | None = None,
    **fields: Unpack[DetectFields],
) -> Any:
    """The language of every text in *columns*: a frame with a column such as "text_lang" added. Costs nothing.

    Where a text stands in many rows it is asked for once. A text gives a code and a list of texts a list, with None
    where no language was detected.

    Parameters
    ----------
    table, columns, fleet, staging
        As for `translate`.
    ...
    """
    table = _native(table)
    if local.is_local(table):
        return local.detect(table, columns, progress=progress, fleet=fleet, **fields)
    engine = engine_of(table)
    order = _order((), dict(fields), DetectFields)
    how: dict[str, Any] = {"progress": progress, "fleet": fleet, "staging": staging}
    return _added(engine, table, columns, order, (LANG,), alone=True, **how)


@verb
@spelled_out(Fields, ELSEWHERE)
def plan(
    table: Any,
    columns: Any = None,
    target_lang: str | Sequence[str] | None = None,
    *,
    price: float | None = None,
    **fields: Unpack[Fields],
) -> PlanSummary:
    """What `translate` would do and cost. The engine counts the different texts now; none of them is sent.

    Parameters
    ----------
    table, columns, target_lang
        As for `translate`.
    price
        What a million characters cost, to see the cost.
    ...
    """
    table, columns, target_lang = _sorted_out(table, columns, target_lang)
    if local.is_local(table):
        return local.plan(table, columns, target_lang, price=price, **fields)
    engine = engine_of(table)
    check_columns(columns, is_column=engine.is_column(table))
    targets = target_codes(target_lang, current().client)
    order = _order(targets, dict(fields), Fields)
    frame, columns = _frame(engine, table, columns, order)
    asked = _asked(engine, frame, columns, targets, order)
    return Errand(engine, frame, asked, _told(order, asked, _name(table, frame, asked))).plan(price)


def _native(table: Any) -> Any:
    """The table that narwhals has wrapped; any other as it is."""
    narwhals = sys.modules.get("narwhals")
    return table if narwhals is None else narwhals.to_native(table, pass_through=True)


def _sorted_out(table: Any, columns: Any, target_lang: Any) -> tuple[Any, Any, Any]:
    """The table, its columns and the targets; of what has no columns, the targets may stand in their place."""
    table = _native(table)
    alone = local.is_column(table) if local.is_local(table) else engine_of(table).is_column(table)
    if alone and target_lang is None:
        return table, None, columns
    if target_lang is None:
        raise TypeError(
            f'found {columns!r} alone; name the columns first, then the language: translate(table, "text", "EN-US")'
        )
    return table, columns, target_lang


def _added(
    engine: Engine, table: Any, columns: Any, order: Order, targets: Sequence[str], *, alone: bool, **how: Any
) -> Any:
    frame, columns = _frame(engine, table, columns, order)
    asked = _asked(engine, frame, columns, targets, order)
    errand = Errand(engine, frame, asked, _told(order, asked, _name(table, frame, asked)))
    how["staging"] = _folder(how["staging"])
    if how["fleet"] is None:
        errand.check()
    else:
        _check_fleet(engine, frame, order, how["fleet"])
    joined = engine.joined(frame, asked, lambda: errand.pairs(**how))
    if not engine.is_column(table):
        return joined
    return engine.columns(joined, dict(zip(asked.added, targets, strict=True)), table, alone=alone)


def _frame(engine: Engine, table: Any, columns: Any, order: Order) -> tuple[Any, Any]:
    is_column = engine.is_column(table)
    check_columns(columns, is_column=is_column)
    if not is_column:
        return table, columns
    check_alone(order.fields.get("source_lang"), order.fields.get("context"))
    return engine.frame(table, ONLY), ONLY


def _asked(engine: Engine, frame: Any, columns: Any, targets: Sequence[str], order: Order) -> Asked:
    types = engine.types(frame)
    asked = Asked.of(
        list(types),
        columns,
        targets,
        source_lang=order.fields.get("source_lang"),
        context=order.fields.get("context"),
        coerce=order.fields.get("errors") == "coerce",
    )
    for name in asked.read:
        if (kind := types[name]) is not None:
            raise TypeError(f"column {name!r}: expected text, found {kind}. {as_text(kind)}")
    return asked


def _name(table: Any, frame: Any, asked: Asked) -> str | None:
    """What the ledger calls the texts."""
    called = asked.columns if frame is table else (getattr(table, "name", None),)
    return ", ".join(str(each) for each in called if each is not None) or None


def _told(order: Order, asked: Asked, name: str | None) -> Order:
    """The order with its name, and without the options of which rows have their own: they come with the texts."""
    fields = {option: value for option, value in order.fields.items() if option not in asked.options}
    return replace(order, fields=fields, name=name)


def _order(targets: Sequence[str], fields: dict[str, Any], known: type) -> Order:
    check_names(fields, known)
    return Order(tuple(targets), fields)


def _folder(staging: str | PathLike[str] | None) -> str | None:
    """The folder for a large join table, made where it is not there; raises ValueError before anything is paid for."""
    if staging is None or "://" in str(staging):
        return None if staging is None else str(staging)
    with suppress(OSError):
        os.makedirs(staging, exist_ok=True)
    if not os.path.isdir(staging) or not os.access(staging, os.W_OK):
        raise ValueError(f"staging: {os.fspath(staging)!r} is no folder that can be written to")
    return os.path.abspath(staging)


def _check_fleet(engine: Engine, frame: Any, order: Order, fleet: int) -> None:
    if isinstance(fleet, bool) or not isinstance(fleet, int) or fleet < 1:
        raise ValueError(f"fleet: expected how many requests at once all workers may send, found {fleet!r}")
    if order.fields.get("budget") is not None:
        raise ValueError("budget: workers cannot share one; see svc_nb.plan, and set a cap on their key")
    glossary = order.fields.get("glossary")
    if glossary is not None and not all(isinstance(each, str) for each in given_glossaries(glossary)):
        raise ValueError(
            "glossary: workers cannot share a table of terms; push it first, svc_nb.glossaries.push(table, name), and "
            "give its name"
        )
    if not isinstance(engine, Cluster):
        raise TypeError(NO_WORKERS)
    engine.check_workers(frame)


# Where people find them.
for each in (translate, detect, plan):
    each.__module__ = "svc_nb.clusters"
