"""`svc-nb doctor`: everything that must be right for the rest to work, looked at, and what to do where it is not."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from svc_nb.cli.failure import FAILED
from svc_nb.cli.screen import show, terminal_width
from svc_nb.cli.words import connecting, leaf

EXAMPLE = "svc-nb doctor\n  svc-nb doctor --all --json"


def add(commands: Any) -> None:
    """Add the command."""
    parser = leaf(
        commands,
        "doctor",
        run,
        help="check versions, settings, connection, key, store and translators",
        example=EXAMPLE,
    )
    parser.add_argument(
        "--all", action="store_true", help="test every language pair of the translators: some seconds"
    )
    parser.add_argument(
        "--json", dest="form", action="store_const", const="json", help="the findings as JSON"
    )
    connecting(parser)


def run(options: Namespace) -> int:
    """Show a line for each finding; 1 when one of them is a problem."""
    import pandas as pd

    from svc_nb.cli.checkup import findings
    from svc_nb.cli.finding import PROBLEM

    found = []
    for each in findings(profile=options.profile, base_url=options.base_url, every_pair=options.all):
        found.append(each)
        if not options.form:
            print("\n".join(each.lines(terminal_width())), flush=True)
    if options.form:
        show(pd.DataFrame([each.record() for each in found]), options.form)
    return FAILED if any(each.state == PROBLEM for each in found) else 0
