"""The glossary that is open in the panel, and the draft that keeps its edits until they are pushed."""

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
    """A draft that begins with the base of *book*, and the change since then, None where there is none."""
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
    """The book that a draft holds, each change a step to undo, the name that it was given last, and what it is from."""

    book: EditTable
    name: str | None
    source: Restored


def restored_book(session: Session, waiting: Waiting, lock: AbstractContextManager[Any]) -> RestoredBook:
    """What is in the draft that waits."""
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
    """The newest draft of a glossary, None for one that is new, that waits to be restored."""
    known = drafts_of(session)
    found = known.waiting(KIND, thing_id=thing_id)
    if also_here and not found:
        found = known.here(KIND, thing_id=thing_id)
    return next(iter(found), None)


THEIRS = "Changes from the service"


class OpenGlossary:
    """Its `book`, its id, None as long as it is new, its name, and its `pairs`; `version` goes up with every change."""

    def __init__(self, session: Session, lock: AbstractContextManager[Any], told: Callable[[Exception], None]) -> None:
        self.session = session
        self.is_refused = False  # whether the service refused the session's key
        self.is_begun = False  # whether there is a glossary, be it a new one, to be edited
        self.draft = DraftWriter(told, large=True)
        self.waiting: Waiting | None = None  # the draft that is offered
        self.is_lost = False  # whether it is of a glossary that the service does not have
        self.version = 0
        self._lock = lock
        self.begin(nothing(), None, "")
        self.is_begun = False

    def renew(self) -> None:
        """Go on with the session of now where the key of the one before was refused; edits stay with their service."""
        session = known()
        if self.is_refused and session is not None and (session.account == self.session.account or not self.is_begun):
            self.session, self.is_refused = session, False

    def begin(self, table: pd.DataFrame, glossary_id: str | None, name: str) -> None:
        """Open a glossary with the terms of *table*."""
        self._open(EditTable(table, COLUMNS, needed=NEEDED, lock=self._lock), glossary_id, name)
        self.follow()

    def restore(self, waiting: Waiting, found: RestoredBook) -> None:
        """Go on with a draft: the one that waits, or another panel's. What is lost becomes a new glossary."""
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
        # The book is the table of the terms: it knows what was loaded, what was edited since, and the steps to undo.
        self.book, self.glossary_id, self.name = book, glossary_id, name
        self.is_begun = True
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

    def note(self, change: Any) -> None:
        """Keep a change in the draft, or all of them in another one where a panel has taken this one over."""
        if self.draft.is_taken:
            self.follow()
        else:
            self.draft.note(change)

    def call(self, name: str) -> None:
        """Give a new glossary another name."""
        self.name = name
        if self.draft.begun:
            self.note({CALLED: name})
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
