"""`svc-nb translate`: columns of a file, into one or several languages."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING

from svc_nb.cli import file_commands
from svc_nb.cli.failure import FAILED, NOT_TRANSLATED, tell
from svc_nb.cli.options import Parser, connected, target_codes, translation_arguments
from svc_nb.cli.output import plan_facts, show_json
from svc_nb.cli.output_file import OutputFile

if TYPE_CHECKING:
    from svc_nb.cli.file_job import NewColumns
    from svc_nb.columns.job import TextJob
    from svc_nb.engine.outcome import RunReport
    from svc_nb.tabular.streaming.table import Table

EXAMPLE = """svc-nb translate reviews.csv --columns title review --to DE FR
  svc-nb translate big.parquet --columns text --to EN-US --out out.parquet"""


def add(commands: Parser) -> None:
    """Add the command."""
    about = "translate columns of a CSV, TSV, JSON lines, Parquet or XLSX file"
    parser = commands.command("translate", run, about, EXAMPLE)
    parser.add_argument("file", metavar="FILE", help="the file; - is stdin")
    parser.add_argument("--columns", "--column", metavar="NAME", nargs="+", help="the columns to translate")
    parser.add_language_options()
    file_commands.add_file_options(parser, beside="reviews.de.csv")
    parser.flag("--partial", "write the file with gaps where cells failed")
    parser.add_json_option("the counts as JSON")
    parser.add_translation_options(table=True)


def run(options: Namespace) -> int:
    """Translate; nothing is written unless all of it is there, or gaps were allowed."""
    from svc_nb.cli.file_job import FileJob

    codes = target_codes(options)
    with file_commands.opened(options) as table:
        new = _new_columns(options, table, codes)
        if options.plan:
            file_commands.check(options, table, new)
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
            file_commands.check(options, table, new)
            job = _job(options, codes, new)
            with file_commands.writing(options, table, new, out) as write:
                file_job = FileJob(table, new, job, write)
                counts, missing = file_commands.finish(options, file_job)
            session.client.ignored_options.warn()
    _say(options, out, counts, file_job.run.marked)
    if missing:
        tell(f"{missing}. {out} has gaps there")
    return FAILED if missing else NOT_TRANSLATED if counts.marked else 0


def _new_columns(options: Namespace, table: Table, codes: Sequence[str]) -> NewColumns:
    """The columns to add to *table*; raises Misuse or Failure where they cannot be had."""
    from svc_nb.cli.file_job import NewColumns
    from svc_nb.columns.selection import is_language_among

    columns = file_commands.chosen(table, options.columns, "--columns")
    file_commands.refuse_source(table, options.source_lang)
    own: dict[str, str] = {}
    if options.source_lang in table.names and not is_language_among(options.source_lang, columns):
        [own["source_lang"]] = file_commands.chosen(table, [options.source_lang], "--from")
    if options.context in table.names:
        [own["context"]] = file_commands.chosen(table, [options.context], "--context")
    new = NewColumns(columns, [[f"{name}_{code}" for code in codes] for name in columns], own)
    file_commands.refuse_names(table, list(new.made_from))
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
        stored = f"; {counts.stored:,} cells came from the store"
    skipped = f"; {counts.skipped.total():,} needed none" if counts.skipped.total() else ""
    line = (
        f"{out}: {counts.done:,} of {counts.rows:,} cells translated into {', '.join(codes)}{marked}{stored}{skipped}; "
        f"{counts.billed:,} characters billed."
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
