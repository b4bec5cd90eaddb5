"""Glossaries as tables: read from files, checked, compared, and kept in step with the service.

    terms = svc_nb.glossaries.read("terms.xlsx")        # one row for a term in one language pair
    svc_nb.glossaries.lint(terms)                       # what the service would refuse, and what looks wrong
    svc_nb.glossaries.push(terms, "Products")           # made, or changed where it is there already
    svc_nb.glossaries.undo()                            # and back

A table of terms has the columns `source_lang`, `target_lang`, `source` and `target`. Before anything is changed on the
service a backup is written to the folder `backups` beside the store of answers, for its owner alone to read.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from svc_nb.advice import Option
from svc_nb.checks.service_terms import to_dictionaries

# The files diff, fix and lint are loaded here: loaded later, they would take the places of the functions.
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
    """The terms of a glossary on the service, named by its id or its name, as a table: all language pairs in one."""
    return sync.pull(current().client, glossary_id)


def diff(table: pd.DataFrame, other: pd.DataFrame | str, *, prune: bool = False) -> GlossaryDiff:
    """What *table* adds, changes and removes against *other*: an older table, or the id or name of a glossary.

    A row for each difference, with the target before and now; order does not count, and EN-GB is EN.
    Raises InvalidRows where a table has a term twice.

    Parameters
    ----------
    table
        The terms.
    other
        An older table, or a glossary: then the rows are what a push would change.
    prune
        As for `push`: whether language pairs of the glossary that *table* lacks count as removed. Else they are no
        rows, since a push leaves them alone, and are told in the last line. An older table is always compared whole.
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
    """Make a glossary on the service have the terms of *table*; the result lists the steps and has the `glossary_id`.

    Only language pairs that differ are sent. Everything is checked first: what the service would refuse is an error
    with its rows, and then nothing is sent. A backup is kept before the first change, see `undo`. A push that was
    interrupted can be run again: it does what is left, and never makes a second glossary.

    Parameters
    ----------
    table
        The terms, or a file with them: then the last line of the result also says what reading left out.
    name
        The glossary's name. Alone, it means the glossary of that name, or a new one where there is none; with
        *glossary_id*, the glossary is renamed where it is called otherwise.
    glossary_id
        The glossary to change.
    dry_run
        Only say what would be done.
    prune
        Delete the language pairs that *table* lacks; else they are left alone, and told.
    base
        The table as you pulled it before you changed it: then what others changed on the service since is kept, what
        they deleted stays deleted and is told, and what both changed is an error with the conflicts as its `findings`.
    source_lang, target_lang, columns, sheet, header, encoding
        How a file is read, as for `read`.

    Raises
    ------
    InvalidRows
        Rows break the service's rules, or conflict with changes on the service; nothing was changed.
    TooManyRequests
        The service takes no more changes for now; run the same push again later.
    """
    languages = {"source_lang": source_lang, "target_lang": target_lang}
    reading: dict[str, Any] = {**languages, "columns": columns, "sheet": sheet, "header": header, "encoding": encoding}
    given = [name for name, value in reading.items() if value is not None]
    from_file = ""
    if isinstance(table, str | os.PathLike):
        table = read(table, **reading)
        from_file = table.said.partition("Next: ")[0]
    elif given:
        raise ValueError(f"{Option(given[0])} says how a file is read, and this is a table: leave it out")
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
    """Delete a glossary on the service, named by its id or its name; `undo` makes it again, under a new id."""
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
    """Take back the last change that was made from this kernel; done twice, it is done again.

    Only what was changed from here is taken back: what others changed since is kept and told, and where both changed
    the same, it is an error and nothing is changed. A glossary that was created is deleted, unless others have changed
    it since; one that was deleted is made again, under a new id, which the result has as `glossary_id`. An undo is kept
    in the backups too.

    Parameters
    ----------
    glossary_id
        The glossary, by its id or a name that it had: its last change from any kernel of yours is taken back. None is
        the last change from this kernel, whichever glossary it was.
    backup
        Take back this change and all later ones of its glossary instead, from any kernel; `history` has the names.
    recreate
        Make the glossary again where somebody else has deleted it.
    replace
        Bring back exactly the state before, also over what others changed since.
    dry_run
        Only say what would be done.

    Raises
    ------
    InvalidRows
        Others have changed the same terms since, or the glossary that would be deleted; `findings` tells which.
    ValueError
        Nothing was changed from this kernel, or nothing in that glossary from here.
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

    Those from other kernels are among them; `this_kernel` tells which are not.
    """
    return GLOSSARIES.backups_of(current()).history(glossary_id)


module_verbs(globals())
