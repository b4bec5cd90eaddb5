"""The glossary that is open in the panel, and the draft that keeps its edits until they are pushed."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import pandas as pd

from svc_nb.panels.glossary.edits import Meeting, aligned, cells_of, nothing
from svc_nb.panels.glossary.pairs import PairRows
from svc_nb.panels.parts.drafts import DraftWriter, drafts_of
from svc_nb.panels.parts.edit_table import EditTable, TableChange
from svc_nb.session import Session
from svc_nb.sync.drafts import Draft, Restored, Waiting
from svc_nb.tabular.report import plural
from svc_nb.tabular.terms import COLUMNS, made

KIND = "glossary"
CALLED = "called"


def begun(session: Session, book: EditTable, *, thing_id: str | None, name: str) -> tuple[Draft, Any]:
    """A draft that begins with the base of *book*, and the change since then, None where there is none."""
    base = book.base
    wire = {"rows": base.index.tolist(), "cells": [list(each) for each in zip(*cells_of(base), strict=True)]}
    draft = drafts_of(session).begin(thing_id, name, kind=KIND, base=wire)
    if not any(book.changes.values()):
        return draft, None
    again, heard = EditTable(base, COLUMNS), list[TableChange]()
    again.listen(heard.append)
    again.take(book.table)
    return draft, heard[-1].to_wire()


@dataclass(frozen=True)
class RestoredBook:
    """The book that a draft holds, each change a step to undo, the name that it was given last, and what it is from."""

    book: EditTable
    name: str | None
    source: Restored


def restored_book(session: Session, waiting: Waiting, lock: AbstractContextManager[Any]) -> RestoredBook:
    """What is in the draft that waits."""
    found = drafts_of(session).restore(waiting)
    rows = pd.Index(list(map(int, found.base["rows"])), dtype="int64", name="row")
    sources, targets, source, target = found.base["cells"] or [[]] * len(COLUMNS)
    book, name = EditTable(made(sources, targets, source, target, rows), COLUMNS, lock=lock), None
    for change in found.changes:
        if CALLED in change:
            name = str(change[CALLED])
        else:
            book.replay(TableChange.from_wire(change))
    return RestoredBook(book, name, found)


def waiting_of(session: Session, thing_id: str | None, *, also_here: bool = False) -> Waiting | None:
    """The newest draft of a glossary, None for one that is new, that waits to be restored."""
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


THEIRS = "Changes from the service"


class OpenGlossary:
    """Its `book`, its id, None as long as it is new, its name, and its `pairs`; `version` goes up with every change."""

    def __init__(self, session: Session, lock: AbstractContextManager[Any], told: Callable[[Exception], None]) -> None:
        self.session = session
        self.draft = DraftWriter(told, large=True)
        self.waiting: Waiting | None = None
        self.version = 0
        self._lock = lock
        self.begin(nothing(), None, "")

    def begin(self, table: pd.DataFrame, glossary_id: str | None, name: str) -> None:
        """Open a glossary with the terms of *table*."""
        self._open(EditTable(table, COLUMNS, lock=self._lock), glossary_id, name)
        self.follow()

    def restore(self, waiting: Waiting, found: RestoredBook) -> None:
        """Go on with a draft: the one that waits, or a copy of another panel's."""
        self.draft.check(self.is_edited)
        all_drafts = drafts_of(self.session)
        draft = all_drafts.copy(waiting, found.source) if waiting.here else all_drafts.resume(waiting)
        self.draft.leave(self.is_edited)
        self._open(found.book, self.glossary_id, found.name or waiting.name)
        self.draft.resume(draft)

    def _open(self, book: EditTable, glossary_id: str | None, name: str) -> None:
        # The book is the table of the terms: it knows what was loaded, what was edited since, and the steps to undo.
        self.book, self.glossary_id, self.name = book, glossary_id, name
        self.pairs = PairRows(book)
        self.version += 1

    @property
    def called(self) -> str:
        """The glossary, as a sentence names it."""
        return f"“{self.name}”" if self.name else "the new glossary"

    @property
    def is_edited(self) -> bool:
        """Whether anything was changed that is not sent."""
        return any(self.book.changes.values())

    def follow(self) -> None:
        """Keep what is edited from here on in a draft that begins with the base."""
        draft, change = begun(self.session, self.book, thing_id=self.glossary_id, name=self.name)
        self.draft.begin(draft, change)

    def call(self, name: str) -> None:
        """Give a new glossary another name."""
        self.name = name
        if self.draft.begun:
            self.draft.note({CALLED: name})
        else:
            self.follow()

    def take(self, meeting: Meeting) -> bool:
        """Bring in what others changed; what they have is the base from here on. Whether there was anything."""
        if not any(meeting.elsewhere) and not meeting.edits:
            return False
        before = self.book.base
        meeting.edits.apply(self.book, THEIRS)
        self.book.settle(aligned(before, self.book.table, meeting.theirs))
        return True
