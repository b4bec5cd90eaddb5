"""Style rule lists: the catalogue of all rules, and lists as tables and files: checked, compared, copied and synced.

style = svc_nb.style_rules.pull(style_id)          # style.rules and style.instructions are tables
svc_nb.style_rules.push(style, dry_run=True)       # what would be sent
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from svc_nb.session import current

# The modules of these names are loaded here; if they were loaded later, they would replace the functions.
from svc_nb.style_rules import clone as _clone
from svc_nb.style_rules import diff as _diff
from svc_nb.style_rules import sync
from svc_nb.style_rules.catalogue import catalogue
from svc_nb.style_rules.files import read, write
from svc_nb.style_rules.style import Style, styled
from svc_nb.style_rules.sync import STYLES
from svc_nb.sync.changes import delete as delete_thing
from svc_nb.sync.undo import undo as take_back
from svc_nb.tracebacks import module_verbs

if TYPE_CHECKING:
    import pandas as pd

    from svc_nb.style_rules.clone import Clone
    from svc_nb.style_rules.diff import StyleDiff
    from svc_nb.sync.changes import Push
    from svc_nb.tabular.report import Report

__all__ = [
    "Style",
    "catalogue",
    "clone",
    "delete",
    "diff",
    "history",
    "lint",
    "list",
    "pull",
    "push",
    "read",
    "undo",
    "write",
]


def list() -> Report:
    """All style rule lists of the account, one row each: id, name, language, version, number of rules, times."""
    return sync.listed(current().client)


def pull(style_id: str) -> Style:
    """A complete list on the service, by its id or its name; rules that the catalogue does not know are kept."""
    return sync.pull(current().client, style_id)


def lint(style: Style | pd.DataFrame, *, language: str | None = None) -> Report:
    """What is wrong with a list, or may be, before anything is sent: a table of findings, empty if all is well.

    Parameters
    ----------
    style
        A Style, or a table of rules or of instructions alone.
    language
        The language of the list if only a table is given; then rules that it does not offer are reported.
    """
    return styled(style, language=language).lint()


def diff(style: Style | str, other: Style | str) -> StyleDiff:
    """What *style* adds, changes and removes compared with *other*: one row for each rule and instruction that differs.

    Parameters
    ----------
    style
        A Style, or the id or name of a list on the service.
    other
        An older Style, or the id or name of a list: `diff(style, style.style_id)` is what a push would change, and
        `diff(style.style_id, style)` what others have changed there since *style* was pulled.
    """
    new, old = (pull(each) if isinstance(each, str) else each for each in (style, other))
    return _diff.diff(old, new)


def push(
    style: Style | pd.DataFrame,
    *,
    name: str | None = None,
    language: str | None = None,
    style_id: str | None = None,
    dry_run: bool = False,
    allow_unknown: bool = False,
) -> Push:
    """Give the list on the service the content of *style*, with as few calls as possible; returns the steps.

    Rules and instructions that are not in *style* are removed there. Nothing is sent that the service would refuse. An
    interrupted push can be repeated: it does the rest, and creates nothing twice. The previous list is the result's
    `before`, and is first kept in a file, its `backup`: `undo` undoes the push, and `history` lists all backups, which
    can also be pushed after `read`.

    Parameters
    ----------
    style
        A Style; or only a table of rules or of instructions, so that the other part of the list stays as it is.
    name
        The list's name. Without an id, this means the list of this name and language, which is created if there is
        none; with an id, the list is renamed.
    language
        The language of the list; only needed if *style* does not say it.
    style_id
        The id of the list; by default that of *style*.
    dry_run
        Return the steps, but send nothing.
    allow_unknown
        Send rules that the catalogue does not know; unknown rules that the list already has are always sent.

    Raises
    ------
    InvalidRows
        Rows break a rule of the service; `findings` says which and why.
    ValueError
        It is not clear which list is meant, or it is for another language.
    """
    session = current()
    return sync.push(
        session.client,
        style,
        name=name,
        language=language,
        style_id=style_id,
        dry_run=dry_run,
        allow_unknown=allow_unknown,
        backups=STYLES.backups_of(session),
    )


def delete(style_id: str) -> Push:
    """Delete a list on the service, by its id or its name; `undo` recreates it under a new id."""
    session = current()
    return delete_thing(STYLES, session.client, style_id, backups=STYLES.backups_of(session))


def history(style_id: str | None = None) -> Report:
    """The backups of changes from here, of all lists or of one, by its id or a name, the newest first.

    Each is the list before the change, or as it was created, with a path for `read`. Backups from other kernels are
    included; `this_kernel` marks the ones from this kernel.
    """
    return STYLES.backups_of(current()).history(style_id)


def undo(
    style_id: str | None = None,
    *,
    backup: str | None = None,
    recreate: bool = False,
    replace: bool = False,
    dry_run: bool = False,
) -> Push:
    """Undo the last change that was made from this kernel; a second undo redoes it.

    A list that was created is deleted; one that was deleted is recreated under a new id. Later changes by others are
    kept; if that is impossible, an error is raised and nothing is changed. An undo is kept in the backups too.

    Parameters
    ----------
    style_id
        The list, by its id or a former name; its last change from any of your kernels is undone. None means the last
        change from this kernel, whichever list it was.
    backup
        Go back to the list in this backup, a name in `history`: all changes from here since then are undone.
    recreate
        Recreate a list that someone else deleted, under a new id.
    replace
        Undo even if others have changed the same since; their changes are lost.
    dry_run
        Return the steps, but send nothing.

    Raises
    ------
    InvalidRows
        Others have changed the same since; `findings` says what.
    NotFound
        Someone else deleted the list.
    ValueError
        Nothing was changed from this kernel, or that list was not changed from here.
    """
    session = current()
    return take_back(
        STYLES,
        session.client,
        style_id,
        backup=backup,
        recreate=recreate,
        replace=replace,
        dry_run=dry_run,
        backups=STYLES.backups_of(session),
    )


def clone(style: Style | str, language: str, *, name: str | None = None) -> Clone:
    """A list for another language: `.style` has what carries over, and `.left` is a table of what does not.

    Parameters
    ----------
    style
        A Style, or the id or name of a list on the service.
    language
        de, en, es, fr, it, ja, ko or zh.
    name
        The name of the new list; by default that of the old one.
    """
    return _clone.clone(pull(style) if isinstance(style, str) else style, language, name=name)


module_verbs(globals())
