"""Glossaries as tables: read from files, checked, compared, and kept in sync with the service.

    terms = svc_nb.glossaries.read("terms.xlsx")        # one row for a term in one language pair
    svc_nb.glossaries.lint(terms)                       # what the service would refuse, and what looks wrong
    svc_nb.glossaries.push(terms, "Products")           # created, or updated if it exists
    svc_nb.glossaries.undo()                            # and undo it

A table of terms has the columns `source_lang`, `target_lang`, `source` and `target`. Before anything is changed on the
service, a backup is written to the folder `backups` beside the store, readable only by its owner.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from svc_nb.advice import Option
from svc_nb.checks.service_terms import to_dictionaries

# The modules diff, fix and lint are loaded here; if they were loaded later, they would replace the functions.
from svc_nb.glossaries import diff as _diff
from svc_nb.glossaries import sync
from svc_nb.glossaries.dictionaries import from_dictionaries, from_entries, to_entries
from svc_nb.glossaries.diff import merge
from svc_nb.glossaries.files import read, write
from svc_nb.glossaries.fix import fix, fixes
from svc_nb.glossaries.lint import lint
from svc_nb.glossaries.sync import GLOSSARIES
from svc_nb.glossaries.wide_table import from_wide, to_wide
from svc_nb.session import current
from svc_nb.sync.changes import delete as delete_thing
from svc_nb.sync.undo import undo as take_back
from svc_nb.tracebacks import module_verbs

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

    from svc_nb.glossaries.diff import GlossaryDiff
    from svc_nb.sync.changes import Push
    from svc_nb.tabular.report import Report

__all__ = [
    "delete",
    "diff",
    "fix",
    "fixes",
    "from_dictionaries",
    "from_entries",
    "from_wide",
    "history",
    "lint",
    "list",
    "merge",
    "pull",
    "push",
    "read",
    "to_dictionaries",
    "to_entries",
    "to_wide",
    "undo",
    "write",
]


def list() -> Report:
    """All glossaries on the service: id, name, language pairs, number of terms, time of creation."""
    return sync.listed(current().client)


def pull(glossary_id: str) -> Report:
    """The terms of a glossary on the service, by its id or its name, as one table for all language pairs."""
    return sync.pull(current().client, glossary_id)


def diff(table: pd.DataFrame, other: pd.DataFrame | str, *, prune: bool = False) -> GlossaryDiff:
    """What *table* adds, changes and removes against *other*: an older table, or the id or name of a glossary.

    There is one row for each difference, with the target before and now; order does not count, and EN-GB is EN. Raises
    InvalidRows if a table has a term twice.

    Parameters
    ----------
    table
        The terms.
    other
        An older table, or a glossary; then the rows are what a push would change.
    prune
        As for `push`: whether language pairs of the glossary that are not in *table* count as removed. Otherwise a push
        leaves them alone, so they have no rows and the last line counts them. An older table is always compared as a
        whole.
    """
    if isinstance(other, str):
        return sync.compare(current().client, table, other, prune=prune)
    return _diff.diff(other, table)


def push(
    table: pd.DataFrame | str | os.PathLike[str],
    name: str | None = None,
    *,
    glossary_id: str | None = None,
    dry_run: bool = False,
    prune: bool = False,
    base: pd.DataFrame | None = None,
    source_lang: str | None = None,
    target_lang: str | None = None,
    columns: Mapping[str, str | None] | None = None,
    sheet: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
) -> Push:
    """Give a glossary on the service the terms of *table*; the result lists the steps and has the `glossary_id`.

    Only language pairs that differ are sent. Everything is checked first: if the service would refuse something, an
    error lists the rows and nothing is sent. A backup is kept before the first change; see `undo`. An interrupted push
    can be run again: it does the rest, and never creates a second glossary.

    Parameters
    ----------
    table
        The terms, or a file with them; then the last line of the result also says what was left out when reading it.
    name
        The glossary's name. Alone, it means the glossary of that name, or a new one if there is none; with
        *glossary_id*, the glossary is renamed if its name differs.
    glossary_id
        The glossary to change.
    dry_run
        Only say what would be done.
    prune
        Delete the language pairs that are not in *table*; otherwise they are left alone and reported.
    base
        The table as you pulled it before you changed it. Then later changes by others on the service are kept, terms
        that they deleted stay deleted and are reported, and terms that both changed raise an error with the conflicts
        as its `findings`.
    source_lang, target_lang, columns, sheet, header, encoding
        How a file is read, as for `read`.

    Raises
    ------
    InvalidRows
        Rows break the service's rules, or conflict with changes on the service; nothing was changed.
    TooManyRequests
        The service accepts no more changes for now; run the same push again later.
    """
    languages = {"source_lang": source_lang, "target_lang": target_lang}
    reading: dict[str, Any] = {**languages, "columns": columns, "sheet": sheet, "header": header, "encoding": encoding}
    given = [name for name, value in reading.items() if value is not None]
    from_file = ""
    if isinstance(table, str | os.PathLike):
        table = read(table, **reading)
        from_file = table.said.partition("Next: ")[0]
    elif given:
        raise ValueError(f"{Option(given[0])} says how a file is read, but this is a table. Leave it out")
    session = current()
    pushed = sync.push(
        session.client,
        table,
        name=name,
        glossary_id=glossary_id,
        dry_run=dry_run,
        prune=prune,
        base=base,
        backups=GLOSSARIES.backups_of(session),
    )
    pushed.said = from_file + pushed.said
    return pushed


def delete(glossary_id: str) -> Push:
    """Delete a glossary on the service, by its id or its name; `undo` recreates it under a new id."""
    session = current()
    return delete_thing(GLOSSARIES, session.client, glossary_id, backups=GLOSSARIES.backups_of(session))


def undo(
    glossary_id: str | None = None,
    *,
    backup: str | None = None,
    recreate: bool = False,
    replace: bool = False,
    dry_run: bool = False,
) -> Push:
    """Undo the last change that was made from this kernel; a second undo redoes it.

    Only changes made from here are undone. Later changes by others are kept and reported; if both changed the same
    terms, an error is raised and nothing is changed. A glossary that was created is deleted, unless others have changed
    it since; one that was deleted is recreated under a new id, which the result has as `glossary_id`. An undo is kept
    in the backups too.

    Parameters
    ----------
    glossary_id
        The glossary, by its id or a former name; its last change from any of your kernels is undone. None means the
        last change from this kernel, whichever glossary it was.
    backup
        Undo this change and all later ones of its glossary instead, from any kernel; `history` has the names.
    recreate
        Recreate the glossary if someone else has deleted it.
    replace
        Restore exactly the earlier state, overwriting later changes by others.
    dry_run
        Only say what would be done.

    Raises
    ------
    InvalidRows
        Others have since changed the same terms, or the glossary that would be deleted; `findings` lists them.
    ValueError
        Nothing was changed from this kernel, or that glossary was not changed from here.
    """
    session = current()
    return take_back(
        GLOSSARIES,
        session.client,
        glossary_id,
        backup=backup,
        recreate=recreate,
        replace=replace,
        dry_run=dry_run,
        backups=GLOSSARIES.backups_of(session),
    )


def history(glossary_id: str | None = None) -> Report:
    """The backups that `undo` can go back to, of all glossaries or of one, by its id or a name, the newest first.

    Backups from other kernels are included; `this_kernel` marks the ones from this kernel.
    """
    return GLOSSARIES.backups_of(current()).history(glossary_id)


module_verbs(globals())
