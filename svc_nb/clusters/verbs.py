"""Translate, detect and plan on any table: the different texts come here, the rows stay with their engine.

The engine counts the different texts, which go through one run in chunks, and joins the results.
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

# The name of the only column in a frame that was made from a column, which may have no name.
ONLY = "text"
# A chunk is this many texts, or fewer if they are long.
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

    Rows do not change. `table.svc.translate` does the same on every engine except pandas, where it returns only the new
    columns. For a column, one language returns a column, and a list of languages a frame with a column for each.

    It also translates texts: `svc_nb.translate("Guten Tag", "EN-US")` returns a text, and a list of texts returns a
    list, with None for missing ones; for several targets the results are in a dict, by code.

    The table is a pandas, Polars or Dask frame or column, a Spark frame, a DuckDB relation or an Arrow table. Its
    engine finds the different texts; they are sent from this process and saved in the store, so each is paid for once;
    and the engine joins the results to the rows. For a Polars LazyFrame nothing is sent before it is collected. For
    Dask, Spark and DuckDB tables the texts are sent now, and rows are made when they are needed, any number of times,
    without sending anything again. Ctrl-C raises KeyboardInterrupt; with `budget=0` the same call then returns the
    saved answers.

    Parameters
    ----------
    table
        The table or column, or a text, or a list of texts.
    columns, target_lang
        One or several of each. A column and texts have no columns: for them the second argument is the language.
    fleet
        Let the workers of a Dask or Spark cluster send the texts, with at most this many parallel requests in total, if
        the service cannot be reached from here. They take the key from their own machine's settings.
    staging
        A folder that all machines of the cluster can read, for a join table that is too large for memory.
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
    """The language of every text in *columns*: a frame with a column such as "text_lang" added. Free of charge.

    A text that appears in many rows is sent once. A text returns a code and a list of texts a list, with None if no
    language was detected.

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
    """What `translate` would do and cost. The engine counts the different texts now; none are sent.

    Parameters
    ----------
    table, columns, target_lang
        As for `translate`.
    price
        The price of a million characters, to see the cost.
    ...
    """
    engine, table, columns, target_lang = _sorted_out(table, columns, target_lang)
    if engine is None:
        return pandas.plan(table, columns, target_lang, price=price, **fields)
    targets = target_codes(target_lang, current().client)
    check_names(dict(fields), Fields, "price")
    return TableRun.of(engine, table, columns, targets, targets, fields).plan(price)


def _native(table: Any) -> Any:
    """The table inside a narwhals wrapper; any other table unchanged."""
    narwhals = sys.modules.get("narwhals")
    return table if narwhals is None else narwhals.to_native(table, pass_through=True)


def _sorted_out(table: Any, columns: Any, target_lang: Any) -> tuple[Engine | None, Any, Any, Any]:
    """The engine (None for pandas), the table, its columns and the targets, which may be given instead of columns."""
    table = _native(table)
    engine = None if pandas.is_local(table) else engine_of(table)
    is_column = pandas.is_column(table) if engine is None else engine.is_column(table)
    if target_lang is None and is_column:
        columns, target_lang = None, columns
    elif target_lang is None:
        raise TypeError(
            f'found only {columns!r}. Pass the columns first, then the language: translate(table, "text", "EN-US")'
        )
    check_columns(columns, is_column=is_column)
    return engine, table, columns, target_lang


@dataclass(frozen=True)
class TableRun:
    """The work on the texts of a table; if that is a column, it is the only one of *frame*."""

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
        """A run that adds, for each of *columns*, one named after each of *labels*; raises if that is impossible."""
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
        # The name of the texts in the ledger.
        called = (getattr(table, "name", None),) if is_column else asked.columns
        title = ", ".join(str(each) for each in called if each is not None) or None
        # The options that differ by row come with the texts.
        same = {option: value for option, value in fields.items() if option not in asked.options}
        return cls(engine, table, frame, asked, WorkOrder(tuple(targets), same, name=title))

    @cached_property
    def _job(self) -> TextJob:
        """The job shared by all chunks; raises an error if the order is wrong."""
        return self.order.job(CountedTexts([], []))

    def plan(self, price: float | None) -> PlanSummary:
        """What it will do and cost; free of charge."""
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
        """The table with its new columns; for a column the new one, if *alone*, or a frame of them under *labels*."""
        folder = _folder(staging)
        if fleet is None:
            _ = self._job  # raises before any text is read
        else:
            self._check_fleet(fleet)
        joined = self.engine.joined(self.frame, self.asked, partial(self.pairs, progress, folder, fleet))
        if self.frame is self.table:
            return joined
        return self.engine.columns(joined, dict(zip(self.asked.added, labels, strict=True)), self.table, alone=alone)

    def pairs(
        self, progress: bool, staging: str | None, fleet: int | None, counted: Iterator[Counted] | None = None
    ) -> JoinTable:
        """Send the texts that are not known yet and return the results of all; raises the error that ends it.

        *counted* are the texts, if the engine has already counted them.
        """
        pairs = JoinTable(self.asked, staging)

        def take(tally: CountedTexts, job: Any) -> None:
            pairs.add(tally.texts, tally.options, results_of(job))

        def job(tally: CountedTexts, budget: int | None) -> ChunkJob:
            if fleet is None:
                return self._job.over(tally, budget=budget)
            cluster = cast(Cluster, self.engine)  # with a fleet it was already checked to be a cluster
            return FleetJob(
                self.order,
                tally,
                lambda order, parts, halted: cluster.sent(self.frame, order, parts, fleet, halted),
                current_store(),
                only_stored=budget == 0,
            )

        # The engine counts in the caller's thread, where it notices Ctrl-C and has its session.
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
            raise ValueError(f"fleet: expected the number of parallel requests of all workers, found {fleet!r}")
        if fields.get("budget") is not None:
            raise ValueError("budget: workers cannot share a budget. See svc_nb.plan, and set a cap on their key")
        from svc_nb.columns.terms import given_glossaries

        glossary = fields.get("glossary")
        if glossary is not None and not all(isinstance(each, str) for each in given_glossaries(glossary)):
            raise ValueError(
                "glossary: workers cannot share a table of terms. Push it first with svc_nb.glossaries.push(table, "
                "name), and pass its name"
            )
        if not isinstance(self.engine, Cluster):
            raise TypeError(NO_WORKERS)
        self.engine.check_workers(self.frame)


def bounded(counted: Iterable[Counted]) -> Iterator[Counted]:
    """The same texts in as few chunks as possible."""
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
    """The folder for a large join table, created if necessary; raises ValueError before anything is paid for."""
    if staging is None or "://" in str(staging):
        return None if staging is None else str(staging)
    with suppress(OSError):
        os.makedirs(staging, exist_ok=True)
    if not os.path.isdir(staging) or not os.access(staging, os.W_OK):
        raise ValueError(f"staging: {os.fspath(staging)!r} is not a writable folder")
    return os.path.abspath(staging)


# The module where people find them.
for each in (translate, detect, plan):
    each.__module__ = "svc_nb.clusters"
