"""The life of a key: made, renamed, and ended for good."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import pandas as pd

from svc_nb.errors import SvcError
from svc_nb.keys.changes import Change, Log, perform
from svc_nb.keys.table import find, from_keys, shown
from svc_nb.secret import Secret
from svc_nb.sync.creation import was_refused
from svc_nb.tabular.column import text_array
from svc_nb.tabular.report import Report
from svc_nb.wire.client.admin import Admin
from svc_nb.wire.models import DeveloperKey

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
        self.said = _made(key, namesakes)

    def __repr__(self) -> str:
        return self.said

    def _repr_html_(self) -> str:
        return f"<p class='tex2jax_ignore mathjax_ignore'>{escape(self.said)}</p>"

    def __reduce__(self) -> str:
        raise TypeError("A new key is not pickled: its secret would be written down.")


def create(admin: Admin, label: str | None = None) -> NewKey:
    """Make a developer key; it is asked for once, because a lost answer would leave a key that nobody can use."""
    if label is not None:
        check_label(label)
    before = admin.keys()
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


def rename(admin: Admin, who: str, label: str, *, log: Log) -> Report:
    """Give the key *who*, by its key_id or label, another label."""
    check_label(label)
    key = find(admin.keys(), who)
    changes = [Change(key.key_id, key.label, {"label": key.label}, {"label": label})]
    if key.label == label:
        return labels([], f"Nothing to do: the key {shown(label)} ({key.key_id}) has this label already.")
    perform(admin, changes, log=log)
    said = f"The key {shown(key.label)} ({key.key_id}) is called {shown(label)} now."
    back = (
        "Next: svc_nb.keys.undo() takes this back."
        if key.label
        else "That it had no label cannot be given back."
    )
    return labels(changes, f"{said} {back}")


def deactivate(admin: Admin, who: str, *, sure: bool = False) -> Report:
    """End the key *who*, by its key_id or label, at once and for good; a ValueError unless *sure*."""
    key = find(admin.keys(), who)
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


def labels(changes: Sequence[Change], said: str) -> Report:
    """One row for each key that was renamed."""
    columns = {
        "key_id": [change.key_id for change in changes],
        "change": [f"renamed to {shown(change.after['label'])}" for change in changes],
        "before": [change.before["label"] for change in changes],
        "after": [change.after["label"] for change in changes],
    }
    return Report(pd.DataFrame({name: text_array(cells) for name, cells in columns.items()}), said)


def check_label(label: str) -> None:
    """Refuse a label that no key can have."""
    if not isinstance(label, str):
        raise TypeError(f"label: expected a text, found {type(label).__name__}")
    if not label.strip() or len(label) > LONGEST_LABEL:
        raise ValueError(f"label: expected 1 to {LONGEST_LABEL:,} characters, found {len(label.strip()):,}")


def _made(key: DeveloperKey, namesakes: int) -> str:
    made = f"The key {shown(key.label)} was made: key_id {key.key_id}, {key.creation_time:%Y-%m-%d %H:%M} UTC, no cap."
    also = " Others have the same label; the masked key tells them apart in reports." if namesakes else ""
    if key.api_key is None:
        return f"{made}{also} The service does not hand the key itself out: copy it from the account's page of keys."
    return (
        f"{made}{also} The key itself is in .api_key, this once: keep it now. Next: .api_key.reveal() gives it to a "
        "vault or a config file, svc_nb.connect(api_key=new.api_key) uses it here."
    )
