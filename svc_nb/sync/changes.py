"""Changes of things on the service: planned as steps, backed up, carried out one after another, and reported.

After an interruption, run the same change again: it is planned again from the current state, which does only the rest.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, NamedTuple

import numpy as np
import pandas as pd

from svc_nb.errors import ApiError, BadReply, NotFound, ServerError, SvcError
from svc_nb.sync.backups import Action, Backup, Backups
from svc_nb.sync.resources import S, Synced
from svc_nb.tabular.report import Report, plural
from svc_nb.wire.client import Client


@dataclass(frozen=True)
class Change(Generic[S]):
    """The change of a thing from the state *now* to the one *wanted*; None means that there is no thing."""

    noun: Synced[S]
    thing_id: str | None
    now: S | None
    wanted: S | None

    @property
    def action(self) -> Action:
        """What is done to the thing as a whole."""
        return "create" if self.now is None else "delete" if self.wanted is None else "change"

    @property
    def name(self) -> str:
        """The name of the thing after the change."""
        state = self.wanted or self.now
        return (state.name if state else None) or ""

    @cached_property
    def steps(self) -> Sequence[Any]:
        """All steps, in order, including parts that are left alone."""
        return self.noun.steps(self.now, self.wanted)

    @property
    def left(self) -> list[Any]:
        """The steps that change something."""
        return [step for step in self.steps if step.step != "nothing"]

    @property
    def is_none(self) -> bool:
        """Whether there is nothing to do."""
        return not self.left if self.action == "change" else self.now is None and self.wanted is None


class Done(NamedTuple, Generic[S]):
    """The result of a change: the thing's id, its state now, and the file of the backup."""

    thing_id: str
    after: S | None
    path: Path


class Push(Report):
    """The steps that were, or would be, done on the service; its id is None if there is no such thing.

    `before` and `after` are the states before and after the change, and `backup` is the file kept for an undo.
    """

    _metadata = [*Report._metadata, "after", "backup", "before", "glossary_id", "spoken_terms_id", "style_id"]
    before: Any
    after: Any
    backup: Path | None
    glossary_id: str | None
    spoken_terms_id: str | None
    style_id: str | None

    def __init__(
        self, change: Change[Any], thing_id: str | None, said: str, *, made: Done[Any] | None = None, done: bool = True
    ) -> None:
        columns = change.noun.table(change.steps)
        columns["done"] = np.array([done or step.step == "nothing" for step in change.steps], np.bool_)
        super().__init__(pd.DataFrame(columns), said)
        after = made.after if made else change.wanted
        members = {"before": change.now, "after": after if done else None, "backup": made and made.path}
        for name, value in {**members, change.noun.kind.id_name: thing_id}.items():
            object.__setattr__(self, name, value)


# ---- carrying it out


def keep_and_do(
    client: Client,
    change: Change[S],
    backups: Backups,
    *,
    known: Sequence[Any] = (),
    goal: Backup | None = None,
) -> Done[S]:
    """Keep a backup, carry out *change*, and return the result; *known* are the things that existed before."""
    noun = change.noun
    kept = backups.put(
        change.action,
        change.thing_id or "",
        name=(change.now.name if change.now else None) or change.name,
        state=noun.to_wire(change.now) if change.now else None,
        after=noun.to_wire(change.wanted) if change.wanted else None,
        new_name=change.name,
        first=_first(backups, change, goal),
        goal=goal.backup if goal else None,
    )
    done: list[Any] = []
    try:
        with nullcontext(client) if noun.repeats else _tried_once(client) as sender:
            found_id = _perform(client, sender, change, known, done)
    except SvcError as error:
        if was_refused(error) and not done:  # nothing was changed, so there is nothing to undo
            backups.drop(kept)
        raise
    after = change.wanted
    if noun.reads_back and after:
        after = noun.read(client, found_id)[1]
        kept = backups.replace(kept, after=noun.to_wire(after))
    return Done(found_id, after, backups.path(finish(backups, kept, found_id)))


@contextmanager
def _tried_once(client: Client) -> Iterator[Client]:
    """The same service without retries: after a failure, svc_nb first has to check whether the request took effect."""
    transport = client.transport
    once = type(transport)(replace(transport.settings, tries=1), sleep=transport.sleep)
    try:
        yield Client(once)
    finally:
        once.close()


def finish(backups: Backups, kept: Backup, thing_id: str) -> Backup:
    """Note in the backup of a change that it was completed, and which id the thing has now."""
    finished = backups.replace(kept, finished=True, thing_id=thing_id)
    older = backups.newest(kept.thing_id) if kept.thing_id not in ("", thing_id) else None
    if older and older.thing_id == kept.thing_id:
        backups.replace(older, became=thing_id)
    return finished


def _first(backups: Backups, change: Change[S], goal: Backup | None) -> str | None:
    """The name of the backup at which an interrupted change began that is now continued."""
    last = backups.newest(change.thing_id) if change.thing_id else None
    if last is None or last.finished:
        return None
    if goal:
        goes_on = last.goal == goal.backup
    elif last.goal is None and last.state and last.after and change.now and change.wanted:
        # The same push: it has the same goal as the last one, and starts where that one was interrupted.
        noun, before, after = change.noun, change.noun.state(last.state), change.noun.state(last.after)
        goes_on = noun.is_same(after, change.wanted) and noun.is_between(change.now, before, after)
    else:
        goes_on = False
    return last.first or last.backup if goes_on else None


def _perform(client: Client, sender: Client, change: Change[S], known: Sequence[Any], done: list[Any]) -> str:
    """Carry out *change* with *sender*, note the steps *done*, and return the thing's id; *client* reads the state."""
    noun, wanted, thing_id = change.noun, change.wanted, change.thing_id or ""
    if wanted is None:
        with suppress(NotFound):  # it existed a moment ago: a response was lost and the request was sent again
            noun.kind.delete(sender, thing_id)
        return thing_id
    if change.now is None:
        return _created(client, sender, noun, wanted, {noun.kind.id_in(each) for each in known})
    steps, tried = change.left, 0
    while steps:
        try:
            noun.do(sender, thing_id, steps[0], wanted)
        except SvcError as error:
            tried += 1
            if noun.repeats or not _waited(client, error, tried):
                every = plural(len(done) + len(steps), "step")
                error.add_note(f"{len(done)} of {every} done. Run it again to do the rest.")
                raise
            # It may be done although its response was lost.
            steps = Change(noun, thing_id, noun.read(client, thing_id)[1], wanted).left
        else:
            done.append(steps[0])
            steps, tried = steps[1:], 0
    return thing_id


def _created(client: Client, sender: Client, noun: Synced[S], wanted: S, before: set[str]) -> str:
    """The id of the new thing; after a lost response it is looked up before it is created again."""
    tried = 0
    while True:
        try:
            return noun.create(sender, wanted)
        except SvcError as error:
            tried += 1
            if not was_refused(error) and (error.retryable or isinstance(error, BadReply)):
                for each in noun.kind.all(client):
                    if noun.kind.id_in(each) not in before and noun.is_like(each, wanted):
                        return noun.kind.id_in(each)
            if not _waited(client, error, tried):
                raise


def _waited(client: Client, error: SvcError, tried: int) -> bool:
    """Wait before the next attempt; False if another attempt cannot help."""
    transport = client.transport
    if tried >= transport.settings.tries or not transport.is_worth_retrying(error):
        return False
    transport.sleep(transport.wait_after(error, tried))
    return True


def was_refused(error: BaseException) -> bool:
    """Whether the service certainly did not carry out the request."""
    return isinstance(error, ApiError) and not isinstance(error, ServerError)


def send(
    client: Client,
    change: Change[S],
    backups: Backups,
    *,
    known: Sequence[Any] = (),
    dry_run: bool = False,
    left: str = "",
) -> Push:
    """Carry out *change* unless it is empty or a dry run, and report it; *left* says what was left alone."""
    made = None
    if not dry_run and not change.is_none:
        made = keep_and_do(client, change, backups, known=known)
    found_id = made.thing_id if made else change.thing_id
    said = told(change, found_id, done=not dry_run, left=left)
    return Push(change, found_id, said, made=made, done=not dry_run)


def delete(noun: Synced[S], client: Client, given: str, *, backups: Backups) -> Push:
    """Delete a thing by its id or its name; a backup is kept."""
    with noun.explained():
        return send(client, Change(noun, *noun.read(client, given), None), backups)


# ---- words


def told(change: Change[Any], thing_id: str | None, *, done: bool = True, left: str = "", call: str = "push") -> str:
    """What *call* did or would do, and what to do next; *left* says what was left alone."""
    noun, also = change.noun, f" {left}" if left else ""
    subject = noun.named(change.name, thing_id)
    if change.is_none:
        return f"Nothing to do: {subject} already {noun.verb('is', 'are')} as requested.{also}"
    what = noun.told(change)
    if not done:
        return f"Dry run, nothing was sent: {subject} would be {what}.{also} Next: run the same {call} without dry_run."
    back = f"svc_nb.{noun.kind.room}.undo({thing_id!r})"
    if change.action == "delete":
        then = f"{back} recreates {noun.verb('it', 'them')} under a new id"
    else:
        then = "; ".join(filter(None, [noun.use(thing_id or ""), f"{back} undoes this"]))
    return f"{subject[0].upper()}{subject[1:]} {noun.verb('was', 'were')} {what}.{also} Next: {then}."
