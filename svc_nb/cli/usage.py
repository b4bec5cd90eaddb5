"""`svc-nb usage`: who used how much, and when."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any

from svc_nb.cli.connection import connected
from svc_nb.cli.failure import tell
from svc_nb.cli.screen import show
from svc_nb.cli.wording import without_next
from svc_nb.cli.words import connecting, leaf, tabled

if TYPE_CHECKING:
    import pandas as pd

EXAMPLE = 'svc-nb usage --from 2026-10-01 --to 2026-10-31 --by key\n  svc-nb usage --from "90 days" --csv > usage.csv'
GROUPS = ("key_and_day", "key", "tag", "tag_and_day", "none")


def add(commands: Any) -> None:
    """Add the command."""
    parser = leaf(
        commands,
        "usage",
        run,
        help="see who used how much, and when; needs an administrator's key",
        example=EXAMPLE,
    )
    add_option = parser.add_argument
    add_option(
        "--from", dest="start", metavar="DAY",
        help='the first UTC day, or "30 days", "this month", "last month"; 30 days if not given',
    )  # fmt: skip
    add_option("--to", dest="end", metavar="DAY", help="the last UTC day; today if not given")
    add_option(
        "--by",
        choices=GROUPS,
        default="key_and_day",
        metavar="WHAT",
        help=f"one row for each: {', '.join(GROUPS)}",
    )
    tabled(parser)
    connecting(parser)


def run(options: Namespace) -> int:
    """Show the table."""
    from svc_nb import accounting

    by = None if options.by == "none" else options.by
    with connected(options):
        used = accounting.usage(options.start, options.end, group_by=by)
    show(used if options.form else _used(used), options.form)
    if used.said and not options.quiet:
        tell(without_next(used.said))
    return 0


def _used(table: pd.DataFrame) -> pd.DataFrame:
    """*table* without the products that nobody used, so that the others have room."""
    products = [name for name in table.columns if name.endswith(("_characters", "_minutes"))]
    return table.drop(columns=[name for name in products if name != "total_characters" and not table[name].any()])
