"""A job over rows followed to its end, and what is said where it did not come to a good one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from svc_nb.cli.failure import Failure, Interrupted
from svc_nb.cli.wording import spoken

if TYPE_CHECKING:
    from svc_nb.batch.outcome import Report
    from svc_nb.cli.files.table import Table
    from svc_nb.frames.job import TextJob

MOST_ROWS = 5
LOST = {"protection_lost": "what --protect names was lost on the way"}
WHY = {"budget": "over the budget", "quota": "left when the quota was spent"}
GO_ON = "Run the same command again: only what is left is paid for"


def follow(job: TextJob, *, shown: bool) -> Report:
    """Run *job* to its end, with a bar on a terminal, and give its counts; Ctrl-C raises Interrupted."""
    from svc_nb import bar

    job.start()
    bar.follow(job, shown=shown)
    counts = job.progress
    if counts.unsent.get("interrupted"):
        done = counts.done + counts.skipped.total()
        raise Interrupted(
            f"interrupted: {done:,} of {counts.rows:,} cells are done and kept ({counts.billed:,} characters billed), "
            f"and nothing was written. {GO_ON}"
        )
    return counts


def outcome(job: TextJob, counts: Report, table: Table, *, partial: bool) -> tuple[Any, str | None]:
    """The result of *job*, and what is missing in it; raises Failure where something is and that was not allowed."""
    missing = _missing(job, counts, table)
    if missing is None:
        return job.partial() if job.done() and counts.error is None else job.result(), None
    if not counts.done and (counts.error or counts.failed):
        job.result()  # raises what is the matter with all of them
    if not partial:
        raise Failure(
            f"{missing}. What is done is kept, and nothing was written. {GO_ON}; --partial writes the file with gaps"
        )
    return job.partial(), missing


def _missing(job: TextJob, counts: Report, table: Table) -> str | None:
    """What was not done, in a line; None where all was."""
    unsent = counts.unsent.total()
    if not unsent and not counts.failed:
        return None
    done = counts.done + counts.skipped.total()
    told = [f"{done:,} of {counts.rows:,} cells are done"]
    told += [f"{rows:,} {WHY.get(reason, 'not sent')}" for reason, rows in counts.unsent.items() if rows]
    if counts.failed:
        told.append(f"{counts.failed:,} failed ({'; '.join(_failed(job, table))})")
    error = f": {spoken(counts.error).rstrip('.')}" if counts.error else ""
    return ", ".join(told) + error


def _failed(job: TextJob, table: Table) -> Sequence[str]:
    """Where the first cells stand that failed, and why."""
    rows = job.table()
    failed = rows[rows["status"] == "failed"].head(MOST_ROWS)
    return [
        f"{table.row_word} {table.places[row]}: {LOST.get(reason, reason)}"
        for row, reason in zip(failed.index, failed["reason"], strict=True)
    ]
