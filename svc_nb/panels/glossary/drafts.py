"""The draft of a glossary: its table and its changes as values of JSON, and back; and the question to restore it."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import pandas as pd

from svc_nb.glossaries.table import COLUMNS, made
from svc_nb.panels.glossary.edits import cells_of
from svc_nb.panels.parts.drafts import drafts_of
from svc_nb.panels.parts.edit_table import Change, EditTable
from svc_nb.session import Session
from svc_nb.sync.drafts import Draft, Restored, Waiting
from svc_nb.tabular.report import plural

KIND = "glossary"
CALLED = "called"


def begun(session: Session, book: EditTable, *, thing_id: str | None, name: str) -> tuple[Draft, Any]:
    """A draft that begins with the base of *book*, and the change since then, None where there is none."""
    base = book.base
    wire = {
        "rows": base.index.tolist(),
        "cells": [list(each) for each in zip(*cells_of(base), strict=True)],
    }
    draft = drafts_of(session).begin(thing_id, name, kind=KIND, base=wire)
    if not any(book.changes.values()):
        return draft, None
    again, heard = EditTable(base, COLUMNS), list[Change]()
    again.listen(heard.append)
    again.take(book.table)
    return draft, heard[-1].to_wire()


@dataclass(frozen=True)
class RestoredBook:
    """The book that a draft holds, each change a step to undo, the name that it was given last, and what it is from."""

    book: EditTable
    name: str | None
    source: Restored


def restored(session: Session, waiting: Waiting, lock: AbstractContextManager[Any]) -> RestoredBook:
    """What is in the draft that waits."""
    found = drafts_of(session).restore(waiting)
    rows = pd.Index(list(map(int, found.base["rows"])), dtype="int64", name="row")
    sources, targets, source, target = found.base["cells"] or [[]] * len(COLUMNS)
    book, name = EditTable(made(sources, targets, source, target, rows), COLUMNS, lock=lock), None
    for change in found.changes:
        if CALLED in change:
            name = str(change[CALLED])
        else:
            book.replay(Change.from_wire(change))
    return RestoredBook(book, name, found)


def waiting_of(session: Session, thing_id: str | None, *, also_here: bool = False) -> Waiting | None:
    """The newest draft of a glossary, None for one that is new, that waits to be restored.

    Where there is none, it may be *also_here*: of another panel of this process, which may be seen no longer.
    """
    known = drafts_of(session)
    found = known.waiting(KIND, thing_id=thing_id)
    if also_here and not found:
        found = known.here(KIND, thing_id=thing_id)
    return next(iter(found), None)


def offered(waiting: Waiting) -> str:
    """The question whether to restore a draft."""
    name = f"“{waiting.name}”" if waiting.name else "a new glossary"
    steps = plural(waiting.steps, "step")
    if waiting.here:
        return f"Another panel of this notebook has edits of {name} that were not sent: {steps}. Copy them here?"
    when = f"{waiting.made.astimezone():%d %B %Y, %H:%M}"
    return f"Edits of {name} from {when} were not sent: {steps}. Restore them?"
