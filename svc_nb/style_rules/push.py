"""A style rule list pushed to the service with only the calls that are needed, and nothing made twice.

A push finds the list, plans its steps against what is there, checks all of it, keeps a copy of what is there and only
then writes. Each write is tried once. When one fails in a way that leaves its fate unclear (no answer, a fault of the
service), the list is read again and what is left is planned anew: so neither a lost answer nor a push that is repeated
after an interruption makes anything twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from svc_nb.errors import BadRequest, NotFound, SvcError
from svc_nb.style_rules.backups import Copies
from svc_nb.style_rules.lint import UNKNOWN, findings
from svc_nb.style_rules.steps import Step
from svc_nb.style_rules.style import Style
from svc_nb.style_rules.tables import quoted
from svc_nb.style_rules.task import Task, View, invalid
from svc_nb.tabular.column import text_array
from svc_nb.tabular.report import Report, plural
from svc_nb.wire.client import Client
from svc_nb.wire.models import StyleRuleList

STEPS = ("step", "item", "detail")


class Push(Report):
    """The steps of a push, and whether they were done; `before` and `after` are the list before and after it.

    `before` is None for a list that was not there, and pushing it brings it back, also from the file `backup`, if one
    was written. `after` is None for a dry run and for a list that was deleted.
    """

    _metadata = [*Report._metadata, "after", "backup", "before"]
    before: Style | None
    after: Style | None
    backup: Path | None

    def __init__(
        self,
        taken: Sequence[Step],
        said: str,
        *,
        before: Style | None,
        after: Style | None = None,
        backup: Path | None = None,
        done: bool = True,
    ) -> None:
        columns: dict[str, Any] = {
            name: text_array([getattr(step, name) for step in taken]) for name in STEPS
        }
        super().__init__(pd.DataFrame({**columns, "done": [done] * len(taken)}), said)
        for name, value in (("before", before), ("after", after), ("backup", backup)):
            object.__setattr__(self, name, value)


def push(
    client: Client,
    style: Style | pd.DataFrame,
    *,
    name: str | None = None,
    language: str | None = None,
    style_id: str | None = None,
    dry_run: bool = False,
    allow_unknown: bool = False,
    backups: Copies | None = None,
) -> Push:
    """Make the list on the service what *style* is; see svc_nb.style_rules.push. *backups* keep copies for `undo`."""
    task = Task(client, style, name, language, style_id, allow_unknown)
    first = task.look()
    if dry_run:
        return Push(first.steps, _planned(first), before=first.now, done=False)
    if not first.steps:
        return Push([], _done(first, first.now), before=first.now, after=first.now)
    backup = backups.keep(first.now) if first.now and backups else None
    _complete(task, first)
    after = task.look(check=False).now
    if backups and after:
        backups.note(backup, first.now, after)
    return Push(first.steps, _done(first, after), before=first.now, after=after, backup=backup)


def _complete(task: Task, view: View) -> None:
    """Send the steps of *view*; while one fails in a way that may pass, look again and send what is left."""
    tried = 0
    with _tried_once(task.client) as once:
        while True:
            before = task.sent
            try:
                return _send(view, once, task)
            except SvcError as problem:
                # A step that was got to only now has failed for the first time.
                tried = tried + 1 if task.sent == before else 1
                _wait_out(task.client, problem, tried)
            view = task.look()


def _send(view: View, client: Client, task: Task) -> None:
    for place, step in enumerate(view.steps):
        try:
            made = step.send(client)
        except BadRequest as problem:
            _locate(problem, step, view.wanted)
            raise
        except NotFound:
            # Somebody else has deleted the instruction meanwhile: that is all that was wanted.
            if step.step != "delete":
                raise
        except (SvcError, KeyboardInterrupt) as problem:
            left = len(view.steps) - place
            problem.add_note(
                f"{plural(left, 'step')} of {len(view.steps)} left: push again to complete them."
            )
            raise
        else:
            task.sent += 1
            task.style_id = made.style_id if isinstance(made, StyleRuleList) else task.style_id


def _locate(problem: BadRequest, step: Step, wanted: Style) -> None:
    """Say which rows a refusal is about, as far as that can be known."""
    unknown = [found for found in findings(wanted) if found.code in UNKNOWN]
    if unknown and step.step in ("create", "rules"):
        raise invalid(
            unknown, f"The service refused rules ({problem.detail or problem.message})"
        ) from problem
    where = "" if step.row is None else f", row {step.row!r} of the instructions"
    problem.add_note(f"The service refused to {step.step} {quoted(step.item)}{where}.")


@contextmanager
def _tried_once(client: Client) -> Iterator[Client]:
    """The same service, but a request that fails is not sent again: whether it was heard must be looked into first."""
    transport = client.transport
    kind = type(transport)
    once = kind(replace(transport.settings, tries=1), sleep=transport.sleep)
    try:
        yield Client(once)
    finally:
        once.close()


def _wait_out(client: Client, problem: SvcError, tried: int) -> None:
    """Wait before the next try, or raise *problem* where trying again cannot help."""
    settings = client.transport.settings
    asked = problem.retry_after
    if not problem.retryable or tried >= settings.tries or (asked or 0) > settings.longest_retry_after:
        raise problem
    client.transport.sleep(
        min(settings.first_wait * 2.0 ** min(tried - 1, 64), settings.longest_wait)
        if asked is None
        else asked
    )


def _planned(view: View) -> str:
    if not view.steps:
        return f"{_changed(view)}Nothing would be sent: {_named(view.now)} is as wanted already."
    calls = plural(len(view.steps), "call")
    what = f"change {_named(view.now)}" if view.now else f"create the list {quoted(view.wanted.name or '')}"
    return f"{_changed(view)}Dry run: {calls} would {what}. Next: the same push without dry_run"


def _done(view: View, after: Style | None) -> str:
    if not view.steps:
        return f"{_changed(view)}Nothing was sent: {_named(after)} is as wanted already."
    did = f"Changed in {plural(len(view.steps), 'step')}" if view.now else "Created"
    style_id = after.style_id if after else None
    return f"{_changed(view)}{did}: {_named(after)}. Next: translate with style_id={style_id!r}"


def _named(style: Style | None) -> str:
    return f"the list {quoted(style.name or '')} (version {style.version})" if style else "the list"


def _changed(view: View) -> str:
    """That others were at work on the list since it was pulled: their changes are overwritten."""
    wanted, now = view.wanted, view.now
    if (
        now is None
        or wanted.version is None
        or wanted.style_id != now.style_id
        or wanted.version == now.version
    ):
        return ""
    return f"The list was changed since it was pulled (version {wanted.version} then, {now.version} now). "
