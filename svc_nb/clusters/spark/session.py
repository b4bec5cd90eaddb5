"""What is to be known of a Spark session: classic, or by Spark Connect, which has no context."""

from __future__ import annotations

from typing import Any

# What is done to rows one by one, whatever their order; Spark looks through these for a sort that it may leave out.
KEEP_ORDER = ("Project", "Filter", "SubqueryAlias", "View")


def context(session: Any) -> Any:
    """The context of a classic session; None where the session is one of Spark Connect."""
    return None if "connect" in type(session).__module__.split(".") else session.sparkContext


def sees_this_machine(session: Any) -> bool:
    """Whether all of Spark runs on this machine, and so sees its files."""
    found = context(session)
    return found is not None and found.master.startswith("local")


def is_sorted(frame: Any) -> bool:
    """Whether the rows of *frame* come out of a sort, so that their order is meant; of Spark Connect nobody knows."""
    if context(frame.sparkSession) is None:
        return False
    plan = frame._jdf.queryExecution().analyzed()
    while (name := plan.getClass().getSimpleName()) in KEEP_ORDER:
        plan = plan.children().head()
    return bool(name == "Sort")


def settings(session: Any) -> dict[str, str]:
    """All settings of the session and, where it has one, of its context."""
    found = context(session)
    return {**(dict(found.getConf().getAll()) if found is not None else {}), **session.conf.getAll}
