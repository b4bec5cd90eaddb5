"""`svc-nb usage`: who used how much, and when."""

from __future__ import annotations

import re
from argparse import Namespace
from collections import Counter
from typing import TYPE_CHECKING, Any

from svc_nb.cli.connection import connected
from svc_nb.cli.failure import Misuse
from svc_nb.cli.reports import shown
from svc_nb.cli.words import connecting, leaf, tabled

if TYPE_CHECKING:
    import pandas as pd

EXAMPLE = 'svc-nb usage --from 2026-10-01 --to 2026-10-31 --by key\n  svc-nb usage --from "90 days" --csv > usage.csv'
STARS = re.compile(r"\*+")
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
        help='the first UTC day, or "14 days", "this month", "last month"; 30 days if not given',
    )  # fmt: skip
    add_option("--to", dest="end", metavar="DAY", help="the last UTC day; today if not given")
    add_option(
        "--by",
        choices=GROUPS,
        default="key_and_day",
        metavar="WHAT",
        help=f"one row for each: {', '.join(GROUPS)}",
    )
    add_option("--sample", action="store_true", help="a year of invented use by twelve keys, to try it")
    tabled(parser)
    connecting(parser)


def run(options: Namespace) -> int:
    """Show the table."""
    from svc_nb.usage import usage

    by = None if options.by == "none" else options.by
    with connected(options):
        try:
            used = usage(options.start, options.end, group_by=by)
        except ValueError as problem:
            raise Misuse(_as_options(str(problem))) from None
    return shown(options, used, seen=_used(used))


def _as_options(said: str) -> str:
    """What is wrong with a range, by the names of the options.

    >>> _as_options("end (2026-11-01) is before start (2026-11-16): exchange them")
    '--to (2026-11-01) is before --from (2026-11-16): exchange them'
    """
    return re.sub(r"\bstart(?= \(|:)", "--from", re.sub(r"\bend(?= \(|:)", "--to", said))


def _used(table: pd.DataFrame) -> pd.DataFrame:
    """*table* as people read it: without the products that nobody used, and with a column for keys in place of two.

    That the last day is not over is said below the table.
    """
    table = _with_keys(table).drop(columns="incomplete", errors="ignore")
    products = [name for name in table.columns if name.endswith(("_characters", "_minutes"))]
    return table.drop(
        columns=[name for name in products if name != "total_characters" and not table[name].any()]
    )


def _with_keys(table: pd.DataFrame) -> pd.DataFrame:
    """*table* with a column of keys by their labels; what is shown of the key stands where that is not clear."""
    if "api_key" not in table.columns:
        return table
    labels = [label.strip() if isinstance(label, str) else "" for label in table["api_key_label"]]
    pairs = list(zip(labels, table["api_key"], strict=True))
    owners = Counter(label for label, _ in set(pairs))
    called = [
        label if label and owners[label] == 1 else f"{label} {STARS.sub('…', key)}".strip()
        for label, key in pairs
    ]
    place = list(table.columns).index("api_key")
    table = table.drop(columns=["api_key", "api_key_label"])
    table.insert(place, "key", called)
    return table
