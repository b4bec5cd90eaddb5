"""Tables that say in a line what they mean: shown, and what the commands that look for something exit with."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any

from svc_nb.cli.failure import FAILED, tell
from svc_nb.cli.screen import show
from svc_nb.cli.wording import without_next

if TYPE_CHECKING:
    from svc_nb.frames.report import Report


def shown(options: Namespace, table: Report, *, seen: Any = None) -> int:
    """Show a table and, on stderr, its line; people see *seen* in place of it, where that is given."""
    form = getattr(options, "form", None)
    show(table if form or seen is None else seen, form)
    if table.said and not options.quiet:
        tell(without_next(table.said))
    return 0


def linted(options: Namespace, found: Report) -> int:
    """Show what `lint` found; 1 where it is more than a remark."""
    shown(options, found)
    return FAILED if found["severity"].isin(["error", "warning"]).any() else 0


def compared(options: Namespace, found: Report) -> int:
    """Show what `diff` found; 1 where there is a difference."""
    shown(options, found)
    return FAILED if len(found) else 0
