"""Spoken terms on the service kept in step with tables: listed, pulled, compared, pushed, deleted.

A change is worked out first, then the state before it is put among the backups, then it is done. Who is interrupted
runs the same push again: the way is worked out anew from what is there by then, so that only what is left is done.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from svc_nb.glossaries.rules import check_name
from svc_nb.language_codes import as_normal
from svc_nb.spoken_terms.backups import SpokenTermsBackups
from svc_nb.spoken_terms.diff import PUSH, Diff, differences
from svc_nb.spoken_terms.lint import refuse
from svc_nb.spoken_terms.state import State, explained, named, read
from svc_nb.spoken_terms.steps import Change, Push, told
from svc_nb.spoken_terms.table import Lists, checked, lists_of, rows_of
from svc_nb.spoken_terms.undo import keep_and_do
from svc_nb.sync.kinds import called
from svc_nb.tabular.column import TEXT
from svc_nb.tabular.report import Report, plural
from svc_nb.wire.client import Client


def listed(client: Client) -> Report:
    """All collections, a row each, in the service's order."""
    found = client.spoken_terms.list()
    columns = {
        "spoken_terms_id": pd.array([each.spoken_terms_id for each in found], dtype=TEXT),
        "name": pd.array([each.name for each in found], dtype=TEXT),
        "langs": pd.array(
            [", ".join(as_normal(one.lang) for one in each.term_lists) for each in found], dtype=TEXT
        ),
        "entry_count": np.array(
            [sum(one.entry_count for one in each.term_lists) for each in found], np.int64
        ),
        "creation_time": pd.DatetimeIndex([each.creation_time for each in found], tz="UTC"),
    }
    then = "pull(spoken_terms_id) gives the terms of one" if found else "push(table, name) makes the first"
    said = f"{plural(len(found), 'collection')} of spoken terms. Next: svc_nb.spoken_terms.{then}."
    return Report(pd.DataFrame(columns), said)


def pull(client: Client, given: str) -> Report:
    """The terms of a collection as a table, all languages in one."""
    _, state = read(client, given)
    return Report(
        state.table,
        f"{plural(len(state.table), 'term')} in {plural(len(state.lists), 'language')} of the spoken terms "
        f"{called(state.name)}. Next: change them and see svc_nb.spoken_terms.diff(table, spoken_terms_id), then push.",
    )


def compare(client: Client, table: pd.DataFrame, given: str, *, prune: bool = False) -> Diff:
    """What a push of *table* would add and remove; languages that it would leave alone are told, but no rows."""
    wanted = lists_of(rows_of(table))
    _, state = read(client, given)
    here = state.lists if prune else {lang: terms for lang, terms in state.lists.items() if lang in wanted}
    left = _left(lang for lang in state.lists if lang not in {**wanted, **here})
    return Diff(differences(here, wanted), left, push="push(table, name, prune=True)" if prune else PUSH)


def push(
    client: Client,
    table: pd.DataFrame,
    *,
    name: str | None = None,
    spoken_terms_id: str | None = None,
    dry_run: bool = False,
    prune: bool = False,
    backups: SpokenTermsBackups,
) -> Push:
    """Make a collection have the terms of *table*, with the fewest requests; see svc_nb.spoken_terms.push."""
    lists = _sendable(table, name, spoken_terms_id)
    with explained():
        known = client.spoken_terms.list() if spoken_terms_id is None else []
        given = named(known, name) if spoken_terms_id is None else spoken_terms_id
        found_id, now = (None, None) if given is None else read(client, given)
        kept = {} if now is None or prune else now.lists
        wanted = State(name or (now.name if now else ""), {**kept, **lists})
        change = Change(found_id, now, wanted)
        if not dry_run and not change.is_none:
            found_id = keep_and_do(client, change, backups, known=known)
    said = told(change, found_id, done=not dry_run, left=_left(lang for lang in kept if lang not in lists))
    return Push(change.steps, said, spoken_terms_id=found_id, done=not dry_run)


def delete(client: Client, given: str, *, backups: SpokenTermsBackups) -> Push:
    """Delete a collection; a backup of it is kept."""
    change = Change(*read(client, given), None)
    keep_and_do(client, change, backups)
    return Push(change.steps, told(change, change.spoken_terms_id), spoken_terms_id=change.spoken_terms_id)


def _sendable(table: pd.DataFrame, name: str | None, spoken_terms_id: str | None) -> Lists:
    """The lists as the service takes them, or a clear error before anything is asked."""
    if name is None and spoken_terms_id is None:
        raise ValueError(
            'push: expected a name for the spoken terms, such as push(table, "Products"), or spoken_terms_id='
        )
    if name is not None:
        check_name(name, "collection")
    if not len(checked(table)):
        raise ValueError(
            "the table has no terms, and a collection has at least one. To remove one: svc_nb.spoken_terms.delete(...)"
        )
    refuse(table)
    return lists_of(rows_of(table))


def _left(langs: Iterable[str]) -> str:
    """What happens to the languages that a table lacks."""
    listed = list(langs)
    if not listed:
        return ""
    count = plural(len(listed), "language that the table lacks is", "languages that the table lacks are")
    return f"{count} left alone ({', '.join(listed)}); prune=True deletes {'it' if len(listed) == 1 else 'them'}."
