"""Spoken terms as tables: names and jargon that help the service to hear speech right, one list a language.

    terms = svc_nb.spoken_terms.read("names.csv")       # the columns `lang` and `term`
    svc_nb.spoken_terms.lint(terms)                     # what the service would refuse: 300 characters a list, ...
    svc_nb.spoken_terms.push(terms, "Products")         # made, or changed where it is there already
    svc_nb.spoken_terms.undo()                          # and back

A voice session names a collection by its id: `VoiceRequest(..., spoken_terms_id=pushed.spoken_terms_id)`. Before
anything is changed on the service a backup is written beside those of glossaries, for its owner alone to read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from svc_nb.session import current

# The file lint is loaded at once: loaded later, it would take the place of the function.
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
    """One collection on the service, named by its id or its name, without its terms."""
    found: SpokenTerms = COLLECTIONS.kind.get(current().client, spoken_terms_id)
    return found


def pull(spoken_terms_id: str) -> Report:
    """The terms of a collection on the service, named by its id or its name, as a table: all languages in one."""
    return sync.pull(current().client, spoken_terms_id)


def diff(table: pd.DataFrame, other: pd.DataFrame | str, *, prune: bool = False) -> SpokenDiff:
    """What *table* adds and removes against *other*: an older table, or the id or name of a collection.

    A row for each difference; order does not count, case does, and EN-GB is EN.

    Parameters
    ----------
    table
        The terms.
    other
        An older table, or a collection: then the rows are what a push would change.
    prune
        As for `push`: whether languages of the collection that *table* lacks count as removed. Else they are no rows,
        since a push leaves them alone, and are told in the last line. An older table is always compared whole.
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
    """Make a collection on the service have the terms of *table*; the result lists the steps and has the id.

    Only lists that differ are sent. Everything is checked first: what the service would refuse is an error with its
    rows, and then nothing is sent. A backup is kept before the first change, see `undo`. A push that was interrupted
    can be run again: it does what is left, and never makes a second collection.

    Parameters
    ----------
    table
        The terms, in the columns `lang` and `term`.
    name
        The collection's name. Alone, it means the collection of that name, or a new one where there is none; with
        *spoken_terms_id*, the collection is renamed where it is called otherwise.
    spoken_terms_id
        The collection to change.
    dry_run
        Only say what would be done.
    prune
        Delete the lists of languages that *table* lacks; else they are left alone, and told.

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
    """Delete a collection on the service, named by its id or its name; `undo` makes it again, under a new id."""
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
    """Take back the last change that was made from this kernel; done twice, it is done again.

    A collection that was created is deleted; one that was deleted is made again, under a new id. What others changed
    since is kept; what cannot be kept is an error, and nothing is changed. An undo is kept in the backups too.

    Parameters
    ----------
    spoken_terms_id
        The collection, by its id or a name that it had: its last change from any kernel of yours is taken back. None
        is the last change from this kernel, whichever collection it was.
    backup
        Go back to the state in this backup, a name in `history`: all changes from here since are taken back.
    recreate
        Make a collection that somebody else deleted again, under a new id.
    replace
        Take it back also where others have changed the same since: what they changed is lost.
    dry_run
        Only say what would be done.

    Raises
    ------
    InvalidRows
        Others have changed the same since; `findings` tells what.
    NotFound
        Somebody else deleted the collection.
    ValueError
        Nothing was changed from this kernel, or nothing in that collection from here.
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
    """The backups that `undo` takes changes back by, of all collections or of one, the newest first."""
    return COLLECTIONS.backups_of(current()).history(spoken_terms_id)


module_verbs(globals())
