"""What `translate` and `detect` share: a file of rows is opened, checked, worked through and written."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

from svc_nb.cli import files
from svc_nb.cli.failure import Failure
from svc_nb.cli.options import REPLACE, Parser
from svc_nb.cli.output import breadth
from svc_nb.cli.wording import spoken
from svc_nb.errors import one_line

if TYPE_CHECKING:
    from svc_nb.cli.file_job import FileJob, NewColumns
    from svc_nb.cli.files.source import Source
    from svc_nb.cli.files.table import Table, Write
    from svc_nb.cli.output_file import OutputFile
    from svc_nb.engine.outcome import RunReport

# After how long something is said of a file that is checked, in seconds, and how often.
EVERY = 0.5
LONGEST_NAME = 40
READING = ("encoding", "delimiter", "sheet", "out_encoding")
LOST = {
    "protection_lost": "what --protect names was lost on the way",
    "too_long": "the translation is kept, but is longer than a cell of a workbook: save the sheet as .csv",
}
WHY = {"budget": "over the budget", "quota": "left when the quota was spent"}
GO_ON = "Run the same command again: only what is left is paid for"


def add_reading_options(parser: Parser) -> None:
    """Add how a file of rows is read."""
    add = parser.add_argument
    add("--encoding", metavar="NAME", help="of a text file that is neither UTF-8 nor marked, such as cp1252")
    delimiter = "what separates the cells; found out if not given; tab is a word for it"
    add("--delimiter", metavar="CHAR", help=delimiter)
    add("--sheet", metavar="NAME", help="the sheet of a workbook; the first that is not empty if not given")


def add_writing_options(parser: Parser, *, beside: str) -> None:
    """Add where the result goes; *beside* is how one is called that stands beside reviews.csv."""
    out = f"where the result goes; - is stdout. If not given, beside FILE: {beside}"
    parser.add_argument("--out", metavar="FILE", help=out)
    parser.add_argument("--out-encoding", metavar="NAME", help="of the result; that of FILE if not given")
    parser.flag("--replace", REPLACE)


@contextmanager
def opened(options: Namespace) -> Iterator[Table]:
    """The file that *options* name; refused where its result is to have another form."""
    from svc_nb.cli.files.table import refuse_form

    how = {name: getattr(options, name) for name in READING}
    with files.opened(options.file, **how) as table:
        refuse_form(table, options.out)
        yield table


@contextmanager
def writing(options: Namespace, table: Table, new: NewColumns, out: OutputFile) -> Iterator[Write]:
    """What writes *table* block by block with its new columns; it is there at the end, unless the block raises."""
    with (
        out.opened(packed=table.packed) as stream,
        table.writing(stream, new.made_from, encoding=options.out_encoding) as write,
    ):
        yield write


@contextmanager
def show_reading(source: Source, *, shown: bool) -> Iterator[None]:
    """Say how much of *source* was read, on one line of a terminal that is empty again at the end of the block.

    Nothing is said of what takes no time, nor where stderr is no terminal.
    """
    if not (shown and sys.stderr.isatty()):
        yield
        return
    said, due = "", monotonic() + EVERY

    def read(place: int) -> None:
        nonlocal said, due
        if monotonic() < due or not source.size:
            return
        due = monotonic() + EVERY
        said = f"checking {one_line(source.called, limit=LONGEST_NAME)}: {place / source.size:.0%}"
        print(f"\r{said}", end="", file=sys.stderr, flush=True)

    before, source.read = source.read, read
    try:
        yield
    finally:
        source.read = before
        if said:
            print(f"\r{' ' * breadth(said)}\r", end="", file=sys.stderr, flush=True)


def check(options: Namespace, table: Table, new: NewColumns) -> None:
    """Look at all of the file before anything of it is sent, with a sign of life on a terminal."""
    with show_reading(table.source, shown=not options.quiet):
        table.check(new.read)


def finish(options: Namespace, job: FileJob) -> tuple[RunReport, str | None]:
    """Run *job* to its end, with a bar on a terminal; give its counts, and in a line what was not done, or None.

    Raises Failure where the file was changed meanwhile, or where something was not done unless --partial is given;
    Ctrl-C raises KeyboardInterrupt.
    """
    from svc_nb import progress as bar
    from svc_nb.engine.job import AGAIN

    run = job.run
    run.start()
    bar.follow(run, shown=not options.quiet, unit="cells", advice=f"nothing was written; {AGAIN}")
    job.table.source.refuse_changed()
    if run.failure:
        raise run.failure
    counts = run.progress
    # What ended the run also kept the blocks from being sent that it did not come to.
    unsent = counts.unsent + Counter({counts.stopped or "": counts.rows - counts.finished})
    if not unsent and not counts.failed:
        return counts, None
    undone = _undone(job, counts, unsent)
    if counts.error and not counts.answered:
        raise counts.error  # it is what is the matter with all of them
    if options.partial:
        return counts, undone
    kept = f"What is done is kept, and nothing was written. {f'{GO_ON}; ' if unsent else ''}"
    if counts.stopped == "store":  # whose error says what to do, and not all answers are in it
        kept = "Nothing was written; "
    raise Failure(f"{undone}. {kept}--partial writes the file with gaps")


def _undone(job: FileJob, counts: RunReport, unsent: Counter[str]) -> str:
    told = [f"{counts.done + counts.skipped.total():,} of {counts.rows:,} cells are done"]
    if counts.marked:
        told.append(f"{counts.marked:,} only marked")
    told += [f"{rows:,} {WHY.get(reason, 'not sent')}" for reason, rows in unsent.items()]
    if counts.failed:
        places = (f"{job.table.row_word} {place}: {LOST.get(why, why)}" for place, why in job.failed)
        told.append(f"{counts.failed:,} failed ({'; '.join(places)})")
    error = f": {spoken(counts.error).rstrip('.')}" if counts.error else ""
    return ", ".join(told) + error
