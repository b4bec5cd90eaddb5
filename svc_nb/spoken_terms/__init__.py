"""Spoken terms as tables: names and jargon that help the service to recognize speech, one list for each language.

    terms = svc_nb.spoken_terms.read("names.csv")       # the columns `lang` and `term`
    svc_nb.spoken_terms.lint(terms)                     # what the service would refuse: 300 characters a list, ...
    svc_nb.spoken_terms.push(terms, "Products")         # created, or updated if it exists
    svc_nb.spoken_terms.undo()                          # and undo it

A voice session names a collection by its id: `VoiceRequest(..., spoken_terms_id=pushed.spoken_terms_id)`. Before
anything is changed on the service, a backup is written beside those of glossaries, readable only by its owner.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from svc_nb.session import current

# The module lint is loaded here; if it were loaded later, it would replace the function.
from svc_nb.spoken_terms import sync
from svc_nb.spoken_terms.files import read, write
from svc_nb.spoken_terms.lint import lint
from svc_nb.spoken_terms.sync import COLLECTIONS
from svc_nb.spoken_terms.table import diff as compared
from svc_nb.sync.changes import delete as delete_thing
from svc_nb.sync.undo import undo as take_back
from svc_nb.tracebacks import module_verbs

if TYPE_CHECKING:
    import pandas as pd

    from svc_nb.spoken_terms.table import SpokenDiff
    from svc_nb.sync.changes import Push
    from svc_nb.tabular.report import Report
    from svc_nb.wire.models import SpokenTerms

__all__ = ["delete", "diff", "get", "history", "lint", "list", "pull", "push", "read", "undo", "write"]


def list() -> Report:
    """All collections on the service: id, name, languages, number of terms, time of creation."""
    return sync.listed(current().client)


def get(spoken_terms_id: str) -> SpokenTerms:
    """One collection on the service, by its id or its name, without its terms."""
    found: SpokenTerms = COLLECTIONS.kind.get(current().client, spoken_terms_id)
    return found


def pull(spoken_terms_id: str) -> Report:
    """The terms of a collection on the service, by its id or its name, as one table for all languages."""
    return sync.pull(current().client, spoken_terms_id)


def diff(table: pd.DataFrame, other: pd.DataFrame | str, *, prune: bool = False) -> SpokenDiff:
    """What *table* adds and removes compared with *other*: an older table, or the id or name of a collection.

    There is one row for each difference; order does not count, case does, and EN-GB is EN.

    Parameters
    ----------
    table
        The terms.
    other
        An older table, or a collection; then the rows are what a push would change.
    prune
        As for `push`: whether languages of the collection that are not in *table* count as removed. Otherwise a push
        leaves them alone, so they have no rows and the last line counts them. An older table is always compared as a
        whole.
    """
    if isinstance(other, str):
        return sync.compare(current().client, table, other, prune=prune)
    return compared(other, table)


def push(
    table: pd.DataFrame,
    name: str | None = None,
    *,
    spoken_terms_id: str | None = None,
    dry_run: bool = False,
    prune: bool = False,
) -> Push:
    """Give a collection on the service the terms of *table*; the result lists the steps and has the id.

    Only lists that differ are sent. Everything is checked first: if the service would refuse something, an error lists
    the rows and nothing is sent. A backup is kept before the first change; see `undo`. An interrupted push can be run
    again: it does the rest, and never creates a second collection.

    Parameters
    ----------
    table
        The terms, in the columns `lang` and `term`.
    name
        The collection's name. Alone, it means the collection of that name, or a new one if there is none; with
        *spoken_terms_id*, the collection is renamed if its name differs.
    spoken_terms_id
        The collection to change.
    dry_run
        Only say what would be done.
    prune
        Delete the lists of languages that are not in *table*; otherwise they are left alone and reported.

    Raises
    ------
    InvalidRows
        Rows break the service's rules; nothing was changed.
    """
    session = current()
    return sync.push(
        session.client,
        table,
        name=name,
        spoken_terms_id=spoken_terms_id,
        dry_run=dry_run,
        prune=prune,
        backups=COLLECTIONS.backups_of(session),
    )


def delete(spoken_terms_id: str) -> Push:
    """Delete a collection on the service, by its id or its name; `undo` recreates it under a new id."""
    session = current()
    return delete_thing(COLLECTIONS, session.client, spoken_terms_id, backups=COLLECTIONS.backups_of(session))


def undo(
    spoken_terms_id: str | None = None,
    *,
    backup: str | None = None,
    recreate: bool = False,
    replace: bool = False,
    dry_run: bool = False,
) -> Push:
    """Undo the last change that was made from this kernel; a second undo redoes it.

    A collection that was created is deleted; one that was deleted is recreated under a new id. Later changes by others
    are kept; if that is impossible, an error is raised and nothing is changed. An undo is kept in the backups too.

    Parameters
    ----------
    spoken_terms_id
        The collection, by its id or a former name; its last change from any of your kernels is undone. None means the
        last change from this kernel, whichever collection it was.
    backup
        Go back to the state in this backup, a name in `history`: all changes from here since then are undone.
    recreate
        Recreate a collection that someone else deleted, under a new id.
    replace
        Undo even if others have changed the same since; their changes are lost.
    dry_run
        Only say what would be done.

    Raises
    ------
    InvalidRows
        Others have changed the same since; `findings` says what.
    NotFound
        Someone else deleted the collection.
    ValueError
        Nothing was changed from this kernel, or that collection was not changed from here.
    """
    session = current()
    return take_back(
        COLLECTIONS,
        session.client,
        spoken_terms_id,
        backup=backup,
        recreate=recreate,
        replace=replace,
        dry_run=dry_run,
        backups=COLLECTIONS.backups_of(session),
    )


def history(spoken_terms_id: str | None = None) -> Report:
    """The backups that `undo` can go back to, of all collections or of one, the newest first."""
    return COLLECTIONS.backups_of(current()).history(spoken_terms_id)


module_verbs(globals())
