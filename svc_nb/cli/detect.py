"""`svc-nb detect`: the languages of a column, counted or written beside the texts."""

from __future__ import annotations

from argparse import Namespace
from collections import Counter, defaultdict
from collections.abc import Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from svc_nb.cli.choices import share
from svc_nb.cli.connection import connected
from svc_nb.cli.failure import FAILED, Misuse, tell
from svc_nb.cli.screen import show
from svc_nb.cli.translate import check, placed, reading, reading_of, writing, writing_of
from svc_nb.cli.words import connecting, leaf, tabled

if TYPE_CHECKING:
    import pandas as pd

    from svc_nb.cli.files.coded import Coded
    from svc_nb.cli.files.table import Block, Table
    from svc_nb.cli.passage import Wish
    from svc_nb.cli.place import Place

EXAMPLE = "svc-nb detect reviews.csv --column review\n  svc-nb detect reviews.csv --column review --write"
NONE = "(none)"


def add(commands: Any) -> None:
    """Add the command."""
    parser = leaf(
        commands,
        "detect",
        run,
        help="find out the languages of the texts in a column; costs nothing",
        example=EXAMPLE,
    )
    parser.add_argument(
        "file", metavar="FILE", help="the file: CSV, TSV, JSON lines, Parquet or XLSX; - is stdin"
    )
    parser.add_argument("--column", "--columns", metavar="NAME", nargs="+", help="the column, one at a time")
    parser.add_argument(
        "--write",
        action="store_true",
        help="write the file with a column of languages and one of confidence: reviews.lang.csv",
    )
    parser.add_argument(
        "--min-confidence",
        metavar="SHARE",
        type=share,
        help="from 0 to 1: what was detected with less counts as not detected",
    )
    parser.add_argument("--partial", action="store_true", help="go on where single cells fail")
    tabled(parser)
    reading(parser)
    writing(parser, beside="reviews.lang.csv")
    connecting(parser)


def run(options: Namespace) -> int:
    """Show how many texts there are in each language; write the languages where that was asked for."""
    writes = options.write or options.out is not None
    with reading_of(options) as table:
        wish = _wish(options, table, writes=writes)
        with connected(options) as session:
            place = placed(options, table, session, mark=".lang") if writes else None
            check(options, table, wish)
            languages, confidences, missing = _done(options, table, wish, place)
    if place is None or place.path:
        show(_counted(languages, confidences), options.form)
        if not options.quiet:
            _say(table, place, languages)
    if missing:
        tell(missing)
    return FAILED if missing else 0


def _wish(options: Namespace, table: Table, *, writes: bool) -> Wish:
    from svc_nb.cli.files.table import chosen, refuse_names
    from svc_nb.cli.passage import Wish

    name, *more = chosen(table, options.column, "--column")
    if more:
        raise Misuse(f"--column: detect takes one column at a time, found {len(more) + 1}")
    wish = Wish([name], [[f"{name}_lang", f"{name}_confidence"]], told=("confidence",))
    refuse_names(table, list(wish.made_from) if writes else [])
    return wish


def _done(
    options: Namespace, table: Table, wish: Wish, place: Place | None
) -> tuple[Counter[str], Mapping[str, float], str | None]:
    """How many cells are in each language, the sum of their confidences where these are told, and what is missing."""
    from svc_nb.cli.following import follow, missing
    from svc_nb.cli.passage import Passage
    from svc_nb.columns.jobs import detection
    from svc_nb.columns.tally import Tally

    languages: Counter[str] = Counter()
    confidences: defaultdict[str, float] = defaultdict(float)
    errors = "coerce" if options.partial else "raise"
    job = detection(Tally([], []), None, False, {"errors": errors, "min_confidence": options.min_confidence})
    with ExitStack() as opened:
        write = opened.enter_context(writing_of(options, table, wish, place)) if place else None

        def take(block: Block, cells: Mapping[str, Coded]) -> None:
            codes, shares = (column.cells() for column in cells.values())
            languages.update(code or NONE for code in codes)
            for code, share in zip(codes, shares, strict=True):
                if code and share:
                    confidences[code] += float(share)
            if write:
                write(block, cells)

        passage = Passage(table, wish, job, take, whole=write is not None)
        counts = follow(passage, table, shown=not options.quiet)
        return languages, confidences, missing(passage, table, counts, partial=options.partial)


def _say(table: Table, place: Place | None, languages: Counter[str]) -> None:
    """Say what the table of languages does not: which file was written, and that there was nothing to count."""
    if place is not None:
        tell(f"{place} written")
    if not languages:
        tell(f"{table.called} has no rows")


def _counted(languages: Counter[str], confidences: Mapping[str, float]) -> pd.DataFrame:
    """The languages with how many texts are in each, and how sure that is on average, where the service tells."""
    import pandas as pd

    rows = [
        (code, count, round(100 * count / languages.total(), 1), round(confidences[code] / count, 2))
        if code in confidences
        else (code, count, round(100 * count / languages.total(), 1), None)
        for code, count in languages.most_common()
    ]
    counted = pd.DataFrame(rows, columns=["language", "texts", "percent", "confidence"])
    return counted if confidences else counted.drop(columns="confidence")
