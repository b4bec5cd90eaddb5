"""`svc-nb translate` and `svc-nb detect`: a file of rows is opened, checked, worked through and written."""

from __future__ import annotations

import sys
from argparse import ArgumentTypeError, Namespace
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import PurePath
from time import monotonic
from typing import TYPE_CHECKING

from svc_nb.advice import did_you_mean
from svc_nb.cli.failure import FAILED, NOT_TRANSLATED, Failure, Misuse, spoken, tell
from svc_nb.cli.options import FORMULA_SAFE, REPLACE, Parser, connected, target_codes, translation_arguments
from svc_nb.cli.output import breadth, plan_facts, show_json, show_table
from svc_nb.cli.output_file import OutputFile
from svc_nb.errors import UnknownLanguage, one_line
from svc_nb.tabular.report import plural

if TYPE_CHECKING:
    import pandas as pd

    from svc_nb.cli.file_job import FileJob, NewColumns
    from svc_nb.columns.job import TextJob
    from svc_nb.engine.outcome import RunReport
    from svc_nb.tabular.streaming.source import Source
    from svc_nb.tabular.streaming.table import Block, CodedCells, Table, Write

# After how long something is said of a file that is checked, in seconds, and how often.
EVERY = 0.5
LONGEST_NAME = 40
TRANSLATE = """svc-nb translate reviews.csv --columns title review --to DE FR
  svc-nb translate big.parquet --columns text --to EN-US --out out.parquet"""
DETECT = "svc-nb detect reviews.csv --column review\n  svc-nb detect reviews.csv --column review --write"
NONE = "(none)"
READING = ("encoding", "delimiter", "sheet", "out_encoding")
COMPRESSED = (".gz", ".bz2", ".xz", ".zst", ".zip")
LOST = {
    "protection_lost": "what --protect names was lost on the way",
    "too_long": "the translation is kept, but is longer than a cell of a workbook: save the sheet as .csv",
}
WHY = {"budget": "over the budget", "quota": "left when the quota was spent"}
GO_ON = "Run the same command again: only what is left is paid for"


def add_file_options(parser: Parser, *, beside: str) -> None:
    """Add how a file of rows is read and where the result goes, called *beside* if it is written beside reviews.csv."""
    add = parser.add_argument
    add("--encoding", metavar="NAME", help="of a text file that is neither UTF-8 nor marked, such as cp1252")
    add("--delimiter", metavar="CHAR", help="what separates the cells; found out if not given; tab is a word for it")
    add("--sheet", metavar="NAME", help="the sheet of a workbook; the first that is not empty if not given")
    add("--out", metavar="FILE", help=f"where the result goes; - is stdout. If not given, beside FILE: {beside}")
    add("--out-encoding", metavar="NAME", help="of the result; that of FILE if not given")
    parser.flag("--formula-safe", f"{FORMULA_SAFE}; cells of FILE stay as they are")
    parser.flag("--replace", REPLACE)


@contextmanager
def opened(options: Namespace) -> Iterator[Table]:
    """The file that *options* name; refused where its result is to have another form."""
    from svc_nb.tabular import streaming

    how = {name: getattr(options, name) for name in READING}
    with streaming.opened(options.file, **how) as table:
        ending = PurePath(options.out or "").suffix.lower()
        known = (*streaming.ENDINGS, *COMPRESSED, *streaming.ADVICE)
        if ending in known and ending not in table.endings:
            raise Misuse(
                f"--out: the result has the form of {table.called}, so its name cannot end in {ending}; "
                f"expected {table.endings[0]}"
            )
        if options.formula_safe and not table.runs_formulas:
            raise Misuse(f"--formula-safe is for CSV and TSV; in {table.called} no text is run as a formula")
        table.formula_safe = options.formula_safe
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
                meant = f"; its only column is {names[0]!r}: is the separator another one (--delimiter)?"
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
    """Raise Misuse or UnknownLanguage if *source*, the value of --from, is not a language, a column or "detect"."""
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
    """Say on one line of a terminal how much of *source* was read; it is empty again at the end of the block."""
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
    """Run *job* to its end, with a bar; give its counts and what was not done, which is a Failure unless --partial."""
    from svc_nb import progress as bar
    from svc_nb.engine.job import AGAIN

    run = job.run.start()
    bar.follow(run, shown=not options.quiet, unit="cell", advice=f"nothing was written; {AGAIN}")
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
    kept = f"Finished cells are kept; nothing was written. {f'{GO_ON}; ' if unsent else ''}"
    if counts.stopped == "store":  # whose error says what to do, and not all answers are in it
        kept = "Nothing was written; "
    raise Failure(f"{undone}. {kept}--partial writes the file with gaps")


def _undone(job: FileJob, counts: RunReport, unsent: Counter[str]) -> str:
    done = counts.done + counts.skipped.total()
    told = [f"{done:,} of {plural(counts.rows, 'cell')} {'is' if done == 1 else 'are'} done"]
    if counts.marked:
        told.append(f"{counts.marked:,} only marked")
    told += [f"{rows:,} {WHY.get(reason, 'not sent')}" for reason, rows in unsent.items()]
    if counts.failed:
        places = (f"{job.table.row_word} {place}: {LOST.get(why, why)}" for place, why in job.failed)
        told.append(f"{counts.failed:,} failed ({'; '.join(places)})")
    return ", ".join(told) + (f": {spoken(counts.error).rstrip('.')}" if counts.error else "")


# ---- svc-nb translate


def add_translate(commands: Parser) -> None:
    """Add the command."""
    about = "translate columns of a CSV, TSV, JSON lines, Parquet or XLSX file"
    parser = commands.command("translate", translate, about, TRANSLATE)
    parser.add_argument("file", metavar="FILE", help="the file; - is stdin")
    parser.add_argument("--columns", "--column", metavar="NAME", nargs="+", help="the columns to translate")
    parser.add_language_options()
    add_file_options(parser, beside="reviews.de.csv")
    parser.flag("--partial", "write the file with gaps where cells failed")
    parser.add_json_option("the counts as JSON")
    parser.add_translation_options(table=True)


def translate(options: Namespace) -> int:
    """Translate; nothing is written unless all of it is there, or gaps were allowed."""
    from svc_nb.cli.file_job import FileJob

    codes = target_codes(options)
    with opened(options) as table:
        new = _new_columns(options, table, codes)
        if options.plan:
            check(options, table, new)
            with connected(options):
                plan = FileJob(table, new, _job(options, codes, new), whole=False).plan(options.price)
                table.source.refuse_changed()
            if options.form:
                show_json(plan_facts(plan))
            else:
                print(plan)
            return 0
        with connected(options) as session:
            mark = "".join(f".{code.lower()}" for code in codes)
            out = OutputFile.of(options.file, options.out, session, mark=mark, replace=options.replace)
            out.check_room(table.source.size)
            check(options, table, new)
            job = _job(options, codes, new)
            with writing(options, table, new, out) as write:
                file_job = FileJob(table, new, job, write)
                counts, missing = finish(options, file_job)
            session.client.ignored_options.warn()
    _say(options, out, counts, file_job.run.marked)
    if missing:
        tell(f"{missing}. {out} has gaps there")
    return FAILED if missing else NOT_TRANSLATED if counts.marked else 0


def _new_columns(options: Namespace, table: Table, codes: Sequence[str]) -> NewColumns:
    """The columns to add to *table*; raises Misuse or Failure where they cannot be had."""
    from svc_nb.cli.file_job import NewColumns
    from svc_nb.columns.selection import is_language_among

    columns = chosen(table, options.columns, "--columns")
    refuse_source(table, options.source_lang)
    own: dict[str, str] = {}
    if options.source_lang in table.names and not is_language_among(options.source_lang, columns):
        [own["source_lang"]] = chosen(table, [options.source_lang], "--from")
    if options.context in table.names:
        [own["context"]] = chosen(table, [options.context], "--context")
    new = NewColumns(columns, [[f"{name}_{code}" for code in codes] for name in columns], own)
    refuse_names(table, list(new.made_from))
    return new


def _job(options: Namespace, codes: Sequence[str], new: NewColumns) -> TextJob:
    """The job that those for each block are like; a column that says the languages comes with each block."""
    from svc_nb.columns import translation
    from svc_nb.columns.selection import CountedTexts

    fields = {
        **translation_arguments(options),
        "errors": "coerce" if options.partial else "raise",
        "source_lang": None if "source_lang" in new.options else options.source_lang,
    }
    return translation(CountedTexts([], []), None, codes, False, fields)  # type: ignore[arg-type]


def _say(options: Namespace, out: OutputFile, counts: RunReport, marks: set[tuple[str, str]]) -> None:
    """Say what was done: on stdout, unless the result itself is there; what was not translated is never kept back."""
    from svc_nb.marked import no_translator

    codes = target_codes(options)
    marked = f"; {counts.marked:,} NOT TRANSLATED, only marked: {no_translator(marks)}" if marks else ""
    stored = f", {counts.stored:,} of them from the store" if counts.stored else ""
    if marks and stored:
        stored = f"; {plural(counts.stored, 'cell')} came from the store"
    skipped = f"; {counts.skipped.total():,} needed none" if counts.skipped.total() else ""
    line = (
        f"{out}: {counts.done:,} of {plural(counts.rows, 'cell')} translated into {', '.join(codes)}"
        f"{marked}{stored}{skipped}; {plural(counts.billed, 'character')} billed."
    )
    if out.path is None:
        if counts.marked or not options.quiet:
            tell(line)
        return
    if not options.form:
        print(line)
        return
    if counts.marked:
        tell(line)
    facts = {
        "path": str(out.path),
        "target_langs": codes,
        "cells": counts.rows,
        "done": counts.done,
        "marked": counts.marked,
        "from_store": counts.stored,
        "skipped": counts.skipped.total(),
        "failed": counts.failed,
        "unsent": counts.unsent.total(),
        "billed_characters": counts.billed,
    }
    show_json(facts)


# ---- svc-nb detect


def add_detect(commands: Parser) -> None:
    """Add the command."""
    about = "find out the languages of the texts in a column; costs nothing"
    parser = commands.command("detect", detect, about, DETECT)
    parser.add_argument("file", metavar="FILE", help="the file: CSV, TSV, JSON lines, Parquet or XLSX; - is stdin")
    parser.add_argument("--column", "--columns", metavar="NAME", nargs="+", help="the column, one at a time")
    parser.flag("--write", "write the file with a column of languages and one of confidence: reviews.lang.csv")
    confidence = "from 0 to 1: what was detected with less counts as not detected"
    parser.add_argument("--min-confidence", metavar="SHARE", type=share, help=confidence)
    parser.flag("--partial", "continue if single cells fail")
    parser.add_table_options()
    add_file_options(parser, beside="reviews.lang.csv")


def share(text: str) -> float:
    """A number from 0 to 1."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise ArgumentTypeError(f"expected a number from 0 to 1, found {text!r}")
    return number


def detect(options: Namespace) -> int:
    """Show how many texts there are in each language; write the languages where that was asked for."""
    from svc_nb.cli.file_job import NewColumns

    writes = options.write or options.out is not None
    with opened(options) as table:
        name, *more = chosen(table, options.column, "--column")
        if more:
            raise Misuse(f"--column: detect takes one column at a time, found {len(more) + 1}")
        new = NewColumns([name], [[f"{name}_lang", f"{name}_confidence"]], told=("confidence",))
        refuse_names(table, list(new.made_from) if writes else [])
        with connected(options) as session:
            out = None
            if writes:
                out = OutputFile.of(options.file, options.out, session, mark=".lang", replace=options.replace)
                out.check_room(table.source.size)
            check(options, table, new)
            languages, missing = _detected(options, table, new, out)
    if out is None or out.path:
        show_table(languages, options.form)
        if out is not None and not options.quiet:
            tell(f"{out} written")
        if not len(languages) and not options.quiet:
            tell(f"{table.called} has no rows")
    if missing:
        tell(missing)
    return FAILED if missing else 0


def _detected(
    options: Namespace, table: Table, new: NewColumns, out: OutputFile | None
) -> tuple[pd.DataFrame, str | None]:
    """How many cells are in each language, and in a line what was not done; the file is written to *out*."""
    import pandas as pd

    from svc_nb.cli.file_job import FileJob
    from svc_nb.columns import detection
    from svc_nb.columns.selection import CountedTexts

    languages: Counter[str] = Counter()
    confidences: defaultdict[str, float] = defaultdict(float)
    errors = "coerce" if options.partial else "raise"
    job = detection(CountedTexts([], []), None, False, {"errors": errors, "min_confidence": options.min_confidence})
    with ExitStack() as stack:
        write = stack.enter_context(writing(options, table, new, out)) if out else None

        def take(block: Block, cells: Mapping[str, CodedCells]) -> None:
            codes, shares = (column.cells() for column in cells.values())
            languages.update(code or NONE for code in codes)
            for code, confidence in zip(codes, shares, strict=True):
                if code and confidence:
                    confidences[code] += float(confidence)
            if write:
                write(block, cells)

        _, missing = finish(options, FileJob(table, new, job, take, whole=write is not None))
    # How many texts are in each language, and how sure that is on average, where the service tells.
    rows = []
    for code, count in languages.most_common():
        confidence = round(confidences[code] / count, 2) if code in confidences else None
        rows.append((code, count, round(100 * count / languages.total(), 1), confidence))
    counted = pd.DataFrame(rows, columns=["language", "texts", "percent", "confidence"])
    return counted if confidences else counted.drop(columns="confidence"), missing
