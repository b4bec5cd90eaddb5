"""Edits written to the disk as they are made, until they are sent or discarded."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from svc_nb.errors import StoreError
from svc_nb.panels.parts.worker import Worker, tried
from svc_nb.session import Session
from svc_nb.sync.drafts import Draft, Drafts

FIRST = "Push or discard the edits here first, or they are lost. "


def drafts_of(session: Session) -> Drafts:
    """The drafts of what is on the session's service."""
    return Drafts(Path(session.settings.drafts_path), session.account)


class DraftWriter:
    """Writes the changes of one thing after the other into drafts; *told* is called with what goes wrong.

    `problem` is why edits are only in memory now, None where they are on the disk. The first change of a draft writes
    also the state that it began with: where that may be *large*, in a thread. Later ones are written at once. `kept` is
    when the last one was written, None where nothing is, and `written` is called whenever one was.
    """

    def __init__(self, told: Callable[[Exception], None], *, large: bool) -> None:
        self.told = told
        self.written: Callable[[], Any] = lambda: None
        self.begun = False
        self.problem: Exception | None = None
        self.kept: datetime | None = None
        self._large = large
        self._draft: Draft | None = None
        self._before: list[Draft] = []  # what is removed when the one after it is on the disk
        self._turns = Worker()

    @property
    def name(self) -> str | None:
        """What the draft that is written into is called among the drafts; None where there is none."""
        return None if self._draft is None else self._draft.path.stem

    @property
    def is_taken(self) -> bool:
        """Whether another panel has taken over what was written."""
        return self._draft is not None and self._draft.is_over

    def begin(self, draft: Draft, change: Any = None) -> None:
        """Write into *draft* from now on, at once the *change* that was made already; no draft before counts."""
        self._turns.wait()
        if self._draft is not None:
            self._before.append(self._draft)
        self._draft, self.problem, self.begun, self.kept = draft, None, change is not None, None
        if change is not None:
            self._write(draft, change)
        else:
            self._end_before()

    def resume(self, draft: Draft, edited: datetime) -> None:
        """Go on with a draft that waited, and was *edited* last then."""
        self._draft, self.problem, self.begun, self.kept = draft, None, True, edited

    def note(self, change: Any) -> None:
        """Keep a change, a value of JSON."""
        draft = self._draft
        if draft is None:
            return
        if not self._turns.busy and (self.begun or not self._large):
            self._write(draft, change)
        else:
            self._turns.ask(lambda: self._write(draft, change), self._hear)
        self.begun = True

    def check(self, is_edited: bool) -> None:
        """Raise a StoreError where something is edited and not sent, and the disk does not take it, either."""
        self._turns.wait()
        if self._draft is None or not is_edited:
            return
        try:
            self._draft.save()
        except StoreError as problem:
            raise StoreError(f"{FIRST}{problem.message}") from problem

    def leave(self, is_edited: bool) -> int:
        """Let the draft wait for later, if anything is edited and not sent; else remove it."""
        self._turns.wait()
        draft, self._draft = self._draft, None
        if draft is None:
            return 0
        self._hear(tried(draft.leave if is_edited else draft.end))
        if not draft.unwritten:
            self._end_before()
        return draft.unwritten

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until all is written that can be."""
        return self._turns.wait(timeout)

    def close(self, timeout: float | None = None) -> bool:
        """Leave no thread behind."""
        return self._turns.close(timeout)

    def _write(self, draft: Draft, change: Any) -> None:
        self._hear(tried(lambda: draft.note(change)))
        if not draft.unwritten:
            self.problem, self.kept = None, datetime.now().astimezone()
            self._end_before()
            self.written()

    def _end_before(self) -> None:
        """Remove the drafts whose edits are all in the one after them by now."""
        before, self._before = self._before, []
        for draft in before:
            self._hear(tried(draft.end))

    def _hear(self, answer: Any) -> None:
        if isinstance(answer, Exception):
            self.problem = answer
            self.told(answer)
