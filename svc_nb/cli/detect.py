"""`svc-nb detect`: the languages of a column, counted or written beside the texts."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any

from svc_nb.cli.connection import connected
from svc_nb.cli.failure import FAILED, tell
from svc_nb.cli.place import Place
from svc_nb.cli.screen import show
from svc_nb.cli.translate import read, reading, writing
from svc_nb.cli.words import connecting, leaf, tabled

if TYPE_CHECKING:
    import pandas as pd

    from svc_nb.session import Session

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
    parser.add_argument("file", metavar="FILE", help="the file: CSV, TSV, XLSX or JSON lines; - is stdin")
    parser.add_argument("--column", metavar="NAME", help="the column")
    parser.add_argument(
        "--write", action="store_true", help="write the file with a column of languages: reviews.lang.csv"
    )
    parser.add_argument("--partial", action="store_true", help="go on where single cells fail")
    tabled(parser)
    reading(parser)
    writing(parser)
    connecting(parser)


def run(options: Namespace) -> int:
    """Show how many texts there are in each language; write the languages where that was asked for."""
    from svc_nb.accessor.jobs import detection
    from svc_nb.cli.files.table import chosen, frame, refuse_names
    from svc_nb.cli.following import follow, outcome

    table = read(options)
    (name,) = chosen(table, [options.column] if options.column else None, "--column")
    writes = options.write or options.out is not None
    refuse_names(table, [f"{name}_lang"] if writes else [])
    with connected(options) as session:
        place = _place(options, session) if writes else None
        job = detection(frame(table, [name])[name], None, False, {})
        result, missing = outcome(job, follow(job, shown=not options.quiet), table, partial=options.partial)
    languages = [code if isinstance(code, str) else None for code in result.astype(object).tolist()]
    if place:
        place.write(table.extended({f"{name}_lang": languages}, encoding=options.out_encoding))
    if place is None or place.path:
        show(_counted(languages), options.form)
    if missing:
        tell(missing)
    return FAILED if missing else 0


def _place(options: Namespace, session: Session) -> Place:
    return Place.of(options.file, options.out, session, mark=".lang", replace=options.replace)


def _counted(languages: list[str | None]) -> pd.DataFrame:
    from collections import Counter

    import pandas as pd

    counts = Counter(code or NONE for code in languages).most_common()
    rows = [(code, count, round(100 * count / len(languages), 1)) for code, count in counts]
    return pd.DataFrame(rows, columns=["language", "texts", "percent"])
