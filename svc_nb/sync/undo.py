"""Changes taken back: what was changed from here, and nothing else.

The states before and after a change and the one now are merged, so that what others changed since is kept, and what
cannot be kept is an error. What broke off on the way is known by its backup, which is not noted as done: an undo that
is run again goes on to where it was going, and a push that was run again is undone to the state before its first try.
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

SIDES = "base: what the change from here left; mine: what undo brings back; theirs: what is there now"


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
    """Take back the last change from here, or all since *backup*; see svc_nb.glossaries.undo."""
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
            elif found_id is not None and not last.finished:  # nothing of it is left to do
                finish(backups, last, found_id)
    said = _said(change, found_id, way, done=not dry_run)
    return Push(change, found_id, said, made=made, done=not dry_run)


@dataclass(frozen=True)
class _Way(Generic[S]):
    """What is taken back: the changes of `backups`, from `goal`, whose state is wanted, to `last`.

    `latest` is the last backup of the thing, and tells its id now; later than `last` it is of another kernel.
    """

    noun: Synced[S]
    goal: Backup
    last: Backup
    latest: Backup
    backups: Sequence[Backup]

    @classmethod
    def found(cls, noun: Synced[S], backups: Backups, given: str | None, backup: str | None) -> Self:
        """What is to be taken back of a thing that is *given*, or since a *backup*; ValueError for nothing."""
        if backup is not None:
            goal = backups.get(backup)
            since = backups.since(goal)
            return cls(noun, goal, since[-1], since[-1], since)
        last = backups.newest() if given is None else backups.thing(given)
        if last is None:
            raise ValueError(_nothing(noun, backups, given))
        # Of an undo that broke off, the same as then; of pushes that did, that of the first.
        name = last.goal if last.goal and not last.finished else last.first
        goal = last if name is None or not backups.has(name) else backups.get(name)
        since = backups.since(goal)
        own = [each for each in since if each.backup <= last.backup] or [last]
        return cls(noun, goal, last, since[-1], own)

    @property
    def state(self) -> S | None:
        """The state to go back to, if nobody else had changed anything."""
        return self.state_of(self.goal.state)

    @property
    def is_broken_off(self) -> bool:
        """Whether the thing was being made anew when an undo broke off."""
        return self.latest.action == "create" and self.latest.goal is not None and not self.latest.finished

    def still_there(self, known: Sequence[Any]) -> str | None:
        """The id of the thing among those *known*, if it exists."""
        id_of, latest = self.noun.kind.id_in, self.latest
        if self.is_broken_off and self.state is not None:
            return next((id_of(each) for each in known if self.noun.is_like(each, self.state)), None)
        if not latest.thing_id:  # its creation broke off, and there was none of its name before
            return self.noun.kind.named(latest.name, [(id_of(each), each.name) for each in known])
        return next((id_of(each) for each in known if id_of(each) == latest.thing_id), None)

    def gone(self) -> str:
        """That somebody else deleted the thing, with the next step."""
        noun, goal = self.noun, self.goal
        subject, them = noun.named(goal.name, goal.thing_id), noun.verb("it", "them")
        return (
            f"{subject[0].upper()}{subject[1:]} {noun.verb('is', 'are')} gone: somebody else deleted {them}. "
            f"svc_nb.{noun.kind.room}.undo({goal.thing_id!r}, recreate=True) makes {them} again from the backup, "
            "under a new id"
        )

    def taken_back(self, now: S | None) -> S | None:
        """The state *now* without the changes from here; InvalidRows where others changed the same."""
        changes: list[tuple[S | None, S | None]] = []
        for each in self.backups:  # a thing that was made anew is one that was changed
            before = changes.pop()[0] if each.state is None and changes else self.state_of(each.state)
            changes.append((before, None if each.action == "delete" else self.state_of(each.after)))
        for before, after in reversed(changes):
            now = self.without(before, after, now)
        return now

    def without(self, before: S | None, after: S | None, now: S | None) -> S | None:
        """The state *now* but for the change from *before* to *after*."""
        noun = self.noun
        if now is None:
            return before
        if after is None:  # it was to be deleted, but never was
            return now
        if before is None:
            if noun.is_same(after, now):
                return None
            found, it = noun.difference(after, now), noun.verb("it", "them")
            subject, what = noun.named(now.name), _what(noun, len(found), renamed=not len(found))
            raise InvalidRows(
                f"{subject[0].upper()}{subject[1:]} {noun.verb('was', 'were')} created from here, but others have "
                f"changed {what} of {it} since, and undo would delete {it}. Nothing was changed. See .findings of this "
                f"error; undo(..., replace=True) deletes {it} all the same",
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
    others = f". {plural(backups.others(), 'backup')} of other services cannot be used" if backups.others() else ""
    if given is not None:
        return f"{backups.nothing_in(given)}{others}"
    if backups.history().empty:
        return (
            f"there is nothing to undo: {backups.folder} has no backup of this service ({backups.origin}){others}. "
            "Only changes that were made from here can be undone"
        )
    return (
        f"there is nothing to undo: no {noun.kind.one} was changed from this kernel. svc_nb.{noun.kind.room}.history() "
        f"lists what was changed from others, and undo({noun.kind.id_name}) takes the last change of one back"
    )


def _refuse_conflicts(noun: Synced[Any], names: tuple[str | None, ...], conflicts: pd.DataFrame) -> NoReturn:
    """Refuse to replace what others have changed too; *names* are the thing's on all three sides."""
    renamed = len(set(names)) == len(names)
    what = _what(noun, len(conflicts), renamed=renamed)
    if renamed:
        cells = dict(zip(("base", "mine", "theirs"), names, strict=True))
        row = pd.DataFrame({column: text_array([cells.get(column)]) for column in conflicts.columns})
        conflicts = pd.concat([row, conflicts], ignore_index=True) if len(conflicts) else row
    raise InvalidRows(
        f"Others have changed {what} of {noun.named(names[-1])} since, which undo would replace. Nothing was "
        f"changed. See .findings of this error ({SIDES}); undo(..., replace=True) replaces them",
        findings=Report(conflicts, f"{SIDES}. Next: svc_nb.{noun.kind.room}.undo(..., replace=True) replaces them."),
    )


def _what(noun: Synced[Any], count: int, *, renamed: bool) -> str:
    return " and ".join(["the name"] * renamed + [plural(count, noun.unit)] * bool(count))


def _said(change: Change[S], thing_id: str | None, way: _Way[S], *, done: bool) -> str:
    noun, goal, others = change.noun, way.goal, ""
    if way.state is not None and change.wanted is not None:
        count = len(noun.difference(way.state, change.wanted))
        if what := _what(noun, count, renamed=way.state.name != change.wanted.name):
            others = f"What others changed since was kept: {what}."
    if change.is_none:
        said = (
            f"Nothing to undo: {noun.named(goal.name)} {noun.verb('is as it was', 'are as they were')} before",
            f"{goal.made:%Y-%m-%d %H:%M} UTC.",
            others,
            f"Next: svc_nb.{noun.kind.room}.history() shows older backups, for undo(backup=...).",
        )
        return " ".join(filter(None, said))
    told_ = told(change, thing_id, done=done, left=others, call="undo")
    if not done:
        return told_
    return f"Undone, under a new id. {told_}" if change.action == "create" else f"Undone. {told_}"
