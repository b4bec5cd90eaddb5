"""Taking back the last change of caps or labels, where nobody has changed the same since."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from svc_nb.errors import BadRequest, InvalidRows, NotFound, one_line
from svc_nb.keys.changes import Change, ChangeLog, perform, renamed
from svc_nb.keys.limits import report, words
from svc_nb.keys.table import MOST_NAMED, shown
from svc_nb.tabular.column import text_array
from svc_nb.tabular.report import Report, plural
from svc_nb.wire.client.admin import Admin
from svc_nb.wire.models import DeveloperKey

SKIP = "svc_nb.keys.undo(skip=True)"


def undo(admin: Admin, *, log: ChangeLog, skip: bool = False) -> Report:
    """Take back the changes that *log* has last; what broke off goes on when it is run again.

    What cannot be taken back is refused, or left as it is with *skip*.
    """
    last = log.last()
    listed = admin.keys()
    known = {key.key_id: key for key in listed}
    problems = [(change, _problem(change, known)) for change in last]
    stuck = [(change, problem) for change, problem in problems if problem]
    if stuck and not skip:
        _refuse(stuck)
    keys = [(change, known[change.key_id]) for change, problem in problems if not problem]
    wanted = [change.back(key) for change, key in keys if change.state(key) == change.after]
    try:
        refused = perform(admin, wanted, skip=skip)
    except (BadRequest, NotFound) as error:
        error.add_note(f"{SKIP} leaves what the service refuses as it is, and takes back the rest.")
        raise
    log.drop(last)
    stuck += [(change, f"the service refuses it ({one_line(str(error))})") for change, error in refused]
    done = [change for change in wanted if not any(change is each for each, _ in refused)]
    said = _told(done, stuck)
    if any("label" in change.after for change in last):
        return renamed(done, said)
    return report([(change, cap) for change in done for cap in change.after], said, done=True)


def _problem(change: Change, known: Mapping[str, DeveloperKey]) -> str:
    """Why *change* cannot be taken back; empty where it can."""
    key = known.get(change.key_id)
    if key is None:
        return "the key is gone"
    now = change.state(key)
    if now == {name: change.before[name] for name in change.after}:
        return ""
    if "label" in change.after and not change.before["label"]:
        return "it had no label before, which cannot be given back"
    if key.is_deactivated and "label" not in change.after:
        return "the key was deactivated since"
    return "" if now == change.after else f"somebody has changed it since: {_said(now)}"


def _refuse(found: Sequence[tuple[Change, str]]) -> None:
    columns = {
        "key_id": [change.key_id for change, _ in found],
        "label": [change.label for change, _ in found],
        "problem": [problem for _, problem in found],
    }
    said = (
        f"Next: svc_nb.keys.list() shows what is there now; {SKIP} leaves these keys as they are and takes back the "
        "rest, and older changes after that."
    )
    raise InvalidRows(
        f"The last change cannot be taken back: {_named(found)}. Nothing was changed. {SKIP} leaves what cannot be "
        "taken back as it is; undo() goes on with the change before then. See .findings of this error",
        rows=[change.key_id for change, _ in found],
        findings=Report(pd.DataFrame({name: text_array(cells) for name, cells in columns.items()}), said),
    )


def _told(done: Sequence[Change], stuck: Sequence[tuple[Change, str]]) -> str:
    """What is as before now, and what was left as it is."""
    named = "; ".join(f"{shown(change.label)} {_said(change.after)}" for change in done[:MOST_NAMED])
    more = "; …" if len(done) > MOST_NAMED else ""
    if done:
        said = f"Taken back. {plural(len(done), 'key')} as before: {named}{more}."
    else:
        said = "Nothing was taken back." if stuck else "Taken back. Nothing to do: all is as before."
    if not stuck:
        return said
    return f"{said} Left as it is: {_named(stuck)}. Next: svc_nb.keys.undo() takes back the change before this one."


def _named(stuck: Sequence[tuple[Change, str]]) -> str:
    """The first of the keys that cannot be taken back, each with its reason."""
    named = [f"{shown(change.label)} ({change.key_id}): {problem}" for change, problem in stuck[:MOST_NAMED]]
    rest = len(stuck) - len(named)
    return "; ".join([*named, *([f"and {rest:,} more"] if rest else [])])


def _said(state: Mapping[str, Any]) -> str:
    return ", ".join(
        f"called {shown(value)}" if name == "label" else words(name, value) for name, value in state.items()
    )
