"""The glossary open in the panel, and the draft that keeps its edits until they are pushed."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import pandas as pd

from svc_nb.panels.glossary.edits import Meeting, aligned, nothing
from svc_nb.panels.glossary.pairs import PairRows
from svc_nb.panels.parts.drafts import DraftWriter, drafts_of
from svc_nb.panels.parts.edit_table import EditTable, TableChange
from svc_nb.session import Session, known
from svc_nb.sync.drafts import Draft, Restored, Waiting
from svc_nb.tabular.terms import COLUMNS, made

KIND = "glossary"
CALLED = "called"
NEEDED = ("source", "target")


def begun(session: Session, book: EditTable, *, thing_id: str | None, name: str) -> tuple[Draft, Any]:
    """A draft that begins with the base of *book*, and the change since then, None if there is none."""
    base = book.base_cells

    def wire() -> dict[str, Any]:
        return {"rows": list(base), "cells": [[cells[at] for cells in base.values()] for at in range(len(COLUMNS))]}

    draft = drafts_of(session).begin(thing_id, name, kind=KIND, base=wire)
    if not book.touched and not book.dropped:
        return draft, None
    again, heard = EditTable(book.base, COLUMNS), list[TableChange]()
    again.listen(heard.append)
    again.take(book.table)
    return draft, heard[-1].to_wire()


@dataclass(frozen=True)
class RestoredBook:
    """The table in a draft, with each change as a step to undo, the latest name, and the id it belongs to."""

    book: EditTable
    name: str | None
    source: Restored


def restored_book(session: Session, waiting: Waiting, lock: AbstractContextManager[Any]) -> RestoredBook:
    """The content of the saved draft."""
    found = drafts_of(session).restore(waiting)
    rows = pd.Index(list(map(int, found.base["rows"])), dtype="int64", name="row")
    sources, targets, source, target = found.base["cells"] or [[]] * len(COLUMNS)
    book, name = EditTable(made(sources, targets, source, target, rows), COLUMNS, needed=NEEDED, lock=lock), None
    for change in found.changes:
        if CALLED in change:
            name = str(change[CALLED])
        else:
            book.replay(TableChange.from_wire(change))
    return RestoredBook(book, name, found)


def waiting_of(session: Session, thing_id: str | None, *, also_here: bool = False) -> Waiting | None:
    """The newest saved draft of a glossary; *glossary_id* None is a new glossary."""
    known = drafts_of(session)
    found = known.waiting(KIND, thing_id=thing_id)
    if also_here and not found:
        found = known.here(KIND, thing_id=thing_id)
    return next(iter(found), None)


THEIRS = "Changes from the service"


class OpenGlossary:
    """Its `book`, its id, None while it is new, its name, and its `pairs`; `version` increases with every change."""

    def __init__(self, session: Session, lock: AbstractContextManager[Any], told: Callable[[Exception], None]) -> None:
        self.session = session
        self.is_refused = False  # whether the service rejected the session's key
        self.is_begun = False  # whether there is a glossary to edit, even a new one
        self.draft = DraftWriter(told, large=True)
        self.waiting: Waiting | None = None  # the offered draft
        self.is_lost = False  # whether its glossary is not on the service
        self.version = 0
        self._lock = lock
        self.begin(nothing(), None, "")
        self.is_begun = False

    def renew(self) -> None:
        """Switch to the current session if the key of the earlier one was rejected; edits stay with their service."""
        session = known()
        if self.is_refused and session is not None and (session.account == self.session.account or not self.is_begun):
            self.session, self.is_refused = session, False

    def begin(self, table: pd.DataFrame, glossary_id: str | None, name: str) -> None:
        """Open a glossary with the terms of *table*."""
        self._open(EditTable(table, COLUMNS, needed=NEEDED, lock=self._lock), glossary_id, name)
        self.follow()

    def restore(self, waiting: Waiting, found: RestoredBook) -> None:
        """Continue with a draft: the saved one, or another panel's. A deleted glossary becomes a new one."""
        self.draft.check(self.is_edited)
        all_drafts = drafts_of(self.session)
        draft = all_drafts.take_over(waiting, found.source) if waiting.here else all_drafts.resume(waiting)
        self.draft.leave(self.is_edited)
        self._open(found.book, None if self.is_lost else waiting.thing_id, found.name or waiting.name)
        self.draft.resume(draft, waiting.edited)
        if self.is_lost:
            self.book.settle(nothing())
            self.follow()

    def _open(self, book: EditTable, glossary_id: str | None, name: str) -> None:
        # The book is the table of terms: it knows what was loaded, what was edited since, and the steps to undo.
        self.book, self.glossary_id, self.name = book, glossary_id, name
        self.is_begun = True
        self.pairs = PairRows(book)
        self.version += 1

    @property
    def called(self) -> str:
        """The glossary's name for a sentence."""
        return f"“{self.name}”" if self.name else "the new glossary"

    @property
    def is_edited(self) -> bool:
        """Whether there are unpushed changes."""
        return any(self.book.changes.values())

    def follow(self) -> None:
        """Keep edits from now on in a draft that begins with the base."""
        draft, change = begun(self.session, self.book, thing_id=self.glossary_id, name=self.name)
        self.draft.begin(draft, change)

    def note(self, change: Any) -> None:
        """Keep a change in the draft, or all changes in another draft if a panel has taken this one over."""
        if self.draft.is_taken:
            self.follow()
        else:
            self.draft.note(change)

    def call(self, name: str) -> None:
        """Rename a new glossary."""
        self.name = name
        if self.draft.begun:
            self.note({CALLED: name})
        else:
            self.follow()

    def take(self, meeting: Meeting) -> bool:
        """Add changes by others; their version is the base from now on. Returns whether there were any."""
        if not any(meeting.elsewhere) and not meeting.edits:
            return False
        before = self.book.base
        meeting.edits.apply(self.book, THEIRS)
        self.book.settle(aligned(before, self.book.table, meeting.theirs))
        return True
