"""Edits kept on the disk as they are made, in a draft of the glossary, until they are sent or discarded."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pandas as pd

from svc_nb.errors import StoreError
from svc_nb.glossaries.table import COLUMNS, made
from svc_nb.panels.book import Book, Change
from svc_nb.panels.glossaries.edits import cells_of
from svc_nb.panels.latest import tried
from svc_nb.panels.turns import Turns
from svc_nb.session import Session
from svc_nb.sync.drafts import Draft, Drafts, Restored, Waiting
from svc_nb.tabular.report import plural

KIND = "glossary"
FIRST = "Push or discard the edits here first, or they are lost. "
CALLED = "called"


class Keeper:
    """Writes the changes of one book after the other into drafts; *told* is called with what goes wrong.

    `problem` is why edits are only in memory now, None where they are on the disk.

    The first change of a draft writes the table that it began with, in a thread; later ones are written at once.
    """

    def __init__(self, told: Callable[[Exception], None]) -> None:
        self.begun = False
        self.problem: Exception | None = None
        self._told = told
        self._draft: Draft | None = None
        self._before: list[Draft] = []  # what is removed when the one after it is on the disk
        self._turns = Turns()

    def follow(self, session: Session, book: Book, *, thing_id: str | None, name: str) -> None:
        """Keep what is changed in *book* from now on, and what it has that its base has not; no draft before counts."""
        self._turns.wait()
        if self._draft is not None:
            self._before.append(self._draft)
        self._draft = drafts_of(session).begin(thing_id, name, kind=KIND, base=to_wire(book.base))
        self.problem, self.begun = None, any(book.changes.values())
        if self.begun:
            self._write(self._draft, difference(book).to_wire())
        else:
            self._end_before()

    def resume(self, draft: Draft) -> None:
        """Go on with a draft that waited."""
        self._draft, self.problem, self.begun = draft, None, True

    def hear(self, change: Change) -> None:
        """Keep a change of the book."""
        self._note(change.to_wire())

    def call(self, name: str) -> None:
        """Keep what a new glossary is called by now."""
        self._note({CALLED: name})

    def check(self, book: Book) -> None:
        """Raise a StoreError where *book* has something that was not sent and that the disk does not take, either."""
        self._turns.wait()
        if self._draft is None or not any(book.changes.values()):
            return
        try:
            self._draft.save()
        except StoreError as problem:
            raise StoreError(f"{FIRST}{problem.message}") from problem

    def leave(self, book: Book) -> int:
        """Let the draft wait for later, if *book* has anything that was not sent; else remove it.

        Returns how many steps are lost because the disk does not take them.
        """
        self._turns.wait()
        draft, self._draft = self._draft, None
        if draft is None:
            return 0
        self._answer(tried(draft.leave if any(book.changes.values()) else draft.end))
        if not draft.unwritten:
            self._end_before()
        return draft.unwritten

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until all is written."""
        return self._turns.wait(timeout)

    def close(self, timeout: float | None = None) -> None:
        """Leave no thread behind."""
        self._turns.close(timeout)

    def _note(self, wire: Any) -> None:
        """Keep a change; the first in a thread, others at once where nothing waits before them."""
        draft = self._draft
        if draft is None:
            return
        if self.begun and not self._turns.busy:
            self._write(draft, wire)
            return
        self.begun = True
        self._turns.ask(lambda: self._write(draft, wire), self._answer)

    def _write(self, draft: Draft, wire: Any) -> None:
        self._answer(tried(lambda: draft.note(wire)))
        if not draft.unwritten:
            self.problem = None
            self._end_before()

    def _end_before(self) -> None:
        """Remove the drafts whose edits are all in the one after them by now."""
        before, self._before = self._before, []
        for draft in before:
            self._answer(tried(draft.end))

    def _answer(self, answer: Any) -> None:
        if isinstance(answer, Exception):
            self.problem = answer
            self._told(answer)


def drafts_of(session: Session) -> Drafts:
    """The drafts of what is on the session's service."""
    return Drafts(Path(session.settings.drafts_path), session.account)


def waiting_of(session: Session, thing_id: str | None) -> Waiting | None:
    """The newest draft of a glossary, None for one that is new, that waits to be restored."""
    return next(iter(drafts_of(session).waiting(KIND, thing_id=thing_id)), None)


def here_of(session: Session, thing_id: str | None) -> Waiting | None:
    """The newest draft of a glossary that another panel of this process works on: it may be seen no longer."""
    return next(iter(drafts_of(session).here(KIND, thing_id=thing_id)), None)


def taken_up(session: Session, waiting: Waiting, restored: Restored) -> Draft:
    """The draft to go on with: the one that waits, or a copy of another panel's."""
    drafts = drafts_of(session)
    return drafts.copy(waiting, restored) if waiting.here else drafts.resume(waiting)


def offered(waiting: Waiting) -> str:
    """The question whether to restore a draft."""
    name = f"“{waiting.name}”" if waiting.name else "a new glossary"
    steps = plural(waiting.steps, "step")
    if waiting.here:
        return (
            f"Another panel of this notebook has edits of {name} that were not sent: {steps}. Copy them here?"
        )
    when = f"{waiting.made.astimezone():%d %B %Y, %H:%M}"
    return f"Edits of {name} from {when} were not sent: {steps}. Restore them?"


def to_wire(table: pd.DataFrame) -> dict[str, Any]:
    """A table with the numbers of its rows, as JSON has it."""
    return {
        "rows": table.index.tolist(),
        "cells": [list(each) for each in zip(*cells_of(table), strict=True)],
    }


def from_wire(wire: Any) -> pd.DataFrame:
    """The table that `to_wire` wrote."""
    sources, targets, source, target = wire["cells"] or [[]] * len(COLUMNS)
    rows = pd.Index(list(map(int, wire["rows"])), dtype="int64", name="row")
    return made(sources, targets, source, target, rows)


def difference(book: Book) -> Change:
    """What makes the base of *book* what it is now, as one change."""
    again = Book(book.base, COLUMNS)
    heard: list[Change] = []
    again.listen(heard.append)
    again.take(book.table)
    return heard[-1]


def rebuilt(restored: Restored, lock: AbstractContextManager[Any]) -> tuple[Book, str | None]:
    """The book that a draft holds, each change a step to undo, and the name that it was given last."""
    book, name = Book(from_wire(restored.base), COLUMNS, lock=lock), None
    for change in restored.changes:
        if CALLED in change:
            name = str(change[CALLED])
        else:
            book.replay(Change.from_wire(change))
    return book, name
