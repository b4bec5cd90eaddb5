"""Copies of style rule lists, one JSON file for each change from here, which `read` reads like any other.

A copy has the list as it was before the change; of a list that was created, as it was created. What stands beside the
list there says what was done, from which process, on which service, and what it left: so an undo knows whether others
have been at work since.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from svc_nb.errors import StoreError
from svc_nb.style_rules.files import as_json, from_json, to_json
from svc_nb.style_rules.style import Style
from svc_nb.style_rules.tables import quoted
from svc_nb.sync.backups import this_process
from svc_nb.tabular.column import text_array
from svc_nb.tabular.disk import replace_file
from svc_nb.tabular.report import Report, plural

MOST_KEPT = 50
FORM = "%Y%m%dT%H%M%S%f"
HISTORY = "svc_nb.style_rules.history() lists what was"

Action = Literal["create", "change", "delete"]


class Copy(NamedTuple):
    """A list before a change, or as it was created; `after` is what the change left, None where it is not known.

    A list that was made again has in `was` the ids that it had before.
    """

    path: Path
    made: datetime
    style: Style
    action: str
    origin: str
    process: str
    was: Sequence[str]
    after: Style | None

    def has_id(self, given: str) -> bool:
        """Whether it is of the list with that id, now or before it was made again."""
        return given in (self.style.style_id, *self.was)

    def is_called(self, given: str) -> bool:
        """Whether the list had that name, before the change or after it."""
        return given == self.style.name or bool(self.after and given == self.after.name)


class Copies:
    """The copies in *folder* of the lists on one service, *origin*; the folder is made when it is needed."""

    def __init__(
        self, folder: Path, *, origin: str = "", process: str | None = None, was: Sequence[str] = ()
    ) -> None:
        self.folder = folder
        self.origin = origin
        self.process = process or this_process()
        self._was = list(was)

    def going_on(self, copy: Copy) -> Copies:
        """The same copies, but a list that is kept from now on is the one that *copy* is of, under another id."""
        was = [*copy.was, copy.style.style_id or ""]
        return Copies(self.folder, origin=self.origin, process=self.process, was=was)

    def keep(self, style: Style, action: Action = "change") -> Path:
        """Write a copy that only its owner can read, on the disk when this returns; of a list the newest 50 are kept.

        Names sort by time. Raises StoreError where it cannot be written.
        """
        mark = _mark(style.style_id or "")
        path = self.folder / f"{datetime.now(UTC):{FORM}}-{mark}-{secrets.token_hex(2)}.json"
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
                file.write(as_json(style, change=self._change(action)))
                file.flush()
                os.fsync(file.fileno())
        except OSError as problem:
            with contextlib.suppress(OSError):
                path.unlink()
            raise StoreError(
                f"The list cannot be copied to {self.folder} ({problem.strerror}), and nothing is changed without a "
                "copy. Check the folder and its permissions, then try again"
            ) from None
        self._tidy(mark)
        return path

    def note(self, path: Path | None, before: Style | None, after: Style) -> None:
        """Note what a change left, beside the list *before* it; None is one that was created, and is copied now.

        The change is done by then: where it cannot be noted, an undo only knows less.
        """
        with contextlib.suppress(OSError, StoreError):
            path = path or self.keep(after, "create")
            action: Action = "change" if before else "create"
            replace_file(path, as_json(before or after, change=self._change(action, after)))

    def history(self, given: str | None = None) -> Report:
        """The copies of all lists or of one, by its id or a name, the newest first; other files are passed over."""
        found = list(self._all()) if given is None else self._of(given)
        styles = [each.style for each in found]
        columns: dict[str, Any] = {
            name: text_array([getattr(each, name) for each in styles])
            for name in ("style_id", "name", "language")
        }
        columns |= {
            "version": pd.array([each.version for each in styles], dtype="Int64"),
            "rules": pd.array([len(each.rules) for each in styles], dtype="Int64"),
            "instructions": pd.array([len(each.instructions) for each in styles], dtype="Int64"),
            "action": text_array([each.action for each in found]),
            "made": pd.Series([each.made for each in found], dtype="datetime64[us, UTC]"),
            "this_kernel": np.array([each.process == self.process for each in found], dtype=np.bool_),
            "path": text_array([str(each.path) for each in found]),
        }
        return Report(pd.DataFrame(columns), self._said(len(found), given))

    def last(self, given: str | None = None) -> Copy:
        """The last copy from this process, or of one list from any; raises ValueError where there is none.

        Of lists that had a name, the last one is meant, unless several are still there.
        """
        if given is None:
            for each in self._all():
                if each.process == self.process:
                    return each
            raise ValueError(
                f"there is nothing to undo: no list was changed from this kernel. {HISTORY} changed from others, and "
                "undo(style_id) takes the last change of one back"
            )
        ids = dict.fromkeys(each.style.style_id for each in self._of(given))
        lasts = [next(each for each in self._all() if each.style.style_id == id_) for id_ in ids]
        if not lasts:
            raise ValueError(nothing_in(given))
        there = [each for each in lasts if each.action != "delete"]
        if len(there) > 1 and not any(each.has_id(given) for each in there):
            shown = ", ".join(f"{each.style.style_id} for {each.style.language}" for each in there)
            raise ValueError(f"{len(there)} lists were called {quoted(given)}: give the id ({shown})")
        return lasts[0]

    def _of(self, given: str) -> list[Copy]:
        """The copies of the list with that id or, where there are none, of those that had that name."""
        every = list(self._all())
        return [each for each in every if each.has_id(given)] or [
            each for each in every if each.is_called(given)
        ]

    def _all(self) -> Iterator[Copy]:
        """The copies of lists on this service, the newest first."""
        for path in sorted(self.folder.glob("*-*-*.json"), reverse=True):
            copy = _read(path)
            if copy is not None and copy.origin == self.origin:
                yield copy

    def _change(self, action: Action, after: Style | None = None) -> dict[str, Any]:
        known = {"action": action, "origin": self.origin, "process": self.process, "was": self._was}
        return {**known, "after": None if after is None else to_json(after)}

    def _tidy(self, mark: str) -> None:
        for old in sorted(self.folder.glob(f"*-{mark}-*.json"))[:-MOST_KEPT]:
            with contextlib.suppress(OSError):
                old.unlink()

    def _said(self, count: int, given: str | None) -> str:
        if count:
            back = "svc_nb.style_rules.undo(style_id) takes the last change of one back, undo() that of this kernel"
            return f"{plural(count, 'copy', 'copies')}. Next: {back}, push(read(path)) goes back to any."
        if given is None:
            return "No copies: nothing was changed from here yet."
        return f"{nothing_in(given)}."


def nothing_in(given: str) -> str:
    """That there is no copy of a list, with the next step."""
    return f"Nothing was changed in {quoted(given)} from here; {HISTORY}"


def _read(path: Path) -> Copy | None:
    try:
        made = datetime.strptime(path.name.partition("-")[0], FORM).replace(tzinfo=UTC)
        whole = json.loads(path.read_bytes())
        change = whole["change"]
        return Copy(
            path,
            made,
            from_json(whole),
            action=change["action"],
            origin=change["origin"],
            process=change["process"],
            was=change["was"],
            after=from_json(change["after"]) if change["after"] else None,
        )
    except (OSError, ValueError, LookupError, TypeError, RecursionError):  # no copy, or a damaged one
        return None


def _mark(style_id: str) -> str:
    """What stands for an id in a name: it is whatever a service says, so it is no part of a path itself."""
    return blake2b(style_id.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
