"""Edits that are not pushed yet, saved to disk as they are made, so that none are lost if the kernel dies.

A draft is a JSON lines file that only its owner can read: a header, the state at the beginning, and every change since.
A change is handed to the operating system as soon as it is noted, so it outlives the process. The process locks the
file while it works on it; once the process has ended or left the draft, the draft waits.
"""

from __future__ import annotations

import errno
import json
import os
import secrets
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from svc_nb.errors import StoreError
from svc_nb.locks import LockedFile, is_held

ANY: Final = "any thing"
SUFFIX = ".draft"
OLDEST_SECONDS = 90 * 24 * 3600
# The lines before the changes: the header and the state.
BEFORE = 2


@dataclass(frozen=True)
class Head:
    """The first line of a draft."""

    origin: str
    kind: str
    made: str
    name: str
    thing_id: str | None
    process: int


@dataclass(frozen=True)
class Waiting:
    """A draft that no one works on, the number of its changes, and whether it is *here*: see `Drafts.here`.

    `edited` is the local time of the last change.
    """

    draft: str
    kind: str
    made: datetime
    edited: datetime
    name: str
    thing_id: str | None
    steps: int
    here: bool = False


@dataclass(frozen=True)
class Restored:
    """The content of a draft: the state that it began with, and the changes since, in order."""

    base: Any
    changes: list[Any]


class Drafts:
    """The drafts for one service in *folder*, which several processes may use; StoreError if it fails."""

    def __init__(self, folder: str | Path, origin: str) -> None:
        self.folder = Path(folder)
        self.origin = origin

    def begin(self, thing_id: str | None, name: str, *, kind: str, base: Any) -> Draft:
        """Begin a draft of a thing, None for a new one; *base* is written with the first change.

        It is a JSON value, or a function that returns one, called then.
        """
        made = datetime.now(UTC).isoformat()
        head = Head(self.origin, kind, made, name, thing_id, os.getpid())
        return Draft(self._path(secrets.token_hex(8)), (asdict(head), base))

    def waiting(self, kind: str, *, thing_id: str | None = ANY) -> list[Waiting]:
        """The drafts of a *kind* that no one works on, the newest first; drafts untouched for 90 days are removed."""
        with self._explained():
            found = [each for path in self._left() if (each := self._look(path, kind, thing_id))]
        return sorted(found, key=lambda each: (each.edited, each.made), reverse=True)

    def here(self, kind: str, *, thing_id: str | None = ANY) -> list[Waiting]:
        """The drafts of a *kind* that this process works on, such as those of other panels, the newest first."""
        with self._explained():
            with _LOCK:
                held = [draft.path for draft in _DRAFTS if draft.is_held]
            paths = [path for path in held if path.parent == self.folder and path.exists()]
            found = [replace(each, here=True) for path in paths if (each := self._look(path, kind, thing_id))]
        return sorted(found, key=lambda each: (each.edited, each.made), reverse=True)

    def take_over(self, waiting: Waiting, restored: Restored) -> Draft:
        """Begin a draft with the content *restored* from another one of this process, which ends."""
        draft = self.begin(waiting.thing_id, waiting.name, kind=waiting.kind, base=restored.base)
        for change in restored.changes:
            draft.note(change)
        with _LOCK:
            before = [each for each in _DRAFTS if each.path == self._path(waiting.draft)]
        for each in before:
            each.end()
        return draft

    def restore(self, waiting: Waiting) -> Restored:
        """The content of a draft; the draft stays until it is resumed and ended, or forgotten."""
        path = self._path(waiting.draft)
        with self._explained():
            values = []
            for place, line in enumerate(path.read_bytes().split(b"\n")[:-1]):
                try:
                    values.append(json.loads(line))
                except ValueError:
                    if place < BEFORE:
                        raise
                    break  # lines after a broken one cannot be trusted
            _, base, *changes = values
        return Restored(base, changes)

    def resume(self, waiting: Waiting) -> Draft:
        """Continue a draft: new changes are added to it. Other processes no longer see it as waiting."""
        path = self._path(waiting.draft)
        with self._explained():
            return Draft(path, held=LockedFile(path))

    def forget(self, waiting: Waiting) -> None:
        """Remove a draft; it is not an error if it is already gone."""
        path = self._path(waiting.draft)
        with self._explained():
            path.unlink(missing_ok=True)

    def _path(self, draft: str) -> Path:
        if not draft.isalnum():
            raise ValueError(f"expected the id of a draft, found {draft!r}")
        return self.folder / f"{draft}{SUFFIX}"

    def _left(self) -> Iterator[Path]:
        """All drafts that no one works on; old ones are removed."""
        for path in sorted(self.folder.glob(f"*{SUFFIX}")):
            with suppress(FileNotFoundError, PermissionError):  # another process was faster, or it is another user's
                is_old = time.time() - path.stat().st_mtime > OLDEST_SECONDS
                head = _head(path)
                if head and not is_held(path) and not is_old:
                    yield path
                elif is_old and not (head and is_held(path)):
                    path.unlink()

    def _look(self, path: Path, kind: str, thing_id: str | None) -> Waiting | None:
        """The draft at *path*, if it matches."""
        head = _head(path)
        if head is None or (head.origin, head.kind) != (self.origin, kind) or thing_id not in (ANY, head.thing_id):
            return None
        steps = path.read_bytes().count(b"\n") - BEFORE
        made = datetime.fromisoformat(head.made)
        # File times are coarser than our clock.
        edited = max(made, datetime.fromtimestamp(path.stat().st_mtime, UTC)).astimezone()
        return Waiting(path.stem, head.kind, made, edited, head.name, head.thing_id, steps)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except FileNotFoundError:
            raise StoreError("This draft no longer exists: it was restored or removed elsewhere") from None
        except BlockingIOError:
            raise StoreError("Another kernel has restored this draft in the meantime") from None
        except (OSError, ValueError) as problem:
            what = problem.strerror if isinstance(problem, OSError) else "a draft is damaged"
            raise StoreError(f"The drafts in {self.folder} cannot be read ({what})") from problem


class Draft:
    """A draft that this process works on, possibly from several threads."""

    def __init__(self, path: Path, opening: tuple[Any, ...] = (), *, held: LockedFile | None = None) -> None:
        self._path = path
        self._opening = opening
        self._held = held
        self._lines: list[bytes] = []
        self._is_told = False
        self._is_over = False
        self._turn = threading.Lock()
        with _LOCK:
            _DRAFTS.add(self)

    @property
    def is_held(self) -> bool:
        """Whether it is on disk and locked by this process."""
        return self._held is not None and not self._is_over

    @property
    def is_over(self) -> bool:
        """Whether it was ended or left, so that nothing more can be noted."""
        return self._is_over

    @property
    def path(self) -> Path:
        """Its file, which exists from the first change on."""
        return self._path

    def note(self, change: Any) -> None:
        """Keep a change (JSON values): on disk, or in memory until the next one; StoreError the first time."""
        with self._turn:
            if self._is_over:
                raise ValueError("this draft was ended or left. Begin another one")
            was_told = self._is_told
            self._lines.append(_line(change))
            try:
                self._save()
            except StoreError:
                if not was_told:
                    raise

    @property
    def unwritten(self) -> int:
        """How many changes are only in memory because they could not be written."""
        return len(self._lines)

    def save(self) -> None:
        """Retry writing the changes that are only in memory; raises StoreError if that still fails."""
        with self._turn:
            self._save()

    def end(self) -> None:
        """Remove the draft, because everything was pushed or is no longer wanted."""
        with self._turn:
            self._is_over = True
            held, self._held, self._lines = self._held, None, []
            if held:
                try:
                    held.remove()
                except OSError as problem:
                    raise StoreError(
                        f"The draft {self._path} could not be removed ({problem.strerror}); it will be offered again"
                    ) from problem

    def leave(self) -> None:
        """Leave the draft: it waits to be restored, without changes that still cannot be written."""
        with self._turn:
            self._is_over = True
            with suppress(StoreError):
                self._save()
            if self._held:
                self._held.close()

    def _save(self) -> None:
        if not self._lines:
            return
        lines = b"".join(self._lines)
        try:
            if self._held is None:
                opening = [_line(value() if callable(value) else value) for value in self._opening]
                self._held = LockedFile(self._path, b"".join(opening) + lines)
                self._opening = ()
            else:
                self._held.append(lines)
        except OSError as problem:
            self._is_told = True
            full = problem.errno in (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC))
            advice = "Free some space" if full else "Check the folder and its permissions"
            raise StoreError(
                f"The draft in {self._path.parent} cannot be written ({problem.strerror}), so unsaved edits are only "
                f"in this kernel. {advice}; every further edit tries again"
            ) from problem
        self._lines, self._is_told = [], False


_LOCK = threading.Lock()
_DRAFTS: weakref.WeakSet[Draft] = weakref.WeakSet()


def _line(value: Any) -> bytes:
    # In ASCII, because texts may contain half of a surrogate pair.
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def _head(path: Path) -> Head | None:
    """The header of a draft; None if it is not written yet, or if the file is not a draft."""
    with open(path, "rb") as file:
        line = file.readline()
    try:
        return Head(**json.loads(line)) if line.endswith(b"\n") else None
    except (ValueError, TypeError):
        return None
