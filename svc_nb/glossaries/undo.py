"""Changes that can be taken back: the states before and after are kept first, then the change is done, then noted.

An undo takes back what was changed from here, and nothing else: the states before and after that change and the one now
are merged, so that what others changed since is kept, and what cannot be kept is an error. What broke off on the way is
known by its backup, which is not noted as done: an undo that is run again goes on to where it was going, and a push
that was run again is undone to the state before its first attempt.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

import pandas as pd

from svc_nb.errors import InvalidRows, NotFound, SvcError
from svc_nb.glossaries.dictionaries import to_dictionaries
from svc_nb.glossaries.diff import diff, within
from svc_nb.glossaries.merge import NAMES, merge
from svc_nb.glossaries.state import (
    NOTHING,
    State,
    check_room,
    check_size,
    explained,
    is_between,
    is_like,
    is_same,
    named,
    present,
)
from svc_nb.glossaries.steps import Change, Push, perform, told
from svc_nb.sync.backups import Backup, Backups, nothing_in
from svc_nb.sync.creation import was_refused
from svc_nb.sync.kinds import called
from svc_nb.sync.turns import Progress
from svc_nb.tabular.column import text_array
from svc_nb.tabular.report import Report, plural
from svc_nb.wire.client import Client
from svc_nb.wire.models import MultilingualGlossary


def undo(
    client: Client,
    glossary_id: str | None = None,
    *,
    backup: str | None = None,
    recreate: bool = False,
    force: bool = False,
    dry_run: bool = False,
    backups: Backups,
) -> Push:
    """Take back the last change from here, or all since *backup*; see the surface's undo."""
    way = _way(backups, glossary_id, backup)
    with explained():
        known = client.glossaries.list()
        found_id, now = present(client, _still_there(known, way.latest, way.state))
        if now is None and way.state is not None:
            if not (recreate or way.last.action == "delete" or _is_broken_off(way.latest)):
                _refuse_gone(way.goal)
            check_room(known)
        wanted = way.state if force else way.taken_back(now)
        change = Change(found_id or way.latest.thing_id or None, now, wanted)
        if not dry_run:
            found_id = _go(client, change, backups, way=way, found_id=found_id, known=known)
    said = _undone(change, found_id, way, done=not dry_run)
    return Push(change.steps, said, glossary_id=found_id, done=not dry_run)


# ---- where to


@dataclass(frozen=True)
class _Way:
    """What is taken back: the changes of `backups`, from `goal`, whose state is wanted, to `last`.

    `latest` is the last backup of the glossary, and tells its id now; later than `last` it is of another kernel.
    """

    goal: Backup
    last: Backup
    latest: Backup
    backups: Sequence[Backup]

    @property
    def state(self) -> State | None:
        """The state to go back to, if nobody else had changed anything."""
        return _state(self.goal.state)

    def taken_back(self, now: State | None) -> State | None:
        """The state *now* without the changes from here; InvalidRows where others changed the same."""
        for before, after in reversed(self._changes()):
            now = _without(before, after, now)
        return now

    def _changes(self) -> list[tuple[State | None, State | None]]:
        """The states before and after each change; a glossary that was made anew is one that was changed."""
        found: list[tuple[State | None, State | None]] = []
        for each in self.backups:
            before = found.pop()[0] if each.state is None and found else _state(each.state)
            found.append((before, None if each.action == "delete" else _state(each.after) or NOTHING))
        return found


def _way(backups: Backups, glossary_id: str | None, backup: str | None) -> _Way:
    if backup is not None:
        goal = backups.get(backup)
        since = backups.since(goal)
        return _Way(goal, since[-1], since[-1], since)
    last = _last(backups, glossary_id)
    goal = _goal(backups, last)
    since = backups.since(goal)
    own = [each for each in since if each.backup <= last.backup] or [last]
    return _Way(goal, last, since[-1], own)


def _state(wire: object) -> State | None:
    return None if wire is None else State.from_wire(wire)


def _without(before: State | None, after: State | None, now: State | None) -> State | None:
    """The state *now* but for the change from *before* to *after*."""
    if now is None:
        return before
    if after is None:  # it was to be deleted, but never was
        return now
    if before is None:
        _refuse_changed(after, now)
        return None
    if is_same(now, after):
        return before
    merged = _merged(before, after, now)
    check_size(merged)
    return merged


def _merged(before: State, after: State, now: State) -> State:
    """*before* with what others changed since *after*, pair by pair as it was written where they changed nothing."""
    found = merge(after.table, before.table, now.table)
    names = after.name, before.name, now.name
    if len(found.conflicts) or len(set(names)) == len(names):
        _refuse_conflicts(found.conflicts, names)
    name = now.name if before.name == after.name else before.name
    touched = set(diff(before.table, found.table).counts())
    written = State.of(name, to_dictionaries(within(found.table, touched)))
    same = {pair: each for pair, each in before.dictionaries.items() if pair not in touched}
    return State(name, {**same, **written.dictionaries})


def _refuse_conflicts(conflicts: pd.DataFrame, names: tuple[str, str, str]) -> NoReturn:
    terms = plural(len(conflicts), "term") if len(conflicts) else ""
    if len(set(names)) == len(names):
        cells = dict(zip(NAMES, names, strict=True))
        row = pd.DataFrame({column: text_array([cells.get(column)]) for column in conflicts.columns})
        conflicts = pd.concat([row, conflicts], ignore_index=True) if len(conflicts) else row
        terms = f"the name and {terms}" if terms else "the name"
    said = "base: what the change from here left; mine: what undo brings back; theirs: what is there now"
    raise InvalidRows(
        f"Others have changed {terms} of the glossary {called(names[2])} since, which undo would overwrite. Nothing "
        f"was changed. See .findings of this error ({said}); undo(..., force=True) overwrites them",
        findings=Report(conflicts, f"{said}. Next: svc_nb.glossaries.undo(..., force=True) overwrites them."),
    )


def _refuse_changed(after: State, now: State) -> None:
    """Refuse to delete what others have worked on since it was created."""
    if is_same(after, now):
        return
    found = diff(after.table, now.table)
    what = plural(len(found), "term") if len(found) else "the name"
    raise InvalidRows(
        f"The glossary {called(now.name)} was created from here, but others have changed {what} of it since, and undo "
        "would delete it. Nothing was changed. See .findings of this error; undo(..., force=True) deletes it all the "
        "same",
        findings=found,
    )


# ---- doing it


def _go(
    client: Client,
    change: Change,
    backups: Backups,
    *,
    way: _Way,
    found_id: str | None,
    known: Sequence[MultilingualGlossary],
) -> str | None:
    if not change.is_none:
        return keep_and_do(client, change, backups, known=known, goal=way.goal)
    if way.last.action == "delete" and found_id:  # what is still there was not deleted
        backups.drop(way.last)
    elif not way.last.finished:
        _finish(backups, way.last, found_id)
    return found_id


def keep_and_do(
    client: Client,
    change: Change,
    backups: Backups,
    *,
    known: Sequence[MultilingualGlossary] = (),
    goal: Backup | None = None,
    progress: Progress | None = None,
) -> str | None:
    """Keep a backup, do *change*, and return the glossary's id."""
    kept = _kept(backups, change, goal)
    done = 0

    def count(number: int, of: int) -> None:
        nonlocal done
        done = number
        if progress:
            progress(number, of)

    try:
        found_id = perform(client, change, known=known, progress=count)
    except SvcError as error:
        if was_refused(error) and not done:  # nothing was changed that could be undone
            backups.drop(kept)
        raise
    _finish(backups, kept, found_id)
    return found_id


def _kept(backups: Backups, change: Change, goal: Backup | None) -> Backup:
    return backups.put(
        change.action,
        change.glossary_id or "",
        name=change.now.name if change.now else change.name,
        state=change.now.to_wire() if change.now else None,
        after=change.wanted.to_wire() if change.wanted else None,
        new_name=change.name,
        first=_first(backups, change, goal),
        goal=goal.backup if goal else None,
    )


def _finish(backups: Backups, kept: Backup, glossary_id: str | None) -> None:
    """Note in the backup of a change that all of it was done, and which id the glossary has now."""
    if glossary_id is None:  # what was to be created never was
        backups.drop(kept)
        return
    backups.replace(kept, finished=True, thing_id=glossary_id)
    older = backups.newest(kept.thing_id) if kept.thing_id not in ("", glossary_id) else None
    if older and older.thing_id == kept.thing_id:
        backups.replace(older, became=glossary_id)


# ---- which change


def _last(backups: Backups, glossary_id: str | None) -> Backup:
    found = backups.newest() if glossary_id is None else backups.thing(glossary_id)
    if found is not None:
        return found
    others = (
        f". {plural(backups.others(), 'backup')} of other services cannot be used" if backups.others() else ""
    )
    if glossary_id is not None:
        raise ValueError(f"{nothing_in(glossary_id, backups.origin)}{others}")
    if backups.history().empty:
        raise ValueError(
            f"there is nothing to undo: {backups.folder} has no backup of this service ({backups.origin}){others}. "
            "Only changes that were made from here can be undone"
        )
    raise ValueError(
        "there is nothing to undo: no glossary was changed from this kernel. svc_nb.glossaries.history() lists what "
        "was changed from others, and undo(glossary_id) takes the last change of one back"
    )


def _goal(backups: Backups, last: Backup) -> Backup:
    """The backup to go back to: of an undo that broke off, the same as then; of pushes that did, that of the first."""
    name = last.goal if last.goal and not last.finished else last.first
    return last if name is None or not backups.has(name) else backups.get(name)


def _first(backups: Backups, change: Change, goal: Backup | None) -> str | None:
    """The name of the backup at which a change began that broke off and is now gone on with."""
    last = backups.newest(change.glossary_id) if change.glossary_id else None
    if last is None or last.finished:
        return None
    goes_on = last.goal == goal.backup if goal else last.goal is None and _is_same_push(last, change)
    return last.first or last.backup if goes_on else None


def _is_same_push(last: Backup, change: Change) -> bool:
    """Whether *change* goes to where the last one was going, from where that broke off."""
    before, after, now, wanted = _state(last.state), _state(last.after), change.now, change.wanted
    if before is None or after is None or now is None or wanted is None:
        return False
    return is_same(after, wanted) and is_between(now, before, after)


def _is_broken_off(latest: Backup) -> bool:
    """Whether a glossary was being made anew when the undo broke off."""
    return latest.action == "create" and latest.goal is not None and not latest.finished


def _still_there(known: Sequence[MultilingualGlossary], latest: Backup, wanted: State | None) -> str | None:
    """The id of the glossary that a backup is of, if it exists."""
    if _is_broken_off(latest) and wanted is not None:
        return next((each.glossary_id for each in known if is_like(each, wanted)), None)
    if not latest.thing_id:  # its creation broke off, and there was none of its name before
        return named(known, latest.name)
    return next((each.glossary_id for each in known if each.glossary_id == latest.thing_id), None)


def _refuse_gone(goal: Backup) -> NoReturn:
    raise NotFound(
        f"The glossary {called(goal.name)} ({goal.thing_id}) is gone: somebody else deleted it. "
        f"svc_nb.glossaries.undo({goal.thing_id!r}, recreate=True) makes it again from the backup, under a new id"
    )


def _undone(change: Change, glossary_id: str | None, way: _Way, *, done: bool) -> str:
    goal, kept = way.goal, _kept_of_others(change, way)
    if change.is_none:
        return (
            f"Nothing to undo: the glossary {called(goal.name)} is as it was before {goal.made:%Y-%m-%d %H:%M} UTC. "
            f"{kept} Next: svc_nb.glossaries.history() shows older backups, for undo(backup=...)."
        ).replace("  ", " ")
    said = told(change, glossary_id, done=done, left=kept, call="undo")
    if not done:
        return said
    return f"Undone, under a new id. {said}" if change.action == "create" else f"Undone. {said}"


def _kept_of_others(change: Change, way: _Way) -> str:
    """That what others changed since was kept."""
    if way.state is None or change.wanted is None:
        return ""
    count = len(diff(way.state.table, change.wanted.table))
    renamed = ["the name"] if way.state.name != change.wanted.name else []
    terms = [plural(count, "term")] if count else []
    if not (renamed or terms):
        return ""
    return f"What others changed since was kept: {' and '.join(renamed + terms)}."
