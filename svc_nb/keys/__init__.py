"""Developer keys: a table of all, new ones, other labels, an end for good, and monthly caps set from a table.

    table = svc_nb.keys.list()
    table.loc[table["label"] == "shop", "characters"] = 500_000     # 0 blocks, None is no cap
    svc_nb.keys.set_limits(table, dry_run=True)                     # says in words what would change
    svc_nb.keys.set_limits(table)
    svc_nb.keys.undo()                                              # and back

All of it needs an administrator's key: `admin_key=` of `svc_nb.connect`, or SVC_ADMIN_KEY.
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
    """A key that was just made: `key` has its facts, and `api_key` is the key itself, told this once.

    It is never shown; `api_key.reveal()` gives it away. None where the service does not hand it out.
    """

    def __init__(self, key: DeveloperKey, *, namesakes: int = 0) -> None:
        self.key = key
        self.key_id = key.key_id
        self.label = key.label
        self.api_key: Secret | None = key.api_key
        when = f"{key.creation_time:%Y-%m-%d %H:%M} UTC"
        made = f"The key {shown(key.label)} was made: key_id {key.key_id}, {when}, no cap."
        also = " Others have the same label; the masked key tells them apart in reports." if namesakes else ""
        then = (
            "The service does not hand the key itself out: copy it from the account's page of keys."
            if key.api_key is None
            else "The key itself is in .api_key, this once: keep it now. Next: .api_key.reveal() gives it to a "
            "vault or a config file, svc_nb.connect(api_key=new.api_key) uses it here."
        )
        self.said = f"{made}{also} {then}"

    def __repr__(self) -> str:
        return self.said

    def _repr_html_(self) -> str:
        return f"<p class='tex2jax_ignore mathjax_ignore'>{escape(self.said)}</p>"

    def __reduce__(self) -> str:
        raise TypeError("A new key is not pickled: its secret would be written down.")


def list() -> Report:
    """All developer keys, the deactivated ones too, a row for each.

    `key_id, label, creation_time, deactivated_time, is_deactivated` and the monthly caps `characters` and
    `speech_to_text_milliseconds`, where missing is no cap and 0 blocks. A key may have no label.
    """
    keys = current().admin.keys()
    return Report(from_keys(keys), summary(keys))


def create(label: str | None = None) -> NewKey:
    """Make a developer key, with a label of the service's choice if none is given.

    The key itself is in `api_key` of what is returned, this once, and is never shown; `api_key.reveal()` gives it away.
    """
    admin = current().admin
    if label is not None:
        check_label(label)
    before = admin.keys()
    # Asked for once, because a lost answer would leave a key that nobody can use.
    try:
        made = admin.create_key(label, tries=1)
    except SvcError as error:
        if not was_refused(error):
            error.add_note(
                "Whether the key was made is not known. svc_nb.keys.list() shows it if it was: deactivate it then, for "
                "nobody has its secret, and create it again."
            )
        raise
    return NewKey(made, namesakes=sum(key.label == made.label and not key.is_deactivated for key in before))


def rename(key_id: str, label: str) -> Report:
    """Give a key, named by its key_id or by a label that only it has, another label; `undo` takes it back."""
    session = current()
    check_label(label)
    key = find(session.admin.keys(), key_id)
    changes = [KeyChange(key.key_id, key.label, {"label": key.label}, {"label": label})]
    if key.label == label:
        return renamed([], f"Nothing to do: the key {shown(label)} ({key.key_id}) has this label already.")
    perform(session.admin, changes, log=log(session))
    said = f"The key {shown(key.label)} ({key.key_id}) is called {shown(label)} now."
    back = "Next: svc_nb.keys.undo() takes this back." if key.label else "That it had no label cannot be given back."
    return renamed(changes, f"{said} {back}")


def deactivate(key_id: str, *, sure: bool = False) -> Report:
    """End a key, named by its key_id or by a label that only it has, at once and for good.

    Raises
    ------
    ValueError
        Unless *sure* is True; the text says what would happen.
    """
    admin = current().admin
    key = find(admin.keys(), key_id)
    named = f"the key {shown(key.label)} ({key.key_id})"
    if key.is_deactivated:
        raise ValueError(f"{named} is deactivated already, since {key.deactivated_time:%Y-%m-%d %H:%M} UTC")
    if sure is not True:
        raise ValueError(
            f"this would deactivate {named} at once and for good: whatever uses it is refused from then on, and nobody "
            f"can activate it again. Nothing was sent. svc_nb.keys.deactivate({key.key_id!r}, sure=True) does it; to "
            "stop it for a while, set its caps to 0 with svc_nb.keys.set_limits"
        )
    ended = admin.deactivate_key(key.key_id)
    said = f"{named[0].upper()}{named[1:]} is deactivated for good. Next: svc_nb.keys.create(label) makes another."
    return Report(from_keys([ended]), said)


def set_limits(table: pd.DataFrame, *, dry_run: bool = False) -> Report:
    """Set monthly caps from a table: that of `list`, edited, or any with `key_id` and one or both caps.

    Only caps that differ from those on the service are sent. All rows are checked first; when one makes no sense
    nothing is sent. An error in the middle says what was done.

    Parameters
    ----------
    table
        `key_id`, and `characters`, `speech_to_text_milliseconds` or both: whole numbers, 0 blocks, missing is no cap.
    dry_run
        Only say what would change.

    Returns
    -------
    Report
        A row for each cap that changes: `key_id, label, limit, change` in words, `before`, `after`, `done`.

    Raises
    ------
    InvalidRows
        Rows that are negative, no whole numbers, of unknown or deactivated keys, or there twice. A ValueError.
    """
    session = current()
    return _changes.set_limits(session.admin, table, dry_run=dry_run, log=log(session))


def undo(*, backup: str | None = None, skip: bool = False) -> Report:
    """Take back the last `set_limits` or `rename` from this kernel, then the one before.

    Parameters
    ----------
    backup
        Take back this change instead, also one of a kernel that has ended; `history` names them.
    skip
        Leave keys that cannot be taken back as they are, and take back the others. The change is done with then, also
        if nothing of it could be taken back: the next `undo` is about the one before.

    Returns
    -------
    Report
        A row for each cap or label that is as before; its line names the keys that were left.

    Raises
    ------
    InvalidRows
        Somebody has changed the same caps or label since, the key is gone or deactivated, or it had no label before;
        nothing was changed, and *skip* was not set. A ValueError.
    """
    session = current()
    return _changes.undo(session.admin, log=log(session), backup=backup, skip=skip)


def history() -> Report:
    """The changes of caps and labels from here that were not taken back, also from other kernels, the newest first."""
    return log(current()).backups.history()


def check_label(label: str) -> None:
    """Refuse a label that no key can have."""
    if not isinstance(label, str):
        raise TypeError(f"label: expected a text, found {type(label).__name__}")
    if not label.strip() or len(label) > LONGEST_LABEL:
        raise ValueError(f"label: expected 1 to {LONGEST_LABEL:,} characters, found {len(label.strip()):,}")


def log(session: Session) -> ChangeLog:
    """What was changed from here as this administrator; an embedded service may have the port of an earlier one."""
    administrator = session.settings.administrator
    who = blake2b(administrator.reveal().encode(), digest_size=6).hexdigest() if administrator else ""
    folder = Path(session.settings.backups_path, "keys")
    return ChangeLog(Backups(folder, origin=f"{session.origin} {who}", room="keys", id_name=""))


module_verbs(globals())
