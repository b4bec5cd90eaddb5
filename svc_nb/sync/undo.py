"""Undo: reverts changes that were made from here, and nothing else.

The states before and after a change are merged with the current one, so that later changes of others are kept; a
conflict is an error. An interrupted change is known by its backup, which is not noted as done: an undo that is run
again continues to its goal, and a push that was run again is undone to the state before its first attempt.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, NoReturn, Self

import pandas as pd

from svc_nb.errors import InvalidRows, NotFound
from svc_nb.sync.backups import Backup, Backups
from svc_nb.sync.changes import Change, Push, finish, keep_and_do, told
from svc_nb.sync.resources import S, Synced
from svc_nb.tabular.report import Report, plural
from svc_nb.tabular.text_column import text_array
from svc_nb.wire.client import Client

SIDES = "base: the state after the change from here; mine: the state that undo restores; theirs: the state now"


def undo(
    noun: Synced[S],
    client: Client,
    given: str | None = None,
    *,
    backup: str | None = None,
    recreate: bool = False,
    replace: bool = False,
    dry_run: bool = False,
    backups: Backups,
) -> Push:
    """Undo the last change from here, or all since *backup*; see svc_nb.glossaries.undo."""
    way = _Way.found(noun, backups, given, backup)
    made = None
    with noun.explained():
        known = noun.kind.all(client)
        there = way.still_there(known)
        found_id, now = (None, None) if there is None else noun.read(client, there)
        if now is None and way.state is not None:
            if not (recreate or way.last.action == "delete" or way.is_broken_off):
                raise NotFound(way.gone())
            noun.check(way.state, known)
        wanted = way.state if replace else way.taken_back(now)
        change = Change(noun, found_id or way.latest.thing_id or None, now, wanted)
        if not dry_run and not change.is_none:
            made = keep_and_do(client, change, backups, known=known, goal=way.goal)
            found_id = made.thing_id
        elif not dry_run:
            last = way.last
            if last.action == "delete" or (found_id is None and not last.finished):  # never deleted, or never created
                backups.drop(last)
            elif found_id is not None and not last.finished:  # nothing is left to undo
                finish(backups, last, found_id)
    said = _said(change, found_id, way, done=not dry_run)
    return Push(change, found_id, said, made=made, done=not dry_run)


@dataclass(frozen=True)
class _Way(Generic[S]):
    """What is undone: the changes of `backups`, from `goal`, whose state is wanted, to `last`.

    `latest` is the last backup of the thing and has its current id; if it is later than `last`, another kernel made it.
    """

    noun: Synced[S]
    goal: Backup
    last: Backup
    latest: Backup
    backups: Sequence[Backup]

    @classmethod
    def found(cls, noun: Synced[S], backups: Backups, given: str | None, backup: str | None) -> Self:
        """What to undo for the *given* thing, or since a *backup*; ValueError if there is nothing."""
        if backup is not None:
            goal = backups.get(backup)
            since = backups.since(goal)
            return cls(noun, goal, since[-1], since[-1], since)
        last = backups.newest() if given is None else backups.thing(given)
        if last is None:
            raise ValueError(_nothing(noun, backups, given))
        # The same goal as before for an interrupted undo; for interrupted pushes, that of the first.
        name = last.goal if last.goal and not last.finished else last.first
        goal = last if name is None or not backups.has(name) else backups.get(name)
        since = backups.since(goal)
        own = [each for each in since if each.backup <= last.backup] or [last]
        return cls(noun, goal, last, since[-1], own)

    @property
    def state(self) -> S | None:
        """The state to go back to if no one else has changed anything."""
        return self.state_of(self.goal.state)

    @property
    def is_broken_off(self) -> bool:
        """Whether the thing was being recreated when an undo was interrupted."""
        return self.latest.action == "create" and self.latest.goal is not None and not self.latest.finished

    def still_there(self, known: Sequence[Any]) -> str | None:
        """The id of the thing among those *known*, if it exists."""
        id_of, latest = self.noun.kind.id_in, self.latest
        if self.is_broken_off and self.state is not None:
            return next((id_of(each) for each in known if self.noun.is_like(each, self.state)), None)
        if not latest.thing_id:  # its creation was interrupted, and there was no thing of that name before
            return self.noun.kind.named(latest.name, [(id_of(each), each.name) for each in known])
        return next((id_of(each) for each in known if id_of(each) == latest.thing_id), None)

    def gone(self) -> str:
        """The error that someone else deleted the thing, with the next step."""
        noun, goal = self.noun, self.goal
        subject, them = noun.named(goal.name, goal.thing_id), noun.verb("it", "them")
        return (
            f"{subject[0].upper()}{subject[1:]} no longer {noun.verb('exists', 'exist')}: someone else deleted {them}. "
            f"svc_nb.{noun.kind.room}.undo({goal.thing_id!r}, recreate=True) recreates {them} from the backup under a "
            "new id"
        )

    def taken_back(self, now: S | None) -> S | None:
        """The state *now* without the changes from here; InvalidRows if others changed the same."""
        changes: list[tuple[S | None, S | None]] = []
        for each in self.backups:  # a recreated thing counts as changed
            before = changes.pop()[0] if each.state is None and changes else self.state_of(each.state)
            changes.append((before, None if each.action == "delete" else self.state_of(each.after)))
        for before, after in reversed(changes):
            now = self.without(before, after, now)
        return now

    def without(self, before: S | None, after: S | None, now: S | None) -> S | None:
        """The state *now* without the change from *before* to *after*."""
        noun = self.noun
        if now is None:
            return before
        if after is None:  # it should have been deleted, but was not
            return now
        if before is None:
            if noun.is_same(after, now):
                return None
            found, it = noun.difference(after, now), noun.verb("it", "them")
            subject, what = noun.named(now.name), _what(noun, len(found), renamed=not len(found))
            raise InvalidRows(
                f"{subject[0].upper()}{subject[1:]} {noun.verb('was', 'were')} created from here, but others have "
                f"changed {what} of {it} since, and undo would delete {it}. Nothing was changed. See .findings of this "
                f"error; undo(..., replace=True) deletes {it} anyway",
                findings=found,
            )
        if noun.is_same(now, after):
            return before
        merged, conflicts = noun.merged(after, before, now)
        names = after.name, before.name, now.name
        if len(conflicts) or len(set(names)) == len(names):
            _refuse_conflicts(noun, names, conflicts)
        noun.check(merged)
        return merged

    def state_of(self, wire: Any) -> S | None:
        return None if wire is None else self.noun.state(wire)


def _nothing(noun: Synced[Any], backups: Backups, given: str | None) -> str:
    others = f". {plural(backups.others(), 'backup')} for other services cannot be used" if backups.others() else ""
    if given is not None:
        return f"{backups.nothing_in(given)}{others}"
    if backups.history().empty:
        return (
            f"there is nothing to undo: {backups.folder} has no backup for this service ({backups.origin}){others}. "
            "Only changes made from here can be undone"
        )
    return (
        f"there is nothing to undo: no {noun.kind.one} was changed from this kernel. svc_nb.{noun.kind.room}.history() "
        f"lists the changes from other kernels, and undo({noun.kind.id_name}) undoes the last change of one"
    )


def _refuse_conflicts(noun: Synced[Any], names: tuple[str | None, ...], conflicts: pd.DataFrame) -> NoReturn:
    """Refuse to replace what others have changed too; *names* are the thing's names on all three sides."""
    renamed = len(set(names)) == len(names)
    what = _what(noun, len(conflicts), renamed=renamed)
    if renamed:
        cells = dict(zip(("base", "mine", "theirs"), names, strict=True))
        row = pd.DataFrame({column: text_array([cells.get(column)]) for column in conflicts.columns})
        conflicts = pd.concat([row, conflicts], ignore_index=True) if len(conflicts) else row
    raise InvalidRows(
        f"Others have changed {what} of {noun.named(names[-1])} since, which undo would overwrite. Nothing was "
        f"changed. See .findings of this error ({SIDES}); undo(..., replace=True) overwrites them",
        findings=Report(conflicts, f"{SIDES}. Next: svc_nb.{noun.kind.room}.undo(..., replace=True) overwrites them."),
    )


def _what(noun: Synced[Any], count: int, *, renamed: bool) -> str:
    return " and ".join(["the name"] * renamed + [plural(count, noun.unit)] * bool(count))


def _said(change: Change[S], thing_id: str | None, way: _Way[S], *, done: bool) -> str:
    noun, goal, others = change.noun, way.goal, ""
    if way.state is not None and change.wanted is not None:
        count = len(noun.difference(way.state, change.wanted))
        if what := _what(noun, count, renamed=way.state.name != change.wanted.name):
            others = f"Later changes by others were kept: {what}."
    if change.is_none:
        said = (
            f"Nothing to undo: {noun.named(goal.name)} {noun.verb('is', 'are')} already as before",
            f"{goal.made:%Y-%m-%d %H:%M} UTC.",
            others,
            f"Next: svc_nb.{noun.kind.room}.history() lists older backups for undo(backup=...).",
        )
        return " ".join(filter(None, said))
    told_ = told(change, thing_id, done=done, left=others, call="undo")
    if not done:
        return told_
    return f"Undone, under a new id. {told_}" if change.action == "create" else f"Undone. {told_}"
