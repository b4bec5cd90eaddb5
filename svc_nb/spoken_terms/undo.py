"""Changes to spoken terms kept and done, and the last one taken back, as long as nobody else has been at it since."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from svc_nb.errors import InvalidRows, NotFound, SvcError
from svc_nb.spoken_terms.backups import HISTORY, SpokenTermsBackups
from svc_nb.spoken_terms.diff import Diff, differences
from svc_nb.spoken_terms.state import State, explained, is_between, is_like, read
from svc_nb.spoken_terms.steps import Change, Push, perform, told
from svc_nb.sync.backups import Backup
from svc_nb.sync.creation import was_refused
from svc_nb.sync.kinds import called
from svc_nb.wire.client import Client
from svc_nb.wire.models import SpokenTerms


def keep_and_do(
    client: Client, change: Change, backups: SpokenTermsBackups, *, known: Sequence[SpokenTerms] = ()
) -> str:
    """Keep a backup, do *change*, and return the collection's id."""
    kept = backups.put(
        change.action,
        change.spoken_terms_id or "",
        name=change.now.name if change.now else change.name,
        state=_before(backups, change),
        after=change.wanted.to_wire() if change.wanted else None,
        new_name=change.name,
    )
    done = 0

    def count(number: int, of: int) -> None:
        nonlocal done
        done = number

    try:
        found_id = perform(client, change, known=known, progress=count)
    except SvcError as error:
        if was_refused(error) and not done:  # nothing was changed that could be undone
            backups.drop(kept)
        raise
    backups.replace(kept, finished=True, thing_id=found_id)
    if kept.thing_id not in ("", found_id) and (older := backups.newest(kept.thing_id)):
        backups.replace(older, became=found_id)
    return found_id


def undo(
    client: Client,
    given: str | None = None,
    *,
    force: bool = False,
    dry_run: bool = False,
    backups: SpokenTermsBackups,
) -> Push:
    """Take the last change from here back; see svc_nb.spoken_terms.undo."""
    last = _last(backups, given)
    found_id, now = _there(client, last)
    if now is None and last.action == "change":
        raise _gone(last)
    if (now is None) != (last.action == "delete"):
        return _nothing(last, found_id, backups, dry_run=dry_run)
    if not force:
        _refuse_changed(last, now)
    change = Change(found_id, now, _state(last.state))
    if not dry_run and not change.is_none:
        with explained():
            known = client.spoken_terms.list() if change.action == "create" else []
            found_id = keep_and_do(client, change, backups, known=known)
    said = told(change, found_id, done=not dry_run)
    return Push(
        change.steps, said if dry_run else f"Undone. {said}", spoken_terms_id=found_id, done=not dry_run
    )


def _before(backups: SpokenTermsBackups, change: Change) -> Any:
    """The state to go back to: that before a push which broke off, where *change* is the same push run again."""
    if change.now is None:
        return None
    last = backups.newest(change.spoken_terms_id) if change.wanted else None
    goes_on = last is not None and not last.finished and last.action == "change"
    if last and goes_on and change.wanted and last.after == change.wanted.to_wire():
        before = State.from_wire(last.state)
        return last.state if is_between(change.now, before, change.wanted) else change.now.to_wire()
    return change.now.to_wire()


def _state(wire: Any) -> State | None:
    return None if wire is None else State.from_wire(wire)


def _last(backups: SpokenTermsBackups, given: str | None) -> Backup:
    found = backups.newest() if given is None else backups.thing(given)
    if found is not None:
        return found
    where = "from this kernel" if given is None else f"in {called(given)} from here"
    raise ValueError(f"there is nothing to undo: no spoken terms were changed {where}. {HISTORY}")


def _there(client: Client, last: Backup) -> tuple[str, State | None]:
    """The collection that a backup is of, as it is now; of a creation that broke off, the one that is like it."""
    thing_id = last.thing_id
    if not thing_id:
        wanted = State.from_wire(last.after)
        alike = (each.spoken_terms_id for each in client.spoken_terms.list() if is_like(each, wanted))
        thing_id = next(alike, "")
    try:
        return read(client, thing_id) if thing_id else ("", None)
    except NotFound:
        return thing_id, None


def _nothing(last: Backup, found_id: str, backups: SpokenTermsBackups, *, dry_run: bool) -> Push:
    """A deletion that was never done, or a creation of which nothing is left: only the backup goes."""
    if not dry_run:
        backups.drop(last)
    what = "were not deleted" if last.action == "delete" else "are not there"
    said = f"Nothing to undo: the spoken terms {called(last.name)} {what}. Next: undo again for the change before."
    return Push([], said, spoken_terms_id=found_id or None)


def _gone(last: Backup) -> NotFound:
    return NotFound(
        f"The spoken terms {called(last.name)} ({last.thing_id}) are gone: somebody else deleted them. "
        "svc_nb.spoken_terms.push(table, name) makes them anew",
        status=404,
    )


def _refuse_changed(last: Backup, now: State | None) -> None:
    """Refuse to take back what others have worked on since."""
    before, after = _state(last.state), _state(last.after)
    if now is None or after is None:
        return
    if now.is_same(after) or (before and not last.finished and is_between(now, before, after)):
        return
    raise InvalidRows(
        f"The spoken terms {called(now.name)} were changed by others since they were changed from here, and undo would "
        "lose that. Nothing was sent. See .findings of this error for what they changed; undo(..., force=True) does it "
        "all the same",
        findings=Diff(differences(after.lists, now.lists)),
    )
