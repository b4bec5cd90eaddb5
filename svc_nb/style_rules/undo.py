"""Style rule lists deleted, and the last change to one taken back, as long as nobody else has changed it since."""

from __future__ import annotations

from svc_nb.errors import ApiError, InvalidRows, NotFound, ServerError
from svc_nb.language_codes import normal
from svc_nb.style_rules.backups import Copies, Copy
from svc_nb.style_rules.diff import diff
from svc_nb.style_rules.push import Push, push
from svc_nb.style_rules.steps import deletion
from svc_nb.style_rules.style import Style
from svc_nb.style_rules.sync import pull
from svc_nb.style_rules.tables import quoted
from svc_nb.wire.client import Client


def delete(client: Client, style_id: str, *, backups: Copies, dry_run: bool = False) -> Push:
    """Delete a list, by its id or its name; a copy of it is kept first."""
    style = pull(client, style_id)
    step = deletion(style)
    if dry_run:
        said = (
            f"Dry run: the list {quoted(style.name or '')} would be deleted. Next: the same without dry_run"
        )
        return Push([step], said, before=style, done=False)
    copy = backups.keep(style, "delete")
    try:
        step.send(client)
    except NotFound:  # it was there a moment ago: an answer was lost and the request sent again
        pass
    except ApiError as problem:
        if not isinstance(problem, ServerError):  # surely not deleted: there is nothing to undo
            copy.unlink(missing_ok=True)
        raise
    back = f"svc_nb.style_rules.undo({style.style_id!r}) makes it again, under a new id"
    said = f"Deleted: the list {quoted(style.name or '')} ({style.style_id}). Next: {back}"
    return Push([step], said, before=style, backup=copy, done=True)


def undo(
    client: Client,
    style_id: str | None = None,
    *,
    force: bool = False,
    dry_run: bool = False,
    backups: Copies,
) -> Push:
    """Take the last change from here back; see svc_nb.style_rules.undo."""
    copy = backups.last(style_id)
    if copy.action == "delete":
        found = _again(client, copy, dry_run=dry_run, backups=backups)
    else:
        now = _there(client, copy)
        if not force:
            _refuse_changed(copy, now)
        found = _back(client, copy, dry_run=dry_run, backups=backups)
    if len(found) and not dry_run:
        found.said = f"Undone. {found.said}"
    return found


def _again(client: Client, copy: Copy, *, dry_run: bool, backups: Copies) -> Push:
    """Make a deleted list again, unless it was to be deleted but never was."""
    for each in client.style_rules.iterate(detailed=True):
        if each.style_id == copy.style.style_id:
            if not dry_run:
                copy.path.unlink(missing_ok=True)
            said = (
                f"Nothing to undo: the list {quoted(each.name)} was not deleted. Next: undo the change before"
            )
            return Push([], said, before=Style.from_noun(each), after=Style.from_noun(each))
        _refuse_double(copy.style, Style.from_noun(each))
    wanted = copy.style.replace(style_id=None, version=None)
    return push(client, wanted, dry_run=dry_run, allow_unknown=True, backups=backups.going_on(copy))


def _back(client: Client, copy: Copy, *, dry_run: bool, backups: Copies) -> Push:
    if copy.action == "create":
        return delete(client, copy.style.style_id or "", backups=backups.going_on(copy), dry_run=dry_run)
    older = copy.style.replace(version=None)  # than what is there, as is meant: so it is not told
    return push(client, older, dry_run=dry_run, allow_unknown=True, backups=backups)


def _there(client: Client, copy: Copy) -> Style:
    """The list that a copy is of, as it is now."""
    try:
        return Style.from_noun(client.style_rules.get(copy.style.style_id or ""))
    except NotFound:
        again = f"svc_nb.style_rules.push(svc_nb.style_rules.read({str(copy.path)!r}).replace(style_id=None))"
        raise NotFound(
            f"The list {quoted(copy.style.name or '')} ({copy.style.style_id}) is gone: somebody else deleted it. "
            f"{again} makes it again, under a new id",
            status=404,
        ) from None


def _refuse_changed(copy: Copy, now: Style) -> None:
    """Refuse to take back what others have worked on since; of a change that broke off it is not known."""
    found = diff(copy.after, now) if copy.after else ()
    if not len(found):
        return
    what = "would delete it" if copy.action == "create" else "would overwrite that"
    raise InvalidRows(
        f"The list {quoted(now.name or '')} was changed by others since it was changed from here, and undo {what}. "
        "Nothing was sent. See .findings of this error for what they changed; undo(..., force=True) does it all the "
        "same",
        findings=found,
    )


def _refuse_double(style: Style, other: Style) -> None:
    """Refuse to make a list again where another has taken its name: lists are found by name and language."""
    languages = {normal(each.language or "") for each in (style, other)}
    if other.name == style.name and len(languages) == 1 and len(diff(style.replace(style_id=None), other)):
        raise ValueError(
            f"there is another list {quoted(style.name or '')} for {style.language} by now ({other.style_id}), so the "
            "deleted one is not made again. Rename that one first, then undo again"
        )
