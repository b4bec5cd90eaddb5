"""`svc-nb translate`: columns of a file, into one or several languages."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from svc_nb.cli import choices, files
from svc_nb.cli.connection import connected
from svc_nb.cli.failure import FAILED, tell
from svc_nb.cli.place import Place, marked
from svc_nb.cli.reports import plan_facts
from svc_nb.cli.screen import show_facts
from svc_nb.cli.words import connecting, leaf

if TYPE_CHECKING:
    from svc_nb.batch.outcome import Report
    from svc_nb.cli.files.table import Table
    from svc_nb.frames.text import Translation

EXAMPLE = "svc-nb translate reviews.csv --columns title review --to DE FR"


def add(commands: Any) -> None:
    """Add the command."""
    parser = leaf(
        commands,
        "translate",
        run,
        help="translate columns of a CSV, TSV, XLSX or JSON lines file",
        example=EXAMPLE,
    )
    parser.add_argument("file", metavar="FILE", help="the file; - is stdin")
    parser.add_argument("--columns", metavar="NAME", nargs="+", help="the columns to translate")
    choices.languages(parser)
    reading(parser)
    writing(parser)
    parser.add_argument("--partial", action="store_true", help="write the file with gaps where cells failed")
    parser.add_argument("--json", dest="form", action="store_const", const="json", help="the counts as JSON")
    choices.shaping(parser, tags=True)
    connecting(parser)


def reading(parser: Any) -> None:
    """Add how a file of rows is read."""
    add = parser.add_argument
    add("--encoding", metavar="NAME", help="of a text file that is neither UTF-8 nor marked, such as cp1252")
    add(
        "--delimiter",
        metavar="CHAR",
        help="what separates the cells; found out if not given; tab is a word for it",
    )
    add("--sheet", metavar="NAME", help="the sheet of a workbook; the first that is not empty if not given")


def writing(parser: Any) -> None:
    """Add where the result goes."""
    add = parser.add_argument
    add(
        "--out",
        metavar="FILE",
        help="where the result goes; - is stdout. If not given, beside FILE: reviews.de.csv",
    )
    add("--out-encoding", metavar="NAME", help="of the result; that of FILE if not given")
    add("--replace", action="store_true", help="put the result in the place of a file that is there")


def read(options: Namespace) -> Table:
    """The file that *options* name; refused where its result is to have another form."""
    from svc_nb.cli.files.table import refuse_form

    table = files.opened(
        options.file, encoding=options.encoding, delimiter=options.delimiter, sheet=options.sheet
    )
    refuse_form(table, options.out)
    return table


def run(options: Namespace) -> int:
    """Translate; nothing is written unless all of it is there, or gaps were allowed."""
    from svc_nb.cli.files.table import chosen, refuse_names, refuse_source

    codes = choices.targets(options)
    table = read(options)
    columns = chosen(table, options.columns, "--columns")
    refuse_source(table, options.source)
    refuse_names(table, [f"{name}_{code}" for name in columns for code in codes])
    if options.plan:
        return _plan(options, table, columns, codes)
    with connected(options) as session:
        place = Place.of(options.file, options.out, session, mark=marked(codes), replace=options.replace)
        job = _job(options, table, columns, codes, choices.fields(options, session))
        counts, missing = _done(job, table, options, place)
        session.client.text.warn_of_marks(job.marked)
    _say(options, place, counts, codes)
    if missing:
        tell(f"{missing}. {place} has gaps there")
    return FAILED if missing else 0


def _plan(options: Namespace, table: Table, columns: Sequence[str], codes: Sequence[str]) -> int:
    with connected(options) as session:
        job = _job(options, table, columns, codes, choices.fields(options, session))
        plan = job.plan(price=options.price)
    if options.form:
        show_facts(plan_facts(plan))
    else:
        print(plan)
    return 0


def _job(
    options: Namespace, table: Table, columns: Sequence[str], codes: Sequence[str], fields: dict[str, Any]
) -> Translation:
    """The job over *columns*; the column that has the languages, if one does, stands beside them."""
    from svc_nb.accessor.jobs import translation
    from svc_nb.cli.files.table import frame

    beside = [options.source] if options.source in table.names and options.source not in columns else []
    return translation(frame(table, [*columns, *beside]), list(columns), codes, False, fields)  # type: ignore[arg-type]


def _done(job: Translation, table: Table, options: Namespace, place: Place) -> tuple[Report, str | None]:
    from svc_nb.cli.following import follow, outcome

    counts = follow(job, shown=not options.quiet)
    result, missing = outcome(job, counts, table, partial=options.partial)
    added = {str(name): _cells(result[name]) for name in result.columns}
    place.write(table.extended(added, encoding=options.out_encoding))
    return counts, missing


def _cells(column: Any) -> list[str | None]:
    return [cell if isinstance(cell, str) else None for cell in column.astype(object).tolist()]


def _say(options: Namespace, place: Place, counts: Report, codes: Sequence[str]) -> None:
    """Say what was done: on stdout, unless the result itself is there."""
    facts = {
        "path": None if place.path is None else str(place.path),
        "target_langs": list(codes),
        "cells": counts.rows,
        "done": counts.done,
        "from_store": counts.stored,
        "skipped": counts.skipped.total(),
        "failed": counts.failed,
        "unsent": counts.unsent.total(),
        "billed_characters": counts.billed,
    }
    if place.path is None:
        return None if options.quiet else tell(_line(facts))
    return show_facts(facts) if options.form else print(_line(facts))


def _line(facts: dict[str, Any]) -> str:
    stored = f", {facts['from_store']:,} of them from the store" if facts["from_store"] else ""
    skipped = f"; {facts['skipped']:,} needed none" if facts["skipped"] else ""
    return (
        f"{facts['path'] or 'stdout'}: {facts['done']:,} of {facts['cells']:,} cells translated into "
        f"{', '.join(facts['target_langs'])}{stored}{skipped}; {facts['billed_characters']:,} characters billed."
    )
