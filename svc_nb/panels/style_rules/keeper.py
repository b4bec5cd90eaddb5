"""Edits kept on the disk until they are pushed, and those of an earlier kernel offered again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from svc_nb.panels.style_rules.sheet import Deed, Sheet
from svc_nb.session import Session, current
from svc_nb.style_rules.content import Content
from svc_nb.style_rules.files import from_json, to_json
from svc_nb.sync.drafts import Draft, Drafts, Waiting

KIND = "style_rules"


def drafts(session: Session | None = None) -> Drafts:
    """The drafts of lists on the session's service."""
    session = session or current()
    return Drafts(Path(session.settings.drafts_path), session.account)


class Kept:
    """A sheet and its draft: every deed is done and noted; *failed* is told where it cannot be noted."""

    def __init__(self, sheet: Sheet, failed: Callable[[Exception], Any]) -> None:
        self.sheet = sheet
        self._failed = failed
        base, self._origin = sheet.base, drafts().origin
        whole = {"style": to_json(base), "began": sheet.began.to_wire()}
        self._draft: Draft | None = drafts().begin(base.style_id, base.name or "", kind=KIND, base=whole)
        if sheet.is_changed:
            self._note(whole_of(sheet.content, "earlier edits"))

    @property
    def is_current(self) -> bool:
        """Whether its list is on the service that the session is with now."""
        return self._origin == drafts().origin

    def hand_to(self, failed: Callable[[Exception], Any]) -> None:
        """Tell somebody else from now on where an edit cannot be noted."""
        self._failed = failed

    def do(self, deed: Deed) -> bool:
        """Do *deed* and note it, where it changes anything."""
        done = self.sheet.do(deed)
        if done:
            self._note(deed)
        return done

    def end(self) -> None:
        """Keep the edits no longer: they were pushed, or are not wanted."""
        if self._draft is not None:
            self._draft.end()
            self._draft = None

    def leave(self) -> int:
        """Let go: what is changed waits for the next panel; the number of edits that the disk refused to keep."""
        lost = 0
        if self._draft is not None and self.sheet.is_changed:
            self._draft.leave()
            lost = self._draft.unwritten
            self._draft = None
        self.end()
        return lost

    def _note(self, deed: Deed) -> None:
        if self._draft is not None:
            try:
                self._draft.note(dict(deed))
            except Exception as problem:  # editing goes on, and what could not be written is told
                self._failed(problem)


def whole_of(content: Content, called: str) -> Deed:
    """The deed that makes a sheet say *content*, all in one step."""
    return {"do": "all", "content": content.to_wire(), "called": called}


def restored(waiting: Waiting) -> Sheet:
    """The sheet of an earlier kernel, with all that was done to it."""
    found = drafts().restore(waiting)
    sheet = Sheet(from_json(found.base["style"]), Content.from_wire(found.base["began"]))
    for deed in found.changes:
        sheet.do(deed)
    return sheet
