"""Translate, detect and plan on any table: the different texts come here, the rows stay with their engine.

The engine counts the different texts, which go chunk after chunk through one run, and joins what came of them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain, islice
from os import PathLike
from typing import Any, Unpack, cast

from svc_nb.clusters import pandas
from svc_nb.clusters.engine import Cluster, Engine, engine_of
from svc_nb.clusters.fleet import FleetJob, WorkOrder, results_of
from svc_nb.clusters.join_table import JoinTable
from svc_nb.clusters.table_request import LANG, NO_WORKERS, Counted, TableRequest, as_text, check_alone, check_columns
from svc_nb.columns.chunked import READ, STORED, ChunkedRun
from svc_nb.columns.job import ChunkJob, JobOptions, TextJob
from svc_nb.columns.operations import target_codes
from svc_nb.columns.options import ELSEWHERE, DetectFields, Fields, check_names, spelled_out
from svc_nb.columns.running import finished
from svc_nb.columns.selection import CountedTexts
from svc_nb.columns.summary import PlanSummary, together
from svc_nb.marked import warn_of_marks
from svc_nb.session import current, current_store, known
from svc_nb.tabular.report import plural
from svc_nb.tracebacks import verb

# What the only column of a frame is called that was made of a column, which may have no name at all.
ONLY = "text"
# A chunk is so many texts, or fewer when they are long.
MOST_TEXTS = 100_000
MOST_CHARACTERS = 32_000_000


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
    engine, table, columns, target_lang = _sorted_out(table, columns, target_lang)
    if engine is None:
        return pandas.translate(table, columns, target_lang, progress=progress, fleet=fleet, **fields)
    targets = target_codes(target_lang, current().client if fleet is None else None)
    check_names(dict(fields), Fields)
    run = TableRun.of(engine, table, columns, targets, targets, fields)
    return run.added(targets, alone=isinstance(target_lang, str), progress=progress, fleet=fleet, staging=staging)


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
    if pandas.is_local(table):
        return pandas.detect(table, columns, progress=progress, fleet=fleet, **fields)
    engine = engine_of(table)
    check_names(dict(fields), DetectFields)
    check_columns(columns, is_column=engine.is_column(table))
    run = TableRun.of(engine, table, columns, (), (LANG,), fields)
    return run.added((LANG,), alone=True, progress=progress, fleet=fleet, staging=staging)


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
    engine, table, columns, target_lang = _sorted_out(table, columns, target_lang)
    if engine is None:
        return pandas.plan(table, columns, target_lang, price=price, **fields)
    targets = target_codes(target_lang, current().client)
    check_names(dict(fields), Fields, "price")
    return TableRun.of(engine, table, columns, targets, targets, fields).plan(price)


def _native(table: Any) -> Any:
    """The table that narwhals has wrapped; any other as it is."""
    narwhals = sys.modules.get("narwhals")
    return table if narwhals is None else narwhals.to_native(table, pass_through=True)


def _sorted_out(table: Any, columns: Any, target_lang: Any) -> tuple[Engine | None, Any, Any, Any]:
    """The engine (None for pandas), the table, its columns and the targets, which may stand in place of columns."""
    table = _native(table)
    engine = None if pandas.is_local(table) else engine_of(table)
    is_column = pandas.is_column(table) if engine is None else engine.is_column(table)
    if target_lang is None and is_column:
        columns, target_lang = None, columns
    elif target_lang is None:
        raise TypeError(
            f'found {columns!r} alone; name the columns first, then the language: translate(table, "text", "EN-US")'
        )
    check_columns(columns, is_column=is_column)
    return engine, table, columns, target_lang


@dataclass(frozen=True)
class TableRun:
    """What is to be done with the texts of a table; where that is a column, the *frame* has it as its only one."""

    engine: Engine
    table: Any
    frame: Any
    asked: TableRequest
    order: WorkOrder

    @classmethod
    def of(
        cls,
        engine: Engine,
        table: Any,
        columns: Any,
        targets: Sequence[str],
        labels: Sequence[str],
        fields: Mapping[str, Any],
    ) -> TableRun:
        """A run that makes, of each of *columns*, one called after each of *labels*; raises what is wrong with it."""
        source_lang, context = fields.get("source_lang"), fields.get("context")
        frame = table
        if is_column := engine.is_column(table):
            check_alone(source_lang, context)
            frame, columns = engine.frame(table, ONLY), ONLY
        types = engine.types(frame)
        coerce = fields.get("errors") == "coerce"
        asked = TableRequest.of(list(types), columns, labels, source_lang=source_lang, context=context, coerce=coerce)
        for name in asked.read:
            if (kind := types[name]) is not None:
                raise TypeError(f"column {name!r}: expected text, found {kind}. {as_text(kind)}")
        # What the ledger calls the texts.
        called = (getattr(table, "name", None),) if is_column else asked.columns
        title = ", ".join(str(each) for each in called if each is not None) or None
        # The options of which rows have their own come with the texts.
        same = {option: value for option, value in fields.items() if option not in asked.options}
        return cls(engine, table, frame, asked, WorkOrder(tuple(targets), same, name=title))

    @cached_property
    def _job(self) -> TextJob:
        """The job that is the same for all chunks; raises what is wrong with the order."""
        return self.order.job(CountedTexts([], []))

    def plan(self, price: float | None) -> PlanSummary:
        """What it will do and cost; nothing is paid."""
        left = self._job.options.budget
        plans = []
        for tally in self._tallies():
            plans.append(self._job.over(tally, budget=left).plan(price=price))
            left = None if left is None else max(0, left - plans[-1].characters)
        return together(plans or [self._job.plan(price=price)])

    def added(
        self,
        labels: Sequence[str],
        *,
        alone: bool,
        progress: bool,
        fleet: int | None,
        staging: str | PathLike[str] | None,
    ) -> Any:
        """The table with its new columns; of a column the new one, *alone*, or a frame of them called as *labels*."""
        folder = _folder(staging)
        if fleet is None:
            _ = self._job  # raises before a text is looked at
        else:
            self._check_fleet(fleet)
        joined = self.engine.joined(self.frame, self.asked, partial(self.pairs, progress, folder, fleet))
        if self.frame is self.table:
            return joined
        return self.engine.columns(joined, dict(zip(self.asked.added, labels, strict=True)), self.table, alone=alone)

    def pairs(
        self, progress: bool, staging: str | None, fleet: int | None, counted: Iterator[Counted] | None = None
    ) -> JoinTable:
        """Send what is not known yet and give what every text came to; raises what it ends with.

        The texts are those *counted*, where the engine has done that already.
        """
        pairs = JoinTable(self.asked, staging)

        def take(tally: CountedTexts, job: Any) -> None:
            pairs.add(tally.texts, tally.options, results_of(job))

        def job(tally: CountedTexts, budget: int | None) -> ChunkJob:
            if fleet is None:
                return self._job.over(tally, budget=budget)
            cluster = cast(Cluster, self.engine)  # who asks for a fleet has seen that it is one
            return FleetJob(
                self.order,
                tally,
                lambda order, parts, halted: cluster.sent(self.frame, order, parts, fleet, halted),
                current_store(),
                only_stored=budget == 0,
            )

        # The engine counts in the caller's thread, where it hears of Ctrl-C and knows its session.
        tallies = self._tallies(counted)
        first = list(islice(tallies, 1))
        targets = ", ".join(self.order.targets)
        title = f"translate into {targets}" if targets else "detect languages"
        options = JobOptions.taken_from(dict(self.order.fields))
        run = ChunkedRun(chain(first, tallies), job, take, options, title=title, shown=progress)
        del first
        try:
            finished(run, unit=READ, advice=STORED).result()
        except BaseException:
            pairs.discard()
            raise
        report = run.progress
        pairs.is_whole = report.finished_well
        warn_of_marks(run.marked, f"{report.marked:,} of {plural(report.rows, 'row')}")
        if session := known():
            session.client.ignored_options.warn()
        return pairs

    def _tallies(self, counted: Iterator[Counted] | None = None) -> Iterator[CountedTexts]:
        for chunk in bounded(counted or self.engine.counted(self.frame, self.asked)):
            yield CountedTexts(*chunk, name=self.order.name)

    def _check_fleet(self, fleet: int) -> None:
        fields = self.order.fields
        if isinstance(fleet, bool) or not isinstance(fleet, int) or fleet < 1:
            raise ValueError(f"fleet: expected how many requests at once all workers may send, found {fleet!r}")
        if fields.get("budget") is not None:
            raise ValueError("budget: workers cannot share one; see svc_nb.plan, and set a cap on their key")
        from svc_nb.columns.terms import given_glossaries

        glossary = fields.get("glossary")
        if glossary is not None and not all(isinstance(each, str) for each in given_glossaries(glossary)):
            raise ValueError(
                "glossary: workers cannot share a table of terms; push it first, svc_nb.glossaries.push(table, name), "
                "and give its name"
            )
        if not isinstance(self.engine, Cluster):
            raise TypeError(NO_WORKERS)
        self.engine.check_workers(self.frame)


def bounded(counted: Iterable[Counted]) -> Iterator[Counted]:
    """The same texts in as few chunks as may be."""
    held: list[Counted] = []
    texts = characters = 0
    for some in counted:
        held.append(some)
        texts += len(some.texts)
        characters += sum(len(text) for text in some.texts if text)
        if texts >= MOST_TEXTS or characters >= MOST_CHARACTERS:
            yield Counted.together(held)
            held, texts, characters = [], 0, 0
    if held:
        yield Counted.together(held)


def _folder(staging: str | PathLike[str] | None) -> str | None:
    """The folder for a large join table, made where it is not there; raises ValueError before anything is paid for."""
    if staging is None or "://" in str(staging):
        return None if staging is None else str(staging)
    with suppress(OSError):
        os.makedirs(staging, exist_ok=True)
    if not os.path.isdir(staging) or not os.access(staging, os.W_OK):
        raise ValueError(f"staging: {os.fspath(staging)!r} is no folder that can be written to")
    return os.path.abspath(staging)


# Where people find them.
for each in (translate, detect, plan):
    each.__module__ = "svc_nb.clusters"
