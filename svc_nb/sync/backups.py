"""The states of things on the service before and after svc_nb changed them, one file each, for undo.

A backup is on disk before the first request that changes something. Its content is up to the caller: JSON values, or
None for a thing that did not exist. Only their owner can read the files, which contain no keys; their names sort by
time. Each file names the process that made it, so that one kernel does not take another's changes for its own.
"""

import contextlib
import errno
import os
import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec
import numpy as np
import pandas as pd

from svc_nb.errors import StoreError
from svc_nb.locks import make_private
from svc_nb.tabular.report import Report, named, plural
from svc_nb.tabular.text_column import TEXT

MOST_KEPT = 50
FORM = "%Y%m%dT%H%M%S%f"
SUFFIX = ".json"
# Left by a process that ended while writing.
UNFINISHED = ".part"
UNFINISHED_SECONDS = 3600
# Process numbers are reused, so a random text is added to this one's.
_OWN = secrets.token_hex(8)

T = TypeVar("T")
Action = Literal["create", "change", "delete"]


class BackupEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A backup without the state itself: *action* is what was then done to the thing.

    `thing_id` is empty until the id that the service gave is known. `finished` says whether the change was completed; a
    change that continues an interrupted one names in `first` the backup at which that one began. An undo names in
    `goal` the backup that it goes back to. `became` is the id of the thing that was recreated from this one. `new_name`
    is the name of the thing after the change, and `process` is the process that made it.
    """

    backup: str
    made: datetime
    origin: str
    action: Action
    thing_id: str
    name: str
    finished: bool = False
    first: str | None = None
    goal: str | None = None
    became: str | None = None
    new_name: str = ""
    process: str = ""

    def is_called(self, name: str) -> bool:
        """Whether the thing had that name before or after the change."""
        return name in (self.name, self.new_name or self.name)


class Backup(BackupEntry, frozen=True, kw_only=True):
    """A backup: the state before the change, and the one `after` it; None if there was no such thing."""

    state: Any = None
    after: Any = None


def this_process() -> str:
    """A text that no other process has, even after this one has ended or forked.

    >>> this_process() == this_process()
    True
    """
    return f"{os.getpid()}-{_OWN}"


class Backups:
    """The backups in *folder* for one service, *origin*; the folder is created when it is needed.

    *room* is the module with the functions for such things, and *id_name* is its name for their ids; it is empty if a
    backup is of all of them. *facts* adds details about a state, for `history`. Several processes may use a folder.
    Raises StoreError if a file cannot be read or written.
    """

    def __init__(
        self,
        folder: str | Path,
        *,
        origin: str,
        room: str = "glossaries",
        id_name: str = "glossary_id",
        facts: Callable[[Any], Mapping[str, Any]] | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        process: str | None = None,
    ) -> None:
        self.folder = Path(folder)
        self.origin = origin
        self.room = room
        self._id_name = id_name
        self._facts = facts
        self.process = process or this_process()
        self._clock = clock

    def put(self, action: Action, thing_id: str, *, name: str, state: Any, **rest: Any) -> Backup:
        """Keep *state*, safely on disk once this returns; the newest 50 of each thing are kept."""
        made = self._now()
        kept = Backup(
            backup=self._name(made, thing_id, self.process),
            made=made,
            origin=self.origin,
            action=action,
            thing_id=thing_id,
            name=name,
            process=self.process,
            state=state,
            **rest,
        )
        self._write(kept)
        with self._explained():
            for name in self._names(thing_id)[:-MOST_KEPT]:
                self._path(name).unlink(missing_ok=True)
            for part in self.folder.glob(f"*{UNFINISHED}"):
                with contextlib.suppress(FileNotFoundError):
                    if time.time() - part.stat().st_mtime > UNFINISHED_SECONDS:
                        part.unlink()
        return kept

    def replace(self, backup: Backup, **changes: Any) -> Backup:
        """Replace *backup* by one with *changes*, at the same place in time."""
        changed = msgspec.structs.replace(backup, **changes)
        if changed.thing_id != backup.thing_id:
            name = self._name(changed.made, changed.thing_id, changed.process)
            changed = msgspec.structs.replace(changed, backup=name)
        self._write(changed)
        if changed.backup != backup.backup:
            self.drop(backup)
        return changed

    def drop(self, backup: BackupEntry) -> None:
        """Forget a backup."""
        with self._explained():
            self._path(backup.backup).unlink(missing_ok=True)

    def newest(self, thing_id: str | None = None) -> Backup | None:
        """The last backup of this process, or of one thing from any process; a recreated thing is still the same."""
        names = self._names(thing_id, process=self.process if thing_id is None else None)
        found = self._read(names[-1], Backup) if names else None
        return self.newest(found.became) if found and found.became and thing_id else found

    def since(self, backup: Backup) -> list[Backup]:
        """*backup* and all later ones of the same thing, the oldest first; a recreated thing is still the same."""
        if not backup.thing_id:  # an interrupted creation: any other backup without an id is of another thing
            return [backup]
        names = [name for name in self._names(backup.thing_id) if name > backup.backup]
        later = [self._read(name, Backup) for name in names]
        anew = (later or [backup])[-1].became
        reborn = [self._read(name, Backup) for name in self._names(anew)[:1]] if anew else []
        return [backup, *later, *(each for first in reborn for each in self.since(first))]

    def thing(self, given: str) -> Backup | None:
        """The last backup of the thing with that id or last name; ValueError if there are several."""
        if given and (by_id := self.newest(given)):
            return by_id
        entries = self._entries()
        last = {each.thing_id or each.backup: each for each in entries}
        became = {each.thing_id: each.became for each in entries if each.became in last}
        called = {each.thing_id or each.backup for each in entries if each.is_called(given)}
        while then := {became[key] or "" for key in called if key in became}:  # the current id of each
            called = {key for key in called if key not in became} | then
        ends = sorted((last[end] for end in called), key=lambda each: each.backup)
        there = [each for each in ends if each.thing_id and not (each.action == "delete" and each.finished)]
        if len(there) > 1:
            ids = named([each.thing_id for each in there])
            raise ValueError(
                f"{len(there)} things that were changed from here were called {given!r}. Give the id ({ids})"
            )
        return self.get(ends[-1].backup) if ends else None

    def is_unfinished(self, name: str) -> bool:
        """Whether a change of a thing with that name was started from here and not finished."""
        return any(each.is_called(name) and not each.finished for each in self._entries())

    def has(self, backup: str) -> bool:
        """Whether there is a backup with that name for this service."""
        return backup in self._names(None)

    def get(self, backup: str) -> Backup:
        """The backup with that name, as shown by `history`."""
        if not self.has(backup):
            known = f"for {self.origin}; it belongs to another service" if backup in self._files() else "here"
            raise ValueError(f"there is no backup {backup!r} {known}. svc_nb.{self.room}.history() lists the backups")
        return self._read(backup, Backup)

    def others(self) -> int:
        """How many backups in the folder are of other services."""
        return len(self._files()) - len(self._names(None))

    def history(self, thing_id: str | None = None) -> Report:
        """All backups for this service, or those of one thing, by its id or a former name, the newest first."""
        entries = self._entries(thing_id)[::-1]
        if thing_id is not None and not entries:
            entries = [each for each in self._entries()[::-1] if each.is_called(thing_id)]
        names = {"action": "action", "thing_id": self._id_name, "name": "name", "backup": "backup"}
        columns: dict[str, Any] = {"made": pd.DatetimeIndex([entry.made for entry in entries], tz=UTC)}
        for field, name in names.items():
            if name:
                columns[name] = pd.array([getattr(entry, field) for entry in entries], dtype=TEXT)
        columns["finished"] = np.array([entry.finished for entry in entries], dtype=np.bool_)
        columns["this_kernel"] = np.array([entry.process == self.process for entry in entries], dtype=np.bool_)
        table = pd.DataFrame(columns)
        if self._facts:
            whole = [self._read(entry.backup, Backup) for entry in entries]
            more = pd.DataFrame([self._facts(each.after if each.state is None else each.state) for each in whole])
            table = table.assign(**more, path=[str(self._path(entry.backup)) for entry in entries])
        if not entries and self._names(None):
            return Report(table, f"{self.nothing_in(thing_id or '')}.")
        said = f"No backups in {self.folder}: nothing has been changed from here yet."
        if entries:
            then = f"svc_nb.{self.room}.undo() undoes the last change of this kernel, undo(backup=...) one of these"
            if self._id_name:
                then = (
                    f"svc_nb.{self.room}.undo({self._id_name}) undoes the last change of one, undo() that of this "
                    "kernel, and undo(backup=...) goes back to the state in one of these"
                )
            said = f"{plural(len(entries), 'backup')} in {self.folder}. Next: {then}."
        return Report(table, said)

    def _entries(self, thing_id: str | None = None) -> list[BackupEntry]:
        return [self._read(name, BackupEntry) for name in self._names(thing_id)]

    def nothing_in(self, given: str) -> str:
        """The message that a thing has no backup, with the next step."""
        shown = given if len(given) <= 60 else given[:59] + "…"
        then = f"svc_nb.{self.room}.history() lists what was changed"
        return f"{shown!r} was not changed from here ({self.origin}); {then}"

    # ---- files

    def _name(self, made: datetime, thing_id: str, process: str) -> str:
        whose = "-".join(map(_digest, (self.origin, thing_id, process)))
        return f"{made:{FORM}}-{whose}-{secrets.token_hex(2)}"

    def path(self, backup: BackupEntry) -> Path:
        """The file of a backup."""
        return self._path(backup.backup)

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}{SUFFIX}"

    def _files(self) -> list[str]:
        with self._explained(), contextlib.suppress(FileNotFoundError):
            return sorted(name.removesuffix(SUFFIX) for name in os.listdir(self.folder) if name.endswith(SUFFIX))
        return []

    def _names(self, thing_id: str | None, *, process: str | None = None) -> list[str]:
        """The names of the backups for this service, of one thing, by one process, the oldest first."""
        asked = [None if each is None else _digest(each) for each in (self.origin, thing_id, process)]
        return [
            name
            for name in self._files()
            if all(digest in (None, *name.split("-")[1:-1][place : place + 1]) for place, digest in enumerate(asked))
        ]

    def _now(self) -> datetime:
        """A time later than all others, so that the order survives a clock that is set back."""
        now = self._clock()
        for name in reversed(self._files()):
            with contextlib.suppress(ValueError):
                newest = datetime.strptime(name.partition("-")[0], FORM).replace(tzinfo=UTC)
                return max(now, newest + timedelta(microseconds=1))
        return now

    def _read(self, name: str, kind: type[T]) -> T:
        path = self._path(name)
        with self._explained():
            content = path.read_bytes()
        try:
            return msgspec.json.decode(content, type=kind)
        except msgspec.MsgspecError as error:
            raise StoreError(f"The backup {path} is damaged ({error}). Move it away and try again") from None

    def _write(self, backup: Backup) -> None:
        """Write a file that only its owner can read, down to the disk."""
        content = msgspec.json.encode(backup)
        path = self._path(backup.backup)
        part = path.with_name(f"{path.name}.{secrets.token_hex(4)}{UNFINISHED}")
        with self._explained():
            make_private(self.folder)
            try:
                new = os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
                with os.fdopen(new, "wb") as file:
                    file.write(content)
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(part, path)
            finally:
                part.unlink(missing_ok=True)
            if os.name == "posix":  # writes the name of the file to the disk too
                opened = os.open(self.folder, os.O_RDONLY)
                try:
                    os.fsync(opened)
                finally:
                    os.close(opened)

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            full = error.errno in (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))
            advice = "Free some space" if full else "Check the folder and its permissions"
            raise StoreError(
                f"The backups in {self.folder} cannot be read or written ({error.strerror}), and nothing is changed "
                f"without a backup. {advice}, then try again"
            ) from error


def _digest(text: str) -> str:
    return blake2b(text.lower().encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
