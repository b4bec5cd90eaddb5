"""Developer keys: list, create, rename and deactivate them, and set monthly caps from a table.

    table = svc_nb.keys.list()
    table.loc[table["label"] == "shop", "characters"] = 500_000     # 0 blocks, None means no cap
    svc_nb.keys.set_limits(table, dry_run=True)                     # says in words what would change
    svc_nb.keys.set_limits(table)
    svc_nb.keys.undo()                                              # and undo it

All functions need an administrator key: `admin_key=` of `svc_nb.connect`, or SVC_ADMIN_KEY.
"""

from __future__ import annotations

from hashlib import blake2b
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from svc_nb.errors import SvcError
from svc_nb.keys import changes as _changes
from svc_nb.keys.changes import ChangeLog, KeyChange, perform, renamed
from svc_nb.keys.table import find, from_keys, shown, summary
from svc_nb.secret import Secret
from svc_nb.session import Session, current
from svc_nb.sync.backups import Backups
from svc_nb.sync.changes import was_refused
from svc_nb.tabular.report import Report
from svc_nb.tracebacks import module_verbs
from svc_nb.wire.models import DeveloperKey

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["create", "deactivate", "history", "list", "rename", "set_limits", "undo"]

LONGEST_LABEL = 1024


class NewKey:
    """A key that was just created: `key` has its details, and `api_key` is the key itself, available only this once.

    It is never displayed; `api_key.reveal()` returns it as text. None if the service does not return it.
    """

    def __init__(self, key: DeveloperKey, *, namesakes: int = 0) -> None:
        self.key = key
        self.key_id = key.key_id
        self.label = key.label
        self.api_key: Secret | None = key.api_key
        when = f"{key.creation_time:%Y-%m-%d %H:%M} UTC"
        made = f"The key {shown(key.label)} was created: key_id {key.key_id}, {when}, no cap."
        also = " Other keys have the same label; reports distinguish them by the masked key." if namesakes else ""
        then = (
            "The service does not return the key itself. Copy it from the account's page of keys."
            if key.api_key is None
            else "The key itself is in .api_key, only this once: save it now. Next: .api_key.reveal() returns it for a "
            "vault or a config file, svc_nb.connect(api_key=new.api_key) uses it here."
        )
        self.said = f"{made}{also} {then}"

    def __repr__(self) -> str:
        return self.said

    def _repr_html_(self) -> str:
        return f"<p class='tex2jax_ignore mathjax_ignore'>{escape(self.said)}</p>"

    def __reduce__(self) -> str:
        raise TypeError("A new key cannot be pickled, because its secret would be written to disk.")


def list() -> Report:
    """All developer keys, including deactivated ones, one row each.

    `key_id, label, creation_time, deactivated_time, is_deactivated` and the monthly caps `characters` and
    `speech_to_text_milliseconds`, where a missing value means no cap and 0 blocks the key. A key may have no label.
    """
    keys = current().admin.keys()
    return Report(from_keys(keys), summary(keys))


def create(label: str | None = None) -> NewKey:
    """Create a developer key; without a label, the service chooses one.

    The key itself is in `api_key` of the result, only this once. It is never displayed; `api_key.reveal()` returns it.
    """
    admin = current().admin
    if label is not None:
        check_label(label)
    before = admin.keys()
    # Requested only once, because a lost response would leave a key that no one can use.
    try:
        made = admin.create_key(label, tries=1)
    except SvcError as error:
        if not was_refused(error):
            error.add_note(
                "It is not known whether the key was created. If svc_nb.keys.list() shows it, deactivate it, because "
                "no one has its secret, and create it again."
            )
        raise
    return NewKey(made, namesakes=sum(key.label == made.label and not key.is_deactivated for key in before))


def rename(key_id: str, label: str) -> Report:
    """Change the label of a key, named by its key_id or a unique label; `undo` undoes it."""
    session = current()
    check_label(label)
    key = find(session.admin.keys(), key_id)
    changes = [KeyChange(key.key_id, key.label, {"label": key.label}, {"label": label})]
    if key.label == label:
        return renamed([], f"Nothing to do: the key {shown(label)} ({key.key_id}) already has this label.")
    perform(session.admin, changes, log=log(session))
    said = f"The key {shown(key.label)} ({key.key_id}) is now called {shown(label)}."
    back = "Next: svc_nb.keys.undo() undoes this." if key.label else "This cannot be undone, because it had no label."
    return renamed(changes, f"{said} {back}")


def deactivate(key_id: str, *, sure: bool = False) -> Report:
    """Deactivate a key, named by its key_id or a unique label, immediately and permanently.

    Raises
    ------
    ValueError
        If *sure* is not True; the message says what would happen.
    """
    admin = current().admin
    key = find(admin.keys(), key_id)
    named = f"the key {shown(key.label)} ({key.key_id})"
    if key.is_deactivated:
        raise ValueError(f"{named} is already deactivated, since {key.deactivated_time:%Y-%m-%d %H:%M} UTC")
    if sure is not True:
        raise ValueError(
            f"this would deactivate {named} immediately and permanently: everything that uses it would be refused, and "
            f"no one could activate it again. Nothing was sent. svc_nb.keys.deactivate({key.key_id!r}, sure=True) does "
            "it; to block it temporarily, set its caps to 0 with svc_nb.keys.set_limits"
        )
    ended = admin.deactivate_key(key.key_id)
    said = f"{named[0].upper()}{named[1:]} is deactivated permanently. Next: svc_nb.keys.create(label) creates another."
    return Report(from_keys([ended]), said)


def set_limits(table: pd.DataFrame, *, dry_run: bool = False) -> Report:
    """Set monthly caps from a table: an edited copy of `list`, or any table with `key_id` and one or both caps.

    Only caps that differ from those on the service are sent. All rows are checked first; if one is invalid, nothing is
    sent. An error on the way says what was done.

    Parameters
    ----------
    table
        `key_id`, and `characters`, `speech_to_text_milliseconds` or both: whole numbers; 0 blocks, a missing value
        means no cap.
    dry_run
        Only say what would change.

    Returns
    -------
    Report
        A row for each cap that changes: `key_id, label, limit, change` in words, `before`, `after`, `done`.

    Raises
    ------
    InvalidRows
        Rows have negative or fractional caps, unknown or deactivated keys, or duplicates. A ValueError.
    """
    session = current()
    return _changes.set_limits(session.admin, table, dry_run=dry_run, log=log(session))


def undo(*, backup: str | None = None, skip: bool = False) -> Report:
    """Undo the last `set_limits` or `rename` from this kernel, then the one before.

    Parameters
    ----------
    backup
        Undo this change instead, even from a kernel that has ended; `history` lists them.
    skip
        Leave keys whose change cannot be undone as they are, and undo the others. The change then counts as undone,
        even if nothing could be undone: the next `undo` is about the one before.

    Returns
    -------
    Report
        A row for each cap or label that is as before; its line names the keys that were left as they are.

    Raises
    ------
    InvalidRows
        Someone has changed the same caps or label since, the key no longer exists or is deactivated, or it had no label
        before; *skip* was not set, so nothing was changed. A ValueError.
    """
    session = current()
    return _changes.undo(session.admin, log=log(session), backup=backup, skip=skip)


def history() -> Report:
    """The changes of caps and labels from here that were not undone, from all kernels, the newest first."""
    return log(current()).backups.history()


def check_label(label: str) -> None:
    """Refuse an invalid label."""
    if not isinstance(label, str):
        raise TypeError(f"label: expected text, found {type(label).__name__}")
    if not label.strip() or len(label) > LONGEST_LABEL:
        raise ValueError(f"label: expected 1 to {LONGEST_LABEL:,} characters, found {len(label.strip()):,}")


def log(session: Session) -> ChangeLog:
    """The changes made from here as this administrator; an embedded service may have the port of an earlier one."""
    administrator = session.settings.administrator
    who = blake2b(administrator.reveal().encode(), digest_size=6).hexdigest() if administrator else ""
    folder = Path(session.settings.backups_path, "keys")
    return ChangeLog(Backups(folder, origin=f"{session.origin} {who}", room="keys", id_name=""))


module_verbs(globals())
