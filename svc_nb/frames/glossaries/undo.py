"""Changes that can be taken back: the state before is kept first, then the change is done, then it is noted as done.

What broke off on the way is known by its backup, which is not noted as done: an undo that is run again goes on to where
it was going, and a push that was run again is undone to the state before its first attempt.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from svc_nb.client import Client
from svc_nb.errors import NotFound, SvcError
from svc_nb.frames.glossaries.backups import Backup, Backups
from svc_nb.frames.glossaries.state import State, called, check_room, explained, is_like, named, present
from svc_nb.frames.glossaries.steps import Change, Progress, Push, perform, told, was_refused
from svc_nb.frames.report import plural
from svc_nb.models import MultilingualGlossary


def undo(
    client: Client,
    glossary_id: str | None = None,
    *,
    backup: str | None = None,
    recreate: bool = False,
    backups: Backups,
) -> Push:
    """Bring back what was there before the last change from here, or what is in *backup*; see the surface's undo."""
    chosen = _last(backups, glossary_id) if backup is None else backups.get(backup)
    goal = _goal(backups, chosen) if backup is None else chosen
    latest = backups.newest(chosen.thing_id) or chosen
    wanted = None if goal.state is None else State.from_wire(goal.state)
    with explained():
        known = client.glossaries.list()
        found_id, now = present(client, _still_there(known, latest, wanted))
        if now is None and wanted is not None:
            if not (recreate or latest.action == "delete" or _is_broken_off(latest)):
                _refuse_gone(goal)
            check_room(known)
        change = Change(found_id or latest.thing_id or None, now, wanted)
        if not change.is_none:
            found_id = keep_and_do(client, change, backups, known=known, goal=goal)
        elif not latest.finished:
            _finish(backups, latest, found_id)
    return Push(change.steps, _undone(change, found_id, goal), glossary_id=found_id)


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
        first=_first(backups, change.glossary_id, goal),
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


def _last(backups: Backups, glossary_id: str | None) -> Backup:
    found = backups.newest(glossary_id)
    if found is None:
        where = f"the glossary {glossary_id!r}" if glossary_id else "this service"
        others = f"; {plural(backups.others(), 'backup')} of other services" if backups.others() else ""
        raise ValueError(
            f"there is nothing to undo: {backups.folder} has no backup of {where} ({backups.origin}){others}. "
            "Only changes that were made from here can be undone"
        )
    return found


def _goal(backups: Backups, last: Backup) -> Backup:
    """The backup to go back to: of an undo that broke off, the same as then; of pushes that did, that of the first."""
    name = last.goal if last.goal and not last.finished else last.first
    return last if name is None or not backups.has(name) else backups.get(name)


def _first(backups: Backups, glossary_id: str | None, goal: Backup | None) -> str | None:
    """The name of the backup at which a change began that broke off and is now gone on with."""
    last = backups.newest(glossary_id) if glossary_id else None
    if last is None or last.finished or (last.goal is None) != (goal is None):
        return None
    return last.first or last.backup


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


def _undone(change: Change, glossary_id: str | None, goal: Backup) -> str:
    if change.is_none:
        return (
            f"Nothing to undo: the glossary {called(goal.name)} is as it was before {goal.made:%Y-%m-%d %H:%M} UTC. "
            "Next: svc_nb.glossaries.history() shows older backups, for undo(backup=...)."
        )
    if change.action == "create":
        return f"Undone, under a new id. {told(change, glossary_id)}"
    return f"Undone. {told(change, glossary_id)}"
