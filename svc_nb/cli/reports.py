"""Tables that say in a line what they mean: shown, and what the commands that look for something exit with."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from svc_nb.cli.failure import FAILED, LONGEST, tell
from svc_nb.cli.screen import records, show
from svc_nb.cli.wording import in_a_shell, without_next
from svc_nb.errors import one_line

if TYPE_CHECKING:
    from svc_nb.columns.summary import PlanSummary
    from svc_nb.tabular.report import Report


def shown(options: Namespace, table: Report, *, seen: Any = None) -> int:
    """Show a table and, on stderr, its line; people see *seen* in place of it, where that is given."""
    form = getattr(options, "form", None)
    show(table if form or seen is None else seen, form)
    if table.said and not options.quiet:
        tell(without_next(table.said))
    return 0


def plan_facts(plan: PlanSummary) -> dict[str, Any]:
    """What a plan counts, by name."""
    return {name: value for name, value in asdict(plan).items() if name != "title"}


def linted(options: Namespace, found: Report) -> int:
    """Show what `lint` found, to people in a line each that names the place; 1 where it is more than a remark."""
    if not options.form:
        print("".join(f"{_placed(options.file, each)}\n" for each in records(found)), end="")
    shown(options, found, seen=found.head(0))
    return FAILED if found["severity"].isin(["error", "warning"]).any() else 0


def _placed(file: str, each: dict[str, Any]) -> str:
    """A finding as editors and compilers write it: the place, how bad it is, what it is, and what to do."""
    place = ":".join(str(part) for part in (file, each.get("table"), each["row"]) if part is not None)
    advice = f" -> {each['suggestion']}" if each["suggestion"] else ""
    said = f"{place}: {each['severity']}: {each['message']} [{each['code']}]{advice}"
    return one_line(in_a_shell(said), limit=LONGEST)


def compared(options: Namespace, found: Report) -> int:
    """Show what `diff` found; 1 where there is a difference."""
    shown(options, found)
    return FAILED if len(found) else 0
