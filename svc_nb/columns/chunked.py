"""A table too large for one job: its chunks go through one job each, one after the other, as a single run."""

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from typing import Generic, NoReturn, TypeVar

import pandas as pd

from svc_nb.columns.job import FAILED_WORDS, ChunkJob, JobOptions, warn_of_unsent
from svc_nb.columns.results import COLUMNS
from svc_nb.columns.selection import CountedTexts
from svc_nb.columns.summary import Lines, ShownAsLines, report_lines
from svc_nb.engine.job import Job, so_far
from svc_nb.engine.outcome import FAILED, MARKED, SUMMED, UNSENT, RunReport
from svc_nb.errors import RowsFailed, SvcError
from svc_nb.signatures import hides
from svc_nb.tabular.report import plural
from svc_nb.tracebacks import verbs

Piece = TypeVar("Piece")
MOST_SHOWN = 10_000
BUDGET = "budget"
READ = "row read so far"
STORED = "run it again to continue, or with budget=0 to get the rows with the saved answers"


@hides("count", "shown")
@verbs
class ChunkedRun(ShownAsLines, Job[None], Generic[Piece]):
    """Run every chunk of *pieces* through the job that *job* makes for it and the remaining budget.

    *take* gets each chunk with its job once that has ended, so that nothing of it needs to stay in memory. If *job*
    returns None, nothing is sent for the chunk. All jobs together are one run, with one report, one budget and one way
    to pause or cancel them. Whatever ends one job ends the run; if errors are coerced, the remaining chunks only get
    answers from the store. *rows* is the total number of rows, if known in advance.
    """

    def __init__(
        self,
        pieces: Iterable[Piece],
        job: Callable[[Piece, int | None], ChunkJob | None],
        take: Callable[[Piece, ChunkJob | None], None],
        options: JobOptions,
        *,
        rows: int | None = None,
        title: str = "",
        shown: bool = False,
    ) -> None:
        super().__init__()
        self.shown = shown
        self.marked: set[tuple[str, str]] = set()
        self._pieces = pieces
        self._make = job
        self._take = take
        self._options = options
        self._rows = rows
        self._title = title
        self._now: ChunkJob | None = None
        self._undone: list[pd.DataFrame] = []
        self._report.stage = "reading"

    @property
    def progress(self) -> RunReport:
        """The counts of all jobs so far."""
        counted, job = super().progress, self._now
        if job is not None:
            counted = counted.plus(job.progress)
        counted.rows = counted.rows if self._rows is None else self._rows
        return counted

    def count(self, counts: RunReport) -> None:
        """Add the outcomes of rows that were not given to a job; called by *job* and *take*."""
        for name in SUMMED:
            setattr(self._report, name, getattr(self._report, name) + getattr(counts, name))

    def table(self) -> pd.DataFrame:
        """The outcome of each text that was only marked, failed or not sent, once each: the first 10,000 of them."""
        if not self._undone:
            return pd.DataFrame(columns=["source", *COLUMNS])
        return pd.concat(self._undone, ignore_index=True)

    def retry_failed(self) -> NoReturn:
        """Raise TypeError: the table is not kept. The same line again sends only texts that failed or were not sent."""
        raise TypeError(
            "A run over a large table does not keep the table. Run the same line again: it sends only the texts that "
            "failed or were not sent."
        )

    def partial(self) -> NoReturn:
        """Raise TypeError: the table is not kept. The same line with `budget=0` returns the rows with saved answers."""
        raise TypeError(
            "A run over a large table does not keep the table. Run the same line again with budget=0 and without "
            "fleet: it returns the rows with the saved answers, and costs nothing."
        )

    def result(self, timeout: float | None = None) -> None:
        """Wait for the end; raise the error that ended the run, or RowsFailed, unless errors are coerced.

        Raises KeyboardInterrupt if it was cancelled. Warns with Unfinished if the budget left rows unsent.
        """
        if self.wait(timeout) and self.cancelled:  # an engine may raise its own error for that
            raise KeyboardInterrupt(so_far(self.progress, unit=READ, advice=STORED)) from self._problem
        super().result(timeout)
        report = self.progress
        if report.error is not None and not (self._options.coerce and isinstance(report.error, SvcError)):
            # Our own errors are copied: the traceback, which would keep the table alive, is then not that of the
            # report's error.
            raise copy(report.error) if isinstance(report.error, SvcError) else report.error
        if report.failed and not self._options.coerce:
            raise self._rows_failed(report)
        warn_of_unsent(report)

    def _lines(self) -> Lines:
        title = f"{'Run' if self.done() else 'Running'}{self._title and ': '}{self._title}"
        return report_lines(self.progress, title)

    def _build(self) -> None:
        """Keep nothing."""

    def _carry_out(self) -> None:
        try:
            for piece in self._pieces:
                failed = self._report.error is not None and not self._options.coerce
                if self.cancelled or failed:
                    break
                self._send(piece)
                del piece  # free it before the next one is made
        finally:
            # The run is remembered as the last one, without its table or connection.
            del self._pieces, self._make, self._take

    def _send(self, piece: Piece) -> None:
        left = self._options.budget  # what may still be spent
        if self._report.error is not None:
            left = 0
        elif left is not None:
            left = max(0, left - self._report.billed - self._report.unclear)
        job = self._make(piece, left)
        if job is None:
            self._take(piece, None)
            return
        self._now = job.under(self._control)
        job.start()
        job.wait()
        job.check()
        ended = job.progress
        if self._report.error is not None:  # these were not held back by the budget
            ended.unsent[self._report.stopped or ""] += ended.unsent.pop(BUDGET, 0)
        self._keep_undone(job, ended)
        self.marked |= getattr(job, "marked", set())
        self._take(piece, job)
        self._report, self._now = self._report.plus(ended), None

    def _keep_undone(self, job: ChunkJob, ended: RunReport) -> None:
        room = MOST_SHOWN - sum(map(len, self._undone))
        if room <= 0 or not (ended.marked or ended.failed or ended.unsent.total()):
            return
        table = job.table()
        if isinstance(job.selection, CountedTexts) and "source" not in table:
            table = with_sources(table, job.selection.texts)  # its labels mean nothing to users
        self._undone.append(table[table["status"].isin([MARKED, FAILED, UNSENT])].head(room))

    def _rows_failed(self, report: RunReport) -> SvcError:
        undone = self.table()
        reasons = undone.loc[undone["status"] == FAILED, "reason"]
        first = str(reasons.iloc[0]) if len(reasons) else ""
        cause = report.causes.get(first)
        if cause and not report.answered and reasons.nunique() == 1:
            return copy(cause)
        return RowsFailed(
            f"{report.failed:,} of {plural(report.rows, 'row')} failed", detail=FAILED_WORDS.get(first, first)
        )


def with_sources(table: pd.DataFrame, texts: Sequence[str | None]) -> pd.DataFrame:
    """The *table* of a job over *texts*, which it has once per target, with the texts in the first column."""
    # A Series of objects, because pandas' own string type cannot hold half of a surrogate pair.
    sources = [*texts] * (len(table) // len(texts) if texts else 0)
    table.insert(0, "source", pd.Series(sources, index=table.index, dtype=object))
    return table
