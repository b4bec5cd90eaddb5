"""`svc-nb usage`: who used how much, and when."""

from __future__ import annotations

import re
from argparse import Namespace
from collections import Counter
from typing import TYPE_CHECKING

import svc_nb
from svc_nb.cli.failure import Misuse
from svc_nb.cli.options import Parser, connected
from svc_nb.cli.output import show_report

if TYPE_CHECKING:
    import pandas as pd

EXAMPLE = 'svc-nb usage --from 2026-10-01 --to 2026-10-31 --by key\n  svc-nb usage --from "90 days" --csv > usage.csv'
STARS = re.compile(r"\*+")
GROUPS = ("key_and_day", "key", "tag", "tag_and_day", "none")


def add(commands: Parser) -> None:
    """Add the command."""
    parser = commands.command("usage", run, "see who used how much, and when; needs an administrator's key", EXAMPLE)
    add_option = parser.add_argument
    start = 'the first UTC day, or "14 days", "this month", "last month"; 30 days if not given'
    add_option("--from", dest="start", metavar="DAY", help=start)
    add_option("--to", dest="end", metavar="DAY", help="the last UTC day; today if not given")
    by = f"one row per: {', '.join(GROUPS)}"
    add_option("--by", choices=GROUPS, default="key_and_day", metavar="WHAT", help=by)
    parser.flag("--sample", "a year of invented use by twelve keys, to try it")
    parser.add_table_options()


def run(options: Namespace) -> int:
    """Show the table."""
    by = None if options.by == "none" else options.by
    with connected(options):
        try:
            used = svc_nb.usage(options.start, options.end, group_by=by)
        except ValueError as problem:
            # The names of the options, for those of the parameters.
            said = re.sub(r"\bend(?= \(|:)", "--to", str(problem))
            raise Misuse(re.sub(r"\bstart(?= \(|:)", "--from", said)) from None
    # People do not need the products that no one used; that the last day is not over is said below the table.
    seen = _with_keys(used).drop(columns="incomplete", errors="ignore")
    products = [name for name in seen.columns if name.endswith(("_characters", "_minutes"))]
    unused = [name for name in products if name != "total_characters" and not seen[name].any()]
    return show_report(options, used, seen=seen.drop(columns=unused))


def _with_keys(table: pd.DataFrame) -> pd.DataFrame:
    """*table* with a column of keys by their labels; what is shown of the key stands where that is not clear."""
    if "api_key" not in table.columns:
        return table
    labels = [label.strip() if isinstance(label, str) else "" for label in table["api_key_label"]]
    pairs = list(zip(labels, table["api_key"], strict=True))
    owners = Counter(label for label, _ in set(pairs))
    called = [
        label if label and owners[label] == 1 else f"{label} {STARS.sub('…', key)}".strip() for label, key in pairs
    ]
    place = list(table.columns).index("api_key")
    table = table.drop(columns=["api_key", "api_key_label"])
    table.insert(place, "key", called)
    return table
