"""Taking back the last change of caps or labels, where nobody has changed the same since."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from svc_nb.client.admin import Admin
from svc_nb.errors import InvalidRows
from svc_nb.frames.column import text_array
from svc_nb.frames.keys.changes import Change, Log, perform
from svc_nb.frames.keys.life import labels
from svc_nb.frames.keys.limits import report, words
from svc_nb.frames.keys.table import MOST_NAMED, shown
from svc_nb.frames.report import Report, plural
from svc_nb.models import DeveloperKey


def undo(admin: Admin, *, log: Log) -> Report:
    """Take back the changes that *log* has last; what broke off goes on when it is run again."""
    last = log.last()
    listed = admin.keys()
    known = {key.key_id: key for key in listed}
    found = [(change, problem) for change in last if (problem := _problem(change, known))]
    if found:
        _refuse(found)
    keys = [(change, known[change.key_id]) for change in last]
    left = [change.back(key) for change, key in keys if change.state(key) == change.after]
    perform(admin, left)
    log.drop(last)
    said = (
        f"{plural(len(left), 'key')} as before: {_listed(left)}."
        if left
        else "Nothing to do: all is as before."
    )
    if any("label" in change.after for change in last):
        return labels(left, f"Taken back. {said}")
    return report(
        [(change, cap) for change in left for cap in change.after], f"Taken back. {said}", done=True
    )


def _problem(change: Change, known: Mapping[str, DeveloperKey]) -> str:
    """Why *change* cannot be taken back; empty where it can."""
    key = known.get(change.key_id)
    if key is None:
        return "the key is gone"
    now = change.state(key)
    if now == {name: change.before[name] for name in change.after}:
        return ""
    if key.is_deactivated and "label" not in change.after:
        return "the key was deactivated since"
    return "" if now == change.after else f"somebody has changed it since: {_said(now)}"


def _refuse(found: Sequence[tuple[Change, str]]) -> None:
    named = "; ".join(
        f"{shown(change.label)} ({change.key_id}): {problem}" for change, problem in found[:MOST_NAMED]
    )
    more = f"; and {len(found) - MOST_NAMED:,} more" if len(found) > MOST_NAMED else ""
    columns = {
        "key_id": [change.key_id for change, _ in found],
        "label": [change.label for change, _ in found],
        "problem": [problem for _, problem in found],
    }
    said = "Next: svc_nb.keys.list() shows what is there now; set what you want with svc_nb.keys.set_limits or rename."
    raise InvalidRows(
        f"The last change cannot be taken back: {named}{more}. Nothing was changed. See .findings of this error",
        rows=[change.key_id for change, _ in found],
        findings=Report(pd.DataFrame({name: text_array(cells) for name, cells in columns.items()}), said),
    )


def _listed(changes: Sequence[Change]) -> str:
    named = [f"{shown(change.label)} {_said(change.after)}" for change in changes[:MOST_NAMED]]
    return "; ".join(named) + ("; …" if len(changes) > MOST_NAMED else "")


def _said(state: Mapping[str, object]) -> str:
    return ", ".join(
        f"called {shown(str(value))}" if name == "label" else words(name, value)  # type: ignore[arg-type]
        for name, value in state.items()
    )
