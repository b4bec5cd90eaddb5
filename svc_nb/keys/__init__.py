"""Developer keys: a table of all, new ones, other labels, an end for good, and monthly caps set from a table.

    table = svc_nb.keys.list()
    table.loc[table["label"] == "shop", "characters"] = 500_000     # 0 blocks, None is no cap
    svc_nb.keys.set_limits(table, dry_run=True)                     # says in words what would change
    svc_nb.keys.set_limits(table)
    svc_nb.keys.undo()                                              # and back

All of it needs an administrator's key: `admin_key=` of `svc_nb.connect`, or SVC_ADMIN_KEY.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

# The files of these names are loaded at once: loaded later, they would take the places of the functions.
from svc_nb.keys import undo as _undo
from svc_nb.session import Session, current
from svc_nb.tracebacks import module_verbs

if TYPE_CHECKING:
    import pandas as pd

    from svc_nb.keys.changes import Log
    from svc_nb.keys.life import NewKey
    from svc_nb.secret import Secret
    from svc_nb.tabular.report import Report

__all__ = ["create", "deactivate", "list", "rename", "set_limits", "undo"]


def list() -> Report:
    """All developer keys, the deactivated ones too, a row for each.

    `key_id, label, creation_time, deactivated_time, is_deactivated` and the monthly caps `characters` and
    `speech_to_text_milliseconds`, where missing is no cap and 0 blocks. A key may have no label.
    """
    from svc_nb.keys.table import listed

    return listed(current().admin)


def create(label: str | None = None) -> NewKey:
    """Make a developer key, with a label of the service's choice if none is given.

    The key itself is in `api_key` of what is returned, this once, and is never shown; `api_key.reveal()` gives it away.
    """
    from svc_nb.keys.life import create

    return create(current().admin, label)


def rename(key_id: str, label: str) -> Report:
    """Give a key, named by its key_id or by a label that only it has, another label; `undo` takes it back."""
    from svc_nb.keys.life import rename

    session = current()
    return rename(session.admin, key_id, label, log=log(session))


def deactivate(key_id: str, *, sure: bool = False) -> Report:
    """End a key, named by its key_id or by a label that only it has, at once and for good.

    Raises
    ------
    ValueError
        Unless *sure* is True; the text says what would happen.
    """
    from svc_nb.keys.life import deactivate

    return deactivate(current().admin, key_id, sure=sure)


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
    from svc_nb.keys.limits import set_limits

    session = current()
    return set_limits(session.admin, table, dry_run=dry_run, log=log(session))


def undo(*, skip: bool = False) -> Report:
    """Take back the last `set_limits` or `rename` from this kernel, then the one before.

    Parameters
    ----------
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
    return _undo.undo(session.admin, log=log(session), skip=skip)


_lock = threading.Lock()
_logs: dict[tuple[str | None, Secret | None], Log] = {}


def log(session: Session) -> Log:
    """What was changed from here as this administrator; an embedded service may have the port of an earlier one."""
    from svc_nb.keys.changes import Log

    with _lock:
        return _logs.setdefault((session.base_url, session.settings.administrator), Log())


module_verbs(globals())
