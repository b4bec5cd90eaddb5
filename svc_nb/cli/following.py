"""A job over rows followed to its end, and what is said where it did not come to a good one."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from svc_nb.cli.failure import Failure
from svc_nb.cli.wording import spoken
from svc_nb.engine.interrupt import AGAIN

if TYPE_CHECKING:
    from svc_nb.cli.files.table import Table
    from svc_nb.cli.passage import Passage
    from svc_nb.engine.outcome import Report

LOST = {
    "protection_lost": "what --protect names was lost on the way",
    "too_long": "the translation is kept, but is longer than a cell of a workbook: save the sheet as .csv",
}
WHY = {"budget": "over the budget", "quota": "left when the quota was spent"}
GO_ON = "Run the same command again: only what is left is paid for"


def follow(passage: Passage, table: Table, *, shown: bool) -> Report:
    """Run *passage* to its end, with a bar on a terminal, and give its counts; Ctrl-C raises KeyboardInterrupt.

    Where the file was changed meanwhile, Failure is raised.
    """
    from svc_nb import progress as bar

    run = passage.run
    run.start()
    bar.follow(run, shown=shown, unit="cells", advice=f"nothing was written; {AGAIN}")
    table.source.refuse_changed()
    if run.failure:
        raise run.failure
    return run.progress


def missing(passage: Passage, table: Table, counts: Report, *, partial: bool) -> str | None:
    """What was not done, in a line; None where all was. Raises Failure where something is missing unless *partial*."""
    # What ended the run also kept the blocks from being sent that it did not come to.
    unsent = counts.unsent + Counter({counts.stopped or "": counts.rows - counts.finished})
    if not unsent and not counts.failed:
        return None
    told = _undone(passage, table, counts, unsent)
    if counts.error and not counts.answered:
        raise counts.error  # it is what is the matter with all of them
    if not partial:
        raise Failure(f"{told}. {_kept(counts, unsent)}--partial writes the file with gaps")
    return told


def _kept(counts: Report, unsent: Counter[str]) -> str:
    """What has become of what was done, and how to go on; what failed fails again."""
    if counts.stopped == "store":  # whose error says what to do, and not all answers are in it
        return "Nothing was written; "
    return f"What is done is kept, and nothing was written. {f'{GO_ON}; ' if unsent else ''}"


def _undone(passage: Passage, table: Table, counts: Report, unsent: Counter[str]) -> str:
    told = [f"{_finished(counts)} are done"]
    if counts.marked:
        told.append(f"{counts.marked:,} only marked")
    told += [f"{rows:,} {WHY.get(reason, 'not sent')}" for reason, rows in unsent.items()]
    if counts.failed:
        places = (f"{table.row_word} {place}: {LOST.get(why, why)}" for place, why in passage.failed)
        told.append(f"{counts.failed:,} failed ({'; '.join(places)})")
    error = f": {spoken(counts.error).rstrip('.')}" if counts.error else ""
    return ", ".join(told) + error


def _finished(counts: Report) -> str:
    return f"{counts.done + counts.skipped.total():,} of {counts.rows:,} cells"
