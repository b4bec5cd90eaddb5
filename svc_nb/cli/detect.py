"""`svc-nb detect`: the languages of a column, counted or written beside the texts."""

from __future__ import annotations

from argparse import ArgumentTypeError, Namespace
from collections import Counter, defaultdict
from collections.abc import Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING

from svc_nb.cli import file_commands
from svc_nb.cli.failure import FAILED, Misuse, tell
from svc_nb.cli.options import Parser, connected
from svc_nb.cli.output import show_table
from svc_nb.cli.output_file import OutputFile

if TYPE_CHECKING:
    import pandas as pd

    from svc_nb.cli.file_job import NewColumns
    from svc_nb.tabular.streaming.table import Block, CodedCells, Table

EXAMPLE = "svc-nb detect reviews.csv --column review\n  svc-nb detect reviews.csv --column review --write"
NONE = "(none)"


def add(commands: Parser) -> None:
    """Add the command."""
    about = "find out the languages of the texts in a column; costs nothing"
    parser = commands.command("detect", run, about, EXAMPLE)
    file = "the file: CSV, TSV, JSON lines, Parquet or XLSX; - is stdin"
    parser.add_argument("file", metavar="FILE", help=file)
    parser.add_argument("--column", "--columns", metavar="NAME", nargs="+", help="the column, one at a time")
    parser.flag("--write", "write the file with a column of languages and one of confidence: reviews.lang.csv")
    confidence = "from 0 to 1: what was detected with less counts as not detected"
    parser.add_argument("--min-confidence", metavar="SHARE", type=share, help=confidence)
    parser.flag("--partial", "go on where single cells fail")
    parser.add_table_options()
    file_commands.add_file_options(parser, beside="reviews.lang.csv")


def share(text: str) -> float:
    """A number from 0 to 1."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise ArgumentTypeError(f"expected a number from 0 to 1, found {text!r}")
    return number


def run(options: Namespace) -> int:
    """Show how many texts there are in each language; write the languages where that was asked for."""
    from svc_nb.cli.file_job import NewColumns

    writes = options.write or options.out is not None
    with file_commands.opened(options) as table:
        name, *more = file_commands.chosen(table, options.column, "--column")
        if more:
            raise Misuse(f"--column: detect takes one column at a time, found {len(more) + 1}")
        new = NewColumns([name], [[f"{name}_lang", f"{name}_confidence"]], told=("confidence",))
        file_commands.refuse_names(table, list(new.made_from) if writes else [])
        with connected(options) as session:
            out = None
            if writes:
                out = OutputFile.of(options.file, options.out, session, mark=".lang", replace=options.replace)
                out.check_room(table.source.size)
            file_commands.check(options, table, new)
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
        write = stack.enter_context(file_commands.writing(options, table, new, out)) if out else None

        def take(block: Block, cells: Mapping[str, CodedCells]) -> None:
            codes, shares = (column.cells() for column in cells.values())
            languages.update(code or NONE for code in codes)
            for code, confidence in zip(codes, shares, strict=True):
                if code and confidence:
                    confidences[code] += float(confidence)
            if write:
                write(block, cells)

        file_job = FileJob(table, new, job, take, whole=write is not None)
        _, missing = file_commands.finish(options, file_job)
    # How many texts are in each language, and how sure that is on average, where the service tells.
    rows = []
    for code, count in languages.most_common():
        confidence = round(confidences[code] / count, 2) if code in confidences else None
        rows.append((code, count, round(100 * count / languages.total(), 1), confidence))
    counted = pd.DataFrame(rows, columns=["language", "texts", "percent", "confidence"])
    return counted if confidences else counted.drop(columns="confidence"), missing
