"""`svc-nb translate`: columns of a file, into one or several languages."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from svc_nb.cli import choices, files
from svc_nb.cli.connection import connected
from svc_nb.cli.failure import FAILED, NOT_TRANSLATED, tell
from svc_nb.cli.place import Place, marked
from svc_nb.cli.reports import plan_facts
from svc_nb.cli.screen import show_facts
from svc_nb.cli.watching import watched
from svc_nb.cli.words import connecting, leaf

if TYPE_CHECKING:
    from svc_nb.cli.files.table import Table, Write
    from svc_nb.cli.passage import Wish
    from svc_nb.columns.text import Translation
    from svc_nb.engine.outcome import Report
    from svc_nb.session import Session

EXAMPLE = """svc-nb translate reviews.csv --columns title review --to DE FR
  svc-nb translate big.parquet --columns text --to EN-US --out out.parquet"""


def add(commands: Any) -> None:
    """Add the command."""
    parser = leaf(
        commands,
        "translate",
        run,
        help="translate columns of a CSV, TSV, JSON lines, Parquet or XLSX file",
        example=EXAMPLE,
    )
    parser.add_argument("file", metavar="FILE", help="the file; - is stdin")
    parser.add_argument("--columns", "--column", metavar="NAME", nargs="+", help="the columns to translate")
    choices.languages(parser)
    reading(parser)
    writing(parser)
    parser.add_argument("--partial", action="store_true", help="write the file with gaps where cells failed")
    parser.add_argument("--json", dest="form", action="store_const", const="json", help="the counts as JSON")
    choices.shaping(parser, table=True)
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


def writing(parser: Any, *, beside: str = "reviews.de.csv") -> None:
    """Add where the result goes; *beside* is how one is called that stands beside reviews.csv."""
    add = parser.add_argument
    add(
        "--out",
        metavar="FILE",
        help=f"where the result goes; - is stdout. If not given, beside FILE: {beside}",
    )
    add("--out-encoding", metavar="NAME", help="of the result; that of FILE if not given")
    add("--replace", action="store_true", help="put the result in the place of a file that is there")


@contextmanager
def reading_of(options: Namespace) -> Iterator[Table]:
    """The file that *options* name; refused where its result is to have another form."""
    from svc_nb.cli.files.table import refuse_form

    with files.opened(
        options.file,
        encoding=options.encoding,
        delimiter=options.delimiter,
        sheet=options.sheet,
        out_encoding=options.out_encoding,
    ) as table:
        refuse_form(table, options.out)
        yield table


@contextmanager
def writing_of(options: Namespace, table: Table, wish: Wish, place: Place) -> Iterator[Write]:
    """What writes *table* block by block with what was wished for; it is there at the end, unless the block raises."""
    with (
        place.opened(packed=table.packed) as stream,
        table.writing(stream, wish.made_from, encoding=options.out_encoding) as write,
    ):
        yield write


def placed(options: Namespace, table: Table, session: Session, *, mark: str) -> Place:
    """Where the result goes; raises Failure where it cannot go there, or has no room."""
    place = Place.of(options.file, options.out, session, mark=mark, replace=options.replace)
    place.check_room(table.source.size)
    return place


def check(options: Namespace, table: Table, wish: Wish) -> None:
    """Look at all of the file before anything of it is sent, with a sign of life on a terminal."""
    with watched(table.source, shown=not options.quiet):
        table.check(wish.read)


def run(options: Namespace) -> int:
    """Translate; nothing is written unless all of it is there, or gaps were allowed."""
    codes = choices.targets(options)
    with reading_of(options) as table:
        wish = _wish(options, table, codes)
        if options.plan:
            return _plan(options, table, wish, codes)
        with connected(options) as session:
            place = placed(options, table, session, mark=marked(codes))
            check(options, table, wish)
            job = _job(options, codes, wish)
            counts, missing, marks = _done(options, table, wish, job, place)
            session.client.ignored_options.warn()
    _say(options, place, counts, marks)
    if missing:
        tell(f"{missing}. {place} has gaps there")
    return FAILED if missing else NOT_TRANSLATED if counts.marked else 0


def _wish(options: Namespace, table: Table, codes: Sequence[str]) -> Wish:
    """What is wanted of *table*; raises Misuse or Failure where it cannot be had."""
    from svc_nb.cli.files.table import chosen, refuse_names, refuse_source
    from svc_nb.cli.passage import Wish
    from svc_nb.columns.sheet import is_language_among

    columns = chosen(table, options.columns, "--columns")
    refuse_source(table, options.source)
    own: dict[str, str] = {}
    if options.source in table.names and not is_language_among(options.source, columns):
        [own["source_lang"]] = chosen(table, [options.source], "--from")
    if options.context in table.names:
        [own["context"]] = chosen(table, [options.context], "--context")
    wish = Wish(columns, [[f"{name}_{code}" for code in codes] for name in columns], own)
    refuse_names(table, list(wish.made_from))
    return wish


def _plan(options: Namespace, table: Table, wish: Wish, codes: Sequence[str]) -> int:
    from svc_nb.cli.passage import Passage

    check(options, table, wish)
    with connected(options):
        plan = Passage(table, wish, _job(options, codes, wish), whole=False).plan(options.price)
        table.source.refuse_changed()
    if options.form:
        show_facts(plan_facts(plan))
    else:
        print(plan)
    return 0


def _job(options: Namespace, codes: Sequence[str], wish: Wish) -> Translation:
    """The job that those for each block are like; a column that says the languages comes with each block."""
    from svc_nb.columns.jobs import translation
    from svc_nb.columns.tally import Tally

    fields = {
        **choices.fields(options),
        "errors": "coerce" if options.partial else "raise",
        "source_lang": None if "source_lang" in wish.options else options.source,
    }
    return translation(Tally([], []), None, codes, False, fields)  # type: ignore[arg-type]


def _done(
    options: Namespace, table: Table, wish: Wish, job: Translation, place: Place
) -> tuple[Report, str | None, set[tuple[str, str]]]:
    """The counts, what is missing, and the languages between which texts were only marked."""
    from svc_nb.cli.following import follow, missing
    from svc_nb.cli.passage import Passage

    with writing_of(options, table, wish, place) as write:
        passage = Passage(table, wish, job, write)
        counts = follow(passage, table, shown=not options.quiet)
        undone = missing(passage, table, counts, partial=options.partial)
    return counts, undone, passage.run.marked


def _say(options: Namespace, place: Place, counts: Report, marks: set[tuple[str, str]]) -> None:
    """Say what was done: on stdout, unless the result itself is there; what was not translated is never kept back."""
    facts = {
        "path": None if place.path is None else str(place.path),
        "target_langs": choices.targets(options),
        "cells": counts.rows,
        "done": counts.done,
        "marked": counts.marked,
        "from_store": counts.stored,
        "skipped": counts.skipped.total(),
        "failed": counts.failed,
        "unsent": counts.unsent.total(),
        "billed_characters": counts.billed,
    }
    if place.path is None:
        return None if options.quiet and not counts.marked else tell(_line(facts, marks))
    if options.form and counts.marked:
        tell(_line(facts, marks))
    return show_facts(facts) if options.form else print(_line(facts, marks))


def _line(facts: dict[str, Any], marks: set[tuple[str, str]]) -> str:
    from svc_nb.marked import no_translator

    marked = f"; {facts['marked']:,} NOT TRANSLATED, only marked: {no_translator(marks)}" if marks else ""
    stored = f", {facts['from_store']:,} of them from the store" if facts["from_store"] else ""
    if marks and stored:
        stored = f"; {facts['from_store']:,} cells came from the store"
    skipped = f"; {facts['skipped']:,} needed none" if facts["skipped"] else ""
    return (
        f"{facts['path'] or 'stdout'}: {facts['done']:,} of {facts['cells']:,} cells translated into "
        f"{', '.join(facts['target_langs'])}{marked}{stored}{skipped}; "
        f"{facts['billed_characters']:,} characters billed."
    )
