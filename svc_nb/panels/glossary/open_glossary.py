"""The glossary that is open in the panel, with the draft that keeps its edits until they are pushed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pandas as pd

from svc_nb.glossaries.table import COLUMNS
from svc_nb.panels.glossary import drafts
from svc_nb.panels.glossary.drafts import RestoredBook
from svc_nb.panels.glossary.merge import Meeting, aligned
from svc_nb.panels.glossary.pairs import Pairs
from svc_nb.panels.glossary.push import nothing
from svc_nb.panels.parts.drafts import DraftWriter, drafts_of
from svc_nb.panels.parts.edit_table import EditTable
from svc_nb.session import Session
from svc_nb.sync.drafts import Waiting

THEIRS = "Changes from the service"


class OpenGlossary:
    """Its `book`, its id, which is None as long as it is new, its name, and its `pairs`; `waiting` is a draft to offer.

    *lock* is held while the book changes; *told* hears what goes wrong with the draft. `version` goes up with every
    change of the book.
    """

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
        self.book, self.glossary_id, self.name = book, glossary_id, name
        self.pairs = Pairs(book)
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
        draft, change = drafts.begun(self.session, self.book, thing_id=self.glossary_id, name=self.name)
        self.draft.begin(draft, change)

    def call(self, name: str) -> None:
        """Give a new glossary another name."""
        self.name = name
        if self.draft.begun:
            self.draft.note({drafts.CALLED: name})
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
