"""Edits written to disk as they are made, until they are pushed or discarded."""

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
    """Writes the changes of one thing at a time to drafts; *told* is called with errors.

    `problem` is why edits are only in memory now, None if they are on disk. The first change of a draft also writes its
    initial state, in a thread if that may be *large*. Later changes are written at once. `kept` is when the last one
    was written, None if none was, and `written` is called after each write.
    """

    def __init__(self, told: Callable[[Exception], None], *, large: bool) -> None:
        self.told = told
        self.written: Callable[[], Any] = lambda: None
        self.begun = False
        self.problem: Exception | None = None
        self.kept: datetime | None = None
        self._large = large
        self._draft: Draft | None = None
        self._before: list[Draft] = []  # removed once the next one is on disk
        self._turns = Worker()

    @property
    def name(self) -> str | None:
        """The name of the current draft; None if there is none."""
        return None if self._draft is None else self._draft.path.stem

    @property
    def is_taken(self) -> bool:
        """Whether another panel has taken over what was written."""
        return self._draft is not None and self._draft.is_over

    def begin(self, draft: Draft, change: Any = None) -> None:
        """Write to *draft* from now on, starting with a *change* already made; earlier drafts no longer count."""
        self._turns.wait()
        if self._draft is not None:
            self._before.append(self._draft)
        self._draft, self.problem, self.begun, self.kept = draft, None, change is not None, None
        if change is not None:
            self._write(draft, change)
        else:
            self._end_before()

    def resume(self, draft: Draft, edited: datetime) -> None:
        """Continue with a saved draft that was last *edited* then."""
        self._draft, self.problem, self.begun, self.kept = draft, None, True, edited

    def note(self, change: Any) -> None:
        """Keep a change, a JSON value."""
        draft = self._draft
        if draft is None:
            return
        if not self._turns.busy and (self.begun or not self._large):
            self._write(draft, change)
        else:
            self._turns.ask(lambda: self._write(draft, change), self._hear)
        self.begun = True

    def check(self, is_edited: bool) -> None:
        """Raise a StoreError if there are unpushed edits that cannot be written to disk either."""
        self._turns.wait()
        if self._draft is None or not is_edited:
            return
        try:
            self._draft.save()
        except StoreError as problem:
            raise StoreError(f"{FIRST}{problem.message}") from problem

    def leave(self, is_edited: bool) -> int:
        """Keep the draft for later if there are unpushed edits; otherwise remove it."""
        self._turns.wait()
        draft, self._draft = self._draft, None
        if draft is None:
            return 0
        self._hear(tried(draft.leave if is_edited else draft.end))
        if not draft.unwritten:
            self._end_before()
        return draft.unwritten

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until everything that can be written is written."""
        return self._turns.wait(timeout)

    def close(self, timeout: float | None = None) -> bool:
        """End the thread."""
        return self._turns.close(timeout)

    def _write(self, draft: Draft, change: Any) -> None:
        self._hear(tried(lambda: draft.note(change)))
        if not draft.unwritten:
            self.problem, self.kept = None, datetime.now().astimezone()
            self._end_before()
            self.written()

    def _end_before(self) -> None:
        """Remove the drafts whose edits are all in the next one by now."""
        before, self._before = self._before, []
        for draft in before:
            self._hear(tried(draft.end))

    def _hear(self, answer: Any) -> None:
        if isinstance(answer, Exception):
            self.problem = answer
            self.told(answer)
