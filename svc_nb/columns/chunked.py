"""A table too large for one job: its pieces go through jobs of their own, one after the other, as one run."""

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
STORED = "run it again to go on, or with budget=0 for the rows with what is stored"


@hides("count", "shown")
@verbs
class ChunkedRun(ShownAsLines, Job[None], Generic[Piece]):
    """Every piece of *pieces* through the job that *job* makes of it and of the budget that is left.

    *take* gets each piece with its job once that has ended, so that nothing of it need stay in memory; where *job*
    says None, nothing of the piece is asked for. All jobs together are one run, with one report, one budget and one
    way to pause or cancel them. What ends one job ends the run; where errors are coerced, the pieces that are left
    only get what the store has. *rows* says how many rows there are in all, where that is known before.
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
        """Add what came of rows that no job was asked for; for *job* and *take* to call."""
        for name in SUMMED:
            setattr(self._report, name, getattr(self._report, name) + getattr(counts, name))

    def table(self) -> pd.DataFrame:
        """What came of the texts that were only marked, failed or not sent, each once: the first 10,000 of them."""
        if not self._undone:
            return pd.DataFrame(columns=["source", *COLUMNS])
        return pd.concat(self._undone, ignore_index=True)

    def retry_failed(self) -> NoReturn:
        """Raise TypeError: the table is not kept. The same line again asks only for what failed or was not sent."""
        raise TypeError(
            "A run over a large table does not keep it: run the same line again. Only what failed or was not sent is "
            "asked for."
        )

    def partial(self) -> NoReturn:
        """Raise TypeError: the table is not kept. The same line with `budget=0` gives its rows with what is stored."""
        raise TypeError(
            "A run over a large table does not keep it: run the same line again with budget=0, and without fleet. It "
            "gives the rows with what is stored, and sends nothing to be paid for."
        )

    def result(self, timeout: float | None = None) -> None:
        """Wait for the end; raise what ended the run, or RowsFailed, unless errors are coerced.

        Raises KeyboardInterrupt where it was cancelled. Warns with Unfinished when the budget left rows unsent.
        """
        if self.wait(timeout) and self.cancelled:  # an engine may have a word of its own for that
            raise KeyboardInterrupt(so_far(self.progress, unit=READ, advice=STORED)) from self._problem
        super().result(timeout)
        report = self.progress
        if report.error is not None and not (self._options.coerce and isinstance(report.error, SvcError)):
            # A copy of what is ours: the traceback, by which the table would be kept, is not that of the report's own.
            raise copy(report.error) if isinstance(report.error, SvcError) else report.error
        if report.failed and not self._options.coerce:
            raise self._rows_failed(report)
        warn_of_unsent(report)

    def _lines(self) -> Lines:
        title = f"{'Run' if self.done() else 'Running'}{self._title and ': '}{self._title}"
        return report_lines(self.progress, title)

    def _build(self) -> None:
        """Nothing is kept."""

    def _carry_out(self) -> None:
        try:
            for piece in self._pieces:
                failed = self._report.error is not None and not self._options.coerce
                if self.cancelled or failed:
                    break
                self._send(piece)
                del piece  # nothing of it need stay while the next one is made
        finally:
            # The run is remembered as the last one; the table, or the connection, that it was for is not.
            del self._pieces, self._make, self._take

    def _send(self, piece: Piece) -> None:
        left = self._options.budget  # what may still be paid
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
        if self._report.error is not None:  # what kept these from being sent is not the budget
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
            table = with_sources(table, job.selection.texts)  # its labels mean nothing to anybody
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
    """The *table* of a job over *texts*, which has them once for each target, with its texts in the first column."""
    # A Series of objects, because pandas' own text type cannot hold half of a surrogate pair.
    sources = [*texts] * (len(table) // len(texts) if texts else 0)
    table.insert(0, "source", pd.Series(sources, index=table.index, dtype=object))
    return table
