"""What `translate` and `detect` share: a file of rows is opened, checked, worked through and written."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import PurePath
from time import monotonic
from typing import TYPE_CHECKING

from svc_nb.advice import did_you_mean
from svc_nb.cli.failure import Failure, Misuse, spoken
from svc_nb.cli.options import REPLACE, Parser
from svc_nb.cli.output import breadth
from svc_nb.errors import UnknownLanguage, one_line

if TYPE_CHECKING:
    from svc_nb.cli.file_job import FileJob, NewColumns
    from svc_nb.cli.output_file import OutputFile
    from svc_nb.engine.outcome import RunReport
    from svc_nb.tabular.streaming.source import Source
    from svc_nb.tabular.streaming.table import Table, Write

# After how long something is said of a file that is checked, in seconds, and how often.
EVERY = 0.5
LONGEST_NAME = 40
READING = ("encoding", "delimiter", "sheet", "out_encoding")
COMPRESSED = (".gz", ".bz2", ".xz", ".zst", ".zip")
LOST = {
    "protection_lost": "what --protect names was lost on the way",
    "too_long": "the translation is kept, but is longer than a cell of a workbook: save the sheet as .csv",
}
WHY = {"budget": "over the budget", "quota": "left when the quota was spent"}
GO_ON = "Run the same command again: only what is left is paid for"


def add_file_options(parser: Parser, *, beside: str) -> None:
    """Add how a file of rows is read and where the result goes, called *beside* where it stands beside reviews.csv."""
    add = parser.add_argument
    add("--encoding", metavar="NAME", help="of a text file that is neither UTF-8 nor marked, such as cp1252")
    delimiter = "what separates the cells; found out if not given; tab is a word for it"
    add("--delimiter", metavar="CHAR", help=delimiter)
    add("--sheet", metavar="NAME", help="the sheet of a workbook; the first that is not empty if not given")
    out = f"where the result goes; - is stdout. If not given, beside FILE: {beside}"
    add("--out", metavar="FILE", help=out)
    add("--out-encoding", metavar="NAME", help="of the result; that of FILE if not given")
    parser.flag("--replace", REPLACE)


@contextmanager
def opened(options: Namespace) -> Iterator[Table]:
    """The file that *options* name; refused where its result is to have another form."""
    from svc_nb.tabular import streaming
    from svc_nb.tabular.streaming.table import ENDINGS

    how = {name: getattr(options, name) for name in READING}
    with streaming.opened(options.file, **how) as table:
        ending = PurePath(options.out or "").suffix.lower()
        known = (*ENDINGS, *COMPRESSED, *streaming.ADVICE)
        if ending in known and ending not in table.endings:
            raise Misuse(
                f"--out: the result has the form of {table.called}, so its name cannot end in {ending}; "
                f"expected {table.endings[0]}"
            )
        yield table


@contextmanager
def writing(options: Namespace, table: Table, new: NewColumns, out: OutputFile) -> Iterator[Write]:
    """What writes *table* block by block with its new columns; it is there at the end, unless the block raises."""
    with (
        out.opened(packed=table.packed) as stream,
        table.writing(stream, new.made_from, encoding=options.out_encoding) as write,
    ):
        yield write


# ---- what is asked for, and what the file has


def chosen(table: Table, wanted: Sequence[str] | None, option: str) -> list[str]:
    """The names of the columns that are *wanted*; raises Misuse where one is not there, or holds no texts."""
    from svc_nb.tabular.streaming.table import listed

    names = table.names
    if wanted is None:
        raise Misuse(f"name what to take with {option}; {table.called} has {listed(names)}")
    for name in wanted:
        count = names.count(name)
        if count > 1:
            raise Misuse(f"{table.called}: {count} columns are called {name!r}; rename all but one")
        if not count:
            if len(names) == 1 and name in names[0]:
                meant = f"; its only one is {names[0]!r}: is the separator another one (--delimiter)?"
            elif "," in name and all(part.strip() in names for part in name.split(",")):
                meant = "; these are several columns: separate them by spaces"
            else:
                meant = f". {did_you_mean(name, names)}"
            raise Misuse(f"{table.called}: there is no column {name!r}{meant}")
        if name in table.others:
            raise Misuse(f"{table.called}: the column {name!r} holds no texts but {table.others[name]}")
    return list(dict.fromkeys(wanted))


def refuse_names(table: Table, added: Sequence[str]) -> None:
    """Raise Misuse where a column that would be added is there already."""
    for name in added:
        if name in table.names:
            raise Misuse(f"{table.called} has a column {name!r} already; rename it or take it out first")


def refuse_source(table: Table, source: str | None) -> None:
    """Raise Misuse or UnknownLanguage where *source*, what --from says, is no language, no column and not "detect"."""
    from svc_nb.columns.selection import source_code

    if source in table.names:
        return
    try:
        source_code(source)
    except UnknownLanguage as problem:
        if problem.meant:
            raise
        raise Misuse(
            f"--from: expected a language such as DE, a column of {table.called} that has them, or detect, "
            f"found {source!r}. {did_you_mean(source or '', table.names)}"
        ) from None


def check(options: Namespace, table: Table, new: NewColumns) -> None:
    """Look at all of the file before anything of it is sent, with a sign of life on a terminal."""
    with show_reading(table.source, shown=not options.quiet):
        table.check(new.read)
    chosen(table, new.read, "--columns")


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


# ---- the run


def finish(options: Namespace, job: FileJob) -> tuple[RunReport, str | None]:
    """Run *job* to its end, with a bar on a terminal; give its counts, and in a line what was not done, or None.

    Raises ValueError where the file was changed meanwhile, Failure where something was not done unless --partial is
    given; Ctrl-C raises KeyboardInterrupt.
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
